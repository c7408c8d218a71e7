"""Names of views that are exchanged, as what tells these views apart: numbers of rows, bounds of slices, arrays.

``cur, nxt = buf[0], buf[1]`` becomes ``cur_row, nxt_row = 0, 1``, ``cur, nxt = nxt, cur`` exchanges the numbers, and
what reads ``cur`` reads ``buf[cur_row]``: the array has one name, and its cotangent is in one place. Of ``a[1:-1]`` and
``b[1:-1]`` the arrays are exchanged. Nothing but the text changes, and whether the writes may be reversed is found out
about the new text. It is tried only once a program was refused as it stands.
"""
from __future__ import annotations

import copy
import functools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import gast

from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.facts import Facts, Version, is_around, is_array, is_array_value, made_from, open_path, origins
from s2sgrad.compiler.nodes import Names, attribute, constant, holder, name, names_in, subscript, tuple_of
from s2sgrad.compiler.pieces import is_count
from s2sgrad.compiler.program import (
    Assign,
    Augment,
    Program,
    assigned_names,
    expressions_in,
    pattern_names,
    statements,
    with_blocks,
)
from s2sgrad.compiler.respell import assigned, changed, located
from s2sgrad.compiler.scopes import COMPREHENSIONS, bound_names


class Unfit(Exception):
    """Names stand for something else than views that are told apart by a few numbers."""


@dataclass
class Slot:
    """A part of the expression of a view that is another in others: what is in it is known by a name for each."""

    kind: str
    axis: int = -1
    """The place in the index; -1: the array itself."""


def by_row(program: Program, facts: Facts, labels: Iterable[str]) -> Program | None:
    """The program with numbers for the views that some names stand for, and all that these are exchanged with; None
    where they stand for something else."""
    try:
        rows = _Rows(program, facts, set(labels))
        return replace(program, body=rows.block(program.body), names=program.names | rows.fresh.taken)
    except Unfit:
        return None


class _Rows:
    def __init__(self, program: Program, facts: Facts, labels: set[str]):
        self.program = program
        self.facts = facts
        self.bound: dict[str, list[gast.AST]] = {}
        """For each name what it is bound to."""
        for statement in statements(program.body):
            if isinstance(statement, Assign):
                for target, value in self.pairs(statement):
                    self.bound.setdefault(target, []).append(value)
        found = self.exchanged(labels)
        self.views: list[Any] = [view for label in sorted(found) for node in self.bound[label]
                                 for view in arms(node) if isinstance(view, gast.Subscript)]
        self.slots = self.slots_of() if self.views else []
        if not self.slots:
            raise Unfit
        self.fresh = Names(program.names | set(facts.given) | facts.reserved)
        self.labels = {label: [self.fresh.fresh(f"{label}_{slot.kind}") for slot in self.slots]
                       for label in sorted(found)}
        self.check()

    def pairs(self, statement: Assign) -> list[tuple[str, gast.AST]]:
        """The names that a statement binds, each with what it is bound to, as far as that is written out or a row of an
        array that is unpacked."""
        found: list[tuple[str, gast.AST]] = []
        target: Any
        for target, value in assigned(statement.target, statement.value):
            if isinstance(target, str):
                found.append((target, value))
            elif all(isinstance(part, str) for part in target) and is_dotted(value) and self.is_array(value):
                found += [(part, located(subscript(copy.deepcopy(value), constant(number)), value))
                          for number, part in enumerate(target)]
        return found

    def is_array(self, node: gast.AST) -> bool:
        return is_array_value(self.facts.values.get(id(node)))

    # ---- which

    def exchanged(self, labels: set[str]) -> set[str]:
        """The names, and those that they are bound to, of views."""
        found: set[str] = set()
        pending = [label for label in labels if any(
            isinstance(view, gast.Subscript) for node in self.bound.get(label, ()) for view in arms(node))]
        while pending:
            label = pending.pop()
            if label not in found:
                found.add(label)
                pending += [view.id for node in self.bound.get(label, ()) for view in arms(node)
                            if isinstance(view, gast.Name)]
                pending += [other for other, nodes in self.bound.items() for node in nodes for view in arms(node)
                            if isinstance(view, gast.Name) and view.id == label]
        for node in [node for label in found for node in self.bound.get(label, [None])]:
            for view in arms(node):
                if not (isinstance(view, gast.Name) or isinstance(view, gast.Subscript) and is_dotted(view.value) and (
                        self.is_array(view.value) or id(view.value) not in self.facts.values)) \
                        or self.facts.is_picked(view):
                    raise Unfit
        return found

    def slots_of(self) -> list[Slot]:
        """The parts of the views that are not the same in all of them.

        Raises
        ------
        Unfit
            These are no numbers.
        """
        first, *others = [[*map(self.form, index_of(view))] for view in self.views]
        if any(forms != first for forms in others):
            raise Unfit
        slots = [Slot("array")] + [Slot(kind, axis) for axis, part in enumerate(index_of(self.views[0])) for kind in (
            ("start", "stop") if isinstance(part, gast.Slice) else ("row",))]
        return [slot for slot in slots if not self.is_fixed([part_in(view, slot) for view in self.views], slot)]

    def form(self, part: Any) -> str:
        """What parts of an index must have in common."""
        if isinstance(part, gast.Slice):
            bounds = [bound for bound in (part.lower, part.upper) if bound is not None]
            if part.step is None and all(map(self.is_integer, bounds)):
                return "slice"
        elif self.is_integer(part):
            return "number"
        if not is_literal(part):
            raise Unfit
        return gast.dump(part)

    def is_fixed(self, parts: list, slot: Slot) -> bool:
        """Whether a part is the same in all views, and stays it."""
        texts = {"" if part is None else gast.dump(part) for part in parts}
        return len(texts) == 1 and (slot.kind == "array" or parts[0] is None or is_literal(parts[0]))

    def is_integer(self, node: gast.AST) -> bool:
        return isinstance(node, gast.Constant) and type(node.value) is int or is_count(self.facts.values.get(id(node)))

    def check(self) -> None:
        """Raises Unfit where an array may be another one by the time that a view is read, or a name no view."""
        program, facts = self.program, self.facts
        versions: set[Version] = set()
        environments = (*facts.before.values(), *facts.heads.values(), *facts.beyond.values())
        for environment in environments:
            versions.update(environment[label] for label in self.labels if label in environment)
        others = [statement for statement in statements(program.body) if not isinstance(statement, (Assign, Augment))]
        bound_otherwise = {label for statement in others for label in assigned_names(
            (with_blocks(statement, no_block),), written=False)}
        if not all(map(is_array, versions)) or not self.labels.keys().isdisjoint(
                {*program.parameters, *program.inner, *program.bound, *bound_otherwise}):
            raise Unfit
        if self.slots[0].kind != "array":
            around, path = holder(self.views[0]), open_path(self.views[0].value, facts)
            stays = {version for environment in environments if around in environment
                     for version in made_from(environment[around])}
            if len({origin for version in stays for origin in origins(version)}) != 1 or path and any(
                    map(functools.partial(may_rebind, path), stays)):
                raise Unfit
        for statement in statements(program.body):
            if isinstance(statement, Assign) and not self.labels.keys().isdisjoint(
                    set(pattern_names(statement.target)) - {label for label, _ in self.pairs(statement)}):
                raise Unfit
            for expression in expressions_in(statement):
                if any(map(self.hides, gast.walk(expression))):
                    raise Unfit

    def hides(self, node: Any) -> bool:
        """Whether an expression reads views where they are not to be told, or asks which they are."""
        if isinstance(node, COMPREHENSIONS):
            return any(not self.labels.keys().isdisjoint(bound_names(each.target)) for each in node.generators)
        asks = isinstance(node, gast.Compare) and any(isinstance(part, (gast.Is, gast.IsNot)) for part in node.ops)
        return (asks or isinstance(node, (gast.Lambda, gast.FunctionDef))) and not self.labels.keys().isdisjoint(
            names_in(node))

    # ---- how

    def block(self, body: tuple) -> tuple:
        return tuple(map(self.statement, body))

    def statement(self, statement: Any) -> Any:
        if isinstance(statement, Assign) and not self.labels.keys().isdisjoint(pattern_names(statement.target)):
            pairs: list = []
            for target, value in self.pairs(statement):
                pairs += zip(self.labels[target], map(self.read, self.told(value))) if target in self.labels else [
                    (target, self.read(value))]
            if len(pairs) == 1:
                return replace(statement, target=pairs[0][0], value=pairs[0][1])
            return replace(statement, target=tuple(target for target, _ in pairs), value=gast.copy_location(
                tuple_of([value for _, value in pairs]), statement.value))
        statement = with_blocks(statement, self.block)
        writes = getattr(statement, "writes", ())
        if not self.labels.keys().isdisjoint(writes):
            statement = replace(statement, writes=tuple(
                holder(self.view(label)) if label in self.labels else label for label in writes))
        return self.read(statement)

    def told(self, node: Any) -> list[gast.AST]:
        """What tells the view that an expression gives from others."""
        if isinstance(node, gast.Name):
            return [gast.copy_location(name(label), node) for label in self.labels[node.id]]
        if isinstance(node, gast.Subscript):
            return [self.bound_of(node, slot) for slot in self.slots]
        if len(self.slots) > 1 and has_effect(node.test, self.facts):
            raise Unfit
        return [gast.copy_location(gast.IfExp(copy.deepcopy(node.test), *arms_), node)
                for arms_ in zip(self.told(node.body), self.told(node.orelse))]

    def bound_of(self, view: Any, slot: Slot) -> gast.AST:
        part = part_in(view, slot)
        if part is not None:
            return part
        return located(constant(0) if slot.kind == "start" else subscript(attribute(
            copy.deepcopy(view.value), "shape"), constant(self.axis_of(view, slot))), view)

    def axis_of(self, view: Any, slot: Slot) -> int:
        """The axis of the array for which a part of an index stands; that may have ``...`` on one side."""
        index = index_of(view)
        single = [isinstance(part, gast.Slice) or self.is_integer(part) for part in index]
        if all(single[:slot.axis]):
            return slot.axis
        if not all(single[slot.axis:]) or not any(getattr(part, "value", None) is ... for part in index):
            raise Unfit
        return slot.axis - len(index)

    def read(self, part: Any) -> Any:
        """An expression or a statement with views in the place of their names."""
        nodes = expressions_in(part) if not isinstance(part, gast.AST) else [part]
        found = {id(node): self.view(node.id) for whole in nodes for node in gast.walk(whole)
                 if isinstance(node, gast.Name) and node.id in self.labels}
        return changed(part, found) if found else part

    def view(self, label: str) -> Any:
        """The expression of the view that a name stands for."""
        view: Any = copy.deepcopy(self.views[0])
        index = index_of(view)
        for slot, part in zip(self.slots, map(name, self.labels[label])):
            if slot.kind == "array":
                view.value = part
            elif slot.kind == "row":
                index[slot.axis] = part
            else:
                setattr(index[slot.axis], {"start": "lower", "stop": "upper"}[slot.kind], part)
        view.slice = tuple_of(index) if len(index) > 1 else index[0]
        return view


def arms(node: Any) -> list[Any]:
    """An expression, or those of which a ternary gives one."""
    return arms(node.body) + arms(node.orelse) if isinstance(node, gast.IfExp) else [node]


def index_of(view: Any) -> list[Any]:
    return list(view.slice.elts) if isinstance(view.slice, gast.Tuple) else [view.slice]


def part_in(view: Any, slot: Slot) -> Any:
    """What a view has in a slot; None for a bound that is not written."""
    if slot.kind == "array":
        return view.value
    part = index_of(view)[slot.axis]
    return part if slot.kind == "row" else part.lower if slot.kind == "start" else part.upper


def may_rebind(path: tuple, version: Version) -> bool:
    """Whether the change that made a version may have put something else where a path leads."""
    return bool(version.sources) and version.origin != "joined" and (
        version.places is None or any(is_around(place, path) for place in version.places))


def is_dotted(node: Any) -> bool:
    """Whether an expression is a name, or leads from one to an attribute by attributes alone."""
    while isinstance(node, gast.Attribute):
        node = node.value
    return isinstance(node, gast.Name)


def is_literal(node: gast.AST) -> bool:
    """Whether an expression is the same wherever it stands: it reads no name."""
    return not any(isinstance(part, (gast.Name, gast.Call)) for part in gast.walk(node))


def no_block(block: tuple) -> tuple:
    """In place of each block of a statement, so that only what the statement itself does is looked at."""
    return ()
