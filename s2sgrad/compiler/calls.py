"""Abstract values of calls: functions with a rule, methods, functions of the user's, passive calls; loop headers."""
from __future__ import annotations

import dataclasses
import enum
import functools
import inspect
import math
import types
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler import objects
from s2sgrad.compiler.closed import enclosed, is_closed
from s2sgrad.compiler.construct import Constructions
from s2sgrad.compiler.defaults import by_name, is_default
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.dispatched import chosen, registered
from s2sgrad.compiler.effects import MUTATING_METHODS, TELLING, has_effect, may_write
from s2sgrad.compiler.equivalents import CONSUMERS, OF_TWO, RUN_ALONG, SUMS, WITH, in_order, nested_list, rest_of
from s2sgrad.compiler.evaluation import NeedsName, literal
from s2sgrad.compiler.functional import Functional, is_ufunc_method
from s2sgrad.compiler.handed_out import returns_iterator
from s2sgrad.compiler.initializers import is_frozen, written_init
from s2sgrad.compiler.nested import (
    GRADIENT,
    Nested,
    computes_derivatives,
    is_checkpoint,
    is_transform,
    makes_derivatives,
    remade,
)
from s2sgrad.compiler.passive_calls import type_of
from s2sgrad.compiler.program import (
    Assign,
    attribute,
    call,
    holder,
    is_starred,
    located_at,
    names_in,
    statements,
    subscript,
    tuple_of,
)
from s2sgrad.compiler.reading import Reading
from s2sgrad.compiler.sharing import may_be_written
from s2sgrad.compiler.targets import is_gradient
from s2sgrad.compiler.telling import TEXTS, tells_of
from s2sgrad.compiler.texts import known_result, result_of_method
from s2sgrad.compiler.user_calls import UserCalls
from s2sgrad.containers import in_library, instance
from s2sgrad.errors import UnsupportedError
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
from s2sgrad.rules.refused import do_otherwise, is_refused, is_sparse, public_name, remedy_for
from s2sgrad.rules.table import METHODS, RULES, NeedsValue, Rule, rule_for
from s2sgrad.runtime import is_mapping, is_sequence, stop_gradient

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
SPELLED = (np.apply_along_axis, np.piecewise, np.fromiter, np.kaiser, math.fsum, math.prod, *OF_TWO)
"""NumPy's functions that may be spelled out: those that get functions or iterators, and those of one or two arrays."""

ASKING = (isinstance, type, hasattr, is_sequence, is_mapping)
"""Functions to which a list is not what a view of a dict is."""
UNKNOWING = (callable, print, id, str, repr, bool)
"""Builtin functions to which a function that is an object is as good as any."""


@dataclasses.dataclass
class Asked:
    """A call whose arguments were looked at.

    Attributes
    ----------
    function
        What is called; MISSING where that is not known.
    values
        Of all arguments.
    active
        Whether something differentiated goes into the call, and somebody asks for its derivative.
    rule
        The function's rule, once it was looked for.
    """

    node: gast.Call
    callee: Abstract
    function: Any
    arguments: list[Abstract]
    keywords: dict[str, Abstract]
    values: list[Abstract]
    environment: dict
    active: bool
    rule: Rule | None = None


class Calls(UserCalls, Constructions, Functional, Nested, Reading):
    """The evaluation of calls."""

    def of_Call(self, node: gast.Call, environment: dict) -> Abstract:
        callee: Abstract | None = self.imported(node.func, environment)
        if callee is None:
            if isinstance(node.func, gast.Attribute):
                found = self.of_method(node, environment)
                if found is not None:
                    return found
            if isinstance(node.func, gast.Call):
                self.used_at_once.add(id(node.func))
            callee = self.callee(node, environment)
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
        if function is stop_gradient and len(node.args) == 1 and not node.keywords and not is_starred(node):
            value = self.passively(node.args[0], environment)
            return self.apply_call(node, RULES[function], node.args, [value], [], {})
        found = self.by_its_names(node, function, environment)
        if found is not None:
            return found
        looked_up = None
        labels = [item.arg for item in node.keywords]
        if is_numerical(function) and not is_starred(node) and not (
                labels and function in WITH and not WITH[function].keys().isdisjoint(labels)):
            # most often it gets numbers and arrays alone
            rule, looked_up = rule_for(function), self.known_of_arguments(node, environment)
            arguments, keywords = looked_up
            if rule is not None and len(node.args) <= rule.places_taken and all(map(
                    is_numerical_argument, (*arguments, *keywords.values()))):
                return self.apply_call(node, rule, node.args, arguments, node.keywords, keywords)
        found = self.written_anew(node, function, environment)
        if found is not None:
            return found
        if any(isinstance(item, gast.GeneratorExp) for item in (*node.args, *(part.value for part in node.keywords))):
            self.hand_over(node, function)  # type: ignore[attr-defined]
        arguments, keywords = looked_up or self.known_of_arguments(node, environment)
        values = [*arguments, *keywords.values()]
        if any(value is NEVER for value in (callee, *values)):
            return NEVER
        active = (callee.active or any(value.active for value in values)
                  or self.closes_over_active(values, environment)) and not self.passive_context
        asked = Asked(node, callee, function, arguments, keywords, values, environment, active)
        for stage in (self.of_made_function, self.refused_or_answered, self.of_class, self.by_rule):
            found = stage(asked)
            if found is not None:
                return found
        return self.of_python(asked)

    # What follows are the stages of a call. Each gives None where the call is nothing of its own.

    def callee(self, node: gast.Call, environment: dict) -> Abstract:
        """What a call calls; of ``np.vectorize(f)(x)`` the function ``f`` is looked at with the whole call."""
        if self.function_of(node.func, environment) is np.vectorize:
            made = self.passively(node.func, environment)
            if self.simpler(node, MISSING) is not None:
                return made
        return self.evaluate(node.func, environment)

    def of_method(self, node: gast.Call, environment: dict) -> Abstract | None:
        """A call of a method: of ``super()``, of an array, of a string, of a container."""
        assert isinstance(node.func, gast.Attribute)
        label = node.func.attr
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
        if is_sparse(receiver) and label == "dot" and len(node.args) == 1 and not node.keywords:
            product = gast.BinOp(node.func.value, gast.MatMult(), node.args[0])
            return self.respelled(node, self.one_for(node, product), environment)
        if isinstance(receiver, Known) and isinstance(receiver.value, str):  # "...".format(x)
            arguments = [self.passively(item.value if isinstance(item, gast.Starred) else item, environment)
                         for item in (*node.args, *(item.value for item in node.keywords))]
            positional = not node.keywords and not any(isinstance(item, gast.Starred) for item in node.args)
            known = known_result(receiver.value, label, arguments) if positional else None
            if known is not None:
                several = type(known) in (list, tuple)
                return Items(type(known), tuple(map(literal, known))) if several else literal(known)
            text = result_of_method(receiver, label) or Opaque()
            return self.text_of(node, environment) if text == KEY else text
        if isinstance(receiver, Items) and not receiver.is_object and label in MUTATING_METHODS:
            held = isinstance(node.func.value, gast.Attribute)
            raise self.refusal(f".{label}() writes into the container, which is not supported here",
                               "store a new one in the attribute: self.xs = self.xs + [x]" if held else
                               "call it on a line of its own, or build a new container", node)
        method = self.method_of_container(node, receiver)
        dispatcher = objects.dispatcher_of(receiver, label) if method is None and node.args else None
        if dispatcher is not None:
            self.outer(label, receiver.kind)  # type: ignore[union-attr]
            method = self.dispatched(node, dispatcher, registered(dispatcher) or {}, environment, node.func.value)
        if method is not None:
            return self.respelled(node, method, environment)
        if isinstance(receiver, Items):
            result = self.container_method(node, receiver, environment)
            if result is not None:
                return result
        is_field = isinstance(receiver, Items) and (
            receiver.has_field(label) or receiver.is_object and label == "__class__")
        if receiver.active and not self.passive_context and not is_field:
            remedy = "compare the items in a loop" if label in ("index", "count") else \
                "make an array of it with np.array"
            raise self.refusal(f".{label}() of a list or tuple of differentiated values is not supported yet", remedy,
                               node)
        return None

    def by_its_names(self, node: gast.Call, function: Any, environment: dict) -> Abstract | None:
        """A call of a library's function whose arguments are put where its rule has them, under the rule's names."""
        if (len(node.args) > 1 or node.keywords) and (
                isinstance(function, KINDS) or type(function).__module__ == "uarray"):  # those of scipy.fft
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
        return None

    def written_anew(self, node: gast.Call, function: Any, environment: dict) -> Abstract | None:
        """A call that stands for other expressions, whatever its arguments are: one with stars, ``reduce``, ``next``,
        functions of NumPy that are plain Python over others, ``sorted`` with a key."""
        registry = registered(function)
        if registry is not None and node.args and not self.passive_context:
            return self.respelled(node, self.dispatched(node, function, registry, environment), environment)
        if any(function is one for one in RUN_ALONG):
            self.note_ends(node, function, environment)
        spread = self.spread(node, environment)
        if spread is not node:
            return self.respelled(node, spread, environment)
        over = self.over_objects(node, environment) if any(function is known for known in CONSUMERS) else None
        if over is not None:
            return self.respelled(node, over, environment)
        if function is functools.reduce and not node.keywords and not is_starred(node):
            folded = self.reduced(node, environment)
            if folded is not None:
                self.facts.spelled[id(node)] = folded
                return self.evaluate(folded, environment)
        if function is next and not self.passive_context and node.args:
            return self.of_next(node, environment)
        found = self.read_by_name(node, function, environment)
        if found is None:
            found = self.keys_of(node, function, environment)
        if found is None:
            found = self.equivalent(node, function, environment)
        if found is not None:
            return found
        chooses = any(function is one for one in (sorted, min, max)) and (
            node.keywords or function is sorted and self.is_range(node.args, environment))
        for item in node.keywords if chooses else ():  # what key gives is compared, perhaps one of these
            for label in names_in(item.value):
                self.calmly(node, environment[label].value if label in environment else Opaque(), objects.ORDERED)
        if chooses and not self.passive_context and not any(
                self.evaluate(item, environment).active for item in node.args):
            self.refuse_changing_functions(
                node, [self.evaluate(item.value, environment) for item in node.keywords], environment)
            return self.chosen(node, function, environment)
        return None

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

    def of_made_function(self, asked: Asked) -> Abstract | None:
        """A call of a function that is made here; ``enclosed``, which reads what one closes over."""
        node, callee, function, arguments = asked.node, asked.callee, asked.function, asked.arguments
        if isinstance(callee, Function):
            return self.inner_call(node, callee, asked.environment)
        if isinstance(callee, Items) and is_closed(callee.kind):
            return self.closed_call(node, callee, asked.environment)
        renamed = function is enclosed and isinstance(arguments[0], Items) and (
            known_value(arguments[1]) not in arguments[0].steps)  # what made it has been written out
        if function is enclosed and isinstance(arguments[0], Items) and not renamed:
            label = known_value(arguments[1])
            return arguments[0].at(label) if not arguments[0].active else self.respelled(
                node, located_at(attribute(node.args[0], label), node), asked.environment)
        looks_in = isinstance(function, types.FunctionType) and not renamed or (
            isinstance(function, type) and function is not type) or is_gradient(function)
        if not looks_in and not any(function is one for one in UNKNOWING) and any(
                isinstance(value, Items) and is_closed(value.kind) for value in asked.values):
            label = getattr(function, "__name__", "this")
            raise self.refusal(f"what {label} makes of a function that is made here is not known",
                               "call the function itself", node)
        return None

    def refused_or_answered(self, asked: Asked) -> Abstract | None:
        """Calls of which nobody can see what they do, and those that the compiler answers itself: the helpers that
        ``match`` and iterators become, questions about types, functions that an object's class defines, texts."""
        node, function, values, environment = asked.node, asked.function, asked.values, asked.environment
        if is_starred(node):
            if asked.active:
                raise self.of_open_stars(node)
            self.refuse_writes(node, function, values)
            return Opaque()
        if function is super and not self.passive_context and any(
                version.value.active for version in environment.values() if isinstance(version.value, Items)
                and version.value.is_object):
            raise self.refusal("what super() gives is not followed", "call its method here, super().name(...)", node)
        if function is exec or not self.passive_context and any(function is item for item in (eval, locals, vars)):
            raise self.refusal(f"what {function.__name__} reads and writes can't be seen before the call",
                               "write the code out", node)
        if values and any(function is one for one in ASKING):
            self.refuse_view(node, values[0])
        if function is is_mapping:
            return self.matched_by_keys(values[0])
        if function is is_sequence:
            return self.matched(*asked.arguments)
        if function is in_order:
            return self.counted_out(node, environment)
        if function is rest_of:
            rest = subscript(node.args[0], gast.Slice(node.args[1], None, None))
            return self.respelled(node, located_at(rest, node), environment)
        if function is slice and len(values) in (1, 2, 3) and not asked.active:
            return slice_of(*values)
        if isinstance(function, enum.EnumMeta) and len(values) == 1 and not asked.active:
            return self.member(function, values[0])
        if function in (isinstance, hasattr) and len(values) == 2 or function is callable and len(values) == 1:
            known = self.passive_call(node, function, asked.arguments, environment)
            return BOOLEAN if known == Opaque() else known
        if function is type and len(values) == 1 and isinstance(values[0], Items) and not values[0].optional:
            return Known(type_of(values[0]) or values[0].kind)
        if asked.arguments and any(function is known for known in objects.FUNCTIONS):
            parts = [*node.args, *(item.value for item in node.keywords)]  # the digits of round
            for special in objects.special_calls(node, asked.arguments[0], objects.FUNCTIONS[function], parts,
                                                 self.outer):
                return self.respelled(node, special, environment)
        if function is print and node.keywords:  # into a file, perhaps
            self.facts.told_away = self.facts.told_away or any(tells_of(item, environment) for item in node.args)
        tells = any(function is known for known in TELLING)
        for item in values if tells else ():
            self.refuse_view(node, item)
        if tells and not any(
                True for value in values for _ in objects.objects_in(value)):  # whose own methods would be called
            if function is str and len(values) == 1 and type(known_value(values[0])) in (str, int):
                return Known(str(known_value(values[0])))
            return self.text_of(node, environment) if any(function is known for known in TEXTS) else Opaque()
        return None

    def of_class(self, asked: Asked) -> Abstract | None:
        """A call of a class, or of a function that makes an object or a container of what it gets."""
        node, function, values = asked.node, asked.function, asked.values
        if isinstance(function, type) and objects.is_users(objects.found_in(function, "__del__")):
            raise self.refusal(f"when Python calls __del__ of {function.__name__}, and what it changes then, is not "
                               "followed", "let a method do it that is called by its name, or make the object outside",
                               node)
        made = self.constructed(node, function, asked.arguments, asked.keywords, asked.environment) if isinstance(
            function, type) else self.remade(node, function, asked.arguments, asked.environment)
        if made is not None:
            return made
        plain = function not in (range, set, frozenset) if isinstance(function, type) else isinstance(
            function, types.FunctionType) or function is isinstance
        if not plain:
            for value in values if function is not len else ():  # which asks nothing of what is in a container
                if (names := objects.called_by(function)) is objects.KEYS:
                    self.as_key(node, value)
                else:
                    self.calmly(node, value, names)
            self.refuse_changing_functions(node, values, asked.environment)
        elif function in (map, filter) and any(self.may_change(value, asked.environment) for value in values):
            raise self.writing_call(node)
        if function is instance or objects.is_empty(function) and not values:
            made = self.instance(node, known_value(asked.arguments[0]) if asked.arguments else function, asked.keywords)
        if made is not None:
            return made
        initializer = objects.initializer(function, self.outer) or self.written_init(node, function)
        if initializer is not None and self.derivative_of is not None:
            definition = Definition(initializer, made=None if is_frozen(function) else function)
            return self.user_call(node, definition, (), asked.environment) if asked.active else self.passive_result(
                node, definition, asked.environment)
        return None

    def by_rule(self, asked: Asked) -> Abstract | None:
        """A call of a function with a rule."""
        node, function = asked.node, asked.function
        rule = asked.rule = rule_for(function)
        if rule is None:
            return None
        by_class = self.by_class(node, function, asked.values) if asked.active and objects.objects_or_named(
            asked.values) else None
        if by_class is not None:
            return self.respelled(node, by_class, asked.environment)
        if asked.active and is_spelled_out(function, rule):
            return None
        arrays = self.with_arrays(node, rule, asked.arguments, asked.keywords) if asked.active else None
        if arrays is not None:
            return self.respelled(node, arrays, asked.environment)
        return self.apply_call(node, rule, list(node.args), asked.arguments, node.keywords, asked.keywords)

    def of_python(self, asked: Asked) -> Abstract:
        """A call of a function without a rule: one that gets nothing differentiated stays as it is; else it is one that
        makes derivatives, one whose source is looked into, or is refused."""
        node, function, environment = asked.node, asked.function, asked.environment
        if makes_derivatives(function):
            return self.made_derivative(node, function, environment)
        if is_checkpoint(function) and asked.arguments:
            given = asked.arguments[0]
            if isinstance(known_value(given), types.FunctionType):
                return Known(remade(function, (known_value(given),), ()))
            if isinstance(given, Function):
                raise self.refusal("checkpoint gets a function that is defined inside", "define it at module level, "
                                   "with what it reads from around it as arguments", node)
        changes = not asked.active and any(True for value in asked.values for _ in objects.objects_in(value)) \
            and self.changes_objects(node, function, environment)
        if not asked.active and not (node is self.whole_call and (changes or self.is_writer(function))):
            if self.changes_outside(function, asked.values):
                self.note_disturbed(node, types.MethodType(function, known_value(asked.arguments[0])))
                return self.passive_call(node, function, asked.arguments, environment)
            written = [(item, value) for item, value in zip(node.args, asked.arguments) if may_be_written(value)]
            local = bool(written) and all(
                not isinstance(value, Known) or holder(item) in environment for item, value in written)
            if changes or local and self.is_writer(function):
                raise NeedsName(node, self.writing_call(node) if self.passive_context and not changes
                                else self.part_of_an_expression(node))
            self.refuse_writes(node, function, asked.values)
            return self.passive_call(node, function, asked.arguments, environment)
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
                not is_own(function) or is_spelled_out(function, asked.rule)):
            consumed = id(node) in self.facts.consumed
            if consumed and function.__name__ == "__iter__" and not inspect.isgeneratorfunction(function):
                return self.iterable_of(node, function, environment)
            if inspect.isgeneratorfunction(function) or consumed and returns_iterator(function):
                return self.generated(  # type: ignore[attr-defined]
                    node, Definition(function, collected=True), (), environment)
            return self.user_call(node, Definition(function), (), environment)
        if function is MISSING:
            self.wish(node.func)
        raise self.no_rule(node, function)

    def dispatched(self, node: gast.Call, function: Any, registry: dict, environment: dict, *receiver: gast.AST
                   ) -> gast.AST:
        """The call of the registered function that a call of a ``singledispatch`` function is, or of a method."""
        value = self.evaluate(node.args[0], environment)
        kind = type(value.value) if isinstance(value, Known) else type_of(value)
        meant = None if kind is None else chosen(function, registry, kind)
        implementation = MISSING if meant is None else known_value(self.outer(meant, registry))
        if implementation is MISSING:
            raise self.refusal(f"which of its functions {function.__name__} calls here is not known before the call",
                               "call that one itself, or let all that it may get be of one class", node)
        if id(node) not in self.facts.simpler:
            called = gast.Call(self.given(implementation), [*receiver, *node.args], node.keywords)
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

    def matched(self, value: Abstract, *numbers: Abstract) -> Abstract:
        """Whether a pattern of so many parts matches: known of what is known to be a tuple, or to be none."""
        counts = map(known_value, numbers)
        if isinstance(value, Items) and (value.is_object or value.kind is dict):
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
                if "where" in given and isinstance(rule.function, np.ufunc):  # what is not computed is arbitrary then
                    remedy = "say what the other elements are, out=, or choose with np.where"
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
        if isinstance(value, Opaque) and self.function_of(node, environment) is sorted:
            given = self.facts.values.get(id(node.args[0]))  # type: ignore[attr-defined]
            if isinstance(given, Numeric) or isinstance(given, Items) and not given.is_object:
                return self.apart(self.element_of(given), id(node))
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
        of_part = isinstance(node.func, gast.Attribute)
        owner = known_value(self.facts.values.get(id(node.func.value), ANY)) if of_part else MISSING
        if isinstance(owner, types.ModuleType) and not hasattr(owner, node.func.attr):
            return self.refusal(f"{owner.__name__} has no {node.func.attr}", "look for another spelling of the name",
                                node)
        if function is MISSING and owner is not MISSING and in_library(type(owner).__module__):
            label = f"{getattr(owner, 'name', None) or type(owner).__name__}.{node.func.attr}"
            return self.refusal(f"{label} has no derivative rule", "add one with s2sgrad.rule", node)
        if function is MISSING and of_part and isinstance(node.func.value, gast.Name) \
                and node.func.value.id in self.local and self.facts.values.get(id(node.func.value)) == Opaque():
            label = node.func.value.id
            if node.func.attr == "send":
                return self.refusal("what a generator makes of what is sent to it is not followed",
                                    "write a class, with what the generator keeps in attributes, and a method", node)
            return self.refusal(f"what {label} is, and what its .{node.func.attr}() does, is not known before the call",
                                f"make {label} before, and give it as an argument", node)
        if function is MISSING:
            remedy = "call np.vectorize(f)(x) where it is needed, or make it outside of the function" \
                if self.is_made_by(lambda maker: maker is np.vectorize, node.func) else \
                "give checkpoint a function of the module, or use it as a decorator, @s2sgrad.checkpoint" \
                if self.is_made_by(is_checkpoint, node.func) else "call it by its name"
            return self.refusal("the function called here is not known before the call", remedy, node)
        if function is iter:
            return self.refusal("how far an iterator has come is not followed",
                                "write a loop over what it runs through, or count: items[i]; i += 1", node)
        derived = [kind for kind in (tuple, list, dict) if isinstance(function, type) and issubclass(function, kind)]
        if derived and not in_library(function.__module__):
            return self.refusal(f"{function.__name__} is derived from {derived[0].__name__}, and what it changes is "
                                "not looked into", "make it a class of its own, with what it holds in attributes", node)
        if function is zip:
            return self.refusal("zip with strict= is not supported in this place", "write it into a statement of its "
                                "own, or a loop, or compare the lengths before: assert len(a) == len(b)", node)
        if isinstance(function, type) and not in_library(function.__module__):
            return self.refusal(
                f"objects of {function.__name__} are made by more than an __init__, which is not followed",
                "do it in __init__, without __new__ and a metaclass, or let a function make them", node)
        label = public_name(function)
        lacks = "derivative rule" if is_refused(function) else "derivative rule and no Python source"
        return self.refusal(f"{label} has no {lacks}", remedy_for(function), node)

    def is_made_by(self, is_maker: Callable[[Any], bool], node: gast.AST) -> bool:
        """Whether what is called is made here, and has perhaps a name, by such a function."""
        made = [statement.value for statement in statements(self.program.body)
                if isinstance(statement, Assign) and statement.target == getattr(node, "id", None)]
        return any(isinstance(value, gast.Call) and is_maker(known_value(self.facts.values.get(id(value.func))))
                   for value in (node, *made))


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


def is_numerical_argument(value: Abstract) -> bool:
    return type(value) is Numeric or type(value) is Known and type(value.value) in PLAIN


