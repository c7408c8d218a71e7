"""What formulas mention and the primal computes anyway: ``np.cos(x)``, the derivative of ``np.sin(x)``; the mean that
a variance is taken about, and the differences from it.

It counts where control comes to both expressions or to none of them: in one block, and not with a way out between.
"""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.facts import Applied, Facts
from s2sgrad.compiler.nodes import INSIDE, ordered_children
from s2sgrad.compiler.program import Assign, Augment, Leave, Program, Store, blocks_of, expressions_in
from s2sgrad.rules.abstract import MISSING

TAKEN_APART = (gast.BinOp, gast.UnaryOp, gast.Call, gast.keyword, gast.Subscript, gast.Attribute, gast.Tuple,
               gast.List)
"""Expressions all of whose parts are evaluated, once."""


def evaluated(node: gast.AST | None) -> Iterator[gast.AST]:
    """An expression, if there is one, and its parts that are evaluated in any case, once."""
    pending = [] if node is None else [node]
    while pending:
        inner = pending.pop()
        yield inner
        if isinstance(inner, TAKEN_APART):
            pending += INSIDE[type(inner)](inner)[::-1]


class Computed:
    """The calls in a program, by the function that they call; of which those may be taken that come later, if all of
    the program has run by then.
    """

    def __init__(self, program: Program, facts: Facts, has_run: bool):
        self.facts = facts
        self.has_run = has_run
        self.functions = {applied.operation.rule.function for applied in facts.applied.values()}
        self.program = program
        self.calls: dict[Any, list[tuple[gast.AST, Any]]] = {}
        self.means: list[tuple[gast.AST, Any]] = []
        self.differences: list[tuple[gast.BinOp, Any]] = []
        self.places = places_of(program.body)
        for statement in self.places:
            if isinstance(statement, (Assign, Augment, Store, Leave)):
                for expression in expressions_in(statement):
                    self.note_calls(expression, statement)

    def find(self, function: Any, operand: gast.AST, statement: Any) -> tuple[gast.AST, Any] | None:
        """A call of a function with the value of an expression, and the statement that it stands in."""
        for node, other in self.calls.get(function, ()):
            if self.is_there(other, statement) and self.is_same(node.args[0], other, operand, statement):
                return node, other
        return None

    def mean(self, variance: Applied, statement: Any) -> tuple[gast.AST, Any] | None:
        """The mean of what a variance is taken of, over the same axes, where it spreads to these by itself."""
        for node, other in self.means:
            found = self.facts.applied[id(node)]
            if self.is_there(other, statement) and spreads(found) \
                    and found.operation.axes() == variance.operation.axes() \
                    and self.is_same(found.nodes["a"], other, variance.nodes["a"], statement):
                return node, other
        return None

    def difference(self, variance: Applied, statement: Any) -> tuple[gast.AST, Any] | None:
        """What is left of that where the mean is taken off."""
        found = self.mean(variance, statement)
        if found is None:
            return None
        bound = self.facts.defined.get((found[1], found[1].target)) if isinstance(
            found[1], Assign) and isinstance(found[1].target, str) and found[1].value is found[0] else None
        for node, other in self.differences:
            mean = node.right
            is_mean = mean is found[0] or bound is not None and isinstance(
                mean, gast.Name) and self.facts.before[other].get(mean.id) is bound
            if is_mean and id(mean) not in self.facts.passing and self.is_there(other, statement) and self.is_same(
                    node.left, other, variance.nodes["a"], statement):
                return node, other
        return None

    def is_there(self, other: Any, statement: Any) -> bool:
        """Whether control comes to another statement where it comes to this one."""
        if statement not in self.places:
            return False
        block, place, segment = self.places[statement]
        around, there, also = self.places[other]
        return around is block and (there <= place or self.has_run and also == segment)

    def note_calls(self, node: gast.AST, statement: Any) -> None:
        applied = self.facts.applied.get(id(node)) if isinstance(node, (gast.Call, gast.BinOp)) else None
        if isinstance(node, gast.BinOp):
            if isinstance(node.op, gast.Sub) and applied is not None:
                self.differences.append((node, statement))
        elif applied is not None:
            rule = applied.operation.rule
            if rule.elementwise and len(node.args) == 1 and not node.keywords:
                self.calls.setdefault(rule.function, []).append((node, statement))
            elif rule.function is np.mean:
                self.means.append((node, statement))
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


def places_of(block: tuple) -> dict[Any, tuple[tuple, int, int]]:
    """Where each statement stands: its block, behind how many others, and behind how many up to one that has blocks."""
    places: dict[Any, tuple[tuple, int, int]] = {}
    segment = 0
    for place, statement in enumerate(block):
        places[statement] = block, place, segment
        for inner in blocks_of(statement):
            places.update(places_of(inner))
            segment = place + 1
    return places


def spreads(mean: Applied) -> bool:
    """Whether a mean of all elements along its axes has the axes that it needs to be taken off these."""
    operation = mean.operation
    if operation.if_known("axis") is MISSING or operation.if_known("where") is not True or operation.given("dtype"):
        return False
    axes = operation.axes()
    return axes is None or axes == tuple(range(len(axes))) or operation.if_known("keepdims") is True
