"""The memory that a call shares with its caller: what is written into overlaps nothing else, what is kept is copied.

A function that writes into an argument writes into the caller's array, as it does without a derivative. Its adjoint was
written for arrays that share no memory, so each call is looked at before it starts.
"""
from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from s2sgrad.derivative import Derivative
from s2sgrad.errors import Location, UnsupportedError
from s2sgrad.runtime import held
from s2sgrad.signature import Place

EFFORT = 10_000
"""So many steps may be taken to find out whether two arrays interleave; past them they count as overlapping."""
WITHOUT_ARRAYS = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, np.ufunc)
"""What is not looked into: the arrays that a function captures are inputs of their own."""


def guarded(derivative: Derivative, primal: Callable, places: Iterable[Place], kept: bool) -> Callable:
    """The primal, or the tangent function, as a call runs it. ``kept``: a pullback will outlive the call, and the
    caller may write in between."""
    written = derivative.facts.written
    places = tuple(places)

    def checked(*args: Any, **kwargs: Any) -> tuple:
        check(written, {**dict(zip(derivative.parameters, args)), **kwargs}, places)
        return primal(*args, **kwargs)

    def keeping(*args: Any, **kwargs: Any) -> tuple:
        values = {**dict(zip(derivative.parameters, args)), **kwargs}
        check(written, values, places)
        copies = {name: value if name in written else held(value) for name, value in values.items()}
        positional = derivative.parameters[:len(args)]
        value, path, saved = primal(*map(copies.get, positional), **{name: copies[name] for name in kwargs})
        return held(value, [values[name] for name in written]), path, saved

    if kept:
        return keeping
    return checked if written else primal


def check(written: dict[str, Location], values: dict[str, Any], places: tuple[Place, ...]) -> None:
    """Raises UnsupportedError if an array that is written into shares memory with anything else that may be read."""
    if not written:
        return
    inputs = [*values.items(), *((place.name, place.read()) for place in places)]
    for name, location in written.items():
        array = values[name]
        if overlaps_itself(array):
            raise UnsupportedError(f"elements of {name} overlap one another and line {location.line} writes into them",
                                   "pass a copy", location)
        for place, (other, value) in enumerate(inputs):
            if other == name and place < len(values):
                continue
            if any(overlap(array, found) for found in arrays(value, set())):
                raise UnsupportedError(
                    f"{name} and {other} share memory and line {location.line} writes into {name}",
                    "they have no separate gradients; pass a copy of one", location)


def overlap(first: np.ndarray, second: np.ndarray) -> bool:
    if not np.may_share_memory(first, second):
        return False
    try:
        return np.shares_memory(first, second, max_work=EFFORT)
    except RuntimeError:  # too hard
        return True


def overlaps_itself(array: np.ndarray) -> bool:
    """Whether two elements may be the same memory, as in a sliding window."""
    if array.flags.forc:
        return False
    extent = array.itemsize
    for stride, size in sorted(zip(map(abs, array.strides), array.shape)):
        if size > 1:
            if stride < extent:
                return True
            extent += stride * (size - 1)
    return False


def arrays(value: Any, seen: set[int]) -> Iterator[np.ndarray]:
    """The arrays that a value is or holds."""
    if isinstance(value, np.ndarray):
        yield value
        if value.dtype != object:
            return
    if isinstance(value, WITHOUT_ARRAYS) or id(value) in seen:
        return
    seen.add(id(value))
    parts = list(getattr(value, "__dict__", {}).values())
    slots = [getattr(kind, "__slots__", ()) for kind in type(value).__mro__]
    parts += [getattr(value, name, None) for names in slots for name in ([names] if isinstance(names, str) else names)]
    if isinstance(value, dict):
        parts += value.values()
    elif isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
        parts += value
    for part in parts:
        yield from arrays(part, seen)
