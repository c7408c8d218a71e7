"""Random programs in which names move from array to array: the gradient is that of finite differences.

``--random-programs N`` tries N programs that are other ones each time.
"""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from random_moves import program
from random_runs import run
from test_random_programs import VARIANTS, compiled

import s2sgrad
from s2sgrad.errors import UnsupportedError
from s2sgrad.judge import UnjudgedWarning, compare
from s2sgrad.runtime import held
from s2sgrad.transforms import _gradient

PROGRAMS = 8
REFUSED = ("and is read after it", "that the caller has too", "and is given to it too", "in more than one place",
           "is not supported", "would lose its fraction", "may write into")
MOST_REFUSED = 0.8
TOO_LARGE = 1e3


def arguments(seed: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=3) * 0.7 + 0.1, rng.normal(size=(3, 3)) * 0.7


def examine(text: str) -> str:
    """Judge one program: ``"right"``, ``"unjudged"`` (it runs nowhere) or the reason why it is refused."""
    outcome = "unjudged"
    with compiled(text) as function, warnings.catch_warnings():
        warnings.simplefilter("ignore", (UnjudgedWarning, RuntimeWarning))
        gradients_of = s2sgrad.value_and_grad(function, (0, 1))
        for seed in (0, 1, 0):
            left, args = arguments(seed), arguments(seed)
            try:
                value = function(*left)
            except (ArithmeticError, ValueError, IndexError, TypeError, AttributeError, NameError):
                continue
            if not abs(value) < TOO_LARGE:
                continue
            try:
                found, gradients = gradients_of(*args)
            except UnsupportedError as refusal:
                return refusal.reason
            assert found == value
            np.testing.assert_equal(args, left)
            compare(gradients, function, held(arguments(seed)), (0, 1), 1.0)
            agree_with(gradients, function, seed, value, left)
            outcome = "right"
    return outcome


def agree_with(gradients: Any, function: Any, seed: int, value: Any, left: Any) -> None:
    """Raises AssertionError if with analyses off, pulled back twice once the arguments have changed, or forwards there
    is another value or gradient, or other arguments are left behind; each of these may be refused."""
    close = {"rtol": 1e-7, "atol": 1e-8 * (1 + abs(value))}
    for label, options in VARIANTS.items():
        args = arguments(seed)
        try:
            same, others = _gradient(function, (0, 1), False, False, True, options)(*args)
        except UnsupportedError:
            continue
        assert same == value, label
        np.testing.assert_equal(args, left, err_msg=label)
        for one, other in zip(gradients, others):
            np.testing.assert_allclose(other, one, **close, err_msg=label)
    args = arguments(seed)
    _, pullback = s2sgrad.vjp(function, *args)
    for array in args:
        array[...] = 7.0
    for _ in range(2):
        pulled = pullback(1.0)
        for one, other in zip(gradients, pulled):
            np.testing.assert_allclose(other, one, **close, err_msg="pulled back")
            other[...] = 7.0
    args, tangents = arguments(seed), arguments(seed + 7)
    try:
        same, slope = s2sgrad.jvp(function, args, tangents)
    except UnsupportedError:
        return
    assert same == value
    np.testing.assert_equal(args, left)
    np.testing.assert_allclose(slope, sum(map(np.vdot, gradients, tangents)), **close)


def test_random_moves(request: pytest.FixtureRequest) -> None:
    outcomes = run(request, program, examine, REFUSED, PROGRAMS)
    total = sum(outcomes.values())
    assert outcomes["refused"] <= MOST_REFUSED * total and outcomes["right"] >= 0.2 * total, outcomes
