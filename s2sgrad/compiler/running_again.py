"""Whether a function does the same when it is run again, and nobody notices: what is not saved is computed anew."""
from __future__ import annotations

import ast
import types
from collections import deque
from collections.abc import Iterator
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.effects import MUTATING_METHODS
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.locate import locate
from s2sgrad.compiler.nodes import walk
from s2sgrad.compiler.outer_changes import is_noticed, kept_in, unnamed_in
from s2sgrad.compiler.program import Define, expressions_in, statements
from s2sgrad.containers import DICTS, has_quiet_hash, in_library, is_instance
from s2sgrad.errors import SourceError
from s2sgrad.rules.abstract import KEY, MISSING, Abstract, Function, Items, Known, Numeric, known_value
from s2sgrad.rules.table import RULES
from s2sgrad.runtime import shuffled_places
from s2sgrad.signature import place_of

CHANGELESS = frozenset((
    len, range, zip, enumerate, reversed, sorted, min, max, sum, any, all, abs, divmod, pow, round, isinstance, type,
    repr, int, float, complex, bool, str, list, tuple, set, frozenset, slice, deque, *DICTS))
"""What gives the same whenever its arguments are the same, and does nothing else."""
VALUES = (np.ndarray, np.float64, list, tuple, set, str, deque, *DICTS)
"""What methods are called of, where there is but a text: those that any of these has, or an object that was met."""
HOMES = ("math", "cmath", "itertools", "operator")
"""Modules of which that is true of everything."""
WRITTEN = "s2sgrad.written"
"""The module of functions that are written around the user's."""


def involved(derivative: Any) -> list:
    """A function's derivative, and those of the functions that it calls, as far as these are known by now."""
    found = [derivative]
    for inner in found:
        found += [called.derivative for called in (inner.facts.callees.values() if inner.is_known else ())
                  if called.derivative not in found]
    return found


def runs_alike(derivative: Any, seen: tuple = ()) -> Any:
    """The place of something in a function, or in one that it calls, that may do something else when it is run again,
    or be noticed; None where there is nothing."""
    if not derivative.is_known:
        return derivative.program.location
    facts, program = derivative.facts, derivative.program
    if program.bound or facts.noted or any(kept_in(function) for function, _ in facts.kept):
        return program.location
    for called in facts.callees.values():
        if called.remembered and not called.active:
            return called.location
        other = called.derivative
        if other.program not in seen:
            place = runs_alike(other, (*seen, program, other.program))
            if place is not None:
                return place
    kinds = kinds_met(facts)
    inner = {target for statement in statements(program.body) if isinstance(statement, Define)
             for target in statement.targets}
    inner |= {version.name for version in (*facts.parameters.values(), *facts.defined.values())
              if (reads_alike(version.value.syntax, version.value.owner, inner, kinds)
                  if isinstance(version.value, Function)
                  else isinstance(version.value, Known) and callable(version.value.value)
                  and is_changeless(version.value.value, kinds))}
    for statement in statements(program.body):
        for node in expressions_in(statement):
            functions = [node] if isinstance(statement, Define) else [
                part for part in walk(node) if isinstance(part, gast.Lambda)]
            inside = {id(part) for each in functions for part in walk(each)}
            if not all(reads_alike(each, program.owner, inner, kinds) for each in functions) or not all(
                    gives_the_same(part, facts, inner, kinds, program.owner) for part in walk(node)
                    if isinstance(part, gast.Call) and id(part) not in inside):
                return statement.location
    known = all(isinstance(version.value, (Known, Numeric, Items, Function)) for version in facts.captured.values())
    # what Python calls unnamed, too, such as the methods of a manager; of a function defined inside its owner does more
    own = [program.owner] if derivative.definition.syntax is None else []
    noticed = map(is_noticed, (*own, *(method for kind in kinds for method in unnamed_in(kind))))
    return None if known and not any(noticed) else program.location


def kinds_met(facts: Facts) -> frozenset[type]:
    """The classes of a function's objects, whose methods the functions that it calls may call."""
    versions = (*facts.parameters.values(), *facts.captured.values(), *facts.defined.values())
    return frozenset(type(value.value) if isinstance(value, Known) else value.kind
                     for version in versions for value in with_all_parts(version.value)
                     if isinstance(value, Known) and is_instance(value.value)
                     or isinstance(value, Items) and value.is_object)


def with_all_parts(value: Abstract | None) -> Iterator[Abstract]:
    if value is not None:
        yield value
    if isinstance(value, Items):
        for part in value.items if value.items is not None else (value.element,):
            yield from with_all_parts(part)


def gives_the_same(node: gast.Call, facts: Facts, inner: set[str], kinds: frozenset[type], owner: Any = None) -> bool:
    """Whether a call gives the same, and does nothing else, whenever its arguments are the same. ``inner``: the names
    of functions that were looked at; ``kinds``: the classes of the objects that there are; ``owner``: the function
    that the call stands in, if that is known."""
    key = id(node)
    if key in facts.applied or key in facts.calls or key in facts.callees or key in facts.displays:
        return True
    if isinstance(node.func, gast.Attribute):
        base = facts.values.get(id(node.func.value))
        if isinstance(base, (Numeric, Items)):
            return not (isinstance(base, Items) and base.is_object)
        if isinstance(known_value(base), (str, bytes)) or base == KEY:
            return True
    function = facts.values.get(id(node.func))
    if function is None and owner is not None:  # in a comprehension that is looked into as another one
        return calls_alike(node.func, owner, kinds, ())
    if isinstance(function, Function):
        return reads_alike(function.syntax, function.owner, inner, kinds)
    return is_changeless(known_value(function), kinds)


def is_of_the_user(function: Abstract | None) -> bool:
    """Whether a function was written by the user, and does what its text says."""
    known = known_value(function)
    known = known.__func__ if isinstance(known, types.MethodType) else known
    return isinstance(function, Function) or isinstance(known, types.FunctionType) and known.__module__ != WRITTEN \
        and not in_library(known.__module__ or "")


def is_changeless(function: Any, kinds: frozenset[type], seen: tuple = ()) -> bool:
    """Whether a function gives the same whenever its arguments are the same, and does nothing else."""
    if function is MISSING or function is shuffled_places or not has_quiet_hash(function):
        return False
    if function in RULES or function in CHANGELESS:
        return True
    home = getattr(function, "__module__", None) or ""
    if home in HOMES or isinstance(function, np.ufunc):
        return True
    if isinstance(function, types.FunctionType) and (home == WRITTEN or not in_library(home)):
        return function in seen or not kept_in(function) and is_read_alike(function, kinds, (*seen, function))
    if home.split(".")[0] == "s2sgrad":
        return True
    return home.split(".")[0] == "numpy" and "random" not in home \
        or isinstance(function, type) and issubclass(function, Exception)


# ---- functions that are called by what stays as it is, of which there is the text alone

def is_read_alike(function: types.FunctionType, kinds: frozenset[type], seen: tuple) -> bool:
    try:
        node = locate(function).node
    except SourceError:
        return False
    return reads_alike(node, function, set(), kinds, seen)


def reads_alike(node: Any, function: Any, inner: set[str], kinds: frozenset[type], seen: tuple = ()) -> bool:
    """The same of the text of a function, which is ``function`` or defined inside of that."""
    parts: list[Any] = list(ast.walk(node))
    outer = (outer_value(part, function) for part in parts if type(part).__name__ == "Name")
    kinds = kinds.union(type(value) for value in outer if is_instance(value))
    own = {part.name for part in parts if type(part).__name__ == "FunctionDef"} | inner
    for part in parts:
        kind = type(part).__name__
        if kind == "Global":
            return False
        if kind in ("Attribute", "Subscript") and type(part.ctx).__name__ in ("Store", "Del"):
            if outer_value(part.value, function) is not MISSING:
                return False
        if kind == "Call" and not (type(part.func).__name__ == "Name" and part.func.id in own) and not calls_alike(
                part.func, function, kinds, seen):
            return False
    return True


def calls_alike(node: Any, function: Any, kinds: frozenset[type], seen: tuple) -> bool:
    """The same of what a call in a text calls."""
    called = outer_value(node, function)
    if called is not MISSING:
        return is_changeless(called, kinds, seen)
    if type(node).__name__ != "Attribute":
        return False
    base = outer_value(node.value, function)
    if base is not MISSING:
        return type(base) in VALUES and hasattr(base, node.attr) and node.attr not in MUTATING_METHODS
    methods = [getattr(kind, node.attr) for kind in kinds if hasattr(kind, node.attr)]
    return (bool(methods) or any(hasattr(kind, node.attr) for kind in VALUES)) and all(
        isinstance(method, types.FunctionType) and is_changeless(method, kinds, seen) for method in methods)


def outer_value(node: Any, function: Any) -> Any:
    """What a name, or an attribute of a module, stands for outside of a function; MISSING for all else."""
    if type(node).__name__ == "Name":
        if node.id in function.__code__.co_varnames or node.id in function.__code__.co_cellvars:
            return MISSING
        try:
            return place_of(function, node.id).read()
        except (NameError, AttributeError):
            return MISSING
    if type(node).__name__ == "Attribute":
        module = outer_value(node.value, function)
        return getattr(module, node.attr, MISSING) if isinstance(module, types.ModuleType) else MISSING
    return MISSING
