"""Constant numbers that grow to arrays: sums, moments and states that start from ``0.0``."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program


@program(lambda: (normal(1, 4, 3), normal(2, 3, 2)))
def sum_of_layers(xs, w):
    total = 0.0
    for x in xs:
        total = total + np.tanh(x @ w)
    return total.sum()


@program(lambda: (normal(1, 4, 3),))
def sum_in_place(xs):
    total = 0
    for x in xs:
        total += x * x
    return total @ xs[0]


@program(lambda: (normal(1, 0, 3), normal(2, 3), normal(3, 2, 3)))
def no_turn_at_all(xs, w, ys):
    total = 2.0
    for x in xs:
        total = total + x
    out = 0.0
    for y in ys:
        out = out + total * y * w
    return np.sum(total * w) + np.sum(out) + np.sum(total)


@program(lambda: (normal(1, 0, 3), normal(2, 3)))
def never_filled(xs, w):
    sums = [1.0, 2.0]
    state = {"sum": 3.0}
    for k, x in enumerate(xs):
        sums[k % 2] = sums[k % 2] + x
        state["sum"] = state["sum"] + x
    out = 0.0
    for part in sums:
        out = out + part * w + state["sum"] * w
    for k in range(2):
        out = out * sums[k] + np.sum(sums[k]) * w + np.sum(state["sum"])
    return np.sum(out)


@program(lambda: (normal(1, 3, 3), normal(2, 3), normal(3, 2, 3)))
def used_in_several_ways(xs, w, m):
    total = 1.5
    for x in xs:
        wide = total * m
        seen = np.sum(total) + np.sum(np.sin(total) * w) + wide.sum()
        total = np.cos(total * x) + seen
    return total.sum()


@program(lambda: (normal(1, 4, 3), 0.7))
def decaying_with_a_differentiated_rate(gs, beta):
    m = 0.0
    for g in gs:
        m = beta * m + (1.0 - beta) * g
    return (m * m).sum()


@program(lambda: (normal(1, 4, 3), 0.7), argnums=(0,))
def decaying_with_a_constant_rate(gs, beta):
    m = 0.0
    for g in gs:
        m = beta * m + (1.0 - beta) * g * g
    return np.sqrt(m + 1e-3).sum()


@program(lambda: (0.3, normal(1, 4, 3)))
def differentiated_start(start, xs):
    total = start
    for x in xs:
        total = total * x + 1.0
    return np.sum(total)


@program(lambda: (0.3, normal(1, 4, 3)), argnums=(1,))
def constant_start(start, xs):
    total = start
    for x in xs:
        total = total * x + 1.0
    return np.sum(total)


@program(lambda: ([normal(1, 3), normal(2, 1), normal(3, 3)], normal(4, 3)))
def unlike_sizes(xs, w):
    total = 0.0
    for x in xs:
        total = total + np.tanh(x)
        w = w * np.mean(total)
    return (total * w).sum()


@program(lambda: ([normal(1, 1), normal(2, 3)],))
def growing_twice(xs):
    total = 0.0
    for x in xs:
        total = total * x + np.sin(x)
    return np.sum(total)


@program(lambda: (normal(1, 3), normal(2, 3), -0.2))
def array_or_number(x, w, k):
    gate = np.tanh(x) if k > 0.0 else 0.5
    return (gate * w + gate).sum() + np.sum(gate) * k


@program(lambda: (normal(1, 3), normal(2, 3), 0.2))
def array_and_not_number(x, w, k):
    gate = np.tanh(x) if k > 0.0 else 0.5
    return (gate * w + gate).sum() + np.sum(gate) * k


@program(lambda: (normal(1, 4, 3), normal(2, 4)))
def in_a_dict(xs, ks):
    state = {"sum": 0.0, "squares": 0.0}
    for x, k in zip(xs, ks):
        state["sum"] = state["sum"] + k * x
        state["squares"] = 0.5 * state["squares"] + x ** 2
    return np.sum(state["sum"] / (1.0 + state["squares"]))


@program(lambda: (normal(1, 4, 3),))
def in_a_list(xs):
    sums = [0.0, 0.0]
    for k, x in enumerate(xs):
        sums[k % 2] = sums[k % 2] + np.exp(x)
    return (sums[0] * sums[1]).sum()


class Moments:
    def __init__(self, rate):
        self.mean = 0.0
        self.square = 0.0
        self.rate = rate
        self.turns = 0

    def update(self, g):
        self.turns += 1
        self.mean = self.rate * self.mean + (1.0 - self.rate) * g
        self.square = self.rate * self.square + (1.0 - self.rate) * g ** 2
        return self.mean / (np.sqrt(self.square / (1.0 - self.rate ** self.turns)) + 0.1)


@program(lambda: (normal(1, 3), positive(2, 3)))
def moments_of_an_object(p, target):
    moments = Moments(0.8)
    for _ in range(4):
        p = p - 0.1 * moments.update(p - target)
    return (p * p).sum()


@program(lambda: (normal(1, 3), positive(2, 3), 0.8))
def moments_with_a_differentiated_rate(p, target, rate):
    moments = Moments(rate)
    for _ in range(4):
        p = p - 0.1 * moments.update(p - target)
    return (p * p).sum()


@program(lambda: (normal(1, 4, 3).astype(np.float32),))
def single_precision_sum(xs):
    total = 0.0
    for x in xs:
        total = total + np.sin(x)
    return (total * total).sum()


@program(lambda: (normal(1, 4, 3) + 1j * normal(2, 4, 3),))
def complex_sum(zs):
    total = 0.0
    for z in zs:
        total = total * 0.5 + z * z
    return np.sum(np.abs(total) ** 2)


@program(lambda: (normal(1, 5, 3), normal(2, 3)))
def largest_and_chosen(xs, w):
    top = -1.0
    for x in xs:
        top = np.maximum(top, x * w)
        top = np.where(x > 1.0, top * 0.5, top + w)
    return np.sum(top * w)


@program(lambda: (normal(1, 5, 3), normal(2, 1, 3)))
def stretched(xs, row):
    total = 0.0
    for x in xs:
        total = total + x
        row = row + np.sin(total)
    return (row * total).sum()


@program(lambda: (normal(1, 4, 3), 3))
def left_early(xs, most):
    total = 0.0
    count = 0
    while count < len(xs):
        if count == most:
            break
        if xs[count, 0] < -5.0:
            total = 0.0
        total = total + xs[count] * xs[0]
        count += 1
    else:
        total = 1.0
    return np.sum(np.exp(total))


def accumulated(xs, depth, total):
    if depth == 0:
        return total
    return accumulated(xs, depth - 1, total + xs[depth] * xs[0])


@program(lambda: (normal(1, 4, 3),))
def by_recursion(xs):
    return np.sum(accumulated(xs, 3, 0.0) ** 2)


def added(total, x):
    return total * 0.9 + np.tanh(x)


@program(lambda: (normal(1, 4, 3),))
def through_a_function(xs):
    total = 0.0
    for x in xs:
        total = added(total, x)
    return np.sum(total ** 2)


@program(lambda: (normal(1, 4, 3),))
def kept_in_a_list(xs):
    total = 0.0
    kept = []
    for x in xs:
        total = total + x
        kept.append(total)
        total = total * x[1]
    return sum(np.sum(part) for part in kept) + np.sum(total * total)


@program(lambda: (normal(1, 6, 3), normal(2, 3)))
def reset_now_and_then(xs, w):
    total, out = 0.0, 0.0
    for x in xs:
        total = total + x
        out = out + np.sum(total * w) * total
        if x[0] > 0.0:
            total = 0.0
        out = out + np.sum(np.sin(total)) + np.tanh(total)
    return np.sum(out * w)


@program(lambda: (normal(1, 6, 3), normal(2, 3)))
def grown_in_an_arm_only(xs, w):
    total = 1.5
    for x in xs:
        w = w * np.cos(total)
        if x[0] > 0.0:
            total = total * x
            total = total + np.sum(total * w) * x
        else:
            total = total * 0.5
        w = w + total
    return np.sum(w) * np.sum(total)


@program(lambda: (normal(31, 3), 0.7))
def beside_a_sum_of_none_at_first(c, x):
    Q, total = [], 0.0
    for _ in range(3):
        w = np.ones(3) - sum([q * x for q in Q])
        total = total + w @ w
        Q.append(w * c)
    return total
