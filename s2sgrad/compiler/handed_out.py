"""Functions that return iterators: ``def pairs(x): return zip(x, x[1:])``. Where what they give is run through at once,
they are as good as generators that yield the same."""
from __future__ import annotations

import types
from typing import Any

import gast

from s2sgrad.compiler.equivalents import ITERATORS, makes_iterator
from s2sgrad.compiler.held_outside import held
from s2sgrad.compiler.locate import locate
from s2sgrad.compiler.nodes import Names, is_starred, located_at, name, root, tuple_of, with_statements
from s2sgrad.compiler.scopes import FUNCTIONS, bound_names, nodes_of, yields
from s2sgrad.compiler.shadows import as_loop
from s2sgrad.compiler.trees import to_gast
from s2sgrad.containers import in_library
from s2sgrad.errors import SourceError

NAMES = {"iter", "<genexpr>", *(iterator.__name__ for iterator in ITERATORS)}
"""What a function mentions, or has inside, that returns an iterator."""


def returns_iterator(function: types.FunctionType) -> bool:
    """Whether a function of the user's, and no generator, returns what can be run through once only."""
    code = function.__code__
    mentioned = {*code.co_names, *(part.co_name for part in code.co_consts if isinstance(part, types.CodeType))}
    if in_library(function.__module__ or "") or code.co_name != "__iter__" and NAMES.isdisjoint(mentioned) and not any(
            is_iterator(held(name(label), function)) for label in code.co_names):
        return False
    try:
        return hands_out(to_gast(locate(function).node), function)
    except SourceError:
        return False


def hands_out(tree: Any, function: types.FunctionType) -> bool:
    """The same of the text of one, which is ``function``'s or stands inside it; an ``__iter__`` that returns
    ``iter(items)`` gives what can as well be looked at itself."""
    if not isinstance(tree, (gast.FunctionDef, gast.Lambda)) or yields(tree):
        return False
    if gives_object(tree, function):
        return True
    kinds = makes_iterator if getattr(tree, "name", "") == "__iter__" else is_iterator
    own = set(bound_names(gast.Module(tree.body, []))) if isinstance(tree.body, list) else set()
    given = [part.value for part in nodes_of(tree) if isinstance(part, gast.Return)] if isinstance(
        tree.body, list) else [tree.body]
    return any(isinstance(value, gast.GeneratorExp) or isinstance(value, gast.Call) and root(value.func) not in own
               and kinds(held(value.func, function)) for value in given)


def gives_object(tree: Any, function: types.FunctionType) -> bool:
    """Whether the text of a function is that of an ``__iter__`` which ends with ``return self``, or with an object made
    there: that has a ``__next__``, which is asked for one value after the other."""
    if getattr(tree, "name", "") != "__iter__" or not tree.args.args:
        return False
    returned = [part for part in nodes_of(tree) if isinstance(part, gast.Return)]
    value: Any = returned[0].value if returned == tree.body[-1:] else None
    if isinstance(value, gast.Name):
        return bool(value.id == tree.args.args[0].id)
    kind = held(value.func, function) if isinstance(value, gast.Call) else None
    return isinstance(kind, type) and isinstance(getattr(kind, "__next__", None), types.FunctionType)


def is_iterator(function: Any) -> bool:
    return function is iter or makes_iterator(function)


def yielding(tree: Any, function: types.FunctionType) -> Any:
    """Such a function as the generator that yields each item of what it returns."""
    if isinstance(tree, gast.Lambda):
        tree = with_statements(tree)
    names = Names({part.id for part in gast.walk(tree) if isinstance(part, gast.Name)})
    if gives_object(tree, function):
        tree.body[-1:] = asked_for_all(tree.body[-1], names)
        return tree
    work = _Yielding(function, names)
    tree.body = work.visit(gast.Module(tree.body, [])).body
    return tree


def asked_for_all(returned: Any, names: Names) -> list[gast.stmt]:
    """The statements that yield what the ``__next__`` of a returned object gives, until it raises StopIteration."""
    item, own = names.fresh("item"), isinstance(returned.value, gast.Name)
    asked = returned.value.id if own else names.fresh("iterator")
    made = gast.parse(f"while True:\n try:\n  {item} = {asked}.__next__()\n except StopIteration:\n  return\n"
                      f" yield {item}\n")
    for part in gast.walk(made):
        gast.copy_location(part, returned)
    first = [] if own else [located_at(gast.Assign([gast.Name(asked, gast.Store(), None, None)], returned.value, None),
                                       returned)]
    return first + made.body  # type: ignore[no-any-return]


class _Yielding(gast.NodeTransformer):
    def __init__(self, function: types.FunctionType, names: Names):
        self.function = function
        self.names = names

    def visit(self, node: Any) -> Any:
        return node if isinstance(node, (*FUNCTIONS, gast.ClassDef)) else super().visit(node)

    def visit_Return(self, node: gast.Return) -> Any:
        if node.value is None or isinstance(node.value, gast.Constant):
            return node
        return [located_at(self.each(node.value), node), located_at(gast.Return(None), node)]

    def each(self, given: Any) -> gast.stmt:
        """The loop that yields all items of something."""
        if not isinstance(given, gast.GeneratorExp):
            pattern = self.pattern(given)
            return gast.For(stored(pattern), given, [gast.Expr(gast.Yield(pattern))], [], None)
        return as_loop(given, lambda item: gast.Expr(gast.Yield(item)), self.names.fresh)

    def pattern(self, given: Any) -> gast.AST:
        """The names of the parts of an item."""
        function = held(given.func, self.function) if isinstance(given, gast.Call) else None
        if function not in (zip, enumerate) or given.keywords or is_starred(given):
            return name(self.names.fresh("item"))
        if function is zip:
            return tuple_of(list(map(self.pattern_of_item, given.args)))
        return tuple_of([name(self.names.fresh("number")), self.pattern_of_item(given.args[0])])

    def pattern_of_item(self, given: Any) -> gast.AST:
        return self.pattern(given) if isinstance(given, gast.Call) else name(self.names.fresh("item"))


def stored(pattern: Any) -> Any:
    """The names of a pattern, to be bound."""
    if isinstance(pattern, gast.Tuple):
        return gast.Tuple(list(map(stored, pattern.elts)), gast.Store())
    return gast.Name(pattern.id, gast.Store(), None, None)
