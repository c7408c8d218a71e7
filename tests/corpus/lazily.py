"""Generators that give one value at a time: without end, left early, beside what changes; ``next``."""
from __future__ import annotations

import itertools

import numpy as np

from corpus.registry import positive, program


def steps(x):
    while True:
        x = 0.9 * x + np.sin(x)
        yield x


def counted(x, n):
    for _ in range(n):
        x = np.sin(x) + x
        yield x


def nested(x):
    for i in range(3):
        for j in range(2):
            yield x[i] * (j + 1)
        yield x[i] ** 2
    yield x[0]


def early(x):
    for i in range(10):
        if x[i % 5] > 1.5:
            return
        yield x[i % 5] * i
    yield 5.0 * x[0]


def shadow(total):
    i = 0
    while True:
        total = total + i
        i += 1
        yield total, i


class Steps:
    def __init__(self, w):
        self.w = w
        self.n = 0

    def steps(self, x):
        while True:
            self.n += 1
            x = self.w * np.tanh(x)
            yield x

    def __iter__(self):
        for i in range(3):
            yield self.w * i


def five():
    return (positive(1, 5),)


@program(lambda: (0.7,))
def counted_and_left(x):
    t = 0.0
    for i, v in enumerate(steps(x), 1):
        if i == 2:
            continue
        if v > 2.6:
            break
        t = t * v + i
    else:
        t = 5.0
    return t


@program(five)
def several_places(x):
    t = 0.0
    for v in nested(x):
        if v > 1.8:
            continue
        t = t * 0.7 + v ** 2
    return t


@program(five)
def several_places_left(x):
    t = 1.0
    for v in nested(x):
        t = t * 0.7 + v ** 2
        if t > 3.0:
            break
        t = t + v
    else:
        t = -t
    return t * x[1]


@program(five)
def ends_itself(x):
    t = 1.0
    for v in early(x):
        t = t * 0.7 + v ** 2
    return t


@program(lambda: (0.7,))
def names_of_both(x):
    total = 1.0
    i = 7.0
    for total_, k in shadow(x):
        total += total_ * i
        if k > 3:
            break
    return total * i


@program(lambda: (Steps(0.5), 1.5))
def method_without_end(s, x):
    t = 0.0
    for v in s.steps(x):
        t += v * s.n
        s.w = s.w * 1.1
        if s.n == 4:
            return t + s.w
    return t


@program(lambda: (Steps(0.5), 1.5))
def beside_others(s, x):
    t = 0.0
    for k, v in zip((1.0, 2.0), s):
        t += v * k * x
    for v, k in zip(s, (1.0, 2.0)):
        t += v * k * x
    for a in s:
        for b in s:
            t += a * b ** 2
            if b > 0.4:
                break
    return t


@program(lambda: (0.7,))
def so_many_at_most(x):
    t = 0.0
    for v in itertools.islice(steps(x), 3):
        t += v * t + v
    return t + sum(itertools.islice(counted(x, 5), 2)) if t > 0 else x


@program(lambda: (0.7,))
def in_a_loop(x):
    t = 0.0
    for _ in range(3):
        for v in steps(x):
            t = t + v * x
            if v > 2.0:
                break
        x = x * 0.5
    return t


@program(lambda: (0.7,))
def sees_names_change(x):
    def inner():
        v = x
        while True:
            v = v * k
            yield v
    k = 0.8
    t = 0.0
    for v in inner():
        t += v ** 2
        k = k * 0.9
        if v < 0.2:
            break
    return t * k


@program(lambda: (0.7,))
def handed_on(x):
    def use(gen):
        t = 0.0
        for v in gen(x):
            t += v
            if t > 4.0:
                return t * v
    return use(steps)


@program(lambda: (0.7,))
def one_after_the_other(x):
    t = 0.0
    for v in steps(steps_sum(x)):
        t += v
        if t > 5.0:
            break
    return t


def steps_sum(x):
    return sum(counted(x, 2))


@program(five)
def generator_expression(x):
    out = np.zeros(5)
    for i, (a, b) in enumerate(((a, b) for a, b in zip(x, x[1:]))):
        out[i] = a * b
    return out


def writer(u):
    for i in range(len(u) - 1):
        u[i + 1] = u[i + 1] * u[i]
        yield u[i]


@program(five)
def writes_between(x):
    u = x * 1.5
    t = 0.0
    for v in writer(u):
        t += v ** 2
        u[0] = v * 0.5
    return t + np.sum(u)


@program(five)
def beside_a_count(x):
    t = 0.0
    for i in range(2):
        for k, v in zip(itertools.count(2), counted(x[i], 3)):
            t += v ** k
            if t > 100.0:
                return t * x[3]
    return t


@program(lambda: (0.7,))
def try_in_the_loop(x):
    values = []
    for v in steps(x):
        try:
            values.append(v * 2.0)
        finally:
            pass
        if len(values) == 3:
            break
    return sum(values)


@program(lambda: (0.7, 1e-3))
def read_behind_the_loop(x, tol):
    for i, v in enumerate(steps(x)):
        if i >= 4 or v < tol:
            break
    return v * i + x


@program(lambda: (0.7,))
def gives_nothing(x):
    for v in counted(x, 0):
        x = v
    return x ** 2


def kw(x, *, rate=0.5, n=3):
    assert n > 0
    for k in range(n):
        x = x * rate + k
        yield x


@program(lambda: (0.7, 0.3))
def keywords(x, r):
    t = 0.0
    for v in kw(x, rate=r):
        t += v ** 2
    for v in kw(x):
        t *= v
    return t


@program(lambda: (0.7,))
def first_of_a_generator(x):
    return next(counted(x, 3)) ** 2


@program(five)
def first_that_fits(x):
    return next(v * v for v in x if v > 1.0)


@program(five)
def first_or_default(x):
    a = next((v * v for v in x if v > 100.0), x[0])
    b = next((v * x[1] for v in x if v > 1.0), None)
    return a * b


@program(five)
def first_of_a_dict(x):
    d = {"a": x[0] * 2, "b": x[1]}
    return next(iter(d.values())) * 2.0 + next(iter(x)) * x[2]


@program(five)
def own_names(x):
    v = 3.0
    y = next(v * v for v in x) + v
    return y


@program(five)
def first_pair(x):
    i, y = next((i, v * 2) for i, v in enumerate(x) if v > 1.0)
    return y * x[i] + i


@program(five)
def first_place(x):
    return x[0] * next(i for i, v in enumerate(x) if v > 1.0)


@program(five)
def firsts_in_a_loop(x):
    t = 0.0
    for k in range(3):
        t += next(steps(x[k])) * next(v for v in steps(x[k]) if v > 1.9)
    return t


@program(five)
def none_that_fits(x):
    try:
        y = next(v for v in x if v > 100.0)
    except StopIteration:
        y = x[0] * 3.0
    return y


class Part:
    def __init__(self, **weights):
        self.weights = weights

    def named(self):
        for label, value in self.weights.items():
            yield label.lower(), value


class Whole:
    def __init__(self, *parts):
        self.parts = parts

    def named(self):
        for place, part in enumerate(self.parts):
            for label, value in part.named():
                yield f"{place}.{label}", value


@program(lambda: (positive(1, 3),))
def parts_without_anything(x):
    whole = Whole(Part(w=x, b=x[0]), Part(), Part(w=x**2), Part(c=1.0))
    return sum(np.sum(value**2) for label, value in whole.named() if label.endswith("w"))


@program(lambda: (0.7,))
def in_a_try_block(x):
    total, len = 0.0, x * 0.5  # noqa: A001
    try:
        for v, w in zip(steps(x), [1.0, 2.0, 3.0]):
            total = total + v * x * w + len
            if v > 2.0:
                break
        x = x * 0.5
    except ValueError:
        pass
    return total * x


FUNCTIONS = [np.sin, np.cos, lambda v: v * v]


@program(lambda: (positive(1, 3), [0, 2, 1]))
def functions_in_a_try_block(x, places):
    for place in places:
        try:
            x = FUNCTIONS[place](x)
            if np.sum(x) > 2.0:
                raise ValueError
        except ValueError:
            x = x * 0.5
    return np.sum(x)


class Cells:
    def __init__(self, count):
        self.count = count

    def places(self):
        yield from range(self.count)


@program(lambda: (0.7,))
def dicts_over_what_a_method_gives(x):
    cells = Cells(3)
    heights = {place: x ** place for place in cells.places()}
    slopes = dict((place, x * place) for place in cells.places() if place)  # noqa: C402
    return sum(heights[place] * slopes[place] for place in cells.places() if place)
