"""Indices that do something when they are evaluated, or give something else another time, in what a statement changes:
``u[pick(rng)] *= c`` reads there and writes there, and Python asks for the place once. It gets a name before."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.bindings import Bindings
from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.named_before import stays, with_part
from s2sgrad.compiler.nodes import name
from s2sgrad.compiler.program import Append, Assign, Augment, Store
from s2sgrad.rules.abstract import Known
from s2sgrad.rules.table import rule_for


class ActingPlaces(Bindings):
    def with_place_named(self, statement: Any, target: Any, environment: dict, field: str = "target") -> dict | None:
        """What is known behind a statement that changes ``target``, which stands in this field of it, where an index
        needs a name first; None where none does."""
        value = statement.value if isinstance(statement, (Augment, Append)) else None
        acting = None if isinstance(target, gast.Name) else self.acting_index(target, environment, value)
        return None if acting is None else self.with_name_for(statement, acting, "place", field, environment)

    def with_number_named(self, statement: Append, environment: dict) -> dict | None:
        """The same of an ``insert``, for which Python asks where before it asks what."""
        if statement.place is None or not self.is_early(statement.place, statement.value, environment):
            return None
        return self.with_name_for(statement, statement.place, "place", "place", environment)

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

    def acting_index(self, target: Any, environment: dict, value: gast.AST | None = None) -> gast.AST | None:
        """The first such index of those on the way to a target, in the order in which Python evaluates them, or the
        first that computing a ``value`` behind it may change; the call before it that gives what the target is in."""
        indices: list = []
        while isinstance(target, (gast.Subscript, gast.Attribute)):
            indices = [*bounds(target.slice), *indices] if isinstance(target, gast.Subscript) else indices
            target = target.value
        acting = next((index for index in indices if self.is_early(index, value, environment)), None)
        called_first = acting is not None and isinstance(target, gast.Call) and has_effect(target, self.facts)
        return target if called_first else acting

    def is_early(self, index: gast.AST, value: gast.AST | None, environment: dict) -> bool:
        """Whether it would be noticed that an index is evaluated behind a value: ``u[len(xs)] += grow(xs)``."""
        if self.is_acting(index, environment):
            return True
        outside = {*self.facts.captured, *self.program.outer}
        outer = [part for part in gast.walk(index) if isinstance(part, gast.Name) and part.id in outside]
        if value is None or isinstance(index, gast.Constant) or isinstance(index, gast.Name) and not outer:
            return False
        self.passively(index, environment)
        if stays(index, self.facts) and all(isinstance(self.facts.values.get(id(part)), Known) for part in outer):
            return False
        return any(isinstance(part, gast.Call) and rule_for(self.function_of(part, environment)) is None
                   for part in gast.walk(value))

    def is_acting(self, index: gast.AST, environment: dict) -> bool:
        if not any(isinstance(part, gast.Call) for part in gast.walk(index)):
            return False
        self.passively(index, environment)
        return not self.may_be_repeated(index) and has_effect(index, self.facts)  # type: ignore[attr-defined]


def bounds(index: Any) -> list:
    """The parts of an index, one for each axis, and of slices where they begin and end."""
    if isinstance(index, gast.Tuple):
        return [part for item in index.elts for part in bounds(item)]
    return [part for part in (index.lower, index.upper, index.step) if part] if isinstance(
        index, gast.Slice) else [index]
