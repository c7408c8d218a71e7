"""``with`` statements over objects whose class says in Python what ``__enter__`` and ``__exit__`` do, as the calls of
these and the ``try`` statement that they are."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.attempts import Managed
from s2sgrad.compiler.contexts import gives_itself, text_of
from s2sgrad.compiler.nodes import Names, attribute, call, constant, name
from s2sgrad.compiler.program import (
    Assign,
    Attempt,
    Branch,
    Context,
    Evaluate,
    Handler,
    Leave,
    Program,
    assigned_names,
    leaves,
    statements,
    with_blocks,
)
from s2sgrad.compiler.ways_out import left_behind, placed
from s2sgrad.containers import in_library


def written_out(program: Program, refusal: Managed, names: Names) -> Program | None:
    """The program with the ``with`` statement that was refused written out; None where that can't be done."""
    given = next((label for label, value in program.given.items() if value is BaseException), None)
    everything = names.fresh(BaseException.__name__) if given is None else given
    own = assigned_names(program.body, written=False).union(program.parameters)
    made = plainer(refusal.statement, refusal.maker, names, everything, own)
    if made is None or refusal.statement not in statements(program.body):
        return None
    return replace(program, body=put(program.body, refusal.statement, made),
                   given={**program.given, everything: BaseException})


def put(body: tuple, old: Any, new: tuple) -> tuple:
    """A block with others in the place of a statement."""
    return tuple(part for statement in body for part in (
        new if statement is old else (with_blocks(statement, lambda inner: put(inner, old, new)),)))


def plainer(statement: Context, maker: Any, names: Names, everything: str, own: set[str]) -> tuple | None:
    if leaves(statement.body):
        return tuple(left_behind(statement, names))
    if len(statement.items) > 1:
        inner = Context(statement.items[1:], statement.body, statement.location)
        return (Context(statement.items[:1], (inner,), statement.location),)
    if not isinstance(maker, type) or in_library(maker.__module__):
        return None
    enter, leave = (text_of(getattr(maker, label, None)) for label in ("__enter__", "__exit__"))
    if enter is None or leave is None:
        return None
    return calls_of(statement, gives_itself(maker), names, everything, own)


def calls_of(statement: Context, itself: bool, names: Names, everything: str, own: set[str]) -> tuple:
    """What Python says that a ``with`` statement does; ``everything``: what names the class of all exceptions; ``own``:
    the names of the function's own."""
    (node, target), = statement.items
    location = statement.location

    def at(made: Any) -> Any:
        return placed(made, location)

    before: list = []
    if isinstance(node, gast.Name) and node.id not in assigned_names(statement.body, written=False):
        manager = node.id
    elif itself and isinstance(target, str) and target not in assigned_names(statement.body, written=False):
        manager = target
        before.append(Assign(manager, node, location))
    else:
        manager = names.fresh("manager")
        before.append(Assign(manager, node, location))
    changed = (manager,) if before or manager in own else ()
    entered = at(call(attribute(name(manager), "__enter__")))
    if target is None or target == manager:
        before.append(Evaluate(entered, location, changed))
    elif itself:
        before += [Evaluate(entered, location, changed), Assign(target, at(name(manager)), location)]
    else:
        before.append(Assign(target, entered, location, changed))

    error, swallowed = names.fresh("error"), names.fresh("swallowed")
    told = [attribute(name(error), "__class__"), name(error), attribute(name(error), "__traceback__")]
    again = Leave("raise", None, location)
    left = at(call(attribute(name(manager), "__exit__"), *told))
    handler = Handler(at(name(everything)), (
        Assign(swallowed, left, location, changed),
        Branch(at(gast.UnaryOp(gast.Not(), name(swallowed))), (again,), (), location)), (again,), location, error)
    ended = at(call(attribute(name(manager), "__exit__"), *(constant(None) for _ in range(3))))
    then = (Context((), statement.body, location), Evaluate(ended, location, changed))
    return (*before, Attempt(constant(True), then, (handler,), location))
