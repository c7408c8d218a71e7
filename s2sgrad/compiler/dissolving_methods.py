"""Methods of lists, dicts, sets and texts whose parts ``dissolve.py`` knows, and calls that stay calls."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gast

from s2sgrad.compiler.dissolved import (
    Box,
    CannotDissolve,
    Fixed,
    Given,
    Leaf,
    Value,
    boxes_asked,
    is_named,
    is_object,
    kind_of,
    refuse_by_and_by,
)
from s2sgrad.compiler.dissolving import Expressions
from s2sgrad.compiler.effects import MUTATING_METHODS
from s2sgrad.compiler.nodes import attribute, constant, subscript
from s2sgrad.compiler.texts import known_result
from s2sgrad.rules.abstract import Known

LAST, NONE = Fixed(-1), Fixed(None)


class Methods(Expressions):
    """What methods give, and change."""

    def remaining(self, function: Value, positional: list[Value], named: dict[str, Value], node: Any,
                  stars: list[bool] | None = None, plain: bool = True) -> Leaf:
        """A call that stays one."""
        arguments = [self.node(value) for value in positional]
        if stars:
            arguments = [gast.Starred(part, gast.Load()) if star else part for part, star in zip(arguments, stars)]
        made = gast.Call(self.node(function), arguments, [
            gast.keyword(label, self.node(value)) for label, value in named.items()])
        return Leaf(made if node is None else gast.copy_location(made, node), plain)

    # ---- methods of lists, dicts, sets and texts

    def call_method(self, base: Value, label: str, positional: list[Value], named: dict[str, Value], node: Any
                    ) -> Value:
        if isinstance(base, Fixed):
            if is_named(base.value):
                return Box(base.value, dict(enumerate(self.items(positional[0]))), self.site(node))
            text = None if named or not all(isinstance(value, Fixed) for value in positional) else known_result(
                base.value, label, [Known(value.value) for value in positional])
            return self.fixed_result(text) if text is not None else self.remaining(
                Leaf(attribute(self.node(base), label)), positional, named, node)
        if isinstance(base, Given):
            if label in MUTATING_METHODS:
                raise CannotDissolve("a container that was there before changes")
            known: Any = base.known
            if known.kind is dict and not positional and known.items is not None:
                parts = [self.part_of(base, subscript(base.node, constant(step)), step) for step in known.steps]
                keys = [Fixed(step) for step in known.steps]
                if label in ("keys", "values", "items"):
                    return self.asked(keys if label == "keys" else parts if label == "values" else [
                        Box(tuple, {0: key, 1: part}) for key, part in zip(keys, parts)], base)
            return self.remaining(Leaf(attribute(base.node, label)), positional, named, node)
        if is_named(base.kind):
            fields = dict(zip(base.kind._fields, base.content.values()))
            return Box(dict, fields) if label == "_asdict" else Box(base.kind, dict(enumerate({
                **fields, **named}.values())))
        method = getattr(self, f"{base.kind.__name__}_{label}", None)
        if method is None or named:
            raise CannotDissolve(f".{label}()")
        return method(base, *positional)

    def fixed_result(self, value: Any) -> Value:
        if type(value) is list:
            return self.made(list, map(Fixed, value))
        return self.fixed_default(value)

    def list_append(self, box: Box, value: Value) -> Value:
        self.state.put(box, len(box.content), value, self.location)
        return Fixed(None)

    def list_extend(self, box: Box, values: Value) -> Value:
        refuse_by_and_by(values)
        for value in self.items(values):
            self.list_append(box, value)
        return Fixed(None)

    def list_insert(self, box: Box, place: Value, value: Value) -> Value:
        parts = list(box.content.values())
        parts.insert(self.number(place), self.state.kept(value, self.state.wanted(box, 0), self.location))
        box.content = dict(enumerate(parts))
        return Fixed(None)

    def list_pop(self, box: Box, place: Value = LAST) -> Value:
        parts = list(box.content.values())
        try:
            value = parts.pop(self.number(place))
        except IndexError:
            raise CannotDissolve("pop") from None
        box.content = dict(enumerate(parts))
        return self.bound_part(value)

    def list_clear(self, box: Box) -> Value:
        box.content.clear()
        return Fixed(None)

    def list_reverse(self, box: Box) -> Value:
        box.content = dict(enumerate([*box.content.values()][::-1]))
        return Fixed(None)

    def list_copy(self, box: Box) -> Value:
        return self.made(list, box.content.values())

    def list_remove(self, box: Box, value: Value) -> Value:
        parts = list(box.content.values())
        if not is_object(value) or kind_of(value).__eq__ is not object.__eq__ or not any(
                part is value for part in parts) or not all(map(is_object, parts)):
            raise CannotDissolve("remove")
        box.content = dict(enumerate(parts[:(at := [part is value for part in parts].index(True))] + parts[at + 1:]))
        return Fixed(None)

    def number(self, value: Value) -> int:
        if not isinstance(value, Fixed) or type(value.value) is not int:
            raise CannotDissolve("an index that is computed")
        return value.value

    def dict_get(self, box: Box, key: Value, default: Value = NONE) -> Value:
        return self.bound_part(box.content.get(self.key(key), default))

    def asked(self, parts: Iterable[Value], *sources: Value, backwards: bool = False) -> Box:
        """What gives these one after the other, out of containers that must stay as they are for so long."""
        refuse_by_and_by(*sources)
        boxes = [source for source in sources if isinstance(source, Box)]
        return Box(list, dict(enumerate(parts)), views=boxes_asked(sources),
                   leading=tuple(part for box in boxes for part in box.leading),
                   backwards=backwards or any(box.backwards for box in boxes),
                   of_given=any(isinstance(source, Given) for source in sources) or any(box.of_given for box in boxes))

    def dict_items(self, box: Box) -> Value:
        return self.asked([Box(tuple, {0: self.key_value(key), 1: self.bound_part(value)})
                           for key, value in box.content.items()], box)

    def dict_keys(self, box: Box) -> Value:
        return self.asked(map(self.key_value, box.content), box)

    def dict_values(self, box: Box) -> Value:
        return self.asked(map(self.bound_part, box.content.values()), box)

    def dict_setdefault(self, box: Box, key: Value, default: Value = NONE) -> Value:
        held = self.key(key)
        if held not in box.content:
            self.state.put(box, held, default, self.location)
        return self.bound_part(box.content[held])

    def dict_update(self, box: Box, other: Value) -> Value:
        for key, value in self.by_key(other).items():
            self.state.put(box, key, value, self.location)
        return Fixed(None)

    def dict_pop(self, box: Box, key: Value, default: Value | None = None) -> Value:
        held = self.key(key)
        if held not in box.content and default is None:
            raise CannotDissolve("pop")
        return self.bound_part(box.content.pop(held, default))

    def dict_copy(self, box: Box) -> Value:
        return Box(dict, dict(box.content), label=box.label)

    def dict_clear(self, box: Box) -> Value:
        return self.list_clear(box)

    def set_add(self, box: Box, value: Value) -> Value:
        box.content.setdefault(self.key(value), value)
        return Fixed(None)

    def set_update(self, box: Box, values: Value) -> Value:
        for value in self.items(values):
            self.set_add(box, value)
        return Fixed(None)

    def set_discard(self, box: Box, value: Value) -> Value:
        box.content.pop(self.key(value), None)
        return Fixed(None)
