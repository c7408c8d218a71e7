"""How often memory was written into, and from which line last: what is saved for a backward pass must not change."""
from __future__ import annotations

import linecache
import os
import sys
from typing import Any

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep

Place = tuple[str, int]
"""A file and a line."""


def users_line() -> Place:
    """The line of the user's own code that is running."""
    frame: Any = sys._getframe(1)
    while frame.f_code.co_filename.startswith(PACKAGE) and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def described(place: Place) -> str:
    """A line as messages show it."""
    filename, line = place
    text = linecache.getline(filename, line).strip()
    return f"{filename}:{line}" + (f": {text}" if text else "")


class Version:
    """The version of a piece of memory: shared by a tensor, its views and what was detached from it."""

    __slots__ = ("count", "place")

    def __init__(self) -> None:
        self.count = 0
        self.place: Place | None = None
        """Where it was written into last."""

    def bump(self) -> None:
        self.count += 1
        self.place = users_line()
