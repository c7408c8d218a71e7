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
from s2sgrad.integration import flat, moved_like, shaped
from s2sgrad.runtime import stop_gradient
from s2sgrad.transforms import jvp, vjp


def quad(func: Any, a: Any, b: Any, args: Any = (), full_output: Any = 0, epsabs: Any = 1.49e-08,
         epsrel: Any = 1.49e-08, limit: Any = 50, points: Any = None, weight: Any = None, wvar: Any = None,
         wopts: Any = None, maxp1: Any = 50, limlst: Any = 50, complex_func: Any = False) -> Any:
    """What is differentiated in the place of SciPy's."""
    given = args if isinstance(args, tuple) else (args,)
    found = integral(func, a, b, given, epsabs, epsrel, limit, points, full_output, weight, complex_func)
    return float(found[0]), float(found[1])


def integral(func: Callable, a: Any, b: Any, args: tuple, epsabs: Any, epsrel: Any, limit: Any, points: Any,
             full_output: Any, weight: Any, complex_func: Any) -> np.ndarray:
    """The integral, and an estimate of its error."""
    if full_output or weight is not None or complex_func:
        raise ArgumentError("quad is differentiated without full_output, weight and complex_func",
                            "leave them out, and put the weight into the integrand")
    return np.array(integrate.quad(func, a, b, args, 0, epsabs, epsrel, limit, points))


def integrals(func: Callable, a: Any, b: Any, args: tuple, epsabs: Any, epsrel: Any, limit: Any, points: Any
              ) -> np.ndarray:
    """Those of the elements of a vector: what the derivatives of an integral are, and theirs."""
    return np.asarray(integrate.quad_vec(lambda x: func(x, *args), a, b, epsabs, epsrel, limit=max(limit, 100),
                                         points=points)[0])


def at(func: Callable, limit: Any, args: tuple, like: Any) -> Any:
    """The integrand at a limit; 0 where that is infinite."""
    return func(float(limit), *args) if np.isfinite(limit) else like


def as_limit(bar: Any, limit: Any) -> Any:
    """The cotangent of a limit, if it has one."""
    return shaped(np.reshape(bar, (1,)), stop_gradient(limit), True)


def slopes(x: float, func: Callable, args: tuple, bar: Any) -> np.ndarray:
    """The cotangents of an integrand's parameters."""
    return flat(list(vjp(func, x, *args)[1](bar)[1:]))


def slope(x: float, func: Callable, args: tuple, args_dot: Any) -> Any:
    return jvp(func, (x, *args), (0.0, *args_dot))[1]


# ---- of one number

def integral_reverse(g: np.ndarray, y: np.ndarray, func: Callable, a: Any, b: Any, args: tuple, epsabs: Any,
                     epsrel: Any, limit: Any, points: Any, *options: Any) -> tuple:
    fixed = stop_gradient(args)
    bars = g[0] * integrals(slopes, a, b, (func, args, 1.0), epsabs, epsrel, limit, points) if flat(fixed).size \
        else np.zeros(0)
    return (None, as_limit(-g[0] * at(func, a, args, 0.0), a), as_limit(g[0] * at(func, b, args, 0.0), b),
            shaped(bars, fixed, False), *[None] * (4 + len(options)))


def integral_tangent(dots: tuple, y: np.ndarray, func: Callable, a: Any, b: Any, args: tuple, epsabs: Any,
                     epsrel: Any, limit: Any, points: Any, *options: Any) -> np.ndarray:
    _, a_dot, b_dot, args_dot, *_ = dots
    total = 0.0
    if b_dot is not None:
        total = total + b_dot * at(func, b, args, 0.0)
    if a_dot is not None:
        total = total - a_dot * at(func, a, args, 0.0)
    if args_dot is not None:
        moved = moved_like(args, args_dot)
        total = total + integral(slope, a, b, (func, args, moved), epsabs, epsrel, limit, points, *options)[0]
    return np.array([total, 0.0])


# ---- of vectors

def integrals_reverse(g: np.ndarray, y: np.ndarray, func: Callable, a: Any, b: Any, args: tuple, epsabs: Any,
                      epsrel: Any, limit: Any, points: Any) -> tuple:
    bars = integrals(slopes, a, b, (func, args, g), epsabs, epsrel, limit, points)
    nothing = np.zeros(np.shape(y))
    return (None, as_limit(-np.sum(g * at(func, a, args, nothing)), a),
            as_limit(np.sum(g * at(func, b, args, nothing)), b), shaped(bars, stop_gradient(args), False), *[None] * 4)


def integrals_tangent(dots: tuple, y: np.ndarray, func: Callable, a: Any, b: Any, args: tuple, epsabs: Any,
                      epsrel: Any, limit: Any, points: Any) -> np.ndarray:
    _, a_dot, b_dot, args_dot, *_ = dots
    nothing = np.zeros(np.shape(y))
    total = nothing
    if b_dot is not None:
        total = total + b_dot * at(func, b, args, nothing)
    if a_dot is not None:
        total = total - a_dot * at(func, a, args, nothing)
    if args_dot is not None:
        total = total + integrals(slope, a, b, (func, args, moved_like(args, args_dot)), epsabs, epsrel, limit, points)
    return total


custom_rule(integral, reverse=integral_reverse, tangent=integral_tangent)
custom_rule(integrals, reverse=integrals_reverse, tangent=integrals_tangent)
setattr(integrate.quad, ALIKE, quad)
