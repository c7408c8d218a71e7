"""Many checks in one test: pytest takes longer over a test than most of these take, so that a test tries all that there
is to try of one program or one rule, and tells of everything that failed."""
from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any

import pytest

FAILURES = (Exception, pytest.fail.Exception)
"""What ``pytest.raises`` raises where nothing was raised is no Exception."""
Sampled = Callable[[int, str], bool]
"""Whether a case of this name is among the one in so many that are tried: the fixture ``sampled``."""


class Checks:
    """Runs checks one after the other, whatever becomes of them; the end of the block names those that failed."""

    def __init__(self) -> None:
        self.failed: list[tuple[str, BaseException]] = []

    def run(self, title: str, check: Callable[..., Any], *args: Any) -> Any:
        """What the check returns; None where it failed."""
        try:
            return check(*args)
        except FAILURES as error:
            self.failed.append((title, error))
            return None

    def __enter__(self) -> Checks:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None:
        if error is None and self.failed:
            told = [f"{title}: {type(error).__name__}: {error}" for title, error in self.failed]
            raise AssertionError("\n\n".join([f"{len(told)} of the checks failed", *told])) from self.failed[0][1]
