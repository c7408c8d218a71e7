"""Expressions for several tangents at once, stacked along a new first axis; see ``stacked.py``."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.facts import Facts, Version
from s2sgrad.compiler.helpers import Helpers
from s2sgrad.compiler.indexing import BASIC
from s2sgrad.compiler.nodes import (
    Names,
    attribute,
    call,
    change,
    constant,
    name,
    names_in,
    ordered_children,
    rebuilt,
    subscript,
    tuple_of,
)
from s2sgrad.compiler.stacking import IN_PARTS, STACKED, is_elementwise
from s2sgrad.compiler.tangent_state import versions_with_tangents
from s2sgrad.rules.abstract import MISSING, Abstract, Items, Known, Numeric, known_value, slice_bounds
from s2sgrad.rules.table import Operation

SHAPES = ("shape", "ndim", "size", "dtype")
SHAPE_FUNCTIONS = (np.shape, np.ndim, np.size, len, np.zeros_like, np.ones_like, np.empty_like)
"""What asks for an array's form alone."""


class Unstackable(Exception):
    """Here nothing tells what several tangents at once would give."""


class StackedValues:
    """The expressions of one function's statements.

    Attributes
    ----------
    count
        The parameter that holds the number of tangents.
    needed
        The versions of names that have the axis.
    """

    def __init__(self, facts: Facts, helpers: Helpers, names: Names):
        self.facts = facts
        self.helpers = helpers
        self.names = names
        self.count = names.fresh("count")
        self.needed: set[Version] = versions_with_tangents(facts)
        self.statement: Any = None

    def is_stacked(self, labels: Iterable[str]) -> bool:
        environment = self.facts.before[self.statement]
        return any(environment.get(label) in self.needed for label in labels)

    def part(self, node: gast.AST, value: Abstract) -> gast.AST:
        """An expression as a container or a parameter takes it, of which this is known."""
        if not fits(self.facts.values[id(node)], value):
            raise Unstackable("parts that depend on tangents on some paths only")
        return self.whole(node) if value.active else self.plain(node)

    def whole(self, node: gast.AST) -> gast.AST:
        """An expression that has to have the axis: what does not depend on the tangents is repeated."""
        found = self.facts.values[id(node)]
        if found.active:
            return self.stacked(node)
        if isinstance(found, Known):  # None, which is nothing to compute with
            return self.plain(node)
        if isinstance(found, Items) and found.items == ():
            return self.plain(node)
        if isinstance(node, gast.Name) and self.is_stacked([node.id]):
            return node
        if isinstance(found, Items):
            raise Unstackable("a container without tangents")
        return call(self.helpers.helper("repeated"), self.plain(node), name(self.count))

    def plain(self, node: Any) -> gast.AST:
        """An expression that does not depend on the tangents: of an array with the axis it asks for the form alone."""
        if not self.is_stacked(names_in(node)):
            return node
        if isinstance(node, gast.Compare) and isinstance(node.ops[0], (gast.Is, gast.IsNot)) and all(
                isinstance(part, (gast.Name, gast.Constant)) for part in (node.left, *node.comparators)):
            return node
        if isinstance(node, (gast.Name, gast.Lambda, gast.ListComp, gast.GeneratorExp, gast.SetComp, gast.DictComp)):
            raise Unstackable("a passive expression reads what has the axis")
        if isinstance(node, gast.Attribute) and node.attr in SHAPES:
            return attribute(self.first(node.value), node.attr)
        if isinstance(node, gast.Call) and known_value(self.facts.values.get(id(node.func), Known(None))) \
                in SHAPE_FUNCTIONS and len(node.args) == 1:
            return gast.Call(node.func, [self.first(node.args[0])], [
                gast.keyword(item.arg, self.plain(item.value)) for item in node.keywords])
        return self.with_operands(node, self.plain)

    def first(self, node: gast.AST) -> gast.AST:
        """What has an array's form without the axis."""
        if isinstance(node, gast.Name) and isinstance(self.facts.values[id(node)], Numeric):
            return subscript(node, constant(0))
        if not self.facts.values[id(node)].active:
            return self.plain(node)
        return subscript(self.stacked(node), constant(0))

    def with_operands(self, node: Any, visit: Callable[[gast.AST], gast.AST]) -> gast.AST:
        changes: dict[str, Any] = {}
        for part, place, child in ordered_children(node):
            if part == "func":
                method = isinstance(child, gast.Attribute) and isinstance(
                    self.facts.values.get(id(child.value)), Numeric)
                new: gast.AST = attribute(visit(child.value), child.attr) if method else child  # type: ignore
            else:
                new = visit(child)
            if new is not child:
                change(node, part, place, new, changes)
        return rebuilt(node, changes)

    def stacked(self, node: Any) -> gast.AST:
        """An expression that depends on the tangents, for all of them."""
        value = self.facts.values[id(node)]
        if not value.active or id(node) in self.facts.instead:
            raise Unstackable("an expression")
        if isinstance(node, gast.Name):
            if not self.is_stacked([node.id]):
                raise Unstackable(node.id)
            return node
        if id(node) in self.facts.popped:
            return self.popped(node)
        if isinstance(node, (gast.Subscript, gast.Attribute)) and isinstance(
                self.facts.values.get(id(node.value)), Items):
            base = self.stacked(node.value)
            return attribute(base, node.attr) if isinstance(node, gast.Attribute) else subscript(
                base, self.step(node))
        if isinstance(node, (gast.Tuple, gast.List)) and isinstance(value, Items) and value.items is not None:
            return type(node)([self.part(part, item) for part, item in zip(node.elts, value.items)], gast.Load())
        if id(node) in self.facts.applied:
            return self.applied(node)
        if isinstance(node, gast.Subscript) and isinstance(value, Numeric):
            return self.apart(self.place(node), value)
        raise Unstackable(type(node).__name__)

    def popped(self, node: Any) -> gast.AST:
        base = node.func.value
        taken = self.stacked(base) if self.facts.values[id(base)].active else self.plain(base)
        return call(attribute(taken, node.func.attr), *map(self.plain, node.args))

    def written(self, node: Any) -> gast.AST:
        """What is written into: a part of a part, and no copy."""
        inner = node
        while isinstance(inner, gast.Subscript):
            inner = inner.value
        if not isinstance(inner, gast.Name):
            raise Unstackable("a place")
        return self.place(node)

    def place(self, node: Any) -> gast.AST:
        """What a name, or a part of an array or a container, is with the axis."""
        if isinstance(node, gast.Name):
            return node
        if not isinstance(node, gast.Subscript):
            raise Unstackable("a place")
        base = self.place(node.value) if isinstance(node.value, (gast.Name, gast.Subscript)) else self.stacked(
            node.value)
        if isinstance(self.facts.values[id(node.value)], Items):
            return subscript(base, self.step(node))
        everything = gast.Slice(None, None, None)
        known = self.facts.values.get(id(node.slice))
        if isinstance(node.slice, gast.Tuple):
            if self.facts.index_kinds.get(id(node)) != BASIC and not all(
                    isinstance(part, gast.Constant) or isinstance(self.facts.values.get(id(part)), Numeric)
                    for part in node.slice.elts):  # axes of an index may come first
                raise Unstackable("an index with arrays and slices")
            if any(isinstance(part, gast.Starred) for part in node.slice.elts):
                raise Unstackable("a star in an index")
            return subscript(base, tuple_of([everything, *map(self.plain, node.slice.elts)]))
        if not isinstance(node.slice, gast.Slice) and not isinstance(known, Numeric) and (
                known is None or slice_bounds(known) is None and known_value(known) not in (None, ...)):
            raise Unstackable("an index that is not known")
        return subscript(base, tuple_of([everything, self.plain(node.slice)]))

    def step(self, node: gast.Subscript) -> gast.AST:
        """The index into a container, of which it is known what is there."""
        holder: Any = self.facts.values[id(node.value)]
        if holder.indexed(known_value(self.facts.values.get(id(node.slice), Known(None)))) is MISSING:
            each_item(holder)
        return self.plain(node.slice)

    def apart(self, expression: gast.AST, value: Abstract) -> gast.AST:
        """A number that was in an array: with the axis it must not be a view, where arrays are written into."""
        if not self.facts.rewritten:
            return expression
        if not isinstance(value, Numeric) or value.kind == "any":
            raise Unstackable("what may be a number or a view")
        return expression if value.kind == "array" else call(attribute(expression, "copy"))

    def expanded(self, node: gast.AST, rank: int) -> gast.AST:
        """An operand so that it broadcasts with others of which one has this rank."""
        value = self.facts.values[id(node)]
        if isinstance(value, Known):
            return self.plain(node)
        if not value.active and rank_of(value) <= rank:
            return self.plain(node)
        if rank_of(value) > rank:
            raise Unstackable("an operand of higher rank")
        return spread(self.stacked(node), rank_of(value), rank)

    def applied(self, node: Any) -> gast.AST:
        applied = self.facts.applied[id(node)]
        operation = applied.operation
        if not isinstance(self.facts.values[id(node)], Numeric):
            raise Unstackable("several results")
        if operation.sharing == "maybe" and self.facts.flattened:
            raise Unstackable("what may be a view")
        if is_elementwise(operation.rule):
            rank = max(rank_of(value) for value in operation.operands.values() if isinstance(value, Numeric))
            given = {id(part) for part in applied.nodes.values()}
            return self.with_operands(node, lambda part: self.expanded(part, rank) if id(part) in given
                                      else self.plain(part))
        made = self.by_table(applied.nodes, operation)
        return self.one_by_one(node, operation) if made is None else made

    def by_table(self, nodes: dict[str, gast.AST], operation: Operation) -> gast.AST | None:
        """What the table says for a function, None where it says nothing."""
        rule = operation.rule
        formula = STACKED.get(rule.function)
        text = None if formula is None else formula(operation)
        if text is None:
            return None
        parameter = rule.parameters[0].name
        if rule.function in IN_PARTS:
            node: Any = nodes[parameter]
            if not isinstance(node, (gast.Tuple, gast.List)) or any(
                    isinstance(item, gast.Starred) for item in node.elts):
                return None
            parts: dict[str, gast.AST] = {parameter: tuple_of([
                self.stacked(item) if self.facts.values[id(item)].active else call(
                    self.helpers.helper("repeated"), self.plain(item), name(self.count)) for item in node.elts])}
        else:
            parts = {key: self.stacked(part) if operation[key].active else self.plain(part)
                     for key, part in nodes.items()}
        return Filled({**parts, "count": name(self.count), "np": self.helpers.module("np")}).visit(
            gast.parse(text, mode="eval").body)

    def one_by_one(self, node: Any, operation: Operation) -> gast.AST:
        """An expression evaluated for one tangent after the other."""
        if operation.rule.gives_view and self.facts.rewritten:
            raise Unstackable("a view")
        given: list[tuple[str, gast.AST]] = []

        def visit(part: Any) -> gast.AST:
            value = self.facts.values.get(id(part))
            if value is None or not value.active:
                return self.plain(part)
            if isinstance(part, (gast.Tuple, gast.List)):
                return type(part)([visit(item) for item in part.elts], gast.Load())
            if not isinstance(value, Numeric):
                raise Unstackable("a container goes into a function")
            expression = self.stacked(part)
            wanted = part.id if isinstance(part, gast.Name) else "item"
            given.append((self.names.fresh(f"{wanted}_each"), expression))
            return name(given[-1][0])

        once = self.with_operands(node, visit)
        target = [gast.Name(label, gast.Store(), None, None) for label, _ in given]
        runs = [gast.comprehension(target[0], given[0][1], [], 0)] if len(given) == 1 else [gast.comprehension(
            gast.Tuple(target, gast.Store()), call(self.helpers.builtin("zip"), *[part for _, part in given]), [], 0)]
        return call(self.helpers.numpy("array"), gast.ListComp(once, runs))


class Filled(gast.NodeTransformer):
    """A formula's text with the operands in it."""

    def __init__(self, operands: dict[str, gast.AST]):
        self.operands = operands

    def visit_Name(self, node: gast.Name) -> gast.AST:
        if node.id not in self.operands:
            raise Unstackable(f"{node.id} is left to its default")
        return self.operands[node.id]


def rank_of(value: Abstract) -> int:
    if not isinstance(value, Numeric) or value.shape is None:
        raise Unstackable("a rank that is not known")
    return len(value.shape)


def row(value: Abstract) -> Abstract:
    """What running over an array gives."""
    if not isinstance(value, Numeric) or not value.shape:
        raise Unstackable("rows that are not known")
    return replace(value, kind="array" if len(value.shape) > 1 else "scalar", shape=value.shape[1:])


def each_item(value: Items) -> Abstract:
    """What is known of any item of a container."""
    parts = [value.element] if value.items is None else value.items
    if not parts or not all(same_parts(part, parts[0]) for part in parts):
        raise Unstackable("items of which some depend on the tangents")
    return value.any_item


def spread(expression: gast.AST, rank: int, to: int) -> gast.AST:
    """An array with the axis, with further ones behind it, so that it has as many as another."""
    if rank == to:
        return expression
    return subscript(expression, tuple_of([gast.Slice(None, None, None), *[constant(None)] * (to - rank)]))


def fits(value: Abstract, other: Abstract) -> bool:
    """Whether one value may be where another is expected: both have the axis in the same parts, or one in none."""
    if not isinstance(other, Items):
        return not isinstance(value, Items) or not other.active and not value.active
    if not isinstance(value, Items):
        return isinstance(value, Known) and not value.active
    if value.items == () or not value.active and not other.active:
        return True
    return same_parts(value, other)


def same_parts(value: Any, other: Any) -> bool:
    """Whether the same parts of two values depend on the tangents."""
    if value is None or other is None:
        return value is other
    if not isinstance(value, Items) or not isinstance(other, Items):
        return value.active == other.active and isinstance(value, Items) == isinstance(other, Items)
    if value.items is None or other.items is None:
        items = [*(value.items or [value.element]), *(other.items or [other.element])]
        return all(same_parts(item, items[0]) for item in items)
    return len(value.items) == len(other.items) and all(map(same_parts, value.items, other.items))
