"""Syntax tree -> Program. The one file that knows Python's statements, and refuses those that are not supported."""
from __future__ import annotations

import ast
import contextlib
import copy
import functools
import types
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.bound_twice import without_names_bound_twice
from s2sgrad.compiler.cases import Match
from s2sgrad.compiler.cells import bound_outside, with_cells
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.factories import Factories
from s2sgrad.compiler.generators import collected
from s2sgrad.compiler.handed_out import hands_out, yielding
from s2sgrad.compiler.heaps import calls_of_heapq
from s2sgrad.compiler.held_outside import held, is_function_or_class
from s2sgrad.compiler.imports import knowing_imports
from s2sgrad.compiler.in_turn import with_exchanges
from s2sgrad.compiler.iterators import with_places
from s2sgrad.compiler.locate import Located
from s2sgrad.compiler.outputs import writes_out
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Attempt,
    Augment,
    Branch,
    Context,
    Declare,
    Define,
    Delete,
    Evaluate,
    Handler,
    Import,
    Leave,
    Loop,
    Names,
    Pattern,
    Program,
    Remove,
    Rest,
    Store,
    Verbatim,
    always_leaves,
    assigned_names,
    call,
    constant,
    holder,
    is_exchange,
    leaves,
    located_at,
    name,
    pattern_names,
    read_names,
    root_of,
    statements,
    walk,
)
from s2sgrad.compiler.records import record
from s2sgrad.compiler.remembered import remembers, with_memory
from s2sgrad.compiler.scopes import free_names, yields
from s2sgrad.compiler.shadows import without_shadows
from s2sgrad.compiler.stand_ins import with_stand_ins
from s2sgrad.compiler.strict_zip import with_lengths_checked
from s2sgrad.compiler.surgery import block_of, called_instead, opened_by
from s2sgrad.compiler.trees import to_gast
from s2sgrad.compiler.variadic import without_stars
from s2sgrad.compiler.walrus import TakenOut, bound_in, popped, pops, walruses, within
from s2sgrad.containers import in_library, instance
from s2sgrad.errors import Location, UnsupportedError


def parse(located: Located, definition: Definition) -> Program:
    """The Program of a function or lambda as a call sees it. Raises UnsupportedError at the first statement outside
    the language."""
    if definition.syntax is None:
        tree = without_names_bound_twice(with_lengths_checked(to_gast(located.node), definition.function))
    else:
        tree = copy.deepcopy(definition.syntax)
        tree.args.defaults, tree.args.kw_defaults = [], [None] * len(tree.args.kwonlyargs)
        located = replace(located, name=f"{located.name}.{getattr(tree, 'name', '<lambda>')}")
    tree = without_stars(tree, definition.extra, definition.keys)
    if definition.syntax is not None or definition.function.__code__.co_cellvars:  # functions inside read its variables
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
    """A function with lists, dicts and counts in the place of what does the same, None where there is nothing like
    that; and the functions that it has under names of their own."""
    counted = with_places(tree, function)
    whole, given = counted or (tree, {})
    plain = with_stand_ins(whole, function)
    return (plain, given) if plain is not None else counted or (None, {})


REFUSED_STATEMENTS = {
    "ClassDef": ("a class cannot be defined inside a differentiated function", "define it at module level"),
    "AsyncWith": ("async code has no derivative", "write a plain function"),
    "AsyncFor": ("async code has no derivative", "write a plain function"),
    "AsyncFunctionDef": ("async code has no derivative", "write a plain function"),
}
REFUSED_EXPRESSIONS = {
    "Yield": ("a generator has no derivative", "return the values instead"),
    "YieldFrom": ("a generator has no derivative", "return the values instead"),
    "Await": ("async code has no derivative", "write a plain function"),
}


EVALUATED_FIRST = {"Assign": "value", "AnnAssign": "value", "AugAssign": "value", "Expr": "value", "Return": "value",
                   "Raise": "exc", "If": "test", "For": "iter", "Match": "subject"}
"""The expression of a statement that Python evaluates before all else in it."""
PUTTING = {"append": 1, "insert": 2}
"""The methods that put a value into a list, with the number of their arguments."""
CHANGING = {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault",
            "popitem", "appendleft", "extendleft", "popleft", "rotate"}
TAKING = ("pop", "popleft", "popitem", "setdefault")
"""Methods that change a container and give something of it."""
BLOCKS = ("body", "orelse", "cases", "handlers", "finalbody")


class _Parser:
    def __init__(self, located: Located, tree: gast.AST, definition: Definition, given: dict[str, object],
                 knowing: types.FunctionType, imported: frozenset[str]):
        self.located = located
        self.definition = definition
        self.tree = tree
        self.names: set[str] = set()
        self.local: set[str] = set()
        self.outer: set[str] = set()
        """Names of outer variables that the function binds, or changes what they hold."""
        self.bound: frozenset[str] = frozenset()
        """The former."""
        self.given = given
        """The functions that are not the user's, by name."""
        self.knowing = knowing
        """The function, with what is imported in it among its outer variables."""
        self.imported = imported
        """The names of the latter."""
        self.takes_out = False
        """Whether there is something that has to be taken out of the expressions that it stands in."""
        self.depth = 0
        """The number of loops around a statement."""
        self.receiver = ""
        """In a method, the name of the object."""
        self.inside: list = []
        """All nodes of the body."""
        self.outputs: set[int] = set()
        """The calls that write what they give into an array."""
        self.named: list[Assign] = []
        """What must be bound before the statement at hand: what a call gives into which that writes."""

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
        for node, ours in calls_of_heapq(own, self.knowing, unknown):
            self.outer_value(node.func)
            node.func = gast.copy_location(name(self.give(ours.__name__, ours)), node.func)
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

    def making(self, body: tuple, made: gast.AST) -> tuple:
        """The body of an ``__init__`` with the object made before, and returned in the end."""
        kind: Any = self.definition.made
        new = call(self.give("instance", instance), name(self.give(kind.__name__, kind)))
        location = self.location(made)
        for node in walk(new):
            ast.copy_location(node, made)
        end = () if always_leaves(body) else (Leave("return", self.load(self.receiver, made), location),)
        return (Assign(self.receiver, new, location), *body, *end)

    def location(self, node: gast.AST) -> Location:
        return Location(self.located.filename, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset,
                        self.located.name)

    def refusal(self, node: gast.AST, reason: str, remedy: str) -> UnsupportedError:
        return UnsupportedError(reason, remedy, self.location(node))

    def block(self, nodes: list) -> tuple:
        result: list = []
        for node in with_exchanges(nodes, self.inside):
            for statement in self.statement(node):
                result.extend(self.made_here(statement))
            if isinstance(result[-1] if result else None, Leave):
                break  # what follows is never reached
        return tuple(result)

    def made_here(self, statement: Any) -> list:
        """A call of a function that makes a function, as what it does."""
        if not self.factories.found:
            return [statement]
        if isinstance(statement, Branch) and not isinstance(statement, Attempt):
            made = [{part.target for part in arm if isinstance(part, Assign) and self.factories.is_call(part.value)}
                    for arm in (statement.then, statement.orelse)]
            if not made[0].isdisjoint(made[1]):  # of two that are written out none is the other
                return [statement]
            then, orelse = (tuple(new for inner in arm for new in self.made_here(inner))
                            for arm in (statement.then, statement.orelse))
            return [replace(statement, then=then, orelse=orelse)]
        if self.depth or not isinstance(statement, Assign) or not isinstance(statement.target, str) \
                or not self.factories.is_call(statement.value):
            return [statement]
        elsewhere, body = self.factories.written_out(statement.value, statement.target)
        for part in [part for line in body for part in walk(line)]:
            self.names.update([part.id] if isinstance(part, gast.Name) else
                              [part.attr] if isinstance(part, gast.Attribute) else
                              [part.name] if isinstance(part, gast.FunctionDef) else [])
            self.local.update([part.id] if isinstance(part, gast.Name) and isinstance(part.ctx, gast.Store) else [])
        here, self.located = self.located, elsewhere or self.located
        result = self.block(body)
        self.located = here
        return list(result)

    def statement(self, node: gast.AST) -> list:
        kind = type(node).__name__
        if kind in REFUSED_STATEMENTS:
            raise self.refusal(node, *REFUSED_STATEMENTS[kind])
        method = getattr(self, f"parse_{kind}", None)
        if method is None:
            raise self.refusal(node, f"{kind} statements are not supported", "write it another way")
        location = self.location(node)
        if not self.takes_out or kind == "While":
            return self.with_named(method(node, location))
        before: list = []
        if kind in EVALUATED_FIRST and getattr(node, EVALUATED_FIRST[kind]) is not None:
            field = EVALUATED_FIRST[kind]
            value = getattr(node, field)
            if self.takes_whole(node, value):
                before, value.args = self.arguments_taken_out(value.args, location)
            elif not (isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Subscript) and (
                    pops(value) or within(value, lambda part: id(part) in self.outputs))):
                before, value = self.taken_out(value, location)
            setattr(node, field, value)
        for left in [part for field in node._fields if field not in BLOCKS for part in listed(getattr(node, field))]:
            for walrus in walruses(left):
                raise self.refusal(walrus, "a walrus is not supported in this place", "assign on a line of its own")
        if isinstance(node, gast.AugAssign) and any(
                isinstance(item, Assign) and item.target == getattr(node.target, "id", "") for item in before):
            raise self.refusal(node, "a walrus is not supported in this place", "assign on a line of its own")
        return [*before, *self.with_named(method(node, location))]

    def with_named(self, parsed: list) -> list:
        """A statement behind the names that its targets need."""
        named, self.named = self.named, []
        return [*named, *parsed]

    def takes_whole(self, node: gast.AST, value: gast.AST) -> bool:
        """Whether a statement does nothing but to take something out of a list, and to give that a name, or to write
        into an array."""
        if id(value) in self.outputs and isinstance(node, gast.Expr):
            return True
        changed = popped(value)
        return changed is not None and (isinstance(node, gast.Expr) or isinstance(node, gast.Assign) and len(
            node.targets) == 1 and isinstance(node.targets[0], gast.Name) and node.targets[0].id != changed)

    def arguments_taken_out(self, nodes: list, location: Location) -> tuple[list, list]:
        before, together = self.taken_out(gast.Tuple(nodes, gast.Load()), location)
        return before, together.elts  # type: ignore[attr-defined]

    def changed_by(self, node: gast.AST) -> tuple[str, ...]:
        """The name of what a call of a method may change."""
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr in CHANGING:
            label = holder(node.func.value)
            return (label,) if label is not None and label in self.local else ()
        return ()

    def taken_out(self, node: gast.AST, location: Location) -> tuple[list, gast.AST]:
        """The assignments of the walruses and pops in an expression, and the expression without them."""
        work = TakenOut(self.local, self.fresh, self.refusal, location, self.outputs, self.block, self.outer_value)
        for walrus in walruses(node):
            self.refuse_outer(walrus, {walrus.target.id})
        value = work.expression(node)
        return work.before, value

    def fresh(self, wanted: str) -> str:
        found = Names(self.names).fresh(wanted)
        self.names.add(found)
        return found

    def outer_value(self, node: Any) -> Any:
        """What an outer name means now; it is looked up again at each call."""
        if holder(node) in self.imported:
            return held(node, self.knowing)
        found = held(node, self.definition.function) if holder(node) not in self.local else None
        self.factories.makers.append((node, found))
        return found

    def give(self, wanted: str, function: object) -> str:
        """The name of a function that is not the user's."""
        for known, value in self.given.items():
            if value is function:
                return known
        found = self.fresh(wanted)
        self.given[found] = function
        return found

    def parse_Global(self, node: gast.AST, location: Location) -> list:
        return [Verbatim(node, location)] if self.outer.intersection(node.names) else []

    parse_Nonlocal = parse_Global

    def parse_Assign(self, node: gast.Assign, location: Location) -> list:
        if len(node.targets) == 1 and (self.is_outer(node.targets[0]) or self.is_in_outer(node.targets[0])):
            return [Verbatim(node, location)]
        if len(node.targets) == 1 and isinstance(node.targets[0], (gast.Subscript, gast.Attribute)):
            return [Store(self.element(node.targets[0]), node.value, location)]
        if len(node.targets) > 1 and is_literal(node.value) and not any(
                isinstance(target, (gast.Tuple, gast.List)) for target in node.targets):
            each = [gast.copy_location(gast.Assign([target], node.value, None), node) for target in node.targets]
            return [statement for part in each for statement in self.parse_Assign(part, location)]
        after: list = []
        targets = [self.pattern(target, after) for target in node.targets]
        if len(node.targets) == 1 and len(after) > 1 and all(isinstance(store, Store) for store in after) \
                and len(after) == len(getattr(node.targets[0], "elts", ())):
            places = tuple(store.target for store in after)
            if is_exchange(places, node.value):
                after = [replace(store, exchanged=True) for store in after]
            return [Assign(targets[0], node.value, location, self.changed_by(node.value), places), *after]
        return [*self.assignments(targets, node, location), *after]

    def assignments(self, targets: list[Pattern], node: gast.Assign, location: Location) -> list:
        if len(targets) == 1:
            return [Assign(targets[0], node.value, location, self.changed_by(node.value))]
        # a = b = value: one name takes the value, the others follow it
        bound = {found for target in targets for found in pattern_names(target)}
        if isinstance(node.value, gast.Name) and node.value.id not in bound:
            return [Assign(target, self.load(node.value.id, node.value), location) for target in targets]
        plain = next((target for target in targets if isinstance(target, str)), None)
        if plain is None or any(plain in pattern_names(target) for target in targets if target is not plain):
            plain = self.fresh("value")
            targets.append(plain)
        rest = [target for target in targets if target is not plain]
        first = Assign(plain, node.value, location)
        return [first, *(Assign(target, self.load(plain, node), location) for target in rest)]

    def parse_AnnAssign(self, node: gast.AnnAssign, location: Location) -> list:
        if node.value is None:
            return [Declare(node.target.id, node.annotation, location)] if isinstance(node.target, gast.Name) else []
        if self.is_in_outer(node.target):
            return [self.assigned_outside(node.target, node.value, location)]
        if isinstance(node.target, (gast.Subscript, gast.Attribute)):
            return [Store(self.element(node.target), node.value, location)]
        return [Assign(self.pattern(node.target), node.value, location)]

    def refuse_outer(self, node: gast.AST, bound: set[str]) -> None:
        if not self.outer.isdisjoint(bound):
            raise self.refusal(node, "an outer variable is bound here with others, or by a loop, an import or del",
                               "assign it on a line of its own")

    def is_outer(self, target: gast.AST) -> bool:
        return isinstance(target, gast.Name) and target.id in self.outer

    def is_in_outer(self, target: Any) -> bool:
        """Whether a target is an item or an attribute of what an outer variable holds, which is then no input."""
        while isinstance(target, (gast.Subscript, gast.Attribute)):
            target = target.value
            if isinstance(target, gast.Name) and target.id not in self.local:
                self.outer.update([] if is_function_or_class(target, self.definition.function) else [target.id])
                return True
        return False

    def assigned_outside(self, target: Any, value: gast.AST, location: Location) -> Verbatim:
        return Verbatim(ast.copy_location(gast.Assign([target], value, None), target), location)

    def parse_AugAssign(self, node: gast.AugAssign, location: Location) -> list:
        if self.is_outer(node.target) or self.is_in_outer(node.target):
            return [Verbatim(node, location)]
        if isinstance(node.target, (gast.Subscript, gast.Attribute)):
            return [Augment(self.element(node.target), node.op, node.value, location)]
        target = self.pattern(node.target)
        return [Augment(self.load(target, node.target), node.op, node.value, location)]

    def parse_Expr(self, node: gast.Expr, location: Location) -> list:
        if isinstance(node.value, gast.Constant):  # a docstring
            return []
        value = node.value
        if isinstance(value, gast.IfExp):
            arms = [[gast.copy_location(gast.Expr(part), part)] for part in (value.body, value.orelse)]
            return self.parse_If(gast.copy_location(gast.If(value.test, *arms), value), location)
        if self.is_record(value):
            return [Verbatim(node, location)]
        if isinstance(value, gast.Call) and isinstance(value.func, gast.Attribute):
            self.name_class(value.func.value)
        if isinstance(value, gast.Call) and isinstance(value.func, gast.Attribute) \
                and holder(value.func.value) in self.local \
                and len(value.args) == PUTTING.get(value.func.attr) and not value.keywords \
                and not any(isinstance(item, gast.Starred) for item in value.args):
            place = value.args[0] if len(value.args) > 1 else None
            return [Append(value.func.value, value.args[-1], location, place)]
        for item in value.keywords if id(value) in self.outputs else ():
            if item.arg == "where" and not isinstance(item.value, gast.Name):
                mask = self.fresh("mask")
                self.local.add(mask)
                self.named.append(Assign(mask, item.value, location))
                item.value = self.load(mask, item.value)
        return [Evaluate(value, location, self.changed_by(value))]

    def name_class(self, node: Any) -> None:
        """Give an object's class a name in what a method is called of: ``self.__class__.log``, ``type(self).log``."""
        around, part = None, node
        while isinstance(part, (gast.Attribute, gast.Subscript)) and getattr(part, "attr", "") != "__class__":
            around, part = part, part.value
        of_type = isinstance(part, gast.Call) and len(part.args) == 1 and held(
            part.func, self.definition.function) is type
        if around is not None and (of_type or isinstance(part, gast.Attribute)):
            label = self.fresh("kind")
            self.local.add(label)
            self.named.append(Assign(label, part, self.location(part)))
            around.value = self.load(label, part)

    def is_record(self, value: gast.AST) -> bool:
        """Whether an expression changes a container or an array outside, which is then no input."""
        found = record(value, self.definition.function)
        if found is None or root_of(found[0]).id in self.local:
            return False
        self.outer.add(root_of(found[0]).id)
        return True

    def returned(self, value: gast.AST | None, location: Location) -> list:
        """``return value``; of a call that changes a container outside, and gives None, that call and ``return``."""
        if isinstance(value, gast.Call) and getattr(value.func, "attr", "") not in TAKING and self.is_record(value):
            return [Verbatim(gast.copy_location(gast.Expr(value), value), location), Leave("return", None, location)]
        return [Leave("return", value, location)]

    def parse_If(self, node: gast.If, location: Location) -> list:
        head = Location(location.filename, node.lineno, node.col_offset, node.test.end_lineno,
                        node.test.end_col_offset, location.function)
        return [Branch(node.test, self.block(node.body), self.block(node.orelse), head)]

    def parse_For(self, node: gast.For, location: Location) -> list:
        head = Location(location.filename, node.lineno, node.col_offset, node.iter.end_lineno,
                        node.iter.end_col_offset, location.function)
        if not any(isinstance(part, gast.Starred) for part in walk(node.target)):
            return self.loop(self.pattern(node.target), node.iter, node, head)
        unpacked: list = []  # each turn takes apart what it gets: ``for first, *rest in rows``
        target = self.inner_pattern(node.target, unpacked)
        return self.loop(target, node.iter, node, head, tuple(unpacked))

    def parse_While(self, node: gast.While, location: Location) -> list:
        head = Location(location.filename, node.lineno, node.col_offset, node.test.end_lineno,
                        node.test.end_col_offset, location.function)
        if not bound_in(node.test, self.outputs):
            return self.loop(None, node.test, node, head)
        # a walrus is assigned, and something popped, in every turn: the test moves into the body
        together = isinstance(node.test, gast.BoolOp) and isinstance(node.test.op, gast.And)
        turn: list = []
        for part in node.test.values if together else [node.test]:
            before, test = self.taken_out(part, head)
            done = Leave("break", None, head)
            turn += [*before, Branch(gast.UnaryOp(gast.Not(), test), (done,), (), head)]
        return self.loop(None, constant(True), node, head, tuple(turn))

    def loop(self, target: Pattern | None, iterable: gast.AST, node: gast.AST, head: Location,
             before: tuple = ()) -> list:
        """A loop, and its ``else`` as what it is: statements behind the loop, skipped where it was broken off.

        ``before``: what each turn starts with.
        """
        self.depth += 1
        body = self.block(node.body)
        self.depth -= 1
        if not node.orelse:
            return [Loop(target, iterable, (*before, *body), head)]
        if "break" not in leaves(body):
            return [Loop(target, iterable, (*before, *body), head), *self.block(node.orelse)]
        flag = self.fresh(f"broken_{head.line}")
        untouched = gast.UnaryOp(gast.Not(), name(flag))
        return [Assign(flag, constant(False), head), Loop(target, iterable, (*before, *flagged(body, flag)), head),
                Branch(untouched, self.block(node.orelse), (), head)]

    def parse_Return(self, node: gast.Return, location: Location) -> list:
        if self.definition.made is not None:
            return [Leave("return", self.load(self.receiver, node), location)]
        return self.returned(node.value, location)

    def parse_Break(self, node: gast.Break, location: Location) -> list:
        return [Leave("break", None, location)]

    def parse_Continue(self, node: gast.Continue, location: Location) -> list:
        return [Leave("continue", None, location)]

    def parse_Pass(self, node: gast.Pass, location: Location) -> list:
        return []

    def parse_Assert(self, node: gast.Assert, location: Location) -> list:
        return [Verbatim(node, location)]

    def parse_Import(self, node: gast.AST, location: Location) -> list:
        self.refuse_outer(node, set(map(bound_by, node.names)))
        return [Import(node, tuple(map(bound_by, node.names)), location)]

    parse_ImportFrom = parse_Import

    def parse_FunctionDef(self, node: gast.FunctionDef, location: Location) -> list:
        if node.decorator_list:
            return self.decorated(node, location)
        elsewhere = bound_outside(node)
        for inner in gast.walk(node):
            if isinstance(inner, gast.Global) or isinstance(inner, gast.Nonlocal) and not elsewhere.isdisjoint(
                    inner.names):
                raise self.refusal(inner, "a function defined inside binds an outer variable, which is not supported",
                                   "return the value instead")
        return [Define(node, (node.name,), self.location(node))]

    def decorated(self, node: gast.FunctionDef, location: Location) -> list:
        """A decorated function as the call of its decorators that Python makes, under another name; what
        ``functools.wraps`` says about it makes no difference."""
        plain = copy.copy(node)
        plain.decorator_list = []
        wrappers = [item for item in node.decorator_list if not (isinstance(item, gast.Call) and held(
            item.func, self.knowing) is functools.wraps)]
        if not wrappers:
            return self.parse_FunctionDef(plain, location)
        remembering = self.remembering(node, wrappers)
        if remembering is not None:
            return [new for part in remembering for new in self.statement(part)]
        if node.name in free_names(node) or any(map(self.is_of_library, wrappers)):
            raise self.refusal(node, "a decorator of a function defined inside is not supported yet",
                               "define the function at module level")
        plain.name = self.fresh(node.name)
        made: gast.AST = gast.copy_location(name(plain.name), node)
        for item in reversed(wrappers):
            made = gast.copy_location(gast.Call(item, [made], []), item)
        target = gast.copy_location(gast.Name(node.name, gast.Store(), None, None), node)
        return [*self.parse_FunctionDef(plain, location),
                *self.statement(gast.copy_location(gast.Assign([target], made, None), node))]

    def remembering(self, node: gast.FunctionDef, wrappers: list) -> list | None:
        """The definitions that stand for that of a function that remembers what it gave, and of which nothing else is
        asked; None for any other."""
        asked = any(isinstance(part, gast.Attribute) and getattr(part.value, "id", "") == node.name
                    for part in self.inside)
        if asked or len(wrappers) > 1 or yields(node) or not remembers(
                wrappers[0], self.knowing, self.local - self.imported):
            return None
        return with_memory(node, self.fresh)

    def is_of_library(self, decorator: Any) -> bool:
        """Whether nobody looks into a decorator."""
        called = decorator.func if isinstance(decorator, gast.Call) else decorator
        found = held(called, self.knowing) if holder(called) not in self.local - self.imported else None
        return found is not None and in_library(getattr(found, "__module__", None))

    def parse_Raise(self, node: gast.Raise, location: Location) -> list:
        return [Leave("raise", node.exc, location, node.cause)]

    def parse_Delete(self, node: gast.Delete, location: Location) -> list:
        if len(node.targets) > 1 and not all(isinstance(target, gast.Name) for target in node.targets):
            alone = [gast.copy_location(gast.Delete([target]), node) for target in node.targets]
            return [statement for part in alone for statement in self.parse_Delete(part, location)]
        names = [target for target in node.targets if isinstance(target, gast.Name)]
        self.refuse_outer(node, {target.id for target in names})
        if len(node.targets) == 1 and self.is_in_outer(node.targets[0]):
            return [Verbatim(node, location)]
        if len(names) == len(node.targets):
            return [Remove(tuple(target.id for target in names), location)]
        if not isinstance(node.targets[0], gast.Subscript) or len(node.targets) > 1 or holder(
                node.targets[0]) not in self.local:
            raise self.refusal(node, "del of anything but names or one item is not supported yet", "build a new object")
        return [Delete(node.targets[0], location)]

    def parse_With(self, node: gast.With, location: Location) -> list:
        last = node.items[-1]
        end = last.context_expr if last.optional_vars is None else last.optional_vars
        head = Location(location.filename, node.lineno, node.col_offset, end.end_lineno, end.end_col_offset,
                        location.function)
        made_of = opened_by(node, self.definition.function)
        if made_of is not None:
            block = block_of(node, self.inside, self.local, head, self.definition.function, self.refusal)
            function = made_of(block)
            return [Assign(block.value, called_instead(self.give(function.__name__, function), block, node), head)]
        items = tuple((item.context_expr, None if item.optional_vars is None else self.pattern(item.optional_vars))
                      for item in node.items)
        body = self.block(node.body)
        if not any(isinstance(manager, gast.Call) and held(manager.func, self.knowing)
                   is contextlib.suppress for manager, _ in items):
            return [Context(items, body, head)]
        for item in reversed(items):  # each for itself, for that one becomes a try statement
            body = (Context((item,), body, head),)
        return list(body)

    def parse_Try(self, node: gast.Try, location: Location) -> list:
        head = replace(location, end_line=node.lineno, end_column=node.col_offset + len("try:"))
        body = self.block(node.body)
        if node.handlers:
            orelse: tuple = (Leave("raise", None, head),)
            for handler in reversed(node.handlers):
                orelse = (self.handler(handler, orelse),)
            body = (Attempt(constant(True), (Context((), body, head), *self.block(node.orelse)), orelse, head),)
        final = self.block(node.finalbody)
        if not final:
            return list(body)
        if leaves(final) or any(isinstance(item, Leave) and item.kind == "raise" for item in statements(final)):
            raise self.refusal(node.finalbody[0], "a finally block that control may leave is not supported",
                               "leave behind the try statement")
        last = body[-1] if body else None
        if isinstance(last, Leave) and last.kind == "return" and last.value is not None and not leaves(body[:-1]) \
                and any(isinstance(item, (Store, Append, Augment, Assign)) for item in statements(final)):
            value = self.fresh("value")  # it is evaluated before what the block changes
            self.local.add(value)
            given = Assign(value, last.value, last.location)
            return [Context((), (*body[:-1], given), head, final),
                    replace(last, value=self.load(value, last.value))]
        return [Context((), body, head, final)]

    def handler(self, node: gast.ExceptHandler, others: tuple) -> Handler:
        end = (node.lineno, node.col_offset + len("except:")) if node.type is None else (
            node.type.end_lineno, node.type.end_col_offset)
        head = replace(self.location(node), end_line=end[0], end_column=end[1])
        for walrus in walruses(node.type) if node.type is not None else ():
            raise self.refusal(walrus, "a walrus is not supported in this place", "assign on a line of its own")
        if node.name is not None:
            self.refuse_outer(node, {node.name.id})
        return Handler(constant(None) if node.type is None else node.type, self.block(node.body), others, head,
                       None if node.name is None else node.name.id)

    def parse_Match(self, node: gast.Match, location: Location) -> list:
        bound = {part.rest if isinstance(part, gast.MatchMapping) else part.name for case in node.cases
                 for part in walk(case.pattern)
                 if isinstance(part, (gast.MatchAs, gast.MatchStar, gast.MatchMapping))}
        self.refuse_outer(node.subject, bound)
        if isinstance(node.subject, gast.Name) and node.subject.id not in bound and node.subject.id in self.local:
            return Match(self, node.subject.id, self.location).branches(node.cases)
        subject = self.fresh("subject")
        head = self.location(node.subject)
        return [Assign(subject, node.subject, head), *Match(self, subject, self.location).branches(node.cases)]

    def element(self, node: Any) -> Any:
        """``name[index]``, ``name.attribute``, or an element of a view or of what is in an object, as a store's target:
        ``name[index][index]``, ``name.T[index]``, ``name.attribute[index]``."""
        if isinstance(node, gast.Attribute):
            return self.viewed(node, node)
        return ast.copy_location(gast.Subscript(self.viewed(node.value, node), node.slice, gast.Load()), node)

    def viewed(self, node: gast.AST, target: gast.AST) -> gast.AST:
        if isinstance(node, gast.Name):
            return ast.copy_location(name(node.id), node)
        if isinstance(node, gast.Subscript):
            return self.element(node)
        if isinstance(node, gast.Attribute) and node.attr != "__class__":
            return ast.copy_location(gast.Attribute(self.viewed(node.value, target), node.attr, gast.Load()), node)
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and holder(
                node.func.value) in self.local | {None}:
            return ast.copy_location(gast.Call(self.viewed(node.func, target), node.args, node.keywords), node)
        if isinstance(node, (gast.Call, gast.Attribute)):  # of a function: ``np.ravel(u)[0] = v``; a class
            label = self.fresh("view")
            self.local.add(label)
            self.named.append(Assign(label, node, self.location(node)))
            return self.load(label, node)
        raise self.refusal(target, "a write into a part of a part is not supported yet",
                           "write into an array under a name of its own, with one index: u[i, j] = ...")

    def pattern(self, node: gast.AST, after: list | None = None) -> Pattern:
        """``after`` takes what is to be done once the values are unpacked: the stores of ``u[0], y = pair``, a
        ``*rest`` inside of the pattern, and the bindings of names that stores before them read, as in
        ``u[i], i = pair``."""
        if isinstance(node, gast.Name):
            self.refuse_outer(node, {node.id})
            return self.bound_after(node.id, node, after)
        if isinstance(node, (gast.Tuple, gast.List)):
            return tuple(self.inner_pattern(item, after) for item in node.elts)
        if isinstance(node, (gast.Subscript, gast.Attribute)) and after is not None:
            variable = self.fresh("item")
            own = ast.copy_location(name(variable), node)
            after.append(self.assigned_outside(node, own, self.location(node)) if self.is_in_outer(node) else
                         Store(self.element(node), own, self.location(node)))
            return variable
        if isinstance(node, gast.Starred) and isinstance(node.value, gast.Name):
            return Rest(self.bound_after(node.value.id, node, after))
        if isinstance(node, gast.Subscript):
            raise self.refusal(node, "a loop that writes into an array's elements is not supported yet",
                               "loop over a name, and store it in the body")
        if isinstance(node, gast.Attribute):
            raise self.refusal(node, "a loop that binds an attribute is not supported yet",
                               "loop over a name, and store it in the body")
        raise self.refusal(node, "this assignment target is not supported yet", "unpack by index instead")

    def inner_pattern(self, node: gast.AST, after: list | None) -> Pattern:
        """A part of a pattern: ``first, (second, *rest) = pair`` becomes ``first, items = pair`` and
        ``second, *rest = items``."""
        starred = isinstance(node, (gast.Tuple, gast.List)) and any(
            isinstance(item, gast.Starred) for item in node.elts)
        if after is None or not starred:
            return self.pattern(node, after)
        variable = self.fresh("items")
        behind: list = []
        after.append(Assign(self.pattern(node, behind), self.load(variable, node), self.location(node)))
        after += behind
        return variable

    def bound_after(self, label: str, node: gast.AST, after: list | None) -> str:
        """What an unpacking binds for a name: another one, where what comes first reads or binds the name."""
        if not after or label not in read_names(tuple(after)) | assigned_names(tuple(after)):
            return label
        variable = self.fresh(label)
        after.append(Assign(label, self.load(variable, node), self.location(node)))
        return variable

    def load(self, target: Pattern, node: gast.AST) -> gast.Name:
        assert isinstance(target, str)
        return ast.copy_location(name(target), node)


def class_around(function: Any) -> str:
    """The name of the class in whose body a function is written, as private names have it; empty outside of all."""
    outer = function.__qualname__.rpartition(".")[0].rpartition(".")[2]
    return "" if outer == "<locals>" else outer.lstrip("_")


def is_literal(node: gast.AST) -> bool:
    return isinstance(node, gast.Constant) or isinstance(node, gast.UnaryOp) and isinstance(node.operand, gast.Constant)


def bound_by(alias: gast.alias) -> str:
    """The name that a part of an import statement binds."""
    return alias.asname or alias.name.partition(".")[0]


def listed(part: Any) -> list:
    """The expressions in a field of a statement."""
    return [item for item in (part if isinstance(part, list) else [part]) if isinstance(item, gast.AST)]


def flagged(body: tuple, flag: str) -> tuple:
    """A loop's body that raises a flag before it breaks."""
    result: list = []
    for statement in body:
        if isinstance(statement, Leave) and statement.kind == "break":
            result.append(Assign(flag, constant(True), statement.location))
        if isinstance(statement, Branch):
            statement = replace(statement, then=flagged(statement.then, flag), orelse=flagged(statement.orelse, flag))
        elif isinstance(statement, Context):
            statement = replace(statement, body=flagged(statement.body, flag))
        result.append(statement)
    return tuple(result)
