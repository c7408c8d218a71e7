"""What ``differentiable`` gives: the function, and a place where others can look at its calls."""
from __future__ import annotations

import copy
import functools
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any


class Marked(functools.partial):
    """A function that looks, pickles and calls as it did, at its own speed.

    Once there are tensors, their package has a look at each call (:func:`look_at_calls`): it is a ``partial`` so that
    until then nothing stands between a call and the function.
    """

    __name__: str
    __qualname__: str
    __wrapped__: types.FunctionType
    paths: Callable
    saved: Callable
    source: Callable

    def __new__(cls, function: types.FunctionType) -> Marked:
        self = super().__new__(cls, function)
        functools.update_wrapper(self, function)
        _marked.add(self)
        if _looking is not None:
            self.call_through(_looking(self))
        return self

    def call_through(self, function: Callable) -> None:
        """Let calls run another function."""
        self.__setstate__((function, (), {}, self.__dict__))  # type: ignore[attr-defined]

    def __reduce__(self) -> str | tuple:  # type: ignore[override]
        """By name where others find it, as under a decorator; else the function."""
        return self.__qualname__ if is_found(self) else (Marked, (self.__wrapped__,))

    def __copy__(self) -> Marked:
        return self

    def __deepcopy__(self, memo: dict) -> Marked:
        """Itself, as functions are; of a bound method, that of a copy of its object."""
        copied = copy.deepcopy(self.__wrapped__, memo)
        return self if copied is self.__wrapped__ else Marked(copied)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return repr(self.__wrapped__)


def is_found(value: Any) -> bool:
    """Whether a value is what its own name leads to. An interactive ``__main__`` is no place where others find a name.
    """
    found: Any = sys.modules.get(value.__module__)
    interactive = value.__module__ == "__main__" and not hasattr(found, "__file__")
    for part in value.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is value and not interactive


_marked: weakref.WeakSet[Marked] = weakref.WeakSet()
_looking: Callable[[Marked], Callable] | None = None


def look_at_calls(looking: Callable[[Marked], Callable]) -> None:
    """From now on calls of marked functions run what ``looking`` makes of each of them."""
    global _looking
    _looking = looking
    for marked in list(_marked):
        marked.call_through(looking(marked))
