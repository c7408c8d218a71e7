"""Calls that write into what they get, in the middle of expressions: what stands before them is evaluated before them.
Functions that call themselves and write: memos, handed on and closed over."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


class Counter:
    def __init__(self, v):
        self.v = v

    def bump(self, k):
        self.v = self.v * k
        return self.v

    def get(self):
        return self.v


def put(u, k):
    u[0] = k * u[1]
    return u[1] * k


def of_three(a, b, c=1.0):
    return a * b - c


def vector():
    return normal(1, 3), 1.2


def counter():
    return Counter(1.4), 1.2


@program(vector)
def the_array_itself(x, k):
    return (x[0] + 1.0) * put(x, k) + x[0]


@program(vector)
def another_name_before(x, k):
    y = x
    return (y[0] + 1.0) * put(x, k) + x[0]


@program(vector)
def a_view_before(x, k):
    y = x[:2]
    return (y[0] + 1.0) * put(x, k) + x[0]


@program(vector, needs="shapes")
def a_view_of_a_copy_before(x, k):
    u = x * 1.0
    v = u.T
    return v[0] * put(u, k) + u[0]


@program(vector)
def closures_before(x, k):
    held = {"a": x[0]}
    u = x.copy()

    def read():
        return held["a"] + u[0]

    def write():
        held["a"] = x[1] * k
        u[0] = x[1] * x[1]
        return 1.0 + x[2]
    return (read() + 1.0) * write() + held["a"] * read()


@program(vector, needs="shapes")
def a_sum_before(x, k):
    y = x * k
    return y.sum() + put(y, k)


@program(counter)
def methods_before(c, k):
    return c.get() * c.bump(k) + c.v * c.bump(k) * c.get()


@program(counter)
def attributes_before(c, k):
    d = c
    return (d.v + 1.0) * c.bump(k) - c.v + c.bump(k) / (c.v + 1.0) * c.bump(k + c.v)


@program(vector, needs="shapes")
def several_calls(x, k):
    t = x[0] * put(x, k)
    t = t * x[1] + put(x, k) * (x[0] + put(x, k))
    return t


@program(vector, needs="shapes")
def in_displays(x, k):
    out = [x[0], put(x, k), x[0] * put(x, k), x[0]]
    return sum(out) * x[1] + np.sum(np.array([x[0], put(x, k), x[0]]) * x)


@program(vector, needs="shapes")
def among_arguments(x, k):
    return max(x[0], put(x, k), x[0]) + of_three(x[0], put(x, k), c=x[0]) * x[0]


@program(vector)
def slices_before(x, k):
    y = x[:2] * put(x, k) + x[1:] * put(x, k)
    z = x[1:][::-1] - put(x, k)
    return np.sum(y * x[1:]) * np.sum(z)


@program(vector)
def methods_of_arrays_before(x, k):
    return x.sum() * put(x, k) * x.sum() + x.dot(x * put(x, k)) + (x * 2.0).dot(x * put(x, k))


@program(vector, needs="shapes")
def elements_added_to(x, k):
    y = x
    y[0] += put(x, k)
    i = 1
    x[i] -= put(x, k) * x[i]
    return np.sum(y ** 2)


@program(vector)
def views_added_to(x, k):
    y = x[1:]
    x[1:] += put(x, k)
    y[0] *= put(x, k)
    y *= put(x, k)
    return np.sum(x ** 2)


@program(vector)
def picked_elements_added_to(x, k):
    places = np.array([0, 2])
    x[places] += put(x, k)
    return np.sum(x ** 2)


@program(counter)
def attributes_added_to(c, k):
    c.v += c.bump(k)
    d = c
    d.v -= c.bump(k) * d.v
    return c.v ** 2


# ---- functions that call themselves

def product_of_two(n, x, memo):
    if n in memo:
        return memo[n]
    if n < 2:
        r = x * (n + 1)
    else:
        r = product_of_two(n - 1, x, memo) * product_of_two(n - 2, x, memo) + x
    memo[n] = r
    return r


def powers(x, n, memo=None):
    if memo is None:
        memo = {}
    if n in memo:
        return memo[n]
    if n == 0:
        return x
    memo[n] = sum(powers(x, k, memo) for k in range(n)) * x
    return memo[n]


def legendre(n, x, memo):
    if n == 0:
        return np.ones_like(x)
    if n == 1:
        return x
    if n not in memo:
        memo[n] = ((2 * n - 1) * x * legendre(n - 1, x, memo) - (n - 1) * legendre(n - 2, x, memo)) / n
    return memo[n]


class Solver:
    def __init__(self, x):
        self.x = x
        self.memo = {}

    def solve(self, n):
        if n < 2:
            return self.x * n
        if n not in self.memo:
            self.memo[n] = self.solve(n - 1) * self.x + self.solve(n - 2)
        return self.memo[n]


@program(lambda: (0.7,))
def a_memo_handed_on(x):
    return product_of_two(6, x, {})


@program(lambda: (0.7,))
def a_memo_by_default(x):
    return powers(x, 4)


@program(lambda: (normal(1, 3),))
def a_memo_of_arrays(x):
    memo = {}
    total = 0.0
    for n in range(5):
        p = legendre(n, x, memo)
        total += np.sum(p) * n
    return total


@program(lambda: (0.6,))
def a_memo_in_an_object(x):
    s = Solver(x)
    return s.solve(6) + s.solve(4)


@program(lambda: (0.7,))
def a_memo_closed_over(x):
    memo = {}

    def fib(n):
        if n < 2:
            return x * (n + 1)
        if n not in memo:
            memo[n] = fib(n - 1) * 0.5 + fib(n - 2) * x
        return memo[n]
    return fib(7)


@program(lambda: (normal(1, 3, 3),))
def the_cheapest_way(w):
    memo = {}

    def best(i, j):
        if (i, j) in memo:
            return memo[i, j]
        if i == 0 and j == 0:
            r = w[0, 0]
        elif i == 0:
            r = best(0, j - 1) + w[0, j]
        elif j == 0:
            r = best(i - 1, 0) + w[i, 0]
        else:
            r = w[i, j] + min(best(i - 1, j), best(i, j - 1))
        memo[i, j] = r
        return r
    return best(2, 2)


@program(lambda: (normal(1, 3), normal(2, 3), 0.5))
def distance_of_two_series(a, b, c):
    cache = {}

    def d(i, j):
        key = (i, j)
        if key not in cache:
            if i == 0 or j == 0:
                cache[key] = c * (i + j)
            else:
                cost = (a[i - 1] - b[j - 1]) ** 2
                cache[key] = min(d(i - 1, j) + c, d(i, j - 1) + c, d(i - 1, j - 1) + cost)
        return cache[key]
    return d(len(a), len(b))


def cycle(u, f, n):
    for _ in range(2):
        u[1:-1] += 0.3 * (f[1:-1] - u[1:-1] ** 2 + u[2:])
    if n > 0:
        r = f - u
        e = cycle(np.zeros(len(u)), r, n - 1)
        u += 0.5 * e
    return u


@program(lambda: (normal(1, 5), 3))
def cycles_that_write(f, n):
    return np.sum(cycle(np.zeros(5), f, n) ** 2)


def fill_down_to(u, n, k):
    u[n] = u[n] * u[0] * k
    if n > 0:
        fill_down_to(u, n - 1, k)
    return 0.0


@program(lambda: (normal(1, 4), 1.2), needs="shapes")
def filled_from_the_end(x, k):
    y = x * 2.0
    s = fill_down_to(y, len(x) - 1, k)
    return y.sum() + s


def softmax(scores):
    scores = scores - scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores


@program(lambda: (normal(2, 2, 3, 3), normal(3, 2, 3, 3)), needs="shapes")
def in_a_chain_of_methods(q, v):
    scores = q * 2.0
    mixed = (softmax(scores) @ v).transpose(1, 0, 2).reshape(3, 6)
    first, second = (softmax(scores) @ v).transpose(1, 0, 2).reshape(2, 9)
    total = (mixed ** 2)[:, 0].sum() + (first * second).sum()
    for i, row in enumerate((softmax(scores) @ v).transpose(0, 2, 1).reshape(6, 3)):
        total += row.prod() * i
    return total * sum(a * b for a, b in (softmax(scores) @ v).T.reshape(9, 2))


def counted(m):
    m[0] += 1
    return m[0]


@program(lambda: (np.array([0.5, 1.2, 0.7]),))
def counts_of_what_is_not_differentiated(x):
    m = np.zeros(3)
    z = m
    total = x[0] * m[0] + counted(m) * x[1] + counted(m) ** 2 * x[2] + x[0] * m[0]
    return total * sum(v * counted(m) for v in x) + z[0] * x[1]


@program(vector)
def in_comprehensions_whose_lists_nobody_reads(x, k):
    counters, noted = [Counter(v) for v in x], []
    [c.bump(k) for c in counters]
    [noted.append(c.get() * v) for c in counters for v in x if v > 0.0]
    {c.bump(v) if v > 0.0 else c.bump(2.0) for c, v in zip(counters, noted)}
    calls = len([c.bump(i + k) for i, c in enumerate(counters)])
    return sum(c.get() * calls for c in counters) + sum(noted)


@program(vector)
def in_lists_of_which_a_part_is_read(x, k):
    rows = [x * 2.0, x * 3.0]

    def begin():
        rows[0][0] = x[1] * x[2]

    begin()
    for _ in range(2):
        count = len([put(row, k) for row in rows])
        last = [put(row, k) for row in rows][-1]
        {len(rows): put(row, k + i) for i, row in enumerate(rows)}
    w = rows[0]
    w *= x[2]
    return rows[0][0] * count + rows[1][0] * last


class Stream:
    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = self.state * 16807 % 2147483647
        return int(self.state / 2147483647 * n)

    def one_of(self, items):
        return items[self.below(len(items))]


@program(lambda: (normal(1, 4),))
def picks_from_a_stream(x):
    stream = Stream(7)
    picked = [stream.one_of([0, 1, 2]) for _ in range(4)]
    kept = [i for i in picked if stream.below(3) > 0]
    return sum(x[i] for i in picked) * x[3] + sum(x[i] for i in kept) * stream.below(10)


class Cell:
    def __init__(self, u):
        self.u = u

    def bump(self, k):
        self.u[0] += k * 0.1
        return self.u[1] * k

    @property
    def last(self):
        return self.u[-1]


@program(lambda: (Cell(normal(2, 2)), normal(1, 2)))
def properties_compared_after_a_call(cell, x):
    total = 0.0
    total += max(np.sin(cell.bump(cell.last)), x[0]) - min(x[1] * 0.5, cell.last)
    return total + cell.u[0]
