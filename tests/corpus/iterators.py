"""Iterators that have names: asked with ``next``, run through from where they are, ended by sentinels; classes that are
their own iterators."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program


def four():
    return (positive(1, 4),)


@program(four)
def first_and_the_others(x):
    it = iter(x)
    first = next(it)
    total = first * 2.0
    for v in it:
        total = total * v + first
    return total


@program(lambda: (normal(2, 4, 3), normal(3, 3, 3), normal(4, 3)))
def parameters_in_turn(x, w, b):
    given = iter([w, b])
    hidden = np.tanh(x @ next(given) + next(given))
    return np.sum(hidden ** 2)


@program(four)
def until_there_is_none(x):
    it = iter(x)
    total = 0.0
    while (v := next(it, None)) is not None:
        total = total * 0.5 + v * v * next(it, 2.0)
    return total


@program(four)
def until_it_stops(x):
    it = iter(x)
    total = 0.0
    while True:
        try:
            v = next(it)
        except StopIteration:
            break
        total = total * 0.5 + v * v
    return total


@program(four)
def run_through_by_several(x):
    it = iter(x)
    total = 1.0
    for v in it:
        total = total * v
        for w in it:
            total += w ** 2
            break
    else:
        total = total * 3.0
    total += sum(it)
    return total + next(it, 2.0)


@program(four)
def the_rest_of_it(x):
    it = iter([v * v for v in x])
    first = next(it)
    second = next(it)
    rest = list(it)
    return first * second + rest[0] * rest[1] ** 2


@program(four)
def anew_in_each_turn(x):
    total = 0.0
    for k in range(3):
        it = iter(x * (k + 1.0))
        most = next(it)
        for v in it:
            most = most * v
        total += most
    return total


@program(four, needs="shapes")
def what_changes_before_it_is_asked(x):
    y = x * 2.0
    it = iter(y)
    first = next(it)
    y[1] = x[0] * x[2]
    for v in it:
        first = first * v
    return first


@program(four)
def lazily_under_a_name(x):
    scale = 2.0
    squares = (v * v * scale for v in x)
    pairs = zip(x, x[1:])
    y = [v * 2.0 for v in x]
    places = enumerate(y)
    y.append(x[0] * x[1])
    scale = 3.0
    total = sum(squares)
    x = x * 1.5
    for a, b in pairs:
        total += a * b * x[0]
    for i, v in places:
        total += i * v
    return total


def decays(y, count):
    for _ in range(count):
        y = y * 0.5 + y ** 2
        yield y


@program(four)
def a_generator_under_a_name(x):
    values = decays(x, 3)
    total = 0.0
    for value in values:
        total += np.sum(value)
    return total


@program(four)
def until_a_sentinel(x):
    stack = [x[0], None, x[1] * x[3], x[2]]
    total = 1.0
    for v in iter(stack.pop, None):
        total = total * v + v
    queue = [3, 1, 2, 0]
    for place in iter(lambda: queue.pop(0), 0):
        total = total * x[place]
    return total


class Countdown:
    def __init__(self, value, count):
        self.value, self.count = value, count

    def __iter__(self):
        return self

    def __next__(self):
        if self.count == 0:
            raise StopIteration
        self.count -= 1
        self.value = self.value * 0.9 + self.count
        return self.value ** 2


@program(four)
def its_own_iterator(x):
    total = 0.0
    for v in Countdown(x, 3):
        total += np.sum(v)
    counter = Countdown(x * 2.0, 2)
    first = next(counter)
    return total + np.sum(first * next(counter)) * (counter.count + 1)


class Batches:
    """Begins anew each time."""

    def __init__(self, items, size):
        self.items, self.size = items, size

    def __iter__(self):
        self.at = 0
        return self

    def __next__(self):
        if self.at < len(self.items):
            self.at += self.size
            return self.items[self.at - self.size:self.at]
        raise StopIteration


class Products:
    def __init__(self, values):
        self.values = values

    def __iter__(self):
        return Cursor(self.values)


class Cursor:
    def __init__(self, values):
        self.values, self.place, self.product = values, 0, 1.0

    def __iter__(self):
        return self

    def __next__(self):
        if self.place == len(self.values):
            raise StopIteration
        self.product = self.product * self.values[self.place]
        self.place += 1
        return self.product


def halves(cursor):
    while cursor.place < len(cursor.values):
        cursor.place += 1
        yield cursor.values[cursor.place - 1] * 0.5


@program(four)
def iterators_that_begin_anew(x):
    batches, products = Batches(x, 3), Products(x)
    w = np.ones(2)
    for _ in range(2):
        for number, batch in enumerate(batches):
            w = w * 0.9 + np.sum(batch) * number
    total = sum(w) * batches.at + sum(products) * max(products) + sum([v * v for v in products if v > 0.1])
    first = list(Batches(x, 2))[0]
    cursor = Cursor(x)
    return total * np.sum(first) + sum(halves(cursor)) * cursor.place + sum(a * v for a, v in zip(x, products))


@program(four)
def how_much_is_in_it_under_another_name(x):
    """What a test reads under one name has changed under another."""
    xs = [x[0], x[1]]
    same = xs
    xs.append(x[2])
    xs += [x[3]]
    total = x[0] if len(same) > 3 else x[1]
    if not len(same) == 4:
        total = x[2]
    return total * (xs[2] if same else xs[3])


@program(four)
def generator_expressions_where_they_are_asked(x):
    total = sum(v * v for v in x) + max(v * 2.0 for v in x)
    first = next(v for v in x if v > 0.1)
    values = [first]
    values.extend(v * first for v in x)
    a, b, c, d = (v ** 2 for v in x)
    return total * np.prod(np.array(values)) + a * b + c * d


@program(four)
def two_at_a_time(x):
    it = iter(x)
    total = 0.0
    for a, b in zip(it, it):
        total += a * b ** 2
    return total


@program(four)
def three_after_the_first(x):
    it = iter(x)
    first = next(it)
    return first * sum(a * b ** 2 + c for a, b, c in zip(it, it, it))


@program(lambda: ([0.5, 2.0, 3.0],))
def one_is_left_over(x):
    it = iter(x)
    pairs = list(zip(it, it))
    return sum(a * b for a, b in pairs) + len(pairs)


@program(four)
def the_first_with_its_number(x):
    it = enumerate(x)
    i, v = next(it)
    total = v * 2 + i
    for j, w in it:
        total += w ** 2 * j
    return total


@program(lambda: (["t", "v", "w", "z"], *four()))
def a_head_and_rows(labels, x):
    rows = zip(labels, x)
    label, first = next(rows)
    rest = {key: v * first for key, v in rows}
    return rest["v"] * rest["w"] * len(label)


@program(four)
def pairs_until_there_are_none(x):
    numbered = enumerate(x)
    total = 0.0
    while (pair := next(numbered, None)) is not None:
        i, v = pair
        total += v ** 2 * i
    return total


@program(four)
def nothing_the_second_time(x):
    pairs = zip(x, x[1:])
    total = 0.0
    for a, b in pairs:
        total += a * b
    for a, b in pairs:
        total *= a * b
    return total


@program(lambda: ([0.7, -1.2, 2.1],))
def under_the_name_of_what_they_run_through(xs):
    xs = map(abs, xs)
    xs = (x * x + 1.0 for x in xs)
    xs = list(zip(xs, [2.0, 3.0, 4.0]))
    total = 0.0
    window = [(i, j) for i in range(len(xs)) for j in range(i)]
    window = ((i + 1, j + 1) for i, j in window)
    for i, j in window:
        total += xs[i - 1][0] * xs[j - 1][0] * xs[i - 1][1]
    return total


@program(lambda: (normal(77, 3), 0.4))
def what_the_next_of_an_iterator_gives(x, rate):
    for _ in next(iter([range(2), range(3)])):
        x = np.sin(x) * rate
    return x.sum()


class Newton:
    def __init__(self, function, slope, start, turns=3):
        self.function = function
        self.slope = slope
        self.at = start
        self.turns = turns

    def __iter__(self):
        return self

    def __next__(self):
        if not self.turns:
            raise StopIteration
        self.at = self.at - self.function(self.at) / self.slope(self.at)
        self.turns -= 1
        return self.at


@program(four)
def iterator_that_gets_functions(x):
    a = x[0]
    total = 0.0
    for root in Newton(lambda v: v * v - a, lambda v: 2.0 * v, x[1]):
        total += root
    return total


class Matrix:
    def __init__(self, rows):
        self.rows = [list(row) for row in rows]

    def transposed(self):
        return Matrix(zip(*self.rows))

    def __matmul__(self, other):
        return Matrix([sum(map(lambda a, b: a * b, row, column)) for column in zip(*other.rows)] for row in self.rows)


class Samples:
    def __init__(self, values, weight=1.0):
        self.weight = weight
        self.values = tuple(values)


@program(lambda: (positive(1, 4),))
def iterators_that_constructors_list(x):
    m = Matrix(zip(x, x ** 2, np.sin(x)))
    samples = Samples(map(np.exp, x), x[0])
    return sum(sum(row) * (i + 1) for i, row in enumerate((m.transposed() @ m).rows)) * samples.weight + sum(
        samples.values) * max(Samples(values=reversed(x)).values)


@program(four)
def first_that_functions_give(x):
    w = x[0]

    def grown(k):
        return w * k

    def powers():
        while True:
            yield w ** 2
    close = filter(lambda k: grown(k) > -1.0, range(2, 5))
    first = next((grown(k) for k in range(5) if k > 2), 0.0) + next(map(grown, range(1, 3))) * x[1]
    return first * next(powers()) + sum(close) * w
