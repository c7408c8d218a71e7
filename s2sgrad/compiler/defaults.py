"""What library functions call their positional arguments, and what they take those to be that a call leaves out."""
from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Iterable
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.program import Program
from s2sgrad.containers import in_library
from s2sgrad.rules.abstract import MISSING
from s2sgrad.rules.table import Member, Rule

UFUNC = {"out": None, "where": True, "casting": "same_kind", "order": "K", "dtype": None, "subok": True}
COMPILED: dict[Any, dict[str, Any]] = {
    np.array: {"copy": True, "order": "K", "subok": False, "ndmin": 0, "like": None},
    np.asarray: {"order": None, "copy": None, "device": None, "like": None},
    np.asanyarray: {"order": None, "copy": None, "device": None, "like": None},
    np.ascontiguousarray: {"like": None},
    np.asfortranarray: {"like": None},
}
"""The defaults of functions that have no signature in every supported NumPy."""
IDLE: dict[str, Any] = {"device": ("cpu",), "subok": (True, False), "workers": range(-64, 1025)}
"""What may be given besides for parameters that decide nothing: arrays are on the processor, and of no class of their
own."""
PLACED: dict[str, dict[str, Any]] = {
    "accumulate": {"a": MISSING, "axis": 0, "dtype": None, "out": None},
    "astype": {"a": MISSING, "dtype": MISSING, "order": "K", "casting": "unsafe", "subok": True, "copy": True},
    "choose": {"a": MISSING, "choices": MISSING, "out": None, "mode": "raise"},
    "clip": {"a": MISSING, "min": None, "max": None, "out": None},
    "compress": {"a": MISSING, "condition": MISSING, "axis": None, "out": None},
    "concatenate": {"arrays": MISSING, "axis": 0, "out": None, "dtype": None, "casting": "same_kind"},
    "dot": {"a": MISSING, "b": MISSING, "out": None},
    "reduce": {"a": MISSING, "axis": 0, "dtype": None, "out": None, "keepdims": False, "initial": MISSING,
               "where": True},
    "reduceat": {"a": MISSING, "indices": MISSING, "axis": 0, "dtype": None, "out": None},
}
"""By name the parameters of others, of methods of arrays and of ufuncs."""


def by_name(node: gast.Call, function: Any, rule: Rule | None, others: Iterable[str] = (), bound: int = 0
            ) -> gast.Call | None:
    """A call that names those of its arguments which the function takes by their place and the rule does not, or by
    which (``others``) it becomes another function, and gives those by their place to which the rule gives another name;
    None where there are none such, and of the user's own functions, which nothing here is to keep. ``bound``: how many
    arguments stand before it, as the array of a method does."""
    if isinstance(function, types.FunctionType) and not in_library(function.__module__):
        return None
    names = places(function)
    args, keywords = list(node.args), list(node.keywords)
    if any(isinstance(item, gast.Starred) for item in args) or any(item.arg is None for item in keywords):
        return None
    if rule is not None and any(item.arg in names[:rule.places_taken] and item.arg not in rule.names_taken
                                for item in keywords):
        known = {item.arg: item for item in keywords}
        plain = not any(isinstance(part, gast.Call) for item in keywords for part in gast.walk(item))
        while bound + len(args) < len(names) and names[bound + len(args)] in known:
            item = known[names[bound + len(args)]]
            if not plain and item is not keywords[0]:  # what is written first is evaluated first
                return None
            args.append(item.value)
            keywords.remove(item)
    taken = min([sys.maxsize if rule is None else rule.places_taken, *map(names.index, {*others}.intersection(names))])
    if taken < bound + len(args) <= len(names):
        more = [gast.keyword(label, item) for label, item in zip(names[taken:], args[taken - bound:])
                if not is_default(function, label, getattr(item, "value", MISSING))]
        args, keywords = args[:taken - bound], [*more, *keywords]
    return gast.Call(node.func, args, keywords) if len(args) != len(node.args) else None


def is_default(function: Any, parameter: str, value: Any) -> bool:
    """Whether a function gets by name what it takes that parameter to be anyway, or what makes no difference to arrays;
    ``value`` is MISSING if not known."""
    if value is MISSING:
        return False
    if parameter in IDLE and value in IDLE[parameter] and in_library(getattr(function, "__module__", None) or ""):
        return True
    default = defaults(function).get(parameter, MISSING)
    return value is default or isinstance(value, (bool, int, str)) and type(value) is type(default) \
        and value == default


@functools.lru_cache(maxsize=1000)
def defaults(function: Any) -> dict[str, Any]:
    """The defaults of a function's parameters, by their names."""
    if isinstance(function, np.ufunc):
        return UFUNC
    if function in COMPILED:
        return COMPILED[function]
    return placed(function) or {each.name: each.default for each in parameters_of(function)
                                if each.default is not each.empty}


def of_shared(program: Program, label: str) -> tuple[str, str] | None:
    """Why a call can't change the list or dict that a parameter of the user's has for its default, and what to do;
    None of what is none."""
    known = inspect.signature(program.owner).parameters if label in program.parameters and program.owner else {}
    default = known[label].default if label in known else None
    kind = next((kind.__name__ for kind in (list, dict) if isinstance(default, kind)), None)
    return None if kind is None else (
        f"this changes {label}, which may be the {kind} that is its default, one for all calls",
        f"pass one, or change a {kind} of the module by its name")


@functools.lru_cache(maxsize=1000)
def places(function: Any) -> tuple[str, ...]:
    """The names of a function's positional parameters, as far as they are known."""
    return tuple(placed(function) or [each.name for each in parameters_of(function) if each.kind in (
        each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)])


def placed(function: Any) -> dict[str, Any]:
    label = function.name if isinstance(function, Member) else getattr(function, "__name__", "")
    own = isinstance(function, Member) or isinstance(getattr(function, "__self__", None), np.ufunc)
    return PLACED.get(label, {}) if own or function in (np.concatenate, np.dot) else {}


@functools.lru_cache(maxsize=1000)
def parameters_of(function: Any) -> list[inspect.Parameter]:
    try:
        return [] if isinstance(function, Member) else list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # some that are compiled have no signature
        return []
