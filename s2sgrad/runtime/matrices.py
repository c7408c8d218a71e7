"""Adjoints of decompositions and of functions of matrices, stacked or not.

Where NumPy reads one triangle of a symmetric matrix, that triangle gets the cotangent of both: what NumPy computes
depends on nothing else.
"""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sgrad.errors import UnsupportedError
from s2sgrad.runtime.phases import (
    half_phases,
    phases_bar,
    real_of_largest,
    real_row,
    turned_singular_vectors,
    with_phases,
)
from s2sgrad.runtime.slopes import matrix_norm_slope, product_of_others

ALWAYS_COMPLEX = np.lib.NumpyVersion(np.__version__) >= "2.5.0"
"""Whether NumPy gives the eigenvalues of all matrices that need not be symmetric as complex numbers."""


def halved(m: Any) -> Any:
    """The lower triangle, with half of the diagonal."""
    return np.tril(m) * (1 - 0.5 * np.eye(m.shape[-1], dtype=m.dtype))


def to_lower(m: Any) -> Any:
    """The cotangent of a symmetric matrix of which only the lower triangle is read."""
    return halved(m + m.mT.conj())


def to_upper(m: Any) -> Any:
    """The same where only the upper triangle is read."""
    return halved(m + m.mT.conj()).mT.conj()


def mirrored(m: Any, lower: bool) -> Any:
    """The symmetric matrix of which one triangle is read; of a Hermitian one the real part of the diagonal."""
    half = halved(m if lower else m.mT.conj())
    return half + half.mT.conj()


def over_differences(m: Any, values: Any) -> Any:
    """``m[i, j] / (values[j] - values[i])``, and 0 on the diagonal; also 0 where both are 0."""
    differences = values[..., None, :] - values[..., :, None]
    off = ~np.eye(values.shape[-1], dtype=bool) & (m != 0)
    return np.divide(m, differences, out=np.zeros_like(m), where=off)


def over_gaps(m: Any, values: Any) -> Any:
    """The same for cotangents, which have no value between vectors of equal values: where nothing arrives there, either
    nothing was made of them, or what is 0 at these values and has a slope, as the logarithm at 1."""
    differences = values[..., None, :] - values[..., :, None]
    return np.divide(m, differences, out=np.zeros_like(m), where=~np.eye(values.shape[-1], dtype=bool))


def eig_bar(g_values: Any, g_vectors: Any, values: Any, vectors: Any) -> Any:
    """The cotangent of ``a`` in ``values, vectors = np.linalg.eig(a)``, all of them real; a missing cotangent is None.

    NumPy's vectors have length 1, so that they don't change along themselves.
    """
    if values.dtype.kind == "c":
        raise _complex_eigenvalues()
    inner = np.zeros_like(vectors)
    if g_vectors is not None:
        along = vectors.mT @ g_vectors
        lengths = np.diagonal(along, axis1=-2, axis2=-1)[..., None, :]
        inner = over_gaps(along - vectors.mT @ vectors * lengths, values)
    if g_values is not None:
        inner = inner + g_values[..., None, :] * np.eye(values.shape[-1], dtype=values.dtype)
    return np.linalg.solve(vectors.mT, inner @ vectors.mT)


def eigenvectors_bar(g: Any, values: Any, vectors: Any) -> Any:
    """What the cotangent of the vectors gives to ``a`` in ``values, vectors = np.linalg.eig(a)``, where they are
    complex numbers."""
    turned = phases_bar(g, vectors, real_of_largest(vectors))
    lengths = np.real(np.sum(turned * vectors, axis=-2, keepdims=True))
    inner = over_gaps(vectors.mT @ (turned - np.conj(vectors) * lengths), values)
    return np.linalg.solve(vectors.mT, inner @ vectors.mT)


def eigenvectors_dot(t: Any, values: Any, vectors: Any) -> Any:
    """The tangent of those vectors."""
    turned = vectors @ over_differences(np.linalg.solve(vectors, t @ vectors), values)
    lengths = np.real(np.sum(np.conj(vectors) * turned, axis=-2, keepdims=True))
    return with_phases(turned - vectors * lengths, vectors, real_of_largest(vectors))


def eigen(a: Any) -> Any:
    """Eigenvalues and vectors, for what does not depend on the lengths and phases of these: they have a derivative of
    their own."""
    return np.linalg.eig(a)


def eigvals_bar(g: Any, a: Any, y: Any) -> Any:
    """The cotangent of ``a`` in ``y = np.linalg.eigvals(a)``, which may come in another order than with vectors."""
    values, vectors = eigen(a)
    turned = np.take_along_axis(g, np.argsort(_places_among(values, a, y), axis=-1), -1)
    return np.linalg.solve(vectors.mT, turned[..., :, None] * vectors.mT)


def eigvals_dot(t: Any, a: Any, y: Any) -> Any:
    """The tangent of ``y = np.linalg.eigvals(a)``."""
    values, vectors = eigen(a)
    slopes = np.diagonal(np.linalg.solve(vectors, t @ vectors), axis1=-2, axis2=-1)
    return np.take_along_axis(slopes, _places_among(values, a, y), -1)


def _places_among(values: Any, a: Any, y: Any) -> Any:
    """Where among the eigenvalues that come with vectors those are that come without."""
    if not ALWAYS_COMPLEX and a.dtype.kind != "c" and (values.dtype.kind == "c" or y.dtype.kind == "c"):
        raise _complex_eigenvalues()
    if y.dtype.kind == "c":  # to be sorted by their real parts, which several may have in common
        nearest = np.argmin(np.abs(y[..., :, None] - values[..., None, :]), axis=-1)
        if np.all(np.sort(nearest, axis=-1) == np.arange(y.shape[-1])):
            return nearest
    ranks = np.argsort(np.argsort(y, axis=-1), axis=-1)
    return np.take_along_axis(np.argsort(values, axis=-1), ranks, -1)


def _complex_eigenvalues() -> UnsupportedError:
    return UnsupportedError("some eigenvalues of a real matrix are complex here, and nobody knew before",
                            "make the matrix complex, np.linalg.eigvals(a.astype(complex)); or use np.linalg.eigvalsh "
                            "where it is symmetric")


def determined_bars(g: Any, s: Any) -> Any:
    """The cotangents of the singular vectors that belong to values: no others may have any."""
    if np.any(g[..., s.shape[-1]:]):
        raise _undetermined_vectors()
    return g[..., :s.shape[-1]]


def determined_vectors(u: Any, s: Any) -> Any:
    """Singular vectors each of which belongs to a value, as those of which there are tangents do."""
    if u.shape[-1] > s.shape[-1]:
        raise _undetermined_vectors()
    return u


def _undetermined_vectors() -> UnsupportedError:
    return UnsupportedError("a full decomposition has singular vectors that the matrix does not determine",
                            "use full_matrices=False")


def svd_dot(t: Any, u: Any, s: Any, vh: Any) -> Any:
    """The tangent of ``u`` in ``u, s, vh = np.linalg.svd(a, full_matrices=False)``: Townsend (2016). Of the phase of a
    pair of vectors, which the matrix tells in part, each takes half."""
    whole = t @ vh.mT.conj()
    inner = u.mT.conj() @ whole
    scaled = inner * s[..., None, :]
    result = u @ over_differences(scaled + scaled.mT.conj(), s ** 2)
    if inner.dtype.kind == "c":
        result = result + u * half_phases(inner, s)
    if u.shape[-2] > u.shape[-1]:
        result = result + (whole - u @ inner) / s[..., None, :]
    return result


def svd_bar(g: Any, u: Any, s: Any, vh: Any) -> Any:
    """What the cotangent of ``u`` gives to ``a`` in ``u, s, vh = np.linalg.svd(a, full_matrices=False)``.

    Townsend, Differentiating the singular value decomposition (2016); of phases as :func:`svd_dot`.
    """
    inner = u.mT @ g
    squares = over_gaps(inner - inner.mT.conj(), s ** 2)
    result = u.conj() @ (squares * s[..., None, :]) @ vh.conj()
    if inner.dtype.kind == "c":
        result = result + u.conj() * half_phases(inner, s) @ vh.conj()
    if u.shape[-2] > u.shape[-1]:
        result = result + (g - u.conj() @ inner) / s[..., None, :] @ vh.conj()
    return result


def pairs_bar(g_u: Any, g_vh: Any, u: Any, s: Any, vh: Any) -> Any:
    """What the cotangents of the vectors give to ``a`` in ``u, s, vh = np.linalg.svd(a, full_matrices=False)``, where
    they are complex numbers; a missing one is None."""
    g_u = np.zeros_like(u) if g_u is None else g_u
    g_vh = np.zeros_like(vh) if g_vh is None else g_vh
    turned = phases_bar(in_pairs(g_u, g_vh), in_pairs(u, vh), real_of_pairs(u, vh))
    g_u, g_vh = turned[..., :u.shape[-2], :], np.conj(turned[..., u.shape[-2]:, :]).mT
    return svd_bar(g_u, u, s, vh) + svd_bar(g_vh.mT, vh.mT, s, u.mT).mT


def pairs_dot(t: Any, u: Any, s: Any, vh: Any) -> tuple[Any, Any]:
    """The tangents of these vectors."""
    turned = in_pairs(svd_dot(t, u, s, vh), svd_dot(t.mT, vh.mT, s, u.mT).mT)
    turned = with_phases(turned, in_pairs(u, vh), real_of_pairs(u, vh))
    return turned[..., :u.shape[-2], :], np.conj(turned[..., u.shape[-2]:, :]).mT


def in_pairs(u: Any, vh: Any) -> Any:
    """Columns of one vector of each kind, which a phase turns alike."""
    return np.concatenate([u, np.conj(vh.mT)], axis=-2)


def real_of_pairs(u: Any, vh: Any) -> Any:
    """The elements that LAPACK keeps real in these: the first of the vectors of rows, of wide matrices of columns."""
    return real_row(in_pairs(u, vh), u.shape[-2] if u.shape[-2] >= vh.shape[-1] else 0)


def qr_bar(g_q: Any, g_r: Any, q: Any, r: Any) -> Any:
    """The cotangent of ``a`` in ``q, r = np.linalg.qr(a)``; a missing cotangent is None.

    Roberts and Roberts, QR and LQ decomposition matrix backpropagation algorithms (2020). What a wide matrix has
    beyond its square part is ``q @ r`` there. The diagonal of ``r`` is real, so that no phase is left open.
    """
    size = q.shape[-1]
    square, wide = r[..., :size], r[..., size:]
    g_q = np.zeros_like(q) if g_q is None else g_q
    g_r = np.zeros_like(r) if g_r is None else g_r
    rest = np.conj(q) @ g_r[..., size:]
    g_q = g_q + np.conj(q @ wide @ g_r[..., size:].mT)
    half = halved(square @ g_r[..., :size].mT - g_q.mT @ q)
    first = np.linalg.solve(square, (g_q + np.conj(q @ (half + np.conj(half.mT)))).mT).mT
    return np.concatenate([first, rest], axis=-1)


def qr_dot(t: Any, q: Any, r: Any) -> Any:
    """The tangents of ``q, r = np.linalg.qr(a)``: that of ``q`` turns it, besides what is new to it."""
    size = q.shape[-1]
    whole = np.linalg.solve(r[..., :size].mT, t[..., :size].mT).mT
    inner = np.conj(q.mT) @ whole
    half = halved(inner)
    turn = half - np.conj(half.mT)
    return whole - q @ (inner - turn), np.triu(np.conj(q.mT) @ t - turn @ r)


def for_lapack(a: Any) -> Any:
    """Matrices in a precision that NumPy's decompositions take: in double where SciPy's take half and extended."""
    rare = np.asarray(a).dtype.char
    return a.astype(complex) if rare == "G" else a.astype(float) if rare in "eg" else a


def cofactors(a: Any, y: Any) -> Any:
    """The derivative of ``y = np.linalg.det(a)``, also of singular matrices."""
    a = for_lapack(a)
    if np.ndim(y) == 0 and y != 0:
        return y * np.linalg.inv(a).T
    if np.all(y != 0):
        return np.expand_dims(y, (-1, -2)) * np.linalg.inv(a).mT
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    signs = np.linalg.det(u) * np.linalg.det(vh)
    return np.expand_dims(signs, (-1, -2)) * (u * product_of_others(s, -1)[..., None, :] @ vh).conj()


def cofactors_dot(t: Any, a: Any) -> Any:
    """The tangent of the cofactors, and the cotangent alike, for they are the slopes of a determinant.

    In the bases of the singular vectors it is made of the products of all singular values but two.
    """
    u, s, vh = np.linalg.svd(for_lapack(a), full_matrices=False)
    signs = np.linalg.det(u) * np.linalg.det(vh)
    inner = u.mT.conj() @ t @ vh.mT.conj()
    same = np.eye(s.shape[-1], dtype=bool)
    left_out = same[:, None, :] | same[None, :, :]
    products = np.prod(np.where(left_out, 1, s[..., None, None, :]), axis=-1) * ~same
    along = np.sum(products * np.diagonal(inner, axis1=-2, axis2=-1)[..., None, :], axis=-1)
    turned = along[..., None] * np.eye(s.shape[-1], dtype=s.dtype) - products * inner.mT
    return np.expand_dims(signs, (-1, -2)) * (u.conj() @ turned @ vh.conj())


def power_bar(g: Any, a: Any, n: int) -> Any:
    """The cotangent of ``a`` in ``np.linalg.matrix_power(a, n)``."""
    if n < 0:
        inverse = np.linalg.inv(a)
        return -inverse.mT @ power_bar(g, inverse, -n) @ inverse.mT
    if n < 2:
        return n * g
    if n % 2:
        return np.linalg.matrix_power(a, n - 1).mT @ g + power_bar(g @ a.mT, a, n - 1)
    half = power_bar(g, a @ a, n // 2)
    return half @ a.mT + a.mT @ half


def multi_dot_bar(g: Any, arrays: Any, index: int) -> Any:
    """The cotangent of one of the arrays in ``np.linalg.multi_dot(arrays)``; the first and the last may be vectors."""
    rows = 1 if np.ndim(arrays[0]) == 1 else len(arrays[0])
    found = np.reshape(g, (rows, -1))
    for m in arrays[:index]:
        found = np.atleast_2d(m).T @ found
    for m in arrays[:index:-1]:
        found = found @ np.reshape(m, (len(m), -1)).T
    return np.reshape(found, np.shape(arrays[index]))


def cond_slope(x: Any, inverted: bool) -> Any:
    """The derivative in the shape of ``x`` of ``np.linalg.cond(x)``, the largest singular value over the smallest;
    inverted, of the smallest over the largest."""
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    u, vh = turned_singular_vectors(u, vh, x, s)
    largest, smallest = s[..., :1, None], s[..., -1:, None]
    rise, fall = u[..., :, :1] * vh[..., :1, :], u[..., :, -1:] * vh[..., -1:, :]
    if inverted:
        return fall / largest - smallest / largest ** 2 * rise
    return rise / smallest - largest / smallest ** 2 * fall


def norm_cond_slope(x: Any, p: Any) -> Any:
    """The same for ``np.linalg.cond(x, p)``, the norm of order ``p`` times that of the inverse."""
    inverse = np.linalg.inv(x)
    mine = np.linalg.norm(x, p, axis=(-2, -1), keepdims=True)
    other = np.linalg.norm(inverse, p, axis=(-2, -1), keepdims=True)
    slope, inner = matrix_slope(x, p), matrix_slope(inverse, p)
    turned = np.conj(inverse.mT)
    return slope * other - mine * (turned @ inner @ turned)


def matrix_slope(x: Any, order: Any) -> Any:
    """The derivative of a matrix norm that is not 0, over the last two axes."""
    if order == "fro":
        return x / np.linalg.norm(x, axis=(-2, -1), keepdims=True)
    return matrix_norm_slope(x, order, -2, -1)


def tensorinv_bar(g: Any, y: Any, shape: tuple, ind: int) -> Any:
    """The cotangent of an array of that shape in ``y = np.linalg.tensorinv(a, ind)``."""
    size = math.prod(shape[:ind])
    turned = np.reshape(y, (size, size)).T
    return -np.reshape(turned @ np.reshape(g, (size, size)) @ turned, shape)


def least_squares_matrix(g: Any, inverse: Any, a: Any, b: Any, x: Any) -> Any:
    """The cotangent of ``a`` in the solution ``x`` of ``np.linalg.lstsq(a, b)``, of any rank.

    Golub and Pereyra, The differentiation of pseudo-inverses (1973).
    """
    if np.ndim(b) == 1:
        g, b, x = g[:, None], b[:, None], x[:, None]
    q = inverse.mT @ g
    rest = np.conj(b - a @ x) @ (inverse @ np.conj(q)).mT
    return rest + inverse.mT @ np.conj(x @ (g - a.mT @ q).mT) - q @ x.mT


def as_kept(m: Any, a: Any, inverse: Any) -> Any:
    """The tangent ``m`` of a matrix as the product of the singular values that its pseudo-inverse keeps with their
    vectors has it; of cotangents conjugates go in and come out. Singular values that are dropped, though they are not
    0, have a part in turning the vectors of the others."""
    if np.all(np.rint(np.real(np.trace(inverse @ a, axis1=-2, axis2=-1))) == min(np.shape(a)[-2:])):
        return m
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    u, vh = turned_singular_vectors(u, vh, a, s)
    kept = s * np.real(np.sum(vh * (inverse @ u).mT, axis=-1)) > 0.5
    apart = kept[..., :, None] != kept[..., None, :]
    low, high = np.minimum(s[..., :, None], s[..., None, :]), np.maximum(s[..., :, None], s[..., None, :])
    inside = np.conj(u.mT) @ m @ np.conj(vh.mT)
    turned = low * (low * inside + high * np.conj(inside.mT)) / np.where(apart, high ** 2 - low ** 2, 1.0)
    return m + u @ np.where(apart, turned, 0.0) @ vh


def residuals_bar(g: Any, a: Any, b: Any, x: Any) -> Any:
    """The cotangent of ``b`` in the sums of squares that ``np.linalg.lstsq(a, b)`` leaves."""
    if np.size(g) == 0:  # NumPy gives them for more rows than columns alone, of full rank
        return np.zeros_like(b)
    return 2.0 * np.conj(b - a @ x) * np.real(g)  # SciPy gives sums of complex numbers as complex ones


def residuals_dot(change: Any, rest: Any, y: Any) -> Any:
    """The tangent of the sums of squares that are left, from the change of what is left."""
    if np.size(y) == 0:
        return np.zeros_like(y)
    return np.reshape(2.0 * np.real(np.sum(np.conj(rest) * change, axis=0)), np.shape(y))


def residuals_matrix(b_bar: Any, x: Any) -> Any:
    """That of ``a``, from that of ``b``: the solution itself may move without changing the sums."""
    return -np.outer(b_bar, x) if np.ndim(x) == 1 else -b_bar @ x.T


def singular_values_bar(g: Any, a: Any) -> Any:
    """The cotangent of a matrix in its singular values."""
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return np.conj(u * g[..., None, :] @ vh)


def tensorsolve_bar(g: Any, a: Any, b: Any) -> Any:
    """The cotangent of ``b`` in ``np.linalg.tensorsolve(a, b)``."""
    size = np.size(b)
    return np.reshape(np.linalg.solve(np.reshape(a, (size, size)).T, np.ravel(g)), np.shape(b))
