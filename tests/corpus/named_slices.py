"""Slices and indices that have names, or come from lists, tuples and dicts."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program

INNER = np.s_[1:-1, 1:-1]
FIRST = slice(0, 3)


@program(lambda: (normal(1, 6),))
def slice_of_literals(x):
    s = slice(1, 4)
    return np.sum(x[s] ** 2) + np.prod(x[slice(None, None, 2)])


@program(lambda: (normal(1, 7), 2))
def slice_of_numbers(x, n):
    left, right = slice(n, 2 * n), slice(2 * n, 3 * n)
    return np.sum(x[left] * x[right])


@program(lambda: (normal(1, 5, 5),))
def captured_slices(u):
    u = u.copy()
    u[INNER] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] - 2.0 * u[INNER])
    return np.sum(u[INNER] ** 3) + np.sum(u[FIRST])


@program(lambda: (normal(1, 6),), needs="shapes")
def written_through_named_slices(x):
    x = x * 1.0
    s = slice(1, 4)
    v = x[s]
    v *= x[0]
    x[s] = np.sin(v)
    odd = np.s_[1::2]
    x[odd] *= 2.0
    x[odd][0] = x[5] * x[4]
    return np.sum(x * x) + np.sum(v ** 3)


@program(lambda: (normal(1, 4, 6), normal(2, 4, 6), normal(3, 4, 6), 2))
def heads_of_attention(q, k, v, heads):
    size = q.shape[1] // heads
    out = np.zeros_like(q)
    for h in range(heads):
        s = slice(h * size, (h + 1) * size)
        a = np.exp(q[:, s] @ k[:, s].T / np.sqrt(size))
        out[:, s] = a / a.sum(axis=1, keepdims=True) @ v[:, s]
    return np.sum(out ** 2)


@program(lambda: (normal(1, 8),))
def part_of_the_last_turn(x):
    before = x[slice(0, 3)]
    total = 0.0
    for lo, hi in ((0, 1), (2, 5), (1, 4)):
        s = slice(lo, hi)
        part = np.sin(x[s])
        total = total + np.sum(part * before.mean()) + np.sum(before * np.ones(before.shape))
        before = part
    return total


@program(lambda: (normal(1, 9), normal(2, 3)))
def of_unlike_sizes_in_turns(x, w):
    last = w
    for s in [slice(0, 3), slice(3, 4), slice(4, 7), slice(8, 9)]:
        last = last * x[s]
    return np.sum(last)


def moved(x, axis):
    low, high = [slice(None)] * x.ndim, [slice(None)] * x.ndim
    low[axis], high[axis] = slice(0, -1), slice(1, None)
    return x[tuple(high)] - x[tuple(low)]


@program(lambda: (normal(1, 3, 4),))
def differences_along_each_axis(x):
    return np.sum(moved(x, 0) ** 2) + np.sum(np.abs(moved(x, 1)) ** 3)


LAYOUT = {"w": slice(0, 6), "b": slice(6, 8)}


@program(lambda: (normal(1, 8), normal(2, 3)))
def parameters_in_one_vector(theta, x):
    w = theta[LAYOUT["w"]].reshape(2, 3)
    return np.sum(np.tanh(w @ x + theta[LAYOUT["b"]]))


@program(lambda: (normal(1, 11),))
def layout_made_here(theta):
    layout, start = {}, 0
    for name, shape in (("w", (2, 3)), ("v", (3,)), ("b", (2,))):
        layout[name] = slice(start, start + int(np.prod(shape))), shape
        start += int(np.prod(shape))
    w, v, b = [theta[s].reshape(shape) for s, shape in layout.values()]
    return np.sum((w @ v + b) ** 2)


@program(lambda: (normal(1, 5), True))
def slice_or_number(x, whole):
    where = slice(None) if whole else 2
    return np.sum(x[where] ** 2) + np.sum(x[2 if whole else slice(1, 3)] ** 3)


@program(lambda: (normal(1, 5),))
def slice_or_places(x):
    where = slice(1, 4)
    if x[0] > -100.0:
        where = np.array([0, 2, 2])
    return np.sum(x[where] ** 2)


@program(lambda: (normal(1, 4, 4, 2),))
def tuples_of_indices(x):
    row = (1, slice(None), None)
    last = (..., 0)
    corner = np.index_exp[0, 1:3]
    x = x * 1.0
    x[corner] = x[corner] * x[last][0, 0]
    x[row] *= 2.0
    return np.sum(x[row] ** 2) + np.sum(x[last] ** 3) + np.sum(x[corner])


@program(lambda: (normal(1, 4, 5), normal(2, 2)))
def named_slice_beside_places(x, w):
    s, rows, columns = slice(1, 3), np.array([0, 2, 2]), [3, 0]
    return np.sum(x[rows, s] * w) + np.sum(x[s, columns] ** 2) + np.sum(x[s][:, s] @ w)


class Window:
    def __init__(self, start, stop):
        self.cut = slice(start, stop)

    def of(self, x):
        return x[self.cut]


@program(lambda: (normal(1, 6),))
def slice_of_an_object(x):
    window = Window(1, 5)
    y = np.cos(x)
    y[window.cut] *= x[0]
    return np.sum(window.of(x) * window.of(y))


@program(lambda: (normal(1, 6),))
def bounds_of_a_slice(x):
    s = slice(1, None, 2)
    return np.sum(x[s] ** 2) * (s.start + (s.stop or 0) + s.step) + sum(x[i] for i in range(*s.indices(len(x))))


@program(lambda: ([normal(1, 3), normal(2, 3), normal(3, 3)],))
def of_a_list(xs):
    s = slice(1, None)
    return sum(np.sum(x ** 2) for x in xs[s]) + sum(np.sum(x) for x in xs[slice(0, 1)])


@program(lambda: (normal(1, 5), 0.3))
def slice_of_a_slice(x, c):
    u = np.zeros(len(x) + 2)
    core = u[1:-1]
    core[:] = x
    first = core[:2]
    core += c * u[2:] * core
    return (core ** 2).sum() + first[0]


@program(lambda: (normal(1, 5), 0.3))
def slices_of_a_slice_in_a_loop(x, c):
    u = np.zeros(len(x) + 2)
    core = u[1:-1]
    core[:] = x
    ends = core[::4]
    for _ in range(2):
        u[0], u[-1] = u[-2], u[1]
        core += c * u[2:] * core
        ends *= 0.9
    return (core ** 2).sum() + ends[1] * core[:3][0]
