"""Generators that are run through where they are called: functions that return the list of what they yield. (Loops
over generators are mostly written out instead, see ``inlined.py``.)

That runs a generator to its end before the loop over it starts, where Python goes to and fro between them. So neither
may notice: a generator must do nothing but give values, must come to an end if the loop might not ask for all of them,
and the loop must not write into what the generator reads or has given.
"""
from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Sequence
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.calls import Calls
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.effects import functions_in
from s2sgrad.compiler.equivalents import FROM_ITERABLE, rest_of
from s2sgrad.compiler.evaluation import NeedsName
from s2sgrad.compiler.facts import Version
from s2sgrad.compiler.nodes import Names, constant, name, walk
from s2sgrad.compiler.passive_calls import NeedsLoop
from s2sgrad.compiler.program import (
    Context,
    Loop,
    Program,
    Verbatim,
    assigned_names,
    expressions_in,
    leaves,
    pattern_names,
    statements,
)
from s2sgrad.compiler.running_again import gives_the_same, involved, runs_alike
from s2sgrad.compiler.scopes import YIELDS, free_names, read_names, yields
from s2sgrad.compiler.sharing import bindings, later_contents, shared
from s2sgrad.compiler.telling import is_told
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import Abstract, Numeric, Opaque, known_value

HAND_ON = (itertools.islice, itertools.chain, FROM_ITERABLE, itertools.cycle, itertools.repeat, itertools.compress,
           itertools.zip_longest, np.ndenumerate, rest_of, getattr(itertools, "pairwise", itertools.chain))
"""Iterators that give items of what they run through as they are, or tuples of them."""
CHOOSE = (filter, itertools.takewhile, itertools.dropwhile)
ITEM_BY_ITEM = (*HAND_ON, *CHOOSE, map, itertools.accumulate, itertools.starmap)
"""Those that look at one item after the other, as they are asked for them."""
STOP = (zip, itertools.islice, itertools.takewhile, itertools.compress)
"""Those of them, and of what else gives one thing after another, that may not ask for all items of what they get."""
RUN_TO_THE_END = (list, tuple, deque, sum, min, max, sorted)
"""What asks for all that there is."""
BEFORE_OR_INSIDE = "run through a list that is made before, or write its computation into the loop"


def collected(tree: Any) -> Any:
    """A generator as the function that returns a list of what it yields. What is no plain ``yield value`` on a line of
    its own is left as it is, for nobody to take. An ``__iter__`` that is none returns what it makes an iterator of."""
    if not yields(tree):
        return _Returned().visit(tree)
    items = Names({part.id for part in gast.walk(tree) if isinstance(part, gast.Name)}).fresh("items")
    made = gast.copy_location(gast.Assign([gast.Name(items, gast.Store(), None, None)], gast.List([], gast.Load()),
                                          None), tree)
    whole = _Collected(items).visit(gast.Module(tree.body, []))
    tree.body = [made, *whole.body, gast.copy_location(gast.Return(gast.copy_location(name(items), tree)), tree)]
    return tree


class _Returned(gast.NodeTransformer):
    """``return items`` for ``return iter(items)``."""

    def visit_Return(self, node: gast.Return) -> gast.AST:
        made = node.value
        if isinstance(made, gast.Call) and isinstance(made.func, gast.Name) and made.func.id == "iter" \
                and len(made.args) == 1 and not made.keywords:
            return gast.copy_location(gast.Return(made.args[0]), node)
        return node


class _Collected(gast.NodeTransformer):
    def __init__(self, items: str):
        self.items = items

    def visit_FunctionDef(self, node: gast.FunctionDef) -> gast.AST:
        return node

    visit_Lambda = visit_FunctionDef

    def visit_Expr(self, node: gast.Expr) -> gast.AST:
        given = node.value
        if not isinstance(given, YIELDS):
            return node
        value = given.value if given.value is not None else gast.copy_location(constant(None), given)
        method = "append" if isinstance(given, gast.Yield) else "extend"
        called = gast.Attribute(gast.copy_location(name(self.items), given), method, gast.Load())
        put = gast.copy_location(gast.Call(gast.copy_location(called, given), [value], []), given)
        return gast.copy_location(gast.Expr(put), node)

    def visit_Return(self, node: gast.Return) -> list:
        end = gast.copy_location(gast.Return(gast.copy_location(name(self.items), node)), node)
        if node.value is None or isinstance(node.value, (gast.Constant, gast.Name)):
            return [end]
        return [gast.copy_location(gast.Expr(node.value), node), end]  # only who calls next() sees what it is


def does_more(derivative: Any) -> bool:
    """Whether a function does something besides giving values, and asking what it decides by; or reads what changes
    meanwhile."""
    facts = derivative.facts
    return runs_alike(derivative) is not None or bool(facts.written or facts.passing) or any(
        not isinstance(manager, gast.Call) or known_value(facts.value(manager.func)) is not np.errstate
        for statement in statements(derivative.program.body) if isinstance(statement, Context)
        for manager, _ in statement.items)


def may_go_on(program: Program) -> bool:
    return any(isinstance(statement, Loop) and statement.target is None for statement in statements(program.body))


def evaluated_at_once(node: gast.AST) -> list[gast.AST]:
    """The parts of what gives one item after the other that Python evaluates before the first."""
    return [node.generators[0].iter] if isinstance(node, gast.GeneratorExp) else list(node.args)


def may_stop(function: Any, count: int) -> bool:
    """Whether a function that gets so many arguments may not ask for all that one of them gives."""
    return any(function is one for one in STOP) or function in (map, np.fromiter) and count > 2


def leaves_items(change: Any, value: Abstract) -> bool:
    """Whether a change leaves what is in a list, or the rows of an array, there: something in these changes."""
    if getattr(change, "back", False):
        return True
    return isinstance(value, Numeric) and value.rank is not None and value.rank > 1


class Generators(Calls):
    """Calls of generators."""

    def run_to_the_end(self, node: gast.AST) -> None:
        """All that an expression gives is asked for."""
        self.facts.exhausted.add(id(node))
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id in ("enumerate",
                                                                                                  "reversed"):
            for item in node.args:
                self.run_to_the_end(item)

    def run_through(self, node: gast.Call) -> None:
        super().run_through(node)
        if known_value(self.facts.value(node.func)) in RUN_TO_THE_END:
            for item in node.args:
                self.run_to_the_end(item)

    def generated(self, node: gast.Call, definition: Definition, homes: tuple, environment: dict) -> Abstract:
        """What a call of a generator gives: the list of its values, where they are differentiated."""
        label = definition.function.__name__ if definition.syntax is None else getattr(
            definition.syntax, "name", "the lambda")
        if id(node) not in self.facts.consumed:
            raise self.refusal(f"what {label} gives can be run through once only, and gets a name here",
                               f"make a list of it, list({label}(...)); iter(list({label}(...))) where next asks it",
                               node)
        try:
            result = self.user_call(node, definition, homes, environment)
        except NeedsName as need:
            raise (self.needs_loop(node, label) if need.node is node else need) from None
        derivative = self.facts.calls[id(node)].derivative
        if derivative.settled:
            self.check_generator(node, label, derivative)
        if result.active or isinstance(result, Opaque):
            return result
        del self.facts.calls[id(node)], self.facts.callees[id(node)]
        return Opaque(told=is_told(result))

    def needs_loop(self, node: gast.AST, label: str) -> NeedsLoop:
        """What is raised where such a generator stands elsewhere."""
        return NeedsLoop(node, self.refusal(
            f"{label} does more than to give values, and does that between the turns of the loop",
            "write a loop over it alone, or let it return a list", node))

    def check_generator(self, node: gast.Call, label: str, derivative: Any) -> None:
        if any(map(does_more, involved(derivative))):
            raise self.needs_loop(node, label)
        if id(node) not in self.facts.exhausted and any(may_go_on(inner.program) for inner in involved(derivative)):
            raise self.refusal(f"{label} may give values without end, and not all of them are asked for here",
                               "write a loop over it, for value in ..., or let it count its turns with range", node)

    def check_turns(self, statement: Loop, environment: dict) -> None:
        """Raises UnsupportedError where a loop over a generator writes into what that reads or has given."""
        calls = [(inner, called) for inner in walk(statement.iterable) for called in [self.facts.call_of(inner)]
                 if called is not None and called.derivative.definition.collected]
        if not calls:
            return
        reached = {self.facts.defined[statement, label] for label in pattern_names(statement.target or ())}
        for _, called in calls:
            for part in called.arguments:
                reached |= set() if part is None else shared(part, self.facts, environment)
        self.share_memory(reached)
        inside = {statement, *(inner for inner in statements(statement.body) if isinstance(inner, Loop))}
        found = [new.name for old, new in self.facts.in_place.values() if old in reached and new.loop in inside]
        hidden = {part.id for _, called in calls for label, part in zip(
            called.derivative.parameters, called.arguments) if label in called.derivative.definition.hidden}
        found += sorted(hidden & assigned_names(statement.body))
        if found:
            raise UnsupportedError(f"this loop changes {found[0]}, which the generator that it runs over reads or has "
                                   "given", "loop over a list of what it gives: list(...)", statement.location)

    def check_iterators(self, statement: Loop, environment: dict) -> None:
        """Raises UnsupportedError where a loop over ``map(f, xs)`` or ``(f(x) for x in xs)`` changes what that reads
        from turn to turn, or notices what it does: here it has all been made before the first."""
        end = self.facts.turn_ends.get(statement) or {}
        targets = set(pattern_names(statement.target or ()))
        rebound = targets | assigned_names(statement.body, written=False)
        for node in self.asked_in_turns(statement.iterable):
            late = self.read_late(node) & rebound
            if self.is_made_at_once(node):
                if self.does_something(node) and (
                        leaves(statement.body) or any(map(self.is_noticed, statements(statement.body)))):
                    raise self.refusal("what this runs over does something besides giving values, in turn with the "
                                       "loop", BEFORE_OR_INSIDE, node)
                found = [*self.changed_between(statement, node, targets, environment), *sorted(late)]
            else:  # which stays what it is, but was taken for a constant
                found = sorted(label for label in late if label in end and end[label].value.active)
            if found:
                raise self.refusal(f"this loop changes {found[0]}, which what it runs over reads from turn to turn",
                                   BEFORE_OR_INSIDE, node)

    def is_noticed(self, statement: Any) -> bool:
        """Whether somebody may notice when a statement is run."""
        return isinstance(statement, Verbatim) and not isinstance(statement.node, gast.Assert) or any(
            map(self.does_something, expressions_in(statement)))

    def of_Call(self, node: gast.Call, environment: dict) -> Abstract:
        value = super().of_Call(node, environment)
        self.check_asked(node)
        return value

    def iterate(self, node: gast.AST, environment: dict) -> Abstract:
        value = super().iterate(node, environment)
        if isinstance(node, gast.Call):
            self.check_asked(node)
        return value

    def check_asked(self, node: gast.Call) -> None:
        """Raises UnsupportedError where what a call gets does something with each item, in turn with what else happens
        there, or may not be asked for all of them: here they have all been made before."""
        given = [*node.args, *(item.value for item in node.keywords)]
        late = [part for part in given if isinstance(part, (gast.GeneratorExp, gast.Call)) and any(
            self.is_made_at_once(each) and self.does_something(each, evaluated_at_once(each))
            for each in self.asked_in_turns(part))]
        if not late:
            return
        function = self.called_on(node)
        behind = [part for part in given[given.index(late[0]) + 1:]
                  if part not in late and not isinstance(part, gast.Lambda)]
        in_turn = len(late) > 1 and function is not itertools.chain or self.does_something(node, given)
        if in_turn or may_stop(function, len(given)) or any(map(self.does_something, behind)):
            raise self.refusal("this does something besides giving values, each time that it is asked for the next one",
                               "make a list of it on a line before", late[0])

    def does_something(self, node: gast.AST, but: Sequence[gast.AST] = ()) -> bool:
        """Whether a call in an expression prints, draws random numbers or the like; ``but``: not one in these parts."""
        apart = {id(part) for other in but for part in walk(other)}
        for part in walk(self.facts.spelled_out(node)):
            if isinstance(part, gast.Call) and id(part) not in apart:
                called = self.facts.callee_of(part) or self.facts.call_of(part)
                if not gives_the_same(part, self.facts, set(), frozenset()) if called is None else any(
                        map(does_more, involved(called.derivative))):
                    return True
        return False

    def changed_between(self, statement: Loop, node: Any, targets: set[str], environment: dict) -> list[str]:
        """The names of what the turns of a loop change, and what it runs over may read after that."""
        read = {*read_names(node), *read_names(self.facts.spelled_out(node)), *self.read_late(node)}
        reached = {environment[label] for label in read if label in environment}
        inner = {label for label, (outer, _) in self.facts.inner.items() if outer in read}  # self.items under a name
        self.share_memory(reached)
        inside = {statement, *(inner for inner in statements(statement.body) if isinstance(inner, Loop))}
        function = self.called_on(node) if isinstance(node, gast.Call) else None
        hands_on = any(function is one for one in HAND_ON)
        first: Any = node.generators[0].target if isinstance(node, gast.GeneratorExp) else None
        items = hands_on or any(function is one for one in CHOOSE) or isinstance(first, gast.Name) and isinstance(
            node.elt, gast.Name) and node.elt.id == first.id  # each of them is not looked at again
        return [self.facts.inner.get(new.name, (new.name,))[0] for change, (old, new) in self.facts.in_place.items()
                if (old in reached or old.name in inner) and new.loop in inside and not (
                    hands_on and leaves_items(change, old.value)) and not (items and old.name in targets)]

    def asked_in_turns(self, node: Any) -> list:
        """The parts of what a loop runs over that Python evaluates item by item."""
        if isinstance(node, gast.GeneratorExp):
            return [node, *self.asked_in_turns(node.generators[0].iter)]
        function = self.called_on(node) if isinstance(node, gast.Call) else None
        lazy = any(function is one for one in ITEM_BY_ITEM)
        if not lazy and not any(function is one for one in (zip, enumerate, reversed)):
            return []
        found = [part for item in node.args for part in self.asked_in_turns(item)]
        return [node, *found] if lazy else found

    def comes_by_and_by(self, node: Any, label: str) -> bool:
        """Whether Python evaluates an expression item by item, as somebody asks for them; of a generator, whether
        it gets what has this name."""
        called = self.facts.call_of(node)
        return bool(self.asked_in_turns(node)) or called is not None and called.derivative.definition.collected \
            and label in read_names(node)

    def is_made_at_once(self, node: Any) -> bool:
        """Whether what is evaluated item by item is a list in generated code, made before the loop."""
        value = self.facts.values.get(id(node))
        if isinstance(node, gast.GeneratorExp):
            return value is not None and value.active
        return self.facts.spelled_out(node) is not node

    def called_on(self, node: gast.Call) -> Any:
        return known_value(self.facts.values.get(id(node.func), Opaque()))

    def read_late(self, node: Any) -> set[str]:
        """The names that functions and expressions read which are evaluated for each item."""
        parts: list = [part for part in gast.walk(node) if isinstance(part, gast.Lambda)]
        found = {label for part in parts for label in free_names(part)}
        for part in gast.walk(node):
            if isinstance(part, gast.GeneratorExp):
                first = part.generators[0]
                whole = gast.GeneratorExp(part.elt, [gast.comprehension(
                    first.target, constant(()), first.ifs, 0), *part.generators[1:]])
                found |= set(read_names(whole))
        values = [self.facts.values.get(id(part)) for part in gast.walk(node)]
        return found | {home for value in values if value is not None for function in functions_in(value)
                        for _, home in function.homes}

    def share_memory(self, found: set[Version]) -> None:
        """Add the versions that may be, or hold, the same memory: what these were made of, too."""
        size = -1
        while size < len(found):
            size = len(found)
            for _, version, sources in bindings(self.facts):
                found.update(sources if version in found else ())
            found.update(old for old, new in self.facts.in_place.values() if new in found)
            found.update(source for version in set(found) for source in version.sources)
            later_contents(found, self.facts)
