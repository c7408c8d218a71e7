"""Lists of known parts that functions return, read by running indices and loops."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


def both(x, y):
    return [x, y * y]


def appended(x, y):
    items = []
    items.append(x)
    items.append(x * y)
    return items


def given(x, y):
    yield x
    yield x * y


def nested(x, y):
    return {"pair": (x, y), "rest": [x * y, x, y]}


@program(lambda: (1.5, 2.0))
def looped_over(x, y):
    total = 0.0
    for value in both(x, y):
        total += value**2
    for value in appended(x, y):
        total = total * value
    return total


@program(lambda: (1.5, 2.0))
def generator_of_known_length(x, y):
    total = 0.0
    for i, value in enumerate(given(x, y)):
        total += value**2 * (i + 1)
    return total * sum(v * v for v in given(y, x))


@program(lambda: (1.5, 2.0))
def running_index(x, y):
    items = appended(x, y)
    total = 0.0
    for i in range(len(items)):
        total += items[i] ** 2
    return total * items[1]


@program(lambda: (normal(1, 3), normal(2, 3)))
def arrays_of_a_call(x, y):
    total = np.zeros(3)
    for value in both(x, y):
        total = total * 0.5 + value
    return total


@program(lambda: (1.5, 2.0))
def parts_in_a_dict(x, y):
    found = nested(x, y)
    total = found["pair"][1]
    for value in found["rest"]:
        total += value**2
    for value in found["pair"]:
        total *= value
    return total


class Box:
    def __init__(self, low, high):
        self.low = low
        self.high = high

    def bounds(self):
        return [self.low, self.high]


@program(lambda: (Box(0.5, 2.0), 1.5))
def parts_of_an_object(box, x):
    return sum((x - bound) ** 2 for bound in box.bounds())


def sum_and_squares(x):
    return np.sin(x).sum(), (x ** 2).sum()


@program(lambda: (np.array([0.9, 1.2, 1.5]),))
def one_of_two_results_in_an_arm(x):
    a, b = sum_and_squares(x)
    if b > 1.0:
        return a ** 2
    return a * b


def shrunk(x, n):
    if n == 0:
        return sum_and_squares(x)
    a, b = shrunk(x * 0.9, n - 1)
    if b > 0.5:
        return a * b, b
    return a, a * a


@program(lambda: (np.array([0.3, 0.4, 0.5]), 2))
def one_of_two_results_of_a_recursion(x, n):
    a, b = shrunk(x, n)
    if a > 1.0:
        return b ** 2
    return a ** 3
