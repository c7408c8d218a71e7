"""Signatures: what specialisation depends on.

A call is looked up twice. The *key* is cheap and exact: shapes and dtypes of arrays, types of other values, and the
value itself of strings, flags, None, functions and of those integers that some rule needs to know (an axis). A key not
met before leads to the *pattern*: the abstract values, in which equal sizes have equal letters; sizes alone never lead
to new code, but for the one question whether an array is large.
"""
from __future__ import annotations

import builtins
import enum
import functools
import inspect
import itertools
import threading
import types
import weakref
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad.containers import (
    DICTS,
    KEYS,
    LISTS,
    contents,
    has_quiet_hash,
    is_instance,
    is_key,
    is_member,
    is_object,
    kind_of,
)
from s2sgrad.errors import ArgumentTypeError
from s2sgrad.frozen import frozen
from s2sgrad.rules.abstract import MISSING, Abstract, Items, Known, Numeric, Opaque, join
from s2sgrad.rules.draws import is_generator

ARITHMETIC = tuple(f"__{side}{name}__" for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
                   for side in ("", "r")) + ("__neg__", "__abs__", "__float__", "__array_ufunc__", "__array__")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
BY_TYPE = frozenset((float, int, complex, np.float64, np.float32))
BY_VALUE = (bool, str, bytes, type(None), type(...))
BY_IDENTITY = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, type, np.ufunc,
               np.dtype, property, type(threading.Lock()), type(threading.RLock()))
PLAIN_KEYS = frozenset(KEYS)
FEW = 4
"""Of so many items in a list each is looked at for itself, which takes less time then."""
MOST_APART = 32
"""So many objects in a list are told apart; what is done with them is written out one by one."""
LOGGING = "logging"
"""What comes from there is known by identity too, so that its methods are known to write into nothing."""


@frozen
class Place:
    """Where a captured input is found: a global of a function, a closure cell, an object's attribute, an item of a
    tuple or of a dict; compared by identity."""

    holder: Any
    name: Any

    def __hash__(self) -> int:
        return hash((id(self.holder), self.name))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self.holder is other.holder and self.name == other.name

    def read(self) -> Any:
        """The value now. Raises NameError or AttributeError where there is none."""
        if isinstance(self.holder, types.CellType):
            try:
                return self.holder.cell_contents
            except ValueError:
                raise NameError(self.name) from None
        if type(self.holder) is tuple:
            return self.holder[self.name]
        if type(self.holder) is not dict:
            return getattr(self.holder, self.name)
        if self.name in self.holder:
            return self.holder[self.name]
        if not isinstance(self.name, str) or not hasattr(builtins, self.name):
            raise NameError(f"name {self.name!r} is not defined", name=self.name)
        return getattr(builtins, self.name)

    def bind(self, value: Any) -> None:
        """Bind a variable."""
        if isinstance(self.holder, types.CellType):
            self.holder.cell_contents = value
        else:
            self.holder[self.name] = value


def place_of(function: types.FunctionType, name: str) -> Place:
    """The place that a free name in a function's code refers to."""
    freevars = function.__code__.co_freevars
    if name in freevars and function.__closure__ is not None:
        return Place(function.__closure__[freevars.index(name)], name)
    return Place(function.__globals__, name)


def has_value(place: Place) -> bool:
    """Whether a captured input has a value."""
    try:
        place.read()
    except (NameError, AttributeError, LookupError):
        return False
    return True


def attribute_of(owner: Any, name: Any) -> Place:
    """The place of an attribute: those of a module are its globals."""
    return Place(vars(owner) if isinstance(owner, types.ModuleType) else owner, name)


class Same:
    """An object in a key: equal to itself alone, whatever its own ``==`` says."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


_signatures: weakref.WeakKeyDictionary[types.CodeType, inspect.Signature] = weakref.WeakKeyDictionary()
"""The parameters of code that is of functions without defaults."""


def signature_of(function: types.FunctionType) -> inspect.Signature:
    """The parameters that a function's own code takes, whatever it says that it wraps."""
    if function.__defaults__ or function.__kwdefaults__:
        return _signature(function)
    found = _signatures.get(function.__code__)
    if found is None:
        found = _signatures[function.__code__] = _signature(function)
    return found


def _signature(function: types.FunctionType) -> inspect.Signature:
    own = types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__,
                             function.__closure__)
    own.__kwdefaults__ = function.__kwdefaults__
    return inspect.signature(own)


def written_header(parameters: Iterable[inspect.Parameter]) -> str:
    """The parameters as a ``def`` statement has them, ``...`` for their defaults."""
    parts: list[str] = []
    kinds = list(parameters)
    for index, item in enumerate(kinds):
        if item.kind is item.VAR_POSITIONAL:
            parts.append(f"*{item.name}")
            continue
        if item.kind is item.VAR_KEYWORD:
            parts.append(f"**{item.name}")
            continue
        if item.kind is item.KEYWORD_ONLY and (index == 0 or kinds[index - 1].kind not in (
                item.KEYWORD_ONLY, item.VAR_POSITIONAL)):
            parts.append("*")
        parts.append(item.name if item.default is item.empty else f"{item.name}=...")
        if item.kind is item.POSITIONAL_ONLY and (
                index + 1 == len(kinds) or kinds[index + 1].kind is not item.POSITIONAL_ONLY):
            parts.append("/")
    return ", ".join(parts)


def written_arguments(parameters: Iterable[inspect.Parameter]) -> str:
    """What hands the parameters on, in a call."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return ", ".join(f"{item.name}={item.name}" if item.kind is item.KEYWORD_ONLY
                     else stars.get(item.kind, "") + item.name for item in parameters)


def feature(value: Any) -> Any:
    """What the key holds of a value: shape and dtype of an array, the types of numbers, the parts of containers."""
    kind = type(value)
    if kind is np.ndarray:
        return value.shape, value.dtype
    if kind in BY_TYPE:
        return kind
    if value is None:
        return None
    if kind is tuple:
        return (tuple, *map(feature, value))
    if kind is dict:
        if is_table(value):
            return Same(value)
        keys = value if PLAIN_KEYS.issuperset(map(type, value)) else map(feature_of_key, value)
        return (dict, *keys, *map(feature, value.values()))
    if kind is list or kind is deque:
        listed = kind if kind is list else kind_of(value)
        same = feature_of_all(value) if len(value) > FEW else None
        if same is not None:
            return listed, frozenset((same,))
        features = tuple(map(feature, value))
        distinct = frozenset(features)
        return (listed, distinct) if len(distinct) < 2 else (listed, *features)
    if kind in BY_VALUE:
        return kind, value
    if isinstance(value, np.ndarray):
        return kind, value.shape, value.dtype
    if isinstance(value, BY_IDENTITY) or kind.__module__ == LOGGING or is_member(value):
        return value
    if kind in DICTS:
        kept = contents(value, any_keys=True)
        return kind if kept is None else (kept.kind, *map(feature_of_key, value), *map(feature, kept.parts))
    held = None if is_object(value) else contents(value)
    if held is not None:
        return (kind, *map(feature, held.parts))
    if callable(value):
        return Same(value)
    return kind


def feature_of_key(key: Any) -> Any:
    """What the key of compiled code holds of one in a dict: of an object its class, as nothing depends on more, and
    its own hash, which may do something, is asked for only where the text says so."""
    return key if is_key(key) or has_quiet_hash(key) else type(key)


def feature_of_all(values: Sequence) -> Any:
    """What :func:`feature` gives of each of some values where that is the same of numbers, arrays, or tuples, lists
    and dicts of these, found for all at once; None where it is not, or they are others."""
    kinds = set(map(type, values))
    kind = kinds.pop()
    if kinds:
        return None
    if kind in BY_TYPE:
        return kind
    if kind is np.ndarray:
        forms = {(value.shape, value.dtype) for value in values}
        return forms.pop() if len(forms) == 1 else None
    if kind is list:
        inside = feature_of_all(list(itertools.chain.from_iterable(values))) if all(values) else None
        return None if inside is None else (list, frozenset((inside,)))
    keys: tuple = ()
    if kind is dict:
        if not {str}.issuperset(map(type, itertools.chain.from_iterable(values))):
            return None
        keys, *others = set(map(tuple, values))
        if others:
            return None
        values = [value.values() for value in values]
    elif kind is not tuple or len(set(map(len, values))) != 1:
        return None
    columns = tuple(map(feature_of_all, zip(*values)))
    return None if None in columns else (kind, *keys, *columns)


def all_alike(values: list, objects: bool) -> bool:
    """Whether there are values, all the same for a key, sizes included; of ``objects`` their attributes, too."""
    return bool(values) and (feature_of_all(values) is not None or len(
        set(map(feature_of_parts if objects else feature, values))) == 1)


def is_table(value: dict) -> bool:
    """Whether a dict holds functions, or other things to be called, under members of an enumeration."""
    return bool(value) and isinstance(next(iter(value)), enum.Enum) and all(map(callable, value.values()))


def feature_of_parts(value: Any) -> Any:
    """The same of what is differentiated, where an object counts for what its attributes are."""
    kind = type(value)
    if kind is np.ndarray:
        return value.shape, value.dtype
    same = feature_of_all(value) if kind is list and len(value) > FEW else None
    if same is not None:
        return list, frozenset((same,))
    held = contents(value)
    if held is None:
        return feature(value)
    features = tuple(map(feature_of_parts, held.parts))
    distinct = frozenset(features) if issubclass(held.kind, LISTS) else None
    return (held.kind, distinct) if distinct is not None and len(distinct) < 2 else (held.kind, held.keys, *features)


def feature_of_items(value: Any) -> Any:
    """The same where the items of each list are told apart."""
    held = contents(value)
    return feature(value) if held is None else (held.kind, held.keys, *map(feature_of_items, held.parts))


def holds_alike(value: Any) -> bool:
    """Whether there is a list of objects in a value that could be told apart."""
    held = contents(value)
    return held is not None and (issubclass(held.kind, LISTS) and 0 < len(held.parts) <= MOST_APART and any(
        map(is_instance, held.parts)) or any(map(holds_alike, held.parts)))


def is_constant(value: Any) -> bool:
    """Whether the key holds a value itself, so that it is known."""
    if type(value) in BY_TYPE:
        return False
    found = feature(value)
    return found is value or isinstance(found, Same) or type(value) in BY_VALUE
def alike(items: list[Abstract]) -> bool:
    """Whether the items of a list are of one form, so that their number need not be known to tell what one of them is:
    containers of the same parts, arrays of the same rank and dtype."""
    return all(_form(item) == _form(items[0]) for item in items)


def _form(value: Abstract) -> Any:
    if isinstance(value, Items):
        inner = _form(value.element) if value.items is None else tuple(map(_form, value.items))
        return value.kind, value.keys, inner
    if isinstance(value, Numeric):
        return value.kind, value.dtype, value.rank
    return str if isinstance(value, Known) and isinstance(value.value, str) else value


def refuse_own_arithmetic(kind: type, origin: str) -> None:
    """Raises ArgumentTypeError for a class of numbers that computes otherwise than those it is derived from."""
    if kind.__module__ == "numpy":
        return
    base = next(each for each in kind.__mro__ if each.__module__ in ("builtins", "numpy"))
    if any(getattr(kind, name, None) is not getattr(base, name, None) for name in ARITHMETIC):
        raise ArgumentTypeError(f"{origin} is or holds a {kind.__name__}, whose arithmetic is its own",
                                "make a plain number of it, with float, before the call")


class Letters:
    """Names the sizes of one call: equal sizes alike, 0 and 1 apart, so that a letter is at least 2."""

    def __init__(self, ranks_only: bool = False, item_of: Any = None, apart: bool = False,
                 exact: Collection[int] = ()):
        self.letters: dict[int, str] = {}
        self.exact = exact
        """The sizes that are known as numbers."""
        self.ranks_only = ranks_only
        self.item_of = item_of
        """The list of which these are the sizes of one item: those of another have the same names."""
        self.lists = 0
        self.apart = apart
        """Whether objects in lists are told apart."""

    def dim(self, size: int) -> Any:
        if size in self.exact:
            return size
        if self.ranks_only:
            return None
        if size < 2:
            return size
        if size not in self.letters:
            count = len(self.letters)
            letter = LETTERS[count % 26]
            self.letters[size] = letter if count < 26 else f"{letter}{count // 26}"
        return self.letters[size] if self.item_of is None else ("each", self.item_of, self.letters[size])

    def describe(self, value: Any, origin: str, by_value: bool, objects: bool = False, counted: bool = False
                 ) -> Abstract:
        """The abstract value of an input. ``by_value``: an integer is known by its value; ``objects``: an object is a
        container of its attributes; ``counted``: of lists that are not too long each item is known."""
        kind = type(value)
        if kind is np.ndarray:
            if value.dtype.kind not in "biufc":
                return Opaque(origin=origin)
            return Numeric("array", value.dtype, tuple(map(self.dim, value.shape)))
        if kind in (int, float, complex):
            known = {"value": value} if by_value and kind is int else {}
            return Numeric("python", np.dtype(kind), (), origin=origin if kind is int else None, **known)
        if kind is bool:
            return Numeric("python", np.dtype(bool), (), value=value)
        if isinstance(value, np.generic):
            if value.dtype.kind not in "biufc":
                return Opaque(origin=origin)
            refuse_own_arithmetic(kind, origin)
            if value.dtype.kind not in "iu":
                return Numeric("scalar", value.dtype, ())
            return Numeric("scalar", value.dtype, (), origin=origin, **({"value": int(value)} if by_value else {}))
        if isinstance(value, np.ndarray) and kind is not np.memmap:
            raise ArgumentTypeError(f"{origin} is or holds a {kind.__name__}, whose arithmetic is its own",
                                    "make a plain array of it, with np.asarray, before the call")
        if isinstance(value, (int, float, complex)):
            refuse_own_arithmetic(kind, origin)
            if not isinstance(value, int):
                return Numeric("python", np.dtype(float if isinstance(value, float) else complex), ())
        held = contents(value) if objects or not is_object(value) else None
        if held is not None:
            apart = counted and len(held.parts) <= MOST_APART or self.apart and any(map(is_instance, held.parts))
            listed = issubclass(held.kind, LISTS)
            if listed and not apart and all_alike(held.parts, objects):
                return Items(held.kind, None, replace(
                    self.describe(held.parts[0], origin, False, objects), origin=None))
            items = [replace(self.describe(item, origin, by_value and kind is tuple, objects, counted), origin=None)
                     for item in held.parts]
            if not listed or not items or not alike(items) or apart:
                is_axes = kind is tuple and any(isinstance(item, (int, np.integer)) for item in held.parts)
                return Items(held.kind, tuple(items), origin=origin if is_axes else None, keys=held.keys)
            self.lists += 1
            items = [replace(Letters(
                self.ranks_only, (self.item_of, self.lists), self.apart, self.exact).describe(
                item, origin, False, objects), origin=None) for item in held.parts]
            return Items(held.kind, None, functools.reduce(join, items))
        if kind is slice:
            return Opaque(origin=origin, bounds=(MISSING,) * 3)
        if is_constant(value) or by_value and is_instance(value):
            return Known(value)
        of_kind = kind is range or hasattr(kind, "__array_priority__") or is_generator(kind)
        return Opaque(origin=origin, kind=kind if of_kind else None)
