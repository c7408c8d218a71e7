"""Expressions over containers: their parts, and the parts' cotangents put together again."""
from __future__ import annotations

import re
import types
from collections.abc import Callable
from typing import Any

import gast

from s2sgrad.compiler.nodes import attribute, call, constant, subscript, tuple_of
from s2sgrad.containers import Default, Deque, class_of
from s2sgrad.rules.abstract import ANY, Abstract, Function, Items, Known


def accessed(expression: gast.AST, value: Abstract, path: tuple) -> gast.AST:
    """What stands at a place in a container: ``params["w"]``, ``pair[0]``, ``model.bias``."""
    for step in path:
        if isinstance(step, gast.AST):
            expression = item_there(expression, step)
            value = value.any_item if isinstance(value, Items) else ANY
            continue
        if isinstance(value, Items) and value.has_field(step):
            expression = attribute(expression, step)
        else:
            expression = item_there(expression, key_expression(step))
        value = value.at(step) if isinstance(value, Items) else ANY
    return expression


def key_expression(key: Any) -> gast.AST:
    return tuple_of([key_expression(part) for part in key]) if isinstance(key, tuple) else constant(key)


def item_there(held: gast.AST, key: gast.AST) -> gast.AST:
    """``d[key]`` where the dict has that key, so that none is made."""
    made = subscript(held, key)
    made.there = True
    return made


def label(step: Any) -> str:
    """A step as part of a variable's name: ``params_w_bar``."""
    return re.sub(r"\W+", "_", str(step)).strip("_")


def structure(value: Items, parts: list[gast.AST], helpers: Any) -> gast.AST:
    """The expression that makes a container of the form of ``value`` with other parts."""
    if value.kind is tuple:
        return tuple_of(parts)
    if value.is_list:
        return made_of(value, gast.List(parts, gast.Load()), helpers)
    if value.is_dict:
        return made_of(value, gast.Dict([key_expression(key) for key in value.steps], parts), helpers)
    kind = helpers.inject(id(value.kind), value.kind.__name__, value.kind)
    if issubclass(value.kind, tuple):
        return call(kind, *parts)
    return call(helpers.helper("instance"), kind, **dict(zip(value.steps, parts)))


def made_of(value: Items, items: gast.AST, helpers: Any) -> gast.AST:
    """The expression that makes a list, a tuple, a deque or a dict like ``value`` of what something else holds."""
    if value.kind is tuple:
        return call(helpers.builtin("tuple"), items)
    return new_container(value.kind, items, helpers.object)


def limit_of(value: Items) -> int | None:
    """The ``maxlen`` of a deque."""
    found: int | None = value.kind.limit  # type: ignore[attr-defined]
    return found


def new_container(kind: Any, items: gast.AST, give: Callable[[Any], gast.AST], like: gast.AST | None = None
                  ) -> gast.AST:
    """``deque(items, maxlen)``, ``defaultdict(factory, items)``: a container of this kind that holds the items of
    another, which may be it where it is new. ``give`` has names for classes and functions; a function that is made
    inside the one looked at has a name only in what is ``like`` it. Cotangents and tangents do without."""
    if kind in (list, dict) and isinstance(items, (gast.List, gast.ListComp, gast.Dict, gast.DictComp)):
        return items
    made = give(class_of(kind))
    if issubclass(kind, Default):
        own = kind.factory is not None and not isinstance(kind.factory, Function)
        return call(made, give(kind.factory) if own else constant(None) if like is None else attribute(
            like, "default_factory"), items)
    return call(made, items, *([constant(kind.limit)] if issubclass(kind, Deque) and kind.limit is not None else []))


def zeros_formed(value: Abstract, helpers: Any, whole: bool = False) -> gast.AST:
    """What :func:`runtime.zeros_of` takes for what is None in such a value, or holds itself (all of it, ``whole``)."""
    missing = whole or isinstance(value, Items) and value.optional
    if not (isinstance(value, Items) and (missing or is_optional(value))):
        return constant(0.0)
    if value.items is None or has_gaps(value):
        return tuple_of([zeros_formed(value.any_item, helpers, whole)])
    return formed(value, [zeros_formed(item, helpers, missing) for item in value.items], helpers)


def formed(known: Items, parts: list[gast.AST], helpers: Any) -> gast.AST:
    """Cotangents as those of a container's items are kept: in a list, a dict, or under attributes."""
    if known.keys is None:
        return gast.List(parts, gast.Load())
    if known.is_dict:
        return gast.Dict([key_expression(key) for key in known.keys], parts)
    namespace = helpers.inject(("namespace",), "SimpleNamespace", types.SimpleNamespace)
    return call(namespace, **dict(zip(known.keys, parts)))


def is_optional(value: Abstract) -> bool:
    """Whether a value, or something in it, may be None or a container."""
    if not isinstance(value, Items):
        return False
    return value.optional or has_gaps(value) or any(
        map(is_optional, value.items if value.items is not None else [value.element]))


def has_gaps(value: Items) -> bool:
    """Whether some of the known items, of which a running index chooses, are None or hold None where others are or hold
    containers: ``(self.left, self.right)`` of a tree."""
    return any(lacks(item, value.any_item) for item in value.items or ())


def lacks(item: Abstract, joined: Abstract) -> bool:
    """Whether there is None in an item, or for it, where what is known of it and others together has a container."""
    if not isinstance(joined, Items):
        return False
    if isinstance(item, Items) and item.items is not None and joined.items is not None:
        return any(map(lacks, item.items, joined.items))
    return isinstance(item, Known) and item.value is None


def may_have_place(value: Abstract, path: tuple) -> bool:
    """Whether what steps lead to in a value can have a cotangent of its own."""
    for step in path:
        if not isinstance(value, Items):
            return True
        if value.items is None or step not in value.steps:
            return False
        value = value.at(step)
    return True


def static_leaves(value: Abstract, path: tuple = ()) -> list[tuple]:
    """The places in a value that have cotangents of their own: numbers and arrays that are differentiated, and lists of
    any number of them, in the containers of known parts that they are in."""
    if isinstance(value, Items) and value.items is not None:
        return [leaf for step, item in zip(value.steps, value.items) for leaf in static_leaves(item, (*path, step))]
    return [path] if value.active else []
