"""Random programs over containers: the gradient is that of finite differences, called twice and with other lengths.

``--random-programs N`` tries N programs that are other ones each time.
"""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from corpus import leaves
from random_containers import program
from random_runs import run
from test_random_programs import compiled

import s2sgrad
from s2sgrad.errors import UnsupportedError
from s2sgrad.judge import UnjudgedWarning

PROGRAMS = 25
REFUSED = ("into which this line writes, and is read after it", "that the caller has too, and this line writes into it",
           "in more than one place, or one that the caller has too", "what is stored here would lose its fraction")
MOST_REFUSED = 0.2
TOO_LARGE = 1e3


def arguments(seed: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)

    def vector() -> Any:
        return rng.normal(size=3) * 0.8 + 0.05
    return [vector() for _ in range(2 + seed % 2)], {"a": vector(), "b": vector()}, vector()


def product(gradients: Any, tangents: Any) -> float:
    pairs = zip(leaves(gradients), leaves(tangents), strict=True)
    return sum(float(np.sum(one * other)) for one, other in pairs)


def examine(text: str) -> str:
    """Judge one program: ``"right"``, ``"unjudged"`` (it runs nowhere) or the reason why it is refused."""
    outcome = "unjudged"
    with compiled(text) as function, warnings.catch_warnings():
        warnings.simplefilter("ignore", UnjudgedWarning)
        for seed in (0, 1, 0):
            value = function(*arguments(seed))
            if not np.isfinite(value) or abs(value) > TOO_LARGE:
                continue
            try:
                s2sgrad.check_grad(function, *arguments(seed))
                found, gradients = s2sgrad.value_and_grad(function, (0, 1, 2))(*arguments(seed))
            except UnsupportedError as refusal:
                return refusal.reason
            assert found == value
            tangents = arguments(seed + 10)
            tangents = ([tangents[2] + place for place in range(2 + seed % 2)], *tangents[1:])
            forwards, slope = s2sgrad.jvp(function, arguments(seed), tangents)
            assert forwards == value
            np.testing.assert_allclose(slope, product(gradients, tangents), rtol=1e-7, atol=1e-7)
            outcome = "right"
    return outcome


def test_random_containers(request: pytest.FixtureRequest) -> None:
    outcomes = run(request, program, examine, REFUSED, PROGRAMS)
    total = sum(outcomes.values())
    assert outcomes["refused"] <= MOST_REFUSED * total and outcomes["right"] >= 0.5 * total, outcomes
