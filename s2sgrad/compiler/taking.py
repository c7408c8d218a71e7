"""The cotangents of what a statement binds, changes or gives."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.cotangents import Contribution, Cotangent
from s2sgrad.compiler.facts import Called, End, Version
from s2sgrad.compiler.nodes import call, constant, name, names_in, subscript
from s2sgrad.compiler.program import Assign, Rest, pattern_names
from s2sgrad.compiler.reaching import Reaching
from s2sgrad.compiler.structures import accessed
from s2sgrad.compiler.used_parts import known_place, read_in_parts
from s2sgrad.errors import ensure
from s2sgrad.rules.abstract import Abstract, Items, Numeric, item_at, passive


class Taking(Reaching):
    """The part of the chain rule that takes the cotangents of a statement's targets."""

    element_places: Callable[[], dict[Version, tuple]] = dict
    """Where the elements under the targets of the loop around have their cotangents."""

    def put_together(self, statement: Assign, taken: dict) -> dict:
        """``np.array([a_bar, b_bar])`` for the cotangents of the elements of a vector, if most of those that the names
        stand for have one, and the vector has none of this adjoint's own yet."""
        node, target, value = statement.value, statement.target, self.facts.values[id(statement.value)]
        old = self.cotangents.state.get((node.id, ())) if isinstance(node, gast.Name) else None
        if not isinstance(target, tuple) or not all(isinstance(part, str) for part in target) \
                or 2 * len(taken) <= len(target) or not is_double_vector(value) or old is not None and old.owned \
                or not all(is_double_number(self.operands.evaluate(new.expression)) for new in taken.values()):
            return taken
        items = [taken[place,].expression if (place,) in taken else constant(0.0) for place in range(len(target))]
        together = call(self.helpers.numpy("array"), gast.List(items, gast.Load()))
        return {(): Cotangent(together, passive(value), True, True)}

    def take_pattern(self, statement: Any, pattern: Any, path: tuple) -> dict:
        """The cotangents of what an assignment binds, by their place in the value."""
        if isinstance(pattern, str):
            keys = [key for key in self.cotangents.state if key[0] == pattern]
            taken = {(*path, *key[1]): self.cotangents.take(key) for key in keys}
            for key in keys:  # zeros may have another shape than what the name stood for before
                self.cotangents.state.pop(key, None)
            return {place: cotangent for place, cotangent in taken.items() if cotangent is not None}
        result: dict = {}
        whole = item_at(self.facts.values[id(statement.value)], path)
        steps = whole.steps if isinstance(whole, Items) else ()
        parts = self.parts(statement, pattern)
        for index in reversed(range(len(parts))):  # of a name that stands there twice the last is what remains
            part = parts[index]
            if isinstance(part, Rest):
                result = {**self.take_rest(statement, part, path, index, steps), **result}
            elif part is not None:
                step = steps[index] if index < len(steps) else index
                result = {**self.take_pattern(statement, part, (*path, step)), **result}
        return {} if isinstance(whole, Items) and whole.is_dict else result  # a dict gives its keys

    def take_written(self, statement: Assign, called: Called) -> dict:
        """The cotangents of arrays that a call wrote into, which its adjoint goes on with."""
        found: dict = {}
        for parameter, label in called.written.items():
            if label in pattern_names(statement.target):  # bound anew, what was written into has no name from here on
                continue
            if parameter in called.derivative.facts.stored:
                found.update(self.take_stored(statement, called, parameter, label))
                continue
            key = (label, ())
            if key in self.cotangents.state and not self.cotangents.state[key].zero:
                self.cotangents.own(key, statement.location, self.facts.before[statement])
                found[End(parameter),] = self.cotangents.state[key]
            self.cotangents.state.pop(key, None)
        return found

    def handed_in(self, statement: Assign, called: Called, seeds: Iterable[Cotangent]) -> dict[tuple, Cotangent]:
        """Where a call may be one of many, the cotangents of arrays and lists of which it reads elements: its adjoint
        adds to these in place. One of its own would cost all of the elements each time."""
        found: dict[tuple, Cotangent] = {}
        derivative, before = called.derivative, self.facts.before[statement]
        recursive = any(inner.derivative is derivative for inner in derivative.facts.calls.values())
        if derivative.session.again or not (self.operands.loops or self.facts.called or recursive):
            return found
        read = names_in(*[seed.expression for seed in seeds])
        users: dict[tuple, str] = {}
        for parameter, node in ((derivative.parameters[index], called.arguments[index]) for index in called.active):
            around = None if id(node) in self.facts.passing else known_place(node, before, self.facts)
            if around is None:
                continue
            for path in read_in_parts(parameter, derivative):
                place, end = (around[0], (*around[1], *path)), (End(parameter), *path)
                key, expression = self.added_to(place, before)
                if users.get(key, parameter) == parameter and derivative.facts.gives_loose(parameter, path) \
                        and self.can_be_handed_in(key, read, recursive):
                    self.cotangents.own(key, statement.location, before)
                    self.cotangents.state[key] = replace(self.cotangents.state[key], stored=(), zero=False)
                    found[end] = Cotangent(expression, passive(item_at(before[place[0]].value, place[1])), True, True)
                    users[key] = parameter
        return found

    def added_to(self, place: tuple, before: dict[str, Version]) -> tuple[tuple, gast.AST]:
        """What the cotangent of a place is a part of, and that part: where it has none of its own yet and is in the
        element of a list that a loop's turn is about, that of the list."""
        label, path = place
        sequence, index, inside = self.element_places().get(before[label], (None, None, ()))
        held = None if sequence is None or place in self.cotangents.state else self.cotangents.subject(sequence, before)
        if not isinstance(held, Items):
            return place, name(self.cotangents.bar(place))
        item = subscript(name(self.cotangents.bar(sequence)), index())
        return sequence, accessed(item, held.any_item, (*inside, *path))

    def can_be_handed_in(self, key: tuple, read: list[str], recursive: bool) -> bool:
        """Whether a cotangent is memory of this adjoint's own, and none of those that the call's adjoint only reads.
        Where there is none yet it is zeros, which pay in a recursion alone: a loop has them before it."""
        old, variable = self.cotangents.state.get(key), self.cotangents.bar(key)
        if old is None:
            return recursive and variable not in read
        return old.full and old.owned and {variable, *names_in(old.expression)}.isdisjoint(read)

    def take_stored(self, statement: Assign, called: Called, parameter: str, label: str) -> dict:
        """The cotangents of what a call may have stored in an object."""
        found = {}
        facts = called.derivative.facts
        after = {label: self.facts.in_place[statement, label][1]}
        ends = {place[1:]: place for place in facts.exits() if place[0] == End(parameter)}
        wholes = {path[:count] for path in ends for count in range(len(path))}
        taken = {key[1]: self.cotangents.take(key) for key in list(self.cotangents.state)
                 if key[0] == label and key[1] in wholes}
        leaves = self.by_leaves({path: cotangent for path, cotangent in taken.items() if cotangent is not None},
                                after[label].value)  # what came for a list as a whole, to its items
        for path, place in ends.items():
            cotangent, part = self.cotangents.take((label, path)), leaves.pop(path, None)
            if part is not None and cotangent is not None:
                part = Cotangent(self.operands.sum_of(cotangent.expression, part.expression, item_at(
                    after[label].value, path)), part.value)
            if part is not None or cotangent is not None:
                found[place] = self.cotangents.fill((label, path), part or cotangent, after)
                if isinstance(item_at(after[label].value, path), Items) or facts.is_written_inside(
                        parameter, path):  # the call's adjoint goes on with the list, or the array
                    found[place] = self.cotangents.owned((label, path), found[place], statement.location, after)
        # into the others of that list nothing was stored: they are what they were before
        self.cotangents.contribute([Contribution((label, path), part) for path, part in leaves.items()
                                    if item_at(after[label].value, path).active], statement.location, after)
        for key in [key for key in self.cotangents.state if key[0] == label and facts.is_stored(parameter, key[1])]:
            ensure(self.cotangents.state[key].zero or not item_at(after[label].value, key[1]).active,
                   "a cotangent is left behind")
            del self.cotangents.state[key]
        return found

    def parts(self, statement: Any, pattern: tuple) -> list:
        """What each item of an unpacked value goes to: a Rest stands for its first, and None for the others of it."""
        result: list = []
        for part in pattern:
            rest = self.facts.defined[statement, part.name].value if isinstance(part, Rest) else None
            count = 1 if rest is None else len(getattr(rest, "items", None) or ())
            result += [part, *[None] * (count - 1)] if count else []
        return result

    def take_rest(self, statement: Any, part: Rest, path: tuple, first: int, steps: tuple) -> dict:
        """The cotangents of the items of a list that an unpacking made, as parts of what was unpacked."""
        taken = self.by_items(
            self.take_pattern(statement, part.name, ()), self.facts.defined[statement, part.name].value)
        result = {}
        for (item, *further), cotangent in taken.items():
            index = first + item
            place = (*path, steps[index] if index < len(steps) else index, *further)
            result[place] = cotangent
        return result

    def filled_result(self, statement: Assign, place: tuple, seed: Cotangent) -> Cotangent:
        """A callee's adjoint expects cotangents in full shape."""
        if seed.full:
            return seed
        pattern = statement.target
        path = place
        while not isinstance(pattern, str):
            parts = self.parts(statement, pattern)
            first = max(index for index in range(path[0] + 1) if parts[index] is not None)
            pattern, path = parts[first], (path[0] - first, *path[1:])
            if isinstance(pattern, Rest):
                pattern = pattern.name
            else:
                path = path[1:]
        version = self.facts.defined[statement, pattern]
        expression = self.operands.spread(seed.expression, version, path)
        return Cotangent(expression, self.operands.evaluate(expression), True)


def is_double_vector(value: Abstract) -> bool:
    return isinstance(value, Numeric) and value.kind == "array" and value.rank == 1 and value.dtype == np.float64


def is_double_number(value: Abstract) -> bool:
    return isinstance(value, Numeric) and value.is_number and value.dtype == np.float64
