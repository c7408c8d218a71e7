"""Functions of each element between linear maps, and what else stands there."""
from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.shim.elementwise import sigmoid_of
from s2sgrad.shim.inplace import in_place
from s2sgrad.shim.names import FUNCTIONS
from s2sgrad.shim.operations import Operation, torch_rule
from s2sgrad.shim.promotion import floating, promoted
from s2sgrad.shim.tensor import Tensor

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


def activated(operation: Operation, input: Tensor, inplace: bool, **given: Any) -> Tensor:
    if inplace:
        return in_place(input, lambda old: operation.run((old,), given))
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
