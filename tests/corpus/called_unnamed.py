"""Special methods that give differentiated values where Python's own types give a truth or a whole number."""
from __future__ import annotations

import functools
import math
import operator
import statistics

import numpy as np

from corpus.registry import normal, program


class Soft:
    """A truth between 0 and 1."""

    def __init__(self, degree):
        self.degree = degree

    def __and__(self, other):
        return Soft(self.degree * other.degree)

    def __or__(self, other):
        return ~(~self & ~other)

    def __xor__(self, other):
        return (self | other) & ~(self & other)

    def __invert__(self):
        return Soft(1.0 - self.degree)

    def __bool__(self):
        return bool(self.degree > 0.5)


class Level:
    def __init__(self, height, sharpness=2.0):
        self.height = height
        self.sharpness = sharpness

    def below(self, other):
        other = other.height if isinstance(other, Level) else other
        return Soft(1.0 / (1.0 + np.exp(self.sharpness * (self.height - other))))

    def __lt__(self, other):
        return self.below(other)

    def __gt__(self, other):
        return ~self.below(other)

    def __eq__(self, other):
        return (self < other) & (self > other)

    def __ne__(self, other):
        return ~(self == other)

    __hash__ = None

    def __round__(self, digits=1):
        return Level(self.height, self.sharpness * (digits + 1.0))

    def __floor__(self):
        return Level(self.height - 1.0, self.sharpness)

    def __ceil__(self):
        return Level(self.height + 1.0, self.sharpness)

    def __trunc__(self):
        return self.height * self.sharpness


@program(lambda: (0.7, 1.3))
def comparisons(x, y):
    low, high = Level(x), Level(y)
    rule = (low < high) | ~(low > 0.5)
    other = (2.0 > high) ^ (low == high)
    return rule.degree * other.degree + (low != 1.0).degree + operator.gt(high, x).degree


@program(lambda: (0.7, 1.3))
def comparisons_as_tests(x, y):
    low, high = Level(x), Level(y)
    total = x if low < high else y
    while low < 2.0:
        low = Level(low.height * 2.0)
        total = total * y
    degrees = [(Level(x * k) < y).degree for k in range(3) if Level(x * k) < 5.0]
    return total + sum(degrees) * (y if low > high and not high > 4.0 else x)


@program(lambda: (0.7, 1.3))
def negation(x, y):
    soft = ~Soft(x * y)
    pair = [~Soft(x), Soft(y) & ~soft]
    return soft.degree ** 2 + pair[0].degree * pair[1].degree


@program(lambda: (0.7, 1.3))
def roundings(x, y):
    level = Level(x, y)
    parts = round(level), round(level, 3), math.floor(level), math.ceil(level)
    return sum(part.height * part.sharpness for part in parts) + math.trunc(level) ** 2


class HasHeight(type):
    def __instancecheck__(cls, item):
        return hasattr(item, "height")


class High(metaclass=HasHeight):
    """What has a height, whatever its class."""


@program(lambda: (0.7, 1.3))
def classes_with_checks_of_their_own(x, y):
    level = Level(x)
    first = level.height * y if isinstance(level, High) else y
    match level:
        case High():
            first = first * y
    return first ** 2 if isinstance(y, (int, High)) else first + y


class Slots:
    def __init__(self, values):
        self.values = values

    def __delitem__(self, place):
        self.values[place] = 2.0


@program(lambda: (np.array([0.7, 1.3, -0.4]),))
def items_deleted(x):
    slots = Slots(x * 2.0)
    del slots[1]
    return np.sum(slots.values ** 2)


class Countdown:
    def __init__(self, left):
        self.left = left

    def __iter__(self):
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration
        self.left -= 1
        return self.left * 0.5


@program(lambda: (0.7, 1.3))
def constant_iterators_run_through(x, y):
    steps = list(Countdown(3))
    return x ** 2 * steps[0] + sum(Countdown(4)) * x * y + max(Countdown(2)) * y


class Tally:
    """What is added is told by its class."""

    def __init__(self):
        self.total = 1.0

    @functools.singledispatchmethod
    def add(self, value, weight=1.0):
        raise TypeError(type(value))

    @add.register
    def _(self, value: float, weight=1.0):
        self.total = self.total * value
        return weight * value

    @add.register
    def _(self, value: np.ndarray, weight=1.0):
        self.total += np.sum(weight * value ** 2)


@program(lambda: (np.array([0.7, 1.3, -0.4]),))
def methods_by_the_class_of_what_they_get(x):
    tally = Tally()
    tally.add(x)
    first = tally.add(x[0], weight=3.0)
    tally.add(x * 2.0, 0.5)
    return tally.total * first + tally.add(x[1])


@program(lambda: (np.array([0.7, 1.3, -0.4]),))
def generators_that_math_runs_through(x):
    squares = math.fsum(v * v for v in x)
    return squares * math.prod(v + 1.0 for v in x) + math.fsum(map(lambda v: v ** 3, x))


@program(lambda: (np.array([0.7, 1.3, -0.4]), 2.0))
def statistics_of_lists(x, scale):
    powers = [scale * v ** 2 for v in x]
    middles = statistics.median(powers) * statistics.median([scale, 1.0])
    spreads = statistics.stdev(powers) * statistics.pstdev([scale, x[0]]) + statistics.variance(x)
    means = statistics.mean(powers) * statistics.fmean(v * scale for v in x)
    other_means = statistics.harmonic_mean(powers) * statistics.geometric_mean(v ** 2 for v in x)
    return middles + spreads + means + other_means + statistics.pvariance(powers)


@program(lambda: ([0.7, 1.3, -0.4], [0.2, 0.9, 1.5]))
def distances_of_lists(p, q):
    middle = [(a + b) / 2.0 for a, b in zip(p, q)]
    return math.dist(p, q) ** 2 + math.dist(middle, (0.3, 0.1, p[0])) * math.dist([p[1], q[2]], middle[1:])


class Constant:
    def __init__(self, rate):
        self.rate = rate

    def __call__(self):
        return self.rate

    def __str__(self):
        return f"Constant({self.rate})"


class Descent:
    def __init__(self, rate):
        self.schedule = Constant(rate)
        self.told = {"schedule": str(self.schedule), "rate": rate}

    def step(self, w):
        return w - self.schedule() * np.sin(w)


@program(lambda: (0.3, normal(40, 3)))
def objects_as_texts(rate, w):
    descent = Descent(rate)
    assert repr(descent.schedule) and format(descent.schedule) == descent.told["schedule"]
    return np.sum(descent.step(descent.step(w)) ** 2)
