"""Results with names, as ``max(dim)``, ``sort`` and their like give them."""
from __future__ import annotations

from collections import namedtuple
from typing import Any


def return_type(name: str, *fields: str) -> Any:
    """A class of tuples with named items, that print as PyTorch's."""
    def shown(self: Any) -> str:
        items = ",\n".join(f"{field}={item!r}" for field, item in zip(fields, self))
        return f"torch.return_types.{name}(\n{items})"

    return type(name, (namedtuple(name, fields),), {
        "__slots__": (), "__module__": "torch.return_types", "__repr__": shown})


def pair_type(name: str) -> Any:
    return return_type(name, "values", "indices")
