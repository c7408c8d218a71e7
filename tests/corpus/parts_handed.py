"""Rows, views, attributes and new arrays handed to functions that write into them; arrays in fields of named tuples and
in lists made by comprehensions, written into; what is picked out is a copy, and stays one."""
from __future__ import annotations

from collections import namedtuple

import numpy as np

from corpus.registry import normal, positive, program

State = namedtuple("State", "x v")
Weighted = namedtuple("Weighted", "state weight")


class Field:
    def __init__(self, u, rows):
        self.u, self.rows = u, rows


def fill(u, x):
    u[0] = x * u[1]
    u[1:] *= x


def filled(u, x):
    u[0] = x * u[1]
    u[1:] *= x
    return u


def fill_and_sum(u, x):
    u[0] = x * u[1]
    u[1:] *= x
    return u.sum()


def vector():
    return normal(1, 4), 1.3


def matrix():
    return normal(1, 3, 3), 1.3


def field():
    return Field(normal(1, 3), [normal(2, 3), normal(3, 3)]), 1.3


@program(vector)
def a_slice(x, k):
    fill(x[1:], k)
    return np.sum(x ** 2)


@program(vector)
def slices_by_names(x, k):
    i = 1
    fill(x[i:], k)
    i = 0
    fill(x[i:i + 2], k)
    return np.sum(x ** 2) * k


@program(vector, needs="shapes")
def new_arrays(x, k):
    u = filled(np.ones(4), k)
    v = filled(x.copy(), k)
    w = filled(x * 2.0, k)
    fill(x.flatten(), k)
    return np.sum(u * v * w * x)


@program(vector, needs="shapes")
def new_arrays_in_an_expression(x, k):
    return fill_and_sum(x * 1.0, k) + fill_and_sum(np.array([k, 1.0, 2.0]), k) * x[0]


@program(vector)
def two_parts_in_an_expression(x, k):
    total = fill_and_sum(x[:2], k) * fill_and_sum(x[1:], k)
    return total + np.sum(x ** 2)


@program(matrix, needs="shapes")
def rows_of_a_matrix(m, k):
    for i in range(2):
        fill(m[i], k)
    return np.sum(m ** 2)


@program(matrix, needs="shapes")
def columns_of_a_matrix(m, k):
    fill(m[:, 1], k)
    fill(m.T[0], k)
    return np.sum(m ** 2)


@program(vector)
def rows_of_what_is_reshaped(x, k):
    m = x.reshape(2, 2)
    total = fill_and_sum(m[0], k) + fill_and_sum(m[:, 1], k)
    return np.sum(m ** 2) * k * total


@program(field)
def attributes(o, k):
    fill(o.u, k)
    fill(o.u[1:], k)
    fill(o.rows[0], k)
    return np.sum(o.u * o.rows[0] * o.rows[1])


@program(lambda: ([normal(2, 3), normal(3, 3)], 1.3))
def arrays_in_a_list(rows, k):
    for i in range(2):
        fill(rows[i], k)
    return np.sum(rows[0] * rows[1])


@program(lambda: ({"a": normal(2, 3), "b": normal(3, 3)}, 1.3))
def arrays_in_a_dict(d, k):
    fill(d["a"], k)
    fill(d["b"][1:], k)
    return np.sum(d["a"] * d["b"])


@program(vector, needs="shapes")
def what_a_mask_picks(x, k):
    fill(x[x > -10.0], k)
    return np.sum(x ** 2) * k


@program(vector, needs="shapes")
def what_places_pick(x, k):
    places = np.argsort(x)
    u = filled(x[places], k)
    return np.sum(x ** 2) * k + np.sum(u * x)


def v_cycle(u, f, h):
    for _ in range(2):
        u[1:-1] = 0.5 * (u[2:] + u[:-2] - h * h * f[1:-1] * u[1:-1])
    if len(u) <= 3:
        return u
    r = np.zeros_like(u)
    r[1:-1] = f[1:-1] - (u[2:] - 2 * u[1:-1] + u[:-2]) / h ** 2
    e = v_cycle(np.zeros((len(u) + 1) // 2), r[::2], 2 * h)
    u[::2] += e
    u[1::2] += 0.5 * (e[1:] + e[:-1])
    return u


@program(lambda: (normal(1, 9),))
def multigrid(f):
    u = np.zeros(9)
    for _ in range(2):
        u = v_cycle(u, f, 0.125)
    return np.sum(u ** 2)


# ---- fields and items

@program(lambda: (State(normal(1, 3), normal(2, 3)), 1.2))
def fields(p, k):
    for i in range(3):
        p.x[i] = p.x[i - 1] * k
        p.v[:] += p.x * 0.1
    return np.sum(p.x * p.v)


@program(vector)
def fields_of_what_is_made(x, k):
    p = State(x.copy(), np.zeros(4))
    for i in range(4):
        p.v[i] += k * p.x[i]
        p.x[1:] *= p.v[:-1]
    y = p.x
    return np.sum(y * p.v)


@program(vector)
def fields_that_change_places(x, k):
    p = State(np.zeros(4), np.zeros(4))
    for i in range(4):
        p.v[i] = k * x[i]
        p = State(p.v, p.x + p.v)
    return np.sum(p.x * p.v)


@program(lambda: (Weighted(State(normal(1, 3), normal(2, 3)), 0.7), 1.2))
def fields_of_fields(w, k):
    w.state.x[0] = k * w.weight
    w.state.v[1:] = w.state.x[:-1] ** 2
    return np.sum(w.state.x * w.state.v) * w.weight


@program(vector)
def a_list_of_states(x, k):
    ps = [State(x * i, np.zeros(4)) for i in range(3)]
    for i in range(1, 3):
        ps[i].v[0] = ps[i - 1].x[1] * k
        ps[i].x[:] += ps[i - 1].v
    return sum(np.sum(p.x * p.v) for p in ps)


@program(vector)
def a_list_of_zeros(x, k):
    xs = [np.zeros(4) for _ in range(4)]
    xs[0][:] = x
    for i in range(1, 4):
        xs[i][0] = k * i
        xs[i][1:] = xs[i - 1][:-1] * xs[i - 1][1:]
        xs[i] *= 1.5
    return sum(np.sum(v ** 2) for v in xs)


@program(vector)
def levels_of_a_pyramid(x, k):
    levels = []
    n = 4
    while n >= 1:
        levels.append(np.zeros(n))
        n //= 2
    levels[0][:] = x
    for i in range(len(levels) - 1):
        levels[i + 1][:] = 0.5 * (levels[i][::2] + levels[i][1::2]) * k
    for i in range(len(levels) - 2, -1, -1):
        levels[i][::2] += levels[i + 1]
        levels[i][1::2] *= levels[i + 1]
    return np.sum(levels[0] ** 2)


@program(vector)
def a_table_of_zeros(x, k):
    table = [[np.zeros(3) for _ in range(2)] for _ in range(2)]
    for i in range(2):
        for j in range(2):
            table[i][j][i + j] = k * x[j] + i
            table[i][j] += table[0][0] * 0.5
    return sum(np.sum(b ** 2) for row in table for b in row)


# ---- the whole of what a function returns


def store_exponential(held, x):
    held["u"] = np.exp(x)
    return held["u"] @ held["u"]


def into_a_new_dict(held, x):
    held["n"] = {"u": 0.0}
    return store_exponential(held["n"], x)


@program(lambda: (normal(41, 3),))
def a_dict_in_a_returned_call(x):
    held = {}
    total = into_a_new_dict(held, x)
    return total * np.sum(held["n"]["u"])


class Inside:
    def __init__(self):
        self.u = 0.0

    def store(self, x):
        self.u = np.exp(x)
        return self.u @ self.u


class Outside:
    def __init__(self):
        self.inside = Inside()

    def store(self, x):
        return self.inside.store(x)

    def store_anew(self, x):
        self.inside = Inside()
        return self.inside.store(x * 0.5)


@program(lambda: (normal(42, 3),))
def objects_in_returned_calls(x):
    outside = Outside()
    total = outside.store(x) * np.sum(outside.inside.u)
    total += outside.store_anew(x)
    return total * np.sum(outside.inside.u)


def multiply_first(u, x):
    u[0] = u[1] * x
    u[1] += x
    return u[0] * u[1]


def into_a_new_array(held, x):
    held["a"] = np.ones(2)
    return multiply_first(held["a"], x)


def by_size(held, x):
    if x > 100.0:
        return multiply_first(held["a"], 2.0 * x)
    return multiply_first(held["a"], x)


@program(lambda: (normal(43, 3),))
def arrays_in_returned_calls(x):
    held = {}
    total = into_a_new_array(held, x[0])
    total = total * by_size(held, x[1])
    return total * np.sum(held["a"])


def append_square(values, x):
    values.append(x * x)
    return values[0] * 2.0


def into_a_new_list(held, x):
    held["values"] = []
    return append_square(held["values"], x)


@program(lambda: (normal(44, 3),))
def a_list_in_a_returned_call(x):
    held = {}
    total = into_a_new_list(held, x[0])
    for i in range(3):
        total = total + append_square(held["values"], x[i])
    return total * held["values"][-1] + held["values"][0]


def flat(x):
    y = (2.0 * x).reshape(-1)
    return y, x * x


@program(lambda: (normal(45, 2, 3),))
def an_array_of_a_tuple_that_a_method_made(x):
    y, z = flat(x)
    parts = [y]
    y *= z.ravel()
    return parts[0].sum()


@program(lambda: (normal(1, 3, 4), 1.3))
def transposes_handed(m, x):
    fill(m.T, x)
    s = fill_and_sum(m.T, m[0, 0])
    return (m ** 2).sum() + s


def turn(u, v, c, s):
    old = u.copy()
    u[:] = c * u + s * v
    v[:] = c * v - s * old


@program(lambda: (normal(1, 3, 3), 0.4))
def two_rows_that_a_helper_writes(x, angle):
    m = x * 1.0
    for p in range(2):
        for q in range(p + 1, 3):
            turn(m[p], m[q], np.cos(angle), np.sin(angle) * m[p, q])
            turn(m[:, p], m[:, q], np.cos(angle), np.sin(angle))
    u, v = m[0], m[1]
    turn(u, v, angle, u[0])
    return np.sum(m ** 3) + u @ v


def advance(row, before, rate):
    for i in range(1, len(row) - 1):
        row[i] = before[i] * row[i] + rate * (before[i + 1] - before[i - 1])


def march(rows, rate):
    for k in range(1, len(rows)):
        advance(rows[k], rows[k - 1], rate)


@program(lambda: (positive(1, 3, 4), 0.3))
def by_a_helper_that_hands_on_rows(u, rate):
    march(u, rate)
    march(u, 2.0 * rate)
    return np.sum(u ** 2)


def in_halves(u, rate):
    middle = len(u) // 2
    if middle > 0:
        in_halves(u[:middle], rate)
        in_halves(u[middle:], 2.0 * rate)
        u[0] = u[0] * u[middle] + rate
        u[middle:] *= u[0]


@program(lambda: (positive(1, 5), 0.3))
def by_a_function_that_hands_parts_to_itself(u, rate):
    in_halves(u, rate)
    return np.sum(u ** 2)
