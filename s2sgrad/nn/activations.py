"""Functions of each element between linear maps, and what else stands there."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.shim.elementwise import sigmoid_of
from s2sgrad.shim.inplace import in_place
from s2sgrad.shim.names import FUNCTIONS, named
from s2sgrad.shim.operations import Operation, torch_rule
from s2sgrad.shim.promotion import floating, promoted
from s2sgrad.shim.tensor import Tensor, new_tensor

SIGMOID = {"sigmoid": sigmoid_of}


def activation(name: str, function: Any, formula: str, *more: str, node: str = "", **names: Any) -> Operation:
    """An operation on each element. ``more``: its other parameters."""
    return Operation(name, rule=torch_rule(f"{name}({', '.join(['x', *more])})", function, x=formula, elementwise=True,
                                           names=names), operands="x", opaque=" ".join(more), node=node)


LEAKY_RELU = activation("leaky_relu", lambda x, slope: np.where(x > 0, x, slope * x), "np.where(x > 0, g, slope * g)",
                        "slope")
# where they bend they have no second derivative, as in PyTorch
ELU = activation("elu", lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(x)),
                 "np.where(x > 0, g, np.where(x < 0, g * (y + alpha), alpha * g))", "alpha")
SILU = activation("silu", lambda x: x * sigmoid_of(x), "s = sigmoid(x); g * s * (1 + x * (1 - s))", **SIGMOID)
HARDTANH = activation("hardtanh", lambda x, low, high: np.minimum(np.maximum(x, low), high),
                      "np.where((x > low) & (x < high), g, 0)", "low", "high")
LOG_SIGMOID = activation("log_sigmoid", lambda x: -np.logaddexp(x.dtype.type(0), -x), "g * sigmoid(-x)", **SIGMOID)

SCALE, ALPHA = 1.0507009873554805, 1.6732632423543772
"""What keeps mean and variance as they are through many layers (Klambauer et al., 2017)."""
SELU = activation("selu", lambda x: SCALE * np.where(x > 0, x, ALPHA * np.expm1(x)),
                  f"np.where(x > 0, {SCALE!r} * g, np.where(x < 0, g * (y + {SCALE * ALPHA!r}), "
                  f"{SCALE * ALPHA!r} * g))", node="EluBackward0")
CELU = activation("celu", lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(x / alpha)),
                  "np.where(x > 0, g, np.where(x < 0, g * np.exp(x / alpha), g))", "alpha")
MISH = activation("mish", lambda x: x * np.tanh(np.logaddexp(x.dtype.type(0), x)),
                  "t = np.tanh(np.logaddexp(np.zeros_like(x), x)); g * (t + x * sigmoid(x) * (1 - t * t))", **SIGMOID)
HARDSWISH = activation("hardswish", lambda x: x * np.minimum(np.maximum(x + 3, 0), 6) / 6,
                       "np.where(x <= -3, 0, np.where(x < 3, g * (x / 3 + 0.5), g))")
HARDSIGMOID = activation("hardsigmoid", lambda x: np.minimum(np.maximum(x + 3, 0), 6) / 6,
                         "np.where((x > -3) & (x < 3), g / 6, 0)")
HARDSHRINK = activation("hardshrink", lambda x, bound: np.where(np.abs(x) <= bound, 0, x),
                        "np.where(np.abs(x) <= bound, 0, g)", "bound")
SOFTSHRINK = activation("softshrink", lambda x, bound: np.where(x > bound, x - bound, np.where(
    x < -bound, x + bound, 0 * x)), "np.where(np.abs(x) <= bound, 0, g)", "bound")
THRESHOLD = activation("threshold", lambda x, bound, value: np.where(x <= bound, x.dtype.type(value), x),
                       "np.where(x <= bound, 0, g)", "bound", "value")
PRELU = Operation("prelu", rule=torch_rule(
    "prelu(x1, x2)", lambda x1, x2: np.where(x1 > 0, x1, x2 * x1), x1="np.where(x1 > 0, g, x2 * g)",
    x2="np.where(x1 > 0, 0, x1 * g)", elementwise=True), operands="x1 x2", node="PreluKernelBackward0")


WRITTEN = {operation: Operation(operation.name, lambda x, run=operation.function, **given: run(x, **given),
                                operation.rule, operands="x", opaque=" ".join(operation.opaque), node=node)
           for operation, node in ((LEAKY_RELU, "LeakyReluBackward1"), (ELU, "EluBackward1"), (SELU, "EluBackward1"),
                                   (CELU, "CeluBackward1"), (THRESHOLD, "ThresholdBackward1"))}
"""Those whose nodes have another name where they write into their operand."""


def activated(operation: Operation, input: Tensor, inplace: bool, **given: Any) -> Tensor:
    if inplace:
        written = WRITTEN.get(operation, operation)
        return in_place(input, lambda old: written.run((old,), given))
    return operation.run((input,), given)  # type: ignore[no-any-return]


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """``input`` where it is positive, ``negative_slope * input`` elsewhere."""
    return activated(LEAKY_RELU, input, inplace, slope=negative_slope)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """``input`` where it is positive, ``alpha * (exp(input) - 1)`` elsewhere."""
    return activated(ELU, input, inplace, alpha=alpha)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """``input * sigmoid(input)``."""
    return activated(SILU, input, inplace)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """``input`` between two bounds."""
    return activated(HARDTANH, input, inplace, low=min_val, high=max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    return hardtanh(input, 0.0, 6.0, inplace)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """``elu`` in proportions that keep mean and variance."""
    return activated(SELU, input, inplace)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """``elu`` without a kink, whatever ``alpha`` is."""
    return activated(CELU, input, inplace, alpha=alpha)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """``input * tanh(softplus(input))``."""
    return activated(MISH, input, inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """``input * hardsigmoid(input)``."""
    return activated(HARDSWISH, input, inplace)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """A sigmoid made of three straight lines."""
    return activated(HARDSIGMOID, input, inplace)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """0 instead of what is small."""
    return HARDSHRINK.run((input,), {"bound": lambd})  # type: ignore[no-any-return]


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Drawn towards 0 by ``lambd``."""
    if lambd < 0:
        raise RuntimeError(f"lambda must be greater or equal to 0, but found to be {lambd:g}.")
    return SOFTSHRINK.run((input,), {"bound": lambd})  # type: ignore[no-any-return]


def tanhshrink(input: Tensor) -> Tensor:
    return input - input.tanh()  # type: ignore[no-any-return]


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """``value`` instead of what is not above the threshold."""
    return activated(THRESHOLD, input, inplace, bound=threshold, value=value)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """One half times the sigmoid of the other."""
    size = input.size(dim)
    if size % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {size}")
    first, second = input.chunk(2, dim)
    return first * second.sigmoid()  # type: ignore[no-any-return]


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """``input`` where it is positive, ``weight * input`` elsewhere; of several weights one for each channel."""
    channels = 1 if input._array.ndim < 2 else input._array.shape[1]
    if weight._array.size not in (1, channels):
        raise RuntimeError(f"Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                           f"{weight._array.size} and channel size = {channels}.")
    if weight._array.size > 1:
        weight = weight.reshape(-1, *[1] * (input._array.ndim - 2))
    return PRELU.run(tuple(promoted((input, weight))))  # type: ignore[no-any-return]


def logsigmoid(input: Tensor) -> Tensor:
    return LOG_SIGMOID.run((input,))  # type: ignore[no-any-return]


def softmin(input: Tensor, dim: int, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """``softmax(-input)``."""
    return FUNCTIONS["softmax"](input.neg(), dim, dtype=dtype)  # type: ignore[no-any-return]


def softsign(input: Tensor) -> Tensor:
    return input / (1 + input.abs())  # type: ignore[no-any-return]


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Any = None) -> Tensor:
    """``input`` over its norm along a dimension."""
    return input / input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)  # type: ignore[no-any-return]


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Elements set to zero at random, with probability ``p``, and the others made larger by as much."""
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return input
    kept = FUNCTIONS["rand_like"](floating(input).detach()) >= p
    scale = kept.to(dtype=input.dtype) / (1 - p if p < 1 else 1)
    return input.mul_(scale) if inplace else input * scale  # type: ignore[no-any-return]


def dropout_of_parts(name: str, ndims: tuple[int, int]) -> Callable:
    """Whole channels set to zero at random. ``ndims``: of an input without a batch, and with one."""
    def function(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
        if p < 0.0 or p > 1.0:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        shape = input._array.shape
        if len(shape) not in ndims:
            raise RuntimeError(f"{name}: Expected {ndims[0]}D or {ndims[1]}D input, but received a {len(shape)}D "
                               "input.")
        channels = len(shape) - ndims[0] + 1
        parts = new_tensor(np.ones((*shape[:channels], *[1] * (len(shape) - channels)), input._array.dtype))
        kept: Any = dropout(parts, p, training)
        return input if not training or p == 0 else input.mul_(kept) if inplace else kept * input  # type: ignore[no-any-return]

    return named(function, name)


dropout1d, dropout2d, dropout3d = (dropout_of_parts(f"dropout{count}d", (count + 1, count + 2)) for count in (1, 2, 3))


def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None,
                                 dropout_p: float = 0.0, is_causal: bool = False, scale: float | None = None) -> Tensor:
    """Means of values, weighed by how well their keys fit a query."""
    scores: Any = query @ key.mT  # type: ignore[attr-defined]
    scores = scores * (1 / math.sqrt(query._array.shape[-1]) if scale is None else scale)
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError("Explicit attn_mask should not be set when is_causal=True")
        attn_mask = new_tensor(np.tri(*scores._array.shape[-2:], dtype=bool))
    if attn_mask is None or attn_mask._array.dtype.kind != "b":
        scores = scores if attn_mask is None else scores + attn_mask
        return dropout(scores.softmax(-1), dropout_p) @ value  # type: ignore[no-any-return, operator]
    hidden: Any = attn_mask.logical_not()  # type: ignore[attr-defined]
    lost = hidden.all(-1, keepdim=True)  # queries that see no key have a mean of 0
    shares = scores.masked_fill(hidden & ~lost, -math.inf).softmax(-1).masked_fill(lost, 0)
    return dropout(shares, dropout_p) @ value  # type: ignore[no-any-return, operator]


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A choice drawn at random that has a derivative; ``hard``: its value is one of the choices."""
    noise: Any = new_tensor(np.empty_like(logits._array)).exponential_().log().neg()  # type: ignore[attr-defined]
    soft: Any = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft  # type: ignore[no-any-return]
    chosen = FUNCTIONS["zeros_like"](logits.detach()).scatter_(dim, soft.max(dim, keepdim=True)[1], 1.0)
    return chosen - soft.detach() + soft  # type: ignore[no-any-return]


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Channels put side by side in the image."""
    *lead, channels, height, width = input._array.shape
    by = upscale_factor
    if channels % by ** 2:
        raise RuntimeError("pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
                           f"upscale_factor, but input.size(-3)={channels} is not divisible by {by ** 2}")
    count = len(lead)
    parted = input.reshape(*lead, channels // by ** 2, by, by, height, width)
    order = (*range(count + 1), count + 3, count + 1, count + 4, count + 2)
    return parted.permute(*order).reshape(*lead, channels // by ** 2, height * by, width * by)  # type: ignore[no-any-return]


WRITING = {f"{function.__name__}_": named(lambda input, *given, function=function, **more: function(
    input, *given, inplace=True, **more), f"{function.__name__}_") for function in (
        elu, selu, celu, leaky_relu, hardtanh, threshold)}
elu_, selu_, celu_, leaky_relu_, hardtanh_, threshold_ = WRITING.values()
