"""Abstract values of calls: the stages that a call goes through, until one of them knows what it gives."""
from __future__ import annotations

import dataclasses
import enum
import functools
import inspect
import types
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler import objects
from s2sgrad.compiler.changing_functions import is_unknown
from s2sgrad.compiler.closed import enclosed, is_closed
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.dispatched import registered
from s2sgrad.compiler.effects import TELLING
from s2sgrad.compiler.equivalents import CONSUMERS, RUN_ALONG, WITH, in_order, makes_iterator, rest_of
from s2sgrad.compiler.evaluation import NeedsName
from s2sgrad.compiler.handed_out import returns_iterator
from s2sgrad.compiler.initializers import init_for, is_frozen
from s2sgrad.compiler.kinds import type_of
from s2sgrad.compiler.nested import (
    GRADIENT,
    computes_derivatives,
    is_checkpoint,
    is_transform,
    makes_derivatives,
    remade,
)
from s2sgrad.compiler.nodes import attribute, holder, is_starred, located_at, names_in, subscript
from s2sgrad.compiler.passive_calls import given_to, mentions_active
from s2sgrad.compiler.rule_calls import is_numerical, is_numerical_argument, is_own, is_spelled_out, written_in_python
from s2sgrad.compiler.run_through import RunThrough
from s2sgrad.compiler.sharing import may_be_written
from s2sgrad.compiler.targets import is_gradient
from s2sgrad.compiler.telling import TEXTS, tells_of
from s2sgrad.containers import instance
from s2sgrad.gradients import Derived
from s2sgrad.rules.abstract import (
    BOOLEAN,
    MISSING,
    NEVER,
    Abstract,
    Function,
    Items,
    Known,
    Numeric,
    Opaque,
    known_value,
    number,
    slice_of,
)
from s2sgrad.rules.refused import is_refused
from s2sgrad.rules.table import RULES, NeedsValue, Rule, rule_for
from s2sgrad.runtime import is_mapping, is_sequence, stop_gradient

ASKING = (isinstance, type, hasattr, is_sequence, is_mapping)
"""Functions to which a list is not what a view of a dict is."""
QUESTIONS = (isinstance, hasattr, type, print, str, repr, format)
"""Functions that may tell a function that is made here from what Python has there."""


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


class Calls(RunThrough):
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
            self.refuse_mixture(callee, node.func, called=True)
            self.name_acting(node.func)
        function = known_value(callee)
        keeps = isinstance(function, type) or is_transform(function) or makes_derivatives(function)
        if id(node) in self.used_at_once or not keeps:
            self.used_at_once.update(map(id, given_to(node)))
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
        lazy = [item for item in given_to(node) if isinstance(item, gast.GeneratorExp) or makes_iterator(
            self.function_of(item, environment))]
        if lazy and self.derivative_of is not None:
            self.hand_over(node, function, lazy)  # type: ignore[attr-defined]
        arguments, keywords = looked_up or self.known_of_arguments(node, environment)
        values = [*arguments, *keywords.values()]
        if any(value is NEVER for value in (callee, *values)) or isinstance(function, (bool, types.NoneType)):
            return NEVER  # the latter, an option that was left out, is a TypeError
        among = [environment[label].value for label in names_in(node.func)
                 if label in environment] if function is MISSING else []  # what is called may be any of these
        active = (callee.active or any(value.active for value in values)
                  or self.closes_over_active([*values, *among], environment)) and not self.passive_context
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
        chooses = any(function is one for one in (sorted, min, max)) and (
            node.keywords or function is sorted and self.is_range(node.args, environment))
        for item in node.keywords if chooses else ():
            key = self.passively(item.value, environment)
            if self.is_changing_method(item.value) or self.made_keepers and is_unknown(key):
                raise self.changing_function(node)
            self.refuse_keepers(node, [key], environment)
        found = self.read_by_name(node, function, environment)
        if found is None:
            found = self.keys_of(node, function, environment)
        if found is None:
            found = self.equivalent(node, function, environment)
        if found is not None:
            return found
        for item in node.keywords if chooses else ():  # what key gives is compared, perhaps one of these
            for label in names_in(item.value):
                self.calmly(node, environment[label].value if label in environment else Opaque(), objects.ORDERED)
        if chooses and not self.passive_context and not any(
                self.evaluate(item, environment).active for item in node.args):
            self.refuse_changing_functions(node, [self.evaluate(item, environment) for item in given_to(node)],
                                           environment)
            return self.chosen(node, function, environment)
        return None

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
        if any(function is one for one in QUESTIONS):
            for value in asked.values[:1] if function in (isinstance, hasattr) else asked.values:
                self.ask_made(node, value, function, *map(known_value, arguments[1:2]))
        elif not looks_in and function not in (callable, id, bool) and any(
                isinstance(value, Items) and is_closed(value.kind) for value in asked.values):
            raise self.not_as_in_python(node, getattr(function, "__name__", "this"))
        return None

    def refused_or_answered(self, asked: Asked) -> Abstract | None:
        """Calls of which nobody can see what they do, and those that the compiler answers itself: the helpers that
        ``match`` and iterators become, questions about types, functions that an object's class defines, texts."""
        node, function, values, environment = asked.node, asked.function, asked.values, asked.environment
        if is_starred(node):
            if asked.active:
                raise self.of_open_stars(node)
            self.refuse_writes(node, function, values)
            self.refuse_changing_functions(node, values, environment)
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
        if function is type and len(values) == 1:
            kind = type_of(values[0])
            if kind is not None:
                return Known(kind)
        if asked.arguments and any(function is known for known in objects.FUNCTIONS):
            parts = [*node.args, *(item.value for item in node.keywords)]  # the digits of round
            for special in objects.special_calls(node, asked.arguments[0], objects.FUNCTIONS[function], parts,
                                                 self.outer):
                return self.respelled(node, special, environment)
        if function is print and node.keywords:  # into a file, perhaps
            self.facts.told_away = self.facts.told_away or any(tells_of(item, environment) for item in node.args)
        tells = any(function is known for known in TELLING)
        texts = tells and objects.called_by(function) is objects.TEXT
        for item in values if tells else ():
            self.refuse_view(node, item)
            if texts:
                self.calmly(node, item, objects.TEXT)
        if texts or tells and not any(
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
        plain = function not in (bool, range, set, frozenset) if isinstance(function, type) else isinstance(
            function, types.FunctionType) or function is isinstance
        if not plain:
            for value in values if function is not len else ():  # which asks nothing of what is in a container
                if (names := objects.called_by(function)) is objects.KEYS:
                    self.as_key(node, value)
                else:
                    self.calmly(node, value, names)
            if not (asked.active and isinstance(function, Derived)):  # whose function is looked into like any other
                self.refuse_changing_functions(node, values, asked.environment)
        elif function in (map, filter, functools.partial):
            self.refuse_changing_functions(node, values, asked.environment)
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
        if isinstance(node.func, gast.Constant):  # found in a class: the text calls it, and needs a name for it
            node.func = gast.copy_location(self.given(function), node)
        makes = not rule.constant and not self.program.is_generated  # there it is a helper that hands functions on
        for item, value in zip(node.args, asked.arguments) if makes else ():
            self.refuse_function(item, value, "an array", asked.environment)
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
        changes = not asked.active and any(map(objects.changes_when_read, asked.values)) \
            and self.changes_objects(node, function, environment)
        writes = not asked.active and self.may_write_into(node, function, asked.values, environment)
        if not asked.active and not (node is self.whole_call and (changes or writes)):
            if self.changes_outside(node, function, asked.values, environment):
                self.note_disturbed(node, types.MethodType(function, known_value(asked.arguments[0])),
                                    told=mentions_active(node, environment))
                return self.passive_call(node, function, asked.arguments, environment)
            written = [(item, value) for item, value in zip(node.args, asked.arguments) if may_be_written(value)]
            local = bool(written) and all(
                not isinstance(value, Known) or holder(item) in environment for item, value in written)
            if changes or local and writes:
                raise NeedsName(node, self.writing_call(node) if self.passive_context and not changes
                                else self.part_of_an_expression(node))
            self.refuse_writes(node, function, asked.values, writes, mentions_active(node, environment))
            if not self.is_looked_into(function):
                self.refuse_changing_functions(node, asked.values, environment)
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
            if inspect.isgeneratorfunction(function) or consumed and returns_iterator(function):
                return self.generated(  # type: ignore[attr-defined]
                    node, Definition(function, collected=True), (), environment)
            if consumed and function.__name__ == "__iter__":
                return self.iterable_of(node, function, environment)
            return self.user_call(node, Definition(function), (), environment)
        if function is MISSING:
            self.wish(node.func)
        raise self.no_rule(node, function)

    def tells_of_exceptions(self, node: gast.Call, function: Any, environment: dict) -> bool:
        """``str(error)``: what an exception holds is not followed, but this gives nothing of it."""
        return bool(node.args) and not self.passive_context and all(
            isinstance(item, gast.Name) and item.id in environment and environment[item.id].origin == "caught"
            for item in node.args) and not node.keywords and any(function is known for known in TELLING)

    def written_init(self, node: gast.Call, kind: Any) -> types.FunctionType | None:
        """The ``__init__`` of a dataclass, for the fields that a call gives."""
        if not isinstance(kind, type) or not dataclasses.is_dataclass(kind):
            return None
        if hasattr(kind, "__post_init__"):
            self.outer("__post_init__", kind)
        return init_for(kind, node)

    def wish(self, node: gast.AST) -> None:
        """A method of an argument that is called: which one it is must be known before the call."""
        root = node
        while isinstance(root, gast.Attribute):
            root = root.value
        value = self.facts.values.get(id(root))
        if isinstance(value, Opaque) and value.origin is not None and value.kind is None and value != NEVER \
                and not self.passive_context:
            need = NeedsValue(value.origin, value)
            need.location = self.node_location(node)
            raise need

    def matched(self, value: Abstract, *numbers: Abstract) -> Abstract:
        """Whether a pattern of so many parts matches: known of what is known to be a tuple, or to be none."""
        counts = map(known_value, numbers)
        if isinstance(value, Items) and (value.is_object or value.is_dict):
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
            return number(value.is_dict)
        if isinstance(value, Known):
            return number(is_mapping(value.value))
        return number(False) if isinstance(value, Numeric) else BOOLEAN
