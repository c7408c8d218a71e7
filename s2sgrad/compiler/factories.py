"""Calls of functions that make functions, written out where they stand.

``g = make(w)`` becomes ``w_1 = w``, the body of ``make``, and ``g = f`` of the function that it defines. What that
takes from around it is then in the function that calls ``make``, under names of its own. ``functools.partial(f, w)`` is
the lambda that it stands for.

Only calls that are made once at most: those in loops would share their names. There ``functools.partial`` is a lambda
with defaults.

What ``np.vectorize`` and ``operator.itemgetter`` and its kin make, where it is not called at once, is a lambda, too.
"""
from __future__ import annotations

import copy
import functools
import operator
import types
from collections.abc import Callable, Collection
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.again import GIVEN
from s2sgrad.compiler.cells import with_cells
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.held_outside import held
from s2sgrad.compiler.locate import Located, locate
from s2sgrad.compiler.made_functions import called, in_place_of
from s2sgrad.compiler.nodes import (
    attribute,
    constant,
    handed_on,
    is_starred,
    name,
    open_parameters,
    subscript,
    tuple_of,
)
from s2sgrad.compiler.scopes import COMPREHENSIONS, FUNCTIONS, bound_names, free_names, yields
from s2sgrad.compiler.trees import to_gast
from s2sgrad.containers import in_library
from s2sgrad.entries import defaults_of
from s2sgrad.errors import SourceError
from s2sgrad.rules.abstract import MISSING

TURNS = (gast.For, gast.While, *COMPREHENSIONS)
UNFIT = (gast.Global, gast.Nonlocal, gast.NamedExpr, gast.Try, gast.With, gast.Match, gast.Import, gast.ImportFrom)
PLAIN = (type(None), bool, int, float, str)
READERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)
"""What makes functions of one argument of which they read something."""


class Factories:
    """The calls of such functions in the body of one function."""

    def __init__(self, function: types.FunctionType, local: set[str], fresh: Callable[[str], str]):
        self.function = function
        self.local = local
        self.fresh = fresh
        self.found = False
        """Whether there are such calls."""
        self.body: list = []
        self.parameters: Collection[str] = ()
        self.makers: list[tuple[gast.AST, Any]] = []
        """The functions whose text was written out, each with the expression that means it."""

    def named(self, body: list, calls: list, parameters: Collection[str]) -> bool:
        """Give each call that stands inside an expression a name, with a walrus; whether there is any. ``calls``: all
        those in the body, of a function with these parameters."""
        self.body, self.parameters = body, parameters
        self.found = any(self.calls_maker(node, found) or self.calls_plain_maker(node, found)
                         for node, found in ((node, self.held(node.func)) for node in calls))
        if not self.found:
            return False
        work = _Named(self)
        for index, statement in enumerate(body):
            body[index] = work.visit(statement)
        return work.found

    def is_call(self, node: Any) -> bool:
        return isinstance(node, gast.Call) and self.calls_maker(node, self.held(node.func))

    def calls_maker(self, node: gast.Call, found: Any) -> bool:
        """The same of a call, where it is known what it calls."""
        return self.is_maker(found, node) or found is functools.partial and self.is_partial(node)

    def is_plain_maker(self, node: gast.Call) -> bool:
        """Whether what a call makes is a lambda that does the same, whenever it is evaluated."""
        return self.calls_plain_maker(node, self.held(node.func))

    def calls_plain_maker(self, node: gast.Call, found: Any) -> bool:
        """The same where it is known what that calls."""
        if any(found is reader for reader in READERS):
            given = [*node.args, *(item.value for item in node.keywords)]
            return bool(node.args) and all(isinstance(item, gast.Constant) for item in given) and (
                found is operator.itemgetter or isinstance(node.args[0].value, str))
        return found is np.vectorize and len(node.args) == 1 and self.is_settled(node.args[0]) and all(
            item.arg == "otypes" for item in node.keywords)

    def is_settled(self, node: Any) -> bool:
        """Whether an expression means the same function whenever it is evaluated."""
        if isinstance(node, gast.Lambda):
            return not node.args.defaults and not any(node.args.kw_defaults)
        return self.held(node) is not MISSING or isinstance(node, gast.Name) and self.is_bound_once(node.id)

    def is_bound_once(self, label: str) -> bool:
        bound = [part for statement in self.body for part in gast.walk(statement) if label in (
            getattr(part, "name", None), getattr(part, "asname", None)) or isinstance(part, gast.Name)
            and part.id == label and not isinstance(part.ctx, gast.Load)]
        in_turns = any(part is bound[0] for statement in self.body for loop in gast.walk(statement)
                       if isinstance(loop, TURNS) for part in gast.walk(loop)) if bound else False
        return len(bound) + (label in self.parameters) == 1 and not in_turns

    def as_plain_lambda(self, node: gast.Call) -> gast.Lambda:
        """``operator.itemgetter(1)`` as ``lambda item: item[1]``, ``np.vectorize(f)`` as ``lambda *args, **kwargs:
        np.vectorize(f)(*args, **kwargs)``."""
        found = self.held(node.func)
        if found is np.vectorize:
            spec = open_parameters(self.fresh("args"), self.fresh("kwargs"))
            return in_place_of(found, gast.Lambda(spec, handed_on(node, [], [], spec)), node)
        label = self.fresh("item")
        if found is operator.methodcaller:
            method = attribute(name(label), node.args[0].value)
            read: list = [gast.Call(method, node.args[1:], node.keywords)]
        elif found is operator.attrgetter:
            read = [attribute(name(label), *item.value.split(".")) for item in node.args]
        else:
            read = [subscript(name(label), item) for item in node.args]
        result = read[0] if len(read) == 1 else tuple_of(read)
        return in_place_of(found, gast.Lambda(parameter(label), result), node)

    def is_partial(self, node: gast.Call) -> bool:
        """Whether what a call of ``functools.partial`` is given can be written out here."""
        return bool(node.args) and not isinstance(node.args[0], gast.Starred)

    def held(self, node: gast.AST) -> Any:
        root: Any = node
        while isinstance(root, gast.Attribute):
            root = root.value
        return held(node, self.function) if isinstance(root, gast.Name) and root.id not in self.local else MISSING

    def is_maker(self, maker: Any, node: gast.Call) -> bool:
        """Whether what a call calls is a function of the user's that makes a function and can be written out here: in a
        generated text, which may read what the function made holds by its name, those calls are left that were."""
        if not isinstance(maker, types.FunctionType) or maker.__globals__ is not self.function.__globals__ \
                or maker.__closure__ or maker is self.function or in_library(maker.__module__) or is_starred(node) \
                or hasattr(self.function, GIVEN):
            return False
        tree = text_of(maker, maker.__code__)
        if tree is None or not all(isinstance(item, PLAIN) for item in defaults_of(maker)) \
                or not self.local.isdisjoint(free_names(tree)):
            return False
        try:
            Definition(maker).fitting(node.args, {item.arg: item.value for item in node.keywords})
        except TypeError:
            return False
        return True

    def written_out(self, node: gast.Call, target: str) -> tuple[Located | None, list]:
        """The statements that stand for ``target = node``, and where they are written."""
        goal = gast.copy_location(gast.Name(target, gast.Store(), None, None), node)
        maker = self.held(node.func)
        if maker is functools.partial:
            before, made = self.as_lambda(node)
            return None, [*before, gast.copy_location(gast.Assign([goal], made, None), node)]
        self.makers.append((node.func, maker))
        tree = copy.deepcopy(text_of(maker, maker.__code__))
        assert tree is not None
        definition, given = Definition(maker).fitting(node.args, {item.arg: item.value for item in node.keywords})
        labels = [item.id for item in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)]
        bound = dict.fromkeys([*labels, *(label for statement in tree.body for label in bound_names(statement))])
        meaning = {label: self.fresh(label) for label in bound}
        before = []
        for label, part, default in zip(labels, given, definition.defaults()):
            own = gast.copy_location(gast.Name(meaning[label], gast.Store(), None, None), node)
            value = part if part is not None else gast.copy_location(constant(default), node)
            before.append(gast.copy_location(gast.Assign([own], value, None), node))
        work = _Renamed(meaning)
        *body, last = [work.visit(statement) for statement in tree.body]
        return located(maker), [*before, *body, gast.copy_location(gast.Assign([goal], last.value, None), last)]

    def as_lambda(self, node: gast.Call) -> tuple[list, gast.Lambda]:
        """``functools.partial(f, a, b=c)`` as ``lambda *args, **kwargs: f(a_1, *args, b=c_1, **kwargs)``."""
        before: list = []

        def settled(part: Any) -> gast.AST:
            if isinstance(part, (gast.Constant, gast.Lambda)) or part is node.args[0] \
                    and self.held(part) is not MISSING:
                return part
            own = self.fresh(part.id if isinstance(part, gast.Name) else "given")
            target = gast.copy_location(gast.Name(own, gast.Store(), None, None), part)
            before.append(gast.copy_location(gast.Assign([target], part, None), part))
            return gast.copy_location(name(own), part)

        def each_settled(part: Any) -> gast.AST:
            if isinstance(part, gast.Starred):
                return gast.Starred(settled(copied(part)), gast.Load())
            return settled(part)

        function, *args = map(each_settled, node.args)
        keywords = [gast.keyword(item.arg, settled(item.value if item.arg is not None else copied(item)))
                    for item in node.keywords]
        spec = open_parameters(self.fresh("args"), self.fresh("kwargs"))
        made = gast.Lambda(spec, handed_on(function, args, keywords, spec))
        return before, in_place_of(functools.partial, made, node)

    def with_defaults(self, node: gast.Call) -> gast.Lambda:
        """``functools.partial(f, a, b=c)`` as ``lambda *args, a_1=a, b=c, **kwargs: f(a_1, *args, b=b, **kwargs)``."""
        spec = open_parameters(self.fresh("args"), self.fresh("kwargs"))
        held: dict[str, gast.AST] = {}
        parts: list = []
        for item in node.args:
            if item is node.args[0] and self.held(item) is not MISSING:
                parts.append(item)
                continue
            own = self.fresh(item.id if isinstance(item, gast.Name) else "given")
            starred = isinstance(item, gast.Starred)
            held[own] = copied(item) if starred else item
            parts.append(gast.Starred(name(own), gast.Load()) if starred else name(own))
        keywords = []
        for item in node.keywords:
            label = item.arg if item.arg is not None else self.fresh("given")
            held[label] = item.value if item.arg is not None else copied(item)
            keywords.append(gast.keyword(item.arg, name(label)))
        spec.kwonlyargs = [gast.Name(label, gast.Param(), None, None) for label in held]
        spec.kw_defaults = list(held.values())
        further = open_parameters(spec.vararg.id, spec.kwarg.id)
        made = gast.Lambda(spec, handed_on(parts[0], parts[1:], keywords, further))  # type: ignore[arg-type]
        return in_place_of(functools.partial, made, node)


def copied(part: Any) -> gast.AST:
    """What ``*args`` and ``**options`` in a call hand on: who changes these later changes nothing there."""
    if isinstance(part, gast.Starred):
        return gast.copy_location(gast.Tuple([part], gast.Load()), part)
    return gast.copy_location(gast.Dict([None], [part.value]), part.value)


def located(maker: types.FunctionType) -> Located | None:
    try:
        return locate(maker)
    except SourceError:
        return None


def text_of(maker: types.FunctionType, code: types.CodeType) -> Any:
    """The syntax tree of a function that makes a function and does nothing that can't be written out elsewhere."""
    if not any(isinstance(item, types.CodeType) for item in code.co_consts) and "partial" not in code.co_names:
        return None  # most make none
    return _text_of(maker, code)


@functools.lru_cache(maxsize=256)
def _text_of(maker: types.FunctionType, code: types.CodeType) -> Any:
    found = located(maker)
    if found is None or not hasattr(found.node, "name"):
        return None
    tree = with_cells(to_gast(found.node))
    spec = tree.args
    inner = {statement.name: statement for statement in tree.body if isinstance(statement, gast.FunctionDef)}
    for statement in inner.values():
        plain = [item for item in statement.decorator_list if not (
            isinstance(item, gast.Call) and held(item.func, maker) is functools.wraps)]
        called(statement, statement.name if plain == statement.decorator_list else None)
        statement.decorator_list = plain
    last = tree.body[-1]
    value = last.value if isinstance(last, gast.Return) else None
    made = isinstance(value, gast.Lambda) or isinstance(value, gast.Name) and value.id in inner or isinstance(
        value, gast.Call) and held(value.func, maker) is functools.partial
    if not made or not isinstance(tree, gast.FunctionDef) or tree.decorator_list or spec.vararg or spec.kwarg \
            or yields(tree) or any(isinstance(part, UNFIT) for part in gast.walk(tree)):
        return None
    if any(isinstance(part, gast.Return) for statement in tree.body[:-1] if not isinstance(statement, FUNCTIONS)
            for part in gast.walk(statement)):
        return None
    return tree


class _Repeated(gast.NodeTransformer):
    """Turns calls of ``functools.partial`` that may be made several times, and plain makers, into lambdas."""

    def __init__(self, factories: Factories):
        self.factories = factories

    def skip(self, node: gast.AST) -> gast.AST:
        return node

    visit_FunctionDef = visit_Lambda = skip

    def visit_keyword(self, node: gast.keyword) -> gast.AST:
        """What is asked for keys is not differentiated."""
        return node if node.arg == "key" else self.generic_visit(node)

    def visit_Call(self, node: gast.Call) -> gast.AST:
        """What is called at once stays as it is."""
        called_at_once = isinstance(node.func, gast.Call) and self.factories.is_plain_maker(node.func)
        if self.factories.is_plain_maker(node):
            return self.factories.as_plain_lambda(node)
        if called_at_once:
            node.args, node.keywords = [*map(self.visit, node.args)], [*map(self.visit, node.keywords)]
            return node
        return self.of_other(node)

    def of_other(self, node: gast.Call) -> gast.AST:
        node = self.generic_visit(node)
        if self.factories.held(node.func) is functools.partial and self.factories.is_partial(node):
            return self.factories.with_defaults(node)
        return node


class _Named(_Repeated):
    """Puts walruses around calls that are made once at most."""

    def __init__(self, factories: Factories):
        super().__init__(factories)
        self.repeated = _Repeated(factories)
        self.found = False

    def of_repeated(self, node: gast.AST) -> gast.AST:
        return self.repeated.visit(node)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_While = of_repeated

    def visit_For(self, node: gast.For) -> gast.AST:
        node.iter = self.visit(node.iter)
        node.body, node.orelse = ([self.repeated.visit(part) for part in block] for block in (node.body, node.orelse))
        return node

    def visit_IfExp(self, node: gast.IfExp) -> gast.AST:
        """Of two functions that are written out none is the other."""
        if self.factories.is_call(node.body) and self.factories.is_call(node.orelse):
            node.test = self.visit(node.test)
            return node
        return self.generic_visit(node)

    def visit_Assign(self, node: gast.Assign) -> gast.AST:
        if len(node.targets) == 1 and isinstance(node.targets[0], gast.Name) and self.factories.is_call(node.value):
            node.value = self.generic_visit(node.value)
            self.found = True
            return node
        return self.generic_visit(node)

    def of_other(self, node: gast.Call) -> gast.AST:
        if not self.factories.is_call(node):
            return self.generic_visit(node)
        self.found = True
        target = gast.Name(self.factories.fresh("made"), gast.Store(), None, None)
        return gast.copy_location(gast.NamedExpr(gast.copy_location(target, node), self.generic_visit(node)), node)


def parameter(label: str) -> gast.arguments:
    return gast.arguments([gast.Name(label, gast.Param(), None, None)], [], None, [], [], None, [])


def renamed(node: gast.AST, meaning: dict[str, str]) -> gast.AST:
    """An expression, or a statement, with other names in it."""
    return _Renamed(meaning).visit(node)


class _Renamed(gast.NodeTransformer):
    """Other names for those that a function binds, in the functions inside it too where they take them from it."""

    def __init__(self, meaning: dict[str, str]):
        self.meaning = meaning

    def visit_Name(self, node: gast.Name) -> gast.AST:
        node.id = self.meaning.get(node.id, node.id)
        return node

    def visit_FunctionDef(self, node: Any) -> gast.AST:
        node.name = self.meaning.get(node.name, node.name)
        return self.function(node)

    def function(self, node: Any) -> gast.AST:
        node.args.defaults = [self.visit(item) for item in node.args.defaults]
        node.args.kw_defaults = [None if item is None else self.visit(item) for item in node.args.kw_defaults]
        inside = _Renamed({label: new for label, new in self.meaning.items() if label in free_names(node)})
        body = node.body if isinstance(node.body, list) else [node.body]
        parts = [inside.visit(part) for part in body]
        node.body = parts if isinstance(node.body, list) else parts[0]
        return node

    visit_Lambda = function
