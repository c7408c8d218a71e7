"""Operands rewritten in the order in which Python evaluates them: what comes before one must not be noticed to."""
from __future__ import annotations

import copy
import types
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.effects import has_effect, is_library
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.nodes import change, name, ordered_children, rebuilt, root_of, walk
from s2sgrad.compiler.program import (
    Assign,
    Augment,
    Delete,
    Evaluate,
    Leave,
    Store,
    Verbatim,
    expressions_in,
    statements,
)
from s2sgrad.compiler.running_again import gives_the_same, involved, runs_alike
from s2sgrad.containers import is_instance
from s2sgrad.errors import Location
from s2sgrad.rules.abstract import Known, Numeric, Opaque, known_value

IN_ORDER = (gast.BinOp, gast.UnaryOp, gast.Call, gast.Attribute, gast.Subscript, gast.Slice, gast.Tuple, gast.List,
            gast.Starred, gast.keyword)
"""Expressions whose parts are all evaluated, once and one after another."""
NOT_BY_ZERO = (gast.Div, gast.FloorDiv, gast.Mod, gast.Pow)
"""Operators that raise an exception where one of the numbers is 0."""
BINDING = (gast.Assign, gast.AugAssign, gast.AnnAssign, gast.Delete)
"""Statements, kept whole, that bind or change something outside."""


def with_operands(node: Any, facts: Facts, visit: Callable[[gast.AST, list], gast.AST],
                  may_wait: Callable[[gast.AST, gast.AST], bool], variable_for: Callable[[gast.AST], str], out: list,
                  location: Location) -> Any:
    """An expression with its operands rewritten; itself where none is.

    ``visit(operand, before)`` gives the new operand and appends the statements that come before it. An operand whose
    evaluation would now be noticed to come after these gets a name, by ``variable_for``; ``may_wait(operand, new)``
    tells which ones could be.
    """
    changes: dict[str, Any] = {}
    children = ordered_children(node)
    operands = [child for _, _, child in children]
    for (field, place, child), new in zip(children, in_order(
            operands, facts, visit, may_wait, variable_for, out, location)):
        if new is not child:
            change(node, field, place, new, changes)
    return rebuilt(node, changes)


def in_order(operands: list, facts: Facts, visit: Callable[[gast.AST, list], gast.AST],
             may_wait: Callable[[gast.AST, gast.AST], bool], variable_for: Callable[[gast.AST], str], out: list,
             location: Location) -> list:
    """The same of operands that Python evaluates one after another: the new ones."""
    made: list = []
    waiting: list[int] = []
    for child in operands:
        before: list = []
        new = visit(child, before)
        if before:
            stirring = bool(waiting) and has_effect(child, facts)
            for place in waiting:
                if is_noticed(operands[place], stirring, facts):
                    variable = variable_for(operands[place])
                    out.append(Assign(variable, made[place], location))
                    made[place] = name(variable)
            waiting.clear()
            out.extend(before)
        if may_wait(child, new):
            waiting.append(len(made))
        made.append(new)
    return made


def takes_any_call(index: gast.AST, facts: Facts) -> bool:
    """Whether an index, or a part of one, calls functions without rules with differentiated values, as it may there.
    Bound to a name, it might be taken for what is differentiated."""
    parts = list(walk(index))
    return any(isinstance(part, gast.Call) and id(part) not in facts.applied for part in parts) and any(
        value is not None and value.active for value in map(facts.values.get, map(id, parts)))


def is_noticed(operand: gast.AST, stirring: bool, facts: Facts) -> bool:
    """Whether it might be noticed that an operand is evaluated after what is to its right: because it has an effect, or
    because that has one (``stirring``) and the operand reads what is not local, and not known before the call."""
    if isinstance(operand, (gast.Constant, gast.Name)) and not stirring:
        return False
    known = isinstance(facts.values.get(id(operand)), Known)
    return has_effect(operand, facts) or stirring and not known and any(
        isinstance(part, (gast.Attribute, gast.Subscript)) or isinstance(part, gast.Name) and not isinstance(
            facts.values.get(id(part)), Known) and part.id in facts.captured for part in walk(operand))


def reads_what_may_change(node: gast.AST, facts: Facts) -> bool:
    """Whether an expression reads in an object, or a global, of which the analysis has no versions: nothing tells there
    that a call changes it."""
    return any(isinstance(part, (gast.Attribute, gast.Subscript)) and is_untold(facts.values.get(id(part.value)))
               or isinstance(part, gast.Name) and part.id in facts.captured and isinstance(
                   facts.values.get(id(part)), Opaque) for part in walk(node))


def is_untold(value: Any) -> bool:
    return isinstance(value, Opaque) or isinstance(value, Known) and is_instance(value.value)


def stirs(node: gast.AST, facts: Facts, inside: tuple = ()) -> bool:
    """Whether evaluating an expression may change what such an object holds: calls of functions whose text is not read,
    and writes of others into what they get, or have from around them. ``inside``: functions whose calls led here."""
    for part in walk(node):
        called = facts.callee_of(part)
        if called is not None:
            if called.derivative not in inside and writes_outside(called.derivative, inside):
                return True
        elif isinstance(part, gast.Call) and id(part) not in facts.applied and id(part) not in facts.displays:
            function = facts.values.get(id(part.func))
            value = function.value if isinstance(function, Known) else None
            if value is None or is_instance(value) or isinstance(value, types.FunctionType) and not is_library(value):
                return True
    return False


def raises_before(node: gast.AST, following: tuple, facts: Facts, noticed: dict) -> bool:
    """Whether an expression may raise something before that which follows it would be noticed. ``noticed``: of which
    functions a call would be, as far as that was asked for."""
    return bool(following) and may_raise(node, facts) and any(
        is_noticed_anyway(later, facts, noticed) for later in following)


def may_raise(node: gast.AST, facts: Facts) -> bool:
    """Whether evaluating an expression may raise something, but for calls in it that become statements of their own.
    What does not are names, and arithmetic of numbers and of one array with them, without divisions and powers."""
    for part in walk(node):
        if isinstance(part, gast.Starred):
            return True
        if isinstance(part, gast.Subscript) and not isinstance(part.slice, gast.Slice):
            return True
        if isinstance(part, gast.Call) and id(part) not in facts.calls:
            function = known_value(facts.values.get(id(part.func), Opaque()))
            if not isinstance(function, np.ufunc) or part.keywords or not meets_numbers(part.args, facts):
                return True
        elif isinstance(part, gast.BinOp):
            by_zero = isinstance(part.op, NOT_BY_ZERO) and not (
                isinstance(part.right, gast.Constant) and part.right.value)
            if by_zero or isinstance(part.op, gast.MatMult) or not meets_numbers([part.left, part.right], facts):
                return True
    return False


def meets_numbers(operands: list, facts: Facts) -> bool:
    """Whether all operands are numbers, but for one array at most."""
    values = [facts.values.get(id(operand)) for operand in operands]
    return all(isinstance(value, Numeric) for value in values) and sum(
        not value.is_number for value in values) < 2  # type: ignore[union-attr]


def is_noticed_anyway(node: gast.AST, facts: Facts, noticed: dict) -> bool:
    """Whether evaluating an expression may be noticed where an exception comes right behind it: it prints, writes into
    something, draws random numbers, or raises an exception of its own."""
    for part in walk(node):
        called = facts.callee_of(part)
        if called is None:
            if isinstance(part, gast.Call) and not gives_the_same(part, facts, set(), frozenset()):
                return True
            continue
        made = called.derivative
        if made not in noticed:
            noticed[made] = not made.is_known or runs_alike(made) is not None or raises(made)
        if called.written or noticed[made]:
            return True
    return False


def raises(derivative: Any) -> bool:
    """Whether a function has a ``raise``, or calls one that has."""
    return any(isinstance(statement, Leave) and statement.kind == "raise"
               for inner in involved(derivative) for statement in statements(inner.program.body))


def read_first(statement: Any, facts: Facts, noticed: dict) -> list:
    """What Python reads before the value of ``xs[i] += f(x)``, where there may be no such item, and it would be noticed
    that it is asked for behind the call."""
    if isinstance(statement, Augment) and may_raise(statement.target, facts) and is_noticed_anyway(
            statement.value, facts, noticed):
        return [Evaluate(copy.deepcopy(statement.target), statement.location)]
    return []


def writes_outside(derivative: Any, inside: tuple) -> bool:
    if not derivative.is_known:
        return True
    facts, around = derivative.facts, (*inside, derivative)
    outer = facts.parameters.keys() | facts.captured.keys()
    for statement in statements(derivative.program.body):
        target = getattr(statement, "target", None)
        if isinstance(statement, (Augment, Store, Delete)) and isinstance(target, (gast.Attribute, gast.Subscript)) \
                and root_of(target).id in outer and not isinstance(facts.values.get(id(target.value)), Numeric):
            return True
        if isinstance(statement, Verbatim) and isinstance(statement.node, BINDING):
            return True
        if any(stirs(node, facts, around) for node in expressions_in(statement)):
            return True
    return False
