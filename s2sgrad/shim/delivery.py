"""Cotangents made to fit what they are cotangents of."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sgrad.runtime import unbroadcast

SMALL = 1000
"""Up to so many elements it takes less time to stretch a cotangent than to make a view that looks stretched."""


def summed(cotangent: np.ndarray, shape: tuple[int, ...]) -> np.ndarray | None:
    """A cotangent summed over the axes along which an operand was stretched; None where it is no such case."""
    lead = cotangent.ndim - len(shape)
    if lead < 0 or any(size != 1 and size != full for size, full in zip(shape, cotangent.shape[lead:])):
        return None
    return np.asarray(unbroadcast(cotangent, shape))


def filled(cotangent: Any, shape: tuple[int, ...]) -> np.ndarray:
    result = np.empty(shape, cotangent.dtype)
    result[...] = cotangent
    return result


def fitted(cotangent: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    """A cotangent in the shape and dtype of its operand: summed where that was stretched, or stretched itself."""
    if cotangent.shape != shape:
        smaller = summed(cotangent, shape)
        if smaller is None:
            smaller = np.broadcast_to(cotangent, shape) if math.prod(shape) > SMALL else filled(cotangent, shape)
        cotangent = smaller
    if cotangent.dtype is not dtype and cotangent.dtype != dtype:
        cotangent = cotangent.astype(dtype)
    return cotangent
