"""Program x Facts -> tangent: the user's statements, each followed by what gives the tangents of what it binds.

Control flow stays as it is; every name that a differentiated value may be under has a second one for its tangent,
``x_dot``. What writes into an array or a container does the same to its tangent, so both share memory alike. A
statement that overwrites what its tangent is made of comes after it. Expressions are the business of ``tangents.py``.
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import gast

from s2sgrad.compiler.cotangents import is_a_number
from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.evaluation import is_unreached
from s2sgrad.compiler.facts import CONTENTS, Facts, Version, origins
from s2sgrad.compiler.loops import refused
from s2sgrad.compiler.operands import Helpers, guards, updated_at
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
    Names,
    Pattern,
    Program,
    Remove,
    Rest,
    Statement,
    Store,
    Verbatim,
    always_leaves,
    assigned_names,
    attribute,
    call,
    constant,
    name,
    names_in,
    pattern_names,
    read_names,
    root,
    root_of,
    statements,
    subscript,
    tuple_of,
    written_name,
)
from s2sgrad.compiler.sheltered import Caught, Shelter, caught_by
from s2sgrad.compiler.structures import structure
from s2sgrad.compiler.tangents import Tangent, Tangents
from s2sgrad.compiler.unparse import unparse
from s2sgrad.compiler.unread import without_unread
from s2sgrad.compiler.values import Values
from s2sgrad.errors import Location, UnsupportedError
from s2sgrad.rules.abstract import NEVER, Abstract, Items, Known, Numeric, known_value, passive

LONG = 96
"""A result and its tangent of more characters are not returned on one line."""


@dataclass(frozen=True)
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


class Forward:
    """One tangent function being written."""

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
        body = self.shelter.arranged(without_unread(tuple(out), self.generated(), seen))
        read = read_names(body)  # inner functions that are only called have tangents of their own
        body = tuple(statement for statement in body if not (isinstance(statement, Define) and read.isdisjoint(
            statement.targets)))
        return Program(self.header.name, (*self.program.parameters, *self.header.parameters.values()), body,
                       location, header=self.parameters())

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

    # ---- blocks

    def block(self, body: tuple, out: list) -> None:
        for statement in body:
            if statement not in self.facts.before:
                return
            before, behind = guards(statement, self.helpers, lambda: self.names.fresh("value")) \
                if is_unreached(statement, self.facts) else ([], [])
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

    def inner(self, body: tuple, first: list | None = None) -> tuple:
        inside: list = first or []
        self.block(body, inside)
        return tuple(inside)

    def statement(self, statement: Statement, out: list) -> None:
        if isinstance(statement, (Assign, Evaluate)) and id(statement.value) in self.facts.popped:
            self.pop(statement, out)
        elif isinstance(statement, Assign):
            if id(statement.value) in self.facts.calls:
                self.call(statement, out)
            else:
                if not (isinstance(statement.target, str) and statement.target in statement.writes):
                    self.refuse_change(statement, statement.writes)
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
            called = self.facts.calls.get(id(statement.value)) if isinstance(statement, Evaluate) else None
            self.refuse_change(statement, (*statement.writes, *(called.written.values() if called else ()))
                               if isinstance(statement, Evaluate) else (written_name(statement),))
            out.append(statement)
        elif isinstance(statement, (Declare, Import, Leave, Remove, Verbatim)):
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

    def pop(self, statement: Assign | Evaluate, out: list) -> None:
        node: Any = statement.value
        label = root_of(node.func.value).id
        if not self.has_tangent(statement, label):
            self.assign(statement, out) if isinstance(statement, Assign) else out.append(statement)
            return
        self.tangents.start(statement, {})
        given = [self.values.value(item, statement) for item in node.args[:1]]
        taken = call(attribute(self.dotted_place(node.func.value, statement), "pop"), *given)
        parts: Any = self.values.taken_apart(tuple_of(node.args), out, statement.location)
        plain = replace(statement, value=gast.copy_location(call(node.func, *parts.elts), node))
        dots = self.dotted(statement, statement.target) if isinstance(statement, Assign) else self.unused
        out += [*self.tangents.steps, Evaluate(taken, statement.location) if dots == self.unused else Assign(
            dots, taken, statement.location), plain]

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

    def bound(self, statement: Any) -> dict[str, Version]:
        """The versions that a statement binds, and whose tangents are needed."""
        found = {label: self.facts.defined.get((statement, label)) for label in pattern_names(statement.target)}
        return {label: version for label, version in found.items() if version is not None and version in self.needed}

    def clear(self, label: str, version: Version, out: list, location: Any) -> None:
        """A name that holds a passive value here gets a tangent that is zero."""
        zero = self.values.zero(name(label), passive(version.value))
        out.append(Assign(self.tangents.dot(label), zero, location))

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

    # ---- writes

    def augment(self, statement: Augment, out: list) -> None:
        label = written_name(statement)
        version = self.facts.defined.get((statement, label))
        if version is None or version not in self.needed or self.facts.values[id(statement.value)] is NEVER:
            out.append(self.spelled(statement))
            return
        target: Any = statement.target
        if isinstance(target, gast.Attribute) and not any(
                self.facts.values[id(part)].active for part in (target, statement.value)) and is_a_number(
                    self.facts.values[id(statement.value)]):  # a count: its tangent stays zero
            out.append(statement)
            return
        rebinds = isinstance(target, (gast.Name, gast.Attribute))
        old = self.facts.before[statement].get(label)
        made = {version: label} if rebinds else {}
        self.tangents.start(statement, made)
        update = self.update(statement, old in self.needed)
        if self.values.uses_result and (label in self.values.read or not is_a_number(self.facts.values[id(target)])):
            # what the name was is read, too, or views of the array that it is
            result = self.names.fresh(label)
            self.tangents.start(statement, made, result)
            update = self.update(statement, old in self.needed)
            self.values.value(statement.value, statement)  # which is read twice
        nodes = [statement.value] if rebinds else [target.slice, statement.value]
        parts: Any = self.values.taken_apart(tuple_of(nodes), out, statement.location)
        value, index = parts.elts[-1], parts.elts[0]
        if self.values.result is not None:
            out.append(Assign(self.values.result, gast.BinOp(target, statement.operator, value), statement.location))
        plain = statement
        if value is not statement.value or not rebinds and index is not target.slice:
            plain = replace(statement, value=value, target=target if rebinds else gast.Subscript(
                target.value, index, target.ctx))
        plain = self.spelled(plain)
        if update is None:
            out.append(plain)
            self.clear(label, version, out, statement.location)
            return
        after = self.values.uses_result and self.values.result is None
        update = self.spelled(update)
        out.extend([plain, *self.tangents.steps, update] if after else [*self.tangents.steps, update, plain])

    def spelled(self, statement: Any) -> Any:
        """``np.add.at`` as the call that it is."""
        counted = isinstance(statement, Augment) and statement.counted
        return updated_at(statement, self.helpers) if counted else statement

    def update(self, statement: Augment, there: bool) -> Any:
        """What an in-place operator does to the tangent of what it updates (if one is ``there``); None where the name
        has a passive value behind it."""
        target: Any = statement.target
        tangents, values, location = self.tangents, self.values, statement.location
        label = written_name(statement)
        dot: gast.AST = name(tangents.dot(label))
        if isinstance(target, gast.Attribute):
            dot = self.dotted_place(target, statement)
        if isinstance(target, gast.Subscript):
            dot = subscript(self.dotted_place(target.value, statement), values.value(target.slice, statement))
        changed, operand = self.facts.values[id(target)], self.facts.values[id(statement.value)]
        array = isinstance(changed, Numeric) and changed.kind == "array" or isinstance(
            target, gast.Subscript) and isinstance(self.facts.values[id(target.value)], Numeric)
        if there and (array or is_a_number(changed) and is_a_number(operand)):  # else a number may become an array
            if isinstance(statement.operator, (gast.Add, gast.Sub)):
                tangent = tangents.of(statement.value)
                added = constant(0.0) if tangent is None else tangent.expression
                return Augment(dot, statement.operator, added, location, counted=statement.counted)
            if isinstance(statement.operator, (gast.Mult, gast.Div)) and not operand.active:
                factor = values.value(statement.value, statement)
                return Augment(dot, statement.operator, factor, location, counted=statement.counted)
        if statement.counted:
            raise AssertionError("only sums are updated at places that may be the same")
        applied = self.facts.applied.get(id(statement))
        tangent = None if applied is None else tangents.apply(statement, applied)
        if isinstance(target, gast.Attribute):
            if tangent is None:
                raise UnsupportedError("a change of this is not differentiated forwards yet",
                                       "write it as an assignment, a.b = a.b + c", location)
            return Store(dot, self.filled(statement, tangent), location)  # type: ignore[arg-type]
        if array and there or isinstance(target, gast.Subscript):
            place = dot if isinstance(target, gast.Subscript) else subscript(dot, constant(...))
            return Store(place, constant(0.0) if tangent is None else self.filled(statement, tangent), location)
        if tangent is None:
            return None
        value = self.facts.defined[statement, label].value
        values.remember(tangents.dot(label), passive(value))
        found = tangents.own(statement, tangents.cast(self.filled(statement, tangent), value))
        return Assign(tangents.dot(label), found, location)

    def filled(self, statement: Augment, tangent: Tangent) -> gast.AST:
        """The tangent of what an update gives, in its shape."""
        changed = self.facts.values[id(statement.target)]
        if isinstance(changed, Numeric) and changed.kind == "array":  # which keeps its shape
            return tangent.expression
        return self.tangents.filled(statement, tangent)

    def store(self, statement: Store, out: list) -> None:
        label = written_name(statement)
        version = self.facts.defined.get((statement, label))
        if version is None or version not in self.needed:
            if not statement.late:
                out.append(statement)
            return
        target: Any = statement.target
        self.tangents.start(statement, {})
        if statement.late:
            out.append(Store(self.dotted_place(target, statement), constant(0.0), statement.location))  # type: ignore[arg-type]
            return
        if isinstance(target, gast.Attribute):
            tangent = self.tangents.whole(statement.value)
            part: Any = self.values.taken_apart(statement.value, out, statement.location)
            place: Any = self.dotted_place(target, statement)
            out.extend([*self.tangents.steps, Store(place, tangent, statement.location),
                        statement if part is statement.value else replace(statement, value=part)])
            return
        if isinstance(version.value, Items):
            tangent = self.tangents.whole(statement.value)
        else:
            found = self.tangents.of(statement.value)
            tangent = constant(0.0) if found is None else found.expression
        place = subscript(self.dotted_place(target.value, statement), self.values.value(target.slice, statement))
        parts: Any = self.values.taken_apart(tuple_of([statement.value, target.slice]), out, statement.location)
        value, index = parts.elts
        plain = statement if value is statement.value and index is target.slice else replace(
            statement, target=gast.Subscript(target.value, index, target.ctx), value=value)
        out.extend([*self.tangents.steps, Store(place, tangent, statement.location), plain])

    def put_into_tuple(self, statement: Store, made: gast.AST, out: list) -> None:
        """What is in a tuple has changed, and has another tangent than was there: that goes into the memory of the one
        that was there where others have the tuple, too; else there is another tuple of tangents, in the place of that
        one."""
        node: Any = statement.target
        value = self.facts.value(node)
        is_list = isinstance(value, Items) and value.kind is list
        if is_list or root(node) in self.program.parameters:
            assert is_list or isinstance(value, Numeric), "only lists and arrays change in tuples"
            index: Any = gast.Slice(None, None, None) if is_list else constant(...)
            out.append(Store(subscript(self.dotted_place(node, statement), index), made, statement.location))  # type: ignore[arg-type]
            return
        while not isinstance(node, gast.Name):
            held = self.facts.value(node.value)
            if not isinstance(held, Items) or not issubclass(held.kind, tuple):
                out.append(Store(self.dotted_place(node, statement), made, statement.location))  # type: ignore[arg-type]
                return
            step = node.attr if isinstance(node, gast.Attribute) else known_value(self.facts.value(node.slice))
            place = held.steps.index(held.step(step))
            whole: Any = self.dotted_place(node.value, statement)
            made = structure(held, [made if index == place else subscript(whole, constant(index))
                                    for index in range(len(held.steps))], self.helpers)
            node = node.value
        out.append(Assign(whole.id, made, statement.location))

    def store_back(self, statement: Store, out: list) -> None:
        """After a write into a view: its tangent is a view of the array's, unless it came into being as zeros."""
        view: Any = statement.value
        version = self.facts.before[statement].get(view.id)
        base = self.facts.defined.get((statement, written_name(statement)))
        if base is None or base not in self.needed or version is None:
            return
        known = version in self.needed
        held = self.facts.value(statement.target.value)
        in_tuple = isinstance(held, Items) and issubclass(held.kind, tuple)
        if known and in_tuple and all(origin.value.active for origin in origins(version)):
            return  # the tangent is there already
        if isinstance(statement.target, gast.Attribute) or in_tuple or not known:
            if not known and isinstance(version.value, Numeric):  # what was written into it has no tangent either
                return
            self.tangents.start(statement, {})  # a list or a dict may have new items
            tangent = name(self.tangents.dot(view.id)) if known else self.values.zero(view, passive(version.value))
            if in_tuple:
                self.put_into_tuple(statement, tangent, out)
                return
            out.append(Store(self.dotted_place(statement.target, statement), tangent,  # type: ignore[arg-type]
                             statement.location))
            return
        made = origins(version)
        flat = self.facts.array_flattened(statement.target.value) is not None  # type: ignore[attr-defined]
        if not flat and all(origin.value.active and isinstance(origin.value, Numeric) and origin.value.kind == "array"
                            for origin in made):
            return
        self.tangents.start(statement, {})
        place = subscript(self.dotted_place(statement.target.value, statement),
                          self.values.value(statement.target.slice, statement))
        out.append(Store(place, name(self.tangents.dot(view.id)), statement.location))

    def append(self, statement: Append, out: list) -> None:
        version = self.facts.defined.get((statement, written_name(statement)))
        if version is None or version not in self.needed:
            out.append(statement)
            return
        self.tangents.start(statement, {})
        tangent = self.tangents.whole(statement.value)
        dots: Any = self.dotted_place(statement.target, statement)
        places = [] if statement.place is None else [statement.place]
        place = None if statement.place is None else self.values.value(statement.place, statement)
        parts: Any = self.values.taken_apart(tuple_of([*places, statement.value]), out, statement.location)
        plain = replace(statement, place=parts.elts[0] if places else None, value=parts.elts[-1])
        out.extend([*self.tangents.steps, Append(dots, tangent, statement.location, place), plain])

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
            if not isinstance(pattern, tuple):
                raise refused(statement, "the loop's target gathers several differentiated values",
                              "unpack them in the loop's header")
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

    # ---- calls of functions with tangents of their own

    def call(self, statement: Assign, out: list) -> None:
        called = self.facts.calls[id(statement.value)]
        derivative = called.derivative
        location = statement.location
        if derivative.tangent_header is self.header:  # a recursion
            self.helpers.objects[self.header.name] = derivative.tangent_cell
            function = name(self.header.name)
        else:
            function = self.helpers.inject(("tangent", id(derivative)), derivative.tangent_header.name,
                                           derivative.tangent_cell)
        self.tangents.start(statement, {})
        nodes = [node for node in called.arguments if node is not None]
        tangents = {}
        for parameter, node in zip(derivative.parameters, called.arguments):
            if parameter in derivative.tangent_header.parameters:
                tangents[parameter] = self.argument(statement, parameter, node, called)
        parts: Any = self.values.taken_apart(tuple_of(nodes), out, location)
        if derivative.tangent_raises:
            self.shelter.called.add(function.id)
        if self.caught and not self.shelter.are_quiet(tangents.values(), self.tangents.steps, self.caught):
            parts = tuple_of([self.shelter.named(part, out, location) for part in parts.elts])
            for parameter, tangent in tangents.items():
                tangents[parameter] = self.shelter.named(tangent, self.tangents.steps, location, "dot")
            self.tangents.made |= assigned_names(tuple(self.tangents.steps))
        values = iter(parts.elts)
        arguments: list[gast.AST] = []
        keywords: dict[str, gast.AST] = {}
        for index, (parameter, node) in enumerate(zip(derivative.parameters, called.arguments)):
            if node is None:
                continue
            if len(arguments) == index and parameter not in derivative.keyword_only:
                arguments.append(next(values))
            else:
                keywords[parameter] = next(values)
        for parameter, tangent in tangents.items():
            if derivative.tangent_header.by_keyword:
                keywords[derivative.tangent_header.parameters[parameter]] = tangent
            else:
                arguments.append(tangent)
        out.extend(self.tangents.steps)
        dots = self.dotted(statement, statement.target)
        made = call(function, *arguments, **keywords)
        if dots == self.unused and self.read.isdisjoint(pattern_names(statement.target)):
            out.append(Evaluate(made, location))
        else:
            out.append(Assign((statement.target, dots), made, location))
        self.refresh(statement, called, out)

    def refresh(self, statement: Assign, called: Any, out: list) -> None:
        """After a call that stored only passive values in an object: their tangents are zero, within the object's own,
        which others may have too."""
        for parameter, node in zip(called.derivative.parameters, called.arguments):
            value = None if node is None else self.facts.values[id(node)]
            if parameter in called.written and parameter not in called.derivative.tangent_header.parameters \
                    and isinstance(value, Items) and self.has_tangent(statement, called.written[parameter]):
                label = called.written[parameter]
                version = self.facts.defined[statement, label]
                if self.facts.before[statement][label] not in self.needed:
                    self.clear(label, version, out, statement.location)
                    continue
                for place in sorted(called.derivative.facts.stored[parameter] - {None}, key=repr):
                    self.refresh_place(self.dotted_place(node, statement), self.values.value(node, statement),
                                       version.value, place, statement.location, out)

    def refresh_place(self, dots: gast.AST, whole: gast.AST, value: Abstract, place: tuple, location: Location,
                      out: list) -> None:
        """The same for one of the places in a container."""
        step, *rest = place
        if not isinstance(value, Items) or step == CONTENTS or value.keys is None and value.items is None:
            zero = self.values.zero(whole, passive(value))
            if getattr(value, "kind", None) is dict:
                out += [Evaluate(call(attribute(dots, method), *given), location)
                        for method, given in (("clear", ()), ("update", (zero,)))]
            else:
                out.append(Store(subscript(dots, gast.Slice(None, None, None)), zero, location))
            return
        by_name = value.keys is not None and value.kind is not dict
        parts = [attribute(part, step) if by_name else subscript(part, constant(step)) for part in (dots, whole)]
        if not rest and issubclass(value.kind, tuple):  # what is in there has changed, be it an array or a list
            rest = [] if isinstance(value.at(step), Numeric) else [CONTENTS]
        elif not rest:
            out.append(Store(parts[0], self.values.zero(parts[1], passive(value.at(step))), location))  # type: ignore[arg-type]
        if rest:
            self.refresh_place(parts[0], parts[1], value.at(step), tuple(rest), location, out)

    def argument(self, statement: Assign, parameter: str, node: gast.AST | None, called: Any) -> gast.AST:
        """The tangent that a call gives with an argument."""
        if node is None:
            return self.tangents.default(called.derivative.facts.parameters[parameter].value)
        if parameter in called.written:
            label = called.written[parameter]
            version = self.facts.before[statement][label]
            self.values.remember(self.tangents.dot(label), passive(version.value))
            return name(self.tangents.dot(label))
        return self.tangents.whole(node)


def gives_keys(value: Abstract) -> bool:
    """Whether what runs over a value, or takes it apart, gets keys and not what is under them."""
    return isinstance(value, Items) and value.kind is dict


def is_same(target: Pattern, value: gast.AST) -> bool:
    """Whether an assignment would bind a name to what it is."""
    return isinstance(value, gast.Name) and value.id == target


__all__ = ["Forward", "Header", "header_of"]
