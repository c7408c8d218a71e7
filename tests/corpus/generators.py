"""Generators that a loop, a comprehension or a function runs through; results of calls that are taken apart."""
from __future__ import annotations

import math

import numpy as np

from corpus.registry import normal, positive, program


def steps(x, n):
    for _ in range(n):
        x = 0.9 * x + np.sin(x)
        yield x


@program(lambda: (0.7,))
def loop_over_a_generator(x):
    total = 0.0
    for value in steps(x, 4):
        total = total * value + value**2
    return total


@program(lambda: (normal(1, 3),))
def arrays_from_a_generator(x):
    total = np.zeros(3)
    kept = []
    rows = np.zeros((3, 3))
    for i, y in enumerate(steps(x, 3)):
        total += y * y
        kept.append(2.0 * y)
        rows[i] = y
    return np.sum(total * kept[1]) + np.sum(rows**2)


@program(lambda: (0.7,))
def consumed_at_once(x):
    values = list(steps(x, 4))
    return sum(steps(x, 3)) * max(steps(x, 2)) + values[-1] * values[0]


def some(x):
    for i in range(4):
        if i == 1:
            yield x * x
            continue
        if i == 3:
            return
        yield i * x
    yield np.sin(x)


def chained(x):
    yield x
    yield from some(x)
    yield from [x, 2.0 * x]


@program(lambda: (0.4,))
def branches_and_other_generators(x):
    total = 1.0
    for value in chained(x):
        total = total * (value + 1.0)
    return total


def flattened(tree):
    for part in tree:
        if isinstance(part, (list, tuple)):
            yield from flattened(part)
        else:
            yield part


@program(lambda: (normal(2, 3),), needs="shapes")
def parts_of_a_tree_one_by_one(x):
    total = 0.0
    for value in flattened([x[0], [x[1] * x[0], (x[2], [x[0]])]]):
        total = np.sin(total) + value ** 2
    return total


def in_order(node):
    if node is None:
        return
    yield from in_order(node["left"])
    yield node["weight"]
    yield from in_order(node["right"])


@program(lambda: (normal(3, 3),))
def weights_of_a_tree(x):
    leaf = {"weight": x[2] * x[0], "left": None, "right": None}
    tree = {"weight": x[0], "left": {"weight": x[1], "left": None, "right": leaf}, "right": None}
    return sum(weight ** (2 + place) for place, weight in enumerate(in_order(tree)))


def neighbours(x):
    for i in range(len(x) - 1):
        yield x[i], x[i + 1]


@program(lambda: (normal(2, 5),))
def pairs(x):
    total = sum((b - a) ** 2 for a, b in neighbours(x))
    for a, b in neighbours(x):
        total += a * b * total
    return total


def sums(x):
    total = 0.0
    for value in x:
        total = total + value
        yield total


@program(lambda: (normal(3, 4),))
def one_inside_the_other(x):
    total = 0.0
    for a in sums(x):
        for b, c in zip(sums(x), x):
            total += a * b * c
    return total


@program(lambda: (positive(4, 4),))
def left_early(x):
    total = 0.0
    for value in sums(x):
        if value > 1.0:
            break
        total += value * x[0]
    else:
        total = total * 2.0
    for value in sums(x):
        if value > 2.5:
            return total * value
    return total


def halves(x):
    while abs(x) > 0.1:
        x = 0.5 * x
        yield x


@program(lambda: (0.7,))
def as_long_as_a_test_holds(x):
    total = 0.0
    for value in halves(x):
        total += value * value
    return total + sum([value**3 for value in halves(x)])


@program(lambda: (normal(5, 3), 1.3))
def defined_inside(x, k):
    def scaled():
        for value in x:
            yield value * k

    total = 1.0
    for value in scaled():
        total = total * value + value
    return total


class Stepper:
    def __init__(self, rate):
        self.rate = rate

    def run(self, x, n):
        for _ in range(n):
            x = x - self.rate * np.sin(x)
            yield x


STEPPER = Stepper(0.3)


@program(lambda: (0.7,))
def method(x):
    total = 0.0
    for value in STEPPER.run(x, 3):
        total += value * value
    return total


def places(n):
    for i in range(n):
        if i % 2 == 0:
            yield i


@program(lambda: (normal(6, 5),))
def passive_generator(x):
    total = 0.0
    for i in places(len(x)):
        total += x[i] ** 2 * i
    return total


@program(lambda: (normal(7, 3),))
def taken_apart(x):
    a, b, c = steps(x, 3)
    first, *rest = list(steps(x[0], 3))
    return np.sum(a * b * c) * first * rest[0] * rest[1] + np.sum(np.stack([*steps(x, 2), x]))


@program(lambda: (normal(8, 4),))
def batches(x):
    def parts(n):
        for i in range(0, len(x), n):
            yield x[i:i + n]

    loss = 0.0
    for part in parts(2):
        loss = loss + np.sum(part**2) * part[0]
    return loss


@program(lambda: (normal(9, 4),))
def all_but_some(x):
    total = 0.0
    for i, value in enumerate(sums(x)):
        if i == 2:
            continue
        total += i * value**2
    return total


# ---- results of calls, taken apart

def squares(x):
    return x * x


def rows(x, n):
    found = []
    for _ in range(n):
        x = np.sin(x)
        found.append(x)
    return found


def both(x):
    return squares(x), rows(x, 2)


@program(lambda: (normal(10, 3),))
def array_taken_apart(x):
    a, b, c = squares(x)
    return a * b + c


@program(lambda: (normal(11, 3),))
def list_taken_apart(x):
    total = 0.0
    for _ in range(2):
        a, b = rows(x, 2)
        x = a * b
        total += np.sum(x * a)
    return total


@program(lambda: (normal(12, 3),))
def taken_apart_in_a_tuple(x):
    (a, b, c), (first, second) = both(x)
    return a * b + c + np.sum(first * second)


@program(lambda: (normal(13, 3),))
def stacked_with_stars(x):
    found = rows(x, 3)
    return np.sum(np.stack([*found, x]) ** 2) + np.sum(np.concatenate([x, *rows(x, 2)]))


@program(lambda: ({"i": normal(301, 2, 3), "f": normal(302, 2, 3)}, normal(303, 3)))
def gates_unpacked(params, z):
    i, f = (params[key] @ z for key in "if")
    return (np.tanh(i) * f).sum()


@program(lambda: (normal(304, 4),))
def first_and_rest_of_a_generator(z):
    first, *rest = (v ** 2 for v in z)
    z = z.copy()
    z[0], z[1] = (v * z[2] for v in (z[1], z[0]))
    return first * sum(rest) + (z ** 3).sum()


def shrinking(y, steps):
    for _ in range(steps):
        y = np.tanh(y) * 1.1
        yield y


@program(lambda: (normal(1, 2),))
def the_last_one(y):
    *_, last = shrinking(y, 4)
    first, *rest = shrinking(last, 3)
    return np.sum(first) * len(rest) + np.sum(rest[-1])


@program(lambda: (normal(1, 4), normal(2, 4)))
def pairs_under_one_name(x, y):
    return sum(pair[0] * pair[1] for pair in zip(x, y) if pair[0] > -9.0) + max([p[0] - p[1] ** 2 for p in zip(x, y)])


def differences(values):
    before = None
    for v in values:
        if before is not None:
            yield v - before
        before = v


def smoothed(values, keep):
    mean = 0.0
    for v in values:
        mean = keep * mean + (1.0 - keep) * v
        yield mean


def windows(values, size):
    held = []
    for v in values:
        held.append(v)
        if len(held) == size:
            yield tuple(held)
            del held[0]


@program(lambda: (normal(1, 6), 0.4))
def generators_handed_to_generators(x, keep):
    total = 0.0
    for low, mid, high in windows(smoothed(differences(x), keep * keep), 3):
        keep = 2.0 * keep
        total += mid ** 2 + (high - low) * keep
        if total > 9.0:
            break
    return total


@program(lambda: (normal(1, 5), 0.4))
def chains_of_named_iterators(x, keep):
    squares = (v * v for v in x)
    shifted = map(lambda v: v + keep, squares)
    steps = differences(shifted)
    means = smoothed(steps, keep)
    total = 0.0
    for i, v in enumerate(means):
        total += v * v * i
    return total


class Signal:
    def __init__(self, values, gain):
        self.values, self.gain = values, gain

    def raw(self):
        for v in self.values:
            yield v * self.gain

    def power(self):
        total = 0.0
        for v in smoothed(self.raw(), 0.2):
            total += v * v
            self.gain *= 1.1
        return total


@program(lambda: (normal(1, 4), 0.7))
def generator_that_is_a_method_handed_on(x, gain):
    return Signal(x, gain).power()


class Polynomial:
    def __init__(self, coefficients):
        self.coefficients = tuple(coefficients)

    def derivative(self):
        return Polynomial(k * c for k, c in enumerate(self.coefficients) if k)

    def at(self, x):
        return sum(c * x ** k for k, c in enumerate(self.coefficients))


def average(values, weight=1.0):
    values = list(values)
    return weight * sum(values) / len(values)


@program(lambda: (normal(1, 4), 0.7))
def generators_that_become_lists_at_once(c, x):
    steep = Polynomial(c).derivative().derivative()
    return steep.at(x) + average(values=(v * v for v in c), weight=x)


def logarithms(x):
    for v in x:
        if v == 0.0:
            raise ZeroDivisionError("no logarithm")
        yield math.log(v)


def as_far_as_it_goes(x):
    total = x[0]
    try:
        for v in logarithms(x):
            total += total * v
    except ValueError:
        total = total**2
    except ZeroDivisionError as error:
        total *= len(str(error))
    return total


@program(lambda: (np.array([0.5, 2.0, -1.0, 3.0]),))
def loops_over_a_generator_that_fails(x):
    return as_far_as_it_goes(x) * as_far_as_it_goes(x[:2]) + as_far_as_it_goes(x * np.array([1.0, 0.0, 1.0, 1.0]))


def pull(x):
    return 0.5 * x


def pulled(x, n):
    for _ in range(n):
        x = x - pull(x) * x
        yield x


@program(lambda: (0.7, 3))
def generator_whose_helper_nobody_else_mentions(x, n):
    total = 0.0
    for y in pulled(x, n):
        total += y * y
    return total
