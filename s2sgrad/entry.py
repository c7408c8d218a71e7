"""From arguments to compiled code: what was compiled for the same pattern is found, or else compiled.

An :class:`Entry` is one function with a choice of differentiated parameters. Where a function is refused as it stands,
it is tried in the other ways that there are; where more of the arguments has to be known, the key is made to hold it.
"""
from __future__ import annotations

import contextlib
import functools
import types
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from s2sgrad.compiled import Compiled
from s2sgrad.compiler.again import BY_GRADIENT, at_the_users
from s2sgrad.compiler.attributes import NeedsParts
from s2sgrad.compiler.closed import Outlives, holds_made_functions
from s2sgrad.compiler.evaluation import VIEWS, NeedsSizes
from s2sgrad.compiler.flows import SharesMemory
from s2sgrad.compiler.mode import Mode
from s2sgrad.compiler.nesting import nested_too_deep
from s2sgrad.compiler.origins import explain
from s2sgrad.compiler.outer_changes import changing_methods
from s2sgrad.compiler.outer_variables import outer_variables
from s2sgrad.compiler.outside import Changing
from s2sgrad.compiler.targets import lacking
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
    is_integer,
    is_object,
    leaves,
)
from s2sgrad.derivative import (
    ALL_ON,
    Captured,
    Endless,
    NeedsInput,
    NewPlace,
    Options,
    Session,
    again_otherwise,
    must_be_known,
    read,
)
from s2sgrad.entries import entries_of, has_changed, names_in, state_of
from s2sgrad.errors import ArgumentTypeError, UnsupportedError
from s2sgrad.keys import PLACE_BOUND, VALUE_BOUND, is_identity, outside, sizes_of
from s2sgrad.memory import guarded
from s2sgrad.outer_arguments import OuterArguments
from s2sgrad.roots import of_real_tangents
from s2sgrad.rules.abstract import KEY, Abstract, Opaque, activated, without_defaults
from s2sgrad.runtime import zero_tangent
from s2sgrad.signature import (
    Letters,
    Place,
    has_value,
    holds_alike,
    is_constant,
)
from s2sgrad.subjects import Subject, described, subject_of, wanted_parameters

KEY_BOUND = 4096
"""So many exact signatures are remembered; the patterns behind them are far fewer."""
PATTERNS_KEPT = 128
"""So much compiled code is kept: a function that gets another function in each call is compiled for each of them."""
CALLED_DEEP = 20
"""Where a compilation that looks into so many functions meets Python's recursion limit, they call one another too
deep; where it looks into fewer, one of them calls itself."""
PATTERN_BOUND = 8
"""Past so many shape patterns only ranks are told apart, where the code need not know more."""


class Entry(OuterArguments):
    """One function, the parameters it is differentiated in, and its compiled code by signature."""

    def __init__(self, subject: Subject, wanted: tuple[str, ...] | None, mode: Mode, options: Options = ALL_ON):
        super().__init__(subject, wanted, mode, options)
        entries_of(self.function).met.add(self)
        with COMPILING:
            self.call = self.generate()

    def compiled_for(self, args: tuple, kwargs: dict) -> Compiled:
        """What a call with these arguments runs."""
        return self.specialise(self.values(args, kwargs))

    def values(self, args: tuple, kwargs: Mapping[str, Any]) -> tuple:
        """What all parameters get in a call with these arguments, but for outer variables."""
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.subject.name}(): {error}") from None
        bound.apply_defaults()
        return tuple(self.bound[name] if name in self.bound else bound.arguments[self.visible[name].name]
                     for name in self.parameters if name in self.bound or name in self.visible)

    def arguments(self, args: tuple, kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The same, by name, and those."""
        return self.with_outer(dict(zip(self.parameters, self.values(args, kwargs))))

    def run(self, compiled: Compiled, args: tuple, kwargs: dict) -> tuple:
        """The value, the path id and the saved tuple of a call with these arguments, which must be copies."""
        arguments = self.arguments(args, kwargs)
        named = {name: arguments.pop(name) for name in self.parameters if name in self.keyword_only}
        result: tuple = compiled.derivative.primal(*arguments.values(), **named)
        return result

    def push(self, args: tuple, tangents: dict[str, Any], kwargs: Mapping[str, Any] = MappingProxyType({})) -> tuple:
        """The value and the tangent of a call with these arguments, and tangents for parameters."""
        compiled = self.call(*args, **kwargs)
        arguments = self.arguments(args, kwargs)
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
            if self.is_stale():
                self.leave_outside()
            arguments = self.with_outer(dict(zip(self.parameters, values)))
            for name in self.visible if self.wanted is None else self.wanted:
                if name not in self.by_parts and holds_objects(arguments[name]):
                    self.tell_apart(name, by_parts=True)
                    self.by_parts.add(name)
            wanted = self.differentiated(arguments)
            crowded = len(self.places) > self.place_bound or len(self.patterns) >= PATTERNS_KEPT
            if crowded:
                self.forget_places(self.own_places())
                self.read = {self.function: self.read[self.function]}
                self.lacking.clear()
            elif not all(map(has_value, self.places)):
                self.forget_places(list(filter(has_value, self.places)))
            if self.function.__code__ is not self.code or any(map(has_changed, self.read, self.read.values())) or any(
                    names_in(holder) != names for holder, names in self.lacking.items()):
                self.renew()
            self.note_values(arguments)
            compiled = self.opened_up(arguments, wanted)
            if compiled is None:
                compiled = self.matched_in_all_ways(arguments, wanted)
            if crowded:
                self.place_bound = max(PLACE_BOUND, 2 * len(self.places))
            self.give("captured", self.read_captured())
            if len(self.cache) > KEY_BOUND:
                self.cache.clear()
            if all(map(is_identity, self.direct)):  # else the key would not tell 1 from 1.0
                self.cache[self.key(values)] = compiled
            return compiled

    def matched_in_all_ways(self, arguments: dict[str, Any], wanted: tuple[str, ...]) -> Compiled:
        """What was compiled for the pattern of these arguments. Where that is refused, captured inputs that were ever
        others may be to blame, or variables that functions change outside: then with these as an argument."""
        try:
            return self.matched(arguments, wanted)
        except UnsupportedError as error:
            refusal = error
        if self.varying:
            self.fix(self.varying)
            return self.matched(arguments, wanted)
        for variables in () if self.outer else outer_variables(self.innermost, arguments.values()):
            self.take_along(variables)
            try:
                return self.matched(self.with_outer(arguments), wanted)
            except UnsupportedError:
                self.leave_outside()
        raise refusal

    def opened_up(self, arguments: dict[str, Any], wanted: tuple[str, ...]) -> Compiled | None:
        """What runs where the objects that parameters are have been others in each call: known by their attributes, so
        that one code serves all of them. None where they are not, or where that is refused."""
        names = {name for name, count in self.compiled_in.items() if count >= VALUE_BOUND} - self.closed
        names = {name for name in names if contents(arguments[name]) is not None}
        if not names:
            return None
        for name in names:
            self.compiled_in.pop(name)
        self.by_value -= names
        self.look_into(names, self.apart)
        with contextlib.suppress(UnsupportedError):
            compiled = self.matched(arguments, wanted)
            if names.isdisjoint(self.by_value):
                return compiled
        self.closed |= names
        for name in names:
            self.tell_apart(name, by_value=True)
        self.by_value |= names
        self.close(names, self.apart)
        return None

    def matched(self, arguments: dict[str, Any], wanted: tuple[str, ...]) -> Compiled:
        """What was compiled for the pattern of these arguments. Where that is refused, attributes that are views of
        others may be to blame, or what the activity analysis keeps constant, of which less is known, or the texts of
        gradients and tangents: then with these attributes read as views, with all floats in the function as
        differentiated, and with gradients differentiated by way of slopes, or tangents by way of gradients."""
        self.missed.clear()
        # the same for all of what follows: it reads many texts
        methods = functools.cache(lambda: changing_methods(
            [value for name, value in arguments.items() if name not in wanted], [arguments[name] for name in wanted]))
        try:
            return self.looked_into(arguments, wanted, methods, self.options)
        except UnsupportedError as error:
            refusal = error
        if VIEWS in self.missed:
            try:
                return self.looked_into(arguments, wanted, methods, replace(self.options, attribute_views=True))
            except UnsupportedError as error:
                if isinstance(refusal, SharesMemory) and not isinstance(error, SharesMemory):
                    refusal = error  # it knows more
        constant = [name for name in self.visible if name not in wanted and holds_floats(arguments[name])]
        # which names share memory is told alike of what is computed of differentiated arguments alone
        if self.options.activity and (constant or not isinstance(refusal, SharesMemory)):
            with contextlib.suppress(UnsupportedError):
                return self.looked_into(arguments, wanted, methods, replace(self.options, activity=False))
        tangents = any(hasattr(function, BY_GRADIENT) for function in read)
        for options in again_otherwise(self.options, self.mode.seeds == "none", tangents) if self.again else ():
            with contextlib.suppress(UnsupportedError):
                return self.looked_into(arguments, wanted, methods, options)
        raise at_the_users(refusal).with_traceback(None)  # where in the compiler it was found says nothing to its user

    def looked_into(self, arguments: dict[str, Any], wanted: tuple[str, ...],
                    methods: Callable[[], frozenset[types.FunctionType]], options: Options) -> Compiled:
        """The same. Where that is refused, objects that are not looked into and those of which only the form is known
        that all in a list have may be to blame: then with all of them known by their attributes, each for itself."""
        def match() -> Compiled:
            ranks_only = len(self.patterns) >= PATTERN_BOUND and not self.by_size
            try:
                return self.match(arguments, wanted, methods, options, ranks_only)
            except UnsupportedError:
                if not ranks_only:
                    raise
            found = self.match(arguments, wanted, methods, options, False)
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
                self.close(closed, before)
                raise refusal from None

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
                raise nested_too_deep(read) or self.too_many_calls(len(read)) from None
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
                varying = [place for place in self.places if place in self.varying and outside(place) == need.origin]
                if varying:
                    self.fix(varying)
                    continue
                if need.origin not in self.parameters or need.origin in self.by_value:
                    raise must_be_known(need.origin, need.location) from None
                # in this order: whatever interrupts, no code is compiled for a value that the key does not hold
                self.tell_apart(need.origin, by_value=True)
                self.by_value.add(need.origin)

    def too_many_calls(self, functions: int) -> UnsupportedError:
        """Why Python's limit was met while so many functions of the user's were looked into, one inside of another."""
        name = self.subject.name
        if functions >= CALLED_DEEP:
            return UnsupportedError(f"the functions that {name} calls call others, and these again others, deeper than "
                                    "can be looked into under Python's recursion limit",
                                    "raise it: sys.setrecursionlimit(10000)", self.program.location)
        return UnsupportedError(f"{name} calls itself with ever new functions or constants, each of them compiled",
                                "hand on the same function, and counts as arguments", self.program.location)

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
            if place in self.varying and type(value) is str:
                return KEY
            if type(value) is defaultdict:
                return Opaque()  # whoever reads it may change it
            return without_defaults(letters.describe(
                value, place.name, True, not is_object(value), self.counted_outside))

        def meet(place: Place) -> Abstract:
            self.places.append(place)
            self.note_value(place, place.read())
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
                kind = f"an array of dtype {value.dtype}" if type(value) is np.ndarray else f"a {type(value).__name__}"
                raise ArgumentTypeError(f"{label} is {kind}, which has no gradient",
                                        "pass a plain float array, np.asarray(x, dtype=float)")
            if contents(value) is not None:
                raise ArgumentTypeError(f"{label} holds no floats, and only floats have a gradient",
                                        "put floats into it, or leave it out of argnums")
            derived = next((kind for kind in (dict, list, tuple) if isinstance(value, kind)), None)
            if derived is not None and type(value) is not derived and type(value) is not defaultdict:
                raise ArgumentTypeError(f"{label} is {described(value)}, of a class derived from {derived.__name__}, "
                                        "and has no gradient",
                                        f"pass a plain {derived.__name__}: {derived.__name__}(...)")
            raise ArgumentTypeError(
                f"{label} is {described(value)}, which has no gradient",
                "pass its arrays as arguments of their own, or leave it out of argnums" if is_instance(value) else
                "pass a float, or an array with dtype=float")
        return self.wanted

    def match(self, arguments: dict[str, Any], wanted: tuple[str, ...],
              methods: Callable[[], frozenset[types.FunctionType]], options: Options, ranks_only: bool) -> Compiled:
        exact = {size for place, size in sizes_of(arguments) if place in self.sized} if self.sized else ()
        letters = Letters(ranks_only, apart=self.apart, exact=exact)
        described_: dict[str, Abstract] = {}
        for name, value in arguments.items():
            by_value = name in self.by_value or name in self.bound and is_instance(value)
            abstract: Abstract = KEY
            if name not in self.varying or type(value) is not str:
                abstract = letters.describe(value, name, by_value, name in wanted or name in self.opened,
                                            name in self.counted)
            if name in wanted or name in self.visible and not options.activity:
                abstract = activated(abstract)
            described_[name] = abstract
        large = any(map(self.is_large, (*arguments.values(), *(place.read() for place in self.places))))
        captured = self.captured(letters, large)
        pattern = (tuple(described_.values()), tuple(captured.values()), large, methods())
        if pattern in self.patterns:
            return self.patterns[pattern]
        try:
            compiled = self.compile(described_, wanted, captured, large, options, letters.letters, methods())
        except NeedsSizes as need:
            self.count(need, letters.letters, arguments)
            raise
        for name, value in arguments.items():
            if is_instance(value) and name not in self.by_parts and (name in self.by_value or is_constant(value)):
                self.compiled_in[name] = self.compiled_in.get(name, 0) + 1
        captured.meet = None
        self.patterns[tuple(described_.values()), tuple(captured.values()), large, methods()] = compiled
        return compiled

    def compile(self, arguments: dict[str, Abstract], wanted: tuple[str, ...], captured: Captured, large: bool,
                options: Options, sizes: dict[int, str], methods: frozenset[types.FunctionType] = frozenset()
                ) -> Compiled:
        given = self.mode.seeds == "given"
        session = Session(captured, options, given and self.mode.copied, large, once=not given,
                          sizes={letter: size for size, letter in sizes.items()}, changing=self.changing,
                          methods=methods)
        session.outside.noting = frozenset(self.noting)
        session.outside.given = frozenset(self.outer.values())
        read.clear()
        lacking.clear()
        try:
            derivative, result = session.derivative_of(self.definition, list(arguments.values()))
        finally:
            self.again = session.takes_gradients
            self.missed |= session.missed
        self.read.update((function, state_of(function)) for function in read if not in_library(function.__module__))
        self.lacking.update((holder, names_in(holder)) for holder in lacking)
        session.check_outer(derivative)
        ends = [version.value for versions in derivative.facts.ends.values() for version in versions]
        if any(map(holds_made_functions, (result, *ends))):
            raise UnsupportedError("a function that reads names from around it leaves the differentiated one",
                                   "return what it gives", derivative.program.location)
        if derivative.gives_view:
            raise UnsupportedError("a view of a dict leaves the differentiated one", "return a list: list(d.values())",
                                   derivative.program.location)
        met = {*self.own_places(), *session.outside.readers}
        places = [place for place in captured if place in met]  # others are those of calls that came before
        if self.mode.seeds == "none":
            derivative.build_tangent()
            tangent = self.lent(derivative.tangent_cell.cell_contents,
                                lambda run: guarded(derivative, run, places, False))
            root = session.root(derivative, result)
            tangent = tangent if root is None else of_real_tangents(tangent, root)
            return Compiled(derivative, tangent, derivative.table((), (), False), False)
        derivative.facts.lent.update(self.mode.lent)
        seeds, single = self.mode.places(self.subject.label, tuple(derivative.leaves), result)
        table = derivative.table(wanted, seeds, not given)
        derivative.build(seeds, not given)
        primal = self.lent(derivative.primal, lambda run: guarded(derivative, run, places, session.kept))
        return Compiled(derivative, primal, table, single, session.root(derivative))


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
