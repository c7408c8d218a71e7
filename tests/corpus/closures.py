"""Functions inside functions: what they take from around them, when they read it, and where they are handed to."""
# ruff: noqa: B023, E731
from __future__ import annotations

import functools
import math

import numpy as np

from corpus.registry import normal, positive, program


@program(lambda: (0.7, 1.2))
def inner_function(x, y):
    def product(z):
        return x * z
    return product(2.0) + product(y) * product(x)


@program(lambda: (0.7,))
def read_when_called(x):
    y = x

    def product(z):
        return y * z

    first = product(x)
    y = np.sin(x)
    return first + product(3.0) * product(y)


@program(lambda: (normal(1, 4), 3))
def called_in_a_loop(x, n):
    scale = 1.0

    def step(u):
        shifted = u * scale
        return np.tanh(shifted) + x

    u = x
    for k in range(n):
        scale = scale * 0.5 + k * np.sum(x) * 0.1
        u = step(u)
    return np.sum(u * u)


@program(lambda: (normal(2, 4),))
def defined_in_a_loop(x):
    total = 0.0
    for value in x:
        def shifted(z):
            return z * value + total
        total = total + shifted(value)
    return total




@program(lambda: (0.7, 1.2))
def lambda_under_a_name(x, y):
    line = lambda t: x * t + y
    return line(2.0) * line(x) - line(y)


def newton(function, guess, turns=5):
    for _ in range(turns):
        slope = (function(guess + 1e-3) - function(guess - 1e-3)) / 2e-3
        guess = guess - function(guess) / slope
    return guess


def bisect(function, low, high):
    for _ in range(30):
        middle = 0.5 * (low + high)
        if function(middle) < 0.0:
            low = middle
        else:
            high = middle
    return low + function(low)


def integrate(integrand, start, stop, pieces=4):
    width = (stop - start) / pieces
    total = 0.5 * (integrand(start) + integrand(stop))
    for k in range(1, pieces):
        total += integrand(start + k * width)
    return total * width


def twice(function, x):
    return function(function(x))


def composed(outer, inner, x):
    return outer(inner(x))


def applied(function, *args, **kwargs):
    return function(*args, **kwargs)


@program(lambda: (2.3,))
def lambda_handed_on(a):
    return newton(lambda z: z**2 - a, 1.0) * a


@program(lambda: (0.7, 1.2))
def lambdas_handed_on(x, y):
    return (composed(lambda t: t * x, lambda t: t + y, x) + twice(lambda t: t * t + x, y)
            + integrate(lambda t: np.sin(t * x), 0.0, y) + integrate(math.exp, x, y) + composed(np.sin, np.cos, x))


@program(lambda: (0.7,))
def only_what_is_closed_over_is_differentiated(x):
    return integrate(lambda t: np.exp(-x * t), 0.0, 2.0)


@program(lambda: (0.4,))
def handed_on_twice(x):
    def inner(t):
        return t * x

    def through(function, t):
        return twice(function, t) + function(t) * x

    return through(inner, 2.0) + through(lambda t: inner(t) + t, x)


@program(lambda: (0.7,))
def under_another_name(x):
    def cube(t):
        return t * t * x
    power = cube
    x = x + 1.0
    return power(x) + twice(power, 0.5)


@program(lambda: (0.7, 1.2))
def same_names_in_both(x, y):
    def helper(y):
        x_bar = x * y
        return x_bar + np.sin(y)
    saved = helper(y)
    return twice(lambda x: helper(x) * y, saved)


@program(lambda: (1.1, 4))
def inner_recursion(x, n):
    def power(k):
        if k == 0:
            return 1.0
        return x * power(k - 1)
    return power(n) + power(2)


@program(lambda: (0.9, 5))
def mutual_recursion(x, n):
    def even(k):
        if k == 0:
            return x
        return np.sin(odd(k - 1)) + x

    def odd(k):
        if k == 0:
            return x * x
        return np.cos(even(k - 1)) * x

    return even(n) * odd(n)


@program(lambda: (0.7,))
def inner_of_inner(x):
    def outer(y):
        z = x * y

        def inner(t):
            return t * x + y * z
        return inner(z) + twice(inner, y)
    return outer(2.0) + outer(x)


@program(lambda: (0.7, 1.2))
def defaults_and_keywords(x, y):
    def affine(t, scale=2.0, *, shift=1.0):
        return t * scale * x + shift
    return affine(y) + affine(y, x) + affine(t=x, shift=y, scale=3.0)


@program(lambda: (0.7, 1.2))
def inner_function_with_stars(x, y):
    def total(*values, **options):
        result = x
        for value in values:
            result = result + value * x
        return result * options.get("scale", 2.0)
    return total() + total(y, x) + total(y, scale=x) + applied(total, y, scale=y)


@program(lambda: (normal(3, 3), normal(4, 3, 3)))
def arrays_closed_over(x, m):
    def quadratic(v):
        return v @ m @ v

    def gradient_step(v, rate):
        return v - rate * (m + m.T) @ v
    return quadratic(x) + quadratic(gradient_step(x, 0.1)) + np.sum(x)


@program(lambda: (0.7,))
def branches_inside(x):
    def leaky(t):
        if t > 0.0:
            return t * x
        return 0.1 * t
    return leaky(x) + leaky(-x) * leaky(x - 2.0) + bisect(lambda t: t * t - 2.0, 0.0, 2.0 * x)


@program(lambda: (0.7,))
def passive_inner_function(x):
    n = 3

    def count(k):
        return k * n
    return x ** count(1) + count(2) * x


@program(lambda: (0.7,))
def becomes_active_later(x):
    a = 2.0

    def scaled(t):
        return a * t
    first = scaled(3.0)
    a = x
    return first * x + scaled(3.0)


@program(lambda: (0.7, 1.2))
def chosen_function(x, y):
    if y is None:
        def function(t):
            return t
    else:
        def function(t):
            return t * t * y
    return function(x)


@program(lambda: (positive(5, 3), 0.5))
def partial_of_an_argument_is_not_needed(x, rate):
    decay = lambda t: np.exp(-rate * t)
    return np.sum(decay(x)) + applied(lambda *ts: sum(ts) * rate, 1.0, rate)


@program(lambda: (0.3, 2.0))
def runge_kutta(x, rate):
    def slope(t, u):
        return -rate * u + np.sin(t * x)

    def step(t, u, h):
        k1 = slope(t, u)
        k2 = slope(t + 0.5 * h, u + 0.5 * h * k1)
        k3 = slope(t + 0.5 * h, u + 0.5 * h * k2)
        k4 = slope(t + h, u + h * k3)
        return u + h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0

    u = x
    for k in range(5):
        u = step(0.1 * k, u, 0.1)
    return u


class Solver:
    def __init__(self, turns):
        self.turns = turns

    def solve(self, function, x):
        for _ in range(self.turns):
            x = x - 0.3 * function(x)
        return x


solver = Solver(4)


@program(lambda: (1.7,))
def handed_to_a_method(a):
    return solver.solve(lambda t: t * t - a, 1.0)


def memo(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)
    return wrapper


@memo
def decorated(function, x):
    return function(x) * x


@program(lambda: (1.7,))
def handed_to_a_decorated_function(a):
    return decorated(lambda t: t * a, a + 1.0)


@program(lambda: (0.7,))
def unused_inner_function(x):
    def unused(t):
        with open(t) as file:
            return file.read() * x
    return x * x


@program(lambda: (0.7, 1.2))
def reduced(x, y):
    values = (x, y, 2.0)
    return (functools.reduce(lambda a, b: a * b + x, values) + functools.reduce(math.hypot, [x, y], 3.0)
            + functools.reduce(np.multiply, [x]))


@program(lambda: (0.7, 3))
def handed_down_a_recursion(x, n):
    def repeated(function, t, k):
        if k == 0:
            return t
        return repeated(function, function(t), k - 1)
    return repeated(lambda t: np.sin(t) * x, x, n) + repeated(np.cos, x, 2)


@program(lambda: (normal(6, 2, 3), normal(7, 3)))
def closures_over_views(m, v):
    rows = m * 2.0

    def dot(k):
        row = rows[k]
        return row @ v
    total = 0.0
    for k in range(2):
        total = total + dot(k) * dot(0)
    rows = rows * v
    return total + dot(1)


@program(lambda: (normal(8, 4), 0.3))
def functions_in_comprehensions(x, a):
    def scaled(t):
        return t * a
    doubled = [scaled(v) + scaled(2.0) for v in x]
    squares = [(lambda t: t * v + a)(2.0) for v in x]
    return sum(doubled) + sum(squares) * sum(scaled(k) for k in range(3)) + sum([scaled(k) for k in range(2)])


@program(lambda: (0.7, 1.2))
def functions_in_containers(x, y):
    first, second = (lambda t: t * x, np.sin)
    table = {"line": lambda t: t * y + x, "sine": np.sin}
    x = x * y
    functions = []
    for k in range(3):
        functions.append(lambda t: t * x + k)
    total = first(y) + table["line"](second(x)) + table["sine"](y)
    for function in functions:
        total = total + function(2.0)
    return total


@program(lambda: (0.7, 1.2))
def containers_closed_over(x, y):
    weights = {"w": x, "b": [y, 2.0]}
    parts = [x]

    def line(t):
        return t * weights["w"] + weights["b"][0] * len(parts) + sum(parts)

    first = line(y)
    weights["w"] = x * y
    parts.append(y)
    return first + line(2.0) * applied(line, x)


@program(lambda: (normal(1, 3),))
def inner_function_that_writes(x):
    y = x * 2

    def square(place):
        y[place] = x[1] ** 2 * y[place]

    square(0)
    for k in range(2):
        square(k)
    return np.sum(y ** 2)


@program(lambda: (normal(1, 3),))
def inner_function_that_writes_and_returns(x):
    y = x * 2

    def halved(u):
        u[0] = u[0] / 2 + x[2]
        return np.sum(u)

    total = halved(y)
    more = called_with(lambda: y[1] * 2, y)
    return total * more * np.sum(y)


def called_with(function, u):
    return function() + u[2]


@program(lambda: (1.2, 0.7))
def parameters_named_like_variables_of_a_comprehension(x, y):
    k = 3.0
    scales = [lambda v, k=k: v * k for k in (x, y)]
    inner = [lambda k: k * x for k in (x, y)]
    return scales[0](y, k=k * x) * scales[1](x) + inner[0](k=y) * k


@program(lambda: (1.3,))
def names_that_have_no_value_yet(x):
    def scaled(y, late):
        return y * scale if late else y * x

    def even(turns):
        return x * 1.0 if turns == 0 else odd(turns - 1) * x

    def odd(turns):
        return scale if turns == 0 else even(turns - 1)

    found = scaled(x, False) + even(2)
    scale = x * x
    return found * scaled(x, True) + odd(1)


@program(lambda: (1.3,))
def names_of_an_option_that_is_not_chosen(x):
    return with_history(x)


def with_history(x, keep=False):
    if keep:
        history = []

    def step(y, turns):
        y = np.sin(y) * x
        if keep:
            history.append(y)
        return step(y, turns - 1) if turns else y

    return step(x, 2)


@program(lambda: (normal(1, 3), normal(2, 3)))
def parameters_with_the_names_of_a_loop_over_keys(x, y):
    params = {"w": x, "b": y}
    for key, value in params.items():
        def scaled(key, value=value):
            value = value * params["w"]
            return params[key] * value
        params[key] = scaled("b") + scaled(key, x)
    return params["w"].sum() * params["b"].sum()


@program(lambda: (normal(1, 3),))
def memo_filled_by_loops_that_are_left(x):
    memo = {}

    def once(i):
        for _ in range(2):
            if i == 0:
                return x[0] * 0.5
        return x[i] * cost(i - 1)

    def cost(i):
        for _ in range(2):
            if i not in memo:
                memo[i] = once(i)
        return memo[i]
    return cost(2)


@program(lambda: (normal(1, 3),))
def one_that_writes_into_an_array_in_all_places_of_a_list(x):
    rows = [np.zeros(3)] * 2

    def write(v):
        rows[0][0] = v
    write(x[0] * x[1])
    rows[1][2] = x[2]
    return sum(np.sum(row * row) for row in rows)
