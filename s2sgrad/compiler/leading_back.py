"""Objects that hold themselves: in a list, in an object that knows its parent, or in a function that is kept, be it one
of their own methods.

What is known of such an object holds what was known of it when it came into itself. So it must stay as it is from there
on: what changes under its own name would be the same as before where it is read inside.
"""
from __future__ import annotations

from collections.abc import Collection, Iterator

import gast

from s2sgrad.compiler.facts import Facts, Version, origins
from s2sgrad.compiler.nodes import walk
from s2sgrad.compiler.program import Leave, Program, Store, expressions_in, statements
from s2sgrad.frozen import frozen
from s2sgrad.rules.abstract import Abstract, Items, Numeric, items_of


@frozen
class Found:
    """What a path leads to, from what one of some versions was bound to."""

    versions: frozenset[Version]
    path: tuple

    @classmethod
    def under(cls, version: Version, path: tuple) -> Found:
        return cls(frozenset(origins(version)), path)


class Holders:
    """Which objects hold which others, by what was bound to the names that these had when they came there."""

    def __init__(self) -> None:
        self.held: dict[Version, dict[tuple, Found]] = {}

    def note(self, place: Found, value: Found) -> None:
        for version in place.versions:
            self.held.setdefault(version, {})[place.path] = value

    def places(self, whole: Found, part: Found, seen: frozenset[Version] = frozenset()) -> Iterator[tuple]:
        """Where in a whole a part may be: as it is known itself, or put there under another name."""
        path = whole.path
        if whole.versions & part.versions and part.path[:len(path)] == path:
            yield part.path[len(path):]
        for version in whole.versions - seen:
            for place, found in self.held.get(version, {}).items():
                if place[:len(path)] == path:
                    for inner in self.places(found, part, seen | whole.versions):
                        yield (*place[len(path):], *inner)


def has_place(value: Abstract, path: tuple) -> bool:
    """Whether a value has a place, or may get it, as far as that is known."""
    for step in path:
        if not isinstance(value, Items) or value.items is None or step not in value.steps:
            return isinstance(value, Items) and value.is_dict and step is path[-1]
        value = value.at(step)
    return True


def objects_of(value: Abstract) -> Iterator[Items]:
    """The objects that a value is, or that are anywhere in it."""
    if isinstance(value, Items):
        if value.is_object:
            yield value
        for part in items_of(value):
            yield from objects_of(part)


def stays_under(label: str, program: Program, facts: Facts) -> bool:
    """Whether an object goes nowhere from its name, where it is made, but to whoever called the function: all that is
    done with it is to set its attributes, and to read numbers and arrays there. A method has the object, and so may a
    function that is made inside."""
    body = list(statements(program.body))
    nodes = [part for statement in body for node in expressions_in(statement) for part in walk(node)]
    harmless = {id(statement.value) for statement in body if isinstance(statement, Leave)}
    harmless |= {id(statement.target.value) for statement in body if isinstance(statement, Store)}
    harmless |= {id(node.value) for node in nodes if isinstance(node, gast.Attribute) and isinstance(
        facts.values.get(id(node)), Numeric)}
    return not any(isinstance(node, (gast.Lambda, gast.FunctionDef)) or isinstance(node, gast.Name)
                   and node.id == label and id(node) not in harmless for node in nodes)


def note_met(facts: Facts, holders: list[Abstract], value: Abstract) -> None:
    """Something is put into the last of the ``holders``, each of which is in the one before, that may be of the same
    memory: note the classes of those that may hold themselves from here on."""
    inside = {found.kind for found in objects_of(value)}
    facts.led_back.update(found.kind for found in holders if isinstance(found, Items) and found.is_object
                          and found.kind in inside)


def note_called(facts: Facts) -> None:
    """Note those of which functions that are called have made objects."""
    for called in (*facts.calls.values(), *facts.callees.values()):
        if called.derivative.is_known:
            facts.led_back |= called.derivative.facts.led_back


def leads_back(facts: Facts, value: Abstract) -> bool:
    """Whether a value may hold itself: an object of such a class, with another of that class in it."""
    return bool(facts.led_back) and holds_its_kind(value, facts.led_back)


def holds_its_kind(value: Abstract, kinds: Collection[type] | None = None) -> bool:
    """Whether an object (of one of the ``kinds``) is in a value that has another of its class in it."""
    return any(inner.kind is found.kind for found in objects_of(value) if kinds is None or found.kind in kinds
               for part in items_of(found) for inner in objects_of(part))
