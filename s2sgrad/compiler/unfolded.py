"""Helpers of generated code over containers, as the expressions that they stand for: where an adjoint is differentiated
again, ``held(xs)`` is a list of copies, ``added(xs_bar, ys_bar)`` one of sums."""
from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from s2sgrad import runtime
from s2sgrad.compiler.program import call, name
from s2sgrad.compiler.structures import key_expression
from s2sgrad.containers import instance
from s2sgrad.rules.abstract import Abstract, Items, Known, Numeric

IN_FORM = (runtime.structured, runtime.handed_back)
UNFOLDED = (runtime.held, runtime.added, runtime.summed_bars, *IN_FORM)


def unfolded(node: gast.Call, function: Any, values: list[Abstract], part: Callable, given: Callable) -> Any:
    """The expression that a call stands for, None for others.

    ``part(node, value, step)`` gives an expression for a part of another, ``given(function)`` a name for a function.
    """
    if node.keywords or not any(isinstance(value, Items) and value.active for value in values):
        return None
    if function is runtime.held and len(values) == 1:
        return mapped(node, function, values, part, given)
    if function is runtime.added and not any(isinstance(value, Known) for value in values):
        return mapped(node, function, values, part, given)
    if function in IN_FORM and is_alike(*values):
        return mapped(node, function, values, part, given)
    if function is runtime.summed_bars and isinstance(values[1], Items) and is_list(values[1]):
        return each(node.args[1:], given, lambda items: call(given(runtime.held), call(
            given(runtime.unbroadcast), node.args[0], *items)))  # what is no number would be in there several times
    return None


def is_alike(bar: Abstract, value: Abstract) -> bool:
    """Whether cotangents have their values' form and dtypes, as far as it matters."""
    if isinstance(bar, Items) and isinstance(value, Items):
        if bar.items is None or value.items is None:
            return bar.element is not None and value.element is not None and is_alike(bar.element, value.element)
        return bar.steps == value.steps and all(map(is_alike, bar.items, value.items))
    if isinstance(value, Numeric):
        return isinstance(bar, Numeric) and bar.kind != "any" and value.kind in ("array", "python", "scalar") \
            and (value.kind == "array") is (bar.kind == "array") and bar.dtype is not None \
            and value.dtype is not None and bar.dtype == value.dtype == np.float64
    return False


def mapped(node: gast.Call, function: Any, values: list[Abstract], part: Callable, given: Callable) -> Any:
    """A container of what a helper gives for the parts of others."""
    holders = [value for value in values if isinstance(value, Items)]
    form = holders[-1]
    if len(holders) < len(values) or any(value.optional for value in holders):
        return None
    if all(value.items is not None for value in holders):
        if any(value.steps != form.steps for value in holders):
            return None
        parts = [applied(function, [part(item, value, step) for item, value in zip(node.args, holders)],
                         [value.at(step) for value in holders], given) for step in form.steps]
        return container(form, parts, function, given)
    if not all(map(is_list, holders)):
        return None
    inner = [value.any_item for value in holders]
    return each(node.args, given, lambda items: applied(function, items, inner, given))


def is_list(value: Items) -> bool:
    return value.kind is list and (value.items is not None or value.element is not None)


def each(lists: list[gast.AST], given: Callable, made: Callable[[list], gast.AST]) -> gast.AST:
    """A comprehension over several lists at once."""
    labels = ["item", "other"][:len(lists)]
    targets = [gast.Name(label, gast.Store(), None, None) for label in labels]
    over = lists[0] if len(lists) == 1 else call(given(zip), *lists)
    target = targets[0] if len(targets) == 1 else gast.Tuple(targets, gast.Store())
    return gast.ListComp(made([name(label) for label in labels]), [gast.comprehension(target, over, [], 0)])


def applied(function: Any, parts: list[gast.AST], values: list[Abstract], given: Callable) -> gast.AST:
    """What a helper gives for one part."""
    if any(isinstance(value, Items) for value in values):
        return call(given(function), *parts)
    if function is runtime.added:
        return gast.BinOp(parts[0], gast.Add(), parts[1])
    like = values[-1]
    if function in IN_FORM and isinstance(like, Numeric) and like.is_number:
        return call(given(float if like.kind == "python" else np.float64), parts[0])
    arrays = not isinstance(values[0], (Numeric, Known)) or isinstance(values[0], Numeric) and not values[0].is_number
    return call(given(runtime.held), parts[0]) if arrays else parts[0]


def container(form: Items, parts: list[gast.AST], function: Any, given: Callable) -> gast.AST:
    """A container with these parts; cotangents in the form of :func:`runtime.zeros_of` are added up in one like it."""
    kind: Any = form.kind
    if function is runtime.added and form.keys is None:
        kind = list
    if function is runtime.added and form.keys is not None and kind is not dict:
        kind = types.SimpleNamespace
    if kind in (tuple, list):
        return (gast.Tuple if kind is tuple else gast.List)(parts, gast.Load())
    if kind is dict:
        return gast.Dict([key_expression(key) for key in form.steps], parts)
    if issubclass(kind, tuple):
        return call(given(kind), *parts)
    return call(given(instance), given(kind), **dict(zip(form.steps, parts)))
