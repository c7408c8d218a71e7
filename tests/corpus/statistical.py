"""Covariances of two samples, polynomials by their coefficients."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


@program(lambda: (100.0, 0.03, 0.2))
def control_variate(spot, rate, sigma):
    rng = np.random.default_rng(42)
    z = rng.standard_normal((20, 6))
    logs = np.log(spot) + np.cumsum((rate - 0.5 * sigma ** 2) / 6 + sigma * np.sqrt(1 / 6) * z, axis=1)
    arithmetic = np.maximum(np.exp(logs).mean(axis=1) - 100.0, 0)
    geometric = np.maximum(np.exp(logs.mean(axis=1)) - 100.0, 0)
    c = np.cov(arithmetic, geometric)
    beta = c[0, 1] / c[1, 1]
    return arithmetic.mean() - beta * (geometric.mean() - 5.0)


@program(lambda: (normal(1, 5, 2), normal(2, 5, 3), normal(3, 5)))
def covariances_of_two(first, second, last):
    columns = np.cov(first, second, rowvar=False, ddof=0)
    rows = np.cov(first.T, y=last, bias=True)
    return np.sum(columns ** 2) + rows[0, 2] + np.corrcoef(second.T, last)[1, 3] + np.corrcoef(last, last ** 2)[0, 1]


@program(lambda: (normal(1, 4), normal(2, 3), 0.7))
def polynomials(p, q, x):
    product = np.polymul(p, q)
    value = np.polyval(np.polyder(product), x) + np.polyval(np.polyint(product, k=x), x)
    return value + np.polyval(np.polyint(np.polymul(x, q), 2), 0.5)


@program(lambda: (normal(1, 3, 3), normal(2, 2, 3, 3)))
def sums_over_diagonals(a, b):
    weighted = np.einsum("ii->i", a) @ np.array([1.0, 2.0, 3.0])
    return weighted + np.einsum("bii->b", b).prod() + np.einsum("ii", a @ a) + np.einsum("ii,ij->j", a, b[0])[1]


@program(lambda: (normal(4, 3, 4),))
def of_samples(x):
    """With the array API's name for ``ddof``, and of those elements that count."""
    chosen = x > -0.5
    spread = np.std(x, axis=1, correction=1) * np.var(x, correction=0.5)
    return np.sum(spread) + x.var(where=chosen) + np.nanstd(x, correction=1) + np.prod(x, where=chosen, initial=2.0)
