"""Functions that make objects, without these: for each attribute a name.

``net = Network(); opt = SGD(net.params); opt.step(grads)`` makes objects that have one another's lists, dicts and
arrays. All that is decided by what they are is known before the function runs: which method a call means, what an
attribute leads to, how often a loop over layers runs. So the function is gone through like Python does, with what is
not known as an expression; what comes out is a program over numbers and arrays, in which each attribute is a variable,
with the loops and branches that depend on numbers. It means what the function means, and it is differentiated in its
place. This is tried only once a function was refused as it stands.
"""
from __future__ import annotations

import copy
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler import objects
from s2sgrad.compiler.bindings import is_logging
from s2sgrad.compiler.contexts import hands_on
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.dissolved import (
    UNBOUND,
    Box,
    CannotDissolve,
    Fixed,
    Frame,
    Leaf,
    StartAgain,
    State,
    Value,
    is_object,
    kind_of,
)
from s2sgrad.compiler.dissolving_calls import mentions_classes
from s2sgrad.compiler.dissolving_loops import GONE, Turn
from s2sgrad.compiler.dissolving_stores import Stores, root
from s2sgrad.compiler.effects import MUTATING_METHODS
from s2sgrad.compiler.evaluation import NeedsSizes
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.nodes import Names, name
from s2sgrad.compiler.pipelines import runs_to_the_end_first
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Augment,
    Branch,
    Context,
    Declare,
    Define,
    Delete,
    Evaluate,
    Leave,
    Loop,
    Program,
    Remove,
    Store,
    Verbatim,
    assigned_names,
    leaves,
    read_names,
    statements,
    with_blocks,
)
from s2sgrad.errors import SourceError, UnsupportedError
from s2sgrad.frozen import frozen
from s2sgrad.rules.abstract import Abstract, Numeric

MOST_CALLS = 64
"""So deep calls are gone through in one another."""
MOST_LINES = 2500
MOST_ROUNDS = 12


@frozen(eq=False)
class Leaving:
    """In a row of statements: the end of a ``with`` block."""

    manager: Value
    location: Any


def dissolved(program: Program, arguments: dict[str, Abstract], outer: Callable[[Any], Callable[..., Abstract]],
              program_of: Callable[[Definition], Program], inferred: Callable[[Program], Facts],
             refusal: UnsupportedError) -> Program | None:
    """The program without the objects that it makes; None where that can't be done, or it makes none.

    Raises NeedsSizes where loops can only be written out for arrays and lists of known sizes; with ``refusal``, should
    these not be had.
    """
    if program.outer or program.is_generated or not (mentions_classes(program.owner) or any(
            any(objects.objects_in(value)) for value in arguments.values())):
        return None
    growing: set = set()
    steady: set = set()
    stored: set[str] = set()
    filled: set[str] = set()
    arrays: set[int] = set()
    for _ in range(MOST_ROUNDS):
        work = Dissolve(program, arguments, outer, program_of, growing, stored, arrays)
        work.state.steady, work.filled = steady, filled
        try:
            made = work.run()
        except StartAgain:
            continue
        except (CannotDissolve, UnsupportedError, SourceError, RecursionError):
            if work.state.uncounted:
                raise NeedsSizes(work.state.uncounted - {list}, list in work.state.uncounted, refusal) from None
            return None
        if not work.doubtful:
            return made
        facts = inferred(made)
        more = {count for count, statement in work.doubtful.items()
                if statement in facts.before and is_array(facts, statement)}
        if not more - arrays:
            return made
        arrays |= more
    return None


def is_array(facts: Facts, statement: Augment) -> bool:
    version = facts.before[statement].get(statement.target.id)  # type: ignore[attr-defined]
    return version is not None and isinstance(version.value, Numeric) and version.value.kind == "array"


class Dissolve(Stores):
    def __init__(self, program: Program, arguments: dict[str, Abstract], outer: Callable, program_of: Callable,
                 growing: set, stored: set[str], arrays: set[int]):
        self.program = program
        self.outer_of = outer
        self.outer = outer(program.owner)
        self.program_of = program_of
        self.given = dict(program.given)
        self.state = State(Names(program.names))
        self.state.growing = growing
        self.stored = stored
        self.read: set[str] = set()
        self.arrays = arrays
        self.doubtful: dict[int, Augment] = {}
        """By their number the in-place operators on what has several names, and may be an array or a number."""
        self.augmented = 0
        self.path: list[int] = []
        self.lines = 0
        self.location = program.location
        frame = Frame(program, program.owner, None, objects.class_of(program.owner))
        for label in program.parameters:
            frame.content[label] = self.from_known(name(label), arguments[label])
        self.state.frames.append(frame)

    def run(self) -> Program:
        self.row(list(self.program.body))
        body = tuple(map(written_anew, without_unread(tuple(self.state.out))))
        labels = frozenset(self.state.names.taken) | {*self.given}
        free = tuple(dict.fromkeys((*self.program.free, *sorted(self.state.outer - set(self.given)))))
        return replace(self.program, body=body, names=self.program.names | labels, given=self.given, free=free,
                       inner={}, receiver=self.program.receiver)

    # ---- rows of statements

    def row(self, todo: list) -> Value | None:
        """Go through statements; what they return, None where control comes to their end, GONE where it never does."""
        self.state.rows.append(todo)
        try:
            return self.through(todo)
        finally:
            self.state.rows.pop()

    def through(self, todo: list) -> Value | None:
        while todo:
            statement = todo.pop(0)
            self.lines += 1
            if self.lines > MOST_LINES:
                raise CannotDissolve("too long")
            self.location = statement.location
            if isinstance(statement, Branch) and type(statement) is Branch:
                test = self.truth(self.value(statement.test))
                if isinstance(test, Fixed):
                    todo[:0] = statement.then if test.value else statement.orelse
                    continue
                ends, result = self.branch(statement, test.node, todo)
                if ends:
                    return result
            elif isinstance(statement, Leave):
                found = self.leave(statement, todo)
                if found is not None:
                    return found
            elif isinstance(statement, Loop):
                self.loop(statement, todo)
            elif isinstance(statement, Turn):
                self.turn(statement, todo)
            elif isinstance(statement, Context) and not statement.final:
                self.context(statement, todo)
            elif isinstance(statement, Leaving):
                self.closing(statement)
            else:
                self.statement(statement)
        return None

    def branch(self, statement: Branch, test: Any, todo: list) -> tuple[bool, Value | None]:
        """A branch on what is computed: both arms, with what follows them where one may leave."""
        state = self.state
        rest = list(todo) if leaves(statement.then) or leaves(statement.orelse) else []
        if rest and any(isinstance(part, Leaving) for part in rest):
            raise CannotDissolve("control may leave a with block")
        leaving = bool(leaves(statement.then) or leaves(statement.orelse))
        before, out = state.snapshot(), state.out
        ends = []
        for arm in (statement.then, statement.orelse):
            state.restore(before)
            state.out = []
            depth = len(state.frames)
            given = self.row([*arm, *rest])
            del state.frames[depth:]
            ends.append((state.snapshot(), state.out, given))
        state.out = out
        location = statement.location
        (one, first, here), (other, second, there) = ends
        if here is GONE or there is GONE:
            if here is GONE and there is GONE:
                state.write(Branch(test, tuple(first), tuple(second), location))
                return True, GONE
            state.restore(other if here is GONE else one)
            if here is GONE:
                state.write(Branch(test, tuple(first), (), location))
                state.out += second
            else:
                state.write(Branch(test, tuple(first), tuple(second), location))
            return leaving, there if here is GONE else here
        if (here is None) is not (there is None):
            here, there = (Fixed(None) if end is None else end for end in (here, there))
        plain = here is None
        found = state.meet(before, [(one, first, here or Fixed(None)), (other, second, there or Fixed(None))], location)
        if first or second:
            state.write(Branch(test, tuple(first), tuple(second), location))
        return leaving, None if plain else found

    def decide(self, test: Any, first: Callable, second: Callable, node: Any) -> Value:
        """``first() if test else second()``: an expression where that can be one."""
        state = self.state
        before, out = state.snapshot(), state.out
        ends = []
        for arm in (first, second):
            state.restore(before)
            state.out = []
            given = arm()
            ends.append((state.snapshot(), state.out, given))
        state.out = out
        (_, one, here), (_, other, there) = ends
        nodes = [state.node_for(value) for value in (here, there)]
        if not one and not other and None not in nodes:
            state.restore(before)
            plain = all(getattr(value, "plain", True) for value in (here, there))
            return Leaf(gast.copy_location(gast.IfExp(test, *nodes), node), plain)
        found = state.meet(before, ends, self.location)
        if one or other:
            state.write(Branch(test, tuple(one), tuple(other), self.location))
        return found

    def leave(self, statement: Leave, todo: list) -> Value | None:
        """``return``, ``raise``, ``break``, ``continue``; None where the row goes on."""
        state = self.state
        if statement.kind == "return":
            value = Fixed(None) if statement.value is None else self.value(statement.value)
            if any(isinstance(part, Leaving) for part in todo):
                raise CannotDissolve("return in a with block")
            if len(state.frames) > 1:
                if self.frame.loops:
                    raise CannotDissolve("return in a loop")
                return value
            state.write(Leave("return", None if statement.value is None else self.node(value), statement.location))
            return GONE
        if statement.kind == "raise":
            parts = [None if part is None else self.node(self.value(part))
                     for part in (statement.value, statement.cause)]
            if statement.value is None:
                raise CannotDissolve("raise")
            state.write(Leave("raise", parts[0], statement.location, parts[1]))
            return GONE
        place = next((place for place, part in enumerate(todo) if isinstance(part, Turn)), None)
        if place is not None:
            if any(isinstance(part, Leaving) for part in todo[:place]):
                raise CannotDissolve("control may leave a with block")
            del todo[:place + (statement.kind == "break")]
            return None
        running = self.frame.loops[-1]
        self.end_of_turn(running)
        state.write(Leave(statement.kind, None, statement.location))
        return GONE

    # ---- with

    def context(self, statement: Context, todo: list) -> None:
        if not statement.items:
            todo[:0] = statement.body
            return
        if len(statement.items) > 1:
            inner = replace(statement, items=statement.items[1:])
            todo.insert(0, replace(statement, items=statement.items[:1], body=(inner,)))
            return
        (node, target), = statement.items
        manager = self.value(node)
        if is_object(manager):
            if leaves(statement.body) or not hands_on(kind_of(manager)):
                raise CannotDissolve("control may leave a with block")
            entered = self.call(self.attribute(manager, "__enter__"), [], {})
            if target is not None:
                self.assign(target, entered)
            todo[:0] = [*statement.body, Leaving(manager, statement.location)]
            self.state.pending.append(manager)
            return
        if leaves(statement.body) or target is not None or not isinstance(manager, Leaf):
            raise CannotDissolve("a manager")
        out, self.state.out = self.state.out, []
        self.row(list(statement.body))
        body, self.state.out = self.state.out, out
        self.state.write(Context(((self.node(manager), None),), tuple(body), statement.location))

    def closing(self, statement: Leaving) -> None:
        """What ``__exit__`` does once a block came to its end: where it was left by an exception, nothing of what it
        changes is seen by anybody, as long as it only binds names."""
        manager = statement.manager
        count = len(self.state.out)
        given = self.call(self.attribute(manager, "__exit__"), [Fixed(None)] * 3, {})
        swallows = not isinstance(given, Fixed) or bool(given.value)
        if swallows or not all(isinstance(part, (Assign, Augment)) for part in self.state.out[count:]):
            raise CannotDissolve("what __exit__ does")
        self.state.pending.remove(manager)

    # ---- plain statements

    def statement(self, statement: Any) -> None:
        if isinstance(statement, Assign):
            self.assigned(statement)
        elif isinstance(statement, Augment):
            self.augment(statement)
        elif isinstance(statement, Store):
            self.store(statement)
        elif isinstance(statement, Append):
            base, *parts = self.values([statement.target, statement.value, statement.place])
            if parts[1] is None:
                self.effect(base, "append", parts[:1])
            else:
                self.effect(base, "insert", parts[::-1])
        elif isinstance(statement, Evaluate):
            self.evaluated(statement)
        elif isinstance(statement, Define):
            node = statement.node
            if not isinstance(node, gast.FunctionDef) or node.decorator_list:
                raise CannotDissolve("a function with decorators")
            self.frame.content[node.name] = self.closure(node)
        elif isinstance(statement, Delete):
            base, index = self.values([statement.target.value, statement.target.slice])
            if not isinstance(base, Box) or base.kind is not dict or self.key(index) not in base.content:
                raise CannotDissolve("del")
            del base.content[self.key(index)]
        elif isinstance(statement, Remove):
            for label in statement.targets:
                self.frame.content[label] = UNBOUND
        elif isinstance(statement, Verbatim) and isinstance(statement.node, gast.Assert):
            test = self.truth(self.value(statement.node.test))
            if isinstance(test, Fixed) and not test.value:
                raise CannotDissolve("assert")
            if not isinstance(test, Fixed):
                said = statement.node.msg
                if said is not None and not isinstance(said, gast.Constant):
                    raise CannotDissolve("what an assert says")
                self.state.write(Verbatim(gast.copy_location(gast.Assert(test.node, said), statement.node),
                                          statement.location))
        elif isinstance(statement, Verbatim):
            self.verbatim(statement)
        elif not isinstance(statement, Declare):
            raise CannotDissolve(type(statement).__name__)

    def verbatim(self, statement: Verbatim) -> None:
        """What a function defined inside does with variables around it."""
        node, location = statement.node, statement.location
        if isinstance(node, gast.AugAssign):
            self.augment(Augment(node.target, node.op, node.value, location))
        elif isinstance(node, gast.Expr):
            self.evaluated(Evaluate(node.value, location))
        elif isinstance(node, gast.Assign) and isinstance(node.targets[0], (gast.Attribute, gast.Subscript)) \
                and len(node.targets) == 1:
            self.store(Store(node.targets[0], node.value, location))
        elif isinstance(node, gast.Assign) and isinstance(node.targets[0], gast.Name) and len(node.targets) == 1:
            self.assigned(Assign(node.targets[0].id, node.value, location))
        elif not isinstance(node, gast.Nonlocal):
            raise CannotDissolve(type(node).__name__)

    def assigned(self, statement: Assign) -> None:
        value = self.value(statement.value)
        self.assign(statement.target, value)

    def evaluated(self, statement: Evaluate) -> None:
        value = statement.value
        if isinstance(value, gast.Call) and isinstance(value.func, gast.Attribute) \
                and value.func.attr in MUTATING_METHODS and not value.keywords and not any(
                    isinstance(item, gast.Starred) for item in value.args):
            base, *parts = self.values([value.func.value, *value.args])
            self.effect(base, value.func.attr, parts, value)
            return
        found = self.called_now(self.value(value))
        if not isinstance(found, Leaf):
            return
        receiver = root(getattr(getattr(found.node, "func", None), "value", None))
        if isinstance(receiver, gast.Name) and receiver.id in self.state.outer:
            held = getattr(self.outer(receiver.id), "value", None)
            if not isinstance(held, types.ModuleType) and not is_logging(type(held)):
                raise CannotDissolve("a call for its effect on something outside")
        self.state.write(Evaluate(found.node, statement.location))

    # ---- calls

    def run_call(self, definition: Definition, positional: list[Value], named: dict[str, Value], around: Frame | None,
                 within: type | None, defaults: dict[int, Value]) -> Value:
        """Go through a function's text in the place of a call."""
        state = self.state
        if len(state.frames) > MOST_CALLS:
            raise CannotDissolve("calls in calls")
        try:
            definition, bound = definition.fitting(positional, named)
        except TypeError:
            raise CannotDissolve("arguments that do not fit") from None
        program = self.program_of(definition)
        frame = Frame(program, definition.function, around, within)
        if not all(frame.has_around(label) for label in program.outer):
            raise CannotDissolve("what is outside changes")
        state.names.taken |= set(program.free)
        location = self.location
        for label, part, default in zip(program.parameters, bound, definition.defaults()):
            if part is None:
                part = self.fixed_default(default)
            elif isinstance(part, gast.AST):
                part = defaults[id(part)]
            elif isinstance(part, Box) and part.views is not None and runs_to_the_end_first(
                    program.body, label, definition.function, definition.function.__name__ == "__init__"):
                part = Box(list, part.content)  # as good as what gives one thing after the other
            state.put(frame, label, part, location)
            state.pending.append(frame)
        state.frames.append(frame)
        result = self.row(list(program.body))
        state.frames.pop()
        for _ in program.parameters:
            state.pending.remove(frame)
        self.location = location
        if result is GONE:
            raise CannotDissolve("a call that never returns")
        return Fixed(None) if result is None else result


def without_unread(body: tuple) -> tuple:
    """A block without names for what has another one, or is a constant, that nothing reads."""
    read = read_names(body).union(*(assigned_names((part,)) for part in statements(body) if isinstance(
        part, (Augment, Store, Append, Evaluate))))

    def kept(block: tuple) -> tuple:
        return tuple(with_blocks(part, kept) for part in block if not (
            isinstance(part, Assign) and isinstance(part.target, str) and part.target not in read
            and isinstance(part.value, (gast.Name, gast.Constant))))

    made = kept(body)
    return made if len(statements(made)) == len(statements(body)) else without_unread(made)


def written_anew(statement: Any) -> Any:
    """A statement with expressions of its own: analyses tell them apart by identity."""
    parts = {label: copied(part, statement.location) for label, part in vars(statement).items()
             if isinstance(part, gast.AST) and label != "operator"}
    if isinstance(statement, Context):
        parts["items"] = tuple((copied(manager, statement.location), target) for manager, target in statement.items)
    return with_blocks(replace(statement, **parts), lambda block: tuple(map(written_anew, block)))


def copied(node: Any, location: Any) -> Any:
    made = copy.copy(node)
    for label in node._fields:
        part = getattr(node, label, None)
        if isinstance(part, list):
            setattr(made, label, [copied(item, location) if isinstance(item, gast.AST) else item for item in part])
        elif isinstance(part, gast.AST):
            setattr(made, label, copied(part, location))
    if isinstance(made, gast.expr) and not hasattr(made, "lineno"):
        made.lineno, made.col_offset = location.line, location.column
        made.end_lineno, made.end_col_offset = location.end_line, location.end_column
    return made
