"""Places whose values move round one after the other, ``old = a.u; a.u = a.v; a.v = old``, as the exchange that this
is, ``a.u, a.v = a.v, a.u``; and ``a.u = new; a.v = old``, where these names were bound to what is in each other's
place. Before that ``a.u, b.v = x, y`` becomes one store after the other: nothing moves round."""
from __future__ import annotations

import copy
from typing import Any

import gast

from s2sgrad.compiler.nodes import tuple_of, walk

PLAIN = (gast.Name, gast.Attribute, gast.Subscript, gast.Constant)
"""What a place is made of, of which it does not matter how often it is evaluated."""


def with_exchanges(body: list, inside: list) -> list:
    """The statements of a block; ``inside`` are all nodes of the function that it is in."""
    body = [part for node in body for part in one_by_one(node)]
    if sum(isinstance(target_of(node), (gast.Attribute, gast.Subscript)) for node in body) < 2:
        return body
    result: list = []
    start = 0
    while start < len(body):
        made, end = moved_round(body, start, inside) or stored_crosswise(body, start, inside) or (
            body[start], start + 1)
        result.append(made)
        start = end
    return result


def one_by_one(node: Any) -> list:
    """``a.u, b.v = x, y`` as ``a.u = x; b.v = y``: what the values are, no store before them decides."""
    target, values = target_of(node), getattr(getattr(node, "value", None), "elts", ())
    if not isinstance(target, (gast.Tuple, gast.List)) or len(target.elts) != len(values) or not all(
            isinstance(value, (gast.Name, gast.Constant)) for value in values):
        return [node]
    bound = {part.id for part in target.elts if isinstance(part, gast.Name)}
    if len(bound) == len(values) or any(isinstance(part, (gast.Tuple, gast.List, gast.Starred)) for part in target.elts
                                        ) or any(getattr(value, "id", None) in bound for value in values):
        return [node]
    return [gast.copy_location(gast.Assign([part], value, None), node) for part, value in zip(target.elts, values)]


def moved_round(body: list, start: int, inside: list) -> tuple[gast.AST, int] | None:
    """``t = a; a = b; b = c; c = t`` as ``a, b, c = b, c, a``, where nothing else reads ``t``; and where it ends."""
    kept = target_of(body[start])
    if not isinstance(kept, gast.Name) or not is_place(body[start].value):
        return None
    places = [body[start].value]
    for end in range(start + 1, len(body)):
        target = target_of(body[end])
        if target is None or not is_place(target) or key(target) != key(places[-1]):
            return None
        value = body[end].value
        if isinstance(value, gast.Name) and value.id == kept.id:
            uses = sum(isinstance(node, gast.Name) and node.id == kept.id for node in inside)
            if len(places) < 2 or uses > 2 or any(is_inside(place, other) for place in places for other in places):
                return None
            if len(places) > 2 and any(isinstance(node, (gast.Try, gast.With)) for node in inside):
                return None  # one that is missing is missed once others have got their values
            return exchange(places, [*places[1:], places[0]], body[start + 1]), end + 1
        if not is_place(value) or key(value) in map(key, places):
            return None
        places.append(value)
    return None


def stored_crosswise(body: list, start: int, inside: list) -> tuple[gast.AST, int] | None:
    """``a = new; b = old`` as ``a, b = new, old``, where ``old`` was bound to ``a``, and ``new`` to ``b``."""
    if start + 1 == len(body):
        return None
    targets, values = [target_of(node) for node in body[start:start + 2]], [
        getattr(node, "value", None) for node in body[start:start + 2]]
    if not all(target is not None and is_place(target) for target in targets) or not all(
            isinstance(value, gast.Name) for value in values):
        return None
    bound: dict[str, set[str]] = {}
    for node in inside:
        for label, value in bindings(node):
            bound.setdefault(label, set()).add(key(value))
    crosswise = all(key(place) in bound.get(value.id, ()) for place, value in zip(targets, reversed(values)))
    return (exchange(targets, values, body[start]), start + 2) if crosswise else None


def bindings(node: Any) -> list[tuple[str, gast.AST]]:
    """The names that an assignment binds to what is in a place."""
    if not isinstance(node, gast.Assign) or len(node.targets) != 1:
        return []
    target, value = node.targets[0], node.value
    pairs = zip(target.elts, value.elts) if isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple) else [
        (target, value)]
    return [(name.id, part) for name, part in pairs if isinstance(name, gast.Name) and is_place(part)]


def target_of(node: Any) -> Any:
    """What an assignment with a single target assigns to."""
    return node.targets[0] if isinstance(node, gast.Assign) and len(node.targets) == 1 else None


def is_place(node: Any) -> bool:
    return isinstance(node, (gast.Attribute, gast.Subscript)) and all(isinstance(part, PLAIN) for part in walk(node))


def is_inside(place: Any, other: Any) -> bool:
    """Whether what is in a place decides where another is, ``s.a.c`` of ``s.a``."""
    return any(part is not other and key(part) == key(place) for part in walk(other)
               if isinstance(part, (gast.Attribute, gast.Subscript)))


def key(place: Any) -> str:
    """A text for a place, be it read or stored into."""
    return gast.dump(loaded(place))


def loaded(place: Any) -> gast.AST:
    part = copy.copy(place)
    part.ctx = gast.Load()
    return part


def exchange(places: list, values: list, like: gast.AST) -> gast.AST:
    stored = []
    for place in places:
        stored.append(copy.copy(place))
        stored[-1].ctx = gast.Store()
    target = gast.copy_location(gast.Tuple(stored, gast.Store()), like)
    value = gast.copy_location(tuple_of([value if isinstance(value, gast.Name) else loaded(value) for value in values]),
                               like)
    return gast.copy_location(gast.Assign([target], value, None), like)
