"""What an adjoint reads of an array but its shape and size, it can as well read of another one of the same shape.

An array that would be saved for its shape alone need not be kept, be it under a name of its own because the user's name
is bound anew (``x_before = x``), or in memory, where another one is saved anyway of which the same shape is known.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.algebra import substitute
from s2sgrad.compiler.captures import Captures
from s2sgrad.compiler.facts import Facts, Version
from s2sgrad.compiler.program import (
    INSIDE,
    Leave,
    Program,
    attribute,
    call,
    expressions_in,
    mentioned,
    name,
    statements,
    with_blocks,
)
from s2sgrad.rules.abstract import Numeric

MEASURES = ("shape", "size")


def read_elsewhere(body: tuple, captures: Captures, program: Program, facts: Facts) -> tuple:
    """The adjoint, with the shapes and sizes of what it reads nothing else of read of other saved arrays."""
    arrays = [slot for slot in captures.table.values()
              if slot.kind == "version" and slot.block is None and is_of_known_shape(slot.subject)]
    if len(arrays) < 2 and not captures.elsewhere:
        return body
    there = at_the_end(program, facts)
    costly = [slot for slot in arrays if not (slot.subject.origin == "parameter" and slot.subject in there)]
    if costly or captures.elsewhere:
        count, measured = mentions_in(body, {slot.name for slot in arrays}.union(captures.elsewhere))
        read = [slot for slot in arrays if slot.subject in there and captures.has("version", slot.subject) and (
            count[slot.name] > measured[slot.name] or slot.subject.origin == "parameter" and count[slot.name])]
        for slot in costly:
            others = [other for other in read if other.subject.value.shape == slot.subject.value.shape]
            if 0 < count[slot.name] == measured[slot.name] and others:
                label = slot.subject.name
                captures.elsewhere[slot.name] = min(others, key=lambda other: other.subject.name != label).name
        if not count.keys().isdisjoint(captures.elsewhere):
            return renamed(body, captures.elsewhere)
    return body


def is_of_known_shape(version: Version) -> bool:
    value = version.value
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


def renamed(body: tuple, instead: dict[str, str]) -> tuple:
    def other(node: gast.AST) -> gast.AST | None:
        if isinstance(node, gast.Attribute) and isinstance(node.value, gast.Name) and node.value.id in instead:
            return attribute(name(instead[node.value.id]), node.attr)
        return None

    def lines() -> Iterator[Any]:
        for statement in body:
            changed = with_blocks(statement, lambda block: renamed(block, instead))
            if not mentioned(statement).isdisjoint(instead):
                changed = replace(changed, **{field: substitute(part, other) for field, part in vars(changed).items()
                                              if isinstance(part, gast.AST)})
            yield changed

    return tuple(lines())
