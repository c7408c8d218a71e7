"""What library functions take an argument to be that a call leaves out: giving it this changes nothing."""
from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np

from s2sgrad.rules.abstract import MISSING

UFUNC = {"out": None, "where": True, "casting": "same_kind", "order": "K", "dtype": None, "subok": True}
COMPILED: dict[Any, dict[str, Any]] = {
    np.array: {"copy": True, "order": "K", "subok": False, "ndmin": 0, "like": None},
    np.asarray: {"order": None, "copy": None, "device": None, "like": None},
    np.asanyarray: {"order": None, "copy": None, "device": None, "like": None},
    np.ascontiguousarray: {"like": None},
    np.asfortranarray: {"like": None},
}
"""The defaults of functions that have no signature in every supported NumPy."""


def is_default(function: Any, parameter: str, value: Any) -> bool:
    """Whether a function gets by name what it takes that parameter to be anyway; ``value`` is MISSING if not known."""
    if value is MISSING:
        return False
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
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return {}
    return {each.name: each.default for each in parameters if each.default is not each.empty}
