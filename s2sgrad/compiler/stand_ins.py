"""``collections.defaultdict`` as dicts, where these do the same and a function is refused otherwise, as where functions
defined inside look up what is there.

They are replaced before a function is parsed, and only where their names are used in ways of which it is known what a
dict does there: what is returned, printed or handed to a function stays what it is.
"""
from __future__ import annotations

import collections
import copy
import types
from typing import Any

import gast

from s2sgrad.compiler.held_outside import held
from s2sgrad.compiler.nodes import Names, constant, located_at, name, names_in
from s2sgrad.compiler.program import in_turn
from s2sgrad.rules.abstract import MISSING

READERS = (len, sum, min, max, list, tuple, dict, sorted, enumerate, reversed, zip, any, all, bool, set, frozenset)
"""Builtins that give the same for a dict."""
KEPT = {"get", "keys", "values", "items", "pop", "clear"}
"""What a dict does like one with defaults."""
FACTORIES: dict[Any, Any] = {float: 0.0, int: 0, str: ""}
SCOPES = (gast.FunctionDef, gast.Lambda)
PERHAPS = (gast.comprehension, gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp, gast.NamedExpr, gast.Dict)
"""Expressions whose parts may be evaluated never, several times, or in another order than they are written in."""
AT_ONCE = (gast.Assign, gast.AugAssign, gast.AnnAssign, gast.Expr, gast.Return, gast.If, gast.For)
"""Statements of which an expression is evaluated once, before all else."""


def with_stand_ins(tree: Any, function: types.FunctionType) -> Any:
    """A function with dicts in the place of these; None where there are none, or they are used otherwise."""
    work = _StandIns(tree, function)
    found = work.candidates()
    while True:
        plain = {label for label in found if work.is_plain(label, found)}
        if len(plain) == len(found):
            return work.rewritten(found) if found else None
        found = plain


class _StandIns:
    def __init__(self, tree: Any, function: types.FunctionType):
        self.tree = _OneByOne(function).visit(copy.deepcopy(tree))
        self.function = function
        self.parents: dict[int, Any] = {}
        self.within: dict[int, Any] = {}
        """For each node the statement that it stands in."""
        self.nested: set[int] = set()
        self.note(self.tree, None, None, False)
        self.bound = {node.id for node in gast.walk(self.tree) if isinstance(node, gast.Name)
                      and not isinstance(node.ctx, gast.Load)}
        self.makers: dict[str, gast.Call] = {}
        """By name a call that makes what it stands for."""
        arguments = self.tree.args
        self.parameters = {item.id for item in (*arguments.args, *arguments.posonlyargs, *arguments.kwonlyargs)}

    def note(self, node: Any, parent: Any, statement: Any, nested: bool) -> None:
        self.parents[id(node)] = parent
        statement = node if isinstance(node, gast.stmt) else statement
        self.within[id(node)] = statement
        nested = nested or parent is not None and isinstance(node, SCOPES)
        if nested:
            self.nested.add(id(node))
        for child in gast.iter_child_nodes(node):
            self.note(child, node, statement, nested)

    def outer(self, node: Any) -> Any:
        """What an outer name stands for."""
        return MISSING if not self.bound.isdisjoint(names_in(node)) else held(node, self.function)

    # ---- where it is exact

    def candidates(self) -> set[str]:
        """The names that are bound to new ones and to nothing else."""
        made: dict[str, list] = {}
        for node in gast.walk(self.tree):
            if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load):
                parent = self.parents[id(node)]
                plain = isinstance(parent, gast.Assign) and len(parent.targets) == 1 and id(node) not in self.nested
                if not (plain and isinstance(parent.value, gast.Name)):  # another name's: looked at later
                    made.setdefault(node.id, []).append(
                        plain and self.makes_one(parent.value) and self.default(parent.value) is not None)
        self.makers = {label: copy.deepcopy(self.makers_of(label)[0]) for label, known in made.items() if all(known)}
        return set(self.makers)

    def makes_one(self, node: Any) -> bool:
        """Whether an expression makes a defaultdict that is empty."""
        return isinstance(node, gast.Call) and self.outer(node.func) is collections.defaultdict \
            and len(node.args) == 1 and not node.keywords and not isinstance(node.args[0], gast.Starred)

    def makers_of(self, label: str) -> list[gast.Call]:
        """The calls that make what a name stands for."""
        return [node.value for node in gast.walk(self.tree) if isinstance(node, gast.Assign) and isinstance(
            node.targets[0], gast.Name) and node.targets[0].id == label and isinstance(node.value, gast.Call)]

    def handed_over(self, label: str) -> list[str]:
        """The names whose dict a name gets, too: ``p = q``."""
        return [node.value.id for node in gast.walk(self.tree) if isinstance(node, gast.Assign) and isinstance(
            node.targets[0], gast.Name) and node.targets[0].id == label and isinstance(node.value, gast.Name)]

    def plain_default(self, node: Any) -> Any:
        """What is put under a key that is asked for, as what stands in for it."""
        return gast.Dict([], []) if self.holds_defaults(node) else copy.deepcopy(self.default_at(node))

    def default(self, made: gast.Call) -> Any:
        """The expression of what a defaultdict puts under a key that is asked for."""
        factory: Any = made.args[0]
        if isinstance(factory, gast.Lambda):
            arguments = factory.args
            plain = not (arguments.args or arguments.posonlyargs or arguments.kwonlyargs or arguments.vararg
                         or arguments.kwarg)
            return factory.body if plain else None
        kind = self.outer(factory)
        if kind is list:
            return gast.List([], gast.Load())
        if kind is dict:
            return gast.Dict([], [])
        return constant(FACTORIES[kind]) if kind in (float, int, str) else None

    def is_plain(self, label: str, others: set[str]) -> bool:
        """Whether a name is used only in ways in which a dict does the same."""
        makers = {gast.dump(made) for each in (label, *self.handed_over(label)) for made in self.makers_of(each)}
        if not others.issuperset(self.handed_over(label)):
            return False
        if label in self.parameters or len(makers) != 1 or any(
                label in node.names for node in gast.walk(self.tree) if isinstance(node, (gast.Global, gast.Nonlocal))):
            return False
        return all(self.is_plain_use(node, label, others) for node in gast.walk(self.tree)
                   if isinstance(node, gast.Name) and node.id == label and isinstance(node.ctx, gast.Load))

    def is_plain_use(self, node: Any, label: str, others: set[str]) -> bool:
        parent = self.parents[id(node)]
        if id(node) in self.nested:
            return isinstance(parent, gast.Subscript) and node is parent.value and (
                self.is_looked_up(parent, label) or self.is_updated(parent))
        if isinstance(parent, gast.Attribute):
            return self.is_plain_method(parent) and (
                not self.holds_defaults(node) or self.is_only_looked_at(parent, others))
        if isinstance(parent, gast.Subscript) and node is parent.value:
            return self.is_plain_item(parent, label) and (
                self.inner_default(parent) is None or self.is_plain_use(parent, label, others))
        if isinstance(parent, gast.Call) and node is not parent.func:
            function = self.outer(parent.func)
            if function in (enumerate, zip, reversed) and not self.is_run_through(parent):
                return False
            return function is iter and self.is_first(parent) or any(function is known for known in READERS)
        if isinstance(parent, gast.Compare):
            return all(isinstance(item, (gast.In, gast.NotIn)) for item in parent.ops) and node is not parent.left
        if isinstance(parent, (gast.For, gast.comprehension)):
            return node is parent.iter
        if isinstance(parent, gast.Assign) and node is parent.value and len(parent.targets) == 1:
            return getattr(parent.targets[0], "id", "") in others
        return self.is_test(node)

    def is_first(self, node: gast.Call) -> bool:
        """Whether only the first of what an iterator gives is asked for, ``next(iter(d))``."""
        parent = self.parents[id(node)]
        return isinstance(parent, gast.Call) and node in parent.args[:1] and self.outer(parent.func) is next

    def is_run_through(self, node: gast.Call) -> bool:
        """Whether what a call gives is run through where it stands."""
        parent = self.parents[id(node)]
        if isinstance(parent, gast.Call) and node is not parent.func:
            function = self.outer(parent.func)
            return any(function is known for known in READERS) and (
                function not in (enumerate, zip, reversed) or self.is_run_through(parent))
        return isinstance(parent, (gast.For, gast.comprehension)) and node is parent.iter

    def is_test(self, node: Any) -> bool:
        """Whether only the truth of an expression counts."""
        parent = self.parents[id(node)]
        if isinstance(parent, gast.BoolOp):
            return self.is_test(parent)
        return isinstance(parent, gast.UnaryOp) and isinstance(parent.op, gast.Not) or isinstance(
            parent, (gast.If, gast.While, gast.IfExp, gast.Assert)) and node is parent.test

    def is_plain_method(self, node: gast.Attribute) -> bool:
        parent: Any = self.parents[id(node)]
        called = isinstance(parent, gast.Call) and parent.func is node and not parent.keywords
        if node.attr == "get" and not called:
            return isinstance(parent, gast.keyword)
        return called and node.attr in KEPT

    def is_plain_item(self, node: gast.Subscript, label: str) -> bool:
        """Whether an item is read or set in a way that a dict has, too."""
        statement = self.within[id(node)]
        updated = isinstance(statement, gast.AugAssign) and statement.target is node
        if isinstance(node.ctx, gast.Del) or isinstance(node.ctx, gast.Store) and not updated:
            return True
        if not updated and self.is_looked_up(node, label):
            return True
        calls = any(isinstance(part, gast.Call) and not self.is_harmless(part)
                    for part in in_turn(node_of(statement)))
        moves = any(isinstance(part, (gast.Attribute, gast.Subscript)) for part in gast.walk(node.slice))
        if not updated and (not is_simple(node.slice) or moves and calls):
            return False  # what the key is may change before the statement comes to it
        return self.is_read_first(node, statement, label)

    def is_looked_up(self, node: gast.Subscript, label: str) -> bool:
        """Whether it is the same to look under a key of a defaultdict, ``d[k] if k in d else 0.0``: nobody asks which
        keys there are, or the key is one of these."""
        if not isinstance(node.ctx, gast.Load) or not is_simple(node.slice) or self.inner_default(node) is not None:
            return False
        uses = [part for part in gast.walk(self.tree) if isinstance(part, gast.Name) and part.id == label
                and isinstance(part.ctx, gast.Load)]
        items = [self.parents[id(part)] for part in uses]
        if all(isinstance(item, gast.Subscript) and not isinstance(item.ctx, gast.Del) for item in items):
            return True
        return isinstance(node.slice, gast.Name) and self.runs_over_keys(node, node.slice.id, label)

    def is_updated(self, node: gast.Subscript) -> bool:
        """Whether this is ``d[k] += v``, of a number."""
        statement = self.within[id(node)]
        return isinstance(statement, gast.AugAssign) and statement.target is node and is_simple(node.slice) \
            and isinstance(self.default_at(node.value), gast.Constant)

    def runs_over_keys(self, node: Any, key: str, label: str) -> bool:
        """Whether a name is the variable of a comprehension around an expression that runs over a dict's keys."""
        while not isinstance(node, gast.stmt):
            for generator in getattr(node, "generators", ()):
                over = generator.iter
                whole = over.args[0] if isinstance(over, gast.Call) and len(over.args) == 1 and any(
                    self.outer(over.func) is one for one in (sorted, list, reversed)) else over
                if isinstance(generator.target, gast.Name) and generator.target.id == key:
                    return isinstance(whole, gast.Name) and whole.id == label
            node = self.parents[id(node)]
        return False

    def default_at(self, node: Any) -> Any:
        """What there is under a key that is asked for in ``node``, which is a defaultdict; None where it is none."""
        if isinstance(node, gast.Name):
            return self.default(self.makers[node.id]) if node.id in self.makers else None
        return self.default(inner) if isinstance(node, gast.Subscript) and (
            inner := self.inner_default(node)) is not None else None

    def holds_defaults(self, node: Any) -> bool:
        """Whether what is in a defaultdict are others."""
        made = self.default_at(node)
        return isinstance(made, gast.Call) and self.outer(made.func) is collections.defaultdict

    def is_only_looked_at(self, method: gast.Attribute, others: set[str]) -> bool:
        """Whether nothing is asked for under a key of the defaultdicts that a loop over another's values gives."""
        loop = self.parents[id(self.parents[id(method)])]
        if method.attr == "keys":
            return True
        if method.attr not in ("values", "items") or not isinstance(loop, (gast.For, gast.comprehension)):
            return False
        target = loop.target
        if method.attr == "items":
            target = target.elts[1] if isinstance(target, gast.Tuple) and len(target.elts) == 2 else None
        named = [node for node in gast.walk(self.tree) if isinstance(node, gast.Name) and node.id == getattr(
            target, "id", "")]
        return bool(named) and all(
            isinstance(node.ctx, gast.Store) and node is target or isinstance(node.ctx, gast.Load)
            and not isinstance(self.parents[id(node)], gast.Subscript)
            and self.is_plain_use(node, node.id, others) for node in named)

    def inner_default(self, node: gast.Subscript) -> Any:
        """The call that makes the defaultdict which an item of a defaultdict is; None where it is none."""
        return self.default_at(node.value) if self.holds_defaults(node.value) else None

    def is_harmless(self, node: gast.Call) -> bool:
        """Whether a call is one of a function that changes nothing."""
        function = self.outer(node.func)
        if any(item.arg == "out" for item in node.keywords) or function is MISSING:
            return False
        module = str(getattr(function, "__module__", "") or type(function).__module__).partition(".")[0]
        return module in ("numpy", "math") or any(function is known for known in READERS)

    def is_read_first(self, node: Any, statement: Any, label: str) -> bool:
        """Whether a key may as well be made on a line before a statement that reads what is under it."""
        part = node
        while part is not statement:
            parent = self.parents[id(part)]
            if isinstance(parent, gast.comprehension) and part is parent.iter and self.parents[id(parent)].generators[
                    0] is parent:
                part = self.parents[id(parent)]  # evaluated once, and first
                continue
            if isinstance(parent, PERHAPS) or isinstance(parent, gast.IfExp) and part is not parent.test \
                    or isinstance(parent, gast.BoolOp) and part is not parent.values[0] \
                    or isinstance(parent, gast.Compare) and part not in (parent.left, parent.comparators[0]):
                return False
            part = parent
        if not isinstance(statement, AT_ONCE):
            return False
        inside = in_order(statement)
        mentioned = [isinstance(self.parents[id(inner)], gast.Subscript) for inner in inside
                     if isinstance(inner, gast.Name) and inner.id == label and id(inner) in self.parents]
        return mentioned == sorted(mentioned, reverse=True) and not any(
            isinstance(inner, gast.NamedExpr) for inner in inside)

    # ---- the stand-ins

    def rewritten(self, labels: set[str]) -> Any:
        self.labels = labels
        if isinstance(self.tree.body, list):
            self.tree.body = self.block(self.tree.body)
        return self.tree

    def block(self, body: list) -> list:
        return [new for statement in body for new in self.statement(statement)]

    def statement(self, statement: Any) -> list:
        if isinstance(statement, SCOPES):
            statement.args = _Items(self).visit(statement.args)
            statement.decorator_list = list(map(_Items(self).visit, statement.decorator_list))
            statement.body = self.block(statement.body)
            return [statement]
        before = self.keys_made(statement)
        for field in ("body", "orelse", "finalbody"):
            if isinstance(getattr(statement, field, None), list):
                setattr(statement, field, self.block(getattr(statement, field)))
        for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            part.body = self.block(part.body)
        return [*before, *[located_at(new, statement) for new in self.replaced(statement)]]

    def keys_made(self, statement: Any) -> list:
        """``if k not in d: d[k] = 0.0`` for each read of ``d[k]`` in a statement, where ``d`` is a defaultdict; a key
        that is computed by calls has a name before."""
        made: list = []
        nodes = [node for node in in_order(statement) if isinstance(node, gast.Subscript)
                 and self.is_stand_in(node.value) and self.plain_default(node.value) is not None]
        for node in nodes:
            updated = isinstance(statement, gast.AugAssign) and statement.target is node
            if updated or isinstance(node.ctx, gast.Load) and not self.is_apart(node):
                if not is_simple(node.slice):
                    key = self.fresh("key")
                    made.append(located_at(gast.Assign([gast.Name(key, gast.Store(), None, None)], node.slice, None),
                                           statement))
                    node.slice = gast.copy_location(name(key), node.slice)
                test = gast.Compare(copy.deepcopy(node.slice), [gast.NotIn()], [copy.deepcopy(node.value)])
                target = gast.Subscript(copy.deepcopy(node.value), copy.deepcopy(node.slice), gast.Store())
                default = self.plain_default(node.value)
                made.append(located_at(gast.If(test, [gast.Assign([target], default, None)], []), statement))
        return made

    def fresh(self, wanted: str) -> str:
        """A name that the function has not."""
        taken = {getattr(part, "id", getattr(part, "name", "")) or "" for part in gast.walk(self.tree)}
        return Names(taken).fresh(wanted)

    def is_stand_in(self, node: Any) -> bool:
        """Whether this is, or is in, a defaultdict that is a dict now."""
        while isinstance(node, gast.Subscript):
            node = node.value
        return isinstance(node, gast.Name) and node.id in self.labels

    def is_apart(self, node: gast.Subscript) -> bool:
        """Whether an item is asked for where no statement can make its key before: in a comprehension, or a function
        defined inside."""
        label = node.value.id if isinstance(node.value, gast.Name) else ""
        return id(node) in self.nested or not self.is_read_first(node, self.within[id(node)], label)

    def replaced(self, statement: Any) -> list:
        """A statement without what only these classes have."""
        value = getattr(statement, "value", None)
        if isinstance(statement, gast.Assign) and isinstance(statement.targets[0], gast.Name) \
                and statement.targets[0].id in self.labels and isinstance(value, gast.Call):
            statement.value = gast.Dict([], [])
            return [statement]
        work = _Items(self)
        for field, part in gast.iter_fields(statement):
            if isinstance(part, gast.expr):
                setattr(statement, field, work.visit(part))
            elif isinstance(part, list) and part and isinstance(part[0], gast.expr):
                setattr(statement, field, [work.visit(item) for item in part])
        return [statement]


class _OneByOne(gast.NodeTransformer):
    """``d = defaultdict(float)`` for ``d: dict[str, float] = defaultdict(float)``, which nobody evaluates in functions;
    ``n = 0`` and ``d = defaultdict(int)`` for ``n, d = 0, defaultdict(int)``."""

    def __init__(self, function: types.FunctionType):
        self.function = function

    def visit_AnnAssign(self, node: gast.AnnAssign) -> gast.AST:
        if node.value is None or not isinstance(node.target, gast.Name):
            return node
        return gast.copy_location(gast.Assign([node.target], node.value, None), node)

    def visit_Assign(self, node: gast.Assign) -> Any:
        target, value = node.targets[0], node.value
        if len(node.targets) > 1 or not isinstance(target, gast.Tuple) or not isinstance(value, gast.Tuple):
            return node
        labels = [item.id for item in target.elts if isinstance(item, gast.Name)]
        if len(labels) != len(value.elts) or len(target.elts) != len(labels) or len(set(labels)) < len(labels) \
                or not set(labels).isdisjoint(names_in(value)) \
                or not all(is_simple(item) or self.makes_one(item) for item in value.elts) \
                or not any(map(self.makes_one, value.elts)):
            return node
        return [gast.copy_location(gast.Assign([name_], item, None), node)
                for name_, item in zip(target.elts, value.elts)]

    def makes_one(self, node: Any) -> bool:
        """Whether this is a call of one of these classes, and nothing else is called in it."""
        calls = [part for part in gast.walk(node) if isinstance(part, gast.Call)]
        return calls == [node] and held(node.func, self.function) is collections.defaultdict


class _Items(gast.NodeTransformer):
    """Expressions with what dicts have instead."""

    def __init__(self, work: _StandIns):
        self.work = work

    def visit_Subscript(self, node: gast.Subscript) -> gast.AST:
        looked_up = isinstance(node.ctx, gast.Load) and isinstance(node.value, gast.Name) and self.work.is_stand_in(
            node.value) and self.work.is_apart(node)
        self.generic_visit(node)
        if looked_up:
            there = gast.Compare(copy.deepcopy(node.slice), [gast.In()], [copy.deepcopy(node.value)])
            return located_at(gast.IfExp(there, node, self.work.plain_default(node.value)), node)
        return node


def node_of(statement: Any) -> Any:
    """What a statement evaluates itself: without the statements inside it."""
    return statement.test if isinstance(statement, (gast.If, gast.While)) else statement.iter if isinstance(
        statement, gast.For) else statement


def in_order(statement: Any) -> list:
    """The expressions of a statement without those of statements inside it, operands in the order of evaluation; a
    target that an operator updates comes before the value."""
    fields = ("target", "value") if isinstance(statement, gast.AugAssign) else (
        "value", "targets", "test", "iter", "exc", "msg")
    found: list = []
    for field in fields:
        part = getattr(statement, field, None)
        for root in part if isinstance(part, list) else [part]:
            if isinstance(root, gast.expr):
                found += in_turn(root)
    return found


def is_simple(node: Any) -> bool:
    """Whether an expression gives the same when it is evaluated again."""
    return not any(isinstance(part, (gast.Call, gast.NamedExpr, gast.Await, gast.Yield)) for part in gast.walk(node))
