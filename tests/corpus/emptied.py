"""Containers that are emptied, cut or filled under a second name that nothing reads afterwards."""
from __future__ import annotations

from collections import deque

import numpy as np

from corpus.registry import program


@program(lambda: (0.7,))
def cleared_under_a_name(x):
    d = {"a": [x, 2 * x, x ** 2], "n": 1.0}
    p = d["a"]
    p.clear()
    d["a"].append(x ** 3)
    return sum(d["a"]) * d["a"][0] * d["n"]


@program(lambda: (0.7,))
def cleared_by_a_slice(x):
    rows = [[x, 2 * x, x ** 2], [x]]
    p = rows[0]
    p[:] = []
    rows[0].append(x ** 3)
    return sum(rows[0]) * rows[0][0] * rows[1][0]


@program(lambda: (0.7,))
def both_names_of_one_list(x):
    xs = [x, 2 * x, x ** 2]
    p = xs
    p.clear()
    xs.append(x ** 3)
    return sum(xs) * xs[0]


@program(lambda: (0.7,))
def taken_apart_and_cleared(x):
    rows = [[x, 2 * x, x ** 2], [x]]
    p, q = rows
    p.clear()
    rows[0].append(x ** 3)
    return sum(rows[0]) * rows[0][0] * q[0]


@program(lambda: (0.7,))
def each_row_cleared(x):
    rows = [[x, 2 * x, x ** 2], [x, x ** 4, 1.0]]
    for row in rows:
        row.clear()
    rows[0].append(x ** 3)
    rows[1].append(2 * x)
    return sum(rows[0]) * rows[0][0] + rows[1][0]


@program(lambda: (0.7,))
def each_row_begins_anew(x):
    rows = [[x, 2 * x, x ** 2], [x, x ** 4, 1.0]]
    for row in rows:
        row[:1] = [x, x ** 2, 3.0]
    rows[0].append(x ** 3)
    rows[1].append(2 * x)
    return sum(rows[0]) * rows[0][0] + rows[1][0]


class Box:
    def __init__(self, values):
        self.values = values


@program(lambda: (0.7,))
def cleared_beside_its_attribute(x):
    box = Box([x, 2 * x, x ** 2])
    p = box.values
    p.clear()
    box.values.append(x ** 3)
    return sum(box.values) * box.values[0]


def itself(values):
    return values


@program(lambda: (0.7,))
def cleared_as_given_back(x):
    d = {"a": [x, 2 * x, x ** 2], "n": 1.0}
    p = itself(d["a"])
    p.clear()
    d["a"].append(x ** 3)
    return sum(d["a"]) * d["a"][0]


def clear_first(pair):
    p = pair[0]
    p.clear()


@program(lambda: (0.7,))
def cleared_by_a_function(x):
    pair = [x, 2 * x, x ** 2], 1.0
    clear_first(pair)
    pair[0].append(x ** 3)
    return sum(pair[0]) * pair[0][0]


def delete_first(pair):
    p = pair[0]
    del p[:]


@program(lambda: (0.7,))
def deleted_from_by_a_function(x):
    pair = [x, 2 * x, x ** 2], 1.0
    delete_first(pair)
    pair[0].append(x ** 3)
    return sum(pair[0]) * pair[0][0]


def only_the_product(pair):
    p = pair[0]
    p[:] = [p[0] * p[1]]


@program(lambda: (1.3,))
def only_the_product_is_left(x):
    pair = [x * 2.0, x ** 2], 2.0
    only_the_product(pair)
    pair[0].append(pair[0][0] * x)
    return pair[0][0] * pair[0][1]


@program(lambda: (np.array([0.7, 1.3, -0.4]), 3))
def emptied_under_a_name_of_each_turn(x, k):
    values, table, last = [], {}, deque(maxlen=2)
    for turn in range(k):
        values.append(x[turn] ** 2)
        table[turn] = x[turn] * x[0]
        last.append(x[turn] * 3.0)
        items, named, latest = values, table, last
    total = x[0]
    while items:
        total = total * 0.5 + items[-1] * items.pop()
    for turn in range(k - 1):
        total = total * named.pop(turn)
    return total + latest.popleft() * latest.popleft()


@program(lambda: (np.array([0.7, 1.3, -0.4]),))
def another_list_behind_what_was_added_to(x):
    turned, cut = [v for v in x if v > 1.0], [v for v in x if v < 1.0]
    backwards, first = turned, cut
    backwards.extend([x[0], x[1] ** 2])
    backwards.reverse()
    first.extend([x[1], x[2]])
    first[:1] = [x[1] * 3.0]
    return turned[0] * turned[1] - cut[0] * cut[1] + sum(cut) ** 2
