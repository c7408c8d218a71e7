"""What the compiler takes for contiguous is so in every NumPy: else a write through ``u.reshape(-1)`` goes astray."""
from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from s2sgrad.compiler.layouts import JOINING, ROW_BY_ROW

SHAPES = [(3, 3), (1, 3), (3, 1), (1, 1), (2, 5)]


def arrays(shape: tuple[int, ...]) -> Iterator[np.ndarray]:
    """The same numbers in memory of every layout, the first contiguous."""
    numbers = np.random.default_rng(0).normal(size=shape) + 3.0 * np.eye(*shape) if len(shape) == 2 \
        else np.arange(1.0, 1.0 + shape[0])
    yield numbers
    yield np.asfortranarray(numbers)
    every = (slice(None, None, 2),) * len(shape)
    spaced = np.zeros([2 * size for size in shape])
    spaced[every] = numbers
    yield spaced[every]
    for axis in range(len(shape)):
        yield np.flip(np.flip(numbers, axis).copy(), axis)
    yield np.broadcast_to(numbers[:1], shape)


def results(function) -> Iterator[np.ndarray]:
    if function in (np.diag, np.diagflat):
        yield from map(function, arrays((4,)))
    elif function is np.outer:
        yield from itertools.starmap(function, itertools.product(arrays((3,)), arrays((4,))))
    elif function in (np.repeat, np.tile):
        for array in itertools.chain.from_iterable(map(arrays, SHAPES)):
            yield function(array, (2, 2)) if function is np.tile else function(array, 2, axis=0)
            yield function(array, (1, 3)) if function is np.tile else function(array, 3, axis=1)
    elif function in (np.linalg.inv, np.linalg.cholesky, np.linalg.solve):
        for array in arrays((3, 3)):
            square = np.asarray(array @ array.T + np.eye(3), order="F")
            yield function(square, array) if function is np.linalg.solve else function(square)
            yield function(square.T, array.T) if function is np.linalg.solve else function(square.T)
    else:
        for shape in SHAPES:
            yield from itertools.starmap(function, itertools.product(arrays(shape), arrays(shape[::-1])))


@pytest.mark.parametrize("function", ROW_BY_ROW, ids=lambda function: function.__name__)
def test_row_by_row(function) -> None:
    found = list(results(function))
    assert found
    assert all(result.ndim == 2 and result.flags.c_contiguous for result in found)


@pytest.mark.parametrize("function", [*JOINING, np.where, np.add], ids=lambda function: function.__name__)
@pytest.mark.parametrize("shape", [*SHAPES, (2, 3, 4)])
def test_contiguous_where_all_are(function, shape) -> None:
    array = np.ones(shape)
    if function in JOINING:
        found = [function([array, array, 2 * array])]
        if function is not np.vstack and function is not np.hstack:
            found += [function([array, array], axis=axis) for axis in range(array.ndim)]
    elif function is np.where:
        found = [function(array > 0.0, array, 0.0), function(array[0] > 0.0, array, array), function(True, array, 1.0)]
    else:
        found = [array + array, array + array[0], array[:, :1].copy() + array[:1]]
    assert all(result.flags.c_contiguous for result in found)


@pytest.mark.parametrize("function", [*JOINING, np.add], ids=lambda function: function.__name__)
def test_vectors_always_are(function) -> None:
    for first, second in itertools.product(arrays((4,)), arrays((4,))):
        result = function(first, second) if function is np.add else function([first, second])
        assert result.flags.c_contiguous
