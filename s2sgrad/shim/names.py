"""Where operations are put: on the Tensor as methods, and under the names that users of ``import s2sgrad as torch``
look for."""
from __future__ import annotations

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
    """A function of the package that is a method of its first argument too."""
    return exported(method(function))


def named(function: F, name: str) -> F:
    function.__name__ = function.__qualname__ = name
    return function
