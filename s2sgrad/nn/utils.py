"""What is done with the gradients of parameters before an optimiser takes a step."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from s2sgrad.shim.joining import stack
from s2sgrad.shim.tensor import Tensor, new_tensor

__all__ = ["clip_grad_norm_", "clip_grad_value_"]


def gradients_of(parameters: Iterable[Tensor] | Tensor) -> list[Any]:
    """With the memory of the gradients, and outside of any graph that they may be part of."""
    given = [parameters] if isinstance(parameters, Tensor) else parameters
    return [item._grad.detach() for item in given if item._grad is not None]


def clip_grad_norm_(parameters: Iterable[Tensor] | Tensor, max_norm: float, norm_type: float = 2.0,
                    error_if_nonfinite: bool = False, foreach: bool | None = None) -> Tensor:
    """Scale gradients in place so that the norm of all of them together is at most ``max_norm``; gives the norm that
    they had."""
    gradients = gradients_of(parameters)
    if not gradients:
        return new_tensor(np.zeros((), np.float32))
    norm: Any = stack([item.norm(norm_type) for item in gradients]).norm(norm_type)
    if error_if_nonfinite and not norm.isfinite():
        raise RuntimeError(
            f"The total norm of order {float(norm_type)} for gradients from `parameters` is non-finite, so it cannot "
            "be clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`")
    scale = (max_norm / (norm + 1e-6)).clamp(max=1.0)
    for item in gradients:
        item.mul_(scale.to(item.dtype))
    return norm  # type: ignore[no-any-return]


def clip_grad_value_(parameters: Iterable[Tensor] | Tensor, clip_value: float, foreach: bool | None = None) -> None:
    """Cut each element of gradients off, in place, where its size is more than ``clip_value``."""
    for item in gradients_of(parameters):
        item.clamp_(-clip_value, clip_value)
