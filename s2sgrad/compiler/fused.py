"""Primal x adjoints -> one function that computes a gradient, with no tuple to save: what is differentiated again.

Where the primal returns its value, path id and saved tuple, the adjoint of the paths that end there follows instead.
What it would have read of the saved tuple is still at hand under the primal's names, or gets the adjoint's.
"""
from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import gast

from s2sgrad.compiler.nodes import Names, call, constant, name, names_in, tuple_of
from s2sgrad.compiler.paths import RETURNED, Paths
from s2sgrad.compiler.program import (
    Assign,
    Attempt,
    Branch,
    Context,
    Evaluate,
    Leave,
    Loop,
    Program,
    assigned_names,
    leaves,
    read_names,
    statements,
)
from s2sgrad.errors import Location, UnsupportedError

MOST_PATHS = 64
"""Of a function with more paths the gradient is not written as one function."""

class ManyPaths(UnsupportedError):
    """That is what it has."""


Adjoint = tuple[Program, dict[str, Any]]
"""An adjoint, and the decisions that it takes as arguments, by their names."""


@dataclass
class Fusion:
    """One such function being written.

    Attributes
    ----------
    adjoint_of
        Gives the adjoint of a path, or (of None) the general one.
    unused
        The adjoint's target for what it does not read.
    result
        What is returned, of the value and the cotangents.
    unread
        The places of ends whose values are not returned, and that nothing would notice if they are not computed.
    check
        Gives a call that sees to it that a value is a number; None where it is sure to be one.
    read
        What the primal reads, and what is taken over from it.
    """

    paths: Paths
    adjoint_of: Callable[[int | None], Adjoint]
    names: Names
    unused: str
    result: Callable[[gast.AST, list[gast.AST]], gast.AST]
    unread: frozenset[Location]
    check: Callable[[gast.AST], gast.AST] | None = None
    read: set[str] = field(default_factory=set)
    adjoints: list[Program] = field(default_factory=list)
    """Those that were put in."""
    cotangents: tuple[str, ...] = ()
    """The parameters of the adjoints that hold cotangents of the result."""

    def run(self, primal: Program, absent: frozenset[str], label: str) -> Program:
        """``absent``: names that the primal first binds to nothing, lest they have no value when they are saved."""
        body = self.block(primal.body)
        first = [statement for statement in body[:len(absent)] if statement.target in self.read]
        header: Any = copy.copy(primal.header)
        header.args = [*header.args, *(gast.Name(label, gast.Param(), None, None) for label in self.cotangents)]
        parameters = (*primal.parameters, *self.cotangents)
        return Program(label, parameters, (*first, *body[len(absent):]), primal.location, header=header)

    def block(self, body: tuple) -> tuple:
        return tuple(part for statement in body for part in self.rewritten(statement))

    def rewritten(self, statement: Any) -> list:
        if isinstance(statement, Leave) and statement.kind == "return":
            return self.ending(statement)
        if isinstance(statement, Branch):
            self.read.update(names_in(statement.test))
            return [replace(statement, then=self.block(statement.then), orelse=self.block(statement.orelse))]
        if isinstance(statement, (Loop, Context)):
            self.read |= read_names((replace(statement, body=()),))
            return [replace(statement, body=self.block(statement.body))]
        self.read |= read_names((statement,))
        return [statement]

    def ending(self, statement: Leave) -> list:
        """What stands for ``return value, path, saved``."""
        value, path, saved = statement.value.elts  # type: ignore[union-attr]
        adjoint, decisions = self.adjoint_of(path.value if isinstance(path, gast.Constant) else None)
        self.adjoints.append(adjoint)
        self.cotangents = tuple(label for label in adjoint.parameters[1:] if label not in decisions)
        out: list = decided(self.paths, decisions, path, statement.location)
        *body, last = adjoint.body
        if body and isinstance(body[0], Assign) and isinstance(body[0].value, gast.Name) \
                and body[0].value.id == adjoint.parameters[0]:
            out += self.taken_over(body.pop(0).target, saved.elts, statement.location)
        lasting = isinstance(value, gast.Constant) or isinstance(value, gast.Name) and value.id not in assigned_names(
            (*out, *body))
        if not lasting and statement.location not in self.unread:
            variable = self.names.fresh("value")
            out.insert(0, Assign(variable, value, statement.location))
            value = name(variable)
        if self.check is not None:
            out.insert(0 if lasting else 1, Evaluate(self.check(value), statement.location))
        self.read |= read_names(tuple(out))
        return [*out, *body, Leave("return", self.result(value, last.value.elts), statement.location)]

    def taken_over(self, targets: tuple, values: list, location: Location) -> list:
        """What the adjoint reads of the saved tuple and the primal has under another name."""
        others = [(target, value) for target, value in zip(targets, values)
                  if target != self.unused and not (isinstance(value, gast.Name) and value.id == target)]
        if not others:
            return []
        if len(others) == 1:
            return [Assign(*others[0], location)]
        return [Assign(tuple(target for target, _ in others), tuple_of([value for _, value in others]), location)]


def returns_in_attempt(program: Program) -> bool:
    """Whether a function returns inside a try block: what its adjoint raises there would be caught, and what it binds
    be read by a ``finally``."""
    own = assigned_names(program.body).union(program.parameters)
    return any("return" in leaves(statement.body) for statement in statements(program.body)
               if isinstance(statement, Attempt)
               or isinstance(statement, Context) and not own.isdisjoint(read_names(statement.final)))


def in_turn(primal: Program, label: str, names: Names, called: tuple[gast.AST, gast.AST], count: tuple[int, int],
            result: Callable, check: Callable | None) -> Program:
    """A gradient that calls the primal and then the adjoint, by these names, where they can't be one function.
    ``count``: of the cotangents that the adjoint takes, and of those that it gives."""
    keyword_only = {item.id for item in primal.header.kwonlyargs}  # type: ignore[attr-defined]
    value, path, saved = map(names.fresh, ("value", "path", "saved"))
    seeds, bars = ([names.fresh(wanted) for _ in range(number)] for wanted, number in zip(
        ("result_bar", "bar"), count))
    run = call(called[0], *(name(item) for item in primal.parameters if item not in keyword_only),
               **{item: name(item) for item in primal.parameters if item in keyword_only})
    body: list[Any] = [Assign((value, path, saved), run, primal.location)]
    if check is not None:
        body.append(Evaluate(check(name(value)), primal.location))
    body.append(Assign(tuple(bars), call(called[1], name(path), name(saved), *map(name, seeds)), primal.location))
    body.append(Leave("return", result(name(value), [name(bar) for bar in bars]), primal.location))
    header: Any = copy.copy(primal.header)
    header.args = [*header.args, *(gast.Name(seed, gast.Param(), None, None) for seed in seeds)]
    return Program(label, (*primal.parameters, *seeds), tuple(body), primal.location, header=header)


def decided(paths: Paths, decisions: dict[str, Any], path: gast.AST, location: Location) -> list[Assign]:
    """What makes an adjoint's decisions, by their names, of a path id."""
    if decisions and paths.total > MOST_PATHS:
        raise ManyPaths(f"a gradient of a function with {paths.total} branch paths can't be differentiated",
                        "split the function in two", paths.program.location)
    return [Assign(variable, outcome(paths, subject, path), location) for variable, subject in decisions.items()]


def outcome(paths: Paths, subject: Any, path: gast.AST) -> gast.AST:
    """Whether a path id is of a path on which a branch takes its first arm, or a loop returns."""
    found = [number for number in range(paths.total) if paths.decisions(number).get(subject) in (True, RETURNED)]
    if len(found) == 1:
        return gast.Compare(path, [gast.Eq()], [constant(found[0])])
    return gast.Compare(path, [gast.In()], [tuple_of([constant(number) for number in found])])
