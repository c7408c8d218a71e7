"""Views of tensors: how they came about, so that they can be made again after their memory was written into."""
from __future__ import annotations

from typing import Any

from s2sgrad.shim.nodes import OperationNode, node_class
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import CUSTOM, UNRECORDED, Tensor, stand

UNCLEAR = {
    UNRECORDED: (
        "A view was created in no_grad mode and {what} modified inplace with grad mode enabled. Given that this use "
        "case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and the "
        "inplace either both inside the no_grad block (if you don't want the inplace to be tracked) or both outside "
        "(if you want the inplace to be tracked)."),
    CUSTOM: (
        "Output {number} of {name} is a view and {what} modified inplace. This view was created inside a custom "
        "Function (or because an input was returned as-is) and the autograd logic to handle view+inplace would "
        "override the custom backward associated with the custom Function, leading to incorrect gradients. This "
        "behavior is forbidden. You can fix this by cloning the output of the custom Function."),
}
"""By the origin of a view: why nobody can tell what its derivative is once its memory was written into."""


def replayed(base: Tensor, replay: tuple) -> Any:
    """The view of a tensor to which the same operations lead."""
    for operation, statics, place in (*base._back, *replay):
        base = operation.run((base,), statics)
        if operation.several:
            base = base[place]
    return base


def whole_view(tensor: Tensor) -> Tensor:
    """Another tensor with the same memory, as a view of it."""
    view = tensor.detach()
    view._base = tensor if tensor._base is None else tensor._base
    view._replay, view._stamp = tensor._replay, view._written.count
    return view


def refuse_unclear(view: Tensor, what: str) -> None:
    """Raises RuntimeError for a view of which nobody can tell what it is after a write."""
    if view._origin in UNCLEAR:
        name = type(view._node).__name__.removesuffix("Backward")
        raise RuntimeError(UNCLEAR[view._origin].format(what=what, number=view._number, name=name))


def refresh(view: Tensor) -> None:
    """Give a view the node that it has now that its memory was written into."""
    base = view._base
    assert base is not None
    if base._requires and view._origin in UNCLEAR:
        if state.now.recording:
            refuse_unclear(view, "its base or another view of its base has been")
        return
    view._stamp = view._written.count
    if not base._requires:
        return
    recording, state.now.recording = state.now.recording, True
    try:
        again = replayed(base, view._replay)
    finally:
        state.now.recording = recording
    if isinstance(again._node, OperationNode):
        again._node.__class__ = node_class("AsStridedBackward0")  # as PyTorch calls what it has made again
    stand(view, again._node, again._number)
    view._requires = True
