"""``match`` as the branches that it is: for each pattern a test, the names that it binds, and its guard."""
from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import gast

from s2sgrad.compiler.nodes import attribute, call, constant, name, subscript
from s2sgrad.compiler.program import Assign, Branch, Delete, Rest
from s2sgrad.compiler.structures import item_there
from s2sgrad.errors import Location
from s2sgrad.runtime import is_mapping, is_sequence

BY_ITSELF = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
"""Classes whose one positional pattern means the value itself."""


class Match:
    """The cases of one ``match`` statement, whose subject has a name."""

    def __init__(self, parser: Any, subject: str, place: Callable[[Any], Location]):
        self.parser = parser
        self.subject = subject
        self.place = place
        self.left_out: dict[str, list] = {}
        """By name of the rest of a mapping the keys that are not in that."""

    def branches(self, cases: list) -> list:
        """The first case that matches, by what it tests; the others are in its ``else``."""
        if not cases:
            return []
        case, rest = cases[0], cases[1:]
        location = self.place(case.pattern)
        self.whole = case.pattern
        self.left_out = {}
        tests: list[gast.AST] = []
        bound: list[tuple[str, gast.AST]] = []
        self.pattern(case.pattern, self.value, tests, bound)
        binding = self.binding(case.pattern, bound, location)
        if case.guard is None:
            body = (*binding, *self.parser.block(case.body))
            if not tests:
                return [*body]
            return [Branch(conjunction(tests), body, tuple(self.branches(rest)), location)]
        before, guard = self.parser.taken_out(case.guard, location)
        body, others = self.parser.block(case.body), tuple(self.branches(rest))
        if not tests:  # what it binds stays bound where the guard fails
            return [*binding, *before, Branch(guard, body, others, location)]
        if not binding and not before:
            return [Branch(conjunction([*tests, guard]), body, others, location)]
        if not others:
            inner = Branch(guard, body, (), location)
            return [Branch(conjunction(tests), (*binding, *before, inner), (), location)]
        matched = self.parser.fresh("matched")
        return [Assign(matched, conjunction(tests), location),
                Branch(name(matched), (*binding, *before, Assign(matched, guard, location)), (), location),
                Branch(name(matched), body, others, location)]

    def value(self) -> gast.AST:
        return name(self.subject)

    def pattern(self, node: Any, value: Callable[[], gast.AST], tests: list, bound: list) -> None:
        """Note what a pattern asks of a value, and what names it gives to which parts."""
        if isinstance(node, gast.MatchValue):
            tests.append(placed(gast.Compare(value(), [gast.Eq()], [node.value]), node))
        elif isinstance(node, gast.MatchSingleton):
            tests.append(placed(gast.Compare(value(), [gast.Is()], [constant(node.value)]), node))
        elif isinstance(node, gast.MatchAs):
            if node.pattern is not None:
                self.pattern(node.pattern, value, tests, bound)
            if node.name is not None:
                bound.append((node.name, placed(value(), node)))
        elif isinstance(node, gast.MatchOr):
            self.alternatives(node, value, tests)
        elif isinstance(node, gast.MatchSequence):
            self.sequence(node, value, tests, bound)
        elif isinstance(node, gast.MatchClass):
            self.of_class(node, value, tests, bound)
        else:
            self.mapping(node, value, tests, bound)

    def of_class(self, node: Any, value: Callable[[], gast.AST], tests: list, bound: list) -> None:
        kind = self.parser.outer_value(node.cls)
        names = () if kind in BY_ITSELF else getattr(kind, "__match_args__", ())
        if not isinstance(kind, type) or len(node.patterns) > (1 if kind in BY_ITSELF else len(names)):
            raise self.parser.refusal(node, "which class this pattern means, or which attributes, is not known",
                                      "write if/elif instead")
        tests.append(placed(call(self.parser.give("isinstance", isinstance), value(), node.cls), node))
        if kind in BY_ITSELF:
            for part in node.patterns:
                self.pattern(part, value, tests, bound)
        for label, part in [*zip(names, node.patterns), *zip(node.kwd_attrs, node.kwd_patterns)]:
            if not dataclasses.is_dataclass(kind):
                tests.append(placed(call(self.parser.give("hasattr", hasattr), value(), constant(label)), node))
            self.pattern(part, functools.partial(member, value, label), tests, bound)

    def alternatives(self, node: Any, value: Callable[[], gast.AST], tests: list) -> None:
        choices = []
        for part in node.patterns:
            asked: list[gast.AST] = []
            bound: list[tuple[str, gast.AST]] = []
            self.pattern(part, value, asked, bound)
            if bound:
                raise self.parser.refusal(node, "alternatives that bind names are not supported yet",
                                          "write a case for each")
            if not asked:
                return  # the last one is a wildcard
            choices.append(conjunction(asked))
        tests.append(placed(gast.BoolOp(gast.Or(), choices), node))

    def sequence(self, node: Any, value: Callable[[], gast.AST], tests: list, bound: list) -> None:
        parts = node.patterns
        star = next((index for index, part in enumerate(parts) if isinstance(part, gast.MatchStar)), None)
        least = len(parts) - (star is not None)
        arguments = [constant(least), *([constant(True)] if star is not None else [])]
        tests.append(placed(call(self.parser.give("is_sequence", is_sequence), value(), *arguments), node))
        for index, part in enumerate(parts):
            if isinstance(part, gast.MatchStar):
                if part.name is not None:
                    rest = between(value(), index, len(parts) - index - 1)
                    bound.append((part.name, placed(call(self.parser.give("list", list), rest), node)))
                continue
            place = index if star is None or index < star else index - len(parts)
            self.pattern(part, functools.partial(item, value, place), tests, bound)

    def mapping(self, node: gast.MatchMapping, value: Callable[[], gast.AST], tests: list, bound: list) -> None:
        tests.append(placed(call(self.parser.give("is_mapping", is_mapping), value()), node))
        tests += [placed(gast.Compare(key, [gast.In()], [value()]), node) for key in node.keys]
        for key, part in zip(node.keys, node.patterns):
            self.pattern(part, functools.partial(under_key, value, key), tests, bound)
        if node.rest is not None:
            self.left_out[node.rest] = node.keys
            bound.append((node.rest, placed(call(self.parser.give("dict", dict), value()), node)))

    def is_plain(self, node: Any) -> bool:
        """Whether a sequence pattern is of names only, all over: an unpacking."""
        return all(isinstance(part, gast.MatchStar) or isinstance(part, gast.MatchAs) and part.pattern is None
                   for part in node.patterns)

    def binding(self, node: Any, bound: list, location: Location) -> list:
        names = [target for target, _ in bound]
        if isinstance(node, gast.MatchSequence) and self.is_plain(node) and names:
            unused = ""
            if len(names) < len(node.patterns):
                unused = self.parser.fresh("_")
            target = tuple(Rest(part.name or unused) if isinstance(part, gast.MatchStar) else part.name or unused
                           for part in node.patterns)
            return [Assign(target, self.value(), location)]
        given = [Assign(target, value, location) for target, value in bound
                 if not (isinstance(value, gast.Name) and value.id == target)]
        return given + [Delete(placed(subscript(name(label), key), key), location)
                        for label, keys in self.left_out.items() for key in keys]


def member(value: Callable[[], gast.AST], label: str) -> gast.AST:
    return attribute(value(), label)


def item(value: Callable[[], gast.AST], place: int) -> gast.AST:
    return subscript(value(), constant(place) if place >= 0 else from_end(-place))


def between(value: gast.AST, before: int, behind: int) -> gast.AST:
    """What is in a sequence between so many items at its start and at its end."""
    start, stop = constant(before) if before else None, from_end(behind) if behind else None
    return subscript(value, gast.Slice(start, stop, None))


def from_end(place: int) -> gast.AST:
    return gast.UnaryOp(gast.USub(), constant(place))


def under_key(value: Callable[[], gast.AST], key: gast.AST) -> gast.AST:
    return item_there(value(), key)


def conjunction(tests: list) -> gast.AST:
    return tests[0] if len(tests) == 1 else placed(gast.BoolOp(gast.And(), tests), tests[0])


def placed(new: gast.AST, node: Any) -> gast.AST:
    return gast.copy_location(new, node)
