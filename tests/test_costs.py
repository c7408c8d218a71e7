"""What a store costs: of an array that loops and helpers write into, what is saved does not grow with the array."""
from __future__ import annotations

import numpy as np
import pytest

import s2sgrad


def scaled_in_place(x):
    total = 0.0
    for i in range(1, 5):
        x[i] *= x[i - 1]
        total += x[i]
    return total


def limited(u, i):
    if u[i] > 1.0:
        u[i] *= u[i - 1]
        return u[i]
    u[i] += 0.1
    return u[i] ** 2


def helper_with_two_ends(x):
    total = 0.0
    for i in range(1, 5):
        total += limited(x, i)
    return total


def slope(u, i):
    return u[i + 1] * u[i - 1] + u[i - 1:i + 2].sum()


def helper_that_reads(x):
    for i in range(1, 5):
        x[i] = slope(x, i)
    return x[:5].prod()


def cascade(u, i):
    if i == 0:
        return u[0] ** 2
    u[i] *= u[i - 1]
    return cascade(u, i - 1) + u[i] ** 2


def helper_that_calls_itself(x):
    return cascade(x, 4)


@pytest.mark.parametrize("function", [
    scaled_in_place, helper_with_two_ends, helper_that_reads, helper_that_calls_itself,
], ids=lambda function: function.__name__)
def test_what_is_saved_does_not_grow_with_the_array(function) -> None:
    x = np.linspace(0.5, 1.5, 8)
    s2sgrad.check_grad(function, x)
    longer = np.concatenate([x, np.ones(1000)])
    assert s2sgrad.saved(function, x).bytes == s2sgrad.saved(function, longer).bytes
