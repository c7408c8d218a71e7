"""Abstract interpretation of ``try``, and the check that it can be reversed.

A ``try`` is a branch: either its body was left otherwise than by an exception that is caught, or a handler ran. Where
that ran, nothing tells how much of the body did, and nothing of it is reversed: so a differentiated value that the body
may have bound before the exception came must not be read from there on, until its name is bound anew.
"""
from __future__ import annotations

import contextlib
import copy
import enum
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.bound_memory import is_memory
from s2sgrad.compiler.contexts import is_harmless
from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.evaluate import Evaluator
from s2sgrad.compiler.facts import Called, Facts, Version
from s2sgrad.compiler.liveness import Reads
from s2sgrad.compiler.nodes import constant, names_in, tuple_of, walk
from s2sgrad.compiler.objects import objects_in
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Attempt,
    Augment,
    Branch,
    Context,
    Delete,
    Evaluate,
    Handler,
    Import,
    Leave,
    Loop,
    Pattern,
    Program,
    Remove,
    Store,
    always_leaves,
    assigned_names,
    expressions_in,
    leaves,
    only_raises,
    pattern_names,
    read_names,
    statements,
    with_blocks,
    without_blocks,
)
from s2sgrad.compiler.telling import EXCEPTION
from s2sgrad.containers import in_library
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import MISSING, NEVER, Abstract, Items, Numeric, Opaque, join, known_value, with_numbers

AFTER_A_WRITE = (FloatingPointError, RuntimeWarning)
"""What NumPy raises, where it is told to raise anything, once an operation in place on an array is done."""


class Caught(enum.Enum):
    """What the handlers of a ``try`` statement catch, at most."""

    RAISED = enum.auto()
    """What nothing but a ``raise`` raises: StopIteration, exceptions that the user defined."""
    USUAL = enum.auto()
    LATE = enum.auto()
    """Also what is raised once a write is done (``AFTER_A_WRITE``)."""


class HalfDone(UnsupportedError):
    """Nothing tells how much of a block was done when control left it."""


class Managed(HalfDone):
    """A ``with`` statement whose manager does more than may be left to it."""

    statement: Context
    maker: Any
    """The class of the manager, or what makes it."""


class Attempts(Evaluator):
    """The statements around code that may raise."""

    block: Any
    expand: Any
    expanded: dict[Any, list]
    join_environments: Any

    def do_Attempt(self, statement: Attempt, environment: dict) -> dict | None:
        bound = assigned_names(statement.body)
        if any(may_catch(self.passively(test, environment), AFTER_A_WRITE) or not bound.isdisjoint(names_in(test))
               for test in caught_by(statement)):
            self.facts.catches_late.add(statement)
        end = self.block(statement.then, environment)
        caught = self.midway(half_done(statement.body, self.facts, kinds_caught(statement, self.facts)),
                             statement.body, environment)
        for name, version in caught.items():
            if environment.get(name) is not version:
                self.facts.defined[statement, name] = version
        self.facts.heads[statement] = caught
        return self.met(statement, end, self.block(statement.orelse, caught))

    def suppressed(self, statement: Context, environment: dict) -> Attempt | None:
        """``with contextlib.suppress(kind): ...`` as the ``try`` statement that it is."""
        self.facts.attempts.pop(statement, None)
        if len(statement.items) != 1 or statement.items[0][1] is not None:
            return None
        manager, location = statement.items[0][0], statement.location
        if not isinstance(manager, gast.Call) or manager.keywords:
            return None
        named = [kind for given in manager.args for kind in getattr(given, "elts", [given])]
        if not all(isinstance(kind, (gast.Name, gast.Attribute)) for kind in named) \
                or known_value(self.passively(manager.func, environment)) is not contextlib.suppress:
            return None
        kinds = named[0] if len(named) == 1 else tuple_of(named)
        handler = Handler(gast.copy_location(kinds, manager), (), (Leave("raise", None, location),), location)
        attempt = Attempt(constant(True), (Context((), statement.body, location),), (handler,), location)
        self.facts.attempts[statement] = attempt
        self.facts.before[attempt] = environment
        return attempt

    def do_Handler(self, statement: Handler, environment: dict) -> dict | None:
        self.passively(statement.test, environment)
        inside = environment
        if statement.target is not None:
            self.facts.tells = True
            version = self.version(statement.target, EXCEPTION, "caught")
            self.facts.defined[statement, statement.target] = version
            inside = {**environment, statement.target: version}
        end = self.block(statement.then, inside)
        if end is not None:  # Python deletes the name
            end = {name: version for name, version in end.items() if name != statement.target}
        return self.met(statement, end, self.block(statement.orelse, environment))

    def met(self, statement: Branch, then: dict | None, orelse: dict | None) -> dict | None:
        result: dict | None = self.join_environments([then, orelse])
        if result is not None:
            self.facts.after[statement] = result
        return result

    def midway(self, names: Iterable[str], body: tuple, environment: dict) -> dict:
        """An environment in which nothing is known of these names but what a block may make of them."""
        result = dict(environment)
        inside = list(with_others(body, self.facts))
        deleted = {name for inner in inside if isinstance(inner, Remove) for name in inner.targets}
        for name in sorted(names):
            before = environment.get(name)
            made = [self.facts.defined[inner, name] for inner in inside if (inner, name) in self.facts.defined]
            versions = list(dict.fromkeys(made if before is None else [before, *made]))
            value: Abstract = NEVER
            for version in versions:
                elsewhere = version.loop is not (self.loops[-1] if self.loops else None)
                value = join(value, without_sizes(version.value) if elsewhere else version.value)
            for inner in inside:
                called = self.facts.call_of(getattr(inner, "value", None))
                for held in on_the_way(called, name) if called is not None else ():
                    value = join(value, held)
            if versions:
                result[name] = self.version(name, value, "joined", tuple(versions),
                                            before is None or before.unbound or name in deleted)
        return result

    def finish(self, statement: Context, environment: dict, end: dict | None) -> dict | None:
        """What a ``finally`` holds runs after every way through the body; where that changes what is differentiated, it
        is written out for the body's end and for exceptions each."""
        midway = self.midway(changed(statement.body, self.facts), statement.body, environment)
        after = self.block(statement.final, midway)
        if after is None:
            return None
        bound = {name: version for name, version in after.items() if midway.get(name) is not version}
        for version in bound.values():
            active = version.value.active and not self.sets_constants(version, midway.get(version.name))
            if leaves(statement.body):
                raise HalfDone(f"a finally block changes {version.name}, and control may leave its try block otherwise "
                               "than by its end", "do it behind the try statement", statement.final[0].location)
            if active:
                if statement not in self.expanded:
                    self.expanded[statement] = finished_apart(statement)
                return self.expand(statement, self.expanded[statement], environment)
        return None if end is None else {**end, **bound}

    def sets_constants(self, version: Version, before: Version | None) -> bool:
        """Whether all that was done to an object is that attributes which are not differentiated got other values."""
        changes = {new: (statement, old) for statement, (old, new) in self.facts.in_place.items()}
        while version is not before:
            statement, old = changes.get(version, (None, version))
            if not sets_a_constant(statement, self.facts):
                return False
            version = old
        return True


def finished_apart(statement: Context) -> list:
    """``try: ... finally: ...`` as ``try: ... except: ...; raise`` with what it holds once more behind it: of a run
    that ends with an exception nothing is differentiated."""
    location = statement.location
    again = Leave("raise", None, location)
    handler = Handler(constant(None), (*copy.deepcopy(statement.final), again), (again,), location)
    return [Attempt(constant(True), (Context((), statement.body, location),), (handler,), location), *statement.final]


def without_sizes(value: Abstract) -> Abstract:
    """A value made in an inner loop, of which sizes that have names there are not known outside."""
    return with_numbers(value, lambda found: found if found.shape is None else replace(
        found, dim=None, shape=tuple(None if isinstance(dim, tuple) else dim for dim in found.shape)))


def on_the_way(called: Called, name: str, seen: frozenset = frozenset()) -> Iterator[Abstract]:
    """What is known of an object of this name while a call stores something in it, which may raise anywhere."""
    facts = called.derivative.facts if called.derivative.is_known else None
    for parameter, label in called.written.items():
        if label != name or facts is None or parameter not in facts.stored or (called.derivative, parameter) in seen:
            continue
        yield from (version.value for (_, changed), version in facts.defined.items() if changed == parameter)
        for inner in facts.calls.values():
            yield from on_the_way(inner, parameter, seen | {(called.derivative, parameter)})


# ---- what an exception leaves behind

def check_attempts(program: Program, facts: Facts) -> None:
    """Raises UnsupportedError where a differentiated value may be read of which is not known whether it was bound
    before or after an exception came."""
    attempts = [statement for statement in statements(program.body) if isinstance(statement, Attempt)]
    if not attempts:
        return
    reads = Reads(facts, {}, frozenset(facts.written))  # whoever calls the function reads those
    reads.block(program.body, reads.ends)
    for attempt in attempts:
        if ends_raised(attempt):
            continue
        check_names(attempt, facts)
        caught = kinds_caught(attempt, facts)
        for name, done in half_done(attempt.body, facts, caught).items():
            version = facts.defined.get((attempt, name))
            if version is None or not version.value.active or sets_constants(name, done, facts, caught):
                continue
            statement, _ = done[-1]
            # an argument may be written into under a name that nobody reads
            if name in reads.handled[attempt] or facts.hidden and is_memory(version):
                written = name in program.parameters or re.search(rf"\b{name}\b", statement.location.words())
                raise HalfDone(
                    f"{name if written else 'what this line changes'} may be read after an exception that this try "
                    "block catches, and nothing tells whether this line ran before it",
                    "move the line out of the try block, or " + (
                        f"bind {name} in the handler" if written else "let what it calls return that, y = g(y)"),
                    statement.location)


def ends_raised(attempt: Attempt) -> bool:
    """Whether each handler ends with an exception, so that nothing is differentiated that it reads."""
    handler: Any = attempt.orelse[0]
    while isinstance(handler, Handler) and only_raises(handler.then):
        handler = handler.orelse[0]
    return isinstance(handler, Leave)


def check_names(attempt: Attempt, facts: Facts) -> None:
    """Raises UnsupportedError where a handler might catch that a name is not bound, which may be otherwise here."""
    if not any(may_catch(facts.values[id(test)], (UnboundLocalError,)) for test in caught_by(attempt)):
        return
    for statement in statements(attempt.body):
        environment = facts.before.get(statement, {})
        for name in read_names((without_blocks(statement),)):
            if name in environment and environment[name].unbound:
                raise UnsupportedError(f"{name} may not be bound here, which a handler might catch",
                                       "bind it before, or catch another kind of exception", statement.location)


def caught_by(attempt: Attempt) -> Iterator[Any]:
    """What the handlers of a ``try`` statement catch, as it is written."""
    handler: Any = attempt.orelse[0]
    while isinstance(handler, Handler):
        yield handler.test
        handler = handler.orelse[0]


def may_catch(test: Abstract, kinds: tuple[type, ...]) -> bool:
    """Whether a handler may catch an exception of one of some kinds, or of what is derived from one."""
    if isinstance(test, Items) and test.items is not None:
        return any(may_catch(item, kinds) for item in test.items)
    known = known_value(test)
    return not isinstance(known, type) or any(issubclass(kind, known) or issubclass(known, kind) for kind in kinds)


def kinds_caught(attempt: Attempt, facts: Facts) -> Caught:
    """What the handlers of a ``try`` statement catch."""
    if attempt in facts.catches_late:
        return Caught.LATE
    tests = [facts.values.get(id(test), Opaque()) for test in caught_by(attempt)]
    told = [kind for test in tests for kind in (test.items or () if isinstance(test, Items) else (test,))]
    return Caught.RAISED if told and all(map(is_only_raised, told)) and not attempt.collected else Caught.USUAL


def is_only_raised(kind: Abstract) -> bool:
    """Whether an exception is known to come of a ``raise`` alone."""
    known = known_value(kind)
    return known is StopIteration or isinstance(known, type) and not in_library(known.__module__)


def caught_inside(statement: Branch, facts: Facts, caught: Caught) -> Caught:
    """What is caught of that which the arms of a branch raise: of a ``try``, the handlers may raise something else."""
    if statement in facts.catches_late:
        return Caught.LATE
    return Caught.USUAL if isinstance(statement, Attempt) and caught is Caught.RAISED else caught


def half_done(body: tuple, facts: Facts, caught: Caught) -> dict[str, tuple]:
    """The names that a block may have given other values when an exception leaves it, each with the statements, and
    whether they raised that exception."""
    last = max((place for place, statement in enumerate(body) if may_raise(statement, facts, caught)), default=-1)
    found = [left_behind(statement, facts, caught) for statement in body[:max(last, 0)]]
    return together(found if last < 0 else [*found, left_by(body[last], facts, caught)])


def together(found: Iterable[dict[str, tuple]]) -> dict[str, tuple]:
    result: dict[str, tuple] = {}
    for part in found:
        result.update({name: (*result.get(name, ()), *done) for name, done in part.items()})
    return result


def left_behind(statement: Any, facts: Facts, caught: Caught) -> dict[str, tuple]:
    """The same once control has come past a statement, or left it by an exception."""
    if isinstance(statement, Branch):
        caught = caught_inside(statement, facts, caught)
        return together(half_done(arm, facts, caught) if always_leaves(arm) else dict.fromkeys(
            changed(arm, facts), ((statement, False),)) for arm in (statement.then, statement.orelse))
    return dict.fromkeys(changed((statement,), facts), ((statement, False),))


def left_by(statement: Any, facts: Facts, caught: Caught) -> dict[str, tuple]:
    """The same once an exception has left a statement, behind which none can come."""
    if isinstance(statement, Branch):
        caught = caught_inside(statement, facts, caught)
        return together(half_done(arm, facts, caught) for arm in (statement.then, statement.orelse))
    if isinstance(statement, Context) and not statement.final and all(
            leaves_quietly(manager, facts) for manager, _ in statement.items):
        return half_done(statement.body, facts, caught)
    if isinstance(statement, (Assign, Evaluate)) and statement in facts.written_out:
        return half_done(tuple(facts.written_out[statement]), facts, caught)
    if is_done_at_once(statement, facts, caught):
        return {}
    names = changed((statement,), facts)
    if isinstance(statement, Assign) and is_flat(statement.target):
        names -= set(pattern_names(statement.target)) - written_by(statement, facts)
    return dict.fromkeys(names, ((statement, True),))


def written_by(statement: Any, facts: Facts) -> set[str]:
    """The names of what the call that a statement is made of changes."""
    called = facts.call_of(getattr(statement, "value", None))
    return {*getattr(statement, "writes", ()), *(() if called is None else called.written.values())}


def is_flat(target: Pattern) -> bool:
    """Whether an assignment binds its names only once it has got all values."""
    return isinstance(target, str) or not any(isinstance(part, tuple) for part in target)


def sets_a_constant(statement: Any, facts: Facts) -> bool:
    """Whether all that is done to an object is that an attribute which is not differentiated gets another value."""
    return isinstance(statement, (Store, Augment)) and statement in facts.places and not any(
        id(node) in facts.values and facts.value(node).active for node in (statement.value, statement.target))


def sets_constants(label: str, done: Iterable[tuple[Any, bool]], facts: Facts, caught: Caught) -> bool:
    """The same of what statements did to what a name stands for when an exception came of them, or of one behind."""
    return all(not does_to(inner, label, facts) or sets_a_constant(inner, facts) or label in set_by_call(
        inner, facts, caught, raised and inner is statement)
        for statement, raised in done for inner in with_others((statement,), facts))


def does_to(statement: Any, label: str, facts: Facts) -> bool:
    """Whether a statement, apart from those inside of it, binds a name or changes what it stands for."""
    made = facts.defined.get((statement, label))
    alone = with_blocks(statement, lambda _: ())
    return made is not None and made.origin != "joined" or label in assigned_names((alone,))


def set_by_call(statement: Any, facts: Facts, caught: Caught, raised: bool) -> set[str]:
    """The names of objects of which a call, all that a statement may raise by, has changed such attributes only."""
    called = facts.call_of(statement.value) if isinstance(statement, (Assign, Evaluate)) else None
    value = facts.values.get(id(statement.value)) if called is not None else None
    if called is None or not isinstance(getattr(statement, "target", ""), str) and not (
            isinstance(value, Items) and value.items is not None and is_flat(statement.target)):
        return set()  # what it gave may be too much for the names, or too little
    more = {label for parameter, label in called.written.items() if parameter not in called.derivative.set_only[
        caught if raised else None]}
    return set(called.written.values()) - more - assigned_names((statement,), False)


def changed(body: tuple, facts: Facts) -> set[str]:
    """The names that a block binds, or changes what they stand for: by methods of objects, too."""
    inside = set(with_others(body, facts))
    return assigned_names(body) | {label for statement, label in facts.defined
                                   if statement in inside and label not in facts.inner}


def with_others(body: tuple, facts: Facts, seen: set | None = None) -> Iterator[Any]:
    """The statements of a block, with those that they stand for, which may hold statements of the block: each once."""
    seen = set() if seen is None else seen
    for statement in statements(body):
        if statement not in seen:
            seen.add(statement)
            yield statement
            single = [table[statement] for table in (facts.stores, facts.backs) if statement in table]
            yield from with_others((*facts.written_out.get(statement, ()), *single), facts, seen)


def may_raise(statement: Any, facts: Facts, caught: Caught) -> bool:
    """Whether a statement may raise what is caught."""
    if caught is Caught.RAISED:
        return any(isinstance(inner, (Context, Import, Delete)) or isinstance(inner, Leave) and inner.kind == "raise"
                   or any(has_effect(part, facts) or asks_objects(part, facts) for part in expressions_in(inner))
                   for inner in with_others((statement,), facts))
    if isinstance(statement, Assign):
        return not (isinstance(statement.target, str) and is_at_hand(statement.value, statement, facts))
    if isinstance(statement, Augment):
        return not counts(statement, facts)
    if isinstance(statement, Store):
        return not statement.back
    if isinstance(statement, Leave):
        value = statement.value
        return statement.kind == "raise" or value is not None and not is_at_hand(value, statement, facts)
    if isinstance(statement, Append):
        held = facts.in_place[statement][0].value if statement in facts.in_place else None
        return not (isinstance(held, Items) and held.kind is list and isinstance(statement.target, gast.Name)
                    and is_at_hand(statement.value, statement, facts))
    return True


def asks_objects(node: gast.AST, facts: Facts) -> bool:
    """Whether an expression does more with what may be an object than to read its attributes: tests and operators may
    run methods of it."""
    bases = {id(part.value) for part in walk(node) if isinstance(part, gast.Attribute)}
    return any(may_be_object(facts.values.get(id(part), Opaque())) for part in walk(node) if isinstance(
        part, (gast.Name, gast.Attribute, gast.Subscript, gast.Call)) and id(part) not in bases)


def may_be_object(value: Abstract) -> bool:
    """Whether a value may be, or hold, an object of a class of the user's."""
    known = known_value(value)
    if known is not MISSING:
        return not in_library(type(known).__module__)
    return not isinstance(value, (Numeric, Items)) or any(objects_in(value))


def counts(statement: Augment, facts: Facts) -> bool:
    """Whether a statement adds a whole number to one of Python's: ``self.calls += 1``."""
    held = facts.values.get(id(statement.target))
    return isinstance(held, Numeric) and held.kind == "python" and held.dtype is not None and held.dtype.kind == "i" \
        and isinstance(statement.operator, (gast.Add, gast.Sub)) and type(getattr(
            statement.value, "value", None)) is int and is_at_hand(statement.target, statement, facts)


def is_at_hand(node: Any, statement: Any, facts: Facts) -> bool:
    """Whether an expression is made of constants, of names that are bound, of attributes of objects that have them, of
    ``-v`` of numbers, and of arrays without elements."""
    if isinstance(node, gast.Tuple):
        return all(is_at_hand(part, statement, facts) for part in node.elts)
    if isinstance(node, gast.Attribute):
        held = facts.values.get(id(node.value))
        return isinstance(held, Items) and held.is_object and held.has_field(node.attr) and is_at_hand(
            node.value, statement, facts)
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        value = facts.values.get(id(node.operand))
        return isinstance(value, Numeric) and value.is_number and is_at_hand(node.operand, statement, facts)
    if isinstance(node, gast.Call):
        parts = [item for part in node.args for item in getattr(part, "elts", [part])]
        return known_value(facts.values.get(id(node.func), Opaque())) is np.zeros and not node.keywords and all(
            isinstance(part, gast.Constant) and part.value == 0 for part in parts)
    if isinstance(node, gast.Name):
        version = facts.before.get(statement, {}).get(node.id)
        return version is not None and not version.unbound
    return isinstance(node, gast.Constant)


def leaves_quietly(manager: gast.AST, facts: Facts) -> bool:
    """Whether a manager raises nothing of its own at the end of its block."""
    made = isinstance(manager, gast.Call)
    known = known_value(facts.values.get(id(manager.func if made else manager), Opaque()))  # type: ignore[attr-defined]
    return is_harmless(known, made)


def is_done_at_once(statement: Any, facts: Facts, caught: Caught) -> bool:
    """Whether a statement that raises has changed nothing: what is assigned or stored is evaluated before."""
    if isinstance(statement, (Loop, Context, Import, Remove)):
        return False
    if isinstance(statement, (Assign, Evaluate)):
        called = facts.call_of(statement.value)
        by_call = set(statement.writes) if id(statement.value) in facts.popped else set() if called is None else {
            label for parameter, label in called.written.items() if parameter in called.derivative.in_one_go[caught]}
    if isinstance(statement, Assign):
        flat = isinstance(statement.target, str) or not by_call and is_flat(statement.target)
        return flat and (by_call or not statement.writes) and changed((statement,), facts) <= {
            *by_call, *pattern_names(statement.target)}
    if isinstance(statement, Evaluate):
        return changed((statement,), facts) <= by_call
    if not isinstance(statement, (Augment, Store)) or statement not in facts.in_place \
            or caught is not Caught.LATE:
        return True
    array = facts.in_place[statement][0].value
    if isinstance(array, Items):
        return True
    if isinstance(statement, Augment):  # u += v and u[1:] += v have written when NumPy looks for overflows
        part = facts.values.get(id(statement.target))
        if isinstance(statement.target, gast.Name) or not (isinstance(part, Numeric) and part.is_number):
            return False
    return fits(facts.values.get(id(statement.value)), array)


def changed_in_one_go(program: Program, facts: Facts, caught: Caught) -> frozenset[str]:
    """The parameters in which a function changes something once it has done all that may raise what is caught; none
    where it may raise that in between."""
    written = {old.name for old, _ in facts.in_place.values()}.union(
        *(called.written.values() for called in facts.calls.values()))
    half = {label for label, done in half_done(program.body, facts, caught).items() if label in written and not all(
        isinstance(statement, Assign) and statement.target == label for statement, _ in done)}  # have a name, not more
    return frozenset() if half or facts.hidden else frozenset(facts.written)


def constants_set(program: Program, facts: Facts, caught: Caught | None) -> frozenset[str]:
    """The parameters of which a function changed no more than attributes that are not differentiated where it raises
    what is caught; with None, wherever it ends."""
    whole = tuple((statement, False) for statement in program.body)
    half = {} if caught is None else half_done(program.body, facts, caught)
    return frozenset() if facts.hidden else frozenset(label for label in facts.written if sets_constants(
        label, whole if caught is None else half.get(label, ()), facts, caught or Caught.LATE))


def fits(value: Abstract | None, array: Abstract) -> bool:
    """Whether storing a value in an array changes nothing of it, so that no conversion can overflow on the way."""
    return isinstance(value, Numeric) and isinstance(array, Numeric) and value.dtype is not None \
        and array.dtype is not None and np.can_cast(value.dtype, array.dtype, "safe")
