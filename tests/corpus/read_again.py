"""Parts, lengths and shapes of arrays that an adjoint may read where they were, and of those that it may not."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


@program(lambda: (normal(1, 6), normal(2, 3), normal(3, 2)))
def recursive_filter(x, b, a):
    y = np.zeros(len(x))
    for n in range(len(x)):
        total = 0.0
        for k in range(len(b)):
            if n - k >= 0:
                total += b[k] * x[n - k]
        for k in range(1, len(a)):
            if n - k >= 0:
                total -= a[k] * y[n - k]
        y[n] = total
    return y


@program(lambda: (normal(4, 3), 0.7))
def written_after_its_element_was_read(x, y):
    a = x * 2.0
    total = a[0] * y
    a[0] = 3.0
    for i in range(len(a)):
        total = total + a[i] * y * a[i]
        a[i] = y
    return total + a.sum()


@program(lambda: (normal(5, 4), 0.7), needs="shapes")
def written_through_another_name(x, y):
    a = x * 2.0
    part = a[1:]
    total = 0.0
    for i in range(3):
        total = total + part[i] * y
        a[i + 1] = total
    return total * a[0]


@program(lambda: (normal(6, 3), 0.4))
def bound_anew_between_elements(x, y):
    total = 0.0
    for k in range(3):
        total = total + x[k] * y
        x = np.sin(x) * x[0]
    return total * x[1]


@program(lambda: (normal(7, 3, 4), normal(8, 4)))
def counter_that_changes_in_its_turn(a, v):
    total = 0.0
    for i in range(3):
        total = total + a[i, 1] * v[i]
        i = (i + 1) % 3
        total = total * (a[i] @ v)
    return total


@program(lambda: (normal(9, 5), 2), argnums=(0,))
def bounds_of_a_turn(x, width):
    total = 0.0
    start = 0
    while start + width <= len(x):
        total = total + x[start:start + width] @ x[start:start + width] * x[start]
        start += 1
        width = 3 - width
    return total


@program(lambda: (normal(10, 4), 0.3))
def same_counter_in_loops_beside_and_inside(x, y):
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            total = total + x[i] * x[j] * y
        for j in range(i, len(x)):
            total = total - x[j] * y * y
    for i in range(2):
        total = total * x[i]
        for j in range(2):
            total = total + np.sin(x[i + j] * y)
    return total


def _weighed(u, w):
    return u[0] * w[1] + u[1] * w[0] * u[-1]


@program(lambda: (normal(11, 3), normal(12, 3)))
def elements_in_a_called_function(u, w):
    total = 0.0
    for k in range(3):
        total = total + _weighed(u * w[k], w) * w[k]
        w = w * 1.5
    return total


def _first_doubled(u):
    u[0] = 2.0 * u[0] * u[1]


@program(lambda: (normal(13, 3),), needs="shapes")
def element_read_before_a_call_writes(x):
    u = x * 1.0
    total = 0.0
    for k in range(2):
        total = total + u[0] * u[k]
        _first_doubled(u)
    return total + u.sum()


@program(lambda: (normal(14, 5), 0.2, 3), argnums=(0, 1))
def shape_of_what_is_bound_anew(u, c, n):
    v = np.zeros_like(u)
    for _ in range(n):
        v = v + c * (np.roll(u, 1) - u)
        u = u + v
    return np.mean(u ** 2)


@program(lambda: (normal(15, 4), 0.5), argnums=(0, 1))
def shape_where_a_branch_binds_it_anew(x, y):
    total = np.zeros(4)
    if y > 0:
        x = np.exp(x) * y
        for k in range(2):
            total = total + x * x[k]
    return np.mean(total + x * y)


@program(lambda: (normal(16, 4, 3), np.array([0, 2, 1, 2])), argnums=(0,))
def places_in_columns(x, columns):
    places = np.stack([columns, columns[::-1]], axis=1)
    out = np.zeros(3)
    np.add.at(out, places[:, 0], x[:, 1])
    np.subtract.at(out, places[:, 1], x[:, 0] ** 2)
    return out @ out
