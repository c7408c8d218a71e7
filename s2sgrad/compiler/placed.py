"""Names for what is in containers, spelled out as the places that they stand for, where something is written into it.

``p = ps[0]; p.v = e`` becomes ``ps[0].v = e``, and a loop over objects, ``for p in ps: p.v = e``, one over their
numbers: with one name for each object its cotangents are in one place. A name is spelled out wherever its place still
holds what the name stands for. That is done only once ``aliases.py`` has found it needed.
"""
from __future__ import annotations

import copy
import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import gast

from s2sgrad.compiler.algebra import same
from s2sgrad.compiler.bound_memory import array_places
from s2sgrad.compiler.displays import displayed
from s2sgrad.compiler.effects import functions_in, has_effect
from s2sgrad.compiler.equivalents import CHOOSERS
from s2sgrad.compiler.facts import CONTENTS, Version, is_around, is_array, made_from, open_path
from s2sgrad.compiler.handed_back import argument_given_back
from s2sgrad.compiler.nodes import (
    Names,
    call,
    constant,
    holder,
    is_everything,
    is_exchange,
    located_at,
    name,
    names_in,
    subscript,
)
from s2sgrad.compiler.own_arrays import argument_at
from s2sgrad.compiler.pieces import computed_indices, cut, one_by_one
from s2sgrad.compiler.program import (
    Append,
    Assign,
    Augment,
    Delete,
    Evaluate,
    Loop,
    Program,
    Store,
    assigned_names,
    mentioned,
    pattern_names,
    read_names,
    rebound_names,
    statements,
    written_name,
)
from s2sgrad.compiler.respell import expression, without
from s2sgrad.compiler.scopes import free_nodes
from s2sgrad.compiler.unrolled import Unrolled
from s2sgrad.rules.abstract import INTEGER, Abstract, Items, Numeric, item_at, known_value, may_hold

PAIRS = (itertools.pairwise,) if hasattr(itertools, "pairwise") else ()


@dataclass(eq=False)
class Part:
    """A container or an array that a version is, in a container, or a view of an array there: that container then, the
    expression that leads to it, the steps as far as they are known, and the versions of the names in indices."""

    base: Version
    node: gast.AST
    path: tuple
    index: tuple[tuple[str, Version | None], ...]
    cut: bool = False
    """Whether it is a part of an array by an index."""


class Placed(Unrolled):
    def __init__(self, *arguments: Any, places: frozenset[str] = frozenset(), **keywords: Any):
        super().__init__(*arguments, **keywords)
        self.places = places
        """The names that the user knows, where names are to be spelled out."""
        self.known_places: dict[Version, Part] = {}
        self.respelled_before: dict[Any, tuple[str, Any]] = {}
        """Statements that were spelled out before, each with what its names were spelled as, and the statement then."""
        self.written_as_name: dict[str, Any] = {}
        """The expressions of what got a name because something is written into it."""
        self.numbered: dict[Loop, Loop] = {}
        self.cut: dict[Assign, list[str]] = {}
        """Names for what arrays are taken apart with."""
        self.written_apart: dict[Assign, list | None] = {}
        self.exchanged: set[str] = set()
        """Names for what is moved about in a container."""

    # ---- names

    def note_part(self, version: Version, node: Any, environment: dict) -> None:
        """A name is bound to a container that is in another, or has another name."""
        if self.places and isinstance(node, gast.Call):
            called = self.facts.call_of(node)
            node = None if called is None else argument_given_back(called)
            node = self.written_as_name.get(getattr(node, "id", ""), node)
        elif self.places and (version.name in self.facts.inner or version.name in self.program.inner):
            self.written_as_name[version.name] = node
        view = is_array(version) and not is_path(node)
        leads = self.facts.is_place(node) if is_array(version) else is_path(node)
        if not self.places or not can_be_placed(version) or not leads \
                or version.name in self.facts.inner or version.name in self.program.inner:
            return
        base = environment.get(holder(node) or "")
        indices = [part.slice for part in gast.walk(node) if isinstance(part, gast.Subscript)]
        if base is None or base.name not in self.places or not isinstance(base.value, Items) or any(
                has_effect(part, self.facts) for part in indices):
            return
        if any(id(part) in self.facts.spelled for part in gast.walk(node)):  # what a method gives: not written so yet
            return
        labels = {label for part in indices for label in names_in(part)}
        if version.name in labels or version.name == base.name:
            return
        path = open_path(node, self.facts)
        if CONTENTS not in path and any(map(self.counts_from_end, indices)):  # another once the list grows
            node = self.place_at(base, path, node)
        self.known_places[version] = Part(base, node, path, tuple(
            (label, environment.get(label)) for label in sorted(labels)), view and isinstance(node, gast.Subscript))

    def counts_from_end(self, index: Any) -> bool:
        known = known_value(self.facts.value(index))
        return type(known) is int and known < 0

    def note_held(self, version: Version, node: Any, environment: dict, path: tuple[Any, ...] = ()) -> None:
        """What an expression gives is in a container from here on, where a path leads: the names in it stand for
        places there."""
        if version.name not in self.places or CONTENTS in path:
            return
        if isinstance(node, gast.Name):
            if node.id in environment and can_be_placed(environment[node.id]) and self.demands(node.id):
                self.known_places[environment[node.id]] = Part(version, self.place_at(version, path, node), path, ())
            return
        called = self.facts.callee_of(node)
        value = item_at(version.value, path)
        if called is not None:
            place: Any
            for place in (*array_places(value), *container_places(value)):
                given = None if place is None else argument_at(called, place)
                if given is not None:
                    self.note_held(version, given, environment, (*path, *place))
            return
        parts = displayed(node, self.facts)
        if isinstance(value, Items) and len(parts) == len(value.steps):
            for step, part in zip(value.steps, parts):
                if part is not None:
                    self.note_held(version, part, environment, (*path, step))

    def place_at(self, version: Version, path: tuple, node: gast.AST) -> gast.AST:
        """The expression for the part of a container to which a path leads; ``node``: where that is said to stand."""
        place, value = self.placed(name(version.name), node), version.value
        for step in path:
            assert isinstance(value, Items)
            place, value = self.part(place, value, step), value.at(step)
        return place

    def parts_of(self, node: Any, value: Abstract) -> list[gast.AST] | None:
        """Expressions for the containers in one that is unpacked."""
        if not self.places or not is_path(node) or not isinstance(value, Items) or value.items is None \
                or value.is_object:
            return None
        return [self.part(node, value, step) for step in value.steps]

    def pieces_of(self, statement: Assign, pattern: tuple, environment: dict) -> list | None:
        """The statements for one that binds names to the pieces of an array, which are views of it, or to what is made
        of each of some values."""
        if statement not in self.written_apart:
            made = one_by_one(statement.value, self.function_of(statement.value, environment), len(pattern))
            self.written_apart[statement] = None if made is None else [
                Assign(statement.target, located_at(made, statement.value), statement.location)]
        if self.written_apart[statement] is not None:
            return self.written_apart[statement]
        applied = self.facts.applied.get(id(self.facts.spelled_out(statement.value)))
        if applied is None or len(pattern) < 2:
            return None
        if statement not in self.cut:
            fresh = Names(self.program.names | set(self.facts.given) | self.facts.reserved | self.local)
            self.cut[statement] = [fresh.fresh(label) for label in ["pieces", *("cut" for _ in pattern[1:])]]
        simpler = cut(statement, applied, self.cut[statement])
        if simpler is not None:
            self.facts.reserved.update(self.cut[statement])
            self.local.update(self.cut[statement])
            for new in simpler:
                located_at(new.value, statement.value)
        return simpler

    def computed_indices_of(self, statement: Assign) -> list[gast.AST]:
        """The indices that get names before views do into which something is written."""
        bound = set(pattern_names(statement.target))
        return [] if bound.isdisjoint(self.stored_under) else computed_indices(statement.value, self.facts)

    @functools.cached_property
    def stored_under(self) -> set[str]:
        """The names under which something is stored, or which a call gets that may do so."""
        return names_written(self.program)

    def place_of(self, version: Version) -> Part | None:
        """The place that a name stands for, also where paths meet on which it stands for the same; none where that may
        be a place of an earlier turn of a loop, which changes what the container was then, or where the name may stand
        for nothing, which Python tells when it is read."""
        if version.unbound:
            return None
        made = made_from(version) if version.origin == "joined" else [version]
        bound = [found for found in made if found.origin != "joined"]
        part = self.known_places.get(bound[0]) if len(bound) == 1 else None
        head = self.facts.heads.get(part.base.loop, {}) if part is not None and part.base.loop is not None else {}
        return None if any(found is head.get(found.name) for found in made) else part

    def holds(self, part: Part, environment: dict) -> bool:
        """Whether a place holds what it did when a name was given to that."""
        base = environment.get(part.base.name)
        if base is None or base.unbound or any(environment.get(label) is not before for label, before in part.index):
            return False
        between = made_from(base, part.base)
        return all(version.sources and (version.origin == "joined" or version.places is not None and not any(
            is_around(place, part.path) for place in version.places)) for version in between)

    def spelled_out(self, statement: Any, environment: dict) -> Any:
        """A statement with the places that names in it stand for, none if it does nothing then; None where there are no
        such names."""
        found, cut = {}, set()
        change = self.changed_name(statement, environment)
        for label in (*mentioned(statement), *change):
            part = self.place_of(environment[label]) if label in environment else None
            if part is not None and self.holds(part, environment):
                found[label] = part.node
                cut |= {label} if part.cut else set()
        if isinstance(statement, Loop):  # which gives what it runs over a name, as it is spelled out
            bound = assigned_names((statement,), written=False)
            found = {label: node for label, node in found.items() if label in self.places and label not in bound}
        new = {id(node): found[node.id] for field in vars(statement).values() if isinstance(field, gast.AST)
               for node in free_nodes(field, frozenset()) if node.id in found and not (
                   is_target(statement, node) and not changes_in_place(environment[node.id]))}
        moved = isinstance(statement, Store) and not statement.exchanged and getattr(
            statement.value, "id", "") in self.exchanged
        if isinstance(statement, Assign) and statement.places:
            self.exchanged.difference_update(statement.target)  # of an earlier turn of a loop
            self.exchanged.update(statement.target if is_exchange(statement.places, statement.value) else ())
        change = [label for label in change if label in found]
        if not new and not moved and not change:
            return None
        text = " ".join(f"{label} {gast.dump(node)}" for label, node in sorted(found.items()))
        if moved:
            text += " exchanged"
        if self.respelled_before.get(statement, ("",))[0] != text:
            parts: dict[str, Any] = {field: expression(part, new) for field, part in vars(statement).items()
                                     if isinstance(part, gast.AST)}
            target: Any = getattr(statement, "target", None)
            if is_target(statement, target) and target.id in found and target.id not in cut \
                    and is_array(environment[target.id]):
                parts["target"] = self.placed(subscript(parts["target"], constant(...)), target)
            if isinstance(statement, Store) and getattr(target.value, "id", "") in cut & found.keys() and is_everything(
                    target.slice):
                parts["target"] = parts["target"].value  # ``v[:] = e`` is ``c.u[1:] = e``
            if getattr(statement, "writes", ()):
                parts["writes"] = tuple(holder(found.get(label, name(label))) for label in statement.writes)
            if moved:
                parts["exchanged"] = True
            made: Any = replace(statement, **parts)
            if isinstance(made, Store) and not made.replaces and same(made.target, made.value):
                made = []  # ``h = s.h; h *= 2.0; s.h = h``: it is there already
            if change:  # what takes the place of a container takes it where that is
                place: Any = located_at(copy.deepcopy(found[change[0]]), statement.value)
                made = replace(made, target=place.id) if isinstance(place, gast.Name) else Store(
                    place, made.value, statement.location, replaces=True)
            self.respelled_before[statement] = text, made
        return self.respelled_before[statement][1]

    def changed_name(self, statement: Any, environment: dict) -> list[str]:
        """The name of a container that changes, where an assignment stands for that: ``d = d | e`` for ``d |= e``."""
        if not isinstance(statement, Assign) or statement.target not in statement.writes:
            return []
        value = statement.value
        bound = not isinstance(value, gast.Call) or self.function_of(value, environment) in (sorted, list, dict)
        return [statement.target] if bound else []  # type: ignore[list-item]

    def has_respelled(self, body: tuple) -> bool:
        """Whether a name is spelled out in a block."""
        return not self.respelled_before.keys().isdisjoint(statements(body))

    # ---- loops

    def by_numbers(self, statement: Loop, environment: dict) -> list | None:
        """A loop over objects or other containers in a list, one of which its body may change, as one over numbers."""
        if not self.places or statement.target is None or not may_change_something(statement):
            return None
        firsts: list[Assign] = []
        pattern, node = self.over_places(statement, statement.target, statement.iterable, environment, firsts)
        if not firsts:
            return None
        if statement not in self.numbered:
            located_at(node, statement.iterable)
            self.numbered[statement] = Loop(pattern, node, (*firsts, *statement.body), statement.location)
        return [self.numbered[statement]]

    def over_places(self, statement: Loop, pattern: Any, node: Any, environment: dict, firsts: list) -> tuple[Any, Any]:
        """Target and iterable of a loop with numbers in the place of the containers in lists; to ``firsts`` come the
        assignments of these that its turns start with."""
        if isinstance(node, gast.Call) and node.args and not any(
                isinstance(item, gast.Starred) for item in node.args) and isinstance(pattern, tuple):
            function = self.function_of(node, environment)
            if function is enumerate and len(pattern) == 2:
                before = len(firsts)
                part, item = self.over_places(statement, pattern[1], node.args[0], environment, firsts)
                return (pattern[0], part), with_arguments(node, [item, *node.args[1:]], len(firsts) > before)
            if function in (zip, itertools.product) and len(pattern) == len(node.args) and (
                    function is zip or not node.keywords):
                before = len(firsts)
                found = [self.over_places(statement, *pair, environment, firsts) for pair in zip(pattern, node.args)]
                return tuple(part for part, _ in found), with_arguments(
                    node, [item for _, item in found], len(firsts) > before)
            if function in CHOOSERS or function in PAIRS:
                numbers = self.numbers_of(node.args[0], pattern, statement, environment)
                if numbers is None or not all(isinstance(part, str) for part in pattern):
                    return pattern, node
                labels = [self.first(statement, part, numbers[0], firsts) for part in pattern]
                return tuple(labels), with_arguments(node, [numbers[1], *node.args[1:]], labels != list(pattern))
        numbers = self.numbers_of(node, (pattern,), statement, environment) if isinstance(pattern, str) else None
        label = self.first(statement, pattern, numbers[0], firsts) if numbers is not None else pattern
        return (pattern, node) if numbers is None or label == pattern else (label, numbers[1])

    def numbers_of(self, node: Any, labels: tuple, loop: Loop, environment: dict) -> tuple[Any, gast.AST] | None:
        """For a list of containers, or of arrays into which the loop writes, part of one, or one in other order, the
        list and the numbers of its items; also for an array into whose rows the loop writes."""
        if isinstance(node, gast.Call) and len(node.args) == 1 and not node.keywords and known_value(
                self.passively(node.func, environment)) in (list, tuple, reversed):
            found = self.numbers_of(node.args[0], labels, loop, environment)
            turned = known_value(self.facts.value(node.func)) is reversed
            return found if found is None or not turned else (found[0], call(self.given(reversed), found[1]))
        whole = node.value if isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Slice) else node
        if not is_path(whole) or holder(whole) not in environment or has_effect(node, self.facts):
            return None
        value = self.evaluate(whole, environment)
        if isinstance(value, Items) and value.is_deque and any(
                may_hold(environment[label].value, value.kind) for label in names_reached(loop.body, environment)):
            return None  # a deque that changes while it is run through complains
        if isinstance(value, Items) and value.has_places:
            items = value.items if value.items is not None else [value.element]
        else:
            items = (self.element_of(value),) if isinstance(value, Numeric) and (value.rank or 0) > 1 else ()
        written = {label for part in statements(loop.body) for label in (
            [written_name(part)] if isinstance(part, (Store, Augment)) else
            names_given(part.value) if isinstance(part, Evaluate) else ())}
        if not any(map(is_changeable, items)) and (written.isdisjoint(labels) or not any(
                isinstance(item, Numeric) and item.kind == "array" for item in items)):
            return None
        numbers: gast.AST = call(self.given(range), call(self.given(len), whole))
        return whole, numbers if whole is node else subscript(numbers, node.slice)

    def first(self, statement: Loop, label: str, whole: Any, firsts: list) -> str:
        """A number's name in a loop's target, in the place of that of an item of a list; the latter where the loop
        doesn't read it, or changes what it stands for."""
        rebound = rebound_names(replace(statement, target=None))
        if label not in read_names(statement.body) or label in rebound or holder(whole) in assigned_names(
                statement.body, written=False) or changes(statement, whole):
            return label
        taken = self.program.names | set(self.facts.given) | self.facts.reserved | self.local
        number = Names(taken).fresh("i")
        if statement not in self.numbered:
            self.facts.reserved.add(number)
            self.local.add(number)
        node = self.placed(subscript(whole, name(number)), statement.iterable)
        firsts.append(Assign(label, node, statement.location))
        return number

    def iterate(self, node: Any, environment: dict) -> Abstract:
        """Also the numbers that a part of a range gives, or what chooses some of them."""
        if self.places and isinstance(node, (gast.Subscript, gast.Call)):
            numbers = node.value if isinstance(node, gast.Subscript) else node.args[0] if node.args else None
            if isinstance(numbers, gast.Subscript) and isinstance(numbers.slice, gast.Slice):
                numbers = numbers.value
            if isinstance(numbers, gast.Call) and known_value(self.passively(numbers.func, environment)) is range:
                if isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Slice):
                    self.passively(node, environment)
                    return INTEGER
                function = self.function_of(node, environment)
                chosen = known_value(self.passively(node.args[1], environment)) if function in CHOOSERS and len(
                    node.args) == 2 else 2
                if type(chosen) is int and (function in CHOOSERS or function in PAIRS):
                    self.passively(node, environment)
                    return Items(tuple, (INTEGER,) * chosen)
        return super().iterate(node, environment)

    def changes_its_dict(self, statement: Loop, environment: dict) -> bool:
        return super().changes_its_dict(statement, environment) or bool(self.places) and may_change_something(
            statement) and bool(self.viewed(statement.iterable, environment))


def writes_under_other_names(program: Program) -> bool:
    """Whether something is stored in what a name stands for that is bound to a part of something, or has two names."""
    bound: set[str] = set()
    for statement in statements(program.body):
        if isinstance(statement, Loop) or isinstance(statement, Assign) and any(
                map(holder, getattr(statement.value, "elts", [statement.value]))):
            bound.update(pattern_names(statement.target or ()))
        elif isinstance(statement, Assign) and isinstance(statement.target, tuple) and isinstance(
                statement.value, gast.Call):  # pieces of an array
            bound.update(pattern_names(statement.target), names_in(statement.value))
    return not bound.isdisjoint(names_written(program))


def names_reached(block: tuple, environment: dict) -> set[str]:
    """The names of an environment that a block mentions, and those that functions which it mentions take from it."""
    names = read_names(block) & environment.keys()
    return names | {home for label in names for function in functions_in(environment[label].value)
                    for _, home in function.homes if home in environment}


def container_places(value: Any) -> Iterator[tuple]:
    """Where lists, dicts and objects are in a container."""
    if isinstance(value, Items) and value.items is not None:
        for step, item in zip(value.steps, value.items):
            if isinstance(item, Items) and item.kind is not tuple:
                yield (step,)
            yield from ((step, *place) for place in container_places(item))


def names_written(program: Program) -> set[str]:
    """The names under which something is stored, or which a call gets that may do so."""
    written: set[str] = set()
    for statement in statements(program.body):
        if isinstance(statement, (Store, Append, Augment)):
            written.add(written_name(statement))
        elif isinstance(statement, (Assign, Evaluate)) and isinstance(statement.value, gast.Call):
            written.update(names_given(statement.value))
    return written


def names_given(node: Any) -> list[str]:
    """The names that a call gets as they are, and may write into."""
    return [item.id for item in getattr(node, "args", ()) if isinstance(item, gast.Name)]


def without_numbered_names(program: Program, own: frozenset[str]) -> Program:
    """The program without the names that turns of loops start with, ``p = ps[i]``, where all are spelled out."""
    made = {statement.target for statement in statements(program.body) if isinstance(statement, Assign)
            and isinstance(statement.target, str) and isinstance(statement.value, gast.Subscript)
            and isinstance(statement.value.slice, gast.Name) and statement.value.slice.id not in own}
    bound = {statement.target for statement in statements(program.body) if isinstance(statement, Assign)
             and not (isinstance(statement.value, gast.Subscript) and isinstance(statement.value.slice, gast.Name))}
    unread = made - bound - read_names(program.body)
    left = without(program.body, lambda target, value: target in unread)
    return program if left is program.body else replace(program, body=left)


def with_arguments(node: Any, arguments: list, changed: bool) -> gast.AST:
    return gast.copy_location(gast.Call(node.func, arguments, node.keywords), node) if changed else node


def is_changeable(value: Abstract) -> bool:
    """Whether something can be stored in a value: in an object, a list, a dict."""
    return isinstance(value, Items) and not issubclass(value.kind, tuple)


def can_be_placed(version: Version) -> bool:
    """Whether a name may stand for a place: for an array, or something in which something can be stored."""
    return is_changeable(version.value) or is_array(version)


def is_path(node: Any) -> bool:
    """Whether an expression leads from a name to a part of what is under it, by attributes and indices."""
    while isinstance(node, (gast.Attribute, gast.Subscript)) and not isinstance(
            getattr(node, "slice", None), gast.Slice):
        node = node.value
    return isinstance(node, gast.Name)


def may_change_something(loop: Loop) -> bool:
    """Whether the body of a loop stores something, or calls what may."""
    return any(isinstance(part, (Store, Append, Augment, Delete, Evaluate)) or isinstance(part, Assign) and isinstance(
        part.value, gast.Call) for part in statements(loop.body))


def changes(loop: Loop, node: gast.AST) -> bool:
    """Whether the body of a loop puts something into a list, takes it out, or puts it in another place."""
    for part in statements(loop.body):
        whole: Any = None
        if isinstance(part, Append) or isinstance(part, Augment) and not isinstance(part.target, gast.Subscript):
            whole = part.target
        elif isinstance(part, (Store, Augment, Delete)) and isinstance(part.target, gast.Subscript):
            whole = part.target.value
        elif isinstance(part, (Assign, Evaluate)) and part.writes:
            whole = getattr(getattr(part.value, "func", None), "value", None)
        if whole is not None and same(whole, node):
            return True
    return False


def is_target(statement: Any, node: Any) -> bool:
    """Whether a name is what an in-place operator changes."""
    return isinstance(statement, Augment) and statement.target is node and isinstance(node, gast.Name)


def changes_in_place(version: Version) -> bool:
    """Whether an in-place operator changes what a version is, an array, a list or a dict, and not what the name stands
    for, as of numbers, tuples and most objects."""
    return is_array(version) or isinstance(version.value, Items) and version.value.is_changeable
