"""The adjoints of one derivative by branch path, each generated when its path is first met."""
from __future__ import annotations

import functools
import types
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import gast

from s2sgrad.compiler.again import COTANGENTS, GIVES_BACK
from s2sgrad.compiler.captures import NotSaved
from s2sgrad.compiler.closed import holds_made_functions
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.emit import Text
from s2sgrad.compiler.fused import decided
from s2sgrad.compiler.nodes import call, name
from s2sgrad.compiler.paths import RETURNED
from s2sgrad.compiler.program import (
    Assign,
    Augment,
    Leave,
    Loop,
    Program,
    Store,
    assigned_names,
    pattern_names,
    read_names,
    statements,
)
from s2sgrad.compiler.sweep import Wanted, is_exit
from s2sgrad.compiling import COMPILING
from s2sgrad.rules.abstract import Numeric, is_a_number, item_at

if TYPE_CHECKING:
    from s2sgrad.derivative.derivative import Derivative


PATH_BOUND = 64
"""So many paths of one derivative get adjoints of their own; those beyond share the general one."""


def with_other_names(program: Program, labels: list[str]) -> frozenset[str]:
    """Those of some parameters that get another value somewhere, or another name, where something is written into."""
    bound: set[str] = set()
    if not any(isinstance(statement, (Store, Augment)) for statement in statements(program.body)):
        return frozenset()
    for statement in statements(program.body):
        if isinstance(statement, Assign):
            bound.update(pattern_names(statement.target))
            bound.update(part.id for part in getattr(statement.value, "elts", [statement.value])
                         if isinstance(part, gast.Name))
    return frozenset(bound.intersection(labels))


def is_copy(node: Any) -> bool:
    return isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr == "copy" \
        and not node.args and not node.keywords


def is_renamed(label: str, body: tuple) -> bool:
    """Whether a block binds a name anew, or what that stands for to another name."""
    return label in assigned_names(body, False) or any(
        isinstance(statement, Assign) and isinstance(statement.value, gast.Name) and statement.value.id == label
        for statement in statements(body))


def note_mentioned(program: Program, tables: dict[str, PathTable]) -> None:
    """Note which of the adjoints of other functions that a general one asked for, by their names, it has in the end."""
    labels = read_names(program.body)
    for label, table in tables.items():
        table.mentioned = table.mentioned or label in labels


class PathTable(dict):
    """Adjoints by path id, each generated when its path is first met.

    Past ``PATH_BOUND`` paths the general adjoint serves, with the path's decisions as arguments; one warning says so.
    """

    def __init__(self, derivative: Derivative, wanted: tuple[Wanted, ...], seeds: tuple, ones: bool):
        super().__init__()
        self.derivative = derivative
        self.wanted = wanted
        self.seeds = seeds
        self.ones = ones
        self.texts: dict[Any, Text] = {}
        self.general: tuple | None = None
        self.for_any_path: types.CellType | None = None
        """Where adjoints that are differentiated again find the one that takes the path id as an argument."""
        self.awaited = False
        """Whether that one is asked for, and not there yet."""
        self.alone: types.CellType | None = None
        """Where callers of a function with one path find its adjoint."""
        self.mentioned: bool | None = None
        """Whether a general adjoint of a caller mentions it, which may have asked for it in vain, as in the first trial
        of a loop; None: none has asked for it."""
        self.called = ""
        """The name by which the first function that calls this one has the table."""

    @property
    def of_one_path(self) -> bool:
        """Whether there is one path, so that no caller has to save which it was."""
        return self.derivative.paths.total == 1

    def only(self) -> types.CellType:
        """The cell in which callers find the adjoint of a function with one path: at first what writes it."""
        if self.alone is None:
            self.alone = types.CellType()
            self.alone.cell_contents = Unwritten(self, self.alone)
        return self.alone

    @functools.cached_property
    def handed_on(self) -> list[int] | None:
        """Of a constructor that puts numbers and arrays that it gets into attributes, and reads none of them: which of
        the cotangents of these is that of each parameter."""
        derivative = self.derivative
        definition, facts = derivative.definition, derivative.facts
        plain = Definition(definition.function, definition.extra, definition.keys, made=definition.made)
        if definition.made is None or definition.manner != plain.manner or facts.calls or facts.written \
                or not self.of_one_path or not self.wanted or holds_made_functions(facts.result):
            return None  # a function that it keeps is an object here, and none to the user
        if not all(isinstance(statement, (Assign, Store, Leave)) for statement in derivative.program.body) or not all(
                isinstance(item_at(facts.result, seed), Numeric) and not is_exit(seed) for seed in self.seeds):
            return None
        derivative.prepare(None, False)
        key = self.wanted, self.seeds, self.ones
        program, _ = derivative.write_adjoint(None, *key, "general", False)
        derivative.foreseen.add(key)
        end: Any = program.body[-1]
        given = [part.func.value if is_copy(part) else part for part in getattr(end.value, "elts", ())]
        labels = [part.id for part in given if isinstance(part, gast.Name)]
        bars = program.parameters[1:]
        each_once = len(given) == len(labels) == len({*labels}) and {*labels} <= {*bars}
        return [bars.index(label) for label in labels] if len(program.body) == 1 and each_once else None

    def __missing__(self, path: int) -> Callable:
        with COMPILING:
            if path not in self:
                if len(self.texts) < PATH_BOUND and self.derivative.session.options.paths:
                    try:
                        self[path] = self.of_path(path)
                    except NotSaved:  # what this path's adjoint would read, the general one does without
                        self[path] = self.of_general(path)
                else:
                    if self.general is None and self.derivative.session.options.paths:
                        place = self.derivative.program.location
                        warnings.warn_explicit(
                            f"{self.derivative.name} took more than {PATH_BOUND} branch paths: further paths share "
                            "one general adjoint, which decides at run time", UserWarning, place.filename, place.line)
                    self.bound(self)
                    self[path] = self.of_general(path)
            return self[path]

    def bound(self, by_path: dict[int, Any]) -> None:
        """Keep what is known by path from growing on and on: what the general adjoint serves is made again at need."""
        if len(by_path) > 100 * PATH_BOUND:
            for path in by_path.keys() - self.texts.keys():
                del by_path[path]

    def text(self, path: int) -> Text:
        """The text of the adjoint that serves a path."""
        self[path]
        return self.texts.get(path) or self.texts["general"]

    def of_path(self, path: int) -> Callable:
        total = self.derivative.paths.total
        known = self.derivative.paths.decisions(path)
        key = self.wanted, self.seeds, self.ones
        if self.derivative.only is not None and self.derivative.only[0] == key:
            program = self.derivative.only[1]
        else:
            program, _ = self.derivative.write_adjoint(known, *key, str(path) if total > 1 else "")
        program = self.as_called(program)
        text = self.texts[path] = Text(program, comments=True)
        return self.derivative.compile(text, program.name)

    def as_called(self, program: Program) -> Program:
        """An adjoint under the name by which the function's caller has the table: there may be others of the function,
        for cotangents of other results."""
        plain = f"{self.derivative.label}_adjoint"
        label = program.name.replace(plain, self.called or plain, 1)
        return program if label in self.derivative.names.taken else replace(program, name=label)

    def general_adjoint(self) -> tuple:
        """The general adjoint, and the decisions that it takes."""
        with COMPILING:
            if self.general is None:
                program, decisions = self.derivative.write_adjoint(None, self.wanted, self.seeds, self.ones, "general")
                program = self.as_called(program)
                text = Text(program, comments=True)
                self.texts["general"] = text
                self.general = self.derivative.compile(text, program.name), list(decisions.values())
            return self.general

    def by_name(self) -> types.CellType:
        """The cell in which the adjoint for any path will be, which takes the path id before the saved tuple."""
        if self.for_any_path is None:
            self.for_any_path = types.CellType()
            self.awaited = True
        return self.for_any_path

    def complete(self) -> bool:
        """Write and compile the adjoint for any path where it is asked for and not there yet; whether that was so."""
        if not self.awaited or self.for_any_path is None:
            return False
        self.awaited = False
        self.fill(self.for_any_path)
        return True

    def fill(self, cell: types.CellType) -> None:
        """Write and compile the adjoint for any path."""
        derivative = self.derivative
        path = derivative.names.fresh("path")
        key = self.wanted, self.seeds, self.ones
        program, decisions = derivative.write_adjoint(None, *key, "general")
        exits = [label for label, seed in zip(program.parameters[1:], self.seeds) if is_exit(seed)]
        named = with_other_names(program, exits)
        if named:  # whoever differentiates it would not know what it writes into
            program, decisions = derivative.write_adjoint(None, *key, "general", left_alone=named)
        parameters = (path, *(item for item in program.parameters if item not in decisions))
        first: list[Any] = decided(derivative.paths, decisions, name(path), program.location)
        ends = [label for label, seed in zip(parameters[2:], self.seeds) if is_exit(seed) and not is_a_number(item_at(
            derivative.facts.end(seed[0].parameter), seed[1:]))]
        copied = {label: derivative.names.fresh(f"{label}_before") for label in ends if is_renamed(label, program.body)}
        first += [Assign(label, call(derivative.helpers.helper("held"), name(given)), program.location)
                  for label, given in copied.items()]
        parameters = tuple(copied.get(label, label) for label in parameters)
        adjoint = derivative.readable(replace(program, parameters=parameters, body=(*first, *program.body)))
        setattr(adjoint, COTANGENTS, derivative.cotangents_in(program))
        setattr(adjoint, GIVES_BACK, frozenset(exits) - {*copied})
        cell.cell_contents = adjoint

    def of_general(self, path: int) -> Callable:
        adjoint, decisions = self.general_adjoint()
        known = self.derivative.paths.decisions(path)
        values = tuple(known.get(subject) == RETURNED if isinstance(subject, Loop) else known.get(subject)
                       for subject in decisions)
        if not values:
            return adjoint
        return lambda *arguments: adjoint(*arguments, *values)


class Unwritten:
    """Stands in a cell for the adjoint of a function with one path, and gives way to it when it is first called."""

    __slots__ = ("table", "cell")

    def __init__(self, table: PathTable, cell: types.CellType):
        self.table = table
        self.cell = cell

    def __call__(self, *arguments: Any) -> Any:
        adjoint = self.cell.cell_contents = self.table[0]
        return adjoint(*arguments)
