"""What a call that stays as it is changes outside of itself: outer variables, what is in them, attributes of objects.

Functions are read, those that they call, too, and what runs unnamed: getters of properties, special methods,
generators. Of an attribute that is stored into, the object is known; any other change counts as one of all that is
reached from the variable or attribute through which it is made.
"""
from __future__ import annotations

import ast
import builtins
import collections
import copy
import itertools
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from s2sgrad.compiler.effects import MUTATING_METHODS, changes, may_write
from s2sgrad.compiler.objects import (
    MOST_LOOKED_AT,
    functions_in,
    is_plain,
    is_users,
    unnamed,
    unnamed_in,
    unnamed_in_stores,
)
from s2sgrad.compiler.targets import is_stored, target_of
from s2sgrad.compiler.unreadable import read_or_feared
from s2sgrad.containers import CONSTANTS, DICTS, attributes, contents, in_library, is_instance, is_open
from s2sgrad.entries import defaults_of
from s2sgrad.gradients import Derived
from s2sgrad.rules.abstract import MISSING
from s2sgrad.rules.draws import GENERATORS, is_generator, is_of_random, is_pythons
from s2sgrad.signature import Place, attribute_of, place_of

BY_TEXT = (globals, eval, exec)
"""Functions by which any outer variable may be changed."""
CONTAINERS = (list, set, collections.deque, *DICTS)
WITH_ITEMS = (*CONTAINERS, tuple)
STANDING = (type, types.FunctionType, types.ModuleType, types.BuiltinFunctionType, np.ufunc)
"""What a module has that is hardly ever another when any of its variables may be."""
LASTING = (int, float, complex, str, bytes, type(None), type(NotImplemented), types.ModuleType,
           types.BuiltinFunctionType, np.ufunc)
"""What nobody can change, or is read by the names in it."""
NUMBERS = (int, float, complex, str, np.generic)
MOST_OBJECTS = 256
"""So many objects and containers among a call's arguments are asked for their class."""
ANY = None
"""The name of a place that is every attribute of its holder, or every variable of a module."""


def kept_in(*called: Any) -> dict[Place, tuple[types.FunctionType, bool]]:
    """The places outside that functions of the user's, or those that they call, may bind or put something in, or in
    what is there; each with the function that does it, and whether it is what is there that may change."""
    found: dict[Place, tuple[types.FunctionType, bool]] = {}
    for reader in readers(*called):
        for place in (*reader.bound(), *reader.stored()):
            found.setdefault(place, (reader.function, False))
        for place in (*reader.changed(), *reader.changed_in_calls()):
            found[place] = reader.function, True
    found.update((place, (function, True)) for function in called for place in bound_to(function))
    return found


def bound_to(function: Any) -> list[Place]:
    """The containers and arrays that a function from a library was bound to, to change them: ``LOG.append``,
    ``functools.partial(np.copyto, TABLE)``."""
    if not callable(function):
        return []
    target = target_of(function)
    changed: list[Any] = [value for label, (_, value) in target.keywords.items() if label == "out"]
    if isinstance(target.function, types.BuiltinMethodType) and target.function.__name__ in MUTATING_METHODS:
        changed.append(target.function.__self__)
    elif not isinstance(target.function, types.FunctionType) and target.positional and may_write(target.function):
        changed += [value for _, value in target.positional]
    return [Place((value,), 0) for value in changed if isinstance(value, (*CONTAINERS, np.ndarray))]


def is_noticed(called: Any) -> bool:
    """Whether somebody notices how often a function runs: it, or one that it calls, changes something outside, prints,
    or draws random numbers."""
    calls = [(reader, part.func) for reader in readers(called) for part in reader.inside if isinstance(part, ast.Call)]
    functions = [reader.resolved(node) for reader, node in calls]
    holders = [reader.resolved(node.value) for reader, node in calls if isinstance(node, ast.Attribute)]
    kept = any(place.name is not ANY or not isinstance(place.holder, (type, types.FunctionType))
               for place in kept_in(called))  # what a function or class gives is changed, hardly what it has itself
    return kept or any(map(is_generator, map(type, holders))) or any(
        function is print or is_of_random(function, GENERATORS) or is_pythons(function) for function in functions)


def changing_methods(constant: Iterable[Any], differentiated: Iterable[Any]) -> frozenset[types.FunctionType]:
    """The methods of the objects among a call's arguments, or in them, that change what is outside. Those that the text
    names are followed where their object is differentiated."""
    methods = [method for kind in kinds_in(constant) for _, method in functions_in(kind)]
    methods += [method for kind in kinds_in(differentiated) for method in unnamed_in(kind)]
    return frozenset(method for method in methods if may_reach(method) and kept_in(method))


def kinds_in(values: Iterable[Any]) -> set[type]:
    """The classes of the user's objects that are among values or in them, of the first items of each container."""
    pending = list(values)
    kinds: set[type] = set()
    seen: set[int] = set()
    while pending and len(seen) < MOST_OBJECTS:
        value = pending.pop()
        if isinstance(value, WITH_ITEMS) or is_instance(value):
            if id(value) in seen:
                continue
            seen.add(id(value))
            held: Any = value
            if is_instance(value):
                kinds.add(type(value))
                held = [getattr(value, name) for name in attributes(value)] if is_open(type(value)) else ()
            pending += itertools.islice(held.values() if isinstance(held, dict) else held, MOST_LOOKED_AT)
    return kinds


def read_in(*called: Any) -> list[Place]:
    """The places outside that functions, or those that they call, may read."""
    found = list(readers(*called))
    return [reader.places[label] for reader in found for label, value in reader.values.items()
            if not isinstance(value, STANDING)] + [place for reader in found for place in reader.of_standing()]


def readers(*called: Any) -> Iterator[Reader]:
    """The functions of the user's among these, and those that they call."""
    pending, seen = list(called), set()
    while pending:
        target = target_of(as_function(pending.pop()))
        function = target.function
        if isinstance(function, type) and not in_library(function.__module__):  # an object of it may be used
            pending += [method for label, method in functions_in(function)
                        if label != "__init_subclass__" and may_reach(method)]  # that ran when classes were derived
        if isinstance(function, Derived):
            pending += filter(callable, (function.__wrapped__, *function.making[1]))
        if not is_users(function):
            continue
        given = tuple(value for _, value in target.positional)
        key = function, tuple(map(id, given))
        if key in seen:
            continue
        seen.add(key)
        if is_of_library(function):
            pending += held_in(function)
            continue
        reader = Reader(function, read_or_feared(function, MUTATING_METHODS), given)
        yield reader
        pending += reader.called()


def is_of_library(function: types.FunctionType) -> bool:
    """Whether a library's decorator made a function, which bears the name of the user's that it calls."""
    return in_library(function.__globals__.get("__name__", ""))  # without one it is what exec made


def held_in(function: types.FunctionType) -> list[Any]:
    """What a function has in closure cells."""
    return [cell.cell_contents for cell in function.__closure__ or () if cell != types.CellType()]


def may_reach(function: types.FunctionType) -> bool:
    """Whether a function has a name for anything outside that may be changed: told without its text, as most methods
    have none but of modules and builtin functions."""
    if is_of_library(function):
        return any(is_users(held) and may_reach(held) for held in held_in(function))
    names = [label for code in codes_of(function) for label in code.co_names]
    outer = [function.__globals__.get(label, getattr(builtins, label, None)) for label in names]
    return not all(map(is_lasting, (*outer, *held_in(function), *defaults_of(function))))


def codes_of(function: types.FunctionType) -> list[types.CodeType]:
    """The code of a function and of those that are defined in it."""
    codes = [function.__code__]
    for code in codes:
        codes += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return codes


def is_lasting(value: Any) -> bool:
    """Whether a value is one that nobody changes, and that calls no function of the user's."""
    if isinstance(value, (type, types.FunctionType)):
        return in_library(value.__module__)
    if isinstance(value, types.ModuleType):
        return in_library(value.__name__)
    return isinstance(value, LASTING) and not any(value is function for function in BY_TEXT)


def as_function(called: Any) -> Any:
    """The function that a generator runs; anything else as it is."""
    if not isinstance(called, types.GeneratorType) or called.gi_frame is None:
        return called
    code = called.gi_code
    return types.FunctionType(code, called.gi_frame.f_globals, code.co_name, None, tuple(
        types.CellType(called.gi_frame.f_locals[label]) if label in called.gi_frame.f_locals else types.CellType()
        for label in code.co_freevars))


def inside_of(changed: Place) -> list:
    """The containers, objects and arrays that may be other ones, or hold something else, where a place is changed."""
    if changed.name is not ANY:
        return contents_of(changed)
    return contents_of(Place((changed.holder,), 0))[1:] if has_attributes(changed.holder) else []


def conflict(changed: Place, inside: list, read: Place, known: bool) -> bool:
    """Whether what is found in one place may be other than it was once another is ``changed``, in which ``inside`` was
    reachable; ``known``: what is read is an object whose attributes are read as places of their own."""
    if changed.name in (read.name, ANY) and (changed.holder is read.holder or isinstance(
            changed.holder, type) and changed.holder in kind_of(read.holder).__mro__):
        return changed.name is not ANY or not is_standing(read)
    if any(part is read.holder for part in inside):
        return True
    found = [] if known else contents_of(read)
    return any(part is changed.holder for part in found) or overlap(found, inside)


def is_standing(place: Place) -> bool:
    """Whether what is in a place, if anything is there, is hardly ever another."""
    try:
        return isinstance(place.read(), STANDING)
    except (NameError, AttributeError):
        return False


def kind_of_thing(place: Place | None) -> str:
    """What kind of thing is in a place: a number, a container of numbers, an array of one axis, anything else; None:
    that can't be looked at."""
    if place is None:
        return "memory"
    try:
        value = place.read()
    except (NameError, AttributeError):
        return "memory"
    if isinstance(value, NUMBERS):
        return "number"
    in_turn = type(value) in (list, tuple, set, collections.deque)
    items = value.values() if type(value) in DICTS else value if in_turn else ()
    if items and all(isinstance(item, NUMBERS) for item in items):
        return "numbers"
    return "vector" if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype != object else "memory"


def kind_of(holder: Any) -> type:
    return holder if isinstance(holder, type) else type(holder)


def contents_of(place: Place, most: int | None = None) -> list:
    """The containers, objects and arrays that are in a place; ``most``: so many of them, the outermost first."""
    return list(itertools.islice((part for part in reachable(place) if part is not place.holder), most))


class Reader:
    """What one function changes. ``places``: where what a name of it stands for is found."""

    def __init__(self, function: types.FunctionType, node: Any, given: tuple):
        self.function = function
        self.node = node
        self.inside = list(ast.walk(node))
        code = function.__code__
        names = [label for each in codes_of(function) for label in each.co_names]
        self.places = {label: place_of(function, label) for label in (*names, *code.co_freevars)
                       if label not in code.co_varnames}
        parameters = code.co_varnames[:code.co_argcount]
        defaults = function.__defaults__ or ()
        self.places.update((label, Place(defaults, index)) for index, label in enumerate(
            parameters[len(parameters) - len(defaults):]))
        self.places.update((label, Place((value,), 0)) for label, value in (function.__kwdefaults__ or {}).items())
        self.places.update((label, Place((value,), 0)) for label, value in zip(parameters, given))
        self.values: dict[str, Any] = {}
        for label, place in self.places.items():
            try:
                self.values[label] = place.read()
            except (NameError, AttributeError):
                continue

    def called(self) -> list[Any]:
        """What the function calls, named or not."""
        found = [self.resolved(part.func) for part in self.inside if isinstance(part, ast.Call)]
        looked_into = set()
        for part in self.inside:
            if isinstance(part, ast.Attribute):
                looked_into.add(id(part.value))
                held = self.resolved(part.value)
                found += unnamed(held, part.attr)
                if not isinstance(part.ctx, ast.Load):
                    found += unnamed_in_stores(held, part.attr)
        for part in self.inside:
            if isinstance(part, (ast.Name, ast.Attribute)) and id(part) not in looked_into:
                found += unnamed(self.resolved(part))
        return found

    def bound(self) -> Iterator[Place]:
        """Variables that the function binds."""
        for part in self.inside:
            if isinstance(part, (ast.Global, ast.Nonlocal)):
                yield from (place_of(self.function, label) for label in part.names)

    def of_standing(self) -> Iterator[Place]:
        """Attributes of modules, classes and functions that are read."""
        for part in self.inside:
            if isinstance(part, ast.Attribute):
                held = self.resolved(part.value)
                if isinstance(held, (type, types.FunctionType, types.ModuleType)) and not is_lasting(held):
                    yield attribute_of(held, part.attr)

    def stored(self) -> Iterator[Place]:
        """Attributes of what is known that are stored into."""
        for part in self.inside:
            if isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load):
                held = self.resolved(part.value)
                if isinstance(held, types.ModuleType) or has_attributes(held) and not unnamed_in_stores(
                        held, part.attr):
                    yield attribute_of(held, part.attr)

    def changed(self) -> Iterator[Place]:
        """Places that are changed otherwise, or from which something is reached that is."""
        for label, value in self.values.items():
            if is_lasting(value) or not changes(
                    self.node, {label}, self.function, outputs=False):  # what ``dict(state)`` gives is new
                continue
            if not isinstance(value, types.ModuleType) and not has_attributes(value):
                yield self.places[label]
                continue
            apart = Apart(label, makes_new(value))
            tree = apart.visit(copy.deepcopy(self.node))
            if changes(tree, {label}, self.function, outputs=False):
                yield attribute_of(value, ANY)
            for attribute, name in apart.names.items():
                if changes(tree, {name}, self.function, outputs=False):
                    yield attribute_of(value, attribute)

    def changed_in_calls(self) -> Iterator[Place]:
        """What is reached from the outer variables of functions, of which something that they give is changed."""
        for part in self.inside:
            if isinstance(part, (ast.Name, ast.Attribute)):
                yield from bound_to(self.resolved(part))
            if isinstance(part, ast.Call) and any(self.resolved(part.func) is function for function in (eval, exec)):
                yield Place(self.function.__globals__, ANY)
            target: Any = part.func if isinstance(part, ast.Call) else part
            if isinstance(target, ast.Attribute) and target.attr in MUTATING_METHODS or isinstance(
                    target, (ast.Attribute, ast.Subscript)) and not isinstance(target.ctx, ast.Load):
                while isinstance(target, (ast.Attribute, ast.Subscript)):
                    target = target.value
                if isinstance(target, ast.Call):
                    yield from self.reached_by(target)

    def reached_by(self, node: ast.Call) -> Iterator[Place]:
        giver = target_of(self.resolved(node.func)).function
        if giver is vars and node.args and has_attributes(held := self.resolved(node.args[0])):
            yield Place(held, ANY)
        elif any(giver is function for function in BY_TEXT):
            yield Place(self.function.__globals__, ANY)
        elif is_users(giver):
            yield from (place_of(giver, label) for label in (*giver.__code__.co_names, *giver.__code__.co_freevars))

    def resolved(self, node: Any) -> Any:
        """What an expression stands for, as far as that is known and asking runs no code of the user's."""
        if isinstance(node, ast.Name):
            if node.id in self.values or node.id in self.function.__code__.co_varnames:
                return self.values.get(node.id, MISSING)
            return getattr(builtins, node.id, MISSING)
        if isinstance(node, ast.Call):
            given = [self.resolved(item) for item in node.args]
            return type(given[0]) if self.resolved(node.func) is type and len(given) == 1 \
                and given[0] is not MISSING else MISSING
        if not isinstance(node, ast.Attribute):
            return MISSING
        held = self.resolved(node.value)
        if node.attr == "__class__" and is_instance(held):
            return type(held)
        if isinstance(held, types.ModuleType) or is_stored(held, node.attr):
            return getattr(held, node.attr, MISSING)
        return MISSING


class Apart(ast.NodeTransformer):
    """The attributes of what a name stands for, as names of their own; what is stored into them directly is found
    otherwise. The objects of a class that ``makes_new`` are no parts of it."""

    def __init__(self, label: str, makes_new: bool):
        self.label = label
        self.makes_new = makes_new
        self.names: dict[str, str] = {}

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if self.makes_new and isinstance(node.func, ast.Name) and node.func.id == self.label:
            node.func = ast.copy_location(ast.Name(f"{self.label}()", node.func.ctx), node.func)
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if not (isinstance(node.value, ast.Name) and node.value.id == self.label):
            return self.generic_visit(node)
        name = self.names.setdefault(node.attr, f"{self.label}.{node.attr}")
        return ast.copy_location(ast.Name(name, node.ctx), node)


def makes_new(kind: Any) -> bool:
    """Whether a call of something makes an object of a user's class that has nothing of this but methods and values
    that nobody changes."""
    return is_plain(kind) and not any(
        isinstance(value, (*CONTAINERS, np.ndarray)) or is_instance(value) for each in kind.__mro__
        for label, value in vars(each).items() if label != "__slots__")


def has_attributes(value: Any) -> bool:
    return is_instance(value) or isinstance(value, (type, types.FunctionType))


def overlap(one: list, other: list) -> bool:
    """Whether what is reachable from two places has something in common."""
    arrays, others = ([part for part in parts if isinstance(part, np.ndarray)] for parts in (one, other))
    return not set(map(id, one)).isdisjoint(map(id, other)) or any(
        np.may_share_memory(array, item) for array in arrays for item in others)


def reachable(place: Place) -> Iterator[Any]:
    """The containers, objects and arrays that are in a place or that it is in."""
    pending, seen = [], set()
    if is_instance(place.holder):
        yield place.holder
    try:
        pending.append(place.read())
    except (NameError, AttributeError):
        return
    while pending:
        value = pending.pop()
        if id(value) in seen or not (isinstance(value, (*WITH_ITEMS, np.ndarray)) or is_instance(value)):
            continue
        seen.add(id(value))
        if not isinstance(value, tuple):
            yield value
        parts: Iterable = ()
        if isinstance(value, WITH_ITEMS):
            parts = value.values() if isinstance(value, dict) else value
        elif (inside := contents(value)) is not None:
            parts = inside.parts
        pending += [part for part in parts if type(part) not in CONSTANTS]  # a history may have thousands
