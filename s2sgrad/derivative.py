"""One function's derivatives: where primal, path and adjoint meet.

A :class:`Derivative` is one function for one pattern of arguments: its saving primal, and an adjoint for each branch
path, generated when the path is first met. A :class:`Session` is the work of compiling one of them, with those of the
functions that it calls.
"""
from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import itertools
import types
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler import telling
from s2sgrad.compiler.again import (
    COTANGENTS,
    GIVEN,
    GIVES_BACK,
    GRADIENT,
    KEPT,
    ORDERS,
    Differentiated,
    differentiated,
    given_to,
)
from s2sgrad.compiler.aliases import NeedsPlaces, SharesMemory, check_writes
from s2sgrad.compiler.attempts import check_attempts
from s2sgrad.compiler.beginnings import Beginning
from s2sgrad.compiler.by_number import by_number
from s2sgrad.compiler.by_row import by_row
from s2sgrad.compiler.captures import Captures, NotSaved
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.derived import ours_in
from s2sgrad.compiler.desugar import desugar
from s2sgrad.compiler.effects import has_effect
from s2sgrad.compiler.emit import Text, compile_text
from s2sgrad.compiler.facts import Facts, numbers_in
from s2sgrad.compiler.forward import Forward, Header, header_of
from s2sgrad.compiler.functions_unread import Generated, holds_functions_alone, without_functions
from s2sgrad.compiler.fused import Fusion, decided, in_turn, returns_in_attempt
from s2sgrad.compiler.gathered import gathered
from s2sgrad.compiler.infer import Infer
from s2sgrad.compiler.locate import locate
from s2sgrad.compiler.mode import Mode
from s2sgrad.compiler.operands import Helpers
from s2sgrad.compiler.origins import note_origins
from s2sgrad.compiler.outside import Outside
from s2sgrad.compiler.parse import parse
from s2sgrad.compiler.paths import RETURNED, Paths
from s2sgrad.compiler.placed import may_change_something, without_numbered_names, writes_under_other_names
from s2sgrad.compiler.primal import Primal, saved_form
from s2sgrad.compiler.program import (
    Assign,
    Augment,
    Import,
    Leave,
    Loop,
    Names,
    Program,
    Store,
    assigned_names,
    call,
    constant,
    name,
    names_in,
    pattern_names,
    read_names,
    statements,
)
from s2sgrad.compiler.recalled import Recalled
from s2sgrad.compiler.records import held
from s2sgrad.compiler.reuse import reused, saved_alone
from s2sgrad.compiler.reverse import Reverse, is_exit
from s2sgrad.compiler.sharing import (
    fragile,
    hands_on,
    holds_memory,
    later_contents,
    may_be_written,
    overwritten,
)
from s2sgrad.compiler.sheltered import Caught, caught_calls
from s2sgrad.compiler.slopes import at_once
from s2sgrad.compiler.structures import static_leaves
from s2sgrad.compiler.turns import Turns
from s2sgrad.compiler.viewed_attributes import InferViews
from s2sgrad.compiling import COMPILING
from s2sgrad.entries import entries_of, is_generated
from s2sgrad.errors import Location, UnsupportedError, ensure
from s2sgrad.rules.abstract import (
    MISSING,
    NEVER,
    Abstract,
    Items,
    Known,
    Numeric,
    Opaque,
    activated,
    is_complex,
    item_at,
    join,
    levels,
    number,
    passive,
    with_dims,
    with_numbers,
)
from s2sgrad.rules.table import NeedsValue
from s2sgrad.signature import Place

PATH_BOUND = 64
"""So many paths of one derivative get adjoints of their own; those beyond share the general one."""

NAMELESS = "function"
"""What a lambda is called that no name calls."""

MOST_ROUNDS = 100
"""So deep an expression may be nested; each round of desugaring takes a level off."""
MOST_VERSIONS, MOST_DEPTH = 48, 20
"""For so many integers a function that calls itself is compiled, each time for the one, and so deep inside itself."""
ENDLESS: set[tuple] = set()
"""The functions that called themselves with more, or went deeper."""
MOST_LEVELS = 8
"""As often what a function that calls itself returns may turn out to be a deeper container."""


@dataclass(frozen=True)
class Options:
    """Switches of the analyses, for tests: with all of them off the code is general, and must still be right.

    Attributes
    ----------
    activity
        Off: every floating-point value computed in the function counts as differentiated.
    recorded
        Off: every version of every differentiated name is saved, whether the adjoint reads it or not.
    shapes
        Off: no shape is known, and every broadcast is undone by the general helper.
    paths
        Off: the general adjoint serves every path.
    large
        Where an input has so many elements, adjoints write over the arrays that they don't read any more.
    attribute_views
        On: attributes that are views of others are read as these; it is tried where a function is refused otherwise.
    slopes
        On: gradients that are differentiated again are so by way of slopes (``by_slopes.py``), likewise.
    """

    activity: bool = True
    recorded: bool = True
    shapes: bool = True
    paths: bool = True
    large: int = 2 ** 14
    attribute_views: bool = False
    slopes: bool = False


ALL_ON = Options()

class NewPlace(Exception):
    """A captured input was met that the signature doesn't hold."""

    def __init__(self, place: Place):
        super().__init__(place.name)
        self.place = place


class Captured(dict):
    """What is known of the captured inputs, by place. Those of the functions that are called are met one by one, and
    described as they come (``meet``); without that, NewPlace is raised."""

    def __init__(self, known: dict[Place, Abstract], meet: Callable[[Place], Abstract] | None = None):
        super().__init__(known)
        self.meet = meet

    def __missing__(self, place: Place) -> Abstract:
        if self.meet is None:
            raise NewPlace(place)
        self[place] = found = self.meet(place)
        return found


class NeedsInput(Exception):
    """The value of an integer input must be known: start again with it."""

    def __init__(self, origin: str, location: Location | None):
        super().__init__(origin)
        self.origin = origin
        self.location = location


class Endless(Exception):
    """A function calls itself with ever other integers: start again, with these as numbers that are not known."""


def must_be_known(name: str, location: Location | None) -> UnsupportedError:
    return UnsupportedError(f"the value of {name} must be known before the call",
                            "write it as a literal, or pass an int as an argument of its own", location)


def needed(need: NeedsValue) -> Exception:
    """The exception for a value that must be known: start again with it, where it is an input."""
    origin = getattr(need.value, "origin", None)
    return must_be_known(need.parameter, need.location) if origin is None else NeedsInput(origin, need.location)


_programs: dict[Any, Program] = {}
read: weakref.WeakSet[types.FunctionType] = weakref.WeakSet()
"""The functions whose text was looked into since this was last cleared, under ``COMPILING``."""


def program_of(definition: Definition) -> Program:
    """The parsed body of a function; a redefined function has another code object and is parsed anew."""
    function = definition.function
    code = function.__code__
    read.add(function)
    # code from two files may be equal, but messages name the file
    key = code.co_filename, code, definition.manner
    own = entries_of(function).programs
    if key in own and is_still_so(own[key], function):
        return own[key]
    # other functions may have this code, with other closure cells; but no other has generated code, and a program has
    # what that closes over
    program = None if is_generated(code) else _programs.get(key)
    if program is None or not is_still_so(program, function):
        with COMPILING:  # ast.parse in two threads at once may fail before Python 3.12
            program = parse(locate(function), definition)
            given = given_to(function)
            if definition.syntax is not None:
                given = {**given, **ours_in(program.names)}
            names = program.names.union(given)  # what the text does not mention may yet be put in by its name
            program = replace(program, given={**program.given, **given}, names=names, free=tuple(
                label for label in program.free if label not in given), **{
                    field: getattr(function, label) for field, label in (
                        ("kept", KEPT), ("cotangents", COTANGENTS), ("orders", ORDERS), ("gives_back", GIVES_BACK))
                    if hasattr(function, label)})
        if not is_generated(code):
            if len(_programs) > 1000:
                _programs.clear()
            _programs[key] = replace(program, owner=None)  # else it would keep the function, and what that closes over
    own[key] = replace(program, owner=function)
    return own[key]


def is_still_so(program: Program, function: types.FunctionType) -> bool:
    """Whether what makes objects in a function is what it was when its text was read."""
    return all(held(node, function) is maker for node, maker in program.makers)


class Session:
    """One compilation: the captured inputs met, and a Derivative for each function and pattern of arguments met."""

    def __init__(self, captured: Captured, options: Options, kept: bool, large: bool, again: bool = False,
                 once: bool = True, sizes: Mapping[Any, int] | None = None,
                 changing: Mapping[Place, str] | None = None):
        self.captured = captured
        self.again = again
        """What is compiled is differentiated again: its adjoints call others by their names, not through tables."""
        self.options = options
        self.kept = kept
        """The saved values are kept for a pullback, while the caller may write into what it has of them."""
        self.once = once
        """An adjoint whose cotangent is 1 is run once with what a primal saved, and may write into that."""
        self.sizes = sizes or {}
        """By letter the sizes of what came with the call that this is compiled for. Others will have other sizes: no
        more than how fast something is may depend on them."""
        self.large = large
        self.done: dict[Any, Derivative] = {}
        self.refused: dict[Any, UnsupportedError] = {}
        """Why functions can't be differentiated: whoever calls one may be taken apart in several ways, one after the
        other, and so may those that call it."""
        self.running: dict[Any, _Frame] = {}
        self.counts: dict[tuple, set[tuple[int, ...]]] = {}
        """The integers with which functions call themselves."""
        self.gradients: dict[Any, types.FunctionType] = {}
        """Gradients that functions of the session call, written out."""
        self.takes_gradients = False
        """Whether functions of the session call gradients."""
        self.outside = Outside(captured, changing or {})

    def check_outer(self, whole: Derivative) -> None:
        """Raises Changing or UnsupportedError where what is read from outside is changed while it is read; the latter
        where the result tells of differentiated values in a way that is not followed, too."""
        known = [derivative.facts for derivative in self.done.values()]
        read = [at for facts in known for at in facts.numbers_read] if any(facts.told_away for facts in known) else []
        if telling.is_number_told(whole.facts.result) or read:
            raise UnsupportedError(telling.REASON, telling.REMEDY, read[0] if read else whole.program.location)
        self.outside.check([(derivative.program, derivative.facts, derivative.called or derivative is whole)
                            for derivative in self.done.values()], whole.program.location)

    def gradient_of(self, definition: Definition, values: list[Abstract | None]) -> types.FunctionType:
        """A function that computes what a call of a gradient gives, for arguments of which this much is known: plain
        code, which can be differentiated itself."""
        given = [_default(default) if value is None else value
                 for value, default in zip(values, definition.defaults(), strict=True)]
        key = definition, tuple(map(_anonymous, given))
        if key not in self.gradients:
            parameters = program_of(replace(definition, gradient=())).parameters
            gradient = differentiated(definition, parameters)
            self.gradients[key] = self.written_out(gradient, given) if gradient.mode.seeds != "none" else \
                self.tangent_of(gradient, dict(zip(parameters, given)))
        return self.gradients[key]

    def tangent_of(self, gradient: Differentiated, values: dict[str, Abstract]) -> types.FunctionType:
        """A tangent function as plain code, with its parameters in the order of these values."""
        inner = Session(self.captured, self.options, False, False, again=True, changing=self.outside.changing)
        inner.outside = self.outside
        derivative, _ = inner.derivative_of(gradient.definition, [
            activated(passive(values[label])) if label in gradient.wanted else passive(values[label])
            for label in program_of(gradient.definition).parameters])
        derivative.build_tangent()
        return derivative.with_tangents_among(tuple(values), gradient.wanted)

    def written_out(self, gradient: Differentiated, values: list[Abstract]) -> types.FunctionType:
        inner = Session(self.captured, self.options, False, False, again=True, changing=self.outside.changing)
        inner.outside = self.outside
        program = program_of(gradient.definition)
        derivative, result = inner.derivative_of(gradient.definition, [
            activated(passive(value)) if label in gradient.wanted else passive(value)
            for label, value in zip(program.parameters, values)])
        if gradient.mode.holomorphic and any(
                not is_complex(leaf) for label, value in zip(program.parameters, values) if label in gradient.wanted
                for leaf in (item_at(value, path) for path in static_leaves(activated(value)))):
            raise UnsupportedError(f"{gradient.label} is differentiated with holomorphic=True in what may be real",
                                   "make it complex, or leave holomorphic out", program.location)
        seeds, sure = gradient.mode.places(gradient.label, tuple(derivative.leaves), result)
        if not sure and not isinstance(gradient.mode.of(result), Numeric):
            raise UnsupportedError(
                f"{gradient.label} may return what is no number, and its gradient is differentiated",
                "start with a number or an array of zeros, not with None", program.location)
        derivative.build(seeds, True)
        return derivative.fused(gradient, seeds, sure=sure)

    def pullback_of(self, definition: Definition, values: dict[str, Abstract], wanted: str
                    ) -> tuple[types.FunctionType, str]:
        """A function that computes value and cotangent of a parameter, plain code, too, and the name of the parameter
        that takes the value's cotangent."""
        inner = Session(self.captured, self.options, False, False, again=True, changing=self.outside.changing)
        derivative, _ = inner.derivative_of(definition, [
            activated(value) if label == wanted else value for label, value in values.items()])
        derivative.build(((),), False)
        mode = Mode("given", value=True, bare=True)
        made = derivative.fused(Differentiated(definition, derivative.name, (wanted,), mode), ((),), False)
        bar = set(inspect.signature(made).parameters) - set(values)
        return made, bar.pop()

    def derivative_of(self, definition: Definition, values: list[Abstract | None]) -> tuple[Derivative, Any]:
        """The derivative of a function for arguments (None: the default), and its abstract result."""
        own = None
        if definition.gradient or hasattr(definition.function, GRADIENT):
            self.takes_gradients = True
            found = by_slopes(definition, not self.running) if self.options.slopes else None
            definition, own = found or (Definition(self.gradient_of(definition, values)), None)
        make: Any = Derivative
        own = own or definition.own
        if own is not None:
            definition, make = replace(definition, function=own.stub), own.derivative
        given = [_default(default) if value is None else value
                 for value, default in zip(values, definition.defaults(), strict=True)]
        depth = [frame[:2] for frame in self.running].count((make, definition))
        if depth > 1:  # f(x[1:]) inside of f(x): ever others
            given = [with_dims(value, lambda dim: None) for value in given]
        if depth:
            self.count(make, definition, given, depth)
        if (make, definition) in ENDLESS:
            given = [with_numbers(value, _uncounted) for value in given]
        arguments = dict(zip(program_of(definition).parameters, given))
        key = (make, definition, tuple(map(_anonymous, given)))
        if key in self.done:
            derivative = self.done[key]
            return derivative, derivative.facts.result
        if key in self.refused:
            raise self.refused[key].with_traceback(None)
        if key in self.running:
            frame = self.running[key]
            frame.used = True
            return frame.recalled if self.again else frame.derivative, frame.assumed
        frame = self.running[key] = _Frame(make(definition, self))
        deeper = grown = depth = 0
        try:
            for _ in range(MOST_ROUNDS):
                before = set(self.done)
                frame.used = False
                effects = frame.derivative.effects()
                frame.derivative.analyse(arguments)
                result = join(frame.assumed, frame.derivative.facts.result)
                deeper += levels(result) > levels(frame.assumed)
                shallower, depth = depth, frame.derivative.depth()
                grown += depth > shallower
                if grown > MOST_LEVELS:
                    raise UnsupportedError(
                        f"{frame.derivative.name} calls itself, and puts objects or containers into what it gets, ever "
                        "deeper", "put them side by side into one list, with numbers that tell where each belongs",
                        frame.derivative.program.location)
                if deeper > MOST_LEVELS:
                    raise UnsupportedError(
                        f"{frame.derivative.name} calls itself, and puts what that gives into what it returns: a "
                        "container of unknown depth", "return what is computed from it, or put all into one list",
                        frame.derivative.program.location)
                if not frame.used or result == frame.assumed and frame.derivative.effects() == effects:
                    break
                frame.assumed = result
                for provisional in set(self.done) - before:  # they were told a result that was not final
                    del self.done[provisional]
            else:
                raise AssertionError(f"what {frame.derivative.name} does to its arguments is still not known")
        except UnsupportedError as refusal:
            if not any(other.used for other in self.running.values() if other is not frame):  # else it may be early
                self.refused[key] = refusal
            raise
        finally:
            del self.running[key]
        for location in frame.derivative.facts.contiguous.values() if frame.used else ():
            raise UnsupportedError(f"{frame.derivative.name} calls itself, and writes through a reshaped argument",
                                   "write into the array itself", location)
        self.done[key] = frame.derivative
        frame.derivative.settled = True
        return frame.derivative, frame.derivative.facts.result

    def count(self, make: Any, definition: Definition, given: list, depth: int) -> None:
        """Note with what integers a function calls itself, ``depth`` times inside itself: with ever others it is
        endless. Raises Endless where that must be known from the start: of the user's functions, and not of generated
        ones, which are others each time."""
        integers = tuple(number for value in given for number in _integers(value))
        counts = self.counts.setdefault((make, definition), set())
        counts.add(integers)
        if integers and (make, definition) not in ENDLESS and (depth > MOST_DEPTH or len(counts) > MOST_VERSIONS):
            ENDLESS.add((make, definition))
            if not hasattr(definition.function, GIVEN):
                raise Endless


def by_slopes(definition: Definition, whole: bool) -> Any:
    """What a gradient is taken for that is differentiated by way of slopes; None where it can't be."""
    return importlib.import_module("s2sgrad.by_slopes").by_slopes(definition, whole)  # which most programs never need


def tell_apart(root: Derivative) -> None:
    """Give labels of their own to the derivatives that call one another: one function may have several, each for other
    arguments."""
    involved: list[Derivative] = [root]
    for derivative in involved:
        for called in derivative.facts.calls.values():
            whole = getattr(called.derivative, "whole", called.derivative)
            if whole not in involved:
                involved.append(whole)
    labels = {derivative.label for derivative in involved if derivative.prepared}
    for derivative in involved:
        if not derivative.prepared:
            numbers = itertools.chain(("",), (f"_{number}" for number in itertools.count(2)))
            derivative.label = next(label for number in numbers if (label := derivative.name + number) not in labels)
            labels.add(derivative.label)


def _uncounted(value: Numeric) -> Numeric:
    """The number, if it is an integer, as one that is not known."""
    return replace(value, value=MISSING) if type(value.value) is int else value


def _integers(value: Abstract | None) -> Iterator[int]:
    """The integers in a value that are known."""
    return (part.value for part in numbers_in(value) if type(part.value) is int)


def _anonymous(value: Abstract) -> Abstract:
    """The value without the name of the input that it is, which makes no difference to the function called."""
    return replace(value, origin=None) if isinstance(value, (Numeric, Items)) and value.origin is not None else value


def _default(value: Any) -> Abstract:
    if type(value) in (int, float, complex, bool):
        return number(value)
    if type(value) is tuple:
        return Items(tuple, tuple(map(_default, value)))
    plain = (str, types.FunctionType, types.BuiltinFunctionType, np.ufunc, type)
    return Known(value) if value is None or isinstance(value, plain) else Opaque()


class _Frame:
    def __init__(self, derivative: Derivative):
        self.derivative = derivative
        self.assumed: Abstract = NEVER
        self.used = False

    @functools.cached_property
    def recalled(self) -> Any:
        """What stands for the function where it is called inside itself, and is differentiated again."""
        return Recalled(self.derivative)


class Derivative:
    """One function for one pattern of arguments.

    Attributes
    ----------
    primal
        The saving primal: ``(value, path id, saved)``.
    tables
        For each choice of parameters and results, the adjoints by path id.
    """

    facts: Facts
    """What the last round of its analysis has found: of a function that calls itself there may be several."""
    role = "primal"
    """What the saving primal is called."""

    def __init__(self, definition: Definition, session: Session):
        self.definition = definition
        self.function = definition.function
        self.session = session
        self.program = program_of(definition)
        session.outside.note_bound(self.program)
        self.name = self.program.name if self.program.name.isidentifier() else NAMELESS
        if self.name.startswith("__") or self.name == "_":  # __call__
            self.name = self.name.strip("_") or NAMELESS
        self.label = self.name
        """The same in the names of generated functions, with a number where others have that name already."""
        self.parameters = list(self.program.parameters)
        self.keyword_only = self.program.keyword_only
        self.primal_cell = types.CellType()
        self.primal_program: Program | None = None
        self.primal_text: Text | None = None
        self.tables: dict[Any, PathTable] = {}
        self.prepared = False
        self.foreseen: set[tuple] = set()
        """The choices of parameters and results for which the primal saves all that their adjoints read."""
        self.settled = False
        """Analysed for good: no recursion that it takes part in is still being looked into."""
        self.called = False
        """Whether a function of the same compilation calls this one, itself included."""
        self.only: tuple | None = None
        """The adjoint of a function with one path, and what it was written for: there the general one is the path's."""
        self.involved: list[Any] = [self]
        """It and all whose adjoints its own call, once it is built."""
        self.leaves: list[tuple] = []
        self.tangent_header: Header | None = None
        self.tangent_cell = types.CellType()
        self.tangent_program: Program | None = None
        self.tangent_text: Text | None = None
        self.tangent_orders: dict[str, int] = {}
        self.caught = Caught.NOTHING
        """What handlers around calls of it may catch of what its tangent function raises."""
        self.tangent_raises = True
        """Whether that may raise errors that those handlers must let through."""

    # ---- analysis

    def called_by(self, name: str) -> None:
        """Name a lambda after the first name that it is called by."""
        if self.name == NAMELESS:
            self.name = self.label = name

    @property
    def built(self) -> tuple:
        """What must be built where this is called."""
        return self,

    @property
    def is_known(self) -> bool:
        """Whether some round of its analysis has come to its end."""
        return hasattr(self, "facts")

    def effects(self) -> tuple | None:
        """What its calls do to the arguments, as far as that is known by now; None where nothing is."""
        if not self.is_known:
            return None
        facts = self.facts
        return ({parameter: (facts.end(parameter), facts.stored.get(parameter)) for parameter in facts.written},
                facts.hidden, facts.holds, facts.knotted, facts.doubled)

    def depth(self) -> int:
        """How deep the containers are nested that it leaves in its arguments."""
        return max((levels(self.facts.end(parameter)) for parameter in self.facts.written), default=0)

    def analyse(self, arguments: dict[str, Abstract]) -> None:
        try:
            self.look_into(arguments)
        except UnsupportedError:
            plain = replace(self.definition, plain=True)
            if self.definition.plain or not program_of(plain).stands_in:
                raise
            self.definition = plain
            self.look_into(arguments)

    def look_into(self, arguments: dict[str, Abstract]) -> None:
        if not self.session.options.shapes:
            arguments = {name: _shapeless(value) for name, value in arguments.items()}
        self.program, self.facts = self.understood(arguments)
        self.leaves = static_leaves(self.facts.result)
        self.wanted = [name for name in self.parameters if arguments[name].active]

    def understood(self, arguments: dict[str, Abstract]) -> tuple[Program, Facts]:
        """The program taken apart: as it stands; where that is refused, with names for what is in containers spelled
        out, then with loops over objects written out turn by turn, with numbers for rows of an array, and for arrays,
        of which it is not known which name stands for which, and last without the objects that it makes."""
        program = program_of(self.definition)
        try:
            return self.told_apart(program, arguments)
        except UnsupportedError:
            from s2sgrad.compiler.dissolve import dissolved  # which most programs never need

            plain = None if len(self.session.running) > 1 else dissolved(
                program, arguments, self.session.outside.outer, program_of, functools.partial(
                    self.inferred, arguments=arguments))
            if plain is None:
                raise
            with contextlib.suppress(UnsupportedError):
                return self.told_apart(plain, arguments)
            raise

    def told_apart(self, program: Program, arguments: dict[str, Abstract]) -> tuple[Program, Facts]:
        try:
            return self.spelled_out(program, arguments)
        except SharesMemory as error:
            labels = error.labels
            facts: Facts | None = None
            for numbered in (by_row, by_number):
                try:
                    facts = self.inferred(program, arguments) if facts is None else facts
                    plain = numbered(program, facts, labels)
                    if plain is not None:
                        program, facts = plain, None
                        return self.spelled_out(plain, arguments)
                except SharesMemory as other:
                    labels = other.labels
                except UnsupportedError:
                    pass
            raise

    def spelled_out(self, program: Program, arguments: dict[str, Abstract]) -> tuple[Program, Facts]:
        try:
            return self.taken_apart(program, arguments)
        except UnsupportedError as error:
            refusal = error
        held: frozenset[str] = frozenset()
        if isinstance(refusal, NeedsPlaces) or writes_under_other_names(program):
            found = getattr(refusal, "parts", held)
            for _ in range(MOST_ROUNDS):
                held |= found
                try:
                    return self.taken_apart(program, arguments, places=True, held=held)
                except NeedsPlaces as error:
                    found = error.parts
                    if found <= held:
                        break
                except UnsupportedError as error:
                    refusal = error
                    break
        if any(isinstance(part, Loop) and part.target is not None and may_change_something(part)
               for part in statements(program.body)):
            for other in ("turns", "completes"):
                try:
                    return self.taken_apart(program, arguments, places=True, held=held, **{other: True})
                except UnsupportedError:
                    pass
        raise refusal

    def inferred(self, program: Program, arguments: dict[str, Abstract], own: frozenset[str] = frozenset(),
                 **options: Any) -> Facts:
        """What is known of a program; ``own``: the names that the user knows, where places are to be spelled out."""
        session = self.session
        run = InferViews if session.options.attribute_views else Infer
        facts: Facts = run(program, arguments, session.outside.outer(self.function), session.derivative_of,
                           not session.options.activity, session.options.shapes, program_of, places=own,
                           **options).run()
        return facts

    def taken_apart(self, program: Program, arguments: dict[str, Abstract], places: bool = False, turns: bool = False,
                    held: frozenset[str] = frozenset(), completes: bool = False) -> tuple[Program, Facts]:
        """The program without nested control flow, and what is known of it. ``places``: names for what is in
        containers are spelled out, those in ``held`` of what went into one under a name, too; ``turns``: loops over
        objects are written out; ``completes``: one of several objects may get an attribute that they have not yet."""
        own = program.names

        def infer(program: Program) -> Facts:
            return self.inferred(program, arguments, own if places else frozenset(), turns=turns, held=held,
                                 completes=completes)

        self.modules: dict[str, Any] = {}
        try:
            facts = infer(program)
            for _ in range(MOST_ROUNDS):  # an expression taken apart may hold another
                self.modules.update({identifier: version.value.value for identifier, version in facts.captured.items()
                                     if isinstance(version.value, Known)
                                     and isinstance(version.value.value, (types.ModuleType, type))})
                plain = desugar(program, facts)
                if plain is program and places:
                    plain = without_numbered_names(program, own)
                if plain is program:  # which names share memory can be told now
                    check_writes(program, facts, own)
                    if not facts.respelled and not facts.tests:
                        break
                    plain = desugar(program, facts)
                    if plain is program:
                        if facts.conflict is not None:
                            raise facts.conflict
                        break
                contiguous = facts.contiguous
                program, facts = plain, infer(plain)
                facts.contiguous.update(contiguous)
            else:  # what is left is not checked, and must not be reversed
                raise AssertionError(f"{self.name} is still not taken apart")
            check_attempts(program, facts)
        except NeedsValue as need:
            raise needed(need) from None
        names = program.names.union(facts.given, facts.captured)  # what was inlined mentions others than its own text
        if names != program.names or not facts.given.keys() <= program.given.keys():  # found in the last round
            program = replace(program, given={**program.given, **facts.given}, names=names)
        return program, facts

    # ---- building

    def build(self, seeds: tuple | None = None, ones: bool = False) -> None:
        """Find out what must be saved, by writing the general adjoints of this function and of those it calls, then
        write and compile the primals.

        ``seeds`` and ``ones``: the places of the result that have cotangents, and whether those are 1.
        """
        tell_apart(self)
        self.prepare(seeds, ones)
        involved = [self]
        for derivative in involved:
            for other in (other for called in derivative.facts.calls.values() for other in called.derivative.built):
                if other not in involved:
                    other.prepare(None, False)
                    involved.append(other)
        while any(derivative.foresee() for derivative in involved):  # an adjoint may ask for more of another
            pass
        while any(derivative.expose() for derivative in involved):
            pass
        for derivative in involved:
            derivative.finish()
        self.involved = involved
        if self.session.again:
            self.leave_functions_out()
            for derivative in involved:
                derivative.make_readable()
            self.complete()

    def leave_functions_out(self) -> None:
        """Give nothing in the place of functions that the primals only hand on to one another."""
        own = [derivative for derivative in self.involved if isinstance(derivative, Derivative)
               and derivative.primal_program is not None]
        wholes = {derivative: getattr(derivative, "whole", derivative) for derivative in self.involved}
        cells = {id(derivative.primal_cell): own.index(whole) for derivative, whole in wholes.items() if whole in own}
        generated = [Generated(derivative.primal_program, derivative.helpers.objects, derivative.facts.parameters)
                     for derivative in own]
        for place, program in without_functions(generated, cells).items():
            own[place].write_primal(program)

    def make_readable(self) -> None:
        """Let the function's primal be differentiated itself."""
        self.reveal(self.primal)

    def complete(self) -> None:
        """Write the adjoints that others call by their names; these may ask for more of them."""
        while any(adjoint.complete() for derivative in self.involved for adjoint in derivative.adjoints_by_name()):
            pass

    def adjoints_by_name(self) -> list:
        """What holds its adjoints for callers that call them by their names."""
        return list(self.tables.values())

    def build_tangent(self) -> None:
        """Write and compile the tangent functions of this function and of those it calls."""
        involved = [self]
        for derivative in involved:
            involved += {called.derivative: None for called in derivative.facts.calls.values()
                         if called.derivative not in involved}
        tell_apart(self)
        careful = any(derivative.facts.rewritten or derivative.facts.written for derivative in involved)
        outputs = []
        for derivative in involved:  # those that call one another need each other's headers
            names = Names(derivative.program.names)
            helpers = derivative.new_helpers(names)
            derivative.tangent_header = header_of(derivative.program, derivative.facts, names,
                                                  f"{derivative.label}_tangent")
            outputs.append((derivative, helpers, names))
        for derivative in involved:  # a caller may come again with more
            involved += [other for other, caught in caught_calls(
                derivative.program.body, derivative.facts, derivative.caught) if other.is_caught(caught)]
        for derivative, helpers, names in reversed(outputs):
            derivative.write_tangent(helpers, names, careful)
        own = [derivative for derivative in involved if derivative.tangent_program is not None]
        if any(holds_functions_alone(version.value) for each in own for version in each.facts.parameters.values()):
            generated = [Generated(derivative.tangent_program, derivative.tangent_helpers.objects,
                                   derivative.facts.parameters) for derivative in own]
            cells = {id(derivative.tangent_cell): place for place, derivative in enumerate(own)}
            for place, program in without_functions(generated, cells).items():
                own[place].compile_tangent(program)

    def is_caught(self, caught: Caught) -> bool:
        """Note what handlers around a call of it may catch; whether that is more than was known."""
        before, self.caught = self.caught, max(self.caught, caught)
        return self.caught > before

    def write_tangent(self, helpers: Helpers, names: Names, careful: bool) -> None:
        assert self.tangent_header is not None
        try:
            writer = Forward(self.program, self.facts, helpers, names, self.tangent_header, careful, self.caught)
            program = writer.run()
        except NeedsValue as need:
            raise needed(need) from None
        self.tangent_raises = writer.shelter.may_raise(program.body)
        self.tangent_helpers, self.tangent_orders = helpers, writer.orders(program)
        self.compile_tangent(program)

    def compile_tangent(self, program: Program) -> None:
        self.tangent_program = program
        self.tangent_text = Text(program, comments=False)
        made = self.compile(self.tangent_text, program.name, *self.defaults(), helpers=self.tangent_helpers)
        self.reveal_tangent(made)
        self.tangent_cell.cell_contents = made

    def reveal_tangent(self, made: Any) -> None:
        """Note what has to be known of a tangent function when it is differentiated itself."""
        setattr(made, GIVEN, self.tangent_helpers.objects)
        setattr(made, ORDERS, self.tangent_orders)

    def with_tangents_among(self, parameters: tuple[str, ...], wanted: tuple[str, ...]) -> types.FunctionType:
        """The tangent function with these parameters: its own, and where they stand that are none of those, in their
        order, the tangents of those that are wanted; others start as zeros."""
        assert self.tangent_header is not None and self.tangent_program is not None
        dots = self.tangent_header.parameters
        zeros = [Assign(dot, call(self.tangent_helpers.helper("zero_tangent"), name(label)), self.program.location)
                 for label, dot in dots.items() if label not in wanted]  # what moves is written into these
        moving = iter(wanted)
        labels = tuple(label if label in self.parameters else dots[next(moving)] for label in parameters)
        header = gast.arguments([gast.Name(label, gast.Param(), None, None) for label in labels], [], None, [], [],
                                None, [])
        program = replace(self.tangent_program, parameters=labels, header=header,
                          body=(*zeros, *self.tangent_program.body))
        made: types.FunctionType = self.compile(Text(program, comments=False), program.name,
                                                helpers=self.tangent_helpers)
        self.reveal_tangent(made)
        return made

    def prepare(self, seeds: tuple | None, ones: bool) -> None:
        """Write the general adjoint, which notes what it reads."""
        if self.prepared:
            return
        self.prepared = True
        self.names = Names(self.program.names)
        self.helpers = self.new_helpers(self.names)
        self.captures = Captures(self.names, "_" in self.program.parameters or "_" in self.program.names
                                 and "_" in read_names(self.program.body))
        self.paths = Paths(self.program)
        self.beginnings: dict[tuple, Beginning | None] = {}
        self.turns = Turns(shared=not (self.session.large or self.session.again))
        self.saved_name = self.names.fresh("saved")
        self.facts.called = self.called
        everything = (*self.leaves, *self.facts.exits())
        self.seeds = everything if seeds is None else seeds
        try:
            key = tuple(self.wanted), self.seeds, ones
            label = "" if self.paths.total == 1 else "general"
            unwritten = self.captures.snapshot()
            runs = self.paths.total == 1
            first, decisions = self.write_adjoint(None, *key, label, runs)
            if self.captures.pruned:  # others can have the names that were taken in vain
                self.captures.restore(unwritten)
                self.names.taken |= set(self.helpers.objects)  # which keep theirs
                self.turns.forget()
                self.captures.elsewhere.clear()
                first, decisions = self.write_adjoint(None, *key, label, runs)
        except NeedsValue as need:
            raise needed(need) from None
        self.foreseen.add(key)
        self.first = key, first, decisions

    def new_helpers(self, names: Names) -> Helpers:
        """The names that a generated function has for what it uses from outside."""
        local = assigned_names(self.program.body) | set(self.program.parameters)
        helpers = Helpers(names, self.session.outside.outer(self.function), local)
        for identifier, module in self.modules.items():
            helpers.alias(identifier, module)
        helpers.objects.update(self.program.given)
        for identifier, module in modules_first(self.program, self.facts).items():
            helpers.imported(identifier, module)
        return helpers

    def foresee(self) -> bool:
        """Write the general adjoints for the cotangents that callers have, as far as they are known by now; whether
        there were any."""
        missing = [key for key in self.tables if key not in self.foreseen]
        for key in missing:
            self.foreseen.add(key)
            wanted, seeds, ones = key
            try:
                self.write_adjoint(None, wanted, seeds, ones, "general", False)
            except NeedsValue as need:
                raise needed(need) from None
        return bool(missing)

    def expose(self) -> bool:
        """Tell the functions called of arrays that they have, in objects or in what they hand on, and that are written
        into here; whether that was new."""
        facts = self.facts
        labels = {version.name for version in facts.rewritten}
        if self.session.kept:  # the user has what is in the objects, and may write into it
            found = {facts.parameters[name] for name in facts.written}
            later_contents(found, facts)
            labels |= {version.name for version in found}
            # and into what is read from outside
            labels |= {version.name for version in fragile(self.program, facts, True, self.called)[0]}
        having = [called.derivative.facts for called in facts.calls.values() if any(
            node is not None and (parameter in called.derivative.facts.stored or holds_memory(facts.values[id(node)]))
            and (facts.exposed or not labels.isdisjoint(names_in(node)))
            for parameter, node in zip(called.derivative.parameters, called.arguments))]
        new = [other for other in having if not other.exposed]
        for other in new:
            other.exposed = True
        lent = [(called.derivative.facts, parameter) for called in facts.calls.values()
                for parameter, node in zip(called.derivative.parameters, called.arguments)
                if node is not None and parameter not in (*called.written, *called.derivative.facts.lent)
                and may_be_written(facts.values[id(node)]) and not (labels | facts.lent).isdisjoint(names_in(node))
                and hands_on(called, parameter)]
        for other, parameter in lent:
            other.lent.add(parameter)
        ends = overwritten(self.program, facts, set().union(*fragile(
            self.program, facts, self.session.kept, self.called)))
        back = [called.derivative.facts for key, called in facts.calls.items()
                if key in ends and not called.derivative.facts.given_back]
        for other in back:
            other.given_back = True
        return bool(new or lent or back)

    def finish(self) -> None:
        """Write and compile the primal, which saves what the adjoints read."""
        if self.captures.saved is not None:
            return
        key, first, decisions = self.first
        if not self.session.options.recorded:
            for version in self.facts.defined.values():
                if version.value.active and (version.loop is None or ("buffer", version.loop) in self.captures.table):
                    self.captures.version(version, self.program.location)
        elif self.paths.total == 1 and not self.called and not decisions:
            self.only = key, first
        self.captures.freeze()
        writer = Primal(self.program, self.facts, self.captures, self.helpers, self.names, self.paths,
                        self.session.kept, self.called, self.session.again)
        primal = writer.run(self.unused(f"{self.label}_{self.role}"))
        self.absent = frozenset(writer.needs.nones)
        self.write_primal(primal)
        for called in self.facts.calls.values():
            ensure(called.derivative.facts.written.keys() == called.written.keys(), "a call was taken for another")

    def write_primal(self, program: Program) -> None:
        self.primal_program = program
        self.primal_text = Text(program, comments=False)
        self.primal = self.compile(self.primal_text, program.name, *self.defaults())
        self.primal_cell.cell_contents = self.primal

    def saved_form(self) -> Abstract:
        """What is known of the tuple that the primal saves."""
        return Items(tuple, tuple(saved_form(capture, self.facts) for capture in self.captures.layout(None)))

    def texts(self) -> list[Text]:
        """Those of its primal and its adjoints."""
        assert self.primal_text is not None
        return [self.primal_text, *(text for table in self.tables.values() for text in table.texts.values())]

    def fused(self, gradient: Differentiated, seeds: tuple, ones: bool = True, sure: bool = True
              ) -> types.FunctionType:
        """Primal and adjoints in one function, which can be differentiated itself; see ``compiler/fused.py``. The
        cotangents of its result, where they are not ``ones``, are its last parameters. Where it is not ``sure`` that
        the result is a number, it checks that."""
        wanted = gradient.wanted
        assert self.primal_program is not None

        def adjoint_of(path: int | None) -> tuple[Program, dict[str, Any]]:
            known = None if path is None else self.paths.decisions(path)
            try:
                return self.write_adjoint(known, wanted, seeds, ones, "")
            except NotSaved:  # what this path's adjoint would read, the general one does without
                return self.write_adjoint(None, wanted, seeds, ones, "")

        options = [constant(gradient.label), constant(gradient.mode.seeds == "first"),
                   constant(gradient.mode.holomorphic)]
        check = None if sure else lambda value: call(self.helpers.helper("check_result"), value, *options)
        label = self.unused(f"{self.name}_gradient")
        if returns_in_attempt(self.primal_program):
            table = self.table(wanted, seeds, ones)
            called = (self.helpers.inject(("primal", id(self)), f"{self.name}_primal", self.primal_cell),
                      self.helpers.inject(("adjoint", id(table)), f"{self.name}_adjoint", table.by_name()))
            program = in_turn(self.primal_program, label, Names(self.names.taken), called,
                              (0 if ones else len(seeds), len(wanted)), gradient.mode.result, check)
            self.complete()
            return self.readable(program, *self.defaults())
        ends = [statement for statement in statements(self.program.body)
                if isinstance(statement, Leave) and statement.kind == "return" and statement.value is not None]
        unread = frozenset(statement.location for statement in ends
                           if sure and not gradient.mode.reads_value and not has_effect(statement.value, self.facts))
        fusion = Fusion(self.paths, adjoint_of, self.names, self.captures.unused, gradient.mode.result, unread, check)
        program = fusion.run(self.primal_program, self.absent, label)
        self.complete()  # a path's adjoint may ask for others than the general one
        made = self.readable(program, *self.defaults())
        setattr(made, COTANGENTS, self.program.cotangents.union(*map(self.cotangents_in, fusion.adjoints)))
        return made

    def cotangents_in(self, adjoint: Program) -> frozenset[str]:
        """The names for cotangents in an adjoint: all that it binds but what was saved for it."""
        assert self.primal_program is not None
        own = {*adjoint.parameters, *assigned_names(adjoint.body)}
        return frozenset(own - assigned_names(self.primal_program.body) - {*self.primal_program.parameters} - {
            capture.name for capture in self.captures.table.values()})

    def defaults(self) -> tuple[Any, Any]:
        """Of the function's own parameters; calls of a function defined inside, and of one with more parameters than
        it names, give all arguments."""
        if self.definition.syntax is not None:
            return None, None
        return None if self.definition.extra else self.function.__defaults__, self.function.__kwdefaults__

    def readable(self, program: Program, defaults: Any = None, keyword_defaults: Any = None,
                 helpers: Helpers | None = None) -> types.FunctionType:
        """A generated function that can be differentiated itself."""
        made: types.FunctionType = self.compile(Text(program, comments=True), program.name, defaults, keyword_defaults,
                                                helpers)
        self.reveal(made, helpers)
        return made

    def reveal(self, made: Any, helpers: Helpers | None = None) -> None:
        """Note what has to be known of a generated function when it is differentiated itself."""
        setattr(made, GIVEN, (self.helpers if helpers is None else helpers).objects)
        setattr(made, COTANGENTS, self.program.cotangents)
        setattr(made, ORDERS, self.program.orders)
        setattr(made, KEPT, self.program.kept.union(
            capture.name for capture in self.captures.table.values() if capture.kind in ("buffer", "saved")))

    def unused(self, wanted: str) -> str:
        return Names(self.names.taken | set(self.helpers.objects)).fresh(wanted)

    def compile(self, text: Text, name: str, defaults: Any = None, keyword_defaults: Any = None,
                helpers: Helpers | None = None) -> Any:
        objects = (self.helpers if helpers is None else helpers).objects
        cells = {key: value if isinstance(value, types.CellType) else types.CellType(value)
                 for key, value in objects.items()}
        code = self.function.__code__
        if self.function.__closure__ is not None:
            cells.update(zip(code.co_freevars, self.function.__closure__))
        function = compile_text(str(text), name, self.function.__globals__, cells, defaults, keyword_defaults)
        note_origins(text, function)
        return function

    def write_adjoint(self, known: dict | None, wanted: tuple[str, ...], seeds: tuple, ones: bool,
                      label: str, runs: bool = True, left_alone: frozenset[str] = frozenset()
                      ) -> tuple[Program, dict[str, Any]]:
        """An adjoint as a Program, and the decisions that it takes as arguments, by their names. ``runs``: it is not
        only written to note what it reads, and becomes what an expert would leave of it. ``left_alone``: the arguments
        that it would else write into, and copies here."""
        key = wanted, seeds, ones
        names = Names(self.names.taken)
        captures_names, self.captures.names = self.captures.names, names
        helper_names, self.helpers.names = self.helpers.names, names
        sweep = Reverse(self.program, self.facts, self.captures, self.helpers, names, known, wanted, seeds, ones,
                        self.turns)
        name = f"{self.label}_adjoint" if label in ("", "general") else f"{self.label}_adjoint_{label}"
        sweep.again = sweep.cotangents.again = self.session.again
        sweep.left_alone = left_alone
        self.captures.start()
        try:
            beginning = self.beginnings.get(key) if known is not None else None
            if beginning is not None and not beginning.fits(self.names.taken, self.captures):
                beginning = None
            program = sweep.run(lambda: names.fresh(name), self.saved_name, beginning)
            if known is None:
                self.beginnings[key] = sweep.beginning
            if runs and self.session.sizes and not self.session.large:
                program = at_once(program, sweep.operands, self.session.sizes, names.fresh)
            if runs:
                program = gathered(program, sweep.operands, names.fresh)
            if runs and self.session.large:
                once = ones and self.session.once  # others may be run again with the same saved values
                saved = saved_alone(self.program, self.facts, self.captures) if once else set()
                program = reused(program, sweep.operands, saved)
        finally:
            self.captures.names, self.helpers.names = captures_names, helper_names
            # names of saved values and helpers stay theirs in every adjoint
            self.names.taken |= {capture.name for capture in self.captures.table.values()} | set(self.helpers.objects)
            self.names.taken.update(self.captures.elsewhere)
        return program, sweep.decisions

    def adjoints(self, active: tuple[int, ...], places: tuple) -> PathTable:
        """The adjoints by path id, for a caller that has cotangents of these places of the result."""
        wanted = tuple(self.parameters[index] for index in active)
        key = wanted, places, False
        late = self.prepared and self.captures.saved is not None and key not in self.tables
        table = self.table(wanted, places, False)
        if late:  # the primal is written: does it save enough?
            try:
                self.write_adjoint(None, *key, "general", False)
            except NotSaved:
                del self.tables[key]
                raise
        return table

    def table(self, wanted: tuple[str, ...], seeds: tuple, ones: bool) -> PathTable:
        key = (wanted, seeds, ones)
        if key not in self.tables:
            self.tables[key] = PathTable(self, wanted, seeds, ones)
        return self.tables[key]


def modules_first(program: Program, facts: Facts) -> dict[str, types.ModuleType]:
    """The modules that a function begins with importing, by the names that they have throughout."""
    found: dict[str, types.ModuleType] = {}
    for statement in program.body:
        if not isinstance(statement, Import):
            break
        for target in statement.targets:
            value = facts.defined[statement, target].value
            if isinstance(value, Known) and isinstance(value.value, types.ModuleType) \
                    and sum(target in assigned_names((other,)) for other in program.body) == 1:
                found[target] = value.value
    return found


def with_other_names(program: Program, labels: list[str]) -> frozenset[str]:
    """Those of some parameters that get another value somewhere, or another name, where something is written into."""
    bound: set[str] = set()
    if not any(isinstance(statement, (Store, Augment)) for statement in statements(program.body)):
        return frozenset()
    for statement in statements(program.body):
        if isinstance(statement, Assign):
            bound.update(pattern_names(statement.target))
            bound.update(part.id for part in getattr(statement.value, "elts", [statement.value])
                         if isinstance(part, gast.Name))
    return frozenset(bound.intersection(labels))


def _shapeless(value: Abstract) -> Abstract:
    return with_numbers(value, lambda found: replace(found, shape=None) if found.kind == "array" else found)


def is_number(value: Abstract) -> bool:
    return isinstance(value, Numeric) and value.is_number


def is_renamed(label: str, body: tuple) -> bool:
    """Whether a block binds a name anew, or what that stands for to another name."""
    return label in assigned_names(body, False) or any(
        isinstance(statement, Assign) and isinstance(statement.value, gast.Name) and statement.value.id == label
        for statement in statements(body))


class PathTable(dict):
    """Adjoints by path id, each generated when its path is first met.

    Past ``PATH_BOUND`` paths the general adjoint serves, with the path's decisions as arguments; one warning says so.
    """

    def __init__(self, derivative: Derivative, wanted: tuple[str, ...], seeds: tuple, ones: bool):
        super().__init__()
        self.derivative = derivative
        self.wanted = wanted
        self.seeds = seeds
        self.ones = ones
        self.texts: dict[Any, Text] = {}
        self.general: tuple | None = None
        self.for_any_path: types.CellType | None = None
        """Where adjoints that are differentiated again find the one that takes the path id as an argument."""
        self.awaited = False
        """Whether that one is asked for, and not there yet."""
        self.called = ""
        """The name by which the first function that calls this one has the table."""

    def __missing__(self, path: int) -> Callable:
        with COMPILING:
            if path not in self:
                if len(self.texts) < PATH_BOUND and self.derivative.session.options.paths:
                    try:
                        self[path] = self.of_path(path)
                    except NotSaved:  # what this path's adjoint would read, the general one does without
                        self[path] = self.of_general(path)
                else:
                    if self.general is None and self.derivative.session.options.paths:
                        place = self.derivative.program.location
                        warnings.warn_explicit(
                            f"{self.derivative.name} took more than {PATH_BOUND} branch paths: further paths share "
                            "one general adjoint, which decides at run time", UserWarning, place.filename, place.line)
                    self.bound(self)
                    self[path] = self.of_general(path)
            return self[path]

    def bound(self, by_path: dict[int, Any]) -> None:
        """Keep what is known by path from growing on and on: what the general adjoint serves is made again at need."""
        if len(by_path) > 100 * PATH_BOUND:
            for path in by_path.keys() - self.texts.keys():
                del by_path[path]

    def text(self, path: int) -> Text:
        """The text of the adjoint that serves a path."""
        self[path]
        return self.texts.get(path) or self.texts["general"]

    def of_path(self, path: int) -> Callable:
        total = self.derivative.paths.total
        known = self.derivative.paths.decisions(path)
        key = self.wanted, self.seeds, self.ones
        if self.derivative.only is not None and self.derivative.only[0] == key:
            program = self.derivative.only[1]
        else:
            program, _ = self.derivative.write_adjoint(known, *key, str(path) if total > 1 else "")
        program = self.as_called(program)
        text = self.texts[path] = Text(program, comments=True)
        return self.derivative.compile(text, program.name)

    def as_called(self, program: Program) -> Program:
        """An adjoint under the name by which the function's caller has the table: there may be others of the function,
        for cotangents of other results."""
        plain = f"{self.derivative.label}_adjoint"
        label = program.name.replace(plain, self.called or plain, 1)
        return program if label in self.derivative.names.taken else replace(program, name=label)

    def general_adjoint(self) -> tuple:
        """The general adjoint, and the decisions that it takes."""
        with COMPILING:
            if self.general is None:
                program, decisions = self.derivative.write_adjoint(None, self.wanted, self.seeds, self.ones, "general")
                program = self.as_called(program)
                text = Text(program, comments=True)
                self.texts["general"] = text
                self.general = self.derivative.compile(text, program.name), list(decisions.values())
            return self.general

    def by_name(self) -> types.CellType:
        """The cell in which the adjoint for any path will be, which takes the path id before the saved tuple."""
        if self.for_any_path is None:
            self.for_any_path = types.CellType()
            self.awaited = True
        return self.for_any_path

    def complete(self) -> bool:
        """Write and compile the adjoint for any path where it is asked for and not there yet; whether that was so."""
        if not self.awaited or self.for_any_path is None:
            return False
        self.awaited = False
        self.fill(self.for_any_path)
        return True

    def fill(self, cell: types.CellType) -> None:
        """Write and compile the adjoint for any path."""
        derivative = self.derivative
        path = derivative.names.fresh("path")
        key = self.wanted, self.seeds, self.ones
        program, decisions = derivative.write_adjoint(None, *key, "general")
        exits = [label for label, seed in zip(program.parameters[1:], self.seeds) if is_exit(seed)]
        named = with_other_names(program, exits)
        if named:  # whoever differentiates it would not know what it writes into
            program, decisions = derivative.write_adjoint(None, *key, "general", left_alone=named)
        parameters = (path, *(item for item in program.parameters if item not in decisions))
        first: list[Any] = decided(derivative.paths, decisions, name(path), program.location)
        ends = [label for label, seed in zip(parameters[2:], self.seeds) if is_exit(seed) and not is_number(item_at(
            derivative.facts.end(seed[0].parameter), seed[1:]))]
        copied = {label: derivative.names.fresh(f"{label}_before") for label in ends if is_renamed(label, program.body)}
        first += [Assign(label, call(derivative.helpers.helper("held"), name(given)), program.location)
                  for label, given in copied.items()]
        parameters = tuple(copied.get(label, label) for label in parameters)
        adjoint = derivative.readable(replace(program, parameters=parameters, body=(*first, *program.body)))
        setattr(adjoint, COTANGENTS, derivative.cotangents_in(program))
        setattr(adjoint, GIVES_BACK, frozenset(exits) - {*copied})
        cell.cell_contents = adjoint

    def of_general(self, path: int) -> Callable:
        adjoint, decisions = self.general_adjoint()
        known = self.derivative.paths.decisions(path)
        values = tuple(known.get(subject) == RETURNED if isinstance(subject, Loop) else known.get(subject)
                       for subject in decisions)
        if not values:
            return adjoint
        return lambda *arguments: adjoint(*arguments, *values)

