"""The benchmarks compare right answers: by hand, by s2sgrad and by finite differences the gradients are the same."""
from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.benchmarks import cases, contestants  # noqa: E402
from tests.benchmarks.cases import CASES, Case  # noqa: E402
from tests.benchmarks.simulations import SIMULATIONS  # noqa: E402

DIRECTIONS = 3

each_case = pytest.mark.parametrize("case", (*CASES, *SIMULATIONS), ids=lambda case: case.title)


def assert_is_gradient(
    function: Callable[..., Any], arguments: tuple[Any, ...], argnums: int | tuple[int, ...], gradient: Any
) -> None:
    """Compares with central differences: in random directions, and along the axes of a few elements."""
    if isinstance(argnums, int):
        argnums, gradient = (argnums,), (gradient,)
    assert len(gradient) == len(argnums)
    rng = np.random.default_rng(0)
    for argnum, part in zip(argnums, gradient, strict=True):
        point = np.asarray(arguments[argnum])
        assert np.shape(part) == point.shape
        directions = [rng.normal(size=point.shape) for _ in range(DIRECTIONS)]
        # the ends are where slices and borders go wrong
        for index in {0, point.size // 2, point.size - 1}:
            axis = np.zeros(point.size)
            axis[index] = 1.0
            directions.append(axis.reshape(point.shape))
        for direction in directions:
            direction = direction / np.linalg.norm(direction)
            expected = slope_along(function, arguments, argnum, direction)
            scale = np.linalg.norm(part) / np.sqrt(point.size)  # what a typical element is
            assert np.sum(part * direction) == pytest.approx(expected, rel=1e-6, abs=1e-6 * scale)


def slope_along(function: Callable[..., Any], arguments: tuple[Any, ...], argnum: int, direction: Any) -> float:
    """The derivative of ``function`` along ``direction``, by central differences of the fourth order."""

    def at(distance: float) -> float:
        moved = arguments[argnum] + distance * direction
        return float(function(*arguments[:argnum], moved, *arguments[argnum + 1 :]))

    # rounding errors grow with the value and want a longer step; kinks, as in max(x, 0), want a short one
    step = 1e-5 * max(1.0, abs(at(0.0))) ** 0.2
    return (8.0 * (at(step) - at(-step)) - (at(2.0 * step) - at(-2.0 * step))) / (12.0 * step)


@each_case
@pytest.mark.parametrize("written", ["by_hand", "rewritten"])
def test_what_is_written_is_the_gradient(case: Case, written: str) -> None:
    arguments = case.arguments()
    value, gradient = getattr(case, written)(*arguments)
    assert value == pytest.approx(case.function(*arguments), rel=1e-12)
    assert_is_gradient(case.function, arguments, case.argnums, gradient)


@each_case
def test_by_hand_computes_the_very_value(case: Case) -> None:
    """The same NumPy calls in the same order round alike, to the last bit."""
    arguments = case.arguments()
    assert case.by_hand(*arguments)[0] == case.function(*arguments)


@each_case
@pytest.mark.parametrize("written", ["by_hand", "rewritten"])
def test_what_is_written_leaves_its_arguments_alone(case: Case, written: str) -> None:
    arguments = case.arguments()
    getattr(case, written)(*arguments)
    for after, before in zip(arguments, case.arguments(), strict=True):
        np.testing.assert_array_equal(after, before)


@each_case
def test_the_values_held_by_hand_can_be_weighed(case: Case) -> None:
    assert contestants.saved_bytes_by_hand(case) > 0


@each_case
def test_autograd_runs_the_same_function(case: Case) -> None:
    pytest.importorskip("autograd")
    if not case.for_autograd:
        pytest.skip("it writes into arrays")
    arguments = case.arguments()
    value, gradient = contestants.autograd(case)(*arguments)
    expected_value, expected_gradient = case.by_hand(*arguments)
    assert value == pytest.approx(expected_value, rel=1e-12)
    assert_same_gradient(case.argnums, gradient, expected_gradient)


@each_case
def test_s2sgrad_agrees_with_by_hand(case: Case) -> None:
    arguments = case.arguments()
    value, gradient = contestants.ours(case)(*arguments)
    expected_value, expected_gradient = case.by_hand(*arguments)
    assert value == pytest.approx(expected_value, rel=1e-12)
    assert_same_gradient(case.argnums, gradient, expected_gradient)


def test_by_hand_and_s2sgrad_agree_at_ties() -> None:
    """Where a unit's input is exactly zero, half the cotangent passes; where scores tie, the maximum is shared."""
    w1, b1, w2, b2, images, labels = cases.two_layers_arguments()
    w1[:, ::3] = b1[::3] = 0.0
    w2[:, 1], b2[1] = w2[:, 0], b2[0]
    case = next(case for case in CASES if case.function is cases.two_layers)
    value, gradient = contestants.ours(case)(w1, b1, w2, b2, images, labels)
    expected_value, expected_gradient = case.by_hand(w1, b1, w2, b2, images, labels)
    assert value == pytest.approx(expected_value, rel=1e-12)
    assert_same_gradient(case.argnums, gradient, expected_gradient)


@pytest.mark.parametrize("label", ["thirty_lines", "other_lines"])
def test_s2sgrad_is_right_about_the_functions_it_is_timed_compiling(label: str) -> None:
    import s2sgrad

    function, arguments = getattr(cases, label), getattr(cases, f"{label}_arguments")()
    value, gradient = s2sgrad.value_and_grad(function, argnums=(0, 1))(*arguments)
    assert value == pytest.approx(function(*arguments), rel=1e-12)
    assert_is_gradient(function, arguments, (0, 1), gradient)


def assert_same_gradient(argnums: int | tuple[int, ...], actual: Any, expected: Any) -> None:
    if isinstance(argnums, int):
        actual, expected = (actual,), (expected,)
    assert len(actual) == len(expected)
    for ours, theirs in zip(actual, expected, strict=True):
        assert np.shape(ours) == np.shape(theirs)
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12 * np.max(np.abs(theirs)))
