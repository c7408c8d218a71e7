"""Slopes of loops over small arrays, computed for all turns at once: where they may be, and where not."""
from __future__ import annotations

import numpy as np
import pytest

import s2sgrad


def recurrent(w, h):
    for _ in range(4):
        h = np.tanh(w @ h)
    return np.sum(h)


def gated(w, h):
    c = np.zeros(3)
    for _ in range(4):
        gate = 1 / (1 + np.exp(-(w @ h)))
        c = gate * c + np.tanh(h)
        h = np.tanh(c) * gate
    return np.sum(h)


def elementwise(w, h):
    for _ in range(3):
        h = np.sin(np.tanh(h) * h + w[0])
    return np.sum(h)


def inner_loop(w, h):
    for _ in range(2):
        for _ in range(3):
            h = np.tanh(w @ h)
        h = h + w[1]
    return np.sum(h)


def written_into(w, h):
    h = h.copy()
    for i in range(3):
        h[:] = np.tanh(w @ h)
        h[i] *= 2.0
    return np.sum(h)


def under_another_name(w, h):
    for _ in range(3):
        before = h
        h = np.tanh(w @ h)
        h += before * h
    return np.sum(h)


def branching(w, h):
    for i in range(4):
        if i % 2:
            h = np.tanh(w @ h)
        else:
            h = w @ h
    return np.sum(h)


def left_early(w, h):
    for i in range(4):
        h = np.tanh(w @ h)
        if h[0] > 0.9 or i == 2:
            break
    return np.sum(h)


def left_before(w, h):
    for i in range(4):
        before = h
        if np.sum(before) > 0.9 or i == 2:
            break
        h = np.tanh(w @ h)
    return np.sum(h) + before[0]


def growing(w, h):
    for _ in range(3):
        h = np.tanh(np.concatenate([h, h[:1]]))
    return np.sum(h * np.sum(w))


def of_parts(w, h):
    total = 0.0
    for part in [h[:1], h[:2], h]:
        total = total + np.sum(np.tanh(part) * part)
    return total * w[0, 0]


FUNCTIONS = {recurrent: True, gated: True, elementwise: True, inner_loop: True, written_into: None,
             under_another_name: None, branching: False, left_early: True, left_before: None, growing: False,
             of_parts: False}
"""Functions of a matrix and a vector; whether slopes are computed at once, or None where either is right."""


def arguments(dtype: type = float) -> tuple:
    made = np.random.default_rng(0)
    return made.normal(size=(3, 3)).astype(dtype), made.normal(size=3).astype(dtype)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_right_wherever_they_are_computed(function):
    s2sgrad.check_grad(function, *arguments())
    if FUNCTIONS[function] is not None:
        assert (".pop()" in s2sgrad.source(function, *arguments())) is FUNCTIONS[function]


def test_no_turn():
    def none(w, h, turns):
        for _ in turns:
            h = np.tanh(w @ h)
        return np.sum(h)

    w, h = arguments()
    for found, expected in zip(s2sgrad.grad(none, (0, 1))(w, h, ()), (np.zeros((3, 3)), np.ones(3))):
        np.testing.assert_array_equal(found, expected)


def test_single_precision_stays():
    for single, double in zip(*(s2sgrad.grad(recurrent, (0, 1))(*arguments(dtype)) for dtype in (np.float32, float))):
        assert single.dtype == np.float32
        np.testing.assert_allclose(single, double, rtol=1e-4, atol=1e-6)


def test_a_pullback_runs_twice():
    _, pullback = s2sgrad.vjp(gated, *arguments())
    for one, other in zip(pullback(1.0), pullback(1.0)):
        np.testing.assert_array_equal(one, other)


def test_larger_ones_stay_in_their_turns():
    made = np.random.default_rng(1)
    sizes = made.normal(size=(20, 20)) / 5, made.normal(size=(20, 20))
    assert ".pop()" not in s2sgrad.source(recurrent, *sizes)
    s2sgrad.check_grad(recurrent, *sizes)


def test_what_was_compiled_for_small_ones_is_right_for_others():
    gradient = s2sgrad.grad(recurrent, (0, 1))
    gradient(*arguments())
    made = np.random.default_rng(2)
    w, h = made.normal(size=(40, 40)) / 6, made.normal(size=40)
    found = gradient(w, h)
    step = 1e-6 * made.normal(size=40)
    moved = (recurrent(w, h + step) - recurrent(w, h - step)) / 2
    np.testing.assert_allclose(found[1] @ step, moved, rtol=1e-5)


def test_second_derivatives():
    w, h = arguments()
    direction = np.array([0.3, -0.2, 0.5])
    found = s2sgrad.grad(lambda h: np.sum(s2sgrad.grad(recurrent, 1)(w, h) * direction))(h)
    first = s2sgrad.grad(recurrent, 1)
    expected = (first(w, h + 1e-6 * direction) - first(w, h - 1e-6 * direction)) / 2e-6
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-8)
