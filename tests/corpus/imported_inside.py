"""Modules and functions that are imported inside of a function."""
from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from corpus.registry import program


def vector():
    return (np.array([0.3, -0.4, 1.2, 0.7]),)


@program(vector)
def a_heap_by_another_name(x):
    import heapq as hq
    heap = []
    for i, v in enumerate(x):
        hq.heappush(heap, (v, i))
    total = 0.0
    while heap:
        v, i = hq.heappop(heap)
        total += v * v * i + total * v
    return total


@program(vector)
def totals(x):
    from collections import defaultdict as by_default
    found = by_default(float)
    for i in range(len(x)):
        found["even" if i % 2 == 0 else "odd"] += x[i] * x[i]
    return found["even"] * found["odd"]


@program(vector)
def outputs(x):
    import numpy as xp
    u = xp.zeros_like(x)
    xp.multiply(x, x, out=u)
    xp.add.at(u, [0, 0], x[1])
    return xp.sum(u ** 2)


@program(vector)
def modules_in_modules(x):
    from functools import reduce
    from math import exp

    import numpy.linalg
    import numpy.linalg as la
    return exp(x[0]) * la.norm(x) + numpy.linalg.norm(x[1:]) * reduce(lambda a, b: a * b, x)


@program(vector)
def bound_again(x):
    import math as functions
    first = functions.exp(x[0])
    functions = np
    return first * functions.sum(x ** 2)


@program(vector)
def perhaps_not_there(x):
    try:
        from collections import defaultdict
    except ImportError:
        defaultdict = None
    if x[0] > 0 and defaultdict is not None:
        import math
        return math.sin(x[0])
    return x[1]


@program(vector)
def heaps_of_a_function_inside(x):
    from heapq import heappop as take

    def in_order(values):
        heap = []
        for v in values:
            heappush(heap, v)
        return [take(heap) for _ in range(len(values))]

    return sum(v ** 2 * i for i, v in enumerate(in_order(x)))


@program(vector)
def global_functions_in_a_function_inside(x):
    def least(values):
        heap = []
        for v in values:
            heappush(heap, v)
        return heappop(heap) + heappop(heap) ** 2

    return least(x) * x[0]


@program(vector)
def a_memory(x):
    from functools import cache

    @cache
    def value(n):
        return x[n] if n < 2 else value(n - 1) * value(n - 2) + 1

    return value(4)
