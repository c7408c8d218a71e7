"""What must hold of the tangents of a program of the corpus: its value is untouched, and both modes agree."""
from __future__ import annotations

import warnings
import zlib
from typing import Any

import numpy as np
import pytest
from along_tangents import product
from corpus import Program, assert_same, is_of_floats, leaves
from corpus_runs import Tried, with_printed

from s2sgrad.derivative import ALL_ON, Options
from s2sgrad.errors import UnsupportedError
from s2sgrad.transforms import push_forward

SWITCHED_OFF = {"none": ALL_ON, "activity": Options(activity=False), "shapes": Options(shapes=False)}
ANALYSES = ("activity", "shapes")
"""Each program is tried with one of them off, and with that which it needs."""


def switched_off(program: Program) -> list[str]:
    """Chosen by the name: what is tried of a program does not depend on how many others there are."""
    chosen = ANALYSES[zlib.crc32(program.name.encode()) % 2]
    return [analysis for analysis in ANALYSES if analysis in (*program.needs, chosen)]


def both_modes_agree(tried: Tried, analysis: str = "none") -> None:
    program, args = tried.program, tried.program.args()
    if analysis in program.needs:
        with pytest.raises(UnsupportedError):
            push_forward(program.function, args, tried.tangents, SWITCHED_OFF[analysis])
        return
    with warnings.catch_warnings():
        if analysis == "activity":  # zeros are multiplied that otherwise aren't there
            warnings.simplefilter("ignore", RuntimeWarning)
        (value, tangent), printed = with_printed(
            lambda: push_forward(program.function, args, tried.tangents, SWITCHED_OFF[analysis]))
    assert_same(value, tried.plain)
    assert_same(args, tried.left)
    assert printed == tried.printed
    for one, other in zip(leaves(tangent), leaves(value), strict=True):
        assert type(one) is (type(other) if is_of_floats(other) else type(None))
        assert np.shape(one) == np.shape(other) or one is None
        assert one is None or np.asarray(one).dtype == np.asarray(other).dtype
    agree(tried, tangent, program.argnums)


def one_argument_alone(tried: Tried, argnum: int) -> None:
    """Tangents for this argument: the others are constant."""
    program, args = tried.program, tried.program.args()
    only = tuple(tangent if place == argnum else None for place, tangent in enumerate(tried.tangents))
    value, tangent = push_forward(program.function, args, only)
    assert_same(value, tried.plain)
    agree(tried, tangent, (argnum,))


def agree(tried: Tried, tangent: Any, argnums: tuple[int, ...]) -> None:
    """Whether a tangent of the value is what the gradients tell of the tangents of these arguments."""
    forwards = product(tried.cotangent, tangent)
    backwards = sum(product(tried.gradient(argnum), tried.tangents[argnum]) for argnum in argnums)
    assert abs(forwards - backwards) < tried.tolerance(1e-9, 1e-4) * max(1.0, abs(backwards))
