"""What a callable object calls in the end, and the arguments that it adds: bound methods, partials, callable objects.

A call of one is looked at as the call that it makes: ``model.predict(x)`` as ``model.predict.__func__(model, x)``,
``scaled(x)`` of a ``functools.partial`` as ``scaled.func(scaled.args[0], x)``.
"""
from __future__ import annotations

import functools
import inspect
import types
from dataclasses import field
from typing import Any

from s2sgrad.containers import in_library, is_dataclass, is_instance
from s2sgrad.errors import Location, UnsupportedError
from s2sgrad.frozen import frozen
from s2sgrad.gradients import Gradient
from s2sgrad.marking import Marked
from s2sgrad.rules.abstract import MISSING
from s2sgrad.rules.table import rule_for

CACHED = type(functools.lru_cache(lambda: None))
INNER = {types.MethodType: ("__func__", "__self__"), functools.partial: ("func", "args", "keywords"),
         CACHED: ("__wrapped__",), Marked: ("__wrapped__",), staticmethod: ("__func__",)}
"""The attributes of callables that are made of others."""


lacking: set[Any] = set()
"""What was found not to have something that it may get between calls, since this was last cleared under ``COMPILING``:
classes a name, functions of ``functools.singledispatch`` one for a class, partial functions a keyword."""


@frozen
class Target:
    """What a callable calls.

    Attributes
    ----------
    function
        A Python function, or something with a rule; or what nobody can look into.
    steps
        How it is reached from the callable: names of attributes.
    positional, keywords
        The arguments that are added to those of the call: the steps that lead to each, where a tuple holds an index,
        and its value.
    """

    function: Any
    steps: tuple[str, ...] = ()
    positional: tuple[tuple[tuple, Any], ...] = ()
    keywords: dict[str, tuple[tuple, Any]] = field(default_factory=dict)


def target_of(function: Any) -> Target:
    steps: tuple[str, ...] = ()
    positional: tuple = ()
    keywords: dict[str, tuple[tuple, Any]] = {}
    step: tuple[str, ...]
    while rule_for(function) is None and not is_gradient(function):
        if isinstance(function, types.MethodType):
            positional = (((*steps, "__self__"), function.__self__), *positional)
            function, step = function.__func__, ("__func__",)
        elif type(function) is functools.partial:
            lacking.add(function)
            added = tuple(((*steps, "args", (index,)), value) for index, value in enumerate(function.args))
            positional = (*added, *positional)
            keywords = {**{key: ((*steps, "keywords", (key,)), value) for key, value in function.keywords.items()},
                        **keywords}
            function, step = function.func, ("func",)
        elif type(function) in (CACHED, Marked, staticmethod):
            step = INNER[type(function)]
            function = getattr(function, step[0])
        elif is_compiled(function):
            function, step = function.py_func, ("py_func",)
        elif is_instance(function) and callable(function) and isinstance(
                type(function).__call__, types.FunctionType | Marked):
            positional = ((steps, function), *positional)
            function, step = type(function).__call__, ("__call__", "__func__")
        else:
            break
        steps = (*steps, *step)
    return Target(function, steps, positional, keywords)


def is_gradient(function: Any) -> bool:
    """Whether a function was made by ``grad`` and its kin; what wraps one, as its Jacobian does, has its attributes,
    too."""
    return isinstance(function, Gradient)


def is_compiled(function: Any) -> bool:
    """Whether a function was made of a Python function by Numba, which keeps it."""
    return str(type(function).__module__).split(".")[0] == "numba" and isinstance(
        getattr(function, "py_func", None), types.FunctionType)


def inner_attribute(value: Any, attribute: str) -> Any:
    """What a callable that is made of another holds under that name; MISSING for anything else."""
    if attribute in INNER.get(type(value), ()) or attribute == "py_func" and is_compiled(value):
        return getattr(value, attribute)
    return MISSING


def method_with_rule(value: Any, attribute: str) -> Any:
    """A method of an object that the table has a line for, such as ``scipy.stats.norm.logpdf``; None for others."""
    function = inspect.getattr_static(type(value), attribute, None)
    if not isinstance(function, types.FunctionType):
        return None
    method = types.MethodType(function, value)
    return method if rule_for(method) is not None else None


def is_stored(value: Any, attribute: str) -> bool:
    """Whether an attribute of an object or class of the user's is there to be read, or is a method: reading it runs no
    code of the user's."""
    if isinstance(value, type):
        if in_library(value.__module__) or type(value).__getattribute__ is not type.__getattribute__ \
                or hasattr(type(value), "__getattr__"):
            return False
    elif not is_instance(value) or type(value).__getattribute__ is not object.__getattribute__ \
            and type(value) is not types.SimpleNamespace:
        return False
    found = inspect.getattr_static(value, attribute, MISSING)
    if found is MISSING:
        return False
    if not isinstance(value, type) and found is getattr(value, "__dict__", {}).get(attribute, MISSING):
        return True
    plain = types.FunctionType, Marked, staticmethod, classmethod, types.MemberDescriptorType
    return isinstance(found, plain) or not hasattr(type(found), "__get__")


def not_found(kind: type, label: str, location: Location) -> UnsupportedError:
    """What is said of an attribute, or a method, that the objects of a class are not known to have."""
    found = inspect.getattr_static(kind, label, None)
    if found is None:
        remedy = f"make it a field of the dataclass: {label}: float = field(init=False)" if is_dataclass(kind) else \
            f"set self.{label} in its __init__, to something that this line can take"
        return UnsupportedError(f"an object of {kind.__name__} comes here, of which no attribute {label} is known",
                                remedy, location)
    if type(found) is CACHED:
        return UnsupportedError(f"the method {label} of {kind.__name__} remembers what it gave, which is not followed "
                                "where the object is differentiated", "leave functools.lru_cache out", location)
    return UnsupportedError(f"{label} of {kind.__name__} is a {type(found).__name__}, which is not followed where the "
                            "object is differentiated", "make it a plain method", location)
