"""Derivatives of tangent functions: gradients of ``jvp``, and ``jvp`` of it, over a fixed sample of the corpus."""
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

ONE_IN = 12
"""Programs are chosen by their names, so that others that come do not change what is tried."""
STEP = 1e-5
NUMBERS = [program for program in PROGRAMS
           if program.known is None  # at a kink
           and zlib.crc32(program.name.encode()) % ONE_IN == 0 and is_real_number(program.function(*program.args()))]
REFUSED = set((Path(__file__).parent / "refused_forward_twice.txt").read_text(encoding="utf-8").split())
"""Those of which the tangent function is refused a derivative."""


@pytest.mark.parametrize("program", [pytest.param(program, id=program.name) for program in NUMBERS])
def test_derivatives_of_tangents(program: Program) -> None:
    """Reverse over forward mode gives what forward over forward mode does, or both are refused if they are known to be;
    both give what slopes differ by."""
    function, args = program.function, program.args()
    tangents = tangents_of(program, args)

    def slope(*args: Any) -> Any:
        return s2sgrad.jvp(function, args, tangents)[1]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            gradient = s2sgrad.grad(slope, argnums=program.argnums)(*program.args())
        except UnsupportedError:
            if program.name not in REFUSED:
                raise
            with pytest.raises(UnsupportedError):
                push_forward(slope, program.args(), tangents)
            return
        assert program.name not in REFUSED, "refused no more: take it out of tests/refused_forward_twice.txt"
        _, forwards = push_forward(slope, program.args(), tangents)
        ahead, behind = (slope_near(program, tangents, step) for step in (STEP, -STEP))
    single = any(np.asarray(leaf).dtype in (np.float32, np.complex64) for leaf in leaves(program.args()))
    backwards = sum(product(part, tangents[index]) for index, part in zip(program.argnums, gradient))
    scale = max(1.0, abs(backwards))
    assert abs(forwards - backwards) < (1e-3 if single else 1e-8) * scale
    if not single:
        assert abs((ahead - behind) / (2 * STEP) - backwards) < 1e-4 * scale


def slope_near(program: Program, tangents: tuple, step: float) -> float:
    """The slope along the tangents, a step into their direction away."""
    args = tuple(moved(value, tangent, step) for value, tangent in zip(program.args(), tangents))
    return float(s2sgrad.jvp(program.function, args, tangents)[1])


def stored(q: Any, u: Any) -> Any:
    u[:] = q
    u *= q
    return u.sum()


def slope_by_way_of_a_buffer(x: Any) -> Any:
    u = np.zeros(3)
    return s2sgrad.jvp(stored, (x, u), (x ** 2, None))[1] + u[0]


def test_a_buffer_without_a_tangent() -> None:
    s2sgrad.check_grad(slope_by_way_of_a_buffer, np.array([0.5, -1.2, 2.0]))
