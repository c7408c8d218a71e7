"""SciPy's integrals of samples. The samples' own name is y, which in formulas is the result: they go by position."""
from __future__ import annotations

import functools

import numpy as np
import scipy
from scipy import integrate

from s2sgrad.errors import UnsupportedError
from s2sgrad.rules import table
from s2sgrad.rules.abstract import Abstract, Numeric
from s2sgrad.rules.sampled import by_steps, step_dot
from s2sgrad.rules.selecting import common, in_floats
from s2sgrad.rules.shapes import of_shape
from s2sgrad.rules.table import Operation

general = functools.partial(table.general, names={"integrate": integrate})
WIDENS = np.lib.NumpyVersion(scipy.__version__) < "1.18.0"


def running(op: Operation) -> Abstract:
    """One less along the axis, unless there is an initial value."""
    shape, axis = op.shape("samples"), op.if_known("axis")
    if shape is None or not isinstance(axis, int):
        return of_shape(op, None, "samples")
    dims = tuple(None if place == axis % len(shape) else dim for place, dim in enumerate(shape))
    known = common([op["samples"], op["x"] if op.given("x") else op["dx"]], weak=True)
    return Numeric("array", in_floats(known), dims)


def summed(op: Operation) -> Abstract:
    """Before SciPy 1.18 an even number of samples widens single precision: complex results count as double then."""
    shape, axis = op.shape("samples"), op.if_known("axis")
    if shape is None or not isinstance(axis, int):
        return Numeric()
    dims = tuple(dim for place, dim in enumerate(shape) if place != axis % len(shape))
    dtype = op.dtype("samples")
    if dtype is None or dtype not in (np.float64, np.complex128):
        dtype = np.dtype(complex) if WIDENS and dtype == np.complex64 else None
    return Numeric("array" if dims else "scalar", dtype, dims)


def simpson_bar(op: Operation) -> str:
    if (op.rank("x") or 0) > 1:
        raise UnsupportedError("simpson with points of their own for each row has no derivative rule",
                               "take the rows one by one")
    return by_steps("weights = integrate.simpson(np.eye(samples.shape[axis]), x, dx=dx); "
                    "along_axis(g, weights, axis)")(op)


general("scipy.integrate.trapezoid(samples, x=None, dx=1.0, axis=-1)",
        dx=by_steps("np.sum(g * np.trapezoid(samples, None, 1.0, axis))", "dx"),
        samples=by_steps("trapezoid_bar(g, samples.shape, x, dx, axis)"), x="trapezoid_points(g, samples, x, axis)",
        linear="samples x", tangent={"dx": step_dot}, complex=True)
general("scipy.integrate.cumulative_trapezoid(samples, x=None, dx=1.0, axis=-1, initial=None)", result=running,
        samples=by_steps("running_trapezoid_bar(g, samples.shape, x, dx, axis, initial)"),
        x="running_trapezoid_points(g, samples, x, axis, initial)",
        dx=by_steps("np.sum(g * integrate.cumulative_trapezoid(samples, None, 1.0, axis, initial))", "dx"),
        linear="samples x",
        tangent={"dx": by_steps("t * integrate.cumulative_trapezoid(samples, None, 1.0, axis, initial)", "dx")},
        complex=True)
general("scipy.integrate.simpson(samples, x=None, *, dx=1.0, axis=-1)", linear="samples", result=summed,
        samples=simpson_bar, dx=by_steps("np.sum(g * integrate.simpson(samples, dx=1.0, axis=axis))", "dx"),
        tangent={"dx": by_steps("t * integrate.simpson(samples, dx=1.0, axis=axis)", "dx")}, complex=True)
