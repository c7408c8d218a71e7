"""What is taken off only to keep exponentials in range: ``m = z.max()`` in ``m + np.log(np.sum(np.exp(z - m)))``.

Nothing that a function computes with such a shift depends on it, whatever it is, so that it has no cotangent. That is
so where each expression that it goes into changes in a known way with it, by a multiple of the shift or by a power of
its exponential, and what goes anywhere else does not change at all.
"""
from __future__ import annotations

import builtins
import math
from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.algebra import same
from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.facts import Applied, Facts, Version
from s2sgrad.compiler.nodes import names_in, walk
from s2sgrad.compiler.program import Assign, Augment, Leave, Loop, Program, expressions_in, pattern_names, statements
from s2sgrad.rules.abstract import Numeric, passive, rank_of
from s2sgrad.rules.table import Operation

EXTREMA = np.max, np.min, builtins.max, builtins.min
EXPONENTIALS, LOGARITHMS, TOTALS = (np.exp, math.exp), (np.log, math.log), (np.sum, np.mean)
SUM, PRODUCT = "sum", "product"


@dataclass(frozen=True)
class Moved:
    """How a value changes where ``c`` is added to the shift: by ``weight * c``, or by the factor
    ``np.exp(weight * c)``."""

    kind: str
    weight: float
    reduced: bool
    """Whether it lies along the axes that the extremum has without ``keepdims``; else along those of its operand."""
    alone: bool
    """Whether nothing differentiated but the shift goes into it."""


class Unknown(Exception):
    """It is not known how something changes."""


def without_shifts(program: Program, facts: Facts) -> None:
    """Let nothing be differentiated in shifts on which nothing depends."""
    if not any(applied.operation.rule.function in EXTREMA for applied in facts.applied.values()):
        return
    found = {statement: extrema_in(statement, facts) for statement in statements(program.body)}
    holding = {statement for statement, extrema in found.items() if extrema}
    for extrema in found.values():
        for alike in extrema:
            try:
                shift = _Shift(facts, alike)
                shift.follow(program, holding)
            except Unknown:
                continue
            shift.forget()


def extrema_in(statement: Any, facts: Facts) -> list[list[gast.AST]]:
    """The extrema in a statement, those together that are written alike and give the same."""
    found: list[list[gast.AST]] = []
    for expression in expressions_in(statement):
        for node in walk(expression):
            applied = facts.applied.get(id(node))
            if applied is None or applied.operation.rule.function not in EXTREMA:
                continue
            alike = None if has_effect(node, facts) else next(  # which may be of another draw the second time
                (others for others in found if same(others[0], node)), None)
            if alike is None:
                found.append([node])
            else:
                alike.append(node)
    return found


class _Shift:
    def __init__(self, facts: Facts, alike: list[gast.AST]):
        self.facts = facts
        self.keys = {id(node) for node in alike}
        operation = facts.applied[id(alike[0])].operation
        value = operation.result
        if not (isinstance(value, Numeric) and value.active and value.dtype is not None and value.dtype.kind == "f"):
            raise Unknown
        self.axes: tuple[int, ...] | None = None
        self.rank = 0
        self.reduced = False
        if operation.rule.function in (np.max, np.min):
            given = operation.if_known("axis")
            if operation.if_known("where") is not True or operation.given("initial") or not (
                    given is None or isinstance(given, (int, tuple))):
                raise Unknown
            self.axes, rank = operation.axes(), operation.rank("a")
            if self.axes is not None and (rank is None or len(self.axes) == rank):
                if rank is None:
                    raise Unknown
                self.axes = None
            self.rank = rank or 0
            self.reduced = self.axes is not None and operation.if_known("keepdims") is not True
        elif not value.is_number:
            raise Unknown
        self.moved: dict[Version, Moved] = {}
        self.found: list[tuple[gast.AST, Moved]] = []
        self.read: set[Version] = set()
        self.updated: set[Version] = set()
        """What was written into as a whole: how that changes is known, whatever it was before."""
        self.environment: dict[str, Version] = {}

    @property
    def leads(self) -> bool:
        """Whether what lies along the other axes spreads to these by itself."""
        return self.axes is None or self.axes == tuple(range(len(self.axes)))

    # ---- how it goes through the program

    def follow(self, program: Program, holding: set[Any]) -> None:
        """Find all that changes with it; ``holding``: the statements in which there are extrema."""
        for statement in statements(program.body):
            self.environment = self.facts.before.get(statement, {})
            new: dict[Version, Moved] = {}
            if isinstance(statement, Augment) and isinstance(statement.target, gast.Name):
                self.update(statement, statement in holding, program, new)
                self.moved.update(new)
                continue
            for label, expression in bindings(statement):
                read = {self.environment[other] for other in names_in(expression) if other in self.environment}
                self.read |= read
                if statement not in holding and self.moved.keys().isdisjoint(read):
                    continue
                moved = self.of(expression)
                if moved is None:
                    continue
                version = self.facts.defined.get((statement, label))
                if version is None or not isinstance(version.value, Numeric) or version.origin != "bound":
                    raise Unknown
                new[version] = moved
            self.moved.update(new)
        labels = {version.name for version in self.moved}
        given = {label for called in self.facts.calls.values() for node in called.arguments if node is not None
                 for label in names_in(node)}
        if not self.found or not labels.isdisjoint(given) or any(map(self.is_chosen_from, self.read)):
            raise Unknown

    def update(self, statement: Augment, holds: bool, program: Program, new: dict[Version, Moved]) -> None:
        """Find how ``a /= total`` and its kin let an array change."""
        target: Any = statement.target
        names = {target.id, *names_in(statement.value)}
        read = {self.environment[label] for label in names if label in self.environment}
        self.read |= read
        if not holds and self.moved.keys().isdisjoint(read):
            return
        if not (self.depends(target) or self.depends(statement.value)):
            return
        version = self.facts.defined.get((statement, target.id))
        value = None if version is None else version.value
        if version is None or not isinstance(value, Numeric) or id(statement) not in self.facts.applied \
                or self.environment.get(target.id) is None or self.may_have_another_name(target.id, program):
            raise Unknown
        self.updated.add(version)
        moved = self.of_two(gast.BinOp(target, statement.operator, statement.value))
        if moved is not None and moved.weight != 0:
            new[version] = moved

    def may_have_another_name(self, label: str, program: Program) -> bool:
        """Whether something else may be the array, or a part of it, which an update in place changes as well: what the
        caller has, or what has another name."""
        if label in self.facts.parameters:
            return True
        for statement in statements(program.body):
            bound = pattern_names(statement.target or ()) if isinstance(statement, (Assign, Loop)) else ()
            for expression in expressions_in(statement):
                applied = self.facts.applied.get(id(expression))
                fresh = applied is not None and applied.operation.sharing == "fresh"
                if not fresh and (label in bound or label in names_in(expression)) and not isinstance(
                        statement, (Augment, Leave)):
                    return True
        return False

    def is_chosen_from(self, version: Version) -> bool:
        """Whether what is read may be what changes with the shift, as it was on one way or in another turn."""
        seen: set[Version] = set()
        waiting = list(version.sources) if version not in self.updated else []
        while waiting:
            source = waiting.pop()
            if source in self.moved:
                return True
            if source not in seen and source not in self.updated:
                seen.add(source)
                waiting += source.sources
        return False

    def depends(self, node: gast.AST) -> bool:
        return any(id(part) in self.keys or isinstance(part, gast.Name) and self.environment.get(part.id) in self.moved
                   for part in walk(node))

    def of(self, node: Any) -> Moved | None:
        """How an expression changes, None where it does not; raises Unknown where that is not known."""
        if not self.depends(node):
            return None
        moved = self.of_dependent(node)
        if moved is None or moved.weight == 0:
            return None
        self.found.append((node, moved))
        return moved

    def of_dependent(self, node: Any) -> Moved | None:
        if id(node) in self.facts.passing or not isinstance(self.facts.values.get(id(node)), Numeric):
            raise Unknown
        if id(node) in self.keys:
            return Moved(SUM, 1.0, self.reduced, True)
        if isinstance(node, gast.Name):
            return self.moved[self.environment[node.id]]
        applied = self.facts.applied.get(id(node))
        if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub) and applied is not None:
            return self.times(self.of(node.operand), -1.0)
        if isinstance(node, gast.BinOp) and applied is not None:
            return self.of_two(node)
        if isinstance(node, gast.Call) and applied is not None:
            return self.of_call(applied)
        if isinstance(node, gast.Subscript) and not self.depends(node.slice):
            return self.of_part(self.of(node.value), node)
        raise Unknown

    def times(self, moved: Moved | None, number: float) -> Moved | None:
        if moved is not None and moved.kind != SUM:
            raise Unknown
        return moved and Moved(SUM, moved.weight * number, moved.reduced, moved.alone)

    def of_two(self, node: gast.BinOp) -> Moved | None:
        left, right = self.of(node.left), self.of(node.right)
        if left is None and right is None:
            return None
        kind = (left or right).kind  # type: ignore[union-attr]
        if left is not None and right is not None and left.kind != right.kind:
            raise Unknown
        weights = [0.0 if side is None else side.weight for side in (left, right)]
        if isinstance(node.op, (gast.Add, gast.Sub)):
            if kind == PRODUCT:
                if weights[0] != weights[1]:
                    raise Unknown
                weight = weights[0]
            else:
                weight = weights[0] + weights[1] if isinstance(node.op, gast.Add) else weights[0] - weights[1]
        elif kind == PRODUCT and isinstance(node.op, (gast.Mult, gast.Div)):
            weight = weights[0] + weights[1] if isinstance(node.op, gast.Mult) else weights[0] - weights[1]
        else:
            raise Unknown
        return Moved(kind, weight, self.lie((left, node.left), (right, node.right)), all(
            not self.is_active(operand) if side is None else side.alone
            for side, operand in ((left, node.left), (right, node.right))))

    def is_active(self, node: gast.AST) -> bool:
        value = self.facts.values.get(id(node))
        return value is None or value.active

    def lie(self, *operands: tuple[Moved | None, gast.AST]) -> bool:
        """Whether what two operands give lies along the axes that are left; raises Unknown where it is neither."""
        if self.axes is None:
            return False
        reduced = {moved.reduced for moved, _ in operands if moved is not None}
        most = max((self.rank_of(node) for moved, node in operands if moved is None), default=0)
        if reduced == {True} and most <= self.rank - len(self.axes):
            return True
        if most > self.rank or True in reduced and (not self.leads or False not in reduced and most < self.rank):
            raise Unknown
        return False

    def rank_of(self, node: gast.AST) -> int:
        rank = rank_of(self.facts.values[id(node)])
        if rank is None:
            raise Unknown
        return rank

    def of_call(self, applied: Applied) -> Moved | None:
        function, nodes = applied.operation.rule.function, applied.nodes
        operand, *others = nodes.values()
        if any(map(self.depends, others)):
            raise Unknown
        moved = self.of(operand)
        if moved is None:
            return None
        if function in EXPONENTIALS and moved.kind == SUM and not others:
            return Moved(PRODUCT, moved.weight, moved.reduced, moved.alone)
        if function in LOGARITHMS and moved.kind == PRODUCT and not others:
            return Moved(SUM, moved.weight, moved.reduced, moved.alone)
        if function in TOTALS and moved.kind == PRODUCT and not moved.reduced and self.adds_all(applied.operation):
            keeps = self.axes is None or applied.operation.if_known("keepdims") is True
            return Moved(PRODUCT, moved.weight, not keeps, moved.alone)
        raise Unknown

    def adds_all(self, total: Operation) -> bool:
        """Whether a sum goes over the axes of the extremum, and over all that is there."""
        if total.if_known("where") is not True or total.rule.function is np.sum and total.if_known("initial") != 0:
            return False
        given = total.if_known("axis")
        return self.axes is None or isinstance(given, (int, tuple)) and total.axes() == self.axes

    def of_part(self, moved: Moved | None, node: Any) -> Moved | None:
        """Of ``m[:, None]``, and of ``m[:, 0]`` where ``m`` has kept the axis."""
        if moved is None or self.axes is None:
            return moved
        indices = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
        chosen = {place for place, index in enumerate(indices) if not is_whole(index)}
        constants = {getattr(indices[place], "value", ...) for place in chosen}
        if chosen != {*self.axes} or constants != {None if moved.reduced else 0} or len(indices) > self.rank:
            raise Unknown
        return Moved(moved.kind, moved.weight, not moved.reduced, moved.alone)

    # ---- what becomes of it

    def forget(self) -> None:
        """Take the shift, and what is made of it alone, for a constant."""
        facts = self.facts
        alone = {id(node) for node, moved in self.found if moved.alone}
        for key in alone:
            facts.values[key] = passive(facts.values[key])
        for version, moved in self.moved.items():
            if moved.alone:
                version.value = passive(version.value)
        for key, applied in list(facts.applied.items()):
            operation = applied.operation
            changed = {label: passive(operation.operands[label]) for label, node in applied.nodes.items()
                       if id(node) in alone and label in operation.operands}
            if changed or key in alone:
                result = passive(operation.result) if key in alone else operation.result
                facts.applied[key] = Applied(Operation(operation.rule, {**operation.operands, **changed}, result,
                                                       operation.reached), applied.nodes)


def bindings(statement: Any) -> list[tuple[str | None, gast.AST]]:
    """The expressions of a statement, each with the name that it binds to what that gives."""
    if isinstance(statement, Assign):
        target, value = statement.target, statement.value
        if isinstance(target, str):
            return [(target, value)]
        if isinstance(value, gast.Tuple) and len(target) == len(value.elts) and all(isinstance(label, str)
                                                                                    for label in target):
            return list(zip(target, value.elts))
    return [(None, expression) for expression in expressions_in(statement)]


def is_whole(index: Any) -> bool:
    return isinstance(index, gast.Slice) and index.lower is None and index.upper is None and index.step is None
