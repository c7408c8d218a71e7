"""What is written for several versions of NumPy or Python, of which one lacks what another has."""
from __future__ import annotations

import sys

import numpy as np

from corpus.registry import normal, program


@program(lambda: (normal(1, 5),))
def asked_by_name(x):
    if hasattr(np, "trapezoid"):
        return np.trapezoid(x ** 2)
    return np.trapz(x ** 2)


@program(lambda: (normal(1, 5),))
def asked_in_an_expression(x):
    return np.no_such_function(x) if hasattr(np, "no_such_function") else np.trapezoid(x ** 2)


@program(lambda: (normal(1, 5),))
def whichever_is_there(x):
    integrate = getattr(np, "trapezoid", None) or np.trapz
    return integrate(x ** 2)


@program(lambda: (normal(1, 5),))
def asked_for_the_version(x):
    if np.__version__ >= "2":
        return np.trapezoid(x ** 2)
    else:
        return np.trapz(x ** 2)


@program(lambda: (normal(1, 5),))
def asked_for_its_numbers(x):
    if tuple(int(part) for part in np.__version__.split(".")[:2]) >= (2, 0):
        return np.trapezoid(x ** 2)
    return np.trapz(x ** 2)


@program(lambda: (normal(1, 3, 3),))
def asked_for_python(x):
    if sys.version_info < (3, 5):  # noqa: UP036
        return np.no_such_function(x)
    if int(np.__version__.split(".")[0]) < 1:
        return np.no_such_function(x)
    if np.lib.NumpyVersion(np.__version__) < "1.0.0":
        return np.no_such_function(x)
    return (x @ x).sum()
