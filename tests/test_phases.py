"""The phases of complex eigenvectors and singular vectors: those that LAPACK gives them, or leaves open."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sgrad import check_grad, check_grads, grad, hvp, jacfwd, jacrev, jvp
from s2sgrad.errors import UnsupportedError

RNG = np.random.default_rng(3)
OPEN = "phases of complex vectors, which LAPACK leaves open here"


def complex_normal(*shape: int) -> Any:
    return RNG.normal(size=shape) + 1j * RNG.normal(size=shape)


A, B, T = (complex_normal(3, 3) for _ in range(3))
WIDE = complex_normal(2, 3)
X = RNG.normal(size=18)


def from_reals(x: Any) -> Any:
    return (x[:9] + 1j * x[9:]).reshape(3, 3)


VECTORS: dict[str, Callable[[Any], Any]] = {
    "eigh": lambda a: np.linalg.eigh(a)[1],
    "eigh of the upper triangle": lambda a: np.linalg.eigh(a, UPLO="U")[1],
    "left": lambda a: np.linalg.svd(a, full_matrices=False)[0],
    "right": lambda a: np.linalg.svd(a)[2],
    "right, of a Hermitian matrix": lambda a: np.linalg.svd(a, hermitian=True)[2],
    "eig": lambda a: np.linalg.eig(a)[1],
}


@pytest.mark.parametrize("size", [1, 2, 5, 40])
def test_which_elements_lapack_makes_real(size: int) -> None:
    """Should a library differ, nothing is wrong, for this is asked at run time; but much is refused then."""
    a = complex_normal(size, size)
    tall = complex_normal(3 * size, size)
    assert not np.any(np.linalg.eigh(a)[1][0].imag)
    assert not np.any(np.linalg.eigh(a, "U")[1][-1].imag)
    for wide in (a, tall):
        assert not np.any(np.linalg.svd(wide, full_matrices=False)[2][:, 0].imag)
    np.testing.assert_allclose(np.linalg.svd(tall.T, full_matrices=False)[0][0].imag, 0, atol=1e-14)
    vectors = np.linalg.eig(a)[1]
    assert not np.any(np.take_along_axis(vectors, np.argmax(np.abs(vectors), axis=0)[None], axis=0).imag)


@pytest.mark.parametrize("name", VECTORS)
def test_both_modes(name: str) -> None:
    vectors = VECTORS[name]

    def mixed(a):
        return np.real((1.0 - 2j) * vectors(a)).sum()

    def parts(x):
        return np.real((1.0 - 2j) * vectors(from_reals(x)))

    np.testing.assert_allclose(jacfwd(parts)(X), jacrev(parts)(X), atol=1e-12)
    single = A.astype(np.complex64)
    gradient, tangent = grad(mixed)(single), jvp(vectors, (single,), (single,))[1]
    assert gradient.dtype == tangent.dtype == np.complex64
    np.testing.assert_allclose(gradient, grad(mixed)(A), rtol=2e-3, atol=2e-3)
    for empty in (np.zeros((0, 0), complex), np.zeros((0, 2, 2), complex)):
        assert grad(mixed)(empty).shape == jvp(vectors, (empty,), (empty,))[1].shape == empty.shape


def test_second_derivatives_of_eigenvectors() -> None:
    check_grads(lambda a: np.real(np.linalg.eig(a)[1] @ T).sum(), (A + 4.0 * np.diag([1.0, 2j, -1.0]),), order=2)


def projected(a):
    """Of the two lowest vectors, which nothing turns out of their space."""
    _, vectors = np.linalg.eigh(a)
    return np.real(np.conj(T[0]) @ vectors[:, :2] @ np.conj(vectors[:, :2].T) @ T[0])


def low_rank(a):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return np.abs((u[:, :1] * s[:1]) @ vh[:1] - T).sum()


def ratio(a):
    """Its vectors have two elements of one size."""
    _, vectors = np.linalg.eig(a)
    return np.sum(np.abs(vectors[1] / vectors[0] - 2.0 - 1j))


OPEN_PHASES = {
    "diagonal": (projected, np.diag([1.0, 2.0, 4.0]) + 0j, lambda a: np.linalg.eigh(a)[1]),
    "blocks": (low_rank, np.array([[5j, 0.0, 0.0], [0.0, 1.0, 2.0 + 1j], [0.0, 0.5j, 1.0]]),
               lambda a: np.linalg.svd(a)[0]),
    "equal sizes": (ratio, np.array([[2.0, 1.0], [1.0, 2.0]]) + 0j, lambda a: np.linalg.eig(a)[1]),
}


@pytest.mark.parametrize("name", OPEN_PHASES)
def test_phases_that_are_left_open(name: str) -> None:
    """Of what does not depend on them there are gradients; all else is refused, as forward mode does not know."""
    function, a, vectors = OPEN_PHASES[name]
    check_grad(function, a)
    direction = complex_normal(*a.shape)
    for refused in (lambda: grad(lambda a: np.real(vectors(a) * np.conj(direction)).sum())(a),
                    lambda: jvp(vectors, (a,), (direction,)), lambda: hvp(function)(a, direction),
                    lambda: grad(lambda a: np.sum(np.abs(grad(function)(a) * direction) ** 2))(a)):
        with pytest.raises(UnsupportedError, match=OPEN):
            refused()
    if name != "blocks":  # what is all real remains so along what is real
        np.testing.assert_allclose(jvp(function, (a,), (direction.real + 0j,))[1],
                                   np.real(np.sum(grad(function)(a) * direction.real)), atol=1e-12)


def test_what_is_made_of_values_asks_for_no_phases() -> None:
    turn = np.array([[0.5, 2.0], [-1.0, 0.5]]) + 0j

    def of_vectors_too(a):
        return np.sum(np.abs(np.linalg.eig(a)[0]) ** 3)

    def alone(a):
        return np.sum(np.abs(np.linalg.eigvals(a)) ** 3)

    direction = A[:2, :2]
    np.testing.assert_allclose(grad(of_vectors_too)(turn), grad(alone)(turn))
    np.testing.assert_allclose(hvp(of_vectors_too)(turn, direction), hvp(alone)(turn, direction))
    check_grad(lambda x: of_vectors_too(turn + x * direction), 0.3)
    check_grad(grad(grad(lambda x: alone(turn + x * direction))), 0.3)


def test_of_two_matrices() -> None:
    """The lower triangles leave the phases open."""
    linalg = pytest.importorskip("scipy.linalg")
    second = B @ np.conj(B.T) + np.eye(3)

    def lower(a, b):
        values, vectors = linalg.eigh(a, b)
        return np.abs(T[0] @ vectors) @ values

    def upper(a, b):
        return np.real(linalg.eigh(a, b, lower=False)[1] * T).sum()

    check_grad(lower, A, second, argnums=(0, 1))
    check_grad(upper, A, second, argnums=(0, 1))
    with pytest.raises(UnsupportedError, match=OPEN):
        grad(lambda a: np.imag(linalg.eigh(a, second)[1]).sum())(A)
    with pytest.raises(UnsupportedError, match="their lower triangles leave open: use lower=False"):
        jvp(lambda a: linalg.eigh(a, second)[1], (A,), (T,))


def test_a_real_matrix_that_turns() -> None:
    """Before NumPy 2.5 nobody knows before that its eigenvalues are complex."""
    turning = np.array([[0.5, 2.0, 0.3], [-1.0, 0.5, 0.1], [0.2, 0.4, 3.0]])

    def function(a):
        values, vectors = np.linalg.eig(a)
        return np.abs(values @ vectors @ T[0]) ** 2

    if np.lib.NumpyVersion(np.__version__) >= "2.5.0":
        check_grads(function, (turning,), order=2)
    else:
        with pytest.raises(UnsupportedError, match="some eigenvalues of a real matrix are complex here"):
            grad(function)(turning)


def on_a_grid(p):
    x, dx = np.linspace(1.0, 2.0, 3, retstep=True)
    vectors = np.linalg.eigh(np.diag(p[0] * x) + p[1])[1]
    return np.sum(vectors[:, 0] ** 2 * x) / dx


def test_real_matrices_that_may_be_complex_for_all_that_is_known() -> None:
    """Second derivatives of their vectors stay real."""
    check_grads(on_a_grid, (np.array([0.5, 0.1]),), order=2)
    assert hvp(on_a_grid)(np.array([0.5, 0.1]), np.ones(2)).dtype == float
