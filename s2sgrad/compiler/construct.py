"""Abstract values of calls that make containers and of containers' methods: ``dict(w=w)``, ``Params(w, b)``,
``list(pair)``, ``params.items()``.

Each is reversed as the display that it stands for: ``facts.displays`` has the parts of what a constructor makes,
``facts.instead`` another expression with the same value.
"""
from __future__ import annotations

import copy
import dataclasses
import inspect
import types
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler import counters
from s2sgrad.compiler.effects import has_effect, is_place_in_list
from s2sgrad.compiler.evaluation import NeedsName, known_key, literal, number_of_items
from s2sgrad.compiler.mappings import Mappings
from s2sgrad.compiler.nodes import Names, attribute, call, constant, is_starred, located_at, name, subscript, tuple_of
from s2sgrad.compiler.program import Define
from s2sgrad.compiler.structures import key_expression, new_container
from s2sgrad.compiler.unfolded import UNFOLDED, unfolded
from s2sgrad.containers import (
    DICTS,
    class_of,
    default_of,
    deque_of,
    field_names,
    has_quiet_hash,
    is_instance,
    is_named_tuple,
    is_plain_tuple,
)
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import (
    INTEGER,
    KEY,
    MISSING,
    NEVER,
    RANGE,
    Abstract,
    Function,
    Items,
    Known,
    Numeric,
    known_value,
)
from s2sgrad.rules.table import NeedsValue

OTHER_DICTS = (defaultdict, OrderedDict, Counter)
LASTING = (type(None), bool, int, float, complex, str, bytes, type, types.FunctionType, types.BuiltinFunctionType)
"""What a deep copy leaves as it is."""


class Constructions(Mappings):
    def constructed(self, node: gast.Call, kind: Any, arguments: list[Abstract], keywords: dict[str, Abstract],
                    environment: dict) -> Abstract | None:
        """What a call of a container's class gives; None where it is something else."""
        if kind is dict and not arguments:
            self.facts.displays[id(node)] = [item.value for item in node.keywords]
            return Items(dict, tuple(keywords.values()), keys=tuple(keywords))
        if kind is dict and keywords and all(isinstance(value, Items) and value.is_dict for value in arguments):
            form: tuple = id(node), dict  # dict(params, rate=r) is {**params, "rate": r}
            if form not in self.facts.simpler:
                self.facts.simpler[form] = gast.copy_location(gast.Dict(
                    [*(None for _ in arguments), *(item.arg and constant(item.arg) for item in node.keywords)],
                    [*node.args, *(item.value for item in node.keywords)]), node)
            return self.respelled(node, self.facts.simpler[form], environment)
        if kind in (list, tuple) and not arguments and not keywords:
            self.facts.displays[id(node)] = []
            return Items(kind, ())
        if kind is list and len(node.args) == 1 and not keywords and isinstance(node.args[0], gast.GeneratorExp):
            given, form = node.args[0], (id(node), list)
            if form not in self.facts.simpler:
                self.facts.simpler[form] = gast.copy_location(gast.ListComp(given.elt, given.generators), node)
            return self.respelled(node, self.facts.simpler[form], environment)
        if kind in (list, tuple) and len(arguments) == 1 and not keywords and not arguments[0].active:
            counted = self.number_in(node.args[0], arguments[0], environment)
            if counted is not None:
                return Items(kind, None, counted)
        if kind is dict and len(arguments) == 1 and not keywords and not arguments[0].active:
            numbers = self.numbers_by_key(node.args[0], environment)
            if numbers is not None:
                return Items(dict, None, numbers)
        if kind is dict and len(arguments) == 1 and not keywords and (arguments[0].active or is_of_pairs(
                node.args[0])) and not (isinstance(arguments[0], Items) and arguments[0].is_dict):
            return self.respelled(node, self.of_pairs(node), environment)
        if kind in (list, tuple) and len(arguments) == 1 and not keywords and arguments[0].active:
            written = self.items_named(node, kind, arguments[0])
            if written is not None:
                return self.respelled(node, written, environment)
        if kind in (dict, list, tuple) and len(arguments) == 1 and not keywords:
            return self.copied(node, kind, node.args[0], arguments[0])
        if kind is deque:
            return self.deque_made(node, arguments, keywords, environment)
        if kind in OTHER_DICTS:
            return self.dict_made(node, kind, arguments, keywords, environment)
        if kind is types.SimpleNamespace and not arguments and "**" not in keywords:
            return self.instance(node, kind, keywords)
        if not has_plain_constructor(kind):
            return None
        signature = inspect.signature(kind)  # in which fields that are given by name alone come last
        given = dict(zip(signature.parameters, zip(node.args, arguments)))
        given.update((item.arg, (item.value, keywords[item.arg])) for item in node.keywords)
        try:
            signature.bind(*node.args, **keywords)
        except TypeError as error:
            raise self.refusal(f"this call does not fit the fields of {kind.__name__}: {error}",
                               "call it with those that it has", node) from None
        parts = [given.get(name, (None, literal(signature.parameters[name].default))) for name in field_names(kind)]
        self.facts.displays[id(node)] = [part for part, _ in parts]
        return Items(kind, tuple(value for _, value in parts), keys=field_names(kind))

    def deque_made(self, node: gast.Call, arguments: list[Abstract], keywords: dict[str, Abstract], environment: dict
                   ) -> Abstract | None:
        """``deque(items, maxlen)``, as ``deque(list(items)[-maxlen:], maxlen)`` where it may drop some."""
        limits = [*arguments[1:], *keywords.values()]
        limit = known_value(limits[0]) if limits else None
        if len(limits) > 1 or not keywords.keys() <= {"maxlen"} or is_starred(node):
            return None
        if limit is MISSING and isinstance(limits[0], Numeric) and limits[0].origin is not None:
            need = NeedsValue(limits[0].origin, limits[0])
            need.location = self.node_location(node)
            raise need
        if type(limit) is int and limit < 0:
            return NEVER  # a ValueError
        if type(limit) not in (int, type(None)):
            raise self.refusal("the maxlen of this deque is not known before the call", "write the number out", node)
        if not arguments:
            self.facts.displays[id(node)] = []
            return Items(deque_of(limit), ())
        given, value = node.args[0], arguments[0]
        if not limit and limit is not None:
            raise self.refusal("this deque keeps nothing of what it gets", "make it without: deque(maxlen=0)", node)
        plain = isinstance(value, Items) and value.has_places and not value.optional
        if plain and (limit is None or fits(given, value, limit)):
            return self.copied(node, deque_of(limit), given, value)
        if not plain and isinstance(given, gast.Call) and self.function_of(given, environment) is list:
            return None  # of which nothing is known
        form: tuple = id(node), deque
        if form not in self.facts.simpler:
            items = call(self.given(list), given)
            last = items if limit is None or not plain else subscript(items, gast.Slice(constant(-limit), None, None))
            self.facts.simpler[form] = located_at(call(node.func, last, *map(constant, [limit][:len(limits)])), node)
        return self.respelled(node, self.facts.simpler[form], environment)

    def dict_made(self, node: gast.Call, kind: Any, arguments: list[Abstract], keywords: dict[str, Abstract],
                  environment: dict) -> Abstract | None:
        """``OrderedDict(pairs, a=x)`` as ``OrderedDict(dict(pairs, a=x))``; of a Counter of what no dict holds, and of
        what is made in ways that are not understood, nothing is known."""
        if is_starred(node):
            return None
        given, before = list(node.args), []
        if kind is defaultdict:
            factory = arguments[0] if arguments else Known(None)
            known = factory if isinstance(factory, Function) else known_value(factory)
            if known is MISSING or not (known is factory or has_quiet_hash(known)) or getattr(known, "gradient", ()):
                return None
            self.factories.add(known)
            kind, before, given, arguments = default_of(known), given[:1] or [], given[1:], arguments[1:]
        if not given and not keywords:
            self.facts.displays[id(node)] = []
            return Items(kind, (), keys=())
        value = arguments[0] if given else None
        if isinstance(value, Items) and value.is_dict and not value.optional and not keywords:
            return self.copied(node, kind, given[0], value)
        if kind is Counter and given:
            return None if value is None or value.active else Items(kind, None, INTEGER)
        form: tuple = id(node), kind
        if form not in self.facts.simpler:
            items = gast.Call(self.given(dict), given, node.keywords)
            self.facts.simpler[form] = located_at(call(node.func, *before, items), node)
        return self.respelled(node, self.facts.simpler[form], environment)

    def number_in(self, node: gast.AST, value: Abstract, environment: dict) -> Numeric | None:
        """What each number of a range or a vector is, turned around or not; None of anything else."""
        if isinstance(value, Numeric) and value.kind == "array" and value.rank == 1:
            element = self.element_of(value)
            return element if isinstance(element, Numeric) else None
        function = self.function_of(node, environment)
        if function is reversed and isinstance(node, gast.Call) and len(node.args) == 1:
            return self.number_in(node.args[0], self.facts.value(node.args[0]), environment)
        return INTEGER if value == RANGE else None

    def items_named(self, node: Any, kind: type, value: Abstract) -> gast.AST | None:
        """``(x[0], x[1])`` for ``tuple(x)`` of an array under a name that has two items; None where nobody knows."""
        count, given = number_of_items(value), node.args[0]
        if count is None or not isinstance(value, Numeric) or not isinstance(given, gast.Name):
            return None
        form: tuple = id(node), kind, count
        if form not in self.facts.simpler:
            items = [subscript(name(given.id), constant(place)) for place in range(count)]
            self.facts.simpler[form] = located_at(
                (gast.Tuple if kind is tuple else gast.List)(items, gast.Load()), node)
        return self.facts.simpler[form]

    def of_pairs(self, node: Any) -> gast.AST:
        """``{"w": w, "b": b}`` for ``dict([("w", w), ("b", b)])``, ``{k: f(v) for k in ks}`` for
        ``dict((k, f(v)) for k in ks)``, ``{key: value for key, value in pairs}`` for ``dict(pairs)``."""
        form: tuple = id(node), "pairs"
        if form not in self.facts.simpler:
            (given,) = node.args
            if is_of_pairs(given):
                made: gast.AST = gast.Dict(*([pair.elts[place] for pair in given.elts] for place in (0, 1)))
            elif isinstance(given, gast.GeneratorExp) and is_pair(given.elt):
                made = gast.DictComp(*given.elt.elts, given.generators)
            else:
                fresh = Names(self.program.names)
                labels = [fresh.fresh("key"), fresh.fresh("value")]
                target = gast.Tuple([gast.Name(label, gast.Store(), None, None) for label in labels], gast.Store())
                made = gast.DictComp(*map(name, labels), [gast.comprehension(target, given, [], 0)])
            self.facts.simpler[form] = located_at(made, node)
        return self.facts.simpler[form]

    def numbers_by_key(self, node: Any, environment: dict) -> Numeric | None:
        """What each number in ``dict(zip(keys, numbers))`` or ``dict(enumerate(numbers))`` is; None of others."""
        if not isinstance(node, gast.Call) or self.function_of(node, environment) not in (zip, enumerate):
            return None
        pair = self.iterate(node, environment)  # type: ignore[attr-defined]
        parts = pair.items if isinstance(pair, Items) else None
        number = parts[1] if parts is not None and len(parts) == 2 else None
        return number if isinstance(number, Numeric) and number.is_number and not number.active else None

    def instance(self, node: gast.Call, kind: type, fields: dict[str, Abstract]) -> Abstract:
        """What generated code makes without a constructor: an object of a class with these fields."""
        self.facts.displays[id(node)] = [item.value for item in node.keywords]
        return Items(kind, tuple(fields.values()), keys=tuple(fields))

    def copied(self, node: gast.AST, kind: type, original: gast.AST, value: Abstract) -> Abstract | None:
        """``list(pair)``, ``tuple(parts)``, ``dict(params)``, ``params.copy()``: other containers of the same parts."""
        if kind in (list, tuple) and isinstance(value, Numeric) and not value.is_number and value.active:
            item = gast.comprehension(gast.Name("item", gast.Store(), None, None), original, [], 0)
            self.facts.instead[id(node)] = gast.copy_location(gast.ListComp(name("item"), [item]), node)
            return Items(kind, None, self.element_of(value))
        if not isinstance(value, Items) or issubclass(kind, dict) is not value.is_dict or value.is_object:
            return None
        if value.items is None:
            self.facts.instead[id(node)] = original
            return replace(value, kind=kind, view=None)
        keys = value.keys if issubclass(kind, dict) else None
        parts = [self.part(original, value, step) for step in value.steps]
        self.facts.displays[id(node)] = parts  # type: ignore[assignment]
        return Items(kind, value.items, keys=keys)

    def remade(self, node: gast.Call, function: Any, arguments: list[Abstract], environment: dict) -> Abstract | None:
        """What ``copy.copy`` and ``dataclasses.replace`` make of what is known; None for others."""
        if function in UNFOLDED and not (self.program.is_generated and any(
                isinstance(statement, Define) for statement in self.program.body)):
            form = id(node), tuple(arguments)
            if form not in self.facts.simpler:
                simpler = unfolded(node, function, arguments, self.part, self.given)
                self.facts.simpler[form] = None if simpler is None else gast.copy_location(simpler, node)
            if self.facts.simpler[form] is not None:
                return self.respelled(node, self.facts.simpler[form], environment)
        if function is copy.deepcopy and len(arguments) == 1 and not arguments[0].active and is_one_array(arguments[0]):
            return arguments[0]
        if len(arguments) == 1 and arguments[0].active and (
                function is copy.deepcopy or function is copy.copy and isinstance(arguments[0], Numeric)):
            return self.copy_of(node, function, arguments[0], environment)
        if len(arguments) != 1 or not isinstance(arguments[0], Items):
            return None
        held = arguments[0]
        if function is copy.copy and held.is_changeable:
            return self.respelled(node, gast.copy_location(call(attribute(node.args[0], "copy")), node), environment)
        if held.items is None:
            return None
        if function is dataclasses.replace and has_plain_constructor(held.kind) or function is copy.copy \
                and not node.keywords and is_copied_plainly(held.kind) and not held.late and not held.views:
            return self.with_fields(node, node.args[0], held, environment)
        if held.optional or not held.active or not dataclasses.is_dataclass(held.kind) or has_effect(
                node.args[0], self.facts):
            return None
        made: gast.AST | None = None
        if id(node) in self.facts.simpler and self.facts.simpler[id(node)] is not None:
            made = self.facts.simpler[id(node)]
        elif function is dataclasses.replace:
            made = self.made_anew(node, held.kind)
        elif function in (dataclasses.asdict, dataclasses.astuple) and not node.keywords:
            made = self.taken_down(node.args[0], held, function is dataclasses.asdict)
        if made is None:
            return None
        self.facts.simpler[id(node)] = located_at(made, node)
        return self.respelled(node, made, environment)

    def made_anew(self, node: gast.Call, kind: Any) -> gast.AST | None:
        """``State(x=v, y=old.y)`` for ``dataclasses.replace(old, x=v)``."""
        given = {item.arg for item in node.keywords}
        names = [item.name for item in dataclasses.fields(kind) if item.init]
        if None in given or not given <= {*names} or {*names} != {*inspect.signature(kind).parameters}:  # an InitVar
            return None
        rest = [gast.keyword(label, attribute(copy.deepcopy(node.args[0]), label)) for label in names
                if label not in given]
        return gast.Call(self.given(kind), [], [*node.keywords, *rest])

    def taken_down(self, place: gast.AST, value: Abstract, in_dicts: bool) -> gast.AST | None:
        """What ``dataclasses.asdict`` or ``astuple`` gives of what is at a place; None where that is not known."""
        if isinstance(value, Numeric) and value.is_number:
            return copy.deepcopy(place)
        if not isinstance(value, Items):
            return call(self.given(copy.deepcopy), copy.deepcopy(place))
        data = dataclasses.is_dataclass(value.kind)
        if value.optional or value.items is None or not data and value.kind not in (list, tuple, dict):
            return None
        parts = [self.taken_down(attribute(place, step) if data else subscript(place, key_expression(step)), item,
                                 in_dicts) for step, item in zip(value.steps, value.items)]
        if None in parts:
            return None
        if data and in_dicts or value.is_dict:
            return gast.Dict([key_expression(step) for step in value.steps], parts)
        return gast.List(parts, gast.Load()) if value.kind is list else gast.Tuple(parts, gast.Load())

    def copy_of(self, node: gast.Call, function: Any, value: Abstract, environment: dict) -> Abstract:
        if isinstance(value, Items):
            return self.deep_copy(node, value, environment)
        if not isinstance(value, Numeric):
            raise self.uncopied(node)
        if not value.is_number and value.kind != "array":
            raise self.refusal(f"whether copy.{function.__name__} gets a number or an array is not known before the "
                               "call", "write np.copy(x) of an array, and a number as it is", node)
        plain = node.args[0] if value.is_number else gast.copy_location(call(self.given(np.copy), node.args[0]), node)
        return self.respelled(node, plain, environment)

    def deep_copy(self, node: gast.Call, value: Items, environment: dict) -> Abstract:
        raise self.uncopied(node)

    def uncopied(self, node: gast.Call) -> UnsupportedError:
        return self.refusal("what copy.deepcopy makes of everything in this container is not known",
                            "copy its parts: {name: part.copy() for name, part in params.items()}", node)

    def with_fields(self, node: gast.Call, original: gast.AST, value: Items, environment: dict) -> Abstract | None:
        """A container with the same parts as another, but for those that the keywords of a call give."""
        given = {item.arg: item.value for item in node.keywords}
        if not given.keys() <= set(value.steps):
            return None
        if value.active and not self.passive_context:
            self.name_what_acts(original)
        parts = [given[step] if step in given else self.part(original, value, step) for step in value.steps]
        items = tuple(self.evaluate(part, environment) for part in parts)
        self.facts.displays[id(node)] = parts  # type: ignore[assignment]
        return replace(value, items=items, origin=None)

    def container_method(self, node: gast.Call, receiver: Items, environment: dict) -> Abstract | None:
        """What a method of a container gives; None where it is not known."""
        method, original = node.func.attr, node.func.value
        if method == "_replace" and not node.args and is_named_tuple(receiver.kind):
            return self.with_fields(node, original, receiver, environment)
        if node.keywords or any(isinstance(item, gast.Starred) for item in node.args):
            return None
        arguments = [self.evaluate(item, environment) for item in node.args]
        if receiver.is_dict and receiver.keys is not None and receiver.active and not self.passive_context \
                and method in ("values", "items", "get"):
            self.name_what_acts(original, *node.args)
        if receiver.kind is Counter and receiver.active and method in counters.METHODS:
            return self.spelled_call(node, counters.METHODS[method], [original, *node.args], environment)
        if is_place_in_list(node, self.facts):
            return INTEGER
        if method == "_asdict" and not arguments and is_named_tuple(receiver.kind):
            if receiver.active and not self.passive_context:
                self.name_what_acts(original)
            self.facts.displays[id(node)] = [self.part(original, receiver, step) for step in receiver.steps]
            return Items(dict, receiver.items, keys=receiver.keys)
        if method == "get" and receiver.is_dict and arguments:
            self.as_key(node.args[0], arguments[0])
        if method == "copy" and not arguments and receiver.items is None and receiver.is_changeable and not (
                receiver.is_default and has_effect(original, self.facts)):
            if id(node) not in self.facts.simpler:
                self.facts.simpler[id(node)] = located_at(new_container(
                    receiver.kind, original, self.given, copy.deepcopy(original)), node)
            self.facts.spelled[id(node)] = self.facts.simpler[id(node)]
            return self.evaluate(self.facts.simpler[id(node)], environment)
        if method == "copy" and not arguments and receiver.is_changeable:
            return self.copied(node, receiver.kind, original, receiver)
        if not receiver.is_dict or receiver.keys is None:
            return self.method_of_open(node, receiver, environment) if receiver.is_open else None
        if method == "get" and 1 <= len(arguments) <= 2:
            key = known_value(arguments[0])
            if key is MISSING or is_instance(key):
                return self.read_or_default(node, environment)
            if receiver.active and not self.passive_context:
                self.name_default(node)
            if key in receiver.steps:
                return self.stand_in(node, self.part(original, receiver, key))
            return self.stand_in(node, node.args[1]) if len(arguments) == 2 else literal(None)
        if method == "keys" and not arguments:
            return Items(list, None, KEY, view=method)  # which changes with the dict
        if method in ("values", "items") and not arguments:
            parts = [self.part(original, receiver, step) for step in receiver.steps]
            if method == "items":
                parts = [self.pair(step, part) for step, part in zip(receiver.steps, parts)]
            display = gast.copy_location(gast.List(parts, gast.Load()), node)
            display.view = method
            self.facts.values[id(display)] = Items(list, tuple(self.facts.values[id(part)] for part in parts),
                                                   view=method)
            return self.stand_in(node, display)
        return None

    def name_what_acts(self, *nodes: gast.AST) -> None:
        """Let what may do something when it is evaluated have a name: it is written several times, or not at all."""
        for node in nodes:
            spelled = self.facts.spelled.get(id(node))  # ``vars(model)``, as a display of the attributes
            if not all(map(self.may_be_repeated, spelled.values if isinstance(spelled, gast.Dict) else [node])):
                raise NeedsName(node, self.refusal("this is made in the middle of an expression",
                                                   "give it a name before", node))

    def pair(self, key: Any, part: gast.AST) -> gast.AST:
        first = key_expression(key)
        self.facts.values[id(first)] = literal(key)
        pair = gast.copy_location(tuple_of([first, part]), part)
        self.facts.values[id(pair)] = Items(tuple, (known_key(key), self.facts.values[id(part)]))
        return pair

    def stand_in(self, node: gast.AST, other: gast.AST) -> Abstract:
        self.facts.instead[id(node)] = other
        return self.facts.values[id(other)]


def fits(node: Any, value: Items, limit: int) -> bool:
    """Whether a list has no more items than a deque may have: ``items[-limit:]``, a deque of that length."""
    if value.items is not None:
        return len(value.items) <= limit
    cut = node.slice if isinstance(node, gast.Subscript) else None
    return getattr(value.kind, "limit", None) == limit or isinstance(cut, gast.Slice) and getattr(
        cut.lower, "value", None) == -limit and cut.upper is cut.step is None


def is_of_pairs(node: Any) -> bool:
    """Whether an expression is a list or tuple of pairs that are written out."""
    return isinstance(node, (gast.List, gast.Tuple)) and all(map(is_pair, node.elts))


def is_pair(node: Any) -> bool:
    return isinstance(node, (gast.List, gast.Tuple)) and len(node.elts) == 2 and not any(
        isinstance(item, gast.Starred) for item in node.elts)


def is_copied_plainly(kind: type) -> bool:
    """Whether a copy of a container is another that holds the same, and no code of the user's makes it."""
    own = ("__copy__", "__reduce__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__")
    return class_of(kind) in (tuple, list, *DICTS) or not issubclass(kind, (tuple, list, dict)) \
        and kind.__new__ is object.__new__ and kind.__reduce_ex__ is object.__reduce_ex__ and all(
            getattr(kind, name, None) is getattr(object, name, None) for name in own)


def is_copied_by_parts(value: Abstract) -> bool:
    """Whether a deep copy is a container of the same kind with copies of the arrays, and no code of the user's makes
    it."""
    if isinstance(value, Items):
        if value.late or value.views or value.optional or not is_copied_plainly(value.kind) or hasattr(
                value.kind, "__deepcopy__"):
            return False
        return all(map(is_copied_by_parts, value.items if value.items is not None else (value.element,)))
    return isinstance(value, Numeric) or isinstance(value, Known) and isinstance(value.value, LASTING)


def holds_one_at_most(value: Items) -> bool:
    """Whether there is a single array in a container, and no other container."""
    if value.items is None:
        return isinstance(value.element, Known) or isinstance(value.element, Numeric) and value.element.is_number
    return not any(isinstance(item, Items) for item in value.items) and sum(
        isinstance(item, Numeric) and not item.is_number for item in value.items) < 2


def is_one_array(value: Abstract) -> bool:
    """Whether a deep copy is that of a number or an array, alone or with other numbers in a container."""
    if isinstance(value, Numeric):
        return value.is_number or value.kind == "array"
    return isinstance(value, Items) and is_copied_by_parts(value) and holds_one_at_most(value)


def has_plain_constructor(kind: Any) -> bool:
    """Whether a class is a named tuple or a dataclass whose constructor does nothing but fill the fields."""
    if not isinstance(kind, type):
        return False
    if is_named_tuple(kind):
        return is_plain_tuple(kind)
    return dataclasses.is_dataclass(kind) and not hasattr(kind, "__post_init__") and all(
        item.init and item.default_factory is dataclasses.MISSING for item in dataclasses.fields(kind)) \
        and getattr(vars(kind).get("__init__"), "__code__", None) is not None \
        and vars(kind)["__init__"].__code__.co_filename.startswith("<")
