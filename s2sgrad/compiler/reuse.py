"""Memory used again: an adjoint's large arrays written over once nothing reads them any more.

``t = 2.0 * a * b`` becomes ``t = a; t *= 2.0; t *= b`` where ``a`` is an array of t's shape and dtype that nobody else
has and nothing reads afterwards: made by this adjoint, or made by the primal and saved for this adjoint alone. Large
arrays gain much by it, for the system clears the memory that it gives to new ones; small ones would only get more text.
"""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.captures import Captures
from s2sgrad.compiler.facts import Facts, Version, with_joins
from s2sgrad.compiler.nodes import change, name, names_in, ordered_children, rebuilt
from s2sgrad.compiler.operands import Operands
from s2sgrad.compiler.ownership import MEASURES, own_names
from s2sgrad.compiler.program import Assign, Augment, Branch, Loop, Program, expressions_in, pattern_names, statements
from s2sgrad.errors import Location
from s2sgrad.rules.abstract import Numeric

COMMUTATIVE = (gast.Add, gast.Mult)
IN_PLACE = (*COMMUTATIVE, gast.Sub, gast.Div)
EAGER = (gast.BinOp, gast.UnaryOp, gast.Call, gast.Attribute, gast.Subscript, gast.Tuple, gast.List)
"""Expressions all of whose parts are evaluated, whatever these are."""


# ---- what the primal saves for its adjoint alone

def saved_alone(program: Program, facts: Facts, captures: Captures) -> set[str]:
    """The saved arrays that the primal made itself and handed to nobody: their names in the adjoint."""
    return _Saved(program, facts).names(captures)


class _Saved:
    def __init__(self, program: Program, facts: Facts):
        self.facts = facts
        self.parents: dict[int, list[gast.AST | None]] = {}
        self.mentions: dict[str, list[gast.AST]] = {}
        for statement in statements(program.body):
            for expression in expressions_in(statement):
                self.visit(expression, None)
        environments = (*facts.before.values(), *facts.heads.values(), *facts.after.values())
        versions = with_joins({*facts.defined.values(), *(found for each in environments for found in each.values())})
        self.joined = {source for version in versions for source in version.sources}

    def visit(self, node: gast.AST, parent: gast.AST | None) -> None:
        self.parents.setdefault(id(node), []).append(parent)
        if isinstance(node, gast.Name):
            self.mentions.setdefault(node.id, []).append(node)
        for child in gast.iter_child_nodes(node):
            self.visit(child, parent if isinstance(node, gast.keyword) else node)

    def names(self, captures: Captures) -> set[str]:
        slots = list(captures.table.values())
        saved = [slot.subject.name for slot in slots if slot.kind == "version"]
        parts = {slot.name for slot in slots if slot.kind == "part" and self.is_own(slot.subject)}
        return parts | {slot.name for slot in slots if slot.kind == "version" and saved.count(slot.subject.name) == 1
                        and self.has_one_name(slot.subject)}

    def is_own(self, node: gast.AST) -> bool:
        """Whether an expression makes a new array, which the expression around it only reads."""
        return id(node) in self.parents and self.is_new(node) and self.is_only_read(node)  # else it is a number

    def has_one_name(self, version: Version) -> bool:
        """Whether a value is a new array that has one name, under which it is only read."""
        made = [statement for (statement, _), found in self.facts.defined.items() if found is version]
        return (len(made) == 1 and isinstance(made[0], Assign) and isinstance(made[0].target, str)
                and self.is_new(made[0].value) and version not in self.joined and version not in self.facts.rewritten
                and all(map(self.is_only_read, self.mentions.get(version.name, ()))))

    def is_new(self, node: gast.AST | None) -> bool:
        """Whether an expression makes new memory, and so hands on none of its operands'."""
        applied = self.facts.applied.get(id(node))
        return applied is not None and applied.operation.sharing == "fresh"

    def is_only_read(self, node: gast.AST) -> bool:
        return all(map(self.reads, self.parents[id(node)]))

    def reads(self, parent: gast.AST | None) -> bool:
        """Whether an expression only reads the array that is one of its parts."""
        if isinstance(parent, gast.Attribute):
            return parent.attr in MEASURES or all(
                isinstance(call, gast.Call) and call.func is parent and self.is_new(call)
                for call in self.parents[id(parent)])
        return isinstance(parent, gast.Compare) or self.is_new(parent)


# ---- the adjoint

def reused(program: Program, operands: Operands, saved: set[str]) -> Program:
    """The adjoint with dead arrays written over. ``saved``: the names of saved values that it may write over too."""
    return _Reuse(program, operands, saved).run()


class _Reuse:
    def __init__(self, program: Program, operands: Operands, saved: set[str]):
        self.program = program
        self.operands = operands
        self.owned = own_names(program.body, operands, program.parameters, saved)
        self.dead: set[str] = set()
        """The owned names that the statement at hand mentions once, and nothing reads after it."""
        self.lines: list = []
        """What is to stand before the statement at hand."""

    def run(self) -> Program:
        body, _ = self.block(self.program.body, frozenset())
        return replace(self.program, body=body)

    # ---- statements, last to first, with the names that are read after each

    def block(self, body: tuple, live: frozenset[str]) -> tuple[tuple, frozenset[str]]:
        result: list = []
        for statement in reversed(body):
            lines, live = self.statement(statement, live)
            result.extend(reversed(lines))
        return tuple(reversed(result)), live

    def statement(self, statement: Any, live: frozenset[str]) -> tuple[list, frozenset[str]]:
        """The statement, rewritten, and the names that are read from it on."""
        if isinstance(statement, Loop):
            bound = set(pattern_names(statement.target or ()))
            live |= set(names_in(statement.iterable))
            while True:
                body, inside = self.block(statement.body, live)
                if inside - bound <= live:
                    return [replace(statement, body=body)], live
                live |= inside - bound
        if isinstance(statement, Branch):
            (then, first), (orelse, second) = self.block(statement.then, live), self.block(statement.orelse, live)
            return [replace(statement, then=then, orelse=orelse)], first | second | set(names_in(statement.test))
        if isinstance(statement, Assign):
            live -= set(pattern_names(statement.target))
        mentioned = [label for expression in expressions_in(statement) for label in names_in(expression)]
        self.dead = {label for label in mentioned if mentioned.count(label) == 1} & self.owned - live
        self.lines = []
        return (self.in_place(statement) if self.dead else [statement]), live | set(mentioned)

    def in_place(self, statement: Any) -> list:
        """The statement behind those that write over arrays which it was the last to read."""
        array, steps = self.steps(statement.value)
        if steps and isinstance(statement, Assign) and isinstance(statement.target, str):
            target = statement.target
            if target == array or target not in names_in(statement.value):
                if target != array:
                    self.lines.append(Assign(target, name(array), statement.location))
                self.update(target, steps, statement.location)
                return self.lines
        value = self.hoisted(statement.value, statement.location)
        return [*self.lines, replace(statement, value=value)]

    # ---- expressions

    def hoisted(self, node: gast.AST, location: Location) -> gast.AST:
        """An expression whose parts that can be computed in place are computed before it."""
        array, steps = self.steps(node)
        if steps:
            self.update(array, steps, location)
            return name(array)
        if not isinstance(node, EAGER):
            return node
        changes: dict[str, Any] = {}
        for part, place, child in ordered_children(node):
            new = self.hoisted(child, location)
            if new is not child:
                change(node, part, place, new, changes)
        return rebuilt(node, changes)

    def update(self, array: str, steps: list, location: Location) -> None:
        for operator, operand in steps:
            value = self.hoisted(operand, location)
            self.lines.append(Augment(name(array), operator, value, location))

    def steps(self, node: gast.AST) -> tuple[str, list]:
        """The array in which an expression can be computed, and the operators and operands that do so one by one; none
        of these where there is no such array."""
        if isinstance(node, gast.Name) and node.id in self.dead:
            return node.id, []
        if isinstance(node, gast.BinOp) and isinstance(node.op, IN_PLACE):
            sides = [(node.left, node.right)]
            if isinstance(node.op, COMMUTATIVE):
                sides.append((node.right, node.left))
            for inner, operand in sides:
                array, steps = self.steps(inner)
                if array and self.fits(node, array):
                    return array, [*steps, (node.op, operand)]
        return "", []

    def fits(self, node: gast.AST, array: str) -> bool:
        """Whether an expression's value is known to have an array's shape and dtype."""
        if not self.operands.unsteady.isdisjoint(names_in(node)):
            return False
        value, found = self.operands.evaluate(node), self.operands.evaluate(name(array))
        if not (isinstance(value, Numeric) and isinstance(found, Numeric) and value.kind == found.kind == "array"):
            return False
        if not found.shape or None in found.shape or found.dtype is None:
            return False
        return value.shape == found.shape and value.dtype == found.dtype and found.dtype.kind == "f"
