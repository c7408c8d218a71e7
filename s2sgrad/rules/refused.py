"""What to do instead of calling a function that has no rule and will hardly get one."""
from __future__ import annotations

import sys
from typing import Any

import numpy as np

REMEDIES = {
    "numpy.piecewise": "use np.where, or np.select",
    "numpy.apply_along_axis": "write the loop, or use the function's own axis=",
    "numpy.apply_over_axes": "call the function with axis=, one axis after another",
    "numpy.trim_zeros": "cut with a slice",
    "scipy.integrate.solve_bvp": "write the steps in Python, in a loop",
    "scipy.integrate.dblquad": "integrate by scipy.integrate.quad twice, or sum over points with weights",
    "scipy.optimize": "call it on constants, and differentiate one step from what it found",
    "scipy.interpolate": "use np.interp, or write the interpolation out",
    "collections.deque": "use a list: xs.append(v), xs.pop(0), xs = xs[-n:]",
    "collections.defaultdict": "use a dict: d[key] = d.get(key, 0.0) + v",
    "collections.Counter": "use a dict: d[key] = d.get(key, 0.0) + v",
    "collections.OrderedDict": "use a dict, which keeps its order",
    "itertools": "write a loop, or a list comprehension",
}
"""By the name of the function, or of the module that it is in; parts of modules with an underscore are left out."""


def remedy_for(function: Any) -> str:
    return next((REMEDIES[name] for name in names_of(function) if name in REMEDIES), "add one with s2sgrad.rule")


def is_refused(function: Any) -> bool:
    """Whether a function has no derivative, although it may have Python source."""
    return any(name in REMEDIES for name in names_of(function))


def makes_other_arrays(function: Any) -> bool:
    """Whether a function of NumPy's gives matrices or masked arrays, which multiply and add up in other ways."""
    return function in (np.asmatrix, np.bmat) or any(name.startswith(("numpy.ma", "numpy.matrix"))
                                                     for name in names_of(function))


def public_name(function: Any) -> str:
    """What the users of a function call it, with its module, or where it is from."""
    module = str(getattr(function, "__module__", None) or "")
    label = getattr(function, "__name__", None) or f"{type(function).__name__} object"
    for name in names_of(function) if module != "builtins" else ():
        held = getattr(sys.modules.get(name.rpartition(".")[0]), label, None)
        if held is not None and getattr(held, "__wrapped__", held) is function:
            return name
    return f"{module}.{label}" if module and module != "builtins" else label


def names_of(function: Any) -> tuple[str, ...]:
    """The names that a function may have to the public, and that of the module that it is in."""
    named = function if hasattr(function, "__name__") else type(function)
    parts = [part for part in str(getattr(named, "__module__", "")).split(".") if not part.startswith("_")]
    return *(".".join([*parts[:depth], named.__name__]) for depth in (1, 2)), ".".join(parts[:2])
