"""Decompositions, functions of matrices, least squares, and what :mod:`numpy.linalg` has under names of its own.

Of a symmetric matrix NumPy reads one triangle; its cotangent is that triangle's.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import MISSING, SEVERAL, Abstract, Items, Numeric, with_numbers
from s2sgrad.rules.dims import Shape
from s2sgrad.rules.linalg import common_dtype, widened
from s2sgrad.rules.reductions import MATRIX_ORDERS, matrix_slope_text, order_text, other_norm, vector_norm_bar
from s2sgrad.rules.results import has_rare_precision
from s2sgrad.rules.table import ZERO, Operation, conjugated, general, reduction
from s2sgrad.runtime.matrices import ALWAYS_COMPLEX


def floating(op: Operation, name: str) -> np.dtype | None:
    """The dtype of what a decomposition gives: integers become float64."""
    dtype = op.dtype(name)
    return np.result_type(dtype, np.float32) if dtype is not None and dtype.kind != "c" else None


def matrices(of: str, *shapes: Callable[..., tuple] | None, kind: Any = tuple, known: bool = True
             ) -> Callable[[Operation], Abstract]:
    """The result of a decomposition: for each part its last axes, made of the operand's last two sizes and the smaller
    of them. ``known``: the parts of a real one are real whatever the values are."""
    def result(op: Operation) -> Abstract:
        shape = op.shape(of)
        parts = []
        for axes in shapes:
            whole: Shape = None
            if shape is not None and len(shape) >= 2 and axes is not None:
                rows, columns = shape[-2:]
                smaller = rows if rows == columns else ("min", rows, columns) if None not in (rows, columns) else None
                whole = (*shape[:-2], *axes(rows, columns, smaller))
            single = whole == ()
            dtype = floating(op, of) if known else None
            if op.is_complex(of):
                dtype = part_dtype(op.dtype(of), axes) if known else op.dtype(of)
            parts.append(Numeric("scalar" if single else "any" if whole is None else "array", dtype, whole))
        if len(parts) == 1:
            return parts[0]
        return Items(kind, tuple(parts), keys=getattr(kind, "_fields", None))
    return result


def part_dtype(dtype: np.dtype | None, axes: Callable[..., tuple] | None) -> np.dtype | None:
    """Of a complex matrix: its singular values, and the eigenvalues of a Hermitian one, are real; of a number nobody
    knows."""
    sizes = None if axes is None or dtype is None else axes("m", "n", "k")
    if not sizes or dtype is None:
        return None
    return dtype if len(sizes) > 1 else dtype.type(0).real.dtype


def kind_of(decomposition: Callable[..., Any]) -> Any:
    """The named tuple that it gives."""
    return type(decomposition(np.eye(1)))


def same(rows: Any, columns: Any, smaller: Any) -> tuple:
    return rows, columns


def diagonal(rows: Any, columns: Any, smaller: Any) -> tuple:
    return smaller,


# ---- symmetric matrices

def triangle(op: Operation) -> str:
    """The helper that gives the cotangent of a symmetric matrix to the triangle that is read."""
    return {"L": "to_lower", "U": "to_upper"}[op.known("UPLO").upper()]


def along_rows(op: Operation, name: str, of: str = "a") -> str:
    """Numbers for the columns of each matrix, as they multiply them."""
    return name if op.rank(of) == 2 else f"{name}[..., None, :]"


def is_lower(op: Operation) -> bool:
    return op.known("UPLO").upper() == "L"


def eigh_bar(op: Operation) -> tuple[str, str]:
    if op.is_real("a"):
        return (hermitian_bar(op, "y_1", "g_0"),
                f"{triangle(op)}(y_1 @ over_gaps(y_1.mT @ g_1, y_0) @ y_1.mT)")
    return (f"v = {turned(op, 'y_1', 'y_0')}; {hermitian_bar(op, 'v', 'g_0')}",
            f"turned = phases_bar(g_1, y_1, {real_row(is_lower(op))}); "
            f"{triangle(op)}(np.conj(y_1) @ over_gaps(y_1.mT @ turned, y_0) @ y_1.mT)")


def real_row(lower: bool) -> str:
    """Which elements of complex vectors LAPACK keeps real, by the triangle that it reads."""
    return f"real_row(y_1, {0 if lower else -1})"


def turned(op: Operation, vectors: str, values: str) -> str:
    """The vectors of a complex matrix, where what is made of them does not depend on their phases."""
    return f"turned_eigenvectors({vectors}, a, {values}, {is_lower(op)})"


def hermitian_bar(op: Operation, vectors: str, g: str) -> str:
    return f"{triangle(op)}({conjugated(op, vectors, 'a')} * {along_rows(op, g)} @ {vectors}.mT)"


def vectors_alone(op: Operation) -> str:
    """A step that finds the vectors that belong to the eigenvalues."""
    vectors = "np.linalg.eigh(a, UPLO).eigenvectors"
    return f"v = {turned(op, vectors, 'y') if op.is_complex('a') else vectors}; "


def cholesky_bar(op: Operation, upper: bool, y: str = "y", g: str = "g", of: str = "a") -> str:
    """Murray, Differentiation of the Cholesky decomposition (2016), 3."""
    turned = conjugated(op, "inner.mT", of)
    if upper:
        y, g = conjugated(op, y, of), conjugated(op, f"{g}.mT", of)
        return f"inner = np.linalg.solve({y}, halved({y} @ {g})); to_upper(np.linalg.solve({y}, {turned}))"
    return f"inner = np.linalg.solve({y}.mT, halved({y}.mT @ {g})); to_lower(np.linalg.solve({y}.mT, {turned}))"


def mirrored(op: Operation) -> str:
    """A step for the tangent of a symmetric matrix, from that of the triangle that is read."""
    return f"whole = mirrored(t, {is_lower(op)}); "


def cholesky_dot(op: Operation, upper: bool, y: str = "y", of: str = "a") -> str:
    turned = conjugated(op, f"{y}.mT", of) if upper else y
    half = conjugated(op, f"np.linalg.solve({turned}, mirrored(t, {not upper})).mT", of)
    text = f"{turned} @ halved(np.linalg.solve({turned}, {half}))"
    return conjugated(op, f"({text}).mT", of) if upper else text


def eigenvalues_dot(vectors: str, inner: str, left: str = "") -> str:
    """The slopes of eigenvalues along their vectors; ``left``: their conjugates."""
    return f"np.sum({left or vectors} * ({inner} @ {vectors}), axis=-2)"


def hermitian_dot(op: Operation, vectors: str) -> str:
    return real_part(op, eigenvalues_dot(vectors, "whole", conjugated(op, vectors, "a")), "a")


def real_part(op: Operation, text: str, of: str) -> str:
    """What a real result's tangent is of a complex operand's."""
    return text if op.is_real(of) else f"np.real({text})"


def eigh_dot(op: Operation) -> tuple[str, str]:
    if op.is_real("a"):
        return (f"{mirrored(op)}{hermitian_dot(op, 'y_1')}",
                f"{mirrored(op)}y_1 @ over_differences(y_1.mT @ whole @ y_1, y_0)")
    return (f"v = {turned(op, 'y_1', 'y_0')}; {mirrored(op)}{hermitian_dot(op, 'v')}",
            f"{mirrored(op)}turned = y_1 @ over_differences(np.conj(y_1.mT) @ whole @ y_1, y_0); "
            f"with_phases(turned, y_1, {real_row(is_lower(op))})")


general("np.linalg.cholesky(a, /, *, upper=False)", result=matrices("a", same),
        a=lambda op: cholesky_bar(op, op.known("upper")), complex=True,
        tangent={"a": lambda op: cholesky_dot(op, op.known("upper"))})
general("np.linalg.eigh(a, UPLO='L')", parts=(0, 1), a=eigh_bar, tangent={"a": eigh_dot},
        result=matrices("a", diagonal, same, kind=kind_of(np.linalg.eigh)), complex=True)
general("np.linalg.eigvalsh(a, UPLO='L')", result=matrices("a", diagonal),
        a=lambda op: vectors_alone(op) + hermitian_bar(op, "v", "g"),
        tangent={"a": lambda op: f"{vectors_alone(op)}{mirrored(op)}{hermitian_dot(op, 'v')}"}, complex=True)


# ---- other square matrices: eigenvalues of real ones must turn out to be real, where NumPy gives them as real numbers

def values_bar(vectors: str) -> str:
    return f"np.linalg.solve({vectors}.mT, g_0[..., :, None] * {vectors}.mT)"


SCALED = "v = scaled_eigenvectors(y_1, a, y_0); "
"""The vectors, where what is made of them does not depend on their lengths and phases."""


def eig_bar(op: Operation) -> str | tuple[str, str]:
    if op.is_real("a") and not ALWAYS_COMPLEX:
        values, vectors = (f"g_{part}" if part in op.reached else "None" for part in (0, 1))
        return f"eig_bar({values}, {vectors}, y_0, y_1)"
    return SCALED + as_real(op, values_bar("v")), as_real(op, "eigenvectors_bar(g_1, y_0, y_1)")


def as_real(op: Operation, text: str) -> str:
    """A cotangent that is complex also where the matrix is real."""
    if op.dtype("a") is None:
        return f"as_real_as({text}, a)"
    return text if op.is_complex("a") else f"np.real({text})"


def eig_dot(op: Operation) -> tuple[str, str]:
    if op.is_real("a") and not ALWAYS_COMPLEX:
        return ("np.diagonal(np.linalg.solve(y_1, t @ y_1), axis1=-2, axis2=-1)",
                "turned = y_1 @ over_differences(np.linalg.solve(y_1, t @ y_1), y_0); "
                "turned - y_1 * np.sum(y_1 * turned, axis=-2, keepdims=True)")
    return f"{SCALED}np.diagonal(np.linalg.solve(v, t @ v), axis1=-2, axis2=-1)", "eigenvectors_dot(t, y_0, y_1)"


def power_bar(op: Operation) -> str:
    return {1: "g", 2: "g @ a.mT + a.mT @ g"}.get(op.if_known("n"), "power_bar(g, a, n)")


def power_dot(op: Operation) -> str:
    """The adjoint map of the matrix turned round."""
    return {1: "t", 2: "t @ a + a @ t"}.get(op.if_known("n"), "power_bar(t, a.mT, n)")


SLOPE = "np.sum(np.linalg.inv(a).mT * t, axis=(-2, -1))"
"""Of a determinant's logarithm, whose real part is that of its size, and whose imaginary part is the sign's angle."""


def for_all(op: Operation, name: str) -> str:
    return f"{widened(op, name)} * np.linalg.inv(a).mT"


def signed_logarithm(op: Operation) -> Abstract:
    """The sign is as complex as the matrix, and of a real one a constant."""
    found = matrices("a", lambda *_: (), lambda *_: (), kind=kind_of(np.linalg.slogdet))(op)
    dtype = op.dtype("a")
    if not op.is_complex("a") or dtype is None:
        return found
    assert isinstance(found, Items) and found.items is not None
    dtypes = dtype, dtype.type(0).real.dtype
    return replace(found, items=tuple(replace(part, dtype=own) for part, own in zip(found.items, dtypes)))


def perhaps_complex(*shapes: Callable[..., tuple], kind: Any = tuple) -> Callable[[Operation], Abstract]:
    """Eigenvalues and vectors of a real matrix may be real or complex, unless NumPy makes them complex anyway."""
    def result(op: Operation) -> Abstract:
        found, dtype = matrices("a", *shapes, kind=kind, known=False)(op), op.dtype("a")
        return found if dtype is None or not ALWAYS_COMPLEX else with_numbers(
            found, lambda part: replace(part, dtype=np.result_type(dtype, np.complex64)))
    return result


general("np.linalg.eigvals(a)", a="eigvals_bar(g, a, y)", tangent={"a": "eigvals_dot(t, a, y)"}, complex=True,
        result=perhaps_complex(diagonal))
general("np.linalg.eig(a)", parts=(0, 1), a=eig_bar, tangent={"a": eig_dot}, complex=True,
        result=perhaps_complex(diagonal, same, kind=kind_of(np.linalg.eig)))
general("np.linalg.slogdet(a)", parts=lambda op: (1,) if op.is_real("a") else (0, 1), result=signed_logarithm,
        a=lambda op: (ZERO if op.is_real("a") else f"turn = g_0 * y_0; {for_all(op, '(0.5 * (turn - np.conj(turn)))')}",
                      for_all(op, "g_1")), complex=True,
        tangent={"a": lambda op: (ZERO if op.is_real("a") else f"slope = {SLOPE}; 0.5 * y_0 * (slope - np.conj(slope))",
                                  real_part(op, SLOPE, "a"))})
general("np.linalg.matrix_power(a, n)", a=power_bar, result=matrices("a", same), sharing="maybe",
        tangent={"a": power_dot}, complex=True)


# ---- any matrices

def singular_values_bar(op: Operation, of: str) -> str:
    step, left, right = vectors_of(op, of)
    return step + conjugated(op, f"{left} * {along_rows(op, 'g', of)} @ {right}", of)


def vectors_of(op: Operation, of: str, values: str = "y") -> tuple[str, str, str]:
    """A step that finds the singular vectors that belong to the values, and what they are called then."""
    matrix = f"for_lapack({of})" if has_rare_precision(op[of]) else of
    step = f"parts = np.linalg.svd({matrix}, full_matrices=False); "
    if not op.is_complex(of):
        return step, "parts.U", "parts.Vh"
    return f"{step}turned = turned_singular_vectors(parts.U, parts.Vh, {of}, {values}); ", "turned[0]", "turned[1]"


def has_further_vectors(op: Operation) -> bool:
    """Whether a decomposition may have singular vectors without a value: a full one, but of a square matrix."""
    value = op["a"]
    shape = value.shape if isinstance(value, Numeric) else None
    return op.known("full_matrices") and (shape is None or None in shape[-2:] or shape[-2] != shape[-1])


def svd_bar(op: Operation) -> str | tuple[str, str, str]:
    """Townsend, Differentiating the singular value decomposition (2016)."""
    if not op.known("compute_uv"):
        return singular_values_bar(op, "a")
    step, left, right = vectors_with_values(op)
    values = step + conjugated(op, f"{left} * {along_rows(op, 'g_1')} @ {right}", "a")
    u, vh, g_u, g_v = "y_0", "y_2", "g_0", "g_2.mT"
    if has_further_vectors(op):
        u, vh, g_u, g_v = left, right, "determined_bars(g_0, y_1)", "determined_bars(g_2.mT, y_1)"
    else:
        step = ""
    if op.is_real("a"):
        return f"{step}svd_bar({g_u}, {u}, y_1, {vh})", values, f"{step}svd_bar({g_v}, {vh}.mT, y_1, {u}.mT).mT"
    bars = ", ".join(bar if part in op.reached else "None" for part, bar in ((0, g_u), (2, transposed(g_v))))
    both = f"{step}pairs_bar({bars}, {u}, y_1, {vh})"
    return (ZERO, values, both) if 2 in op.reached else (both, values, ZERO)


def transposed(text: str) -> str:
    """The matrix of which a text says the transpose."""
    return text.removesuffix(".mT") if text.endswith(".mT") else f"{text}.mT"


def vectors_with_values(op: Operation) -> tuple[str, str, str]:
    """A step that finds the vectors that have a singular value, and what they are called then: the same of a
    decomposition that has no others; else from all of them again, so that the others are not asked for where that is
    differentiated again."""
    left, right = "y_0", "y_2"
    if has_further_vectors(op):
        left, right = "y_0[..., :y_1.shape[-1]]", "y_2[..., :y_1.shape[-1], :]"
    elif not op.is_complex("a"):
        return "", left, right
    return f"turned = turned_singular_vectors({left}, {right}, a, y_1); ", "turned[0]", "turned[1]"


def singular_values_dot(left: str, right: str) -> str:
    """The slopes of singular values along their vectors, as many as values."""
    return f"np.sum({left} * (t @ {right}.mT), axis=-2)"


def slopes_of_values(op: Operation, left: str, right: str, of: str = "a") -> str:
    return real_part(op, singular_values_dot(conjugated(op, left, of), conjugated(op, right, of)), of)


def singular_values_alone(op: Operation, of: str, values: str = "y") -> str:
    step, left, right = vectors_of(op, of, values)
    return step + slopes_of_values(op, left, right, of)


def svd_dot(op: Operation) -> str | tuple[str, str, str]:
    if not op.known("compute_uv"):
        return singular_values_alone(op, "a")
    step, left, right = vectors_with_values(op)
    values = step + slopes_of_values(op, left, right)
    u, vh, every_u, every_v = "y_0", "y_2", "y_0", "y_2.mT"
    if has_further_vectors(op):
        u, vh, every_u, every_v = left, right, "determined_vectors(y_0, y_1)", "determined_vectors(y_2.mT, y_1)"
    else:
        step = ""
    if op.is_real("a"):
        return f"{step}svd_dot(t, {every_u}, y_1, {vh})", values, f"{step}svd_dot(t.mT, {every_v}, y_1, {u}.mT).mT"
    both = f"{step}both = pairs_dot(t, {every_u}, y_1, {transposed(every_v)}); "
    return f"{both}both[0]", values, f"{both}both[1]"


def svd_result(kind: Any = tuple) -> Callable[[Operation], Abstract]:
    """``kind``: the class of what holds the three results."""
    def result(op: Operation) -> Abstract:
        full, both = op.if_known("full_matrices"), op.if_known("compute_uv")
        if both is MISSING or both and full is MISSING:
            return SEVERAL
        if not both:
            return matrices("a", diagonal)(op)
        left = (lambda m, n, k: (m, m)) if full else (lambda m, n, k: (m, k))
        right = (lambda m, n, k: (n, n)) if full else (lambda m, n, k: (k, n))
        return matrices("a", left, diagonal, right, kind=kind)(op)
    return result


def qr_bar(op: Operation) -> str:
    if op.known("mode") == "r":
        return "qr_bar(None, g, np.linalg.qr(a).Q, y)"
    if op.known("mode") != "reduced":
        raise other_mode(op)
    first, second = (f"g_{part}" if part in op.reached else "None" for part in (0, 1))
    return f"qr_bar({first}, {second}, y_0, y_1)"


def qr_dot(op: Operation) -> str | tuple[str, str]:
    if op.known("mode") == "r":
        return "qr_dot(t, np.linalg.qr(a).Q, y)[1]"
    if op.known("mode") != "reduced":
        raise other_mode(op)
    return "both = qr_dot(t, y_0, y_1); both[0]", "both = qr_dot(t, y_0, y_1); both[1]"


def other_mode(op: Operation) -> UnsupportedError:
    return UnsupportedError(f"qr with mode={op.known('mode')!r} has no derivative rule",
                            "use mode='reduced' or mode='r'")


def qr_result(op: Operation) -> Abstract:
    mode = op.if_known("mode")
    if mode is MISSING:
        return SEVERAL
    upper = matrices("a", lambda m, n, k: (k, n))(op)
    if mode == "r":
        return upper
    if mode != "reduced":
        return Items(tuple, (Numeric(), Numeric()))
    return matrices("a", lambda m, n, k: (m, k), lambda m, n, k: (k, n), kind=kind_of(np.linalg.qr))(op)


def cond_slope(op: Operation) -> str:
    p = op.known("p")
    if p not in (None, "fro", *MATRIX_ORDERS):
        raise other_norm(f"condition number with p={p!r}")
    text = f"cond_slope(x, {p == -2})" if p in (None, 2, -2) else f"norm_cond_slope(x, {order_text(p)})"
    return conjugated(op, text, "x")


def cond_bar(op: Operation) -> str:
    """Older versions of NumPy give real numbers as complex ones, for most norms of complex matrices."""
    cotangent = widened(op, "g", "x")
    return f"{cotangent if op.is_real('x') else f'np.real({cotangent})'} * {cond_slope(op)}"


def cond_dot(op: Operation) -> str:
    return real_part(op, f"np.sum({cond_slope(op)} * t, axis=(-2, -1))", "x")


general("np.linalg.svd(a, full_matrices=True, compute_uv=True)", parts=(0, 1, 2), a=svd_bar,
        result=svd_result(kind_of(np.linalg.svd)),
        tangent={"a": svd_dot}, complex=True)
general("np.linalg.svdvals(x, /)", result=matrices("x", diagonal),
        x=lambda op: singular_values_bar(op, "x"),
        tangent={"x": lambda op: singular_values_alone(op, "x")}, complex=True)
general("np.linalg.qr(a, mode='reduced')", parts=(0, 1), a=qr_bar, result=qr_result, tangent={"a": qr_dot},
        complex=True)


def inverse_bar(op: Operation) -> str:
    """Golub and Pereyra, The differentiation of pseudo-inverses (1973)."""
    adjoint, (whole, a) = conjugated(op, "y.mT", "a"), of_triangle(op)
    beside = conjugated(op, f"rows - {a} @ y @ rows + columns - columns @ y @ {a}", "a")
    found = bar_as_kept(op, f"{beside} - y.mT @ g @ y.mT", a, "y")
    return (f"{whole}rows = g.mT @ y @ {adjoint}; columns = {adjoint} @ y @ g.mT; "
            f"{f'to_lower({found})' if whole else found}")


def inverse_dot(op: Operation) -> str:
    whole, a = of_triangle(op)
    t, change = ("change", "change = mirrored(t, True); ") if whole else ("t", "")
    if drops(op):
        t, change = "change", f"change = as_kept({'mirrored(t, True)' if whole else 't'}, {a}, y); "
    adjoint, turned = conjugated(op, "y.mT", "a"), conjugated(op, f"{t}.mT", "a")
    return (f"{whole}{change}rows = y @ {adjoint} @ {turned}; columns = {turned} @ {adjoint} @ y; "
            f"rows - rows @ {a} @ y + columns - y @ {a} @ columns - y @ {t} @ y")


def drops(op: Operation) -> bool:
    """Whether singular values may be taken for 0 which are not."""
    return any(name in op.rule.names_taken and op.given(name) for name in ("rcond", "rtol", "atol", "cond"))


def bar_as_kept(op: Operation, bar: str, a: str, inverse: str) -> str:
    """The cotangent of a matrix, from that of the part of it that is kept."""
    if not drops(op):
        return bar
    return conjugated(op, f"as_kept({conjugated(op, bar, 'a')}, {a}, {inverse})", "a")


def of_triangle(op: Operation) -> tuple[str, str]:
    """A step that makes the matrix of the triangle that is read of a Hermitian one, and what it is called then."""
    if "hermitian" not in op.rule.names_taken or not op.known("hermitian"):
        return "", "a"
    return "whole = mirrored(a, True); ", "whole"


PSEUDO_INVERSE: dict[str, Any] = {
    "a": inverse_bar, "tangent": {"a": inverse_dot}, "result": matrices("a", lambda m, n, k: (n, m)), "complex": True}
general("np.linalg.pinv(a, rcond=None, hermitian=False, *, rtol=None)", **PSEUDO_INVERSE)
general("np.linalg.cond(x, p=None)", x=cond_bar, tangent={"x": cond_dot}, result=matrices("x", lambda *_: ()),
        complex=True)


# ---- systems

def least_squares_result(op: Operation) -> Abstract:
    a, b = op.shape("a"), op.shape("b")
    dtypes = op.dtype("a"), op.dtype("b")
    dtype = None if any(item is None for item in dtypes) else np.result_type(*dtypes, np.float32)
    size = None if dtype is None else dtype.type(0).real.dtype
    solution = None if a is None or b is None else (a[-1], *b[1:])
    rank = Numeric("scalar", np.dtype(np.int32), ())
    return Items(tuple, (Numeric("any" if solution is None else "array", dtype, solution),
                         Numeric("array", size, (None,)), rank, Numeric("array", size, (None,))))


def with_inverse(op: Operation, text: Callable[[str], str]) -> str:
    """A formula over the pseudo-inverse, which both operands' formulas make, together once."""
    inverse = pseudo_inverse(op)
    if op["a"].active and (op["b"].active or drops(op)):
        return f"inverse = {inverse}; {text('inverse')}"
    return text(inverse)


def least_squares_bar(op: Operation, inverse: str) -> str:
    return bar_as_kept(op, f"least_squares_matrix(g_0, {inverse}, a, b, y_0)", "a", inverse)


def pseudo_inverse(op: Operation) -> str:
    return "np.linalg.pinv(a, rcond)" if op.given("rcond") else "np.linalg.pinv(a)"


def least_squares_dot(op: Operation, inverse: str) -> str:
    """Golub and Pereyra, The differentiation of pseudo-inverses (1973)."""
    turned = "T" if op.rank("a") == 2 else "mT"
    t, change = ("change", "change = as_kept(t, a, inverse); ") if drops(op) else ("t", "")
    back, turn = conjugated(op, f"inverse.{turned}", "a"), conjugated(op, f"{t}.{turned}", "a")
    return (f"inverse = {inverse}; {change}turned = {turn} @ ({back} @ y_0); "
            f"inverse @ ({back} @ ({turn} @ (b - a @ y_0)) - {t} @ y_0) + turned - inverse @ (a @ turned)")


def tensor_solution(op: Operation) -> Abstract:
    a, b = op.shape("a"), op.shape("b")
    dtype = common_dtype(op["a"], op["b"])
    return Numeric("array", None if dtype is None else np.result_type(dtype, np.float32),
                   None if a is None or b is None else a[len(b):])


def tensor_inverse(op: Operation) -> Abstract:
    shape, ind = op.shape("a"), op.if_known("ind")
    known = shape is not None and isinstance(ind, int)
    dtype = op.dtype("a") if op.is_complex("a") else floating(op, "a")
    return Numeric("array", dtype, (*shape[ind:], *shape[:ind]) if known else None)  # type: ignore[index]


general("np.linalg.lstsq(a, b, rcond=None)", parts=(0, 1, 3), result=least_squares_result,
        a=lambda op: (with_inverse(op, lambda inverse: least_squares_bar(op, inverse)),
                      "residuals_matrix(residuals_bar(g_1, a, b, y_0), y_0)", ZERO, "singular_values_bar(g_3, a)"),
        b=lambda op: (with_inverse(op, "{}.T @ g_0".format), "residuals_bar(g_1, a, b, y_0)", ZERO, ZERO),
        tangent={"a": lambda op: (
                     least_squares_dot(op, pseudo_inverse(op)), "residuals_dot(-t @ y_0, b - a @ y_0, y_1)", ZERO,
                     singular_values_alone(op, "a", "y_3")),
                 "b": lambda op: (
            f"{pseudo_inverse(op)} @ t", "residuals_dot(t, b - a @ y_0, y_1)", ZERO, ZERO)}, complex=True)
general("np.linalg.tensorsolve(a, b)", result=tensor_solution,
        a="-np.reshape(np.outer(tensorsolve_bar(g, a, b), y), a.shape)", b="tensorsolve_bar(g, a, b)", linear="b",
        tangent={"a": "np.linalg.tensorsolve(a, -np.tensordot(t, y, np.ndim(y)))"}, complex=True)
general("np.linalg.tensorinv(a, ind=2)", a="tensorinv_bar(g, y, a.shape, ind)", result=tensor_inverse,
        tangent={"a": "-np.tensordot(np.tensordot(y, t, ind), y, np.ndim(a) - ind)"}, complex=True)


def multi_dot_bar(op: Operation, path: tuple[int, ...]) -> str:
    (index,) = path
    value = op["arrays"]
    assert isinstance(value, Items) and value.items is not None
    names = [f"arrays_{place}" for place in range(len(value.items))]
    if all(isinstance(item, Numeric) and item.rank == 2 for item in value.items):
        factors = [*(f"{name}.T" for name in names[:index][::-1]), "g", *(f"{name}.T" for name in names[:index:-1])]
        return " @ ".join(factors) if len(factors) == 2 else f"np.linalg.multi_dot([{', '.join(factors)}])"
    return f"multi_dot_bar(g, [{', '.join(names)}], {index})"


def multi_dot_dot(op: Operation, path: tuple[int, ...]) -> str:
    value = op["arrays"]
    assert isinstance(value, Items) and value.items is not None
    names = [f"arrays_{place}" for place in range(len(value.items))]
    names[path[0]] = "t"
    return f"np.linalg.multi_dot([{', '.join(names)}])"


general("np.linalg.multi_dot(arrays)", arrays=multi_dot_bar, tangent={"arrays": multi_dot_dot},
        complex=True)


# ---- norms over axes of their own

def slope_of_matrix_norm(op: Operation) -> str:
    order = op.known("ord")
    if order not in ("fro", *MATRIX_ORDERS):
        raise other_norm(f"matrix norm with ord={order!r}")
    if order != "fro":
        return conjugated(op, matrix_slope_text(order, -2, -1), "x")
    return f"divide_or_zero({conjugated(op, 'x', 'x')}, {'y' if op.known('keepdims') else widened(op, 'y', 'x')})"


def matrix_norm_bar(op: Operation) -> str:
    return f"{'g' if op.known('keepdims') else widened(op, 'g', 'x')} * {slope_of_matrix_norm(op)}"


def matrix_norm_dot(op: Operation) -> str:
    return real_part(op, f"np.sum({slope_of_matrix_norm(op)} * t, axis=(-2, -1), keepdims={op.known('keepdims')})", "x")


reduction("np.linalg.vector_norm(x, /, *, axis=None, keepdims=False, ord=2)",
          x=lambda op: vector_norm_bar(op, op.known("ord")), complex=True)
reduction("np.linalg.matrix_norm(x, /, *, keepdims=False, ord='fro')", x=matrix_norm_bar,
          tangent={"x": matrix_norm_dot}, complex=True)


# ---- under other names than NumPy's own

general("np.linalg.outer(x1, x2, /)", x1="g @ x2", x2="x1 @ g", linear="x1 x2", complex=True)
general("np.linalg.trace(x, /, *, offset=0, dtype=None)", x="untrace(g, x.shape, offset, -2, -1)", linear="x",
        complex=True)
general("np.linalg.diagonal(x, /, *, offset=0)", x="undiagonal(g, x.shape, offset, -2, -1)", sharing="read-only",
        linear="x", complex=True)
