"""``zip``, ``enumerate``, ``reversed`` and their kin outside of loops' headers; defaults; sets; several managers."""
from __future__ import annotations

from contextlib import suppress

import numpy as np

from corpus.registry import normal, positive, program


@program(lambda: (normal(1, 4),))
def counted_from_one(x):
    total = 0.0
    for i, value in enumerate(x, start=1):
        total += i * value**2
    return total + sum(i * value for i, value in enumerate(x, start=3))


@program(lambda: (normal(2, 4),))
def lists_of_pairs(x):
    pairs = list(zip(x, x[1:]))
    places = list(enumerate(x))
    backwards = list(reversed([value**2 for value in x]))
    return pairs[0][0] * pairs[1][1] + places[2][1] ** 2 + backwards[0] * backwards[1]


@program(lambda: (normal(3, 4),))
def sorted_pairs(x):
    total = 0.0
    for key, value in sorted(zip([2, 0, 3, 1], x)):
        total = total * 0.5 + value * key
    return total + np.sum(np.array(list(zip(x, x * x))))


@program(lambda: (normal(4, 4),))
def columns(x):
    rows = [(x[0], x[1] * x[2]), (x[2], x[3])]
    total = 0.0
    for a, b in zip(*rows):
        total += a * b
    return total


@program(lambda: (normal(5, 4),))
def dicts_of_pairs(x):
    keys = ["a", "b"]
    first = dict(zip(keys, [x[0], x[1] * x[2]]))
    second = {key: value * other for (key, value), other in zip(first.items(), (x[3], x[0]))}
    third = {key: x[i] for i, key in enumerate(keys)}
    return first["a"] * first["b"] + second["a"] * second["b"] * third["b"]


@program(lambda: (positive(6, 4),))
def defaults(x):
    largest = max((value * value for value in x if value > 0.1), default=0.0)
    return largest + min([value for value in x if value > 100.0], default=x[1] ** 2) * x[0]


@program(lambda: (positive(6, 4),))
def differentiated_defaults_of_what_is_not(x):
    empty = max([], default=x[0]) * min((value for value in (1.0, 2.0) if value > 3.0), default=x[1])
    by_key = max((value for value in (1.0, 2.0) if value > 3.0), key=abs, default=x[2])
    return empty + by_key * min((value for value in x if value > 0.1), key=lambda value: -value, default=0.0)


@program(lambda: (normal(7, 4),))
def passive_sets_and_dicts(x):
    seen = {i % 2 for i in range(len(x))}
    positive_places = {i for i, value in enumerate(x) if value > 0.0}
    doubled = {i: 2 * i for i, _ in enumerate(x)}
    total = x[0] * len(positive_places)
    for i in sorted(seen):
        total += x[i] ** 2 * doubled[i]
    return total


@program(lambda: (positive(8, 3),))
def several_managers(x):
    y = np.sum(x)
    with np.errstate(all="ignore"), suppress(ZeroDivisionError), suppress(ValueError, KeyError):
        if y > 100.0:
            raise ValueError
        return y * y
    return y


@program(lambda: (positive(9, 3),))
def several_managers_that_catch(x):
    y = np.sum(x)
    with np.errstate(all="ignore"), suppress(ValueError):
        raise ValueError
    return y * y


class Triple:
    def __init__(self, a, b, c):
        self.a, self.b, self.c = a, b, c

    def __iter__(self):
        return iter((self.a, self.b, self.c))


class Series:
    def __init__(self, values):
        self.values = values

    def __iter__(self):
        return iter(self.values)


@program(lambda: (normal(1, 3),))
def what_iter_returns(x):
    a, b, c = Triple(x[0], x[1] * 2.0, x[2])
    total = a * b + c + sum(Triple(x[0], x[2], 1.0))
    for v in Series(x):
        total += v ** 2
    for v in Series([x[0], x[1] * x[2]]):
        total *= 1.0 + 0.1 * v
    return total + max(Series(x)) * sum(v ** 3 for v in Series(x))


@program(lambda: (normal(1, 4),))
def least_and_largest_of_pairs(x):
    value, place = max((v * v, i) for i, v in enumerate(x))
    pairs = [(x[i], x[i + 1]) for i in range(3)]
    first, second = min(pairs)
    named = {"a": x[0], "b": x[1], "c": x[2]}
    best, name = max((v, k) for k, v in named.items())
    return value * (1 + place) + first * second + best * len(name) + min(zip(x, range(9)))[0]


class Square:
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side ** 2


class Disc:
    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return 3.0 * self.radius ** 2


@program(lambda: (normal(1, 3),))
def objects_of_unlike_classes(x):
    shapes = [Square(x[0]), Disc(x[1]), Square(x[2])]
    named = {"a": Square(x[1]), "b": Disc(x[2] * x[0])}
    areas = [shape.area() for shape in shapes]
    total = sum(shape.area() * len(key) for key, shape in named.items()) * sum(s.area() for s in named.values())
    return total + max(areas) + sum(w * s.area() for w, s in zip([1.0, 2.0, 3.0], shapes))


@program(lambda: (normal(11, 4),))
def differences_of_a_list_and_an_array(x):
    steps = []
    for v in x:
        steps.append(v * 2.0)
    return sum((a - b) ** 2 for a, b in zip(steps, x)) + steps[2] ** 2


@program(lambda: (normal(12, 4),))
def lists_of_what_iterators_give(x):
    bent, turned, pairs = list(map(np.sin, x)), list(reversed(x)), list(zip(x, x[1:]))
    nested = list(zip(enumerate(bent), zip(turned, pairs)))
    keyed = dict(zip("abcd", zip(bent, x)))
    return bent[2] * turned[0] + pairs[0][0] * pairs[0][1] ** 2 + nested[2][0][1] * nested[1][1][1][0] + keyed["b"][1]


@program(lambda: (normal(13, 4), [0.7, -1.2]))
def items_of_lists_without_names(x, ys):
    squares = {f"p{i}": v ** 2 for i, v in enumerate(x)}
    total = list(squares.values())[-1] * list(zip(x, x[1:]))[0][1] + list(enumerate(ys))[1][1]
    return total * (ys + [3.0])[0] * (ys + ys)[-1] + ys[1:][0] * list(map(np.sin, x))[1]


@program(lambda: (normal(21, 3), 0.8))
def targets_that_were_something_else_before(u, s):
    """Of loops that do nothing else."""
    w = u * s
    s = s + w[0]
    for w in u:  # noqa: B007
        pass
    s = s + w
    for i in range(2):
        v = s * w
        for _i, v in enumerate(np.outer(u, u)):  # noqa: B007
            pass
        s = s + v @ u + i
    return s * w
