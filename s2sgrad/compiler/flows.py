"""Which memory may be under which names."""
from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from s2sgrad.errors import UnsupportedError
from s2sgrad.frozen import frozen


class SharesMemory(UnsupportedError):
    """What some names stand for may be one array, or in one container, and is written into."""

    labels: frozenset[str] = frozenset()
    """These names, as far as they are known."""


class NeedsPlaces(SharesMemory):
    """Two names may stand for one container, of which it is told apart only what is written out as a place; or one
    of the names ``parts`` stands for something in a container."""

    parts: frozenset[str] = frozenset()


@frozen
class Sharing:
    """What may share memory at a point: pairs of names, and the names of what code may have that nobody checks."""

    pairs: frozenset[frozenset[str]] = frozenset()
    visible: frozenset[str] = frozenset()
    holding: frozenset[str] = frozenset()
    """Names of containers that the function made itself, but of what the caller can see."""
    boxes: frozenset[frozenset[str]] = frozenset()
    """Pairs of names of which one may be the other's container, or hold it: both see what is put into it."""
    doubled: frozenset[str] = frozenset()
    """Names of objects in which an array may be in two places."""
    knots: frozenset[str] = frozenset()
    """Names of containers in which something may be in two places, or what the function has from elsewhere than its
    arguments."""

    def with_name(self, label: str) -> set[str]:
        """The name and those that may share its memory."""
        return with_partners(label, self.pairs)

    def with_box(self, label: str) -> set[str]:
        return with_partners(label, self.boxes)

    def join(self, other: Sharing) -> Sharing:
        return Sharing(self.pairs | other.pairs, self.visible | other.visible, self.holding | other.holding,
                       self.boxes | other.boxes, self.doubled | other.doubled, self.knots | other.knots)


class Flow(NamedTuple):
    """What a name that is bound may get.

    Attributes
    ----------
    sources
        The names whose memory that may be.
    seen
        Whether it is ``"visible"`` to the caller or a container of the function's own ``"holding"`` what is
        (``"doubled"``: arrays at most).
    boxes
        The ``sources`` that it may have a container of.
    taken_out
        It was in a container, and is there no more: what else may be there it shares nothing with.
    """

    label: str
    sources: set[str] = set()
    seen: str = ""
    boxes: set[str] = set()
    taken_out: bool = False

    def partners(self, labels: set[str], of: Callable[[str], set[str]]) -> set[str]:
        """The ``sources``, or those among them, and what these may be."""
        return labels if self.taken_out else set().union(*map(of, labels))


def with_partners(label: str, pairs: frozenset[frozenset[str]]) -> set[str]:
    return {label, *(other for pair in pairs if label in pair for other in pair)}


def crossed(some: set[str], others: set[str]) -> frozenset[frozenset[str]]:
    return frozenset(frozenset((one, other)) for one in some for other in others if one != other)


def paired(bound: set[str], reach: dict[str, set[str]], pairs: frozenset[frozenset[str]]) -> frozenset[frozenset[str]]:
    """The pairs once names are bound, each to what all names in its ``reach`` may be: all at once, as in
    ``u, v = v, u``."""
    result = {pair for pair in pairs if bound.isdisjoint(pair)}
    for label, others in reach.items():
        result.update(frozenset((label, other)) for other in others if other not in bound)
        result.update(frozenset((label, second)) for second, theirs in reach.items()
                      if second != label and not others.isdisjoint(theirs))
    return frozenset(result)


BY_PLACE = "use one name for the object: its place in one list, objects[i].h = v, with a number that tells which"


def copied(label: str, how: str = "{}.copy()") -> str:
    """What to do about a write into what has two names: they are to differ, or are the same thing."""
    return f"write {label} = {how.format(label)} before it, or use one name for both if the other is to change as well"
