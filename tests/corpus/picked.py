"""What lists and arrays of places pick is copied; arrays without axes are arrays."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


@program(lambda: (normal(1, 5),))
def places_that_change(x):
    u = x * 1.0
    p = np.array([2, 0, 1, 4, 3])
    u[p] = u
    u = u[p]
    u[p[:3]] += u[p[2:]]
    u[:] = u[p] * u
    p += 1
    p %= 5
    w = u[p]
    p[0] = 1
    u[2] = 4.0
    return (u * np.arange(5.0)).sum() * (w ** 2).sum()


@program(lambda: (normal(1, 3, 5),))
def rows_and_columns(m):
    m = m * 1.0
    r = m[[0, 2]]
    c = m[:, np.array([1, 3])]
    m[0] = r[1] * c[0, 0]
    m[:, 1] *= 2.0
    return (r ** 2).sum() + (c * c).sum() * m.sum()


@program(lambda: (normal(1, 5),))
def arrays_without_axes(x):
    s = np.array(1.0)
    t = np.array(0.0)
    for v in x:
        t[()] += s * v
        s[()] *= t + v
        s[...] -= t * s
        t[()] = t * v
    return s * t


@program(lambda: (normal(1, 5),))
def all_by_no_index(x):
    t = np.array(x[0])
    t[()] += x[1]
    t[()] = t * t
    u = x * 1.0
    u[()] = u * x[0]
    u[()] *= x
    return t * u.sum()
