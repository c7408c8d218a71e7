"""What was compiled for one pattern of arguments, and the branch paths of it that were met."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sgrad.compiler.captures import NotSaved
from s2sgrad.compiling import COMPILING
from s2sgrad.derivative import Derivative, PathTable
from s2sgrad.errors import Location
from s2sgrad.roots import of_real_roots


class Record:
    """One branch path of one compiled function: its adjoint, and how often it was taken."""

    __slots__ = ("adjoint", "calls", "path")

    def __init__(self, adjoint: Callable, path: int):
        self.adjoint = adjoint
        self.calls = 0
        self.path = path


class Compiled:
    """A derivative, ready to run for one pattern of arguments."""

    __slots__ = ("derivative", "primal", "table", "records", "single", "sweeps", "alike")

    def __init__(self, derivative: Derivative, primal: Callable, table: PathTable, single: bool,
                 root: Location | None = None):
        self.derivative = derivative
        self.primal = primal
        self.table = table
        self.records = Records(table, root)
        self.single = single
        self.sweeps: list[Any] = []
        """What runs many tangents or cotangents at once, when it has been asked for; None where nothing does."""
        self.alike: bool | None = None
        """Whether it does the same when it is run again, once somebody has asked."""

    def adjoint_of_one(self, path: int) -> Callable | None:
        """Of a pullback the adjoint of a path for the cotangent 1, which it does not take: ``adjoint(saved)``; None
        where the result is not sure to be a number, or the adjoint would read more than is saved."""
        if not self.single:
            return None
        with COMPILING:
            try:
                return self.records.checked(self.derivative.table(self.table.wanted, self.table.seeds, True)[path])
            except NotSaved:
                return None


class Records(dict):
    """By path id, the records of the paths that were met. ``root``: the place of one that
    the adjoints take for real, and that may be complex."""

    __slots__ = ("table", "root")

    def __init__(self, table: PathTable, root: Location | None):
        super().__init__()
        self.table = table
        self.root = root

    def checked(self, adjoint: Callable) -> Callable:
        return adjoint if self.root is None else of_real_roots(adjoint, self.root)

    def __missing__(self, path: int) -> Record:
        with COMPILING:
            if path not in self:
                self.table.bound(self)
                self[path] = Record(self.checked(self.table[path]), path)
            return self[path]
