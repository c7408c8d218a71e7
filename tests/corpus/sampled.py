"""Functions of samples, statistics that pass over NaN, joining in brackets, methods of ufuncs."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program, spread


@program(lambda: (spread(1, 3, 4),))
def over_what_is_a_number(x):
    y = np.where(x < -0.8, np.nan, x)
    means = np.nanmean(y, axis=0)
    return np.nansum(means * np.nanstd(y, axis=0)) + np.nanmax(y) * np.nanmin(y) + np.nanmedian(y)


@program(lambda: (spread(2, 3, 5),))
def robust_scale(x):
    middle = np.median(x, axis=1, keepdims=True)
    low, high = np.percentile(x, [25, 75], axis=1)
    return ((x - middle) ** 2).sum() / np.mean(high - low) + np.quantile(x, 0.35)


@program(lambda: (normal(3, 3, 4), positive(4, 4)))
def weighted_means(x, w):
    mean, total = np.average(x, axis=1, weights=w, returned=True)
    return (mean ** 2 * total).sum() + np.average(x, axis=1, weights=w)[0]


@program(lambda: (normal(5, 3, 6),))
def covariances(x):
    return np.cov(x)[0, 1] * np.corrcoef(x)[1, 2] + np.linalg.slogdet(np.cov(x))[1]


@program(lambda: (np.linspace(0.1, 2.9, 5) ** 1.1, np.arange(4.0), normal(6, 4)))
def looked_up(x, points, values):
    return (np.interp(x, points, values) ** 2).sum()


@program(lambda: (normal(7, 5), np.cumsum(positive(8, 5))))
def integral(samples, points):
    return np.trapezoid(samples ** 2, points) + np.trapezoid(samples, dx=0.5) * np.trapezoid(samples[None] * points)[0]


@program(lambda: (normal(9, 4, 5),), needs="shapes")
def slopes(u):
    across, along = np.gradient(u, 0.5, 2.0)
    return (across * along).sum() + (np.gradient(u, axis=1, edge_order=2) ** 2).sum()


@program(lambda: (normal(10, 4), positive(11, 5)))
def polynomial(p, x):
    values = np.polyval(p, x)
    again = np.polyfit(x, values ** 2, 2)
    return (again ** 2).sum() * 0.01 + (np.vander(x, 3) @ p[:3]).sum()


@program(lambda: (normal(12, 6), normal(13, 3)))
def filtered(signal, kernel):
    smooth = np.convolve(signal, kernel, mode="same")
    return (smooth * signal).sum() + np.correlate(signal, kernel)[1] ** 2


@program(lambda: (normal(14, 4), 0.7))
def with_ends(x, edge):
    return (np.diff(x, prepend=edge, append=x[:1]) ** 2).sum() + np.ediff1d(x, to_end=x[:2])[-1] * edge


@program(lambda: (normal(15, 3), 2.0))
def joined_in_brackets(x, y):
    row = np.r_[y, x, 1.0, x * y]
    table = np.c_[x, x ** 2, np.ones(3)]
    return (row ** 2).sum() + (table @ table.T)[0, 1]


@program(lambda: (normal(16, 2, 3), normal(17, 2, 2)))
def blocks(a, b):
    m = np.block([[a, b], [np.zeros((1, 3)), b[:1] * 2.0]])
    return (m ** 2).sum() + np.dstack([a, a * 2.0])[0, 1, 1] ** 2


@program(lambda: (spread(18, 4), positive(19, 3)))
def methods_of_ufuncs(x, y):
    table = np.multiply.outer(x, y) + np.subtract.outer(x, y) ** 2
    running = np.maximum.accumulate(x) * np.add.accumulate(x)
    return np.add.reduce(table, axis=None) + np.logaddexp.reduce(running) + np.add.reduceat(x, [0, 2])[1] ** 2


@program(lambda: (spread(20, 4),))
def extremes_in_a_loop(x):
    total = 0.0
    for reduce in (np.maximum.reduce, np.minimum.reduce):
        total += reduce(x) ** 2
    return total


@program(lambda: (normal(21, 3, 3), normal(22, 3)))
def cross_products(a, b):
    return (np.cross(a, b) * np.cross(a, b[None], axis=1)).sum() + np.vecdot(a, b)[0] * np.kron(b, b)[1]


@program(lambda: (np.float32(1.0) * normal(23, 6).astype(np.float32),))
def single_precision(x):
    return np.nanmean(x) * np.median(x) + np.convolve(x, x, "same")[2] + np.trapezoid(x) + np.pad(x, 1, "edge")[0]
