"""Functions with as many results as parts: arrays taken apart, and several arrays brought to one shape."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.rules.abstract import MISSING, SEVERAL, Abstract, Items, Numeric
from s2sgrad.rules.dims import Dim, broadcast
from s2sgrad.rules.shapes import of_shape
from s2sgrad.rules.table import ZERO, Operation, general

EVERY = range(1_000_000)
"""All results have a derivative."""


# ---- arrays taken apart along an axis

def count_of_parts(op: Operation) -> int | None:
    """How many parts ``np.split`` and its kin give: so many, or one more than there are places to cut."""
    places = op["indices_or_sections"]
    if isinstance(places, Items):
        return None if places.items is None else len(places.items) + 1
    known = op.if_known("indices_or_sections")
    return int(known) if isinstance(known, (int, np.integer)) and not isinstance(known, bool) else None


def split_result(axis: Callable[[Operation], int | None]) -> Callable[[Operation], Abstract]:
    def result(op: Operation) -> Abstract:
        shape, place, count = op.shape("ary"), axis(op), count_of_parts(op)
        part = of_shape(op, None, "ary")
        if shape is not None and place is not None and -len(shape) <= place < len(shape):
            whole = shape[place]
            even = whole is not None and not isinstance(op["indices_or_sections"], Items) and \
                op.rule.function is not np.array_split
            sizes: list[Dim] = list(shape)
            sizes[place] = ("part", whole, count) if even else None
            part = of_shape(op, tuple(sizes), "ary")
        return Items(list, None, part) if count is None else Items(list, (part,) * count)
    return result


def joined_parts(op: Operation, axis: str, join: str = "concatenate") -> str:
    """The cotangents of all parts joined; of those that have none, zeros."""
    parts = [f"g_{index}" if index in op.reached else f"np.zeros_like(y_{index})" for index in range(len(op.results))]
    return f"np.{join}([{', '.join(parts)}]{axis})"


def split_bar(op: Operation) -> str:
    axis = op.known("axis")
    return joined_parts(op, f", axis={axis}" if axis else "")


def given_axis(op: Operation) -> int | None:
    axis = op.if_known("axis")
    return axis if isinstance(axis, int) else None


def second_axis(op: Operation) -> int | None:
    """``np.hsplit`` takes the only axis of a vector."""
    rank = op.rank("ary")
    return None if rank is None else min(1, rank - 1)


AXIS_CUT: dict[Callable, Callable[[Operation], int | None]] = {
    np.split: given_axis, np.array_split: given_axis, np.vsplit: lambda op: 0, np.hsplit: second_axis,
    np.dsplit: lambda op: 2}
"""The axis along which each of the functions takes an array apart."""


def unstacked(op: Operation) -> Abstract:
    shape, axis = op.shape("x"), op.if_known("axis")
    if shape is None or not isinstance(axis, int) or not isinstance(shape[axis], int):
        return Items(tuple, None, of_shape(op, None, "x"))
    place, count = axis % len(shape), shape[axis]
    assert isinstance(count, int)
    return Items(tuple, (of_shape(op, (*shape[:place], *shape[place + 1:]), "x"),) * count)


for name in ("split", "array_split"):
    general(f"np.{name}(ary, indices_or_sections, axis=0)", parts=EVERY, ary=split_bar,
            result=split_result(given_axis), sharing="view", linear="ary", complex=True)
general("np.vsplit(ary, indices_or_sections)", parts=EVERY, ary=lambda op: joined_parts(op, ""),
        result=split_result(AXIS_CUT[np.vsplit]), sharing="view", linear="ary", complex=True)
general("np.hsplit(ary, indices_or_sections)", parts=EVERY, ary=lambda op: joined_parts(op, "", "hstack"),
        result=split_result(AXIS_CUT[np.hsplit]), sharing="view", linear="ary", complex=True)
general("np.dsplit(ary, indices_or_sections)", parts=EVERY, ary=lambda op: joined_parts(op, ", axis=2"),
        result=split_result(AXIS_CUT[np.dsplit]), sharing="view", linear="ary", complex=True)


# ---- one result for each operand

def operands_of(op: Operation, name: str) -> tuple[Abstract, ...]:
    """The operands of a function that takes any number of them."""
    value = op[name]
    assert isinstance(value, Items) and value.items is not None
    return value.items


def for_each(name: str, text: Callable[[Operation, int, str], str]) -> Callable[..., tuple[str, ...]]:
    """The formula of a function of which each operand makes one result: the text for one place."""
    def formula(op: Operation, path: tuple[int, ...]) -> tuple[str, ...]:
        (mine,) = path
        return tuple(text(op, mine, f"{name}_{mine}") if place == mine else ZERO for place in range(len(op.results)))
    return formula


def shape_of_item(value: Abstract) -> tuple[Dim, ...] | None:
    return value.shape if isinstance(value, Numeric) else None


def dtype_of_item(value: Abstract) -> np.dtype | None:
    return value.dtype if isinstance(value, Numeric) else None


def broadcast_result(op: Operation) -> Abstract:
    values = operands_of(op, "args")
    shape = broadcast(*map(shape_of_item, values))
    return Items(tuple, tuple(Numeric("array", dtype_of_item(value), shape) for value in values))


def grid_axis(op: Operation, index: int) -> int:
    """The axis along which an operand of ``np.meshgrid`` runs: the first two change places where x comes first."""
    swapped = op.known("indexing") == "xy" and len(operands_of(op, "xi")) > 1 and index < 2
    return 1 - index if swapped else index


def grid_bar(op: Operation, index: int, operand: str) -> str:
    count = len(operands_of(op, "xi"))
    others = tuple(axis for axis in range(count) if axis != grid_axis(op, index))
    if op.known("sparse") or not others:
        return f"np.reshape(g_{index}, {operand}.shape)"
    axes = others[0] if len(others) == 1 else others
    text = f"np.sum(g_{index}, axis={axes})"
    value = operands_of(op, "xi")[index]
    return text if isinstance(value, Numeric) and value.rank == 1 else f"np.reshape({text}, {operand}.shape)"


def grid_result(op: Operation) -> Abstract:
    values, sparse = operands_of(op, "xi"), op.if_known("sparse")
    if op.if_known("indexing") is MISSING or sparse is MISSING:
        return SEVERAL
    sizes: list[Dim] = []
    for value in values:
        shape = shape_of_item(value)
        sizes.append(None if shape is None or len(shape) > 1 else shape[0] if shape else 1)
    parts = []
    for index, value in enumerate(values):
        dims: list[Dim] = [1] * len(values)
        for other, size in enumerate(sizes):
            if not sparse or other == index:
                dims[grid_axis(op, other)] = size
        parts.append(Numeric("array", dtype_of_item(value), tuple(dims)))
    return Items(tuple, tuple(parts))


def open_grid(op: Operation) -> Abstract:
    """Flags become the places where they are set."""
    parts, values = [], operands_of(op, "args")
    for index, value in enumerate(values):
        shape, dtype = shape_of_item(value), dtype_of_item(value)
        flags = dtype is None or dtype.kind == "b"
        dims: list[Dim] = [1] * len(values)
        dims[index] = None if shape is None or flags else shape[0]
        parts.append(Numeric("array", None if dtype is None else np.dtype(np.intp) if flags else dtype, tuple(dims)))
    return Items(tuple, tuple(parts))


general("np.broadcast_arrays(args)", parts=EVERY, variadic="*args", result=broadcast_result, sharing="maybe",
        args=for_each("args", lambda op, index, operand: f"unbroadcast(g_{index}, {operand}.shape)"), linear="args",
        complex=True)
general("np.meshgrid(xi, *, copy=True, sparse=False, indexing='xy')", parts=EVERY, variadic="*xi", result=grid_result,
        xi=for_each("xi", grid_bar), sharing="maybe", linear="xi", complex=True)
general("np.ix_(args)", parts=EVERY, variadic="*args",
        result=open_grid,
        args=for_each("args", lambda op, index, operand: f"np.reshape(g_{index}, {operand}.shape)"), sharing="maybe",
        linear="args")


# ---- one result for each axis

def gradient_axes(op: Operation) -> tuple[int, ...] | None:
    """The axes that ``np.gradient`` goes along; None where that is not known."""
    axis, rank = op.if_known("axis"), op.rank("f")
    if axis is MISSING or rank is None and axis is None:
        return None
    if axis is None:
        return tuple(range(rank or 0))
    return axis if isinstance(axis, tuple) else (axis,)


def gradient_result(op: Operation) -> Abstract:
    axes, value = gradient_axes(op), op["f"]
    if axes is None or not isinstance(value, Numeric):
        return SEVERAL
    dtype = None if value.dtype is None else np.result_type(value.dtype, np.float16)
    part = Numeric("array", dtype, value.shape)
    return part if len(axes) == 1 else Items(tuple, (part,) * len(axes))


def distances_of(op: Operation, place: int) -> str:
    """The distances are one for all axes, or one for each."""
    axes, given = gradient_axes(op), op["varargs"]
    assert axes is not None
    several = isinstance(given, Items) and isinstance(given.items, tuple) and len(given.items) == len(axes) > 1
    return f"varargs_{place}" if several else "varargs"


def along_each(text: str, operand: str = "g") -> Callable[[Operation], str | tuple[str, ...]]:
    """A text for each axis, in terms of its distances."""
    def formula(op: Operation, wanted: int | None = None) -> str | tuple[str, ...]:
        axes = gradient_axes(op)
        assert axes is not None
        several = isinstance(op.result, Items)
        names = [f"g_{place}" if several and operand == "g" else operand for place in range(len(axes))]
        texts = tuple(text.format(names[place], distances_of(op, place), axis) if wanted in (None, place) else ZERO
                      for place, axis in enumerate(axes))
        return texts if several else texts[0]
    return formula


def gradient_bar(op: Operation) -> str | tuple[str, ...]:
    """Where the distances are differentiated as well, the adjoint is no longer linear."""
    name = "ungradient_along" if op["varargs"].active else "ungradient"
    return along_each(f"{name}({{}}, {{}}, {{}}, edge_order)")(op)


def slopes_dot(op: Operation) -> str | tuple[str, ...]:
    return along_each("np.gradient({}, {}, axis={}, edge_order=edge_order)", "t")(op)


def spacing_bar(op: Operation, path: tuple[int, ...] = ()) -> str | tuple[str, ...]:
    return along_each("spacing_bar({}, f, {}, {}, edge_order)")(op, *path)  # type: ignore[call-arg]


def spacing_dot(op: Operation, path: tuple[int, ...] = ()) -> str | tuple[str, ...]:
    return along_each("spacing_dot({}, f, {}, {}, edge_order)", "t")(op, *path)  # type: ignore[call-arg]


def linear_parts(op: Operation) -> Any:
    """With distances that stay all of them, linear in the array; else each has formulas."""
    return tuple(range(len(op.results))) if op["varargs"].active else EVERY


general("np.gradient(f, varargs=1.0, *, axis=None, edge_order=1)", parts=linear_parts, variadic="varargs",
        f=gradient_bar, varargs=spacing_bar, tangent={"f": slopes_dot, "varargs": spacing_dot},
        result=gradient_result, linear="f", complex=True)
