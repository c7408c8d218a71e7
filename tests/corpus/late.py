"""Attributes that objects get later: in the first turn of a loop, in an arm of a branch, by methods."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program


class Momentum:
    def __init__(self, beta):
        self.beta = beta

    def update(self, gradient):
        if not hasattr(self, "velocity"):
            self.velocity = np.zeros_like(gradient)
        self.velocity = self.beta * self.velocity + gradient
        return self.velocity


@program(lambda: (normal(1, 3), 0.3, 4))
def first_velocity_in_a_loop(w, beta, n):
    momentum = Momentum(beta)
    for _ in range(n):
        w = w - 0.1 * momentum.update(np.sin(w))
    return np.sum(w ** 2)


class Dense:
    def __init__(self, w, b):
        self.w = w
        self.b = b

    def forward(self, x):
        self.x = x
        self.z = self.w @ x + self.b
        return np.tanh(self.z)

    def backward(self, g):
        delta = g * (1.0 - np.tanh(self.z) ** 2)
        self.w_bar = np.outer(delta, self.x)
        self.b_bar = delta
        return self.w.T @ delta


@program(lambda: (normal(1, 3, 3), normal(2, 3), normal(3, 3), 2))
def trained_by_hand(w, b, x, n):
    layer = Dense(w, b)
    loss = 0.0
    for _ in range(n):
        y = layer.forward(x)
        loss += np.sum(y ** 2)
        layer.backward(2.0 * y)
        layer.w = layer.w - 0.1 * layer.w_bar
        layer.b = layer.b - 0.1 * layer.b_bar
    return loss


@program(lambda: (normal(1, 2, 3, 3), normal(3, 3), 2))
def caches_of_any_number_of_layers(ws, x, n):
    layers = [Dense(w, 0.5) for w in ws]
    for _ in range(n):
        for layer in layers:
            x = layer.forward(x)
        g = np.ones_like(x)
        for layer in reversed(layers):
            g = layer.backward(g)
        x = x + 0.1 * g
    return np.sum(x ** 2)


@program(lambda: (Dense(normal(1, 3, 3), normal(2, 3)), normal(3, 3), 3))
def cache_of_an_argument(layer, x, n):
    for _ in range(n):
        x = layer.forward(x)
    return np.sum(x ** 2)


class Welford:
    def __init__(self):
        self.n = 0

    def push(self, v):
        self.n += 1
        if self.n == 1:
            self.mean = v
            self.m2 = 0.0
        else:
            d = v - self.mean
            self.mean += d / self.n
            self.m2 += d * (v - self.mean)


@program(lambda: (normal(1, 5),), needs="shapes")
def running_variance(x):
    found = Welford()
    for v in x:
        found.push(v)
    return found.m2 / (found.n - 1) + found.mean


class Optimizer:
    velocity = None
    steps = 0
    total = 0.0

    def __init__(self, beta):
        self.beta = beta

    def step(self, w, g):
        self.steps += 1
        self.total += np.sum(g)
        if self.velocity is None:
            self.velocity = np.zeros_like(w)
        self.velocity = self.beta * self.velocity + g
        return w - 0.1 * self.velocity


@program(lambda: (normal(1, 5), 0.7, 3))
def defaults_of_the_class(w, beta, n):
    optimizer = Optimizer(beta)
    for _ in range(n):
        w = optimizer.step(w, np.sin(w))
    return np.sum(w) * optimizer.total + optimizer.steps


@program(lambda: (normal(1, 5), 0.7, 0))
def defaults_of_the_class_without_a_turn(w, beta, n):
    optimizer = Optimizer(beta)
    for _ in range(n):
        w = optimizer.step(w, np.sin(w))
    return np.sum(w) * beta + optimizer.total


class Dial:
    value = 2.0

    def turn(self, by):
        self.value *= by
        return self


@program(lambda: (1.3, 0.4))
def default_of_the_class_updated(x, k):
    dial, other = Dial().turn(x), Dial()
    other.value += k
    if x > 1.0:
        other.value -= dial.value * x
    return dial.turn(k).value * other.value + Dial().value * k


class Log:
    pass


@program(lambda: (normal(1, 5),))
def perhaps_never_set(x):
    log = Log()
    for v in x:
        if v > 0.3:
            log.large = v * v
        if v > 1e3:
            log.huge = v
    return getattr(log, "large", 1.0) * x[0] + getattr(log, "huge", x[1]) + (
        log.large if hasattr(log, "large") else 0.0)


@program(lambda: (normal(1, 5),))
def returned_with_what_it_got(x):
    log = Log()
    for v in x:
        if v > 0.3:
            log.large = v * v
        log.last = v * x[0]
    return log


@program(lambda: (normal(1, 5),))
def returned_with_less_than_it_may_get(x):
    log = Log()
    for v in x:
        if v > 1e3:
            log.huge = v * v
        log.last = v * x[0]
    return log


@program(lambda: (positive(1, 3), 0.4))
def set_where_it_returns(x, k):
    log = Log()

    def note(v):
        if v > 1.0:
            log.large = v * k
            return v
        log.small = v * v
        return k * v

    total = 0.0
    for v in x:
        total += note(v)
    return total + (log.large if hasattr(log, "large") else 0.0)


class Orbit:
    """Its solver leaves containers in it which the methods that are called later do not read."""

    def __init__(self, size):
        self.size = size

    def solve(self, mean):
        self.terms = (mean - np.sin(mean), 2.0 * mean, 3.0)
        self.steps = {"newton": [mean * 0.5, (mean, 4.0)]}
        return self.terms[0] * self.terms[1] + self.steps["newton"][1][0] * self.steps["newton"][0]

    def anomaly(self, t):
        if not hasattr(t, "__iter__"):
            return self.solve(t)
        found = np.zeros(len(t))
        for i in range(len(t)):
            found[i] = self.solve(t[i])
        return found

    def radius(self, t, anomaly=None):
        if anomaly is None:
            anomaly = self.anomaly(t)
        return self.size * np.cos(anomaly)


@program(lambda: (0.4,))
def containers_that_a_method_leaves(t):
    orbit = Orbit(1.5)
    anomaly = orbit.anomaly(t)
    return anomaly * orbit.radius(t, anomaly=anomaly)


class Meter:
    def __init__(self):
        self.amount = 0.0

    @property
    def total(self):
        return self.amount

    @total.setter
    def total(self, amount):
        self.amount = amount


@program(lambda: (normal(1, 3),))
def number_behind_a_property_that_grows_to_an_array(x):
    meter = Meter()
    for i in range(3):
        meter.total += x * i
    return np.sum(meter.total ** 2)
