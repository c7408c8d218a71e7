"""Python's syntax trees -> gast's, which are the same for every version of Python.

``gast.ast_to_gast`` does the same in twice the time, which was a fifteenth of what it takes to compile a function.
"""
from __future__ import annotations

import ast
from collections.abc import Callable
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
    return [CONVERTERS[type(part)](part) for part in tree] if type(tree) is list else CONVERTERS[type(tree)](tree)


class _Converters(dict):
    """For each class of Python's nodes what makes gast's of one; what is no node stays as it is."""

    def __missing__(self, kind: Any) -> Callable[[Any], Any]:
        self[kind] = found = self.made_for(kind) if issubclass(kind, ast.AST) else lambda value: value
        return found

    def made_for(self, kind: Any) -> Callable[[Any], Any]:
        if kind in BARE:
            only = BARE[kind]
            return lambda _: only
        label = kind.__name__
        class_ = gast.Name if label == "arg" else getattr(gast, label)
        new = class_.__new__
        more = {"annotation": None, "type_comment": None} if kind is ast.Name else {}
        bare = next((field for field in kind._fields if field in ("ctx", "op")), None)
        fields = [] if kind is ast.Constant else [field for field in kind._fields if field != bare and (
            field not in PLAIN or label in WITH_TREES)]

        def convert(tree: Any) -> Any:
            node = new(class_)
            parts = node.__dict__
            parts.update(tree.__dict__, **more)
            if bare is not None:
                parts[bare] = BARE[type(parts[bare])]
            for field in fields:
                part = parts.get(field)
                if type(part) is list:
                    parts[field] = [self[type(item)](item) for item in part]
                elif part is not None:
                    parts[field] = self[type(part)](part)
            if label in DIFFERENT:
                complete(label, node)
            return node

        return convert


CONVERTERS = _Converters()

DIFFERENT = {"arg", "ExceptHandler", "FunctionDef", "AsyncFunctionDef", "ClassDef", "TypeVar", "TypeVarTuple",
             "ParamSpec"}
"""The classes of nodes that have other fields in gast."""


def complete(label: str, node: Any) -> None:
    """Give a node of such a class the fields that gast has."""
    parts = vars(node)
    if label == "arg":
        parts.update(id=parts.pop("arg"), ctx=gast.Param())
        parts.setdefault("annotation", None)
    elif label == "ExceptHandler":
        if node.name is not None:
            node.name = gast.Name(node.name, gast.Store(), None, None)
    elif label in ("FunctionDef", "AsyncFunctionDef", "ClassDef"):
        parts.setdefault("type_params", [])
    else:
        parts.setdefault("default_value", None)
