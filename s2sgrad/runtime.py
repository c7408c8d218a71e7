"""The few helpers that generated code calls."""
from __future__ import annotations

from typing import Any

import numpy as np


def unbroadcast(g: Any, like: Any) -> Any:
    """Sum a cotangent over the axes along which an operand was broadcast: back to ``np.shape(like)``."""
    shape = np.shape(like)
    if np.shape(g) == shape:
        return g
    lead = np.ndim(g) - len(shape)
    axes = tuple(range(lead)) + tuple(lead + i for i, n in enumerate(shape) if n == 1 and np.shape(g)[lead + i] != 1)
    return np.reshape(np.sum(g, axis=axes), shape)
