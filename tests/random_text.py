"""What writers of random programs have in common: choices, and lines at a depth."""
from __future__ import annotations

from collections.abc import Callable


class Writer:
    """The text of one program; ``choose`` gives a number below another."""

    def __init__(self, choose: Callable[[int], int]):
        self.choose = choose
        self.lines: list[str] = []
        self.depth = 1
        self.count = 0
        """The names made so far, so that each gets another number."""

    def pick(self, *options: str) -> str:
        return options[self.choose(len(options))]

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)
