"""Objects whose attributes are set on one way or the other, or when they are first asked for; keys that come later."""
from __future__ import annotations

from collections import defaultdict

import numpy as np

from corpus.registry import normal, program


class Reading:
    def __init__(self, value, first):
        if first:
            self.value = value
            self.scale = 2.0 * value
        else:
            self.scale = value
            self.value = np.sin(value)


@program(lambda: (np.array([1.0, -2.0, 3.0]), 0.7))
def attributes_in_any_order(x, w):
    readings = []
    for i, v in enumerate(x):
        readings.append(Reading(v * w, i % 2 == 0))
    best = max(readings, key=lambda reading: reading.value)
    return sum(reading.value * reading.scale ** 2 for reading in readings) + best.scale


@program(lambda: (0.7, 0.3))
def attributes_by_branch(x, y):
    reading = Reading(x * y, True)
    other = Reading(y, x > y)
    if x > y:
        reading = other
    return reading.value * reading.scale ** 2 + other.value


class Gaussian:
    def __init__(self, mean, cov):
        self.mean = mean
        self.cov = cov
        self.factor = None

    def root(self):
        if self.factor is None:
            self.factor = np.linalg.cholesky(self.cov)
        return self.factor

    def distance(self, x):
        z = np.linalg.solve(self.root(), x - self.mean)
        return z @ z + np.sum(np.log(np.diag(self.root())))


@program(lambda: (normal(1, 3), normal(2, 4, 3), 0.7))
def factors_when_asked_for(mean, data, scale):
    parts = [Gaussian(mean, scale * np.eye(3)), Gaussian(-mean, (1.0 + scale ** 2) * np.eye(3))]
    total = 0.0
    for x in data:
        distances = np.array([part.distance(x) for part in parts])
        total = total + np.log(np.mean(np.exp(-0.1 * distances)))
    return total


@program(lambda: (normal(1, 3), 0.7))
def returned_at_once(x, scale):
    parts = [Gaussian(v * x, (scale + v ** 2) * np.eye(3)) for v in x]
    return sum(part.distance(x) * part.mean[0] for part in parts)


@program(lambda: (np.array([1.0, -2.0, 3.0]),))
def pieces_of_numbers(x):
    return sum(np.piecewise(v * 2.0, [v > 0], [1.0, lambda u: u * u]) for v in x)


@program(lambda: (np.array([0.9, 0.4, 1.2, 0.7, 1.1]), 0.85))
def ranks_of_pages(weights, damping):
    graph = defaultdict(list)
    for (start, end), weight in zip([(0, 1), (1, 2), (2, 0), (0, 2), (3, 0)], weights):
        graph[start].append((end, weight))
    rank = np.ones(5) / 5
    for _ in range(4):
        new = np.full(5, (1 - damping) / 5)
        for page in range(5):
            total = sum(weight for _, weight in graph[page])
            if total == 0:
                new += damping * rank[page] / 5
                continue
            for end, weight in graph[page]:
                new[end] += damping * rank[page] * weight / total
        rank = new
    return rank @ np.arange(5) + len(graph)
