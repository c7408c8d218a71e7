"""Calls of ``vjp`` and ``jvp`` as calls of Python functions: what they are differentiated as.

A pullback is the gradient of the value contracted with a cotangent, and has copies of the arguments and of what the
function takes from around it, lest these change before it is called. A tangent is what the compiled tangent function
gives, which has a text to be differentiated, too.
"""
from __future__ import annotations

import builtins
import functools
import types
from typing import Any

import numpy as np

from s2sgrad.compiler.again import BY_GRADIENT, GRADIENT
from s2sgrad.compiler.definitions import alike, own_derivative
from s2sgrad.compiler.emit import compile_text
from s2sgrad.compiler.nodes import Names
from s2sgrad.entries import entries_of, state_of
from s2sgrad.entry import tangent_entry
from s2sgrad.errors import ArgumentError
from s2sgrad.given import tuple_text
from s2sgrad.rules.table import rule_for
from s2sgrad.runtime import contracted, held, structured, taken_along, zero_tangent
from s2sgrad.signature import signature_of
from s2sgrad.subjects import Subject, subject_of
from s2sgrad.transforms import grad, jvp, value_and_grad


def along(function: Any, cotangent: Any, /, *args: Any) -> Any:
    value = function(*args)
    return contracted(value, cotangent)


def fitting(tangent: Any, value: Any) -> Any:
    """A tangent in its value's dtype."""
    if isinstance(value, (float, complex, np.generic, np.ndarray)) and np.shape(value) != np.shape(tangent):
        raise ArgumentError(f"an argument has shape {np.shape(value)}, its tangent {np.shape(tangent)}",
                            "pass a tangent of its shape")
    return taken_along(tangent, value)


def moved(tangent: Any, value: Any) -> Any:
    """The tangent of a value, which may depend on nothing that moves."""
    return structured(zero_tangent(value) if tangent is None else tangent, value)


@functools.lru_cache(maxsize=256)
def written_vjp(count: int, moving: tuple[int, ...], copied: tuple[int, ...]) -> types.FunctionType:
    """``vjp`` of a function and so many arguments. ``moving``: those that are differentiated in; ``copied``: of the
    function and the arguments those that may be written into before the pullback is called."""
    labels = ["function", *(f"x{index + 1}" for index in range(count))]
    bars = [f"bars[{moving.index(index)}]" if index in moving else "None" for index in range(count)]
    kept = [f"held({label})" if index in copied else label for index, label in enumerate(labels)]
    given = ", ".join(labels[1:])
    pulled = written("pulled", labels, [
        f"value = function({given})",
        "def pullback(cotangent):",
        *([f"    bars = slopes(function, cotangent, {given})"] if moving else []),
        f"    return {', '.join(bars)},",
        "return value, pullback"], slopes=grad(along, tuple(index + 2 for index in moving)) if moving else None)
    return written("vjp", labels, [f"return pulled({', '.join(kept)})"], pulled=pulled, held=held)


def written_jvp(count: int, moving: tuple[int, ...], known: Any) -> types.FunctionType:
    """``jvp`` of a function and so many arguments, and of tangents of those that move. ``known``: the function, where
    it is, and changes none of them; one that takes just these is differentiated itself, and not as what another calls.
    """
    if not takes_just(known, count):
        return jvp_of_any(count, moving)
    made: types.FunctionType = entries_of(known).once(
        ("jvp", moving, *map(id, state_of(known))), lambda: jvp_of(subject_of(known), 0, moving))
    return made


def takes_just(function: Any, count: int) -> bool:
    """Whether a function of the user's has so many parameters, all of them by position."""
    if type(function) is not types.FunctionType or own_derivative(function) is not None \
            or alike(function) is not None or rule_for(function) is not None:
        return False
    parameters = signature_of(function).parameters.values()
    return len(parameters) == count and all(item.kind <= item.POSITIONAL_OR_KEYWORD for item in parameters)


@functools.lru_cache(maxsize=256)
def jvp_of_any(count: int, moving: tuple[int, ...]) -> types.FunctionType:
    labels = ["function", *(f"x{index + 1}" for index in range(count))]
    applied = written("applied", labels, [f"value = function({', '.join(labels[1:])})", "return value"])
    return jvp_of(subject_of(applied), 1, moving)


def jvp_of(subject: Subject, first: int, moving: tuple[int, ...]) -> types.FunctionType:
    """``jvp`` of a subject, of whose parameters those from the ``first`` on are the arguments."""
    labels = list(subject.parameters())
    wanted = tuple(labels[first + index] for index in moving)
    names = Names(set(labels))
    transform, callee = names.fresh("jvp"), names.fresh("function")
    dots = {label: names.fresh(f"{label}_dot") for label in wanted}
    along = [dots.get(label, "None") for label in labels]
    pushed = written("pushed", [*labels, *dots.values()], [
        f"return {transform}({callee}, {tuple_text(labels)}, {tuple_text(along)})"],
        **{transform: jvp, callee: subject.function})
    setattr(pushed, GRADIENT, tangent_entry(subject, wanted))
    setattr(pushed, BY_GRADIENT, functools.partial(by_gradient, subject.function, labels, dots))
    arguments = [f"x{index + 1}" for index in range(len(labels) - first)]
    moved_by = [f"x{index + 1}_dot" for index in moving]
    fitted = [f"fitting({dot}, {dot.removesuffix('_dot')})" for dot in moved_by]
    return written("jvp", ["function", *arguments, *moved_by], [
        f"value, tangent = pushed({', '.join([*['function'][:first], *arguments, *fitted])})",
        "return value, moved(tangent, value)"], pushed=pushed, fitting=fitting, moved=moved)


def by_gradient(function: types.FunctionType, labels: list[str], dots: dict[str, str]) -> types.FunctionType:
    """What gives value and tangent of a function that returns a number, as products of its gradient with tangents, by
    the names of the parameters that move: where a tangent function can't be differentiated, a gradient often can."""
    names = Names({*labels, *dots.values()})
    slopes, contract, value, bars = map(names.fresh, ("slopes", "contracted", "value", "bars"))
    terms = [f"{contract}({bars}[{place}], {dot})" for place, dot in enumerate(dots.values())]
    return written("pushed", [*labels, *dots.values()], [
        f"{value}, {bars} = {slopes}({', '.join(labels)})",
        f"return {value}, {' + '.join(terms)}"],
        **{slopes: value_and_grad(function, tuple(map(labels.index, dots))), contract: contracted})


def written(label: str, parameters: list[str], lines: list[str], **outside: Any) -> types.FunctionType:
    text = "\n    ".join([f"def {label}({', '.join(parameters)}):", *lines]) + "\n"
    return compile_text(text, label, {"__name__": "s2sgrad.written", "__builtins__": builtins, **outside}, {})

