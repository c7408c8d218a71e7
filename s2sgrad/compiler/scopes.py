"""Which names a function inside another takes from around it, and what it must not do there."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from s2sgrad.compiler.effects import MUTATING_METHODS

FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)
YIELDS = (gast.Yield, gast.YieldFrom)
COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


def free_names(function: Any) -> tuple[str, ...]:
    """The names that a function or lambda reads and does not bind itself, in the order in which it mentions them."""
    bound = {item.id for item in parameters(function.args)}
    body = function.body if isinstance(function.body, list) else [function.body]
    bound |= {label for part in body for label in bound_names(part)}
    return tuple(dict.fromkeys(label for part in body for label in read_names(part) if label not in bound))


def parameters(spec: Any) -> list[gast.Name]:
    stars = [item for item in (spec.vararg, spec.kwarg) if item is not None]
    return [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *stars]


def defaults(spec: Any) -> list[gast.AST]:
    return [item for item in (*spec.defaults, *spec.kw_defaults) if item is not None]


def late_defaults(spec: Any) -> dict[str, gast.AST]:
    """The parameters whose defaults are no literals, with these: what they are is known where the function is made."""
    positional = [*spec.posonlyargs, *spec.args]
    given = [*zip(positional[len(positional) - len(spec.defaults):], spec.defaults),
             *zip(spec.kwonlyargs, spec.kw_defaults)]
    return {item.id: default for item, default in given if default is not None and not is_constant(default)}


def is_constant(default: gast.AST) -> bool:
    """Whether this is a literal that nothing can change: a number, a text, a tuple of these."""
    if isinstance(default, gast.Tuple):
        return all(map(is_constant, default.elts))
    return isinstance(default.operand if isinstance(default, gast.UnaryOp) else default, gast.Constant)


def bound_names(node: Any) -> Iterator[str]:
    """The names that a part of a function binds in the function's own scope."""
    if isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
        yield node.name
        return
    if isinstance(node, gast.Lambda):
        return
    if isinstance(node, COMPREHENSIONS):
        for inner in gast.walk(node):
            if isinstance(inner, gast.NamedExpr):
                yield inner.target.id
        return
    if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load):
        yield node.id
    elif isinstance(node, (gast.MatchAs, gast.MatchStar)) and node.name is not None:
        yield node.name
    elif isinstance(node, gast.MatchMapping) and node.rest is not None:
        yield node.rest
    elif isinstance(node, gast.alias):
        yield node.asname or node.name.partition(".")[0]
    for child in gast.iter_child_nodes(node):
        yield from bound_names(child)


def read_names(node: Any) -> Iterator[str]:
    """The names that a part of a function reads from its own scope, or from around it."""
    if isinstance(node, FUNCTIONS):
        for default in defaults(node.args):
            yield from read_names(default)
        yield from free_names(node)
    elif isinstance(node, COMPREHENSIONS):
        bound = {label for each in node.generators for label in bound_names(each.target)}
        first = node.generators[0].iter
        outside = list(read_names(first))
        for part in gast.iter_child_nodes(node):
            for child in gast.iter_child_nodes(part) if isinstance(part, gast.comprehension) else [part]:
                yield from (label for label in (outside if child is first else read_names(child)) if label not in bound)
        yield from (label for label in outside if label in bound)  # for it is evaluated outside
    elif isinstance(node, gast.Name):
        if isinstance(node.ctx, gast.Load):
            yield node.id
    else:
        for child in gast.iter_child_nodes(node):
            yield from read_names(child)


def free_nodes(node: Any, bound: frozenset[str]) -> Iterator[gast.Name]:
    """The names in an expression that it does not bind itself, without those in functions inside it."""
    if isinstance(node, gast.Name):
        if node.id not in bound:
            yield node
        return
    if isinstance(node, FUNCTIONS):
        return
    if isinstance(node, COMPREHENSIONS):
        yield from free_nodes(node.generators[0].iter, bound)
        bound |= {label for each in node.generators for label in bound_names(each.target)}
        for child in gast.iter_child_nodes(node):
            for part in [child] if not isinstance(child, gast.comprehension) else [child.target, *child.ifs]:
                yield from free_nodes(part, bound)
        for each in node.generators[1:]:
            yield from free_nodes(each.iter, bound)
        return
    for child in gast.iter_child_nodes(node) if isinstance(node, gast.AST) else ():
        yield from free_nodes(child, bound)


def nodes_of(function: Any) -> list[Any]:
    """All nodes of a function's body but those of the functions and classes in it."""
    found = list(function.body) if isinstance(function.body, list) else [function.body]
    for node in found:
        if not isinstance(node, (*FUNCTIONS, gast.ClassDef)):
            found += gast.iter_child_nodes(node)
    return found


def yields(function: Any) -> bool:
    """Whether a function or lambda is a generator."""
    return any(isinstance(node, YIELDS) for node in nodes_of(function))


def stores(function: Any) -> bool:
    """Whether a function may write into what it did not make: an element, an attribute, a list."""
    return any(isinstance(node, (gast.Subscript, gast.Attribute)) and not isinstance(node.ctx, gast.Load)
               or isinstance(node, gast.Attribute) and node.attr in MUTATING_METHODS for node in gast.walk(function))
