"""Tangents in ``try`` blocks: what computes them must not raise what the program's own handlers would catch, and must
not come to pass where the statement that it belongs to raises.

In such a block a statement's value comes before its tangent; the tangent, where it might raise what a handler catches,
is computed ``with uncaught:``, which the handlers let through. What stands at the end of the block moves out of it,
into ``else``.
"""
from __future__ import annotations

import enum
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.algebra import is_trivial
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.helpers import Helpers
from s2sgrad.compiler.nodes import Names, attribute, call, name, names_in, tuple_of, walk
from s2sgrad.compiler.program import (
    Assign,
    Attempt,
    Augment,
    Context,
    Evaluate,
    Handler,
    Leave,
    Pattern,
    Rest,
    Store,
    always_leaves,
    assigned_names,
    blocks_of,
    pattern_names,
    read_names,
    statements,
    with_blocks,
)
from s2sgrad.compiler.unread import bound, pops
from s2sgrad.errors import Location
from s2sgrad.rules.abstract import Abstract, Items, Known, known_value

MAKES_ZEROS = {"zeros", "zeros_like", "zero_tangent"}


class Caught(enum.IntEnum):
    """What the handlers around a statement may catch of what it raises."""

    NOTHING = 0
    NO_ARITHMETIC = 1
    """Not what arithmetic raises: divisions by zero, overflows, and what ``np.errstate`` makes of them."""
    ANYTHING = 2


def caught_by(attempt: Attempt, facts: Facts) -> Caught:
    return max(kinds_caught(facts.values.get(id(handler.test))) for handler in handlers_of(attempt.orelse))


def handlers_of(orelse: tuple) -> Iterator[Handler]:
    while orelse and isinstance(orelse[0], Handler):
        yield orelse[0]
        orelse = orelse[0].orelse


def kinds_caught(value: Abstract | None) -> Caught:
    if isinstance(value, Items) and value.items is not None:
        return max((kinds_caught(item) for item in value.items), default=Caught.NO_ARITHMETIC)
    kind = known_value(value) if isinstance(value, Known) else None
    if not isinstance(kind, type) or issubclass(kind, ArithmeticError) or issubclass(ArithmeticError, kind):
        return Caught.ANYTHING
    return Caught.NO_ARITHMETIC


def caught_calls(body: tuple, facts: Facts, around: Caught) -> Iterator[tuple[Any, Caught]]:
    """The derivatives of the functions that a block calls, each with what handlers around the call catch."""
    for statement in body:
        if isinstance(statement, (Assign, Evaluate)) and id(statement.value) in facts.calls:
            yield facts.calls[id(statement.value)].derivative, around
        elif isinstance(statement, Attempt):
            yield from caught_calls(statement.body, facts, max(around, caught_by(statement, facts)))
            yield from caught_calls((*statement.then[1:], *statement.orelse), facts, around)
        else:
            for block in blocks_of(statement):
                yield from caught_calls(block, facts, around)


class Shelter:
    """The statements of one tangent function that stand in ``try`` blocks, put in order.

    ``generated`` gives the names that hold tangents, and what those are made of; ``known`` what an expression of the
    generated code stands for.
    """

    def __init__(self, helpers: Helpers, names: Names, generated: Callable[[], set[str]], known: Callable[[Any], Any]):
        self.helpers = helpers
        self.names = names
        self.generated = generated
        self.known = known
        self.called: set[str] = set()
        """The names of the tangent functions that are called and may raise what must not be caught."""

    # ---- one statement of the program, with what gives its tangents

    def ordered(self, made: list, around: Caught) -> list:
        """The statements made of one, with the value before the tangent."""
        generated = self.generated()
        tangents = [statement for statement in made if bound(statement, generated)]
        plain = [statement for statement in made if statement not in tangents]
        if not tangents or not plain or any(pops(statement.value) for statement in tangents):
            return self.in_place(made, around)
        *parts, last = plain
        place = made.index(last)
        before, behind = [item for item in tangents if made.index(item) < place], made[place + 1:]
        if not before or isinstance(last, Assign) and is_trivial(last.value):
            return self.in_place(made, around)
        if isinstance(last, Assign):
            return [*parts, *self.first_elsewhere(last, self.guarded(before, around)),
                    *self.in_place(behind, around)]
        *steps, update = before
        if steps or not generated.issuperset(names_in(update.value)) or not self.is_quiet(update, around):
            last = replace(last, value=self.named(last.value, parts, last.location))
            update = replace(update, value=self.named(update.value, steps, last.location, "dot"))
        return [*parts, *self.guarded(steps, around), last, update, *self.in_place(behind, around)]

    def in_place(self, made: list, around: Caught) -> list:
        """The statements as they come, with a guard around each group of tangents that needs one."""
        generated = self.generated()
        result: list = []
        for is_tangent, group in itertools.groupby(made, lambda statement: bool(bound(statement, generated))):
            together = list(group)
            result += self.guarded(together, around) if is_tangent else together
        return result

    def named(self, node: gast.AST, before: list, location: Location, wanted: str = "value") -> gast.AST:
        """An expression, or a name for it, which is bound before."""
        if is_trivial(node):
            return node
        variable = self.names.fresh(wanted)
        before.append(Assign(variable, node, location))
        return name(variable)

    def first_elsewhere(self, statement: Assign, between: list) -> list:
        """An assignment whose names get their values only after what comes between."""
        renamed = {label: self.names.fresh(label) for label in pattern_names(statement.target)}
        targets, values = tuple(renamed), [name(new) for new in renamed.values()]
        last = Assign(targets[0], values[0], statement.location) if len(targets) == 1 else Assign(
            targets, tuple_of(values), statement.location)
        return [replace(statement, target=with_names(statement.target, renamed)), *between, last]

    def guarded(self, tangents: list, around: Caught) -> list:
        """Statements that compute tangents, whose errors no handler around them gets."""
        if all(self.is_quiet(statement, around) for statement in tangents):
            return tangents
        return [Context(((self.helpers.helper("uncaught"), None),), tuple(tangents), tangents[0].location)]

    def is_quiet(self, statement: Any, around: Caught) -> bool:
        """Whether a statement raises nothing that a handler catches, where the value that it belongs to is there."""
        if around is Caught.NOTHING:
            return True
        parts = [statement.target, statement.value] if isinstance(statement, (Augment, Store)) else [statement.value]
        return not (isinstance(statement, Augment) and around is Caught.ANYTHING) and all(
            self.is_quiet_expression(part, around) for part in parts)

    def is_quiet_expression(self, expression: gast.AST, around: Caught) -> bool:
        return all(self.raises_nothing(node, around) for node in walk(expression))

    def are_quiet(self, expressions: Iterable[gast.AST], steps: list, around: Caught) -> bool:
        """Whether expressions are, and there are no steps before them."""
        return not steps and all(self.is_quiet_expression(expression, around) for expression in expressions)

    def raises_nothing(self, node: Any, around: Caught) -> bool:
        if isinstance(node, gast.Call):
            label = getattr(node.func, "attr", getattr(node.func, "id", None))
            return label in MAKES_ZEROS or around < Caught.ANYTHING and isinstance(self.known(node.func), np.ufunc)
        return not isinstance(node, (gast.BinOp, gast.Compare)) or around < Caught.ANYTHING

    # ---- whole blocks

    def arranged(self, body: tuple, inside: bool = False) -> tuple:
        """A function's body with its ``try`` blocks as the text has them. ``inside``: in another such block,
        of this function or around a call of it."""
        return tuple(self.attempt(statement, inside) if isinstance(statement, Attempt) else with_blocks(
            statement, lambda block: self.arranged(block, inside)) for statement in body)

    def attempt(self, statement: Attempt, inside: bool) -> Attempt:
        context: Any = statement.then[0]
        body, late = self.split(self.arranged(context.body, True))
        if not inside:
            late = tuple(inner for outer in late for inner in (outer.body if self.is_guard(outer) else (outer,)))
        orelse = self.arranged(statement.orelse, inside)
        if self.may_raise(body):
            orelse = self.letting_through(orelse)
        rest = () if always_leaves(late) else self.arranged(statement.then[1:], inside)
        return replace(statement, then=(replace(context, body=body), *late, *rest), orelse=orelse)

    def split(self, body: tuple) -> tuple[tuple, tuple]:
        """A block without the tangents at its end that may raise something, and those."""
        kept: list = []
        pending: list = []
        generated = self.generated()
        for statement in body:
            if self.is_guard(statement) or bound(statement, generated) or (
                    statement is body[-1] and is_return(statement)):
                pending.append(statement)
                continue
            if not passes(statement, tuple(pending)):
                kept += pending
                pending = []
            kept.append(statement)
        first = next((place for place, statement in enumerate(pending) if self.is_guard(statement)), len(pending))
        return self.joined([*kept, *pending[:first]]), self.joined(pending[first:])

    def joined(self, body: list) -> tuple:
        """A block with one guard in place of several in a row."""
        result: list = []
        for statement in body:
            if result and self.is_guard(statement) and self.is_guard(result[-1]):
                result[-1] = replace(result[-1], body=(*result[-1].body, *statement.body))
            else:
                result.append(statement)
        return tuple(result)

    def is_guard(self, statement: Any) -> bool:
        label = self.helpers.by_key.get(("helper", "uncaught"))
        return isinstance(statement, Context) and any(
            isinstance(manager, gast.Name) and manager.id == label for manager, _ in statement.items)

    def may_raise(self, body: tuple) -> bool:
        """Whether errors that must not be caught may come out of a block."""
        return any(self.is_guard(statement) or self.calls_a_tangent(statement) for statement in statements(body))

    def calls_a_tangent(self, statement: Any) -> bool:
        made = getattr(statement, "value", None)
        return isinstance(made, gast.Call) and isinstance(made.func, gast.Name) and made.func.id in self.called

    def letting_through(self, orelse: tuple) -> tuple:
        """The handlers, which let errors of tangents go on."""
        if not orelse or not isinstance(orelse[0], Handler):
            return orelse
        handler = orelse[0]
        first = Evaluate(call(attribute(self.helpers.helper("uncaught"), "go_on")), handler.location)
        return (replace(handler, then=(first, *handler.then), orelse=self.letting_through(handler.orelse)),)


def is_return(statement: Any) -> bool:
    """Whether a statement returns names alone."""
    return isinstance(statement, Leave) and isinstance(statement.value, gast.Tuple) and all(
        map(is_trivial, statement.value.elts))


def passes(statement: Any, tangents: tuple) -> bool:
    """Whether a statement may as well come before these, which compute tangents."""
    return isinstance(statement, Assign) and not statement.writes \
        and read_names(tangents).isdisjoint(pattern_names(statement.target)) \
        and assigned_names(tangents).isdisjoint(names_in(statement.value))


def with_names(pattern: Pattern, renamed: dict[str, str]) -> Pattern:
    if isinstance(pattern, str):
        return renamed[pattern]
    if isinstance(pattern, Rest):
        return Rest(renamed[pattern.name])
    return tuple(with_names(part, renamed) for part in pattern)
