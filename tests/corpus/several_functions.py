"""Names that stand for one of several functions, lambdas and functions defined inside among them, chosen by values."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program


def applied(f, v, times=1):
    for _ in range(times):
        v = f(v) * 0.5
    return v


class Layer:
    def __init__(self, w, act):
        self.w = w
        self.act = act

    def __call__(self, x):
        return self.act(x * self.w)


@program(lambda: (normal(1, 4), 1.3))
def a_lambda_or_another(x, c):
    f = np.tanh if x[0] > 0.0 else lambda v: v * c
    c = c * 2.0  # which the lambda reads when it is called

    def around(v):
        return f(v) + 1.0

    return np.sum(f(x) + around(x) * c)


@program(lambda: (normal(1, 4), 1.3))
def by_turn(x, c):
    f, total = np.sin, 0.0
    for v in x:
        total += f(v)
        if v > 0.0:
            f = lambda u: u * c * v  # noqa: B023, E731
        elif v < -0.5:
            f = np.cos
    return total


@program(lambda: (normal(1, 4), 1.3))
def handed_on(x, c):
    def square(u):
        return u ** 2 * c

    f = square if x[1] > 0.0 else np.sin
    layer = Layer(c, f)
    for g in (f, layer, np.tanh, f):
        x = applied(g, x, times=2)
    return np.sum(x) + applied(f, c)


@program(lambda: (normal(1, 4), 1.3))
def perhaps_none(x, c):
    hook = None
    if x[0] > 0.0:
        def hook(v):
            return v * c
    total = np.sum(x)
    if hook is not None:
        total = total + hook(total)
    if not hook:
        total = total * 2.0
    scale = (lambda v: v ** 2) if total > 100.0 else None
    if scale is None:
        return total
    return scale(total)


@program(lambda: (positive(1, 4), 1.3))
def made_and_with_defaults(x, c):
    def times(a):
        return lambda v: v * a

    f = times(c) if x[0] > 1.0 else times(x[1])
    if c > 5.0:
        g = lambda v, k=c: v + k  # noqa: E731
    else:
        g = lambda v, k=c * 2.0: v * k  # noqa: E731
    c = c * 3.0
    return np.sum(g(f(x))) * c


@program(lambda: (normal(1, 4), [0, 2, 1, 2]))
def out_of_a_list(x, order):
    functions = [np.sin, np.tanh, lambda v: v * x[0]]
    named = {"up": lambda v: v + x[1], "down": np.cos}
    for k in order:
        f = functions[k]
        x = f(x) + functions[k - 1](x * 2.0)
    g = named["up" if x[0] > x[1] else "down"]
    return np.sum(g(x))


@program(lambda: (normal(1, 4), 1.3))
def that_writes(x, c):
    u, calls = x * 1.0, 0

    def double(u):
        nonlocal calls
        calls += 1
        u *= 2.0

    def shift(u):
        nonlocal calls
        calls += 2
        u += c

    step = double if x[0] > x[1] else shift
    step(u)
    step(u)
    return np.sum(u) * calls * c


STEPS = {"a": np.sin, "b": np.cos, "c": np.tanh}


@program(lambda: (normal(31, 3), 1))
def each_of_what_is_written_over_later(x, kind):
    other = np.sin if kind else np.cos
    smooth = np.tanh if kind else np.arctan
    u = x * 1.0
    for key in "abcab":
        u[0] = smooth(u[-1])
        u[-1] = STEPS[key](u[0] * u[1]) + other(u[0])
    return u[0] * u[1] + u[-1]
