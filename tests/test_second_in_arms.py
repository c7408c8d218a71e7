"""Second derivatives of functions that save in one arm what they don't have in the others: buffers, containers."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from s2sgrad import grad, jvp


@dataclass
class Pair:
    first: object
    second: object


def loop(x):
    y = x * x
    if x > 0.0:
        for _ in range(3):
            y = np.sin(y) * x
    return y * x


def loops_by_turn(x):
    y = x
    for i in range(3):
        if i > 0:
            for _ in range(2):
                y = np.sin(y) * x
        else:
            y = y * y
    return y


def several_arms(x):
    y = x
    if x > 0.2:
        for _ in range(3):
            y = y * x
    elif x > 0.0:
        parts = [x * x, np.sin(x)]
        y = parts[0] * parts[1]
    else:
        while y < 3.0:
            y = y + x * x
    return y


def dict_in_an_arm(x):
    y = x
    if x > 0.0:
        parts = {"a": x * x, "b": {"c": np.sin(x)}}
        y = parts["a"] * parts["b"]["c"]
    return y


def tuple_in_an_arm(x):
    y = x
    if x > 0.0:
        parts = x * x, (np.sin(x), x)
        if x > 0.1:
            y = parts[0] * parts[1][0] * parts[1][1]
    return y


def dataclass_in_an_arm(x):
    y = x
    if x > 0.0:
        pair = Pair(x * x, np.sin(x))
        y = pair.first * pair.second
    return y


def early_return(x):
    if x > 0.1:
        y = x
        for _ in range(2):
            y = np.sin(y) * x
        return y
    return x * x * x


def helper(x):
    y = x
    if x > 0.1:
        for _ in range(2):
            y = y * x
    return y


def callee_in_an_arm(x):
    y = x
    if x > 0.0:
        y = helper(x) * helper(np.sin(x))
    return y


def loop_in_a_handler(x):
    y = x
    try:
        if x > 0.0:
            raise ValueError
        y = x * x
    except ValueError:
        y = np.sin(x)
        for _ in range(2):
            y = y * x
    return y


@pytest.mark.parametrize("x", [0.4, 0.05, -0.4])
@pytest.mark.parametrize("function", [loop, loops_by_turn, several_arms, dict_in_an_arm, tuple_in_an_arm,
                                      dataclass_in_an_arm, early_return, callee_in_an_arm, loop_in_a_handler],
                         ids=lambda function: function.__name__)
def test_both_ways(function, x):
    gradient, step = grad(function), 1e-5
    expected = (gradient(x + step) - gradient(x - step)) / (2.0 * step)
    np.testing.assert_allclose(grad(gradient)(x), expected, rtol=1e-6, atol=1e-8)


def test_vectors():
    def total(x):
        y = x * x
        if x[0] > 0.0:
            for _ in range(3):
                y = np.sin(y) * x
        return y.sum()

    def slope(x):
        return grad(total)(x).sum()

    x, step = np.array([0.3, 0.7]), 1e-5
    expected = [(slope(x + step * unit) - slope(x - step * unit)) / (2.0 * step) for unit in np.eye(2)]
    np.testing.assert_allclose(grad(slope)(x), expected, rtol=1e-6, atol=1e-8)


def test_keys():
    def total(parts):
        made, y = {}, 1.0
        for i, part in enumerate(parts):
            y = np.sin(part) * y
            made[f"part {i}"] = y
            if i > 0:
                y = y + made[f"part {i - 1}"][:2]
        return y.sum()

    def at(step):
        return [np.array([0.3 + step, 0.7]), np.array([0.2, 0.5])]

    step, along = 1e-5, [np.array([1.0, 0.0]), np.zeros(2)]
    expected = (grad(total)(at(step))[1] - grad(total)(at(-step))[1]) / (2.0 * step)
    np.testing.assert_allclose(jvp(grad(total), (at(0.0),), (along,))[1][1], expected, rtol=1e-6)
