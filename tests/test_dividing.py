"""Divisions by zero: where the function divides numbers of NumPy's, which gives infinity, its adjoint does so, too,
though it may compute with Python's numbers; where the function's own raise, gradients raise. So do powers that are too
large for Python's numbers."""
from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sgrad
from s2sgrad.errors import S2SGradError

X = np.array([1.0, 2.0])


def divide(a: Any, n: Any) -> Any:
    return a / n


def in_a_helper(x: np.ndarray, n: int) -> Any:
    total = 0.0
    for i in range(2):
        total += divide(x[i], n)
    return total


def by_the_turn(x: np.ndarray) -> Any:
    total = 0.0
    for i in range(2):
        total += x[i] / i
    return total


def in_place(x: np.ndarray, n: int) -> Any:
    y = x.copy()
    y /= n
    return y.sum()


def recursive(x: np.ndarray, n: int) -> Any:
    return x[0] / n if n == 0 else x[1] / n + recursive(x, n - 1)


def calling_itself(x: np.ndarray, n: int, depth: int) -> Any:
    total = x[0] / n
    for _ in range(depth):
        total += calling_itself(2 * x, n, depth - 1)
    return total


INFINITE: dict[str, tuple[Callable, tuple, Any]] = {
    "literal": (lambda x: x[0] / 0, (X,), [np.inf, 0.0]),
    "argument": (lambda x, n: x.sum() / n, (X, 0), [np.inf, np.inf]),
    "float": (lambda x, n: -x[0] / n, (X, 0.0), [-np.inf, 0.0]),
    "length": (lambda x: x.sum() / len(x[:0]), (X,), [np.inf, np.inf]),
    "helper": (in_a_helper, (X, 0), [np.inf, np.inf]),
    "recursion": (recursive, (X, 1), [np.inf, 1.0]),
    "one path": (calling_itself, (X, 0, 2), [np.inf, 0.0]),
    "turn": (by_the_turn, (X,), [np.inf, 1.0]),
    "in place": (in_place, (X, 0), [np.inf, np.inf]),
    "complex": (lambda x: np.abs(x[0] / 0j), (X,), None),
    "single": (lambda x: x.mean() / 0, (X.astype(np.float32),), [np.inf, np.inf]),
    "root": (math.sqrt, (0.0,), np.inf),
    "power": (lambda x: x ** 0.5, (0.0,), np.inf),
    "logarithm": (np.log, (0.0,), np.inf),
    "arc": (lambda x: -math.asin(x), (1.0,), -np.inf),
    "too large": (lambda x: math.atan(x) + 1 / x, (-1e200,), 0.0),
    "too large to invert": (lambda x: 1 / x, (1e-200,), -np.inf),
    "nothing times infinity": (lambda x: max(math.sqrt(x), 1.0), (0.0,), np.nan),
}


@pytest.mark.parametrize("name", INFINITE)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_infinite(name: str) -> None:
    function, arguments, want = INFINITE[name]
    value, found = s2sgrad.value_and_grad(function)(*arguments)
    np.testing.assert_array_equal(value, function(*arguments))
    if want is not None:
        np.testing.assert_array_equal(found, want)
    np.testing.assert_array_equal(s2sgrad.grad(function)(*arguments), found)
    _, pullback = s2sgrad.vjp(function, *arguments)
    np.testing.assert_array_equal(pullback(1.0)[0], found)


def test_a_warning_says_so() -> None:
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        s2sgrad.grad(lambda x: x.sum() / 0)(X)


def test_what_does_not_run_warns_of_nothing() -> None:
    def untaken(x: np.ndarray, c: int) -> Any:
        return x.sum() * np.asarray(2j).astype(float) if c else x.sum()

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        np.testing.assert_array_equal(s2sgrad.grad(untaken)(X, 0), [1.0, 1.0])
    assert not caught


def test_tensors() -> None:
    function = s2sgrad.differentiable(lambda x, n: (x / n).sum())
    for _ in range(20):  # past which passes are done in less time
        x = s2sgrad.tensor(X, requires_grad=True)
        function(x, 0).backward()
        np.testing.assert_array_equal(x.grad.numpy(), [np.inf, np.inf])


def test_what_python_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        s2sgrad.grad(lambda x: x / 0)(1.0)


def test_errors_of_rules_of_the_user() -> None:
    calls = []

    def forward(x: float) -> float:
        return x

    def reverse(g: float, y: float, x: float) -> float:
        calls.append(g)
        return g / 0

    rule = s2sgrad.custom_rule(reverse=reverse)(forward)
    with pytest.raises((ZeroDivisionError, S2SGradError)):
        s2sgrad.grad(lambda x: rule(x))(1.0)
    assert len(calls) <= 1


def test_what_is_not_the_largest_gets_nothing_of_an_infinite_cotangent() -> None:
    def root_of_the_largest(x: np.ndarray) -> Any:
        return np.sqrt(max([v * 2.0 for v in x]))

    with np.errstate(divide="ignore"):
        gradient = s2sgrad.grad(root_of_the_largest)(np.array([-1.0, 0.0]))
    np.testing.assert_array_equal(gradient, [0.0, np.inf])


def test_what_is_no_number_leaves_its_neighbours_slopes_alone() -> None:
    gradient = s2sgrad.grad(lambda x: np.i0(x)[1])(np.array([np.nan, 0.5]))
    np.testing.assert_allclose(gradient[1], 0.2578943)
