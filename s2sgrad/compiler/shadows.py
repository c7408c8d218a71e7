"""Comprehensions whose variables have the names of others that functions inside take from around them: Python keeps
the two apart, and here the variables of the comprehensions get names of their own."""
from __future__ import annotations

from typing import Any

import gast

from s2sgrad.compiler.cells import functions_in, own_names
from s2sgrad.compiler.factories import renamed
from s2sgrad.compiler.nodes import Names
from s2sgrad.compiler.scopes import COMPREHENSIONS, bound_names, free_names, nodes_of


def without_shadows(tree: Any) -> Any:
    """The function with such comprehensions written anew."""
    inner = functions_in(tree)
    comprehensions = [node for node in nodes_of(tree) if isinstance(node, COMPREHENSIONS)] if inner else []
    around: dict[int, set[str]] = {}
    for node in comprehensions:  # what functions in them read of their variables they don't take from further out
        own = targets(node)
        for part in gast.walk(node):
            around.setdefault(id(part), set()).update(own)
    taken = own_names(tree) & {label for function in inner for label in set(free_names(function)) - around.get(
        id(function), set())} if comprehensions else set()
    if not taken:
        return tree
    names = Names({node.id for node in gast.walk(tree) if isinstance(node, gast.Name)})
    for node in comprehensions:
        labels = targets(node) & taken
        if labels:
            with_variables(node, {label: names.fresh(label) for label in sorted(labels)})
    return tree


def with_variables(node: Any, meaning: dict[str, str]) -> None:
    """Give variables of a comprehension other names: its first iterable does not see them."""
    first, *others = node.generators
    first.target = renamed(first.target, meaning)
    first.ifs = [renamed(part, meaning) for part in first.ifs]
    node.generators = [first, *(renamed(part, meaning) for part in others)]
    for field in ("elt", "key", "value"):
        if hasattr(node, field):
            setattr(node, field, renamed(getattr(node, field), meaning))


def targets(node: Any) -> set[str]:
    return {label for each in node.generators for label in bound_names(each.target)}
