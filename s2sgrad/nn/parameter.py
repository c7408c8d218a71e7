"""Parameters: tensors that require a gradient."""
from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.shim.tensor import Tensor, new_tensor


class _ParameterType(type):
    def __call__(cls, data: Any = None, requires_grad: bool = True) -> Tensor:
        made: Tensor = new_tensor(np.empty(0, np.float32)) if data is None else data.detach()
        return made.requires_grad_(requires_grad)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance._requires and instance._node is None


class Parameter(metaclass=_ParameterType):
    """A leaf with the memory of a tensor, which requires a gradient; every such leaf counts as one."""
