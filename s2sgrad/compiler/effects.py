"""Whether a function that is called with passive arguments may write into them.

Such a call is kept as it stands, so nobody looks into it; but what it writes into may be saved by reference. Python
functions are read: a store, an in-place operator or a mutating method on a parameter, or on something that was got
from one by a name, an index or an attribute, counts as writing; so does a call of a function that writes. Compiled
functions are taken at their word: those that are made for writing are listed.
"""
from __future__ import annotations

import ast
import bisect
import builtins
import functools
import heapq
import inspect
import operator
import sys
import types
import weakref
from typing import Any

import gast
import numpy as np

from s2sgrad import runtime
from s2sgrad.compiler.defaults import places
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.nodes import ordered_children, walk
from s2sgrad.compiler.program import Leave
from s2sgrad.compiler.unreadable import read_or_feared
from s2sgrad.containers import has_quiet_hash, in_library, is_instance, plainly
from s2sgrad.rules.abstract import Abstract, Function, Items, Known, Numeric, is_key, is_nothing, items_of
from s2sgrad.rules.table import METHODS, RULES, Rule, rule_for

IN_PLACE = ("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift")
MUTATING_METHODS = {
    "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault", "popitem", "add",
    "discard", "appendleft", "extendleft", "popleft", "rotate", "move_to_end", "subtract",
    "fill", "put", "itemset", "resize", "partition", "setflags", "setfield", "byteswap",
    "__setitem__", "__delitem__", *(f"__i{operation}__" for operation in IN_PLACE),
}
WRITERS = {
    np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis, setattr, delattr, operator.setitem,
    operator.delitem, operator.iconcat, *(getattr(operator, f"i{operation}") for operation in IN_PLACE),
    bisect.insort_left, bisect.insort_right, heapq.heapify, heapq.heappop, heapq.heappush, heapq.heappushpop,
    heapq.heapreplace,
}
CHANGEABLE = (np.ndarray, list, dict, set)
"""Classes whose methods are called as functions, too: ``np.ndarray.sort(u)``."""
TELLING = (str, repr, ascii, format, print, id, hash, type, callable, np.array2string, np.array_repr, np.array_str,
           np.format_float_positional, np.format_float_scientific, np.shares_memory, np.may_share_memory, np.can_cast,
           np.min_scalar_type)
"""What tells of its arguments what has no derivative: a text, an identity, a class."""
NEW = (len, range, float, int, bool, abs, round, isinstance, runtime.structured, runtime.handed_back,
       runtime.taken_along, runtime.zeros_of, runtime.zero_tangent, *TELLING)
"""What gives nothing of its arguments."""
DISPLAYS = (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
"""New containers, which something is put into: ``t = [u]`` is like ``t[:] = [u]``."""
CHOOSING = (min, max, sorted)
"""What gives some of its arguments, in an order that a key tells."""

_known: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
"""By function: equal code may call other functions in another module."""
_imports: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
"""By function what it imports itself."""
_assumed: list[types.FunctionType] = []
"""Functions that count as harmless while one of them is looked into: recursion adds nothing."""


def may_write(function: Any) -> bool:
    """Whether a call of the function may change one of its arguments."""
    if not has_quiet_hash(function):
        return False
    if function in WRITERS:
        return True
    if isinstance(function, types.BuiltinFunctionType) and isinstance(function.__self__, np.ufunc):
        return function.__name__ == "at"
    if plainly(function, "__name__") == "shuffle" and is_library(type(plainly(function, "__self__"))):
        return True  # of some generator of random numbers; np.random isn't mentioned, for that would import it
    if isinstance(function, (types.MethodDescriptorType, types.WrapperDescriptorType)):  # list.append, np.ndarray.fill
        return function.__name__ in MUTATING_METHODS or function is np.ufunc.at
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
        if id(inner) in facts.acting_unnamed or facts.spelled and special_call(inner, facts) is not None:
            return True
        if isinstance(inner, gast.Call) and id(inner) not in facts.applied and id(inner) not in facts.displays:
            function = facts.values.get(id(inner.func))
            if not isinstance(function, Known) or not has_quiet_hash(function.value) or not (
                    function.value in RULES or function.value is range or is_text_of_number(inner, function, facts)):
                if not is_place_in_list(inner, facts):
                    return True
    return False


def may_give(node: gast.AST, facts: Facts) -> list[gast.AST]:
    """The operands whose memory an expression's value may be: not what tells ``min`` the order of others."""
    parts = [part for _, _, part in ordered_children(node)]
    function = facts.values.get(id(node.func)) if isinstance(node, gast.Call) else None
    if not isinstance(function, Known) or not any(function.value is known for known in CHOOSING):
        return parts
    keys = [item.value for item in node.keywords if item.arg == "key"]  # type: ignore[attr-defined]
    return [part for part in parts if part not in keys]


def is_place_in_list(node: gast.Call, facts: Facts) -> bool:
    """Whether this is ``xs.index(x)`` or ``xs.count(x)`` of what no code of the user's compares."""
    if not isinstance(node.func, gast.Attribute) or node.func.attr not in ("index", "count"):
        return False
    held, given = facts.values.get(id(node.func.value)), [facts.values.get(id(item)) for item in node.args]
    return isinstance(held, Items) and held.kind in (list, tuple) and held.view is None and not node.keywords and all(
        value is not None and is_data(value) for value in (held, *given))


def is_data(value: Abstract) -> bool:
    """Whether a value is a number, an array, a text or None, or a list, a tuple or a dict of such."""
    if isinstance(value, Items):
        return (value.kind in (list, tuple) or value.is_dict) and all(map(is_data, items_of(value)))
    return isinstance(value, Numeric) or is_key(value) or is_nothing(value)


def special_call(node: gast.AST, facts: Facts, within: tuple = ()) -> gast.Call | None:
    """The call of a special method of the user's, of an object from outside or one that does more than to return
    something, that an operator or a builtin function in an expression that stays as it is stands for."""
    spelled = facts.spelled.get(id(node))
    called = facts.callees.get(id(spelled)) if isinstance(spelled, gast.Call) else None
    if called is None or is_library(called.derivative.function):
        return None
    outside = [value for value in (facts.values.get(id(item)) for item in spelled.args)  # type: ignore[union-attr]
               if isinstance(value, Known) and is_instance(value.value)]
    return spelled if outside or not only_returns(called.derivative, within) else None  # type: ignore[return-value]


def is_text_of_number(node: gast.Call, function: Any, facts: Facts) -> bool:
    """Whether this is ``str(i)`` of a number or a text, which nobody can change."""
    given = [facts.values.get(id(item)) for item in node.args]
    return isinstance(function, Known) and function.value is str and not node.keywords and all(
        isinstance(value, Numeric) and value.is_number or value is not None and is_key(value) for value in given)


def calls_more(node: gast.AST, facts: Facts, within: tuple = ()) -> bool:
    """Whether an expression whose value is known calls a function of the user's that does more than to return
    something, so that it must be evaluated all the same."""
    for inner in walk(node):
        inner = special_call(inner, facts, within) or inner
        spelled = facts.spelled_out(inner)
        if spelled is not inner and calls_more(spelled, facts, within):  # reduce, as the calls that it makes
            return True
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
        if not only_returns(called.derivative, within):
            return True
    return False


def only_returns(derivative: Any, within: tuple = ()) -> bool:
    """Whether a function does nothing but return something; of those that it is called ``within``, itself perhaps, the
    rest of their text tells."""
    body = derivative.program.body
    return derivative in within or len(body) == 1 and isinstance(body[0], Leave) and body[0].value is not None \
        and not calls_more(body[0].value, derivative.facts, (*within, derivative))


def functions_in(value: Abstract) -> list[Function]:
    """The functions that take names from around them and that a value is, or holds."""
    if isinstance(value, Items):
        parts = value.items if value.items is not None else (value.element,)
        return [found for part in parts for found in functions_in(part)]
    return [value] if isinstance(value, Function) and value.homes else []


EQUIVALENTS = "s2sgrad.compiler.equivalents"
"""The module of ours whose functions stand for others': what they give of what stays is seen from their source."""
HEAPS = "s2sgrad.compiler.heaps"
OURS = (HEAPS, "s2sgrad.compiler.counters")
"""A module of ours whose functions are like the user's: they write into what they get."""


def is_library(function: types.FunctionType) -> bool:
    """Whether a function belongs to a library whose source is not read."""
    return in_library(function.__module__ or "") and function.__module__ not in OURS


def _writes(function: types.FunctionType) -> bool:
    node = read_or_feared(function, MUTATING_METHODS)
    return changes(node, _parameters(node), function)


def writes_inside(function: Function) -> bool:
    """Whether a function that is defined inside another may write into what it gets, or has from around it or from
    outside."""
    node: Any = gast.gast_to_ast(function.syntax)
    if any(isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load) and _resolved(
            part.value, function.owner) is not None for part in ast.walk(node)):  # of a class or an object outside
        return True
    outside = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(
        _resolved(part, function.owner), CHANGEABLE)}
    return changes(node, _parameters(node) | {label for label, _ in function.homes} | outside, function.owner)


def writes_besides_object(method: types.FunctionType) -> bool:
    """Whether a method may write into something that it gets besides its object."""
    node = read_or_feared(method, MUTATING_METHODS)
    return changes(node, _parameters(node) - {method.__code__.co_varnames[0]}, method)


def calls_untold(function: types.FunctionType) -> bool:
    """Whether a function calls what its text does not name: a parameter, an item of a table, what a call gives."""
    return any(isinstance(part, ast.Call) and not isinstance(part.func, ast.Attribute) and _resolved(
        part.func, function) is None for part in ast.walk(read_or_feared(function, MUTATING_METHODS)))


def _parameters(node: Any) -> set[str]:
    spec = node.args
    stars = {item.arg for item in (spec.vararg, spec.kwarg) if item is not None}
    return stars | {item.arg for item in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}


def changes(node: Any, shared: set[str], function: types.FunctionType, outputs: bool = True) -> bool:
    """Whether a function writes into what some names stand for, or into what is got from them. ``outputs``: whatever
    ``out=`` names counts as such."""
    body = node.body if isinstance(node.body, list) else [node.body]
    inner = [part for statement in body for part in ast.walk(statement)]
    bound = [pair for part in inner for pair in _bindings(part)] + _handed_inside(inner)
    named = any(_names_writer(value, function) for _, value in bound)
    held: set[str] = set()  # names of what has something of it put into it, and is none of it
    made: set[str] = set()  # names of lists and dicts that are made here
    reaches = functools.partial(_reaches, function=function, made=made)
    known = -1
    while known < len(shared) + len(held) + len(made):  # names got from parameters, in any order of the text
        known = len(shared) + len(held) + len(made)
        added = [([ast.Subscript(part.target, part.value)], part.value) for part in inner
                 if isinstance(part, ast.AugAssign) and _makes_container(part.value, made)]  # it gets their items
        for targets, value in bound + added:
            if _makes_container(value, made):
                made.update(name.id for name in map(_filled, targets) if isinstance(name, ast.Name))
            if reaches(value, shared | held):
                for target in targets:
                    (held if isinstance(target, (ast.Subscript, ast.Attribute)) else shared).update(
                        name.id for name in ast.walk(target) if isinstance(name, ast.Name))

    def within(container: ast.AST) -> set[str]:
        """What a change of a container might be one of: not of what it only holds."""
        return shared if isinstance(container, ast.Name) else shared | held

    for part in inner:
        if isinstance(part, (ast.Subscript, ast.Attribute)) and isinstance(part.ctx, (ast.Store, ast.Del)) \
                or isinstance(part, ast.Attribute) and part.attr in MUTATING_METHODS:
            if reaches(part.value, within(part.value)):
                return True
        elif isinstance(part, ast.AugAssign):
            if reaches(part.target, within(part.target)):
                return True
        elif isinstance(part, ast.Call):
            called = _resolved(part.func, function)
            if any(outputs or reaches(item, shared | held) for item in _outputs(part, called)):
                return True
            given = [*part.args, *(item.value for item in part.keywords)]
            runs = not isinstance(called, type) or called in (map, filter, functools.partial)  # others only hold it
            ends = called is not None and hasattr(called, "__del__")  # an object of this class may write when it goes
            writes = ends or named and called is None or may_write(called) or runs and any(
                may_write(_resolved(item, function)) for item in given)
            if writes and any(reaches(item, shared | held) for item in given):
                return True
    return False


def _outputs(node: ast.Call, called: Any) -> list[ast.expr]:
    """The arrays that a call of a function of NumPy's, or of an array's method, is told to write into."""
    named = [item.value for item in node.keywords if item.arg == "out"]
    if isinstance(called, np.ufunc):
        return [*named, *node.args[called.nin:]]
    method = called is None and isinstance(node.func, ast.Attribute)
    rule = METHODS.get(getattr(node.func, "attr", "")) if method else rule_for(called)
    names = () if rule is None else places(rule.function)[method:]
    return [*named, *node.args[names.index("out"):]] if "out" in names else named


def _bindings(part: ast.AST) -> list[tuple[list, ast.AST]]:
    """The targets that a part of a function binds, each with what it binds them to or to parts of."""
    if isinstance(part, ast.Assign):
        new = isinstance(part.value, DISPLAYS)
        return [([ast.Subscript(target, ast.Slice()) if new and isinstance(target, ast.Name) else target
                  for target in part.targets], part.value)]
    if isinstance(part, (ast.NamedExpr, ast.AnnAssign)) and part.value is not None:
        return [([part.target], part.value)]
    if isinstance(part, (ast.For, ast.comprehension)):
        return [([part.target], part.iter)]
    if isinstance(part, ast.With):
        return [([item.optional_vars], item.context_expr) for item in part.items if item.optional_vars is not None]
    if isinstance(part, ast.Match):
        labels = [getattr(inner, "name", None) or getattr(inner, "rest", None)  # of "as" and "*", of "**"
                  for case in part.cases for inner in ast.walk(case.pattern)]
        return [([ast.Name(label) for label in labels if label], part.subject)]
    if isinstance(part, ast.FunctionDef):
        return [([ast.Name(part.name)], inner.value) for inner in ast.walk(part)
                if isinstance(inner, (ast.Return, ast.Yield, ast.YieldFrom)) and inner.value is not None]
    if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in MUTATING_METHODS:
        return [([part.func], item) for item in (*part.args, *(item.value for item in part.keywords))]
    return []


def _filled(target: ast.AST) -> ast.AST:
    """The name that a new container gets, of the place in it that :func:`_bindings` tells of."""
    return target.value if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice) else target


def _handed_inside(parts: list[ast.AST]) -> list[tuple[list, ast.AST]]:
    """What the parameters of functions that are defined among the parts of another may be given: anything that is
    handed to some function there, and their defaults."""
    inner = [part for part in parts if isinstance(part, (ast.FunctionDef, ast.Lambda))]
    parameters = [ast.Name(label) for part in inner for label in _parameters(part)]
    given = [item for part in parts if isinstance(part, ast.Call)
             for item in (*part.args, *(item.value for item in part.keywords))]
    given += [item for part in inner for item in (*part.args.defaults, *part.args.kw_defaults) if item is not None]
    return [(parameters, item) for item in given] if parameters else []


def _names_writer(node: ast.AST, function: types.FunctionType) -> bool:
    """Whether what a name is bound to is, or holds, a function that writes: ``put = np.copyto``."""
    called = {id(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}
    return any(isinstance(part, (ast.Name, ast.Attribute)) and id(part) not in called and may_write(
        _resolved(part, function)) for part in ast.walk(node))


def _reaches(node: ast.AST, shared: set[str], function: types.FunctionType, made: set[str]) -> bool:
    """Whether an expression's value may be, or hold, memory of one of the names; ``made``: those of containers."""
    if isinstance(node, ast.Name):
        return node.id in shared
    if isinstance(node, ast.Lambda):
        return _reaches(node.body, shared, function, made)
    container = _makes_container(node, made)
    if isinstance(node, (ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.JoinedStr)) and not container:
        return False
    if isinstance(node, ast.Call) and not container:
        called = _resolved(node.func, function)
        method = METHODS.get(node.func.attr) if isinstance(node.func, ast.Attribute) and called is None else None
        rule = method if method is not None else rule_for(called)
        alone = rule is not None and rule.sharing == "start" and len(node.args) + len(node.keywords) == 1
        fresh = rule is not None and (rule.sharing == "fresh" or alone) and _tells_of(rule, node, method is not None)
        if fresh or any(called is known for known in NEW):
            return False
    return any(_reaches(child, shared, function, made) for child in ast.iter_child_nodes(node)
               if isinstance(child, (ast.expr, ast.keyword)))


def _tells_of(rule: Rule, node: ast.Call, by_method: bool) -> bool:
    """Whether a rule takes what a call gives it, and not ``np.array(u, copy=False)``, which is no new array."""
    names = [parameter.name for parameter in rule.parameters[by_method:]]
    return all(item.arg in names for item in node.keywords) and (bool(rule.variadic) or len(node.args) <= len(names))


def _makes_container(node: ast.AST, made: set[str]) -> bool:
    """Whether an expression gives a list, a tuple or a dict that is made here, one that has a name (``made``) included:
    its items may be what others have."""
    if isinstance(node, ast.BinOp):  # [u] * 2, us + [v], d | e
        sides = node.left, node.right
        return any(isinstance(side, DISPLAYS) for side in sides) or all(
            isinstance(side, ast.Constant) or _makes_container(side, made) for side in sides)
    if isinstance(node, ast.Call):  # us.copy(), sum(lists, [])
        sources = [node.func.value] if isinstance(node.func, ast.Attribute) and node.func.attr == "copy" \
            else node.args[1:] if getattr(node.func, "id", "") == "sum" else []
        return any(_makes_container(source, made) for source in sources)
    return isinstance(node, DISPLAYS) or isinstance(node, ast.Name) and node.id in made


def _resolved(node: ast.AST, function: types.FunctionType) -> Any:
    """The object that a dotted name from outside a function refers to; None where it is something else."""
    if isinstance(node, ast.Attribute):
        value = _resolved(node.value, function)
        if isinstance(value, types.ModuleType) or node.attr == "at" or any(value is kind for kind in CHANGEABLE):
            return getattr(value, node.attr, None)
        found = inspect.getattr_static(type(value), node.attr, None) if is_instance(value) else None
        return found if isinstance(found, types.FunctionType) else None
    if not isinstance(node, ast.Name):
        return None
    if node.id in function.__code__.co_varnames:
        return _imported(function).get(node.id)
    if node.id in function.__code__.co_freevars and function.__closure__ is not None:
        cell = function.__closure__[function.__code__.co_freevars.index(node.id)]
        try:
            return cell.cell_contents
        except ValueError:
            return None
    return function.__globals__.get(node.id, getattr(builtins, node.id, None))


def _imported(function: types.FunctionType) -> dict[str, Any]:
    """What a function imports itself, by its names there, as far as that is loaded."""
    if function not in _imports:
        found: dict[str, Any] = {}
        for part in ast.walk(read_or_feared(function, MUTATING_METHODS)):
            for item in part.names if isinstance(part, (ast.Import, ast.ImportFrom)) else ():
                if isinstance(part, ast.ImportFrom):
                    value = getattr(sys.modules.get(part.module or ""), item.name, None)
                else:
                    value = sys.modules.get(item.name if item.asname else item.name.partition(".")[0])
                found[item.asname or item.name.partition(".")[0]] = value
        _imports[function] = found
    return _imports[function]
