"""The memory that a call shares with its caller: what is written into overlaps nothing else, what is kept is copied.

A function that writes into an argument writes into the caller's array, as it does without a derivative. Its adjoint was
written for arrays that share no memory, so each call is looked at before it starts.
"""
from __future__ import annotations

import itertools
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from s2sgrad.compiler.facts import CONTENTS
from s2sgrad.compiler.outer_changes import contents_of
from s2sgrad.containers import CONSTANTS, LEAVES, are_flat, contents, with_parts
from s2sgrad.derivative import Derivative
from s2sgrad.errors import Location, UnsupportedError
from s2sgrad.gradients import Gradient
from s2sgrad.rules.abstract import Abstract, Items
from s2sgrad.runtime import held
from s2sgrad.signature import Place

EFFORT = 10_000
"""So many steps may be taken to find out whether two arrays interleave; past them they count as overlapping."""
WITHOUT_ARRAYS = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, np.ufunc)
"""What is not looked into: the arrays that a function captures are inputs of their own."""


def guarded(derivative: Derivative, primal: Callable, places: Iterable[Place], kept: bool) -> Callable:
    """The primal, or the tangent function, as a call runs it. ``kept``: a pullback will outlive the call, and the
    caller may write in between."""
    written, stored, contiguous = derivative.facts.written, derivative.facts.stored, derivative.facts.contiguous
    places = tuple(places)
    noted, inside = derivative.session.outside.noted, derivative.session.outside.noted_inside

    def checked(*args: Any, **kwargs: Any) -> tuple:
        values = {**dict(zip(derivative.parameters, args)), **kwargs}
        check_contiguous(contiguous, values)
        check(written, stored, values, places)
        check_noted(noted, inside, values)
        return primal(*args, **kwargs)

    def keeping(*args: Any, **kwargs: Any) -> tuple:
        values = {**dict(zip(derivative.parameters, args)), **kwargs}
        check_contiguous(contiguous, values)
        check(written, stored, values, places)
        check_noted(noted, inside, values)
        known = derivative.facts.parameters
        copies = {name: value if name in written else private(value, known[name].value, not stored)
                  for name, value in values.items()}
        positional = derivative.parameters[:len(args)]
        value, path, saved = primal(*map(copies.get, positional), **{name: copies[name] for name in kwargs})
        if stored:  # what it has put there of its arguments is the caller's own
            saved = parted(saved, {id(owner(array)) for given in (values, copies) for value_ in given.values()
                                   for array in arrays(value_, set())}, {})
        return held(value, [array for name in written for array in arrays(values[name], set())]), path, saved

    if kept:
        return keeping
    return checked if written or contiguous or noted else primal


def parted(saved: Any, owners: set[int], done: dict[int, np.ndarray]) -> Any:
    """What a primal saved, with copies of the arrays that the caller has, too, or that were put into containers of the
    caller's."""
    if isinstance(saved, np.ndarray):
        if id(owner(saved)) not in owners:
            return saved
        if id(saved) not in done:
            done[id(saved)] = saved.copy(order="K")
        return done[id(saved)]
    if type(saved) is tuple or type(saved) is list:
        return type(saved)(parted(part, owners, done) for part in saved)
    if type(saved) is deque:
        return deque((parted(part, owners, done) for part in saved), saved.maxlen)
    if type(saved) is dict:
        return {key: parted(part, owners, done) for key, part in saved.items()}
    return saved


def owner(array: np.ndarray) -> np.ndarray:
    """The array whose memory an array is, or is part of."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def private(value: Any, known: Abstract, arrays_too: bool) -> Any:
    """A copy of all that the primal looks into, so that it stays as it is; an object that it only knows as such stays
    itself. ``arrays_too``: else only those in objects are copied, and the containers of the others."""
    if isinstance(value, np.ndarray):
        return value.copy(order="K") if arrays_too else value
    if not isinstance(known, Items):
        return value
    parts = itertools.repeat(known.element) if known.items is None else iter(known.items)
    own = arrays_too or known.kind not in (tuple, list, dict)
    return with_parts(value, lambda part: private(part, next(parts), own))


def check_contiguous(contiguous: dict[str, Location], values: dict[str, Any]) -> None:
    """Raises UnsupportedError if an array is not contiguous that must be for ``u.ravel()`` to be a view of it."""
    for name, location in contiguous.items():
        if not values[name].flags.c_contiguous:
            raise UnsupportedError(f"{name} is not contiguous, and line {location.line} writes through what would be a "
                                   "copy of it, or of what is made of it", "pass np.ascontiguousarray of it", location)


def check(written: dict[str, Location], stored: dict[str, set], values: dict[str, Any], places: tuple[Place, ...]
          ) -> None:
    """Raises UnsupportedError if an array that is written into shares memory with anything else that may be read, or an
    object in which something is stored is there twice."""
    if not written:
        return
    inputs = [*values.items(), *((place.name, place.read()) for place in places)]
    for name, location in written.items():
        array = values[name]
        if name in stored:
            check_object(name, array, location, stored[name], [
                (other, value) for place, (other, value) in enumerate(inputs)
                if other != name or place >= len(values)], [place.holder for place in places])
            continue
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


def check_object(name: str, value: Any, location: Location, stored: set, others: list, holders: list) -> None:
    """The same of an object in which something is stored, and of the arrays in it where those are written into."""
    inside = [id(found) for found in instances(value)]
    changed = {id(found) for place in stored if place is not None for found in objects_at(value, place[:-1])}
    twice = any(inside.count(found) > 1 for found in changed) or any(id(holder) in changed for holder in holders)
    shared = next((other for other, found in others if not changed.isdisjoint(map(id, instances(found)))), None)
    if None in stored and shared is None and not twice:
        own = list(arrays(value, set(), each=True))
        twice = any(overlap(one, other) for index, one in enumerate(own) for other in own[:index])
        shared = next((other for other, found in others for array in arrays(found, set())
                       if any(overlap(array, one) for one in own)), None)
    if twice or shared is not None:
        what = f"{name} and {shared} share memory" if shared is not None else f"something in {name} is there twice"
        raise UnsupportedError(f"{what} and line {location.line} writes into {name}",
                               "they have no separate gradients; pass a copy of one", location)


def check_noted(noted: dict[Place, Location], inside: set[Place], values: dict[str, Any]) -> None:
    """Raises UnsupportedError where an argument is, or holds, something outside in which the call notes something.
    ``inside``: the places where that may be anything in it, and not only the list or array itself."""
    values = {name: value for name, value in values.items() if type(value) not in CONSTANTS}
    for place, location in noted.items() if values else ():
        parts = contents_of(place, None if place in inside else 1)
        changed = {id(place.holder), *map(id, parts)}
        written = [part for part in parts if isinstance(part, np.ndarray)]
        for name, value in values.items():
            if not changed.isdisjoint(map(id, instances(value))) or any(
                    overlap(array, found) for found in arrays(value, set()) for array in written):
                raise UnsupportedError(f"{name} is also found outside, as {place.name}, which is changed here",
                                       f"pass a copy, or change {name}", location)


def objects_at(value: Any, place: tuple) -> Iterator[Any]:
    """The object at a place in another, or all that may be meant; none where there is none yet."""
    if not place:
        yield value
        return
    held_ = contents(value)
    for step, part in zip(held_.steps, held_.parts) if held_ is not None else ():
        if place[0] in (step, CONTENTS):
            yield from objects_at(part, place[1:])


def instances(value: Any) -> Iterator[Any]:
    """What a container is and has in it that can be changed, as often as it is met."""
    found = contents(value)
    if found is None:
        return
    if found.kind is not tuple:
        yield value
    inside = [part for part in found.parts if type(part) not in LEAVES]
    if are_flat(inside):
        yield from (part for part in inside if type(part) is not tuple)
    else:
        for part in inside:
            yield from instances(part)


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


def arrays(value: Any, seen: set[int], each: bool = False) -> Iterator[np.ndarray]:
    """The arrays that a value is or holds; ``each``: as often as they are met."""
    while isinstance(value, Gradient):  # what it remembers knows of the whole module
        value = value.__wrapped__
    if isinstance(value, np.ndarray):
        yield value
        if value.dtype != object:
            return
    if isinstance(value, WITHOUT_ARRAYS) or id(value) in seen:
        return
    if not each or contents(value) is None:
        seen.add(id(value))
    parts = list(getattr(value, "__dict__", {}).values())
    slots = [getattr(kind, "__slots__", ()) for kind in type(value).__mro__]
    parts += [getattr(value, name, None) for names in slots for name in ([names] if isinstance(names, str) else names)]
    if isinstance(value, dict):
        parts += value.values()
    elif isinstance(value, np.ndarray):
        parts += value.ravel().tolist()
    elif isinstance(value, (list, tuple, set, frozenset, deque)):
        parts += value
    for part in parts:
        yield from arrays(part, seen, each)
