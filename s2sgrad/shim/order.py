"""What the order of elements tells: medians, quantiles, running extrema, what occurs and how often."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.shim.indexing import along
from s2sgrad.shim.names import both, exported, named
from s2sgrad.shim.operations import Operation, torch_rule
from s2sgrad.shim.pairs import pair_type, return_type
from s2sgrad.shim.reductions import picker
from s2sgrad.shim.shapes import axis_of
from s2sgrad.shim.tensor import Tensor, new_tensor

# ---- the middle one

SHARED = "hit = (x == y) | ((x != x) & (y != y)); g * hit / np.sum(hit, dtype=x.dtype)"
"""Elements that are equal share what one of them is due."""


def middle(x: Any, skips: bool) -> Any:
    """Of two in the middle the lower; NaN where any element is, unless these are skipped."""
    count = x.size - (np.count_nonzero(x != x) if skips else 0)
    if not count or not skips and (x != x).any():
        return np.asarray(np.nan, x.dtype)
    return np.sort(x, axis=None)[(count - 1) // 2]  # NaN comes last


def medians(name: str, skips: bool) -> None:
    label, result = name.capitalize(), pair_type(name)
    whole = Operation(name, rule=torch_rule(f"{name}(x)", lambda x: middle(x, skips), x=SHARED), operands="x")
    chosen = picker(name, f"{label}Backward1")

    def function(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
        array = input._array
        if dim is None:
            return whole.run((input,))
        axis = axis_of(dim, array.ndim)
        array = np.atleast_1d(array)
        missing = array != array
        counts = array.shape[axis] - (missing.sum(axis, keepdims=True) if skips else 0)
        places = np.take_along_axis(np.argsort(array, axis, kind="stable"), np.broadcast_to(
            np.maximum(counts - 1, 0) // 2, (*array.shape[:axis], 1, *array.shape[axis + 1:])), axis)
        if not skips:
            places = np.where(missing.any(axis, keepdims=True), missing.argmax(axis, keepdims=True), places)
        return chosen_at(chosen, result, input, places, axis, keepdim)

    both(named(function, name))


def chosen_at(chosen: Operation, result: Any, input: Tensor, places: np.ndarray, axis: int, keepdim: bool) -> Any:
    """Values and their places, one along an axis."""
    if not input._array.ndim:
        return result(chosen.run((input,), {"index": ()}), new_tensor(np.zeros((), np.int64)))
    index = along(places, axis)
    if not keepdim:
        index = tuple(np.squeeze(item, axis) for item in np.broadcast_arrays(*index))
        places = np.squeeze(places, axis)
    return result(chosen.run((input,), {"index": index}), new_tensor(places))


medians("median", False)
medians("nanmedian", True)


# ---- others in order

KTH, MODE = pair_type("kthvalue"), pair_type("mode")
kth_of, mode_of = picker("kthvalue"), picker("mode")


@both
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """The element that ``k - 1`` others come before."""
    axis, array = axis_of(dim, input._array.ndim), np.atleast_1d(input._array)
    if not 1 <= k <= array.shape[axis]:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {axis}")
    places = np.take(np.argsort(array, axis, kind="stable"), [k - 1], axis)
    return chosen_at(kth_of, KTH, input, places, axis, keepdim)


@both
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """The element that occurs most often, of several the least; its last place."""
    axis, array = axis_of(dim, input._array.ndim), np.atleast_1d(input._array)

    def place(row: np.ndarray) -> Any:
        values, counts = np.unique(row, return_counts=True)
        return np.flatnonzero(row == values[np.argmax(counts)])[-1]

    places = np.expand_dims(np.apply_along_axis(place, axis, array), axis)
    return chosen_at(mode_of, MODE, input, places, axis, keepdim)


def running(name: str, ufunc: np.ufunc) -> None:
    chosen, result = picker(name), pair_type(name)

    def function(input: Tensor, dim: int) -> Any:
        axis, array = axis_of(dim, input._array.ndim), input._array
        if not array.ndim:
            return result(chosen.run((input,), {"index": ()}), new_tensor(np.zeros((), np.int64)))
        numbers = np.arange(array.shape[axis]).reshape(-1, *[1] * (array.ndim - axis - 1))
        reached = (array == ufunc.accumulate(array, axis)) | (array != array)
        places = np.maximum.accumulate(np.where(reached, numbers, 0), axis)
        return result(chosen.run((input,), {"index": along(places, axis)}), new_tensor(places))

    both(named(function, name))


running("cummax", np.maximum)
running("cummin", np.minimum)

AMINMAX = return_type("aminmax", "min", "max")


@both
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Any:
    axes = () if dim is None else dim
    return AMINMAX(input.amin(axes, keepdim), input.amax(axes, keepdim))


# ---- quantiles

WAYS = ("linear", "lower", "higher", "midpoint", "nearest")


def quantiles(name: str, function: Callable) -> None:
    operation = Operation(name, function, operands="a", opaque="q")

    def found(input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
              ) -> Tensor:
        kind = input._array.dtype
        if kind.kind != "f":
            raise RuntimeError("quantile() input tensor must be either float or double dtype")
        if isinstance(q, Tensor) and q._array.dtype != kind:
            raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")
        if interpolation not in WAYS:
            raise RuntimeError("quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, "
                               f"but got {interpolation}")
        shares = q._array if isinstance(q, Tensor) else np.asarray(q, kind)
        if shares.ndim > 1:
            raise RuntimeError("quantile() q must be a scalar or 1D tensor")
        if ((shares < 0) | (shares > 1)).any():
            raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {float(shares.max()):g}")
        if not input._array.size:
            raise RuntimeError("quantile() input tensor must be non-empty")
        axis = None if dim is None else axis_of(dim, input._array.ndim) if input._array.ndim else None
        return operation.run((input,), {"q": shares, "axis": axis, "method": interpolation, "keepdims": keepdim})

    both(named(found, name))


quantiles("quantile", np.quantile)
quantiles("nanquantile", np.nanquantile)


# ---- what occurs, and how often

def refuse_derivative(name: str) -> Any:
    raise NotImplementedError(f"the derivative for '{name}' is not implemented.")


def occurring(name: str, node: str) -> Operation:
    return Operation(name, rule=torch_rule(f"{name}(x, index)", lambda x, index: x[index],
                                           x=f"refuse_derivative('{name}')",
                                           names={"refuse_derivative": refuse_derivative}), operands="x",
                     opaque="index", node=node)


unique_of = occurring("_unique2", "Unique2Backward0")
unique_along = occurring("unique_dim", "UniqueDimBackward0")
consecutive_of = occurring("unique_consecutive", "UniqueConsecutiveBackward0")


@both
def unique(input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,
           dim: int | None = None) -> Any:
    """What occurs, in order; where each element is among it, and how often it occurs."""
    array = input._array
    axis = None if dim is None else axis_of(dim, array.ndim)
    _, first, inverse, counts = np.unique(array, True, True, True, axis=axis, equal_nan=False)
    shape = array.shape if axis is None else (array.shape[axis],)
    index = np.unravel_index(first, array.shape) if axis is None else (*(slice(None),) * axis, first)
    values = (unique_of if axis is None else unique_along).run((input,), {"index": index})
    return with_more(values, inverse.reshape(shape) if return_inverse else None, counts if return_counts else None)


@both
def unique_consecutive(input: Tensor, return_inverse: bool = False, return_counts: bool = False,
                       dim: int | None = None) -> Any:
    """Of equal neighbours only one."""
    array = input._array
    axis = None if dim is None else axis_of(dim, array.ndim)
    rows = array.reshape(-1, 1) if axis is None else np.moveaxis(array, axis, 0).reshape(array.shape[axis], -1)
    changes = np.concatenate([np.ones(min(len(rows), 1), bool), (rows[1:] != rows[:-1]).any(1)])
    first = np.flatnonzero(changes)
    index = np.unravel_index(first, array.shape) if axis is None else (*(slice(None),) * axis, first)
    inverse = (np.cumsum(changes) - 1).reshape(array.shape if axis is None else -1)
    counts = np.diff(np.append(first, len(rows)))
    return with_more(consecutive_of.run((input,), {"index": index}), inverse if return_inverse else None,
                     counts if return_counts else None)


def with_more(values: Tensor, *more: np.ndarray | None) -> Any:
    found = values, *(new_tensor(item.astype(np.int64)) for item in more if item is not None)
    return found if len(found) > 1 else values


@both
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number from 0 on occurs, or the sum of its weights."""
    array = input._array
    if array.ndim != 1 or array.dtype.kind not in "iu" or array.size and array.min() < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is None:
        return new_tensor(np.bincount(array, minlength=minlength))
    kind = np.float32 if weights._array.dtype == np.float32 else np.float64
    return new_tensor(np.bincount(array, weights._array, minlength).astype(kind))


@both
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements lie in each of so many equal parts of a range."""
    array = input._array
    if min > max:
        raise RuntimeError("torch.histc: max must be larger than min")
    low, high = (min, max) if min != max or not array.size else (array.min(), array.max())
    if low == high:
        low, high = low - 1, high + 1
    return new_tensor(np.histogram(array, bins, (low, high))[0].astype(array.dtype))


@exported
def searchsorted(sorted_sequence: Tensor, input: Any, *, out_int32: bool = False, right: bool = False,
                 side: str | None = None) -> Tensor:
    """Where elements would stand in sequences that are sorted along the last dimension."""
    given: Any = input._array if isinstance(input, Tensor) else np.asarray(input)
    way: Any
    lines, way = sorted_sequence._array, "right" if right or side == "right" else "left"
    if lines.ndim == 1:
        found = np.searchsorted(lines, given, way)
    else:
        if lines.shape[:-1] != given.shape[:-1]:
            raise RuntimeError("torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
                               "dimensions of boundaries tensor and input value tensor must match")
        rows = zip(lines.reshape(-1, lines.shape[-1]), given.reshape(-1, given.shape[-1]))
        found = np.array([np.searchsorted(line, row, way) for line, row in rows]).reshape(given.shape)
    return new_tensor(np.asarray(found, np.int32 if out_int32 else np.int64))


@exported
def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


@exported
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Which elements are among others."""
    first, second = (item._array if isinstance(item, Tensor) else np.asarray(item)
                     for item in (elements, test_elements))
    return new_tensor(np.asarray(np.isin(first, second, invert=invert)))
