"""Programs as notebooks and theses have them."""
from __future__ import annotations

import cmath

import numpy as np

from corpus.registry import normal, positive, program, spread


class Biquad:
    def __init__(self, b, a):
        self.b, self.a = b, a
        self.x1 = self.y1 = 0.0

    @classmethod
    def lowpass(cls, f):
        w = np.tan(f)
        return cls([w / (1 + w), w / (1 + w)], [1.0, (w - 1) / (w + 1)])

    def process(self, x):
        y = self.b[0] * x + self.b[1] * self.x1 - self.a[1] * self.y1
        self.x1, self.y1 = x, y
        return y


@program(lambda: ([0.3, 0.5], normal(1, 4)))
def chain_of_biquads(f, signal):
    chain = [Biquad.lowpass(each) for each in f]
    out = []
    for s in signal:
        for bq in chain:
            s = bq.process(s)
        out.append(s)
    return np.sum(np.array(out) ** 2)


def transformed(x):
    n = len(x)
    if n <= 1:
        return x
    even, odd = transformed(x[0::2]), transformed(x[1::2])
    turned = [cmath.exp(-2j * cmath.pi * k / n) * odd[k] for k in range(n // 2)]
    return [even[k] + turned[k] for k in range(n // 2)] + [even[k] - turned[k] for k in range(n // 2)]


@program(lambda: (normal(1, 4),))
def fourier_by_lists(x):
    return sum(k * abs(c) ** 2 for k, c in enumerate(transformed([complex(v) for v in x])))


@program(lambda: (positive(1, 4), normal(2, 4)))
def stiffness_by_triplets(kappa, f):
    rows, cols, values = [], [], []
    for e, k in enumerate(kappa):
        for i in (0, 1):
            for j in (0, 1):
                rows.append(e + i)
                cols.append(e + j)
                values.append(k if i == j else -k)
    stiffness = np.zeros((5, 5))
    np.add.at(stiffness, (rows, cols), values)
    u = np.linalg.solve(stiffness[1:, 1:], f)
    return u @ u


@program(lambda: (normal(1, 3),))
def lists_that_go_into_arrays(x):
    u, m = np.ones(3), np.ones((2, 3))
    squares = [v ** 2 for v in x]
    u[[2, 0, 1]] = squares
    u += squares
    m[0] = tuple(v * 3 for v in x)
    m[:] *= squares
    squares[0] = x[1]
    m[1] -= squares
    return (u ** 2).sum() + (m ** 3).sum()


def bent(x, state):
    mode = state["mode"]
    if mode == "train":
        state["mean"] = 0.9 * state["mean"] + 0.1 * x.mean(axis=0)
        return np.tanh(x - x.mean(axis=0))
    return np.tanh(x - state["mean"])


@program(lambda: (normal(1, 3, 2), 2), argnums=(0,))
def layers_with_dicts_of_state(x, n):
    states = [{"mode": "train", "mean": np.zeros(2), "note": None} for _ in range(n)]
    for layer in range(n):
        x = 2.0 * bent(x, states[layer])
    return (x ** 2).sum() + (states[0]["mean"] * states[1]["mean"]).sum()


@program(lambda: (spread(1, 5, 2), normal(2, 5, 2)))
def points_brought_together(p, q):
    moved = np.ones((3, 5))
    moved[:2] = p.T
    for _ in range(2):
        a, b = moved[:2].T, q
        u, s, vt = np.linalg.svd((a - a.mean(axis=0)).T @ (b - b.mean(axis=0)))
        r = vt.T @ u.T
        if np.linalg.det(r) < 0:
            vt[1] *= -1
            r = vt.T @ u.T
        t = np.eye(3)
        t[:2, :2], t[:2, 2] = r, b.mean(axis=0) - r @ a.mean(axis=0)
        moved = t @ moved
    return ((moved[:2].T - q) ** 2).sum() + moved[0, 1]


def predators(t, y, a, b, c):
    return np.array([a * y[0] - b * y[0] * y[1], c * y[0] * y[1] - y[1]])


def stepped(f, y, t, h, args=()):
    while t > 1e-9:
        k = [f(t, y, *args)]
        k.append(f(t + h / 2, y + h / 2 * k[0], *args))
        y, t = y + h * k[1], t - h
    return y


@program(lambda: (positive(1, 3), positive(2, 2)))
def parameters_as_a_tuple(theta, y):
    return np.sum(stepped(predators, y, 0.3, 0.1, args=tuple(theta)) ** 2)


@program(lambda: ([0.7, 0.4], {"A": 1.0, "B": 0.8, "C": 0.3}))
def reactions_by_name(rates, amounts):
    reactions = [({"A": 1, "B": 1}, {"C": 1}), ({"B": 2}, {"A": 1})]
    x = dict(amounts)
    for _ in range(2):
        change = {s: 0.0 for s in x}
        for (given, made), rate in zip(reactions, rates):
            for s, m in given.items():
                rate *= x[s] ** m
            for s, m in given.items():
                change[s] -= m * rate
            for s, m in made.items():
                change[s] += m * rate
        for s in x:
            x[s] += 0.1 * change[s]
    return x["A"] * x["C"] + x["B"] ** 2


@program(lambda: ([{"region": "N", "price": 2.0, "n": 3}, {"region": "S", "price": 1.5, "n": 4},
                   {"region": "N", "price": 2.5, "n": 1}], 1.2))
def rows_by_region(rows, rate):
    by = {}
    for row in rows:
        if row["region"] not in by:
            by[row["region"]] = []
        by[row["region"]].append(row)
    means = []
    for region in sorted(by):
        total = sum(row["price"] * row["n"] for row in by[region])
        means.append({"region": region, "mean": total / len(by[region])})
    return max(means, key=lambda row: row["mean"])["mean"] * rate + sum(row["price"] ** 2 for row in rows)


@program(lambda: (spread(1, 6, 2),))
def means_of_the_nearest(x):
    centres = x[:2].copy()
    for _ in range(2):
        clusters = [[] for _ in range(2)]
        for point in x:
            distances = [np.linalg.norm(point - centre - 0.01) for centre in centres]
            clusters[distances.index(min(distances))].append(point)
        before = centres
        centres = np.array([np.mean(c, axis=0) if len(c) else b for c, b in zip(clusters, before)])
        if np.allclose(before, centres):
            break
    return sum(np.sum((np.array(c) - centre) ** 2) for c, centre in zip(clusters, centres) if len(c))
