"""Arrays, objects and lists that have a name and are in a container, changed through the one and read through the
other."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


class Layer:
    def __init__(self, w, b=None):
        self.w = w
        self.b = b

    def scale(self, factor):
        self.w *= factor


class Pair:
    def __init__(self, first, second):
        self.first = first
        self.second = second


def scale(v, factor):
    v *= factor


def in_a_dict(a, b):
    return {"a": a, "rest": [b]}


@program(lambda: (normal(1, 4), normal(2, 4)), needs="shapes")
def by_name(x, y):
    a = np.sin(x)
    xs = [a, y]
    a *= y
    return (xs[0] ** 2).sum() + a.sum() * xs[1].sum()


@program(lambda: (normal(1, 4), normal(2, 4)), needs="shapes")
def by_place(x, y):
    a = np.sin(x)
    xs = [a, y]
    xs[0] *= y
    return (xs[0] ** 2).sum() + (a * xs[1]).sum()


@program(lambda: (normal(1, 4), normal(2, 4)), needs="shapes")
def in_turns(x, y):
    a = np.sin(x)
    xs = {"a": a, "b": np.cos(y)}
    for _ in range(3):
        xs["a"] *= y
        xs["b"] += a
        a -= 0.1 * xs["b"]
    return (a ** 2).sum() + (xs["a"] * xs["b"]).sum()


@program(lambda: (normal(1, 4), normal(2, 4)))
def part_in_a_tuple(x, y):
    a = np.zeros(4)
    state = (a, y)
    a[0] = x[0]
    for i in range(1, 4):
        a[i] = state[0][i - 1] * x[i] + y[i]
    return (state[0] ** 2).sum() + a.sum()


@program(lambda: (normal(1, 4),), needs="shapes")
def run_over(x):
    w, b = np.sin(x), np.cos(x)
    params = [w, b]
    grads = [x * 2.0, x ** 2]
    for p, g in zip(params, grads):
        p -= 0.1 * g * p
    return (w ** 2 * b).sum()


@program(lambda: (normal(1, 4),), needs="shapes")
def under_keys(x):
    w, b = np.sin(x), np.cos(x)
    params = {"w": w, "b": b}
    for key in params:
        params[key] -= 0.1 * params[key] ** 2
    for _, value in params.items():
        value *= x
    return (w ** 2 * b).sum()


@program(lambda: (normal(1, 4), normal(2, 4)), needs="shapes")
def in_an_arm(x, y):
    a = np.sin(x)
    xs = [a, y]
    if x[0] > 0.0:
        a *= 3.0
    else:
        xs[0] *= y
    return (xs[0] ** 2).sum() + (a * y).sum()


@program(lambda: (-np.abs(normal(1, 4)), normal(2, 4)), needs="shapes")
def in_the_other_arm(x, y):
    a = np.sin(x)
    xs = [a, y]
    if x[0] > 0.0:
        a *= 3.0
    else:
        xs[0] *= y
    return (xs[0] ** 2).sum() + (a * y).sum()


@program(lambda: (normal(1, 4), normal(2, 4)), needs="shapes")
def read_in_between(x, y):
    a = np.sin(x)
    first = (a ** 3).sum()
    xs = [a, y]
    second = (xs[0] ** 3).sum()
    a *= y
    third = (a ** 3).sum()
    xs[0] += 1.0
    return first + 2.0 * second + 3.0 * third + (a * xs[0]).sum()


@program(lambda: (normal(1, 4), normal(2, 4)), needs="shapes")
def by_functions(x, y):
    a = np.sin(x)
    xs = [a, y]
    scale(a, 3.0)
    np.multiply(a, y, out=a)
    return (xs[0] ** 2).sum() + a.sum()


@program(lambda: (normal(1, 4), normal(2, 4)), needs="shapes")
def bound_anew(x, y):
    a = np.sin(x)
    xs = [a, y]
    a *= 2.0
    a = a + y
    a *= 3.0
    return (xs[0] ** 2).sum() + (a ** 2).sum()


@program(lambda: (normal(1, 4), normal(2, 4)), needs="shapes")
def names_exchanged(x, y):
    a, b = np.sin(x), np.cos(y)
    xs = [a, b]
    a, b = b, a
    a *= 3.0
    return (a ** 2).sum() + xs[0].sum() + (xs[1] ** 3).sum() + b.sum()


@program(lambda: (normal(1, 4), normal(2, 4)), needs="shapes")
def with_a_view(x, y):
    a = np.sin(x)
    part = a[1:]
    xs = [a, y]
    a *= y
    return (xs[0] ** 2).sum() + (part ** 3).sum()


@program(lambda: (normal(1, 4), normal(2, 4)), needs="shapes")
def appended(x, y):
    a, b = np.sin(x), np.cos(y)
    xs = [a]
    last = xs[-1]
    xs.append(b)
    last *= y
    b += a
    return (xs[0] ** 2).sum() + (a * xs[1]).sum()


@program(lambda: (normal(1, 4), normal(2, 4)), needs="shapes")
def stored(x, y):
    layer = Layer(x * 1.0)
    w, b = np.sin(x), np.cos(y)
    layer.w = w
    layer.b = b
    w *= b
    layer.b += w
    return (layer.w ** 2).sum() + (b * w).sum()


@program(lambda: (normal(1, 4), normal(2, 4)), needs="shapes")
def given_to_a_class(x, y):
    w, b = np.sin(x), np.cos(y)
    layer = Layer(w, b)
    w *= y
    layer.w *= 2.0
    b += w
    return (layer.w ** 2).sum() + (b * layer.b).sum()


@program(lambda: (normal(1, 4), normal(2, 4)), needs="shapes")
def given_to_a_function(x, y):
    a, b = np.sin(x), np.cos(y)
    d = in_a_dict(a, b)
    a *= 2.0
    b *= a
    return (d["a"] ** 2).sum() + (d["rest"][0] * a).sum()


@program(lambda: (normal(1, 4), normal(2, 4)))
def object_in_a_list(x, y):
    layer = Layer(np.sin(x))
    layers = [layer, Layer(y)]
    layer.w *= 2.0
    layers[0].scale(3.0)
    return (layers[0].w ** 2).sum() + (layer.w * layers[1].w).sum()


@program(lambda: (normal(1, 4),))
def list_in_a_dict(x):
    rows = []
    d = {"rows": rows, "n": 0}
    for k in range(4):
        rows.append(x[k] ** 2)
        d["n"] += 1
    return sum(d["rows"]) * d["rows"][0] * rows[-1] * d["n"]


@program(lambda: (normal(1, 4),), needs="shapes")
def dict_in_a_dict(x):
    inner = {"a": x[0]}
    d = {"inner": inner}
    inner["b"] = x[1]
    d["inner"]["a"] *= x[2]
    return sum(d["inner"].values()) * inner["a"] * x[3]


@program(lambda: (normal(1, 4), normal(2, 4)), needs="shapes")
def made_in_each_turn(x, y):
    total = 0.0
    for k in range(3):
        a = np.sin(x * k)
        xs = [a, y]
        a *= y
        total = total + (xs[0] ** 2).sum() + (a * xs[1]).sum()
    return total


@program(lambda: (normal(1, 4),), needs="shapes")
def grown_in_an_arm(x):
    xs = [np.sin(x)]
    v = xs[-1]
    if x[0] > 0.0:
        xs.append(x * 2.0)
    v *= x
    return sum((item ** 2).sum() for item in xs)


@program(lambda: (normal(6, 4), normal(7, 4)), needs="shapes")
def view_of_another_shape_changed_in_a_list(x, y):
    y = np.sin(y)
    xs = [y, y.reshape(4)]
    xs[-1] *= np.sum(xs[0] * xs[1])
    return xs[-1][0] + np.sum(xs[1] ** 2) * 0.3 + x.sum()
