"""Methods that write into their object and give it back, and functions of which one is chosen."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


class Acc:
    def __init__(self, t):
        self.total = t

    def add(self, v):
        self.total = self.total + v
        return self

    def maybe(self, v, o):
        self.total = self.total * v
        if v > 1.0:
            return o
        return self

    def other(self, o):
        o.total = o.total * self.total
        return o


@program(lambda: (1.0, 2.0))
def two(v, w):
    a = Acc(v)
    b = a.add(w)
    b.total = b.total * w
    c = b.add(1.0)
    a.add(v)
    return c.total * a.total + b.total


@program(lambda: (1.5, 2.0))
def oth(v, w):
    a, o = Acc(v), Acc(w)
    b = a.other(o)
    b.add(w)
    o.add(v)
    return a.total * o.total**2 * b.total


@program(lambda: (Acc(1.5), 2.0))
def arg(a, w):
    b = a.add(w)
    b.add(w * a.total).add(3.0)
    return b.total * a.total


def sq(x):
    return x * x


@program(lambda: (1.5,))
def fs(x):
    f = np.sin
    if x > 2.0:
        f = sq
    elif x < 0.0:
        f = np.cos
    s = f(x)
    for _ in range(3):
        g = sq if s > 0.5 else np.tanh
        s = s + g(s) * f(s)
    return s


@program(lambda: (1.0, 2.0))
def chain(v, w):
    acc = Acc(0.0)
    acc.add(v).add(w * v)
    return acc.total


@program(lambda: (1.0, 2.0))
def chain2(v, w):
    return Acc(0.0).add(v).add(w * v).total


@program(lambda: (1.0, 2.0))
def chain3(v, w):
    acc = Acc(0.0).add(v)
    acc = acc.add(w)
    return acc.total**2


@program(lambda: (1.5,))
def pickv(x):
    f = np.sin if x > 0 else np.cos
    return f(x) * x


# ---- containers that a function has read, and whoever called it changes then


def squares_and_sum(x):
    values = []
    for i in range(4):
        values.append(float(x[i]) ** 2)
    total = 0.0
    for i in range(len(values)):
        total = total + values[i] * values[i - 1]
    values.append(total)
    return values


@program(lambda: (normal(31, 4),))
def a_list_that_grows_behind(x):
    values = squares_and_sum(x)
    total = values.pop()
    values.append(x[0] * total)
    values[1] = values[2] * 2.0
    return total * values[0] + total ** 2 + values[1] * values[-1]


def in_a_dict(x):
    values = [a * x[0] for a in x]
    return {"values": values, "sum": sum(v * v for v in values)}


@program(lambda: (normal(32, 4),))
def a_list_in_a_dict_that_is_emptied(x):
    found = in_a_dict(x)
    values = found["values"]
    values.clear()
    values.append(x[0] * 1.0)
    values.reverse()
    return found["sum"] * values[0] + found["sum"] ** 2


def filled_in(x, into):
    values = sorted(x)
    into["values"] = values
    return sum(a * b for a, b in zip(values, values[1:]))


@program(lambda: (normal(33, 4),))
def a_list_given_to_the_caller(x):
    held = {}
    total = filled_in(x, held)
    del held["values"][0]
    held["values"].append(x[1] * total)
    return total * held["values"][0] + total ** 2 + held["values"][-1]


def arrays_in(x, into):
    u = np.exp(x)
    into["u"] = u
    into["rest"] = [u * 2.0, np.sin(u)]
    return u @ into["rest"][1] + np.sum(into["rest"][0] ** 2)


@program(lambda: (normal(34, 3),))
def arrays_given_to_the_caller(x):
    held = {}
    total = arrays_in(x, held)
    held["u"][:] = held["u"] * 2.0
    held["rest"][0][1] = x[0]
    return total * np.sum(held["u"]) + np.sum(held["rest"][0])


class Remembering:
    def __init__(self):
        self.last = None
        self.history = []

    def forward(self, x):
        self.last = np.tanh(x)
        self.history.append(self.last * 2.0)
        return np.sum(self.last ** 2) + np.sum(self.history[-1] * self.last)


@program(lambda: (normal(35, 3),))
def what_a_method_remembers(x):
    layer = Remembering()
    total = layer.forward(x) * layer.forward(x * 2.0)
    layer.last[1:] *= x[0]
    layer.history.pop(0)
    return total * np.sum(layer.last) + total * np.sum(layer.history[0])


@program(lambda: (normal(36, 3),), needs="shapes")
def what_a_memo_gives(x):
    cache = []

    def keep(v):
        cache.append(np.exp(v))
        return np.sum(cache[-1] ** 2)

    total = 0.0
    for i in range(3):
        total = total + keep(x[i] * x)
    for u in cache:
        u *= 2.0
    return total * np.sum(cache[1])


def relaxed(p, rounds):
    for _ in range(rounds):
        before = p.copy()
        p[1:-1] = 0.5 * (before[2:] + before[:-2])
        p[0] = p[1]
    return p


def pushed(u, p):
    p = relaxed(p, 2)
    u[1:-1] -= 0.1 * u[1:-1] * (p[2:] - p[:-2])
    return u, p, np.sum(u * p)


@program(lambda: (normal(37, 6),), needs="shapes")
def an_array_is_written_into_and_given_back(x):
    p = np.sin(x)
    q = relaxed(p, 3)
    q *= 2.0
    return np.sum(q * p)


@program(lambda: (normal(38, 6),), needs="shapes")
def what_is_given_back_is_given_back_again(x):
    u, p = x.copy(), np.sin(x)
    total = 0.0
    for _ in range(2):
        u, p, part = pushed(u, p)
        total = total + part
    return total + np.sum(u**2 * p)


def exchanged(u, v):
    u *= 2.0
    v[1:] += u[:-1] ** 2
    return v, u


@program(lambda: (normal(39, 4), normal(40, 4)), needs="shapes")
def given_back_in_the_other_order(x, y):
    u, v = x * y, y + 1.0
    for _ in range(3):
        u, v = exchanged(u, v)
    w, v = exchanged(u, v)
    w[0] *= 3.0
    return np.sum(u * np.sin(v)) + np.sum(w**2)


class Grid:
    def __init__(self, u):
        self.u = u

    def smooth(self, u):
        u[1:] = 0.5 * (u[1:] ** 2 + u[:-1])
        return u

    def advance(self):
        self.u = self.smooth(self.u)
        self.u = self.smooth(self.u)


@program(lambda: (normal(41, 5),))
def an_attribute_is_given_back(x):
    grid = Grid(x.copy())
    for _ in range(2):
        grid.advance()
    v = grid.smooth(grid.u)
    v *= x
    return np.sum(grid.u**2)


@program(lambda: (normal(42, 5),))
def an_attribute_given_back_has_another_name(x):
    grid = Grid(x.copy())
    v = grid.smooth(grid.u)
    v *= x
    grid.u[1:] *= v[:-1]
    return np.sum(grid.u**2 * v)


@program(lambda: (normal(41, 3), normal(42, 3, 3)))
def row_of_the_caller_behind_a_loop_with_continue(x, m):
    for c in m:
        if c[1] > 50.0:
            continue
        c[2] = c[0] * c[1]
    return c @ x


@program(lambda: (normal(3, 3), normal(4, 3, 3)), needs="shapes")
def rows_written_by_out_beside_numbers(x, m):
    b = np.sin(x)
    for c, t in zip(m, x):  # noqa: B007
        np.add(c, b * c, out=c)
    return c @ x * t


def slopes(parameters, x):
    return {"w": np.sin(parameters["w"]) * x, "b": np.cos(parameters["b"])}


def descended(parameters, velocities, gradients, rate):
    for key in parameters:
        velocities[key] = 0.9 * velocities[key] + gradients[key]
        parameters[key] = parameters[key] - rate * velocities[key]
    return parameters, velocities


@program(lambda: ({"w": normal(20, 3), "b": normal(21, 3)}, normal(22, 3), 0.1))
def parameters_that_a_loop_hands_on(parameters, x, rate):
    velocities = {key: np.zeros_like(value) for key, value in parameters.items()}
    for _ in range(3):
        parameters, velocities = descended(parameters, velocities, slopes(parameters, x), rate)
    return np.sum(parameters["w"] ** 2 * parameters["b"])


def decayed(parameters, x):
    parameters["w"] -= 0.1 * x
    parameters["b"] *= x
    return parameters


@program(lambda: ({"w": normal(23, 3), "b": normal(24, 3)}, normal(25, 3)))
def arrays_of_parameters_that_a_loop_hands_on(parameters, x):
    for _ in range(2):
        parameters = decayed(parameters, x * parameters["w"])
    return np.sum(parameters["w"] ** 2 * parameters["b"])


class Shelf:
    def __init__(self, x):
        self.parts, self.sums = {"a": x, "b": {"c": 1.0}}, np.zeros(2)

    def all(self):
        return self.parts

    def totals(self):
        return self.sums

    def itself(self):
        return self


@program(lambda: (1.5, 0.7))
def written_into_what_methods_give(x, c):
    shelf = Shelf(x)
    shelf.all()["a"] = c * c
    shelf.all()["a"] *= x
    shelf.all()["b"]["c"] += c
    shelf.totals()[1] = x * c
    shelf.itself().sums[0] += c
    shelf.itself().parts["a"] += x
    return shelf.parts["a"] * shelf.parts["b"]["c"] + shelf.sums[0] * shelf.sums[1]
