"""The chain rule for one statement: formulas of the table, filled in with saved values and cotangents."""
from __future__ import annotations

import builtins
import functools
import operator
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad import runtime
from s2sgrad.compiler.algebra import is_number, is_trivial, substitute, summed, template, without_axes
from s2sgrad.compiler.cotangents import Contribution, Cotangent, Cotangents, shape_known
from s2sgrad.compiler.facts import Applied, Called, End, Facts, Version
from s2sgrad.compiler.indexing import BASIC, MASK, as_places
from s2sgrad.compiler.operands import MODULES, TURNS, Helpers, Operands
from s2sgrad.compiler.passages import Passage, Recorder
from s2sgrad.compiler.program import (
    Assign,
    Augment,
    Evaluate,
    Rest,
    Store,
    attribute,
    call,
    constant,
    name,
    names_in,
    pattern_names,
    subscript,
    tuple_of,
)
from s2sgrad.compiler.results import Results, Step, uses_of_cotangent
from s2sgrad.compiler.structures import accessed, static_leaves
from s2sgrad.errors import UnsupportedError, ensure, place_of
from s2sgrad.rules.abstract import (
    INTEGER,
    MISSING,
    Abstract,
    Items,
    Numeric,
    Opaque,
    Shape,
    as_numeric,
    broadcast,
    is_real,
    item_at,
    known_value,
    may_be_complex,
    may_be_whole,
    not_one,
    passive,
    rank_of,
    slice_bounds,
)
from s2sgrad.rules.table import ZERO, NeedsValue, Operation, Rule


class Chain(Results):
    def __init__(self, facts: Facts, operands: Operands, cotangents: Cotangents, helpers: Helpers):
        self.facts = facts
        self.operands = operands
        self.cotangents = cotangents
        self.helpers = helpers
        self.pending: list[Contribution] = []
        self.products: dict[frozenset, tuple[gast.AST, Any]] = {}
        """Products of the primal in this block, by what they multiply, with their statements."""
        self.direct: dict[Version, tuple[str, Callable[[], gast.AST], tuple]] = {}
        """Inside a branch in a loop over an array: where the element under the loop's target has its cotangent."""
        self.passages: dict[Any, Passage] | None = None
        """What adjoints have for assignments outside loops, where they share it."""

    # ---- statements

    def assign(self, statement: Assign) -> None:
        called = self.facts.calls.get(id(statement.value))
        written = self.take_written(statement, called) if called is not None else {}
        taken = {**self.take_pattern(statement, statement.target, ()), **written}
        if not taken:
            return
        if called is not None:
            self.user_call(statement, called, taken)
            return
        taken = self.put_together(statement, taken)
        if self.passages is None or self.operands.loops:
            self.reverse(statement, statement.value, taken)
        else:
            self.reverse_again(statement, taken, self.passages)

    def reverse_again(self, statement: Assign, taken: dict, passages: dict[Any, Passage]) -> None:
        """Reverse an assignment that other adjoints come to as well, and may have come to."""
        found = passages.get(statement)
        if found is not None and found.fits(self, taken):
            found.adopt(self)
        else:
            recorder = Recorder(self, dict(taken))
            self.start()
            self.expression(statement, statement.value, taken)
            new = recorder.passage()
            if new is not None:
                passages[statement] = new
        self.finish(statement)

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
            return {place: cotangent for place, cotangent in taken.items() if cotangent is not None}
        result: dict = {}
        steps = self.steps(statement, path)
        parts = self.parts(statement, pattern)
        for index in reversed(range(len(parts))):  # of a name that stands there twice the last is what remains
            part = parts[index]
            if isinstance(part, Rest):
                result = {**self.take_rest(statement, part, path, index, steps), **result}
            elif part is not None:
                step = steps[index] if index < len(steps) else index
                result = {**self.take_pattern(statement, part, (*path, step)), **result}
        return result

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
                if isinstance(item_at(after[label].value, path), Items):  # the call's adjoint goes on with the list
                    found[place] = self.cotangents.owned((label, path), found[place], statement.location, after)
        # into the others of that list nothing was stored: they are what they were before
        self.cotangents.contribute([Contribution((label, path), part) for path, part in leaves.items()
                                    if item_at(after[label].value, path).active], statement.location, after)
        for key in [key for key in self.cotangents.state if key[0] == label and facts.is_stored(parameter, key[1])]:
            ensure(self.cotangents.state[key].zero or not item_at(after[label].value, key[1]).active,
                   "a cotangent is left behind")
            del self.cotangents.state[key]
        return found

    def steps(self, statement: Any, path: tuple) -> tuple:
        """What leads to the items of a part of the value that a statement unpacks, where they have names."""
        value = item_at(self.facts.values[id(statement.value)], path)
        return value.steps if isinstance(value, Items) else ()

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

    def augment(self, statement: Augment) -> None:
        cotangent = self.cotangents.take((statement.target.id, ()))
        applied = self.facts.applied.get(id(statement))
        if cotangent is None or applied is None:
            return
        self.start()
        self.apply(statement, statement, applied, cotangent)
        self.finish(statement)

    def reverse(self, statement: Any, node: gast.AST, cotangents: dict) -> None:
        """Reverse one expression of a statement, whole."""
        self.start()
        self.expression(statement, node, cotangents)
        self.finish(statement)

    def start(self) -> None:
        self.pending = []

    def finish(self, statement: Any) -> None:
        self.cotangents.contribute(self.pending, statement.location, self.facts.before[statement])

    # ---- expressions

    def expression(self, statement: Any, node: gast.AST, cotangents: dict) -> None:
        """Send cotangents, given by place in the value, from an expression's value to what it was made of."""
        value = self.facts.values[id(node)]
        if not value.active or not cotangents:
            return
        if self.facts.has_complex:
            cotangents = {path: self.matched(cotangent, item_at(value, path), node)
                          for path, cotangent in cotangents.items()}
        elif self.facts.has_uncertain:
            cotangents = {path: self.seen_to(cotangent) if is_real(item_at(value, path)) else cotangent
                          for path, cotangent in cotangents.items()}
        if isinstance(node, gast.Name):
            environment = self.facts.before[statement]
            version = environment.get(node.id)
            if version is None or version in self.direct and self.direct[version][0] not in environment:
                return  # a captured input: not differentiated
            for path, cotangent in self.by_leaves(cotangents, value).items():
                if version in self.direct and (node.id, path) not in self.cotangents.state and (
                        not path or isinstance(value, Items)):
                    sequence, place, inside = self.direct[version]
                    self.pending.append(Contribution((sequence, ()), cotangent, place(), inside=(*inside, *path)))
                elif not ends_in_nothing(value, path):
                    self.pending.append(self.to_part(statement, node, path, cotangent))
        elif id(node) in self.facts.instead:
            self.expression(statement, self.facts.instead[id(node)], cotangents)
        elif isinstance(node, (gast.Tuple, gast.List)) or id(node) in self.facts.displays:
            cotangents = self.by_items(cotangents, value)
            ensure(all(path[0] in value.steps for path in cotangents), "a cotangent goes to no item")
            items = self.facts.displays[id(node)] if id(node) in self.facts.displays else node.elts  # noqa: SIM401
            for step, item in zip(value.steps, items):
                inner = {path[1:]: cotangent for path, cotangent in cotangents.items() if path[0] == step}
                if item is not None:
                    self.expression(statement, item, inner)
        elif id(node) in self.facts.applied:
            if isinstance(value, Items):
                self.several(statement, node, self.facts.applied[id(node)], self.by_items(cotangents, value))
            elif () in cotangents:
                self.apply(statement, node, self.facts.applied[id(node)], cotangents[()])
            else:
                self.elements(statement, node, cotangents)
        elif isinstance(node, gast.Subscript):
            self.index(statement, node, cotangents)
        elif isinstance(node, gast.BinOp) and isinstance(value, Items):
            self.joined_lists(statement, node, cotangents[()])
        elif isinstance(node, gast.Attribute):
            self.expression(statement, node.value, {(node.attr, *path): cotangent
                                                    for path, cotangent in cotangents.items()})
        else:
            raise UnsupportedError(f"{type(node).__name__} expressions of differentiated values are not supported yet",
                                   "write it as a statement", place_of(node, statement.location))

    def matched(self, cotangent: Cotangent, value: Abstract, node: gast.AST | None = None) -> Cotangent:
        """A cotangent as complex as its value: of a real one the real part; and a complex array, into which others may
        be added, for that of one, where more than its product with something is made of it."""
        expression = cotangent.expression
        applied = self.facts.applied.get(id(node))
        passing = applied is not None and applied.operation.rule.elementwise
        if is_real(value) and may_be_complex(cotangent.value) and not is_real_part(expression):
            expression = call(self.helpers.numpy("real"), expression)
        elif cotangent.full and isinstance(value, Numeric) and not value.is_number and not passing:
            expression = self.operands.widened(expression, value)
        if expression is cotangent.expression:
            return cotangent
        return Cotangent(expression, self.operands.evaluate(expression), cotangent.full, zero=cotangent.zero)

    def seen_to(self, cotangent: Cotangent) -> Cotangent:
        """A cotangent that must be real, and is not known to be: a complex one comes from numbers that were not known
        to be complex, and what they met is reversed wrongly."""
        if not may_be_complex(cotangent.value) or isinstance(cotangent.expression, gast.Constant):
            return cotangent
        expression = call(self.helpers.helper("real_only"), cotangent.expression)
        return Cotangent(expression, self.operands.evaluate(expression), cotangent.full, cotangent.owned,
                         cotangent.zero)

    def joined_lists(self, statement: Any, node: gast.BinOp, cotangent: Cotangent) -> None:
        """``xs + ys``: the first part of the list of cotangents, and the rest; written-out items have their places."""
        if not isinstance(cotangent.expression, gast.Name):
            variable = self.cotangents.names.fresh("items_bar")
            self.cotangents.assign(variable, cotangent.expression, statement.location, cotangent.value)
            cotangent = Cotangent(name(variable), cotangent.value, True, cotangent.owned)
        for side in (node.left, node.right):
            known: Any = self.operands.cotangents_of(passive(self.facts.values[id(side)]))
            if known.items is not None:
                start = 0 if side is node.left else -len(known.items)
                self.expression(statement, side, {
                    (place,): Cotangent(subscript(cotangent.expression, constant(start + place)), item, True)
                    for place, item in enumerate(known.items)})
                continue
            length = self.operands.length(node.left, statement)
            place = gast.Slice(None, length, None) if side is node.left else gast.Slice(length, None, None)
            part = Cotangent(subscript(cotangent.expression, place), known, True, cotangent.owned)
            self.expression(statement, side, {(): part})

    def to_part(self, statement: Any, node: gast.Name, path: tuple, cotangent: Cotangent) -> Contribution:
        """What is added for a part of a name's value: of a container with a cotangent for each part, of an array or a
        list that was unpacked into names."""
        label, value = node.id, self.facts.values[id(node)]
        for count, step in enumerate(path):
            if not isinstance(value, Items):
                assert not isinstance(step, str), "a cotangent of an attribute goes to what has none"
                index = tuple_of([constant(place) for place in path[count:]]) if len(path) > count + 1 \
                    else constant(step)
                return Contribution((label, path[:count]), cotangent, index)
            if value.items is None:
                return Contribution((label, path[:count]), cotangent, constant(step), inside=path[count + 1:])
            value = value.at(step)
        return Contribution((label, path), cotangent)

    def elements(self, statement: Any, node: gast.AST, cotangents: dict) -> None:
        """An array unpacked into names: each name's cotangent goes to its element."""
        variable = self.whole_array(statement, node, "row")
        for path, cotangent in cotangents.items():
            index = tuple_of([constant(place) for place in path]) if len(path) > 1 else constant(path[0])
            self.cotangents.out.append(Store(subscript(name(variable), index), cotangent.expression,
                                             statement.location))
        value = self.operands.evaluate(name(variable))
        self.expression(statement, node, {(): Cotangent(name(variable), value, True, True)})

    def whole_array(self, statement: Any, node: gast.AST, wanted: str) -> str:
        """A new array of zeros for the cotangent of an unnamed array."""
        variable = self.cotangents.names.fresh(f"{self.operands.wanted(node)}_bar")
        self.cotangents.assign(variable, self.operands.zeros_of_shape(
            self.operands.shape(node, statement), self.facts.values[id(node)]), statement.location)
        return variable

    def index(self, statement: Any, node: gast.Subscript, cotangents: dict) -> None:
        base = self.facts.values[id(node.value)]
        if isinstance(base, Items):
            self.pick(statement, node, base, cotangents)
            return
        if () not in cotangents:  # rows unpacked from part of an array
            self.elements(statement, node, cotangents)
            return
        cotangent = cotangents[()]
        new_axes = added_axes(node.slice, base, self.facts)
        if new_axes:
            value = self.facts.values[id(node)]
            if scalar(cotangent):
                dropped = cotangent
            else:
                if not cotangent.full:
                    cotangent = self.fill(statement, node, value, cotangent)
                expression = without_axes(cotangent.expression, new_axes, value.rank) or subscript(
                    cotangent.expression, tuple_of([constant(0) if axis in new_axes else gast.Slice(None, None, None)
                                                    for axis in range(max(new_axes) + 1)]))
                dropped = Cotangent(expression, self.operands.evaluate(expression), True)
            self.expression(statement, node.value, {(): dropped})
            return
        if self.facts.is_without_axes(node):
            self.expression(statement, node.value, cotangents)
            return
        index = self.operands.value(node.slice, statement)
        kind = self.facts.index_kinds[id(node)]
        repeats = kind not in (BASIC, MASK) and not self.all_distinct(node.slice, statement)
        place = self.place(node.value)
        if place is not None:
            if place[0] in self.facts.before[statement]:
                self.pending.append(Contribution(place, cotangent, index, repeats))
            return
        route = None if repeats else self.route(node.value, statement)
        if route is not None and route[0][0] in self.facts.before[statement]:  # ``xs[i][j]``, in an array in a list
            key, (first, *rest) = route
            self.pending.append(Contribution(key, cotangent, first, inside=(*rest, index)))
            return
        root = self.facts.array_viewed(node.value)
        if root is not None and root.id in self.facts.before[statement] and not self.facts.is_read_only(
                node.value) and not (repeats and self.facts.array_flattened(node.value) is not None):
            view = self.mirrored(node.value, name(self.cotangents.bar((root.id, ()))), statement)
            self.pending.append(Contribution((root.id, ()), cotangent, index, repeats, view=view))
            return
        variable = self.whole_array(statement, node.value, "part")
        if repeats:
            self.cotangents.out.append(self.operands.add_at(name(variable), index, cotangent.expression,
                                                            statement.location))
        else:
            self.cotangents.out.append(Store(subscript(name(variable), index), cotangent.expression,
                                             statement.location))
        value = self.operands.evaluate(name(variable))
        self.expression(statement, node.value, {(): Cotangent(name(variable), value, True, True)})

    def mirrored(self, node: Any, bar: gast.Name, statement: Any) -> gast.AST:
        """The view of a cotangent that an expression is of the array."""
        flat = self.facts.array_flattened(node)
        if flat is not None:  # the cotangent may have another layout
            return attribute(self.mirrored(flat, bar, statement), "flat")
        if isinstance(node, gast.Name):
            return bar
        if isinstance(node, gast.Subscript):
            return subscript(self.mirrored(node.value, bar, statement), self.operands.value(node.slice, statement))
        if isinstance(node, gast.Attribute):
            return attribute(self.mirrored(node.value, bar, statement), node.attr)
        return gast.Call(self.mirrored(node.func, bar, statement), [
            self.operands.value(item, statement) for item in node.args], [
                gast.keyword(item.arg, self.operands.value(item.value, statement)) for item in node.keywords])

    def pick(self, statement: Any, node: gast.Subscript, base: Items, cotangents: dict) -> None:
        """An item of a container, or a part of a list."""
        step = base.indexed(known_value(self.facts.values[id(node.slice)]))
        if step is not MISSING and not isinstance(node.slice, gast.Slice):
            self.expression(statement, node.value, {(step, *path): cotangent for path, cotangent in cotangents.items()})
            return
        if () in cotangents and is_turned(node.slice):
            turned = subscript(cotangents[()].expression, node.slice)
            self.expression(statement, node.value, {(): Cotangent(turned, passive(base), True, cotangents[()].owned)})
            return
        route = self.route(node, statement)
        if route is None:
            raise UnsupportedError("a part of a list that has no name of its own is not supported yet",
                                   "give the list a name", place_of(node, statement.location))
        key, (first, *rest) = route
        if key[0] not in self.facts.before[statement]:
            return
        for path, cotangent in self.by_leaves(cotangents, self.facts.values[id(node)]).items():
            steps = [first, *rest]
            if path and isinstance(node.slice, gast.Slice):  # unpacked from part of a list
                steps[-1] = self.place_in_list(steps[-1], path[0], functools.reduce(
                    subscript, steps[:-1], name(self.cotangents.bar(key))))
                path = path[1:]
            self.pending.append(Contribution(key, cotangent, steps[0], inside=(*steps[1:], *path)))

    def place_in_list(self, part: gast.Slice, place: int, cotangents: gast.AST) -> gast.AST:
        """Where in a list an item of a part of it is; that has as many ``cotangents``."""
        start = 0 if part.lower is None else getattr(part.lower, "value", None)
        if part.step is None and isinstance(start, int) and start >= 0:
            return constant(start + place)
        places = call(self.helpers.builtin("range"), call(self.helpers.builtin("len"), cotangents))
        return subscript(subscript(places, part), constant(place))

    def route(self, node: gast.AST, statement: Any) -> tuple[tuple[str, tuple], list] | None:
        """How to get to a part of a list: the key of the list, and the steps from there on, of which the first is an
        index. None where the list has no name."""
        if not isinstance(node, (gast.Subscript, gast.Attribute)):
            return None
        base = self.facts.values[id(node.value)]
        if not isinstance(base, Items):
            return None
        step: Any = node.attr if isinstance(node, gast.Attribute) else base.indexed(
            known_value(self.facts.values[id(node.slice)]))
        outer = self.place(node.value)
        if outer is not None:
            return None if step is not MISSING else (outer, [self.operands.value(node.slice, statement)])
        further = self.route(node.value, statement)
        if further is None or isinstance(further[1][-1], gast.Slice):
            return None
        return further[0], [*further[1], self.operands.value(node.slice, statement) if step is MISSING else step]

    def by_leaves(self, cotangents: dict, value: Abstract) -> dict:
        """The cotangents of a container's parts, of which some may have come as one."""
        result: dict = {}
        for path, cotangent in cotangents.items():
            part = item_at(value, path)
            known = self.operands.cotangents_of(passive(part))
            for leaf in static_leaves(part) if isinstance(part, Items) and part.items is not None else [()]:
                expression = accessed(cotangent.expression, part, leaf)
                found = Cotangent(expression, item_at(known, leaf)) if leaf else cotangent
                place = (*path, *leaf)
                if place in result:
                    found = Cotangent(self.operands.sum_of(result[place].expression, expression, item_at(part, leaf)),
                                      found.value)
                result[place] = found
        return result

    def by_items(self, cotangents: dict, value: Items) -> dict:
        """The cotangents of a container's items, where it has one for all of them, too: the container was read by a
        running index, or handed on whole."""
        whole = cotangents.get(())
        if whole is None:
            return cotangents
        known = self.operands.cotangents_of(passive(value))
        result = {place: cotangent for place, cotangent in cotangents.items() if place}
        for step, item in zip(value.steps, value.items or ()):
            if not item.active:
                continue
            part = accessed(whole.expression, value, (step,))
            if (step,) in result:
                part = self.operands.sum_of(result[step,].expression, part, item)
            result[step,] = Cotangent(part, known.at(step), True, whole.owned and (step,) not in result)
        return result

    def place(self, node: gast.AST) -> tuple[str, tuple] | None:
        """The name, and the steps from there, that an expression is; None where it is no part of what has a name."""
        if isinstance(node, gast.Name):
            return node.id, ()
        if not self.operands.is_item(node):
            return None
        assert isinstance(node, (gast.Subscript, gast.Attribute))
        outer = self.place(node.value)
        base = self.facts.values[id(node.value)]
        step = node.attr if isinstance(node, gast.Attribute) else base.indexed(  # type: ignore[union-attr]
            known_value(self.facts.values[id(node.slice)]))
        return None if outer is None or step is MISSING else (outer[0], (*outer[1], step))

    def all_distinct(self, index: gast.AST, statement: Any) -> bool:
        """Whether one of the arrays that index together is of distinct places, and has an element for each that is
        chosen, so that no element is met twice."""
        arrays: list[tuple[gast.AST, Numeric]] = []
        for part in index.elts if isinstance(index, gast.Tuple) else [index]:
            if isinstance(part, gast.Starred):
                return False
            value = as_places(self.facts.value(part))
            if isinstance(part, gast.Slice) or slice_bounds(value) is not None or known_value(value) in (None, ...):
                continue
            if not isinstance(value, Numeric) or value.rank not in (0, 1):
                return False
            arrays += [(part, value)] if value.rank else []
        for part, value in arrays:
            (size,) = value.shape  # type: ignore[misc]
            fits = not_one(size) or all(other.shape == value.shape for _, other in arrays) and (
                size is not None or len(arrays) == 1)
            if fits and self.is_distinct(part, statement):
                return True
        return False

    def is_distinct(self, part: gast.AST, statement: Any) -> bool:
        """Whether an array of places names none twice: ``np.arange(n)``, ``np.argsort(x)``, ``[0, 2]``. (An ``arange``
        with a negative start could meet an element from both ends.)"""
        known = known_value(self.facts.value(part))
        if isinstance(known, list):
            return len({*known}) == len(known) and len({place < 0 for place in known}) == 1
        made = self.operands.source_of(self.operands.subject(part, statement)) if isinstance(part, gast.Name) else part
        if not isinstance(made, gast.Call) or id(made) not in self.facts.applied or made.keywords:
            return False
        function = self.facts.applied[id(made)].operation.rule.function
        return function is np.arange and len(made.args) == 1 or function is np.argsort

    def apply(self, statement: Any, node: Any, applied: Applied, cotangent: Cotangent) -> None:
        """The product of a cotangent with a rule's derivatives, one for each active operand."""
        operation, rule = applied.operation, applied.operation.rule
        if rule.function in (np.multiply, operator.mul) and not isinstance(node, Augment):
            factors = frozenset(self.operands.key(item, statement) for item in applied.nodes.values())
            self.products[factors] = node, statement
        parts = self.formulas(statement, node, applied, operation)
        if not rule.complex and self.facts.has_complex:
            for operand, value, _ in parts:
                if isinstance(value, Numeric) and may_be_complex(value):  # the rule is for real numbers
                    seen = call(self.helpers.helper("real_only"), self.operands.value(operand, statement))
                    self.cotangents.out.append(Evaluate(seen, statement.location))
        if scalar(cotangent) and moves(rule) and not self.facts.has_complex and all(
                isinstance(value, Numeric) for _, value, _ in parts):
            for operand, value, _ in parts:
                self.expression(statement, operand, {(): replace(cotangent, full=value.shape == (), owned=False)})
            return
        uses = sum([uses_of_cotangent(formula) for *_, formula in parts])
        if not cotangent.full and not (rule.elementwise and operation.result.shape is not None
                                       if isinstance(operation.result, Numeric) else False) \
                and not (rule.spreads and (scalar(cotangent) or all(formula.strip() == "g" for *_, formula in parts))):
            cotangent = self.fill(statement, node, operation.result, cotangent)
        if uses > 1 and not is_trivial(cotangent.expression):
            variable = self.cotangents.names.fresh(f"{rule.name}_bar")
            self.cotangents.assign(variable, cotangent.expression, statement.location, cotangent.value)
            cotangent = Cotangent(name(variable), cotangent.value, cotangent.full, False)
        made: dict[str, Step] = {}
        # all of them first: of an operand whose value another's formula reads the shape need not be saved as well
        expressions = [self.instantiate(statement, node, applied, formula, cotangent, made) for *_, formula in parts]
        bare = [last.id for last in (template(formula)[1] for *_, formula in parts) if isinstance(last, gast.Name)] \
            if made else []
        for (operand, value, _), expression in zip(parts, expressions):
            if isinstance(value, Items):
                own = cotangent.owned and len(parts) == 1 and not self.gives_each_the_same(expression)
                self.expression(statement, operand, {(): Cotangent(expression, passive(value), True, own)})
                continue
            found = self.operands.evaluate(expression)
            if not rule.elementwise and not rule.spreads:
                found = formed_like(found, value)
            full = cotangent.full if rule.elementwise else True
            result = operation.result
            if rule.elementwise and not full and isinstance(found, Numeric) and isinstance(result, Numeric):
                full = found.shape is not None and found.shape == result.shape and None not in found.shape
            alone = len(parts) == 1 and expression is cotangent.expression and isinstance(value, Numeric) \
                and isinstance(found, Numeric) and found.dtype is not None and found.dtype == value.dtype
            new = Cotangent(expression, found, full, cotangent.owned and alone or self.is_new(expression, made, bare))
            if rule.elementwise:
                new = self.fit(statement, node, applied, operand, value, new)
            elif rule.spreads:
                new = self.maybe_spread(value, new)
            self.expression(statement, operand, {(): new})

    def gives_each_the_same(self, expression: gast.AST) -> bool:
        """Whether the cotangents in a list may all be one array."""
        return isinstance(expression, gast.Call) and known_value(
            self.operands.evaluate(expression.func)) is runtime.summed_bars

    def is_new(self, expression: gast.AST, made: dict[str, Step], bare: list[str]) -> bool:
        """Whether an operand's cotangent is new memory that a step has made, and no other operand's is (``bare``)."""
        for key, step in made.items():
            if isinstance(expression, gast.Name) and step.variable == expression.id:
                return bare.count(key.partition(" = ")[0]) == 1 and step.fresh
        return False

    def formulas(self, statement: Any, node: Any, applied: Applied, operation: Operation
                 ) -> list[tuple[gast.AST, Abstract, str]]:
        """Expression, value and formula of each active operand that has influence."""
        rule, found = operation.rule, []
        for parameter, path, operand, value in applied.active_operands():
            several = isinstance(value, Items)  # a list of any number of them
            formula = rule.each if several and not path else rule.partials.get(parameter, ZERO)
            if callable(formula):
                try:
                    formula = formula(operation, path) if isinstance(operation[parameter], Items) and (
                        path or not several) else formula(operation)
                    if several and path:
                        formula = f"taken_apart({formula}, {'_'.join([parameter, *map(str, path)])})"
                except (UnsupportedError, NeedsValue) as error:  # formulas know nothing of places
                    error.location = error.location or place_of(node, statement.location)
                    raise
            for text in formula if isinstance(formula, tuple) else (formula,):
                if text == ZERO:
                    continue
                scales = rule.elementwise and not rule.parts and not uses_of_cotangent(text)
                found.append((operand, value, f"g * ({text})" if scales else text))
        return found

    def maybe_spread(self, value: Abstract, new: Cotangent) -> Cotangent:
        """Whether a reduction's formula has its operand's shape is seen from the shapes."""
        shape = value.shape if isinstance(value, Numeric) else None
        found = new.value.shape if isinstance(new.value, Numeric) else None
        if shape is not None and shape == found and None not in shape:
            return new
        if found is None or None in found:  # it can't be kept unspread if nobody knows its shape
            return Cotangent(new.expression, Numeric("any", None, None), False)
        return Cotangent(new.expression, new.value, False)

    def fill(self, statement: Any, node: Any, value: Abstract, cotangent: Cotangent) -> Cotangent:
        """The cotangent of an expression's value, spread to the value's shape."""
        shape = self.value_shape(statement, node)
        expression = self.operands.over(self.operands.widened(cotangent.expression, value), value, shape)
        return Cotangent(expression, self.operands.evaluate(expression), True)

    def value_shape(self, statement: Any, node: Any) -> gast.AST:
        """The shape of an expression's value, taken from an operand that has the same where there is one."""
        if isinstance(node, Augment):
            return self.updated_shape(statement, node)
        applied = self.facts.applied.get(id(node))
        value = self.facts.values.get(id(node))
        if applied is not None and applied.operation.rule.elementwise and isinstance(value, Numeric) \
                and value.shape is not None and None not in value.shape:
            for operand in applied.nodes.values():
                known = self.facts.values.get(id(operand))
                if isinstance(known, Numeric) and known.shape == value.shape:
                    return self.value_shape(statement, operand)
        return self.operands.shape(node, statement)

    def updated_shape(self, statement: Any, node: Augment) -> gast.AST:
        """The shape of what an in-place operator gives: an array keeps its own, a number takes that of an array."""
        changed = self.facts.values[id(node.target)]
        if isinstance(changed, Numeric) and changed.is_number:
            return self.operands.shape(node.value, statement)
        if isinstance(changed, Numeric) and changed.kind == "array" or not isinstance(node.target, gast.Name):
            return self.operands.shape(node.target, statement)
        return call(self.helpers.numpy("shape"), self.result(statement, node))

    def fit(self, statement: Any, node: Any, applied: Applied, operand: gast.AST, value: Abstract,
            new: Cotangent) -> Cotangent:
        """Sum a cotangent in an elementwise result's shape back to an operand that was broadcast."""
        result = self.facts.values[id(node.target)] if isinstance(node, Augment) else applied.operation.result
        if not (isinstance(result, Numeric) and result.kind == "array"):  # else an array keeps its shape
            result = applied.operation.result
        target = value.cotangent_shape if isinstance(value, Numeric) else None
        whole = result.cotangent_shape if isinstance(result, Numeric) else None
        axes = axes_to_sum(whole, target)
        if axes == ((), ()):
            if new.full and isinstance(new.value, Numeric) and new.value.shape is None and isinstance(value, Numeric) \
                    and value.kind == "array" and value.shape:  # which also the cotangent of what grew has here
                new.value = replace(new.value, kind="array", shape=value.shape)
            return new
        if not new.full:
            counted = self.counted(statement, node, operand, value, axes, new)
            if counted is not None:
                return counted
            new = self.fill(statement, node, result, new)
        if target == ():
            expression = summed(new.expression, self.total)
        elif axes is None or axes[0] and axes[1]:
            shape = self.operands.shape(operand, statement)
            expression = call(self.helpers.helper("unbroadcast"), new.expression, shape)
        elif axes[0]:
            expression = summed(new.expression, lambda part: self.operands.sum(part, axis=axes_literal(axes[0])))
        else:
            expression = summed(new.expression, lambda part: self.operands.sum(
                part, axis=axes_literal(axes[1]), keepdims=constant(True)))
        found = self.operands.evaluate(expression)
        if isinstance(found, Numeric) and found.shape is None and isinstance(value, Numeric):
            found = Numeric(value.kind, found.dtype, value.shape)
        return Cotangent(expression, found, True)

    def counted(self, statement: Any, node: Any, operand: gast.AST, value: Abstract, axes: Any, new: Cotangent
                ) -> Cotangent | None:
        """The sum over axes that an operand lacks, and its cotangent does, too, as the product with their sizes; None
        where it is something else that is summed."""
        if isinstance(node, Augment) or axes is None or axes[1] or not isinstance(value, Numeric) \
                or value.dtype != np.float64 or not isinstance(new.value, Numeric):
            return None
        alike = bool(value.shape) and None not in (value.shape or ()) and new.value.shape == value.shape
        if not alike and not (scalar(new) and self.operands.is_double(new.expression)):
            return None
        shape = self.value_shape(statement, node)
        if not (isinstance(shape, gast.Attribute) and shape.attr == "shape"):
            return None
        if value.shape == ():
            expression: gast.AST = gast.BinOp(new.expression, gast.Mult(), attribute(shape.value, "size"))
            return Cotangent(expression, self.operands.evaluate(expression), True)
        sizes = [subscript(shape, constant(axis)) for axis in axes[0]]
        number = functools.reduce(lambda left, right: gast.BinOp(left, gast.Mult(), right), sizes, new.expression)
        if alike:
            return Cotangent(number, self.operands.evaluate(number), True)
        expression = call(self.helpers.numpy("full"), self.operands.shape(operand, statement), number)
        return Cotangent(expression, self.operands.evaluate(expression), True)

    def total(self, node: gast.AST) -> gast.AST:
        """The sum of all elements; of a product, without making the product."""
        if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult):
            parts = [self.operands.evaluate(part) for part in (node.left, node.right)]
            if all(isinstance(part, Numeric) and part.kind == "array" and part.shape == parts[0].shape and part.shape
                   and None not in part.shape and part.dtype is not None and part.dtype.kind == "f" for part in parts):
                return call(self.helpers.numpy("vdot"), node.left, node.right)
        return self.operands.sum(node)

    # ---- formulas

    def instantiate(self, statement: Any, node: Any, applied: Applied, formula: str, g: Cotangent | dict,
                    made: dict[str, Step]) -> gast.AST:
        """A formula's expression over saved values; its steps are emitted before, those that several operands' formulas
        have (``made``) once. ``g``: the result's cotangent, or the names and expressions of those of several results.
        """
        steps, last = template(formula)
        local: dict[str, gast.AST] = dict(g) if isinstance(g, dict) else {}
        rule = applied.operation.rule
        bare = floats = isinstance(g, Cotangent) and is_number(g.expression)
        whole = False  # whether there are integers that are taken as they are

        def resolve(part: gast.AST) -> gast.AST | None:
            if isinstance(part, gast.Name):
                return meaning(part.id)
            if isinstance(part, gast.Attribute) and isinstance(part.value, gast.Name):
                return attribute_of(part.value.id, part.attr)
            if rule.spreads and isinstance(g, Cotangent) and scalar(g) and puts_axes_back(part):
                return g.expression  # which a number does not need
            return None

        def attribute_of(identifier: str, wanted: str) -> gast.AST | None:
            if wanted in ("shape", "size") and identifier not in local:
                operand = node if identifier == "y" else self.operand_node(applied, identifier)
                if operand is not None:
                    measure = self.operands.shape if wanted == "shape" else self.operands.size
                    return measure(operand, statement)
            if wanted in TURNS and identifier == "g" and isinstance(g, Cotangent):
                if is_number(g.expression) or isinstance(g.value, Numeric) and g.value.shape == ():
                    return g.expression  # there is one order of no axes
                return self.operands.turned(g.expression, wanted)
            operand = self.operand_node(applied, identifier) if wanted in TURNS and identifier not in local else None
            if isinstance(operand, gast.Attribute) and operand.attr in TURNS and rank_of(
                    self.facts.values[id(operand)]) == 2:
                found = meaning(identifier)  # turned back, whichever way
                return found.value if isinstance(found, gast.Attribute) and found.attr in TURNS else None
            return None

        def meaning(identifier: str) -> gast.AST | None:
            nonlocal whole
            if identifier in local:
                return local[identifier]
            if identifier == "g" and isinstance(g, Cotangent):
                return g.expression
            if isinstance(g, dict) and re.fullmatch(r"y_\d+", identifier):
                return self.part_of_result(statement, node, int(identifier[2:]))
            if identifier == "y":
                return self.result(statement, node)
            operand = self.operand_node(applied, identifier)
            if operand is not None:
                value = self.array(self.operands.value(operand, statement), operand, rule, identifier)
                if bare and not floats:
                    whole = whole or self.as_floats(value, operand, rule, identifier, bare) is not value
                return self.as_floats(value, operand, rule, identifier, floats)
            for parameter in rule.parameters:
                if parameter.name == identifier:
                    return constant(parameter.default)
            if identifier in rule.names:
                return self.helpers.named(identifier, rule.names[identifier])
            if identifier in MODULES:
                return self.helpers.module(identifier)
            if identifier in runtime.__all__:
                return self.helpers.helper(identifier)
            if not hasattr(builtins, identifier):
                raise UnsupportedError(f"the rule of {rule.title} mentions {identifier}, which is not defined",
                                       "give it to s2sgrad.rule in names", place_of(node, statement.location))
            return self.helpers.builtin(identifier)

        for identifier, expression, key in steps:
            mask = self.mask(statement, node, applied, identifier, expression)
            if mask is not None:
                local[identifier] = mask
                continue
            if key not in made:
                value = substitute(expression, resolve)
                made[key] = Step(self.cotangents.names.fresh(identifier), self.operands.is_fresh(value))
                self.cotangents.assign(made[key].variable, value, statement.location)
            local[identifier] = name(made[key].variable)
        floats = False
        found = substitute(last, resolve)
        if whole and may_be_whole(self.operands.evaluate(found)):
            floats = True
            found = substitute(last, resolve)
        return self.known_product(found)

    def array(self, expression: gast.AST, operand: gast.AST, rule: Rule, parameter: str) -> gast.AST:
        """An operand's value as a formula means it: a list that NumPy takes for an array as one."""
        known = self.facts.values.get(id(operand))
        listed = known.besides is None if isinstance(known, Opaque) else \
            isinstance(known, Items) and known.kind in (list, tuple)
        return call(self.helpers.numpy("asarray"), expression) if listed and rule.takes_array(parameter) else expression

    def as_floats(self, expression: gast.AST, operand: gast.AST, rule: Rule, parameter: str, bare: bool) -> gast.AST:
        """Integers and truth values as floats, where a formula may give them as they are (``bare``: what
        they are multiplied by is a number that is written out, and may be 1), or compute with them, which goes round in
        a few bits: a cotangent is written into, and gets signs and factors."""
        known = as_numeric(self.facts.values[id(operand)]) if id(operand) in self.facts.values else None
        if rule.partials.get(parameter, ZERO) is ZERO or not isinstance(known, Numeric):
            return expression
        dtype = known.dtype
        exact = dtype is not None and dtype.kind == "i" and (dtype.itemsize >= 8 or known.kind == "python")
        factor = {label for group in rule.linear_groups for label in group} >= {*rule.partials}
        if not may_be_whole(known) or not bare and (exact or factor or known.kind == "python"):
            return expression
        if isinstance(expression, gast.Constant):
            return constant(1.0 * expression.value)
        return gast.BinOp(constant(1.0), gast.Mult(), expression)

    def mask(self, statement: Any, node: Any, applied: Applied, identifier: str, expression: gast.AST
             ) -> gast.AST | None:
        """A comparison of a formula, made by the primal: what it compares need not be saved then.

        None where the adjoint can as well make it itself, of what it has anyway.
        """
        if not isinstance(expression, gast.Compare) or isinstance(node, Augment):
            return None
        named = {found: node if found == "y" else self.operand_node(applied, found) for found in names_in(expression)}
        operands = {found: operand for found, operand in named.items() if operand is not None}
        values = [self.facts.values[id(operand)] for operand in operands.values()]
        shape = broadcast(*(value.shape for found, value in zip(operands, values)
                            if isinstance(value, Numeric) and found != "y"))
        if "g" in named or not shape or None in shape or not all(isinstance(value, Numeric) for value in values):
            return None
        return self.operands.mask(node, identifier, (expression, operands), shape, statement)

    def known_product(self, expression: gast.AST) -> gast.AST:
        """The primal's own product where it multiplied the same two values."""
        if not (isinstance(expression, gast.BinOp) and isinstance(expression.op, gast.Mult) and isinstance(
                expression.left, gast.Name) and isinstance(expression.right, gast.Name)) or not self.products:
            return expression
        keys = self.operands.captures.keys(self.operands.loops)
        found = self.products.get(frozenset(keys.get(side.id) for side in (expression.left, expression.right)))
        if found is None or self.operands.captures.saved is not None and not self.operands.captures.has(
                *self.operands.key(*found)):
            return expression
        return self.operands.value(*found)

    def operand_node(self, applied: Applied, identifier: str) -> gast.AST | None:
        """The operand that a name in a formula stands for: a parameter, or an item of a list (``arrays_0``)."""
        if identifier in applied.nodes:
            return applied.nodes[identifier]
        for parameter, node in applied.nodes.items():
            if identifier.startswith(parameter + "_") and isinstance(node, (gast.Tuple, gast.List)):
                for index in identifier[len(parameter) + 1:].split("_"):
                    if not index.isdigit():
                        return None
                    node = node.elts[int(index)]
                return node
        return None

    def result(self, statement: Any, node: Any) -> gast.AST:
        """The value of the expression that a formula belongs to."""
        if isinstance(node, Augment) and isinstance(node.target, gast.Name):
            return self.operands.version(self.facts.defined[node, node.target.id], statement.location)
        if isinstance(node, Augment):  # what the update made of a part of an array
            return gast.BinOp(self.operands.value(node.target, statement), node.operator,
                              self.operands.value(node.value, statement))
        return self.operands.value(node, statement)

    # ---- calls of functions with adjoints of their own

    def user_call(self, statement: Assign, called: Called, cotangents: dict) -> None:
        self.start()
        ends = {place: cotangent for place, cotangent in cotangents.items() if place and isinstance(place[0], End)}
        cotangents = {**self.by_leaves({place: cotangent for place, cotangent in cotangents.items()
                                        if place not in ends}, called.derivative.facts.result), **ends}
        places = tuple(place for place in (*called.derivative.leaves, *called.derivative.facts.exits())
                       if place in cotangents)
        ensure(not any(item_at(called.derivative.facts.result, place).active for place in cotangents
                       if place not in places and place not in ends), "a cotangent of a call's result goes nowhere")
        seeds = [cotangents[place] for place in places]
        wanted = called.derivative.name
        table = called.derivative.adjoints(tuple(called.active), places)
        again = called.derivative.session.again
        adjoint = self.helpers.inject(("adjoint", id(called.derivative), tuple(called.active), places),
                                      f"{called.derivative.label}_adjoint", table.by_name() if again else table)
        if not again:
            table.called = table.called or adjoint.id
        block = self.operands.block
        path = name(self.operands.captures.callee(statement, "path", wanted, block, INTEGER))
        saved = name(self.operands.captures.callee(statement, "saved", wanted, block, Numeric()))
        arguments = []
        for place, seed in zip(places, seeds):
            seed = self.filled_result(statement, place, seed)
            inside = called.derivative.facts
            known = item_at(inside.end(place[0].parameter), place[1:]) if place and isinstance(place[0], End) \
                else item_at(inside.result, place)
            if self.facts.has_complex:
                seed = self.matched(seed, known)
            arguments.append(self.operands.cast(seed.expression, known))
        values = [called.arguments[index] for index in called.active]
        parts = []
        for index, node in zip(called.active, values):
            if (End(called.derivative.parameters[index]),) in cotangents:  # what its array's cotangent was, it is again
                parts.append(self.cotangents.bar((node.id, ())))
                self.cotangents.rescue(parts[-1], statement.location, written=True)
                continue
            parts.append(self.part_name(statement, node, values))
        run = call(adjoint, path, saved, *arguments) if again else call(subscript(adjoint, path), saved, *arguments)
        self.cotangents.out.append(Assign(tuple(parts), run, statement.location))
        for part, node in zip(parts, values):
            value = self.facts.values[id(node)]
            self.operands.remember(part, passive(value))
            self.expression(statement, node, self.whole(name(part), value))
        self.finish(statement)

    def part_name(self, statement: Assign, node: gast.AST, arguments: list[gast.AST]) -> str:
        """The variable for what a callee's adjoint gives for an argument: that of the argument's cotangent, where this
        is all that there is of it so far."""
        if not isinstance(node, gast.Name):
            return self.cotangents.names.fresh(f"{self.operands.wanted(node)}_bar")
        version, key = self.facts.before[statement].get(node.id), (node.id, ())
        if version is None or version in self.direct or not isinstance(version.value, Numeric) \
                or id(node) in self.facts.passing or key in self.cotangents.state \
                or sum(isinstance(other, gast.Name) and other.id == node.id for other in arguments) > 1:
            return self.cotangents.names.fresh(f"{node.id}_part")
        variable = self.cotangents.bar(key)
        self.cotangents.rescue(variable, statement.location)
        return variable

    def whole(self, expression: gast.AST, value: Abstract) -> dict:
        """The cotangents in what has the structure of a value and is owned by this adjoint."""
        found = {}
        for path in static_leaves(value):
            item, part = item_at(value, path), accessed(expression, value, path)
            if is_rigid(item):
                part = call(self.helpers.helper("loosened"), part)
            found[path] = Cotangent(part, passive(item), True, True)
        return found

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


def is_real_part(node: gast.AST) -> bool:
    """Whether an expression is the real part of something, or real numbers times that."""
    if isinstance(node, gast.BinOp):
        return is_real_part(node.left) and is_real_part(node.right)
    if isinstance(node, gast.UnaryOp):
        return is_real_part(node.operand)
    if isinstance(node, gast.Call):
        return isinstance(node.func, gast.Attribute) and node.func.attr == "real"
    return isinstance(node, gast.Constant) and isinstance(node.value, (int, float)) \
        or isinstance(node, gast.Attribute) and node.attr == "size"


def ends_in_nothing(value: Abstract, path: tuple) -> bool:
    """Whether there is None on the way to a place, as at the end of what is linked: only in other turns of a loop
    is there something beyond."""
    return any(known_value(item_at(value, path[:count])) is None for count in range(len(path)))


def is_turned(index: gast.AST) -> bool:
    """Whether a slice of a list, ``[:]`` or ``[::-1]``, has all its items."""
    if not isinstance(index, gast.Slice) or index.lower is not None or index.upper is not None:
        return False
    step = index.step.operand if isinstance(index.step, gast.UnaryOp) else index.step
    return step is None or isinstance(step, gast.Constant) and step.value in (1, -1)


def is_rigid(value: Abstract) -> bool:
    """Whether a container is, or holds, a tuple, dataclass or object: to its parts nothing can be added in place."""
    if not isinstance(value, Items):
        return False
    parts = value.items if value.items is not None else [value.element]
    return value.kind not in (list, dict) or any(map(is_rigid, parts))


def is_double_vector(value: Abstract) -> bool:
    return isinstance(value, Numeric) and value.kind == "array" and value.rank == 1 and value.dtype == np.float64


def is_double_number(value: Abstract) -> bool:
    return isinstance(value, Numeric) and value.is_number and value.dtype == np.float64


def scalar(cotangent: Cotangent) -> bool:
    """Whether a cotangent is one number that stands for an array of it."""
    return not cotangent.full and isinstance(cotangent.value, Numeric) and cotangent.value.shape == ()


def moves(rule: Rule) -> bool:
    """Whether a result has each element of the operands in one place, so that all have one cotangent where the result's
    elements have."""
    return rule.sharing == "view" or rule.title in MOVING


MOVING = frozenset(("reshape", "ravel", "flatten", "roll", "concatenate", "stack", "vstack", "hstack", "dstack",
                    "column_stack", "atleast_1d", "atleast_2d", "atleast_3d"))


def puts_axes_back(part: gast.AST) -> bool:
    """Whether a part of a formula is the cotangent with its lost axes: ``g[:, None]``, ``np.expand_dims(g, -1)``."""
    if isinstance(part, gast.Call) and isinstance(part.func, gast.Attribute) and part.func.attr == "expand_dims":
        part = part.args[0]
    elif isinstance(part, gast.Subscript):
        part = part.value
    else:
        return False
    return isinstance(part, gast.Name) and part.id == "g"


def added_axes(index: gast.AST, base: Any, facts: Facts) -> tuple[int, ...]:
    """The axes of ``base[index]`` that the index only adds (``x[:, None]``); none where it does anything else."""
    if not isinstance(base, Numeric) or base.rank is None:
        return ()
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    axes, axis = [], 0
    for part in parts:
        known = known_value(facts.values.get(id(part), MISSING))
        if known is ...:
            axis += base.rank - sum(isinstance(other, gast.Slice) for other in parts)
            continue
        if known is None:
            axes.append(axis)
        elif not (isinstance(part, gast.Slice) and part.lower is part.upper is part.step is None):
            return ()
        axis += 1
    return tuple(axes)


def formed_like(found: Abstract, value: Abstract) -> Abstract:
    """What is known of a cotangent in full whose formula nobody looked into: its shape is the operand's."""
    if isinstance(found, Numeric) and found.shape is None and isinstance(value, Numeric) and value.kind == "array" \
            and value.shape:
        return replace(found, kind="array", shape=value.shape)
    return found


def axes_to_sum(whole: Shape, target: Shape) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Leading axes that the operand lacks, and axes (counted from the right, negative) along which it was stretched.

    None where the shapes don't tell.
    """
    if target == () and whole != ():
        return ((0,), ()) if whole else None
    if whole is None or target is None or len(target) > len(whole):  # longer where control never comes
        return None
    leading = tuple(range(len(whole) - len(target)))
    stretched = []
    for place in range(1, len(target) + 1):
        mine, full = target[-place], whole[-place]
        if mine == 1 and full != 1:
            stretched.append(-place)
        elif mine != full or mine is None:
            if not (not_one(mine) and not_one(full)):
                return None
    return leading, tuple(reversed(stretched))


def axes_literal(axes: tuple[int, ...]) -> gast.AST:
    return constant(axes[0]) if len(axes) == 1 else tuple_of([constant(axis) for axis in axes])


__all__ = ["Chain", "shape_known"]
