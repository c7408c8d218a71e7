"""Values without a name of their own that are read, and whose memory is then written into: parts of expressions, what
is in a display or an object, what a function gives back."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corpus.registry import normal, positive, program


@dataclass
class Pair:
    first: np.ndarray
    second: np.ndarray


class Cached:
    def __init__(self, x):
        self.x = x
        self.grown = [np.exp(x)]

    @property
    def exponential(self):
        return np.exp(self.x)

    def get(self):
        self.cache = np.exp(self.x)
        return self.cache

    def scale(self):
        self.cache *= 2.0

    def step(self):
        self.x = np.exp(-self.x)
        self.x[0] = 1.0
        self.grown.append(np.sqrt(self.x))
        self.grown[-1][1] = 0.0
        return self


def exponential(x):
    return np.exp(x)


def named_exponential(x):
    y = np.exp(x)
    return y


def handed_through(x):
    return exponential(x)


def viewed(x):
    base = np.exp(x)
    rest = base[1:]
    return rest


def in_a_dict(x):
    return {"a": np.exp(x), "b": [np.sin(x), np.exp(2.0 * x)]}


def solved(m, b):
    return np.linalg.solve(m, b)


def decided(x):
    return np.exp(x) if x[0] > 0.0 else x * 2.0


def halved(u):
    u[1] = 0.5 * u[1]


@program(lambda: (positive(1, 4),))
def views_of_unnamed_arrays(x):
    a = np.exp(x).reshape(-1)
    b = np.exp(x)[1:]
    c = np.asarray(np.exp(x))
    d = np.exp(x)[:, None]
    e = np.atleast_2d(np.exp(x))
    total = a[0] ** 2 + b[0] ** 2 + c[0] ** 2 + d[1, 0] ** 2 + e[0, 0] ** 2
    a *= 2.0
    b[0] = 0.0
    c[0] = 0.0
    d -= d.mean()
    e[0] = 2.0 * x
    return total + np.sum(a ** 2) + np.sum(b ** 2) + np.sum(c ** 2) + np.sum(d ** 3) + np.sum(e ** 2)


@program(lambda: (positive(1, 4),))
def unpacked_arrays(x):
    u, v = np.exp(x), np.sin(x)
    first, second = np.split(np.exp(x), 2)
    total = u[0] ** 2 + first[0] ** 2
    u[0] = 0.0
    first *= 2.0
    return total + np.sum(u ** 2) + np.sum(v) + np.sum(first ** 2) + np.sum(second ** 3)


@program(lambda: (positive(1, 4),))
def arrays_in_displays(x):
    listed = [np.exp(x), np.cos(x)]
    keyed = {"k": np.exp(x)}
    nested = {"h": [np.exp(x)]}
    pair = Pair(np.exp(x), np.sin(x))
    total = listed[0][0] ** 2 + keyed["k"][0] ** 2 + nested["h"][0][0] ** 2 + pair.first[0] ** 2
    listed[0][0] = 0.0
    u = keyed["k"]
    u[0] = 0.0
    nested["h"][0][0] = 0.0
    pair.first[0] = 0.0
    pair.second *= 2.0
    return total + sum(np.sum(part ** 2) for part in (listed[0], u, nested["h"][0], pair.first, pair.second))


@program(lambda: (positive(1, 4),))
def arrays_of_a_comprehension(x):
    made = [np.exp(x * k) for k in range(3)]
    total = made[1][0] ** 2
    made[1][0] = 0.0
    return total + sum(np.sum(part ** 2) for part in made)


@program(lambda: (positive(1, 4),))
def results_of_functions(x):
    total = 0.0
    for part in (exponential(x), named_exponential(x), handed_through(x)):
        total = total + part[0] ** 2
    u, v, w = exponential(x), named_exponential(x), handed_through(x)
    z = decided(x)
    total += u[0] ** 2 + v[0] ** 2 + w[0] ** 2 + z[0] ** 2
    u[0] = 0.0
    v *= 2.0
    w[1:] = x[0]
    z[1] = 0.5 * z[1]
    return total + np.sum(u ** 2) + np.sum(v ** 2) + np.sum(w ** 2) + np.sum(z ** 2)


@program(lambda: (positive(1, 4),), needs="shapes")
def given_back_and_handed_on(x):
    u = exponential(x)
    total = u[1] ** 2
    halved(u)
    return total + np.sum(u ** 2)


@program(lambda: (positive(1, 4),))
def a_view_given_back(x):
    u = viewed(x)
    total = u[0] ** 2
    u[0] = x[0]
    return total + np.sum(u ** 2)


@program(lambda: (positive(1, 4),))
def containers_given_back(x):
    d = in_a_dict(x)
    total = d["a"][0] ** 2 + d["b"][1][0] ** 2
    d["a"][0] = 0.0
    d["b"][1][0] = 0.0
    return total + np.sum(d["a"] ** 2) + np.sum(d["b"][1] ** 2) + np.sum(d["b"][0])


@program(lambda: (normal(1, 3, 3) + 3.0 * np.eye(3), normal(2, 3, 2)))
def a_solution_given_back(m, b):
    u = solved(m, b)
    top = u[0, :].copy()
    u[0, :] = 0.0
    return np.sum(u ** 2) + np.sum(top ** 3)


@program(lambda: (positive(1, 4),))
def given_back_in_a_loop(x):
    def step(u):
        return np.exp(-u)

    u = x
    total = 0.0
    for k in range(4):
        u = step(u)
        w = u[0]
        u[0] = w ** 2
        u[-1] *= 0.5
        v = exponential(x * k)
        total = total + v[0] ** 2
        v *= 2.0
        total = total + np.sum(v)
    return total + np.sum(u ** 2)


@program(lambda: (positive(1, 4),))
def given_by_a_generator(x):
    def powers():
        for k in range(3):
            yield np.exp(x * k)

    total = 0.0
    for u in powers():
        w = u[0] ** 2
        u *= 2.0
        total = total + np.sum(u ** 2) + w
    return total


@program(lambda: (positive(1, 4),))
def kept_by_an_object(x):
    c = Cached(x)
    u = c.exponential
    g = c.get()
    total = u[0] ** 2 + g[1] ** 2
    u *= 2.0
    c.scale()
    c.step().step()
    return total + np.sum(u ** 2) + np.sum(c.cache ** 2) + np.sum(c.x ** 2) + sum(np.sum(v ** 2) for v in c.grown)


@program(lambda: (np.array([[2.0, 0.3, 0.1], [0.3, 1.0, 0.2], [0.1, 0.2, 3.0]]),))
def several_results_of_one_call(m):
    values, vectors = np.linalg.eigh(m)
    q, r = np.linalg.qr(m)
    vectors *= np.sign(vectors[0])
    total = np.sum(vectors * np.arange(9.0).reshape(3, 3)) + q[0, 0] ** 2 + r[0, 1] + values[0] ** 2
    vectors[:, 0] = 0.0
    values[0] = 0.0
    q *= 2.0
    r[0] = 0.0
    return total + np.sum(vectors ** 3) + np.sum(values ** 2) + np.sum(q[:, 0] * np.arange(3.0)) + np.sum(r ** 2)


@program(lambda: (np.array([1.0, 0.5, -2.0, 0.3]),))
def inverse_of_what_was_filled(c):
    a = np.diag(np.ones(2), -1) + np.eye(3)
    a[0, :] = -c[1:] / c[0]
    return np.sum(np.linalg.inv(a) ** 2)


@program(lambda: (normal(1, 4), normal(2, 4), normal(3, 4)))
def all_of_it_and_parts_of_it_in_one_line(x, y, z):
    """The cotangent of all of an array becomes that of the array it is made of, and gets what parts of that give: the
    other operands' come first."""
    v = x - x[2] * y - x[1] * z
    held = {"u": v * z}
    held["u"] -= held["u"][1:2] * y
    held["u"] *= held["u"][-1]
    return np.sum(held["u"] * held["u"][0])
