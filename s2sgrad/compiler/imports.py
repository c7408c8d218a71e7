"""What import statements in a function's body bind, for those who look names up before anything is evaluated."""
from __future__ import annotations

import ast
import collections
import types
from collections.abc import Iterator
from typing import Any

BINDING = (ast.Import, ast.ImportFrom)
PACKAGE = ("__name__", "__package__", "__spec__")
"""What of a module a relative import in it goes by."""


def knowing_imports(function: types.FunctionType, tree: Any) -> tuple[types.FunctionType, frozenset[str]]:
    """A function with the same outer variables, and those besides that nothing but import statements of its body bind;
    and the names of these."""
    inside = getattr(tree, "body", None)
    found = [node for node in inside if isinstance(node, BINDING)] if isinstance(inside, list) else []
    if not found:
        return function, frozenset()
    times = collections.Counter(label for node in ast.walk(tree) for label in bound_by(node))
    values: dict[str, list] = {}
    for node in found:
        given = {label: function.__globals__.get(label) for label in PACKAGE}
        try:
            exec(compile(ast.Module([node], []), function.__code__.co_filename, "exec"), given)
        except ImportError:
            continue  # as the function itself says when it runs
        for label in (label for part in node.names for label in bound_by(part)):
            values.setdefault(label, []).append(given[label])
    known = {label: made[0] for label, made in values.items()
             if len(made) == times[label] and all(value is made[0] for value in made)}
    return types.FunctionType(function.__code__, {**function.__globals__, **known}, function.__name__,
                              function.__defaults__, function.__closure__), frozenset(known)


def bound_by(node: ast.AST) -> Iterator[str]:
    """The names that a node of a syntax tree itself binds, or declares to be variables of another scope."""
    if isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Load):
            yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        yield from node.names
    else:  # definitions, handlers, patterns
        yield from (label for label in (getattr(node, "name", None), getattr(node, "rest", None))
                    if isinstance(label, str))
