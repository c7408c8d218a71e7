"""Elements chosen by arrays and lists of places, beside integers, slices and new axes."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


@program(lambda: (normal(1, 5), [3, 0, 3]))
def places_in_a_list(x, places):
    order = list(range(len(x)))
    order[0], order[3] = order[3], order[0]
    y = x[order].copy()
    y[0] *= 2.0
    return np.sum(y * x) + np.sum(x[places] ** 2) + np.sum(x[[1, -1]] * x[[0, 0]])


@program(lambda: (normal(1, 4, 5, 3), np.array([0, 2])))
def where_their_axes_come(x, i):
    total = np.sum(x[:, i, 0] * np.arange(8.0).reshape(4, 2)) + np.sum(x[0, :, i] * np.arange(10.0).reshape(2, 5))
    total += np.sum(x[0, i] * np.arange(6.0).reshape(2, 3)) + np.sum(x[:, i, ..., i] * np.arange(8.0).reshape(2, 4))
    total += np.sum(x[i, None, i] ** 2 * np.arange(3.0)) + np.sum(x[..., i] * np.arange(40.0).reshape(4, 5, 2))
    return total + np.sum(x[i[:, None], i] * np.arange(12.0).reshape(2, 2, 3)) + np.sum(x[:, [0, 1, 1], 2] ** 2)


@program(lambda: (normal(1, 4, 4), normal(2, 4)))
def places_crossed(m, b):
    free = np.array([0, 2, 3])
    inner = m[np.ix_(free, free)] + 3.0 * np.eye(3)
    return np.sum(np.linalg.solve(inner, b[free])) + np.sum(m[np.ix_([0, 1], [2])] ** 2)


@program(lambda: (normal(1, 4, 3), np.array([2, 0, 1, 1])))
def scores_of_labels(scores, labels):
    logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return -np.mean(logs[np.arange(len(labels)), labels]) - np.mean(logs[range(4), labels]) + np.sum(
        logs[0, labels] * logs[labels, 0])


@program(lambda: (normal(1, 5, 3), np.array(1), 2))
def places_of_no_axes(x, i, k):
    return np.sum(x[i] ** 2) + x[i, 0] * x[k, i] + np.sum(x[i, [0, 2]] * x[[i, k], 1])


@program(lambda: (normal(1, 5, 3),))
def stored_by_places(x):
    u = x * 1.0
    rows = [0, 2, 4]
    u[rows] = u[rows] * 2.0
    u[rows, 1] += u[1, 0]
    u[[0, 1]] = u[[1, 0]]
    u[1, [0, 2]] *= x[0, 0]
    u[:, [0]] -= u[:, [1]]
    return np.sum(u ** 2)


@program(lambda: (normal(1, 6), [True, False, True, True, False, True]))
def flags_in_a_list(x, flags):
    return np.sum(x[flags] ** 2) + np.sum(x[[True, False, True, False, False, False]] ** 3)


@program(lambda: (normal(1, 6), 3))
def list_of_any_length(x, n):
    places = []
    for k in range(n):
        places.append((k * k) % 6)
    return np.sum(x[places] ** 2) + np.sum(x[[k for k in range(n) if k % 2]] * 3.0)


@program(lambda: (normal(1, 2, 3), 1, np.array([1, 1])))
def one_row_for_several_places(x, n, places):
    y = x[:n] * 1.0
    y[np.arange(len(y)), places] = np.array([2.0, 3.0]) * x[0, 0]
    return np.sum(x[np.arange(n), places] ** 2) + np.sum(x[:1][np.arange(1), places] ** 3) + np.sum(y) + np.sum(
        x[[0], places] * x[[1], [0, 0]])


@program(lambda: (normal(1, 6), normal(2, 6)))
def in_order(x, keys):
    order = np.argsort(keys)
    u = x[order] * np.arange(6.0)
    u[order] *= x
    u[[0, 2]] = u[[2, 0]]
    u[[-1, 5]] = u[[1, 2]] * 2.0
    return np.sum(u[order] ** 2) + np.sum(u[[3, 3]])


@program(lambda: (normal(1, 3, 4), normal(2, 3)))
def columns_exchanged(m, w):
    m = m * 1.0
    m[:, [0, 2]] = m[:, [2, 0]]
    m[[1, 0], 1:] -= w[[0, 1], None] * m[[0, 1], :3]
    m[..., [1]] *= 2.0
    return np.sum(m ** 2)
