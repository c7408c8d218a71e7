"""Adjoints of densities of several variables."""
from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.runtime.matrices import to_lower


def normal_bars(g: Any, x: Any, mean: Any, cov: Any) -> tuple[Any, Any, Any]:
    """The cotangents of ``x``, ``mean`` and ``cov`` in the logarithm of a normal density; ``cov`` may be one variance,
    a diagonal or a matrix, of which the lower triangle is read."""
    size = _count(mean, cov)
    matrix = cov if np.ndim(cov) == 2 else cov * np.eye(size)
    centred = np.reshape(x, (-1, size)) - (0.0 if mean is None else mean)
    scores = np.linalg.solve(matrix, centred.T).T
    weights = np.reshape(g, (-1, 1))
    slopes = weights * scores
    whole = 0.5 * (scores.T @ slopes - np.sum(weights) * np.linalg.inv(matrix))
    if np.ndim(cov) == 2:
        cov_bar = to_lower(whole)
    else:
        cov_bar = np.diagonal(whole) if np.ndim(cov) == 1 else np.trace(whole)
    mean_bar = None if mean is None else np.reshape(np.sum(slopes, axis=0), np.shape(mean))
    return np.reshape(-slopes, np.shape(x)), mean_bar, cov_bar


def normal_entropy_bar(g: Any, mean: Any, cov: Any) -> Any:
    """The cotangent of ``cov`` in the entropy, half the logarithm of the determinant."""
    if np.ndim(cov) == 2:
        return to_lower(0.5 * g * np.linalg.inv(cov))
    return 0.5 * g / cov * (_count(mean, cov) if np.ndim(cov) == 0 else 1)


def _count(mean: Any, cov: Any) -> int:
    """The number of variables."""
    return np.size(mean) if mean is not None else np.shape(cov)[0] if np.ndim(cov) == 2 else 1


def dirichlet_point_bar(g: Any, x: Any, alpha: Any) -> Any:
    """The cotangent of the shares in the logarithm of Dirichlet's density, of which the last may be left out."""
    whole = _all_shares(x, alpha)
    slopes = g * np.reshape(alpha - 1.0, (-1,) + (1,) * (np.ndim(x) - 1)) / whole
    return slopes if len(x) == len(alpha) else slopes[:-1] - slopes[-1]


def dirichlet_logarithms(g: Any, x: Any, alpha: Any) -> Any:
    """The sums of the shares' logarithms, each as often as its cotangent says."""
    return np.sum(np.reshape(g * np.log(_all_shares(x, alpha)), (len(alpha), -1)), axis=1)


def _all_shares(x: Any, alpha: Any) -> Any:
    return x if len(x) == len(alpha) else np.concatenate([x, 1.0 - np.sum(x, axis=0, keepdims=True)])
