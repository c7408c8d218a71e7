"""Functions of the math module and builtins, on plain floats."""
from __future__ import annotations

import math

import numpy as np

from corpus.registry import normal, program, spread


@program(lambda: (0.7,))
def math_exponentials(x):
    return math.exp(x) * math.log(x + 1.0) + math.expm1(x) / math.log1p(x) + math.log2(x + 2.0) * math.log10(x + 3.0)


@program(lambda: (0.4, 1.3))
def math_trigonometry(x, y):
    return math.sin(x) * math.cos(y) + math.tan(x) + math.atan2(y, x) * math.atan(x) + math.asin(x) * math.acos(x)


@program(lambda: (0.4,))
def math_hyperbolic(x):
    return math.sinh(x) * math.cosh(x) + math.tanh(x) + math.asinh(x) + math.acosh(1.5 + x) + math.atanh(x)


@program(lambda: (2.4, 1.3))
def math_powers(x, y):
    return math.pow(x, y) + math.sqrt(x) * math.hypot(x, y) + math.log(x, 3.0)


@program(lambda: (0.4,))
def math_special(x):
    return math.erf(x) + math.erfc(x) * x


@program(lambda: (-1.4, 2.6))
def math_steps(x, y):
    return math.fabs(x) * y + math.floor(y) * x + math.ceil(x) * y + math.copysign(y, x) + math.fmod(y, 1.0) * y


@program(lambda: (-1.4, 0.8))
def builtin_abs(x, y):
    return abs(x) * y + abs(y - x) ** 2


@program(lambda: (0.4, 1.3, -0.6))
def builtin_extrema(x, y, z):
    return max(x, y) * min(y, z) + max(x, y * z, 0.1) + min(z, -2.0)


@program(lambda: (0.4, 1.3))
def builtin_extrema_of_a_list(x, y):
    values = [x * x, y, x + y]
    return max(values) * min(values)


@program(lambda: (spread(1, 5),))
def builtin_extrema_of_an_array(x):
    return max(x) * min(x)


@program(lambda: (0.4, 1.3))
def builtin_sums(x, y):
    return sum([x, y, x * y]) * sum((x, y), 2.0)


@program(lambda: (1.4, 2.2))
def builtin_powers(x, y):
    return pow(x, y) + pow(2.0, x) + pow(y, 3)


@program(lambda: (2.6, 1.4))
def builtin_rounding(x, y):
    return round(x) * y + int(y) * x + round(y * x, 1) + x


@program(lambda: (7.4, 1.6))
def builtin_divmod(x, y):
    quotient, rest = divmod(x, y)
    return rest * rest + quotient * y


@program(lambda: (np.float64(0.7), 3))
def builtin_float(x, n):
    return float(x) ** 2 * float(n) + float("1.5") * x


@program(lambda: (normal(2, 4),))
def builtin_len(x):
    return np.sum(x) / len(x) + x[len(x) - 1] ** len(x)


@program(lambda: (normal(3, 3),))
def math_of_elements(x):
    return math.exp(x[0]) * math.sin(x[1]) + math.sqrt(np.sum(x * x))


@program(lambda: (0.6, 1.2))
def floats_through_numpy(x, y):
    return np.exp(x) * np.maximum(x, y) + np.sqrt(y) - np.where(x > y, x, y * y)


@program(lambda: (-0.8, 0.3))
def absolute_value_alone(x, y):
    return abs(x if y > 0.0 else -0.7)


@program(lambda: (np.array([1.0, -2.0, 3.0]),))
def scalars_indexed(x):
    v = x[0] * x[2]
    return v[()] * v + np.sum(v[v > 0.0] * x) + np.sum(v[None] * x)


@program(lambda: (np.array([1.0, -2.0, 3.0]),))
def arrays_of_rank_zero_written(x):
    def tripled(v):
        v = v.copy()
        v[v > 0.0] *= 3.0
        return v
    return tripled(np.asarray(x[0])) * tripled(x[1:]).sum()


@program(lambda: (1.3, 0.7))
def numbers_where_arrays_are_usual(a, b):
    joined = np.append(a, np.append(b, a))[1:]
    heard = np.convolve(a, [1.0, 2.0])[1] + np.convolve(np.array([1.0, b, 3.0]), b, "same")[1]
    return np.sum(joined) * heard + np.dot(b, 2.0) * np.inner(a, b) + np.transpose(b)


@program(lambda: (1.3,))
def transpose_of_a_number(a):
    return np.transpose(a) * 1.0


@program(lambda: (np.array(1.3),))
def product_with_a_number(a):
    return np.dot(a, 2.0)


@program(lambda: (1.3, [0.5, np.array([2.0, 3.0])]))
def number_to_which_an_array_of_rank_zero_is_added(a, mixed):
    total = 1.0
    total += np.where(a > 0.0, a, a * a)
    for _ in mixed:
        pass
    return total * a * mixed[0] + np.sum(mixed[1])


@program(lambda: (1.3, 0.7))
def elements_of_a_number_as_an_array(x, y):
    w = np.float64(x)
    u, v = w + w, w * y
    return u.flat[0] * y + u.sum() + v[None][0] * y + v
