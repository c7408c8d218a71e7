"""Functions that a program makes, beside what Python has there.

Some are no functions in Python: a lambda stands for ``functools.partial(f, w)``, and for a bound method that is kept.
And some have another name in the generated text, or none that is known before the call. Their syntax has a note of it.
"""
from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from typing import Any

import gast

from s2sgrad.compiler.nodes import located_at, names_in
from s2sgrad.compiler.scopes import late_defaults
from s2sgrad.rules.abstract import MISSING, Abstract, Function, Items, items_of

TELLING = ("__name__", "__doc__", "__module__", "__defaults__", "__kwdefaults__", "__annotations__", "__code__")
"""Attributes of functions in which there is nothing that they take from around them."""

Around = dict[str, Abstract]
"""What a function has from around it, by the names that it has for that."""


def in_place_of(kind: type, made: gast.Lambda, place: gast.AST) -> gast.Lambda:
    """A lambda that stands for an object of this class."""
    made.in_place_of = kind
    return located_at(made, place)  # type: ignore[no-any-return]


def called(definition: gast.FunctionDef, label: str | None) -> None:
    """Note what a function is called in Python; None where ``functools.wraps`` says it."""
    definition.called = label


def name_of(syntax: Any) -> str | None:
    """What a function is called in Python; None where that is not known, and of what is none there."""
    if isinstance(syntax, gast.Lambda):
        return None if hasattr(syntax, "in_place_of") else "<lambda>"
    return getattr(syntax, "called", syntax.name)  # type: ignore[no-any-return]


def syntax_of(value: Abstract) -> Any:
    """The syntax of a function that is made here; None of all else."""
    if isinstance(value, Items):
        return getattr(value.kind, "syntax", None) if getattr(value.kind, "is_function", False) else None
    return value.syntax if isinstance(value, Function) else None


def made_kinds(value: Any) -> set[Any]:
    """The classes of the functions made, as objects, that a value is or holds."""
    if not isinstance(value, Items):
        return set()
    parts = value.items if value.items is not None else (value.element,)
    return set().union({value.kind} if getattr(value.kind, "is_function", False) else (), *map(made_kinds, parts))


def functions_reached(values: Iterable[Abstract], environment: dict) -> Iterator[tuple[Function, Around]]:
    """The functions made here that values are or hold, and those that these have around them."""
    pending, seen = list(values), set()
    while pending:
        value = pending.pop()
        if isinstance(value, Items):
            pending += items_of(value)
            kind: Any = value.kind
            if getattr(kind, "is_function", False):
                around = {label: value.at(label) for label in value.keys or ()}
                yield Function(kind.owner, kind.syntax, tuple((label, "") for label in around)), around
        elif isinstance(value, Function) and (id(value.syntax), value.homes) not in seen:
            seen.add((id(value.syntax), value.homes))
            defaults = late_defaults(value.syntax.args).values()
            homes = [*value.homes, *((label, label) for default in defaults for label in names_in(default))]
            around = {label: environment[home].value for label, home in homes if home in environment}
            pending += around.values()
            yield value, around


def close_over_active(values: Iterable[Abstract], environment: dict) -> bool:
    """Whether a function among the values reads a differentiated value from around it."""
    return any(value.active for _, around in functions_reached(values, environment) for value in around.values())


def reads_active(node: gast.AST, environment: dict) -> bool:
    """Whether an expression mentions what is differentiated, or a function that reads it from around it."""
    values = [environment[label].value for label in names_in(node) if label in environment]
    return any(value.active for value in values) or close_over_active(values, environment)


def class_of_made(value: Abstract) -> type | None:
    """The class of such a function in Python; None of a gradient of one."""
    if isinstance(value, Function) and value.gradient:
        return None
    found: type = getattr(syntax_of(value), "in_place_of", types.FunctionType)
    return found


def is_as_in_python(value: Abstract, label: str) -> bool:
    """Whether an attribute of such a function is in the generated text what it is in Python."""
    syntax = syntax_of(value)
    known = name_of(syntax) if class_of_made(value) is types.FunctionType else None
    if known is None or label not in TELLING:
        return False
    return label == "__name__" if isinstance(value, Items) else label != "__name__" or known in (
        "<lambda>", getattr(syntax, "name", ""))


def answers_as_in_python(value: Abstract, question: Any, asked: Any = None) -> bool:
    """Whether the generated text gives what Python does for ``isinstance(f, str)``, ``hasattr(f, "shape")``,
    ``type(f)``, ``str(f)`` of such a function."""
    kind, here = class_of_made(value), value.kind if isinstance(value, Items) else types.FunctionType
    if kind is None:
        return False
    if question is isinstance and asked is not MISSING:
        return issubclass(kind, asked) is issubclass(here, asked)
    if question is hasattr:
        return asked != "__wrapped__" and (asked in dir(kind)) is (asked in dir(here))
    return kind is here
