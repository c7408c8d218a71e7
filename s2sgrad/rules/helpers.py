"""What is known of the results of :mod:`s2sgrad.runtime`'s helpers, so that code around them can be exact."""
from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from s2sgrad import runtime
from s2sgrad.rules.abstract import Abstract, Numeric
from s2sgrad.rules.table import RULES, Operation, Parameter, Rule


def parameters_of(function: Callable) -> tuple[Parameter, ...]:
    return tuple(Parameter(name) for name in inspect.signature(function).parameters)


def like(name: str) -> Callable[[Operation], Abstract]:
    """The result has the shape of an operand; its dtype is known where cotangent and operand agree."""
    def result(op: Operation) -> Abstract:
        operand, g = op[name], op["g"]
        if not isinstance(operand, Numeric) or not isinstance(g, Numeric):
            return Numeric()
        return Numeric(operand.kind, operand.dtype if operand.dtype == g.dtype else None, operand.shape)
    return result


def helper(function: Callable, **properties: Any) -> None:
    RULES[function] = Rule(function.__name__, function, parameters_of(function), constant=True, **properties)


for function in (runtime.divide_or_zero, runtime.log_or_zero, runtime.power_slope, runtime.sinc_slope):
    helper(function, elementwise=True)
helper(runtime.unbroadcast, result=like("like"), sharing="maybe")
for function, operand in (
    (runtime.matmul_left, "x1"), (runtime.matmul_right, "x2"), (runtime.dot_left, "a"), (runtime.dot_right, "b"),
    (runtime.inner_left, "a"), (runtime.inner_right, "b"), (runtime.solve_matrix, "a"), (runtime.solve_right, "b"),
):
    helper(function, result=like(operand), sharing="maybe")
