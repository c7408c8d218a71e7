"""Gradients by forward mode, with a tangent for each element of the arguments: slower than reverse mode by their
number, and right where that is refused. Of an array the tangents share runs (``sweeps.py``), where it is known how."""
from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from s2sgrad.compiler.again import GRADIENT
from s2sgrad.compiler.emit import compile_text
from s2sgrad.compiler.mode import Mode
from s2sgrad.containers import container, contents, is_complex, is_float
from s2sgrad.entry import gradient_entry
from s2sgrad.errors import ensure
from s2sgrad.runtime import held
from s2sgrad.subjects import Subject, subject_of
from s2sgrad.sweeps import WIDTH, check_reruns, sweep_forwards
from s2sgrad.transforms import jvp


def gradient_by_elements(function: types.FunctionType, places: tuple[int, ...], mode: Mode) -> types.FunctionType:
    """What ``grad`` makes of a function in some of its arguments, which runs forward mode; to whoever differentiates it
    again it is a gradient like all others."""
    subject = subject_of(function)
    label, given = f"{function.__name__}_gradient", ", ".join(subject.parameters())
    made = compile_text(f"def {label}({given}):\n    return gradient({given})\n", label, {
        "__name__": "s2sgrad.written", "gradient": functools.partial(_gradient, subject, places, mode)}, {})
    setattr(made, GRADIENT, gradient_entry(subject, places[0] if mode.bare else places, mode))
    return made


def _gradient(subject: Subject, places: tuple[int, ...], mode: Mode, *args: Any) -> Any:
    bars = tuple(_bar(subject, place, args, mode.holomorphic) for place in places)
    found = bars[0] if mode.bare else bars
    return (subject.function(*held(args)), found) if mode.value else found


def _bar(subject: Subject, place: int, args: tuple, holomorphic: bool) -> Any:
    """The cotangent of one argument."""
    def along(tangent: Any) -> Any:
        return jvp(subject, held(args), at(place, tangent, args))[1]

    def of(value: Any, along: Callable[[Any], Any]) -> Any:
        """That of a part of the argument. ``along`` gives the slope along a tangent of that part."""
        inside = contents(value)
        if inside is not None:
            return container(inside.kind, inside.keys, [of(part, functools.partial(
                _along_part, along, inside, index)) for index, part in enumerate(inside.parts)])
        if not is_float(value):
            return None
        return _formed(value, holomorphic, lambda factor: [along(factor * unit) for unit in units(value)])

    argument = args[place]
    if contents(argument) is not None:
        return of(argument, along)
    return _formed(argument, holomorphic, lambda factor: np.concatenate(
        [np.zeros(0), *(slopes for _, slopes in forwards(subject, place, args, factor=factor))]))


def _along_part(along: Callable[[Any], Any], whole: Any, index: int, tangent: Any) -> Any:
    parts = [tangent if place == index else None for place in range(len(whole.parts))]
    return along(container(whole.kind, whole.keys, parts))


def _formed(value: Any, holomorphic: bool, slopes: Callable[[complex], Any]) -> Any:
    """A cotangent in its value's own form. ``slopes`` gives those along the elements of the value, each times a
    factor."""
    bar = np.asarray(slopes(1.0))
    if is_complex(value) and not holomorphic:
        bar = bar - 1j * np.asarray(slopes(1j))
    if not is_complex(value):
        bar = np.real(bar)
    if isinstance(value, np.ndarray):
        return np.reshape(bar, value.shape).astype(value.dtype)
    return type(value)(bar[0])


def forwards(subject: Subject, place: int, args: tuple, check: Callable[[Any], None] | None = None,
             factor: complex = 1.0) -> Iterator[tuple[Any, np.ndarray]]:
    """For some elements of an argument after the other, each moved by the ``factor``, the value, of which there may be
    a ``check``, and an array of the tangents that they give. Raises Reruns where that takes several runs, and these may
    differ."""
    argument = args[place]
    sweep = sweep_forwards(subject, place, args) if np.size(argument) > 1 and is_float(argument) else None
    if np.size(argument) > (1 if sweep is None else WIDTH):
        check_reruns(subject, place, args)
    if sweep is None:
        for unit in units(argument):
            value, tangent = jvp(subject, held(args), at(place, factor * unit, args))
            if check is not None:
                check(value)
            yield value, (np.zeros(np.shape(value)) if tangent is None else np.asarray(tangent))[None]  # of integers
        return
    for several in blocks(argument):
        value, tangents = sweep((factor * several).astype(argument.dtype), held(args))
        if check is not None:
            check(value)
        ensure(np.shape(tangents) == (len(several), *np.shape(value)), "the tangents have not their value's shape")
        real = is_complex(tangents) and not is_complex(value)  # of a value that might have been complex
        yield value, np.asarray(np.real(tangents) if real else tangents, np.asarray(value).dtype)


def units(value: Any) -> Iterator[Any]:
    """One after the other the arrays like ``value`` in which one element is 1 and all others are 0."""
    for index in np.ndindex(np.shape(value)):
        unit = np.zeros(np.shape(value))
        unit[index] = 1.0
        yield unit if np.ndim(value) else 1.0


def blocks(value: Any) -> Iterator[np.ndarray]:
    """The same, so many of them together as go into one run."""
    size = np.size(value)
    for start in range(0, size, WIDTH):
        yield np.reshape(np.eye(min(WIDTH, size - start), size, start), (-1, *np.shape(value)))


def at(place: int, tangent: Any, args: tuple) -> tuple:
    """The tangents of arguments of which one moves."""
    return tuple(tangent if index == place else None for index in range(len(args)))
