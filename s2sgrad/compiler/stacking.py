"""What functions give for arrays that are stacked along a new first axis, by function.

A formula is a function of the operation: the text over the operands' names, where those that depend on the tangents
have the axis, and ``count`` stands for its length; None where nothing is known.
"""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad import runtime
from s2sgrad.rules.abstract import MISSING, Items, Numeric
from s2sgrad.rules.table import ATTRIBUTES, METHODS, Operation, Rule

IN_PARTS = (np.concatenate, np.stack)
"""They take a list, all of whose items get the axis."""


def is_elementwise(rule: Rule) -> bool:
    """Whether arrays of any shapes that broadcast may be its operands: not so the functions for numbers alone."""
    return rule.elementwise and (isinstance(rule.function, np.ufunc) or getattr(rule.function, "__module__", "") in (
        "numpy", "_operator", "operator") or rule.function in (
        runtime.divide_or_zero, runtime.log_or_zero, runtime.power_slope))


def only(operation: Operation, *parameters: str) -> bool:
    """Whether no other operand is given."""
    return set(operation.operands) <= set(parameters)


def total(name: str) -> Callable[[Operation], str | None]:
    def formula(op: Operation) -> str | None:
        rank, axis, keepdims = op.rank("a"), op.if_known("axis"), op.if_known("keepdims")
        if rank is None or axis is MISSING or keepdims is MISSING or not only(op, "a", "axis", "keepdims"):
            return None
        axes = tuple(range(1, rank + 1)) if axis is None else moved(axis, rank)
        if axes == ():
            return "a"
        text = repr(axes[0] if len(axes) == 1 else axes)
        return f"a.{name}(axis={text}, keepdims=True)" if keepdims else f"a.{name}(axis={text})"
    return formula


def moved(axis: Any, rank: int) -> tuple[int, ...]:
    """Axes where the new one comes before them."""
    axes = axis if isinstance(axis, tuple) else (axis,)
    return tuple(sorted(int(item) % rank + 1 for item in axes))


def along(name: str, *rest: str) -> Callable[[Operation], str | None]:
    """A function that does the same to each line along an axis."""
    def formula(op: Operation) -> str | None:
        first = op.rule.parameters[0].name
        rank, axis = op.rank(first), op.if_known("axis")
        if axis is None and rank == 1:
            axis = 0
        if not rank or type(axis) is not int or not only(op, first, "axis", *rest) or any(
                op[item].active for item in rest):
            return None
        given = "".join(f", {item}={item}" for item in rest if item in op.operands)
        return f"np.{name}({first}{given}, axis={moved(axis, rank)[0]})"
    return formula


def product(left: str, right: str) -> Callable[[Operation], str | None]:
    """A product of matrices and vectors of which one has the axis."""
    def formula(op: Operation) -> str | None:
        ranks = op.rank(left), op.rank(right)
        if op[left].active and op[right].active:
            return None
        if op[left].active and ranks in ((1, 1), (1, 2), (2, 1), (2, 2)):
            return f"{left} @ {right}"
        if op[right].active and ranks in ((1, 2), (2, 2)):
            return f"{left} @ {right}"
        if op[right].active and ranks in ((1, 1), (2, 1)):
            return f"{right} @ {left}" if ranks == (1, 1) else f"{right} @ {left}.T"
        return None
    return formula


def dot_of_vectors(op: Operation) -> str | None:
    return product("a", "b")(op) if op.rank("a") == op.rank("b") == 1 and op.is_real("a") and op.is_real("b") else None


def outer(op: Operation) -> str | None:
    if op.rank("a") != 1 or op.rank("b") != 1 or not only(op, "a", "b"):
        return None
    return f"a{'[:, :, None]' if op['a'].active else '[:, None]'} * b{'[:, None, :]' if op['b'].active else ''}"


def reversed_axes(op: Operation) -> str | None:
    rank = op.rank(op.rule.parameters[0].name)
    if rank is None or op.operands.keys() & {"axes"}:
        return None
    first = op.rule.parameters[0].name
    return first if rank < 2 else f"{first}.transpose({', '.join(map(str, (0, *range(rank, 0, -1))))})"


def swapped(op: Operation) -> str | None:
    rank, axes = op.rank("a"), [op.if_known(item) for item in ("axis1", "axis2")]
    if rank is None or not all(type(axis) is int for axis in axes):
        return None
    return f"np.swapaxes(a, {', '.join(str(moved(axis, rank)[0]) for axis in axes)})"


def reshaped(op: Operation) -> str | None:
    shape = op["shape"]
    if not only(op, "a", "shape"):
        return None
    if isinstance(shape, Items):
        return "a.reshape(count, *shape)"
    return "a.reshape(count, shape)" if isinstance(shape, Numeric) and shape.is_number else None


def flattened(op: Operation) -> str | None:
    return "a.reshape(count, -1)" if only(op, "a") and op.rank("a") != 0 else None


def broadcast(op: Operation) -> str | None:
    rank, shape = op.rank("array"), op["shape"]
    if rank is None or not isinstance(shape, Items) or shape.items is None:
        return None
    more = ", ".join([":", *["None"] * (len(shape.items) - rank)])
    return f"np.broadcast_to(array{f'[{more}]' if len(shape.items) > rank else ''}, (count, *shape))"


def joined(op: Operation) -> str | None:
    axis = op.if_known("axis")
    items = op[op.rule.parameters[0].name]
    if type(axis) is not int or not isinstance(items, Items) or not items.items or not only(
            op, op.rule.parameters[0].name, "axis"):
        return None
    ranks = {item.rank if isinstance(item, Numeric) else None for item in items.items}
    rank = ranks.pop()
    if ranks or rank is None:
        return None
    rank += (op.rule.function is np.stack)
    return f"np.{op.rule.function.__name__}({op.rule.parameters[0].name}, axis={moved(axis, rank)[0]})"


STACKED: dict[Any, Callable[[Operation], str | None]] = {
    np.sum: total("sum"), np.mean: total("mean"),
    np.copy: lambda op: "a.copy()", METHODS["copy"].function: lambda op: "a.copy()",
    np.cumsum: along("cumsum"), np.diff: along("diff", "n"), np.flip: along("flip"), np.roll: along("roll", "shift"),
    np.take: along("take", "indices"), np.repeat: along("repeat", "repeats"),
    np.matmul: product("x1", "x2"), operator.matmul: product("x1", "x2"), np.dot: product("a", "b"),
    np.vdot: dot_of_vectors, np.inner: dot_of_vectors, np.outer: outer,
    np.transpose: reversed_axes, ATTRIBUTES["T"].function: reversed_axes, np.swapaxes: swapped,
    np.reshape: reshaped, METHODS["reshape"].function: reshaped, np.ravel: flattened,
    METHODS["flatten"].function: lambda op: f"{flattened(op)}.copy()" if flattened(op) else None,
    np.broadcast_to: broadcast, np.concatenate: joined, np.stack: joined,
}
