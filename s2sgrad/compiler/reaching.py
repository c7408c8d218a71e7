"""Where a cotangent goes that belongs to a part of an array or of a container."""
from __future__ import annotations

import functools
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.algebra import without_axes
from s2sgrad.compiler.cotangents import Contribution, Cotangent
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.formulas import Formulas, scalar
from s2sgrad.compiler.indexing import BASIC, MASK, as_places
from s2sgrad.compiler.nodes import attribute, call, constant, name, subscript, tuple_of
from s2sgrad.compiler.program import Store
from s2sgrad.compiler.structures import accessed, static_leaves
from s2sgrad.errors import UnsupportedError, place_of
from s2sgrad.rules.abstract import (
    MISSING,
    Abstract,
    Items,
    Numeric,
    item_at,
    known_value,
    passive,
    rank_of,
    shape_of,
    slice_bounds,
)
from s2sgrad.rules.dims import not_one


class Reaching(Formulas):
    """The part of the chain rule that finds the way to parts of arrays and containers."""

    pending: list[Contribution]

    def joined_lists(self, statement: Any, node: gast.BinOp, cotangent: Cotangent) -> None:
        """``xs + ys``: the first part of the list of cotangents, and the rest; written-out items have their places."""
        if not isinstance(cotangent.expression, gast.Name):
            variable = self.cotangents.names.fresh("items_bar")
            self.cotangents.assign(variable, cotangent.expression, statement.location, cotangent.value)
            cotangent = Cotangent(name(variable), cotangent.value, True, cotangent.owned)
        for side in (node.left, node.right):
            known: Any = self.operands.cotangents_of(passive(self.facts.values[id(side)]))
            if known.items is not None:
                start = 0 if side is node.left else -len(known.items)
                self.expression(statement, side, {
                    (place,): Cotangent(subscript(cotangent.expression, constant(start + place)), item, True)
                    for place, item in enumerate(known.items)})
                continue
            length = self.operands.length(node.left, statement)
            place = gast.Slice(None, length, None) if side is node.left else gast.Slice(length, None, None)
            part = Cotangent(subscript(cotangent.expression, place), known, True, cotangent.owned)
            self.expression(statement, side, {(): part})

    def to_part(self, statement: Any, node: gast.Name, path: tuple, cotangent: Cotangent) -> Contribution:
        """What is added for a part of a name's value: of a container with a cotangent for each part, of an array or a
        list that was unpacked into names."""
        label, value = node.id, self.facts.values[id(node)]
        for count, step in enumerate(path):
            if not isinstance(value, Items):
                assert not isinstance(step, str), "a cotangent of an attribute goes to what has none"
                index = tuple_of([constant(place) for place in path[count:]]) if len(path) > count + 1 \
                    else constant(step)
                return Contribution((label, path[:count]), cotangent, index)
            if value.items is None:
                return Contribution((label, path[:count]), cotangent, constant(step), inside=path[count + 1:])
            value = value.at(step)
        return Contribution((label, path), cotangent)

    def elements(self, statement: Any, node: gast.AST, cotangents: dict) -> None:
        """An array unpacked into names: each name's cotangent goes to its element."""
        variable = self.whole_array(statement, node, "row")
        for path, cotangent in cotangents.items():
            index = tuple_of([constant(place) for place in path]) if len(path) > 1 else constant(path[0])
            self.cotangents.out.append(Store(subscript(name(variable), index), cotangent.expression,
                                             statement.location))
        value = self.operands.evaluate(name(variable))
        self.expression(statement, node, {(): Cotangent(name(variable), value, True, True)})

    def whole_array(self, statement: Any, node: gast.AST, wanted: str) -> str:
        """A new array of zeros for the cotangent of an unnamed array."""
        variable = self.cotangents.names.fresh(f"{self.operands.wanted(node)}_bar")
        self.cotangents.assign(variable, self.operands.zeros_of_shape(
            self.operands.shape(node, statement), self.facts.values[id(node)]), statement.location)
        return variable

    def without_axes(self, expression: gast.AST, axes: tuple[int, ...], rank: int) -> gast.AST:
        """A cotangent without axes of size 1."""
        first = tuple_of([constant(0) if axis in axes else gast.Slice(None, None, None)
                          for axis in range(max(axes) + 1)])

        def dropped(factor: gast.AST) -> gast.AST | None:
            own = rank_of(self.operands.evaluate(factor))
            return factor if own == 0 else subscript(factor, first) if own == rank else None

        return without_axes(expression, axes, rank, dropped) or subscript(expression, first)

    def index(self, statement: Any, node: gast.Subscript, cotangents: dict) -> None:
        base = self.facts.values[id(node.value)]
        if isinstance(base, Items):
            self.pick(statement, node, base, cotangents)
            return
        if () not in cotangents:  # rows unpacked from part of an array
            self.elements(statement, node, cotangents)
            return
        cotangent = cotangents[()]
        new_axes = added_axes(node.slice, base, self.facts)
        if new_axes:
            value = self.facts.values[id(node)]
            if scalar(cotangent):
                dropped = cotangent
            else:
                if not cotangent.full:
                    cotangent = self.fill(statement, node, value, cotangent)
                expression = self.without_axes(cotangent.expression, new_axes, value.rank)
                dropped = Cotangent(expression, self.operands.evaluate(expression), True)
            self.expression(statement, node.value, {(): dropped})
            return
        if self.facts.is_without_axes(node):
            self.expression(statement, node.value, cotangents)
            return
        if isinstance(base, Numeric) and is_turned_array(node.slice):
            if not scalar(cotangent):
                if not cotangent.full:
                    cotangent = self.fill(statement, node, self.facts.values[id(node)], cotangent)
                turned = subscript(cotangent.expression, node.slice)
                cotangent = Cotangent(turned, self.operands.evaluate(turned), True)
            self.expression(statement, node.value, {(): cotangent})
            return
        index = self.operands.value(node.slice, statement)
        kind = self.facts.index_kinds[id(node)]
        repeats = kind not in (BASIC, MASK) and not self.all_distinct(node.slice, statement)
        place = self.place(node.value)
        if place is not None:
            if place[0] in self.facts.before[statement]:
                self.pending.append(Contribution(place, cotangent, index, repeats))
            return
        route = None if repeats else self.route(node.value, statement)
        if route is not None and route[0][0] in self.facts.before[statement]:  # ``xs[i][j]``, in an array in a list
            key, (first, *rest) = route
            self.pending.append(Contribution(key, cotangent, first, inside=(*rest, index)))
            return
        root = self.facts.array_viewed(node.value)
        viewed = None if root is None else self.facts.before[statement].get(root.id)
        if viewed is not None and shape_of(viewed.value) != () and not self.facts.is_read_only(node.value) and not (
                repeats and self.facts.array_flattened(node.value) is not None):  # a number has no views
            view = self.mirrored(node.value, name(self.cotangents.bar((root.id, ()))), statement)
            self.pending.append(Contribution((root.id, ()), cotangent, index, repeats, view=view))
            return
        variable = self.whole_array(statement, node.value, "part")
        if repeats:
            self.cotangents.out.append(self.operands.add_at(name(variable), index, cotangent.expression,
                                                            statement.location))
        else:
            self.cotangents.out.append(Store(subscript(name(variable), index), cotangent.expression,
                                             statement.location))
        value = self.operands.evaluate(name(variable))
        self.expression(statement, node.value, {(): Cotangent(name(variable), value, True, True)})

    def mirrored(self, node: Any, bar: gast.Name, statement: Any) -> gast.AST:
        """The view of a cotangent that an expression is of the array."""
        flat = self.facts.array_flattened(node)
        if flat is not None:  # the cotangent may have another layout
            return attribute(self.mirrored(flat, bar, statement), "flat")
        if isinstance(node, gast.Name):
            return bar
        if isinstance(node, gast.Subscript):
            return subscript(self.mirrored(node.value, bar, statement), self.operands.value(node.slice, statement))
        if isinstance(node, gast.Attribute):
            return attribute(self.mirrored(node.value, bar, statement), node.attr)
        return gast.Call(self.mirrored(node.func, bar, statement), [
            self.operands.value(item, statement) for item in node.args], [
                gast.keyword(item.arg, self.operands.value(item.value, statement)) for item in node.keywords])

    def pick(self, statement: Any, node: gast.Subscript, base: Items, cotangents: dict) -> None:
        """An item of a container, or a part of a list."""
        step = base.indexed(known_value(self.facts.values[id(node.slice)]))
        if step is not MISSING and not isinstance(node.slice, gast.Slice):
            self.expression(statement, node.value, {(step, *path): cotangent for path, cotangent in cotangents.items()})
            return
        if () in cotangents and is_turned(node.slice):
            turned = subscript(cotangents[()].expression, node.slice)
            self.expression(statement, node.value, {(): Cotangent(turned, passive(base), True, cotangents[()].owned)})
            return
        route = self.route(node, statement)
        if route is None:
            raise UnsupportedError("a part of a list that has no name of its own is not supported yet",
                                   "give the list a name", place_of(node, statement.location))
        key, (first, *rest) = route
        if key[0] not in self.facts.before[statement]:
            return
        for path, cotangent in self.by_leaves(cotangents, self.facts.values[id(node)]).items():
            steps = [first, *rest]
            if path and isinstance(node.slice, gast.Slice):  # unpacked from part of a list
                steps[-1] = self.place_in_list(steps[-1], path[0], functools.reduce(
                    subscript, steps[:-1], name(self.cotangents.bar(key))))
                path = path[1:]
            self.pending.append(Contribution(key, cotangent, steps[0], inside=(*steps[1:], *path)))

    def place_in_list(self, part: gast.Slice, place: int, cotangents: gast.AST) -> gast.AST:
        """Where in a list an item of a part of it is; that has as many ``cotangents``."""
        start = 0 if part.lower is None else getattr(part.lower, "value", None)
        if part.step is None and isinstance(start, int) and start >= 0:
            return constant(start + place)
        places = call(self.helpers.builtin("range"), call(self.helpers.builtin("len"), cotangents))
        return subscript(subscript(places, part), constant(place))

    def route(self, node: gast.AST, statement: Any) -> tuple[tuple[str, tuple], list] | None:
        """How to get to a part of a list: the key of the list, and the steps from there on, of which the first is an
        index. None where the list has no name."""
        if not isinstance(node, (gast.Subscript, gast.Attribute)):
            return None
        base = self.facts.values[id(node.value)]
        if not isinstance(base, Items):
            return None
        step: Any = node.attr if isinstance(node, gast.Attribute) else base.indexed(
            known_value(self.facts.values[id(node.slice)]))
        outer = self.place(node.value)
        if outer is not None:
            return None if step is not MISSING else (outer, [self.operands.value(node.slice, statement)])
        further = self.route(node.value, statement)
        if further is None or isinstance(further[1][-1], gast.Slice):
            return None
        return further[0], [*further[1], self.operands.value(node.slice, statement) if step is MISSING else step]

    def by_leaves(self, cotangents: dict, value: Abstract) -> dict:
        """The cotangents of a container's parts, of which some may have come as one."""
        result: dict = {}
        for path, cotangent in cotangents.items():
            part = item_at(value, path)
            known = self.operands.cotangents_of(passive(part))
            for leaf in static_leaves(part) if isinstance(part, Items) and part.items is not None else [()]:
                expression = accessed(cotangent.expression, part, leaf)
                found = Cotangent(expression, item_at(known, leaf)) if leaf else cotangent
                place = (*path, *leaf)
                if place in result:
                    found = Cotangent(self.operands.sum_of(result[place].expression, expression, item_at(part, leaf)),
                                      found.value)
                result[place] = found
        return result

    def by_items(self, cotangents: dict, value: Items) -> dict:
        """The cotangents of a container's items, where it has one for all of them, too: the container was read by a
        running index, or handed on whole."""
        whole = cotangents.get(())
        if whole is None:
            return cotangents
        known = self.operands.cotangents_of(passive(value))
        result = {place: cotangent for place, cotangent in cotangents.items() if place}
        for step, item in zip(value.steps, value.items or ()):
            if not item.active:
                continue
            part = accessed(whole.expression, value, (step,))
            if (step,) in result:
                part = self.operands.sum_of(result[step,].expression, part, item)
            result[step,] = Cotangent(part, known.at(step), True, whole.owned and (step,) not in result)
        return result

    def place(self, node: gast.AST) -> tuple[str, tuple] | None:
        """The name, and the steps from there, that an expression is; None where it is no part of what has a name."""
        if isinstance(node, gast.Name):
            return node.id, ()
        if not self.operands.is_item(node):
            return None
        assert isinstance(node, (gast.Subscript, gast.Attribute))
        outer = self.place(node.value)
        base = self.facts.values[id(node.value)]
        step = node.attr if isinstance(node, gast.Attribute) else base.indexed(  # type: ignore[union-attr]
            known_value(self.facts.values[id(node.slice)]))
        return None if outer is None or step is MISSING else (outer[0], (*outer[1], step))

    def all_distinct(self, index: gast.AST, statement: Any) -> bool:
        """Whether one of the arrays that index together is of distinct places, and has an element for each that is
        chosen, so that no element is met twice."""
        arrays: list[tuple[gast.AST, Numeric]] = []
        for part in index.elts if isinstance(index, gast.Tuple) else [index]:
            if isinstance(part, gast.Starred):
                return False
            value = as_places(self.facts.value(part))
            if isinstance(part, gast.Slice) or slice_bounds(value) is not None or known_value(value) in (None, ...):
                continue
            if not isinstance(value, Numeric) or value.rank not in (0, 1):
                return False
            arrays += [(part, value)] if value.rank else []
        for part, value in arrays:
            (size,) = value.shape  # type: ignore[misc]
            fits = not_one(size) or all(other.shape == value.shape for _, other in arrays) and (
                size is not None or len(arrays) == 1)
            if fits and self.is_distinct(part, statement):
                return True
        return False

    def is_distinct(self, part: gast.AST, statement: Any) -> bool:
        """Whether an array of places names none twice: ``np.arange(n)``, ``np.argsort(x)``, ``[0, 2]``. (An ``arange``
        with a negative start could meet an element from both ends.)"""
        known = known_value(self.facts.value(part))
        if isinstance(known, list):
            return len({*known}) == len(known) and len({place < 0 for place in known}) == 1
        made = self.operands.source_of(self.operands.subject(part, statement)) if isinstance(part, gast.Name) else part
        if not isinstance(made, gast.Call) or id(made) not in self.facts.applied or made.keywords:
            return False
        function = self.facts.applied[id(made)].operation.rule.function
        return function is np.arange and len(made.args) == 1 or function is np.argsort


def is_turned_array(index: gast.AST) -> bool:
    """Whether an index, ``[::-1]`` or ``[:, ::-1]``, turns axes of an array round and does nothing else."""
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    return all(map(is_turned, parts)) and any(part.step is not None for part in parts)


def is_turned(index: gast.AST) -> bool:
    """Whether a slice of a list, ``[:]`` or ``[::-1]``, has all its items."""
    if not isinstance(index, gast.Slice) or index.lower is not None or index.upper is not None:
        return False
    step = index.step.operand if isinstance(index.step, gast.UnaryOp) else index.step
    return step is None or isinstance(step, gast.Constant) and step.value in (1, -1)


def added_axes(index: gast.AST, base: Any, facts: Facts) -> tuple[int, ...]:
    """The axes of ``base[index]`` that the index only adds (``x[:, None]``); none where it does anything else."""
    if not isinstance(base, Numeric) or base.rank is None:
        return ()
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    axes, axis = [], 0
    for part in parts:
        known = known_value(facts.values.get(id(part), MISSING))
        if known is ...:
            axis += base.rank - sum(isinstance(other, gast.Slice) for other in parts)
            continue
        if known is None:
            axes.append(axis)
        elif not (isinstance(part, gast.Slice) and part.lower is part.upper is part.step is None):
            return ()
        axis += 1
    return tuple(axes)
