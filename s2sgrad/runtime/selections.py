"""Adjoints of functions that choose, repeat or move elements, from where each element came."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np


def numbered(shape: tuple) -> Any:
    """An array of that shape in which each element is its own number: what a function makes of it tells where elements
    come from."""
    return np.arange(math.prod(shape)).reshape(shape)


def put_back(g: Any, shape: tuple, places: Any) -> Any:
    """Zeros of a shape, and each element of ``g`` added in the place that it came from."""
    g = np.asarray(g)
    result = np.zeros(math.prod(shape), g.dtype)
    if result.size > 0:  # np.resize makes something of nothing
        np.add.at(result, places, g)
    return result.reshape(shape)


def unpad(g: Any, shape: tuple, pad_width: Any) -> Any:
    """What ``np.pad`` has put something constant around."""
    return np.asarray(g)[np.pad(numbered(shape), pad_width, constant_values=-1) >= 0].reshape(shape)


def around(g: Any, shape: tuple, pad_width: Any, values: Any) -> Any:
    """The cotangent of what ``np.pad`` has put around an array of that shape."""
    size = math.prod(shape)
    places = np.pad(numbered(shape), pad_width, constant_values=size + numbered(np.shape(values)))
    return put_back(g, (size + np.size(values),), places)[size:].reshape(np.shape(values))[()]


def part_of_joined(g: Any, join: Callable[..., Any], shapes: Any, path: tuple) -> Any:
    """The part of ``g`` that lies where a function that joins arrays puts one of them; ``shapes`` are those of all, in
    lists like theirs, and the path is the place of one in these."""
    return np.reshape(g, -1)[places_of_joined(join, shapes, path)]


def places_of_joined(join: Callable[..., Any], shapes: Any, path: tuple) -> Any:
    """Where in what a function makes of arrays it puts the elements of one of them, counted along all axes."""
    def labels(part: Any, rest: tuple | None) -> Any:
        if isinstance(part, list):
            return [labels(item, rest[1:] if rest and rest[0] == index else None) for index, item in enumerate(part)]
        return numbered(part) if rest is not None else np.full(part, -1)

    numbers = join(labels(shapes, path)).ravel()
    shape = shapes
    for index in path:
        shape = shape[index]
    places = np.empty(math.prod(shape), int)
    inside = np.flatnonzero(numbers >= 0)
    places[numbers[inside]] = inside
    return places.reshape(shape)


def inserted(g: Any, shape: tuple, values: Any, obj: Any, axis: Any, of_values: bool) -> Any:
    """The cotangent of an array of that shape, or of what ``np.insert`` puts into it."""
    size = math.prod(shape)
    places = np.insert(numbered(shape), obj, size + numbered(np.shape(values)), axis)
    both = put_back(g, (size + np.size(values),), places)
    return both[size:].reshape(np.shape(values)) if of_values else both[:size].reshape(shape)


def unorder(g: Any, a: Any, y: Any, axis: Any) -> Any:
    """The adjoint of any rearrangement ``y`` of ``a`` along an axis: what has the same rank in both is the same."""
    axis = -1 if axis is None else axis
    flat = np.reshape(a, -1) if np.ndim(a) != np.ndim(y) else a
    result = np.empty_like(g)
    ranked = np.take_along_axis(g, np.argsort(y, axis=axis, kind="stable"), axis)
    np.put_along_axis(result, np.argsort(flat, axis=axis, kind="stable"), ranked, axis)
    return result.reshape(np.shape(a))


def reorder(t: Any, a: Any, y: Any, axis: Any) -> Any:
    """The tangent of any rearrangement ``y`` of ``a`` along an axis."""
    axis = -1 if axis is None else axis
    flat, t = (a, t) if np.ndim(a) == np.ndim(y) else (np.reshape(a, -1), np.reshape(t, -1))
    ranked = np.take_along_axis(t, np.argsort(flat, axis=axis, kind="stable"), axis)
    return np.take_along_axis(ranked, np.argsort(np.argsort(y, axis=axis, kind="stable"), axis=axis), axis)


def histogram_weights(g: Any, a: Any, edges: Any) -> Any:
    """The cotangent of the weights in ``np.histogram``: that of each element's bin (the last has both its edges), and 0
    outside."""
    bins = np.searchsorted(edges, a, "right") - 1
    bins[a == edges[-1]] = len(g) - 1
    inside = (bins >= 0) & (bins < len(g))
    return np.where(inside, g[np.where(inside, bins, 0)], 0)


def histogram_edges(g: Any, a: Any, bins: Any) -> Any:
    """What the edges of ``np.histogram`` give to the extrema, of which ties share evenly, unless they were given."""
    if np.ndim(bins) == 1:
        return np.zeros_like(a)
    lowest, highest = a == np.min(a), a == np.max(a)
    ramp = np.linspace(0, 1, len(g), dtype=g.dtype)
    counts = [np.sum(hit, dtype=g.dtype) for hit in (lowest, highest)]
    return g @ (1 - ramp) / counts[0] * lowest + g @ ramp / counts[1] * highest


def histogram_edges_dot(t: Any, a: Any, bins: Any, y: Any) -> Any:
    """The tangent of the edges ``y`` that ``np.histogram`` makes of the extrema, unless they were given."""
    if np.ndim(bins) == 1:
        return np.zeros_like(y)
    lowest, highest = np.mean(t[a == np.min(a)]), np.mean(t[a == np.max(a)])
    return np.linspace(lowest, highest, len(y), dtype=y.dtype)


def running_extremum_dot(t: Any, a: Any, y: Any, axis: int) -> Any:
    """The tangent of ``y = np.maximum.accumulate(a, axis)``: that of the last element that reached it."""
    return np.take_along_axis(t, _reached(a, y, axis), axis)


def _reached(a: Any, y: Any, axis: int) -> Any:
    """The place along the axis of the last element that reached a running extremum."""
    count = np.arange(a.shape[axis]).reshape([-1 if item == axis % a.ndim else 1 for item in range(a.ndim)])
    return np.maximum.accumulate(np.where(a == y, count, 0), axis)


def running_extremum_bar(g: Any, a: Any, y: Any, axis: int) -> Any:
    """The adjoint of ``np.maximum.accumulate``: what has been reached goes to the last element that reached it."""
    return put_back(g, a.shape, np.take_along_axis(numbered(a.shape), _reached(a, y, axis), axis))


def unreduce(g: Any, shape: tuple, indices: Any, axis: int) -> Any:
    """The adjoint of ``np.add.reduceat``: a sum goes from its index to the next, and has one element at least."""
    result = np.zeros(shape, g.dtype)
    rows, sums = np.moveaxis(result, axis, 0), np.moveaxis(g, axis, 0)
    for place, (start, stop) in enumerate(zip(indices, [*indices[1:], shape[axis]])):
        rows[start:max(stop, start + 1)] += sums[place]
    return result


def row_joined(parts: Any) -> Any:
    """``np.r_[parts]``."""
    return np.r_[tuple(parts)]


def column_joined(parts: Any) -> Any:
    """``np.c_[parts]``."""
    return np.c_[tuple(parts)]


def margins(sizes: tuple, turned: bool) -> list:
    """How far a filter with weights of these sizes reaches beyond each edge; ``turned``: it goes through them
    backwards."""
    return [(size - size // 2 - 1, size // 2) if turned else (size // 2, size - size // 2 - 1) for size in sizes]
