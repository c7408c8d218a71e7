"""Random programs over containers in containers: values and gradients are those of plain Python and of finite
differences, forward mode agrees.

``--random-programs N`` tries N programs that are other ones each time.
"""
from __future__ import annotations

import warnings

import numpy as np
import pytest
from random_nested import program
from random_runs import run
from test_random_programs import VARIANTS, compiled

import s2sgrad
from s2sgrad.errors import UnsupportedError
from s2sgrad.judge import UnjudgedWarning, compare
from s2sgrad.transforms import _gradient

PROGRAMS = 4
REFUSED = ("and is read after it", "that the caller has too", "in more than one place", "is not supported",
           "over which it runs", "on some ways to this line only", "may be a container", "from turn to turn",
           "is not known before the call", "where a place comes twice", "is not known")
TOO_LARGE = 1e3


def argument(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=3) * 0.7


def examine(text: str) -> str:
    """Judge one program: ``"right"``, ``"unjudged"`` (it runs nowhere) or the reason why it is refused."""
    outcome = "unjudged"
    with compiled(text) as function, warnings.catch_warnings():
        warnings.simplefilter("ignore", (UnjudgedWarning, RuntimeWarning))
        for seed in (0, 1):
            try:
                value = function(argument(seed))
            except (ArithmeticError, ValueError, IndexError, TypeError, KeyError, NameError):
                continue
            if not abs(value) < TOO_LARGE:
                continue
            try:
                found, gradient = s2sgrad.value_and_grad(function)(argument(seed))
            except UnsupportedError as refusal:
                return refusal.reason
            assert found == value
            compare((gradient,), function, (argument(seed),), (0,), 1.0)
            close = {"rtol": 1e-7, "atol": 1e-8 * (1 + abs(value))}
            for label in ("general adjoint", "all off") if seed == 0 else ():
                try:
                    same, other = _gradient(function, 0, False, False, True, VARIANTS[label])(argument(seed))
                except UnsupportedError:
                    continue
                assert same == value, label
                np.testing.assert_allclose(other, gradient, **close, err_msg=label)
            outcome = "right"
            try:
                same, slope = s2sgrad.jvp(function, (argument(seed),), (argument(seed + 7),))
            except UnsupportedError:
                continue
            assert same == value
            np.testing.assert_allclose(slope, np.vdot(gradient, argument(seed + 7)), **close)
    return outcome


def test_random_nested(request: pytest.FixtureRequest) -> None:
    outcomes = run(request, program, examine, REFUSED, PROGRAMS)
    assert outcomes["right"] >= 0.4 * sum(outcomes.values()), outcomes
