"""Sums, means, products, extrema and norms, over all axes or some."""
from __future__ import annotations

import math

import numpy as np

from corpus.registry import normal, positive, program, spread


@program(lambda: (normal(1, 3, 4),))
def sum_of_everything(x):
    return np.sum(x**3)


@program(lambda: (normal(2, 3, 4),))
def sum_along_an_axis(x):
    return np.sum(x**2, axis=0) * np.arange(4.0)


@program(lambda: (normal(3, 2, 3, 4),))
def sum_along_two_axes(x):
    return np.sum(np.sin(x), axis=(0, 2))


@program(lambda: (normal(4, 2, 3, 4),))
def sum_along_the_last_axis_kept(x):
    return np.sum(x**3 / np.sum(x * x, axis=-1, keepdims=True), axis=(-1, 0)) @ np.arange(3.0)


@program(lambda: (normal(5, 3, 4),))
def axis_none(x):
    return np.sum(x * x, axis=None, keepdims=True) * np.mean(x, axis=None)


@program(lambda: (normal(6, 3, 4),))
def means(x):
    centred = x - np.mean(x, axis=1, keepdims=True)
    return np.mean(centred**3) + np.sum(np.mean(centred**2, axis=0) ** 2)


@program(lambda: (normal(7, 4, 3), 1))
def variances(x, ddof):
    return np.var(x) + np.sum(np.var(x, axis=0) ** 2) + np.sum(np.var(x, axis=1, ddof=ddof))


@program(lambda: (normal(8, 4, 3),))
def standard_deviations(x):
    return np.std(x) * np.sum(np.std(x, axis=-1, keepdims=True) * x)


@program(lambda: (positive(9, 2, 4),))
def products(x):
    return np.prod(x) + np.sum(np.prod(x, axis=0)) + np.prod(x, axis=1, keepdims=True)[0, 0]


@program(lambda: (np.array([1.5, 0.0, -2.0]),))
def product_with_a_zero(x):
    return np.prod(x)


@program(lambda: (spread(10, 3, 4),))
def maxima(x):
    return np.max(x) * np.sum(np.max(x, axis=1) ** 2)


@program(lambda: (spread(11, 2, 3, 4),))
def extrema_with_kept_axes(x):
    low = np.min(x, axis=(1, 2), keepdims=True)
    high = np.max(x, axis=-1, keepdims=True)
    return np.sum((x - low) * (high - x))


@program(lambda: (spread(12, 3, 4),))
def normalised_to_the_range(x):
    return (x - np.min(x, axis=0)) / (np.max(x, axis=0) - np.min(x, axis=0))


@program(lambda: (normal(13, 3, 4),))
def running_sums(x):
    return np.cumsum(x * x, axis=1) * np.cumsum(x)[0]


@program(lambda: (normal(14, 2, 3),))
def running_sum_of_everything(x):
    return np.sum(np.sin(np.cumsum(x)))


@program(lambda: (normal(15, 5),))
def length_of_a_vector(x):
    return np.linalg.norm(x) * x[0]


@program(lambda: (normal(16, 3, 4),))
def frobenius_norm(x):
    return np.linalg.norm(x) ** 3


@program(lambda: (normal(17, 3, 4),))
def norms_along_an_axis(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True) + np.linalg.norm(x, axis=0)


@program(lambda: (normal(18, 5, 3),))
def softmax(x):
    shifted = np.exp(x - np.max(x, axis=1, keepdims=True))
    return shifted / np.sum(shifted, axis=1, keepdims=True)


@program(lambda: (normal(19, 5),))
def sum_with_the_builtin(x):
    return sum(x * x) * sum([x[0], x[1]])


@program(lambda: (np.array([0.4, np.e, 1.7]), np.array([1.0, 2.0, 0.0])))
def weighted_mean(x, weights):
    return np.sum(weights * np.log(x)) / np.sum(weights)


@program(lambda: (spread(40, 5), positive(41, 5)))
def masks_with_both_signs(x, y):
    return np.max(x) - np.max(y) - np.min(x * y) + np.sum(-np.clip(x, -0.3, 0.3) + np.clip(y, 0.7, None))


@program(lambda: (0.4, 0.3))
def larger_of_two_numbers(x, y):
    return np.maximum(x, y) - np.minimum(x * y, y)


def shares(z):
    e = np.exp(z - np.max(z, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@program(lambda: (normal(61, 4, 3), normal(62, 4, 3)))
def shifted_exponentials(x, w):
    """Extrema on which nothing depends."""
    most, least = x.max(), np.min(x, axis=0)
    rows = np.max(x, axis=1)
    e = w ** 2 * np.exp(x - least)
    total = most + np.log(np.sum(np.exp(x - most)[1:])) + np.sum(shares(x @ w.T) ** 2)
    total += np.sum((rows + np.log(np.sum(np.exp(x - rows[:, None]), axis=1))) ** 2)
    total += np.sum(np.exp(x - x.max()) / np.sum(np.exp(x - x.max())) * w)
    for row in w:
        top = max(row[0], row[1])
        total *= top + math.log(math.exp(row[0] - top) + math.exp(row[1] - top))
    return total + np.sum(np.log(e.mean(axis=0)) + least) + np.sum((e / e.sum(axis=0)) ** 3)


@program(lambda: (normal(63, 3, 3), normal(64, 3, 3)))
def exponentials_that_depend_on_their_shift(x, w):
    most, last = x.max(axis=1, keepdims=True), 0.0
    e, across = np.exp(x - most), np.exp(x - x.max(axis=1))
    total = np.sum(e ** 2 / e.sum(axis=1, keepdims=True)) + np.sum((e / e.sum(axis=0)) ** 2)
    total += np.sum((across / across.sum(axis=1)) ** 2)
    for i in range(3):
        total += last ** 2
        last = w[i].max()
        total += np.sum((np.exp(w[i] - last) / np.sum(np.exp(w[i] - last))) ** 2)
    least = w.min()
    part = w - least
    rest = part[1:]
    rest[0] = 1.0
    top = x[0].max()
    scaled = np.exp(x[0] - top) if top > 0.3 else np.exp(x[0])
    return total + np.sum((np.exp(part) / np.exp(part).sum()) ** 2) + scaled[0] / scaled.sum() + np.sum(scaled)


def less_its_largest(u):
    u -= u.max(axis=1, keepdims=True)


def made_shares(u):
    u -= u.max()
    e = np.exp(u)
    return e / e.sum()


@program(lambda: (normal(77, 2, 3),))
def shifts_that_the_caller_sees(x):
    u, w, z = x.copy(), 2.0 * x, x * x
    less_its_largest(u)
    kept = made_shares(w)
    other = z
    other -= other.max()
    e = np.exp(other)
    return u.sum() + kept[0, 1] * w.sum() + e[1, 0] / e.sum() + z.sum()


@program(lambda: (normal(79, 2, 3),))
def shares_of_shares(x):
    u, turn = 2.0 * x, 0
    while u.max() > 0.4 and turn < 3:
        u -= u.max(axis=1, keepdims=True)
        np.exp(u, out=u)
        u /= u.sum(axis=1)[:, None]
        turn += 1
    return u[0, 1] * u[1, 2]


@program(lambda: (normal(65, 3, 4),))
def less_the_extremes(x):
    """The masks of what is reached get no minus signs."""
    total = np.sum(x[0] ** 2) - np.sum(np.min(x, axis=0)) - np.sum(np.nanmax(x, axis=1)) / 3
    return total - np.sum(np.fmax.reduce(x)) - np.minimum.reduce(x[1]) - np.sum(x.max(axis=1, keepdims=True))


@program(lambda: (0.7, np.float64(0.4), np.array(1.3)))
def of_what_has_no_axes(s, t, u):
    """NumPy takes 0 and -1 for an axis of a number, and makes an array of it where the result is one."""
    total = np.sum(s ** 2, axis=-1) + np.min(t, axis=-1) + np.nansum(u, axis=-1) * 2 + np.sort(u, axis=None)[0]
    running = np.cumsum(s, axis=0) * np.cumprod(t) + np.ascontiguousarray(u)
    taken = np.take(s, [0, 0], axis=0) * np.repeat(t, 2, axis=0) + np.squeeze(u, axis=0)
    twice = np.add(s, s)  # has methods, and so must its tangent
    total += twice.reshape(-1)[0] * twice.item() + np.sum(np.pad(t, 1, constant_values=2))
    return total * np.sum(running) + taken @ taken


@program(lambda: (normal(75, 3, 2), normal(76, 4, 1), 0.6))
def several_polynomials_at_once(p, x, s):
    return np.sum(np.polyval(p, s) ** 2) + np.sum(np.polyval(p, x) * s)


def first_or_all(x):
    if x[0] > 0.6:
        return x[0] * 2.0
    return x * 3.0


@program(lambda: (np.array([0.7, 1.3, -0.4]),))
def of_what_may_be_a_number(x):
    one, all_of_them = first_or_all(x) ** 2, first_or_all(x - 0.5) ** 2
    return np.max(one, axis=-1) * np.max(all_of_them, axis=-1) + np.sum(one, axis=-1) * np.sum(all_of_them, axis=-1)


@program(lambda: (normal(77, 3), [0.5, 1.5]))
def sum_with_a_start_of_its_own(x, rates):
    total = sum((np.sin(rate * x) for rate in rates), np.zeros(3))
    total /= 2.0
    total[0] = x[1] * total[0]
    return np.sum(total * x)
