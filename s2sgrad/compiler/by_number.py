"""Arrays that several names and containers may hold, as numbers of places in one list that holds each of them once.

``history.append(u); u += h`` becomes ``history.append(u_place); arrays[u_place] += h``, and what reads ``history[0]``
reads ``arrays[history[0]]``: which name stands for which array is then said by numbers, and an array's cotangent is in
one place. That is what Python does with references, so nothing but the text changes; whether the writes may be reversed
is found out about the new text as about any other. It is tried only once a program was refused as it stands.
"""
from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.desugar import renamed
from s2sgrad.compiler.facts import Facts, Version, is_array, with_joins
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Augment,
    Branch,
    Context,
    Declare,
    Delete,
    Evaluate,
    Import,
    Leave,
    Loop,
    Names,
    Pattern,
    Program,
    Remove,
    Rest,
    Store,
    assigned_names,
    call,
    constant,
    expressions_in,
    located_at,
    mentioned,
    name,
    names_in,
    pattern_names,
    read_names,
    statements,
    subscript,
    tuple_of,
)
from s2sgrad.compiler.respell import assigned, changed
from s2sgrad.compiler.scopes import COMPREHENSIONS, bound_names
from s2sgrad.compiler.sharing import shared
from s2sgrad.rules.abstract import Abstract, Items, Known, Numeric, Opaque, items_of

HAND_ON = (list, tuple, reversed, enumerate, zip)
"""Builtins that give what their arguments hold."""
TAKE = {"pop", "copy", "keys", "values", "items", "get"}
"""Methods of containers that give what these hold."""
ARRANGE = {"clear", "reverse", "extend", "pop"}
"""Methods of containers that change only which of the arrays they hold, and where."""
READ = (sum, min, max)
"""Builtins that keep nothing of the containers that they get."""


class Unfit(Exception):
    """A program has arrays or containers in it of which this is not the way to tell them apart."""


def by_number(program: Program, facts: Facts, labels: Iterable[str]) -> Program | None:
    """The program with numbers for the arrays that some names stand for, or hold, and for all that these may be; None
    where that can't be done."""
    flows = Flows(program, facts)
    found = flows.alike(set(labels))
    if not found:
        return None
    try:
        return _Numbering(program, facts, found, flows).run()
    except Unfit:
        return None


# ---- which

class Flows:
    """Which versions get an array, or what holds it, from which others."""

    def __init__(self, program: Program, facts: Facts):
        self.program = program
        self.facts = facts
        self.targets: dict[Version, set[Version]] = {}
        """For each version those that may get its memory, views of it among them."""
        self.links: dict[Version, set[Version]] = {}
        """The same in both directions, of arrays and containers as they are."""
        for (statement, label), version in facts.defined.items():
            if isinstance(statement, Assign):
                for target, value in assigned(statement.target, statement.value):
                    if label in pattern_names(target):
                        self.note(version, value, statement)
                        for other in pattern_names(target):  # what is taken apart holds numbers, or arrays
                            self.links.setdefault(version, set()).add(facts.defined.get((statement, other), version))
            elif isinstance(statement, Loop):
                self.note(version, statement.iterable, statement)
        for statement, (old, new) in facts.in_place.items():
            self.link(new, [old])
            if isinstance(old.value, Items) and isinstance(statement, (Append, Store, Augment)):
                self.note(new, statement.value, statement)
            elif isinstance(old.value, Items) and isinstance(statement, Evaluate):
                for argument in getattr(statement.value, "args", ()):
                    self.note(new, argument, statement)
        self.known = {*facts.defined.values(), *facts.parameters.values(),
                      *(version for pair in facts.in_place.values() for version in pair)}
        for environment in (*facts.after.values(), *facts.heads.values(), *facts.beyond.values(),
                            *facts.before.values()):
            self.known.update(environment.values())
        self.known = with_joins(self.known)
        for version in self.known:
            self.link(version, version.sources)

    def note(self, version: Version, node: gast.AST, statement: Any) -> None:
        environment = self.facts.before.get(statement, {})
        self.link(version, held_by(node, self.facts, environment))
        for source in shared(node, self.facts, environment):
            self.targets.setdefault(source, set()).add(version)
            if isinstance(version.value, Items) and isinstance(source.value, Items):  # what one gets the other has
                self.targets.setdefault(version, set()).add(source)

    def link(self, version: Version, sources: Iterable[Version]) -> None:
        for source in sources:
            if version.name != source.name and (is_none(version) or is_none(source)):
                continue  # of None there is one only: a name for it is one of an array's where both come to it
            self.targets.setdefault(source, set()).add(version)
            self.links.setdefault(version, set()).add(source)
            self.links.setdefault(source, set()).add(version)

    def alike(self, labels: set[str]) -> set[Version]:
        """The versions that may be the same arrays as those under some names that are written into, or hold them, or
        are held by them."""
        first = [version for version in self.known if version.name in labels and isinstance(version.value, Items)]
        first += [version for pair in self.facts.in_place.values() for version in pair if version.name in labels]
        return reached(first, self.links)

    def is_only_read(self, version: Version) -> bool:
        """Whether nothing is written into an array, and no result has it."""
        found = reached([version], self.targets)
        for statement, (old, _) in self.facts.in_place.items():
            if old in found and not (isinstance(old.value, Items) and changes_container(statement, self.facts)):
                return False
        return not any(version in found for statement in statements(self.program.body)
                       if isinstance(statement, Leave) and statement.value is not None and statement in
                       self.facts.before for version in held_by(
                           statement.value, self.facts, self.facts.before[statement]))


def reached(first: Iterable[Version], links: dict[Version, set[Version]]) -> set[Version]:
    """The versions to which links lead, and from which to others."""
    found: set[Version] = set()
    pending = list(first)
    while pending:
        version = pending.pop()
        if version not in found and (holds_memory(version.value) or is_none(version)):
            found.add(version)
            pending.extend(links.get(version, ()))
    return found


def is_none(version: Version) -> bool:
    return version.value == Known(None)


def changes_container(statement: Any, facts: Facts) -> bool:
    """Whether a statement changes what a container holds, and none of the arrays there."""
    if isinstance(statement, Store):
        around = facts.values.get(id(statement.target.value))
        return isinstance(around, Items) and not statement.replaces  # or the array in the place has changed
    return isinstance(statement, (Append, Evaluate)) or isinstance(statement, Augment) and isinstance(
        statement.target, gast.Name)


def held_by(node: Any, facts: Facts, environment: dict) -> Iterator[Version]:
    """The versions that an expression may give as they are, or what they hold; new arrays, and views, are others."""
    if isinstance(node, gast.Name):
        if node.id in environment:
            yield environment[node.id]
        return
    parts: list = []
    if isinstance(node, gast.IfExp):
        parts = [node.body, node.orelse]
    elif isinstance(node, (gast.Subscript, gast.Attribute)):
        parts = [node.value] if isinstance(facts.values.get(id(node.value)), Items) else []
    elif isinstance(node, (gast.List, gast.Tuple)):
        parts = node.elts
    elif isinstance(node, gast.Dict):
        parts = node.values
    elif isinstance(node, COMPREHENSIONS):
        parts = [getattr(node, "elt", getattr(node, "value", None)), *(each.iter for each in node.generators)]
    elif isinstance(node, gast.BinOp) and isinstance(facts.values.get(id(node)), Items):
        parts = [node.left, node.right]
    elif isinstance(node, gast.Call):
        function = facts.values.get(id(node.func))
        if isinstance(function, Known) and any(function.value is known for known in HAND_ON):
            parts = node.args
        elif isinstance(node.func, gast.Attribute) and isinstance(facts.values.get(id(node.func.value)), Items):
            parts = [node.func.value, *node.args]
    for part in parts:
        yield from held_by(part, facts, environment)


def holds_memory(value: Abstract | None) -> bool:
    """Whether a value is an array, or may hold one, or may be None in the place of one."""
    if isinstance(value, Items):
        return True
    return isinstance(value, Numeric) and not value.is_number or isinstance(value, Opaque) and value.besides is not None


def holds_arrays(value: Abstract | None) -> bool:
    """Whether there is an array in a container.

    Raises
    ------
    Unfit
        That is not known, or it may be in something else than a list, a tuple or a dict.
    """
    if isinstance(value, Items):
        if value.kind not in (list, tuple, dict) or value.optional:
            raise Unfit
        found = [holds_arrays(part) for part in items_of(value)]  # each is looked at
        return any(found)
    if isinstance(value, Opaque) and value.besides is not None:
        value = value.besides
    if isinstance(value, Numeric):
        if value.kind != "array" and not value.is_number:
            raise Unfit
        return value.kind == "array"
    if isinstance(value, Opaque) and not value.steady:
        raise Unfit
    return False


# ---- how

class _Numbering:
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

    def run(self) -> Program:
        for version in self.found:
            if isinstance(version.value, Items):
                if version.origin in ("parameter", "captured"):
                    raise Unfit
                holds_arrays(version.value)
            elif version.origin == "captured" or not (
                    is_array(version) or isinstance(version.value, Opaque) or is_none(version)):
                raise Unfit
            if version.name in self.program.inner:
                raise Unfit
        for version in self.flows.known:  # numbers meet numbers only
            if any((source in self.found) is not (version in self.found) for source in version.sources):
                raise Unfit
        place = self.program.body[0].location
        first: list = [Assign(self.arrays, self.at(gast.List([], gast.Load()), None), place)]
        for label, version in self.facts.parameters.items():
            if version in self.found and is_none(version):
                first.append(Assign(self.place(label), constant(None), place))
            elif version in self.found:
                # of one that nobody changes a copy does as well, which tells it from those that are changed
                given = gast.Call(gast.Attribute(name(label), "copy", gast.Load()), [], [])
                first += [Append(name(self.arrays), given if self.flows.is_only_read(version) else name(label), place),
                          Assign(self.place(label), self.last(), place)]
        body = (*first, *self.block(self.program.body))
        labels = frozenset(self.names.taken)
        return replace(self.program, body=body, names=self.program.names | labels, given=self.given)

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
        if value.kind is dict:
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

    # ---- statements

    def block(self, body: tuple) -> tuple:
        before = self.before
        made = tuple(new for statement in body for new in self.statement(statement))
        self.before = before
        return made

    def inside(self, body: tuple) -> tuple:
        """The same of a block that runs perhaps never, or more than once."""
        self.count = None
        return self.block(body)

    def statement(self, statement: Any) -> list:
        self.environment = self.facts.before.get(statement, {})
        if statement not in self.facts.before:
            if any(version.name in mentioned(part) for part in statements((statement,)) for version in self.found):
                raise Unfit
            return [statement]
        self.before, self.location, self.fixed = [], statement.location, False
        made = self.rewritten(statement)
        return [*self.before, *made] if self.before else made

    def rewritten(self, statement: Any) -> list:
        others = None if self.is_known(statement) else self.facts.written_out.get(statement)
        if others is not None and statement not in self.taken_apart:  # a loop may be one of them
            self.taken_apart.add(statement)
            simpler = list(self.block(tuple(others)))
            self.taken_apart.remove(statement)
            return simpler
        if isinstance(statement, Assign):
            return self.assign(statement)
        if isinstance(statement, Augment):
            return self.augment(statement)
        if isinstance(statement, Store):
            if statement.replaces or statement.back:  # it stands for a change of what is in the place
                raise Unfit
            if self.is_part(statement.target):
                kept = self.number(statement.value)
                return [replace(statement, target=self.part(statement.target), value=kept)]
            return [replace(statement, target=self.value(statement.target), value=self.value(statement.value))]
        if isinstance(statement, Append):
            if not self.is_part(statement.target):
                return [replace(statement, value=self.value(statement.value), place=self.value(statement.place))]
            return [replace(statement, target=self.part(statement.target), value=self.number(statement.value),
                            place=self.value(statement.place))]
        if isinstance(statement, Evaluate):
            return [replace(statement, value=self.effect(statement.value), writes=self.writes(statement.writes))]
        if isinstance(statement, Branch):
            test = self.truth(statement.test)
            return [replace(statement, test=test, then=self.inside(statement.then),
                            orelse=self.inside(statement.orelse))]
        if isinstance(statement, Loop):
            return self.loop(statement)
        if isinstance(statement, Context) and not any(self.mentions(manager) for manager, _ in statement.items):
            return [replace(statement, body=self.block(statement.body), final=self.block(statement.final))]
        if isinstance(statement, Leave):
            return [replace(statement, value=self.value(statement.value), cause=self.value(statement.cause))]
        if isinstance(statement, Delete):
            return [replace(statement, target=self.slot(statement.target))]
        if isinstance(statement, Remove):
            return [replace(statement, targets=tuple(
                self.part(name(label)).id if self.is_numbered(label) else label for label in statement.targets))]
        if isinstance(statement, (Import, Declare)) and not any(
                version.name in read_names((statement,)) for version in self.found):
            return [statement]
        if any(map(self.is_numbered, read_names((statement,)) | assigned_names((statement,)))):
            raise Unfit
        return [statement]

    def is_known(self, statement: Any) -> bool:
        """Whether it is known what a statement binds, and not only what those bind that were looked at in its place."""
        if isinstance(statement, Assign):
            return all((statement, label) in self.facts.defined for label in pattern_names(statement.target))
        return not isinstance(statement, Loop)

    def assign(self, statement: Assign) -> list:
        writes = self.writes(statement.writes)
        if not self.takes_numbers(statement.target, statement):
            return [replace(statement, value=self.value(statement.value), writes=writes)]
        places = tuple(map(self.slot, statement.places))
        pairs = list(assigned(statement.target, statement.value))
        if len(pairs) > 1:
            values: list = [self.number(value) if self.takes_numbers(target, statement) else self.value(value)
                            for target, value in pairs]
            return [replace(statement, target=self.pattern(statement.target, statement), places=places,
                            value=gast.copy_location(tuple_of(values), statement.value))]
        node: Any = statement.value
        if isinstance(node, gast.IfExp) and not (self.is_kept(node.body) and self.is_kept(node.orelse)):
            then, orelse = self.like(statement, value=node.body), self.like(statement, value=node.orelse)
            return self.rewritten(Branch(node.test, (then,), (orelse,), statement.location))
        value = self.number(statement.value)
        if isinstance(value, gast.Name) and self.before and getattr(self.before[-1], "target", "") == value.id \
                and isinstance(statement.target, str):  # a new array
            self.before[-1] = replace(self.before[-1], target=self.pattern(statement.target, statement))
            return []
        return [replace(statement, target=self.pattern(statement.target, statement), value=value, writes=writes,
                        places=places)]

    def slot(self, node: Any) -> Any:
        """A place in which something is stored."""
        return self.part(node) if self.is_part(node) else self.value(node)

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

    def like(self, statement: Assign, **parts: Any) -> Assign:
        """A statement in the place of another."""
        made = replace(statement, **parts)
        self.facts.before[made] = self.facts.before[statement]
        for label in pattern_names(statement.target):
            self.facts.defined[made, label] = self.facts.defined[statement, label]
        return made

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

    def augment(self, statement: Augment) -> list:
        target: Any = statement.target
        if statement.paired or not self.mentions(target):
            return [replace(statement, value=self.value(statement.value))]
        if self.is_part(target) and isinstance(self.known(target), Items):
            if not isinstance(target, gast.Name):
                raise Unfit
            return [replace(statement, value=self.number(statement.value))]
        if self.is_part(target) and isinstance(target, gast.Subscript) and getattr(
                self.known(target.value), "kind", None) is tuple:  # which is an error once the array has changed
            raise Unfit
        return [replace(statement, target=self.value(target), value=self.value(statement.value))]

    def effect(self, node: Any) -> Any:
        """A call for its effect."""
        method = node.func if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) else None
        if method is None or not self.is_part(method.value) or not isinstance(self.known(method.value), Items):
            return self.value(node)
        if method.attr not in ARRANGE or node.keywords:
            raise Unfit
        given = [self.number(item) if method.attr == "extend" else self.value(item) for item in node.args]
        whole = gast.copy_location(gast.Attribute(self.part(method.value), method.attr, gast.Load()), method)
        return gast.copy_location(gast.Call(whole, given, []), node)

    def writes(self, labels: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(
            self.arrays if isinstance(getattr(self.version(label), "value", None), Numeric) else label
            for label in labels))

    def loop(self, statement: Loop) -> list:
        if statement.target is None:
            self.environment, self.fixed = self.facts.heads[statement], True
            test = self.truth(statement.iterable)
            return [replace(statement, iterable=test, body=self.inside(statement.body))]
        for label, numbered in self.runs_over_numbers(statement.target, statement.iterable):
            if not numbered and self.takes_numbers(label, statement):  # views, or new arrays
                raise Unfit
        iterable = self.turns(statement.iterable) if self.takes_numbers(statement.target, statement) else self.value(
            statement.iterable)
        target = self.pattern(statement.target, statement)
        return [replace(statement, target=target, iterable=iterable, body=self.inside(statement.body))]


def pattern_of(node: Any) -> Pattern:
    """A comprehension's target as that of a loop."""
    if isinstance(node, gast.Name):
        return node.id
    if isinstance(node, (gast.Tuple, gast.List)):
        return tuple(map(pattern_of, node.elts))
    raise Unfit
