"""Saved values handed to hooks of the user's, which give something else to be kept in their place."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import Tensor, new_tensor


class Packed:
    """What a hook gave to be kept, and the hook that makes a tensor of it again."""

    __slots__ = ("kept", "unpack")

    def __init__(self, tensor: Tensor, hooks: tuple[Callable, Callable]):
        recording, state.now.recording = state.now.recording, False
        try:
            self.kept = hooks[0](tensor)
        finally:
            state.now.recording = recording
        if tensor._version:
            raise RuntimeError("A saved tensor pack hook is modifying its input in place. Tensors provided as input to "
                               "pack hook can not be modified by in-place operations as this can lead to unexpected "
                               "side-effects.")
        self.unpack = hooks[1]

    def tensor(self) -> Tensor:
        found = self.unpack(self.kept)
        if not isinstance(found, Tensor):
            raise TypeError("Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                            f"{type(found).__name__}")
        return found


def packed(saved: Any, hooks: tuple[Callable, Callable]) -> Any:
    """The same with every array in it handed to the hooks."""
    if isinstance(saved, np.ndarray):
        return Packed(new_tensor(saved), hooks)
    if type(saved) in (tuple, list):
        return type(saved)(packed(part, hooks) for part in saved)
    return saved


def unpacked(saved: Any) -> Any:
    """What was packed, as arrays again."""
    if isinstance(saved, Packed):
        return saved.tensor()._array
    if type(saved) in (tuple, list):
        return type(saved)(map(unpacked, saved))
    return saved
