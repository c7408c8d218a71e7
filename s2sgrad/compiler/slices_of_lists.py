"""Stores into slices of lists: ``xs[a:b] = ys``, ``xs[::2] = ys``, and what is left where a slice is taken out."""
from __future__ import annotations

import copy
from typing import Any

import gast

from s2sgrad.compiler.changes import Changes
from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.nodes import attribute, call, constant, is_everything, located_at, name, subscript
from s2sgrad.compiler.program import Assign, Branch, Delete, Leave, Loop, Store
from s2sgrad.rules.abstract import ANY, NEVER, Items, Opaque, known_value

UNEQUAL = "attempt to assign sequence of size {} to extended slice of size {}"


class SlicesOfLists(Changes):
    def with_cut(self, target: Any, between: list[gast.AST]) -> gast.AST:
        """``xs[:first] + between + xs[last:]``: a list with something else for a part of it."""
        first, last = target.slice.lower, target.slice.upper
        bounds: list[Any] = [None if part is None else known_value(self.facts.value(part)) for part in (first, last)]
        ordered = None in bounds or all(type(bound) is int for bound in bounds) and (
            (bounds[0] < 0) == (bounds[1] < 0) and bounds[0] <= bounds[1])
        if target.slice.step is not None:
            raise self.refusal("a list is cut at a step", "store the items one by one, for i in range(a, len(xs), n): "
                               "xs[i] = ...", target)
        if not ordered:
            raise self.refusal("which items of the list are replaced is not known before the call",
                               "build a new list, xs[:i] + ys + xs[j:]", target)
        parts = [] if first is None else [subscript(target.value, gast.Slice(None, first, None))]
        parts += between
        parts += [] if last is None else [subscript(target.value, gast.Slice(last, None, None))]
        total: gast.AST = gast.copy_location(parts[0] if parts else gast.List([], gast.Load()), target)
        for part in parts[1:]:
            total = gast.copy_location(gast.BinOp(total, gast.Add(), gast.copy_location(part, target)), target)
        return total

    def replace_slice(self, statement: Store, environment: dict) -> dict:
        """``xs[a:b] = ys``."""
        target: Any = statement.target
        step = None if target.slice.step is None else known_value(self.passively(target.slice.step, environment))
        if type(step) is int and step != 1 and not has_effect(target, self.facts):
            return self.replace_each(statement, environment)
        value = self.evaluate(statement.value, environment)
        self.passively(target.slice, environment)
        if is_everything(target.slice) and isinstance(target.value, gast.Name) and self.is_seen_by_others(
                target, environment):
            if isinstance(value, Opaque) and value is not NEVER and not value.active:  # list() would tell no more of it
                value = self.facts.values[id(statement.value)] = Items(list, None, ANY)
            if isinstance(value, Items) and value.kind is list:
                return self.changed(statement, target.value, lambda held: value, environment)
        items = statement.value
        if value is NEVER:
            return environment
        held = self.evaluate(target.value, environment)
        if target.slice.step is not None and isinstance(held, Items) and not (held.active or value.active):
            return self.changed(statement, target.value, lambda held: Items(list, None, ANY), environment)
        if not isinstance(value, Items) or value.kind is not list:
            items = gast.copy_location(call(self.given(list), items), items)
        return self.rebound(statement, statement.target.value, self.with_cut(statement.target, [items]), environment)

    def replace_each(self, statement: Store, environment: dict) -> dict:
        """``xs[::2] = ys``, which takes as many items as it replaces: one by one."""
        target: Any = statement.target
        places, items, place, item = (self.temporary((statement, wanted), wanted) for wanted in (
            "places", "items", "place", "item"))
        sizes = [call(self.given(len), name(label)) for label in (items, places)]
        unequal = call(self.given(ValueError), call(attribute(constant(UNEQUAL), "format"), *copy.deepcopy(sizes)))
        numbers = call(self.given(range), call(self.given(len), target.value))
        simpler: list = [
            Assign(items, located_at(call(self.given(list), statement.value), target), statement.location),
            Assign(places, located_at(subscript(numbers, target.slice), target), statement.location),
            Branch(located_at(gast.Compare(sizes[0], [gast.NotEq()], [sizes[1]]), target),
                   (Leave("raise", located_at(unequal, target), statement.location),), (), statement.location),
            Loop((place, item), located_at(call(self.given(zip), name(places), name(items)), target),
                 (Store(located_at(subscript(copy.deepcopy(target.value), name(place)), target),
                        located_at(name(item), target), statement.location),), statement.location)]
        return self.expand(statement, simpler, environment)

    def delete_each(self, statement: Delete, environment: dict) -> dict:
        """``del xs[::2]``: item by item, from behind."""
        target: Any = statement.target
        places, place = (self.temporary((statement, wanted), wanted) for wanted in ("places", "place"))
        numbers = subscript(call(self.given(range), call(self.given(len), target.value)), target.slice)
        from_behind = gast.Call(self.given(sorted), [numbers], [gast.keyword("reverse", constant(True))])
        item = located_at(subscript(copy.deepcopy(target.value), name(place)), target)
        return self.expand(statement, [
            Assign(places, located_at(from_behind, target), statement.location),
            Loop(place, located_at(name(places), target), (Delete(item, statement.location),), statement.location),
        ], environment)
