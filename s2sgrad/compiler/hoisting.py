"""Expressions from which what must be a statement is hoisted out, in the order of evaluation."""
from __future__ import annotations

import copy
import functools
from collections.abc import Set
from typing import Any

import gast

from s2sgrad.compiler.comprehensions import as_loops, under_key
from s2sgrad.compiler.effects import calls_more, has_effect
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.nodes import (
    Names,
    change,
    constant,
    holder,
    located_at,
    name,
    names_in,
    ordered_children,
    rebuilt,
    subscript,
    walk,
)
from s2sgrad.compiler.order import raises_before, reads_what_may_change, stirs
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Augment,
    Branch,
    Delete,
    Evaluate,
    Loop,
    Program,
    Store,
    assigned_names,
    share_expressions,
    statements,
    written_name,
)
from s2sgrad.compiler.structures import item_there
from s2sgrad.rules.abstract import Items, Known, Opaque, is_changeable


class Hoisting:
    """One program whose expressions are taken apart; ``before``: the statements that come out of one."""

    def __init__(self, facts: Facts, names: Names, program: Program, settles: bool = False):
        self.facts = facts
        self.settles = settles
        """There is nothing else to do than to decide what was ``postponed``: tests that read what may have changed
        under another name, which is known only when all changes and names are written out."""
        self.postponed = False
        self.program = program
        self.bound = assigned_names(program.body) | set(program.parameters)
        self.names = names
        self.changed = False
        self.special = [table for table in (
            facts.spelled, facts.instead, facts.calls, facts.comprehensions, facts.choices,
            facts.chosen_from, facts.open_displays) if table]
        """Expressions that may have to be written otherwise."""
        self.before: list = []
        self.following: tuple = ()
        """What of the expression around comes later and is hoisted."""
        self.noticed: dict[Any, bool] = {}  # by function: whether a call of it would be
        self.rebound: set[str] = set()
        """Names that the loop whose header is looked at binds."""
        self.location: Any = None
        self.collected: set[str] = set()
        """Names for the lists of what generators give."""
        self.over_named: set[int] = set()
        """Comprehensions whose items are arguments of a call, which are written out when they are looked at again."""

    def expression(self, node: gast.AST) -> gast.AST:
        """The expression with what must be a statement hoisted out, in the order of evaluation."""
        if self.is_plain(node):
            return node
        key = id(node)
        other = self.facts.spelled.get(key) or (self.facts.instead[key] if self.has_another(node) else None)
        reads = [] if other is None else self.left_out([node], set(names_in(other)))
        if reads is None:
            return self.before_others(node, node)
        self.before += reads
        if key in self.facts.spelled:
            self.changed = True
            spelled, named = self.facts.spelled[key], self.named_stars(node)
            if named is node:
                return self.expression(spelled)
            return self.hoist(named, "part", spelled) if self.following and self.must_hoist(spelled) else named
        if self.has_another(node):
            self.changed = True
            return self.expression(self.facts.instead[key])
        if key in self.facts.calls:
            return self.hoist_call(node)
        if self.makes_list(node):
            target = self.names.fresh("items")
            self.before.extend(self.loops(self.facts.instead[key], target))
            made = gast.copy_location(name(target), node)
            return gast.copy_location(gast.Call(
                node.func, [made, *node.args[1:]], node.keywords), node) if self.is_no_list(node) else made
        if isinstance(node, gast.Subscript) and self.makes_list(node.value) and self.is_no_list(node.value):
            parts = self.hoist(self.expression(node.value), "parts", node.value)
            return self.inside(rebuilt(node, {"value": parts}))
        if key in self.facts.open_displays:
            target = self.names.fresh("items")
            self.before.extend(self.item_by_item(node, target))
            return gast.copy_location(name(target), node)
        if key in self.facts.comprehensions:
            target = self.names.fresh("items")
            self.before.extend(self.loops(node, target))
            return gast.copy_location(name(target), node)
        if isinstance(node, gast.IfExp):
            if key in self.facts.taken:
                if self.is_early(node.test):
                    return self.before_others(node, node)
                self.changed = True
                self.before += self.evaluated(node.test)
                taken = node.body if self.facts.taken[key] else node.orelse
                return self.before_others(self.expression(taken), taken)
            self.changed = True
            target = self.names.fresh("choice")
            outer = self.before
            arms = []
            for part in (node.body, node.orelse):
                self.before = []
                value = self.expression(part)
                arms.append((*self.before, Assign(target, value, self.location)))
            if share_expressions(*arms):  # the arguments of a function that is chosen
                arms[1] = copy.deepcopy(arms[1])
            self.before = outer
            self.before.append(Branch(node.test, arms[0], arms[1], self.location))
            return gast.copy_location(name(target), node)
        if isinstance(node, gast.BoolOp):
            return self.boolean(node)
        return self.hoist(self.inside(node), "items", node) if key in self.facts.chosen_from else self.inside(node)

    def hoist(self, value: gast.AST, wanted: str, place: gast.AST) -> gast.Name:
        self.changed = True
        target = self.names.fresh(wanted)
        self.before.append(Assign(target, value, self.location, self.writes(place)))
        return gast.copy_location(name(target), place)

    def hoist_call(self, node: gast.AST) -> gast.Name:
        """A call of a function with an adjoint of its own, as a statement."""
        derivative = self.facts.calls[id(node)].derivative
        around, self.following = self.following, ()  # what is evaluated in the call's own statement is before these
        own = self.hoist(self.inside(node), derivative.name, node)
        self.following = around
        self.collected.update([own.id] if derivative.definition.collected else [])
        return own

    def evaluated(self, test: gast.AST) -> list:
        """A test whose outcome is known, where evaluating it does more, or where it reads what may have changed under
        another name; whether it may is found out later."""
        again = calls_more(test, self.facts) or self.may_read_changed(test)
        return [Evaluate(test, self.location)] if again else []

    def left_out(self, nodes: list[gast.AST], read: set[str], bound: Set[str] = frozenset()) -> list | None:
        """Reads of the containers that are read in expressions, and not in what takes their place, as nothing is in
        them, or under a key: so it is noticed where they change under another name. None where it is too early.
        ``read`` and ``bound``: the names that are, in what takes their place."""
        if not (read - bound).issubset(names_in(*nodes)):  # the containers are read under other names there
            return []
        lost = [part for node in nodes for part in walk(node) if isinstance(self.facts.values.get(id(part)), Items)
                and isinstance(part, (gast.Name, gast.Attribute)) and holder(part) not in {None} | read | bound
                and self.may_read_changed(part)]
        if not lost:
            return []
        test = located_at(gast.Tuple(lost, gast.Load()), lost[0])
        return None if self.is_early(test) else self.evaluated(test)

    def is_early(self, test: gast.AST) -> bool:
        """Whether it is too early to tell the outcome of a test."""
        early = not self.settles and self.may_read_changed(test)
        self.postponed = self.postponed or early
        return early

    @functools.cached_property
    def changing(self) -> set[str]:
        """The names of containers that change, also by statements that are still to be taken apart."""
        found = {old.name for old, _ in self.facts.in_place.values() if isinstance(old.value, Items)}
        for statement in statements(self.program.body):
            labels = (written_name(statement),) if isinstance(statement, (Augment, Store, Append, Delete)) else getattr(
                statement, "writes", ())
            before = self.facts.before.get(statement, {})
            found.update(label for label in labels if label in before and isinstance(before[label].value, Items))
        return found

    def may_read_changed(self, test: gast.AST) -> bool:
        """Whether a test reads what is in a container, or how much, and another one changes."""
        changing = self.changing
        if not changing:
            return False
        same = {id(part) for node in walk(test) if isinstance(node, gast.Compare) and isinstance(
            node.ops[0], (gast.Is, gast.IsNot)) for part in (node.left, *node.comparators)}
        read = {holder(part) for part in walk(test) if isinstance(part, (gast.Attribute, gast.Subscript))
                or isinstance(part, gast.Name) and id(part) not in same and is_changeable(
                    self.facts.values.get(id(part)))}
        return any(changing - {label} for label in read & self.bound)

    def is_active(self, node: gast.AST) -> bool:
        value = self.facts.values.get(id(node))
        if isinstance(node, gast.Attribute) and (value is None or isinstance(value, Opaque) and not value.active):
            return self.is_active(node.value)  # a method: what counts is the array it is called on
        return value is not None and value.active

    def is_plain(self, node: gast.AST) -> bool:
        """Whether nothing in an expression may have to be written otherwise."""
        if not self.special or not self.is_active(node):
            return True
        return not any(id(node) in table for table in self.special) and all(
            self.is_plain(child) for _, _, child in ordered_children(node))

    def writes(self, node: gast.AST) -> tuple[str, ...]:
        """The arrays that the call which an expression is writes into."""
        called = self.facts.calls.get(id(node))
        return () if called is None else tuple(called.written.values())

    def has_another(self, node: Any) -> bool:
        """Whether another expression stands for a dict that a comprehension makes, or for what a method gives."""
        return id(node) in self.facts.instead and (
            isinstance(node, gast.DictComp) or isinstance(node.func, gast.Attribute))

    def makes_list(self, node: gast.AST) -> bool:
        """Whether an expression is ``list(x)``, ``tuple(x)`` or ``deque(x)`` of an array, or of a comprehension."""
        return isinstance(self.facts.instead.get(id(node)), gast.ListComp)

    def is_no_list(self, node: gast.AST) -> bool:
        """Whether a list that is made for an expression is not all that it does."""
        value = self.facts.values[id(node)]
        return isinstance(value, Items) and value.kind is not list

    def named_stars(self, node: Any) -> Any:
        """A call in which each ``*value`` has a name, so that it is evaluated once, or is written out."""
        if not isinstance(node, gast.Call):  # an operator of the user's, most often
            return node
        listed = [self.facts.listed.get(id(item.value)) if isinstance(item, gast.Starred) else None
                  for item in node.args]
        if any(listed):
            self.changed = True
            args = [self.over_names(part) for item, items in zip(node.args, listed) for part in items or [item]]
            return self.named_stars(gast.copy_location(gast.Call(node.func, args, node.keywords), node))
        stars = [index for index, item in enumerate(node.args) if isinstance(item, gast.Starred)
                 and not isinstance(item.value, (gast.Name, gast.Attribute, gast.Tuple, gast.List))
                 and id(item.value) not in self.over_named and not self.is_container_in_place(item.value)]
        if not stars:
            return node
        args = []
        for index, item in enumerate(node.args):
            if index > stars[-1]:
                args.append(item)
            elif not isinstance(item, gast.Starred):
                args.append(self.named(item))
            else:
                args += self.items_of(item)
        return gast.copy_location(gast.Call(node.func, args, node.keywords), node)

    def items_of(self, star: Any) -> list:
        """What ``*value`` gives a call: the items of what has a name then, one by one where it is known how many."""
        held, count = self.named(star.value), self.facts.counts.get(id(star.value))
        return [located_at(gast.Starred(held, gast.Load()), star)] if count is None else [
            located_at(subscript(copy.deepcopy(held), constant(index)), star) for index in range(count)]

    def is_container_in_place(self, node: gast.AST) -> bool:
        """Whether a list or tuple stands in a place that may be asked for several times: a name for it would be spelled
        out again where it changes under another one."""
        return self.facts.is_place(node) and isinstance(self.facts.values.get(id(node)), Items) and not any(
            isinstance(part, gast.Call) for part in walk(node))

    def over_names(self, node: Any) -> Any:
        """``*(...)`` over lists that are made there, which get names."""
        if not isinstance(node, gast.Starred) or not isinstance(node.value, (gast.GeneratorExp, gast.ListComp)):
            return node
        generator = node.value.generators[0]
        over = generator.iter
        if isinstance(over, gast.Call) and self.facts.values.get(id(over.func)) != Known(list):
            named: Any = rebuilt(over, {"args": [self.named(part) for part in over.args]})
        else:
            named = self.named(over)
        made = rebuilt(node.value, {"generators": [rebuilt(generator, {"iter": named})]})
        self.over_named.add(id(made))
        return gast.copy_location(gast.Starred(made, gast.Load()), node)

    def named(self, node: gast.AST) -> gast.AST:
        if isinstance(node, (gast.Name, gast.Constant)):
            return node
        value = self.expression(node)  # of a call the name that it got
        return value if isinstance(value, gast.Name) else self.hoist(value, "part", node)

    def loops(self, node: gast.AST, target: str) -> list:
        self.changed = True
        made = as_loops(node, target, self.names, self.bound | set(self.facts.captured), self.location, self.facts)
        self.bound |= assigned_names(tuple(made))  # of another comprehension in these loops the variables are others
        return made

    def item_by_item(self, node: Any, target: str) -> list:
        """The statements that put what a display gives into a dict of this name."""
        self.changed = True
        made: list = [Assign(target, gast.Dict([], []), self.location)]
        for key, value in zip(node.keys, node.values):
            if key is not None:
                made += under_key(target, key, value, self.names, self.location, self.facts)
                continue
            if not isinstance(value, gast.Name):
                made.append(Assign(self.names.fresh("part"), value, self.location))
                value = name(made[-1].target)
            each = self.names.fresh("key")
            store = Store(subscript(name(target), name(each)), item_there(value, name(each)), self.location)
            made.append(Loop(each, value, (store,), self.location))
        return made

    def boolean(self, node: gast.BoolOp) -> gast.AST:
        """``a or b``: b is evaluated, and taken, only where a is false."""
        self.changed = True
        target = self.names.fresh("choice")
        outer = self.before
        self.before = []
        start = self.expression(node.values[0])  # which may replace the list
        first = [*self.before, Assign(target, start, self.location)]
        rest = list(node.values[1:])
        if rest:
            self.before = []
            tail = gast.BoolOp(node.op, rest) if len(rest) > 1 else rest[0]
            if len(rest) > 1:
                self.facts.values[id(tail)] = self.facts.values[id(node)]
            value = self.expression(tail)
            arm = (*self.before, Assign(target, value, self.location))
            test: gast.AST = name(target)
            if isinstance(node.op, gast.Or):
                test = gast.UnaryOp(gast.Not(), test)
            first.append(Branch(test, arm, (), self.location))
        self.before = [*outer, *first]
        return gast.copy_location(name(target), node)

    def inside(self, node: gast.AST) -> gast.AST:
        """The same node over desugared operands; the node itself where they are unchanged."""
        changes: dict[str, Any] = {}
        children = ordered_children(node)
        hoisted = [self.must_hoist(child) for _, _, child in children]
        around = self.following
        for index, (field, place, child) in enumerate(children):
            rest = [later for (_, _, later), moves in zip(children[index + 1:], hoisted[index + 1:]) if moves]
            self.following = (*rest, *around)
            if not hoisted[index] and self.comes_first(child):
                new: gast.AST = self.at_once(child, field)
            else:
                new = self.expression(child)
                new = self.at_once(new, field) if hoisted[index] and raises_before(
                    child, self.following, self.facts, self.noticed) else new
            if new is not child:
                change(node, field, place, new, changes)
        self.following = around
        return rebuilt(node, changes)

    def at_once(self, node: gast.AST, field: str) -> gast.AST:
        """An operand under a name; of a method that is called, what it is a method of."""
        if field == "func" and isinstance(node, gast.Attribute):
            return rebuilt(node, {"value": self.at_once(node.value, "value")})
        return node if isinstance(node, gast.Name) else self.hoist(node, "part", node)

    def before_others(self, value: gast.AST, node: gast.AST) -> gast.AST:
        """What an expression has become, under a name where what follows it is hoisted, and must not come first."""
        named = not isinstance(value, (gast.Name, gast.Constant)) and self.comes_first(node)
        return self.hoist(value, "choice", node) if named else value

    def comes_first(self, node: gast.AST) -> bool:
        """Whether it may be noticed that an expression is evaluated after those which follow it, and are hoisted."""
        return bool(self.following) and (
            has_effect(node, self.facts)
            or reads_what_may_change(node, self.facts) and any(stirs(later, self.facts) for later in self.following)
            or raises_before(node, self.following, self.facts, self.noticed))

    def must_hoist(self, node: gast.AST) -> bool:
        if not self.is_active(node):
            return False
        if id(node) in self.facts.spelled:
            return self.must_hoist(self.facts.spelled[id(node)])
        if self.has_another(node):
            return self.must_hoist(self.facts.instead[id(node)])
        tables = self.facts.calls, self.facts.comprehensions, self.facts.chosen_from, self.facts.open_displays
        if any(id(node) in table for table in tables) or self.makes_list(node) or isinstance(
                node, (gast.IfExp, gast.BoolOp)):
            return True
        return any(self.must_hoist(child) for _, _, child in ordered_children(node))
