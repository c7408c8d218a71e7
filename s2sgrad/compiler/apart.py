"""Whether the containers in a container are each in one place only, and whether a container is under one name only.

Where ``rows[0]`` and ``rows[1]`` may be the same list, a write into one changes the other; their cotangents, which are
kept by place, would not know.
"""
from __future__ import annotations

import functools
from collections import deque
from typing import Any

import gast

from s2sgrad import runtime
from s2sgrad.compiler.equivalents import sorted_by
from s2sgrad.compiler.facts import Called, Facts, Version, origins, same_array
from s2sgrad.compiler.nodes import holder, names_in, ordered_children
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Augment,
    Context,
    Define,
    Evaluate,
    Leave,
    Loop,
    Program,
    Store,
    Verbatim,
    statements,
)
from s2sgrad.compiler.respell import assigned
from s2sgrad.compiler.sharing import (
    handed_through,
    holds_arrays_at_most,
    makes_container,
    memory_behind,
    put_by,
    shared,
    whole_parts,
)
from s2sgrad.containers import in_library
from s2sgrad.rules.abstract import Abstract, Items, Known, Numeric, Opaque, is_key, items_of, known_value, may_hold

READERS = (len, range, enumerate, zip, reversed, sorted, any, all, float, int, bool, str, print, list, tuple, set,
           deque)
"""Builtins that keep nothing of their arguments but what those hold."""
NEW_ALL_THROUGH = (runtime.zeros_of, runtime.zero_tangent)
"""What gives containers in which all is new, each in one place."""


class Apart:
    def __init__(self, program: Program, facts: Facts, given: set[str], arrays: bool = False,
                 written: type | None = None):
        self.given = given
        """The arguments of which the caller sees to it that nothing in them is there twice."""
        self.arrays = arrays
        """Whether the arrays in containers are meant, too."""
        self.written = written
        """The class of the only containers that are meant, and what holds them; None: all are."""
        self.program = program
        self.facts = facts
        self.puts = [statement.value for statement in statements(program.body)
                     if isinstance(statement, (Assign, Append, Store)) and not (
                         isinstance(statement, Assign) and isinstance(statement.value, gast.Name))]
        self.puts += [node for called in facts.calls.values() for parameter, label in called.written.items()
                      for node in put_by(called, parameter) if node is not None]
        self.made: dict[Version, tuple[Any, gast.AST]] = {}
        for (statement, label), version in facts.defined.items():
            for target, value in assigned(statement.target, statement.value) if isinstance(statement, Assign) else ():
                if target == label:
                    self.made[version] = statement, value
        self.unpacked = {facts.defined[statement, label]: (statement.value, place)
                         for statement, label in facts.defined if isinstance(statement, Assign)
                         and isinstance(statement.target, tuple) and id(statement.value) in facts.callees
                         for place, target in enumerate(statement.target) if target == label}
        """Versions that are parts of what a call gives: the call, and the place in that."""
        self.changed_by = {version: statement for statement, (_, version) in facts.in_place.items()}

    def holds(self, version: Version) -> bool:
        """Whether it holds of the container that a name stands for."""
        seen: set[Version] = set()
        pending = [version]
        while pending:
            version = pending.pop()
            if version in seen:
                continue
            seen.add(version)
            if version.name in self.program.cotangents:
                continue
            if version.sources:
                pending.extend(version.sources)
                put = self.changed_by.get(version)
                if isinstance(put, Store) and (put.back or put.exchanged or self.adds(put)):  # what is there already
                    continue
                if isinstance(put, (Append, Store)) and not self.is_new(put.value, version, self.facts.before[put]):
                    return False
                if isinstance(put, tuple) and not self.call_puts_new(put[0], put[1], version):
                    return False
            elif version in self.unpacked:
                if not self.gives_new_part(*self.unpacked[version]):
                    return False
            elif version not in self.made:
                if version.name not in self.given or version.origin != "parameter":
                    return False
            else:
                statement, value = self.made[version]
                whole = self.facts.before[statement].get(holder(value) or self.put_in_order(value) or "")
                if whole is not None:  # the same container, or what is in another
                    pending.append(whole)
                elif not self.holds_new(value, version, self.facts.before[statement]):
                    return False
        return True

    def called_by(self, node: gast.Call) -> Any:
        """The function that a call calls, MISSING where it is not known, as that of a method."""
        return known_value(self.facts.values.get(id(node.func), Opaque()))

    def put_in_order(self, node: Any) -> str | None:
        """The name of the list of which ``sorted`` gives the items in another order."""
        if not isinstance(node, gast.Call) or not node.args:
            return None
        function = self.called_by(node)
        if function is not sorted and function is not sorted_by or isinstance(
                self.facts.values.get(id(node.args[0])), Numeric):  # of an array it makes a list of its own
            return None
        return getattr(node.args[0], "id", None)

    def call_puts_new(self, statement: Any, label: str, version: Version) -> bool:
        """Whether what a call puts into the container under a name is in no other place."""
        called = self.facts.call_of(statement.value)
        if called is None or not called.derivative.settled:
            return False
        facts = called.derivative.facts
        twice = facts.knotted | facts.doubled if self.arrays else facts.knotted
        return all(parameter not in twice and all(
            node is not None and self.is_new(node, version, self.facts.before[statement])
            for node in put_by(called, parameter)) for parameter, written in called.written.items() if written == label)

    def adds(self, put: Store) -> bool:
        """Whether a store is the last part of an in-place operator on a number or an array in a container: that, or a
        new one, is in its place."""
        return bool(put.paired) and holds_arrays_at_most(self.facts.values.get(id(put.value)))

    def is_private(self, label: str) -> bool:
        """Whether what a name stands for are containers made for it, which no other name or container can have: the
        name is never an expression of its own but where it is run through, measured, indexed or returned."""
        for version, (_, value) in self.made.items():
            if version.name == label and not makes_container(value, self.facts):
                return False
        bound = {version for version in self.facts.defined.values() if version.name == label}
        return label not in self.facts.parameters and label not in self.handed_on and all(
            version in self.made or version.sources for version in bound)

    @functools.cached_property
    def handed_on(self) -> set[str]:
        """The names of which another name, a container or a function may get what they stand for."""
        found: set[str] = set()
        for statement in statements(self.program.body):
            if isinstance(statement, Loop):
                self.names_handed_on(statement.iterable, found, True)
            elif isinstance(statement, (Assign, Append, Store, Augment, Evaluate)):
                self.names_handed_on(statement.value, found, False)
                if not isinstance(statement, (Assign, Evaluate)):
                    self.names_handed_on(statement.target, found, True)
            elif isinstance(statement, Leave) and statement.kind == "return":
                for node in parts_of_display(statement.value):  # nothing comes behind it
                    self.names_handed_on(node, found, True)
            elif isinstance(statement, (Define, Verbatim)):
                found.update(names_in(statement.node))
            elif isinstance(statement, Context):
                for manager, _ in statement.items:
                    self.names_handed_on(manager, found, False)
        return found

    def names_handed_on(self, node: Any, found: set[str], read_only: bool) -> None:
        if isinstance(node, gast.Name):
            if not read_only:
                found.add(node.id)
            return
        value = self.facts.values.get(id(node))
        only_reads = isinstance(value, Numeric) and id(node) in self.facts.applied or isinstance(
            node, (gast.Subscript, gast.Compare, gast.UnaryOp)) or (
            isinstance(node, gast.BinOp) and isinstance(value, Items))  # the sum of two lists is another one
        if isinstance(node, gast.Call):
            function = self.facts.values.get(id(node.func))
            only_reads |= isinstance(function, Known) and any(function.value is known for known in READERS)
            if isinstance(node.func, gast.Attribute):  # methods of containers give what is in them, or new ones
                self.names_handed_on(node.func.value, found, True)
        for field, _, child in ordered_children(node) if isinstance(node, gast.AST) else ():
            if not (isinstance(node, gast.Call) and field == "func" and isinstance(child, gast.Attribute)):
                self.names_handed_on(child, found, only_reads)

    def holds_new(self, node: Any, place: Version, environment: dict) -> bool:
        """Whether the containers in what an expression makes are in no other place."""
        node = self.facts.spelled_out(self.facts.written_display(node))
        called = self.facts.callees.get(id(node))
        if self.is_flat(self.facts.values.get(id(node))) or self.gives_new(called, place, environment):
            return True
        made_by = self.called_by(node) if isinstance(node, gast.Call) else None
        if any(made_by is known for known in NEW_ALL_THROUGH):
            return True
        if id(node) in self.facts.displays:  # dict(w=weights, v=values)
            return all(item is not None and self.is_new(item, place, environment)
                       for item in self.facts.displays[id(node)])
        if isinstance(node, (gast.List, gast.Tuple)):
            return all(self.is_new(item, place, environment) for item in node.elts)
        if isinstance(node, gast.Dict):
            return all(self.is_new(item, place, environment) for item in node.values)
        if not isinstance(node, (gast.ListComp, gast.DictComp)):
            return False
        item = node.elt if isinstance(node, gast.ListComp) else node.value
        return self.is_new(item, place, {})  # what has a name goes into each of the items

    def is_new(self, node: Any, place: Version, environment: dict) -> bool:
        """Whether what is put into a container is in no other place, nor what it holds."""
        if self.is_steady(self.facts.values.get(id(node))):
            return True
        applied = self.facts.applied.get(id(node))
        if applied is not None and applied.operation.sharing == "fresh":
            return True
        if self.gives_new(self.facts.callees.get(id(node)), place, environment):
            return True
        if not isinstance(node, gast.Name):
            return makes_container(node, self.facts) and self.holds_new(node, place, environment)
        made = origins(environment[node.id]) if node.id in environment else set()
        put = sum(isinstance(part, gast.Name) and part.id == node.id
                  for value in self.puts for part in whole_parts(value, self.facts))
        if len(made) != 1 or put > 1 or not self.wholes(environment[node.id]).isdisjoint(self.wholes(place)):
            return False
        (version,) = made
        if version in self.unpacked:
            return version.loop is place.loop and self.holds(environment[node.id])
        if version not in self.made:
            return False
        statement, value = self.made[version]
        if id(value) in self.facts.popped:  # it goes back to where it was
            source = value.func.value  # type: ignore[attr-defined]
            return version.loop is place.loop and self.is_array(node) and getattr(source, "id", "") == place.name \
                and same_array(self.facts.before[statement][place.name], place)
        return version.loop is place.loop and not isinstance(value, gast.Name) and self.is_new(
            value, place, environment) and (self.is_array(node) or self.holds(environment[node.id]))

    def stays_constant(self, value: Abstract | None, label: str) -> bool:
        """Whether a list or dict holds nothing that is differentiated, and none like it does that is in the container
        under a name, whatever is put there."""
        return isinstance(value, Items) and value.is_changeable and not value.active and not any(
            may_hold_active(version.value, value.kind) for pair in self.facts.in_place.values() for version in pair
            if version.name == label)

    def wholes(self, version: Version) -> set[Version]:
        """The containers that a name may stand for, or for what is in them, by the versions that they were first."""
        found: set[Version] = set()
        pending = [version]
        while pending:
            for first in origins(pending.pop()) - found:
                found.add(first)
                statement, value = self.made.get(first, (None, None))
                around = holder(value) if value is not None else None
                if around in self.facts.before.get(statement, {}):
                    pending.append(self.facts.before[statement][around])
        return found

    def gives_new(self, called: Called | None, place: Version, environment: dict) -> bool:
        """Whether what a call gives is memory that nobody else has, each array and container in one place: made by it,
        or what it gets of that kind."""
        given = handed_through(called) if called is not None else None
        if called is None or given is None:
            return False
        own = in_library(called.derivative.function.__module__)
        return (own or not called.derivative.facts.tangled) and all(
            part is not None and self.is_new(part, place, environment) for part in given)

    def gives_new_part(self, node: gast.AST, place: int) -> bool:
        """The same of a part of the tuple that a call gives, which nothing else there has, or holds."""
        called = self.facts.callees[id(node)]
        derivative = called.derivative
        if called.remembered or not derivative.settled:
            return False
        facts = derivative.facts
        inside = Apart(derivative.program, facts, set(), self.arrays)
        for statement in statements(derivative.program.body):
            if not (isinstance(statement, Leave) and statement.kind == "return" and statement in facts.before):
                continue
            parts = getattr(statement.value, "elts", ())
            environment = facts.before[statement]
            if len(parts) <= place or any(isinstance(part, gast.Starred) for part in parts) \
                    or not inside.holds_there(parts[place], statement.value, environment):
                return False
            (own, outside), *others = [
                memory_behind([*shared(part, facts, environment, not self.arrays)], facts, not self.arrays)
                for part in (parts[place], *parts[:place], *parts[place + 1:])]
            if outside or any(found.origin == "parameter" for found in own) or any(
                    not own.isdisjoint(found) for found, _ in others):
                return False
        return True

    def holds_there(self, node: Any, whole: gast.AST, environment: dict) -> bool:
        """Whether it holds of an item of the tuple that the function returns."""
        if isinstance(node, gast.Name):
            return self.holds(environment[node.id])
        self.puts.append(whole)
        return self.is_new(node, Version("", None, self.facts.values[id(node)], "bound", 0), environment)

    def is_array(self, node: gast.AST) -> bool:
        return isinstance(self.facts.values.get(id(node)), Numeric)

    def is_steady(self, value: Abstract | None) -> bool:
        """Whether nothing can be written into a value, of what is meant here; None: nothing is known."""
        if isinstance(value, Opaque) and value.besides is not None:  # or None
            value = value.besides
        return isinstance(value, Known) or is_key(value) or isinstance(value, Numeric) and (
            value.is_number or not self.arrays) or self.written is not None and value is not None and not may_hold(
                value, self.written)

    def is_flat(self, value: Abstract | None) -> bool:
        """Whether a container holds nothing that can be written into."""
        return isinstance(value, Items) and all(map(
            self.is_steady, value.items if value.items is not None else [value.element]))


def parts_of_display(node: Any) -> list[gast.AST]:
    """The expressions of what is in a tuple or list that is written out, and in those in it; of others themselves."""
    if not isinstance(node, (gast.Tuple, gast.List)):
        return [node]
    return [part for item in node.elts for part in parts_of_display(item)]


def may_hold_active(value: Abstract, kind: type) -> bool:
    """Whether a container of a kind, with something differentiated in it, may be in a value."""
    if not isinstance(value, Items):
        return isinstance(value, Opaque) and not is_key(value)
    return value.kind is kind and value.active or any(may_hold_active(item, kind) for item in items_of(value))
