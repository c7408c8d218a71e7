"""How deep the expressions of a function are nested: compiling looks into them by calls inside of calls, of which
Python allows so many."""
from __future__ import annotations

import ast
import types
from collections.abc import Iterable
from typing import Any

from s2sgrad.compiler.locate import locate
from s2sgrad.errors import Location, SourceError, UnsupportedError

DEEP = 50
"""Expressions that are nested so deep may take more calls inside of calls than there are."""


def nested_too_deep(functions: Iterable[types.FunctionType]) -> UnsupportedError | None:
    """Why Python's limit was met while these functions were compiled, if it is for an expression of theirs."""
    found: list[Any] = []
    for function in functions:
        try:
            located = locate(function)
        except SourceError:
            continue
        found.append((*deepest(located.node), located))
    found = [item for item in found if item[0] >= DEEP]
    if not found:
        return None
    depth, node, located = max(found, key=lambda item: item[0])
    return UnsupportedError(
        f"an expression here is nested {depth} deep, as a sum of so many terms is, and that is more than can be looked "
        "into under Python's recursion limit",
        "write a loop, or several statements",
        Location(located.filename, node.lineno, function=located.name))


def deepest(node: Any) -> tuple[int, Any]:
    """How many expressions are inside of one another in a tree at most, and the outermost of those."""
    best: tuple[int, Any] = 0, None
    pending: list[tuple[Any, int, Any]] = [(node, 0, None)]
    while pending:
        part, depth, outermost = pending.pop()
        if isinstance(part, ast.expr):
            depth, outermost = depth + 1, part if outermost is None else outermost
            if depth > best[0]:
                best = depth, outermost
        elif isinstance(part, ast.stmt):
            depth, outermost = 0, None
        pending += [(child, depth, outermost) for child in ast.iter_child_nodes(part)]
    return best
