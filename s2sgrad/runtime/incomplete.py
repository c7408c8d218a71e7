"""How points of the gamma and beta distributions move with the parameters of shape, where the distribution function
keeps its value: what incomplete gamma and beta functions are differentiated by in these, without a closed form.

The function's derivative in ``a`` is that of its integral: the density ``p(t)`` times ``log(t) - digamma(a)`` (for the
beta distribution, ``+ digamma(a + b)``) from 0 to ``x``. From ``x`` on the integral is the same with another sign, for
the whole is 0. The factor changes its sign at one point: of both sides the one without that point is integrated, so
that nothing cancels and tails keep their digits. In the distance ``s`` of the logarithm (of the odds) from that of
``x``, and divided by the density there, the integrand is ``exp(-h(s))`` times a slowly growing factor, and ``h`` is
convex: the rule of Gauss and Legendre takes it on panels, from 0 to where the rest no longer counts. For shapes from
0.05 to 1e4 it is right to a billionth, mostly to far less, and for others to as little of what the function is.
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

ORDER = 40
"""Of the rule for one panel."""
BREAKS = -np.inf, -128.0, -32.0, -8.0, 0.0, 8.0, 32.0, 128.0, np.inf
"""Where panels meet, from the lowest point of ``h``: around it the integrand is least like a polynomial."""
DROP = 45.0
"""How far ``h`` rises to where the rest no longer counts."""
CHUNK = 4096
"""How many points are integrated at once."""
TINY, HUGE = 5e-324, 1e300
"""Points in place of 0 and of infinity."""
SMALLEST, LARGEST = 1e-100, 1e12
"""Shapes between which ``h`` has digits enough."""


def gamma_drift(x: Any, a: Any) -> Any:
    """The derivative of ``log(x)`` in ``a`` where ``special.gammainc(a, x)`` keeps its value."""
    return _at_points(_gamma_drift, np.inf, x, a)


def beta_drift(x: Any, a: Any, b: Any) -> Any:
    """The derivative of ``log(x / (1 - x))`` in ``a`` where ``special.betainc(a, b, x)`` keeps its value; that in ``b``
    is ``-beta_drift(1 - x, b, a)``."""
    return _at_points(_beta_drift, 1.0, x, a, b)


def gamma_drift_in_a(x: Any, a: Any) -> Any:
    """The derivative of ``gamma_drift`` in ``a``, where ``x`` stays."""
    return _at_points(functools.partial(_gamma_drift, factor=_gamma_factor_in_a), np.inf, x, a)


def beta_drift_in_a(x: Any, a: Any, b: Any) -> Any:
    """The derivative of ``beta_drift`` in ``a``, where ``x`` stays."""
    return _at_points(functools.partial(_beta_drift, factor=_beta_factor_in_a), 1.0, x, a, b)


def beta_drift_in_b(x: Any, a: Any, b: Any) -> Any:
    """The derivative of ``beta_drift`` in ``b``, where ``x`` stays."""
    return _at_points(functools.partial(_beta_drift, factor=_beta_factor_in_b), 1.0, x, a, b)


def _at_points(drift: Callable[..., Any], end: float, at: Any, *shapes: Any) -> Any:
    """The drift for each element of what is broadcast, in its dtype, and NaN where there is no distribution, or one too
    far out: it lives between 0 and an end, and there the drift is as close by, for it is multiplied by 0."""
    dtype = np.result_type(at, *shapes)
    parts = np.broadcast_arrays(*(np.asarray(part, np.float64) for part in (at, *shapes)))
    points, *flat = (np.ravel(part) for part in parts)
    found = np.full(points.shape, np.nan)
    sound = (points >= 0.0) & (points <= end)
    for shape in flat:
        sound &= (shape >= SMALLEST) & (shape <= LARGEST)
    places = np.flatnonzero(sound)
    for chosen in np.split(places, range(CHUNK, places.size, CHUNK)):
        found[chosen] = drift(points[chosen], *(shape[chosen] for shape in flat))
    return np.reshape(found, parts[0].shape).astype(dtype if dtype.kind == "f" else float)[()]


def _gamma_factor(s: Any, x: Any, a: Any, sign: Any, offset: Any) -> Any:
    return offset + s


def _gamma_factor_in_a(s: Any, x: Any, a: Any, sign: Any, offset: Any) -> Any:
    """Of the derivative under the integral, of ``exp(-h)`` and of the offset."""
    from scipy.special import zeta

    return sign * (s * (offset + s) - zeta(2.0, a))


def _gamma_exponent(s: Any, x: Any, a: Any, sign: Any, offset: Any) -> tuple[Any, Any]:
    """``h`` and its slope."""
    return x * np.expm1(sign * s) - sign * a * s, sign * (x * np.exp(sign * s) - a)


def _gamma_drift(x: Any, a: Any, factor: Callable[..., Any] = _gamma_factor) -> Any:
    from scipy.special import digamma

    x = np.clip(x, TINY, HUGE)
    offset = np.log(x) - digamma(a)
    sign = np.where(offset > 0.0, 1.0, -1.0)  # which way to go from x
    lowest = np.maximum(sign * (np.log(a) - np.log(x)), 0.0)
    # above, h rises from there by m * (exp(v) - 1 - v) at least, below by a * (exp(-v) - 1 + v)
    above = np.maximum(a, x)
    reach = np.where(sign > 0.0, np.minimum(np.sqrt(2.0 * DROP / above),
                                            np.maximum(1.3, np.log1p(2.0 * DROP / above))), _reach(a))
    return _integral(_gamma_exponent, factor, lowest, reach, x, a, sign, abs(offset))


def _beta_factor(s: Any, part: Any, rest: Any, shape: Any, other: Any, above: Any, offset: Any) -> Any:
    growth = _growth(s, part, rest)
    return offset + np.where(above, growth, s - growth)


def _beta_factor_in_a(s: Any, part: Any, rest: Any, shape: Any, other: Any, above: Any, offset: Any) -> Any:
    """Of the derivative under the integral, of ``exp(-h)`` and of the offset."""
    from scipy.special import zeta

    growth = _growth(s, part, rest)
    moved = np.where(above, growth, s - growth)
    sign = np.where(above, 1.0, -1.0)
    return sign * (moved * (offset + moved) + zeta(2.0, shape + other) - zeta(2.0, np.where(above, other, shape)))


def _beta_factor_in_b(s: Any, part: Any, rest: Any, shape: Any, other: Any, above: Any, offset: Any) -> Any:
    from scipy.special import zeta

    growth = _growth(s, part, rest)
    moved = np.where(above, growth, s - growth)
    sign = np.where(above, 1.0, -1.0)
    return sign * (zeta(2.0, shape + other) - (s - moved) * (offset + moved))


def _beta_exponent(s: Any, part: Any, rest: Any, shape: Any, other: Any, above: Any, offset: Any) -> tuple[Any, Any]:
    """``h`` and its slope, by how much the rest grows while the odds of the part shrink."""
    growth = _growth(s, part, rest)
    return shape * s - (shape + other) * growth, shape - (shape + other) * part * np.exp(growth - s)


def _beta_drift(x: Any, a: Any, b: Any, factor: Callable[..., Any] = _beta_factor) -> Any:
    from scipy.special import digamma

    x, y = np.maximum(x, TINY), np.maximum(1.0 - x, TINY)
    offset = np.log(x) + (digamma(a + b) - digamma(a))
    above = offset > 0.0  # the way to go from x
    # the part that gets smaller on the way, and its shape
    part, rest = np.where(above, y, x), np.where(above, x, y)
    shape, other = np.where(above, b, a), np.where(above, a, b)
    lowest = np.maximum(np.log(part) - np.log(rest) - np.log(shape) + np.log(other), 0.0)
    # h rises from there by a b / (a + b) * (exp(-v) - 1 + v) at least
    reach = _reach(shape / (1.0 + shape / other))
    return _integral(_beta_exponent, factor, lowest, reach, part, rest, shape, other, above, abs(offset))


def _growth(s: Any, part: Any, rest: Any) -> Any:
    """The logarithm of ``1 / (rest + part * exp(-s))``."""
    lost = part * np.expm1(-s)
    return -np.where(lost > -0.5, np.log1p(np.maximum(lost, -0.5)), np.log(rest + part * np.exp(-s)))


def _reach(shape: Any) -> Any:
    """Beyond where ``shape * (exp(-v) - 1 + v)``, which is ``shape * v ** 2 / (2 + v)`` at least, comes to ``DROP``."""
    return 0.5 * (DROP / shape + np.sqrt((DROP / shape) ** 2 + 8.0 * DROP / shape))


def _integral(exponent: Callable[..., Any], factor: Callable[..., Any], lowest: Any, reach: Any, *given: Any) -> Any:
    """The integral of ``exp(-h) * factor`` from 0 on, for each row of what is given."""
    top = exponent(lowest, *given)[0] + DROP
    end = lowest + reach
    for _ in range(8):  # Newton's steps, which come from above, as h is convex
        height, slope = exponent(end, *given)
        end = end - (height - top) / slope
    places, weights = _gauss_legendre()
    total = np.zeros_like(lowest)
    for left, right in zip(BREAKS, BREAKS[1:]):
        start, stop = (np.clip(lowest + edge, 0.0, end) for edge in (left, right))
        rows = np.flatnonzero(start < stop)
        width = (stop - start)[rows, None]
        s = start[rows, None] + width * places
        parts = [part[rows, None] for part in given]
        total[rows] += np.sum(weights * width * np.exp(-exponent(s, *parts)[0]) * factor(s, *parts), axis=1)
    return total


@functools.cache
def _gauss_legendre() -> tuple[Any, Any]:
    """Places and weights between 0 and 1."""
    places, weights = np.polynomial.legendre.leggauss(ORDER)
    return 0.5 * (places + 1.0), 0.5 * weights
