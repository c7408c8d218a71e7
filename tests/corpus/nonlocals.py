"""Variables that functions defined inside bind: counters, sums, states, the best so far."""
# ruff: noqa: B023
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


def vector():
    return (normal(1, 3),)


@program(vector)
def a_counter(x):
    count = 0

    def f(v):
        nonlocal count
        count += 1
        return v * count
    return f(x[0]) + f(x[1]) * f(x[2]) * count


@program(vector, needs="shapes")
def a_sum(x):
    total = 0.0

    def add(v):
        nonlocal total
        total += v * v
        return total
    for v in x:
        add(v)
    return total * add(x[0]) + total


@program(vector)
def the_best_so_far(x):
    best = None
    where = -1

    def visit(k):
        nonlocal best, where
        if best is None or x[k] ** 2 > best:
            best = x[k] ** 2
            where = k
    for k in range(len(x)):
        visit(k)
    return best * x[where] * x[0]


@program(lambda: (normal(1, 3), 1.2))
def parameters(x, k):
    def step():
        nonlocal x, k
        x = np.sin(x) * k
        k = k * 0.9
    for _ in range(3):
        step()
    return np.sum(x) * k


@program(vector)
def depth_of_a_recursion(x):
    depth = 0

    def power(v, n):
        nonlocal depth
        depth += 1
        if n == 0:
            return v
        return power(v * v, n - 1) * depth + v
    return power(x[0], 3) * depth


@program(vector)
def shared_by_two(x):
    state = x * 2.0
    clock = 0.0

    def tick(dt):
        nonlocal clock
        clock += dt

    def advance(rate):
        nonlocal state
        tick(0.1 * rate)
        state = state - clock * state ** 2
        return state.sum()
    return advance(x[0]) * advance(x[1]) + np.sum(state) * clock


@program(vector)
def two_levels(x):
    total = x[0]

    def outer(v):
        own = 1.0

        def inner(w):
            nonlocal total, own
            own = own + w
            total = total * own
        inner(v)
        inner(v * v)
        return own
    return outer(x[1]) * total + outer(x[2]) * total


@program(vector)
def bound_in_a_handler(x):
    total = x[0]

    def add(v):
        nonlocal total
        total = total + v * v
    add(x[1])
    try:
        total = total * float("no number")
    except ValueError:
        total = total * x[2]
    add(total)
    return total


@program(vector)
def same_name_inside(x):
    t = x[0]

    def bind(v):
        nonlocal t
        t = t + v

    def other(t):
        return t * t + (lambda t: t)(t)

    def third():
        t = x[2]
        return t
    bind(x[1])
    return other(t) * third() + t


def averager(rate):
    state = None

    def push(v):
        nonlocal state
        state = v if state is None else rate * v + (1 - rate) * state
        return state
    return push


def counting(scale):
    calls = 0

    def scaled(v):
        nonlocal calls
        calls += 1
        return v * calls * scale
    return scaled


@program(vector)
def made_by_a_function(x):
    f = counting(2.0)
    g = counting(x[0])
    return f(x[0]) * f(x[1]) + g(f(x[2]))


@program(vector)
def a_running_average(x):
    push = averager(0.3)
    total = 0.0
    for v in x:
        total += push(v) ** 2
    return total


@program(vector)
def a_running_average_in_a_list(x):
    push = averager(x[0] ** 2)
    return sum([push(v) ** 2 for v in x])


@program(vector)
def annotated(x):
    count: int = 0
    total: float
    total = 0.0

    def add(v: float) -> float:
        nonlocal count, total
        count += 1
        total += v * count
        return total
    return sum([add(v) for v in x]) * total + count


WEIGHTS = {"a": 2.0, "bc": 0.5}


@program(lambda: (normal(4, 3),))
def two_of_one_name_over_a_table(x):
    total = 0.0
    for weight in WEIGHTS.values():
        def add():
            nonlocal total
            total = total * weight + np.sum(x)
        add()
    for name, weight in WEIGHTS.items():
        def add():
            nonlocal total
            total = total * weight + len(name) * x[0]
        add()
    return total
