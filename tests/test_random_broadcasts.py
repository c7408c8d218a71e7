"""Random programs in which numbers, vectors and matrices meet: judged as those of test_random_programs are.

``--random-programs N`` tries N programs that are other ones each time.
"""
from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from along_tangents import direction, product
from random_broadcasts import program
from random_programs import Program
from random_runs import run
from test_random_programs import compiled, copied, examine

import s2sgrad
from s2sgrad.errors import UnsupportedError
from s2sgrad.judge import UnjudgedWarning, compare
from s2sgrad.runtime import held

PROGRAMS = 8
MATRICES = (2, 3), (1, 3), (2, 1), (3, 4), (1, 1), (2, 3)
REFUSED = ("what is stored here would lose its fraction", "what is stored here would lose its imaginary part")
LARGE = 1e3
"""Values and gradients above are not judged."""


def test_random_broadcasts(request: pytest.FixtureRequest) -> None:
    outcomes = run(request, program, functools.partial(examine, matrices=MATRICES), REFUSED, PROGRAMS)
    total = sum(outcomes.values())
    assert outcomes["refused"] <= 0.05 * total and outcomes["right"] >= 0.9 * total, outcomes


def mixed_points() -> Iterator[tuple[Any, ...]]:
    """Arguments of which some are complex, and others real."""
    for seed, shape in enumerate(MATRICES[:3]):
        for kinds in ("ccc", "crc", "rcr", "rrc"):
            rng = np.random.default_rng(seed)
            parts = [[rng.uniform(-1.2, 1.2, size) for _ in "ri"] for size in ((), shape[1:], shape)]
            yield tuple((real + 1j * imaginary if kind == "c" else real)[()]
                        for kind, (real, imaginary) in zip(kinds, parts))


def examine_complex(drawn: Program) -> str:
    """Judge one program: ``"right"``, ``"unjudged"`` (it runs nowhere) or the reason why it is refused."""
    outcome = "unjudged"
    with compiled(drawn.text) as function, warnings.catch_warnings():
        warnings.simplefilter("ignore", (RuntimeWarning, UnjudgedWarning, np.exceptions.ComplexWarning))
        for args in mixed_points():
            try:
                with np.errstate(over="raise", invalid="raise", divide="raise"):
                    plain = function(*copied(args))
            except FloatingPointError:
                continue
            if not abs(plain) < LARGE:
                continue
            try:
                value, pullback = s2sgrad.vjp(function, *copied(args))
                assert value == plain
                gradients = pullback(1.0)
                if max(np.max(np.abs(part)) for part in gradients) > LARGE:
                    continue
                compare(gradients, lambda *given: function(*held(given)), args, (0, 1, 2), 1.0)
                rng = np.random.default_rng(5)
                tangents = tuple(direction(part, rng) for part in args)
                slope = s2sgrad.jvp(function, copied(args), tangents)[1]
            except UnsupportedError as refusal:
                return refusal.reason
            np.testing.assert_allclose(slope, sum(map(product, gradients, tangents)), rtol=1e-7,
                                       atol=1e-8 * max(1.0, abs(plain)))
            outcome = "right"
    return outcome


def test_random_complex_broadcasts(request: pytest.FixtureRequest) -> None:
    outcomes = run(request, functools.partial(program, of_complex=True), examine_complex, REFUSED, PROGRAMS)
    total = sum(outcomes.values())
    assert outcomes["refused"] <= 0.2 * total and outcomes["right"] >= 0.6 * total, outcomes
