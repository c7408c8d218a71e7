"""Python's syntax trees -> gast's, which are the same for every version of Python.

``gast.ast_to_gast`` does the same in twice the time, which was a fifteenth of what it takes to compile a function.
"""
from __future__ import annotations

import ast
import functools
from typing import Any

import gast

BARE = {kind: getattr(gast, kind.__name__)()
        for group in (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)
        for kind in group.__subclasses__() if hasattr(gast, kind.__name__)}
"""Operators and contexts, which all trees share; IPython notes parents on Python's, which are left behind."""

PLAIN = {"id", "attr", "arg", "name", "asname", "module", "level", "kind", "type_comment", "names", "conversion"}
"""Fields that hold no trees but in the classes of ``WITH_TREES``."""

WITH_TREES = {"Import", "ImportFrom", "TypeAlias"}


def to_gast(tree: Any) -> Any:
    """A tree, or a list of trees, in gast's classes, with every node's place in the source."""
    kind = type(tree)
    if kind is list:
        return [to_gast(item) for item in tree]
    if kind is ast.Name:  # as every other node is
        node = gast.Name.__new__(gast.Name)
        vars(node).update(vars(tree), ctx=BARE[type(tree.ctx)], annotation=None, type_comment=None)
        return node
    if kind in BARE:
        return BARE[kind]
    if not isinstance(tree, ast.AST):
        return tree
    class_, bare, fields, different = plan_for(kind)
    node = class_.__new__(class_)
    parts = vars(node)
    parts.update(vars(tree))
    if bare is not None:
        parts[bare] = BARE[type(parts[bare])]
    for field in fields:
        part = parts.get(field)
        if type(part) is list:
            parts[field] = [to_gast(item) for item in part]
        elif part is not None:
            parts[field] = to_gast(part)
    if different:
        complete(kind.__name__, node)
    return node


@functools.cache
def plan_for(kind: Any) -> tuple[Any, str | None, tuple[str, ...], bool]:
    """For a class of Python's nodes: gast's, the field with an operator or context, the fields that may hold other
    trees, and whether gast has other fields."""
    label = kind.__name__
    bare = next((field for field in kind._fields if field in ("ctx", "op")), None)
    fields = [field for field in kind._fields if field != bare and (field not in PLAIN or label in WITH_TREES)]
    class_ = gast.Name if label == "arg" else getattr(gast, label)
    return class_, bare, () if label == "Constant" else tuple(fields), label in DIFFERENT


DIFFERENT = {"arg", "ExceptHandler", "FunctionDef", "AsyncFunctionDef", "ClassDef", "TypeVar", "TypeVarTuple",
             "ParamSpec"}
"""The classes of nodes that have other fields in gast."""


def complete(label: str, node: Any) -> None:
    """Give a node of such a class the fields that gast has."""
    parts = vars(node)
    if label == "arg":
        parts.update(id=parts.pop("arg"), ctx=gast.Param())
    elif label == "ExceptHandler":
        if node.name is not None:
            node.name = gast.Name(node.name, gast.Store(), None, None)
    elif label in ("FunctionDef", "AsyncFunctionDef", "ClassDef"):
        parts.setdefault("type_params", [])
    else:
        parts.setdefault("default_value", None)
