"""Derivatives at kinks and singular points, of products and norms: right also where something is 0."""
from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from s2sgrad.runtime.phases import turned_singular_vectors


def divide_or_zero(numerator: Any, denominator: Any) -> Any:
    """The quotient, and 0 where the denominator is 0; the dtype is the numerator's."""
    zero = np.equal(denominator, 0)
    return np.where(zero, 0, numerator / np.where(zero, 1, denominator))[()]


def sigmoid(x: Any) -> Any:
    """``1 / (1 + exp(-x))`` without overflow, in the dtype of ``x``."""
    small = np.exp(-np.abs(x))
    return np.where(x < 0, small, 1) / (1 + small)


def log_or_zero(base: Any, exponent: Any) -> Any:
    """log(base), and 0 where the base is 0 and the exponent isn't negative: there 0 ** exponent is constant."""
    flat = np.equal(base, 0) & np.greater_equal(np.real(exponent), 0)
    dtype = np.result_type(base, exponent, 0.0)
    return np.where(flat, 0, np.log(np.where(flat, 1, base).astype(dtype)))[()]


def power_slope(base: Any, exponent: Any, order: int = 1) -> Any:
    """A derivative of base ** n in the base: ``n (n - 1) ... base ** (n - order)``, and 0 where a factor is 0."""
    factor = falling(exponent, order)
    if isinstance(base, (np.ndarray, np.inexact)) and base.dtype.kind in "fc" and np.ndim(exponent) == 0:
        return factor * base ** (exponent - order if factor else 0)
    dtype = np.result_type(base, exponent, 0.0)
    less = np.where(np.equal(factor, 0), 0, np.subtract(exponent, order)).astype(dtype)
    return (factor * np.power(np.asarray(base, dtype), less)).astype(dtype)[()]


def falling(n: Any, order: int, times: int = 0) -> Any:
    """The product ``n (n - 1) ...`` of so many factors, or a derivative of it in n."""
    first, *others = _falling(order, times)
    value = first + 0 * n
    for coefficient in others:
        value = value * n + coefficient
    return value


@functools.cache
def _falling(order: int, times: int) -> list[float]:
    coefficients: list[float] = np.polyder(np.poly(range(order)), times).tolist()
    return coefficients or [0.0]


def sinc_slope(x: Any, order: int = 1) -> Any:
    """A derivative of ``sinc(x) = sin(pi x) / (pi x)``.

    From ``x sinc(x) = sin(pi x) / pi``, differentiated so many times, each follows from the one before; near 0, where
    that loses digits, from the power series.
    """
    x = np.asarray(x)
    near = np.abs(x) < 1 + 0.5 * order
    safe = np.where(near, 1, x)
    far = np.sinc(safe)
    for step in range(1, order + 1):
        far = (math.pi ** (step - 1) * np.sin(np.pi * safe + step * math.pi / 2) - step * far) / safe
    small = np.where(near, x, 0).astype(np.result_type(x.dtype, np.float64))
    series = np.zeros_like(small)
    for power in range(2 * (16 + 4 * order), order - 1, -1):  # Horner's scheme
        odd = power % 2
        factor = 0.0 if odd else (-1) ** (power // 2) * math.pi ** power / (
            (power + 1) * math.factorial(power - order))
        series = series * small + factor
    return np.where(near, series, far).astype(np.result_type(x, 0.0))[()]


BERNOULLI = 1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6


def digamma_slope(z: Any, order: int = 1) -> Any:
    """A derivative of the digamma function, of complex numbers too: a sum of powers ``(z + k) ** (-order - 1)``, far to
    the right by the formula of Euler and Maclaurin, on the left by ``digamma(1 - z) - digamma(z) = pi / tan(pi z)``."""
    given = np.asarray(z, np.result_type(z, np.float64))
    reflected = given.real < 0.5
    shifted = np.where(reflected, 1.0 - given, given)
    start = 20.0 + order
    leftmost = np.min(np.where(np.isfinite(shifted), shifted.real, start), initial=start)
    total = np.zeros_like(shifted)
    for _ in range(math.ceil(start - leftmost)):
        total = total + shifted ** (-order - 1.0)
        shifted = shifted + 1.0
    total = total + shifted ** -float(order) / order + 0.5 * shifted ** (-order - 1.0)
    for index, number in enumerate(BERNOULLI):
        factor = number * math.perm(order + 2 * index + 1, 2 * index + 1) / math.factorial(2 * index + 2)
        total = total + factor * shifted ** (-order - 2.0 * index - 2.0)
    slope = (-1) ** (order + 1) * math.factorial(order) * total
    if np.any(reflected):
        inside = np.where(reflected, given - np.rint(given.real), 0.5)
        slope = np.where(reflected, (-1) ** order * slope - math.pi * _cotangent_slope(inside, order), slope)
    return slope.astype(np.result_type(z, 0.0))[()]


def _cotangent_slope(z: Any, order: int) -> Any:
    """A derivative of ``1 / tan(pi z)``, which is ``-i (1 + 2 u)`` with ``u = q / (1 - q)`` and ``q = exp(2 pi i z)``,
    above the real axis from ``u' = 2 pi i u (1 + u)``, below it by conjugation."""
    turned = 2j * math.pi * (z.real + 1j * np.abs(z.imag))
    u = -np.exp(turned) / np.expm1(turned)
    polynomial = np.array([2.0, 0.0])
    for _ in range(order):
        polynomial = np.polymul([1.0, 1.0, 0.0], np.polyder(polynomial))
    found = -1j * (2j * math.pi) ** order * np.polyval(polynomial, u)
    return np.where(z.imag < 0, np.conj(found), found) if z.dtype.kind == "c" else found.real


def i0_slope(x: Any, order: int = 1) -> Any:
    """A derivative of ``np.i0``, the mean of exp(x cos(t)) over a period; the first is the Bessel function of order 1.

    The sum over equal steps is exact to the last digits where they resolve the peak, which has the width 1 / sqrt(x).
    """
    count = 32 + int(8 * math.sqrt(np.max(np.abs(x), initial=0, where=np.isfinite(x))))
    cosines = np.cos(2 * np.pi * np.arange(count) / count)
    mean = np.mean(cosines ** order * np.exp(np.expand_dims(np.asarray(x, float), -1) * cosines), axis=-1)
    return mean.astype(np.result_type(x, 0.0))[()]


def product_of_others(a: Any, axis: Any) -> Any:
    """For each element the product of the others along the axes: exact also where elements are 0.

    The products before and behind an element are multiplied; nothing is divided.
    """
    a = np.asarray(a)
    if axis is None or a.ndim == 0:
        return np.reshape(_others_in_row(np.reshape(a, -1)), a.shape)[()]
    if not isinstance(axis, tuple):
        return np.moveaxis(_others_in_row(np.moveaxis(a, axis, -1)), -1, axis)
    last = tuple(range(-len(axis), 0))
    moved = np.moveaxis(a, axis, last)
    sizes = np.shape(moved)
    kept = len(sizes) - len(axis)
    rows = np.reshape(moved, (*sizes[:kept], math.prod(sizes[kept:])))
    return np.moveaxis(np.reshape(_others_in_row(rows), sizes), last, axis)


def _others_in_row(a: Any) -> Any:
    ones = np.ones_like(a[..., :1])
    before = np.cumprod(np.concatenate([ones, a[..., :-1]], axis=-1), axis=-1)
    behind = np.cumprod(np.concatenate([ones, a[..., :0:-1]], axis=-1), axis=-1)[..., ::-1]
    return before * behind


def running_product_bar(g: Any, a: Any, axis: Any) -> Any:
    """The cotangent of ``a`` in ``np.cumprod(a, axis)``, exact also where elements are 0.

    From the last element to the first, what arrives through all later products is ``g + later element * what arrives
    there``.
    """
    axis = axis if np.ndim(a) else None
    moved = np.ravel(a) if axis is None else np.moveaxis(a, axis, 0)
    g = g if axis is None else np.moveaxis(g, axis, 0)
    result = np.array(g)
    for index in range(len(result) - 2, -1, -1):
        result[index] += moved[index + 1] * result[index + 1]
    result[1:] *= np.cumprod(moved[:-1], axis=0)
    return result.reshape(np.shape(a)) if axis is None else np.moveaxis(result, 0, axis)


def running_product_dot(t: Any, a: Any, y: Any, axis: Any) -> Any:
    """The tangent of ``y = np.cumprod(a, axis)``: each product moves with its last factor and with the one before."""
    axis = axis if np.ndim(a) else None
    a, t = (np.ravel(item) if axis is None else np.moveaxis(item, axis, 0) for item in (a, t))
    products = y if axis is None else np.moveaxis(y, axis, 0)
    result = np.array(t, products.dtype)
    for index in range(1, len(result)):
        result[index] = result[index - 1] * a[index] + products[index - 1] * t[index]
    return result if axis is None else np.moveaxis(result, 0, axis)


def running_logaddexp_bar(g: Any, a: Any, y: Any, axis: int) -> Any:
    """The cotangent of ``a`` in ``y = np.logaddexp.accumulate(a, axis)``: of what arrives at a sum, its share goes to
    the one before."""
    a, y = np.moveaxis(a, axis, 0), np.moveaxis(y, axis, 0)
    result = np.array(np.moveaxis(g, axis, 0))
    for index in range(len(result) - 2, -1, -1):
        result[index] += result[index + 1] * np.exp(y[index] - y[index + 1])
    return np.moveaxis(result * np.exp(a - y), 0, axis)


def running_logaddexp_dot(t: Any, a: Any, y: Any, axis: int) -> Any:
    """The tangent of ``y = np.logaddexp.accumulate(a, axis)``."""
    t, a, y = np.moveaxis(t, axis, 0), np.moveaxis(a, axis, 0), np.moveaxis(y, axis, 0)
    result = t * np.exp(a - y)
    for index in range(1, len(result)):
        result[index] += result[index - 1] * np.exp(y[index - 1] - y[index])
    return np.moveaxis(result, 0, axis)


def parts_bar(g: Any, a: Any, y: Any, indices: Any, axis: int) -> Any:
    """The cotangent of ``a`` in ``y = np.maximum.reduceat(a, indices, axis)``, or without ``y`` in a product of
    parts."""
    rows, bars = np.moveaxis(a, axis, 0), np.moveaxis(g, axis, 0)
    extrema = None if y is None else np.moveaxis(y, axis, 0)
    result = np.zeros_like(rows)
    for place in range(len(bars)):
        start, stop = _part(indices, place, len(rows))
        extremum = None if extrema is None else extrema[place]
        result[start:stop] += bars[place] * _slopes_in_part(rows[start:stop], extremum)
    return np.moveaxis(result, 0, axis)


def parts_dot(t: Any, a: Any, y: Any, indices: Any, axis: int) -> Any:
    """The tangent of the same."""
    rows, dots = np.moveaxis(a, axis, 0), np.moveaxis(t, axis, 0)
    extrema = None if y is None else np.moveaxis(y, axis, 0)
    results = []
    for place in range(len(indices)):
        start, stop = _part(indices, place, len(rows))
        extremum = None if extrema is None else extrema[place]
        results.append(np.sum(dots[start:stop] * _slopes_in_part(rows[start:stop], extremum), axis=0))
    return np.moveaxis(np.array(results), 0, axis)


def _part(indices: Any, place: int, size: int) -> tuple[int, int]:
    """A part goes from its index to the next, and has one element at least."""
    start = indices[place]
    stop = indices[place + 1] if place + 1 < len(indices) else size
    return start, max(stop, start + 1)


def _slopes_in_part(part: Any, extremum: Any) -> Any:
    """Those of a product's factors, or the shares of the elements that are the extremum."""
    if extremum is None:
        return product_of_others(part, 0)
    return shared_evenly(part == extremum, part, 0)


def shared_evenly(hit: Any, like: Any, axis: int | None = None) -> Any:
    """One divided among the elements that are hit, in the precision of ``like``, whatever its byte order."""
    return hit / np.sum(hit, axis=axis, keepdims=True, dtype=like.dtype.type)


def norm_slope(x: Any, y: Any, order: float) -> Any:
    """The derivative of ``y = np.linalg.norm(x, order)`` in the shape of ``x``, a vector or a matrix."""
    if np.ndim(x) > 1:
        return matrix_norm_slope(x, order, 0, 1)
    if order in (math.inf, -math.inf):
        sizes = np.abs(x)  # not y: those of complex numbers may differ in their last bits
        return np.sign(x) * shared_evenly(sizes == (np.max if order > 0 else np.min)(sizes), sizes)
    if order == 0:  # how many elements are not 0
        return np.zeros_like(x)
    if order < 1:
        return np.sign(x) * divide_or_zero(y, np.abs(x)) ** (1 - order)
    return np.sign(x) * divide_or_zero(np.abs(x), y) ** (order - 1)


def matrix_norm_slope(x: Any, order: Any, rows: int, columns: int) -> Any:
    """The derivative of ``np.linalg.norm(x, order, (rows, columns))`` for orders 1, 2 and infinity, these with a minus,
    and ``"nuc"``, in the shape of ``x``."""
    if order in (2, -2, "nuc"):
        return singular_norm_slope(x, order, rows, columns)
    if order in (1, -1):
        return sum_norm_slope(x, order > 0, rows, columns)
    return sum_norm_slope(x, order > 0, columns, rows)


def singular_norm_slope(x: Any, order: Any, rows: int, columns: int) -> Any:
    """For order 2 the product of the singular vectors of the largest singular value, for -2 of the least, for the
    nuclear norm of all of them, and 0 for those that are 0; several that are the largest or the least share evenly."""
    matrices = np.moveaxis(x, (rows, columns), (-2, -1))
    u, values, vt = np.linalg.svd(matrices, full_matrices=False)
    u, vt = turned_singular_vectors(u, vt, matrices, values)
    share = (values > 0).astype(values.dtype)
    if order != "nuc":
        hit = values == (values[..., :1] if order == 2 else values[..., -1:])
        share = share * shared_evenly(hit, values, -1)
    return np.moveaxis(u * share[..., None, :] @ vt, (-2, -1), (rows, columns))


def sum_norm_slope(x: Any, of_largest: bool, summed: int, compared: int) -> Any:
    """Of the norm that is the largest or the least sum of sizes along one of two axes; those that tie share evenly."""
    sums = np.sum(np.abs(x), axis=summed, keepdims=True)
    chosen = np.max(sums, axis=compared, keepdims=True) if of_largest else np.min(sums, axis=compared, keepdims=True)
    return divide_or_zero(x, np.abs(x)) * shared_evenly(sums == chosen, sums, compared)
