"""Whether a context manager may swallow exceptions.

One that does lets control go on behind a block whose end was not reached, and no path tells. Managers are read: a
class's ``__exit__`` must return nothing, a generator's ``yield`` must stand where no handler catches what comes out of
the block. Compiled ones are listed.
"""
from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import pathlib
import tempfile
import threading
import types
from typing import Any

import numpy as np

from s2sgrad.compiler.locate import locate
from s2sgrad.containers import has_quiet_hash, in_library
from s2sgrad.errors import SourceError
from s2sgrad.rules.abstract import Abstract, Items

HARMLESS = {open, pathlib.Path.open, tempfile.NamedTemporaryFile, tempfile.TemporaryFile, np.load, np.errstate,
            np.printoptions, threading.Lock, threading.RLock, type(threading.Lock()), type(threading.RLock())}
"""What makes managers that hand on every exception, and can't be read in every version."""
MADE_BY_CONTEXTMANAGER = contextlib.contextmanager(iter).__code__  # type: ignore[arg-type,var-annotated]
"""The code of all that this decorator makes; what others make of a generator is anything."""


def may_swallow(known: Any, made: bool) -> bool:
    """Whether the manager that a known function or class makes (``made``), or that a known object is, may do so."""
    try:
        return not (is_harmless(known, made) or hands_on(known if made else type(known)))
    except TypeError:  # it has no hash
        return True


def is_harmless(known: Any, made: bool) -> bool:
    return has_quiet_hash(known) and (getattr(known, "__func__", known) if made else type(known)) in HARMLESS


@functools.lru_cache(maxsize=256)
def hands_on(maker: Any) -> bool:
    """Whether the text of a class or of a ``@contextmanager`` function shows that every exception is handed on."""
    if isinstance(maker, type):
        leave = inspect.getattr_static(maker, "__exit__", None)
        body = text_of(leave)
        return body is not None and not any(isinstance(node, ast.Return) and not is_false(node.value)
                                            for statement in body for node in ast.walk(statement))
    maker = getattr(maker, "__func__", maker)  # of a method
    generator = getattr(maker, "__wrapped__", None)
    if not (isinstance(maker, types.FunctionType) and inspect.isgeneratorfunction(generator)
            and maker.__code__ is MADE_BY_CONTEXTMANAGER):
        return False
    body = text_of(generator)
    return body is not None and not any(catches(statement, generator) for statement in body)


def ways_of(known: Any, made: bool, value: Abstract) -> list[Any]:
    """The functions of the user's that a ``with`` statement calls."""
    maker = known if made else value.kind if isinstance(value, Items) else type(known)
    if isinstance(maker, type):
        names = ("__init__", "__enter__", "__exit__") if made else ("__enter__", "__exit__")
        return [inspect.getattr_static(maker, name, None) for name in names]
    generator = getattr(maker, "__wrapped__", maker)
    return [types.MethodType(generator, maker.__self__) if isinstance(maker, types.MethodType) else generator]


def may_write_at_end(way: Any) -> bool:
    """Whether one of these may write into memory that somebody has from it when the block ends."""
    function = getattr(way, "__func__", way)
    if not isinstance(function, types.FunctionType) or in_library(function.__module__ or "") \
            or function.__name__ in ("__init__", "__enter__"):
        return False
    body = text_of(function)
    if body is None:
        return True
    inside = [node for statement in body for node in ast.walk(statement)]
    first = min((node.lineno for node in inside if isinstance(node, ast.Yield)), default=0)
    return any(isinstance(node, (ast.AugAssign, ast.Delete, ast.Call)) or isinstance(node, ast.Subscript)
               and not isinstance(node.ctx, ast.Load) for node in inside if getattr(node, "lineno", 0) > first)


def text_of(function: Any) -> list | None:
    if not isinstance(function, types.FunctionType):
        return None
    try:
        node = locate(function).node
    except SourceError:
        return None
    return node.body if isinstance(node.body, list) else None


def gives_itself(maker: Any) -> bool:
    """Whether this is a class, and the last thing that its ``__enter__`` does is to give the manager itself."""
    enter: Any = getattr(maker, "__enter__", None) if isinstance(maker, type) else None
    last: Any = (text_of(enter) or [None])[-1]
    return isinstance(last, ast.Return) and getattr(last.value, "id", None) in enter.__code__.co_varnames[:1]


def is_false(value: ast.expr | None) -> bool:
    return value is None or isinstance(value, ast.Constant) and not value.value


def catches(statement: ast.AST, function: types.FunctionType) -> bool:
    """Whether an exception at some ``yield`` in a statement of a function might go no further."""
    body, last = getattr(statement, "body", []), getattr(statement, "finalbody", [])
    if has(ast.Yield, [statement]) and (isinstance(statement, ast.Match) or isinstance(statement, ast.With) and any(
            is_unknown_or_swallows(item.context_expr, function) for item in statement.items)):
        return True
    if getattr(statement, "handlers", []) and has(ast.Yield, body) or has((ast.Return, ast.Break, ast.Continue), last):
        return True
    return isinstance(body, list) and any(
        catches(inner, function) for inner in [*body, *getattr(statement, "orelse", []), *last])


def is_unknown_or_swallows(manager: ast.expr, function: types.FunctionType) -> bool:
    """The same of a manager in the text of a function."""
    made = isinstance(manager, ast.Call)
    known = meaning(manager.func if isinstance(manager, ast.Call) else manager, function)
    return known is None or may_swallow(known, made)


def meaning(node: ast.expr, function: types.FunctionType) -> Any:
    """What a function or module means by a name or an attribute of a module; None where that is not known."""
    if isinstance(node, ast.Attribute):
        module = meaning(node.value, function)
        return getattr(module, node.attr, None) if isinstance(module, types.ModuleType) else None
    code = function.__code__
    if not isinstance(node, ast.Name) or node.id in (*code.co_varnames, *code.co_cellvars, *code.co_freevars):
        return None
    return function.__globals__.get(node.id)


def has(kinds: Any, statements: list) -> bool:
    return any(isinstance(node, kinds) for statement in statements for node in ast.walk(statement))
