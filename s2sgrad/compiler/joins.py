"""Arms of a branch in the adjoint, with the same cotangents bound behind both."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from s2sgrad.compiler.algebra import mentions, same
from s2sgrad.compiler.beginnings import beginning_of
from s2sgrad.compiler.cotangents import Cotangent, subject_value
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.nodes import name
from s2sgrad.compiler.program import (
    Attempt,
    Branch,
    Handler,
    Loop,
    always_leaves,
    leaves,
    leaving,
    only_raises,
)
from s2sgrad.compiler.sweep import Sweep
from s2sgrad.compiler.turns import is_one_literal
from s2sgrad.errors import ensure
from s2sgrad.rules.abstract import BOOLEAN, Numeric, is_a_number

OPPOSITES = {gast.Eq: gast.NotEq, gast.NotEq: gast.Eq}
"""The comparisons of numbers of which just one holds: of ``a < b`` and ``a >= b`` none does where one is NaN."""


class Joins(Sweep):
    """The part of the sweep that writes branches."""

    block: Callable[[tuple], None]

    def decides(self, done: tuple = (), rest: tuple | None = None) -> None:
        """A decision comes: the first outside loops is where the adjoints of the paths may go on, if they come there
        with nothing but the ``rest`` of the function before them."""
        if self.undecided and not self.operands.loops:
            self.undecided = False
            self.chain.passages = self.turns.passages  # what comes before is shared as a whole
            if rest is not None:
                self.beginning = beginning_of(self, done, rest)

    def outcome(self, branch: Branch, rest: tuple = ()) -> bool | None:
        """Which arm was taken, where the path or the way out of the loop fixes it, or the other one (with the ``rest``
        of the block) ends with an exception."""
        if self.known is not None and branch in self.known:
            return self.known[branch]
        for arm, other in ((branch.then, False), (branch.orelse, True)):
            if only_raises((*arm, *rest)):
                return other
        if self.entries and self.operands.loops and self.operands.loops[0] in self.never_returns:
            if only_returns(branch.then):
                return False
            if only_returns(branch.orelse):
                return True
        return None

    def taken(self, branch: Branch) -> gast.AST:
        if self.operands.block is None:
            return self.decision_argument(branch, f"taken_{branch.location.line}")
        again = None if isinstance(branch, (Attempt, Handler)) else self.operands.test(branch.test, branch)
        return again if again is not None else name(self.captures.decision(branch, self.operands.block, BOOLEAN))

    def decision_argument(self, subject: Any, wanted: str) -> gast.AST:
        """A decision outside loops is an argument of the general adjoint, decoded from the path id."""
        for variable, decision in self.decisions.items():
            if decision == subject:
                return name(variable)
        variable = self.captures.names.fresh(wanted)
        self.decisions[variable] = subject
        return name(variable)

    def returned(self, loop: Loop) -> gast.AST:
        """Whether the function returned from inside a loop."""
        if self.operands.block is None:
            return self.decision_argument(loop, f"returned_{loop.location.line}")
        return name(self.captures.returned(loop, self.operands.block, BOOLEAN))

    def arm(self, state: dict, work: Any) -> tuple[list, dict, dict]:
        """Run ``work`` on its own copy of the state; what it emitted, the state it left, and what is known there of
        the variables."""
        outer_out, outer_state = self.cotangents.out, self.cotangents.state
        outer_products, outer_known = self.chain.products, self.operands.known
        self.cotangents.out, self.cotangents.state = [], dict(state)
        self.chain.products, self.operands.known = {}, dict(outer_known)
        work()
        result = self.cotangents.out, self.cotangents.state, self.operands.known
        self.cotangents.out, self.cotangents.state = outer_out, outer_state
        self.chain.products = outer_products
        self.operands.know(outer_known)
        return result

    def two_arms(self, branch: Branch, then: tuple, orelse: tuple) -> None:
        self.join(branch, lambda: self.taken(branch), lambda: self.block(then), lambda: self.block(orelse),
                  self.facts.before[branch])

    def join(self, statement: Any, test: Any, then: Any, orelse: Any, environment: dict, perhaps: bool = False) -> None:
        """``if test: then else: orelse`` in the adjoint, with the same cotangents bound behind both arms.

        ``perhaps``: control may have left inside of the statement.
        """
        state = self.cotangents.state
        outer_direct = self.chain.direct
        if self.headers:
            self.chain.direct = self.headers[-1].direct
        arms = [self.arm(state, then), self.arm(state, orelse)]
        self.chain.direct = outer_direct
        if self.facts.has_complex:
            alone = {key for key in state if all(left.get(key) is state[key] for _, left, _ in arms)}
            for _, left, _ in arms:
                self.match(left, environment, alone)
        keys = []
        for key in dict.fromkeys([*arms[0][1], *arms[1][1]]):
            if key[0] not in environment:
                for _, left, _ in arms:
                    left.pop(key, None)
            elif not is_unchanged(arms[0][1].get(key), arms[1][1].get(key)):
                keys.append(key)
        self.add_displaced(keys, arms, environment)
        self.operands.location = statement.location
        hoisted: list = []
        settled, ends = [], []
        for out, left, known in arms:
            self.operands.know(known)
            self.cotangents.out, outer_out = out, self.cotangents.out
            self.cotangents.state, outer_state = left, self.cotangents.state
            unsettled = [key for key in keys if not self.cotangents.is_settled(key, left, environment)]
            if not out and all(key not in left and not self.referred_to(key, state) for key in unsettled):
                self.cotangents.out = hoisted  # this arm only sets zeros: better set before the branch
            self.operands.left_at = left_at(statement, self.facts) if perhaps else []
            self.cotangents.settle(keys, statement.location, environment)
            self.operands.left_at = []
            settled.append(self.cotangents.state)
            ends.append(self.operands.known)
            self.cotangents.out, self.cotangents.state = outer_out, outer_state
        self.operands.know_either(*ends)
        merged = {}
        for key in dict.fromkeys([*settled[0], *settled[1]]):
            first, second = settled[0].get(key), settled[1].get(key)
            if first is None or second is None:
                continue
            value = subject_value(environment[key[0]], key[1]) if self.facts.uniform \
                else self.operands.settled(environment[key[0]], key[1])
            if is_a_number(value) and not (is_a_number(first.value) and is_a_number(second.value)):
                value = Numeric()  # zeros like a number that was an array elsewhere are an array of rank 0
            ensure(same(first.expression, second.expression), "the arms bind a cotangent differently")
            merged[key] = first if first is second else Cotangent(
                first.expression, value, first.full and second.full, first.owned and second.owned,
                first.zero and second.zero)
        self.cotangents.state = merged
        self.cotangents.out.extend(hoisted)
        then_out, orelse_out = arms[0][0], arms[1][0]
        if then_out or orelse_out:
            condition = test()
            if not then_out:
                condition, then_out, orelse_out = self.opposite(condition), orelse_out, []
            self.cotangents.out.append(Branch(condition, tuple(then_out), tuple(orelse_out), statement.location))

    def opposite(self, condition: gast.AST) -> gast.AST:
        """A test the other way round: ``a != b`` for ``a == b``, where these are numbers; ``a or not b`` for
        ``not a and b``."""
        if isinstance(condition, gast.UnaryOp) and isinstance(condition.op, gast.Not):
            return condition.operand
        if isinstance(condition, gast.BoolOp) and any(
                isinstance(part, gast.UnaryOp) and isinstance(part.op, gast.Not) for part in condition.values):
            other = gast.Or() if isinstance(condition.op, gast.And) else gast.And()
            return gast.BoolOp(other, [self.opposite(part) for part in condition.values])
        if isinstance(condition, gast.Compare) and len(condition.ops) == 1:
            opposite = OPPOSITES.get(type(condition.ops[0]))
            sides = condition.left, *condition.comparators
            if opposite is not None and all(is_a_number(self.operands.evaluate(side)) for side in sides):
                return gast.Compare(condition.left, [opposite()], condition.comparators)
        return gast.UnaryOp(gast.Not(), condition)

    def add_displaced(self, keys: list, arms: list, environment: dict) -> None:
        """Add the cotangents that both arms left alone, but that refer to a variable which one of them binds anew now:
        they move, which they must in both."""
        size = -1
        while size < len(keys):
            size = len(keys)
            bound: set[str] = set()
            for _, left, known in arms:
                self.operands.know(known)
                bound.update(self.cotangents.bar(key) for key in keys
                             if not self.cotangents.is_settled(key, left, environment))
            keys += [key for key, cotangent in arms[0][1].items() if key not in keys and any(
                mentions(cotangent.expression, variable) for variable in bound)]

    def referred_to(self, key: Any, state: dict) -> bool:
        """Whether some cotangent is still an expression over the variable of this one."""
        variable = self.cotangents.bar(key)
        return any(mentions(cotangent.expression, variable) for cotangent in state.values())


def left_at(statement: Loop | Branch, facts: Facts) -> list[dict]:
    """The environments in which control may leave a statement other than by its end."""
    return [facts.before[inner] for inner in leaving((statement,)) if inner in facts.before]


def is_unchanged(first: Cotangent | None, second: Cotangent | None) -> bool:
    """Whether a cotangent is the same behind both arms: neither changed it, or it is one literal in both."""
    return first is second or first is not None and second is not None and is_one_literal(first, second)


def belongs_to(dim: Any, loop: Loop) -> bool:
    """Whether a size is named by a loop, as what something has where a turn begins."""
    while isinstance(dim, tuple):
        if isinstance(dim[1], tuple) and dim[1][0] == id(loop):
            return True
        dim = dim[1]
    return False


def only_returns(block: tuple) -> bool:
    """Whether control always leaves the block by returning from the function."""
    return always_leaves(block) and leaves(block) == {"return"}
