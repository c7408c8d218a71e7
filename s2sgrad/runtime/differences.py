"""Adjoints of differences and sums over neighbours, and of functions given by samples or coefficients."""
from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.errors import UnsupportedError
from s2sgrad.runtime.broadcasting import unbroadcast
from s2sgrad.runtime.matrices import least_squares_matrix
from s2sgrad.runtime.moves import undiff
from s2sgrad.runtime.selections import put_back


def ungradient(g: Any, spacing: Any, axis: int, edge_order: int) -> Any:
    """The adjoint of ``np.gradient`` along one axis; ``spacing``: the distance of the points, or where they are."""
    return ungradient_along(g, spacing, axis, edge_order)


def spacing_bar(g: Any, f: Any, spacing: Any, axis: int, edge_order: Any) -> Any:
    """The cotangent of the distance of the points in ``np.gradient`` along one axis, or of where they are."""
    if np.ndim(spacing) == 0:
        return -np.sum(g * np.gradient(f, spacing, axis=axis, edge_order=edge_order)) / spacing
    before, behind, first, last = _slopes_in_steps(np.moveaxis(f, axis, 0), spacing, edge_order)
    bars = np.moveaxis(g, axis, 0)
    found = np.zeros((len(spacing) - 1,) + np.shape(bars)[1:], g.dtype)
    found[:-1] += bars[1:-1] * before
    found[1:] += bars[1:-1] * behind
    found[:len(first)] += bars[0] * first
    found[-len(last):] += bars[-1] * last
    return undiff(np.sum(np.reshape(found, (len(found), -1)), axis=1), 1, 0, np.shape(spacing))


def spacing_dot(t: Any, f: Any, spacing: Any, axis: int, edge_order: Any) -> Any:
    """What a tangent of the distance or of the places adds."""
    if np.ndim(spacing) == 0:
        return -np.gradient(f, spacing, axis=axis, edge_order=edge_order) * t / spacing
    rows = np.moveaxis(f, axis, 0)
    before, behind, first, last = _slopes_in_steps(rows, spacing, edge_order)
    dots = np.reshape(np.diff(t), [-1] + [1] * (np.ndim(rows) - 1))
    inner = before * dots[:-1] + behind * dots[1:]
    edges = [np.sum(part * there, axis=0, keepdims=True) for part, there in (
        (first, dots[:len(first)]), (last, dots[-len(last):]))]
    return np.moveaxis(np.concatenate([edges[0], inner, edges[1]]), 0, axis)


def _slopes_in_steps(f: Any, places: Any, edge_order: int) -> Any:
    """The derivatives of ``np.gradient(f, places, axis=0)`` in the steps between the places: of the inner ones in the
    step before and in that behind, of the first in the first steps, and of the last in the last."""
    steps = np.reshape(np.diff(places), [-1] + [1] * (np.ndim(f) - 1))
    rises = np.diff(f, axis=0) / steps
    near, far, width = steps[:-1], steps[1:], steps[:-1] + steps[1:]
    fall, rise = rises[:-1] / near, rises[1:] / far
    bend = (rises[1:] - rises[:-1]) / width
    bend_near, bend_far = (fall - bend) / width, -(rise + bend) / width
    before, behind = bend - fall + near * bend_near, near * bend_far  # of rises[:-1] + near * bend
    if edge_order == 1:
        return before, behind, -rises[:1] / steps[:1], -rises[-1:] / steps[-1:]
    first = np.concatenate([(-fall - bend - near * bend_near)[:1], (-near * bend_far)[:1]])
    last = np.concatenate([(far * bend_near)[-1:], (bend - rise + far * bend_far)[-1:]])
    return before, behind, first, last


def ungradient_along(g: Any, spacing: Any, axis: int, edge_order: int) -> Any:
    """The same as a function of the spacing, too."""
    g = np.moveaxis(g, axis, 0)
    count = len(g)
    steps = np.full(count - 1, spacing, g.dtype) if np.ndim(spacing) == 0 else np.diff(spacing).astype(g.dtype)
    steps = np.reshape(steps, [-1] + [1] * (np.ndim(g) - 1))
    before, behind = steps[:-1], steps[1:]
    inner = g[1:-1]
    result = np.zeros_like(g)
    result[:-2] -= inner * behind / (before * (before + behind))
    result[1:-1] += inner * (behind - before) / (before * behind)
    result[2:] += inner * before / (behind * (before + behind))
    result[:2] += g[0] / steps[0] * np.array([-1, 1], g.dtype).reshape(-1, *(1,) * (g.ndim - 1))
    result[-2:] += g[-1] / steps[-1] * np.array([-1, 1], g.dtype).reshape(-1, *(1,) * (g.ndim - 1))
    if edge_order == 2:  # the slope at an edge lies as far beyond that of the first step as the second difference tells
        result[:3] += _bent(-g[0], steps[0], steps[1])
        result[-3:] += _bent(g[-1], steps[-1], steps[-2])[::-1]
    return np.moveaxis(result, 0, axis)


def _bent(g: Any, near: Any, far: Any) -> Any:
    """What the second difference at an edge gives to three points, from the edge on."""
    bend = g / (near + far)
    return np.stack([bend, -bend * (near + far) / far, bend * near / far])


def in_full(g: Any, first: int, second: int, mode: str, correlates: bool = False) -> Any:
    """The cotangent of a convolution of signals of two lengths, where ``mode="full"`` would have put it."""
    if mode == "full":
        return g
    shorter = min(first, second)
    start = shorter - 1 if mode == "valid" else (shorter - 1) // 2
    if correlates and mode == "same" and first < second:  # NumPy makes it of the signals changed about, backwards
        start = shorter // 2
    result = np.zeros(first + second - 1, g.dtype)
    result[start:start + len(g)] = g
    return result


def difference_bars(g: Any, n: int, axis: int, parts: Any, index: int) -> Any:
    """The cotangent of one of those that ``np.diff`` joins before it takes differences; a number stands for a row."""
    rank = max([np.ndim(part) for part in parts])
    sizes = [np.shape(part)[axis] if np.ndim(part) == rank else 1 for part in parts]
    shape = list(g.shape)
    shape[axis] = sum(sizes)
    whole = undiff(g, n, axis, tuple(shape))
    start = sum(sizes[:index])
    found = np.moveaxis(np.moveaxis(whole, axis, 0)[start:start + sizes[index]], 0, axis)
    return unbroadcast(found, np.shape(parts[index]))


def trapezoid_bar(g: Any, shape: tuple, x: Any, dx: Any, axis: int) -> Any:
    """The cotangent of samples of that shape in ``np.trapezoid``: each counts half of the steps on both sides."""
    count, dtype = shape[axis], np.asarray(g).dtype
    if count < 2:
        return np.zeros(shape, dtype)
    if x is None:
        steps = np.full(count - 1, 1, dtype) * dx
    else:
        steps = np.diff(x, axis=axis if np.ndim(x) > 1 else -1)
    if np.ndim(steps) == 1:
        steps = np.reshape(steps, [-1 if item == axis % len(shape) else 1 for item in range(len(shape))])
    edge = np.zeros_like(np.take(steps, [0], axis))
    both = np.concatenate([edge, steps], axis) + np.concatenate([steps, edge], axis)
    return np.expand_dims(g, axis) * (both / 2).astype(dtype)


def trapezoid_points(g: Any, values: Any, x: Any, axis: int) -> Any:
    """The cotangent of the points ``x`` in ``np.trapezoid(values, x, axis=axis)``."""
    count = np.shape(values)[axis]
    pairs = np.take(values, range(1, count), axis) + np.take(values, range(count - 1), axis)
    whole = undiff(np.expand_dims(g, axis) * pairs / 2, 1, axis, np.shape(values))
    if np.ndim(x) > 1:
        return unbroadcast(whole, np.shape(x))
    return np.sum(whole, axis=tuple(item for item in range(np.ndim(values)) if item != axis % np.ndim(values)))


def segments(x: Any, xp: Any, fp: Any) -> tuple[Any, Any, Any, Any]:
    """Of ``np.interp``: the number of the point to the left of each ``x``, how far ``x`` is on the way to the next, the
    slope there, and whether ``x`` is inside."""
    xp, fp = np.asarray(xp), np.asarray(fp)
    last = len(xp) - 1
    left = xp.searchsorted(x, "right") - 1
    if np.ndim(x) == 0:  # as in a loop, of whose time NumPy's functions would take most
        left = min(max(int(left), 0), max(last - 1, 0))
        right = min(left + 1, last)
        if not xp[0] <= x <= xp[last]:
            return left, 0.0, 0.0, False
        width = xp[right] - xp[left] if right > left else 1
        return left, (x - xp[left]) / width, (fp[right] - fp[left]) / width, True
    left = np.minimum(np.maximum(left, 0), max(last - 1, 0))
    right = np.minimum(left + 1, last)
    width = np.where(right > left, xp[right] - xp[left], 1)
    inside = (x >= xp[0]) & (x <= xp[last])
    return (left, np.where(inside, (x - xp[left]) / width, 0), np.where(inside, (fp[right] - fp[left]) / width, 0),
            inside)


def interp_bar(g: Any, x: Any, xp: Any, fp: Any) -> Any:
    """The cotangent of ``x`` in ``np.interp(x, xp, fp)``: at a point the slope to its right, at the last one that
    to its left, outside 0."""
    return g * segments(x, xp, fp)[2]


def interp_points(g: Any, x: Any, xp: Any, fp: Any) -> Any:
    """The cotangent of ``xp``: a point that moves takes the line along."""
    left, share, slope, _ = segments(x, xp, fp)
    right = np.minimum(left + 1, len(xp) - 1)
    return put_back(-g * slope * (1 - share), (len(xp),), left) + put_back(-g * slope * share, (len(xp),), right)


def interp_points_dot(t: Any, x: Any, xp: Any, fp: Any) -> Any:
    """The tangent of ``np.interp`` where ``xp`` moves."""
    left, share, slope, _ = segments(x, xp, fp)
    right = np.minimum(left + 1, len(xp) - 1)
    return (-slope * ((1 - share) * t[left] + share * t[right]))[()]


def interp_values(g: Any, x: Any, xp: Any, fp: Any, left: Any, right: Any) -> Any:
    """The cotangent of ``fp``; outside, the first or last value counts if nothing else is given for it."""
    place, share, _, counts = segments(x, xp, fp)
    if left is None:
        counts = counts | np.less(x, xp[0])
    if right is None:
        counts = counts | np.greater(x, xp[-1])
    share = np.where(np.greater(x, xp[-1]), 1, share)
    g = np.where(counts, g, 0)
    following = np.minimum(place + 1, len(xp) - 1)
    return put_back(g * (1 - share), (len(xp),), place) + put_back(g * share, (len(xp),), following)


def curve_values(curve: Any, x: Any, nu: int) -> Any:
    """What curves, one for each place along a last axis, have at ``x``, or a derivative of them."""
    return curve(x, nu)


def vander_bar(g: Any, x: Any, increasing: bool) -> Any:
    """The cotangent of ``x`` in ``np.vander(x)``, from the powers' slopes."""
    count = g.shape[1]
    if not increasing:
        g = g[:, ::-1]
    powers = np.vander(x, max(count - 1, 0), increasing=True) * np.arange(1, count, dtype=g.dtype)
    return np.sum(g[:, 1:] * powers, axis=1)


def vander_dot(t: Any, x: Any, count: int, increasing: bool) -> Any:
    """The tangent of so many powers of ``x``."""
    powers = np.vander(x, max(count - 1, 0), increasing=True) * np.arange(1, count, dtype=x.dtype) * t[:, None]
    result = np.concatenate([np.zeros((len(x), min(count, 1)), x.dtype), powers], axis=1)
    return result if increasing else result[:, ::-1]


def coefficients_bar(g: Any, p: Any, x: Any) -> Any:
    """The cotangent of the coefficients in ``np.polyval(p, x)``: numbers, or arrays for several polynomials at once."""
    if np.ndim(p) > 1:
        found = np.zeros(np.shape(p), np.asarray(g).dtype)
        for power, row in enumerate(found[::-1]):
            row[...] = unbroadcast(g * x ** power, row.shape)
        return found
    return (np.vander(np.ravel(x), len(p)).T @ np.ravel(g)).astype(np.asarray(g).dtype)


def fit_inverse(x: Any, deg: int) -> Any:
    """The pseudo-inverse of the powers of ``x``, which gives the coefficients that ``np.polyfit`` finds; where the
    points leave some open, NumPy's choice depends on how it scales the powers."""
    powers = np.vander(x, deg + 1)
    if np.linalg.matrix_rank(powers / np.sqrt(np.sum(powers * powers, axis=0))) <= deg:
        raise UnsupportedError("np.polyfit got too few points here, or too much alike, to tell all coefficients, and "
                               "has no derivative there", "lower deg")
    return np.linalg.pinv(powers)


def fitted_bar(g: Any, x: Any, values: Any, deg: int, y: Any) -> Any:
    """The cotangent of the points ``x`` in ``y = np.polyfit(x, values, deg)``."""
    return vander_bar(least_squares_matrix(g, fit_inverse(x, deg), np.vander(x, deg + 1), values, y), x, False)


def fitted_dot(t: Any, x: Any, values: Any, deg: int, y: Any) -> Any:
    """The tangent of ``y = np.polyfit(x, values, deg)`` where the points move."""
    powers, inverse = np.vander(x, deg + 1), fit_inverse(x, deg)
    moved = vander_dot(t, x, deg + 1, False)
    return inverse @ (inverse.T @ (moved.T @ (values - powers @ y)) - moved @ y)


def factor_bar(g: Any, mine: Any, other: Any) -> Any:
    """The cotangent of a factor in a product of polynomials, which has no coefficients for leading zeros of the other
    one."""
    other = np.atleast_1d(other)
    whole = np.concatenate([np.zeros(_coefficients(mine) + len(other) - 1 - len(g), g.dtype), g])
    return np.reshape(np.convolve(whole, other[::-1], "valid"), np.shape(mine))


def factor_dot(t: Any, mine: Any, other: Any, y: Any) -> Any:
    """The tangent of ``y = np.polymul(mine, other)`` where ``mine`` moves."""
    product = np.convolve(t, other)
    return product[_coefficients(mine) + np.size(other) - 1 - len(y):]


def _coefficients(p: Any) -> int:
    """How many there are. Where a leading 0 moves the product gets longer, and its other coefficients don't tell what
    follows."""
    if np.atleast_1d(p)[0] == 0:
        raise UnsupportedError("np.polymul leaves out leading coefficients that are 0, and one of what is "
                               "differentiated is", "use np.convolve, which keeps them")
    return np.size(p)


def polynomial_slope(p: Any, x: Any) -> Any:
    """The derivative of ``np.polyval(p, x)`` in ``x``."""
    p = np.asarray(p)
    return np.polyval((p[:-1].T * np.arange(len(p) - 1, 0, -1, dtype=p.dtype)).T, x)


def running_trapezoid_bar(g: Any, shape: tuple, x: Any, dx: Any, axis: int, initial: Any) -> Any:
    """The cotangent of samples of that shape in a running integral: each step counts in all later values."""
    steps = _later(g, axis, initial) * _widths(shape, x, dx, axis) / 2
    edge = np.zeros_like(np.take(steps, [0], axis))
    return (np.concatenate([edge, steps], axis) + np.concatenate([steps, edge], axis)).astype(g.dtype)


def running_trapezoid_points(g: Any, values: Any, x: Any, axis: int, initial: Any) -> Any:
    """That of the points ``x``."""
    count = np.shape(values)[axis]
    pairs = np.take(values, range(1, count), axis) + np.take(values, range(count - 1), axis)
    whole = undiff(_later(g, axis, initial) * pairs / 2, 1, axis, np.shape(values))
    if np.ndim(x) > 1:
        return unbroadcast(whole, np.shape(x))
    return np.sum(np.reshape(np.moveaxis(whole, axis, 0), (count, -1)), axis=1)


def _later(g: Any, axis: int, initial: Any) -> Any:
    """The sum of the cotangents of a step's own value and all later ones."""
    g = g if initial is None else np.delete(g, 0, axis)
    return np.flip(np.cumsum(np.flip(g, axis), axis), axis)


def _widths(shape: tuple, x: Any, dx: Any, axis: int) -> Any:
    if x is None:
        return dx
    if np.ndim(x) > 1:
        return np.diff(x, axis=axis)
    return np.reshape(np.diff(x), [-1 if item == axis % len(shape) else 1 for item in range(len(shape))])


def along_axis(g: Any, weights: Any, axis: int) -> Any:
    """The adjoint of a sum with weights along an axis."""
    return np.moveaxis(np.expand_dims(g, -1) * weights, -1, axis).astype(np.asarray(g).dtype)


def in_frame(g: Any, first: tuple, second: tuple, mode: str, later: bool = False) -> Any:
    """The cotangent of a convolution of signals of two shapes, where ``mode="full"`` would have put it; ``later``: what
    has no middle starts behind it."""
    sizes = [one + other - 1 for one, other in zip(first, second)]
    result = np.zeros(sizes, g.dtype)
    starts = [(size - one + later) // 2 if mode == "same" else min(one, other) - 1
              for size, one, other in zip(sizes, first, second)]
    result[tuple(slice(start, start + count) for start, count in zip(starts, g.shape))] = g
    return result


def lagged_sums(g: Any, x: Any, count: int, axis: int) -> Any:
    """The sums of products with a signal that comes 0, 1, ... steps later."""
    g, x = np.moveaxis(g, axis, 0), np.moveaxis(x, axis, 0)
    return np.array([np.sum(g[lag:] * x[:len(x) - lag]) if lag < len(x) else 0.0 * np.sum(g) for lag in range(count)])
