"""Elements of arrays of cotangents that belong to one turn of a loop: ``xs_bar[i]`` in the turn that ``i`` counts.

What a turn adds to the only element of an array of zeros that is its own is put there: ``xs_bar[i] = x_bar``. And where
nothing reads an element but its own turn, no zero takes the place of what that has read. Nor does one where something
is added in the next line.
"""
from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.algebra import literal, same, simplify
from s2sgrad.compiler.filled import never_below_zero
from s2sgrad.compiler.nodes import names_in
from s2sgrad.compiler.operands import Operands
from s2sgrad.compiler.program import (
    Assign,
    Augment,
    Branch,
    Loop,
    Program,
    Store,
    assigned_names,
    blocks_of,
    mentioned,
    statements,
    with_blocks,
)
from s2sgrad.rules.abstract import Numeric, known_value

ZEROS = np.zeros, np.zeros_like


def by_turn(program: Program, operands: Operands) -> Program:
    """An adjoint whose turns put what they would add to zeros, and leave alone what nobody reads any more."""
    if operands.facts.gets_uncertain or not any(isinstance(statement, Loop) for statement in program.body):
        return program  # a complex number can be added to real ones, and not be put into their array
    return replace(program, body=_ByTurn(program, operands).block(program.body))


class _ByTurn:
    def __init__(self, program: Program, operands: Operands):
        self.program = program
        self.operands = operands
        self.builtins = {operands.helpers.by_key.get(("builtin", label)): label
                         for label in ("range", "reversed", "zip")}
        self.named: dict[Any, frozenset[str]] = {}

    def block(self, body: tuple) -> tuple:
        lines: list[Any] = []
        for line in body:
            put = self.put_for_zero(lines[-1], line) if lines else None
            lines[len(lines) - (put is not None):] = [
                put or (with_blocks(line, self.block) if blocks_of(line) else line)]
        for number, line in enumerate(lines):
            if isinstance(line, Assign) and isinstance(line.target, str) and self.is_zeros(line.value):
                self.put(lines, number, line.target)
            elif isinstance(line, Loop):
                lines[number] = self.without_zeros(line, lines, number, body is self.program.body)
        return tuple(lines)

    def is_zeros(self, node: gast.AST) -> bool:
        return isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) \
            and node.func.attr in ("zeros", "zeros_like") and known_value(self.operands.evaluate(node.func)) in ZEROS

    def put_for_zero(self, zero: Any, line: Any) -> Store | None:
        """What a line adds to what the one before it has set to zero in an array, put there."""
        if not puts_zero(zero) or not adds(line) or not same(zero.target, line.target):
            return None
        bars = zero.target.value.id
        value = self.operands.evaluate(zero.target.value)
        is_array = isinstance(value, Numeric) and value.kind == "array" and bars not in self.operands.unsteady
        return Store(line.target, added(line), line.location) if is_array and bars not in names_in(line.value) else None

    # ---- what is added once

    def put(self, lines: list, number: int, bars: str) -> None:
        """Where the next line that mentions these zeros is a loop each turn of which adds to elements of its own: let
        it put them there."""
        at = next((place for place in range(number + 1, len(lines)) if bars in self.names(lines[place])), number)
        if isinstance(lines[at], Loop):
            lines[at] = self.putting(lines[at], bars, ()) or lines[at]

    def putting(self, line: Any, bars: str, counters: Collection[str]) -> Any:
        """The same statement, where that is all that it does with them: else None."""
        if bars not in mentioned(line) and type(line) in (Loop, Branch):
            if isinstance(line, Loop):
                counter = self.counter(line)
                if counter is None:
                    return None
                counters = (*counters, counter)
            blocks = [self.putting_in(block, bars, counters) for block in blocks_of(line)]
            parts = iter(blocks)
            return None if None in blocks else with_blocks(line, lambda block: next(parts))
        fits = adds(line) and is_own(line.target, bars, counters) and bars not in names_in(line.value)
        return Store(line.target, added(line), line.location) if fits else None

    def putting_in(self, block: tuple, bars: str, counters: Collection[str]) -> tuple | None:
        places = [place for place, line in enumerate(block) if bars in self.names(line)]
        if not places:
            return block
        line = self.putting(block[places[0]], bars, counters) if len(places) == 1 else None
        return None if line is None else (*block[:places[0]], line, *block[places[0] + 1:])

    # ---- what is not read again

    def without_zeros(self, loop: Loop, lines: list, number: int, outermost: bool) -> Loop:
        """A loop that leaves alone what only its own turns read, each its own element and before it would be zero."""
        counter = self.counter(loop)
        if counter is None:
            return loop
        dead = []
        for place, line in enumerate(loop.body):
            if not puts_zero(line) or not is_own(line.target, line.target.value.id, (counter,)):
                continue
            bars = line.target.value.id
            before = [other for other in lines[:number] if bars in self.names(other)]
            count = sum(bars in self.own_names(other) for other in statements((*before, *loop.body)))
            if count == sum(bars in self.own_names(other) for other in statements(self.program.body)) \
                    and bars not in names_in(loop.iterable) \
                    and (outermost or any(bars in assigned_names((other,), False) for other in before)) \
                    and all(self.is_read_at(line.target, bars, other) for other in loop.body[:place]) \
                    and not any(bars in self.names(other) for other in loop.body[place + 1:]):
                dead.append(line)
        return replace(loop, body=tuple(line for line in loop.body if line not in dead)) if dead else loop

    def is_read_at(self, place: gast.AST, bars: str, line: Any) -> bool:
        """Whether a statement does nothing else with an array than read this place in it, if it mentions it."""
        if bars not in self.names(line):
            return True
        if not isinstance(line, Assign) or bars in assigned_names((line,), False):
            return False
        read = [node for node in gast.walk(line.value) if isinstance(node, gast.Subscript) and same(node, place)]
        return names_in(line.value).count(bars) == len(read)

    def names(self, line: Any) -> frozenset[str]:
        """The names that a statement mentions or binds, and those of the blocks in it."""
        if line not in self.named:
            own = self.own_names(line)
            self.named[line] = own.union(*(self.names(inner) for block in blocks_of(line) for inner in block))
        return self.named[line]

    @staticmethod
    def own_names(line: Any) -> frozenset[str]:
        bound = assigned_names((with_blocks(line, lambda block: ()),), False)
        return mentioned(line).union(bound, getattr(line, "writes", ()))

    def counter(self, loop: Loop) -> str | None:
        """The variable that is another whole number in each turn, and never below 0."""
        target, turns = loop.target, loop.iterable
        if isinstance(target, tuple) and self.is_call(turns, "zip"):
            target, turns = target[0], turns.args[0]  # type: ignore[attr-defined]
        if not isinstance(target, str) or target in assigned_names(loop.body, False):
            return None
        if self.is_call(turns, "reversed"):
            turns = turns.args[0]  # type: ignore[attr-defined]
        return target if self.is_call(turns, "range") and never_below_zero(turns.args) else None

    def is_call(self, node: Any, label: str) -> bool:
        return isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and bool(node.args) \
            and self.builtins.get(node.func.id) == label


def puts_zero(line: Any) -> bool:
    """Whether a line puts a zero into an array that has a name."""
    return type(line) is Store and isinstance(line.value, gast.Constant) and line.value.value == 0.0 \
        and isinstance(line.target, gast.Subscript) and isinstance(line.target.value, gast.Name)


def adds(line: Any) -> bool:
    """Whether a line adds to what it names, or takes off that, and nothing more is known of it."""
    return type(line) is Augment and not (line.outer or line.item or line.counted or line.paired) and isinstance(
        line.operator, (gast.Add, gast.Sub))


def added(line: Augment) -> gast.AST:
    return line.value if isinstance(line.operator, gast.Add) else simplify(gast.UnaryOp(gast.USub(), line.value))


def is_own(target: Any, bars: str, counters: Collection[str]) -> bool:
    """Whether a place is one of an array that has other indices in every other turn of the loops around."""
    if not (isinstance(target, gast.Subscript) and isinstance(target.value, gast.Name) and target.value.id == bars):
        return False
    indices = target.slice.elts if isinstance(target.slice, gast.Tuple) else [target.slice]
    names = [index.id for index in indices if isinstance(index, gast.Name) and index.id in counters]
    return bool(counters) and set(names) == {*counters} and all(
        isinstance(index, gast.Slice) or literal(index) is not None for index in indices
        if not isinstance(index, gast.Name) or index.id not in counters)
