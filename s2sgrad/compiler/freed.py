"""Memory of a cotangent that a statement has consumed: the adjoint's own still, where only that statement reads it."""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.nodes import names_in
from s2sgrad.compiler.ownership import memory
from s2sgrad.compiler.program import Assign, mentioned
from s2sgrad.rules.abstract import Numeric

SUMS = (gast.Add, gast.Sub)
IN_PLACE = (*SUMS, gast.Mult, gast.Div)


def free_memory(consumed: Iterable, pending: list, lines: list, operands: Any) -> set[str]:
    """The variables of what a statement consumed, numbers and arrays of the adjoint's own, that one operand gets, as
    they are or changed, while what the others get of them is new. ``lines``: what the statement wrote."""
    own, numbers = set(), set()
    for cotangent in consumed:
        if isinstance(cotangent.expression, gast.Name):
            if isinstance(cotangent.value, Numeric) and cotangent.value.is_number:
                numbers.add(cotangent.expression.id)
            elif cotangent.owned:
                own.add(cotangent.expression.id)
    free = {first.id for new in pending if new.index is None and isinstance(
        first := first_of(new.cotangent.expression), gast.Name) and (
            first.id in own or first is new.cotangent.expression and first.id in numbers)} if own or numbers else set()
    for line in lines if free else ():
        if free.isdisjoint(mentioned(line)):
            continue
        if isinstance(line, Assign) and not line.writes:
            free -= memory(line.value, operands)
        else:
            free.difference_update(mentioned(line))
    whole: set[str] = set()  # of those, what an operand has got
    for new in pending if free else ():
        expression = new.cotangent.expression
        if new.index is not None or free.isdisjoint(names_in(expression)):
            continue
        if isinstance(expression, gast.Name):
            free -= {expression.id} & whole
            whole.add(expression.id)
        else:
            free -= memory(expression, operands)
    return free


def first_of(node: gast.AST) -> gast.AST:
    """What an expression is, or would write over if it were computed in place."""
    return node.left if isinstance(node, gast.BinOp) else node


def stays_own(new: Any, free: set[str]) -> Any:
    """A contribution that is, if it is all of such a variable's memory, in memory of the adjoint's own."""
    expression = new.cotangent.expression
    if new.index is not None or not isinstance(expression, gast.Name) or expression.id not in free:
        return new
    return replace(new, cotangent=replace(new.cotangent, owned=True))


def is_update(node: gast.AST, variable: str, operands: Any) -> bool:
    """Whether an expression is ``x + ...`` of a number or array x, or ``x * ...`` of an array, in x's shape and dtype,
    which can be computed in its place."""
    if not (isinstance(node, gast.BinOp) and isinstance(node.op, IN_PLACE) and isinstance(
            node.left, gast.Name) and node.left.id == variable) or variable in operands.unsteady:
        return False
    value, found = operands.evaluate(node), operands.evaluate(node.left)
    if not (isinstance(value, Numeric) and isinstance(found, Numeric)) or found.dtype is None or found.mixed \
            or value.dtype != found.dtype or found.dtype.kind != "f":
        return False
    if found.is_number:
        return value.is_number and isinstance(node.op, SUMS)
    return value.kind == found.kind == "array" and value.shape == found.shape and None not in (found.shape or (None,))
