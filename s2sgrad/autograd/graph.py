"""What ``torch.autograd.graph`` has: hooks for what the graph saves."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sgrad.shim.nodes import Node
from s2sgrad.shim.state import state

__all__ = ["Node", "disable_saved_tensors_hooks", "save_on_cpu", "saved_tensors_hooks"]


class saved_tensors_hooks:  # noqa: N801 - PyTorch's name
    """Context-manager that keeps something else in place of each tensor that is saved.

    ``pack_hook(tensor)`` gives what is kept, ``unpack_hook(kept)`` a tensor with the same values, when the backward
    pass needs it. It is thread local; of several the innermost counts.
    """

    def __init__(self, pack_hook: Callable, unpack_hook: Callable):
        self.hooks = pack_hook, unpack_hook

    def __enter__(self) -> None:
        if state.now.hooks_refused:
            raise RuntimeError(state.now.hooks_refused)
        self.before = state.now.packing
        state.now.packing = self.hooks

    def __exit__(self, *exception: Any) -> None:
        state.now.packing = self.before


class disable_saved_tensors_hooks:  # noqa: N801
    """Context-manager in which hooks for saved tensors are an error, with this message."""

    def __init__(self, error_message: str):
        self.message = error_message

    def __enter__(self) -> None:
        if state.now.packing is not None:
            raise RuntimeError(self.message)
        self.before = state.now.hooks_refused
        state.now.hooks_refused = self.message

    def __exit__(self, *exception: Any) -> None:
        state.now.hooks_refused = self.before


class save_on_cpu(saved_tensors_hooks):  # noqa: N801
    """Keeps saved tensors where they are: there is only the CPU."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda"):
        super().__init__(lambda tensor: tensor, lambda tensor: tensor)
