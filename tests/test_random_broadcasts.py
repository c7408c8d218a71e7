"""Random programs in which numbers, vectors and matrices meet: judged as those of test_random_programs are.

``--random-programs N`` tries N programs that are other ones each time.
"""
from __future__ import annotations

import functools

import pytest
from random_broadcasts import program
from random_runs import run
from test_random_programs import examine

PROGRAMS = 40
MATRICES = (2, 3), (1, 3), (2, 1), (3, 4), (1, 1), (2, 3)
REFUSED = ("what is stored here would lose its fraction",)


def test_random_broadcasts(request: pytest.FixtureRequest) -> None:
    outcomes = run(request, program, functools.partial(examine, matrices=MATRICES), REFUSED, PROGRAMS)
    total = sum(outcomes.values())
    assert outcomes["refused"] <= 0.05 * total and outcomes["right"] >= 0.9 * total, outcomes
