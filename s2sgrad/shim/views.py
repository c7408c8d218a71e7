"""Views of tensors: how they came about, so that they can be made again after their memory was written into."""
from __future__ import annotations

from typing import Any

from s2sgrad.shim.nodes import OperationNode, node_class
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import UNRECORDED, Tensor, stand


def replayed(base: Tensor, replay: tuple) -> Any:
    """The view of a tensor to which the same operations lead."""
    for operation, statics, place in replay:
        base = operation.run((base,), statics)
        if operation.several:
            base = base[place]
    return base


def refresh(view: Tensor) -> None:
    """Give a view the node that it has now that its memory was written into."""
    base = view._base
    assert base is not None
    view._stamp = view._written.count
    if not base._requires or view._origin == UNRECORDED:
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
