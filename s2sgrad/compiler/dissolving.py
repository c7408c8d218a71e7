"""Expressions over objects that a function makes, as ``dissolve.py`` needs them: what is known of their values, and the
expressions of the new program for what is not. Calls of the user's functions and methods are gone through in place."""
from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import operator
import types
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler import objects
from s2sgrad.compiler.definitions import Definition, alike, own_derivative
from s2sgrad.compiler.dissolved import (
    LITERALS,
    UNBOUND,
    Bound,
    Box,
    CannotDissolve,
    Closure,
    Fixed,
    Frame,
    Given,
    Leaf,
    StartAgain,
    State,
    Value,
    is_computed,
)
from s2sgrad.compiler.effects import may_write
from s2sgrad.compiler.program import (
    Program,
    attribute,
    constant,
    is_starred,
    name,
    rebuilt,
    subscript,
    tuple_of,
)
from s2sgrad.containers import HEAP_TYPE, NOT_INSTANCES, in_library, is_open
from s2sgrad.errors import Location
from s2sgrad.rules.abstract import MISSING, Abstract, Items, Known, Numeric, Opaque

MOST_CALLS = 64
"""So deep calls are gone through in one another."""
BINARY: dict[type, Callable] = {
    gast.Add: operator.add, gast.Sub: operator.sub, gast.Mult: operator.mul, gast.Div: operator.truediv,
    gast.FloorDiv: operator.floordiv, gast.Mod: operator.mod, gast.Pow: operator.pow, gast.LShift: operator.lshift,
    gast.RShift: operator.rshift, gast.BitAnd: operator.and_, gast.BitOr: operator.or_, gast.BitXor: operator.xor,
}
UNARY: dict[type, Callable] = {gast.USub: operator.neg, gast.UAdd: operator.pos, gast.Invert: operator.invert,
                               gast.Not: operator.not_}
COMPARE: dict[type, Callable] = {
    gast.Eq: operator.eq, gast.NotEq: operator.ne, gast.Lt: operator.lt, gast.LtE: operator.le, gast.Gt: operator.gt,
    gast.GtE: operator.ge, gast.Is: operator.is_, gast.IsNot: operator.is_not,
}
SEQUENCES = (list, tuple)
COMPREHENSIONS = (gast.ListComp, gast.GeneratorExp, gast.SetComp, gast.DictComp)
MUTATING = {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault",
            "popitem", "add", "discard", "fill", "put", "itemset", "partition", "resize"}
"""Methods that change what they are called on."""


class Expressions:
    """What is known of expressions; ``values`` of names come from the innermost frame."""

    state: State
    program: Program
    outer: Callable[..., Abstract]
    outer_of: Callable[[Any], Callable[..., Abstract]]
    program_of: Callable[[Definition], Program]
    given: dict[str, Any]
    location: Location
    """Of the statement that is looked at."""
    run_call: Callable[..., Value]
    decide: Callable[..., Value]
    looped: Callable[..., Value]
    stored: set[str]
    """Attributes of objects that were there before which get other values."""
    filled: set[str]
    """Attributes, and names, of dicts and lists that were there before, of which items get other values."""
    store_attribute: Callable[..., None]
    effect: Callable[..., Value]

    # ---- names

    def home(self, label: str) -> Frame:
        """The variables among which a name is bound: those around a function that says ``nonlocal``."""
        frame = self.frame
        while label in frame.program.bound and frame.around is not None:
            frame = frame.around
            if label in frame.content:
                break
        return frame

    @property
    def frame(self) -> Frame:
        return self.state.frames[-1]

    def lookup(self, label: str) -> Value:
        frame: Frame | None = self.frame
        while frame is not None:
            if label in frame.content:
                if frame.content[label] is UNBOUND:
                    raise CannotDissolve(f"what {label} is")
                return frame.content[label]
            frame = frame.around
        program, function = self.frame.program, self.frame.function
        if label in program.given:
            return self.fixed(program.given[label], label)
        return self.outside(label, function)

    def outside(self, label: str, function: Any) -> Value:
        """What a function finds under a name outside of it."""
        known = self.outer_of(function)(label)
        owner = self.program.owner
        alike_ = function is owner or function.__globals__ is owner.__globals__ and not {label} & {
            *function.__code__.co_freevars, *owner.__code__.co_freevars}
        alike_ = alike_ and label not in self.local and (
            label in self.state.outer or all(label != taken for taken, _ in self.state.names.handed))
        if isinstance(known, Known):
            return self.fixed(known.value, label, alike_)
        if not alike_:
            raise CannotDissolve(f"{label} has another meaning")
        self.state.outer.add(label)
        return self.from_known(name(label), known)

    @functools.cached_property
    def local(self) -> set[str]:
        from s2sgrad.compiler.program import assigned_names
        return {*self.program.parameters, *assigned_names(self.program.body)}

    def from_known(self, node: Any, known: Abstract) -> Value:
        if isinstance(known, Items) and known.items is not None and not known.optional and not known.late:
            return Given(node, known)
        if isinstance(known, Known):
            return Fixed(known.value, node) if type(known.value) not in LITERALS else Fixed(known.value)
        return Leaf(node, isinstance(known, Numeric))

    def fixed(self, value: Any, label: str = "", named: bool = False) -> Fixed:
        """A constant; functions, classes and modules under a name that they have in the new program."""
        if type(value) in LITERALS:
            return Fixed(value)
        if named:
            self.state.outer.add(label)
            return Fixed(value, name(label))
        return Fixed(value, None)

    def node_of_fixed(self, value: Fixed) -> Any:
        if value.node is not None:
            return value.node
        if type(value.value) in LITERALS:
            return constant(value.value)
        if type(value.value) is tuple:
            return tuple_of([self.node_of_fixed(Fixed(part)) for part in value.value])
        found = next((label for label, known in self.given.items() if known is value.value), None)
        if found is None:
            wanted = getattr(value.value, "__name__", "function").split(".")[-1]
            found = self.state.names.fresh(wanted if wanted.isidentifier() else "function")
            self.given[found] = value.value
        return name(found)

    # ---- values as expressions

    def node(self, value: Value) -> Any:
        """The expression of the new program for a value."""
        if isinstance(value, (Leaf, Given)):
            return value.node
        if isinstance(value, Fixed):
            if value is UNBOUND:
                raise CannotDissolve("what is not bound")
            return self.node_of_fixed(value)
        if isinstance(value, Box) and value.kind in (list, tuple):
            parts = [self.node(part) for part in value.content.values()]
            return gast.List(parts, gast.Load()) if value.kind is list else tuple_of(parts)
        if isinstance(value, Box) and value.kind is dict:
            return gast.Dict([self.node(self.key_value(key)) for key in value.content],
                             [self.node(part) for part in value.content.values()])
        if isinstance(value, Box) and is_named(value.kind):
            return gast.Call(self.node_of_fixed(Fixed(value.kind)), [
                self.node(part) for part in value.content.values()], [])
        raise CannotDissolve("an object of the user's goes where nobody follows it")

    @staticmethod
    def key_value(key: Any) -> Value:
        return key if isinstance(key, (Box, Closure)) else Fixed(key)

    def key(self, value: Value) -> Any:
        """What a value is as a key of a dict or set."""
        if isinstance(value, Fixed):
            try:
                hash(value.value)
            except TypeError:
                raise CannotDissolve("a key") from None
            return value.value
        if isinstance(value, Box):
            if value.kind is tuple:
                raise CannotDissolve("a key")
            if isinstance(value.kind, type) and value.kind.__eq__ is object.__eq__ \
                    and value.kind.__hash__ is object.__hash__:
                return value
        raise CannotDissolve("a key that is computed")

    def is_static(self, value: Value) -> bool:
        """Whether something is known here alone: an object, or what leads to one."""
        return isinstance(value, (Closure, Bound)) or isinstance(value, Box) and (
            value.kind not in (list, tuple, dict) or value.kind in (list, dict)
            or any(map(self.is_static, value.content.values())))

    def made(self, kind: Any, parts: Iterable[Value], site: Any = None) -> Value:
        """A new list or tuple."""
        content = dict(enumerate(parts))
        key = self.site(site)
        if kind is list and key in self.state.growing:
            return Leaf(gast.List([self.node_in(key, part) for part in content.values()], gast.Load()), site=key)
        return Box(kind, content, key)

    def node_in(self, site: Any, value: Value) -> Any:
        """The expression for what goes into a container that stays one; if there is none it can't."""
        try:
            return self.node(value)
        except CannotDissolve:
            if site not in self.state.growing:
                raise
            self.state.growing.remove(site)
            self.state.steady.add(site)
            raise StartAgain from None

    def site(self, node: Any) -> Any:
        return None if node is None else (tuple(self.path), id(node))

    path: list[int]
    """The calls that are gone through."""

    # ---- expressions

    def value(self, node: Any) -> Value:
        method = getattr(self, f"of_{type(node).__name__}", None)
        if method is None:
            raise CannotDissolve(type(node).__name__)
        return method(node)

    def values(self, nodes: list) -> list[Value]:
        """Operands in turn: what is computed of one before statements of another goes before these."""
        state, found, places = self.state, [], []
        depth = len(state.pending)
        try:
            for node in nodes:
                count = len(state.out)
                value = None if node is None else self.value(node)
                if len(state.out) > count:
                    self.settle(found, places)
                found.append(value)
                places.append(len(state.out))
                state.pending.append(value)
                state.pending[depth:] = found
        finally:
            del state.pending[depth:]
        return found

    def settle(self, found: list[Value], places: list[int]) -> None:
        """Statements come behind what was evaluated before: that is computed where it stands."""
        out, shift = self.state.out, 0
        for index, (value, place) in enumerate(zip(found, places)):
            places[index] = place = place + shift
            if is_computed(value) or isinstance(value, Box) and not value.settled:
                before, self.state.out = self.state.out, []
                found[index] = self.state.kept(value, "part", self.location)
                made, self.state.out = self.state.out, before
                out[place:place] = made
                shift += len(made)

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
                if not (isinstance(value, Box) and value.kind is dict):
                    raise CannotDissolve("**")
                content.update(value.content)
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
        if all(isinstance(value, Fixed) and type(value.value) in (str, int) for value in found) and not any(
                isinstance(part, gast.FormattedValue) and (part.format_spec is not None or part.conversion != -1)
                for part in node.values):
            return Fixed("".join(str(value.value) for value in found))
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
            count = len(self.state.out)
            value = self.value(part)
            if kept and len(self.state.out) > count:
                raise CannotDissolve("and, or")
            test = self.truth(value)
            last = place == len(node.values) - 1
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
            return Fixed(UNARY[type(node.op)](value.value))
        if is_object(value):
            return self.special(value, f"__{objects.OPERATORS[type(node.op)]}__")
        return Leaf(rebuilt(node, {"operand": self.node(value)}))

    def of_BinOp(self, node: gast.BinOp) -> Value:
        left, right = self.values([node.left, node.right])
        return self.binary(node, left, right)

    def binary(self, node: Any, left: Value, right: Value) -> Value:
        kind = type(node.op)
        if isinstance(left, Fixed) and isinstance(right, Fixed) and type(left.value) in (int, float, bool, str) \
                and type(right.value) in (int, float, bool, str) and kind in BINARY:
            try:
                return Fixed(BINARY[kind](left.value, right.value))
            except Exception:
                raise CannotDissolve("an operator") from None
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
            return self.made(left.kind, [*left.content.values()] * right.value, node)
        if any(isinstance(side, Leaf) for side in (left, right)) and kind is not gast.Add:
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
        for receiver, other, label in ways:
            given = self.call(self.attribute(receiver, label), [other], {})
            if not (isinstance(given, Fixed) and given.value is NotImplemented):
                return given
        raise CannotDissolve("an operator")

    def special(self, value: Value, label: str, *others: Value) -> Value:
        if not has_method(value, label):
            raise CannotDissolve(label)
        return self.call(self.attribute(value, label), list(others), {})

    def of_Compare(self, node: gast.Compare) -> Value:
        found = self.values([node.left, *node.comparators])
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
            try:
                return Fixed(bool(COMPARE[kind](left.value, right.value)))
            except Exception:
                raise CannotDissolve("a comparison") from None
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
            try:
                return value.value in around.value
            except TypeError:
                raise CannotDissolve("in") from None
        if isinstance(around, Given) and isinstance(around.known, Items) and around.known.kind is dict \
                and isinstance(value, Fixed):
            return value.value in around.known.steps
        return None

    # ---- parts

    def of_Attribute(self, node: gast.Attribute) -> Value:
        if isinstance(node.value, gast.Call) and isinstance(node.value.func, gast.Name) \
                and node.value.func.id == "super":
            return self.of_parent(node)
        return self.attribute(self.value(node.value), node.attr, node)

    def of_parent(self, node: Any) -> Value:
        frame: Any = self.frame
        within, receiver = frame.within, frame.content.get(frame.program.receiver)
        if node.value.args or within is None or self.lookup("super") is None or not (
                isinstance(receiver, (Box, Given)) or isinstance(receiver, Fixed) and isinstance(receiver.value, type)):
            raise CannotDissolve("super")
        kind = receiver.value if isinstance(receiver, Fixed) else kind_of(receiver)
        later = kind.__mro__[kind.__mro__.index(within) + 1:] if within in kind.__mro__ else ()
        holder = next((base for base in later if node.attr in vars(base)), None)
        if holder is None:
            raise CannotDissolve("super")
        if holder is object:
            return Bound(Fixed(vars(object)[node.attr]), (receiver,))
        self.outer(node.attr, holder)
        return self.bound(objects.unmarked(vars(holder)[node.attr]), receiver, kind)

    def attribute(self, base: Value, label: str, node: Any = None) -> Value:
        if isinstance(base, Box) and base.kind not in (list, tuple, dict, set):
            return self.of_object(base, base.kind, label)
        if isinstance(base, Given) and isinstance(base.known, Items) and (base.known.is_object or base.known.is_named):
            return self.of_given(base, label)
        if isinstance(base, (Box, Given)):
            return Bound(Fixed(label), (base,))  # a method of a list or dict
        if isinstance(base, Fixed):
            return self.of_fixed(base, label)
        if isinstance(base, Bound) and label == "__self__" and base.arguments:
            return base.arguments[0]
        if not isinstance(base, Leaf):
            raise CannotDissolve("an attribute of a function")
        return Leaf(attribute(base.node, label), base.plain)

    def of_object(self, base: Value, kind: Any, label: str) -> Value:
        if is_named(kind) and label in kind._fields:
            return base.content[kind._fields.index(label)]
        if is_named(kind) and label in ("_replace", "_asdict"):
            return Bound(Fixed(label), (base,))
        found = objects.found_in(kind, label)
        if type(found) is property:
            self.outer(label, kind)
            return self.call_function(found.fget, [base], {})
        if isinstance(base, Box) and label in base.content and not is_named(kind):
            if base.content[label] is UNBOUND:
                raise CannotDissolve(f"what .{label} is")
            return base.content[label]
        if label == "__class__":
            return Fixed(kind)
        if found is MISSING or isinstance(found, types.MemberDescriptorType):
            fallback = objects.found_in(kind, "__getattr__")
            if isinstance(fallback, types.FunctionType):
                self.outer("__getattr__", kind)
                return self.call_function(fallback, [base, Fixed(label)], {})
            raise CannotDissolve(f"there is no .{label}")
        self.outer(label, kind)
        return self.bound(found, base, kind)

    def bound(self, found: Any, receiver: Value, kind: type) -> Value:
        """What is found in a class, as an object gives it."""
        if isinstance(found, staticmethod):
            return self.fixed(objects.function_of(found))
        if isinstance(found, classmethod):
            return Bound(Fixed(objects.function_of(found)), (Fixed(kind),))
        if isinstance(found, types.FunctionType):
            return Bound(Fixed(found), (receiver,))
        if hasattr(type(found), "__get__"):
            raise CannotDissolve("a descriptor")
        if isinstance(found, types.BuiltinFunctionType) or type(found) in LITERALS or isinstance(found, type):
            return self.fixed(found)
        label = next(key for base in kind.__mro__ for key, held in vars(base).items() if held is found)
        return self.from_known(attribute(self.node_of_fixed(Fixed(kind)), label), self.outer(label, kind))

    def of_given(self, base: Given, label: str) -> Value:
        known: Any = base.known
        if known.has_field(label) and not known.is_named and type(objects.found_in(known.kind, label)) is not property:
            node = attribute(base.node, label)
            if label in self.stored:
                return Leaf(node, False)
            self.read.add(label)
            return self.from_known(node, known.at(label))
        if known.is_named and label in known.keys:
            return self.from_known(attribute(base.node, label), known.at(label))
        if label in self.stored:
            return Leaf(attribute(base.node, label), False)
        return self.of_object(base, known.kind, label)

    read: set[str]
    """Attributes of objects that were there before of which something is taken for known."""

    def of_fixed(self, base: Fixed, label: str) -> Value:
        held = base.value
        if isinstance(held, types.ModuleType):
            found = getattr(held, label, MISSING)
            if found is MISSING:
                raise CannotDissolve(label)
            node = attribute(self.node_of_fixed(base), label)
            if label in vars(held) and not in_library(held.__name__):
                known = self.outer(label, vars(held))
                return Fixed(known.value, node) if isinstance(known, Known) else self.from_known(node, known)
            if callable(found) or isinstance(found, types.ModuleType):
                return Fixed(found, node)
            return Fixed(found) if type(found) in (float, int) else Leaf(node)
        if isinstance(held, type) and held.__flags__ & HEAP_TYPE and not in_library(held.__module__):
            found = objects.found_in(held, label)
            if label == "__name__":
                return Fixed(held.__name__)
            if is_named(held) and label == "_make":
                return Bound(Fixed(label), (base,))
            if found is MISSING or type(held) is not type and objects.found_in(type(held), label) is not MISSING \
                    and label not in dir(held):
                raise CannotDissolve(label)
            self.outer(label, held)
            if isinstance(found, (types.FunctionType, staticmethod)):
                return self.fixed(objects.function_of(found))
            return self.bound(found, base, held)
        if type(held) in (str, bytes) or type(held) is tuple:
            return Bound(Fixed(label), (base,))
        if held is object or isinstance(held, (type, np.ufunc, types.BuiltinFunctionType, types.FunctionType)):
            found = getattr(held, label, MISSING)
            if found is MISSING or type(found) in LITERALS:
                return Fixed(found) if found is not MISSING else self.absent(label)
            return Fixed(found, attribute(self.node_of_fixed(base), label))
        raise CannotDissolve(f"what .{label} is")

    @staticmethod
    def absent(label: str) -> Any:
        raise CannotDissolve(f"there is no .{label}")

    def of_Slice(self, node: gast.Slice) -> Value:
        parts = self.values([node.lower, node.upper, node.step])
        if all(part is None or isinstance(part, Fixed) for part in parts):
            return Fixed(slice(*(None if part is None else part.value for part in parts)), gast.Slice(
                *(None if part is None else self.node(part) for part in parts)))
        return Leaf(gast.Slice(*(None if part is None else self.node(part) for part in parts)))

    def of_Subscript(self, node: gast.Subscript) -> Value:
        base, index = self.values([node.value, node.slice])
        return self.item(base, index)

    def item(self, base: Value, index: Value) -> Value:
        if isinstance(base, Box) and (base.kind in SEQUENCES or is_named(base.kind)):
            if not isinstance(index, Fixed):
                raise CannotDissolve("an index that is computed")
            parts = list(base.content.values())
            if isinstance(index.value, slice):
                return self.made(base.kind, parts[index.value])
            try:
                return self.bound_part(parts[index.value])
            except (TypeError, IndexError):
                raise CannotDissolve("an index") from None
        if isinstance(base, Box) and base.kind is dict:
            key = self.key(index)
            if key not in base.content:
                raise CannotDissolve("a key that is not there")
            return self.bound_part(base.content[key])
        if is_object(base):
            return self.special(base, "__getitem__", index)
        if isinstance(base, Given):
            known: Any = base.known
            step = known.indexed(index.value) if isinstance(index, Fixed) and not isinstance(
                index.value, slice) else MISSING
            node = subscript(base.node, self.node(index))
            return Leaf(node, False) if step is MISSING else self.part_of(base, node, step)
        if isinstance(base, Fixed):
            if type(base.value) in (str, tuple) and isinstance(index, Fixed):
                return self.fixed(base.value[index.value])
            if type(base.value) is dict and isinstance(index, Fixed) and index.value in base.value:
                node = subscript(self.node_of_fixed(base), self.node(index))
                return self.from_known(node, self.outer(index.value, base.value))
            raise CannotDissolve("an item")
        if not isinstance(base, Leaf):
            raise CannotDissolve("an item")
        return Leaf(subscript(base.node, self.node(index)), base.plain)

    @staticmethod
    def bound_part(value: Value) -> Value:
        if value is UNBOUND:
            raise CannotDissolve("what an item is")
        return value

    def items(self, value: Value) -> list[Value]:
        """What a value gives one by one."""
        if isinstance(value, Box) and (value.kind in SEQUENCES or is_named(value.kind)):
            return list(map(self.bound_part, value.content.values()))
        if isinstance(value, Box) and value.kind in (dict, set):
            return [self.key_value(key) for key in value.content]
        if isinstance(value, Fixed) and type(value.value) in (str, tuple, range):
            return [self.fixed(part) for part in value.value]
        if is_object(value) and has_method(value, "__iter__"):
            return self.items(self.call(self.attribute(value, "__iter__"), [], {}))
        if isinstance(value, Given) and not value.known.is_object and value.known.kind in (list, tuple, dict):
            known: Any = value.known
            if known.kind is dict:
                return [Fixed(step) for step in known.steps]
            return [self.part_of(value, subscript(value.node, constant(step)), step)
                    for step in range(len(known.items))]
        raise CannotDissolve("what this gives one by one")

    def part_of(self, base: Given, node: Any, step: Any) -> Value:
        """An item of a list or dict that was there before."""
        known: Any = base.known
        last: Any = base.node
        label = last.attr if isinstance(last, gast.Attribute) else getattr(last, "id", None)
        return Leaf(node, isinstance(known.at(step), Numeric)) if label in self.filled or label is None \
            and self.filled else self.from_known(node, known.at(step))

    # ---- comprehensions

    def of_ListComp(self, node: Any) -> Value:
        return self.comprehension(node, list)

    def of_GeneratorExp(self, node: Any) -> Value:
        return self.comprehension(node, list)

    def of_SetComp(self, node: Any) -> Value:
        return self.comprehension(node, set)

    def of_DictComp(self, node: Any) -> Value:
        return self.comprehension(node, dict)

    def comprehension(self, node: Any, kind: type) -> Value:
        """What a comprehension makes: item by item where what it runs over is known, else as it stands."""
        inner = Frame(self.frame.program, self.frame.function, self.frame, self.frame.within)
        found: list[Value] = []
        count = len(self.state.out)
        self.state.frames.append(inner)
        self.state.pending.append(growing := Box(list, {}))
        try:
            self.turns(node, 0, inner, found, [], growing)
        except CannotDissolve:
            if len(self.state.out) > count:
                raise
            whole = self.as_it_stands(node, inner)
            if whole is None:
                raise
            return whole
        finally:
            self.state.frames.pop()
            self.state.pending.pop()
        if kind is dict:
            return Box(dict, {self.key(pair.content[0]): pair.content[1] for pair in found}, self.site(node))
        if kind is set:
            return Box(set, {self.key(value): value for value in found}, self.site(node))
        return self.made(list, found, node)

    def turns(self, node: Any, depth: int, inner: Frame, found: list[Value], places: list[int], growing: Box) -> None:
        """The items that a comprehension makes with its targets as they are; ``growing``: what keeps them."""
        if depth == len(node.generators):
            count = len(self.state.out)
            if isinstance(node, gast.DictComp):
                item: Value = Box(tuple, dict(enumerate(self.values([node.key, node.value]))))
            else:
                item = self.value(node.elt)
            if len(self.state.out) > count:
                self.settle(found, places)
            found.append(item)
            places.append(len(self.state.out))
            growing.content = dict(enumerate(found))
            return
        each = node.generators[depth]
        for item in self.items(self.state.kept(self.value(each.iter), "items", self.location)):
            self.bind(each.target, item, inner)
            for condition in each.ifs:
                test = self.truth(self.value(condition))
                if not isinstance(test, Fixed):
                    raise CannotDissolve("a condition")
                if not test.value:
                    break
            else:
                self.turns(node, depth + 1, inner, found, places, growing)

    def bind(self, target: Any, value: Value, frame: Frame) -> None:
        """A comprehension's target gets a value."""
        if isinstance(target, gast.Name):
            frame.content[target.id] = value
        elif isinstance(target, (gast.Tuple, gast.List)) and not any(
                isinstance(part, gast.Starred) for part in target.elts):
            parts = self.items(value)
            if len(parts) != len(target.elts):
                raise CannotDissolve("a target")
            for part, item in zip(target.elts, parts):
                self.bind(part, item, frame)
        else:
            raise CannotDissolve("a target")

    def as_it_stands(self, node: Any, inner: Frame) -> Value | None:
        """A comprehension over what is computed, of whose parts nothing but expressions is made."""
        count = len(self.state.out)
        generators = []
        for each in node.generators:
            iterable = self.node(self.value(each.iter))
            for part in gast.walk(each.target):
                if isinstance(part, gast.Name):
                    label = part.id if not self.state.mentions(part.id) else self.state.names.fresh(part.id)
                    inner.own[part.id] = label
                    inner.content[part.id] = Leaf(name(label))
            target = renamed_target(each.target, inner.own)
            generators.append(gast.comprehension(target, iterable, [
                self.node(self.truth(self.value(test))) for test in each.ifs], 0))
        changes: dict[str, Any] = {"generators": generators}
        for part in ("elt", "key", "value"):
            if hasattr(node, part):
                changes[part] = self.node(self.value(getattr(node, part)))
        return Leaf(rebuilt(node, changes)) if len(self.state.out) == count else None

    # ---- calls

    def of_Call(self, node: gast.Call) -> Value:
        if isinstance(node.func, gast.Name) and node.func.id == "super":
            raise CannotDissolve("super")
        plain = [part.value if isinstance(part, gast.Starred) else part for part in node.args]
        parts = [node.func, *plain, *(item.value for item in node.keywords)]
        function, *found = self.values(parts)
        positional: list[Value] = []
        stars: list[bool] = []
        for written, value in zip(node.args, found):
            if not isinstance(written, gast.Starred):
                positional.append(value)
                stars.append(False)
            elif isinstance(value, Leaf):
                positional.append(value)
                stars.append(True)
            else:
                items = self.items(value)
                positional += items
                stars += [False] * len(items)
        named: dict[str, Value] = {}
        for item, value in zip(node.keywords, found[len(plain):]):
            if item.arg is not None:
                named[item.arg] = value
            elif isinstance(value, Box) and value.kind is dict:
                named.update(value.content)
            else:
                raise CannotDissolve("**")
        return self.call(function, positional, named, node, stars)

    def call(self, function: Value, positional: list[Value], named: dict[str, Value], node: Any = None,
             stars: list[bool] | None = None) -> Value:
        spread = any(stars or ())
        self.path.append(id(node))
        depth = len(self.state.pending)
        self.state.pending += [function, *positional, *named.values()]
        try:
            while isinstance(function, Bound):
                if isinstance(function.function, Fixed) and type(function.function.value) is str:
                    return self.call_method(function.arguments[0], function.function.value, positional, named, node)
                positional = [*function.arguments, *positional]
                stars = [False] * len(function.arguments) + list(stars or ())
                named = {**function.keywords, **named}
                function = function.function
            if isinstance(function, Closure) and not spread:
                return self.call_closure(function, positional, named)
            if isinstance(function, Fixed) and not spread:
                return self.call_fixed(function, positional, named, node)
            if is_object(function) and not spread:
                return self.call(self.attribute(function, "__call__"), positional, named, node)
            if isinstance(function, Leaf) and isinstance(function.node, gast.Attribute) \
                    and function.node.attr in MUTATING and not named and not spread:
                return self.effect(replace(function, node=function.node.value), function.node.attr, positional)
            if isinstance(function, Leaf) or spread and isinstance(function, Fixed):
                return self.remaining(function, positional, named, node, stars)
            raise CannotDissolve("a call")
        finally:
            self.path.pop()
            del self.state.pending[depth:]

    def remaining(self, function: Value, positional: list[Value], named: dict[str, Value], node: Any,
                  stars: list[bool] | None = None, plain: bool = True) -> Leaf:
        """A call that stays one."""
        arguments = [self.node(value) for value in positional]
        if stars:
            arguments = [gast.Starred(part, gast.Load()) if star else part for part, star in zip(arguments, stars)]
        made = gast.Call(self.node(function), arguments, [
            gast.keyword(label, self.node(value)) for label, value in named.items()])
        return Leaf(made if node is None else gast.copy_location(made, node), plain)

    def call_closure(self, closure: Closure, positional: list[Value], named: dict[str, Value]) -> Value:
        definition = Definition(closure.function, syntax=closure.syntax)
        return self.run_call(definition, positional, named, closure.frame, closure.frame.within, closure.defaults)

    def call_function(self, function: Any, positional: list[Value], named: dict[str, Value]) -> Value:
        return self.run_call(Definition(function), positional, named, None, objects.class_of(function), {})

    def call_fixed(self, function: Fixed, positional: list[Value], named: dict[str, Value], node: Any) -> Value:
        held = objects.unmarked(function.value)
        try:
            own = BUILTINS.get(held)
        except TypeError:
            own = None
        if own is not None:
            given = getattr(self, own)(positional, named, node)
            if held is range and given is not None:
                return Fixed(given.value, self.remaining(function, positional, named, node).node)
            return self.remaining(function, positional, named, node) if given is None else given
        values = [*positional, *named.values()]
        if isinstance(held, types.FunctionType) and not in_library(held.__module__ or ""):
            if own_derivative(held) is not None or alike(held) is not None:
                return self.remaining(function, positional, named, node, plain=False)
            if not any(self.is_static(value) or isinstance(value, Given) and value.known.is_object
                       for value in values) and not makes_objects(held):
                return self.remaining(function, positional, named, node, plain=False)
            return self.call_function(held, positional, named)
        if is_named(held):
            bound = fitting(held, positional, named)
            return Box(held, dict(enumerate(bound[label] if label in bound else self.fixed(held._field_defaults[label])
                                            for label in held._fields)), self.site(node))
        if isinstance(held, type) and is_users(held):
            return self.construct(held, positional, named, node)
        return self.remaining(function, positional, named, node)

    # ---- objects

    def construct(self, kind: Any, positional: list[Value], named: dict[str, Value], node: Any) -> Value:
        """A new object."""
        if not (is_open(kind) and type(kind).__call__ is type.__call__ and not issubclass(kind, NOT_INSTANCES)
                and objects.found_in(kind, "__new__") is object.__new__) or inspect.isabstract(kind):
            raise CannotDissolve(f"how a {kind.__name__} is made")
        made = Box(kind, {}, self.site(node), label=kind.__name__.lower().strip("_"))
        self.state.pending.append(made)
        init = objects.found_in(kind, "__init__")
        self.outer("__init__", kind)
        if dataclasses.is_dataclass(kind) and "__init__" in vars(kind) and init.__code__.co_filename.startswith("<"):
            self.fill(made, kind, positional, named)
        elif init is not object.__init__:
            if not isinstance(init, types.FunctionType):
                raise CannotDissolve(f"how a {kind.__name__} is made")
            self.call_function(init, [made, *positional], named)
        elif positional or named:
            raise CannotDissolve(f"how a {kind.__name__} is made")
        self.state.pending.remove(made)
        return made

    def fill(self, made: Box, kind: Any, positional: list[Value], named: dict[str, Value]) -> None:
        """What a dataclass's own ``__init__`` does."""
        bound = fitting(kind, positional, named)
        if any(label not in {item.name for item in dataclasses.fields(kind)} for label in bound):
            raise CannotDissolve("InitVar")
        for item in dataclasses.fields(kind):
            if item.name in bound:
                value = bound[item.name]
            elif item.default_factory is not dataclasses.MISSING:
                value = self.call(self.fixed(item.default_factory), [], {})
            elif item.default is not dataclasses.MISSING:
                value = self.fixed_default(item.default)
            else:
                continue
            self.state.put(made, item.name, value, self.location)
        if hasattr(kind, "__post_init__"):
            self.call(self.attribute(made, "__post_init__"), [], {})

    def fixed_default(self, value: Any) -> Value:
        if value == () and type(value) is tuple:
            return Box(tuple, {})
        if type(value) is tuple and all(type(part) in LITERALS for part in value):
            return Box(tuple, dict(enumerate(map(Fixed, value))))
        if type(value) in LITERALS or isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType, np.ufunc)):
            return self.fixed(value)
        raise CannotDissolve("a default")

    # ---- methods of lists, dicts, sets and texts

    def call_method(self, base: Value, label: str, positional: list[Value], named: dict[str, Value], node: Any) -> Value:
        if isinstance(base, Fixed):
            if is_named(base.value):
                return Box(base.value, dict(enumerate(self.items(positional[0]))), self.site(node))
            if type(base.value) is str and all(isinstance(value, Fixed) for value in positional) and not named:
                return self.fixed_result(getattr(base.value, label)(*(value.value for value in positional)))
            return self.remaining(Leaf(attribute(self.node(base), label)), positional, named, node)
        if isinstance(base, Given):
            if label in MUTATING:
                raise CannotDissolve("a container that was there before changes")
            known: Any = base.known
            if known.kind is dict and not positional and known.items is not None:
                parts = [self.part_of(base, subscript(base.node, constant(step)), step) for step in known.steps]
                keys = [Fixed(step) for step in known.steps]
                if label in ("keys", "values", "items"):
                    return self.made(list, keys if label == "keys" else parts if label == "values" else [
                        Box(tuple, {0: key, 1: part}) for key, part in zip(keys, parts)])
            return self.remaining(Leaf(attribute(base.node, label)), positional, named, node)
        if is_named(base.kind):
            fields = dict(zip(base.kind._fields, base.content.values()))
            return Box(dict, fields) if label == "_asdict" else Box(base.kind, dict(enumerate({
                **fields, **named}.values())))
        method = getattr(self, f"{base.kind.__name__}_{label}", None)
        if method is None or named:
            raise CannotDissolve(f".{label}()")
        return method(base, *positional)

    def fixed_result(self, value: Any) -> Value:
        if type(value) is list:
            return self.made(list, map(Fixed, value))
        return self.fixed_default(value)

    def list_append(self, box: Box, value: Value) -> Value:
        self.state.put(box, len(box.content), value, self.location)
        return Fixed(None)

    def list_extend(self, box: Box, values: Value) -> Value:
        for value in self.items(values):
            self.list_append(box, value)
        return Fixed(None)

    def list_insert(self, box: Box, place: Value, value: Value) -> Value:
        parts = list(box.content.values())
        parts.insert(self.number(place), self.state.kept(value, self.state.wanted(box, 0), self.location))
        box.content = dict(enumerate(parts))
        return Fixed(None)

    def list_pop(self, box: Box, place: Value = Fixed(-1)) -> Value:
        parts = list(box.content.values())
        try:
            value = parts.pop(self.number(place))
        except IndexError:
            raise CannotDissolve("pop") from None
        box.content = dict(enumerate(parts))
        return self.bound_part(value)

    def list_clear(self, box: Box) -> Value:
        box.content = {}
        return Fixed(None)

    def list_reverse(self, box: Box) -> Value:
        box.content = dict(enumerate([*box.content.values()][::-1]))
        return Fixed(None)

    def list_copy(self, box: Box) -> Value:
        return self.made(list, box.content.values())

    def list_remove(self, box: Box, value: Value) -> Value:
        parts = list(box.content.values())
        if not is_object(value) or kind_of(value).__eq__ is not object.__eq__ or not any(
                part is value for part in parts) or not all(map(is_object, parts)):
            raise CannotDissolve("remove")
        box.content = dict(enumerate(parts[:(at := [part is value for part in parts].index(True))] + parts[at + 1:]))
        return Fixed(None)

    def number(self, value: Value) -> int:
        if not isinstance(value, Fixed) or type(value.value) is not int:
            raise CannotDissolve("an index that is computed")
        return value.value

    def dict_get(self, box: Box, key: Value, default: Value = Fixed(None)) -> Value:
        return self.bound_part(box.content.get(self.key(key), default))

    def dict_items(self, box: Box) -> Value:
        return self.made(list, [Box(tuple, {0: self.key_value(key), 1: self.bound_part(value)})
                                for key, value in box.content.items()])

    def dict_keys(self, box: Box) -> Value:
        return self.made(list, map(self.key_value, box.content))

    def dict_values(self, box: Box) -> Value:
        return self.made(list, map(self.bound_part, box.content.values()))

    def dict_setdefault(self, box: Box, key: Value, default: Value = Fixed(None)) -> Value:
        held = self.key(key)
        if held not in box.content:
            self.state.put(box, held, default, self.location)
        return self.bound_part(box.content[held])

    def dict_update(self, box: Box, other: Value) -> Value:
        if not (isinstance(other, Box) and other.kind is dict):
            raise CannotDissolve("update")
        for key, value in other.content.items():
            self.state.put(box, key, value, self.location)
        return Fixed(None)

    def dict_pop(self, box: Box, key: Value, default: Value | None = None) -> Value:
        held = self.key(key)
        if held not in box.content and default is None:
            raise CannotDissolve("pop")
        return self.bound_part(box.content.pop(held, default))

    def dict_copy(self, box: Box) -> Value:
        return Box(dict, dict(box.content), label=box.label)

    def dict_clear(self, box: Box) -> Value:
        return self.list_clear(box)

    def set_add(self, box: Box, value: Value) -> Value:
        box.content.setdefault(self.key(value), value)
        return Fixed(None)

    def set_update(self, box: Box, values: Value) -> Value:
        for value in self.items(values):
            self.set_add(box, value)
        return Fixed(None)

    def set_discard(self, box: Box, value: Value) -> Value:
        box.content.pop(self.key(value), None)
        return Fixed(None)

    # ---- built-in functions

    def call_len(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        value = positional[0]
        if isinstance(value, Box) and (value.kind in (list, tuple, dict, set) or is_named(value.kind)):
            return Fixed(len(value.content))
        if isinstance(value, Fixed) and type(value.value) in (str, tuple, range):
            return Fixed(len(value.value))
        if isinstance(value, Given) and not value.known.is_object and value.known.items is not None:
            return Fixed(len(value.known.items))
        return self.special(value, "__len__") if is_object(value) else None

    def call_abs(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        return self.special(positional[0], "__abs__") if is_object(positional[0]) else None

    def call_float(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        return self.special(positional[0], "__float__") if positional and is_object(positional[0]) else None

    def call_range(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        if all(isinstance(value, Fixed) and type(value.value) is int for value in positional):
            return Fixed(range(*(value.value for value in positional)))
        return None

    def call_list(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        if not positional:
            return self.made(list, [], node)
        return None if isinstance(positional[0], Leaf) else self.made(list, self.items(positional[0]), node)

    def call_tuple(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        if positional and isinstance(positional[0], Leaf):
            return None
        return self.made(tuple, self.items(positional[0]) if positional else [], node)

    def call_set(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        parts = self.items(positional[0]) if positional else []
        return Box(set, {self.key(part): part for part in parts}, self.site(node))

    def call_dict(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        content: dict[Any, Value] = {}
        if positional:
            given = positional[0]
            pairs = given.content.items() if isinstance(given, Box) and given.kind is dict else [
                (self.key(pair[0]), pair[1]) for pair in map(self.items, self.items(given))]
            content.update(pairs)
        return Box(dict, {**content, **named}, self.site(node))

    def call_enumerate(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        if isinstance(positional[0], Leaf) or len(positional) > 1 or named:
            return None
        return self.made(list, [Box(tuple, {0: Fixed(place), 1: value})
                                for place, value in enumerate(self.items(positional[0]))])

    def call_zip(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        if named or any(isinstance(value, Leaf) for value in positional):
            return None
        return self.made(list, [Box(tuple, dict(enumerate(parts))) for parts in zip(*map(self.items, positional))])

    def call_reversed(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        return None if isinstance(positional[0], Leaf) else self.made(list, self.items(positional[0])[::-1])

    def call_iter(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        return None if isinstance(positional[0], Leaf) else self.made(list, self.items(positional[0]))

    def call_sum(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        values = self.items(positional[0]) if isinstance(positional[0], (Box, Given)) else []
        if not any(map(self.is_static, values)):
            return None
        total: Value = positional[1] if len(positional) > 1 else named.get("start", Fixed(0))
        for value in values:
            total = self.binary(gast.copy_location(gast.BinOp(None, gast.Add(), None), node), total, value)
        return total

    def call_sorted(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        values = [] if isinstance(positional[0], Leaf) else self.items(positional[0])
        if values and not named and all(isinstance(value, Fixed) for value in values):
            return self.made(list, map(Fixed, sorted(value.value for value in values)))
        return None

    def call_any(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        return self.quantified(positional, any)

    def call_all(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        return self.quantified(positional, all)

    def quantified(self, positional: list[Value], decide: Callable) -> Value | None:
        if isinstance(positional[0], Leaf):
            return None
        tests = list(map(self.truth, self.items(positional[0])))
        return Fixed(decide(test.value for test in tests)) if all(isinstance(test, Fixed) for test in tests) else None

    def call_isinstance(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        value, kinds = positional
        classes = [part.value for part in self.items(kinds)] if isinstance(kinds, Box) else [
            getattr(kinds, "value", None)]
        if not all(isinstance(kind, type) for kind in classes):
            raise CannotDissolve("isinstance")
        if isinstance(value, Box) or is_object(value):
            return Fixed(issubclass(kind_of(value), tuple(classes)))
        if isinstance(value, Fixed):
            return Fixed(isinstance(value.value, tuple(classes)))
        if isinstance(value, (Closure, Bound)):
            return Fixed(any(kind in (object, types.FunctionType, types.MethodType) for kind in classes))
        if isinstance(value, Leaf) and value.plain and all(map(is_users, classes)) and not any(
                isinstance(part, gast.Call) for part in gast.walk(value.node)):
            return Fixed(False)
        return None

    def call_hasattr(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        value, label = positional
        if not isinstance(label, Fixed):
            raise CannotDissolve("hasattr")
        if isinstance(value, Box) and isinstance(value.kind, type) and is_users(value.kind):
            held = value.content.get(label.value)
            if held is UNBOUND or isinstance(held, Leaf) and held.late:
                raise CannotDissolve("hasattr")
            if has_method(value, "__getattr__"):
                raise CannotDissolve("hasattr")
            return Fixed(held is not None or objects.found_in(value.kind, label.value) is not MISSING)
        return None if isinstance(value, Leaf) else self.absent(label.value)

    def call_getattr(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        value, label = positional[:2]
        if not isinstance(label, Fixed):
            raise CannotDissolve("getattr")
        if len(positional) > 2 and not self.call_hasattr(positional[:2], {}, node).value:  # type: ignore[union-attr]
            return positional[2]
        return self.attribute(value, label.value)

    def call_setattr(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        value, label, given = positional
        if not isinstance(label, Fixed):
            raise CannotDissolve("setattr")
        self.store_attribute(value, label.value, given)
        return Fixed(None)

    def call_callable(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        value = positional[0]
        if isinstance(value, (Closure, Bound)):
            return Fixed(True)
        if isinstance(value, Fixed):
            return Fixed(callable(value.value))
        return Fixed(has_method(value, "__call__")) if is_object(value) else None

    def call_type(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        value = positional[0]
        return Fixed(kind_of(value)) if len(positional) == 1 and (
            isinstance(value, Box) or is_object(value)) else None

    def call_partial(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        kept = [self.state.kept(value, "argument", self.location) for value in (*positional[1:], *named.values())]
        return Bound(positional[0], tuple(kept[:len(positional) - 1]), dict(zip(named, kept[len(positional) - 1:])))

    def call_map(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        function, *sources = positional
        if any(isinstance(value, Leaf) for value in sources):
            return None
        found = Box(list, {})
        self.state.pending.append(found)
        for parts in zip(*(self.items(self.state.kept(source, "items", self.location)) for source in sources)):
            self.list_append(found, self.call(function, list(parts), {}))
        self.state.pending.remove(found)
        return found

    def call_raw_set(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        """``object.__setattr__(self, name, value)``."""
        box, label, given = positional
        if not isinstance(box, Box) or not isinstance(label, Fixed):
            raise CannotDissolve("__setattr__")
        self.state.put(box, label.value, given, self.location)
        return Fixed(None)

    def call_nothing(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        return Fixed(None)

    def call_replace(self, positional: list[Value], named: dict, node: Any) -> Value | None:
        value = positional[0]
        if not isinstance(value, Box):
            if isinstance(value, Leaf):
                return None
            raise CannotDissolve("replace")
        kept = {item.name: value.content[item.name] for item in dataclasses.fields(value.kind)
                if item.init and item.name not in named}
        return self.construct(value.kind, [], {**kept, **named}, node)


BUILTINS: dict[Any, str] = {
    **{function: f"call_{function.__name__}" for function in (
        len, abs, float, range, list, tuple, set, dict, enumerate, zip, reversed, iter, sum, sorted, any, all, isinstance,
        hasattr, getattr, setattr, callable, type, map)},
    functools.partial: "call_partial", object.__setattr__: "call_raw_set", object.__init__: "call_nothing",
    object.__init_subclass__: "call_nothing", dataclasses.replace: "call_replace",
}


def is_users(kind: Any) -> bool:
    """Whether something is a class of the user's whose objects are no numbers, arrays or containers."""
    return isinstance(kind, type) and bool(kind.__flags__ & HEAP_TYPE) and not in_library(kind.__module__) \
        and not issubclass(kind, NOT_INSTANCES)


def is_named(kind: Any) -> bool:
    """Whether a class is of named tuples."""
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


def kind_of(value: Value) -> Any:
    return value.kind if isinstance(value, Box) else value.known.kind


def is_object(value: Value) -> bool:
    """Whether a value is an object of a class of the user's."""
    if isinstance(value, Given):
        return isinstance(value.known, Items) and value.known.is_object
    return isinstance(value, Box) and isinstance(value.kind, type) and value.kind not in (list, tuple, dict, set)


def has_method(value: Value, label: str) -> bool:
    return isinstance(objects.found_in(kind_of(value), label), types.FunctionType)


def fitting(kind: Any, positional: list[Value], named: dict[str, Value]) -> dict[str, Value]:
    try:
        return inspect.signature(kind).bind(*positional, **named).arguments
    except TypeError:
        raise CannotDissolve("arguments that do not fit") from None


def makes_objects(function: Any, seen: frozenset = frozenset()) -> bool:
    """Whether a function, or one that it calls, mentions a class of the user's, or a function defined inside."""
    code = function.__code__
    if code in seen:
        return False
    if any(isinstance(part, types.CodeType) for part in code.co_consts) and not function.__name__.startswith("<"):
        return True
    for label in code.co_names:
        found = objects.unmarked(function.__globals__.get(label))
        if is_users(found) or isinstance(found, types.FunctionType) and not in_library(found.__module__ or "") \
                and makes_objects(found, seen | {code}):
            return True
    return False


def renamed_target(target: Any, own: dict[str, str]) -> Any:
    made = copy.deepcopy(target)
    for part in gast.walk(made):
        if isinstance(part, gast.Name):
            part.id = own.get(part.id, part.id)
    return made
