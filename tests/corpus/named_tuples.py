"""Named tuples with operators and methods of their own, and arrays that are made of named tuples."""
from __future__ import annotations

from collections import namedtuple
from typing import NamedTuple

import numpy as np

from corpus.registry import normal, program


class Complex(NamedTuple):
    re: float
    im: float = 0.0

    def __add__(self, other):
        if isinstance(other, Complex):
            return Complex(self.re + other.re, self.im + other.im)
        return Complex(self.re + other, self.im)

    __radd__ = __add__

    def __mul__(self, other):
        if isinstance(other, Complex):
            return Complex(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)
        return Complex(self.re * other, self.im * other)

    __rmul__ = __mul__

    def __neg__(self):
        return Complex(-self.re, -self.im)

    def __sub__(self, other):
        return self + -other

    def __truediv__(self, number):
        return Complex(self.re / number, self.im / number)

    def __pow__(self, count):
        power = self
        for _ in range(count - 1):
            power = power * self
        return power

    def __matmul__(self, other):
        return self.re * other.re + self.im * other.im

    def __abs__(self):
        return np.sqrt(self.re**2 + self.im**2)

    def __call__(self, t):
        return self.re * t + self.im

    @property
    def size(self):
        return abs(self)


class State(namedtuple("State", "position velocity")):
    """A class derived from a named tuple, which adds to it."""

    __slots__ = ()

    def step(self, dt):
        return State(self.position + dt * self.velocity, self.velocity - dt * np.sin(self.position))

    @property
    def energy(self):
        return 0.5 * self.velocity**2 - np.cos(self.position)


@program(lambda: (normal(1, 4),))
def with_operators(x):
    z, w = Complex(x[0], x[1]), Complex(x[2])
    return abs(z * w + z - w / 2.0) + (2 * z)[0] + z**3 @ w + z(0.3) + z.size * x[3]


@program(lambda: (normal(1, 4),))
def with_operators_in_a_loop(x):
    z = Complex(0.0, 0.0)
    for value in x:
        z = z * z + Complex(value, 0.1)
        z += Complex(0.1, value)
        z *= 0.5
    return abs(z)


@program(lambda: (normal(1, 4),))
def with_operators_in_containers(x):
    found = {"z": Complex(x[0], x[1])}
    found["z"] += 3.0
    found["z"] = found["z"] * found["z"]
    others = [Complex(x[2], 0.0)]
    others[0] *= Complex(x[3], x[0])
    return abs(found["z"]) + abs(others[0])


@program(lambda: (normal(1, 3),))
def that_are_tuples_besides(x):
    z = Complex(x[0], x[1])
    joined = (x[2],) + tuple(z)
    first, second = z
    return sum(joined) * len(z) + first * z[1] + sum((*z, x[2])) * (second in z)


@program(lambda: (State(normal(1, 3), normal(2, 3)), 0.2))
def of_a_derived_class(state, dt):
    for _ in range(4):
        state = state.step(dt)
    state = state._replace(velocity=state.velocity * 2.0)
    return np.sum(state.energy) + np.sum(state[0])


@program(lambda: (normal(1, 4),))
def made_arrays(x):
    pair = Complex(x[0], x[1])
    row = np.array(pair)
    rows = np.asarray([Complex(x[1], x[2]), pair, State(x[3], x[0])])
    return (row**2).sum() + (rows @ row).prod() + np.stack(State(x, x**2)).std()


@program(lambda: (normal(1, 4),))
def made_an_array_of_a_list(x):
    points = [State(value, value**2) for value in x]
    table = np.array(points)
    return (table[:, 0] * table[:, 1]).sum() + np.array([point.velocity for point in points]).prod()


@program(lambda: (normal(1, 4),))
def stored_in_an_array(x):
    pair = State(x[0], x[1])
    table = np.zeros((3, 2))
    table[0] = pair
    table[1:] = Complex(x[2], x[3])
    return (table**2).sum() + (table[0] * table[1]).sum()


def squares(parts):
    total = 0.0
    for part in parts:
        total = total + np.sum(part**2)
    return total


@program(lambda: (normal(1, 3), 1))
def looped_over_and_read_by_a_number(x, which):
    state = State(x[0], np.sin(x))
    return squares(state) * np.sum(state[which]) + squares(np.linalg.slogdet(np.diag(x**2)))


class Three(NamedTuple):
    first: float
    second: float
    third: float


@program(lambda: (normal(31, 3),))
def taken_apart_with_a_rest(x):
    first, *rest = Three(x[0], x[1] * 2.0, x[2] ** 2)
    *others, last = Three(x, x * 2.0, x ** 2)
    total = first * rest[0] + rest[1]
    for each in others:
        total = total + np.sum(each * last)
    return total


class StateSpace(NamedTuple):
    T: np.ndarray
    Q: np.ndarray


@program(lambda: (normal(32, 3, 3), normal(33, 3, 3), normal(34, 3, 3)))
def field_with_the_name_of_a_transpose(t, q, p):
    model = StateSpace(t, q)
    for _ in range(2):
        p = model.T @ p @ model.T.T + model.Q
    return np.sum(p**2)


class Doubling:
    def __init__(self, T):
        self.T = T

    def __matmul__(self, other):
        return 2 * other


@program(lambda: (normal(35, 3, 3), normal(36, 3, 3)))
def attribute_with_the_name_of_a_transpose(t, x):
    doubling = Doubling(t)
    return np.sum(np.sin(doubling.T @ x) @ doubling.T.T) + np.sum(doubling @ x)
