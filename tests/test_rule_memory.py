"""The rule table over arrays that lie otherwise in memory, backwards, apart, read-only or in another order of bytes,
and over those in half and extended precision: gradients and tangents are the same, have memory of their own and the
dtype of what they belong to."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy
from along_tangents import direction
from checks import Checks, Sampled
from corpus import is_of_floats, leaves
from rule_calls import BY_LABEL, called
from rule_cases import CASES as CASES_OF_NUMPY
from scipy_cases import SCIPY_CASES
from written_calls import Written

import s2sgrad
from s2sgrad.containers import contents, with_parts
from s2sgrad.errors import UnsupportedError
from s2sgrad.judge import cotangent_like

CASES = {**CASES_OF_NUMPY, **SCIPY_CASES}


def backwards(array: np.ndarray) -> np.ndarray:
    """The same with every axis reversed in memory, read-only."""
    turned = np.flip(np.flip(array).copy())
    turned.flags.writeable = False
    return turned


def apart(array: np.ndarray) -> np.ndarray:
    """The same with columns first and something between all elements."""
    wider = np.full([2 * size for size in array.shape], 7.5, array.dtype, order="F")
    wider[(slice(None, None, 2),) * array.ndim] = array
    return wider[(slice(None, None, 2),) * array.ndim]


def swapped(array: np.ndarray) -> np.ndarray:
    return array.astype(array.dtype.newbyteorder(">"))


def relaid(value: Any, layout: Callable[[np.ndarray], np.ndarray]) -> Any:
    if contents(value) is not None:
        return with_parts(value, functools.partial(relaid, layout=layout))
    return layout(value) if isinstance(value, np.ndarray) and value.ndim and value.dtype.kind in "fc" else value


def same_in_other_memory(name: str, case: str, layout: Callable[[np.ndarray], np.ndarray]) -> None:
    written = Written(name, case)
    value = written.function(*written.values)
    if not any(written.moving) or not any(map(is_of_floats, leaves(value))):
        return
    rng = np.random.default_rng(5)
    operands = [relaid(operand, layout) for operand in written.values]
    tangents = [direction(operand, rng) if moves else None for operand, moves in zip(written.values, written.moving)]
    g = cotangent_like(value)
    try:
        expected = s2sgrad.vjp(written.function, *written.values)[1](g)
    except UnsupportedError:  # in an argument that is constant here
        return
    bar = relaid(g, layout)
    found = s2sgrad.vjp(written.function, *operands)[1](bar)
    for one, other in zip(found, expected, strict=True):
        if other is None:
            continue
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
        assert not any(np.may_share_memory(one, given) for given in [*leaves(bar), *operands] if given is not None)
    expected = s2sgrad.jvp(written.function, tuple(written.values), tuple(tangents))[1]
    found = s2sgrad.jvp(written.function, tuple(operands), tuple(relaid(tangent, layout) for tangent in tangents))[1]
    for one, other in zip(leaves(found), leaves(expected), strict=True):
        if other is not None:
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)




def dtypes_are_kept(name: str, case: str, dtype: type) -> None:
    """Of all operands, and of the first alone, in half or extended precision."""
    written = Written(name, case)
    places = [place for place, moves in enumerate(written.moving) if moves and isinstance(
        written.values[place], np.ndarray)]
    for chosen in (places, places[:1]) if len(places) > 1 else (places,):
        given = [operand.astype(dtype) if place in chosen else operand for place, operand in enumerate(written.values)]
        try:
            value = written.function(*given)
        except Exception:
            return  # neither does NumPy, nor SciPy
        if not any(map(is_of_floats, leaves(value))):
            return
        try:
            found = s2sgrad.vjp(written.function, *given)[1](cotangent_like(value))
            tangent = s2sgrad.jvp(written.function, tuple(given), tuple(
                direction(operand, np.random.default_rng(5)) if moves else None
                for operand, moves in zip(given, written.moving)))[1]
        except (UnsupportedError, TypeError, RuntimeError, np.linalg.LinAlgError):
            return  # what the function takes, others that its derivative calls don't
        for one, other, moves in zip(found, given, written.moving, strict=True):
            assert not moves or np.asarray(one).dtype == np.asarray(other).dtype
        for one, other in zip(leaves(tangent), leaves(value), strict=True):
            assert one is None or not is_of_floats(other) or np.asarray(one).dtype == np.asarray(other).dtype


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in CASES if name in BY_LABEL and BY_LABEL[name].partials])
def test_line(name: str, sampled: Sampled) -> None:
    with Checks() as checks, np.errstate(all="ignore"):
        for case in CASES[name]:
            called(name, case)
            for layout in (backwards, apart, *([] if name.startswith("scipy.linalg.") else [swapped])):
                title = f"{layout.__name__}: {name}({case})"
                if sampled(40, title):
                    checks.run(title, same_in_other_memory, name, case, layout)
            for dtype in (np.float16, np.longdouble):
                title = f"{dtype.__name__}: {name}({case})"
                if sampled(40, title):
                    checks.run(title, dtypes_are_kept, name, case, dtype)


def test_sizes_of_complex_numbers_in_other_memory() -> None:
    """Their last bits may depend on where the numbers lie: the largest is found among those of one computation."""
    def largest(z):
        return np.linalg.vector_norm(z, keepdims=True, ord=np.inf)[0, 0]

    def smallest(z):
        return np.linalg.vector_norm(z, ord=-np.inf)

    rng = np.random.default_rng(7)
    for _ in range(20):
        z = np.flip(rng.normal(size=(3, 4)) + 1j * rng.normal(size=(3, 4)))
        for found in (s2sgrad.grad(largest)(z), s2sgrad.grad(smallest)(z)):
            assert np.count_nonzero(found) == 1 and np.all(np.isfinite(found))


def test_extended_precision_beside_double() -> None:
    x, w = np.ones((5, 3, 4), np.longdouble), np.ones((4, 2))
    found = s2sgrad.grad(lambda x, w: np.sum(np.matmul(x, w)), argnums=(0, 1))(x, w)
    assert [bar.dtype for bar in found] == [np.longdouble, np.float64]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_scipy_in_any_precision() -> None:
    """SciPy computes in double what NumPy's decompositions, which adjoints call, don't take."""
    m = np.array([[2.0, 0.25], [0.25, 1.5]])
    zero = np.zeros(2)
    for function, dtypes in ((lambda m: scipy.linalg.det(m), (np.float16, np.float32)),
                             (lambda m: scipy.linalg.svdvals(m)[0], (np.float16, np.float32, np.longdouble)),
                             (lambda m: scipy.stats.multivariate_normal.logpdf(zero, zero, m),
                              (np.float16, np.float32, np.longdouble))):
        expected = s2sgrad.grad(function)(m)
        for dtype in dtypes:
            found = s2sgrad.grad(function)(m.astype(dtype))
            assert found.dtype == dtype
            np.testing.assert_allclose(found.astype(float), expected, 2e-3, 2e-3)


def test_a_pullback_that_changes_nothing_gives_another_array() -> None:
    g = np.ones(3)
    _, pullback = s2sgrad.vjp(lambda x: np.diff(x, 0), np.arange(3.0))
    assert not np.shares_memory(pullback(g)[0], g)
