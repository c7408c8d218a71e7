"""Functions of each element between linear maps, and what else stands there."""
from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.shim.elementwise import sigmoid_of
from s2sgrad.shim.inplace import in_place
from s2sgrad.shim.names import FUNCTIONS
from s2sgrad.shim.operations import Operation, torch_rule
from s2sgrad.shim.promotion import floating
from s2sgrad.shim.tensor import Tensor

SIGMOID = {"sigmoid": sigmoid_of}


def activation(name: str, function: Any, formula: str, *more: str, node: str = "", **names: Any) -> Operation:
    """An operation on each element. ``more``: its other parameters."""
    return Operation(name, rule=torch_rule(f"{name}({', '.join(['x', *more])})", function, x=formula, elementwise=True,
                                           names=names), operands="x", opaque=" ".join(more), node=node)


LEAKY_RELU = activation("leaky_relu", lambda x, slope: np.where(x > 0, x, slope * x), "np.where(x > 0, g, slope * g)",
                        "slope")
ELU = activation("elu", lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(x)),
                 "np.where(x > 0, g, g * (y + alpha))", "alpha")
SILU = activation("silu", lambda x: x * sigmoid_of(x), "s = sigmoid(x); g * s * (1 + x * (1 - s))", **SIGMOID)
HARDTANH = activation("hardtanh", lambda x, low, high: np.minimum(np.maximum(x, low), high),
                      "np.where((x > low) & (x < high), g, 0)", "low", "high")
LOG_SIGMOID = activation("log_sigmoid", lambda x: -np.logaddexp(x.dtype.type(0), -x), "g * sigmoid(-x)", **SIGMOID)


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
