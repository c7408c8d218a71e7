"""Dicts and lists that are arguments, or in these, and are changed."""
from __future__ import annotations

import numpy as np

from corpus.registry import program

# dict / list args


@program(lambda: ({"w": 1.5, "b": 0.3}, 0.2))
def sgd(params, lr):
    for _ in range(3):
        params["w"] = params["w"] - lr * 2 * params["w"] * params["b"]
        params["b"] = params["b"] * 0.9
    return np.sum(params["w"] * params["b"])


@program(lambda: ({"x": 1.5, "n": 0}, 0.2))
def aug(state, v):
    state["x"] += v * state["x"]
    state["n"] += 1
    return state["x"] ** 2 * state["n"]


@program(lambda: ([1.0, 2.0], 0.5))
def cache_append(cache, x):
    y = x
    for _ in range(3):
        y = y * x
        cache.append(y)
    return sum(cache) * cache[0]


@program(lambda: ({"a": 1.0}, 0.5))
def newkey(history, v):
    history["b"] = v * history["a"]
    history["c"] = history["b"] * v
    return history["c"] + history["a"] ** 2


@program(lambda: ([1.0, 2.0, 3.0], 0.5))
def setitem(xs, v):
    for i in range(1, len(xs)):
        xs[i] = xs[i] + v * xs[i - 1]
    xs[0] *= v
    return xs[-1] * xs[0]


@program(lambda: ([1.0, 2.0, 3.0], 0.5))
def pops(xs, v):
    a = xs.pop()
    b = xs.pop(0)
    xs.insert(0, a * b)
    return a * v + xs[0] * xs[1]


@program(lambda: ({"h": [1.0, 2.0], "w": 0.5}, 0.3))
def nested(d, x):
    d["h"].append(x * d["w"])
    d["h"][0] = d["h"][1] * x
    return sum(d["h"]) * d["w"]


@program(lambda: ({"l1": {"w": 1.0}, "l2": {"w": 2.0}}, 0.3))
def nested2(p, x):
    for k in p:
        p[k]["w"] -= 0.1 * p[k]["w"] * x
    p["l1"]["w"] = p["l2"]["w"] * x
    return p["l1"]["w"] * p["l2"]["w"]


@program(lambda: ({"w": 1.5}, {"w": 0.1, "n": 1.0}, 0.2))
def momentum(params, m, lr):
    for k in params:
        m[k] = 0.9 * m[k] + params[k] * 2
        params[k] = params[k] - lr * m[k]
    return params["w"] ** 2 + m["w"]


@program(lambda: ([[1.0, 2.0], [3.0, 4.0]], 0.5))
def rows(t, v):
    for i in range(2):
        for j in range(2):
            t[i][j] = t[i][j] * v + t[i - 1][j]
    return t[0][0] * t[1][1]


@program(lambda: ([[1.0, 2.0], [3.0, 4.0]], 0.5))
def rows_for(t, v):
    for row in t:
        row[0] = row[1] * v
        row.append(row[0] * v)
    return t[0][2] * t[1][0]


def helper(d, x):
    d["w"] = d["w"] * x
    d["s"].append(x)


@program(lambda: ({"w": 2.0, "s": [1.0]}, 0.5))
def called(d, x):
    helper(d, x)
    helper(d, x * d["w"])
    return d["w"] * d["s"][2]


def push(xs, v):
    xs.append(v * xs[-1])
    return xs[-1]


@program(lambda: ([1.3], 0.5))
def called2(xs, x):
    for _ in range(3):
        y = push(xs, x)
    return y * xs[1]


@program(lambda: (0.5,))
def called3(x):
    xs = [x]
    for _ in range(3):
        push(xs, x)
    return sum(xs)


class Holder:
    def __init__(self, d, xs):
        self.d = d
        self.xs = xs


@program(lambda: ([3.0, 1.0, 2.0], 0.5))
def ext(xs, v):
    xs.extend([v, v * xs[0]])
    xs += [v**2]
    return sum(x * i for i, x in enumerate(xs))


@program(lambda: ({"x": 1.0, "y": 2.0}, 0.5))
def ret(d, v):
    d["x"] = d["y"] * v
    d["z"] = d["x"] ** 2
    return d


@program(lambda: ([1.0, 2.0], 0.5))
def retl(d, v):
    d.append(d[0] * v)
    return d
