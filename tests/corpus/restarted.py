"""States that start again in some turns: what a cotangent is handed on to moves out of its way in both arms."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


@program(lambda: (normal(1, 4),))
def names(x):
    h, c = 0.5, 2.0
    for i, v in enumerate(x):
        if i % 2 == 1:
            h, c = 0.0, 1.0
        h = h + v
        c = c * h
    return h * c


@program(lambda: (normal(1, 5),))
def in_every_third_turn(x):
    h = c = 0.0
    for i, v in enumerate(x):
        if i % 3 == 0:
            h, c = 0.0, 1.0
        h = h - v
        c = c * h
    return h * c


@program(lambda: (normal(1, 4),))
def a_dict(x):
    state = {"h": 0.5, "c": 2.0}
    for i, v in enumerate(x):
        if i % 2 == 1:
            state = {"h": 0.0, "c": 1.0}
        state["h"] = state["h"] + v
        state["c"] = state["c"] * state["h"]
    return state["h"] * state["c"]


@program(lambda: (normal(1, 4, 3), normal(2, 3)))
def arrays(m, w):
    h, c = w * 1.0, w * 2.0
    for i, row in enumerate(m):
        if i % 2 == 1:
            h, c = np.zeros(3), w
        h = h + row
        c = c * h
    return (h * c).sum()


@program(lambda: (normal(1, 4, 3), normal(2, 3)))
def arrays_updated_in_place(m, w):
    h, c = w * 1.0, w * 2.0
    for i in range(4):
        row = m[i] * w
        if row[0] > 0.0:
            h = w * row
            c = w * 1.0
        h += row
        c *= h
    return (h * c).sum()


@program(lambda: (normal(1, 4),))
def straight_on(x):
    a, b = x[0], x[1]
    if a > 0.0:
        h = 1.0
        c = a
    else:
        h = b
        c = 2.0
    p = a * b
    q = h + p
    r = c * q
    return r * q


@program(lambda: (normal(1, 3, 3),))
def inside_another_loop(m):
    total = 0.0
    h, c = 0.5, 1.0
    for row in m:
        for i, v in enumerate(row):
            if v > 0.5:
                h, c = 1.0, 2.0
                if i == 2:
                    break
            w = v * v
            h = h + w
            c = c * h
        total = total + h
    return total * c


@program(lambda: (normal(1, 5), 0.7))
def handed_on_twice(x, y):
    h, c, d = y, 1.0, y * y
    for v in x:
        if v < 0.0:
            h, d = 0.0, y
        elif v > 1.0:
            c = 1.0
        g = h + v
        d = d + g
        h = g
        c = c * h + d
    return h * c * d
