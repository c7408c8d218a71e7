"""Program x Captures -> the saving primal: the user's own statements, changed only where something must be saved.

Each block saves one tuple: the function when it returns, a loop at each turn. A turn is saved once, whatever its exit,
at the first point behind which nothing that must be saved is made; where the last such thing is the outcome of a
branch, in both of its arms, where the outcome is a literal. Values overwritten before their block is saved are kept
under a second name from where they are made.
"""
from __future__ import annotations

import functools
import itertools
import re
from dataclasses import dataclass, field, replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.algebra import mentions, same, substitute
from s2sgrad.compiler.captures import Capture, Captures
from s2sgrad.compiler.evaluation import is_unreached
from s2sgrad.compiler.facts import Facts, Version
from s2sgrad.compiler.operands import Helpers, guards, updated_at
from s2sgrad.compiler.order import with_operands
from s2sgrad.compiler.paths import RETURNED, Paths
from s2sgrad.compiler.program import (
    INSIDE,
    Append,
    Assign,
    Attempt,
    Augment,
    Branch,
    Context,
    Define,
    Evaluate,
    Handler,
    Import,
    Leave,
    Loop,
    Names,
    Program,
    Statement,
    Store,
    Verbatim,
    always_leaves,
    assigned_names,
    attribute,
    blocks_of,
    call,
    constant,
    is_exchange,
    leaves,
    name,
    only_raises,
    pattern_names,
    read_names,
    statements,
    tuple_of,
)
from s2sgrad.compiler.sharing import fragile, makes_container, may_be_written, overwritten, shared, whole_parts
from s2sgrad.compiler.structures import structure
from s2sgrad.compiler.targets import is_gradient
from s2sgrad.errors import Location, ensure
from s2sgrad.rules.abstract import MISSING, Abstract, Function, Items, Known, Numeric, known_value
from s2sgrad.rules.table import METHODS

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


@dataclass(frozen=True)
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


class Primal:
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
        self.guarded = -1
        """How many loops there are around the innermost body of a ``try``."""
        self.path_copies: dict[Attempt, str] = {}
        self.operands: dict[int, gast.AST] = {}
        """What the masks compare, which must have names: by the expression, its name once it has one."""
        self.wanted: dict[gast.AST, str] = {}
        self.taken_apart = {capture.statement for capture in captures.table.values() if capture.kind in EXPRESSIONS}
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
        """For writes into arrays that got a name to be written into, ``part[i] = x``, the statements behind them."""
        self.place(program.body, None)
        self.makers = self.version_makers()

    def place(self, body: tuple, parent: Any) -> None:
        for statement, following in itertools.zip_longest(body, body[1:]):
            self.parents[statement] = parent
            if self.again and isinstance(statement, (Augment, Store)) and isinstance(following, Store) \
                    and following.back and getattr(following.value, "id", None) in self.program.inner:
                self.stored_back[statement] = following
            for inner in blocks_of(statement):
                self.place(inner, statement)

    def is_taken_apart(self, node: gast.AST) -> bool:
        """Whether there is something in an expression, or it is something, that must be bound to a name."""
        key = id(node)
        if key not in self.around:
            inside = [self.is_taken_apart(child) for child in INSIDE[type(node)](node)]
            self.around[key] = True in inside or key in self.parts or key in self.masks or key in self.operands
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

    def run(self, name_: str) -> Program:
        self.foresee()
        while True:
            size = self.needs.size()
            self.copied_from.clear()
            body = self.function()
            copies = self.needs.copies
            vain = copies.keys() - self.copied_from
            if vain:  # what else this look found out it may have found out of these
                self.names.taken.difference_update([copies.pop(version) for version in vain])
                self.needs = Needs(copies)
            elif self.needs.size() == size:
                break
        bound = assigned_names(tuple(body))
        ensure(all(capture.name in bound for block in {capture.block for capture in self.captures.table.values()}
                   for capture in self.slots(block) if capture.kind in EXPRESSIONS), "what is saved is not made")
        made = [statement for statement in body if self.makes_function(statement)]
        read = read_names(tuple(body)) if made else set()
        for statement in made:
            if read.isdisjoint(assigned_names((statement,))):  # of these functions only the primals are called
                body.remove(statement)
        return Program(name_, self.program.parameters, tuple(body), self.program.location,
                       header=self.program.header)

    def foresee(self) -> None:
        """Guess which values are saved under names of their own, for their own ones stand for others by then: where
        that is right, the first look is the last one."""
        buffered = [statement for statement in statements(self.program.body)
                    if isinstance(statement, Loop) and self.saves(statement)]
        for loop, body in (*((loop, loop.body[:self.last_maker(loop.body, loop) + 1]) for loop in reversed(buffered)),
                           (None, self.program.body)):
            if not body:
                continue
            end = self.facts.before[body[-1]] if isinstance(body[-1], Leave) else self.environment_after(body[-1])
            inside = {None, *statements(body)}
            for capture in self.slots(loop):
                version = capture.subject
                if capture.kind == "version" and version.origin != "captured" and not self.is_there(version, end) \
                        and self.makers.get(version) in inside:
                    self.copy_for(capture)

    def is_there(self, version: Version, environment: dict) -> bool:
        """Whether a name still stands for a value, as that was."""
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

    def function(self) -> list:
        out: list = []
        location = self.program.location
        for variable in sorted(self.needs.nones):
            out.append(Assign(variable, self.nothing(variable), location))
        point = Point()
        for version in self.facts.parameters.values():
            point = self.keep(version, out, point, location)
        self.stack: list[Loop] = []
        self.pending: dict[Loop, bool] = {}
        self.target_copies: dict[Loop, dict[str, str]] = {}
        """Of loops, by their targets: the names that keep what each was before its turn bound it."""
        end = self.block(self.program.body, out, point, False)
        if end is not None:
            out.append(self.returned(constant(None), location, end, self.end_environment(self.program.body)))
        return out

    # ---- blocks

    def block(self, body: tuple, out: list, point: Point | None, save: bool) -> Point | None:
        """Emit a block. ``save``: the innermost loop's turn must be saved before control reaches the block's end."""
        last = self.last_maker(body, self.stack[-1]) if save else -1
        if save and body and is_guarded(body[0]):
            last = max(last, 0)
        loop = self.stack[-1] if self.stack else None
        if save and last < 0:
            assert loop is not None and point is not None
            self.save(loop, out, point, self.start_environment(body, loop))
            self.pending[loop] = False
        for index, statement in enumerate(body):
            if point is None:
                break
            here = save and index == last
            if not here or loop is None:
                point = self.checked(statement, out, point)
            elif isinstance(statement, Branch) and not self.made_by_join(statement, loop):
                point = self.branch(statement, out, point, True)
                self.pending[loop] = False
            elif isinstance(statement, Context) and statement.items:
                point = self.context(statement, out, point, True)
            else:
                point = self.checked(statement, out, point)
                if point is not None:
                    self.save(loop, out, point, self.environment_after(statement))
                    self.pending[loop] = False
        return point

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

    def start_environment(self, body: tuple, loop: Loop | None) -> dict:
        if body:
            return self.facts.before[body[0]]
        return self.facts.heads[loop]

    def end_environment(self, body: tuple) -> dict:
        return self.environment_after(body[-1]) if body else self.facts.parameters

    def environment_after(self, statement: Any) -> dict:
        if statement in self.facts.after:
            return self.facts.after[statement]
        environment = self.facts.before[statement]
        simple = isinstance(statement, (Assign, Augment, Store, Append, Evaluate, Import))
        return {**environment, **self.made_by.get(statement, {})} if simple else environment

    # ---- statements

    def checked(self, statement: Statement, out: list, point: Point) -> Point | None:
        """Emit a statement; behind one that is taken for one never reached what tells if it is."""
        if not is_unreached(statement, self.facts):
            return self.statement(statement, out, point)
        before, behind = guards(statement, self.helpers, lambda: self.names_for(statement.value))
        out += before
        after = self.statement(statement, out, point)
        out += behind
        return after

    def statement(self, statement: Statement, out: list, point: Point) -> Point | None:
        self.environment = self.facts.before[statement]
        for capture in self.written_out.get(statement, ()):
            value = capture.subject
            if capture.kind != "part":
                value = self.measure(capture, capture.subject, value)
            out.append(Assign(capture.name, self.lasting(capture.subject, value) if capture.kind == "part" else value,
                              statement.location))
            point = point.bind(capture.name)
        if isinstance(statement, Branch):
            return self.branch(statement, out, point, False)
        if isinstance(statement, Loop):
            return self.loop(statement, out, point)
        if isinstance(statement, Context):
            return self.context(statement, out, point, False)
        if isinstance(statement, Leave):
            self.leave(statement, out, point)
            return None
        if isinstance(statement, Assign):
            if ("path", statement) in self.captures.table:
                point = self.call(statement, out, point)
            else:
                if statement not in self.assignments:
                    lines: list = []
                    after = self.assign(statement, lines, point)
                    self.assignments[statement] = lines, after.certain - point.certain
                lines, bound = self.assignments[statement]
                out += lines
                point = point.bind(*bound)
            return self.keep_made(statement, out, point)
        if isinstance(statement, Append):
            place, value = statement.place, statement.value
            container, point = self.expression(statement.target, out, point, statement)
            if place is not None:
                place, point = self.expression(place, out, point, statement)
            value, point = self.expression(value, out, point, statement)
            as_it_was = container is statement.target and place is statement.place and value is statement.value
            out.append(statement if as_it_was else replace(statement, target=container, place=place, value=value))
            return self.keep_made(statement, out, point)
        if isinstance(statement, Evaluate):
            value, point = self.expression(statement.value, out, point, statement)
            out.append(statement if value is statement.value else replace(statement, value=value))
            return self.keep_made(statement, out, point)
        if isinstance(statement, Store) and statement.late:
            return self.keep_made(statement, out, point)
        if isinstance(statement, Store) and statement.back:
            if isinstance(statement.target, gast.Subscript):
                _, point = self.expression(statement.target.slice, out, point, statement)
            return self.keep_made(statement, out, point)
        if isinstance(statement, (Augment, Store)):
            target: Any = statement.target
            read = getattr(statement.value, "left", None) is target  # and so has its name by the value
            if id(target) in self.parts and not read:  # what is there before the update
                before: list = []
                _, point = self.expression(target, before, point, statement)
                missing = isinstance(statement, Store) and self.may_be_missing(target)
                out += [self.perhaps_there(new, target) for new in before] if missing else before
            value, point = self.expression(statement.value, out, point, statement)
            if isinstance(target, gast.Subscript):
                index, point = self.expression(target.slice, out, point, statement)
                target = target if index is target.slice else gast.Subscript(target.value, index, target.ctx)
            if statement in self.stored_back:  # for the next analysis, which gives it a name of its own
                target = in_place(target, self.stored_back[statement])
            if isinstance(statement, Augment) and statement.counted:
                out.append(updated_at(replace(statement, target=target, value=value), self.helpers))
                return self.keep_made(statement, out, point)
            out.append(statement if value is statement.value and target is statement.target
                       else replace(statement, target=target, value=value))
            if isinstance(statement, Store) and statement.exchanged:
                self.exchange(out)
            return self.keep_made(statement, out, point)
        out.append(statement)
        return self.keep_made(statement, out, point) if isinstance(statement, Import) else point

    def exchange(self, out: list) -> None:
        """Items or attributes that have been moved about in a container, as the one line that the user wrote."""
        stores = list(itertools.takewhile(lambda part: isinstance(part, Store) and part.exchanged, reversed(out)))[::-1]
        first = out[-len(stores) - 1] if len(stores) < len(out) else None
        if not isinstance(first, Assign) or len(first.places) != len(stores) or not is_exchange(
                tuple(store.target for store in stores), first.value):
            return
        if any(version in self.saved_versions or version in self.needs.copies
               for version in self.made_by.get(first, {}).values()):
            return
        targets = gast.Tuple([store.target for store in stores], gast.Store())
        out[-len(stores) - 1:] = [Verbatim(gast.Assign([targets], first.value, None), first.location)]

    def assign(self, statement: Assign, out: list, point: Point) -> Point:
        """Emit an assignment, and before it what must be saved of its parts."""
        value, point = self.expression(statement.value, out, point, statement)
        value = self.helpers.callable(value)
        bound = statement.target
        compares = isinstance(bound, str) and self.compares(statement.value, bound)
        if compares:  # the name still stands for what the result is compared with
            bound = self.names_for(statement.value)
        out.append(statement if value is statement.value and bound is statement.target
                   else replace(statement, target=bound, value=value))
        if isinstance(bound, str):
            self.operands[id(statement.value)] = name(bound)
            point = self.make_masks(statement.value, True, out, point, statement.location)
        if compares:
            assert isinstance(bound, str)
            out.append(Assign(statement.target, name(bound), statement.location))
        return point

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
        if version in self.fragile and not (isinstance(version.value, Numeric) and version.value.is_number):
            value = self.copied(value, None if version.unbound else version.value)
        out.append(Assign(variable, value, location))
        return point.bind(variable)

    def copied(self, expression: gast.AST, value: Abstract | None) -> gast.AST:
        """A copy of what a later statement writes into."""
        if isinstance(value, Numeric) and value.kind == "array":
            return call(attribute(expression, "copy"))
        return call(self.helpers.helper("held"), expression)

    def lasting(self, node: gast.AST, expression: gast.AST) -> gast.AST:
        """The value of a primal expression as it may be saved: a copy where it may be memory that is written into."""
        value = self.facts.values.get(id(node))
        if value is not None and not may_be_written(value):
            return expression
        sources = shared(node, self.facts, self.environment)
        if self.facts.passing and any(id(part) in self.facts.passing for part in whole_parts(node, self.facts)):
            return self.copied(expression, value)
        steady = isinstance(value, Numeric) or makes_container(node, self.facts)
        unsafe = self.written if steady else self.fragile
        if unsafe.isdisjoint(sources):
            return expression
        while isinstance(node, gast.Subscript):
            node = node.value
        applied = self.facts.applied.get(id(node))
        if applied is not None and applied.operation.rule.gives_view:  # a sum adds in the order of the memory
            return call(attribute(expression, "copy"), constant("K"))
        return self.copied(expression, value)

    def expression(self, node: gast.AST, out: list, point: Point, statement: Statement) -> tuple[gast.AST, Point]:
        """The user's expression with the parts that must be saved bound to names before it."""
        if not self.returning and (statement not in self.taken_apart or not self.is_taken_apart(node)):
            return node, point
        location = statement.location

        def visit(child: gast.AST, before: list) -> gast.AST:
            nonlocal point
            new, point = self.expression(child, before, point, statement)
            return new

        result = with_operands(node, self.facts, visit, self.may_wait, self.names_for, out, location)
        changed = result is not node
        point = self.make_masks(node, False, out, point, location)
        captures = self.parts.get(id(node), [])
        compared = id(node) in self.operands and id(node) not in self.whole and not isinstance(
            node, (gast.Name, gast.Constant))
        if self.returning or changed or captures or compared:
            result = self.reduced(node, result)
        if captures or compared:
            part = next((capture.name for capture in captures if capture.kind == "part"), None)
            if part is None and isinstance(result, gast.Name):
                variable = result.id
            elif part is not None and id(node) in self.overwritten:
                variable = self.names_for(node)
                copy = self.copied(name(variable), self.facts.values.get(id(node)))
                out += [Assign(variable, result, location), Assign(part, copy, location)]
                point = point.bind(variable, part)
            else:
                variable = part or self.names_for(captures[0] if captures else node)
                out.append(Assign(variable, self.lasting(node, result) if part else result, location))
                point = point.bind(variable)
            for capture in captures:
                if capture.kind != "part":
                    out.append(Assign(capture.name, self.measure(capture, node, name(variable)), location))
                    point = point.bind(capture.name)
            result = name(variable)
        if compared:
            self.operands[id(node)] = result
            point = self.make_masks(node, True, out, point, location)
        return result, point

    def may_be_missing(self, target: Any) -> bool:
        """Whether there may be nothing in a dict where something is stored."""
        whole = self.facts.values.get(id(getattr(target, "value", None)))
        return isinstance(target, gast.Subscript) and isinstance(whole, Items) and whole.kind is dict and (
            whole.is_open or known_value(self.facts.values[id(target.slice)]) is MISSING)

    def perhaps_there(self, statement: Assign, target: Any) -> Assign:
        """``d.get(key)`` for ``d[key]``, before something is stored there; or a copy of it; or the shape of what has a
        name by then. What leads to the dict, ``rows[i]`` of ``rows[i][key]``, is there."""
        value: Any = statement.value
        if isinstance(value, gast.Attribute) and value.attr in ("shape", "size"):
            return replace(statement, value=call(self.helpers.numpy(value.attr), value.value))
        whole = value
        while isinstance(whole, gast.Call):
            whole = whole.args[0] if whole.args else whole.func.value
        if not isinstance(whole, gast.Subscript) or any(same(whole, part) for part in gast.walk(target.value)):
            return statement
        found = call(attribute(whole.value, "get"), whole.slice)
        return replace(statement, value=found if whole is value else call(self.helpers.helper("held"), found))

    def reduced(self, node: gast.AST, result: Any) -> gast.AST:
        """``x.sum()`` for ``np.sum(x)`` of a differentiated array, which does the same in half the time; only where the
        line is written anew."""
        applied = self.facts.applied.get(id(node))
        if applied is None or not applied.operation.rule.spreads or not isinstance(node, gast.Call):
            return result
        rule = applied.operation.rule
        first = self.facts.values.get(id(node.args[0])) if node.args else None
        if METHODS.get(rule.name) is not rule or not isinstance(self.facts.values.get(id(node.func)), Known) \
                or not (isinstance(first, Numeric) and first.kind == "array" and first.active):
            return result
        method = attribute(result.args[0], rule.name)
        return gast.copy_location(gast.Call(method, result.args[1:], result.keywords), node)

    def may_wait(self, child: gast.AST, new: gast.AST) -> bool:
        """Whether an operand may need a name, for what is to its right is evaluated before it."""
        return not (isinstance(new, gast.Constant) or isinstance(new, gast.Name) and new.id not in self.facts.captured)

    def make_masks(self, node: gast.AST, of_result: bool, out: list, point: Point, location: Location) -> Point:
        """The masks that compare an expression's operands; those of its result come once that has a name."""
        for capture in self.masks.get(id(node), ()):
            assert capture.formula is not None
            expression, operands, _ = capture.formula
            if ("y" in operands) is of_result:
                values = {found: self.operands[id(operand)] for found, operand in operands.items()}
                out.append(Assign(capture.name, substitute(expression, functools.partial(named, values)), location))
                point = point.bind(capture.name)
        return point

    def compares(self, node: gast.AST, label: str) -> bool:
        """Whether a mask compares an expression's value with what a name has stood for."""
        return any(mentions(self.operands[id(operand)], label) for capture in self.masks.get(id(node), ())
                   if capture.formula is not None and "y" in capture.formula[1]
                   for operand in capture.formula[1].values() if operand is not node)

    def measure(self, capture: Capture, node: gast.AST, expression: gast.AST) -> gast.AST:
        """The length, shape or size of a value."""
        if capture.kind == "len":
            return call(self.helpers.builtin("len"), expression)
        value = self.facts.values.get(id(node))
        if isinstance(value, Numeric) and value.kind == "array":
            return attribute(expression, capture.kind)
        return call(self.helpers.numpy(capture.kind), expression)

    def names_for(self, subject: Any) -> str:
        """A variable for an expression that is not saved itself, but its shape, its size or a mask of it."""
        if subject not in self.measured:
            wanted = re.sub(rf"_{subject.kind}(_\d+)?$", "", subject.name) if isinstance(subject, Capture) \
                else self.wanted.get(subject, "value")
            self.measured[subject] = self.names.fresh(wanted)
        return self.measured[subject]

    def call(self, statement: Assign, out: list, point: Point) -> Point:
        """A call of a function with an adjoint of its own: its primal, which also gives its path and saved tuple."""
        called = self.facts.calls[id(statement.value)]
        derivative = called.derivative
        primal = self.helpers.inject(("primal", id(derivative)), f"{derivative.label}_primal",
                                     derivative.primal_cell)
        arguments: list[gast.AST] = []
        keywords: dict[str, gast.AST] = {}
        for parameter, node in zip(derivative.parameters, called.arguments):
            if node is None:
                continue
            value, point = self.expression(node, out, point, statement)
            known = self.facts.values.get(id(node))
            given = parameter in called.written or parameter in derivative.facts.lent
            if not given and not (isinstance(known, Items) and known.is_object):
                value = self.lasting(node, value)
            if len(arguments) == derivative.parameters.index(parameter) and parameter not in derivative.keyword_only:
                arguments.append(value)
            else:
                keywords[parameter] = value
        slots = [self.captures.table[role, statement].name for role in ("path", "saved")]
        out.append(Assign((statement.target, *slots), call(primal, *arguments, **keywords), statement.location))
        for slot in slots:
            point = point.bind(slot)
        return point

    # ---- control flow

    def branch(self, statement: Branch, out: list, point: Point, save: bool) -> Point | None:
        if isinstance(statement, Attempt):
            return self.attempt(statement, out, point, save)
        test, point = self.expression(statement.test, out, point, statement)
        arms: list[list] = []
        ends: list[Point | None] = []
        for outcome, body in ((True, statement.then), (False, statement.orelse)):
            arms.append([])
            inside = self.decided(statement, outcome, arms[-1], point)
            ends.append(self.arm(statement, body, arms[-1], inside, save))
        joined = self.join(ends, arms, point, statement)
        out.append(replace(statement, test=test, then=tuple(arms[0]), orelse=tuple(arms[1])))
        return self.keep_joined(statement, out, joined)

    def decided(self, statement: Branch, outcome: bool, out: list, point: Point) -> Point:
        """An arm of a branch starts: emit what tells that it was taken."""
        body = statement.then if outcome else statement.orelse
        variable = self.captures.table.get(("decision", statement))
        inside = point.decide(statement, outcome)
        if variable is not None:
            inside = inside.bind(decided(variable.name))
        if (statement, True) in self.paths.offsets and not only_raises(body):
            inside = self.advance(inside, self.paths.offsets[statement, outcome], out, statement.location)
        if variable is not None and statement in self.needs.variables:
            out.append(Assign(variable.name, constant(outcome), statement.location))
            inside = inside.bind(variable.name)
        return inside

    def arm(self, statement: Branch, body: tuple, out: list, point: Point, save: bool) -> Point | None:
        """Emit the body of an arm, which saves the turn if it always leaves: not where a handler may run afterwards."""
        loop = self.stack[-1] if self.stack else None
        pending = dict(self.pending)
        leaving = loop is not None and pending.get(loop) and always_leaves(body) and leaves(body) \
            and self.saves(loop) and self.guarded != len(self.stack)
        end: Point | None = point
        if not body and save:
            assert loop is not None
            self.save(loop, out, point, self.facts.before[statement])
        else:
            end = self.block(body, out, point, not only_raises(body) and (save or bool(leaving)))
        self.pending = pending
        return end

    def attempt(self, statement: Attempt, out: list, point: Point, save: bool) -> Point | None:
        """A ``try`` statement: what tells that its body did not raise comes behind that, what is saved as well."""
        first: list = []
        if point.path is None and any((inner, True) in self.paths.offsets for inner in statements(statement.body)):
            path = self.path_copies.setdefault(statement, self.names.fresh(f"{self.path_name}_before"))
            out.append(Assign(path, name(self.path_name), statement.location))
            first.append(Assign(self.path_name, name(path), statement.location))
        marks: list = []
        arms: list[list] = [[]]
        ends = [self.arm(statement, statement.then, arms[0], self.decided(statement, True, marks, point), save)]
        if not always_leaves(statement.body):
            arms[0][1:1] = marks
        inside = self.keep_made(statement, first, self.decided(statement, False, first, point))
        if self.again:  # what the body may have left half done has no value from here on
            half_done = assigned_names((arms[0][0],)) & self.needs.nones - assigned_names(self.program.body)
            first += [Assign(variable, self.nothing(variable), statement.location) for variable in sorted(half_done)]
        handlers: list[Handler] = []
        rest = statement.orelse
        while isinstance(rest[0], Handler):
            handlers.append(rest[0])
            arms.append(list(first))
            taken = self.decided(rest[0], True, arms[-1], inside)
            ends.append(self.arm(rest[0], rest[0].then, arms[-1], taken, save))
            inside = self.decided(rest[0], False, first, inside)
            rest = rest[0].orelse
        joined = self.join(ends, arms, point, statement)
        for handler, arm in zip(reversed(handlers), reversed(arms)):
            rest = (replace(handler, then=tuple(arm), orelse=rest),)
        out.append(replace(statement, then=tuple(arms[0]), orelse=rest))
        return self.keep_joined(statement, out, joined)

    def keep_joined(self, statement: Branch, out: list, joined: Point | None) -> Point | None:
        """Keep the values that are only there behind all arms of a branch."""
        if joined is not None:
            before = self.facts.before[statement]
            for identifier, version in self.facts.after.get(statement, {}).items():
                if before.get(identifier) is not version and self.makers.get(version) is statement:
                    joined = self.keep(version, out, joined, statement.location)
        return joined

    def context(self, statement: Context, out: list, point: Point, save: bool) -> Point | None:
        """A ``with`` block: what is behind it runs exactly where the end of its body was reached."""
        body: list = []
        final: list = []
        outer = self.guarded
        if is_guarded(statement):
            self.guarded = len(self.stack)
        point = self.keep_made(statement, body, point)
        end = self.block(statement.body, body, point, save)
        self.guarded = outer
        after = self.block(statement.final, final, point if end is None else end, False)
        out.append(replace(statement, body=tuple(body), final=tuple(final)))
        return None if end is None else after

    def advance(self, point: Point, offset: int, out: list, location: Location) -> Point:
        """Add a decision's offset to the path id: at no cost while the id is known."""
        if point.path is not None:
            return Point(point.certain, point.possible, point.decisions, point.path + offset)
        if offset:
            out.append(Augment(name(self.path_name), gast.Add(), constant(offset), location))
        return point

    def join(self, ends: list, arms: list, before: Point, statement: Any) -> Point | None:
        reached = [(end, arm) for end, arm in zip(ends, arms) if end is not None]
        if not reached:
            return None
        path = reached[0][0].path
        if any(end.path != path for end, _ in reached):
            for end, arm in reached:
                if end.path is not None:
                    arm.append(Assign(self.path_name, constant(end.path), statement.location))
            path = None
        certain = frozenset.intersection(*(end.certain for end, _ in reached))
        possible = frozenset.union(*(end.possible for end, _ in reached))
        decisions = reached[0][0].decisions if len(reached) == 1 else before.decisions
        return Point(certain, possible, decisions, path)

    def saves(self, loop: Loop) -> bool:
        return ("buffer", loop) in self.captures.table

    def loop(self, statement: Loop, out: list, point: Point) -> Point | None:
        iterable = statement.iterable
        if statement.target is not None:
            iterable, point = self.expression(iterable, out, point, statement)
        buffer = self.captures.table.get(("buffer", statement))
        if buffer is not None:
            out.append(Assign(buffer.name, gast.List([], gast.Load()), statement.location))
            point = point.bind(buffer.name)
        body: list = []
        outer_pending = dict(self.pending)
        self.stack.append(statement)
        self.pending[statement] = buffer is not None
        inside = point
        targets = set(pattern_names(statement.target or ())) & set(self.facts.before[statement])
        for identifier, version in self.facts.heads[statement].items():
            if self.facts.before[statement].get(identifier) is not version and version.loop is statement:
                if identifier in targets and version in self.needs.copies:
                    inside = self.keep(version, out, inside, statement.location)
                    self.target_copies.setdefault(statement, {})[identifier] = self.needs.copies[version]
                else:
                    inside = self.keep(version, body, inside, statement.location)
        inside = self.keep_made(statement, body, inside)
        end = self.block(statement.body, body, inside, buffer is not None)
        if end is not None:
            self.hand_on_targets(statement, body)
        self.stack.pop()
        self.pending = outer_pending
        possible = point.possible | (end.possible if end is not None else frozenset())
        possible |= {capture.name for capture in self.captures.table.values()
                     if capture.statement is not None and self.within(capture.statement, statement)}
        after = replace(point, possible=possible)
        out.append(Loop(statement.target, iterable, tuple(body), statement.location))
        if statement not in self.facts.after:
            return None
        result = after
        for identifier, version in self.facts.after[statement].items():
            if self.facts.before[statement].get(identifier) is not version and self.makers.get(version) is statement:
                result = self.keep(version, out, result, statement.location)
        return result

    def hand_on_targets(self, loop: Loop, out: list) -> None:
        """At the end of a turn: what the loop's targets are now is what the next one overwrites, before its body could
        look at it."""
        for identifier, variable in self.target_copies.get(loop, {}).items():
            out.append(Assign(variable, name(identifier), loop.location))

    def leave(self, statement: Leave, out: list, point: Point) -> None:
        environment = self.facts.before[statement]
        location = statement.location
        if statement.kind == "raise":
            out.append(statement)
            return
        if statement.kind != "return":
            loop = self.stack[-1]
            if self.pending.get(loop):
                self.save(loop, out, point, environment)
            if statement.kind == "continue":
                self.hand_on_targets(loop, out)
            out.append(statement)
            return
        value: gast.AST = constant(None) if statement.value is None else statement.value
        self.returning = True
        value, point = self.expression(value, out, point, statement)
        self.returning = False
        if self.stack and self.guarded >= 0 and not isinstance(value, gast.Constant):
            result = self.names_for(statement)  # once it is there, nothing raises
            out.append(Assign(result, value, location))
            value = name(result)
        for loop in reversed(self.stack):
            point = point.decide(loop, True)
            if self.pending.get(loop):
                self.save(loop, out, point, environment)
        for loop in self.stack[:1]:
            point = self.advance(point, self.paths.offsets.get((loop, RETURNED), 0), out, location)
        out.append(self.returned(value, location, point, environment))

    def returned(self, value: gast.AST, location: Location, point: Point, environment: dict) -> Leave:
        path: gast.AST = name(self.path_name) if point.path is None else constant(point.path)
        slots = [self.slot(capture, point, environment) for capture in self.slots(None)]
        return Leave("return", tuple_of([value, path, tuple_of(slots)]), location)

    # ---- saving

    def save(self, loop: Loop, out: list, point: Point, environment: dict) -> None:
        buffer = self.captures.table.get(("buffer", loop))
        if buffer is None:
            return
        slots = [self.slot(capture, point, environment) for capture in self.slots(loop)]
        item = slots[0] if len(slots) == 1 else tuple_of(slots) if slots else constant(None)
        out.append(Evaluate(call(attribute(name(buffer.name), "append"), item), loop.location))

    def slot(self, capture: Capture, point: Point, environment: dict) -> gast.AST:
        """The value of a slot as it is bound at a point; None where there is none."""
        if capture.kind in ("decision", "returned"):
            return self.decision(capture, point)
        if capture.kind != "version":
            return self.bound(capture.name, point)
        version = capture.subject
        if version.origin == "captured":
            value: gast.AST = name(version.name)
            return self.copied(value, version.value) if version in self.fragile else value
        if self.is_there(version, environment):
            if version.unbound:
                self.needs.nones.add(version.name)
            return name(version.name)
        if made(version) not in point.possible:
            number = isinstance(version.value, Numeric) and version.value.is_number
            if version in self.captures.shapes and version.name in environment and not number:
                # the zeros that the reversal starts with here are the cotangent of what the name is here
                if environment[version.name].unbound:
                    self.needs.nones.add(version.name)
                return name(version.name)
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


def saved_form(capture: Capture, facts: Facts) -> Abstract:
    """What is known of a slot: of what a call saves, what its function's slots are."""
    if capture.kind == "saved":
        return facts.calls[id(capture.subject.value)].derivative.saved_form()
    return capture.value


def in_place(target: Any, back: Store) -> Any:
    """``rows[0][i]`` of ``part[i]``, where ``rows[0] = part`` is what stands behind."""
    if isinstance(target, gast.Name):
        value: Any = back.value
        return back.target if target.id == value.id else target
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
