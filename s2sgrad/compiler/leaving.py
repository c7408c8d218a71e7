"""Statements that leave a loop, where the loop is no longer there: as branches around what they leave out.

A loop that is written out turn by turn has no ``continue`` and ``break``, and the body of one that is put in the place
of a ``yield`` stands in other loops. ``if done: break`` and what follows becomes ``if done: ... else: ...``; where that
is not enough, a flag tells what follows that it is left out.
"""
from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.nodes import constant, name
from s2sgrad.compiler.program import (
    Assign,
    Attempt,
    Branch,
    Context,
    Leave,
    Loop,
    always_leaves,
    read_names,
    statements,
    with_blocks,
)


def without(block: tuple, kind: str, flag: str) -> tuple:
    """A block that ends where it was left with a Leave of this kind, and has none; ``flag`` is a free name.

    A Leave of that kind inside loops of the block leaves those, too: one that is theirs must be of another kind.
    """
    if not contains(block, kind):
        return block
    result = _without(block, kind, flag, False)
    location = block[0].location
    if flag in read_names(result):
        return (Assign(flag, constant(False), location), *result)
    return _unflagged(result, flag)


def flagged(block: tuple, kind: str, flag: str) -> tuple:
    """The same where the flag is there, and is read behind the block."""
    return _without(block, kind, flag, False)


def contains(block: tuple, kind: str) -> bool:
    return any(isinstance(statement, Leave) and statement.kind == kind for statement in statements(block))


def marked(block: tuple, kind: str, new: str) -> tuple:
    """A block in which what leaves it, of a kind, has another kind: a loop's body; with ``return`` a function's."""
    result: list = []
    for statement in block:
        if isinstance(statement, Leave) and statement.kind == kind:
            statement = replace(statement, kind=new)
        elif isinstance(statement, Branch):
            statement = replace(statement, then=marked(statement.then, kind, new),
                                orelse=marked(statement.orelse, kind, new))
        elif isinstance(statement, Context) or isinstance(statement, Loop) and kind == "return":
            statement = replace(statement, body=marked(statement.body, kind, new))
        result.append(statement)
    return tuple(result)


def _without(block: tuple, kind: str, flag: str, in_loop: bool) -> tuple:
    result: list = []
    for index, statement in enumerate(block):
        rest = block[index + 1:]
        if isinstance(statement, Leave) and statement.kind == kind:
            result.append(Assign(flag, constant(True), statement.location))
            if in_loop:
                result.append(Leave("break", None, statement.location))
            return tuple(result)
        if not contains((statement,), kind):
            result.append(statement)
            continue
        if isinstance(statement, (Attempt, Context)):
            result.append(with_blocks(statement, functools.partial(_without, kind=kind, flag=flag, in_loop=in_loop)))
            if in_loop:
                continue
            return (*result, *_guarded(rest, kind, flag, statement))
        if isinstance(statement, Loop):
            result.append(replace(statement, body=_without(statement.body, kind, flag, True)))
            if in_loop:
                result.append(Branch(name(flag), (Leave("break", None, statement.location),), (), statement.location))
                continue
            return (*result, *_guarded(rest, kind, flag, statement))
        assert isinstance(statement, Branch)
        then, orelse = statement.then, statement.orelse
        if in_loop:
            result.append(replace(statement, then=_without(then, kind, flag, True),
                                  orelse=_without(orelse, kind, flag, True)))
            continue
        if always_leaves(then) or always_leaves(orelse):
            then, orelse = (arm if always_leaves(arm) else (*arm, *rest) for arm in (then, orelse))
            return (*result, replace(statement, then=_without(then, kind, flag, False),
                                     orelse=_without(orelse, kind, flag, False)))
        result.append(replace(statement, then=_without(then, kind, flag, False),
                              orelse=_without(orelse, kind, flag, False)))
        return (*result, *_guarded(rest, kind, flag, statement))
    return tuple(result)


def _guarded(rest: tuple, kind: str, flag: str, statement: Any) -> tuple:
    """What is left out where the flag is set."""
    if not rest:
        return ()
    return (Branch(gast.UnaryOp(gast.Not(), name(flag)), _without(rest, kind, flag, False), (), statement.location),)


def _unflagged(block: tuple, flag: str) -> tuple:
    """A block without the assignments of a flag that nobody reads."""
    result: list = []
    for statement in block:
        if isinstance(statement, Assign) and statement.target == flag:
            continue
        result.append(with_blocks(statement, functools.partial(_unflagged, flag=flag)))
    return tuple(result)
