"""Names that stand for one of several functions, as the number of the one that they stand for.

``f = np.tanh if steep else lambda v: v * c`` becomes ``f = 0 if steep else 1``, with a name for the lambda before it,
and ``f(x)`` becomes ``np.tanh(x) if f == 0 else f_1(x)``: each function is called by its own name then. Where such a
name is an argument, a lambda stands there that makes the choice. ``f = functions[k]; f(x)`` becomes
``f = k; functions[f](x)``.

This is done before a function is parsed, where it is refused otherwise, and only for names that are bound by plain
assignments and definitions, and read in calls, tests and arguments alone: of these it is exact.
"""
from __future__ import annotations

import copy
import types
from dataclasses import dataclass
from typing import Any

import gast

from s2sgrad.compiler.held_outside import held
from s2sgrad.compiler.made_functions import called
from s2sgrad.compiler.nodes import Names, constant, handed_on, located_at, name, names_in, open_parameters, subscript
from s2sgrad.compiler.scopes import FUNCTIONS, bound_names, late_defaults, nodes_of, parameters
from s2sgrad.rules.abstract import MISSING

LOOPS = (gast.For, gast.While)
USING = (gast.Call, gast.List, gast.Tuple)
"""What a name of a function stands in where it is called or handed on."""
LEAVING = (gast.Return, gast.Raise, gast.Continue, gast.Break)
MOST = 8
"""So many functions a name stands for at most."""


@dataclass
class Choice:
    """One of the functions that a name stands for.

    Attributes
    ----------
    callee
        The expression that means it; None of None.
    first
        The statement that defines it, where that may stand at the beginning of the function.
    here
        What only gets a name where it is chosen, as it depends on what is known there.
    """

    callee: Any
    first: Any = None
    here: Any = None

    @property
    def is_told(self) -> bool:
        """Whether it is known to be a function, or None."""
        return self.here is None


def with_choices(tree: Any, function: types.FunctionType) -> Any:
    """A function with numbers for such names; None where it has none."""
    if not isinstance(tree.body, list):
        return None
    tree = _OneByOne().visit(copy.deepcopy(tree))
    used = dict.fromkeys(part.id for node in gast.walk(tree) if isinstance(node, USING) for part in (
        [node.func, *node.args, *(item.value for item in node.keywords)] if isinstance(node, gast.Call) else node.elts)
        if isinstance(part, gast.Name))
    bound = {label for statement in tree.body for label in bound_names(statement)}
    text, found = _Text(tree), False
    for label in [label for label in used if label in bound]:
        for kind in (_Indexed, _Numbered):
            work = kind(text, label, function)
            if work.is_exact():
                text, found = _Text(work.rewritten()), True
                break
    return text.tree if found else None


class _OneByOne(gast.NodeTransformer):
    """``f = np.sin`` and ``total = 0.0`` for ``f, total = np.sin, 0.0``."""

    def visit_Assign(self, node: gast.Assign) -> Any:
        target, value = node.targets[0], node.value
        if len(node.targets) > 1 or not isinstance(target, gast.Tuple) or not isinstance(value, gast.Tuple):
            return node
        labels = {item.id for item in target.elts if isinstance(item, gast.Name)}
        if not len(labels) == len(target.elts) == len(value.elts) or not labels.isdisjoint(names_in(value)) or not all(
                isinstance(item, (gast.Constant, gast.Name, gast.Attribute, gast.Lambda)) for item in value.elts):
            return node
        return [gast.copy_location(gast.Assign([each], item, None), node)
                for each, item in zip(target.elts, value.elts)]


class _Text:
    """What there is to know of a function, whichever name is asked for."""

    def __init__(self, tree: Any):
        self.tree = tree
        self.parents = {id(child): node for node in gast.walk(tree) for child in gast.iter_child_nodes(node)}
        self.own = {id(node) for node in nodes_of(tree)}
        self.names = {part for node in gast.walk(tree) for part in (getattr(node, "id", None), getattr(
            node, "name", None)) if isinstance(part, str)}


class _Chosen(gast.NodeTransformer):
    """What there is to know of one name."""

    def __init__(self, text: _Text, label: str, function: types.FunctionType):
        self.tree, self.label, self.function = text.tree, label, function
        self.parents, self.own = text.parents, text.own
        meant = [node for statement in self.tree.body for node in self.meant(statement)]
        self.uses = [node for node in meant if isinstance(node, gast.Name) and node.id == label
                     and isinstance(node.ctx, gast.Load)]
        self.bindings = [node for node in [*meant, *parameters(self.tree.args)] if self.binds(node)]
        self.names = Names(text.names | {*function.__code__.co_varnames, *function.__code__.co_names})

    def meant(self, node: Any) -> list:
        """A node and all in it, but for functions that have a variable of this name themselves."""
        inside = [*node.args.defaults, *filter(None, node.args.kw_defaults), *getattr(node, "decorator_list", ())] \
            if self.hides(node) else gast.iter_child_nodes(node)
        return [node, *(part for child in inside for part in self.meant(child))]

    def hides(self, node: Any) -> bool:
        if not isinstance(node, FUNCTIONS):
            return False
        body = node.body if isinstance(node.body, list) else [node.body]
        bound = {*(item.id for item in parameters(node.args)), *(label for part in body for label in bound_names(part))}
        return self.label in bound and not any(isinstance(part, (gast.Nonlocal, gast.Global))
                                               and self.label in part.names for part in nodes_of(node))

    def visit(self, node: Any) -> Any:
        if not self.hides(node):
            return super().visit(node)
        node.args.defaults = list(map(self.visit, node.args.defaults))
        node.args.kw_defaults = [part and self.visit(part) for part in node.args.kw_defaults]
        return node

    def binds(self, node: Any) -> bool:
        if isinstance(node, gast.Name):
            return node.id == self.label and not isinstance(node.ctx, gast.Load)
        return self.label in (getattr(node, "name", None), getattr(node, "asname", None), getattr(node, "rest", None)
                              ) or isinstance(node, (gast.Global, gast.Nonlocal)) and self.label in node.names

    def assigned(self) -> list | None:
        """The statements that bind the name, in the order of the text; None where others bind it, too."""
        found = [self.parents[id(node)] if isinstance(node, gast.Name) else node for node in self.bindings]
        for statement, node in zip(found, self.bindings):
            plain = isinstance(statement, gast.FunctionDef) and not self.hides(statement) or isinstance(
                statement, gast.Assign) and statement.targets == [node] or isinstance(
                statement, gast.AnnAssign) and statement.value is not None and statement.target is node
            if id(node) not in self.own or not plain:
                return None
        return sorted(found, key=place)

    def around(self, node: Any) -> list:
        """The nodes around one, from inside to outside."""
        found = []
        while id(node) in self.parents:
            node = self.parents[id(node)]
            found.append(node)
        return found

    def is_called(self, node: Any) -> bool:
        parent = self.parents[id(node)]
        return isinstance(parent, gast.Call) and parent.func is node

    def may_be_handed_on(self, node: Any, statements: list) -> bool:
        """Whether a name that is an argument, or goes into a container, means the same function from there on: nothing
        binds it later."""
        parent = self.parents[id(node)]
        given = isinstance(parent, (gast.keyword, gast.Tuple, gast.List, gast.Dict)) or isinstance(
            parent, gast.Call) and node in parent.args
        return given and id(node) in self.own and all(place(statement) < place(node) and not any(isinstance(
            part, LOOPS) for part in self.around(statement)) for statement in statements)

    def called(self, args: list, keywords: list) -> Any:
        """A call of what the name stands for."""
        raise NotImplementedError

    def visit_Call(self, node: gast.Call) -> Any:
        chosen = isinstance(node.func, gast.Name) and node.func.id == self.label
        node.args = [self.visit(part) for part in node.args]
        node.keywords = [self.visit(part) for part in node.keywords]
        if not chosen:
            node.func = self.visit(node.func)
            return node
        return located_at(self.called(node.args, node.keywords), node)

    def visit_Name(self, node: gast.Name) -> Any:
        if node.id != self.label or not isinstance(node.ctx, gast.Load):
            return node
        spec = open_parameters(self.names.fresh("args"), self.names.fresh("kwargs"))
        given = handed_on(node, [], [], spec)
        return located_at(gast.Lambda(spec, self.called(given.args, given.keywords)), node)


class _Indexed(_Chosen):
    """A name for an item of one list, tuple or dict of functions, which stays as it is."""

    table: str

    def is_exact(self) -> bool:
        statements = self.assigned() or []
        values = [getattr(statement, "value", None) for statement in statements]
        tables = {value.value.id if isinstance(value, gast.Subscript) and isinstance(value.value, gast.Name)
                  and not isinstance(value.slice, gast.Slice) else "" for value in values}
        if len(tables) != 1 or not any(map(self.is_called, self.uses)):
            return False
        self.table, = tables
        named = [node for node in gast.walk(self.tree) if isinstance(node, gast.Name) and node.id == self.table]
        bound = [node for node in named if not isinstance(node.ctx, gast.Load)]
        fixed = not bound or len(bound) == 1 and id(bound[0]) in self.own and not any(
            isinstance(part, LOOPS) for part in self.around(bound[0]))
        return bool(self.table) and fixed and all(
            self.is_only_read(node) for node in named if node not in bound) and all(
            self.is_called(node) or self.may_be_handed_on(node, statements) for node in self.uses)

    def is_only_read(self, node: Any) -> bool:
        parent = self.parents[id(node)]
        if isinstance(parent, gast.Subscript):
            return parent.value is node and isinstance(parent.ctx, gast.Load)
        return isinstance(parent, gast.Call) and getattr(parent.func, "id", "") == "len"

    def called(self, args: list, keywords: list) -> Any:
        return gast.Call(subscript(name(self.table), name(self.label)), args, keywords)

    def visit_Assign(self, node: Any) -> Any:
        node.value = self.visit(node.value)
        target = node.targets[0] if isinstance(node, gast.Assign) else node.target
        if getattr(target, "id", None) == self.label:
            node.value = node.value.slice
        return node

    visit_AnnAssign = visit_Assign

    def rewritten(self) -> Any:
        self.tree.body = list(map(self.visit, self.tree.body))
        return self.tree


class _Numbered(_Chosen):
    """A name for one of several functions that the text names or defines."""

    def is_exact(self) -> bool:
        statements = self.assigned()
        if not statements:
            return False
        self.choices: list[Choice] = []
        self.numbers: dict[int, int] = {}
        for statement in statements:
            for leaf in [statement] if isinstance(statement, gast.FunctionDef) else leaves(statement.value):
                self.number(leaf)
        self.none = next((number for number, choice in enumerate(self.choices) if choice.callee is None), None)
        self.all_told = all(choice.is_told for choice in self.choices)
        functions = len(self.choices) - (self.none is not None)
        return 1 < len(self.choices) <= MOST and functions > 0 and all(
            self.is_exact_use(node, statements) for node in self.uses)

    def number(self, leaf: Any) -> None:
        """Note one of the functions."""
        known = next((number for number, choice in enumerate(self.choices) if isinstance(leaf, (
            gast.Name, gast.Attribute, gast.Constant)) and gast.dump(leaf) == gast.dump(choice.callee or constant(None))
            and choice.first is choice.here is None), None)
        if known is None:
            known = len(self.choices)
            self.choices.append(self.choice(leaf))
        self.numbers[id(leaf)] = known

    def choice(self, leaf: Any) -> Choice:
        if isinstance(leaf, gast.Constant) and leaf.value is None:
            return Choice(None)
        if isinstance(leaf, (gast.Name, gast.Attribute)) and (self.is_outside(leaf) or self.is_defined(leaf)):
            return Choice(leaf)
        label = self.names.fresh(self.label)
        if not isinstance(leaf, FUNCTIONS):
            return Choice(name(label), here=gast.Assign([stored(label)], leaf, None))
        made: Any = gast.Assign([stored(label)], leaf, None)
        if isinstance(leaf, gast.FunctionDef):
            made = copy.copy(leaf)
            made.name = label
            called(made, leaf.name)
        if late_defaults(leaf.args) or getattr(leaf, "decorator_list", None):
            return Choice(name(label), here=made)
        return Choice(name(label), first=made)

    def is_outside(self, node: Any) -> bool:
        """Whether an expression means a function from outside."""
        within = {part.id for part in gast.walk(self.tree) if isinstance(part, gast.Name)
                  and not isinstance(part.ctx, gast.Load)} | {item.id for item in parameters(self.tree.args)}
        code = self.function.__code__
        found = MISSING if names_in(node)[0] in within.union(code.co_varnames, code.co_cellvars) else held(
            node, self.function)
        return found is not MISSING and callable(found)

    def is_defined(self, node: Any) -> bool:
        """Whether an expression is the name of a function that the text defines once, in any case."""
        label = getattr(node, "id", None)
        bound = [part for part in gast.walk(self.tree) if isinstance(part, gast.Name) and part.id == label
                 and not isinstance(part.ctx, gast.Load) or isinstance(part, (gast.Global, gast.Nonlocal))
                 and label in part.names or label in (getattr(part, "name", None), getattr(part, "asname", None))]
        if len(bound) != 1:
            return False
        made = self.parents[id(bound[0])] if isinstance(bound[0], gast.Name) else bound[0]
        is_function = isinstance(made, gast.FunctionDef) and not made.decorator_list or isinstance(
            made, gast.Assign) and made.targets == bound and isinstance(made.value, gast.Lambda)
        return is_function and made in self.tree.body

    # ---- what it is read for

    def is_exact_use(self, node: Any, statements: list) -> bool:
        parent = self.parents[id(node)]
        if self.is_called(node):
            return self.none is None or self.is_guarded(node, statements)
        if self.none is not None and (self.is_test(node) or is_compared(parent, node)):
            return self.all_told
        return self.none is None and self.all_told and self.may_be_handed_on(node, statements)

    def is_test(self, node: Any) -> bool:
        """Whether only the truth of an expression counts."""
        parent = self.parents[id(node)]
        if isinstance(parent, gast.BoolOp):
            return self.is_test(parent)
        return isinstance(parent, (gast.If, gast.IfExp, gast.While)) and node is parent.test \
            or isinstance(parent, gast.UnaryOp) and isinstance(parent.op, gast.Not)

    def is_guarded(self, node: Any, statements: list) -> bool:
        """Whether control only comes to a call where a test has told that the name is not None."""
        inside = node
        for parent in self.around(node):
            if isinstance(parent, FUNCTIONS) and parent is not self.tree:
                return False
            if isinstance(parent, (gast.If, gast.IfExp)) and inside is not parent.test:
                then = inside in parent.body if isinstance(parent, gast.If) else inside is parent.body
                if self.tells(parent.test, then):
                    return not any(parent in self.around(statement) for statement in statements)
            if any(isinstance(before, gast.If) and self.tells(before.test, False)
                   and isinstance(before.body[-1], LEAVING) and all(
                       place(statement) < place(before) for statement in statements)
                   for before in before_it(inside, parent)):
                return True
            if isinstance(parent, gast.BoolOp) and isinstance(parent.op, gast.And) and any(
                    self.tells(part, True) for part in parent.values[:parent.values.index(inside)]):
                return True
            inside = parent
        return False

    def tells(self, test: Any, truth: bool) -> bool:
        """Whether a test that is true (false) says that the name is not None."""
        if isinstance(test, gast.BoolOp):
            return isinstance(test.op, gast.And) is truth and any(self.tells(part, truth) for part in test.values)
        if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
            return self.tells(test.operand, not truth)
        if is_compared(test, getattr(test, "left", None)):
            return test.left.id == self.label and isinstance(test.ops[0], gast.IsNot) is truth
        return truth and isinstance(test, gast.Name) and test.id == self.label

    # ---- what it becomes

    def called(self, args: list, keywords: list) -> Any:
        numbered = [(number, choice) for number, choice in enumerate(self.choices) if choice.callee is not None]
        made: Any = None
        for number, choice in reversed(numbered):
            one = gast.Call(copy.deepcopy(choice.callee), copy.deepcopy(args), copy.deepcopy(keywords))
            made = one if made is None else gast.IfExp(self.is_number(number), one, made)
        return made

    def is_number(self, number: int | None, operator: Any = gast.Eq) -> gast.Compare:
        return gast.Compare(name(self.label), [operator()], [constant(number)])

    def visit_Compare(self, node: gast.Compare) -> Any:
        if is_compared(node, node.left) and node.left.id == self.label:  # type: ignore[attr-defined]
            operator = gast.Eq if isinstance(node.ops[0], gast.Is) else gast.NotEq
            return located_at(self.is_number(self.none, operator), node)
        return self.generic_visit(node)

    def visit_Name(self, node: gast.Name) -> Any:
        if node.id == self.label and isinstance(node.ctx, gast.Load) and self.is_test(node):
            return located_at(self.is_number(self.none, gast.NotEq), node)
        return super().visit_Name(node)

    def visit_Assign(self, node: Any) -> Any:
        target = node.targets[0] if isinstance(node, gast.Assign) else node.target
        if getattr(target, "id", None) != self.label:
            return self.generic_visit(node)
        return self.chosen(node.value, node)

    visit_AnnAssign = visit_Assign

    def visit_FunctionDef(self, node: gast.FunctionDef) -> Any:
        return self.chosen(node, node) if node.name == self.label else self.generic_visit(node)

    def chosen(self, value: Any, statement: Any) -> list:
        """The statements that set the number in the place of one that binds the name."""
        if isinstance(value, gast.IfExp):
            arms = [self.chosen(part, statement) for part in (value.body, value.orelse)]
            test = self.visit(value.test)
            if all(len(arm) == 1 and isinstance(arm[0], gast.Assign) for arm in arms):
                return [located_at(gast.Assign([stored(self.label)], gast.IfExp(test, *(
                    arm[0].value for arm in arms)), None), statement)]
            return [located_at(gast.If(test, *arms), statement)]
        number = self.numbers[id(value)]
        here = self.choices[number].here
        made = gast.Assign([stored(self.label)], constant(number), None)
        before = [] if here is None else [self.generic_visit(here)]
        return [located_at(part, statement) for part in (*before, made)]

    def rewritten(self) -> Any:
        body = [part for statement in self.tree.body for part in listed(self.visit(statement))]
        first = [located_at(self.generic_visit(choice.first), statement_of(choice.first)) for choice in self.choices
                 if choice.first is not None]
        self.tree.body = [*first, *body]
        return self.tree


def leaves(value: Any) -> list:
    """What an expression chooses from."""
    return [*leaves(value.body), *leaves(value.orelse)] if isinstance(value, gast.IfExp) else [value]


def is_compared(node: Any, left: Any) -> bool:
    """Whether this is ``f is None`` or ``f is not None``, of a name."""
    return isinstance(node, gast.Compare) and node.left is left and isinstance(left, gast.Name) and len(
        node.ops) == 1 and isinstance(node.ops[0], (gast.Is, gast.IsNot)) and isinstance(
            node.comparators[0], gast.Constant) and node.comparators[0].value is None


def before_it(inside: Any, parent: Any) -> list:
    """The statements before one in the block that it stands in."""
    block = next((part for part in (getattr(parent, "body", None), getattr(parent, "orelse", None))
                  if isinstance(part, list) and inside in part), [])
    return block[:block.index(inside)] if block else []


def stored(label: str) -> gast.Name:
    return gast.Name(label, gast.Store(), None, None)


def statement_of(made: Any) -> Any:
    """What has the place in the source of a definition."""
    return made if isinstance(made, gast.FunctionDef) else made.value


def listed(found: Any) -> list:
    return found if isinstance(found, list) else [found]


def place(node: Any) -> tuple[int, int]:
    return node.lineno, node.col_offset
