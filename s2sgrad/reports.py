"""What compiled functions tell of themselves: sources, branch paths, saved buffers."""
from __future__ import annotations

import contextlib
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sgrad.compiled import Compiled
from s2sgrad.compiler import targets
from s2sgrad.compiler.captures import Capture
from s2sgrad.compiler.paths import RETURNED
from s2sgrad.compiler.program import Branch, Loop, statements
from s2sgrad.derivative import Derivative
from s2sgrad.entries import entries_of
from s2sgrad.entry import OpenEntry, pullback_entry, report_entry, tangent_entry
from s2sgrad.errors import ArgumentError
from s2sgrad.memory import owner
from s2sgrad.rules.abstract import Numeric
from s2sgrad.runtime import held
from s2sgrad.siblings import shared_by
from s2sgrad.subjects import subject_of, wanted_parameters

OF_GRAPH = "__s2sgrad_saved__"
"""The attribute of tensors' class that tells what a graph saves: tensors are known further up."""


def run(function: Any, args: tuple, kwargs: dict, argnums: int | tuple[int, ...] | None = None
        ) -> tuple[Compiled, Any, int, Any]:
    """Run the saving primal: the compiled code, the value, the path id and the saved tuple. What it writes into must be
    copies.

    The code is that behind ``grad`` if the result is known to be a number, else that behind ``vjp``.
    """
    subject = subject_of(function).fitting(args, kwargs)
    entry = pullback_entry(subject, None if argnums is None else wanted_parameters(subject, argnums))
    compiled = entry.compiled_for(args, kwargs)
    if is_gradient(compiled):
        entry = report_entry(subject, compiled.table.wanted)
        compiled = entry.compiled_for(args, kwargs)
    value, path, saved = entry.run(compiled, args, kwargs)
    return compiled, value, path, saved


def is_gradient(compiled: Compiled) -> bool:
    """Whether the result is known to be a single float, so that ``grad`` takes the function."""
    result = compiled.derivative.facts.result
    return isinstance(result, Numeric) and result.is_number and result.active


def source(function: Any, /, *args: Any, argnums: int | tuple[int, ...] | None = None, mode: str = "reverse",
           **kwargs: Any) -> str:
    """The text of primal and adjoint for the path that these arguments take; of the tangent function if the ``mode``
    is ``"forward"``.

    ``argnums`` chooses the parameters that are differentiated; None means all floats and arrays of floats. Where
    the result is a single float the adjoint is that of :func:`s2sgrad.grad`, with the cotangent 1 put in; else it takes
    the result's cotangent. Functions that are called, with their own adjoints, follow.
    """
    if mode not in ("reverse", "forward"):
        raise ArgumentError(f"mode is {mode!r}", 'pass "reverse" or "forward"')
    if mode == "forward":
        subject = subject_of(function).fitting(args, kwargs)
        entry = tangent_entry(subject, None if argnums is None else wanted_parameters(subject, argnums))
        return tangent_source(entry.compiled_for(args, kwargs).derivative)
    args, kwargs = held((args, kwargs))
    compiled, value, path, saved = run(function, args, kwargs, argnums)
    derivative = compiled.derivative
    with contextlib.suppress(Exception):  # what counts is that the functions called get their adjoints' texts
        compiled.table[path](saved, *(() if compiled.table.ones else (value,)))
    texts = [str(derivative.primal_text), str(compiled.table.text(path))]
    for callee in run_by(derivative):
        texts.extend(map(str, callee.texts()))
    return "\n".join(texts)


def tangent_source(derivative: Derivative) -> str:
    """The text of a tangent function, and of those that it calls."""
    return "\n".join(str(each.tangent_text) for each in (derivative, *callees(derivative)))


def callees(derivative: Derivative) -> list[Derivative]:
    """The derivatives that a derivative calls, itself left out, each once."""
    found: dict[Derivative, None] = {}
    waiting = [derivative]
    while waiting:
        for called in waiting.pop().facts.calls.values():
            if called.derivative is not derivative and called.derivative not in found:
                found[called.derivative] = None
                waiting.append(called.derivative)
    return list(found)


def run_by(derivative: Derivative) -> list[Derivative]:
    """Those of them whose primals run in its own, or in one another's: others' functions are called as they are."""
    found = callees(derivative)
    named = {key for caller in (derivative, *found) if hasattr(caller, "helpers") for key in caller.helpers.by_key}
    return [callee for callee in found if ("primal", id(callee)) in named]


@dataclass(frozen=True)
class Path:
    """One branch path that was taken.

    Attributes
    ----------
    id
        Its number.
    calls
        How often its adjoint ran; the first of them met the path and generated the adjoint, the others found it.
    conditions
        For each decision on it, the line, the user's own source line, and the outcome.
    """

    id: int
    calls: int
    conditions: tuple[tuple[int, str, str], ...]

    @property
    def misses(self) -> int:
        return min(self.calls, 1)

    @property
    def hits(self) -> int:
        return self.calls - self.misses

    def __str__(self) -> str:
        head = f"path {self.id}: {self.calls} call{'s' if self.calls != 1 else ''} ({self.hits} from the cache)"
        return "\n".join([head, *(f"    {line}: {text}  -> {outcome}" for line, text, outcome in self.conditions)])


class PathReport(tuple):
    """The paths of a function, most frequent first; prints as a table."""

    def __str__(self) -> str:
        return "\n".join(map(str, self)) if self else "no path was taken yet"


def paths(function: Any) -> PathReport:
    """The branch paths that derivatives of a function took, how often, and what each condition was; of a gradient those
    that its own calls took."""
    found = []
    for entry in entries_behind(function):
        for compiled in entry.patterns.values():
            for path, record in compiled.records.items():
                found.append(Path(path, record.calls, conditions(compiled.derivative, path)))
    return PathReport(sorted(found, key=lambda item: (-item.calls, item.id)))


def entries_behind(function: Any) -> list:
    """The entries of a gradient, or of all derivatives of any other function."""
    if targets.is_gradient(function):
        own = function.__s2sgrad__
        return list(own.entries.values()) if isinstance(own, OpenEntry) else [own]
    subject = subject_of(function)
    own = [entry for entry in entries_of(subject.function).met if entry.subject.given == subject.given]
    return own + [entry for entry in shared_by(subject) if entry not in own]


def conditions(derivative: Derivative, path: int) -> tuple[tuple[int, str, str], ...]:
    decisions = derivative.paths.decisions(path)
    result = []
    for statement in statements(derivative.program.body):
        if statement not in decisions:
            continue
        outcome = decisions[statement]
        if isinstance(statement, Branch):
            word = "true" if outcome else "false"
        else:
            word = "left by return" if outcome == RETURNED else "not left by return"
        result.append((statement.location.line, statement.location.text(), word))
    return tuple(result)


@dataclass(frozen=True)
class Saved:
    """One saved buffer of a call.

    Attributes
    ----------
    name, shape, dtype
        What it holds (for the buffer of a loop, the shape is the number of its turns).
    bytes
        Memory that it keeps alive and that neither the arguments nor the buffers before it do.
    line, text
        The source line whose reversal reads it.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    bytes: int
    line: int
    text: str


class SavedReport(tuple):
    """The saved buffers of a call; prints as a table."""

    @property
    def bytes(self) -> int:
        return sum(item.bytes for item in self)

    def __str__(self) -> str:
        rows = [("name", "shape", "dtype", "bytes", "needed by")]
        rows += [(item.name, str(item.shape), item.dtype, str(item.bytes), f"{item.line}: {item.text}")
                 for item in self]
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        lines = ["  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[4]]).rstrip()
                 for row in rows]
        return "\n".join([*lines, f"{self.bytes} bytes besides the arguments"])


def saved(function: Any, /, *args: Any, argnums: int | tuple[int, ...] | None = None, **kwargs: Any) -> SavedReport:
    """The buffers that a call with these arguments saves for the adjoint; ``argnums`` as for :func:`source`.

    Of a tensor alone: the memory that the graph behind it keeps, for each line that made it do so.
    """
    if hasattr(type(function), OF_GRAPH):
        found: SavedReport = getattr(type(function), OF_GRAPH)(function)
        return found
    args, kwargs = held((args, kwargs))
    compiled, _, _, values = run(function, args, kwargs, argnums)
    seen: set[int] = set()
    for value in (*args, *kwargs.values()):
        if isinstance(value, np.ndarray):
            seen.add(id(owner(value)))
    derivative = compiled.derivative
    rows: list[Saved] = []
    describe_slots(derivative, derivative.captures.layout(None), values, seen, rows, "")
    return SavedReport(rows)


def describe_slots(derivative: Derivative, slots: list[Capture], values: Any, seen: set[int], rows: list[Saved],
                   prefix: str) -> None:
    for slot, value in zip(slots, values):
        if value is None:  # this path has nothing to save there
            continue
        place = slot.needed_by
        if slot.kind == "buffer":
            describe_buffer(derivative, slot.subject, value, seen, rows, prefix + slot.name)
        elif slot.kind == "saved" or slot.kind == "path":
            rows.append(Saved(prefix + slot.name, (), type(value).__name__, memory(value, seen), place.line,
                              place.text()))
        else:
            dtype = str(value.dtype) if isinstance(value, (np.ndarray, np.generic)) else type(value).__name__
            rows.append(Saved(prefix + slot.name, np.shape(value) if isinstance(value, np.ndarray) else (), dtype,
                              memory(value, seen), place.line, place.text()))


def describe_buffer(derivative: Derivative, loop: Loop, turns: Any, seen: set[int], rows: list[Saved],
                    name: str) -> None:
    slots = derivative.captures.layout(loop)
    for index, slot in enumerate(slots):
        column = [turn if len(slots) == 1 else turn[index] for turn in turns]
        total = sum(memory(value, seen) for value in column)
        dtypes = {str(value.dtype) if isinstance(value, (np.ndarray, np.generic)) else type(value).__name__
                  for value in column if value is not None}
        place = slot.needed_by
        rows.append(Saved(f"{name}.{slot.name}", (len(column),), "/".join(sorted(dtypes)) or "-", total, place.line,
                          place.text()))


def memory(value: Any, seen: set[int]) -> int:
    """Bytes of array data and numbers that a value keeps alive, each array's memory counted once."""
    if isinstance(value, np.ndarray):
        array = owner(value)
        if id(array) in seen:
            return 0
        seen.add(id(array))
        return array.nbytes
    if isinstance(value, (tuple, list, deque)):
        return sum(memory(item, seen) for item in value)
    if isinstance(value, np.generic):
        return value.nbytes
    return 8 if isinstance(value, (int, float)) and not isinstance(value, bool) else 0
