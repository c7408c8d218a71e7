"""Attributes and keys by names that are known: ``getattr``, ``vars``, ``super().name``, loops over names."""
from __future__ import annotations

import copy
import functools
import types

import numpy as np

from corpus.registry import normal, positive, program

FIELDS = ("w", "b")


class Model:
    scale = 2.0
    names = ("w", "b")

    def __init__(self, w, b):
        self.w = w
        self.b = b

    def predict(self, x):
        return np.tanh(self.w * x + self.b)

    @property
    def size(self):
        return np.sum(self.w**2)

    def step(self, gradient, rate):
        for name in self.names:
            setattr(self, name, getattr(self, name) - rate * gradient[name])


class Deeper(Model):
    def __init__(self, w, b, c):
        super().__init__(w, b)
        self.c = c

    @property
    def size(self):
        return super().size * self.c

    def both(self):
        return super(Deeper, self).size * super().scale + super().predict(self.c)[0]  # noqa: UP008


class Cached:
    def __init__(self, w):
        self.w = w

    @functools.cached_property
    def norm(self):
        return np.sqrt(np.sum(self.w**2))

    @functools.cached_property
    def twice(self):
        norm = self.norm
        return 2.0 * norm

    def unit(self):
        return self.w / self.norm


class Pair:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __iter__(self):
        yield self.x
        yield self.y


def model():
    return Model(normal(1, 3), 0.3), normal(2, 3)


@program(model)
def by_getattr(m, x):
    named = getattr(m, "w")  # noqa: B009
    return np.sum(named * x) * getattr(m, "b", 1.0) * getattr(m, "missing", 2.0) * getattr(m, "scale", 1.0)


@program(model)
def loop_over_names(m, x):
    total = 0.0
    for name in FIELDS:
        total = total + np.sum(getattr(m, name) ** 2)
    for name in m.names:
        setattr(m, name, getattr(m, name) * 0.5)
    return total * np.sum(m.predict(x))


@program(model)
def left_early(m, x):
    total = 0.0
    for name in ("w", "missing", "b", "other"):
        if not hasattr(m, name):
            continue
        total = total + np.sum(getattr(m, name) ** 3)
        if name == "b" and total > 100.0:
            total = total * 2.0
            break
        total = total * x[0]
    return total


@program(lambda: (positive(1, 3), 0.4))
def broken_off(x, b):
    m = Model(x, b)
    total = 0.0
    for name in ("w", "b", "w"):
        value = np.sum(getattr(m, name))
        if value < 1.0:
            break
        total = total + value**2
    else:
        total = total * 3.0
    return total


@program(model)
def numbered_attributes(m, x):
    for i in range(2):
        setattr(m, f"layer{i}", x * i + m.w)
    return np.sum(m.layer0 * m.layer1)


@program(model)
def kept_for_later(m, x):
    if not hasattr(m, "cache"):
        m.cache = np.sum(m.w * x)
    return m.cache * 2.0 + m.cache**2


@program(model)
def all_attributes(m, x):
    total = sum(np.sum(v**2) for v in vars(m).values())
    for name, value in vars(m).items():
        if name == "w":
            total = total + np.sum(value * x)
    for name in m.__dict__:
        total = total * np.sum(getattr(m, name))
    return total * m.__dict__["b"]


@program(lambda: (Deeper(normal(1, 3), 0.3, 0.5), normal(2, 3)))
def properties_of_parents(m, x):
    return m.size * m.both() + np.sum(m.predict(x))


@program(lambda: (Model(normal(1, 3), 0.3), {"w": normal(2, 3), "b": 0.5}))
def steps_of_an_optimiser(m, gradient):
    m.step(gradient, 0.1)
    m.step(gradient, 0.2)
    return np.sum(m.w**2) * m.b


@program(lambda: (Cached(normal(1, 3)),))
def cached_property(m):
    return np.sum(m.unit() * m.w) * m.norm + m.w[0] * m.norm


@program(lambda: (Cached(normal(1, 3)),))
def cached_before_a_change(m):
    first = m.norm
    m.w = m.w * 2.0
    return m.norm * m.w[0] + first * m.twice


@program(lambda: (Pair(1.5, 2.0), Pair(0.5, -1.0)))
def objects_run_through(a, b):
    total = sum(p * q for p, q in zip(a, b))
    for value in a:
        total += value**2 * b.x
    x, y = b
    return total * x + y * sum(a) + list(b)[1]


@program(lambda: (types.SimpleNamespace(a=1.5, b=2.0),))
def namespace(ns):
    return getattr(ns, "a", 0.0) * ns.b ** getattr(ns, "c", 2.0)


@program(lambda: ({"w": normal(1, 3), "b": 0.5}, {"w": normal(2, 3), "b": 1.5}))
def keys_of_a_dict(params, gradient):
    params = dict(params)
    for _ in range(3):
        for name in params:
            params[name] = params[name] - 0.1 * gradient[name] * params[name]
    new = {}
    for name, value in params.items():
        new[name] = value * 2.0
    for name, value in list(new.items()):
        new[name] = new[name] + value**2
    for name in sorted(new):
        new[name] = new[name] * params["b"]
    return np.sum(new["w"]) * new["b"]


@program(lambda: (positive(1, 5),))
def values_that_change(x):
    d = {"a": x[0], "b": x[1], "c": x[2]}
    total = 0.0
    for key, value in d.items():
        d["c"] = d["c"] * value
        total += value * d["b"]
        if key == "b":
            continue
        d["b"] = d["a"] * 3.0 + value
    for i, value in enumerate(d.values()):
        d["b"] = d["b"] + value * i
        total += d["b"] ** 2
    return total


@program(lambda: (positive(1, 5),))
def words_that_are_counted(x):
    counts = {}
    for key, value in zip(("a", "b", "a", "c", "b"), (x[0], x[1], x[2], x[3], x[4])):
        counts[key] = counts.get(key, 0.0) + value**2
    return counts["a"] * counts["b"] * counts["c"]


@program(lambda: (positive(1, 5),))
def list_that_gets_shorter(x):
    items = [v * v for v in x]
    total = 0.0
    for value in items:
        total += value * len(items)
        items.pop()
    return total


@program(lambda: (normal(1, 3), 0.5))
def deep_copies(x, b):
    y = copy.deepcopy(x)
    y[0] = x[1] ** 2 * copy.deepcopy(b)
    return np.sum(y * x)


@program(lambda: (1.3, 0.4))
def attributes_that_change_under_a_loop(a, b):
    m, total = types.SimpleNamespace(a=a, b=b), 0.1
    for label, value in m.__dict__.items():
        total = total * 0.5 + value * (2.0 if label == "a" else a)
        m.b = total
    return total * m.b


@program(lambda: (normal(91, 3),))
def methods_of_arrays(x):
    u = x * 2.0
    total = 1.0
    for name in ("sum", "mean"):
        total = total * getattr(u, name)()
    return total
