"""Which names may be read after a write, before they are bound anew: what is written into under one name matters to
another only where that is still to be read."""
from __future__ import annotations

from typing import Any

import gast

from s2sgrad.compiler.effects import functions_in
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.nodes import names_in, walk
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Attempt,
    Augment,
    Branch,
    Context,
    Delete,
    Evaluate,
    Import,
    Leave,
    Loop,
    Remove,
    Store,
    Verbatim,
    pattern_names,
)
from s2sgrad.compiler.scopes import COMPREHENSIONS, read_names

SCOPES = (*COMPREHENSIONS, gast.Lambda)


def closed_over(facts: Facts) -> dict[str, set[str]]:
    """For names that stand for functions defined inside, the names that these take from around them."""
    found: dict[str, set[str]] = {}
    for version in (*facts.parameters.values(), *facts.defined.values()):
        for function in functions_in(version.value):
            found.setdefault(version.name, set()).update(home for _, home in function.homes)
    size = -1
    while size < sum(map(len, found.values())):
        size = sum(map(len, found.values()))
        for homes in found.values():
            homes |= {home for label in homes & found.keys() for home in found[label]}
    return found


class Reads:
    """Backwards: the names that may be read after each write, before they are bound anew.

    ``ends``: the names that are read where the function returns. ``handled``: those that may be read after an exception
    in a ``try`` block.
    """

    def __init__(self, facts: Facts, after: dict[Any, frozenset[str]], ends: frozenset[str] = frozenset()):
        self.closed = closed_over(facts)
        self.found: dict[int, frozenset[str]] = {}
        """The names of expressions that were asked for: those in loops are asked for again."""
        self.after = after
        self.ends = ends
        self.handled: dict[Any, frozenset[str]] = {}
        self.caught: frozenset[str] = frozenset()
        self.exits: list[tuple[frozenset[str], frozenset[str]]] = []
        self.heads_before: dict[Any, tuple[frozenset[str], frozenset[str]]] = {}
        """The names read behind loops, and from the start of their turns, when they were last looked at: where no fewer
        are read behind one in another turn of the loop around it, its own turns start from there."""

    def names(self, node: gast.AST) -> frozenset[str]:
        """The names that evaluating an expression may read, in functions that it calls or hands on too; not those that
        comprehensions and lambdas in it bind."""
        if id(node) not in self.found:
            scoped = any(isinstance(part, SCOPES) for part in walk(node))
            found = frozenset(read_names(node) if scoped else names_in(node))
            self.found[id(node)] = found.union(*(self.closed[label] for label in found & self.closed.keys()))
        return self.found[id(node)]

    def block(self, body: tuple, live: frozenset[str]) -> frozenset[str]:
        live |= self.caught
        for statement in reversed(body):
            live = self.statement(statement, live) | self.caught  # an exception may come at any place
        return live

    def statement(self, statement: Any, live: frozenset[str]) -> frozenset[str]:
        if isinstance(statement, Assign):
            live = live - set(pattern_names(statement.target))
            if statement.writes:
                self.after[statement] = live | self.after.get(statement, frozenset())
            return live.union(self.names(statement.value), statement.writes)  # ``p = []`` for ``p.clear()``: p's list
        if isinstance(statement, (Augment, Store, Append)):
            self.after[statement] = live | self.after.get(statement, frozenset())
            place = self.names(statement.place) if isinstance(statement, Append) and statement.place else frozenset()
            return live | place | self.names(statement.target) | self.names(statement.value)
        if isinstance(statement, Branch):
            if isinstance(statement, Attempt):
                return self.attempt(statement, live)
            return self.block(statement.then, live) | self.block(statement.orelse, live) | self.names(statement.test)
        if isinstance(statement, Loop):
            return self.loop(statement, live)
        if isinstance(statement, Context):
            bound = {label for _, pattern in statement.items if pattern is not None for label in pattern_names(pattern)}
            managers = {label for manager, _ in statement.items for label in self.names(manager)}
            return self.block(statement.body, self.block(statement.final, live)) - bound | managers
        if isinstance(statement, (Import, Remove)):
            return live - set(statement.targets)
        if isinstance(statement, Leave):
            if statement.kind in ("return", "raise"):
                read = frozenset(label for part in (statement.value, statement.cause) if part is not None
                                 for label in self.names(part))
                return read | self.ends if statement.kind == "return" else read
            broken, continued = self.exits[-1]
            return broken if statement.kind == "break" else continued
        if isinstance(statement, (Evaluate, Verbatim, Delete)):
            if isinstance(statement, Evaluate) and statement.writes:
                self.after[statement] = live | self.after.get(statement, frozenset())
            if isinstance(statement, Delete):
                return live | self.names(statement.target)
            node = statement.value if isinstance(statement, Evaluate) else statement.node
            return live | self.names(node)
        return live

    def attempt(self, statement: Attempt, live: frozenset[str]) -> frozenset[str]:
        outer = self.caught
        handled = self.handled[statement] = self.block(statement.orelse, live)
        live = self.block(statement.then[1:], live)
        self.caught = outer | handled
        live = self.block(statement.then[:1], live)
        self.caught = outer
        return live

    def loop(self, statement: Loop, live: frozenset[str]) -> frozenset[str]:
        behind, found = self.heads_before.get(statement, (live, live))
        head = live | found if behind <= live else live
        bound = set(pattern_names(statement.target)) if statement.target is not None else set()
        iterable = frozenset(self.names(statement.iterable))
        while True:
            # an array that is run over is read at each turn; a while test is evaluated at each
            again = head | iterable
            self.exits.append((live, again))
            grown = head | self.block(statement.body, again) - bound | iterable
            self.exits.pop()
            if grown == head:
                self.heads_before[statement] = live, head
                return head
            head = grown
