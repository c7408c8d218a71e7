"""Parts of statements that get names before these: what a call in the middle of an expression changes is told in a
statement of its own, and what Python evaluates before that part gets names first."""
from __future__ import annotations

import copy
import inspect
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.algebra import same
from s2sgrad.compiler.arguments import NeedsItems
from s2sgrad.compiler.attempts import with_others
from s2sgrad.compiler.calls import Calls
from s2sgrad.compiler.comprehensions import as_loops
from s2sgrad.compiler.effects import functions_in, has_effect
from s2sgrad.compiler.evaluation import ComesFirst, NeedsKey, NeedsName
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.indexing import BASIC
from s2sgrad.compiler.nodes import (
    Names,
    change,
    located_at,
    name,
    names_in,
    ordered_children,
    rebuilt,
    root_of,
    walk,
)
from s2sgrad.compiler.order import is_noticed_anyway, may_raise
from s2sgrad.compiler.passive_calls import NeedsLoop
from s2sgrad.compiler.program import Append, Assign, Augment, Branch, Evaluate, Leave, Loop, Store, assigned_names
from s2sgrad.compiler.scopes import COMPREHENSIONS, late_defaults
from s2sgrad.compiler.short_circuits import as_branches, decided_first, is_sure, tested_inside
from s2sgrad.compiler.writers import is_of
from s2sgrad.rules.abstract import (
    Known,
    Numeric,
    Opaque,
    known_value,
)


class NamedBefore(Calls):
    """Statements in the place of others that do the same, with names for parts of these."""

    def __init__(self, *arguments: Any, **keywords: Any):
        super().__init__(*arguments, **keywords)
        self.temporaries: dict[Any, str] = {}
        self.expanded: dict[Any, list] = {}
        """The statements that stand for others: the same each time that these are looked at."""
        self.unpacking: dict[Any, Any] = {}
        """The loops that unpack in their headers what others do in their bodies, likewise."""
        self.branches: dict[Any, Branch] = {}
        """For assignments of ternaries, the branches that they are."""
        self.names_of_temporaries = Names(frozenset())

    def expand(self, statement: Any, others: list, environment: dict, anew: bool = False) -> dict:
        """Go on with other statements that do the same: those of the last time, where these are not ``anew``."""
        if anew or statement not in self.expanded:
            self.expanded[statement] = others
        made = self.expanded[statement]
        result: dict = self.block(tuple(made), environment)  # type: ignore[attr-defined]
        self.facts.written_out[statement] = made  # the statement may be one of them
        return result

    def temporary(self, statement: Any, wanted: str) -> str:
        """A name for what a statement writes into: the same each time that it is looked at."""
        if statement not in self.temporaries:
            taken = self.names_of_temporaries
            taken.taken |= self.program.names | self.facts.reserved
            self.temporaries[statement] = taken.fresh(wanted)
            self.local.add(self.temporaries[statement])
        return self.temporaries[statement]

    def named_before(self, statement: Any, need: NeedsName, environment: dict) -> dict:
        """A call that writes into an object, or such an object, gets a name before the statement that it stands in."""
        self.passive_context = self.outer_reads = 0
        self.whole_call = None
        field = next((field for field in ("value", "test", "iterable") if isinstance(
            getattr(statement, field, None), gast.AST)), "")
        found = self.written_as(getattr(statement, field), need.node) if field else None
        target = getattr(statement, "target", None)
        whole: Any = self.facts.spelled_out(statement.value) if isinstance(statement, Evaluate) else None
        if isinstance(whole, gast.IfExp):
            then, orelse = (replace(statement, value=part) for part in (whole.body, whole.orelse))
            return self.expand(statement, [Branch(whole.test, (then,), (orelse,), statement.location)], environment)
        if found is not None and isinstance(statement, (Assign, Store, Append, Leave)) and isinstance(
                statement.value, gast.IfExp) and found not in walk(statement.value.test):
            arms = [replace(statement, value=part) for part in (statement.value.body, statement.value.orelse)]
            branch = self.branches.setdefault(statement, Branch(
                statement.value.test, (arms[0],), (arms[1],), statement.location))
            return self.expand(statement, [branch], environment)
        if found is not None and isinstance(statement, Augment) and not isinstance(target, gast.Name) \
                and not isinstance(need, NeedsKey):
            apart = self.read_and_stored(statement, environment)
            if apart is not None:
                return self.expand(statement, apart, environment)
            if not self.is_view_of_names(target) and not set(names_in(target)).isdisjoint(self.names_behind(found)):
                raise need.refusal  # the call may put another array in its place
        collected = self.collected_before(statement, field, found, environment) if found is not None else None
        if collected is None:
            if isinstance(need, NeedsKey):
                collected = self.key_made_before(statement, need, field, environment)  # type: ignore[attr-defined]
            elif found is None:
                collected = self.key_before(statement, need)  # type: ignore[attr-defined]
        if collected is not None:
            return self.expand(statement, collected, environment)
        if found is None or isinstance(need, NeedsKey) or isinstance(need, NeedsLoop) and (
                found is need.node or not isinstance(found, gast.Call)  # which makes the object that is run through
                or inspect.isgeneratorfunction(known_value(self.facts.values.get(
                    id(getattr(self.facts.spelled_out(found), "func", None)), Opaque())))):
            raise need.refusal
        if isinstance(statement, Loop) and target is None:
            return self.expand(statement, [tested_inside(statement)], environment)
        if isinstance(statement, (Augment, Store, Append)) and not self.roots(target).isdisjoint(
                self.names_behind(found)):
            raise need.refusal
        if isinstance(need, NeedsItems):
            return self.expand(statement, self.unpacked_before(statement, need, field, found), environment)
        if need.first is not None:
            return self.stored_before(statement, need, field, found, environment)
        if self.facts.is_place(found):  # which Python asks for once
            found = self.acting_index(found, environment) or found  # type: ignore[attr-defined]
        if self.facts.is_place(found) and self.facts.spelled_out(found) is found is need.node and not isinstance(
                need, ComesFirst):  # no property
            if isinstance(statement, (Branch, Leave, Loop)):  # what the call does comes before it
                return self.on_two_lines(statement, field, environment)
            return self.through_a_name(  # type: ignore[attr-defined,no-any-return]
                statement, found, environment, field)
        whole = getattr(statement, field)
        before = [] if isinstance(need, ComesFirst) and comes_first(whole, found, self.facts) else evaluated_before(
            whole, found, self.facts)
        if before is None:
            decided = self.decided_before(statement, field, found)
            if decided is not None:
                return self.expand(statement, decided, environment)
        if before is None or isinstance(statement, Assign) and found is statement.value:
            raise need.refusal
        read = [Evaluate(copy.deepcopy(target), statement.location)] if isinstance(statement, Augment) and may_raise(
            target, self.facts) else []  # Python does before the call, which is not made where there is no such item
        return self.expand(statement, [*read, *self.named_in_turn(statement, field, [*before, found], [])], environment)

    def stored_before(self, statement: Any, need: NeedsName, field: str, found: gast.AST, environment: dict) -> dict:
        """What a part of a statement's expression is stored by, before the statement; where that may change what Python
        evaluates before the part, this gets names first."""
        whole = getattr(statement, field)
        before = evaluated_before(whole, found, self.facts)
        if comes_first(whole, found, self.facts):
            after = self.expand(statement, [need.first, replace(statement)], environment)  # which may need another
            if before == [] or not self.does_more(need.first):
                return after
        if before is None:
            raise need.refusal
        *named, rest = self.named_in_turn(statement, field, before, [])
        return self.expand(statement, [*named, need.first, replace(rest)], environment, anew=True)

    def unpacked_before(self, statement: Any, need: NeedsItems, field: str, found: gast.AST) -> list:
        """``a, b = values`` before the call of ``f(*values)``, which gets these names."""
        before = evaluated_before(getattr(statement, field), found, self.facts) if has_effect(found, self.facts) else []
        if before is None:
            raise need.refusal
        *named, rest = self.named_in_turn(statement, field, before, []) if before else [statement]
        labels = [self.temporary((statement, place), "item") for place in range(need.count)]
        whole = getattr(rest, field)
        called = next(part for part in walk(whole) if isinstance(part, gast.Call) and any(
            isinstance(item, gast.Starred) and item.value is found for item in part.args))
        args = [part for item in called.args for part in (
            map(name, labels) if isinstance(item, gast.Starred) else [item])]
        value = with_part(whole, called, located_at(rebuilt(called, {"args": args}), called))
        return [*named, Assign(tuple(labels), found, statement.location), replace(rest, **{field: value})]

    def does_more(self, statement: Store) -> bool:
        """Whether what a statement stores is made by a call that does more, which shows where that was written out."""
        return any(is_noticed_anyway(part.value, self.facts, {}) for part in with_others((statement,), self.facts)
                   if isinstance(part, (Assign, Store)))

    def written_as(self, node: gast.AST, wanted: gast.AST) -> Any:
        """The part of a statement's expression that something it does in the end was written as; the comprehension,
        where it stands in one that was written anew."""
        for part in walk(node):
            inner: Any = part
            while inner is not wanted and id(inner) in self.facts.spelled:
                inner = self.facts.spelled[id(inner)]
            if inner is wanted or inner is not part and isinstance(
                    inner, (gast.ListComp, gast.DictComp, gast.GeneratorExp)) \
                    and self.written_as(inner, wanted) is not None:
                return part
        return None

    def decided_before(self, statement: Any, field: str, found: gast.AST) -> list | None:
        """The statement with branches before it, in place of an expression that may not come to a call that writes;
        None where the call stands in no such expression."""
        whole = getattr(statement, field)
        decided = decided_first(whole, found)
        before = None if decided is None else evaluated_before(whole, decided, self.facts)
        if before is None:
            return None
        return self.named_in_turn(statement, field, [*before, decided], as_branches(
            decided, self.temporary(statement, "choice"), statement.location))

    def collected_before(self, statement: Any, field: str, found: gast.AST, environment: dict) -> list | None:
        """The statement with a loop before it that fills a list, whose comprehension, or generator that is run through
        to its end, makes calls that write; None where the call stands in no such thing."""
        whole = getattr(statement, field)
        made: Any = next((part for part in walk(whole) if found in walk(part) and self.is_like_a_loop(
            part, found, environment)), None)
        before = None if made is None or isinstance(statement, Loop) and (
            statement.target is None or made is whole) else evaluated_before(whole, made, self.facts)
        if before is None:
            return None
        variable = self.temporary(statement, "items")
        loops: list = []
        if statement not in self.expanded:
            names = Names(self.program.names | set(self.facts.given) | self.facts.reserved | self.local)
            item = names.fresh("item")
            filled = made if isinstance(made, COMPREHENSIONS) else gast.ListComp(name(item), [gast.comprehension(
                gast.Name(item, gast.Store(), None, None), made, [], 0)])
            loops = as_loops(filled, variable, names, self.local | set(self.facts.captured), statement.location,
                             self.facts)
            self.facts.reserved |= assigned_names(tuple(loops)) - self.program.names
            self.local |= assigned_names(tuple(loops))
        return self.named_in_turn(statement, field, [*before, made], loops)

    def is_like_a_loop(self, part: Any, found: gast.AST, environment: dict) -> bool:
        """Whether a part of an expression is asked for all its items at once, of which a call makes each."""
        comprehension = isinstance(part, COMPREHENSIONS)
        if not isinstance(part, (gast.ListComp, gast.DictComp)) and id(part) not in self.facts.exhausted:
            return False
        source = part.generators[0].iter if comprehension else part
        if comprehension and found not in walk(source):
            return True
        try:
            return self.asked(source, environment) is not None  # type: ignore[attr-defined]
        except NeedsName:  # it is what needs a name
            return False

    def read_and_stored(self, statement: Augment, environment: dict) -> list | None:
        """``x[i] += f(u)``, where the element is read before the call is made, on two lines; None of what is no copy of
        an element, and where the call may put another array or container in the place of that which has it."""
        target: Any = statement.target
        held, whole = self.evaluate(target, environment), self.facts.value(target.value)
        picked = isinstance(target, gast.Subscript) and isinstance(whole, Numeric) \
            and self.facts.index_kinds.get(id(target)) != BASIC
        stays_there = isinstance(target.value, gast.Name) or isinstance(self.facts.values.get(
            id(root_of(target))), Numeric)
        if not stays_there or not isinstance(held, Numeric) or not is_of(held, "fc") \
                or not (held.is_number or picked) or any(isinstance(part, gast.Call) for part in walk(target)):
            return None
        variable = self.temporary((statement, "read"), "part")
        value = gast.BinOp(gast.copy_location(name(variable), target), statement.operator, statement.value)
        return [Assign(variable, copy.deepcopy(target), statement.location),  # ``xs[-1]`` may be another item by then
                Store(target, gast.copy_location(value, target), statement.location)]

    def on_two_lines(self, statement: Any, field: str, environment: dict) -> dict:
        """``return f(u)``, where ``f`` writes into ``u``, with a name for what it gives."""
        whole = getattr(statement, field)
        own = gast.copy_location(name(self.temporary(statement, "result")), whole)
        return self.expand(statement, [Assign(own.id, whole, statement.location),
                                       replace(statement, **{field: own})], environment)

    def named_in_turn(self, statement: Any, field: str, parts: list[gast.AST], made: list) -> list:
        """The statement with names for parts of it, which get them before it one by one; of the last that is what
        ``made`` does, if anything."""
        first: list = []
        whole = statement
        for place, part in enumerate(parts):
            last = place == len(parts) - 1
            variable = self.temporary(whole if last else (whole, place), "items" if last and made else "part")
            first += made if last and made else [Assign(variable, part, statement.location)]
            own = gast.copy_location(name(variable), part)
            statement = replace(statement, **{field: with_part(getattr(statement, field), part, own)})
        return [*first, statement]

    def names_behind(self, node: gast.AST) -> set[str]:
        """The names that an expression mentions, and those that functions in it take from around them."""
        names = [part for part in walk(node) if isinstance(part, gast.Name)]
        functions = [function for part in names
                     for function in functions_in(self.facts.values.get(id(part), Opaque()))]
        return {part.id for part in names} | {home for function in functions for _, home in function.homes}

    def roots(self, target: Any) -> set[str]:
        """The name of what a part is in that has got a name, from where it is stored back."""
        label, found = root_of(target).id, set()
        while label in self.facts.inner or label in self.program.inner:
            label = (self.facts.inner.get(label) or self.program.inner[label])[0]
            found.add(label)
        return found

    def is_view_of_names(self, node: Any) -> bool:
        """Whether an expression is a view of an array under a name, by numbers that stay what they are."""
        held, whole = (self.facts.values.get(id(part)) for part in (node, root_of(node)))
        return isinstance(held, Numeric) and held.kind == "array" and isinstance(whole, Numeric) and all(
            is_fixed(inner, self.facts) for part in walk(node) if isinstance(part, gast.Subscript)
            for inner in walk(part.slice) if isinstance(inner, gast.Name)) and self.facts.is_place(node)


def with_part(node: gast.AST, part: gast.AST, other: gast.AST) -> Any:
    """An expression with another in the place of a part of it."""
    if node is part:
        return other
    changes: dict[str, Any] = {}
    for field, place, child in ordered_children(node):
        new = with_part(child, part, other)
        if new is not child:
            change(node, field, place, new, changes)
    return rebuilt(node, changes)


def with_each(node: gast.AST, part: gast.AST, other: gast.AST) -> Any:
    """An expression with another wherever something is written like a part; comprehensions, whose names may stand for
    something else, are left alone."""
    if same(node, part):
        return gast.copy_location(copy.deepcopy(other), node)
    changes: dict[str, Any] = {}
    for field, place, child in () if isinstance(node, (gast.Lambda, *COMPREHENSIONS)) else ordered_children(node):
        new = with_each(child, part, other)
        if new is not child:
            change(node, field, place, new, changes)
    return rebuilt(node, changes)


def comes_first(node: gast.AST, part: gast.AST, facts: Facts) -> bool:
    """Whether a part of an expression is evaluated in any case, and nothing before it that does something."""
    if node is part:
        return True
    for _, _, child in ordered_children(node) if is_sure(node) else ():
        if part in walk(child):
            return comes_first(child, part, facts)
        if has_effect(child, facts):
            return False
    return False


def evaluated_before(node: gast.AST, part: gast.AST, facts: Facts) -> list[gast.AST] | None:
    """What Python evaluates in an expression before a part of it, which may do something, and may find something else
    than after it; None where it may not come to that part, or what comes before can't have names."""
    if node is part:
        return []
    if isinstance(node, COMPREHENSIONS) and part in walk(node.generators[0].iter):  # evaluated once, and first
        return evaluated_before(node.generators[0].iter, part, facts)
    found: list[gast.AST] = []
    for field, _, child in ordered_children(node) if is_sure(node) else ():
        if part in walk(child):
            inner = evaluated_before(child, part, facts)
            return None if inner is None else [*found, *inner]
        if field == "func" and isinstance(child, gast.Attribute):
            child = child.value
        if isinstance(child, (gast.Starred, gast.Slice)) and not stays(child, facts):
            return None
        plain = isinstance(child, gast.Name) or isinstance(child, gast.Lambda) and not late_defaults(child.args)
        found += [] if plain or stays(child, facts) else [child]
    return None


def stays(node: gast.AST, facts: Facts) -> bool:
    """Whether an expression gives the same whatever has been done to arrays and containers before."""
    known = isinstance(facts.values.get(id(node)), Known)  # of an array that is its form, which stays what it is
    return not has_effect(node, facts) and all(
        is_fixed(part, facts) or known and isinstance(facts.values.get(id(part)), Numeric)
        for part in walk(node) if isinstance(part, gast.Name))


def is_fixed(node: gast.AST, facts: Facts) -> bool:
    """Whether a name stands for what nothing can be written into."""
    value = facts.values.get(id(node))
    return isinstance(value, Known) or isinstance(value, Numeric) and value.is_number
