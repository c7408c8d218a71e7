"""Functions that write into their arguments under other names, and are called."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


def scaled(h, by):
    w = h
    w *= 2.0
    w += by
    return w


@program(lambda: (normal(1, 3),))
def changed_for_the_caller(x):
    u = x * 1.0
    scaled(u, x[0])
    return np.sum(u ** 2)


@program(lambda: (normal(2, 3),), needs="shapes")
def changed_and_given_back(x):
    u = x * 1.0
    v = scaled(u, x[0])
    return np.sum(u * v) + v[1]


def added(values, out=None):
    out = out if out is not None else np.zeros(3)
    out += values ** 2
    return out


@program(lambda: (normal(3, 3),))
def out_or_none(x):
    first = added(x)
    second = added(x * 2.0, first)
    return np.sum(first * second) + np.sum(added(x))


def smoothed(u, times):
    inner, left, right = u[1:-1], u[:-2], u[2:]
    for _ in range(times):
        inner += 0.1 * (left + right - 2.0 * inner)


@program(lambda: (normal(4, 6),))
def parts_of_an_argument(x):
    u = np.array(x)
    smoothed(u, 3)
    smoothed(u[::-1], 2)
    return np.sum(np.sin(u))


def relaxed(u, weight, deep):
    v = u
    if deep:
        relaxed(v, 0.5 * weight, False)
    v *= weight
    v[0] = weight ** 2


@program(lambda: (normal(5, 4), 0.7), argnums=(0, 1))
def handed_on_under_another_name(x, weight):
    u = x + 1.0
    relaxed(u, weight, True)
    return np.sum(u ** 3)


def doubled(u):
    u *= 2.0
    return u.sum()


@program(lambda: (normal(6, 3),), needs="shapes")
def written_through_a_part_and_under_its_own_name(x):
    u = np.sin(x)
    n = np.ones(3)
    v = u[1:]
    w = n[1:]
    w += v
    total = np.sum(w ** 3) + doubled(v)
    n[2] = 7.0
    return total + np.sum(u ** 2) + n[1]


@program(lambda: (normal(7, 3),))
def rows_handed_on_and_columns_written_later(x):
    m = np.outer(x, x + 1)
    n = np.ones((3, 3))
    total = 0.0
    for row, other in zip(m, n):
        other += row ** 2
        total += doubled(row) * np.sum(other)
        row *= other
    n[:, 0] = total
    return np.sum(np.tanh(m * n) * m)


@program(lambda: (normal(8, 3),))
def rows_that_a_function_reads_and_columns_written_later(x):
    m = np.outer(x, x + 1)
    total = 0.0
    for row in m:
        row += 2.0
        total += np.sum(row ** 3)
        f = lambda row=row: np.sum(row ** 2)  # noqa: E731
        total += f()
    m[:, 0] = total
    return np.sum(np.tanh(m)) + total


@program(lambda: (normal(8, 3),))
def rows_that_a_lambda_reads_and_columns_written_later(x):
    m = np.outer(x, x + 1)
    total = 0.0
    for row in m:
        row += 2.0
        total += np.sum(row ** 3)
        f = lambda: np.sum(row ** 2)  # noqa: B023, E731
        total += f()
    m[:, 0] = total
    return np.sum(np.tanh(m)) + total


@program(lambda: (normal(9, 3),), needs="shapes")
def two_parts_that_overlap(x):
    u = x * 1.0
    v = u[1:]
    z = u[:2]
    v += x[1:]
    total = np.sum(v ** 3)
    z *= 3.0
    total += doubled(v) * np.sum(z ** 2)
    return total + np.sum(u ** 2)


@program(lambda: (normal(3, 3),), needs="shapes")
def moved_on_where_turns_are_left_early(x):
    a = x * 1.0
    first = a
    for _ in range(3):
        if x[2] > 50.0:
            continue
        a[1] *= x[0]
        a = a * x[1]
    return np.sum(first) + a[0]


@program(lambda: (normal(3, 3),), needs="shapes")
def moved_on_while_something_holds(x):
    b = x * 1.0
    held = [b, np.sin(x)]
    n = 0
    while n < 3:
        n += 1
        b *= 0.9
        b = b * held[0]
    return np.sum(held[0]) + b[0]


@program(lambda: (normal(4, 3),), needs="shapes")
def rest_of_a_display(x):
    a, *b = [x * 1.0, x * 2.0, x * 3.0]
    b[0] *= a
    return np.sum(a * b[0])


@program(lambda: (normal(4, 3),), needs="shapes")
def display_in_a_display(x):
    a, (b, c) = [x * 1.0, [x * 2.0, x * 3.0]]
    d = [b, b]
    d[0] *= a
    return np.sum(a * b * c)


@program(lambda: (normal(4, 3),))
def item_of_the_last_turn(x):
    items = [x * 1.0, x * 2.0]
    for _ in range(2):
        u = items[0]
        u[0] += 0.1
        items[0] = items[1] * x
    return u[0] ** 2 + np.sum(items[0])


@program(lambda: (normal(4, 3),), needs="shapes")
def last_item_of_the_last_turn(x):
    grown = [x * 1.0]
    while len(grown) < 3:
        v = grown[-1]
        if v[0] > 0.5:
            grown.append(v * 0.5)
            continue
        v[0] += 0.1
        grown.append(v + x)
    return v[0] ** 2 + np.sum(grown[0])


@program(lambda: (normal(5, 3),))
def second_names_of_parts_of_lists(x):
    values = [x[0], 1.0, x[1]]
    turned, later = values[::-1], values[1:]
    first, second = turned, later
    first[0] = x[2]
    second.append(x[0] * x[1])
    return turned[0] * turned[2] + later[0] * later[-1]


def joined_up(first, second):
    return first * second ** 2


@program(lambda: (normal(6, 3), 2))
def rows_with_stars(x, k):
    rows, levels = [[x[0], 0.3], [1.0, x[1]]], [0.3, x[0]]
    row, table = rows[k - 2], {"r": levels}
    rows[k - 2][1] += x[2]
    table["r"][0] *= x[1]
    return joined_up(*row) + joined_up(*rows[k - 1]) + max(*levels, 0.1)


@program(lambda: (normal(7, 3),))
def grown_behind_what_was_empty(x):
    values, table, left = [], {}, []
    others, names = values, table
    others.append(x[0] * x[2])
    names["n"] = x[1] * x[2]
    left.extend(values)
    first = sum([x[1], *values]) * table.get("n", x[0])
    last = table.pop("n", 2.0)
    return first + last * sum(left)


@program(lambda: (normal(8, 3), 2))
def kept_if_it_is_there(x, k):
    found = {}
    for _ in range(k - 1):
        found["n"] = x[2]
    v = found.setdefault("n", x[0])
    return v * x[1]


class Shelf:
    def __init__(self):
        self.named = {}


@program(lambda: (normal(9, 3),))
def grown_in_an_object_that_a_list_gives(x):
    shelf = Shelf()
    found = shelf.named
    for one in [shelf]:
        one.named["n"] = x[2]
    total = x[0]
    for _, v in found.items():
        total += v * x[1]
    return total
