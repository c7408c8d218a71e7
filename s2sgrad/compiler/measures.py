"""What an adjoint reads of an array but its shape and size, it can as well read of another one of the same shape.

An array that would be saved for its shape alone need not be kept, be it under a name of its own because the user's name
is bound anew (``x_before = x``), or in memory, where another one is saved anyway of which the same shape is known.
"""
from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.algebra import substitute
from s2sgrad.compiler.captures import Capture, Captures
from s2sgrad.compiler.facts import Facts, Version
from s2sgrad.compiler.nodes import INSIDE, attribute, call, name, names_in
from s2sgrad.compiler.program import (
    Assign,
    Leave,
    Loop,
    Program,
    expressions_in,
    leaves,
    mentioned,
    statements,
    with_blocks,
)
from s2sgrad.rules.abstract import Abstract, Items, Numeric

MEASURES = ("shape", "size")


def read_elsewhere(body: tuple, captures: Captures, program: Program, facts: Facts) -> tuple:
    """The adjoint, with the shapes and sizes of what it reads nothing else of read of other saved arrays."""
    known = [slot for slot in captures.table.values() if slot.kind in ("version", "part") and slot.block is None
             and is_of_known_shape(slot.value)]
    arrays = [slot for slot in known if slot.kind == "version"]
    named = Counter(slot.name for slot in captures.table.values())  # one name may be that of what two loops save
    alike = {slot: other for slot in captures.table.values() if slot.kind in MEASURES
             and (other := stretched_in(slot, captures, facts)) is not None}
    of_turns = {slot: others for slot in captures.table.values() if slot.kind == "version" and slot.block is not None
                and named[slot.name] == 1 and slot.subject in captures.shapes
                and (others := alike_in_turn(slot, captures, facts))}
    if len(known) < 2 and not alike and not of_turns and not captures.elsewhere:
        return body
    there = at_the_end(program, facts)
    costly = [slot for slot in arrays if not (slot.subject.origin == "parameter" and slot.subject in there)]
    if costly or alike or of_turns or captures.elsewhere:
        asked = {*costly, *of_turns}
        count, measured = mentions_in(body, {slot.name for slot in asked})
        if not alike and not captures.elsewhere and all(count[slot.name] > measured[slot.name] for slot in asked
                                                        if count[slot.name]):
            return body  # as most
        asked.update(known, alike, alike.values(), *of_turns.values())
        count, measured = mentions_in(body, {slot.name for slot in asked}.union(captures.elsewhere))
        read = [slot for slot in arrays if slot.subject in there and captures.has("version", slot.subject) and (
            count[slot.name] > measured[slot.name] or slot.subject.origin == "parameter" and count[slot.name])]
        read += [slot for slot in known if slot.kind == "part" and captures.has("part", id(slot.subject))
                 and count[slot.name] > measured[slot.name] and is_met_always(slot.statement, program.body)]
        for slot in costly:
            others = [other for other in read if other.value.shape == slot.value.shape]
            if 0 < count[slot.name] == measured[slot.name] and others and named[slot.name] == 1:
                label = slot.subject.name
                captures.elsewhere[slot.name] = min(
                    others, key=lambda other: getattr(other.subject, "name", "") != label).name, None
        captures.elsewhere.update((slot.name, (other.name, slot.kind)) for slot, other in alike.items()
                                  if count[other.name] > measured[other.name])
        for slot, others in of_turns.items():
            read = [other for other in others if count[other.name] > measured[other.name]]
            if 0 < count[slot.name] == measured[slot.name] and read:
                captures.elsewhere[slot.name] = read[0].name, None
        if not count.keys().isdisjoint(captures.elsewhere):
            body = renamed(body, captures.elsewhere)
            unread = {slot.name for slot in (*alike, *of_turns) if slot.block is not None
                      and slot.name in captures.elsewhere and captures.forget(slot)}
            return without_names(body, unread) if unread else body
    return body


def contents_read(body: tuple, captures: Captures) -> set[str]:
    """The names of the saved versions of which an adjoint reads more than shape and size."""
    labels = {slot.name for slot in captures.table.values() if slot.kind == "version"}
    count, measured = mentions_in(body, labels)
    return {label for label in labels if count[label] > measured[label]}


def parts_read(body: tuple, captures: Captures) -> dict[str, set[str] | None]:
    """The names of the saved versions of objects and dicts that an adjoint mentions, with the attributes and keys of
    which it reads what is there; None for one that it reads as a whole."""
    labels = {slot.name for slot in captures.table.values()
              if slot.kind == "version" and may_be_taken_apart(slot.value)}
    found: dict[str, set[str] | None] = {}

    def look_at(node: Any) -> None:
        step = None
        if isinstance(node, gast.Attribute):
            step = node.attr
        elif isinstance(node, gast.Subscript):
            step = getattr(node.slice, "value", None)
        whole = node.value if isinstance(step, str) else node
        if not (isinstance(whole, gast.Name) and whole.id in labels):
            for part in INSIDE[type(node)](node):
                look_at(part)
        elif whole is node:
            found[whole.id] = None
        elif found.setdefault(whole.id, set()) is not None:
            found[whole.id].add(step)

    for statement in statements(body) if labels else ():
        if not labels.isdisjoint(mentioned(statement)):
            for node in expressions_in(statement):
                look_at(node)
    return found


def may_be_taken_apart(value: Abstract) -> bool:
    """Whether a value is an object or a dict all of whose parts are known."""
    return isinstance(value, Items) and value.items is not None and (value.is_object or value.is_dict) \
        and not (value.optional or value.late or value.views or value.is_open)


def sized_nearby(body: tuple, captures: Captures) -> tuple:
    """The adjoint, with ``2.0 / r.size * r`` for ``2.0 / y.size * r`` where y is a parameter of r's shape."""
    if not captures.sized:
        return body
    shapes: dict[str, Any] = {}
    for slot in captures.table.values():
        if slot.kind in ("version", "part") and captures.has(*captures.key(slot)):
            shape = slot.value.shape if is_of_known_shape(slot.value) else None  # type: ignore[attr-defined]
            shapes[slot.name] = shape if shapes.get(slot.name, shape) == shape else None

    def line(statement: Any) -> Any:
        statement = with_blocks(statement, lambda block: tuple(map(line, block)))
        mentions = names_in(*expressions_in(statement))
        asked = captures.sized.keys() & set(mentions)
        if not asked:
            return statement
        count, measured = mentions_in((with_blocks(statement, lambda block: ()),), asked)
        others = {label: next((other for other in mentions if other not in asked and shapes.get(other) is not None
                               and shapes[other] == captures.sized[label]), None)
                  for label in asked if count[label] == measured[label]}
        there: dict[str, Any] = {label: other for label, other in others.items() if other is not None}

        def nearby(node: gast.AST) -> gast.AST | None:
            sized = isinstance(node, gast.Attribute) and node.attr == "size" and isinstance(node.value, gast.Name)
            return attribute(name(there[node.value.id]), "size") if sized and node.value.id in there else None

        return replace(statement, **{field: substitute(part, nearby, plainly=True) for field, part in vars(
            statement).items() if isinstance(part, gast.AST)}) if there else statement

    return tuple(map(line, body))


def alike_in_turn(slot: Capture, captures: Captures, facts: Facts) -> list[Capture]:
    """What else every turn of a loop saves that is known to have an array's shape."""
    if not is_of_known_shape(slot.value):
        return []
    return [other for other in captures.table.values() if other.block is slot.block and other is not slot
            and other.kind in ("version", "part") and is_of_known_shape(other.value)
            and other.value.shape == slot.value.shape and captures.has(*captures.key(other))
            and is_of_every_turn(other, facts)]


def is_of_every_turn(slot: Capture, facts: Facts) -> bool:
    """Whether what is saved in the turns of a loop is there in each, whatever way it takes."""
    body = slot.block.body  # type: ignore[union-attr]
    if slot.kind == "part":
        return is_met_always(slot.statement, body)
    head = facts.heads[slot.block].get(slot.subject.name)
    return head is slot.subject and not head.unbound or is_bound_always(slot.subject, body, facts)


def is_bound_always(version: Version, body: tuple, facts: Facts) -> bool:
    """Whether every way through a block binds what a version stands for."""
    return any(found is version and is_met_always(statement, body)
               for (statement, _), found in facts.defined.items())


def comes_before(version: Version, later: Version | None) -> bool:
    """Whether a version is what another one was before its array was written into, or that itself: it is there wherever
    the other one is."""
    while later is not None and later is not version:
        later = later.sources[0] if len(later.sources) == 1 else None
    return later is version


def without_names(body: tuple, names: set[str]) -> tuple:
    """A block whose patterns do not take these from the saved tuples, which hold them no more."""
    def kept(pattern: Any) -> Any:
        if not isinstance(pattern, tuple):
            return pattern
        parts = tuple(kept(part) for part in pattern if part not in names)
        return parts if len(parts) == len(pattern) or len(parts) > 1 else parts[0]

    def lines() -> Iterator[Any]:
        for statement in body:
            changed = with_blocks(statement, lambda block: without_names(block, names))
            if isinstance(changed, (Assign, Loop)) and isinstance(changed.target, tuple):
                changed = replace(changed, target=kept(changed.target))
            yield changed

    return tuple(lines())


def stretched_in(slot: Capture, captures: Captures, facts: Facts) -> Capture | None:
    """What an expression gives, or the one array among the numbers from which that was computed element by element, if
    it is saved too where the shape or size of that expression would be: ``r`` of ``r ** 2``."""
    node = slot.subject
    while True:
        value = facts.values.get(id(node))
        if not (isinstance(value, Numeric) and value.kind == "array"):
            return None
        key = ("version", facts.before[slot.statement].get(node.id)) if isinstance(node, gast.Name) else (
            "part", id(node))
        if key in captures.table and captures.has(*key):
            other = captures.table[key]
            return other if other.block is slot.block else None
        applied = facts.applied.get(id(node))
        if applied is None or not applied.operation.rule.elementwise:
            return None
        wide = [label for label, value in applied.operation.operands.items()
                if not (isinstance(value, Numeric) and value.is_number)]
        node = applied.nodes[wide[0]] if len(wide) == 1 else None


def is_met_always(statement: Any, body: tuple) -> bool:
    """Whether control comes to a statement, and to its end, on every way through a block."""
    before = list(itertools.takewhile(lambda other: other is not statement, body))
    return len(before) < len(body) and not leaves(tuple(before))


def is_of_known_shape(value: Abstract) -> bool:
    return isinstance(value, Numeric) and value.kind == "array" and value.shape is not None and value.shape != () \
        and None not in value.shape


def binding_of(version: Version | None) -> Version | None:
    """The array that a name was bound to, of one that it stands for when that has been written into: its shape has
    stayed. None where that may be one of several, or something else."""
    pending = [version]
    seen = set(pending)
    bindings = set()
    while pending:
        found = pending.pop()
        if found is None or found.unbound or not isinstance(found.value, Numeric) or found.value.kind != "array":
            return None
        if not found.sources:
            bindings.add(found)
        pending += [source for source in found.sources if source not in seen]
        seen.update(found.sources)
    binding = bindings.pop() if len(bindings) == 1 else None
    return binding if binding is not None and binding.origin in ("bound", "parameter") else None


def measure_of(array: gast.AST, like: Any, length: gast.AST) -> gast.AST:
    """``array.shape`` or, with the function ``len``, ``len(array)``, as another such expression is."""
    return attribute(array, like.attr) if isinstance(like, gast.Attribute) else call(length, array)


def at_the_end(program: Program, facts: Facts) -> set[Version]:
    """The versions that there are, under the user's own names, wherever the function returns."""
    ends = [statement for statement in statements(program.body)
            if isinstance(statement, Leave) and statement.kind == "return"]
    environments = [facts.before[end] for end in ends] if ends and program.body[-1] in ends else []
    there = {version for version in environments[0].values() if not version.unbound} if environments else set()
    return there.intersection(*(environment.values() for environment in environments))


def mentions_in(body: tuple, labels: set[str]) -> tuple[Counter, Counter]:
    """How often the names stand in a block, and how often only for a shape or size."""
    count: Counter = Counter()
    measured: Counter = Counter()
    for statement in statements(body):
        if labels.isdisjoint(mentioned(statement)):
            continue
        pending: list[Any] = expressions_in(statement)
        while pending:
            node = pending.pop()
            if isinstance(node, gast.Name):
                count[node.id] += 1
            elif isinstance(node, gast.Attribute) and node.attr in MEASURES and isinstance(node.value, gast.Name):
                measured[node.value.id] += 1
            pending += INSIDE[type(node)](node)
    return count, measured


def renamed(body: tuple, elsewhere: dict[str, tuple[str, str | None]]) -> tuple:
    """A block with ``y.shape`` for ``x.shape``, and for a shape or size that has a name."""
    def other(node: gast.AST) -> gast.AST | None:
        measure = node.attr if isinstance(node, gast.Attribute) and node.attr in MEASURES else None
        array = node.value if measure is not None else node
        there, kind = elsewhere.get(array.id, (None, None)) if isinstance(array, gast.Name) else (None, None)
        if there is None or (kind is None) == (measure is None):
            return None
        return attribute(name(there), measure or kind)

    def lines() -> Iterator[Any]:
        for statement in body:
            changed = with_blocks(statement, lambda block: renamed(block, elsewhere))
            if not mentioned(statement).isdisjoint(elsewhere):
                changed = replace(changed, **{field: substitute(part, other, plainly=True)
                                              for field, part in vars(changed).items() if isinstance(part, gast.AST)})
            yield changed

    return tuple(lines())
