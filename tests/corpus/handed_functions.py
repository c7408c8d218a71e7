"""Functions in lists that are handed on or run through beside arrays, functions whose defaults are differentiated, and
partials in loops and comprehensions."""
from __future__ import annotations

import bisect
import functools

import numpy as np

import s2sgrad
from corpus.registry import normal, program


def apply(layers, x):
    for f in layers:
        x = f(x)
    return x


def dense(w):
    def layer(x):
        return np.tanh(w @ x)
    return layer


def square(v):
    return v * v


def combined(functions, c, x):
    return sum(ci * f(x) for ci, f in zip(c, functions))


def by_name(table, x):
    return table["a"](x) + table["b"](x) ** 2


def scaled(w, v):
    return np.sin(w * v)


def three(a, b, c=1.0):
    return a * np.sin(b) * c


@program(lambda: (normal(1, 3), normal(2, 3, 3)))
def layers_in_a_list(x, w):
    layers = [dense(w), np.tanh, dense(w.T), square]
    return apply(layers, x).sum()


@program(lambda: (normal(1, 3), normal(2, 3, 3)))
def lambdas_in_a_tuple(x, w):
    def first(v):
        return w @ v
    return apply((first, np.sin, lambda v: v * x), x).sum()


@program(lambda: (normal(1, 3), normal(2, 3, 3)))
def functions_in_a_dict(x, w):
    return by_name({"a": lambda v: w @ v, "b": np.sin}, x).sum()


@program(lambda: (normal(1, 3), normal(2, 3)))
def basis_functions(x, c):
    return combined([np.sin, np.cos, lambda t: t * t], c, x).sum()


@program(lambda: (normal(1, 3), normal(2, 3)))
def basis_of_powers(x, c):
    return combined([lambda t, k=k: t ** k for k in range(3)], c, x).sum()


@program(lambda: (normal(1, 3), normal(2, 4)))
def more_coefficients_than_functions(x, c):
    total = 0.0
    for i, (ci, f) in enumerate(zip(c, (np.sin, np.cos))):
        if ci > 10.0:
            break
        total = total + (i + ci) * f(x)
    return total.sum()


@program(lambda: (normal(1, 3), normal(2, 3)))
def design_matrix(x, c):
    phi = np.column_stack([f(x) for f in (np.ones_like, np.sin, lambda t: t ** 2)])
    return (phi @ c).sum()


@program(lambda: (0.7, [1.3, 0.4]))
def functions_in_pairs(v, w):
    rates = {"n": (lambda v: 0.1 * v + 1.0, np.sin), "m": (lambda v: v * v, lambda v: 2.0)}
    gates = {key: opening(v) / (opening(v) + closing(v)) for key, (opening, closing) in rates.items()}
    terms = [(square, (2.0, w[0])), (np.exp, (w[1], 1.0))]
    return max(a * f(v) + b for f, (a, b) in terms) + sum(c * f(v * w[0]) for c, (f, _) in zip(w, terms)) * gates["n"]


@program(lambda: (normal(1, 3), [(normal(2, 3, 3), normal(3, 3)), (normal(4, 3, 3), normal(5, 3))]))
def layers_and_activations(x, layers):
    for (w, b), activation in zip(layers, [np.tanh, lambda v: v]):
        x = activation(w @ x + b)
    return x.sum()


ACTIVATIONS = {"tanh": np.tanh, "square": square}


@program(lambda: (normal(1, 3), [(normal(2, 3, 3), normal(3, 3)), (normal(4, 3, 3), normal(5, 3))]))
def activations_by_name(x, layers):
    for (w, b), kind in zip(layers, ("tanh", "square")):
        x = ACTIVATIONS[kind](w @ x + b)
    return x.sum()


class Basis:
    def __init__(self, c):
        self.c = c
        self.functions = [np.sin, np.cos, lambda t: t ** 2]

    def __call__(self, x):
        return sum(c * f(x) for c, f in zip(self.c, self.functions))


@program(lambda: (normal(1, 3), normal(2, 3)))
def functions_in_an_object(x, c):
    return Basis(c)(x).sum()


@program(lambda: (normal(1, 3), normal(2, 3)))
def default_of_a_lambda(x, w):
    f = lambda v, w=w, *, k=x[0]: v * w * k  # noqa: E731
    w = w * 3.0
    return f(x).sum() + f(x, x).sum() + f(x, k=w[1]).sum() + f(x, w=x, k=2.0).sum()


@program(lambda: (normal(1, 3), normal(2, 3)))
def default_of_a_function(x, w):
    def inner(v):
        return v * w

    def f(v, g=inner, pair=(w, x[0])):
        return g(v) * pair[0] + pair[1]
    return f(x).sum() + f(x, np.sin).sum() + f(x, pair=(x, 2.0)).sum()


@program(lambda: (normal(1, 3), normal(2, 4, 3)))
def lambdas_of_rows(x, ws):
    fs = [lambda v, w=w: np.sin(v * w) for w in ws]
    return apply(fs, x).sum()


@program(lambda: (normal(1, 3), [(normal(2, 3, 3), normal(3, 3)), (normal(4, 3, 3), normal(5, 3))]))
def lambdas_of_layers(x, layers):
    for f in [lambda v, w=w, b=b: np.tanh(w @ v + b) for w, b in layers]:
        x = f(x)
    return x.sum()


@program(lambda: (normal(1, 3), normal(2, 3)))
def lambdas_made_in_a_loop(x, w):
    fs = []
    for k in range(3):
        w = np.sin(w) * 2.0
        fs.append(lambda v, w=w, k=k: v ** k * w ** 2)
    w = w * 3.0
    return sum(f(x).sum() for f in fs) + w.sum()


@program(lambda: (normal(1, 3), normal(2, 3)))
def lambdas_under_names(x, w):
    table = {}
    for place, label in enumerate(("a", "b")):
        table[label] = lambda v, c=w[place]: v * c
    return by_name(table, x).sum()


@program(lambda: (normal(1, 3), normal(2, 3)), needs="activity")
def lambdas_of_constants(x, w):
    fs = [lambda v, k=k: v * k for k in np.arange(1.0, 4.0)]
    return sum((f(x) * w).sum() for f in fs)


@program(lambda: (normal(1, 3), normal(2, 3)))
def table_of_lambdas(x, w):
    fs = [[lambda v, a=a, b=b: v * a + b for b in x] for a in w]
    return sum(f(x).sum() for row in fs for f in row)


@program(lambda: (normal(1, 3), normal(2, 3)))
def gradient_of_a_lambda_with_a_default(x, w):
    f = lambda v, w=w: (w * v ** 3).sum()  # noqa: E731
    return s2sgrad.grad(f)(x).sum()


@program(lambda: (normal(1, 3), normal(2, 3)))
def folded_with_a_default(x, w):
    return functools.reduce(lambda a, b, c=w[0]: a * c + b, x) + sum(map(lambda v, c=w[1]: (v - c) ** 2, x))


@program(lambda: (0.5, 0.7), needs="activity")
def default_for_a_solver(x, k):
    c = 2.0 + len("ab")
    root = bisect.bisect_left(range(6), 0.0, key=lambda v, c=c: v ** 2 - c)
    return root * x * k


@program(lambda: (normal(1, 3), normal(2, 4, 3)))
def partials_of_rows(x, ws):
    return apply([functools.partial(scaled, w) for w in ws], x).sum()


@program(lambda: (normal(1, 3), normal(2, 4, 3)))
def partials_in_a_loop(x, ws):
    for w in ws:
        f = functools.partial(scaled, w)
        x = apply((f, np.tanh), x)
    return x.sum()


@program(lambda: (normal(1, 3), normal(2, 3)))
def partials_with_keywords(x, w):
    fs = [functools.partial(three, b=b, c=2.0 * b) for b in w]
    return fs[0](x).sum() + fs[1](x, b=x).sum() + fs[2](x, c=3.0, b=x[0]).sum()


@program(lambda: (normal(1, 3), normal(2, 3)))
def partials_of_a_function_inside(x, w):
    def inner(a, v, b):
        return v * w * a + b
    total = 0.0
    for a in x:
        f = functools.partial(inner, a)
        total = total + f(*(x, 2.0)).sum()
    return total


@program(lambda: (normal(1, 3), normal(2, 3)))
def partials_of_numpy_functions(x, w):
    total = 0.0
    for a in x:
        f, g = functools.partial(np.multiply, a), functools.partial(np.sum, axis=0)
        total = total + g(f(w))
    return total


class Oscillator:
    def __init__(self, w):
        self.w = w

    def step(self, dt, v):
        return v + dt * np.sin(self.w * v)

    def run(self, x):
        for dt in (0.1, 0.2):
            step = functools.partial(self.step, dt)
            x = step(x)
        return x


@program(lambda: (normal(1, 3), normal(2, 3)))
def partials_of_methods(x, w):
    return Oscillator(w).run(x).sum()


class Turtle:
    def __init__(self):
        self.place = 0.0
        self.path = []

    def forward(self, d):
        self.place = self.place + d * d

    def mark(self):
        self.path.append(self.place)


@program(lambda: (1.3,))
def commands_that_change_an_object(d):
    turtle = Turtle()
    commands = {"F": lambda: turtle.forward(d), "M": turtle.mark}
    for letter in "FMFM":
        commands[letter]()
    for command in [lambda: turtle.forward(2.0 * d), turtle.mark]:
        command()
    return sum(turtle.path) * turtle.place


def applied(function, *values):
    return function(*values) * 2.0


class Projector:
    def __init__(self, w):
        self.along = w.dot

    def __call__(self, v):
        return self.along(v)


@program(lambda: (normal(41, 4),))
def methods_of_arrays_and_containers(given):
    """What arrays, lists and dicts have as methods goes where functions go; what is written in between is seen."""
    x = given.copy()
    items, named = list(x), dict(zip("abc", x))
    order = sorted(range(len(items)), key=items.__getitem__)
    get, total = named.get, x.sum
    named["a"] = x[1] * 3.0
    order.sort(key=lambda place: -place)
    highest = max(range(len(x)), key=x.__getitem__)
    found = sum(map(x.__getitem__, order[:2])) + get("a") * get("z", 0.5) + applied(x.dot, x ** 2)
    for row in np.outer(x, x):
        found += min(map(row.__getitem__, order)) * sum(map(named.get, "ab"))
    x[0] = found * 0.1
    return total() + x[highest] * Projector(x)(x) + items.__getitem__(0) + len(sorted(named, key=named.get))


def double(u):
    u *= 2.0


def damp(u, rate):
    u[1:] -= rate * u[1:]


SCALES = {"double": double}
STEPS = [double, double]


def by_default(u, scale=double):
    scale(u)


def from_a_table(u, name):
    SCALES[name](u)


def all_steps(u):
    for step in STEPS:
        step(u)


class Stepping:
    scale = staticmethod(double)

    def __init__(self, step):
        self.step = step

    def __call__(self, u):
        self.step(u)


STEPPING = Stepping(double)


def by_an_object(u):
    STEPPING(u)
    Stepping.scale(u)


def call_with(function, *args, **options):
    return function(*args, **options)


@program(lambda: (normal(91, 4), 0.3))
def arrays_handed_on_with_what_writes_into_them(u, rate):
    u = u * rate
    call_with(damp, u, rate=rate)
    call_with(lambda v: double(v), u)
    square_of_first = u[0] ** 2
    call_with(functools.partial(damp, rate=0.5), u)
    return (u ** 3).sum() + square_of_first


@program(lambda: (normal(92, 4), 0.3))
def written_into_by_defaults_and_tables(u, rate):
    u, plain = u * rate, np.ones(4)
    by_default(u)
    from_a_table(u, "double")
    product = u * plain
    all_steps(u)
    all_steps(plain)
    by_an_object(u)
    return (u ** 2).sum() + (product * plain).sum()


def each_in_turn(steps, u):
    for step in steps:
        u = step(u)
    return u


def each_by_its_name(steps, u):
    for label, step in steps:
        u = step(u) if label == "twice" else step(u) * 0.5
    return u


@program(lambda: (normal(93, 3), 0.3))
def views_of_dicts_of_functions(u, rate):
    steps = {"bent": np.sin, "twice": lambda v: v * 2.0}
    again = steps.values()
    for step in again:
        u = step(u) + rate
    return each_in_turn(steps.values(), u) @ each_by_its_name(steps.items(), u)
