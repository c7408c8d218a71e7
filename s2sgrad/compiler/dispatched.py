"""Functions of ``functools.singledispatch``: which of the registered ones a call means is told by the class of its
first argument."""
from __future__ import annotations

import inspect
import types
from typing import Any


def registered(function: Any) -> dict | None:
    """The functions that were registered with one, by class; None of any other function."""
    finds = function.__dict__.get("dispatch") if type(function) is types.FunctionType else None
    if type(finds) is not types.FunctionType or "registry" not in finds.__code__.co_freevars:
        return None
    found = inspect.getclosurevars(finds).nonlocals.get("registry")
    return found if type(found) is dict else None


def chosen(function: Any, registry: dict, kind: type) -> type | None:
    """The class under which the function was registered that is called for an object of a class."""
    implementation = function.dispatch(kind)
    return next((known for known, other in registry.items() if other is implementation and issubclass(
        kind, known)), None)
