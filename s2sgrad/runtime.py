"""The few helpers that generated code calls.

All take and give numbers or arrays; none writes into an argument, and none knows of anything but NumPy. ``g`` is the
cotangent of a result throughout.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from s2sgrad.containers import container, contents, instance, with_parts
from s2sgrad.errors import UnsupportedError

__all__ = ["held", "instance"]

# ---- containers

def held(value: Any, shared: Sequence[np.ndarray] = ()) -> Any:
    """A value that stays as it is when arrays are written into: an array, and every array in a container, as a copy.

    Arrays that are memory of the ``shared`` ones stay what they are.
    """
    if isinstance(value, np.ndarray):
        return value if any(np.may_share_memory(value, array) for array in shared) else value.copy()
    return with_parts(value, lambda part: held(part, shared))


def zeros_of(value: Any) -> Any:
    """Zeros for every float and array of floats in a container, in lists (for tuples, too) and dicts, or under
    attributes: what cotangents are added up in."""
    held_ = contents(value)
    if held_ is None:
        if isinstance(value, np.ndarray):
            return np.zeros_like(value) if value.dtype.kind == "f" else None
        if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
            return 0.0  # beside floats in a list, from which numbers are taken by a running index
        return type(value)(0) if isinstance(value, (float, np.floating)) else None
    parts = list(map(zeros_of, held_.parts))
    if held_.keys is None:
        return parts
    return dict(zip(held_.keys, parts)) if held_.kind is dict else SimpleNamespace(**dict(zip(held_.keys, parts)))


def zero_tangent(value: Any) -> Any:
    """The tangent of a passive value: zeros for numbers and arrays of them, in containers of the same form."""
    if isinstance(value, np.ndarray):
        return np.zeros_like(value) if value.dtype.kind == "f" else np.zeros(value.shape)
    if isinstance(value, (int, float, np.number, np.bool_)):
        return type(value)(0) if isinstance(value, (float, np.floating)) else 0.0
    return None if contents(value) is None else with_parts(value, zero_tangent)


def structured(bar: Any, like: Any) -> Any:
    """Cotangents that were added up in :func:`zeros_of` a container, in the container's own form and dtypes."""
    held_ = contents(like)
    if held_ is None:
        if isinstance(like, np.ndarray):
            return np.array(bar, like.dtype) if like.dtype.kind == "f" else None
        return type(like)(bar) if isinstance(like, (float, np.floating)) else None
    parts = [structured(part_at(bar, step), part) for step, part in zip(held_.steps, held_.parts)]
    return container(held_.kind, held_.keys, parts)


def part_at(bar: Any, step: Any) -> Any:
    return getattr(bar, step) if isinstance(bar, SimpleNamespace) else bar[step]


def added(first: Any, second: Any) -> Any:
    """The sums of the numbers and arrays in two containers of one form."""
    if isinstance(first, SimpleNamespace):
        return SimpleNamespace(**{key: added(part, getattr(second, key)) for key, part in vars(first).items()})
    if isinstance(first, dict):
        return {key: added(part, second[key]) for key, part in first.items()}
    if isinstance(first, (list, tuple)):
        return list(map(added, first, second))
    return None if first is None else first + second


def add_items(bar: list, place: slice, items: Any) -> None:
    """Add to those cotangents in a list that a slice chooses."""
    bar[place] = added(bar[place], items)


def taken_apart(g: Any, like: Any) -> Any:
    """The cotangent of an array as nested lists, like those that it was made of."""
    return [taken_apart(part, item) for part, item in zip(g, like)] if isinstance(like, (list, tuple)) else g


def summed_bars(g: Any, items: Any) -> list:
    """The cotangents of the terms of a sum."""
    return [unbroadcast(g, item) for item in items]


def chosen_bars(g: Any, items: Any, y: Any) -> list:
    """The cotangents of the items of which ``y`` was chosen: the first that equals it takes it all."""
    chosen = next((index for index, item in enumerate(items) if item == y), -1)
    return [g if index == chosen else type(g)(0) for index in range(len(items))]


def pieces(g: Any, join: Callable[..., Any], arrays: Any, *axis: Any) -> list:
    """The parts of ``g`` that lie where a function that joins arrays put each of them."""
    sizes = [np.size(array) for array in arrays]
    starts = np.cumsum([0, *sizes])
    places = join([start + np.arange(size).reshape(np.shape(array))
                   for start, size, array in zip(starts, sizes, arrays)], *axis)
    flat = np.empty(starts[-1], np.asarray(g).dtype)
    flat[places] = g
    return [flat[start:start + size].reshape(np.shape(array)) for start, size, array in zip(starts, sizes, arrays)]


# ---- broadcasting

def unbroadcast(g: Any, like: Any) -> Any:
    """Sum ``g`` over the axes along which an operand was stretched: back to ``np.shape(like)``."""
    shape, full = np.shape(like), np.shape(g)
    if full == shape:
        return g
    lead = len(full) - len(shape)
    axes = tuple(range(lead)) + tuple(
        lead + axis for axis, size in enumerate(shape) if size == 1 and full[lead + axis] != 1)
    return np.reshape(np.sum(g, axis=axes), shape)


# ---- patterns

def is_sequence(value: Any, length: int, more: bool = False) -> bool:
    """Whether a pattern of so many parts (``more``: or of a star besides) matches the value."""
    match value:
        case [*_]:
            return len(value) >= length if more else len(value) == length
    return False


# ---- kinks and singular points

def divide_or_zero(numerator: Any, denominator: Any) -> Any:
    """The quotient, and 0 where the denominator is 0; the dtype is the numerator's."""
    zero = np.equal(denominator, 0)
    return np.where(zero, 0, numerator / np.where(zero, 1, denominator))[()]


def log_or_zero(base: Any, exponent: Any) -> Any:
    """log(base), and 0 where the base is 0 and the exponent isn't negative: there 0 ** exponent is constant."""
    flat = np.equal(base, 0) & np.greater_equal(exponent, 0)
    dtype = np.result_type(base, exponent, 0.0)
    return np.where(flat, 0, np.log(np.where(flat, 1, base))).astype(dtype)[()]


def power_slope(base: Any, exponent: Any) -> Any:
    """The derivative of base ** exponent in the base: exponent * base ** (exponent - 1), and 0 where that is 0."""
    dtype = np.result_type(base, exponent, 0.0)
    less = np.where(np.equal(exponent, 0), 1, np.subtract(exponent, 1)).astype(dtype)
    return (exponent * np.power(np.asarray(base, dtype), less)).astype(dtype)[()]


def sinc_slope(x: Any) -> Any:
    """The derivative of sinc: 0 at 0."""
    zero = np.equal(x, 0)
    safe = np.where(zero, 1, x)
    angle = np.pi * safe
    return np.where(zero, 0, (np.cos(angle) - np.sin(angle) / angle) / safe).astype(np.result_type(x, 0.0))[()]


def product_of_others(a: Any, axis: Any) -> Any:
    """For each element the product of the others along the axes: exact also where elements are 0.

    The products before and behind an element are multiplied; nothing is divided.
    """
    a = np.asarray(a)
    given = tuple(range(a.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = [item % a.ndim for item in given] if a.ndim else []
    kept = [item for item in range(a.ndim) if item not in axes]
    moved = np.transpose(a, [*kept, *axes])
    flat = moved.reshape(*(a.shape[item] for item in kept), math.prod(a.shape[item] for item in axes))
    ones = np.ones_like(flat[..., :1])
    before = np.cumprod(np.concatenate([ones, flat[..., :-1]], axis=-1), axis=-1)
    behind = np.cumprod(np.concatenate([ones, flat[..., :0:-1]], axis=-1), axis=-1)[..., ::-1]
    return np.transpose((before * behind).reshape(moved.shape), np.argsort([*kept, *axes]))[()]


def running_product_bar(g: Any, a: Any, axis: Any) -> Any:
    """The cotangent of ``a`` in ``np.cumprod(a, axis)``, exact also where elements are 0.

    From the last element to the first, what arrives through all later products is ``g + later element * what arrives
    there``.
    """
    moved = np.ravel(a) if axis is None else np.moveaxis(a, axis, 0)
    g = g if axis is None else np.moveaxis(g, axis, 0)
    result = np.array(g)
    for index in range(len(result) - 2, -1, -1):
        result[index] += moved[index + 1] * result[index + 1]
    result[1:] *= np.cumprod(moved[:-1], axis=0)
    return result.reshape(np.shape(a)) if axis is None else np.moveaxis(result, 0, axis)


def running_product_dot(t: Any, a: Any, y: Any, axis: Any) -> Any:
    """The tangent of ``y = np.cumprod(a, axis)``: each product moves with its last factor and with the one before."""
    a, t = (np.ravel(item) if axis is None else np.moveaxis(item, axis, 0) for item in (a, t))
    products = y if axis is None else np.moveaxis(y, axis, 0)
    result = np.array(t, products.dtype)
    for index in range(1, len(result)):
        result[index] = result[index - 1] * a[index] + products[index - 1] * t[index]
    return result if axis is None else np.moveaxis(result, 0, axis)


def norm_slope(x: Any, y: Any, order: float) -> Any:
    """The derivative of ``y = np.linalg.norm(x, order)`` in the shape of ``x``, a vector or a matrix."""
    if np.ndim(x) > 1:
        return matrix_norm_slope(x, order, (0, 1))
    if order == math.inf:
        hit = np.abs(x) == y
        return np.sign(x) * hit / np.sum(hit, dtype=x.dtype)
    return np.sign(x) * divide_or_zero(np.abs(x), y) ** (order - 1)


def matrix_norm_slope(x: Any, order: float, axes: tuple[int, int]) -> Any:
    """The derivative of ``np.linalg.norm(x, order, axes)`` for orders 1, 2 and infinity, in the shape of ``x``.

    Columns or rows that tie for the largest sum share evenly; for order 2 it is the product of the singular vectors
    of the largest singular value, and 0 where that is 0.
    """
    if order == 2:
        u, values, vt = np.linalg.svd(np.moveaxis(x, axes, (-2, -1)), full_matrices=False)
        slope = u[..., :, :1] * vt[..., :1, :] * (values[..., :1, None] > 0)
        return np.moveaxis(slope, (-2, -1), axes)
    summed, largest = axes if order == 1 else axes[::-1]
    sums = np.sum(np.abs(x), axis=summed, keepdims=True)
    hit = sums == np.max(sums, axis=largest, keepdims=True)
    return np.sign(x) * hit / np.sum(hit, axis=largest, keepdims=True, dtype=x.dtype)


# ---- maps that move elements

def opposite(shift: Any) -> Any:
    """The shift that undoes a roll along several axes."""
    return tuple(-item for item in shift) if isinstance(shift, (tuple, list)) else -shift


def piece(g: Any, sizes: tuple, index: int, axis: int) -> Any:
    """The part of ``g`` that the operand at ``index`` of a concatenation takes up; ``sizes`` are all operands'."""
    start = sum(sizes[:index])
    place = [slice(None)] * np.ndim(g)
    place[int(axis)] = slice(start, start + sizes[index])
    return g[tuple(place)]


def undiff(g: Any, n: int, axis: int) -> Any:
    """The adjoint of ``np.diff``: each difference gives its negative to the lower and itself to the upper element."""
    for _ in range(n):
        shape = list(g.shape)
        shape[axis] = 1
        edge = np.zeros(shape, g.dtype)
        g = np.concatenate([edge, g], axis=axis) - np.concatenate([g, edge], axis=axis)
    return g


def undiag(g: Any, shape: tuple, k: int) -> Any:
    """The adjoint of ``np.diag`` for an operand of that shape, vector or matrix."""
    return np.diagonal(g, k) if len(shape) == 1 else undiagonal(g, shape, k, 0, 1)


def undiagonal(g: Any, shape: tuple, offset: int, axis1: int, axis2: int) -> Any:
    """Zeros of a shape with ``g`` on a diagonal."""
    result = np.zeros(shape, np.asarray(g).dtype)
    rows, columns = _diagonal(shape[axis1], shape[axis2], offset)
    np.moveaxis(result, (axis1, axis2), (-2, -1))[..., rows, columns] = g
    return result


def _diagonal(rows: int, columns: int, offset: int) -> tuple:
    length = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    steps = np.arange(length)
    return steps + max(0, -offset), steps + max(0, offset)


def untrace(g: Any, shape: tuple, offset: int, axis1: int, axis2: int) -> Any:
    """Zeros of a shape with ``g`` all along a diagonal."""
    return undiagonal(np.asarray(g)[..., None], shape, offset, axis1, axis2)


def unrepeat(g: Any, shape: tuple, repeats: Any, axis: Any) -> Any:
    """The adjoint of ``np.repeat``: copies are summed."""
    if axis is None:
        return unrepeat(g, (math.prod(shape),), repeats, 0).reshape(shape)
    axis = axis % len(shape)
    if np.ndim(repeats) == 0:
        return np.sum(np.reshape(g, (*shape[:axis + 1], repeats, *shape[axis + 1:])), axis=axis + 1)
    result = np.zeros(shape, g.dtype)
    np.add.at(np.moveaxis(result, axis, 0), np.repeat(np.arange(shape[axis]), repeats), np.moveaxis(g, axis, 0))
    return result


def unsort(g: Any, a: Any, axis: Any) -> Any:
    """The adjoint of ``np.sort``: each cotangent goes back to where its element was."""
    order = np.argsort(a, axis=axis)
    result = np.empty_like(g)
    np.put_along_axis(result, order, g, axis=axis)
    return result.reshape(np.shape(a))


def untake(g: Any, shape: tuple, indices: Any, axis: Any) -> Any:
    """The adjoint of ``np.take``: an element that was taken several times gets the sum."""
    g = np.asarray(g)
    result = np.zeros(shape, g.dtype)
    if axis is None:
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
    counts = (1,) * (rank - len(counts)) + counts
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


# ---- products whose ranks are not known before the call

def matmul_left(g: Any, x1: Any, x2: Any) -> Any:
    """The cotangent of the left operand of ``x1 @ x2``, whatever the ranks."""
    rank1, rank2 = np.ndim(x1), np.ndim(x2)
    if rank2 == 1:
        return unbroadcast(np.expand_dims(g, -1) * x2, x1)
    if rank1 == 1:
        return unbroadcast(np.matmul(x2, np.expand_dims(g, -1))[..., 0], x1)
    return unbroadcast(np.matmul(g, np.swapaxes(x2, -1, -2)), x1)


def matmul_right(g: Any, x1: Any, x2: Any) -> Any:
    """The cotangent of the right operand of ``x1 @ x2``, whatever the ranks."""
    rank1, rank2 = np.ndim(x1), np.ndim(x2)
    if rank2 == 1:
        return unbroadcast(np.expand_dims(g, -1) * x1, x2)
    if rank1 == 1:
        return unbroadcast(np.expand_dims(x1, -1) * np.expand_dims(g, -2), x2)
    return unbroadcast(np.matmul(np.swapaxes(x1, -1, -2), g), x2)


def dot_left(g: Any, a: Any, b: Any) -> Any:
    """The cotangent of the left operand of ``np.dot(a, b)``, whatever the ranks."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(g * b, a)
    axis = max(0, np.ndim(b) - 2)
    rest = list(range(np.ndim(a) - 1, np.ndim(g)))
    others = [item for item in range(np.ndim(b)) if item != axis]
    return np.tensordot(g, b, (rest, others))


def dot_right(g: Any, a: Any, b: Any) -> Any:
    """The cotangent of the right operand of ``np.dot(a, b)``, whatever the ranks."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(g * a, b)
    lead = list(range(np.ndim(a) - 1))
    return np.moveaxis(np.tensordot(a, g, (lead, lead)), 0, max(0, np.ndim(b) - 2))


def inner_left(g: Any, a: Any, b: Any) -> Any:
    """The cotangent of the left operand of ``np.inner(a, b)``, whatever the ranks."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(g * b, a)
    lead = np.ndim(a) - 1
    return np.tensordot(g, b, (list(range(lead, np.ndim(g))), list(range(np.ndim(b) - 1))))


def inner_right(g: Any, a: Any, b: Any) -> Any:
    """The cotangent of the right operand of ``np.inner(a, b)``, whatever the ranks."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(g * a, b)
    lead = list(range(np.ndim(a) - 1))
    return np.tensordot(g, a, (lead, lead))


def _summed_axes(a: Any, b: Any, axes: Any) -> tuple[list[int], list[int]]:
    """The axes of both operands that ``np.tensordot`` sums over, counted from 0."""
    if isinstance(axes, (int, np.integer)):
        return list(range(np.ndim(a) - axes, np.ndim(a))), list(range(axes))
    first, second = ([int(item)] if isinstance(item, (int, np.integer)) else list(item) for item in axes)
    return [int(item) % np.ndim(a) for item in first], [int(item) % np.ndim(b) for item in second]


def tensordot_left(g: Any, a: Any, b: Any, axes: Any) -> Any:
    """The cotangent of the left operand of ``np.tensordot(a, b, axes)``."""
    first, second = _summed_axes(a, b, axes)
    kept = [item for item in range(np.ndim(a)) if item not in first]
    others = [item for item in range(np.ndim(b)) if item not in second]
    found = np.tensordot(g, b, (list(range(len(kept), np.ndim(g))), others))
    # the summed axes now stand last, in the order in which they stand in b
    order = kept + [axis for _, axis in sorted(zip(second, first))]
    return np.transpose(found, np.argsort(order))


def tensordot_right(g: Any, a: Any, b: Any, axes: Any) -> Any:
    """The cotangent of the right operand of ``np.tensordot(a, b, axes)``."""
    first, second = _summed_axes(a, b, axes)
    kept = [item for item in range(np.ndim(a)) if item not in first]
    others = [item for item in range(np.ndim(b)) if item not in second]
    found = np.tensordot(a, g, (kept, list(range(len(kept)))))
    order = [axis for _, axis in sorted(zip(first, second))] + others
    return np.transpose(found, np.argsort(order))


# ---- linear systems, stacked or not

def solve_right(g: Any, a: Any, b: Any) -> Any:
    """The cotangent of ``b`` in ``np.linalg.solve(a, b)``; ``b`` is a vector only where its rank is 1."""
    turned = np.swapaxes(a, -1, -2)
    if np.ndim(b) == 1:
        return unbroadcast(np.linalg.solve(turned, g[..., None])[..., 0], b)
    return unbroadcast(np.linalg.solve(turned, g), b)


def solve_matrix(g: Any, a: Any, b: Any, y: Any) -> Any:
    """The cotangent of ``a`` in ``y = np.linalg.solve(a, b)``."""
    turned = np.swapaxes(a, -1, -2)
    if np.ndim(b) == 1:
        g, y = g[..., None], y[..., None]
    return unbroadcast(-np.matmul(np.linalg.solve(turned, g), np.swapaxes(y, -1, -2)), a)


def solve_dot(t: Any, a: Any, b: Any, y: Any) -> Any:
    """What the tangent of ``a`` adds to that of ``y = np.linalg.solve(a, b)``."""
    if np.ndim(b) == 1:
        return -np.linalg.solve(a, np.matmul(t, y[..., None]))[..., 0]
    return -np.linalg.solve(a, np.matmul(t, y))


# ---- creation

def ramp(g: Any, endpoint: bool, falling: bool) -> Any:
    """The weights of the first (falling) or last end in ``np.linspace``, shaped to multiply ``g``."""
    count = np.shape(g)[0]
    steps = np.arange(count) / max(1, count - 1 if endpoint else count)
    weights = 1 - steps if falling else steps
    return weights.reshape((count,) + (1,) * (np.ndim(g) - 1)).astype(np.asarray(g).dtype)


# ---- choices

def chosen_dot(t: Any, items: Any, y: Any) -> Any:
    """The tangent of the first item that equals ``y``, which was chosen."""
    return next((tangent for item, tangent in zip(items, t) if item == y), type(y)(0))


def first_equal(items: Any, y: Any) -> Any:
    """1 for the first element that equals ``y``, else 0: Python's max and min over a one-dimensional array."""
    hit = np.equal(items, y)
    return np.where(hit & (np.cumsum(hit) == 1), np.ones_like(y), 0)
