"""``*args`` and ``**kwargs`` as the parameters that one call makes of them.

A call is compiled for the number of its arguments and the keywords that it gives. ``args[0]``, ``kwargs["scale"]``
and what is handed on with ``*args`` and ``**kwargs`` are then parameters like any other; where ``args`` is needed
whole, the tuple of them is written out.
"""
from __future__ import annotations

import copy
from typing import Any

import gast

from s2sgrad.compiler.nodes import Names, constant, name, tuple_of, with_statements
from s2sgrad.compiler.program import Program, statements


def without_stars(tree: Any, extra: int, keys: tuple[str, ...]) -> Any:
    """The function with ``extra`` parameters for its ``*args`` and one for each of ``keys`` for its ``**kwargs``."""
    spec = tree.args
    if spec.vararg is None and spec.kwarg is None:
        return tree
    tree = copy.deepcopy(tree)
    spec = tree.args
    names = Names({node.id for node in gast.walk(tree) if isinstance(node, gast.Name)}
                  | {node.arg for node in gast.walk(tree) if isinstance(node, gast.keyword) and node.arg})
    prefix: list = []
    body = tree.body if isinstance(tree.body, list) else [tree.body]
    if spec.vararg is not None:
        items = [gast.copy_location(name(names.fresh(f"{spec.vararg.id}_{index}")), spec.vararg)
                 for index in range(extra)]
        work: Any = _Items(spec.vararg.id, items)
        body = rewritten(body, work, prefix, spec.vararg)
        spec.args = [*spec.args, *(parameter(item) for item in items)]
        spec.defaults = [] if items else spec.defaults  # all parameters before them are given
        spec.vararg = None
    if spec.kwarg is not None:
        given = {key: gast.copy_location(name(names.fresh(key)), spec.kwarg) for key in keys}
        body = rewritten(body, _Keys(spec.kwarg.id, given), prefix, spec.kwarg)
        spec.kwonlyargs = [*spec.kwonlyargs, *(parameter(item) for item in given.values())]
        spec.kw_defaults = [*spec.kw_defaults, *[None] * len(given)]
        spec.kwarg = None
    if not isinstance(tree, gast.Lambda):
        tree.body = [*prefix, *body]
        return tree
    tree.body, = body
    return with_statements(tree, prefix) if prefix else tree


def parameter(item: gast.Name) -> gast.Name:
    return gast.copy_location(gast.Name(item.id, gast.Param(), None, None), item)


def rewritten(body: list, work: Any, prefix: list, place: gast.AST) -> list:
    """The body without the name, or, if the name is bound in it or changed through it, with the name bound before."""
    if is_rebound(body, work.label) or not work.covers(body):
        target = gast.copy_location(gast.Name(work.label, gast.Store(), None, None), place)
        prefix.append(gast.copy_location(gast.Assign([target], work.whole(place), None), place))
        return body
    return [work.visit(node) for node in body]


def is_rebound(body: list, label: str) -> bool:
    """Whether a name is bound anywhere in the body, also as the parameter of a function inside."""
    return any(node.id == label and not isinstance(node.ctx, gast.Load)
               for part in body for node in gast.walk(part) if isinstance(node, gast.Name))


class _Items(gast.NodeTransformer):
    """``args`` replaced by what it holds."""

    def __init__(self, label: str, items: list[gast.Name]):
        self.label = label
        self.items = items

    def covers(self, body: list) -> bool:
        return True

    def is_name(self, node: Any) -> bool:
        return isinstance(node, gast.Name) and node.id == self.label

    def whole(self, place: gast.AST) -> gast.AST:
        return gast.copy_location(tuple_of([gast.copy_location(name(item.id), place) for item in self.items]), place)

    def visit_Name(self, node: gast.Name) -> gast.AST:
        return self.whole(node) if self.is_name(node) else node

    def visit_Subscript(self, node: gast.Subscript) -> gast.AST:
        index = node.slice.value if isinstance(node.slice, gast.Constant) else None
        if self.is_name(node.value) and type(index) is int and index < len(self.items):
            return gast.copy_location(name(self.items[index].id), node)
        return self.generic_visit(node)

    def visit_Call(self, node: gast.Call) -> gast.AST:
        node.args = [new for item in node.args for new in (
            self.whole(item).elts if isinstance(item, gast.Starred) and self.is_name(item.value)  # type: ignore
            else [item])]
        return self.generic_visit(node)


class _Keys(gast.NodeTransformer):
    """``kwargs`` replaced by what it holds, where it is read key by key or handed on."""

    def __init__(self, label: str, given: dict[str, gast.Name]):
        self.label = label
        self.given = given

    def is_name(self, node: Any) -> bool:
        return isinstance(node, gast.Name) and node.id == self.label

    def covers(self, body: list) -> bool:
        mentioned = sum(map(self.is_name, (node for part in body for node in gast.walk(part))))
        understood = sum(self.understands(node) for part in body for node in gast.walk(part))
        return mentioned == understood

    def understands(self, node: Any) -> int:
        """How often an expression mentions the name in a way that is read key by key."""
        if isinstance(node, gast.Call):
            return sum(item.arg is None and self.is_name(item.value) for item in node.keywords) + self.is_get(node)
        if isinstance(node, gast.Compare):
            return self.is_membership(node)
        return isinstance(node, gast.Subscript) and isinstance(node.ctx, gast.Load) and self.is_name(node.value) \
            and self.key(node.slice) is not None

    def key(self, node: Any) -> Any:
        return node.value if isinstance(node, gast.Constant) and isinstance(node.value, str) else None

    def is_get(self, node: gast.Call) -> bool:
        return isinstance(node.func, gast.Attribute) and node.func.attr == "get" and self.is_name(node.func.value) \
            and 1 <= len(node.args) <= 2 and not node.keywords and self.key(node.args[0]) is not None \
            and all(isinstance(item, (gast.Constant, gast.Name, gast.Attribute)) for item in node.args[1:])

    def is_membership(self, node: gast.Compare) -> bool:
        return len(node.ops) == 1 and isinstance(node.ops[0], (gast.In, gast.NotIn)) \
            and self.is_name(node.comparators[0]) and self.key(node.left) is not None

    def whole(self, place: gast.AST) -> gast.AST:
        keys = [gast.copy_location(constant(key), place) for key in self.given]
        values = [gast.copy_location(name(item.id), place) for item in self.given.values()]
        return gast.copy_location(gast.Dict(keys, values), place)

    def visit_Subscript(self, node: gast.Subscript) -> gast.AST:
        if self.is_name(node.value):
            key = self.key(node.slice)
            if key in self.given:
                return gast.copy_location(name(self.given[key].id), node)
            node.value = gast.copy_location(gast.Dict([], []), node.value)  # where Python, too, finds no such key
            return node
        return self.generic_visit(node)

    def visit_Compare(self, node: gast.Compare) -> gast.AST:
        if self.is_membership(node):
            found = (self.key(node.left) in self.given) != isinstance(node.ops[0], gast.NotIn)
            return gast.copy_location(constant(found), node)
        return self.generic_visit(node)

    def visit_Call(self, node: gast.Call) -> gast.AST:
        if self.is_get(node):
            key = self.key(node.args[0])
            if key in self.given:
                return gast.copy_location(name(self.given[key].id), node)
            default = node.args[1] if len(node.args) == 2 else constant(None)
            return self.visit(gast.copy_location(default, node))
        node.keywords = [new for item in node.keywords for new in (
            [gast.copy_location(gast.keyword(key, gast.copy_location(name(value.id), item.value)), item)
             for key, value in self.given.items()]
            if item.arg is None and self.is_name(item.value) else [item])]
        return self.generic_visit(node)


def is_only_spread(program: Program, label: str) -> bool:
    """Whether a function does nothing with what a parameter has but to hand it on as ``**options``."""
    parts = [part for statement in statements(program.body) for field in vars(statement).values()
             if isinstance(field, gast.AST) for part in gast.walk(field)]
    spread = {id(item.value) for part in parts if isinstance(part, gast.Call) for item in part.keywords
              if item.arg is None}
    return label not in program.bound and all(id(part) in spread for part in parts if isinstance(
        part, gast.Name) and part.id == label)
