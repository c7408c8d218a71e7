"""What a function is known to make before it runs, as ``dissolve.py`` goes through it: objects and containers by what
is in each of their places, and for every place the name under which generated code has what is there.

A place holds what is known (``Fixed``: a constant, a function, a class), something that is computed when the program
runs (``Leaf``: an expression of the new program, a name as a rule), another object (``Box``) or a function made here.
Objects are told apart by identity, as Python does: what has two names is one box.
"""
from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import gast

from s2sgrad.compiler import objects
from s2sgrad.compiler.nodes import Names, constant, name, names_in
from s2sgrad.compiler.program import Assign
from s2sgrad.containers import HEAP_TYPE, NOT_INSTANCES, in_library
from s2sgrad.errors import Location
from s2sgrad.frozen import frozen
from s2sgrad.rules.abstract import MISSING, Abstract, Items

LITERALS = (int, float, complex, str, bytes, bool, type(None), type(...))


class CannotDissolve(Exception):
    """What an object is, or holds, can't be told before the program runs."""


class StartAgain(Exception):
    """A container grows in a loop: it stays one when the program runs."""


def worked_out(function: Callable, *values: Any) -> Any:
    """What a function gives of known values. What it raises Python raises when the line runs, if it ever does: where
    that is so, the line can't be gone through."""
    try:
        return function(*values)
    except Exception:
        raise CannotDissolve("what Python raises") from None


@frozen(eq=False)
class Fixed:
    """Known: ``node`` is an expression for it, where that is not a literal."""

    value: Any
    node: Any = None


@frozen(eq=False)
class Leaf:
    """What an expression of the new program gives; ``plain``: no object of a class of the user's; ``late``: there may
    be nothing yet in the place that has it; ``site``: where in the program a container is made that this may be;
    ``length``: how many rows an array has, a letter where only the call tells, ``list`` for a list of any length;
    ``parts``: makes the container of what a call gives one by one; ``asked``: the containers that it asks for that."""

    node: Any
    plain: bool = True
    late: bool = False
    site: Any = None
    length: Any = None
    parts: Callable[[], Box] | None = None
    asked: tuple[Box, ...] = ()


@frozen(eq=False)
class Given:
    """A container or object that was there before, of which something is known: ``node`` is an expression for it."""

    node: Any
    known: Abstract


@dataclass(eq=False)
class Box:
    """An object, a list, tuple, dict or set, or the local variables of a call, by what is in their places."""

    kind: Any
    content: dict[Any, Any]
    site: Any = None
    """Where in the program it is made."""
    label: str = ""
    own: dict[Any, str] = field(default_factory=dict)
    """For places the names of what is there."""
    settled: bool = False
    """What is in it was computed."""
    views: tuple[Box, ...] | None = None
    """Of what gives one thing after the other, and of views of dicts: the containers that are asked."""
    backwards: bool = False
    """One of these from its end on."""
    of_given: bool = False
    """There are containers among these that were there before."""
    leading: tuple[Box, ...] = ()
    """Objects and containers that led to what it gives, whatever the numbers in them."""
    by_and_by: bool = False
    """Python evaluates what is in it item by item, as somebody asks for them."""
    acted: bool = False
    """That writes statements, or changes something."""


class Frame(Box):
    """The local variables of one call."""

    def __init__(self, program: Any, function: Any, around: Frame | None, within: type | None):
        super().__init__(Frame, {})
        self.program = program
        self.function = function
        self.around = around
        self.within = within
        self.loops: list = []
        """The loops of the new program that its statements are in."""

    def has_around(self, label: str) -> bool:
        return self.around is not None and (label in self.around.content or self.around.has_around(label))


@frozen(eq=False)
class Closure:
    """A function defined inside."""

    syntax: Any
    frame: Frame
    function: Any
    defaults: dict[int, Any]


@frozen(eq=False)
class Bound:
    """A function with some of its arguments: a method of an object, a ``functools.partial``."""

    function: Any
    arguments: tuple
    keywords: dict[str, Any] = field(default_factory=dict)


Value = Any
"""Fixed, Leaf, Given, Box, Closure or Bound."""
UNBOUND = Fixed(MISSING)
"""What is in a place of which it is not known whether something is there, or what."""


def is_computed(value: Value) -> bool:
    """Whether a value is what an expression gives that stands for more than a name."""
    if not isinstance(value, Leaf):
        return False
    parts = bounds_of(value.node) if isinstance(value.node, gast.Slice) else [value.node]
    return any(part is not None and not isinstance(part, (gast.Name, gast.Constant)) for part in parts)


def calls_something(value: Value) -> bool:
    """Whether computing a value calls what may give something else, or do more, each time."""
    if isinstance(value, Box):
        return not isinstance(value, Frame) and not value.settled and any(map(calls_something, value.content.values()))
    return is_computed(value) and any(isinstance(part, gast.Call) for part in gast.walk(value.node))


def bounds_of(node: gast.Slice) -> tuple:
    return node.lower, node.upper, node.step


def same(one: Value, other: Value) -> bool:
    """Whether two values are known to be the same."""
    if one is other:
        return True
    if isinstance(one, Fixed) and isinstance(other, Fixed):
        if type(one.value) in LITERALS:
            return type(one.value) is type(other.value) and repr(one.value) == repr(other.value)
        return one.value is other.value
    if isinstance(one, (Leaf, Given)) and type(one) is type(other):
        return bool(gast.dump(one.node) == gast.dump(other.node))
    if isinstance(one, Bound) and isinstance(other, Bound):
        return same(one.function, other.function) and len(one.arguments) == len(other.arguments) \
            and all(map(same, one.arguments, other.arguments)) and not one.keywords and not other.keywords
    return False


def inside(value: Value) -> Iterator[Value]:
    """What a value leads to."""
    if isinstance(value, Box):
        yield from value.content.values()
        if isinstance(value, Frame) and value.around is not None:
            yield value.around
    elif isinstance(value, Closure):
        yield value.frame
        yield from value.defaults.values()
    elif isinstance(value, Bound):
        yield from (value.function, *value.arguments, *value.keywords.values())


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


def refuse_by_and_by(*sources: Value) -> None:
    """Raises CannotDissolve for what is asked in turn with something else, which may find what that changes."""
    if any(isinstance(source, Box) and source.by_and_by for source in sources):
        raise CannotDissolve("what is evaluated item by item")


def refuse_to_stop(source: Value) -> None:
    """Raises CannotDissolve where Python asks for items until one decides, and what evaluates the others does more."""
    if isinstance(source, Box) and source.acted:
        raise CannotDissolve("items that Python may not ask for")


def boxes_asked(sources: Iterable[Value]) -> tuple[Box, ...]:
    """The containers that these, one of which is asked after the other, are or ask themselves."""
    return tuple(box for source in sources for box in (
        (source, *(source.views or ())) if isinstance(source, Box) else getattr(source, "asked", ())))


def led_to(values: Iterable[Value]) -> list[Box]:
    """The objects, containers and local variables that values are, or lead to."""
    found: dict[Box, None] = {}
    todo = list(values)
    while todo:
        value = todo.pop()
        if not isinstance(value, Box):
            todo += inside(value)
        elif value not in found:
            found[value] = None
            todo += inside(value)
    return list(found)


def held_in(label: str, contents: dict[Box, dict], but: tuple[Box, Any]) -> bool:
    """Whether something in these places is under a name, apart from what is in one of them."""
    todo = [value for box, content in contents.items() for key, value in content.items()
            if not (box is but[0] and key == but[1])]
    while todo:
        value = todo.pop()
        if isinstance(value, (Leaf, Given)) and label in names_in(value.node):
            return True
        if isinstance(value, (Closure, Bound)):
            todo += [part for part in inside(value) if not isinstance(part, Box)]
    return False


class State:
    """All that is known at one point of the program, and the statements written so far."""

    def __init__(self, names: Names):
        self.names = names
        self.frames: list[Frame] = []
        self.pending: list[Value] = []
        """What was evaluated, and is still to be used."""
        self.rows: list[list] = []
        """The statements that are still to come, and turns of loops, each with what the turns are still to get."""
        self.out: list = []
        self.growing: set[Any] = set()
        """The sites of containers that stay containers."""
        self.steady: set[Any] = set()
        """The sites of those that can't, for there are objects in them."""
        self.outer: set[str] = set()
        """Names of the new program for what is outside."""
        self.filled = 0
        """How many stores into containers that were there before were written."""
        self.uncounted: set[Any] = set()
        """The letters for sizes that would have to be known; ``list``: how many items some lists have."""

    # ---- what there is

    def reached(self, but: tuple[Box, Any] | None = None, named: bool = False) -> list[Value]:
        """All that there is, apart from what is in one place alone; ``named``: that is in some variable."""
        found: dict[int, Value] = {}
        todo: list[Value] = [*self.frames]
        if not named:
            todo += self.pending
            todo += [value for row in self.rows for part in row for value in getattr(part, "still", ())]
        while todo:
            value = todo.pop()
            if id(value) in found:
                continue
            found[id(value)] = value
            if but is not None and value is but[0]:
                todo += [part for key, part in value.content.items() if key != but[1]]
                todo += [value.around] if isinstance(value, Frame) and value.around is not None else []
            else:
                todo.extend(inside(value))
        return list(found.values())

    def boxes(self) -> list[Box]:
        return [value for value in self.reached() if isinstance(value, Box)]

    def mentions(self, label: str, but: tuple[Box, Any] | None = None) -> bool:
        """Whether something is under a name, apart from what is in one place."""
        return any(isinstance(value, (Leaf, Given)) and label in names_in(value.node) for value in self.reached(but))

    # ---- names

    def wanted(self, box: Box, key: Any) -> str:
        if isinstance(box, Frame):
            return str(key)
        label = f"{box.label}_{key}" if isinstance(key, (str, int)) and type(key) is not bool else box.label
        return label if label.isidentifier() else box.label

    def own(self, box: Box, key: Any) -> str:
        """The name for what is in a place, which may be bound anew there."""
        label = box.own.get(key)
        if label is None and box is self.frames[0]:
            label = box.own[key] = key
        if label is None or self.mentions(label, (box, key)):
            label = box.own[key] = self.names.fresh(self.wanted(box, key))
        return label

    # ---- changes

    def write(self, statement: Any) -> None:
        self.out.append(statement)

    def put(self, box: Box, key: Any, value: Value, location: Location) -> None:
        """Something goes into a place; what is no name gets one."""
        if isinstance(value, Box) and value.views is not None:
            raise CannotDissolve("an iterator that has a name")
        if isinstance(value, Leaf) and isinstance(value.node, gast.Slice):
            value = self.kept(value, self.wanted(box, key), location)
        elif is_computed(value):
            label = self.own(box, key)
            self.write(Assign(label, value.node, location))
            value = replace(value, node=name(label), parts=None)
        else:
            value = self.kept(value, self.wanted(box, key), location)
        box.content[key] = value

    def kept(self, value: Value, wanted: str, location: Location) -> Value:
        """A value, and what is in it, that is computed now, under names of its own."""
        if isinstance(value, Leaf) and isinstance(value.node, gast.Slice):  # which has no name, but its bounds have
            return replace(value, node=gast.Slice(*(
                None if part is None else self.kept(Leaf(part), wanted, location).node
                for part in bounds_of(value.node))))
        if is_computed(value):
            label = self.names.fresh(wanted)
            self.write(Assign(label, value.node, location))
            return replace(value, node=name(label), parts=None)
        if isinstance(value, Box) and not isinstance(value, Frame) and not value.settled:
            value.label = value.label or wanted
            value.settled = True
            for key, part in value.content.items():
                self.put(value, key, part, location)
        return value

    def snapshot(self) -> dict[Box, dict]:
        return {box: dict(box.content) for box in self.boxes()}

    @staticmethod
    def restore(contents: dict[Box, dict]) -> None:
        for box, content in contents.items():
            box.content = dict(content)

    # ---- where ways meet

    def meet(self, before: dict[Box, dict], ends: list[tuple[dict[Box, dict], list, Value]], location: Location
             ) -> Value:
        """What is known behind two ways, whose statements get what names it there; what both give."""
        (one, first, given), (other, second, taken) = ends
        self.restore(one)
        result = Frame(None, None, None, None)  # the place of what both give
        pairs: dict[Box, tuple[Box, Box]] = {}
        moves: list[tuple[str, Value, Value]] = []
        used: set[str] = set()

        def met(box: Box, key: Any, here: Value, there: Value) -> Value:
            if same(here, there):
                return here
            if isinstance(here, Box) and isinstance(there, Box):
                return both(here, there)
            nodes = [self.node_for(value) for value in (here, there)]
            if None in nodes:
                if here is UNBOUND or there is UNBOUND or isinstance(box, Frame) and box is not result:
                    return UNBOUND
                raise CannotDissolve(f"{key} is one thing or another")
            label = box.own.get(key)
            if label is None or label in used or held_in(label, one, (box, key)) or held_in(label, other, (box, key)):
                label = self.names.fresh(self.wanted(box, key))
            used.add(label)
            moves.append((label, *nodes))
            plain = all(getattr(value, "plain", True) for value in (here, there))
            return Leaf(name(label), plain)

        def both(here: Box, there: Box) -> Box:
            if here in pairs or there in pairs:
                if pairs.get(here, pairs.get(there)) != (here, there):
                    raise CannotDissolve("one object or another")
                return here
            now, then = one.get(here, here.content), other.get(there, there.content)
            if here in before or there in before or here.kind is not there.kind or now.keys() != then.keys():
                raise CannotDissolve("one object or another")
            pairs[here] = pairs[there] = here, there
            here.content = {key: met(here, key, now[key], then[key]) for key in now}
            return here

        for box, was in before.items():
            now, then = one.get(box, was), other.get(box, was)
            if box.kind in (list, dict, set) and now.keys() != then.keys():
                self.grow(box)
            box.content = {key: met(box, key, now.get(key, UNBOUND), then.get(key, UNBOUND))
                           for key in (*now, *(key for key in then if key not in now))}
        found = met(result, "result", given, taken)
        self.move(first, [(label, node) for label, node, _ in moves], location)
        self.move(second, [(label, node) for label, _, node in moves], location)
        return found

    def grow(self, box: Box) -> None:
        """A container has other parts in each turn, or on each way: all is looked at once more, with it as it is."""
        if box.kind is set or box.site is None or box.site in self.growing | self.steady:
            raise CannotDissolve("a container that grows")
        self.growing.add(box.site)
        raise StartAgain

    @staticmethod
    def node_for(value: Value) -> Any:
        """The expression that a place's name may be bound to; None for what is known here alone."""
        if isinstance(value, Leaf):
            return None if isinstance(value.node, gast.Slice) else value.node
        if isinstance(value, Fixed) and type(value.value) in LITERALS:
            return constant(value.value)
        return None

    def move(self, out: list, moves: list[tuple[str, Any]], location: Location) -> None:
        """Bind names at the end of a way, each to what others were before."""
        todo = [(label, node) for label, node in moves if not (isinstance(node, gast.Name) and node.id == label)]
        while todo:
            free = next((move for move in todo if not any(
                move[0] in names_in(node) for label, node in todo if label != move[0])), None)
            if free is None:
                label, node = todo[0]
                spare = self.names.fresh(label)
                out.append(Assign(spare, name(label), location))
                todo = [(other, name(spare) if isinstance(value, gast.Name) and value.id == label else value)
                        for other, value in todo]
                continue
            out.append(Assign(free[0], free[1], location))
            todo.remove(free)
