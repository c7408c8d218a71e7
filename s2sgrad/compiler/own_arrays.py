"""Which arrays a part of a container may be, by what was put there: ``f.height`` after ``f = Fluid(h.copy(), b)``.

``sharing.py`` knows of a container only all that went into it. Here a part is followed, through constructors, methods
and stores, to the expressions that made the arrays. That is tried only where the former would have a program refused.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import gast

from s2sgrad.compiler.apart import Apart
from s2sgrad.compiler.facts import CONTENTS, Called, Facts, Version, open_path
from s2sgrad.compiler.program import Assign, Leave, Pattern, Program, Store, statements
from s2sgrad.compiler.sharing import draws, lenders, makes_container
from s2sgrad.rules.abstract import Abstract, Items, Numeric

DEEPEST = 8
"""How many calls, one inside the other, are looked into; and how many steps there are to a part at most."""
LONGEST = 400
"""How many values are looked at on the way at most."""


@dataclass
class Origin:
    """What an array may be: the expressions that make it (each the calls that lead to it, and it), the parameters, and
    places in them."""

    made: set[tuple] = field(default_factory=set)
    given: set[tuple[Version, tuple]] = field(default_factory=set)
    arrays: set[Version] = field(default_factory=set)
    """The versions of the function's names that it has on the way."""
    containers: set[Version] = field(default_factory=set)
    """Those that it is in."""
    itself: bool = True
    """Whether it is one of those, and no view of one."""

    def meets(self, other: Origin) -> bool:
        return not self.made.isdisjoint(other.made) or any(
            one is two and may_meet(path, place)
            for one, path in self.given for two, place in other.given)


def may_meet(path: tuple, other: tuple) -> bool:
    """Whether one of two paths may lead to, or around, what the other leads to."""
    return all(one == two or CONTENTS in (one, two) for one, two in zip(path, other))


class Unknown(Exception):
    """It may be some other array, too."""


class OwnArrays:
    """One function, and as the ``call`` of it the ``calls`` that lead there from the one that is asked about; the
    ``outer`` one has made the last, with what its names were then."""

    def __init__(self, program: Program, facts: Facts, apart: Apart, calls: tuple = (), outer: Any = None):
        self.program = program
        self.facts = facts
        self.bound = apart.made
        self.unpacked = {
            version: (statement, steps) for (statement, label), version in facts.defined.items()
            if version not in self.bound and isinstance(statement, Assign)
            for steps in steps_to(label, statement.target, facts.values.get(id(statement.value)))}
        self.changed_by = {new: (key, old) for key, (old, new) in facts.in_place.items()}
        self.calls = calls
        self.outer = outer
        self.seen: set[tuple[Version, tuple]] = set()
        self.known: dict[tuple[Version, tuple], Origin | None] = {}
        """What parts of containers, and arrays under names, may be, as far as that was asked."""

    def of(self, node: gast.AST, environment: dict) -> Origin | None:
        """What an array may be that an expression gives; None where that is not known."""
        return self.followed((self, node, environment, ()))

    def part_of(self, container: Version, path: tuple) -> Origin | None:
        """The same of a part of a container, or of an array under a name, for which the path is empty."""
        if (container, path) not in self.known:
            self.known[container, path] = self.followed((self, container, {}, path))
        return self.known[container, path]

    def followed(self, first: tuple) -> Origin | None:
        self.seen = set()
        found, pending, count = Origin(), [first], 0
        while pending:
            function, what, environment, path = pending.pop()
            count += 1
            if count > LONGEST or len(path) > DEEPEST:
                return None
            try:
                pending += function.version(what, path, found) if isinstance(what, Version) else function.expression(
                    what, environment, path, found)
            except Unknown:
                return None
        return found

    def expression(self, node: Any, environment: dict, path: tuple, found: Origin) -> Iterable[tuple]:
        """Note what the part of an expression to which a path leads may be, as far as it tells; what is left to look
        at: functions, each with a version or an expression and its names, and the path from there."""
        node = self.facts.spelled_out(self.facts.written_display(node))
        value = self.facts.values.get(id(node))
        applied = self.facts.applied.get(id(node))
        called = self.facts.callee_of(node)
        if isinstance(value, Numeric) and value.is_number:
            return []
        if isinstance(node, gast.Name):
            if node.id not in environment:
                raise Unknown
            return [(self, environment[node.id], {}, path)]
        if isinstance(node, gast.IfExp):
            return [(self, part, environment, path) for part in (node.body, node.orelse)]
        if not path and isinstance(value, Items) and makes_container(node, self.facts):
            found.made.add((*self.calls, id(node)))
            return []
        if isinstance(node, (gast.Attribute, gast.Subscript)) and isinstance(
                self.facts.values.get(id(node.value)), Items):
            if isinstance(getattr(node, "slice", None), gast.Slice):
                return [(self, node.value, environment, (CONTENTS, *path[1:]))]
            step = open_path(node, self.facts)[-1] if leads_from_a_name(node) else CONTENTS
            return [(self, node.value, environment, (step, *path))]
        if called is not None:
            return self.given_by(called, node, environment, path)
        if isinstance(node, gast.Call) and isinstance(value, Numeric) and draws(node, self.facts):
            found.made.add((*self.calls, id(node)))
            return []
        if applied is None and not self.facts.is_picked(node):
            return [(self, part, environment, path[1:]) for part in self.parts(node, value, path)]
        if path:
            raise Unknown
        if applied is None or self.facts.is_picked(node) or applied.operation.sharing == "fresh":
            found.made.add((*self.calls, id(node)))
            return []
        found.itself = False
        return [(self, part, environment, ()) for part in lenders(applied)]

    def parts(self, node: Any, value: Abstract | None, path: tuple) -> list[gast.AST]:
        """The expressions in a display to which the first step of a path may lead."""
        parts = self.facts.displays.get(id(node))
        if parts is None:
            parts = node.values if isinstance(node, gast.Dict) else getattr(node, "elts", None)
        if not path or not isinstance(value, Items) or parts is None or len(parts) != len(value.steps):
            raise Unknown
        found = [part for step, part in zip(value.steps, parts) if path[0] in (step, CONTENTS)]
        if not found or any(part is None or isinstance(part, gast.Starred) for part in found):
            raise Unknown
        return found  # type: ignore[return-value]

    def version(self, version: Version, path: tuple, found: Origin) -> Iterable[tuple]:
        """The same of the value that a name has."""
        if (version, path) in self.seen:
            return []
        self.seen.add((version, path))
        if self.outer is None:
            (found.arrays if isinstance(version.value, Numeric) else found.containers).add(version)
        if version in self.changed_by:
            return self.changed(*self.changed_by[version], path)
        if version.sources:
            return [(self, source, {}, path) for source in version.sources]
        if version in self.bound:
            statement, value = self.bound[version]
            return [(self, value, self.facts.before[statement], path)]
        if version in self.unpacked:
            statement, steps = self.unpacked[version]
            return [(self, statement.value, self.facts.before[statement], (*steps, *path))]
        if version.origin != "parameter":
            raise Unknown
        if self.outer is None:
            found.given.add((version, path))
            return []
        function, called, environment = self.outer
        argument = dict(zip(called.derivative.parameters, called.arguments)).get(version.name)
        if argument is None:
            raise Unknown
        return [(function, argument, environment, path)]

    def changed(self, key: Any, old: Version, path: tuple) -> Iterable[tuple]:
        """The same of what a statement wrote into: an array is what it was, of a container a part may be another."""
        if isinstance(old.value, Numeric) or not path:
            return [(self, old, {}, path)]
        if isinstance(key, tuple):
            called = self.facts.call_of(key[0].value)
            parameter = next((each for each, label in called.written.items() if label == key[1]), None) \
                if called is not None else None
            if called is None or parameter is None:
                raise Unknown
            return self.given_by(called, key[0], self.facts.before[key[0]], path, parameter)
        if not isinstance(key, Store):
            raise Unknown
        place = self.facts.places.get(key) or open_path(key.target, self.facts)
        if not may_meet(place, path):
            return [(self, old, {}, path)]
        if len(place) > len(path):
            raise Unknown
        perhaps = CONTENTS in place or CONTENTS in path[:len(place)]
        return [(self, key.value, self.facts.before[key], path[len(place):]),
                *([(self, old, {}, path)] if perhaps else [])]

    def given_by(self, called: Called, call: Any, environment: dict, path: tuple, parameter: str | None = None
                 ) -> Iterable[tuple]:
        """The same of what a call gives, or of the object that it changes."""
        derivative = called.derivative
        if len(self.calls) >= DEEPEST or not derivative.settled or called.remembered:
            raise Unknown
        facts = derivative.facts
        inside = OwnArrays(derivative.program, facts, Apart(derivative.program, facts, set()),
                           (*self.calls, id(call)), (self, called, environment))
        if parameter is not None:
            return [(inside, version, {}, path) for version in facts.ends.get(parameter, ())]
        returned = [statement for statement in statements(derivative.program.body)
                    if isinstance(statement, Leave) and statement.kind == "return" and statement in facts.before]
        if any(statement.value is None for statement in returned):
            raise Unknown
        return [(inside, statement.value, facts.before[statement], path) for statement in returned]


def argument_at(called: Called, path: tuple) -> Any:
    """The argument of a call that is the array in a place of what it gives; None where that may be another."""
    derivative = called.derivative
    returned = [statement for statement in statements(derivative.program.body)
                if isinstance(statement, Leave) and statement.kind == "return"] if derivative.settled else []
    if called.remembered or len(returned) != 1 or returned[0] not in derivative.facts.before:
        return None
    inside = OwnArrays(derivative.program, derivative.facts, Apart(derivative.program, derivative.facts, set()))
    found = inside.followed((inside, returned[0].value, derivative.facts.before[returned[0]], path))
    if found is None or found.made or len(found.given) != 1 or not found.itself:
        return None
    (version, inner), = found.given
    return None if inner else called.arguments[derivative.parameters.index(version.name)]


def steps_to(label: str, pattern: Pattern, value: Abstract | None) -> Iterator[tuple]:
    """The way to what a name is bound to where a container is taken apart: (1, 0) for ``c`` in ``a, (c, d) = xs``."""
    if pattern == label:
        yield ()
    if isinstance(pattern, tuple) and isinstance(value, Items) and value.items is not None \
            and len(value.items) == len(pattern) and value.keys is None:
        for place, (part, item) in enumerate(zip(pattern, value.items)):
            yield from ((place, *steps) for steps in steps_to(label, part, item))


def leads_from_a_name(node: Any) -> bool:
    """Whether an expression leads from a name to a part of what is under it."""
    while isinstance(node, (gast.Attribute, gast.Subscript)):
        node = node.value
    return isinstance(node, gast.Name)
