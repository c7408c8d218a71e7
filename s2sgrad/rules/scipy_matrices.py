"""SciPy's linear algebra, continued: factors and bands, functions of matrices, decompositions."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.errors import UnsupportedError
from s2sgrad.rules import table
from s2sgrad.rules.abstract import MISSING, SEVERAL, Abstract, Items, Numeric, is_not_complex, known_value, rank_of
from s2sgrad.rules.decompositions import (
    PSEUDO_INVERSE,
    diagonal,
    drops,
    eigenvalues_dot,
    least_squares_bar,
    least_squares_dot,
    matrices,
    real_row,
    same,
    singular_values_alone,
    singular_values_bar,
    svd_bar,
    svd_dot,
    svd_result,
)
from s2sgrad.rules.dims import broadcast
from s2sgrad.rules.linalg import common_dtype
from s2sgrad.rules.scipy_linalg import (
    NAMES,
    STACKS,
    columns,
    fitted,
    from_columns,
    is_alone,
    no_stacks,
    of_blocks,
    of_right_side,
    of_system,
    right_bar,
    seen_to,
    solved,
    solved_dot,
    solved_for,
    stacked,
    times_solution,
)
from s2sgrad.rules.table import ZERO, Operation, conjugated

general = functools.partial(table.general, names=NAMES)


def of_lyapunov(op: Operation) -> Abstract:
    a, q = op.shape("a"), op.shape("q")
    dtype = common_dtype(op["a"], op["q"])
    stack = None if a is None or q is None else broadcast(a[:-2], q[:-2])
    return Numeric("array", None if dtype is None else np.result_type(dtype, np.float32),
                   None if stack is None or q is None else (*stack, *q[-2:]))


# ---- systems whose matrix has been factored: (factor, lower) and (lu, piv) are pairs

def like_right_side(op: Operation) -> Abstract:
    return solved_for(of_system(op), op["b"])


def rank_of_factor(op: Operation) -> int | None:
    return rank_of(of_system(op))


def of_factor(formula: Callable[..., str]) -> Callable[..., str]:
    """A formula for a system whose matrix has been factored, also of stacks if SciPy takes them."""
    @functools.wraps(formula)
    def checked(op: Operation, *path: tuple[int, ...]) -> str:
        if not STACKS and not is_alone(op, rank_of_factor(op)):
            raise no_stacks(op)
        return formula(op, *path)
    return checked


def triangle_known(op: Operation) -> bool | None:
    """Whether the lower triangle is the factor; None where that is found out by the helpers."""
    pair = op["c_and_lower"]
    flag = known_value(pair.items[1]) if isinstance(pair, Items) and pair.items else MISSING
    return None if flag is MISSING else bool(flag)


def conjugated_factor(op: Operation, text: str) -> str:
    """The conjugate of what is as complex as the factor."""
    return text if is_not_complex(of_system(op)) else f"np.conj({text})"


def cho_solve_step(op: Operation) -> str:
    """The transposed matrix is the conjugate one."""
    right = conjugated_factor(op, "{}")
    return solved(op, rank_of_factor(op), conjugated_factor(op, f"linalg.cho_solve(c_and_lower, {right})"))


@of_factor
def cho_solve_factor(op: Operation, path: tuple[int, ...]) -> str:
    """Of the matrix ``l @ l.T`` the cotangent goes to ``l`` twice."""
    rank = rank_of_factor(op)
    steps = f"{cho_solve_step(op)}whole = {times_solution(op, rank)}; "
    both, factor = f"whole + {conjugated_factor(op, 'whole.mT')}", conjugated_factor(op, "c_and_lower_0")
    text = {True: f"np.tril(({both}) @ np.tril({factor}))",
            False: f"np.triu(np.triu({factor}) @ ({both}))",
            None: f"cholesky_factor_bar({both}, {factor}, c_and_lower_1)"}[triangle_known(op)]
    return steps + fitted(op, rank, text, "c_and_lower_0")


@of_factor
def cho_solve_right(op: Operation) -> str:
    return cho_solve_step(op) + right_bar(op, rank_of_factor(op))


@of_factor
def cho_solve_factor_dot(op: Operation, path: tuple[int, ...]) -> str:
    factor = conjugated_factor(op, "c_and_lower_0")
    half = {True: f"np.tril(t) @ np.tril({factor}).mT", False: f"np.triu({factor}).mT @ np.triu(t)",
            None: f"cholesky_factor_dot(t, {factor}, c_and_lower_1)"}[triangle_known(op)]
    return f"half = {half}; " + solved_dot(op, rank_of_factor(op), "linalg.cho_solve(c_and_lower, {})",
                                           f"(half + {conjugated_factor(op, 'half.mT')})")


def lu_solve_step(op: Operation) -> str:
    return solved(op, rank_of_factor(op), f"linalg.lu_solve(lu_and_piv, {{}}, {0 if is_turned(op) else 1})")


def is_turned(op: Operation) -> bool:
    """Whether the system's matrix is the transpose of the one that was factored."""
    if op.known("trans") == 2 and not op.is_real("lu_and_piv"):
        raise UnsupportedError("lu_solve with trans=2 has no derivative rule for complex numbers",
                               "conjugate the right-hand side and the result of trans=1")
    return bool(op.known("trans"))


@of_factor
def lu_solve_factor(op: Operation, path: tuple[int, ...]) -> str:
    rank = rank_of_factor(op)
    product = times_solution(op, rank)
    product = fitted(op, rank, f"({product}).mT" if is_turned(op) else product, "lu_and_piv_0")
    return lu_solve_step(op) + f"lu_solve_bar({product}, lu_and_piv_0, lu_and_piv_1)"


@of_factor
def lu_solve_right(op: Operation) -> str:
    return lu_solve_step(op) + right_bar(op, rank_of_factor(op))


@of_factor
def lu_solve_factor_dot(op: Operation, path: tuple[int, ...]) -> str:
    moved = f"lu_product(t, lu_and_piv_0, lu_and_piv_1){'.mT' if is_turned(op) else ''}"
    return solved_dot(op, rank_of_factor(op), "linalg.lu_solve(lu_and_piv, {}, trans)", moved)


def lu_result(op: Operation) -> Abstract:
    shape = op.shape("a")
    pivots = Numeric("array", np.dtype(np.int32), shape[:-1] if shape and shape[-2] == shape[-1] else None)
    return Items(tuple, (matrices("a", same)(op), pivots))


general("scipy.linalg.cho_solve(c_and_lower, b, *, check_finite=True)", c_and_lower=cho_solve_factor,
        b=cho_solve_right, result=like_right_side, linear="b", tangent={"c_and_lower": cho_solve_factor_dot},
        complex=True)
general("scipy.linalg.lu_factor(a, *, check_finite=True)", parts=(0,), a=stacked(lambda op: (
            "lu_bar(g_0, y_0, y_1)", ZERO)), tangent={"a": stacked(lambda op: ("lu_dot(t, y_0, y_1)", ZERO))},
        result=lu_result, complex=True)
general("scipy.linalg.lu_solve(lu_and_piv, b, trans=0, *, check_finite=True)", lu_and_piv=lu_solve_factor,
        b=lu_solve_right, result=like_right_side, linear="b", tangent={"lu_and_piv": lu_solve_factor_dot},
        complex=True)


# ---- matrices of bands, of one diagonal and of repeated ones

def bands(op: Operation) -> str:
    """How many there are below and above."""
    known = op.if_known("l_and_u")
    return f"{known[0]!r}, {known[1]!r}" if isinstance(known, tuple) else "l_and_u[0], l_and_u[1]"


def banded_step(op: Operation) -> str:
    """The right-hand side's cotangent, as columns always."""
    lower, upper = bands(op).split(", ")
    return (f"right_bar = linalg.solve_banded(({upper}, {lower}), turned_bands(ab, {lower}), {columns(op, 'g')}); ")


def symmetric_step(op: Operation) -> str:
    return f"right_bar = linalg.solveh_banded(ab, {columns(op, 'g')}, lower={op.known('lower')!r}); "


def of_bands(op: Operation, text: str) -> str:
    return fitted(op, op.rank("ab"), text.format(columns(op, "y")), "ab")


def banded_dot(op: Operation, call: str, product: str) -> str:
    return from_columns(op, f"-{call.format(product.format(columns(op, 'y')))}")


general("scipy.linalg.solve_banded(l_and_u, ab, b, *, check_finite=True)", result=like_right_side, linear="b",
        ab=stacked(lambda op: banded_step(op) + of_bands(op, f"-outer_bands(right_bar, {{}}, {bands(op)})")),
        b=stacked(lambda op: banded_step(op) + of_right_side(op, op.rank("ab"))),
        tangent={"ab": stacked(lambda op: banded_dot(
            op, "linalg.solve_banded(l_and_u, ab, {})", f"banded_product(t, {{}}, {bands(op)})"))})
general("scipy.linalg.solveh_banded(ab, b, *, lower=False, check_finite=True)", result=like_right_side, linear="b",
        ab=stacked(lambda op: symmetric_step(op) + of_bands(
            op, f"-symmetric_bands(right_bar, {{}}, ab.shape[-2], {op.known('lower')!r})")),
        b=stacked(lambda op: symmetric_step(op) + of_right_side(op, op.rank("ab"))),
        tangent={"ab": stacked(lambda op: banded_dot(
            op, f"linalg.solveh_banded(ab, {{}}, lower={op.known('lower')!r})",
            f"symmetric_bands_product(t, {{}}, {op.known('lower')!r})"))})


def repeated(op: Operation) -> Abstract:
    c, r = op.shape("c"), op.shape("r") if op.given("r") else op.shape("c")
    stack = broadcast(c[:-1], r[:-1]) if c and r and (STACKS or len(c) == len(r) == 1) else None
    return Numeric("array", common_dtype(op["c"], *([op["r"]] if op.given("r") else [])),
                   None if stack is None else (*stack, c[-1], r[-1]))  # type: ignore[index]


def diagonals(op: Operation, name: str, text: str) -> str:
    alone = op.rank("c") == 1 and (not op.given("r") or op.rank("r") == 1)
    return text if alone else f"unbroadcast({text}, {name}.shape)"


@stacked
def column_bar(op: Operation) -> str:
    return diagonals(op, "c", "diagonal_sums(g, False, True)" if op.given("r") else "diagonal_sums(g, True, True)")


general("scipy.linalg.toeplitz(c, r=None)", c=column_bar, result=repeated, linear="c+r",
        r=stacked(lambda op: diagonals(op, "r", "diagonal_sums(g, True, False)")))


# ---- functions of a matrix: those that may be complex of a real one are refused there

for name in ("logm", "sinm", "cosm", "tanm", "sinhm", "coshm", "tanhm"):
    known = name != "logm"
    general(f"scipy.linalg.{name}(A)", name="function", A=of_blocks(name, known=known), complex=True,
            tangent={"A": of_blocks(name, True, known)}, result=matrices("A", same, known=known))
general("scipy.linalg.sqrtm(A)", name="root", result=matrices("A", same, known=False), complex=True,
        A=stacked(lambda op: f"linalg.solve_sylvester({seen_to(op, 'y')}.mT, y.mT, g)"),
        tangent={"A": stacked(lambda op: f"linalg.solve_sylvester({seen_to(op, 'y')}, y, t)")})


def lyapunov_bar(name: str, text: str) -> Callable[[Operation], str]:
    @stacked
    def formula(op: Operation) -> str:
        alone = op.rank("a") == op.rank("q") == 2
        return ("sum_bar = linalg.solve_continuous_lyapunov(a.mT, g); "
                + (text if alone else f"unbroadcast({text}, {name}.shape)"))
    return formula


general("scipy.linalg.solve_continuous_lyapunov(a, q)", linear="q", result=of_lyapunov,
        a=lyapunov_bar("a", "-(sum_bar @ y.mT + sum_bar.mT @ y)"), q=lyapunov_bar("q", "sum_bar"),
        tangent={"a": "-linalg.solve_continuous_lyapunov(a, t @ y + y @ t.mT)"})


# ---- decompositions

def triangle(op: Operation) -> str:
    return "to_lower" if op.known("lower") else "to_upper"


def mirrored(op: Operation, t: str = "t") -> str:
    return f"mirrored({t}, {op.known('lower')!r})"


VECTORS = "vectors = linalg.eigh(a, b, lower=lower)[1]; "


def fit(op: Operation, text: str, name: str) -> str:
    """One matrix may go with all of a stack."""
    alone = not op.given("b") or op.rank("a") == op.rank("b") == 2
    return text if alone else f"unbroadcast({text}, {name}.shape)"


def weighed(op: Operation, vectors: str, weights: str) -> str:
    """The vectors' outer products with themselves, so much of each."""
    alone = op.rank("a") == 2 and (not op.given("b") or op.rank("b") == 2)
    return f"{conjugate(op, vectors)} * {weights if alone else f'({weights})[..., None, :]'} @ {vectors}.mT"


def conjugate(op: Operation, text: str) -> str:
    return conjugated(op, text, "a") if not op.given("b") or op.is_real("b") else f"np.conj({text})"


def slopes(op: Operation, vectors: str, inner: str) -> str:
    """Of the eigenvalues, which are real, along the vectors."""
    left = conjugate(op, vectors)
    text = eigenvalues_dot(vectors, inner, left)
    return text if left == vectors else f"np.real({text})"


def has_phases(op: Operation) -> bool:
    return not (op.is_real("a") and (not op.given("b") or op.is_real("b")))


def vectors_bar(op: Operation) -> tuple[str, str]:
    """A step for the cotangent of the vectors, and what it is called then."""
    if not has_phases(op):
        return "", "g_1"
    return f"turned = phases_bar(g_1, y_1, {real_elements(op)}); ", "turned"


def real_elements(op: Operation) -> str:
    """Of two matrices LAPACK keeps no element of the vectors real, where it reads the lower triangles."""
    lower = op.known("lower")
    return "np.zeros_like(y_1.real)" if lower and op.given("b") else real_row(lower)


def vectors_dot(op: Operation, step: str, text: str) -> str:
    if not has_phases(op):
        return step + text
    if op.given("b") and op.known("lower"):
        raise UnsupportedError("what phases the vectors of two complex matrices have, their lower triangles leave open",
                               "use lower=False, or reverse mode where the result does not depend on them")
    return f"{step}turned = {text}; with_phases(turned, y_1, {real_elements(op)})"


@stacked
def values_bar(op: Operation) -> str:
    return VECTORS + fit(op, f"{triangle(op)}({weighed(op, 'vectors', 'g')})", "a")


@stacked
def values_second(op: Operation) -> str:
    return VECTORS + fit(op, f"-{triangle(op)}({weighed(op, 'vectors', '(g * y)')})", "b")


@stacked
def values_dot(op: Operation) -> str:
    return f"{VECTORS}whole = {mirrored(op)}; {slopes(op, 'vectors', 'whole')}"


@stacked
def values_second_dot(op: Operation) -> str:
    return f"{VECTORS}whole = {mirrored(op)}; -y * {slopes(op, 'vectors', 'whole')}"


@stacked
def eigh_bar(op: Operation) -> str | tuple[str, str]:
    if op.known("eigvals_only"):
        return values_bar(op)
    step, g = vectors_bar(op)
    inner = f"over_gaps(y_1.mT @ {g}, y_0)"
    return (fit(op, f"{triangle(op)}({weighed(op, 'y_1', 'g_0')})", "a"),
            step + fit(op, f"{triangle(op)}({conjugate(op, 'y_1')} @ {inner} @ y_1.mT)", "a"))


@stacked
def eigh_second(op: Operation) -> str | tuple[str, str]:
    """Of ``a @ v == b @ v * w`` the vectors have length 1 as ``b`` measures it."""
    if op.known("eigvals_only"):
        return values_second(op)
    step, g = vectors_bar(op)
    change = f"(over_gaps(inner, y_0) * {values_of(op)} + 0.5 * np.eye(y_0.shape[-1], dtype=y_0.dtype) * inner)"
    return (fit(op, f"-{triangle(op)}({weighed(op, 'y_1', '(g_0 * y_0)')})", "b"),
            f"{step}inner = y_1.mT @ {g}; "
            + fit(op, f"-{triangle(op)}({conjugate(op, 'y_1')} @ {change} @ y_1.mT)", "b"))


def values_of(op: Operation) -> str:
    """The eigenvalues, as they multiply the columns of each matrix."""
    return "y_0" if op.rank("a") == op.rank("b") == 2 else "y_0[..., None, :]"


@stacked
def eigh_dot(op: Operation) -> str | tuple[str, str]:
    if op.known("eigvals_only"):
        return values_dot(op)
    step = f"whole = {mirrored(op)}; "
    return (step + slopes(op, "y_1", "whole"),
            vectors_dot(op, step, f"y_1 @ over_differences({conjugate(op, 'y_1.mT')} @ whole @ y_1, y_0)"))


@stacked
def eigh_second_dot(op: Operation) -> str | tuple[str, str]:
    if op.known("eigvals_only"):
        return values_second_dot(op)
    step = f"whole = {mirrored(op)}; "
    lengths = "np.diagonal(inner, axis1=-2, axis2=-1)"
    along = lengths if values_of(op) == "y_0" else f"{lengths}[..., None, :]"
    return (f"{step}-y_0 * {slopes(op, 'y_1', 'whole')}",
            vectors_dot(op, f"{step}inner = {conjugate(op, 'y_1.mT')} @ whole @ y_1; ",
                        f"-y_1 @ over_differences(inner * {values_of(op)}, y_0) - 0.5 * y_1 * {along}"))


def eigh_result(op: Operation) -> Abstract:
    only = op.if_known("eigvals_only")
    if not isinstance(only, bool):
        return SEVERAL
    return of_pair(diagonal)(op) if only else of_pair(diagonal, same)(op)


def of_pair(*shapes: Callable[..., tuple]) -> Callable[[Operation], Abstract]:
    """What is made of one matrix, or of two, which have a dtype in common and may be stacks of unlike lengths."""
    def found(op: Operation) -> Abstract:
        if not op.given("b"):
            return matrices("a", *shapes)(op)
        first, second = op.shape("a"), op.shape("b")
        stack = None if first is None or second is None else broadcast(first[:-2], second[:-2])
        whole = Numeric("array", common_dtype(op["a"], op["b"]),
                        None if stack is None or first is None else (*stack, *first[-2:]))
        return matrices("a", *shapes)(Operation(op.rule, {"a": whole}))
    return found


general("scipy.linalg.eigh(a, b=None, *, lower=True, eigvals_only=False, check_finite=True, driver=None)", parts=(0, 1),
        a=eigh_bar, b=eigh_second, tangent={"a": eigh_dot, "b": eigh_second_dot}, result=eigh_result, complex=True)
general("scipy.linalg.eigvalsh(a, b=None, *, lower=True, check_finite=True, driver=None)", a=values_bar,
        b=values_second, tangent={"a": values_dot, "b": values_second_dot}, result=of_pair(diagonal), complex=True)


def economic(op: Operation) -> bool:
    """Whether what is asked for has as many columns as the matrix determines."""
    shape, mode = op.shape("a"), op.known("mode")
    square = shape is not None and len(shape) >= 2 and shape[-2] is not None and shape[-2] == shape[-1]
    return mode == "economic" or mode == "full" and square


def qr(name: str, first: str, second: str) -> Callable[[Operation], Any]:
    @stacked
    def formula(op: Operation) -> Any:
        if op.known("mode") == "r":  # with rows of zeros below, where the matrix has more rows than columns
            return "qr_bar(None, g_0[..., :a.shape[-1], :], np.linalg.qr(a).Q, y_0[..., :a.shape[-1], :])" \
                if name == "bar" else ("q = np.linalg.qr(a).Q; np.eye(*q.shape[-2:], dtype=t.dtype)"
                                       " @ qr_dot(t, q, y_0[..., :a.shape[-1], :])[1]",)
        if not economic(op):
            raise UnsupportedError(f"qr with mode={op.known('mode')!r} has no derivative rule for this matrix",
                                   "use mode='economic'")
        parts = [f"g_{part}" if part in op.reached else "None" for part in (0, 1)]
        return f"qr_bar({parts[0]}, {parts[1]}, y_0, y_1)" if name == "bar" else (first, second)
    return formula


def qr_result(op: Operation) -> Abstract:
    mode = op.if_known("mode")
    if mode is MISSING:
        return SEVERAL
    if mode == "r":
        return Items(tuple, (matrices("a", same)(op),))
    if mode not in ("full", "economic"):
        return Items(tuple, (Numeric(), Numeric()))
    if economic(op):
        return matrices("a", lambda m, n, k: (m, k), lambda m, n, k: (k, n))(op)
    return matrices("a", lambda m, n, k: (m, m), same)(op)


general("scipy.linalg.svd(a, full_matrices=True, compute_uv=True, *, check_finite=True, lapack_driver='gesdd')",
        parts=(0, 1, 2), a=stacked(svd_bar), tangent={"a": stacked(svd_dot)}, result=svd_result(), complex=True)
general("scipy.linalg.svdvals(a, *, check_finite=True)", a=stacked(lambda op: singular_values_bar(op, "a")),
        tangent={"a": stacked(lambda op: singular_values_alone(op, "a"))}, result=matrices("a", diagonal), complex=True)
general("scipy.linalg.qr(a, *, mode='full', check_finite=True)", parts=(0, 1), a=qr("bar", "", ""), result=qr_result,
        tangent={"a": qr("dot", "both = qr_dot(t, y_0, y_1); both[0]", "both = qr_dot(t, y_0, y_1); both[1]")},
        complex=True)


def solution(op: Operation) -> Abstract:
    """What is left depends on the ranks, and the rank is an integer of SciPy's own."""
    dtype = common_dtype(op["a"], op["b"])
    a, b = op.shape("a"), op.shape("b")
    shape = None if a is None or b is None or len(a) < 2 else (a[-1], *b[1:])
    if shape is not None and len(a) > 2:  # type: ignore[arg-type]
        stack = broadcast(a[:-2], b[:-2])  # type: ignore[index]
        shape = None if stack is None or len(b) < 2 else (*stack, a[-1], b[-1])  # type: ignore[arg-type,index]
    singular = of_pair(diagonal)(op)
    left = dtype if dtype is not None and dtype.kind != "c" else None  # real ones, or complex ones that are none
    return Items(tuple, (Numeric("array", dtype, shape), Numeric("any", left), Numeric(), singular))


general("scipy.linalg.pinv(a, *, atol=None, rtol=None, check_finite=True)", **PSEUDO_INVERSE)


def is_stacked(op: Operation) -> bool:
    """Whether there are stacks of matrices, of which the solutions alone are differentiated."""
    rank = op.rank("a")
    if rank == 2 and op.rank("b") in (1, 2):
        return False
    if not STACKS:
        raise no_stacks(op)
    if rank is None or op.rank("b") != rank or op.reached != (0,):
        raise UnsupportedError("lstsq of a stack of matrices is differentiated in its solutions alone, and where b has "
                               "as many axes as a", "pass b[..., None]; use scipy.linalg.svdvals")
    return True


def pseudo_inverse(op: Operation) -> str:
    """With what LAPACK takes for 0; of its drivers that by QR has another way to tell, and gives no singular values."""
    if op.known("lapack_driver") == "gelsy":
        raise UnsupportedError("lstsq with lapack_driver='gelsy' has no derivative rule", "leave that out")
    return "linalg.pinv(a, rtol=cond)" if op.given("cond") else "linalg.pinv(a)"


def least_squares_left(op: Operation) -> tuple[str, ...]:
    step, inverse = (f"inverse = {pseudo_inverse(op)}; ", "inverse") if drops(op) else ("", pseudo_inverse(op))
    text = least_squares_bar(op, inverse)
    return (step + (f"unbroadcast({text}, a.shape)" if is_stacked(op) else text),
            "residuals_matrix(residuals_bar(g_1, a, b, y_0), y_0)", ZERO, "singular_values_bar(g_3, a)")


def least_squares_right(op: Operation) -> tuple[str, ...]:
    inverse = pseudo_inverse(op)
    text = f"unbroadcast({inverse}.mT @ g_0, b.shape)" if is_stacked(op) else f"{inverse}.T @ g_0"
    return text, "residuals_bar(g_1, a, b, y_0)", ZERO, ZERO


def least_squares_left_dot(op: Operation) -> tuple[str, ...]:
    is_stacked(op)
    return (least_squares_dot(op, pseudo_inverse(op)), "residuals_dot(-t @ y_0, b - a @ y_0, y_1)", ZERO,
            singular_values_alone(op, "a", "y_3"))


def least_squares_right_dot(op: Operation) -> tuple[str, ...]:
    is_stacked(op)
    return f"{pseudo_inverse(op)} @ t", "residuals_dot(t, b - a @ y_0, y_1)", ZERO, ZERO


general("scipy.linalg.lstsq(a, b, cond=None, *, check_finite=True, lapack_driver=None)", parts=(0, 1, 3), complex=True,
        a=least_squares_left, b=least_squares_right, result=solution,
        tangent={"a": least_squares_left_dot, "b": least_squares_right_dot})
