"""What is known of ``array[index]``: its shape, and which kind of index it is."""
from __future__ import annotations

import math
from typing import Any

import gast
import numpy as np

from s2sgrad.frozen import frozen
from s2sgrad.rules.abstract import MISSING, Abstract, Items, Known, Numeric, items_of, known_value, slice_bounds
from s2sgrad.rules.dims import Dim, broadcast, less

BASIC = "basic"
"""Integers, slices, None, Ellipsis: the result is a view, no element comes twice."""
MASK = "mask"
"""One boolean array: no element comes twice."""
FANCY = "fancy"
"""Integer arrays, or not known: an element may come more than once."""


@frozen
class Running:
    """A bound of a slice that is known only when the program runs: ``key`` is the same for equal bounds."""

    key: Any


def slice_dim(dim: Dim, bounds: tuple) -> Dim:
    """The dimension ``dim[start:stop:step]`` where the bounds are known (MISSING where not).

    From the front ``start`` and from the back ``-stop`` elements are cut: at most all of them, so the size is that of
    ``dim`` less their number, or 0; the pair names it. A letter is at least 2, which tells the size of ``[:1]``.
    Slices by the same running bounds of dimensions of one size have one size.
    """
    start, stop, step = bounds
    if start in (None, 0) and stop is None and step in (None, 1, -1):
        return dim
    if dim is None or MISSING in bounds:
        return None
    if any(isinstance(bound, Running) for bound in bounds):
        return ("size", (dim, *bounds), 0)
    if isinstance(dim, int):
        return len(range(*slice(start, stop, step).indices(dim)))
    if step not in (None, 1):
        return None
    at_least = range(2 if isinstance(dim, str) else 0)
    if stop is not None and stop > 0:  # [:2], [1:2]
        return len(at_least[start:stop]) if stop <= len(at_least) and (start or 0) >= 0 else None
    if start is not None and start < 0:  # [-2:], [-2:-1]
        return len(at_least[start:stop]) if -start <= len(at_least) else None
    if stop == 0:
        return 0
    return less(dim, (start or 0) - (stop or 0))


def index_result(base: Numeric, parts: list[tuple[Abstract, tuple | None]]) -> tuple[Numeric, str]:
    """The abstract value of ``base[parts]`` and the kind of index.

    Each part comes with the bounds of a slice, where it is one, as ``(start, stop, step)``.
    """
    unknown = base.part("any", None)
    kinds = [_part_kind(value, bounds) for value, bounds in parts]
    if "unknown" in kinds:
        return unknown, FANCY
    if "mask" in kinds:
        return _masked(base, parts, kinds)
    kind = FANCY if "fancy" in kinds else BASIC
    if base.shape is None:
        if kind == BASIC and "integer" not in kinds:
            return base.part("array", None), kind
        return unknown, kind
    consumed = sum(item in ("integer", "slice", "fancy") for item in kinds)
    missing = len(base.shape) - consumed
    if missing < 0:
        return unknown, kind
    expanded = list(zip(kinds, parts))
    if "ellipsis" not in kinds:
        expanded.append(("ellipsis", (Known(...), None)))
    dims: list[Dim] = []
    axis = 0
    advanced: list[tuple[int, int, Any]] = []
    """Of each array, and of integers beside one: its place in the index and in the result, and its shape."""
    for number, (item, (value, bounds)) in enumerate(expanded):
        if item == "new":
            dims.append(1)
        elif item == "ellipsis":
            dims.extend(base.shape[axis:axis + missing])
            axis += missing
        elif item == "slice":
            assert bounds is not None
            dims.append(slice_dim(base.shape[axis], bounds))
            axis += 1
        else:
            assert isinstance(value, Numeric)
            advanced.append((number, len(dims), value.shape))
            axis += 1
    if kind == FANCY:
        (start, place, _), (end, _, _) = advanced[0], advanced[-1]
        chosen = broadcast(*(shape for _, _, shape in advanced))
        if chosen is None:
            return unknown, kind
        if end - start + 1 > len(advanced):  # with other parts between them their axes come first
            place = 0
        dims[place:place] = chosen
        return base.part("array" if dims else "any", tuple(dims)), kind
    only_integers = all(item == "integer" for item in kinds)
    if not dims and not only_integers:
        return base.part("array", ()), kind
    return base.part("array" if dims else "scalar", tuple(dims)), kind


def _masked(base: Numeric, parts: list, kinds: list[str]) -> tuple[Numeric, str]:
    if len(parts) > 1 or base.shape is None or parts[0][0].shape is None:
        return base.part("array", None), MASK if len(parts) == 1 else FANCY
    rest = base.shape[len(parts[0][0].shape):]
    return base.part("array", (None, *rest)), MASK


def _part_kind(value: Abstract, bounds: tuple | None) -> str:
    if bounds is not None:
        return "slice"
    known = known_value(value)
    if known is None:
        return "new"
    if known is ...:
        return "ellipsis"
    if isinstance(value, Numeric) and value.dtype is not None:
        if value.dtype.kind in "iu":
            if value.is_number:
                return "integer"
            return "fancy" if value.kind == "array" and value.shape is not None else "unknown"
        if value.dtype.kind == "b" and value.kind == "array":
            return "mask"
    return "unknown"


def as_places(value: Abstract) -> Abstract:
    """A list of integers as the array that it is in an index; any other value as it is."""
    if not isinstance(value, Items) or value.kind is not list or not (value.items or value.element):
        return value
    whole = all(isinstance(item, Numeric) and item.is_number and item.dtype is not None and item.dtype.kind == "i"
                for item in items_of(value))
    return Numeric("array", np.dtype(int), (None if value.items is None else len(value.items),)) if whole else value


def is_index_maker(value: Any) -> bool:
    """Whether ``value[1:-1, 0]`` is what stands between the brackets: ``np.s_``."""
    return value is np.s_ or value is np.index_exp


def parts_of(index: Abstract) -> list[tuple[Abstract, tuple | None]] | None:
    """The parts of a tuple of slices and integers that stands for an index (``inner = np.s_[1:-1, 1:-1]``), each with
    the bounds of a slice; None of what may hold anything else."""
    if not isinstance(index, Items) or index.kind is not tuple or index.items is None:
        return None
    parts = [(item, slice_bounds(item)) for item in index.items]
    return None if {"unknown", "fancy", "mask"}.intersection(_part_kind(*part) for part in parts) else parts


def disjoint(first: gast.AST, second: gast.AST) -> bool:
    """Whether two indices that are written with literals choose no element in common, whatever the array's size."""
    for one, other in zip(*(index.elts if isinstance(index, gast.Tuple) else [index] for index in (first, second))):
        spans, others = spans_of(one), spans_of(other)
        if not spans or not others:
            return False  # an index of another kind, which may take up several axes or none
        if any(end <= start or stop <= begin for (begin, end), (start, stop) in zip(spans, others)):
            return True
    return False


def spans_of(index: gast.AST) -> list[tuple[float, float]]:
    """From where to where a part of an index chooses at most, counted from the start, and (negative) from the end."""
    begin: int | None
    end: int | None
    if isinstance(index, gast.Constant) and type(index.value) is int:
        begin, end = index.value, index.value + 1 or None
    elif isinstance(index, gast.Slice) and index.step is None and all(
            part is None or isinstance(part, gast.Constant) and type(part.value) is int
            for part in (index.lower, index.upper)):
        begin, end = (None if part is None else part.value for part in (index.lower, index.upper))
    else:
        return []
    return [(-math.inf if begin is None or (begin < 0) is not negative else begin,
             math.inf if end is None or (end < 0) is not negative else end) for negative in (False, True)]
