"""Many tangents or cotangents in one run: every program of the corpus, against a run for each."""
from __future__ import annotations

import inspect
import itertools
import warnings
from typing import Any

import numpy as np
import pytest
from corpus import PROGRAMS, Program

import s2sgrad
from s2sgrad import by_elements, grad, hessian, hessian_diagonal, jacfwd, jacobians, jacrev, sweeps
from s2sgrad.containers import contents, is_float
from s2sgrad.errors import UnsupportedError
from s2sgrad.runtime import held
from s2sgrad.subjects import subject_of
from s2sgrad.transforms import push_forward

MOST_ONE_BY_ONE = {"forwards": 0.48, "backwards": 0.52}
"""These shares of the corpus may take a run for each tangent, and no more: containers of any length, what is changed in
objects, arrays of unknown rank, and what is not differentiated again."""

tried: dict[str, int] = {"forwards": 0, "backwards": 0}
alone: dict[str, int] = {"forwards": 0, "backwards": 0}
CASES = [(program, argnum) for program in PROGRAMS for argnum in program.argnums
         if contents(program.args()[argnum]) is None and is_float(program.args()[argnum])]
COUNT = 3


def some(value: Any) -> np.ndarray:
    """An array of random tangents of a value."""
    rng = np.random.default_rng(7)
    made = rng.normal(size=(COUNT, *np.shape(value)))
    if np.iscomplexobj(value):
        made = made + 1j * rng.normal(size=made.shape)
    return made.astype(np.asarray(value).dtype)


def is_single(value: Any) -> bool:
    return contents(value) is None and is_float(value)


@pytest.mark.sampled(10)
@pytest.mark.parametrize(("program", "argnum", "mode"), [
    pytest.param(program, argnum, mode, id=f"{program.name}-{argnum}-{mode}")
    for (program, argnum), mode in zip(CASES, itertools.cycle(["forwards", "backwards"]))])
def test_together_as_one_by_one(program: Program, argnum: int, mode: str) -> None:
    """Each case goes one of the two ways: both take twice the time."""
    if not is_single(program.function(*program.args())):
        return
    subject = subject_of(program.function).fitting(program.args(), {})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            if mode == "forwards":
                given = some(program.args()[argnum])
                sweep = sweeps.sweep_forwards(subject, argnum, program.args())
            else:
                value, pullback = s2sgrad.vjp(program.function, *program.args())
                given = some(value)
                sweep = sweeps.sweep_backwards(subject, argnum, program.args())
        except UnsupportedError:
            return
        tried[mode] += 1
        if sweep is None:
            alone[mode] += 1
            assert alone[mode] < MOST_ONE_BY_ONE[mode] * len(CASES) / 2
            return
        _, found = sweep(given.copy(), program.args())
        if mode == "forwards":
            expected = [push_forward(program.function, program.args(), [
                one if index == argnum else None for index, _ in enumerate(program.args())])[1] for one in given]
        else:
            expected = [pullback(one)[argnum] for one in given]
    assert np.shape(found) == np.shape(expected)
    single = np.float32 in (np.asarray(expected).dtype, np.asarray(program.args()[argnum]).dtype)
    np.testing.assert_allclose(found, expected, *[1e-4, 1e-4] if single else [1e-9, 1e-9])


# ---- the code

def advection(u, rate, steps):
    for _ in range(steps):
        u = u - rate * (u - np.roll(u, 1))
    return np.tanh(u)


def text_of(function: Any, args: tuple, monkeypatch: pytest.MonkeyPatch, mode: str) -> str:
    made = []
    plain = sweeps.of_function

    def noting(*given: Any) -> Any:
        made.append(plain(*given))
        return made[-1]

    monkeypatch.setattr(sweeps, "of_function", noting)
    getattr(sweeps, mode)(subject_of(function), 0, args)
    return inspect.getsource(made[0].function)


def test_what_depends_on_no_tangent_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    args = np.linspace(0.0, 1.0, 5), 0.1, 3
    assert text_of(advection, args, monkeypatch, "sweep_forwards") == """\
def advection_tangent_stacked(count, u, rate, steps, u_dot):
    for _ in range(steps):
        u = u - rate * (u - np.roll(u, 1))
        u_dot = u_dot - rate * (u_dot - np.roll(u_dot, shift=1, axis=1))
    tanh_1 = np.tanh(u)
    return tanh_1, u_dot * (1.0 - tanh_1 ** 2)
"""


# ---- Jacobians

def stencil(u, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:-1] += 0.1 * u[1:-1] * (u[2:] - u[:-2])
    return u


def energy(x, w):
    total = 0.0
    for row in w:
        total = total + np.tanh(row @ x) ** 2
    return total + np.sum(x[1:] * x[:-1] ** 2)


def with_a_loop_over_elements(x):
    previous = 0.0
    out = np.zeros(len(x))
    for i, value in enumerate(x):
        previous = previous * 0.5 + value ** 2
        out[i] = previous
    return out


def numbers_and_views(x):
    first = x[0]
    row = x[1:]
    x[0] = x[1] * 3.0
    row[0] *= first
    return x * first


def one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((by_elements, "sweep_forwards"), (jacobians, "sweep_backwards")):
        monkeypatch.setattr(module, name, lambda *given: None)


@pytest.mark.parametrize(("make", "function", "args"), [
    (jacfwd, stencil, (np.linspace(0.0, 1.0, 7), 4)), (jacrev, stencil, (np.linspace(0.0, 1.0, 7), 4)),
    (jacfwd, with_a_loop_over_elements, (np.linspace(0.1, 1.0, 7),)),
    (jacrev, with_a_loop_over_elements, (np.linspace(0.1, 1.0, 7),)),
    (jacfwd, lambda m: np.linalg.inv(m) @ m.T, (np.eye(3) + 0.1,)),
    (jacrev, lambda m: np.linalg.inv(m) @ m.T, (np.eye(3) + 0.1,)),
    (hessian, energy, (np.linspace(0.0, 1.0, 4), np.ones((3, 4)))),
    (hessian_diagonal, energy, (np.linspace(0.0, 1.0, 4), np.ones((3, 4)))),
    (jacrev, grad(energy), (np.linspace(0.0, 1.0, 4), np.ones((3, 4)))),
    (jacfwd, stencil, (np.linspace(0.0, 1.0, 300), 2)),  # more than go into one run
    (jacrev, stencil, (np.linspace(0.0, 1.0, 300), 2)),
    (jacfwd, numbers_and_views, (np.array([0.5, 1.5, 2.0]),)),
    (jacrev, numbers_and_views, (np.array([0.5, 1.5, 2.0]),)),
])
def test_jacobians(make, function, args, monkeypatch: pytest.MonkeyPatch) -> None:
    found = make(function)(*held(args))
    one_at_a_time(monkeypatch)
    expected = make(function)(*held(args))
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
