"""Products and linear systems whose ranks are not known before the call, stacked or not."""
from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.errors import ArgumentError, UnsupportedError
from s2sgrad.runtime.broadcasting import unbroadcast


def contracted_arrays(value: Any, cotangent: Any) -> Any:
    """The inner product of a value with a cotangent of it."""
    if np.shape(value) != np.shape(cotangent):
        raise ArgumentError(f"the result has shape {np.shape(value)}, its cotangent {np.shape(cotangent)}",
                            "pass a cotangent of the result's shape")
    return np.real(np.sum(value * cotangent))


# ---- products whose ranks are not known before the call

def matmul_left(g: Any, x1: Any, x2: Any) -> Any:
    """The cotangent of the left operand of ``x1 @ x2``, whatever the ranks."""
    rank1, rank2 = np.ndim(x1), np.ndim(x2)
    if rank2 == 1:
        return unbroadcast(np.expand_dims(g, -1) * x2, np.shape(x1))
    if rank1 == 1:
        return unbroadcast(np.matmul(x2, np.expand_dims(g, -1))[..., 0], np.shape(x1))
    return unbroadcast(np.matmul(g, np.swapaxes(x2, -1, -2)), np.shape(x1))


def matmul_right(g: Any, x1: Any, x2: Any) -> Any:
    """The cotangent of the right operand of ``x1 @ x2``, whatever the ranks."""
    rank1, rank2 = np.ndim(x1), np.ndim(x2)
    if rank2 == 1:
        return unbroadcast(np.expand_dims(g, -1) * x1, np.shape(x2))
    if rank1 == 1:
        return unbroadcast(np.expand_dims(x1, -1) * np.expand_dims(g, -2), np.shape(x2))
    return unbroadcast(np.matmul(np.swapaxes(x1, -1, -2), g), np.shape(x2))


def sparse_product(matrix: Any, x: Any) -> Any:
    """``matrix @ x`` of one of SciPy's sparse matrices, of real numbers."""
    if matrix.dtype.kind == "c":
        raise UnsupportedError("this product is of a sparse matrix of complex numbers", "make an array of it")
    return matrix @ x


def sparse_bar(matrix: Any, g: Any) -> Any:
    """The cotangent of ``x`` in ``sparse_product(matrix, x)``."""
    return matrix.T @ g


def dot_left(g: Any, a: Any, b: Any) -> Any:
    """The cotangent of the left operand of ``np.dot(a, b)``, whatever the ranks."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(np.multiply(g, b), np.shape(a))
    axis = max(0, np.ndim(b) - 2)
    rest = list(range(np.ndim(a) - 1, np.ndim(g)))
    others = [item for item in range(np.ndim(b)) if item != axis]
    return np.tensordot(g, b, (rest, others))


def dot_right(g: Any, a: Any, b: Any) -> Any:
    """The cotangent of the right operand of ``np.dot(a, b)``, whatever the ranks."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(np.multiply(g, a), np.shape(b))
    lead = list(range(np.ndim(a) - 1))
    return np.moveaxis(np.tensordot(a, g, (lead, lead)), 0, max(0, np.ndim(b) - 2))


def inner_left(g: Any, a: Any, b: Any) -> Any:
    """The cotangent of the left operand of ``np.inner(a, b)``, whatever the ranks."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(np.multiply(g, b), np.shape(a))
    lead = np.ndim(a) - 1
    return np.tensordot(g, b, (list(range(lead, np.ndim(g))), list(range(np.ndim(b) - 1))))


def inner_right(g: Any, a: Any, b: Any) -> Any:
    """The cotangent of the right operand of ``np.inner(a, b)``, whatever the ranks."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(np.multiply(g, a), np.shape(b))
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
    """The cotangent of ``b`` in each system of ``np.linalg.solve(a, b)``: ``b`` of rank 1 is a vector."""
    turned = np.swapaxes(a, -1, -2)
    if np.ndim(b) == 1:
        return np.linalg.solve(turned, g[..., None])[..., 0]
    return np.linalg.solve(turned, g)


def solve_dot(t: Any, a: Any, b: Any, y: Any) -> Any:
    """What the tangent of ``a`` adds to that of ``y = np.linalg.solve(a, b)``."""
    if np.ndim(b) == 1:
        return -np.linalg.solve(a, np.matmul(t, y[..., None]))[..., 0]
    return -np.linalg.solve(a, np.matmul(t, y))


def unsolve(g: Any, a: Any, b: Any, y: Any) -> Any:
    """The cotangent of ``a`` in ``y = np.linalg.solve(a, b)``; ``g`` is that of the right-hand side."""
    if np.ndim(b) == 1:
        g, y = g[..., None], y[..., None]
    return unbroadcast(-np.matmul(g, np.swapaxes(y, -1, -2)), np.shape(a))


# ---- vectors' products

def uncross(g: Any, mine: Any, other: Any, axis: int, sign: float) -> Any:
    """The cotangent of ``mine`` in its vector product with ``other``, where either may lie in the plane; ``sign``: -1
    for the second factor."""
    if np.shape(mine)[axis] == 2 and np.shape(other)[axis] == 2:
        raise UnsupportedError("np.cross of two vectors in the plane has no derivative rule, as NumPy gives it up",
                               "write a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]")
    size = np.shape(mine)[axis]
    turned = sign * np.cross(other, g, axis=axis)
    last = np.moveaxis(turned, axis, -1)[..., :size]
    return np.moveaxis(unbroadcast(last, np.shape(np.moveaxis(mine, axis, -1))), -1, axis)
