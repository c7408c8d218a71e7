"""Functions that make functions, which close over differentiated values; ``functools.partial``."""
from __future__ import annotations

import functools

import numpy as np

from corpus.registry import normal, program


def scaled(w):
    def times(x):
        return w * x

    return times


def affine(w, b=0.5, *, scale=2.0):
    """A function with a few lines before it."""
    slope = np.sin(w) * scale
    offset = slope + b

    def f(x, k=3.0):
        return slope * x + offset * k

    return f


def compose(f, g):
    return lambda x: f(g(x))


def linear(x, a, b):
    return a * x + b


def apply_twice(f, x):
    return f(f(x))


@program(lambda: (0.7, 1.3))
def made_and_called(x, w):
    g = scaled(w)
    w = w * 5.0
    return g(x) + g(2.0) * w


@program(lambda: (0.7, 1.3))
def names_that_meet(x, w):
    slope, times, b = x * 2.0, w, x
    g = affine(w, scale=x)
    h = affine(x, b)
    return g(slope) * times + h(2.0, k=x)


@program(lambda: (0.7, 1.3))
def called_at_once(x, w):
    y = scaled(w)(x) * scaled(scaled(x)(w))(x)
    return compose(np.sin, scaled(w))(y) if y > 0.0 else scaled(x)(y)


@program(lambda: (0.7, 1.3))
def composed(x, w):
    h = compose(lambda z: z * w, lambda z: z + w)
    return compose(h, np.exp)(x) * apply_twice(scaled(w), x)


@program(lambda: (0.7, 1.3))
def layers(x, w):
    for layer in [scaled(w), affine(x), np.tanh, functools.partial(linear, a=w, b=x)]:
        x = layer(x)
    return x


@program(lambda: (0.7, 1.3))
def by_name(x, w):
    table = {"scale": scaled(w), "square": lambda z: z * z * w}
    for key in ("scale", "square", "scale"):
        x = table[key](x)
    return x


ACTIVATIONS = {"relu": lambda z: np.maximum(z, 0.0), "square": lambda z: z * z}


@program(lambda: (0.7,))
def from_a_table_outside(x):
    for key in ("square", "relu"):
        x = ACTIVATIONS[key](x) * 1.5
    return x


@program(lambda: (0.7, 1.3))
def partials(x, w):
    f = functools.partial(np.power, x)
    g = functools.partial(linear, b=w)
    return f(2.0) * g(x, a=2.0) * g(1.0, 3.0) + apply_twice(functools.partial(linear, a=w, b=x), x)


def bound(w):
    return functools.partial(linear, w, b=w)


@program(lambda: (0.7, 1.3))
def partial_that_is_returned(x, w):
    return bound(w)(x) * bound(x)(w)


@program(lambda: (normal(1, 4),))
def partial_in_a_map(x):
    return sum(map(functools.partial(linear, a=x[0], b=x[1]), x))


def doubled(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        return 2.0 * f(*args, **kwargs)

    return inner


@program(lambda: (0.7, 1.3))
def wrapped(x, w):
    return doubled(linear)(x, w, b=x) + doubled(np.sin)(x)


def runge_kutta(f, step):
    def advance(y):
        k1 = f(y)
        k2 = f(y + 0.5 * step * k1)
        k3 = f(y + 0.5 * step * k2)
        k4 = f(y + step * k3)
        return y + step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

    return advance


@program(lambda: (normal(2, 3), 1.3, 0.1))
def integrator(x, w, step):
    advance = runge_kutta(lambda y: -w * y + np.sin(y), step)
    for _ in range(3):
        x = advance(x)
    return np.sum(x**2)


def summed(values, flip):
    total = 0.0
    for value in values:
        total = total + value * value
    if flip:
        total = -total
    return lambda x: x * total


@program(lambda: (normal(3, 4),))
def loop_in_a_factory(x):
    return np.sum(summed(x, True)(x))


def network(params):
    (w1, b1), (w2, b2) = params

    def forward(x):
        return w2 * np.tanh(w1 * x + b1) + b2

    return forward


@program(lambda: ([(0.3, 0.1), (0.7, -0.2)], 0.5))
def model(params, x):
    net = network(params)
    return net(x) ** 2 + net(2.0 * x)


def two_levels(w):
    inner = scaled(w)

    def outer(x):
        return inner(x) + w

    return outer


@program(lambda: (0.7, 1.3))
def factory_in_a_factory(x, w):
    return two_levels(w)(x) * two_levels(x)(w)


# ---- functions that comprehensions make, and run over

@program(lambda: (0.7,))
def powers(x):
    total = 0.0
    functions = [lambda x, k=k: x**k for k in range(4)]
    for f in functions:
        total = total + f(x)
    return total


@program(lambda: (0.7,))
def late_binding_in_a_comprehension(x):
    functions = [lambda y: y**k for k in range(4)]  # noqa: B023
    return functions[0](x) * functions[1](2.0 * x)


@program(lambda: (0.7, 1.3))
def sums_over_functions(x, w):
    functions = [np.sin, lambda y: y * w, functools.partial(linear, a=w, b=x)]
    return sum(f(x) for f in functions) + max([f(w) for f in functions])
