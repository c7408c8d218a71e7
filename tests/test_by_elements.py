"""Gradients that are differentiated by a tangent for each element, for nothing else can be."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_by_slopes import slopes_of

import s2sgrad
from s2sgrad import grad, hvp, jvp, value_and_grad, vjp
from s2sgrad.derivative import understood
from s2sgrad.errors import UnsupportedError

X = np.array([0.7, -0.4, 1.3])


def tried(x: Any, k: Any) -> Any:
    """What a handler reads may be half done, in the text of a gradient or a tangent: it is told statement by statement.
    """
    d = {"a": x * k, "b": x * x}
    for key in ("a", "b", "c"):
        try:
            d[key] = d[key] * d["a"] + x
        except KeyError:
            d["b"] = d["b"] * k
    return np.sum(d["a"] * d["b"] ** 2) * k


def sorted_rows(x: Any, k: Any) -> Any:
    """Nothing tells which row a tangent's place holds."""
    rows = [[v, v * k] for v in x]
    rows.sort(key=lambda row: -row[0])
    rows[0][1] = rows[1][0]
    for row in rows:
        row[0] *= 2.0
    return sum(row[0] * row[1] ** 2 for row in rows)


def of_a_dict(d: Any) -> Any:
    return sorted_rows(d["x"], d["k"]) * d["n"]


def of_complex_numbers(z: Any) -> Any:
    return tried(np.abs(z), np.real(z[0]) + 2.0)


def holomorphic(z: Any) -> Any:
    return tried(z, z[0])


def printing(x: Any, k: Any) -> Any:
    print("seen")
    return sorted_rows(x, k)


@pytest.fixture
def mirrored(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The functions of which no write was checked."""
    found: list[str] = []
    check = understood.check_writes

    def noted(program: Any, facts: Any, own: Any, mirrored: bool) -> None:
        check(program, facts, own, mirrored)
        found.extend([program.name] * mirrored)
    monkeypatch.setattr(understood, "check_writes", noted)
    return found


def test_writes_that_are_not_checked(mirrored: list[str]) -> None:
    gradient = grad(sorted_rows)
    pull = vjp(gradient, X, 1.5)[1]
    assert "sorted_rows_tangent" in mirrored
    np.testing.assert_allclose(pull(X)[0], X @ slopes_of(gradient, (X, 1.5), 0), rtol=1e-6, atol=1e-8)


def test_both_modes() -> None:
    k, gradient = 1.5, grad(sorted_rows)
    matrix = slopes_of(gradient, (X, k), 0)
    column = slopes_of(gradient, (X, np.array(k)), 1)
    value, pull = vjp(gradient, X, k)
    np.testing.assert_array_equal(value, gradient(X, k))
    for bar in (X, np.ones(3)):  # the pullback is called again
        found = pull(bar)
        np.testing.assert_allclose(found[0], bar @ matrix, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(found[1], bar @ column, rtol=1e-6)
    assert type(found[1]) is float
    _, tangent = jvp(gradient, (X, k), (X, 0.5))
    np.testing.assert_allclose(tangent, matrix @ X + 0.5 * column, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(hvp(sorted_rows)(X, k, X), matrix @ X, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(s2sgrad.hessian(sorted_rows)(X, k), matrix, rtol=1e-6, atol=1e-8)


def test_values_and_containers() -> None:
    def curved(x: Any, k: Any) -> Any:
        value, bars = value_and_grad(of_a_dict)({"x": x, "k": k, "n": 3})
        return value + np.sum(bars["x"] ** 2) * bars["k"]

    found = grad(curved, (0, 1))(X, 1.5)
    np.testing.assert_allclose(found[0], slopes_of(curved, (X, 1.5), 0), rtol=1e-6)
    np.testing.assert_allclose(found[1], slopes_of(curved, (X, 1.5), 1), rtol=1e-6)
    bars, = vjp(grad(of_a_dict), {"x": X, "k": 1.5, "n": 3})[1]({"x": X, "k": 2.0, "n": None})
    assert bars["n"] is None

    def along(x: Any) -> Any:
        made = grad(of_a_dict)({"x": x, "k": 1.5, "n": 3})
        return made["x"] @ X + 2.0 * made["k"]
    np.testing.assert_allclose(bars["x"], slopes_of(along, (X,), 0), rtol=1e-6)


@pytest.mark.filterwarnings("ignore:Casting complex")
@pytest.mark.parametrize(("function", "whole"), [(of_complex_numbers, False), (holomorphic, True)])
def test_complex_arguments(function: Any, whole: bool) -> None:
    z = np.array([0.7 + 0.2j, -0.4 + 1.0j, 1.3 - 0.5j])
    bar, dot = np.array([1.0 - 1.0j, 0.5j, 2.0]), np.array([0.3 + 0.1j, 1.0j, -0.7])
    gradient = grad(function, holomorphic=whole)
    _, tangent = jvp(gradient, (z,), (dot,))
    np.testing.assert_allclose(
        tangent, (gradient(z + 1e-6 * dot) - gradient(z - 1e-6 * dot)) / 2e-6, rtol=1e-5, atol=1e-7)
    along, back = np.sum(vjp(gradient, z)[1](bar)[0] * dot), np.sum(bar * tangent)
    np.testing.assert_allclose(along if whole else along.real, back if whole else back.real, rtol=1e-9)


def test_single_precision_stays() -> None:
    x = X.astype(np.float32)
    bars = vjp(grad(sorted_rows), x, 1.5)[1](x)
    assert bars[0].dtype == np.float32
    np.testing.assert_allclose(bars[0], X @ slopes_of(grad(sorted_rows), (X, 1.5), 0), rtol=1e-4)


@pytest.mark.parametrize(("outer", "inner"), ["ff", "rr"])
def test_third_derivatives(outer: str, inner: str) -> None:
    gradient = grad(tried)

    def curved(x: Any) -> Any:
        return jvp(gradient, (x, 1.5), (X, None))[1] if inner == "f" else vjp(gradient, x, 1.5)[1](X)[0]

    expected = slopes_of(curved, (X,), 0)
    if outer == "f":
        np.testing.assert_allclose(jvp(curved, (X,), (X,))[1], expected @ X, rtol=1e-5, atol=1e-8)
    else:
        np.testing.assert_allclose(vjp(curved, X)[1](X)[0], X @ expected, rtol=1e-5, atol=1e-8)


def test_what_would_be_noticed_is_refused(capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(UnsupportedError):
        vjp(grad(printing), X, 1.5)
    assert capsys.readouterr().out == ""


def test_tangents_of_arrays_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="may hold a container that this line writes into"):
        vjp(lambda x: jvp(grad(sorted_rows), (x, 1.5), (X, None))[1], X)
