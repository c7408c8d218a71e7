"""Loops in the adjoint: what their turns carry, found out by trial."""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.algebra import mentions
from s2sgrad.compiler.cotangents import Contribution, Cotangent, subject_value
from s2sgrad.compiler.facts import written_arrays
from s2sgrad.compiler.first_items import with_first_parts
from s2sgrad.compiler.joins import Joins, belongs_to, left_at
from s2sgrad.compiler.loops import Header, header_of
from s2sgrad.compiler.nodes import name, names_in
from s2sgrad.compiler.paths import RETURNED, ways_out
from s2sgrad.compiler.program import (
    Assign,
    Augment,
    Loop,
    assigned_names,
    leaves,
    pattern_names,
    read_names,
    rebound_names,
    statements,
    with_blocks,
)
from s2sgrad.compiler.turns import Start, is_one_literal
from s2sgrad.compiler.walrus import pops
from s2sgrad.errors import Location
from s2sgrad.rules.abstract import Abstract, Items, Numeric, Opaque, is_a_number, item_at, with_dims


class ReversedLoops(Joins):
    """The part of the sweep that writes loops."""

    guarded = False

    def loop(self, loop: Loop) -> None:
        self.operands.location = loop.location
        header = header_of(loop, self.facts, self.operands)
        # an array that is only written into has its shape from before the loop, however control leaves that
        after = {**(self.facts.after.get(loop) or self.facts.beyond[loop]),
                 **written_arrays(loop, self.facts.before[loop])}
        changing = assigned_names(loop.body) | set(pattern_names(loop.target or ()))
        state = self.cotangents.state
        # a list is made the adjoint's own with all that is in it only where it is added into
        steady = self.added_up(loop, after)
        rebound = rebound_names(loop)  # a list that is appended to alone has one cotangent for each item in all turns
        owned = {key: self.is_array(key, after) and (item.owned or not isinstance(item.value, Items))
                 for key, item in state.items() if key[0] in changing and key not in steady
                 and (item.each is None or key[0] in rebound)}
        added_into: set = set()
        situation = (loop, frozenset((key, item.full, item.owned, item.zero, item.each is None, key in steady)
                                     for key, item in state.items()))
        shared = self.turns.shared and not self.operands.loops and RETURNED not in ways_out(loop)
        guessed: dict[Any, bool] = {}
        if situation in self.turns.carried:  # another turn around this loop, or another adjoint, found them out
            owned = self.turns.carried[situation]
        else:
            guessed = {key: self.is_array(key, after) for key in self.accumulated(loop, header, changing)
                       if key not in owned}
        for _ in range(20):
            carried = {**owned, **guessed}
            undo = self.attempt()
            self.enter(loop, self.cotangents.state, carried, after)
            entry = self.entry(loop, self.cotangents.state, carried, after)
            self.cotangents.state = entry
            found = self.turns.written.get(loop) if shared else None
            if found is not None and found.fits(self, entry):
                header, body, left = found.adopt(self, entry)
                break
            start = Start(self) if shared else None
            body, left, known = self.arm(entry, functools.partial(self.turn, loop, header, entry, list(carried)))
            left.update((key, entry[key]) for key in steady if key in left and is_one_literal(left[key], entry[key]))
            more = [key for key in left if left[key] is not entry.get(key) and key not in carried
                    and key[0] in self.facts.heads[loop]]
            less = [key for key in carried if carried[key] and key in left and not left[key].owned]
            lists = [key for key in carried if not carried[key] and key in left and left[key].owned
                     and isinstance(left[key].value, Items) and key not in added_into]
            idle = [key for key in guessed if left.get(key) is entry[key]]
            if not more and not less and not lists and not idle:
                self.operands.know(known)
                if start is not None:
                    self.turns.written[loop] = start.turn(entry, left, header, body)
                break
            undo()
            added_into.update(lists)
            owned = {**owned, **{key: self.is_array(key, after) for key in more}}
            guessed = {key: owns for key, owns in guessed.items() if key not in idle}
            for key in (*lists, *less):
                (guessed if key in guessed else owned)[key] = key in lists
        else:
            raise AssertionError(f"what the turns of the loop at {loop.location} carry finds no end")
        self.turns.carried[situation] = carried
        if body:
            self.emit_loop(loop, header, body)
        before = self.facts.before[loop]
        # where there was no turn, it is what it was before
        for key, owned_before in carried.items():
            last = left.get(key)
            if last is not None and (last.zero or last.owned and not owned_before):
                left[key] = replace(last, zero=False, owned=last.owned and owned_before)
        self.cotangents.state = {
            key: left.get(key, cotangent) for key, cotangent in {**entry, **left}.items() if key[0] in before
            and (key in left or key not in carried)}
        for key in carried:  # a name that the loop first bound has no cotangent before it
            if key[0] not in before:
                self.cotangents.state.pop(key, None)

    def is_array(self, key: Any, environment: dict) -> bool:
        """Whether a cotangent is of what may be an array, so that a loop can own it; a number has no memory to own."""
        return not is_a_number(subject_value(environment[key[0]], key[1]))

    def added_up(self, loop: Loop, environment: dict) -> set[tuple]:
        """The literal cotangents of numbers to which the turns probably only add: in every turn they are the same. A
        wrong guess is noticed."""
        state = self.cotangents.state
        literal = {key for key, item in state.items() if isinstance(item.expression, gast.Constant)
                   and not key[1] and self.cotangents.is_of_a_number(key, environment)}
        if not literal or loop not in self.never_returns and "return" in leaves(loop.body):
            return set()
        others = {label for statement in statements(loop.body) if not is_addition(statement)
                  for label in assigned_names((with_blocks(statement, lambda block: ()),))}
        others.update(pattern_names(loop.target or ()))  # each turn binds it anew
        return {key for key in literal if key[0] not in others}

    def accumulated(self, loop: Loop, header: Header, changing: set[str]) -> Iterator[tuple]:
        """The cotangents that the turns of a loop probably add to: of values that are read in it and not changed.

        A turn can't hand on such a cotangent but by adding to it, so that a wrong guess is noticed.
        """
        read = [(identifier, self.facts.before[statement]) for statement in reversed(list(statements(loop.body)))
                for identifier in reversed(names_in(getattr(statement, "value", None)))]
        read += [(label, self.facts.before[loop]) for _, (label, path), *_ in header.elements if not path]
        for identifier, environment in read:
            known = identifier in environment and identifier not in changing
            value = environment[identifier].value if known else None
            if isinstance(value, Numeric) and value.active:
                yield identifier, ()

    def attempt(self) -> Callable[[], None]:
        """Mark where an attempt to reverse a loop starts; the function returned takes it back."""
        captures, cotangents, operands = self.captures, self.cotangents, self.operands
        snapshot, emitted, state = captures.snapshot(), list(cotangents.out), dict(cotangents.state)
        known = dict(operands.known)

        def undo() -> None:
            captures.restore(snapshot)
            cotangents.out[:] = emitted
            cotangents.state = state
            operands.know(known)
        return undo

    def entry(self, loop: Loop, state: dict, carried: dict, environment: dict) -> dict:
        """The state at the end of every turn: the carried cotangents in their variables, the others as they are."""
        result = {key: cotangent for key, cotangent in state.items() if key not in carried}
        for key, owned in carried.items():
            variable = self.cotangents.bar(key)
            version = environment.get(key[0])
            value = self.operands.settled(version, key[1]) if version is not None else Numeric()
            value = self.in_this_turn(value, key, loop)
            self.operands.remember(variable, value)
            result[key] = Cotangent(name(variable), value, True, owned)
        return result

    def in_this_turn(self, value: Abstract, key: tuple, loop: Loop) -> Abstract:
        """What is known of a carried cotangent at the end of a turn: the sizes that are named where a turn begins are
        then those of the next turn."""
        end = (self.facts.turn_ends.get(loop) or {}).get(key[0]) if "break" not in leaves(loop.body) else None
        there = item_at(end.value, key[1]) if end is not None else None
        if isinstance(value, Numeric) and isinstance(there, Numeric) and value.shape and there.shape and len(
                value.shape) == len(there.shape):
            shape = tuple([own if belongs_to(dim, loop) else dim for dim, own in zip(value.shape, there.shape)])
            return value if shape == value.shape else replace(value, shape=shape)
        return with_dims(value, lambda dim: None if belongs_to(dim, loop) else dim)

    def enter(self, loop: Loop, state: dict, carried: dict, environment: dict) -> None:
        """Bind the carried cotangents before the reversed loop starts."""
        self.operands.location = loop.location
        arrays = []
        self.operands.left_at = left_at(loop, self.facts)
        for key, owned in carried.items():
            cotangent = state.get(key)
            if cotangent is None or not owned:
                continue
            if not (cotangent.full and (cotangent.owned or self.operands.is_fresh(cotangent.expression))):
                arrays.append(key)
        self.cotangents.settle([key for key in carried if key not in arrays], loop.location, environment)
        for key in arrays:
            self.cotangents.own(key, loop.location, environment)
        self.operands.left_at = []

    def turn(self, loop: Loop, header: Header, entry: dict, keys: list) -> None:
        """Reverse one turn: its body, then the binding of its target."""
        self.operands.loops.append(loop)
        self.entries.append(entry)
        self.headers.append(header)
        if header.counted is not None:
            self.operands.counted.add(header.counted_target())
        outer_direct, self.chain.direct = self.chain.direct, {}
        outer, self.guarded = self.guarded, False
        outer_known, self.known = self.known, None
        self.block(loop.body)
        self.known = outer_known
        self.guarded = outer
        self.operands.location = loop.location
        environment = self.facts.heads[loop]
        contributions = []
        for target, sequence, index, inside in header.elements:
            for key in [key for key in self.cotangents.state if key[0] == target]:
                cotangent = self.cotangents.take(key)
                if cotangent is not None and sequence[0] in environment:  # not one from around the function
                    contributions.append(Contribution(sequence, cotangent, index(), inside=(*inside, *key[1]),
                                                      alone=header.is_whole(sequence)))
        for target in header.targets:
            for key in [key for key in self.cotangents.state if key[0] == target]:
                self.cotangents.state.pop(key)
        with self.cotangents.reading(*[new.cotangent.expression for new in contributions]):
            for new, location in self.put_in(contributions, loop.location):
                self.cotangents.contribute([new], location, environment)
        self.operands.loops.pop()
        self.entries.pop()
        self.headers.pop()
        self.chain.direct = outer_direct
        # the turn before this one finds each carried cotangent in its variable
        self.cotangents.settle([key for key in keys if not self.cotangents.is_settled(
            key, self.cotangents.state, environment)], loop.location, environment)

    def put_in(self, contributions: list[Contribution], location: Location) -> list[tuple[Contribution, Location]]:
        """The contributions of a loop's elements, each with the location that its line is of: ``x_bar[i] += 2.0 * v``
        for ``v_bar = 2.0 * v`` at the end of a turn."""
        out, state = self.cotangents.out, self.cotangents.state
        found = [(new, location) for new in contributions]
        for place in range(len(found) - 1, -1, -1):
            new, last = contributions[place], out[-1] if out else None
            variable = new.cotangent.expression
            if not (isinstance(variable, gast.Name) and isinstance(last, Assign) and last.target == variable.id
                    and not pops(last.value) and self.operands.is_fresh(last.value)) or any(
                        mentions(cotangent.expression, variable.id) for cotangent in (
                            *state.values(), *(other.cotangent for other, _ in found if other is not new))):
                break
            out.pop()
            found[place] = replace(new, cotangent=replace(new.cotangent, expression=last.value)), last.location
        return found

    def emit_loop(self, loop: Loop, header: Header, body: list) -> None:
        if self.turns.shared:
            body = with_first_parts(body, self.helpers)
        used = read_names(tuple(body))
        self.captures.prune(loop, used)
        slots = self.captures.layout(loop)
        self.cotangents.out.append(header.reversed_loop(slots, used, tuple(body), self))

    def buffer(self, loop: Loop) -> gast.AST:
        return name(self.captures.buffer(loop, self.operands.block, Items(list, None, Opaque())))


def is_addition(statement: Any) -> bool:
    """Whether a statement adds something to what is under a name, ``total = total + x``."""
    if isinstance(statement, Augment) and isinstance(statement.target, gast.Name):
        label = statement.target.id
        return isinstance(statement.operator, (gast.Add, gast.Sub)) and label not in names_in(statement.value)
    if isinstance(statement, Assign) and isinstance(statement.target, str) and isinstance(statement.value, gast.BinOp):
        left, right = statement.value.left, statement.value.right
        if isinstance(statement.value.op, gast.Add) and isinstance(right, gast.Name) and right.id == statement.target:
            left, right = right, left
        return isinstance(statement.value.op, (gast.Add, gast.Sub)) and isinstance(left, gast.Name) \
            and left.id == statement.target and statement.target not in names_in(right)
    return False
