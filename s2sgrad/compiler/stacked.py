"""Program x Facts -> the same function for several tangents at once, stacked along a new first axis.

Given is a function that is differentiated no further, a tangent function or a gradient with its cotangent as a
parameter, and the facts about it with those parameters active: what is active depends on them, and gets the axis; all
else is computed once. An expression with the axis is the user's own where each operand has it in the right place, or
what a table here says for its function; where neither is known, it is evaluated for one tangent after the other. What
is not known to be right is left to the caller by raising :class:`Unstackable`.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.evaluation import is_unreached
from s2sgrad.compiler.facts import Facts, Version
from s2sgrad.compiler.helpers import Helpers
from s2sgrad.compiler.nodes import Names, call, constant, name, tuple_of
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Augment,
    Branch,
    Context,
    Evaluate,
    Leave,
    Loop,
    Pattern,
    Program,
    Rest,
    Statement,
    Store,
    mentioned,
    pattern_names,
    written_name,
)
from s2sgrad.compiler.saved_values import updated_at
from s2sgrad.compiler.stacked_values import (
    StackedValues,
    Unstackable,
    each_item,
    fits,
    rank_of,
    row,
    same_parts,
    spread,
)
from s2sgrad.compiler.tangent_state import versions_with_tangents
from s2sgrad.rules.abstract import Abstract, Items, Known, Numeric, known_value


class Stacked(StackedValues):
    """One function being written. ``callee`` gives the name of a called function's counterpart, by its derivative."""

    def __init__(self, program: Program, facts: Facts, helpers: Helpers, names: Names,
                 callee: Callable[[Any, Helpers], gast.AST]):
        super().__init__(facts, helpers, names)
        self.program = program
        self.callee = callee

    def run(self, label: str) -> Program:
        for version in self.needed:
            if any(not fits(source.value, version.value) for source in version.sources):
                raise Unstackable(f"{version.name} has parts that depend on tangents on some paths only")
        header: Any = self.program.header
        count = gast.Name(self.count, gast.Param(), None, None)
        header = gast.arguments([count, *header.args], header.posonlyargs, header.vararg, header.kwonlyargs,
                                header.kw_defaults, header.kwarg, header.defaults)
        if header.posonlyargs:
            raise Unstackable("parameters by position alone")
        return Program(label, (self.count, *self.program.parameters), self.block(self.program.body),
                       self.program.location, header=header)

    # ---- statements

    def block(self, body: tuple) -> tuple:
        out: list = []
        for statement in body:
            if statement not in self.facts.before:
                break
            if is_unreached(statement, self.facts):
                raise Unstackable("a line that is never reached")
            if statement in self.facts.unsure_stores:
                raise Unstackable("a store into an array that may hold integers")
            self.statement = statement
            out += self.rewritten(statement)
        return tuple(out)

    def rewritten(self, statement: Any) -> list[Statement]:
        if isinstance(statement, (Assign, Evaluate)) and id(statement.value) in self.facts.calls:
            return [replace(statement, value=self.call(statement))]
        if isinstance(statement, Assign):
            return [self.assign(statement)]
        if isinstance(statement, Augment):
            return [self.augment(statement)]
        if isinstance(statement, Store):
            return self.store(statement)
        if isinstance(statement, Append):
            return [self.append(statement)]
        if isinstance(statement, Evaluate) and not self.is_stacked(statement.writes):
            value = statement.value
            return [replace(statement, value=self.popped(value) if id(value) in self.facts.popped
                            else self.plain(value))]
        if isinstance(statement, Leave) and statement.kind == "return" and statement.value is not None:
            return [replace(statement, value=self.returned(statement.value, self.facts.result))]
        if isinstance(statement, Loop) and statement.target is not None:
            return [self.loop(statement)]
        if self.is_stacked(mentioned(statement)) and not isinstance(statement, (Branch, Loop)):
            raise Unstackable(type(statement).__name__)
        if isinstance(statement, Branch):
            test = self.plain(statement.test)
            return [replace(statement, test=test, then=self.block(statement.then), orelse=self.block(statement.orelse))]
        if isinstance(statement, Loop):
            return [replace(statement, iterable=self.plain(statement.iterable), body=self.block(statement.body))]
        if isinstance(statement, Context):
            return [replace(statement, body=self.block(statement.body), final=self.block(statement.final))]
        return [statement]

    def bound(self, label: str) -> Version | None:
        """The version that the statement binds a name to, if it has the axis."""
        version = self.facts.defined.get((self.statement, label))
        return version if version in self.needed else None

    def assign(self, statement: Assign) -> Assign:
        if self.is_stacked(statement.writes) and id(statement.value) not in self.facts.popped:
            raise Unstackable("a call that writes into its argument")
        return replace(statement, value=self.for_target(statement.target, statement.value))

    def for_target(self, pattern: Pattern, node: Any) -> gast.AST:
        """An expression as a target takes it."""
        labels = list(pattern_names(pattern))
        if isinstance(pattern, str):
            return self.plain(node) if self.bound(pattern) is None else self.whole(node)
        if isinstance(node, (gast.Tuple, gast.List)) and len(pattern) == len(node.elts) and not any(
                isinstance(part, Rest) for part in pattern):  # type: ignore[arg-type]
            return tuple_of([self.for_target(part, item) for part, item in zip(pattern, node.elts)])  # type: ignore
        value = self.facts.values[id(node)]
        if not value.active and not any(map(self.bound, labels)):
            return self.plain(node)
        if isinstance(value, Numeric):
            for part in pattern:
                self.check_parts(part, row(value))  # type: ignore[arg-type]
            rows = call(self.helpers.numpy("swapaxes"), self.stacked(node), constant(0), constant(1))
            return self.apart(rows, row(value))
        self.check_parts(pattern, value)
        return self.stacked(node)

    def check_parts(self, pattern: Pattern, value: Abstract | None) -> None:
        """Each name of a target has the axis if what it gets has it."""
        if value is None:
            raise Unstackable("items that are not known")
        if isinstance(pattern, Rest):
            raise Unstackable("a star in a target")
        if isinstance(pattern, str):
            if value.active != (self.bound(pattern) is not None):
                raise Unstackable(f"{pattern} depends on tangents on some paths only")
            return
        if not isinstance(value, Items) or value.is_dict:
            raise Unstackable("what is taken apart is no list")
        parts: Any = value.items if value.items is not None else [value.element] * len(pattern)
        for part, item in zip(pattern, parts):
            self.check_parts(part, item)

    def augment(self, statement: Augment) -> Statement:
        target: Any = statement.target
        label = written_name(statement)
        if self.bound(label) is None:
            self.refuse(label)
            return self.spelled(replace(statement, value=self.plain(statement.value), target=self.plain(target)))
        changed = self.facts.values[id(target)]
        operand = self.facts.values[id(statement.value)]
        if not isinstance(changed, Numeric) or not isinstance(operand, Numeric):
            raise Unstackable("a container is added to")
        place = self.written(target)
        of_array = isinstance(target, gast.Subscript) and isinstance(self.facts.values[id(target.value)], Numeric)
        rank = rank_of(changed)
        if of_array or changed.kind == "array":
            value = self.expanded(statement.value, rank)
            return self.spelled(replace(statement, target=place, value=value))
        if changed.kind == "any":
            raise Unstackable("what is added to may be an array or a number")
        rank = max(rank, rank_of(operand))  # numbers are bound anew: with the axis they are arrays
        before = isinstance(target, gast.Subscript) or self.is_stacked([label])
        old = spread(place, rank_of(changed), rank) if before else target
        total = gast.BinOp(old, statement.operator, self.expanded(statement.value, rank))
        return Assign(label, total, statement.location) if isinstance(target, gast.Name) else Store(
            place, total, statement.location)

    def spelled(self, statement: Augment) -> Statement:
        return updated_at(statement, self.helpers) if statement.counted else statement

    def store(self, statement: Store) -> list[Statement]:
        label = written_name(statement)
        target: Any = statement.target
        if statement.late:  # it tells what is known, and nothing is stored
            return []
        if self.bound(label) is None:
            self.refuse(label)
            return [] if statement.back else [  # it is there already
                replace(statement, value=self.plain(statement.value), target=self.plain(target))]
        held = self.facts.values[id(target.value)]
        if isinstance(held, Items) and issubclass(held.kind, tuple):
            raise Unstackable("what is in a tuple changes")
        if isinstance(held, Items):
            holder = self.facts.defined[self.statement, label].value
            value = each_item(holder) if isinstance(holder, Items) and isinstance(target.value, gast.Name) \
                else self.facts.values[id(statement.value)]
            return [replace(statement, target=self.written(target), value=self.part(statement.value, value))]
        rank = rank_of(self.facts.values[id(target)])
        return [replace(statement, target=self.written(target), value=self.expanded(statement.value, rank))]

    def append(self, statement: Append) -> Append:
        label = written_name(statement)
        version = self.bound(label)
        place = None if statement.place is None else self.plain(statement.place)
        if version is None:
            self.refuse(label)
            return replace(statement, value=self.plain(statement.value), place=place)
        if not isinstance(version.value, Items):
            raise Unstackable("what is appended to is no list")
        return replace(statement, value=self.part(statement.value, each_item(version.value)), place=place)

    def refuse(self, label: str) -> None:
        if self.is_stacked([label]):
            raise Unstackable(f"{label} loses its axis")

    def loop(self, statement: Loop) -> Loop:
        iterable = self.turns(statement.target or (), statement.iterable)
        return replace(statement, iterable=iterable, body=self.block(statement.body))

    def turns(self, pattern: Pattern, node: Any, backwards: gast.AST | None = None) -> gast.AST:
        """What a loop runs over, in the order of its turns; ``backwards``: ``reversed``, where that is about it."""
        if not any(map(self.bound, pattern_names(pattern))):
            return self.plain(node)
        function = known_value(self.facts.values.get(id(node.func), Known(None))) \
            if isinstance(node, gast.Call) and id(node) not in self.facts.applied else None
        if function is reversed:
            return self.turns(pattern, node.args[0], node.func)
        if function in (zip, enumerate) and isinstance(pattern, tuple) and not node.keywords:
            inner = pattern if function is zip else pattern[1:]
            given = node.args if function is zip else node.args[:1]
            if len(inner) == len(given):
                rest = [self.plain(item) for item in node.args[len(given):]]
                return call(node.func, *[self.turns(part, item) for part, item in zip(inner, given)], *rest)
        value = self.facts.values.get(id(node))
        if value is None or isinstance(value, Items) and value.is_dict:
            raise Unstackable("a loop over what is not known")
        self.check_parts(pattern, each_item(value) if isinstance(value, Items) else row(value))
        rows, is_array = self.stacked(node), not isinstance(value, Items)
        if is_array:
            rows = call(self.helpers.numpy("swapaxes"), rows, constant(0), constant(1))
        if backwards is not None:
            rows = call(backwards, rows)
        live = is_array and self.facts.rewritten and isinstance(item := row(value), Numeric) and item.kind != "array"
        return call(self.helpers.builtin("map"), self.helpers.numpy("copy"), rows) if live else rows

    def call(self, statement: Assign | Evaluate) -> gast.AST:
        called = self.facts.calls[id(statement.value)]
        facts = called.derivative.facts
        needed = versions_with_tangents(facts)
        arguments: list[gast.AST] = [name(self.count)]
        keywords: dict[str, gast.AST] = {}
        for place, (parameter, node) in enumerate(zip(called.derivative.parameters, called.arguments)):
            version = facts.parameters[parameter]
            if node is None:
                if version in needed:
                    raise Unstackable("a default")
                continue
            if version not in needed:
                argument = self.plain(node)
            elif isinstance(node, gast.Name) and self.is_stacked([node.id]):
                argument = node
            elif parameter in called.written:
                raise Unstackable("an argument that is written into")
            else:
                argument = self.part(node, version.value) if version.value.active else self.whole(node)
            if len(arguments) == place + 1 and parameter not in called.derivative.keyword_only:
                arguments.append(argument)
            else:
                keywords[parameter] = argument
        for parameter, label in called.written.items():
            if (facts.parameters[parameter] in needed) != self.is_stacked([label]):
                raise Unstackable("an argument that is written into")
        if isinstance(statement, Assign):
            self.check_parts(statement.target, self.facts.values[id(statement.value)])
            if not same_parts(self.facts.values[id(statement.value)], facts.result):
                raise Unstackable("a result that is not known")
        return call(self.callee(called.derivative, self.helpers), *arguments, **keywords)

    def returned(self, node: gast.AST, value: Abstract | None) -> gast.AST:
        """What the function returns: the axis is where some path's result needs it."""
        assert value is not None
        if isinstance(node, gast.Tuple) and isinstance(value, Items) and value.items is not None:
            return tuple_of([self.returned(item, part) for item, part in zip(node.elts, value.items)])
        return self.part(node, value)


__all__ = ["Stacked", "Unstackable"]
