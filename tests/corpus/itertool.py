"""What people use of ``itertools`` over differentiated values."""
from __future__ import annotations

import itertools
import math
import operator

import numpy as np

from corpus.registry import normal, positive, program, spread


def five():
    return (positive(1, 5),)


@program(five)
def chosen(x):
    total = sum(a * b for a, b in itertools.combinations(x, 2))
    total += sum(a * b * c for a, b, c in itertools.combinations(x, 3))
    for a, b in itertools.permutations(x, 2):
        total += a * b**2
    return total * sum(a * b**2 for a, b in itertools.combinations_with_replacement(x, 2))


@program(five)
def parts(x):
    total = sum(itertools.islice(x, 1, 4)) * sum(itertools.islice(x, 0, None, 2))
    total += sum(itertools.compress(x, [1, 0, 1, 0, 1])) ** 2
    return total * sum(itertools.takewhile(lambda v: v > 0.6, x)) + sum(itertools.dropwhile(lambda v: v < 1.0, x))


@program(five)
def together(x):
    total = sum(a * b for a, b in itertools.zip_longest(x, x[:3], fillvalue=1.0))
    total += sum(itertools.starmap(operator.mul, zip(x, x[1:])))
    for v in itertools.repeat(x[0], 3):
        total = total * v + v
    return total


@program(five)
def products(x):
    total = sum(a * b * c for a, b, c in itertools.product(x, [1.0, 2.0], x))
    total += sum(a * b**2 for a, b in itertools.product(x, repeat=2))
    running = list(itertools.accumulate(x, lambda a, b: a * b + 1.0, initial=2.0))
    return total * running[-1] + running[2]


@program(five)
def without_end(x):
    total = 0.0
    for v, w in zip(x, itertools.cycle(x[:2])):
        total = total * 0.5 + v * w
    for i, (v, w) in enumerate(zip(itertools.cycle([x[0], x[1]]), range(5))):
        total += v ** i * w
    for v in itertools.islice(itertools.cycle(x[:2]), 5):
        total = total * v + 1.0
    total += sum(map(operator.mul, x, itertools.repeat(x[0]))) * sum(itertools.islice(itertools.repeat(x[1]), 3))
    return total + sum(a * b for a, b in zip(x, itertools.repeat(x[2])))


@program(five)
def one_after_the_other(x):
    rows = [[x[0], x[1]], [x[1], x[2] ** 2]]
    total = sum(v * v for v in itertools.chain.from_iterable(rows))
    for v in itertools.chain.from_iterable([*rows, [x[3]]]):
        total = total * v + v
    *_, last = itertools.accumulate(x, lambda a, v: a * 0.9 + v * v)
    first, *rest = itertools.accumulate(x, operator.mul)
    return total * last + first * rest[-1]


@program(lambda: ([(1.5, 0.3), (0.4, -1.2), (2.0, 0.8)],))
def items_by_getters(pairs):
    firsts = list(map(operator.itemgetter(0), pairs))
    both = operator.itemgetter(0, 2)
    lowest, highest = both(sorted(pairs, key=operator.itemgetter(1)))
    return sum(map(operator.attrgetter("real"), firsts)) * firsts[0] + lowest[0] * highest[1] ** 2


@program(lambda: (spread(4, 5),))
def places_of_items(x):
    squares = [v * v for v in x]
    taken = 0.0
    while squares:
        place = squares.index(min(squares))
        taken += x[squares.index(max(squares))] * squares[place]
        squares.pop(place)
    return taken * (1 + squares.count(0.0)) * x[tuple(x).index(max(x))]


@program(five)
def left_over(x):
    total = 0.0
    for v in itertools.filterfalse(lambda v: v > 1.0, x):
        total += v * v
    truth = sum(itertools.filterfalse(None, [0.0 * x[0], x[1]]))
    return total + math.prod(map(math.sin, itertools.filterfalse(lambda v: v < 1.0, list(x))), start=x[0]) + truth


@program(lambda: (normal(30, 2, 3),))
def numbers_that_tell_elements_from_views(x):
    y = x * x
    for place in np.ndindex(*x.shape):
        old = y[place]
        y[place] = np.sin(old) * x[0, 1]
        y[0, 0] += old
    for i, j in itertools.product(range(2), range(x.shape[1])):
        old = y[i, j]
        y[i, j] = old * y[0, 2]
        y[1, 1] -= 0.5 * old
    return np.sum(y ** 2)


@program(lambda: ([0.3, 2.7, 1.4], [[0.4], [0.5, 0.6]]))
def mapped_to_whole_numbers(xs, rows):
    widest, floors = max(map(len, rows)), list(map(int, xs))
    total = sum(map(len, rows)) * xs[0]
    for n, x in zip(map(round, xs), xs):
        total = total * (n + 1) + x
    above = any(map(lambda v: v > xs[0], xs))
    return total * widest + sum(map(sum, rows)) * floors[1] + (xs[2] ** 2 if above else 0.0)


@program(lambda: ([(1.5, 0.3), (0.4, -1.2), (2.0, 0.8)],))
def lists_joined_by_sum(pairs):
    flat = sum(map(list, pairs), [])
    flat.append(flat[0] * flat[3])
    more = sum([[v] * n for n, (v, _) in enumerate(pairs)], start=[flat[-1]])
    return sum(v * v for v in flat) * sum(more) + max(sum(pairs, ()))
