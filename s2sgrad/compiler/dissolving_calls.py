"""Calls that ``dissolve.py`` goes through: of the user's functions and classes, of methods of lists and dicts whose
parts are known, and of built-in functions."""
from __future__ import annotations

import dataclasses
import functools
import inspect
import types
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler import objects
from s2sgrad.compiler.definitions import Definition, alike, own_derivative
from s2sgrad.compiler.dissolved import (
    LITERALS,
    UNBOUND,
    Bound,
    Box,
    CannotDissolve,
    Closure,
    Fixed,
    Frame,
    Given,
    Leaf,
    Value,
    has_method,
    is_computed,
    is_named,
    is_object,
    is_users,
    kind_of,
)
from s2sgrad.compiler.dissolving import Expressions
from s2sgrad.compiler.effects import may_write
from s2sgrad.compiler.program import attribute, constant, subscript
from s2sgrad.containers import NOT_INSTANCES, in_library, is_open
from s2sgrad.rules.abstract import MISSING
from s2sgrad.signature import place_of

LAST, NONE = Fixed(-1), Fixed(None)
MUTATING = {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault",
            "popitem", "add", "discard", "fill", "put", "itemset", "partition", "resize"}
"""Methods that change what they are called on."""
READING = (sum, min, max, any, all, sorted, print, str, repr, tuple, list, enumerate, zip, len)
"""Built-in functions that keep nothing of the lists that they get."""


class Calls(Expressions):
    def of_Call(self, node: gast.Call) -> Value:
        if isinstance(node.func, gast.Name) and node.func.id == "super":
            raise CannotDissolve("super")
        plain = [part.value if isinstance(part, gast.Starred) else part for part in node.args]
        parts = [node.func, *plain, *(item.value for item in node.keywords)]
        function, *found = self.values(parts)
        positional: list[Value] = []
        stars: list[bool] = []
        for written, value in zip(node.args, found):
            if not isinstance(written, gast.Starred):
                positional.append(value)
                stars.append(False)
            elif isinstance(value, Leaf):
                positional.append(value)
                stars.append(True)
            else:
                items = self.items(value)
                positional += items
                stars += [False] * len(items)
        named: dict[str, Value] = {}
        for item, value in zip(node.keywords, found[len(plain):]):
            if item.arg is not None:
                named[item.arg] = value
            elif isinstance(value, Box) and value.kind is dict:
                named.update(value.content)
            else:
                raise CannotDissolve("**")
        if named:  # they are bound in another order than they are computed
            positional = [self.state.kept(value, "part", self.location) if calls_something(value) else value
                          for value in positional]
            named = {label: self.state.kept(value, label, self.location) if calls_something(value) else value
                     for label, value in named.items()}
        return self.call(function, positional, named, node, stars)

    def call(self, function: Value, positional: list[Value], named: dict[str, Value], node: Any = None,
             stars: list[bool] | None = None) -> Value:
        spread = any(stars or ())
        self.path.append(id(node))
        depth = len(self.state.pending)
        self.state.pending += [function, *positional, *named.values()]
        try:
            while isinstance(function, Bound):
                if isinstance(function.function, Fixed) and type(function.function.value) is str:
                    return self.call_method(function.arguments[0], function.function.value, positional, named, node)
                positional = [*function.arguments, *positional]
                stars = [False] * len(function.arguments) + list(stars or ())
                named = {**function.keywords, **named}
                function = function.function
            if isinstance(function, Closure) and not spread:
                return self.call_closure(function, positional, named)
            if isinstance(function, Fixed) and not spread:
                return self.call_fixed(function, positional, named, node)
            if is_object(function) and not spread:
                return self.call(self.attribute(function, "__call__"), positional, named, node)
            if isinstance(function, Leaf) and isinstance(function.node, gast.Attribute) \
                    and function.node.attr in MUTATING and not named and not spread:
                return self.effect(replace(function, node=function.node.value), function.node.attr, positional)
            if isinstance(function, Leaf) or spread and isinstance(function, Fixed):
                if isinstance(function, Leaf) and not isinstance(function.node, gast.Attribute) and any(
                        isinstance(value, Box) for value in (*positional, *named.values())):
                    raise CannotDissolve("a container goes where nobody follows it")
                if isinstance(function, Leaf) and not function.plain and not any(
                        hasattr(kind, getattr(function.node, "attr", "")) for kind in (np.ndarray, list, dict)):
                    raise CannotDissolve("a call of what is not known")
                return self.remaining(function, positional, named, node, stars)
            raise CannotDissolve("a call")
        finally:
            self.path.pop()
            del self.state.pending[depth:]

    def remaining(self, function: Value, positional: list[Value], named: dict[str, Value], node: Any,
                  stars: list[bool] | None = None, plain: bool = True) -> Leaf:
        """A call that stays one."""
        arguments = [self.node(value) for value in positional]
        if stars:
            arguments = [gast.Starred(part, gast.Load()) if star else part for part, star in zip(arguments, stars)]
        made = gast.Call(self.node(function), arguments, [
            gast.keyword(label, self.node(value)) for label, value in named.items()])
        return Leaf(made if node is None else gast.copy_location(made, node), plain)

    def call_closure(self, closure: Closure, positional: list[Value], named: dict[str, Value]) -> Value:
        definition = Definition(closure.function, syntax=closure.syntax)
        return self.run_call(definition, positional, named, closure.frame, closure.frame.within, closure.defaults)

    def call_function(self, function: Any, positional: list[Value], named: dict[str, Value]) -> Value:
        return self.run_call(Definition(function), positional, named, None, objects.class_of(function), {})

    def call_fixed(self, function: Fixed, positional: list[Value], named: dict[str, Value], node: Any) -> Value:
        held = objects.unmarked(function.value)
        try:
            own = BUILTINS.get(held)
        except TypeError:
            own = None
        if own is not None:
            given = getattr(self, own)(positional, named, node)
            if held is range and given is not None:
                return Fixed(given.value, self.remaining(function, positional, named, node).node)
            if given is not None:
                return given
            call = self.remaining(function, positional, named, node)
            pairs = None if named or len(positional) > 1 and held is enumerate else {
                zip: self.paired, enumerate: self.numbered}.get(held)
            return call if pairs is None else replace(call, parts=lambda: pairs([*map(self.opened, positional)]))
        values = [*positional, *named.values()]
        if isinstance(held, types.FunctionType) and not in_library(held.__module__ or ""):
            if own_derivative(held) is not None or alike(held) is not None:
                return self.remaining(function, positional, named, node)
            if not any(self.is_static(value) or isinstance(value, Given) for value in values) \
                    and not makes_objects(held):
                if any(isinstance(value, Leaf) and not value.plain for value in values):
                    raise CannotDissolve("what goes into a call")
                return self.remaining(function, positional, named, node)
            return self.call_function(held, positional, named)
        if is_named(held):
            bound = fitting(held, positional, named)
            return Box(held, dict(enumerate(bound[label] if label in bound else self.fixed(held._field_defaults[label])
                                            for label in held._fields)), self.site(node))
        if isinstance(held, type) and is_users(held):
            return self.construct(held, positional, named, node)
        if any(isinstance(value, Box) and value.kind in (list, dict, set) for value in values) and not only_reads(held):
            raise CannotDissolve("a container goes where nobody follows it")
        return self.remaining(function, positional, named, node)

    # ---- objects

    def construct(self, kind: Any, positional: list[Value], named: dict[str, Value], node: Any) -> Value:
        """A new object."""
        if not (is_open(kind) and type(kind).__call__ is type.__call__ and not issubclass(kind, NOT_INSTANCES)
                and objects.found_in(kind, "__new__") is object.__new__) or inspect.isabstract(kind) \
                or objects.found_in(kind, "__del__") is not objects.MISSING:
            raise CannotDissolve(f"how a {kind.__name__} is made")
        made = Box(kind, {}, self.site(node), label=kind.__name__.lower().strip("_"))
        self.state.pending.append(made)
        init = objects.found_in(kind, "__init__")
        self.outer("__init__", kind)
        if dataclasses.is_dataclass(kind) and "__init__" in vars(kind) and init.__code__.co_filename.startswith("<"):
            self.fill(made, kind, positional, named)
        elif init is not object.__init__:
            if not isinstance(init, types.FunctionType):
                raise CannotDissolve(f"how a {kind.__name__} is made")
            self.call_function(init, [made, *positional], named)
        elif positional or named:
            raise CannotDissolve(f"how a {kind.__name__} is made")
        self.state.pending.remove(made)
        return made

    def fill(self, made: Box, kind: Any, positional: list[Value], named: dict[str, Value]) -> None:
        """What a dataclass's own ``__init__`` does."""
        bound = fitting(kind, positional, named)
        if any(label not in {item.name for item in dataclasses.fields(kind)} for label in bound):
            raise CannotDissolve("InitVar")
        for item in dataclasses.fields(kind):
            if item.name in bound:
                value = bound[item.name]
            elif item.default_factory is not dataclasses.MISSING:
                value = self.call(self.fixed(item.default_factory), [], {})
            elif item.default is not dataclasses.MISSING:
                value = self.fixed_default(item.default)
            else:
                continue
            self.state.put(made, item.name, value, self.location)
        if hasattr(kind, "__post_init__"):
            self.call(self.attribute(made, "__post_init__"), [], {})

    def fixed_default(self, value: Any) -> Value:
        if type(value) is tuple and all(type(part) in LITERALS for part in value):
            return Box(tuple, dict(enumerate(map(Fixed, value))))
        if type(value) in LITERALS or isinstance(value, (
                type, types.FunctionType, types.BuiltinFunctionType, np.ufunc)):
            return self.fixed(value)
        raise CannotDissolve("a default")

    # ---- methods of lists, dicts, sets and texts

    def call_method(self, base: Value, label: str, positional: list[Value], named: dict[str, Value], node: Any
                    ) -> Value:
        if isinstance(base, Fixed):
            if is_named(base.value):
                return Box(base.value, dict(enumerate(self.items(positional[0]))), self.site(node))
            if type(base.value) is str and all(isinstance(value, Fixed) for value in positional) and not named:
                return self.fixed_result(getattr(base.value, label)(*(value.value for value in positional)))
            return self.remaining(Leaf(attribute(self.node(base), label)), positional, named, node)
        if isinstance(base, Given):
            if label in MUTATING:
                raise CannotDissolve("a container that was there before changes")
            known: Any = base.known
            if known.kind is dict and not positional and known.items is not None:
                parts = [self.part_of(base, subscript(base.node, constant(step)), step) for step in known.steps]
                keys = [Fixed(step) for step in known.steps]
                if label in ("keys", "values", "items"):
                    return self.asked(keys if label == "keys" else parts if label == "values" else [
                        Box(tuple, {0: key, 1: part}) for key, part in zip(keys, parts)])
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
        box.content = {}
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
        views = [box for source in sources if isinstance(source, Box) for box in (source, *(source.views or ()))]
        return Box(list, dict(enumerate(parts)), views=tuple(views), backwards=backwards or any(
            isinstance(source, Box) and source.backwards for source in sources))

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
        if not (isinstance(other, Box) and other.kind is dict):
            raise CannotDissolve("update")
        for key, value in other.content.items():
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

    # ---- built-in functions

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
            return Fixed(range(*(value.value for value in positional)))
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
            pairs = given.content.items() if isinstance(given, Box) and given.kind is dict else [
                (self.key(first), second) for first, second in map(self.pair, self.items(given))]
            content.update(pairs)
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
            return self.made(list, map(Fixed, sorted(value.value for value in values)))
        return None

    def call_any(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        return self.quantified(positional, any)

    def call_all(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        return self.quantified(positional, all)

    def quantified(self, positional: list[Value], decide: Callable) -> Value | None:
        if isinstance(positional[0], Leaf):
            return None
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
        if len(positional) > 2 and not self.call_hasattr(positional[:2], {}, node).value:  # type: ignore[union-attr]
            return positional[2]
        return self.attribute(value, label.value)

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

    def call_partial(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        kept = [self.state.kept(value, "argument", self.location) for value in (*positional[1:], *named.values())]
        return Bound(positional[0], tuple(kept[:len(positional) - 1]), dict(zip(named, kept[len(positional) - 1:])))

    def call_map(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        function, *sources = positional
        if any(isinstance(value, Leaf) for value in sources):
            return None
        found = Box(list, {})
        self.state.pending.append(found)
        for parts in zip(*(self.items(self.state.kept(source, "items", self.location)) for source in sources)):
            self.list_append(found, self.call(function, list(parts), {}))
        self.state.pending.remove(found)
        found.views = ()
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
        if not isinstance(value, Box):
            if isinstance(value, Leaf):
                return None
            raise CannotDissolve("replace")
        kept = {item.name: value.content[item.name] for item in dataclasses.fields(value.kind)
                if item.init and item.name not in named}
        return self.construct(value.kind, [], {**kept, **named}, node)


BUILTINS: dict[Any, str] = {
    **{function: f"call_{function.__name__}" for function in (
        len, abs, float, range, list, tuple, set, dict, enumerate, zip, reversed, iter, sum, sorted, any, all,
        isinstance, hasattr, getattr, setattr, callable, type, map)},
    functools.partial: "call_partial", object.__setattr__: "call_raw_set", object.__init__: "call_nothing",
    object.__init_subclass__: "call_nothing", dataclasses.replace: "call_replace",
}


def calls_something(value: Value) -> bool:
    """Whether computing a value calls what may give something else, or do more, each time."""
    if isinstance(value, Box):
        return not isinstance(value, Frame) and not value.settled and any(map(calls_something, value.content.values()))
    return is_computed(value) and any(isinstance(part, gast.Call) for part in gast.walk(value.node))


def only_reads(function: Any) -> bool:
    """Whether a function of a library keeps nothing of the lists and dicts that it gets, and changes none."""
    root = (getattr(function, "__module__", None) or "builtins").split(".")[0]
    return any(function is known for known in READING) or isinstance(function, np.ufunc) or root in (
        "numpy", "scipy", "math") and not may_write(function)


def fitting(kind: Any, positional: list[Value], named: dict[str, Value]) -> dict[str, Value]:
    try:
        return inspect.signature(kind).bind(*positional, **named).arguments
    except TypeError:
        raise CannotDissolve("arguments that do not fit") from None


def makes_objects(function: Any) -> bool:
    """Whether a function mentions a class of the user's, or functions defined inside."""
    inside = any(isinstance(part, types.CodeType) for part in function.__code__.co_consts)
    return inside or mentions_classes(function)


def mentions_classes(function: Any, seen: frozenset = frozenset()) -> bool:
    """Whether a function, one that it calls, or one that is defined inside mentions a class of the user's."""
    if function.__code__ in seen:
        return False
    codes = [function.__code__]
    for code in codes:
        codes += [part for part in code.co_consts if isinstance(part, types.CodeType)]
    for label in {label for code in codes for label in (*code.co_names, *code.co_freevars)}:
        try:
            found = objects.unmarked(place_of(function, label).read())
        except NameError:  # the name of an attribute, or one that has no value yet
            continue
        known = found.values() if type(found) is dict else [found]  # a registry
        if any(is_users(each) or isinstance(each, types.FunctionType) and not in_library(each.__module__ or "")
               and mentions_classes(each, seen | {function.__code__}) for each in known):
            return True
    return False
