"""Adjoints of ``np.pad`` where what is put around is made of several elements, or of chosen ones.

NumPy pads one axis after another: what is put around along a later one is made of what was put around before, too. So
the axes are undone backwards.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.runtime.broadcasting import unbroadcast
from s2sgrad.runtime.selections import numbered


def unpad_means(g: Any, shape: tuple, pad_width: Any, stat_length: Any) -> Any:
    """The cotangent of an array of that shape around which its means were put, or those of so many elements at the
    edges."""
    for axis, (before, _) in _backwards(_pairs(pad_width, shape)):
        inside, first, last = _taken_apart(g, axis, before, shape[axis])
        for edge, bar, length in zip((inside, inside[::-1]), (first, last), _lengths(stat_length, shape)[axis]):
            edge[:length] += np.sum(bar, axis=0) / length
        g = np.moveaxis(inside, 0, axis)
    return g


def unpad_ramps(g: Any, shape: tuple, pad_width: Any) -> Any:
    """The same of an array around which ramps were put that start at its edges."""
    return _unramped(g, shape, pad_width)[0]


def ramp_ends(g: Any, shape: tuple, pad_width: Any, ends: tuple) -> Any:
    """The cotangent of the numbers at the ends of the ramps, which were given in an array of that shape."""
    return unbroadcast(_unramped(g, shape, pad_width)[1], ends)


def _unramped(g: Any, shape: tuple, pad_width: Any) -> tuple[Any, Any]:
    """The cotangents of the array and of both ends along each axis."""
    ends = np.zeros((len(shape), 2), g.dtype)
    for axis, (before, _) in _backwards(_pairs(pad_width, shape)):
        inside, first, last = _taken_apart(g, axis, before, shape[axis])
        for side, (edge, bars) in enumerate(((0, first), (-1, last[::-1]))):
            rising = _along(np.arange(len(bars)) / max(len(bars), 1), bars) * bars
            inside[edge] += np.sum(rising, axis=0)
            ends[axis, side] = np.sum(bars - rising)
        g = np.moveaxis(inside, 0, axis)
    return g, ends


def unpad_turned(g: Any, shape: tuple, pad_width: Any, mode: Any) -> Any:
    """The same where ``reflect_type="odd"`` turned what is reflected about the elements at the edges: so many times the
    first and the last element, and one of the others with a sign."""
    for axis, widths in _backwards(_pairs(pad_width, shape)):
        size = shape[axis]
        bars = np.moveaxis(g, axis, 0)
        places = np.pad(np.arange(size), widths, mode=mode)
        inner = np.zeros((size, *bars.shape[1:]), g.dtype)
        first, last = np.arange(size) == 0, np.arange(size) == size - 1
        others = ~(first | last)
        np.add.at(inner, places, _along(_odd(others, widths, mode), bars) * bars)
        inner *= _along(others.astype(g.dtype), bars)
        inner[-1] = np.sum(_along(_odd(last, widths, mode), bars) * bars, axis=0)
        if size > 1:
            inner[0] = np.sum(_along(_odd(first, widths, mode), bars) * bars, axis=0)
        g = np.moveaxis(inner, 0, axis)
    return g


def extreme_places(array: Any, pad_width: Any, mode: str, stat_length: Any) -> Any:
    """The numbers of the elements that are where ``np.pad`` puts extrema around an array: of several the first."""
    places, padded = numbered(np.shape(array)), np.asarray(array)
    choose = np.argmax if mode == "maximum" else np.argmin
    for axis, (before, behind) in enumerate(_pairs(pad_width, padded.shape)):
        size = padded.shape[axis]
        parts = []
        for count, length, start in zip((before, behind), _lengths(stat_length, array.shape)[axis], (True, False)):
            rows = range(length) if start else range(size - length, size)
            chosen = np.expand_dims(choose(np.take(padded, rows, axis), axis=axis), axis)
            found = np.take_along_axis(np.take(places, rows, axis), chosen, axis)
            parts.append(np.repeat(found, count, axis))
        places = np.concatenate([parts[0], places, parts[1]], axis)
        padded = np.reshape(array, -1)[places]
    return places


def _backwards(widths: Any) -> list:
    return list(enumerate(widths))[::-1]


def _pairs(given: Any, shape: tuple) -> list:
    """What is given for both ends of each axis, as NumPy spreads it over them."""
    given = np.asarray(given)
    if given.size == 2 and given.shape != (2, 1):
        given = given.ravel()
    return np.broadcast_to(given, (len(shape), 2)).tolist()


def _lengths(stat_length: Any, shape: tuple) -> list:
    """How many elements count at both ends of each axis: no more than there are."""
    if stat_length is None:
        return [(size, size) for size in shape]
    return [[min(count, size) for count in pair] for pair, size in zip(_pairs(stat_length, shape), shape)]


def _taken_apart(g: Any, axis: int, before: int, size: int) -> tuple[Any, Any, Any]:
    """What came from the array itself, what is before it and what is behind."""
    bars = np.moveaxis(g, axis, 0)
    return bars[before:before + size].copy(), bars[:before], bars[before + size:]


def _along(weights: Any, bars: Any) -> Any:
    """Weights along the first axis, as they multiply."""
    return np.reshape(weights, (-1, *(1,) * (bars.ndim - 1))).astype(bars.dtype)


def _odd(which: Any, widths: Any, mode: Any) -> Any:
    return np.pad(which.astype(float), widths, mode=mode, reflect_type="odd")
