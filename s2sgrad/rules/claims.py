"""What a rule of the user's says of a function, tried on samples: that it works element by element, or else what its
results are like.

Of a function that does not work element by element, the result has not the shape that is taken for granted, and forward
mode would put the tangent where the formula has a cotangent.
"""
from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import ANY, MISSING, Abstract, Numeric, join, known_value, with_dims
from s2sgrad.rules.results import by_samples, call_of
from s2sgrad.rules.samples import quietly, samples_of
from s2sgrad.rules.table import Operation, Rule

SIZE = 3
ROUNDING = 1e-5
"""An element that changes by less, relatively, depends on the others only by rounding, or by when an iteration ends."""

_found: dict[Any, bool | None] = {}


def check_by_element(operation: Operation, said: bool) -> None:
    """Raises UnsupportedError for a function that does not work element by element, and for one that cannot be run on
    samples, unless the user ``said`` that it does."""
    rule, operands = operation.rule, operation.operands
    key = rule, *((name, ranks_of(value), getattr(value, "dtype", None)) for name, value in operands.items())
    if key not in _found:
        _found[key] = works_by_element(rule, operands)
    if _found[key] is False:
        raise UnsupportedError(f"{rule.title} does not work element by element, as its rule says",
                               "say elementwise=False, and let each formula give the cotangent of an argument")
    if _found[key] is None and not said:
        raise UnsupportedError(f"{rule.title} can't be run on samples, to see whether it works element by element",
                               "say elementwise=True in its rule, or elementwise=False")


def ranks_of(value: Abstract) -> tuple[int, ...]:
    """How many axes an operand may have that may be an array; none for what is a number or known."""
    if not isinstance(value, Numeric) or value.is_number or known_value(value) is not MISSING:
        return ()
    return (1, 2) if value.shape is None else (len(value.shape),)


def works_by_element(rule: Rule, operands: dict[str, Abstract]) -> bool | None:
    """Whether each element of a function's result depends on those in its place alone. None where it cannot be run."""
    ranks = {name: ranks_of(value) for name, value in operands.items()}
    arrays = {name: value for name, value in operands.items() if ranks[name]}
    found = None
    for rank in sorted(set().union(*ranks.values())) or [0]:
        shape = (SIZE,) * rank
        like = {name: Numeric("array", getattr(value, "dtype", None) or np.dtype(float), shape) if name in arrays
                else value for name, value in operands.items()}
        try:
            samples = samples_of(like)
            with quietly():
                result = call_of(rule, samples)
                if isinstance(result, (tuple, list)):  # which is refused elsewhere
                    return True
                if np.shape(result) != shape or not all(
                        stays_apart(rule, samples, name) for name in arrays):
                    return False
        except Exception:  # the samples can't tell
            continue
        found = True
    return found


def stays_apart(rule: Rule, samples: dict[str, Any], name: str) -> bool:
    """Whether what one element of an operand is matters in its own place alone."""
    before = np.asarray(call_of(rule, samples))
    for index in np.ndindex(before.shape):
        moved = np.array(samples[name])
        moved[index] = 1.1 - moved[index]
        change = np.isclose(call_of(rule, {**samples, name: moved}), before, ROUNDING, 0.0, equal_nan=True)
        change[index] = True
        if not change.all():
            return False
    return True


def result_by_values(op: Operation) -> Abstract:
    """The rank and dtype that a function's results have, where samples of several sizes and signs agree on them. How
    long these are may depend on values."""
    found = [by_samples(dataclasses.replace(op.rule, function=of_multiples(op.rule.function, factor)), op.operands)
             for factor in (1.0, -1.0, 10.0)]
    known = [result for result in found if result is not ANY]
    result = with_dims(functools.reduce(join, known), lambda dim: None) if known else ANY
    return dataclasses.replace(result, grown=None) if isinstance(result, Numeric) else result


def of_multiples(function: Callable, factor: float) -> Callable:
    def called(*args: Any, **kwargs: Any) -> Any:
        return function(*(multiple(value, factor) for value in args),
                        **{name: multiple(value, factor) for name, value in kwargs.items()})
    return called


def multiple(value: Any, factor: float) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)([multiple(item, factor) for item in value])
    return value * factor if np.asarray(value).dtype.kind in "fc" else value
