"""Methods that write into their object and give it back, and functions of which one is chosen."""
from __future__ import annotations

import numpy as np

from corpus.registry import program


class Acc:
    def __init__(self, t):
        self.total = t

    def add(self, v):
        self.total = self.total + v
        return self

    def maybe(self, v, o):
        self.total = self.total * v
        if v > 1.0:
            return o
        return self

    def other(self, o):
        o.total = o.total * self.total
        return o


@program(lambda: (1.0, 2.0))
def two(v, w):
    a = Acc(v)
    b = a.add(w)
    b.total = b.total * w
    c = b.add(1.0)
    a.add(v)
    return c.total * a.total + b.total


@program(lambda: (1.5, 2.0))
def oth(v, w):
    a, o = Acc(v), Acc(w)
    b = a.other(o)
    b.add(w)
    o.add(v)
    return a.total * o.total**2 * b.total


@program(lambda: (Acc(1.5), 2.0))
def arg(a, w):
    b = a.add(w)
    b.add(w * a.total).add(3.0)
    return b.total * a.total


def sq(x):
    return x * x


@program(lambda: (1.5,))
def fs(x):
    f = np.sin
    if x > 2.0:
        f = sq
    elif x < 0.0:
        f = np.cos
    s = f(x)
    for _ in range(3):
        g = sq if s > 0.5 else np.tanh
        s = s + g(s) * f(s)
    return s


@program(lambda: (1.0, 2.0))
def chain(v, w):
    acc = Acc(0.0)
    acc.add(v).add(w * v)
    return acc.total


@program(lambda: (1.0, 2.0))
def chain2(v, w):
    return Acc(0.0).add(v).add(w * v).total


@program(lambda: (1.0, 2.0))
def chain3(v, w):
    acc = Acc(0.0).add(v)
    acc = acc.add(w)
    return acc.total**2


@program(lambda: (1.5,))
def pickv(x):
    f = np.sin if x > 0 else np.cos
    return f(x) * x
