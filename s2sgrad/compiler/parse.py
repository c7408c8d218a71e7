"""Syntax tree -> Program: made plainer, its names noted, its statements parsed as ``parsing_statements.py`` says."""
from __future__ import annotations

import ast
import copy
import types
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.again import GRADIENT
from s2sgrad.compiler.bound_twice import without_names_bound_twice
from s2sgrad.compiler.cells import with_cells
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.derived import ours
from s2sgrad.compiler.entered import with_names_of_their_own
from s2sgrad.compiler.factories import Factories
from s2sgrad.compiler.generators import collected
from s2sgrad.compiler.handed_out import hands_out, yielding
from s2sgrad.compiler.heaps import calls_of_heapq
from s2sgrad.compiler.held_outside import held
from s2sgrad.compiler.imports import knowing_imports
from s2sgrad.compiler.iterators import with_places
from s2sgrad.compiler.locate import Located
from s2sgrad.compiler.nodes import call, holder, located_at, name, walk
from s2sgrad.compiler.outputs import writes_out
from s2sgrad.compiler.parsing import REFUSED_EXPRESSIONS, REFUSED_STATEMENTS
from s2sgrad.compiler.parsing_statements import Statements, bound_by
from s2sgrad.compiler.program import Assign, Leave, Program, always_leaves, assigned_names
from s2sgrad.compiler.several_functions import with_choices
from s2sgrad.compiler.shadows import without_shadows
from s2sgrad.compiler.stand_ins import with_stand_ins
from s2sgrad.compiler.strict_zip import with_lengths_checked
from s2sgrad.compiler.surgery import opened_by
from s2sgrad.compiler.trees import to_gast
from s2sgrad.compiler.variadic import without_stars
from s2sgrad.compiler.walrus import popped
from s2sgrad.containers import instance


def parse(located: Located, definition: Definition) -> Program:
    """The Program of a function or lambda as a call sees it. Raises UnsupportedError at the first statement outside
    the language."""
    if definition.syntax is None:
        tree = to_gast(located.node)
        if definition.outer is not None and not hasattr(definition.function, GRADIENT):  # that hands them on
            from s2sgrad.compiler.outer_variables import with_outer_variables  # which most programs never need

            tree = with_outer_variables(tree, definition.function, definition.outer)
        tree = without_names_bound_twice(with_lengths_checked(tree, definition.function))
        tree = with_names_of_their_own(tree, definition.function)
    else:
        tree = copy.deepcopy(definition.syntax)
        tree.args.defaults, tree.args.kw_defaults = [], [None] * len(tree.args.kwonlyargs)
        located = replace(located, name=f"{located.name}.{getattr(tree, 'name', '<lambda>')}")
    tree = without_stars(tree, definition.extra, definition.keys)
    if definition.syntax is not None or definition.outer is not None or definition.function.__code__.co_cellvars:
        # functions inside read its variables
        tree = without_shadows(with_cells(tree))
    function, imported = knowing_imports(definition.function, located.node)
    if definition.collected and hands_out(tree, function):
        tree = yielding(tree, function)
    plain, given = plainer(tree, function) if definition.plain else (None, {})
    tree = tree if plain is None else plain
    tree = collected(tree) if definition.collected else tree
    program = _Parser(located, tree, definition, given, function, imported).program()
    return program if plain is None else replace(program, stands_in=True)


def plainer(tree: Any, function: types.FunctionType) -> tuple[Any, dict[str, object]]:
    """A function with lists, dicts, counts and numbers in the place of what does the same, None where there is nothing
    like that; and the functions that it has under names of their own."""
    counted = with_places(tree, function)
    whole, given = counted or (tree, {})
    plain = with_stand_ins(whole, function)
    chosen = with_choices(whole if plain is None else plain, function)
    plain = plain if chosen is None else chosen
    return (plain, given) if plain is not None else counted or (None, {})


class _Parser(Statements):
    def program(self) -> Program:
        tree = self.tree
        if isinstance(tree, gast.AsyncFunctionDef):
            raise self.refusal(tree, *REFUSED_STATEMENTS["AsyncFunctionDef"])
        arguments = tree.args
        made = None
        if self.definition.made is not None:
            made = (arguments.posonlyargs or arguments.args).pop(0)
            self.receiver = made.id
            self.names.add(made.id)
            self.local.add(made.id)
        for label in self.definition.hidden:
            arguments.kwonlyargs.append(gast.copy_location(gast.Name(label, gast.Param(), None, None), tree))
            arguments.kw_defaults.append(None)
        parameters = [item.id for item in arguments.posonlyargs + arguments.args + arguments.kwonlyargs]
        self.receiver = self.receiver or "".join(parameters[:1])
        self.names.update(parameters)
        self.local.update(parameters)
        if made is not None:
            self.name_receiver(tree)
        inside = [node for part in (tree.body if isinstance(tree.body, list) else [tree.body])
                  for node in walk(part)]  # decorators and defaults are none of the body's business
        self.inside = inside
        of_kind: dict[type, list] = {}
        for node in inside:
            of_kind.setdefault(type(node), []).append(node)
        # what functions defined inside read and yield is met when they are called
        apart = [*of_kind.get(gast.FunctionDef, ()), *(node for node in of_kind.get(gast.With, ())
                                                       if opened_by(node, self.definition.function))]
        elsewhere = {id(part) for node in apart for part in walk(node)}
        self.note_names(of_kind)
        for kind in of_kind:
            if kind.__name__ in REFUSED_EXPRESSIONS:
                for node in of_kind[kind]:
                    if id(node) not in elsewhere:
                        raise self.refusal(node, *REFUSED_EXPRESSIONS[kind.__name__])
        calls = of_kind.get(gast.Call, [])
        for node in calls:
            if len(node.keywords) == len(node.args) == 1 and node.keywords[0].arg == "start" \
                    and held(node.func, self.knowing) is enumerate:
                node.args, node.keywords = [*node.args, node.keywords[0].value], []
            if len(node.keywords) == 1 and node.keywords[0].arg == "strict" and getattr(
                    node.keywords[0].value, "value", None) is False and held(node.func, self.knowing) is zip:
                node.keywords = []
        for node in of_kind.get(gast.Starred, ()) and of_kind.get(gast.Subscript, ()):
            if isinstance(node.slice, gast.Tuple) and any(isinstance(part, gast.Starred) for part in node.slice.elts):
                places = gast.List(node.slice.elts, gast.Load())
                node.slice = located_at(call(name(self.give("tuple", tuple)), places), node.slice)
        unknown = self.local - self.imported
        own = [node for node in calls if id(node) not in elsewhere]
        outputs = [node for node in own if writes_out(node, self.knowing, unknown)]
        self.outputs = set(map(id, outputs))
        self.takes_out = bool(outputs) or gast.NamedExpr in of_kind or any(popped(node) is not None for node in calls)
        writers = [(node.func, held(node.func, self.knowing)) for node in outputs
                   if holder(node.func) not in self.imported]
        self.outer &= self.local
        self.local -= self.outer
        self.bound = frozenset(self.outer)
        self.factories = Factories(self.definition.function, self.local, self.fresh)
        of_lambdas = {id(part) for node in of_kind.get(gast.Lambda, ()) for part in walk(node)}
        for node, alike in calls_of_heapq(own, self.knowing, unknown):
            self.outer_value(node.func)
            label = self.give(alike.__name__, alike)
            if id(node) in of_lambdas:  # which may be called as functions of their own
                label = ours(alike).id
                self.given[label] = alike
            node.func = gast.copy_location(name(label), node.func)
        if isinstance(tree, gast.Lambda):
            location = self.location(tree.body)
            whole = [tree.body]
            self.factories.named(whole, calls, parameters)
            before, value = self.taken_out(whole[0], location)
            body: tuple = (*(new for part in before for new in self.made_here(part)), *self.returned(value, location))
            label = "function"
        else:
            if made is not None and any(node.id == made.id and not isinstance(node.ctx, gast.Load)
                                        for node in of_kind.get(gast.Name, ())):
                raise self.refusal(tree, f"{tree.name} binds {made.id} anew", "give the other object another name")
            self.takes_out = self.factories.named(tree.body, calls, parameters) or self.takes_out
            body = self.block(tree.body)
            label = tree.name
            self.names.add(label)
            if made is not None:
                body, label = self.making(body, made), self.definition.made.__name__
        names = of_kind.get(gast.Name, [])
        loaded = dict.fromkeys([node.id for node in names if id(node) not in elsewhere] if elsewhere else
                               [node.id for node in names])
        bound = assigned_names(body, written=False) | set(parameters)
        free = tuple(identifier for identifier in loaded if identifier not in bound | self.outer | self.given.keys())
        return Program(label, tuple(parameters), body, self.location(tree), frozenset(self.names), free, arguments,
                       frozenset(self.outer), self.bound, self.given, self.definition.function,
                       makers=(*self.factories.makers, *writers), receiver=self.receiver)

    def note_names(self, of_kind: dict[type, list]) -> None:
        """Note the names in a body, whose nodes are given by kind: those that it binds, and those from outside."""
        names = of_kind.get(gast.Name, [])
        self.names.update([node.id for node in names])
        self.local.update([node.id for node in names if type(node.ctx) is gast.Store])
        within = class_around(self.definition.function)
        for node in of_kind.get(gast.Attribute, ()):
            if within and node.attr.startswith("__") and not node.attr.endswith("__"):
                node.attr = f"_{within}{node.attr}"  # as Python does in the body of a class
            self.names.add(node.attr)
        for kind, field in ((gast.MatchAs, "name"), (gast.MatchStar, "name"), (gast.MatchMapping, "rest")):
            bound = [getattr(node, field) for node in of_kind.get(kind, ()) if getattr(node, field) is not None]
            self.names.update(bound)
            self.local.update(bound)
        for kind in (gast.Global, gast.Nonlocal):
            for node in of_kind.get(kind, ()):
                self.outer.update(node.names)
        others = [*map(bound_by, of_kind.get(gast.alias, ())),
                  *(node.name for node in of_kind.get(gast.FunctionDef, ()))]
        self.names.update(self.outer, others)
        self.local.update(others)

    def name_receiver(self, tree: Any) -> None:
        """``super(__class__, self)`` for ``super()`` in an ``__init__``: what makes objects has no such parameter."""
        for node in walk(tree):
            if isinstance(node, gast.Call) and getattr(node.func, "id", "") == "super" and not node.args:
                node.args = [gast.copy_location(name(label), node) for label in ("__class__", self.receiver)]

    def making(self, body: tuple, made: gast.AST) -> tuple:
        """The body of an ``__init__`` with the object made before, and returned in the end."""
        kind: Any = self.definition.made
        new = call(self.give("instance", instance), name(self.give(kind.__name__, kind)))
        location = self.location(made)
        for node in walk(new):
            ast.copy_location(node, made)
        end = () if always_leaves(body) else (Leave("return", self.load(self.receiver, made), location),)
        return (Assign(self.receiver, new, location), *body, *end)


def class_around(function: Any) -> str:
    """The name of the class in whose body a function is written, as private names have it; empty outside of all."""
    outer = function.__qualname__.rpartition(".")[0].rpartition(".")[2]
    return "" if outer == "<locals>" else outer.lstrip("_")
