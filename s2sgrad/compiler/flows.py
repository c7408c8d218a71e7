"""Which memory may be under which names."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import gast

from s2sgrad.compiler.pairs import Pairs
from s2sgrad.errors import UnsupportedError
from s2sgrad.frozen import frozen
from s2sgrad.rules.abstract import Opaque


class SharesMemory(UnsupportedError):
    """What some names stand for may be one array, or in one container, and is written into."""

    labels: frozenset[str] = frozenset()
    """These names, as far as they are known."""


class NeedsPlaces(SharesMemory):
    """Two names may stand for one container, of which it is told apart only what is written out as a place; or one
    of the names ``parts`` stands for something in a container."""

    parts: frozenset[str] = frozenset()


def mixture(value: Opaque, node: gast.AST | None, called: bool) -> tuple[str, str]:
    """What may be a container of differentiated values, or be called, and may be something else; and what to do about
    it."""
    if called:
        return several_functions(node)
    kind, _, label = (value.lacking or "").partition(" ")
    if kind == "class":
        return f"an object of class {label}", (
            "call its methods where it is made; keep the objects of each class in a list of their own, or make one "
            "class, whose methods look at an attribute")
    return ("a container of differentiated values, or neither that nor None",
            "let it have one form throughout; take one of several objects by its place in a list, objects[i].h")


def several_functions(called: gast.AST | None) -> tuple[str, str]:
    """The same where it is called: by its place in a list a loop that is written out can do without."""
    by_number = isinstance(called, gast.Subscript) and not isinstance(called.slice, gast.Constant)
    return "one of several functions that hold differentiated values", (
        "let the loop run through the list itself, for g in functions: y = g(y)" if by_number else
        "make one function, which chooses when it is called; keep unlike ones in lists of their own")


class Mixed(SharesMemory):
    """A name may stand for one of several objects of unlike classes."""

    facts: Any = None
    """What was known when that was found."""


@frozen
class Sharing:
    """What may share memory at a point: pairs of names, and the names of what code may have that nobody checks."""

    pairs: Pairs
    boxes: Pairs
    """Pairs of names of which one may be the other's container, or hold it: both see what is put into it."""
    visible: frozenset[str] = frozenset()
    holding: frozenset[str] = frozenset()
    """Names of containers that the function made itself, but of what the caller can see."""
    doubled: frozenset[str] = frozenset()
    """Names of objects in which an array may be in two places."""
    knots: frozenset[str] = frozenset()
    """Names of containers in which something may be in two places, or what the function has from elsewhere than its
    arguments."""

    def with_name(self, label: str) -> set[str]:
        """The name and those that may share its memory."""
        return self.pairs.of(label)

    def with_box(self, label: str) -> set[str]:
        return self.boxes.of(label)

    def is_one_of_several(self, label: str) -> bool:
        """Whether a name may stand for either of two things that have nothing to do with one another."""
        others = self.with_name(label) - {label}
        return any(not others - {one} <= self.with_name(one) for one in others)

    def join(self, other: Sharing) -> Sharing:
        return Sharing(self.pairs | other.pairs, self.boxes | other.boxes, self.visible | other.visible,
                       self.holding | other.holding, self.doubled | other.doubled, self.knots | other.knots)


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


BY_NUMBER = "let a loop count, and read each item in it, for i in range(len(u)): v = u[i]"
"""What to do about a loop over that which it changes."""
CHOSEN = "write into each under its own name, in the branches of an if"
BY_PLACE = "use one name for the object: its place in one list, objects[i].h = v, with a number that tells which"


def copied(label: str, how: str = "{}.copy()") -> str:
    """What to do about a write into what has two names: they are to differ, or are the same thing."""
    return f"write {label} = {how.format(label)} before it, or use one name for both if the other is to change as well"
