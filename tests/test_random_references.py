"""Random programs over arrays that names and containers hold at once: the gradient is that of finite differences.

``--random-programs N`` tries N programs that are other ones each time.
"""
from __future__ import annotations

import numpy as np
import pytest
from random_references import program
from random_runs import run
from test_random_programs import compiled

import s2sgrad
from s2sgrad.errors import UnsupportedError
from s2sgrad.judge import compare

PROGRAMS = 15
REFUSED = ("into which this line writes, and is read after it", "that the caller has too",
           "may hold an array that this line writes into in more than one place")
TOO_LARGE = 1e4
DIRECTION = np.array([1.0, 2.0, -1.0])


def argument() -> np.ndarray:
    return np.array([0.3, 0.7, -0.4])


def examine(text: str) -> str:
    """Judge one program: ``"right"``, ``"unjudged"`` (it grows too much) or the reason why it is refused."""
    with compiled(text) as function:
        left, x = argument(), argument()
        value = function(left)
        if not abs(value) < TOO_LARGE:
            return "unjudged"
        try:
            found, gradient = s2sgrad.value_and_grad(function)(x)
        except UnsupportedError as refusal:
            return refusal.reason
        assert found == value
        np.testing.assert_equal(x, left)
        compare((gradient,), function, (argument(),), (0,), 1.0)
        np.testing.assert_allclose(s2sgrad.jvp(function, (argument(),), (DIRECTION,))[1], gradient @ DIRECTION)
    return "right"


def test_random_references(request: pytest.FixtureRequest) -> None:
    outcomes = run(request, program, examine, REFUSED, PROGRAMS)
    assert outcomes["right"] >= 0.5 * sum(outcomes.values()), outcomes
