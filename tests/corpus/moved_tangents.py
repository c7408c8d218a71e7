"""What differs from an argument by a constant, so that its tangent is the argument's own: as numbers that are bound
anew and views that are written into it has memory of its own."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


@program(lambda: (normal(1, 4),))
def row_of_what_was_flattened(x):
    u = np.ravel(x * 1.0)
    u[0] = 3.0
    return np.sum(u * x)


@program(lambda: (normal(2, 2, 3),))
def transposed_sum(x):
    u = (x + 1.0).T
    u[1] *= x[:, 0]
    return np.sum(u * x.T)


@program(lambda: (normal(3, 2, 3),))
def part_and_shape_of_a_sum(x):
    u = (1.0 * x)[1:]
    u *= 3.0
    v = np.reshape(x - 2.0, (3, 2))
    v += v * v
    return np.sum(u * x[:1]) + np.sum(v * x.T)


@program(lambda: (normal(4, 4, 2),))
def halves_of_a_sum(x):
    upper, lower = np.split(x + 1.0, 2)
    upper *= lower
    parts = [np.asarray(x + 0.5), (x - 0.5).T]
    parts[0] *= 3.0
    parts[1][0] = 1.0
    return np.sum(upper * x[2:]) + np.sum(parts[0] * parts[1].T * x)


@program(lambda: (np.array(1.5),))
def number_of_an_array_without_axes(x):
    u = x + 1.0
    u += x * x
    v = np.atleast_1d(x * 1.0)
    v[0] = 3.0
    return u * x + v[0] * x


@program(lambda: (normal(3, 4),))
def array_without_axes_added_to_a_number(x):
    total = 1.0 * len(x)
    total += np.reshape(x[-1:] ** 2, ())
    return total ** 2
