"""Operands made ready for an operation: of one dtype, as PyTorch's promotion has it."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sgrad.shim.dtypes import Default, dtype, of_numpy, result_dtype
from s2sgrad.shim.names import exported
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import Tensor, edge_of, new_tensor, placed


def cast(tensor: Tensor, kind: np.dtype) -> Tensor:
    """The tensor in another dtype, at the same place in the graph: its cotangent is cast back where it is delivered."""
    array = state.now.quiet.run(tensor._array.astype, kind)
    return placed(array, *edge_of(tensor))


def is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float, np.number, np.bool_))


def plain_number(value: Any) -> Any:
    """A Python number, since NumPy's own would decide the dtype; of an array a tensor, with memory of its own where it
    may be saved, as nobody counts what is written into an array."""
    if isinstance(value, np.ndarray):
        return new_tensor(value.copy() if state.now.recording else value)
    return value.item() if isinstance(value, np.generic) else value


def promoted(operands: Sequence[Any], floating: bool = False) -> list[Any]:
    """The operands in the dtype of their operation; Python numbers stay what they are where that is a float.

    ``floating``: integers become floats.
    """
    values = [item if isinstance(item, Tensor) else plain_number(item) for item in operands]
    dtype = result_dtype([item._array if isinstance(item, Tensor) else item for item in values])
    if floating and dtype.kind != "f":
        dtype = Default.numpy
    return [as_dtype(item, dtype) for item in values]


def as_dtype(value: Any, dtype: np.dtype) -> Any:
    if isinstance(value, Tensor):
        return value if value._array.dtype == dtype else cast(value, dtype)
    return value if dtype.kind == "f" else new_tensor(np.asarray(value).astype(dtype))


@exported
def result_type(tensor1: Any, tensor2: Any) -> dtype:
    """The dtype of what is computed of two tensors or numbers."""
    return of_numpy(result_dtype([item._array if isinstance(item, Tensor) else item for item in (tensor1, tensor2)]))


def floating(tensor: Tensor) -> Tensor:
    """The tensor itself, or one of floats made of integers."""
    return tensor if tensor._array.dtype.kind == "f" else cast(tensor, Default.numpy)
