"""``sum``, ``functools.reduce`` and ``operator`` over objects and named tuples whose class says how they are added."""
from __future__ import annotations

import functools
import operator
from typing import NamedTuple

import numpy as np

from corpus.registry import normal, program


class Vector:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        if isinstance(other, (int, float)):
            return Vector(self.x + other, self.y + other)
        return Vector(self.x + other.x, self.y + other.y)

    __radd__ = __add__

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __abs__(self):
        return np.hypot(self.x, self.y)

    def __iter__(self):
        yield self.x
        yield self.y


class Force(NamedTuple):
    x: float
    y: float

    def __add__(self, other):
        return Force(self.x + other.x, self.y + other.y)


@program(lambda: (normal(1, 4), normal(2, 4)))
def sum_of_objects(x, y):
    vectors = [Vector(a, b) for a, b in zip(x, y)]
    total = sum(vectors)
    return total.x * total.y


@program(lambda: (normal(1, 4), normal(2, 4)))
def sum_from_a_start(x, y):
    total = sum((Vector(a, b) * 2.0 for a, b in zip(x, y)), Vector(0.0, 0.0))
    return abs(total)


@program(lambda: (normal(1, 4), normal(2, 4)))
def folded_objects(x, y):
    vectors = [Vector(a, b) for a, b in zip(x, y)]
    return abs(functools.reduce(operator.add, vectors)) * operator.neg(vectors[0]).x


@program(lambda: (normal(1, 4), normal(2, 4)))
def sum_of_named_tuples(x, y):
    forces = [Force(a * b, a + b) for a, b in zip(x, y)]
    total = sum(forces, Force(0.0, 0.0))
    return total.x * total.y
