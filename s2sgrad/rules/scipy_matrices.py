"""SciPy's linear algebra, continued: factors and bands, functions of matrices, decompositions. Of single matrices."""
from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad.errors import UnsupportedError
from s2sgrad.rules import table
from s2sgrad.rules.abstract import MISSING, SEVERAL, Abstract, Items, Numeric, item_at, known_value, with_numbers
from s2sgrad.rules.decompositions import (
    PSEUDO_INVERSE,
    diagonal,
    eigenvalues_dot,
    has_further_vectors,
    least_squares_dot,
    matrices,
    same,
    singular_values_dot,
    svd_result,
    undetermined_vectors,
)
from s2sgrad.rules.linalg import common_dtype
from s2sgrad.rules.scipy_linalg import NAMES, of_blocks, of_blocks_dot, single, times_solution
from s2sgrad.rules.table import ZERO, Operation

general = functools.partial(table.general, names=NAMES)


def of_both(result: Callable[[Operation], Abstract], second: str = "b") -> Callable[[Operation], Abstract]:
    """Of two matrices the results have the dtype that both have in common."""
    def found(op: Operation) -> Abstract:
        if not op.given(second):
            return result(op)
        dtype = common_dtype(op["a"], op[second])
        return with_numbers(result(op), lambda part: replace(
            part, dtype=None if dtype is None else np.result_type(dtype, np.float32)))
    return found


# ---- systems whose matrix has been factored: (factor, lower) and (lu, piv) are pairs

def like_right_side(op: Operation) -> Abstract:
    b, matrix = op["b"], op["ab"] if "ab" in op.operands else item_at(op[op.rule.parameters[0].name], (0,))
    dtype = common_dtype(matrix, b)
    return Numeric("array", np.result_type(dtype, np.float32) if dtype is not None else None,
                   b.shape if isinstance(b, Numeric) else None)


def is_lower(op: Operation) -> bool:
    pair = op["c_and_lower"]
    flag = known_value(pair.items[1]) if isinstance(pair, Items) and pair.items else MISSING
    if flag is MISSING:
        raise UnsupportedError("which triangle cho_solve reads is not known before the call",
                               "give it a pair with a literal, (factor, True)")
    return bool(flag)


def turned(op: Operation) -> str:
    return "0" if op.known("trans") else "1"


@single
def cho_solve_factor(op: Operation, path: tuple[int, ...]) -> str:
    """Of the matrix ``l @ l.T`` the cotangent goes to ``l`` twice."""
    steps = f"right_bar = linalg.cho_solve(c_and_lower, g); whole = {times_solution(op, 'right_bar')}; "
    if is_lower(op):
        return steps + "np.tril((whole + whole.T) @ np.tril(c_and_lower_0))"
    return steps + "np.triu(np.triu(c_and_lower_0) @ (whole + whole.T))"


@single
def cho_solve_factor_dot(op: Operation, path: tuple[int, ...]) -> str:
    if is_lower(op):
        steps = "factor = np.tril(c_and_lower_0); moved = np.tril(t); "
    else:
        steps = "factor = np.triu(c_and_lower_0).T; moved = np.triu(t).T; "
    return steps + "-linalg.cho_solve(c_and_lower, moved @ (factor.T @ y) + factor @ (moved.T @ y))"


@single
def lu_solve_factor(op: Operation, path: tuple[int, ...]) -> str:
    product = times_solution(op, "right_bar")
    return (f"right_bar = linalg.lu_solve(lu_and_piv, g, {turned(op)}); "
            f"lu_solve_bar({f'({product}).T' if op.known('trans') else product}, lu_and_piv_0, lu_and_piv_1)")


@single
def lu_solve_factor_dot(op: Operation, path: tuple[int, ...]) -> str:
    moved = f"lu_product(t, lu_and_piv_0, lu_and_piv_1){'.T' if op.known('trans') else ''}"
    return f"-linalg.lu_solve(lu_and_piv, {moved} @ y, trans)"


def lu_result(op: Operation) -> Abstract:
    pivots = Numeric("array", np.dtype(np.int32), (op.shape("a") or (None,))[:1])
    return Items(tuple, (matrices("a", same)(op), pivots))


general("scipy.linalg.cho_solve(c_and_lower, b, *, check_finite=True)", c_and_lower=cho_solve_factor,
        b=single(lambda op: "right_bar = linalg.cho_solve(c_and_lower, g); right_bar"), result=like_right_side,
        linear="b", tangent={"c_and_lower": cho_solve_factor_dot})
general("scipy.linalg.lu_factor(a, *, check_finite=True)", parts=(0,), a=single(lambda op: (
            "lu_bar(g_0, y_0, y_1)", ZERO)), tangent={"a": single(lambda op: ("lu_dot(t, y_0, y_1)", ZERO))},
        result=lu_result)
general("scipy.linalg.lu_solve(lu_and_piv, b, trans=0, *, check_finite=True)", lu_and_piv=lu_solve_factor,
        b=single(lambda op: f"right_bar = linalg.lu_solve(lu_and_piv, g, {turned(op)}); right_bar"),
        result=like_right_side, linear="b", tangent={"lu_and_piv": lu_solve_factor_dot})


# ---- matrices of bands, of one diagonal and of repeated ones

def bands(op: Operation) -> tuple[str, str]:
    """How many there are below and above."""
    known = op.if_known("l_and_u")
    return (f"{known[0]!r}", f"{known[1]!r}") if isinstance(known, tuple) else ("l_and_u[0]", "l_and_u[1]")


def banded_right(op: Operation) -> str:
    lower, upper = bands(op)
    return f"right_bar = linalg.solve_banded(({upper}, {lower}), turned_bands(ab, {lower}), g); "


def symmetric_bands(op: Operation) -> str:
    return f"right_bar = linalg.solveh_banded(ab, g, lower={op.known('lower')!r}); "


general("scipy.linalg.solve_banded(l_and_u, ab, b, *, check_finite=True)", result=like_right_side, linear="b",
        ab=single(lambda op: f"{banded_right(op)}-outer_bands(right_bar, y, {', '.join(bands(op))})"),
        b=single(lambda op: f"{banded_right(op)}right_bar"),
        tangent={"ab": single(lambda op: "-linalg.solve_banded(l_and_u, ab, "
                                         f"banded_product(t, y, {', '.join(bands(op))}))")})
general("scipy.linalg.solveh_banded(ab, b, *, lower=False, check_finite=True)", result=like_right_side, linear="b",
        ab=single(lambda op: f"{symmetric_bands(op)}-symmetric_bands(right_bar, y, len(ab), {op.known('lower')!r})"),
        b=single(lambda op: f"{symmetric_bands(op)}right_bar"),
        tangent={"ab": single(lambda op: "-linalg.solveh_banded(ab, symmetric_bands_product("
                                         f"t, y, {op.known('lower')!r}), lower={op.known('lower')!r})")})


def repeated(op: Operation) -> Abstract:
    c, r = op.shape("c"), op.shape("r") if op.given("r") else op.shape("c")
    known = c is not None and r is not None and len(c) == len(r) == 1
    return Numeric("array", common_dtype(op["c"], *([op["r"]] if op.given("r") else [])),
                   (c[0], r[0]) if known else None)  # type: ignore[index]


def column_bar(op: Operation) -> str:
    return "diagonal_sums(g, False, True)" if op.given("r") else "diagonal_sums(g, True, True)"


general("scipy.linalg.toeplitz(c, r=None)", c=single(column_bar), r=single(lambda op: "diagonal_sums(g, True, False)"),
        result=repeated, linear="c+r")


# ---- functions of a matrix, where they are real

for name in ("logm", "sinm", "cosm", "tanm", "sinhm", "coshm", "tanhm"):
    general(f"scipy.linalg.{name}(A)", name="function", A=of_blocks(name), tangent={"A": of_blocks_dot(name)},
            result=matrices("A", same, known=name != "logm"))
general("scipy.linalg.sqrtm(A)", name="root", result=matrices("A", same, known=False),
        A=single(lambda op: "linalg.solve_sylvester(in_reals(y).T, y.T, g)"),
        tangent={"A": single(lambda op: "linalg.solve_sylvester(in_reals(y), y, t)")})
general("scipy.linalg.solve_continuous_lyapunov(a, q)", linear="q", result=of_both(matrices("a", same), "q"),
        a=single(lambda op: "sum_bar = linalg.solve_continuous_lyapunov(a.T, g); -(sum_bar @ y.T + sum_bar.T @ y)"),
        q=single(lambda op: "sum_bar = linalg.solve_continuous_lyapunov(a.T, g); sum_bar"),
        tangent={"a": "moved = t @ y; -linalg.solve_continuous_lyapunov(a, moved + y @ t.T)"})


# ---- decompositions

def triangle(op: Operation) -> str:
    return "to_lower" if op.known("lower") else "to_upper"


def mirrored(op: Operation, t: str = "t") -> str:
    return f"mirrored({t}, {op.known('lower')!r})"


VECTORS = "vectors = linalg.eigh(a, b, lower=lower)[1]; "


@single
def values_bar(op: Operation) -> str:
    return f"{VECTORS}{triangle(op)}(vectors * g @ vectors.T)"


@single
def values_second(op: Operation) -> str:
    return f"{VECTORS}-{triangle(op)}(vectors * (g * y) @ vectors.T)"


@single
def values_dot(op: Operation) -> str:
    return f"{VECTORS}whole = {mirrored(op)}; {eigenvalues_dot('vectors', 'whole')}"


@single
def values_second_dot(op: Operation) -> str:
    return f"{VECTORS}whole = {mirrored(op)}; -y * {eigenvalues_dot('vectors', 'whole')}"


@single
def eigh_bar(op: Operation) -> str | tuple[str, str]:
    if op.known("eigvals_only"):
        return values_bar(op)
    return (f"{triangle(op)}(y_1 * g_0 @ y_1.T)",
            f"{triangle(op)}(y_1 @ over_gaps(y_1.T @ g_1, y_0) @ y_1.T)")


@single
def eigh_second(op: Operation) -> str | tuple[str, str]:
    """Of ``a @ v == b @ v * w`` the vectors have length 1 as ``b`` measures it."""
    if op.known("eigvals_only"):
        return values_second(op)
    return (f"-{triangle(op)}(y_1 * (g_0 * y_0) @ y_1.T)",
            f"inner = y_1.T @ g_1; -{triangle(op)}(y_1 @ (over_gaps(inner, y_0) * y_0 "
            "+ 0.5 * np.diag(np.diagonal(inner))) @ y_1.T)")


@single
def eigh_dot(op: Operation) -> str | tuple[str, str]:
    if op.known("eigvals_only"):
        return values_dot(op)
    return (f"whole = {mirrored(op)}; {eigenvalues_dot('y_1', 'whole')}",
            f"whole = {mirrored(op)}; y_1 @ over_differences(y_1.T @ whole @ y_1, y_0)")


@single
def eigh_second_dot(op: Operation) -> str | tuple[str, str]:
    if op.known("eigvals_only"):
        return values_second_dot(op)
    inner = f"whole = {mirrored(op)}; inner = y_1.T @ whole @ y_1; "
    return (f"{inner}-y_0 * np.diagonal(inner)",
            f"{inner}-y_1 @ over_differences(inner * y_0, y_0) - 0.5 * y_1 * np.diagonal(inner)")


def eigh_result(op: Operation) -> Abstract:
    only = op.if_known("eigvals_only")
    if not isinstance(only, bool):
        return SEVERAL
    return matrices("a", diagonal)(op) if only else matrices("a", diagonal, same)(op)


general("scipy.linalg.eigh(a, b=None, *, lower=True, eigvals_only=False, check_finite=True, driver=None)", parts=(0, 1),
        a=eigh_bar, b=eigh_second, tangent={"a": eigh_dot, "b": eigh_second_dot}, result=of_both(eigh_result))
general("scipy.linalg.eigvalsh(a, b=None, *, lower=True, check_finite=True)", a=values_bar, b=values_second,
        tangent={"a": values_dot, "b": values_second_dot}, result=of_both(matrices("a", diagonal)))

SINGULAR_VALUES_DOT = f"parts = np.linalg.svd(a, full_matrices=False); {singular_values_dot('parts.U', 'parts.Vh')}"


@single
def svd_bar(op: Operation) -> str | tuple[str, str, str]:
    if not op.known("compute_uv"):
        return "singular_values_bar(g, a)"
    if not has_further_vectors(op):
        return ("svd_bar(g_0, y_0, y_1, y_2)", "y_0 * g_1 @ y_2", "svd_bar(g_2.T, y_2.T, y_1, y_0.T).T")
    if op.reached != (1,):
        raise undetermined_vectors()
    return ZERO, "y_0[:, :y_1.size] * g_1 @ y_2[:y_1.size]", ZERO


@single
def svd_dot(op: Operation) -> str | tuple[str, str, str]:
    if not op.known("compute_uv"):
        return SINGULAR_VALUES_DOT
    if not has_further_vectors(op):
        return ("svd_dot(t, y_0, y_1, y_2)", singular_values_dot("y_0", "y_2"), "svd_dot(t.T, y_2.T, y_1, y_0.T).T")
    if op.reached != (1,):
        raise undetermined_vectors()
    return ZERO, singular_values_dot("y_0[:, :y_1.size]", "y_2[:y_1.size]"), ZERO


def economic(op: Operation) -> bool:
    """Whether what is asked for has as many columns as the matrix determines."""
    shape, mode = op.shape("a"), op.known("mode")
    square = shape is not None and len(shape) == 2 and shape[0] is not None and shape[0] == shape[1]
    return mode == "economic" or mode == "full" and square


def qr(name: str, first: str, second: str) -> Callable[[Operation], Any]:
    @single
    def formula(op: Operation) -> Any:
        if not economic(op):
            raise UnsupportedError(f"qr with mode={op.known('mode')!r} has no derivative rule for this matrix",
                                   "use mode='economic'")
        parts = [f"g_{part}" if part in op.reached else "None" for part in (0, 1)]
        return f"qr_bar({parts[0]}, {parts[1]}, y_0, y_1)" if name == "bar" else (first, second)
    return formula


def qr_result(op: Operation) -> Abstract:
    mode = op.if_known("mode")
    if mode not in ("full", "economic"):
        return SEVERAL
    if economic(op):
        return matrices("a", lambda m, n, k: (m, k), lambda m, n, k: (k, n))(op)
    return matrices("a", lambda m, n, k: (m, m), same)(op)


general("scipy.linalg.svd(a, full_matrices=True, compute_uv=True, *, check_finite=True, lapack_driver='gesdd')",
        parts=(0, 1, 2), a=svd_bar, tangent={"a": svd_dot}, result=svd_result())
general("scipy.linalg.svdvals(a, *, check_finite=True)", a=single(lambda op: "singular_values_bar(g, a)"),
        tangent={"a": single(lambda op: SINGULAR_VALUES_DOT)},
        result=matrices("a", diagonal))
general("scipy.linalg.qr(a, *, mode='full', check_finite=True)", parts=(0, 1), a=qr("bar", "", ""), result=qr_result,
        tangent={"a": qr("dot", "both = qr_dot(t, y_0, y_1); both[0]", "both = qr_dot(t, y_0, y_1); both[1]")})


def solution(op: Operation) -> Abstract:
    """What is left depends on the ranks, and the rank is an integer of SciPy's own."""
    dtype = common_dtype(op["a"], op["b"])
    a, b = op.shape("a"), op.shape("b")
    shape = None if a is None or b is None else (a[-1], *b[1:])
    singular = of_both(matrices("a", diagonal))(op)
    return Items(tuple, (Numeric("array", dtype, shape), Numeric("any", dtype), Numeric(), singular))


general("scipy.linalg.pinv(a, *, atol=None, rtol=None, check_finite=True)", **PSEUDO_INVERSE)
general("scipy.linalg.lstsq(a, b, *, check_finite=True)", parts=(0, 1, 3), result=solution,
        a=single(lambda op: (
            "least_squares_matrix(g_0, linalg.pinv(a), a, b, y_0)",
            "residuals_matrix(residuals_bar(g_1, a, b, y_0), y_0)", ZERO, "singular_values_bar(g_3, a)")),
        b=single(lambda op: ("linalg.pinv(a).T @ g_0", "residuals_bar(g_1, a, b, y_0)", ZERO, ZERO)),
        tangent={"a": single(lambda op: (
                     least_squares_dot(op, "linalg.pinv(a)"), "residuals_dot(-t @ y_0, b - a @ y_0, y_1)", ZERO,
                     SINGULAR_VALUES_DOT)),
                 "b": single(lambda op: ("linalg.pinv(a) @ t", "residuals_dot(t, b - a @ y_0, y_1)", ZERO, ZERO))})
