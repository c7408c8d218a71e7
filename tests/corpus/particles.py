"""Objects in lists, tuples and dicts, into whose attributes something is stored."""
from __future__ import annotations

import itertools

import numpy as np

from corpus.registry import program


class Particle:
    def __init__(self, x, v, m=1.0):
        self.x = x
        self.v = v
        self.m = m

    def step(self, f, dt):
        self.v = self.v + f / self.m * dt
        self.x = self.x + self.v * dt

    def energy(self):
        return 0.5 * self.m * np.sum(self.v**2)


def on_a_line():
    return [Particle(0.1 * i + 0.2, 0.3 * i - 0.4, 1.0 + 0.2 * i) for i in range(3)]


def in_the_plane():
    return [Particle(np.array([0.1 * i, 0.3]), np.array([0.2, -0.1 * i]), 1.0 + 0.2 * i) for i in range(3)]


@program(lambda: (on_a_line(), 0.1))
def loop_write(ps, dt):
    for p in ps:
        p.v = p.v + dt * p.x
    return sum(p.v**2 for p in ps)


@program(lambda: (on_a_line(), 0.1))
def index_write(ps, dt):
    for i in range(len(ps)):
        ps[i].v = ps[i].v + dt * ps[i].x
    return sum(p.v**2 for p in ps)


@program(lambda: (on_a_line(), 0.1))
def index_aug(ps, dt):
    for i in range(len(ps)):
        ps[i].v += dt * ps[i].x ** 2
    return sum(p.v**2 for p in ps)


@program(lambda: (on_a_line(), [0.1, 0.2, 0.3], 0.1))
def zipped(ps, fs, dt):
    for p, f in zip(ps, fs):
        p.v += f * dt * p.x
        p.x += p.v * dt
    return sum(p.v**2 * p.x for p in ps)


@program(lambda: (on_a_line(), 0.1))
def methods(ps, dt):
    for _ in range(3):
        for p in ps:
            p.step(-p.x, dt)
    return sum(p.energy() for p in ps)


@program(lambda: (in_the_plane(), 0.1))
def methods_arr(ps, dt):
    for _ in range(3):
        for p in ps:
            p.step(-p.x, dt)
    return sum(p.energy() for p in ps)


@program(lambda: (in_the_plane(), 0.1))
def arr_aug(ps, dt):
    for _ in range(3):
        for p in ps:
            p.v += -dt * p.x
            p.x += dt * p.v
    return sum(np.sum(p.x**2) for p in ps)


@program(lambda: (np.array([1.0, 2.0, 3.0]), 0.1), needs="shapes")
def made_here(x, dt):
    ps = [Particle(xi, 0.5 * xi) for xi in x]
    for _ in range(3):
        for p in ps:
            p.v -= dt * p.x
            p.x += dt * p.v
    return sum(p.x**2 for p in ps)


@program(lambda: (np.array([1.0, 2.0, 3.0]), 0.1))
def made_append(x, dt):
    ps = []
    for xi in x:
        ps.append(Particle(xi, 0.5 * xi))
    for _ in range(3):
        for p in ps:
            p.step(-p.x, dt)
    return sum(p.x**2 for p in ps)


@program(lambda: (1.0, 2.0, 0.1))
def display(a, b, dt):
    ps = [Particle(a, b), Particle(b, a * b)]
    for p in ps:
        p.v = p.v * p.x
    ps[0].x += ps[1].v
    return ps[0].x * ps[1].x + ps[0].v


@program(lambda: (on_a_line(), 0.1))
def nbody(ps, dt):
    for i in range(len(ps)):
        f = 0.0
        for j in range(len(ps)):
            if i != j:
                d = ps[j].x - ps[i].x
                f += ps[j].m * d / (abs(d) ** 3 + 0.1)
        ps[i].v += dt * f
    for p in ps:
        p.x += dt * p.v
    return sum(p.x**2 for p in ps)


class System:
    def __init__(self, cells):
        self.cells = cells

    def run(self, n):
        for _ in range(n):
            for i in range(len(self.cells)):
                self.cells[i].x = self.cells[i].x * 1.1 + self.cells[i - 1].v
        return sum(c.x for c in self.cells)


@program(lambda: (System(on_a_line()),))
def self_cells(s):
    return s.run(3)


@program(lambda: (System(on_a_line()),))
def self_cells2(s):
    for c in s.cells:
        c.x *= c.v
    s.cells[1].v += s.cells[0].x
    return s.cells[1].v * s.cells[2].x


@program(lambda: ({"a": Particle(1.0, 2.0), "b": Particle(0.5, 0.3)}, 0.1))
def in_dict(d, dt):
    for k in d:
        d[k].x += dt * d[k].v
    for p in d.values():
        p.v *= p.x
    for _, p in d.items():
        p.x = p.x * p.v
    d["a"].x += 1.0
    return d["a"].x * d["b"].x


@program(lambda: ((Particle(1.0, 2.0), Particle(0.5, 0.3)), 0.1))
def in_tuple(t, dt):
    a, b = t
    a.x += dt * b.v
    b.x *= a.x
    t[0].v = a.v * b.x
    return t[0].v * t[1].x


@program(lambda: (on_a_line(), 0.1))
def enum_if(ps, dt):
    for i, p in enumerate(ps):
        if p.x > 0.25:
            p.v = p.v * dt
        else:
            p.x -= i * p.v
            continue
        p.m = p.m * 2
    return sum(p.v * p.m + p.x for p in ps)


@program(lambda: (on_a_line(), 0.1))
def name_of_item(ps, dt):
    first = ps[0]
    first.v += dt * first.x
    last = ps[-1]
    last.v = last.v * first.v
    return ps[0].v * ps[2].v + ps[2].x


@program(lambda: ([Particle(1.0, 0.5), Particle(2.0, 0.5), Particle(3.0, 0.5)], 0.5))
def pairs(t, x):
    for i in range(len(t)):
        for j in range(i + 1, len(t)):
            a, b = t[i], t[j]
            f = (a.x - b.x) * x
            a.x -= f
            b.x += f
    return t[0].x * t[1].x * t[2].x


@program(lambda: ([Particle(1.0, 0.5), Particle(2.0, 0.5), Particle(3.0, 0.5)], 0.5))
def pairs2(t, x):
    for a in t:
        for b in t:
            if a is not b:
                a.x += x * b.x
    return t[0].x * t[1].x * t[2].x


@program(lambda: ([Particle(1.0, 0.5), Particle(2.0, 0.5), Particle(3.0, 0.5)], 0.5))
def pairs3(t, x):
    for i, a in enumerate(t):
        for b in t[i + 1 :]:
            f = (a.x - b.x) * x
            a.x -= f
            b.x += f
    return t[0].x * t[1].x * t[2].x


@program(lambda: ([Particle(1.0, 0.5), Particle(2.0, 0.5), Particle(3.0, 0.5)], 0.5))
def pairs4(t, x):
    for a, b in itertools.combinations(t, 2):
        f = (a.x - b.x) * x
        a.x -= f
        b.x += f
    return t[0].x * t[1].x * t[2].x


@program(lambda: ([Particle(1.0, 0.5), Particle(2.0, 0.5), Particle(3.0, 0.5)], 0.5))
def pairs5(t, x):
    for a, b in zip(t, t[1:]):
        f = (a.x - b.x) * x
        a.x -= f
        b.x += f
    return t[0].x * t[1].x * t[2].x


@program(lambda: ([Particle(1.0, 0.5), Particle(2.0, 0.5), Particle(3.0, 0.5)], 0.5))
def backwards(t, x):
    for a in reversed(t):
        a.x *= x * t[0].x
    for i in range(len(t) - 1, -1, -1):
        t[i].x += x
    return t[0].x * t[1].x * t[2].x


class Spring:
    def __init__(self, k, rest=1.0):
        self.k = k
        self.rest = rest

    def energy(self, length):
        return 0.5 * self.k * (length - self.rest) ** 2


@program(lambda: (np.array([1.0, 2.2, 4.1]), np.array([2.0, 3.0])))
def springs_made_of_what_is_not_differentiated(x, ks):
    springs = [Spring(k, rest=0.5 * i) for i, k in enumerate(ks)]
    return sum(s.energy(b - a) for s, a, b in zip(springs, x, x[1:]))


@program(lambda: (np.array([1.0, 2.2, 4.1]), np.array([2.0, 3.0])))
def springs_that_are_stretched(x, ks):
    springs = [Spring(k) for k in ks]
    for s in springs:
        s.rest = s.rest * x[1]
    return sum(s.energy(x[0] + 1) for s in springs)


@program(lambda: (np.array([1.0, 2.2, 4.1]), 3))
def springs_one_behind_the_other(x, n):
    y = x
    for s in [Spring(2.0, rest=0.3 * i) for i in range(n)]:
        y = s.energy(y)
    return y.sum()


def pairs_of_bodies(*sizes):
    return [Particle(np.arange(1.0, size + 1) * 0.4 + 0.3 * i, np.ones(size), 1.0 + 0.1 * i)
            for i, size in enumerate(sizes)]


def attraction(ps):
    energy = 0.0
    for i, a in enumerate(ps):
        for b in ps[i + 1:]:
            energy -= a.m * b.m / np.sqrt(np.sum((a.x - b.x) ** 2) + 0.1)
    return energy


@program(lambda: (pairs_of_bodies(2, 2, 2),))
def pairs_of_one_size(ps):
    return attraction(ps)


@program(lambda: (pairs_of_bodies(3, 1, 3),))
def pairs_of_unlike_sizes(ps):
    return attraction(ps)


@program(lambda: (pairs_of_bodies(2, 2, 2, 2),))
def rests_behind_the_one_before(ps):
    total = 0.0
    for i, a in enumerate(ps):
        for b in ps[i - 1:]:  # all but the last of them, for the first
            total = total + np.sum(a.x * b.x) * a.m
    return total


@program(lambda: ([0.3, 0.8, 1.1, 0.4],))
def rests_of_numbers(xs):
    total = 0.0
    for k in range(1, 3):
        for j, x in enumerate(xs[k + 1:]):
            total += x * xs[k] * (j + 1)
    return total


class Stack:
    def __init__(self, weights, biases):
        self.weights = weights
        self.biases = biases

    def __call__(self, x):
        for w, b in zip(self.weights[:-1], self.biases[:-1]):
            x = np.tanh(x @ w + b)
        return x @ self.weights[-1] + self.biases[-1]


class Trained:
    def __init__(self, stack):
        self.stack = stack

    def loss(self, x, y):
        return np.mean((self.stack(x) - y) ** 2)


def stack_of(*sizes):
    return Stack([np.sin(np.arange(1.0, m * n + 1)).reshape(m, n) for m, n in itertools.pairwise(sizes)],
                 [np.cos(np.arange(float(n))) for n in sizes[1:]])


@program(lambda: (Trained(stack_of(3, 2, 4, 1)), np.arange(6.0).reshape(2, 3) / 5, np.ones((2, 1))))
def layers_but_the_last(model, x, y):
    return model.loss(x, y)


@program(lambda: (Trained(stack_of(2, 2, 2)), np.arange(6.0).reshape(3, 2) / 5, np.ones((3, 2))))
def layers_that_others_get_later(model, x, y):
    before = model.loss(x, y)
    model.stack.weights = [2.0 * w for w in model.stack.weights]
    return before * model.loss(x, y)


@program(lambda: (Trained(stack_of(2, 2, 2)), np.arange(6.0).reshape(3, 2) / 5, np.ones((3, 2))))
def layers_that_are_written_into_later(model, x, y):
    before = model.loss(x, y)
    for w in model.stack.weights:
        w *= 1.5
    return before * model.loss(x, y)


@program(lambda: (np.array([0.4, 1.2, -0.7]),))
def sums_of_a_list_that_goes_on(x):
    squares = []
    for v in x:
        squares.append(v * v)
    total = sum(squares)
    squares.append(total)
    return total * squares[-1] + sum(squares, x[0]) / len(squares)
