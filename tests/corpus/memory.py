"""Memory under several names: views and second names of arrays that are written into, buffers handed on."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program, spread


@program(lambda: (normal(1, 6),))
def unpacked_views_of_a_name_bound_with_them(x):
    u, y = x * 1.0, x * 3.0
    u, v = y, u[:3]
    v[0] = x[2] ** 2
    return (u ** 2).sum() * v.sum()


@program(lambda: (normal(2, 6),))
def unpacked_view_of_what_was_there_before(x):
    u = x * 1.0
    u, v = u[1:] * 2.0, u[:-1]
    v[0] = x[2] ** 2
    return (u ** 2).sum() * v.sum()


@program(lambda: (normal(3, 6),))
def buffers_exchanged_by_a_third_name(x):
    u = x * 1.0
    v = np.empty_like(u)
    for _ in range(3):
        v[1:-1] = u[1:-1] + 0.1 * (u[2:] * u[:-2])
        v[0] = u[0]
        v[-1] = u[-1]
        spare = u
        u = v
        v = spare
    return (u ** 2).sum()


@program(lambda: (normal(4, 6), normal(5, 3, 3)))
def number_taken_out_and_changed(x, m):
    u, i = x * 1.0, 1
    a = u[0]
    a += x[1]
    a *= 3.0
    b = m[0, i]
    b **= 2
    return (u ** 2).sum() * a + (m * b).sum()
