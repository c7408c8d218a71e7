"""The work of compiling one function's derivative, with those of the functions that it calls."""
from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad.compiler import telling
from s2sgrad.compiler.again import BY_GRADIENT, GIVEN, GRADIENT, Differentiated, differentiated, in_parts
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.facts import numbers_in
from s2sgrad.compiler.mode import Mode
from s2sgrad.compiler.outside import Outside
from s2sgrad.compiler.recalled import Recalled
from s2sgrad.compiler.structures import static_leaves
from s2sgrad.compiler.variadic import is_only_spread
from s2sgrad.containers import is_member
from s2sgrad.derivative.alike import Alike
from s2sgrad.derivative.derivative import Derivative
from s2sgrad.derivative.inputs import Captured, Endless, TooMany
from s2sgrad.derivative.options import Options, mirroring
from s2sgrad.derivative.programs import program_of
from s2sgrad.derivative.understood import MOST_ROUNDS
from s2sgrad.errors import Location, UnsupportedError, place_of
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
from s2sgrad.rules.arithmetic import is_root
from s2sgrad.rules.dims import Dim
from s2sgrad.signature import Place

MOST_VERSIONS, MOST_DEPTH = 48, 20
"""For so many integers a function that calls itself is compiled, each time for the one, and so deep inside itself."""
MOST_RUNNING = 30
"""So many functions may be looked into, one inside another, before one that calls itself counts as endless: well below
Python's recursion limit, also where several call one another in turn, as with a memory around each call."""
ENDLESS: set[tuple] = set()
"""The functions that called themselves with more, or went deeper."""
MOST_LEVELS = 8
"""As often what a function that calls itself returns may turn out to be a deeper container."""


class Session:
    """One compilation: the captured inputs met, and a Derivative for each function and pattern of arguments met.

    Attributes
    ----------
    by_slopes
        Of a gradient that is differentiated by way of slopes, what it is taken for, and its derivative; None where it
        can't be. Slopes are made of the transforms, which are made of this: they come with those.
    """

    by_slopes: Callable[[Definition, bool], tuple[Definition, Any] | None]

    def __init__(self, captured: Captured, options: Options, kept: bool, large: bool, again: bool = False,
                 once: bool = True, sizes: Mapping[Any, int] | None = None,
                 changing: Mapping[Place, str] | None = None,
                 methods: frozenset[types.FunctionType] = frozenset(), most: int | None = None):
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
        self.changing = True
        """Whether functions of the session may change containers that others have, too, or the caller may."""
        self.done: dict[Any, Derivative] = {}
        self.alike = Alike()
        self.refused: dict[Any, UnsupportedError] = {}
        """Why functions can't be differentiated: whoever calls one may be taken apart in several ways, one after the
        other, and so may those that call it."""
        self.running: dict[Any, _Frame] = {}
        self.counts: dict[tuple, set[tuple[int, ...]]] = {}
        """The integers with which functions call themselves."""
        self.most = most
        """So many functions may still be looked into, each time for other arguments; None: any number."""
        self.gradients: dict[Any, types.FunctionType] = {}
        """Gradients that functions of the session call, written out."""
        self.takes_gradients = False
        """Whether functions of the session call gradients."""
        self.missed: set[str] = set()
        """What would make a difference somewhere in it (``Evaluation.missed``)."""
        self.outside = Outside(captured, changing or {}, methods)

    def root(self, whole: Derivative, *results: Abstract) -> Location | None:
        """The place of the power that the session's functions take for real and that may be complex, where the
        arguments, and these results, are real otherwise; the function's, where there are several."""
        asked = [*(version.value for version in whole.facts.parameters.values()), *results]
        found = [] if any(is_complex(value) for each in asked for value in numbers_in(each)) else [
            place_of(applied.nodes["x1"], derivative.program.location) for derivative in self.done.values()
            for applied in derivative.facts.applied.values() if is_root(applied.operation)]
        return found[0] if len(found) == 1 else whole.program.location if found else None

    def check_outer(self, whole: Derivative) -> None:
        """Raises Changing or UnsupportedError where what is read from outside is changed while it is read; the latter
        where the result tells of differentiated values in a way that is not followed, too."""
        known = [derivative.facts for derivative in self.done.values()]
        read = [at for facts in known for at in facts.numbers_read] if any(facts.told_away for facts in known) else []
        if telling.is_number_told(whole.facts.result) or read:
            raise UnsupportedError(telling.REASON, telling.REMEDY, read[0] if read else whole.program.location)
        self.outside.check([(derivative.program, derivative.facts, derivative.called or derivative is whole)
                            for derivative in self.done.values()], whole.program.location)

    def checked(self, definition: Definition, values: list[Abstract | None]) -> tuple[Derivative, Any]:
        """The same as :func:`derivative_of`, of a function whose text goes on in another one: that no longer tells what
        this one reads outside of what it changes there."""
        derivative, result = self.derivative_of(definition, values)
        self.check_outer(derivative)
        return derivative, result

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

    def opened(self, definition: Definition, values: list[Abstract | None]) -> list[Abstract | None]:
        """What is known of the arguments of a gradient: of objects in which it is one, by their attributes."""
        parameters = program_of(replace(definition, gradient=())).parameters
        gradient, read = differentiated(definition, parameters), self.outside.outer(definition.function)
        location = program_of(gradient.definition).location
        return [in_parts(value, read, location) if label in gradient.wanted and value is not None else value
                for label, value in zip(parameters, values)]

    def written_definition(self, definition: Definition, values: list[Abstract | None]) -> Definition:
        by_gradient = getattr(definition.function, BY_GRADIENT, None) if self.options.gradients else None
        if by_gradient is None:
            return Definition(self.gradient_of(definition, values))
        gradient = differentiated(definition, program_of(replace(definition, gradient=())).parameters)
        inner = Session(self.captured, self.options, False, False, again=True, changing=self.outside.changing)
        inner.outside, inner.missed = self.outside, self.missed
        known = dict(zip(program_of(definition).parameters, values))
        derivative, result = inner.checked(gradient.definition, [
            known[label] for label in program_of(gradient.definition).parameters])
        if isinstance(result, Numeric) and result.kind == "array" and result.rank != 0:
            raise UnsupportedError(f"the tangent of {gradient.label}, which returns an array, is no product with a "
                                   "gradient", "let it return a number", derivative.program.location)
        return replace(definition, function=by_gradient())

    def tangent_of(self, gradient: Differentiated, values: dict[str, Abstract]) -> types.FunctionType:
        """A tangent function as plain code, with its parameters in the order of these values."""
        options = mirroring(self.options) if self.options.elements else self.options
        inner = Session(self.captured, options, False, False, again=True, changing=self.outside.changing)
        inner.outside, inner.missed = self.outside, self.missed
        derivative, _ = inner.checked(gradient.definition, [
            activated(passive(values[label])) if label in gradient.wanted or options.mirrored else passive(
                values[label]) for label in program_of(gradient.definition).parameters])
        derivative.build_tangent()
        return derivative.with_tangents_among(tuple(values), gradient.wanted)

    def try_forwards(self, definition: Definition, values: list[Abstract]) -> None:
        """Raises UnsupportedError where forward mode has no way to the tangent of a function: what runs it later would.
        """
        inner = Session(self.captured, mirroring(self.options), False, False, changing=self.outside.changing)
        inner.outside, inner.missed = self.outside, self.missed
        derivative, _ = inner.checked(definition, list(map(activated, values)))
        derivative.build_tangent()

    def written_out(self, gradient: Differentiated, values: list[Abstract]) -> types.FunctionType:
        inner = Session(self.captured, self.options, False, False, again=True, changing=self.outside.changing)
        inner.outside, inner.missed = self.outside, self.missed
        program = program_of(gradient.definition)
        derivative, result = inner.checked(gradient.definition, [
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
        inner.missed = self.missed
        derivative, _ = inner.checked(definition, [
            activated(value) if label == wanted else value for label, value in values.items()])
        derivative.build(((),), False)
        mode = Mode("given", value=True, bare=True)
        made = derivative.fused(Differentiated(definition, derivative.name, (wanted,), mode), ((),), False)
        bar = set(inspect.signature(made).parameters) - set(values)
        return made, bar.pop()

    def default_of(self, definition: Definition, place: int, default: Any) -> Abstract:
        """What is known of a parameter's default. A dict of which nothing is made but keywords, ``func(x, **options)``,
        is read when the function is called, as what is captured."""
        if type(default) is dict and definition.syntax is None:
            function, program = definition.function, program_of(definition)
            homes = [(label, holder) for holder in (function.__defaults__, function.__kwdefaults__) if holder
                     for label, held in (holder.items() if type(holder) is dict else enumerate(holder))
                     if held is default]
            if homes and is_only_spread(program, program.parameters[place]):
                return self.outside.outer(function)(*homes[0])
        known = _default(default)
        if isinstance(known, Opaque):
            self.outside.defaults[definition.function, id(default)] = default
        return known

    def derivative_of(self, definition: Definition, values: list[Abstract | None]) -> tuple[Derivative, Any]:
        """The derivative of a function for arguments (None: the default), and its abstract result."""
        own = None
        if definition.gradient or hasattr(definition.function, GRADIENT):
            self.takes_gradients = True
            values = self.opened(definition, values)
            found = Session.by_slopes(definition, not self.running) if self.options.slopes else None
            definition, own = found or (self.written_definition(definition, values), None)
        make: Any = Derivative
        own = own or definition.own
        if own is not None:
            definition, make = replace(definition, function=own.stub), own.derivative
        given = [self.default_of(definition, place, default) if value is None else value
                 for place, (value, default) in enumerate(zip(values, definition.defaults(), strict=True))]
        depth = [frame[:2] for frame in self.running].count((make, definition))
        if depth:  # f(x[1:]) inside of f(x): ever others
            given = [_with_sizes_of_inputs(value) if depth == 1 else with_dims(value, lambda dim: None)
                     for value in given]
            if depth > 1:
                outer = [frame[2] for frame in self.running if frame[:2] == (make, definition)][-1]
                given = list(map(_of_any_length, given, outer))
            self.count(make, definition, given, depth)
        if (make, definition) in ENDLESS:
            given = [with_numbers(value, _uncounted) for value in given]
        arguments = dict(zip(program_of(definition).parameters, given))
        key = (make, definition, tuple(map(_anonymous, given)))
        seen: Callable[[Abstract], Abstract] = _with_sizes_of_inputs if depth else lambda value: value
        if key in self.done:
            derivative = self.done[key]
            return derivative, seen(derivative.facts.result)
        if key in self.refused:
            raise self.refused[key].with_traceback(None)
        if key in self.running:
            frame = self.running[key]
            frame.used = True
            return frame.recalled if self.again else frame.derivative, seen(frame.assumed)
        alike = None if depth else self.alike.find(
            (make, definition), list(key[2]), self.captured.values())
        if alike is not None:
            return alike
        if self.most is not None:
            self.most -= 1
            if self.most < 0:
                raise TooMany
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
                        "container of unknown depth",
                        "return what is computed from it, put all into one list, or make it of objects of a class",
                        frame.derivative.program.location)
                if not frame.used or result == frame.assumed and frame.derivative.effects() == effects:
                    break
                frame.assumed = result
                for provisional in set(self.done) - before:  # they were told a result that was not final
                    self.alike.forget(self.done.pop(provisional))
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
        self.alike.note((make, definition), list(key[2]), frame.derivative)
        return frame.derivative, seen(frame.derivative.facts.result)

    def count(self, make: Any, definition: Definition, given: list, depth: int) -> None:
        """Note with what integers a function calls itself, ``depth`` times inside itself: with ever others it is
        endless. Raises Endless where that must be known from the start: of the user's functions, and not of generated
        ones, which are others each time."""
        integers = tuple(number for value in given for number in _integers(value))
        counts = self.counts.setdefault((make, definition), set())
        counts.add(integers)
        many = depth > MOST_DEPTH or len(self.running) > MOST_RUNNING or len(counts) > MOST_VERSIONS
        if integers and many and (make, definition) not in ENDLESS:
            ENDLESS.add((make, definition))
            if not hasattr(definition.function, GIVEN):
                raise Endless


def _uncounted(value: Numeric) -> Numeric:
    """The number, if it is an integer, as one that is not known."""
    return replace(value, value=MISSING) if type(value.value) is int else value


def _of_any_length(value: Abstract, before: Abstract) -> Abstract:
    """A value with those of its lists and tuples that are longer than a call before as ones of unknown length."""
    if not isinstance(value, Items) or not isinstance(before, Items) or value.kind is not before.kind \
            or value.keys != before.keys or value.items is None or before.items is None:
        return value
    if len(value.items) == len(before.items):
        return replace(value, items=tuple(map(_of_any_length, value.items, before.items)))
    joined = join(value, before)
    longer = len(value.items) > len(before.items) and isinstance(joined, Items) and not isinstance(
        joined.element, Opaque)  # or it is of unlike items, as a tree is
    return joined if longer else value


def _integers(value: Abstract | None) -> Iterator[int]:
    """The integers in a value that are known."""
    return (part.value for part in numbers_in(value) if type(part.value) is int)


def _anonymous(value: Abstract) -> Abstract:
    """The value without the name of the input that it is, which makes no difference to the function called."""
    return replace(value, origin=None) if isinstance(value, (Numeric, Items)) and value.origin is not None else value


def _with_sizes_of_inputs(value: Abstract) -> Abstract:
    """What a function and its calls inside itself hand to each other: sizes that are named after expressions are others
    in each of these."""
    def lasting(dim: Dim) -> Dim:
        return None if isinstance(dim, tuple) and not (dim[0] == "less" and isinstance(dim[1], str)) else dim

    return with_dims(value, lasting)


def _default(value: Any) -> Abstract:
    if type(value) in (int, float, complex, bool):
        return number(value)
    if type(value) is tuple:
        return Items(tuple, tuple(map(_default, value)))
    plain = (str, types.FunctionType, types.BuiltinFunctionType, np.ufunc, type(np.sum), type)
    return Known(value) if value is None or isinstance(value, plain) or is_member(value) else Opaque()


class _Frame:
    def __init__(self, derivative: Derivative):
        self.derivative = derivative
        self.assumed: Abstract = NEVER
        self.used = False

    @functools.cached_property
    def recalled(self) -> Any:
        """What stands for the function where it is called inside itself, and is differentiated again."""
        return Recalled(self.derivative)
