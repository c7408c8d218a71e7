"""Whether a function that is called with passive arguments may write into them.

Such a call is kept as it stands, so nobody looks into it; but what it writes into may be saved by reference. Python
functions are read: a store, an in-place operator or a mutating method on a parameter, or on something that was got
from one by a name, an index or an attribute, counts as writing; so does a call of a function that writes. Compiled
functions are taken at their word: those that are made for writing are listed.
"""
from __future__ import annotations

import ast
import builtins
import inspect
import types
import weakref
from typing import Any

import gast
import numpy as np

from s2sgrad import runtime
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.program import Leave, walk
from s2sgrad.compiler.unreadable import read_or_feared
from s2sgrad.containers import in_library, is_instance
from s2sgrad.rules.abstract import Abstract, Function, Items, Known, Numeric, is_key
from s2sgrad.rules.table import METHODS, RULES, rule_for

MUTATING_METHODS = {
    "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault", "popitem", "add",
    "discard", "fill", "put", "itemset", "resize", "partition", "setflags", "setfield", "byteswap",
}
WRITERS = {
    np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis, setattr, delattr,
}
TELLING = (str, repr, ascii, format, print, id, hash, type, callable, np.array2string, np.array_repr, np.array_str,
           np.format_float_positional, np.format_float_scientific, np.shares_memory, np.may_share_memory, np.can_cast,
           np.min_scalar_type)
"""What tells of its arguments what has no derivative: a text, an identity, a class."""
NEW = (len, range, float, int, bool, abs, round, isinstance, runtime.structured, runtime.handed_back,
       runtime.taken_along, runtime.zeros_of, runtime.zero_tangent, *TELLING)
"""What gives nothing of its arguments."""

_known: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
"""By function: equal code may call other functions in another module."""
_assumed: list[types.FunctionType] = []
"""Functions that count as harmless while one of them is looked into: recursion adds nothing."""


def may_write(function: Any) -> bool:
    """Whether a call of the function may change one of its arguments."""
    try:
        if function in WRITERS:
            return True
    except TypeError:
        return False
    if isinstance(function, types.BuiltinFunctionType) and isinstance(function.__self__, np.ufunc):
        return function.__name__ == "at"
    if getattr(function, "__name__", "") == "shuffle" and is_library(type(getattr(function, "__self__", None))):
        return True  # of some generator of random numbers; np.random isn't mentioned, for that would import it
    if isinstance(function, types.MethodType):
        function = function.__func__
    if not isinstance(function, types.FunctionType) or is_library(function):
        return False
    if function in _known:
        return _known[function]
    return function not in _assumed and _looked_into(function)


def _looked_into(function: types.FunctionType) -> bool:
    place = len(_assumed)
    _assumed.append(function)
    try:
        writes = _writes(function)
    except BaseException:
        del _assumed[place:]
        raise
    if writes:  # what was found harmless meanwhile may have been found so because this one was assumed to be
        _known[function] = True
        del _assumed[place:]
    elif place == 0:
        _known.update(dict.fromkeys(_assumed, False))
        _assumed.clear()
    return writes


def has_effect(node: gast.AST, facts: Facts) -> bool:
    """Whether evaluating a passive expression later than written might be noticed."""
    for inner in walk(node):
        if isinstance(inner, gast.Call) and id(inner) not in facts.applied and id(inner) not in facts.displays:
            function = facts.values.get(id(inner.func))
            try:
                if not (isinstance(function, Known) and (function.value in RULES or function.value is range)) \
                        and not is_text_of_number(inner, function, facts):
                    return True
            except TypeError:
                return True
    return False


def is_text_of_number(node: gast.Call, function: Any, facts: Facts) -> bool:
    """Whether this is ``str(i)`` of a number or a text, which nobody can change."""
    given = [facts.values.get(id(item)) for item in node.args]
    return isinstance(function, Known) and function.value is str and not node.keywords and all(
        isinstance(value, Numeric) and value.is_number or value is not None and is_key(value) for value in given)


def calls_more(node: gast.AST, facts: Facts) -> bool:
    """Whether an expression whose value is known calls a function of the user's that does more than to return
    something, so that it must be evaluated all the same."""
    for inner in walk(node):
        if not isinstance(inner, gast.Call):
            continue
        called = facts.callees.get(id(inner))
        if called is None:
            function = facts.values.get(id(inner.func))
            known = getattr(function, "value", None)
            known = known.__func__ if isinstance(known, types.MethodType) else known
            if isinstance(function, Function) or isinstance(known, types.FunctionType) and not is_library(known):
                return True
            continue
        body = called.derivative.program.body
        if not (len(body) == 1 and isinstance(body[0], Leave) and body[0].value is not None) \
                or calls_more(body[0].value, called.derivative.facts):
            return True
    return False


def functions_in(value: Abstract) -> list[Function]:
    """The functions that take names from around them and that a value is, or holds."""
    if isinstance(value, Items):
        parts = value.items if value.items is not None else (value.element,)
        return [found for part in parts for found in functions_in(part)]
    return [value] if isinstance(value, Function) and value.homes else []


EQUIVALENTS = "s2sgrad.compiler.equivalents"
"""The module of ours whose functions stand for others': what they give of what stays is seen from their source."""
HEAPS = "s2sgrad.compiler.heaps"
"""A module of ours whose functions are like the user's: they write into what they get."""


def is_library(function: types.FunctionType) -> bool:
    """Whether a function belongs to a library whose source is not read."""
    return in_library(function.__module__ or "") and function.__module__ != HEAPS


def _writes(function: types.FunctionType) -> bool:
    node = read_or_feared(function, MUTATING_METHODS)
    return changes(node, _parameters(node), function)


def writes_besides_object(method: types.FunctionType) -> bool:
    """Whether a method may write into something that it gets besides its object."""
    node = read_or_feared(method, MUTATING_METHODS)
    return changes(node, _parameters(node) - {method.__code__.co_varnames[0]}, method)


def _parameters(node: Any) -> set[str]:
    spec = node.args
    stars = {item.arg for item in (spec.vararg, spec.kwarg) if item is not None}
    return stars | {item.arg for item in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}


def changes(node: Any, shared: set[str], function: types.FunctionType, outputs: bool = True) -> bool:
    """Whether a function writes into what some names stand for, or into what is got from them. ``outputs``: whatever
    ``out=`` names counts as such."""
    body = node.body if isinstance(node.body, list) else [node.body]
    inner = [part for statement in body for part in ast.walk(statement)]
    bound = [pair for part in inner for pair in _bindings(part)]
    held: set[str] = set()  # names of what has something of it put into it, and is none of it
    known = -1
    while known < len(shared) + len(held):  # names got from parameters, in any order of the text
        known = len(shared) + len(held)
        for targets, value in bound:
            if _reaches(value, shared | held, function):
                for target in targets:
                    (held if isinstance(target, (ast.Subscript, ast.Attribute)) else shared).update(
                        name.id for name in ast.walk(target) if isinstance(name, ast.Name))

    def within(container: ast.AST) -> set[str]:
        """What a change of a container might be one of: not of what it only holds."""
        return shared if isinstance(container, ast.Name) else shared | held

    for part in inner:
        if isinstance(part, (ast.Subscript, ast.Attribute)) and isinstance(part.ctx, (ast.Store, ast.Del)):
            if _reaches(part.value, within(part.value), function):
                return True
        elif isinstance(part, ast.AugAssign):
            if _reaches(part.target, shared | held, function):
                return True
        elif isinstance(part, ast.Call):
            if any(item.arg == "out" and (outputs or _reaches(item.value, shared | held, function))
                   for item in part.keywords):
                return True
            if isinstance(part.func, ast.Attribute) and part.func.attr in MUTATING_METHODS \
                    and _reaches(part.func.value, within(part.func.value), function):
                return True
            called = _resolved(part.func, function)
            ends = called is not None and hasattr(called, "__del__")  # an object of this class may write when it goes
            if (ends or called is not None and may_write(called)) and any(
                    _reaches(item, shared | held, function)
                    for item in (*part.args, *(k.value for k in part.keywords))):
                return True
    return False


def _bindings(part: ast.AST) -> list[tuple[list, ast.AST]]:
    """The targets that a part of a function binds, each with what it binds them to or to parts of."""
    if isinstance(part, ast.Assign):
        return [(part.targets, part.value)]
    if isinstance(part, (ast.NamedExpr, ast.AnnAssign)) and part.value is not None:
        return [([part.target], part.value)]
    if isinstance(part, (ast.For, ast.comprehension)):
        return [([part.target], part.iter)]
    if isinstance(part, ast.With):
        return [([item.optional_vars], item.context_expr) for item in part.items if item.optional_vars is not None]
    return []


def _reaches(node: ast.AST, shared: set[str], function: types.FunctionType) -> bool:
    """Whether an expression's value may be, or hold, memory of one of the names."""
    if isinstance(node, ast.Name):
        return node.id in shared
    if isinstance(node, (ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.JoinedStr, ast.Lambda)):
        return False
    if isinstance(node, ast.Call):
        called = _resolved(node.func, function)
        method = METHODS.get(node.func.attr) if isinstance(node.func, ast.Attribute) and called is None else None
        rule = method if method is not None else rule_for(called)
        if rule is not None and rule.sharing == "fresh" or any(called is known for known in NEW):
            return False
    return any(_reaches(child, shared, function) for child in ast.iter_child_nodes(node)
               if isinstance(child, (ast.expr, ast.keyword)))


def _resolved(node: ast.AST, function: types.FunctionType) -> Any:
    """The object that a dotted name from outside a function refers to; None where it is something else."""
    if isinstance(node, ast.Attribute):
        value = _resolved(node.value, function)
        if isinstance(value, types.ModuleType) or node.attr == "at":
            return getattr(value, node.attr, None)
        found = inspect.getattr_static(type(value), node.attr, None) if is_instance(value) else None
        return found if isinstance(found, types.FunctionType) else None
    if not isinstance(node, ast.Name) or node.id in function.__code__.co_varnames:
        return None
    if node.id in function.__code__.co_freevars and function.__closure__ is not None:
        cell = function.__closure__[function.__code__.co_freevars.index(node.id)]
        try:
            return cell.cell_contents
        except ValueError:
            return None
    return function.__globals__.get(node.id, getattr(builtins, node.id, None))
