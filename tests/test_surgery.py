"""Blocks that run in the reverse sweep, and what they may do there."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2sgrad
from s2sgrad.errors import ArgumentError

X, W = np.array([1.0, 2.0, 3.0]), np.array([0.3, 0.1, -0.2])
seen: list = []


@pytest.fixture(autouse=True)
def nothing_seen() -> None:
    seen.clear()


def clipped(x: Any, w: Any, limit: float) -> float:
    h = np.tanh(x * w)
    with s2sgrad.adjoint_of(h) as h_bar:
        seen.append(h_bar.copy())
        size = np.linalg.norm(h_bar)
        if size > limit:
            h_bar *= limit / size
    return 3.0 * (h ** 2).sum()


def test_a_cotangent_is_seen_and_clipped() -> None:
    x_bar, w_bar = s2sgrad.grad(clipped, argnums=(0, 1))(X, W, 0.5)
    h = np.tanh(X * W)
    assert len(seen) == 1 and np.allclose(seen[0], 6.0 * h)
    h_bar = 6.0 * h * 0.5 / np.linalg.norm(6.0 * h)
    assert np.allclose(x_bar, h_bar * (1.0 - h ** 2) * W) and np.allclose(w_bar, h_bar * (1.0 - h ** 2) * X)
    assert np.allclose(s2sgrad.grad(clipped)(X, W, 1e9), 6.0 * h * (1.0 - h ** 2) * W)


def test_a_plain_call_runs_the_block_with_zeros() -> None:
    assert clipped(X, W, 0.5) == 3.0 * (np.tanh(X * W) ** 2).sum()
    assert np.array_equal(seen, [np.zeros(3)])


def test_forward_mode_passes_it_by() -> None:
    value, tangent = s2sgrad.jvp(clipped, (X, W, 0.5), (X, None, None))
    h = np.tanh(X * W)
    assert value == clipped(X, W, 0.5) and tangent == pytest.approx((6.0 * h * (1.0 - h ** 2) * W * X).sum())


def test_turns_of_a_loop_have_blocks_of_their_own() -> None:
    def turned(x: Any) -> float:
        for k in range(3):
            x = 2.0 * x
            with s2sgrad.adjoint_of(x) as x_bar:
                x_bar = x_bar * (k + 1)
        return x.sum()

    assert np.allclose(s2sgrad.grad(turned)(X), 48.0)


def test_numbers_branches_and_closures() -> None:
    factor = -2.0

    def f(a: float) -> float:
        b = 3.0 * a
        if a > 0.0:
            with s2sgrad.adjoint_of(b) as b_bar:
                b_bar = factor * b_bar + b
        return b * b

    assert s2sgrad.grad(f)(2.0) == pytest.approx(3.0 * (-2.0 * 12.0 + 6.0))
    assert s2sgrad.grad(f)(-2.0) == pytest.approx(-36.0)


def test_the_value_stays_the_same_array() -> None:
    def f(x: Any) -> float:
        u = x * x
        with s2sgrad.adjoint_of(u) as u_bar:
            u_bar = 2.0 * u_bar
        u[0] = 5.0
        return u.sum()

    value, x_bar = s2sgrad.value_and_grad(f)(X)
    assert value == f(X) and np.allclose(x_bar, [0.0, 8.0, 12.0])


def test_a_cotangent_keeps_shape_and_dtype() -> None:
    def f(x: Any) -> float:
        h = x * x
        with s2sgrad.adjoint_of(h) as h_bar:
            h_bar = h_bar.astype(np.float64)[:2]
        return h.sum()

    with pytest.raises(ArgumentError, match="the cotangent of h, which has shape"):
        s2sgrad.grad(f)(X)

    def g(x: Any) -> float:
        h = x * x
        with s2sgrad.adjoint_of(h) as h_bar:
            h_bar = h_bar.astype(np.float64) * 3.0
        return h.sum()

    found = s2sgrad.grad(g)(X.astype(np.float32))
    assert found.dtype == np.float32 and np.allclose(found, 6.0 * X)


def test_what_the_caller_hands_in_is_not_written_into() -> None:
    def f(x: Any) -> Any:
        h = x + 0.0
        with s2sgrad.adjoint_of(h) as h_bar:
            h_bar *= 2.0
        return h

    _, pullback = s2sgrad.vjp(f, X)
    cotangent = np.ones(3)
    assert np.allclose(pullback(cotangent)[0], 2.0) and np.array_equal(cotangent, np.ones(3))
    assert np.allclose(pullback(cotangent)[0], 2.0)


def test_the_block_is_in_the_generated_code() -> None:
    text = s2sgrad.source(clipped, X, W, 0.5)
    assert "def adjoint_of_h_adjoint(saved, h_bar):" in text
    assert "        h_bar *= limit / size" in text


def halved_where_large(x: Any) -> float:
    total = 0.0
    for v in x:
        y = v ** 3
        with s2sgrad.adjoint_of(y) as y_bar:
            if y_bar > 1.0:
                y_bar = y_bar / (1.0 + y_bar)
        total += y * total + np.sin(y)
    return total


def clipped_in_turns(x: Any, limit: float = 0.4) -> float:
    h = x
    for k in range(3):
        h = np.tanh(np.roll(h, 1) * (k + 1)) + x
        with s2sgrad.adjoint_of(h) as h_bar:
            h_bar[:] = np.clip(h_bar, -limit, limit)
            h_bar *= x
    return np.sum(h ** 2 * x)


@pytest.mark.parametrize("function", [halved_where_large, clipped_in_turns])
def test_a_block_is_differentiated_with_the_gradient(function: Any) -> None:
    point, direction = np.array([0.7, -0.4, 0.9]), np.array([0.3, -1.1, 0.6])
    gradient = s2sgrad.grad(function)
    columns = [(gradient(point + step) - gradient(point - step)) / 2e-6 for step in 1e-6 * np.eye(3)]
    found = s2sgrad.jacrev(gradient)(point)
    assert np.allclose(found, np.transpose(columns), atol=1e-7) and not np.allclose(found, found.T)
    assert np.allclose(s2sgrad.jacfwd(gradient)(point), found)
    assert np.allclose(s2sgrad.jvp(gradient, (point,), (direction,))[1], found @ direction)
    s2sgrad.check_grad(lambda x: s2sgrad.grad(lambda y: np.sum(gradient(y) * direction))(x) @ direction, point)
