"""Tensors put together and taken apart."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sgrad.shim.names import FUNCTIONS, both, exported, method, with_axis
from s2sgrad.shim.operations import Operation, torch_rule
from s2sgrad.shim.promotion import promoted
from s2sgrad.shim.shapes import axis_of
from s2sgrad.shim.tensor import Tensor


def place_of(op: Any, path: tuple[int, ...]) -> str:
    """The part of the cotangent that lies where an item lies."""
    (index,), axis = path, op.known("axis")
    count = len(op["tensors"].items)
    sizes = ", ".join(f"tensors_{place}.shape[{axis}]" for place in range(count))
    return f"piece(g, ({sizes},), {index}, {axis})"


cat_of = Operation("cat", rule=torch_rule("cat(tensors, axis)", lambda tensors, axis: np.concatenate(tensors, axis),
                                          tensors=place_of), operands="*tensors")
stack_of = Operation("stack", rule=torch_rule(
    "stack(tensors, axis)", lambda tensors, axis: np.stack(tensors, axis),
    tensors=lambda op, path: f"g[{':, ' * op.known('axis')}{path[0]}]"), operands="*tensors")


@exported
def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors end to end along a dimension they have."""
    if isinstance(tensors, Tensor):
        raise TypeError("cat(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor")
    tensors = tuple(tensors)
    for place, item in enumerate(tensors):
        if not isinstance(item, Tensor):
            raise TypeError(f"expected Tensor as element {place} in argument 0, but got {type(item).__name__}")
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    full = [item for item in tensors if item._array.shape != (0,)] or tensors[:1]
    axis = axis_of(dim, full[0]._array.ndim)
    for item in full:
        if not item._array.ndim:
            raise RuntimeError("zero-dimensional tensor (at position 0) cannot be concatenated")
        if item._array.ndim != full[0]._array.ndim:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {full[0]._array.ndim} and "
                               f"{item._array.ndim}")
        for place, (one, other) in enumerate(zip(full[0]._array.shape, item._array.shape)):
            if place != axis and one != other:
                number = next(number for number, other_item in enumerate(tensors) if other_item is item)
                raise RuntimeError(f"Sizes of tensors must match except in dimension {axis}. Expected size {one} but "
                                   f"got size {other} for tensor number {number} in the list.")
    lead = full[0]._array.shape  # what is empty, and fits nowhere, is a part of no size
    fitting = [item if item._array.ndim == len(lead) else item.reshape(
        *lead[:axis], 0, *lead[axis + 1:]) for item in tensors]
    return cat_of.run(tuple(promoted(fitting)), {"axis": axis})


FUNCTIONS.update(dict.fromkeys(("cat", "concat", "concatenate"), with_axis(cat)))


@exported
@with_axis
def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors of one shape side by side along a new dimension."""
    tensors = tuple(tensors)
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = tensors[0]._array.shape
    for place, item in enumerate(tensors):
        if item._array.shape != first:
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                               f"{list(item._array.shape)} at entry {place}")
    axis = axis_of(dim, len(first) + 1)
    return stack_of.run(tuple(promoted(tensors)), {"axis": axis})


@exported
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    found = [item.reshape(1) if not item._array.ndim else item for item in tensors]
    return cat(found, 0 if found[0]._array.ndim == 1 else 1)


@exported
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    return cat([item.reshape(1, -1) if item._array.ndim < 2 else item for item in tensors])


# ---- taken apart: several views

def pieces_of(x: Any, sizes: tuple[int, ...], dim: int) -> tuple:
    ends = np.cumsum(sizes)[:-1]
    return tuple(np.split(x, ends, dim))


def rows_of(x: Any, dim: int) -> tuple:
    moved = np.moveaxis(x, dim, 0) if dim else x
    return tuple([moved[place, ...] for place in range(len(moved))])


def cotangents_of(op: Any) -> list[str]:
    return ["g"] if len(op.results) == 1 else [f"g_{place}" for place in range(len(op.results))]


split_rule = torch_rule("split(x, sizes, dim)", pieces_of, x=lambda op: (
    f"np.concatenate(({', '.join(cotangents_of(op))},), axis={op.known('dim')})"))
split_of, split_with_sizes = (Operation("split", rule=split_rule, operands="x", opaque="sizes", view=True, several=True,
                                        node=node) for node in ("SplitBackward0", "SplitWithSizesBackward0"))


def put_together(op: Any) -> str:
    parts = ", ".join(cotangents_of(op))
    return f"np.array([{parts}])" if op.rank("x") == 1 else f"np.stack(({parts},), axis={op.known('dim')})"


unbind_of = Operation("unbind", rule=torch_rule("unbind(x, dim)", rows_of, x=put_together), operands="x", view=True,
                      several=True)


@both
def unbind(input: Tensor, dim: int = 0) -> tuple:
    if not input._array.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    axis = axis_of(dim, input._array.ndim)
    if not input._array.shape[axis]:
        return ()
    return unbind_of.run((input,), {"dim": axis})


@method
def __iter__(self: Tensor) -> Any:
    if not self._array.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(unbind(self))


@method
def __reversed__(self: Tensor) -> Tensor:
    return self.flip(0) if self._array.ndim else self  # type: ignore[no-any-return]


@both
def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple:
    axis = axis_of(dim, tensor._array.ndim)
    size = tensor._array.shape[axis]
    sections = split_size_or_sections
    if isinstance(sections, int):
        if sections < 0:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={sections}")
        if not sections and size:
            raise RuntimeError("split_size can only be 0 if dimension size is 0, but got dimension size of "
                               f"{size}")
        sizes = tuple(min(sections, size - start) for start in range(0, size, sections or 1)) or (0,)
    else:
        sizes = tuple(sections)
        if sum(sizes) != size:
            raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {size} (input tensor's size at "
                               f"dimension {axis}), but got split_sizes={list(sizes)}")
    operation = split_of if isinstance(sections, int) else split_with_sizes
    return operation.run((tensor,), {"sizes": sizes, "dim": axis})


@both
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple:
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    size = input._array.shape[axis_of(dim, input._array.ndim)]
    if not size:
        return split(input, [0] * chunks, dim)
    return split(input, max(1, -(-size // chunks)), dim)
