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
