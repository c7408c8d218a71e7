"""Expressions over containers: their parts, and the parts' cotangents put together again."""
from __future__ import annotations

import re
from typing import Any

import gast

from s2sgrad.compiler.program import attribute, call, constant, subscript, tuple_of
from s2sgrad.rules.abstract import ANY, Abstract, Items


def accessed(expression: gast.AST, value: Abstract, path: tuple) -> gast.AST:
    """What stands at a place in a container: ``params["w"]``, ``pair[0]``, ``model.bias``."""
    for step in path:
        if isinstance(step, gast.AST):
            expression = subscript(expression, step)
            value = value.any_item if isinstance(value, Items) else ANY
            continue
        if isinstance(value, Items) and value.has_field(step):
            expression = attribute(expression, step)
        else:
            expression = subscript(expression, key_expression(step))
        value = value.at(step) if isinstance(value, Items) else ANY
    return expression


def key_expression(key: Any) -> gast.AST:
    return tuple_of([key_expression(part) for part in key]) if isinstance(key, tuple) else constant(key)


def label(step: Any) -> str:
    """A step as part of a variable's name: ``params_w_bar``."""
    return re.sub(r"\W+", "_", str(step)).strip("_")


def structure(value: Items, parts: list[gast.AST], helpers: Any) -> gast.AST:
    """The expression that makes a container of the form of ``value`` with other parts."""
    if value.kind is tuple:
        return tuple_of(parts)
    if value.kind is list:
        return gast.List(parts, gast.Load())
    if value.kind is dict:
        return gast.Dict([key_expression(key) for key in value.steps], parts)
    kind = helpers.inject(id(value.kind), value.kind.__name__, value.kind)
    if issubclass(value.kind, tuple):
        return call(kind, *parts)
    return call(helpers.helper("instance"), kind, **dict(zip(value.steps, parts)))


def static_leaves(value: Abstract, path: tuple = ()) -> list[tuple]:
    """The places in a value that have cotangents of their own: numbers and arrays that are differentiated, and lists of
    any number of them, in the containers of known parts that they are in."""
    if isinstance(value, Items) and value.items is not None:
        return [leaf for step, item in zip(value.steps, value.items) for leaf in static_leaves(item, (*path, step))]
    return [path] if value.active else []
