"""Arrays that objects hold, whose methods compute with them, and that are written into later under other names."""
from __future__ import annotations

import numpy as np

from corpus.registry import positive, program


class Holder:
    def __init__(self, values):
        self.values = values

    def put(self, values):
        self.values = values

    def __call__(self, scale):
        return scale * self.values

    def squares(self):
        return self.values * self.values

    def product(self, other):
        return self.values * other.values

    def part(self):
        return self.values[1:]


def holder_of(values):
    return Holder(values)


def filled(values):
    values[0] = 7.0


def squares_and_more(holder):
    return holder.squares() * holder.values


def squares_before(holder, values):
    squares = holder.squares()
    values[0] = 9.0
    return squares.sum()


@program(lambda: (positive(1, 3),))
def under_its_own_name(x):
    u = x * 2.0
    held = Holder(u)
    y = held(u[1]) + held.squares()
    u[0] = 5.0
    return np.sum(y)


@program(lambda: (positive(1, 3),))
def by_an_object_that_a_function_makes(x):
    u = 2.0 * x
    y = holder_of(u).squares() + squares_and_more(holder_of(u))
    u[1] = 5.0
    return np.sum(y) + u.sum()


@program(lambda: (positive(1, 3),))
def by_an_object_that_got_it_later(x):
    first, second = Holder(x * x), Holder(2.0 * x)
    second.put(first.values)
    y = second.squares()
    first.values[1] = 5.0
    third = Holder(first.part())
    z = third.squares()
    first.values *= 2.0
    return np.sum(y) * np.sum(z)


@program(lambda: (positive(1, 3),), needs="shapes")
def by_objects_in_containers(x):
    u, v = 2.0 * x, x * x
    holders, table = [Holder(u), Holder(v)], {}
    table["first"] = Holder(v)
    y = holders[0].squares() + holders[1].product(table["first"])
    u[1] = 5.0
    filled(v)
    return np.sum(y)


@program(lambda: (positive(1, 4),), needs="shapes")
def through_views_and_in_turns(x):
    u = 2.0 * x
    held, total = Holder(u), 0.0
    for turn in range(3):
        total = total + held.squares().sum()
        u[turn] = total
    first = u[:2]
    y = held.squares()
    first *= 3.0
    return total + np.sum(y) + u.sum()


@program(lambda: (positive(1, 3),))
def by_a_function_that_gets_both(x):
    u = 2.0 * x
    return squares_before(Holder(u), u) + squares_before(Holder(x), u) + u.sum()


class Tank:
    def __init__(self, level):
        self.fill(level)

    def fill(self, level):
        self.level = level

    def pump(self, v):
        self.level[1] += v

    def heat(self, k):
        self.level *= k


class Named(Tank):
    def __init__(self, level, name):
        super().__init__(level)
        self.name = name


@program(lambda: (positive(1, 3),))
def what_a_method_put_into_an_object(x):
    tank = Tank(x)
    tank.fill(np.exp(x))
    tank.heat(2.0)
    return np.sum(tank.level ** 2)


@program(lambda: (positive(1, 3),))
def what_a_constructor_hands_to_another(x):
    held = Holder(2.0 * x)
    tank = Named(held.values, "north")
    tank.pump(0.3 * held.values[0])
    return np.sum(held.values ** 2)


@program(lambda: (positive(1, 3),), needs="shapes")
def by_constructors_that_call_methods(x):
    level = np.exp(x)
    tank = Tank(level)
    tank.heat(2.0)
    return np.sum(level ** 2)


class Gauge:
    def __init__(self, reading):
        self._reading = reading
        self.changes = 0

    @property
    def reading(self):
        return self._reading

    @reading.setter
    def reading(self, value):
        self._reading = value
        self.changes += 1

    def __getitem__(self, part):
        return self._reading[part]

    def __setitem__(self, part, value):
        self._reading[part] = value


@program(lambda: (positive(1, 3),))
def in_place_by_a_setter(x):
    first = np.exp(x)
    gauge = Gauge(first)
    gauge.reading *= x
    return np.sum(first ** 2) + gauge.changes


@program(lambda: (positive(1, 3),))
def in_place_by_setitem(x):
    first = np.exp(x)
    gauge = Gauge([first, 2.0 * x])
    gauge[0] += x
    gauge[1] *= gauge[0]
    return np.sum(first ** 2 * gauge[1])
