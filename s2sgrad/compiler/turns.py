"""What one adjoint found out about a loop, for the other adjoints of the same function.

The general adjoint and those of the paths often come to a loop with the same cotangents. The reversal of its turns is
the same then, too, and most of the work of writing an adjoint.
"""
from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import gast

from s2sgrad.compiler.algebra import same
from s2sgrad.compiler.captures import Captures
from s2sgrad.compiler.cotangents import Cotangent
from s2sgrad.compiler.loops import Header
from s2sgrad.compiler.nodes import names_in
from s2sgrad.compiler.program import Loop, assigned_names, read_names, statements
from s2sgrad.rules.abstract import Abstract

State = dict[Any, Cotangent]


@dataclass(eq=False)
class Turn:
    """The reversal of a loop's turns.

    Attributes
    ----------
    entry, left
        The cotangents at the end of every turn, and at its start.
    bars
        The variables of cotangents in it.
    own
        Its other variables that nothing outside has.
    before, known
        What was known of its variables before and after it was written.
    slots
        The names in the saved tuples that it takes apart, those of the loops inside.
    """

    entry: State
    left: State
    header: Header
    body: list
    bars: dict[Any, str]
    own: set[str]
    before: dict[str, Abstract]
    known: dict[str, Abstract]
    slots: dict[Loop, list[str]]

    def fits(self, sweep: Any, entry: State) -> bool:
        """Whether another sweep, which is at the same loop with these cotangents, would write the same."""
        names, bars, known = sweep.cotangents.names, sweep.cotangents.bars, sweep.operands.known
        new = {variable for key, variable in self.bars.items() if key not in bars}
        return (list(entry) == list(self.entry) and all(map(alike, entry.values(), self.entry.values()))
                and all(bars.get(key, variable) == variable for key, variable in self.bars.items())
                and (new | self.own).isdisjoint(names.taken | names.pinned)
                and all(label in known and known[label].value == value for label, value in self.before.items())
                and self.slots == slots(sweep.captures, self.header.loop.body))

    def adopt(self, sweep: Any, entry: State) -> tuple[Header, list, State]:
        """Header, body and cotangents for that sweep; its own where the turns leave them alone."""
        names = sweep.cotangents.names
        names.pinned.update(variable for key, variable in self.bars.items() if key not in sweep.cotangents.bars)
        names.taken |= self.own
        sweep.cotangents.bars.update(self.bars)
        for variable, value in self.known.items():
            sweep.operands.remember(variable, value)
        left = {key: entry[key] if cotangent is self.entry.get(key) else cotangent
                for key, cotangent in self.left.items()}
        return replace(self.header, operands=sweep.operands), self.body, left


def slots(captures: Captures, block: tuple) -> dict[Loop, list[str]]:
    """The names in the saved tuples of the loops in a block, as far as is known by now what is saved."""
    return {loop: [slot.name for slot in captures.layout(loop)] for loop in statements(block)
            if isinstance(loop, Loop)}


def alike(first: Cotangent, second: Cotangent) -> bool:
    return same(first.expression, second.expression) and (
        isinstance(first.expression, gast.Constant) or first.value == second.value) and (
            first.full, first.owned, first.zero, first.each is None) == (
                second.full, second.owned, second.zero, second.each is None)


def is_one_literal(first: Cotangent, second: Cotangent) -> bool:
    """Whether two cotangents are one literal."""
    return isinstance(first.expression, gast.Constant) and same(first.expression, second.expression) and (
        first.full, first.zero) == (second.full, second.zero)


@dataclass(eq=False)
class Start:
    """What a sweep knows before it writes the turns of a loop."""

    sweep: Any
    taken: set[str] = field(init=False)
    known: dict[str, Abstract] = field(init=False)

    def __post_init__(self) -> None:
        names = self.sweep.cotangents.names
        self.taken = names.taken | names.pinned
        self.known = {label: version.value for label, version in self.sweep.operands.known.items()}

    def turn(self, entry: State, left: State, header: Header, body: list) -> Turn:
        """The turns, written."""
        sweep = self.sweep
        used = read_names(tuple(body)) | assigned_names(tuple(body))
        used.update(label for state in (entry, left) for cotangent in state.values()
                    for label in names_in(cotangent.expression))
        bars = {key: variable for key, variable in sweep.cotangents.bars.items() if variable in used}
        others = {capture.name for capture in sweep.captures.table.values()} | set(sweep.helpers.objects)
        known = {label: version.value for label, version in sweep.operands.known.items() if label in used}
        return Turn(entry, left, header, body, bars, used - self.taken - set(bars.values()) - others,
                    {label: value for label, value in self.known.items() if label in used}, known,
                    slots(sweep.captures, header.loop.body))


@dataclass(eq=False)
class Turns:
    """What the adjoints of one derivative found out about its loops."""

    shared: bool
    """Whether an adjoint may have the statements of another one."""
    carried: dict[Any, dict] = field(default_factory=dict)
    """For each loop and the cotangents behind it: those that its turns hand on, and whether they are owned."""
    written: dict[Loop, Turn] = field(default_factory=dict)
    """The reversals of outermost loops that adjoints have."""
    passages: dict[Any, Any] = field(default_factory=dict)
    """The passages that adjoints have for assignments outside loops."""

    def forget(self) -> None:
        """Let all be written anew: names have changed."""
        self.written.clear()
        self.passages.clear()
