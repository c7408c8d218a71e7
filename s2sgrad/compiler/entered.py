"""What a manager gives under a name that stands for something else, too: that gets a name of its own first, and the
other is bound in the block, as by any assignment. To the flow of control a ``with`` block is a part of the block around
it, and nothing but the primal sees what its manager gives."""
from __future__ import annotations

import types
from collections import Counter
from typing import Any

import gast

from s2sgrad.compiler.bound_twice import bound
from s2sgrad.compiler.nodes import Names, located_at, name, walk
from s2sgrad.compiler.surgery import opened_by


def with_names_of_their_own(tree: Any, function: types.FunctionType) -> Any:
    """The function, and those in it, with such ``with`` statements written anew."""
    blocks = [node for node in walk(tree) if isinstance(node, gast.With) and not opened_by(node, function)]
    if any(item.optional_vars is not None for node in blocks for item in node.items):
        mentioned = [node for node in walk(tree) if isinstance(node, gast.Name)]
        times = Counter(node.id for node in mentioned if not isinstance(node.ctx, gast.Load))
        names = Names({node.id for node in mentioned})
        for node in blocks:
            for place in reversed(range(len(node.items))):
                again = [target for target in bound(node.items[place].optional_vars) if times[target.id] > 1]
                if again:
                    bind_inside(node, place, again, names)
    return tree


def bind_inside(node: gast.With, place: int, targets: list, names: Names) -> None:
    """Let some targets of the manager in a place be bound at the start of its block; the managers behind it come after
    that."""
    later = node.items[place + 1:]
    inside = [gast.copy_location(gast.With(later, node.body, None), node)] if later else node.body
    bindings = []
    for target in targets:
        own, again = names.fresh(target.id), gast.Name(target.id, gast.Store(), None, None)
        bindings.append(located_at(gast.Assign([again], name(own), None), target))
        target.id = own
    node.items, node.body = node.items[:place + 1], [*bindings, *inside]
