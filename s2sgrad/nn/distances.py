"""How far apart or how much alike tensors are, and losses of that."""
from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.nn.losses import collected
from s2sgrad.shim.elementwise import where
from s2sgrad.shim.names import AnyTensor
from s2sgrad.shim.tensor import Tensor, new_tensor


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors."""
    first: Any = x1 / x1.norm(2, dim, True).clamp_min(eps)
    second: Any = x2 / x2.norm(2, dim, True).clamp_min(eps)
    return (first * second).sum(dim)  # type: ignore[no-any-return]


def pairwise_distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The distance between vectors along the last dimension."""
    return (x1 - x2 + eps).norm(p, -1, keepdim)  # type: ignore[no-any-return]


def hinge_embedding_loss(input: AnyTensor, target: AnyTensor, margin: float = 1.0, size_average: Any = None,
                         reduce: Any = None, reduction: str = "mean") -> Tensor:
    """Of distances between what is alike (1), and what is not (-1)."""
    apart = where(target != 1, (margin - input).clamp_min(0), 0.0)
    alike = where(target != -1, input, 0.0)
    return collected(apart + alike, reduction)  # type: ignore[no-any-return]


def margin_ranking_loss(input1: AnyTensor, input2: AnyTensor, target: AnyTensor, margin: float = 0,
                        size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> Tensor:
    """Of two scores, the first of which should be the higher (1) or the lower one (-1)."""
    values = (-target * (input1 - input2) + margin).clamp_min(0)
    return collected(values, reduction)  # type: ignore[no-any-return]


def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2,
                        eps: float = 1e-6, swap: bool = False, size_average: Any = None, reduce: Any = None,
                        reduction: str = "mean") -> Tensor:
    """Of what should be nearer to one thing than to another."""
    near: Any = pairwise_distance(anchor, positive, p, eps)
    far: Any = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = far.minimum(pairwise_distance(positive, negative, p, eps))
    return collected((margin + near - far).clamp_min(0), reduction)  # type: ignore[no-any-return]


def cosine_embedding_loss(input1: AnyTensor, input2: AnyTensor, target: AnyTensor, margin: float = 0,
                          size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> Tensor:
    """Of vectors that should be alike (1), or not (-1)."""
    eps = 1e-12
    product: Any = (input1 * input2).sum(-1)
    sizes: Any = ((input1 * input1).sum(-1) + eps) * ((input2 * input2).sum(-1) + eps)
    cosine = product / sizes.sqrt()
    zeros = new_tensor(np.zeros_like(cosine._array))
    alike, apart = where(target == 1, 1 - cosine, zeros), where(
        target == -1, (cosine - margin).clamp_min(0), zeros)
    return collected(alike + apart, reduction)  # type: ignore[no-any-return]
