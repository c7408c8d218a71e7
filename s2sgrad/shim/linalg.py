"""Linear algebra: what ``torch.linalg`` has."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad.rules.table import RULES
from s2sgrad.shim.elementwise import nan_to_num, where
from s2sgrad.shim.factored import checked, exchanges, lu, lu_factor, matrix_exp, solve_triangular
from s2sgrad.shim.joining import cat
from s2sgrad.shim.names import attached, both, exported, named, refusing
from s2sgrad.shim.operations import Operation, torch_rule
from s2sgrad.shim.operations import _LinAlgError as LinAlgError
from s2sgrad.shim.pairs import return_type
from s2sgrad.shim.products import matmul
from s2sgrad.shim.promotion import promoted
from s2sgrad.shim.reductions import vector_norm
from s2sgrad.shim.shapes import axis_of, broadcast_tensors
from s2sgrad.shim.tensor import Tensor, new_tensor

__all__ = ["LinAlgError", "cholesky", "cond", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "lstsq", "lu",
           "lu_factor", "lu_solve", "matmul", "matrix_exp", "matrix_norm", "matrix_power", "matrix_rank", "multi_dot",
           "norm", "pinv", "qr", "slogdet", "solve", "solve_triangular", "svd", "svdvals", "vander", "vecdot",
           "vector_norm"]


def operation(name: str, function: Any, operands: str = "a", several: bool = False) -> Operation:
    return Operation(name, function, operands=operands, several=several,
                     node=f"Linalg{name.capitalize()}{'Ex' if name in ('inv', 'solve', 'cholesky') else ''}Backward0")


def symmetric(m: Any) -> Any:
    return (m + m.mT) / 2


RULES[symmetric] = torch_rule("symmetric(m)", symmetric, m="symmetric(g)", names={"symmetric": symmetric})


def of_symmetric(name: str, numpy_function: Any, node: str, several: bool = False) -> Operation:
    """NumPy's functions of symmetric matrices, of which the lower half is read: in PyTorch both halves share the
    cotangent, so that a gradient is symmetric too."""
    rule = RULES[numpy_function]

    def formula(op: Any) -> Any:
        found = rule.partials["a"].source(op)
        parts = [found] if isinstance(found, str) else found
        shared = [part.replace("to_lower(", "symmetric(") for part in parts]
        return shared[0] if isinstance(found, str) else tuple(shared)

    own = replace(rule, name=name, function=lambda a: numpy_function(a), partials={"a": formula},
                  names={**rule.names, "symmetric": symmetric})
    return Operation(name, rule=own, operands="a", several=several, node=node)


def whole_svd(op: Any) -> tuple[str, str, str]:
    """The vectors that the matrix does not determine have no part in it."""
    count, slopes = "y_1.shape[-1]", "g_1" if op.rank("a") == 2 else "g_1[..., None, :]"
    left, right = f"[..., :{count}]", f"[..., :{count}, :]"
    return (f"svd_bar(g_0{left}, y_0{left}, y_1, y_2{right})", f"y_0{left} * {slopes} @ y_2{right}",
            f"svd_bar(g_2{right}.mT, y_2{right}.mT, y_1, y_0{left}.mT).mT")


INV, DET, SOLVE, SLOGDET, SVD, QR = (
    operation("inv", np.linalg.inv), operation("det", np.linalg.det), operation("solve", np.linalg.solve, "a b"),
    operation("slogdet", np.linalg.slogdet, several=True), operation("svd", np.linalg.svd, several=True),
    operation("qr", np.linalg.qr, several=True))
CHOLESKY = of_symmetric("cholesky", np.linalg.cholesky, "LinalgCholeskyExBackward0")
EIGH = of_symmetric("eigh", np.linalg.eigh, "LinalgEighBackward0", True)
EIGVALSH = of_symmetric("eigvalsh", np.linalg.eigvalsh, "LinalgEighBackward0")
WHOLE_SVD = Operation("svd", rule=replace(RULES[np.linalg.svd], function=lambda a: np.linalg.svd(a),
                                          partials={"a": whole_svd}),
                      operands="a", several=True, node="LinalgSvdBackward0")
SVDVALS = Operation("svdvals", np.linalg.svdvals, operands="x", node="LinalgSvdBackward0")
PINV = Operation("pinv", np.linalg.pinv, operands="a", node="LinalgPinvBackward0")
CROSS = Operation("cross", np.linalg.cross, operands="x1 x2", node="LinalgCrossBackward0")

SLOGDETS, PLAIN_SLOGDETS = (return_type(name, "sign", "logabsdet") for name in ("linalg_slogdet", "slogdet"))
EIGHS = return_type("linalg_eigh", "eigenvalues", "eigenvectors")
SVDS, QRS = return_type("linalg_svd", "U", "S", "Vh"), return_type("linalg_qr", "Q", "R")
LSTSQ = return_type("linalg_lstsq", "solution", "residuals", "rank", "singular_values")


def inv(A: Tensor) -> Tensor:
    return INV.run((checked("inv", A),))


def det(A: Tensor) -> Tensor:
    return DET.run((checked("det", A),))


def slogdet(A: Tensor) -> Any:
    return SLOGDETS(*SLOGDET.run((checked("slogdet", A),)))


def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant, NaN where that is negative."""
    sign, found = slogdet(input)
    return where(sign < 0, math.nan, found)  # type: ignore[no-any-return]


def solve(A: Tensor, B: Tensor) -> Tensor:
    checked("solve", A)
    first, second = A._array.shape, B._array.shape
    is_vector = len(second) == 1 or len(first) - 1 == len(second) and second == first[:-1]
    if not is_vector and second[-2] != first[-1] or is_vector and second[-1] != first[-1]:
        raise RuntimeError("linalg.solve: Incompatible shapes of A and B for the equation AX = B "
                           f"({first[-2]}x{first[-1]} and {'x'.join(map(str, second[-2:]))})")
    return SOLVE.run((A, B))


def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    found = CHOLESKY.run((checked("cholesky", A),))
    return found.mT if upper else found  # type: ignore[no-any-return]


def eigh(A: Tensor) -> Any:
    """Eigenvalues and eigenvectors of symmetric matrices, of which the lower half is read."""
    return EIGHS(*EIGH.run((checked("eigh", A),)))


def eigvalsh(A: Tensor) -> Tensor:
    return EIGVALSH.run((checked("eigvalsh", A),))


def svd(A: Tensor, full_matrices: bool = True) -> Any:
    checked("svd", A, False)
    return SVDS(*(WHOLE_SVD.run((A,)) if full_matrices else SVD.run((A,), {"full_matrices": False})))


def svdvals(A: Tensor) -> Tensor:
    """Singular values alone."""
    return SVDVALS.run((checked("svd", A, False),))


def pinv(A: Tensor, *, rtol: float | None = None, hermitian: bool = False) -> Tensor:
    """The pseudo-inverse; singular values count from a share of the largest on."""
    array = checked("pinv", A, False)._array
    if rtol is None:
        rtol = max(array.shape[-2:]) * float(np.finfo(array.dtype).eps)
    return PINV.run((A,), {"rcond": rtol})


def qr(A: Tensor, mode: str = "reduced") -> Any:
    checked("qr", A, False)
    if mode != "reduced":
        raise RuntimeError(f"linalg.qr: mode={mode!r} is not supported: use mode='reduced'")
    return QRS(*QR.run((A,)))


def lstsq(A: Tensor, B: Any) -> Any:
    """The solutions of least squares, by the pseudo-inverse."""
    if A._array.ndim == 2 and B._array.ndim == 1:
        found = lstsq(A, B[:, None])
        left = found.residuals
        return LSTSQ(found.solution[:, 0], left, found.rank, found.singular_values)
    solution = matmul(pinv(A), B)
    rank = matrix_rank(A)
    reached: Any = matmul(A, solution)
    left = (reached - B).square().sum(-2)
    empty = new_tensor(np.zeros(0, A._array.dtype))
    is_determined = A._array.shape[-2] > A._array.shape[-1] and bool((rank._array == A._array.shape[-1]).all())
    return LSTSQ(solution, left if is_determined else empty, rank, empty)


def matrix_rank(A: Tensor, *, tol: float | None = None) -> Tensor:
    return new_tensor(np.asarray(np.linalg.matrix_rank(checked("matrix_rank", A, False)._array, tol)))


def matrix_power(A: Tensor, n: int) -> Tensor:
    """A product of ``n`` equal matrices; of inverse ones where ``n`` is negative."""
    checked("matrix_power", A)
    found, square = None, A if n >= 0 else inv(A)
    n = abs(n)
    while n:
        if n % 2:
            found = square if found is None else matmul(found, square)
        n //= 2
        square = matmul(square, square) if n else square
    if found is None:
        return new_tensor(np.broadcast_to(np.eye(A._array.shape[-1], dtype=A._array.dtype), A._array.shape).copy())
    return found.clone() if found is A else found  # type: ignore[no-any-return]


def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """A product of several matrices, of which the first and last may be vectors."""
    found = tensors[-1]
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    for tensor in reversed(tensors[:-1]):
        found = matmul(tensor, found)
    return found


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """Sums of products along a dimension."""
    return (x * y).sum(dim)  # type: ignore[no-any-return, operator]


def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """The vector product along a dimension of three elements."""
    first, second = broadcast_tensors(*promoted((input, other)))
    axis = axis_of(dim, first._array.ndim)
    if first._array.shape[axis] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got "
                           f"{input._array.shape[dim]} and {other._array.shape[dim]}")
    return CROSS.run((first, second), {"axis": axis})


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    return A.diagonal(offset, dim1, dim2)  # type: ignore[no-any-return]


# ---- norms

def norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The norm of all elements, of vectors along a dimension, or of matrices along two."""
    of_matrices = len(dim) == 2 if isinstance(dim, (tuple, list)) else dim is None and A._array.ndim == 2
    if ord is not None and of_matrices:
        return matrix_norm(A, ord, (0, 1) if dim is None else dim, keepdim)
    return vector_norm(A, 2 if ord in (None, "fro") else ord, dim, keepdim)


def matrix_norm(A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False) -> Tensor:
    """The norm of matrices as maps, by its order; ``"fro"`` is that of their elements, ``"nuc"`` the sum of their
    singular values."""
    rows, columns = (axis_of(item, checked("matrix_norm", A, False)._array.ndim) for item in dim)
    if ord == "fro":
        return vector_norm(A, 2, (rows, columns), keepdim)
    if ord in (1, -1, math.inf, -math.inf):
        along, across = (rows, columns) if abs(ord) == 1 else (columns, rows)
        sums = A.abs().sum(along, True)
        return (sums.amax if ord > 0 else sums.amin)((along, across), keepdim)  # type: ignore[no-any-return]
    if ord not in ("nuc", 2, -2):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    values = svdvals(A.movedim((rows, columns), (-2, -1)))
    found = values.sum(-1) if ord == "nuc" else values.amax(-1) if ord == 2 else values.amin(-1)
    for axis in sorted((rows, columns)) if keepdim else ():
        found = found.unsqueeze(axis)
    return found  # type: ignore[no-any-return]


def cond(A: Tensor, p: Any = None) -> Tensor:
    """How much larger errors may become in systems with a matrix: the product of its norm and its inverse's."""
    if p in (None, 2, -2):
        values = svdvals(A)
        largest, least = values.narrow(-1, 0, 1), values.narrow(-1, values._array.shape[-1] - 1, 1)
        return (least / largest if p == -2 else largest / least).squeeze(-1)  # type: ignore[no-any-return]
    found: Any = matrix_norm(A, p)
    found = found * matrix_norm(inv(checked("cond", A)), p)
    return nan_to_num(found, math.inf, math.inf, -math.inf)


def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """``X`` with ``A @ X == B``, where ``lu_factor`` gave the factors of ``A``."""
    if not left:
        return lu_solve(LU, pivots, B.mT, adjoint=not adjoint).mT  # type: ignore[no-any-return]
    rows = new_tensor(exchanges(pivots._array, LU._array))
    if adjoint:
        inner = solve_triangular(LU.mT, solve_triangular(LU.mT, B, upper=False), upper=True, unitriangular=True)
        return matmul(rows, inner)
    inner = solve_triangular(LU, matmul(rows.mT, B), upper=False, unitriangular=True)
    return solve_triangular(LU, inner, upper=True)


def vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """The powers of each element, from 0 on."""
    count = x._array.shape[-1] if N is None else N
    ones = new_tensor(np.ones((*x._array.shape, 1), x._array.dtype))
    return cat([ones, x.unsqueeze(-1).expand(*x._array.shape, count - 1).cumprod(-1)], -1)


def powers(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    if x._array.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    found = vander(x, N=N)
    return found if increasing else found.flip(-1)  # type: ignore[no-any-return, attr-defined]


for name, function in (("inverse", inv), ("det", det), ("logdet", logdet), ("pinverse", pinv),
                       ("slogdet", lambda input: PLAIN_SLOGDETS(*slogdet(input))), ("matrix_power", matrix_power),
                       ("matrix_exp", matrix_exp)):
    attached(name, function)
    exported(named(lambda input, *more, function=function: function(input, *more), name))
exported(named(powers, "vander"))
exported(named(lambda input, upper=False: cholesky(input, upper=upper), "cholesky"))


def cross_along_first(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The vector product, where nothing is said along the first dimension of three elements."""
    if dim is None:
        dim = next((axis for axis, size in enumerate(input._array.shape) if size == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    return cross(input, other, dim=dim)


both(named(cross_along_first, "cross"))
globals().update({label: refusing(globals()[label], f"linalg_{label}") for label in __all__ if label != "LinAlgError"})
