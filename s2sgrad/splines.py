"""SciPy's splines and ``interp1d`` of differentiated values: where the places of these are given they are linear in the
values, and what differentiates them is the spline of the unit vectors.

Functions stand for their classes, and give one that is called like their objects.
"""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from s2sgrad.compiler.definitions import ALIKE
from s2sgrad.errors import ArgumentError
from s2sgrad.runtime import curve_values


def shares_of(make: Any, x: Any, y: Any, axis: Any, *options: Any) -> Any:
    """The curves of the unit vectors."""
    if axis not in (0, -1) or np.ndim(y) != 1:
        raise ArgumentError("splines are differentiated in vectors of values", "make a spline of each column")
    return make(x, np.eye(len(y)), *options)


def interpolant(shares: Any, y: Any) -> Any:
    values = np.asarray(y)

    def curve(x: Any, nu: Any = 0) -> Any:
        return curve_values(shares, x, nu) @ values
    return curve


def linear_end(bc_type: Any) -> Any:
    """Conditions at the ends under which the splines of unit vectors add up to those of others."""
    if bc_type not in (None, "not-a-knot", "natural", "clamped"):
        raise ArgumentError("splines are differentiated with the ends not-a-knot, natural or clamped",
                            "make the spline outside")
    return bc_type


def cubic_spline(x: Any, y: Any, axis: Any = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None) -> Any:
    return interpolant(shares_of(interpolate.CubicSpline, x, y, axis, 0, linear_end(bc_type), extrapolate), y)


def interpolating_spline(x: Any, y: Any, k: Any = 3, t: Any = None, bc_type: Any = None, axis: Any = 0) -> Any:
    return interpolant(shares_of(interpolate.make_interp_spline, x, y, axis, k, t, linear_end(bc_type)), y)


def interpolation(x: Any, y: Any, kind: Any = "linear", axis: Any = -1, copy: Any = True, bounds_error: Any = None,
                  fill_value: Any = np.nan, assume_sorted: Any = False) -> Any:
    return interpolant(shares_of(Bounded, x, y, axis, kind, bounds_error, fill_value), y)


class Bounded:
    """The splines that ``interp1d`` makes of its values, which refuse places beyond them."""

    def __init__(self, x: Any, values: Any, kind: Any, bounds_error: Any, fill_value: Any):
        self.open = isinstance(fill_value, str) and fill_value == "extrapolate"
        if kind not in DEGREES or np.any(np.diff(x) <= 0) or not (self.open or bounds_error is not False):
            raise ArgumentError("interp1d is differentiated with kind linear, quadratic or cubic, of places in order, "
                                "and beyond them with fill_value='extrapolate' alone", "sort, or use np.interp")
        self.ends = x[0], x[-1]
        self.spline = interpolate.make_interp_spline(x, values, DEGREES[kind])

    def __call__(self, x: Any, nu: int) -> Any:
        if not self.open and (np.any(x < self.ends[0]) or np.any(x > self.ends[1])):
            raise ValueError("a place is beyond the interpolation range")
        return self.spline(x, nu)


DEGREES = {"linear": 1, "slinear": 1, "quadratic": 2, "cubic": 3, 1: 1, 2: 2, 3: 3}

setattr(interpolate.interp1d, ALIKE, interpolation)
setattr(interpolate.CubicSpline, ALIKE, cubic_spline)
setattr(interpolate.make_interp_spline, ALIKE, interpolating_spline)
