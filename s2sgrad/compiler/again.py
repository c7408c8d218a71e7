"""Gradients as functions with a text, so that they can be differentiated like any other."""
from __future__ import annotations

import builtins
import functools
import types
from typing import Any

from s2sgrad.compiler.emit import compile_text
from s2sgrad.compiler.program import Names

GRADIENT = "__s2sgrad_gradient__"
"""The attribute of a function that makes one call of what ``grad`` made: the entry behind that."""
GIVEN = "__s2sgrad_given__"
"""The attribute of a generated function that holds what its text mentions besides the user's own names; of what is in a
cell, the cell."""


def given_to(function: types.FunctionType) -> dict[str, Any]:
    """What a generated function's text mentions besides the user's own names; nothing for the user's functions."""
    return {label: value.cell_contents if isinstance(value, types.CellType) else value
            for label, value in getattr(function, GIVEN, {}).items()}


@functools.lru_cache(maxsize=1024)
def written_gradient(gradient: Any, entry: Any) -> types.FunctionType:
    """A Python function that makes one call of what ``grad`` made. ``entry``: the one that such a call runs."""
    items = entry.signature.parameters.values()
    passed = ", ".join(f"{item.name}={item.name}" if item.kind is item.KEYWORD_ONLY else item.name for item in items)
    label = f"{entry.subject.name}_gradient" if entry.subject.name.isidentifier() else "gradient"
    callee = Names({label, *entry.signature.parameters}).fresh("gradient")
    text = f"def {label}({entry.header()}):\n    return {callee}({passed})\n"
    made = compile_text(text, label, {"__name__": "s2sgrad.written", "__builtins__": builtins, callee: gradient}, {},
                        *entry.defaults())
    setattr(made, GRADIENT, entry)
    return made
