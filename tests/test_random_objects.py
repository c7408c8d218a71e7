"""Random programs over an object whose methods change it: values, objects and gradients are those of plain Python and
of finite differences.

``--random-programs N`` tries N programs that are other ones each time.
"""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from random_objects import program
from random_runs import run
from test_random_programs import VARIANTS, compiled

import s2sgrad
from s2sgrad.errors import UnsupportedError
from s2sgrad.judge import UnjudgedWarning, compare
from s2sgrad.transforms import _gradient

PROGRAMS = 5
REFUSED = ("and is read after it", "that the caller has too", "in more than one place", "is not supported",
           "has another name, too", "attributes are not known", "may be a container")
TOO_LARGE = 1e3


def arguments(function: Any, seed: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    kinds = function.__globals__

    def array() -> np.ndarray:
        return rng.normal(size=3) * 0.8
    parts = [kinds["Part"](array(), number) for number in (0.3, 0.2, -0.5)]
    return kinds["Whole"](array(), array(), 0.4, [array(), array()], {"p": array(), "q": array()}, parts[0],
                          parts[1:]), array()


def numbers(value: Any) -> list[Any]:
    """All numbers in a value, in order."""
    if isinstance(value, np.ndarray):
        return list(value.ravel())
    if isinstance(value, (tuple, list)):
        return [number for part in value for number in numbers(part)]
    if isinstance(value, (float, np.floating)):
        return [float(value)]
    held = value if isinstance(value, dict) else vars(value)
    return [number for part in held.values() for number in numbers(part)]


def examine(text: str) -> str:
    """Judge one program: ``"right"``, ``"unjudged"`` (it runs nowhere) or the reason why it is refused."""
    outcome = "unjudged"
    with compiled(text) as function, warnings.catch_warnings():
        warnings.simplefilter("ignore", (UnjudgedWarning, RuntimeWarning))
        for seed in (0, 1):
            left, args = arguments(function, seed), arguments(function, seed)
            try:
                value = function(*left)
            except (ArithmeticError, ValueError, IndexError, TypeError):
                continue
            if not abs(value) < TOO_LARGE:
                continue
            try:
                found, gradients = s2sgrad.value_and_grad(function, (0, 1))(*args)
            except UnsupportedError as refusal:
                return refusal.reason
            close = {"rtol": 1e-7, "atol": 1e-8 * (1 + abs(value))}
            np.testing.assert_allclose(found, value, **close)
            np.testing.assert_allclose(numbers(args), numbers(left), **close)
            compare(gradients, function, arguments(function, seed), (0, 1), 1.0)
            for label, options in VARIANTS.items():
                args = arguments(function, seed)
                try:
                    same, others = _gradient(function, (0, 1), False, False, True, options)(*args)
                except UnsupportedError:
                    continue
                np.testing.assert_allclose([same, *numbers(args)], [value, *numbers(left)], **close, err_msg=label)
                np.testing.assert_allclose(numbers(others), numbers(gradients), **close, err_msg=label)
            outcome = "right"
    return outcome


def test_random_objects(request: pytest.FixtureRequest) -> None:
    outcomes = run(request, program, examine, REFUSED, PROGRAMS)
    assert outcomes["right"] >= 0.3 * sum(outcomes.values()), outcomes
