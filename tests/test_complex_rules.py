"""The rule table over complex numbers: each line that is said to hold for them against the judge, in both modes; and
that every other line refuses them."""
from __future__ import annotations

import functools
import itertools
import warnings
from typing import Any

import numpy as np
import pytest
from checks import Checks, Sampled
from complex_cases import COMPLEX_CASES, NEVER_MIXED, REAL_ALONE
from corpus import leaves
from rule_calls import DIFFERENTIABLE, FACTS, Call
from rule_cases import CASES as CASES_OF_NUMPY
from scipy_cases import SCIPY_CASES
from test_forward_rules import Tried, is_refused
from test_rules import NOT_FORESEEN

import s2sgrad
from s2sgrad.containers import is_complex
from s2sgrad.derivative import ALL_ON, Options
from s2sgrad.errors import UnsupportedError
from s2sgrad.judge import UnjudgedWarning, compare, cotangent_like
from s2sgrad.rules.table import NeedsValue, refuse_complex

CASES = {**CASES_OF_NUMPY, **SCIPY_CASES}
HOLDS = [name for name, rule in DIFFERENTIABLE.items() if rule.complex]
ALL = {name: cases for name in HOLDS if (cases := [
    case for case in (*CASES.get(name, ()), *COMPLEX_CASES.get(name, ())) if (name, case) not in REAL_ALONE])}
MIXTURES = ("complex", "first", "others")
"""Which operands are complex: all, the first alone, or all but the first."""


@functools.lru_cache(maxsize=8)
def called(name: str, case: str, dtype: type, mixture: str = "complex") -> Call | None:
    """The call with complex operands; None where there are none, or NumPy takes real ones alone."""
    first, others = {"complex": (True, True), "first": (True, False), "others": (False, True)}[mixture]
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            call = Call(name, case, dtype, itertools.chain([first], itertools.repeat(others)))
    except (TypeError, ValueError, SystemError, np.exceptions.ComplexWarning):
        return None  # a SystemError where the warning meets code that looks for none, as in SciPy's von Mises
    if not call.several and np.any(np.isnan(call.y)):
        return None
    return call if any(is_complex(leaf) for *_, leaf in call.leaves()) or is_complex(call.y) else None


def test_every_line_that_holds_is_tried() -> None:
    """But for what is no array (in_a_row.py)."""
    assert set(HOLDS) - set(ALL) == {".flat"} & set(HOLDS)


def formulas_are_right(name: str, case: str, mixture: str) -> None:
    call = called(name, case, np.complex128, mixture)
    if call is None:
        return
    for parameter, path, leaf in call.leaves():

        def function(moved: Any, parameter: str = parameter, path: tuple = path) -> Any:
            with np.errstate(all="ignore"):
                return call.weighed(call.moved(parameter, path, moved))

        for facts in call.facts():
            found = call.cotangent(parameter, path, leaf, facts)
            assert np.shape(found) == np.shape(leaf)
            # what is NaN is passed over
            found = np.where(np.isnan(leaf), 0, found if is_complex(leaf) else np.real(found))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UnjudgedWarning)  # of slopes that are 0 but for rounding
                compare(found.astype(np.asarray(leaf).dtype), function, (leaf,), 0, call.weight, most_entries=0)


def formulas_keep_single_precision(name: str, case: str) -> None:
    call = called(name, case, np.complex64)
    for parameter, path, leaf in call.leaves() if call is not None else ():
        for facts in call.facts():
            found = call.cotangent(parameter, path, leaf, facts)
            singles = [np.asarray(y).dtype in (np.complex64, np.float32)
                       for y in ([call.y[i] for i in call.parts] or [call.y])]
            if isinstance(leaf, (np.ndarray, np.generic)) and all(singles):
                assert np.result_type(found) in (np.complex64, np.float32)


def results_are_foreseen(name: str, case: str, mixture: str) -> None:
    for dtype in (np.complex128, np.complex64):
        call = called(name, case, dtype, mixture)
        for facts in call.facts() if call is not None else ():
            for result, y in zip(call.operation(facts).results, call.y if call.several else (call.y,)):
                told = facts == "known" and (name, case) not in NOT_FORESEEN
                assert result.dtype in (None, np.asarray(y).dtype) or (
                    not told and is_complex(y) and result.dtype == np.complex128)  # of unknown precision
                if told and is_complex(y):
                    assert result.dtype is not None


def directions(written: Tried) -> list[Any]:
    """Tangents, complex for what is complex."""
    rng = np.random.default_rng(12)
    return [None if tangent is None else tangent + (1j * rng.normal(size=np.shape(value))).astype(
        np.asarray(value).dtype) if is_complex(value) else tangent
        for tangent, value in zip(written.directions(), written.values)]


def both_modes_agree(name: str, case: str, mixture: str, options: tuple[Options, ...]) -> None:
    """The compiled tangent against the compiled adjoint: for every tangent t of z and cotangent g of y, the real parts
    of g * y' and z_bar * t are equal; the formulas themselves are judged above."""
    if called(name, case, np.complex128, mixture) is None:
        return
    written = Tried(name, case, np.complex128, call=called(name, case, np.complex128, mixture))
    tangents = directions(written)
    value = written.function(*written.values)
    g = cotangent_like(value)
    for each in options:
        try:
            found = written.tangent(tangents, each)
            _, pullback = s2sgrad.vjp(written.function, *written.values)
        except UnsupportedError as error:
            assert is_refused(error, name, each) or "no derivative with respect to" in str(error)
            return
        for one, other in zip(leaves(found), leaves(value), strict=True):
            assert np.shape(one) == np.shape(other)
            assert not is_complex(one) or is_complex(other)
        forwards = sum(np.sum(np.real(one * other)) for one, other in zip(leaves(g), leaves(found)) if one is not None)
        pulled = pullback(g)
        backwards = 0.0
        for part, tangent, argument in zip(pulled, tangents, written.values):
            if tangent is not None:
                assert np.asarray(part).dtype == np.asarray(argument).dtype
                backwards += np.sum(np.real(part * tangent))
        single = any(np.asarray(leaf).dtype in (np.complex64, np.float32) for leaf in leaves(value))
        np.testing.assert_allclose(forwards, backwards, rtol=1e-5 if single else 1e-9, atol=1e-11)


@pytest.mark.parametrize("name", ALL)
def test_line(name: str, sampled: Sampled) -> None:
    with Checks() as checks:
        for case in ALL[name]:
            for mixture in MIXTURES[:1] if name in NEVER_MIXED else MIXTURES:
                title = f"{mixture}: {name}({case})"
                options = (ALL_ON, Options(shapes=False)) if sampled(len(MIXTURES), title) else (ALL_ON,)
                checks.run(f"formulas_are_right, {title}", formulas_are_right, name, case, mixture)
                checks.run(f"results_are_foreseen, {title}", results_are_foreseen, name, case, mixture)
                checks.run(f"both_modes_agree, {title}", both_modes_agree, name, case, mixture, options)
            checks.run(f"formulas_keep_single_precision: {name}({case})", formulas_keep_single_precision, name, case)


# ---- all other lines

@pytest.mark.parametrize("name", [name for name, rule in DIFFERENTIABLE.items() if not rule.complex])
def test_all_other_lines_refuse_complex_numbers(name: str) -> None:
    for case in CASES.get(name, ()):
        call = called(name, case, np.complex128)
        if call is None:
            continue
        with pytest.raises((UnsupportedError, NeedsValue)):
            operation = call.operation("known")
            refuse_complex(operation)
            assert not any(is_complex(leaf) for *_, leaf in call.leaves())
            raise UnsupportedError("its operands are real")


@pytest.mark.parametrize("facts", FACTS)
def test_at_zero(facts: str) -> None:
    """The derivative of what has none at 0 is 0 there, as for real numbers."""
    for name, case in (("np.absolute", "np.zeros(2, complex)"), ("np.sign", "np.zeros(2, complex)"),
                       ("np.linalg.norm", "np.zeros(2, complex)"),
                       ("np.linalg.norm", "np.zeros((2, 2), complex), 'nuc'")):
        call = Call(name, case)
        for leaf in call.leaves():
            np.testing.assert_array_equal(call.cotangent(*leaf, facts), 0)
