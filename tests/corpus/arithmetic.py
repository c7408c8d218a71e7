"""Straight-line code: operators, assignments of all kinds, unpacking."""
# ruff: noqa: RET504
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program


@program(lambda: (1.3, 0.7))
def four_operations(x, y):
    return x * y + x / y - (x - y) / (x + y)


@program(lambda: (1.3, 2.4))
def powers(x, y):
    return x**y + 2.0**x + y**3 + x**-1.5 + y**0.5 + x**1


@program(lambda: (np.array([0.4, 1.1, 2.3]), np.array([1.5, -0.5, 2.0])))
def powers_of_arrays(base, exponent):
    return np.sum(base**exponent + base**2 - 3.0**exponent)


@program(lambda: (-1.3, 0.7))
def signs(x, y):
    return -x * +y - -(x - y) + (-x) ** 2 - (-(-y)) ** 3  # noqa: B002


@program(lambda: (7.3, 2.2))
def quotient_and_remainder(x, y):
    whole = x // y
    rest = x % y
    return whole * x + rest**2 * y


@program(lambda: (np.array([5.3, -4.1, 9.7]), np.array([2.0, 1.5, -2.6])))
def remainders_of_arrays(x, y):
    return x % y * x + x // y * y


@program(lambda: (normal(1, 3, 4), normal(2, 4, 2)))
def matrix_product(a, b):
    return np.sum((a @ b) ** 2)


@program(lambda: (1.7, 0.6))
def augmented_numbers(x, y):
    total = x
    total += y * x
    total *= total
    total -= x / y
    total /= 1.0 + y
    total **= 2
    return total


@program(lambda: (9.4, 2.1))
def augmented_remainders(x, y):
    left = x * y
    left %= 4.0 * y
    steps = x * 3.0
    steps //= y
    return left * x + steps * y


@program(lambda: (normal(3, 4), positive(4, 4)))
def augmented_arrays(x, y):
    z = 2.0 * x
    z += y
    z *= x
    z -= 1.0
    z /= 2.0 + y * y
    z **= 2
    return z.sum()


@program(lambda: (normal(5, 3, 4), normal(6, 4), 0.8))
def augmented_with_broadcast(matrix, row, factor):
    table = matrix * matrix
    table += row
    table *= factor
    table -= row * factor
    return table


@program(lambda: (normal(7, 3, 3), normal(8, 3, 3)))
def augmented_matrix_product(a, b):
    product = a * 1.0
    product @= b
    product @= a
    return np.sum(product * b)


@program(lambda: (normal(9, 5),))
def augmented_while_the_old_value_is_needed(x):
    y = np.exp(x)
    z = y * y
    z *= y
    y = y + z
    return np.sum(y * z)


@program(lambda: (1.2, -0.4))
def chained_assignment(x, y):
    a = b = c = x * y
    a = a * 2.0 + x
    b += a * c
    return a * b - c


@program(lambda: (1.2, -0.4))
def nested_unpacking(x, y):
    a, (b, c) = x * y, (x + y, x - y)
    [d, e] = a * b, b * c
    return d * e + a - c


@program(lambda: (1.2, -0.4, 0.9))
def swaps(x, y, z):
    x, y = y * z, x
    y, z, x = x, y + z, z * y
    return x + 2.0 * y - z * z


@program(lambda: (np.array([0.3, -1.2, 2.0]),))
def unpacked_array(p):
    x, y, z = p
    return x * y * z + x / z


@program(lambda: (0.8, 3))
def integers_among_floats(x, n):
    return 3 * x + 2 - 1 / x + n * x**2 - x / n + 7 // 2 * x


@program(lambda: (2.0, -7.5, 3.5))
def roots_of_a_quadratic(a, b, c):
    root = (b * b - 4.0 * a * c) ** 0.5
    return (-b + root) / (2.0 * a), (-b - root) / (2.0 * a)


@program(lambda: (1.1, 0.7), argnums=(0,))
def rational_function(x, y):
    top = ((2.0 * x - 3.0) * x + y) * x - 1.0
    bottom = (x * x + 1.0) * (x * x + y * y)
    return top / bottom


@program(lambda: (0.9,))
def the_argument_itself(x):
    return x


@program(lambda: (normal(10, 3), 2.0))
def no_influence_of_one_argument(x, y):
    unused = y * 3.0  # noqa: F841
    return np.sum(x**2)


@program(lambda: (normal(11, 2, 2),))
def constant(x):
    return 4.5


@program(lambda: (np.float64(0.4), np.float64(1.5)))
def numpy_scalars(x, y):
    return np.sin(x) * y - x**2 / y


@program(lambda: (np.array([0.5, -1.5, 2.5], np.float32), np.float32(0.75)))
def single_precision(x, scale):
    return np.sum(x * x * scale + 3.0 * x)


@program(lambda: (np.array([1.5, 0.25], np.float32), np.array([0.3, 0.7])))
def mixed_precision(narrow, wide):
    return np.sum(narrow * wide + narrow**2)


@program(lambda: (np.array(0.6), np.array(-1.4)))
def arrays_of_rank_zero(x, y):
    return x * y + np.exp(x) / y


@program(lambda: (normal(70, 3), 0.8))
def products_with_nothing(x, t):
    """What has no influence, and some that has none on one way only."""
    h = x * 0
    y = [0 * v for v in x]
    for i in range(3):
        h = h * 2 + x * 0.0 * t
        if i == 1:
            h = h + x * t
    z = 0.0 * x[0] if t > 0.5 else x[0]
    return (h * x).sum() + sum(y) + y[0] * x[1] + z * t + (x * 0 + t).sum()
