"""Tensors as Python values, as arrays, and copied: the way out of the graph."""
from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.shim.names import method
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import Tensor, new_tensor

# ---- as Python values


@method
def item(self: Tensor) -> Any:
    if self._array.size != 1:
        raise RuntimeError(f"a Tensor with {self._array.size} elements cannot be converted to Scalar")
    return self._array.item()


@method
def tolist(self: Tensor) -> Any:
    return self._array.tolist()


@method
def __bool__(self: Tensor) -> bool:
    if self._array.size != 1:
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous" if not self._array.size else
                           "Boolean value of Tensor with more than one value is ambiguous")
    return bool(self._array)


def number_of(self: Tensor, kind: Callable) -> Any:
    if self._array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return kind(self._array.item())


@method
def __float__(self: Tensor) -> float:
    return number_of(self, float)


@method
def __int__(self: Tensor) -> int:
    return number_of(self, int)


@method
def __index__(self: Tensor) -> int:
    if self._array.size != 1 or self._array.dtype.kind not in "iub":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self._array.item())


@method
def __len__(self: Tensor) -> int:
    if not self._array.ndim:
        raise TypeError("len() of a 0-d tensor")
    return len(self._array)


@method
def __contains__(self: Tensor, element: Any) -> bool:
    return bool((self._array == (element._array if isinstance(element, Tensor) else element)).any())


@method
def __format__(self: Tensor, specification: str) -> str:
    return format(self.item(), specification) if not self._array.ndim else object.__format__(self, specification)


# ---- between NumPy and tensors

@method
def numpy(self: Tensor, *, force: bool = False) -> np.ndarray:
    """The array itself: it shares the tensor's memory."""
    if self._requires and not force and state.now.recording:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    return self._array


@method
def __array__(self: Tensor, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    array = self.numpy()
    return np.array(array, dtype, copy=copy) if dtype is not None or copy else array


@method
def __array_wrap__(self: Tensor, array: np.ndarray, context: Any = None, return_scalar: bool = False) -> Tensor:
    """What NumPy's functions give of tensors: a tensor again."""
    return new_tensor(np.asarray(array))


# ---- copies of the whole

@method
def __deepcopy__(self: Tensor, memo: dict) -> Tensor:
    if self._node is not None:
        raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
                           "protocol at the moment.")
    if id(self) in memo:
        return memo[id(self)]
    other = memo[id(self)] = new_tensor(copied_memory(self._array, memo))
    other._requires = self._requires
    if self._grad is not None:
        other._grad = self._grad.__deepcopy__(memo)
    other.__dict__.update(copy.deepcopy(users_attributes(self), memo))
    return other


def copied_memory(array: np.ndarray, memo: dict) -> np.ndarray:
    """A copy of an array that shares memory with the copies of what the array shares memory with."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    if owner.dtype.hasobject or not (owner.flags.c_contiguous or owner.flags.f_contiguous):
        return array.copy()
    if id(owner) not in memo:
        memo[id(owner)] = owner.ravel(order="K").copy()
    return np.ndarray(array.shape, array.dtype, memo[id(owner)], array.ctypes.data - owner.ctypes.data, array.strides)


@method
def __copy__(self: Tensor) -> Tensor:
    other = new_tensor(self._array)
    other._memory, other._requires = self._written, self._requires
    other.__dict__.update(users_attributes(self))
    return other


@method
def __reduce_ex__(self: Tensor, protocol: Any) -> Any:
    return rebuilt, (self._array, self._requires), users_attributes(self) or None


def users_attributes(tensor: Tensor) -> dict[str, Any]:
    """What users have put on a tensor besides what it has."""
    return {name: value for name, value in tensor.__dict__.items() if name != "_array" and not hasattr(Tensor, name)}


def rebuilt(array: np.ndarray, requires_grad: bool) -> Tensor:
    """What pickles give back."""
    tensor = new_tensor(array)
    tensor._requires = requires_grad
    return tensor
