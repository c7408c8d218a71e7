"""The methods of ufuncs: reductions, running results, and all pairs."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.rules.abstract import ANY
from s2sgrad.rules.reductions import (
    extremum_from_bar,
    for_all_results,
    masked,
    product_bar,
    restore_axes,
    running_sum_bar,
    start_above_bar,
    start_above_dot,
    start_bar,
    start_of_product,
)
from s2sgrad.rules.selecting import along
from s2sgrad.rules.table import RULES, ZERO, Operation, constant, general, reduction


def share(exponential: str) -> dict[str, Any]:
    """Each element's share of the sum of exponentials, and that of the start."""
    def of_start(op: Operation) -> str:
        return f"{exponential}(initial - y)"

    return {"a": lambda op: masked(op, f"{restore_axes(op)} * {exponential}(a - {restore_axes(op, 'y')})"),
            "initial": lambda op: for_all_results(op, f"g * {of_start(op)}"),
            "tangent": {"initial": lambda op: f"t * {of_start(op)}"}}


def length_share(op: Operation) -> str:
    return masked(op, f"{restore_axes(op)} * divide_or_zero(a, {restore_axes(op, 'y')})")


EXTREMUM: dict[str, Any] = {"a": extremum_from_bar, "initial": start_above_bar,
                            "tangent": {"initial": start_above_dot}}
REDUCED: dict[str, tuple[Any, dict[str, Any]]] = {
    "add": (0, {"a": lambda op: masked(op, restore_axes(op)), "initial": start_bar, "linear": "a+initial",
                "complex": True}),
    "multiply": (1, {"a": product_bar, "initial": lambda op: for_all_results(op, f"g * {start_of_product(op)}"),
                     "tangent": {"initial": lambda op: f"t * {start_of_product(op)}"}, "complex": True}),
    **dict.fromkeys(("maximum", "minimum", "fmax", "fmin"), (None, EXTREMUM)),
    "logaddexp": (None, share("np.exp")),
    "logaddexp2": (None, share("np.exp2")),
    "hypot": (0, {"a": length_share, "initial": lambda op: for_all_results(op, "g * divide_or_zero(initial, y)"),
                  "tangent": {"initial": "t * divide_or_zero(initial, y)"}}),
}
"""By ufunc: what its reduction starts from where that is not given, and the formulas."""

for name, (start, formulas) in REDUCED.items():
    reduction(f"np.{name}.reduce(a, axis=0, dtype=None, *, keepdims=False, initial={start}, where=True)",
              name=f"{name}_all", **formulas)

general("np.add.accumulate(a, axis=0, dtype=None)", a=running_sum_bar, name="running_sum", linear="a", complex=True)
general("np.multiply.accumulate(a, axis=0, dtype=None)", a="running_product_bar(g, a, axis)", name="running_product",
        tangent={"a": "running_product_dot(t, a, y, axis)"}, complex=True)
for name in ("maximum", "minimum"):
    general(f"np.{name}.accumulate(a, axis=0, dtype=None)", a="running_extremum_bar(g, a, y, axis)",
            name=f"running_{name}", tangent={"a": "running_extremum_dot(t, a, y, axis)"})
general("np.logaddexp.accumulate(a, axis=0, dtype=None)", a="running_logaddexp_bar(g, a, y, axis)",
        name="running_logaddexp", tangent={"a": "running_logaddexp_dot(t, a, y, axis)"})

# ---- reductions of parts, each from an index to the next

general("np.add.reduceat(a, indices, axis=0, dtype=None)", a="unreduce(g, a.shape, indices, axis)", name="sums",
        result=along(), linear="a", complex=True)
for name, y in {"multiply": "None", "maximum": "y", "minimum": "y"}.items():
    general(f"np.{name}.reduceat(a, indices, axis=0, dtype=None)", result=along(), name=f"{name}_of_parts",
            a=f"parts_bar(g, a, {y}, indices, axis)", tangent={"a": f"parts_dot(t, a, {y}, indices, axis)"},
            complex=name == "multiply")


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
            along = tuple(range(first, first + second)) if mine == "x1" else tuple(range(first))
            axes = repr(along[0] if len(along) == 1 else along)
        text = re.sub(r"\bx2\b", "B", re.sub(r"\bx1\b", left, text))
        if forwards:
            tangent = re.sub(r"\bA\b", "t", left) if mine == "x1" else "t"
            if text == "g":  # by itself it has not the shape of all pairs
                return f"np.full(y.shape, {tangent}, y.dtype)"
            return re.sub(r"\bg\b", tangent, text)
        *steps, last = text.split(";")
        whole = f"({last.strip()}).sum(axis={axes})" if first and second else f"np.sum({last.strip()}, axis={axes})"
        return "; ".join([*steps, whole])
    return formula


def pairs(ufunc: Any) -> None:
    formulas = {"A": "x1", "B": "x2"}
    if {*RULES[ufunc].partials} == {"x1"}:
        del formulas["B"]
    general(f"np.{ufunc.__name__}.outer(A, B)", name="pairs",
            **{parameter: ZERO if RULES[ufunc].partials[mine] is ZERO else pair(ufunc, mine, False)
               for parameter, mine in formulas.items()},
            tangent={parameter: pair(ufunc, mine, True) for parameter, mine in formulas.items()
                     if parameter not in LINEAR_PAIRS.get(ufunc, "") and RULES[ufunc].partials[mine] is not ZERO},
            linear=LINEAR_PAIRS.get(ufunc, ""), complex=ufunc in LINEAR_PAIRS)


LINEAR_PAIRS = {np.add: "A+B", np.subtract: "A+B", np.multiply: "A B", np.divide: "A"}
for ufunc in [one for one in RULES if isinstance(one, np.ufunc) and one.signature is None and (one.nin, one.nout) == (
        2, 1)]:
    if RULES[ufunc].constant:
        constant(f"np.{ufunc.__name__}.outer(A, B)")
    else:
        pairs(ufunc)
