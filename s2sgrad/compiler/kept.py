"""Values that a primal must save: where they are there, and under which names."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gast

from s2sgrad.compiler.captures import Capture, Captures
from s2sgrad.compiler.facts import Facts, Version
from s2sgrad.compiler.helpers import Helpers
from s2sgrad.compiler.measures import binding_of, may_be_taken_apart
from s2sgrad.compiler.nodes import INSIDE, Names, attribute, call, constant, name, names_in
from s2sgrad.compiler.paths import Paths
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Attempt,
    Augment,
    Branch,
    Context,
    Define,
    Loop,
    Program,
    Statement,
    Store,
    assigned_names,
    blocks_of,
    statements,
    written_name,
)
from s2sgrad.compiler.sharing import fragile, makes_container, may_be_written, overwritten, shared, whole_parts
from s2sgrad.compiler.targets import is_gradient
from s2sgrad.errors import Location
from s2sgrad.frozen import frozen
from s2sgrad.rules.abstract import Abstract, Function, Items, Known, Numeric

EXPRESSIONS = ("part", "shape", "size", "len", "mask")
"""Kinds of captures that a statement makes on the way."""


@dataclass
class Needs:
    """What a first look finds out: names to keep, decisions that need a variable. Grows until nothing is added."""

    copies: dict[Version, str] = field(default_factory=dict)
    variables: set[Any] = field(default_factory=set)
    nones: set[str] = field(default_factory=set)

    def size(self) -> int:
        return len(self.copies) + len(self.variables) + len(self.nones)


@frozen
class Point:
    """What is bound at a point of the primal.

    Attributes
    ----------
    certain, possible
        Generated names bound on every, on some way to here.
    decisions
        Outcomes that are known at this point because it stands in an arm.
    path
        The path id so far, where it is the same on every way to here; else None, and the variable has it.
    """

    certain: frozenset[str] = frozenset()
    possible: frozenset[str] = frozenset()
    decisions: tuple[tuple[Any, Any], ...] = ()
    path: int | None = 0

    def bind(self, *identifiers: str) -> Point:
        return Point(self.certain.union(identifiers), self.possible.union(identifiers), self.decisions, self.path)

    def decide(self, subject: Any, outcome: Any) -> Point:
        return Point(self.certain, self.possible, (*self.decisions, (subject, outcome)), self.path)


class Kept:
    """The part of the primal that keeps what will be saved."""

    environment: dict
    """What the names stand for before the statement that is being written."""
    target_copies: dict[Loop, dict[str, str]]

    def __init__(self, program: Program, facts: Facts, captures: Captures, helpers: Helpers, names: Names,
                 paths: Paths, kept: bool, called: bool, again: bool):
        self.written, changed = fragile(program, facts, kept, called)
        self.fragile = self.written | changed
        self.overwritten = overwritten(program, facts, self.written)
        self.program = program
        self.facts = facts
        self.captures = captures
        self.helpers = helpers
        self.names = names
        self.paths = paths
        self.needs = Needs()
        self.copied_from: set[Version] = set()
        """The versions that this look saves under names of their own."""
        self.again = again
        """The primal is differentiated itself: what has no value is saved as a number then, as what has one may be."""
        self.path_name = names.fresh("path")
        bindings = {version: binding for version in self.fragile if (binding := binding_of(version)) is not None}
        measured = captures.measured(set(bindings)) if not again else set()
        self.measured_alone = {version: bindings[version] for version in measured}
        """The arrays of which only the shape is read, which stays: each with what its name was bound to."""
        self.saved_versions = {capture.subject for capture in captures.table.values() if capture.kind == "version"}
        self.layouts: dict[Loop | None, list[Capture]] = {}
        self.measured: dict[Any, str] = {}
        self.whole = {id(statement.value) for statement in statements(program.body)
                      if isinstance(statement, Assign) and isinstance(statement.target, str)}
        self.parts: dict[int, list[Capture]] = {}
        self.written_out: dict[Any, list[Capture]] = {}
        """What is asked of items that stand in no statement as such (``sum(pair)`` adds ``pair[0]``), by statement."""
        made = {id(node) for node in facts.made}
        self.masks: dict[int, list[Capture]] = {}
        self.returning = False
        self.choosing = 0
        """How many indices there are around what is looked at, of which nobody asks a derivative."""
        self.guarded = -1
        """How many loops there are around the innermost body of a ``try``."""
        self.path_copies: dict[Attempt, str] = {}
        self.operands: dict[int, gast.AST] = {}
        """What the masks compare, which must have names: by the expression, its name once it has one."""
        self.wanted: dict[gast.AST, str] = {}
        self.taken_apart = captures.read_again | {
            capture.statement for capture in captures.table.values() if capture.kind in EXPRESSIONS}
        self.as_computed: set[str] = set()
        """The names of parts of expressions that are saved as they are, and not as copies."""
        for capture in captures.table.values():
            if capture.formula is not None:
                self.masks.setdefault(id(capture.subject[0]), []).append(capture)
                for operand, wanted in capture.formula[2].items():
                    self.operands[id(operand)] = operand
                    self.wanted[operand] = wanted
            elif capture.kind in EXPRESSIONS and id(capture.subject) in made:
                self.written_out.setdefault(capture.statement, []).append(capture)
            elif capture.kind in EXPRESSIONS:
                self.parts.setdefault(id(capture.subject), []).append(capture)
        self.around: dict[int, bool] = {}
        self.assignments: dict[Assign, tuple[list, frozenset[str]]] = {}
        """What an assignment was emitted as when the first look came by, and the names that this binds."""
        self.made_by: dict[Any, dict[str, Version]] = {}
        for (statement, identifier), version in facts.defined.items():
            self.made_by.setdefault(statement, {})[identifier] = version
        self.parents: dict[Any, Any] = {}
        self.stored_back: dict[Any, Store] = {}
        """For writes into parts of containers that got a name to be written into, ``part[i] = x``, what stores these
        back behind them."""
        self.place(program.body, None)
        self.makers = self.version_makers()

    def place(self, body: tuple, parent: Any) -> None:
        for index, statement in enumerate(body):
            self.parents[statement] = parent
            if self.again and isinstance(statement, Store) and statement.back \
                    and getattr(statement.value, "id", None) in self.program.inner:
                self.note_stored_back(statement, body[:index])
            for inner in blocks_of(statement):
                self.place(inner, statement)

    def note_stored_back(self, back: Store, before: tuple) -> None:
        """Note what writes into a part of a container from where that got a name to where it is stored back."""
        label = back.value.id  # type: ignore[attr-defined]
        named = next((index for index, statement in enumerate(before[::-1]) if isinstance(statement, Assign)
                      and statement.target == label), len(before))
        between = before[len(before) - named:]
        if not assigned_names(between, written=False).isdisjoint(names_in(back.target)):  # the place has its name later
            return
        for statement in between:
            if isinstance(statement, (Augment, Store, Append)) and written_name(statement) == label \
                    or isinstance(statement, Assign) and label in statement.writes:
                self.stored_back[statement] = back

    def is_taken_apart(self, node: gast.AST) -> bool:
        """Whether there is something in an expression, or it is something, that must be bound to a name."""
        key = id(node)
        if key not in self.around:
            inside = [self.is_taken_apart(child) for child in INSIDE[type(node)](node)]
            self.around[key] = True in inside or key in self.parts or key in self.masks or key in self.operands \
                or key in self.captures.again
        return self.around[key]

    def version_makers(self) -> dict[Version, Any]:
        """The statement behind which a version is there; loop heads and targets, where a turn starts, have none."""
        makers: dict[Version, Any] = {}
        for (statement, _), version in self.facts.defined.items():
            if not isinstance(statement, Loop):
                makers[version] = statement
        for statement, environment in (*self.facts.after.items(), *self.facts.beyond.items()):
            before = self.facts.before.get(statement, {})
            for identifier, version in environment.items():
                if before.get(identifier) is not version:
                    makers.setdefault(version, statement)
        return makers

    def is_there(self, version: Version, environment: dict) -> bool:
        """Whether a name still stands for a value, as that was; as far as it is read."""
        if version in self.measured_alone:
            return binding_of(environment.get(version.name)) is self.measured_alone[version]
        rewritten = version in self.fragile and not (
            isinstance(version.value, Numeric) and version.value.is_number)
        return environment.get(version.name) is version and not rewritten

    def copy_for(self, capture: Capture) -> str:
        """The name of its own under which a value is saved."""
        version = capture.subject
        if version not in self.needs.copies:
            self.needs.copies[version] = capture.name if capture.name != version.name else \
                self.names.fresh(f"{version.name}_before")
        return self.needs.copies[version]

    def makes_function(self, statement: Any) -> bool:
        """Whether a statement defines a function, or makes a gradient."""
        value = self.facts.values.get(id(statement.value)) if isinstance(statement, Assign) else None
        return isinstance(statement, Define) or isinstance(value, Function) or isinstance(
            value, Known) and is_gradient(value.value)

    def slots(self, loop: Loop | None) -> list[Capture]:
        if loop not in self.layouts:
            self.layouts[loop] = self.captures.layout(loop)
        return self.layouts[loop]

    def last_maker(self, body: tuple, loop: Loop) -> int:
        """The last statement of a block that makes something a loop's turn must save; -1 where there is none."""
        makers = [maker for maker in map(self.maker, self.slots(loop)) if maker is not None]
        for index in range(len(body) - 1, -1, -1):
            if any(self.within(maker, body[index]) for maker in makers):
                return index
        return -1

    def maker(self, capture: Capture) -> Any:
        if capture.kind == "version":
            return self.makers.get(capture.subject)
        if capture.kind in EXPRESSIONS:
            return capture.statement
        return capture.subject

    def within(self, statement: Any, outer: Any) -> bool:
        while statement is not None:
            if statement is outer:
                return True
            statement = self.parents.get(statement)
        return False

    def made_by_join(self, branch: Branch, loop: Loop | None) -> bool:
        """Whether a value to be saved is only there behind both arms."""
        return any(capture.kind == "version" and self.makers.get(capture.subject) is branch
                   for capture in self.slots(loop))

    def keep_made(self, statement: Any, out: list, point: Point) -> Point:
        for version in self.made_by.get(statement, {}).values():
            point = self.keep(version, out, point, statement.location)
        return point

    def keep(self, version: Version, out: list, point: Point, location: Location) -> Point:
        """Give a value that will be overwritten before it is saved a name of its own."""
        if version in self.saved_versions:
            point = point.bind(made(version))
        variable = self.needs.copies.get(version)
        if variable is None:
            return point
        if version.unbound:
            self.needs.nones.add(version.name)
        value: gast.AST = name(version.name)
        number = isinstance(version.value, Numeric) and version.value.is_number
        if version in self.fragile and version not in self.measured_alone and not number:
            value = self.copied_version(version)
        out.append(Assign(variable, value, location))
        return point.bind(variable)

    def copied_version(self, version: Version) -> gast.AST:
        """A copy of what a name stands for; of an object or a dict without lists that no adjoint reads: these may be
        long."""
        whole: gast.AST = name(version.name)
        if version.unbound:
            return self.copied(whole, None, version in self.written)
        value: Any = version.value
        if may_be_taken_apart(value) and not self.again:
            unread = self.captures.leave_out(version, [
                step for step, item in zip(value.steps, value.items) if isinstance(item, Items) and item.items is None])
            if unread:
                whole = call(self.helpers.helper("without"), whole, *map(constant, unread))
        return self.copied(whole, value, version in self.written)

    def copied(self, expression: gast.AST, value: Abstract | None, written: bool = True) -> gast.AST:
        """A copy of what a later statement writes into; where arrays are not ``written`` into, of the containers alone.
        Of a copy for each array a primal that is differentiated itself knows more."""
        if isinstance(value, Numeric) and value.kind == "array":
            return call(attribute(expression, "copy"))
        return call(self.helpers.helper("held" if written or self.again else "with_its_arrays"), expression)

    def lasting(self, node: gast.AST, expression: gast.AST) -> gast.AST:
        """The value of a primal expression as it may be saved: a copy where it may be memory that is written into."""
        value = self.facts.values.get(id(node))
        if value is not None and not may_be_written(value):
            return expression
        sources = shared(node, self.facts, self.environment, namespaces=True)
        if self.facts.passing and any(id(part) in self.facts.passing for part in whole_parts(node, self.facts)):
            return self.copied(expression, value)
        steady = isinstance(value, Numeric) or makes_container(node, self.facts)
        unsafe = self.written if steady else self.fragile
        if unsafe.isdisjoint(sources):
            return expression
        while isinstance(node, gast.Subscript):
            node = node.value
        applied = self.facts.applied.get(id(node))
        viewed = isinstance(value, Numeric) and applied is not None and applied.operation.rule.gives_view
        if viewed:  # a sum adds in the order of the memory
            return call(attribute(expression, "copy"), constant("K"))
        return self.copied(expression, value, not self.written.isdisjoint(sources))

    def keep_joined(self, statement: Branch, out: list, joined: Point | None) -> Point | None:
        """Keep the values that are only there behind all arms of a branch."""
        if joined is not None:
            before = self.facts.before[statement]
            for identifier, version in self.facts.after.get(statement, {}).items():
                if before.get(identifier) is not version and self.makers.get(version) is statement:
                    joined = self.keep(version, out, joined, statement.location)
        return joined

    def hand_on_targets(self, loop: Loop, out: list) -> None:
        """At the end of a turn: what the loop's targets are now is what the next one overwrites, before its body could
        look at it."""
        for identifier, variable in self.target_copies.get(loop, {}).items():
            out.append(Assign(variable, name(identifier), loop.location))


def in_place(target: Any, back: Store) -> Any:
    """``rows[0][i]`` of ``part[i]``, where ``rows[0] = part`` is what stands behind."""
    if isinstance(target, gast.Name):
        value: Any = back.value
        return back.target if target.id == value.id else target
    if isinstance(target, gast.Call):  # a view, of a method or a function: part.reshape(-1), np.transpose(part)
        function = in_place(target.func, back)
        given = target.args if function is not target.func else [in_place(part, back) for part in target.args]
        return gast.Call(function, given, target.keywords)
    if not isinstance(target, (gast.Subscript, gast.Attribute)):
        return target
    part = in_place(target.value, back)
    if part is target.value:
        return target
    return gast.Subscript(part, target.slice, target.ctx) if isinstance(target, gast.Subscript) else gast.Attribute(
        part, target.attr, target.ctx)


def is_guarded(statement: Statement) -> bool:
    """Whether a statement is the body of a ``try``: an exception may come after whatever is done in it."""
    return isinstance(statement, Context) and not statement.items and not statement.final


def named(values: dict[str, gast.AST], part: gast.AST) -> gast.AST | None:
    return values.get(part.id) if isinstance(part, gast.Name) else None


def made(version: Version) -> str:
    """The mark that a version was bound on the way to a point."""
    return f"#{version.index}"


def decided(variable: str) -> str:
    """The mark that a branch has been met on the way to a point; no identifier, so it collides with none."""
    return f"?{variable}"
