"""Arrays that are parts of something, written into under names of their own: what is in an object, a list or a dict,
rows that an array is unpacked into or that a loop gives, views that NumPy's functions give."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program


class Fluid:
    def __init__(self, height, speed):
        self.height = height
        self.speed = speed
        self.history = [height.sum()]

    def step(self, dt):
        h, u = self.height, self.speed
        u[1:-1] -= dt * (h[2:] - h[:-2])
        h[1:-1] -= dt * (h[1:-1] * (u[2:] - u[:-2]))
        h[0], h[-1] = h[1], h[-2]
        self.history.append(h.sum())

    def smooth(self):
        h = self.height
        h *= 0.5
        h += 0.5 * h.mean()
        return h


@program(lambda: (positive(1, 6), normal(2, 6)), needs="shapes")
def arrays_of_an_object(height, speed):
    fluid = Fluid(height.copy(), 0.1 * speed)
    for _ in range(3):
        fluid.step(0.1)
    h = fluid.smooth()
    return np.sum(fluid.height ** 2) + np.sum(fluid.speed ** 3) + fluid.history[-1] * h[2]


@program(lambda: (positive(1, 6), normal(2, 6)), needs="shapes")
def names_for_attributes(height, speed):
    fluid = Fluid(height * 1.0, speed ** 2)
    h = fluid.height
    h *= 2.0
    h[1] = speed[0]
    return np.sum(fluid.height ** 2 * height) + np.sum(speed)


@program(lambda: (normal(1, 4),), needs="shapes")
def arrays_in_lists(x):
    ps = [np.sin(x), np.cos(x)]
    first = ps[0]
    first *= x
    first[1] = ps[1][0]
    for p in ps:
        p *= 2.0
        p[0] = x[1] ** 2
    for i, p in enumerate(ps):
        p[i] += first[2]
    return np.sum(ps[0] ** 2 * ps[1]) + first[3]


@program(lambda: (normal(1, 4),), needs="shapes")
def arrays_in_lists_that_grew(x):
    ps, vs = [], [np.zeros(4) for _ in range(3)]
    for k in range(3):
        ps.append(np.sin(k * x))
    for _ in range(2):
        for p, v in zip(ps, vs):
            v += p ** 2
            p -= 0.1 * v
    return np.sum(ps[1] ** 2 * ps[2]) + np.sum(vs[2] ** 2)


@program(lambda: (normal(1, 4),), needs="shapes")
def arrays_in_dicts(x):
    params = {"w": np.sin(x), "b": np.cos(x)}
    w = params["w"]
    w *= params["b"]
    for k, p in params.items():
        p[0] = x[1] * len(k)
    for p, g in zip(params.values(), [x, x ** 2]):
        p -= 0.1 * g
    return np.sum(params["w"] ** 2 * params["b"]) + np.sum(w)


@program(lambda: (normal(1, 4),), needs="shapes")
def second_names_that_are_left_behind(x):
    ps = [np.sin(x), np.cos(x)]
    old = ps[0]
    old *= 2.0
    ps[0] = x ** 2
    new = ps[0]
    new[0] = x[3]
    return np.sum(ps[0] ** 2) + np.sum(ps[1])


@program(lambda: (normal(1, 18),), needs="shapes")
def reaction_and_diffusion(y):
    def change(y):
        u, v = y.reshape(2, 3, 3)
        dy = np.zeros_like(y)
        du, dv = dy.reshape(2, 3, 3)
        du[:] = u * v - u
        dv[1:-1] = u[1:-1] ** 2 - v[2:]
        dv[0] = 2.0 * v[0]
        return dy

    for _ in range(3):
        y = y + 0.1 * change(y)
    return np.sum(y ** 2)


@program(lambda: (normal(1, 3, 4),), needs="shapes")
def unpacked_rows(x):
    m = np.sin(x)
    p, q, r = m
    p *= q
    r[1:] += p[:-1]
    left, right = m.T[:2]
    left[0] = 2.0
    right -= left
    return np.sum(m ** 2) + np.sum(p * r) + np.sum(left * right)


@program(lambda: (normal(1, 3, 4), normal(2, 3)), needs="shapes")
def loops_over_rows(x, w):
    m, n = np.sin(x), np.ones((3, 4))
    for row, other in zip(m, n):
        other += row ** 2
        row *= other
    for i, (row, s) in enumerate(zip(m, w)):
        row *= s
        n[i, 0] = row.sum()
    for row in m[1:]:
        row += n[0]
    for column in m.T:
        column *= w
        column[0] = 0.0
    for row in reversed(m):
        row += x[0]
    return np.sum(m * n)


@program(lambda: (normal(1, 3, 4),), needs="shapes")
def views_by_functions(x):
    m = np.sin(x)
    f = np.flip(m, 0)
    f[0] = 2.0 * m[1]
    g = np.moveaxis(m, 0, 1)
    g[2] += 3.0 * m[0, 1]
    np.expand_dims(m, 0)[0, 1] *= 2.0
    h = np.rot90(m)
    h[0] -= g[1]
    k = np.fliplr(m)
    k[:, 0] *= 0.5
    return np.sum(m ** 2) + np.sum(g[0] * f[:, 1]) + h[1, 0] * k[1, 1]


@program(lambda: (normal(1, 3, 3),), needs="shapes")
def diagonals(x):
    m = np.sin(x)
    d = m.diagonal()
    m[0] = 3.0 * m[1]
    return np.sum(d ** 2) + m.diagonal()[1] ** 2 + np.diagonal(m)[2]


@program(lambda: (normal(1, 6),))
def lists_of_new_arrays(x):
    sums, products = [], [np.eye(2) for _ in range(3)]
    grids = [np.zeros((2, 3)) for _ in range(3)]
    sizes = [np.full(n, float(n)) for n in (2, 3, 4)]
    table = {k: np.zeros(6) for k in ("a", "bc")}
    for k in range(1, 3):
        products[k] = products[k - 1] @ np.array([[x[0], x[1]], [x[2], 1.0]])
    for grid in grids:
        grid[0] += x[:3]
        sums.append(grid.sum())
    grids[1][0, 1] = x[3] ** 2
    for k, part in enumerate(sizes):
        part[:2] *= x[k:k + 2]
    for k in table:
        table[k] += x ** len(k)
    return np.sum(products[2]) + sum(np.sum(v ** 2) for v in (*grids, *sizes)) + sums[2] + np.sum(table["bc"] ** 2)


def damp(array, rate):
    array *= rate
    array[0] = 0.5


def mix(array, other):
    array += other
    array[1] = other[0] ** 2


def cut_off(array):
    array[1] = 0.0
    return array.sum()


@program(lambda: (normal(1, 4),), needs="shapes")
def places_given_to_functions(x):
    fluid = Fluid(np.sin(x), np.cos(x))
    h = fluid.height
    damp(h, 0.9)
    damp(fluid.height, 0.8)
    mix(fluid.speed, fluid.height)
    total = cut_off(fluid.height)
    ps = [np.sin(x), np.cos(x)]
    mix(ps[0], ps[1])
    for k in range(2):
        damp(ps[k], 0.7)
    for p in ps:
        mix(p, x)
    return total * np.sum(fluid.height ** 2 * fluid.speed) + np.sum(ps[0] ** 2 * ps[1])


@program(lambda: (normal(1, 4), normal(2, 4)), needs="shapes")
def put_back_where_they_were(x, w):
    fluid = Fluid(np.sin(x), np.cos(w))
    h = fluid.height
    damp(h, 0.9)
    fluid.height = h
    totals = {"squares": [x[0]], "last": 0.0}
    for k in range(3):
        h = fluid.height
        mix(h, w)
        fluid.height = h
        squares = totals["squares"]
        squares.append(h[k] ** 2)
        totals["squares"] = squares
    return np.sum(fluid.height * fluid.speed) + totals["squares"][-1] * totals["squares"][1]


@program(lambda: (normal(1, 4), normal(2, 4), 2), needs="shapes")
def put_back_where_something_else_is_by_now(x, w, k):
    fluid = Fluid(np.sin(x), np.cos(w))
    h = fluid.height
    fluid.height = w * h
    fluid.speed *= fluid.height
    fluid.height = h
    rows = [x.copy(), 2.0 * w, np.sin(w)]
    row = rows[k]
    row[0] *= 3.0
    k -= 1
    rows[k] = row
    s = fluid.speed
    s = s * x
    fluid.speed = s
    return np.sum(fluid.height * fluid.speed) + np.sum(rows[0] * rows[1] ** 2 * rows[2])


@program(lambda: (normal(1, 4),), needs="shapes")
def methods_that_write(x):
    fluid = Fluid(np.sin(x), np.cos(x))
    parts = {"a": [np.sin(2.0 * x)], "b": np.outer(x, x)}
    fluid.height.sort()
    np.add.at(fluid.speed, [1, 1, 2], x[:3])
    np.multiply(fluid.height, fluid.speed, out=fluid.speed)
    np.copyto(fluid.height[1:3], x[:2])
    fluid.height[3:].fill(0.3)
    parts["a"][0].fill(x[2])
    np.fill_diagonal(parts["b"], x)
    np.copyto(parts["b"][1], parts["a"][0])
    return np.sum(fluid.height ** 2 * fluid.speed) + np.sum(parts["a"][0] ** 2 * parts["b"])
