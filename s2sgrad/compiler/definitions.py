"""What a primal and an adjoint are made of: a function's own code, for one number of further arguments."""
from __future__ import annotations

import inspect
import types
from dataclasses import dataclass
from typing import Any

from s2sgrad.signature import signature_of


@dataclass(frozen=True)
class Definition:
    """A function as one call sees it.

    Attributes
    ----------
    extra
        How many arguments ``*args`` takes.
    keys
        The keywords that ``**kwargs`` takes.
    """

    function: types.FunctionType
    extra: int = 0
    keys: tuple[str, ...] = ()

    def defaults(self) -> list[Any]:
        """For each parameter of the program its default, ``inspect.Parameter.empty`` where it has none."""
        found: list[Any] = []
        for item in signature_of(self.function).parameters.values():
            if item.kind is item.VAR_POSITIONAL:
                found += [item.empty] * self.extra
            elif item.kind is item.VAR_KEYWORD:
                found += [item.empty] * len(self.keys)
            else:
                found.append(item.default)
        return found


def bind(function: types.FunctionType, positional: list, keywords: dict[str, Any]) -> tuple[Definition, list]:
    """A function as a call sees it, and for each of its parameters the argument, None where the default serves.

    Raises TypeError, with Python's reason, where the call does not fit.
    """
    signature = signature_of(function)
    bound = signature.bind(*positional, **keywords).arguments
    arguments: list[Any] = []
    extra, keys = 0, ()  # type: int, tuple[str, ...]
    for name, item in signature.parameters.items():
        if item.kind is item.VAR_POSITIONAL:
            arguments += bound.get(name, ())
            extra = len(bound.get(name, ()))
        elif item.kind is item.VAR_KEYWORD:
            arguments += bound.get(name, {}).values()
            keys = tuple(bound.get(name, {}))
        else:
            arguments.append(bound.get(name))
    return Definition(function, extra, keys), arguments


def is_variadic(function: types.FunctionType) -> bool:
    return bool(function.__code__.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS))
