"""Cotangents of containers, and what patterns ask of values."""
from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, ItemsView, Iterator, KeysView, Sequence, Set, ValuesView
from types import SimpleNamespace
from typing import Any

import numpy as np

from s2sgrad.containers import (
    DICTS,
    LEAVES,
    Bars,
    attributes,
    container,
    contents,
    field_names,
    is_float,
    is_named_tuple,
    with_parts,
)
from s2sgrad.errors import Location, S2SGradError, UnsupportedError
from s2sgrad.runtime.products import contracted_arrays

INDEXED = {list, tuple, deque, *DICTS}
"""Classes of containers whose parts have no names."""

# ---- containers

def held(value: Any, shared: Sequence[np.ndarray] = ()) -> Any:
    """A value that stays as it is when arrays are written into: an array, and every array in a container, as a copy.

    Arrays that are memory of the ``shared`` ones stay what they are.
    """
    if isinstance(value, np.ndarray):
        return value if any(np.may_share_memory(value, array) for array in shared) else value.copy()
    kind = type(value)
    if kind in LEAVES:
        return value
    if kind is list:
        return [held(part, shared) for part in value]
    return with_parts(value, lambda part: held(part, shared), any_keys=True)


def stop_gradient(value: Any) -> Any:
    """The value itself; in a differentiated function it counts as a constant from here on, and how it was computed is
    nobody's business."""
    return value


def with_its_arrays(value: Any) -> Any:
    """A container that stays as it is when others are put into its places: a copy that holds the same arrays."""
    kind = type(value)
    if kind in LEAVES:
        return value
    if kind is list or kind is tuple:
        return kind(map(with_its_arrays, value))
    return with_parts(value, with_its_arrays, any_keys=True)


def without(value: Any, *steps: str) -> Any:
    """What is in an object or a dict but for some attributes or keys."""
    if isinstance(value, dict):
        return {key: part for key, part in value.items() if key not in steps}
    return SimpleNamespace(**{
        label: object.__getattribute__(value, label) for label in attributes(value) if label not in steps})


def holds_twice(value: Any) -> bool:
    """Whether some array, list, dict or object is in a container in two places."""
    found: set[int] = set()
    pending = [value]
    while pending:
        part = pending.pop()
        inside = contents(part, any_keys=True)
        if inside is None and not isinstance(part, np.ndarray):
            continue
        if not isinstance(part, tuple):
            if id(part) in found:
                return True
            found.add(id(part))
        pending += inside.parts if inside is not None else ()
    return False


def zeros_of(value: Any, form: Any = None) -> Any:
    """Zeros for every float and array of floats in a container, in lists (for tuples, too) and dicts, or under
    attributes: what cotangents are added up in.

    What the ``form`` has where a None is stands for it; a tuple in it has the form of each item of a list or dict.
    """
    kind = type(value)
    if kind is float or kind is np.float64:
        return kind(0)
    if kind is np.ndarray and value.dtype.kind in "fc":
        return np.zeros(value.shape, value.dtype)
    shape = contents(form, any_keys=True)
    if shape is None and (kind is list or kind is tuple):
        return list(map(zeros_of, value))
    if value is None and shape is not None:
        return blank(form)
    held_ = contents(value, any_keys=True)
    if held_ is None:
        if shape is not None and shape.kind is SimpleNamespace:  # the object holds itself: as deep as the form is
            return formed(shape.kind, shape.keys, [
                zeros_of(getattr(value, name, None), part) for name, part in zip(shape.steps, shape.parts)])
        if isinstance(value, np.ndarray):
            if value.dtype.kind in "fc":
                return np.zeros_like(value)
            return np.zeros(value.shape) if value.dtype.kind in "biu" else None  # as beside numbers that are floats
        if isinstance(value, (float, complex, np.inexact)):
            return type(value)(0)
        return 0.0  # beside floats in a list, from which something is taken by a running index: of a text, too
    if shape is None:
        return formed(held_.kind, held_.keys, list(map(zeros_of, held_.parts)))
    forms = shape.parts * len(held_.parts) if shape.kind is tuple else shape.parts
    return formed(held_.kind, held_.keys, list(map(zeros_of, held_.parts, forms)))


def blank(form: Any) -> Any:
    """Zeros of a form that :func:`zeros_of` takes, in their own containers; of any number of items there are none."""
    if type(form) is tuple:
        return []
    held_ = contents(form, any_keys=True)
    return form if held_ is None else formed(held_.kind, held_.keys, list(map(blank, held_.parts)))


def zero_tangent(value: Any) -> Any:
    """The tangent of a passive value: zeros for numbers and arrays of them, in containers of the same form; a list of
    those for what a dict holds, and an empty one for sets, ranges and iterators, which have been run through."""
    if isinstance(value, np.ndarray):
        return np.zeros_like(value) if value.dtype.kind in "fc" else np.zeros(value.shape)
    if isinstance(value, (int, float, complex, np.number, np.bool_)):
        return type(value)(0) if isinstance(value, (float, complex, np.inexact)) else 0.0
    if contents(value, any_keys=True) is not None:
        return with_parts(value, zero_tangent, any_keys=True)
    if isinstance(value, (KeysView, ValuesView, ItemsView)):
        return [zero_tangent(item) for item in value]
    return [] if isinstance(value, (Set, range, Iterator)) else None


def real_parts(bar: Any) -> Any:
    """The cotangents of real numbers and arrays in a container, without the imaginary parts that they got beside
    complex ones."""
    if contents(bar, any_keys=True) is None:
        return np.real(bar) if np.iscomplexobj(bar) else bar
    return with_parts(bar, real_parts, any_keys=True)


def position(index: Any) -> Any:
    """An index into a list, as it is. Raises UnsupportedError of a slice."""
    if isinstance(index, slice):
        raise UnsupportedError("this list is indexed by a slice that was not known to be one",
                               "write its bounds in the brackets: xs[start:stop]")
    return index


def real_only(bar: Any) -> Any:
    """What must be real, as it is. Raises UnsupportedError where it is complex."""
    if np.iscomplexobj(bar):
        raise UnsupportedError("there are complex numbers here that were not known to be complex, as they come from a "
                               "function without a rule", "say so: np.asarray(z, dtype=complex) of what it gives")
    return bar


def as_real_as(bar: Any, subject: Any) -> Any:
    """The cotangent of what may be real or complex, without its imaginary part where that is real."""
    return bar if np.iscomplexobj(subject) else np.real(bar)


def repeated(value: Any, count: int) -> Any:
    """A number or an array so many times, along a new first axis."""
    return np.repeat(np.asarray(value)[None], count, axis=0)


def structured(bar: Any, like: Any) -> Any:
    """Cotangents that were added up in :func:`zeros_of` a container, in the container's own form and dtypes."""
    kind = type(like)
    if kind is type(bar) is np.ndarray and bar.dtype is like.dtype and like.dtype.kind in "fc":
        return bar.copy()
    if kind is type(bar) is float:
        return bar
    if kind is list or kind is tuple:
        return kind([structured(bar[place], part) for place, part in enumerate(like)])
    held_ = contents(like, any_keys=True)
    if held_ is None:
        if np.iscomplexobj(bar) and not np.iscomplexobj(like):  # beside complex values in a list
            bar = np.real(bar)
        if isinstance(like, np.ndarray):
            return np.array(bar, like.dtype) if like.dtype.kind in "fc" else None
        return type(like)(bar) if isinstance(like, (float, complex, np.inexact)) else None
    return with_bars(bar, held_, structured)


def taken_along(bar: Any, like: Any) -> Any:
    """A tangent that comes with a value, in the value's own form and dtypes: zeros for None, and for integers."""
    held_ = contents(like, any_keys=True)
    if bar is not None and held_ is not None:
        return with_bars(bar, held_, taken_along)
    made = None if bar is None else structured(bar, like)
    return zero_tangent(like) if made is None else made


def handed_back(bar: Any, like: Any) -> Any:
    """The same for a caller, who goes on adding: beside the floats of a list integers have numbers, too."""
    if like is None:  # for which zeros stand
        return bar
    held_ = contents(like, any_keys=True)
    if held_ is None:
        whole = isinstance(like, int) or getattr(getattr(like, "dtype", None), "kind", "") in tuple("biu")
        return bar if whole else structured(bar, like)
    return with_bars(bar, held_, handed_back)


def contracted(value: Any, cotangent: Any) -> Any:
    """The sum of the inner products of a value's parts with those of a cotangent."""
    held_ = contents(value)
    if held_ is not None:
        return sum([contracted(part, part_at(cotangent, step)) for step, part in zip(held_.steps, held_.parts)])
    return contracted_arrays(value, cotangent) if is_float(value) and cotangent is not None else 0.0


def with_bars(bar: Any, held_: Any, form: Callable[[Any, Any], Any]) -> Any:
    parts = [form(part_at(bar, step), part) for step, part in zip(held_.steps, held_.parts)]
    return container(held_.kind, held_.keys, parts)


def part_at(bar: Any, step: Any) -> Any:
    """A part of a cotangent in the form of :func:`zeros_of`, or in the container's own, as other adjoints return it."""
    return bar[step] if type(bar) in INDEXED else getattr(bar, step)


def loosened(bar: Any) -> Any:
    """Cotangents in the form of :func:`zeros_of`, where any part can be added to."""
    kind = type(bar)
    if kind in LEAVES:
        return bar
    if kind is list or kind is tuple:
        return list(map(loosened, bar))
    held_ = contents(bar, any_keys=True)
    return bar if held_ is None else formed(held_.kind, held_.keys, list(map(loosened, held_.parts)))


def formed(kind: type, keys: tuple | None, parts: list) -> Any:
    """Parts in a list (for a tuple, too) or a dict, or under attributes."""
    if keys is None:
        return parts
    return dict(zip(keys, parts)) if issubclass(kind, dict) else Bars(**dict(zip(keys, parts)))


def added(first: Any, second: Any) -> Any:
    """The sums of the numbers and arrays in two containers of one form."""
    if first is None or second is None:  # of what nothing came for there is no cotangent
        return held(second if first is None else first)
    kind = type(first)
    if kind in LEAVES:
        return first + second
    if kind is list:
        return [added(part, second[place]) for place, part in enumerate(first)]
    held_ = contents(first, any_keys=True)
    if held_ is None:
        return first + second
    if held_.is_dict:  # under a key that only one of them has there was nothing yet
        return {key: added(part, second[key]) for key, part in first.items() if key in second}
    steps, parts = held_.steps, [added(part, part_at(second, step)) for step, part in zip(held_.steps, held_.parts)]
    if isinstance(second, SimpleNamespace) and vars(second).keys() - set(steps):  # what the first had not yet
        more = [label for label in vars(second) if label not in steps]
        return formed(held_.kind, (*steps, *more), [*parts, *(held(part_at(second, label)) for label in more)])
    return formed(held_.kind, held_.keys, parts)


def add_items(bar: list, place: slice, items: Any) -> None:
    """Add to those cotangents in a list that a slice chooses."""
    bar[place] = added(bar[place], items)


def inserted_at(place: Any, bar: list) -> int:
    """The place in a list that ``insert`` gave to an item which is in it by now."""
    return slice(place, None).indices(len(bar) - 1)[0]


def taken_apart(g: Any, like: Any) -> Any:
    """The cotangent of an array as nested lists, like those that it was made of; of named tuples under attributes."""
    if not isinstance(like, (list, tuple)):
        return g
    parts = [taken_apart(part, item) for part, item in zip(g, like)]
    return formed(tuple, field_names(type(like)), parts) if is_named_tuple(type(like)) else parts


def pieces(g: Any, join: Callable[..., Any], arrays: Any, axis: Any = ()) -> list:
    """The parts of ``g`` that lie where a function that joins arrays put each of them; ``axis`` is () where it takes
    none."""
    flat = np.reshape(g, -1)
    return [flat[places] for places in places_joined(join, arrays, axis)]


def places_joined(join: Callable[..., Any], arrays: Any, axis: Any = ()) -> list:
    """Where in what a function makes of arrays it puts their elements, counted along all axes."""
    sizes = [np.size(array) for array in arrays]
    starts = np.cumsum([0, *sizes])
    numbers = join([start + np.arange(size).reshape(np.shape(array))
                    for start, size, array in zip(starts, sizes, arrays)], *([] if axis == () else [axis]))
    places = np.empty(starts[-1], int)
    places[numbers.ravel()] = np.arange(starts[-1])
    return [places[start:start + size].reshape(np.shape(array)) for start, size, array in zip(starts, sizes, arrays)]


# ---- patterns

def is_sequence(value: Any, length: int, more: bool = False) -> bool:
    """Whether a pattern of so many parts (``more``: or of a star besides) matches the value."""
    match value:
        case [*_]:
            return len(value) >= length if more else len(value) == length
    return False


def is_mapping(value: Any) -> bool:
    """Whether a pattern of keys may match the value: a dict, or another mapping."""
    match value:
        case {}:
            return True
    return False


def key_among(key: Any, table: Any, *keys: Any) -> Any:
    """A key of a dict whose functions were compiled under these ``keys``; KeyError where it is none. The ``table`` is
    given where others may put something into it."""
    if key in keys:
        return key
    if table is not None and key in table:
        raise S2SGradError(f"{key!r} is a key that the dict did not have when this was compiled",
                           "make the gradient anew, once all functions are registered")
    raise KeyError(key)


def shuffled_places(shuffle: Callable[[Any], None], length: int) -> np.ndarray:
    """The order that a generator's ``shuffle`` brings so many items into."""
    places = np.arange(length)
    shuffle(places)
    return places


def bound(value: Any, label: str) -> Any:
    """What is under a name that primals bind to None at first, because they save it where it may have no value."""
    if value is None:
        raise UnboundLocalError(
            f"cannot access local variable {label!r} where it is not associated with a value"
            if sys.version_info >= (3, 11) else f"local variable {label!r} referenced before assignment")
    return value


def unreached(place: str) -> None:
    """Stands before a line that the analysis found control never to reach: better an error than a lost derivative."""
    raise S2SGradError(f"{place}: this line was taken for one that is never reached, and its derivative would be lost",
                       "please report it, with the function")


def check_floats(array: Any, label: str, kinds: str, filename: str, line: int, function: str) -> None:
    """Stands before a line that stores differentiated values in an array of which it was not known what it holds."""
    kind = np.asarray(array).dtype.kind
    if kind not in kinds:
        lost, wanted = ("its imaginary part", "complex") if kind == "f" else ("its fraction", "float")
        raise UnsupportedError(f"{label} has dtype {np.asarray(array).dtype}: what is stored here would lose {lost}",
                               f"make {label} with dtype={wanted}", Location(filename, line, function=function))
