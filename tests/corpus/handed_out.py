"""Functions that return iterators, which are run through where they are called."""
from __future__ import annotations

import itertools

import numpy as np

from corpus.registry import positive, program


def pairs(x):
    return zip(x[:-1], x[1:])


def chunks(x, count):
    return (x[start:start + count] for start in range(0, len(x), count))


def in_pairs_or_alone(x, alone):
    if alone:
        return [(v, 1.0) for v in x]
    return zip(x, reversed(x))


def numbered(x):
    return enumerate(zip(x, map(np.sin, x)), 1)


def scaled_beside_its_own_name(x, xs):
    def scaled(u):
        return u * x

    return (scaled(x) for x in xs)


def below_the_diagonal(x):
    return ((i, j, x[i] * x[j]) for i in range(len(x)) for j in range(i) if i + j != 2)


def one_after_the_other(items):
    first, second = itertools.tee(items)
    next(second, None)
    return zip(first, second)


class Layers:
    def __init__(self, x):
        self.weights, self.shifts = [x[0], x[1]], [x[2], x[3]]

    def __iter__(self):
        return zip(self.weights, self.shifts)

    def backwards(self):
        return zip(self.weights[::-1], reversed(self.shifts))

    @property
    def scales(self):
        return iter(self.weights)


@program(lambda: (positive(1, 4),))
def pairs_of_a_function(x):
    total = sum(a * b for a, b in pairs(x))
    found = pairs(x ** 2)
    (a, b), (c, d), _ = pairs(np.sin(x))
    for number, (first, second) in enumerate(pairs(x)):
        if second < 0.1:
            break
        if number == 0:
            continue
        total += first * second ** 2
    else:
        total *= x[0]
    return total + max(u - v for u, v in found) + a * b * c * d * number


@program(lambda: (positive(1, 4),))
def pieces_of_a_function(x):
    total = sum(np.prod(chunk) for chunk in chunks(x, 3)) + sum(i * v + j for i, j, v in below_the_diagonal(x))
    for number, (a, b) in numbered(x):
        total += number * a * b
    return total + sum(scaled_beside_its_own_name(x[0], x)) + np.stack(list(chunks(x, 2)))[1, 0]


@program(lambda: (positive(1, 4),))
def lists_or_iterators(x):
    total = 0.5
    for a, b in in_pairs_or_alone(x, x[1] > 0.0):
        total += a * b
    for a, b in in_pairs_or_alone(x, False):
        total += a * b ** 2
    products = lambda items: zip(items, items[1:])  # noqa: E731
    return total * max(a * b for a, b in products(x))


@program(lambda: (positive(1, 4),))
def layers_that_are_handed_out(x):
    layers, z = Layers(x), x[0]
    for weight, shift in layers:
        z = np.tanh(weight * z + shift)
    for weight, shift in layers.backwards():
        z = np.tanh(weight * z + shift)
    return z + sum(scale ** 2 for scale in layers.scales)


@program(lambda: (positive(1, 4),))
def two_iterators_of_one(x):
    first, second = iter(x), iter(x)
    next(second)
    total = sum(a * b for a, b in zip(first, second))
    for a, b in one_after_the_other([v * v for v in x]):
        total += (b - a) ** 2
    return total
