"""``with adjoint_of(h) as h_bar:`` in a function's text: a call that hands ``h`` on, and whose adjoint is the block."""
from __future__ import annotations

import ast
import types
from collections.abc import Callable
from dataclasses import dataclass

import gast

from s2sgrad.compiler.held_outside import held
from s2sgrad.compiler.nodes import call, name, root_of, walk
from s2sgrad.errors import Location

BLOCK = "__s2sgrad_block__"
"""The attribute of what opens such a block: what makes the function that is called in its place."""
LEAVING = (gast.Return, gast.Break, gast.Continue, gast.Yield, gast.YieldFrom, gast.Global, gast.Nonlocal)


@dataclass(frozen=True)
class Block:
    """The block: the name of the value, that of its cotangent, the other names that it reads, and its statements."""

    value: str
    bar: str
    reads: tuple[str, ...]
    body: list
    location: Location
    function: types.FunctionType


def opened_by(node: gast.With, function: types.FunctionType) -> Callable | None:
    """What makes the function for a block, None for every other ``with``."""
    for item in node.items:
        if isinstance(item.context_expr, gast.Call):
            make = getattr(held(item.context_expr.func, function), BLOCK, None)
            if make is not None:
                return make
    return None


def block_of(node: gast.With, around: list, local: set[str], location: Location, function: types.FunctionType,
             refusal: Callable) -> Block:
    """``around``: all nodes of the function; ``local``: its own names."""
    opening = node.items[0].context_expr
    if len(node.items) > 1 or len(opening.args) != 1 or opening.keywords or not isinstance(
            opening.args[0], gast.Name) or not isinstance(node.items[0].optional_vars, gast.Name):
        raise refusal(node, "adjoint_of takes the name of a value, and its cotangent must get a name",
                      "write it alone: with s2sgrad.adjoint_of(h) as h_bar:")
    value, bar = opening.args[0].id, node.items[0].optional_vars.id
    inside = [part for statement in node.body for part in walk(statement)]
    for part in inside:
        if isinstance(part, LEAVING):
            raise refusal(part, "control leaves the block of adjoint_of, which runs when the function has ended",
                          "let the block end by itself")
        if isinstance(part, (gast.Subscript, gast.Attribute)) and not isinstance(part.ctx, gast.Load) \
                and root_of(part).id != bar:
            raise refusal(part, f"the block of adjoint_of writes into something else than {bar}",
                          f"give {bar} a new value, or write into it")
    named = [part for part in inside if isinstance(part, gast.Name)]
    bound = {part.id for part in named if isinstance(part.ctx, gast.Store)} | {bar}
    within = {id(part) for part in inside}
    for part in around:
        if isinstance(part, gast.Name) and part.id in bound and id(part) not in within \
                and part is not node.items[0].optional_vars:
            raise refusal(part, f"{part.id} is bound by a block of adjoint_of, which runs when the function has ended",
                          "give it another name there")
    free = local | set(function.__code__.co_freevars)
    reads = dict.fromkeys(part.id for part in named if part.id in free and part.id not in bound | {value})
    return Block(value, bar, tuple(reads), node.body, location, function)


def called_instead(made: str, block: Block, node: gast.With) -> gast.Call:
    """The call that stands for the block."""
    result = call(made, *map(name, (block.value, *block.reads)))
    for part in walk(result):
        ast.copy_location(part, node.items[0].context_expr)
    return result
