"""Lists and tuples where NumPy takes them for arrays: beside an operator, in a call, from anywhere."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program

WEIGHTS = [1.0, 2.0, 3.0]
TABLE = {"weights": (0.5, 1.5, -2.0), "steps": [0, 1, 3]}


@program(lambda: (normal(1, 3),))
def times_a_list(x):
    return np.sum(np.sin(x * [1.0, 2.0, 3.0])) + np.sum([1, 2, 3] * x)


@program(lambda: (normal(2, 2, 3),))
def beside_every_operator(x):
    y = x + [1.0, 2.0, 3.0]
    y = [1, 2, 3] - y * (0.5, 1.5, 2.5)
    y = y / [2, 3, 4] + (4.0, 5.0, 6.0) / (np.abs(y) + 1.0)
    return np.sum(np.abs(y) ** [1, 2, 3]) + np.sum([2.0, 1.5, 1.0] ** y) + np.sum(y % [7, 8, 9])


@program(lambda: (normal(2, 2, 3), [0.3, 0.7, 1.1]), argnums=(0,))
def matrix_times_a_list(a, weights):
    return np.sum((a @ [1.0, 2.0, 3.0]) ** 2) + np.sum(((1, 2) @ a) ** 2) + np.sum(a * weights) * np.sum(a @ weights)


@program(lambda: (normal(1, 3),))
def lists_from_outside(x):
    total = np.sum(x ** 2 * WEIGHTS)
    for scale in TABLE["weights"]:
        total = total + np.sum(x * TABLE["weights"]) * scale
    return total


@program(lambda: (normal(1, 3), 3))
def lists_made_on_the_way(x, n):
    counts = [k + 1 for k in range(n)]
    weights = [1.5] * n
    pairs = (1.0,) * 2 + (2.0,)
    return np.sum(x * counts) ** 2 + np.sum(x * weights / pairs)


@program(lambda: (normal(1, 3),))
def number_of_numpy_s_beside_a_list(x):
    return np.sum(np.sin(x[0] - [1.0, 2.0, 3.0]) * ([0.5, 0.25, 0.125] / x.sum()))


@program(lambda: (normal(1, 3), 0.7))
def differentiated_values_in_the_list(x, w):
    y = x * [w, 2.0, x[0]] + (w * w, x.sum(), 1.0)
    return np.sum(y ** 2) + np.sum([[w, 1.0, 2.0], [3.0, w, x[1]]] @ x) + np.sum([w, w * w, 1.0] / (x ** 2 + 1.0))


@program(lambda: (normal(1, 3),))
def written_with_lists(x):
    y = x * 2.0
    y *= [1.0, 2.0, 3.0]
    y += (1.0, 0.5, 0.25)
    y -= [1, 2, 3]
    y /= [2, 3, 4]
    y[1:] *= [3.0, 5.0]
    y[:2] += [1, 2]
    return np.sum(y ** 2)


@program(lambda: (normal(2, 2, 3) + 2.5, [1, 0, 1]), argnums=(0,))
def lists_in_calls(x, which):
    total = np.sum(np.choose([0, 1, 0], [x[0], x[1]]) ** 2) + np.sum(np.choose(which, (x[1], x[0])) ** 3)
    total = total + np.sum(np.power(x, [1, 2, 3])) + np.sum(np.power([1.5, 2.0, 0.5], x))
    total = total + np.sum(np.arctan2(x, [1, 2, 3])) + np.sum(np.arctan2((1.0, 2.0, 3.0), x) * x)
    total = total + np.sum(np.hypot(x[0], [1, 2, 3])) + np.sum(np.maximum(x, [2.0, 2.5, 3.0]) ** 2)
    total = total + np.sum(np.average(x, axis=1, weights=[1, 2, 3]) ** 2) + np.trapezoid(x[0] ** 2, [0, 1, 3])
    total = total + np.sum(np.interp([0.5, 1.5], [0, 1, 2], x[0]) ** 2)
    total = total + np.sum(np.polyfit([1, 2, 3], x[0], 1) ** 2) + np.sum(np.polyval([1, 2, 3], x))
    return total + np.sum(np.heaviside([-1.0, 0.0, 2.0], x[0]) * x[1])


@program(lambda: (normal(3, 3, 3) + 3 * np.eye(3),))
def systems_with_lists(a):
    x = np.linalg.solve(a, [1.0, 2.0, 3.0])
    y = np.linalg.solve(a, [[1, 2], [3, 4], [5, 6]])
    z = np.linalg.lstsq(a[:, :2], [1.0, 2.0, 4.0], rcond=None)[0]
    total = np.sum(x ** 2) + np.sum(y ** 2) + np.sum(z * [1, 2])
    return total + np.sum(np.outer(x, [1, 2]) ** 2) + np.dot([1, 2, 3], x)


@program(lambda: (normal(1, 4),), needs="shapes")
def what_tolist_gives(x):
    first, *others = x.tolist()
    return first * sum(others) + sum(v ** 2 for v in (x * x[0]).tolist()) + x[1].tolist() * x.sum().tolist()


@program(lambda: (normal(1, 2, 3),), needs="shapes")
def nested_lists_of_a_matrix(m):
    rows = np.sin(m).tolist()
    rows[0].append(rows[1][2] ** 2)
    return sum(sum(row) for row in rows) * rows[0][-1]


@program(lambda: (normal(1, 5),))
def a_kernel_that_is_a_list(x):
    kernel = [1.0, 2.0, -0.5]
    return (np.convolve(x, kernel, mode="same") ** 2).sum() * np.correlate(x, WEIGHTS, mode="same").sum()


@program(lambda: (0.3, 0.7))
def lists_written_in_calls(x, y):
    total = np.max([x, y, x * y]) * np.linalg.norm([x, 2.0, y]) + np.mean([[x, 1], [y, x]], axis=1)[0]
    rotation = [[np.cos(x), -np.sin(x)], [np.sin(x), np.cos(x)]]
    turned = np.matmul(rotation, (y, 1.0)) + np.linalg.solve([[3.0, x], [x, 2.0]], [y, x])
    energies = [x ** 2, np.sin(y)]
    return total + np.sum(turned ** 2) + np.sum(energies) * np.average(energies, weights=[y, x])


@program(lambda: (normal(1, 3), 0.7))
def lists_beside_arrays_in_calls(x, y):
    row = np.concatenate([[y, 0.0], x, [x[0] * y]])
    table = np.vstack(([y, 1.0, y], x)) * np.add.reduce([x, x ** 2])
    return np.sum(row ** 2) * np.sum(table ** 2) + np.einsum("i,i", [y, y * y, 1.0], x) + np.interp(
        0.3, xp=[0.0, 1.0], fp=[x[1], y])


@program(lambda: (normal(1, 3), normal(2, 2)))
def lists_of_lists_joined(x, y):
    table = [[u * v for u in x] for v in y]
    ragged = [[u * v for u in x[:k + 1]] for k, v in enumerate(y)]
    total = np.sum(np.stack(table) ** 2) + np.sum(np.sin(np.concatenate(table))) + np.sum(np.vstack(table) ** 3)
    total += np.sum(np.hstack(ragged) ** 2) + np.sum(np.concatenate(ragged) ** 3) + np.sum(np.column_stack(table) ** 2)
    return total + np.sum(np.stack(table, axis=1)[0] ** 2) + np.sum(np.dstack(table) ** 2)


@program(lambda: (normal(1, 3), normal(2, 2)))
def few_lists_joined(x, y):
    rows = [[u * v for u in x] for v in (2.0, 3.0)]
    left, right = [u * y[0] for u in x], [u ** 2 for u in x]
    total = np.sum(np.stack([left, right]) ** 2) + np.sum(np.concatenate([left, right, [y[1]]]) ** 3)
    total += np.sum(np.vstack((left, right)) ** 2) + np.sum(np.column_stack([left, right])[:, 1]) + np.sum(
        np.stack(rows) ** 2)
    return total + np.sum(np.hstack([left, list(y)]) ** 2) + np.sum(np.array([left, right]) @ x)
