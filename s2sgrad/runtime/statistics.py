"""Adjoints of quantiles, weighted means and covariances."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sgrad.runtime.broadcasting import unbroadcast


def _axes(axis: Any, rank: int) -> tuple[int, ...]:
    given = range(rank) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    return tuple(item % rank for item in given)


def quantile_bar(g: Any, a: Any, q: Any, axis: Any, keepdims: bool, method: str, skips_nan: bool = False) -> Any:
    """The adjoint of ``np.quantile``: each quantile's cotangent goes to the two elements that it lies between."""
    axes = _axes(axis, np.ndim(a))
    kept = [item for item in range(np.ndim(a)) if item not in axes]
    moved = np.transpose(a, [*kept, *axes])
    flat = moved.reshape(*(a.shape[item] for item in kept), math.prod(a.shape[item] for item in axes))
    if keepdims:
        g = np.squeeze(g, tuple(np.ndim(q) + item for item in axes))
    order = np.argsort(flat, axis=-1, kind="stable")  # those that are NaN come last
    last = (np.sum(~np.isnan(flat), axis=-1) if skips_nan else np.full(flat.shape[:-1], flat.shape[-1])) - 1
    g = np.asarray(g)
    ranked = np.zeros(flat.shape, g.dtype)
    for place in np.ndindex(np.shape(q)):
        position = np.asarray(q)[place] * last
        for rank, weight in _between(position, method):
            index = np.clip(rank, 0, flat.shape[-1] - 1)[..., None]
            np.put_along_axis(ranked, index, np.take_along_axis(ranked, index, -1) + (g[place] * weight)[..., None], -1)
    result = np.empty_like(ranked)
    np.put_along_axis(result, order, ranked.astype(result.dtype), axis=-1)
    return np.transpose(result.reshape(moved.shape), np.argsort([*kept, *axes]))


def _between(position: Any, method: str) -> Any:
    """The ranks of the elements that make a quantile, with their shares."""
    below = np.floor(position)
    rest = position - below
    if method == "linear":
        share = rest
    elif method == "midpoint":
        share = np.where(rest > 0, 0.5, 0.0)
    else:
        share = np.where({"lower": rest < 0, "higher": rest > 0}[method], 1.0, 0.0)
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
    result = (g + g.T) @ centred / (rows.shape[1] - ddof)
    return np.reshape(result.T if turned else result, np.shape(m))


def correlation_bar(g: Any, x: Any, y: Any, rowvar: bool) -> Any:
    """The cotangent of ``x`` in ``y = np.corrcoef(x)``: each variance is in its row and in its column."""
    if np.ndim(y) == 0:
        return np.zeros_like(x)
    variances = np.diagonal(np.cov(x, rowvar=rowvar))
    scale = np.sqrt(variances)
    own = np.sum((g + g.T) * y, axis=1) / (2 * variances)
    return covariance_bar((g / np.outer(scale, scale) - np.diag(own)).astype(g.dtype), x, rowvar, 1)


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
    return np.moveaxis(unbroadcast(np.expand_dims(g, -1) * other, turned), -1, axis)
