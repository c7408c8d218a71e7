"""Adjoints of quantiles, weighted means and covariances."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sgrad.runtime.broadcasting import unbroadcast


def _axes(axis: Any, rank: int) -> tuple[int, ...]:
    given = range(rank) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    return tuple(item % rank for item in given)


def quantile_bar(g: Any, a: Any, q: Any, axis: Any, keepdims: bool, method: str, skips_nan: bool = False,
                 weights: Any = None) -> Any:
    """The adjoint of ``np.quantile``: each quantile's cotangent goes to the two elements that it lies between."""
    flat, order, shares = _quantiles(a, q, axis, method, skips_nan, weights)
    g = np.asarray(g)
    if keepdims:
        g = np.squeeze(g, tuple(np.ndim(q) + item for item in _axes(axis, np.ndim(a))))
    ranked = np.zeros(flat.shape, g.dtype)
    for place, index, weight in shares:
        np.put_along_axis(ranked, index, np.take_along_axis(ranked, index, -1) + (g[place] * weight)[..., None], -1)
    result = np.empty_like(ranked)
    np.put_along_axis(result, order, ranked.astype(result.dtype), axis=-1)
    return _unflattened(result, a, axis)


def quantile_dot(t: Any, a: Any, y: Any, q: Any, axis: Any, keepdims: bool, method: str, skips_nan: bool = False,
                 weights: Any = None) -> Any:
    """The tangent of ``y = np.quantile(a, q)``: each quantile moves with the two elements that it lies between."""
    flat, order, shares = _quantiles(a, q, axis, method, skips_nan, weights)
    ranked = np.take_along_axis(_flattened(np.asarray(t), axis), order, -1)
    result = np.zeros((*np.shape(q), *flat.shape[:-1]), np.asarray(y).dtype)
    for place, index, weight in shares:
        result[place] += np.take_along_axis(ranked, index, -1)[..., 0] * weight
    if keepdims:
        result = np.expand_dims(result, tuple(np.ndim(q) + item for item in _axes(axis, np.ndim(a))))
    return result[()]


def quantile_rise(t: Any, a: Any, q: Any, axis: Any, keepdims: bool, method: str, further: float) -> Any:
    """How fast a quantile that passes over NaN moves with ``q``, of elements in the order of those of ``a``; with
    ``q`` from 0 to 1 it goes over one rank less than there are elements, and ``further``."""
    flat, order, counts, places = _rises(a, q, axis, method)
    ranked = np.take_along_axis(_flattened(np.asarray(t), axis), order, -1)
    result = np.zeros((*np.shape(q), *flat.shape[:-1]), np.asarray(t).dtype)
    for place, lower, upper in places:
        rise = np.take_along_axis(ranked, upper, -1) - np.take_along_axis(ranked, lower, -1)
        result[place] = rise[..., 0] * (counts - 1 + further)
    if keepdims:
        result = np.expand_dims(result, tuple(np.ndim(q) + item for item in _axes(axis, np.ndim(a))))
    return result[()]


def quantile_rise_bar(g: Any, a: Any, q: Any, axis: Any, keepdims: bool, method: str, further: float) -> Any:
    """The adjoint of that map."""
    flat, order, counts, places = _rises(a, q, axis, method)
    g = np.asarray(g)
    if keepdims:
        g = np.squeeze(g, tuple(np.ndim(q) + item for item in _axes(axis, np.ndim(a))))
    ranked = np.zeros(flat.shape, g.dtype)
    for place, lower, upper in places:
        share = (g[place] * (counts - 1 + further))[..., None]
        for index, sign in ((upper, 1), (lower, -1)):
            np.put_along_axis(ranked, index, np.take_along_axis(ranked, index, -1) + sign * share, -1)
    result = np.empty_like(ranked)
    np.put_along_axis(result, order, ranked, axis=-1)
    return _unflattened(result, a, axis)


def _rises(a: Any, q: Any, axis: Any, method: str) -> tuple[Any, Any, Any, list]:
    """The elements in rows, their order, how many count, and for each quantile its place and both ranks around it."""
    flat, order, shares = _quantiles(a, q, axis, method, True, None)
    counts = np.sum(~np.isnan(flat), axis=-1)
    return flat, order, counts, [(lower[0], lower[1], upper[1]) for lower, upper in zip(shares[::2], shares[1::2])]


def _flattened(a: Any, axis: Any) -> Any:
    """The axes of a reduction as one, the last."""
    axes = _axes(axis, np.ndim(a))
    kept = [item for item in range(np.ndim(a)) if item not in axes]
    sizes = [a.shape[item] for item in kept]
    return np.transpose(a, [*kept, *axes]).reshape(*sizes, math.prod(a.shape[item] for item in axes))


def _unflattened(flat: Any, a: Any, axis: Any) -> Any:
    axes = _axes(axis, np.ndim(a))
    order = [*(item for item in range(np.ndim(a)) if item not in axes), *axes]
    return np.transpose(flat.reshape([a.shape[item] for item in order]), np.argsort(order))


def _quantiles(a: Any, q: Any, axis: Any, method: Any, skips_nan: bool, weights: Any) -> tuple[Any, Any, list]:
    """The elements in rows, their order, and for each quantile twice its place, the ranks that it lies at and their
    shares."""
    flat = _flattened(np.asarray(a), axis)
    order = np.argsort(flat, axis=-1, kind="stable")  # those that are NaN come last
    if not flat.shape[-1]:  # NaN, whatever moves
        return flat, order, []
    if weights is not None:  # by which it is one of the elements
        spread = _flattened(np.broadcast_to(spread_weights(np.asarray(weights), a, axis), np.shape(a)), axis)
        ordered = np.take_along_axis(np.where(np.isnan(flat), 0, spread) if skips_nan else spread, order, -1)
        ranks = np.broadcast_to(np.arange(float(flat.shape[-1])), flat.shape)
        found = np.quantile(ranks, q, axis=-1, method=method, weights=ordered)
        return flat, order, [(place, found[place].astype(int)[..., None], 1.0) for place in np.ndindex(np.shape(q))]
    counts = np.sum(~np.isnan(flat), axis=-1) if skips_nan else np.full(flat.shape[:-1], flat.shape[-1])
    return flat, order, [
        (place, np.clip(rank, 0, flat.shape[-1] - 1)[..., None], weight) for place in np.ndindex(np.shape(q))
        for rank, weight in _between(_positions(counts, np.asarray(q)[place], method))]


def _positions(counts: Any, q: Any, method: Any) -> Any:
    """The ranks, with fractions, at which a quantile of so many elements lies: it is that of the ranks themselves."""
    if method == "linear":
        return q * (counts - 1)
    found = {count: np.quantile(np.arange(float(count)), q, method=method) for count in set(counts.flat) if count}
    return np.array([found.get(count, 0.0) for count in counts.flat]).reshape(counts.shape)


def _between(position: Any) -> Any:
    """The ranks of the elements that make a quantile, with their shares."""
    below = np.floor(position)
    share = position - below
    return (below.astype(int), 1 - share), (np.ceil(position).astype(int), share)


def spread_weights(weights: Any, a: Any, axis: Any) -> Any:
    """The weights of ``np.average``, which may be those along the axes alone, so that they broadcast to the array."""
    if np.ndim(weights) == np.ndim(a):
        return weights
    axes = _axes(axis, np.ndim(a))
    turned = np.transpose(weights, np.argsort(axes))
    return turned.reshape([size if item in axes else 1 for item, size in enumerate(np.shape(a))])


def weights_bar(full: Any, weights: Any, axis: Any) -> Any:
    """A cotangent in the array's shape, summed back to such weights."""
    if np.ndim(weights) == np.ndim(full):
        return full
    axes = _axes(axis, np.ndim(full))
    rest = tuple(item for item in range(np.ndim(full)) if item not in axes)
    return np.transpose(np.sum(full, axis=rest), np.argsort(np.argsort(axes)))


def covariance_bar(g: Any, m: Any, rowvar: bool, ddof: Any) -> Any:
    """The cotangent of ``m`` in ``np.cov(m)``."""
    turned = np.ndim(m) == 2 and not rowvar
    rows = np.atleast_2d(m.T if turned else m)
    g = np.reshape(g, (len(rows), len(rows)))
    centred = rows - np.mean(rows, axis=1, keepdims=True)
    result = (g + np.conj(g.T)) @ np.conj(centred) / (rows.shape[1] - ddof)
    return np.reshape(result.T if turned else result, np.shape(m))


def correlation_bar(g: Any, x: Any, y: Any, rowvar: bool) -> Any:
    """The cotangent of ``x`` in ``y = np.corrcoef(x)``: each variance is in its row and in its column."""
    if np.ndim(y) == 0:
        return np.zeros_like(x)
    variances = np.real(np.diagonal(np.cov(x, rowvar=rowvar)))
    scale, shares = np.sqrt(variances), np.real(g * y)
    own = np.sum(shares + shares.T, axis=1) / (2 * variances)
    return covariance_bar((g / np.outer(scale, scale) - np.diag(own)).astype(g.dtype), x, rowvar, 1)


def covariance_dot(t: Any, m: Any, rowvar: bool, ddof: Any) -> Any:
    """The tangent of ``np.cov(m)``."""
    turned = np.ndim(m) == 2 and not rowvar
    rows = np.atleast_2d(m.T if turned else m)
    centred = rows - np.mean(rows, axis=1, keepdims=True)
    half = np.atleast_2d(t.T if turned else t) @ np.conj(centred.T).astype(np.result_type(m, float)) / (
        rows.shape[1] - ddof)
    return half + np.conj(half.T) if len(rows) != 1 else np.reshape(half + np.conj(half), ())


def correlation_dot(t: Any, x: Any, y: Any, rowvar: bool) -> Any:
    """The tangent of ``y = np.corrcoef(x)``."""
    if np.ndim(y) == 0:
        return np.zeros_like(y)
    variances = np.real(np.diagonal(np.cov(x, rowvar=rowvar)))
    scale = np.sqrt(variances)
    moved = covariance_dot(t, x, rowvar, 1)
    own = np.real(np.diagonal(moved)) / (2 * variances)
    return (moved / np.outer(scale, scale) - y * (own[:, None] + own)).astype(y.dtype)


def kron_left(g: Any, a: Any, b: Any) -> Any:
    """The cotangent of the left operand of ``np.kron(a, b)``."""
    return _kron(g, a, b)[0]


def kron_right(g: Any, a: Any, b: Any) -> Any:
    """The cotangent of the right operand of ``np.kron(a, b)``."""
    return _kron(g, a, b)[1]


def _kron(g: Any, a: Any, b: Any) -> tuple[Any, Any]:
    rank = max(np.ndim(a), np.ndim(b))
    first = np.reshape(a, (1,) * (rank - np.ndim(a)) + np.shape(a))
    second = np.reshape(b, (1,) * (rank - np.ndim(b)) + np.shape(b))
    blocks = np.reshape(g, [size for pair in zip(first.shape, second.shape) for size in pair])
    blocks = np.transpose(blocks, [*range(0, 2 * rank, 2), *range(1, 2 * rank, 2)])
    left = np.tensordot(blocks, second, rank)
    right = np.tensordot(first, blocks, rank)
    return np.reshape(left, np.shape(a)), np.reshape(right, np.shape(b))


def dot_products_bar(g: Any, other: Any, like: Any, axis: int) -> Any:
    """The cotangent of one operand of ``np.vecdot``."""
    other, turned = np.moveaxis(other, axis, -1), np.moveaxis(like, axis, -1)
    return np.moveaxis(unbroadcast(np.expand_dims(g, -1) * other, turned.shape), -1, axis)
