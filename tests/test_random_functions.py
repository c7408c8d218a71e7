"""Random functions that make others, hand them on and differentiate them: the value is that of plain Python, the
gradient that of finite differences, of gradients that are finite differences, too.

``--random-programs N`` tries N programs that are other ones each time.
"""
from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from random_functions import IMPORT, program
from random_runs import run
from test_random_programs import compiled

import s2sgrad
from s2sgrad.errors import UnsupportedError

PROGRAMS = 8
REFUSED = ("the function called here is not known before the call", "let it have one form throughout",
           "the function whose gradient is called here is not known before the call",
           "may be a container of differentiated values, or neither that nor None",
           "may be one of several functions that hold differentiated values",
           "functools.partial has no derivative rule", "this call may write into its arguments",
           "into which this line writes, and is read after it", "is bound anew behind",
           "a gradient is differentiated of a function that calls others on some paths only")
MOST_REFUSED = 0.4
TOO_LARGE = 1e3
STEP = 4e-3
NUMERICAL = "from test_random_functions import numerical_grad as grad, numerical_value_and_grad as value_and_grad\n"


def slope(along: Callable[[float], float]) -> tuple[float, float]:
    """The slope of a function of a number at 0, and the error that it may have."""
    ends = [(along(step) - along(-step)) / (2 * step) for step in (STEP, STEP / 2, STEP / 4)]
    nearer = [(4 * second - first) / 3 for first, second in zip(ends, ends[1:])]
    best = (16 * nearer[1] - nearer[0]) / 15
    return best, 10 * abs(best - nearer[1]) + 2e-5 * max(1.0, abs(best), abs(along(0.0)))


def moved(function: Callable[..., Any], args: tuple[Any, ...], place: int, entry: int) -> Callable[[float], float]:
    """What a function gives, by how far an entry of one of its arguments is moved."""
    def along(step: float) -> float:
        given = copy.deepcopy(args)
        given[place][entry] += step
        return float(function(*given))
    return along


def numerical_grad(function: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    def gradient(*args: Any, **kwargs: Any) -> Any:
        def number(*given: Any) -> Any:
            result = function(*given, **kwargs)
            return result[0] if has_aux else result

        found = [np.array([slope(moved(number, args, place, entry))[0] for entry in range(len(args[place]))])
                 for place in np.atleast_1d(argnums)]
        slopes = tuple(found) if isinstance(argnums, tuple) else found[0]
        return (slopes, function(*args, **kwargs)[1]) if has_aux else slopes
    return gradient


def numerical_value_and_grad(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: (function(*args), numerical_grad(function)(*args))


def arguments(seed: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    return tuple(rng.normal(size=3) * 0.7 + 0.1 for _ in range(2))


def plain_value(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """The function's value; None where it raises, or is too large to judge."""
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            value = function(*args)
    except (ArithmeticError, ValueError, IndexError, NameError, TypeError, AttributeError, RecursionError):
        return None
    return value if abs(value) < TOO_LARGE else None


def examine(text: str) -> str:
    """Judge one program: ``"right"``, ``"unjudged"`` (it runs nowhere) or the reason why it is refused."""
    outcome = "unjudged"
    with compiled(text) as function, compiled(text.replace(IMPORT, NUMERICAL)) as numerical, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in (0, 1):
            expected = plain_value(numerical, arguments(seed))
            if expected is None:
                continue
            try:
                left, args = arguments(seed), arguments(seed)
                plain = function(*left)
                value, gradients = s2sgrad.value_and_grad(function, (0, 1))(*args)
                tangents = arguments(seed + 10)
                forwards, along = s2sgrad.jvp(function, arguments(seed), tangents)
                if seed == 0:
                    alone = s2sgrad.grad(function, 1)(*arguments(seed))
                    np.testing.assert_allclose(alone, gradients[1], rtol=1e-7, atol=1e-9)
            except UnsupportedError as refusal:
                return refusal.reason
            assert value == plain and forwards == plain
            np.testing.assert_array_equal(args, left)
            np.testing.assert_allclose(along, np.sum(np.multiply(gradients, tangents)), rtol=1e-6, atol=1e-8)
            if abs(plain - expected) > 1e-5 * max(1.0, abs(plain)):
                continue  # a gradient is taken at a kink or a jump
            outcome = "right"
            for place, gradient in enumerate(gradients):
                for entry, found in enumerate(gradient):
                    right, error = slope(moved(numerical, arguments(seed), place, entry))
                    smooth = error < 1e-3 * max(1.0, abs(right))
                    assert not smooth or abs(found - right) <= error, \
                        f"argument {place}, entry {entry} at {arguments(seed)}: {found}, numerically {right}"
    return outcome


def test_random_functions(request: pytest.FixtureRequest) -> None:
    outcomes = run(request, program, examine, REFUSED, PROGRAMS)
    total = sum(outcomes.values())
    assert outcomes["refused"] <= MOST_REFUSED * total and outcomes["right"] >= 0.4 * total, outcomes
