"""Third derivatives along one direction, over a fixed sample of the corpus."""
from __future__ import annotations

import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from along_tangents import moved, product, tangents_of
from corpus import PROGRAMS, Program, is_real_number, leaves

import s2sgrad
from s2sgrad.errors import UnsupportedError
from s2sgrad.transforms import push_forward

ONE_IN = 80
"""Programs are chosen by their names, so that others that come do not change what is tried."""
STEP = 1e-5


def listed(label: str) -> set[str]:
    return set((Path(__file__).parent / label).read_text(encoding="utf-8").split())


REFUSED = listed("refused_thrice.txt")
"""Modes, from the outermost in, and programs that are refused the third derivative: ``frr:lists.popped``."""
NUMBERS = [program for program in PROGRAMS
           if program.known is None  # at a kink
           and program.name not in listed("refused_twice.txt")
           and zlib.crc32(b"third " + program.name.encode()) % ONE_IN == 0
           and is_real_number(program.function(*program.args()))]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("modes", ["ffr", "rfr", "frr", "rrr"])
@pytest.mark.parametrize("program", [pytest.param(program, id=program.name) for program in NUMBERS])
def test_third_derivatives(program: Program, modes: str) -> None:
    """The derivative, forwards or in reverse, of the product of a Hessian with a vector, found in either mode."""
    tangents = tangents_of(program, program.args())
    wanted = program.argnums
    bars = tuple(tangents[index] for index in wanted)
    gradient = s2sgrad.grad(program.function, argnums=wanted)

    def ahead(*args: Any) -> Any:
        return s2sgrad.jvp(gradient, args, tangents)[1]

    def behind(*args: Any) -> Any:
        _, pull = s2sgrad.vjp(gradient, *args)
        found = pull(bars)
        return tuple([found[index] for index in wanted])

    def curvature_near(step: float) -> float:
        near = tuple(moved(value, tangent, step) for value, tangent in zip(program.args(), tangents))
        return product(bars, push_forward(gradient, near, tangents)[1])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        curved = ahead if modes[1] == "f" else behind
        try:
            if modes[0] == "f":
                found = product(bars, push_forward(curved, program.args(), tangents)[1])
            else:
                pulled = s2sgrad.vjp(curved, *program.args())[1](bars)
                found = sum(product(pulled[index], tangents[index]) for index in wanted)
        except UnsupportedError:
            if f"{modes}:{program.name}" not in REFUSED:
                raise
            return
        assert f"{modes}:{program.name}" not in REFUSED, "refused no more: take it out of tests/refused_thrice.txt"
        expected = (curvature_near(STEP) - curvature_near(-STEP)) / (2 * STEP)
    single = any(np.asarray(leaf).dtype in (np.float32, np.complex64) for leaf in leaves(program.args()))
    assert abs(found - expected) < (1e-1 if single else 1e-4) * max(1.0, abs(expected))


def pulled(function: Any) -> Any:
    """The sum of the squares of all cotangents of the arguments."""
    def slope(*args: Any) -> Any:
        _, pull = s2sgrad.vjp(function, *args)
        return sum([np.sum(bar ** 2) for bar in pull(1.0)])
    return slope


@pytest.mark.sampled(1000)
def test_a_pullback_in_a_pullback() -> None:
    """Nested comprehensions of its text, written out, have variables of their own."""
    program = next(program for program in PROGRAMS if program.name == "sciences.nbody")
    s2sgrad.check_grad(pulled(pulled(program.function)), *program.args())
