"""Sums of what the functions of the rule table give: the cotangent is one number that stands for all elements. The
compiler hands it on as it is, where it can, or spreads it without memory; ones that are pulled back are an array."""
from __future__ import annotations

import numpy as np
import pytest
from checks import Checks, Sampled
from rule_calls import BY_LABEL, called
from rule_cases import CASES as CASES_OF_NUMPY
from scipy_cases import SCIPY_CASES
from written_calls import Written

import s2sgrad

CASES = {**CASES_OF_NUMPY, **SCIPY_CASES}
MOVED = "np.concatenate([np.ravel(y), np.roll(np.ravel(y), 1)])"
"""Each element in two places."""


def gradient_of_the_sum(name: str, case: str) -> None:
    call = called(name, case)
    if call.several or np.asarray(call.y).dtype.kind != "f":
        return
    written = Written(name, case, others=False)
    places = [place for place, moving in enumerate(written.moving) if moving]
    if not places:
        return
    value, pullback = s2sgrad.vjp(written.function, *written.values)
    pulled = pullback(np.ones_like(value)[()])
    for text, factor in (("np.sum(y)", 1.0), (f"2.0 * np.sum({MOVED})", 4.0)):
        total = Written(name, case, body=f"y = {{}}\n    return {text}", others=False).function
        gradient = s2sgrad.grad(total, argnums=tuple(places))(*written.values)
        for place, found in zip(places, gradient):
            np.testing.assert_allclose(found, factor * np.asarray(pulled[place]), rtol=1e-7, atol=1e-9)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", [name for name in CASES if name in BY_LABEL and BY_LABEL[name].partials])
def test_line(name: str, sampled: Sampled) -> None:
    with Checks() as checks:
        for case in CASES[name]:
            if sampled(8, f"{name}({case})"):
                checks.run(f"{name}({case})", gradient_of_the_sum, name, case)


def test_views_with_elements_in_several_places_or_in_none() -> None:
    x = np.arange(12.0).reshape(3, 4)
    windows = s2sgrad.grad(lambda x: np.lib.stride_tricks.sliding_window_view(x, 3, axis=1).sum())(x)
    np.testing.assert_array_equal(windows, [[1, 2, 2, 1]] * 3)
    diagonal = s2sgrad.grad(lambda x: np.diagonal(x).sum())(x)
    np.testing.assert_array_equal(diagonal, np.eye(3, 4))
