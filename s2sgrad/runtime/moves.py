"""Adjoints of maps that move elements, or choose among them."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sgrad.errors import UnsupportedError

# ---- maps that move elements

def opposite(shift: Any) -> Any:
    """The shift that undoes another, or those along several axes, whatever integers or truth values they are."""
    return -np.asarray(shift, np.int64)


def piece(g: Any, sizes: tuple, index: int, axis: int) -> Any:
    """The part of ``g`` that the operand at ``index`` of a concatenation takes up; ``sizes`` are all operands'."""
    start = sum(sizes[:index])
    place = [slice(None)] * np.ndim(g)
    place[int(axis)] = slice(start, start + sizes[index])
    return g[tuple(place)]


def undiff(g: Any, n: int, axis: int, shape: tuple) -> Any:
    """The adjoint of ``np.diff`` for an operand of that shape: each difference gives its negative to the lower and
    itself to the upper element."""
    if not g.size:
        return np.zeros(shape, g.dtype)
    for _ in range(n):
        one = list(g.shape)
        one[axis] = 1
        edge = np.zeros(one, g.dtype)
        g = np.concatenate([edge, g], axis=axis) - np.concatenate([g, edge], axis=axis)
    return g if n else g.copy()


def undiag(g: Any, shape: tuple, k: int = 0) -> Any:
    """The adjoint of ``np.diag`` for an operand of that shape, vector or matrix."""
    return np.diagonal(g, k) if len(shape) == 1 else undiagonal(g, shape, k)


def undiagonal(g: Any, shape: tuple, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Zeros of a shape with ``g`` on a diagonal."""
    result = np.zeros(shape, np.asarray(g).dtype)
    rows, columns = _diagonal(shape[axis1], shape[axis2], offset)
    np.moveaxis(result, (axis1, axis2), (-2, -1))[..., rows, columns] = g
    return result


def _diagonal(rows: int, columns: int, offset: int) -> tuple:
    offset = int(offset)  # an unsigned one would have no opposite
    length = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    steps = np.arange(length)
    return steps + max(0, -offset), steps + max(0, offset)


def untrace(g: Any, shape: tuple, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Zeros of a shape with ``g`` all along a diagonal."""
    return undiagonal(np.asarray(g)[..., None], shape, offset, axis1, axis2)


def unrepeat(g: Any, shape: tuple, repeats: Any, axis: Any) -> Any:
    """The adjoint of ``np.repeat``: copies are summed."""
    if axis is None or not shape:
        return unrepeat(g, (math.prod(shape),), repeats, 0).reshape(shape)
    axis = axis % len(shape)
    if np.ndim(repeats) == 0:
        return np.sum(np.reshape(g, (*shape[:axis + 1], int(repeats), *shape[axis + 1:])), axis=axis + 1)
    result = np.zeros(shape, g.dtype)
    np.add.at(np.moveaxis(result, axis, 0), np.repeat(np.arange(shape[axis]), repeats), np.moveaxis(g, axis, 0))
    return result


def unsort(g: Any, a: Any, axis: Any = -1) -> Any:
    """The adjoint of ``np.sort``: each cotangent goes back to where its element was."""
    order = np.argsort(a, axis=axis)
    result = np.empty_like(g)
    np.put_along_axis(result, order, g, axis=axis)
    return result.reshape(np.shape(a))


def untake(g: Any, shape: tuple, indices: Any, axis: Any) -> Any:
    """The adjoint of ``np.take``: an element that was taken several times gets the sum."""
    g = np.asarray(g)
    indices = np.asarray(indices).astype(np.intp)  # True is 1, and selects nothing
    result = np.zeros(shape, g.dtype)
    if axis is None or not shape:
        np.add.at(result.reshape(-1), indices, g)
        return result
    rank = np.ndim(indices)
    axis = axis % len(shape)
    np.add.at(np.moveaxis(result, axis, 0), indices, np.moveaxis(g, range(axis, axis + rank), range(rank)))
    return result


def untile(g: Any, shape: tuple, reps: Any) -> Any:
    """The adjoint of ``np.tile``: copies are summed."""
    counts = (reps,) if isinstance(reps, (int, np.integer)) else tuple(reps)
    rank = max(len(shape), len(counts))
    counts = (1,) * (rank - len(counts)) + tuple(map(int, counts))
    sizes = (1,) * (rank - len(shape)) + tuple(shape)
    split = np.reshape(g, [part for pair in zip(counts, sizes) for part in pair])
    return np.reshape(np.sum(split, axis=tuple(range(0, 2 * rank, 2))), shape)


def last_stored(index: Any, shape: tuple) -> Any:
    """For each element of ``array[index] = ...``: whether it is the last that was stored in its place, and stayed.

    NumPy stores in the order of the index only if that is of one axis; places that differ can come in any order.
    """
    size = math.prod(shape)
    places = np.arange(size).reshape(shape)[index]
    order = np.arange(places.size).reshape(places.shape)
    last = np.empty(size, int)
    last[places.ravel()] = order.ravel()
    stayed = last[places] == order
    arrays = [part for part in (index if isinstance(index, tuple) else (index,)) if isinstance(part, np.ndarray)]
    if not stayed.all() and any(part.ndim > 1 or part.ndim == 1 and part.strides[0] <= 0 for part in arrays):
        raise UnsupportedError("some elements are stored twice here, in an order that NumPy does not tell",
                               "use an index of one axis, in an array of its own")
    return stayed


# ---- creation

def ramp(g: Any, endpoint: bool, falling: bool) -> Any:
    """The weights of the first (falling) or last end in ``np.linspace``, shaped to multiply ``g``."""
    count = np.shape(g)[0]
    steps = np.arange(count) / max(1, count - 1 if endpoint else count)
    weights = 1 - steps if falling else steps
    return weights.reshape((count,) + (1,) * (np.ndim(g) - 1)).astype(np.asarray(g).dtype)


# ---- choices

def first_equal(items: Any, y: Any) -> Any:
    """1 for the first element that equals ``y``, else 0: Python's max and min over a one-dimensional array."""
    hit = np.equal(items, y)
    return np.where(hit & (np.cumsum(hit) == 1), np.ones_like(y), 0)
