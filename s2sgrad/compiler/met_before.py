"""Expressions that are written alike in several places of a primal and give the same: computed and saved once.

The first of them in the order of the program keeps its value, ``difference = x - mu``; those behind it are read by that
name, also where nobody asks for their own value. What is the same in all turns of a loop is computed before the loop.
"""
from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.adjoint_values import AdjointValues
from s2sgrad.compiler.algebra import is_number
from s2sgrad.compiler.computed import evaluated, places_of
from s2sgrad.compiler.facts import Version
from s2sgrad.compiler.nodes import INSIDE, ordered_children
from s2sgrad.compiler.program import Append, Assign, Augment, Evaluate, Leave, Loop, Store, mentioned
from s2sgrad.compiler.sharing import fragile
from s2sgrad.rules.abstract import Known, Numeric

WRITTEN = (gast.Name, gast.Attribute, gast.Subscript, gast.Slice, gast.BinOp, gast.UnaryOp, gast.Tuple)
"""Kinds of expressions of which the second one gives what the first does."""
COMPUTING = (gast.BinOp, gast.UnaryOp, gast.Call)
"""Those of which others that are written alike are read by the name of the first."""
STRAIGHT = (Assign, Augment, Store, Append, Evaluate, Leave)
"""Statements without blocks."""
MOST = 1e290
"""What is smaller than this takes no double over the largest one: the half of a unit in its last place is larger."""


class MetBefore(AdjointValues):
    """The part of the operands that knows expressions again."""

    saved_by: Callable[..., Loop | None]

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        self.mentions: dict[Any, frozenset[str]] = {}
        """The names in statements, as far as that was asked."""
        self.on_the_way: dict[Any, dict[Any, list[gast.AST]]] = {}
        """What statements compute on the way, by what is alike for expressions that are written alike."""

    def met_first(self, node: gast.AST, statement: Any) -> gast.AST:
        """The first of the expressions that are written alike, as in ``x[i] * x[i]``, in a statement or in those before
        it in its block."""
        part = isinstance(node, gast.Subscript)
        if not part and self.facts.passing:
            return node  # a call in the statement may change what is read
        written = self.written(node, part)
        if written is None:
            return node
        key = statement, written
        first = self.captures.same.get(key)
        if first is None:
            first = self.captures.same[key] = self.before_and_behind(node, statement, written)
        if first is not node:
            self.captures.again[id(node)] = first
        return first

    def before_and_behind(self, node: gast.AST, statement: Any, written: tuple) -> gast.AST:
        """The first of those in other statements of the block, of which all that come later are then read by its name;
        or the expression itself."""
        if self.captures.saved is not None or not isinstance(node, COMPUTING) or self.facts.passing:
            return node
        before = self.before_loop(node, statement, written) if self.loops else None
        if before is not None:
            return before
        versions = self.lasting_names(node, statement)
        if versions is None or statement not in self.statements_around:
            return node
        alike = [(other, found) for found in self.statements_around[statement]
                 if isinstance(found, STRAIGHT) and versions.keys() <= self.mentioned_in(found)
                 and all(self.facts.before[found].get(label) is version for label, version in versions.items())
                 for other in self.parts_in(found).get(written, ())]
        if not alike or self.statements_around[statement].index(alike[0][1]) > self.statements_around[
                statement].index(statement):  # as of what is evaluated in one case only
            return node
        first, place = alike[0]
        for other, found in alike:
            self.captures.same[found, written] = first
            if other is not first:
                self.captures.again[id(other)] = first
                self.captures.read_again.add(found)
        self.captures.made_in[id(first)] = place
        return first

    def before_loop(self, node: gast.AST, statement: Any, written: tuple) -> gast.AST | None:
        """A number that is the same in all turns of a loop, as an expression before that; None where it is not, or
        where computing it before a loop without turns might raise what the function does not."""
        block = self.saved_by(node, statement)
        if block is self.block or self.harmless(node) is None:
            return None
        loop = next(inner for outer, inner in zip((None, *self.loops), self.loops) if outer is block)
        if (loop, written) not in self.captures.same:
            made = self.captures.same[loop, written] = copy.copy(node)
            self.facts.made.append(made)
            self.facts.values[id(made)] = self.facts.values[id(node)]
            if id(node) in self.facts.applied:
                self.facts.applied[id(made)] = self.facts.applied[id(node)]
            self.captures.made_in[id(made)] = loop
        self.captures.again[id(node)] = self.captures.same[loop, written]
        self.captures.read_again.add(statement)
        return self.captures.same[loop, written]

    def harmless(self, node: gast.AST) -> str | None:
        """The kind of the number that arithmetic gives which can neither raise anything nor warn: ``"i"`` or ``"f"`` of
        Python's, ``"s"`` of NumPy's; else None."""
        if isinstance(node, gast.Constant):
            return {int: "i", float: "f"}.get(type(node.value)) if is_number(node) and abs(node.value) < MOST else None
        if isinstance(node, gast.Name):
            known = self.facts.values.get(id(node))
            if not isinstance(known, Numeric) or not known.is_number or known.mixed or known.dtype is None:
                return None
            if known.kind == "python":
                return known.dtype.kind if known.dtype.kind in "if" else None
            return "s" if known.dtype == np.float64 else None
        if isinstance(node, gast.UnaryOp):
            return self.harmless(node.operand) if isinstance(node.op, (gast.USub, gast.UAdd)) else None
        if not isinstance(node, gast.BinOp) or not isinstance(node.op, (gast.Add, gast.Sub, gast.Mult, gast.Div)):
            return None
        left, right = self.harmless(node.left), self.harmless(node.right)
        literal = isinstance(node.left, gast.Constant) or isinstance(node.right, gast.Constant)
        if left is None or right is None:
            return None
        if "s" in (left, right):  # of which the sum of two large ones makes NumPy warn
            named = isinstance(node.left, gast.Name) or isinstance(node.right, gast.Name)
            return "s" if literal and named and isinstance(node.op, (gast.Add, gast.Sub)) else None
        if isinstance(node.op, gast.Div):
            return "f" if left == "f" and isinstance(node.right, gast.Constant) and node.right.value else None
        return left if left == right else "f" if literal else None  # a large integer is no float

    @functools.cached_property
    def statements_around(self) -> dict[Any, tuple]:
        """For each statement those of its block."""
        return {statement: block for statement, (block, _, _) in places_of(self.program.body).items()}

    def mentioned_in(self, statement: Any) -> frozenset[str]:
        if statement not in self.mentions:
            self.mentions[statement] = mentioned(statement)
        return self.mentions[statement]

    def parts_in(self, statement: Any) -> dict[Any, list[gast.AST]]:
        """What a statement computes on the way, found once: there may be many such expressions in each of many."""
        if statement not in self.on_the_way:
            found = self.on_the_way[statement] = {}
            for node in evaluated(statement.value):
                if isinstance(node, COMPUTING) and not (isinstance(statement, Assign) and statement.value is node):
                    found.setdefault(self.written(node, False), []).append(node)
        return self.on_the_way[statement]

    def lasting_names(self, node: gast.AST, statement: Any) -> dict | None:
        """The versions of the numbers and arrays that an expression is made of, where nothing writes into these, and
        the names of modules; None where it is made of others, too."""
        environment = self.facts.before[statement]
        versions = {}
        pending = [node]
        while pending:
            inner = pending.pop()
            pending += INSIDE[type(inner)](inner)
            if not isinstance(inner, gast.Name):
                continue
            version = versions[inner.id] = environment.get(inner.id)
            if version is None and isinstance(self.facts.values.get(id(inner)), Known):
                continue
            if version is None or version.unbound or not isinstance(version.value, Numeric) or not (
                    version.value.is_number or version not in self.all_fragile()):
                return None
        return versions

    def all_fragile(self) -> set[Version]:
        """The versions that are saved as copies."""
        if self.fragile is None:
            self.fragile = set().union(*fragile(self.program, self.facts, True, self.facts.called))
        return self.fragile

    def written(self, node: gast.AST, part: bool) -> Any:
        """What is alike for expressions that are written alike, of which evaluating one more does nothing; None for any
        other. ``part``: of something, and not what is computed of attributes, which calls may change."""
        if id(node) in self.facts.passing:
            return None
        if isinstance(node, gast.Attribute) and not part and not isinstance(
                self.facts.values.get(id(node.value)), Numeric):
            return None
        if isinstance(node, gast.Constant):
            return type(node.value), node.value
        applied = self.facts.applied.get(id(node))
        if isinstance(node, gast.Call):
            if part or applied is None or not applied.operation.rule.elementwise or node.keywords:
                return None
        elif not isinstance(node, WRITTEN):
            return None
        parts = []
        for field, _, child in ordered_children(node):
            if field == "func" and isinstance(self.facts.values.get(id(child)), Known):  # and no method
                found = id(applied.operation.rule)
            else:
                found = self.written(child, part)
            if found is None:
                return None
            parts.append((field, found))
        word = getattr(node, "id", None) or getattr(node, "attr", None) or type(getattr(node, "op", None))
        return type(node), word, *parts
