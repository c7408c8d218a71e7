"""Functions whose text can't be read, as a text that does the worst that their code may do.

Whether a call that stays as it is changes something is asked of texts (``effects.py``, ``outer_changes.py``); of a
function that ``exec`` made there is the code alone. If that stores anywhere, its text stores in all that it has a name
for, and it calls all of these with all that it gets.
"""
from __future__ import annotations

import ast
import dis
import types
from collections.abc import Collection, Iterator
from typing import Any

from s2sgrad.compiler.locate import locate
from s2sgrad.errors import SourceError

STORING = ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_ATTR", "DELETE_ATTR", "STORE_SLICE")
BINDING = {"STORE_GLOBAL": "global", "DELETE_GLOBAL": "global", "STORE_DEREF": "nonlocal", "DELETE_DEREF": "nonlocal"}


def read_or_feared(function: types.FunctionType, mutating: Collection[str]) -> Any:
    """A function's syntax tree, or that of the worst that it may do; ``mutating``: names of methods that write."""
    try:
        return locate(function).node
    except SourceError:
        return ast.parse("\n    ".join(_worst(function.__code__, mutating))).body[0]


def _worst(code: types.CodeType, mutating: Collection[str]) -> Iterator[str]:
    codes = list(_within(code))
    steps = [step for inner in codes for step in dis.get_instructions(inner)]
    stores = any(step.opname in STORING or step.opname.startswith("INPLACE_") or step.opname == "BINARY_OP"
                 and step.argrepr.endswith("=") for step in steps)
    named = {name for inner in codes for name in inner.co_names}
    constants = [constant for inner in codes for constant in inner.co_consts]
    stores = stores or not named.isdisjoint(mutating) or any(
        isinstance(constant, tuple) and "out" in constant for constant in constants)
    parameters = tuple(name for name in code.co_varnames[:code.co_argcount + code.co_kwonlyargcount + bool(
        code.co_flags & 4) + bool(code.co_flags & 8)] if name.isidentifier())  # not what a generator expression gets
    outer = [*code.co_freevars, *(step.argval for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"))]
    given = ", ".join(parameters)
    yield f"def unread({given}):"
    for step in steps:
        if step.opname in BINDING and step.argval in (*named, *code.co_freevars):
            yield f"{BINDING[step.opname]} {step.argval}"
    for name in dict.fromkeys(outer):
        yield f"{name}({given})"
        yield from (f"{name}.{attribute}({given})" for attribute in sorted(named))
    if stores:
        yield from (f"{name}[0] = 0" for name in dict.fromkeys((*parameters, *outer)))
    yield "pass"


def _within(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code object, and those of the functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _within(constant)
