"""Blocks of statements, as the parser goes through them: what has to be done before a statement stands before it, as a
walrus, something popped, or what a call writes into; calls of functions that make functions are written out."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.in_turn import with_exchanges
from s2sgrad.compiler.nodes import holder, walk
from s2sgrad.compiler.parsing import REFUSED_STATEMENTS
from s2sgrad.compiler.parsing_targets import Targets
from s2sgrad.compiler.program import Assign, Attempt, Branch, Leave
from s2sgrad.compiler.walrus import TakenOut, popped, pops, walruses, within
from s2sgrad.errors import Location

EVALUATED_FIRST = {"Assign": "value", "AnnAssign": "value", "AugAssign": "value", "Expr": "value", "Return": "value",
                   "Raise": "exc", "If": "test", "For": "iter", "Match": "subject",
                   **({"Assert": "test"} if __debug__ else {})}
"""The expression of a statement that Python evaluates before all else in it."""
CHANGING = {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault",
            "popitem", "appendleft", "extendleft", "popleft", "rotate", "move_to_end", "subtract"}
BLOCKS = ("body", "orelse", "cases", "handlers", "finalbody")


class Blocks(Targets):
    """Statements in turn; those of each kind are parsed by a method of its own."""

    def block(self, nodes: list) -> tuple:
        result: list = []
        for node in with_exchanges(nodes, self.inside):
            for statement in self.statement(node):
                result.extend(self.made_here(statement))
            if isinstance(result[-1] if result else None, Leave):
                break  # what follows is never reached
        return tuple(result)

    def made_here(self, statement: Any) -> list:
        """A call of a function that makes a function, as what it does."""
        if not self.factories.found:
            return [statement]
        if isinstance(statement, Branch) and not isinstance(statement, Attempt):
            made = [{part.target for part in arm if isinstance(part, Assign) and self.factories.is_call(part.value)}
                    for arm in (statement.then, statement.orelse)]
            if not made[0].isdisjoint(made[1]):  # of two that are written out none is the other
                return [statement]
            then, orelse = (tuple(new for inner in arm for new in self.made_here(inner))
                            for arm in (statement.then, statement.orelse))
            return [replace(statement, then=then, orelse=orelse)]
        if self.depth or not isinstance(statement, Assign) or not isinstance(statement.target, str) \
                or not self.factories.is_call(statement.value):
            return [statement]
        elsewhere, body = self.factories.written_out(statement.value, statement.target)
        for part in [part for line in body for part in walk(line)]:
            self.names.update([part.id] if isinstance(part, gast.Name) else
                              [part.attr] if isinstance(part, gast.Attribute) else
                              [part.name] if isinstance(part, gast.FunctionDef) else [])
            self.local.update([part.id] if isinstance(part, gast.Name) and isinstance(part.ctx, gast.Store) else [])
        here, self.located = self.located, elsewhere or self.located
        result = self.block(body)
        self.located = here
        return list(result)

    def statement(self, node: gast.AST) -> list:
        kind = type(node).__name__
        if kind in REFUSED_STATEMENTS:
            raise self.refusal(node, *REFUSED_STATEMENTS[kind])
        method = getattr(self, f"parse_{kind}", None)
        if method is None:
            raise self.refusal(node, f"{kind} statements are not supported", "write it another way")
        location = self.location(node)
        if not self.takes_out or kind == "While":
            return self.with_named(method(node, location))
        before: list = []
        if kind in EVALUATED_FIRST and getattr(node, EVALUATED_FIRST[kind]) is not None:
            field = EVALUATED_FIRST[kind]
            value = getattr(node, field)
            if self.takes_whole(node, value):
                before, value.args = self.arguments_taken_out(value.args, location)
            elif not (isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Subscript) and (
                    pops(value) or within(value, lambda part: id(part) in self.outputs))):
                if isinstance(node, gast.AugAssign) and walruses(value) and not walruses(node.target):
                    before, node.target = self.place_before(node.target, value, location)
                others, value = self.taken_out(value, location)
                before += others
            setattr(node, field, value)
        for left in [part for field in node._fields if field not in BLOCKS for part in listed(getattr(node, field))]:
            for walrus in walruses(left):
                raise self.refusal(walrus, "a walrus is not supported in this place", "assign on a line of its own")
        if isinstance(node, gast.AugAssign) and any(
                isinstance(item, Assign) and item.target == holder(node.target) for item in before):
            raise self.refusal(node, "a walrus is not supported in this place", "assign on a line of its own")
        return [*before, *self.with_named(method(node, location))]

    def takes_whole(self, node: gast.AST, value: gast.AST) -> bool:
        """Whether a statement does nothing but to take something out of a list, and to give that a name, or to write
        into an array."""
        if id(value) in self.outputs and isinstance(node, gast.Expr):
            return True
        changed = popped(value)
        return changed is not None and (isinstance(node, gast.Expr) or isinstance(node, gast.Assign) and len(
            node.targets) == 1 and isinstance(node.targets[0], gast.Name) and node.targets[0].id != changed)

    def arguments_taken_out(self, nodes: list, location: Location) -> tuple[list, list]:
        before, together = self.taken_out(gast.Tuple(nodes, gast.Load()), location)
        return before, together.elts  # type: ignore[attr-defined]

    def changed_by(self, node: gast.AST) -> tuple[str, ...]:
        """The name of what a call of a method may change."""
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr in CHANGING:
            label = holder(node.func.value)
            return (label,) if label is not None and label in self.local else ()
        return ()

    def taken_out(self, node: gast.AST, location: Location) -> tuple[list, gast.AST]:
        """The assignments of the walruses and pops in an expression, and the expression without them."""
        work = self.work_on(location)
        for walrus in walruses(node):
            self.refuse_outer(walrus, {walrus.target.id})
        value = work.expression(node)
        return work.before, value

    def place_before(self, target: gast.AST, value: gast.AST, location: Location) -> tuple[list, gast.AST]:
        """The same of what an in-place operator changes, by a value with walruses in it."""
        work = self.work_on(location)
        place = work.place(target, work.bound_in(value))
        return work.before, place

    def work_on(self, location: Location) -> TakenOut:
        return TakenOut(self.local, self.fresh, self.refusal, location, self.outputs, self.block, self.outer_value)


def listed(part: Any) -> list:
    """The expressions in a field of a statement."""
    return [item for item in (part if isinstance(part, list) else [part]) if isinstance(item, gast.AST)]
