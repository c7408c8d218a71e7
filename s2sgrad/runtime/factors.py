"""Factored and banded matrices, as SciPy stores them."""
from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.errors import UnsupportedError


def in_reals(m: Any) -> Any:
    """The matrix, which must be real."""
    if m.dtype.kind == "c":
        raise UnsupportedError("this function of a matrix is complex here, and has no derivative rule there",
                               "keep the eigenvalues positive")
    return m


# ---- lu and piv: row i was swapped with row piv[i], one after another

def row_order(piv: Any) -> Any:
    """Which row of the matrix each row of the product is."""
    order = np.arange(len(piv))
    for place, other in enumerate(piv):
        order[[place, other]] = order[[other, place]]
    return order


def lu_solve_bar(bar: Any, lu: Any, piv: Any) -> Any:
    """The cotangent of both factors, from that of their product."""
    swapped = bar[row_order(piv)]
    lower = np.tril(lu, -1) + np.eye(len(lu), dtype=lu.dtype)
    return np.tril(swapped @ np.triu(lu).T, -1) + np.triu(lower.T @ swapped)


def lu_product(t: Any, lu: Any, piv: Any) -> Any:
    """The tangent of the product of both factors, from theirs."""
    lower = np.tril(lu, -1) + np.eye(len(lu), dtype=lu.dtype)
    return (np.tril(t, -1) @ np.triu(lu) + lower @ np.triu(t))[np.argsort(row_order(piv))]


def lu_bar(bar: Any, lu: Any, piv: Any) -> Any:
    """The cotangent of a square matrix, from that of its factors."""
    if lu.shape[0] != lu.shape[1]:
        raise _unequal_sides()
    lower, upper = np.tril(lu, -1) + np.eye(len(lu), dtype=lu.dtype), np.triu(lu)
    inner = np.tril(lower.T @ np.tril(bar, -1), -1) + np.triu(np.triu(bar) @ upper.T)
    return np.linalg.solve(upper, np.linalg.solve(lower.T, inner).T).T[np.argsort(row_order(piv))]


def lu_dot(t: Any, lu: Any, piv: Any) -> Any:
    """The tangents of both factors of a square matrix."""
    if lu.shape[0] != lu.shape[1]:
        raise _unequal_sides()
    lower, upper = np.tril(lu, -1) + np.eye(len(lu), dtype=lu.dtype), np.triu(lu)
    inner = np.linalg.solve(upper.T, np.linalg.solve(lower, t[row_order(piv)]).T).T
    return lower @ np.tril(inner, -1) + np.triu(inner) @ upper


def _unequal_sides() -> UnsupportedError:
    return UnsupportedError("lu_factor is differentiated for square matrices only", "use scipy.linalg.qr")


# ---- bands: element i, j is in row i - j + the number of bands above

def turned_bands(ab: Any, lower: int) -> Any:
    """The bands of the transposed matrix."""
    count, size = ab.shape
    result = np.zeros_like(ab)
    for row in range(count):
        offset = row - lower
        first, last = max(0, -offset), size - max(0, offset)
        result[row, first:last] = ab[count - 1 - row, first + offset:last + offset]
    return result


def outer_bands(left: Any, right: Any, lower: int, upper: int) -> Any:
    """The bands of ``left @ right.T``."""
    left, right = np.reshape(left, (len(left), -1)), np.reshape(right, (len(right), -1))
    size = len(left)
    result = np.zeros((lower + upper + 1, size), left.dtype)
    for offset in range(-upper, lower + 1):
        first, last = max(0, offset), size + min(0, offset)
        result[upper + offset, first - offset:last - offset] = np.sum(
            left[first:last] * right[first - offset:last - offset], axis=1)
    return result


def banded_product(ab: Any, x: Any, lower: int, upper: int) -> Any:
    """The product of a matrix of bands and a vector, or a matrix."""
    size = len(x)
    result = np.zeros_like(x)
    for offset in range(-upper, lower + 1):
        first, last = max(0, offset), size + min(0, offset)
        band = ab[upper + offset, first - offset:last - offset]
        rows = x[first - offset:last - offset]
        result[first:last] += band * rows if np.ndim(x) == 1 else band[:, None] * rows
    return result


def symmetric_bands(left: Any, right: Any, count: int, lower: bool) -> Any:
    """The cotangent of a symmetric matrix's bands, from ``left @ right.T`` as that of the whole."""
    above, below = (0, count - 1) if lower else (count - 1, 0)
    both = outer_bands(left, right, below, above) + outer_bands(right, left, below, above)
    both[above] *= 0.5
    return both


def symmetric_bands_product(ab: Any, x: Any, lower: bool) -> Any:
    """The product of a symmetric matrix of which the bands on one side are given."""
    rest = np.array(ab)
    rest[0 if lower else -1] = 0
    other = len(ab) - 1
    if lower:
        return banded_product(ab, x, other, 0) + banded_product(turned_bands(rest, other), x, 0, other)
    return banded_product(ab, x, 0, other) + banded_product(turned_bands(rest, 0), x, other, 0)


def diagonal_sums(g: Any, right: bool, left: bool) -> Any:
    """The sums of the diagonals of a matrix to the right of the main one, or from it to the left; both, of which each
    has as many, together."""
    rows = np.array([np.trace(g, -offset) for offset in range(g.shape[0])]) if left else np.zeros(g.shape[0], g.dtype)
    columns = np.array([np.trace(g, offset) if offset else np.zeros((), g.dtype) for offset in range(g.shape[1])])
    return columns if not left else rows + columns if right else rows
