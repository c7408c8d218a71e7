"""The tuples that blocks save."""
from __future__ import annotations

from collections.abc import Collection
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.captures import Capture, Captures
from s2sgrad.compiler.facts import Facts, Version
from s2sgrad.compiler.kept import Point, decided, made
from s2sgrad.compiler.kept_parts import KeptParts
from s2sgrad.compiler.nodes import attribute, call, constant, name, names_in, root_of, tuple_of, walk
from s2sgrad.compiler.program import Append, Augment, Delete, Evaluate, Leave, Loop, Store, expressions_in, statements
from s2sgrad.compiler.respell import changed
from s2sgrad.compiler.scopes import free_nodes
from s2sgrad.compiler.sharing import later_contents, may_be_written, shared
from s2sgrad.compiler.structures import structure
from s2sgrad.errors import Location
from s2sgrad.rules.abstract import Abstract, Items, Numeric, is_key

PERHAPS = (gast.IfExp, gast.BoolOp, gast.Compare, gast.Lambda, gast.GeneratorExp, gast.ListComp, gast.SetComp,
           gast.DictComp)
"""Expressions of which a part may not be evaluated."""


class Saving(KeptParts):
    """The part of the primal that saves."""

    def advance(self, point: Point, offset: int, out: list, location: Location) -> Point:
        """Add a decision's offset to the path id: at no cost while the id is known."""
        if point.path is not None:
            return Point(point.certain, point.possible, point.decisions, point.path + offset)
        if offset:
            out.append(Augment(name(self.path_name), gast.Add(), constant(offset), location))
        return point

    def saves(self, loop: Loop) -> bool:
        return ("buffer", loop) in self.captures.table

    def returned(self, value: gast.AST, location: Location, point: Point, environment: dict) -> Leave:
        path: gast.AST = name(self.path_name) if point.path is None else constant(point.path)
        raises = set() if any(isinstance(part, PERHAPS) for part in walk(value)) else set(names_in(value))
        slots = [self.slot(capture, point, environment, raises) for capture in self.slots(None)]
        return Leave("return", tuple_of([value, path, tuple_of(slots)]), location)

    def save(self, loop: Loop, out: list, point: Point, environment: dict) -> None:
        buffer = self.captures.table.get(("buffer", loop))
        if buffer is None:
            return
        slots = [self.slot(capture, point, environment) for capture in self.slots(loop)]
        item = slots[0] if len(slots) == 1 else tuple_of(slots) if slots else constant(None)
        out.append(Evaluate(call(attribute(name(buffer.name), "append"), item), loop.location))

    def slot(self, capture: Capture, point: Point, environment: dict, raises: Collection[str] = ()) -> gast.AST:
        """The value of a slot as it is bound at a point; None where there is none. ``raises``: names that are read
        before, which would have ended the call if they had no value."""
        if capture.kind in ("decision", "returned"):
            return self.decision(capture, point)
        if capture.kind != "version":
            return self.bound(capture.name, point)
        version = capture.subject
        if version.origin == "captured":
            value: gast.AST = name(version.name)
            return self.copied(value, version.value) if version in self.fragile else value
        if self.is_there(version, environment):
            if version.unbound and version.name not in raises:
                self.needs.nones.add(version.name)
            return name(version.name)
        if made(version) not in point.possible:
            number = isinstance(version.value, Numeric) and version.value.is_number
            if version in self.captures.shapes and version.name in environment and not number:
                # the zeros that the reversal starts with here are the cotangent of what the name is here
                if environment[version.name].unbound:
                    self.needs.nones.add(version.name)
                held = environment[version.name].value
                return name(version.name) if isinstance(held, Numeric) or version not in self.fragile else self.copied(
                    name(version.name), held, written=False)  # whoever calls this may change what is in it
            return self.formed(version.value) if self.again else constant(None)
        self.copied_from.add(version)
        return self.bound(self.copy_for(capture), point)

    def bound(self, variable: str, point: Point) -> gast.AST:
        if variable in point.certain:
            return name(variable)
        if variable in point.possible:
            self.needs.nones.add(variable)
            return name(variable)
        return self.nothing(variable)

    def raising_unbound(self, body: list) -> list:
        """The statements, where a name that may have no value is bound to None, because it is saved: what reads it
        raises what it does in the user's function."""
        read: dict[int, gast.AST] = {}
        nones = self.needs.nones & self.program.names
        for statement in statements(self.program.body) if nones else ():
            environment = self.facts.before.get(statement, {})
            written = root_of(statement.target) if isinstance(statement, (Augment, Store, Append, Delete)) else None
            for node in (part for expression in expressions_in(statement)
                         for part in free_nodes(expression, frozenset())):
                if node.id not in nones or node is written:
                    continue
                version = environment.get(node.id)
                if version is not None and version.unbound and isinstance(version.value, (Numeric, Items)) \
                        and not getattr(version.value, "optional", False):  # it may be None
                    read[id(node)] = call(self.helpers.helper("bound"), name(node.id), constant(node.id))
        return [changed(statement, read) for statement in body] if read else body

    def nothing(self, variable: str) -> gast.AST:
        """What is saved where there is no value, and never read; where it is differentiated again, of the form of what
        is there otherwise."""
        return self.formed(self.form(variable)) if self.again else constant(None)

    def formed(self, value: Abstract | None) -> gast.AST:
        dtype = np.dtype(float) if not isinstance(value, Numeric) or value.dtype is None else value.dtype
        if isinstance(value, Numeric) and value.kind == "array" and value.shape is not None:
            empty = tuple_of([constant(0)] * len(value.shape)) if len(value.shape) != 1 else constant(0)
            names = [] if dtype == np.dtype(float) else [self.helpers.numpy(dtype.name)]
            return call(self.helpers.numpy("zeros"), empty, *names)
        if not isinstance(value, Items):
            if value is not None and is_key(value):  # a number beside texts would be no key for what follows
                return constant("")
            known = isinstance(value, Numeric) and value.is_number and dtype.kind in "biuc"
            return constant(dtype.type(0).item() if known else 0.0)
        return structure(value, [self.formed(item) for item in value.items or ()], self.helpers)

    def form(self, variable: str) -> Abstract | None:
        """What is known of the value of a name that is saved."""
        for version, copy in self.needs.copies.items():
            if copy == variable:
                return version.value
        captures = self.captures.table.values()
        named = {**{capture.subject.name: capture for capture in captures if capture.kind == "version"},
                 **{capture.name: capture for capture in captures}}
        return saved_form(named[variable], self.facts) if variable in named else None

    def decision(self, capture: Capture, point: Point) -> gast.AST:
        for subject, outcome in point.decisions:
            if subject == capture.subject:
                return constant(outcome)
        if capture.kind == "returned":
            return constant(False)
        if decided(capture.name) in point.possible:
            self.needs.variables.add(capture.subject)
            return self.bound(capture.name, point)
        return constant(None)


def saves_memory(version: Version, captures: Captures, facts: Facts) -> bool:
    """Whether something that is saved may be memory of an array, or hold it, and not only measure it."""
    memory = {version}
    later_contents(memory, facts)
    nodes: list[Any]
    for capture in captures.table.values():
        nodes = []
        if capture.kind == "version" and capture.subject in memory and capture.name in captures.contents:
            return True
        if capture.kind == "part" and may_be_written(capture.value):
            nodes = [capture.subject]
        elif capture.kind == "saved":
            nodes = [node for node in facts.calls[id(capture.subject.value)].arguments if node is not None]
        environment = facts.before.get(capture.statement or capture.subject, {})
        if any(not memory.isdisjoint(shared(node, facts, environment)) for node in nodes):
            return True
    captures.measured(memory)
    return False


def saved_form(capture: Capture, facts: Facts) -> Abstract:
    """What is known of a slot: of what a call saves, what its function's slots are."""
    if capture.kind == "saved":
        return facts.calls[id(capture.subject.value)].derivative.saved_form()
    return capture.value
