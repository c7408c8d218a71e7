"""Convolutions, and the windows of an image side by side.

A convolution is a product: its two adjoints are products too, and each is an adjoint of the two others.
"""
from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.nn.normalization import pad
from s2sgrad.nn.windows import per_axis, put_windows, windows
from s2sgrad.rules.table import RULES
from s2sgrad.shim.dtypes import kind_name
from s2sgrad.shim.elementwise import SPELLED
from s2sgrad.shim.names import named
from s2sgrad.shim.operations import Operation, torch_rule
from s2sgrad.shim.tensor import Tensor

# ---- over arrays: images ``(count, channels, *sizes)``, weights ``(to, channels in a group, *kernel)``

HOW = "stride, padding, dilation, groups"


def placed(shape: tuple, kernel: tuple, stride: tuple, padding: Any, dilation: tuple) -> tuple:
    """How many windows there are along each axis, and how far before its first element the first begins."""
    sizes = shape[len(shape) - len(kernel):]
    spans = [by * (size - 1) for by, size in zip(dilation, kernel)]
    if padding == "same":
        return sizes, tuple(span // 2 for span in spans)
    counts = tuple((size + 2 * edge - span - 1) // step + 1
                   for size, edge, span, step in zip(sizes, padding, spans, stride))
    return counts, padding


def columns(x: Any, kernel: tuple, stride: tuple, padding: Any, dilation: tuple, groups: int) -> Any:
    """For each group of channels a matrix with a row for each window."""
    counts, before = placed(x.shape, kernel, stride, padding, dilation)
    seen = windows(x, kernel, counts, stride, before, dilation)
    seen = seen.reshape(x.shape[0], groups, x.shape[1] // groups, *counts, *kernel)
    axes = range(3, 3 + len(kernel))
    rows = seen.transpose(1, 0, *axes, 2, *(axis + len(kernel) for axis in axes))
    return rows.reshape(groups, x.shape[0] * math.prod(counts), -1)


def by_window(g: Any, groups: int) -> Any:
    """What has an image for each output channel as a matrix for each group, with a row for each window."""
    parted = g.reshape(g.shape[0], groups, g.shape[1] // groups, -1)
    return parted.transpose(1, 0, 3, 2).reshape(groups, -1, parted.shape[2])


def convolve(x: Any, weight: Any, stride: tuple, padding: Any, dilation: tuple, groups: int) -> Any:
    kernel = weight.shape[2:]
    counts, _ = placed(x.shape, kernel, stride, padding, dilation)
    found = columns(x, kernel, stride, padding, dilation, groups) @ weight.reshape(
        groups, weight.shape[0] // groups, -1).mT
    return np.ascontiguousarray(found.reshape(groups, x.shape[0], -1, found.shape[-1]).transpose(1, 0, 3, 2)).reshape(
        x.shape[0], weight.shape[0], *counts)


def convolve_to_image(g: Any, weight: Any, shape: tuple, stride: tuple, padding: Any, dilation: tuple, groups: int
                      ) -> Any:
    """The adjoint in the image, which has this shape."""
    kernel, count = weight.shape[2:], len(weight.shape[2:])
    _, before = placed(shape, kernel, stride, padding, dilation)
    rows = by_window(g, groups) @ weight.reshape(groups, weight.shape[0] // groups, -1)
    seen = rows.reshape(groups, shape[0], *g.shape[2:], shape[1] // groups, *kernel)
    seen = seen.transpose(1, 0, 2 + count, *range(2, 2 + count), *range(3 + count, 3 + 2 * count))
    return put_windows(seen.reshape(shape[0], shape[1], *g.shape[2:], *kernel), tuple(shape[2:]), kernel, stride,
                       before, dilation)


def convolve_to_weight(g: Any, x: Any, shape: tuple, stride: tuple, padding: Any, dilation: tuple, groups: int) -> Any:
    """The adjoint in the weights, which have this shape."""
    found = by_window(g, groups).mT @ columns(x, tuple(shape[2:]), stride, padding, dilation, groups)
    return found.reshape(shape)


NAMES = {"convolve": convolve, "convolve_to_image": convolve_to_image, "convolve_to_weight": convolve_to_weight}
RULES[convolve] = torch_rule(
    f"convolve(x, weight, {HOW})", convolve, x=f"convolve_to_image(g, weight, x.shape, {HOW})",
    weight=f"convolve_to_weight(g, x, weight.shape, {HOW})", names=NAMES)
RULES[convolve_to_image] = torch_rule(
    f"convolve_to_image(x, weight, shape, {HOW})", convolve_to_image, x=f"convolve(g, weight, {HOW})",
    weight=f"convolve_to_weight(x, g, weight.shape, {HOW})", names=NAMES)
RULES[convolve_to_weight] = torch_rule(
    f"convolve_to_weight(x1, x2, shape, {HOW})", convolve_to_weight, x1=f"convolve(x2, g, {HOW})",
    x2=f"convolve_to_image(x1, g, x2.shape, {HOW})", names=NAMES)


def transposed_sizes(sizes: tuple, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple, more: tuple
                     ) -> tuple[int, ...]:
    return tuple((size - 1) * step - 2 * edge + by * (width - 1) + 1 + plus for size, step, edge, by, width, plus
                 in zip(sizes, stride, padding, dilation, kernel, more))


def transposed(x: Any, weight: Any, stride: tuple, padding: tuple, dilation: tuple, groups: int, more: tuple) -> Any:
    """The adjoint of a convolution as an operation of its own; ``more`` is added to the sizes that it gives."""
    sizes = transposed_sizes(x.shape[2:], weight.shape[2:], stride, padding, dilation, more)
    return convolve_to_image(x, weight, (x.shape[0], weight.shape[1] * groups, *sizes), stride, padding, dilation,
                             groups)


def with_bias(function: Callable) -> Callable:
    def added(x: Any, weight: Any, bias: Any, *how: Any, **options: Any) -> Any:
        return function(x, weight, *how, **options) + bias.reshape(-1, *[1] * (x.ndim - 2))

    return added


def operations(name: str, function: Callable, more: str, x: str, weight: str) -> tuple[Operation, Operation]:
    """Without a bias, and with one."""
    def bias(op: Any) -> str:
        return f"np.sum(g, axis={(0, *range(2, op.rank('x')))!r})"

    return (Operation(name, rule=torch_rule(f"{name}(x, weight, {HOW}{more})", function, x=x, weight=weight,
                                            names=NAMES), operands="x weight", node="ConvolutionBackward0",
                      shown=(0, 1, None)),
            Operation(name, rule=torch_rule(f"{name}(x, weight, bias, {HOW}{more})", with_bias(function), x=x,
                                            weight=weight, bias=bias, names=NAMES), operands="x weight bias",
                      node="ConvolutionBackward0"))


# each has a function of its own: the table's own are those of its adjoints
CONVOLUTION = operations(
    "convolution", lambda x, weight, stride, padding, dilation, groups: convolve(
        x, weight, stride, padding, dilation, groups), "", f"convolve_to_image(g, weight, x.shape, {HOW})",
    f"convolve_to_weight(g, x, weight.shape, {HOW})")
TRANSPOSED = operations("transposed_convolution", transposed, ", more", f"convolve(g, weight, {HOW})",
                        f"convolve_to_weight(x, g, weight.shape, {HOW})")


# ---- over tensors

def options(count: int, **given: Any) -> dict[str, tuple[int, ...]]:
    """A number for each axis of each option."""
    for name, value in given.items():
        if isinstance(value, (tuple, list)) and len(value) not in (1, count):
            raise RuntimeError(f"expected {name} to be a single integer value or a list of {count} values to match the "
                               f"convolution dimensions, but got {name}={list(value)}")
    found = {name: per_axis(value, count) for name, value in given.items()}
    for name, values in found.items():
        if min(values) < (name in ("stride", "dilation")):
            raise RuntimeError(f"negative {name} is not supported" if name == "padding"
                               else f"non-positive {name} is not supported")
    return found


def in_words(tensor: Tensor) -> str:
    return SPELLED.get(tensor.dtype.name, tensor.dtype.spelled)


def fitting(name: str, input: Tensor, weight: Tensor, bias: Tensor | None, groups: int, channels: int) -> None:
    """Raises RuntimeError where operands don't go together. ``channels``: those that the weight makes of a group."""
    for other, label in ((bias, "bias"), (weight, "weight")):
        if other is not None and other._array.dtype != input._array.dtype:
            if input._array.dtype.kind == "f" and label == "weight":
                raise RuntimeError(f"Input type (torch.{input.dtype.legacy}) and weight type "
                                   f"(torch.{other.dtype.legacy}) should be the same or input should be a MKLDNN "
                                   "tensor and weight is a dense tensor")
            if label == "weight":
                raise RuntimeError(f"expected scalar type {kind_name(input._array.dtype)} but found "
                                   f"{kind_name(other._array.dtype)}")
            raise RuntimeError(f"Input type ({in_words(input)}) and {label} type ({in_words(other)}) should be the "
                               "same")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if weight._array.shape[0] < groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got "
                           f"weight of size {list(weight._array.shape)} instead")
    if weight._array.shape[0] % groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but "
                           f"got weight of size [{list(weight._array.shape)}] instead")
    if bias is not None and bias._array.shape != (channels,):
        start = "transposed=1" if "transpose" in name else ""
        raise RuntimeError(f"Given {start}{', ' if start else ''}weight of size {list(weight._array.shape)}, expected "
                           f"bias to be 1-dimensional with {channels} elements, but got bias of size "
                           f"{list(bias._array.shape)} instead")


def batched(name: str, input: Tensor, weight: Tensor, count: int) -> bool:
    """Whether there is an axis for several images."""
    ndim = input._array.ndim
    if ndim not in (count + 1, count + 2):
        raise RuntimeError(f"Expected {count + 1}D (unbatched) or {count + 2}D (batched) input to {name}, but got "
                           f"input of size: {list(input._array.shape)}")
    return ndim == count + 2


def run(pair: tuple[Operation, Operation], input: Tensor, weight: Tensor, bias: Tensor | None, is_batch: bool,
        how: dict[str, Any]) -> Tensor:
    if not is_batch:
        return run(pair, input.unsqueeze(0), weight, bias, True, how).squeeze(0)  # type: ignore[no-any-return, attr-defined]
    found: Tensor = pair[0].run((input, weight), how) if bias is None else pair[1].run((input, weight, bias), how)
    return found


def convolution(count: int) -> Callable:
    name = f"conv{count}d"

    def function(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
                 dilation: Any = 1, groups: int = 1) -> Tensor:
        """The products of each window of ``(count, channels, *sizes)``, or one without its count, with weights
        ``(to, channels // groups, *kernel)``.

        Raises RuntimeError where shapes, dtypes or options don't go together, or no window fits.
        """
        is_batch = batched(name, input, weight, count)
        axes = weight._array.ndim - 2
        how: dict[str, Any] = options(axes, stride=stride, dilation=dilation)
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise RuntimeError(f"Invalid padding string: '{padding}'")
            if padding == "same" and max(how["stride"]) > 1:
                raise RuntimeError("padding='same' is not supported for strided convolutions")
            how["padding"] = "same" if padding == "same" else (0,) * axes
        else:
            how.update(options(axes, padding=padding))
        fitting(name, input, weight, bias, groups, weight._array.shape[0])
        check_windows(input if is_batch else input.unsqueeze(0), weight, how, groups)  # type: ignore[attr-defined]
        return run(CONVOLUTION, input, weight, bias, is_batch, {**how, "groups": groups})

    return named(function, name)


def check_windows(input: Tensor, weight: Tensor, how: dict[str, Any], groups: int) -> None:
    shape, (_, channels, *kernel) = input._array.shape, weight._array.shape
    if shape[1] != channels * groups:
        raise RuntimeError(f"Given groups={groups}, weight of size {list(weight._array.shape)}, expected "
                           f"input{list(shape)} to have {channels * groups} channels, but got {shape[1]} channels "
                           "instead")
    if how["padding"] == "same":
        if any(by * (size - 1) % 2 for by, size in zip(how["dilation"], kernel)):
            warnings.warn("Using padding='same' with even kernel lengths and odd dilation may require a zero-padded "
                          "copy of the input be created", UserWarning, stacklevel=3)
        return
    sizes = [size + 2 * edge for size, edge in zip(shape[2:], how["padding"])]
    spans = [by * (size - 1) + 1 for by, size in zip(how["dilation"], kernel)]
    if any(size < span for size, span in zip(sizes, spans)):
        raise RuntimeError(f"Calculated padded input size per channel: ({' x '.join(map(str, sizes))}). Kernel size: "
                           f"({' x '.join(map(str, spans))}). Kernel size can't be greater than actual input size")


def transposed_convolution(count: int) -> Callable:
    name = f"conv_transpose{count}d"

    def function(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
                 output_padding: Any = 0, groups: int = 1, dilation: Any = 1) -> Tensor:
        """Of ``(count, channels, *sizes)`` the adjoint of a convolution, with weights ``(channels, to // groups,
        *kernel)``. ``output_padding``: how much longer the result is.

        Raises RuntimeError where shapes, dtypes or options don't go together, or nothing would be left.
        """
        is_batch = batched(name, input, weight, count)
        axes = weight._array.ndim - 2
        how: dict[str, Any] = options(axes, stride=stride, padding=padding, dilation=dilation)
        more = options(axes, output_padding=output_padding)["output_padding"]
        if any(plus >= max(step, by) for plus, step, by in zip(more, how["stride"], how["dilation"])):
            told = zip(("output_padding", "stride", "dilation"), (more, how["stride"], how["dilation"]))
            ways = ("height", "width")[-axes:]
            raise RuntimeError("output padding must be smaller than either stride or dilation, but got " + " ".join(
                f"{label}_{way}: {value}" for label, values in told for way, value in zip(ways, values)))
        fitting(name, input, weight, bias, groups, weight._array.shape[1] * groups)
        channels = input._array.shape[-1 - count]
        if channels != weight._array.shape[0]:
            raise RuntimeError(f"Given transposed=1, weight of size {list(weight._array.shape)}, expected "
                               f"input{list(input._array.shape)} to have {weight._array.shape[0]} channels, but got "
                               f"{channels} channels instead")
        sizes = input._array.shape[-count:]
        made = transposed_sizes(sizes, weight._array.shape[2:], how["stride"], how["padding"], how["dilation"], more)
        if min(made) < 1:
            given, found = (" x ".join(map(str, ((1,) if count == 1 else ()) + told)) for told in (sizes, made))
            raise RuntimeError(f"Given input size per channel: ({given}). Calculated output size per channel: "
                               f"({found}). Output size is too small")
        whole = [number for plus, step in zip(more[::-1], how["stride"][::-1]) for number in (0, plus // step)]
        if any(whole):  # as many further elements, of zeros
            input, more = pad(input, whole), tuple(plus % step for plus, step in zip(more, how["stride"]))
        return run(TRANSPOSED, input, weight, bias, is_batch, {**how, "groups": groups, "more": more})

    return named(function, name)


conv1d, conv2d, conv3d = map(convolution, (1, 2, 3))
conv_transpose1d, conv_transpose2d, conv_transpose3d = map(transposed_convolution, (1, 2, 3))

# ---- windows side by side

HOW_FOLDED = "kernel, stride, padding, dilation"


def unfolded(x: Any, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple) -> Any:
    counts, before = placed(x.shape, kernel, stride, padding, dilation)
    seen = windows(x, kernel, counts, stride, before, dilation)
    lead = x.ndim - 2
    return seen.transpose(*range(lead), lead + 2, lead + 3, lead, lead + 1).reshape(
        *x.shape[:lead - 1], x.shape[lead - 1] * math.prod(kernel), math.prod(counts))


def folded(x: Any, output: tuple, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple) -> Any:
    counts, before = placed(output, kernel, stride, padding, dilation)
    lead = x.shape[:-2]
    seen = x.reshape(*lead, x.shape[-2] // math.prod(kernel), *kernel, *counts)
    return put_windows(np.moveaxis(seen, (-4, -3), (-2, -1)), output, kernel, stride, before, dilation)


RULES[unfolded] = torch_rule(f"unfolded(x, {HOW_FOLDED})", unfolded, names={"folded": folded},
                             x=f"folded(g, x.shape[-2:], {HOW_FOLDED})")
RULES[folded] = torch_rule(f"folded(x, output, {HOW_FOLDED})", folded, names={"unfolded": unfolded},
                           x=f"unfolded(g, {HOW_FOLDED})")
UNFOLD = Operation("unfold", unfolded, operands="x", node="Im2ColBackward0")
FOLD = Operation("fold", folded, operands="x", node="Col2ImBackward0")


def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """The windows of an image as columns."""
    how = {name: per_axis(value, 2) for name, value in (
        ("kernel", kernel_size), ("stride", stride), ("padding", padding), ("dilation", dilation))}
    if input._array.ndim not in (3, 4):
        raise RuntimeError("Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
                           f"dimensions for input, but got: {list(input._array.shape)}")
    counts, _ = placed(input._array.shape, **how)
    if min(counts) < 1:
        raise RuntimeError(f"Given input with spatial size {input._array.shape[-2:]}, kernel_size={how['kernel']}, "
                           f"dilation={how['dilation']}, padding={how['padding']}, calculated shape of the array of "
                           f"sliding blocks as {counts}, but its components must be at least one.")
    return UNFOLD.run((input,), how)  # type: ignore[no-any-return]


def fold(input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
         ) -> Tensor:
    """An image out of its windows, which are added up where they overlap."""
    how = {name: per_axis(value, 2) for name, value in (
        ("kernel", kernel_size), ("stride", stride), ("padding", padding), ("dilation", dilation))}
    output, (rows, blocks) = per_axis(output_size, 2), input._array.shape[-2:]
    if rows % math.prod(how["kernel"]):
        raise RuntimeError("Expected size of input's dimension 1 to be divisible by the product of kernel_size, but "
                           f"got input.size(1)={rows} and kernel_size={how['kernel']}.")
    counts, _ = placed(output, **how)
    if math.prod(counts) != blocks:
        raise RuntimeError(
            f"Given output_size={output}, kernel_size={how['kernel']}, dilation={how['dilation']}, "
            f"padding={how['padding']}, stride={how['stride']}, expected size of input's dimension 2 to match the "
            f"calculated number of sliding blocks {counts[0]} * {counts[1]} = {math.prod(counts)}, but got "
            f"input.size(2)={blocks}.")
    return FOLD.run((input,), {"output": output, **how})  # type: ignore[no-any-return]
