"""Functions that note what they get in lists and dicts around them, handed to the function that computes it."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


def minimised(f, slope, x, rate, steps, callback=None):
    for _ in range(steps):
        x = x - rate * slope(x)
        if callback is not None:
            callback(f(x))
    return x


def watched(f, slope, x, rate, steps, callbacks=()):
    for _ in range(steps):
        x = x - rate * slope(x)
        for callback in callbacks:
            callback(f(x))
    return x


def energy(x):
    return np.sum(np.cosh(x))


@program(lambda: (normal(1, 3), 0.1))
def a_method_of_a_list(x, rate):
    log = []
    x = minimised(energy, np.sinh, x, rate, 4, callback=log.append)
    return sum(log) / len(log) + np.sum(x)


@program(lambda: (normal(1, 3), 0.1))
def a_lambda_that_appends(x, rate):
    log = []
    x = minimised(energy, np.sinh, x, rate, 4, callback=lambda v: log.append(v * v))
    return log[-1] * log[0] + np.sum(x)


@program(lambda: (normal(1, 3), 0.1))
def a_lambda_that_updates(x, rate):
    trace = {}
    x = minimised(energy, np.sinh, x, rate, 3, lambda v: trace.update(last=v))
    return trace["last"] ** 2 + np.sum(x)


@program(lambda: (normal(1, 4),))
def a_method_with_a_name(x):
    log = []
    add = log.append
    for v in x:
        add(v * v)
    return sum(log) * log[0]


@program(lambda: (normal(1, 3), 0.1))
def several(x, rate):
    log, norms = [], []
    def record(v):
        log.append(v)
    x = watched(energy, np.sinh, x, rate, 4, [record, lambda v: norms.append(v * v)])
    return sum(log) / len(log) + np.sum(x) * norms[2]


@program(lambda: (normal(1, 3), 0.1))
def several_methods(x, rate):
    first, second = [], []
    x = watched(energy, np.sinh, x, rate, 3, (first.append, second.append))
    return first[0] * second[2] + x[0]


class Meter:
    def __init__(self):
        self.values = []
    def note(self, value):
        self.values.append(value)


@program(lambda: (normal(1, 3), 0.1))
def a_method_of_an_object(x, rate):
    meter = Meter()
    x = minimised(energy, np.sinh, x, rate, 4, meter.note)
    return sum(meter.values) + x[0]


@program(lambda: (normal(1, 4),))
def either_of_two(x):
    items = list(x)
    products = []
    while len(items) > 1:
        second, first = items.pop(), items.pop(0)
        products.append(first * second)
        items.insert(0, first + second) if len(items) % 2 else items.append(first - second)
        if len(products) > 3:
            break
    return sum(products) * items[0]


def fed(x, callback):
    for v in x:
        callback(v * v)


def fed_to_all(x, callbacks):
    for v in x:
        for callback in callbacks:
            callback(v * v)


@program(lambda: (normal(1, 4),))
def handed_on_lines_of_their_own(x):
    log, doubled = [], []
    fed(x, log.append)
    fed(2.0 * x, lambda v: log.append(v))
    def record(v):
        doubled.append(2.0 * v)
    fed_to_all(x[:2], [log.append, record])
    return sum(v * i for i, v in enumerate(log)) + doubled[0] * doubled[1]


class PowerMeter:
    def __init__(self):
        self.power = 0.0

    def take(self, v):
        self.power += v ** 2


def put(box, v):
    box["last"] = box["last"] * 0.5 + v


@program(lambda: (normal(1, 4),))
def handed_on_that_write_by_way_of_others(x):
    box, meter, total = {"last": 0.0}, PowerMeter(), {"cubes": 0.0}
    def cube(v):
        total["cubes"] += v ** 3
    def half(v):
        cube(v / 2.0)
    fed(x, half)
    fed(x, lambda v: cube(v * 3.0))
    fed(x, lambda v: put(box, v))
    fed(x, meter.take)
    fed(x[1:], lambda v: meter.take(v))
    return total["cubes"] * box["last"] + meter.power * x[0]


def adds(state, v):
    state["sum"] += v


def for_each(function, values):
    for value in values:
        function(value)


class Hooked:
    def __init__(self, hook):
        self.hook = hook


@program(lambda: (normal(81, 3),))
def called_by_way_of_what_holds_it(x):
    """A lambda that is handed on calls a function in a dict, a list or an object, and that writes."""
    state = {"sum": 0.0}
    hooks, hooked = {"plain": lambda v: adds(state, v)}, Hooked(lambda v: adds(state, v ** 2))
    for_each(lambda v: hooks["plain"](v), x)
    first = state["sum"]
    for_each(lambda v: hooked.hook(v), x)
    doubling = [lambda v: adds(state, v * 2.0)]

    def call(v):
        doubling[0](v)

    for_each(call, x)
    return state["sum"] * first * x[0]
