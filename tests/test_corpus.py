"""Every program of the corpus: its value is untouched, and the judge agrees with its gradients."""
from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from corpus import PROGRAMS, Program, assert_same, is_of_floats, is_real_number, leaves

import s2sgrad
from s2sgrad.entry import pullback_entry
from s2sgrad.judge import compare, cotangent_like
from s2sgrad.subjects import subject_of
from s2sgrad.transforms import pull_back

each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)


@functools.cache
def gradient_of(program: Program) -> Any:
    """Compiled once for all tests of a program."""
    return s2sgrad.value_and_grad(program.function, argnums=program.argnums)


def differentiate(program: Program, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...], Any]:
    """Value, gradients in ``program.argnums``, and the cotangent they belong to."""
    plain = program.function(*program.args())
    cotangent = cotangent_like(plain)
    if is_real_number(plain):
        value, gradients = gradient_of(program)(*args)
        return value, gradients, cotangent
    value, pullback = s2sgrad.vjp(program.function, *args)
    pulled = pullback(cotangent)
    return value, tuple(pulled[argnum] for argnum in program.argnums), cotangent


@each_program
def test_value_is_that_of_the_function(program: Program) -> None:
    value, _, _ = differentiate(program, program.args())
    assert_same(value, program.function(*program.args()))


@each_program
def test_gradients_are_right(program: Program) -> None:
    _, gradients, cotangent = differentiate(program, program.args())
    if program.known is not None:
        assert_same(gradients, program.known())
    else:
        compare(gradients, program.function, program.args(), program.argnums, cotangent)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("program", [program for program in PROGRAMS if len(program.argnums) > 1],
                         ids=lambda program: program.name)
def test_each_argument_alone(program: Program) -> None:
    """What is constant then is known less of than what is differentiated: other ways through the compiler."""
    value, gradients, cotangent = differentiate(program, program.args())
    labels = list(subject_of(program.function).fitting(program.args(), {}).parameters())
    for argnum, gradient in zip(program.argnums, gradients):
        same, pullback = pull_back(pullback_entry(program.function, (labels[argnum],)), program.args(), {})
        assert_same(same, value)
        for one, other in zip(leaves(pullback(cotangent)[argnum]), leaves(gradient), strict=True):
            assert one is None if other is None else np.allclose(one, other, rtol=1e-9, atol=1e-11)


@each_program
def test_arguments_are_left_as_the_function_leaves_them(program: Program) -> None:
    args, plain = program.args(), program.args()
    differentiate(program, args)
    program.function(*plain)
    assert_same(args, plain)


@each_program
def test_gradients_have_memory_of_their_own(program: Program) -> None:
    args = program.args()
    _, gradients, cotangent = differentiate(program, args)
    others = [value for value in leaves([args, cotangent]) if isinstance(value, np.ndarray)]
    for gradient in leaves(gradients):
        if isinstance(gradient, np.ndarray):
            assert not any(np.shares_memory(gradient, other) for other in others)
            assert gradient.flags.writeable
            others.append(gradient)


@each_program
def test_gradients_are_formed_like_their_arguments(program: Program) -> None:
    _, gradients, _ = differentiate(program, program.args())
    assert len(gradients) == len(program.argnums)
    for argnum, gradient in zip(program.argnums, gradients):
        assert gradient is not None
        for one, other in zip(leaves(gradient), leaves(program.args()[argnum]), strict=True):
            if not is_of_floats(other) and one is None:
                continue
            assert np.shape(one) == np.shape(other)
            assert np.asarray(one).dtype == np.asarray(other).dtype


@each_program
def test_twice_the_same(program: Program) -> None:
    assert_same(differentiate(program, program.args()), differentiate(program, program.args()))
