"""Gradients as functions with a text, so that they can be differentiated like any other."""
from __future__ import annotations

import builtins
import functools
import types
from dataclasses import dataclass, replace
from typing import Any

from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.emit import compile_text
from s2sgrad.compiler.mode import Mode
from s2sgrad.compiler.program import Names
from s2sgrad.errors import ArgumentError, UnsupportedError
from s2sgrad.signature import is_instance, written_arguments, written_header

GRADIENT = "__s2sgrad_gradient__"
"""The attribute of a function that makes one call of what ``grad`` made: the entry behind that."""
GIVEN = "__s2sgrad_given__"
"""The attribute of a generated function that holds what its text mentions besides the user's own names; of what is in a
cell, the cell."""
KEPT = "__s2sgrad_kept__"
"""The attribute of a generated function that holds the names of what it saves for an adjoint, by turns and by calls."""
GIVES_BACK = "__s2sgrad_gives_back__"
"""The attribute of a generated adjoint that holds the names of the arguments whose memory its result may be: each a
cotangent of what an array, or something in an object, is in the end."""


@dataclass(frozen=True)
class Differentiated:
    """What a gradient is of.

    Attributes
    ----------
    bound
        The parameters that the gradient gives itself.
    """

    definition: Definition
    label: str
    wanted: tuple[str, ...]
    mode: Mode
    bound: dict[str, Any]


def differentiated(definition: Definition) -> Differentiated:
    """What is behind a function that makes one call of a gradient, or a gradient of a function defined inside."""
    if definition.gradient is None:
        entry = getattr(definition.function, GRADIENT)
        for value in entry.bound.values():
            if not is_instance(value):
                raise UnsupportedError(f"{entry.subject.name} adds arguments of its own, and its gradient is "
                                       "differentiated", "differentiate a function that takes them all",
                                       entry.program.location)
        original = entry.definition.with_hidden(definition.hidden)  # what the call's arguments take along
        return Differentiated(original, entry.subject.name, entry.wanted, entry.mode, entry.bound)
    argnums, has_aux, value, holomorphic = definition.gradient
    names = [item.name for item in definition.signature().parameters.values()
             if item.kind in (item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD)]
    numbers = argnums if isinstance(argnums, tuple) else (argnums,)
    if not all(type(number) is int and -len(names) <= number < len(names) for number in numbers):
        raise ArgumentError(f"argnums {argnums} is out of range: there are {len(names)} positional parameters",
                            "count from 0")
    mode = Mode("first" if has_aux else "one", value, not isinstance(argnums, tuple), holomorphic)
    label = getattr(definition.syntax, "name", "the lambda")
    wanted = tuple(names[number] for number in numbers)
    return Differentiated(replace(definition, gradient=None), label, wanted, mode, {})


def given_to(function: types.FunctionType) -> dict[str, Any]:
    """What a generated function's text mentions besides the user's own names; nothing for the user's functions."""
    return {label: value.cell_contents if isinstance(value, types.CellType) else value
            for label, value in getattr(function, GIVEN, {}).items()}


@functools.lru_cache(maxsize=1024)
def written_gradient(gradient: Any, entry: Any) -> types.FunctionType:
    """A Python function that makes one call of what ``grad`` made. ``entry``: the one that such a call runs."""
    items = entry.signature.parameters.values()
    label = f"{entry.subject.name}_gradient" if entry.subject.name.isidentifier() else "gradient"
    callee = Names({label, *entry.signature.parameters}).fresh("gradient")
    text = f"def {label}({written_header(items)}):\n    return {callee}({written_arguments(items)})\n"
    made = compile_text(text, label, {"__name__": "s2sgrad.written", "__builtins__": builtins, callee: gradient}, {},
                        *entry.defaults())
    setattr(made, GRADIENT, entry)
    return made
