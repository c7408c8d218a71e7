"""Each way in which a number or an array comes to be with each use of it: right or refused, and ``x`` left as Python
leaves it. A sample of the pairs is run, all of them with ``--thorough``."""
from __future__ import annotations

import textwrap
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import Checks, Sampled
from test_refusals import load
from ways_and_uses import HEADER, USES_OF_A_NUMBER, USES_OF_AN_ARRAY, WAYS_TO_A_NUMBER, WAYS_TO_AN_ARRAY

import s2sgrad
from s2sgrad.errors import UnsupportedError

ONE_IN = 40
X = np.array([0.5, 1.2, -0.7])
ALONG = np.array([1.0, 0.5, -0.3])
STEP = 1e-6
TABLES = {"number": (WAYS_TO_A_NUMBER, USES_OF_A_NUMBER), "array": (WAYS_TO_AN_ARRAY, USES_OF_AN_ARRAY)}
WAYS = [pytest.param(kind, way, id=f"{kind}-{number}")
        for kind, (ways, _) in TABLES.items() for number, way in enumerate(ways)]


def programs(kind: str, way: str, chosen: Callable[[str], bool], file: Path) -> list[tuple[str, Any]]:
    """The chosen uses of what comes to be in one way, as functions."""
    uses = [use for use in TABLES[kind][1] if chosen(f"{way} {use}")]
    bodies = [textwrap.indent(f"{way}\n{use}", "    ") for use in uses]
    text = HEADER + "".join(f"\n\ndef f{number}(x, k):\n{body}\n" for number, body in enumerate(bodies))
    module = types.SimpleNamespace(**load(file, text))
    return [(body, getattr(module, f"f{number}")) for number, body in enumerate(bodies)]


def judge(function: Any) -> None:
    """Its value, what becomes of ``x``, and the slopes of both modes along one direction."""
    left = X.copy()
    try:
        value = function(left, 2)
        slope = (function(X + STEP * ALONG, 2) - function(X - STEP * ALONG, 2)) / (2 * STEP)
    except Exception:  # this use is none of such a value
        return
    x = X.copy()
    try:
        found, gradient = s2sgrad.value_and_grad(function)(x, 2)
        along = s2sgrad.jvp(function, (X.copy(), 2), (ALONG.copy(), None))[1]
    except UnsupportedError:
        return
    np.testing.assert_allclose(found, value, rtol=1e-12)
    np.testing.assert_array_equal(x, left)
    np.testing.assert_allclose(gradient @ ALONG, slope, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(0.0 if along is None else along, slope, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("kind", "way"), WAYS)
def test_each_use(kind: str, way: str, sampled: Sampled, tmp_path: Path) -> None:
    found = programs(kind, way, lambda name: sampled(ONE_IN, name), tmp_path / "program.py")
    with Checks() as checks, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as of complex numbers of which the real part is taken
        for title, function in found:
            checks.run(title, judge, function)
