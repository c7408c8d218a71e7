"""The run of a test over random programs: draws them, counts what comes of them, shows the text of one that fails."""
from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st


def run(request: pytest.FixtureRequest, drawn: Callable[[Callable[[int], int]], Any], examine: Callable[[Any], str],
        refused: tuple[str, ...], programs: int) -> Counter[str]:
    """How many programs were ``"right"``, ``"unjudged"`` or ``"refused"``, with words that are expected.

    ``drawn`` makes a program out of choices below a number; ``--random-programs N`` tries N, other ones each time, and
    reports what came of them, the refusals by their words.
    """
    wanted = request.config.getoption("--random-programs")
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()

    @settings(derandomize=wanted is None, max_examples=wanted or programs, deadline=None, database=None,
              phases=tuple(Phase) if wanted else (Phase.generate,),  # shrinking may take many minutes
              suppress_health_check=list(HealthCheck), print_blob=False)
    @given(st.composite(lambda draw: drawn(lambda options: draw(st.integers(0, options - 1))))())
    def each(program: Any) -> None:
        try:
            outcome = examine(program)
            assert outcome in ("right", "unjudged") or any(part in outcome for part in refused), outcome
        except Exception as error:
            raise AssertionError(f"{error!r}\n{getattr(program, 'text', program)}") from error
        reason = next((part for part in refused if part in outcome), None)
        outcomes[outcome if reason is None else "refused"] += 1
        if reason is not None:
            reasons[reason] += 1

    each()
    if wanted:
        with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
            print(f"\n{dict(outcomes)}; refused: {dict(reasons.most_common())}")
    return outcomes
