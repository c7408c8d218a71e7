"""What gives one thing after another: what loops run over, ``next``, what an ``__iter__`` gives, ``reduce``, and
``sorted``, ``min`` and ``max`` of what is not differentiated."""
from __future__ import annotations

import functools
import itertools
import types
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler import objects
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.evaluation import NeedsName
from s2sgrad.compiler.made_functions import reads_active
from s2sgrad.compiler.method_calls import MethodCalls
from s2sgrad.compiler.nodes import is_starred
from s2sgrad.rules.abstract import (
    INTEGER,
    NEVER,
    RANGE,
    Abstract,
    Items,
    Numeric,
    Opaque,
    join,
    known_value,
    passive,
)


class RunThrough(MethodCalls):
    """The evaluation of what is run through."""

    def of_next(self, node: gast.Call, environment: dict) -> Abstract:
        """``next(...)`` in an expression: of an object with a ``__next__``, or of a generator expression."""
        value = self.evaluate(node.args[0], environment) if isinstance(
            node.args[0], (gast.Name, gast.Attribute)) and len(node.args) == 1 else None
        if isinstance(value, Items) and value.is_object:
            bare = gast.copy_location(gast.Call(node.func, [], []), node)
            own = objects.method_call(bare, node.args[0], value.kind, "__next__", self.outer)
            if own is not None:
                return self.respelled(node, own, environment)
        given = self.first_given(node, environment)
        if given is None or given.active:
            raise NeedsName(node, self.refusal("next is asked for what has a name, or may not be asked here",
                                               "write a loop, or next(...) on a line of its own", node))
        return given

    def iterable_of(self, node: gast.Call, function: types.FunctionType, environment: dict) -> Abstract:
        """What an ``__iter__`` that is no generator makes its iterator of, which is run through at once."""
        plain = function.__globals__.get("iter", iter) is iter
        value = self.user_call(node, Definition(function, collected=plain), (), environment)
        if isinstance(value, Items) and value.is_object:
            raise self.refusal(f"{function.__qualname__} gives an object of {value.kind.__name__}, and what the "
                               "__next__ of that does is not followed",
                               "write __iter__ with yield, or let it return iter(items)", node)
        return value

    def first_given(self, node: gast.Call, environment: dict) -> Abstract | None:
        """What is known of what a call of ``next`` gives; None where it may be differentiated."""
        active = reads_active(node, environment)
        source: Any = node.args[0]
        self.facts.consumed.add(id(source))
        if not isinstance(source, gast.GeneratorExp) or len(node.args) > 1:
            if active:
                return None
            for item in node.args:  # calls in which may change something all the same
                self.passively(item, environment)
            return Opaque()
        over = {id(each.iter) for each in source.generators} - self.facts.exhausted
        self.facts.exhausted |= over  # no matter how many it gives
        value = self.evaluate(source, environment)
        self.facts.exhausted -= over
        if value is NEVER:  # of a generator without end nobody knows what a list of all would hold
            return None if active else Opaque()
        return self.element_of(value)

    def reduced(self, node: gast.Call, environment: dict) -> gast.AST | None:
        """``functools.reduce`` over a list or tuple of known length, as the calls that it makes."""
        function, *rest = node.args
        if not (1 <= len(rest) <= 2 and isinstance(function, (gast.Name, gast.Attribute, gast.Lambda))
                and isinstance(rest[0], (gast.Name, gast.Tuple, gast.List))):
            return None
        items = [*rest[1:], *self.unpacked(gast.Starred(rest[0], gast.Load()), environment)]
        if not items or any(isinstance(item, gast.Starred) or has_effect(item, self.facts) for item in items):
            return None  # all items are evaluated before the first call
        total = items[0]
        for item in items[1:]:
            total = gast.copy_location(gast.Call(function, [total, item], []), node)
        return total

    def is_range(self, nodes: list, environment: dict) -> bool:
        """Whether a call gets the numbers of a ``range``."""
        return len(nodes) == 1 and isinstance(nodes[0], gast.Call) and known_value(
            self.passively(nodes[0].func, environment)) is range

    def chosen(self, node: gast.Call, function: Any, environment: dict) -> Abstract:
        """``sorted``, ``min`` and ``max`` of what is not differentiated: what ``key`` gives only decides."""
        values = [self.passively(item, environment) for item in node.args]
        self.refuse_writes(node, function, [*values, *(self.passively(item.value, environment)
                                                       for item in node.keywords)])
        if function is sorted or len(values) > 1:
            return Items(list, None, passive(self.iterate(node.args[0], environment))) if function is sorted \
                else functools.reduce(join, values)
        found = passive(self.iterate(node.args[0], environment))
        for item in node.keywords:
            if item.arg == "default":
                found = join(found, self.passively(item.value, environment))
        return found

    def iterate(self, node: gast.AST, environment: dict) -> Abstract:
        """What a loop's target is bound to; the parts of ``zip``, ``enumerate`` and ``reversed`` are looked into."""
        self.facts.consumed.add(id(node))
        if isinstance(node, gast.Call) and not node.keywords:
            function = self.function_of(node, environment)
            if function is range:
                for item in node.args:
                    self.as_key(item, self.passively(item, environment))
                self.facts.values[id(node)] = Opaque()
                return INTEGER
            if function is zip and is_starred(node):
                self.facts.spelled.pop(id(node), None)  # in an earlier turn of a loop there may have been as many
                spread = self.spread(node, environment)
                told = spread is not node and bool(spread.args) and isinstance(
                    getattr(spread.args[0], "value", None), gast.Attribute)
                if not is_starred(spread) or told:  # what an object runs through
                    self.stands_for(node, spread)
                    return self.iterate(spread, environment)
                found = self.equivalent(node, function, environment)
                if found is not None:
                    return self.apart(self.element_of(found), id(node))
                values = [self.evaluate(item, environment) for item in node.args]
                if any(value.active for value in values):
                    return self.element_of(self.evaluate(node, environment))  # which is refused
                self.facts.values[id(node)] = Opaque()
                part = self.element_of(self.element_of(self.facts.values[id(node.args[0].value)])) \
                    if len(node.args) == 1 else None
                return Items(tuple, None, part) if isinstance(part, Numeric) else Opaque()
            if function in (enumerate, zip, reversed) and node.args:
                self.facts.values[id(node)] = Opaque()
                self.note_ends(node, function, environment)
                parts = [self.iterate(item, environment) for item in node.args]
                if function is reversed:
                    return parts[0]
                if function is enumerate:
                    self.facts.values[id(node)] = Opaque()
                    return Items(tuple, (INTEGER, parts[0]))
                return Items(tuple, tuple(parts))
        value = self.evaluate(node, environment)
        if isinstance(value, Opaque) and self.function_of(node, environment) is sorted:
            given = self.facts.values.get(id(node.args[0]))  # type: ignore[attr-defined]
            if isinstance(given, Numeric) or isinstance(given, Items) and not given.is_object:
                return self.apart(self.element_of(given), id(node))
        if isinstance(value, Opaque) and isinstance(node, gast.Call) and not node.keywords:
            count = self.numbers_given(node, self.function_of(node, environment))
            if count is not None:
                return Items(tuple, (INTEGER,) * count)
        over = self.iterated(node, value)
        if over is not None and not value.active:  # a constant is run through as it stands
            return self.apart(self.element_of(self.evaluate(over, environment)), id(node))
        if over is not None:
            self.stands_for(node, over)
            return self.iterate(over, environment)
        return self.apart(self.element_of(value), id(node))

    def numbers_given(self, node: gast.Call, function: Any) -> int | None:
        """Of how many numbers each tuple is that ``np.ndindex(x.shape)`` or ``itertools.product`` of ranges gives."""
        given = [self.facts.values.get(id(getattr(item, "value", item) if is_starred(node) else item))
                 for item in node.args]
        if function is np.ndindex and len(given) == 1 and isinstance(given[0], Items) and given[0].kind is tuple:
            return None if given[0].items is None else len(given[0].items)  # be it np.ndindex(*x.shape)
        if is_starred(node):
            return None
        if function is itertools.product and all(value == RANGE for value in given):
            return len(given)
        numbers = function is np.ndindex and all(isinstance(value, Numeric) and value.is_number for value in given)
        return len(given) if numbers and given else None

    def counted_out(self, node: gast.Call, environment: dict) -> Abstract:
        """What an iterator runs through, where that is a sequence: which items come is told by a count of those that
        came."""
        items, steady = node.args
        value = self.facts.value(items)
        kinds = (list, tuple) if known_value(self.facts.value(steady)) else (tuple,)
        sequence = isinstance(value, Items) and value.kind in kinds or isinstance(value, Numeric) \
            and not value.is_number or isinstance(known_value(value), (str, range)) \
            or self.function_of(items, environment) is range
        if not sequence:
            raise self.no_rule(node, iter)
        return self.respelled(node, items, environment)
