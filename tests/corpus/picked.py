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


@program(lambda: ({"u": normal(1, 5), "m": normal(2, 3, 3)},))
def picked_in_a_dict_and_held(d):
    b = d["u"][d["u"] > 0.1]
    c = d["m"][[0, 2]]
    held = {"b": b, "c": c}
    held["b"][0] = 2.0
    held["c"][1] *= d["u"][:3]
    return (b * held["b"]).sum() * (c * c).sum() + (d["u"] ** 2).sum()


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


@program(lambda: (np.array(0.3), 2.0))
def a_number_beside_an_array_without_axes(s, k):
    b = s[()] * s * k
    for _ in range(2):
        b = b * s + k
    return b + s * k


@program(lambda: (np.array(0.3), normal(1, 2)))
def a_sum_beside_an_array_without_axes(s, x):
    k = x.sum()
    b = 0.0
    for _ in range(2):
        b = b * s + k
    return b * s + s * k


@program(lambda: (normal(1, 3), 2.0))
def a_number_beside_what_may_have_no_axes(x, k):
    s = np.array(x[0]) if x[1] < 5 else x[0] * 2
    b = 0.0
    if k > 0:
        b = k * s
    for _ in range(2):
        b = b * s + k
    return b + s * k


def same(number):
    return number


@program(lambda: (np.array(0.3), 2.0))
def a_call_whose_cotangent_is_an_array_without_axes(s, k):
    handed = same(k)
    return (k * s + k) * s + s * handed


@program(lambda: (np.array(0.3), 2.0))
def items_beside_an_array_without_axes(s, k):
    xs, d = [], {}
    for i in range(3):
        xs.append(k * i)
        d[i] = k + i
    a = xs[-1] * 3.0 + d[2] * 2.0
    return (xs.pop() + d.pop(2)) * s + a * np.sin(s) + s * s * k + xs.pop(0) * s


class Searcher:
    def __init__(self, x):
        self.x = x
        self.best = x.copy()
        self.least = np.sum(x ** 2)

    def move(self, towards, rate):
        self.x = self.x + rate * (towards - self.x) + 0.1
        cost = np.sum(self.x ** 2)
        if cost < self.least:
            self.least = cost
            self.best = self.x.copy()


@program(lambda: (normal(1, 3, 2), 0.3))
def the_best_of_a_swarm(x, rate):
    swarm = [Searcher(p) for p in x]
    best, least = None, np.inf
    for p in swarm:
        if p.least < least:
            best, least = p.best, p.least
    for _ in range(2):
        for p in swarm:
            p.move(best, rate)
            if p.least < least:
                best, least = p.best, p.least
    return np.sum(best) + least


@program(lambda: (normal(1, 3, 2), 0.3))
def names_that_comprehensions_bind_too(x, rate):
    swarm = [Searcher(p) for p in x]
    for _ in range(2):
        best = swarm[np.argmin([p.least for p in swarm])].best
        for p in swarm:
            p.move(best, rate)
    return min(swarm, key=lambda p: p.least).least
