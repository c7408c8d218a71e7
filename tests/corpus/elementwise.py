"""NumPy functions of one element at a time, smooth ones and those with kinks."""
# ruff: noqa: RET504
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program, spread


@program(lambda: (normal(1, 4),))
def exponentials(x):
    return np.sum(np.exp(x) + np.expm1(x) * x + np.exp2(0.5 * x))


@program(lambda: (positive(2, 4),))
def logarithms(x):
    return np.log(x) * x + np.log1p(x) + np.log2(x) * np.log10(x + 1.0)


@program(lambda: (normal(3, 4),))
def trigonometry(x):
    return np.sin(x) * np.cos(x) + np.tan(0.3 * x) + np.arctan(x)


@program(lambda: (np.array([-0.6, 0.2, 0.7]),))
def inverse_trigonometry(x):
    return np.sum(np.arcsin(x) * np.arccos(x) + np.arctan2(x, 2.0 + x))


@program(lambda: (np.array([-0.6, 0.2, 0.7]),))
def hyperbolic(x):
    return np.sinh(x) * np.cosh(x) + np.tanh(x) ** 2 + np.arctanh(x) + np.arcsinh(x)


@program(lambda: (positive(4, 4),))
def roots_and_squares(x):
    return np.sum(np.sqrt(x) + np.square(x) * np.cbrt(x) - np.reciprocal(x))


@program(lambda: (normal(5, 3), positive(6, 3)))
def operators_by_name(x, y):
    total = np.add(x, y) * np.subtract(x, y)
    return np.multiply(total, x) - np.divide(np.negative(x), y) + np.power(y, x)


@program(lambda: (normal(7, 6),))
def absolute_values(x):
    return np.abs(x) ** 1.5 + np.absolute(x) * np.sign(x)


@program(lambda: (spread(8, 2, 3), spread(9, 3) + 0.1))
def larger_and_smaller(x, y):
    return np.maximum(x, y) ** 2 - np.minimum(x, 0.02) * y


@program(lambda: (spread(10, 6),))
def clipped(x):
    return np.clip(x, -0.3, 0.4) * x + np.clip(x, 0.15, None)


@program(lambda: (spread(11, 6), 0.45))
def clipped_to_an_active_border(x, border):
    return np.sum(np.clip(x, -border, border) ** 2)


@program(lambda: (normal(12, 6), normal(13, 6)))
def where_of_arrays(x, y):
    return np.where(x > 0.1, x * y, np.sin(y))


@program(lambda: (normal(14, 3, 4), 0.7))
def where_of_numbers(x, s):
    return np.sum(np.where(x > 0.0, x, s * (np.exp(x) - 1.0)))


@program(lambda: (normal(15, 2, 3), normal(16, 3)))
def where_that_broadcasts(x, y):
    return np.where(y[np.newaxis, :] > 0.0, x, y * y)


@program(lambda: (np.array([-30.0, -0.5, 0.3, 25.0]),))
def stable_sigmoid(x):
    small = np.exp(-np.abs(x))
    return np.where(x >= 0.0, 1.0 / (1.0 + small), small / (1.0 + small))


@program(lambda: (normal(17, 4), normal(18, 4)))
def log_of_sum(x, y):
    return np.sum(np.logaddexp(x, 2.0 * y) * x)


@program(lambda: (normal(19, 4), normal(20, 4)))
def hypotenuse(x, y):
    return np.hypot(x, y) + np.arctan2(y, x)


@program(lambda: (normal(21, 5) * 3.0,))
def steps(x):
    return np.sum((x - np.floor(x)) ** 2 + np.ceil(x) * x)


@program(lambda: (normal(22, 4),))
def gelu(x):
    return 0.5 * x * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (x + 0.044715 * x**3)))
