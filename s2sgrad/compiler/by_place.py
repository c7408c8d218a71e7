"""Names for objects of one list, as numbers of their places in it.

``leader = swarm[0]`` becomes ``leader_place = 0``, ``for p in swarm`` a loop with ``p_place`` over
``range(len(swarm))``, ``min(swarm, key=cost)`` the place with the least ``cost(swarm[place])``, and what reads or
changes ``leader.x`` does so with ``swarm[leader_place].x``: which name stands for which object is then said by numbers.
That is what Python does with references, so nothing but the text changes; whether the writes may be reversed is found
out about the new text as about any other. It is tried only once a program was refused as it stands. Dicts in a list are
objects like others.
"""
from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from typing import Any

import gast

from s2sgrad.compiler.array_flows import Unfit
from s2sgrad.compiler.dotted import dotted_in, is_dotted, spelled
from s2sgrad.compiler.effects import may_write
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.nodes import Names, call, constant, located_at, name, names_in, root_of, subscript, tuple_of
from s2sgrad.compiler.numbered_values import pattern_of
from s2sgrad.compiler.object_lists import lists_of_objects, with_first_list_apart
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Augment,
    Branch,
    Delete,
    Leave,
    Loop,
    Pattern,
    Program,
    Remove,
    Rest,
    Store,
    assigned_names,
    pattern_names,
    statements,
)
from s2sgrad.compiler.respell import assigned
from s2sgrad.compiler.scopes import COMPREHENSIONS, bound_names, parameters
from s2sgrad.rules.abstract import MISSING, Items, Numeric, items_of, known_value

IN_TURN = (enumerate, zip)
"""Functions that give items of what they get, each at a place of its own in a tuple."""
COMBINED = (itertools.combinations, itertools.permutations, itertools.pairwise)
"""Functions that give tuples of items of what they get first."""
LISTED = (list, tuple, sorted, reversed)
"""Functions that give the items of what they get first, one by one."""
IDENTITY = {gast.Is: gast.Eq, gast.IsNot: gast.NotEq, gast.Eq: gast.Eq, gast.NotEq: gast.NotEq}


def by_place(program: Program, facts: Facts, labels: Iterable[str]) -> Program | None:
    """The program with places in a list for the names of its objects, some of which are ``labels``; None where that
    can't be done."""
    for home in lists_of_objects(program, facts):
        kinds = [item.kind for item in items_of(facts.values[id(home)])]  # type: ignore[arg-type]
        try:
            found = _Places(*with_first_list_apart(program, facts, home), facts, kinds)
            if not {root_of(home).id, root_of(found.home).id, *found.objects}.isdisjoint(labels):
                return found.run()
        except Unfit:
            pass
    return None


class _Places:
    """``objects``: the names that always stand for one of the list's objects, or None; ``lists``: those of other lists
    of these."""

    def __init__(self, program: Program, home: gast.AST, facts: Facts, kinds: list[type]):
        self.program = program
        self.facts = facts
        self.home = home
        self.label = spelled(home)
        self.names = Names(program.names | set(facts.given) | facts.reserved)
        self.labels: dict[str, str] = {}
        self.given = dict(program.given)
        self.builtins: dict[Any, str] = {}
        self.local: dict[str, bool] = {}
        """For the variables of the comprehensions and lambdas around, whether they stand for objects."""
        self.by_identity = all(kind.__eq__ is object.__eq__ for kind in kinds)
        self.all_true = not any(hasattr(kind, special) for kind in kinds for special in ("__bool__", "__len__"))
        self.grows = False
        self.check_home()
        self.objects, self.lists = self.standing_for_objects()

    def check_home(self) -> None:
        """Raises Unfit where the list may be another at some time, or have its objects at other places."""
        root, attributes = root_of(self.home).id, self.label.split(".")[1:]
        bound = sum(label == root for statement in statements(self.program.body)
                    for label in self.targets(statement))
        if bound + (root in self.program.parameters) != 1 or root in self.program.inner:
            raise Unfit
        loops = [loop for loop in statements(self.program.body) if isinstance(loop, Loop)]
        if bound and any(root in assigned_names(loop.body, written=False) for loop in loops):
            raise Unfit  # one of its own in each turn
        for statement in statements(self.program.body):
            target = getattr(statement, "target", None)
            if isinstance(statement, (Store, Augment, Delete)) and isinstance(target, gast.AST):
                if isinstance(target, gast.Attribute) and target.attr in attributes or not isinstance(
                        target, gast.Attribute) and self.is_home(getattr(target, "value", target)):
                    raise Unfit
            if isinstance(statement, Append) and self.is_home(statement.target):
                self.grows = True
                if statement.place is not None or any(statement in statements(loop.body) and any(
                        self.is_home(node) for node in gast.walk(loop.iterable)) for loop in loops):
                    raise Unfit

    def targets(self, statement: Any) -> list[str]:
        target = statement.target if isinstance(statement, (Assign, Loop)) else None
        return [] if target is None else list(pattern_names(target))

    def leads_home(self, node: Any) -> bool:
        """Whether a path is that of the list, or of what it is in."""
        return is_dotted(node) and (self.label + ".").startswith(spelled(node) + ".")

    def is_home(self, node: Any) -> bool:
        return is_dotted(node) and spelled(node) == self.label and root_of(node).id not in self.local

    def touches_home(self, node: Any) -> bool:
        """Whether an expression reads the list, or what it is in, as a whole."""
        return any(map(self.leads_home, dotted_in(node)))

    def leaves_alone(self, node: Any) -> bool:
        """Whether a call neither keeps the list nor changes which objects are where in it."""
        called = self.facts.calls.get(id(node)) or self.facts.callees.get(id(node))
        if called is not None:
            writes = any(part is not None and self.leads_home(part) and parameter in called.derivative.facts.written
                         for parameter, part in zip(called.derivative.parameters, called.arguments))
        else:
            function = self.function(node)
            writes = function in (None, MISSING) or may_write(function)
        return not writes and isinstance(self.facts.values.get(id(node)), Numeric)

    def standing_for_objects(self) -> tuple[set[str], set[str]]:
        """The names that get objects of the list in all their assignments and loops, and those that get lists of them.
        """
        self.objects = {label for statement in statements(self.program.body) for label in self.targets(statement)}
        self.objects -= {*self.program.parameters, *self.program.inner, root_of(self.home).id}
        self.lists = set(self.objects)
        while True:
            objects, lists = set(self.objects), set(self.lists)
            some: set[str] = set()
            for statement in statements(self.program.body):
                for label, fits, listed, empty in self.bound(statement):
                    objects -= set() if fits else {label}
                    lists -= set() if listed else {label}
                    some |= set() if empty else {label}
            objects, lists = objects & some, lists & some
            if (objects, lists) == (self.objects, self.lists):
                return objects, lists - objects
            self.objects, self.lists = objects, lists

    def bound(self, statement: Any) -> Iterator[tuple[str, bool, bool, bool]]:
        """The names that a statement binds, each with whether it gets an object, or a list of such, and whether what it
        gets is None or an empty list, which may stand for either."""
        if isinstance(statement, Append) and isinstance(statement.target, gast.Name):
            yield statement.target.id, False, self.fits(self.place, statement.value), False
        elif isinstance(statement, Augment) and isinstance(statement.target, gast.Name):
            yield statement.target.id, False, isinstance(statement.operator, gast.Add) and self.fits(
                self.listed, statement.value), False
        elif isinstance(statement, Assign):
            for target, value in assigned(statement.target, statement.value):
                if isinstance(target, str):
                    none = isinstance(value, gast.Constant) and value.value is None
                    empty = isinstance(value, gast.List) and not value.elts
                    listed = empty or self.fits(self.listed, value) and not (self.grows and self.is_home(value))
                    yield target, self.fits(self.place, value), listed, none or empty
                else:
                    fits = all(isinstance(part, str) for part in target) and self.fits(self.places, value)
                    yield from ((label, fits, False, False) for label in pattern_names(target))
        elif isinstance(statement, Loop) and statement.target is not None:
            try:
                pairs = dict(self.pairs(statement.target, statement.iterable))
            except Unfit:
                pairs = {}
            yield from ((label, pairs.get(label, False), False, False) for label in pattern_names(statement.target))
        elif isinstance(statement, Remove):
            yield from ((label, False, False, False) for label in statement.targets)

    def fits(self, made: Callable[[Any], Any], node: Any) -> bool:
        try:
            made(node)
        except Unfit:
            return False
        return True

    def run(self) -> Program:
        body = self.block(self.program.body)
        return replace(self.program, body=body, names=self.program.names | self.names.taken, given=self.given)

    # ---- names

    def stands_for_object(self, label: str) -> bool:
        return self.local.get(label, label in self.objects)

    def stands_for_list(self, node: Any) -> bool:
        return isinstance(node, gast.Name) and node.id in self.lists and node.id not in self.local

    def label_of(self, label: str) -> str:
        if label not in self.labels:
            self.labels[label] = self.names.fresh(f"{label}_place")
        return self.labels[label]

    def builtin(self, function: Any) -> gast.AST:
        if function not in self.builtins:
            label = function.__name__
            captured = self.facts.captured.get(label)
            if captured is None or known_value(captured.value) is not function:
                label = label if label not in self.program.names else self.names.fresh(label)
                self.given[label] = function
            self.builtins[function] = label
        return name(self.builtins[function])

    def pattern(self, pattern: Pattern) -> Pattern:
        if isinstance(pattern, tuple):
            return tuple(map(self.pattern, pattern))
        label = pattern.name if isinstance(pattern, Rest) else pattern
        if not self.stands_for_object(label):
            return pattern
        return replace(pattern, name=self.label_of(label)) if isinstance(pattern, Rest) else self.label_of(label)

    # ---- expressions

    def function(self, node: Any) -> Any:
        """The function that is called, where it is known."""
        found = self.facts.values.get(id(node.func)) if isinstance(node, gast.Call) else None
        return None if found is None else known_value(found)

    def object_at(self, place: Any, node: gast.AST) -> gast.AST:
        return located_at(subscript(self.home, place), node)

    def object_or_none(self, node: gast.Name) -> gast.AST:
        """What a name stands for, where it is no matter of an attribute."""
        place, held = self.place(node), self.facts.values.get(id(node))
        there = self.object_at(place, node)
        if node.id in self.local or isinstance(held, Items) and not held.optional:
            return there
        missing = gast.Compare(copy.deepcopy(place), [gast.Is()], [constant(None)])
        return located_at(gast.IfExp(missing, constant(None), there), node)

    def every_place(self, node: gast.AST) -> gast.AST:
        return located_at(call(self.builtin(range), call(self.builtin(len), self.home)), node)  # type: ignore[arg-type]

    def place(self, node: Any) -> Any:
        """The place of the object that an expression gives; None where it gives None."""
        if isinstance(node, gast.Constant) and node.value is None:
            return node
        if isinstance(node, gast.Name) and self.stands_for_object(node.id):
            return gast.copy_location(name(self.label_of(node.id)), node)
        if isinstance(node, gast.Subscript) and not isinstance(node.slice, gast.Slice):
            index = self.value(node.slice)
            if self.is_home(node.value) and isinstance(index, gast.Constant) and self.is_there(node.value, index.value):
                return index
            return gast.copy_location(subscript(self.places(node.value), index), node)
        if isinstance(node, gast.IfExp):
            return gast.copy_location(gast.IfExp(
                self.truth(node.test), self.place(node.body), self.place(node.orelse)), node)
        if self.function(node) in (min, max) and len(node.args) == 1 and [
                part.arg for part in node.keywords] in (["key"], ["key", "default"]):
            return gast.copy_location(gast.Call(
                node.func, [self.places(node.args[0])], list(map(self.keyword, node.keywords))), node)
        if self.function(node) is next and isinstance(node.args[0], gast.GeneratorExp):
            others = list(map(self.place, node.args[1:]))
            return gast.copy_location(gast.Call(node.func, [self.places(node.args[0]), *others], []), node)
        raise Unfit

    def is_there(self, home: gast.AST, index: Any) -> bool:
        """Whether the list has an object at this place for sure: else Python would raise where the place is asked for,
        and not where the object is used."""
        held = self.facts.values.get(id(home))
        return isinstance(held, Items) and held.items is not None and type(index) is int and index < len(held.items)

    def places(self, node: Any) -> Any:
        """What gives the places of the objects that an expression gives one by one."""
        if self.is_home(node):
            return self.every_place(node)
        if self.stands_for_list(node):
            return node
        if isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Slice):
            return gast.copy_location(subscript(self.places(node.value), self.value(node.slice)), node)
        if isinstance(node, (gast.ListComp, gast.GeneratorExp)):
            return self.comprehension(node, self.place)
        if isinstance(node, (gast.List, gast.Tuple)) and node.elts:
            return gast.copy_location(type(node)(list(map(self.place, node.elts)), node.ctx), node)
        if isinstance(node, gast.IfExp):
            return gast.copy_location(gast.IfExp(
                self.truth(node.test), self.places(node.body), self.places(node.orelse)), node)
        if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Add):
            return gast.copy_location(gast.BinOp(self.listed(node.left), node.op, self.listed(node.right)), node)
        function = self.function(node)
        if function in LISTED and len(node.args) == 1 and (function is not sorted or any(
                part.arg == "key" for part in node.keywords)):
            return gast.copy_location(gast.Call(
                node.func, [self.places(node.args[0])], list(map(self.keyword, node.keywords))), node)
        raise Unfit

    def listed(self, node: Any) -> Any:
        """The same as a list or a tuple, to which more may be appended."""
        found = self.places(node)
        if isinstance(found, gast.Call) and self.function(node) in (list, tuple, sorted) or isinstance(
                found, (gast.List, gast.Tuple, gast.ListComp, gast.BinOp, gast.Name)):
            return found
        return located_at(call(self.builtin(list), found), node)  # type: ignore[arg-type]

    def keyword(self, part: Any) -> Any:
        """``key=`` as a function of places; ``default=``, and what does not depend on the objects."""
        if part.arg == "default":
            return gast.copy_location(gast.keyword(part.arg, self.place(part.value)), part)
        if part.arg != "key":
            return gast.copy_location(gast.keyword(part.arg, self.value(part.value)), part)
        key = part.value
        if isinstance(key, gast.Lambda):
            spec = key.args
            if len(spec.args) != 1 or spec.defaults or spec.vararg or spec.kwarg or spec.posonlyargs or spec.kwonlyargs:
                raise Unfit
            outer, label = dict(self.local), spec.args[0].id
            self.local[label] = True
            parameter, body = self.label_of(label), self.value(key.body)
            self.local = outer
        elif is_dotted(key) and not self.mentions(key):
            parameter = self.names.fresh("place")
            body = gast.Call(key, [subscript(self.home, name(parameter))], [])
        else:
            raise Unfit
        arguments = gast.arguments([gast.Name(parameter, gast.Param(), None, None)], [], None, [], [], None, [])
        return gast.copy_location(gast.keyword(part.arg, located_at(gast.Lambda(arguments, body), key)), part)

    def mentions(self, node: Any) -> bool:
        """Whether there is a name for objects, or for a list of them, in an expression, besides its own variables."""
        own = {label for part in gast.walk(node) if isinstance(part, gast.comprehension)
               for label in bound_names(part.target)}
        return any(self.stands_for_object(label) or label in self.lists and label not in self.local
                   for label in names_in(node) if label not in own)

    def value(self, node: Any) -> Any:
        """What stands for an expression where its value is asked for."""
        if isinstance(node, list):
            parts = [self.value(part) for part in node]
            return node if all(one is other for one, other in zip(parts, node)) else parts
        if not isinstance(node, gast.AST):
            return node
        if isinstance(node, gast.Name):
            if self.stands_for_object(node.id):
                return self.object_or_none(node)
            if self.stands_for_list(node):  # as of the list itself
                raise Unfit
        if is_dotted(node) and not self.stands_for_object(root_of(node).id):
            if self.leads_home(node):  # it gets another name, or is kept somewhere
                raise Unfit
            return node
        if isinstance(node, (gast.Attribute, gast.Subscript)) and isinstance(
                node.value, gast.Name) and self.stands_for_object(node.value.id):
            whole = self.object_at(self.place(node.value), node.value)
            parts = [self.value(node.slice)] if isinstance(node, gast.Subscript) else [node.attr]
            return gast.copy_location(type(node)(whole, *parts, node.ctx), node)
        if not self.mentions(node) and (isinstance(node, COMPREHENSIONS) or not self.touches_home(node)):
            return node
        if isinstance(node, gast.Subscript) and self.is_home(node.value):
            return gast.copy_location(gast.Subscript(node.value, self.value(node.slice), node.ctx), node)
        if isinstance(node, (gast.Subscript, gast.Call)) and self.fits(self.place, node):
            return self.object_at(self.place(node), node)
        if isinstance(node, gast.Compare) and len(node.ops) == 1:
            return self.compared(node)
        if isinstance(node, COMPREHENSIONS):
            return self.comprehension(node, self.value)
        if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
            return gast.copy_location(gast.UnaryOp(node.op, self.truth(node.operand)), node)
        if isinstance(node, gast.IfExp):
            return gast.copy_location(gast.IfExp(
                self.truth(node.test), self.value(node.body), self.value(node.orelse)), node)
        if isinstance(node, gast.FunctionDef):
            raise Unfit
        if isinstance(node, gast.Lambda):
            return self.without([item.id for item in parameters(node.args)], node)
        if isinstance(node, gast.BoolOp) and any(
                isinstance(part, gast.Name) and self.stands_for_object(part.id) for part in node.values):
            raise Unfit
        if isinstance(node, gast.Call):
            return self.called(node)
        return self.rebuilt(node)

    def rebuilt(self, node: Any) -> Any:
        parts = [self.value(getattr(node, part, None)) for part in node._fields]
        if all(part is getattr(node, label, None) for part, label in zip(parts, node._fields)):
            return node
        return gast.copy_location(type(node)(*parts), node)

    def without(self, labels: Iterable[str], node: Any) -> Any:
        """An expression whose own variables these are."""
        outer = dict(self.local)
        self.local.update(dict.fromkeys(labels, False))
        made = self.rebuilt(node)
        self.local = outer
        return made

    def called(self, node: Any) -> Any:
        """A call of a function that may get the objects, and their list where it only reads that."""
        method = node.func if isinstance(node.func, gast.Attribute) else None
        whole = method is not None and self.leads_home(method.value)
        given = [*node.args, *(part.value for part in node.keywords)]
        if method is not None and self.stands_for_list(method.value):
            raise Unfit
        if self.function(node) is len and given and (self.is_home(given[0]) or self.stands_for_list(given[0])):
            return node
        lent = whole or any(self.leads_home(item) or self.is_lent(item) for item in given)
        if lent and not self.leaves_alone(node):
            raise Unfit
        function = node.func if whole else self.value(node.func)
        arguments = list(map(self.lent, node.args))
        keywords = [gast.copy_location(gast.keyword(part.arg, self.lent(part.value)), part) for part in node.keywords]
        return gast.copy_location(gast.Call(function, arguments, keywords), node)

    def lent(self, node: Any) -> Any:
        """What stands for an expression of which nobody keeps the list that it may be."""
        if self.leads_home(node):
            return node
        return self.filled(node) if self.is_lent(node) else self.value(node)

    def is_lent(self, node: Any) -> bool:
        """Whether a name stands for a list of the objects, and for none of these, as far as is known by now."""
        return self.stands_for_list(node) and not self.stands_for_object(node.id)

    def filled(self, node: gast.Name) -> Any:
        """The objects in the place of their numbers."""
        place = self.names.fresh("place")
        over = gast.comprehension(gast.Name(place, gast.Store(), None, None), node, [], 0)
        return located_at(gast.ListComp(subscript(self.home, name(place)), [over]), node)

    def compared(self, node: Any) -> Any:
        left, right, operator = node.left, node.comparators[0], type(node.ops[0])
        if operator not in (gast.Is, gast.IsNot) and not self.by_identity:
            return self.rebuilt(node)
        if operator in (gast.In, gast.NotIn) and self.fits(self.place, left):
            return gast.copy_location(gast.Compare(self.place(left), node.ops, [self.places(right)]), node)
        if operator in IDENTITY and self.fits(self.place, left) and self.fits(self.place, right):
            none = any(isinstance(part, gast.Constant) for part in (left, right))
            made = node.ops[0] if none else IDENTITY[operator]()
            return gast.copy_location(gast.Compare(self.place(left), [made], [self.place(right)]), node)
        return self.rebuilt(node)

    def truth(self, node: Any) -> Any:
        """What stands for an expression of which it is asked only whether it is true."""
        if isinstance(node, gast.Name) and self.stands_for_object(node.id) and self.all_true:
            return located_at(gast.Compare(self.place(node), [gast.IsNot()], [constant(None)]), node)
        if self.is_home(node) or self.stands_for_list(node):
            return node
        if isinstance(node, gast.BoolOp):
            return gast.copy_location(gast.BoolOp(node.op, list(map(self.truth, node.values))), node)
        return self.value(node)

    # ---- what is run through

    def pairs(self, pattern: Pattern, node: Any) -> Iterator[tuple[str, bool]]:
        """The variables that run over what an expression gives, each with whether it stands for objects."""
        parts = self.parts(pattern, node)
        if parts is None:
            fits = isinstance(pattern, str) and self.fits(self.places, node) or self.is_combined(pattern, node)
            yield from ((label, fits) for label in pattern_names(pattern))
        else:
            for part, item in parts:
                yield from self.pairs(part, item) if item is not None else (
                    (label, False) for label in pattern_names(part))

    def parts(self, pattern: Pattern, node: Any) -> list | None:
        """The parts of a target, each with what it runs over, as in ``for i, (p, q) in enumerate(zip(ps, qs))``."""
        function = self.function(node)
        if not isinstance(pattern, tuple) or function not in IN_TURN or any(
                isinstance(item, gast.Starred) for item in node.args):
            return None
        inner = node.args if function is zip else [None, node.args[0]]
        return list(zip(pattern, inner)) if len(inner) == len(pattern) else None

    def is_combined(self, pattern: Pattern, node: Any) -> bool:
        return self.function(node) in COMBINED and isinstance(pattern, tuple) and all(
            isinstance(part, str) for part in pattern) and self.fits(self.places, node.args[0])

    def turns(self, pattern: Pattern, node: Any) -> Any:
        """What stands for what a loop or comprehension runs over."""
        labels = set(pattern_names(pattern))
        if not any(map(self.stands_for_object, labels)):
            return node if self.is_home(node) else self.value(node)
        parts = self.parts(pattern, node)
        if parts is not None:
            made = [self.turns(part, item) for part, item in parts if item is not None]
            return gast.copy_location(gast.Call(
                node.func, [*made, *node.args[len(made):]], node.keywords), node)
        if self.is_combined(pattern, node):
            return gast.copy_location(gast.Call(
                node.func, [self.places(node.args[0]), *node.args[1:]], node.keywords), node)
        return self.places(node)

    def comprehension(self, node: Any, item: Callable[[Any], Any]) -> Any:
        """A comprehension over places, where it runs over the objects; ``item``: what is done with its items."""
        outer = dict(self.local)
        try:
            generators = []
            for each in node.generators:
                pattern = pattern_of(each.target)
                found = dict(self.pairs(pattern, each.iter))
                own = {label: found[label] for label in bound_names(each.target)}
                inner = dict(self.local)
                self.local.update(own)
                turns, target = self.turns(pattern, each.iter), self.target(each.target)
                self.local = inner | own
                generators.append(gast.copy_location(gast.comprehension(
                    target, turns, [self.truth(test) for test in each.ifs], each.is_async), each))
            if isinstance(node, gast.DictComp):
                made: Any = gast.DictComp(self.value(node.key), item(node.value), generators)
            else:
                made = type(node)(item(node.elt), generators)
        finally:
            self.local = outer
        return gast.copy_location(made, node)

    def target(self, node: Any) -> Any:
        if isinstance(node, gast.Name):
            return gast.copy_location(gast.Name(self.label_of(node.id), gast.Store(), None, None), node) \
                if self.stands_for_object(node.id) else node
        return gast.copy_location(type(node)([self.target(part) for part in node.elts], node.ctx), node)

    # ---- statements

    def block(self, body: tuple) -> tuple:
        return tuple(map(self.statement, body))

    def statement(self, statement: Any) -> Any:
        if isinstance(statement, Assign):
            return self.assign(statement)
        if isinstance(statement, Loop) and statement.target is not None:
            return replace(statement, target=self.pattern(statement.target), iterable=self.turns(
                statement.target, statement.iterable), body=self.block(statement.body))
        if isinstance(statement, Append) and self.is_home(statement.target):
            if self.fits(self.place, statement.value):
                raise Unfit  # it would be there twice
            return replace(statement, value=self.value(statement.value))
        if isinstance(statement, Append) and isinstance(statement.target, gast.Name) \
                and statement.target.id in self.lists:
            return replace(statement, value=self.place(statement.value), place=self.value(statement.place))
        target = getattr(statement, "target", None)
        if isinstance(statement, Augment) and self.stands_for_list(target):
            return replace(statement, value=self.listed(statement.value))
        if isinstance(target, gast.Subscript) and self.stands_for_list(target.value):
            raise Unfit
        statement = self.with_writes(statement)
        if isinstance(statement, Leave) and statement.value is not None:
            node = statement.value
            made = gast.copy_location(gast.Tuple(list(map(self.lent, node.elts)), node.ctx), node) \
                if isinstance(node, gast.Tuple) else self.lent(node)
            return replace(statement, value=made)
        parts = {part.name: getattr(statement, part.name) for part in fields(statement)}
        new = {label: self.made(part, isinstance(statement, Branch) and label == "test" or isinstance(
            statement, Loop)) for label, part in parts.items()}
        return statement if all(new[label] is parts[label] for label in new) else replace(statement, **new)

    def with_writes(self, statement: Any) -> Any:
        """A statement whose call changes the list's objects where it changed one under a name of that."""
        writes = getattr(statement, "writes", ())
        if not self.lists.isdisjoint(writes):
            raise Unfit
        if self.objects.isdisjoint(writes):
            return statement
        return replace(statement, writes=tuple(
            root_of(self.home).id if label in self.objects else label for label in writes))

    def made(self, part: Any, tested: bool) -> Any:
        """A part of a statement."""
        if isinstance(part, gast.AST):
            return self.truth(part) if tested else self.value(part)
        if isinstance(part, tuple) and part and not all(isinstance(item, str) for item in part):
            if all(isinstance(item, tuple) for item in part):  # of a ``with`` statement
                return tuple((self.value(manager), self.pattern(label) if label else label) for manager, label in part)
            return self.block(part)
        return part

    def assign(self, statement: Assign) -> Assign:
        labels = set(pattern_names(statement.target))
        statement = self.with_writes(statement)
        if labels.isdisjoint(self.objects | self.lists):
            value = self.value(statement.value)
            return statement if value is statement.value else replace(statement, value=value)
        pairs = [(target, self.bound_to(target, value))
                 for target, value in assigned(statement.target, statement.value)]
        values = [value for _, value in pairs]
        value = values[0] if len(pairs) == 1 else gast.copy_location(tuple_of(values), statement.value)
        return replace(statement, target=self.pattern(statement.target), value=value)

    def bound_to(self, target: Pattern, value: Any) -> Any:
        if isinstance(target, tuple):
            return self.places(value)
        if target in self.lists:
            return value if isinstance(value, gast.List) and not value.elts else self.listed(value)
        return self.place(value) if target in self.objects else self.value(value)
