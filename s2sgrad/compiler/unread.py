"""A tangent function without the tangents that no result depends on: what the useful analysis is to forward mode."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.nodes import names_in
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Augment,
    Branch,
    Context,
    Loop,
    Store,
    pattern_names,
    read_names,
    statements,
    without_blocks,
    written_name,
)


def without_unread(body: tuple, generated: set[str], seen: set[str]) -> tuple:
    """A function's body without the statements that bind or write into ``generated`` names in vain. What is written
    into those that the caller has ``seen`` is not."""
    work = [(statement, targets) for statement in statements(body) if (targets := bound(statement, generated))]
    chosen = {statement for statement, _ in work}
    others = tuple(without_blocks(statement) for statement in statements(body) if statement not in chosen)
    live = seen | read_names(others)
    written = {written_name(statement) for statement, _ in work if not isinstance(statement, Assign)}
    size = -1
    while size < len(live):
        size = len(live)
        for statement, targets in work:
            found = set(reads(statement))
            if not live.isdisjoint(targets):
                live |= found
            elif isinstance(statement, Assign) and not written.isdisjoint(targets) \
                    and not live.isdisjoint(found & generated):
                live |= targets  # perhaps a view of what is read
    return kept(body, {statement for statement, targets in work if live.isdisjoint(targets)})


def bound(statement: Any, generated: set[str]) -> set[str]:
    """The names that a statement binds or writes into, if all of them are generated."""
    if isinstance(statement, Assign) and not pops(statement.value):
        targets = set(pattern_names(statement.target))
    elif isinstance(statement, (Store, Append, Augment)):
        targets = {written_name(statement)}
    else:
        return set()
    return targets if targets <= generated else set()


def pops(value: Any) -> bool:
    """Whether a tangent is taken out of a list or a dict, which is done also where nobody reads it."""
    return isinstance(value, gast.Call) and isinstance(value.func, gast.Attribute) and value.func.attr in (
        "pop", "popleft")


def reads(statement: Any) -> Iterator[str]:
    yield from names_in(statement.value)
    if isinstance(statement, (Store, Augment)) and isinstance(statement.target, gast.Subscript):
        yield from names_in(statement.target.slice)


def kept(body: tuple, left_out: set) -> tuple:
    result: list = []
    for statement in body:
        if statement in left_out:
            continue
        if isinstance(statement, Branch):
            statement = replace(statement, then=kept(statement.then, left_out), orelse=kept(statement.orelse, left_out))
        elif isinstance(statement, (Loop, Context)):
            inside = kept(statement.body, left_out)
            if isinstance(statement, Context) and statement.body and not inside and not statement.final:
                continue  # nothing but tangents stood in it
            statement = replace(statement, body=inside)
        result.append(statement)
    return tuple(result)
