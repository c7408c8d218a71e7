"""Arrays and lists that generators of random numbers shuffle where they stand, and numbers that count in any order."""
from __future__ import annotations

import random

import numpy as np

from corpus.registry import normal, program


@program(lambda: (normal(1, 2), normal(2, 5, 2)))
def rows_in_another_order_each_time(w, x):
    rng = np.random.default_rng(3)
    order = np.arange(len(x))
    total = 0.0
    for _ in range(2):
        rng.shuffle(order)
        for place, row in enumerate(order):
            total += (place + 1) * (x[row] @ w) ** 2
    return total


@program(lambda: (normal(3, 4), 7))
def a_list_of_numbers(w, seed):
    generator = random.Random(seed).random()
    random.seed(seed)
    np.random.seed(seed)
    rows = list(range(4))
    random.shuffle(rows)
    first = sum((k + 1) * w[i] ** 2 for k, i in enumerate(rows))
    np.random.shuffle(rows)
    return first * sum((k + 1) * w[i] ** 3 for k, i in enumerate(rows)) * generator


@program(lambda: (normal(4, 4), 5), needs="shapes")
def what_is_differentiated(w, seed):
    rng = np.random.RandomState(seed)
    u = w * 2.0
    square = u ** 2
    rng.shuffle(u)
    parts = [element * 3.0 for element in w]
    rng.shuffle(parts)
    return np.sum(u * square) + sum((k + 1) * part ** 2 for k, part in enumerate(parts))


@program(lambda: (normal(5, 3, 2), 5))
def rows_of_a_matrix(w, seed):
    w = w.copy()
    np.random.default_rng(seed).shuffle(w)
    return np.sum(w ** 2 * np.arange(6.0).reshape(3, 2))


class Loader:
    def __init__(self, x, size):
        self.x, self.size = x, size
        self.rng = np.random.RandomState(1)
        self.order = list(range(len(x)))
        self.places = np.arange(len(x))

    def batches(self):
        self.rng.shuffle(self.order)
        return [self.x[self.order[at:at + self.size]] for at in range(0, len(self.order), self.size)]


@program(lambda: (normal(6, 2), normal(7, 5, 2)))
def batches_of_an_object(w, x):
    loader = Loader(x, 2)
    for _ in range(2):
        for batch in loader.batches():
            w = w - 0.1 * batch.T @ (batch @ w)
    return w.sum()


@program(lambda: (np.array([[1.0, 1.5, 0.7], [1.2, 0.9, 1.1]]),))
def sweeps_in_all_directions(speed):
    n, m = speed.shape
    t = np.full((n + 2, m + 2), 50.0)
    t[1, 1] = 0.0
    for down in (1, -1):
        rows = range(1, n + 1)[::down]
        for across in (1, -1):
            columns = range(1, m + 1) if across > 0 else range(m, 0, -1)
            for i in rows:
                for j in columns:
                    if (i, j) != (1, 1):
                        a, b = min(t[i - 1, j], t[i + 1, j]), min(t[i, j - 1], t[i, j + 1])
                        t[i, j] = min(t[i, j], min(a, b) + 0.5 / speed[i - 1, j - 1])
    return np.sum(t[1:-1, 1:-1] ** 2)


@program(lambda: (normal(8, 4),))
def ranges_under_names(x):
    inner = range(1, len(x))
    turned = tuple(inner)[::-1]
    u = np.zeros(len(x))
    u[0] = x[0]
    for i in inner:
        u[i] = x[i] * u[i - 1] + x[inner[0]]
    for i in turned:
        u[i - 1] += u[i] ** 2
    return u.sum() * x[inner[-1]] * x[list(inner)].sum()


class Epochs(Loader):
    def __iter__(self):
        self.places[:] = self.places[::-1]
        self.rng.shuffle(self.places)
        for at in range(0, len(self.places), self.size):
            yield self.x[self.places[at:at + self.size]]


@program(lambda: (normal(9, 2), normal(10, 5, 2)))
def an_object_that_is_run_through(w, x):
    epochs = Epochs(x, 2)
    for _ in range(2):
        for batch in epochs:
            w = w - 0.1 * batch.T @ (batch @ w)
    return w.sum()
