"""``check_grads``: what users put into tests of their own."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import s2sgrad

RNG = np.random.default_rng(5)
X, W = RNG.normal(size=4), RNG.normal(size=(4, 3))


def layered(x: Any, w: Any, scale: float) -> Any:
    h = np.tanh(x @ w) * scale
    for k in range(2):
        if h[k] > 0.0:
            h = h * np.exp(-h)
        h[k] = h[k] ** 2
    return h


def test_what_is_right_passes_in_both_modes_and_to_the_second_order() -> None:
    s2sgrad.check_grads(layered, (X, W, 1.5))
    s2sgrad.check_grads(lambda x, n: np.sum(x ** n), (X, 3))


@dataclass
class Dense:
    w: Any
    b: float


class Pair(NamedTuple):
    first: Any
    second: Any


class Holder:
    def __init__(self, w: Any):
        self.w = w


def test_containers_in_both_modes_and_to_the_second_order() -> None:
    def f(params: dict, x: Any) -> tuple:
        return params["w"] @ x, {"b": np.sum(params["b"] * x ** 2)}

    s2sgrad.check_grads(f, ({"w": W.T, "b": X}, X))
    s2sgrad.check_grads(lambda p, n: np.sum(np.tanh(p.w) * p.b ** n), (Dense(X, 0.4), 2), order=3)
    s2sgrad.check_grads(lambda p: np.sum(p.first ** 3 * p.second[0]), (Pair(X, [0.5]),))
    s2sgrad.check_grads(lambda xs, kind: Pair(xs[0] * xs[1], 2.0) if kind == "pair" else xs, ([X, X + 1.0], "pair"))


def test_objects_to_the_first_order() -> None:
    s2sgrad.check_grads(lambda p: np.sum(p.w ** 2), (Holder(X),), order=1)
    with pytest.raises(s2sgrad.errors.ArgumentError, match="objects that are no dataclasses to the first order only"):
        s2sgrad.check_grads(lambda p: np.sum(p.w ** 2), (Holder(X),))


def wrong_cube(x: Any) -> Any:
    return x ** 3


s2sgrad.rule(wrong_cube, x="2 * x ** 2")


def with_a_wrong_rule(x: Any) -> Any:
    return np.sum(np.sin(wrong_cube(x)))


@pytest.mark.parametrize("mode", ["rev", "fwd"])
def test_what_is_wrong_is_told_with_the_rule(mode: str) -> None:
    with pytest.raises(AssertionError, match=rf"order 1, mode {mode}: [\s\S]*wrong by itself: the rule of wrong_cube"):
        s2sgrad.check_grads(with_a_wrong_rule, (X,), modes=(mode,))


@s2sgrad.custom_rule(reverse=lambda g, y, x: g * np.cos(x), tangent=lambda dots, y, x: dots[0] * np.sin(x))
def half_wrong_sine(x: Any) -> Any:
    return np.sin(x)


@s2sgrad.custom_rule(reverse=lambda g, y, x: g * half_wrong_sine(x + np.pi / 2), tangent=lambda dots, y, x:
                     dots[0] * half_wrong_sine(x + np.pi / 2))
def sine(x: Any) -> Any:
    return np.sin(x)


class Layer:
    def __init__(self) -> None:
        self.w = X + 1.0

    def applied(self, x: Any) -> Any:
        return half_wrong_sine(x) * self.w

    def loss(self, x: Any) -> Any:
        total = 0.0
        for _ in range(2):
            total = total + np.sum(self.applied(x))
        return total


@pytest.mark.parametrize("function, found", [
    (lambda x: np.sum(half_wrong_sine(x) * x), "order 1, mode fwd"), (Layer().loss, "order 1, mode fwd"),
    (lambda x: np.sum(sine(x)), "order 2, mode fwd"), (lambda x: Layer().applied(wrong_cube(x)), "order 1, mode rev")])
def test_rules_of_the_users_own_are_told_wherever_they_are(function: Callable, found: str) -> None:
    wrong = "wrong_cube" if "rev" in found else "half_wrong_sine"
    with pytest.raises(AssertionError, match=rf"{found}: [\s\S]*wrong by itself: the rule of [a-z_, ]*{wrong}"):
        s2sgrad.check_grads(function, (X,))


def test_a_wrong_second_order() -> None:
    def half_right(x: Any) -> Any:
        return x ** 2

    s2sgrad.rule(half_right, x="2 * y / x")
    s2sgrad.check_grads(lambda x: half_right(x).sum(), (X,))

    @s2sgrad.rule(x="2 * constant_of(x)", elementwise=True, names={"constant_of": constant_of})
    def square(x: Any) -> Any:
        return x ** 2

    with pytest.raises(AssertionError, match="order 2, mode rev"):
        s2sgrad.check_grads(lambda x: square(x).sum(), (X,), modes=("rev",))


@s2sgrad.rule(constant=True)
def constant_of(x: Any) -> Any:
    return x


def test_mistakes() -> None:
    with pytest.raises(s2sgrad.errors.ArgumentError, match="mode 'backward'"):
        s2sgrad.check_grads(layered, (X, W, 1.5), modes=("backward",))
    with pytest.raises(s2sgrad.errors.ArgumentError, match="order 0"):
        s2sgrad.check_grads(layered, (X, W, 1.5), order=0)
    with pytest.raises(s2sgrad.errors.ArgumentError, match="no floats"):
        s2sgrad.check_grads(lambda n: n, (3,))
    with pytest.raises(s2sgrad.errors.ArgumentError, match="check_grad got no floats"):
        s2sgrad.check_grad(np.sum, np.array([1, 2]))
