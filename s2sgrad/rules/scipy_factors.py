"""SciPy's linear algebra: matrices as products, by ``lu`` and ``polar``."""
from __future__ import annotations

import functools
from dataclasses import replace

from s2sgrad.rules import table
from s2sgrad.rules.abstract import Abstract, Items
from s2sgrad.rules.decompositions import matrices, same
from s2sgrad.rules.scipy_linalg import NAMES, stacked
from s2sgrad.rules.table import Operation

general = functools.partial(table.general, names=NAMES)


def given_bars(op: Operation, *parts: int) -> str:
    """The cotangents of some of the results, None for those that have none."""
    return ", ".join(f"g_{part}" if part in op.reached else "None" for part in parts)


def lu_result(op: Operation) -> Abstract:
    """The permutation of a complex matrix is a real one, but of a single number."""
    found = matrices("a", lambda m, n, k: (m, m), lambda m, n, k: (m, k), lambda m, n, k: (k, n))(op)
    if not op.is_complex("a") or not isinstance(found, Items) or found.items is None:
        return found
    order, *factors = found.items
    return replace(found, items=(replace(order, dtype=None), *factors))  # type: ignore[type-var]


general("scipy.linalg.lu(a, *, check_finite=True)", parts=(1, 2), result=lu_result, complex=True,
        a=lambda op: f"plu_bar({given_bars(op, 1, 2)}, y_0, y_1, y_2)",
        tangent={"a": (table.ZERO, "both = plu_dot(t, y_0, y_1, y_2); both[0]",
                       "both = plu_dot(t, y_0, y_1, y_2); both[1]")})


# ---- a = u @ p, or p @ u on the left, which is the other one of the transposed matrix

def is_left(op: Operation) -> bool:
    return op.known("side") == "left"


@stacked
def polar_bar(op: Operation) -> str:
    if is_left(op):
        first, second = (f"{text}.mT" if text != "None" else text for text in given_bars(op, 0, 1).split(", "))
        return f"polar_bar({first}, {second}, y_0.mT, y_1.mT).mT"
    return f"polar_bar({given_bars(op, 0, 1)}, y_0, y_1)"


@stacked
def polar_dot(op: Operation) -> tuple[str, str]:
    step, back = ("both = polar_dot(t.mT, y_0.mT, y_1.mT); ", ".mT") if is_left(op) else (
        "both = polar_dot(t, y_0, y_1); ", "")
    return f"{step}both[0]{back}", f"{step}both[1]{back}"


def polar_result(op: Operation) -> Abstract:
    side = op.if_known("side")
    square = (lambda m, n, k: (m, m)) if side == "left" else (lambda m, n, k: (n, n))
    return matrices("a", same, square if side in ("left", "right") else None)(op)


general("scipy.linalg.polar(a, side='right')", parts=(0, 1), a=polar_bar, result=polar_result,
        tangent={"a": polar_dot}, complex=True)
