"""Branch paths: numbering after Ball and Larus (Efficient Path Profiling, MICRO 1996).

The decisions of a function outside its loops are the branches, and for each loop that has more than one way out, that
way. Every loop counts as one node, so the graph has no cycle and its paths can be numbered 0, 1, 2, ...: each decision
adds its *offset* to the path id, and the ids of all paths are different and without gaps. Ways that end with an
exception are no paths: nobody comes back from there with an id.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from s2sgrad.compiler.program import Branch, Leave, Loop, Program, leaves, opened

DONE, RETURNED = "done", "returned"


def ways_out(loop: Loop) -> tuple[str, ...]:
    """The ways out of a loop that lead to different places."""
    return (DONE, RETURNED) if "return" in leaves(loop.body) else (DONE,)


@dataclass
class Paths:
    """Numbering of one Program: ``total`` paths, and what each outcome of a decision adds to the path id."""

    program: Program
    total: int = 1
    offsets: dict[tuple[Any, Any], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.total = self._count(self.program.body, 1)

    def _count(self, block: tuple, after: int) -> int:
        for statement in reversed(opened(block)):
            if isinstance(statement, Leave):
                after = 0 if statement.kind == "raise" else 1
            elif isinstance(statement, Branch):
                then = self._count(statement.then, after)
                orelse = self._count(statement.orelse, after)
                self.offsets[statement, True] = 0
                self.offsets[statement, False] = then
                after = then + orelse
            elif isinstance(statement, Loop):
                if RETURNED in ways_out(statement):
                    self.offsets[statement, RETURNED] = after
                    after += 1
        return after

    def decisions(self, path: int) -> dict[Any, Any]:
        """The outcome of every decision on a path; decisions that the path doesn't meet are absent."""
        result: dict[Any, Any] = {}
        self._decode(self.program.body, path, result)
        return result

    def _decode(self, block: tuple, path: int, result: dict[Any, Any]) -> int | None:
        """What is left of the path id behind the block; None where the path has returned."""
        for statement in opened(block):
            if isinstance(statement, Leave):
                return None
            if isinstance(statement, Branch):
                outcome = path < self.offsets[statement, False]
                result[statement] = outcome
                left = self._decode(statement.then if outcome else statement.orelse,
                                    path - self.offsets[statement, outcome], result)
                if left is None:
                    return None
                path = left
            elif (statement, RETURNED) in self.offsets:
                returned = path >= self.offsets[statement, RETURNED]
                result[statement] = RETURNED if returned else DONE
                if returned:
                    return None
        return path
