"""Arrays whose elements loops fill, once or more than once, and read: which of them are at the end what they were."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


def series():
    return normal(901, 6), 0.4


@program(series)
def recurrence(y, a):
    e = np.zeros(len(y))
    for t in range(1, len(y)):
        e[t] = y[t] * a - e[t - 1] ** 2
    return np.sum(e ** 2)


@program(series)
def backwards(y, a):
    n = len(y)
    e = np.zeros(n)
    e[n - 1] = y[n - 1] ** 2
    for t in range(n - 2, -1, -1):
        e[t] = y[t] / (a + e[t + 1] ** 2)
    return np.sum(e * e)


@program(series)
def counted_from_the_end_at_first(y, a):
    e = np.ones(len(y))
    for t in range(len(y)):
        e[t] = y[t] * e[t - 1] ** 2 + a
    return np.sum(e * y)


@program(series)
def read_ahead(y, a):
    e = y + 0.0
    for t in range(len(y) - 1):
        e[t] = e[t + 1] ** 2 * a + e[t] ** 2
    return np.sum(e ** 2)


@program(series)
def swept_over_again(y, a):
    e = np.zeros(len(y))
    for _ in range(3):
        for t in range(1, len(y)):
            e[t] = y[t] + a * e[t - 1] ** 2 + np.sin(e[t])
    return np.sum(e ** 2)


@program(series)
def changed_in_the_same_turn(y, a):
    e = np.zeros(len(y))
    for t in range(1, len(y)):
        e[t] = y[t] * e[t - 1] + a
        e[t] = e[t] ** 2
    return np.sum(e ** 2)


@program(series)
def changed_behind_the_loop(y, a):
    e = np.zeros(len(y))
    for t in range(1, len(y)):
        e[t] = y[t] * a + e[t - 1] ** 2
    for t in range(len(y)):
        e[t] *= y[t]
    return np.sum(e ** 2)


@program(series)
def changed_as_a_whole_behind_the_loop(y, a):
    e = np.zeros(len(y))
    for t in range(1, len(y)):
        e[t] = y[t] * a + e[t - 1] ** 2
    e *= a
    return np.sum(e ** 2)


@program(series)
def under_another_name(y, a):
    e = np.ones(len(y))
    other = e
    for t in range(1, len(y)):
        e[t] = y[t] / (a + e[t - 1] ** 2)
        other[t - 1] = a
    return np.sum(e ** 2)


@program(series)
def given_to_the_caller(y, a):
    e = np.ones(len(y))
    for t in range(1, len(y)):
        e[t] = y[t] / (a + e[t - 1] ** 2)
    return e


@program(series)
def in_steps_of_two(y, a):
    e = np.ones(len(y) + 2)
    for t in range(2, len(y), 2):
        e[t] = y[t] / (a + e[t - 2] ** 2) + e[t + 1]
    return np.sum(e ** 2)


@program(lambda: (normal(902, 6).astype(np.float32), 0.4))
def in_single_precision(y, a):
    e = np.ones(len(y), dtype=np.float32)
    for t in range(1, len(y)):
        e[t] = np.sqrt(y[t] ** 2 + e[t - 1] ** 2) * np.float64(a)
    return np.sum(e ** 2)


@program(lambda: (normal(903, 4), normal(904, 3), 0.3))
def table_of_costs(x, y, gap):
    costs = np.zeros((len(x) + 1, len(y) + 1))
    for i in range(1, len(x) + 1):
        costs[i, 0] = costs[i - 1, 0] + gap ** 2
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            costs[i, j] = (x[i - 1] - y[j - 1]) ** 2 * (1.0 + costs[i - 1, j - 1]) + np.sin(costs[i, j - 1])
    return costs[-1, -1] + costs[2, 1]


@program(lambda: (normal(905, 4, 4),))
def rows_upwards(u):
    w = np.zeros((4, 4))
    for j in range(4):
        for i in range(1, 4):
            w[i, j] = u[i, j] * w[i - 1, j] + np.cos(w[i, j - 1])
    return np.sum(w * u)


@program(lambda: (normal(906, 5), 0.3))
def left_half_way(y, a):
    e = np.zeros(len(y))
    for t in range(1, len(y)):
        if e[t - 1] > 1.2:
            e[t - 1] = a
            break
        e[t] = y[t] ** 2 + e[t - 1] ** 2 + a
    return np.sum(e ** 2)


@program(series)
def shifted_window(y, lag):
    e = np.ones(len(y))
    for t in range(2, len(y)):
        e[t] = y[t] * e[t - 1] * e[t - 2] + lag
        e[t - 2] = e[t] ** 2
    return np.sum(e ** 2)


@program(lambda: (normal(907, 4), 0.3, 0))
def factors_before_a_loop_without_turns(x, a, n):
    total = x[0] * a
    for i in range(n):
        total = (1.0 - a) * total * x[i] + (2.0 * a + 1.0) * total
    return total


@program(lambda: (normal(907, 4), 0.3, 3))
def factors_that_no_turn_changes(x, a, n):
    total = x[0] * a
    for i in range(n):
        if total > 0.1:
            total = (1.0 - a) * total * x[i] + (2.0 * a + 1.0) * total
        a = a if i else a * 0.5
    b = a * a
    for i in range(n):
        total = (1.0 - b) * total + np.sin((1.0 - b) * x[i] * b)
    return total


@program(lambda: (normal(908, 4, 3), normal(909, 3)))
def alike_in_several_lines(x, m):
    var = np.mean((x - m) ** 2, axis=0)
    scaled = (x - m) / np.sqrt(var + 0.1)
    m = m * 2.0
    return np.sum(scaled * np.tanh(x - m)) + np.sum((x - m) ** 3)


@program(lambda: (normal(910, 4), normal(911, 4)))
def alike_with_a_write_between(x, y):
    z = x * y
    first = np.sum((z - y) ** 2)
    z[1:3] = y[:2]
    return first + np.sum((z - y) ** 3)


@program(lambda: (normal(912, 4), normal(913, 4)))
def alike_and_written_into(x, y):
    first = np.sum((x - y) ** 2)
    d = x - y
    d[0] = 2.0 * d[1]
    return first + np.sum(np.exp(x - y) * d)


@program(lambda: (normal(914, 3), 0.7))
def alike_in_one_arm(x, a):
    total = 0.0
    for v in x:
        if v > 0.0:
            total += np.sin(a * v) ** 2
        total += np.sin(a * v) * np.exp(a * v)
        total *= 1.0 + np.sin(a * v) ** 2
    return total


@program(lambda: (normal(918, 2), normal(919, 4, 2), normal(920, 4)))
def alike_where_the_first_is_read_of_the_last_turn(w, x, y):
    for _ in range(3):
        guess = x @ w
        loss = np.mean((guess - y) ** 2)
        w = w - 0.1 * x.T @ (guess - y)
    return loss


@program(lambda: (normal(915, 3), normal(916, 3), normal(917, 3, 3)))
def taken_off_for_several(x, y, A):
    for _ in range(2):
        x, y = x - y * (A @ x), y - 0.3 * x * x
        A = A - 0.1 * np.outer(x, y) * A
    return np.sum(x * y) - x @ A @ y - 0.5 * x @ x


def filled(y, a):
    e = np.ones(len(y))
    for t in range(1, len(y)):
        e[t] = y[t] / (a + e[t - 1] ** 2)
    return e


@program(series)
def written_into_by_the_caller(y, a):
    e = filled(y, a)
    first = np.sum(e ** 2)
    e[1:3] = a
    return first + np.sum(filled(e, a) * e)


class Body:
    def __init__(self, x, v, m):
        self.x, self.v, self.m = x, v, m


def moved(bodies, k, dt):
    for _ in range(2):
        for body in bodies:
            body.v = body.v - dt * k * body.x / body.m
            body.x = body.x + dt * body.v
            body.v = k * body.x + body.v
    return sum(body.m * np.sum(body.v * body.x) for body in bodies)


@program(lambda: (normal(918, 3, 2), 0.5, 0.2))
def attributes_that_are_added_to(start, k, dt):
    bodies = [Body(row * 1.0, row * k, 1.0 + k * number) for number, row in enumerate(start)]
    return moved(bodies, k, dt)


@program(lambda: (normal(919, 3, 2), normal(920, 2), 0.2))
def attributes_that_share_what_is_added(start, w, dt):
    bodies = [Body(row * 1.0, w * 1.0, dt) for row in start]
    for body in bodies:
        body.x = body.x + w
        body.v = body.v + body.x
        body.x = body.x + body.x * body.v
        w = w + body.v * dt
    return sum(np.sum(body.x ** 2) + np.sum(body.v * w) for body in bodies)


@program(lambda: (normal(921, 4), [0, 1, 0, 1]))
def entries_that_are_added_to(x, labels):
    sums, rows = {}, [x * 0.0, x * x]
    for v, label in zip(x, labels):
        sums[label] = sums.get(label, 0.0) + v ** 2
        rows[label] = rows[label] + v * x
        rows[label] = rows[label] - sums[label] * rows[1 - label]
    return sums[0] * sums[1] + np.sum(rows[0] * rows[1])
