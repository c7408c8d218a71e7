"""Objects with flags, logs and lists of other objects, which functions read in between."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


class Cell:
    def __init__(self, x, v):
        self.x = x
        self.v = v
        self.on = False
        self.log = []

    def step(self, dt):
        self.v = self.v - self.x * dt
        self.on = True

    def act(self):
        return self.x * 2 if self.on else self.x**3


def two():
    return [Cell(1.2, 0.5), Cell(0.7, 0.3)]


@program(lambda: (two(), 0.1))
def flags(ps, dt):
    for p in ps:
        if not p.on and p.x > 1.0:
            p.step(dt)
    s = 0.0
    for p in ps:
        s = s + p.act() * p.v
    return s


@program(lambda: (two(), 0.1))
def flags2(ps, dt):
    first = ps[0]
    ps[0].on = True
    if first.on:
        return first.x * dt
    return first.x**3


@program(lambda: (two(), 0.1))
def flags3(ps, dt):
    first = ps[0]
    first.on = True
    if ps[0].on:
        return first.x * dt
    return first.x**3


@program(lambda: (two(), 0.1))
def logs(ps, dt):
    for _ in range(2):
        for p in ps:
            p.log.append(p.x * dt)
            p.x *= 1.5
    return sum(v for p in ps for v in p.log)


class World:
    def __init__(self, ps):
        self.ps = ps
        self.t = 0.0
        self.hist = [0.0]

    def forces(self):
        f = []
        for a in self.ps:
            s = 0.0
            for b in self.ps:
                if a is not b:
                    s += b.x - a.x
            f.append(s)
        return f

    def step(self, dt):
        for p, f in zip(self.ps, self.forces()):
            p.v += f * dt
            p.x += p.v * dt
        self.t += dt
        self.hist.append(self.energy())

    def energy(self):
        return sum(p.v**2 + p.x**2 for p in self.ps)


@program(lambda: (World(two()), 0.1))
def world(w, dt):
    for _ in range(4):
        w.step(dt)
    return w.energy() * w.t + sum(w.hist)


@program(lambda: (0.5, 0.1))
def world3(x, dt):
    w = World([Cell(x * i, x + i) for i in range(3)])
    for _ in range(3):
        w.step(dt)
    return w.energy()


@program(lambda: ([[Cell(1.0, 2.0), Cell(2.0, 3.0)], [Cell(3.0, 4.0)]], 0.1))
def grid(g, dt):
    for row in g:
        for c in row:
            c.x = c.x * c.v
    for i in range(len(g)):
        for j in range(len(g[i])):
            g[i][j].v += g[i - 1][0].x * dt
    return g[0][0].v * g[0][1].v * g[1][0].v


@program(lambda: ([{"x": 1.0, "h": [1.0, 2.0]}, {"x": 2.0, "h": [3.0]}], 0.1))
def dicts(ds, dt):
    for d in ds:
        d["x"] *= dt
        d["h"].append(d["x"])
        d["h"][0] += 1.0
    return sum(sum(d["h"]) for d in ds)


@program(lambda: (two(), 0.1))
def newobj(ps, dt):
    ps[0] = Cell(dt, ps[1].x)
    ps[0].x *= 2.0
    ps.append(Cell(ps[0].x, dt))
    ps[2].v *= 3.0
    return ps[0].x * ps[2].v * ps[1].x


@program(lambda: (two(), 0.1))
def aliasloop(ps, dt):
    q = ps[0]
    for p in ps:
        p.x += q.x * dt
    return q.x * ps[1].x


@program(lambda: (two(), 1))
def idx(ps, k):
    p = ps[k]
    p.x *= p.v
    ps[k - 1].x *= p.x
    return ps[0].x * ps[1].x


def total(xs):
    s = 0.0
    for v in xs:
        s = s + v * v
    return s


def second(xs):
    return xs[1] * xs[0]


def tot_d(d):
    return d["a"] * d["a"]


def tot_p(ps):
    s = 0.0
    for p in ps:
        s = s + p.x * p.v
    return s


def tot_n(n):
    return n["k"][0] ** 3


@program(lambda: (1.5,))
def list_read_by_a_function(x):
    xs = [x, x * 2]
    s = 0.0
    for _ in range(3):
        s = s + total(xs)
        xs[_ % 2] = xs[0] * xs[1]
        xs.append(s)
    return s


@program(lambda: (1.5,))
def dict_read_by_a_function(x):
    d = {"a": x}
    s = 0.0
    for _ in range(3):
        s = s + tot_d(d)
        d["a"] = d["a"] * s
    return s


@program(lambda: ([1.5, 2.0],))
def given_list_read_by_a_function(xs):
    s = 0.0
    for _ in range(3):
        s = s + total(xs) + second(xs)
        xs[_ % 2] = xs[0] * xs[1]
        xs.append(s)
    return s


@program(lambda: ({"a": 1.5},))
def given_dict_read_by_a_function(d):
    s = 0.0
    for _ in range(3):
        s = s + tot_d(d)
        d["a"] = d["a"] * s
    return s


@program(lambda: ([Cell(1.0, 2.0), Cell(0.5, 0.3)],))
def objects_read_by_a_function(ps):
    s = 0.0
    for _ in range(3):
        s = s + tot_p(ps)
        for p in ps:
            p.x = p.x * s
            p.v = p.v + p.x
    return s


@program(lambda: ({"k": [1.5]},))
def nested_list_read_by_a_function(d):
    s = 0.0
    for _ in range(3):
        s = s + tot_n(d)
        d["k"][0] = d["k"][0] * s
    return s


@program(lambda: ([np.array([1.0, 2.0]), np.array([0.5, 0.3])],))
def arrays_read_by_a_function(xs):
    s = 0.0
    for _ in range(3):
        s = s + total(xs)
        xs[0][1] *= 1.1
        xs[1][:] = xs[0] * xs[1]
    return s.sum()


@program(lambda: ([1.5, 2.0],))
def number_replaced_after_a_call(xs):
    s = total(xs)
    xs[0] = 3.0 * s
    return s * xs[0] * xs[1]


@program(lambda: ([np.array([1.0, 2.0]), np.array([0.5, 0.3])],))
def array_replaced_after_a_call(xs):
    s = total(xs)
    xs[0] = 3.0 * s
    return (s * xs[0] * xs[1]).sum() * second(xs).sum()


class Model:
    def __init__(self, ws):
        self.ws = ws

    def run(self, x):
        for i in range(len(self.ws)):
            x = np.tanh(self.ws[i] * x)
        return x

    def learn(self, g):
        for i in range(len(self.ws)):
            self.ws[i] = self.ws[i] - g * self.ws[i]


@program(lambda: (Model([1.5, 2.0]), 0.3))
def model_that_learns(m, x):
    s = 0.0
    for _ in range(3):
        s = s + m.run(x)
        m.learn(s * 0.1)
    return s


@program(lambda: (Model([np.ones(2), np.ones(2) * 0.3]), 0.3))
def model_of_arrays_that_learns(m, x):
    s = 0.0
    for _ in range(3):
        s = s + m.run(x)
        m.learn(s * 0.1)
    return s.sum()


class Shape:
    def __init__(self, w):
        self.w = w
        self.h = 2.0 * w

    def bend(self):
        self.h = np.tanh(self.w)
        return self.h


@program(lambda: (Shape(normal(1, 2)),))
def stored_and_read_under_its_name(shape):
    u = np.tanh(shape.w)
    shape.h = u
    return np.sum(u**3)


@program(lambda: (Shape(normal(1, 2)),))
def stored_by_a_method_that_returns_it(shape):
    return np.sum(shape.bend() ** 3)


@program(lambda: ({"p": normal(1, 2, 2), "q": normal(2, 2)},))
def stored_in_a_dict_and_in_a_list(d):
    d["q"] = d["q"] / d["q"].sum()
    path = [d["q"]]
    for _ in range(3):
        path.append(path[-1] @ d["p"])
    return np.sum(path[-1] * path[0])
