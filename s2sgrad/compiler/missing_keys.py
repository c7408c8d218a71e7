"""What dicts give that have something for keys which they have not: ``d[key]`` of a Counter is ``d.get(key, 0)``; of a
defaultdict, which makes it, it has the store that it is on a line before, ``if key not in d: d[key] = 0.0``.
"""
from __future__ import annotations

import copy
from collections import Counter
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.attributes import Attributes
from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.evaluation import NeedsKey, NeedsName
from s2sgrad.compiler.named_before import evaluated_before, with_part
from s2sgrad.compiler.nodes import attribute, call, constant, located_at, name, names_in, root, root_of, walk
from s2sgrad.compiler.program import Assign, Branch, Loop, Store
from s2sgrad.compiler.scopes import COMPREHENSIONS
from s2sgrad.compiler.structures import item_there
from s2sgrad.containers import is_key
from s2sgrad.rules.abstract import Abstract, Function, Items, known_value

EMPTY = {list: lambda: gast.List([], gast.Load()), dict: lambda: gast.Dict([], [])}
"""By their classes, expressions of empty containers."""


class MissingKeys(Attributes):
    stored: Any = None
    """The target of the store that is looked at: nothing is read there."""
    updated: Any = None
    """That of the update."""

    def missing_item(self, node: gast.Subscript, held: Items, index: Abstract, environment: dict) -> Abstract | None:
        """Raises NeedsKey for an item that a defaultdict may have to make, and one of a Counter that is updated."""
        key = known_value(index)
        known = held.keys is not None and is_key(key)
        if hasattr(node, "there") or self.program.is_generated or node is self.stored or known and key in held.steps:
            return None
        if held.kind is Counter and node is not self.updated:
            if self.facts.simpler.get(id(node)) is None:
                self.facts.simpler[id(node)] = located_at(constant(0), node) if known else counted(node)
            return self.respelled(node, self.facts.simpler[id(node)], environment)
        raise NeedsKey(node, self.refusal(
            "an item of a defaultdict is made when it is first asked for, and whether that is here is not known before "
            "the call", "ask for it on a line of its own before, or with d.get(key, 0.0), which makes none", node))

    def key_made_before(self, statement: Any, need: NeedsKey, field: str, environment: dict) -> list | None:
        """The statement behind one that makes what it asks for, if that is not there yet; None where nobody knows
        whether it comes to that, or what comes before it."""
        node: Any = need.node
        target = getattr(statement, "target", None)
        if isinstance(target, gast.AST) and node in walk(target):
            return self.made_before_target(statement, node, environment)
        whole = getattr(statement, field) if field else None
        if whole is None or isinstance(statement, Loop) and target is None or node not in walk(whole):
            return None
        before = self.before(whole, node)
        if before is None:
            return None
        names = set(names_in(node.value))
        before = [part for part in before if has_effect(part, self.facts) or asks_for_keys(part, names)]
        if before:
            return self.named_in_turn(statement, field, before, [])
        return self.made_if_missing(statement, field, whole, node, [], environment)

    def before(self, whole: gast.AST, node: gast.AST) -> list[gast.AST] | None:
        """What is evaluated in an expression before a part of it, which may be what a comprehension runs over first;
        None where nobody knows."""
        inside = next((part for part in walk(whole) if isinstance(part, COMPREHENSIONS) and node in walk(
            part.generators[0].iter)), None)
        if inside is None:
            return evaluated_before(whole, node, self.facts)
        parts = [evaluated_before(whole, inside, self.facts), self.before(inside.generators[0].iter, node)]
        return None if None in parts else [*parts[0], *parts[1]]  # type: ignore[misc]

    def made_before_target(self, statement: Any, node: Any, environment: dict) -> list:
        """The same where the target of a statement asks for it: ``d[key] += v``, ``d[key].append(v)``, ``d[a][b] = v``.
        """
        held = self.evaluate(node.value, environment)
        if isinstance(held, Items) and held.kind is Counter:
            first, key = self.key_named(statement, node.slice)
            place = located_at(item_there(node.value, key), node)
            total = gast.BinOp(counted(place), statement.operator, statement.value)
            return [*first, Store(place, located_at(total, node), statement.location)]
        first = []
        value = statement.value if isinstance(statement, Store) else None
        if value is not None and (has_effect(value, self.facts) or not set(names_in(value)).isdisjoint(
                names_in(node.value))):  # it is evaluated before there is the key
            label = self.temporary((statement, "value"), "value")
            first.append(Assign(label, value, statement.location))
            statement = replace(statement, value=located_at(name(label), value))
        return self.made_if_missing(statement, "target", statement.target, node, first, environment)

    def made_if_missing(self, statement: Any, field: str, whole: gast.AST, node: Any, first: list, environment: dict
                        ) -> list:
        """``if key not in d: d[key] = 0.0``, and the statement behind that."""
        held = self.evaluate(node.value, environment)
        assert isinstance(held, Items)
        named, key = self.key_named(statement, node.slice)
        there = located_at(item_there(node.value, key), node)
        test = gast.Compare(copy.deepcopy(key), [gast.NotIn()], [copy.deepcopy(node.value)])
        made = self.makes(held, node, copy.deepcopy(there), statement, environment)
        return [*first, *named, Branch(located_at(test, node), made, (), statement.location),
                replace(statement, **{field: with_part(whole, node, there)})]

    def key_before(self, statement: Any, need: NeedsName) -> list | None:
        """``d[f(x)] += v`` with a name for the key; None where what needs a name is not in the key of a target."""
        target: Any = getattr(statement, "target", None)
        if not isinstance(target, gast.Subscript) or need.node not in walk(target.slice) or has_effect(
                target.value, self.facts):
            return None
        first: list = []
        if isinstance(statement, Store) and not isinstance(statement.value, (gast.Name, gast.Constant)):
            label = self.temporary((statement, "value"), "value")
            first.append(Assign(label, statement.value, statement.location))
            statement = replace(statement, value=located_at(name(label), statement.value))
        label = self.temporary((statement, "key"), "key")
        key = located_at(name(label), target)
        return [*first, Assign(label, target.slice, statement.location), replace(
            statement, target=gast.copy_location(gast.Subscript(target.value, key, target.ctx), target))]

    def key_named(self, statement: Any, key: gast.AST) -> tuple[list, gast.AST]:
        """A key that may be evaluated twice: itself, or a name, and the statement that gives it one."""
        if self.may_be_repeated(key):
            return [], key
        label = self.temporary((statement, "key"), "key")
        return [Assign(label, key, statement.location)], located_at(name(label), key)

    def makes(self, held: Items, node: Any, place: gast.AST, statement: Any, environment: dict) -> tuple:
        """The statements that put what a defaultdict makes in its place."""
        factory = held.kind.factory  # type: ignore[attr-defined]
        first: tuple = ()
        if factory in (float, int, bool, str):
            made: gast.AST = constant(factory())
        elif not isinstance(factory, Function):
            made = EMPTY[factory]() if factory in EMPTY else call(self.given(factory))
        elif factory.homes and factory not in self.factories:
            raise self.refusal("what this defaultdict makes depends on names of the function in which it is made",
                               "make what is missing there, or let its function read nothing around it", node)
        elif isinstance(factory.syntax, gast.Lambda) and factory.owner is self.program.owner:
            made = copy.deepcopy(factory.syntax.body)
        elif (own := environment.get(getattr(factory.syntax, "name", ""))) is not None and own.value == factory:
            made = call(name(own.name))
        else:
            label = self.temporary((statement, "factory"), "make")
            own = located_at(attribute(copy.deepcopy(node.value), "default_factory"), node)
            first, made = (Assign(label, own, statement.location),), call(name(label))
        return (*first, Store(place, located_at(made, node), statement.location))


def asks_for_keys(node: gast.AST, labels: set[str]) -> bool:
    """Whether an expression asks which keys there are in what has one of these names, and not for its items alone."""
    parts = walk(node)
    items = {id(root_of(part)) for part in parts if isinstance(part, gast.Subscript) and root(part) is not None}
    return any(isinstance(part, gast.Name) and part.id in labels and id(part) not in items for part in parts)


def counted(node: Any) -> gast.AST:
    """``c.get(key, 0)`` for ``c[key]``."""
    return located_at(call(attribute(copy.deepcopy(node.value), "get"), copy.deepcopy(node.slice), constant(0)), node)
