"""The order in which Python evaluates, stores and binds, where the order is seen."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


@program(lambda: (normal(1, 3),))
def index_bound_after_its_store(x):
    i = 0
    u = np.zeros(3)
    u[i] = i = 2
    return (u * x).sum() + i * x[0]


@program(lambda: (normal(2, 3),))
def index_bound_before_its_store(x):
    i = 0
    u = np.zeros(3) * x
    i = u[i] = 2
    return (u * x).sum() + i * x[0] + u[2] * x[1]


@program(lambda: (normal(3, 3),))
def index_unpacked_after_its_store(x):
    i = 0
    u = np.zeros(4) * x[0]
    u[i], i = 5 * x[1], 2
    return (u * np.arange(4.0)).sum() + i * x[0] + u[0]


@program(lambda: (normal(4, 3),))
def stores_around_the_binding_of_their_index(x):
    i = 0
    u, v = np.zeros(4) * x[0], np.zeros(4) * x[0]
    u[i], i, v[i] = 5 * x[1], 2, x[2]
    return (u * np.arange(1, 5.0)).sum() + i * x[0] + v[2] ** 2


@program(lambda: (normal(5, 3),))
def array_bound_anew_after_its_store(x):
    a, b = x * 2, x * 3
    a[0], a = x[1], b
    return (a * a).sum()


@program(lambda: (normal(6, 3),))
def array_bound_anew_before_its_store(x):
    a, b = x * 2, x * 3
    first = a
    a, a[0] = b, x[1]
    return (a * a).sum() + (first ** 3).sum()


@program(lambda: (normal(7, 3),))
def starred_name_after_a_store_that_reads_it(x):
    rows = [x * 2, x * 3]
    k = 0
    rows[k], (k, *k) = x ** 2, (1, 2, 3)
    return sum((row * row).sum() for row in rows) + k[0] * x[0]


@program(lambda: (normal(8, 3),))
def one_value_for_names_and_elements(x):
    u = x * 1.0
    a = u[1] = b = x[0] * x[2]
    return (u ** 2).sum() * a * b


@program(lambda: (normal(9, 3),))
def one_number_for_names_and_elements(x):
    u = x * x
    a = u[0] = u[-1] = b = 2.0
    return (u ** 2).sum() * a + b * x[0]


@program(lambda: (normal(10, 3),))
def name_bound_twice_in_one_unpacking(x):
    i = 0
    u = x * x
    i, u[i], i = 1, x[0] * x[2], 2
    return (u ** 2).sum() + u[i]


@program(lambda: (normal(11, 4),))
def next_place_in_a_ring(x):
    u = np.zeros(4)
    place = 0
    for value in x:
        u[place], place = value * value, (place + 3) % 4
    return (u * np.arange(1.0, 5.0)).sum()


@program(lambda: (normal(12, 4),))
def list_and_place_in_one_line(x):
    items = [0.0, 0.0, 0.0, 0.0]
    place = 3
    for value in x:
        items[place], place = value ** 3, place - 1
    return items[0] * items[1] + items[2] * items[3]


class Cursor:
    def __init__(self):
        self.place = 0
        self.values = np.zeros(4)

    def put(self, value):
        self.values[self.place], self.place = value * value, self.place + 1


@program(lambda: (normal(13, 4),))
def attribute_as_index_bound_after_its_store(x):
    cursor = Cursor()
    for value in x:
        cursor.put(value)
    return (cursor.values * np.arange(1.0, 5.0)).sum() * x[0]


class Taker:
    def __init__(self, x):
        self.x, self.count = x, 0

    def take(self):
        self.count += 1
        return self.x * self.count

    @property
    def taken(self):
        return self.take()


TAKEN = [0]


def taken_outside(x):
    TAKEN[0] += 1
    return x * TAKEN[0]


@program(lambda: (0.8,))
def places_that_move_while_the_value_comes(x):
    taker, count, TAKEN[0] = Taker(x), 0, 0

    def drawn():
        nonlocal count
        count += 1
        return x * count

    u, m, items = np.zeros(5), np.zeros((6, 6)), [x, 0.0, 0.0]
    items[taker.count] *= taker.take() + 1.0
    items.insert(taker.count - 1, taker.take())
    u[taker.count] += taker.take()
    m[taker.count, taker.count + 1] -= taker.taken
    rows = [[], [], [], [], [x], [x]]
    rows[taker.count].append(taker.take())
    u[count] += drawn()
    u[TAKEN[0]] += taken_outside(x)
    return items[0] * u[1] + u[0] + m[3, 4] ** 2 + np.sum(m) + len(rows[4]) * rows[4][-1] + np.sum(u ** 2)
