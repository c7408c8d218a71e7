"""The texts of functions that are written out in other functions: their variables, what they return, and expressions in
the place of names."""
from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import gast

from s2sgrad.compiler.nodes import names_in
from s2sgrad.compiler.program import Assign, Evaluate, Leave, statements, with_blocks
from s2sgrad.compiler.respell import assigned
from s2sgrad.compiler.scopes import bound_names, parameters, read_names

RETURNED = "returned"
"""The kind of a Leave that was a ``return`` of a function that is written out."""


class _Spelled(gast.NodeTransformer):
    """Expressions in the place of names."""

    def __init__(self, spelled: dict[str, Any]):
        self.spelled = spelled

    def visit_Name(self, node: gast.Name) -> gast.AST:
        found = self.spelled.get(node.id)
        return node if found is None else copy.deepcopy(found)


def assigned_one_by_one(statement: Any) -> list:
    """``a, b = A(), B()`` as ``a = A(); b = B()``."""
    if not isinstance(statement, Assign) or not isinstance(statement.target, tuple) or not isinstance(
            statement.value, (gast.Tuple, gast.List)) or statement.places or statement.writes:
        return [statement]
    pairs = list(assigned(statement.target, statement.value))
    labels = [target for target, _ in pairs]
    if len(pairs) == 1 or not all(isinstance(label, str) for label in labels) or {*labels}.intersection(
            names_in(statement.value)):
        return [statement]
    return [Assign(target, value, statement.location) for target, value in pairs]


def with_spelled(statement: Any, spelled: dict[str, Any]) -> Any:
    return with_expressions(statement, _Spelled(spelled).visit) if spelled else statement


def with_expressions(statement: Any, made: Callable[[Any], Any]) -> Any:
    """A statement with its expressions made anew, the blocks inside it included."""
    parts = {part.name: made(getattr(statement, part.name)) for part in fields(statement)
             if isinstance(getattr(statement, part.name), gast.AST) and part.name != "operator"}
    return with_blocks(replace(statement, **parts), lambda block: tuple(with_expressions(part, made) for part in block))


def with_results(block: tuple, result: str | None) -> tuple:
    """A function's text that binds a name to what it would return."""
    made: list = []
    for statement in block:
        if isinstance(statement, Leave) and statement.kind == RETURNED:
            if statement.value is not None and result is not None:
                made.append(Assign(result, statement.value, statement.location))
            elif statement.value is not None and not isinstance(statement.value, (gast.Constant, gast.Name)):
                made.append(Evaluate(statement.value, statement.location))
            made.append(replace(statement, value=None))
        else:
            made.append(with_blocks(statement, lambda inner: with_results(inner, result)))
    return tuple(made)


def inner_variables(body: tuple) -> set[str]:
    """The variables of the comprehensions and lambdas in a block."""
    return {label for statement in statements(body) for field in vars(statement).values()
            if isinstance(field, gast.AST) for part in gast.walk(field) for label in variables_of(part)}


def variables_of(node: Any) -> set[str]:
    """The variables that a part of a comprehension, or a lambda, has."""
    if isinstance(node, gast.comprehension):
        return set(bound_names(node.target))
    return {item.id for item in parameters(node.args)} if isinstance(node, gast.Lambda) else set()


def names_from_outside(body: tuple) -> set[str]:
    """The names that statements read which no comprehension or lambda in them binds."""
    return {label for statement in statements(body) for field in vars(statement).values()
            if isinstance(field, gast.AST) for label in read_names(field)}
