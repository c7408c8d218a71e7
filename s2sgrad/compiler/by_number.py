"""Arrays that several names and containers may hold, as numbers of places in one list that holds each of them once.

``history.append(u); u += h`` becomes ``history.append(u_place); arrays[u_place] += h``, and what reads ``history[0]``
reads ``arrays[history[0]]``: which name stands for which array is then said by numbers, and an array's cotangent is in
one place. That is what Python does with references, so nothing but the text changes; whether the writes may be reversed
is found out about the new text as about any other. It is tried only once a program was refused as it stands.
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.array_flows import Flows, Unfit, holds_arrays, is_none
from s2sgrad.compiler.facts import Facts, is_array, is_array_value
from s2sgrad.compiler.nodes import constant, name, tuple_of
from s2sgrad.compiler.numbered_values import NumberedValues
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Augment,
    Branch,
    Context,
    Declare,
    Delete,
    Evaluate,
    Import,
    Leave,
    Loop,
    Program,
    Remove,
    Store,
    assigned_names,
    mentioned,
    pattern_names,
    read_names,
    statements,
)
from s2sgrad.compiler.respell import assigned
from s2sgrad.rules.abstract import Items, Numeric, Opaque

ARRANGE = {"clear", "reverse", "extend", "pop"}
"""Methods of containers that change only which of the arrays they hold, and where."""


def by_number(program: Program, facts: Facts, labels: Iterable[str]) -> Program | None:
    """The program with numbers for the arrays that some names stand for, or hold, and for all that these may be; None
    where that can't be done."""
    flows = Flows(program, facts)
    found = flows.alike(set(labels))
    if not found:
        return None
    try:
        return _Numbering(program, facts, found, flows).run()
    except Unfit:
        return None


class _Numbering(NumberedValues):
    def run(self) -> Program:
        for version in self.found:
            if isinstance(version.value, Items):
                if version.origin in ("parameter", "captured"):
                    raise Unfit
                holds_arrays(version.value)
            elif version.origin == "captured" or not (
                    is_array(version) or isinstance(version.value, Opaque) or is_none(version)):
                raise Unfit
            if version.name in self.program.inner:
                raise Unfit
        for version in self.flows.known:  # numbers meet numbers only
            if any((source in self.found) is not (version in self.found) for source in version.sources):
                raise Unfit
            if version not in self.found and isinstance(version.value, Items) and any(
                    isinstance(target.value, Items) for target in self.flows.targets.get(version, set()) & self.found):
                raise Unfit  # what a function made of a container, as one sorted by a key
        place = self.program.body[0].location
        first: list = [Assign(self.arrays, self.at(gast.List([], gast.Load()), None), place)]
        for label, version in self.facts.parameters.items():
            if version in self.found and is_none(version):
                first.append(Assign(self.place(label), constant(None), place))
            elif version in self.found:
                # of one that nobody changes a copy does as well, which tells it from those that are changed
                given = gast.Call(gast.Attribute(name(label), "copy", gast.Load()), [], [])
                first += [Append(name(self.arrays), given if self.flows.is_only_read(version) else name(label), place),
                          Assign(self.place(label), self.last(), place)]
        body = (*first, *self.block(self.program.body))
        labels = frozenset(self.names.taken)
        return replace(self.program, body=body, names=self.program.names | labels, given=self.given)

    # ---- statements

    def block(self, body: tuple) -> tuple:
        before = self.before
        made = tuple(new for statement in body for new in self.statement(statement))
        self.before = before
        return made

    def inside(self, body: tuple) -> tuple:
        """The same of a block that runs perhaps never, or more than once."""
        self.count = None
        return self.block(body)

    def statement(self, statement: Any) -> list:
        self.environment = self.facts.before.get(statement, {})
        if statement not in self.facts.before:
            if any(version.name in mentioned(part) for part in statements((statement,)) for version in self.found):
                raise Unfit
            return [statement]
        self.before, self.location, self.fixed = [], statement.location, False
        made = self.rewritten(statement)
        return [*self.before, *made] if self.before else made

    def rewritten(self, statement: Any) -> list:
        others = None if self.is_known(statement) else self.facts.written_out.get(statement)
        if others is not None and statement not in self.taken_apart:  # a loop may be one of them
            self.taken_apart.add(statement)
            simpler = list(self.block(tuple(others)))
            self.taken_apart.remove(statement)
            return simpler
        if isinstance(statement, Assign):
            return self.assign(statement)
        if isinstance(statement, Augment):
            return self.augment(statement)
        if isinstance(statement, Store):
            if statement.replaces or statement.back:  # it stands for a change of what is in the place
                raise Unfit
            if self.is_part(statement.target):
                kept = self.number(statement.value)
                return [replace(statement, target=self.part(statement.target), value=kept)]
            return [replace(statement, target=self.value(statement.target), value=self.value(statement.value))]
        if isinstance(statement, Append):
            if not self.is_part(statement.target):
                return [replace(statement, value=self.value(statement.value), place=self.value(statement.place))]
            return [replace(statement, target=self.part(statement.target), value=self.number(statement.value),
                            place=self.value(statement.place))]
        if isinstance(statement, Evaluate):
            return [replace(statement, value=self.effect(statement.value), writes=self.writes(statement.writes))]
        if isinstance(statement, Branch):
            test = self.truth(statement.test)
            return [replace(statement, test=test, then=self.inside(statement.then),
                            orelse=self.inside(statement.orelse))]
        if isinstance(statement, Loop):
            return self.loop(statement)
        if isinstance(statement, Context) and not any(self.mentions(manager) for manager, _ in statement.items):
            return [replace(statement, body=self.block(statement.body), final=self.block(statement.final))]
        if isinstance(statement, Leave):
            return [replace(statement, value=self.value(statement.value), cause=self.value(statement.cause))]
        if isinstance(statement, Delete):
            return [replace(statement, target=self.slot(statement.target))]
        if isinstance(statement, Remove):
            return [replace(statement, targets=tuple(
                self.part(name(label)).id if self.is_numbered(label) else label for label in statement.targets))]
        if isinstance(statement, (Import, Declare)) and not any(
                version.name in read_names((statement,)) for version in self.found):
            return [statement]
        if any(map(self.is_numbered, read_names((statement,)) | assigned_names((statement,)))):
            raise Unfit
        return [statement]

    def is_known(self, statement: Any) -> bool:
        """Whether it is known what a statement binds, and not only what those bind that were looked at in its place."""
        if isinstance(statement, Assign):
            return all((statement, label) in self.facts.defined for label in pattern_names(statement.target))
        return not isinstance(statement, Loop)

    def assign(self, statement: Assign) -> list:
        writes = self.writes(statement.writes)
        if not self.takes_numbers(statement.target, statement):
            return [replace(statement, value=self.value(statement.value), writes=writes)]
        places = tuple(map(self.slot, statement.places))
        pairs = list(assigned(statement.target, statement.value))
        if any(isinstance(target, tuple) and is_array_value(self.facts.values.get(id(value)))
               for target, value in pairs):
            raise Unfit  # the rows of an array, which are views
        if len(pairs) > 1:
            values: list = [self.number(value) if self.takes_numbers(target, statement) else self.value(value)
                            for target, value in pairs]
            return [replace(statement, target=self.pattern(statement.target, statement), places=places,
                            value=gast.copy_location(tuple_of(values), statement.value))]
        node: Any = statement.value
        if isinstance(node, gast.IfExp) and not (self.is_kept(node.body) and self.is_kept(node.orelse)):
            then, orelse = self.like(statement, value=node.body), self.like(statement, value=node.orelse)
            return self.rewritten(Branch(node.test, (then,), (orelse,), statement.location))
        value = self.number(statement.value)
        if isinstance(value, gast.Name) and self.before and getattr(self.before[-1], "target", "") == value.id \
                and isinstance(statement.target, str):  # a new array
            self.before[-1] = replace(self.before[-1], target=self.pattern(statement.target, statement))
            return []
        return [replace(statement, target=self.pattern(statement.target, statement), value=value, writes=writes,
                        places=places)]

    def slot(self, node: Any) -> Any:
        """A place in which something is stored."""
        return self.part(node) if self.is_part(node) else self.value(node)

    def like(self, statement: Assign, **parts: Any) -> Assign:
        """A statement in the place of another."""
        made = replace(statement, **parts)
        self.facts.before[made] = self.facts.before[statement]
        for label in pattern_names(statement.target):
            self.facts.defined[made, label] = self.facts.defined[statement, label]
        return made

    def augment(self, statement: Augment) -> list:
        target: Any = statement.target
        if statement.paired or not self.mentions(target):
            return [replace(statement, value=self.value(statement.value))]
        if self.is_part(target) and isinstance(self.known(target), Items):
            if not isinstance(target, gast.Name):
                raise Unfit
            return [replace(statement, value=self.number(statement.value))]
        if self.is_part(target) and isinstance(target, gast.Subscript) and getattr(
                self.known(target.value), "kind", None) is tuple:  # which is an error once the array has changed
            raise Unfit
        return [replace(statement, target=self.value(target), value=self.value(statement.value))]

    def effect(self, node: Any) -> Any:
        """A call for its effect."""
        method = node.func if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) else None
        if method is None or not self.is_part(method.value) or not isinstance(self.known(method.value), Items):
            return self.value(node)
        if method.attr not in ARRANGE or node.keywords:
            raise Unfit
        given = [self.number(item) if method.attr == "extend" else self.value(item) for item in node.args]
        whole = gast.copy_location(gast.Attribute(self.part(method.value), method.attr, gast.Load()), method)
        return gast.copy_location(gast.Call(whole, given, []), node)

    def writes(self, labels: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(
            self.arrays if isinstance(getattr(self.version(label), "value", None), Numeric) else label
            for label in labels))

    def loop(self, statement: Loop) -> list:
        if statement.target is None:
            self.environment, self.fixed = self.facts.heads[statement], True
            test = self.truth(statement.iterable)
            return [replace(statement, iterable=test, body=self.inside(statement.body))]
        for label, numbered in self.runs_over_numbers(statement.target, statement.iterable):
            if not numbered and self.takes_numbers(label, statement):  # views, or new arrays
                raise Unfit
        iterable = self.turns(statement.iterable) if self.takes_numbers(statement.target, statement) else self.value(
            statement.iterable)
        target = self.pattern(statement.target, statement)
        return [replace(statement, target=target, iterable=iterable, body=self.inside(statement.body))]
