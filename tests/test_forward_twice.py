"""Derivatives of tangent functions: gradients of ``jvp``, and ``jvp`` of it, over a fixed sample of the corpus."""
from __future__ import annotations

import warnings
import zlib
from typing import Any

import numpy as np
import pytest
from along_tangents import moved, product, tangents_of
from corpus import PROGRAMS, Program, is_real_number, leaves

import s2sgrad
from s2sgrad.transforms import push_forward

ONE_IN = 24
"""Programs are chosen by their names, so that others that come do not change what is tried."""
STEP = 1e-5
X = np.array([0.5, -1.2, 2.0])
NUMBERS = [program for program in PROGRAMS
           if program.known is None  # at a kink
           and zlib.crc32(program.name.encode()) % ONE_IN == 0 and is_real_number(program.function(*program.args()))]


@pytest.mark.parametrize("program", [pytest.param(program, id=program.name) for program in NUMBERS])
def test_derivatives_of_tangents(program: Program) -> None:
    """Reverse over forward mode gives what forward over forward mode does; both give what slopes differ by."""
    function, args = program.function, program.args()
    tangents = tangents_of(program, args)

    def slope(tangents: Any, *args: Any) -> Any:
        return s2sgrad.jvp(function, args, tangents)[1]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        gradient = s2sgrad.grad(slope, argnums=tuple(index + 1 for index in program.argnums))(tangents, *program.args())
        _, forwards = push_forward(slope, (tangents, *program.args()), (None, *tangents))
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
    s2sgrad.check_grad(slope_by_way_of_a_buffer, X)


def exchanged(function: Any, jvp: Any) -> Any:
    """A tangent function's text exchanges tangents, too, and can't be differentiated."""
    d = {"u": function.copy(), "new": np.zeros(3)}
    for _k in range(2):
        u, new = d["u"], d["new"]
        new[1:] = u[1:] * u[:-1] + jvp * u[:-1] ** 3
        d["u"], d["new"] = new, u
    return (d["u"] ** 3).sum() + d["new"].sum()


def cubed(x: Any) -> Any:
    return (x ** 3).sum()


def fourth_powers(x: Any) -> Any:
    return (x ** 4).sum()


@pytest.mark.parametrize("moving", [(0,), (1,), (0, 1)])
def test_tangents_by_way_of_gradients(moving: tuple[int, ...]) -> None:
    tangents = tuple(tangent if index in moving else None for index, tangent in enumerate((X[::-1], 0.3)))
    s2sgrad.check_grad(lambda x, y: s2sgrad.jvp(exchanged, (x, y), tangents)[1] * y, X, 0.7)


def test_a_function_that_a_global_stands_for_later(monkeypatch: pytest.MonkeyPatch) -> None:
    slope = s2sgrad.grad(lambda x: s2sgrad.jvp(cubed, (x,), (X,))[1])
    np.testing.assert_allclose(slope(X), 6.0 * X * X)
    monkeypatch.setitem(globals(), "cubed", fourth_powers)
    np.testing.assert_allclose(slope(X), 12.0 * X ** 2 * X)


def doubled(x: Any) -> Any:
    x[0] *= x[1]
    x *= 2.0
    return x


def test_what_gives_the_array_that_it_wrote_into() -> None:
    matrix = s2sgrad.jacfwd(lambda x: s2sgrad.jvp(doubled, (x,), (np.ones(3),))[1])(X)
    np.testing.assert_allclose(matrix, [[2.0, 2.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
