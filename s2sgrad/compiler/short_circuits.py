"""Calls that write, in expressions that may not come to them: ``if callback is not None and callback(x): break``.

Such an expression becomes the branches that it is, before the statement that it stands in, so that the call is on a
line of its own: ``choice = callback is not None``, ``if choice: choice = callback(x)``, ``if choice: break``.
"""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from s2sgrad.compiler.nodes import located_at, name, ordered_children, walk
from s2sgrad.compiler.program import Assign, Branch, Leave, Loop, expressions_in, leaves
from s2sgrad.errors import Location

SURE = (gast.BinOp, gast.UnaryOp, gast.Call, gast.Starred, gast.Attribute, gast.Subscript, gast.Tuple, gast.List,
        gast.Dict)
"""Expressions of which every part is evaluated, in turn."""


def is_sure(node: gast.AST) -> bool:
    return isinstance(node, SURE) or isinstance(node, gast.Compare) and len(node.ops) == 1


def decided_first(node: gast.AST, part: gast.AST) -> gast.AST | None:
    """The outermost ``and``, ``or`` or conditional expression around a part of an expression, before which everything
    is evaluated in any case; None where there is none."""
    while node is not part and is_sure(node):
        node = next(child for _, _, child in ordered_children(node) if part in walk(child))
    return node if node is not part and isinstance(node, (gast.BoolOp, gast.IfExp)) else None


def names_in_any_case(node: gast.AST) -> Iterator[str]:
    """The names that are read wherever an expression is evaluated."""
    if isinstance(node, gast.Name):
        yield node.id
    elif isinstance(node, gast.IfExp):
        yield from names_in_any_case(node.test)
    elif isinstance(node, gast.BoolOp):
        yield from names_in_any_case(node.values[0])
    elif is_sure(node):
        for _, _, child in ordered_children(node):
            yield from names_in_any_case(child)


def reads_in_any_case(block: tuple, label: str) -> bool:
    """Whether it is plain that a block reads a name on every way through it."""
    for statement in block:
        if any(label in names_in_any_case(expression) for expression in expressions_in(statement)):
            return True
        if type(statement) is Branch and all(reads_in_any_case(way, label) for way in (
                statement.then, statement.orelse)):
            return True
        if leaves((statement,)):
            return False
    return False


def as_branches(node: Any, label: str, location: Location) -> list:
    """The statements that give a name what such an expression gives."""
    if isinstance(node, gast.IfExp):
        then, orelse = (Assign(label, part, location) for part in (node.body, node.orelse))
        return [Branch(node.test, (then,), (orelse,), location)]
    first, *others = node.values
    rest = others[0] if len(others) == 1 else located_at(gast.BoolOp(node.op, others), node)
    test: gast.AST = gast.copy_location(name(label), node)
    if isinstance(node.op, gast.Or):
        test = gast.copy_location(gast.UnaryOp(gast.Not(), test), node)
    return [Assign(label, first, location), Branch(test, (Assign(label, rest, location),), (), location)]


def tested_inside(loop: Loop) -> Loop:
    """``while test`` as a loop without end that is left where the test is false."""
    test = loop.iterable
    over = gast.copy_location(gast.UnaryOp(gast.Not(), test), test)
    left = Branch(over, (Leave("break", None, loop.location),), (), loop.location)
    return Loop(None, gast.copy_location(gast.Constant(True, None), test), (left, *loop.body), loop.location)
