"""Tangents as they come from the user and go back: formed like the values that they belong to."""
from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.containers import container, contents, hides_floats, is_complex, is_float
from s2sgrad.errors import ArgumentError, ArgumentTypeError, ensure
from s2sgrad.runtime import zero_tangent
from s2sgrad.subjects import described

STRUCTURE = "pass what has its structure, with None for what is no float"


def taken(tangent: Any, value: Any, label: str) -> Any:
    """A tangent that the user gives for an argument, checked, in memory of its own; None stands for zero."""
    held = contents(value)
    if tangent is None:
        return zero_tangent(value)
    if held is None:
        return leaf(tangent, value, label)
    given = contents(tangent)
    if given is None or given.steps != held.steps:
        found = f"is {described(tangent)}" if given is None else f"has the parts {list(given.steps)}"
        raise ArgumentTypeError(f"{label} has the parts {list(held.steps)}, its tangent {found}", STRUCTURE)
    parts = [taken(one, other, f"{label}[{step!r}]") for one, other, step in zip(given.parts, held.parts, held.steps)]
    return container(held.kind, held.keys, parts)


def leaf(tangent: Any, value: Any, label: str) -> Any:
    if not is_float(value):
        raise ArgumentTypeError(f"{label} is {described(value)}, and only floats have a tangent", "pass None for it")
    if np.asarray(tangent).dtype.kind not in ("biufc" if is_complex(value) else "biuf"):
        raise ArgumentTypeError(f"the tangent of {label} is {described(tangent)}", "pass real numbers")
    if np.shape(tangent) != np.shape(value):
        raise ArgumentError(f"{label} has shape {np.shape(value)}, its tangent {np.shape(tangent)}",
                            "pass a tangent of its shape")
    return formed(tangent, value)


def formed(tangent: Any, value: Any) -> Any:
    """A tangent in its value's own form, dtypes and kinds, in memory of its own; None for what is no float."""
    held = contents(value, any_keys=True)
    if held is None:
        if tangent is not None:
            check_open(value)
        if not is_float(value):
            return None
        if tangent is None:
            tangent = zero_tangent(value)
        ensure(np.shape(tangent) == np.shape(value), "a tangent has not its value's shape")
        if is_complex(tangent) and not is_complex(value):  # of a value that might have been complex
            tangent = np.real(tangent)
        return np.array(tangent, value.dtype) if isinstance(value, np.ndarray) else type(value)(tangent)
    given = contents(tangent, any_keys=True)
    parts = [None] * len(held.parts) if given is None else given.parts
    if given is not None and given.keys is not None and given.keys != held.keys:  # an object may have got less, by now
        named = dict(zip(given.keys, given.parts))
        parts = [named[key] for key in held.keys]
    return container(held.kind, held.keys, [formed(one, other) for one, other in zip(parts, held.parts, strict=True)])


def check_open(value: Any) -> None:
    """Raises ArgumentTypeError for a result, or part of one, that no tangent and no cotangent could be formed like."""
    if hides_floats(value):
        raise ArgumentTypeError(f"the result is or holds {described(value)}, which leads back to itself, computes its "
                                "attributes or lacks some", "return what it holds")
