"""Tangents of the corpus' arguments, and inner products, in which forward and reverse mode must agree."""
from __future__ import annotations

from typing import Any

import numpy as np
from corpus import Program, is_of_floats

from s2sgrad.containers import container, contents, with_parts
from s2sgrad.judge import Estimate, numerical_gradient


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
    if first is None or second is None:
        return 0.0
    held = contents(first, any_keys=True)
    if held is None:
        return float(np.real(np.sum(np.multiply(first, second))))
    others = contents(second, any_keys=True).parts
    return sum(product(one, other) for one, other in zip(held.parts, others, strict=True))


def moved(value: Any, tangent: Any, step: float) -> Any:
    """A value a step further into the direction of a tangent."""
    if tangent is None:
        return value
    held = contents(value, any_keys=True)
    if held is None:
        return value + step * tangent
    parts = [moved(*pair, step) for pair in zip(held.parts, contents(tangent, any_keys=True).parts, strict=True)]
    return container(held.kind, held.keys, parts)


def slope_along(function: Any, args: tuple[Any, ...], tangents: tuple[Any, ...], cotangent: Any) -> Estimate:
    """The slope of ``sum(cotangent * function(*args))`` in a direction, by differences alone: for the judge's complex
    step a function that is compiled would be compiled once more."""
    def along(step: Any) -> Any:
        if np.iscomplexobj(step):
            raise TypeError("real steps only")
        return function(*(moved(value, tangent, step) for value, tangent in zip(args, tangents)))

    return numerical_gradient(along, (0.0,), 0, cotangent)


def judged_along(function: Any, args: tuple[Any, ...], bars: tuple[Any, ...]) -> None:
    """Gradients in all arguments, which are floats or arrays of them, against one central difference along a random
    direction: for smooth functions that take long."""
    rng = np.random.default_rng(4)
    directions = [rng.normal(size=np.shape(value)) for value in args]
    step = 1e-5
    ahead, behind = (float(function(*(value + sign * step * dot for value, dot in zip(args, directions))))
                     for sign in (1.0, -1.0))
    expected = sum(product(bar, dot) for bar, dot in zip(bars, directions))
    np.testing.assert_allclose((ahead - behind) / (2 * step), expected, rtol=1e-6, atol=1e-8)
