"""Reading elements, slices, masks and lists of places."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program, spread


@program(lambda: (normal(1, 5),))
def single_elements(x):
    return x[0] * x[3] + x[-1] ** 2 * x[0]


@program(lambda: (normal(2, 3, 4), 1))
def elements_of_a_matrix(a, k):
    return a[0, 0] * a[k, -1] + a[k][2] ** 2 + a[-k, k + 1]


@program(lambda: (normal(3, 7),))
def slices(x):
    return x[1:-1] * x[2:] - x[:-2] ** 2 + x[:5]


@program(lambda: (normal(4, 8),))
def slices_with_steps(x):
    return x[::2] * x[1::2] + x[::-1][:4] * x[-1:-5:-1]


@program(lambda: (normal(5, 4, 5),))
def rows_and_columns(a):
    return a[1] * a[:, 2].sum() + a[-1, ::-1] * a[2, :]


@program(lambda: (normal(6, 4, 5),))
def blocks(a):
    return a[1:3, ::2] ** 2 - a[:2, 2:] * a[2:, :3]


@program(lambda: (normal(7, 4),))
def new_axes(x):
    return x[:, np.newaxis] * x[None, :] + x[None]


@program(lambda: (normal(8, 2, 3, 4),))
def ellipsis(a):
    return a[..., 0] * a[0, ..., 1] + a[..., 1:, :][..., 0, 1:] ** 2


@program(lambda: (spread(9, 8),))
def mask(x):
    return np.sum(x[x > 0.1] ** 2) + x[x < 0.0].sum() ** 2


@program(lambda: (normal(10, 3, 4), np.array([True, False, True])))
def mask_of_rows(a, chosen):
    return a[chosen] ** 2


@program(lambda: (normal(11, 5),))
def list_with_repeats(x):
    return x[[0, 2, 2, -1, 0, 2]] ** 2


@program(lambda: (normal(12, 4, 3), np.array([[0, 3], [1, 0]])))
def table_of_places(a, places):
    return np.sum(a[places] ** 2 * np.arange(3.0))


@program(lambda: (normal(13, 4, 3),))
def pairs_of_places(a):
    return a[np.array([0, 1, 1, 3]), np.array([2, 0, 0, 1])] ** 2


@program(lambda: (normal(14, 4, 3),))
def slice_and_places(a):
    return a[1:, [2, 0, 0]] * a[:3, [1]]


@program(lambda: (normal(15, 6), 2, 5))
def bounds_are_arguments(x, start, stop):
    return np.sum(x[start:stop] ** 2) * x[stop] + x[start - 3]


@program(lambda: (normal(16, 5),))
def element_of_an_expression(x):
    return (x * x)[2] + np.sin(x)[1:3].sum() * (x[1:] - x[:-1])[-1]


@program(lambda: (normal(17, 3, 3),))
def slice_object(a):
    inner = slice(0, 2)
    return a[inner, inner] * a[inner, 2]


@program(lambda: (np.array(0.7), normal(18, 2)))
def rank_zero_read(x, y):
    return x[()] * x[np.newaxis] * y


@program(lambda: (0.4, 1.7))
def items_of_a_tuple(x, y):
    values = (x * y, (x, y * y), x + y)
    return values[0] * values[1][1] + values[-1] * values[1][0]


@program(lambda: (0.4, 1.7))
def items_of_a_list(x, y):
    values = [x * y, x, y * y]
    return values[0] * values[-1] + values[1] ** 2


@program(lambda: (normal(19, 4, 2),))
def diagonal_of_a_loop(a):
    total = 0.0
    for k in range(4):
        total += a[k, k % 2] * a[3 - k, 0]
    return total


@program(lambda: (normal(20, 6), np.array([4, 1, 1, 5])))
def take_and_norm(x, places):
    chosen = np.take(x, places)
    return chosen / np.sqrt(np.sum(chosen**2))


@program(lambda: (normal(21, 4, 3), np.array([2, 0, 0, 1])))
def one_of_each_row(a, columns):
    rows = np.arange(len(columns))
    return a[rows, columns] ** 2 + a[np.arange(4), 1 + 0 * columns]


@program(lambda: (normal(22, 3),))
def met_from_both_ends(x):
    return x[np.arange(-2, 2)] ** 2


@program(lambda: (normal(23, 5), normal(24, 4)))
def axes_added_and_spread(x, y):
    return np.sum(x[:, None] * y[None, :], axis=1) + (x[None, :, None] ** 2).sum()


@program(lambda: (normal(25, 6), 0.3))
def slices_joined_again(u, c):
    for _ in range(3):
        inner = u[1:-1] + c * (u[2:] - u[:-2]) * u[1:-1]
        u = np.concatenate((u[:1], inner, u[-1:]))
    return np.hstack([u[:2], u[2:]]) * u


@program(lambda: (normal(26, 2, 5),))
def columns_joined(a):
    return np.concatenate([a[:, -2:], a[:, :1], a[:, 1:-2]], axis=1) * a


@program(lambda: (normal(27, 0), normal(28, 3)))
def an_empty_array(x, y):
    return np.concatenate((x[:1], y, x)) * 2.0


@program(lambda: (normal(29, 2, 3),))
def the_whole_by_an_empty_index(x):
    y = x[()]
    return y * y.T[()].T


@program(lambda: (normal(1, 4),))
def items_by_their_places(x):
    m = np.outer(x, x)
    k = int(x.argmin())
    return x.item(2) ** 2 * x.item(k) + m.item(1, 2) * m.item((0, 1)) + m.T.item(7) * m.item(m.argmax())


@program(lambda: (normal(30, 3, 4), normal(31, 2)))
def places_of_extremes(d, w):
    i, j = np.unravel_index(np.argmin(d), d.shape)
    at = np.unravel_index(np.argmax(d), d.shape)
    some = np.unravel_index([1, 7], d.shape)
    return d[i, j] * d[i].sum() + d[at] ** 2 + d[some] @ w
