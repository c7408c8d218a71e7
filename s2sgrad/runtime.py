"""The few helpers that generated code calls.

All take and give numbers or arrays; none writes into an argument, and none knows of anything but NumPy. ``g`` is the
cotangent of a result throughout.
"""
from __future__ import annotations

from typing import Any

import numpy as np


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


# ---- kinks and singular points

def divide_or_zero(numerator: Any, denominator: Any) -> Any:
    """The quotient, and 0 where the denominator is 0; the dtype is the numerator's."""
    zero = np.equal(denominator, 0)
    return np.where(zero, 0, numerator / np.where(zero, 1, denominator))[()]


def log_or_zero(base: Any, exponent: Any) -> Any:
    """log(base), and 0 where the base is 0 and the exponent isn't negative: there 0 ** exponent is constant."""
    flat = np.equal(base, 0) & np.greater_equal(exponent, 0)
    return np.where(flat, 0, np.log(np.where(flat, 1, base)))[()]


def share(first: Any, second: Any) -> Any:
    """The derivative of maximum(first, second) in the first: 1, 0, and one half where both are equal.

    A NaN gets all of it, since maximum gives it on.
    """
    dtype = np.result_type(first, second)
    return ((np.greater(first, second) | np.isnan(first)) + np.equal(first, second) * 0.5).astype(dtype)[()]


def share_of_numbers(first: Any, second: Any) -> Any:
    """The derivative of fmax(first, second) in the first: like :func:`share`, but a NaN gets nothing."""
    dtype = np.result_type(first, second)
    larger = np.greater(first, second) | (np.isnan(second) & ~np.isnan(first))
    return (larger + np.equal(first, second) * 0.5).astype(dtype)[()]


def inside(a: Any, low: Any, high: Any) -> Any:
    """1 where clip leaves an element as it is, the bounds included, and 0 elsewhere."""
    result = np.ones(np.shape(a), dtype=bool)
    if low is not None:
        result = result & np.greater_equal(a, low)
    if high is not None:
        result = result & np.less_equal(a, high)
    return result[()]


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
    axes = tuple(range(a.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(item % a.ndim for item in axes) if a.ndim else ()
    kept = [item for item in range(a.ndim) if item not in axes]
    order = [*kept, *axes]
    moved = np.transpose(a, order)
    flat = moved.reshape(*[a.shape[item] for item in kept], -1)
    ones = np.ones_like(flat[..., :1])
    before = np.cumprod(np.concatenate([ones, flat[..., :-1]], axis=-1), axis=-1)
    behind = np.cumprod(np.concatenate([ones, flat[..., :0:-1]], axis=-1), axis=-1)[..., ::-1]
    return np.transpose((before * behind).reshape(moved.shape), np.argsort(order))[()]


# ---- maps that move elements

def unshifted(shift: Any) -> Any:
    """The shift that undoes a roll."""
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
        size = int(np.prod(shape))
        flat = np.zeros(size, g.dtype)
        np.add.at(flat, np.repeat(np.arange(size), repeats), g)
        return flat.reshape(shape)
    result = np.zeros(shape, g.dtype)
    np.add.at(np.moveaxis(result, axis, 0), np.repeat(np.arange(shape[axis]), repeats), np.moveaxis(g, axis, 0))
    return result


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
    return hit & (np.cumsum(hit) == 1)
