"""while loops, whose trip counts depend on the data."""
# ruff: noqa: RET504
from __future__ import annotations

import math

import numpy as np

from corpus.registry import normal, positive, program


@program(lambda: (0.7,))
def doubled_until_large(x):
    while x < 10.0:
        x = x * 2.0 + x**2
    return x


@program(lambda: (20.0,))
def not_entered(x):
    while x < 10.0:
        x = x * 2.0
    return x * x


@program(lambda: (0.9, 6))
def counted(x, n):
    y = 1.0
    while n > 0:
        y = y * x + n
        n -= 1
    return y


@program(lambda: (0.3,))
def power_series(x):
    term = 1.0
    total = 0.0
    k = 0
    while term > 1e-4:
        total += term
        k += 1
        term = term * x / k
    return total


@program(lambda: (7.3, 2.1))
def euclid(x, y):
    while y > 0.9:
        x, y = y, x % y
    return x * y


@program(lambda: (1.1, 9))
def square_and_multiply(x, n):
    result = 1.0
    while n:
        if n % 2 == 1:
            result *= x
        x = x * x
        n //= 2
    return result


@program(lambda: (normal(1, 3), 0.8))
def shrinks_a_vector(x, factor):
    turns = 0
    while np.sum(x * x) > 0.1:
        x = x * factor - 0.01 * x**3
        turns += 1
    return x * turns


@program(lambda: (0.5, 3))
def while_within_for(x, n):
    total = 0.0
    for k in range(1, n + 1):
        y = x * k
        while y < 4.0:
            y = y * 1.7
            total += math.log(y + 1.0)
    return total


@program(lambda: (1.3, 0.4))
def two_conditions(x, y):
    k = 0
    while k < 20 and x - y > 0.01:
        x, y = 0.5 * (x + y), math.sqrt(x * y)
        k += 1
    return x * y


@program(lambda: (0.2,))
def condition_is_a_flag(x):
    running = True
    while running:
        x = x + math.cos(x)
        running = x < 1.2
    return x


@program(lambda: (normal(61, 3), 0.7))
def only_turn_left_before_its_end(x, b):
    total = x.sum() ** 2
    while True:
        total = total * b
        if b < 0.9:
            break
        total = total + 1.0
        break
    return total


@program(lambda: (normal(62, 3), 0.95))
def only_turn_left_at_its_end(x, b):
    total = x.sum() ** 2
    while True:
        for v in x:
            if v > b:
                break
            total = total * b + v
        total = total + 1.0
        break
    return total


@program(lambda: (positive(8, 5),))
def until_nothing_is_left(x):
    stack, waiting, marks, total = [], {}, "", 0.0
    while stack or marks:
        total += 1.0
    for i, v in enumerate(x):
        while stack and x[stack[-1]] < v:
            total += v * x[stack.pop()]
        while waiting:
            _, w = waiting.popitem()
            total = total * 0.9 + w * v
        while marks:
            total, marks = total * len(marks), marks[1:]
        stack.append(i)
        marks += "." * (i % 3)
        if i % 2:
            waiting[i] = v ** 2
    return total + len(stack)


@program(lambda: (positive(1, 4), 0.3))
def made_in_the_last_turn(x, c):
    rounds = 0
    while True:
        u = np.zeros((2, len(x)))
        rounds += 1
        if rounds > 2:
            break
    u[0] = x
    u[rounds - 2, 1:] = c * u[0][1:]
    row = u[rounds - 2]
    return (row ** 2).sum()
