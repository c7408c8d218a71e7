"""Pairs of names that have something in common, such as memory: a value that is made anew at each statement.

For each name the others are one number, whose bits are their places in a numbering. A loop of a hundred lines has
thousands of pairs, and each line joins some and leaves others out: a few operations on such numbers.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator


class Numbering:
    """The places of names among bits."""

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.bits: dict[str, int] = {}

    def bit(self, label: str) -> int:
        if label not in self.bits:
            self.bits[label] = 1 << len(self.labels)
            self.labels.append(label)
        return self.bits[label]

    def all(self, labels: Iterable[str]) -> int:
        found = 0
        for label in labels:
            found |= self.bit(label)
        return found

    def named(self, bits: int) -> Iterator[str]:
        while bits:
            last = bits & -bits
            yield self.labels[last.bit_length() - 1]
            bits ^= last


class Pairs:
    """Pairs of names; ``partners``: for each name the others, none of them where it has none."""

    __slots__ = "numbering", "partners"

    def __init__(self, numbering: Numbering, partners: dict[str, int]):
        self.numbering = numbering
        self.partners = partners

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pairs) and self.partners == other.partners

    __hash__ = None  # type: ignore[assignment]

    def __or__(self, other: Pairs) -> Pairs:
        if self.partners is other.partners or not other.partners:
            return self
        found = dict(self.partners)
        for label, bits in other.partners.items():
            found[label] = found.get(label, 0) | bits
        return Pairs(self.numbering, found)

    def of(self, label: str) -> set[str]:
        """The name and those with which it is a pair."""
        return {label, *self.numbering.named(self.partners.get(label, 0))}

    def crossed(self, some: Iterable[str], others: Iterable[str]) -> Pairs:
        """Each of ``some`` with each of the ``others``, and no other pairs."""
        bit = self.numbering.bit
        first, second = self.numbering.all(some), self.numbering.all(others)
        found: dict[str, int] = {}
        for label in self.numbering.named(first | second):
            bits = (second if bit(label) & first else 0) | (first if bit(label) & second else 0)
            if bits & ~bit(label):
                found[label] = bits & ~bit(label)
        return Pairs(self.numbering, found)

    def rebound(self, bound: set[str], reach: dict[str, set[str]]) -> Pairs:
        """The pairs once names are bound, each to what all names in its ``reach`` may be: all at once, as in
        ``u, v = v, u``."""
        gone = self.numbering.all(bound)
        found = {label: bits & ~gone for label, bits in self.partners.items() if label not in bound}
        around = {label: self.numbering.all(others) for label, others in reach.items()}
        for label, others in around.items():
            own = self.numbering.bit(label)
            for other in self.numbering.named(others & ~gone):
                found[other] = found.get(other, 0) | own
            together = [second for second, theirs in around.items() if second != label and others & theirs]
            found[label] = others & ~gone | self.numbering.all(together)
        return Pairs(self.numbering, {label: bits for label, bits in found.items() if bits})

    def without(self, are_apart: Callable[[str, str], bool], among: Iterable[str]) -> Pairs:
        """Without the pairs of one name ``among`` these with another of which it is known that they have nothing in
        common."""
        found = dict(self.partners)
        for label in among:
            for other in self.numbering.named(self.partners.get(label, 0)):
                if are_apart(label, other):
                    found[label] &= ~self.numbering.bit(other)
                    found[other] &= ~self.numbering.bit(label)
        return Pairs(self.numbering, {label: bits for label, bits in found.items() if bits})
