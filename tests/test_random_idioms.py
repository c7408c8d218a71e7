"""Random programs made of everyday lines: value, gradient and what is written into arguments are the plain function's.

``--random-programs N`` tries N programs that are other ones each time.
"""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from random_idioms import program
from random_runs import run
from test_random_programs import compiled

import s2sgrad
from s2sgrad.errors import UnsupportedError
from s2sgrad.judge import UnjudgedWarning, compare
from s2sgrad.runtime import held

PROGRAMS = 20
REFUSED = ("into which this line writes, and is read after it", "the function called here is not known before the call",
           "a handler might catch", "is bound anew behind a function that reads it")
TOO_LARGE = 1e3


def arguments(seed: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=3) * 0.8 + 0.05, float(rng.normal() * 0.5 + 0.4)


def examine(text: str) -> str:
    """Judge one program: ``"right"``, ``"unjudged"`` (it runs nowhere) or the reason why it is refused."""
    outcome = "unjudged"
    with compiled(text) as function, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", UnjudgedWarning)
        for seed in (0, 1, 0):
            left, args = arguments(seed), arguments(seed)
            value = function(*left)
            if not abs(value) < TOO_LARGE:
                continue
            try:
                found, gradients = s2sgrad.value_and_grad(function, (0, 1))(*args)
            except UnsupportedError as refusal:
                return refusal.reason
            assert found == value
            np.testing.assert_equal(args, left)
            compare(gradients, function, held(arguments(seed)), (0, 1), 1.0)
            args, tangents = arguments(seed), arguments(seed + 7)
            forwards, slope = s2sgrad.jvp(function, args, tangents)
            assert forwards == value
            np.testing.assert_equal(args, left)
            expected = sum(np.vdot(gradient, tangent) for gradient, tangent in zip(gradients, tangents))
            np.testing.assert_allclose(slope, expected, rtol=1e-7, atol=1e-8 * (1 + abs(value)))
            outcome = "right"
    return outcome


def test_random_idioms(request: pytest.FixtureRequest) -> None:
    outcomes = run(request, program, examine, REFUSED, PROGRAMS)
    assert outcomes["right"] >= 0.6 * sum(outcomes.values()), outcomes
