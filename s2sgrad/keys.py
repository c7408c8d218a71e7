"""What a key of compiled code tells apart: of a function's arguments, and of the inputs that it reads from outside.

Of each only as much as the code that is compiled depends on: it starts with dtypes and shapes, and more is told apart
where that turns out to matter.
"""
from __future__ import annotations

import inspect
import types
from collections.abc import Collection
from typing import Any

import numpy as np

from s2sgrad.compiled import Compiled
from s2sgrad.compiler.again import ClosedObject
from s2sgrad.compiler.attributes import NeedsParts
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.evaluation import NeedsSizes
from s2sgrad.compiler.mode import Mode
from s2sgrad.compiling import COMPILING
from s2sgrad.containers import LISTS, contents, is_instance, is_integer, is_object, leaves
from s2sgrad.derivative import ALL_ON, Options, program_of
from s2sgrad.entries import defaults_of, have_same_items, state_of
from s2sgrad.errors import UnsupportedError
from s2sgrad.signature import Place, Same, feature, feature_of_items, feature_of_parts, has_value, place_of
from s2sgrad.subjects import Subject

PLACE_BOUND = 256
"""So many captured inputs are looked at in each call, before those of objects that came by long ago are forgotten."""
VALUE_BOUND = 2
"""Past so many values of a captured integer the code is the same for all of them, where it can be."""
TEXT_BOUND = 4
"""The same of a text, captured or an argument: what names one of a few modes stays known."""


class Keys:
    """One function, the parameters it is differentiated in, and what its keys tell apart."""

    def __init__(self, subject: Subject, wanted: tuple[str, ...] | None, mode: Mode, options: Options = ALL_ON):
        assert subject.definition is not None
        self.subject = subject
        self.definition = subject.definition
        self.function = subject.function
        self.wanted = wanted
        self.mode = mode
        self.options = options
        self.visible = subject.parameters()
        """The parameters that a call may give; the others the subject gives itself."""
        self.bound = subject.bound()
        self.signature = inspect.Signature(sorted(self.visible.values(), key=lambda item: item.kind))
        with COMPILING:  # ast.parse in two threads at once may fail before Python 3.12
            self.program = program_of(self.definition)
            self.places = captured_places(self.definition)
        outer = self.function.__globals__
        self.direct = [place for place in self.places
                       if place.holder is outer and place.name in outer and is_identity(place)]
        """Modules, classes and functions without code, which the generated function reads itself."""
        self.parameters = list(self.program.parameters)
        self.keyword_only = self.program.keyword_only
        self.place_bound = PLACE_BOUND
        self.by_value: set[str] = set()
        self.by_parts: set[str] = set()
        """The parameters that were differentiated objects, or containers of them."""
        self.noting: dict[int, Any] = {}
        """Objects outside in which functions store something."""
        self.opened: set[str] = set()
        """The parameters that are objects into which something is stored, whether differentiated or not."""
        self.sized: set[tuple] = set()
        """The axes of arrays in arguments, as parameter, place in it and axis, whose sizes the code must know."""
        self.counted: set[str] = set()
        """The parameters of whose lists it must know the items one by one."""
        self.counted_outside = False
        """Whether it must know those of the lists that it reads from outside."""
        self.noted: dict[Place | str, set] = {}
        """The values that captured integers had, and texts, for which code was compiled."""
        self.varying: set[Place | str] = set()
        """The captured integers, the captured texts and the parameters that are texts whose values the code does not
        know: they were ever others."""
        self.fixed: set[Place | str] = set()
        """Those whose values it must know."""
        self.changing: dict[Place, str] = {}
        """The captured inputs that calls change while the function runs, each with what kind of thing it is: no key
        holds them."""
        self.again = False
        """Whether what was compiled last differentiates gradients or tangents again."""
        self.missed: set[str] = set()
        """What would have made a difference in what was tried last (``Evaluation.missed``)."""
        self.by_size = False
        """Whether shapes are told apart however many there were, for what is compiled of ranks alone is refused."""
        self.apart = False
        """Whether of lists of objects each item is known for itself, and not only the form that all have."""
        self.compiled_in: dict[str, int] = {}
        """The parameters whose values are objects that the code knows, and for how many it was compiled."""
        self.closed: set[str] = set()
        """Those that could not be looked into instead."""
        self.patterns: dict[Any, Compiled] = {}
        self.cache: dict[Any, Compiled] = {}
        self.code = self.function.__code__
        """The code that the cache belongs to; its hash in a key would take longer than all the rest."""
        self.given_defaults = defaults_of(self.function)
        """What a call of the generated function puts in the place of what is not given."""
        self.read: dict[Any, tuple] = {self.function: state_of(self.function)}
        """The user's functions whose text was looked into, with the code and the defaults that they had then."""
        self.lacking: dict[Any, tuple] = {}
        """The user's classes in which something was looked for that they have not, and the functions that choose by
        class, with the names and the classes that they had."""
        self.objects: dict[str, Any] = {}
        """The globals of the generated functions."""
        self.roles: dict[str, str] = {}
        """The names there of what changes: the code, what reads captured inputs, what reads each parameter."""

    def give(self, role: str, value: Any) -> None:
        """Give the generated functions something else for what has a role in them."""
        self.objects[self.roles[role]] = value

    def tell_apart(self, name: str, by_value: bool = False, by_parts: bool = False, counted: bool = False) -> None:
        """Let the key tell more values of a parameter apart than it does."""
        if name in self.varying:
            self.give(f"feature of {name}", feature_of_kind)
            return
        by_value = by_value or name in self.by_value
        by_parts = by_parts or name in self.by_parts
        of_parts = feature_of_items if counted or name in self.counted or by_parts and self.apart else \
            feature_of_parts if by_parts else feature
        if by_value and of_parts is not feature:
            self.give(f"feature of {name}", lambda value: (feature_by_value(value), of_parts(value)))
        else:
            self.give(f"feature of {name}", feature_by_value if by_value else of_parts)

    def own_places(self) -> list[Place]:
        """The captured inputs of the function itself that a key holds."""
        return [place for place in captured_places(self.definition) if place not in self.changing]

    def forget_places(self, kept: list[Place]) -> None:
        """Look at no other captured inputs from here on, until others are met."""
        self.places = kept
        self.patterns.clear()  # in them they are counted
        self.cache.clear()

    def note_values(self, arguments: dict[str, Any]) -> None:
        """Count the values of captured integers, such as the index of a loop in which a gradient is taken, and those of
        texts: code for each of them would be compiled in every turn."""
        for place in self.places:
            self.note_value(place, place.read())
        for name, value in arguments.items():
            if type(value) is str and name not in self.by_value:
                self.note_value(name, value)

    def note_value(self, where: Place | str, value: Any) -> None:
        """Note the value that an input has now, if it is one of those that are counted."""
        if where in self.varying or where in self.fixed or not (is_integer(value) or type(value) is str):
            return
        seen = self.noted.setdefault(where, set())
        seen.add(value if type(value) is str else int(value))
        if len(seen) > (TEXT_BOUND if type(value) is str else VALUE_BOUND):
            self.varying.add(where)
            if isinstance(where, str):
                self.tell_apart(where)

    def fix(self, places: Collection[Place | str]) -> None:
        """From here on, compile code for each value of captured integers and texts, whether they vary or not."""
        self.fixed.update(places)
        self.varying -= self.fixed
        for name in self.parameters:
            if name in self.fixed:
                self.tell_apart(name)

    def renew(self) -> None:
        """Forget all that was compiled: the code or the defaults of the function, or of one that it calls, have been
        replaced, or a class has got other names (``names_in``)."""
        program = program_of(self.definition)
        if list(program.parameters) != self.parameters or not have_same_items(
                defaults_of(self.function), self.given_defaults):  # refused whenever it is called: nothing is forgotten
            raise UnsupportedError(f"{self.subject.name} has got other parameters or defaults since it was given to be "
                                   "differentiated", "call s2sgrad.grad, or what it was, again", program.location)
        self.cache.clear()
        self.patterns.clear()
        self.read.clear()
        self.lacking.clear()
        self.program = program
        self.places = self.own_places()
        self.code = self.function.__code__
        self.give("code", self.code)

    def look_into(self, names: set[str], apart: bool) -> None:
        """Know the objects that parameters are or hold by their attributes; ``apart``: each in a list for itself."""
        self.apart = apart
        self.by_parts |= names
        self.opened |= names
        for name in self.by_parts:
            self.tell_apart(name)
        self.places = self.own_places()  # what was found in them is none of these any more

    def close(self, names: set[str], apart: bool) -> None:
        """Take back that these parameters are known by their attributes."""
        self.by_parts -= names
        self.opened -= names
        self.look_into(set(), apart)
        for name in names:
            self.tell_apart(name)

    def open(self, need: NeedsParts, arguments: dict[str, Any]) -> None:
        """Look into an object that an argument is, because the function stores something in it. Others are outside."""
        found = [name for name, value in arguments.items() if name == need.origin or value is need.value]
        if not found and is_instance(need.value) and id(need.value) not in self.noting:
            self.noting[id(need.value)] = need.value
            return
        if not found or any(name in self.opened or contents(arguments[name]) is None for name in found):
            raise ClosedObject("this writes into an object whose attributes are not known",
                               "give the object to the function as an argument", need.location) from None
        self.by_value.difference_update(found)  # the attributes tell what the value did; if not, it is asked for again
        self.look_into(set(found), self.apart)

    def count(self, need: NeedsSizes, sizes: dict[int, str], arguments: dict[str, Any]) -> None:
        """Let the code know the sizes of arguments, and how many items their lists have, where it must; ``sizes`` are
        the letters that it was compiled with. Raises its refusal where that is known already."""
        asked = {size for size, letter in sizes.items() if letter in need.letters}
        places = {size: place for place, size in sizes_of(arguments) if size in asked}
        lists = {name for name, value in arguments.items() if need.lists and holds_list(value)} - self.counted
        outside = need.lists and not self.counted_outside and any(is_list(place.read()) for place in self.places)
        self.counted_outside |= outside
        if not (places or lists or outside):  # it may be the size of what was computed from any of them
            places = {size: place for place, size in sizes_of(arguments) if size in sizes}
        if not (places or lists or outside):
            raise need.refusal
        for name in lists:
            self.tell_apart(name, counted=True)
            self.counted.add(name)
        self.sized.update(places.values())


def outside(place: Place) -> str:
    """What tells a captured integer whose value is not known from a parameter of the same name."""
    return f"{place.name} outside"


def captured_places(definition: Definition) -> list[Place]:
    """Where the function's own free names are found; those of the functions that it calls are met later."""
    return list(filter(has_value, (place_of(definition.function, name) for name in program_of(definition).free)))


def sizes_of(arguments: dict[str, Any]) -> list[tuple[tuple, int]]:
    """The sizes of all axes of the arrays in arguments, each with its parameter, place in that and axis."""
    return [((name, path, axis), size) for name, value in arguments.items() for path, leaf in leaves(value)
            if isinstance(leaf, np.ndarray) for axis, size in enumerate(leaf.shape)]


def holds_list(value: Any) -> bool:
    """Whether there is a list in a value."""
    held = contents(value)
    return held is not None and (issubclass(held.kind, LISTS) or any(map(holds_list, held.parts)))


def is_list(value: Any) -> bool:
    """Whether a value is a list, or a container with one."""
    return not is_object(value) and holds_list(value)


def is_identity(place: Place) -> bool:
    """Whether a captured input is a module, a class or a function without code, and equals nothing but itself."""
    return isinstance(place.read(), (types.ModuleType, types.BuiltinFunctionType, type, np.ufunc))


def feature_of_kind(value: Any) -> Any:
    """Part of the key for an input of which the code does not know the value."""
    return str if type(value) is str else feature(value)


def feature_by_value(value: Any) -> Any:
    """Part of the key for a captured input, or for a parameter whose value some rule needs to know."""
    if type(value) is tuple:
        return (tuple, *map(feature_by_value, value))
    if is_object(value) or is_instance(value) and contents(value) is None:
        return Same(value)
    return (type(value), int(value)) if isinstance(value, (int, np.integer)) else feature(value)
