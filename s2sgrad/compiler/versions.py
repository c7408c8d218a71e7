"""Tests that ask for the version of a library or of Python: ``np.__version__ >= "2"``.

Their outcome is known before the call, so that what is written for other versions is not looked at: it may name
functions that this one lacks.
"""
from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import gast

from s2sgrad.compiler.unparse import unparse
from s2sgrad.containers import in_library
from s2sgrad.rules.abstract import Abstract, known_value

VERSIONS = {"__version__", "version_info"}
PURE = (int, float, str, tuple, list, map, len)
PARSERS = {"numpy.lib", "numpy.lib._version", "packaging.version"}
"""The modules of classes that versions are compared by."""


def asks_for_version(test: gast.Compare) -> bool:
    return not isinstance(test.left, (gast.Name, gast.Constant, gast.BinOp)) and any(
        isinstance(part, gast.Attribute) and part.attr in VERSIONS for part in gast.walk(test))


def outcome(test: gast.Compare, value_of: Callable[[gast.AST], Abstract]) -> bool | None:
    """What a test that asks for a version gives; None where it computes with anything else. ``value_of`` gives what is
    known of an expression."""
    bound = {part.id for part in gast.walk(test) if isinstance(part, gast.Name) and isinstance(part.ctx, gast.Store)}
    known: dict[str, Any] = {}
    for part in gast.walk(test):
        if isinstance(part, gast.Name) and part.id not in bound:
            known[part.id] = known_value(value_of(part))
            if not is_constant(known[part.id]):
                return None
        elif isinstance(part, (gast.NamedExpr, gast.Lambda)):
            return None
    try:
        return bool(eval(unparse(test), {**known, "__builtins__": {}}))
    except Exception:  # what it raises, it raises where the test is made
        return None


def is_constant(value: Any) -> bool:
    """Whether a name stands for a library, or for what computes with versions and does nothing else."""
    if isinstance(value, types.ModuleType):
        return in_library(value.__name__) or value.__name__ == "packaging.version"
    return any(value is function for function in PURE) or getattr(value, "__module__", None) in PARSERS
