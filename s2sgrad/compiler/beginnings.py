"""What the adjoints of all paths begin with: the end of the function reversed, up to the first decision.

The general adjoint is written first, and comes to that decision as every other: those of the paths go on from there.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from s2sgrad.compiler.captures import Captures
from s2sgrad.compiler.program import Loop
from s2sgrad.compiler.turns import State, slots


@dataclass(eq=False)
class Beginning:
    """A sweep that has come to the first decision outside loops, or to its end if there is none.

    Attributes
    ----------
    done, rest
        The statements that it has reversed, and those that are left.
    out, state, bars, known, unsteady, products
        What it has written, the cotangents with their variables, and what it knows of all variables.
    own
        Its names that nothing outside has.
    slots
        The names in the saved tuples that its loops take apart.
    """

    done: tuple
    rest: tuple
    out: list
    state: State
    bars: dict[Any, str]
    known: dict[str, Any]
    unsteady: set[str]
    products: dict[frozenset, tuple]
    own: set[str]
    slots: dict[Loop, list[str]]

    def fits(self, taken: set[str], captures: Captures) -> bool:
        """Whether a sweep for the same cotangents that starts with these names taken would write the same."""
        return self.own.isdisjoint(taken) and self.slots == slots(captures, self.done)

    def adopt(self, sweep: Any) -> None:
        """Let another sweep be where this one was."""
        cotangents, operands = sweep.cotangents, sweep.operands
        cotangents.names.taken |= self.own
        cotangents.out, cotangents.state, cotangents.bars = list(self.out), dict(self.state), dict(self.bars)
        operands.known, operands.unsteady = dict(self.known), set(self.unsteady)
        sweep.chain.products = dict(self.products)


def beginning_of(sweep: Any, done: tuple, rest: tuple) -> Beginning:
    """What a sweep that has come so far has done."""
    cotangents, operands, names = sweep.cotangents, sweep.operands, sweep.cotangents.names
    others = {capture.name for capture in sweep.captures.table.values()} | set(sweep.helpers.objects) | sweep.foreign
    return Beginning(done, rest, list(cotangents.out), dict(cotangents.state), dict(cotangents.bars),
                     dict(operands.known), set(operands.unsteady), dict(sweep.chain.products),
                     (names.taken | names.pinned) - others, slots(sweep.captures, done))
