"""Values without a derivative beside those with one: integers, masks, shapes, flags, None."""
# ruff: noqa: RET504
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program, spread


@program(lambda: (normal(1, 6), 4))
def integer_arithmetic(x, n):
    half = (n + 1) // 2
    position = n % 3 * 2 - 1 & 3
    bits = n << 1 | 1
    return x[half] * x[position] * bits + x[-half] ** n


@program(lambda: (normal(2, 4, 3), normal(3, 3), normal(4, 3)))
def bias_given(x, w, bias):
    y = x @ w[:, np.newaxis]
    if bias is not None:
        y = y + bias
    return np.sum(y**2)


@program(lambda: (normal(2, 4, 3), normal(3, 3), None))
def bias_left_out(x, w, bias):
    y = x @ w[:, np.newaxis]
    if bias is not None:
        y = y + bias
    return np.sum(y**2)


@program(lambda: (normal(5, 5), "swish"))
def activation_by_name(x, kind):
    if kind == "tanh":
        return np.tanh(x)
    elif kind == "swish":
        return x / (1.0 + np.exp(-x))
    elif kind in ("relu", "leaky"):
        return np.maximum(x, 0.0)
    return x


@program(lambda: (normal(6, 4), True, False))
def flags(x, squared, negated):
    y = x**2 if squared else x
    if negated:
        y = -y
    return np.sum(y)


@program(lambda: (spread(7, 3, 4),))
def value_at_the_largest(x):
    best = np.argmax(x, axis=1)
    rows = np.arange(x.shape[0])
    return np.sum(x[rows, best] ** 2)


@program(lambda: (spread(8, 6),))
def sorted_by_another(x):
    order = np.argsort(-x)
    return x[order] * np.arange(6)


@program(lambda: (spread(9, 6),))
def count_as_factor(x):
    positive = x > 0.0
    count = np.sum(positive)
    return np.sum(x * positive) / count


@program(lambda: (normal(10, 3, 5),))
def shapes_as_numbers(x):
    rows, columns = x.shape
    return np.sum(x**2) / (rows * columns) + x.ndim * x[0, 0] + x.size * x[-1, -1] + len(x) * x[1, 1]


@program(lambda: (normal(11, 4), np.array([2, 0, 3, 1, 2])))
def gather_by_labels(x, labels):
    return np.mean(x[labels] ** 2)


@program(lambda: (normal(12, 5, 3), np.array([2, 0, 1, 1, 0])))
def one_hot(scores, labels):
    targets = np.eye(3)[labels]
    return np.sum((scores - targets) ** 2)


@program(lambda: (normal(13, 4), 0.5, {"power": 2, "centre": True}))
def options_in_a_dictionary(x, scale, options):
    if options["centre"]:
        x = x - np.mean(x)
    return np.sum(x ** options["power"]) * scale


@program(lambda: (normal(14, 3), [0.5, 1.5, 2.5]))
def list_of_passive_weights(x, weights):
    return np.sum(np.array(weights) * x**2)


@program(lambda: (normal(15, 4),))
def detached_by_hand(x):
    # the sign and the rounded mean are steps: no derivative through them
    return np.sum(np.sign(x) * x**2) + np.round(np.mean(x)) * x[0]


@program(lambda: (normal(16, 5),))
def assert_is_kept(x):
    total = np.sum(x * x)
    assert total > 0.0, "cannot be normalised"
    return x / np.sqrt(total)


@program(lambda: (normal(17, 4), np.array([True, False, True, True])))
def passive_array_arithmetic(x, mask):
    weights = mask.astype(float)
    weights = weights / weights.sum()
    return np.sum(weights * x**2) - np.sum(weights * x) ** 2


@program(lambda: (normal(18, 4), "sum"))
def reduction_by_name(x, reduction):
    losses = np.exp(x)
    return {"sum": 1.0, "half": 0.5}[reduction] * np.sum(losses)


@program(lambda: (normal(19, 6), 0.4))
def text_that_depends_on_values(x, y):
    label = f"{x.shape[0]} elements"
    if label.startswith("6"):
        return np.sum(x) * y
    return y


@program(lambda: (normal(1, 3, 4), (0, -1)))
def axes_given_in_a_tuple(x, axes):
    return np.sum(np.max(x * x, axis=axes)) + np.sum(np.exp(x), axis=axes[:1])


def scaled(x, rate):
    return x * (rate(x) if callable(rate) else rate)


@program(lambda: (normal(1, 3), normal(2, 3), np.tanh))
def called_if_it_can_be(x, w, last):
    return scaled(scaled(scaled(scaled(x, 0.5), lambda v: np.sum(w * v)), w), last)
