"""What must hold of the value and the gradients of a program of the corpus."""
from __future__ import annotations

import warnings
import zlib
from typing import Any

import numpy as np
import pytest
from corpus import Program, assert_same, is_of_floats, leaves
from corpus_runs import Tried

from s2sgrad.containers import leaves as with_places
from s2sgrad.derivative import Options
from s2sgrad.entry import pullback_entry
from s2sgrad.errors import UnsupportedError
from s2sgrad.judge import compare, cotangent_like
from s2sgrad.subjects import subject_of
from s2sgrad.transforms import _gradient, pull_back

SWITCHED_OFF = {
    "activity": Options(activity=False),
    "recorded": Options(recorded=False),
    "shapes": Options(shapes=False),
    "paths": Options(paths=False),
}
PAIRS = (("activity", "shapes"), ("recorded", "paths"))
"""Each program is tried with two of them off, one after the other, and with that which it needs."""
EVERY_SIZE = Options(large=0)
COMPLEX_WITHOUT_SHAPES = {"decompositions.eigenvalues_taken_for_real"}
"""Where nothing is known of an argument's dtype, the gradient stays complex, as what is computed of it may be."""


def value_is_that_of_the_function(tried: Tried) -> None:
    assert_same(tried.first.value, tried.plain)


def gradients_are_right(tried: Tried) -> None:
    program = tried.program
    if program.known is not None:
        assert_same(tried.first.gradients, program.known())
    else:
        compare(tried.first.gradients, program.function, program.args(), program.argnums, tried.cotangent)


def arguments_are_left_as_the_function_leaves_them(tried: Tried) -> None:
    assert_same(tried.first.args, tried.left)


def it_prints_what_the_function_prints(tried: Tried) -> None:
    assert tried.first.printed == tried.printed


def gradients_have_memory_of_their_own(tried: Tried) -> None:
    others = arrays([tried.first.args, tried.cotangent])
    for gradient in arrays(tried.first.gradients):
        assert not any(np.shares_memory(gradient, other) for other in others)
        assert gradient.flags.writeable
        others.append(gradient)


def arrays(value: Any) -> list[np.ndarray]:
    return [leaf for leaf in leaves(value) if isinstance(leaf, np.ndarray)]


def gradients_are_formed_like_their_arguments(tried: Tried) -> None:
    gradients, program = tried.first.gradients, tried.program
    assert len(gradients) == len(program.argnums)
    for argnum, gradient in zip(program.argnums, gradients):
        assert gradient is not None
        for one, other in zip(leaves(gradient), leaves(program.args()[argnum]), strict=True):
            if not is_of_floats(other) and one is None:
                continue
            assert np.shape(one) == np.shape(other)
            assert np.asarray(one).dtype == np.asarray(other).dtype


def twice_the_same(tried: Tried) -> None:
    again = tried.run()
    assert_same((again.value, again.gradients), (tried.first.value, tried.first.gradients))
    assert_same(again.args, tried.left)
    assert again.printed == tried.printed
    others = arrays([again.args, tried.first.gradients])
    assert not any(np.shares_memory(gradient, other) for gradient in arrays(again.gradients) for other in others)


def one_argument_alone(tried: Tried, argnum: int) -> None:
    """What is constant then is known less of than what is differentiated: other ways through the compiler."""
    program = tried.program
    label = list(subject_of(program.function).fitting(program.args(), {}).parameters())[argnum]
    same, pullback = pull_back(pullback_entry(program.function, (label,)), program.args(), {})
    assert_same(same, tried.first.value)
    for one, other in zip(leaves(pullback(tried.cotangent)[argnum]), leaves(tried.gradient(argnum)), strict=True):
        assert one is None if other is None else np.allclose(
            one, other, tried.tolerance(1e-9, 1e-5), tried.tolerance(1e-11, 1e-6))


# ---- with an analysis switched off

def switched_off(program: Program) -> list[str]:
    """Chosen by the name: what is tried of a program does not depend on how many others there are."""
    pair = PAIRS[zlib.crc32(program.name.encode()) % 2]
    return [analysis for analysis in SWITCHED_OFF if analysis in (*program.needs, *pair)]


def gradients_do_not_depend_on_an_analysis(tried: Tried, analysis: str) -> None:
    """Less pretty code, the same gradients."""
    program = tried.program
    entry = pullback_entry(program.function, None, SWITCHED_OFF[analysis])
    if analysis in program.needs:
        with pytest.raises(UnsupportedError):
            pull_back(entry, program.args(), {})
        return
    with warnings.catch_warnings():
        if analysis in ("activity", "paths"):  # zeros are multiplied that otherwise aren't there
            warnings.simplefilter("ignore", RuntimeWarning)
        value, pullback = pull_back(entry, program.args(), {})
        pulled = pullback(tried.cotangent)
    assert_same(value, tried.first.value)
    found = [pulled[argnum] for argnum in program.argnums]
    for one, other in zip(leaves(found), leaves(tried.first.gradients), strict=True):
        if other is None:
            assert one is None
            continue
        assert np.shape(one) == np.shape(other)
        if analysis != "shapes" or program.name not in COMPLEX_WITHOUT_SHAPES:
            assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_allclose(one, other, tried.tolerance(1e-9, 1e-5), tried.tolerance(1e-12, 1e-6))


# ---- as for large arrays, whose adjoints write over what nothing reads any more

def writing_over_gives_the_same(tried: Tried) -> None:
    program, args = tried.program, tried.program.args()
    writing_over = _gradient(program.function, program.argnums, False, False, True, EVERY_SIZE)
    found = writing_over(*args)
    assert_same(args, tried.left)
    assert_same(found[0], tried.first.value)
    for (place, one), (same_place, other) in zip(
            with_places(found[1]), with_places(tried.first.gradients), strict=True):
        assert place == same_place and type(one) is type(other)
        if one is not None:
            assert np.asarray(one).dtype == np.asarray(other).dtype
            np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-15)
    assert_same(writing_over(*program.args()), found)
    others = [value for _, value in with_places(args) if isinstance(value, np.ndarray)]
    for _, gradient in with_places(found[1]):
        if isinstance(gradient, np.ndarray):
            assert not any(np.shares_memory(gradient, other) for other in others)
            others.append(gradient)


def pullbacks_that_write_over_run_twice(tried: Tried) -> None:
    args = tried.program.args()
    value, pullback = pull_back(pullback_entry(tried.program.function, None, EVERY_SIZE), args, {})
    cotangent = cotangent_like(value)
    first = pullback(cotangent)
    assert_same(pullback(cotangent), first)
    assert_same(cotangent, cotangent_like(value))
    assert_same(args, tried.left)
