"""Functions that write into their arguments under other names, and are called."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


def scaled(h, by):
    w = h
    w *= 2.0
    w += by
    return w


@program(lambda: (normal(1, 3),))
def changed_for_the_caller(x):
    u = x * 1.0
    scaled(u, x[0])
    return np.sum(u ** 2)


@program(lambda: (normal(2, 3),), needs="shapes")
def changed_and_given_back(x):
    u = x * 1.0
    v = scaled(u, x[0])
    return np.sum(u * v) + v[1]


def added(values, out=None):
    out = out if out is not None else np.zeros(3)
    out += values ** 2
    return out


@program(lambda: (normal(3, 3),))
def out_or_none(x):
    first = added(x)
    second = added(x * 2.0, first)
    return np.sum(first * second) + np.sum(added(x))


def smoothed(u, times):
    inner, left, right = u[1:-1], u[:-2], u[2:]
    for _ in range(times):
        inner += 0.1 * (left + right - 2.0 * inner)


@program(lambda: (normal(4, 6),))
def parts_of_an_argument(x):
    u = np.array(x)
    smoothed(u, 3)
    smoothed(u[::-1], 2)
    return np.sum(np.sin(u))


def relaxed(u, weight, deep):
    v = u
    if deep:
        relaxed(v, 0.5 * weight, False)
    v *= weight
    v[0] = weight ** 2


@program(lambda: (normal(5, 4), 0.7), argnums=(0, 1))
def handed_on_under_another_name(x, weight):
    u = x + 1.0
    relaxed(u, weight, True)
    return np.sum(u ** 3)
