"""Derivatives that a differentiated function takes of functions which close over what it is differentiated in."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from along_tangents import judged_along

from s2sgrad import (
    check_grad,
    check_grads,
    elementwise_grad,
    gauss_newton_product,
    grad,
    hessian,
    hessian_diagonal,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    value_and_grad,
    vjp,
)
from s2sgrad.errors import UnsupportedError

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
    judged_along(function, (WEIGHTS, POINT), grad(function, (0, 1))(WEIGHTS, POINT))
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


# ---- Jacobians, Hessians and their products

POINTS = np.random.default_rng(2).normal(size=4)
FEW = np.random.default_rng(3).normal(size=3)


def net(w, x):
    return np.tanh(np.outer(x, w)) @ w**2


def size(w, x, k=1.0):
    return np.sum(net(w, x) ** 2) * k


def waves(y):
    return np.sum(np.cos(y))


slopes = elementwise_grad(net, 1)
bends = elementwise_grad(slopes, 1)
matrix = jacobian(net, 1)
curving = hessian(size, 1)


class Model:
    def __init__(self, w):
        self.w = w

    def energy(self, x, k=2.0):
        return size(self.w, x, k)

    def __call__(self, x):
        return size(self.w, x)

    def trace(self, x):
        return np.trace(hessian(self.energy)(x))


def residual(w, x):
    return np.sum((bends(w, x) + net(w, x)) ** 2) + np.sum(slopes(w, x))


def residual_of_inner(w, x):
    def u(t):
        return net(w, t)
    return np.sum((elementwise_grad(elementwise_grad(u))(x) + u(x)) ** 2)


def made_outside(w, x):
    return np.sum(matrix(w, x) ** 2) + np.trace(curving(w, x, k=3.0))


def made_inside(w, x):
    return np.sum(jacobian(net, argnums=1)(w, x) ** 2) + np.trace(hessian(size, 1)(w, x, k=2.0))


def of_lambdas(w, x):
    return np.sum(jacobian(lambda t: net(w, t))(x) ** 2) + np.trace(hessian(lambda t: size(w, t))(x))


def named(w, x):
    def u(t):
        return size(w, t)
    slope, bend = grad(u), hessian(u)
    return np.sum(slope(x)) * np.trace(bend(x))


def in_a_loop(w, x):
    total = 0.0
    for k in range(2):
        bend = hessian(lambda t: size(w, t) * (k + 1))  # noqa: B023
        total = total + np.sum(bend(x) ** 2)
    return total


def in_a_comprehension(w, x):
    return sum([np.trace(hessian(lambda t: size(w, t * k))(x)) for k in range(1, 3)])  # noqa: B023


def products(w, x):
    def u(t):
        return size(w, t)
    return np.sum(hvp(u)(x, x) ** 2) + np.sum(hessian_diagonal(u)(x) ** 2)


def gauss_newton(w, x):
    return np.sum(gauss_newton_product(lambda t: net(w, t))(x, x)) + np.sum(
        gauss_newton_product(net, waves, 1)(w, x, x))


def by_either_mode(w, x):
    return np.sum(jacrev(net, 1)(w, x) ** 2) + np.sum(jacfwd(net)(w, x) ** 2)


def of_numbers(w, x):
    return hessian(lambda t: np.sum(w * t**3))(x[0]) * jacobian(lambda t: t**2)(x[1]) + np.sum(
        jacobian(lambda t: w * t**3)(x[0]))


def of_each_other(w, x):
    return np.sum(jacobian(jacobian(lambda t: net(w, t)))(x[:2]) ** 2) + np.sum(
        jacobian(grad(lambda t: size(w, t)))(x[:2]))


def gradient_of_a_gradient(w, x):
    return grad(grad(lambda t: np.sum(w * t**4)))(x[0])


def of_a_matrix(w, x):
    return np.sum(jacobian(lambda t: np.outer(t, w) ** 2)(x) ** 2)


def handed(function, x):
    return np.trace(hessian(function)(x))


def of_what_is_handed_on(w, x):
    return handed(lambda t: size(w, t), x)


def by_name(w, x):
    return np.trace(hessian(lambda t: size(w, t))(t=x))


def of_a_method(w, x):
    model = Model(w)
    return np.sum(grad(model.energy)(x)) + np.sum(grad(model)(x)) + model.trace(x)


def of_complex_numbers(w, x):
    return np.sum(np.abs(jacobian(lambda z: z**3 * w[0], holomorphic=True)(x[0] + 1j * x[1])))


def of_inner_functions(w, x):
    def wave(t, wave=2.0):  # with a parameter of its own name
        return np.sum(np.sin(w * t)) * wave
    return hessian(wave)(x[0], w[0]) + jacobian(wave)(x[1])


@pytest.mark.parametrize("function", [
    residual, residual_of_inner, made_outside, made_inside, of_lambdas, named, in_a_loop, in_a_comprehension, products,
    gauss_newton, by_either_mode, of_numbers, of_each_other, gradient_of_a_gradient, of_a_matrix, of_what_is_handed_on,
    by_name, of_a_method, of_complex_numbers, of_inner_functions])
def test_any_derivative_may_be_taken_inside(function: Callable[..., Any]) -> None:
    judged_along(function, (FEW, POINTS), grad(function, (0, 1))(FEW, POINTS))


def test_derivatives_of_objects_that_are_arguments() -> None:
    """Forces out of an energy."""
    def forces(model, x):
        return np.sum(grad(model.energy)(x, k=1.0) ** 2)

    found = grad(forces, argnums=1)(Model(FEW), POINTS)
    np.testing.assert_allclose(found, grad(lambda x: np.sum(grad(size, 1)(FEW, x) ** 2))(POINTS))


OUTSIDE = Model(FEW * 2)


def by_the_attributes_of_an_argument(x, model):
    return grad(Model.energy)(model, x).w @ FEW


def by_those_of_one_outside(x, model):
    value, (slope, slope_in_x) = value_and_grad(Model.energy, (0, 1))(OUTSIDE, x, 1.0)
    return value * np.sum(slope.w) * np.sum(slope_in_x)


def by_those_of_its_own(x, model):
    return by_the_attributes_of_an_argument(x, OUTSIDE)


def by_those_of_one_in_a_list(x, model):
    return sum(grad(lambda models: models[0].energy(x))([each])[0].w @ each.w for each in (model, OUTSIDE))


def by_a_pullback(x, model):
    value, pull = vjp(Model.energy, OUTSIDE, x)
    return pull(value)[0].w @ FEW


def by_a_tangent(x, model):
    slope = grad(Model.energy)(OUTSIDE, x)
    return jvp(Model.energy, (OUTSIDE, x), (slope, None))[1]


@pytest.mark.parametrize("function", [by_the_attributes_of_an_argument, by_those_of_one_outside, by_those_of_its_own,
                                      by_those_of_one_in_a_list, by_a_pullback, by_a_tangent])
def test_derivatives_in_objects_that_nothing_else_is_differentiated_in(function: Callable[..., Any]) -> None:
    """What they give depends on the differentiated argument."""
    model = Model(FEW)
    found = grad(function)(POINTS, model)
    judged_along(lambda x: function(x, model), (POINTS,), (found,))
    assert jvp(function, (POINTS, model), (POINTS, None))[1] == pytest.approx(found @ POINTS)


def test_an_object_that_may_be_another_by_then() -> None:
    def rebound(w, x):
        model = Model(w)
        slope = grad(model.energy)
        model = Model(w * 2)
        return np.sum(slope(x)) + np.sum(model.energy(x))

    with pytest.raises(UnsupportedError, match="model is bound anew behind a method of it that is kept"):
        grad(rebound)(FEW, POINTS)


def test_jacobians_of_jacobians() -> None:
    np.testing.assert_allclose(jacobian(jacobian(lambda t: t**4))(2.0), 48.0)
    np.testing.assert_allclose(hessian(jacobian(lambda t: t**4))(2.0), 48.0)
    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(jacobian(hessian(lambda t: np.sum(t**3)))(x)[[0, 1], [0, 1], [0, 1]], 6.0)


def test_at_points_that_are_written_out() -> None:
    """A text with the digits of the point would not depend on it."""
    def curved(t, at=0.5):
        def cube(s):
            return s**3 * t
        second = grad(grad(cube))(0.5) + hessian(cube)(at) + jvp(grad(cube), (0.5,), (1.0,))[1]
        return second + grad(lambda s: vjp(cube, s)[1](1.0)[0])(0.5) + grad(grad(grad(cube)))(at) / 2

    assert value_and_grad(curved)(2.0) == pytest.approx((30.0, 15.0))
    assert jvp(curved, (2.0,), (1.0,)) == pytest.approx((30.0, 15.0))


def bent(v: Any, w: Any) -> Any:
    return np.sum(v ** 2 * w)


@pytest.mark.parametrize("steps", [0, 2])
def test_in_what_may_be_a_number_or_an_array(steps: int) -> None:
    def f(w: Any) -> Any:
        total = 0.5
        for _ in range(steps):
            total = total + w
        value, pullback = vjp(bent, total, w)
        slope = elementwise_grad(bent)(total, w)
        return value + np.sum(grad(bent)(total, w) * w) + np.sum(pullback(2.0)[0] * w) + np.sum(slope * w)

    w = np.array([0.5, -1.2, 0.7])
    assert value_and_grad(f)(w)[0] == pytest.approx(f(w))
    check_grads(f, (w,))
