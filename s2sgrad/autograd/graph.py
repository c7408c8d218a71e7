"""What ``torch.autograd.graph`` has: hooks for what the graph saves."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sgrad.shim.nodes import Node
from s2sgrad.shim.state import state

__all__ = ["Node", "save_on_cpu", "saved_tensors_hooks"]


class saved_tensors_hooks:  # noqa: N801 - PyTorch's name
    """Context-manager that keeps something else in place of each tensor that is saved.

    ``pack_hook(tensor)`` gives what is kept, ``unpack_hook(kept)`` a tensor with the same values, when the backward
    pass needs it. It is thread local; of several the innermost counts.
    """

    def __init__(self, pack_hook: Callable, unpack_hook: Callable):
        self.hooks = pack_hook, unpack_hook

    def __enter__(self) -> None:
        self.before = state.now.packing
        state.now.packing = self.hooks

    def __exit__(self, *exception: Any) -> None:
        state.now.packing = self.before


class save_on_cpu(saved_tensors_hooks):  # noqa: N801
    """Keeps saved tensors where they are: there is only the CPU."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda"):
        super().__init__(lambda tensor: tensor, lambda tensor: tensor)
