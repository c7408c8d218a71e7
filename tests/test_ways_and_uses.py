"""Each way in which a number or an array comes to be with each use of it: right or refused, and ``x`` left as Python
leaves it. A sample of the pairs is run, all of them with ``--thorough``."""
from __future__ import annotations

import contextlib
import io
import textwrap
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from along_tangents import product
from checks import Checks, Sampled
from test_refusals import load
from ways_and_uses import HEADER, USES_OF_A_NUMBER, USES_OF_AN_ARRAY, WAYS_TO_A_NUMBER, WAYS_TO_AN_ARRAY

import s2sgrad
from s2sgrad.containers import contents
from s2sgrad.errors import S2SGradError
from s2sgrad.judge import cotangent_like, weighted

ONE_IN = 40
X = np.array([0.5, 1.2, -0.7])
ALONG = np.array([1.0, 0.5, -0.3])
STEP = 1e-6
TABLES = {"number": (WAYS_TO_A_NUMBER, USES_OF_A_NUMBER), "array": (WAYS_TO_AN_ARRAY, USES_OF_AN_ARRAY)}
WAYS = [pytest.param(kind, way, id=f"{kind}-{number}")
        for kind, (ways, _) in TABLES.items() for number, way in enumerate(ways)]


def functions(header: str, bodies: list[str], file: Path) -> list[tuple[str, Any]]:
    """Functions of ``x`` and ``k`` with these bodies, each with its body."""
    text = header + "".join(f"\n\ndef f{number}(x, k):\n{textwrap.indent(body, '    ')}\n"
                            for number, body in enumerate(bodies))
    module = load(file, text)
    return [(body, module[f"f{number}"]) for number, body in enumerate(bodies)]


def outcome(call: Callable[[], Any]) -> tuple[Any, str]:
    """What a call gives, and what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        return call(), printed.getvalue()


def judge(function: Any, at: np.ndarray = X) -> None:
    """Its value, what it prints, what becomes of ``x``, and the slopes of both modes along one direction."""
    left = at.copy()
    try:
        value, printed = outcome(lambda: function(left, 2))
        weights = cotangent_like(value)
        ahead, behind = (weighted(weights, outcome(lambda: function(at + step * ALONG, 2))[0])  # noqa: B023
                         for step in (STEP, -STEP))
        slope = (ahead - behind) / (2 * STEP)
    except Exception:  # this use is none of such a value
        return
    x = at.copy()
    try:
        (found, gradient), told = outcome(lambda: derivatives(function, value, weights, x))
        dot = s2sgrad.jvp(function, (at.copy(), 2), (ALONG.copy(), None))[1]
    except S2SGradError:
        return
    np.testing.assert_allclose(weighted(weights, found), weighted(weights, value), rtol=1e-12)
    assert told == printed
    np.testing.assert_array_equal(x, left)
    np.testing.assert_allclose(0.0 if gradient is None else gradient @ ALONG, slope, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(product(weights, dot), slope, rtol=1e-4, atol=1e-5)


def derivatives(function: Any, value: Any, weights: Any, x: np.ndarray) -> tuple[Any, Any]:
    """The value and the gradient of its inner product with the weights."""
    if contents(value) is None and np.ndim(value) == 0:
        return s2sgrad.value_and_grad(function)(x, 2)  # type: ignore[no-any-return]
    found, pullback = s2sgrad.vjp(function, x, 2)
    return found, pullback(weights)[0]


@pytest.mark.parametrize(("kind", "way"), WAYS)
def test_each_use(kind: str, way: str, sampled: Sampled, tmp_path: Path) -> None:
    bodies = [f"{way}\n{use}" for use in TABLES[kind][1] if sampled(ONE_IN, f"{way} {use}")]
    found = functions(HEADER, bodies, tmp_path / "program.py")
    with Checks() as checks, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as of complex numbers of which the real part is taken
        for title, function in found:
            checks.run(title, judge, function)
