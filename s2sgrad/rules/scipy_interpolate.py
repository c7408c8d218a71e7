"""SciPy's piecewise polynomials that were made of constants: curves, which are called like functions."""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from s2sgrad.rules.abstract import Abstract, Numeric
from s2sgrad.rules.helpers import helper
from s2sgrad.rules.table import OBJECTS, Operation, Parameter, Rule
from s2sgrad.runtime import curve_values


def slope(op: Operation) -> str:
    """The curve knows its own derivatives: it is asked for the next one."""
    order = op.if_known("nu")
    beyond = ", extrapolate" if op.given("extrapolate") else ""
    return f"curve(x, {order + 1 if isinstance(order, int) else 'nu + 1'}{beyond})"


def rule_of_curve(curve: Any) -> Rule | None:
    """None where its values are arrays, whose axes come behind those of the places."""
    if curve.c.ndim != (1 if isinstance(curve, interpolate.BSpline) else 2):
        return None
    parameters = (Parameter("x"), Parameter("nu", 0), Parameter("extrapolate", None))
    return Rule("curve", curve, parameters, {"x": slope}, elementwise=True, names={"curve": curve})


OBJECTS.update({interpolate.PPoly: rule_of_curve, interpolate.BSpline: rule_of_curve})


def one_for_each(op: Operation) -> Abstract:
    shape = op.shape("x")
    return Numeric("array", np.dtype(float), None if shape is None else (*shape, None))


helper(curve_values, x="np.sum(g * curve_values(curve, x, nu + 1), axis=-1)", result=one_for_each,
       tangent={"x": "np.expand_dims(t, -1) * curve_values(curve, x, nu + 1)"})
