"""Solutions of differential equations: ``scipy.integrate.odeint`` in both modes, in all that its equation takes."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2sgrad import check_grad, grad, hvp, jvp, source, value_and_grad
from s2sgrad.errors import ArgumentError, UnsupportedError

integrate = pytest.importorskip("scipy.integrate", reason="SciPy is not installed")
EXACT = {"rtol": 1e-11, "atol": 1e-11}
START = np.array([1.0, 0.2])
TIMES = np.array([0.0, 0.4, 1.1, 1.7])


def pendulum(y: Any, t: float, damping: float, pull: float) -> list:
    return [y[1], -damping * y[1] - pull * np.sin(y[0]) + 0.1 * t]


def swings(start: Any, times: Any, damping: float, pull: float) -> float:
    found = integrate.odeint(pendulum, start, times, args=(damping, pull), **EXACT)
    return (found[1:] ** 2).sum() + found[-1, 0] * found[0, 1]


def rotation(t: float, y: Any, turn: dict, steps: int) -> Any:
    return (turn["matrix"] @ y) * turn["speed"] / steps + np.array([t, 0.0])


def turned(start: Any, turn: dict) -> float:
    found = integrate.odeint(rotation, start, [0.0, 0.5, 1.0], (turn, 2), tfirst=True, **EXACT)
    return np.sum(found[1] * found[2])


def decay(y: Any, t: float, rate: float) -> Any:
    return -rate * y


def left(amount: float, rate: float) -> float:
    return integrate.odeint(decay, amount, [0.0, 2.0], args=rate if False else (rate,), **EXACT)[1, 0]


def test_gradients_in_start_times_and_parameters() -> None:
    check_grad(swings, START, TIMES, 0.25, 5.0)
    value, _ = value_and_grad(swings, argnums=(0, 1, 2, 3))(START, TIMES, 0.25, 5.0)
    assert value == swings(START, TIMES, 0.25, 5.0)


def test_tangents_agree_with_gradients() -> None:
    arguments = (START, TIMES, 0.25, 5.0)
    dots = (np.array([0.3, -1.0]), np.array([0.1, -0.2, 0.3, 0.5]), 0.7, -0.4)
    _, tangent = jvp(swings, arguments, dots)
    gradient = grad(swings, argnums=(0, 1, 2, 3))(*arguments)
    assert tangent == pytest.approx(sum(np.sum(bar * dot) for bar, dot in zip(gradient, dots)), rel=1e-7)


def test_parameters_in_containers_beside_what_is_no_float() -> None:
    turn = {"matrix": np.array([[0.1, -1.0], [1.0, -0.2]]), "speed": 1.3}
    check_grad(turned, START, turn)


def test_a_number_as_start() -> None:
    amount, rate = 3.0, 0.4
    assert left(amount, rate) == pytest.approx(amount * np.exp(-2.0 * rate))
    amount_bar, rate_bar = grad(left, argnums=(0, 1))(amount, rate)
    assert amount_bar == pytest.approx(np.exp(-2.0 * rate)) and type(amount_bar) is float
    assert rate_bar == pytest.approx(-2.0 * amount * np.exp(-2.0 * rate))


def test_times_that_run_backwards_and_one_time_alone() -> None:
    check_grad(swings, START, TIMES[::-1].copy(), 0.25, 5.0)
    assert np.allclose(grad(lambda y0: np.sum(integrate.odeint(decay, y0, [0.0], (0.4,)) ** 2))(START), 2 * START)


def test_an_equation_that_reads_differentiated_values_is_refused() -> None:
    def hidden(rate: float) -> float:
        return integrate.odeint(lambda y, t: -rate * y, 1.0, [0.0, 1.0])[1, 0]

    with pytest.raises(UnsupportedError, match="this function reads differentiated values.*odeint knows nothing"):
        grad(hidden)(0.5)


CALLS = [0]


def counted(y: Any, t: float, rate: float) -> Any:
    CALLS[0] += 1
    return -rate * y


def printed(x: float, rate: float) -> float:
    print(x)
    return np.exp(-rate * x)


@pytest.mark.parametrize("solved", [
    lambda rate: integrate.odeint(counted, 1.0, [0.0, 1.0], (rate,))[1, 0],
    lambda rate: integrate.quad(printed, 0.0, 1.0, (rate,))[0]])
def test_a_function_of_which_the_number_of_runs_is_noticed_is_refused(solved: Any) -> None:
    with pytest.raises(UnsupportedError, match="runs its function again, which changes, prints or draws something"):
        grad(solved)(0.5)


class Reactor:
    def __init__(self, rate: float):
        self.rate = rate

    def velocity(self, y: Any, t: float) -> Any:
        return -self.rate * y

    def left(self, amount: float) -> float:
        return integrate.odeint(self.velocity, amount, [0.0, 1.0], **EXACT)[1, 0]


def test_a_method_of_a_differentiated_object_is_refused_and_of_another_one_not() -> None:
    assert grad(lambda amount: Reactor(0.5).left(amount))(2.0) == pytest.approx(np.exp(-0.5))
    with pytest.raises((UnsupportedError, ArgumentError)):
        grad(lambda rate: Reactor(rate).left(2.0))(0.5)
    with pytest.raises((UnsupportedError, ArgumentError)):
        grad(lambda reactor: reactor.left(2.0))(Reactor(0.5))


def test_full_output_is_refused() -> None:
    def both(rate: float) -> float:
        found, _ = integrate.odeint(decay, 1.0, [0.0, 1.0], (rate,), full_output=True)
        return found[1, 0]

    with pytest.raises(ArgumentError, match="odeint has a rule of its own, and returns a tuple"):
        grad(both)(0.5)


def test_the_generated_code_calls_the_adjoint_equation() -> None:
    text = source(swings, START, TIMES, 0.25, 5.0)
    assert "solution_reverse(" in text and "odeint(" in text


def stopped(time: float) -> float:
    return integrate.odeint(decay, [1, time], [0, time, 2], args=(2,), **EXACT)[1].sum()


def faded(time: float) -> float:
    return integrate.odeint(lambda y, t, n, law: -n * law["rate"] * law["power"] * y, 1, (0, 1, time),
                            args=(np.array([2]), {"rate": time, "power": 2}), **EXACT)[1:].sum()


@pytest.mark.parametrize("function", [stopped, faded])
def test_whole_numbers_beside_floats(function: Any) -> None:
    check_grad(function, 1.2)
    assert jvp(function, (1.2,), (1.0,))[1] == pytest.approx(grad(function)(1.2), rel=1e-7)


def fitted(x: np.ndarray) -> float:
    found = integrate.odeint(pendulum, x[:2], np.array([0.0, 0.4, 1.1]), (x[2], 3.0 * x[0]), **EXACT)
    return (found[1:] ** 2).sum()


@pytest.mark.parametrize(("function", "x"), [
    (fitted, np.array([0.8, 0.5, 0.7])), (lambda x: left(0.7, x[0] * x[1]), np.array([0.6, 1.1])),
    (stopped, 1.2), (faded, 1.2), (lambda rate: left(0.7, rate) ** 2, 0.6)])
def test_second_derivatives(function: Any, x: Any) -> None:
    v = np.linspace(1.0, -0.4, np.size(x)).reshape(np.shape(x))[()]
    first = grad(function)
    expected = (first(x + 1e-5 * v) - first(x - 1e-5 * v)) / 2e-5
    for found in (hvp(function)(x, v), grad(lambda x: np.sum(first(x) * v))(x),
                  jvp(lambda x: jvp(function, (x,), (v,))[1], (x,), (v,))[1]):
        along = np.sum(expected * v) if np.ndim(found) < np.ndim(x) else expected
        np.testing.assert_allclose(found, along, rtol=1e-5)
