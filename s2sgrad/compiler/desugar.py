"""Program x Facts -> Program: active ternaries, ``and``/``or`` and calls of user functions become statements.

What is left inside expressions is rules, indexing and passive code, so that every other pass sees control flow and
calls as statements only. Branches whose test is known already are replaced by the arm that they take. Passive
expressions stay as the user wrote them.
"""
from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.facts import Facts, is_array
from s2sgrad.compiler.hoisting import Hoisting
from s2sgrad.compiler.nodes import (
    Names,
    constant,
    name,
    names_in,
    subscript,
)
from s2sgrad.compiler.order import read_first
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Attempt,
    Augment,
    Branch,
    Context,
    Declare,
    Evaluate,
    Leave,
    Loop,
    Program,
    Rest,
    Store,
    always_leaves,
    assigned_names,
    expressions_in,
    leaves,
    pattern_names,
    read_names,
    rebound_names,
    written_name,
)
from s2sgrad.compiler.respell import respelled
from s2sgrad.compiler.tested import tested
from s2sgrad.compiler.views import BUILTINS, numbered
from s2sgrad.rules.abstract import Abstract, Items, Known, Numeric


def desugar(program: Program, facts: Facts) -> Program:
    """The same program without nested control flow; ``program`` itself where there is nothing to do."""
    plain = respelled(program, facts) if facts.respelled else program
    if plain is not program:
        return plain
    if facts.tests:
        return tested(program, facts)
    parts = facts.inner.keys()  # no name of something else, and taken only where they are bound now
    names = Names(program.names | set(facts.given) | facts.reserved | parts)
    work = _Desugar(facts, names, program)
    body = work.block(program.body)
    if work.postponed and not work.changed:
        work = _Desugar(facts, names, program, settles=True)
        body = work.block(program.body)
    if not work.changed:
        return program
    bound = assigned_names(body)
    lost = assigned_names(program.body) - bound - set(program.parameters)
    for identifier in sorted(lost & read_names(body)):  # its assignments are never reached: unbound it is, not global
        body = (Declare(identifier, constant(None), program.location), *body)
    return replace(program, body=body, names=frozenset(work.names.taken - (parts - bound)),
                   given={**program.given, **facts.given},
                   inner={**program.inner, **{label: facts.inner[label] for label in parts & bound}},
                   collected=program.collected | work.collected, written_out=(*program.written_out, *facts.inlined))


def same_shape(first: Abstract, second: Abstract) -> bool:
    """Whether two values are known to have one shape."""
    return isinstance(first, Numeric) and isinstance(second, Numeric) and first.shape == second.shape \
        and first.shape is not None and None not in first.shape


def takes_apart(pattern: Any, value: Abstract) -> bool:
    """Whether a pattern takes an array apart, or a list of any length, which then has a cotangent of its own."""
    if not isinstance(pattern, tuple):
        return False
    if not isinstance(value, Items) or value.items is None:
        return True
    return any(takes_apart(part, item) for part, item in zip(pattern, value.items))


def renamed(pattern: Any, names: dict[str, str]) -> Any:
    """A loop's target with other names in it."""
    if isinstance(pattern, str):
        return names.get(pattern, pattern)
    return replace(pattern, name=names.get(pattern.name, pattern.name)) if isinstance(pattern, Rest) else tuple(
        renamed(part, names) for part in pattern)


class _Desugar(Hoisting):
    collects = False
    """Whether the items of a loop were collected before it, which Python would ask for one by one."""

    def block(self, body: tuple) -> tuple:
        result: list = []
        for statement in body:
            if statement not in self.facts.before:  # never reached with these arguments
                self.changed = True
                break
            result.extend(self.statement(statement))
            if always_leaves(tuple(result[-1:])):
                self.changed = self.changed or statement is not body[-1]
                break
        return tuple(result)

    def statement(self, statement: Any) -> list:
        self.before = []
        self.location = statement.location
        if statement in self.facts.written_out:
            lines = tuple(self.facts.written_out[statement])
            reads = self.left_out(expressions_in(statement), read_names(lines), assigned_names(lines))
            if reads is None:
                return [statement]
            self.changed = True
            self.names.taken |= assigned_names(lines)
            return [*reads, *lines]
        if isinstance(statement, Branch):
            if statement in self.facts.taken:
                way = "then" if self.facts.taken[statement] else "orelse"
                arm = self.block(getattr(statement, way))
                if self.is_early(statement.test):
                    return [statement if arm == getattr(statement, way) else replace(statement, **{way: arm})]
                self.changed = True
                return [*self.evaluated(statement.test), *arm]
            around, self.collects = self.collects, False
            then = self.block(statement.then)
            if self.collects and isinstance(statement, Attempt):
                statement = replace(statement, collected=True)
            self.collects = self.collects or around
            orelse = self.block(statement.orelse)
            if then == statement.then and orelse == statement.orelse:
                return [statement]
            return [replace(statement, then=then, orelse=orelse)]
        if statement in self.facts.backs:
            self.changed = True
            back = self.facts.backs[statement]
            return [replace(statement, paired=written_name(back)), back]
        if statement in self.facts.rows:
            self.changed = True
            self.names.taken.update(BUILTINS)
            array, row, counted = self.facts.rows[statement]
            return [numbered(statement, array, row, counted or self.names.fresh("i"))]
        if statement in self.facts.turns:
            turns = self.facts.turns[statement]
            reads = self.left_out([statement.iterable], set(names_in(*turns)))
            if reads is None:
                return [statement]
            self.changed = True
            return [*reads, *(part for item in turns for part in (
                Assign(statement.target, item, statement.location), *copy.deepcopy(statement.body)))]
        if isinstance(statement, Loop) and self.is_one_turn(statement):
            self.changed = True
            return list(self.block(statement.body[:-1]))
        if isinstance(statement, Loop):
            iterable = statement.iterable
            if statement.target is not None:
                self.rebound = rebound_names(statement)
                iterable = self.sequence(iterable)
            before = self.before
            self.note_collected(statement.iterable)
            target, first = self.target(statement)
            body = (*first, *self.block(statement.body))
            if iterable is statement.iterable and body == statement.body:
                return [statement]
            return [*before, Loop(target, iterable, body, statement.location)]
        if statement in self.facts.attempts:
            self.changed = True
            return self.statement(self.facts.attempts[statement])
        if isinstance(statement, Context):
            body, final = self.block(statement.body), self.block(statement.final)
            same = body == statement.body and final == statement.final
            return [statement if same else replace(statement, body=body, final=final)]
        if isinstance(statement, (Assign, Evaluate)) and id(statement.value) in self.facts.spelled \
                and self.facts.call_of(statement.value) is not None:
            self.changed = True
            named = self.named_stars(statement.value)
            if named is not statement.value:  # which is looked at again
                return [*self.before, replace(statement, value=named)]
            plain = replace(statement, value=self.named_stars(self.facts.spelled[id(statement.value)]))
            self.facts.before[plain] = self.facts.before[statement]
            return self.statement(plain)
        if isinstance(statement, Assign) and self.is_change(statement) and (
                id(statement.value) in self.facts.calls or not self.is_plain(statement.value)):
            made = Assign(self.names.fresh("items"), statement.value, statement.location)
            self.facts.before[made] = self.facts.before[statement]
            self.changed = True
            return [*self.statement(made), replace(statement, value=name(made.target))]
        if isinstance(statement, (Assign, Leave)) and statement.value is not None:
            if isinstance(statement, Assign) and id(statement.value) in self.facts.calls:
                if takes_apart(statement.target, self.facts.value(statement.value)):
                    own = self.hoist_call(statement.value)
                    return [*self.before, Assign(statement.target, own, statement.location)]
                arguments, writes = self.inside(statement.value), self.writes(statement.value)
                if arguments is statement.value and not self.before and writes == statement.writes:
                    return [statement]
                self.changed = True
                return [*self.before, Assign(statement.target, arguments, statement.location, writes)]
            if isinstance(statement, Assign) and isinstance(statement.target, str) and id(
                    statement.value) in self.facts.open_displays and statement.target not in names_in(statement.value):
                return self.item_by_item(statement.value, statement.target)
            if isinstance(statement.value, gast.IfExp) and self.is_active(statement.value) \
                    and id(statement.value) not in self.facts.taken:
                return self.ternary_statement(statement)
            spelled = self.facts.spelled_out(statement.value)
            made = spelled if isinstance(spelled, gast.DictComp) else statement.value
            if id(made) in self.facts.comprehensions and isinstance(statement, Assign) and isinstance(
                    statement.target, str) and statement.target not in names_in(made):
                return self.loops(made, statement.target)
            if id(statement.value) in self.facts.calls:
                value: gast.AST = self.hoist_call(statement.value)
            else:
                value = self.expression(statement.value)
            if value is statement.value:
                return [statement]
            if isinstance(statement, Assign):
                if isinstance(value, gast.Name) and value.id == statement.target:  # out = out
                    return self.before
                return [*self.before, replace(statement, value=value)]
            return [*self.before, Leave(statement.kind, value, statement.location)]
        if isinstance(statement, Evaluate) and id(statement.value) in self.facts.calls:
            self.hoist_call(statement.value)
            return self.before
        if statement in self.facts.stores:
            self.changed = True
            return self.statement(self.facts.stores[statement])
        if statement in self.facts.extended:
            return self.appends(*self.facts.extended[statement])
        if isinstance(statement, (Augment, Store, Append)):
            value = self.expression(statement.value)
            if value is not statement.value:
                return [*read_first(statement, self.facts, self.noticed), *self.before, replace(statement, value=value)]
        return [statement]

    def is_change(self, statement: Assign) -> bool:
        """Whether an assignment stands for a change of the container that the name has: ``xs.sort()``."""
        return statement.target in statement.writes and statement.target not in self.writes(statement.value)

    def is_one_turn(self, loop: Loop) -> bool:
        """Whether a loop is always left at the end of its first turn, and not before."""
        test = self.facts.values.get(id(loop.iterable))
        return loop.target is None and isinstance(test, (Known, Numeric)) and test.value is True \
            and isinstance(loop.body[-1], Leave) and loop.body[-1].kind == "break" \
            and leaves(loop.body[:-1]) <= {"return"}

    def appends(self, label: str, items: gast.AST) -> list:
        """``xs.extend(items)`` and ``xs += items``, one by one, of which all are evaluated before the first is
        appended."""
        self.changed = True
        if isinstance(items, (gast.List, gast.Tuple)) and not any(
                isinstance(item, gast.Starred) for item in items.elts):
            values = list(map(self.named if len(items.elts) > 1 else self.expression, items.elts))
            return [*self.before, *(Append(name(label), value, self.location) for value in values)]
        if isinstance(items, gast.Name) and items.id == label:  # what it holds by now, not what it gets
            items = gast.copy_location(subscript(items, gast.Slice(None, None, None)), items)
        item = self.names.fresh("item")
        sequence = self.sequence(items)
        self.note_collected(items)
        return [*self.before, Loop(item, sequence, (Append(name(label), name(item), self.location),), self.location)]

    def note_collected(self, node: gast.AST) -> None:
        """Note it where the lines before a loop over what an expression gives collect its items."""
        self.collects = self.collects or not isinstance(node, gast.ListComp) and any(
            isinstance(line, Loop) or getattr(line, "target", None) in self.collected for line in self.before)

    def ternary_statement(self, statement: Any) -> list:
        """``y = a if test else b`` and ``return a if test else b`` as the branch that they are."""
        self.changed = True
        ternary = statement.value
        arms = []
        for part in (ternary.body, ternary.orelse):
            if isinstance(statement, Assign):
                arms.append((Assign(statement.target, part, statement.location),))
            else:
                arms.append((Leave(statement.kind, part, statement.location),))
        for arm in arms:
            self.facts.before[arm[0]] = self.facts.before[statement]
        then, orelse = (tuple(self.statement(arm[0])) for arm in arms)
        return [Branch(ternary.test, then, orelse, statement.location)]

    def sequence(self, node: gast.AST) -> gast.AST:
        """What a loop runs over: an active array gets a name, so that its cotangent has one, and it keeps that name."""
        if isinstance(node, gast.Call) and id(node) in self.facts.spelled and isinstance(
                self.facts.spelled[id(node)], gast.Call) and id(node) not in self.facts.values:
            self.changed = True
            node = self.facts.spelled[id(node)]
        if isinstance(node, gast.Name) and id(node) in self.facts.spelled:  # an object with __iter__
            self.changed = True
            node = self.facts.spelled[id(node)]
        if isinstance(node, gast.Call) and id(node) not in self.facts.applied and not node.keywords:
            function = self.facts.values.get(id(node.func))
            if isinstance(function, Known) and function.value in (enumerate, zip, reversed):
                arguments = [self.sequence(item) for item in node.args]
                if arguments == node.args:
                    return node
                return gast.copy_location(gast.Call(node.func, arguments, []), node)
        if not self.is_active(node) or isinstance(node, gast.Name) and node.id not in self.rebound:
            return node
        value = self.expression(node)
        if isinstance(value, gast.Name) and not isinstance(node, gast.Name):  # of a call the name that it got
            return value
        return self.hoist(value, "sequence", node)

    def target(self, loop: Loop) -> tuple[Any, tuple]:
        """A loop's target and what its turns start with: a name that the body gives a value of another shape gets the
        element from a name of the loop's own, so that a turn can tell what the name was at the end of the turn before.
        """
        changed = assigned_names(loop.body, written=False)
        last = self.facts.turn_ends.get(loop) or {}
        own: dict[str, str] = {}
        for label in pattern_names(loop.target or ()):
            end, element = last.get(label), self.facts.defined.get((loop, label))
            if label in changed and end is not None and element is not None and end.value.active \
                    and not same_shape(end.value, element.value) and not (
                        is_array(element) and label not in rebound_names(replace(loop, target=None))):
                own[label] = self.names.fresh(f"{label}_item")
        if not own:
            return loop.target, ()
        self.changed = True
        return renamed(loop.target, own), tuple(
            Assign(label, name(item), loop.location) for label, item in own.items())


