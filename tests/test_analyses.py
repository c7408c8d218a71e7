"""Every program of the corpus with each analysis switched off: less pretty code, the same gradients."""
from __future__ import annotations

import warnings
import zlib
from typing import Any

import numpy as np
import pytest
from corpus import PROGRAMS, Program, assert_same, leaves

from s2sgrad.derivative import Options
from s2sgrad.entry import pullback_entry
from s2sgrad.errors import UnsupportedError
from s2sgrad.judge import cotangent_like
from s2sgrad.transforms import pull_back

SWITCHED_OFF = {
    "activity": Options(activity=False),
    "recorded": Options(recorded=False),
    "shapes": Options(shapes=False),
    "paths": Options(paths=False),
}


def gradients(program: Program, options: Options) -> tuple[Any, tuple]:
    entry = pullback_entry(program.function, None, options)
    value, pullback = pull_back(entry, program.args(), {})
    pulled = pullback(cotangent_like(value))
    return value, tuple(pulled[argnum] for argnum in program.argnums)


PAIRS = (("activity", "shapes"), ("recorded", "paths"))
"""Each program is tried with two of them off, one after the other, and with that which it needs."""


def pair_of(program: Program) -> tuple[str, str]:
    """Chosen by the name: what is tried of a program does not depend on how many others there are."""
    return PAIRS[zlib.crc32(program.name.encode()) % 2]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("program", "analysis"), [
    pytest.param(program, analysis, id=f"{program.name}-{analysis}") for program in PROGRAMS
    for analysis in SWITCHED_OFF if analysis in (program.needs, *pair_of(program))])
def test_gradients_do_not_depend_on_an_analysis(program: Program, analysis: str) -> None:
    if program.needs == analysis:
        with pytest.raises(UnsupportedError):
            gradients(program, SWITCHED_OFF[analysis])
        return
    value, expected = gradients(program, Options())
    with warnings.catch_warnings():
        if analysis in ("activity", "paths"):  # zeros are multiplied that otherwise aren't there
            warnings.simplefilter("ignore", RuntimeWarning)
        same, found = gradients(program, SWITCHED_OFF[analysis])
    assert_same(same, value)
    for one, other in zip(leaves(found), leaves(expected), strict=True):
        if other is None:
            assert one is None
            continue
        assert np.shape(one) == np.shape(other)
        assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_switches_make_a_difference() -> None:
    """A switch that changes no text would test nothing."""
    for analysis, options in SWITCHED_OFF.items():
        changed = 0
        for program in [program for program in PROGRAMS if program.needs is None][:60]:
            texts = []
            for each in (Options(), options):
                entry = pullback_entry(program.function, None, each)
                _, path, _, compiled = entry.call(*program.args())
                compiled.table[path]
                texts.append(str(compiled.derivative.primal_text) + "".join(map(str, compiled.table.texts.values())))
            changed += texts[0] != texts[1]
        assert changed, analysis
