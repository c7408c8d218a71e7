"""Calls of a function inside itself, where its gradient is differentiated again: run again in place of saving.

What such a call saves would hold what it saves, to any depth, and has no form that could be told before it runs. So
nothing is saved but its arguments, and its adjoint runs the function's primal again.
"""
from __future__ import annotations

import types
from typing import Any

import gast

from s2sgrad.compiler.nodes import Names, call, constant, name, names_in, tuple_of, walk
from s2sgrad.compiler.program import Assign, Leave, Program, expressions_in, statements
from s2sgrad.compiler.running_again import runs_alike
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import Abstract, Function, Items, Known, Numeric


class Recalled:
    """What the compiler takes for a function called inside itself; what is known of it is known of the ``whole``."""

    def __init__(self, whole: Any):
        self.whole = whole
        self.primal_cell = types.CellType()
        self.adjoints_by_key: dict[Any, RecalledAdjoint] = {}

    def __getattr__(self, label: str) -> Any:
        return getattr(self.whole, label)

    @property
    def called(self) -> bool:
        return bool(self.whole.called)

    @called.setter
    def called(self, value: bool) -> None:
        self.whole.called = value

    def prepare(self, seeds: tuple | None, ones: bool) -> None:
        """Raises UnsupportedError where a second run might do something else than the first."""
        facts = self.whole.facts
        values = [version.value for version in facts.parameters.values()]
        changed = (place for label, place in facts.written.items()
                   if not isinstance(facts.parameters[label].value, Numeric))
        place = next(changed, None) or runs_alike(self.whole)
        what = f"{self.whole.name} calls itself, and for a gradient of its gradient runs again"
        if place is not None:
            raise UnsupportedError(f"{what}: this line may do something else then, or change what it was given",
                                   "write a loop", place)
        if not all(map(stays, values)):
            raise UnsupportedError(f"{what}: it gets an object or an iterator, which may be another by then",
                                   "write a loop, or give it numbers, arrays and containers",
                                   self.whole.program.location)

    @property
    def built(self) -> tuple:
        return self.whole, self

    def foresee(self) -> bool:
        return False

    def expose(self) -> bool:
        return False

    def saved_form(self) -> Abstract:
        return Items(tuple, tuple(self.whole.facts.parameters[label].value for label in self.saved()))

    def adjoints(self, active: tuple[int, ...], places: tuple) -> RecalledAdjoint:
        table = self.whole.adjoints(active, places)
        key = active, places
        if key not in self.adjoints_by_key:
            self.adjoints_by_key[key] = RecalledAdjoint(self, table, len(places))
        return self.adjoints_by_key[key]

    def finish(self) -> None:
        """Write the primal: the function's own, of which only the value is wanted."""
        program, location = self.whole.program, self.whole.program.location
        names, helpers = self.names_and_helpers()
        label, value, path, inner, saved = map(names.fresh, (
            f"{self.whole.name}_primal_again", "value", "path", "inner", "saved"))
        copies = tuple_of([self.copied(label, helpers) for label in self.saved()])
        body = (Assign(saved, copies, location),
                Assign((value, path, inner), self.run(helpers, self.whole.parameters), location),
                Leave("return", tuple_of([name(value), constant(0), name(saved)]), location))
        made = Program(label, program.parameters, body, location, header=program.header)
        self.primal_cell.cell_contents = self.whole.readable(made, *self.whole.defaults(), helpers=helpers)

    def make_readable(self) -> None:
        """Its primal is, as it was written."""

    def adjoints_by_name(self) -> list:
        return list(self.adjoints_by_key.values())

    def names_and_helpers(self) -> tuple[Names, Any]:
        names = Names(set(self.whole.program.names))
        return names, self.whole.new_helpers(names)

    def saved(self) -> list[str]:
        """The parameters that are saved: all but functions made by others, which the primal only hands on, for it calls
        what was made of them."""
        whole = self.whole
        read: list[str] = []
        handed_on: list[str] = []
        for statement in statements(whole.program.body):
            for node in expressions_in(statement):
                read += names_in(node)
                handed_on += [part.id for inner in walk(node) if id(inner) in whole.facts.calls for part in (
                    inner.func, *inner.args, *(item.value for item in inner.keywords)) if isinstance(part, gast.Name)]
        return [label for label, version in whole.facts.parameters.items()
                if not isinstance(version.value, Function) or handed_on.count(label) < read.count(label)]

    def copied(self, label: str, helpers: Any) -> gast.AST:
        """A parameter, or what stays as it is where something may be written into that."""
        changes = may_change(self.whole.facts.parameters[label].value)
        return call(helpers.helper("held"), name(label)) if changes else name(label)

    def run(self, helpers: Any, there: list[str]) -> gast.AST:
        """A call of the function's own primal with those parameters that are there."""
        whole = self.whole
        primal = helpers.inject(("primal", id(whole)), f"{whole.label}_primal", whole.primal_cell)
        given = {label: name(label) if label in there else constant(None) for label in whole.parameters}
        positional = [given[label] for label in whole.parameters if label not in whole.keyword_only]
        return call(primal, *positional, **{label: given[label] for label in whole.keyword_only})


class RecalledAdjoint:
    """The adjoint of such calls, for cotangents of so many places of the result."""

    def __init__(self, recalled: Recalled, table: Any, count: int):
        self.recalled = recalled
        self.table = table
        self.wanted = table.wanted
        self.count = count
        self.cell = types.CellType()
        self.awaited = True
        table.by_name()  # so that it is written

    def by_name(self) -> types.CellType:
        return self.cell

    def complete(self) -> bool:
        """Write it, where that was not done; whether it was not."""
        awaited, self.awaited = self.awaited, False
        if awaited:
            self.write()
        return awaited

    def write(self) -> None:
        whole = self.recalled.whole
        location = whole.program.location
        names, helpers = self.recalled.names_and_helpers()
        label = names.fresh(f"{whole.name}_adjoint_again")
        given, saved, unused, path, inner = map(names.fresh, ("path", "saved", "value", "path", "saved"))
        bars = [names.fresh("result_bar") for _ in range(self.count)]
        adjoint = helpers.inject(("adjoint", id(self.table)), f"{whole.label}_adjoint", self.table.by_name())
        there = self.recalled.saved()
        body = (Assign(tuple(there), name(saved), location),
                *(Assign(item, self.recalled.copied(item, helpers), location) for item in there
                  if item in whole.facts.written),
                Assign((unused, path, inner), self.recalled.run(helpers, there), location),
                Leave("return", call(adjoint, name(path), name(inner), *map(name, bars)), location))
        made = Program(label, (given, saved, *bars), body, location)
        self.cell.cell_contents = whole.readable(made, helpers=helpers)


def may_change(value: Abstract) -> bool:
    return isinstance(value, Items) or isinstance(value, Numeric) and not value.is_number


def stays(value: Abstract) -> bool:
    """Whether a copy of an argument is what it was: not of objects, and of what may be run through once."""
    if isinstance(value, Items):
        parts = value.items if value.items is not None else (value.element,)
        return not value.is_object and all(map(stays, parts))
    return value is None or isinstance(value, (Numeric, Known, Function))
