"""Arrays whose sizes are computed from others': ``np.zeros(len(x) - 1)``. One piece of code serves all sizes."""
from __future__ import annotations

import numpy as np
import pytest

import s2sgrad


def one_less(x, k):
    out = np.zeros(x.shape[0] - 1)
    out += k * x[1:]
    out *= x[:-1]
    return np.sum(out ** 2)


def two_less(x, k):
    out = np.zeros(len(x) - 2)
    out += x[1:-1] * k
    return np.sum(out * (x[2:] - 2 * x[1:-1] + x[:-2])) + k


def one_more(x, k):
    out = np.ones(len(x) + 1)
    out[1:] = np.cumsum(x)
    return np.sum(out ** 2) * k


def three_less(x, k):
    out = np.ones(max(len(x) - 3, 0))
    out = out + k * x[3:]
    return np.sum(out ** 3) + k ** 2 * x[0]


def turned_into(x, k):
    rows = x.reshape(-1, len(x) - 1)
    return np.sum(rows * k ** np.arange(len(x) - 1)) + np.sum(rows.sum(axis=0) ** 2)


def stretched(x, k):
    out = np.zeros(len(x) - 1)
    out += x[:1] * k
    return np.sum(out) * np.sum(x ** 2)


@pytest.mark.parametrize("function", [one_less, two_less, one_more, three_less, stretched], ids=lambda f: f.__name__)
def test_of_all_sizes(function) -> None:
    for size in (5, 2, 3, 4, 2, 6):
        s2sgrad.check_grad(function, np.random.default_rng(size).normal(size=size), 1.3)


def test_where_it_is_minus_one() -> None:
    s2sgrad.check_grad(turned_into, np.array([0.3, 0.5]), 1.3)


def test_the_adjoint_sums_nothing_back() -> None:
    assert "unbroadcast" not in s2sgrad.source(one_less, np.ones(5), 1.0)
    assert "unbroadcast" not in s2sgrad.source(two_less, np.ones(5), 1.0)


# ---- products that are turned

def gram(a, b):
    return np.sum((a @ b).T * b.T @ a.T) + np.sum((-np.outer(a[0], b[:, 0])).T ** 3)


def stacked(a, b):
    return np.sum((a @ b).mT ** 2 * 0.5) + np.sum(np.linalg.solve((a @ b).T, a[:, 0]))


@pytest.mark.parametrize("function", [gram, stacked], ids=lambda f: f.__name__)
def test_products_that_are_turned(function) -> None:
    rng = np.random.default_rng(0)
    s2sgrad.check_grads(function, (rng.normal(size=(3, 3)), rng.normal(size=(3, 3))), order=2)


def of_two_ways(x, k):
    q = np.sin(x) * k
    first = q[0]
    if k < 0.0:
        return first
    return first + 0.5 * np.sum(q * q)


def test_a_way_that_reads_more_of_an_array_than_its_shape_after_one_that_does_not() -> None:
    found = s2sgrad.grad(of_two_ways, argnums=(0, 1))
    x = np.array([0.5, 1.5])
    for k in (-0.7, 0.7):
        own = s2sgrad.grad(of_two_ways, argnums=(0, 1))(x, k)  # the other way is not written before
        s2sgrad.check_grad(of_two_ways, x, k)
        np.testing.assert_array_equal(found(x, k)[0], own[0])
        np.testing.assert_array_equal(found(x, k)[1], own[1])


def averaged(x, n):
    out = np.zeros(n)
    for i in range(n):
        out[i] = np.cos(x * i)
    return out.mean()


def averaged_in_turns(x, n):
    total = 0.0
    for k in range(3):
        out = np.empty((n, 2))
        for i in range(n):
            out[i] = np.cos(x * i) * k
        total += out.mean(axis=0).sum()
    return total


def doubled_perhaps(x, n):
    out = np.zeros(n)
    for i in range(n):
        out[i] = np.cos(x * i)
    if x > 0:
        out *= 2
    return np.sum(out)


@pytest.mark.parametrize("function", [averaged, averaged_in_turns, doubled_perhaps], ids=lambda f: f.__name__)
def test_an_array_that_is_filled_is_not_copied_for_its_shape(function) -> None:
    assert ".copy()" not in s2sgrad.source(function, 0.3, 4).split("_adjoint")[0]
    s2sgrad.check_grad(function, 0.3, 4)
    s2sgrad.check_grad(function, -0.3, 5)
