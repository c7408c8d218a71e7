"""The one device that there is, under the names by which programs choose devices."""
from __future__ import annotations

import types
from typing import Any


class device:  # noqa: N801 - PyTorch's name
    """A device by its name. Tensors are only on ``"cpu"``."""

    def __init__(self, type: Any, index: int | None = None):  # noqa: A002
        name, _, number = str(type).partition(":")
        self.type = name
        self.index = int(number) if number else index

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        return f"device(type={self.type!r}" + ("" if self.index is None else f", index={self.index}") + ")"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))


CPU = device("cpu")


def check_device(wanted: Any) -> None:
    """Raises AssertionError or RuntimeError for a device that is not there, as where PyTorch has none but the CPU."""
    if wanted is None or device(wanted).type == "cpu":
        return
    if device(wanted).type == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled: tensors are NumPy arrays")
    raise RuntimeError(f"there is no device {wanted} here: tensors are NumPy arrays")


def nothing(*args: Any, **kwargs: Any) -> None:
    return None


cuda = types.SimpleNamespace(is_available=lambda: False, device_count=lambda: 0, manual_seed=nothing,
                             manual_seed_all=nothing, synchronize=nothing, empty_cache=nothing)
"""What ``torch.cuda`` has for programs that ask first whether it is there."""
