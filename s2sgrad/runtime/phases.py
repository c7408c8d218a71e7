"""The phases of complex vectors, which a decomposition leaves open and LAPACK chooses: an element of each is real.

Of eigenvectors of Hermitian matrices it is the first one, or the last where the upper triangle is read; of pairs of
singular vectors the first one of the vectors of rows, of wide matrices of columns; of other eigenvectors the largest.
So the vectors that NumPy gives have a derivative, wherever that element is not 0, and the only one as large. Elsewhere
what does not depend on the phases has one.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.errors import UnsupportedError


def turned_eigenvectors(vectors: Any, a: Any, values: Any, lower: bool) -> Any:
    """The vectors of a Hermitian matrix, for what does not depend on their phases: they have a derivative then."""
    return vectors


def turned_singular_vectors(u: Any, vh: Any, a: Any, s: Any) -> tuple[Any, Any]:
    """The same of singular vectors, which a phase turns in pairs."""
    return u, vh


def scaled_eigenvectors(vectors: Any, a: Any, values: Any) -> Any:
    """The same of any matrix, for what does not depend on their lengths either."""
    return vectors


def half_phases(inner: Any, s: Any) -> Any:
    """For the columns of vectors what turns them by half of a phase."""
    return (0.5j * np.imag(np.diagonal(inner, axis1=-2, axis2=-1)) / s)[..., None, :].astype(inner.dtype)


# ---- the elements that are real: 1 at their places, one in each column, and a column of zeros where there is none

def real_row(v: Any, row: int) -> Any:
    """The elements of a row, but those that are 0, or not real after all."""
    places = np.arange(v.shape[-2])[:, None]
    return (is_real(v) & (places == range(v.shape[-2])[row:][:1])).astype(v.real.dtype)


def real_of_largest(v: Any) -> Any:
    """The largest element of each column, but of those that have several."""
    sizes = np.abs(v)
    found = sizes >= largest(sizes, -2) * (1 - smallest(v))
    return (found & is_real(v) & (np.sum(found, axis=-2, keepdims=True) == 1)).astype(sizes.dtype)


def smallest(v: Any) -> Any:
    """What part of a number has half of its digits right when all of it has: nothing is divided by less."""
    return np.sqrt(np.finfo(v.dtype).eps)


def is_real(v: Any) -> Any:
    """Whether elements are real, but for rounding, and not nearly 0 beside others of their vector."""
    sizes = np.abs(v)
    return (sizes > smallest(v) * largest(sizes, -2)) & (np.abs(v.imag) <= smallest(v) * sizes)


def largest(sizes: Any, axes: Any) -> Any:
    """The largest along axes, which remain; 0 where there is nothing."""
    return np.max(sizes, axis=axes, keepdims=True, initial=0)


# ---- tangents and cotangents of vectors whose elements ``at`` these places stay real

def with_phases(m: Any, v: Any, at: Any) -> Any:
    """The tangent ``m`` of vectors, turned so that they have the phases that LAPACK gives them."""
    return m - 1j * v * turns(m, v, at) if v.dtype.kind == "c" else m


def turns(m: Any, v: Any, at: Any) -> Any:
    """By how much the tangents ``m`` of vectors turn the elements that are to stay real; a row."""
    stays_real = largest(np.abs(v.imag), -2) == 0  # LAPACK leaves real what is real all through
    turned = largest(np.where(stays_real, np.abs(m.imag), np.abs(m)), -2)
    refuse_open(turned, m, at, "forward mode depends")
    return np.sum(at * m.imag, axis=-2, keepdims=True) / pivots(v, at)


def phases_bar(g: Any, v: Any, at: Any) -> Any:
    """The cotangent of vectors without what would turn them: that goes to the elements that are to stay real."""
    if v.dtype.kind != "c":
        return g
    return g - 1j * shares(np.imag(np.sum(g * v, axis=-2, keepdims=True)), g, v, at)


def shares(turning: Any, g: Any, v: Any, at: Any) -> Any:
    """What turns the vectors, a row made of the cotangents ``g``, for the elements that are to stay real."""
    refuse_open(np.abs(turning), g, at, "the result depends")
    return at * turning / pivots(v, at)


def refuse_open(turned: Any, m: Any, at: Any, what: str) -> None:
    """Raises UnsupportedError where a phase is asked for, by more than rounding, that nothing determines."""
    if np.any(is_open(at) & (turned > smallest(m) * largest(np.abs(m), (-2, -1)))):
        raise UnsupportedError(f"{what} on the phases of complex vectors, which LAPACK leaves open here",
                               "differentiate what no phase changes, and in reverse mode: np.abs(v), v / v[k], "
                               "v @ np.conj(v.T) of some of the vectors v")


def is_open(at: Any) -> Any:
    """Of which columns no element is real."""
    return np.sum(at, axis=-2, keepdims=True) == 0


def pivots(v: Any, at: Any) -> Any:
    """The elements that are to stay real, and 1 where there is none; a row."""
    return np.sum(at * v.real, axis=-2, keepdims=True) + is_open(at)

