"""Operands of different shapes."""
# ruff: noqa: RET504
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program


@program(lambda: (0.7, normal(1, 3, 4)))
def number_with_matrix(s, m):
    return np.sum((m - s) * s + m / s)


@program(lambda: (normal(2, 4, 1), normal(3, 3)))
def column_with_row(column, row):
    return column * row + column


@program(lambda: (normal(4, 3), normal(5, 2, 4, 3)))
def rank_grows(x, block):
    return np.sum(x * block * block)


@program(lambda: (normal(6, 1, 4), normal(7, 3, 1)))
def both_are_stretched(a, b):
    return np.sum(np.sin(a * b) - a)


@program(lambda: (normal(8, 1, 1), normal(9, 2, 3)))
def one_by_one(a, b):
    return a * b


@program(lambda: (np.array(1.2), normal(10, 3)))
def rank_zero_with_vector(a, x):
    return np.sum(a * x + a**2)


@program(lambda: (normal(11, 1), normal(12, 5)))
def single_element(a, x):
    return np.prod(a + 0.1 * x)


@program(lambda: (normal(13, 3), np.array([[1, 2, 3], [4, 5, 6]])))
def floats_with_integers(x, counts):
    return np.sum(counts * x / (1 + counts))


@program(lambda: (normal(14, 4, 2), normal(15, 3, 2)))
def squared_distances(points, centres):
    offsets = points[:, np.newaxis, :] - centres[np.newaxis, :, :]
    return np.sum(offsets**2, axis=2)


@program(lambda: (normal(16, 5, 3), normal(17, 3), normal(18, 3)))
def scale_and_shift(x, scale, shift):
    centred = x - x.mean(axis=0)
    normalised = centred / np.sqrt((centred * centred).mean(axis=0) + 0.1)
    return np.sum(np.tanh(normalised * scale + shift))


@program(lambda: (np.zeros((0, 3)), normal(19, 3)))
def with_no_rows(x, row):
    return np.sum(x * row) + np.sum(row**2)


@program(lambda: (normal(20, 3), normal(21, 3, 1)))
def row_and_column_of_one(x, y):
    table = x + y
    return np.sum(table * table.T)


@program(lambda: (positive(22, 2, 1, 3), positive(23, 4, 1)))
def three_axes(a, b):
    return np.sum(np.log(a + b) * a)


@program(lambda: (normal(24, 4), 3.0))
def number_from_the_left(x, s):
    return np.sum(s - x) + np.sum(s / (2.0 + x * x)) + np.sum(s ** (0.1 * x))


@program(lambda: (normal(25, 2, 3), np.array([[True], [False]])))
def mask_as_factor(x, mask):
    return x * mask + x**2 * ~mask


# ---- a cotangent has another shape in each arm, and in each attempt to write a loop

@program(lambda: (normal(26, 2, 3), normal(27, 3)))
def row_set_in_an_arm(m, v):
    total = 0.0
    for k in range(4):
        w = m * (k + 1.0)
        if k % 2:
            w[0] = 3.0
        else:
            w = m + v
        total += 3.0 * w.sum()
    return total


@program(lambda: (normal(28, 2, 3), normal(29, 3)))
def row_changed_in_an_arm(m, v):
    total = 0.0
    for k in range(4):
        w = m * (k + 1.0)
        if k % 2:
            w[0] = w[0] * v
        else:
            w = m + v
        total = total * 0.5 + 3.0 * w.sum()
    return total


@program(lambda: (normal(30, 2, 3), normal(31, 3)))
def loop_in_an_arm(m, v):
    total = 0.0
    for k in range(4):
        w = m * (k + 1.0)
        if k % 2:
            for _ in range(3):
                w = w * v
        else:
            w = m + v
        total = total * 0.5 + 3.0 * w.sum()
    return total


@program(lambda: (normal(32, 2, 3), normal(33, 3)))
def sum_behind_a_loop_in_vain(m, v):
    table = m + v
    for k in range(2):
        sines = np.sin(table)
        scaled = sines * k  # noqa: F841
    return 3.0 * table.sum()


@program(lambda: (normal(34, 2, 3), normal(35, 3), 0.7))
def one_arm_with_a_loop(m, u, x):
    c = m[:, 1:2] * 0.5
    w = np.sin(u)
    if x > 0.3:
        for _ in range(2):
            w = u - u * x * np.tanh(x)
    elif x > 0.1:
        c = c * 2.0
    return m.sum() + w.sum() + c.sum()


@program(lambda: (normal(61, 4, 3).astype(np.float32), normal(62, 3).astype(np.float32)))
def scaled_in_single_precision(x, w):
    y = x * w
    y = y * 0.5
    y = y / w.sum()
    e = np.exp(y)
    p = e / e.sum(axis=1, keepdims=True)
    return (p ** 2 / 2).sum()


@program(lambda: (normal(63, 5), np.array([1, 2, 3, 4, 5])))
def integers_halved_and_doubled(x, k):
    total = 0.0
    for i in range(len(x)):
        total += k[i] / 2 * 2.0 * x[i] ** 2
    return total + (x / (2.0 * k) * 2.0 * np.sqrt(np.abs(x))).sum()


@program(lambda: (normal(31, 2, 1), normal(32, 2), 1))
def values_with_more_axes_than_their_place(column, x, k):
    table = np.zeros((3, 2)) + x
    table[k, :] = np.sin(column).T
    table[k + 1] = x[None, None, :] * 2.0
    table[0][...] = x[None, :1]
    np.copyto(table[:1, 1], x[None, 1:] * table[1, 0])
    return table * table
