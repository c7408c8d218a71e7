"""Cotangents summed back to what was stretched."""
from __future__ import annotations

from typing import Any

import numpy as np


def unbroadcast(g: Any, shape: tuple[int, ...]) -> Any:
    """Sum ``g`` over the axes along which an operand of this shape was stretched."""
    full = np.shape(g)
    if full == shape:
        return g
    lead = len(full) - len(shape)
    axes = tuple(range(lead)) + tuple(
        lead + axis for axis, size in enumerate(shape) if size == 1 and full[lead + axis] != 1)
    return np.reshape(np.sum(g, axis=axes), shape) if shape else np.sum(g)
