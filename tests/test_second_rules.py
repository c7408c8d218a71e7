"""The rule table twice: the gradient of each line's gradient, against the judge."""
from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from along_tangents import direction, slope_along
from checks import Checks, Sampled
from corpus import is_of_floats, leaves
from rule_calls import BY_LABEL, called
from rule_cases import CASES as CASES_OF_NUMPY
from scipy_cases import SCIPY_CASES
from written_calls import Written

import s2sgrad
from s2sgrad.judge import cotangent_like

CASES = {**CASES_OF_NUMPY, **SCIPY_CASES}


def gradients_of_gradients(name: str, case: str) -> None:
    call = called(name, case)
    parts = [f"[{part}]" for part in call.parts] if call.several else [""]
    if not any(is_of_floats(leaf) for leaf in leaves(call.y)):
        return
    text = " + ".join(f"np.sum((y{part} + 0.5) ** 3)" for part in parts)
    if any(map(np.iscomplexobj, leaves(call.y))):
        text = f"np.real({text})"
    written = Written(name, case, np.float64, f"y = {{}}\n    return float({text})", others=False)
    if not written.values:
        return
    places = tuple(range(len(written.values)))
    gradient = s2sgrad.grad(written.function, argnums=places)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        value, pullback = s2sgrad.vjp(gradient, *written.values)
        cotangent = cotangent_like(value)
        found = pullback(cotangent)
        rng = np.random.default_rng(13)
        # what is NaN is passed over
        directions = [np.where(np.isnan(value), 0, direction(value, rng))[()] for value in written.values]
        estimate = slope_along(gradient, tuple(written.values), tuple(directions), cotangent)
        slope = sum(np.sum(np.where(np.isnan(part), 0, part) * moved) for part, moved in zip(found, directions))
        np.testing.assert_allclose(slope, estimate.value, rtol=1e-5, atol=1e-6 + 4 * estimate.error)


@pytest.mark.parametrize("name", [name for name in CASES if name in BY_LABEL and BY_LABEL[name].partials])
def test_line(name: str, sampled: Sampled) -> None:
    with Checks() as checks:
        for case in CASES[name]:
            if sampled(6, f"{name}({case})"):
                checks.run(f"{name}({case})", gradients_of_gradients, name, case)


SINGULAR = [
    (lambda x: np.sinc(x), (0.0,), -math.pi ** 2 / 3),
    (lambda x: np.sinc(x), (1e-9,), -math.pi ** 2 / 3),
    (lambda x: np.prod(np.array([x, 0.0, 3.0]) * np.array([1.0, 1.0, x])), (0.0,), 0.0),
    (lambda x: np.prod(np.array([x, x, 3.0])), (0.0,), 6.0),
    (lambda x: np.cumprod(np.array([x, 2.0, x]))[2], (0.0,), 4.0),
    (lambda x: np.linalg.det(x * np.array([[1.0, 2.0], [3.0, 4.0]])), (0.0,), -4.0),
    (lambda x: np.linalg.det(np.array([[x, 2.0], [2.0 * x, x + 4.0]])), (0.0,), 2.0),
    (lambda x: float(np.i0(x)), (0.0,), 0.5),
]


def test_powers_whose_exponent_is_differentiated_too() -> None:
    def third(x, n):
        def of_base(x, n):
            return np.sum(x ** n)

        def of_exponent(n):
            return np.sum(s2sgrad.elementwise_grad(s2sgrad.elementwise_grad(of_base))(x, n))
        return s2sgrad.grad(of_exponent)(n)

    for x in (2.0, np.array([2.0])):
        for n in (0.0, 1.0, 2.5):  # of n (n - 1) x ** (n - 2)
            expected = 2.0 ** (n - 2) * (2 * n - 1 + n * (n - 1) * math.log(2.0))
            np.testing.assert_allclose(third(x, n), expected, rtol=1e-12)


@pytest.mark.parametrize(("function", "args", "expected"), SINGULAR)
def test_where_the_formulas_of_smooth_functions_are_singular(function, args, expected) -> None:
    np.testing.assert_allclose(s2sgrad.grad(s2sgrad.grad(function))(*args), expected, rtol=1e-12, atol=1e-12)
