"""Operations that write into a tensor: its values, its version, and its place in the graph."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sgrad.shim.dtypes import kind_name, rank
from s2sgrad.shim.nodes import AccumulateGrad, Node, OperationNode, node_class
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import SEVERAL, Tensor, current_node, edge_of, new_tensor, placed, requires, stand
from s2sgrad.shim.views import refuse_unclear, replayed


def in_place(tensor: Tensor, compute: Callable[[Tensor], Tensor]) -> Tensor:
    """Write into a tensor what is computed from it: of a copy, while operations are recorded, which may save it."""
    check_writable(tensor)
    if not state.now.recording:
        return write(tensor, compute(tensor))
    return write(tensor, compute(placed(tensor._array.copy(), *edge_of(tensor))))


def turn(tensor: Tensor, there: Callable[[Tensor], Tensor], back: Callable[[Tensor], Tensor], node: str) -> Tensor:
    """Give a tensor another shape or order of its elements; ``there`` gives the view that it becomes, ``back`` leads
    from that to what it was."""
    check_writable(tensor)
    if tensor._node is not None and not state.now.recording:
        raise RuntimeError("a tensor of the graph cannot change its shape in place under no_grad: its node would not "
                           "know; make a view of it")
    before = placed(tensor._array, *edge_of(tensor))
    result = there(before)
    if tensor._base is None:
        tensor._back = *back(new_tensor(result._array))._replay, *tensor._back
    tensor._replay = *tensor._replay, *result._replay
    tensor._take(result._array)
    tensor._written.bump()
    tensor._stamp = tensor._written.count
    if result._node is not None:
        result._node.__class__ = node_class(node)
        stand(tensor, result._node, result._number)
    return tensor


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
    if array.size and not (array.flags.writeable and (array.flags.c_contiguous or is_injective(array))):
        raise RuntimeError("unsupported operation: more than one element of the written-to tensor refers to a single "
                           "memory location. Please clone() the tensor before performing the operation.")
    keep_result(result, tensor)
    np.copyto(array, values, casting="unsafe")
    tensor._written.bump()
    base = tensor._base
    if state.now.recording and (result._requires or tensor._requires or base is not None and base._requires):
        adopt(tensor, result)
    return tensor


def is_injective(array: np.ndarray) -> bool:
    """Whether each element has memory of its own."""
    reach = 0
    for step, size in sorted((abs(step), size) for step, size in zip(array.strides, array.shape) if size > 1):
        if step <= reach:
            break
        reach += step * (size - 1)
    else:
        return True
    places = np.zeros((), np.int64)
    for step, size in zip(array.strides, array.shape):
        places = np.add.outer(places, step * np.arange(size))
    return bool(np.unique(places).size == places.size)


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
    there.

    Attributes
    ----------
    order
        The axes of the tensor as they lie in memory. Cotangents are laid out alike: else some of the operations that
        lead to the part would give copies.
    """

    __slots__ = ("replay", "order")

    def __init__(self, base: Tensor, view: Tensor, result: Tensor):
        super().__init__((edge_of(base), edge_of(result)), ((base._array.shape, base._array.dtype),))
        self.replay = *base._back, *view._replay
        self.order = in_memory(base._array)

    def name(self) -> str:
        return "torch::autograd::CopySlices"

    def pull(self, cotangents: Sequence[Any]) -> Sequence[Any]:
        rest = np.transpose(np.transpose(cotangents[0], self.order).copy("C"), np.argsort(self.order))
        part: Any = rest
        for operation, statics, place in self.replay:
            part = operation.function(part, **statics)
            part = part[place] if operation.several else part
        given = part.copy()
        part[...] = 0
        return rest, given

    def pull_recorded(self, cotangents: Sequence[Any]) -> Sequence[Any]:
        back = tuple(map(int, np.argsort(self.order)))
        rest, given = (copied(cotangents[0].permute(self.order)).permute(back) for _ in range(2))
        write(replayed(rest, self.replay), new_tensor(np.zeros((), rest._array.dtype)))
        return rest, replayed(given, self.replay)


def in_memory(array: np.ndarray) -> tuple[int, ...]:
    """The axes of an array from the one with the largest steps to that with the smallest."""
    return tuple(sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis])))


CopySlices.__module__ = "builtins"
