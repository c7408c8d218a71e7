"""Products and linear systems with SciPy's sparse matrices, which are constants, and what is refused of them."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sgrad
from s2sgrad.errors import UnsupportedError

sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")

A = sparse.random(4, 3, density=0.6, random_state=1, format="csr")
B = sparse.csr_array(np.random.default_rng(0).random((3, 3)))
L = sparse.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(3, 3)).tocsc()
K = sparse.diags([3.0, -1.0, -1.0], [0, 1, -1], shape=(3, 3)).tocsc()
SQUARES = sparse.csr_matrix(np.eye(3))
COMPLEX = sparse.csr_matrix(np.eye(3) * 1j)
X = np.arange(3.0) + 1.0
COLUMNS = np.random.default_rng(1).random((3, 2))


def vector(x):
    return np.sum((A @ x) ** 2) + np.sum(A.dot(x)) + np.sum((L * x) ** 2)


def columns(m):
    return np.sum((A @ m) ** 2) + np.sum((B @ m) ** 3) + np.sum((m.T @ B) ** 2)


def from_the_right(x):
    return np.sum((x @ B) ** 2) + np.sum((x @ L) ** 3) + x @ A.T @ A @ x


def steps(x):
    u = x
    for _ in range(5):
        u = u + 0.1 * (L @ u)
        u[0] = 1.0
    return np.sum(u ** 2)


def made_inside(x):
    d = sparse.diags([2.0, 3.0, 4.0])
    return np.sum((d @ x) ** 2) + np.sum((2 * L + sparse.eye(3)) @ x)


def dense_parts(x):
    total = SQUARES.sum() * x[0] + SQUARES.nnz * x[1] + SQUARES.shape[0] * x[2]
    return total + np.sum(SQUARES.toarray() * np.outer(x, x)) + np.sum(SQUARES.data * x ** 2) \
        + np.sum(np.asarray(SQUARES.sum(axis=0)) * x)


def systems(x):
    u = x
    for _ in range(3):
        u = linalg.spsolve(K, u + 0.1 * x)
    return np.sum(u ** 2)


def systems_of_columns(m):
    return np.sum(linalg.spsolve(K, m) ** 2) + np.sum(linalg.spsolve(K, m[:, :1]) ** 3)


@pytest.mark.parametrize(("function", "argument"), [
    (vector, X), (columns, COLUMNS), (from_the_right, X), (steps, X), (made_inside, X), (dense_parts, X), (systems, X),
    (systems_of_columns, COLUMNS)], ids=lambda value: getattr(value, "__name__", ""))
def test_products_and_systems(function: Callable[..., float], argument: Any) -> None:
    value = s2sgrad.value_and_grad(function)(argument.copy())[0]
    assert value == function(argument.copy())
    s2sgrad.check_grads(function, (argument,), order=2)


def test_as_an_argument() -> None:
    def f(x, matrix):
        return np.sum((matrix @ x) ** 2) + x @ (matrix.T @ x)

    s2sgrad.check_grad(f, X, L, argnums=0)


@pytest.mark.parametrize("function", [
    lambda x: np.sum(SQUARES.todense() * np.outer(x, x)),
    lambda x: np.sum((B * x) ** 2),
    lambda x: np.sum(SQUARES[0] * x),
    lambda x: np.sum(SQUARES.multiply(2.0) + np.outer(x, x)),
    lambda x: np.sum(SQUARES.sum(axis=0) * x),
    lambda x: np.sum((SQUARES.todense() ** 2) * np.outer(x, x)),
], ids=["dense matrix", "elementwise", "row", "method", "matrix of sums", "power of a matrix"])
def test_other_arithmetic_is_refused(function: Callable[..., float]) -> None:
    with pytest.raises(UnsupportedError, match="what arithmetic does with a"):
        s2sgrad.grad(function)(X)


def test_complex_ones_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="of a sparse matrix of complex numbers"):
        s2sgrad.grad(lambda x: np.sum(np.abs(COMPLEX @ x)))(X)


def test_a_method_without_a_rule_is_named_with_its_class() -> None:
    def scaled(x):
        return A.multiply(x).sum()

    with pytest.raises(UnsupportedError, match="csr_matrix.multiply has no derivative rule: do the same with NumPy's"):
        s2sgrad.grad(scaled)(X)
