"""What ``grad`` and ``value_and_grad`` give: an object that calls, looks and pickles like the function it came from."""
from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from s2sgrad.marking import is_found


class Gradient(functools.partial):
    """A generated function with a name, a signature and a way through ``pickle``.

    It is a ``partial`` for the sake of speed: a ``__call__`` of its own would cost three times as much.
    """

    making: tuple
    __s2sgrad__: Any
    __name__: str
    __qualname__: str
    __wrapped__: Callable

    def __new__(cls, call: Callable, plain: Callable, making: tuple, entry: Any) -> Gradient:
        """``making``: a function and arguments that make the same gradient again, as ``__reduce__`` gives them."""
        self = super().__new__(cls, call)
        self.__name__ = self.__qualname__ = type(plain).__name__  # of what has none: a partial, an object
        functools.update_wrapper(self, plain)
        self.making = making
        self.__s2sgrad__ = entry
        return self

    def __reduce__(self) -> str | tuple:  # type: ignore[override]
        """By name where it stands in the place of its function, as under a decorator; else the function and options.

        What was compiled stays behind.
        """
        return self.__qualname__ if is_found(self) else self.making

    def __copy__(self) -> Gradient:
        return self

    def __deepcopy__(self, memo: dict) -> Gradient:
        return self

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<gradient of {self.__wrapped__!r}>"
