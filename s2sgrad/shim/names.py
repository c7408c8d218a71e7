"""Where operations are put: on the Tensor as methods, and under the names that users of ``import s2sgrad as torch``
look for."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from s2sgrad.shim.tensor import Tensor

FUNCTIONS: dict[str, Any] = {}
"""What the package offers besides its functional interface, by name."""

F = TypeVar("F", bound=Callable)


def method(function: F) -> F:
    """A method of tensors."""
    setattr(Tensor, function.__name__, function)
    return function


def exported(function: F) -> F:
    """A function of the package."""
    FUNCTIONS[function.__name__] = function
    return function


def attached(name: str, value: Any) -> None:
    """Another name of a method, or a property."""
    setattr(Tensor, name, value)


def both(function: F) -> F:
    """A function of the package that is a method of its first argument too; ``dim`` goes by NumPy's name as well."""
    code = function.__code__  # type: ignore[attr-defined]
    return exported(method(with_axis(function) if "dim" in code.co_varnames[:code.co_argcount] else function))


def with_axis(function: F) -> F:
    """The function with ``axis=`` as another name of ``dim=``."""
    @functools.wraps(function)
    def renamed(*args: Any, **kwargs: Any) -> Any:
        if not kwargs:
            return function(*args)
        if "axis" in kwargs:
            kwargs["dim"] = kwargs.pop("axis")
        return function(*args, **kwargs)

    return renamed  # type: ignore[return-value]


def named(function: F, name: str) -> F:
    function.__name__ = function.__qualname__ = name
    return function
