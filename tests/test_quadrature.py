"""Integrals by ``scipy.integrate.quad``: in both modes, in limits and parameters."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from s2sgrad import check_grad, grad, hvp, jvp, value_and_grad
from s2sgrad.errors import ArgumentError, UnsupportedError

integrate = pytest.importorskip("scipy.integrate", reason="SciPy is not installed")


def bump(x: float, width: float, height: float) -> float:
    return height * math.exp(-(x / width) ** 2) * math.cos(x)


def area(a: float, b: float, width: float, height: float) -> float:
    value, error = integrate.quad(bump, a, b, args=(width, height))
    return value ** 2 + 0.0 * error


def moment(x: float, params: dict, power: int) -> float:
    return x ** power * np.exp(-x * params["rate"]) * np.sum(params["weights"])


def tail(start: float, params: dict) -> float:
    return integrate.quad(moment, start, np.inf, (params, 2), epsabs=1e-12)[0]


def squared(x: float, k: float) -> float:
    return math.sin(k * x) ** 2


def of_one_parameter(k: float) -> float:
    total = 0.0
    for end in (1.0, 2.0):
        total += integrate.quad(squared, 0.0, end * k, k)[0]
    return total


def test_in_limits_and_parameters() -> None:
    arguments = (-0.3, 1.4, 0.8, 1.7)
    check_grad(area, *arguments)
    value, gradient = value_and_grad(area, argnums=(0, 1, 2, 3))(*arguments)
    assert value == area(*arguments) and all(type(part) is float for part in gradient)
    dots = (0.3, -0.2, 0.5, 1.1)
    assert jvp(area, arguments, dots)[1] == pytest.approx(sum(map(math.prod, zip(gradient, dots))), rel=1e-8)


def test_to_infinity_with_parameters_in_containers() -> None:
    check_grad(tail, 0.4, {"rate": 1.3, "weights": np.array([0.2, 0.7])})


def test_a_parameter_without_a_tuple_around_it() -> None:
    check_grad(of_one_parameter, 1.2)


def test_nothing_to_differentiate_in_it() -> None:
    assert grad(lambda x: x * integrate.quad(math.sin, 0.0, 1.0)[0])(2.0) == pytest.approx(1.0 - math.cos(1.0))


def test_an_integrand_that_reads_differentiated_values_is_refused() -> None:
    def hidden(k: float) -> Any:
        return integrate.quad(lambda x: math.sin(k * x), 0.0, 1.0)[0]

    with pytest.raises(UnsupportedError, match="this function reads differentiated values"):
        grad(hidden)(0.5)


@pytest.mark.parametrize("options", [{"weight": "cos", "wvar": 2.0}, {"full_output": 1}, {"complex_func": True}])
def test_what_is_refused(options: dict) -> None:
    with pytest.raises(ArgumentError, match="without full_output, weight and complex_func"):
        grad(lambda k: integrate.quad(squared, 0.0, 1.0, (k,), **options)[0])(0.5)


def test_whole_numbers_beside_floats() -> None:
    def power(height: float) -> float:
        return integrate.quad(lambda x, power, height: height * x ** power, 0, 2 * height, args=(2, height))[0]

    check_grad(power, 0.7)
    assert jvp(power, (0.7,), (1.0,))[1] == pytest.approx(grad(power)(0.7), rel=1e-9)


def of_a_product(x: np.ndarray) -> float:
    found = integrate.quad(lambda t, rate, powers: np.sum(t ** powers["n"]) * math.exp(-rate * t), 0, x[1],
                           (x[0] * x[1], {"n": 2}))[0]
    return found ** 2


def of_a_tail(x: np.ndarray) -> float:
    return tail(x[0], {"rate": x[1], "weights": x[:2]})


@pytest.mark.parametrize(("function", "x"), [
    (of_a_product, np.array([0.8, 1.5])), (of_a_tail, np.array([0.4, 1.3])), (of_one_parameter, 1.2)])
def test_second_derivatives(function: Any, x: Any) -> None:
    v = np.linspace(1.0, -0.4, np.size(x)).reshape(np.shape(x))[()]
    first = grad(function)
    expected = (first(x + 1e-5 * v) - first(x - 1e-5 * v)) / 2e-5
    for found in (hvp(function)(x, v), grad(lambda x: np.sum(first(x) * v))(x)):
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert jvp(lambda x: jvp(function, (x,), (v,))[1], (x,), (v,))[1] == pytest.approx(np.sum(expected * v), rel=1e-6)
