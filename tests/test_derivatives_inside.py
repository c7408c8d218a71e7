"""Derivatives that a differentiated function takes of functions which close over what it is differentiated in."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sgrad import check_grad, grad, hessian, jvp, value_and_grad, vjp

WEIGHTS = np.random.default_rng(0).normal(size=(3, 2))
POINT = np.random.default_rng(1).normal(size=2)


def energy(w, x):
    return np.sum(np.tanh(w @ x) * np.array([1.0, 2.0, -1.0]))


def applied(function, x):
    return function(x)


def summed(function, x):
    return np.sum(function(x))


def entry(function, x, k):
    return function(x)[k]


def by_keyword(x, function=None):
    return function(x)


def slope_of_sum(function, x):
    return grad(summed, 1)(function, x)


def curvature(function, x):
    row = grad(entry, 1)
    slope = grad(function)
    return np.stack([row(slope, x, k) for k in range(len(x))])


class Energy:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return energy(self.w, x)


def handed_to_a_gradient(w, x):
    return np.sum(grad(summed, 1)(lambda v: energy(w, v), x) ** 2)


def gradient_handed_on(w, x):
    return np.sum(applied(grad(lambda v: energy(w, v)), x) ** 2)


def gradient_handed_to_a_gradient(w, x):
    return np.sum(grad(summed, 1)(grad(lambda v: energy(w, v)), x) ** 2)


def named_first(w, x):
    def inside(v):
        return energy(w, v)
    slope = grad(summed, 1)
    return np.sum(slope(inside, x) ** 2)


def handed_on_twice(w, x):
    return np.sum(slope_of_sum(lambda v: energy(w, v), x) ** 2)


def value_alone(w, x):
    return value_and_grad(summed, 1)(lambda v: energy(w, v), x)[0] ** 2


def under_a_keyword(w, x):
    return np.sum(grad(by_keyword)(x, function=lambda v: energy(w, v)) ** 2)


def object_handed_on(w, x):
    return np.sum(grad(summed, 1)(Energy(w), x) ** 2)


def trace_of_curvature(w, x):
    return np.trace(curvature(lambda v: energy(w, v), x)) ** 2


@pytest.mark.parametrize("function", [
    handed_to_a_gradient, gradient_handed_on, gradient_handed_to_a_gradient, named_first, handed_on_twice, value_alone,
    under_a_keyword, object_handed_on, trace_of_curvature])
def test_functions_that_close_over_what_is_differentiated(function: Callable[..., Any]) -> None:
    check_grad(function, WEIGHTS, POINT)
    assert np.any(grad(function)(WEIGHTS, POINT))
    _, pullback = vjp(function, WEIGHTS, POINT)
    _, tangent = jvp(function, (WEIGHTS, POINT), (WEIGHTS, POINT))
    along = sum(np.sum(bar * direction) for bar, direction in zip(pullback(1.0), (WEIGHTS, POINT)))
    np.testing.assert_allclose(tangent, along)


def with_a_parameter_named_function(function, k, self=1.0):
    return function ** 2 * k * self


def test_parameters_may_have_any_name() -> None:
    def product(x):
        return with_a_parameter_named_function(function=x, k=x, self=x)

    check_grad(product, 0.75)
    np.testing.assert_allclose(hessian(product)(0.75), 12 * 0.75**2)
    value, pullback = vjp(with_a_parameter_named_function, function=2.0, k=3.0)
    assert value == 12.0
    assert pullback(1.0) == (12.0, 4.0, 12.0)
