"""How often memory was written into, and from which line last: what is saved for a backward pass must not change."""
from __future__ import annotations

import linecache
import sys
import types
from typing import Any

from s2sgrad.errors import GENERATED, PACKAGE

Place = tuple[types.CodeType, int]
"""A piece of code and an offset in it, which is a line when somebody asks."""


class _Ours(dict):
    """By file name, whether a file is this package's."""

    def __missing__(self, filename: str) -> bool:
        found = self[filename] = filename.startswith((PACKAGE, GENERATED))
        return found


is_ours = _Ours()


def users_line(depth: int = 1) -> Place:
    """Where in the user's own code we are: not in the first ``depth`` frames, which are this package's."""
    frame: Any = sys._getframe(depth)
    code = frame.f_code
    while is_ours[code.co_filename] and frame.f_back is not None:
        frame = frame.f_back
        code = frame.f_code
    return code, frame.f_lasti


def line_of(place: Place) -> tuple[str, int, str]:
    """The file, the number of the line, and its text."""
    code, offset = place
    line = next((number for start, end, number in code.co_lines() if start <= offset < end and number is not None), 0)
    return code.co_filename, line, linecache.getline(code.co_filename, line).strip() if line else ""


def described(place: Place) -> str:
    """A line as messages show it."""
    filename, line, text = line_of(place)
    return f"{filename}:{line}" + (f": {text}" if text else "")


class Version:
    """The version of a piece of memory: shared by a tensor, its views and what was detached from it.

    Attributes
    ----------
    place
        Where it was written into last.
    """

    count = 0
    place: Place | None = None

    def bump(self, depth: int = 1) -> None:
        """Note a write. ``depth``: so many callers are of this package."""
        self.count += 1
        self.place = users_line(depth + 1)
