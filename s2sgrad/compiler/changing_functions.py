"""What a function that is made here may change once it is handed to code that nobody looks into.

It may do so by its own text, by a method of an object that it has from around it, and by way of others: of functions
that are around it, in containers and objects, too, of those from outside that it mentions, and of what these call.
"""
from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import gast

from s2sgrad.compiler.effects import IN_PLACE, MUTATING_METHODS, changes, may_write, writes_inside
from s2sgrad.compiler.held_outside import held
from s2sgrad.compiler.made_functions import Around, functions_reached
from s2sgrad.compiler.nodes import holder, walk
from s2sgrad.compiler.objects import found_in, function_of, functions_in, is_users, special_names
from s2sgrad.compiler.outer_changes import Reader, bound_to, readers
from s2sgrad.compiler.scopes import free_names
from s2sgrad.compiler.targets import target_of
from s2sgrad.compiler.trees import to_gast
from s2sgrad.containers import in_library
from s2sgrad.rules.abstract import NEVER, Abstract, Function, Items, Opaque, items_of, known_value

BY_TEXT = {"__setitem__", "__delitem__", "__setattr__", "__delattr__", "__call__",
           *(f"__i{operation}__" for operation in IN_PLACE)}
"""Methods that are called by nothing but a statement which changes something, or a call, as the text tells."""


def mentioned(function: Function, around: Around) -> list[Any]:
    """The functions from outside that a function names, or has from around it."""
    outside = [held(part, function.owner) for part in walk(function.syntax)
               if isinstance(part, (gast.Name, gast.Attribute)) and getattr(part, "id", "") not in around]
    return [found for found in (*outside, *map(known_value, inside_of(around.values()))) if callable(found)]


def may_change(values: list[Abstract], environment: dict) -> bool:
    """Whether values are, or hold, functions that may change what they get, objects among the values included, or what
    is around them."""
    return hold_writers(values) or made_may_change(values, environment) or changes_one_of(
        kinds_inside(values), set(), [found for found in callables_in(values) if not isinstance(found, type)])


def hold_writers(values: Iterable[Abstract]) -> bool:
    """Whether values are, or hold, functions from outside that may change what they get, or what they are bound to."""
    return any(may_write(target_of(found).function) or bound_to(found) for found in callables_in(values))


def callables_in(values: Iterable[Abstract]) -> list[Any]:
    """The known functions that values are, or hold."""
    return [found for found in map(known_value, inside_of(values, objects=False)) if callable(found)]


def made_may_change(values: list[Abstract], environment: dict) -> bool:
    """The same of functions that are made here, with all that is around these."""
    made = list(functions_reached(values, environment))
    return any(writes_inside(function) or hold_writers(around.values()) for function, around in made) \
        or calls_changing_method(values, made)


def makes_keepers(function: types.FunctionType) -> bool:
    """Whether a function, or one that it calls, makes what keeps what it is told: functions that do so in a variable or
    a container around them, methods that are handed out, objects; a generator is one itself."""
    return any(hands_out_keepers(reader) for reader in readers(function))


def hands_out_keepers(reader: Reader) -> bool:
    """The same of what one function's own text makes."""
    if inspect.isgeneratorfunction(reader.function):
        return True
    kinds = [kind for kind in reader.values.values() if isinstance(kind, type) and not in_library(kind.__module__)]
    if any(may_write(method) for kind in kinds for label, method in functions_in(kind) if label != "__init__"):
        return True
    called = {id(part.func) for part in reader.inside if isinstance(part, ast.Call)}
    if any(isinstance(part, ast.Attribute) and part.attr in MUTATING_METHODS and id(part) not in called
           for part in reader.inside):  # box.append, which somebody else calls
        return True
    made = [part for part in reader.inside if isinstance(part, (ast.FunctionDef, ast.Lambda))][1:]
    return any(keeps_around_it(part, reader.function) for part in made)


def keeps_around_it(made: Any, function: types.FunctionType) -> bool:
    """Whether a function that is made in another one keeps something in a variable or a container around it."""
    return any(isinstance(part, ast.Nonlocal) for part in ast.walk(made)) or changes(
        made, set(free_names(to_gast(made))), function)


def calls_unknown(values: list[Abstract], environment: dict) -> bool:
    """Whether one of the functions made here among values calls what has a name around it and is not known."""
    return any(isinstance(part, gast.Call) and is_unknown(around.get(holder(part.func) or "", NEVER))
               for function, around in functions_reached(values, environment) for part in walk(function.syntax))


def is_unknown(value: Abstract) -> bool:
    """Whether nothing is known of a value, which may be a function."""
    return isinstance(value, Opaque) and value.kind is None


def calls_changing_method(values: list[Abstract], made: list[tuple[Function, Around]]) -> bool:
    """Whether functions made here, or objects among values that are called like functions, may call a method that
    changes an object around them or among values."""
    called = [value for value in values if isinstance(value, Items) and is_users(found_in(value.kind, "__call__"))]
    kinds = kinds_inside([*values, *(value for _, around in made for value in around.values())])
    if not kinds or not (called or made):
        return False
    labels = labels_in(part for function, _ in made for part in walk(function.syntax))
    if called or any(uses_as_a_whole(function.syntax, around) for function, around in made):
        labels.update(label for kind in kinds for label in special_names(kind) if label not in BY_TEXT)
    if called or any(isinstance(part, gast.Call) and may_be_object(part.func, kinds, around)
                     for function, around in made for part in walk(function.syntax)):
        labels.add("__call__")
    return changes_one_of(kinds, labels, [found for function, around in made for found in mentioned(function, around)])


def uses_as_a_whole(syntax: Any, around: Around) -> bool:
    """Whether an object, or what holds some, is more than asked for its attributes in a function: Python may call
    methods of it that have no name there."""
    asked = {id(part.value) for part in walk(syntax) if isinstance(part, gast.Attribute)}
    return any(isinstance(part, gast.Name) and id(part) not in asked and kinds_inside([around[part.id]])
               for part in walk(syntax) if getattr(part, "id", "") in around)


def may_be_object(node: Any, kinds: set[type], around: Around) -> bool:
    """Whether what is called in a function may be an object of one of these classes."""
    if isinstance(node, gast.Attribute):
        return holder(node) in around and not any(is_users(method_of(kind, node.attr)) for kind in kinds)
    value = around.get(getattr(node, "id", ""))
    return not isinstance(node, gast.Name) or isinstance(value, Items) and is_users(found_in(value.kind, "__call__"))


def changes_one_of(kinds: set[type], labels: set[str], functions: Sequence[Any] = ()) -> bool:
    """Whether methods of these names, of objects of some classes, or functions from outside may change such objects, be
    it by way of others. A method is known by its name, as an attribute or as a text that ``getattr`` may get."""
    seen: set[str] = set()
    while kinds and (functions or labels - seen):
        methods = [method for kind in kinds for label in labels - seen if is_users(method := method_of(kind, label))]
        if any(map(may_write, methods)):
            return True
        seen |= labels
        reached = list(readers(*functions, *methods))
        labels = labels_in(part for reader in reached for part in reader.inside)
        if any(isinstance(part, ast.Call) and getattr(part.func, "id", "") in reader.function.__code__.co_varnames
               for reader in reached for part in reader.inside):
            labels.add("__call__")
        functions = ()
    return False


def method_of(kind: type, label: str) -> Any:
    """The function of a method, or the getter of a property."""
    found = found_in(kind, label)
    return found.fget if type(found) is property else function_of(found)


def labels_in(parts: Iterable[Any]) -> set[str]:
    """The names of attributes, and the texts, among the parts of functions."""
    return {label for part in parts for label in (getattr(part, "attr", None), getattr(part, "value", None))
            if isinstance(label, str)}


def inside_of(values: Iterable[Abstract], objects: bool = True) -> Iterator[Abstract]:
    """Values, and what is in them; ``objects``: also what is in the objects among them."""
    for value in values:
        yield value
        if isinstance(value, Items) and (objects or not value.is_object):
            yield from inside_of(items_of(value), objects)


def kinds_inside(values: Iterable[Abstract]) -> set[type]:
    """The classes of the objects that values are, or that are in them."""
    return {part.kind for part in inside_of(values) if isinstance(part, Items) and part.is_object}
