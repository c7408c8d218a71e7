"""Views in containers, spelled out as the views that they are: after ``parts = {"a": u[:2], "b": u[2:]}``,
``parts["a"] *= e`` becomes ``u[:2] *= e``, and after ``rows = [m[i] for i in range(3)]``, ``rows[1]`` becomes ``m[1]``.

With one name for each array its cotangent is one array, too. An item is spelled out wherever its place still holds the
view, and the view is still the same part of its array. That is done only where names are spelled out as places, too;
what is left of the container is then looked at like everything else that may share memory.
"""
from __future__ import annotations

import copy
import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import gast

from s2sgrad.compiler.algebra import same
from s2sgrad.compiler.counts import called
from s2sgrad.compiler.displays import displayed
from s2sgrad.compiler.facts import CONTENTS, Version, View, origins
from s2sgrad.compiler.nodes import call, constant, is_plain, name, names_in, subscript
from s2sgrad.compiler.pieces import is_count
from s2sgrad.compiler.placed import Part, Placed
from s2sgrad.compiler.program import Augment, Branch, Context, Leave, Loop, statements
from s2sgrad.compiler.respell import expression, located
from s2sgrad.compiler.scopes import COMPREHENSIONS, bound_names
from s2sgrad.containers import DICTS
from s2sgrad.rules.abstract import MISSING, Abstract, Items, Numeric, is_changeable, item_at, known_value

DISPLAYS = (gast.List, gast.Tuple, gast.Dict, gast.ListComp)
MOST_STEPS = 100
LOOK = ("len", "enumerate", "zip", "reversed", "list", "tuple", "print")
"""Functions that take no more of a container than what is in it."""


@dataclass(eq=False)
class Held:
    """A view in a container, and its place. Of each item of a list, which has ``CONTENTS`` for a step (``number``: the
    name in the view's expression that counts them): what that name runs over, and whether that is all of an axis of the
    array."""

    part: Part
    view: View
    number: str = ""
    turns: gast.AST | None = None
    whole_axis: bool = False


class HeldViews(Placed):
    def __init__(self, *arguments: Any, **keywords: Any):
        super().__init__(*arguments, **keywords)
        self.held_views: dict[str, list[Held]] = {}
        """By the names of the containers."""
        self.made_here: set[Version] = set()
        """Containers that were made where they got their name, so that no other stands for them."""
        self.counters: set[str] = set()
        """The numbers of items over which loops run in the items' place."""

    @functools.cached_property
    def reach(self) -> dict[str, int]:
        """How many steps at least lead from each name to what the program takes from under it: a container at the end
        of fewer may get other names, under which it changes unseen."""
        found: dict[str, int] = {}
        for statement in statements(self.program.body):
            for field, part in vars(statement).items():
                if isinstance(part, gast.AST):
                    plainly = isinstance(statement, (Branch, Loop, Leave)) or field == "target"
                    note_reach(part, 0, plainly, found)
            for manager, _ in statement.items if isinstance(statement, Context) else ():
                note_reach(manager, 0, False, found)
        return found

    # ---- what is in containers

    def note_part(self, version: Version, node: Any, environment: dict) -> None:
        super().note_part(version, node, environment)
        if isinstance(node, DISPLAYS) or called(node, self.facts) in (list, tuple, dict):
            self.made_here.add(version)
            self.note_views(version, node, environment, ())

    def note_held(self, version: Version, node: Any, environment: dict, path: tuple[Any, ...] = ()) -> None:
        super().note_held(version, node, environment, path)
        if self.places and len(path) == 1 and origins(version) <= self.made_here:
            self.note_views(version, node, environment, path)

    def note_views(self, version: Version, node: Any, environment: dict, path: tuple) -> None:
        """The views in what an expression gives are in a container from here on, where a path leads."""
        value = None if CONTENTS in path else item_at(version.value, path)
        if isinstance(value, Numeric) and value.kind == "array" and path:
            self.note_view(version, path, self.view(node, environment))
        if not isinstance(value, Items) or version.name not in self.places or value.kind not in (list, tuple, *DICTS):
            return
        if value.items is None:
            self.note_each(version, node, environment, path)
            return
        parts = displayed(node, self.facts)
        if len(parts) == len(value.steps):
            for step, part in zip(value.steps, parts):
                if part is not None:
                    self.note_views(version, part, environment, (*path, step))

    def note_view(self, version: Version, path: tuple, view: View | None, **each: Any) -> None:
        if view is not None and not view.whole and self.reach.get(version.name, len(path)) >= len(path):
            self.held_views.setdefault(version.name, []).append(
                Held(Part(version, name(version.name), path, ()), view, **each))

    def note_each(self, version: Version, node: Any, environment: dict, path: tuple) -> None:
        """The same of the items of a list: ``[m[i] for i in range(n)]``, ``[row for row in m]``, ``list(m)``."""
        if called(node, self.facts) in (list, tuple) and len(node.args) == 1 and not node.keywords:
            over, item, label = node.args[0], None, "i"
        elif isinstance(node, gast.ListComp) and len(node.generators) == 1 and not node.generators[0].ifs \
                and isinstance(node.generators[0].target, gast.Name):
            over, item, label = node.generators[0].iter, node.elt, node.generators[0].target.id
        else:
            return
        value = self.facts.values.get(id(over))
        if isinstance(value, Numeric) and value.kind == "array" and isinstance(over, gast.Name) and (
                item is None or isinstance(item, gast.Name) and item.id == label):
            row = self.placed(subscript(over, name(label)), over)
            self.facts.made.append(row)
            view = View(environment[over.id], row, ())
            turns = call(self.given(range), call(self.given(len), over))
            self.note_view(version, (*path, CONTENTS), view, number=label, turns=turns, whole_axis=True)
            return
        if item is None or known_value(self.facts.values.get(id(getattr(over, "func", None)), value)) is not range \
                or over.keywords or not all(map(is_plain_number, over.args)):
            return
        found = self.view(item, environment)
        if found is not None and found.base.name != label:
            others = tuple(pair for pair in found.index if pair[0] != label)
            others += tuple((part, environment.get(part)) for part in names_in(over)
                            if part in environment and part != found.base.name)
            self.note_view(version, (*path, CONTENTS), View(found.base, found.node, others), number=label, turns=over,
                           whole_axis=self.counts_axis(found, over, label))

    def counts_axis(self, view: View, over: Any, label: str) -> bool:
        """Whether a range counts what is along an axis of an array, where a view takes one: ``m[:, i]``."""
        node: Any = view.node
        if len(over.args) != 1 or not isinstance(node, gast.Subscript) or not isinstance(node.value, gast.Name):
            return False
        index = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
        axis = next((axis for axis, part in enumerate(index) if isinstance(part, gast.Name) and part.id == label), None)
        if axis is None or any(not isinstance(part, gast.Slice) for part in index[:axis]):
            return False
        array, (count,) = node.value, over.args
        size = subscript(gast.Attribute(array, "shape", gast.Load()), constant(axis))
        is_length = isinstance(count, gast.Call) and known_value(self.facts.value(count.func)) is len
        if same(count, size) or axis == 0 and is_length and same(count.args[0], array):
            return True
        value, shape = self.facts.value(count), getattr(view.base.value, "shape", None)
        known = known_value(value)
        size_known = known if type(known) is int else getattr(value, "dim", None)
        return shape is not None and size_known is not None and shape[axis] == size_known

    def first(self, statement: Loop, label: str, whole: Any, firsts: list) -> str:
        number = super().first(statement, label, whole, firsts)
        if number != label:
            self.counters.add(number)
        return number

    def numbers_of(self, node: Any, labels: tuple, loop: Loop, environment: dict) -> tuple[Any, gast.AST] | None:
        """Those that the list's own views were made with, where they count from zero: no list is needed then."""
        found = super().numbers_of(node, labels, loop, environment)
        if found is None or found[0] is not node or root_name(node) not in self.held_views:
            return found
        path, _ = self.way(node, environment, {})
        held = next((held for held in reversed(self.held_views[root_name(node)]) if path is not None
                     and held.part.path == (*path, CONTENTS) and self.is_there(held, environment)), None)
        turns: Any = held.turns if held is not None else None
        return found if turns is None or len(turns.args) > 1 else (node, located(copy.deepcopy(turns), node))

    def over_places(self, statement: Loop, pattern: Any, node: Any, environment: dict, firsts: list) -> tuple[Any, Any]:
        """Also of a list of views: the turns start with the view itself."""
        made = super().over_places(statement, pattern, node, environment, firsts)
        for place, bound in enumerate(firsts):
            view = self.held_at(bound.value, environment, {})
            if view is not None:
                firsts[place] = replace(bound, value=located(copy.deepcopy(view), bound.value))
        return made

    # ---- what is spelled out

    def spelled_out(self, statement: Any, environment: dict) -> Any:
        if not self.held_views.keys().isdisjoint(environment) and not getattr(statement, "replaces", False) \
                and not getattr(statement, "back", False) and not getattr(statement, "paired", ""):
            found = [(node, view) for field in vars(statement).values() if isinstance(field, gast.AST)
                     for node, view in self.views_within(field, environment, {})
                     if not self.is_slot(statement, node, environment)]
            text = " ".join(gast.dump(part) for pair in found for part in pair)
            if found and self.respelled_before.get(statement, ("",))[0] != text:
                new = {id(node): in_place(view) if node is getattr(statement, "target", None) else view
                       for node, view in found}
                self.respelled_before[statement] = text, replace(statement, **{
                    field: expression(part, new) for field, part in vars(statement).items()
                    if isinstance(part, gast.AST)})
            if found:
                return self.respelled_before[statement][1]
        return super().spelled_out(statement, environment)

    def is_slot(self, statement: Any, node: Any, environment: dict) -> bool:
        """Whether a place is not read, but gets something else, or can't: the item of a tuple."""
        if node is not getattr(statement, "target", None):
            return False
        return not isinstance(statement, Augment) or isinstance(node, gast.Subscript) \
            and not is_changeable(self.passively(node.value, environment))

    def views_within(self, node: Any, environment: dict, bound: dict[str, bool]) -> Iterator[tuple[gast.AST, gast.AST]]:
        """The expressions in one that lead to views in containers, each with that of the view; ``bound``: the names
        that comprehensions around it bind, each with whether it counts."""
        if isinstance(node, (gast.Lambda, gast.FunctionDef)):
            return
        if isinstance(node, COMPREHENSIONS):
            bound = bound | {label: self.counts(each, environment) for each in node.generators
                             for label in bound_names(each.target)}
        view = self.held_at(node, environment, bound) if isinstance(node, (gast.Attribute, gast.Subscript)) else None
        if view is not None:
            yield node, located(copy.deepcopy(view), node)
            return
        for child in gast.iter_child_nodes(node):
            yield from self.views_within(child, environment, bound)

    def counts(self, generator: Any, environment: dict) -> bool:
        """Whether a comprehension's variable runs over whole numbers."""
        return isinstance(generator.target, gast.Name) and self.function_of(generator.iter, environment) is range

    def held_at(self, node: Any, environment: dict, bound: dict[str, bool]) -> gast.AST | None:
        """The expression of the view that is in a place."""
        path, index = self.way(node, environment, bound)
        if path is None:
            return None
        label = root_name(node)
        for held in reversed(self.held_views.get(label, ())):
            seen = held.view.base.name not in bound and bound.keys().isdisjoint(
                part for part, _ in held.view.index)
            if seen and self.is_there(held, environment):
                if not held.number and held.part.path == path and index is None:
                    return held.view.node
                if index is not None and held.part.path == (*path, CONTENTS):
                    number = self.number_for(held, index, environment, bound)
                    if number is not None:
                        return expression(held.view.node, {id(part): number for part in gast.walk(held.view.node)
                                                           if isinstance(part, gast.Name) and part.id == held.number})
        return None

    def is_there(self, held: Held, environment: dict) -> bool:
        """Whether a place holds the view that it got, and its expression gives that still."""
        return self.holds(held.part, environment) and held.view.holds(environment)

    def number_for(self, held: Held, index: Any, environment: dict, bound: dict[str, bool]) -> gast.AST | None:
        """What stands in the expression of the view of an item for the place of that."""
        from_start = isinstance(index, gast.Name) and index.id in self.counters
        known = MISSING if from_start else self.known_at(index, environment, bound)
        turns = [known_value(self.passively(part, environment)) for part in held.turns.args]  # type: ignore[union-attr]
        if type(known) is int and all(type(part) is int for part in turns) and -len(range(*turns)) <= known < len(
                range(*turns)):
            return constant(range(*turns)[known])
        if from_start and len(turns) == 1:
            return index
        labels = bound.keys() & names_in(index)
        counts = all(bound[label] for label in labels) and isinstance(index, (gast.Name, gast.BinOp)) \
            if labels else is_count(self.passively(index, environment))
        return index if held.whole_axis and counts else None  # u[True] is no item

    def way(self, node: Any, environment: dict, bound: dict[str, bool]) -> tuple[tuple | None, Any]:
        """The steps from a name to a part of what is under it, and the index of an item of a list of which it is not
        known where that is; None where it is neither."""
        if isinstance(node, gast.Name):
            return (None if node.id in bound or node.id not in environment else ()), None
        if not isinstance(node, (gast.Attribute, gast.Subscript)) or root_name(node) not in self.held_views:
            return None, None
        path, index = self.way(node.value, environment, bound)
        if path is None or index is not None:
            return None, None
        base: Abstract = item_at(environment[root_name(node)].value, path)
        if not isinstance(base, Items):
            return None, None
        if isinstance(node, gast.Attribute):
            step: Any = base.step(node.attr)
        elif isinstance(node.slice, gast.Slice) or not is_plain(node.slice):
            return None, None
        elif base.items is None:
            return path, node.slice
        else:
            known = self.known_at(node.slice, environment, bound)
            step = MISSING if known is MISSING else base.step(known)
        return (None if step is MISSING else (*path, step)), None

    def known_at(self, index: Any, environment: dict, bound: dict[str, bool]) -> Any:
        """The value of an index, where it is known."""
        return known_value(self.passively(index, environment)) if bound.keys().isdisjoint(
            names_in(index)) else MISSING


def note_reach(node: Any, steps: int, plainly: bool, found: dict[str, int]) -> None:
    """Note the names that an expression reads, each with the least number of steps from it to what is taken; ``steps``:
    so many lead on from the expression's value, of which no more than what is in it is taken, where it is looked at
    ``plainly``: run through, tested, compared, returned."""
    if isinstance(node, gast.Name):
        found[node.id] = min(found.get(node.id, MOST_STEPS), steps + plainly)
    elif isinstance(node, (gast.Lambda, gast.FunctionDef)):
        found.update((part.id, 0) for part in gast.walk(node) if isinstance(part, gast.Name))
    elif isinstance(node, gast.Subscript):
        note_reach(node.value, steps + 1, plainly, found)
        note_reach(node.slice, 0, False, found)
    elif isinstance(node, gast.Attribute):
        note_reach(node.value, steps + 1, plainly, found)
    elif isinstance(node, gast.Call):
        looks = isinstance(node.func, gast.Name) and node.func.id in LOOK
        note_reach(node.func, 0, False, found)
        for part in (*node.args, *(item.value for item in node.keywords)):
            note_reach(part, 0, looks, found)
    else:
        for child in gast.iter_child_nodes(node):
            if isinstance(child, gast.comprehension):
                note_reach(child.iter, 0, True, found)
                for test in child.ifs:
                    note_reach(test, 0, True, found)
            else:
                note_reach(child, 0, isinstance(node, gast.Compare), found)


def root_name(node: Any) -> str:
    while isinstance(node, (gast.Attribute, gast.Subscript)):
        node = node.value
    return node.id if isinstance(node, gast.Name) else ""


def is_plain_number(node: gast.AST) -> bool:
    """Whether an argument of ``range`` reads names, literals and sizes only."""
    if isinstance(node, gast.Call):
        return isinstance(node.func, gast.Name) and node.func.id == "len" and all(map(is_plain, node.args))
    if isinstance(node, gast.Subscript) and isinstance(node.value, gast.Attribute) and node.value.attr == "shape":
        return isinstance(node.value.value, gast.Name) and is_plain(node.slice)
    return is_plain(node)


def in_place(view: gast.AST) -> gast.AST:
    """A view as an operator in place may have it: ``u.reshape(4)[...] *= 2.0``."""
    return view if isinstance(view, (gast.Name, gast.Subscript)) else located(subscript(view, constant(...)), view)
