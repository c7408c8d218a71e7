"""Abstract values of calls: functions with a rule, methods, functions of the user's, passive calls; loop headers."""
from __future__ import annotations

import dataclasses
import enum
import functools
import heapq
import inspect
import itertools
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler import objects
from s2sgrad.compiler.closed import enclosed, holds_made_functions, is_closed, makes_under_other_names
from s2sgrad.compiler.construct import Constructions
from s2sgrad.compiler.defaults import by_name, is_default
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.dispatched import chosen, registered
from s2sgrad.compiler.effects import (
    EQUIVALENTS,
    HEAPS,
    MUTATING_METHODS,
    TELLING,
    functions_in,
    has_effect,
    is_library,
    may_write,
)
from s2sgrad.compiler.equivalents import CONSUMERS, OF_TWO, RUN_ALONG, SUMS, WITH, in_order, nested_list, rest_of
from s2sgrad.compiler.evaluation import NeedsName, NeedsSizes, number_of_items
from s2sgrad.compiler.facts import Called, numbers_in, same_array
from s2sgrad.compiler.functional import Functional, is_ufunc_method
from s2sgrad.compiler.initializers import written_init
from s2sgrad.compiler.layouts import layout
from s2sgrad.compiler.nested import GRADIENT, Nested, computes_derivatives, is_transform, makes_derivatives
from s2sgrad.compiler.program import (
    attribute,
    call,
    constant,
    holder,
    is_starred,
    located_at,
    names_in,
    subscript,
    tuple_of,
    walk,
)
from s2sgrad.compiler.reading import Reading
from s2sgrad.compiler.scopes import late_defaults, stores, yields
from s2sgrad.compiler.sharing import may_be_written
from s2sgrad.compiler.targets import CACHED, is_gradient, target_of
from s2sgrad.compiler.telling import TEXTS, is_told, reads_number, tells_of
from s2sgrad.compiler.texts import result_of_method
from s2sgrad.containers import in_library, instance
from s2sgrad.errors import S2SGradError, SourceError, UnsupportedError
from s2sgrad.rules.abstract import (
    ANY,
    BOOLEAN,
    INTEGER,
    KEY,
    MISSING,
    NEVER,
    Abstract,
    Function,
    Items,
    Known,
    Numeric,
    Opaque,
    as_numeric,
    join,
    known_value,
    number,
    passive,
    slice_of,
)
from s2sgrad.rules.draws import drawn, draws, makes_generator
from s2sgrad.rules.refused import (
    do_otherwise,
    is_refused,
    is_sparse,
    like_its_object,
    made_sparse,
    makes_other_arrays,
    public_name,
    remedy_for,
)
from s2sgrad.rules.table import METHODS, NeedsValue, Rule, rule_for
from s2sgrad.runtime import is_mapping, is_sequence

DISPATCHER: Any = type(np.sum)
"""The class of most of NumPy's functions."""
KINDS = (types.FunctionType, types.BuiltinFunctionType, DISPATCHER, np.ufunc)
"""The classes of functions that libraries have."""
PLAIN = (type(None), str)
"""What they get besides numbers and arrays, such as an axis or an order that is left out."""
OTHER_NAMES: tuple[tuple[Any, dict[str, str]], ...] = (
    *((function, {"correction": "ddof"}) for function in (np.var, np.std, np.nanvar, np.nanstd)),
    (np.clip, {"min": "a_min", "max": "a_max"}))
"""Functions that have two names for one argument, and which of them the rule knows."""
SPELLED = (np.apply_along_axis, np.piecewise, np.kaiser, *OF_TWO)
"""NumPy's functions that may be spelled out: those that get functions, and those of one array or of two."""

UNKNOWING = (callable, print, id, str, repr, bool)
"""Builtin functions to which a function that is an object is as good as any."""


class Calls(Constructions, Functional, Nested, Reading):
    """The evaluation of calls."""

    def of_Call(self, node: gast.Call, environment: dict) -> Abstract:
        if isinstance(node.func, gast.Attribute):
            parent = self.of_parent(node, environment)
            if parent is not None:
                return self.respelled(node, parent, environment)
            from_keys = self.from_keys(node, environment)
            if from_keys is not None:
                return from_keys
            receiver = self.evaluate(node.func.value, environment)
            if receiver is NEVER:
                return NEVER
            if isinstance(receiver, Opaque) and receiver.active:
                self.refuse_mixture(receiver, node.func.value)
                receiver = as_numeric(receiver)
            if isinstance(receiver, Numeric):
                return self.method(node, receiver, environment)
            if is_sparse(receiver) and node.func.attr == "dot" and len(node.args) == 1 and not node.keywords:
                product = gast.BinOp(node.func.value, gast.MatMult(), node.args[0])
                return self.respelled(node, self.one_for(node, product), environment)
            if isinstance(receiver, Known) and isinstance(receiver.value, str):  # "...".format(x)
                for item in (*node.args, *(item.value for item in node.keywords)):
                    self.passively(item.value if isinstance(item, gast.Starred) else item, environment)
                text = result_of_method(receiver, node.func.attr, not node.args) or Opaque()
                return self.text_of(node, environment) if text == KEY else text
            if isinstance(receiver, Items) and not receiver.is_object and node.func.attr in MUTATING_METHODS:
                held = isinstance(node.func.value, gast.Attribute)
                raise self.refusal(f".{node.func.attr}() writes into the container, which is not supported here",
                                   "store a new one in the attribute: self.xs = self.xs + [x]" if held else
                                   "call it on a line of its own, or build a new container", node)
            method = self.method_of_container(node, receiver)
            if method is not None:
                return self.respelled(node, method, environment)
            if isinstance(receiver, Items):
                result = self.container_method(node, receiver, environment)
                if result is not None:
                    return result
            is_field = isinstance(receiver, Items) and (
                receiver.has_field(node.func.attr) or receiver.is_object and node.func.attr == "__class__")
            if receiver.active and not self.passive_context and not is_field:
                remedy = "compare the items in a loop" if node.func.attr in ("index", "count") else \
                    "make an array of it with np.array"
                raise self.refusal(f".{node.func.attr}() of a list or tuple of differentiated values is not supported "
                                   "yet", remedy, node)
        if isinstance(node.func, gast.Call):
            self.used_at_once.add(id(node.func))
        callee = self.evaluate(node.func, environment)
        self.refuse_mixture(callee, node.func)
        function = known_value(callee)
        keeps = isinstance(function, type) or is_transform(function) or makes_derivatives(function)
        if id(node) in self.used_at_once or not keeps:
            self.used_at_once.update(map(id, (*node.args, *(item.value for item in node.keywords))))
        if isinstance(callee, Items):
            own = objects.method_call(node, node.func, callee.kind, "__call__", self.outer)
            if own is not None:
                return self.respelled(node, own, environment)
        if self.tells_of_exceptions(node, function, environment):
            self.facts.tells = True
            return self.passively(node, environment)
        if (len(node.args) > 1 or node.keywords) and isinstance(function, KINDS):
            others = ("dtype",) if is_ufunc_method(function) else WITH.get(function, ())
            named = by_name(node, function, rule_for(function), others)
            if named is not None:
                return self.respelled(node, self.one_for(node, named), environment)
        if function is np.where and len(node.args) == 1 and not node.keywords and not is_starred(node):
            return self.respelled(node, self.one_for(node, call(self.given(np.nonzero), *node.args)), environment)
        labels = [item.arg for item in node.keywords]
        names = next((names for one, names in OTHER_NAMES if function is one), {}) if labels else {}
        if not names.keys().isdisjoint(labels) and set(names.values()).isdisjoint(labels):
            return self.respelled(node, self.by_known_names(node, names), environment)
        looked_up = None
        if is_numerical(function) and not is_starred(node) and not (
                node.keywords and function in WITH and not WITH[function].keys().isdisjoint(labels)):
            # most often it gets numbers and arrays alone
            rule, looked_up = rule_for(function), self.known_of_arguments(node, environment)
            arguments, keywords = looked_up
            if rule is not None and len(node.args) <= rule.places_taken and all(map(
                    is_numerical_argument, (*arguments, *keywords.values()))):
                return self.apply_call(node, rule, node.args, arguments, node.keywords, keywords)
        registry = registered(function)
        if registry is not None and node.args and not self.passive_context:
            return self.respelled(node, self.dispatched(node, function, registry, environment), environment)
        if any(function is one for one in RUN_ALONG):
            self.note_ends(node, function, environment)
        spread = self.spread(node, environment)
        if spread is not node:
            self.stands_for(node, spread)
            return self.evaluate(spread, environment)
        if function is functools.reduce and not node.keywords and not is_starred(node):
            folded = self.reduced(node, environment)
            if folded is not None:
                self.facts.spelled[id(node)] = folded
                return self.evaluate(folded, environment)
        if function is next and not self.passive_context and node.args:
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
        over = self.over_objects(node, environment) if any(function is known for known in CONSUMERS) else None
        if over is not None:
            return self.respelled(node, over, environment)
        found = self.read_by_name(node, function, environment)
        if found is None:
            found = self.keys_of(node, function, environment)
        if found is None:
            found = self.equivalent(node, function, environment)
        if found is not None:
            return found
        chooses = any(function is one for one in (sorted, min, max)) and (
            node.keywords or function is sorted and self.is_range(node.args, environment))
        if chooses and not self.passive_context and not any(
                self.evaluate(item, environment).active for item in node.args):
            self.refuse_changing_functions(
                node, [self.evaluate(item.value, environment) for item in node.keywords], environment)
            return self.chosen(node, function, environment)
        arguments, keywords = looked_up or self.known_of_arguments(node, environment)
        values = [*arguments, *keywords.values()]
        if any(value is NEVER for value in (callee, *values)):
            return NEVER
        if isinstance(callee, Function):
            return self.inner_call(node, callee, environment)
        if isinstance(callee, Items) and is_closed(callee.kind):
            return self.closed_call(node, callee, environment)
        renamed = function is enclosed and isinstance(arguments[0], Items) and (
            known_value(arguments[1]) not in arguments[0].steps)  # what made it has been written out
        if function is enclosed and isinstance(arguments[0], Items) and not renamed:
            label = known_value(arguments[1])
            return arguments[0].at(label) if not arguments[0].active else self.respelled(
                node, located_at(attribute(node.args[0], label), node), environment)
        looks_in = isinstance(function, types.FunctionType) and not renamed or (
            isinstance(function, type) and function is not type) or is_gradient(function)
        if not looks_in and not any(function is one for one in UNKNOWING) and any(
                isinstance(value, Items) and is_closed(value.kind) for value in values):
            label = getattr(function, "__name__", "this")
            raise self.refusal(f"what {label} makes of a function that is made here is not known",
                               "call the function itself", node)
        active = (callee.active or any(value.active for value in values)
                  or self.closes_over_active(values, environment)) and not self.passive_context
        if is_starred(node):
            if active:
                raise self.of_open_stars(node)
            return Opaque()
        if function is super and not self.passive_context and any(
                version.value.active for version in environment.values() if isinstance(version.value, Items)
                and version.value.is_object):
            raise self.refusal("what super() gives is not followed", "call its method here, super().name(...)", node)
        if function is exec or not self.passive_context and any(function is item for item in (eval, locals, vars)):
            raise self.refusal(f"what {function.__name__} reads and writes can't be seen before the call",
                               "write the code out", node)
        if function is is_mapping:
            return self.matched_by_keys(values[0])
        if function is is_sequence:
            return self.matched(*arguments)
        if function is in_order:
            return self.counted_out(node, environment)
        if function is rest_of:
            rest = subscript(node.args[0], gast.Slice(node.args[1], None, None))
            return self.respelled(node, located_at(rest, node), environment)
        if function is slice and len(values) in (1, 2, 3) and not active:
            return slice_of(*values)
        if isinstance(function, enum.EnumMeta) and len(values) == 1 and not active:
            return self.member(function, values[0])
        if function in (isinstance, hasattr) and len(values) == 2 or function is callable and len(values) == 1:
            known = self.passive_call(node, function, arguments, environment)
            return BOOLEAN if known == Opaque() else known
        if function is type and len(values) == 1 and isinstance(values[0], Items) and not values[0].optional:
            return Known(type_of(values[0]) or values[0].kind)
        if arguments and any(function is known for known in objects.FUNCTIONS):
            parts = [*node.args, *(item.value for item in node.keywords)]  # the digits of round
            for special in objects.special_calls(node, arguments[0], objects.FUNCTIONS[function], parts, self.outer):
                return self.respelled(node, special, environment)
        if function is print and node.keywords:  # into a file, perhaps
            self.facts.told_away = self.facts.told_away or any(tells_of(item, environment) for item in node.args)
        if any(function is known for known in TELLING) and not any(
                True for value in values for _ in objects.objects_in(value)):  # whose own methods would be called
            return self.text_of(node, environment) if any(function is known for known in TEXTS) else Opaque()
        made = self.constructed(node, function, arguments, keywords, environment) if isinstance(function, type) else \
            self.remade(node, function, arguments, environment)
        if made is not None:
            return made
        if not isinstance(function, (types.FunctionType, type)) and function is not isinstance:
            for value in values if function is not len else ():  # which asks nothing of what is in a container
                self.calmly(node, value, objects.called_by(function))
            self.refuse_changing_functions(node, values, environment)
        if function is instance or objects.is_empty(function) and not values:
            made = self.instance(node, known_value(arguments[0]) if arguments else function, keywords)
        if made is not None:
            return made
        initializer = objects.initializer(function, self.outer) or self.written_init(node, function)
        if initializer is not None and self.derivative_of is not None:
            definition = Definition(initializer, made=function)
            return self.user_call(node, definition, (), environment) if active else self.passive_result(
                node, definition, environment)
        rule = rule_for(function)
        by_class = self.by_class(node, function, values) if rule is not None and active and objects.objects_or_named(
            values) else None
        if by_class is not None:
            return self.respelled(node, by_class, environment)
        if rule is not None and not (active and is_spelled_out(function, rule)):
            arrays = self.with_arrays(node, rule, arguments, keywords) if active else None
            if arrays is not None:
                return self.respelled(node, arrays, environment)
            return self.apply_call(node, rule, list(node.args), arguments, node.keywords, keywords)
        if makes_derivatives(function):
            return self.made_derivative(node, function, environment)
        changes = not active and any(True for value in values for _ in objects.objects_in(value)) \
            and self.changes_objects(node, function, environment)
        if not active and not (node is self.whole_call and (changes or self.is_writer(function))):
            written = [(item, value) for item, value in zip(node.args, arguments) if may_be_written(value)]
            local = bool(written) and all(
                not isinstance(value, Known) or holder(item) in environment for item, value in written)
            if changes or local and self.is_writer(function):
                raise NeedsName(node, self.writing_call(node) if self.passive_context and not changes
                                else self.part_of_an_expression(node))
            self.refuse_writes(node, function, values)
            return self.passive_call(node, function, arguments, environment)
        if is_gradient(function) and function is not GRADIENT:
            return self.gradient_call(node, function, environment)
        if function is GRADIENT:
            raise self.refusal("the function whose gradient is called here is not known before the call",
                               "give grad a function by its name", node)
        if computes_derivatives(function):
            return self.derivative_at_once(node, function, environment)
        if is_transform(function):
            raise self.refusal(f"{function.__name__} gets differentiated values, and can't be differentiated itself",
                               "use what grad or value_and_grad makes", node)
        function = written_in_python(function)
        if isinstance(function, types.FunctionType) and not is_refused(function) and (
                not is_own(function) or is_spelled_out(function, rule)):
            if inspect.isgeneratorfunction(function):
                return self.generated(  # type: ignore[attr-defined]
                    node, Definition(function, collected=True), (), environment)
            if function.__name__ == "__iter__" and id(node) in self.facts.consumed:
                return self.iterable_of(node, function, environment)
            return self.user_call(node, Definition(function), (), environment)
        if function is MISSING:
            self.wish(node.func)
        raise self.no_rule(node, function)

    def dispatched(self, node: gast.Call, function: Any, registry: dict, environment: dict) -> gast.AST:
        """The call of the registered function that a call of a ``singledispatch`` function is."""
        value = self.evaluate(node.args[0], environment)
        kind = type(value.value) if isinstance(value, Known) else type_of(value)
        meant = None if kind is None else chosen(function, registry, kind)
        implementation = MISSING if meant is None else known_value(self.outer(meant, registry))
        if implementation is MISSING:
            raise self.refusal(f"which of its functions {function.__name__} calls here is not known before the call",
                               "call that one itself, or let all that it may get be of one class", node)
        if id(node) not in self.facts.simpler:
            called = gast.Call(self.given(implementation), node.args, node.keywords)
            self.facts.simpler[id(node)] = located_at(called, node)
        return self.facts.simpler[id(node)]

    def iterable_of(self, node: gast.Call, function: types.FunctionType, environment: dict) -> Abstract:
        """What an ``__iter__`` that is no generator makes its iterator of, which is run through at once."""
        plain = function.__globals__.get("iter", iter) is iter
        value = self.user_call(node, Definition(function, collected=plain), (), environment)
        if isinstance(value, Items) and value.is_object:
            raise self.refusal(f"{function.__qualname__} gives an object of {value.kind.__name__}, and what the "
                               "__next__ of that does is not followed",
                               "write __iter__ with yield, or let it return iter(items)", node)
        return value

    def tells_of_exceptions(self, node: gast.Call, function: Any, environment: dict) -> bool:
        """``str(error)``: what an exception holds is not followed, but this gives nothing of it."""
        return bool(node.args) and not self.passive_context and all(
            isinstance(item, gast.Name) and item.id in environment and environment[item.id].origin == "caught"
            for item in node.args) and not node.keywords and any(function is known for known in TELLING)

    def known_of_arguments(self, node: gast.Call, environment: dict) -> tuple[list[Abstract], dict[str, Abstract]]:
        """What is known of the arguments of a call."""
        return [self.evaluate(item.value if isinstance(item, gast.Starred) else item, environment)
                for item in node.args], {
            item.arg or "**": self.evaluate(item.value, environment) for item in node.keywords}

    def first_given(self, node: gast.Call, environment: dict) -> Abstract | None:
        """What is known of what a call of ``next`` gives; None where it may be differentiated."""
        active = any(environment[label].value.active for label in names_in(node) if label in environment)
        source: Any = node.args[0]
        if not isinstance(source, gast.GeneratorExp) or len(node.args) > 1:
            return None if active else Opaque()
        self.facts.consumed.add(id(source))
        over = {id(each.iter) for each in source.generators} - self.facts.exhausted
        self.facts.exhausted |= over  # no matter how many it gives
        value = self.evaluate(source, environment)
        self.facts.exhausted -= over
        if value is NEVER:  # of a generator without end nobody knows what a list of all would hold
            return None if active else Opaque()
        return self.element_of(value)

    def written_init(self, node: gast.Call, kind: Any) -> types.FunctionType | None:
        """The ``__init__`` of a dataclass, for the fields that a call gives."""
        if not isinstance(kind, type) or not dataclasses.is_dataclass(kind):
            return None
        try:
            given = inspect.signature(kind).bind(*node.args, **{item.arg: item.value for item in node.keywords})
        except TypeError:
            return None
        if hasattr(kind, "__post_init__"):
            self.outer("__post_init__", kind)
        return written_init(kind, frozenset(given.arguments))

    def spread(self, node: gast.Call, environment: dict) -> gast.Call:
        """The call that a call makes in the end, with the arguments that a callable object adds, and those that are
        given with ``*`` and ``**``, written out as far as they are known; the node itself where it is that call."""
        target = target_of(known_value(self.facts.values[id(node.func)]))
        args = [part for item in node.args for part in self.unpacked(item, environment)]
        keywords = [part for item in node.keywords for part in self.unpacked_keywords(item, environment)]
        if not target.steps:
            same = args == node.args and keywords == node.keywords
            return node if same else gast.copy_location(gast.Call(node.func, args, keywords), node)
        named = {item.arg for item in keywords}
        bound = [self.reached(node, steps, value) for steps, value in target.positional]
        more = [gast.keyword(key, self.reached(node, steps, value)) for key, (steps, value) in target.keywords.items()
                if key not in named]
        function = gast.copy_location(attribute(node.func, *target.steps), node.func)
        return gast.copy_location(gast.Call(function, [*bound, *args], [*keywords, *more]), node)

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

    def reached(self, node: gast.Call, steps: tuple, value: Any) -> gast.AST:
        """The expression of an argument that a callable adds."""
        found = node.func
        if steps == ("__self__",) and isinstance(found, gast.Attribute) \
                and known_value(self.facts.values.get(id(found.value), Opaque())) is value:
            return found.value
        for step in steps:
            found = attribute(found, step) if isinstance(step, str) else subscript(found, constant(*step))
            gast.copy_location(found, node.func)
        return found

    def unpacked(self, node: gast.AST, environment: dict) -> list[gast.AST]:
        """The arguments that ``*pair`` gives, where it is known how many."""
        if not isinstance(node, gast.Starred):
            return [node]
        if isinstance(node.value, (gast.GeneratorExp, gast.ListComp)):
            return self.list_written_out(node.value, environment) or [node]  # type: ignore[attr-defined]
        value = self.evaluate(node.value, environment)
        function = known_value(self.facts.values.get(
            id(getattr(node.value, "func", None)), ANY))
        if (function is list or function is tuple) and len(node.value.args) == 1:
            return self.unpacked(gast.copy_location(gast.Starred(node.value.args[0], gast.Load()), node), environment)
        if self.iterated(node.value, value) is not None:  # type: ignore[attr-defined]
            items = gast.copy_location(gast.Call(self.given(list), [node.value], []), node)
            star = gast.copy_location(gast.Starred(items, gast.Load()), node)
            self.facts.listed[id(node.value)] = [star]
            value, node = self.evaluate(items, environment), star
        count = number_of_items(value)
        if count is None:
            return [node]
        if isinstance(node.value, (gast.Tuple, gast.List)):
            return node.value.elts
        return [gast.copy_location(subscript(node.value, constant(index)), node) for index in range(count)]

    def of_Starred(self, node: gast.Starred, environment: dict) -> Abstract:
        if self.evaluate(node.value, environment).active and not self.passive_context:
            raise self.of_open_stars(node)
        return Opaque()

    def of_open_stars(self, node: gast.Call | gast.Starred) -> Exception:
        """What is raised at ``*values`` in a call where their number is not known: what decides it, or the sizes of
        the arguments, must be."""
        refusal = self.refusal("how many arguments * or ** gives this call is not known before it",
                               "write the arguments out", node)
        items = node.args if isinstance(node, gast.Call) else [node]
        parts = [part for item in items if isinstance(item, gast.Starred) for part in walk(item)]
        if not parts:
            return refusal
        given = [self.facts.values.get(id(part)) for part in parts]
        inputs = [version.value for version in self.facts.parameters.values()]
        lists = any(map(holds_open_list, (*given, *inputs)))
        return NeedsSizes(letters_of(given) or letters_of(inputs), lists, refusal)

    def unpacked_keywords(self, item: Any, environment: dict) -> list:
        """The keywords that ``**options`` gives, where the keys are known."""
        if item.arg is not None:
            return [item]
        value = self.evaluate(item.value, environment)
        node = self.facts.written_display(item.value)
        if not isinstance(value, Items) or value.kind is not dict or value.is_open \
                or not (isinstance(node, (gast.Name, gast.Dict)) or self.facts.is_place(node)) \
                or not all(isinstance(key, str) for key in value.steps):
            return [item]
        displayed = self.facts.displays.get(id(node))
        parts = displayed or [self.part(node, value, step) for step in value.steps]
        return [gast.copy_location(gast.keyword(key, part), item) for key, part in zip(value.steps, parts)]

    def method_of_container(self, node: gast.Call, receiver: Abstract) -> gast.Call | None:
        """A call of a method that a named tuple's or an object's class defines, as one of the function that it is."""
        assert isinstance(node.func, gast.Attribute)
        if not isinstance(receiver, Items) or receiver.items is None or receiver.keys is None \
                or receiver.kind is dict or receiver.has_field(node.func.attr):
            return None
        return objects.method_call(node, node.func.value, receiver.kind, node.func.attr, self.outer)

    def method_found(self, node: gast.Call, environment: dict) -> Any:
        """The call of a function that a call of an object, of a method of one or of ``super()`` is; None for others."""
        callee = self.passively(node.func, environment)
        if isinstance(callee, Items):
            return objects.method_call(node, node.func, callee.kind, "__call__", self.outer)
        if not isinstance(node.func, gast.Attribute):
            return None
        parent = self.of_parent(node, environment)
        return parent if parent is not None else self.method_of_container(
            node, self.passively(node.func.value, environment))

    def of_parent(self, node: gast.Call, environment: dict) -> gast.AST | None:
        """What a call of a method of ``super()`` is in the end."""
        assert isinstance(node.func, gast.Attribute)
        inner = node.func.value
        parent = self.parent_of(inner, environment) if objects.is_parent(inner) else None
        if parent is None:
            return None
        within, label, value = parent
        return objects.parent_call(node, label, within, value, self.outer)

    def wish(self, node: gast.AST) -> None:
        """A method of an argument that is called: which one it is must be known before the call."""
        root = node
        while isinstance(root, gast.Attribute):
            root = root.value
        value = self.facts.values.get(id(root))
        if isinstance(value, Opaque) and value.origin is not None and not self.passive_context:
            need = NeedsValue(value.origin, value)
            need.location = self.node_location(node)
            raise need

    def passive_call(self, node: gast.Call, function: Any, arguments: list, environment: dict) -> Abstract:
        """What a call gives that stays as it is: of a user's function as much as reading it tells."""
        if function is isinstance and len(arguments) == 2:
            kind, classes = type_of(arguments[0]), known_value(arguments[1])
            if kind is not None and classes is not MISSING:
                return number(issubclass(kind, classes))
        if function is callable and len(arguments) == 1:
            kind = types.FunctionType if isinstance(arguments[0], Function) else type_of(arguments[0])
            if kind is not None:
                return number(issubclass(kind, Callable))
            if isinstance(arguments[0], Known):
                return number(callable(arguments[0].value))
        if function is ord:
            return INTEGER
        if reads_number(function, arguments):
            self.facts.numbers_read.append(self.node_location(node))
        if is_transform(function):
            return Known(GRADIENT)
        if isinstance(function, types.FunctionType) and self.derivative_of is not None and (
                not is_library(function) or function.__module__ == EQUIVALENTS):
            run_through = function.__name__ == "__iter__" and id(node) in self.facts.consumed
            return self.passive_result(node, Definition(function, collected=run_through), environment)
        if makes_other_arrays(function) and not self.passive_context:
            raise self.refusal(f"{function.__name__} makes an array whose arithmetic is its own", "use plain arrays",
                               node)
        made = made_sparse(function)
        if made is not None:
            return Opaque(kind=made)
        if makes_generator(function):
            return Opaque(kind=sys.modules["numpy.random"].Generator)
        if isinstance(node.func, gast.Attribute) and draws(function, self.facts.value(node.func.value)):
            keywords = {item.arg: self.facts.value(item.value) for item in node.keywords if item.arg is not None}
            label = node.func.attr if function is MISSING else function.__name__
            found = drawn(label, arguments, keywords) if len(keywords) == len(node.keywords) else Opaque()
            return self.with_sizes(id(node), found)
        if isinstance(node.func, gast.Attribute):
            told = result_of_method(self.facts.values.get(id(node.func.value)), node.func.attr)
            return told if told is not None else like_its_object(
                self.facts.values.get(id(node.func.value)), node.func.attr, len(node.args) + len(node.keywords))
        return Opaque()

    def refuse_changing_functions(self, node: gast.Call, values: list[Abstract], environment: dict) -> None:
        """A function that is handed to code that nobody looks into may call methods of objects around it."""
        for found in [found for value in values for found in functions_in(value)]:
            held = {label: environment[home].value for label, home in found.homes if home in environment}
            kinds = [inner.kind for value in held.values() for inner in objects.objects_in(value)]
            parts = walk(found.syntax)
            if any(isinstance(part, gast.Attribute) and objects.may_change(kind, part.attr)
                   for kind in kinds for part in parts) or any(
                    isinstance(item, gast.Name) and any(objects.objects_in(held.get(item.id, Opaque())))
                    for part in parts if isinstance(part, gast.Call) for item in part.args):
                raise self.writing_call(node)

    def changes_objects(self, node: gast.Call, function: Any, environment: dict) -> bool:
        """Whether a function of the user's that nothing differentiated goes into may store something in an object that
        it gets: its text alone does not tell, for it calls methods."""
        if not isinstance(function, types.FunctionType) or is_library(function) or self.derivative_of is None:
            return False
        generates = inspect.isgeneratorfunction(function)
        definition, _, values = self.bound(node, Definition(function, collected=generates), (), environment)
        try:
            derivative, _ = self.derivative_of(definition, values)
        except (S2SGradError, NeedsValue):
            raise self.writing_call(node) from None
        changes = derivative.settled and bool(derivative.facts.written)
        if changes and generates:  # as it is run through, not where it is called
            raise self.writing_call(node)
        return changes

    def passive_result(self, node: gast.Call, definition: Definition, environment: dict) -> Abstract:
        """What is known of the result of a call that stays as it is."""
        try:
            definition, nodes, values = self.bound(node, definition, (), environment)
            derivative, result = self.derivative_of(definition, values)
            if not self.passive_context and makes_under_other_names(result, values):
                raise self.refusal(f"{derivative.name} makes a function of its *args, and gets nothing differentiated",
                                   "give it the functions one by one", node)
            self.facts.callees[id(node)] = Called(derivative, nodes, [], self.node_location(node),
                                                  remembered=self.is_remembered(node))
            self.facts.tells = self.facts.tells or is_told(result)
            return passive(result)
        except (S2SGradError, NeedsValue):  # nobody asks for its derivative: it may be written as it likes
            if any(holds_made_functions(self.facts.values.get(id(part))) for part in walk(node)):
                raise
            self.facts.callees.pop(id(node), None)
            return Opaque()

    def matched(self, value: Abstract, *numbers: Abstract) -> Abstract:
        """Whether a pattern of so many parts matches: known of what is known to be a tuple, or to be none."""
        counts = map(known_value, numbers)
        if isinstance(value, Items) and not issubclass(value.kind, (list, tuple)):
            return number(False)
        if isinstance(value, Items) and value.items is not None:
            return number(is_sequence(value.items, *counts))
        if isinstance(value, Known):
            return number(is_sequence(value.value, *counts))
        # whether arrays are sequences depends on the version of NumPy
        never = isinstance(value, Numeric) and (
            value.is_number or value.kind == "array" and not is_sequence(np.zeros(0), 0))
        return number(False) if never else BOOLEAN

    def matched_by_keys(self, value: Abstract) -> Abstract:
        """The same of a pattern of keys."""
        if isinstance(value, Items) and not value.is_object:
            return number(value.kind is dict)
        if isinstance(value, Known):
            return number(is_mapping(value.value))
        return number(False) if isinstance(value, Numeric) else BOOLEAN

    def refuse_writes(self, node: gast.Call, function: Any, values: list[Abstract]) -> None:
        """A passive call stays as it is; but what it writes into may have been saved by reference."""
        self.note_disturbed(node, function, *map(known_value, values))
        writable = any(map(may_be_written, values))
        inner = [found for value in values for found in functions_in(value)]
        if writable and self.writes(node, function) or any(stores(found.syntax) for found in inner):
            raise self.writing_call(node)

    def of_other(self, node: gast.AST, environment: dict) -> Abstract:
        self.refuse_hidden_writes(node, environment)
        return super().of_other(node, environment)

    def of_JoinedStr(self, node: gast.JoinedStr, environment: dict) -> Abstract:
        self.refuse_hidden_writes(node, environment)
        return super().of_JoinedStr(node, environment)

    def refuse_hidden_writes(self, node: gast.AST, environment: dict) -> None:
        """What is kept whole may hold calls that write, too: ``[row.fill(0.0) for row in parts]``."""
        inside = {part.id for part in gast.walk(node) if isinstance(part, gast.Name)
                  and not isinstance(part.ctx, gast.Load)}
        for call_ in [part for part in gast.walk(node) if isinstance(part, gast.Call)]:
            function = call_.func
            outer = isinstance(function, (gast.Name, gast.Attribute)) and inside.isdisjoint(names_in(function))
            known = known_value(self.passively(function, environment)) if outer else MISSING
            self.note_disturbed(call_, known)
            if getattr(function, "attr", "") in MUTATING_METHODS or self.writes(call_, known):
                raise self.writing_call(call_)

    def note_disturbed(self, node: gast.Call, *functions: Any) -> None:
        """Note functions that a passive call may call: what they change outside is looked for in the end."""
        for function in functions:
            if callable(function) and not isinstance(function, types.BuiltinFunctionType):
                self.facts.disturbing[id(function)] = function, self.node_location(node)

    def writes(self, node: gast.Call, function: Any) -> bool:
        """Whether a call may change one of its arguments."""
        out = next((item.value for item in node.keywords if item.arg == "out"), constant(None))
        return not (isinstance(out, gast.Constant) and out.value is None) or may_write(function) or (
            isinstance(node.func, gast.Attribute) and node.func.attr == "at")  # of a ufunc

    def writing_call(self, node: gast.Call) -> UnsupportedError:
        return self.refusal("this call may write into its arguments, which is not supported yet",
                            "call it on a line of its own, or let it return a new array", node)

    def element_at(self, node: Any, receiver: Numeric, arguments: list) -> gast.AST | None:
        """``m[1, 2].item()`` for ``m.item(1, 2)`` and ``m.item((1, 2))``, ``m.flat[2].item()`` for ``m.item(2)``; None
        where what is asked for is not known."""
        if receiver.rank is None or any(isinstance(item, gast.Starred) for item in node.args):
            return None
        single = len(arguments) == 1
        pair = isinstance(arguments[0], Items) and arguments[0].kind is tuple
        indices = arguments[0].items if single and pair else arguments
        if indices is None or not all(isinstance(index, Numeric) and index.is_number for index in indices):
            return None
        if len(indices) == receiver.rank:
            element = subscript(node.func.value, node.args[0] if single else tuple_of(node.args))
        elif single and not pair:
            element = subscript(gast.Attribute(node.func.value, "flat", gast.Load()), node.args[0])
        else:
            return None
        return call(gast.Attribute(element, "item", gast.Load()))

    def method(self, node: gast.Call, receiver: Numeric, environment: dict) -> Abstract:
        attribute = node.func.attr
        rule = METHODS.get(attribute)
        arguments = [self.evaluate(item, environment) for item in node.args]
        keywords = {item.arg or "**": self.evaluate(item.value, environment) for item in node.keywords}
        values = [receiver, *arguments, *keywords.values()]
        if any(value is NEVER for value in values):
            return NEVER
        if attribute in MUTATING_METHODS and not receiver.is_number:
            raise self.refusal(f".{attribute}() may write into the array, which is not supported yet",
                               "use the NumPy function that returns a new array", node)
        if attribute == "astype" and receiver.kind == "array" and known_value(keywords.get("copy", ANY)) is False:
            return self.respelled(node, self.cast_where_needed(node), environment)
        if attribute == "tolist" and receiver.active and not self.passive_context and receiver.rank is not None:
            listed = call(self.given(nested_list), node.func.value) if receiver.rank else call(
                gast.Attribute(node.func.value, "item", gast.Load()))
            return self.respelled(node, self.one_for(node, listed), environment)
        if attribute == "item" and arguments and receiver.active and not keywords and not self.passive_context:
            element = self.element_at(node, receiver, arguments)
            if element is not None:
                return self.respelled(node, self.one_for(node, element), environment)
        named = None if rule is None else by_name(node, rule.function, rule, bound=1)
        if named is not None:
            return self.respelled(node, self.one_for(node, named), environment)
        if rule is None or "**" in keywords or any(isinstance(item, gast.Starred) for item in node.args):
            if any(value.active for value in values) and not self.passive_context:
                raise self.refusal(f"the method .{attribute}() has no derivative rule", do_otherwise(attribute), node)
            return Opaque()
        return self.apply_call(node, rule, [node.func.value, *node.args], [receiver, *arguments], node.keywords,
                               keywords)

    def cast_where_needed(self, node: gast.Call) -> gast.AST:
        """``np.asarray(u, dtype)`` for ``u.astype(dtype, copy=False)``."""
        if id(node) not in self.facts.simpler:
            others = [item for item in node.keywords if item.arg != "copy"]
            self.facts.simpler[id(node)] = gast.copy_location(
                gast.Call(self.given(np.asarray), [node.func.value, *node.args], others), node)
        return self.facts.simpler[id(node)]

    def by_class(self, node: gast.Call, function: Any, values: list[Abstract]) -> gast.AST | None:
        """A sum of objects, or ``operator.add(v, w)`` of such, as the operators that the user's class defines; None of
        other functions."""
        if is_starred(node) or node.keywords or not node.args:
            return None
        if self.facts.simpler.get(id(node)) is not None:
            return self.facts.simpler[id(node)]
        kind = objects.operator_of(function)
        made: gast.AST | None = None
        if function is sum and len(values) in SUMS and isinstance(values[0], Items) and not values[0].is_object \
                and objects.has_operator(values[0].any_item, gast.Add):
            items: Any = node.args[0]
            if isinstance(items, gast.GeneratorExp):
                items = gast.copy_location(gast.ListComp(items.elt, items.generators), items)
            made = gast.Call(self.given(SUMS[len(values)]), [items, *node.args[1:]], [])
        elif kind is not None and len(values) == 2 and any(objects.has_operator(value, kind) for value in values):
            made = gast.BinOp(node.args[0], kind(), node.args[1])
        elif kind is not None and len(values) == 1 and objects.has_operator(values[0], kind):
            made = gast.UnaryOp(kind(), node.args[0])
        comparison = objects.comparison_of(function) if len(values) == 2 else None
        if comparison is not None:
            made = gast.Compare(node.args[0], [comparison()], [node.args[1]])
        if made is not None:
            self.facts.simpler[id(node)] = gast.copy_location(made, node)
        return made

    def by_known_names(self, node: gast.Call, names: dict[str, str]) -> gast.AST:
        """``np.var(x, ddof=1)`` for ``np.var(x, correction=1)``, ``np.clip(x, a_min=0, a_max=None)`` for
        ``np.clip(x, min=0)``, which by these names takes both."""
        if self.facts.simpler.get(id(node)) is None:
            renamed = [gast.keyword(names.get(item.arg, item.arg), item.value) for item in node.keywords]
            renamed += [gast.keyword(label, constant(None)) for label in names.values() if label not in [
                item.arg for item in renamed]]
            self.facts.simpler[id(node)] = located_at(gast.Call(node.func, node.args, renamed), node)
        return self.facts.simpler[id(node)]

    def with_arrays(self, node: gast.Call, rule: Rule, values: list[Abstract], keywords: dict) -> gast.AST | None:
        """``np.var(np.array(xs))`` for ``np.var(xs)`` of lists of differentiated values, as NumPy itself takes them."""
        if not takes_lists(rule.function) or not any(
                isinstance(value, Items) for value in (*values, *keywords.values())):
            return None
        names = itertools.chain((parameter.name for parameter in rule.parameters if not parameter.keyword_only),
                                itertools.repeat(rule.variadic.lstrip("*")))
        args = [self.as_array(item, value, rule, label) for item, value, label in zip(node.args, values, names)]
        others = [gast.keyword(item.arg, self.as_array(item.value, keywords[item.arg], rule, item.arg))
                  for item in node.keywords]
        if args == node.args and all(other.value is item.value for other, item in zip(others, node.keywords)):
            return None
        if self.facts.simpler.get(id(node)) is None:
            self.facts.simpler[id(node)] = located_at(gast.Call(node.func, args, others), node)
        return self.facts.simpler[id(node)]

    def as_array(self, item: gast.AST, value: Abstract, rule: Rule, label: str) -> gast.AST:
        """What a call gets, or an array of it where it is a list and the rule knows nothing of its items; where it is a
        list of arrays that is written out, each item likewise."""
        if not isinstance(value, Items) or rule.each is not None and value.items is None:
            return item
        if is_array_to_be(value) and (rule.takes_array(label) or label == rule.variadic.lstrip("*")
                                      or not (rule.takes_items or value.items)):
            return gast.copy_location(call(self.given(np.array), item), item)
        if value.items is None or not isinstance(item, (gast.List, gast.Tuple)) or not rule.takes_items \
                or rule.takes_nested(label):
            return item
        elements = [gast.copy_location(call(self.given(np.array), element), element) if is_array_to_be(part)
                    else element for element, part in zip(item.elts, value.items)]
        return item if elements == item.elts else gast.copy_location(type(item)(elements, gast.Load()), item)

    def apply_call(self, node: gast.Call, rule: Rule, nodes: list, values: list, keyword_nodes: list,
                   keywords: dict) -> Abstract:
        pairs = list(zip(nodes, values))
        given = {item.arg: (item.value, keywords[item.arg]) for item in keyword_nodes}
        if given and not given.keys() <= rule.names_taken:
            given = {label: pair for label, pair in given.items()
                     if label in rule.names_taken or not is_default(rule.function, label, known_value(pair[1]))}
        try:
            bound = rule.bind(pairs, given)
        except TypeError as error:
            if "out" in keywords or any(value.active for value in (*values, *keywords.values())) \
                    and not self.passive_context:
                remedy = "leave that argument out, or add a rule with s2sgrad.rule"
                if " take" not in str(error):  # missing, or there twice
                    remedy = "give each argument once"
                raise self.refusal(f"{rule.title} can't be differentiated here: {error}", remedy, node) from None
            if any(not (isinstance(value, Known) or isinstance(value, Numeric) and value.is_number)
                   for value in values[rule.places_taken:]):  # among the arguments that no rule takes may be ``out``
                raise self.writing_call(node) from None
            return Opaque()
        operand_nodes, operands = {}, {}
        for name, pair in bound.items():
            if isinstance(pair, list):  # several positional arguments gathered under one parameter
                operand_nodes[name] = tuple_of([item for item, _ in pair])
                operands[name] = Items(tuple, tuple(value for _, value in pair))
                self.facts.values[id(operand_nodes[name])] = operands[name]
            else:
                operand_nodes[name], operands[name] = pair
        return self.apply(node, rule, operand_nodes, operands)

    def inner_call(self, node: gast.Call, callee: Function, environment: dict) -> Abstract:
        """A call of a function that is defined inside: what it takes from around it is as good as an argument."""
        if is_starred(node):
            raise self.of_open_stars(node)
        is_generator = yields(callee.syntax)
        inner = Definition(callee.owner, syntax=callee.syntax, gradient=callee.gradient, collected=is_generator)
        if self.derivative_of is None:
            return Opaque()
        definition, _, values = self.bound(node, inner, callee.homes, environment)
        if any(value is NEVER for value in values):
            return NEVER
        derivative, result = self.derivative_of(definition, values)
        writes = derivative.facts.written if derivative.settled else stores(callee.syntax)
        if writes and node is not self.whole_call:
            raise NeedsName(node, self.part_of_an_expression(node))
        if writes or any(value.active for value in values) and not self.passive_context:
            called = self.generated if is_generator else self.user_call  # type: ignore[attr-defined]
            return called(node, inner, callee.homes, environment)
        self.facts.tells = self.facts.tells or is_told(result)
        return Opaque(told=is_told(result)) if is_generator else self.given_by(
            node, passive(result), filter(None, values))

    def need_contiguous(self, derivative: Any, arguments: list, environment: dict) -> None:
        """What a function writes through views that are views of contiguous arrays only must get these."""
        for parameter, node in zip(derivative.parameters, arguments):
            if node is None or parameter not in derivative.facts.contiguous:
                continue
            needs = layout(node, self.facts, environment)
            if needs is None:
                raise self.refusal(f"{derivative.name} writes through a reshaped {parameter}, and whether what it gets "
                                   "here is contiguous is not known before the call", "give it a copy", node)
            self.facts.contiguous.update(dict.fromkeys(needs, self.node_location(node)))

    def user_call(self, node: gast.Call, definition: Definition, homes: tuple, environment: dict) -> Abstract:
        """A call of a function of the user's with active arguments: it gets a primal and an adjoint of its own."""
        definition, nodes, values = self.bound(node, definition, homes, environment)
        try:
            derivative, result = self.derivative_of(definition, values)
        except SourceError as error:  # what has no source is the callee, and this is where it is called
            error.location = error.location or self.node_location(node)
            raise
        except UnsupportedError as error:
            function = definition.function
            inside = isinstance(function, types.FunctionType) and in_library(function.__module__) and getattr(
                error.location, "filename", "") == function.__code__.co_filename
            if inside and function.__module__ == HEAPS and function.__name__ in heapq.__all__:
                raise self.refusal(f"heapq.{function.__name__} is not followed here: {error.reason}",
                                   "keep numbers in the heap, or tuples with them", node) from None
            if inside and str(function.__module__).startswith("s2sgrad."):  # whose source means nothing to the user
                error.location = self.node_location(node)
            elif inside:
                raise self.refusal(f"{public_name(function)} has no derivative rule, and in its source {error.reason}",
                                   remedy_for(function), node) from None
            raise
        return self.noted(node, derivative, result, nodes, values, environment)

    def is_remembered(self, node: gast.Call) -> bool:
        """Whether a call is of a function that remembers what it gave."""
        function: Any = node.func
        while isinstance(function, gast.Attribute):
            function = function.value
            if type(known_value(self.facts.values.get(id(function), ANY))) is CACHED:
                return True
        return False

    def noted(self, node: gast.Call, derivative: Any, result: Abstract, nodes: list, values: list,
              environment: dict) -> Abstract:
        """The result of a call of a function that gets a primal and an adjoint, which the tables know from here on."""
        derivative.called = True
        self.facts.tells = self.facts.tells or derivative.is_known and derivative.facts.tells
        if isinstance(node.func, gast.Name):
            derivative.called_by(node.func.id)
        active = [index for index, value in enumerate(values) if value is not None and value.active]
        called = Called(derivative, nodes, active, self.node_location(node), remembered=self.is_remembered(node))
        self.facts.calls[id(node)] = self.facts.callees[id(node)] = called
        if derivative.settled:
            self.need_contiguous(derivative, nodes, environment)
        if derivative.is_known and derivative.facts.written:
            if node is not self.whole_call:
                raise NeedsName(node, self.part_of_an_expression(node))
            called.written = {parameter: self.written_argument(node, derivative, parameter, argument, value)
                              for parameter, argument, value in zip(derivative.parameters, nodes, values)
                              if parameter in derivative.facts.written}
        return self.given_by(node, result, filter(None, values))

    def part_of_an_expression(self, node: gast.AST) -> UnsupportedError:
        return self.refusal("this call writes into its arguments, and is part of an expression",
                            "write it on a line of its own", node)

    def is_writer(self, function: Any) -> bool:
        """Whether a function of the user's may write into its arguments."""
        return isinstance(function, types.FunctionType) and self.derivative_of is not None \
            and not is_library(function) and may_write(function)

    def written_argument(self, node: gast.Call, derivative: Any, parameter: str, argument: gast.AST | None,
                         value: Abstract | None) -> str:
        """The name of the array that a call writes into."""
        facts = derivative.facts
        if isinstance(value, Items) and parameter in facts.stored:
            return self.written_object(node, derivative, parameter, argument)
        known = isinstance(value, Numeric) and value.kind == "array"
        if not known or not isinstance(argument, gast.Name) or argument.id not in self.local:
            refusal = self.refusal(f"{derivative.name} writes into {parameter}, and what it gets here has no name of "
                                   "its own, or may be a number", "give it a whole array that has a name in this "
                                   "function", node)
            named = known and argument is not None and not isinstance(argument, gast.Name)
            raise NeedsName(argument, refusal) if named else refusal
        return argument.id

    def written_object(self, node: gast.Call, derivative: Any, parameter: str, argument: gast.AST | None) -> str:
        """The name of the object in which a call stores something."""
        end = derivative.facts.end(parameter)
        first = derivative.facts.parameters[parameter]
        if not isinstance(end, Items) or not all(
                same_array(first, version) for version in derivative.facts.ends[parameter]):
            raise self.refusal(f"{derivative.name} leaves {parameter} with other attributes on some ways than on "
                               "others, or binds it anew", f"set all attributes of {parameter} before", node)
        if not isinstance(argument, gast.Name) or argument.id not in self.local:
            if argument is not None and not any(part is argument for part in walk(node)):
                raise self.refusal(f"{derivative.name} changes what it has from around it, and was made here",
                                   "keep that in an object, and let a method change it", node)
            refusal = self.part_of_an_expression(node)
            raise refusal if argument is None else NeedsName(argument, refusal)
        return argument.id

    def bound(self, node: gast.Call, definition: Definition, homes: tuple, environment: dict
              ) -> tuple[Definition, list, list]:
        """A function for this call; for each of its parameters the expression and the value that the call gives it
        (None: the default)."""
        try:
            definition, nodes = definition.fitting(node.args, {item.arg: item.value for item in node.keywords})
        except TypeError as error:
            raise self.refusal(f"this call does not fit the function's parameters: {error}",
                               "call it with those that it has", node) from None
        if definition.syntax is not None:
            late = set(map(id, late_defaults(definition.syntax.args).values()))
            if any(id(part) in late for part in nodes):
                self.let_outlive([Function(definition.function, definition.syntax, homes)])
        values = [None if part is None else self.evaluate(part, environment) for part in nodes]
        if definition.own is not None and definition.own.ruled:
            return definition, nodes, [self.as_it_is(definition, part, value, environment)
                                       for part, value in zip(nodes, values)]
        if not homes and not any(isinstance(value, (Function, Items)) for value in values):
            return definition, nodes, values
        names = self.program_of(definition).names
        definition, more, values = self.handed_on(definition, homes, values, names, environment, node)
        return definition, [*nodes, *more], values

    def as_it_is(self, definition: Definition, node: gast.AST | None, value: Any, environment: dict) -> Any:
        """An argument of a function with a custom rule, to which a function is an object like others."""
        made = isinstance(value, Items) and is_closed(value.kind)
        if isinstance(value, Function) or made:
            if made and value.active or self.closes_over_active([value], environment):
                label = definition.function.__name__
                raise self.refusal(f"this function reads differentiated values, of which the rule of {label} knows "
                                   "nothing", "pass them as arguments, too", node)
            return Opaque()
        return value

    def iterate(self, node: gast.AST, environment: dict) -> Abstract:
        """What a loop's target is bound to; the parts of ``zip``, ``enumerate`` and ``reversed`` are looked into."""
        self.facts.consumed.add(id(node))
        if isinstance(node, gast.Call) and not node.keywords:
            function = self.function_of(node, environment)
            if function is range:
                for item in node.args:
                    self.passively(item, environment)
                self.facts.values[id(node)] = Opaque()
                return INTEGER
            if function is zip and is_starred(node):
                spread = self.spread(node, environment)
                if not is_starred(spread):
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
        over = self.iterated(node, value)
        if over is not None and not value.active:  # a constant is run through as it stands
            return self.apart(self.element_of(self.evaluate(over, environment)), id(node))
        if over is not None:
            self.stands_for(node, over)
            return self.iterate(over, environment)
        return self.apart(self.element_of(value), id(node))

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

    def no_rule(self, node: gast.Call, function: Any) -> UnsupportedError:
        root = node.func
        while isinstance(root, gast.Attribute):
            root = root.value
        captured = self.facts.captured.get(getattr(root, "id", ""))
        if captured is not None and captured.value == Opaque():  # all that is defined has an origin or a value
            return self.refusal(f"{captured.name} is not defined", "define or import it at module level", node)
        owner = known_value(self.facts.values.get(id(getattr(node.func, "value", None)), ANY))
        if isinstance(owner, types.ModuleType) and not hasattr(owner, node.func.attr):
            return self.refusal(f"{owner.__name__} has no {node.func.attr}", "look for another spelling of the name",
                                node)
        named = isinstance(node.func, gast.Attribute)
        if named and function is MISSING and owner is not MISSING and in_library(type(owner).__module__):
            label = f"{getattr(owner, 'name', None) or type(owner).__name__}.{node.func.attr}"
            return self.refusal(f"{label} has no derivative rule", "add one with s2sgrad.rule", node)
        if named and function is MISSING and isinstance(node.func.value, gast.Name) \
                and node.func.value.id in self.local and self.facts.values.get(id(node.func.value)) == Opaque():
            label = node.func.value.id
            if node.func.attr == "send":
                return self.refusal("what a generator makes of what is sent to it is not followed",
                                    "write a class, with what the generator keeps in attributes, and a method", node)
            return self.refusal(f"what {label} is, and what its .{node.func.attr}() does, is not known before the call",
                                f"make {label} before, and give it as an argument", node)
        if function is MISSING:
            return self.refusal("the function called here is not known before the call", "call it by its name", node)
        if function is iter:
            return self.refusal("how far an iterator has come is not followed",
                                "write a loop over what it runs through, or count: items[i]; i += 1", node)
        derived = [kind for kind in (tuple, list, dict) if isinstance(function, type) and issubclass(function, kind)]
        if derived and not in_library(function.__module__):
            return self.refusal(f"{function.__name__} is derived from {derived[0].__name__}, and what it changes is "
                                "not looked into", "make it a class of its own, with what it holds in attributes", node)
        if function is zip:
            return self.refusal("zip with strict= is not supported", "leave it out, and compare the lengths before: "
                                "assert len(a) == len(b)", node)
        if isinstance(function, type) and not in_library(function.__module__):
            return self.refusal(f"objects of {function.__name__} are made by more than an __init__, which is not "
                                "followed", "do it in __init__, without __new__ and a metaclass, or let a function "
                                "make them", node)
        label = public_name(function)
        lacks = "derivative rule" if is_refused(function) else "derivative rule and no Python source"
        return self.refusal(f"{label} has no {lacks}", remedy_for(function), node)


def type_of(value: Abstract) -> type | None:
    """The class of a value, where it is known."""
    if isinstance(value, Items):
        return None if value.optional else types.FunctionType if is_closed(value.kind) else value.kind
    if isinstance(value, Numeric) and value.kind == "array":
        return np.ndarray
    if isinstance(value, Numeric) and value.dtype is not None and value.kind in ("python", "scalar"):
        return type(value.dtype.type(0).item()) if value.kind == "python" else value.dtype.type
    return None


def written_in_python(function: Any) -> Any:
    """The Python function around which one of NumPy's is put that has no rule; others as they are."""
    plain = function.__wrapped__ if type(function) is DISPATCHER and not may_write(function) else None
    return plain if isinstance(plain, types.FunctionType) and not is_refused(function) else function


def is_own(function: types.FunctionType) -> bool:
    """Whether a function is a helper of generated code."""
    return str(function.__globals__.get("__name__")).startswith(("s2sgrad.runtime", "s2sgrad.containers"))


def is_spelled_out(function: Any, rule: Rule | None) -> bool:
    """Whether the source of a helper of generated code tells its derivative: one that computes, and has no formulas."""
    return isinstance(function, types.FunctionType) and is_own(function) and (
        rule is None or not rule.partials and not rule.constant) and not function.__module__.endswith(
            ("runtime.structures", "runtime.custom", "s2sgrad.containers"))


def is_numerical(function: Any) -> bool:
    """Whether a function is one of a library's that computes with numbers and arrays, and is a call of its own."""
    if not isinstance(function, KINDS):
        return False
    return isinstance(function, np.ufunc) or function not in SPELLED and (
        function.__module__ or "").partition(".")[0] in ("numpy", "math", "scipy")


def takes_lists(function: Any) -> bool:
    """Whether a function is NumPy's, or a ufunc or a method of one: what makes arrays of the lists that it gets."""
    return isinstance(getattr(function, "__self__", function), np.ufunc) or (
        getattr(function, "__module__", None) or "").partition(".")[0] == "numpy"


def is_array_to_be(value: Abstract) -> bool:
    """Whether something is a list of differentiated values of which NumPy can make an array of numbers."""
    return isinstance(value, Items) and value.active and value.kind in (list, tuple) and (
        value.items is None or all(isinstance(item, Numeric) or is_array_to_be(item) or isinstance(
            item, Items) and item.kind in (list, tuple) and not item.active for item in value.items))


def is_numerical_argument(value: Abstract) -> bool:
    return type(value) is Numeric or type(value) is Known and type(value.value) in PLAIN


def letters_of(values: Iterable[Abstract | None]) -> set[str]:
    """The letters that stand for sizes of inputs in what is known of some values."""
    return {dim for value in values for part in numbers_in(value) for dim in part.shape or () if isinstance(dim, str)}


def holds_open_list(value: Abstract | None) -> bool:
    """Whether there is a list of any number of items in a value."""
    return isinstance(value, Items) and (value.items is None or any(map(holds_open_list, value.items)))
