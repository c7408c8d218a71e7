"""The derivative of ``scipy.integrate.odeint``, by differential equations of its own.

The cotangent of a solution goes backwards in time along with it, by the adjoint equation ``a' = -(df/dy)^T a``, and
takes the cotangents of the equation's parameters and of the times along (Pontryagin 1962; Chen et al., Neural Ordinary
Differential Equations, 2018, appendices B and C). Tangents go forwards, by the equation's linearisation. Both are as
exact as the tolerances of the call.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import odeint

from s2sgrad.containers import at, contents, floats_in, is_float, leaves, with_parts
from s2sgrad.extending import custom_rule, stop_gradient
from s2sgrad.transforms import jvp, vjp

OPTIONS = ("Dfun", "col_deriv", "full_output", "ml", "mu", "rtol", "atol", "tcrit", "h0", "hmax", "hmin", "ixpr",
           "mxstep", "mxhnil", "mxordn", "mxords", "printmessg", "tfirst")
"""The parameters behind ``func, y0, t, args``."""
RTOL, ATOL, STEPS, TIME_FIRST = map(OPTIONS.index, ("rtol", "atol", "mxstep", "tfirst"))
"""Where among them those are that hold for the other equations, too."""


def velocity(y: np.ndarray, t: float, func: Callable, args: tuple, time_first: bool) -> np.ndarray:
    """``y' = func(y, t, *args)``, in a row."""
    return flat(func(t, y, *args) if time_first else func(y, t, *args))


def backwards(state: np.ndarray, time: float, func: Callable, args: tuple, time_first: bool, size: int) -> np.ndarray:
    """The velocities of the solution and, behind it, of the cotangents of ``y``, ``t`` and the parameters."""
    bar = -state[size:2 * size]
    if time_first:
        value, pullback = vjp(func, time, state[:size], *args)
        t_bar, y_bar, *rest = pullback(shaped(bar, value, False))
    else:
        value, pullback = vjp(func, state[:size], time, *args)
        y_bar, t_bar, *rest = pullback(shaped(bar, value, False))
    return np.concatenate([flat(value), flat(y_bar), flat(t_bar), flat(rest)])


def forwards(state: np.ndarray, time: float, func: Callable, args: tuple, args_dot: tuple, time_first: bool, size: int
             ) -> np.ndarray:
    """The velocities of the solution and, behind it, of its tangent."""
    if time_first:
        value, dot = jvp(func, (time, state[:size], *args), (0.0, state[size:], *args_dot))
    else:
        value, dot = jvp(func, (state[:size], time, *args), (state[size:], 0.0, *args_dot))
    return np.concatenate([flat(value), flat(dot)])


# ---- containers of floats as rows, and back; each undoes the other's derivative

def flat(value: Any) -> np.ndarray:
    """All floats in something, in a row."""
    return np.concatenate([np.zeros(0), *map(np.ravel, floats_in(value))])


def row(value: Any, like: Any) -> np.ndarray:
    """What stands in something for all numbers in another value, in a row, with 0 for what is whole there."""
    return np.concatenate([np.zeros(0), *(
        np.ravel(np.broadcast_to(at(value, path), np.shape(leaf))) if is_float(leaf) else np.zeros(np.size(leaf))
        for path, leaf in leaves(like))])


def shaped(vector: np.ndarray, like: Any, whole: bool) -> Any:
    """A row in the structure of another value, of which it has a place for each float, or for each number, ``whole``
    ones, too; None where that has no floats."""
    place = 0

    def part(value: Any) -> Any:
        nonlocal place
        if contents(value) is not None:
            return with_parts(value, part)
        if not is_float(value) and not whole:
            return None
        start, place = place, place + np.size(value)
        if not is_float(value):
            return None
        found = vector[start:place].reshape(np.shape(value))
        return found if isinstance(value, np.ndarray) else float(found)

    return part(like)


def reversed_solution(g: np.ndarray, y: np.ndarray, func: Callable, y0: Any, t: Any, args: tuple, rtol: Any, atol: Any,
                      mxstep: Any, time_first: bool) -> tuple:
    """The cotangents of start, times and parameters for that of the solution at these times."""
    size = y.shape[1]
    times = np.asarray(t, float)
    bars = np.concatenate([g[-1], np.zeros(1 + flat(stop_gradient(args)).size)])  # of y, t and the parameters
    t_bar = np.zeros(len(times))
    for end in range(len(times) - 1, 0, -1):
        t_bar[end] = velocity(y[end], times[end], func, args, time_first) @ g[end]
        bars[size] -= t_bar[end]
        both = odeint(backwards, np.concatenate([y[end], bars]), times[[end, end - 1]],
                      (func, args, time_first, size), rtol=rtol, atol=atol, mxstep=mxstep)
        bars = both[1, size:]
        bars[:size] += g[end - 1]
    t_bar[0] = bars[size]
    return (shaped(bars[:size], stop_gradient(y0), True), shaped(t_bar, stop_gradient(t), True),
            shaped(bars[size + 1:], stop_gradient(args), False))


def moved_solution(y: np.ndarray, func: Callable, y0: Any, t: Any, args: tuple, y0_dot: Any, t_dot: Any, args_dot: Any,
                   rtol: Any, atol: Any, mxstep: Any, time_first: bool) -> np.ndarray:
    """The tangent of the solution for those of start, times and parameters; None where there is none."""
    size = y.shape[1]
    times = np.asarray(t, float)
    later = np.zeros(len(times)) if t_dot is None else row(t_dot, stop_gradient(t))
    fixed = stop_gradient(args)
    moved = shaped(np.zeros(flat(fixed).size), fixed, False) if args_dot is None else \
        shaped(row(args_dot, fixed), fixed, True)
    start = np.zeros(size) if y0_dot is None else row(y0_dot, stop_gradient(y0))
    start = start - velocity(y[0], times[0], func, args, time_first) * later[0]
    both = odeint(forwards, np.concatenate([y[0], start]), times, (func, args, moved, time_first, size),
                  rtol=rtol, atol=atol, mxstep=mxstep)
    slopes = np.array([velocity(y[place], times[place], func, args, time_first) for place in range(len(times))])
    return both[:, size:] + slopes * later[:, None]


def solution_reverse(g: np.ndarray, y: np.ndarray, func: Callable, y0: Any, t: Any, args: Any, *options: Any) -> tuple:
    alone = not isinstance(args, tuple)
    y0_bar, t_bar, args_bar = reversed_solution(g, y, func, y0, t, (args,) if alone else args, options[RTOL],
                                                options[ATOL], options[STEPS], options[TIME_FIRST])
    return None, y0_bar, t_bar, args_bar[0] if alone else args_bar, *[None] * len(OPTIONS)


def solution_tangent(dots: tuple, y: np.ndarray, func: Callable, y0: Any, t: Any, args: Any, *options: Any
                     ) -> np.ndarray:
    alone = not isinstance(args, tuple)
    args_dot = (dots[3],) if alone and dots[3] is not None else dots[3]
    return moved_solution(y, func, y0, t, (args,) if alone else args, dots[1], dots[2], args_dot, options[RTOL],
                          options[ATOL], options[STEPS], options[TIME_FIRST])


custom_rule(flat, reverse=lambda g, y, value: shaped(g, value, False), tangent=lambda dots, y, value: flat(dots[0]))
custom_rule(row, reverse=lambda g, y, value, like: (shaped(g, like, True), None), tangent=lambda dots, y, value, like:
            np.zeros_like(y) if dots[0] is None else row(dots[0], like))
custom_rule(shaped, reverse=lambda g, y, vector, like, whole: (row(g, like) if whole else flat(g), None, None),
            tangent=lambda dots, y, vector, like, whole: shaped(
                np.zeros_like(vector) if dots[0] is None else dots[0], like, whole))
custom_rule(odeint, reverse=solution_reverse, tangent=solution_tangent)
