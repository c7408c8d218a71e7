"""Maxima and means of windows of images; images with other sizes.

Means of windows, and images stretched or shrunk, are products with a matrix for each axis.
"""
from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from s2sgrad.nn.windows import per_axis, windows
from s2sgrad.rules.table import RULES, Parameter, Rule
from s2sgrad.runtime import put_back
from s2sgrad.shim.dtypes import kind_name
from s2sgrad.shim.operations import Operation, torch_rule
from s2sgrad.shim.tensor import Tensor, new_tensor


def count_of(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil: bool) -> int:
    """How many windows there are along an axis; with ``ceil`` the last may reach beyond the edge."""
    room = size + 2 * padding - dilation * (kernel - 1) - 1
    if not ceil:
        return room // stride + 1
    found = -(-room // stride) + 1
    return found - ((found - 1) * stride >= size + padding)


# ---- maxima

HOW = "kernel, stride, padding, dilation, ceil"


def least(dtype: Any) -> Any:
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def seen(x: Any, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple, ceil: bool) -> Any:
    counts = tuple(count_of(size, width, step, edge, by, ceil) for size, width, step, edge, by in zip(
        x.shape[x.ndim - len(kernel):], kernel, stride, padding, dilation))
    return windows(x, kernel, counts, stride, padding, dilation, least(x.dtype))


def maxima(x: Any, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple, ceil: bool) -> Any:
    held = seen(x, kernel, stride, padding, dilation, ceil)
    first, *others = ((..., *place) for place in itertools.product(*map(range, kernel)))
    found = held[first].copy()
    for place in others:
        np.maximum(found, held[place], out=found)
    return found


def where_largest(x: Any, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple, ceil: bool) -> Any:
    """The number, among its image's elements, of the first that is a window's maximum."""
    held = seen(x, kernel, stride, padding, dilation, ceil)
    count = len(kernel)
    counts, sizes = held.shape[-2 * count:-count], x.shape[x.ndim - count:]
    chosen = np.unravel_index(held.reshape(*held.shape[:-count], -1).argmax(-1), kernel)
    number = np.zeros(chosen[0].shape, int)
    for axis, (inside, size) in enumerate(zip(chosen, sizes)):
        starts = np.arange(counts[axis]).reshape(-1, *[1] * (count - 1 - axis)) * stride[axis] - padding[axis]
        number = number * size + np.clip(starts + inside * dilation[axis], 0, size - 1)
    return number


def largest_places(x: Any, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple, ceil: bool) -> Any:
    """The same among all elements."""
    lead = x.shape[:x.ndim - len(kernel)]
    first = np.arange(math.prod(lead)).reshape(*lead, *[1] * len(kernel)) * math.prod(x.shape[x.ndim - len(kernel):])
    return first + where_largest(x, kernel, stride, padding, dilation, ceil)


RULES[largest_places] = Rule("largest_places", largest_places, tuple(map(Parameter, ["x", *HOW.split(", ")])),
                             constant=True)
MAX_POOL = {count: Operation("max_pool", rule=torch_rule(
    f"max_pool(x, {HOW})", lambda x, kernel, stride, padding, dilation, ceil: maxima(
        x, kernel, stride, padding, dilation, ceil), x=f"put_back(g, x.shape, largest_places(x, {HOW}))",
    names={"put_back": put_back, "largest_places": largest_places}), operands="x",
    node=f"MaxPool{count}DWithIndicesBackward0") for count in (2, 3)}


def sizes_told(input: Tensor, counts: tuple) -> None:
    """Raises RuntimeError where there is no whole window."""
    if min(counts) < 1:
        shape = input._array.shape[-1 - len(counts):]
        raise RuntimeError(f"Given input size: ({'x'.join(map(str, shape))}). Calculated output size: "
                           f"({'x'.join(map(str, (shape[0], *counts)))}). Output size is too small")


def counts_of(input: Tensor, how: dict[str, Any]) -> tuple:
    kernel = how["kernel"]
    return tuple(count_of(size, width, step, edge, by, how["ceil"]) for size, width, step, edge, by in zip(
        input._array.shape[-len(kernel):], kernel, how["stride"], how["padding"], how["dilation"]))


def half_at_most(how: dict[str, Any]) -> None:
    for edge, size, by in zip(how["padding"], how["kernel"], how["dilation"]):
        if edge > (by * (size - 1) + 1) // 2:
            raise RuntimeError("pad should be at most half of effective kernel size, but got "
                               f"pad={edge}, kernel_size={size} and dilation={by}")


def how_pooled(count: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
               ) -> dict[str, Any]:
    return {"kernel": per_axis(kernel_size, count), "stride": per_axis(
        kernel_size if stride is None or stride == () else stride, count), "padding": per_axis(padding, count),
        "dilation": per_axis(dilation, count), "ceil": bool(ceil_mode)}


def max_pool2d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
               ceil_mode: bool = False, return_indices: bool = False) -> Any:
    """The largest element of each window, of images ``(count, channels, height, width)`` or one without its count.

    Raises RuntimeError where there is no whole window, or more than half of one is beyond the edge.
    """
    how = how_pooled(2, kernel_size, stride, padding, dilation, ceil_mode)
    if input._array.ndim not in (3, 4):
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    half_at_most(how)
    sizes_told(input, counts_of(input, how))
    found = MAX_POOL[2].run((input,), how)
    return (found, new_tensor(where_largest(input._array, **how))) if return_indices else found


def max_pool1d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
               ceil_mode: bool = False, return_indices: bool = False) -> Any:
    """The same along the last axis of ``(count, channels, length)``."""
    how = how_pooled(1, kernel_size, stride, padding, dilation, ceil_mode)
    if how["padding"][0] > how["kernel"][0] // 2:
        raise RuntimeError("max_pool1d() padding should be at most half of kernel size, but got padding="
                           f"{how['padding'][0]} and kernel_size={how['kernel'][0]}")
    counts = counts_of(input, how)
    if counts[0] < 1:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {counts[0]}")
    flat = {name: value if name == "ceil" else ((1, 0)[name == "padding"], *value) for name, value in how.items()}
    found = MAX_POOL[2].run((input.unsqueeze(-2),), flat).squeeze(-2)  # type: ignore[attr-defined]
    return (found, new_tensor(where_largest(input._array, **how))) if return_indices else found


# ---- means, and other sizes

def shares(size: int, kernel: int, stride: int, padding: int, ceil: bool, padded: bool | None) -> Any:
    """A row for each window along an axis: each element's share in the mean, where ``padded`` tells whether what lies
    beyond the edges counts; in the sum where it is None."""
    starts = np.arange(count_of(size, kernel, stride, padding, 1, ceil))[:, None] * stride - padding
    inside = (np.arange(size) >= starts) & (np.arange(size) < starts + kernel)
    if padded is None:
        return inside.astype(float)
    ends = np.minimum(starts + kernel, size + padding)
    return inside / (ends - starts if padded else inside.sum(1, keepdims=True))


def even_shares(size: int, count: int) -> Any:
    """The same for so many windows that cover all, as even as can be."""
    numbers = np.arange(count)[:, None]
    starts, ends = numbers * size // count, -(-(numbers + 1) * size // count)
    return ((np.arange(size) >= starts) & (np.arange(size) < ends)) / (ends - starts)


def matrices(sizes: tuple, how: tuple) -> list[Any]:
    """For each of the last axes the matrix that ``how`` tells: ``(function, *options)``."""
    return [globals()[name](size, *given) for size, (name, *given) in zip(sizes, how)]


def resized(x: Any, how: tuple) -> Any:
    """``x`` times a matrix along each of its last axes."""
    for axis, matrix in enumerate(matrices(x.shape[x.ndim - len(how):], how)):
        place = axis - len(how)
        x = np.moveaxis(np.moveaxis(x, place, -1) @ matrix.T.astype(x.dtype), -1, place)
    return np.ascontiguousarray(x)


def resized_back(x: Any, sizes: tuple, how: tuple) -> Any:
    """The adjoint, to what has these sizes."""
    for axis, matrix in enumerate(matrices(sizes, how)):
        place = axis - len(how)
        x = np.moveaxis(np.moveaxis(x, place, -1) @ matrix.astype(x.dtype), -1, place)
    return np.ascontiguousarray(x)


BACK = "resized_back(g, x.shape[-len(how):], how)"
RULES[resized] = torch_rule("resized(x, how)", resized, x=BACK, names={"resized_back": resized_back})
RULES[resized_back] = torch_rule("resized_back(x, sizes, how)", resized_back, x="resized(g, how)",
                                 names={"resized": resized})


def resizing(name: str, node: str) -> Operation:
    return Operation(name, rule=torch_rule(f"{name}(x, how)", lambda x, how: resized(x, how), x=BACK,
                                           names={"resized_back": resized_back}), operands="x", node=node)


AVG_POOL = resizing("avg_pool", "AvgPool2DBackward0")
ADAPTIVE = resizing("adaptive_avg_pool", "AdaptiveAvgPool2DBackward0")


def avg_pool2d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
               count_include_pad: bool = True, divisor_override: int | None = None) -> Tensor:
    """The mean of each window, of images as :func:`max_pool2d` takes them; ``divisor_override``: the sum over that."""
    how = how_pooled(2, kernel_size, stride, padding, 1, ceil_mode)
    if input._array.ndim not in (3, 4):
        raise IndexError(f"Dimension out of range (expected to be in range of [-{input._array.ndim}, "
                         f"{input._array.ndim - 1}], but got -3)")
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    if input._array.dtype.kind != "f":
        raise NotImplementedError(f"\"avg_pool2d\" not implemented for '{kind_name(input._array.dtype)}'")
    half_at_most(how)
    sizes_told(input, counts_of(input, how))
    padded = bool(count_include_pad) if divisor_override is None else None
    axes = tuple(("shares", *given, bool(ceil_mode), padded)
                 for given in zip(how["kernel"], how["stride"], how["padding"]))
    found = AVG_POOL.run((input,), {"how": axes})
    return found if divisor_override is None else found / divisor_override  # type: ignore[no-any-return]


def avg_pool1d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
               count_include_pad: bool = True) -> Tensor:
    """The same along the last axis of ``(count, channels, length)``."""
    if input._array.ndim not in (2, 3):
        raise RuntimeError(f"Expected 2 to 3 dimensions, but got {input._array.ndim}-dimensional tensor for argument "
                           "#1 'self' (while checking arguments for avg_pool1d)")
    steps = kernel_size if stride is None or stride == () else stride
    kernel, step, edge = (per_axis(value, 1) for value in (kernel_size, steps, padding))
    found = avg_pool2d(input.unsqueeze(-2), (1, *kernel), (1, *step), (0, *edge), ceil_mode,  # type: ignore[attr-defined]
                       count_include_pad)
    return found.squeeze(-2)  # type: ignore[no-any-return, attr-defined]


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The means of so many windows that cover all."""
    given = tuple(output_size) if isinstance(output_size, (tuple, list)) else (output_size,) * 2
    if input._array.ndim not in (3, 4):
        raise RuntimeError(f"adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got {list(input._array.shape)}")
    if given == (1, 1):
        return input.mean((-1, -2), keepdim=True)  # type: ignore[no-any-return, attr-defined]
    axes = tuple(("same_size",) if count is None else ("even_shares", int(count)) for count in given)
    return ADAPTIVE.run((input,), {"how": axes})  # type: ignore[no-any-return]


def same_size(size: int) -> Any:
    return np.eye(size)


def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """The same along the last axis of ``(count, channels, length)``."""
    count = per_axis(output_size, 1)
    if len(count) > 1:
        raise RuntimeError(f"adaptive_avg_pool1d() argument 'output_size' should contain one int (got {len(count)})")
    found = adaptive_avg_pool2d(input.unsqueeze(-2), (1, *count))  # type: ignore[attr-defined]
    return found.squeeze(-2)  # type: ignore[no-any-return, attr-defined]


def nearest(size: int, count: int | None, scale: float | None) -> Any:
    """A row for each place, with its nearest element."""
    count, step = stretched(size, count, scale)
    places = np.minimum(np.floor(np.arange(count) * step).astype(int), size - 1)
    return (np.arange(size) == places[:, None]).astype(float)


def between(size: int, count: int | None, scale: float | None, corners: bool) -> Any:
    """A row for each place, with the shares of the two elements that it lies between."""
    count, step = stretched(size, count, scale)
    places = np.arange(count) * ((size - 1) / max(count - 1, 1)) if corners else np.maximum(
        (np.arange(count) + 0.5) * step - 0.5, 0)
    lower = np.minimum(places.astype(int), size - 1)[:, None]
    upper, share = np.minimum(lower + 1, size - 1), places[:, None] - lower
    return (np.arange(size) == lower) * (1 - share) + (np.arange(size) == upper) * share


def stretched(size: int, count: int | None, scale: float | None) -> tuple[int, float]:
    """How many places there are, and how far apart."""
    if scale is not None:
        return int(size * scale), 1 / scale
    assert count is not None
    return count, size / count


STRETCHED = {(kind, count): resizing("interpolate", f"Upsample{kind}{count}DBackward0")
             for kind, count in (("Nearest", 1), ("Nearest", 2), ("Nearest", 3), ("Linear", 1), ("Bilinear", 2),
                                 ("Trilinear", 3))}
MODES = {"nearest": "Nearest", "linear": "Linear", "bilinear": "Bilinear", "trilinear": "Trilinear"}


def interpolate(input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
                align_corners: bool | None = None) -> Tensor:
    """Images stretched or shrunk, with the nearest element at each place or what lies between two."""
    count = input._array.ndim - 2
    if mode not in MODES or (MODES[mode], count) not in STRETCHED:
        raise NotImplementedError(f"Got {count + 2}D input, but mode='{mode}' is not supported for it")
    if align_corners is not None and mode == "nearest":
        raise ValueError("align_corners option can only be set with the interpolating modes: linear | bilinear | "
                         "bicubic | trilinear")
    if (size is None) == (scale_factor is None):
        raise ValueError("either size or scale_factor should be defined" if size is None
                         else "only one of size or scale_factor should be defined")
    for label, given in (("output size of", size), ("scale_factor of shape", scale_factor)):
        if isinstance(given, (tuple, list)) and len(given) != count:
            raise ValueError("Input and " + ("output" if given is size else "scale_factor") + " must have the same "
                             "number of spatial dimensions, but got input with spatial dimensions of "
                             f"{list(input._array.shape[2:])} and {label} {given}.")
    counts = per_axis(size, count) if size is not None else (None,) * count
    scales: Any = (None,) * count if scale_factor is None else tuple(map(float, scale_factor)) if isinstance(
        scale_factor, (tuple, list)) else (float(scale_factor),) * count
    name, *more = ("nearest",) if mode == "nearest" else ("between", bool(align_corners))
    axes = tuple((name, *pair, *more) for pair in zip(counts, scales))
    return STRETCHED[MODES[mode], count].run((input,), {"how": axes})  # type: ignore[no-any-return]
