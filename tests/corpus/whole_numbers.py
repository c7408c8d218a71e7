"""Whole numbers and truth values, alone and in arrays of few bits, multiplied with what is differentiated."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program

PIXELS = np.array([20, 200, 255], dtype=np.uint8)
SMALL = np.array([1, 2, 100], dtype=np.int8)
MASK = np.array([True, False, True])


def three():
    return (np.array([1.0, -2.0, 3.0]),)


@program(three)
def weighted_by_places(x):
    x = x.copy()
    for i in range(2):
        x[i] = x[i + 1] * 0.5
    return x @ np.arange(1, 4)


@program(three)
def under_a_mask(x):
    y = x * 1.0
    y[0] = y[1] * 0.25
    return np.sum(y * MASK)


@program(three)
def minus_pixels(x):
    return (-x) @ PIXELS


@program(three)
def pixels_joined(x):
    return np.concatenate([x, -x]) @ np.concatenate([PIXELS, PIXELS[::-1] // 2])


@program(three)
def minus_a_mask(x):
    return np.sum(-x * MASK) - np.dot(x, MASK)


@program(three)
def many_times(x):
    return (x * 100) @ SMALL + np.vdot(x * 3, SMALL)


@program(three)
def the_same_twice(x):
    return x @ SMALL + x @ SMALL


@program(three)
def in_turns(x):
    turns = 0
    while turns < 3:
        x = x.copy()
        x[1:] += x[:-1] * 0.5
        turns += 1
    return x @ SMALL


@program(three)
def in_a_callee(x):
    def halved(v):
        v = v.copy()
        v[0] = v[1] * 0.5
        return v
    return halved(x) @ np.arange(1, 4)


@program(lambda: (positive(1, 3),))
def slopes_of_pixels(x):
    angles = np.sum(np.arctan2(x, PIXELS)) + np.sum(np.hypot(x, PIXELS))
    return angles + np.interp(x[0], [0, 2], PIXELS[1:]) + np.polyval(SMALL, x[1]) + np.sum(x ** (SMALL % 3))


@program(lambda: (positive(1, 3),))
def descending_pixels(x):
    return np.sum(np.interp(x, np.array([0, 1, 9]), PIXELS[::-1]) * x)


@program(lambda: (np.array([1.0, -2.0, 3.0, 0.5]), 2), argnums=(0,))
def times_a_whole_number(x, n):
    y = x * 1.0
    return y.reshape(2, 2).sum() * n + y[0] ** 2 * 0.3


@program(lambda: (np.array([1.0, -2.0, 3.0, 0.5]), 2), argnums=(0,))
def times_whole_numbers_of_both_kinds(x, n):
    y = x * 1.0
    total = y[0] * y[1] * 0.3
    return (y * np.arange(4)).sum() * n + total


@program(lambda: (np.array([1.0, -2.0, 3.0, 0.5]), True), argnums=(0,))
def times_a_truth_value(x, chosen):
    y = x * 1.0
    for i in range(1, 4):
        y[i] = y[i - 1] * 0.3
    return np.ravel(y).sum() * chosen


@program(lambda: (np.array([1.0, -2.0, 3.0, 0.5]), 2), argnums=(0,))
def carried_through_turns(x, n):
    y = x
    for _ in range(3):
        y = y * n * 0.5 + n
    return np.reshape(y ** 2.0 - x, -1).sum() * n


@program(lambda: (np.array([1.0, -2.0, 3.0, 0.5]), 2), argnums=(0,))
def times_the_number_of_rows(x, n):
    rows = x.reshape(n, 2) * 1.0
    return np.stack([rows, rows]).sum() * len(rows) + rows[0, 1] * rows[1, 0] * 0.3


def chosen_by(x, k, turns):
    return x * turns if turns else k


@program(lambda: (np.array([1.0, -2.0, 3.0]), np.array([1, 2, 3])), argnums=(0,))
def whole_on_another_path(x, k):
    total = 0.0
    for turns in range(2):
        y = x * 1.0
        total += y[0] ** 2 * 0.3
        factor = 2
        for i in range(turns):
            factor = factor * x[i]
        total += np.transpose(y).sum() * factor + (y * chosen_by(x, k, turns)).sum()
    return total


@program(lambda: (np.array([1.0, -2.0, 3.0, 0.5]), 0), argnums=(0,))
def whole_where_there_are_no_turns(x, n):
    y = x * 1.0
    y[0] = y[1] * 0.3
    factor = 2
    for i in range(n):
        factor = factor * x[i]
    return y.reshape(2, 2).sum() * factor


@program(lambda: (np.array([1.0, -2.0, 3.0]), np.array([1, 2, 3]), 0), argnums=(0,))
def whole_items_of_a_list(x, k, n):
    y = x * 1.0
    y[0] = y[1] * 0.3
    items = [k, k]
    for i in range(n):
        items.append(x * items[i])
    return (y * items[-1]).sum()


@program(lambda: (np.array([1.0, -2.0, 3.0]), np.array([1, 2, 3])), argnums=(0,))
def whole_in_the_first_turn(x, k):
    y, chosen = k, True
    for _ in range(3):
        y, chosen = y * x * 0.5 + x, chosen * x[0]
    return (y * x).sum() * chosen


@program(three)
def subtracted(x):
    return 1.0 - PIXELS * x, -(MASK * x), np.cos(PIXELS * x)


@program(lambda: (np.arange(12.0).reshape(3, 4) / 10,))
def length_beside_a_shape(m):
    rows = np.tanh(m)[:-1]
    scaled = rows * 0.7
    rows[rows > 0.4] *= 0.5
    total = rows[0, -1]
    scaled, rows = rows, scaled
    return total + np.ravel(scaled).sum() * len(scaled) + (rows ** 2).sum() * 0.3


@program(lambda: (positive(1, 5),))
def places_from_the_end(x):
    k, last = 1, ~0
    return x[~k] * 2.0 * ~-2 + x.shape[last] * x[0] + x[~np.int64(2)] ** 2


@program(lambda: (positive(1, 5), 1), argnums=(0,))
def place_from_the_end_given(x, k):
    return x[~k] ** 2 + x[k ^ 3] * 3.0 + x[k << 1] + x[True << k] * x[k | 2]


@program(lambda: (positive(1, 5),))
def turned_round_by_places(x):
    x = x.copy()
    for i in range(len(x) // 2):
        x[i], x[~i] = x[~i] * 2.0, x[i]
    return (x * np.arange(5)).sum()


@program(lambda: (positive(1, 5, 4),))
def chosen_by_two_masks(u):
    for _ in range(3):
        near = (np.roll(u, 1, 0) + np.roll(u, -1, 0)) / 2.0
        alive = (near > 0.9) & ~(u < 0.7) | (u > 1.2)
        u = np.where(alive, 0.9 * u + 0.1 * near, 0.8 * u)
        u[0] = u[-1] * 0.5
        u[near > 1.1] *= 0.95
    return (u ** 2).sum()


@program(lambda: (positive(41, 3) + 0.1, True), needs="shapes")
def cast_where_nothing_is_known_of_the_shape(x, deep):
    y = np.outer(x, x) if deep else x
    whole = y.astype(int) + np.asarray(y, dtype=np.dtype("i4"))
    joined = np.concatenate([y, y], dtype=np.result_type(whole, np.int8), casting="unsafe")
    return np.sum(whole * y) + np.sum(joined) + np.sum(np.array([y, y], dtype=bool)) + y.sum(dtype=int) * x[0]


def when_paid(when):
    if isinstance(when, np.ndarray):
        return when
    try:
        return {"begin": 1, "end": 0}[when]
    except TypeError:
        return [0 for _ in when]


def made_arrays_of(r, n, p, when):
    when = when_paid(when)
    (r, n, p, when) = map(np.asarray, [r, n, p, when])
    return n * p * (1.0 + r * when) + (1.0 + r) ** n


@program(lambda: (0.7, -1.2, "end"))
def beside_floats_in_a_list_that_arrays_are_made_of(r, p, when):
    when = when_paid(when)
    r, n, p, when = np.broadcast_arrays(r, 3, p, when)
    return made_arrays_of(r, n - 1, made_arrays_of(r, n, p, when), when) * r


@program(lambda: (1.3, 4))
def an_array_on_one_way_and_whole_numbers_on_the_other(x, n):
    c = np.asarray(n) if x > 0.0 else np.asarray(x)
    total = 0.0
    for _ in range(3):
        total = total * x + x * c ** 2
    return total


@program(lambda: (np.array([1.6, 2.2, 3.4]), np.array([2, 0, 1])))
def whole_numbers_and_flags_written_by_functions(x, order):
    above = np.zeros(3, bool)
    np.greater(x, 2.0, out=above)
    counts = np.ones(3, int)
    np.add.at(counts, order[:2], 1)
    np.multiply(counts, counts, out=counts, dtype=int)
    np.copyto(counts, 3, where=above)
    order = order.copy()
    order.sort()
    last = np.int64(x[2]) - 1
    total = np.int32(2)
    total += x[last] * counts[order[1]]
    return total * np.sum(counts * x) + np.sum(above * x)


@program(lambda: (normal(71, 3), 2, np.array([2, 1, 4])))
def products_with_lists_of_integers(x, k, counts):
    """Their cotangents are written into afterwards, and must be floats for that."""
    a, b, c, d = np.sin(x), np.cos(x), np.tanh(x), x ** 2
    apart = sum((x[i] - a[i]) ** 2 + (x[i] - b[i]) ** 2 + (x[i] - c[i]) ** 2 + (x[i] - d[i]) ** 2 for i in range(k))
    return apart + a @ [1, 2, 3] - (k, 1, k) @ b + np.einsum("i,i", c, counts) + d @ [True, False, True]


@program(lambda: (normal(72, 3), normal(73, 2, 3)))
def einsum_with_lists_of_integers(x, w):
    x, w = x.copy(), w.copy()
    v = x * 2.0
    x[0] *= 0.7
    w[w > 0.1] *= 0.7
    v[1] *= 0.3
    return np.einsum("i,i->", x, [1, 2, 3]) * np.einsum("ij,ji", w, [[1, 2], [3, 4], [5, 6]]) + np.einsum(
        "i,i,i->", v, [1, 2, 3], (2, 1, 1))
