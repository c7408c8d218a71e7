"""Which containers may be in one, however deep: after ``kept = [row]; rows.append(row)``, ``kept`` holds ``row``,
but not ``rows``, and what is put into ``rows`` is nothing to it.

Where ``aliases.py`` knows of two names only that one may be the other's container, or that both hold a third, this
tells which holds which. It is asked only where a program would be refused otherwise.
"""
from __future__ import annotations

from typing import Any

import gast

from s2sgrad.compiler.facts import Facts, Version, origins
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Augment,
    Loop,
    Program,
    Store,
    part_for,
    pattern_names,
    statements,
)
from s2sgrad.compiler.sharing import (
    comes_from_outside,
    gives_tuple,
    holdings,
    holds_arrays_at_most,
    makes_container,
    puts,
    shared,
)
from s2sgrad.frozen import frozen
from s2sgrad.rules.abstract import Items, may_hold


@frozen
class Made:
    """What a version is bound to: the versions that it may be, be in, or hold; whether it is another container than
    these, that may hold them; and whether it may be, or hold, what other code has."""

    of: frozenset[Version]
    new: bool
    outside: bool


class Holding:
    def __init__(self, program: Program, facts: Facts):
        self.facts = facts
        self.line = {statement: number for number, outer in enumerate(program.body)
                     for statement in statements((outer,))}
        """In which statement of the function's own block each is."""
        self.bound_in: dict[Version, int] = {}
        self.made: dict[Version, Made] = {}
        for (statement, _), version in facts.defined.items():
            self.bound_in[version] = self.line.get(statement, 0)
        for statement, version, given in holdings(facts):
            bound = list(pattern_names(statement.target or ())) if isinstance(statement, (Assign, Loop)) else []
            if holds_arrays_at_most(version.value) or version.name not in bound and isinstance(
                    statement, (Assign, Loop)):
                continue  # changed by a call: what that puts into it is among the ``puts``
            environment = facts.before.get(statement, {})
            part, place = part_for(statement, version.name, given), self.place(statement, version.name)
            sources = shared(part, facts, environment, True, place)
            outside = comes_from_outside(part, facts, sources, place)
            others = [facts.defined[statement, label] for label in bound if label != version.name]
            sources |= {other for other in others if part_for(statement, other.name, given) is part and (
                self.place(statement, other.name) == place or self.is_tangled(part))}  # new, but under several names
            whole = part is not given or isinstance(statement, Assign) and isinstance(statement.target, str)
            new = not bound or whole and makes_container(part, facts)  # an item of what is new may be in others, too
            self.made[version] = Made(frozenset(sources), new, outside)
        self.puts = list(puts(facts))
        self.known: dict[tuple[Version, int], set[Version] | None] = {}

    def place(self, statement: Any, label: str) -> int | None:
        """Which item of the tuple that a call gives has a name, or a name in it."""
        called = self.facts.callee_of(statement.value) if isinstance(statement, Assign) else None
        target = getattr(statement, "target", None)
        if called is None or not isinstance(target, tuple) or not gives_tuple(called, len(target)):
            return None
        return next((place for place, part in enumerate(target) if label in pattern_names(part)), None)

    def is_tangled(self, node: Any) -> bool:
        """Whether two of the items that a call gives may be, or hold, the same."""
        called = self.facts.callee_of(node)
        return called is None or called.derivative.program.gives_back is None and (
            not called.derivative.settled or called.derivative.facts.tangled)

    def may_hold(self, whole: Version, part: Version, statement: Any) -> bool:
        """Whether a container may be another one, or hold it, where a statement is run."""
        key = whole, self.line[statement]
        if key not in self.known:
            self.known[key] = self.inside(*key)
        found = self.known[key]
        return found is None or part in found

    def has_own(self, whole: Version, kind: type, other: Version) -> bool:
        """Whether all containers of a class in one were made where they went into it, and the function puts none that
        has a name anywhere: then they are not in what an argument is, nor in what begins without them."""
        facts = self.facts
        changed = [key for key, (_, container) in facts.in_place.items() if isinstance(container.value, Items)]
        if not all(isinstance(statement, (Append, Augment, Store)) for statement in changed):
            return False
        makers = {version: statement for (statement, _), version in facts.defined.items()}
        bound = [getattr(makers.get(version), "value", None) for version in origins(whole).union(
            version for version in origins(other) if version.origin != "parameter")]
        return all(self.is_new(node, kind) for node in (*bound, *(statement.value for statement in changed)))

    def is_new(self, node: Any, kind: type) -> bool:
        """Whether all containers of a class in what an expression gives are made there."""
        if node is None or not may_hold(self.facts.values.get(id(node)), kind):
            return node is not None
        parts = {gast.List: "elts", gast.Tuple: "elts", gast.Dict: "values", gast.ListComp: "elt",
                 gast.DictComp: "value"}
        inside = getattr(node, parts[type(node)]) if type(node) in parts else None
        return all(self.is_new(part, kind) for part in (inside if isinstance(inside, list) else [inside]))

    def inside(self, whole: Version, last: int) -> set[Version] | None:
        """The versions that a container may be or hold, by the end of a statement of the function's block; None where
        that may be anything."""
        facts = self.facts
        found, around = {whole}, set[Version]()  # and those that may hold some of them
        made = {version: made for version, made in self.made.items() if self.bound_in[version] <= last}
        joined = [version for table in (facts.after, facts.heads) for statement, environment in table.items()
                  if self.line.get(statement, 0) <= last for version in environment.values() if version.sources]
        changed = [(old, new) for old, new in facts.in_place.values() if self.bound_in.get(new, last) <= last]
        size = -1
        while size < len(found) + len(around):
            size = len(found) + len(around)
            found = {version for version in found if not holds_arrays_at_most(version.value)}
            for version in list(found):
                bound = made.get(version, Made(frozenset(), False, not version.sources))
                if bound.outside:
                    return None
                found.update(bound.of, version.sources)
            for container, values in self.puts:
                if container in found:
                    found |= values
                if not values.isdisjoint(found | around):
                    around.add(container)
            for group in (found, around):
                group.update([new for old, new in changed if old in group])
                group.update([version for version in joined if not group.isdisjoint(version.sources)])
            for version, bound in made.items():
                if not bound.of.isdisjoint(found | around):
                    around.add(version)
                    if not bound.new:
                        found.add(version)
        return found
