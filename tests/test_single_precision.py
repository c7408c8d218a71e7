"""The corpus with its first argument in single precision: values stay the function's own, and gradients and tangents
have the dtypes of what they belong to, whatever stands beside it."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from along_tangents import product, tangents_of
from corpus import PROGRAMS, Program, assert_same, is_of_floats, leaves

import s2sgrad
from s2sgrad.containers import contents, with_parts
from s2sgrad.errors import UnsupportedError
from s2sgrad.judge import cotangent_like

REFUSED = ("its rule does not take out=", "is not known to hold floats", "pass arrays of double precision")
"""What a refusal may say: of ``out=`` that is narrower than what goes into it."""


def narrowed(value: Any) -> Any:
    """The same with arrays in single precision."""
    if isinstance(value, np.ndarray):
        return value.astype(np.float32) if value.dtype == float else value
    return value if contents(value) is None else with_parts(value, narrowed)


def arguments(program: Program) -> tuple[Any, ...]:
    first = program.argnums[0]
    return tuple(narrowed(value) if place == first else value for place, value in enumerate(program.args()))


def is_narrowed(program: Program) -> bool:
    """Whether there is an array to narrow, and the function takes it."""
    if not any(isinstance(leaf, np.ndarray) and leaf.dtype == np.float32 for leaf in leaves(arguments(program))):
        return False
    with np.errstate(all="ignore"):
        try:
            result = program.function(*arguments(program))
        except (TypeError, ValueError, FloatingPointError, np.linalg.LinAlgError):
            return False
    return all(np.all(np.isfinite(leaf)) for leaf in leaves(result) if is_of_floats(leaf))


@pytest.mark.sampled(10)
@pytest.mark.parametrize("program", list(filter(is_narrowed, PROGRAMS)), ids=lambda program: program.name)
def test_dtypes(program: Program) -> None:
    plain = program.function(*arguments(program))
    cotangent = cotangent_like(plain)
    try:
        value, pullback = s2sgrad.vjp(program.function, *arguments(program))
    except (UnsupportedError, TypeError) as refusal:
        assert any(word in str(refusal) for word in REFUSED), refusal
        return
    same_with_dtypes(value, plain)
    gradients = pullback(cotangent)
    for argnum in program.argnums:
        same_dtypes(gradients[argnum], arguments(program)[argnum])
    tangents = tangents_of(program, arguments(program))
    value, tangent = s2sgrad.jvp(program.function, arguments(program), tangents)
    same_with_dtypes(value, plain)
    same_dtypes(tangent, plain)
    inner = sum(product(gradients[argnum], tangents[argnum]) for argnum in program.argnums)
    np.testing.assert_allclose(product(cotangent, tangent), inner, rtol=1e-3, atol=1e-3 * max(1.0, abs(inner)))


def same_with_dtypes(found: Any, plain: Any) -> None:
    assert_same(found, plain)
    same_dtypes(found, plain)


def same_dtypes(found: Any, expected: Any) -> None:
    for one, other in zip(leaves(found), leaves(expected), strict=True):
        assert one is None or not is_of_floats(other) or np.asarray(one).dtype == np.asarray(other).dtype


def test_narrow_items_take_what_is_wider() -> None:
    def doubled(x):
        parts = [x.astype(np.float32)]
        parts[0] += x
        return parts[0].sum()

    x = np.array([0.75, -0.5, 1.25])
    value, gradient = s2sgrad.value_and_grad(doubled)(x)
    same_with_dtypes(value, np.float32(3.0))
    assert gradient.dtype == float
    np.testing.assert_array_equal(gradient, 2.0)


def test_gradients_of_numbers_have_their_dtype() -> None:
    def constant_slope(s, x, pair):
        return 3.0 * s + np.sum(x) + 2.0 * pair[0]

    number = np.float32(0.5)
    args = number, np.array([0.75, -0.5], np.float32), (number, number)
    expected = np.float32(3.0), np.ones(2, np.float32), (np.float32(2.0), np.float32(0.0))
    same_with_dtypes(s2sgrad.grad(constant_slope, (0, 1, 2))(*args), expected)
    same_with_dtypes(s2sgrad.vjp(constant_slope, *args)[1](np.float32(1.0)), expected)
    same_with_dtypes(s2sgrad.grad(lambda s: math.pi)(number), np.float32(0.0))
    same_with_dtypes(s2sgrad.grad(lambda s: (3.0 * s).real)(np.complex64(0.5)), np.complex64(3.0))
    same_with_dtypes(s2sgrad.grad(s2sgrad.grad(lambda s: s ** 3))(np.float16(0.5)), np.float16(3.0))


def test_gradients_added_up_in_their_dtype_are_not_copied() -> None:
    def carried(w, state):
        for _ in range(3):
            state = np.tanh(w.dot(state))
        return state.sum()

    args = np.full((2, 2), 0.5, np.float32), np.ones(2, np.float32)
    text = s2sgrad.source(carried, *args)
    assert "w_bar += np.array(dot_bars).T @ np.array(states)" in text
    assert "w_bar.astype" not in text
    assert s2sgrad.vjp(carried, *args)[1](2.0)[0].dtype == np.float32


def third(v):
    return v / 3


def test_pythons_numbers_beside_single_precision_leave_doubles_gradients_double() -> None:
    def divided(x, w):
        return np.sum(w * x) / len(x)

    def scaled(x, w):
        return np.sum(w * x) * math.pi

    def in_a_container(x, w, settings):
        return -np.sum(w * x) * settings["rate"]

    def by_a_function(x, w):
        return third(np.sum(w * x))

    x, w = np.array([0.75, -0.5], np.float32), np.array([0.5, 2.0])
    for function, *more in (divided,), (scaled,), (in_a_container, {"rate": 1.5}), (by_a_function,):
        same_dtypes(s2sgrad.grad(function, (0, 1))(x, w, *more), (x, w))


def test_what_numpy_takes_for_doubles_is_computed_in_double_precision() -> None:
    def drawn(x):
        rng = np.random.default_rng(3)
        moved = rng.normal(x[0], abs(x[1])) * rng.lognormal(x[1], 0.5) + rng.gamma(2.0, x[0])
        return moved * np.sum(rng.uniform(x, 5.0)) + rng.uniform(-3.0, x[0])

    def fitted(x):
        return np.sum(np.polyfit([0.0, 1.0, 2.5], x, 1, w=[0.7, 1.3, 1.0]) * np.kaiser(2, x[0]))

    x = np.array([0.7, -0.4, 1.3], np.float32)
    for function in drawn, fitted:
        value, gradient = s2sgrad.value_and_grad(function)(x)
        same_with_dtypes(value, function(x))
        expected = s2sgrad.grad(function)(x.astype(float))
        np.testing.assert_allclose(gradient, expected, rtol=1e-4)
