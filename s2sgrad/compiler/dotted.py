"""Names and attributes of names in expressions: ``swarm``, ``self.parts``."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast


def is_dotted(node: Any) -> bool:
    while isinstance(node, gast.Attribute):
        node = node.value
    return isinstance(node, gast.Name)


def spelled(node: Any) -> str:
    return f"{spelled(node.value)}.{node.attr}" if isinstance(node, gast.Attribute) else node.id


def dotted_in(node: Any) -> Iterator[gast.AST]:
    """The names and attributes of names in an expression, each as far as it goes; of methods the object."""
    if is_dotted(node):
        yield node
        return
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute):
        parts = [node.func.value, *node.args, *node.keywords]
    else:
        parts = list(gast.iter_child_nodes(node))
    for part in parts:
        yield from dotted_in(part)
