"""Abstract values of expressions: kinds, dtypes, shapes, activity; which rule applies where."""
from __future__ import annotations

import copy
import enum
import functools
import itertools
import types
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler import objects
from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.equivalents import FROM_ITERABLE
from s2sgrad.compiler.evaluation import integer_key, literal, number_or_none, with_known_items
from s2sgrad.compiler.indexing import BASIC, FANCY, Running, as_places, index_result, is_index_maker, parts_of
from s2sgrad.compiler.kinds import is_class, type_of
from s2sgrad.compiler.made_functions import answers_as_in_python, is_as_in_python, syntax_of
from s2sgrad.compiler.nodes import attribute, call, constant, located_at, subscript, tuple_of
from s2sgrad.compiler.operators import Operators
from s2sgrad.compiler.structures import limit_of
from s2sgrad.compiler.targets import inner_attribute, is_stored, method_with_rule, not_found
from s2sgrad.compiler.telling import EXCEPTION, OF_EXCEPTIONS, is_exception
from s2sgrad.compiler.texts import known_letters
from s2sgrad.containers import in_library, is_instance, is_member
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import (
    ANY,
    INTEGER,
    KEY,
    MISSING,
    NEVER,
    ONE_OF_SOME,
    RANGE,
    UNSET,
    Abstract,
    Function,
    Items,
    Known,
    Numeric,
    Opaque,
    as_numeric,
    is_key,
    known_value,
    number,
    slice_bounds,
    slice_of,
)
from s2sgrad.rules.refused import do_otherwise, like_its_object
from s2sgrad.rules.table import ATTRIBUTES, rule_for
from s2sgrad.runtime import position


class Evaluator(Operators):
    """The evaluation of expressions without calls."""

    def missing_item(self, node: gast.Subscript, held: Items, index: Abstract, environment: dict) -> Abstract | None:
        """What is found under a key that a dict has not; None where it has it, or there is nothing then. What generated
        code asks for is there."""
        return None

    def of_Attribute(self, node: gast.Attribute, environment: dict) -> Abstract:
        base = self.evaluate(node.value, environment)
        if base is NEVER:
            return NEVER
        if isinstance(base, Known):
            if isinstance(base.value, types.ModuleType):
                return self.module_attribute(base.value, node.attr)
            return self.object_attribute(base.value, node.attr)
        if isinstance(base, Opaque) and base.active:
            self.refuse_mixture(base, node.value)
            base = as_numeric(base)
        if isinstance(base, Items) and base.is_deque and node.attr == "maxlen":
            return literal(limit_of(base))
        if isinstance(base, Items) and base.is_default and node.attr == "default_factory":
            factory = base.kind.factory  # type: ignore[attr-defined]
            return factory if isinstance(factory, Function) else Known(factory)
        if syntax_of(base) is not None and not (isinstance(base, Items) and base.has_field(node.attr)):
            return self.of_function_made(node, base)
        kind = type_of(base) if node.attr == "__class__" else None
        if kind is not None:
            return Known(kind)
        if isinstance(base, Items) and base.items is not None:
            if base.has_field(node.attr):
                held = base.at(node.attr)
                if held == UNSET:
                    return NEVER
                return Opaque() if node.attr in base.late and known_value(held) is None else held
            getter = objects.getter_call(node, base.kind, self.outer)
            if getter is not None:
                return self.respelled(node, getter, environment)
            if objects.is_constant_of(base.kind, node.attr):
                return self.outer(node.attr, base.kind)
            if base.is_object and not self.passive_context and objects.is_method(base.kind, node.attr):
                return self.called_later(node, node.value, environment)  # type: ignore[attr-defined,no-any-return]
        if isinstance(base, Numeric) and node.attr in ATTRIBUTES:
            rule = ATTRIBUTES[node.attr]
            value = self.apply(node, rule, {rule.parameters[0].name: node.value}, {rule.parameters[0].name: base})
            lacking = base.kind == "python" and not hasattr(float, node.attr)  # asking for it raises an exception
            return replace(value, value=MISSING) if lacking and isinstance(value, Numeric) else value
        if is_exception(base):
            return self.of_exception(node)
        if base == ONE_OF_SOME and node.attr == "name":
            return KEY
        if base.active and not self.passive_context:
            if callable(getattr(type_of(base), node.attr, None)) and not (isinstance(base, Items) and base.is_object):
                return self.called_later(node, node.value, environment)  # type: ignore[attr-defined,no-any-return]
            if isinstance(base, Items) and isinstance(
                    objects.found_in(base.kind, node.attr), functools.cached_property):
                raise self.refusal(f"the cached property {node.attr} is stored in the object when it is first asked "
                                   "for, and this is one of several", "make it a property, or set it in __init__", node)
            if isinstance(base, Items) and base.is_object:
                raise not_found(base.kind, node.attr, self.node_location(node))
            raise self.refusal(f"the attribute .{node.attr} of a differentiated value has no rule",
                               do_otherwise(node.attr), node)
        return like_its_object(base, node.attr)

    def ask_made(self, node: gast.AST, value: Abstract, question: Any, asked: Any = None) -> None:
        """Raises UnsupportedError where a function that is made here answers otherwise than what Python has there."""
        if syntax_of(value) is not None and not answers_as_in_python(value, question, asked):
            raise self.not_as_in_python(node, question.__name__)

    def not_as_in_python(self, node: gast.AST, label: str) -> UnsupportedError:
        return self.refusal(f"what {label} makes of a function that is made here is not known",
                            "leave the question out, or define the function in the module", node)

    def of_function_made(self, node: gast.Attribute, value: Abstract) -> Abstract:
        """An attribute of a function that is made here."""
        if not is_as_in_python(value, node.attr):
            raise self.refusal(f"what .{node.attr} of a function that is made here gives is not known",
                               "write it out, or define the function in the module", node)
        return Opaque()

    def of_exception(self, node: gast.Attribute) -> Abstract:
        """An attribute of an exception that was caught."""
        if node.attr not in OF_EXCEPTIONS and not self.passive_context:
            label = f"the exception {node.value.id}" if isinstance(node.value, gast.Name) else "this exception"
            raise self.refusal(f"what {label} holds is not followed", "bind it to a name before it is raised; its "
                               "class and its text are fine", node)
        return EXCEPTION if node.attr in ("__cause__", "__context__") else Opaque(told=node.attr not in OF_EXCEPTIONS)

    def module_attribute(self, module: types.ModuleType, attribute: str) -> Abstract:
        value = getattr(module, attribute, MISSING)
        if value is MISSING:  # a function of the module may bind it
            return Opaque() if in_library(module.__name__) else self.outer(attribute, vars(module))
        if attribute in vars(module) and not in_library(module.__name__):
            return self.outer(attribute, vars(module))  # it may be bound to something else some day
        if type(value) in (int, float) and module.__name__.split(".")[0] in ("numpy", "math", "cmath", "scipy", "sys"):
            return number(value)
        if callable(value) or isinstance(value, types.ModuleType) or value is None or rule_for(value) is not None \
                or is_index_maker(value) or is_record(value) or value is np.mgrid:
            return Known(value)
        return Opaque()

    def object_attribute(self, value: Any, attribute: str) -> Abstract:
        """An attribute of an object that is known: itself a captured input."""
        if isinstance(value, enum.EnumMeta) and is_member(value.__members__.get(attribute)):
            return Known(value.__members__[attribute])
        if attribute == "__class__" and is_instance(value):
            return Known(type(value))
        if attribute == "__name__" and is_class(value):
            return self.outer(attribute, value)
        if is_member(value) and attribute in ("value", "name"):
            return self.outer(f"_{attribute}_", value)
        if is_record(value) and type(held := getattr(value, attribute, None)) in (int, float):
            return number(held)
        if isinstance(value, np.ufunc) and attribute in ("reduce", "accumulate", "reduceat", "outer"):
            return Known(getattr(value, attribute))
        if value is itertools.chain and attribute == "from_iterable":
            return Known(FROM_ITERABLE)
        method = method_with_rule(value, attribute)
        if method is not None:
            return Known(method)
        inner = inner_attribute(value, attribute)
        if type(inner) is tuple:
            return Items(tuple, tuple(self.outer(index, inner) for index in range(len(inner))))
        if inner is not MISSING:
            return Known(inner)
        if is_stored(value, attribute) or isinstance(value, types.FunctionType) and not attribute.startswith("__"):
            return self.outer(attribute, value)  # one that a function hasn't yet it may have once it was called
        functions = objects.unnamed(value, attribute)
        if functions:
            if objects.may_change(type(value), "__getattribute__"):
                raise self.refusal(f"__getattribute__ of {type(value).__name__} may store something in the object, and "
                                   "is called here unnamed", "pass the attributes as arguments")
            self.facts.disturbing.update(((id(function), False), (function, self.location)) for function in functions)
            return self.outer(attribute, value, functions)
        if (is_instance(value) or isinstance(value, type) and not in_library(value.__module__)) \
                and objects.found_in(type(value), attribute) is MISSING:
            return self.outer(attribute, value)  # the same of an object and a class
        return Opaque()

    def of_Subscript(self, node: gast.Subscript, environment: dict) -> Abstract:
        base = with_known_items(self.evaluate(node.value, environment))
        index = self.passively(node.slice, environment)
        if base is NEVER:
            return NEVER
        self.as_key(node.slice, index)
        if isinstance(base, Opaque) and base.active:
            self.refuse_mixture(base, node.value, known_value(index))
            base = as_numeric(base)
        if isinstance(base, Items) and base.is_object:
            return self.object_item(node, base, environment)
        spelled = self.with_bounds(node, index) if self.may_be_cut(node, base) else None
        if spelled is not None:
            return self.respelled(node, spelled, environment)
        if isinstance(base, Items):
            place = known_value(index)
            made = self.missing_item(node, base, index, environment) if base.makes_items else None
            if made is not None:
                return made
            if base.items is None:
                result = self.one_of(base.element, id(node))
                if result.active and not self.passive_context and self.is_made_here(node.value):
                    self.facts.chosen_from.add(id(node.value))
            elif place is not MISSING and base.lacks(place):
                result = NEVER
            elif base.indexed(place) is not MISSING:
                result = base.at(base.indexed(place))
            else:
                result = self.joined(base)
                if not isinstance(node.slice, gast.Slice) and isinstance(
                        node.value, (gast.Dict, gast.List, gast.Tuple)):
                    self.facts.chosen_from.add(id(node.value))
            if isinstance(node.slice, gast.Slice):
                return self.sliced(node, base)
            return result
        if isinstance(base, Known) and type(base.value) is dict and known_value(index) in base.value:
            return self.outer(known_value(index), base.value)
        if isinstance(base, Known) and isinstance(base.value, enum.EnumMeta):
            return self.member(base.value.__getitem__, index)
        if not isinstance(base, Numeric):
            return self.of_indexed_object(node, base, environment)
        parts = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
        if base.kind == "scalar" and base.active and not self.passive_context and not (
                parts and all(known_value(self.facts.values.get(id(part), ANY)) is None for part in parts)):
            array = gast.copy_location(call(self.given(np.asarray), node.value), node.value)  # v[()], v[v > 0]
            return self.respelled(node, self.one_for(node, subscript(array, node.slice)), environment)
        described = []
        for part in parts:
            value = self.facts.values.get(id(part), Opaque())
            described.append((as_places(value), self.bounds_of(part, value, environment)))
        if len(parts) != 1 or not isinstance(index, Items) or described[0][0] is not index:
            result, kind = index_result(base, described)
        elif index.kind is tuple and index.items is None and slice_bounds(index.element) is not None:
            result, kind = base.part("array", None), BASIC
        else:
            held = parts_of(index)
            result, kind = (base.part("any", None), FANCY) if held is None else index_result(base, held)
        self.facts.index_kinds[id(node)] = kind
        self.note_sizes(result.shape or ())
        return result.with_activity(base.active)

    def is_made_here(self, node: gast.AST) -> bool:
        """Whether an expression is a new list: ``list(zip(a, b))``, ``xs + ys``, ``xs[1:]``."""
        if isinstance(node, gast.Call):
            return known_value(self.facts.values.get(id(node.func))) in (list, tuple)
        return isinstance(node, gast.BinOp) or isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Slice)

    def member(self, find: Any, value: Abstract) -> Abstract:
        """The member of an enumeration that ``Kind["name"]`` or ``Kind(value)`` gives, where that is known."""
        known = known_value(value)
        try:
            found = find(known) if isinstance(known, (str, int)) or is_member(known) else None
        except (KeyError, ValueError):  # as the call itself says
            found = None
        return Known(found) if is_member(found) else Opaque()

    def spelled_index(self, node: gast.Subscript, environment: dict) -> gast.Subscript | None:
        """What stands for an element, or for a part of a list of which the bounds have a name; None where the index may
        stay as it is."""
        if not self.may_be_cut(node, self.evaluate(node.value, environment)):
            return None
        return self.with_bounds(node, self.passively(node.slice, environment))

    def may_be_cut(self, node: gast.Subscript, base: Abstract) -> bool:
        """Whether an index that is no slice itself may be the name of one, of a differentiated list."""
        return isinstance(base, Items) and base.kind in (list, tuple) and base.active and not self.passive_context \
            and not isinstance(node.slice, gast.Slice)

    def with_bounds(self, node: gast.Subscript, index: Abstract) -> gast.Subscript | None:
        """``xs[start:stop:step]`` for ``xs[cut]``, and ``xs[position(k)]`` where nothing tells whether ``k`` is one;
        None where the index may stay as it is."""
        bounds = slice_bounds(index)
        if bounds is None:
            sure = not isinstance(index, Opaque) or index is NEVER or index.besides is not None
            if sure or str(self.program.owner.__module__).startswith("s2sgrad."):
                return None
            part: gast.AST = call(self.given(position), node.slice)
        elif MISSING not in bounds:
            part = gast.Slice(*[None if bound is None else constant(bound) for bound in bounds])
        elif has_effect(node.slice, self.facts):
            raise self.refusal("which part of a list this is is not known before the call", "give the slice a name",
                               node)
        else:
            part = gast.Slice(*[attribute(copy.deepcopy(node.slice), label) for label in ("start", "stop", "step")])
        return located_at(subscript(node.value, part), node)

    def bounds_of(self, part: gast.AST, value: Abstract, environment: dict) -> tuple | None:
        """Start, stop and step of a part of an index that is a slice; None of others. Those of one that has a name are
        the same wherever it is read."""
        if isinstance(part, gast.Slice):
            return tuple(self.bound_of(bound, environment) for bound in (part.lower, part.upper, part.step))
        bounds = slice_bounds(value)
        if bounds is None or MISSING not in bounds or not isinstance(part, gast.Name) or not self.named_sizes \
                or part.id not in environment:
            return bounds
        version = environment[part.id]
        return Running(("name", version.name, version.index)), None, None

    def bound_of(self, node: gast.AST | None, environment: dict) -> Any:
        """A bound of a slice: None, the number, a ``Running`` one, or MISSING where nothing tells it from others."""
        known = number_or_none(node, self.facts)
        if known is not MISSING or node is None or not self.named_sizes:
            return known
        key = integer_key(node, self.facts, environment)
        return MISSING if key is None else Running(key)

    def object_item(self, node: gast.Subscript, base: Items, environment: dict) -> Abstract:
        """``v[i]`` of an object whose class says what that is."""
        calls = objects.special_calls(node, base, "__getitem__", [node.value, node.slice], self.outer)
        if calls and not isinstance(node.slice, gast.Slice):
            return self.respelled(node, calls[0], environment)
        if base.active and not self.passive_context:
            raise self.refusal(f"what is in a {base.kind.__name__} is not known", "read its attributes", node)
        return Opaque()

    def index_given(self, node: gast.AST) -> Abstract:
        """What an expression in brackets hands on: a slice, or what it stands for."""
        if not isinstance(node, gast.Slice):
            return self.facts.value(node)
        return slice_of(*[Known(None) if bound is None else self.facts.value(bound)
                          for bound in (node.lower, node.upper, node.step)])

    def of_indexed_object(self, node: gast.Subscript, base: Abstract, environment: dict) -> Abstract:
        """What an object gives for an index: ``np.r_[x, y]`` is a call in brackets."""
        if is_key(base):
            letters = known_letters(known_value(base), self.index_given(node.slice))
            return KEY if letters is None else Known(letters)
        if base == RANGE:
            return RANGE if isinstance(node.slice, gast.Slice) else INTEGER
        parts = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
        maker = known_value(base)
        if is_index_maker(maker):
            values = tuple(map(self.index_given, parts))
            return Items(tuple, values) if maker.maketuple or isinstance(node.slice, gast.Tuple) else values[0]
        if maker is np.mgrid and not self.evaluate(node.slice, environment).active:
            axes = len(parts) + 1 if isinstance(node.slice, gast.Tuple) else 1
            return Numeric("array", None, (None,) * axes)
        rule = rule_for(maker)
        slices = [part for part in parts if isinstance(part, gast.Slice)]
        bounds = [self.evaluate(bound, environment) for part in slices
                  for bound in (part.lower, part.upper, part.step) if bound is not None]
        operands = Items(tuple, tuple(Numeric("array", None, (None,)) if part in slices
                                      else self.evaluate(part, environment) for part in parts))
        active = not self.passive_context and (operands.active or any(bound.active for bound in bounds))
        if active and rule is not None and slices:
            written = tuple_of([self.numbers_in_brackets(part) for part in parts])
            return self.respelled(node, self.one_for(node, subscript(node.value, written)), environment)
        if rule is None or not all(isinstance(item, Numeric) for item in operands.items or ()):
            if not active:
                return like_its_object(base, "")
            raise self.refusal("what this object gives for a differentiated index is not known",
                               "join arrays with np.concatenate or np.stack", node)
        index = node.slice
        if not isinstance(index, gast.Tuple):
            index = gast.copy_location(tuple_of(parts), node)
            self.facts.made.append(index)
        self.facts.values[id(index)] = operands
        return self.apply(node, rule, {"parts": index}, {"parts": operands})

    def numbers_in_brackets(self, part: Any) -> Any:
        """``np.arange(0, 3)`` for ``0:3`` in the brackets of ``np.r_``, ``np.linspace(0, 1, 5)`` for ``0:1:5j``."""
        if not isinstance(part, gast.Slice) or part.upper is None:
            return part
        start, count = part.lower or constant(0), getattr(part.step, "value", None)
        if isinstance(count, complex):
            return located_at(call(self.given(np.linspace), start, part.upper, constant(int(abs(count)))), part)
        return located_at(call(self.given(np.arange), start, part.upper, *([part.step] if part.step else [])), part)

    def sliced(self, node: gast.Subscript, base: Items) -> Abstract:
        """Part of a list or tuple: of known items, where it is known which."""
        if base.is_deque:
            raise self.refusal("a deque has no slices", "make a list of it: list(q)[1:]", node)
        bounds = [number_or_none(part, self.facts) for part in (node.slice.lower, node.slice.upper, node.slice.step)]
        if base.items is None or MISSING in bounds:
            return Items(base.kind, None, self.joined(base))
        places = range(*slice(*bounds).indices(len(base.items)))
        self.facts.displays[id(node)] = [self.part(node.value, base, base.steps[place]) for place in places]
        kind = base.kind if base.kind is list else tuple
        return Items(kind, tuple(base.items[place] for place in places))


def is_record(value: Any) -> bool:
    """Whether a value is a tuple with names in which ``sys`` tells what Python is like: ``sys.float_info``."""
    return isinstance(value, tuple) and hasattr(type(value), "n_sequence_fields")
