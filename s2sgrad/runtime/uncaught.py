"""Errors in tangents, which are none of the program's: its handlers don't catch them."""
from __future__ import annotations

import sys
from typing import Any

MARK = "s2sgrad_uncaught"


class Uncaught:
    """What marks the errors of tangents that are computed in a ``try`` block, and hands on those that are marked."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        if error is not None:
            setattr(error, MARK, True)

    def go_on(self) -> None:
        """In a handler: raises the exception again that has come here, if it is marked."""
        error = sys.exc_info()[1]
        if error is not None and getattr(error, MARK, False):
            raise error


uncaught = Uncaught()
