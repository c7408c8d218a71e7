"""Elements repeated, left out, or put elsewhere."""
from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.shim.arithmetic import mul, of_one_kind, sub
from s2sgrad.shim.joining import cat
from s2sgrad.shim.names import both, exported, method
from s2sgrad.shim.operations import Operation, torch_rule
from s2sgrad.shim.promotion import promoted
from s2sgrad.shim.shapes import axis_of, expand, listed, reshape, unsafe_view_of
from s2sgrad.shim.tensor import Tensor, new_tensor

tril_of, triu_of = Operation("tril", np.tril, operands="m"), Operation("triu", np.triu, operands="m")
trace_of = Operation("trace", np.trace, operands="a")
diag_of = Operation("diag", np.diag, operands="v", node="DiagEmbedBackward0")
diagonal_copy = Operation("diag", rule=torch_rule("diag(v, k)", lambda v, k: np.diagonal(v, k).copy(),
                                                  v="undiagonal(g, v.shape, k, 0, 1)"), operands="v",
                          node="DiagonalBackward0_copy")
tile_of = Operation("repeat", np.tile, operands="A")
repeat_of = Operation("repeat_interleave", np.repeat, operands="a")


def at_least_a_matrix(name: str, tensor: Tensor) -> None:
    if tensor._array.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")


@both
def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    at_least_a_matrix("tril", input)
    return tril_of.run((input,), {"k": diagonal})


@both
def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    at_least_a_matrix("triu", input)
    return triu_of.run((input,), {"k": diagonal})


@both
def trace(input: Tensor) -> Tensor:
    if input._array.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input._array.ndim}")
    return trace_of.run((input,))


@both
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """A matrix with a vector on its diagonal, or a matrix's diagonal."""
    if input._array.ndim == 1:
        return diag_of.run((input,), {"k": diagonal} if diagonal else {})
    if input._array.ndim != 2:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input._array.ndim}D")
    return diagonal_copy.run((input,), {"k": diagonal})


@method
def repeat(self: Tensor, *repeats: Any) -> Tensor:
    counts = listed(repeats)
    if len(counts) < self._array.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    return tile_of.run((self,), {"reps": counts})


@both
def tile(input: Tensor, *dims: Any) -> Tensor:
    return tile_of.run((input,), {"reps": (1,) * (input._array.ndim - len(listed(dims))) + listed(dims)})


@both
def repeat_interleave(input: Tensor, repeats: Any = None, dim: int | None = None) -> Tensor:
    """Each element so many times; alone, each number's place so many times as it says."""
    if repeats is None:
        return new_tensor(np.repeat(np.arange(input._array.size), input._array))
    axis = None if dim is None else axis_of(dim, input._array.ndim)
    return repeat_of.run((input,), {"repeats": repeats, "axis": axis})


@both
def diff(input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
         ) -> Tensor:
    """Differences of neighbours, ``n`` times over."""
    if prepend is not None or append is not None:
        input = cat([item for item in (prepend, input, append) if item is not None], dim)
    before = (slice(None),) * axis_of(dim, input._array.ndim)
    for _ in range(n):
        later, earlier = (*before, slice(1, None)), (*before, slice(None, -1))
        one: Any = input[later]
        other: Any = input[earlier]
        input = one ^ other if input._array.dtype.kind == "b" else sub(one, other)
    return input


@exported
def meshgrid(*tensors: Tensor, indexing: str = "ij") -> tuple:
    """Each vector along a dimension of its own, stretched over those of the others."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    for tensor in tensors:
        if tensor._array.ndim > 1:
            raise RuntimeError("torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: "
                               f"{tensor._array.ndim}D")
    count = len(tensors)
    order = [1, 0, *range(2, count)] if indexing == "xy" and count > 1 else list(range(count))
    shape = [1] * count
    for place, tensor in zip(order, tensors):
        shape[place] = tensor._array.size
    return tuple(expand(reshape(tensor, [-1 if axis == place else 1 for axis in range(count)]), shape)
                 for place, tensor in zip(order, tensors))


# ---- mixed

LERP = torch_rule("lerp(x1, x2, weight)", lambda x1, x2, weight: x1 + weight * (x2 - x1), x1="g * (1 - weight)",
                  x2="g * weight", weight="g * (x2 - x1)", elementwise=True)
lerp_by_number = Operation("lerp", rule=LERP, operands="x1 x2 weight", shown=(0, 1))
lerp_by_tensor = Operation("lerp", rule=LERP, operands="x1 x2 weight", node="LerpBackward1")
addcmul_of = Operation("addcmul", rule=torch_rule(
    "addcmul(x, x1, x2, value)", lambda x, x1, x2, value: x + value * x1 * x2, x="g", x1="g * value * x2",
    x2="g * value * x1", elementwise=True), operands="x x1 x2", opaque="value")
addcdiv_of = Operation("addcdiv", rule=torch_rule(
    "addcdiv(x, x1, x2, value)", lambda x, x1, x2, value: x + value * x1 / x2, x="g", x1="g * value / x2",
    x2="-g * value * x1 / (x2 * x2)", elementwise=True), operands="x x1 x2", opaque="value")


@both
def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """What lies between two tensors."""
    return (lerp_by_tensor if isinstance(weight, Tensor) else lerp_by_number).run((input, end, weight))


@both
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    return addcmul_of.run(tuple(promoted((input, tensor1, tensor2))), {"value": value})


@both
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    return addcdiv_of.run(tuple(promoted((input, tensor1, tensor2))), {"value": value})


@method
def fill_diagonal_(self: Any, fill_value: float, wrap: bool = False) -> Any:
    """Write into the diagonal."""
    if self._array.ndim != 2 or wrap:
        raise RuntimeError("fill_diagonal_ is for matrices, and without wrap")
    self.diagonal().fill_(fill_value)
    return self


@both
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    of_one_kind(input, other)
    return new_tensor(np.asarray(np.isclose(input._array, other._array, rtol, atol, equal_nan)))


@both
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    return sub(input, other).norm(p)


@both
def kron(input: Tensor, other: Tensor) -> Tensor:
    """Every element of one tensor times the whole other."""
    rank = max(input._array.ndim, other._array.ndim)
    first, second = ((1,) * (rank - item._array.ndim) + item._array.shape for item in (input, other))
    found = mul(reshape(input, [size for pair in zip(first, (1,) * rank) for size in pair]),
                reshape(other, [size for pair in zip((1,) * rank, second) for size in pair]))
    return unsafe_view_of.run((found,), {"shape": tuple(one * two for one, two in zip(first, second))})
