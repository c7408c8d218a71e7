"""Factored and banded matrices, as SciPy stores them."""
from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.errors import UnsupportedError


def in_reals(m: Any, of_complex: bool = False) -> Any:
    """A function of a matrix, which must be real where that is."""
    if m.dtype.kind == "c" and not of_complex:
        raise UnsupportedError("this function of a matrix is complex here, and has no derivative rule there",
                               "keep the eigenvalues positive, or give it np.asarray(a, dtype=complex)")
    return m


# ---- right-hand sides: one with a single axis is a vector, for each matrix of a stack the same

def as_columns(m: Any, b: Any) -> Any:
    """What has the form of the right-hand side ``b``, or of the solution, as matrices."""
    return np.expand_dims(m, -1) if np.ndim(b) == 1 else m


def from_columns(m: Any, b: Any) -> Any:
    """The reverse."""
    return np.squeeze(m, -1) if np.ndim(b) == 1 else m


def is_lower(flags: Any) -> bool:
    """Which triangle is the factor: of a stack SciPy asks the first flag alone."""
    return bool(np.all(np.ravel(flags)[:1]))


def cholesky_factor_bar(whole: Any, factor: Any, flags: Any) -> Any:
    """The cotangent of a factor, from its conjugate and the matrix's cotangent, which goes to it twice."""
    return np.tril(whole @ np.tril(factor)) if is_lower(flags) else np.triu(np.triu(factor) @ whole)


def cholesky_factor_dot(t: Any, factor: Any, flags: Any) -> Any:
    """Half of the matrix's tangent, from that of its factor and the factor's conjugate."""
    return np.tril(t) @ np.tril(factor).mT if is_lower(flags) else np.triu(factor).mT @ np.triu(t)


# ---- lu and piv: row i was swapped with row piv[i], one after another

def row_order(piv: Any) -> Any:
    """Which row of the matrix each row of the product is."""
    order = np.zeros_like(piv) + np.arange(piv.shape[-1], dtype=piv.dtype)
    for place in range(piv.shape[-1]):
        other, here = piv[..., place:place + 1], order[..., place:place + 1].copy()
        there = np.take_along_axis(order, other, -1)
        np.put_along_axis(order, other, here, -1)
        order[..., place:place + 1] = there
    return order


def in_order(m: Any, order: Any) -> Any:
    """The rows of each matrix in such an order."""
    return np.take_along_axis(m, order[..., None], -2)


def both_factors(lu: Any) -> tuple[Any, Any]:
    return np.tril(lu, -1) + np.eye(lu.shape[-1], dtype=lu.dtype), np.triu(lu)


def lu_solve_bar(bar: Any, lu: Any, piv: Any) -> Any:
    """The cotangent of both factors, from that of their product."""
    lower, upper = both_factors(lu)
    swapped = in_order(bar, row_order(piv))
    return np.tril(swapped @ upper.mT, -1) + np.triu(lower.mT @ swapped)


def lu_product(t: Any, lu: Any, piv: Any) -> Any:
    """The tangent of the product of both factors, from theirs."""
    lower, upper = both_factors(lu)
    return in_order(np.tril(t, -1) @ upper + lower @ np.triu(t), np.argsort(row_order(piv), -1))


def lu_bar(bar: Any, lu: Any, piv: Any) -> Any:
    """The cotangent of a square matrix, from that of its factors."""
    if lu.shape[-2] != lu.shape[-1]:
        raise _unequal_sides("lu_factor")
    lower, upper = both_factors(lu)
    inner = np.tril(lower.mT @ np.tril(bar, -1), -1) + np.triu(np.triu(bar) @ upper.mT)
    whole = np.linalg.solve(upper, np.linalg.solve(lower.mT, inner).mT).mT
    return in_order(whole, np.argsort(row_order(piv), -1))


def lu_dot(t: Any, lu: Any, piv: Any) -> Any:
    """The tangents of both factors of a square matrix."""
    if lu.shape[-2] != lu.shape[-1]:
        raise _unequal_sides("lu_factor")
    lower, upper = both_factors(lu)
    inner = np.linalg.solve(upper.mT, np.linalg.solve(lower, in_order(t, row_order(piv))).mT).mT
    return lower @ np.tril(inner, -1) + np.triu(inner) @ upper


def plu_bar(lower_bar: Any, upper_bar: Any, p: Any, lower: Any, upper: Any) -> Any:
    """The cotangent of ``a`` in ``p, lower, upper = scipy.linalg.lu(a)``; a missing cotangent is None."""
    if lower.shape[-2] != upper.shape[-1]:
        raise _unequal_sides("lu")
    inner = np.zeros_like(lower)
    if lower_bar is not None:
        inner = np.tril(lower.mT @ lower_bar, -1)
    if upper_bar is not None:
        inner = inner + np.triu(upper_bar @ upper.mT)
    return p @ np.linalg.solve(upper, np.linalg.solve(lower.mT, inner).mT).mT


def plu_dot(t: Any, p: Any, lower: Any, upper: Any) -> Any:
    """The tangents of both factors."""
    if lower.shape[-2] != upper.shape[-1]:
        raise _unequal_sides("lu")
    inner = np.linalg.solve(upper.mT, np.linalg.solve(lower, p.mT @ t).mT).mT
    return lower @ np.tril(inner, -1), np.triu(inner) @ upper


def _unequal_sides(name: str) -> UnsupportedError:
    return UnsupportedError(f"{name} is differentiated for square matrices only", "use scipy.linalg.qr")


# ---- a = u @ p, with orthonormal columns and a symmetric matrix

def polar_bar(u_bar: Any, p_bar: Any, u: Any, p: Any) -> Any:
    """The cotangent of ``a`` in ``u, p = scipy.linalg.polar(a)``; a missing cotangent is None.

    What turns ``u``, ``x = u.T @ u_dot``, solves ``x @ p + p @ x = u.T @ a_dot - a_dot.T @ u``; of ``p`` the rest.
    """
    if u.shape[-2] < u.shape[-1]:
        raise _too_few_rows()
    whole, turn, rest = np.zeros_like(p), np.zeros_like(p), np.zeros_like(u)
    if p_bar is not None:
        whole = 0.5 * (p_bar + p_bar.mT.conj())
        turn = -(whole @ p.conj())
    if u_bar is not None:
        inner = u.mT @ u_bar
        turn = turn + inner
        rest = np.linalg.solve(p, (u_bar - u.conj() @ inner).mT).mT
    return u.conj() @ (whole + symmetric_sylvester(p.mT, turn - turn.mT.conj())) + rest


def polar_dot(t: Any, u: Any, p: Any) -> Any:
    """The tangents of ``u`` and ``p``."""
    if u.shape[-2] < u.shape[-1]:
        raise _too_few_rows()
    inner = u.mT.conj() @ t
    turn = symmetric_sylvester(p, inner - inner.mT.conj())
    rest = np.linalg.solve(p.mT, (t - u @ inner).mT).mT
    return u @ turn + rest, inner - turn @ p


def symmetric_sylvester(p: Any, q: Any) -> Any:
    """The matrix ``x`` with ``x @ p + p @ x = q``, for a symmetric positive ``p``."""
    values, vectors = np.linalg.eigh(p)
    turned = vectors.mT.conj()
    return vectors @ ((turned @ q @ vectors) / (values[..., :, None] + values[..., None, :])) @ turned


def _too_few_rows() -> UnsupportedError:
    return UnsupportedError("polar is differentiated where the orthonormal factor has no more columns than rows, or on "
                            "side='left' no more rows than columns", "choose the other side")


# ---- bands: element i, j is in row i - j + the number of bands above

def turned_bands(ab: Any, lower: int) -> Any:
    """The bands of the transposed matrix."""
    count, size = ab.shape[-2:]
    result = np.zeros_like(ab)
    for row in range(count):
        offset = row - lower
        first, last = max(0, -offset), size - max(0, offset)
        result[..., row, first:last] = ab[..., count - 1 - row, first + offset:last + offset]
    return result


def outer_bands(left: Any, right: Any, lower: int, upper: int) -> Any:
    """The bands of ``left @ right.mT``."""
    size = left.shape[-2]
    stack = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    result = np.zeros((*stack, lower + upper + 1, size), left.dtype)
    for offset in range(-upper, lower + 1):
        first, last = max(0, offset), size + min(0, offset)
        result[..., upper + offset, first - offset:last - offset] = np.sum(
            left[..., first:last, :] * right[..., first - offset:last - offset, :], axis=-1)
    return result


def banded_product(ab: Any, x: Any, lower: int, upper: int) -> Any:
    """The product of a matrix of bands and one of columns."""
    size = x.shape[-2]
    result = np.zeros_like(ab[..., :1, :1] * x)
    for offset in range(-upper, lower + 1):
        first, last = max(0, offset), size + min(0, offset)
        band = ab[..., upper + offset, first - offset:last - offset]
        result[..., first:last, :] += band[..., None] * x[..., first - offset:last - offset, :]
    return result


def symmetric_bands(left: Any, right: Any, count: int, lower: bool) -> Any:
    """The cotangent of a symmetric matrix's bands, from ``left @ right.mT`` as that of the whole."""
    above, below = (0, count - 1) if lower else (count - 1, 0)
    both = outer_bands(left, right, below, above) + outer_bands(right, left, below, above)
    both[..., above, :] *= 0.5
    return both


def symmetric_bands_product(ab: Any, x: Any, lower: bool) -> Any:
    """The product of a symmetric matrix of which the bands on one side are given."""
    rest = np.array(ab)
    rest[..., 0 if lower else -1, :] = 0
    other = ab.shape[-2] - 1
    if lower:
        return banded_product(ab, x, other, 0) + banded_product(turned_bands(rest, other), x, 0, other)
    return banded_product(ab, x, 0, other) + banded_product(turned_bands(rest, 0), x, other, 0)


def diagonal_sums(g: Any, right: bool, left: bool) -> Any:
    """The sums of the diagonals of each matrix to the right of the main one, or from it to the left; both, of which
    each has as many, together."""
    count, size = g.shape[-2:]
    rows = [np.trace(g, -offset, -2, -1) for offset in range(count)] if left else []
    columns = [np.trace(g, offset, -2, -1) if offset else np.zeros(g.shape[:-2], g.dtype) for offset in range(size)]
    if not left:
        return np.stack(columns, axis=-1)
    return np.stack(rows, axis=-1) + np.stack(columns, axis=-1) if right else np.stack(rows, axis=-1)
