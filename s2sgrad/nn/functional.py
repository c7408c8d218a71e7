"""Activations and losses, as ``torch.nn.functional`` has them."""
from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from s2sgrad.nn.activations import (
    celu,
    celu_,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    elu,
    elu_,
    glu,
    gumbel_softmax,
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    hardtanh_,
    leaky_relu,
    leaky_relu_,
    logsigmoid,
    mish,
    normalize,
    pixel_shuffle,
    prelu,
    relu6,
    scaled_dot_product_attention,
    selu,
    selu_,
    silu,
    softmin,
    softshrink,
    softsign,
    tanhshrink,
    threshold,
    threshold_,
)
from s2sgrad.nn.convolution import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
    fold,
    unfold,
)
from s2sgrad.nn.distances import (
    cosine_embedding_loss,
    cosine_similarity,
    hinge_embedding_loss,
    margin_ranking_loss,
    pairwise_distance,
    triplet_margin_loss,
)
from s2sgrad.nn.losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    gaussian_nll_loss,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    nll_loss,
    poisson_nll_loss,
    smooth_l1_loss,
    soft_margin_loss,
)
from s2sgrad.nn.normalization import batch_norm, group_norm, instance_norm, layer_norm, pad, rms_norm
from s2sgrad.nn.pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    avg_pool1d,
    avg_pool2d,
    interpolate,
    max_pool1d,
    max_pool2d,
)
from s2sgrad.rules.table import RULES, Parameter, Rule
from s2sgrad.shim.elementwise import sigmoid_of
from s2sgrad.shim.names import FUNCTIONS, named, refusing
from s2sgrad.shim.operations import Operation, torch_rule
from s2sgrad.shim.products import addmm, matmul
from s2sgrad.shim.promotion import floating
from s2sgrad.shim.reductions import picker
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import Tensor, new_tensor

__all__ = ["adaptive_avg_pool1d", "adaptive_avg_pool2d", "avg_pool1d", "avg_pool2d", "batch_norm", "bilinear",
           "binary_cross_entropy", "binary_cross_entropy_with_logits", "celu", "celu_", "conv1d", "conv2d", "conv3d",
           "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "cosine_embedding_loss", "cosine_similarity",
           "cross_entropy", "dropout", "dropout1d", "dropout2d", "dropout3d", "elu", "elu_", "embedding", "fold",
           "gaussian_nll_loss", "gelu", "glu", "group_norm", "gumbel_softmax", "hardshrink", "hardsigmoid",
           "hardswish", "hardtanh", "hardtanh_", "hinge_embedding_loss", "huber_loss", "instance_norm", "interpolate",
           "kl_div", "l1_loss", "layer_norm", "leaky_relu", "leaky_relu_", "linear", "log_softmax", "logsigmoid",
           "margin_ranking_loss", "max_pool1d", "max_pool2d", "mish", "mse_loss", "nll_loss", "normalize", "one_hot",
           "pad", "pairwise_distance", "pixel_shuffle", "poisson_nll_loss", "prelu", "relu", "relu6", "relu_",
           "rms_norm", "scaled_dot_product_attention", "selu", "selu_", "sigmoid", "silu", "smooth_l1_loss",
           "soft_margin_loss", "softmax", "softmin", "softplus", "softshrink", "softsign", "tanh", "tanhshrink",
           "threshold", "threshold_", "triplet_margin_loss", "unfold"]

sigmoid, tanh = FUNCTIONS["sigmoid"], FUNCTIONS["tanh"]


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    return input.relu_() if inplace else input.relu()


relu_ = FUNCTIONS["relu_"]


def share(name: str) -> Any:
    """``softmax`` and ``log_softmax``, which once chose a dimension themselves."""
    def function(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
        if dim is None:
            warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X "
                          "as an argument.", UserWarning, stacklevel=2)
            dim = 0 if input._array.ndim in (0, 1, 3) else 1
        found: Tensor = FUNCTIONS[name](input, dim, dtype=dtype)
        return found

    return named(function, name)


softmax, log_softmax = share("softmax"), share("log_softmax")

softplus_of = Operation("softplus", rule=torch_rule(
    "softplus(x, beta, threshold)", lambda x, beta, threshold: np.where(
        x * beta > threshold, x, np.logaddexp(x.dtype.type(0), x * beta) / beta),
    x="np.where(x * beta > threshold, g, g * sigmoid(x * beta))", elementwise=True,
    names={"sigmoid": sigmoid_of}), operands="x", opaque="beta threshold")


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """``log(1 + exp(beta * x)) / beta``, a straight line beyond the threshold."""
    return softplus_of.run((input,), {"beta": beta, "threshold": threshold})  # type: ignore[no-any-return]


def normal_share(x: Any) -> Any:
    """The share of a standard normal distribution that lies below each number."""
    try:
        from scipy.special import ndtr
    except ImportError:
        shares = np.vectorize(lambda item: 0.5 * math.erfc(-item / math.sqrt(2.0)), otypes=[float])(x)
        return np.asarray(shares, x.dtype)
    return ndtr(x)


RULES[normal_share] = torch_rule("normal_share(x)", normal_share,
                                 x=f"g * np.exp(-0.5 * x * x) * {1 / math.sqrt(2 * math.pi)!r}", elementwise=True)
gelu_of = Operation("gelu", rule=torch_rule(
    "gelu(x)", lambda x: x * normal_share(x), elementwise=True, names={"normal_share": normal_share},
    x=f"g * (normal_share(x) + x * np.exp(-0.5 * x * x) * {1 / math.sqrt(2 * math.pi)!r})"), operands="x")
SLOPE, CUBE = math.sqrt(2 / math.pi), 0.044715
gelu_by_tanh = Operation("gelu", rule=torch_rule(
    "gelu(x)", lambda x: 0.5 * x * (1 + np.tanh(SLOPE * (x + CUBE * x * x * x))), elementwise=True,
    x=f"t = np.tanh({SLOPE!r} * (x + {CUBE!r} * x * x * x)); "
      f"g * 0.5 * (1 + t + x * (1 - t * t) * {SLOPE!r} * (1 + {3 * CUBE!r} * x * x))"), operands="x")


def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    operation = gelu_of if approximate == "none" else gelu_by_tanh
    return operation.run((floating(input),))  # type: ignore[no-any-return]


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``input @ weight.T + bias``."""
    if bias is None:
        return matmul(input, weight.t())
    lead = input._array.shape[:-1]
    rows = input if input._array.ndim == 2 else input.reshape(-1, input._array.shape[-1])
    found: Tensor = addmm(bias, rows, weight.t())
    return found if input._array.ndim == 2 else found.reshape(*lead, found._array.shape[-1])


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``input1 @ weight[k] @ input2`` for each ``k``."""
    found = FUNCTIONS["einsum"]("...i,kij,...j->...k", input1, weight, input2)
    return found if bias is None else found + bias  # type: ignore[no-any-return]


EMBEDDING = picker("embedding")


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """Rows of ``weight``, by their numbers. ``padding_idx``: that of a row that gets no gradient."""
    places = input._array
    if places.size and (places.min() < 0 or places.max() >= weight._array.shape[0]):
        raise IndexError("index out of range in self")
    found: Any = EMBEDDING.run((weight,), {"index": (places,)})
    if padding_idx is None:
        return found  # type: ignore[no-any-return]
    is_padding = input == padding_idx % weight._array.shape[0]
    return FUNCTIONS["where"](is_padding.unsqueeze(-1), found.detach(), found)  # type: ignore[no-any-return, attr-defined]


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """For each index a row with a one at that place."""
    return new_tensor(state.now.quiet.run(places, tensor._array, num_classes))


def places(array: Any, num_classes: int) -> Any:
    if array.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if array.size and array.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        if not array.size:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        num_classes = int(array.max()) + 1
    elif array.size and array.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return (array[..., None] == np.arange(num_classes)).astype(np.int64)


RULES[places] = Rule("one_hot", places, (Parameter("array"), Parameter("num_classes")), constant=True)

FUNCTIONS.update({function.__name__: function for function in (
    celu, cosine_similarity, pairwise_distance, prelu, selu, threshold, hardshrink, layer_norm, rms_norm, conv1d,
    conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d, batch_norm, group_norm, instance_norm,
    max_pool1d, max_pool2d, avg_pool1d, adaptive_avg_pool1d, bilinear, dropout, pixel_shuffle)})
IN_PYTORCH = {"cross_entropy": "cross_entropy_loss", "nll_loss": "nll_loss_nd", "unfold": "im2col", "fold": "col2im"}
globals().update({label: refusing(globals()[label], IN_PYTORCH.get(label, "")) for label in __all__})
