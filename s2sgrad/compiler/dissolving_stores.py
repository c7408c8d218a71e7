"""Assignments and stores, as ``dissolve.py`` goes through them: those into what a function makes are remembered,
those into what was there before are written into the new program."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler import objects
from s2sgrad.compiler.dissolved import (
    LITERALS,
    Box,
    CannotDissolve,
    Fixed,
    Given,
    Leaf,
    StartAgain,
    Value,
    is_object,
    kind_of,
)
from s2sgrad.compiler.dissolving_loops import Loops
from s2sgrad.compiler.nodes import attribute, name, subscript
from s2sgrad.compiler.parsing_blocks import CHANGING
from s2sgrad.compiler.parsing_statements import TAKING
from s2sgrad.compiler.program import Append, Assign, Augment, Evaluate, Pattern, Rest, Store, pattern_names
from s2sgrad.compiler.records import kept_whole
from s2sgrad.rules.abstract import MISSING


class Stores(Loops):
    """What statements put into names, attributes and items, and what methods that change a container do to it."""

    arrays: set[int]
    """The numbers of the in-place operators on what turned out to be an array."""

    def assign(self, target: Pattern, value: Value) -> None:
        if isinstance(target, str):
            self.state.put(self.home(target), target, value, self.location)
            return
        if isinstance(target, Rest):
            raise CannotDissolve("a starred target")
        if isinstance(value, Leaf):
            parts = [self.target_for(part) for part in target]
            self.state.write(Assign(tuple(parts), value.node, self.location))
            for label in pattern_names(target):
                self.frame.content[label] = Leaf(name(self.frame.own[label]), value.plain)
            return
        items = self.items(value)
        if len(items) != len(target) or any(isinstance(part, Rest) for part in target):
            raise CannotDissolve("what is unpacked")
        depth = len(self.state.pending)
        self.state.pending += items
        for part, item in zip(target, items):
            self.state.pending.remove(item)
            self.assign(part, item)
        del self.state.pending[depth:]

    def target_for(self, target: Pattern) -> Pattern:
        if isinstance(target, tuple):
            return tuple(map(self.target_for, target))
        label = target.name if isinstance(target, Rest) else target
        if label in self.frame.program.bound:
            raise CannotDissolve("nonlocal")
        own = self.state.own(self.frame, label)
        self.frame.own[label] = own
        return replace(target, name=own) if isinstance(target, Rest) else own

    def augment(self, statement: Augment) -> None:
        """``place += value``: what is there is read before the value is computed."""
        target: Any = statement.target
        state = self.state
        if isinstance(target, gast.Name):
            found = [self.lookup(target.id)]
        elif isinstance(target, gast.Attribute):
            found = [self.value(target.value)]
            found.append(self.attribute(found[0], target.attr))
        else:
            found = self.values([target.value, target.slice])
            if is_object(found[0]):  # two of its methods get the place
                found[1] = state.kept(found[1], "place", statement.location)
            found.append(self.item(*found))
        depth, count = len(state.pending), len(state.out)
        state.pending += found
        value = self.value(statement.value)
        del state.pending[depth:]
        late = len(state.out) > count
        if late:
            self.settle(found, [count] * len(found))
        *around, old = found
        if isinstance(target, gast.Name):
            self.augment_place(statement, self.home(target.id), target.id, old, value)
            return
        base = around[0]
        if isinstance(target, gast.Attribute):
            if isinstance(base, Box):
                if type(objects.found_in(base.kind, target.attr)) is property or changes_stores(base.kind):
                    self.store_attribute(base, target.attr, self.augmented_value(statement, old, value))
                else:
                    self.augment_place(statement, base, target.attr, old, value)
                return
            if isinstance(base, Given):
                if type(objects.found_in(kind_of(base), target.attr)) is property or changes_stores(kind_of(base)):
                    raise CannotDissolve("a property")
                self.note_stored(target.attr)
            place = self.of_class(base, target.attr)
            if place is not None:
                if late:
                    raise CannotDissolve("a store")
                state.write(kept_whole(Augment(place, statement.operator, self.node(value), statement.location)))
                return
            new = attribute(self.written(Leaf(self.node(base))), target.attr)
        elif is_object(base):
            self.special(base, "__setitem__", around[1], self.augmented_value(statement, old, value))
            return
        elif isinstance(base, Box):
            self.augment_place(statement, base, self.place_in(base, around[1]), old, value)
            return
        else:
            new = subscript(self.written(base, around[1]), self.node(around[1]))
        new = gast.copy_location(new, target)
        if late:
            part = self.state.names.fresh("part")
            state.write(Assign(part, self.node(old), statement.location))
            state.write(Augment(name(part), statement.operator, self.node(value), statement.location))
            state.write(Store(new, name(part), statement.location))
        else:
            state.write(Augment(new, statement.operator, self.node(value), statement.location))

    def augmented_value(self, statement: Augment, old: Value, value: Value) -> Value:
        """What a method of the user's class gets to store: an array that was written into, or what is new."""
        place = Box(tuple, {None: old}, label="part")
        self.augment_place(statement, place, None, old, value)
        return place.content[None]

    def augment_place(self, statement: Augment, box: Box, key: Any, old: Value, value: Value) -> None:
        """``place += value``, where what is there is a number, an array, a list or an object."""
        state, kind = self.state, type(statement.operator)
        self.augmented += 1
        old = state.kept(old, state.wanted(box, key), statement.location)
        if is_object(old) and objects.updates_in_place(kind_of(old), kind):
            given = self.special(old, f"__i{objects.OPERATORS[kind]}__", value)
            if isinstance(given, Fixed) and given.value is NotImplemented:
                raise CannotDissolve("an in-place operator")
            state.put(box, key, given, statement.location)
            return
        if isinstance(old, Box) and old.kind is list and kind is gast.Add:
            self.list_extend(old, value)
            return
        if isinstance(old, Leaf) and isinstance(old.node, gast.Name) and not is_object(value) and not isinstance(
                old, Given):
            label = old.node.id
            shared = state.mentions(label, (box, key)) or label in state.outer
            if shared and self.augmented not in self.arrays:
                own = state.names.fresh(state.wanted(box, key))
                state.write(Assign(own, name(label), statement.location))
                box.own[key] = own
                label = own
            new = Augment(gast.copy_location(name(label), statement.target), statement.operator, self.node(value),
                          statement.location)
            if shared:
                self.doubtful[self.augmented] = new
            state.write(new)
            box.content[key] = Leaf(name(label), old.plain)
            return
        if isinstance(old, Given) or isinstance(old, Fixed) and objects.updates_in_place(type(old.value), kind):
            raise CannotDissolve("an in-place operator")
        if isinstance(old, (Fixed, Leaf)) or is_object(old) or isinstance(old, Box) and old.kind is tuple:
            node = gast.copy_location(gast.BinOp(None, statement.operator, None), statement.target)
            state.put(box, key, self.binary(node, old, value), statement.location)
            return
        raise CannotDissolve("an in-place operator")

    def store(self, statement: Store) -> None:
        target: Any = statement.target
        if isinstance(target, gast.Attribute):
            value, base = self.values([statement.value, target.value])
            self.store_attribute(base, target.attr, value)
            return
        value, base, index = self.values([statement.value, target.value, target.slice])
        if is_object(base):
            self.special(base, "__setitem__", index, value)
        elif isinstance(base, Box):
            if isinstance(index, Fixed) and isinstance(index.value, slice) and base.kind is list:
                raise CannotDissolve("a slice of a list")
            key = self.place_in(base, index, new=True)
            self.state.put(base, key, value, statement.location)
        else:
            made = gast.copy_location(subscript(self.written(base, index), self.node(index)), target)
            self.state.write(Store(made, self.given_away(value), statement.location))

    def place_in(self, box: Box, index: Value, new: bool = False) -> Any:
        if box.kind is list:
            place = self.number(index)
            place += len(box.content) * (place < 0)
            if place not in box.content:
                raise CannotDissolve("an index")
            return place
        if box.kind is not dict:
            raise CannotDissolve("a store")
        key = self.key(index)
        if key not in box.content and not new:
            raise CannotDissolve("a key that is not there")
        return key

    def written(self, base: Value, index: Value | None = None) -> Any:
        """An expression for an array, or a container of the new program, that is written into."""
        if isinstance(base, Leaf) and not isinstance(root(base.node), gast.Name):
            base = self.state.kept(base, "part", self.location)
        if isinstance(base, Given) and isinstance(index, Fixed) and base.known.indexed(index.value) is not MISSING:
            if root(base.node).id in self.state.outer or any(objects.objects_in(base.known)):
                raise CannotDissolve("a store")
            if not self.filled:
                self.filled.add("")
                raise StartAgain
            self.state.filled += 1
            return base.node
        if isinstance(base, Given) and isinstance(base.node, gast.Attribute):
            self.note_stored(base.node.attr)
        if not isinstance(base, Leaf) or root(base.node).id in self.state.outer:
            raise CannotDissolve("a store")
        return base.node

    def store_attribute(self, base: Value, label: str, value: Value) -> None:
        if isinstance(base, Box) and base.kind not in (list, tuple, dict, set):
            found = objects.found_in(base.kind, label)
            if type(found) is property:
                if found.fset is None:
                    raise CannotDissolve("a property")
                self.outer(label, base.kind)
                self.call_function(found.fset, [base, value], {})
                return
            if changes_stores(base.kind):
                self.special(base, "__setattr__", Fixed(label), value)
                return
            if found is not MISSING and hasattr(type(found), "__set__") and not is_slot(found):
                raise CannotDissolve("a descriptor")
            self.state.put(base, label, value, self.location)
            return
        place = self.of_class(base, label)
        if place is not None:
            self.state.write(kept_whole(Store(place, self.node(value), self.location)))
            return
        if not isinstance(base, Given) or type(objects.found_in(kind_of(base), label)) is property or changes_stores(
                kind_of(base)) or root(base.node).id in self.state.outer:
            raise CannotDissolve("a store")
        self.note_stored(label)
        self.state.write(Store(attribute(base.node, label), self.given_away(value), self.location))

    def of_class(self, base: Value, label: str) -> gast.Attribute | None:
        """The place of a number, a text or None that a class of the user's has for all its objects, and that gets
        another value; None of all else."""
        kind = base.value if isinstance(base, Fixed) else None
        if not isinstance(kind, type) or type(kind).__setattr__ is not type.__setattr__ or type(
                objects.found_in(kind, label)) not in LITERALS:
            return None
        self.note_stored(label)
        return attribute(self.node(base), label)

    def note_stored(self, label: str) -> None:
        """An attribute of what was there before gets another value: nothing of it is known from the start."""
        if label not in self.stored:
            self.stored.add(label)
            raise StartAgain

    def effect(self, base: Value, label: str, parts: list[Value], node: Any = None) -> Value:
        """``base.append(value)`` and its kin, and what that gives."""
        if isinstance(base, Box) or is_object(base):
            return self.call(self.attribute(base, label), parts, {})
        target = self.written(base)
        if label == "append" and len(parts) == 1:
            self.state.write(Append(target, self.node_in(base.site, parts[0]), self.location))
            return Fixed(None)
        made = gast.Call(attribute(target, label), [self.node_in(base.site, part) for part in parts], [])
        made = made if node is None else gast.copy_location(made, node)
        if label in TAKING:
            found = self.state.names.fresh("part")
            self.state.write(Assign(found, made, self.location, (root(target).id,)))
            return Leaf(name(found), False)
        self.state.write(Evaluate(made, self.location, (root(target).id,) if label in CHANGING else ()))
        return Fixed(None)


def is_slot(found: Any) -> bool:
    return type(found).__name__ == "member_descriptor"


def changes_stores(kind: type) -> bool:
    """Whether a class has a say in how attributes of its objects are set."""
    return kind.__setattr__ is not object.__setattr__


def root(node: Any) -> Any:
    while isinstance(node, (gast.Attribute, gast.Subscript)):
        node = node.value
    return node
