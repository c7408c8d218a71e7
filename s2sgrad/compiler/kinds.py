"""What class values have, as far as it is known before the call, and what tests that ask for it give: ``isinstance``,
``type(other) == Vector``, ``type(x) in (int, float)``."""
from __future__ import annotations

import abc
import ast
import enum
import functools
import typing
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.locate import locate
from s2sgrad.compiler.made_functions import class_of_made, syntax_of
from s2sgrad.containers import HEAP_TYPE, class_of
from s2sgrad.errors import SourceError
from s2sgrad.rules.abstract import MISSING, Abstract, Items, Known, Numeric, Opaque, known_value

OF_NUMBERS = (int, float, complex, np.ndarray, np.generic, np.float64, type(None))
"""The classes that a number or an array may be of, one of a base of all its kind; and that of None."""


def type_of(value: Abstract) -> type | None:
    """The class of a value, where it is known."""
    if isinstance(value, Items) and (value.optional or value.view):
        return None
    if syntax_of(value) is not None:
        return class_of_made(value)
    if isinstance(value, Items):
        return class_of(value.kind)
    if isinstance(value, Numeric) and value.kind == "array":
        return np.ndarray
    if isinstance(value, Numeric) and value.dtype is not None and value.kind in ("python", "scalar") \
            and not value.mixed:
        return type(value.dtype.type(0).item()) if value.kind == "python" else value.dtype.type
    if isinstance(value, Known) and not may_change_class(value.value):
        return type(value.value)
    if isinstance(value, Opaque):
        return range if value.kind is range else slice if value.bounds is not None else None
    return None


def decides_by_class(classes: Any) -> bool:
    """Whether ``isinstance`` with these classes, a tuple or union of such, asks for a value's class alone; protocols,
    and classes that say it themselves, look at the value."""
    parts = classes if isinstance(classes, tuple) else typing.get_args(classes)
    if parts:
        return all(map(decides_by_class, parts))
    return isinstance(classes, type) and type(classes).__instancecheck__ in (type.__instancecheck__,
                                                                             abc.ABCMeta.__instancecheck__)


def may_be_complex_root(value: Abstract, classes: Any) -> bool:
    """Whether these classes are those of complex numbers, but not of floats, and a float that was computed may be one:
    a power of a negative one."""
    return isinstance(value, Numeric) and value.kind == "python" and value.value is MISSING and value.origin is None \
        and issubclass(complex, classes) and not issubclass(float, classes)


def is_of_none(value: Abstract, classes: Any) -> bool:
    """Whether a value is an object of none of these classes for certain: a number, an array, or one of them or None,
    whichever, where the classes are others."""
    if isinstance(value, Opaque) and value.besides is None or not isinstance(value, (Numeric, Opaque)):
        return False
    parts = classes if isinstance(classes, tuple) else typing.get_args(classes)
    if parts:
        return all(is_of_none(value, part) for part in parts)
    return not any(issubclass(kind, classes) or issubclass(classes, kind) for kind in OF_NUMBERS)


def is_class(kind: Any) -> bool:
    """Whether something is a class that is equal to itself alone, and a subclass of those that it is derived from."""
    return isinstance(kind, type) and type(kind).__eq__ is type.__eq__ \
        and type(kind).__subclasscheck__ in (type.__subclasscheck__, abc.ABCMeta.__subclasscheck__)


def classes_compared(operator: gast.AST, left: Abstract, right: Abstract) -> bool | None:
    """The outcome of a comparison of known classes, ``is``, ``==`` or ``in``; None for all else."""
    kind, other = known_value(left), known_value(right)
    if not is_class(kind):
        return None
    if isinstance(operator, (gast.In, gast.NotIn)):
        found = kind in other if type(other) in (tuple, list) and all(map(is_class, other)) else None
    else:
        found = kind is other if is_class(other) else None
    return None if found is None else found is isinstance(operator, (gast.Is, gast.Eq, gast.In))


def may_change_class(value: Any) -> bool:
    """Whether something that is known by its identity may get another class: an object of a class that was written in
    Python may, and members of an enumeration don't."""
    return bool(type(value).__flags__ & HEAP_TYPE) and not isinstance(value, enum.Enum)


@functools.lru_cache(maxsize=256)
def indexed_attribute(function: Any) -> str | None:
    """The attribute that a method gives the items of, and nothing else, ``return self.rows[i]``; None for others."""
    try:
        tree = locate(function).node
    except SourceError:
        return None
    match tree:
        case ast.FunctionDef(args=ast.arguments(args=[ast.arg(arg=own), ast.arg(arg=index)]), decorator_list=[], body=[
                *_, ast.Return(value=ast.Subscript(
                    value=ast.Attribute(value=ast.Name(id=whole), attr=label), slice=ast.Name(id=place)))]):
            documented = len(tree.body) == 1 or len(tree.body) == 2 and ast.get_docstring(tree) is not None
            return label if documented and (whole, place) == (own, index) and own != index else None
    return None
