"""Program x Facts -> tangent: the user's statements, each followed by what gives the tangents of what it binds.

Control flow stays as it is; every name that a differentiated value may be under has a second one for its tangent,
``x_dot``. What writes into an array or a container does the same to its tangent, so both share memory alike. A
statement that overwrites what its tangent is made of comes after it. Expressions are the business of ``tangents.py``.
"""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.helpers import guards
from s2sgrad.compiler.nodes import call, constant, name, names_in, tuple_of
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Attempt,
    Augment,
    Branch,
    Context,
    Declare,
    Define,
    Delete,
    Evaluate,
    Import,
    Leave,
    Loop,
    Pattern,
    Program,
    Remove,
    Statement,
    Store,
    Verbatim,
    always_leaves,
    pattern_names,
    read_names,
    written_name,
)
from s2sgrad.compiler.sheltered import Caught, caught_by
from s2sgrad.compiler.tangent_calls import TangentCalls
from s2sgrad.compiler.tangent_state import gives_keys, is_same
from s2sgrad.compiler.unparse import unparse
from s2sgrad.compiler.unread import without_unread
from s2sgrad.rules.abstract import Items, Known, known_value

LONG = 96
"""A result and its tangent of more characters are not returned on one line."""


class Forward(TangentCalls):
    """One tangent function being written."""

    def run(self) -> Program:
        location = self.program.location
        out: list = []
        for label, version in self.facts.parameters.items():
            if version in self.needed and label not in self.header.parameters:
                self.clear(label, version, out, location)
        self.block(self.program.body, out)
        if not always_leaves(self.program.body):
            out.append(Leave("return", tuple_of([constant(None), constant(None)]), location))
        seen = {dot for label, dot in self.header.parameters.items() if label in self.facts.written}
        body = tuple(out) if self.facts.entangled else without_unread(tuple(out), self.generated(), seen)
        body = self.shelter.arranged(body, self.caught is not Caught.NOTHING)
        read = read_names(body)  # inner functions that are only called have tangents of their own
        body = tuple(statement for statement in body if not (isinstance(statement, Define) and read.isdisjoint(
            statement.targets)))
        return Program(self.header.name, (*self.program.parameters, *self.header.parameters.values()), body,
                       location, header=self.parameters())

    # ---- blocks

    def block(self, body: tuple, out: list) -> None:
        for statement in body:
            if statement not in self.facts.before:
                return
            before, behind = guards(statement, self.facts, self.helpers, lambda: self.names.fresh("value"))
            out += before
            made: list = []
            self.statement(statement, made)
            out += made if self.caught is Caught.NOTHING else self.sheltered(statement, made)
            out += behind

    def sheltered(self, statement: Statement, made: list) -> list:
        """What was made of a statement that handlers stand around."""
        in_order = isinstance(statement, Leave) or isinstance(
            statement, (Assign, Evaluate)) and id(statement.value) in self.facts.calls
        order = self.shelter.in_place if in_order else self.shelter.ordered
        return order(made, self.caught)

    def changed_by(self, statement: Assign | Evaluate) -> tuple:
        """The names of what a call changes; what a method of the user's does is known, whatever its name is."""
        called = self.facts.calls.get(id(statement.value))
        written = tuple(called.written.values()) if called else ()
        receiver = self.facts.values.get(id(getattr(getattr(statement.value, "func", None), "value", None)))
        users = isinstance(receiver, Items) and receiver.is_object
        return written if users else (*statement.writes, *written)

    def statement(self, statement: Statement, out: list) -> None:
        if isinstance(statement, (Assign, Evaluate)) and id(statement.value) in self.facts.popped:
            self.pop(statement, out)
        elif isinstance(statement, Assign):
            if id(statement.value) in self.facts.calls:
                self.call(statement, out)
            else:
                if not (isinstance(statement.target, str) and statement.target in statement.writes):
                    self.refuse_change(statement, self.changed_by(statement))
                self.assign(statement, out)
        elif isinstance(statement, Augment):
            self.augment(statement, out)
        elif isinstance(statement, Store):
            self.store_back(statement, out) if statement.back else self.store(statement, out)
        elif isinstance(statement, Append):
            self.append(statement, out)
        elif isinstance(statement, Attempt):
            self.attempt(statement, out)
        elif isinstance(statement, Branch):
            out.append(replace(statement, then=self.inner(statement.then), orelse=self.inner(statement.orelse)))
        elif isinstance(statement, Loop):
            self.loop(statement, out)
        elif isinstance(statement, Context):
            out.append(replace(statement, body=self.inner(statement.body), final=self.inner(statement.final)))
        elif isinstance(statement, Leave) and statement.kind == "return":
            self.leave(statement, out)
        elif isinstance(statement, (Delete, Evaluate)):
            self.refuse_change(statement, self.changed_by(statement) if isinstance(statement, Evaluate)
                               else (written_name(statement),))
            out.append(statement)
        elif isinstance(statement, Import):
            out.append(statement)
            for label, version in self.bound(statement).items():
                self.clear(label, version, out, statement.location)
        elif isinstance(statement, (Declare, Leave, Remove, Verbatim)):
            out.append(statement)
        else:
            raise AssertionError(f"{type(statement).__name__} goes forwards in no way")

    def attempt(self, statement: Attempt, out: list) -> None:
        """A ``try`` statement: its handlers catch what the user's own lines in the body raise."""
        context: Any = statement.then[0]
        around = self.caught
        self.caught = max(around, caught_by(statement, self.facts))
        body = self.inner(context.body)
        self.caught = around
        out.append(replace(statement, then=(replace(context, body=body), *self.inner(statement.then[1:])),
                           orelse=self.inner(statement.orelse)))

    def leave(self, statement: Leave, out: list) -> None:
        value: gast.AST = constant(None) if statement.value is None else statement.value
        if statement.value is None:
            out.append(Leave("return", tuple_of([value, value]), statement.location))
            return
        self.tangents.start(statement, {})
        tangent = self.tangents.whole(value)
        value = self.values.taken_apart(value, out, statement.location)
        value_first = self.caught and not self.shelter.are_quiet([tangent], self.tangents.steps, self.caught)
        if not value_first:
            out.extend(self.tangents.steps)
        if value_first or len(unparse(value)) + len(unparse(tangent)) > LONG:
            pair = self.names.fresh("result"), self.names.fresh("result_dot")
            out.append(Assign(pair[0], value, statement.location))
            if value_first:
                self.tangents.made.add(pair[1])
                out.extend(self.tangents.steps)
            out.append(Assign(pair[1], tangent, statement.location))
            value, tangent = map(name, pair)
        out.append(Leave("return", tuple_of([value, tangent]), statement.location))

    # ---- names bound

    def assign(self, statement: Assign, out: list) -> None:
        bound = self.bound(statement)
        if not bound or not self.facts.values[id(statement.value)].active:
            out.append(replace(statement, value=self.helpers.callable(statement.value)))
            for label, version in bound.items():
                self.clear(label, version, out, statement.location)
            return
        made = {self.facts.defined[statement, label]: label for label in pattern_names(statement.target)}
        taken = set(self.names.taken)
        pairs = self.tangents_of(statement, made, None)
        targets = set(pattern_names(statement.target))
        first = None
        if self.values.uses_result and not targets.isdisjoint(self.values.read):  # both what the name is and was
            self.names.taken = taken
            if self.tangents.has_parts(statement.value) and not isinstance(statement.target, str):
                pairs = self.tangents_of(statement, {}, None)  # the results are parts of what gets a name of its own
            else:
                first = self.names.fresh(self.values.wanted(statement.value))
                pairs = self.tangents_of(statement, made, first)
        value = self.values.taken_apart(statement.value, out, statement.location)
        before = not self.values.uses_result and not targets.isdisjoint(self.values.read)
        plain = statement if value is statement.value else replace(statement, value=value)
        if first is not None:
            out.append(Assign(first, value, statement.location))
            plain = replace(statement, value=name(first))
        elif not before:
            out.append(plain)
        out.extend(self.tangents.steps)
        left = [target for target, _ in pairs]
        right = [tangent for _, tangent in pairs]
        if len(pairs) > 1 and self.tangents.has_parts(statement.value) and set(left).isdisjoint(
                names_in(tuple_of(right))):
            out += [Assign(target, tangent, statement.location) for target, tangent in pairs]
        elif pairs and not (len(pairs) == 1 and is_same(*pairs[0])):
            out.append(Assign(left[0] if len(left) == 1 else tuple(left),
                              right[0] if len(right) == 1 else tuple_of(right), statement.location))
        if first is not None or before:
            out.append(plain)
        for label, version in bound.items():
            if self.tangents.dot(label) not in {found for target in left for found in pattern_names(target)}:
                self.clear(label, version, out, statement.location)

    # ---- loops

    def loop(self, statement: Loop, out: list) -> None:
        if statement.target is None:
            out.append(replace(statement, body=self.inner(statement.body)))
            return
        self.tangents.start(statement, {})
        bound = self.bound(statement)
        given: set[str] = set()
        target, iterable = self.turns(statement, statement.target, statement.iterable, given) if bound else (
            statement.target, statement.iterable)
        first: list = []
        for label, version in bound.items():
            if label not in given:
                self.clear(label, version, first, statement.location)
        body = self.inner(statement.body, first)
        out.append(Loop(target, iterable, body, statement.location))

    def turns(self, statement: Loop, pattern: Pattern, node: Any, given: set[str]) -> tuple[Pattern, gast.AST]:
        """A loop's header with the tangents of what it runs over; notes which names get theirs from it."""
        function = known_value(self.facts.values.get(id(node.func), Known(None))) \
            if isinstance(node, gast.Call) and id(node) not in self.facts.applied else None
        if function is enumerate and isinstance(pattern, tuple) and len(pattern) == 2:
            inner, sequence = self.turns(statement, pattern[1], node.args[0], given)
            return (pattern[0], inner), call(node.func, sequence, *node.args[1:])
        if function is zip and isinstance(pattern, tuple) and len(pattern) == len(node.args):
            targets: list[Pattern] = list(pattern)
            sequences = list(node.args)
            for part, item in zip(pattern, node.args):
                dots, sequence = self.sequence(statement, part, item, given)
                if sequence is not None:
                    targets.append(dots)
                    sequences.append(sequence)
            return tuple(targets), call(node.func, *sequences)
        dots, sequence = self.sequence(statement, pattern, node, given)
        if sequence is None:
            return pattern, node
        return (pattern, dots), call(self.helpers.builtin("zip"), node, sequence)

    def sequence(self, statement: Loop, pattern: Pattern, node: Any, given: set[str]
                 ) -> tuple[Pattern, gast.AST | None]:
        """The tangents of what a target runs over, and theirs; None where there are none."""
        dots = self.dotted(statement, pattern)
        if dots == self.unused:
            return dots, None
        function = known_value(self.facts.values.get(id(node.func), Known(None))) \
            if isinstance(node, gast.Call) and id(node) not in self.facts.applied else None
        if function is reversed:
            dots, inner = self.sequence(statement, pattern, node.args[0], given)
            return dots, None if inner is None else call(node.func, inner)
        if function in (enumerate, zip):
            parts = [None, node.args[0]] if function is enumerate else list(node.args)
            assert isinstance(pattern, tuple)  # see inferred_loops
            found: list = []
            targets: list[Pattern] = []
            for part, item in zip(pattern, parts):
                inner_dots, inner = (self.unused, None) if item is None else self.sequence(
                    statement, part, item, given)
                if inner is not None:
                    targets.append(inner_dots)
                    found.append(inner)
            if not found:
                return dots, None
            if len(found) == 1:
                return targets[0], found[0]
            return tuple(targets), call(self.helpers.builtin("zip"), *found)
        value = self.facts.values.get(id(node))
        tangent = None if value is None or gives_keys(value) else self.tangents.of(node)
        if tangent is None:
            return dots, None
        given.update(pattern_names(pattern))
        return dots, tangent.expression
