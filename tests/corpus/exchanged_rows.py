"""Names of rows, columns and slices of arrays, which are exchanged; rows that an index picks which is computed."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program


@program(lambda: (normal(1, 5), 0.3))
def two_rows(x, c):
    buf = np.zeros((2, len(x)))
    buf[0] = x
    cur, nxt = buf[0], buf[1]
    for _ in range(5):
        nxt[1:-1] = cur[1:-1] + c * cur[2:] * cur[:-2]
        nxt[0] = cur[0]
        cur, nxt = nxt, cur
    return (cur ** 2).sum() + buf[0].sum()


@program(lambda: (normal(1, 6), 0.3))
def three_levels(x, c):
    u = np.zeros((3, len(x)))
    u[0] = x
    u[1] = 0.9 * x ** 2
    prev, cur, nxt = u[0], u[1], u[2]
    for _ in range(4):
        nxt[1:-1] = 2 * cur[1:-1] - prev[1:-1] + c * cur[1:-1] * (cur[2:] - 2 * cur[1:-1] + cur[:-2])
        prev, cur, nxt = cur, nxt, prev
    return (cur ** 2).sum()


@program(lambda: (positive(1, 4),))
def unpacked(x):
    cur, nxt = buf = np.zeros((2, len(x)))
    cur[:] = x
    n = 0
    while n < 4 and cur[0] < 5:
        nxt[:] = cur
        nxt *= 1.5
        nxt += 0.1 * cur ** 2
        tmp = cur
        cur = nxt
        nxt = tmp
        n += 1
    return cur.sum() + (buf ** 2).sum()


@program(lambda: (normal(1, 5),))
def columns(x):
    m = np.zeros((len(x), 2))
    m[:, 0] = x
    a, b = m[:, 0], m[:, 1]
    for _ in range(3):
        b[1:] = a[:-1] * a[1:]
        b[0] = a[0]
        a, b = b, a
    return (a * b).sum() + m.sum()


class Solver:
    def __init__(self, x):
        self.buf = np.zeros((2, len(x)))
        self.buf[0] = x
        self.steps = 0

    def run(self, c, steps):
        cur, nxt = self.buf[0], self.buf[1]
        for _ in range(steps):
            nxt[1:-1] = cur[1:-1] + c * cur[2:] * cur[:-2]
            cur, nxt = nxt, cur
            self.steps += 1
        return cur


@program(lambda: (normal(1, 5), 0.3))
def in_an_attribute(x, c):
    solver = Solver(x)
    return (solver.run(c, 3) ** 2).sum() * solver.steps + solver.buf.sum()


@program(lambda: (normal(1, 5),))
def with_ghosts(x):
    a, b = np.zeros(len(x) + 2), np.zeros(len(x) + 2)
    a[1:-1] = x
    cur, nxt = a[1:-1], b[1:-1]
    for _ in range(3):
        nxt[1:] = cur[:-1] ** 2
        cur, nxt = nxt, cur
    return cur.sum() + (a * b).sum()


@program(lambda: (normal(1, 5),))
def halves(x):
    n = len(x)
    work = np.zeros(2 * n)
    cur, nxt = work[:n], work[n:]
    cur[:] = x
    for _ in range(3):
        nxt[1:] = cur[:-1] ** 2
        cur, nxt = nxt, cur
    return cur.sum() + (work ** 2).sum()


@program(lambda: (positive(1, 5),))
def better_of_two(x):
    buf = np.zeros((2, len(x)))
    buf[0] = x
    best, trial = buf[0], buf[1]
    for k in range(5):
        trial[:] = best * (1.1 - 0.1 * k)
        trial[k] += x[0]
        if (trial ** 2).sum() > (best ** 2).sum():
            best, trial = trial, best
    return (best ** 3).sum()


@program(lambda: (normal(1, 5),))
def one_or_the_other(x):
    buf = np.zeros((2, len(x)))
    buf[0] = x
    cur = buf[0]
    for k in range(5):
        other = buf[1] if k % 2 == 0 else buf[0]
        other[1:] = cur[:-1] * x[0] + cur[1:]
        cur = other
    return (cur ** 3).sum()


@program(lambda: (normal(1, 4),))
def by_an_order(x):
    m = np.outer(x, x)
    order = np.argsort(m.sum(axis=1))
    best = m[order[0]]
    best[1] = 0
    worst = m[order[-1]]
    worst *= x
    return (m ** 2).sum()


@program(lambda: (normal(1, 5),))
def the_smallest(x):
    m = np.outer(x, x)
    row = m[x.argmin()]
    row[row > 0.3] = 0.3
    half = m[len(x) // 2:]
    half *= x[0]
    return (m ** 2).sum()


@program(lambda: (normal(1, 5),))
def picked_in_each_turn(x):
    m = np.outer(x, x)
    for k in range(3):
        row = m[int(m[k, k] > 0.5)]
        row[k] = row[k + 1] * x[0]
    return (m ** 2).sum()


@program(lambda: (normal(1, 2, 3, 4),))
def ends_of_the_last_axis(x):
    a = x.copy()
    p, q = a[..., :-1], a[..., 1:]
    for _ in range(3):
        p *= 0.5 * q + 1.0
        p, q = q, p
    return (a ** 2).sum()
