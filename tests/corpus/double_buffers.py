"""Names for arrays in objects and dicts, whose places are then exchanged."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


class Fields:
    def __init__(self, a, b):
        self.a = a
        self.b = b


@program(lambda: (normal(1, 5),))
def names_exchanged(x):
    s = Fields(x.copy(), np.zeros(5))
    for _ in range(3):
        a, b = s.a, s.b
        b[1:-1] = a[2:] * a[:-2]
        s.a, s.b = b, a
    return (s.a ** 2).sum() + s.b.sum()


class Sim:
    def __init__(self, x):
        self.a = x.copy()
        self.b = x.copy()

    def step(self, c):
        a, b = self.a, self.b
        b[1:-1] = a[1:-1] + c * (a[2:] - a[:-2]) * a[1:-1]
        self.a, self.b = b, a


@program(lambda: (normal(1, 5), 0.3))
def in_a_method(x, c):
    s = Sim(x)
    for _ in range(3):
        s.step(c)
    return (s.a ** 2).sum() + s.b.sum()


@program(lambda: (Fields(normal(1, 5), normal(2, 5)), 0.3))
def of_an_argument(s, c):
    for _ in range(3):
        a, b = s.a, s.b
        b[1:-1] = a[1:-1] + c * (a[2:] - a[:-2]) * a[1:-1]
        s.a, s.b = b, a
    return (s.a ** 2).sum() + s.b.sum()


@program(lambda: (normal(1, 5), 0.3))
def in_a_dict(x, c):
    d = {"u": x.copy(), "new": np.zeros(5)}
    for _k in range(3):
        u, new = d["u"], d["new"]
        new[1:-1] = u[1:-1] + c * u[2:] * u[:-2]
        d["u"], d["new"] = new, u
    return (d["u"] ** 2).sum() + d["new"].sum()


@program(lambda: (normal(1, 5), normal(2, 5)))
def exchanged_sometimes(x, y):
    s = Fields(x.copy(), y.copy())
    for _k in range(4):
        a, b = s.a, s.b
        b[1:-1] = 0.3 * a[2:] * a[:-2] + x[1:-1]
        if b.sum() > 0.2:
            s.a, s.b = b, a
        else:
            b[0] = a[1]
    return (s.a ** 2).sum() + s.b.sum()


@program(lambda: (normal(1, 5), normal(2, 5)), needs="shapes")
def three_levels(x, y):
    s = {"p": x.copy(), "q": y.copy(), "r": x * y}
    for _k in range(4):
        p, q, r = s["p"], s["q"], s["r"]
        r[1:-1] = 2.0 * q[1:-1] - p[1:-1] + 0.1 * (q[2:] - q[:-2]) * q[1:-1]
        s["p"], s["q"], s["r"] = q, r, p
    return (s["p"] ** 2).sum() + s["q"].sum() - (s["r"] ** 3).sum()


@program(lambda: (normal(1, 3), normal(2, 3), 0))
def exchanged_in_no_turn(g, s, n):
    b = g + 0.2
    total = 0.0
    for _ in range(n):
        total = total + np.sum(g)
        b, g = g, b
        b = s * b
    return np.sum(g) + total
