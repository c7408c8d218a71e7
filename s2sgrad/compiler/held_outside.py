"""What outer variables of a function hold while it is compiled."""
from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Any

import gast

from s2sgrad.compiler.objects import found_in
from s2sgrad.containers import is_computed, is_instance
from s2sgrad.rules.abstract import MISSING
from s2sgrad.signature import place_of

NONE: Mapping[str, Any] = types.MappingProxyType({})


def held(node: Any, function: types.FunctionType, known: Mapping[str, Any] = NONE) -> Any:
    """What an outer variable, or an attribute or item of what it holds, is now; MISSING where that is not known.
    ``known``: objects from outside that have names inside."""
    if isinstance(node, gast.Name) and node.id in known:
        return known[node.id]
    if isinstance(node, gast.Name):
        try:
            return place_of(function, node.id).read()
        except (NameError, AttributeError):
            return MISSING
    if isinstance(node, gast.Attribute):
        outer = held(node.value, function, known)
        plain = isinstance(outer, types.ModuleType) or has_plain(outer, node.attr, "__getattribute__")
        return getattr(outer, node.attr, MISSING) if plain else MISSING
    if isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Constant):
        outer = held(node.value, function, known)
        return dict.get(outer, node.slice.value, MISSING) if isinstance(outer, dict) else MISSING
    return MISSING


def is_function_or_class(node: Any, function: types.FunctionType) -> bool:
    """Whether a name stands for a function or a class outside: attributes of one may change while it is called."""
    return isinstance(node, gast.Name) and isinstance(held(node, function), (types.FunctionType, type))


def has_plain(value: Any, attribute: str, method: str) -> bool:
    """Whether reading or setting an attribute of an object, a class or a function runs no code of the user's."""
    if isinstance(value, type):
        found = found_in(value, attribute)
        bound = not isinstance(found, (types.FunctionType, staticmethod, classmethod)) and any(
            hasattr(type(found), each) for each in ("__get__", "__set__"))
        return not bound and not is_computed(type(value), attribute) \
            and found_in(type(value), method) == getattr(type, method)
    return is_instance(value) and not is_computed(type(value), attribute) and found_in(type(value), method) in (
        getattr(object, method), getattr(types.SimpleNamespace, method)) or isinstance(value, types.FunctionType)
