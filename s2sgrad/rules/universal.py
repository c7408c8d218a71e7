"""The methods of ufuncs: reductions, running results, and all pairs."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.rules.abstract import ANY
from s2sgrad.rules.reductions import (
    extremum_bar,
    product_bar,
    restore_axes,
    running_sum_bar,
)
from s2sgrad.rules.selecting import along
from s2sgrad.rules.table import RULES, ZERO, Operation, general, reduction


def share_bar(op: Operation) -> str:
    """Each element's share of the sum of exponentials."""
    return f"{restore_axes(op)} * np.exp(a - {restore_axes(op, 'y')})"


for name, bar in {"add": restore_axes, "multiply": product_bar, "maximum": extremum_bar, "minimum": extremum_bar,
                  "logaddexp": share_bar}.items():
    reduction(f"np.{name}.reduce(a, axis=0, dtype=None, *, keepdims=False)", a=bar, name=f"{name}_all")

general("np.add.accumulate(a, axis=0)", a=running_sum_bar, name="running_sum", linear="a")
general("np.multiply.accumulate(a, axis=0)", a="running_product_bar(g, a, axis)", name="running_product",
        tangent={"a": "running_product_dot(t, a, y, axis)"})
for name in ("maximum", "minimum"):
    general(f"np.{name}.accumulate(a, axis=0)", a="running_extremum_bar(g, a, y, axis)", name=f"running_{name}",
            tangent={"a": "running_extremum_dot(t, a, y, axis)"})
general("np.add.reduceat(a, indices, axis=0)", a="unreduce(g, a.shape, indices, axis)", name="sums",
        result=along(), linear="a")


# ---- all pairs of elements

def pair(ufunc: Any, mine: str, forwards: bool) -> Callable[[Operation], str]:
    """The formula of the ufunc itself, over operands of which the first has an axis more for each of the second's."""
    def formula(op: Operation) -> str:
        rule = RULES[ufunc]
        partial = rule.partials[mine]
        text = ZERO if partial is ZERO else partial(Operation(rule, {"x1": ANY, "x2": ANY}, op.result))
        if text == ZERO:
            return ZERO
        if not re.search(r"\bg\b", text):
            text = f"g * ({text})"
        first, second = op.rank("A"), op.rank("B")
        if first is None or second is None:
            left = "np.reshape(A, A.shape + (1,) * np.ndim(B))"
            axes = "tuple(range(np.ndim(A), np.ndim(g)))" if mine == "x1" else "tuple(range(np.ndim(A)))"
        else:
            left = f"A[..., {', '.join(['None'] * second)}]" if first and second else "A"
            axes = repr(tuple(range(first, first + second)) if mine == "x1" else tuple(range(first)))
        text = re.sub(r"\bx2\b", "B", re.sub(r"\bx1\b", left, text))
        if forwards:
            return re.sub(r"\bg\b", re.sub(r"\bA\b", "t", left) if mine == "x1" else "t", text)
        *steps, last = text.split(";")
        return "; ".join([*steps, f"np.sum({last.strip()}, axis={axes})"])
    return formula


for ufunc in (np.add, np.subtract, np.multiply, np.divide, np.power, np.maximum, np.minimum, np.hypot, np.arctan2,
              np.logaddexp):
    general(f"np.{ufunc.__name__}.outer(A, B)", A=pair(ufunc, "x1", False), B=pair(ufunc, "x2", False), name="pairs",
            tangent={"A": pair(ufunc, "x1", True), "B": pair(ufunc, "x2", True)},
            linear={np.add: "A+B", np.subtract: "A+B", np.multiply: "A B", np.divide: "A"}.get(ufunc, ""))
