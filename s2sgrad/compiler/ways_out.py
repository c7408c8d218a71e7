"""Ways out of a ``try`` with a ``finally``, ``return``, ``break`` and ``continue``, as flags: control leaves behind it.

``try: ...; return v; ... finally: n += 1`` becomes ``try: ...; value = v; returned = True; ... finally: n += 1`` and
``if returned: return value``: what Python does, said in statements that have one end. It is done only once a program
was refused as it stands.
"""
from __future__ import annotations

from dataclasses import replace
from typing import Any

from s2sgrad.compiler.leaving import flagged, marked
from s2sgrad.compiler.nodes import Names, constant, located_at, name
from s2sgrad.compiler.program import Assign, Branch, Context, Leave, always_leaves, leaves, statements, with_blocks
from s2sgrad.errors import Location

FLAGS = {"break": "broken", "continue": "skipped", "return": "returned"}


def without_ways_out(body: tuple, names: Names) -> tuple:
    """A block in which control leaves no ``try`` with a ``finally`` but by its end or an exception; the block itself
    where that is so already."""
    if not any(isinstance(statement, Context) and statement.final and leaves(statement.body)
               for statement in statements(body)):
        return body
    made: list = []
    for statement in body:
        inner: Any = with_blocks(statement, lambda block: without_ways_out(block, names))
        made += left_behind(inner, names) if isinstance(inner, Context) and inner.final and leaves(
            inner.body) else [inner]
    return tuple(made)


def left_behind(statement: Context, names: Names) -> list:
    """A statement with a block that control may leave, and behind it those that leave."""
    body, location = statement.body, statement.location
    value = names.fresh("value") if "return" in leaves(body) else ""
    before: list = []
    ends: tuple = ()
    for kind in sorted(leaves(body)):
        flag = names.fresh(FLAGS[kind])
        out = Leave(kind, placed(name(value), location) if kind == "return" else None, location)
        if always_leaves(statement.body) and not ends:
            ends = (out,)
        else:
            ends = (Branch(placed(name(flag), location), (out,), ends, location),)
        before.append(Assign(flag, placed(constant(False), location), location))
        own = f"{kind} of the block"
        body = flagged(marked(body if kind != "return" else named(body, value), kind, own), own, flag)
    return [*before, replace(statement, body=body), *ends]


def named(block: tuple, value: str) -> tuple:
    """A block in which what is returned has a name."""
    made: list = []
    for statement in block:
        if isinstance(statement, Leave) and statement.kind == "return":
            given = placed(constant(None), statement.location) if statement.value is None else statement.value
            made += [Assign(value, given, statement.location), replace(statement, value=None)]
        else:
            made.append(with_blocks(statement, lambda inner: named(inner, value)))
    return tuple(made)


def placed(node: Any, location: Location) -> Any:
    """An expression whose new parts have a place in the source."""
    place: Any = constant(None)
    place.lineno, place.col_offset = location.line, location.column
    place.end_lineno, place.end_col_offset = location.end_line or location.line, location.end_column or location.column
    return located_at(node, place)
