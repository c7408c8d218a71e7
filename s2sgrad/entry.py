"""From a call to compiled code: signatures looked up, primal and adjoint run.

An :class:`Entry` is one function with a choice of differentiated parameters. It generates one small function, with the
user's own parameters, that computes the key, finds the compiled primal and runs it: all that a cached call costs
besides the arithmetic.
"""
from __future__ import annotations

import contextlib
import inspect
import types
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad.compiler.again import at_the_users
from s2sgrad.compiler.attributes import NeedsParts
from s2sgrad.compiler.captures import NotSaved
from s2sgrad.compiler.closed import Outlives, holds_made_functions
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.emit import compile_text, define
from s2sgrad.compiler.evaluation import NeedsSizes
from s2sgrad.compiler.flows import SharesMemory
from s2sgrad.compiler.locate import stores_attributes
from s2sgrad.compiler.mode import Mode
from s2sgrad.compiler.origins import explain
from s2sgrad.compiler.outer_changes import changing_methods
from s2sgrad.compiler.outside import Changing
from s2sgrad.compiler.program import Names
from s2sgrad.compiling import COMPILING
from s2sgrad.containers import (
    contents,
    floats_in,
    hides_floats,
    holds_floats,
    holds_objects,
    in_library,
    is_complex,
    is_instance,
    is_object,
    leaves,
)
from s2sgrad.derivative import (
    ALL_ON,
    Captured,
    Derivative,
    Endless,
    NeedsInput,
    NewPlace,
    Options,
    PathTable,
    Session,
    must_be_known,
    program_of,
    read,
)
from s2sgrad.dividing import divided
from s2sgrad.entries import entries_of, have_same_items
from s2sgrad.errors import ArgumentTypeError, UnsupportedError
from s2sgrad.memory import guarded
from s2sgrad.rules.abstract import Abstract, activated
from s2sgrad.runtime import check_result, zero_tangent
from s2sgrad.signature import (
    Letters,
    Place,
    Same,
    feature,
    feature_of_items,
    feature_of_parts,
    holds_alike,
    place_of,
    written_header,
)
from s2sgrad.subjects import Subject, described, subject_of, wanted_parameters

KEY_BOUND = 4096
"""So many exact signatures are remembered; the patterns behind them are far fewer."""
PLACE_BOUND = 256
"""So many captured inputs are looked at in each call, before those of objects that came by long ago are forgotten."""
VALUE_BOUND = 2
"""Past so many values of a captured integer the code is the same for all of them, where it can be."""
PATTERN_BOUND = 8
"""Past so many shape patterns only ranks are told apart, where the code need not know more."""


class Record:
    """One branch path of one compiled function: its adjoint, and how often it was taken."""

    __slots__ = ("adjoint", "calls", "path")

    def __init__(self, adjoint: Callable, path: int):
        self.adjoint = adjoint
        self.calls = 0
        self.path = path


class Compiled:
    """A derivative, ready to run for one pattern of arguments."""

    __slots__ = ("derivative", "primal", "table", "records", "single", "sweeps")

    def __init__(self, derivative: Derivative, primal: Callable, table: PathTable, single: bool):
        self.derivative = derivative
        self.primal = primal
        self.table = table
        self.records = Records(table)
        self.single = single
        self.sweeps: list[Any] = []
        """What runs many tangents or cotangents at once, when it has been asked for; None where nothing does."""

    def adjoint_of_one(self, path: int) -> Callable | None:
        """Of a pullback the adjoint of a path for the cotangent 1, which it does not take: ``adjoint(saved)``; None
        where the result is not sure to be a number, or the adjoint would read more than is saved."""
        if not self.single:
            return None
        with COMPILING:
            try:
                return self.derivative.table(self.table.wanted, self.table.seeds, True)[path]
            except NotSaved:
                return None


class Records(dict):
    """By path id, the records of the paths that were met."""

    __slots__ = ("table",)

    def __init__(self, table: PathTable):
        super().__init__()
        self.table = table

    def __missing__(self, path: int) -> Record:
        with COMPILING:
            if path not in self:
                self.table.bound(self)
                self[path] = Record(self.table[path], path)
            return self[path]


class Entry:
    """One function, the parameters it is differentiated in, and its compiled code by signature."""

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
        self.opened: set[str] = set()
        """The parameters that are objects into which something is stored, whether differentiated or not."""
        self.sized: set[tuple] = set()
        """The axes of arrays in arguments, as parameter, place in it and axis, whose sizes the code must know."""
        self.counted: set[str] = set()
        """The parameters of whose lists it must know the items one by one."""
        self.integers: dict[Place, set[int]] = {}
        """The values that captured integers had, for which code was compiled."""
        self.varying: set[Place] = set()
        """The captured integers whose values the code does not know: they were ever others."""
        self.fixed: set[Place] = set()
        """Those whose values it must know."""
        self.changing: dict[Place, str] = {}
        """The captured inputs that calls change while the function runs, each with what kind of thing it is: no key
        holds them."""
        self.again = False
        """Whether what was compiled last differentiates gradients or tangents again."""
        self.by_size = False
        """Whether shapes are told apart however many there were, for what is compiled of ranks alone is refused."""
        self.apart = False
        """Whether of lists of objects each item is known for itself, and not only the form that all have."""
        self.patterns: dict[Any, Compiled] = {}
        self.cache: dict[Any, Compiled] = {}
        self.code = self.function.__code__
        """The code that the cache belongs to; its hash in a key would take longer than all the rest."""
        self.given_defaults = defaults_of(self.function)
        """What a call of the generated function puts in the place of what is not given."""
        self.read: dict[Any, tuple] = {self.function: state_of(self.function)}
        """The user's functions whose text was looked into, with the code and the defaults that they had then."""
        self.objects: dict[str, Any] = {}
        """The globals of the generated functions."""
        self.roles: dict[str, str] = {}
        """The names there of what changes: the code, what reads captured inputs, what reads each parameter."""
        entries_of(self.function).met.add(self)
        with COMPILING:
            self.call = self.generate()

    def give(self, role: str, value: Any) -> None:
        """Give the generated functions something else for what has a role in them."""
        self.objects[self.roles[role]] = value

    # ---- the generated fast path

    def generate(self) -> types.FunctionType:
        """The function that a call runs: key, primal, path, adjoint."""
        names = Names(set(self.parameters) | set(self.signature.parameters))
        local = {role: names.fresh(role) for role in (
            "find", "ndarray", "captured", "outer", "specialise", "compiled", "value", "path", "saved", "record",
            "check", "explain", "divided", "error", "run", "type", "float", "function", "code")}
        objects = self.objects = {
            local["find"]: self.cache.get, local["ndarray"]: np.ndarray, local["captured"]: None,
            local["outer"]: self.function.__globals__, local["specialise"]: self.specialise,
            local["check"]: self.check_result, local["explain"]: explain, local["type"]: type, local["float"]: float,
            local["divided"]: divided, local["function"]: self.function, local["code"]: self.code,
            "__builtins__": {"TypeError": TypeError, "AttributeError": AttributeError, "KeyError": KeyError,
                             "ZeroDivisionError": ZeroDivisionError, "Exception": Exception}}
        self.roles = {"captured": local["captured"], "code": local["code"]}
        features = []
        given = {name: item.name for name, item in self.visible.items()}
        for name, value in self.bound.items():
            given[name] = names.fresh(name) if name in self.signature.parameters else name
            objects[given[name]] = value
        for name, parameter in ((name, given[name]) for name in self.parameters):
            reader = names.fresh(f"feature_of_{parameter}")
            objects[reader] = feature
            self.roles[f"feature of {name}"] = reader
            kind = f"{local['type']}({parameter})"
            features.append(f"({parameter}.shape, {parameter}.dtype) if {kind} is {local['ndarray']} else "
                            f"{local['float']} if {kind} is {local['float']} else {reader}({parameter})")
        outside = [*(f"{local['outer']}[{place.name!r}]" for place in self.direct),
                   f"{local['captured']} and {local['captured']}()"]
        key = f"({', '.join([*features, *outside])})"
        if self.parameters:  # most often all are arrays, and a flat tuple takes less time to look up
            kinds = " is ".join([*(f"{local['type']}({given[name]})" for name in self.parameters), local["ndarray"]])
            parts = [f"{given[name]}.{part}" for name in self.parameters for part in ("shape", "dtype")]
            key = f"({', '.join([*parts, *outside])}) if {kinds} else {key}"
        header = written_header(self.signature.parameters.values())
        passed = ", ".join(f"{name}={given[name]}" if name in self.keyword_only else given[name]
                           for name in self.parameters)
        values = "".join(f"{given[name]}, " for name in self.parameters)
        lines = [
            f"def {local['run']}({header}):",
            "    try:",
            f"        {local['compiled']} = {local['find']}({key}) if {local['function']}.__code__ is {local['code']}"
            " else None",
            "    except (TypeError, AttributeError, KeyError):",
            f"        {local['compiled']} = None",
            f"    if {local['compiled']} is None:",
            f"        {local['compiled']} = {local['specialise']}(({values}))",
        ]
        if self.mode.seeds == "none":
            lines.append(f"    return {local['compiled']}")
        else:
            lines += [
                "    try:",
                f"        {local['value']}, {local['path']}, {local['saved']} = {local['compiled']}.primal({passed})",
                f"    except Exception as {local['error']}:",
                f"        {local['explain']}({local['error']}, 'running')",
                "        raise",
            ]
        if self.mode.seeds == "given":
            lines.append(f"    return {local['value']}, {local['path']}, {local['saved']}, {local['compiled']}")
        elif self.mode.seeds != "none":
            first = f"{local['record']}.adjoint({local['saved']})"
            again = f"{local['divided']}({local['error']}, {local['compiled']}.derivative, " \
                    f"{local['record']}.adjoint, {local['saved']})"
            lines += [
                f"    if not {local['compiled']}.single:",
                f"        {local['check']}({local['value']})",
                f"    {local['record']} = {local['compiled']}.records[{local['path']}]",
                f"    {local['record']}.calls += 1",
                "    try:",
            ]
            before = f"{local['value']}, " * self.mode.value
            behind = "[0]" * self.mode.bare
            if self.mode.seeds == "first" and not self.mode.value:
                behind += f", {local['value']}[1]"
            lines += [
                f"        return {before}{first}{behind}",
                f"    except ZeroDivisionError as {local['error']}:",
                f"        return {before}{again}{behind}",
                f"    except Exception as {local['error']}:",
                f"        {local['explain']}({local['error']})",
                "        raise",
            ]
        made = define("\n".join([*lines, ""]), local["run"], objects)
        made.__defaults__, made.__kwdefaults__ = self.defaults()
        made.__name__ = self.subject.name
        made.__qualname__ = getattr(self.subject.given.value, "__qualname__", self.subject.name)
        made.__code__ = made.__code__.replace(co_name=self.subject.name)  # in messages about wrong arguments
        return made

    def key(self, values: tuple) -> tuple:
        """The key that the generated function makes of these values of all parameters."""
        captured = self.objects[self.roles["captured"]]
        outside = (*(place.holder[place.name] for place in self.direct), captured and captured())
        if values and all(type(value) is np.ndarray for value in values):
            return (*(part for value in values for part in (value.shape, value.dtype)), *outside)
        features = [(value.shape, value.dtype) if type(value) is np.ndarray else float if type(value) is float else
                    self.objects[self.roles[f"feature of {name}"]](value)
                    for name, value in zip(self.parameters, values)]
        return (*features, *outside)

    def changes(self) -> Callable[[], bool] | None:
        """What tells whether captured inputs have become something else that other code is compiled for; None where
        there are none."""
        captured = self.objects[self.roles["captured"]]
        if captured is None and not self.direct:
            return None

        def outside() -> tuple:
            return *(place.holder[place.name] for place in self.direct), captured and captured()

        before = outside()

        def changed() -> bool:
            try:
                return outside() != before
            except (TypeError, AttributeError, KeyError, NameError):
                return True

        return changed

    def defaults(self) -> tuple[tuple, dict[str, Any]]:
        """The defaults of the parameters that a call may give, as a function holds them."""
        given = [item for item in self.signature.parameters.values() if item.default is not item.empty]
        return (tuple(item.default for item in given if item.kind is not item.KEYWORD_ONLY),
                {item.name: item.default for item in given if item.kind is item.KEYWORD_ONLY})

    def read_captured(self) -> Callable[[], tuple] | None:
        """A function that gives the part of the key of those captured inputs that the call does not read itself.

        What each input is now decides how it is read: modules and functions by identity, integers by value (they are
        compiled in, but for those that vary), arrays by shape and dtype. If it has become something else, the read
        fails or the key is new: either way the call is specialised anew. So it is where a function has other code or
        defaults than it had, which tools that reload modules replace.
        """
        parts = []
        cells = {"feature": types.CellType(feature_by_value), "feature_of_parts": types.CellType(feature_of_parts),
                 "feature_of_kind": types.CellType(feature)}
        for index, place in enumerate(self.places):
            if place in self.direct:
                continue
            own = place.holder is self.function.__globals__ and place.name not in cells
            reader = place.name if own else f"captured_{index}.read()"
            if not own:
                cells[f"captured_{index}"] = types.CellType(place)
            value = place.read()
            if feature(value) is value:
                parts.append(reader)
            elif type(value) is np.ndarray:
                parts.append(f"{reader}.shape, {reader}.dtype")
            elif not is_object(value) and holds_objects(value):
                parts.append(f"feature_of_parts({reader})")
            elif place in self.varying:
                parts.append(f"feature_of_kind({reader})")
            else:
                parts.append(f"feature({reader})")
        same = []
        for index, (function, state) in enumerate(self.read.items()):
            for label, value in zip(REPLACED, state):
                if function is self.function and (label == "__code__" or value is None):
                    continue  # the call looks at that itself
                cells.update({f"function_{index}": types.CellType(function), f"{label}{index}": types.CellType(value)})
                same.append(f"function_{index}.{label} is {label}{index}")
        if not parts and not same:
            return None
        text = f"def captured():\n    return ({''.join(part + ', ' for part in parts)})"
        text += f" if {' and '.join(same)} else False\n" if same else "\n"
        return compile_text(text, "captured", self.function.__globals__, cells)

    # ---- specialisation

    def compiled_for(self, args: tuple, kwargs: dict) -> Compiled:
        """What a call with these arguments runs."""
        return self.specialise(self.values(args, kwargs))

    def values(self, args: tuple, kwargs: dict) -> tuple:
        """What all parameters get in a call with these arguments."""
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return tuple(self.bound[name] if name in self.bound else bound.arguments[self.visible[name].name]
                     for name in self.parameters)

    def run(self, compiled: Compiled, args: tuple, kwargs: dict) -> tuple:
        """The value, the path id and the saved tuple of a call with these arguments, which must be copies."""
        arguments = dict(zip(self.parameters, self.values(args, kwargs)))
        named = {name: arguments.pop(name) for name in self.parameters if name in self.keyword_only}
        result: tuple = compiled.derivative.primal(*arguments.values(), **named)
        return result

    def run_tangent(self, compiled: Compiled, args: tuple, tangents: dict[str, Any]) -> tuple:
        """The value and the tangent of a call with these arguments, and tangents for parameters."""
        arguments = dict(zip(self.parameters, self.values(args, {})))
        header = compiled.derivative.tangent_header
        assert header is not None
        dots = {dot: tangents[name] if name in tangents else zero_tangent(arguments[name])
                for name, dot in header.parameters.items()}
        named = {name: arguments.pop(name) for name in self.parameters if name in self.keyword_only}
        try:
            if header.by_keyword:
                result: tuple = compiled.primal(*arguments.values(), **named, **dots)
            else:
                result = compiled.primal(*arguments.values(), *dots.values())
        except Exception as error:
            explain(error, "running")
            raise
        return result

    def fitting(self, args: tuple, kwargs: dict) -> Entry:
        return self

    def specialise(self, values: tuple) -> Compiled:
        """Compile for these arguments, or find what was compiled for the same pattern."""
        with COMPILING:
            arguments = dict(zip(self.parameters, values))
            for name in self.visible if self.wanted is None else self.wanted:
                if name not in self.by_parts and holds_objects(arguments[name]):
                    self.tell_apart(name, by_parts=True)
                    self.by_parts.add(name)
            wanted = self.differentiated(arguments)
            crowded = len(self.places) > self.place_bound
            if crowded:
                self.places = self.own_places()
                self.patterns.clear()
                self.cache.clear()
            if self.function.__code__ is not self.code or any(
                    now is not before for function, states in self.read.items()
                    for now, before in zip(state_of(function), states)):
                self.renew()
            self.note_integers()
            try:
                compiled = self.matched(arguments, wanted)
            except UnsupportedError:
                if not self.varying:
                    raise
                self.fix(self.varying)
                compiled = self.matched(arguments, wanted)
            if crowded:
                self.place_bound = max(PLACE_BOUND, 2 * len(self.places))
            self.give("captured", self.read_captured())
            if len(self.cache) > KEY_BOUND:
                self.cache.clear()
            if all(map(is_identity, self.direct)):  # else the key would not tell 1 from 1.0
                self.cache[self.key(values)] = compiled
            return compiled

    def own_places(self) -> list[Place]:
        """The captured inputs of the function itself that a key holds."""
        return [place for place in captured_places(self.definition) if place not in self.changing]

    def note_integers(self) -> None:
        """Count the values of captured integers, such as the index of a loop in which a gradient is taken: code for
        each of them would be compiled in every turn."""
        for place in self.places:
            if place not in self.varying and place not in self.fixed and self.note_integer(place) > VALUE_BOUND:
                self.varying.add(place)

    def note_integer(self, place: Place) -> int:
        """Note the value of a captured integer; how many it has had. None of anything else."""
        value = place.read()
        if not is_integer(value):
            return 0
        seen = self.integers.setdefault(place, set())
        seen.add(int(value))
        return len(seen)

    def fix(self, places: Collection[Place]) -> None:
        """From here on, compile code for each value of captured integers, whether they vary or not."""
        self.fixed.update(places)
        self.varying -= self.fixed

    def renew(self) -> None:
        """Forget all that was compiled: the code or the defaults of the function, or of one that it calls, have been
        replaced."""
        program = program_of(self.definition)
        if list(program.parameters) != self.parameters or not have_same_items(
                defaults_of(self.function), self.given_defaults):  # refused whenever it is called: nothing is forgotten
            raise UnsupportedError(f"{self.subject.name} has got other parameters or defaults since it was given to be "
                                   "differentiated", "call s2sgrad.grad, or what it was, again", program.location)
        self.cache.clear()
        self.patterns.clear()
        self.read.clear()
        self.program = program
        self.places = self.own_places()
        self.code = self.function.__code__
        self.give("code", self.code)

    def matched(self, arguments: dict[str, Any], wanted: tuple[str, ...]) -> Compiled:
        """What was compiled for the pattern of these arguments. Where that is refused, attributes that are views of
        others may be to blame, or what the activity analysis keeps constant, of which less is known, or the texts of
        gradients and tangents: then with these attributes read as views, with all floats in the function as
        differentiated, and with gradients differentiated by way of slopes, or tangents by way of gradients."""
        try:
            return self.looked_into(arguments, wanted, self.options)
        except UnsupportedError as error:
            refusal = error
        if any(stores_attributes(function.__code__) for function in read):  # else none is a view of another
            try:
                return self.looked_into(arguments, wanted, replace(self.options, attribute_views=True))
            except UnsupportedError as error:
                if isinstance(refusal, SharesMemory) and not isinstance(error, SharesMemory):
                    refusal = error  # it knows more
        if self.options.activity:
            with contextlib.suppress(UnsupportedError):
                return self.looked_into(arguments, wanted, replace(self.options, activity=False))
        for way in ("slopes", "gradients") if self.again else ():
            with contextlib.suppress(UnsupportedError):
                return self.looked_into(arguments, wanted, replace(self.options, **{way: True}))
        raise at_the_users(refusal).with_traceback(None)  # where in the compiler it was found says nothing to its user

    def looked_into(self, arguments: dict[str, Any], wanted: tuple[str, ...], options: Options) -> Compiled:
        """The same. Where that is refused, objects that are not looked into and those of which only the form is known
        that all in a list have may be to blame: then with all of them known by their attributes, each for itself."""
        def match() -> Compiled:
            ranks_only = len(self.patterns) >= PATTERN_BOUND and not self.by_size
            try:
                return self.match(arguments, wanted, options, ranks_only)
            except UnsupportedError:
                if not ranks_only:
                    raise
            found = self.match(arguments, wanted, options, False)
            self.by_size = True
            return found
        try:
            return self.until_known(match, arguments)
        except UnsupportedError as refusal:
            closed = {name for name, value in arguments.items() if name not in self.by_parts and holds_objects(value)
                      and contents(value) is not None}
            if not closed and (self.apart or not any(holds_alike(arguments[name]) for name in self.by_parts)):
                raise
            before = self.apart
            self.look_into(closed, True)
            try:
                return self.until_known(match, arguments)
            except UnsupportedError:
                self.by_parts -= closed
                self.opened -= closed
                self.look_into(set(), before)
                for name in closed:
                    self.tell_apart(name)
                raise refusal from None

    def look_into(self, names: set[str], apart: bool) -> None:
        """Know the objects that parameters are or hold by their attributes; ``apart``: each in a list for itself."""
        self.apart = apart
        self.by_parts |= names
        self.opened |= names
        for name in self.by_parts:
            self.tell_apart(name)
        self.places = self.own_places()  # what was found in them is none of these any more

    def until_known(self, compile_: Callable[[], Compiled], arguments: dict[str, Any]) -> Compiled:
        """Compile, starting again with more in the signature as often as more turns out to matter."""
        changing, changed = self.changing, None
        while True:
            try:
                return compile_()
            except Changing as met:
                changed = met
                self.changing = {**self.changing, **met.places}
                self.places = [place for place in self.places if place not in self.changing]
            except UnsupportedError:
                if changed is None:
                    raise
                self.changing = changing
                raise changed.refusal from None
            except RecursionError:
                raise UnsupportedError(
                    f"{self.subject.name} calls itself with ever new functions or constants, each of them compiled",
                    "hand on the same function, and counts as arguments", self.program.location) from None
            except (Outlives, Endless):
                continue
            except NewPlace as met:
                if met.place not in self.places:
                    raise
            except NeedsSizes:
                if not arguments:  # only what they are like is known
                    raise
            except NeedsParts as need:
                self.open(need, arguments)
            except NeedsInput as need:
                varying = [place for place in self.varying if outside(place) == need.origin]
                if varying:
                    self.fix(varying)
                    continue
                if need.origin not in self.parameters or need.origin in self.by_value:
                    raise must_be_known(need.origin, need.location) from None
                # in this order: whatever interrupts, no code is compiled for a value that the key does not hold
                self.tell_apart(need.origin, by_value=True)
                self.by_value.add(need.origin)

    def open(self, need: NeedsParts, arguments: dict[str, Any]) -> None:
        """Look into an object that an argument is, because the function stores something in it."""
        found = [name for name, value in arguments.items() if name == need.origin or value is need.value]
        if not found or any(name in self.opened or contents(arguments[name]) is None for name in found):
            raise UnsupportedError("this writes into an object whose attributes are not known",
                                   "give the object to the function as an argument", need.location) from None
        self.look_into(set(found), self.apart)

    def count(self, need: NeedsSizes, sizes: dict[int, str], arguments: dict[str, Any]) -> None:
        """Let the code know the sizes of arguments, and how many items their lists have, where it must; ``sizes`` are
        the letters that it was compiled with. Raises its refusal where that is known already."""
        every = not (need.letters or need.lists)  # of what is computed from arguments its size is, too
        asked = {size for size, letter in sizes.items() if every or letter in need.letters}
        places = {size: place for place, size in sizes_of(arguments) if size in asked}
        lists = {name for name, value in arguments.items() if need.lists and holds_list(value)} - self.counted
        if not (places or lists):
            raise need.refusal
        for name in lists:
            self.tell_apart(name, counted=True)
            self.counted.add(name)
        self.sized.update(places.values())

    def tell_apart(self, name: str, by_value: bool = False, by_parts: bool = False, counted: bool = False) -> None:
        """Let the key tell more values of a parameter apart than it does."""
        by_value = by_value or name in self.by_value
        by_parts = by_parts or name in self.by_parts
        of_parts = feature_of_items if counted or name in self.counted or by_parts and self.apart else \
            feature_of_parts if by_parts else feature
        if by_value and of_parts is not feature:
            self.give(f"feature of {name}", lambda value: (feature_by_value(value), of_parts(value)))
        else:
            self.give(f"feature of {name}", feature_by_value if by_value else of_parts)

    def compile_abstract(self, described: Callable[[], dict[str, Abstract]]) -> Compiled:
        """Compile for what is known of arguments, without a call: what ``s2sgrad show --shape`` does. It is asked for
        again where the values of more integers must be known (``by_value``)."""
        def compile_() -> Compiled:
            arguments = described()
            wanted = tuple(name for name in self.parameters if arguments[name].active)
            return self.compile(arguments, wanted, self.captured(Letters(), True), False, self.options, {})

        with COMPILING:
            return self.until_known(compile_, {})

    def captured(self, letters: Letters, large: bool) -> Captured:
        """What is known of the captured inputs. An array among those that are met later may be the first that counts as
        ``large``: for it, the compilation starts again."""
        def describe(place: Place) -> Abstract:
            value = place.read()
            if place in self.varying and is_integer(value):
                return letters.describe(value, outside(place), False)
            return letters.describe(value, place.name, True, not is_object(value))

        def meet(place: Place) -> Abstract:
            self.places.append(place)
            self.note_integer(place)
            if not large and self.is_large(place.read()):
                raise NewPlace(place)
            return describe(place)

        return Captured({place: describe(place) for place in self.places}, meet)

    def is_large(self, value: Any) -> bool:
        """Whether there is an array in a value for which adjoints spare memory."""
        return any(leaf.size >= self.options.large for _, leaf in leaves(value) if type(leaf) is np.ndarray)

    def differentiated(self, arguments: dict[str, Any]) -> tuple[str, ...]:
        """The parameters to differentiate in, checked: floats, complex numbers and arrays of them."""
        if self.wanted is None:
            return tuple(name for name in self.visible if holds_floats(arguments[name]))
        for name in self.wanted:
            value = arguments[name]
            label = f"argument {name} of {self.subject.name}"
            hidden = next((leaf for _, leaf in leaves(value) if hides_floats(leaf)), None)
            if hidden is not None:
                raise ArgumentTypeError(f"{label} has a {type(hidden).__name__} in it that leads back to itself, or "
                                        "computes its attributes, and has no gradient",
                                        "pass its arrays as arguments of their own")
            if self.mode.holomorphic and not all(map(is_complex, floats_in(value))):
                raise ArgumentTypeError(f"{label} is {described(value)}, and holomorphic=True is for complex arguments",
                                        "make it complex, or leave holomorphic out")
            if holds_floats(value):
                continue
            if isinstance(value, (bool, int, np.integer, np.bool_)) or (
                    isinstance(value, np.ndarray) and value.dtype.kind in "biu"):
                raise ArgumentTypeError(f"{label} is {described(value)}, and only floats have a gradient",
                                        "pass a float, or an array with dtype=float")
            if isinstance(value, np.ndarray):
                kind = f"an array of dtype {value.dtype}" if type(value) is np.ndarray else type(value).__name__
                raise ArgumentTypeError(f"{label} is {kind}, which has no gradient",
                                        "pass a plain float array, np.asarray(x, dtype=float)")
            if contents(value) is not None:
                raise ArgumentTypeError(f"{label} holds no floats, and only floats have a gradient",
                                        "put floats into it, or leave it out of argnums")
            raise ArgumentTypeError(
                f"{label} is {described(value)}, which has no gradient",
                "pass its arrays as arguments of their own, or leave it out of argnums" if is_instance(value) else
                "pass a float, or an array with dtype=float")
        return self.wanted

    def match(self, arguments: dict[str, Any], wanted: tuple[str, ...], options: Options, ranks_only: bool
              ) -> Compiled:
        exact = {size for place, size in sizes_of(arguments) if place in self.sized} if self.sized else ()
        letters = Letters(ranks_only, apart=self.apart, exact=exact)
        described_: dict[str, Abstract] = {}
        for name, value in arguments.items():
            by_value = name in self.by_value or name in self.bound and is_instance(value)
            abstract = letters.describe(value, name, by_value, name in wanted or name in self.opened,
                                        name in self.counted)
            if name in wanted or name in self.visible and not options.activity:
                abstract = activated(abstract)
            described_[name] = abstract
        large = any(map(self.is_large, (*arguments.values(), *(place.read() for place in self.places))))
        captured = self.captured(letters, large)
        methods = changing_methods([value for name, value in arguments.items() if name not in wanted],
                                   [arguments[name] for name in wanted])
        pattern = (tuple(described_.values()), tuple(captured.values()), large, methods)
        if pattern in self.patterns:
            return self.patterns[pattern]
        try:
            compiled = self.compile(described_, wanted, captured, large, options, letters.letters, methods)
        except NeedsSizes as need:
            self.count(need, letters.letters, arguments)
            raise
        captured.meet = None
        self.patterns[tuple(described_.values()), tuple(captured.values()), large, methods] = compiled
        return compiled

    def compile(self, arguments: dict[str, Abstract], wanted: tuple[str, ...], captured: Captured, large: bool,
                options: Options, sizes: dict[int, str], methods: frozenset[types.FunctionType] = frozenset()
                ) -> Compiled:
        given = self.mode.seeds == "given"
        session = Session(captured, options, given and self.mode.copied, large, once=not given,
                          sizes={letter: size for size, letter in sizes.items()}, changing=self.changing,
                          methods=methods)
        read.clear()
        try:
            derivative, result = session.derivative_of(self.definition, list(arguments.values()))
        finally:
            self.again = session.takes_gradients
        self.read.update((function, state_of(function)) for function in read if not in_library(function.__module__))
        session.check_outer(derivative)
        ends = [version.value for versions in derivative.facts.ends.values() for version in versions]
        if any(map(holds_made_functions, (result, *ends))):
            raise UnsupportedError("a function that reads names from around it leaves the differentiated one",
                                   "return what it gives", derivative.program.location)
        if self.mode.seeds == "none":
            derivative.build_tangent()
            tangent = guarded(derivative, derivative.tangent_cell.cell_contents, captured, False)
            return Compiled(derivative, tangent, derivative.table((), (), False), False)
        derivative.facts.lent.update(self.mode.lent)
        seeds, single = self.mode.places(self.subject.name, tuple(derivative.leaves), result)
        table = derivative.table(wanted, seeds, not given)
        derivative.build(seeds, not given)
        return Compiled(derivative, guarded(derivative, derivative.primal, captured, session.kept), table, single)

    def check_result(self, value: Any) -> None:
        """A gradient is of a number, real or complex as the mode says: raises ArgumentTypeError for anything else."""
        check_result(value, self.subject.name, self.mode.seeds == "first", self.mode.holomorphic)


class OpenEntry:
    """The entries of a function with ``*args`` or ``**kwargs``, by the number of arguments and the keywords."""

    def __init__(self, subject: Subject, argnums: int | tuple[int, ...] | None, mode: Mode, options: Options = ALL_ON):
        self.subject = subject
        self.argnums = argnums
        self.mode = mode
        self.options = options
        self.entries: dict[Any, Entry] = {}

    def fitting(self, args: tuple, kwargs: dict) -> Entry:
        key = len(args), tuple(kwargs)
        if key not in self.entries:
            subject = self.subject.fitting(args, kwargs)
            wanted = None if self.argnums is None else wanted_parameters(subject, self.argnums)
            self.entries[key] = Entry(subject, wanted, self.mode, self.options)
        return self.entries[key]

    def call(self, *args: Any, **kwargs: Any) -> Any:
        return self.fitting(args, kwargs).call(*args, **kwargs)


REPLACED = ("__code__", "__defaults__", "__kwdefaults__")
"""The attributes of functions that tools replace which reload the modules in use."""


def state_of(function: Any) -> tuple:
    """What a function's text and defaults are now, to be compared by identity."""
    return tuple(getattr(function, label, None) for label in REPLACED)


def defaults_of(function: types.FunctionType) -> tuple:
    """The defaults of a function's parameters, those by name behind the others."""
    return *(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()


def is_integer(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def outside(place: Place) -> str:
    """What tells a captured integer whose value is not known from a parameter of the same name."""
    return f"{place.name} outside"


def captured_places(definition: Definition) -> list[Place]:
    """Where the function's own free names are found; those of the functions that it calls are met later."""
    places = []
    for name in program_of(definition).free:
        place = place_of(definition.function, name)
        try:
            place.read()
        except (NameError, AttributeError):
            continue
        places.append(place)
    return places


def sizes_of(arguments: dict[str, Any]) -> list[tuple[tuple, int]]:
    """The sizes of all axes of the arrays in arguments, each with its parameter, place in that and axis."""
    return [((name, path, axis), size) for name, value in arguments.items() for path, leaf in leaves(value)
            if isinstance(leaf, np.ndarray) for axis, size in enumerate(leaf.shape)]


def holds_list(value: Any) -> bool:
    """Whether there is a list in a value."""
    held = contents(value)
    return held is not None and (held.kind is list or any(map(holds_list, held.parts)))


def is_identity(place: Place) -> bool:
    """Whether a captured input is a module, a class or a function without code, and equals nothing but itself."""
    return isinstance(place.read(), (types.ModuleType, types.BuiltinFunctionType, type, np.ufunc))


def feature_by_value(value: Any) -> Any:
    """Part of the key for a captured input, or for a parameter whose value some rule needs to know."""
    if type(value) is tuple:
        return (tuple, *map(feature_by_value, value))
    if is_object(value) or is_instance(value) and contents(value) is None:
        return Same(value)
    return (type(value), int(value)) if isinstance(value, (int, np.integer)) else feature(value)


def gradient_entry(subject: Subject, argnums: int | tuple[int, ...], mode: Mode, options: Options = ALL_ON) -> Any:
    """The entry behind ``grad``; ``argnums`` must be right where it is known how the function is called."""
    if subject.definition is None:
        return OpenEntry(subject, argnums, mode, options)
    return Entry(subject, wanted_parameters(subject, argnums), mode, options)


def pullback_entry(function: Any, wanted: tuple[str, ...] | None = None, options: Options = ALL_ON) -> Any:
    """The entry behind ``vjp``: cotangents are given; ``wanted`` None means every float argument."""
    return _entry(subject_of(function), wanted, "given", options)


def report_entry(subject: Subject, wanted: tuple[str, ...]) -> Any:
    """The entry that reports on gradients look into: the same code as that behind ``grad``."""
    return _entry(subject, wanted, "one", ALL_ON)


def tangent_entry(subject: Subject, wanted: tuple[str, ...] | None, options: Options = ALL_ON) -> Any:
    """The entry behind ``jvp``: its calls give the compiled tangent function. ``wanted`` None: every float."""
    return _entry(subject, wanted, "none", options)


def _entry(subject: Subject, wanted: tuple[str, ...] | None, seeds: str, options: Options) -> Any:
    """The entry of a subject, made once."""
    def make() -> Any:
        if subject.definition is None:
            return OpenEntry(subject, None, Mode(seeds), options)
        return Entry(subject, wanted, Mode(seeds), options)

    return once(subject, (wanted, seeds, options), make)


def once(subject: Subject, key: tuple, make: Callable[[], Any]) -> Any:
    """What is made of a subject, made once; anew where its function has got other code or defaults."""
    state = tuple(map(id, state_of(subject.function)))
    return entries_of(subject.function).once((subject, *key, *state), make)
