"""Expressions that make containers, slices and texts."""
from __future__ import annotations

import functools
from typing import Any

import gast

from s2sgrad.compiler import objects
from s2sgrad.compiler.applying import Applying
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.nodes import call, located_at
from s2sgrad.compiler.structures import key_expression
from s2sgrad.compiler.texts import shown
from s2sgrad.containers import is_key
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import MISSING, NEVER, Abstract, Items, Known, Numeric, Opaque, join, known_value


class Displays(Applying):
    """Tuples, lists, dicts."""

    def of_Tuple(self, node: gast.Tuple, environment: dict) -> Abstract:
        kind = tuple if isinstance(node, gast.Tuple) else list
        if any(isinstance(item, gast.Starred) for item in node.elts):
            return self.with_stars(node, environment)
        return Items(kind, tuple(self.evaluate(item, environment) for item in node.elts),
                     view=getattr(node, "view", None))

    of_List = of_Tuple

    def with_stars(self, node: Any, environment: dict) -> Abstract:
        """``[*xs, y]``: the items written out, where it is known how many, else lists that are put together."""
        self.facts.consumed.update(id(item.value) for item in node.elts if isinstance(item, gast.Starred))
        values = [self.evaluate(item.value if isinstance(item, gast.Starred) else item, environment)
                  for item in node.elts]
        if self.passive_context or not any(value.active for value in values):
            found = self.numbers_in_a_row(node, environment)
            return self.of_other(node, environment) if found is None else found
        parts: list = []
        known = True
        for item, value in zip(node.elts, values):
            if not isinstance(item, gast.Starred):
                parts.append(item)
            elif isinstance(value, Items) and value.items is not None and not value.is_object and isinstance(
                    item.value, gast.Name):
                parts += [self.part(item.value, value, step) for step in value.steps] if not value.is_dict else [
                    key_expression(key) for key in value.steps]
            else:
                known = False
        if known:
            self.facts.spelled[id(node)] = gast.copy_location(type(node)(parts, node.ctx), node)
        elif id(node) not in self.facts.simpler:
            lists: list = []
            for item in node.elts:
                if isinstance(item, gast.Starred):
                    lists.append(call(self.given(list), item.value))
                elif lists and isinstance(lists[-1], gast.List):
                    lists[-1].elts.append(item)
                else:
                    lists.append(gast.List([item], gast.Load()))
            total = functools.reduce(lambda first, second: gast.BinOp(first, gast.Add(), second), lists)
            if isinstance(node, gast.Tuple):
                total = call(self.given(tuple), total)
            self.facts.simpler[id(node)] = located_at(total, node)
        if not known:
            self.facts.spelled[id(node)] = self.facts.simpler[id(node)]
        return self.evaluate(self.facts.spelled[id(node)], environment)

    def numbers_in_a_row(self, node: Any, environment: dict) -> Items | None:
        """A list or tuple of numbers, ``[*range(n), 0]``; None where it may hold something else."""
        items = [self.iterate(item.value, environment)  # type: ignore[attr-defined]
                 if isinstance(item, gast.Starred) else self.evaluate(item, environment) for item in node.elts]
        if not all(isinstance(item, Numeric) and item.is_number and not item.active for item in items):
            return None
        return Items(tuple if isinstance(node, gast.Tuple) else list, None, functools.reduce(join, items, NEVER))

    def of_Dict(self, node: gast.Dict, environment: dict) -> Abstract:
        merged: dict = {}
        self.facts.open_displays.discard(id(node))
        for key_node, part in zip(node.keys, node.values):
            value = self.evaluate(part, environment)
            if key_node is None:
                if not self.merge_dict(merged, part, value):
                    return self.open_display(node, environment)
                continue
            found = self.passively(key_node, environment)
            self.as_key(key_node, found)
            key = known_value(found)
            if not is_key(key):
                return self.open_display(node, environment)
            merged[key] = part, value
        return self.displayed(node, merged)

    def differentiated_key(self, key: gast.AST, node: gast.AST, remedy: str = "use text or integers as keys"
                           ) -> UnsupportedError:
        """What is raised where a key is differentiated, or counts as such where it is read."""
        held = self.facts.values.get(id(key.value)) if isinstance(key, gast.Subscript) else None
        if isinstance(held, Items) and held.is_open:
            return self.refusal("this key comes from a dict that gets keys on the way, of which all values count as "
                                "one, differentiated", "make that dict with all its keys, or keep this one elsewhere",
                                node)
        return self.refusal("a differentiated value is a key here", remedy, node)

    def open_display(self, node: gast.Dict, environment: dict) -> Abstract:
        """A dict with keys that are not known before the call, which is put together item by item."""
        values = [self.evaluate(part, environment) for part in node.values]
        spread = [value for key, value in zip(node.keys, values) if key is None]
        if self.passive_context or not any(value.active for value in values) or not all(
                isinstance(value, Items) and value.is_dict and not value.optional for value in spread):
            found = self.of_other(node, environment)
            numbers = not spread and all(isinstance(value, Numeric) and value.is_number for value in values)
            return Items(dict, None, functools.reduce(join, values, NEVER)) if numbers else found
        for key in node.keys:
            if key is not None and self.evaluate(key, environment).active:
                raise self.differentiated_key(key, key)
        self.facts.open_displays.add(id(node))
        parts = [value.any_item if key is None else value for key, value in zip(node.keys, values)
                 if key is not None or value.items != ()]
        return Items(dict, None, functools.reduce(join, parts, NEVER))

    def merge_dict(self, merged: dict, node: gast.AST, value: Abstract) -> bool:
        """Add to the expressions and values of a dict's items those of another, where they are known."""
        if not isinstance(value, Items) or not value.is_dict or value.keys is None:
            return False
        parts = self.facts.displays.get(id(node)) or [self.part(node, value, step) for step in value.steps]
        merged.update((step, (part, value.at(step))) for step, part in zip(value.steps, parts))
        return True

    def displayed(self, node: gast.AST, merged: dict) -> Abstract:
        self.facts.displays[id(node)] = [part for part, _ in merged.values()]
        return Items(dict, tuple(value for _, value in merged.values()), keys=tuple(merged))

    def of_Slice(self, node: gast.Slice, environment: dict) -> Abstract:
        for part in (node.lower, node.upper, node.step):
            if part is not None:
                self.as_key(part, self.passively(part, environment))
        return Opaque()

    def of_JoinedStr(self, node: gast.JoinedStr, environment: dict) -> Abstract:
        texts = []
        for part in node.values:
            known = getattr(part, "value", MISSING)
            if isinstance(part, gast.FormattedValue):
                with self.outer_names_read():
                    known = known_value(self.calmly(part.value, self.passively(part.value, environment), objects.TEXT))
            texts.append(shown(part, known))
        return self.text_of(node, environment) if MISSING in texts else Known("".join(texts))


def displayed(node: Any, facts: Facts) -> list:
    """The expressions of the parts of a container that an expression makes, None for a default; none where nothing is
    written out."""
    return facts.displays.get(id(node)) or (node.values if isinstance(node, gast.Dict) else getattr(node, "elts", []))
