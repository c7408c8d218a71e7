"""Elements of one tensor put among those of another."""
from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from s2sgrad.rules.table import RULES, Parameter, Rule
from s2sgrad.shim.dtypes import kind_name, of_numpy
from s2sgrad.shim.indexing import along, check_places, put_out, putter, scatter, scatter_add
from s2sgrad.shim.inplace import in_place
from s2sgrad.shim.names import both, exported, method
from s2sgrad.shim.operations import Operation, torch_rule
from s2sgrad.shim.shapes import axis_of
from s2sgrad.shim.tensor import Tensor, new_tensor

# ---- the extremes of what meets in a place


def extremes(x1: Any, x2: Any, index: tuple, own: Any, ufunc: Any) -> Any:
    """At each place the extreme of what is put there, and of what was there where that is its ``own``."""
    worst = -np.inf if ufunc is np.maximum else np.inf
    found = x1.copy() if own.all() else np.where(own, x1, x1.dtype.type(worst))
    ufunc.at(found, index, x2)
    return found


def ties(x1: Any, x2: Any, y: Any, index: tuple, own: Any) -> Any:
    """How many are as large as the result."""
    found = ((x1 == y) & own).astype(y.dtype)
    np.add.at(found, index, x2 == y[index])
    return found


RULES[ties] = Rule("ties", ties, tuple(map(Parameter, ("x1", "x2", "y", "index", "own"))), constant=True)
SCATTER_EXTREMES = Operation("scatter_reduce", rule=torch_rule(
    "scatter_reduce(x1, x2, index, own, ufunc)", lambda x1, x2, index, own, ufunc: extremes(x1, x2, index, own, ufunc),
    x1="np.where((x1 == y) & own, g / np.maximum(ties(x1, x2, y, index, own), 1), 0)",
    x2="np.where(x2 == y[index], (g / np.maximum(ties(x1, x2, y, index, own), 1))[index], 0)", names={"ties": ties}),
    operands="x1 x2", opaque="index own ufunc")


@both
def scatter_reduce(input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
                   ) -> Tensor:
    """What becomes of elements and those that are put in their places: their ``"sum"``, ``"prod"``, ``"mean"``,
    ``"amax"`` or ``"amin"``."""
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    array = input._array
    axis = axis_of(dim, array.ndim)
    check_places(index._array, axis, array.shape)
    places = along(index._array, axis)
    own = np.ones(array.shape, bool)
    if not include_self:
        own[places] = False
    if src._array.shape != index._array.shape:
        src = src[tuple(slice(size) for size in index._array.shape)]
    if reduce in ("amax", "amin"):
        ufunc = np.maximum if reduce == "amax" else np.minimum
        return SCATTER_EXTREMES.run((input, src), {"index": places, "own": own, "ufunc": ufunc})
    if reduce == "prod":
        return multiplied(input if include_self else scatter(input, dim, index, 1), places, src)
    total: Any = scatter_add(input if include_self else scatter(input, dim, index, 0), dim, index, src)
    if reduce == "sum":
        return total
    counts = own.astype(array.dtype)
    np.add.at(counts, places, 1)
    return total / new_tensor(counts)


def multiplied(input: Tensor, places: tuple, src: Tensor) -> Tensor:
    """Each element times all that is put in its place: of what meets there first, second, ... in turn, so that zeros
    have their derivatives."""
    targets = np.arange(input._array.size).reshape(input._array.shape)[places].ravel()
    order = np.argsort(targets, kind="stable")
    starts = np.r_[True, np.diff(targets[order]) != 0]
    firsts = np.maximum.accumulate(np.where(starts, np.arange(targets.size), 0))
    turns = np.empty(targets.size, int)
    turns[order] = np.arange(targets.size) - firsts
    values: Any = src.reshape(-1)  # type: ignore[attr-defined]
    for turn in range(turns.max(initial=-1) + 1):
        chosen = np.flatnonzero(turns == turn)
        ones = new_tensor(np.ones(input._array.shape, input._array.dtype))
        at = np.unravel_index(targets[chosen], input._array.shape)
        input = input * put_out(ones, at, values[new_tensor(chosen)], False)  # type: ignore[operator]
    return input


@method
def scatter_reduce_(self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
                    ) -> Tensor:
    return in_place(self, lambda old: scatter_reduce(old, dim, index, src, reduce, include_self=include_self))


PUT = putter("PutBackward0")


@both
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """A copy with values put at places that are counted along all dimensions."""
    places, size = index._array, input._array.size
    if places.dtype != np.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {kind_name(places.dtype)}")
    if source._array.dtype != input._array.dtype:
        raise RuntimeError("put_(): self and source expected to have the same dtype, but got self.dtype = "
                           f"{kind_name(input._array.dtype)} and source.dtype = {kind_name(source._array.dtype)}")
    if places.size != source._array.size:
        raise IndexError("put_(): Expected source and index to have the same number of elements, but got "
                         f"source.numel() = {source._array.size}, index.numel() = {places.size}")
    wrong = places[(places < -size) | (places >= size)]
    if wrong.size:
        raise IndexError(f"out of range: tried to access index {wrong.flat[0]} on a tensor of {size} elements.")
    values = source if source._array.shape == places.shape else source.reshape(places.shape)  # type: ignore[attr-defined]
    return put_out(input, np.unravel_index(places % max(size, 1), input._array.shape), values, accumulate, PUT)


# ---- parts exchanged for others

MASKED_SCATTER, SELECT_SCATTER, SLICE_SCATTER, DIAGONAL_SCATTER = map(putter, (
    "MaskedScatterBackward0", "SelectScatterBackward0", "SliceScatterBackward0", "DiagonalScatterBackward0"))


@both
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The elements of ``source``, one after the other, where the mask holds."""
    if mask._array.dtype.kind != "b":
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype "
                           f"{of_numpy(mask._array.dtype).spelled}")
    if source._array.dtype != input._array.dtype:
        raise RuntimeError(f"masked_scatter: expected self and source to have same dtypes but got "
                           f"{of_numpy(input._array.dtype).spelled} and {of_numpy(source._array.dtype).spelled}")
    shape = np.broadcast_shapes(input._array.shape, mask._array.shape)
    places = np.broadcast_to(mask._array, shape)
    count = int(places.sum())
    if source._array.size < count:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    whole = input if input._array.shape == shape else input.expand(shape)
    return put_out(whole, (places,), source.reshape(-1)[:count], False, MASKED_SCATTER)


@method
def masked_scatter_(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    return in_place(self, lambda old: masked_scatter(old, mask, source))


def embedded(name: str, tensor: Tensor, index: tuple, src: Tensor, operation: Operation) -> Tensor:
    """A copy with a part exchanged for what has its shape."""
    shape = tensor._array[index].shape
    if src._array.shape != shape:
        raise RuntimeError(f"expected src to have a size equal to the {name} of self. src size = "
                           f"{list(src._array.shape)}, {name} size = {list(shape)}")
    return put_out(tensor, index, src, False, operation)


@both
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy with ``src`` for what ``select`` gives."""
    axis = axis_of(dim, input._array.ndim)
    return embedded("slice", input, (*(slice(None),) * axis, index), src, SELECT_SCATTER)


@both
def slice_scatter(input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None,
                  step: int = 1) -> Tensor:
    """A copy with ``src`` for a slice along a dimension."""
    axis = axis_of(dim, input._array.ndim)
    return embedded("slice", input, (*(slice(None),) * axis, slice(start, end, step)), src, SLICE_SCATTER)


@both
def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A copy with ``src`` for the diagonals."""
    shape = input._array.shape
    places = np.diagonal(np.arange(input._array.size).reshape(shape), offset, dim1, dim2)
    return embedded("slice", input, np.unravel_index(places, shape), src, DIAGONAL_SCATTER)


# ---- choices

@exported
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All choices of so many elements of a vector, a row for each."""
    if input._array.ndim != 1:
        raise RuntimeError("Expect a 1D vector, but got shape [" + ", ".join(map(str, input._array.shape)) + "]")
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = np.array(list(choose(range(input._array.size), r)), np.int64).reshape(-1, r)
    return input[new_tensor(places)]
