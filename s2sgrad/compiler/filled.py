"""Elements of arrays that loops fill, each once: an adjoint reads them in the array, where they are in the end.

In ``e[t] = y[t] - theta * e[t - 1]`` for ``t in range(1, n)`` nothing is written into ``e[t - 1]`` once it was read:
what would write there is another turn's, and that was before. So the turns need not save it, nor what they store.
"""
from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import gast

from s2sgrad.compiler.algebra import literal
from s2sgrad.compiler.facts import Facts, Version
from s2sgrad.compiler.measures import MEASURES, at_the_end, binding_of
from s2sgrad.compiler.nodes import INSIDE, names_in
from s2sgrad.compiler.program import (
    Assign,
    Augment,
    Define,
    Loop,
    Program,
    Store,
    assigned_names,
    blocks_of,
    expressions_in,
    statements,
    with_blocks,
    written_name,
)
from s2sgrad.frozen import frozen
from s2sgrad.rules.abstract import Known, Numeric


@frozen
class Place:
    """What an index chooses along one axis: ``i + offset`` of the counter of a loop, or the literal ``offset``; never
    counted from the end."""

    loop: Loop | None
    offset: int


class Filled:
    """Which elements of a program's arrays are at the end what they were when they were read, or stored."""

    def __init__(self, program: Program, facts: Facts, fragile: Collection[Version]):
        self.facts = facts
        self.order = {statement: number for number, statement in enumerate(statements(program.body))}
        self.around: dict[Any, tuple[Loop, ...]] = {}
        self.place(program.body, ())
        lasting = {version.name: version for version in at_the_end(program, facts) if version not in fragile}
        self.arrays: dict[str, Version] = {}
        """Arrays that the function makes once, and that nothing else may stand for, as they are in the end."""
        self.writers: dict[str, list[Store | Augment]] = {}
        for label, version in lasting.items():
            binding = binding_of(version)
            if binding is not None and binding is not version and binding.origin == "bound" \
                    and binding.loop is version.loop is None:
                self.arrays[label] = version
        self.look(program)
        self.indices: dict[int, tuple[Place | None, ...]] = {}

    def place(self, block: tuple, loops: tuple[Loop, ...]) -> None:
        for statement in block:
            self.around[statement] = loops
            inside = (*loops, statement) if isinstance(statement, Loop) else loops
            for inner in blocks_of(statement):
                self.place(inner, inside)

    def look(self, program: Program) -> None:
        """Find what writes into these arrays; leave out those that are mentioned otherwise than to read or write single
        elements, or bound twice."""
        bound: set[str] = set()
        for statement in self.order:
            others = set(names_in(*self.mentions(expressions_in(statement))))
            if isinstance(statement, Assign):
                labels = assigned_names((statement,), False)
                others |= {*statement.writes, *(labels & bound)}
                bound |= labels
            elif isinstance(statement, (Store, Augment)) and isinstance(statement.target, gast.Subscript) \
                    and isinstance(statement.target.value, gast.Name):
                self.writers.setdefault(written_name(statement), []).append(statement)
            elif isinstance(statement, Define):
                others |= {*self.arrays}
            else:
                others |= assigned_names((with_blocks(statement, lambda block: ()),))
            for label in others & self.arrays.keys():
                if not self.is_finished(statement, label):
                    del self.arrays[label]

    def is_finished(self, statement: Any, label: str) -> bool:
        """Whether an array is from a statement on what it is in the end."""
        return self.facts.before[statement].get(label) is self.arrays[label]

    def mentions(self, expressions: list[gast.AST]) -> Iterator[gast.AST]:
        """The names in expressions, without those of arrays of which a single element is read, or the shape."""
        pending = [*expressions]
        while pending:
            node = pending.pop()
            if isinstance(node, gast.Name):
                yield node
            elif isinstance(node, (gast.Subscript, gast.Attribute)) and isinstance(node.value, gast.Name):
                value = self.facts.values.get(id(node))
                if isinstance(node, gast.Subscript):
                    pending.append(node.slice)
                    if not (isinstance(value, Numeric) and value.is_number) and not isinstance(node.ctx, gast.Store):
                        yield node.value
                elif node.attr not in MEASURES:
                    yield node.value
            elif isinstance(node, gast.Call) and self.is_builtin(node.func, len) and len(node.args) == 1 \
                    and isinstance(node.args[0], gast.Name):
                continue
            else:
                pending += INSIDE[type(node)](node)

    def is_builtin(self, node: gast.AST, function: Any) -> bool:
        value = self.facts.values.get(id(node))
        return isinstance(value, Known) and value.value is function

    def at_the_end(self, target: gast.Subscript, statement: Any, stored: bool = False) -> Version | None:
        """The array in which an element is at the end what it is in a statement, where it is read, or (``stored``)
        written; None where a write may come in between."""
        label = target.value.id if isinstance(target.value, gast.Name) else None
        version = self.arrays.get(label) if label is not None else None
        if version is None or binding_of(self.facts.before[statement].get(label)) is not binding_of(
                version):
            return None
        return version if all(self.is_before(write, target, statement, stored) for write in self.writers.get(
            version.name, ())) else None

    def is_before(self, write: Store | Augment, target: gast.Subscript, statement: Any, stored: bool) -> bool:
        """Whether a write is done with an element before it is read: never comes to it, or has been there."""
        here, there = self.around[statement], self.around[write]
        mine, other = self.index(target, statement), self.index(write.target, write)
        for own, its in zip(mine, other):
            if own is not None and its is not None and self.are_apart(own, its):
                return True
        for loop, same in zip(here, there):
            if loop is not same:
                break
            distances = {own.offset - its.offset for own, its in zip(mine, other)
                         if own is not None and its is not None and own.loop is its.loop is loop}
            if len(distances) > 1:
                return True  # no turn writes there
            if not distances:
                return False
            ahead = distances.pop() * self.direction(loop)
            if ahead:
                return ahead < 0
        if write is statement:
            return stored
        return self.order[write] < self.order[statement]

    def are_apart(self, one: Place, other: Place) -> bool:
        """Whether one of two places is a literal that the other never is."""
        if one.loop is not None:
            one, other = other, one
        if one.loop is not None:
            return False
        if other.loop is None:
            return one.offset != other.offset
        lowest = self.lowest(other.loop)
        return lowest is not None and one.offset < lowest + other.offset

    def index(self, target: Any, statement: Any) -> tuple[Place | None, ...]:
        if id(target) not in self.indices:
            parts = target.slice.elts if isinstance(target.slice, gast.Tuple) else [target.slice]
            places = [self.place_of(part, statement) for part in parts]
            ends = next((number for number, part in enumerate(parts) if isinstance(part, (gast.Slice, gast.Starred))
                         or isinstance(part, gast.Constant) and type(part.value) is not int), len(parts))
            self.indices[id(target)] = tuple(places[:ends])
        return self.indices[id(target)]

    def place_of(self, node: gast.AST, statement: Any) -> Place | None:
        """What an index of one axis chooses, where that is known not to be counted from the end."""
        number = literal(node)
        if number is not None:
            return Place(None, number) if number >= 0 else None
        offset = 0
        if isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Add, gast.Sub)):
            number = literal(node.right)
            if number is None:
                return None
            offset, node = (number if isinstance(node.op, gast.Add) else -number), node.left
        if not isinstance(node, gast.Name):
            return None
        loop = next((loop for loop in reversed(self.around[statement]) if loop.target == node.id), None)
        lowest = None if loop is None or node.id in assigned_names(loop.body, False) else self.lowest(loop)
        return Place(loop, offset) if lowest is not None and lowest + offset >= 0 else None

    def lowest(self, loop: Loop) -> int | None:
        """A number that a loop's counter is never below; None where it counts no range, or none is known."""
        call = loop.iterable
        if not (isinstance(call, gast.Call) and self.is_builtin(call.func, range) and never_below_zero(call.args)):
            return None
        if len(call.args) == 1:
            return 0
        first, last = literal(call.args[0]), literal(call.args[1])
        return first if self.direction(loop) > 0 else None if last is None else last + 1

    def direction(self, loop: Loop) -> int:
        step = literal(loop.iterable.args[2]) if len(loop.iterable.args) > 2 else 1  # type: ignore[attr-defined]
        return 1 if step is None or step > 0 else -1


def never_below_zero(bounds: list) -> bool:
    """Whether a range with these bounds has no numbers below 0, as far as they are literals."""
    if len(bounds) == 1:
        return not isinstance(bounds[0], gast.Starred)
    start, stop, step = (literal(bound) for bound in (*bounds, gast.Constant(1, None))[:3])
    if step is None:
        return False
    return start is not None and start >= 0 if step > 0 else stop is not None and stop >= -1
