"""Calls that ``dissolve.py`` goes through: what is called, and what becomes of the arguments; objects that are made."""
from __future__ import annotations

import dataclasses
import inspect
import types
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler import objects
from s2sgrad.compiler.definitions import Definition, alike, own_derivative
from s2sgrad.compiler.dissolved import (
    Bound,
    Box,
    CannotDissolve,
    Closure,
    Fixed,
    Given,
    Leaf,
    Value,
    boxes_asked,
    calls_something,
    is_computed,
    is_named,
    is_object,
    is_users,
    led_to,
)
from s2sgrad.compiler.dissolving_builtins import BUILTINS, Builtins
from s2sgrad.compiler.effects import MUTATING_METHODS, may_write
from s2sgrad.compiler.initializers import writer_of_init
from s2sgrad.containers import NOT_INSTANCES, in_library, is_open
from s2sgrad.signature import place_of

COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
"""Under these names their code is among that of the function which they are in."""
READING = (sum, min, max, any, all, sorted, print, str, repr, tuple, list, enumerate, zip, len)
"""Built-in functions that keep nothing of the lists that they get."""


class Calls(Builtins):
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
            else:
                named.update(self.by_key(value))
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
                    and function.node.attr in MUTATING_METHODS and not named and not spread:
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

    def call_closure(self, closure: Closure, positional: list[Value], named: dict[str, Value]) -> Value:
        definition = Definition(closure.function, syntax=closure.syntax)
        return self.run_call(definition, positional, named, closure.frame, closure.frame.within, closure.defaults)

    def call_function(self, function: Any, positional: list[Value], named: dict[str, Value]) -> Value:
        if inspect.isgeneratorfunction(function):
            return self.generated(function, positional, named)
        return self.run_call(Definition(function), positional, named, None, objects.class_of(function), {})

    def generated(self, function: Any, positional: list[Value], named: dict[str, Value]) -> Box:
        """What a generator gives that only looks at objects: all at once, as long as these stay as they are."""
        led = led_to([*positional, *named.values()])
        before, count = [(box, dict(box.content)) for box in led], len(self.state.out)
        found = self.run_call(Definition(function, collected=True), positional, named, None,
                              objects.class_of(function), {})
        if not isinstance(found, Box) or len(self.state.out) > count or any(box.content != was for box, was in before):
            raise CannotDissolve("a generator that does more")
        parts = [value for box in led_to([found]) if box not in led for value in box.content.values()]
        numbers = any(isinstance(value, Leaf) for value in parts)
        return Box(list, found.content, views=tuple(led) if numbers else (), leading=() if numbers else tuple(led),
                   backwards=numbers, of_given=True, by_and_by=any(map(is_computed, parts)))

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
                if isinstance(given, Fixed):
                    for value in positional:
                        self.called_now(value)
                return given
            if held is sorted:
                self.items_given_away(boxes_asked(positional))
            call = self.remaining(function, positional, named, node)
            if held in (zip, enumerate, reversed, iter):
                call = replace(call, asked=boxes_asked(positional))
            pairs = None if named or len(positional) > 1 and held is enumerate else {
                zip: self.paired, enumerate: self.numbered}.get(held)
            return call if pairs is None else replace(call, parts=lambda: pairs([*map(self.opened, positional)]))
        values = [*positional, *named.values()]
        if isinstance(held, types.FunctionType) and not in_library(held.__module__ or ""):
            if own_derivative(held) is not None or alike(held) is not None:
                return self.remaining(function, positional, named, node)
            if not any(self.is_static(value) or isinstance(value, Given) or is_class(value) for value in values) \
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
        if held is max or held is min:
            self.items_given_away(boxes_asked(positional if len(positional) == 1 else [
                Box(tuple, dict(enumerate(positional)))]))
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
        init, writer = objects.found_in(kind, "__init__"), writer_of_init(kind)
        self.outer("__init__", kind)
        if writer is not None:
            self.fill(made, writer, positional, named)
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


def is_class(value: Value) -> bool:
    """Whether a value is a class of the user's, of which a function that gets it may make objects."""
    return isinstance(value, Fixed) and is_users(value.value)


def makes_objects(function: Any) -> bool:
    """Whether a function mentions a class of the user's, or functions defined inside."""
    inside = any(isinstance(part, types.CodeType) for part in function.__code__.co_consts)
    return inside or mentions_classes(function)


def mentions_classes(function: Any, seen: frozenset = frozenset()) -> bool:
    """Whether a function, one that it calls, or one that is defined inside mentions a class of the user's, or defines a
    function that keeps something from around it, which may be an object, too."""
    if function.__code__ in seen:
        return False
    codes = [function.__code__]
    for code in codes:
        codes += [part for part in code.co_consts if isinstance(part, types.CodeType)]
    if any(code.co_freevars and code.co_name not in COMPREHENSIONS for code in codes[1:]):
        return True
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
