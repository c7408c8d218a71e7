"""Helpers of generated code over containers, as the expressions that they stand for: where an adjoint is differentiated
again, ``held(xs)`` is a list of copies, ``added(xs_bar, ys_bar)`` one of sums."""
from __future__ import annotations

import functools
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad import runtime
from s2sgrad.compiler.nodes import Names, attribute, call, constant, name, names_in, subscript
from s2sgrad.compiler.structures import key_expression, new_container
from s2sgrad.containers import LISTS, instance, is_instance
from s2sgrad.rules.abstract import UNSET, Abstract, Function, Items, Known, Numeric, is_real, known_value

IN_FORM = (runtime.structured, runtime.handed_back, runtime.taken_along)
LOOSE = (runtime.added, runtime.loosened, runtime.taken_apart)
"""What these give has the form of :func:`runtime.zeros_of`."""
LEAVES = (*IN_FORM, runtime.contracted)
"""What is unfolded for numbers and arrays, too."""
UNFOLDED = (runtime.held, runtime.summed_bars, runtime.pieces, runtime.real_parts, runtime.contracted, *LOOSE, *IN_FORM)


class NotUnfolded(Exception):
    """Too little is known of a container."""


def unfolded(node: gast.Call, function: Any, values: list[Abstract], part: Callable, given: Callable) -> Any:
    """The expression that a call stands for, None for others.

    ``part(node, value, step)`` gives an expression for a part of another, ``given(function)`` a name for a function.
    """
    leaf = function in LEAVES and isinstance(values[-1], (Known, Numeric))
    if node.keywords or not any(value.active and (leaf or isinstance(value, Items)) or is_made_function(value)
                                for value in values):
        return None
    try:
        if function is runtime.contracted:
            return contracted(node, values[0], values[1], part, given)
        if function in IN_FORM and is_instance(known_value(values[1])) and isinstance(values[0], Items):
            return container(values[0], [call(given(function), part(node.args[0], values[0], step), attribute(
                node.args[1], step)) for step in values[0].steps], function, given)
        if leaf:
            return in_form(function, node.args, values[0], values[1], given)
        if function is runtime.summed_bars:
            return sums(node, values, given)
        if function is runtime.pieces:
            flat = call(given(np.reshape), node.args[0], constant(-1))
            places = call(given(runtime.places_joined), *node.args[1:])
            return each([places], list, given, lambda items: subscript(flat, items[0]))
        if function is runtime.taken_apart:
            return rows(node, values, given)
        if function is runtime.held and isinstance(values[0], Items) and values[0].optional and len(values) == 1:
            there = mapped(node, function, [replace(values[0], optional=False)], part, given)
            return gast.IfExp(gast.Compare(node.args[0], [gast.IsNot()], [constant(None)]), there, constant(None))
        if function is runtime.added and isinstance(values[0], Items) and values[0].optional and is_place(node.args[0]):
            both = mapped(node, function, [replace(values[0], optional=False), values[1]], part, given)
            alone = gast.Compare(node.args[0], [gast.Is()], [constant(None)])
            return gast.IfExp(alone, call(given(runtime.held), node.args[1]), both)
        if function is not runtime.held or len(values) == 1:
            return mapped(node, function, values, part, given)
    except NotUnfolded:
        pass
    return None


def is_made_function(value: Abstract) -> bool:
    """Whether a value is a function that has become an object, which is called whether it is differentiated or not."""
    return isinstance(value, Items) and getattr(value.kind, "is_function", False)


def sums(node: gast.Call, values: list[Abstract], given: Callable) -> gast.AST:
    if not (isinstance(values[1], Items) and is_list(values[1])):
        raise NotUnfolded
    return each(node.args[1:], list, given, lambda items: call(given(runtime.held), call(  # each in its own memory
        given(runtime.unbroadcast), node.args[0], call(given(np.shape), *items))))


def rows(node: gast.Call, values: list[Abstract], given: Callable) -> gast.AST:
    bar, like = node.args
    if isinstance(values[1], Items) and values[1].is_named and values[1].items is not None:
        parts: list[gast.AST] = [subscript(bar, constant(place)) for place in range(len(values[1].items))]
        return container(values[1], [
            call(given(runtime.taken_apart), part, attribute(like, step)) if isinstance(item, Items) else part
            for part, step, item in zip(parts, values[1].steps, values[1].items)], runtime.taken_apart, given)
    if not (isinstance(values[1], Items) and is_list(values[1])):
        raise NotUnfolded
    deeper = isinstance(values[1].any_item, Items)
    return each(node.args, list, given, lambda items: call(given(runtime.taken_apart), *items) if deeper else items[0])


def contracted(node: gast.Call, value: Abstract, bar: Abstract, part: Callable, given: Callable) -> gast.AST:
    """The sum of the parts' products."""
    if isinstance(value, Known) or bar == Known(None):
        return constant(0.0)
    if not isinstance(value, Items):
        return call(given(runtime.contracted_arrays), *node.args)
    if value.is_object and is_instance(known_value(bar)):  # from outside: its attributes are read by their names
        return total([call(given(runtime.contracted), part(node.args[0], value, step), attribute(node.args[1], step))
                      for step in value.steps])
    if not isinstance(bar, Items):
        raise NotUnfolded
    if value.items is not None and bar.items is not None:
        if set(value.steps) != set(bar.steps):
            raise NotUnfolded
        return total([call(given(runtime.contracted), *(part(*pair, step) for pair in zip(node.args, (value, bar))))
                      for step in value.steps])
    if not (is_list(value) and is_list(bar)):
        raise NotUnfolded
    products = each(node.args, list, given, lambda items: call(given(runtime.contracted), *items))
    return call(given(sum), products)


def total(terms: list[gast.AST]) -> gast.AST:
    return functools.reduce(lambda one, other: gast.BinOp(one, gast.Add(), other), terms, constant(0.0))


def mapped(node: gast.Call, function: Any, values: list[Abstract], part: Callable, given: Callable) -> gast.AST:
    """A container of what a helper gives for the parts of others."""
    holders = [value for value in values if isinstance(value, Items)]
    form = holders[-1]
    if len(holders) < len(values) or any(value.optional for value in holders):
        raise NotUnfolded
    if all(value.items is not None for value in holders):
        if any(value.steps != form.steps for value in holders):
            raise NotUnfolded
        def found(item: gast.AST, value: Items, step: Any) -> gast.AST:  # None for an attribute that is not there yet
            return call(given(getattr), item, constant(step), constant(None)) if step in value.late \
                else part(item, value, step)

        parts = [applied(function, [found(item, value, step) for item, value in zip(node.args, holders)], [
            Known(None) if value.at(step) == UNSET else value.at(step) for value in holders], given)
            for step in form.steps]
        return container(form, parts, function, given)
    inner = [value.any_item for value in holders]

    def made(items: list[gast.AST]) -> gast.AST:
        return applied(function, items, inner, given)

    if all(value.is_dict for value in holders):
        items = under_keys(node.args, function, made)
        return items if function in LOOSE else new_container(form.kind, items, given, node.args[-1])
    if not all(map(is_list, holders)):
        raise NotUnfolded
    return each(node.args, list if function in LOOSE else form.kind, given, made)


def is_list(value: Items) -> bool:
    return value.has_places and (value.items is not None or value.element is not None)


def each(lists: list[gast.AST], kind: Any, given: Callable, made: Callable[[list], gast.AST]) -> gast.AST:
    """A comprehension over several lists or tuples at once."""
    names = Names(set().union(*map(names_in, lists)))  # what is run through may be an item itself
    labels = [names.fresh(label) for label in ("item", "other")[:len(lists)]]
    targets = [gast.Name(label, gast.Store(), None, None) for label in labels]
    over = lists[0] if len(lists) == 1 else call(given(zip), *lists)
    target = targets[0] if len(targets) == 1 else gast.Tuple(targets, gast.Store())
    items = gast.ListComp(made([name(label) for label in labels]), [gast.comprehension(target, over, [], 0)])
    return call(given(tuple), items) if kind is tuple else new_container(kind, items, given)


def under_keys(dicts: list[gast.AST], function: Any, made: Callable[[list], gast.AST]) -> gast.AST:
    """A comprehension over the values of a dict, and those that another has under the same keys: of sums, where under a
    key that only one of them has there was nothing yet."""
    over = dicts[-1] if function in IN_FORM else dicts[0]
    others = [node for node in dicts if node is not over]
    if not all(map(is_place, others)):  # which are evaluated for each key
        raise NotUnfolded
    names = Names(set().union(*map(names_in, dicts)))
    key, item = names.fresh("key"), names.fresh("item")
    there: list = [gast.Compare(name(key), [gast.In()], [node]) for node in others if function is runtime.added]
    if is_place(over):
        loop = gast.comprehension(gast.Name(key, gast.Store(), None, None), over, there, 0)
        return gast.DictComp(name(key), made([subscript(node, name(key)) for node in dicts]), [loop])
    parts = [name(item) if node is over else subscript(node, name(key)) for node in dicts]
    target = gast.Tuple([gast.Name(label, gast.Store(), None, None) for label in (key, item)], gast.Store())
    loop = gast.comprehension(target, call(attribute(over, "items")), there, 0)
    return gast.DictComp(name(key), made(parts), [loop])


def is_place(node: gast.AST) -> bool:
    """Whether an expression is a name or leads from one to a part, so that it may stand in several places."""
    return all(isinstance(part, (gast.Name, gast.Attribute, gast.Subscript, gast.Constant, gast.Load))
               for part in gast.walk(node))


def applied(function: Any, parts: list[gast.AST], values: list[Abstract], given: Callable) -> gast.AST:
    """What a helper gives for one part."""
    like = values[-1]
    if not any(value.active or is_made_function(value) for value in values):
        return call(given(function), *parts)
    if any(isinstance(value, Items) for value in values):
        if not all(isinstance(value, Items) for value in values):
            raise NotUnfolded
        return call(given(function), *parts)
    if function in IN_FORM:
        try:
            return in_form(function, parts, values[0], like, given)
        except NotUnfolded:
            if not (isinstance(like, Numeric) and isinstance(values[0], Numeric)):
                raise
            return call(given(function), *parts)  # what is not known of a number shows when this runs
    if function is runtime.real_parts:
        return call(given(np.real), parts[0]) if isinstance(like, Numeric) else parts[0]
    if function is runtime.added:
        there = [place for place, value in enumerate(values) if not (isinstance(value, Known) and value.value is None)]
        if any(isinstance(values[place], Known) for place in there):
            raise NotUnfolded
        if len(there) == 2:
            return gast.BinOp(parts[0], gast.Add(), parts[1])
        return applied(runtime.held, [parts[there[0]]], [values[there[0]]], given) if there else constant(None)
    arrays = function is runtime.held and not (isinstance(like, Known) or isinstance(like, Numeric) and like.is_number)
    return call(given(runtime.held), parts[0]) if arrays else parts[0]


def in_form(function: Any, parts: list[gast.AST], known: Abstract, like: Abstract, given: Callable) -> gast.AST:
    """A cotangent with the dtype of the number or array that it belongs to; others have none, or zeros."""
    bar, subject = parts
    if function is runtime.taken_along and (known == Known(None) or isinstance(like, Known) or isinstance(
            like, Numeric) and like.dtype is not None and like.dtype.kind not in "fc"):
        return call(given(runtime.zero_tangent), subject)
    if isinstance(like, Known) and not isinstance(like.value, (int, float, complex, np.generic)):
        return constant(None)
    if not (isinstance(like, Numeric) and like.dtype is not None and isinstance(known, Numeric)):
        raise NotUnfolded
    if like.dtype.kind not in "fc":
        counts = function is runtime.handed_back and like.is_number and like.dtype.kind in "iu"
        return bar if counts else constant(None)
    if is_real(like) and not is_real(known):
        bar = call(given(np.real), bar)
    if like.kind == "array":
        alike = known.kind == "array" and known.dtype is not None and known.dtype == like.dtype
        return call(given(runtime.held), bar) if alike else call(given(np.array), bar, given(like.dtype.type))
    if like.kind == "python":
        return call(given(complex if like.dtype.kind == "c" else float), bar)
    if like.kind == "scalar":
        return call(given(like.dtype.type), bar)
    if like.kind == known.kind and like.dtype == known.dtype:  # a number of either kind
        return bar
    raise NotUnfolded


def container(form: Items, parts: list[gast.AST], function: Any, given: Callable) -> gast.AST:
    """A container with these parts; cotangents in the form of :func:`runtime.zeros_of` are added up in one like it."""
    kind: Any = form.kind
    if function in LOOSE:
        kind = dict if form.is_dict else list if form.keys is None else types.SimpleNamespace
    if isinstance(getattr(kind, "factory", None), Function):
        raise NotUnfolded
    if kind is tuple:
        return gast.Tuple(parts, gast.Load())
    if issubclass(kind, LISTS):
        return new_container(kind, gast.List(parts, gast.Load()), given)
    if issubclass(kind, dict):
        return new_container(kind, gast.Dict([key_expression(key) for key in form.steps], parts), given)
    if issubclass(kind, tuple):
        return call(given(kind), *parts)
    return call(given(instance), given(kind), **dict(zip(form.steps, parts)))
