"""Abstract results by example: a function is run on small samples of its abstract operands."""
from __future__ import annotations

import contextlib
import functools
import math
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad.containers import is_instance
from s2sgrad.rules.abstract import ANY, MISSING, Abstract, Items, Numeric, Opaque, known_value

GOLDEN = (math.sqrt(5) - 1) / 2
_SAMPLE_SIZES = ((5, 29), (7, 23), (11, 19), (13, 17), (17, 13), (19, 11), (23, 7), (29, 5))
"""In each run; whichever of two dimensions is larger in one is smaller in the other, so that the size that is the
smaller of two is not taken for one of them."""


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Without warnings: what samples warn of, the call itself may not come to."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def by_example(function: Any, operands: dict[str, Abstract], given: tuple[list[str], list[str]],
               once: bool = False) -> Abstract:
    """The abstract result of ``function``, found by running it twice on small samples of unlike sizes.

    A size that follows one dimension of the operands through both runs is that dimension; a size that is the same in
    both is a literal; every other size is unknown. ``given`` are the operands that the function takes by their place,
    and those by their name. This needs functions whose result's shape and dtype depend on shapes and dtypes alone,
    which is what a rule without a ``result`` of its own promises. ``once``: nobody asks for sizes, and one run tells
    the rest.
    """
    dims: dict[Any, tuple[int, int]] = {}
    results = []
    try:
        with quietly():
            for run in (0,) if once else (0, 1):
                samples = {name: _sample(value, run, dims) for name, value in operands.items()}
                places, names = given
                results.append(function(*[samples[name] for name in places],
                                        **{name: samples[name] for name in names}))
    except Exception:  # the samples can't tell: nothing is known
        return ANY
    named = {sizes: None if dim[0] == "any" else dim for dim, sizes in dims.items()}
    return _generalise(results[0], results[-1], named)


def samples_of(operands: dict[str, Abstract]) -> dict[str, Any]:
    """Values that operands may have. Raises an exception for those of which too little is known."""
    dims: dict[Any, tuple[int, int]] = {}
    return {name: _sample(value, 0, dims) for name, value in operands.items()}


class _Unsampled(Exception):
    pass


def _sample(value: Abstract, run: int, dims: dict[Any, tuple[int, int]]) -> Any:
    known = known_value(value)
    if is_instance(known):  # with special methods of the user's, which are not to run before the call
        raise _Unsampled
    if known is not MISSING:
        return known
    if isinstance(value, Items) and value.items is not None:
        if value.is_object or value.is_dict:
            raise _Unsampled
        parts = [_sample(item, run, dims) for item in value.items]
        return parts if value.is_list else tuple(parts)
    if isinstance(value, Items):  # any number of items: all of them alike
        return [_sample(sized(value.element), run, dims)] * (3 + run)
    if not isinstance(value, Numeric) or value.dtype is None or value.shape is None or value.kind == "any":
        raise _Unsampled
    sizes = []
    for dim in value.shape:
        if dim is None:
            raise _Unsampled
        if isinstance(dim, int):
            sizes.append(dim)
        else:
            if dim not in dims:
                dims[dim] = _SAMPLE_SIZES[len(dims)]
            sizes.append(dims[dim][run])
    sample = _scattered(value.dtype, tuple(sizes), run + 2)
    if value.kind == "python":
        return sample.item()
    return sample[()] if value.kind == "scalar" else sample.copy()


@functools.lru_cache(maxsize=256)
def _scattered(dtype: np.dtype, sizes: tuple[int, ...], start: int) -> np.ndarray:
    """Numbers between 0.2 and 0.9 (squares, for multiples of one number differ by two numbers only and would make
    singular matrices); an integer is ``start``, integers in arrays are 0."""
    if dtype.kind in "fc":
        places = np.arange(start, start + math.prod(sizes)) ** 2
        return (0.2 + 0.7 * (places * GOLDEN % 1.0)).reshape(sizes).astype(dtype)
    return np.full(sizes, dtype.kind in "iu" and not sizes and start, dtype)


def sized(value: Abstract) -> Abstract:
    """The value with names for its unknown sizes."""
    if isinstance(value, Numeric) and value.shape is not None:
        shape = tuple(("any", axis) if dim is None else dim for axis, dim in enumerate(value.shape))
        return replace(value, shape=shape)
    return value


def _generalise(first: Any, second: Any, dims: dict[tuple[int, int], Any]) -> Abstract:
    if type(first) is not type(second):
        return ANY
    if isinstance(first, (np.ndarray, np.generic)):
        if first.ndim != second.ndim:
            return ANY
        shape = tuple(a if a == b else dims.get((a, b)) for a, b in zip(first.shape, second.shape))
        return Numeric("array" if isinstance(first, np.ndarray) else "scalar", first.dtype, shape)
    if isinstance(first, (bool, int, float, complex)):
        return Numeric("python", np.dtype(type(first)), ())
    fields = getattr(first, "_fields", None)  # of a named tuple
    if type(first) in (tuple, list) or fields is not None:
        if len(first) == len(second):
            return Items(type(first), tuple(_generalise(a, b, dims) for a, b in zip(first, second)), keys=fields)
        return Items(type(first), None, ANY)
    return Opaque()
