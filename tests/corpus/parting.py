"""Arrays taken apart, brought to one shape, chosen from, put together: functions that move elements."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program, spread


@program(lambda: (normal(1, 3, 8), normal(2, 2)))
def gates(z, c):
    i, f, o, g = np.split(z[:, :8], 4, axis=1)
    c = np.tanh(f) * c + np.tanh(i) * g
    return (o * c).sum()


@program(lambda: (normal(3, 6), 3))
def parts_in_a_loop(x, n):
    total = 0.0
    for part in np.split(x, n):
        total += part[0] * (part ** 2).sum()
    return total


@program(lambda: (normal(4, 6),))
def some_parts(x):
    first, *_, last = np.array_split(x, 4)
    return first[0] * last[0] ** 2


@program(lambda: (normal(5, 7),))
def parts_by_place(x):
    parts = np.split(x, [2, 5])
    return (parts[0] * parts[-1]).sum() + parts[1][1]


@program(lambda: (normal(6, 4, 6),))
def nested_parts(x):
    (a, b), (c, d) = [np.hsplit(half, 2) for half in np.vsplit(x, 2)]
    return (a * d).sum() - (b * c).sum()


@program(lambda: (normal(7, 6),))
def written_part(x):
    y = x.copy()
    a, b = np.split(y, 2)
    return (a * b * y[::2]).sum()


@program(lambda: (normal(8, 3), normal(9, 4)))
def grid(x, y):
    xx, yy = np.meshgrid(x, y)
    return (np.sin(xx) * yy ** 2).sum()


@program(lambda: (normal(10, 3), normal(11, 4), normal(12, 2)))
def open_grid(x, y, z):
    a, b, c = np.meshgrid(x, y, z, indexing="ij", sparse=True)
    return (a * b + b * c ** 2).sum()


@program(lambda: (normal(13, 3), normal(14, 2, 1), 0.7))
def one_shape(x, y, z):
    a, b, c = np.broadcast_arrays(x, y, z)
    return a * b ** 2 + c * b


@program(lambda: (normal(15, 5), normal(16, 2)))
def put_between(x, y):
    longer = np.insert(x, [1, 3], y * 2.0)
    return (np.append(longer, y)[1:] * np.delete(np.append(x, longer), 0)[:8]).sum()


@program(lambda: (normal(17, 3, 4),))
def padded_stencil(u):
    p = np.pad(u, 1, mode="wrap")
    q = np.pad(u, ((1, 1), (0, 0)))
    return ((p[2:, 1:-1] - 2.0 * u + p[:-2, 1:-1]) * q[1:-1]).sum()


@program(lambda: (spread(18, 3, 4),))
def along_an_order(x):
    order = np.argsort(x, axis=1)
    return (np.take_along_axis(x, order, axis=1) * np.arange(4.0)).sum() + np.partition(x, 2, axis=0)[2, 0] ** 2


@program(lambda: (spread(19, 5), normal(20, 5)))
def by_condition(x, y):
    chosen = np.select([x > 0.5, x > 0.0], [x * y, y ** 2], 0.5 * x)
    return chosen.sum() + np.choose(np.array([0, 1, 0, 1, 1]), [x, y])[1:].sum()


@program(lambda: (spread(21, 6), positive(22, 6)))
def histograms(x, weights):
    counts, edges = np.histogram(x, bins=3, weights=weights)
    sums = np.bincount(np.array([0, 2, 1, 1, 2, 0]), weights)
    return (counts * (edges[1:] - edges[:-1]) * sums).sum()


@program(lambda: (spread(23, 5),))
def distinct(x):
    values, counts = np.unique(np.append(x, 0.123), return_counts=True)
    return (values ** 2 * counts * np.arange(6)).sum()


@program(lambda: (positive(31, 6), positive(32, 6) + 4.0, positive(33, 6), positive(34, 6)))
def copies_taken_one_by_one(a, b, c, d):
    lower, diagonal, upper, right = map(np.array, (a, b, c, d))
    for i in range(1, len(d)):
        factor = lower[i - 1] / diagonal[i - 1]
        diagonal[i] = diagonal[i] - factor * upper[i - 1]
        right[i] = right[i] - factor * right[i - 1]
    x = diagonal
    x[-1] = right[-1] / diagonal[-1]
    for i in range(len(d) - 2, -1, -1):
        x[i] = (right[i] - upper[i] * x[i + 1]) / diagonal[i]
    left, other = [np.array(v, dtype=float) for v in (a, d)]
    left *= x
    return (x ** 2).sum() + (left * other).sum()


@program(lambda: (normal(40, 5), 0.7))
def rests_inside_of_patterns(x, t):
    """A name that is bound twice has the value of what stands last."""
    u = np.zeros(3)
    first, (second, *others) = t, list(x)
    (a, *b), a = x * 2, x.sum()
    (c, *d), u[1], (i, *_) = x * a, x[0] ** 2, (1, 2, 3)
    [p, [*q, r]], *s = (x[0], x), x[1] * 2, t
    u[i] *= c
    return first * second + sum(others) * a + sum(b) + sum(d) * u[1] + p * r + sum(q) + s[0] * s[1]
