"""Covariances of two samples, polynomials by their coefficients, and further ways to call NumPy's functions."""
from __future__ import annotations

import numpy as np

from corpus.registry import complex_normal, normal, positive, program


@program(lambda: (100.0, 0.03, 0.2))
def control_variate(spot, rate, sigma):
    rng = np.random.default_rng(42)
    z = rng.standard_normal((20, 6))
    logs = np.log(spot) + np.cumsum((rate - 0.5 * sigma ** 2) / 6 + sigma * np.sqrt(1 / 6) * z, axis=1)
    arithmetic = np.maximum(np.exp(logs).mean(axis=1) - 100.0, 0)
    geometric = np.maximum(np.exp(logs.mean(axis=1)) - 100.0, 0)
    c = np.cov(arithmetic, geometric)
    beta = c[0, 1] / c[1, 1]
    return arithmetic.mean() - beta * (geometric.mean() - 5.0)


@program(lambda: (normal(1, 5, 2), normal(2, 5, 3), normal(3, 5)))
def covariances_of_two(first, second, last):
    columns = np.cov(first, second, rowvar=False, ddof=0)
    rows = np.cov(first.T, y=last, bias=True)
    lists = np.cov([*last], [2.0, 1.0, 0.5, 3.0, 1.5])[0, 1]
    both = np.corrcoef(second.T, last)[1, 3] + np.corrcoef(last, last ** 2)[0, 1]
    return np.sum(columns ** 2) + rows[0, 2] * lists + both


@program(lambda: (normal(1, 4), normal(2, 3), 0.7))
def polynomials(p, q, x):
    product = np.polymul(p, q)
    value = np.polyval(np.polyder(product), x) + np.polyval(np.polyint(product, k=x), x)
    return value + np.polyval(np.polyint(np.polymul(x, q), 2), 0.5)


@program(lambda: (normal(1, 3, 3), normal(2, 2, 3, 3)))
def sums_over_diagonals(a, b):
    weighted = np.einsum("ii->i", a) @ np.array([1.0, 2.0, 3.0])
    return weighted + np.einsum("bii->b", b).prod() + np.einsum("ii", a @ a) + np.einsum("ii,ij->j", a, b[0])[1]


@program(lambda: (normal(4, 3, 4),))
def of_samples(x):
    """With the array API's name for ``ddof``, and of those elements that count."""
    chosen = x > -0.5
    spread = np.std(x, axis=1, correction=1) * np.var(x, correction=0.5)
    return np.sum(spread) + x.var(where=chosen) + np.nanstd(x, correction=1) + np.prod(x, where=chosen, initial=2.0)


@program(lambda: (normal(5, 2, 5), np.array([0.5, 1.0, 2.0, 0.7, 1.2])))
def weighed_covariances(x, weights):
    shares = np.cov(x, aweights=weights) + np.cov(x, ddof=0, aweights=weights, fweights=[1, 2, 1, 3, 1])
    both = np.cov(x[0], x[1] ** 2, fweights=[2, 1, 1, 1, 2])[0, 1]
    return np.sum(shares ** 2) + both + np.cov(x[1], aweights=weights)


@program(lambda: (complex_normal(5, 2, 5), np.array([0.5, 1.0, 2.0, 0.7, 1.2])))
def weighed_covariances_of_complex_numbers(z, weights):
    return np.sum(np.abs(np.cov(z, aweights=weights, fweights=[1, 2, 1, 3, 1])) ** 2)


@program(lambda: (np.array([0.3, 2.9, 1.4]), np.array([0.2, 1.1, 2.4]), normal(6, 3), 2.5))
def around_the_clock(hours, places, values, period):
    """What is interpolated goes on where it began."""
    return np.sum(np.interp(hours, places, values, period=period) ** 2) + np.interp(4.1, places, values, period=period)


@program(lambda: (normal(5, 4), normal(6, 4, 2), np.array([0.5, 1.0, 2.0, 0.7])))
def weighed_fits(places, values, weights):
    line = np.polyfit(places, values, 1, w=weights)
    return np.sum(line ** 2) + np.sum(np.polyfit([0, 1, 2, 3], values[:, 0], 2, w=[1, 2, 2, 1]))


@program(lambda: (normal(5, 3, 4),))
def surrounded_by_medians(image):
    width = ((1, 2), (0, 1))
    framed = np.pad(image, width, mode="median", stat_length=3) + np.pad(image, width, mode="edge")
    return np.sum(framed[:, ::-1] ** 2)


@program(lambda: (normal(5, 4, 5), 0.3, np.cumsum(positive(6, 5))), needs="shapes")
def slopes_over_places(field, step, places):
    rows, columns = np.gradient(field, step, places, edge_order=2)
    return np.sum(rows ** 2) + np.sum(columns * rows) + np.sum(np.gradient(field[0] ** 2, step) ** 2)


@program(lambda: (normal(5, 4, 3), np.array([0, 2, 1])))
def places_that_choose(x, places):
    """What says which values are taken has another dtype than they, and adds to the shape."""
    chosen = np.choose(places, np.stack([x[:3], x[1:] ** 2, x[:3] * x[3]])) + np.choose([1, 0, 1], [x[0, 0], x[1, 1]])
    longer = np.convolve([1, 2, 3, 4, 5], x[0, :3], "same") * np.arange(5)
    return np.sum(chosen ** 2) + np.sum(longer) + np.sum(np.select([x > 0.5, x < 0.1], np.stack([x, x ** 2]), x ** 3))


@program(lambda: (normal(5, 2, 3), np.arange(3.0)))
def sums_from_a_start(x, start):
    return np.sum(sum(x[0], start=start) ** 2) + np.sum(sum(x, start=np.ones((2, 3))) ** 2)


@program(lambda: (0.3, 1.7))
def steps_between(start, stop):
    points, step = np.linspace(start, stop, 5, retstep=True)
    rest, other = np.linspace(start, stop, num=4, endpoint=False, retstep=True)
    return np.sum(points ** 2) * step + np.sum(rest) * other ** 2


@program(lambda: (normal(7, 2, 3), normal(8, 3)))
def sums_by_numbers(a, v):
    """The axes by numbers in lists, as programs call it that find out themselves which there are."""
    first = np.einsum(a, [0, 1], v, [1], [0])
    return first @ np.einsum(a, [0, 1], a, [2, 1]) @ first + np.einsum(v, (2,), v, (2,), ())


@program(lambda: (normal(9, 3),))
def numbers_in_brackets(x):
    row = np.r_[x[0], 0:3, x, 0:x[1]:3j]
    columns = np.c_[x, :3, x ** 2]
    return np.sum(row ** 2 * np.arange(10.0)) + np.sum(columns @ x * x)


def shrunk(x, r):
    return x * r if r > 0.0 else x


@program(lambda: (normal(3, 4), 0.4))
def made_in_brackets(x, r):
    inner = np.linalg.solve(np.diag([1.0 + 2.0 * r] * (len(x) - 2)), x[1:-1])
    row = np.r_[0, np.linalg.solve(np.diag([1.0 + r] * len(inner)), inner), np.array([r * v for v in x]), 0]
    columns = np.c_[shrunk(x, r), np.array([r] * len(x)), x if r > 0.0 else -x]
    return np.sum(row ** 2) + np.sum(columns[1:] ** 3) + np.c_[shrunk(x, -r)].sum()


@program(lambda: (normal(14, 3), 4))
def constants_in_brackets(x, n):
    """Whatever goes into the brackets, a vector or a matrix comes out: an item of it is a number."""
    weights = np.r_[1.0, np.zeros(len(x) - 2), 0:1:1j] * x
    error, total = weights[0], np.r_[:n, n][-1] * weights
    first = total[0]
    error *= 2.0
    first += 1.0
    places = np.c_[np.ones(n), np.arange(n)] @ x[:2]
    start = places[0]
    start -= 1.0
    return error * weights[0] + first * total[0] + np.sum(places) * start + np.sum(x[np.r_[0:2, 1]] ** 2)


@program(lambda: (normal(10, 3),))
def more_axes(x):
    return np.sum(np.array(x, ndmin=3) * np.arange(4.0).reshape(2, 2, 1) ** 2) ** 2


@program(lambda: (positive(11, 3, 4), 0.3))
def starts_of_reductions(x, start):
    """Where all results have the same cotangent, as here, one number stands for it."""
    total = np.sum(np.sum(x, axis=0, initial=start)) + np.sum(np.nansum(x, axis=1, keepdims=True, initial=start)) * 2.0
    total += np.sum(np.add.reduce(x, initial=start * x[0, 0])) + np.sum(x.prod(axis=1, initial=start))
    total += np.sum(np.max(x, axis=0, initial=2.0 * start)) + np.min(x, initial=start, where=x > 0.5)
    return total + np.sum(np.logaddexp.reduce(x, axis=1, initial=start)) + np.sum(np.hypot.reduce(x, initial=start))


@program(lambda: (normal(12, 3, 4),))
def surroundings(x):
    around = np.sum(np.pad(x, 2, "mean")) + np.sum(np.pad(x, 1, "linear_ramp", end_values=x[0, 0]))
    return around + np.sum(np.pad(x, 2, "reflect", reflect_type="odd")) + np.sum(np.pad(x[0], 3, "minimum") ** 2)


@program(lambda: (positive(13, 5), 0.4))
def summary(x, q):
    """Weights of computed size are as many as the values."""
    ranks = np.arange(1, len(x) + 1)
    level = np.average(x, weights=ranks) * q + np.average(np.outer(x, x), axis=0, weights=ranks)[1]
    spread = np.cov(x) + np.cov(x, bias=True) * q + np.percentile(x, 75)
    return level * np.squeeze(x[1:2]) + spread * np.squeeze(x[:, None] * q).sum()


@program(lambda: (normal(14, 3, 3), normal(15, 3, 3)))
def sums_of_products(a, b):
    total = np.einsum("ij,ij", a, b) + np.einsum("ij,ji->", a, b) + np.einsum("ij,j->", a, b[0]) * np.vdot(a, b.T)
    return total + np.einsum("ij,ij", a, b[:1]) ** 2


@program(lambda: (np.array(0.5),))
def running_product_of_an_array_without_axes(x):
    return np.sum(np.cumprod(x, axis=0) * x)


@program(lambda: (normal(6, 4), normal(7, 4, 4)))
def about_means(x, square):
    """Means and differences from them that variances may be taken about, and others that look like them."""
    y = x.copy()
    mean, other = y.mean(), y
    centred = y - mean
    other[0] = 3.0
    rows = square.mean(axis=1)
    across = square - rows
    down = square - square.mean(axis=0)
    shares = down / square.std(axis=0, ddof=1)
    first = square - np.mean(square, axis=1, keepdims=True)
    total = y.var() + np.sum(centred ** 2) + np.sum(across ** 3) + np.sum(shares ** 3) + np.sum(first ** 3)
    total += np.sum(square.var(axis=1) ** 2) + np.var(square, axis=(0, 1)) + np.sum(square ** 2) * np.sum(rows)
    x = x - x.mean()
    return total + np.var(x) * np.std(x[1:] - x[1:].mean())
