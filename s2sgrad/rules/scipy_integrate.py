"""SciPy's integrals of samples. The samples' own name is y, which in formulas is the result: they go by position."""
from __future__ import annotations

import functools

from scipy import integrate

from s2sgrad.rules import table
from s2sgrad.rules.abstract import Abstract, Numeric
from s2sgrad.rules.sampled import step_bar, step_dot
from s2sgrad.rules.selecting import common
from s2sgrad.rules.shapes import of_shape
from s2sgrad.rules.table import ZERO, Operation

general = functools.partial(table.general, names={"integrate": integrate})


def running(op: Operation) -> Abstract:
    """One less along the axis, unless there is an initial value."""
    shape, axis = op.shape("samples"), op.if_known("axis")
    if shape is None or not isinstance(axis, int):
        return of_shape(op, None, "samples")
    dims = tuple(None if place == axis % len(shape) else dim for place, dim in enumerate(shape))
    known = common([op["samples"], *([op["x"]] if op.given("x") else [])])
    return Numeric("array", known if op.if_known("dx") is not None else None, dims)


def summed(op: Operation) -> Abstract:
    """An even number of samples widens single precision."""
    shape, axis = op.shape("samples"), op.if_known("axis")
    if shape is None or not isinstance(axis, int):
        return Numeric()
    dims = tuple(dim for place, dim in enumerate(shape) if place != axis % len(shape))
    dtype = op.dtype("samples") if op.is_double("samples") else None
    return Numeric("array" if dims else "scalar", dtype, dims)


general("scipy.integrate.trapezoid(samples, x=None, dx=1.0, axis=-1)", dx=step_bar,
        samples="trapezoid_bar(g, samples.shape, x, dx, axis)", x="trapezoid_points(g, samples, x, axis)",
        linear="samples x", tangent={"dx": step_dot})
general("scipy.integrate.cumulative_trapezoid(samples, x=None, dx=1.0, axis=-1, initial=None)", result=running,
        samples="running_trapezoid_bar(g, samples.shape, x, dx, axis, initial)",
        x="running_trapezoid_points(g, samples, x, axis, initial)",
        dx=lambda op: ZERO if op.given("x") else
        "np.sum(g * integrate.cumulative_trapezoid(samples, None, 1.0, axis, initial))", linear="samples x",
        tangent={"dx": lambda op: ZERO if op.given("x") else
                 "t * integrate.cumulative_trapezoid(samples, None, 1.0, axis, initial)"})
general("scipy.integrate.simpson(samples, x=None, *, dx=1.0, axis=-1)", linear="samples", result=summed,
        samples="weights = integrate.simpson(np.eye(samples.shape[axis]), x, dx=dx); along_axis(g, weights, axis)",
        dx=lambda op: ZERO if op.given("x") else "np.sum(g * integrate.simpson(samples, dx=1.0, axis=axis))",
        tangent={"dx": lambda op: ZERO if op.given("x") else "t * integrate.simpson(samples, dx=1.0, axis=axis)"})
