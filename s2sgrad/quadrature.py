"""The derivative of ``scipy.integrate.quad``: in its limits the integrand, in its parameters the integral of the
integrand's derivative, as exact as the tolerances of the call."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate

from s2sgrad.compiler.definitions import ALIKE
from s2sgrad.errors import ArgumentError
from s2sgrad.extending import custom_rule
from s2sgrad.integration import flat, row, shaped
from s2sgrad.transforms import jvp, vjp


def quad(func: Any, a: Any, b: Any, args: Any = (), full_output: Any = 0, epsabs: Any = 1.49e-08,
         epsrel: Any = 1.49e-08, limit: Any = 50, points: Any = None, weight: Any = None, wvar: Any = None,
         wopts: Any = None, maxp1: Any = 50, limlst: Any = 50, complex_func: Any = False) -> Any:
    """What is differentiated in the place of SciPy's."""
    found = integral(func, a, b, args, epsabs, epsrel, limit, points, full_output, weight, complex_func)
    return float(found[0]), float(found[1])


def integral(func: Callable, a: Any, b: Any, args: Any, epsabs: Any, epsrel: Any, limit: Any, points: Any,
             full_output: Any, weight: Any, complex_func: Any) -> np.ndarray:
    """The integral, and an estimate of its error."""
    if full_output or weight is not None or complex_func:
        raise ArgumentError("quad is differentiated without full_output, weight and complex_func",
                            "leave them out, and put the weight into the integrand")
    return np.array(integrate.quad(func, a, b, args, 0, epsabs, epsrel, limit, points))


def parameters(args: Any) -> tuple:
    return args if isinstance(args, tuple) else (args,)


def at(func: Callable, limit: Any, args: Any) -> float:
    """The integrand at a limit; 0 where that is infinite."""
    return float(func(float(limit), *parameters(args))) if np.isfinite(limit) else 0.0


def integral_reverse(g: np.ndarray, y: np.ndarray, func: Callable, a: Any, b: Any, args: Any, epsabs: Any, epsrel: Any,
                     limit: Any, points: Any, *options: Any) -> tuple:
    given = parameters(args)

    def slopes(x: float) -> np.ndarray:
        return flat(list(vjp(func, float(x), *given)[1](1.0)[1:]))

    size = flat(list(given)).size
    bars = g[0] * integrate.quad_vec(slopes, a, b, epsabs, epsrel, limit=max(limit, 100), points=points)[0] \
        if size else np.zeros(0)
    args_bar = shaped(bars, given, False)
    a_bar, b_bar = -g[0] * at(func, a, args), g[0] * at(func, b, args)
    return (None, shaped(np.array([a_bar]), a, True), shaped(np.array([b_bar]), b, True),
            args_bar if isinstance(args, tuple) else args_bar[0], *[None] * (4 + len(options)))


def integral_tangent(dots: tuple, y: np.ndarray, func: Callable, a: Any, b: Any, args: Any, epsabs: Any, epsrel: Any,
                     limit: Any, points: Any, *options: Any) -> np.ndarray:
    _, a_dot, b_dot, args_dot, *_ = dots
    given = parameters(args)
    total = (b_dot or 0.0) * at(func, b, args) - (a_dot or 0.0) * at(func, a, args)
    if args_dot is not None:
        moved = [None, *shaped(row(parameters(args_dot), given), given, True)]

        def slope(x: float) -> float:
            return float(jvp(func, (x, *given), moved)[1])

        total = total + integrate.quad(slope, a, b, (), 0, epsabs, epsrel, limit, points)[0]
    return np.array([total, 0.0])


custom_rule(integral, reverse=integral_reverse, tangent=integral_tangent)
setattr(integrate.quad, ALIKE, quad)
