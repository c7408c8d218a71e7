"""Which arrays are an adjoint's own: made by it, under one name, so that it may write over them or give them away."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import gast

from s2sgrad.compiler.nodes import names_in, ordered_children, walk
from s2sgrad.compiler.operands import Operands
from s2sgrad.compiler.program import (
    Assign,
    Augment,
    Branch,
    Leave,
    Loop,
    Store,
    expressions_in,
    pattern_names,
    statements,
)
from s2sgrad.rules.abstract import Items, Numeric

MEASURES = ("shape", "size", "ndim", "dtype")
"""Attributes of an array that are not its memory."""


def own_names(body: tuple, operands: Operands, parameters: Iterable[str], saved: set[str]) -> set[str]:
    """Names that only ever stand for new memory, or are among the ``saved``, and share it with no other name. What a
    caller hands over in ``parameters`` may be shared, or broadcast."""
    made: set[str] = set()
    bound = set(parameters)
    shared: set[str] = set()
    for statement in statements(body):
        if isinstance(statement, Assign) and isinstance(statement.target, str) and is_new(statement.value, operands):
            made.add(statement.target)
        elif isinstance(statement, Assign) and gives_new_memory(statement, operands):
            made.update(pattern_names(statement.target))
        elif isinstance(statement, (Assign, Loop)) and statement.target is not None:
            bound.update(pattern_names(statement.target))
        for expression in handed_on(statement, operands):
            shared |= memory(expression, operands)
    return ((made - bound) | (saved - made)) - shared


def is_new(node: gast.AST, operands: Operands) -> bool:
    """Whether an expression makes new memory, or a number."""
    if isinstance(node, gast.BinOp):  # a sum of lists holds what they hold
        return all(isinstance(operands.evaluate(side), Numeric) if isinstance(side, gast.Name) else is_new(
            side, operands) for side in (node.left, node.right)) or isinstance(operands.evaluate(node), Numeric)
    return operands.is_fresh(node)


def gives_new_memory(statement: Assign, operands: Operands) -> bool:
    """Whether a statement binds what a callee's adjoint gives of its own: arrays and numbers, and no array that it was
    handed to go on with."""
    node = statement.value
    if not isinstance(node, gast.Call) or not isinstance(statement.target, tuple):
        return False
    function = node.func.value if isinstance(node.func, gast.Subscript) else node.func
    return isinstance(function, gast.Name) and function.id in operands.helpers.adjoints and all(
        isinstance(target, str) and target in operands.known and isinstance(operands.known[target].value, Numeric)
        for target in statement.target) and not {*statement.target} & {*names_in(*node.args)}


def handed_on(statement: Any, operands: Operands) -> Iterator[gast.AST]:
    """The expressions whose memory gets another name, or goes to who knows what."""
    for expression in expressions_in(statement):
        for node in walk(expression):
            if isinstance(node, gast.Call) and not is_new(node, operands):
                yield node
    if isinstance(statement, (Branch, Leave)):
        return
    if isinstance(statement, (Store, Augment)):
        # an array takes the elements, a container the array itself
        base = statement.target.value if isinstance(statement, Store) else statement.target
        if isinstance(operands.evaluate(base), Numeric):
            return
    yield from expressions_in(statement)


def memory(node: gast.AST, operands: Operands) -> set[str]:
    """The names whose memory an expression's value may be, or hold."""
    if isinstance(node, gast.Name):
        return set() if is_of_whole_numbers(node.id, operands) else {node.id}
    if isinstance(node, gast.Attribute) and node.attr in MEASURES or is_new(node, operands):
        return set()
    return {label for _, _, child in ordered_children(node) for label in memory(child, operands)}


def is_of_whole_numbers(label: str, operands: Operands) -> bool:
    """Whether a name stands for an array's shape, a tuple of numbers."""
    known = operands.known.get(label)
    value = known.value if known is not None and label not in operands.unsteady else None
    return isinstance(value, Items) and value.kind is tuple and value.items is not None and all(
        isinstance(item, Numeric) and item.kind == "python" for item in value.items)
