"""Pairs of values and indices, as ``max(dim)``, ``sort`` and their like give them."""
from __future__ import annotations

from typing import Any, NamedTuple


class _Pair(NamedTuple):
    values: Any
    indices: Any

    def __repr__(self) -> str:
        return f"torch.return_types.{type(self).__name__}(\nvalues={self.values!r},\nindices={self.indices!r})"


def pair_type(name: str) -> Any:
    return type(name, (_Pair,), {"__slots__": (), "__module__": "torch.return_types"})
