"""Which arrays a part of a container may be, by what was put there: ``f.height`` after ``f = Fluid(h.copy(), b)``.

``sharing.py`` knows of a container only all that went into it. Here a part is followed, through constructors, methods
and stores, to the expressions that made the arrays. That is tried only where the former would have a program refused.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import gast

from s2sgrad.compiler.apart import Apart
from s2sgrad.compiler.facts import CONTENTS, Called, Facts, Version, open_path
from s2sgrad.compiler.program import Leave, Program, Store, statements
from s2sgrad.rules.abstract import Abstract, Items, Numeric

DEEPEST = 8
"""How many calls, one inside the other, are looked into; and how many steps there are to a part at most."""


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
    def __init__(self, program: Program, facts: Facts, apart: Apart, depth: int = 0):
        self.program = program
        self.facts = facts
        self.bound = apart.made
        self.changed_by = {new: (key, old) for key, (old, new) in facts.in_place.items()}
        self.depth = depth

    def of(self, node: gast.AST, environment: dict) -> Origin | None:
        """What an array may be that an expression gives; None where that is not known."""
        found = Origin()
        return self.complete(found, self.leading_to(node, environment, (), found, set(), ()))

    def part_of(self, container: Version, path: tuple) -> Origin | None:
        """The same of a part of a container."""
        found = Origin()
        return self.complete(found, self.version(container, path, found, set(), ()))

    def complete(self, found: Origin, left: Iterator[tuple[Version, tuple]]) -> Origin | None:
        try:
            found.given.update(left)
        except Unknown:
            return None
        return found

    def leading_to(self, node: Any, environment: dict, path: tuple, found: Origin, seen: set, calls: tuple
                   ) -> Iterator[tuple[Version, tuple]]:
        """Note what the part of an expression to which a path leads may be; what is left are parameters, and parts of
        them."""
        node = self.facts.spelled_out(self.facts.written_display(node))
        value = self.facts.values.get(id(node))
        applied = self.facts.applied.get(id(node))
        if len(path) > DEEPEST:
            raise Unknown
        if isinstance(value, Numeric) and value.is_number:
            return
        if isinstance(node, gast.Name):
            if node.id not in environment:
                raise Unknown
            yield from self.version(environment[node.id], path, found, seen, calls)
        elif isinstance(node, gast.IfExp):
            for part in (node.body, node.orelse):
                yield from self.leading_to(part, environment, path, found, seen, calls)
        elif isinstance(node, (gast.Attribute, gast.Subscript)) and isinstance(
                self.facts.values.get(id(node.value)), Items):
            step = open_path(node, self.facts)[-1] if is_path(node) else CONTENTS
            yield from self.leading_to(node.value, environment, (step, *path), found, seen, calls)
        elif self.facts.callee_of(node) is not None:
            yield from self.given_by(self.facts.callee_of(node), node, environment, path, found, calls, seen)
        elif applied is not None or self.facts.is_picked(node):
            if path:
                raise Unknown
            if self.facts.is_picked(node) or applied.operation.rule.sharing == "fresh":
                found.made.add((*calls, id(node)))
                return
            for part in applied.nodes.values():
                yield from self.leading_to(part, environment, (), found, seen, calls)
        else:
            for part in self.parts(node, value, path):
                yield from self.leading_to(part, environment, path[1:], found, seen, calls)

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

    def version(self, version: Version, path: tuple, found: Origin, seen: set, calls: tuple
                ) -> Iterator[tuple[Version, tuple]]:
        if (version, path) in seen:
            return
        seen.add((version, path))
        if not calls:
            (found.arrays if isinstance(version.value, Numeric) else found.containers).add(version)
        if version in self.changed_by:
            yield from self.changed(version, *self.changed_by[version], path, found, seen, calls)
        elif version.sources:
            for source in version.sources:
                yield from self.version(source, path, found, seen, calls)
        elif version in self.bound:
            statement, value = self.bound[version]
            yield from self.leading_to(value, self.facts.before[statement], path, found, seen, calls)
        elif version.origin == "parameter":
            yield version, path
        else:
            raise Unknown

    def changed(self, version: Version, key: Any, old: Version, path: tuple, found: Origin, seen: set, calls: tuple
                ) -> Iterator[tuple[Version, tuple]]:
        """The same of what a statement wrote into: an array is what it was, of a container a part may be another."""
        if isinstance(old.value, Numeric):
            yield from self.version(old, path, found, seen, calls)
            return
        if isinstance(key, tuple):
            called = self.facts.call_of(key[0].value)
            parameter = next((each for each, label in called.written.items() if label == key[1]), None) \
                if called is not None else None
            if parameter is None:
                raise Unknown
            yield from self.given_by(called, key[0], self.facts.before[key[0]], path, found, calls, seen, parameter)
            return
        if not isinstance(key, Store):
            raise Unknown
        place = self.facts.places.get(key) or open_path(key.target, self.facts)
        if not may_meet(place, path):
            yield from self.version(old, path, found, seen, calls)
            return
        if len(place) > len(path):
            raise Unknown
        yield from self.leading_to(key.value, self.facts.before[key], path[len(place):], found, seen, calls)
        if CONTENTS in place or CONTENTS in path[:len(place)]:
            yield from self.version(old, path, found, seen, calls)

    def given_by(self, called: Called | None, call: Any, environment: dict, path: tuple, found: Origin, calls: tuple,
                 seen: set, parameter: str | None = None) -> Iterator[tuple[Version, tuple]]:
        """The same of what a call gives, or of the object that it changes."""
        assert called is not None
        derivative = called.derivative
        if len(calls) >= DEEPEST or not derivative.settled or called.remembered:
            raise Unknown
        inside = OwnArrays(derivative.program, derivative.facts, Apart(
            derivative.program, derivative.facts, set(), arrays=True))
        left: list[tuple[Version, tuple]] = []
        own: set = set()
        if parameter is not None:
            for version in derivative.facts.ends.get(parameter, ()):
                left += inside.version(version, path, found, own, (*calls, id(call)))
        else:
            for statement in statements(derivative.program.body):
                if isinstance(statement, Leave) and statement.kind == "return" and statement in derivative.facts.before:
                    if statement.value is None:
                        raise Unknown
                    left += inside.leading_to(statement.value, derivative.facts.before[statement], path, found, own,
                                              (*calls, id(call)))
        for version, rest in left:
            argument = dict(zip(derivative.parameters, called.arguments)).get(version.name)
            if argument is None:
                raise Unknown
            yield from self.leading_to(argument, environment, rest, found, seen, calls)


def is_path(node: Any) -> bool:
    """Whether an expression leads from a name to a part of what is under it."""
    while isinstance(node, (gast.Attribute, gast.Subscript)):
        node = node.value
    return isinstance(node, gast.Name)
