"""Calls of one function with arrays of other sizes in the same pattern: one derivative serves them all."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sgrad.rules.abstract import Abstract, with_dims
from s2sgrad.rules.dims import Dim

NAMED = ("size", "each")
"""What the names of sizes start with that whoever calls a function gave them: the function makes none of these."""


class Alike:
    """The derivatives of a session, by the pattern of the sizes that their functions get."""

    def __init__(self) -> None:
        self.made: dict[Any, tuple[Any, list[Dim]]] = {}

    def note(self, kind: Any, values: list[Abstract], derivative: Any) -> None:
        key, letters = pattern(kind, values)
        self.made.setdefault(key, (derivative, letters))

    def forget(self, derivative: Any) -> None:
        self.made = {key: found for key, found in self.made.items() if found[0] is not derivative}

    def find(self, kind: Any, values: list[Abstract], captured: Iterable[Abstract]) -> tuple[Any, Abstract] | None:
        """A derivative for arguments of the same pattern, and its result in the sizes of these; None where there is
        none, where one of the sizes is also that of what is captured, or where the function writes into what it gets.
        """
        key, own = pattern(kind, values)
        if key not in self.made:
            return None
        derivative, letters = self.made[key]
        if derivative.facts.written:
            return None
        names = {old: new for old, new in zip(letters, own) if old != new}
        met: set[Dim] = set()
        for value in captured:
            with_dims(value, lambda dim: met.add(dim[1] if isinstance(dim, tuple) else dim))
        if not met.isdisjoint({*names, *names.values()}):
            return None
        return derivative, with_dims(derivative.facts.result, lambda dim: renamed(dim, names))


def pattern(kind: Any, values: list[Abstract]) -> tuple[Any, list[Dim]]:
    """What is alike for arguments with sizes that are equal and unequal in the same places, and made of others in the
    same way; and the sizes' names."""
    names: dict[Dim, str] = {}

    def numbered(dim: Any) -> Dim:
        if isinstance(dim, tuple) and dim[0] not in NAMED:
            return (dim[0], *map(numbered, dim[1:]))
        if not isinstance(dim, (str, tuple)):
            return dim
        number = names.setdefault(dim, f"#{len(names)}")
        return number if isinstance(dim, str) else (dim[0], number)

    alike = tuple([with_dims(value, numbered) for value in values])
    return (kind, alike), list(names)


def renamed(dim: Any, names: dict[Dim, Dim]) -> Dim:
    """A size under another name, or what is made of it."""
    if isinstance(dim, tuple) and dim not in names:
        return tuple([renamed(part, names) if place else part for place, part in enumerate(dim)])
    return names.get(dim, dim) if isinstance(dim, (str, tuple)) else dim
