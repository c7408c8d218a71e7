"""Loops over generators, written out: the generator's text with the loop's body in the place of each ``yield``.

That is what Python does, to and fro: what the generator does between two values is done between two turns, it sees what
the body changes, and where the loop is left it is not asked for more.
"""
from __future__ import annotations

import copy
import dataclasses
import inspect
import itertools
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler import objects
from s2sgrad.compiler.comprehensions import names_active, pattern_of
from s2sgrad.compiler.contexts import MADE_BY_CONTEXTMANAGER
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.effects import may_write
from s2sgrad.compiler.factories import renamed
from s2sgrad.compiler.handed_out import hands_out, returns_iterator
from s2sgrad.compiler.iterators import LAZY
from s2sgrad.compiler.leaving import marked, without
from s2sgrad.compiler.named_before import with_part
from s2sgrad.compiler.nodes import (
    Names,
    attribute,
    call,
    constant,
    holder,
    name,
    names_in,
    root,
    subscript,
    tuple_of,
    walk,
)
from s2sgrad.compiler.pipelines import Pipelines, in_place, run_through_once
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Attempt,
    Augment,
    Branch,
    Context,
    Delete,
    Evaluate,
    Handler,
    Leave,
    Loop,
    Program,
    Rest,
    Store,
    Verbatim,
    assigned_names,
    blocks_of,
    rebound_names,
    statements,
)
from s2sgrad.compiler.scopes import bound_names, yields
from s2sgrad.compiler.sharing import may_be_written
from s2sgrad.containers import in_library
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import Function, Items, Numeric, Opaque, known_value

MOST_COPIES = 40
"""A body is written so many lines at most, if there are several ``yield``."""
MOST_TIMES = 16
"""A generator is written out so often at most in one function: those that run over themselves have no end."""
PLAIN = (Assign, Augment, Store, Append, Evaluate, Branch, Delete, Leave, Loop, Verbatim)


@dataclasses.dataclass
class Asked:
    """A loop over a generator, and over what else it runs at the same time."""

    call: gast.Call
    definition: Definition
    homes: tuple[tuple[str, str], ...]
    partners: tuple[Any, ...] = ()
    """What ``zip`` or ``enumerate`` puts beside its values, None in the place of these; a number to count from."""
    stop: int | None = None
    """How many values are asked for at most."""


class Inlined(Pipelines):
    def __init__(self, *arguments: Any, **keywords: Any):
        super().__init__(*arguments, **keywords)
        self.inlined: dict[Loop, tuple[Definition, list]] = {}
        """Loops that were written out before, with the statements for them."""
        self.firsts: dict[Assign, list] = {}
        """The same for assignments of what ``next`` gives."""
        self.blocks: dict[Context, Loop] = {}
        """The loops that do what ``with`` blocks do."""
        self.asking: dict[Loop, list] = {}
        """The same for loops over objects that are their own iterators."""

    def in_place_of_yield(self, statement: Loop, environment: dict) -> list | None:
        """The statements of a loop over a generator; None for every other loop, and for generators that can't be
        written out."""
        asked = self.asked(statement.iterable, environment) if statement.target is not None else None
        if asked is None:
            return None
        if statement in self.inlined and self.inlined[statement][0] == asked.definition:
            return self.inlined[statement][1]
        function = asked.definition.function
        if self.program.written_out.count(function) + self.facts.inlined.count(function) >= MOST_TIMES:
            return None
        try:
            definition, given = asked.definition.fitting(
                asked.call.args, {item.arg: item.value for item in asked.call.keywords})
            plain = dataclasses.replace(definition, plain=True)
            program = self.program_of(plain)
            if not program.stands_in:
                plain, program = definition, self.program_of(definition)
            made = self.written(statement, asked, program, plain, given, environment)
        except TypeError:
            return None
        if made is not None:
            self.facts.inlined.append(function)
            self.inlined[statement] = asked.definition, made
        return made

    def do_Context(self, statement: Context, environment: dict) -> dict | None:
        loop = self.around_block(statement, environment)
        made = None if loop is None else self.in_place_of_yield(loop, environment)
        return super().do_Context(statement, environment) if made is None else self.expand(
            statement, made, environment)

    def around_block(self, statement: Context, environment: dict) -> Loop | None:
        """The loop, of one turn, that does what a ``with`` block does whose manager is made by ``@contextmanager`` of a
        generator with one ``yield``, which gets differentiated values or writes into what it gets; None for every other
        block."""
        if not statement.items or leaves(statement.body):
            return None
        (manager, target), *more = statement.items
        if not isinstance(manager, gast.Call):
            return None
        manager = self.method_found(manager, environment) or manager
        maker = known_value(self.passively(manager.func, environment))
        generator = getattr(maker, "__wrapped__", None)
        if not isinstance(generator, types.FunctionType) or maker.__code__ is not MADE_BY_CONTEXTMANAGER \
                or not inspect.isgeneratorfunction(generator):
            return None
        if statement not in self.blocks:
            call_ = gast.copy_location(gast.Call(self.given(generator), manager.args, manager.keywords), manager)
            body = (Context(tuple(more), statement.body, statement.location),) if more else statement.body
            self.blocks[statement] = Loop(target or self.temporary(statement, "given"), call_, body,
                                          statement.location)
        loop = self.blocks[statement]
        if self.asked(loop.iterable, environment) is None:
            return None
        text = self.program_of(Definition(generator, collected=True)).body
        items = text[0].target
        given = [part for part in statements(text) if isinstance(part, Append) and root(part.target) == items]
        ends = [part for part in statements(text) if isinstance(part, Leave) and part is not text[-1] and (
            part.kind != "raise" or part.value is not None)]
        return loop if len(given) == 1 and is_reached(given[0], text) and not ends else None

    def asked(self, node: Any, environment: dict) -> Asked | None:
        if isinstance(node, (gast.Name, gast.Attribute)):
            node = self.iterated(node, self.evaluate(node, environment))
        if not isinstance(node, gast.Call) or any(isinstance(item, gast.Starred) for item in node.args) or any(
                item.arg is None for item in node.keywords):
            return None
        try:
            method = self.method_found(node, environment)
            node = node if method is None else method
            if not isinstance(node, gast.Call):
                return None
            callee = self.passively(node.func, environment)
        except UnsupportedError:  # what it is called on is no generator's: it is looked at as it stands
            return None
        function = known_value(callee)
        if any(function is known for known in (enumerate, zip, itertools.islice)) and not node.keywords:
            return self.asked_beside(node, function, environment)
        if isinstance(callee, Function) and not callee.gradient and (
                yields(callee.syntax) or hands_out(callee.syntax, callee.owner)):
            definition, homes = Definition(callee.owner, syntax=callee.syntax, collected=True), callee.homes
        elif isinstance(function, types.FunctionType) and not in_library(function.__module__ or "") and (
                inspect.isgeneratorfunction(function) or returns_iterator(function)):
            definition, homes = Definition(function, collected=True), ()
        else:
            return None
        parts = [*node.args, *(part.value for part in node.keywords)]
        handed = [self.is_iterator(item, environment) for item in parts]
        values = [Opaque() if iterator else self.evaluate(item, environment)
                  for item, iterator in zip(parts, handed)]
        homely = [environment[home].value for _, home in homes if home in environment]
        if not any(names_active(item, environment) for item, iterator in zip(parts, handed) if iterator) and not any(
                value.active for value in (*values, *homely)) and not self.closes_over_active(
                values, environment) and not self.is_block_that_writes(node, function, values, environment):
            return None
        return Asked(node, definition, homes)

    def is_block_that_writes(self, node: gast.Call, function: Any, values: list, environment: dict) -> bool:
        """Whether a call makes the manager of a ``with`` block, and what it writes into is this function's own and read
        here, too."""
        if not any(loop.iterable is node for loop in self.blocks.values()) or not may_write(function):
            return False
        given = [item for item, value in zip((*node.args, *(part.value for part in node.keywords)), values)
                 if may_be_written(value)]
        return all(holder(item) in environment for item in given) and not all(
            isinstance(item, gast.Name) and self.is_only_noted(item.id, environment)  # type: ignore[attr-defined]
            for item in given)

    def asked_beside(self, node: gast.Call, function: Any, environment: dict) -> Asked | None:
        """A loop over ``enumerate(given)``, ``zip(items, given)`` or ``islice(given, stop)``."""
        inner = [self.asked(item, environment) for item in node.args]
        found = [item for item in inner if item is not None]
        if len(found) != 1 or found[0].partners or not 1 <= len(node.args) <= 2:
            return None
        if function is zip:
            partners = [None if item is not None else self.beside(part, environment)
                        for item, part in zip(inner, node.args)]
            return replace(found[0], partners=tuple(partners)) if partners.count(None) == 1 else None
        last = known_value(self.passively(node.args[1], environment)) if len(node.args) == 2 else 0
        if inner[0] is None or type(last) is not int or function is not enumerate and last < 1:
            return None
        if function is enumerate:
            return replace(found[0], partners=(last, None))
        return replace(found[0], stop=last)

    def beside(self, node: Any, environment: dict) -> Any:
        """What ``zip`` puts beside a generator's values: a sequence, or the number that ``count`` starts with."""
        function = self.function_of(node, environment)
        if function is range:
            return node
        if function is itertools.count and not node.keywords and len(node.args) < 2:
            start = known_value(self.passively(node.args[0], environment)) if node.args else 0
            return start if type(start) is int else None
        value = self.evaluate(node, environment)
        is_list = isinstance(value, Items) and not value.is_object and not value.is_dict
        return node if is_list or isinstance(value, Numeric) and not value.is_number else None

    def written(self, statement: Loop, asked: Asked, program: Program, definition: Definition, given: list,
                environment: dict) -> list | None:
        items = program.body[0].target
        text = program.body[1:-1] if isinstance(program.body[-1], Leave) else program.body[1:]
        places = [part for part in statements(text) if isinstance(part, Append) and root(part.target) == items]
        lines = sum(1 for _ in statements(statement.body))
        kinds = (*PLAIN, Context, Attempt, Handler) if statement in self.blocks.values() else PLAIN
        if not places or (len(places) - 1) * lines > MOST_COPIES or program.outer or not self.is_plain(
                text, items, len(places), kinds):
            return None
        fresh = Names(self.program.names | program.names | set(self.facts.given) | self.facts.reserved | self.local)
        meaning: dict[str, str] = dict(asked.homes)
        before: list = []
        iterators: dict[str, gast.AST] = {}
        rebound = assigned_names(text, written=False)
        theirs = rebound_names(statement)
        for label, part, default in zip(program.parameters, given, definition.defaults()):
            if isinstance(part, gast.Name) and part.id in environment and label not in rebound \
                    and part.id not in theirs:
                meaning[label] = part.id
                continue
            if part is None and not isinstance(default, (type(None), bool, int, float, str)):
                return None
            meaning[label] = fresh.fresh(label)
            if label not in rebound and run_through_once(text, label):
                iterator = self.asked_later(part, statement, environment, fresh, before)
                if iterator is not None:
                    iterators[meaning[label]] = iterator
                    continue
            value = part if part is not None else gast.copy_location(constant(default), asked.call)
            before.append(Assign(meaning[label], value, statement.location))
        meaning.update((label, fresh.fresh(label)) for label in sorted(rebound - set(meaning)))
        if not all(label in meaning or self.means_the_same(label, asked.definition.function) for label in program.free):
            return None
        for label, function in program.given.items():
            meaning[label] = self.given(function).id
        mine = [self.partner(part, statement, fresh, before) for part in asked.partners]
        given_out = self.partner(0, statement, fresh, before) if asked.stop is not None else None
        body = marked(marked(statement.body, "continue", "next value"), "break", "no more")

        def turn(put: Append) -> tuple:
            value = renamed(copy.deepcopy(put.value), meaning)
            once = without(copy.deepcopy(body), "next value", fresh.fresh("skipped"))
            return self.turn(statement, mine, value, once + self.counted(given_out, asked.stop, statement))

        whole = rewritten(marked(text, "return", "no more"), items, meaning, turn)
        made = [*before, *without(in_place(whole, iterators), "no more", fresh.fresh("left"))]
        if mine and mine[0] is not None and mine[0][0]:  # zip asks the first one first
            there = gast.Compare(call(self.given(len), name(mine[0][0])), [gast.Gt()], [constant(0)])
            made = [*before, Branch(self.placed(there, statement.iterable), tuple(made[len(before):]), (),
                                    statement.location)]
        new = assigned_names(tuple(made))
        self.facts.reserved |= (new | set(program.free) - set(meaning)) - self.program.names
        self.local |= new
        return made

    def means_the_same(self, label: str, function: types.FunctionType) -> bool:
        """Whether an outer name of a function means here what it means there."""
        owner = self.program.owner
        return function is owner or function.__globals__ is owner.__globals__ and label not in self.local \
            and label not in function.__code__.co_freevars and label not in owner.__code__.co_freevars

    # ---- objects that are their own iterators

    def asking_object(self, statement: Loop, environment: dict) -> list | None:
        """The statements of a loop over an object whose ``__iter__`` returns it and whose ``__next__`` gives one value
        after the other; None for every other loop."""
        source: Any = statement.iterable
        made = isinstance(source, gast.Call) and statement.target is not None
        if made:
            kind = self.function_of(source, environment)
        elif statement.target is not None and isinstance(source, (gast.Name, gast.Attribute)):
            kind = getattr(self.evaluate(source, environment), "kind", None)
        else:
            return None
        if not isinstance(kind, type) or not self.is_own_iterator(kind):
            return None
        if statement not in self.asking:
            fresh = Names(self.program.names | set(self.facts.given) | self.facts.reserved | self.local)
            location = statement.location
            before: tuple = ()
            if not isinstance(source, gast.Name) or source.id in rebound_names(statement):
                before = (Assign(fresh.fresh("iterator"), source, location),)
            asked_one = before[0].target if before else source.id
            if len(self.program_of(Definition(objects.found_in(kind, "__iter__"))).body) > 1:  # it starts anew
                begun = call(attribute(name(asked_one), "__iter__"))
                before += (Evaluate(self.placed(begun, source), location),)
            item = call(attribute(name(asked_one), "__next__"))
            asked = Assign(statement.target, self.placed(item, source), location)
            caught = Handler(self.placed(self.given(StopIteration), source), (Leave("break", None, location),),
                             (Leave("raise", None, location),), location)
            turn = Attempt(constant(True), (Context((), (asked,), location),), (caught,), location)
            loop = Loop(None, self.placed(constant(True), source), (turn, *statement.body), location)
            self.asking[statement] = [*before, loop]
            new = assigned_names(tuple(self.asking[statement]))
            self.facts.reserved |= new - self.program.names
            self.local |= new
        return self.asking[statement]

    def is_own_iterator(self, kind: type) -> bool:
        """Whether a loop over an object of a class asks the object itself: ``__iter__`` returns it."""
        iterates, gives = (objects.found_in(kind, label) for label in ("__iter__", "__next__"))
        if not all(isinstance(found, types.FunctionType) and not in_library(found.__module__ or "")
                   for found in (iterates, gives)) or inspect.isgeneratorfunction(iterates):
            return False
        self.outer("__iter__", kind)
        program = self.program_of(Definition(iterates))
        *first, last = program.body
        return isinstance(last, Leave) and isinstance(last.value, gast.Name) and last.value.id == program.receiver \
            and not leaves(tuple(first)) and program.receiver not in assigned_names(tuple(first), written=False)

    # ---- next()

    def next_value(self, statement: Assign, environment: dict) -> list | None:
        """The statements for ``y = next(given)`` and ``y = next(given, default)``, a loop that is left at once; None
        for everything else, and where nothing is differentiated."""
        node: Any = statement.value
        if not isinstance(node, gast.Call) or node.keywords or not 1 <= len(node.args) <= 2 \
                or self.function_of(node, environment) is not next:
            return None
        if statement not in self.firsts:
            source, location = node.args[0], statement.location
            if isinstance(source, gast.Call) and len(source.args) == 1 and known_value(
                    self.passively(source.func, environment)) is iter:
                source = source.args[0]
            elif not isinstance(source, gast.Call) and not (
                    isinstance(source, gast.GeneratorExp) and len(source.generators) == 1):
                return None
            given = self.first_given(node, environment)
            if given is not None and not given.active:
                return None
            fresh = Names(self.program.names | set(self.facts.given) | self.facts.reserved | self.local)
            done: tuple = (Leave("break", None, location),)
            before: list = []
            if any(isinstance(part, gast.Call) for default in node.args[1:] for part in walk(default)):
                source = self.made_before(source, before, fresh, environment, location)
            if len(node.args) == 2:
                first = fresh.fresh("first")
                before.append(Assign(first, node.args[1], location))
                after: Any = Assign(statement.target, self.placed(name(first), node), location)
                loop = self.first_of(source, first, done, fresh, location)
            else:
                found = fresh.fresh("found")
                done = (Assign(found, self.placed(constant(True), node), location), *done)
                before.append(Assign(found, self.placed(constant(False), node), location))
                nothing = self.placed(call(self.given(StopIteration)), node)
                missing = self.placed(gast.UnaryOp(gast.Not(), name(found)), node)
                after = Branch(missing, (Leave("raise", nothing, location),), (), location)
                loop = self.first_of(source, statement.target, done, fresh, location)
            self.firsts[statement] = [*before, loop, after]
            new = assigned_names(tuple(self.firsts[statement]))
            self.facts.reserved |= new - self.program.names
            self.local |= new
        return self.firsts[statement]

    def made_before(self, source: Any, lines: list, fresh: Names, environment: dict, location: Any) -> Any:
        """What is run through, with names for those parts that Python evaluates before the default, and that do
        something."""
        if isinstance(source, gast.GeneratorExp):
            parts = [source.generators[0].iter]
        elif isinstance(source, gast.Call) and any(self.function_of(source, environment) is lazy for lazy in LAZY):
            parts = source.args
        elif self.is_acting(source, environment):  # type: ignore[attr-defined]
            label = fresh.fresh("items")
            lines.append(Assign(label, source, location))
            return self.placed(name(label), source)
        else:
            return source
        for part in parts:
            source = with_part(source, part, self.made_before(part, lines, fresh, environment, location))
        return source

    def first_of(self, source: Any, first: Any, done: tuple, fresh: Names, location: Any) -> Loop:
        """The loop that binds a target to the first of the values of an expression."""
        if not isinstance(source, gast.GeneratorExp):
            item = fresh.fresh("item")
            return Loop(item, source, (Assign(first, self.placed(name(item), source), location), *done), location)
        own = {label: fresh.fresh(label) for label in bound_names(source.generators[0].target)}
        copied: Any = renamed(copy.deepcopy(source), own)
        turns = copied.generators[0]
        body: tuple = (Assign(first, copied.elt, location), *done)
        for test in reversed(turns.ifs):
            body = (Branch(test, body, (), location),)
        return Loop(pattern_of(turns.target), source.generators[0].iter, body, location)  # which is evaluated outside

    def is_plain(self, text: tuple, items: str, count: int, kinds: tuple) -> bool:
        """Whether a generator does nothing with its values but to give them, and all its statements can be renamed."""
        mentions = sum(names_in(part).count(items) for inner in statements(text) for part in vars(inner).values()
                       if isinstance(part, gast.AST))
        ends = sum(isinstance(inner, Leave) and inner.kind == "return" for inner in statements(text))
        return mentions == count + ends and all(type(inner) in kinds for inner in statements(text)) and not any(
            getattr(inner, "items", ()) for inner in statements(text)) and not any(
            isinstance(part, (gast.NamedExpr, gast.FunctionDef)) for inner in statements(text)
            for field in vars(inner).values() if isinstance(field, gast.AST) for part in walk(field))

    def partner(self, part: Any, statement: Loop, fresh: Names, before: list) -> tuple[str, str] | None:
        """The names of what is run through beside a generator, and of the place in it."""
        if part is None:
            return None
        count = fresh.fresh("turn")
        before.append(Assign(count, constant(part if isinstance(part, int) else 0), statement.location))
        if isinstance(part, int):
            return "", count
        if isinstance(part, gast.Name):
            return part.id, count
        label = fresh.fresh("sequence")
        before.append(Assign(label, part, statement.location))
        return label, count

    def counted(self, partner: tuple[str, str] | None, stop: int | None, statement: Loop) -> tuple:
        """The end of a turn of which there are so many at most."""
        if partner is None:
            return ()
        node, location, count = statement.iterable, statement.location, partner[1]
        more = Assign(count, self.placed(gast.BinOp(name(count), gast.Add(), constant(1)), node), location)
        enough = self.placed(gast.Compare(name(count), [gast.GtE()], [constant(stop)]), node)
        return more, Branch(enough, (Leave("no more", None, location),), (), location)

    def turn(self, statement: Loop, partners: list, value: gast.AST, body: tuple) -> tuple:
        """What is done with one value of a generator."""
        location, node = statement.location, statement.iterable
        if not partners:
            return Assign(statement.target, value, location), *body
        done = Leave("no more", None, location)
        items: list = []
        first: list = []
        last: list = []
        for index, partner in enumerate(partners):
            if partner is None:
                items.append(value)
                continue
            label, count = partner
            items.append(subscript(name(label), name(count)) if label else name(count))
            last.append(Assign(count, self.placed(gast.BinOp(name(count), gast.Add(), constant(1)), node), location))
            if label:
                short = self.placed(gast.Compare(name(count), [gast.GtE()], [call(self.given(len), name(label))]), node)
                (first if index else last).append(Branch(short, (done,), (), location))
        bound = Assign(statement.target, gast.copy_location(tuple_of(items), node), location)
        for item in items:
            if item is not value:
                self.placed(item, node)
        return (*first, bound, *body, *last)


def is_reached(statement: Any, block: tuple) -> bool:
    """Whether control comes to a statement of a block whatever way it takes."""
    return statement in block or any(
        isinstance(part, (Context, Attempt)) and is_reached(statement, part.body) for part in block)


def leaves(body: tuple, in_loop: bool = False) -> bool:
    """Whether a block may be left otherwise than by its end or an exception."""
    for statement in body:
        if isinstance(statement, Leave) and (statement.kind == "return" or not in_loop and statement.kind != "raise"):
            return True
        if any(leaves(block, in_loop or isinstance(statement, Loop)) for block in blocks_of(statement)):
            return True
    return False


def rewritten(block: tuple, items: str, meaning: dict[str, str], turn: Callable[[Append], tuple]) -> tuple:
    """A generator's statements under other names, with something else in the place of each ``yield``."""
    result: list = []
    for statement in block:
        if isinstance(statement, Append) and root(statement.target) == items:
            result += turn(statement)
            continue
        parts: dict[str, Any] = {}
        for field in dataclasses.fields(statement):
            part = getattr(statement, field.name)
            if isinstance(part, gast.AST):
                parts[field.name] = renamed(copy.deepcopy(part), meaning)
            elif field.name in ("then", "orelse", "body", "final"):
                parts[field.name] = rewritten(part, items, meaning, turn)
            elif field.name == "target":
                parts[field.name] = pattern(part, meaning)
            elif field.name == "writes":
                parts[field.name] = tuple(meaning.get(label, label) for label in part)
        if isinstance(statement, Leave) and statement.kind == "no more":
            parts = {"value": None}
        result.append(replace(statement, **parts))
    return tuple(result)


def pattern(part: Any, meaning: dict[str, str]) -> Any:
    if isinstance(part, str):
        return meaning.get(part, part)
    if isinstance(part, Rest):
        return replace(part, name=meaning.get(part.name, part.name))
    return part if part is None else tuple(pattern(inner, meaning) for inner in part)
