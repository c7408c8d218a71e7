"""Arrays that are changed in place while other names and containers hold them: histories, the best one so far, logs,
populations; which name stands for which array is known only where the function runs."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


def vector():
    return (normal(1, 4),)


@program(vector)
def history_of_one_array(x):
    u = x.copy()
    history = []
    for _ in range(3):
        history.append(u)
        u += 0.1 * np.sin(u) * u
    return sum((i + 1) * (v ** 2).sum() for i, v in enumerate(history))


@program(vector)
def history_with_the_start(x):
    history = [x]
    u = x.copy()
    for _ in range(3):
        history.append(u)
        u += 0.1 * np.sin(u)
    return (np.array(history) ** 2).sum() + history[-1][0] * history[0][1]


@program(vector)
def scratch_row_collected(x):
    rows = []
    row = np.zeros(4)
    for i in range(3):
        row[:] = x * i
        row[i] += x[0] ** 2
        rows.append(row)
    return (np.array(rows) ** 2 * x).sum()


@program(vector)
def new_row_each_turn(x):
    rows = []
    for i in range(3):
        row = np.zeros(4)
        rows.append(row)
        row[i] = x[i] ** 2
        row[i + 1] = x[i]
        rows[0][3] += x[i]
    return (np.array(rows) ** 2).sum()


@program(vector, needs="shapes")
def log_of_times_and_states(x):
    u, t = x * 1.0, 0.0
    log = []
    while t < 0.25:
        log.append((t, u))
        u[1:] += 0.1 * np.cos(u[:-1])
        t += 0.1
    return sum((t + 1) * (v ** 2).sum() for t, v in log) + log[-1][1][0]


@program(vector, needs="shapes")
def best_so_far(x):
    q = x * 1.0
    best, least = None, np.inf
    for i in range(4):
        q[i] *= 0.5
        cost = (q ** 2).sum()
        if cost < least:
            least = cost
            best = q
    return (best ** 3).sum() + least


@program(vector, needs="shapes")
def best_under_keys(x):
    best = {"x": x * 1.0, "cost": 1e9}
    q = x * 1.0
    for i in range(4):
        q[i] *= 0.5
        cost = (q ** 2).sum()
        if cost < best["cost"]:
            best["x"], best["cost"] = q, cost
    return (best["x"] ** 3).sum() + best["cost"]


@program(vector, needs="shapes")
def best_of_a_population(x):
    population = [x * (1 + 0.1 * i) for i in range(3)]
    best = population[0]
    for _ in range(2):
        for p in population:
            p += 0.1 * (best - p) * p
        for p in population:
            if (p ** 2).sum() < (best ** 2).sum():
                best = p
    return (best ** 2).sum() + best[0] * population[2][1]


@program(vector, needs="shapes")
def one_of_two_buffers(x):
    states = [x * 1.0, x * 2.0]
    current = states[0]
    for i in range(3):
        other = states[(i + 1) % 2]
        other += 0.1 * current ** 2
        current = other
    return (states[0] * states[1]).sum()


@program(vector, needs="shapes")
def one_or_its_copy(x):
    a = x * 1.0
    b = a if x[0] > 0 else a.copy()
    b[0] *= 3
    a[1] *= b[0]
    return (a * b).sum()


@program(vector, needs="shapes")
def in_a_grid(x):
    grid = [[x * (i + j) for j in range(1, 3)] for i in range(2)]
    cell = grid[0][1]
    cell *= cell
    grid[1][0] = cell
    cell += 1
    return sum((v ** 2).sum() * (k + 1) for row in grid for k, v in enumerate(row))


@program(vector, needs="shapes")
def dict_of_the_same_arrays(x):
    fields = {"u": x * 1.0, "v": x * 2.0}
    old = dict(fields)
    fields["u"] += fields["v"] ** 2
    fields["v"] = fields["u"]
    fields["v"] *= 2
    return (old["u"] * old["v"] * fields["v"]).sum()


@program(vector, needs="shapes")
def queue_of_arrays(x):
    queue = [x[i] * np.ones(2) for i in range(4)]
    first = queue.pop(0)
    queue.append(first)
    queue.insert(1, first)
    first *= 3
    del queue[2]
    with np.errstate(all="ignore"):
        queue[0][1] += first[0] ** 2
    return sum((v ** 2).sum() * (i + 1) for i, v in enumerate(queue))


@program(vector)
def written_after_joining(x):
    path = np.empty((0, 4))
    for i in range(3):
        path = np.vstack([path, x * (i + 1)])
    path[1] += x ** 2
    table = np.column_stack([x, np.arange(4), np.vstack([x[None], path]).T])
    table[0] *= x[1]
    return (path ** 3).sum() + (table ** 2).sum()


@program(vector, needs="shapes")
def no_array_yet(x):
    u, previous, total = x * 1.0, None, 0.0
    for k in range(4):
        if previous is not None:
            total += (previous * u).sum()
        previous = u if k % 2 else u * 2.0
        u += 0.1 * previous
    return total + u.sum()


@program(lambda: (normal(1, 4), None), needs="shapes")
def none_given_for_an_array(x, previous):
    u, total = x * 1.0, 0.0
    for k in range(3):
        total += 0.0 if previous is None else (previous * u).sum()
        previous = u
        u *= 1.0 + 0.1 * x
        if k == 1:
            u = u * 1.0
    return total
