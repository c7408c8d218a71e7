"""What ``grad``, ``jacobian`` and their kin give: an object that calls, looks and pickles like the function it
came from."""
from __future__ import annotations

import copy
import functools
import types
from collections.abc import Callable
from typing import Any

from s2sgrad.marking import is_found


class Derived(functools.partial):
    """A derivative of a function with its name, its signature and a way through ``pickle``.

    It is a ``partial`` for the sake of speed: a ``__call__`` of its own would cost three times as much.
    """

    making: tuple
    title: str
    __name__: str
    __qualname__: str
    __wrapped__: Callable

    def __new__(cls, call: Callable, plain: Callable, making: tuple, title: str) -> Derived:
        """``making``: a function and arguments that make the same again, as ``__reduce__`` gives them."""
        self = super().__new__(cls, call)
        self.__name__ = self.__qualname__ = type(plain).__name__  # of what has none: a partial, an object
        functools.update_wrapper(self, plain)
        self.making = making
        self.title = title
        return self

    def __reduce__(self) -> str | tuple:  # type: ignore[override]
        """By name where it stands in the place of its function, as under a decorator; else the function and options.

        What was compiled stays behind.
        """
        return self.__qualname__ if is_found(self) else self.making

    def __copy__(self) -> Derived:
        return self

    def __deepcopy__(self, memo: dict) -> Derived:
        """Itself, as functions are; of what holds an object, like a bound method, the same of a copy."""
        make, (function, *given) = self.making
        copied = copy.deepcopy(function, memo)
        return self if copied is function else make(copied, *given)  # type: ignore[no-any-return]

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<{self.title} of {self.__wrapped__!r}>"


class Gradient(Derived):
    """What ``grad`` and ``value_and_grad`` give, with the entry behind it."""

    __s2sgrad__: Any

    def __new__(cls, call: Callable, plain: Callable, making: tuple, entry: Any) -> Gradient:
        self: Any = super().__new__(cls, call, plain, making, "gradient")
        self.__s2sgrad__ = entry
        return self  # type: ignore[no-any-return]
