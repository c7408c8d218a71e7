"""Outer variables that functions change by what is differentiated and read again, as items of a dict that is one more
argument, where a function is refused otherwise.

``STATS["mean"] = 0.9 * STATS["mean"] + 0.1 * x`` becomes ``outer["STATS"]["mean"] = ...``, and the functions of the
module that mention such a variable, or call one that does, are defined inside the function that has the dict, which
reads and binds the variables themselves.
"""
from __future__ import annotations

import collections
import contextlib
import copy
import dis
import functools
import types
from collections.abc import Iterable, Iterator
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.cells import Cells, bound_otherwise, own_names
from s2sgrad.compiler.locate import locate
from s2sgrad.compiler.nodes import Names, name
from s2sgrad.compiler.objects import functions_in
from s2sgrad.compiler.outer_changes import (
    LASTING,
    Reader,
    codes_of,
    conflict,
    contents_of,
    inside_of,
    kept_in,
    overlap,
    readers,
)
from s2sgrad.compiler.scopes import free_names, late_defaults, parameters
from s2sgrad.compiler.targets import target_of
from s2sgrad.compiler.trees import to_gast
from s2sgrad.containers import contents, in_library, is_instance
from s2sgrad.entries import defaults_of
from s2sgrad.errors import SourceError
from s2sgrad.frozen import frozen
from s2sgrad.rules.abstract import MISSING
from s2sgrad.signature import Place, place_of


@frozen
class OuterVariables:
    """
    Attributes
    ----------
    name
        The parameter that they are items of.
    places
        Where they are found, by their names.
    inside
        The functions that are defined inside, by name; the function itself where it calls itself.
    """

    name: str
    places: tuple[tuple[str, Place], ...]
    inside: tuple[tuple[str, types.FunctionType], ...]

    def __hash__(self) -> int:
        return hash((self.name, self.places, self.inside))


# ---- which there are


def outer_variables(function: Any, given: Iterable[Any]) -> Iterator[OuterVariables]:
    """The variables outside of a function that it, or one that it calls or is ``given``, changes, bound anew or in what
    they hold; then those with the objects besides that they may change in ways that can't be seen. None where there are
    none, or others may read them otherwise than by these names."""
    if not isinstance(function, types.FunctionType) or in_library(function.__module__ or ""):
        return
    before: tuple = ()
    with contextlib.suppress(SourceError, Unfit):
        found = list(readers(function, *filter(callable, given)))
        changed = kept_in(*(reader.function for reader in found))
        for objects in (False, True):
            variables = _Search(function, found, changed, objects).result()
            if variables is not None and variables.places != before:
                before = variables.places
                yield variables


class Unfit(Exception):
    """What mentions the variables can't be defined inside."""


class _Search:
    def __init__(self, function: types.FunctionType, found: list[Reader], changed: Iterable[Place], objects: bool):
        self.function = function
        self.readers = found
        self.labels: dict[str, Place] = {}
        touched = [(place, inside_of(place)) for place in changed]
        for reader in found:
            for label, place in reader.places.items():
                if self.is_variable(place) and place not in self.labels.values() and (
                        objects and is_instance(reads(place)) or any(
                            self.may_change(place, one, inside) for one, inside in touched)):
                    self.add(label, place)

    def add(self, label: str, place: Place) -> None:
        if self.labels.setdefault(label, place) != place:
            raise Unfit

    def is_variable(self, place: Place) -> bool:
        return place.holder is self.function.__globals__ or isinstance(place.holder, types.CellType)

    def may_change(self, place: Place, changed: Place, inside: list) -> bool:
        try:
            known = place.read()
        except (NameError, AttributeError):
            return place == changed
        return place == changed or not isinstance(known, LASTING) and conflict(changed, inside, place, False)

    def result(self) -> OuterVariables | None:
        if not self.labels:
            return None
        if any(is_closed(reads(place)) or any(map(is_closed, contents_of(place))) for place in self.labels.values()):
            raise Unfit
        inside = self.defined_inside()
        self.refuse_others(inside)
        trees = [tree_of(function) for function in (self.function, *inside.values())]
        taken = {node.id for tree in trees for node in gast.walk(tree) if isinstance(node, gast.Name)}
        for tree in trees:
            self.refuse_unfit(tree, tree is trees[0])
        local = own_names(trees[0])
        if self.function in inside.values():  # what calls it has its parameters alone
            local = {item.id for item in parameters(trees[0].args)}
            if trees[0].args.vararg is not None or trees[0].args.kwarg is not None:
                raise Unfit
        if not local.isdisjoint((*inside, *(label for tree in trees[1:] for label in free_names(tree)))):
            raise Unfit  # they would read the function's own
        return OuterVariables(Names(taken | {*self.labels, *inside}).fresh("outer"), tuple(self.labels.items()),
                              tuple(inside.items()))

    def defined_inside(self) -> dict[str, types.FunctionType]:
        """The functions that mention the variables, or one another."""
        inside: dict[str, types.FunctionType] = {}
        before = -1
        while before < len(inside) + len(self.labels):
            before = len(inside) + len(self.labels)
            for reader in self.readers:
                if self.mentions(reader.function, inside):
                    called_as = {label for other in self.readers for label, value in other.values.items()
                                 if value is reader.function}
                    if len(called_as) != 1 and (called_as or reader.function is not self.function):
                        raise Unfit
                    for label in called_as:
                        if inside.setdefault(label, reader.function) is not reader.function:
                            raise Unfit
                    self.add_closed_over(reader.function)
        for function in (self.function, *inside.values()):
            if function.__globals__ is not self.function.__globals__ or any(
                    self.labels.get(label, place_of(function, label)) != place_of(function, label)
                    for code in codes_of(function) for label in outer_names(code)):
                raise Unfit
        return inside

    def add_closed_over(self, function: types.FunctionType) -> None:
        """Let what a function that is defined inside closes over be variables, too, where it is not the function's."""
        own = self.function.__closure__ or ()
        for label, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            if not any(cell is other for other in own):
                self.add(label, Place(cell, label))

    def mentions(self, function: types.FunctionType, inside: dict[str, types.FunctionType]) -> bool:
        """Whether a function has a name for one of the variables, or for a function that is defined inside."""
        named = {label for code in codes_of(function) for label in outer_names(code)}
        return any(self.labels.get(label) == (place := place_of(function, label))
                   or label in inside and reads(place) is inside[label] for label in named)

    def refuse_others(self, inside: dict[str, types.FunctionType]) -> None:
        """Raises Unfit where what is in the variables is found elsewhere, too, or a function mentions them that is
        found otherwise than by its name."""
        held = [part for place in self.labels.values() for part in contents_of(place)]
        for reader in self.readers:
            if any(overlap(contents_of(Place((default,), 0)), held) for default in defaults_of(reader.function)):
                raise Unfit
            for label, value in reader.values.items():
                place = reader.places[label]
                if place in self.labels.values() or isinstance(value, LASTING):
                    continue
                bound = [part for _, part in target_of(value).positional] if callable(value) else []
                if self.is_variable(place) and (overlap(contents_of(place), held) or any(
                        overlap(contents_of(Place((part,), 0)), held) for part in bound)):
                    raise Unfit
                for function in methods_of(value, contents_of(place)):
                    if self.mentions(function, inside):
                        raise Unfit
        for part in held:
            for function in methods_of(part, []):
                if self.mentions(function, inside):
                    raise Unfit

    def refuse_unfit(self, tree: Any, first: bool) -> None:
        """Raises Unfit where a function can't be defined inside another, or binds the variables by what binds names
        alone."""
        if self.labels.keys() & bound_otherwise(tree) - own_names(tree) or not first and (
                not isinstance(tree, gast.FunctionDef) or tree.decorator_list or late_defaults(tree.args)
                or any(isinstance(node, (gast.Import, gast.ImportFrom)) for node in gast.walk(tree))):
            raise Unfit


@functools.lru_cache(maxsize=1024)
def outer_names(code: types.CodeType) -> frozenset[str]:
    """The names in a function's code that are not its own."""
    return frozenset(step.argval for step in dis.get_instructions(code) if step.opname.endswith(
        ("_GLOBAL", "_NAME", "_DEREF", "_CLASSDEREF")) and isinstance(step.argval, str))


def is_closed(value: Any) -> bool:
    """Whether it can't be told what is in a variable, or reading that runs code of the user's."""
    plain = isinstance(value, (*LASTING, np.ndarray, set, collections.deque)) or value is MISSING
    return not plain and contents(value, any_keys=True) is None


def reads(place: Place) -> Any:
    try:
        return place.read()
    except (NameError, AttributeError):
        return MISSING


def methods_of(value: Any, inside: list) -> Iterator[types.FunctionType]:
    """The functions that are in a container, or that an object or class has."""
    for part in (value, *inside):
        items = part.values() if isinstance(part, dict) else part if isinstance(part, (list, tuple, set)) else ()
        for item in items:
            found = target_of(item).function if callable(item) else None
            if isinstance(found, types.FunctionType):
                yield found
        kind = part if isinstance(part, type) else type(part) if is_instance(part) else None
        if kind is not None and not in_library(kind.__module__):
            yield from (method for _, method in functions_in(kind))


def tree_of(function: types.FunctionType) -> Any:
    return to_gast(locate(function).node)


# ---- the text


def with_outer_variables(tree: Any, function: types.FunctionType, variables: OuterVariables) -> Any:
    """A function that gets its outer variables as a dict."""
    work = _Outer(variables.name, {label for label, _ in variables.places})
    made = []
    for label, other in variables.inside:
        inner = tree_of(other) if other is not function else tree
        inner.name, inner.decorator_list = label, []
        made.append(work.visit(inner))
    if any(other is function for _, other in variables.inside):
        return calling(tree, made)
    inside = work.within(tree)
    body = tree.body
    tree.body = [*made, *(new for part in body for new in inside.statement(part))] if isinstance(
        body, list) else inside.visit(body)
    return tree


def calling(tree: Any, made: list) -> Any:
    """A function that has one of the same name and parameters inside, and calls it."""
    spec = copy.deepcopy(tree.args)
    keywords = [gast.keyword(item.id, name(item.id)) for item in spec.kwonlyargs]
    node = gast.Call(name(tree.name), [name(item.id) for item in (*spec.posonlyargs, *spec.args)], keywords)
    end = gast.Return(node)
    for part in gast.walk(end):
        gast.copy_location(part, tree)
    return gast.copy_location(gast.FunctionDef(tree.name, spec, [*made, end], [], None, None, []), tree)


class _Outer(Cells):
    """The same of variables from outside of all functions."""

    def within(self, node: Any) -> Cells:
        return _Outer(self.cells, self.labels - own_names(node))

    def visit_Global(self, node: Any) -> gast.AST:
        return self.declared(node)
