"""Two parts of one array that a call gets of which it writes into one, as in ``sweep(u[k], u[k + 1])``: whether they
are apart can be read, as of ``u[0]`` and ``u[1]``, or is tested before the call."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.algebra import same
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.nodes import Names, call, constant, is_plain, located_at, name
from s2sgrad.compiler.program import Branch, Leave, Program, with_blocks
from s2sgrad.errors import UnsupportedError

SHARED = "an array that this call gets shares memory with another, into which it writes", "give it a copy of one"


def tested(program: Program, facts: Facts) -> Program:
    """The program with the tests of ``facts.tests`` before the calls."""
    names = Names(program.names | set(facts.given) | facts.reserved)
    shares, error = names.fresh("shares_memory"), names.fresh("UnsupportedError")

    def block(body: tuple) -> tuple:
        return tuple(new for statement in body for new in made(statement))

    def made(statement: Any) -> list:
        if statement not in facts.tests:
            return [with_blocks(statement, block)]
        location = statement.location
        refusal = located_at(call(error, *map(constant, SHARED)), statement.value)
        tests = [Branch(located_at(call(shares, name(label), node), node), (Leave("raise", refusal, location),), (),
                        location) for (label, _), node in facts.tests[statement].items()]
        return [*tests, replace(statement, apart=True)]

    given = {**program.given, **facts.given, shares: np.shares_memory, error: UnsupportedError}
    return replace(program, body=block(program.body), names=frozenset(names.taken), given=given)


def are_apart(first: Any, second: Any) -> bool:
    """Whether two expressions of parts of one array have no element in common: ``u[0]`` and ``u[1]``, ``u[:n]`` and
    ``u[n:]``."""
    if not isinstance(first, gast.Subscript) or not isinstance(second, gast.Subscript) or not same(
            first.value, second.value):
        return False
    for one, other in zip(indices(first), indices(second)):
        if is_ellipsis(one) or is_ellipsis(other):
            return False
        if ends_before(one, other) or ends_before(other, one):
            return True
    return False


def indices(node: gast.Subscript) -> list[Any]:
    return node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]


def is_ellipsis(node: Any) -> bool:
    """Whether what comes behind a part of an index is along another axis than its place tells."""
    return isinstance(node, gast.Constant) and node.value in (None, ...)


def ends_before(one: Any, other: Any) -> bool:
    """Whether all that one index picks along an axis comes before what another one picks: by counts from the same end,
    or by one bound."""
    if any(isinstance(part, gast.Slice) and part.step is not None for part in (one, other)):
        return False
    first = one.upper if isinstance(one, gast.Slice) else one
    last = other.lower if isinstance(other, gast.Slice) else other
    if first is None or last is None:
        return False
    from_start, to = counted(first), counted(last)
    if from_start is not None and to is not None and (from_start < 0) is (to < 0):
        return from_start < to or isinstance(one, gast.Slice) and from_start == to
    return isinstance(one, gast.Slice) and is_plain(first) and same(first, last)


def counted(node: Any) -> int | None:
    """The number that an index is, where it is written out."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        found = counted(node.operand)
        return None if found is None else -found
    return node.value if isinstance(node, gast.Constant) and type(node.value) is int else None
