"""Operations that write into a tensor: its values, its version, and its place in the graph."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sgrad.shim.dtypes import kind_name, rank
from s2sgrad.shim.nodes import AccumulateGrad, Node, OperationNode
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import SEVERAL, Tensor, current_node, edge_of, new_tensor, placed, requires, stand
from s2sgrad.shim.views import refuse_unclear, replayed


def in_place(tensor: Tensor, compute: Callable[[Tensor], Tensor]) -> Tensor:
    """Write into a tensor what is computed from it: of a copy, while operations are recorded, which may save it."""
    check_writable(tensor)
    if not state.now.recording:
        return write(tensor, compute(tensor))
    return write(tensor, compute(placed(tensor._array.copy(), *edge_of(tensor))))


def check_writable(tensor: Tensor) -> None:
    """Raises RuntimeError where a write would go past the graph."""
    if not state.now.recording:
        return
    base = tensor._base
    if base is not None and (base._requires or tensor._requires):
        refuse_unclear(tensor, "is being")
    if base is not None and base._node is None and (base._requires or requires(tensor)):
        raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    if tensor._requires and current_node(tensor) is None:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    if base is None or not base._requires:
        return
    if tensor._origin == SEVERAL:
        node = current_node(tensor)
        assert node is not None
        name = node.name().removesuffix("Backward0")
        raise RuntimeError(
            f"Output {tensor._number} of {name} is a view and is being modified inplace. This view is the output of a "
            "function that returns multiple views. Such functions do not allow the output views to be modified "
            "inplace. You should replace the inplace operation by an out-of-place one.")


def write(tensor: Tensor, result: Tensor) -> Tensor:
    """Copy a result into a tensor, which takes its place in the graph."""
    array, values = tensor._array, result._array
    if rank(values.dtype) > rank(array.dtype):
        raise RuntimeError(f"result type {kind_name(values.dtype)} can't be cast to the desired output type "
                           f"{kind_name(array.dtype)}")
    if values.shape != array.shape:
        try:
            fits = np.broadcast_shapes(values.shape, array.shape) == array.shape
        except ValueError:
            fits = False
        if not fits:
            raise RuntimeError(f"output with shape {list(array.shape)} doesn't match the broadcast shape "
                               f"{list(values.shape)}")
    if array.size and (not array.flags.writeable or any(
            step == 0 and size > 1 for step, size in zip(array.strides, array.shape))):
        raise RuntimeError("unsupported operation: more than one element of the written-to tensor refers to a single "
                           "memory location. Please clone() the tensor before performing the operation.")
    keep_result(result, tensor)
    np.copyto(array, values, casting="unsafe")
    tensor._written.bump()
    base = tensor._base
    if state.now.recording and (result._requires or tensor._requires or base is not None and base._requires):
        adopt(tensor, result)
    return tensor


def keep_result(result: Tensor, tensor: Tensor) -> None:
    """What the adjoint reads of the result is the tensor's memory, whose version counts from now on."""
    node = result._node
    if not isinstance(node, OperationNode) or -1 not in node.rule.sources or node.saved is None or node.is_packed:
        return
    if result._array.dtype != tensor._array.dtype:
        return
    saved, versions = list(node.saved), list(node.versions)
    sources = [source for source in node.rule.sources if source is not None]
    saved[node.rule.sources.index(-1)] = tensor._array
    versions[sources.index(-1)] = tensor._written, tensor._written.count + 1
    node.saved, node.versions = tuple(saved), tuple(versions)


def adopt(tensor: Tensor, result: Tensor) -> None:
    """The tensor is now what the result's node made; of a view, its base is made of itself and a part put in."""
    base = tensor._base
    if base is None:
        edge = edge_of(result)
        if isinstance(edge[0], AccumulateGrad):  # the result is a leaf itself
            edge = edge_of(copied(result))
        stand(tensor, *edge)
        tensor._requires = edge[0] is not None
    else:
        stand(base, CopySlices(base, tensor, result), 0)
        base._requires = tensor._requires = True
        tensor._stamp = -1


def copied(tensor: Tensor) -> Tensor:
    return tensor.clone()


class CopySlices(Node):
    """A write into a part of a tensor: the cotangent of that part goes to what was written, the rest to what was
    there."""

    __slots__ = ("replay",)

    def __init__(self, base: Tensor, view: Tensor, result: Tensor):
        super().__init__((edge_of(base), edge_of(result)), ((base._array.shape, base._array.dtype),))
        self.replay = view._replay

    def name(self) -> str:
        return "torch::autograd::CopySlices"

    def pull(self, cotangents: Sequence[Any]) -> Sequence[Any]:
        rest = np.array(cotangents[0])
        part: Any = rest
        for operation, statics, place in self.replay:
            part = operation.function(part, **statics)
            part = part[place] if operation.several else part
        given = part.copy()
        part[...] = 0
        return rest, given

    def pull_recorded(self, cotangents: Sequence[Any]) -> Sequence[Any]:
        rest = copied(cotangents[0])
        write(replayed(rest, self.replay), new_tensor(np.zeros((), rest._array.dtype)))
        return rest, replayed(cotangents[0], self.replay)


CopySlices.__module__ = "builtins"
