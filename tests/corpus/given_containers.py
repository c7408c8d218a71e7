"""Dicts and lists that are arguments, or in these, and are changed."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program

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


@program(lambda: ([1.0, 2.0, 3.0],))
def reversed_list(xs):
    xs.reverse()
    return xs[0] ** 2 * xs[1]


@program(lambda: ([1.0, 2.0, 3.0],))
def sorted_list(xs):
    xs.sort(key=lambda v: -v)
    return xs[0] ** 2 * xs[1]


@program(lambda: ([3.0, 1.0, 2.0],))
def sliced_list(xs):
    xs.sort()
    xs[1:] = [xs[0] * 2, xs[1]]
    del xs[0:1]
    return xs[0] ** 2 * xs[1]


@program(lambda: ([3.0, 1.0, 2.0], 0.5))
def cleared_list(xs, v):
    s = sum(xs)
    xs.clear()
    xs.append(v * s)
    return xs[0] ** 2


@program(lambda: ({"h": [1.0, 2.0], "w": np.ones(2)}, 0.5))
def nested_and_reversed(d, v):
    d["h"].reverse()
    d["h"].append(v)
    d["w"] += v * d["h"][0]
    d["w"] *= d["w"]
    return d["w"].sum() * d["h"][0]


@program(lambda: ({"h": [1.0, 2.0], "w": np.ones(2)}, 0.5))
def nested_and_sorted(d, v):
    d["h"].sort(key=lambda u: -u)
    d["h"][0:1] = [v, v]
    d["h"].clear()
    d["h"].extend([v, d["w"][0]])
    return d["w"].sum() * d["h"][0] * d["h"][1]


@program(lambda: (Holder({"a": 1.0}, [1.0, 2.0]), 0.5))
def containers_in_attributes(h, v):
    h.d["a"] = h.d["a"] * v
    h.d["b"] = v
    h.xs.append(h.d["b"] * h.d["a"])
    h.xs[0] *= h.xs[2]
    del h.xs[1]
    return sum(h.xs) * h.d["a"]


@program(lambda: (Holder({"a": 1.0}, [1.0, 2.0]), 0.5))
def cleared_in_an_attribute(h, v):
    h.xs.clear()
    h.xs.extend([v, v * 2])
    h.d.setdefault("z", v)
    return h.xs[0] * h.xs[1] * h.d["z"] + h.d.pop("a")


@program(lambda: (Holder({"a": 1.0}, [1.0, 2.0, 3.0]), 0.5))
def list_in_an_attribute_changed(h, v):
    h.xs.reverse()
    h.xs.sort(key=lambda u: u * v)
    h.xs[1:] = [v]
    h.xs += [v * h.xs[0]]
    h.d.update(c=v * h.d["a"], a=3.0)
    return sum(x * i for i, x in enumerate(h.xs)) * h.d["c"]


@program(lambda: ({"a": 2.0, "b": 3.0}, 0.5))
def updated_dict(d, v):
    d.update({"a": d["b"] * v, "b": d["a"]})
    d |= {"c": v * d["a"]}
    x = d.pop("b")
    y = d.get("zz", 3.0)
    del d["c"]
    return d["a"] * x * y


@program(lambda: ({"layer": {"w": 2.0}, "b": 3.0}, {"a": 2.0}, 0.5))
def dicts_joined_under_second_names(d, other, v):
    d["layer"] |= {"w": d["b"] * v, "c": v * v}
    layer = d["layer"]
    layer |= {"w": layer["w"] * v}
    named = other
    for _ in range(2):
        named |= {"a": other["a"] * v}
    return d["layer"]["w"] * layer["c"] + other["a"] * named["a"]


@program(lambda: ({"a": 2.0, "b": 3.0}, 0.5))
def cleared_dict(d, v):
    s = d["a"] * d["b"]
    d.clear()
    d["c"] = v * s
    return d["c"] ** 2


@program(lambda: ([np.ones(2), np.arange(2.0)], 0.3))
def arrays_in(xs, c):
    xs[0][1] = c
    xs[1] += c * xs[0]
    xs[0] = xs[0] * xs[1]
    return xs[0].sum() * c


@program(lambda: ({"w": np.ones(2), "b": np.arange(2.0)}, 0.3))
def descend(p, lr):
    for _ in range(3):
        for k in p:
            p[k] -= lr * p[k] ** 2
    return p["w"].sum() * p["b"].sum()


@program(lambda: ({"w": np.ones(2), "b": np.arange(2.0)}, {"w": np.zeros(2), "b": np.zeros(2)}, 0.3))
def descend2(p, m, lr):
    for _ in range(3):
        for k, v in p.items():
            m[k] *= 0.9
            m[k] += v * lr
            p[k] = v - lr * m[k]
    return p["w"].sum() * p["b"].sum()


@program(lambda: ([0.4, 0.9, 1.3], 0.3))
def list_taken_for_an_array(x, k):
    x = np.asarray(x, dtype=float)
    x[1:] *= k
    x += x[0]
    return (x ** 2).sum()


@program(lambda: ([0.5, 1.2, 0.7, 0.9, 0.4], {"a": [0.3, 0.6, 1.1, 0.2]}))
def every_other_item(xs, d):
    xs[::2] = [v * xs[1] for v in xs[::2]]
    d["a"][::-2] = xs[:2]
    ys = [v ** 2 for v in xs]
    ys[1::3] = map(np.sin, d["a"][:2])
    return sum(v * i for i, v in enumerate([*xs, *d["a"], *ys]))


@program(lambda: ({"w": normal(1, 3), "b": 0.5}, normal(2, 3)))
def steps_that_unpack_their_state(params, x):
    state = params, ({"rate": 0.1}, [])
    for turn in range(3):
        params, (settings, log) = state
        settings["rate"] *= 0.9
        log.append(np.sum(params["w"] * x) * settings["rate"])
        params = {label: value + log[-1] * turn for label, value in params.items()}
        state = params, (settings, log)
    return np.sum(params["w"]) * params["b"] + sum(log) * settings["rate"]


@program(lambda: ({"w": normal(1, 3), "b": 0.5}, normal(2, 3)))
def settings_counted_in_a_state(params, x):
    state = params, {"turn": 0, "m": 0.0}
    for _ in range(3):
        params, settings = state
        settings["turn"] += 1
        settings["m"] = settings["m"] * params["b"] + np.sum(params["w"] * x)
        state = params, settings
    return state[1]["m"] * state[1]["turn"]
