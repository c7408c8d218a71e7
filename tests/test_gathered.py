"""Outer products that loops gather: what the corpus does not see."""
from __future__ import annotations

import numpy as np

import s2sgrad


def recurrent(w, v, xs, h):
    for x in xs:
        h = np.tanh(w @ h + v @ x)
    return np.sum(h)


def arguments(turns: int, dtype: type) -> tuple:
    made = np.random.default_rng(0)
    return tuple(made.normal(size=shape).astype(dtype) for shape in ((3, 3), (3, 2), (turns, 2), (3,)))


def test_they_are_gathered_once():
    text = s2sgrad.source(recurrent, *arguments(4, float))
    assert "np.outer" not in text
    assert text.count(".append(") == 1 + 3, "the vector that both products have is in one list"


def test_no_turn_gives_zeros():
    for dtype in (np.float32, np.float64):
        for found, given in zip(s2sgrad.grad(recurrent, (0, 1))(*arguments(0, dtype)), arguments(0, dtype)):
            assert found.dtype == dtype
            np.testing.assert_array_equal(found, np.zeros_like(given))


def test_single_precision_stays():
    single, double = (s2sgrad.grad(recurrent, (0, 1))(*arguments(5, dtype)) for dtype in (np.float32, np.float64))
    for found, expected in zip(single, double):
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


def test_a_matrix_that_the_loop_reads_is_not():
    def fading(w, h):
        for _ in range(3):
            h = np.tanh(w @ h)
            w = 0.9 * w
        return np.sum(h)

    w, _, _, h = arguments(0, float)
    assert "np.outer" in s2sgrad.source(fading, w, h)


def test_a_pullback_runs_twice():
    value, pullback = s2sgrad.vjp(recurrent, *arguments(4, float))
    first, second = (pullback(1.0) for _ in range(2))
    for one, other in zip(first, second):
        np.testing.assert_array_equal(one, other)
        assert not np.shares_memory(one, other)


def test_large_matrices():
    made = np.random.default_rng(1)
    w, h = made.normal(size=(400, 400)) / 20, made.normal(size=400)

    def repeated(w, h):
        for _ in range(6):
            h = np.tanh(w @ h) + h
        return np.sum(h)

    w_bar, h_bar = s2sgrad.grad(repeated, (0, 1))(w, h)
    w_dot, h_dot = made.normal(size=w.shape), made.normal(size=h.shape)
    slope = (repeated(w + 1e-6 * w_dot, h + 1e-6 * h_dot) - repeated(w - 1e-6 * w_dot, h - 1e-6 * h_dot)) / 2e-6
    np.testing.assert_allclose(np.sum(w_bar * w_dot) + h_bar @ h_dot, slope, rtol=1e-6)
