"""Every program of the corpus forwards: its value is untouched, and both modes agree."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from corpus import PROGRAMS, Program, assert_same, is_of_floats, is_real_number, leaves

import s2sgrad
from s2sgrad.containers import contents, with_parts
from s2sgrad.derivative import ALL_ON, Options
from s2sgrad.errors import UnsupportedError
from s2sgrad.judge import cotangent_like
from s2sgrad.transforms import push_forward

MOST_REFUSED = 0.05
"""This share of the corpus may be refused forwards, and no more: ``try`` statements, second derivatives of
decompositions and quantiles."""

refused: set[str] = set()
gradients_refused: set[str] = set()

SWITCHED_OFF = {"none": ALL_ON, "activity": Options(activity=False), "shapes": Options(shapes=False)}
NUMBERS = [program for program in PROGRAMS if program.known is None and is_real_number(
    program.function(*program.args()))]
ANALYSES = ("activity", "shapes")
"""Each program is tried with one of them off, and with that which it needs."""


def direction(value: Any, rng: np.random.Generator) -> Any:
    """A random tangent of a value, None for what is no float."""
    if contents(value) is not None:
        return with_parts(value, lambda part: direction(part, rng))
    if not is_of_floats(value):
        return None
    made = rng.normal(size=np.shape(value))
    if np.iscomplexobj(value):
        made = made + 1j * rng.normal(size=np.shape(value))
    return np.asarray(made, value.dtype) if isinstance(value, np.ndarray) else type(value)(made)


def tangents_of(program: Program, args: tuple[Any, ...]) -> tuple[Any, ...]:
    rng = np.random.default_rng(3)
    return tuple(direction(value, rng) if index in program.argnums else None for index, value in enumerate(args))


def product(first: Any, second: Any) -> float:
    """The inner product of what two containers hold, of complex numbers its real part."""
    pairs = zip(leaves(first), leaves(second), strict=True)
    return sum(float(np.real(np.sum(np.multiply(one, other)))) for one, other in pairs
               if one is not None and other is not None)


def inner_products(function: Any, program: Program, cotangent: Any, options: Options) -> tuple[Any, float, float]:
    """The value of a function, and a product of cotangent, Jacobian and tangent, found forwards and backwards."""
    tangents = tangents_of(program, program.args())
    value, tangent = push_forward(function, program.args(), tangents, options)
    _, pullback = s2sgrad.vjp(function, *program.args())
    pulled = pullback(cotangent)
    return value, product(cotangent, tangent), sum(product(pulled[index], tangents[index])
                                                   for index in program.argnums)


@pytest.mark.parametrize("program", NUMBERS, ids=lambda program: program.name)
def test_gradients_go_forwards(program: Program) -> None:
    """Forward over reverse mode, wherever reverse mode goes over itself."""
    gradient = s2sgrad.grad(program.function, argnums=program.argnums)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        value = gradient(*program.args())
        cotangent = cotangent_like(value)
        try:
            s2sgrad.vjp(gradient, *program.args())
        except UnsupportedError:
            return  # test_second_derivatives counts these
        try:
            found, forwards, backwards = inner_products(gradient, program, cotangent, ALL_ON)
        except UnsupportedError as error:
            assert "forwards" in str(error)
            gradients_refused.add(program.name)
            assert len(gradients_refused) < MOST_REFUSED * len(NUMBERS)
            return
    assert_same(found, value)
    single = any(np.asarray(leaf).dtype == np.float32 for leaf in leaves(program.args()))
    assert abs(forwards - backwards) < (1e-4 if single else 1e-8) * max(1.0, abs(backwards))


@pytest.mark.parametrize(("program", "analysis"), [
    pytest.param(program, analysis, id=f"{analysis}-{program.name}") for place, program in enumerate(PROGRAMS)
    for analysis in ("none", *ANALYSES) if analysis in ("none", program.needs, ANALYSES[place % 2])])
def test_both_modes_agree(program: Program, analysis: str) -> None:
    args = program.args()
    tangents = tangents_of(program, args)
    if program.needs == analysis:
        with pytest.raises(UnsupportedError):
            push_forward(program.function, args, tangents, SWITCHED_OFF[analysis])
        return
    with warnings.catch_warnings():
        if analysis == "activity":  # zeros are multiplied that otherwise aren't there
            warnings.simplefilter("ignore", RuntimeWarning)
        try:
            value, tangent = push_forward(program.function, args, tangents, SWITCHED_OFF[analysis])
        except UnsupportedError as error:
            assert "forwards" in str(error)
            refused.add(program.name)
            assert len(refused) < MOST_REFUSED * len(PROGRAMS)
            return
    plain = program.args()
    expected = program.function(*plain)
    assert_same(value, expected)
    assert_same(args, plain)
    for one, other in zip(leaves(tangent), leaves(value), strict=True):
        assert type(one) is (type(other) if is_of_floats(other) else type(None))
        assert np.shape(one) == np.shape(other) or one is None
        assert one is None or np.asarray(one).dtype == np.asarray(other).dtype
    cotangent = cotangent_like(expected)
    _, pullback = s2sgrad.vjp(program.function, *program.args())
    pulled = pullback(cotangent)
    backwards = sum(product(pulled[index], tangents[index]) for index in program.argnums)
    forwards = product(cotangent, tangent)
    scale = max(1.0, abs(backwards))
    if any(np.asarray(leaf).dtype == np.float32 for leaf in leaves(args)):
        assert abs(forwards - backwards) < 1e-4 * scale
    else:
        assert abs(forwards - backwards) < 1e-9 * scale
