"""What random generators give, NumPy's and Python's: floats or integers, in the shape that is asked for."""
from __future__ import annotations

import functools
import random
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sgrad.containers import plainly
from s2sgrad.rules.abstract import (
    FLOAT,
    INTEGER,
    MISSING,
    NEVER,
    Abstract,
    Items,
    Known,
    Numeric,
    Opaque,
    items_of,
    join,
    known_value,
    passive,
)
from s2sgrad.rules.dims import broadcast
from s2sgrad.rules.results import result_of
from s2sgrad.rules.shapes import dims_of
from s2sgrad.rules.table import RULES, Operation

GENERATORS = ("Generator", "RandomState")
MAKERS = (*GENERATORS, "default_rng")
BEFORE_SIZE = {
    "beta": ("a", "b"), "chisquare": ("df",), "exponential": ("scale",), "f": ("dfnum", "dfden"),
    "gamma": ("shape", "scale"), "gumbel": ("loc", "scale"), "laplace": ("loc", "scale"), "logistic": ("loc", "scale"),
    "lognormal": ("mean", "sigma"), "noncentral_chisquare": ("df", "nonc"), "normal": ("loc", "scale"),
    "pareto": ("a",), "power": ("a",), "random": (), "random_sample": (), "ranf": (), "rayleigh": ("scale",),
    "sample": (), "standard_cauchy": (), "standard_exponential": (), "standard_gamma": ("shape",),
    "standard_normal": (), "standard_t": ("df",), "triangular": ("left", "mode", "right"), "uniform": ("low", "high"),
    "vonmises": ("mu", "kappa"), "wald": ("mean", "scale"), "weibull": ("a",),
    "binomial": ("n", "p"), "geometric": ("p",), "integers": ("low", "high"), "poisson": ("lam",),
    "randint": ("low", "high"), "choice": ("a",), "permutation": ("x",),
}
"""The methods that give numbers, with their parameters that come before ``size``."""
WHOLE = frozenset(("binomial", "geometric", "integers", "poisson", "randint", "choice", "permutation"))
"""Those that give integers; the last two, of a number."""
PYTHONS = frozenset(("betavariate", "expovariate", "gammavariate", "gauss", "lognormvariate", "normalvariate",
                     "paretovariate", "random", "triangular", "uniform", "vonmisesvariate", "weibullvariate"))
"""The methods of Python's generators that give floats."""
PYTHONS_WHOLE = frozenset(("binomialvariate", "getrandbits", "randint", "randrange"))
"""Those that give integers."""
BY_DIMENSIONS = frozenset(("rand", "randn"))
"""Those that get the shape as arguments."""


def is_of_random(value: Any, names: Sequence[str]) -> bool:
    """Whether something is one of these of ``numpy.random``, or a method of one. That is not mentioned here, for NumPy
    imports it only when it is asked for."""
    name = str(plainly(value, "__qualname__") or plainly(value, "__name__", ""))
    return name.partition(".")[0] in names and str(getattr(value, "__module__", "")).startswith("numpy.random")


def is_generator(kind: type | None) -> bool:
    return kind is random.Random or is_of_random(kind, GENERATORS)


def is_pythons(function: Any) -> bool:
    """Whether a function is a method of Python's own generators."""
    found = getattr(random.Random, str(plainly(function, "__name__", "")), None)
    return found is plainly(function, "__func__", function) or type(plainly(function, "__self__")) is random.Random


def draws(function: Any, holder: Abstract) -> bool:
    """Whether a function is a method of a generator, or that of the one that is the ``holder``."""
    if isinstance(holder, Opaque) and holder.kind is not None or isinstance(holder, Known) and function is MISSING:
        return is_generator(holder.kind if isinstance(holder, Opaque) else type(holder.value))
    return is_of_random(function, GENERATORS) or is_pythons(function)


def kind_made(function: Any) -> type | None:
    """The class of the generator that a call of a function makes; None where it makes none."""
    if function is random.Random:
        return random.Random
    if is_of_random(function, MAKERS) and "." not in function.__qualname__:
        return sys.modules["numpy.random"].Generator  # type: ignore[no-any-return]
    return None


def drawn(label: str, kind: Any, arguments: Sequence[Abstract], keywords: dict[str, Abstract]) -> Abstract:
    """What a method of a generator gives, as far as it is known before the call. ``kind``: the generator's class, or
    the method."""
    if arguments and isinstance(arguments[0], Known) and is_generator(type(arguments[0].value)):
        arguments = arguments[1:]  # what a bound method is of
    if kind is random.Random or is_pythons(kind):
        if label == "choice" and len(arguments) == 1 and isinstance(arguments[0], Items) and _vector(arguments[0]):
            return passive(functools.reduce(join, items_of(arguments[0]), NEVER))
        return FLOAT if label in PYTHONS else INTEGER if label in PYTHONS_WHOLE else Opaque()
    if label in BY_DIMENSIONS and not keywords:
        return _array(np.dtype(float), dims_of(Items(tuple, tuple(arguments)))) if arguments else FLOAT
    names = BEFORE_SIZE.get(label)
    if names is None or len(arguments) > len(names) + 1:
        return Opaque()
    given = {**dict(zip((*names, "size"), arguments)), **keywords}
    dtype = _dtype(label, given.pop("dtype", None))
    size = given.pop("size", Known(None))
    vector = _vector(given.get("a")) if label == "choice" else None
    if vector is not None:  # some of its elements, which lie as those of choice(n) do
        dtype, given["a"] = vector.dtype, INTEGER
    parameters = [given[name] for name in names if name in given]
    if given.keys() - {*names} - {"endpoint", "method", "replace", "p", "shuffle"} or not all(
            isinstance(value, Numeric) and value.shape is not None for value in parameters if value != Known(None)):
        return Opaque()
    shapes = [value.shape for value in parameters if isinstance(value, Numeric)]
    if label in ("choice", "permutation"):  # of an array they give what is in it
        if shapes != [()]:
            return Opaque()
        if label == "permutation":
            return _array(dtype, dims_of(parameters[0]))
    if size == Known(None):
        shape = broadcast(*shapes)
        return Numeric("array" if shape else "any" if shape is None else "number", dtype, shape)
    return _array(dtype, dims_of(size))


def _vector(value: Abstract | None) -> Numeric | None:
    """What is known of an array of one axis, or of the one that NumPy makes of a list; None of anything else."""
    if isinstance(value, Items) and value.kind in (list, tuple) and all(
            isinstance(item, Numeric) for item in items_of(value)):
        value = result_of(Operation(RULES[np.array], {"object": value}))
    return value if isinstance(value, Numeric) and value.rank == 1 else None


def _array(dtype: np.dtype | None, shape: tuple | None) -> Numeric:
    return Numeric("array" if shape else "any", dtype, shape)


def _dtype(label: str, given: Abstract | None) -> np.dtype | None:
    if given is None:
        return np.dtype(int if label in WHOLE else float)
    known = known_value(given)
    return None if known is MISSING else np.dtype(known)
