"""Objects that a function makes once and gives to nobody: a name for each of their attributes."""
from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import types
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import gast

from s2sgrad.compiler import objects
from s2sgrad.compiler.array_flows import Unfit
from s2sgrad.compiler.dissolved import is_users
from s2sgrad.compiler.dissolving_stores import changes_stores, is_slot
from s2sgrad.compiler.initializers import is_frozen, with_text
from s2sgrad.compiler.nodes import Names, holder, located_at, name, names_in
from s2sgrad.compiler.program import (
    Assign,
    Context,
    Define,
    Store,
    Verbatim,
    assigned_names,
    pattern_names,
    statements,
    with_blocks,
    without_blocks,
)
from s2sgrad.containers import is_open
from s2sgrad.rules.abstract import MISSING


def singles_in(body: tuple, whole: set[str], named: Callable[[str], Any]) -> dict[str, type]:
    """The names of objects that are made once, each with its class; without those in ``whole``."""
    found: dict[str, type] = {}
    for statement in body:
        if isinstance(statement, Assign) and isinstance(statement.target, str) and statement.target not in whole \
                and isinstance(statement.value, gast.Call) and isinstance(statement.value.func, gast.Name):
            kind = named(statement.value.func.id)
            if is_users(kind) and is_plain(kind):
                found[statement.target] = kind
    bound = [label for statement in statements(body) for label in bound_by(statement)]
    return {label: kind for label, kind in found.items() if bound.count(label) == 1}


def bound_by(statement: Any) -> set[str]:
    return assigned_names((without_blocks(statement),), written=False)


def is_plain(kind: Any) -> bool:
    """Whether objects of a class are made by its ``__init__`` alone, and have attributes that are no more than that."""
    return is_open(kind) and type(kind) is type and objects.found_in(kind, "__new__") is object.__new__ \
        and not inspect.isabstract(kind) and objects.found_in(kind, "__del__") is MISSING \
        and not changes_stores(kind) and objects.found_in(kind, "__getattr__") is MISSING \
        and objects.found_in(kind, "__getattribute__") is object.__getattribute__ \
        and not is_frozen(kind) and isinstance(
            objects.found_in(kind, "__init__"), (types.FunctionType, types.WrapperDescriptorType))


def initializer_of(kind: type, node: Any) -> types.FunctionType:
    """The ``__init__`` that a call of a class runs, with a text that can be read."""
    found = with_text(objects.found_in(kind, "__init__"), kind, node)
    if not isinstance(found, types.FunctionType):
        raise Unfit
    return found


def apart(body: tuple, label: str, kind: type, names: Names, constant: Callable[[type, str], gast.AST | None]
          ) -> tuple | None:
    """A block with a name for each attribute of an object; None where something needs the object itself. ``constant``
    gives the expression for what it has of its class."""
    stored = {statement.target.attr for statement in statements(body) if isinstance(statement, Store)
              and isinstance(statement.target, gast.Attribute) and getattr(statement.target.value, "id", "") == label}
    if any(not is_field(kind, attribute) for attribute in stored):
        return None  # a property, or what the class has for all its objects
    work = _Apart(label, {attribute: f"{label}_{attribute}" for attribute in stored}, names, functools.partial(
        constant, kind))
    try:
        return tuple(map(work.statement, body))
    except Unfit:
        return None


def is_field(kind: type, label: str) -> bool:
    """Whether an attribute is the object's alone: not of its class, but for the default of a dataclass's field."""
    fields_ = {item.name for item in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else ()
    found = objects.found_in(kind, label)
    return label in fields_ or found is MISSING or is_slot(found)


class _Apart(gast.NodeTransformer):
    def __init__(self, label: str, wanted: dict[str, str], names: Names, constant: Callable[[str], gast.AST | None]):
        self.label = label
        self.constant = constant
        self.meaning = {attribute: names.fresh(new) for attribute, new in sorted(wanted.items())}

    def visit_Attribute(self, node: Any) -> Any:
        if isinstance(node.value, gast.Name) and node.value.id == self.label:
            if node.attr not in self.meaning:
                found = self.constant(node.attr)
                if found is None:
                    raise Unfit
                return located_at(found, node)
            return gast.copy_location(name(self.meaning[node.attr]), node)
        return self.generic_visit(node)

    def visit_Name(self, node: gast.Name) -> gast.AST:
        if node.id == self.label:
            raise Unfit
        return node

    def made(self, node: Any) -> Any:
        """A new expression: the one that there is stays as it is, for the other ways to say the program."""
        return self.visit(copy.deepcopy(node))

    def statement(self, statement: Any) -> Any:
        writes = getattr(statement, "writes", ())
        if self.label in writes:
            receiver = getattr(getattr(statement.value, "func", None), "value", None)
            changed = holder(self.made(receiver)) if receiver is not None else None
            if changed is None or changed not in self.meaning.values():
                raise Unfit
            statement = replace(statement, writes=tuple(
                changed if written == self.label else written for written in writes))
        kept = [statement.node] if isinstance(statement, (Define, Verbatim)) else [
            manager for manager, _ in statement.items] if isinstance(statement, Context) else []
        if self.label in getattr(statement, "targets", ()) or self.label in names_in(*kept):
            raise Unfit
        parts = {part.name: self.made(getattr(statement, part.name)) for part in fields(statement)
                 if isinstance(getattr(statement, part.name), gast.AST) and part.name != "operator"}
        if isinstance(statement, Assign) and statement.places:
            statement = replace(statement, places=())
        if isinstance(statement, Store) and isinstance(parts["target"], gast.Name):
            return Assign(parts["target"].id, parts["value"], statement.location)
        statement = replace(statement, **parts)
        if isinstance(statement, Assign) and self.label in pattern_names(statement.target):
            raise Unfit
        return with_blocks(statement, lambda block: tuple(map(self.statement, block)))
