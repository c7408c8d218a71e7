"""Program x Facts -> Program: names of views of arrays that are written into, spelled out as the views that they are.

``inner += c * (left + right)`` becomes ``u[1:-1] += c * (u[:-2] + u[2:])``, and ``b[0] = v`` after ``b = a`` becomes
``a[0] = v``: with one name for each array, its cotangent is one array, too, of which views are taken where the function
takes them. A view is spelled out everywhere or nowhere: only if its expression gives the same view wherever it is read.
"""
from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from typing import Any

import gast

from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.facts import Facts, Version, View, is_array, made_from
from s2sgrad.compiler.nodes import constant, is_everything, subscript, tuple_of, walk
from s2sgrad.compiler.program import (
    Assign,
    Attempt,
    Augment,
    Branch,
    Context,
    Loop,
    Pattern,
    Program,
    Remove,
    Store,
    assigned_names,
    read_names,
    statements,
)
from s2sgrad.rules.abstract import Opaque, known_value

Goes = Callable[[Pattern, gast.AST], bool]


def can_be_spelled(views: Iterable[View], program: Program, facts: Facts) -> dict[int, gast.AST]:
    """The expressions for names of views, by ``id`` of the names, of those views that can be spelled out."""
    deleted = {label for statement in statements(program.body) if isinstance(statement, Remove)
               for label in statement.targets}
    mixed = {view for _, version, _ in facts.read.values() if version.view is None for view in views_in(version)}
    # what a call writes into must have a name, which a part of an array gets for it alone; and so must what a function
    # takes from around it
    given = {id(node) for called in facts.calls.values() for node in called.arguments
             if isinstance(node, gast.Name) and node.id in called.written.values()}
    # what a loop runs over gets a new one, which is of no use where the loop writes into the array or binds its
    # name, or where nothing else reads the one that it has
    written = {id(node): assigned_names((loop,)) for loop in statements(program.body)
               if isinstance(loop, Loop) for node in run_over(loop.iterable, facts)}

    def can_be(view: View, node: gast.Name, version: Version, environment: dict[str, Version]) -> bool:
        named = id(node) in given and (node.id in program.inner or not facts.is_place(view.node))
        return (view.holds(environment) and is_array(version) and not version.unbound and node.id not in deleted
                and (view.whole or not named and id(node) not in facts.taken_along)
                and view.base.name not in written.get(id(node), ()))

    found: dict[int, gast.AST] = {}
    for view in views:
        reads = [read for read in facts.read.values() if read[1].view is view]
        if view not in mixed and all(can_be(view, *read) for read in reads) and (
                isinstance(view.node, gast.Name) or any(id(node) not in written for node, _, _ in reads)):
            found.update((id(node), view.node) for node, _, _ in reads)
    return found


def run_over(node: gast.AST, facts: Facts) -> Iterator[gast.AST]:
    """The expressions whose values a loop runs over."""
    yield node
    if isinstance(node, gast.Call) and known_value(facts.values.get(id(node.func), Opaque())) in (
            enumerate, zip, reversed):
        for item in node.args:
            yield from run_over(item, facts)


def views_in(version: Version) -> Iterator[View]:
    """The views that a version may be one of."""
    return (found.view for found in made_from(version) if found.view is not None)


def respelled(program: Program, facts: Facts) -> Program:
    """The program with the names of ``facts.respelled`` spelled out, less the assignments to those that nothing reads
    then; ``program`` itself where none of them stands in its text, but only in what a function takes from around it."""
    body = changed(program.body, facts.respelled)
    if body is program.body:
        return program
    unread = {node.id for node, _, _ in facts.read.values() if id(node) in facts.respelled} - read_names(body)
    left = without(program.body, lambda target, value: target in unread and not acts(value, facts))
    return replace(program, body=changed(left, facts.respelled))


def changed(statement: Any, new: dict[int, gast.AST]) -> Any:
    """A statement, or a part of one, with other expressions for some names."""
    if isinstance(statement, tuple):
        items = tuple(changed(part, new) for part in statement if not is_itself(part, new))
        same = len(items) == len(statement) and all(one is other for one, other in zip(items, statement))
        return statement if same else items
    if isinstance(statement, gast.AST):
        return expression(statement, new)
    if not hasattr(statement, "location"):
        return statement
    parts = {item.name: changed(getattr(statement, item.name), new) for item in fields(statement)}
    if isinstance(statement, Augment) and isinstance(statement.target, gast.Name) and not isinstance(
            parts["target"], (gast.Name, gast.Subscript)):
        parts["target"] = gast.copy_location(subscript(parts["target"], constant(...)), statement.target)
    if isinstance(statement, Store) and id(statement.target.value) in new and is_everything(statement.target.slice) \
            and isinstance(parts["target"].value, gast.Subscript):
        parts["target"] = parts["target"].value  # ``v[:] = e`` is ``u[1:] = e``
    return with_parts(statement, **parts)


def with_parts(statement: Any, **parts: Any) -> Any:
    """A statement with other parts; itself where they are those that it has."""
    same = all(part is getattr(statement, label) for label, part in parts.items())
    return statement if same else replace(statement, **parts)


def is_itself(statement: Any, new: dict[int, gast.AST]) -> bool:
    """Whether a statement stores a view, spelled out, back into what it is a view of."""
    return isinstance(statement, Store) and statement.back and id(statement.value) in new


def expression(node: Any, new: dict[int, gast.AST]) -> Any:
    if id(node) in new:
        return located(copy.deepcopy(new[id(node)]), node)
    if isinstance(node, list):
        parts = [expression(part, new) for part in node]
        return node if all(one is other for one, other in zip(parts, node)) else parts
    if not isinstance(node, gast.AST):
        return node
    parts = [expression(getattr(node, part, None), new) for part in node._fields]
    if all(part is getattr(node, label, None) for label, part in zip(node._fields, parts)):
        return node
    return gast.copy_location(type(node)(*parts), node)


def located(node: gast.AST, place: gast.AST) -> gast.AST:
    for part in gast.walk(node):
        gast.copy_location(part, place)
    return node


def without(body: tuple, goes: Goes) -> tuple:
    """A block without the assignments that go, told by target and value; itself where it has none."""
    left = tuple(found for statement in body for found in kept(statement, goes))
    return body if len(left) == len(body) and all(one is other for one, other in zip(left, body)) else left


def kept(statement: Any, goes: Goes) -> list:
    if isinstance(statement, (Attempt, Context)):  # what raises there may be waited for
        return [statement]
    if isinstance(statement, Branch):
        return [with_parts(statement, then=without(statement.then, goes), orelse=without(statement.orelse, goes))]
    if isinstance(statement, Loop):
        return [with_parts(statement, body=without(statement.body, goes))]
    if not isinstance(statement, Assign):
        return [statement]
    pairs = list(assigned(statement.target, statement.value))
    left = [(target, value) for target, value in pairs if not goes(target, value)]
    if len(left) == len(pairs):
        return [statement]
    if len(left) > 1:
        return [replace(statement, target=tuple(target for target, _ in left), value=gast.copy_location(
            tuple_of([value for _, value in left]), statement.value))]
    return [replace(statement, target=target, value=value) for target, value in left]


def acts(node: gast.AST, facts: Facts) -> bool:
    """Whether an expression does something besides giving its value: ``rows.pop()``."""
    return has_effect(node, facts) or any(facts.callee_of(part) is not None for part in walk(node))


def assigned(target: Pattern, value: gast.AST) -> Iterator[tuple[Pattern, gast.AST]]:
    """The parts of a target, each with the expression that it is bound to, as far as they are written out."""
    if isinstance(target, tuple) and isinstance(value, (gast.Tuple, gast.List)) and len(target) == len(value.elts) \
            and all(isinstance(part, str) for part in target) \
            and not any(isinstance(part, gast.Starred) for part in value.elts):
        yield from zip(target, value.elts)
    else:
        yield target, value
