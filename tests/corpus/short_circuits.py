"""Calls that change something, in tests and values that may not come to them."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


class Meter:
    def __init__(self):
        self.total = 0.0
        self.calls = 0

    def add(self, v):
        self.total = self.total + v
        self.calls += 1
        return self.total < 3.0


class Patience:
    """Says when to stop, once nothing has become better for some steps."""

    def __init__(self, steps):
        self.steps = steps
        self.wait = 0
        self.best = np.inf
        self.log = []

    def __call__(self, x, loss):
        self.log.append(float(loss))
        if loss < self.best - 0.05:
            self.best = loss
            self.best_x = x.copy()
            self.wait = 0
        else:
            self.wait += 1
        return self.wait >= self.steps


def fill(u, v):
    u[0] = u[0] + v
    return v * 2.0


def minimised(x, callback=None, steps=8):
    loss = (x**2).sum()
    for _ in range(steps):
        x = x - 0.3 * x
        loss = ((x - 0.2) ** 2).sum()
        if callback is not None and callback(x, loss):
            break
    return loss


@program(lambda: (normal(5, 3),))
def stopped_by_an_object(x):
    patience = Patience(2)
    loss = minimised(x, patience)
    return loss + patience.best * len(patience.log) + patience.best_x[0]


@program(lambda: (Patience(1), normal(5, 3)), argnums=(1,))
def stopped_by_the_callers_object(patience, x):
    return minimised(x, patience)


@program(lambda: (normal(5, 3),))
def stopped_by_a_function_that_notes(x):
    history = []
    def callback(x, loss):
        history.append(loss)
        return len(history) > 2 and abs(history[-1] - history[-2]) < 0.1
    return minimised(x, callback) + history[0] * len(history)


@program(lambda: (normal(5, 3),))
def stopped_by_variables_around(x):
    best, wait = np.inf, 0
    def callback(x, loss):
        nonlocal best, wait
        if loss < best:
            best, wait = loss, 0
        else:
            wait += 1
        return wait > 1
    return minimised(x, callback) * best


@program(lambda: (normal(5, 4),))
def several_in_one_test(x):
    squares, sums = Meter(), Meter()
    for v in x:
        if not (squares.add(v**2) or sums.add(v)) or v > -10.0 and sums.add(v * 0.5):
            squares.total = squares.total * 0.5
    return squares.total * sums.total + squares.calls * sums.calls


@program(lambda: (normal(5, 4),))
def in_the_test_of_a_while(x):
    meter, s, i = Meter(), 0.0, 0
    while i < 4 and meter.add(x[i] ** 2):
        s += meter.total * x[i]
        i += 1
        if i == 2:
            continue
        s *= 1.5
    return s + meter.total * meter.calls


@program(lambda: (normal(5, 4),))
def in_the_order_of_evaluation(x):
    u = np.zeros(2)
    y = u[0] * 5.0 + (fill(u, x[0]) if x[1] > -9.0 else x[2]) * u[0] + (x[3] > 9.0 or fill(u, x[2]))
    return y * u[0]
