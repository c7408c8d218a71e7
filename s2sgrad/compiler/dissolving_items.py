"""Comprehensions that ``dissolve.py`` goes through, and the check that what a loop or one of them runs over stays as
it is."""
from __future__ import annotations

import copy
from typing import Any

import gast

from s2sgrad.compiler.dissolved import (
    Box,
    CannotDissolve,
    Fixed,
    Frame,
    Leaf,
    State,
    Value,
    boxes_asked,
    refuse_by_and_by,
    same,
)
from s2sgrad.compiler.dissolving_calls import Calls
from s2sgrad.compiler.nodes import name, rebuilt


class Watched:
    """What a loop runs over, which must stay as it is from the place on at which the loop is."""

    def __init__(self, iterated: Value, state: State):
        self.state = state
        self.filled = state.filled if isinstance(iterated, Box) and iterated.of_given else None
        self.boxes = boxes_asked([iterated])
        refuse_by_and_by(iterated)
        self.contents = [(box, dict(box.content)) for box in self.boxes]
        self.backwards = any(box.backwards for box in self.boxes)
        self.leading = [(box, structure(box)) for box in getattr(iterated, "leading", ())]

    def check(self, place: int) -> None:
        if self.filled not in (None, self.state.filled):
            raise CannotDissolve("a loop that may change what it runs over")
        for box, content in self.contents:
            parts, before = list(box.content.values()), list(content.values())
            if len(parts) != len(before) or box.kind is not set and any(
                    not same(one, other) for one, other in zip(*(
                        (parts, before) if self.backwards else (parts[place:], before[place:])))):
                raise CannotDissolve("a loop that changes what it runs over")
        for box, was in self.leading:
            now = structure(box)
            if now.keys() != was.keys() or not all(same(now[key], was[key]) for key in was):
                raise CannotDissolve("a loop that changes what leads to what it runs over")


def structure(box: Box) -> dict[Any, Value]:
    """What is in a box but for numbers and arrays that are computed."""
    return {key: value for key, value in box.content.items() if not isinstance(value, Leaf)}


class Comprehensions(Calls):
    def of_ListComp(self, node: Any) -> Value:
        return self.comprehension(node, list)

    def of_GeneratorExp(self, node: Any) -> Value:
        count, before = len(self.state.out), self.state.snapshot()
        found = self.comprehension(node, list)
        if isinstance(found, Box):
            found.views, found.by_and_by, found.acted = (), True, self.acted(count, before)
        return found

    def of_SetComp(self, node: Any) -> Value:
        return self.comprehension(node, set)

    def of_DictComp(self, node: Any) -> Value:
        return self.comprehension(node, dict)

    def comprehension(self, node: Any, kind: type) -> Value:
        """What a comprehension makes: item by item where what it runs over is known, else as it stands."""
        inner = Frame(self.frame.program, self.frame.function, self.frame, self.frame.within)
        found: list[Value] = []
        state, before, count = self.state, self.state.snapshot(), len(self.state.out)
        depths = len(state.frames), len(state.pending)
        state.frames.append(inner)
        state.pending.append(growing := Box(list, {}))
        try:
            self.turns(node, 0, inner, found, [], growing)
        except CannotDissolve:
            if len(state.out) > count:
                raise
            state.restore(before)
            del state.frames[depths[0] + 1:]
            return self.as_it_stands(node, inner)
        finally:
            del state.frames[depths[0]:], state.pending[depths[1]:]
        if kind is dict:
            if len({self.key(pair.content[0]) for pair in found}) < len(found):
                self.called_now(growing)
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
        iterated = self.opened(self.value(each.iter))
        watched = Watched(iterated, self.state)
        for place, item in enumerate(self.items(iterated)):
            watched.check(place)
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

    def as_it_stands(self, node: Any, inner: Frame) -> Value:
        """A comprehension over what is computed, of whose parts nothing but expressions is made."""
        generators = []
        for each in node.generators:
            iterable = self.node(self.unchanging(each.iter))
            for part in gast.walk(each.target):
                if isinstance(part, gast.Name):
                    label = part.id if not self.state.mentions(part.id) else self.state.names.fresh(part.id)
                    inner.own[part.id] = label
                    inner.content[part.id] = Leaf(name(label))
            target = renamed_target(each.target, inner.own)
            generators.append(gast.comprehension(target, iterable, [
                self.node(self.truth(self.unchanging(test))) for test in each.ifs], 0))
        changes: dict[str, Any] = {"generators": generators}
        for part in ("elt", "key", "value"):
            if hasattr(node, part):
                changes[part] = self.node(self.unchanging(getattr(node, part)))
        return Leaf(rebuilt(node, changes))


def renamed_target(target: Any, own: dict[str, str]) -> Any:
    made = copy.deepcopy(target)
    for part in gast.walk(made):
        if isinstance(part, gast.Name):
            part.id = own.get(part.id, part.id)
    return made
