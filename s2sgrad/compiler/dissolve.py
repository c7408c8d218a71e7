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
from s2sgrad.compiler.contexts import hands_on
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.dissolved import (
    LITERALS,
    UNBOUND,
    Box,
    CannotDissolve,
    Fixed,
    Frame,
    Given,
    Leaf,
    StartAgain,
    State,
    Value,
    is_object,
    kind_of,
)
from s2sgrad.compiler.dissolving import BINARY, MOST_CALLS, MUTATING
from s2sgrad.compiler.dissolving_calls import mentions_classes
from s2sgrad.compiler.dissolving_loops import GONE, Loops, Turn
from s2sgrad.compiler.evaluation import NeedsSizes
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.parse import CHANGING
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
    Names,
    Pattern,
    Program,
    Remove,
    Rest,
    Store,
    Verbatim,
    assigned_names,
    attribute,
    leaves,
    name,
    pattern_names,
    read_names,
    statements,
    subscript,
    with_blocks,
)
from s2sgrad.errors import UnsupportedError
from s2sgrad.frozen import frozen
from s2sgrad.rules.abstract import MISSING, Abstract, Numeric

MOST_LINES = 2500
MOST_ROUNDS = 12


@frozen(eq=False)
class Leaving:
    """In a row of statements: the end of a ``with`` block."""

    manager: Value
    location: Any


GIVING = {"pop", "popitem", "setdefault"}
"""Methods that change a container and give something."""


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
        except (CannotDissolve, UnsupportedError, RecursionError):
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


class Dissolve(Loops):
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

    def assign(self, target: Pattern, value: Value) -> None:
        if isinstance(target, str):
            self.state.put(self.home(target), target, value, self.location)
            return
        if isinstance(target, Rest):
            raise CannotDissolve("a starred target")
        if isinstance(value, Leaf):
            parts = [self.target_for(part) for part in target]
            self.state.write(Assign(tuple(parts), value.node, self.location))
            for label in pattern_names(target):
                self.frame.content[label] = Leaf(name(self.frame.own[label]), value.plain)
            return
        items = self.items(value)
        if len(items) != len(target) or any(isinstance(part, Rest) for part in target):
            raise CannotDissolve("what is unpacked")
        depth = len(self.state.pending)
        self.state.pending += items
        for part, item in zip(target, items):
            self.state.pending.remove(item)
            self.assign(part, item)
        del self.state.pending[depth:]

    def target_for(self, target: Pattern) -> Pattern:
        if isinstance(target, tuple):
            return tuple(map(self.target_for, target))
        label = target.name if isinstance(target, Rest) else target
        if label in self.frame.program.bound:
            raise CannotDissolve("nonlocal")
        own = self.state.own(self.frame, label)
        self.frame.own[label] = own
        return replace(target, name=own) if isinstance(target, Rest) else own

    def augment(self, statement: Augment) -> None:
        """``place += value``: what is there is read before the value is computed."""
        target: Any = statement.target
        state = self.state
        if isinstance(target, gast.Name):
            found = [self.lookup(target.id)]
        elif isinstance(target, gast.Attribute):
            found = [self.value(target.value)]
            found.append(self.attribute(found[0], target.attr))
        else:
            found = self.values([target.value, target.slice])
            found.append(self.item(*found))
        depth, count = len(state.pending), len(state.out)
        state.pending += found
        value = self.value(statement.value)
        del state.pending[depth:]
        late = len(state.out) > count
        if late:
            self.settle(found, [count] * len(found))
        *around, old = found
        if isinstance(target, gast.Name):
            self.augment_place(statement, self.home(target.id), target.id, old, value)
            return
        base = around[0]
        if isinstance(target, gast.Attribute):
            if isinstance(base, Box):
                if type(objects.found_in(base.kind, target.attr)) is property or changes_stores(base.kind):
                    self.store_attribute(base, target.attr, self.augmented_value(statement, old, value))
                else:
                    self.augment_place(statement, base, target.attr, old, value)
                return
            if isinstance(base, Given):
                if type(objects.found_in(kind_of(base), target.attr)) is property or changes_stores(kind_of(base)):
                    raise CannotDissolve("a property")
                self.note_stored(base, target.attr)
            new = attribute(self.written(Leaf(self.node(base))), target.attr)
        elif is_object(base):
            self.special(base, "__setitem__", around[1], self.augmented_value(statement, old, value))
            return
        elif isinstance(base, Box):
            self.augment_place(statement, base, self.place_in(base, around[1]), old, value)
            return
        else:
            new = subscript(self.written(base, around[1]), self.node(around[1]))
        new = gast.copy_location(new, target)
        if late:
            part = self.state.names.fresh("part")
            state.write(Assign(part, self.node(old), statement.location))
            state.write(Augment(name(part), statement.operator, self.node(value), statement.location))
            state.write(Store(new, name(part), statement.location))
        else:
            state.write(Augment(new, statement.operator, self.node(value), statement.location))

    def augmented_value(self, statement: Augment, old: Value, value: Value) -> Value:
        """What a method of the user's class gets to store: an array that was written into, or what is new."""
        place = Box(tuple, {None: old}, label="part")
        self.augment_place(statement, place, None, old, value)
        return place.content[None]

    def augment_place(self, statement: Augment, box: Box, key: Any, old: Value, value: Value) -> None:
        """``place += value``, where what is there is a number, an array, a list or an object."""
        state, kind = self.state, type(statement.operator)
        self.augmented += 1
        old = state.kept(old, state.wanted(box, key), statement.location)
        if is_object(old) and objects.updates_in_place(kind_of(old), kind):
            given = self.special(old, f"__i{objects.OPERATORS[kind]}__", value)
            if isinstance(given, Fixed) and given.value is NotImplemented:
                raise CannotDissolve("an in-place operator")
            state.put(box, key, given, statement.location)
            return
        if isinstance(old, Box) and old.kind is list and kind is gast.Add:
            self.list_extend(old, value)
            return
        if isinstance(old, Leaf) and isinstance(old.node, gast.Name) and not is_object(value) and not isinstance(
                old, Given):
            label = old.node.id
            shared = state.mentions(label, (box, key)) or label in state.outer
            if shared and self.augmented not in self.arrays:
                own = state.names.fresh(state.wanted(box, key))
                state.write(Assign(own, name(label), statement.location))
                box.own[key] = own
                label = own
            new = Augment(gast.copy_location(name(label), statement.target), statement.operator, self.node(value),
                          statement.location)
            if shared:
                self.doubtful[self.augmented] = new
            state.write(new)
            box.content[key] = Leaf(name(label), old.plain)
            return
        if isinstance(old, Given):
            raise CannotDissolve("an in-place operator")
        if isinstance(old, Fixed) and type(old.value) in LITERALS and not (
                isinstance(value, Fixed) and kind in BINARY) or isinstance(old, Leaf) or is_object(old) or isinstance(
                    old, Fixed) or isinstance(old, Box) and old.kind is tuple:
            node = gast.copy_location(gast.BinOp(None, statement.operator, None), statement.target)
            state.put(box, key, self.binary(node, old, value), statement.location)
            return
        raise CannotDissolve("an in-place operator")

    def store(self, statement: Store) -> None:
        target: Any = statement.target
        if isinstance(target, gast.Attribute):
            value, base = self.values([statement.value, target.value])
            self.store_attribute(base, target.attr, value)
            return
        value, base, index = self.values([statement.value, target.value, target.slice])
        if is_object(base):
            self.special(base, "__setitem__", index, value)
        elif isinstance(base, Box):
            if isinstance(index, Fixed) and isinstance(index.value, slice) and base.kind is list:
                raise CannotDissolve("a slice of a list")
            key = self.place_in(base, index, new=True)
            self.state.put(base, key, value, statement.location)
        else:
            made = gast.copy_location(subscript(self.written(base, index), self.node(index)), target)
            self.state.write(Store(made, self.given_away(value), statement.location))

    def place_in(self, box: Box, index: Value, new: bool = False) -> Any:
        if box.kind is list:
            place = self.number(index)
            place += len(box.content) * (place < 0)
            if place not in box.content:
                raise CannotDissolve("an index")
            return place
        if box.kind is not dict:
            raise CannotDissolve("a store")
        key = self.key(index)
        if key not in box.content and not new:
            raise CannotDissolve("a key that is not there")
        return key

    def written(self, base: Value, index: Value | None = None) -> Any:
        """An expression for an array, or a container of the new program, that is written into."""
        if isinstance(base, Leaf) and not isinstance(root(base.node), gast.Name):
            base = self.state.kept(base, "part", self.location)
        if isinstance(base, Given) and isinstance(index, Fixed) and base.known.indexed(index.value) is not MISSING:
            if root(base.node).id in self.state.outer or any(objects.objects_in(base.known)):
                raise CannotDissolve("a store")
            if not self.filled:
                self.filled.add("")
                raise StartAgain
            return base.node
        if isinstance(base, Given) and isinstance(base.node, gast.Attribute):
            self.note_stored(base, base.node.attr)
        if not isinstance(base, Leaf) or root(base.node).id in self.state.outer:
            raise CannotDissolve("a store")
        return base.node

    def store_attribute(self, base: Value, label: str, value: Value) -> None:
        if isinstance(base, Box) and base.kind not in (list, tuple, dict, set):
            found = objects.found_in(base.kind, label)
            if type(found) is property:
                if found.fset is None:
                    raise CannotDissolve("a property")
                self.outer(label, base.kind)
                self.call_function(found.fset, [base, value], {})
                return
            if changes_stores(base.kind):
                self.special(base, "__setattr__", Fixed(label), value)
                return
            if found is not MISSING and hasattr(type(found), "__set__") and not is_slot(found):
                raise CannotDissolve("a descriptor")
            self.state.put(base, label, value, self.location)
            return
        if not isinstance(base, Given) or type(objects.found_in(kind_of(base), label)) is property or changes_stores(
                kind_of(base)) or root(base.node).id in self.state.outer:
            raise CannotDissolve("a store")
        self.note_stored(base, label)
        self.state.write(Store(attribute(base.node, label), self.given_away(value), self.location))

    def note_stored(self, base: Value, label: str) -> None:
        """An attribute of an object that was there before gets another value: nothing of it is known from the start."""
        if label not in self.stored:
            self.stored.add(label)
            raise StartAgain

    def evaluated(self, statement: Evaluate) -> None:
        value = statement.value
        if isinstance(value, gast.Call) and isinstance(value.func, gast.Attribute) and value.func.attr in MUTATING \
                and not value.keywords and not any(isinstance(item, gast.Starred) for item in value.args):
            base, *parts = self.values([value.func.value, *value.args])
            self.effect(base, value.func.attr, parts, value)
            return
        found = self.value(value)
        if not isinstance(found, Leaf):
            return
        receiver = root(getattr(getattr(found.node, "func", None), "value", None))
        if isinstance(receiver, gast.Name) and receiver.id in self.state.outer and not isinstance(
                getattr(self.outer(receiver.id), "value", None), types.ModuleType):
            raise CannotDissolve("a call for its effect on something outside")
        self.state.write(Evaluate(found.node, statement.location))

    def effect(self, base: Value, label: str, parts: list[Value], node: Any = None) -> Value:
        """``base.append(value)`` and its kin, and what that gives."""
        if isinstance(base, Box) or is_object(base):
            return self.call(self.attribute(base, label), parts, {})
        target = self.written(base)
        if label == "append" and len(parts) == 1:
            self.state.write(Append(target, self.node_in(base.site, parts[0]), self.location))
            return Fixed(None)
        made = gast.Call(attribute(target, label), [self.node_in(base.site, part) for part in parts], [])
        made = made if node is None else gast.copy_location(made, node)
        if label in GIVING:
            found = self.state.names.fresh("part")
            self.state.write(Assign(found, made, self.location, (root(target).id,)))
            return Leaf(name(found), False)
        self.state.write(Evaluate(made, self.location, (root(target).id,) if label in CHANGING else ()))
        return Fixed(None)

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


def is_slot(found: Any) -> bool:
    return type(found).__name__ == "member_descriptor"


def changes_stores(kind: type) -> bool:
    """Whether a class has a say in how attributes of its objects are set."""
    return kind.__setattr__ is not object.__setattr__


def root(node: Any) -> Any:
    while isinstance(node, (gast.Attribute, gast.Subscript)):
        node = node.value
    return node
