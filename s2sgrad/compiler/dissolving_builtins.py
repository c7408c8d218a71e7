"""Built-in functions over what ``dissolve.py`` knows, computed where that says enough."""
from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Callable
from typing import Any

import gast

from s2sgrad.compiler import objects
from s2sgrad.compiler.dissolved import (
    UNBOUND,
    Bound,
    Box,
    CannotDissolve,
    Closure,
    Fixed,
    Given,
    Leaf,
    Value,
    has_method,
    is_named,
    is_object,
    is_users,
    kind_of,
    refuse_by_and_by,
    refuse_to_stop,
    worked_out,
)
from s2sgrad.compiler.dissolving_methods import Methods
from s2sgrad.rules.abstract import MISSING

BUILTINS: dict[Any, str] = {
    **{function: f"call_{function.__name__}" for function in (
        len, abs, float, range, list, tuple, set, dict, enumerate, zip, reversed, iter, sum, sorted, any, all,
        isinstance, hasattr, getattr, setattr, callable, type, map, vars, str)},
    functools.partial: "call_partial", object.__setattr__: "call_raw_set", object.__init__: "call_nothing",
    object.__init_subclass__: "call_nothing", dataclasses.replace: "call_replace",
}


class Builtins(Methods):
    """What built-in functions give; None where a call stays one."""

    def call_len(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        value = positional[0]
        if isinstance(value, Box) and (value.kind in (list, tuple, dict, set) or is_named(value.kind)):
            return Fixed(len(value.content))
        if isinstance(value, Fixed) and type(value.value) in (str, tuple, range):
            return Fixed(len(value.value))
        if isinstance(value, Given) and not value.known.is_object and value.known.items is not None:
            return Fixed(len(value.known.items))
        if isinstance(value, Leaf) and isinstance(value.length, int):
            return Fixed(value.length)
        if isinstance(value, Leaf) and value.length is not None:
            self.state.uncounted.add(value.length)
        return self.special(value, "__len__") if is_object(value) else None

    def call_abs(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        return self.special(positional[0], "__abs__") if is_object(positional[0]) else None

    def call_float(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        return self.special(positional[0], "__float__") if positional and is_object(positional[0]) else None

    def call_range(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        if all(isinstance(value, Fixed) and type(value.value) is int for value in positional):
            return Fixed(worked_out(range, *(value.value for value in positional)))
        return None

    def call_list(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        if not positional:
            return self.made(list, [], node)
        return None if isinstance(positional[0], Leaf) else self.made(list, self.items(positional[0]), node)

    def call_tuple(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        if positional and isinstance(positional[0], Leaf):
            return None
        return self.made(tuple, self.items(positional[0]) if positional else [], node)

    def call_set(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        parts = self.items(positional[0]) if positional else []
        return Box(set, {self.key(part): part for part in parts}, self.site(node))

    def call_dict(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        content: dict[Any, Value] = {}
        if positional:
            given = positional[0]
            is_dict = isinstance(given, (Box, Given)) and kind_of(given) is dict
            content.update(self.by_key(given) if is_dict else [
                (self.key(first), second) for first, second in map(self.pair, self.items(given))])
        return Box(dict, {**content, **named}, self.site(node))

    def pair(self, value: Value) -> list[Value]:
        parts = self.items(value)
        if len(parts) != 2:
            raise CannotDissolve("what is no pair")
        return parts

    def call_enumerate(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        if isinstance(positional[0], Leaf) or len(positional) > 1 or named:
            return None
        return self.numbered(positional)

    def numbered(self, positional: list[Value]) -> Box:
        return self.asked([Box(tuple, {0: Fixed(place), 1: value})
                           for place, value in enumerate(self.items(positional[0]))], positional[0])

    def call_zip(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        return None if named or any(isinstance(value, Leaf) for value in positional) else self.paired(positional)

    def paired(self, positional: list[Value]) -> Box:
        return self.asked([Box(tuple, dict(enumerate(parts))) for parts in zip(*map(self.items, positional))],
                          *positional)

    def opened(self, value: Value) -> Value:
        """What a loop runs over that is written out."""
        if isinstance(value, Leaf) and value.parts is not None:
            return value.parts()
        return self.state.kept(value, "items", self.location)

    def call_reversed(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        return None if isinstance(positional[0], Leaf) else self.asked(
            self.items(positional[0])[::-1], positional[0], backwards=True)

    def call_iter(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        return None if isinstance(positional[0], Leaf) else self.asked(self.items(positional[0]), positional[0])

    def call_sum(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        values = self.items(positional[0]) if isinstance(positional[0], (Box, Given)) else []
        if not any(map(self.is_static, values)):
            return None
        total: Value = positional[1] if len(positional) > 1 else named.get("start", Fixed(0))
        for value in values:
            total = self.binary(gast.copy_location(gast.BinOp(None, gast.Add(), None), node), total, value)
        return total

    def call_sorted(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        values = [] if isinstance(positional[0], Leaf) else self.items(positional[0])
        if values and not named and all(isinstance(value, Fixed) for value in values):
            return self.made(list, map(Fixed, worked_out(sorted, [value.value for value in values])))
        return None

    def call_any(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        return self.quantified(positional, any)

    def call_all(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        return self.quantified(positional, all)

    def quantified(self, positional: list[Value], decide: Callable) -> Value | None:
        if isinstance(positional[0], Leaf):
            return None
        refuse_to_stop(positional[0])
        tests = list(map(self.truth, self.items(positional[0])))
        return Fixed(decide(test.value for test in tests)) if all(isinstance(test, Fixed) for test in tests) else None

    def call_isinstance(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        value, kinds = positional
        classes = [part.value for part in self.items(kinds)] if isinstance(kinds, Box) else [
            getattr(kinds, "value", None)]
        if not all(isinstance(kind, type) for kind in classes) or objects.own_checks(tuple(classes)):
            raise CannotDissolve("isinstance")
        if isinstance(value, Box) or is_object(value):
            return Fixed(issubclass(kind_of(value), tuple(classes)))
        if isinstance(value, Fixed):
            return Fixed(isinstance(value.value, tuple(classes)))
        if isinstance(value, (Closure, Bound)):
            return Fixed(any(kind in (object, types.FunctionType, types.MethodType) for kind in classes))
        if isinstance(value, Leaf) and value.plain and all(map(is_users, classes)) and not any(
                isinstance(part, gast.Call) for part in gast.walk(value.node)):
            return Fixed(False)
        return None

    def call_hasattr(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        value, label = positional
        if not isinstance(label, Fixed):
            raise CannotDissolve("hasattr")
        if isinstance(value, Box) and isinstance(value.kind, type) and is_users(value.kind):
            held = value.content.get(label.value)
            if held is UNBOUND or isinstance(held, Leaf) and held.late:
                raise CannotDissolve("hasattr")
            if has_method(value, "__getattr__"):
                raise CannotDissolve("hasattr")
            return Fixed(held is not None or objects.found_in(value.kind, label.value) is not MISSING)
        return None if isinstance(value, Leaf) else self.absent(label.value)

    def call_getattr(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        value, label = positional[:2]
        if not isinstance(label, Fixed):
            raise CannotDissolve("getattr")
        there = self.call_hasattr(positional[:2], {}, node) if len(positional) > 2 else Fixed(True)
        if not isinstance(there, Fixed):
            return None
        return self.attribute(value, label.value) if there.value else positional[2]

    def call_setattr(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        value, label, given = positional
        if not isinstance(label, Fixed):
            raise CannotDissolve("setattr")
        self.store_attribute(value, label.value, given)
        return Fixed(None)

    def call_callable(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        value = positional[0]
        if isinstance(value, (Closure, Bound)):
            return Fixed(True)
        if isinstance(value, Fixed):
            return Fixed(callable(value.value))
        return Fixed(has_method(value, "__call__")) if is_object(value) else None

    def call_type(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        value = positional[0]
        return Fixed(kind_of(value)) if len(positional) == 1 and (
            isinstance(value, Box) or is_object(value)) else None

    def call_str(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        known = positional[0] if len(positional) == 1 and not named else None
        return Fixed(str(known.value)) if isinstance(known, Fixed) and type(known.value) in (int, str) else None

    def call_vars(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        return self.attribute(positional[0], "__dict__") if positional and is_object(positional[0]) else None

    def call_partial(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        kept = [self.state.kept(value, "argument", self.location) for value in (*positional[1:], *named.values())]
        return Bound(positional[0], tuple(kept[:len(positional) - 1]), dict(zip(named, kept[len(positional) - 1:])))

    def call_map(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        function, *sources = positional
        if any(isinstance(value, Leaf) for value in sources):
            return None
        refuse_by_and_by(*sources)
        count, before = len(self.state.out), self.state.snapshot()
        found = Box(list, {})
        self.state.pending.append(found)
        for parts in zip(*(self.items(self.state.kept(source, "items", self.location)) for source in sources)):
            self.list_append(found, self.call(function, list(parts), {}))
        self.state.pending.remove(found)
        found.views, found.by_and_by, found.acted = (), True, self.acted(count, before)
        return found

    def call_raw_set(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        """``object.__setattr__(self, name, value)``."""
        box, label, given = positional
        if not isinstance(box, Box) or not isinstance(label, Fixed):
            raise CannotDissolve("__setattr__")
        self.state.put(box, label.value, given, self.location)
        return Fixed(None)

    def call_nothing(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        return Fixed(None)

    def call_replace(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        value = positional[0]
        if isinstance(value, Leaf):
            return None
        if not is_object(value):
            raise CannotDissolve("replace")
        kind = kind_of(value)
        kept = {item.name: self.attribute(value, item.name) for item in dataclasses.fields(kind)
                if item.init and item.name not in named}
        return self.construct(kind, [], {**kept, **named}, node)
