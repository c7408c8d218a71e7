"""What to do instead of calling a function that has no rule and will hardly get one."""
from __future__ import annotations

from typing import Any

STEPS = "write the steps in Python, in a loop: that is differentiated"
REMEDIES = {
    "numpy.piecewise": "use np.where, or np.select",
    "numpy.apply_along_axis": "write the loop, or use the function's own axis=",
    "numpy.apply_over_axes": "call the function with axis=, one axis after another",
    "numpy.trim_zeros": "cut with a slice",
    "scipy.integrate.odeint": STEPS,
    "scipy.integrate.solve_ivp": STEPS,
    "scipy.integrate.quad": "sum over points with weights, such as np.polynomial.legendre.leggauss gives",
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
    named = function if hasattr(function, "__name__") else type(function)
    parts = [part for part in str(getattr(named, "__module__", "")).split(".") if not part.startswith("_")]
    for name in (".".join([*parts, named.__name__]), ".".join(parts[:2])):
        if name in REMEDIES:
            return REMEDIES[name]
    return "add one with s2sgrad.rule"
