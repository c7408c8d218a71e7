"""Adjoints for large arrays write over what nothing reads any more: never into what somebody else has."""
from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import s2sgrad
from s2sgrad.derivative import Options
from s2sgrad.judge import compare
from s2sgrad.transforms import _gradient

EVERY_SIZE = Options(large=0)
X = np.array([0.3, -0.7, 1.1])


def adjoint_text(function: Any, *args: Any, has_aux: bool = False) -> str:
    gradient = _gradient(function, 0, has_aux, False, True, EVERY_SIZE)
    gradient(*args)
    (compiled,) = gradient.__s2sgrad__.cache.values()
    (text,) = compiled.table.texts.values()
    return str(text)


# ---- what is written over

def valley(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


VALLEY = """\
def valley_adjoint(saved):
    x, difference_1, difference = saved
    difference_bar = difference
    difference_bar *= 200.0
    x_bar = np.zeros(x.shape)
    x_bar[1:] = difference_bar
    difference_bar *= x[:-1]
    difference_bar += difference_1
    difference_bar *= 2.0
    x_bar[:-1] -= difference_bar
    return x_bar,
"""


def test_the_size_of_an_argument_decides() -> None:
    written_over = [s2sgrad.source(valley, np.linspace(0.0, 1.0, size)).count("*=") for size in (100, 2 ** 14)]
    assert written_over == [0, 3]


LARGE = np.linspace(0.0, 1.0, 2 ** 14)


def of_parameters(parameters):
    return np.sum(np.sin(parameters["w"]) * np.exp(parameters["b"]))


def test_arrays_in_containers_count() -> None:
    for size, found in ((100, False), (2 ** 14, True)):
        assert ("*=" in s2sgrad.source(of_parameters, {"w": np.linspace(0.0, 1.0, size), "b": np.ones(size)})) is found


def over_captured(a):
    return np.sum(np.exp(np.sin(a * LARGE)) * LARGE)


def test_captured_arrays_count(monkeypatch) -> None:
    assert "*=" in s2sgrad.source(over_captured, 0.3)
    monkeypatch.setitem(globals(), "LARGE", LARGE[:100])
    assert "*=" not in s2sgrad.source(over_captured, 0.3)


def test_text() -> None:
    text = adjoint_text(valley, X)
    assert "\n".join(line.split("  #")[0] for line in text.splitlines()) + "\n" == VALLEY


def named(x):
    y = np.exp(x)
    z = np.sin(y * x)
    return np.sum(z * y)


def turn_by_turn(x, w):
    total = 0.0
    for _ in range(3):
        x = x + np.tanh(x * w) * np.sin(w)
        total = total + np.sum(np.exp(x * 0.1) * w)
    return total


def of_two_dtypes(x, y):
    return np.sum(np.exp(x) * np.sin(y) * x)


def broadcast(x, y):
    return np.sum(np.exp(x) * np.sin(y)[:, None] * np.cos(x * y[:, None]))


@pytest.mark.parametrize("function, args", [
    (named, (X,)), (turn_by_turn, (X, X + 1)), (broadcast, (X, X + 1)), (broadcast, (X, np.ones(4))),
    (of_two_dtypes, (X, X + 1))])
def test_gradients_are_right(function, args) -> None:
    numbers = tuple(range(len(args)))
    _, gradients = _gradient(function, numbers, False, False, True, EVERY_SIZE)(*args)
    compare(gradients, function, args, numbers, 1.0)


def test_single_precision_stays_single_beside_double() -> None:
    single = X.astype(np.float32)
    for args in ((single, X + 1), (X, single + 1), (single, single + 1)):
        for found, expected in zip(_gradient(of_two_dtypes, (0, 1), False, False, True, EVERY_SIZE)(*args)[1],
                                   _gradient(of_two_dtypes, (0, 1), False, False, True)(*args)[1]):
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)


# ---- what is not

KEPT: list = []


def given_away(x):
    y = np.exp(x)
    return np.sum(y * np.sin(y)), y


def part_given_away(x):
    y = np.exp(x)
    return np.sum(y * np.sin(y)), (y[:2],)


def given_away_under_another_name(x):
    y = np.exp(x)
    z = y
    return np.sum(y * np.sin(y)), (z, 1.0)


def transpose_given_away(x):
    y = np.exp(x)
    z = y.T
    return np.sum(y * np.sin(y)), z


def given_away_from_one_branch(x):
    y = np.exp(x)
    z = np.sin(x)
    if x[0] > 0.0:
        z = y
    return np.sum(y * np.sin(y) * x), z


def given_away_from_a_loop(x):
    y = np.exp(x)
    z = x * 1.0
    for _ in range(2):
        z = y
        y = np.exp(y * 0.1)
    return np.sum(y * np.sin(y) * z), z


def walrus_given_away(x):
    total = np.sum((y := np.exp(x)) * np.sin(x))
    return total * np.sum(y * np.sin(y)), y


def part_of_an_expression_given_away(x):
    pair = np.exp(x), np.sin(x)
    return np.sum(pair[0] * np.sin(pair[0]) * pair[1]), pair


def given_away_in_a_dict(x):
    y = np.exp(x)
    found = {"y": y}
    return np.sum(y * np.sin(y)) + np.sum(found["y"] * x), found


def list_given_away(x):
    states = []
    y = x * 1.0
    for _ in range(3):
        y = np.exp(0.1 * y) * np.sin(y)
        states.append(y)
    return np.sum(y * np.sin(y)) + np.sum(states[0] * x), states


def comprehension_given_away(x):
    parts = [np.exp(factor * x) for factor in (0.1, 0.2)]
    return np.sum(parts[0] * np.sin(parts[1]) * parts[1]), parts


@pytest.mark.parametrize("function", [
    given_away, part_given_away, given_away_under_another_name, transpose_given_away, given_away_from_one_branch,
    given_away_from_a_loop, walrus_given_away, part_of_an_expression_given_away, given_away_in_a_dict, list_given_away,
    comprehension_given_away])
def test_what_the_function_returns_is_left_alone(function) -> None:
    (value, aux), gradient = _gradient(function, 0, True, False, True, EVERY_SIZE)(X)
    np.testing.assert_equal((value, aux), function(X))
    compare((gradient,), lambda x: function(x)[0], (X,), (0,), 1.0)


def keep(value):
    KEPT.append(value)


def kept_by_a_call(x):
    y = np.exp(x)
    keep(y)
    return np.sum(y * np.sin(y))


def view_kept(x):
    y = np.exp(x)
    keep(y[1:])
    return np.sum(y * np.sin(y))


def kept_under_another_name(x):
    y = np.exp(x)
    z = y.T
    keep(z)
    return np.sum(y * np.sin(y))


def kept_by_a_lambda(x):
    y = np.exp(x)
    keep(lambda: y)
    return np.sum(y * np.sin(y))


def kept_in_a_dict(x):
    y = np.exp(x)
    keep({"y": y})
    return np.sum(y * np.sin(y))


def kept_at_each_turn(x):
    y = x * 1.0
    for _ in range(3):
        y = np.exp(0.1 * y) * np.sin(y)
        keep(y)
    return np.sum(y * np.sin(y))


@pytest.mark.parametrize("function", [
    kept_by_a_call, view_kept, kept_under_another_name, kept_in_a_dict, kept_at_each_turn])
def test_what_others_keep_is_left_alone(function) -> None:
    KEPT.clear()
    value, gradient = _gradient(function, 0, False, False, True, EVERY_SIZE)(X)
    found = list(KEPT)
    KEPT.clear()
    assert value == function(X)
    np.testing.assert_equal(found, KEPT)
    compare((gradient,), function, (X,), (0,), 1.0)


@pytest.mark.parametrize("function", [
    lambda x, b: np.sum((2.0 * x + b) ** 2),
    lambda x, b: np.sum((x + b) ** 2),
    lambda x, b: np.sum((x + (b + x)) ** 2) + np.sum(b[::-1] + x),
], ids=["passed on", "to both", "to both twice"])
def test_gradients_are_memory_of_their_own(function) -> None:
    pullback = s2sgrad.vjp(function, np.arange(3.0), np.ones(3))[1]
    gradients = [*pullback(1.0), *pullback(1.0)]
    assert all(gradient.flags.owndata and gradient.flags.writeable for gradient in gradients)
    assert not any(np.shares_memory(first, second) for first, second in itertools.combinations(gradients, 2))


def test_a_cotangent_that_nobody_else_has_is_given_away() -> None:
    def shifted(x, b):
        return np.sum((2.0 * x + b) ** 2)

    assert "copy" not in str(s2sgrad.source(shifted, np.arange(3.0), np.ones(3)))
