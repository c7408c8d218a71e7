"""Random programs over arrays in containers, under names of their own: the gradient is that of finite differences.

``--random-programs N`` tries N programs that are other ones each time.
"""
from __future__ import annotations

import pytest
from random_parts import program
from random_runs import run
from test_random_memory import examine

PROGRAMS = 25
REFUSED = ("into which this line writes, and is read after it", "that the caller has too, and this line writes into it",
           "writes into in more than one place, or one that the caller has too", "over which it runs")
MOST_REFUSED = 0.6


def test_random_parts(request: pytest.FixtureRequest) -> None:
    outcomes = run(request, program, examine, REFUSED, PROGRAMS)
    total = sum(outcomes.values())
    assert outcomes["refused"] <= MOST_REFUSED * total and outcomes["right"] >= 0.2 * total, outcomes
