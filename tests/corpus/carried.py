"""Objects that carry state through loops and calls: counters, lists and dicts in attributes, layers in lists."""
from __future__ import annotations

import abc
import copy
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from corpus.registry import normal, positive, program

# ---- methods that decide what later turns of a loop do


class Gauge:
    def __init__(self, x):
        self.x = x
        self.count = 0
        self.last = None

    def tick(self):
        self.count += 1

    def read(self):
        self.count += 1
        return self.x * self.count

    def keep(self, value):
        self.last = value

    def __call__(self, y):
        self.count += 1
        return self.x * self.count * y

    @property
    def next(self):
        self.count += 1
        return self.x * self.count


def ticked(gauge):
    gauge.count += 1


@program(lambda: (1.5,))
def branch_on_a_count(x):
    gauge, total = Gauge(x), 0.0
    for _ in range(3):
        if gauge.count == 0:
            total = total + x
        else:
            total = total + x * x
        gauge.tick()
    return total


@program(lambda: (1.5,))
def branch_on_a_count_that_a_function_changes(x):
    gauge, total = Gauge(x), 0.0
    for _ in range(3):
        total = total + (x if gauge.count == 0 else x * x)
        ticked(gauge)
    return total


@program(lambda: (1.5,))
def branch_on_what_was_kept(x):
    gauge, total = Gauge(x), 0.0
    for i in range(4):
        total = total + (x if gauge.last is None else x * gauge.last)
        if i > 0:
            gauge.keep(x * total)
    return total


@program(lambda: (Gauge(1.5),))
def branch_on_what_an_argument_keeps(gauge):
    total = 0.0
    for i in range(4):
        total = total + (gauge.x if gauge.last is None else gauge.x * gauge.last)
        if i > 0:
            gauge.keep(gauge.x * total)
    return total


@program(lambda: (1.5,))
def while_it_counts(x):
    gauge, total = Gauge(x), 0.0
    while gauge.count < 3:
        total = total + x * gauge.read()
    return total


@program(lambda: (1.5,))
def while_a_call_counts(x):
    gauge, total = Gauge(x), 0.0
    while gauge.count < 3:
        total = total + gauge(x)
    return total


@program(lambda: (1.5,))
def while_a_property_counts(x):
    gauge, total = Gauge(x), 0.0
    while gauge.count < 3:
        total = total + gauge.next
    return total


@program(lambda: (1.5,))
def left_when_it_has_counted(x):
    gauge, total = Gauge(x), 0.0
    while True:
        value = gauge.read()
        total = total + value * value
        if gauge.count >= 3:
            break
    return total


class Board:
    def __init__(self, x):
        self.gauge = Gauge(x)


@program(lambda: (1.5,))
def while_an_inner_object_counts(x):
    board, total = Board(x), 0.0
    while board.gauge.count < 3:
        board.gauge.tick()
        total = total + x * board.gauge.count
    return total


class Average:
    def __init__(self, rate):
        self.rate = rate
        self.value = None

    def update(self, x):
        self.value = x if self.value is None else self.rate * x + (1.0 - self.rate) * self.value
        return self.value


@program(lambda: (0.3, normal(1, 5)))
def average_of_numbers(rate, xs):
    average = Average(rate)
    for x in xs:
        average.update(x)
    return average.value ** 2


@program(lambda: (0.3, normal(2, 4, 3)))
def average_of_rows(rate, xs):
    average, total = Average(rate), 0.0
    for x in xs:
        total = total + (average.update(x) ** 2).sum()
    return total


def averaged(value, x, rate):
    return x if value is None else rate * x + (1.0 - rate) * value


@program(lambda: (0.3, normal(3, 4, 3)))
def none_until_the_first_turn(rate, xs):
    value = None
    for x in xs:
        value = averaged(value, x, rate)
    return (value ** 2).sum()


def shifted(value, x):
    return value + x


@program(lambda: (normal(4, 3), normal(5, 3), 2))
def what_may_be_none_and_its_element(x, w, count):
    value = None
    if count > 0:
        value = w * 1.0
    first = value[0] * 2.0
    return shifted(value, x), first


@program(lambda: (normal(4, 3), normal(5, 3), 2))
def what_may_be_a_number_and_its_element(x, w, count):
    value = 0
    if count > 0:
        value = w * 1.0
    first = value[0] * 2.0
    return shifted(value, x), first


class Recurrent:
    def __init__(self, w):
        self.w = w
        self.h = np.ones(3)

    def reset(self):
        self.h = np.zeros(3)

    def step(self, x):
        self.h = np.tanh(self.w @ self.h + x)
        return self.h

    def run(self, xs):
        self.reset()
        return [self.step(x) for x in xs]

    def summed(self, xs):
        self.reset()
        total = 0.0
        for x in xs:
            self.step(x)
            total = total + (self.h ** 2).sum()
        return total


@program(lambda: (Recurrent(normal(6, 3, 3)), normal(7, 4, 3)))
def reset_before_a_loop(network, xs):
    return network.summed(xs)


# ---- lists and dicts in attributes


class Logger:
    def __init__(self):
        self.log = []
        self.count = 0

    def push(self, value):
        self.log.append(value)
        self.count += 1

    def pop(self):
        return self.log.pop()

    def __len__(self):
        return len(self.log)


@program(lambda: (Logger(), normal(1, 4)), argnums=(1,))
def a_log_that_the_caller_sees(logger, x):
    for i in range(4):
        logger.push(x[i] ** 2)
    return sum(logger.log) * logger.count


@program(lambda: (normal(1, 4),))
def a_log_of_its_own(x):
    logger = Logger()
    for value in x:
        logger.push(value ** 2)
    return sum(logger.log) * logger.count


@program(lambda: (normal(1, 4),))
def pushed_one_by_one(x):
    logger = Logger()
    logger.push(x[0])
    logger.push(x[1] ** 2)
    logger.log.append(x[2])
    logger.log.insert(0, x[3] * x[0])
    return logger.log[0] * logger.log[1] * logger.log[2] * logger.log[3] * logger.count


@program(lambda: (2.0, 3.0))
def a_stack_with_methods(x, y):
    stack = Logger()
    stack.push(x)
    stack.push(y)
    stack.push(stack.pop() * stack.pop() + x)
    return stack.pop() ** 2


@program(lambda: (2.0, 3.0))
def a_stack_in_an_attribute(x, y):
    stack = Logger()
    stack.log.append(x)
    stack.log.append(y)
    stack.log.append(stack.log.pop() * stack.log.pop() + y)
    return stack.log.pop() ** 2


@program(lambda: (normal(1, 4),))
def emptied_by_a_while(x):
    stack, total = Logger(), 0.0
    for i in range(4):
        stack.push(x[i] * x[0])
    while len(stack):
        total = total * stack.pop() + 1.0
    return total


@program(lambda: (Logger(), normal(1, 4)), argnums=(1,))
def extended_in_an_attribute(logger, x):
    logger.log += [x[0] * x[1]]
    logger.log.extend([x[2], x[3] ** 2])
    return logger.log[0] * logger.log[1] * logger.log[2]


class Tracked:
    def __init__(self, w, *history):
        self.w = w
        self.history = list(history)

    def step(self, rate):
        self.w = self.w - rate * 2.0 * self.w
        self.history.append((self.w ** 2).sum())


@program(lambda: (normal(1, 3), 0.1))
def history_of_a_descent(w, rate):
    tracked = Tracked(w)
    for _ in range(3):
        tracked.step(rate)
    return sum(tracked.history)


@program(lambda: (normal(1, 3), 0.1))
def until_the_history_is_long(w, rate):
    tracked = Tracked(w)
    while len(tracked.history) < 3:
        tracked.step(rate)
    return tracked.history[-1] * tracked.history[0]


@program(lambda: (Tracked(normal(1, 3), normal(2, 3)), 0.1))
def histories_returned(tracked, rate):
    for _ in range(3):
        tracked.history.append(tracked.w * rate)
        tracked.w = tracked.w * rate
    return tracked


class Rows:
    def __init__(self):
        self.rows = [normal(3, 3), normal(4, 3)]


@program(lambda: (Rows(), normal(5, 3)))
def rows_replaced(table, x):
    table.rows[0] = x * x
    for i in range(2):
        table.rows[i] = table.rows[i] * x
    return (table.rows[0] * table.rows[1]).sum()


# ---- layers in lists


class Dense:
    def __init__(self, w, b):
        self.w = w
        self.b = b
        self.name = "dense"

    def __call__(self, x):
        return np.tanh(self.w @ x + self.b)

    def __add__(self, other):
        return 5.0

    def penalty(self):
        return (self.w ** 2).sum()


class Perceptron:
    def __init__(self, *layers):
        self.layers = list(layers)

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def penalty(self):
        return sum(layer.penalty() for layer in self.layers)


def perceptron():
    return Perceptron(Dense(normal(1, 3, 3), normal(2, 3)), Dense(normal(3, 3, 3), normal(4, 3)))


@program(lambda: (perceptron(), normal(9, 3)))
def layers_called_in_turn(network, x):
    return (network(x) ** 2).sum()


@program(lambda: (perceptron(), normal(9, 3)))
def layers_used_by_several_calls(network, x):
    return (network(x) ** 2).sum() + network(2.0 * x).sum() + network.penalty()


@program(lambda: (perceptron(), normal(9, 3)))
def layers_used_by_calls_and_a_loop(network, x):
    total = (network(x) ** 2).sum()
    for layer in network.layers:
        total = total + layer.w.sum() * layer.penalty()
    return total * network.penalty()


class Pair(NamedTuple):
    w: np.ndarray
    b: np.ndarray


@dataclass(frozen=True)
class Frozen:
    w: np.ndarray
    b: np.ndarray


def weighted(records):
    total = 0.0
    for record in records:
        total = total + (record.w ** 2).sum() * record.b[0]
    return total


@program(lambda: ([Pair(positive(1, 3, 3), normal(2, 3)), Pair(normal(3, 3, 3), normal(4, 3))],))
def named_tuples_given_to_several_calls(records):
    total = weighted(records)
    for record in records:
        total = total + record.w.sum() ** 2
    return total * weighted(records)


@program(lambda: ([Frozen(positive(1, 3, 3), normal(2, 3)), Frozen(normal(3, 3, 3), normal(4, 3))],))
def frozen_records_given_to_several_calls(records):
    total = weighted(records)
    for record in records:
        total = total + record.w.sum() ** 2
    return total * weighted(records)


# ---- stores that methods of the class do


class Vector:
    def __init__(self, w):
        self.w = w

    def __iadd__(self, other):
        self.w = self.w + other.w
        return self

    def __imul__(self, factor):
        return Vector(self.w * factor * 3.0)

    def __getitem__(self, i):
        return self.w[i]

    def __setitem__(self, i, value):
        self.w[i] = value

    def __len__(self):
        return len(self.w)

    def add(self, other):
        self.w = self.w + other
        return self


class Dial:
    def __init__(self, angle):
        self._angle = angle

    @property
    def angle(self):
        return self._angle

    @angle.setter
    def angle(self, value):
        self._angle = value * value


class Panel:
    def __init__(self, x):
        self.dial = Dial(x)
        self.dial.angle = x


@program(lambda: (Vector(normal(1, 4)), Vector(normal(2, 4))))
def added_in_place(a, b):
    a += b
    return (a.w ** 2).sum()


@program(lambda: (2.0,))
def in_place_gives_another(x):
    a = Vector(x)
    b = a
    a *= x
    return a.w * b.w


@program(lambda: (normal(1, 4), normal(2, 4)))
def added_in_a_loop(x, y):
    a = Vector(x)
    for i in range(3):
        a += Vector(y * i * a.w)
    return a.w


@program(lambda: (Vector(normal(1, 4)), normal(2, 4)), needs="shapes")
def items_set(a, x):
    a[0] = x[1]
    a[1] += x[2]
    return (a.w ** 2).sum() + a[2] * len(a)


@program(lambda: (Vector(normal(1, 4)), normal(2, 4)))
def items_set_in_a_loop(a, x):
    for i in range(1, len(x)):
        a[i] = x[i] * a[i - 1]
    return a


@program(lambda: (Dial(2.0), 3.0))
def angles_set(dial, x):
    dial.angle = x
    dial.angle += x
    for _ in range(2):
        dial.angle = x * dial.angle * 0.01
    return dial.angle * dial._angle


@program(lambda: (3.0,))
def angle_of_an_inner_object(x):
    panel = Panel(x)
    panel.dial.angle = x * panel.dial.angle
    return panel.dial.angle


@program(lambda: (normal(1, 4),))
def the_object_itself_returned(x):
    vector = Vector(x)
    for _ in range(3):
        vector = vector.add(x * vector.w)
    return (vector.w ** 2).sum()


# ---- records


@dataclass
class Particle:
    x: np.ndarray
    v: np.ndarray
    mass: float = 1.0

    def __post_init__(self):
        self.momentum = self.v * self.mass

    def step(self, dt):
        self.x = self.x + dt * self.v


@dataclass
class History:
    last: float = 1.0
    seen: list = field(default_factory=list)
    named: dict = field(default_factory=dict)
    buffer: np.ndarray = field(default_factory=lambda: np.zeros(2))

    def push(self, value):
        self.seen.append(value)


@dataclass
class Later(History):
    gain: float = field(init=False, default=2.0)

    def __post_init__(self):
        self.seen.append(self.last * self.gain)


class State(NamedTuple):
    x: np.ndarray
    v: np.ndarray

    def moved(self, distance):
        return self._replace(x=self.x + distance)


@dataclass
class Setting:
    gain: float
    bias: np.ndarray


@program(lambda: (normal(1, 3), normal(2, 3)))
def made_with_a_post_init(x, v):
    particle = Particle(x, v, 2.0)
    particle.step(0.1)
    return (particle.x * particle.momentum).sum()


@program(lambda: (2.0,))
def made_with_factories(x):
    history, other = History(x), History()
    history.push(x * x)
    history.push(x * 3.0)
    other.push(x)
    history.buffer[0] = x
    history.named["a"] = x * x
    return history.seen[0] * history.seen[1] * history.last * history.buffer[0] * history.named["a"] * other.seen[0]


@program(lambda: (2.0,))
def made_by_a_dataclass_that_inherits(x):
    later = Later(x)
    later.push(x)
    return later.seen[0] * later.seen[1] * later.gain


@program(lambda: (State(normal(1, 3), normal(2, 3)),))
def fields_replaced(state):
    state = state.moved(1.0)
    for _ in range(3):
        state = state._replace(x=state.x * state.v, v=state.x)
    return state.x @ state.v


@program(lambda: (Setting(2.0, normal(1, 3)),))
def dataclass_replaced(setting):
    other = replace(setting, gain=setting.gain ** 2)
    other.bias = other.bias * 2.0
    other.gain += 1.0
    return (other.bias * other.gain).sum() * setting.bias[0] * setting.gain


@program(lambda: (Dial(2.0),))
def object_copied(dial):
    other = copy.copy(dial)
    other.angle = other.angle * 3.0
    return dial.angle * other.angle


class Shape(abc.ABC):
    def __init__(self, size):
        self.size = size

    @abc.abstractmethod
    def area(self):
        ...

    @classmethod
    def unit(cls, n):
        return cls(np.ones(n))

    @classmethod
    def of(cls, x):
        return cls(2.0 * x)

    def doubled(self):
        return self.__class__(self.size * 2.0)


class Box(Shape):
    def area(self):
        return np.prod(self.size)


@program(lambda: (positive(1, 3),))
def made_by_class_methods(x):
    unit = Box.unit(3)
    unit.size = unit.size + x
    return Box.of(x).doubled().area() * unit.area()


# ---- arguments that are written into through what a function hands on


def the_same(u):
    return u


def inner_part(u):
    return u[1:]


def with_cubes(u):
    total = (u ** 3).sum()
    return u, total


class Measured:
    def __init__(self, w):
        self.w = w
        self.square = (w ** 2).sum()

    def scale(self, x):
        self.w *= x


@program(lambda: (normal(1, 3), 2.0))
def written_through_a_function(w, x):
    u = the_same(w)
    u[0] = x * u[1]
    return (u ** 3).sum()


@program(lambda: (normal(1, 3), 2.0))
def written_through_a_part_handed_on(w, x):
    v = inner_part(w)
    v[0] = x * v[1]
    return (v ** 3).sum()


@program(lambda: (normal(1, 3), 2.0))
def read_by_what_hands_it_on(w, x):
    u, total = with_cubes(w)
    u[0] = x * u[1]
    return (u ** 3).sum() * total


@program(lambda: (normal(1, 3), 2.0))
def written_through_an_object(w, x):
    measured, total = Measured(w), 0.0
    for _ in range(3):
        measured.scale(x)
        total = total + (measured.w ** 3).sum() * measured.square
    return total


@program(lambda: (normal(1, 3), 2.0))
def written_where_it_was_appended(w, x):
    tracked = Tracked(w * 1.0)
    tracked.history.append(w)
    tracked.history[0][0] = x
    return (tracked.history[0] ** 2).sum() + (tracked.w ** 3).sum()


class Recorder:
    def __init__(self, w):
        self.w = w
        self.history = []

    def record(self):
        self.history.append(self.w)

    def replaced(self, x):
        self.w = self.w + x


@program(lambda: (normal(1, 3), 2.0))
def recorded_and_replaced(w, x):
    recorder = Recorder(w * 1.0)
    for _ in range(3):
        recorder.record()
        recorder.replaced(x * recorder.w)
    return (recorder.history[0] * recorder.history[2]).sum()


# ---- arrays in lists and dicts, written into in part


@program(lambda: (normal(1, 3), 2.0))
def elements_of_arrays_in_a_dict(w, x):
    params = {"u": w * 2.0, "v": w * 3.0}
    params["u"][0] = x
    params["v"][1:] += x * params["u"][1:]
    return (params["u"] * params["v"]).sum()


@program(lambda: (normal(1, 3), 2.0))
def elements_of_arrays_in_a_list(w, x):
    rows = [w * i for i in range(3)]
    for i in range(3):
        rows[i][i] = x * rows[i][0] + w[i]
    return sum([(row ** 2).sum() for row in rows])


@program(lambda: (normal(1, 3), 2.0))
def elements_of_what_was_appended(w, x):
    rows = []
    for i in range(3):
        rows.append(w * i)
        rows[-1][i] = x
    return sum([(row ** 3).sum() for row in rows])


@program(lambda: (normal(1, 3), 2.0), needs="shapes")
def elements_of_arrays_deep_inside(w, x):
    groups = [[w * 2.0, w * 3.0], [w * 4.0]]
    groups[0][1][2] = x
    groups[1][0][0] += x
    groups[1][0].T[1:][0] *= x
    return (groups[0][1] * groups[1][0]).sum()
