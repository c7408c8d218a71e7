"""Comprehensions whose variables have the names of others that functions inside take from around them: Python keeps
the two apart, and here the variables of the comprehensions get names of their own."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from s2sgrad.compiler.cells import functions_in, own_names
from s2sgrad.compiler.factories import renamed
from s2sgrad.compiler.nodes import Names, located_at
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


def as_loop(node: Any, does: Callable[[gast.AST], gast.stmt], fresh: Callable[[str], str]) -> gast.stmt:
    """A comprehension as the loop that does something with each of its items; its variables get other names."""
    with_variables(node, {label: fresh(label.strip("_") or "item") for label in sorted(targets(node))})
    body: list = [does(node.elt)]
    for generator in reversed(node.generators):
        for test in reversed(generator.ifs):
            body = [gast.If(test, body, [])]
        body = [gast.For(generator.target, generator.iter, body, [], None)]
    return located_at(body[0], node)  # type: ignore[no-any-return]


def targets(node: Any) -> set[str]:
    return {label for each in node.generators for label in bound_names(each.target)}
