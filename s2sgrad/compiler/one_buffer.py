"""Buffers of a primal's loops that hold the same as lists that its program fills itself, as these.

The text of a gradient keeps what its own adjoint reads of each turn of a loop in a list. Where it is differentiated
itself, what is saved of the turn is often just that.
"""
from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import gast

from s2sgrad.compiler.nodes import name, names_in
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Attempt,
    Context,
    Evaluate,
    Leave,
    Loop,
    Program,
    assigned_names,
    blocks_of,
    expressions_in,
    leaves,
    pattern_names,
    read_names,
    statements,
    with_blocks,
    written_name,
)


def with_one_buffer(primal: Program, kept: frozenset[str], buffers: set[str], copies: set[str]) -> Program:
    """``kept``: the lists that the program fills itself; ``buffers``: those that are saved for the adjoint; ``copies``:
    the names of values that are overwritten before they are saved."""
    search = _Search(kept, buffers)
    search.block(primal.body, {}, False)
    same = {buffer: found for buffer in buffers if (found := search.found(buffer)) and search.is_there(buffer, found)}
    if not same or any(same.get(buffer) != found for buffer, found in search.premises):
        return primal
    body = _without(primal.body, same)
    vain = copies - read_names(body)
    return replace(primal, body=_without_copies(body, vain) if vain else body)


@dataclass
class _Search:
    """What is put into lists, and where.

    Attributes
    ----------
    made, filled
        By list: the stretches of code in which it is bound to an empty one; those in which something is appended, each
        with what that is. No stretch is left midway, so that all of it happens as often.
    empty
        By list what stands for it where it was bound last.
    read
        The buffers that are saved, each with what names stand for there.
    premises
        The buffers that were taken for other lists, as parts of what is saved of a turn.
    spoiled
        The lists that are something else besides.
    """

    kept: frozenset[str]
    buffers: set[str]
    made: dict[str, list[object]] = field(default_factory=dict)
    filled: dict[str, list[tuple[object, Any]]] = field(default_factory=dict)
    empty: dict[str, Any] = field(default_factory=dict)
    read: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    premises: set[tuple[str, str]] = field(default_factory=set)
    spoiled: set[str] = field(default_factory=set)

    def found(self, buffer: str) -> str | None:
        """The list that holds the same as a buffer."""
        if buffer in self.spoiled or buffer not in self.filled:
            return None
        return next((label for label in sorted(self.kept - self.spoiled)
                     if len(self.made.get(label, ())) == 1 and self.made[label] == self.made.get(buffer)
                     and self.filled.get(label) == self.filled[buffer]), None)

    def is_there(self, buffer: str, found: str) -> bool:
        """Whether that list still has its name wherever the buffer is saved."""
        return all(numbers.get(label) == self.empty[label] for saved, numbers in self.read if saved == buffer
                   for label in (buffer, found))

    def block(self, body: tuple, numbers: dict[str, Any], guarded: bool) -> None:
        """``numbers``: what names stand for, where that is known; some stand for the same. ``guarded``: an exception
        may leave any statement, and be caught."""
        stretch = object()
        for statement in body:
            bound = assigned_names((statement,), written=False)
            for inner in blocks_of(statement):
                known = {label: number for label, number in numbers.items() if label not in bound} if isinstance(
                    statement, Loop) else dict(numbers)
                self.block(inner, known, guarded or isinstance(statement, (Attempt, Context)))
            label, item = self.appended(statement)
            if item is not None:
                self.filled.setdefault(label, []).append((stretch, self.number(item, numbers)))
            else:
                self.others(statement, numbers)
            if isinstance(statement, Assign) and isinstance(statement.target, str) \
                    and isinstance(statement.value, gast.Name):
                numbers[statement.target] = self.number(statement.value, numbers)
            else:
                numbers.update((each, (id(statement), each)) for each in bound)
            if isinstance(statement, Assign) and isinstance(statement.target, str) and _is_empty(statement.value):
                self.made.setdefault(statement.target, []).append(stretch)
                self.empty[statement.target] = numbers[statement.target]
            if guarded or isinstance(statement, Attempt) or leaves((statement,)):
                stretch = object()

    def appended(self, statement: Any) -> tuple[str, gast.AST | None]:
        """The list that a statement appends to, and what it appends."""
        if isinstance(statement, Append) and statement.place is None and written_name(statement) in self.kept \
                and isinstance(statement.target, gast.Name):
            return statement.target.id, statement.value
        label = buffer_of(statement)
        return (label, statement.value.args[0]) if label in self.buffers else ("", None)

    def others(self, statement: Any, numbers: dict[str, Any]) -> None:
        """Note the buffers that a statement saves, or reads in another way, and the lists that it binds or changes."""
        mentioned = self.buffers.intersection(names_in(*expressions_in(statement)))
        if isinstance(statement, Leave):
            self.read += [(label, dict(numbers)) for label in mentioned]
        else:
            self.spoiled |= mentioned
        if isinstance(statement, Loop):
            targets = set(pattern_names(statement.target or ()))
            self.spoiled |= {label for label, _ in map(self.appended, statements(statement.body))} & targets
        elif not blocks_of(statement) and not (isinstance(statement, Assign) and _is_empty(statement.value)):
            self.spoiled |= assigned_names((statement,)) & (self.kept | self.buffers)

    def number(self, node: gast.AST, numbers: dict[str, Any]) -> Any:
        if isinstance(node, gast.Tuple):
            return tuple(self.number(part, numbers) for part in node.elts)
        if isinstance(node, gast.Constant):
            return type(node.value), node.value
        if not isinstance(node, gast.Name):
            return object()
        label = node.id
        if label in self.buffers:
            self.read.append((label, dict(numbers)))
            found = self.found(label)
            if found is not None:
                self.premises.add((label, found))
                label = found
        return numbers.get(label, label)


def buffer_of(statement: Any) -> str:
    """The buffer that a statement appends what is saved of a turn to."""
    called = getattr(statement.value, "func", None) if isinstance(statement, Evaluate) else None
    is_append = isinstance(called, gast.Attribute) and called.attr == "append" and isinstance(called.value, gast.Name)
    return called.value.id if is_append else ""  # type: ignore[union-attr]


def _is_empty(node: gast.AST) -> bool:
    return isinstance(node, gast.List) and not node.elts


def _without(body: tuple, same: dict[str, str]) -> tuple:
    """A block without the buffers that are other lists, which are saved in their places."""
    out: list[Any] = []
    for statement in body:
        if buffer_of(statement) in same or isinstance(statement, Assign) and statement.target in same:
            continue
        made = with_blocks(statement, lambda block: _without(block, same))
        if isinstance(statement, Leave) and statement.value is not None:
            made = replace(statement, value=_instead(statement.value, same))
        elif buffer_of(statement):
            call: Any = statement.value
            made = replace(statement, value=gast.Call(call.func, [_instead(call.args[0], same)], []))
        out.append(made)
    return tuple(out)


def _instead(node: Any, same: dict[str, str]) -> gast.AST:
    if isinstance(node, gast.Tuple):
        return gast.Tuple([_instead(part, same) for part in node.elts], node.ctx)
    return name(same[node.id]) if isinstance(node, gast.Name) and node.id in same else node


def _without_copies(body: tuple, vain: set[str]) -> tuple:
    return tuple(with_blocks(statement, lambda block: _without_copies(block, vain)) for statement in body
                 if not (isinstance(statement, Assign) and isinstance(statement.target, str)
                         and statement.target in vain and isinstance(statement.value, gast.Name)))
