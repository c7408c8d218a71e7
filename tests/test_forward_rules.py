"""The rule table forwards: each line's tangent against the judge, and against the same line in reverse."""
from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np
import pytest
from rule_calls import BY_LABEL, Call, floats
from rule_cases import CASES

import s2sgrad
from s2sgrad.compiler.emit import compile_text
from s2sgrad.derivative import ALL_ON, Options
from s2sgrad.entry import tangent_entry
from s2sgrad.judge import numerical_gradient
from s2sgrad.rules.table import ATTRIBUTES, METHODS, ZERO
from s2sgrad.subjects import subject_of

ALL = [
    pytest.param(name, case, id=f"{name}({case})")
    for name, cases in CASES.items()
    for case in cases
    if name in BY_LABEL and BY_LABEL[name].partials
]
each_call = pytest.mark.parametrize(("name", "case"), ALL)
KNOWN = {"known": ALL_ON, "unknown": Options(shapes=False)}


class Written:
    """A function that makes one call, with a parameter for each of its floats and arrays."""

    def __init__(self, name: str, case: str, dtype: type):
        call = Call(name, case, dtype)
        self.rule = call.rule
        self.values: list[Any] = []
        moving = {id(leaf) for *_, leaf in call.leaves()}
        self.moving: list[bool] = []

        def text(value: Any) -> str:
            if isinstance(value, (list, tuple)) and list(floats("", (), value)):
                inner = ", ".join(map(text, value))
                return f"[{inner}]" if isinstance(value, list) else f"({inner},)"
            if isinstance(value, (np.ndarray, np.generic)) or isinstance(value, float) and id(value) in moving:
                self.values.append(value)
                self.moving.append(id(value) in moving)
                return f"p{len(self.values) - 1}"
            if isinstance(value, type):
                return f"np.{value.__name__}" if value.__module__ == "numpy" else value.__name__
            return repr(value).replace("inf", "math.inf")

        arguments = [*map(text, call.args), *(f"{key}={text(value)}" for key, value in call.kwargs.items())]
        if name.startswith("."):
            called = f"({arguments[0]}){name}"
            if name[1:] not in ATTRIBUTES or METHODS.get(name[1:]) is self.rule:
                called += f"({', '.join(arguments[1:])})"
        else:
            called = f"{name}({', '.join(arguments)})"
        parameters = ", ".join(f"p{index}" for index in range(len(self.values)))
        self.text = f"def f({parameters}):\n    return {called}\n"
        self.function = compile_text(
            self.text, "f", {"__name__": "written", "__builtins__": builtins, "np": np, "math": math}, {})

    def directions(self) -> list[Any]:
        rng = np.random.default_rng(11)
        return [direction(value, rng) if moves else None for value, moves in zip(self.values, self.moving)]

    def moved(self, step: float, tangents: list[Any]) -> Any:
        with np.errstate(all="ignore"):
            return self.function(*(value if tangent is None else value + step * tangent
                                   for value, tangent in zip(self.values, tangents)))

    def tangent(self, tangents: list[Any], options: Options) -> Any:
        """The tangent as the generated function gives it."""
        subject = subject_of(self.function)
        given = {f"p{index}": tangent for index, tangent in enumerate(tangents) if tangent is not None}
        entry = tangent_entry(subject, tuple(given), options)
        return entry.run_tangent(entry.call(*self.values), tuple(self.values), given)[1]


def direction(value: Any, rng: np.random.Generator) -> Any:
    made = rng.normal(size=np.shape(value))
    return np.asarray(made, value.dtype) if isinstance(value, np.ndarray) else type(value)(made)


@each_call
def test_tangents_are_right(name: str, case: str) -> None:
    written = Written(name, case, np.float64)
    tangents = written.directions()
    value = written.function(*written.values)
    rng = np.random.default_rng(12)
    g = np.asarray(rng.normal(size=np.shape(value)) + 2.0)[()] if np.ndim(value) == 0 else rng.normal(
        size=np.shape(value)) + 2.0
    tolerance = 1e-5 if np.asarray(value).dtype == np.float32 else 1e-9
    estimate = numerical_gradient(lambda step: written.moved(step, tangents), (0.0,), 0, g)
    for options in KNOWN.values():
        found = written.tangent(tangents, options)
        assert np.shape(found) == np.shape(value)
        assert has_dtype_of(found, value)
        if tolerance < 1e-6:
            np.testing.assert_allclose(np.sum(g * found), estimate.value, rtol=1e-6,
                                       atol=1e-7 + 4 * np.max(estimate.error, initial=0))
        _, pullback = s2sgrad.vjp(written.function, *written.values)
        pulled = pullback(g)
        backwards = sum(float(np.sum(one * other)) for one, other in zip(pulled, tangents) if other is not None)
        np.testing.assert_allclose(np.sum(g * found), backwards, rtol=tolerance, atol=1e-3 * tolerance)


@each_call
def test_tangents_keep_single_precision(name: str, case: str) -> None:
    written = Written(name, case, np.float32)
    value = written.function(*written.values)
    for options in KNOWN.values():
        found = written.tangent(written.directions(), options)
        assert has_dtype_of(found, value)


def has_dtype_of(tangent: Any, value: Any) -> bool:
    """Whether a tangent is of its value's dtype: Python numbers widen nothing."""
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind == "f":
        return type(tangent) is float or tangent.dtype == value.dtype
    return np.ndim(tangent) == 0


def test_every_rule_goes_forwards() -> None:
    for rule in BY_LABEL.values():
        linear = {parameter for group in rule.linear_groups for parameter in group}
        told = linear | set(rule.tangent)
        for parameter, formula in rule.partials.items():
            assert rule.elementwise or rule.spreads or formula is ZERO or parameter in told, (rule.title, parameter)
