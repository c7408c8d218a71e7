"""Globals, closures and modules that are read."""
# ruff: noqa: RET504
from __future__ import annotations

import math
import math as m

import numpy as np
import numpy as xp
import numpy.linalg as la
from numpy import exp, tanh

from corpus.registry import normal, program

RATE = 0.3
TURNS = 4
WEIGHTS = normal(1, 3, 3)
KNOTS = (0.5, 1.5, 2.5)
USE_BIAS = True
OPTIONS = {"slope": 1.5, "shift": -0.2}


@program(lambda: (normal(2, 3),))
def reads_globals(x):
    for _ in range(TURNS):
        x = x - RATE * (WEIGHTS @ x)
    return x


@program(lambda: (0.7,))
def iterates_a_global_tuple(x):
    total = 0.0
    for knot in KNOTS:
        total += (x - knot) ** 2
    return total


@program(lambda: (0.7,))
def global_flag(x):
    y = x * x
    if USE_BIAS:
        y = y + math.sin(x)
    return y


@program(lambda: (0.7,))
def global_dictionary(x):
    return math.tanh(OPTIONS["slope"] * x + OPTIONS["shift"])


@program(lambda: (normal(3, 3),))
def other_names_for_modules(x):
    return xp.sum(exp(x) * tanh(x)) * m.pi + la.norm(x)


def polynomial_of(coefficients, shift):
    def polynomial(x):
        value = 0.0
        for coefficient in coefficients:
            value = value * x + coefficient
        return value + shift * x

    return polynomial


program(lambda: (0.8,))(polynomial_of((1.0, -2.0, 0.5), 0.1))
quartic = polynomial_of((0.3, -0.1, 1.0, 0.2, -2.0), 2.0)


@program(lambda: (0.8,))
def closure_as_helper(x):
    return quartic(quartic(x) * 0.1) * x


def distance_from(centre):
    scale = 1.0 / centre.size

    def distance(point, weight):
        offset = point - centre
        return weight * scale * np.sqrt(np.sum(offset * offset))

    return distance


program(lambda: (normal(4, 3), 1.7))(distance_from(np.array([1.0, -1.0, 0.5])))


def composed(outer, inner):
    def composition(x):
        return outer(inner(x)) * inner(x)

    return composition


program(lambda: (0.4,))(composed(math.exp, quartic))


@program(lambda: (0.4,))
def constants_of_modules(x):
    return math.pi * x + np.e * x**2 + math.tau / (1.0 + x)


RATES = {(0, 1): 3.0, (1, 2): 4.0, (2, 0): 1.0, (2, 2): 0.5, (1, 1): 2.0}
TABLE = [(0, 2, 4.0), (1, 0, 3), (2, 1, 1.0), (0, 0, 5.0), (1, 1, 2.5)]
WORDS = [{"at": 0, "to": 2}, {"at": 1, "to": 0}, {"at": 2, "to": 1}, {"at": 0, "to": 1}, {"at": 1, "to": 2}]


@program(lambda: (normal(3, 3, 2), normal(4, 3, 2)))
def reads_a_table(p, q):
    loss = 0.0
    for i, j, rate in TABLE:
        loss += (p[i] @ q[j] - rate) ** 2
    return loss


@program(lambda: (normal(3, 3, 2), normal(4, 3, 2)))
def reads_a_dict_by_pairs(p, q):
    loss = sum((p[i] @ q[j] - rate) ** 2 for (i, j), rate in RATES.items())
    for i, j in sorted(RATES):
        loss += RATES[i, j] * np.sum((p[i] - q[j]) ** 2)
    for pair in RATES:
        loss -= p[pair[0], 0] * q[pair[1], 1]
    return loss


@program(lambda: (normal(3, 3, 2),))
def reads_records(p):
    return sum(np.sum((p[word["at"]] - p[word["to"]]) ** 3) for word in WORDS) / len(WORDS)
