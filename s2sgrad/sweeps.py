"""Several tangents or cotangents in one run: a tangent function, or a gradient with its cotangent as a parameter,
written anew for arrays of them (``compiler/stacked.py``). Where that can't be done rightly there is none."""
from __future__ import annotations

import functools
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sgrad.compiled import Compiled
from s2sgrad.compiler.attributes import NeedsParts
from s2sgrad.compiler.closed import Outlives
from s2sgrad.compiler.definitions import Definition
from s2sgrad.compiler.emit import Text
from s2sgrad.compiler.evaluation import NeedsSizes
from s2sgrad.compiler.helpers import Helpers
from s2sgrad.compiler.nodes import Names
from s2sgrad.compiler.running_again import runs_alike
from s2sgrad.compiler.stacked import Stacked, Unstackable
from s2sgrad.compiler.tangent_state import versions_with_tangents
from s2sgrad.compiling import COMPILING
from s2sgrad.derivative import (
    Captured,
    Derivative,
    Endless,
    NeedsInput,
    NewPlace,
    Options,
    Session,
    TooMany,
    program_of,
)
from s2sgrad.entry import Entry, pullback_entry, tangent_entry
from s2sgrad.errors import UnsupportedError
from s2sgrad.memory import guarded
from s2sgrad.rules.abstract import Abstract, Items, Known, Numeric, activated, passive
from s2sgrad.rules.table import NeedsValue
from s2sgrad.runtime import repeated, zero_tangent
from s2sgrad.signature import Place
from s2sgrad.subjects import Subject

WIDTH = 128
"""So many tangents go into one run: more make it no faster, and take memory."""
MOST_ANALYSED = 64
"""So many functions are looked into for it; recursions that need more take longer than the runs that it spares."""


def sweep_forwards(subject: Subject, place: int, args: tuple) -> Callable | None:
    """For calls with arguments like these, of which one moves, what gives the value and its tangents for an array of
    tangents of that one, which it may write into; None where there is none."""
    label = list(subject.parameters())[place]
    entry = tangent_entry(subject, (label,))
    compiled = entry.specialise(entry.values(args, {}))
    header = compiled.derivative.tangent_header
    assert header is not None
    run = found(compiled, lambda: of_tangents(compiled, header.parameters[label]))

    def sweep(tangents: np.ndarray, args: tuple) -> tuple[Any, Any]:
        assert run is not None
        arguments = entry.arguments(args, {})
        dots = {dot: tangents if name == label else zero_tangent(arguments[name])
                for name, dot in header.parameters.items()}
        dots.update((dot, repeated(value, len(tangents))) for dot, value in dots.items()
                    if dot in run.stacked and value is not tangents)
        return called(entry, run, arguments, tangents, dots, header.by_keyword)
    return None if run is None else sweep


def sweep_backwards(subject: Subject, place: int, args: tuple) -> Callable | None:
    """The same with an array of cotangents of the value, and those of the argument, for functions that do the same when
    they are run again."""
    label = list(subject.parameters())[place]
    entry = pullback_entry(subject, (label,))
    compiled = entry.specialise(entry.values(args, {}))
    if not does_the_same(entry, compiled):
        return None
    run = found(compiled, lambda: of_cotangents(entry, compiled, label))

    def sweep(cotangents: np.ndarray, args: tuple) -> tuple[Any, Any]:
        assert run is not None
        arguments = entry.arguments(args, {})
        return called(entry, run, arguments, cotangents, {"": cotangents}, False)
    return None if run is None else sweep


def called(entry: Entry, run: Run, arguments: dict[str, Any], given: np.ndarray, dots: dict[str, Any],
           by_keyword: bool) -> Any:
    named = {name: arguments.pop(name) for name in entry.parameters if name in entry.keyword_only}
    if by_keyword:
        return run(len(given), *arguments.values(), **named, **dots)
    return run(len(given), *arguments.values(), *dots.values(), **named)


class Reruns(UnsupportedError):
    """A function would have to be run several times, and may do something else each time."""


def check_reruns(subject: Subject, place: int, args: tuple) -> None:
    """Raises Reruns where the tangent function for calls with arguments like these may do something else when it is run
    again, or somebody notices."""
    entry = tangent_entry(subject, (list(subject.parameters())[place],))
    compiled = entry.specialise(entry.values(args, {}))
    if not does_the_same(entry, compiled):
        raise Reruns(f"{subject.name} would be run several times, and changes, prints or draws something, or may do so",
                     "take jacrev, which runs it once, or make one that gets what changes as an argument",
                     compiled.derivative.program.location)


def does_the_same(entry: Entry, compiled: Compiled) -> bool:
    """Whether what was compiled does the same when it is run again, and nobody notices."""
    if compiled.alike is None:
        compiled.alike = not entry.outer and runs_alike(compiled.derivative) is None
    return compiled.alike


def found(compiled: Compiled, make: Callable[[], Run | None]) -> Run | None:
    """The sweep of what was compiled, made when it is first asked for."""
    with COMPILING:
        if not compiled.sweeps:
            try:
                compiled.sweeps.append(make())
            except (Unstackable, UnsupportedError, NewPlace, NeedsInput, NeedsParts, NeedsSizes, NeedsValue,
                    TooMany):
                compiled.sweeps.append(None)  # one at a time it goes
        made: Run | None = compiled.sweeps[0]
        return made


def of_tangents(compiled: Compiled, wanted: str) -> Run:
    derivative = compiled.derivative
    header = derivative.tangent_header
    assert header is not None
    values = {name: passive(version.value) for name, version in derivative.facts.parameters.items()}
    dots = {dot: values[name] for name, dot in header.parameters.items()}
    if not all(isinstance(value, Numeric) for value in dots.values()):
        raise Unstackable("a container of tangents")
    dots[wanted] = activated(dots[wanted])
    return of_function(derivative, derivative.tangent_cell.cell_contents, {**values, **dots}, set(dots))


def of_cotangents(entry: Entry, compiled: Compiled, wanted: str) -> Run:
    derivative = compiled.derivative
    result = derivative.facts.result
    if not isinstance(result, Numeric) or derivative.leaves != [()] or derivative.facts.exits():
        raise Unstackable("more than one result")
    values = {name: passive(version.value) for name, version in derivative.facts.parameters.items()}
    function, bar = derivative.session.pullback_of(entry.definition, values, wanted)
    return of_function(derivative, function, {**values, bar: activated(passive(result))}, {bar})


def analysed(definition: Definition, values: list[Abstract], captured: dict, options: Options) -> Derivative:
    def meet(place: Place) -> Abstract:
        if type(place.holder) is not dict or not str(place.holder.get("__name__")).startswith("s2sgrad."):
            raise NewPlace(place)  # what the user may change belongs into the signature
        return Known(place.read())

    while True:
        try:
            session = Session(Captured(captured, meet), options, False, False, most=MOST_ANALYSED)
            return session.derivative_of(definition, list(values))[0]
        except (Outlives, Endless):
            continue


@dataclass(frozen=True)
class Run:
    """What runs through several tangents at once: their number comes first.

    Attributes
    ----------
    stacked
        The parameters that have the axis.
    """

    derivative: Derivative
    function: Callable
    stacked: frozenset[str]

    def __call__(self, count: int, *args: Any, **kwargs: Any) -> Any:
        run = functools.partial(self.function, count)
        return guarded(self.derivative, run, self.derivative.session.captured, False)(*args, **kwargs)


def of_function(derivative: Derivative, function: types.FunctionType, values: dict[str, Abstract], given: set[str]
                ) -> Run:
    """A generated function, for several of the tangents or cotangents ``given`` at once."""
    if derivative.session.options.mirrored:
        raise Unstackable("writes that nobody has checked")
    definition = Definition(function)
    ordered = [values[label] for label in program_of(definition).parameters]
    whole = analysed(definition, ordered, derivative.session.captured, derivative.session.options)
    cells: dict[Derivative, types.CellType] = {}
    involved = [whole]

    def callee(other: Derivative, helpers: Helpers) -> Any:
        if type(other) is not Derivative:
            raise Unstackable("a function with a derivative of its own")
        if other not in involved:
            involved.append(other)
        cell = cells.setdefault(other, types.CellType())
        return helpers.inject(("stacked", id(other)), f"{other.name}_stacked", cell)

    result = whole.facts.result
    tangent = result.items[1] if isinstance(result, Items) and result.items is not None else None
    if not isinstance(tangent, Numeric) or not tangent.active:
        raise Unstackable("a result that does not depend on the tangents")
    for one in involved:
        names = Names(one.program.names)
        helpers = one.new_helpers(names)
        program = Stacked(one.program, one.facts, helpers, names, callee).run(names.fresh(f"{one.name}_stacked"))
        made = one.compile(Text(program, comments=False), program.name, *one.defaults(), helpers=helpers)
        cells.setdefault(one, types.CellType()).cell_contents = made
    needed = versions_with_tangents(whole.facts)
    stacked = frozenset(label for label, version in whole.facts.parameters.items() if version in needed)
    if not stacked <= given:
        raise Unstackable("an argument that is written into")
    return Run(derivative, cells[whole].cell_contents, stacked)
