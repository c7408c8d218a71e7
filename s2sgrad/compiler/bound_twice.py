"""Loops and comprehensions whose target has a name twice, ``for _, _, weight in rows``: Python keeps what it binds
last, and here what comes before gets a name of its own where that one is read."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from s2sgrad.compiler.nodes import Names, walk


def without_names_bound_twice(tree: Any) -> Any:
    """The function, and those in it, with such targets written anew."""
    repeated = [node for part in walk(tree) if isinstance(part, (gast.For, gast.comprehension))
                and isinstance(part.target, (gast.Tuple, gast.List)) for node in overwritten(part.target)]
    if repeated:
        mentioned = [node for node in walk(tree) if isinstance(node, gast.Name)]
        read = {node.id for node in mentioned if isinstance(node.ctx, gast.Load)}
        names = Names({node.id for node in mentioned})
        for node in repeated:
            if node.id in read:
                node.id = names.fresh(node.id)
    return tree


def overwritten(target: Any) -> Iterator[gast.Name]:
    """The names in a target that are bound again further on in it."""
    found = list(bound(target))
    for place, node in enumerate(found):
        if any(other.id == node.id for other in found[place + 1:]):
            yield node


def bound(target: Any) -> Iterator[gast.Name]:
    """The names that a target binds, in order."""
    if isinstance(target, gast.Name):
        yield target
    elif isinstance(target, gast.Starred):
        yield from bound(target.value)
    elif isinstance(target, (gast.Tuple, gast.List)):
        for part in target.elts:
            yield from bound(part)
