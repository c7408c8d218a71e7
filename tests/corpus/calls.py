"""Functions that call functions: helpers, defaults, keywords, tuples, recursion."""
# ruff: noqa: RET504
from __future__ import annotations

import math

import numpy as np

from corpus.registry import normal, positive, program


def square(x):
    return x * x


def relu_or_leak(x, leak=0.1):
    if x > 0.0:
        return x
    return leak * x


def sine_and_cosine(x):
    return np.sin(x), np.cos(x)


def mean_and_spread(x):
    mean = np.mean(x)
    return mean, np.sqrt(np.mean((x - mean) ** 2))


def affine(x, *, weight, shift=0.0):
    return weight * x + shift


def newton_root(x, turns=6):
    guess = 1.0
    for _ in range(turns):
        guess = 0.5 * (guess + x / guess)
    return guess


def first_above(x, limit):
    for element in x:
        if element > limit:
            return element
    return limit


@program(lambda: (1.7,))
def helper_called_twice(x):
    return square(square(x) + 1.0) * x


@program(lambda: (0.8, -0.6))
def helper_with_branches(x, y):
    return relu_or_leak(x) * relu_or_leak(y) + relu_or_leak(x * y, 0.3)


@program(lambda: (0.8, normal(1, 3), normal(2, 2, 3)))
def helper_with_several_shapes(x, vector, matrix):
    return square(x) + np.sum(square(vector)) * np.sum(square(square(matrix)))


@program(lambda: (normal(3, 3),))
def helper_returns_a_tuple(x):
    s, c = sine_and_cosine(x)
    return s * c**2 + s


@program(lambda: (0.7,))
def one_item_of_the_tuple(x):
    pair = sine_and_cosine(x)
    return pair[0] * x + sine_and_cosine(pair[1])[1]


@program(lambda: (normal(4, 5),))
def returns_what_the_helper_returns(x):
    return mean_and_spread(x * x)


@program(lambda: (0.7, 1.2))
def keywords(x, y):
    return affine(x, weight=y) * affine(shift=x, weight=2.0, x=y)


@program(lambda: (0.7, 0.4))
def keyword_out_of_order(x, y):
    return relu_or_leak(leak=y, x=-x) + relu_or_leak(x=x)


@program(lambda: (2.3, 5.0))
def helper_with_a_loop(x, y):
    return newton_root(x) * newton_root(y, turns=8) + newton_root(newton_root(x))


@program(lambda: (np.array([0.3, 1.4, 0.9]), 0.7))
def helper_with_an_early_return(x, limit):
    return first_above(x, limit) * x[0] + first_above(x, 5.0 * limit)


@program(lambda: (normal(5, 4), 3))
def helper_in_a_loop(x, n):
    total = 0.0
    for _ in range(n):
        s, c = sine_and_cosine(x)
        x = s * c + x
        total += relu_or_leak(np.sum(x))
    return total


@program(lambda: (0.6,))
def helper_as_argument_of_helper(x):
    return affine(affine(x, weight=x, shift=1.0), weight=square(x), shift=square(x + 1.0))


@program(lambda: (1.2, 7))
def power(x, n):
    if n == 0:
        return 1.0
    if n % 2 == 1:
        return x * power(x, n - 1)
    return power(x * x, n // 2)


@program(lambda: (0.7, 6))
def tree(x, n):
    if n < 2:
        return x + n
    return tree(x, n - 1) * 0.5 + x * tree(x, n - 2)


@program(lambda: (1.3, 5))
def even_steps(x, n):
    if n == 0:
        return x
    return odd_steps(x * x - 0.5, n - 1)


def odd_steps(x, n):
    if n == 0:
        return math.sin(x)
    return even_steps(math.sin(x) + 0.3, n - 1)


@program(lambda: (normal(6, 8),))
def pairwise_sum(x):
    n = len(x)
    if n == 1:
        return x[0] ** 2
    half = n // 2
    return pairwise_sum(x[:half]) + 2.0 * pairwise_sum(x[half:])


@program(lambda: (0.3, 2.0))
def recursion_until_small(x, y):
    if y < 0.1:
        return x
    return recursion_until_small(x * y + 0.1, 0.5 * y * (1.0 + 0.1 * x))


def norm_of(x):
    return np.sqrt(np.sum(x * x))


def cosine(x, y):
    return np.dot(x, y) / (norm_of(x) * norm_of(y))


@program(lambda: (normal(7, 4), normal(8, 4), normal(9, 4)))
def calls_within_calls(x, y, z):
    return cosine(x, y) * cosine(y, z) + cosine(x, x)


def simpson(integrand, start, stop, pieces=4):
    width = (stop - start) / pieces
    total = integrand(start) + integrand(stop)
    for k in range(1, pieces):
        total += (4.0 if k % 2 else 2.0) * integrand(start + k * width)
    return total * width / 3.0


@program(lambda: (0.2, 1.5))
def function_passed_to_a_helper(start, stop):
    return simpson(math.exp, start, stop) * simpson(square, start, stop, 6)


@program(lambda: (positive(10, 3), 0.5))
def default_is_an_argument_too(x, y=2.0, power=3):
    return np.sum(x**power) * y


def scaled_or_not(x, scale=None):
    if scale is None:
        return x
    return x * scale


@program(lambda: (normal(11, 3), 1.5))
def none_is_a_default(x, scale):
    return np.sum(scaled_or_not(x) * scaled_or_not(x, scale))


def ignores_its_argument(x):
    return 2.5


@program(lambda: (normal(12, 3),))
def helper_gives_a_constant(x):
    return np.sum(x) * ignores_its_argument(x)


cube = lambda x: x**3  # noqa: E731


@program(lambda: (1.4,))
def helper_is_a_lambda(x):
    return cube(x) - cube(2.0 * x)


def left_early(limit, x):
    for k in range(10):
        value = x * k
        if value > limit:
            return value * x
    return limit * x


@program(lambda: (1.5,))
def literal_decides_in_the_callee(x):
    return left_early(2.0, x) + left_early(x, x)


def both_parts(p, q):
    if np.sum(p) > 5.0:
        p = p * q
    return q ** 2, p


@program(lambda: (0.5, 0.7))
def parts_of_results(x, y):
    c, p = both_parts(np.array([x, y]), np.sin(y))
    d, _ = both_parts(p, c)
    _, q = both_parts(p * 20.0, d)
    if y > 5.0:
        return d
    return c * y + np.sum(q)


def turned_about(a, b):
    for _ in range(3):
        a, b = b, a * 0.5
    return a - b


@program(lambda: (np.array([0.3, -0.7, 1.1]), np.array([0.5, 0.2, -0.4])))
def column_of_a_call(x, u):
    y = (turned_about(x, u) * u).reshape(-1, 1)
    return (y * y.T).sum()


def heap_total(x, i):
    if i >= len(x):
        return 0.0
    return x[i] ** 2 + 0.5 * heap_total(x, 2 * i + 1) + 0.3 * heap_total(x, 2 * i + 2)


def discounted(x, i):
    if i == len(x):
        return 0.0
    return np.sin(x[i]) + 0.9 * x[i] * discounted(x, i + 1)


@program(lambda: (normal(1, 6),))
def recursion_from_a_literal(x):
    def backwards(i):
        return x[0] if i < 0 else x[i] * backwards(i - 1)

    return heap_total(x, 0) * discounted(x, 0) + backwards(3)
