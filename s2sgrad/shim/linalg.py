"""Linear algebra: what ``torch.linalg`` has."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from s2sgrad.shim.dtypes import of_numpy
from s2sgrad.shim.names import attached, exported
from s2sgrad.shim.operations import Operation
from s2sgrad.shim.operations import _LinAlgError as LinAlgError
from s2sgrad.shim.products import matmul
from s2sgrad.shim.reductions import vector_norm
from s2sgrad.shim.tensor import Tensor

__all__ = ["LinAlgError", "cholesky", "det", "eigh", "eigvalsh", "inv", "matmul", "norm", "qr", "slogdet", "solve",
           "svd", "vector_norm"]


def operation(name: str, function: Any, operands: str = "a", several: bool = False) -> Operation:
    return Operation(name, function, operands=operands, several=several,
                     node=f"Linalg{name.capitalize()}{'Ex' if name in ('inv', 'solve', 'cholesky') else ''}Backward0")


INV, DET, SOLVE, CHOLESKY, SLOGDET, EIGH, EIGVALSH, SVD, QR = (
    operation("inv", np.linalg.inv), operation("det", np.linalg.det), operation("solve", np.linalg.solve, "a b"),
    operation("cholesky", np.linalg.cholesky), operation("slogdet", np.linalg.slogdet, several=True),
    operation("eigh", np.linalg.eigh, several=True),
    Operation("eigvalsh", np.linalg.eigvalsh, node="LinalgEighBackward0"),
    operation("svd", np.linalg.svd, several=True), operation("qr", np.linalg.qr, several=True))


class Slogdet(NamedTuple):
    sign: Any
    logabsdet: Any


class Eigh(NamedTuple):
    eigenvalues: Any
    eigenvectors: Any


class Svd(NamedTuple):
    U: Any
    S: Any
    Vh: Any


class Qr(NamedTuple):
    Q: Any
    R: Any


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


def inv(A: Tensor) -> Tensor:
    return INV.run((checked("inv", A),))


def det(A: Tensor) -> Tensor:
    return DET.run((checked("det", A),))


def slogdet(A: Tensor) -> Slogdet:
    return Slogdet(*SLOGDET.run((checked("slogdet", A),)))


def solve(A: Tensor, B: Tensor) -> Tensor:
    return SOLVE.run((checked("solve", A), B))


def cholesky(A: Tensor) -> Tensor:
    return CHOLESKY.run((checked("cholesky", A),))


def eigh(A: Tensor) -> Eigh:
    """Eigenvalues and eigenvectors of symmetric matrices, of which the lower half is read."""
    return Eigh(*EIGH.run((checked("eigh", A),)))


def eigvalsh(A: Tensor) -> Tensor:
    return EIGVALSH.run((checked("eigvalsh", A),))


def svd(A: Tensor, full_matrices: bool = True) -> Svd:
    return Svd(*SVD.run((checked("svd", A, False),), {"full_matrices": full_matrices}))


def qr(A: Tensor) -> Qr:
    return Qr(*QR.run((checked("qr", A, False),)))


def norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The norm of all elements, or of vectors along a dimension."""
    if ord is not None and ord != "fro" and (dim is None and A._array.ndim == 2 or isinstance(dim, tuple)):
        raise RuntimeError(f"the matrix norm of order {ord} is not supported: use 'fro', or dim= for vectors")
    return vector_norm(A, 2 if ord in (None, "fro") else ord, dim, keepdim)


for name, function in (("inverse", inv), ("det", det), ("slogdet", slogdet)):
    attached(name, function)
exported(det)
exported(slogdet)
