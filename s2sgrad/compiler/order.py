"""Operands rewritten in the order in which Python evaluates them: what comes before one must not be noticed to."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.program import Assign, change, name, ordered_children, rebuilt, walk
from s2sgrad.errors import Location
from s2sgrad.rules.abstract import Known

IN_ORDER = (gast.BinOp, gast.UnaryOp, gast.Call, gast.Attribute, gast.Subscript, gast.Slice, gast.Tuple, gast.List,
            gast.Starred, gast.keyword)
"""Expressions whose parts are all evaluated, once and one after another."""


def with_operands(node: Any, facts: Facts, visit: Callable[[gast.AST, list], gast.AST],
                  may_wait: Callable[[gast.AST, gast.AST], bool], variable_for: Callable[[gast.AST], str], out: list,
                  location: Location) -> Any:
    """An expression with its operands rewritten; itself where none is.

    ``visit(operand, before)`` gives the new operand and appends the statements that come before it. An operand whose
    evaluation would now be noticed to come after these gets a name, by ``variable_for``; ``may_wait(operand, new)``
    tells which ones could be.
    """
    changes: dict[str, Any] = {}
    waiting: list = []
    for field, place, child in ordered_children(node):
        before: list = []
        new = visit(child, before)
        if before:
            stirring = bool(waiting) and has_effect(child, facts)
            for field_, place_, child_, new_ in waiting:
                if is_noticed(child_, stirring, facts):
                    variable = variable_for(child_)
                    out.append(Assign(variable, new_, location))
                    change(node, field_, place_, name(variable), changes)
            waiting.clear()
            out.extend(before)
        if new is not child:
            change(node, field, place, new, changes)
        if may_wait(child, new):
            waiting.append((field, place, child, new))
    return rebuilt(node, changes)


def takes_any_call(index: gast.AST, facts: Facts) -> bool:
    """Whether an index, or a part of one, calls functions without rules with differentiated values, as it may there.
    Bound to a name, it might be taken for what is differentiated."""
    parts = list(walk(index))
    return any(isinstance(part, gast.Call) and id(part) not in facts.applied for part in parts) and any(
        value is not None and value.active for value in map(facts.values.get, map(id, parts)))


def is_noticed(operand: gast.AST, stirring: bool, facts: Facts) -> bool:
    """Whether it might be noticed that an operand is evaluated after what is to its right: because it has an effect, or
    because that has one (``stirring``) and the operand reads what is not local."""
    if isinstance(operand, (gast.Constant, gast.Name)) and not stirring:
        return False
    return has_effect(operand, facts) or stirring and any(
        isinstance(part, (gast.Attribute, gast.Subscript)) or isinstance(part, gast.Name) and not isinstance(
            facts.values.get(id(part)), Known) and part.id in facts.captured for part in walk(operand))
