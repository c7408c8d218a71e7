"""What is in a container, and is not all alike: functions, objects of several classes, values of unlike forms, dicts
with unlike keys. What a loop over such does is known only turn by turn."""
from __future__ import annotations

from typing import Any

from s2sgrad.rules.abstract import Abstract, Function, Items, Known, Numeric

MOST_UNLIKE = 16
"""Of more parts of unlike forms the loop over them stays one."""


def holds_functions(value: Abstract) -> bool:
    """Whether a function is, or is in, an item of a container."""
    return isinstance(value, Items) and any(is_function(item) or holds_functions(item) for item in value.items or ())


def holds_unlike(value: Abstract) -> bool:
    """Whether there are objects of several classes in a container."""
    return isinstance(value, Items) and len({
        item.kind for item in value.items or () if isinstance(item, Items) and item.is_object}) > 1


def holds_unlike_forms(value: Abstract) -> bool:
    """Whether there are a few differentiated things in a container, each of a known form and not all of the same: of
    one of them, whichever it is, little is known, and less can be written about it than about each for itself."""
    if not isinstance(value, Items) or not value.active or not 1 < len(value.items or ()) <= MOST_UNLIKE:
        return False
    forms = set(map(form, value.items or ()))
    return len(forms) > 1 and None not in forms


def form(value: Abstract) -> Any:
    """What code for a value depends on: the rank and dtype of an array or number, the forms of what is in a container;
    None where these are not known."""
    if isinstance(value, Numeric):
        return None if value.rank is None or value.dtype is None else (value.rank, value.dtype, value.is_number)
    if isinstance(value, Items) and not value.is_object:
        inside = tuple(map(form, value.items if value.items is not None else [value.any_item]))
        return None if None in inside else (value.kind, value.keys, value.items is None, inside)
    return "constant" if isinstance(value, Known) else None


def holds_unlike_keys(value: Abstract) -> bool:
    """Whether there are dicts with unlike keys in the same place of what is in a container."""
    return isinstance(value, Items) and len(set(map(keys_inside, value.items or ()))) > 1


def keys_inside(value: Abstract) -> Any:
    """The keys of the dicts in a value; None where there is none, or where they are not known."""
    if not isinstance(value, Items) or value.items is None or value.is_object:
        return None
    inside = tuple(map(keys_inside, value.items))
    return (value.keys, inside) if value.kind is dict else inside if any(inside) else None


def is_function(value: Abstract) -> bool:
    return isinstance(value, Function) or isinstance(value, Known) and callable(value.value)
