"""Arrays that are taken out of a list, written into, and put back."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


@program(lambda: (normal(1, 5),))
def first_to_last(x):
    pool = [x * 1.0, x * 2.0, x * 3.0]
    for k in range(4):
        a = pool.pop(0)
        a[0] += k * a[1]
        pool.append(a)
    return sum((p ** 2).sum() for p in pool)


@program(lambda: (normal(1, 5),))
def last_to_first(x):
    pool = [x * 1.0, x * 2.0, x * 3.0]
    for _k in range(4):
        a = pool.pop()
        a *= x
        pool.insert(0, a)
    return sum((p ** 2).sum() for p in pool)


@program(lambda: (normal(1, 5),))
def buffers(x):
    free = [np.zeros(5) for _ in range(2)]
    total = 0.0
    for k in range(4):
        buffer = free.pop()
        buffer[:] = x * k
        buffer[1:] *= x[:-1]
        total = total + (buffer ** 2).sum()
        free.append(buffer)
    return total


@program(lambda: (normal(1, 3),))
def list_of_a_generator(x):
    rows = [np.sin(k * x) for k in range(3) if k != 1]
    rows[0] += rows[1]
    return sum((r ** 2).sum() for r in rows)


@program(lambda: (normal(1, 3),))
def zeros_of_a_generator(x):
    rows = [np.zeros(3) for _ in range(4)]
    for k in range(4):
        rows[k][:] = x * k
        rows[k][0] += 1.0
    return sum((r ** 2).sum() for r in rows)


@program(lambda: (normal(1, 5),))
def put_back_or_replaced(x):
    pool = [x * 1.0, x * 2.0, x * 3.0]
    for k in range(4):
        a = pool.pop(0)
        a[0] += k * a[1]
        if a[0] > 0:
            pool.append(a)
        else:
            pool.append(x * k)
    pool[0] *= 2.0
    return sum((p ** 2).sum() for p in pool)


@program(lambda: (normal(1, 5),))
def used_in_another(x):
    rows = []
    for k in range(3):
        r = np.sin(k * x)
        rows.append(r)
        rows.append(r + r.sum())
    rows[0] *= 2.0
    return sum((r ** 2).sum() for r in rows)
