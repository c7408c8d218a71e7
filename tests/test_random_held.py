"""Random programs over arrays that are in containers and have other names: the gradient is that of finite differences.

``--random-programs N`` tries N programs that are other ones each time.
"""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from random_held import program
from random_runs import run
from test_random_programs import compiled

import s2sgrad
from s2sgrad.errors import UnsupportedError
from s2sgrad.judge import UnjudgedWarning, compare
from s2sgrad.runtime import held

PROGRAMS = 40
REFUSED = ("into which this line writes, and is read after it", "that the caller has too, and this line writes into it",
           "in more than one place, or one that the caller has too", "in more than one place",
           "sum takes a list of differentiated values only where it is written out",
           "sum is not differentiated in a list of values", "this call writes into its arguments, and",
           "this call may write into its arguments", "into which this call writes, and is given to it too",
           "may write into the array, which is not supported", "a write into .T of an array is not supported",
           "writes into the container, which is not supported", "over which it runs",
           "this gives one of several", "what is stored here would lose its fraction")
MOST_REFUSED = 0.8
RAISES = (IndexError, KeyError, ValueError, TypeError, AttributeError, UnboundLocalError)
TOO_LARGE = 1e3


def arguments(seed: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=4) * 0.8 + 0.05, rng.normal(size=4) * 0.8 + 0.05


def examine(text: str) -> str:
    """Judge one program: ``"right"``, ``"unjudged"`` (it runs nowhere) or the reason why it is refused."""
    outcome = "unjudged"
    with compiled(text) as function, warnings.catch_warnings():
        warnings.simplefilter("ignore", UnjudgedWarning)
        for seed in (0, 1, 0):
            left, args = arguments(seed), arguments(seed)
            try:
                with np.errstate(all="ignore"):
                    value = function(*left)
            except RAISES:
                continue
            if not np.isfinite(value) or abs(value) > TOO_LARGE:
                continue
            try:
                found, gradients = s2sgrad.value_and_grad(function, (0, 1))(*args)
                same, pullback = s2sgrad.vjp(function, *arguments(seed))
                tangents, moved = arguments(seed + 7), arguments(seed)
                forwards, slope = s2sgrad.jvp(function, moved, tangents)
            except UnsupportedError as refusal:
                return refusal.reason
            assert found == same == forwards == value
            np.testing.assert_equal(args, left)
            np.testing.assert_equal(moved, left)
            compare(gradients, function, held(arguments(seed)), (0, 1), 1.0)
            for _ in range(2):
                np.testing.assert_allclose(pullback(1.0), gradients, rtol=1e-10, atol=1e-10)
            expected = sum(np.vdot(gradient, tangent) for gradient, tangent in zip(gradients, tangents))
            np.testing.assert_allclose(slope, expected, rtol=1e-7, atol=1e-8 * (1 + abs(value)))
            outcome = "right"
    return outcome


def test_random_held(request: pytest.FixtureRequest) -> None:
    outcomes = run(request, program, examine, REFUSED, PROGRAMS)
    total = sum(outcomes.values())
    assert outcomes["refused"] <= MOST_REFUSED * total and outcomes["right"] >= 0.2 * total, outcomes
