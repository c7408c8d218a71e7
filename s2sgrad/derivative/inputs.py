"""What is known of the inputs that a compilation captures; what is raised where more of the inputs must be known."""
from __future__ import annotations

from collections.abc import Callable

from s2sgrad.errors import Location, UnsupportedError
from s2sgrad.rules.abstract import Abstract
from s2sgrad.rules.table import NeedsValue
from s2sgrad.signature import Place


class NewPlace(Exception):
    """A captured input was met that the signature doesn't hold."""

    def __init__(self, place: Place):
        super().__init__(place.name)
        self.place = place


class Captured(dict):
    """What is known of the captured inputs, by place. Those of the functions that are called are met one by one, and
    described as they come (``meet``); without that, NewPlace is raised."""

    def __init__(self, known: dict[Place, Abstract], meet: Callable[[Place], Abstract] | None = None):
        super().__init__(known)
        self.meet = meet

    def __missing__(self, place: Place) -> Abstract:
        if self.meet is None:
            raise NewPlace(place)
        self[place] = found = self.meet(place)
        return found


class NeedsInput(Exception):
    """The value of an integer input must be known: start again with it."""

    def __init__(self, origin: str, location: Location | None):
        super().__init__(origin)
        self.origin = origin
        self.location = location


class Endless(Exception):
    """A function calls itself with ever other integers: start again, with these as numbers that are not known."""


class TooMany(Exception):
    """More functions were to be looked into than a session may."""


def must_be_known(name: str, location: Location | None) -> UnsupportedError:
    return UnsupportedError(f"the value of {name} must be known before the call",
                            "write it as a literal, or pass an int as an argument of its own", location)


def needed(need: NeedsValue) -> Exception:
    """The exception for a value that must be known: start again with it, where it is an input."""
    origin = getattr(need.value, "origin", None)
    return must_be_known(need.parameter, need.location) if origin is None else NeedsInput(origin, need.location)
