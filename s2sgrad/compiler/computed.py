"""What formulas mention and the primal computes anyway: ``np.cos(x)``, the derivative of ``np.sin(x)``.

It counts where control comes to both expressions or to none of them: in one block, and not with a way out between.
"""
from __future__ import annotations

from typing import Any

import gast

from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.program import (
    INSIDE,
    Assign,
    Augment,
    Leave,
    Program,
    Store,
    blocks_of,
    expressions_in,
    ordered_children,
)

TAKEN_APART = (gast.BinOp, gast.UnaryOp, gast.Call, gast.keyword, gast.Subscript, gast.Attribute, gast.Tuple,
               gast.List)
"""Expressions all of whose parts are evaluated, once."""


class Computed:
    """The calls in a program, by the function that they call."""

    def __init__(self, program: Program, facts: Facts):
        self.facts = facts
        self.functions = {applied.operation.rule.function for applied in facts.applied.values()}
        self.program = program
        self.calls: dict[Any, list[tuple[gast.AST, Any]]] | None = None
        self.places: dict[Any, tuple[tuple, int, int]] = {}
        """Where a statement stands: its block, behind how many others, and behind how many that have blocks."""

    def find(self, function: Any, operand: gast.AST, statement: Any) -> tuple[gast.AST, Any] | None:
        """A call of a function with the value of an expression, and the statement that it stands in."""
        if function not in self.functions:
            return None
        if self.calls is None:
            self.calls = {}
            self.note(self.program.body)
        if statement not in self.places:
            return None
        block, place, segment = self.places[statement]
        for node, other in self.calls.get(function, ()):
            around, there, also = self.places[other]
            if around is block and (there <= place or also == segment) and self.is_same(
                    node.args[0], other, operand, statement):
                return node, other
        return None

    def note(self, block: tuple) -> None:
        segment = 0
        for place, statement in enumerate(block):
            self.places[statement] = block, place, segment
            if isinstance(statement, (Assign, Augment, Store, Leave)):
                for expression in expressions_in(statement):
                    self.note_calls(expression, statement)
            for inner in blocks_of(statement):
                self.note(inner)
                segment = place + 1

    def note_calls(self, node: gast.AST, statement: Any) -> None:
        if isinstance(node, gast.Call):
            applied = self.facts.applied.get(id(node))
            if applied is not None and applied.operation.rule.elementwise and len(node.args) == 1 and not node.keywords:
                self.calls.setdefault(applied.operation.rule.function, []).append((node, statement))
        if isinstance(node, TAKEN_APART):
            for child in INSIDE[type(node)](node):
                self.note_calls(child, statement)

    def is_same(self, node: gast.AST, statement: Any, other: gast.AST, there: Any) -> bool:
        """Whether two expressions of numbers and arrays are written alike, with names that stand for the same."""
        if type(node) is not type(other) or id(node) in self.facts.passing or id(other) in self.facts.passing:
            return False
        if isinstance(node, gast.Name):
            version = self.facts.before[statement].get(node.id)
            return version is not None and version is self.facts.before[there].get(other.id)
        if isinstance(node, gast.Constant):
            return type(node.value) is type(other.value) and node.value == other.value
        if not isinstance(node, (gast.BinOp, gast.UnaryOp, gast.Subscript)) or type(
                getattr(node, "op", None)) is not type(getattr(other, "op", None)):
            return False
        return all(self.is_same(mine, statement, yours, there) for (_, _, mine), (_, _, yours) in zip(
            ordered_children(node), ordered_children(other)))
