"""Gradients that are differentiated by way of slopes, for their own texts can't be."""
from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import s2sgrad
from s2sgrad import grad, hvp, jvp, value_and_grad, vjp
from s2sgrad.derivative import Session
from s2sgrad.errors import UnsupportedError

Pair = namedtuple("Pair", "scale shift")


def popped(x: Any, k: Any) -> Any:
    """A gradient's text has a sum of cotangents of a list that is one on one path and nothing on another."""
    s = [v * k for v in x]
    a = s.pop() if x[0] > 0 else s.pop(0)
    b = s and s.pop()
    return a * b ** 2 + s[0]


def of_a_dict(d: Any) -> Any:
    return popped(d["x"], d["k"]) * d["n"]


def of_a_pair(p: Any, x: Any) -> Any:
    return popped(x * p.scale, p.shift)


def of_complex_numbers(z: Any) -> Any:
    return popped(np.abs(z), np.real(z[0]) + 2.0)


def holomorphic(z: Any) -> Any:
    s = [v * z[0] for v in z]
    a = s.pop() if np.real(z[0]) > 0 else s.pop(0)
    b = s and s.pop()
    return a * b ** 2 + s[0]


def of_many_paths(x: Any) -> Any:
    total = x.sum()
    if total > 0.0:
        total = total * x[0]
    if total > 1.0:
        total = total * x[0]
    if total > 2.0:
        total = total * x[0]
    if total > 3.0:
        total = total * x[0]
    if total > -4.0:
        total = total * x[0]
    if total > -5.0:
        total = total * x[0]
    if total > 6.0:
        total = total * x[0]
    return total


def perhaps_none(x: Any) -> Any:
    total = None
    for _ in range(len(x)):
        total = (x ** 3).sum()
    return total


def printing(x: Any, k: Any) -> Any:
    print("seen")
    return popped(x, k)


def tells(v: Any) -> bool:
    print("looked at")
    return v > 0


def printing_in_a_test(x: Any, k: Any) -> Any:
    return popped(x, k) if tells(x[0]) else x[0]


X = np.array([0.7, -0.4, 1.3])
STEP = 1e-6


def slopes_of(function: Any, args: tuple, place: int) -> Any:
    """What a function that gives an array or a number gives for an argument's elements, by differences."""
    found = []
    for index in np.ndindex(np.shape(args[place])):
        ends = []
        for sign in (1.0, -1.0):
            moved = np.array(args[place])
            moved[index] += sign * STEP
            ends.append(function(*args[:place], moved if moved.ndim else moved.item(), *args[place + 1:]))
        found.append((np.asarray(ends[0]) - np.asarray(ends[1])) / (2 * STEP))
    return np.moveaxis(np.array(found), 0, -1).reshape(np.shape(found[0]) + np.shape(args[place]))


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each compilation was one by way of slopes."""
    seen: list[bool] = []
    start = Session.__init__

    def noted(self: Session, captured: Any, options: Any, *rest: Any, **named: Any) -> None:
        seen.append(options.slopes)
        start(self, captured, options, *rest, **named)
    monkeypatch.setattr(Session, "__init__", noted)
    return seen


def test_both_modes(ways: list[bool]) -> None:
    gradient = grad(popped)
    value, pull = vjp(gradient, X, 1.5)
    assert True in ways
    matrix = slopes_of(gradient, (X, 1.5), 0)
    bars = pull(np.array([1.0, 2.0, -1.0]))
    np.testing.assert_array_equal(value, gradient(X, 1.5))
    np.testing.assert_allclose(bars[0], np.array([1.0, 2.0, -1.0]) @ matrix, rtol=1e-6, atol=1e-8)
    column = slopes_of(gradient, (X, np.array(1.5)), 1)
    np.testing.assert_allclose(bars[1], np.array([1.0, 2.0, -1.0]) @ column, rtol=1e-6)
    assert type(bars[1]) is float
    _, tangent = jvp(gradient, (X, 1.5), (np.array([1.0, 0.0, 2.0]), 0.5))
    np.testing.assert_allclose(tangent, matrix @ [1.0, 0.0, 2.0] + 0.5 * column, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(hvp(popped)(X, 1.5, X), matrix @ X, rtol=1e-6, atol=1e-8)


def test_a_pullback_is_run_again_and_again() -> None:
    x = X.copy()
    _, pull = vjp(grad(popped), x, 1.5)
    first = pull(np.ones(3))[0]
    x[:] = 0.0  # which has been copied
    np.testing.assert_array_equal(pull(np.ones(3))[0], first)
    np.testing.assert_array_equal(pull(np.full(3, 2.0))[0], 2 * first)


def test_values_and_tuples() -> None:
    def curved(x: Any, k: Any) -> Any:
        value, (x_bar, k_bar) = value_and_grad(popped, (0, 1))(x, k)
        return value ** 2 + np.sum(x_bar ** 2) * k_bar

    found = grad(curved, (0, 1))(X, 1.5)
    np.testing.assert_allclose(found[0], slopes_of(curved, (X, 1.5), 0), rtol=1e-6)
    np.testing.assert_allclose(found[1], slopes_of(curved, (X, 1.5), 1), rtol=1e-6)
    _, tangent = jvp(curved, (X, 1.5), (X, 0.3))
    np.testing.assert_allclose(tangent, found[0] @ X + 0.3 * found[1], rtol=1e-9)


def test_a_value_alone() -> None:
    def value(x: Any) -> Any:
        return value_and_grad(popped)(x, 1.5)[0] ** 2

    np.testing.assert_allclose(grad(value)(X), slopes_of(value, (X,), 0), rtol=1e-6)


def test_containers() -> None:
    def curved(x: Any, k: Any) -> Any:
        bars = grad(of_a_dict)({"x": x, "k": k, "n": 3})
        return np.sum(bars["x"] ** 2) * bars["k"]

    found = grad(curved, (0, 1))(X, 1.5)
    np.testing.assert_allclose(found[0], slopes_of(curved, (X, 1.5), 0), rtol=1e-6)
    np.testing.assert_allclose(found[1], slopes_of(curved, (X, 1.5), 1), rtol=1e-6)
    value, pull = vjp(grad(of_a_dict), {"x": X, "k": 1.5, "n": 3})
    assert value["n"] is None
    bars, = pull({"x": X, "k": 2.0, "n": None})

    def along(x: Any) -> Any:
        made = grad(of_a_dict)({"x": x, "k": 1.5, "n": 3})
        return made["x"] @ X + 2.0 * made["k"]
    np.testing.assert_allclose(bars["x"], slopes_of(along, (X,), 0), rtol=1e-6)


def test_named_tuples() -> None:
    def curved(x: Any, k: Any) -> Any:
        bars = grad(of_a_pair)(Pair(x[1] ** 2, k), x)
        return bars.scale ** 2 + bars.shift

    found = grad(curved, (0, 1))(X, 1.5)
    np.testing.assert_allclose(found[0], slopes_of(curved, (X, 1.5), 0), rtol=1e-6)
    np.testing.assert_allclose(found[1], slopes_of(curved, (X, 1.5), 1), rtol=1e-6)


def test_in_a_loop() -> None:
    def descended(x: Any, rate: Any) -> Any:
        for _ in range(3):
            x = x - rate * grad(popped)(x, 1.5)
        return np.sum(x ** 2)

    found = grad(descended, (0, 1))(X, 0.02)
    np.testing.assert_allclose(found[0], slopes_of(descended, (X, 0.02), 0), rtol=1e-6)
    np.testing.assert_allclose(found[1], slopes_of(descended, (X, 0.02), 1), rtol=1e-6)


@pytest.mark.filterwarnings("ignore:Casting complex")
def test_complex_arguments() -> None:
    z = np.array([0.7 + 0.2j, -0.4 + 1.0j, 1.3 - 0.5j])
    bar, dot = np.array([1.0 - 1.0j, 0.5j, 2.0]), np.array([0.3 + 0.1j, 1.0j, -0.7])
    gradient = grad(of_complex_numbers)
    _, pull = vjp(gradient, z)
    _, tangent = jvp(gradient, (z,), (dot,))
    np.testing.assert_allclose(tangent, (gradient(z + STEP * dot) - gradient(z - STEP * dot)) / (2 * STEP), rtol=1e-6)
    np.testing.assert_allclose(np.sum(pull(bar)[0] * dot).real, np.sum(bar * tangent).real, rtol=1e-9)


def test_holomorphic_functions() -> None:
    z = np.array([0.7 + 0.2j, -0.4 + 1.0j, 1.3 - 0.5j])
    dot = np.array([0.3 + 0.1j, 1.0j, -0.7])
    gradient = grad(holomorphic, holomorphic=True)
    _, pull = vjp(gradient, z)
    _, tangent = jvp(gradient, (z,), (dot,))
    np.testing.assert_allclose(tangent, (gradient(z + STEP * dot) - gradient(z - STEP * dot)) / (2 * STEP), rtol=1e-6)
    np.testing.assert_allclose(np.sum(pull(z)[0] * dot), np.sum(z * tangent), rtol=1e-9)


@pytest.mark.parametrize("outer", ["f", "r"])
@pytest.mark.parametrize("inner", ["f", "r"])
def test_third_derivatives(outer: str, inner: str) -> None:
    gradient = grad(popped)

    def curved(x: Any) -> Any:
        return jvp(gradient, (x, 1.5), (X, None))[1] if inner == "f" else vjp(gradient, x, 1.5)[1](X)[0]

    expected = slopes_of(curved, (X,), 0)
    if outer == "f":
        np.testing.assert_allclose(jvp(curved, (X,), (X,))[1], expected @ X, rtol=1e-5, atol=1e-8)
    else:
        np.testing.assert_allclose(vjp(curved, X)[1](X)[0], X @ expected, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("function", [of_many_paths, perhaps_none])
def test_of_many_paths_and_of_what_may_be_no_number(function: Any) -> None:
    matrix = slopes_of(grad(function), (X,), 0)
    np.testing.assert_allclose(vjp(grad(function), X)[1](X)[0], X @ matrix, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(jvp(grad(function), (X,), (X,))[1], matrix @ X, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(grad(lambda x: grad(function)(x) @ X)(X), X @ matrix, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("function", [printing, printing_in_a_test])
def test_what_would_be_noticed_is_refused(function: Any, capsys: pytest.CaptureFixture) -> None:
    """A derivative of the gradient runs the function again."""
    with pytest.raises(UnsupportedError):
        vjp(grad(function), X, 1.5)
    assert s2sgrad.grad(function)(X, 1.5).shape == X.shape
    assert capsys.readouterr().out.count("\n") == 1


class Grid:
    points: Any = None


def of_what_changes_outside(x: Any, w: Any) -> Any:
    """Whether this gives a number or an array is not known before the call."""
    Grid.points = np.linspace(0.0, 1.0, 3)
    return (np.tanh(x @ w) ** 2).sum() + Grid.points @ w


def test_of_what_may_be_an_array() -> None:
    x, w = np.array([[0.3, -1.2, 0.7], [0.5, 0.1, -0.4]]), np.array([0.2, 0.9, -0.6])
    matrix = slopes_of(lambda x: grad(of_what_changes_outside)(x.reshape(2, 3), w).ravel(), (x.ravel(),), 0)
    along = s2sgrad.jacobians._slope_along(of_what_changes_outside, 0, (x, w), x)
    np.testing.assert_allclose(along.ravel(), matrix @ x.ravel(), rtol=1e-6, atol=1e-8)
