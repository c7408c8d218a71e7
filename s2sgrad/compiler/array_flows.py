"""Which names and containers may have an array from which others: what ``by_number.py`` must give numbers to."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import gast

from s2sgrad.compiler.facts import Facts, Version, with_joins
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Augment,
    Evaluate,
    Leave,
    Loop,
    Program,
    Store,
    pattern_names,
    statements,
)
from s2sgrad.compiler.respell import assigned
from s2sgrad.compiler.scopes import COMPREHENSIONS
from s2sgrad.compiler.sharing import shared
from s2sgrad.rules.abstract import Abstract, Items, Known, Numeric, Opaque, items_of

HAND_ON = (list, tuple, reversed, enumerate, zip)
"""Builtins that give what their arguments hold."""


class Unfit(Exception):
    """A program has arrays, objects or containers in it of which this is not the way to tell them apart."""


class Flows:
    """Which versions get an array, or what holds it, from which others."""

    def __init__(self, program: Program, facts: Facts):
        self.program = program
        self.facts = facts
        self.targets: dict[Version, set[Version]] = {}
        """For each version those that may get its memory, views of it among them."""
        self.links: dict[Version, set[Version]] = {}
        """The same in both directions, of arrays and containers as they are."""
        for (statement, label), version in facts.defined.items():
            if isinstance(statement, Assign):
                for target, value in assigned(statement.target, statement.value):
                    if label in pattern_names(target):
                        self.note(version, value, statement)
                        for other in pattern_names(target):  # what is taken apart holds numbers, or arrays
                            self.links.setdefault(version, set()).add(facts.defined.get((statement, other), version))
            elif isinstance(statement, Loop):
                self.note(version, statement.iterable, statement)
        for statement, (old, new) in facts.in_place.items():
            self.link(new, [old])
            if isinstance(old.value, Items) and isinstance(statement, (Append, Store, Augment)):
                self.note(new, statement.value, statement)
            elif isinstance(old.value, Items) and isinstance(statement, Evaluate):
                for argument in getattr(statement.value, "args", ()):
                    self.note(new, argument, statement)
        self.known = {*facts.defined.values(), *facts.parameters.values(),
                      *(version for pair in facts.in_place.values() for version in pair)}
        for environment in (*facts.after.values(), *facts.heads.values(), *facts.beyond.values(),
                            *facts.before.values()):
            self.known.update(environment.values())
        self.known = with_joins(self.known)
        for version in self.known:
            self.link(version, version.sources)

    def note(self, version: Version, node: gast.AST, statement: Any) -> None:
        environment = self.facts.before.get(statement, {})
        self.link(version, held_by(node, self.facts, environment))
        for source in shared(node, self.facts, environment):
            self.targets.setdefault(source, set()).add(version)
            if isinstance(version.value, Items) and isinstance(source.value, Items):  # what one gets the other has
                self.targets.setdefault(version, set()).add(source)

    def link(self, version: Version, sources: Iterable[Version]) -> None:
        for source in sources:
            if version.name != source.name and (is_none(version) or is_none(source)):
                continue  # of None there is one only: a name for it is one of an array's where both come to it
            self.targets.setdefault(source, set()).add(version)
            self.links.setdefault(version, set()).add(source)
            self.links.setdefault(source, set()).add(version)

    def alike(self, labels: set[str]) -> set[Version]:
        """The versions that may be the same arrays as those under some names that are written into, or hold them, or
        are held by them."""
        first = [version for version in self.known if version.name in labels and isinstance(version.value, Items)]
        first += [version for pair in self.facts.in_place.values() for version in pair if version.name in labels]
        return reached(first, self.links)

    def is_only_read(self, version: Version) -> bool:
        """Whether nothing is written into an array, and no result has it."""
        found = reached([version], self.targets)
        for statement, (old, _) in self.facts.in_place.items():
            if old in found and not (isinstance(old.value, Items) and changes_container(statement, self.facts)):
                return False
        return not any(version in found for statement in statements(self.program.body)
                       if isinstance(statement, Leave) and statement.value is not None and statement in
                       self.facts.before for version in held_by(
                           statement.value, self.facts, self.facts.before[statement]))


def reached(first: Iterable[Version], links: dict[Version, set[Version]]) -> set[Version]:
    """The versions to which links lead, and from which to others."""
    found: set[Version] = set()
    pending = list(first)
    while pending:
        version = pending.pop()
        if version not in found and (holds_memory(version.value) or is_none(version)):
            found.add(version)
            pending.extend(links.get(version, ()))
    return found


def is_none(version: Version) -> bool:
    return version.value == Known(None)


def changes_container(statement: Any, facts: Facts) -> bool:
    """Whether a statement changes what a container holds, and none of the arrays there."""
    if isinstance(statement, Store):
        around = facts.values.get(id(statement.target.value))
        return isinstance(around, Items) and not statement.replaces  # or the array in the place has changed
    return isinstance(statement, (Append, Evaluate)) or isinstance(statement, Augment) and isinstance(
        statement.target, gast.Name)


def held_by(node: Any, facts: Facts, environment: dict) -> Iterator[Version]:
    """The versions that an expression may give as they are, or what they hold; new arrays, and views, are others."""
    if isinstance(node, gast.Name):
        if node.id in environment:
            yield environment[node.id]
        return
    parts: list = []
    if isinstance(node, gast.IfExp):
        parts = [node.body, node.orelse]
    elif isinstance(node, (gast.Subscript, gast.Attribute)):
        parts = [node.value] if isinstance(facts.values.get(id(node.value)), Items) else []
    elif isinstance(node, (gast.List, gast.Tuple)):
        parts = node.elts
    elif isinstance(node, gast.Dict):
        parts = node.values
    elif isinstance(node, COMPREHENSIONS):
        parts = [getattr(node, "elt", getattr(node, "value", None)), *(each.iter for each in node.generators)]
    elif isinstance(node, gast.BinOp) and isinstance(facts.values.get(id(node)), Items):
        parts = [node.left, node.right]
    elif isinstance(node, gast.Call):
        function = facts.values.get(id(node.func))
        if isinstance(function, Known) and any(function.value is known for known in HAND_ON):
            parts = node.args
        elif isinstance(node.func, gast.Attribute) and isinstance(facts.values.get(id(node.func.value)), Items):
            parts = [node.func.value, *node.args]
    for part in parts:
        yield from held_by(part, facts, environment)


def holds_memory(value: Abstract | None) -> bool:
    """Whether a value is an array, or may hold one, or may be None in the place of one."""
    if isinstance(value, Items):
        return True
    return isinstance(value, Numeric) and not value.is_number or isinstance(value, Opaque) and value.besides is not None


def holds_arrays(value: Abstract | None) -> bool:
    """Whether there is an array in a container.

    Raises
    ------
    Unfit
        That is not known, or it may be in something else than a list, a tuple or a dict.
    """
    if isinstance(value, Items):
        if value.kind not in (list, tuple, dict) or value.optional:
            raise Unfit
        found = [holds_arrays(part) for part in items_of(value)]  # each is looked at
        return any(found)
    if isinstance(value, Opaque) and value.besides is not None:
        value = value.besides
    if isinstance(value, Numeric):
        if value.kind != "array" and not value.is_number:
            raise Unfit
        return value.kind == "array"
    if isinstance(value, Opaque) and not value.steady:
        raise Unfit
    return False
