"""Expressions with numbers for the arrays in them, as ``by_number.py`` writes them into statements."""
from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.array_flows import HAND_ON, Flows, Unfit, holds_arrays
from s2sgrad.compiler.desugar import renamed
from s2sgrad.compiler.facts import Facts, Version
from s2sgrad.compiler.nodes import Names, call, constant, located_at, name, names_in, subscript, tuple_of
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Branch,
    Loop,
    Pattern,
    Program,
    Rest,
    expressions_in,
    pattern_names,
    statements,
)
from s2sgrad.compiler.respell import changed
from s2sgrad.compiler.scopes import COMPREHENSIONS, bound_names
from s2sgrad.errors import Location
from s2sgrad.rules.abstract import Abstract, Items, Known, Numeric

TAKE = {"pop", "copy", "keys", "values", "items", "get"}
"""Methods of containers that give what these hold."""
READ = (sum, min, max)
"""Builtins that keep nothing of the containers that they get."""


class NumberedValues:
    """What stands for an expression of the statement that is looked at."""

    location: Location

    def __init__(self, program: Program, facts: Facts, found: set[Version], flows: Flows):
        self.program = program
        self.flows = flows
        self.facts = facts
        self.found = found
        self.names = Names(program.names | set(facts.given) | facts.reserved)
        self.arrays = self.names.fresh("arrays")
        self.places: dict[str, str] = {}
        """For names of arrays those of the numbers."""
        self.local: dict[str, bool] = {}
        """For the variables of the comprehensions that are looked at, whether they run over numbers."""
        self.environment: dict[str, Version] = {}
        self.before: list = []
        """What goes before the statement that is looked at."""
        self.taken_apart: set[Any] = set()
        """The statements around in whose place others were looked at."""
        self.fixed = False
        """Whether that is evaluated perhaps never, or more than once, so that nothing can go before it."""
        self.count: int | None = 0
        """How many arrays there are, where that is known."""
        self.given = dict(program.given)
        self.len = next((label for label, value in self.given.items() if value is len), "")
        if not self.len:
            captured = facts.captured.get("len")
            self.len = "len" if captured is not None and captured.value == Known(len) else self.names.fresh("len")
            if captured is None or self.len != "len":
                self.given[self.len] = len

    # ---- names

    def version(self, label: str) -> Version | None:
        version = self.environment.get(label)
        return version if version in self.found else None

    def is_numbered(self, label: str) -> bool:
        """Whether a name stands for one of the arrays, or for what holds such."""
        return self.local[label] if label in self.local else self.version(label) is not None

    def mentions(self, node: Any) -> bool:
        return any(map(self.is_numbered, names_in(node)))

    def place(self, label: str) -> str:
        if label not in self.places:
            self.places[label] = self.names.fresh(f"{label}_place")
        return self.places[label]

    def bound(self, label: str, statement: Any) -> str:
        """The name that a statement binds in the place of one."""
        version = self.facts.defined.get((statement, label))
        return self.place(label) if version in self.found and not isinstance(version.value, Items) else label

    def pattern(self, pattern: Pattern, statement: Any) -> Pattern:
        if isinstance(pattern, tuple):
            return tuple(self.pattern(part, statement) for part in pattern)
        return replace(pattern, name=self.bound(pattern.name, statement)) if isinstance(
            pattern, Rest) else self.bound(pattern, statement)

    def takes_numbers(self, pattern: Pattern, statement: Any) -> bool:
        """Whether a statement binds a name to one of the arrays, or to what holds such."""
        return any(self.facts.defined.get((statement, label)) in self.found for label in pattern_names(pattern))

    # ---- expressions

    def at(self, node: Any, place: Any) -> Any:
        return located_at(node, place) if place is not None else node

    def last(self) -> gast.AST:
        """The number of the array that has just been put there."""
        if self.count is not None:
            self.count += 1
            return constant(self.count - 1)
        return gast.BinOp(call(self.len, name(self.arrays)), gast.Sub(), constant(1))

    def array(self, number: gast.AST) -> gast.AST:
        return subscript(name(self.arrays), number)

    def known(self, node: gast.AST) -> Abstract:
        value = self.facts.values.get(id(node))
        if value is None:
            raise Unfit
        return value

    def is_part(self, node: Any) -> bool:
        """Whether an expression leads to a part of one of the containers, or takes it out."""
        if isinstance(node, gast.Name):
            return self.is_numbered(node.id)
        if isinstance(node, gast.Call):
            return isinstance(node.func, gast.Attribute) and node.func.attr in TAKE and isinstance(
                self.facts.values.get(id(node.func.value)), Items) and self.is_part(node.func.value)
        return isinstance(node, gast.Subscript) and isinstance(
            self.facts.values.get(id(node.value)), Items) and self.is_part(node.value)

    def part(self, node: Any) -> Any:
        """That expression with numbers for arrays."""
        if isinstance(node, gast.Name):
            version = self.version(node.id)
            return node if node.id in self.local or version is not None and isinstance(
                version.value, Items) else self.at(name(self.place(node.id)), node)
        if isinstance(node, gast.Call):
            others = [self.number(item) for item in node.args]
            if node.keywords:
                raise Unfit
            return gast.copy_location(gast.Call(gast.copy_location(gast.Attribute(self.part(
                node.func.value), node.func.attr, gast.Load()), node), others, []), node)
        return gast.copy_location(gast.Subscript(self.part(node.value), self.value(node.slice), node.ctx), node)

    def number(self, node: Any) -> gast.AST:
        """What stands for an expression where it is kept: a number for an array, containers of such."""
        value = self.known(node)
        if self.is_part(node):
            return self.part(node)
        if isinstance(node, gast.IfExp):
            fixed, self.fixed = self.fixed, True
            parts = [self.number(node.body), self.number(node.orelse)]
            self.fixed = fixed
            return gast.copy_location(gast.IfExp(self.value(node.test), *parts), node)
        if not holds_arrays(value):
            return self.value(node)
        if isinstance(value, Numeric):
            return self.new(node)
        if isinstance(node, (gast.List, gast.Tuple)) and not any(isinstance(part, gast.Starred) for part in node.elts):
            return gast.copy_location(type(node)([self.number(part) for part in node.elts], node.ctx), node)
        if isinstance(node, gast.Dict) and None not in node.keys:
            return gast.copy_location(gast.Dict(
                [self.value(key) for key in node.keys], [self.number(part) for part in node.values]), node)
        if isinstance(node, gast.ListComp):
            return self.comprehension(node, self.number) if self.is_kept_in(node) else self.listed(node)
        if isinstance(node, gast.BinOp):
            return gast.copy_location(gast.BinOp(self.number(node.left), node.op, self.number(node.right)), node)
        if isinstance(node, gast.Call):
            function = self.facts.values.get(id(node.func))
            if isinstance(function, Known) and any(function.value is kind for kind in (list, tuple, dict)) \
                    and len(node.args) == 1 and not node.keywords:
                if self.gives_numbers(node.args[0]):
                    return gast.copy_location(gast.Call(node.func, [self.turns(node.args[0])], []), node)
        raise Unfit

    def new(self, node: gast.AST) -> gast.AST:
        """The number of an array that has none yet."""
        made = self.value(node)
        if self.fixed:
            raise Unfit
        number = self.names.fresh("place")
        self.before += [Append(self.at(name(self.arrays), node), made, self.location),
                        Assign(number, self.at(self.last(), node), self.location)]
        return self.at(name(number), node)

    def value(self, node: Any) -> Any:
        """What stands for an expression where its value is asked for."""
        if isinstance(node, list):
            parts = [self.value(part) for part in node]
            return node if all(one is other for one, other in zip(parts, node)) else parts
        if not isinstance(node, gast.AST):
            return node
        if isinstance(node, gast.Name) and not self.is_numbered(node.id):
            return node
        if self.is_part(node):
            return self.at(self.filled(self.part(node), self.known(node)), node)
        if not self.mentions(node):
            return node
        if isinstance(node, COMPREHENSIONS):
            return self.comprehension(node, self.value)
        if isinstance(node, (gast.Lambda, gast.FunctionDef)):
            raise Unfit
        if isinstance(node, gast.Compare) and isinstance(node.ops[0], (gast.Is, gast.IsNot, gast.In, gast.NotIn)):
            if not isinstance(node.ops[0], (gast.Is, gast.IsNot)) or len(node.ops) > 1 or not isinstance(
                    node.comparators[0], gast.Constant):
                raise Unfit
            return gast.copy_location(gast.Compare(self.number(node.left), node.ops, node.comparators), node)
        if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
            return gast.copy_location(gast.UnaryOp(node.op, self.truth(node.operand)), node)
        if isinstance(node, gast.Call):
            return self.called(node)
        fixed = self.fixed
        self.fixed |= isinstance(node, (gast.BoolOp, gast.IfExp))
        parts = [self.value(getattr(node, part, None)) for part in node._fields]
        self.fixed = fixed
        return gast.copy_location(type(node)(*parts), node)

    def called(self, node: gast.Call) -> gast.AST:
        function = self.facts.values.get(id(node.func))
        known = function.value if isinstance(function, Known) else None
        if known is len and len(node.args) == 1 and self.is_part(node.args[0]) and isinstance(
                self.known(node.args[0]), Items):
            return gast.copy_location(gast.Call(node.func, [self.part(node.args[0])], []), node)
        reads = id(node) in self.facts.applied or any(known is reader for reader in READ)
        for item in (*node.args, *(part.value for part in node.keywords)):
            if not reads and self.mentions(item) and not isinstance(self.known(item), Numeric):
                raise Unfit
        whole = node.func.value if isinstance(node.func, gast.Attribute) else node
        if any(known is reader for reader in HAND_ON) or self.is_part(whole) and isinstance(self.known(whole), Items):
            raise Unfit
        arguments = [self.value(item) for item in node.args]
        keywords = [gast.copy_location(gast.keyword(part.arg, self.value(part.value)), part) for part in node.keywords]
        return gast.copy_location(gast.Call(self.value(node.func), arguments, keywords), node)

    def filled(self, part: Any, value: Abstract) -> gast.AST:
        """The arrays in the place of their numbers."""
        if not isinstance(value, Items):
            return self.array(part) if holds_arrays(value) else part
        if not holds_arrays(value):
            return part
        if value.items is None and value.kind is list:
            item = self.names.fresh("place")
            return gast.ListComp(self.filled(name(item), value.element), [gast.comprehension(
                gast.Name(item, gast.Store(), None, None), part, [], 0)])
        if value.items is None or not isinstance(part, (gast.Name, gast.Subscript)):
            raise Unfit
        parts = [self.filled(subscript(copy.deepcopy(part), constant(step)), item)
                 for step, item in zip(value.steps, value.items)]
        if value.is_dict:
            return gast.Dict([constant(step) for step in value.steps], parts)
        return tuple_of(parts) if value.kind is tuple else gast.List(parts, gast.Load())

    def truth(self, node: Any) -> Any:
        """An expression of which it is asked only whether it is true."""
        return self.part(node) if self.is_part(node) and isinstance(self.known(node), Items) else self.value(node)

    # ---- what is run through

    def turns(self, node: Any) -> Any:
        """What stands for what a loop or comprehension runs over: numbers for arrays that are in containers."""
        if self.is_part(node) and not isinstance(self.known(node), Numeric):
            return self.part(node)
        if self.hands_on(node):
            return gast.copy_location(gast.Call(node.func, list(map(self.turns, node.args)), node.keywords), node)
        return self.number(node) if self.gives_numbers(node) else self.value(node)

    def hands_on(self, node: Any) -> bool:
        function = self.facts.values.get(id(node.func)) if isinstance(node, gast.Call) else None
        return isinstance(function, Known) and any(function.value is known for known in HAND_ON)

    def gives_numbers(self, node: Any) -> bool:
        """Whether what an expression gives one by one are numbers, where it gives arrays, once it is written anew."""
        if self.is_part(node):
            return not isinstance(self.known(node), Numeric)
        if self.hands_on(node):
            return all(self.gives_numbers(item) or not holds_arrays(self.known(item)) for item in node.args)
        return isinstance(node, (gast.List, gast.Tuple, gast.ListComp)) and self.mentions(node)

    def runs_over_numbers(self, pattern: Pattern, node: Any) -> Iterator[tuple[str, bool]]:
        """The variables that run over what an expression gives, each with whether it runs over numbers."""
        function = self.facts.values.get(id(node.func)) if isinstance(node, gast.Call) else None
        known = function.value if isinstance(function, Known) else None
        if isinstance(pattern, tuple) and known in (enumerate, zip):
            inner = node.args if known is zip else [None, node.args[0]]
            if len(inner) != len(pattern):
                raise Unfit
            for part, item in zip(pattern, inner):
                yield from self.runs_over_numbers(part, item)
            return
        numbered = node is not None and self.gives_numbers(node)
        yield from dict.fromkeys(pattern_names(pattern), numbered).items()

    def comprehension(self, node: Any, item: Any) -> Any:
        """A comprehension with numbers for arrays in what it runs over; ``item``: what is done with its items."""
        outer, fixed = dict(self.local), self.fixed
        generators = []
        for number, each in enumerate(node.generators):
            self.fixed = fixed or number > 0
            iterable = self.turns(each.iter)
            self.local.update(self.runs_over_numbers(pattern_of(each.target), each.iter))
            self.fixed = True
            generators.append(gast.copy_location(gast.comprehension(
                each.target, iterable, [self.truth(test) for test in each.ifs], each.is_async), each))
        if isinstance(node, gast.DictComp):
            made: Any = gast.DictComp(self.value(node.key), item(node.value), generators)
        else:
            made = type(node)(item(node.elt), generators)
        self.local, self.fixed = outer, fixed
        return gast.copy_location(made, node)

    def is_kept(self, node: gast.AST) -> bool:
        """Whether there is no new array in what an expression gives."""
        return self.is_part(node) or not holds_arrays(self.known(node))

    def is_kept_in(self, node: gast.ListComp) -> bool:
        """Whether the items of a list are parts of the containers that it is made from."""
        outer = dict(self.local)
        for each in node.generators:
            self.local.update(self.runs_over_numbers(pattern_of(each.target), each.iter))
        kept = self.is_part(node.elt)
        self.local = outer
        return kept

    def listed(self, node: gast.ListComp) -> gast.AST:
        """A list of new arrays, or of what holds such, made one by one."""
        each, location = node.generators[0], self.location
        if self.fixed or len(node.generators) > 1:
            raise Unfit
        iterable = self.turns(each.iter)
        outer, before = dict(self.local), self.before
        self.local.update(self.runs_over_numbers(pattern_of(each.target), each.iter))
        self.count = None
        tests, self.before = [self.truth(test) for test in each.ifs], []
        item = self.number(node.elt)
        whole = self.names.fresh("items")
        body: tuple = (*self.before, Append(self.at(name(whole), node), item, location))
        self.local, self.before = outer, before
        for test in reversed(tests):
            body = (Branch(test, body, (), location),)
        meaning = {label: self.names.fresh(label) for label in bound_names(each.target)}
        body = changed(body, {id(part): name(meaning[part.id]) for statement in statements(body)
                              for expression in expressions_in(statement) for part in gast.walk(expression)
                              if isinstance(part, gast.Name) and part.id in meaning})
        self.before += [Assign(whole, self.at(gast.List([], gast.Load()), node), location),
                        Loop(renamed(pattern_of(each.target), meaning), iterable, body, location)]
        return self.at(name(whole), node)


def pattern_of(node: Any) -> Pattern:
    """A comprehension's target as that of a loop."""
    if isinstance(node, gast.Name):
        return node.id
    if isinstance(node, (gast.Tuple, gast.List)):
        return tuple(map(pattern_of, node.elts))
    raise Unfit
