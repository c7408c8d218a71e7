"""Views that NumPy's functions give, by indices and transpositions: ``u[::-1]`` for ``np.flip(u, 0)``.

What a function does with the axes of an array is read off what it gives for a small one, each of whose strides tells
its axis.
"""
from __future__ import annotations

import gast
import numpy as np

from s2sgrad.compiler.nodes import attribute, constant, subscript, tuple_of
from s2sgrad.rules.abstract import MISSING, Numeric
from s2sgrad.rules.table import Operation


def by_axes(array: gast.AST, operation: Operation) -> gast.AST | None:
    """The view that a function gives of its first argument; None where it is none by an index, a transposition and
    new axes."""
    (first, *others) = operation.rule.parameters
    rank = operation.rank(first.name)
    given = {other.name: operation.if_known(other.name) for other in others}
    if not isinstance(operation.result, Numeric) or not rank or any(value is MISSING for value in given.values()):
        return None
    sample = np.empty(tuple(range(2, rank + 2)))
    try:
        view = operation.rule.function(sample, *(given[other.name] for other in others))
    except ValueError:  # np.squeeze takes axes of size 1, and the sample has none
        return None
    axes = [sample.strides.index(abs(stride)) if size > 1 and abs(stride) in sample.strides else None
            for size, stride in zip(view.shape, view.strides)]
    old = [axis for axis in axes if axis is not None]
    if sorted(old) != list(range(rank)) or view.size != sample.size or view.ndim != operation.result.rank:
        return None
    backwards = {axis for axis, stride in zip(axes, view.strides) if stride < 0}
    turned = indexed(array, [gast.Slice(None, None, constant(-1) if axis in backwards else None)
                             for axis in range(rank)])
    return indexed(transposed(turned, old), [gast.Slice(None, None, None) if axis is not None else constant(None)
                                             for axis in axes])


def transposed(array: gast.AST, axes: list[int]) -> gast.AST:
    if axes == sorted(axes):
        return array
    if axes == sorted(axes, reverse=True):
        return attribute(array, "T")
    return gast.Call(attribute(array, "transpose"), [constant(axis) for axis in axes], [])


def indexed(array: gast.AST, parts: list[gast.AST]) -> gast.AST:
    """``u[part, ...]``, less the whole axes at the end; the array itself if there is nothing else."""
    while parts and isinstance(parts[-1], gast.Slice) and parts[-1].step is None:
        parts.pop()
    if not parts:
        return array
    return subscript(array, parts[0] if len(parts) == 1 else tuple_of(parts))
