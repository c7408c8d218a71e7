"""Iterators that take over the name of what they run through, ``xs = map(float, xs)``, get one of their own."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from s2sgrad.compiler.nodes import Names

SCOPES = (gast.FunctionDef, gast.Lambda)


def give_names_of_their_own(tree: Any, makes_iterator: Callable[[Any], bool], names: Names) -> bool:
    """Rename the iterators that statements of a function's own block bind to a name that stands for something else
    before or behind; whether there are any."""
    given = False
    bound = {node.id for node in gast.walk(tree.args) if isinstance(node, gast.Name)}
    for place, statement in enumerate(tree.body):
        before = set(bound)
        bound |= stored_in(statement)
        if not makes_iterator(statement) or not isinstance(statement.targets[0], gast.Name):
            continue
        label = statement.targets[0].id
        readers = readers_until_bound(tree.body[place + 1:], label)
        if readers is None or label not in before and not any(
                label in stored_in(later) for later in tree.body[place + 1:]) or is_read_inside(tree, label):
            continue
        own, given = names.fresh(label), True
        for node in (statement.targets[0], *(node for reader in readers for node in gast.walk(reader))):
            if isinstance(node, gast.Name) and node.id == label:
                node.id = own
    return given


def stored_in(node: Any) -> set[str]:
    return {part.id for part in gast.walk(node) if isinstance(part, gast.Name) and not isinstance(part.ctx, gast.Load)}


def readers_until_bound(block: list, label: str) -> list | None:
    """What may read a name before a statement of this block binds it anew; None where one may, or may not."""
    readers: list = []
    for statement in block:
        if label not in stored_in(statement):
            readers.append(statement)
        elif isinstance(statement, gast.Assign) and all(isinstance(target, gast.Name) for target in statement.targets) \
                and label not in stored_in(statement.value):
            return [*readers, statement.value]
        else:
            return None
    return readers


def is_read_inside(tree: Any, label: str) -> bool:
    """Whether functions defined inside, or generator expressions behind what they run through, read a name, or such a
    function shares it: when they read it is not known here."""
    for node in gast.walk(tree):
        if isinstance(node, (gast.Global, gast.Nonlocal)) and label in node.names:
            return True
        late = [node] if isinstance(node, SCOPES) and node is not tree else \
            [node.elt, *node.generators[0].ifs, *node.generators[1:]] if isinstance(node, gast.GeneratorExp) else []
        if any(isinstance(part, gast.Name) and part.id == label for inner in late for part in gast.walk(inner)):
            return True
    return False
