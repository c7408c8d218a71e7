"""The rule table forwards: each line's tangent against the judge, and against the same line in reverse."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from checks import Checks, Sampled
from corpus import is_of_floats, leaves
from rule_calls import BY_LABEL
from rule_cases import CASES as CASES_OF_NUMPY
from scipy_cases import SCIPY_CASES
from written_calls import Written

import s2sgrad
from s2sgrad.derivative import ALL_ON, Options
from s2sgrad.entry import tangent_entry
from s2sgrad.errors import UnsupportedError
from s2sgrad.judge import cotangent_like, numerical_gradient
from s2sgrad.rules.table import ZERO
from s2sgrad.subjects import subject_of

CASES = {**CASES_OF_NUMPY, **SCIPY_CASES}
REFUSED: set[tuple[str, str]] = set()
"""The functions that have no derivative forwards in a parameter: none."""

KNOWN = {"known": ALL_ON, "unknown": Options(shapes=False)}


class Tried(Written):
    """Such a function with tangents."""

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
        return entry.push(tuple(self.values), given)[1]


def direction(value: Any, rng: np.random.Generator) -> Any:
    made = rng.normal(size=np.shape(value))
    return np.asarray(made, value.dtype) if isinstance(value, np.ndarray) else type(value)(made)


def in_line(result: Any, like: Any) -> np.ndarray:
    """The floats of a result, or of its tangent or cotangent, one after another."""
    floats_ = [np.ravel(one) for one, other in zip(leaves(result), leaves(like), strict=True) if is_of_floats(other)]
    return np.concatenate(floats_) if floats_ else np.zeros(0)


def is_refused(error: UnsupportedError, name: str, options: Options) -> bool:
    """Whether a refusal is one of those that are known: of a rule, and of what is not known without shapes."""
    if "forwards" in str(error):
        return any(BY_LABEL[name].title == title for title, _ in REFUSED)
    return options is not ALL_ON or "no derivative with respect to" in str(error)


def tangents_are_right(name: str, case: str, known: Iterable[str] = KNOWN) -> None:
    written = Tried(name, case, np.float64)
    tangents = written.directions()
    value = written.function(*written.values)
    g = cotangent_like(value)
    weights = in_line(g, value)
    if not len(weights):
        return
    dtypes = [np.asarray(leaf).dtype for leaf in leaves(value)]
    digits = min(np.finfo(dtype).precision for dtype in dtypes if dtype.kind in "fc")
    tolerance = 1e-9 if digits > 6 else 10.0 ** (1 - digits)
    estimate = numerical_gradient(lambda step: in_line(written.moved(step, tangents), value), (0.0,), 0, weights)
    for options in (KNOWN[facts] for facts in known):
        try:
            found = written.tangent(tangents, options)
        except UnsupportedError as error:
            assert is_refused(error, name, options)
            continue
        for one, other in zip(leaves(found), leaves(value), strict=True):
            assert np.shape(one) == np.shape(other)
            assert has_dtype_of(one, other)
        forwards = np.real(np.sum(weights * in_line(found, value)))
        if tolerance < 1e-6:
            np.testing.assert_allclose(forwards, estimate.value, rtol=1e-6,
                                       atol=1e-7 + 4 * np.max(estimate.error, initial=0))
        try:
            _, pullback = s2sgrad.vjp(written.function, *written.values)
        except UnsupportedError:  # in an argument that is constant here
            continue
        pulled = pullback(g)
        backwards = sum(float(np.sum(one * other)) for one, other in zip(pulled, tangents) if other is not None)
        np.testing.assert_allclose(forwards, backwards, rtol=tolerance, atol=1e-3 * tolerance)


def tangents_keep_single_precision(name: str, case: str, known: Iterable[str] = KNOWN) -> None:
    written = Tried(name, case, np.float32)
    value = written.function(*written.values)
    for options in (KNOWN[facts] for facts in known):
        try:
            found = written.tangent(written.directions(), options)
        except UnsupportedError as error:
            assert is_refused(error, name, options)
            continue
        for one, other in zip(leaves(found), leaves(value), strict=True):
            assert has_dtype_of(one, other)


@pytest.mark.parametrize("name", [name for name in CASES if name in BY_LABEL and BY_LABEL[name].partials])
def test_line(name: str, sampled: Sampled) -> None:
    with Checks() as checks:
        for case in CASES[name]:
            for check, one_in in ((tangents_are_right, 1), (tangents_keep_single_precision, 3)):
                title = f"{check.__name__}: {name}({case})"
                if sampled(one_in, title):
                    checks.run(title, check, name, case, KNOWN if sampled(9, title) else ["known"])


def has_dtype_of(tangent: Any, value: Any) -> bool:
    """Whether a tangent is of its value's dtype: Python numbers widen nothing."""
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind != "f":  # among several results
        return True
    if isinstance(value, (np.ndarray, np.generic)):
        return type(tangent) is float or tangent.dtype == value.dtype
    return np.ndim(tangent) == 0


def test_every_rule_goes_forwards_or_is_named() -> None:
    """A rule that is refused forwards is in the list above, and nothing else is."""
    refused = set()
    for rule in BY_LABEL.values():
        linear = {parameter for group in rule.linear_groups for parameter in group}
        several = bool(rule.parts) and not isinstance(rule.parts, range)
        told = set(rule.tangent) | (set() if several else linear)
        for parameter, formula in rule.partials.items():
            spread = rule.spreads and parameter == rule.parameters[0].name and any(
                item.name == "axis" for item in rule.parameters)
            if formula is not ZERO and not (parameter in told or not several and (rule.elementwise or spread)):
                refused.add((rule.title, parameter))
    assert refused <= REFUSED
