"""Cotangents and tangents of what builtins make of the items of a list; spelled out so that they may be differentiated
again."""
from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.runtime.broadcasting import unbroadcast
from s2sgrad.runtime.structures import zeros_of


def summed_bars(g: Any, items: Any) -> list:
    """The cotangents of the terms of a sum."""
    return [unbroadcast(g, np.shape(item)) for item in items]


def chosen_dot(t: Any, items: Any, y: Any) -> Any:
    """The tangent of the first item that equals ``y``, which was chosen."""
    for item, tangent in zip(items, t):
        if item == y:
            return tangent
    return 0.0 * y


def chosen_bars(g: Any, items: Any, y: Any) -> list:
    """The cotangents of the items of which ``y`` was chosen: the first that equals it takes it all."""
    bars: list = []
    found = False
    for item in items:
        chosen = not found and item == y
        bars.append(g if chosen else zeros_of(item))
        found = found or chosen
    return bars
