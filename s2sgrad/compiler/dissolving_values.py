"""Values that ``dissolve.py`` knows, of names and of operands, and the expressions of the new program for them."""
from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterable
from typing import Any

import gast
import numpy as np

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
    calls_something,
    is_computed,
    is_named,
)
from s2sgrad.compiler.nodes import constant, name, tuple_of
from s2sgrad.compiler.program import Program
from s2sgrad.errors import Location
from s2sgrad.rules.abstract import Abstract, Items, Known, Numeric, Opaque
from s2sgrad.rules.draws import is_generator


class Values:
    """What is known of values; those of names come from the innermost frame."""

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
    construct: Callable[..., Value]

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
        of_random = isinstance(known, Opaque) and is_generator(known.kind)
        return Leaf(node, isinstance(known, Numeric) or of_random, length=rows)

    def fixed(self, value: Any, label: str = "", named: bool = False) -> Fixed:
        """A constant; functions, classes and modules under a name that they have in the new program."""
        if type(value) in LITERALS:
            return Fixed(value)
        if named:
            self.state.outer.add(label)
            return Fixed(value, name(label))
        return Fixed(value, None)

    def fixed_default(self, value: Any) -> Value:
        if type(value) is tuple and all(type(part) in LITERALS for part in value):
            return Box(tuple, dict(enumerate(map(Fixed, value))))
        if type(value) in LITERALS or isinstance(value, (
                type, types.FunctionType, types.BuiltinFunctionType, np.ufunc)):
            return self.fixed(value)
        raise CannotDissolve("a default")

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
                parts = tuple(map(self.key, value.content.values()))
                if any(isinstance(part, (Box, Closure)) for part in parts):
                    raise CannotDissolve("a key")
                return parts
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

    def items_given_away(self, boxes: Iterable[Box]) -> None:
        """The same for what containers hold, of which something gives one thing or another."""
        for box in boxes:
            for part in box.content.values():
                if isinstance(part, Box):
                    self.given_away(part)

    def site(self, node: Any) -> Any:
        return None if node is None else (tuple(self.path), id(node))

    path: list[int]
    """The calls that are gone through."""

    # ---- operands

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

    def called_now(self, value: Value) -> Value:
        """A container of whose parts not all may be read, with what calls give of these under names."""
        return self.state.kept(value, "part", self.location) if isinstance(value, Box) and calls_something(
            value) else value

    def unchanging(self, node: Any) -> Value:
        """The value of an expression that is evaluated perhaps never, or more than once, and must do nothing."""
        count, before = len(self.state.out), self.state.snapshot()
        value = self.value(node)
        if self.acted(count, before):
            raise CannotDissolve("what may be evaluated, or not")
        return value

    def acted(self, count: int, before: dict[Box, dict]) -> bool:
        """Whether there are more statements than so many, or the containers hold something else than ``before``."""
        return len(self.state.out) > count or any(
            box.content.keys() != was.keys() or not all(box.content[key] is was[key] for key in was)
            for box, was in before.items())
