"""The rules of :mod:`s2sgrad.runtime`'s helpers: what is known of their results, so that code around them can be exact,
and their derivatives, for adjoints that are differentiated again.

Most are linear in the cotangent that they get, here called ``bar``: what they do to it is undone by the operation that
they come from. A helper without formulas is refused where it is differentiated.
"""
from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad import runtime
from s2sgrad.rules.abstract import Abstract, Items, Numeric
from s2sgrad.rules.table import RULES, ZERO, Operation, Parameter, Rule


def parameters_of(function: Callable) -> tuple[Parameter, ...]:
    """The parameters; ``g`` goes by another name, as formulas call the result's cotangent so."""
    return tuple(Parameter("bar" if item.name == "g" else item.name, item.default if item.default is not item.empty
                           else Parameter(item.name).default)
                 for item in inspect.signature(function).parameters.values())


def same_dtype(first: Numeric, second: Numeric) -> np.dtype | None:
    """The dtype of both, if it is known to be one (None equals float64 in NumPy's eyes)."""
    known = first.dtype is not None and second.dtype is not None
    return first.dtype if known and first.dtype == second.dtype else None


def like(name: str) -> Callable[[Operation], Abstract]:
    """The result has the shape of an operand; its dtype is known where cotangent and operand agree."""
    def result(op: Operation) -> Abstract:
        operand, bar = op[name], op["bar"]
        if not isinstance(operand, Numeric) or not isinstance(bar, Numeric):
            return Numeric()
        return Numeric(operand.kind, same_dtype(operand, bar), operand.shape)
    return result


PROPERTIES = ("result", "sharing", "elementwise", "constant", "linear")


def helper(function: Callable, **given: Any) -> None:
    properties = {name: given.pop(name) for name in PROPERTIES if name in given}
    RULES[function] = Rule(function.__name__, function, parameters_of(function), given, **properties)


def same_as(name: str) -> Callable[[Operation], Abstract]:
    """The result is what an operand is."""
    return lambda op: op[name]


helper(runtime.zeros_of, result=same_as("value"), constant=True)
helper(runtime.zero_tangent, result=lambda op: op["value"] if isinstance(op["value"], Items) else Numeric(),
       constant=True)
helper(runtime.added, result=same_as("first"))
helper(runtime.held, linear="value", result=same_as("value"), value="g", shared=ZERO)

# what is elementwise, and 0 or finite where the plain formula has no value
helper(runtime.divide_or_zero, elementwise=True,
       numerator="divide_or_zero(g, denominator)", denominator="-g * divide_or_zero(y, denominator)")
helper(runtime.log_or_zero, elementwise=True, base="divide_or_zero(g, base)", exponent=ZERO)
helper(runtime.power_slope, elementwise=True,
       base="g * exponent * power_slope(base, exponent - 1)",
       exponent="g * np.power(base, exponent - 1) * (1 + exponent * log_or_zero(base, exponent - 1))")
helper(runtime.sinc_slope, elementwise=True)

# cotangents of products: linear in the cotangent and in the other factor
helper(runtime.unbroadcast, linear="bar", result=like("like"), sharing="maybe",
       bar="np.broadcast_to(g, bar.shape)", like=ZERO)
helper(runtime.matmul_left, linear="bar x2", result=like("x1"), sharing="maybe",
       bar="np.matmul(g, x2)", x1=ZERO, x2="matmul_right(bar, g, x2)")
helper(runtime.matmul_right, linear="bar x1", result=like("x2"), sharing="maybe",
       bar="np.matmul(x1, g)", x1="matmul_left(bar, x1, g)", x2=ZERO)
helper(runtime.dot_left, linear="bar b", result=like("a"), sharing="maybe",
       bar="np.dot(g, b)", a=ZERO, b="dot_right(bar, g, b)")
helper(runtime.dot_right, linear="bar a", result=like("b"), sharing="maybe",
       bar="np.dot(a, g)", a="dot_left(bar, a, g)", b=ZERO)
helper(runtime.inner_left, linear="bar b", result=like("a"), sharing="maybe",
       bar="np.inner(g, b)", a=ZERO, b="inner_right(bar, g, b)")
helper(runtime.inner_right, linear="bar a", result=like("b"), sharing="maybe",
       bar="np.inner(a, g)", a="inner_left(bar, a, g)", b=ZERO)
helper(runtime.tensordot_left, linear="bar b", sharing="maybe", bar="np.tensordot(g, b, axes)", a=ZERO,
       b="tensordot_right(bar, g, b, axes)")
helper(runtime.tensordot_right, linear="bar a", sharing="maybe",
       bar="np.tensordot(a, g, axes)", a="tensordot_left(bar, a, g, axes)", b=ZERO)
for name, operand in {"solve_matrix": "a", "solve_right": "b"}.items():
    helper(getattr(runtime, name), result=like(operand), sharing="maybe")

# what moves elements back
helper(runtime.undiff, linear="bar", bar="np.diff(g, n, axis)")
helper(runtime.undiag, linear="bar", bar="np.diag(g, k)", sharing="maybe")
helper(runtime.undiagonal, linear="bar", bar="np.diagonal(g, offset, axis1, axis2)")
helper(runtime.untrace, linear="bar", bar="np.trace(g, offset, axis1, axis2)")
helper(runtime.unrepeat, linear="bar", bar="np.repeat(g, repeats, axis)")
helper(runtime.unsort, linear="bar", bar="np.take_along_axis(g, np.argsort(a, axis), axis).reshape(bar.shape)", a=ZERO)
helper(runtime.untake, linear="bar", bar="np.take(g, indices, axis)")
helper(runtime.untile, linear="bar", bar="np.tile(g, reps)")
