"""The derivative of ``scipy.integrate.odeint``, by differential equations of its own.

The cotangent of a solution goes backwards in time along with it, by the adjoint equation ``a' = -(df/dy)^T a``, and
takes the cotangents of the equation's parameters and of the times along (Pontryagin 1962; Chen et al., Neural Ordinary
Differential Equations, 2018, appendices B and C). Tangents go forwards, by the equation's linearisation. Both are as
exact as the tolerances of the call.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.integrate import odeint

from s2sgrad.containers import contents, floats_in, is_float, with_parts
from s2sgrad.extending import custom_rule
from s2sgrad.transforms import jvp, vjp

OPTIONS = ("Dfun", "col_deriv", "full_output", "ml", "mu", "rtol", "atol", "tcrit", "h0", "hmax", "hmin", "ixpr",
           "mxstep", "mxhnil", "mxordn", "mxords", "printmessg", "tfirst")
"""The parameters behind ``func, y0, t, args``."""
KEPT = ("rtol", "atol", "mxstep")
"""Those that hold for the other equations, too."""


class Equation:
    """``y' = func(y, t, *args)``, with its derivatives."""

    def __init__(self, func: Callable, args: Any, options: tuple):
        given = dict(zip(OPTIONS, options))
        self.func = func
        self.args = args if isinstance(args, tuple) else (args,)
        self.time_first = given["tfirst"]
        self.kept = {name: given[name] for name in KEPT}

    def arguments(self, y: Any, t: Any, args: tuple) -> tuple:
        return (t, y, *args) if self.time_first else (y, t, *args)

    def velocity(self, y: np.ndarray, t: float) -> np.ndarray:
        return flat(self.func(*self.arguments(y, t, self.args)))

    def pulled_back(self, y: np.ndarray, t: float, bar: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The velocity, and the cotangents of ``y``, ``t`` and the parameters for that of the velocity."""
        value, pullback = vjp(self.func, *self.arguments(y, t, self.args))
        first, second, *rest = pullback(shaped(bar, value))
        y_bar, t_bar = (second, first) if self.time_first else (first, second)
        return flat(value), flat([y_bar, t_bar, rest])

    def pushed_forward(self, y: np.ndarray, t: float, y_dot: np.ndarray, args_dot: tuple) -> np.ndarray:
        """The velocity, and its tangent behind it."""
        value, dot = jvp(self.func, self.arguments(y, t, self.args), self.arguments(y_dot, 0.0, args_dot))
        return np.concatenate([flat(value), flat(dot)])

    def solved(self, velocity: Callable, start: np.ndarray, times: Any) -> np.ndarray:
        return odeint(velocity, start, times, **self.kept)


def flat(value: Any) -> np.ndarray:
    """All floats in something, in a row."""
    return np.concatenate([np.zeros(0), *map(np.ravel, floats_in(value))])


def shaped(vector: np.ndarray, like: Any) -> Any:
    """What :func:`flat` makes that vector of, in the structure of another value; None where that has no floats."""
    place = 0

    def part(value: Any) -> Any:
        nonlocal place
        if contents(value) is not None:
            return with_parts(value, part)
        if not is_float(value):
            return None
        start, place = place, place + np.size(value)
        found = vector[start:place].reshape(np.shape(value))
        return found if isinstance(value, np.ndarray) else float(found)

    return part(like)


def segments(t: np.ndarray) -> Iterator[int]:
    """The places of the times at which stretches end, the last first."""
    return reversed(range(1, len(t)))


def solution_reverse(g: np.ndarray, y: np.ndarray, func: Callable, y0: Any, t: Any, args: Any, *options: Any) -> tuple:
    """The cotangents of start, times and parameters for that of the solution at these times."""
    equation, size = Equation(func, args, options), y.shape[1]
    times = np.asarray(t, float)

    def backwards(state: np.ndarray, time: float) -> np.ndarray:
        velocity, bars = equation.pulled_back(state[:size], time, -state[size:2 * size])
        return np.concatenate([velocity, bars])

    bars = np.concatenate([g[-1], np.zeros(1 + flat(equation.args).size)])  # of y, t and the parameters
    t_bar = np.zeros(len(times))
    for end in segments(times):
        t_bar[end] = equation.velocity(y[end], times[end]) @ g[end]
        bars[size] -= t_bar[end]
        bars = equation.solved(backwards, np.concatenate([y[end], bars]), times[[end, end - 1]])[1, size:]
        bars[:size] += g[end - 1]
    t_bar[0] = bars[size]
    args_bar = shaped(bars[size + 1:], equation.args)
    return (None, shaped(bars[:size], y0), shaped(t_bar, t), args_bar if isinstance(args, tuple) else args_bar[0],
            *[None] * len(OPTIONS))


def solution_tangent(dots: tuple, y: np.ndarray, func: Callable, y0: Any, t: Any, args: Any, *options: Any
                     ) -> np.ndarray:
    """The tangent of the solution for those of start, times and parameters."""
    equation, size = Equation(func, args, options), y.shape[1]
    times = np.asarray(t, float)
    _, y0_dot, t_dot, args_dot, *_ = dots
    later = np.zeros(len(times)) if t_dot is None else flat(t_dot)
    moved = shaped(np.zeros(flat(equation.args).size), equation.args) if args_dot is None else \
        args_dot if isinstance(args, tuple) else (args_dot,)
    start = np.zeros(size) if y0_dot is None else flat(y0_dot)
    start = start - equation.velocity(y[0], times[0]) * later[0]

    def forwards(state: np.ndarray, time: float) -> np.ndarray:
        return equation.pushed_forward(state[:size], time, state[size:], moved)

    both = equation.solved(forwards, np.concatenate([y[0], start]), times)
    return both[:, size:] + np.array([equation.velocity(*place) for place in zip(y, times)]) * later[:, None]


custom_rule(odeint, reverse=solution_reverse, tangent=solution_tangent)
