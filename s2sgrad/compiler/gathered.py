"""The outer products that the turns of a loop add to a matrix, as one product of matrices behind the loop.

Where a turn did ``w_bar += np.outer(z_bar, h)`` and nothing in the loop reads ``w_bar``, it does
``z_bars.append(z_bar)`` and ``hs.append(h)``, and behind the loop comes ``w_bar += np.array(z_bars).T @ np.array(hs)``.
What NumPy spends around the arithmetic is spent once then, and a large matrix goes through the memory once. (Where
there was no turn, that adds the product of two empty vectors, which is 0.)
"""
from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.algebra import outer_factors
from s2sgrad.compiler.memory_groups import MemoryGroups
from s2sgrad.compiler.nodes import LOAD, attribute, call, name, names_in
from s2sgrad.compiler.operands import Operands
from s2sgrad.compiler.ownership import memory
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Augment,
    Context,
    Loop,
    Program,
    assigned_names,
    blocks_of,
    mentioned,
    pattern_names,
    statements,
    with_blocks,
)
from s2sgrad.frozen import frozen

NUMBERED = re.compile(r"(_before)?(_\d+)?$")


def gathered(program: Program, operands: Operands, fresh: Callable[[str], str]) -> Program:
    """An adjoint with the outer products of its loops gathered. ``fresh`` hands out names."""
    products = {statement for statement in statements(program.body)
                if type(statement) is Augment and statement.outer}
    if not products:
        return program
    return replace(program, body=_Gathering(program, products, operands, fresh).block(program.body))


class _Gathering(MemoryGroups):
    def __init__(self, program: Program, products: set[Augment], operands: Operands, fresh: Callable[[str], str]):
        super().__init__(program, operands)
        self.fresh = fresh
        self.left = products
        """The outer products that are not gathered yet."""
        self.appends: dict[Augment, list[Append]] = {}
        """What stands in the place of those that are."""

    def kept(self, vector: gast.AST, made: tuple | None, inside: Collection[Any]) -> gast.AST:
        """A vector as it can wait for the end of a loop: a copy of what something ``inside`` of that may write into.
        ``made``: where a name is bound in each turn, the statements from there to where it is read."""
        labels = self.shared(memory(vector, self.operands))
        written = {*self.writing(labels)} & {*inside}
        if not written or made is not None and len(labels) == 1 and written <= {*statements(made)}:
            return vector
        return self.operands.copy(vector)

    # ---- statements

    def block(self, body: tuple) -> tuple:
        return tuple(line for statement in body for line in self.lines(statement))

    def lines(self, statement: Any) -> list:
        if statement in self.appends:
            return self.appends[statement]
        if not blocks_of(statement):
            return [statement]
        inside = statements((statement,))
        before: list = []
        after: list = []
        if isinstance(statement, Loop) and not self.left.isdisjoint(inside):
            before, after = self.gather(statement, inside)
        if not (self.left.isdisjoint(inside) and self.appends.keys().isdisjoint(inside)):
            statement = with_blocks(statement, self.block)
        return [*before, statement, *after]

    def gather(self, loop: Loop, inside: tuple) -> tuple[list, list]:
        """Let the turns of a loop gather what they may; what stands before and behind it then."""
        groups = self.groups_in(inside)
        self.appends.update((product, []) for group in groups for product in group)
        self.left = self.left - self.appends.keys()
        places = dict(places_in(loop.body, self.appends))
        numpy = self.operands.helpers.numpy
        lists: dict[tuple, str] = {}  # for several matrices there may be one
        before: list = []
        pairs: list[list[str]] = []
        for group in groups:
            arrays: list[str] = []
            for side, wanted in enumerate(("columns", "rows")):
                vectors = [vectors_of(product)[side] for product in group]
                kept = [self.kept(vector, places[product][side].made, inside)
                        for product, vector in zip(group, vectors)]
                key = tuple([places[product][side].key if new is old else (product, side)
                             for product, old, new in zip(group, vectors, kept)])
                if key not in lists:
                    lists[key] = self.fresh(plural(vectors, wanted))
                    before.append(Assign(lists[key], gast.List([], LOAD), loop.location))
                    for product, vector in zip(group, kept):
                        self.appends[product].append(Append(name(lists[key]), vector, product.location))
                arrays.append(lists[key])
            pairs.append(arrays)
        labels = [label for pair in pairs for label in pair]
        often = {label: labels.count(label) > 1 for label in labels}  # those become arrays once
        after = [Assign(label, call(numpy("array"), name(label)), groups[0][0].location)
                 for label in often if often[label]]
        for group, pair in zip(groups, pairs):
            columns, rows = (name(label) if often[label] else call(numpy("array"), name(label)) for label in pair)
            product = gast.BinOp(attribute(columns, "T"), gast.MatMult(), rows)
            after.append(replace(group[0], value=product, outer=False))
        return before, after

    def groups_in(self, inside: tuple) -> list[list[Augment]]:
        """The outer products in a loop that are added to one matrix, for each matrix that nothing in the loop reads."""
        found: dict[tuple[str, type], list[Augment]] = {}
        read: set[str] = set()
        added: set[str] = set()
        for statement in inside:
            if statement in self.left:
                found.setdefault((statement.target.id, type(statement.operator)), []).append(statement)
            if isinstance(statement, Augment) and isinstance(statement.target, gast.Name) and isinstance(
                    statement.operator, (gast.Add, gast.Sub)):
                added.add(statement.target.id)
                read.update(names_in(statement.value))
            else:
                read |= mentioned(statement)
                if isinstance(statement, (Assign, Loop)):
                    read.update(pattern_names(statement.target or ()))
                elif isinstance(statement, Context):
                    read |= assigned_names((statement,))
        return [products for (matrix, _), products in found.items() if self.shared({matrix}).isdisjoint(read)
                and self.shared({matrix}).isdisjoint(added - {matrix})]


@frozen
class _Place:
    """Where a vector of a product is read.

    Attributes
    ----------
    key
        Alike for vectors that are the same whenever control comes there.
    made
        Of a name that is bound in the same block, the statements behind that.
    """

    key: tuple
    made: tuple | None = None


def places_in(body: tuple, products: Collection[Augment]) -> Iterator[tuple[Augment, list[_Place]]]:
    """Each of the products in a block, with the places of its vectors."""
    straight = 0  # from here on no statement has blocks
    bound: dict[str, int] = {}
    for number, statement in enumerate(body):
        if statement in products:
            yield statement, [_Place((statement, side)) if not isinstance(vector, gast.Name) else _Place(
                (body[straight], max(bound.get(vector.id, -1), straight), vector.id),
                body[bound[vector.id] + 1:number] if vector.id in bound else None)
                for side, vector in enumerate(vectors_of(statement))]
        elif blocks_of(statement):
            for block in blocks_of(statement):
                yield from places_in(block, products)
            straight = number + 1
        elif isinstance(statement, Assign):
            bound.update(dict.fromkeys(pattern_names(statement.target), number))


def vectors_of(product: Augment) -> tuple[gast.AST, gast.AST]:
    """Those of which a line adds the outer product."""
    found = outer_factors(product.value)
    assert found is not None
    return found


def plural(vectors: list[gast.AST], wanted: str) -> str:
    """A name for a list of these."""
    stems = {NUMBERED.sub("", vector.id) if isinstance(vector, gast.Name) else "" for vector in vectors}
    stem = stems.pop()
    many = f"{stem}s"
    return wanted if stems or not stem else f"{stem}_list" if stem.endswith("s") or keyword.iskeyword(many) else many
