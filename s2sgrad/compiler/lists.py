"""The reversal of what changes a list or a dict: ``xs.append(value)``, ``xs.pop()``, ``xs[index] = value``,
``params["w"] = value``, also in containers inside of containers.

A container's cotangent is one for each part where it is known which part is meant; besides, or instead, it may be a
list of cotangents, made for reads by a running index. That list mirrors what happens to the container: ``append``
takes an item off it, ``pop`` puts one into it, a store takes one out and leaves zeros.
"""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.algebra import mentions, mentions_only, same, substitute
from s2sgrad.compiler.chain import Chain
from s2sgrad.compiler.computed import evaluated
from s2sgrad.compiler.cotangents import Cotangent
from s2sgrad.compiler.facts import Version, is_array_value, origins
from s2sgrad.compiler.nodes import attribute, call, constant, name, names_in, root, root_of, steps_to, subscript
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Augment,
    Evaluate,
    Store,
    assigned_names,
    expressions_in,
    mentioned,
    written_name,
)
from s2sgrad.compiler.structures import accessed, formed, static_leaves
from s2sgrad.compiler.walrus import pops
from s2sgrad.rules.abstract import MISSING, Abstract, Items, Known, Numeric, item_at, known_value, passive


def gives_back(line: Any, place: gast.AST, label: str) -> bool:
    """Whether a line adds to a place what has this name."""
    return isinstance(line, Augment) and isinstance(line.operator, gast.Add) and same(line.target, place) \
        and isinstance(line.value, gast.Name) and line.value.id == label


def changes_another(line: Any, place: Any, whole: str) -> bool:
    """Whether all that a line does with what is in a container is to change another attribute of the same object."""
    return isinstance(line, (Augment, Store)) and isinstance(place, gast.Attribute) and isinstance(
        line.target, gast.Attribute) and line.target.attr != place.attr and same(
            line.target.value, place.value) and not mentions(line.value, whole)


class Lists:
    def __init__(self, chain: Chain):
        self.chain = chain
        self.facts = chain.facts
        self.operands = chain.operands
        self.cotangents = chain.cotangents

    # ---- append and insert

    def append(self, statement: Append) -> None:
        began = len(self.cotangents.out)
        self.reverse_append(statement)
        if not self.cotangents.again:
            self.read_at_once(began)

    def read_at_once(self, began: int) -> None:
        """``x_bar += xs_bar.pop()`` for two lines, where nothing else reads what is popped."""
        out = self.cotangents.out
        if len(out) < began + 2:
            return
        popped, line = out[began:began + 2]
        if not (isinstance(popped, Assign) and isinstance(popped.target, str) and pops(popped.value)
                and isinstance(line, Augment) and not line.outer):
            return
        label = popped.target
        reads = sum(names_in(*expressions_in(other)).count(label) for other in out[began + 1:])
        in_any_case = any(mentions_only(node, label) for node in evaluated(line.value))
        if in_any_case and reads == mentions(line.value, label) == 1 and mentioned(line).isdisjoint(
                {*names_in(popped.value)}) and not any(
                mentions(cotangent.expression, label) for cotangent in self.cotangents.state.values()):
            out[began:began + 2] = [replace(line, value=substitute(
                line.value, lambda node: popped.value if mentions_only(node, label) else None, plainly=True))]

    def reverse_append(self, statement: Append) -> None:
        path, rest, held = self.container(statement, statement.target)
        taken: dict = {}
        if not rest and held.items is not None:
            count = len(held.items) - 1
            place = count if statement.place is None else slice(
                known_value(self.facts.values[id(statement.place)]), None).indices(count)[0]
            taken = self.taken(written_name(statement), (*path, place))
            self.shift(written_name(statement), path, place + 1, -1)
        whole = self.cotangents.state.get((written_name(statement), ()))
        if whole is not None and whole.each is not None:
            if self.facts.values[id(statement.value)].active:
                taken[()] = Cotangent(whole.each, self.operands.evaluate(whole.each))
            self.chain.reverse(statement, statement.value, taken)
            return
        for bar, owned in self.lists(statement, path, rest):
            item = call(attribute(bar, "pop"), *self.place_in_list(statement, bar))
            if self.facts.values[id(statement.value)].active:
                self.hand_on(statement, taken, item, owned, self.facts.values[id(statement.value)])
            else:
                self.cotangents.out.append(Evaluate(item, statement.location))
        self.chain.reverse(statement, statement.value, taken)

    def place_in_list(self, statement: Append, bar: gast.AST) -> list[gast.AST]:
        """Where ``insert`` has put its value: nothing for the end of the list."""
        if statement.place is None:
            return []
        place = self.operands.value(statement.place, statement)
        if isinstance(place, gast.Constant) and place.value == 0:
            return [place]
        return [call(self.operands.helpers.helper("inserted_at"), place, bar)]

    # ---- pop

    def pop(self, statement: Assign | Evaluate) -> None:
        node: Any = statement.value
        label, (path, rest, held) = self.label(statement), self.container(statement, node.func.value)
        taken = self.chain.take_pattern(statement, statement.target, ()) if isinstance(statement, Assign) else {}
        known = not rest and held.items is not None
        index = self.place_taken(node, statement)
        place: Any = known_value(self.facts.values[id(node.args[0])]) if node.args else index.value  # type: ignore
        if known and held.is_list:
            place = range(len(held.items or ()) + 1)[place]
            self.shift(label, path, place, 1)
        elif taken and not self.has_list(label, path) and not self.takes_known_key(statement, place):
            after = self.facts.in_place[statement][1]
            self.cotangents.own((label, path), statement.location, {**self.facts.before[statement], label: after})
        bars = self.lists(statement, path, rest)
        for bar, owned in bars:
            version = self.facts.defined[statement, str(statement.target)] if isinstance(statement, Assign) else None
            item = self.put_together(statement, version, taken, owned)
            taken = {}
            self.cotangents.out.append(self.put_back(statement, bar, item, held))
        for inner, cotangent in taken.items():
            self.cotangents.state[label, (*path, place, *inner)] = cotangent

    def takes_known_key(self, statement: Assign | Evaluate, key: Any) -> bool:
        """Whether ``d.pop(key)`` takes out what is known to be in a dict, all of whose keys are known."""
        held = self.container(statement, statement.value.func.value, 0)[2]  # type: ignore[attr-defined]
        return held.is_dict and held.items is not None and not held.is_open and key in held.steps

    def put_back(self, statement: Assign | Evaluate, bar: gast.AST, item: gast.AST, held: Items) -> Store | Evaluate:
        """An item's cotangent goes to the place that the item was taken from."""
        node: Any = statement.value
        index = self.place_taken(node, statement)
        if held.is_dict:
            return Store(subscript(bar, index), item, statement.location)
        known = index.value if isinstance(index, gast.Constant) else None
        if known == -1:
            return Evaluate(call(attribute(bar, "append"), item), statement.location)
        if type(known) is int:
            place: gast.AST = constant(known if known >= 0 else known + 1)
        else:
            builtin = self.operands.helpers.builtin
            place = subscript(call(builtin("range"), gast.BinOp(call(builtin("len"), bar), gast.Add(), constant(1))),
                              index)
        return Evaluate(call(attribute(bar, "insert"), place, item), statement.location)

    def place_taken(self, node: Any, statement: Assign | Evaluate) -> gast.AST:
        """The index of what ``pop`` or ``popleft`` takes out."""
        if node.args:
            return self.operands.value(node.args[0], statement)
        return constant(0 if node.func.attr == "popleft" else -1)

    def put_together(self, statement: Assign | Evaluate, version: Version | None, taken: dict, owned: bool
                     ) -> gast.AST:
        """The cotangent of what was popped, as an item of a list of cotangents."""
        def part(known: Abstract, path: tuple) -> gast.AST:
            cotangent = taken.get(path)
            if cotangent is not None:
                expression, lasting = cotangent.expression, cotangent.owned or not owned
                if not cotangent.full:
                    lasting = is_array_value(known)
                    expression = self.operands.spread(expression, version, path, owned=lasting)
                if lasting or self.operands.is_fresh(expression):
                    return expression
                if isinstance(known, Numeric) and known.is_number:
                    return self.operands.as_number(expression)
                if not is_array_value(known):  # which stays a number where it is one
                    return call(self.operands.helpers.helper("held"), expression)
                return self.operands.copy(expression, cotangent.value)
            if isinstance(known, Items) and known.items is not None:
                return formed(known, [part(item, (*path, step)) for step, item in zip(known.steps, known.items)],
                              self.operands.helpers)
            if isinstance(known, Known):
                return constant(None)
            if isinstance(known, Numeric) and known.is_number and known.dtype is not None:
                return constant(0.0 if known.dtype.kind in "fc" else None)
            return self.zeros_like(statement, version, path)

        return part(self.facts.values[id(statement.value)], ())

    def zeros_like(self, statement: Any, version: Version | None, path: tuple) -> gast.AST:
        if version is not None:
            return self.operands.zeros(version, path)
        item, value = self.operands.value(statement.value, statement), self.facts.values[id(statement.value)]
        return self.operands.zeros_of(accessed(item, value, path), item_at(value, path))

    # ---- stores

    def store(self, statement: Store | Augment) -> None:
        began = len(self.cotangents.out)
        self.reverse_store(statement)
        if not self.cotangents.again and self.keeps_shape(statement):
            self.leave_in_place(began)

    def keeps_shape(self, statement: Store | Augment) -> bool:
        """Whether the cotangent of what is stored may be one of what was there before: of ``p.x = p.x.sum()`` it is a
        number, which stands for an array only where it is added to zeros."""
        before, value = self.facts.values.get(id(statement.target)), self.facts.values[id(statement.value)]
        return isinstance(statement, Augment) or not (isinstance(before, Numeric) and isinstance(
            value, Numeric)) or before.shape is not None and before.shape == value.shape

    def leave_in_place(self, began: int) -> None:
        """Of ``p.x = p.x + v``, where ``p_bar.x`` gets zeros and then back what it was: nothing of that, where nobody
        reads under its other name what it will be."""
        out = self.cotangents.out
        for zeros in range(began + 1, len(out)):
            taken, cleared = out[zeros - 1:zeros + 1]
            if not (isinstance(cleared, Store) and isinstance(taken, Assign) and isinstance(taken.target, str)
                    and same(taken.value, cleared.target) and not isinstance(cleared.value, gast.Name)):
                continue
            label, whole = taken.target, root_of(cleared.target).id
            back = next((place for place in range(zeros + 1, len(out)) if whole in self.touched(out[place])), None)
            if back is None or not gives_back(out[back], cleared.target, label) or not all(
                    self.only_reads(line, label) for line in out[zeros + 1:]) or any(
                    mentions(cotangent.expression, label) for cotangent in self.cotangents.state.values()):
                continue
            changed = next((place for place in range(back + 1, len(out)) if whole in self.touched(out[place])
                            and not changes_another(out[place], cleared.target, whole)), len(out))
            if any(label in self.touched(line) for line in out[changed:]):
                continue
            read = any(label in self.touched(line) for line in (*out[zeros + 1:back], *out[back + 1:]))
            out[zeros - 1:back + 1] = [*([taken] if read else []), *out[zeros + 1:back]]
            return

    def only_reads(self, line: Any, label: str) -> bool:
        """Whether a line at most computes with what has a name, and gives it no other name."""
        if label not in self.touched(line):
            return True
        computes = isinstance(line, Augment) or isinstance(line, Assign) and self.operands.is_fresh(line.value)
        return computes and label not in assigned_names((line,))

    @staticmethod
    def touched(line: Any) -> frozenset[str]:
        return mentioned(line) | assigned_names((line,))

    def reverse_store(self, statement: Store | Augment) -> None:
        if statement in self.facts.places:
            self.reverse_stored(statement, self.store_attribute(statement))
            return
        target: Any = statement.target
        if isinstance(getattr(target, "slice", None), gast.Slice):  # of all items
            self.chain.reverse(statement, statement.value, self.taken(written_name(statement), ()))
            return
        if isinstance(statement, Store) and not any(value.active for value in (
                self.facts.in_place[statement][0].value, self.facts.values[id(statement.value)])):
            return
        path, rest, held = self.container(statement, target.value)
        step: Any = MISSING
        if held.items is not None:
            step = held.step(target.attr if isinstance(target, gast.Attribute) else known_value(
                self.facts.values[id(target.slice)]))
        taken = self.taken(written_name(statement), (*path, step)) if not rest and step is not MISSING else {}
        for bar, owned in self.lists(statement, path, rest):
            place = self.place_in(bar, target, statement)
            value = held.at(step) if isinstance(statement, Augment) else self.facts.values[id(statement.value)]
            if self.is_new_key(statement, target):
                popped = call(attribute(bar, "pop"), self.operands.value(target.slice, statement))
                if value.active:
                    self.hand_on(statement, taken, popped, owned, value)
                else:
                    self.cotangents.out.append(Evaluate(popped, statement.location))
                continue
            if isinstance(statement, Augment) and not taken and self.adds_number(statement):
                self.add(statement, place)
                return
            self.hand_on(statement, taken, place, owned, value)
            self.cotangents.out.append(Store(place, self.zeros(statement), statement.location))
        self.reverse_stored(statement, taken)

    def adds_number(self, statement: Augment) -> bool:
        return isinstance(statement.operator, (gast.Add, gast.Sub)) and all(
            isinstance(value, Numeric) and value.is_number for value in (
                self.facts.values[id(statement.target)], self.facts.values[id(statement.value)]))

    def add(self, statement: Augment, place: gast.AST) -> None:
        """``xs[i] += value``: what is added gets the place's cotangent, which stays what it is."""
        taken: dict = {}
        self.hand_on(statement, taken, place, False, self.facts.values[id(statement.target)])
        cotangent = taken[()]
        if isinstance(statement.operator, gast.Sub):
            cotangent = replace(cotangent, expression=gast.UnaryOp(gast.USub(), cotangent.expression))
        self.chain.reverse(statement, statement.value, {(): cotangent})

    def store_attribute(self, statement: Store | Augment) -> dict:
        """The cotangents of what was stored in an object, consumed."""
        target: Any = statement.target
        path = self.facts.places[statement]
        taken = self.taken(written_name(statement), path)
        before, value = self.facts.in_place[statement][0].value, item_at(self.facts.in_place[statement][1].value, path)
        for bar, owned in self.lists(statement, path[:-1], []):
            place = self.place_in(bar, target, statement)
            self.hand_on(statement, taken, place, owned, value)
            if path[-1] in getattr(item_at(before, path[:-1]), "steps", ()):
                self.cotangents.out.append(Store(place, self.zeros(statement), statement.location))
        return taken

    def place_in(self, bar: gast.AST, target: Any, statement: Any) -> Any:
        """Where a container of cotangents has that of what is stored."""
        if isinstance(target, gast.Attribute):
            return attribute(bar, target.attr)
        return subscript(bar, self.operands.value(target.slice, statement))

    def reverse_stored(self, statement: Store | Augment, taken: dict) -> None:
        if isinstance(statement, Store):
            self.chain.reverse(statement, statement.value, taken)
        elif () in taken and id(statement) in self.facts.applied:
            self.chain.start()
            self.chain.apply(statement, statement, self.facts.applied[id(statement)], taken[()])
            self.chain.finish(statement)

    def is_new_key(self, statement: Store | Augment, target: Any) -> bool:
        """Whether there was nothing in a dict under the key that a value was stored under."""
        if statement in self.facts.new_keys:
            return True
        held = self.container(statement, target.value, 0)[2]
        if not held.is_dict or held.items == ():
            return held.is_dict
        return not held.is_open and known_value(self.facts.values[id(target.slice)]) not in (MISSING, *held.steps)

    def zeros(self, statement: Store | Augment) -> gast.AST:
        """What a part's cotangent is before the part was stored: none, of the shape of what was there."""
        written_out = self.numbers(self.facts.values[id(statement.target)])
        if written_out is not None:
            return written_out
        if not getattr(statement, "back", False):
            return self.operands.zeros_of(self.operands.value(statement.target, statement),
                                          self.facts.values[id(statement.target)])
        node: Any = statement.value  # what is stored back into its place, as it was when it got a name
        (version,) = origins(self.facts.before[statement][node.id])
        if isinstance(version.value, Numeric):
            return self.operands.zeros(version)
        return self.operands.zeros_of(self.operands.item(version, (), statement.location), version.value)

    def numbers(self, value: Abstract) -> gast.AST | None:
        """Zeros for a number, or for a container of known numbers; None where something else is in it."""
        if isinstance(value, Numeric) and value.is_number:
            return constant(0.0)
        if isinstance(value, Known):
            return constant(None)
        if not isinstance(value, Items) or value.items is None or value.optional:
            return None
        parts = [self.numbers(item) for item in value.items]
        return None if None in parts else formed(
            value, [part for part in parts if part is not None], self.operands.helpers)

    # ---- where cotangents are

    def label(self, statement: Any) -> str:
        """The name that what a statement changes is a part of."""
        label = root(statement.value.func.value) if isinstance(statement, (Assign, Evaluate)) \
            else written_name(statement)
        assert label is not None
        return label

    def container(self, statement: Any, node: Any, when: int = 1) -> tuple[tuple, list, Items]:
        """The container that a statement changes: the steps that lead to it as far as they are known, those from there
        on, and what is known of it after the change (``when`` 0: before it)."""
        value: Any = self.facts.in_place[statement][when].value
        path: tuple = ()
        rest: list = []
        for part in steps_to(node):
            step: Any = MISSING
            if value.items is not None:
                step = value.step(part if isinstance(part, str) else known_value(self.facts.values[id(part)]))
            if rest or step is MISSING:
                rest.append(self.operands.value(part, statement) if step is MISSING else step)
            else:
                path = (*path, step)
            value = value.at(step)
        return path, rest, value

    def taken(self, label: str, place: tuple) -> dict:
        """The cotangents of one part, consumed."""
        keys = [key for key in self.cotangents.state if key[0] == label and key[1][:len(place)] == place]
        found = {key[1][len(place):]: self.cotangents.take(key) for key in keys}
        return {path: cotangent for path, cotangent in found.items() if cotangent is not None}

    def shift(self, label: str, path: tuple, first: int, by: int) -> None:
        """The items of a list from one on get other numbers."""
        depth, state = len(path), self.cotangents.state
        moved = {key: state.pop(key) for key in list(state) if key[0] == label and len(key[1]) > depth
                 and key[1][:depth] == path and key[1][depth] >= first}
        for (_, steps), cotangent in moved.items():
            state[label, (*path, steps[depth] + by, *steps[depth + 1:])] = cotangent

    def has_list(self, label: str, path: tuple) -> bool:
        cotangent = self.cotangents.state.get((label, path))
        return cotangent is not None and (not cotangent.zero or cotangent.owned)

    def lists(self, statement: Any, path: tuple, rest: list) -> list[tuple[gast.AST, bool]]:
        """The lists of cotangents in which what a statement changes has a place: each the list itself, as the statement
        leaves it, and whether what is in it is owned."""
        label = self.label(statement)
        before, after = (version.value for version in self.facts.in_place[statement])
        found = []
        for depth in range(len(path) + 1):
            place = path[:depth]
            held = item_at(after, place)
            if not isinstance(held, Items) or not self.has_list(label, place):
                continue
            bar, owned = self.own_list(statement, (label, place), held)
            old = passive(item_at(before, place))
            if not (isinstance(old, Items) and old.items == ()):  # nothing was in it
                self.cotangents.state[label, place] = Cotangent(bar, old, True, owned)
            found.append((accessed(bar, held, (*path[depth:], *rest)), owned))
        return found

    def own_list(self, statement: Any, key: Any, after: Items) -> tuple[gast.AST, bool]:
        """The list of cotangents of the container as the statement leaves it, and whether what is in it is owned: the
        list itself always is, for nothing hands on a list of another's."""
        cotangent, variable = self.cotangents.state.pop(key), self.cotangents.bar(key)
        if not self.cotangents.is_bound(key, cotangent):
            self.cotangents.assign(variable, cotangent.expression, statement.location, passive(after))
        return name(variable), cotangent.owned

    def hand_on(self, statement: Any, taken: dict, item: gast.AST, owned: bool, active: Abstract) -> None:
        """Take an item's cotangent out of the list, and add it to what else there is."""
        node, value = statement.value, passive(active)
        plain = isinstance(node, gast.Name) and (node.id, ()) not in self.cotangents.state \
            and isinstance(value, Numeric) and not isinstance(statement, Augment)
        names = self.cotangents.names
        variable = self.cotangents.bar((node.id, ())) if plain else names.fresh(f"{written_name(statement)}_item_bar")
        value = self.operands.kept(value)
        self.cotangents.assign(variable, item, statement.location, value)
        for path in static_leaves(active) if isinstance(active, Items) else [()]:
            expression = accessed(name(variable), value, path)
            alone = path not in taken
            if not alone:
                expression = self.operands.sum_of(taken[path].expression, expression, item_at(value, path))
            taken[path] = Cotangent(expression, item_at(value, path), True, owned and alone)
