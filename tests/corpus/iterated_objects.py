"""Objects of classes with ``__iter__``, whose items are arguments, parts of lists, and beside constants."""
from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

from corpus.registry import normal, program


@dataclass(frozen=True)
class Vec3:
    x: float
    y: float
    z: float

    def __iter__(self):
        yield self.x
        yield self.y
        yield self.z

    def __add__(self, other):
        return Vec3(*(a + b for a, b in zip(self, other)))

    def __sub__(self, other):
        return Vec3(*[a - b for a, b in zip(self, other)])

    def __mul__(self, scale):
        return type(self)(*(scale * a for a in self))

    def dot(self, other):
        return sum(a * b for a, b in zip(self, other))

    def unit(self):
        return self * (1.0 / math.sqrt(self.dot(self)))


@program(lambda: (normal(0, 3), normal(1, 3)))
def light_on_a_sphere(origin, direction):
    start, towards = Vec3(*origin), Vec3(*direction).unit()
    centre = Vec3(1.0, 2.0, 3.0)
    apart = start - centre
    b = apart.dot(towards)
    root = b * b - apart.dot(apart) + 30.0
    hit = start + towards * (math.sqrt(root) - b)
    normal_ = (hit - centre).unit()
    return normal_.dot(Vec3(1.0, 1.0, -1.0).unit()) + 0.1 * hit.dot(centre)


def volume(a, b, c, scale=1.0):
    return scale * a * b * c + a


@program(lambda: (0.7, 1.3))
def as_arguments(x, y):
    corner = Vec3(x, y, x * y)
    fixed = Vec3(1.0, 2.0, 3.0)
    total = volume(*corner) + volume(*fixed) * x + volume(*(fixed * y), scale=x)
    for _ in range(2):
        total = total + volume(*(corner + fixed))
    return total + max(*corner)


class Backwards:
    """Gives other things, and others first, than those that it holds."""

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __iter__(self):
        yield 3.0 * self.y
        yield self.x


class Bag:
    def __init__(self, *items):
        self.items = list(items)

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)


@program(lambda: (0.7, 1.3))
def in_displays(x, y):
    pair = Backwards(x, y)
    items = [*pair, x]
    bag = Bag(*pair, y)
    larger = Bag(*bag, *items)
    return items[0] * items[1] ** 2 + np.array([*bag, 1.0]).prod() + len(larger) * sum(larger)


@program(lambda: (0.7, 1.3))
def constants(x, y):
    weights, pair = Bag(1.0, 2.0, 3.0), Backwards(0.5, 2.0)
    total = sum(w * x for w in weights) + sum(w * v for w, v in zip(weights, Bag(x, y, x * y)))
    for k, w in enumerate(pair):
        for v in weights:
            total = total + k * w * v * y
    first, second = pair
    return total * first + second + x * list(weights)[1]


class Interval:
    def __init__(self, low, high):
        self.low = low
        self.high = high

    def __and__(self, other):
        return Interval(max(self.low, other.low), min(self.high, other.high))

    def __or__(self, other):
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def __invert__(self):
        return Interval(-self.high, -self.low)


@program(lambda: (0.7, 1.3))
def operators_named_like_keywords(x, y):
    both = Interval(x, 2.0 * y) & Interval(x * x, y)
    either = both | Interval(x - y, 0.5)
    back = ~either
    return both.low * both.high ** 2 + either.low * either.high + back.high


@program(lambda: (0.7, 1.3))
def folded(x, y):
    product = functools.reduce(lambda a, b: a * b, Bag(x, y, x * y))
    return product + functools.reduce(lambda a, b: a * b, Backwards(x, y), x)


class Grid:
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, place):
        """A row."""
        return self.rows[place]

    def __matmul__(self, other):
        return Grid([[sum(a * b for a, b in zip(row, column)) for column in zip(*other)] for row in self])


@program(lambda: ([[0.4, -1.2], [2.0, 0.7]],))
def without_an_iter_of_their_own(rows):
    grid = Grid(rows) @ Grid([row[::-1] for row in rows])
    first, second = grid
    return sum(sum(row) * place for place, row in enumerate(grid)) + first[0] * second[1] * len(list(grid))
