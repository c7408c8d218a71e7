"""The judge knows right gradients from wrong ones, and neither cries wolf nor sleeps."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sgrad.errors import ArgumentError, ArgumentTypeError
from s2sgrad.judge import Estimate, UnjudgedWarning, compare, cotangent_like, numerical_gradient

RNG = np.random.default_rng(7)
MATRIX = RNG.normal(size=(3, 4))


def smooth(x: Any, weight: float) -> Any:
    return np.sum(weight * np.sin(x) * np.exp(-x))


def smooth_gradient(x: Any, weight: float) -> Any:
    return weight * (np.cos(x) - np.sin(x)) * np.exp(-x)


def polynomial(x: float) -> float:
    return x**3 - 2.0 * x


def scaled(x: Any) -> Any:
    return np.sum(np.abs(x) ** 1.5)


def table(x: Any) -> Any:
    return np.tanh(x)[:, np.newaxis] * np.arange(3.0)


def pair(x: Any) -> Any:
    return np.sum(x**2), {"half": [0.5 * x, "label", 3]}


# (function, arguments, argnum, gradient by hand)
RIGHT: list[tuple[Callable[..., Any], tuple[Any, ...], int, Callable[..., Any]]] = [
    (smooth, (MATRIX, 2.5), 0, smooth_gradient),
    (smooth, (MATRIX, 2.5), 1, lambda x, weight: float(np.sum(np.sin(x) * np.exp(-x)))),
    (smooth, (0.3, 2.5), 0, lambda x, weight: float(smooth_gradient(x, weight))),
    (smooth, (np.float64(0.3), 2.5), 0, smooth_gradient),
    (smooth, (np.array(0.3), 2.5), 0, lambda x, weight: np.asarray(smooth_gradient(x, weight))),
    (smooth, (np.zeros((0, 3)), 2.5), 0, smooth_gradient),
    (smooth, (np.zeros((0, 3)), 2.5), 1, lambda x, weight: 0.0),
    (smooth, (np.ones((2, 0, 3)), 2.5), 0, smooth_gradient),
    (smooth, (MATRIX.T[::2], 2.5), 0, smooth_gradient),
    (smooth, (np.array([1e-9, 1e-3, 1.0, 15.0]), 2.5), 0, smooth_gradient),
    (smooth, (np.zeros(2), 1e9), 0, smooth_gradient),
    (polynomial, (1.7,), 0, lambda x: 3.0 * x**2 - 2.0),
    (polynomial, (np.float32(1.7),), 0, lambda x: np.float32(3.0 * x**2 - 2.0)),
    (math.lgamma, (2.5,), 0, lambda x: 0.7031566406452432),  # the digamma function
    (math.log, (1e-12,), 0, lambda x: 1.0 / x),
    (math.sqrt, (1e12,), 0, lambda x: 0.5e-6),
    (np.log, (np.float64(1e-3),), 0, lambda x: 1.0 / x),
    (lambda x: np.sum(np.log(x)), (np.array([1e-5, 1.0, 1e3]),), 0, lambda x: 1.0 / x),
    (scaled, (MATRIX,), 0, lambda x: 1.5 * np.sign(x) * np.sqrt(np.abs(x))),
    (lambda x: np.vdot(x, x), (MATRIX,), 0, lambda x: 2.0 * x),
    (lambda x: np.sum(x.T.conj() @ x), (MATRIX,), 0, lambda x: 2.0 * x.sum(axis=1, keepdims=True) + 0.0 * x),
    (lambda x: float(x[0]) * x[1], (np.array([2.0, 3.0]),), 0, lambda x: np.array([3.0, 2.0])),
    (lambda x: np.sum(np.maximum(x, 0.2) ** 2), (MATRIX,), 0, lambda x: 2.0 * x * (x > 0.2)),
    (lambda x: np.sum(np.maximum(x, 1e-5)), (np.array([2e-5, 0.5]),), 0, np.ones_like),
    (lambda x: x**2 if x > 0.999 else -x, (1.0,), 0, lambda x: 2.0),
    (lambda x: 1e8 + x**2, (0.5,), 0, lambda x: 1.0),
    (lambda x: 7, (0.5,), 0, lambda x: 0.0),
    (lambda x: 1.0, (MATRIX,), 0, np.zeros_like),
    (lambda x, n: x**n, (1.5, 3), 0, lambda x, n: n * x ** (n - 1)),
    (table, (np.array([0.3, -0.8]),), 0, lambda x: cotangent_like(table(x)) @ np.arange(3.0) / np.cosh(x) ** 2),
    (pair, (np.array([0.3, -0.8]),), 0,
     lambda x: cotangent_like(pair(x))[0] * 2.0 * x + 0.5 * cotangent_like(pair(x))[1]["half"][0]),
]




@pytest.mark.parametrize("function, args, argnum, by_hand", RIGHT)
def test_right_gradients_pass(function: Any, args: Any, argnum: int, by_hand: Any) -> None:
    compare(by_hand(*args), function, args, argnum)


@pytest.mark.parametrize("function, args, argnum, by_hand", RIGHT)
def test_the_error_estimate_holds(function: Any, args: Any, argnum: int, by_hand: Any) -> None:
    estimate = numerical_gradient(function, args, argnum)
    expected = np.asarray(by_hand(*args), dtype=float)
    assert isinstance(estimate, Estimate)
    assert estimate.value.shape == estimate.error.shape == np.shape(args[argnum])
    assert estimate.value.dtype == np.float64
    # the formula by hand rounds, too
    rounding = 4.0 * np.finfo(np.asarray(by_hand(*args)).dtype).eps * np.abs(expected)
    assert np.all(np.abs(estimate.value - expected) <= 4.0 * estimate.error + rounding)


@pytest.mark.parametrize("function, args, argnum, by_hand", RIGHT)
@pytest.mark.parametrize("spoil", [
    lambda number: number * (1.0 + 1e-4),
    lambda number: number * (1.0 - 1e-4),
    lambda number: -number,
    lambda number: 0.0,
    lambda number: math.nan,
    lambda number: math.inf,
], ids=["larger", "smaller", "sign", "zero", "nan", "inf"])
def test_one_wrong_entry_is_reported(function: Any, args: Any, argnum: int, by_hand: Any, spoil: Any) -> None:
    gradient = by_hand(*args)
    flat = np.ravel(np.array(gradient))
    for index in range(flat.size):
        wrong = flat.copy()
        wrong[index] = spoil(flat[index])
        if wrong[index] == flat[index] or flat.dtype == np.float32 and abs(wrong[index] / flat[index] - 1.0) < 1e-3:
            continue  # right, or below the resolution of the dtype
        wrong_gradient = wrong.reshape(np.shape(gradient)) if isinstance(gradient, np.ndarray) else wrong[0]
        with pytest.raises(AssertionError, match="1 of the"):
            compare(wrong_gradient, function, args, argnum)


def test_terms_that_cancel_leave_rounding_errors() -> None:
    noise = 2e-16 * np.sign(MATRIX)
    compare(noise, lambda x: np.sum(x * x / np.sum(x * x)), (MATRIX,))
    with pytest.raises(AssertionError, match="12 of the 12"):
        compare(1e6 * noise, lambda x: np.sum(x * x / np.sum(x * x)), (MATRIX,))


def test_the_report_names_the_worst_entry() -> None:
    gradient = smooth_gradient(MATRIX, 2.5)
    gradient[1, 2] *= 1.0 + 1e-4
    gradient[2, 3] *= -1.0
    with pytest.raises(AssertionError) as caught:
        compare((gradient,), smooth, (MATRIX, 2.5), (0,))
    report = str(caught.value)
    assert report.startswith("gradient of smooth in x[2, 3]: ours ")
    assert f"{gradient[2, 3]:.12g}" in report
    assert f"numerically {-gradient[2, 3]:.8g}" in report
    assert "relative error 2, tolerance 1.5e-08" in report
    assert "2 of the 12 slopes that were judged are wrong" in report


def test_each_of_several_gradients_is_judged() -> None:
    right = smooth_gradient(MATRIX, 2.5), float(np.sum(np.sin(MATRIX) * np.exp(-MATRIX)))
    compare(right, smooth, (MATRIX, 2.5), (0, 1))
    compare(right[::-1], smooth, (MATRIX, 2.5), (1, 0))
    with pytest.raises(AssertionError, match="gradient of smooth in weight: ours"):
        compare((right[0], right[1] * 1.001), smooth, (MATRIX, 2.5), (0, 1))
    with pytest.raises(AssertionError, match="must be a tuple"):
        compare(right[0], smooth, (MATRIX, 2.5), (0, 1))
    with pytest.raises(AssertionError, match="must be a tuple"):
        compare(right, smooth, (MATRIX, 2.5), (0,))


@pytest.mark.parametrize("wrong, reason", [
    (np.zeros((4, 3)), r"has shape \(4, 3\), and its argument \(3, 4\)"),
    (np.zeros((1, 3, 4)), "has shape"),
    (np.zeros(()), "has shape"),
    (0.0, "has shape"),
    (np.zeros((3, 4), np.float32), "has dtype float32, and its argument float64"),
    (np.zeros((3, 4), int), "has dtype int64"),
    (np.zeros((3, 4), complex), "has dtype complex128"),
    (None, "is a NoneType"),
    ([[0.0] * 4] * 3, "is a list"),
])
def test_wrong_form_is_reported(wrong: Any, reason: str) -> None:
    with pytest.raises(AssertionError, match=reason):
        compare(wrong, lambda x: 0.0, (MATRIX,), 0)


def test_the_form_of_an_empty_gradient_is_judged() -> None:
    empty = np.zeros((0, 3))
    compare(np.zeros((0, 3)), smooth, (empty, 1.0))
    with pytest.raises(AssertionError, match="has shape"):
        compare(np.zeros((3, 0)), smooth, (empty, 1.0))
    with pytest.raises(AssertionError, match="has dtype"):
        compare(np.zeros((0, 3), np.float32), smooth, (empty, 1.0))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_low_precision_is_judged_in_double(dtype: Any) -> None:
    x = MATRIX.astype(dtype)
    estimate = numerical_gradient(smooth, (x, 2.5))
    np.testing.assert_allclose(estimate.value, smooth_gradient(x.astype(float), 2.5), rtol=1e-9)
    gradient = smooth_gradient(x.astype(float), 2.5).astype(dtype)
    compare(gradient, smooth, (x, 2.5))
    with pytest.raises(AssertionError, match="has dtype float64"):
        compare(gradient.astype(float), smooth, (x, 2.5))
    gradient[0, 0] *= dtype(1.1)
    with pytest.raises(AssertionError, match=r"x\[0, 0\]"):
        compare(gradient, smooth, (x, 2.5))


def needs_single(x: Any) -> Any:
    if x.dtype != np.float32:
        raise TypeError("single precision only")
    return np.sum(np.sin(x) * x)


def test_a_function_for_single_precision_is_judged_in_it() -> None:
    x = MATRIX.astype(np.float32)
    gradient = np.cos(x) * x + np.sin(x)
    compare(gradient, needs_single, (x,))
    gradient[1, 1] *= 1.02
    with pytest.raises(AssertionError, match=r"x\[1, 1\]"):
        compare(gradient, needs_single, (x,))


def test_single_precision_beside_double_is_judged_as_single() -> None:
    narrow, wide = MATRIX.astype(np.float32), 1.0 + MATRIX**2
    gradient = np.exp(narrow).astype(float)
    compare(gradient, lambda x, y: np.sum(np.exp(x) * y), (narrow, wide), 1)
    gradient[2, 0] *= 1.01
    with pytest.raises(AssertionError, match=r"y\[2, 0\]"):
        compare(gradient, lambda x, y: np.sum(np.exp(x) * y), (narrow, wide), 1)


def test_a_function_with_single_precision_inside_is_judged() -> None:
    def inside(x: Any) -> Any:
        return np.sum(x.astype(np.float32) ** 2)

    gradient = 2.0 * MATRIX
    compare(gradient, inside, (MATRIX,))
    gradient[1, 1] *= 1.01
    with pytest.raises(AssertionError, match=r"x\[1, 1\]"):
        compare(gradient, inside, (MATRIX,))


def test_a_given_cotangent_weighs_the_result() -> None:
    x, weights = np.array([0.5, -1.5]), np.array([2.0, -3.0])
    compare(weights * np.cos(x), np.sin, (x,), 0, weights)
    compare(2.0 * np.array([1.0, 0.0]), lambda x: (x[0], x[1], 4), (x,), 0, (2.0, None, None))
    with pytest.raises(AssertionError):
        compare(np.cos(x), np.sin, (x,), 0, weights)
    with pytest.raises(ArgumentError, match="the cotangent has shape"):
        numerical_gradient(np.sin, (x,), 0, np.ones(3))
    with pytest.raises(ArgumentError, match="structured unlike"):
        numerical_gradient(lambda x: (x, x), (x,), 0, (x, x, x))


def test_cotangents_are_fixed_and_structured_like_the_result() -> None:
    value = (1.0, np.zeros((2, 3), np.float32), [np.float32(2.0), None, 3, "text", np.arange(2)])
    first, second = cotangent_like(value), cotangent_like(value)
    assert repr(first) == repr(second)
    assert first[1].shape == (2, 3) and first[1].dtype == np.float32
    assert type(first[0]) is float and type(first[2][0]) is np.float32
    assert first[2][1:] == [None] * 4
    assert len(np.unique(first[1])) == 6 and np.all(np.abs(first[1]) >= 0.5)
    assert cotangent_like(3.0) == 1.0 and cotangent_like(np.float32(3.0)).dtype == np.float32


def spoils(x: Any, parts: Any) -> Any:
    x *= 2.0
    parts[0][:] = 3.0
    parts.append(1.0)
    return np.sum(x**2)


def test_arguments_are_left_alone() -> None:
    x, inner = MATRIX.copy(), np.zeros(2)
    parts = [inner]
    compare(8.0 * x, spoils, (x, parts))
    np.testing.assert_array_equal(x, MATRIX)
    np.testing.assert_array_equal(inner, np.zeros(2))
    assert len(parts) == 1


@pytest.mark.parametrize("ours", [0.0, 0.5, 1.0])
def test_at_a_kink_everything_between_both_slopes_passes(ours: float) -> None:
    x = np.array([0.0, 1.0])
    with pytest.warns(UnjudgedWarning, match="1 of 2 slopes could not be judged"):
        compare(np.array([ours, 1.0]), lambda x: np.sum(np.maximum(x, 0.0)), (x,))


@pytest.mark.parametrize("ours", [-0.1, 1.1])
def test_at_a_kink_other_slopes_are_wrong(ours: float) -> None:
    x = np.array([0.0, 1.0])
    with pytest.raises(AssertionError, match=r"x\[0\]"):
        compare(np.array([ours, 1.0]), lambda x: np.sum(np.maximum(x, 0.0)), (x,))


def test_a_jump_is_not_judged() -> None:
    with pytest.warns(UnjudgedWarning):
        compare(1.0, lambda x: x + 1.0 if x > 2.0 else x, (2.0,))


def test_the_border_of_the_domain_is_not_judged() -> None:
    with pytest.warns(UnjudgedWarning):
        compare(1.0, lambda x: np.sqrt(x), (0.0,))


def test_large_arguments_are_judged_in_part() -> None:
    x = np.linspace(-1.0, 1.0, 20_000).reshape(100, 200)
    calls = 0

    def counted(x: Any) -> Any:
        nonlocal calls
        calls += 1
        return np.sum(np.sin(x))

    compare(np.cos(x), counted, (x,), most_entries=10)
    assert calls < 600
    for index, place in ((0, r"x\[0, 0\]"), (-1, r"x\[99, 199\]"), (7003, "random direction")):
        wrong = np.cos(x)
        wrong.flat[index] *= -1.0
        with pytest.raises(AssertionError, match=place):
            compare(wrong, counted, (x,), most_entries=10)


def test_complex_numbers() -> None:
    """An argument moves in its real and in its imaginary part, the real part of the result counts."""
    z = np.array([1.0 + 2.0j, 3.0 - 1.0j])
    estimate = numerical_gradient(lambda z: np.sum(np.abs(z) ** 2), (z,))
    np.testing.assert_allclose(estimate.value, 2 * z.conj(), rtol=1e-9)
    assert np.all(estimate.error < 1e-7)
    estimate = numerical_gradient(lambda z: z ** 2, (z,), 0, np.array([1.0, 1j]))
    np.testing.assert_allclose(estimate.value, 2 * z * np.array([1.0, 1j]), rtol=1e-9)
    estimate = numerical_gradient(lambda x: np.exp(1j * x), (0.5,), 0, 1j)
    np.testing.assert_allclose(estimate.value, -np.cos(0.5), rtol=1e-9)
    compare(2 * z.conj(), lambda z: np.sum(np.abs(z) ** 2), (z,))
    compare(6 + 2j, lambda z: abs(z) ** 2, (3 - 1j,))
    for wrong, place in ((2 * z, r"z\[0\].imag"), (2 * z.conj() + [0, 0.1], r"z\[1\].real")):
        with pytest.raises(AssertionError, match=place):
            compare(wrong, lambda z: np.sum(np.abs(z) ** 2), (z,))
    with pytest.raises(AssertionError, match="has dtype complex64, and its argument complex128"):
        compare((2 * z.conj()).astype(np.complex64), lambda z: np.sum(np.abs(z) ** 2), (z,))


def test_requests_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ArgumentError, match="argnum 2 is out of range"):
        numerical_gradient(smooth, (MATRIX, 1.0), 2)
    for value in (3, np.arange(3), True, "text", None, [1.0]):
        with pytest.raises(ArgumentTypeError, match="not of floats"):
            numerical_gradient(lambda x: 1.0, (value,))
    rng = np.random.default_rng(0)
    with pytest.raises(ArgumentError, match="different results"):
        numerical_gradient(lambda x: x * rng.normal(), (0.5,))
    with pytest.raises(ZeroDivisionError):
        numerical_gradient(lambda x: x / 0.0, (0.5,))


@pytest.mark.parametrize("scale", [1.0, 1e-9])
def test_at_a_minimum_of_zero_slopes_that_rounding_makes_are_no_errors(scale: float) -> None:
    """Neither the slopes nor the result tell there how large rounding errors may be."""
    def lowest(x):
        return scale * np.sum((x - np.array([1.0, 2.3, 0.7])) ** 2)

    point = np.array([1.0, 2.3, 0.7])
    compare(np.zeros(3), lowest, (point,))
    compare(0.0, lambda step: lowest(point + step), (0.0,))
    with pytest.raises(AssertionError, match=r"x\[1\]"):
        compare(np.array([0.0, 1e-6 * scale, 0.0]), lowest, (point,))
