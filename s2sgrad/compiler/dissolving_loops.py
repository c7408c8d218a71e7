"""Loops that ``dissolve.py`` goes through: those over what is known turn by turn, all others once, with names for what
changes from turn to turn."""
from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import gast

from s2sgrad.compiler import objects
from s2sgrad.compiler.dissolved import (
    UNBOUND,
    Box,
    CannotDissolve,
    Fixed,
    Frame,
    Given,
    Leaf,
    Value,
    boxes_asked,
    held_in,
    same,
)
from s2sgrad.compiler.dissolving_items import Comprehensions, Watched
from s2sgrad.compiler.nodes import constant, name
from s2sgrad.compiler.program import Branch, Leave, Loop, Pattern, Rest
from s2sgrad.frozen import frozen

MOST_TURNS = 64
"""So many turns of a loop are written out."""
MOST_ROUNDS = 12
GONE = Fixed(None)
"""The end of a row of statements that control never comes to."""


@frozen(eq=False)
class Turn:
    """In a row of statements: the next turn of a loop that is written out, with what its target gets in each."""

    loop: Loop
    items: tuple
    place: int
    location: Any
    watched: Watched

    @property
    def still(self) -> tuple:
        """What its target is still to get."""
        return self.items[self.place:]


@dataclass(eq=False)
class Running:
    """A loop of the new program."""

    before: dict[Box, dict]
    carried: dict[tuple[Box, Any], str] = field(default_factory=dict)
    dropped: set[tuple[Box, Any]] = field(default_factory=set)
    unsure: set[str] = field(default_factory=set)
    """Names of what may be an object of a class of the user's."""

    @property
    def size(self) -> int:
        return len(self.carried) + len(self.dropped) + len(self.unsure)


class Loops(Comprehensions):
    row: Callable[[list], Value | None]
    assign: Callable[..., None]
    augmented: int
    doubtful: dict

    def loop(self, statement: Loop, todo: list) -> None:
        state = self.state
        items = None
        watched = Watched(None, state)
        if statement.target is not None:
            iterated = self.value(statement.iterable)
            watched = Watched(iterated, state)
            if isinstance(iterated, Box):
                iterated = state.kept(iterated, "items", statement.location)
            if isinstance(iterated, Fixed) and type(iterated.value) is range:
                items = [Fixed(place) for place in iterated.value] if len(iterated.value) <= MOST_TURNS else None
            elif not isinstance(iterated, Leaf):
                if isinstance(iterated, Given) and not any(objects.objects_in(iterated.known)):
                    with contextlib.suppress(CannotDissolve):
                        items = self.items(iterated)
                else:
                    items = self.items(iterated)
                    iterated = None
        else:
            iterated = None
        if statement.target is None or iterated is not None:
            before, out, depth = state.snapshot(), state.out, len(state.frames)
            saved = len(state.pending), len(self.path), self.augmented, dict(self.doubtful), len(out)
            try:
                self.run_loop(statement, iterated, watched)
                return
            except CannotDissolve:
                state.restore(before)
                state.out = out
                del out[saved[4]:], state.frames[depth:], state.pending[saved[0]:], self.path[saved[1]:]
                self.augmented, self.doubtful = saved[2:4]
                if statement.target is not None and items is None:
                    iterated = self.opened(iterated)
                    watched, items = Watched(iterated, state), self.items(iterated)
        if items is not None and len(items) > MOST_TURNS:
            raise CannotDissolve("a long loop")
        todo.insert(0, Turn(statement, tuple(items or ()), 0, statement.location, watched))

    def turn(self, statement: Turn, todo: list) -> None:
        loop = statement.loop
        statement.watched.check(statement.place)
        if loop.target is not None:
            if statement.place == len(statement.items):
                return
            self.assign(loop.target, statement.items[statement.place])
        else:
            test = self.truth(self.value(loop.iterable))
            if not isinstance(test, Fixed) or statement.place > MOST_TURNS:
                raise CannotDissolve("a while loop")
            if not test.value:
                return
        todo[:0] = [*loop.body, replace(statement, place=statement.place + 1)]

    def run_loop(self, statement: Loop, iterated: Value | None, watched: Watched) -> None:
        """A loop that stays one."""
        state, frame = self.state, self.frame
        running = Running(state.snapshot())
        if iterated is not None:
            iterable = self.node(iterated)
            self.items_given_away(boxes_asked([iterated]))
        frame.loops.append(running)
        out = state.out
        counted = self.augmented
        try:
            for _ in range(MOST_ROUNDS):
                known = running.size
                self.augmented = counted
                state.restore(running.before)
                for (box, key), label in running.carried.items():
                    bound = running.before[box].get(key, UNBOUND) is not UNBOUND
                    box.content[key] = Leaf(name(label), label not in running.unsure) if bound else UNBOUND
                for box, key in running.dropped:
                    box.content[key] = UNBOUND
                body: list = []
                state.out = body
                target = None
                if statement.target is not None:
                    target = self.loop_target(statement.target, isinstance(iterated, Fixed) or isinstance(
                        iterated, Leaf) and iterated.plain)
                    test: Any = iterable
                else:
                    test = self.truth(self.value(statement.iterable))
                    if isinstance(test, Fixed):
                        if not test.value:
                            raise CannotDissolve("a loop that may not run")
                        test = constant(True)
                    else:
                        test = test.node
                        if body:
                            state.out = end = []
                            self.end_of_turn(running)
                            end.append(Leave("break", None, statement.location))
                            body.append(Branch(test, (), tuple(end), statement.location))
                            state.out, test = body, constant(True)
                if self.row(list(statement.body)) is not GONE:
                    self.end_of_turn(running)
                if running.size == known:
                    break
            else:
                raise CannotDissolve("a loop")
        finally:
            frame.loops.remove(running)
            state.out = out
        if any(box in watched.boxes for box, _ in (*running.carried, *running.dropped)):
            raise CannotDissolve("a loop that changes what it runs over")
        state.restore(running.before)
        first = []
        for (box, key), label in running.carried.items():
            value = running.before[box].get(key, UNBOUND)
            if value is not UNBOUND:
                first.append((label, state.node_for(value)))
            box.content[key] = Leaf(name(label), label not in running.unsure, late=value is UNBOUND)
        for box, key in running.dropped:
            box.content[key] = UNBOUND
        state.move(state.out, first, statement.location)
        state.write(Loop(target, gast.copy_location(copy.deepcopy(test), statement.iterable), tuple(body),
                         statement.location))

    def loop_target(self, target: Pattern, plain: bool) -> Pattern:
        if isinstance(target, tuple):
            return tuple(self.loop_target(part, plain) for part in target)
        label = target.name if isinstance(target, Rest) else target
        if label in self.frame.program.bound:
            raise CannotDissolve("nonlocal")
        own = self.state.own(self.frame, label)
        self.frame.content[label] = Leaf(name(own), plain)
        return replace(target, name=own) if isinstance(target, Rest) else own

    def end_of_turn(self, running: Running) -> None:
        """What changed in a turn is under names from turn to turn."""
        state = self.state
        moves = []
        for box, was in running.before.items():
            if box.kind in (list, dict, set) and box.content.keys() != was.keys():
                state.grow(box)
            for key in (*was, *(key for key in box.content if key not in was)):
                value, old = box.content.get(key, UNBOUND), was.get(key, UNBOUND)
                label = running.carried.get((box, key))
                if value is UNBOUND and old is UNBOUND and key not in was:
                    running.dropped.add((box, key))
                    continue
                if label is None and ((box, key) in running.dropped or same(value, old)):
                    continue
                node = state.node_for(value)
                if node is None:
                    local = isinstance(box, Frame) and isinstance(old, Box)
                    if label is not None or old is not UNBOUND and not local:
                        raise CannotDissolve(f"{key} is one thing or another")
                    running.dropped.add((box, key))
                    continue
                if old is not UNBOUND and state.node_for(old) is None:
                    raise CannotDissolve(f"{key} is one thing or another")
                if label is None:
                    label = running.carried[box, key] = self.carried_name(running, box, key, old)
                if not all(getattr(each, "plain", True) for each in (value, old)):
                    running.unsure.add(label)
                moves.append((label, node))
        state.move(state.out, moves, self.location)

    def carried_name(self, running: Running, box: Box, key: Any, old: Value) -> str:
        state = self.state
        label = box.own.get(key, key if box is state.frames[0] else None)
        if label is None or label in running.carried.values() or held_in(label, running.before, (box, key)):
            label = state.names.fresh(state.wanted(box, key))
        box.own[key] = label
        return label
