"""What was made of a function: its gradients and entries, each made once and kept as long as the function is there.

They are an attribute of the function: no table outside keeps it, and the arrays that it closes over, alive.
"""
from __future__ import annotations

import functools
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any

from s2sgrad.carried import bring, texts_for
from s2sgrad.errors import GENERATED
from s2sgrad.rules.table import rule_for

ATTRIBUTE = "__s2sgrad_entries__"
BOUND = 64
"""So many are kept of one function: each bound method and each ``functools.partial`` of it has its own."""
LATEST_BOUND = 256

_lock = threading.RLock()


class Entries:
    """Those of one function.

    Attributes
    ----------
    kept
        What was made of it, by what it was made for; the last is what was asked for last.
    met
        All its entries that there are, for reports.
    programs
        Of a generated function what the compiler read.
    """

    def __init__(self, owner: Any = None):
        self.owner = None if owner is None else weakref.ref(owner)
        self.kept: dict[Any, Any] = {}
        self.met: weakref.WeakSet = weakref.WeakSet()
        self.programs: dict[Any, Any] = {}

    def __reduce__(self) -> tuple:
        """Tools that pickle functions by value take their attributes along: it starts anew there, where the texts that
        it takes along stand in for the file that the function forgets."""
        owner = None if self.owner is None else self.owner()
        return (Entries, ()) if owner is None else (arrived_with, (texts_for(owner),))

    def belongs_to(self, function: Any) -> bool:
        """``functools.wraps`` copies attributes to functions that they don't belong to."""
        return self.owner is not None and self.owner() is function

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What was made for a key, made now if it was not."""
        with _lock:
            found = self.kept.pop(key, None)
        if found is None:
            found = make()
        with _lock:
            found = self.kept.setdefault(key, found)  # another thread may have been faster
            if len(self.kept) > BOUND:
                del self.kept[next(iter(self.kept))]
        return found


def arrived_with(texts: tuple[tuple[str, str], ...]) -> Entries:
    """Those of a function that was sent by value."""
    bring(texts)
    return Entries()


def entries_of(function: Any) -> Entries:
    """What was made of a function, or of something else that has a rule."""
    if not isinstance(function, (types.FunctionType, functools.partial)):
        return _of_others(function)
    with _lock:
        found: Entries | None = function.__dict__.get(ATTRIBUTE)
        if found is None or not found.belongs_to(function):
            found = function.__dict__[ATTRIBUTE] = Entries(function)
    return found


@functools.lru_cache(maxsize=512)
def _of_others(function: Any) -> Entries:
    return Entries()


_latest: dict[int, types.FunctionType] = {}
"""By the identity of their code, the function that was met last of those that one ``def`` or ``lambda`` makes."""


def settled(function: types.FunctionType) -> types.FunctionType:
    """The function that stands for all that a ``def`` or ``lambda`` makes, in a loop, with the same closure cells and
    defaults: what was compiled for one serves the next."""
    code = function.__code__
    if is_generated(code):
        return function
    with _lock:
        found = _latest.pop(id(code), None)
        if found is None or not are_alike(function, found):
            found = function
        _latest[id(code)] = found  # which keeps the code alive, so that no other has its identity
        if len(_latest) > LATEST_BOUND:
            del _latest[next(iter(_latest))]
    return found


def is_generated(code: types.CodeType) -> bool:
    """Whether code was written by this package, for one function alone."""
    return code.co_filename.startswith(GENERATED)


def are_alike(one: types.FunctionType, other: types.FunctionType) -> bool:
    """Whether nothing but their identity tells two functions apart."""
    return one is other or (
        one.__code__ is other.__code__ and one.__globals__ is other.__globals__
        and have_same_items(one.__closure__, other.__closure__)
        and have_same_items(one.__defaults__, other.__defaults__)
        and (one.__kwdefaults__ is other.__kwdefaults__ is None)
        and (one.__name__, one.__qualname__, one.__module__) == (other.__name__, other.__qualname__, other.__module__)
        and vars(one).keys() | vars(other).keys() <= {ATTRIBUTE}
        and rule_for(one) is rule_for(other) is None)


def have_same_items(first: tuple | None, second: tuple | None) -> bool:
    """Whether two tuples hold the same objects, or equal constants."""
    if first is None or second is None or len(first) != len(second):
        return first is second
    return all(one is other or type(one) is type(other) and isinstance(one, (int, float, complex, str))
               and repr(one) == repr(other) for one, other in zip(first, second))


REPLACED = ("__code__", "__defaults__", "__kwdefaults__")
"""The attributes of functions that tools replace which reload the modules in use."""


def state_of(function: Any) -> tuple:
    """What a function's text and defaults are now, to be compared by identity."""
    return tuple(getattr(function, label, None) for label in REPLACED)


def has_changed(function: Any, before: tuple) -> bool:
    """Whether a function's text or defaults are not what they were."""
    return any(now is not then for now, then in zip(state_of(function), before))


def names_in(holder: Any) -> tuple:
    """The classes that a class is derived from, and the names that they have, each with what kind of thing it is; the
    classes for which a function of ``functools.singledispatch`` has others; the keywords of a partial function."""
    if isinstance(holder, type):
        bases = holder.__mro__
        return bases, *((*base.__dict__, *map(type, base.__dict__.values())) for base in bases if base is not object)
    return tuple(holder.keywords if isinstance(holder, functools.partial) else holder.registry)


def defaults_of(function: types.FunctionType) -> tuple:
    """The defaults of a function's parameters, those by name behind the others."""
    return *(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()
