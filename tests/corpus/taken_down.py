"""``dataclasses.asdict``, ``astuple`` and ``replace``; managers that note something; properties cached side by side."""
from __future__ import annotations

import contextlib
import dataclasses
import functools
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from corpus.registry import normal, positive, program


@dataclass(frozen=True)
class State:
    x: float
    v: float
    t: float = 0.0

    def moved(self, step):
        return dataclasses.replace(self, x=self.x + step * self.v, t=self.t + step)

    def kicked(self, step):
        return dataclasses.replace(self, v=self.v - step * self.x)


@program(lambda: (1.0, 0.3, 5))
def frozen_states(x, v, n):
    state = State(x, v)
    for _ in range(n):
        state = state.kicked(0.05).moved(0.1).kicked(0.05)
    return dataclasses.asdict(state)["x"] ** 2 + dataclasses.astuple(state)[1] ** 2 + state.t


@dataclass
class Leaf:
    w: np.ndarray
    b: float
    label: str = "leaf"


@dataclass
class Tree:
    first: Leaf
    others: tuple
    norm: float = field(init=False)
    kinds: ClassVar[int] = 2

    def __post_init__(self):
        self.norm = np.sum(self.first.w ** 2)


@program(lambda: (normal(1, 3), 0.3), needs="shapes")
def trees_taken_down(w, rate):
    tree = Tree(Leaf(w, rate * 2.0), (Leaf(w * 2.0, 1.0, "x"), [w, rate]))
    noted, listed = dataclasses.asdict(tree), dataclasses.astuple(tree)
    other = dataclasses.replace(tree, first=Leaf(w * rate, 1.0))
    return np.sum(noted["first"]["w"]) * noted["others"][0]["b"] + listed[0][1] * np.sum(listed[1][1][0]) \
        + other.norm * tree.norm + tree.kinds * len(noted["first"]["label"])


class timed:
    def __init__(self, label, counts):
        self.label = label
        self.counts = counts

    def __enter__(self):
        self.counts[self.label] = self.counts.get(self.label, 0)
        return self

    def __exit__(self, *_):
        self.counts[self.label] += 1


@contextlib.contextmanager
def noted(label, log):
    log.append(label)
    try:
        yield
    finally:
        log.append(f"{label} done")


@program(lambda: (normal(1, 4), 3))
def noted_by_managers(x, n):
    counts, log = {}, []
    for _ in range(n):
        with timed("sin", counts), noted("turn", log):
            x = np.sin(x) * x
    return np.sum(x), counts, log


class Matrix:
    def __init__(self, a):
        self.a = a

    @functools.cached_property
    def inverse(self):
        return np.linalg.inv(self.a)

    @functools.cached_property
    def trace(self):
        return np.trace(self.a)


@program(lambda: (normal(1, 3, 3) + 3.0 * np.eye(3), normal(2, 3)))
def properties_cached_in_one_line(a, b):
    matrix = Matrix(a)
    return matrix.trace + b @ matrix.inverse @ b + np.trace(matrix.inverse)


class Process:
    def __init__(self, y, noise):
        self.y, self.noise, self.asked = y, noise, 1

    @functools.cached_property
    def covariance(self):
        return self.noise ** 2 * np.eye(len(self.y))

    @functools.cached_property
    def variance(self):
        self.asked = self.asked + 1
        return self.covariance[0, 0]

    @functools.cached_property
    def precision(self):
        self.asked = 10 * self.asked
        return 1.0 / (self.variance + self.asked)

    def likelihood(self):
        return self.y @ np.linalg.solve(self.covariance, self.y) * self.covariance[0, 0]


@program(lambda: (positive(1, 3), 0.4), argnums=(0,))
def cached_property_of_what_is_constant(y, noise):
    return Process(y, noise).likelihood()


class Covariance:
    def __init__(self, scale, x):
        self.scale, self.x, self.times = scale, x, 0

    @functools.cached_property
    def matrix(self):
        self.times += 1
        return np.exp(-self.scale * (self.x[:, None] - self.x) ** 2) + np.eye(len(self.x))

    @functools.cached_property
    def factor(self):
        return np.linalg.cholesky(self.matrix)

    def determinant(self):
        return 2.0 * np.log(np.diag(self.factor)).sum() + self.matrix[0, 1]


@program(lambda: (0.7, normal(1, 3)))
def cached_properties_that_ask_for_others(scale, x):
    covariance = Covariance(scale, x)
    return covariance.determinant() + np.sum(covariance.factor @ x) * covariance.times


@program(lambda: (positive(1, 3), 0.4))
def properties_cached_one_by_another(y, noise):
    process = Process(y, noise)
    return process.asked * process.precision + process.asked * process.variance


ASKED = [0]


class Fitted:
    def __init__(self, y, noise):
        self.process = Process(y, noise)

    @functools.cached_property
    def weight(self):
        ASKED[0] += 1
        return self.process.noise * ASKED[0]

    def likelihood(self):
        return ASKED[0] * self.weight + self.process.asked * self.process.precision


@program(lambda: (positive(1, 3), 0.4))
def properties_cached_behind_what_they_change(y, noise):
    ASKED[0] = 1
    fitted = Fitted(y, noise)
    return fitted.likelihood() + fitted.process.asked * fitted.process.variance
