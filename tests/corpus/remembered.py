"""Functions defined inside that remember what they gave."""
from __future__ import annotations

import functools

from corpus.registry import normal, program


@program(lambda: (normal(1, 4),))
def table_of_costs(x):
    @functools.cache
    def cost(i, j):
        if i == 0 or j == 0:
            return x[0] * 0.0
        return x[i] * x[j] + min(cost(i - 1, j), cost(i, j - 1))
    return cost(3, 3)


@program(lambda: (normal(1, 4),))
def fibonacci(x):
    @functools.lru_cache(None)
    def fib(n):
        if n < 2:
            return x[n]
        return fib(n - 1) + x[0] * fib(n - 2)
    return fib(6)


@program(lambda: (normal(1, 4),))
def chosen_by_the_argument(x):
    @functools.cache
    def fib(n):
        return x[n] if n < 2 else fib(n - 1) * x[2] + fib(n - 2)
    return fib(6)


@program(lambda: (normal(1, 4),))
def two_functions(x):
    memo = {}
    def once(i, j):
        if i == 0 or j == 0:
            return x[0] * 0.5
        return x[i] * x[j] + min(cost(i - 1, j), cost(i, j - 1))
    def cost(i, j):
        if (i, j) not in memo:
            memo[i, j] = once(i, j)
        return memo[i, j]
    return cost(3, 3)


@program(lambda: (normal(1, 4),))
def memory_of_its_own(x):
    memo = {}
    def fib(n):
        if n not in memo:
            memo[n] = x[n] if n < 2 else fib(n - 1) * x[2] + fib(n - 2)
        return memo[n]
    return fib(6)


@program(lambda: (normal(1, 3),))
def counted_up(x):
    """To an end that is not known before the call."""
    count = len(x)
    @functools.cache
    def best(i, j):
        if i >= count or j >= count:
            return 0.0
        return x[i] * x[j] + 0.5 * best(i + 1, j) * best(i, j + 1)
    return best(0, 0)


@functools.cache
def catalan(n):
    return 1 if n == 0 else sum(catalan(i) * catalan(n - 1 - i) for i in range(n))


@program(lambda: (normal(1, 2), 5))
def sum_that_asks_itself(x, n):
    return sum(catalan(i) * x[0] ** i for i in range(n))
