"""Random numbers drawn with differentiated parameters, as Python that draws the same: standard ones moved and scaled,
and places, under which items are taken.

What is whole, or comes of more than one number in a way of its own, has no derivative along its draws, and is refused.
"""
from __future__ import annotations

from typing import Any

import numpy as np


def picked(generator: Any, a: Any, size: Any = None, replace: Any = True, p: Any = None) -> Any:
    items = np.asarray(a)
    return items[generator.choice(len(items), size=size, replace=replace, p=p)]


def picked_of_a_vector(generator: Any, a: Any, size: Any = None, replace: Any = True, p: Any = None) -> Any:
    """The same of the older generators."""
    if np.ndim(a) != 1:
        raise ValueError("a must be 1-dimensional")
    return picked(generator, a, size, replace, p)


def reordered(generator: Any, x: Any) -> Any:
    items = np.asarray(x)
    return items[generator.permutation(len(items))]


def normal(generator: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    if np.any(np.signbit(scale)):
        raise ValueError("scale < 0")
    if size is None and np.ndim(loc) == 0 and np.ndim(scale) == 0:
        return float(loc + scale * generator.standard_normal())
    drawn = generator.standard_normal(together(loc, scale) if size is None else size)
    return fitting(loc + scale * drawn, drawn)


def lognormal(generator: Any, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
    if np.any(np.signbit(sigma)):
        raise ValueError("sigma < 0")
    if size is None and np.ndim(mean) == 0 and np.ndim(sigma) == 0:
        return float(np.exp(mean + sigma * generator.standard_normal()))
    drawn = generator.standard_normal(together(mean, sigma) if size is None else size)
    return fitting(np.exp(mean + sigma * drawn), drawn)


def uniform(generator: Any, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    if not np.all(np.isfinite(np.subtract(high, low))):
        raise OverflowError("Range exceeds valid bounds")
    if size is None and np.ndim(low) == 0 and np.ndim(high) == 0:
        return float(low + (high - low) * generator.random())
    drawn = generator.random(together(low, high) if size is None else size)
    return fitting(low + np.subtract(high, low) * drawn, drawn)


def exponential(generator: Any, scale: Any = 1.0, size: Any = None) -> Any:
    if np.any(np.signbit(scale)):
        raise ValueError("scale < 0")
    if size is None and np.ndim(scale) == 0:
        return float(scale * generator.standard_exponential())
    drawn = generator.standard_exponential(np.shape(scale) if size is None else size)
    return fitting(scale * drawn, drawn)


def together(first: Any, second: Any) -> Any:
    """The shape of both, broadcast."""
    return np.broadcast_shapes(np.shape(first), np.shape(second))


def fitting(moved: Any, drawn: Any) -> Any:
    """What was made of random numbers, which has their shape."""
    if np.shape(moved) != np.shape(drawn):
        raise ValueError("the size that is asked for is not compatible with the shapes of the parameters")
    return moved


DRAWING = {"choice": picked, "permutation": reordered, "normal": normal, "lognormal": lognormal, "uniform": uniform,
           "exponential": exponential}
"""By the names of the generators' methods."""
DRAWING_OLDER = {**DRAWING, "choice": picked_of_a_vector}
