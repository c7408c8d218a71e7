"""What the functions of one compilation read from outside of them, and whether that stays as it is while they run.

What changes meanwhile, because a function binds it or a call that stays as it is changes it, is no input: it is read
whenever the text reads it, and what adjoints need of it is saved then.
"""
from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any

from s2sgrad.compiler.evaluation import CHANGING
from s2sgrad.compiler.facts import Facts
from s2sgrad.compiler.objects import unnamed, unnamed_in
from s2sgrad.compiler.outer_changes import (
    ANY,
    conflict,
    inside_of,
    kept_in,
    kind_of_thing,
    may_reach,
    read_in,
    readers,
)
from s2sgrad.compiler.program import Program
from s2sgrad.compiler.sharing import keeps_passing
from s2sgrad.containers import is_instance
from s2sgrad.entries import REPLACED
from s2sgrad.errors import Location, UnsupportedError
from s2sgrad.rules.abstract import Abstract, Opaque, known_value
from s2sgrad.signature import Place, attribute_of, place_of


class Changing(Exception):
    """What is found in places outside is changed while it is read: start again, and read it anew each time.

    Attributes
    ----------
    places
        These, each with what kind of thing is there.
    refusal
        What there is to say where that doesn't help.
    """

    def __init__(self, places: dict[Place, str], refusal: UnsupportedError):
        super().__init__(str(refusal))
        self.places = places
        self.refusal = refusal


class Outside:
    """
    Attributes
    ----------
    captured
        What is known of the captured inputs, by place.
    changing
        The places that are read whenever the text reads them, each with what kind of thing is there.
    methods
        Those of objects among the arguments that change what is outside.
    """

    def __init__(self, captured: Mapping[Place, Abstract], changing: Mapping[Place, str],
                 methods: frozenset[types.FunctionType] = frozenset()):
        self.captured = captured
        self.changing = changing
        self.methods = methods
        self.readers: dict[Place, set[types.FunctionType]] = {}
        """The functions that read each place."""
        self.read_back: dict[Place, dict[types.FunctionType | None, Location]] = {}
        """The variables that functions change and read, each with these and where they read it."""
        self.bound: dict[Place, Location] = {}
        """The variables that functions bind, each with the place of one that does."""
        self.noting: frozenset[int] = frozenset()
        """The objects outside, by identity, that are known to be no arguments."""
        self.noted: dict[Place, Location] = {}
        """The places in which functions note something."""
        self.noted_inside: set[Place] = set()
        """Those of them in whose items or attributes they do."""
        self.given: frozenset[Place] = frozenset()
        """The places that the function has as an argument instead."""
        self.computed: dict[Place, list[Any]] = {}
        """Those of the places read that functions of the user's compute, each with these."""
        self.defaults: dict[tuple[Any, int], Any] = {}
        """The defaults that may change, of calls that leave them to a function; by function and identity."""

    def note_bound(self, program: Program) -> None:
        assert program.owner is not None
        self.bound.update((place_of(program.owner, name), program.location) for name in program.bound)

    def outer(self, function: types.FunctionType) -> Callable[..., Abstract]:
        def value(name: Any, holder: Any = None, getters: list | None = None, changing: bool = False) -> Abstract:
            place = place_of(function, name) if holder is None else Place(holder, name)
            if place in self.given:
                raise UnsupportedError(f"this function binds or changes {name}, which is read elsewhere in the same "
                                       "call", remedy(place))
            if changing:
                return CHANGING[kind_of_thing(place)]
            self.readers.setdefault(place, set()).add(function)
            if getters is not None:
                self.computed.setdefault(place, getters)
            if place in self.changing:
                return CHANGING[self.changing[place]]
            if getters is not None:
                return Opaque()
            if place not in self.captured:
                try:
                    place.read()
                except (NameError, AttributeError):
                    return Opaque()
            return self.captured[place]
        return value

    def check(self, functions: list[tuple[Program, Facts, bool]], location: Location) -> None:
        """Raises Changing where what some function reads from outside is changed in the same call, by another or by a
        call that stays as it is: adjoints would read what it is in the end. Raises UnsupportedError where something of
        differentiated values may be put there, or it gets another name. With each function comes whether it is
        differentiated; others stay as they are."""
        changes = {place: (location, f"this function binds or changes {shown(place)}", False)
                   for place, location in self.bound.items()}
        unasked = called_unasked(functions) if any(facts.kept for _, facts, _ in functions) else set()
        for program, facts, _ in functions:
            for label, at in facts.read_back.items():
                self.read_back.setdefault(place_of(program.owner, label), {})[program.owner] = at
        for place, at in telling_places([facts for _, facts, differentiated in functions if differentiated]).items():
            self.check_told(place, at)
        for program, facts, _ in functions:
            self.check_kept(facts, unasked)
            self.noted_inside |= facts.noted_inside
            for place, (at, _) in facts.noted.items():
                self.noted[place] = at
                changes[place] = at, f"this function binds or changes {shown(place)}", True
            for function, at in facts.disturbing.values():
                changes.update((place, (at, f"this call changes {shown(place)}", inside))
                               for place, (_, inside) in kept_in(function).items())
            kept = keeps_passing(program, facts)
            if kept is not None:
                raise UnsupportedError("this gives another name to what changes outside of the function",
                                       "make a copy", kept)
        owners: dict[int, set] = {}
        for (function, key), default in self.defaults.items():
            for place in kept_in(function):
                if isinstance(place.holder, tuple) and place.read() is default:
                    owners.setdefault(key, set()).add(function)
                    changes[place] = location, f"{function.__name__} changes a default", True
        for place, (at, reason, _) in changes.items():
            if isinstance(place.holder, types.FunctionType) and place.name in REPLACED:
                raise UnsupportedError(f"this changes what {place.holder.__name__} computes when it is called",
                                       "give it what changes as an argument, or call another function", at)
            if any(conflict(place, inside_of(place), given, False) for given in self.given):
                raise UnsupportedError(f"{reason}, which is read elsewhere in the same call", remedy(place), at)
        used = [function for place in self.readers if place in self.captured for function in unnamed(place.read())]
        made = [function for place in self.readers if isinstance(
            kind := known_value(self.captured.get(place, Opaque())), type) for function in unnamed_in(kind)
            if function.__name__ != "__init_subclass__" and may_reach(function)]  # no class is derived from it here
        for place, (function, inside) in kept_in(*used, *made, *self.methods).items():
            if place not in changes or inside and not changes[place][2]:
                label = getattr(function, "__qualname__", type(function).__name__)
                changes[place] = location, f"this function uses an object whose {label} changes {shown(place)}", inside
        found: dict[Place, str] = {}
        for place, (at, reason, inside) in changes.items():
            own = owners.get(id(place.read()), set()) if isinstance(place.holder, tuple) else set()
            self.check_defaults(place, own, reason, at)
            inside = inside and bool(inside_of(place))
            for read in self.met_by(place):
                kind = kind_of_thing(None if read in self.computed else read) if inside else "number"
                known = found.get(read, self.changing.get(read, kind))
                if read not in self.changing or kind not in (known, "number"):
                    found[read] = kind if known in (kind, "number") else "memory"
                    refusal = UnsupportedError(f"{reason}, which is read elsewhere in the same call", remedy(place), at)
        if not self.changing.items() >= found.items():
            raise Changing(found, refusal)

    def check_defaults(self, changed: Place, owners: set, reason: str, location: Location) -> None:
        """Raises UnsupportedError where a function finds in a default what is changed otherwise than by itself;
        ``owners``: those that change the default of their own."""
        inside = inside_of(changed) if self.defaults else []
        for (function, _), default in self.defaults.items():
            if function not in owners and conflict(changed, inside, Place((default,), 0), False):
                raise UnsupportedError(f"{reason}, which is a default of {function.__name__}, too", "give it to "
                                       f"{function.__name__} as an argument, or let that read it by its name", location)

    def check_kept(self, facts: Facts, unasked: set) -> None:
        """Raises UnsupportedError where what a call that stays as it is puts outside is read by more than that call;
        ``unasked``: the functions that are called elsewhere, too (:func:`called_unasked`)."""
        for function, location in {id(function): (function, at) for function, at in facts.kept}.values():
            for place, (keeper, _) in kept_in(function).items():
                is_default = isinstance(place.holder, tuple)
                if keeper in unasked and is_default or self.is_read_back(place, {keeper} - unasked) or any(
                        self.readers[read] != {keeper} or keeper in unasked for read in self.met_by(place)):
                    into = f"a default of {keeper.__name__}" if is_default else shown(place)
                    raise UnsupportedError(f"this call may put a differentiated value into {into}, which is read "
                                           "elsewhere", remedy(place), location)

    def check_told(self, place: Place, location: Location) -> None:
        for read, reading in self.read_back.items():
            for at in reading.values() if place == read or is_held_by(place, read) else ():
                raise UnsupportedError(f"{shown(read)} is an outer variable that this function changes by what is "
                                       "differentiated, and is read here", "pass it as an argument", at)
        if self.met_by(place):
            raise UnsupportedError(f"this function binds or changes {shown(place)}, which is read elsewhere in the "
                                   "same call", remedy(place), location)

    def is_read_back(self, changed: Place, apart: set) -> bool:
        """Whether another function than those ``apart`` changes, and reads, what is in a place, or what that is in."""
        inside = inside_of(changed)
        return any(reading.keys() - apart and (conflict(changed, inside, place, False) or is_held_by(
            changed, place)) for place, reading in self.read_back.items())

    def met_by(self, changed: Place) -> list[Place]:
        """The places read from which may give something else once one is changed."""
        inside = inside_of(changed)
        return [place for place in self.readers if (
            any(conflict(changed, inside, other, False) for other in read_in(*self.computed[place]))
            if place in self.computed else
            conflict(changed, inside, place, is_instance(known_value(self.captured.get(place, Opaque())))))]


def is_held_by(changed: Place, read: Place) -> bool:
    """Whether a place is an attribute of the class, function or module that a variable stands for."""
    try:
        held = read.read()
    except (NameError, AttributeError):
        return False
    return attribute_of(held, changed.name) == changed


def telling_places(several: list[Facts]) -> dict[Place, Location]:
    """The outer variables into which functions put something that tells of differentiated values, be it by way of
    others, each with the place of a line that does it."""
    found = {place: at for facts in several for place, (at, told) in facts.noted.items() if told}
    while True:
        more = {place: at for facts in several for place, (at, read) in facts.noted_of.items()
                if place not in found and not found.keys().isdisjoint(read)}
        if not more:
            return found
        found.update(more)


def called_unasked(functions: list[tuple[Program, Facts, bool]]) -> set:
    """The functions that are called with nothing differentiated, be it by way of others, and are not differentiated
    themselves, or stay as they are there: what they give may get into what is differentiated."""
    differentiated = {program.owner for program, _, is_differentiated in functions if is_differentiated}
    found: set = set()
    pending = [facts for _, facts, is_differentiated in functions if is_differentiated]
    for facts in pending:
        told = {at for _, at in facts.kept}
        for called in facts.callees.values():
            owner = called.derivative.program.owner
            if called.location not in told and owner not in found and called.derivative.is_known:
                found.add(owner)
                pending.append(called.derivative.facts)
    untold = [function for facts in pending for (_, told), (function, _) in facts.disturbing.items() if not told]
    return found - differentiated | {reader.function for reader in readers(*untold)}


def shown(changed: Place) -> str:
    """What messages call a place outside."""
    named = isinstance(changed.holder, (type, types.FunctionType))
    return str(changed.name) if changed.name is not ANY else \
        f"what {changed.holder.__name__ if named else 'the module'} holds"


def remedy(changed: Place) -> str:
    """What to do about a place outside that changes in a call."""
    if is_instance(changed.holder):
        kind = type(changed.holder).__name__
        return f"make the {kind} an argument of what is differentiated, grad({kind}.loss, 1)(model, x) say, in place " \
            "of grad(model.loss)(x)"
    return "pass it as an argument and return it"
