"""Random programs: the value is the function's own, the gradient that of finite differences, whatever is switched off.

``--random-programs N`` tries N programs that are other ones each time.
"""
from __future__ import annotations

import linecache
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import pytest
from random_programs import MATRIX, Program, program
from random_runs import run

import s2sgrad
from s2sgrad.derivative import ALL_ON, Options
from s2sgrad.errors import UnsupportedError
from s2sgrad.transforms import _gradient, push_forward

VARIANTS = {
    "all on": ALL_ON,
    "general adjoint": Options(paths=False),
    "activity off": Options(activity=False),
    "recorded off": Options(recorded=False),
    "shapes off": Options(shapes=False),
    "all off": Options(False, False, False, False),
    "arrays written over": Options(large=0),
}
PROGRAMS = 100
REFUSED = (
    "may be an array that the caller has too, and this line writes into it",
    "this call writes into its arguments, and",
    "and what it gets here has no name of its own, or may be a number",
    "under another name, or binds",
    "what is stored here would lose its fraction",
    "into which this line writes, and is read after it",
    "this call may write into its arguments",
    "a call on a line of its own may write into its arguments",
    "into which this call writes, and is given to it too",
    "and this line would write into that",
    "nothing tells whether this line ran before it",
    "may not be bound here, which a handler might catch",
    "or control may leave its try block otherwise than by its end",
)
"""What a refusal may say."""
MOST_REFUSED = 0.35
TOO_LARGE = 1e4
STEP = 1e-4
STEEP = 100.0
"""Gradients above are not compared with those in single precision: what is rounded there makes others of them."""


class Judged(NamedTuple):
    """One point where a function is smooth enough for finite differences, or not (the slope is NaN there)."""

    args: tuple[Any, ...]
    value: Any
    slopes: tuple[Any, ...]
    errors: tuple[Any, ...]


def points(parameters: tuple[str, ...], matrices: tuple[tuple[int, int], ...] = (MATRIX,) * 3
           ) -> Iterator[tuple[Any, ...]]:
    """Arguments, in fresh memory, of each of these shapes: vectors have the length of a matrix's row."""
    for seed, shape in enumerate(matrices):
        rng = np.random.default_rng(seed)
        known = {"x": float(rng.uniform(-1.5, 1.5)), "y": float(rng.uniform(-1.0, 2.0)),
                 "u": rng.uniform(-1.2, 1.2, shape[1:]), "m": rng.uniform(-1.2, 1.2, shape)}
        yield tuple(known[name] for name in parameters)


def copied(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(value.copy() if isinstance(value, np.ndarray) else value for value in args)


def plain_value(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """The function's value; None where it raises, overflows, or it or what it leaves in its arguments is too large to
    judge: what is added to a large number has a slope, and no effect."""
    given = copied(args)
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            value = function(*given)
    except (ArithmeticError, ValueError, IndexError, NameError, TypeError, AttributeError):
        return None
    left = [np.max(np.abs(part)) for part in given if isinstance(part, np.ndarray)]
    return value if isinstance(value, float) and max(abs(value), *left, 0.0) < TOO_LARGE else None


def slope(along: Callable[[float], Any], value: float) -> tuple[float, float]:
    """The slope of a function of a number at 0, and the error that it may have; NaN at a kink or jump."""
    ends = [along(step) for step in (STEP, -STEP, STEP / 2, -STEP / 2)]
    if any(end is None for end in ends):
        return np.nan, np.nan
    ahead, behind, near_ahead, near_behind = map(float, ends)
    long, short = (ahead - behind) / (2 * STEP), (near_ahead - near_behind) / STEP
    bends = (ahead - 2 * value + behind) / STEP, (near_ahead - 2 * value + near_behind) / STEP * 2
    scale = max(1.0, abs(value), abs(short))
    if abs(long - short) > 1e-5 * scale or abs(bends[1]) > max(0.7 * abs(bends[0]), 1e-5 * scale):
        return np.nan, np.nan
    return (4 * short - long) / 3, 1e-6 * scale + 10 * abs(long - short)


def judged(function: Callable[..., Any], args: tuple[Any, ...]) -> Judged | None:
    value = plain_value(function, args)
    if value is None:
        return None
    slopes, errors = [], []
    for place, argument in enumerate(args):
        found = []
        for entry in np.ndindex(np.shape(argument)):
            def along(step: float, entry: tuple[int, ...] = entry, place: int = place) -> Any:
                moved = list(copied(args))
                if entry:
                    moved[place][entry] += step
                else:
                    moved[place] += step
                return plain_value(function, tuple(moved))
            found.append(slope(along, float(value)))
        slopes.append(np.reshape([item[0] for item in found], np.shape(argument)))
        errors.append(np.reshape([item[1] for item in found], np.shape(argument)))
    return Judged(args, value, tuple(slopes), tuple(errors))


def check(label: str, function: Callable[..., Any], gradient: Callable[..., Any], point: Judged) -> tuple[Any, ...]:
    """Raises AssertionError if value or gradient are wrong at a point; else the gradients."""
    args, plain = copied(point.args), copied(point.args)
    value, gradients = gradient(*args)
    function(*plain)
    assert type(value) is type(point.value) and value == point.value, \
        f"{label}: the value is {value!r}, that of the plain function {point.value!r}"
    for right, found in zip(plain, args):
        np.testing.assert_array_equal(found, right, err_msg=f"{label}: an argument was left otherwise")
    arrays = [part for part in gradients if isinstance(part, np.ndarray)]
    for place, part in enumerate(arrays):
        others = [*args, *arrays[:place]]
        assert not any(isinstance(other, np.ndarray) and np.shares_memory(part, other) for other in others), \
            f"{label}: a gradient shares memory"
    for argument, found, right, error in zip(point.args, gradients, point.slopes, point.errors):
        assert isinstance(found, type(argument)) and np.shape(found) == np.shape(argument), \
            f"{label}: a gradient is {found!r}, its argument {argument!r}"
        known = np.isfinite(right)
        wrong = known & ~(np.abs(found - np.where(known, right, 0.0)) <= np.where(known, error, 0.0))
        assert not wrong.any(), f"{label}: at {point.args} the gradient is {found!r}, numerically {right!r}"
    return gradients


def check_forward(label: str, function: Callable[..., Any], options: Options, point: Judged, gradients: tuple[Any, ...]
                  ) -> None:
    """Raises AssertionError if forward mode gives another value, or another slope than the gradients."""
    rng = np.random.default_rng(5)
    tangents = tuple(rng.normal(size=np.shape(argument))[()] for argument in point.args)
    args, plain = copied(point.args), copied(point.args)
    try:
        value, tangent = push_forward(function, args, tangents, options)
    except UnsupportedError as refusal:
        if "forwards" in refusal.reason:
            return
        raise
    function(*plain)
    assert type(value) is type(point.value) and value == point.value, f"{label}, forwards: the value is {value!r}"
    for right, found in zip(plain, args):
        np.testing.assert_array_equal(found, right, err_msg=f"{label}, forwards: an argument was left otherwise")
    slope_ = sum(float(np.sum(one * other)) for one, other in zip(gradients, tangents))
    np.testing.assert_allclose(tangent, slope_, rtol=1e-6, atol=1e-8 * max(1.0, abs(point.value)),
                               err_msg=f"{label}, forwards: at {point.args}")


def check_pullback(function: Callable[..., Any], point: Judged, gradients: tuple[Any, ...]) -> None:
    """Raises AssertionError if the pullback, which is given the result's cotangent, gives other gradients."""
    _, pullback = s2sgrad.vjp(function, *copied(point.args))
    for found, right in zip(pullback(-2.0), gradients):
        assert np.shape(found) == np.shape(right)
        np.testing.assert_allclose(found, -2.0 * right, rtol=1e-7, atol=1e-9 * max(1.0, abs(point.value)),
                                   err_msg=f"pulled back: at {point.args}")


def check_single(function: Callable[..., Any], point: Judged, right: tuple[Any, ...]) -> None:
    """Raises AssertionError if with arrays in single precision the value is another, gradients and tangents have not
    the dtypes of what they belong to, or gradients are far from those in double precision (``right``)."""
    def narrowed() -> tuple[Any, ...]:
        return tuple(value.astype(np.float32) if isinstance(value, np.ndarray) else value for value in point.args)

    if all(map(np.isscalar, point.args)):
        return
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            plain = function(*narrowed())
    except (ArithmeticError, ValueError, IndexError, NameError, TypeError, AttributeError):
        return
    try:
        value, gradients = _gradient(function, tuple(range(len(point.args))), False, False, True)(*narrowed())
        given = tuple(np.ones_like(value)[()] for value in narrowed())
        same, tangent = push_forward(function, narrowed(), given, ALL_ON)
    except UnsupportedError:
        return
    for found in (value, same):
        assert type(found) is type(plain) and found == plain, \
            f"in single precision the value is {found!r}, not {plain!r}"
    for found, argument in zip((*gradients, tangent), (*narrowed(), plain)):
        assert np.asarray(found).dtype == np.asarray(argument).dtype, \
            f"in single precision a gradient or tangent is {found!r}"
    for found, wanted in zip(gradients, right):
        if np.max(np.abs(wanted), initial=0.0) > STEEP:
            continue
        np.testing.assert_allclose(found, wanted, rtol=1e-2, atol=1e-3 * max(1.0, abs(point.value)),
                                   err_msg=f"in single precision at {point.args}")


@contextmanager
def compiled(text: str, number: Iterator[int] = count()) -> Iterator[Callable[..., Any]]:  # noqa: B008
    """The function ``f`` of a module's text, whose source is found as long as the context lasts."""
    filename = f"<random program {next(number)}>"
    linecache.cache[filename] = len(text), None, text.splitlines(True), filename
    namespace: dict[str, Any] = {"__name__": "random_program"}
    try:
        exec(compile(text, filename, "exec"), namespace)
        yield namespace["f"]
    finally:
        del linecache.cache[filename]


def examine(drawn: Program, matrices: tuple[tuple[int, int], ...] = (MATRIX,) * 3) -> str:
    """Judge one program: ``"right"``, ``"unjudged"`` (it runs nowhere) or the reason why it is refused."""
    with compiled(drawn.text) as function, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [point for point in (judged(function, args) for args in points(drawn.parameters, matrices)) if point]
        if not found:
            return "unjudged"
        argnums = tuple(range(len(drawn.parameters)))
        first: dict[int, tuple[Any, ...]] = {}
        for label, options in VARIANTS.items():
            try:
                gradient = _gradient(function, argnums, False, False, True, options)
                for place, point in enumerate(found):
                    gradients = check(label, function, gradient, point)
                    again = check(f"{label}, called again", function, gradient, point)
                    reference = first.setdefault(place, gradients)
                    for one, other, same in zip(gradients, again, reference):
                        np.testing.assert_array_equal(other, one, err_msg=f"{label}: called again")
                        np.testing.assert_allclose(one, same, rtol=1e-7, atol=1e-9 * max(1.0, abs(point.value)),
                                                   err_msg=f"{label}: other than with all on")
                    check_forward(label, function, options, point, gradients)
            except UnsupportedError as refusal:  # with less known more is refused
                return refusal.reason
            if options is ALL_ON:
                for place, point in enumerate(found):
                    check_pullback(function, point, first[place])
        for place, point in enumerate(found):
            check_single(function, point, first[place])
    return "right"


def test_random_programs(request: pytest.FixtureRequest) -> None:
    outcomes = run(request, program, examine, REFUSED, PROGRAMS)
    total = sum(outcomes.values())
    assert outcomes["refused"] <= MOST_REFUSED * total and outcomes["right"] >= 0.2 * total, outcomes
