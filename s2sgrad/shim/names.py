"""Where operations are put: on the Tensor as methods, and under the names that users of ``import s2sgrad as torch``
look for."""
from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from s2sgrad.shim.tensor import Tensor

FUNCTIONS: dict[str, Any] = {}
"""What the package offers besides its functional interface, by name."""

AnyTensor = Any
"""A tensor, where more is done with it than the type checker knows of tensors."""
TENSORS = ("Tensor", "AnyTensor")
F = TypeVar("F", bound=Callable)


def method(function: F) -> F:
    """A method of tensors."""
    setattr(Tensor, function.__name__, function)
    return function


def exported(function: F) -> F:
    """A function of the package, or a class."""
    says = isinstance(function, type) or hasattr(function, "__wrapped__")
    FUNCTIONS[function.__name__] = function if says else refusing(function)
    return function


def refusing(function: F, name: str = "", axis: bool = False) -> F:
    """The function that says, where it fails, which of its arguments is no tensor. ``name``: what PyTorch calls it.
    ``axis``: whether that is another name of ``dim``."""
    @functools.wraps(function)
    def refused(*args: Any, **kwargs: Any) -> Any:
        if axis and "axis" in kwargs:
            kwargs["dim"] = kwargs.pop("axis")
        try:
            return function(*args, **kwargs)
        except Exception:
            check_tensors(function, name or function.__name__, args, kwargs)
            raise

    return refused  # type: ignore[return-value]


def check_tensors(function: Callable, name: str, args: tuple, kwargs: dict[str, Any]) -> None:
    """Raises TypeError where a parameter that is annotated as a tensor got something else."""
    for place, (label, parameter) in enumerate(inspect.signature(function).parameters.items()):
        if place >= len(args) and label not in kwargs:
            continue
        given, position = (kwargs[label], "") if label in kwargs else (args[place], f" (position {place + 1})")
        expected = "Tensor" if label == "input" and parameter.annotation == parameter.empty else parameter.annotation
        if parameter.kind is parameter.VAR_POSITIONAL:
            given = args[place] if isinstance(args[place], (tuple, list)) else args[place:]
            expected = "Sequence[Tensor]" if expected == "Tensor" else expected
        if expected == "Sequence[Tensor]":
            if not isinstance(given, (tuple, list)):
                raise TypeError(f"{name}(): argument '{label}'{position} must be tuple of Tensors, not "
                                f"{kind_of(given)}") from None
            for number, item in enumerate(given):
                if not isinstance(item, Tensor):
                    raise TypeError(f"expected Tensor as element {number} in argument {place}, but got "
                                    f"{kind_of(item)}") from None
        elif not isinstance(given, Tensor) and (
                expected in TENSORS or expected == "Tensor | None" and given is not None):
            raise TypeError(f"{name}(): argument '{label}'{position} must be Tensor, not {kind_of(given)}") from None


def kind_of(value: Any) -> str:
    """A value's type, as Python's C interface spells it: of those that are written in C with their module."""
    kind = type(value)
    written = bool(kind.__flags__ & 1 << 9)  # Py_TPFLAGS_HEAPTYPE: made by a class statement
    return kind.__name__ if written or kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def attached(name: str, value: Any) -> None:
    """Another name of a method, or a property."""
    setattr(Tensor, name, value)


def both(function: F, says: bool = False) -> F:
    """A function of the package that is a method of its first argument too; ``dim`` goes by NumPy's name as well.
    ``says``: it says itself what is no tensor."""
    if says:
        FUNCTIONS[function.__name__] = method(function)
        return function
    code = function.__code__  # type: ignore[attr-defined]
    return exported(method(with_axis(function) if "dim" in code.co_varnames[:code.co_argcount] else function))


def with_axis(function: F) -> F:
    """The function with ``axis=`` as another name of ``dim=``."""
    return refusing(function, axis=True)


def named(function: F, name: str) -> F:
    function.__name__ = function.__qualname__ = name
    return function
