"""Programs that note something in outer variables: counters, logs, traces."""
from __future__ import annotations

import collections
import types

import numpy as np

from corpus.registry import normal, program

COUNT = {"calls": 0, "deep": {"turns": 0}}
LOG: list = []
RECENT: collections.deque = collections.deque(maxlen=3)
SEEN: set = set()
SIZES = np.zeros(4)
METER = types.SimpleNamespace(calls=0, values=[])


@program(lambda: (0.7,))
def counted(x):
    COUNT["calls"] += 1
    COUNT["deep"]["turns"] += 2
    return x * x


@program(lambda: (normal(1, 3),))
def logged_in_a_loop(x):
    for turn in range(3):
        x = np.sin(x) * x
        LOG.append(float(x[0]))
        LOG.append((turn, x.sum().item(), x.tolist()))
        if len(LOG) > 20:
            LOG.clear()
    return np.sum(x)


@program(lambda: (normal(2, 4),))
def noted_in_many_ways(x):
    SIZES[0] = x.size
    SIZES[1] += float(np.max(x))
    RECENT.appendleft(f"{x[0]:.3f}")
    SEEN.add(len(x))
    METER.calls += 1
    METER.values.append(x.copy().shape)
    COUNT["last"] = COUNT.get("last", 0) + int(x[0] > 0)
    del COUNT["last"]
    return np.sum(x**2)


@program(lambda: (0.4,))
def counted_by_a_function_inside(x):
    def square(y):
        COUNT["calls"] += 1
        noted_by_its_caller.calls += 1
        return y * y

    return square(x) + square(2.0 * x)


def noted_by_its_caller(y):
    LOG.append(float(y))
    noted_by_its_caller.calls += 1
    return y**3


noted_by_its_caller.calls = 0


@program(lambda: (0.8,))
def a_helper_that_notes(x):
    return noted_by_its_caller(x) + noted_by_its_caller(x * x)


@program(lambda: (0.8,))
def noted_before_an_exception(x):
    y = x
    try:
        LOG.append(float(x))
        y = x * x
        if y < 100.0:
            raise ValueError
    except ValueError:
        COUNT["calls"] += 1
        y = x * 3.0
    return y


def counter():
    count = {"calls": 0}
    values = []

    def count_and_square(x):
        count["calls"] += 1
        first, count["first"] = x * x, 1
        values.append(float(first))
        return first * x

    return count_and_square


counted_in_a_cell = program(lambda: (0.8,))(counter())


def told_of(x, tell):
    tell(x)
    return x * x


@program(lambda: (0.4,))
def noted_by_functions_handed_on(x):
    def note(y):
        return SEEN.add(int(y > 0.0))

    note(x)
    return told_of(x, lambda y: LOG.append(float(y))) + told_of(2.0 * x, lambda y: COUNT.update(last=float(y)))


@program(lambda: (normal(3, 9),))
def differentiated_values_noted(x):
    total = 0.0
    for value in x:
        total = total + value ** 2
        LOG.append(total)
    scaled = x * total
    METER.last = scaled.copy()
    METER.values.append((total, scaled * 2.0))
    COUNT["total"] = total
    SIZES[:3] = scaled[:3]
    scaled *= x
    return np.sum(scaled)


class Layer:
    """A layer that counts, keeps what it gave last, and remembers what it computed of no argument."""

    def __init__(self):
        self.weights = np.array([0.5, -1.0, 2.0])
        self.calls = 0
        self.last = None
        self.trace = []
        self.powers = {}

    def power(self, degree):
        if degree not in self.powers:
            self.powers[degree] = self.weights ** degree
        return self.powers[degree]

    def __call__(self, x):
        self.calls += 1
        given = np.tanh(x[:3] * self.power(1)) + self.power(2)
        self.last = given.copy()
        self.trace.append(given.sum())
        return given


LAYER = Layer()


@program(lambda: (normal(3, 9),))
def noted_by_methods(x):
    return np.sum(LAYER(x) * LAYER(x * 2.0)) + LAYER.weights @ LAYER(x ** 2)


@program(lambda: (normal(3, 4),))
def counted_by_a_method(x):
    METER_OF_CALLS.add()
    before = METER_OF_CALLS.count
    METER_OF_CALLS.add()
    return x @ x * (METER_OF_CALLS.count - before)


class Calls:
    count = 0

    def add(self):
        self.count += 1


METER_OF_CALLS = Calls()


class Basis:
    """Notes that a class keeps for all its objects."""

    made = 0
    known: dict = {}
    asked: list = []
    table = {"turns": 1.0}

    def __init__(self, scale):
        Basis.made += 1
        self.number = Basis.made
        self.scale = scale

    @classmethod
    def of(cls, size):
        if size not in cls.known:
            cls.known[size] = np.linspace(0.0, 1.0, size) ** 2
        return cls.known[size]

    def __call__(self, x):
        Basis.asked.append(len(x))
        self.__class__.table["turns"] += 1.0
        return np.tanh(x * self.scale) @ self.of(len(x))


class Wider(Basis):
    pass


@program(lambda: (normal(5, 3), 0.7))
def counted_by_a_class(x, scale):
    before, turns = Basis.made, Basis.table["turns"]
    first, second = Basis(scale), Wider(scale * 2.0)
    total = first(x) * (first.number - before) + second(x) * (second.number - before)
    return total * (Basis.made - before) * (Wider.table["turns"] - turns)


@program(lambda: (normal(6, 3),))
def class_level_cache(x):
    Basis.asked.clear()
    return sum(Basis.of(3) @ x ** power for power in (1, 2)) * (1 + len(Wider.asked))


class Rate:
    value = 0.1

    @property
    def doubled(self):
        return Rate.value * 2.0


@program(lambda: (normal(7, 2),))
def constant_of_a_class_that_changes(x):
    rate = Rate()
    Rate.value = 0.5
    y = x * rate.doubled
    for _ in range(2):
        Rate.value += 1.0
        y = y * x * rate.doubled * rate.value
    Rate.value = 0.1
    return np.sum(y)


class Noting:
    log: list = []

    def __init__(self, rate):
        self.rate = rate

    def step(self, v):
        self.__class__.log.append(float(v))
        type(self).log.append(len("step"))
        return v * self.rate


GIVEN = Noting(0.5)


@program(lambda: (np.array([0.4, 1.3]),))
def noted_in_the_class(x):
    return sum(Noting(0.3).step(v) ** 2 for v in x) * GIVEN.step(x[0])
