"""PyTorch's names for automatic differentiation."""
from __future__ import annotations

from typing import Any

from s2sgrad.autograd import functional, graph
from s2sgrad.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from s2sgrad.autograd.checking import GradcheckError, gradcheck, gradgradcheck
from s2sgrad.autograd.function import Function
from s2sgrad.autograd.grad_mode import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled
from s2sgrad.shim.engine import backward, grad, set_legacy_gradient_sum
from s2sgrad.shim.tensor import Tensor

__all__ = ["Function", "GradcheckError", "Variable", "backward", "detect_anomaly", "enable_grad", "functional", "grad",
           "gradcheck", "gradgradcheck", "graph", "inference_mode", "is_grad_enabled", "no_grad", "set_detect_anomaly",
           "set_grad_enabled", "set_legacy_gradient_sum"]


class _VariableType(type):
    def __call__(cls, data: Any = None, requires_grad: bool = False, volatile: Any = None) -> Tensor:  # type: ignore[override]
        made = data.detach()
        made.requires_grad = requires_grad
        return made  # type: ignore[no-any-return]

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_VariableType):
    """What a tensor with a gradient once was called: now it gives a tensor, and every tensor is one."""
