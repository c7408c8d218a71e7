"""Triangular factors and systems, and exponentials of matrices."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sgrad.rules.table import RULES, Parameter, Rule
from s2sgrad.shim.dtypes import of_numpy
from s2sgrad.shim.operations import Operation, torch_rule
from s2sgrad.shim.pairs import return_type
from s2sgrad.shim.tensor import Tensor


def checked(name: str, tensor: Tensor, square: bool = True) -> Tensor:
    array = tensor._array
    if array.dtype.kind != "f":
        kind = of_numpy(array.dtype).legacy.removesuffix("Tensor")
        raise RuntimeError(f"linalg.{name}: Expected a floating point or complex tensor as input. Got {kind}")
    if array.ndim < 2:
        raise RuntimeError(f"linalg.{name}: The input tensor A must have at least 2 dimensions.")
    if square and array.shape[-1] != array.shape[-2]:
        raise RuntimeError(f"linalg.{name}: A must be batches of square matrices, but they are {array.shape[-2]} by "
                           f"{array.shape[-1]} matrices")
    return tensor


# ---- lower times upper

def eliminated(a: Any) -> tuple[Any, Any]:
    """The factors of each matrix in one, and for each row the one that it was exchanged with, counted from 1."""
    found = a.copy()
    count = min(a.shape[-2:])
    pivots = np.empty((*a.shape[:-2], count), np.int32)
    for place in np.ndindex(*a.shape[:-2]):
        matrix = found[place]
        for row in range(count):
            largest = row + np.abs(matrix[row:, row]).argmax()
            pivots[place][row] = largest + 1
            matrix[[row, largest]] = matrix[[largest, row]]
            if matrix[row, row]:
                matrix[row + 1:, row] /= matrix[row, row]
                matrix[row + 1:, row + 1:] -= np.outer(matrix[row + 1:, row], matrix[row, row + 1:])
    return found, pivots


def exchanges(pivots: Any, factors: Any) -> Any:
    """The matrices that undo the exchanges of rows."""
    size = factors.shape[-2]
    found = np.zeros((*pivots.shape[:-1], size, size), factors.dtype)
    for place in np.ndindex(*pivots.shape[:-1]):
        order = np.arange(size)
        for row, other in enumerate(pivots[place]):
            order[[row, other - 1]] = order[[other - 1, row]]
        found[place][order, np.arange(size)] = 1
    return found


RULES[exchanges] = Rule("exchanges", exchanges, (Parameter("pivots"), Parameter("factors")), constant=True)


def parted(factors: Any) -> tuple[Any, Any]:
    count = min(factors.shape[-2:])
    lower = np.tril(factors[..., :count], -1) + np.eye(factors.shape[-2], count, dtype=factors.dtype)
    return lower, np.triu(factors[..., :count, :])


def factors_of(a: Any) -> tuple[Any, Any, Any]:
    factors, pivots = eliminated(a)
    return exchanges(pivots, factors), *parted(factors)


ADJOINT = "np.matmul(np.linalg.solve(lower.mT, inner), np.linalg.inv(upper).mT)"
LU = Operation("lu", rule=torch_rule(
    "lu(a)", factors_of, parts=(1, 2),
    a="inner = np.tril(np.matmul(y_1.mT, g_1), -1) + np.triu(np.matmul(g_2, y_2.mT)); "
      f"np.matmul(y_0, {ADJOINT.replace('lower', 'y_1').replace('upper', 'y_2')})"), operands="a", several=True,
    constant=(0,), node="LinalgLuBackward0")
LU_FACTOR = Operation("lu_factor", rule=torch_rule(
    "lu_factor(a)", eliminated, parts=(0,), names={"exchanges": exchanges},
    a="upper = np.triu(y_0); lower = np.tril(y_0, -1) + np.eye(y_0.shape[-1], dtype=g_0.dtype); "
      "inner = np.tril(np.matmul(lower.mT, np.tril(g_0, -1)), -1) + np.triu(np.matmul(np.triu(g_0), upper.mT)); "
      f"np.matmul(exchanges(y_1, y_0), {ADJOINT})"), operands="a", several=True, constant=(1,),
    node="LinalgLuFactorExBackward0")
FACTORS, PACKED = return_type("linalg_lu", "P", "L", "U"), return_type("linalg_lu_factor", "LU", "pivots")


def pivoted(name: str, pivot: bool, A: Tensor) -> Tensor:
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")
    if A._requires and A._array.shape[-1] != A._array.shape[-2]:
        raise NotImplementedError(f"linalg.{name}: only square matrices have a derivative here: detach A")
    return checked(name, A, False)


def lu(A: Tensor, *, pivot: bool = True) -> Any:
    """``P @ L @ U``: rows exchanged, lower and upper triangle."""
    return FACTORS(*LU.run((pivoted("lu", pivot, A),)))


def lu_factor(A: Tensor, *, pivot: bool = True) -> Any:
    """Both triangles in one matrix, and which rows were exchanged, counted from 1."""
    return PACKED(*LU_FACTOR.run((pivoted("lu_factor", pivot, A),)))


def triangular(upper: bool, unit: bool) -> Operation:
    """Systems with one half of a matrix, with ones on its diagonal or not."""
    half = np.triu if upper else np.tril
    shift = (1 if upper else -1) if unit else 0
    kept = f"np.{half.__name__}({{}}, {shift})"
    whole = kept.format("a") + (" + np.eye(a.shape[-1], dtype=a.dtype)" if unit else "")

    def solved(a: Any, b: Any) -> Any:
        matrix = half(a, shift)
        return np.linalg.solve(matrix + np.eye(a.shape[-1], dtype=a.dtype) if unit else matrix, b)

    back = f"np.linalg.solve(({whole}).mT, g)"
    return Operation("solve_triangular", rule=torch_rule(
        "solve_triangular(a, b)", solved, a=kept.format(f"-np.matmul({back}, y.mT)"), b=back), operands="a b",
        node="LinalgSolveTriangularBackward0")


TRIANGULAR = {(upper, unit): triangular(upper, unit) for upper in (True, False) for unit in (True, False)}


def solve_triangular(A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    """``X`` with ``A @ X == B``, or ``X @ A == B``; of ``A`` one half is read."""
    checked("solve_triangular", A)
    if not left:
        return solve_triangular(A.mT, B.mT, upper=not upper, unitriangular=unitriangular).mT  # type: ignore[no-any-return, attr-defined]
    return TRIANGULAR[upper, unitriangular].run((A, B))  # type: ignore[no-any-return]


# ---- exponentials

TERMS = 18
"""So many terms of the series are enough for matrices of norm 1/2, in double precision."""


def matrix_exponential(a: Any) -> Any:
    """The sum of powers over factorials, of the matrix halved until it is small, and squared as often."""
    largest = np.abs(a).sum(-2).max(initial=0.0)
    times = max(0, math.ceil(math.log2(largest)) + 1) if 0 < largest < np.inf else 0
    small = a / a.dtype.type(2.0 ** times)
    one = np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape)
    found = one + small / TERMS
    for count in range(TERMS - 1, 0, -1):
        found = one + small @ found / count
    for _ in range(times):
        found = found @ found
    return found


BLOCKS = ("np.concatenate([np.concatenate([a.mT, g], axis=-1), np.concatenate([np.zeros_like(a), a.mT], axis=-1)], "
          "axis=-2)")
RULES[matrix_exponential] = torch_rule(
    "matrix_exponential(a)", matrix_exponential, names={"matrix_exponential": matrix_exponential},
    a=f"matrix_exponential({BLOCKS})[..., :a.shape[-1], a.shape[-1]:]")
MATRIX_EXP = Operation("matrix_exp", matrix_exponential, operands="a", node="LinalgMatrixExpBackward0")


def matrix_exp(A: Tensor) -> Tensor:
    """The exponential of each square matrix of ``(..., n, n)``."""
    return MATRIX_EXP.run((checked("matrix_exp", A),))  # type: ignore[no-any-return]


__all__ = ["checked", "lu", "lu_factor", "matrix_exp", "solve_triangular"]
