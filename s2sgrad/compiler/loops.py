"""The header of a reversed loop: what its turns run over, and where the saved values of a turn come from."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import gast

from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.nodes import call, constant, name, root, subscript, tuple_of
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Delete,
    Evaluate,
    Loop,
    Pattern,
    assigned_names,
    leaves,
    pattern_names,
    statements,
)
from s2sgrad.compiler.structures import static_leaves
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import Abstract, Items, Known, Numeric, known_value

Key = tuple[str, tuple]
"""A name, and the steps from it to a part."""


@dataclass
class Header:
    """What the reversal needs to know of a loop's header.

    Attributes
    ----------
    elements
        Each target bound to an element of a differentiated sequence: its name, the sequence's with the steps to it in
        that, (called when needed) the element's index in a turn, and the steps to it in the element of a list.
    targets
        All names that the header binds.
    counted
        Arguments of ``range`` where the reversed loop can count by itself, because no turn leaves early.
    """

    loop: Loop
    operands: Any
    elements: list[tuple[str, Key, Callable[[], gast.AST], tuple]] = field(default_factory=list)
    targets: tuple[str, ...] = ()
    counted: list[gast.AST] | None = None
    index: str | None = None
    numbered: Any = None
    """The version of the target that ``enumerate`` counts the turns with, if there is one."""

    @property
    def direct(self) -> dict[Any, tuple[Key, Callable[[], gast.AST], tuple]]:
        """For the version of each target that is an element: the sequence, the index and the steps. One of what the
        turns write into or bind anew is an element of what that was before: its cotangent comes at a turn's end."""
        changed = assigned_names(self.loop.body)
        return {self.operands.facts.defined[self.loop, target]: (sequence, index, inside)
                for target, sequence, index, inside in self.elements if sequence[0] not in changed}

    def index_name(self) -> gast.Name:
        """The variable that counts the turns in the reversed loop."""
        if self.index is None:
            number = self.operands.captures.table.get(("version", self.numbered))
            self.index = self.operands.captures.names.fresh("i", pin=True) if number is None else number.name
        return name(self.index)

    def reversed_loop(self, slots: list, used: set[str], body: tuple, sweep: Any) -> Loop:
        """The reversed loop over the saved turns around ``body``."""
        captures, location = self.operands.captures, self.loop.location
        target = self.counted_target()
        counter = captures.table.get(("version", target)) if target is not None else None
        asked = [slot for slot in slots if slot is not counter]
        if self.counted is not None and (counter is not None or not asked):
            captures.counted[self.loop] = target
            variable = counter.name if counter is not None and counter.name in used else captures.unused
            turns: gast.AST = call(
                self.builtin("range"), *(self.operands.value(item, self.loop) for item in self.counted))
            if not asked and variable == captures.unused:
                return Loop(variable, turns, body, location)
            turns = call(self.builtin("reversed"), turns)
            if not asked:
                return Loop(variable, turns, body, location)
            saved = call(self.builtin("reversed"), sweep.buffer(self.loop))
            pattern = slot_pattern(asked, used, captures.unused)
            if variable == captures.unused:
                return Loop(pattern, saved, body, location)
            return Loop((variable, pattern), call(self.builtin("zip"), turns, saved), body, location)
        slots, body = self.counted_turns(slots, used, body)
        pattern = slot_pattern(slots, used, captures.unused)
        if self.index is not None and self.index in used:
            if not slots and len(self.elements) == 1 and self.alone():
                length = call(self.builtin("len"), self.operands.value(self.sequence_node(), self.loop))
                captures.counted[self.loop] = None
            else:
                length = call(self.builtin("len"), sweep.buffer(self.loop))
            turns = call(self.builtin("reversed"), call(self.builtin("range"), length))
            if any(slot.name in used for slot in slots):
                body = (Assign(pattern, subscript(sweep.buffer(self.loop), name(self.index)), location), *body)
            return Loop(self.index, turns, body, location)
        return Loop(pattern, call(self.builtin("reversed"), sweep.buffer(self.loop)), body, location)

    def counted_turns(self, slots: list, used: set[str], body: tuple) -> tuple[list, tuple]:
        """What the turns save, and do, where the reversed loop counts them itself: not the number of each turn."""
        captures = self.operands.captures
        number = captures.table.get(("version", self.numbered))
        if number is None:
            return slots, body
        captures.counted[self.loop] = self.numbered
        if self.index is None or self.index not in used:
            self.index = number.name
        elif self.index != number.name and number.name in used:
            body = (Assign(number.name, name(self.index), self.loop.location), *body)
        return [slot for slot in slots if slot is not number], body

    def counted_target(self) -> Any:
        if self.counted is None:
            return None
        return self.operands.facts.defined.get((self.loop, self.loop.target))

    def alone(self) -> bool:
        """Whether the loop runs over one whole sequence, to its end, and leaves that as long as it is."""
        sequence = self.sequence_node()
        return isinstance(sequence, gast.Name) and not leaves(self.loop.body) - {"continue"} and not (
            isinstance(self.operands.facts.values.get(id(sequence)), Items)
            and sequence.id in assigned_names(self.loop.body))

    def is_whole(self, sequence: Key) -> bool:
        """Whether this is that sequence."""
        return self.alone() and sequence == (self.sequence_node().id, ())  # type: ignore[attr-defined]

    def sequence_node(self) -> gast.AST:
        return self.loop.iterable if self.numbered is None else self.loop.iterable.args[0]

    def builtin(self, label: str) -> gast.AST:
        return self.operands.helpers.builtin(label)


def slot_pattern(slots: list, used: set[str], unused: str) -> Pattern:
    """The target of a reversed loop: one slot is saved bare, several as a tuple."""
    if not slots:
        return unused
    names = tuple(slot.name if slot.name in used else unused for slot in slots)
    return names[0] if len(names) == 1 else names


def header_of(loop: Loop, facts: Facts, operands: Any) -> Header:
    header = Header(loop, operands, targets=tuple(pattern_names(loop.target or ())))
    if loop.target is None:
        return header
    _elements(loop.target, loop.iterable, header, facts, False)
    iterable = loop.iterable
    if (isinstance(iterable, gast.Call) and isinstance(loop.target, str) and _called(iterable, facts) is range
            and not leaves(loop.body) - {"continue"}
            and not any(isinstance(item, gast.Starred) for item in iterable.args)):
        header.counted = list(iterable.args)
    if isinstance(iterable, gast.Call) and isinstance(loop.target, tuple) and isinstance(loop.target[0], str) \
            and _called(iterable, facts) is enumerate and len(iterable.args) == 1 and not iterable.keywords:
        header.numbered = facts.defined.get((loop, loop.target[0]))
    return header


def _called(node: gast.Call, facts: Facts) -> Any:
    function = facts.values.get(id(node.func))
    return known_value(function) if isinstance(function, Known) else None


def _elements(pattern: Pattern, node: gast.AST, header: Header, facts: Facts, backwards: bool) -> None:
    """Find which targets are elements of which differentiated sequences."""
    if isinstance(node, gast.Call) and _called(node, facts) in (enumerate, zip, reversed):
        if _called(node, facts) is reversed:
            _elements(pattern, node.args[0], header, facts, not backwards)
            return
        parts = [None, node.args[0]] if _called(node, facts) is enumerate else list(node.args)
        if isinstance(pattern, str):
            assert not any(part is not None and facts.values[id(part)].active for part in parts)  # see inferred_loops
            return
        for target, part in zip(pattern, parts):
            if part is not None:
                _elements(target, part, header, facts, backwards)
        return
    value = facts.values.get(id(node))
    if value is None or not value.active or isinstance(value, Items) and value.is_dict:  # which gives keys
        return
    assert isinstance(node, gast.Name)  # everything else was given one
    if backwards and isinstance(value, Items) and any(
            isinstance(part, (Append, Delete)) and root(part.target) == node.id or isinstance(
                part, (Assign, Evaluate)) and node.id in part.writes for part in statements(header.loop.body)):
        raise refused(header.loop, f"this loop runs backwards over {node.id}, which it makes longer or shorter",
                      f"loop over a list of its own: {node.id}[::-1]")

    sequence, start, backwards = _sliced(node, header, facts, backwards)

    def index() -> gast.AST:
        counter = header.index_name()
        if not backwards:
            if start is None:
                return counter
            first = start()
            return gast.BinOp(counter, gast.Add(), first) if isinstance(first, gast.Constant) else gast.BinOp(
                first, gast.Add(), counter)
        return gast.BinOp(constant(-1), gast.Sub(), counter)

    for target, place in pattern_places(pattern):
        if isinstance(value, Items):
            header.elements.append((target, sequence, index, steps_of(value.any_item, place)))
        else:
            header.elements.append((target, sequence, element_index(index, place), ()))


def _sliced(node: gast.Name, header: Header, facts: Facts, backwards: bool
            ) -> tuple[Key, Callable[[], gast.AST] | None, bool]:
    """The array or list of which a loop runs over a part, ``x`` of ``x[2:]`` or ``model.xs`` of ``model.xs[:-1]``,
    where it begins unless at the first, and whether it goes backwards; the part itself where no more is known."""
    itself = (node.id, ()), None, backwards
    before = facts.before[header.loop]
    part = before.get(node.id)
    source = header.operands.source_of(part)
    if not (isinstance(source, gast.Subscript) and isinstance(source.slice, gast.Slice)):
        return itself
    label, path, holder = *_place(source.value, facts), facts.values[id(source.value)]
    made = next((statement for (statement, _), version in facts.defined.items() if version is part), None)
    whole = facts.before[made].get(label) if made is not None else None
    if whole is None or not whole == before.get(label) == facts.heads[header.loop].get(label) \
            or not holder.active or whole in facts.rewritten or whole in facts.reshaped:
        return itself
    if not isinstance(holder, Items) and (path or not (isinstance(holder, Numeric) and holder.kind == "array")):
        return itself
    part_of_it = facts.values[id(node)]
    if isinstance(holder, Items) and isinstance(part_of_it, Items) and static_leaves(
            holder.any_item) != static_leaves(part_of_it.any_item):
        return itself  # the others in it are unlike those in the part
    bounds = source.slice.lower, source.slice.upper, source.slice.step
    lower, upper, step = (known_value(facts.values[id(bound)]) if bound is not None else None for bound in bounds)
    if lower is None and upper is None and step == -1:
        return (label, path), None, not backwards
    if step is not None or backwards and upper is not None:
        return itself
    if lower is None or type(lower) is int and lower == 0:
        return (label, path), None, backwards
    if type(lower) is int and lower > 0:
        return (label, path), lambda: constant(lower), backwards
    if not backwards and upper is None and counts_up(bounds[0], made, facts):
        return (label, path), lambda: header.operands.value(bounds[0], made), backwards
    return itself


def _place(node: gast.AST, facts: Facts) -> Key:
    """The name, and the steps from it, of an attribute that is what an object's own dict has; ``""`` of others."""
    path: tuple = ()
    while isinstance(node, gast.Attribute):
        held = facts.values.get(id(node.value))
        if not (isinstance(held, Items) and held.has_field(node.attr)):
            return "", ()
        node, path = node.value, (node.attr, *path)
    return (node.id, path) if isinstance(node, gast.Name) else ("", ())


def counts_up(node: gast.AST, statement: Any, facts: Facts) -> bool:
    """Whether an integer is known not to be negative: what ``enumerate`` or ``range`` count from 0 on, and sums of
    that and literals."""
    if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Add):
        return counts_up(node.left, statement, facts) and counts_up(node.right, statement, facts)
    value = known_value(facts.values.get(id(node)))
    if not isinstance(node, gast.Name):
        return type(value) is int and value >= 0
    version = facts.before[statement].get(node.id)
    loop = version.loop if version is not None else None
    if loop is None or facts.defined.get((loop, node.id)) is not version or not isinstance(loop.iterable, gast.Call):
        return False
    counter, starts = _called(loop.iterable, facts), loop.iterable.args
    if loop.iterable.keywords or any(isinstance(item, gast.Starred) for item in starts):
        return False
    if counter is enumerate:
        return len(starts) == 1 and isinstance(loop.target, tuple) and loop.target[0] == node.id
    first = known_value(facts.values.get(id(starts[0]))) if starts else None
    return counter is range and loop.target == node.id and (
        len(starts) == 1 or len(starts) == 2 and type(first) is int and first >= 0)


def steps_of(element: Abstract, place: tuple[int, ...]) -> tuple:
    """The steps to what an element of a list is unpacked into."""
    steps = []
    for index in place:
        steps.append(element.steps[index] if isinstance(element, Items) and element.keys is not None else index)
        element = element.at(steps[-1]) if isinstance(element, Items) else element
    return tuple(steps)


def pattern_places(pattern: Pattern, place: tuple[int, ...] = ()) -> list[tuple[str, tuple[int, ...]]]:
    """Each name of a target with its place inside the element."""
    if isinstance(pattern, str):
        return [(pattern, place)]
    return [found for index, part in enumerate(pattern) for found in pattern_places(part, (*place, index))]


def element_index(index: Callable[[], gast.AST], place: tuple[int, ...]) -> Callable[[], gast.AST]:
    """The index of a place inside the element of a turn."""
    if not place:
        return index
    return lambda: tuple_of([index(), *map(constant, place)])


def refused(loop: Loop, reason: str, remedy: str) -> UnsupportedError:
    return UnsupportedError(reason, remedy, loop.location)
