"""Solutions of differential equations by ``scipy.integrate.solve_ivp``, in both modes."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2sgrad import check_grad, grad, hvp, jvp
from s2sgrad.errors import ArgumentError

integrate = pytest.importorskip("scipy.integrate", reason="SciPy is not installed")
EXACT = {"rtol": 1e-11, "atol": 1e-11}
START = np.array([1.0, 0.2])
TIMES = np.array([0.4, 1.1, 1.7])


def pendulum(t: float, y: Any, damping: float, pull: float) -> list:
    return [y[1], -damping * y[1] - pull * np.sin(y[0]) + 0.1 * t]


def swings(start: Any, times: Any, damping: float, pull: float) -> float:
    found = integrate.solve_ivp(pendulum, (0.0, 2.0), start, t_eval=times, args=(damping, pull), rtol=1e-11,
                                atol=1e-11)
    return (found.y[:, 1:] ** 2).sum() + found.y[0, -1] * found.y[1, 0] + np.sum(found.t ** 2)


def end(start: Any, span: Any, damping: float, pull: float) -> float:
    found = integrate.solve_ivp(pendulum, span, start, "DOP853", args=(damping, pull), rtol=1e-11, atol=1e-11)
    return np.sum(found.y[:, -1] ** 2) + found.t[-1] * found.y[0, 0]


def from_a_list(damping: float, pull: float) -> float:
    params = np.array([damping, pull])
    found = integrate.solve_ivp(pendulum, (0.0, 2.0), [1.0, 0.2], t_eval=TIMES, args=tuple(params), **EXACT)
    return np.sum(found.y ** 2)


def decay(t: float, y: Any) -> Any:
    return -0.5 * y


def test_at_given_times() -> None:
    check_grad(swings, START, TIMES, 0.25, 5.0)
    check_grad(from_a_list, 0.25, 5.0)


def test_at_the_end() -> None:
    check_grad(end, START, (0.1, 1.3), 0.25, 5.0)
    check_grad(end, START, np.array([0.1, 1.3]), 0.25, 5.0, argnums=(0, 1))


@pytest.mark.parametrize(("function", "second"), [(swings, TIMES), (end, (0.1, 1.3))])
def test_tangents_agree_with_gradients(function: Any, second: Any) -> None:
    arguments = (START, second, 0.25, 5.0)
    moved = np.array([0.1, -0.2, 0.3]) if second is TIMES else (0.2, -0.4)
    dots = (np.array([0.3, -1.0]), moved, 0.7, -0.4)
    gradient = grad(function, argnums=(0, 1, 2, 3))(*arguments)
    product = sum(np.sum(np.multiply(bar, dot)) for bar, dot in zip(gradient, dots))
    assert jvp(function, arguments, dots)[1] == pytest.approx(product, rel=1e-6)


def test_without_parameters() -> None:
    def left(amount: float) -> float:
        return integrate.solve_ivp(decay, [0, 2.0], [amount], **EXACT).y[0, -1]

    assert grad(left)(3.0) == pytest.approx(np.exp(-1.0))


@pytest.mark.parametrize("options", [{"dense_output": True}, {"events": lambda t, y: y[0]}])
def test_what_is_refused(options: dict) -> None:
    with pytest.raises(ArgumentError, match="without dense_output and events"):
        grad(lambda amount: integrate.solve_ivp(decay, (0.0, 2.0), [amount], **options).y[0, -1])(3.0)


def test_what_fails_is_refused() -> None:
    def blown(amount: float) -> float:
        return integrate.solve_ivp(lambda t, y: y ** 2, (0.0, 2.0), [amount], rtol=1e-8).y[0, -1]

    with np.errstate(all="ignore"), pytest.raises(ArgumentError, match="solve_ivp failed: Required step size"):
        grad(blown)(1.0)


def taken(time: float) -> float:
    found = integrate.solve_ivp(lambda t, y, n, rate: -n * rate * y, (0, 3), [1, time], "DOP853", [0, time, 3],
                                args=(2, time), rtol=1e-12, atol=1e-12)
    return found.y[:, 1].sum()


def test_whole_numbers_beside_floats_and_second_derivatives() -> None:
    check_grad(taken, 1.2)
    first = grad(taken)
    assert jvp(taken, (1.2,), (1.0,))[1] == pytest.approx(first(1.2), rel=1e-7)
    expected = (first(1.2 + 1e-5) - first(1.2 - 1e-5)) / 2e-5
    assert grad(first)(1.2) == pytest.approx(expected, rel=1e-5)
    assert hvp(taken)(1.2, 1.0) == pytest.approx(expected, rel=1e-5)
