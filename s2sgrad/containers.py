"""Containers of numbers and arrays (tuples, lists, dicts, named tuples, dataclasses): their parts, others like them.

A container has parts in a fixed order and, unless it is a plain tuple or list, a key for each of them: a dict's own
keys, the names of a named tuple's or a dataclass's fields.
"""
from __future__ import annotations

import copy
import dataclasses
import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

KEYS = (str, int, bool, float, type(None))
"""Types of the keys that a dict may have to be looked into (or tuples of these)."""


class Contents(NamedTuple):
    """What a container holds: its kind, a key for each part (None: they are counted), and the parts."""

    kind: type
    keys: tuple | None
    parts: list

    @property
    def steps(self) -> tuple:
        """What leads to each part: its key, or its number where parts are counted."""
        return tuple(range(len(self.parts))) if self.keys is None else self.keys


def contents(value: Any) -> Contents | None:
    """What a container holds; None for everything else."""
    kind = type(value)
    if kind is tuple or kind is list:
        return Contents(kind, None, list(value))
    if kind is dict:
        return Contents(dict, tuple(value), list(value.values())) if all(map(is_key, value)) else None
    if isinstance(value, tuple) and is_named_tuple(kind):
        return Contents(kind, field_names(kind), list(value))
    if dataclasses.is_dataclass(kind):
        names = field_names(kind)
        missing = object()
        parts = [getattr(value, name, missing) for name in names]
        return None if any(part is missing for part in parts) else Contents(kind, names, parts)
    return None


def is_key(key: Any) -> bool:
    return all(map(is_key, key)) if type(key) is tuple else type(key) in KEYS


def is_named_tuple(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, tuple) and isinstance(getattr(kind, "_fields", None), tuple)


def field_names(kind: type) -> tuple[str, ...]:
    """The names of a named tuple's or a dataclass's fields."""
    fields: tuple[str, ...] | None = getattr(kind, "_fields", None)
    return fields if fields is not None else tuple(item.name for item in dataclasses.fields(kind))


def container(kind: type, keys: Sequence | None, parts: Sequence) -> Any:
    """A container of this kind with these parts. Of a dataclass no code of the user's is run to make it."""
    if kind is tuple or kind is list:
        return kind(parts)
    if keys is not None and kind is dict:
        return dict(zip(keys, parts))
    if is_named_tuple(kind):
        return kind(*parts)
    return instance(kind, **dict(zip(keys or (), parts)))


def instance(kind: type, /, **parts: Any) -> Any:
    """An instance of a dataclass with these values in its fields, made without its ``__init__``."""
    made: Any = object.__new__(kind)
    for name, part in parts.items():
        object.__setattr__(made, name, part)
    return made


def leaves(value: Any, path: tuple = ()) -> list[tuple[tuple, Any]]:
    """What is in a container that is none itself, each with the steps that lead there."""
    held = contents(value)
    if held is None:
        return [(path, value)]
    return [leaf for step, part in zip(held.steps, held.parts) for leaf in leaves(part, (*path, step))]


def at(value: Any, path: tuple) -> Any:
    """What is found at a place in a container."""
    for step in path:
        held = contents(value)
        assert held is not None
        value = held.parts[held.steps.index(step)]
    return value


def with_parts(value: Any, function: Callable[[Any], Any]) -> Any:
    """A container of the same kind with the function of each part; the value itself where it is no container.

    Of a dataclass all attributes come along.
    """
    held = contents(value)
    if held is None:
        return value
    parts = [function(part) for part in held.parts]
    if not dataclasses.is_dataclass(held.kind):
        return container(held.kind, held.keys, parts)
    made = copy.copy(value)
    for name, part in zip(held.steps, parts):
        object.__setattr__(made, name, part)
    return made


def replaced(value: Any, path: tuple, new: Any) -> Any:
    """The same container with something else at one place."""
    if not path:
        return new
    held = contents(value)
    assert held is not None
    number = itertools.count()
    place = held.steps.index(path[0])
    return with_parts(value, lambda part: replaced(part, path[1:], new) if next(number) == place else part)


def is_float(value: Any) -> bool:
    """Whether something has a gradient: a float, or a plain array of floats."""
    if type(value) is np.ndarray:
        return bool(value.dtype.kind == "f")
    return isinstance(value, (float, np.floating))


def holds_floats(value: Any) -> bool:
    """Whether something is a float or an array of floats, or a container with one in it."""
    return any(is_float(leaf) for _, leaf in leaves(value))
