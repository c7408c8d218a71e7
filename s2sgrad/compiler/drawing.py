"""Random numbers drawn with differentiated parameters, as Python that draws the same: standard ones moved and scaled,
and places, under which items are taken.

What is whole, or comes of more than one number in a way of its own, has no derivative along its draws, and is refused.
"""
from __future__ import annotations

import math
import random
from typing import Any

import numpy as np

from s2sgrad.rules.draws import is_pythons


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
        return float(loc) + float(scale) * generator.standard_normal()
    drawn = generator.standard_normal(together(loc, scale) if size is None else size)
    return fitting(loc + scale * drawn, drawn)


def lognormal(generator: Any, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
    if np.any(np.signbit(sigma)):
        raise ValueError("sigma < 0")
    if size is None and np.ndim(mean) == 0 and np.ndim(sigma) == 0:
        return float(np.exp(float(mean) + float(sigma) * generator.standard_normal()))
    drawn = generator.standard_normal(together(mean, sigma) if size is None else size)
    return fitting(np.exp(mean + sigma * drawn), drawn)


def uniform(generator: Any, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    if not np.all(np.isfinite(np.subtract(high, low))):
        raise OverflowError("Range exceeds valid bounds")
    if size is None and np.ndim(low) == 0 and np.ndim(high) == 0:
        return float(low) + (float(high) - float(low)) * generator.random()
    drawn = generator.random(together(low, high) if size is None else size)
    return fitting(low + np.subtract(high, low, dtype=float) * drawn, drawn)


def laplace(generator: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    if np.any(np.signbit(scale)):
        raise ValueError("scale < 0")
    if size is None and np.ndim(loc) == 0 and np.ndim(scale) == 0:
        return float(loc) + float(scale) * generator.laplace()
    drawn = generator.laplace(size=together(loc, scale) if size is None else size)
    return fitting(loc + scale * drawn, drawn)


def logistic(generator: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    if np.any(np.signbit(scale)):
        raise ValueError("scale < 0")
    if size is None and np.ndim(loc) == 0 and np.ndim(scale) == 0:
        return float(loc) + float(scale) * generator.logistic()
    drawn = generator.logistic(size=together(loc, scale) if size is None else size)
    return fitting(loc + scale * drawn, drawn)


def gumbel(generator: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    if np.any(np.signbit(scale)):
        raise ValueError("scale < 0")
    if size is None and np.ndim(loc) == 0 and np.ndim(scale) == 0:
        return float(loc) + float(scale) * generator.gumbel()
    drawn = generator.gumbel(size=together(loc, scale) if size is None else size)
    return fitting(loc + scale * drawn, drawn)


def exponential(generator: Any, scale: Any = 1.0, size: Any = None) -> Any:
    if np.any(np.signbit(scale)):
        raise ValueError("scale < 0")
    if size is None and np.ndim(scale) == 0:
        return float(scale) * generator.standard_exponential()
    drawn = generator.standard_exponential(np.shape(scale) if size is None else size)
    return fitting(scale * drawn, drawn)


def gamma(generator: Any, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
    if np.any(np.signbit(scale)):
        raise ValueError("scale < 0")
    if size is None and np.ndim(shape) == 0 and np.ndim(scale) == 0:
        return float(scale) * generator.standard_gamma(shape)
    drawn = generator.standard_gamma(shape, together(shape, scale) if size is None else size)
    return fitting(scale * drawn, drawn)


def rayleigh(generator: Any, scale: Any = 1.0, size: Any = None) -> Any:
    if np.any(np.signbit(scale)):
        raise ValueError("scale < 0")
    if size is None and np.ndim(scale) == 0:
        return float(scale) * generator.rayleigh()
    drawn = generator.rayleigh(size=np.shape(scale) if size is None else size)
    return fitting(scale * drawn, drawn)


def multivariate_normal(generator: Any, mean: Any, cov: Any, size: Any = None) -> Any:
    drawn = generator.multivariate_normal(np.zeros(len(mean)), cov, size)
    return fitting(mean + drawn, drawn)


def together(first: Any, second: Any) -> Any:
    """The shape of both, broadcast."""
    return np.broadcast_shapes(np.shape(first), np.shape(second))


def fitting(moved: Any, drawn: Any) -> Any:
    """What was made of random numbers, which are doubles, as parameters are taken for: it has their shape."""
    if np.shape(moved) != np.shape(drawn):
        raise ValueError("the size that is asked for is not compatible with the shapes of the parameters")
    if moved.dtype != drawn.dtype:
        raise TypeError(f"parameters of dtype {moved.dtype} can't be cast to float64 safely: pass doubles")
    return moved


DRAWING = {"choice": picked, "permutation": reordered, "normal": normal, "lognormal": lognormal, "uniform": uniform,
           "exponential": exponential, "laplace": laplace, "logistic": logistic, "gumbel": gumbel, "gamma": gamma,
           "rayleigh": rayleigh, "multivariate_normal": multivariate_normal}
"""By the names of the generators' methods."""
DRAWING_OLDER = {**DRAWING, "choice": picked_of_a_vector}


# ---- Python's own generators, whose numbers and items are single ones


def gauss(generator: Any, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    return mu + generator.gauss(0.0, 1.0) * sigma


def normalvariate(generator: Any, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    return mu + generator.normalvariate(0.0, 1.0) * sigma


def lognormvariate(generator: Any, mu: Any, sigma: Any) -> Any:
    return math.exp(mu + generator.normalvariate(0.0, 1.0) * sigma)


def between(generator: Any, a: Any, b: Any) -> Any:
    return a + (b - a) * generator.random()


def expovariate(generator: Any, lambd: Any) -> Any:
    return -math.log(1.0 - generator.random()) / lambd


def weibullvariate(generator: Any, alpha: Any, beta: Any) -> Any:
    return alpha * (-math.log(1.0 - generator.random())) ** (1.0 / beta)


def paretovariate(generator: Any, alpha: Any) -> Any:
    return (1.0 - generator.random()) ** (-1.0 / alpha)


def item_of(generator: Any, seq: Any) -> Any:
    return seq[generator.choice(range(len(seq)))]


def items_of(generator: Any, population: Any, k: Any) -> Any:
    return [population[place] for place in generator.sample(range(len(population)), k)]


def items_again(generator: Any, population: Any, weights: Any = None, *, cum_weights: Any = None, k: Any = 1) -> Any:
    return [population[place] for place in generator.choices(
        range(len(population)), weights, cum_weights=cum_weights, k=k)]


DRAWING_PYTHONS = {"gauss": gauss, "normalvariate": normalvariate, "lognormvariate": lognormvariate,
                   "uniform": between, "expovariate": expovariate, "weibullvariate": weibullvariate,
                   "paretovariate": paretovariate, "choice": item_of, "sample": items_of, "choices": items_again}


def drawing(label: str, kind: Any) -> Any:
    """What draws the same in Python as the method of this name; None where nothing does. ``kind``: the generator's
    class, or the method."""
    if kind is random.Random or is_pythons(kind):
        return DRAWING_PYTHONS.get(label)
    return (DRAWING if kind.__qualname__.startswith("Generator") else DRAWING_OLDER).get(label)
