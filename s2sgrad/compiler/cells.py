"""Variables that functions defined inside bind (``nonlocal count``), as items of a dict that all of them have: what a
function writes into is followed, whoever calls it."""
from __future__ import annotations

from typing import Any

import gast

from s2sgrad.compiler.nodes import Names, constant, name, subscript
from s2sgrad.compiler.scopes import COMPREHENSIONS, FUNCTIONS, bound_names, nodes_of, parameters


def with_cells(tree: Any) -> Any:
    """A function whose variables that functions inside it bind are items of a dict; what is bound in other ways than by
    assignments stays as it is."""
    if not isinstance(tree, gast.FunctionDef) or not any(isinstance(node, gast.Nonlocal) for node in gast.walk(tree)):
        return tree
    inner = set().union(*(bound_outside(part) for part in functions_in(tree)))
    labels = inner & own_names(tree) - bound_otherwise(tree)
    if not labels:
        return tree
    cells = Names({node.id for node in gast.walk(tree) if isinstance(node, gast.Name)}).fresh("cells")
    given = sorted(labels & {item.id for item in parameters(tree.args)})
    made = gast.Assign([gast.Name(cells, gast.Store(), None, None)], gast.Dict(
        [constant(label) for label in given], [name(label) for label in given]), None)
    for part in gast.walk(made):
        gast.copy_location(part, tree)
    work = Cells(cells, labels)
    tree.body = [made, *(new for part in tree.body for new in work.statement(part))]
    return tree


def bound_outside(function: Any) -> set[str]:
    """The names that a function, or one inside it, binds in a function around it."""
    own = {label for node in nodes_of(function) if isinstance(node, gast.Nonlocal) for label in node.names}
    inner = set().union(*(bound_outside(part) for part in functions_in(function)))
    return own | inner - own_names(function)


def own_names(function: Any) -> set[str]:
    """The names that belong to a function: its parameters, and what it binds and does not say to be another's."""
    others = {label for node in nodes_of(function) if isinstance(node, (gast.Nonlocal, gast.Global))
              for label in node.names}
    body = function.body if isinstance(function.body, list) else [function.body]
    return {item.id for item in parameters(function.args)} | {
        label for part in body for label in bound_names(part)} - others


def functions_in(function: Any) -> list[Any]:
    return [node for node in nodes_of(function) if isinstance(node, FUNCTIONS)]


def bound_otherwise(tree: Any) -> set[str]:
    """The names that are bound, somewhere in a function, by what can bind names alone, or in a comprehension."""
    found: set[str] = set()
    for node in gast.walk(tree):
        if isinstance(node, COMPREHENSIONS):
            found.update(label for each in node.generators for label in bound_names(each.target))
        elif isinstance(node, gast.NamedExpr):
            found.add(node.target.id)
        elif isinstance(node, gast.For):
            found.update(bound_names(node.target))
        elif isinstance(node, gast.withitem) and node.optional_vars is not None:
            found.update(bound_names(node.optional_vars))
        elif isinstance(node, gast.Delete):
            found.update(part.id for part in node.targets if isinstance(part, gast.Name))
        elif isinstance(node, gast.ExceptHandler) and node.name is not None:
            found.add(node.name.id)
        elif isinstance(node, (gast.alias, gast.MatchAs, gast.MatchStar, gast.MatchMapping)):
            found.update(part.id for part in gast.walk(node) if isinstance(part, gast.Name))
            found.update(bound_names(node))
        elif isinstance(node, (gast.FunctionDef, gast.ClassDef)) and node is not tree:
            found.add(node.name)
    return found


class Cells(gast.NodeTransformer):
    """The variables as items of a dict."""

    def __init__(self, cells: str, labels: set[str]):
        self.cells = cells
        self.labels = labels

    def statement(self, node: Any) -> list:
        new = self.visit(node)
        return [] if new is None else [new]

    def visit_Name(self, node: gast.Name) -> gast.AST:
        if node.id not in self.labels:
            return node
        new = gast.copy_location(subscript(name(self.cells), constant(node.id)), node)
        new.ctx = node.ctx
        for part in (new.value, new.slice):
            gast.copy_location(part, node)
        return new

    def visit_AnnAssign(self, node: Any) -> gast.AST:
        """What is said of a name alone binds nothing; an item has no annotation."""
        if not isinstance(node.target, gast.Name) or node.target.id not in self.labels:
            return self.generic_visit(node)
        if node.value is None:
            return gast.copy_location(gast.Pass(), node)
        return self.visit(gast.copy_location(gast.Assign([node.target], node.value, None), node))

    def within(self, node: Any) -> Cells:
        """What does the same in a function inside."""
        others = {label for part in nodes_of(node) if isinstance(part, gast.Global) for label in part.names}
        return Cells(self.cells, self.labels - own_names(node) - others)

    def visit_Nonlocal(self, node: Any) -> gast.AST:
        return self.declared(node)

    def declared(self, node: Any) -> gast.AST:
        names = [label for label in node.names if label not in self.labels]
        return gast.copy_location(type(node)(names) if names else gast.Pass(), node)

    def visit_FunctionDef(self, node: Any) -> gast.AST:
        node.args = self.visit_arguments(node.args)
        inside = self.within(node)
        node.body = [new for part in node.body for new in inside.statement(part)] if isinstance(
            node.body, list) else inside.visit(node.body)
        return node

    visit_Lambda = visit_FunctionDef

    def visit_arguments(self, node: Any) -> gast.AST:
        """The defaults are evaluated outside."""
        node.defaults = [self.visit(item) for item in node.defaults]
        node.kw_defaults = [None if item is None else self.visit(item) for item in node.kw_defaults]
        return node
