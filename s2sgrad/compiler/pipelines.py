"""Iterators that are handed to functions.

To generators: ``for v in smooth(differences(x), a)``. One that is written out runs through what it gets at one place.
There the call, or the generator expression, can stand that gives it, and be written out in its turn; what that gets is
evaluated before, where Python evaluates it. To others: ``Polynomial(k * a for k, a in enumerate(c))``. Where they first
of all make a list of it, or ask for its sum, a list is as good.
"""
from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any

import gast

from s2sgrad.compiler import objects
from s2sgrad.compiler.changes import gives_iterator
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.generators import RUN_TO_THE_END
from s2sgrad.compiler.held_outside import held
from s2sgrad.compiler.held_views import HeldViews
from s2sgrad.compiler.nodes import Names, is_starred, name, names_in, rebuilt, walk
from s2sgrad.compiler.program import (
    Assign,
    Attempt,
    Branch,
    Context,
    Loop,
    Store,
    blocks_of,
    expressions_in,
    rebound_names,
    statements,
)
from s2sgrad.compiler.respell import changed
from s2sgrad.containers import in_library


class Pipelines(HeldViews):
    def is_iterator(self, node: Any, environment: dict) -> bool:
        """Whether an expression gives what can be run through once only."""
        if not isinstance(node, gast.Call):
            return isinstance(node, gast.GeneratorExp)
        if is_starred(node) or any(item.arg is None for item in node.keywords):
            return False
        if isinstance(node.func, gast.Attribute):
            node = self.method_found(node, environment) if isinstance(node.func.value, gast.Name) else None
        return isinstance(node, gast.Call) and gives_iterator(self.passively(node.func, environment))

    def hand_over(self, node: gast.Call, function: Any, lazy: list) -> None:
        """Take the generator expressions, and the calls of ``zip`` and ``map``, that a function of the user's, or a
        constructor, gets and runs to their end at once for lists."""
        made = objects.initializer(function, self.outer) if isinstance(function, type) else function
        if not isinstance(made, types.FunctionType) or in_library(made.__module__ or "") or is_starred(node):
            return
        own = [] if made is function else [gast.Constant(None, None)]
        try:
            definition, given = Definition(made).fitting([*own, *node.args], {
                str(item.arg): item.value for item in node.keywords})
        except TypeError:
            return
        program = self.program_of(definition)
        for label, part in zip(program.parameters, given):
            if part in lazy and runs_to_the_end_first(program.body, label, made, bool(own)):
                self.facts.consumed.add(id(part))
                self.facts.exhausted.add(id(part))

    def asked_later(self, part: Any, statement: Loop, environment: dict, fresh: Names, before: list) -> gast.AST | None:
        """The expression for an iterator whose first evaluation is done: what it gets has names, bound in ``before``;
        None for all that is no iterator."""
        if isinstance(part, gast.GeneratorExp):
            first = part.generators[0]
            source = self.asked_later(first.iter, statement, environment, fresh, before) or self.bound_before(
                first.iter, statement, environment, fresh, before)
            return rebuilt(part, {"generators": [rebuilt(first, {"iter": source}), *part.generators[1:]]})
        if not self.is_iterator(part, environment):
            return None

        def bound(item: gast.AST) -> gast.AST:
            return self.asked_later(item, statement, environment, fresh, before) or self.bound_before(
                item, statement, environment, fresh, before)
        function = part.func
        if isinstance(function, gast.Attribute):
            function = rebuilt(function, {"value": bound(function.value)})
        return rebuilt(part, {"func": function, "args": [bound(item) for item in part.args], "keywords": [
            rebuilt(item, {"value": bound(item.value)}) for item in part.keywords]})

    def bound_before(self, item: Any, statement: Loop, environment: dict, fresh: Names, before: list) -> gast.AST:
        """An expression under a name, but for what means the same while the loop runs."""
        if isinstance(item, (gast.Constant, gast.Lambda)) or isinstance(item, gast.Name) and (
                item.id in environment or item.id not in self.local) and item.id not in rebound_names(statement):
            return item
        label = fresh.fresh("given")
        before.append(Assign(label, item, statement.location))
        return gast.copy_location(name(label), item)


def runs_to_the_end_first(body: tuple, label: str, function: types.FunctionType, is_new: bool) -> bool:
    """Whether a function's statements read a parameter once, to run it to its end, and do nothing before but to bind
    names, and attributes of an object that is new."""
    for statement in body:
        whole = [part for expression in expressions_in(statement) for part in walk(expression)]
        calls = [part for part in whole if isinstance(part, gast.Call)]
        if label in names_in_all(whole):
            inside = [part for part in calls if any(label in names_in(item) for item in part.args)]
            innermost = inside[-1] if inside else None
            rebound = isinstance(statement, Assign) and statement.target == label
            read = whole if rebound else [part for each in statements(body) for expression in expressions_in(each)
                                          for part in walk(expression)]
            once = names_in_all(read).count(label) == 1
            if isinstance(getattr(statement, "value", None), gast.ListComp) and not inside:
                return once and copies_each(statement.value, label, function)
            return once and innermost is not None \
                and len(inside) == len(calls) and isinstance(innermost.args[0], gast.Name) \
                and innermost.args[0].id == label and isinstance(innermost.func, gast.Name) and any(
                    held(innermost.func, function) is known for known in RUN_TO_THE_END)
        if calls or not (isinstance(statement, Assign) or is_new and isinstance(statement, Store) and isinstance(
                statement.target, gast.Attribute) and isinstance(statement.target.value, gast.Name)):
            return False
    return False


def copies_each(node: Any, label: str, function: types.FunctionType) -> bool:
    """Whether a comprehension is ``[list(row) for row in rows]`` of a name, which does nothing between two items."""
    generator, item = node.generators[0], node.elt
    copied = item.args[0] if isinstance(item, gast.Call) and len(item.args) == 1 and isinstance(
        item.func, gast.Name) and held(item.func, function) in (list, tuple) else item
    return len(node.generators) == 1 and not generator.ifs and isinstance(copied, gast.Name) and isinstance(
        generator.iter, gast.Name) and generator.iter.id == label


def names_in_all(parts: Iterable[gast.AST]) -> list[str]:
    return [part.id for part in parts if isinstance(part, gast.Name)]


def run_through_once(text: tuple, label: str) -> bool:
    """Whether statements read a name once, where a loop runs over it, or over what a call gives that gets it."""
    read = [part for statement in statements(text) for whole in expressions_in(statement) for part in walk(whole)
            if isinstance(part, gast.Name) and part.id == label]
    return len(read) == 1 and any(read[0] is part for loop in loops_once(text) for part in (
        loop.iterable, *getattr(loop.iterable, "args", ())))


def loops_once(block: tuple) -> list[Loop]:
    """The loops of a block that are started once at most."""
    found = [statement for statement in block if isinstance(statement, Loop) and statement.target is not None]
    return found + [loop for statement in block if isinstance(statement, (Branch, Context, Attempt))
                    for inner in blocks_of(statement) for loop in loops_once(inner)]


def in_place(block: tuple, iterators: dict[str, gast.AST]) -> tuple:
    """Statements with iterators in the place of the names that these would have had."""
    new = {id(part): iterators[part.id] for statement in statements(block) for whole in expressions_in(statement)
           for part in walk(whole) if isinstance(part, gast.Name) and part.id in iterators}
    found: tuple = changed(block, new) if new else block
    return found
