"""Calls that some turns, arms or attempts make and others don't, so that what they save is not always there."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program


def squares(x):
    return np.sum(np.sin(x) ** 2)


def by_turns(x, times):
    total = 0.0
    for i in range(times):
        if i % 2:
            total = total + squares(x * i)
        for v in x:
            if v > 0:
                total += np.exp(v) * squares(x)
    return total


def in_two_forms(x):
    return np.sin(x), {"a": x ** 2, "b": [x, x * 2]}


def scaled(u, k):
    u *= k
    u[0] += k ** 2
    return np.sum(u)


def powers(x, count):
    found = []
    for i in range(count):
        found.append(x ** i)
    return found


def waves(x):
    z = np.exp(1j * x)
    return z * z.conj() * z


def logarithms(x):
    if x[0] < 0:
        raise ValueError("negative")
    return np.sum(np.log(x + 2))


def energy(v, m):
    return np.sum(m[:, None] * v ** 2)


@program(lambda: (normal(1, 3),))
def calls_of_calls(x):
    total = 0.0
    for i in range(4):
        if i == 2:
            total += by_turns(x, 3)
        elif i == 3:
            total *= squares(x)
    return total


@program(lambda: (positive(2, 3),))
def several_containers_given_back(x):
    total = 0.0
    for i in range(4):
        if x[0] * i > 0.5:
            p, d = in_two_forms(x * i)
            total += np.sum(p * d["a"]) + np.sum(d["b"][1] ** 3)
    return total


@program(lambda: (normal(3, 3), 1.3))
def calls_that_write(x, k):
    u = x.copy()
    total = 0.0
    for i in range(4):
        if i % 2:
            total += scaled(u, k) * u[1]
    return total + np.sum(u ** 2)


@program(lambda: (positive(4, 3),))
def lists_of_any_length(x):
    total = 1.0
    if x[0] > 0:
        total = sum(np.sum(y ** 2) for y in powers(x, 4))
    elif x[0] < -30:
        total = squares(x)
    return total * np.sum(x)


@program(lambda: (normal(5, 3),))
def complex_between(x):
    total = 0.0
    for i in range(3):
        if i:
            total += np.sum(np.abs(waves(x * i) + x) ** 2)
    return total


@program(lambda: (normal(6, 4, 3),))
def attempts(m):
    total = 0.0
    for row in m:
        try:
            total += logarithms(row / 2) ** 2
        except ValueError:
            total += np.sum(row ** 3)
    return total


@program(lambda: (normal(7, 3, 2), normal(8, 3)))
def of_other_sizes(v, m):
    values = []
    for i in range(3):
        if i:
            values.append(energy(v * i, m))
        if i > 0 and values[-1] < -1e9:
            break
    return values[0] * values[1] + energy(v, m)
