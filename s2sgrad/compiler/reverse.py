"""Program x known decisions -> adjoint: the statements of the primal reversed, last to first.

``known`` holds the decisions that a branch path fixes; with none known this is the general adjoint, which serves every
path and takes the decisions as arguments. Both come from the same code. Expressions are reversed in ``chain.py``, the
cotangents themselves are kept in ``cotangents.py``; here is the control flow.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.beginnings import Beginning
from s2sgrad.compiler.cotangents import Cotangent
from s2sgrad.compiler.measures import contents_read, parts_read, read_elsewhere, sized_nearby
from s2sgrad.compiler.nodes import call, constant, name
from s2sgrad.compiler.operands import has_form_of
from s2sgrad.compiler.paths import RETURNED, ways_out
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Augment,
    Branch,
    Evaluate,
    Leave,
    Loop,
    Program,
    Store,
    always_leaves,
    leaves,
    only_raises,
    opened,
    read_names,
)
from s2sgrad.compiler.reversed_loops import ReversedLoops
from s2sgrad.compiler.structures import may_have_place
from s2sgrad.compiler.sweep import is_exit
from s2sgrad.rules.abstract import ANY, Items, is_real, item_at, may_be_complex, passive


class Reverse(ReversedLoops):
    """One adjoint being written."""

    def run(self, name_: Callable[[], str], saved: str, beginning: Beginning | None = None) -> Program:
        """The adjoint as a Program: takes the saved tuple and the result's cotangent, returns the parameters'.
        ``beginning``: that of another one, to go on from."""
        if beginning is not None:
            beginning.adopt(self)
            self.undecided = False
            self.backwards(beginning.rest)
        else:
            for variable, path in zip(self.seed_names, self.seeds):
                self.operands.remember(variable, self.operands.handed_over(passive(self.at(path, self.facts.result))))
            self.operands.location = self.program.location
            if not always_leaves(self.program.body):
                self.start_from_exits()
            self.block(self.program.body)
            self.decides(self.program.body, ())
        last = self.results()
        body = sized_nearby((*self.cotangents.out, last), self.captures)
        body = read_elsewhere(body, self.captures, self.program, self.facts)
        used = read_names(body)
        self.captures.finish(used, contents_read(body, self.captures), parts_read(body, self.captures))
        body = (*self.unpack(self.captures.layout(None), name(saved), used), *body)
        parameters = (saved, *(() if self.ones else self.seed_names), *self.decisions)
        return Program(name_(), parameters, body, self.program.location)

    # ---- blocks

    def block(self, body: tuple) -> None:
        """Reverse a block; what follows a statement that may leave is reversed only where control stayed."""
        body = opened(body)
        for place, statement in enumerate(body):
            if isinstance(statement, Leave):
                self.leave(statement)
                self.backwards(body[:place])
                return
            if isinstance(statement, Branch) and leaves((statement,)):
                self.leaving_branch(statement, body[place + 1:])
                self.backwards(body[:place])
                return
            if isinstance(statement, Loop) and RETURNED in ways_out(statement):
                self.leaving_loop(statement, body[place + 1:])
                self.backwards(body[:place])
                return
        self.backwards(body)

    def backwards(self, body: tuple) -> None:
        for place in range(len(body) - 1, -1, -1):
            statement = body[place]
            if isinstance(statement, Branch):
                self.decides(body[place + 1:], body[:place + 1])
            self.statement(statement)
            if self.facts.has_complex and isinstance(statement, (Loop, Branch)):
                self.match(self.cotangents.state, self.facts.before[statement])

    def statement(self, statement: Any) -> None:
        self.operands.location = statement.location
        if isinstance(statement, (Assign, Evaluate)) and statement in self.facts.in_place:
            self.lists.pop(statement)
        elif isinstance(statement, Assign):
            self.chain.assign(statement)
        elif isinstance(statement, Augment) and isinstance(statement.target, gast.Name):
            self.chain.augment(statement)
        elif isinstance(statement, (Augment, Store)):
            changed = self.facts.in_place.get(statement)
            if changed is not None:
                (self.lists.store if isinstance(changed[0].value, Items) else self.stores.reverse)(statement)
        elif isinstance(statement, Append):
            if statement in self.facts.in_place:
                self.lists.append(statement)
        elif isinstance(statement, Branch):
            outcome = self.outcome(statement)
            if outcome is None:
                self.two_arms(statement, statement.then, statement.orelse)
            else:
                self.block(statement.then if outcome else statement.orelse)
        elif isinstance(statement, Loop):
            self.loop(statement)

    def leave(self, statement: Leave) -> None:
        """Where control left, the sweep starts with the cotangents of the place that control went to.

        No sweep comes by where an exception was raised: any will do there.
        """
        self.operands.location = statement.location
        entry = self.entries[-1] if self.entries else {}
        current = self.cotangents.state if self.guarded else entry
        before = self.facts.before[statement]
        if statement.kind == "break":  # what only another turn needs may be in a list that has no such places here
            current = {key: cotangent for key, cotangent in current.items()
                       if key[0] not in before or may_have_place(before[key[0]].value, key[1])}
        elif statement.kind == "return":  # where zeros of what would be behind may not do, none are better
            current = {key: cotangent for key, cotangent in current.items() if key[0] not in before or has_form_of(
                item_at(before[key[0]].value, key[1]), cotangent.value)}
        returns = statement.kind in ("return", "raise")
        self.cotangents.state = {key: replace(cotangent, zero=True) if returns or key not in entry else cotangent
                                 for key, cotangent in current.items()}
        if statement.kind == "return":
            self.start_from_exits()
            self.return_value(statement)

    def start_from_exits(self) -> None:
        """Where the function ends, its caller has handed over cotangents of the arrays that were written into."""
        for variable, path in zip(self.seed_names, self.seeds):
            if is_exit(path):
                key = (path[0].parameter, path[1:])
                value = passive(self.at(path, ANY))
                # an array that is stored in an object may be the caller's
                handed_over = len(path) == 1 or isinstance(value, Items) and not self.again \
                    or self.facts.is_written_inside(*key) or path not in self.facts.exits()
                owned = handed_over and variable not in self.left_alone
                self.cotangents.state[key] = Cotangent(name(variable), value, True, owned)

    left_alone: frozenset[str] = frozenset()
    """The cotangents of arrays at the end that this adjoint does not write into: it starts with copies of them."""
    again = False
    """Whether the adjoint is differentiated again: then it changes no list of its caller's."""

    def return_value(self, statement: Leave) -> None:
        if statement.value is None:
            return
        cotangents = {}
        seeds = [constant(1.0)] if self.ones else [name(variable) for variable in self.seed_names]
        for expression, path in zip(seeds, self.seeds):
            if not is_exit(path):
                value = item_at(self.facts.values[id(statement.value)], path)
                if self.again and isinstance(value, Items):
                    expression = call(self.helpers.helper("held"), expression)
                result = item_at(self.facts.result, path)  # of another return it may be complex
                given = result if is_real(value) and may_be_complex(result) else value
                cotangents[path] = Cotangent(expression, passive(given))
        self.chain.reverse(statement, statement.value, cotangents)

    # ---- branches

    def leaving_branch(self, branch: Branch, rest: tuple) -> None:
        self.decides()
        outcome = self.outcome(branch, rest)
        if outcome is not None:
            arm = branch.then if outcome else branch.orelse
            self.block(arm if always_leaves(arm) else (*arm, *rest))
            return
        then = branch.then if always_leaves(branch.then) else None
        orelse = branch.orelse if always_leaves(branch.orelse) else None
        if then is not None or orelse is not None:
            self.two_arms(branch, then if then is not None else (*branch.then, *rest),
                          orelse if orelse is not None else (*branch.orelse, *rest))
            return
        # an arm may leave or not: what follows stands once, under a condition of its own
        if rest:
            environment = self.facts.before[rest[0]]
            self.join(branch, lambda: self.opposite(self.left(branch)), lambda: self.block(rest),
                      lambda: None, environment, True)
        outer, self.guarded = self.guarded, True
        self.two_arms(branch, branch.then, branch.orelse)
        self.guarded = outer

    def left(self, branch: Branch) -> gast.AST:
        """The condition, over decisions of this turn, that control left the block at this branch."""
        return self.left_block((branch,))

    def left_block(self, body: tuple) -> gast.AST:
        parts: list[gast.AST] = []
        for statement in opened(body):
            if isinstance(statement, Leave):
                parts.append(gast.Constant(True, None))
            elif isinstance(statement, Branch) and leaves((statement,)):
                arms = []
                for block, other, negated in ((statement.then, statement.orelse, False),
                                              (statement.orelse, statement.then, True)):
                    if not leaves(block):
                        continue
                    if only_raises(other):
                        arms.append(self.left_block(block))
                        continue
                    test: gast.AST = self.taken(statement)
                    if negated:
                        test = gast.UnaryOp(gast.Not(), test)
                    inner = self.left_block(block)
                    arms.append(test if isinstance(inner, gast.Constant) else gast.BoolOp(gast.And(), [test, inner]))
                parts.append(arms[0] if len(arms) == 1 else gast.BoolOp(gast.Or(), arms))
            elif isinstance(statement, Loop) and RETURNED in ways_out(statement):
                parts.append(self.returned(statement))
        return parts[0] if len(parts) == 1 else gast.BoolOp(gast.Or(), parts)

    # ---- loops

    def leaving_loop(self, loop: Loop, rest: tuple) -> None:
        """A loop that may return: what follows it ran only if it didn't."""
        self.decides()
        way = self.known.get(loop) if self.known is not None else None
        inner = self.operands.loops and self.operands.loops[0] in self.never_returns
        if way == RETURNED or not self.operands.loops and only_raises(rest):
            self.cotangents.state = {}
            self.loop(loop)
            return
        if way is not None or inner:
            self.never_returns.add(loop)
            self.block(rest)
            self.loop(loop)
            self.never_returns.discard(loop)
            return
        if rest:
            self.join(loop, lambda: gast.UnaryOp(gast.Not(), self.returned(loop)), lambda: self.block(rest),
                      lambda: None, self.facts.before[rest[0]], True)
        self.loop(loop)
