"""Names of views of arrays that are in objects and containers, written into."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


class Field:
    def __init__(self, u):
        self.u = u

    def step(self, rate):
        inner = self.u[1:-1]
        inner += rate * (self.u[2:] + self.u[:-2] - 2.0 * inner)
        self.u[0] = inner[0]
        start = self.u[:2]
        start[:] = start * rate
        start[0] = 3.0 * start[1]


class Holder:
    pass


@program(lambda: (normal(1, 5),))
def parts_of_an_attribute(x):
    held = Holder()
    held.u = x * 1.0
    inner = held.u[1:-1]
    inner += x[0]
    return np.sum(held.u ** 2)


@program(lambda: (normal(2, 5),), needs="shapes")
def in_a_method(x):
    field = Field(x * 1.0)
    for i in range(3):
        field.step(x[i])
    return np.sum(field.u ** 2)


@program(lambda: (normal(3, 3),))
def rows_columns_and_slices_of_an_item(x):
    p = {"w": np.outer(x, x)}
    for row in p["w"]:
        row *= x[1]
    column = p["w"].T
    column[0] = x
    every_other = p["w"][::2]
    every_other -= p["w"][1]
    return np.sum(p["w"] ** 2)


@program(lambda: (normal(4, 5),))
def the_whole_changes_too(x):
    held = Holder()
    held.u = x * 1.0
    inner = held.u[1:-1]
    held.u *= 2.0
    inner += x[0]
    return np.sum(held.u ** 2) + inner.sum() ** 2


@program(lambda: (normal(5, 4),), needs="shapes")
def items_of_a_list_that_grows(x):
    us = [x * 1.0, x * 2.0]
    a = us[0][1:]
    a *= x[0]
    b = us[-1]
    b[:3] += a
    us.append(x)
    b *= 2.0
    return np.sum(us[0] ** 2) + np.sum(us[1] ** 3) + us[2][0]


@program(lambda: (normal(6, 5), 2), argnums=(0,), needs="shapes")
def by_a_number_that_changes(x, n):
    held = Holder()
    held.u = x * 1.0
    for i in range(n):
        part = held.u[i:i + 2]
        part *= x[i]
        part[0] += held.u[i + 2]
    return np.sum(held.u ** 2)


@program(lambda: (normal(7, 4),))
def read_when_its_place_has_another(x):
    held = Holder()
    held.u = x * 1.0
    part = held.u[1:]
    part *= x[0]
    held.u = np.sin(held.u)
    return np.sum(held.u ** 2)


@program(lambda: (normal(8, 4),))
def views_of_a_view(x):
    held = Holder()
    held.m = np.outer(x, x)
    block = held.m[1:3, 1:3]
    row = block[0]
    row *= x[3]
    block.T[1] += x[:2]
    return np.sum(np.sin(held.m)) * block[0, 1]
