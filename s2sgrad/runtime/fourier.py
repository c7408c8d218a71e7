"""Adjoints of the discrete Fourier transforms that cut, pad or mirror what they are given.

A transform is a symmetric matrix, so that it is its own adjoint; ``norm`` scales both alike.
"""
from __future__ import annotations

from typing import Any

import numpy as np


def cut_or_padded(g: Any, shape: tuple) -> Any:
    """An array of that shape: what is beyond it is left out, what is missing is 0."""
    kept = g[tuple(map(slice, shape))]
    if kept.shape == tuple(shape):
        return kept
    result = np.zeros(shape, kept.dtype)
    result[tuple(map(slice, kept.shape))] = kept
    return result


def spectrum_bar(g: Any, shape: tuple, axis: int, norm: Any) -> Any:
    """The cotangent of a spectrum of that shape in ``np.fft.irfft(spectrum, n, axis, norm)``.

    All frequencies but 0 and, for even n, the highest stand for their mirror images, too. What the spectrum's imaginary
    part is at those two has no influence.
    """
    opposite: Any = {"forward": "backward", "ortho": "ortho"}.get(norm, "forward")
    length = g.shape[axis]
    result = np.moveaxis(np.fft.rfft(g, axis=axis, norm=opposite).conj(), axis, -1)
    result[..., 1:(length + 1) // 2] *= 2
    return cut_or_padded(np.moveaxis(result, -1, axis), shape)


def spectra_bar(g: Any, shape: tuple, axes: tuple, norm: Any) -> Any:
    """The same for ``np.fft.irfftn(spectrum, s, axes, norm)``: along all axes but the last a plain transform."""
    *others, last = (axis % len(shape) for axis in axes)
    inner = list(g.shape)
    inner[last] = shape[last]
    result = spectrum_bar(g, tuple(inner), last, norm)
    return cut_or_padded(np.fft.ifftn(result, axes=others, norm=norm), shape) if others else result


def edges_scaled(g: Any, axis: int, first: float, last: float) -> Any:
    """A copy in which the first and the last elements along an axis are multiplied by these."""
    result = np.array(g)
    along = np.moveaxis(result, axis, 0)
    along[0] *= first
    along[-1] *= last
    return result
