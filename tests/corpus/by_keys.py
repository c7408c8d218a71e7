"""Functions under keys that only the call tells: tables of operations, kernels, activations by name."""
from __future__ import annotations

import functools
import operator

import numpy as np

from corpus.registry import normal, positive, program


def gauss(x, s):
    return np.exp(-x ** 2 / s)


def linear(x, s):
    return x * s


KERNELS = {"gauss": gauss, "linear": linear, "square": lambda x, s: (x * s + 1.0) ** 2}
OPERATIONS = {"+": operator.add, "*": operator.mul, "-": operator.sub, "/": lambda a, b: a / b}
STEPS = [np.sin, np.cos, lambda v: v * v]


@program(lambda: (normal(1, 4), 0.7, [("gauss", 0.5), ("square", 0.2), ("linear", 2.0)]))
def sum_of_kernels(x, s, terms):
    total = 0.0
    for label, weight in terms:
        total += weight * np.sum(KERNELS[label](x, s))
    return total


@program(lambda: (positive(1, 3), "0 1 + 2 * 0 /"))
def reverse_polish(x, text):
    stack = []
    for token in text.split():
        if token in OPERATIONS:
            b = stack.pop()
            a = stack.pop()
            stack.append(OPERATIONS[token](a, b))
        else:
            stack.append(x[int(token)])
    return stack.pop()


class Unit:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return np.tanh(self.k * x)

    def leaky(self, x):
        return np.where(x > 0.0, x * self.k, 0.1 * x)

    def apply(self, label, x):
        table = {"tanh": self, "leaky": self.leaky}
        return table[label](x)


@program(lambda: (normal(1, 4), 0.7, ["tanh", "leaky", "tanh"]))
def methods_in_a_table(x, k, labels):
    unit = Unit(k)
    for label in labels:
        x = unit.apply(label, x)
    return np.sum(x)


@program(lambda: (positive(1, 4), 0.7, [0, 1, 2, 0]))
def functions_of_the_functions_own(x, k, codes):
    table = {0: lambda v: v * k, 1: np.sin, 2: functools.partial(np.power, 2.0)}
    total = 0.0
    for code in codes:
        total += table[code](x[0]) * x[code]
    return total


@program(lambda: (normal(1, 4), 0.7, ["sin", "none", "cos"]))
def a_key_that_is_not_there(x, k, labels):
    table = {"sin": np.sin, "cos": np.cos}
    total = 0.0
    for label in labels:
        try:
            y = table[label](x)
        except KeyError:
            y = x * k
        function = table.get(label, np.tanh)
        total += np.sum(y * function(x))
    return total


@program(lambda: (normal(1, 4), [0, 2, 1]))
def steps_of_a_list(x, places):
    for place in places:
        x = STEPS[place](x)
    return np.sum(x)


def reached(costs, start):
    found = {place: 9.0 for place in costs}
    found[start] = 0.0
    for place in costs:
        for other, cost in costs[place].items():
            found[other] = min(found[other], found[place] + cost)
    return found


def weighed(named):
    return {label: value * 2.0 for label, value in named.items()}


@program(lambda: (positive(61, 4),))
def dicts_that_have_no_name(x):
    costs = {place: {} for place in range(len(x) + 1)}
    for place, cost in enumerate(x):
        costs[place][place + 1] = cost ** 2
    named = dict(zip("abcd", x))
    total = sum(reached(costs, 0).values()) * weighed(named).get("a", 3.0) + weighed(named).get("z", 0.5)
    for label, value in weighed(named).items():
        total += value * named[label]
    return total + max(weighed(named).items(), key=lambda item: item[1])[1] + sum(
        {place: value ** 2 for place, value in enumerate(x)}.values())
