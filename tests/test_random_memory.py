"""Random programs over arrays under several names: the gradient is that of finite differences.

``--random-programs N`` tries N programs that are other ones each time.
"""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from random_memory import program
from random_runs import run
from test_random_programs import compiled

import s2sgrad
from s2sgrad.errors import UnsupportedError
from s2sgrad.judge import UnjudgedWarning, compare
from s2sgrad.runtime import held

PROGRAMS = 40
REFUSED = ("into which this line writes, and is read after it",)
MOST_REFUSED = 0.4
TOO_LARGE = 1e3


def arguments(seed: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=6) * 0.8 + 0.05, rng.normal(size=(3, 4)) * 0.8 + 0.05


def examine(text: str) -> str:
    """Judge one program: ``"right"``, ``"unjudged"`` (it runs nowhere) or the reason why it is refused."""
    outcome = "unjudged"
    with compiled(text) as function, warnings.catch_warnings():
        warnings.simplefilter("ignore", UnjudgedWarning)
        for seed in (0, 1, 0):
            left, args = arguments(seed), arguments(seed)
            with np.errstate(over="ignore", invalid="ignore"):
                value = function(*left)
            if not np.isfinite(value) or abs(value) > TOO_LARGE:
                continue
            try:
                found, gradients = s2sgrad.value_and_grad(function, (0, 1))(*args)
            except UnsupportedError as refusal:
                return refusal.reason
            assert found == value
            np.testing.assert_equal(args, left)
            compare(gradients, function, held(arguments(seed)), (0, 1), 1.0)
            np.testing.assert_allclose(s2sgrad.vjp(function, *arguments(seed))[1](1.0)[0], gradients[0], rtol=1e-12)
            tangents = arguments(seed + 7)
            args = arguments(seed)
            forwards, slope = s2sgrad.jvp(function, args, tangents)
            assert forwards == value
            np.testing.assert_equal(args, left)
            expected = sum(np.vdot(gradient, tangent) for gradient, tangent in zip(gradients, tangents))
            np.testing.assert_allclose(slope, expected, rtol=1e-7, atol=1e-8 * (1 + abs(value)))
            outcome = "right"
    return outcome


def test_random_memory(request: pytest.FixtureRequest) -> None:
    outcomes = run(request, program, examine, REFUSED, PROGRAMS)
    total = sum(outcomes.values())
    assert outcomes["refused"] <= MOST_REFUSED * total and outcomes["right"] >= 0.4 * total, outcomes
