"""The derivative of ``scipy.integrate.solve_ivp``, by the equations behind that of ``odeint`` (``integration.py``)."""
from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate

from s2sgrad.compiler.definitions import ALIKE
from s2sgrad.errors import ArgumentError
from s2sgrad.extending import custom_rule
from s2sgrad.integration import moved_solution, reversed_solution, row, shaped
from s2sgrad.runtime import stop_gradient


def solve_ivp(fun: Any, t_span: Any, y0: Any, method: Any = "RK45", t_eval: Any = None, dense_output: Any = False,
              events: Any = None, vectorized: Any = False, args: Any = None, **options: Any) -> Any:
    """What is differentiated in the place of SciPy's; of the result there are the times, the states, and that it is
    one."""
    found = trajectory(fun, t_span, y0, args, t_eval, method, dense_output, events, vectorized, options)
    return types.SimpleNamespace(t=found[0], y=found[1:], success=True, status=0)


def trajectory(fun: Callable, t_span: Any, y0: Any, args: Any, t_eval: Any, method: Any, dense_output: Any,
               events: Any, vectorized: Any, options: dict) -> np.ndarray:
    """The times, and below them the states."""
    if dense_output or events is not None:
        raise ArgumentError("solve_ivp is differentiated without dense_output and events",
                            "give the times as t_eval, or take the state at the end, y[:, -1]")
    found = integrate.solve_ivp(fun, t_span, y0, method, t_eval, False, None, vectorized, args, **options)
    if not found.success:
        raise ArgumentError(f"solve_ivp failed: {found.message}", "differentiate where it succeeds")
    return np.reshape(np.asarray(np.vstack([found.t, found.y]), float), (1 + np.size(y0), -1))


def from_the_start(t_span: Any, y0: Any, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The times with the start before them, and the states there, a row for each."""
    return np.append(float(t_span[0]), y[0]), np.vstack([np.ravel(np.asarray(y0, float)), y[1:].T])


def tolerances(options: dict) -> tuple[Any, Any]:
    """Those of the solution, which hold for the equations of its cotangents and tangents, too."""
    return options.get("rtol", 1e-3), options.get("atol", 1e-6)


def trajectory_reverse(g: np.ndarray, y: np.ndarray, fun: Callable, t_span: Any, y0: Any, args: Any, t_eval: Any,
                       method: Any, dense_output: Any, events: Any, vectorized: Any, options: dict) -> tuple:
    times, states = from_the_start(t_span, y0, y)
    rtol, atol = tolerances(options)
    cotangents = np.vstack([np.zeros(states.shape[1]), g[1:].T])
    y0_bar, t_bar, args_bar = reversed_solution(
        cotangents, states, fun, y0, times, () if args is None else tuple(args), rtol, atol, 0, True)
    t_bar[1:] += g[0]
    # times that the solver chose are taken for constants, but for the first and the last
    ends = [t_bar[0], 0.0] if t_eval is not None else [t_bar[0] + t_bar[1], t_bar[-1]]
    parts = [shaped(np.array([bar]), stop_gradient(end), True) for bar, end in zip(ends, t_span)]
    span_bar = np.array(ends) if isinstance(t_span, np.ndarray) else type(t_span)(parts)
    return (None, span_bar, y0_bar, None if args is None else args_bar if isinstance(args, tuple) else list(args_bar),
            None if t_eval is None else shaped(t_bar[1:], stop_gradient(t_eval), True), *[None] * 5)


def trajectory_tangent(dots: tuple, y: np.ndarray, fun: Callable, t_span: Any, y0: Any, args: Any, t_eval: Any,
                       method: Any, dense_output: Any, events: Any, vectorized: Any, options: dict) -> np.ndarray:
    times, states = from_the_start(t_span, y0, y)
    _, span_dot, y0_dot, args_dot, eval_dot, *_ = dots
    ends = [0.0 if dot is None else float(dot) for dot in (span_dot if span_dot is not None else (None, None))]
    moved = np.zeros(len(times))
    moved[0] = ends[0]
    if t_eval is None:
        moved[1] += ends[0]
        moved[-1] += ends[1]
    elif eval_dot is not None:
        moved[1:] = row(eval_dot, stop_gradient(t_eval))
    rtol, atol = tolerances(options)
    dot = moved_solution(
        states, fun, y0, times, () if args is None else tuple(args), y0_dot, moved,
        None if args_dot is None else tuple(args_dot), rtol, atol, 0, True)
    return np.vstack([moved[1:], dot[1:].T])


custom_rule(trajectory, reverse=trajectory_reverse, tangent=trajectory_tangent)
setattr(integrate.solve_ivp, ALIKE, solve_ivp)
