"""Adjoints of densities of several variables."""
from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.runtime.matrices import for_lapack, to_lower


def normal_bars(g: Any, x: Any, mean: Any, cov: Any) -> tuple[Any, Any, Any]:
    """The cotangents of ``x``, ``mean`` and ``cov`` in the logarithm of a normal density; ``cov`` may be one variance,
    a diagonal or a matrix, of which the lower triangle is read."""
    scores = _scores(x, mean, cov)
    weights = np.reshape(g, (-1, 1))
    slopes = weights * scores
    whole = 0.5 * (scores.T @ slopes - np.sum(weights) * np.linalg.inv(_matrix(cov, mean, cov)))
    if np.ndim(cov) == 2:
        cov_bar = to_lower(whole)
    else:
        cov_bar = np.diagonal(whole) if np.ndim(cov) == 1 else np.trace(whole)
    mean_bar = None if mean is None else np.reshape(np.sum(slopes, axis=0), np.shape(mean))
    return np.reshape(-slopes, np.shape(x)), mean_bar, cov_bar


def normal_point_dot(t: Any, y: Any, x: Any, mean: Any, cov: Any) -> Any:
    """What a step ``t`` of the point adds to the logarithm of a normal density; one of the mean takes as much away."""
    return _like(y, np.sum(-_scores(x, mean, cov) * np.reshape(t, (-1, _count(mean, cov))), axis=1))


def normal_spread_dot(t: Any, y: Any, x: Any, mean: Any, cov: Any) -> Any:
    """The same of a step of the covariance."""
    scores, step = _scores(x, mean, cov), _matrix(t, mean, cov)
    return _like(y, 0.5 * (np.sum(scores @ step * scores, axis=1) - _trace(step, mean, cov)))


def normal_entropy_dot(t: Any, y: Any, mean: Any, cov: Any) -> Any:
    """The tangent of the entropy for a step of the covariance."""
    return _like(y, 0.5 * _trace(_matrix(t, mean, cov), mean, cov))


def _like(y: Any, found: Any) -> Any:
    """A tangent in its value's shape and dtype, which SciPy widens."""
    return np.reshape(found, np.shape(y)).astype(y.dtype)[()]


def _scores(x: Any, mean: Any, cov: Any) -> Any:
    """For each point what the inverse of the covariance makes of its distance from the mean."""
    centred = np.reshape(x, (-1, _count(mean, cov))) - (0.0 if mean is None else mean)
    return np.linalg.solve(_matrix(cov, mean, cov), for_lapack(centred.T)).T


def _matrix(part: Any, mean: Any, cov: Any) -> Any:
    """The covariance, or a step of it, as a matrix: of one that is given as such the lower triangle counts."""
    whole = np.tril(part) + np.tril(part, -1).T if np.ndim(cov) == 2 else part * np.eye(_count(mean, cov))
    return for_lapack(whole)


def _trace(step: Any, mean: Any, cov: Any) -> Any:
    return np.trace(np.linalg.solve(_matrix(cov, mean, cov), step))


def normal_entropy_bar(g: Any, mean: Any, cov: Any) -> Any:
    """The cotangent of ``cov`` in the entropy, half the logarithm of the determinant."""
    if np.ndim(cov) == 2:
        return to_lower(0.5 * g * np.linalg.inv(_matrix(cov, mean, cov)))
    return 0.5 * g / cov * (_count(mean, cov) if np.ndim(cov) == 0 else 1)


def _count(mean: Any, cov: Any) -> int:
    """The number of variables."""
    return np.size(mean) if mean is not None else np.shape(cov)[0] if np.ndim(cov) == 2 else 1


def dirichlet_point_bar(g: Any, x: Any, alpha: Any) -> Any:
    """The cotangent of the shares in the logarithm of Dirichlet's density, of which the last may be left out."""
    whole = _all_shares(x, alpha)
    slopes = g * np.reshape(alpha - 1.0, (-1,) + (1,) * (np.ndim(x) - 1)) / whole
    return slopes if len(x) == len(alpha) else slopes[:-1] - slopes[-1]


def dirichlet_point_dot(t: Any, x: Any, alpha: Any) -> Any:
    """What a step of the shares adds to the logarithm of Dirichlet's density."""
    step = t if len(x) == len(alpha) else np.concatenate([t, -np.sum(t, axis=0, keepdims=True)])
    powers = np.reshape(alpha - 1.0, (-1,) + (1,) * (np.ndim(x) - 1))
    return np.sum(step * powers / _all_shares(x, alpha), axis=0)


def dirichlet_shape_dot(t: Any, x: Any, alpha: Any) -> Any:
    """What a step of the powers adds, but for what is the same for all points."""
    return np.tensordot(t, np.log(_all_shares(x, alpha)), 1)


def dirichlet_logarithms(g: Any, x: Any, alpha: Any) -> Any:
    """The sums of the shares' logarithms, each as often as its cotangent says."""
    return np.sum(np.reshape(g * np.log(_all_shares(x, alpha)), (len(alpha), -1)), axis=1)


def _all_shares(x: Any, alpha: Any) -> Any:
    return x if len(x) == len(alpha) else np.concatenate([x, 1.0 - np.sum(x, axis=0, keepdims=True)])
