"""Names that are given a new value after the old one was used."""
# ruff: noqa: RET504
from __future__ import annotations

import math

import numpy as np

from corpus.registry import normal, program, spread


@program(lambda: (0.8,))
def tower_of_sines(x):
    x = math.sin(x)
    x = x * math.exp(x)
    x = math.cos(x) / (1.0 + x * x)
    return x


@program(lambda: (normal(1, 4), 0.5))
def tanh_chain(x, y):
    y = np.tanh(x * y)
    y = np.tanh(x * y)
    y = np.tanh(x * y + y)
    return y


@program(lambda: (normal(2, 3),))
def parameter_overwritten(x):
    y = x * x
    x = y * x
    y = x - y
    return np.sum(x * y)


@program(lambda: (1.4, 0.3))
def name_of_another_kind(x, scale):
    value = x * scale
    value = np.array([value, value * value, 1.0])
    value = np.sum(value) * x
    return value


@program(lambda: (normal(3, 2, 3),))
def rank_changes_under_one_name(x):
    x = x * x
    x = x.sum(axis=0)
    x = np.outer(x, x)
    x = x[0] + x[2]
    return x


@program(lambda: (0.6, 1.7))
def overwritten_with_constant(x, y):
    z = x * y
    w = z * z
    z = 3.0
    w = w * z * y
    x = 2.0
    return w + x * y


@program(lambda: (0.6,))
def old_and_new(x):
    before = x
    x = x * x
    between = x
    x = x * before
    return x * between + before


@program(lambda: (normal(4, 5),))
def view_of_a_name_that_changes(x):
    y = x * 2.0
    head = y[:2]
    y = np.exp(y)
    return np.sum(head) * np.sum(y[:2] * head)


@program(lambda: (1.3, 0.4))
def iteration_by_hand(x, y):
    x, y = (x + y) / 2.0, (x * y) ** 0.5
    x, y = (x + y) / 2.0, (x * y) ** 0.5
    x, y = (x + y) / 2.0, (x * y) ** 0.5
    return x


@program(lambda: (spread(31, 5),))
def its_own_smallest(x):
    x = x.min()
    return x


@program(lambda: (spread(32, 3, 4),))
def its_own_largest_of_rows(x):
    y = x * 2.0
    y = np.max(y, axis=1)
    y = y.max()
    return y * y


@program(lambda: (spread(33, 4), 1.37 * spread(34, 4)))
def its_own_maximum_with_another(x, w):
    x, w = np.maximum(x, w), x
    x = np.minimum(x, w * 3.1)
    return (x * w).sum()


@program(lambda: (normal(35, 3, 3), normal(36, 2)))
def rows_under_the_name_of_something_shorter(x, w):
    row = w * 2.0
    for row in x:
        row = row * 1.5
    return np.sum(row * row)


@program(lambda: (normal(35, 0, 3), normal(36, 2)))
def no_rows_under_the_name_of_something_shorter(x, w):
    row = w * 2.0
    for row in x:
        row = row * 1.5
    return np.sum(row * row)


@program(lambda: (normal(37, 3, 4), normal(38, 3), [2, 0]))
def rows_cut_in_their_turns(x, w, places):
    row = w[places]
    total = 0.0
    for number, row in enumerate(x):
        row = np.sin(row[1:])
        if number == 1:
            continue
        row = row[:2] * w[number]
        total += row[0]
    return total + np.sum(row)


@program(lambda: (normal(39, 3, 3), normal(40, 3), [2, 0]))
def rows_of_rows_under_one_name(x, w, places):
    row = w[places]
    for row in x:
        if row[0] > 9.0:
            break
        for row in x:
            row = row * 1.5 + w[0]
    return np.sum(row ** 2)


@program(lambda: (normal(41, 4), np.array([0.3, 0.5, 0.4, 0.9])))
def several_results_under_the_name_of_an_operand(x, w):
    """The tangent of the mean reads the weights that were and the mean that is."""
    w = np.average(x, weights=w, returned=True)
    return w[0] ** 2 + w[1]


@program(lambda: (normal(42, 4, 2), normal(43, 4)))
def what_solves_under_the_name_of_what_it_solves(a, b):
    b = np.linalg.lstsq(a, b, rcond=None)
    return np.sum(b[0] ** 2)


@program(lambda: (normal(44, 4),))
def numbers_that_move_on(xs):
    p, q, t = 1.0, 2.0, 0.0
    for v, a in zip(xs, xs[1:]):
        q = q + v
        a = a + q * v
        q = p + q
        t += v
        p = a
    return t + p * q


@program(lambda: (normal(45, 4),))
def numbers_added_to_that_move_on(xs):
    p, q, t = 1.0, 2.0, 0.0
    for v in xs:
        a, b = v * 1.0, v * 2.0
        q = q + a
        b += q * a
        a += q * b
        p, q = a, p + q
        t += b
    return t + p * q


@program(lambda: (normal(46, 4),))
def results_of_calls_that_move_on(xs):
    p, q, t = 0.5, 0.2, 0.0
    for v, a in zip(xs, xs[1:]):
        q = weighted(q, v)
        a = weighted(a, q)
        q = weighted(p, q)
        t += v * q
        p = a
    return t + p * q


def weighted(a, b):
    return 0.5 * a * b + 0.1 * a


@program(lambda: (np.array([-0.5, 0.7, 0.3, -0.2]),))
def written_into_under_another_name_in_a_later_turn(x):
    s, b, t = x * 1.0, x * 2.0, 0.0
    for v in x:
        if v > 0.0:
            s -= x * 0.5
        else:
            b = x * v
            s = b
        t += b * b
        b = x * 3.0
    return np.sum(t * s)
