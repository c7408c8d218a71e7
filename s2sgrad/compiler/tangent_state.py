"""The state of a tangent function that is being written: which names have tangents, and which do not yet."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import gast

from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.facts import Facts, Version
from s2sgrad.compiler.helpers import Helpers
from s2sgrad.compiler.nodes import Names, attribute, name, subscript
from s2sgrad.compiler.program import (
    Assign,
    Import,
    Pattern,
    Program,
    Rest,
    Statement,
    assigned_names,
    pattern_names,
    read_names,
    statements,
)
from s2sgrad.compiler.sheltered import Caught, Shelter
from s2sgrad.compiler.tangents import Tangents
from s2sgrad.compiler.values import Values
from s2sgrad.errors import UnsupportedError
from s2sgrad.frozen import frozen
from s2sgrad.rules.abstract import Abstract, Items, known_value, passive


@frozen
class Header:
    """A tangent function as its callers see it: its name, and the parameters that come with a tangent."""

    name: str
    parameters: dict[str, str]
    """Each with the name of its tangent's parameter."""
    by_keyword: bool
    """The tangents are given by keyword, for defaults or other such parameters come before them."""


def versions_with_tangents(facts: Facts) -> set[Version]:
    """The versions of names that have tangents: the differentiated ones, those that become one of them where paths
    meet, or by a write, and what arguments with tangents are in the end."""
    environments = (*facts.before.values(), *facts.heads.values(), *facts.after.values(), facts.parameters)
    pending = [version for environment in environments for version in environment.values() if version.value.active]
    pending += [version for version in facts.defined.values() if version.value.active]
    pending += [version for _, version in facts.in_place.values() if version.value.active]  # or bound anew at once
    pending += [version for label in given_tangents(facts) & facts.written.keys()
                for version in facts.ends.get(label, ())]
    found: set[Version] = set()
    while pending:
        version = pending.pop()
        if version not in found:
            found.add(version)
            pending.extend(version.sources)
    return found


def given_tangents(facts: Facts) -> set[str]:
    """The parameters with tangents: the differentiated ones, and arrays that differentiated values are written into."""
    return {label for label, version in facts.parameters.items() if version.value.active or label in facts.written
            and any(version.value.active for version in facts.ends.get(label, ()))}


def header_of(program: Program, facts: Facts, names: Names, name_: str) -> Header:
    given = given_tangents(facts)
    user: Any = program.header
    by_keyword = bool(user.defaults or user.kwonlyargs or getattr(program.owner, "__defaults__", None))
    parameters = {label: names.fresh(f"{label}_dot", pin=True) for label in facts.parameters if label in given}
    return Header(names.fresh(name_), parameters, by_keyword)


class TangentState:
    """The part of forward mode that knows its state."""

    block: Callable[..., Any]

    def __init__(self, program: Program, facts: Facts, helpers: Helpers, names: Names, header: Header, careful: bool,
                 caught: Caught):
        self.program = program
        self.facts = facts
        self.helpers = helpers
        self.names = names
        self.header = header
        self.needed = versions_with_tangents(facts)
        self.values = Values(program, facts, helpers, names)
        self.tangents = Tangents(facts, self.values, helpers, names, self.needed, careful)
        self.tangents.dots.update(header.parameters)
        self.caught = caught
        """What handlers around the statement may catch, those around calls of the function included."""
        self.shelter = Shelter(helpers, names, self.generated,
                               lambda node: known_value(self.values.evaluate(node)))
        self.unused = self.values.captures.unused
        self.read = read_names(program.body)
        for statement in statements(program.body):
            if isinstance(statement, Assign) and isinstance(statement.target, str):
                self.values.whole[id(statement.value)] = statement, statement.target

    def generated(self) -> set[str]:
        """The names of tangents, and of what they are made of."""
        return {*self.tangents.dots.values(), *self.tangents.made, self.unused}

    def orders(self, tangent: Program) -> dict[str, int]:
        """Of which order the names in a tangent function are: 0 those of values, 1 those of tangents, more where the
        function is a tangent function itself. Names that may be for either are left out."""
        orders = dict(self.program.orders) or dict.fromkeys(
            {*self.program.parameters, *assigned_names(tangent.body)} - self.generated(), 0)
        above = max(orders.values(), default=0) + 1
        return orders | {dot: above + orders[label] for label, dot in self.tangents.dots.items() if label in orders}

    def parameters(self) -> Any:
        user: Any = self.program.header
        dots = [gast.Name(label, gast.Param(), None, None) for label in self.header.parameters.values()]
        if not self.header.by_keyword:
            return gast.arguments([*user.args, *dots], user.posonlyargs, user.vararg, user.kwonlyargs,
                                  user.kw_defaults, user.kwarg, user.defaults)
        return gast.arguments(user.args, user.posonlyargs, user.vararg, [*user.kwonlyargs, *dots],
                              [*user.kw_defaults, *[None] * len(dots)], user.kwarg, user.defaults)

    def inner(self, body: tuple, first: list | None = None) -> tuple:
        inside: list = first or []
        self.block(body, inside)
        return tuple(inside)

    def has_tangent(self, statement: Statement, label: str) -> bool:
        """Whether a name has a tangent before a statement, or after it."""
        versions = self.facts.before[statement].get(label), self.facts.defined.get((statement, label))
        return any(version in self.needed for version in versions if version is not None)

    def refuse_change(self, statement: Statement, labels: Iterable[str]) -> None:
        """What changes a container in a way that nothing is known of can't change its tangent alike."""
        for label in labels:
            if self.has_tangent(statement, label):
                raise AssertionError(f"{label} changes at {statement.location}, and its tangent does not")

    def dotted_place(self, node: Any, statement: Statement) -> gast.AST:
        """What is in the tangent at the place of an expression in the value: ``rows_dot[0]`` for ``rows[0]``."""
        flat = self.facts.array_flattened(node)
        if flat is not None:  # the tangent may have another layout
            return attribute(self.dotted_place(flat, statement), "flat")
        if isinstance(node, gast.Name):
            return name(self.tangents.dot(node.id))
        if isinstance(node, gast.Call) and self.facts.array_viewed(node) is not None:
            method: Any = node.func
            return gast.Call(attribute(self.dotted_place(method.value, statement), method.attr), [
                self.values.value(item, statement) for item in node.args], [
                    gast.keyword(item.arg, self.values.value(item.value, statement)) for item in node.keywords])
        if isinstance(node, gast.Attribute):
            return attribute(self.dotted_place(node.value, statement), node.attr)
        if isinstance(node, gast.Subscript) and not has_effect(node.slice, self.facts):
            return subscript(self.dotted_place(node.value, statement), self.values.value(node.slice, statement))
        raise UnsupportedError("a change of this is not differentiated forwards yet",
                               "give it a name, or differentiate in reverse, with s2sgrad.vjp", statement.location)

    def bound(self, statement: Any) -> dict[str, Version]:
        """The versions that a statement binds, and whose tangents are needed."""
        target = statement.targets if isinstance(statement, Import) else statement.target
        found = {label: self.facts.defined.get((statement, label)) for label in pattern_names(target)}
        return {label: version for label, version in found.items() if version is not None and version in self.needed}

    def clear(self, label: str, version: Version, out: list, location: Any) -> None:
        """A name that holds a passive value here gets a tangent that is zero."""
        zero = self.values.zero(name(label), passive(version.value))
        out.append(Assign(self.tangents.dot(label), zero, location))

    def tangents_of(self, statement: Assign, made: dict[Version, str], first: str | None
                    ) -> list[tuple[Pattern, gast.AST]]:
        """What the tangents of the names that an assignment binds are bound to."""
        self.tangents.start(statement, made, first)
        return self.pairs(statement, statement.target, statement.value)

    def pairs(self, statement: Any, pattern: Pattern, node: gast.AST) -> list[tuple[Pattern, gast.AST]]:
        dots = self.dotted(statement, pattern)
        if dots == self.unused:
            return []
        if isinstance(pattern, tuple) and isinstance(node, (gast.Tuple, gast.List)) and len(pattern) == len(node.elts) \
                and not any(isinstance(part, Rest) for part in pattern):
            return [pair for part, item in zip(pattern, node.elts) for pair in self.pairs(statement, part, item)]
        if isinstance(pattern, tuple) and self.tangents.has_parts(node) and all(
                isinstance(part, str) for part in pattern):
            wanted = {index: dot for index, (dot, label) in enumerate(zip(dots, pattern))
                      if dot != self.unused and label in self.read}
            return list(zip(wanted.values(), self.tangents.parts(node, wanted)))
        value = self.facts.values[id(node)]
        if not isinstance(pattern, str) and (not value.active or gives_keys(value)):
            return []
        return [(dots, self.tangents.whole(node))]

    def dotted(self, statement: Any, pattern: Pattern) -> Pattern:
        """The target for the tangents of what a target binds: ``_`` for all of it that needs none."""
        if isinstance(pattern, str):
            needed = self.facts.defined.get((statement, pattern)) in self.needed
            if needed:
                self.values.remember(self.tangents.dot(pattern), passive(self.facts.defined[statement, pattern].value))
            return self.tangents.dot(pattern) if needed else self.unused
        if isinstance(pattern, Rest):
            needed = self.facts.defined.get((statement, pattern.name)) in self.needed
            return Rest(self.tangents.dot(pattern.name) if needed else self.unused)
        parts = tuple(self.dotted(statement, part) for part in pattern)
        return self.unused if all(label == self.unused for part in parts for label in pattern_names(part)) else parts


def gives_keys(value: Abstract) -> bool:
    """Whether what runs over a value, or takes it apart, gets keys and not what is under them."""
    return isinstance(value, Items) and value.is_dict


def is_same(target: Pattern, value: gast.AST) -> bool:
    """Whether an assignment would bind a name to what it is."""
    return isinstance(value, gast.Name) and value.id == target
