"""Every error that s2sgrad raises on purpose: one base class, a few kinds, each with a location.

A message reads, for a function in ``model.py``::

    model.py:12: in loss
        y = frobnicate(x)
            ^^^^^^^^^^^^^
    frobnicate has no derivative rule and no Python source: add one with s2sgrad.rule

The location (file, line, caret) is the user's; reason and remedy share one sentence each.
"""
from __future__ import annotations

import linecache
import os
from typing import Any

from s2sgrad.frozen import frozen

PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
"""So the names of the package's files start."""
GENERATED = "<s2sgrad "
"""And those of generated texts."""


@frozen
class Location:
    """A place in the user's source: ``line`` counts from 1 and columns from 0, as in :mod:`ast`."""

    filename: str
    line: int
    column: int = 0
    end_line: int | None = None
    end_column: int | None = None
    function: str = ""

    def text(self) -> str:
        """The source line itself, without its indentation; empty when the file can't be read."""
        return linecache.getline(self.filename, self.line).strip()

    def caret(self) -> str:
        """The source line with a line of carets below the place, both indented by four spaces."""
        line = linecache.getline(self.filename, self.line).rstrip("\n")
        if not line.strip():
            return ""
        start, end = self.columns(line)
        margin = len(line) - len(line.lstrip())
        carets = " " * (start - margin) + "^" * max(1, end - start)
        return f"    {line.strip()}\n    {carets}"

    def words(self) -> str:
        """What the carets stand below; empty when the file can't be read."""
        line = linecache.getline(self.filename, self.line).rstrip("\n")
        return line[slice(*self.columns(line))].strip()

    def columns(self, line: str) -> tuple[int, int]:
        """Where in its line the place begins and ends, in characters; ast counts bytes of UTF-8."""
        encoded = line.encode()
        start = len(encoded[: self.column].decode(errors="replace"))
        if self.end_line == self.line and self.end_column is not None:
            return start, len(encoded[: self.end_column].decode(errors="replace"))
        return max(start, len(line) - len(line.lstrip())), len(line)


def place_of(node: Any, statement: Location) -> Location:
    """The place of an expression of the user's inside a statement; the statement's where it has none of its own."""
    if getattr(node, "lineno", None) is None:
        return statement
    return Location(statement.filename, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset,
                    statement.function)


class S2SGradError(Exception):
    """Base of every refusal.

    Attributes
    ----------
    reason : str
        Why, in one sentence.
    remedy : str
        What to write instead; may be empty.
    location : Location or None
        The place in the user's source.
    """

    def __init__(self, reason: str, remedy: str = "", location: Location | None = None):
        super().__init__(reason, remedy, location)
        self.reason = reason
        self.remedy = remedy
        self.location = location

    def __str__(self) -> str:
        if self.location is None:
            return self.sentence()
        return "\n".join(part for part in (self.place(), self.location.caret(), self.sentence()) if part)

    def sentence(self) -> str:
        """Reason and remedy."""
        return f"{self.reason}: {self.remedy}" if self.remedy else self.reason

    def place(self) -> str:
        """File, line and function."""
        if self.location is None:
            return ""
        place = f"{self.location.filename}:{self.location.line}"
        return f"{place}: in {self.location.function}" if self.location.function else place


def ensure(held: bool, complaint: str) -> None:
    """Raises AssertionError where something does not hold without which a gradient would be wrong, also where Python
    runs without assertions."""
    if not held:
        raise AssertionError(complaint)


class Naming:
    """Where arguments are given to parameters: what Python says of those that don't fit tells whose they are, as where
    a function is called."""

    __slots__ = ("name",)

    def __init__(self, name: str):
        self.name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        if isinstance(error, TypeError):
            raise TypeError(f"{self.name}() {error}") from None


class UnsupportedError(S2SGradError):
    """The compile-time refusal: this code can't be differentiated rightly, so it isn't differentiated."""


class SourceError(S2SGradError):
    """The source text of a function can't be had, or isn't the text that was compiled."""


class ArgumentError(S2SGradError, ValueError):
    """A call of the public API with an argument that can't be right (an argnum out of range, say)."""


class ArgumentTypeError(S2SGradError, TypeError):
    """A call of the public API with an argument of the wrong type (an integer to differentiate, say)."""
