"""What one adjoint wrote for an assignment outside loops, for the other adjoints of the same function.

The adjoint of a path often comes to a statement with the same cotangents as the general one. What it writes for that
statement and what it hands on are the same then, too.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from s2sgrad.compiler.cotangents import Contribution, Cotangent
from s2sgrad.compiler.nodes import names_in
from s2sgrad.compiler.program import read_names
from s2sgrad.compiler.turns import alike
from s2sgrad.rules.abstract import Abstract


@dataclass(eq=False)
class Passage:
    """The reversal of an assignment's expression.

    Attributes
    ----------
    taken
        The cotangents of what it binds, by their place in the value.
    out, pending
        The statements written, and what they contribute.
    products
        The products of the primal that were noted.
    own
        The names that it handed out, each with the one that was asked for.
    before, known
        What was known of the variables in the cotangents, and of all that it mentions when it was written.
    captures
        The captures that it mentions, by their keys.
    """

    taken: dict[tuple, Cotangent]
    out: list
    pending: list[Contribution]
    products: dict[frozenset, tuple]
    own: dict[str, str]
    before: dict[str, Abstract]
    known: dict[str, Abstract]
    captures: dict[tuple, Any]

    def fits(self, chain: Any, taken: dict[tuple, Cotangent]) -> bool:
        """Whether another sweep, which is at the same statement with these cotangents, would write the same."""
        known, table = chain.operands.known, chain.operands.captures.table
        return (list(taken) == list(self.taken) and all(map(alike, taken.values(), self.taken.values()))
                and all(label in known and known[label].value == value for label, value in self.before.items())
                and all(table.get(key) is capture for key, capture in self.captures.items())
                and self.has_its_names(chain.cotangents.names))

    def has_its_names(self, names: Any) -> bool:
        """Whether the names would be the same; they are handed out then."""
        for place, (given, wanted) in enumerate(self.own.items()):
            found = names.fresh(wanted)
            if found != given:
                names.taken.difference_update([found, *list(self.own)[:place]])
                return False
        return True

    def adopt(self, chain: Any) -> None:
        """Write it in another sweep, which has its names."""
        chain.cotangents.out += self.out
        chain.pending = list(self.pending)
        chain.products.update(self.products)
        for variable, value in self.known.items():
            chain.operands.remember(variable, value)


class Recorder:
    """Makes a passage of what a sweep writes from now on."""

    def __init__(self, chain: Any, taken: dict[tuple, Cotangent]):
        self.chain = chain
        self.taken = taken
        self.start = len(chain.cotangents.out)
        self.state, self.bars = dict(chain.cotangents.state), dict(chain.cotangents.bars)
        self.products = dict(chain.products)
        known = chain.operands.known
        read = {label for cotangent in taken.values() for label in names_in(cotangent.expression)}
        self.before = {label: known[label].value for label in read if label in known}
        self.handed = len(chain.cotangents.names.handed)

    def passage(self) -> Passage | None:
        """What was written; None where it did more than write statements and hand on contributions."""
        cotangents, operands = self.chain.cotangents, self.chain.operands
        if cotangents.state != self.state or cotangents.bars != self.bars:
            return None
        out, pending = cotangents.out[self.start:], list(self.chain.pending)
        mentioned = read_names(tuple(out)).union(*(
            names_in(part) for new in pending for part in (new.cotangent.expression, new.index, new.view)
            if part is not None))
        captures = {key: capture for key, capture in operands.captures.table.items() if capture.name in mentioned}
        handed = cotangents.names.handed[self.handed:]
        shared = {capture.name for capture in captures.values()}.union(operands.helpers.objects) if handed else ()
        own = {given: wanted for given, wanted in handed if given not in shared}
        products = {factors: found for factors, found in self.chain.products.items()
                    if self.products.get(factors) is not found}
        known = {label: operands.known[label].value for label in (*own, *mentioned) if label in operands.known}
        return Passage(self.taken, out, pending, products, own, self.before, known, captures)
