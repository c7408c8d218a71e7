"""Expressions over objects that a function makes, as ``dissolve.py`` needs them: what is known of their values, and the
expressions of the new program for what is not. Calls of the user's functions and methods are gone through in place."""
from __future__ import annotations

import functools
import operator
import types
from collections.abc import Callable, Iterable
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler import objects
from s2sgrad.compiler.definitions import Definition
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
    has_method,
    is_computed,
    is_named,
    is_object,
    kind_of,
)
from s2sgrad.compiler.program import (
    Program,
    attribute,
    constant,
    name,
    rebuilt,
    subscript,
    tuple_of,
)
from s2sgrad.containers import HEAP_TYPE, in_library
from s2sgrad.errors import Location
from s2sgrad.rules.abstract import MISSING, Abstract, Items, Known, Numeric

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
    call: Callable[..., Value]
    call_function: Callable[..., Value]

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
        if label == "NotImplemented":
            return Fixed(NotImplemented, name(label))
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
        rows: Any = known.shape[0] if isinstance(known, Numeric) and known.shape else None
        if isinstance(known, Items) and known.kind is list and not known.optional and not known.late:
            rows = list
        return Leaf(node, isinstance(known, Numeric), length=rows)

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
        self.state.outer.add(found)
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
            return self.given_away(value)
        except CannotDissolve:
            if site not in self.state.growing:
                raise
            self.state.growing.remove(site)
            self.state.steady.add(site)
            raise StartAgain from None

    def given_away(self, value: Value) -> Any:
        """The expression for what goes where nobody follows it: what may change must be known by nobody else."""
        todo, reached = [value], self.state.reached(named=True)
        while todo:
            part = todo.pop()
            if isinstance(part, Box):
                if part.kind in (list, dict, set) and any(part is box for box in reached):
                    raise CannotDissolve("a container goes where nobody follows it")
                todo += part.content.values()
        return self.node(value)

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
        state = self.state
        found: list[Value] = []
        places: list[int] = []
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
            value = self.unchanging(part) if kept else self.value(part)
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

    def unchanging(self, node: Any) -> Value:
        """The value of an expression that is evaluated perhaps never, or more than once, and must do nothing."""
        count, before = len(self.state.out), self.state.snapshot()
        value = self.value(node)
        if len(self.state.out) > count or any(
                box.content.keys() != was.keys() or not all(box.content[key] is was[key] for key in was)
                for box, was in before.items()):
            raise CannotDissolve("what may be evaluated, or not")
        return value

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
        if len(ways) > 1:
            ways = [(receiver, self.state.kept(other, "other", self.location), label)
                    for receiver, other, label in ways]
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
            if isinstance(index, Fixed) and isinstance(index.value, slice) and known.kind in SEQUENCES \
                    and any(objects.objects_in(known)):
                return self.made(known.kind, self.items(base)[index.value])
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
        if base.length is list and isinstance(index, Fixed):
            self.state.uncounted.add(list)
        return Leaf(subscript(base.node, self.node(index)), base.plain, length=self.length_of_slice(base, index))

    def length_of_slice(self, base: Leaf, index: Value) -> Any:
        """How many rows a slice of an array has; what it is of a list is asked for with the list."""
        if not isinstance(index, Fixed) or not isinstance(index.value, slice) or base.length is None:
            return None
        return len(range(base.length)[index.value]) if isinstance(base.length, int) else base.length

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
        known: Any = getattr(value, "known", None)
        if isinstance(value, Given) and not known.is_object and known.kind in (list, tuple, dict):
            if known.kind is dict:
                return [Fixed(step) for step in known.steps]
            return [self.part_of(value, subscript(value.node, constant(step)), step)
                    for step in range(len(known.items))]
        if isinstance(value, Leaf) and value.parts is not None:
            return self.items(value.parts())
        if isinstance(value, Leaf) and isinstance(value.node, gast.Name):
            if isinstance(value.length, int):
                return [Leaf(subscript(value.node, constant(row))) for row in range(value.length)]
            if value.length is not None:
                self.state.uncounted.add(value.length)
        raise CannotDissolve("what this gives one by one")

    def part_of(self, base: Given, node: Any, step: Any) -> Value:
        """An item of a list or dict that was there before."""
        known: Any = base.known
        part = known.at(step)
        return Leaf(node, isinstance(part, Numeric)) if self.filled and not any(objects.objects_in(known)) \
            else self.from_known(node, part)
