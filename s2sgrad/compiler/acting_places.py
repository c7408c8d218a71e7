"""Indices that do something when they are evaluated, or give something else another time, in what a statement changes:
``u[pick(rng)] *= c`` reads there and writes there, and Python asks for the place once. It gets a name before."""
from __future__ import annotations

import functools
import types
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.bindings import Bindings
from s2sgrad.compiler.effects import functions_in, has_effect, is_library
from s2sgrad.compiler.named_before import with_part
from s2sgrad.compiler.nodes import holder, name, names_in, ordered_children, root_of, walk
from s2sgrad.compiler.objects import found_in
from s2sgrad.compiler.program import Append, Assign, Store
from s2sgrad.compiler.sharing import may_be_written
from s2sgrad.rules.abstract import MISSING, Items, Known, Numeric, Opaque

PROPERTIES = (property, functools.cached_property)


class ActingPlaces(Bindings):
    def with_place_named(self, statement: Any, target: Any, environment: dict, field: str = "target") -> dict | None:
        """What is known behind a statement that changes ``target``, which stands in this field of it, where an index
        needs a name first; so does the call before it that gives what the target is in. None where none does."""
        if isinstance(target, gast.Name):
            return None
        whole, indices = parts_of(target)
        first = self.acting_index(target, environment) or self.first_moved(
            indices, behind_place(statement, field), environment)
        if first is not None and isinstance(whole, gast.Call) and has_effect(whole, self.facts):
            first = whole
        return None if first is None else self.with_name_for(statement, first, "place", field, environment)

    def with_number_named(self, statement: Append, environment: dict) -> dict | None:
        """The same of an ``insert``, for which Python asks where before it asks what."""
        place = statement.place
        if place is None or not self.is_acting(place, environment) and self.first_moved(
                [place], [statement.value], environment) is None:
            return None
        return self.with_name_for(statement, place, "place", "place", environment)

    def with_value_and_place_named(self, statement: Store, environment: dict) -> dict | None:
        """The same of a statement that replaces an item, whose place Python asks for behind the value."""
        acting = self.acting_index(statement.target, environment)
        if acting is None:
            return None
        parts = [(acting, "place", "target")]
        if not isinstance(statement.value, (gast.Name, gast.Constant)):
            parts.insert(0, (statement.value, "part", "value"))
        return self.with_names_for(statement, parts, environment)

    def written_into_given(self, statement: Any, given: gast.AST, environment: dict) -> dict:
        """What is known behind a statement that writes into what a call gives, ``model.weights()["w"] = v``. The value
        that it stores is there before that is called."""
        if isinstance(statement, Store) and has_effect(statement.value, self.facts):
            return self.with_name_for(statement, statement.value, "part", "value", environment)
        return self.with_name_for(statement, given, "view", "target", environment)

    def with_name_for(self, statement: Any, part: gast.AST, label: str, field: str, environment: dict) -> dict:
        """What is known behind a statement in which a part of this field gets a name first."""
        return self.with_names_for(statement, [(part, label, field)], environment)

    def with_names_for(self, statement: Any, parts: list[tuple[gast.AST, str, str]], environment: dict) -> dict:
        """The same where several parts, each with the name that is wanted and its field, get names in this order."""
        lines, new = [], statement
        for part, label, field in parts:
            own = gast.copy_location(name(self.temporary((statement, field), label)), part)  # type: ignore[attr-defined]
            lines.append(Assign(own.id, part, statement.location))
            new = replace(new, **{field: with_part(getattr(new, field), part, own)})
        after: dict = self.expand(statement, [*lines, new], environment)  # type: ignore[attr-defined]
        return after

    def acting_index(self, target: Any, environment: dict) -> gast.AST | None:
        """The first such index of those on the way to a target, in the order in which Python evaluates them."""
        return next((index for index in parts_of(target)[1] if self.is_acting(index, environment)), None)

    def first_moved(self, indices: list, behind: list, environment: dict) -> gast.AST | None:
        """The first of some indices that may be another once what comes ``behind`` was evaluated: ``count`` in
        ``u[self.count] += self.draw()``."""
        acting = [part for node in behind for part in self.acting_in(node, environment)] if indices else []
        return next((index for index in indices if acting and any(
            self.may_be_moved(part, acting, environment) for part in reads_in(index))), None)

    def acting_in(self, node: gast.AST, environment: dict) -> list[gast.AST]:
        """The calls of functions of the user's in an expression, and what asks for a property. Not what is done with
        what these give, which must not be looked at before they are."""
        found: list = []
        part: Any
        for part in reversed(walk(node)):  # from inside
            if isinstance(part, (gast.Attribute, gast.Call)):
                first = part.value if isinstance(part, gast.Attribute) else part.func
                if not any(isinstance(inner, gast.Call) or inner in found for inner in walk(first)) \
                        and self.may_act(part, environment):
                    found.append(part)
        return found

    def may_act(self, node: gast.Attribute | gast.Call, environment: dict) -> bool:
        if isinstance(node, gast.Attribute):
            held = self.passively(node.value, environment)
            return isinstance(held, Items) and isinstance(found_in(held.kind, node.attr), PROPERTIES)
        function = self.function_of(node, environment)
        if function is MISSING and isinstance(node.func, gast.Attribute):
            return isinstance(self.passively(node.func.value, environment), (Items, Opaque))
        return function is MISSING or isinstance(function, types.FunctionType) and not is_library(function)

    def may_be_moved(self, read: Any, acting: list, environment: dict) -> bool:
        """Whether what an index reads may change when this is evaluated: a variable that a function inside binds, part
        of an object or a container, of an array that a call gets, or of what is outside."""
        label = root_of(read).id
        value = self.passively(root_of(read), environment)
        if isinstance(read, gast.Name) and any(
                isinstance(part, gast.Nonlocal) and label in part.names for version in environment.values()
                for function in functions_in(version.value) for part in gast.walk(function.syntax)):
            return True
        if isinstance(read, gast.Name) or isinstance(value, Numeric):
            return may_be_written(value) and any(label in names_in(node) for node in acting)
        return not isinstance(value, Known)

    def is_acting(self, index: gast.AST, environment: dict) -> bool:
        if not any(isinstance(part, gast.Call) for part in gast.walk(index)):
            return False
        self.passively(index, environment)
        return not self.may_be_repeated(index) and has_effect(index, self.facts)  # type: ignore[attr-defined]


def behind_place(statement: Any, field: str) -> list:
    """What a statement evaluates behind the place that it changes: its value, or the arguments of a method."""
    value = getattr(statement, "value", None)
    if field == "value":
        return [*value.args, *(item.value for item in value.keywords)]
    return [] if value is None else [value]


def parts_of(target: Any) -> tuple[Any, list]:
    """What a target is in, and the parts of the indices on the way to it."""
    indices: list = []
    while isinstance(target, (gast.Subscript, gast.Attribute)):
        indices = [*bounds(target.slice), *indices] if isinstance(target, gast.Subscript) else indices
        target = target.value
    return target, indices


def reads_in(index: gast.AST) -> list:
    """The names, and the parts of what has names, that an index reads."""
    if isinstance(index, gast.Name) or isinstance(index, (gast.Subscript, gast.Attribute)) and holder(index):
        return [index]
    return [part for _, _, child in ordered_children(index) for part in reads_in(child)]


def bounds(index: Any) -> list:
    """The parts of an index, one for each axis, and of slices where they begin and end."""
    if isinstance(index, gast.Tuple):
        return [part for item in index.elts for part in bounds(item)]
    return [part for part in (index.lower, index.upper, index.step) if part] if isinstance(
        index, gast.Slice) else [index]
