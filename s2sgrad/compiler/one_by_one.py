"""``try`` statements, one statement at a time: what the body has done when an exception comes is told by which of them
it comes from.

``try: a; b; except E: c`` becomes ``try: a; except E: c; else: try: b; except E: c``, and what a block inside of the
body does is caught in there. That is what Python does, said in statements that have done nothing where they fail. It is
done only once a program was refused as it stands, and only where what the body changes is read after an exception.
"""
from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.attempts import Managed, changed, finished_apart
from s2sgrad.compiler.changes import gives_iterator
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.leaving import flagged, marked
from s2sgrad.compiler.liveness import Reads
from s2sgrad.compiler.managed import written_out
from s2sgrad.compiler.nodes import Names, constant, name, names_in, walk
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Attempt,
    Augment,
    Branch,
    Context,
    Evaluate,
    Handler,
    Leave,
    Loop,
    Program,
    Store,
    always_leaves,
    assigned_names,
    leaves,
    read_names,
    statements,
    with_blocks,
)
from s2sgrad.compiler.ways_out import FLAGS, placed, without_ways_out
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import Opaque

MOST_MANAGERS = 8
MOST_LINES = 400
"""So many statements of handlers are written out, at most."""
RUN_OVER = {"range", "enumerate", "zip", "len", "reversed"}


class Unfit(Exception):
    """A ``try`` statement can't be taken apart."""


def one_by_one(program: Program, inferred: Callable[[Program], Facts]) -> Program | None:
    """The program with ``try`` statements of which each says what was done when an exception comes; None where that
    can't be done, or nothing is to be done."""
    names = Names(program.names)
    plain = with_names(program, without_ways_out(program.body, names), names, {})
    try:
        for _ in range(MOST_MANAGERS):
            try:
                facts = inferred(plain)
            except Managed as refusal:
                made = written_out(plain, refusal, names)
                if made is None:
                    break
                plain = with_names(made, made.body, names, {})
                continue
            names.taken |= {*facts.given, *facts.reserved}
            body = _OneByOne(plain, facts, names).run()
            plain = with_names(plain, body, names, facts.given)
            break
    except (UnsupportedError, Unfit):
        pass
    return None if plain.body is program.body else plain


def with_names(program: Program, body: tuple, names: Names, given: dict[str, object]) -> Program:
    return replace(program, body=body, given={**program.given, **given}, names=program.names.union(
        given, assigned_names(body), (label for label, _ in names.handed)))


class _OneByOne:
    def __init__(self, program: Program, facts: Facts, names: Names):
        self.facts = facts
        self.names = names
        self.lines = 0
        self.body = self.with_attempts(program.body)
        reads = Reads(facts, {}, frozenset(facts.written))
        reads.block(self.body, reads.ends)
        self.handled = reads.handled
        self.own = {label for label, _ in names.handed}
        """Names of numbers and flags that the program was given here."""

    def with_attempts(self, body: tuple) -> tuple:
        """A block with ``with contextlib.suppress(...)``, and others of which it is known what they do, as the ``try``
        statements that they are."""
        made: list = []
        for statement in body:
            if isinstance(statement, (Context, Loop)) and statement in self.facts.written_out:
                self.names.taken |= assigned_names(tuple(self.facts.written_out[statement]))
                made += self.with_attempts(tuple(self.facts.written_out[statement]))
            elif {*self.facts.attempts, *self.facts.written_out}.isdisjoint(statements((statement,))):
                made.append(statement)
            else:
                made.append(with_blocks(self.facts.attempts.get(statement, statement), self.with_attempts))
        return tuple(made)

    def run(self) -> tuple:
        return self.block(self.body)

    def block(self, body: tuple) -> tuple:
        if not any(isinstance(statement, Attempt) for statement in statements(body)):
            return body
        return tuple(new for statement in body for new in self.statement(statement))

    def statement(self, statement: Any) -> tuple:
        if not isinstance(statement, Attempt):
            return (with_blocks(statement, self.block),)
        rest = self.block(statement.then[1:])
        catching = Catching(tuple(self.block(statement.orelse)), self.handled[statement])
        return self.protected(statement.body, catching, rest)

    # ---- under the protection of handlers

    def protected(self, body: tuple, catching: Catching, rest: tuple) -> tuple:
        """A block of which each statement is watched by handlers, and behind it what is done where none of them ran."""
        count = 0
        while count < len(body) and not self.is_told(body[count], catching):
            count += 1
        if count == len(body):
            return self.watched(body, catching, rest)
        statement, more = body[count], body[count + 1:]
        if count and isinstance(statement, (Branch, Context, Loop)):
            return self.watched(body[:count], catching, self.protected(body[count:], catching, rest))
        if isinstance(statement, Attempt):
            return self.inside(statement, catching, more, rest)
        if isinstance(statement, Loop):
            return self.loop(statement, catching, more, rest)
        if type(statement) is Branch:
            return self.branch(statement, catching, more, rest)
        if isinstance(statement, Context) and statement.final and not statement.items:
            return self.protected((*finished_apart(statement), *more), catching, rest)
        return self.watched(body[:count + 1], catching, self.protected(more, catching, rest) if more else rest)

    def is_told(self, statement: Any, catching: Catching) -> bool:
        """Whether what a statement changes is read after an exception."""
        return not catching.read.isdisjoint(changed((statement,), self.facts)) or bool(
            self.facts.hidden) and isinstance(statement, (Store, Append, Evaluate, Augment))

    def watched(self, body: tuple, catching: Catching, rest: tuple) -> tuple:
        if not body:
            return rest
        if len(body) == 1 and is_quiet(body[0]):
            return (*body, *rest)
        self.lines += len(statements(catching.handlers))
        if self.lines > MOST_LINES:
            raise Unfit
        location = body[0].location
        return (Attempt(constant(True), (Context((), self.block(body), location), *rest),
                        copy.deepcopy(catching.handlers), location),)

    def caught(self, catching: Catching, location: Any) -> tuple[tuple, Catching, gast.AST]:
        """What comes before statements of which it is told whether a handler ran, their handlers, and a test of whether
        none did."""
        label = self.names.fresh("caught")
        self.own.add(label)
        noted = Catching(noting(catching.handlers, Assign(label, placed(constant(True), location), location)),
                         catching.read)
        none = placed(gast.UnaryOp(gast.Not(), name(label)), location)
        return (Assign(label, placed(constant(False), location), location),), noted, none

    def branch(self, statement: Branch, catching: Catching, more: tuple, rest: tuple) -> tuple:
        """``if test:``, the test on a line before: it may raise, too."""
        location = statement.location
        first: tuple = ()
        after: tuple = ()
        then, orelse = statement.then, statement.orelse
        if always_leaves(then):
            orelse, more = (*orelse, *more), ()
        elif always_leaves(orelse):
            then, more = (*then, *more), ()
        alone = always_leaves(then) or always_leaves(orelse)
        ends = [rest if not always_leaves(arm) else () for arm in (then, orelse)]
        if not alone and (more or rest):
            first, catching, none = self.caught(catching, location)
            after = (Branch(none, self.protected(more, catching, rest), (), location),)
            ends = [(), ()]
        arms = [self.protected(arm, catching, end) for arm, end in zip((then, orelse), ends)]
        if self.own.issuperset(names_in(statement.test)):  # which raises nothing
            return (*first, Branch(statement.test, arms[0], arms[1], location), *after)
        label = self.names.fresh("test")
        tested = Assign(label, placed(gast.UnaryOp(gast.Not(), statement.test), location), location)
        test = Branch(placed(name(label), location), arms[1], arms[0], location)
        return (*first, *self.watched((tested,), catching, (test,)), *after)

    def loop(self, statement: Loop, catching: Catching, more: tuple, rest: tuple) -> tuple:
        """A loop that ends with the turn in which an exception comes."""
        location = statement.location
        called = self.facts.call_of(statement.iterable)
        if statement.target is None and not isinstance(statement.iterable, gast.Constant) \
                or called is not None and called.derivative.definition.collected:
            raise Unfit  # a generator gets no name
        if statement.target is not None and not runs_quietly(statement.iterable):
            if self.may_raise_between_turns(statement.iterable):
                raise Unfit
            label = self.names.fresh("sequence")
            named = replace(statement, iterable=gast.copy_location(name(label), statement.iterable))
            behind = self.loop(named, catching, more, rest)
            return self.watched((Assign(label, statement.iterable, location),), catching, behind)
        first, noted, none = self.caught(catching, location)
        handlers, before, ways = noted.handlers, list(first), []
        for kind in sorted(leaves(handlers) & {"break", "continue"}):  # which is out of a loop around the ``try``
            flag = self.names.fresh(FLAGS[kind])
            own = f"{kind} by {flag}"
            handlers = marked(handlers, kind, own)
            before.append(Assign(flag, placed(constant(False), location), location))
            out = Leave(kind, None, location)
            ways.append((own, flag, Branch(placed(name(flag), location), (out,), (), location)))
        looped: tuple = (replace(statement, body=self.protected(
            statement.body, Catching(leaving(handlers), catching.read), ())),)
        for own, flag, _ in ways:
            looped = flagged(looped, own, flag)
        after = (Branch(none, self.protected(more, catching, rest), (), location),) if more or rest else ()
        return (*before, *looped, *(out for _, _, out in ways), *after)

    def may_raise_between_turns(self, iterable: gast.AST) -> bool:
        """Whether what a loop runs over computes its items by and by."""
        return any(isinstance(part, gast.GeneratorExp) or isinstance(part, gast.Call) and getattr(
            part.func, "id", "") not in RUN_OVER and gives_iterator(self.facts.values.get(id(part.func), Opaque()))
            for part in walk(iterable))

    def inside(self, statement: Attempt, catching: Catching, more: tuple, rest: tuple) -> tuple:
        """A ``try`` in the body of another: what its handlers don't catch, and raise, the outer ones do."""
        location = statement.location
        first: tuple = ()
        after: tuple = ()
        if more or rest:
            first, catching, none = self.caught(catching, location)
            after = (Branch(none, self.protected(more, catching, rest), (), location),)
        read = self.handled.get(statement, frozenset(read_names(statement.orelse)))
        inner = Catching(self.handlers(statement.orelse, catching), catching.read | read)
        rest = self.protected(statement.then[1:], catching, ())
        return (*first, *self.protected(statement.body, inner, rest), *after)

    def handlers(self, chain: tuple, catching: Catching) -> tuple:
        """Handlers inside of a ``try`` statement, and behind them those of it."""
        handler, = chain
        if not isinstance(handler, Handler):
            return catching.handlers
        catches_all = isinstance(handler.test, gast.Constant)  # except:
        return (replace(handler, then=self.protected(handler.then, catching, ()),
                        orelse=handler.orelse if catches_all else self.handlers(handler.orelse, catching)),)


class Catching:
    """Handlers, and the names that may be read once an exception came to them."""

    def __init__(self, handlers: tuple, read: frozenset[str]):
        self.handlers = handlers
        self.read = read


def noting(chain: tuple, note: Assign) -> tuple:
    """Handlers that begin with a statement."""
    handler, = chain
    if not isinstance(handler, Handler):
        return chain
    return (replace(handler, then=(note, *handler.then), orelse=noting(handler.orelse, note)),)


def leaving(chain: tuple) -> tuple:
    """Handlers that end the loop around."""
    handler, = chain
    if not isinstance(handler, Handler):
        return chain
    end = () if always_leaves(handler.then) else (Leave("break", None, handler.location),)
    return (replace(handler, then=(*handler.then, *end), orelse=leaving(handler.orelse)),)


def is_quiet(statement: Any) -> bool:
    """Whether a statement raises nothing."""
    if isinstance(statement, Leave):
        return statement.kind in ("break", "continue") or statement.kind == "return" and (
            statement.value is None or isinstance(statement.value, gast.Constant))
    return isinstance(statement, Assign) and isinstance(statement.target, str) and isinstance(
        statement.value, gast.Constant)


def runs_quietly(node: Any) -> bool:
    """Whether running over an expression raises nothing, but where it is no sequence."""
    if isinstance(node, gast.Call):
        return isinstance(node.func, gast.Name) and node.func.id in RUN_OVER and not node.keywords and all(
            map(runs_quietly, node.args))
    return isinstance(node, (gast.Name, gast.Constant))
