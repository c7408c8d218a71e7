"""What the turns of a reversed loop compute of small arrays that were saved for them, computed for all turns at once.

Where a turn did ``z_bar = h_bar * (1.0 - h ** 2)`` and ``h`` is unpacked from what was saved for it, there is
``slopes = list(1.0 - np.array([h for _, h in turns]) ** 2)`` before the loop, and the turns, which go backwards, do
``z_bar = h_bar * slopes.pop()``. What NumPy spends around the arithmetic on small arrays is spent once then.
"""
from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.algebra import substitute
from s2sgrad.compiler.gathered import plural
from s2sgrad.compiler.memory_groups import MemoryGroups
from s2sgrad.compiler.nodes import attribute, call, change, name, names_in, ordered_children, rebuilt
from s2sgrad.compiler.operands import Operands
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Augment,
    Leave,
    Loop,
    Program,
    Store,
    assigned_names,
    blocks_of,
    mentioned,
    statements,
    with_blocks,
)
from s2sgrad.rules.abstract import Numeric, known_value

SMALL = 256
"""Of arrays with more elements than these a copy of all costs as much as is gained."""
WORTH = 2
"""So many operations are computed at once, or more."""
ARITHMETIC = (gast.Add, gast.Sub, gast.Mult, gast.Div, gast.Pow)
EAGER = (gast.BinOp, gast.UnaryOp, gast.Call, gast.Attribute, gast.Subscript, gast.Tuple, gast.List)
"""Expressions all of whose parts are evaluated, whatever these are."""


def at_once(program: Program, operands: Operands, sizes: Mapping[Any, int], fresh: Callable[[str], str]) -> Program:
    """An adjoint with the slopes of its loops computed before them. ``sizes``: those of the dimensions of what it is
    compiled for, by their letters; ``fresh`` hands out names."""
    backwards = operands.helpers.by_key.get(("builtin", "reversed"))
    loops = {statement for statement in statements(program.body)
             if isinstance(statement, Loop) and goes_through(statement, backwards)}
    return replace(program, body=_Slopes(program, loops, operands, sizes, fresh).block(program.body)) if loops \
        else program


def goes_through(loop: Loop, backwards: str | None) -> bool:
    """Whether a loop goes through all of a list of saved values, in every turn to its end. ``backwards``: the name of
    ``reversed``."""
    iterable: Any = loop.iterable
    return isinstance(iterable, gast.Call) and getattr(iterable.func, "id", None) == backwards \
        and isinstance(iterable.args[0], gast.Name) and all(isinstance(part, str) for part in parts_of(loop)) \
        and not any(isinstance(inner, Leave) for inner in statements(loop.body))


def parts_of(loop: Loop) -> tuple:
    """What the targets of a loop are."""
    return loop.target if isinstance(loop.target, tuple) else (loop.target,)


class _Slopes:
    def __init__(self, program: Program, loops: set[Loop], operands: Operands, sizes: Mapping[Any, int],
                 fresh: Callable[[str], str]):
        self.program = program
        self.operands = operands
        self.loops = loops
        self.sizes = sizes
        self.fresh = fresh

    @functools.cached_property
    def groups(self) -> MemoryGroups:
        return MemoryGroups(self.program, self.operands)

    def are_written(self, labels: set[str]) -> bool:
        """Whether anything writes into the memory that has one of these names."""
        return bool(self.groups.writing(self.groups.shared(labels)))

    def block(self, body: tuple) -> tuple:
        return tuple(line for statement in body for line in self.lines(statement))

    def lines(self, statement: Any) -> list:
        if not blocks_of(statement):
            return [statement]
        before: list = []
        if statement in self.loops:
            found = _Loop(self, statement)
            statement, before = found.rewritten(), found.before
        return [*before, with_blocks(statement, self.block)]


class _Loop:
    """One loop.

    Attributes
    ----------
    saved
        The names that its targets alone bind.
    before
        What stands before it.
    """

    def __init__(self, whole: _Slopes, loop: Loop):
        self.whole = whole
        self.loop = loop
        self.turns: gast.AST = loop.iterable.args[0]  # type: ignore[attr-defined]
        self.before: list = []
        self.arrays: dict[str, list[gast.AST]] = {}
        """For what was saved under a name the expressions of an array of that of all turns."""
        bound = assigned_names(loop.body)
        self.saved = {label for label in parts_of(loop) if label not in bound}

    def rewritten(self) -> Loop:
        body = tuple(map(self.line, self.loop.body))
        if not self.before:
            return self.loop
        self.name_arrays()
        read = {label for statement in statements(body) for label in mentioned(statement)}
        target = self.loop.target
        if isinstance(target, tuple) and "_" not in read:
            target = tuple("_" if part in self.saved - read else part for part in target)
        return replace(self.loop, target=target, body=body)

    def name_arrays(self) -> None:
        """Make an array that is read twice once."""
        names = {id(node): (label, made) for label, nodes in self.arrays.items() if len(nodes) > 1
                 for made in [self.whole.fresh(plural([name(label)], "arrays"))] for node in nodes}
        if not names:
            return
        read = [replace(line, value=substitute(line.value, lambda node: name(names[id(node)][1]) if id(
            node) in names else None, plainly=True)) for line in self.before]
        location = self.loop.location
        made = [Assign(made, self.arrays[label][0], location) for label, made in dict.fromkeys(names.values())]
        self.before = [*made, *read]

    def line(self, statement: Any) -> Any:
        """A statement that every turn runs."""
        if not isinstance(statement, (Assign, Augment, Append, Store)) or getattr(statement, "outer", False):
            return statement
        value = self.expression(statement.value)
        return statement if value is statement.value else replace(statement, value=value)

    def expression(self, node: gast.AST) -> gast.AST:
        shapes: set[tuple] = set()
        if isinstance(node, (gast.BinOp, gast.UnaryOp, gast.Call)) and self.operations(node, shapes) >= WORTH \
                and len(shapes) == 1 and not self.whole.are_written(self.saved.intersection(names_in(node))):
            slopes = self.whole.fresh("slopes")
            self.before.append(Assign(slopes, call(self.whole.operands.helpers.builtin("list"), self.of_all(node)),
                                      self.loop.location))
            last = call(attribute(name(slopes), "pop"))
            self.whole.operands.gives_the_same(last, node)
            return last
        changes: dict[str, Any] = {}
        if isinstance(node, EAGER):
            for part, place, child in ordered_children(node):
                new = self.expression(child)
                if new is not child:
                    change(node, part, place, new, changes)
        return rebuilt(node, changes)

    def operations(self, node: gast.AST, shapes: set[tuple]) -> float:
        """How many operations an expression has, that work element by element on what was saved; minus infinity where
        there are others. ``shapes`` gets those of the arrays."""
        if isinstance(node, gast.Constant):
            return 0 if type(node.value) in (int, float) else -math.inf
        if isinstance(node, gast.Name):
            shape = self.small(node) if node.id in self.saved else None
            if shape is None:
                return -math.inf
            shapes.add(shape)
            return 0
        if isinstance(node, gast.BinOp) and isinstance(node.op, ARITHMETIC):
            return 1 + self.operations(node.left, shapes) + self.operations(node.right, shapes)
        if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
            return 1 + self.operations(node.operand, shapes)
        if isinstance(node, gast.Call) and len(node.args) == 1 and not node.keywords and isinstance(
                known_value(self.whole.operands.evaluate(node.func)), np.ufunc):
            return 1 + self.operations(node.args[0], shapes)
        return -math.inf

    def small(self, node: gast.Name) -> tuple | None:
        """The shape of a small array of floats, where it is the same in all turns."""
        value = self.whole.operands.evaluate(node)
        if not isinstance(value, Numeric) or value.kind != "array" or value.dtype is None or value.dtype.kind != "f" \
                or not value.shape:
            return None
        sizes = [size if isinstance(size, int) else self.whole.sizes.get(size) for size in value.shape]
        return value.shape if None not in sizes and math.prod(sizes) <= SMALL else None  # type: ignore[arg-type]

    def of_all(self, node: gast.AST) -> gast.AST:
        """An expression with the arrays of all turns in the place of those of one."""
        if isinstance(node, gast.Name) and node.id in self.saved:
            made = call(self.whole.operands.helpers.numpy("array"), self.items(node.id))
            self.arrays.setdefault(node.id, []).append(made)
            return made
        changes: dict[str, Any] = {}
        for part, place, child in ordered_children(node):
            new = child if part == "func" else self.of_all(child)
            if new is not child:
                change(node, part, place, new, changes)
        return rebuilt(node, changes)

    def items(self, label: str) -> gast.AST:
        """What was saved under a name for all turns."""
        if not isinstance(self.loop.target, tuple):
            return self.turns
        parts = [gast.Name(part if part == label else "_", gast.Store(), None, None) for part in self.loop.target]
        return gast.ListComp(name(label), [gast.comprehension(
            gast.Tuple(parts, gast.Store()), self.turns, [], 0)])
