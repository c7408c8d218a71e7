"""Cotangents summed back to what was stretched."""
from __future__ import annotations

from typing import Any

import numpy as np


def spread_over(g: Any, shape: tuple[int, ...]) -> Any:
    """A cotangent in this shape, or in its own where that has more axes: a constant number in the place of an array has
    cotangents that go nowhere."""
    return np.broadcast_to(g, np.broadcast_shapes(np.shape(g), shape))


def unbroadcast(g: Any, shape: tuple[int, ...]) -> Any:
    """Sum ``g`` over the axes along which an operand of this shape was stretched."""
    full = np.shape(g)
    if full == shape:
        # others are added in place to what belongs to a number: no array without axes
        return g[()] if not shape and isinstance(g, np.ndarray) else g
    if not shape:
        return np.sum(g)
    lead = len(full) - len(shape)
    if lead < 0:  # x[0] = column.T: a place takes values with more axes than it has, of length 1
        return np.reshape(unbroadcast(g, shape[-lead:]), shape)
    axes = tuple(range(lead))
    if 1 in shape:
        axes += tuple(lead + axis for axis, size in enumerate(shape) if size == 1 and full[lead + axis] != 1)
    summed: Any = np.add.reduce(g, axis=axes)  # type: ignore[call-overload]  # np.sum takes twice as long for a few
    return summed if np.shape(summed) == shape else np.reshape(summed, shape)
