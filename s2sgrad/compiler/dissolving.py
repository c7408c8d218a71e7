"""Displays, operators and comparisons over objects that a function makes, as ``dissolve.py`` needs them: computed where
their operands are known, else expressions of the new program."""
from __future__ import annotations

import operator
import types
from collections.abc import Callable
from typing import Any

import gast

from s2sgrad.compiler import objects
from s2sgrad.compiler.dissolved import (
    LITERALS,
    Bound,
    Box,
    CannotDissolve,
    Closure,
    Fixed,
    Given,
    Leaf,
    Value,
    calls_something,
    has_method,
    is_object,
    kind_of,
    refuse_to_stop,
    worked_out,
)
from s2sgrad.compiler.dissolving_parts import SEQUENCES, Parts
from s2sgrad.compiler.nodes import rebuilt
from s2sgrad.compiler.texts import shown
from s2sgrad.rules.abstract import MISSING, Items, Numeric


class Expressions(Parts):
    """What is known of an expression; a method for each kind."""

    def of_Constant(self, node: gast.Constant) -> Value:
        return Fixed(node.value)

    def of_Name(self, node: gast.Name) -> Value:
        return self.lookup(node.id)

    def of_Tuple(self, node: gast.Tuple) -> Value:
        return self.made(tuple, self.spread(node.elts), node)

    def of_List(self, node: gast.List) -> Value:
        return self.made(list, self.spread(node.elts), node)

    def of_Set(self, node: gast.Set) -> Value:
        return Box(set, {self.key(part): part for part in self.spread(node.elts)}, self.site(node))

    def spread(self, nodes: list) -> list[Value]:
        """The values of what is written in a row, stars spread out."""
        found = self.values([getattr(node, "value", node) if isinstance(node, gast.Starred) else node
                             for node in nodes])
        parts: list[Value] = []
        for node, value in zip(nodes, found):
            if isinstance(node, gast.Starred):
                parts += self.items(value)
            else:
                parts.append(value)
        return parts

    def of_Dict(self, node: gast.Dict) -> Value:
        both = [part for pair in zip(node.keys, node.values) for part in pair]
        found = self.values(both)
        content: dict[Any, Value] = {}
        for key, value, written in zip(found[::2], found[1::2], node.keys):
            if written is None:
                content.update(self.by_key(value))
            else:
                content[self.key(key)] = value
        key = self.site(node)
        if key in self.state.growing:
            return Leaf(gast.Dict([self.node(self.key_value(held)) for held in content],
                                  [self.node_in(key, part) for part in content.values()]), site=key)
        return Box(dict, content, key)

    def of_Lambda(self, node: gast.Lambda) -> Value:
        return self.closure(node)

    def closure(self, node: Any) -> Closure:
        spec = node.args
        defaults = {id(part): self.state.kept(self.value(part), "default", self.location)
                    for part in (*spec.defaults, *spec.kw_defaults) if part is not None}
        return Closure(node, self.frame, self.frame.function, defaults)

    def of_JoinedStr(self, node: gast.JoinedStr) -> Value:
        parts = [part.value if isinstance(part, gast.FormattedValue) else part for part in node.values]
        found = self.values(parts)
        texts = [shown(part, getattr(value, "value", MISSING)) for part, value in zip(node.values, found)]
        if MISSING not in texts:
            return Fixed("".join(texts))
        if any(isinstance(part, gast.FormattedValue) and part.format_spec is not None and not all(
                isinstance(item, gast.Constant) for item in part.format_spec.values) for part in node.values):
            raise CannotDissolve("a format")
        values = [rebuilt(part, {"value": self.node(value)}) if isinstance(part, gast.FormattedValue) else part
                  for part, value in zip(node.values, found)]
        return Leaf(rebuilt(node, {"values": values}))

    def of_IfExp(self, node: gast.IfExp) -> Value:
        test = self.truth(self.value(node.test))
        if isinstance(test, Fixed):
            return self.value(node.body if test.value else node.orelse)
        return self.decide(test.node, lambda: self.value(node.body), lambda: self.value(node.orelse), node)

    def of_BoolOp(self, node: gast.BoolOp) -> Value:
        ends_at = isinstance(node.op, gast.Or)
        kept: list[Any] = []
        for place, part in enumerate(node.values):
            value = self.unchanging(part) if kept else self.value(part)
            last = place == len(node.values) - 1
            if last and not kept:
                return value
            test = self.truth(value)
            if isinstance(test, Fixed):
                if bool(test.value) is ends_at or last:
                    if not kept:
                        return value
                    kept.append(self.node(value))
                    break
                continue
            if isinstance(value, Box):
                raise CannotDissolve("and, or")
            kept.append(self.node(value))
        return Leaf(kept[0] if len(kept) == 1 else rebuilt(node, {"values": kept}))

    def truth(self, value: Value) -> Value:
        """Whether a value is true: Fixed where that is known, else a Leaf."""
        if isinstance(value, Fixed):
            return Fixed(bool(value.value)) if type(value.value) in LITERALS or isinstance(
                value.value, (type, types.FunctionType)) else Fixed(True) if value.node is None else Leaf(value.node)
        if isinstance(value, (Closure, Bound)):
            return Fixed(True)
        if isinstance(value, Box):
            if value.kind in (list, tuple, dict, set):
                if calls_something(value):
                    raise CannotDissolve("a test of what calls give")
                return Fixed(bool(value.content))
            for label in objects.TRUTH:
                if objects.found_in(value.kind, label) is not MISSING:
                    return self.truth(self.call(self.attribute(value, label), [], {}))
            return Fixed(True)
        if isinstance(value, Given) and isinstance(value.known, Items) and value.known.is_object and not any(
                objects.found_in(value.known.kind, label) is not MISSING for label in objects.TRUTH):
            return Fixed(True)
        return Leaf(value.node)

    def of_UnaryOp(self, node: gast.UnaryOp) -> Value:
        value = self.value(node.operand)
        if isinstance(node.op, gast.Not):
            value = self.truth(value)
        if isinstance(value, Fixed) and type(value.value) in (int, float, bool):
            known = operator.not_ if isinstance(node.op, gast.Not) else operation(node.op)
            return Fixed(worked_out(known, value.value))
        if is_object(value):
            return self.special(value, f"__{objects.OPERATORS[type(node.op)]}__")
        return Leaf(rebuilt(node, {"operand": self.node(value)}))

    def of_BinOp(self, node: gast.BinOp) -> Value:
        left, right = self.values([node.left, node.right])
        return self.binary(node, left, right)

    def binary(self, node: Any, left: Value, right: Value) -> Value:
        kind = type(node.op)
        if isinstance(left, Fixed) and isinstance(right, Fixed) and type(left.value) in (int, float, bool, str) \
                and type(right.value) in (int, float, bool, str):
            return Fixed(worked_out(operation(node.op), left.value, right.value))
        if is_object(left) or is_object(right):
            label = objects.OPERATORS[kind]
            return self.dispatched(left, right, f"__{label}__", f"__r{label}__")
        if isinstance(left, Box) and left.kind in SEQUENCES or isinstance(right, Box) and right.kind in SEQUENCES:
            return self.of_sequences(node, left, right)
        return Leaf(gast.copy_location(gast.BinOp(self.node(left), node.op, self.node(right)), node))

    def of_sequences(self, node: Any, left: Value, right: Value) -> Value:
        kind = type(node.op)
        if kind is gast.Add and isinstance(left, Box) and isinstance(right, Box) and left.kind is right.kind:
            return self.made(left.kind, [*left.content.values(), *right.content.values()], node)
        if kind is gast.Mult and isinstance(right, Box):
            left, right = right, left
        if kind is gast.Mult and isinstance(right, Fixed) and type(right.value) is int and isinstance(left, Box):
            parts = [self.state.kept(part, "part", self.location) for part in left.content.values()]
            return self.made(left.kind, parts * right.value, node)
        is_text = kind is gast.Mod and isinstance(left, Fixed)  # "%d: %g" % (epoch, loss)
        if is_text or any(isinstance(side, Leaf) for side in (left, right)) and kind is not gast.Add:
            return Leaf(gast.copy_location(gast.BinOp(self.node(left), node.op, self.node(right)), node))
        raise CannotDissolve("an operator of a list")

    def dispatched(self, left: Value, right: Value, first: str, second: str) -> Value:
        """What an operator gives of which an operand is an object."""
        ways = []
        if is_object(left) and has_method(left, first):
            ways.append((left, right, first))
        elif not is_object(left) and not isinstance(left, (Fixed, Leaf)):
            raise CannotDissolve("an operator")
        if isinstance(left, Leaf) and not objects.hands_over(Numeric("array"), kind_of(right)) \
                and has_method(right, second):
            raise CannotDissolve("an operator of an array and an object")  # NumPy may do it for each element
        if is_object(right) and has_method(right, second) and not (
                is_object(left) and kind_of(left) is kind_of(right)):
            ways.append((right, left, second))
        if is_object(left) and is_object(right) and kind_of(left) is not kind_of(right) and issubclass(
                kind_of(right), kind_of(left)):
            ways.reverse()
        if len(ways) > 1:
            ways = [(receiver, self.state.kept(other, "other", self.location), label)
                    for receiver, other, label in ways]
        for receiver, other, label in ways:
            given = self.call(self.attribute(receiver, label), [other], {})
            if not (isinstance(given, Fixed) and given.value is NotImplemented):
                return given
        raise CannotDissolve("an operator")

    def of_Compare(self, node: gast.Compare) -> Value:
        found = self.values([node.left, *node.comparators[:1]])
        found += map(self.unchanging, node.comparators[1:])
        results = [self.compared(kind, left, right) for kind, left, right in zip(node.ops, found, found[1:])]
        if len(results) == 1:
            given = results[0]
            return Leaf(rebuilt(node, {"left": self.node(found[0]), "comparators": [self.node(found[1])]})) \
                if given is None else given
        if all(isinstance(given, Fixed) for given in results):
            return Fixed(all(given.value for given in results))
        return Leaf(rebuilt(node, {"left": self.node(found[0]), "comparators": [
            self.node(value) for value in found[1:]]}))

    def compared(self, kind: Any, left: Value, right: Value) -> Value | None:
        """What a comparison gives; None where it stays one."""
        kind = type(kind)
        if kind in (gast.In, gast.NotIn):
            found = self.is_in(left, right)
            return None if found is None else Fixed(found is (kind is gast.In))
        if kind in (gast.Is, gast.IsNot):
            if isinstance(left, Fixed) and isinstance(right, Fixed):
                return Fixed((left.value is right.value) is (kind is gast.Is))
            if any(isinstance(side, (Box, Closure)) for side in (left, right)):
                if any(isinstance(side, Bound) for side in (left, right)):
                    raise CannotDissolve("is")
                return Fixed((left is right) is (kind is gast.Is))
            return None
        if isinstance(left, Fixed) and isinstance(right, Fixed):
            return Fixed(bool(worked_out(getattr(operator, objects.COMPARED[kind][0]), left.value, right.value)))
        if is_object(left) or is_object(right):
            first, second = objects.COMPARED[kind]
            if kind in (gast.Eq, gast.NotEq):
                kinds = [kind_of(side) for side in (left, right) if is_object(side)]
                if all(each.__eq__ is object.__eq__ and each.__ne__ is object.__ne__ for each in kinds):
                    return Fixed((left is right) is (kind is gast.Eq))
                if kind is gast.NotEq:
                    raise CannotDissolve("!=")
            return self.dispatched(left, right, first, second)
        if isinstance(left, Box) or isinstance(right, Box):
            sides = [side.content.values() if isinstance(side, Box) else () for side in (left, right)]
            if kind in (gast.Eq, gast.NotEq) and isinstance(left, Box) and isinstance(right, Box) \
                    and left.kind is right.kind and left.kind in SEQUENCES and all(
                        isinstance(part, Fixed) for side in sides for part in side):
                equal = [part.value for part in sides[0]] == [part.value for part in sides[1]]
                return Fixed(equal is (kind is gast.Eq))
        return None

    def is_in(self, value: Value, around: Value) -> bool | None:
        refuse_to_stop(around)
        if isinstance(around, Box) and around.kind in (dict, set):
            return self.key(value) in around.content
        if isinstance(around, Box) and around.kind in SEQUENCES:
            parts = list(around.content.values())
            if all(isinstance(part, Fixed) for part in (value, *parts)):
                return any(part.value is value.value or part.value == value.value for part in parts)
            if all(is_object(part) and kind_of(part).__eq__ is object.__eq__ for part in (value, *parts)):
                return any(part is value for part in parts)
            if isinstance(value, Leaf) and not any(map(self.is_static, parts)):
                return None
            raise CannotDissolve("in")
        if is_object(around):
            raise CannotDissolve("in")
        if isinstance(value, Fixed) and isinstance(around, Fixed):
            return bool(worked_out(operator.contains, around.value, value.value))
        if isinstance(around, Given) and isinstance(around.known, Items) and around.known.kind is dict \
                and isinstance(value, Fixed):
            return value.value in around.known.steps
        return None


def operation(node: gast.AST) -> Callable:
    """What an operator makes of values that are known."""
    return getattr(operator, f"__{objects.OPERATORS[type(node)]}__")  # type: ignore[no-any-return]
