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

from s2sgrad.compiler.again import GRADIENT
from s2sgrad.compiler.emit import compile_text
from s2sgrad.entry import tangent_entry
from s2sgrad.errors import ArgumentError
from s2sgrad.runtime import contracted, held, structured, taken_along, zero_tangent
from s2sgrad.subjects import subject_of
from s2sgrad.transforms import grad, jvp


def along(function: Any, cotangent: Any, /, *args: Any) -> Any:
    value = function(*args)
    return contracted(value, cotangent)


def fitting(tangent: Any, value: Any) -> Any:
    """A tangent in its value's dtype."""
    if not isinstance(value, (tuple, list, dict)) and np.shape(value) != np.shape(tangent):
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


@functools.lru_cache(maxsize=256)
def written_jvp(count: int, moving: tuple[int, ...]) -> types.FunctionType:
    """``jvp`` of a function and so many arguments, and of tangents of those that move."""
    labels = ["function", *(f"x{index + 1}" for index in range(count))]
    dots = [f"{labels[index + 1]}_dot" for index in moving]
    apply = written("applied", labels, [f"value = function({', '.join(labels[1:])})", "return value"])
    subject = subject_of(apply)
    along = [f"x{index + 1}_dot" if index in moving else "None" for index in range(count)]
    pushed = written("pushed", [*labels, *dots], [
        f"return jvp(applied, ({', '.join(labels)},), (None, {', '.join(along)}))"], jvp=jvp, applied=apply)
    setattr(pushed, GRADIENT, tangent_entry(subject, tuple(labels[index + 1] for index in moving)))
    made = [f"fitting({dot}, {dot.removesuffix('_dot')})" for dot in dots]
    return written("jvp", [*labels, *dots], [
        f"value, tangent = pushed({', '.join([*labels, *made])})",
        "return value, moved(tangent, value)"], pushed=pushed, fitting=fitting, moved=moved)


def written(label: str, parameters: list[str], lines: list[str], **outside: Any) -> types.FunctionType:
    text = "\n    ".join([f"def {label}({', '.join(parameters)}):", *lines]) + "\n"
    return compile_text(text, label, {"__name__": "s2sgrad.written", "__builtins__": builtins, **outside}, {})

