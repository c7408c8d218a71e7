"""Every program of the corpus forwards: its value is untouched, and both modes agree."""
from __future__ import annotations

import warnings
import zlib

import numpy as np
import pytest
from along_tangents import product, tangents_of
from corpus import PROGRAMS, Program, assert_same, is_of_floats, leaves

import s2sgrad
from s2sgrad.derivative import ALL_ON, Options
from s2sgrad.errors import UnsupportedError
from s2sgrad.judge import cotangent_like
from s2sgrad.transforms import push_forward

SWITCHED_OFF = {"none": ALL_ON, "activity": Options(activity=False), "shapes": Options(shapes=False)}
ANALYSES = ("activity", "shapes")
"""Each program is tried with one of them off, and with that which it needs."""
NEEDED_BACKWARDS = {"lists_that_change.totals", "run_time_keys.totals_under_known_keys",
                    "run_time_keys.totals_from_zeros", "run_time_keys.sums_by_default",
                    "run_time_keys.keys_that_are_asked_for",
                    "nonlocals.a_running_average", "nonlocals.a_running_average_in_a_list"}
"""The programs that need theirs in reverse mode alone."""


def off_for(program: Program) -> str:
    """Chosen by the name: what is tried of a program does not depend on how many others there are."""
    return ANALYSES[zlib.crc32(program.name.encode()) % 2]


@pytest.mark.parametrize(("program", "analysis"), [
    pytest.param(program, analysis, id=f"{analysis}-{program.name}") for program in PROGRAMS
    for analysis in ("none", *ANALYSES) if analysis in ("none", program.needs, off_for(program))])
def test_both_modes_agree(program: Program, analysis: str) -> None:
    args = program.args()
    tangents = tangents_of(program, args)
    if program.needs == analysis and program.name not in NEEDED_BACKWARDS:
        with pytest.raises(UnsupportedError):
            push_forward(program.function, args, tangents, SWITCHED_OFF[analysis])
        return
    with warnings.catch_warnings():
        if analysis == "activity":  # zeros are multiplied that otherwise aren't there
            warnings.simplefilter("ignore", RuntimeWarning)
        value, tangent = push_forward(program.function, args, tangents, SWITCHED_OFF[analysis])
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
    if any(np.asarray(leaf).dtype in (np.float32, np.complex64) for leaf in leaves(args)):
        assert abs(forwards - backwards) < 1e-4 * scale
    else:
        assert abs(forwards - backwards) < 1e-9 * scale


@pytest.mark.sampled(2)
@pytest.mark.parametrize("program", [program for program in PROGRAMS if len(program.argnums) > 1],
                         ids=lambda program: program.name)
def test_each_argument_alone(program: Program) -> None:
    """The tangents for one argument's direction at a time add up to that for all of them."""
    tangents = tangents_of(program, program.args())
    value, expected = push_forward(program.function, program.args(), tangents)
    total = [0.0 if leaf is None else np.zeros_like(leaf) for leaf in leaves(expected)]
    for argnum in program.argnums:
        only = tuple(tangent if place == argnum else None for place, tangent in enumerate(tangents))
        same, found = push_forward(program.function, program.args(), only)
        assert_same(same, value)
        total = [one + (0.0 if other is None else other) for one, other in zip(total, leaves(found), strict=True)]
    tolerance = 1e-5 if any(np.asarray(leaf).dtype in (np.float32, np.complex64) for leaf in leaves(expected)) else 1e-9
    for one, other in zip(total, leaves(expected)):
        assert other is None or np.allclose(one, other, rtol=tolerance, atol=tolerance)
