"""What is known of the results of :mod:`s2sgrad.runtime`'s helpers, so that code around them can be exact."""
from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad import runtime
from s2sgrad.rules.abstract import Abstract, Items, Numeric
from s2sgrad.rules.table import RULES, Operation, Parameter, Rule


def parameters_of(function: Callable) -> tuple[Parameter, ...]:
    return tuple(Parameter(name) for name in inspect.signature(function).parameters)


def same_dtype(first: Numeric, second: Numeric) -> np.dtype | None:
    """The dtype of both, if it is known to be one (None equals float64 in NumPy's eyes)."""
    known = first.dtype is not None and second.dtype is not None
    return first.dtype if known and first.dtype == second.dtype else None


def like(name: str) -> Callable[[Operation], Abstract]:
    """The result has the shape of an operand; its dtype is known where cotangent and operand agree."""
    def result(op: Operation) -> Abstract:
        operand, g = op[name], op["g"]
        if not isinstance(operand, Numeric) or not isinstance(g, Numeric):
            return Numeric()
        return Numeric(operand.kind, same_dtype(operand, g), operand.shape)
    return result


def helper(function: Callable, **properties: Any) -> None:
    RULES[function] = Rule(function.__name__, function, parameters_of(function), constant=True, **properties)


def same_as(name: str) -> Callable[[Operation], Abstract]:
    """The result is what an operand is."""
    return lambda op: op[name]


helper(runtime.zeros_of, result=same_as("value"))
helper(runtime.zero_tangent, result=lambda op: op["value"] if isinstance(op["value"], Items) else Numeric())
helper(runtime.held, result=same_as("value"))
helper(runtime.added, result=same_as("first"))
for name in ("divide_or_zero", "log_or_zero", "power_slope", "sinc_slope"):
    helper(getattr(runtime, name), elementwise=True)
for name, operand in {
    "unbroadcast": "like", "matmul_left": "x1", "matmul_right": "x2", "dot_left": "a", "dot_right": "b",
    "inner_left": "a", "inner_right": "b", "solve_matrix": "a", "solve_right": "b",
}.items():
    helper(getattr(runtime, name), result=like(operand), sharing="maybe")
