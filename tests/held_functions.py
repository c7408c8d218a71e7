"""What the programs of ``random_held.py`` call: it changes, holds and hands back the arrays that it is given."""
from __future__ import annotations

import dataclasses

import numpy as np


class Holder:
    def __init__(self, p, q):
        self.p = p
        self.q = q

    def scale(self, factor):
        self.p *= factor

    def exchange(self):
        self.p, self.q = self.q, self.p

    def part(self):
        return self.p[1:]

    def products(self):
        return self.p * self.q


@dataclasses.dataclass
class Pair:
    p: object
    q: object

    def scale(self, factor):
        self.p *= factor

    def exchange(self):
        self.p, self.q = self.q, self.p

    def part(self):
        return self.p[1:]

    def products(self):
        return squares_of(self) + self.p * self.q


def squares_of(pair):
    return pair.p * pair.p


def product_of(items):
    return items[0] * items[1]


def same(u):
    return u


def reversed_view(u):
    return u[::-1]


def doubled(u):
    u *= 2.0
    return u


def listed(u, v):
    return [u, v * 0.5]


def keyed(u, v):
    return {"a": u, "b": np.cos(v)}


def kept(xs):
    return xs


def longer(xs, u):
    xs.append(u)
    return xs


def first_of(xs):
    return xs[0]


def change_first(xs, v):
    xs[0] *= 0.5
    xs[0][1:] = v[:-1]


def change_each(xs):
    for v in xs:
        v *= 0.8


def change_at_a(d, v):
    d["a"] += v


def change_held(h, v):
    h.q[:2] = v[2:]


def put_first(xs, v):
    xs[0] = v
