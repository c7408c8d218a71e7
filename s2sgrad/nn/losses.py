"""Losses: sums, means, or one for each element."""
from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.rules.abstract import INTEGER
from s2sgrad.rules.table import RULES, Parameter, Rule
from s2sgrad.runtime import unbroadcast
from s2sgrad.shim.delivery import summed
from s2sgrad.shim.dtypes import Size, kind_name
from s2sgrad.shim.elementwise import sigmoid_of, xlogy
from s2sgrad.shim.names import AnyTensor
from s2sgrad.shim.operations import Operation, torch_rule
from s2sgrad.shim.promotion import promoted
from s2sgrad.shim.shapes import broadcast_tensors
from s2sgrad.shim.tensor import Tensor, new_tensor

REDUCTIONS: dict[str, Callable] = {"none": lambda values: values, "mean": np.mean, "sum": np.sum}


def checked(reduction: str) -> str:
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def loss(name: str, node: str, values: Callable, x: str, target: str, *more: str) -> Operation:
    """A loss of elements and what they should be: the formulas are those of the values, before they are reduced.

    They hold for operands that are stretched, too, as a compiled function may give them.
    """
    def reduced(text: str, of: str) -> Callable:
        def formula(op: Any) -> str:
            shape = op.shape("x")
            alike = shape is not None and None not in shape and shape == op.shape("target")
            size = "x.size" if alike else "count(x.shape, target.shape)"
            bar = f"({f'g / {size}' if op.known('reduction') == 'mean' else 'g'}) * ({text})"
            return bar if alike else f"unbroadcast({bar}, {of}.shape)"
        return formula

    header = ", ".join(["x", "target", *more, "reduction"])
    return Operation(name, rule=torch_rule(
        f"{name}({header})", lambda x, target, reduction, **given: REDUCTIONS[reduction](values(x, target, **given)),
        x=reduced(x, "x"), target=reduced(target, "target"),
        names={"sigmoid": sigmoid_of, "logarithm": logarithm, "count": count, "unbroadcast": unbroadcast}),
        operands="x target", opaque=" ".join(more), node=node)


def count(first: tuple[int, ...], second: tuple[int, ...]) -> int:
    """The number of elements of two shapes together."""
    return math.prod(np.broadcast_shapes(first, second))


RULES[count] = Rule("count", count, (Parameter("first"), Parameter("second")), constant=True, result=lambda op: INTEGER)


def logarithm(x: Any) -> Any:
    """Not below -100, so that a loss stays finite."""
    return np.maximum(np.log(x), x.dtype.type(-100))


RULES[logarithm] = torch_rule("logarithm(x)", logarithm, x="np.where(y > -100, g / x, 0)", elementwise=True)

SQUARES = loss("mse_loss", "MseLossBackward0", lambda x, target: (x - target) ** 2, "2 * (x - target)",
               "2 * (target - x)")


def mse_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
             ) -> Tensor:
    """The mean of squared differences."""
    return SQUARES.run(pair(input, target, reduction), {"reduction": reduction})  # type: ignore[no-any-return]


def pair(input: Tensor, target: Tensor, reduction: str) -> Any:
    """Values and what they should be, of one dtype and shape."""
    checked(reduction)
    if "f" not in (input._array.dtype.kind, target._array.dtype.kind):
        raise NotImplementedError(f"\"mse_cpu\" not implemented for '{kind_name(input._array.dtype)}'")
    if input._array.shape != target._array.shape:
        warnings.warn(f"Using a target size ({Size(target._array.shape)}) that is different to the input size "
                      f"({Size(input._array.shape)}). This will likely lead to incorrect results due to broadcasting. "
                      "Please ensure they have the same size.", UserWarning, stacklevel=3)
    return broadcast_tensors(*promoted((input, target)))


def l1_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
            ) -> Tensor:
    """The mean of the sizes of differences."""
    first, second = pair(input, target, reduction)
    found = (first - second).abs()
    return found if reduction == "none" else found.mean() if reduction == "mean" else found.sum()


SMOOTH = loss("smooth_l1_loss", "SmoothL1LossBackward0", lambda x, target, beta: np.where(
    np.abs(x - target) < beta, 0.5 * (x - target) ** 2 / beta, np.abs(x - target) - 0.5 * beta),
    "np.where(np.abs(x - target) < beta, (x - target) / beta, np.sign(x - target))",
    "np.where(np.abs(x - target) < beta, (target - x) / beta, np.sign(target - x))", "beta")
HUBER = loss("huber_loss", "HuberLossBackward0", lambda x, target, delta: np.where(
    np.abs(x - target) <= delta, 0.5 * (x - target) ** 2, delta * (np.abs(x - target) - 0.5 * delta)),
    "np.where(np.abs(x - target) <= delta, x - target, delta * np.sign(x - target))",
    "np.where(np.abs(x - target) <= delta, target - x, delta * np.sign(target - x))", "delta")


def smooth_l1_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None,
                   reduction: str = "mean", beta: float = 1.0) -> Tensor:
    """Squares of small differences, sizes of large ones."""
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    given = {"reduction": reduction, "beta": beta}
    return SMOOTH.run(pair(input, target, reduction), given)  # type: ignore[no-any-return]


def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Any = None
               ) -> Tensor:
    """Squares of small differences, sizes of large ones times ``delta``."""
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    if weight is not None:
        raise TypeError("huber_loss(): weight is not supported")
    given = {"reduction": reduction, "delta": delta}
    return HUBER.run(pair(input, target, reduction), given)  # type: ignore[no-any-return]


ENTROPY = loss(
    "binary_cross_entropy", "BinaryCrossEntropyBackward0",
    lambda x, target, weight: -weight * (target * logarithm(x) + (1 - target) * logarithm(1 - x)),
    "weight * (x - target) / np.maximum((1 - x) * x, 1e-12)", "weight * (logarithm(1 - x) - logarithm(x))", "weight")
LOGITS = loss(
    "binary_cross_entropy_with_logits", "BinaryCrossEntropyWithLogitsBackward0",
    lambda x, target, weight: weight * ((1 - target) * x + np.logaddexp(x.dtype.type(0), -x)),
    "weight * (sigmoid(x) - target)", "-weight * x", "weight")
UNEVEN_LOGITS = loss(
    "binary_cross_entropy_with_logits", "BinaryCrossEntropyWithLogitsBackward0",
    lambda x, target, weight, extra: weight * ((1 - target) * x + (1 + extra * target) * np.logaddexp(
        x.dtype.type(0), -x)),
    "weight * ((1 - target) - (1 + extra * target) * sigmoid(-x))",
    "weight * (extra * np.logaddexp(np.zeros_like(x), -x) - x)", "weight", "extra")


def weights(weight: Tensor | None, like: Tensor) -> Any:
    """Of each element, in the dtype of the loss."""
    if weight is None:
        return 1
    if summed(like._array, weight._array.shape) is None:
        raise RuntimeError(f"The size of tensor a ({list(weight._array.shape)}) must fit tensor b "
                           f"({list(like._array.shape)})")
    return np.broadcast_to(weight._array.astype(like._array.dtype), like._array.shape)


def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None,
                         reduce: Any = None, reduction: str = "mean") -> Tensor:
    """Of probabilities, and what they should be."""
    checked(reduction)
    if input._array.shape != target._array.shape:
        raise ValueError(f"Using a target size ({Size(target._array.shape)}) that is different to the input size "
                         f"({Size(input._array.shape)}) is deprecated. Please ensure they have the same size.")
    if input._array.dtype != target._array.dtype:
        raise RuntimeError(f"Found dtype {kind_name(target._array.dtype)} but expected {kind_name(input._array.dtype)}")
    if ((input._array < 0) | (input._array > 1)).any():
        raise RuntimeError("all elements of input should be between 0 and 1")
    return ENTROPY.run((input, target), {  # type: ignore[no-any-return]
        "weight": weights(weight, input), "reduction": reduction})


def binary_cross_entropy_with_logits(
        input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None,
        reduction: str = "mean", pos_weight: Tensor | None = None) -> Tensor:
    """The same of numbers whose sigmoid is the probability. ``pos_weight``: that of what should be 1."""
    checked(reduction)
    if input._array.shape != target._array.shape:
        raise ValueError(f"Target size ({Size(target._array.shape)}) must be the same as input size "
                         f"({Size(input._array.shape)})")
    if target._array.dtype.kind == "b":
        raise RuntimeError("Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                           "`logical_xor()` operator instead.")
    if target._array.dtype.kind != "f":
        raise RuntimeError(f"result type {kind_name(input._array.dtype)} can't be cast to the desired output type "
                           f"{kind_name(target._array.dtype)}")
    given = {"weight": weights(weight, input), "reduction": reduction}
    if pos_weight is None:
        return LOGITS.run((input, target), given)  # type: ignore[no-any-return]
    return UNEVEN_LOGITS.run((input, target), {  # type: ignore[no-any-return]
        **given, "extra": weights(pos_weight, input) - 1})


# ---- put together from other operations

def collected(values: Any, reduction: str) -> Any:
    """A loss of the losses of elements."""
    return values if checked(reduction) == "none" else values.mean() if reduction == "mean" else values.sum()


def kl_div(input: AnyTensor, target: AnyTensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
           log_target: bool = False) -> Tensor:
    """How much probabilities differ from what logarithms of probabilities say."""
    if reduction == "mean":
        warnings.warn("reduction: 'mean' divides the total loss by both the batch size and the support size. "
                      "'batchmean' divides only by the batch size, and aligns with the KL div math definition. 'mean' "
                      "will be changed to behave the same as 'batchmean' in the next major release.", UserWarning,
                      stacklevel=2)
    values: Any = target.exp() * (target - input) if log_target else xlogy(target, target) - target * input
    if reduction != "batchmean":
        return collected(values, reduction)  # type: ignore[no-any-return]
    return values.sum() / (input._array.shape[0] if input._array.ndim else 1)  # type: ignore[no-any-return]


SOFT_MARGIN = loss("soft_margin_loss", "SoftMarginLossBackward0", lambda x, target: np.log1p(np.exp(-target * x)),
                   "-target * sigmoid(-target * x)", "-x * sigmoid(-target * x)")


def soft_margin_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None,
                     reduction: str = "mean") -> Tensor:
    """Of scores, and the signs that they should have."""
    return SOFT_MARGIN.run(pair(input, target, reduction), {"reduction": reduction})  # type: ignore[no-any-return]


def poisson_nll_loss(input: AnyTensor, target: AnyTensor, log_input: bool = True, full: bool = False,
                     size_average: Any = None, eps: float = 1e-8, reduce: Any = None, reduction: str = "mean"
                     ) -> Tensor:
    """Of the expected numbers of events, or their logarithms, and those that there were."""
    values: Any = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        values = values + stirling.masked_fill(target <= 1, 0)
    return collected(values, reduction)  # type: ignore[no-any-return]


def gaussian_nll_loss(input: AnyTensor, target: AnyTensor, var: Any, full: bool = False, eps: float = 1e-6,
                      reduction: str = "mean") -> Tensor:
    """Of means and variances of normal distributions, and what was seen."""
    if isinstance(var, (int, float)):
        var = new_tensor(np.full(input._array.shape, var, input._array.dtype))
    if (var._array < 0).any():
        raise ValueError("var has negative entry/entries")
    if var._array.shape != input._array.shape and var._array.shape == input._array.shape[:-1]:
        var = var.unsqueeze(-1)
    safe = var + new_tensor(np.maximum(var._array, eps) - var._array)  # whose derivative is 1 everywhere
    values: Any = 0.5 * (safe.log() + (input - target) ** 2 / safe)
    return collected(values + 0.5 * math.log(2 * math.pi) if full else values, reduction)  # type: ignore[no-any-return]


# ---- classes

def class_factors(shape: tuple[int, ...], target: np.ndarray, weight: np.ndarray | None, ignore_index: int,
                  dtype: np.dtype) -> tuple[tuple, Any]:
    """Where the class of each target is, and what it counts."""
    if target.dtype.name not in ("int64", "uint8"):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {kind_name(target.dtype)}")
    batch = shape[:1] if len(shape) > 1 else ()
    if target.shape != batch + shape[2:]:
        raise RuntimeError(f"Expected target size {list(batch + shape[2:])}, got {list(target.shape)}")
    counted = target != ignore_index
    wrong = counted & ((target < 0) | (target >= shape[1 if batch else 0]))
    if wrong.any():
        raise IndexError(f"Target {int(np.ravel(target[wrong])[0])} is out of bounds.")
    chosen = np.where(counted, target, 0)
    factors = np.asarray(counted).astype(dtype)
    if weight is not None:
        classes = shape[1 if batch else 0]
        if weight.shape != (classes,):
            raise RuntimeError(f"weight tensor should be defined either for all {classes} classes or no classes but "
                               f"got weight tensor of shape: {list(weight.shape)}")
        factors = factors * weight.astype(dtype)[chosen]
    if not batch:
        return (chosen,), factors
    grid: list[Any] = list(np.indices(target.shape, sparse=True))
    return (grid[0], chosen, *grid[1:]), factors


def likelihood(x: Any, target: Any, weight: Any, ignore_index: int, reduction: str) -> Any:
    """What is chosen of logarithms, with the sign of a loss."""
    index, factors = class_factors(x.shape, target, weight, ignore_index, x.dtype)
    found = -x[index] * factors
    return found if reduction == "none" else np.sum(found) / (np.sum(factors) if reduction == "mean" else 1)


def likelihood_bar(bar: Any, shape: tuple[int, ...], target: Any, weight: Any, ignore_index: int, reduction: str
                   ) -> Any:
    """The cotangent of logarithms in :func:`likelihood`, which is linear."""
    dtype = np.asarray(bar).dtype
    index, factors = class_factors(shape, target, weight, ignore_index, dtype)
    found = np.zeros(shape, dtype)
    share = factors if reduction != "mean" else np.divide(factors, np.sum(factors), out=np.zeros_like(factors),
                                                          where=factors != 0)  # nothing, where nothing counts
    found[index] = -bar * share
    return found


GIVEN = "target, weight, ignore_index, reduction"
LIKELIHOOD, LIKELIHOOD_2D = (Operation("nll_loss", rule=torch_rule(
    f"nll_loss(x, {GIVEN})", likelihood, x=f"likelihood_bar(g, x.shape, {GIVEN})",
    names={"likelihood_bar": likelihood_bar}), operands="x", opaque="target weight", node=node)
    for node in ("NllLossBackward0", "NllLoss2DBackward0"))
RULES[likelihood] = LIKELIHOOD.rule
RULES[likelihood_bar] = torch_rule(f"likelihood_bar(bar, shape, {GIVEN})", likelihood_bar,
                                   bar=f"likelihood(g, {GIVEN})", names={"likelihood": likelihood})


def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None,
             ignore_index: int = -100, reduce: Any = None, reduction: str = "mean") -> Tensor:
    """The negative logarithms of probabilities (N, C, ...) of the classes that are right (N, ...)."""
    shape, batch = input._array.shape, target._array.shape
    if not shape or batch[:1] != (shape[:1] if len(shape) > 1 else ()):
        raise ValueError(f"Expected input batch_size ({shape[0] if len(shape) > 1 else 1}) to match target batch_size "
                         f"({batch[0] if batch else 1}).")
    operation = LIKELIHOOD_2D if input._array.ndim > 2 else LIKELIHOOD
    return operation.run((input,), {  # type: ignore[no-any-return]
        "target": target._array, "weight": None if weight is None else weight._array, "ignore_index": ignore_index,
        "reduction": checked(reduction)})


def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None,
                  ignore_index: int = -100, reduce: Any = None, reduction: str = "mean", label_smoothing: float = 0.0
                  ) -> Tensor:
    """Of scores (N, C, ...), and the classes that are right (N, ...) or their probabilities (N, C, ...)."""
    checked(reduction)
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    axis = 1 if input._array.ndim > 1 else 0
    logarithms = input.log_softmax(axis)
    if target._array.dtype.kind == "f":
        if target._array.shape != input._array.shape:
            raise RuntimeError(f"expected target dtype to be Long or Byte, but got {kind_name(target._array.dtype)}")
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        return of_probabilities(logarithms, target, weight, reduction, label_smoothing, axis)
    plain: Any = nll_loss(logarithms, target, weight, None, ignore_index, None, reduction)
    if not label_smoothing:
        return plain
    _, factors = class_factors(input._array.shape, target._array, None if weight is None else weight._array,
                               ignore_index, input._array.dtype)
    counted = np.asarray(target._array != ignore_index).astype(input._array.dtype)
    smooth: Any = -weighted(logarithms, weight, axis).sum(axis) * new_tensor(counted)
    if reduction == "mean":
        smooth = smooth.sum() / float(factors.sum())
    elif reduction == "sum":
        smooth = smooth.sum()
    classes = input._array.shape[axis]
    return plain * (1 - label_smoothing) + smooth * (label_smoothing / classes)


def weighted(logarithms: Any, weight: Tensor | None, axis: int) -> Any:
    if weight is None:
        return logarithms
    shape = [1] * logarithms._array.ndim
    shape[axis] = -1
    return logarithms * weight.reshape(shape)


DIVIDED = Operation("div", rule=torch_rule("div(x, count)", lambda x, count: x / count, x="g / count",
                                           elementwise=True), operands="x", opaque="count", node="DivBackward1")


def of_probabilities(logarithms: Tensor, target: Any, weight: Tensor | None, reduction: str, label_smoothing: float,
                     axis: int) -> Tensor:
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / logarithms._array.shape[axis]
    products = weighted(logarithms, weight, axis) * target
    if reduction == "none":
        return -products.sum(axis)
    total = -products.sum()
    if reduction == "sum":
        return total
    count = max(1, logarithms._array.size // logarithms._array.shape[axis])
    return DIVIDED.run((total,), {"count": count})  # type: ignore[no-any-return]
