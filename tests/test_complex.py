"""Complex numbers through the public functions: the convention, ``holomorphic=True``, both modes, dtypes."""
from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sgrad
from s2sgrad import check_grad, grad, hvp, jacfwd, jacobian, jacrev, jvp, value_and_grad, vjp
from s2sgrad.errors import ArgumentTypeError, UnsupportedError

Z = np.array([1.0 + 2.0j, 3.0 - 1.0j, -0.5 - 0.7j])
W = np.array([0.5 - 1.0j, 2.0j, -1.5 + 0.3j])
X = np.array([0.5, -1.0, 2.0])


# ---- the convention: df/dx - i df/dy

def test_the_convention() -> None:
    np.testing.assert_allclose(grad(lambda z: np.sum(np.abs(z) ** 2))(Z), 2 * np.conj(Z))
    np.testing.assert_allclose(grad(lambda z: np.real(np.sum(z * z)))(Z), 2 * Z)
    np.testing.assert_allclose(grad(lambda z: np.imag(np.sum(z)))(Z), np.full(3, -1j))
    np.testing.assert_allclose(grad(lambda z: np.real(np.vdot(z, W)))(Z), np.conj(W))
    np.testing.assert_allclose(grad(lambda z: np.real(np.vdot(W, z)))(Z), np.conj(W))
    np.testing.assert_array_equal(grad(lambda z: np.sum(np.abs(z)))(np.zeros(2, complex)), 0)
    np.testing.assert_allclose(grad(lambda x: np.real(np.sum(np.exp(1j * x))))(X), -np.sin(X))


def test_descent_goes_against_the_conjugate() -> None:
    """A step against the gradient's conjugate lowers a real function: there lies the negative gradient in (x, y)."""
    def loss(z):
        return np.sum(np.abs(z - W) ** 2)

    z = Z
    for _ in range(50):
        z = z - 0.1 * np.conj(grad(loss)(z))
    np.testing.assert_allclose(z, W, atol=1e-4)


def test_a_pullback_is_the_transposed_map() -> None:
    matrix = np.outer(Z, W) + np.eye(3)
    _, pullback = vjp(lambda z: matrix @ z, Z)
    np.testing.assert_allclose(pullback(W)[0], matrix.T @ W)
    np.testing.assert_allclose(pullback(X)[0], matrix.T @ X)  # a real cotangent is a complex one, too
    _, pullback = vjp(np.conj, Z)
    np.testing.assert_allclose(pullback(W)[0], np.conj(W))


FUNCTIONS: dict[str, Callable[[Any], Callable[[Any], Any]]] = {
    "squares": lambda np: lambda z: np.sum(np.abs(z) ** 2),
    "real": lambda np: lambda z: np.real(np.sum(z * z * W)),
    "imag": lambda np: lambda z: np.imag(np.sum(np.exp(z) / z)),
    "conj": lambda np: lambda z: np.real(np.sum(np.conj(z) * z * z)),
    "angle": lambda np: lambda z: np.sum(np.angle(z)),
    "norm": lambda np: lambda z: np.linalg.norm(z),
    "fft": lambda np: lambda z: np.sum(np.abs(np.fft.fft(z) * W) ** 2),
    "ifft": lambda np: lambda z: np.real(np.sum(np.fft.ifft(z * W) ** 3)),
    "fftn": lambda np: lambda z: np.sum(np.abs(np.fft.fftn(np.outer(z, W))) ** 2),
    "powers": lambda np: lambda z: np.real(np.sum(z ** 2.5 + 2.0 ** z + np.sqrt(z))),
    "functions": lambda np: lambda z: np.real(np.sum(np.sin(z) * np.cosh(z) + np.tanh(z) - np.log(z))),
    "products": lambda np: lambda z: np.abs(np.dot(z, W)) + np.real(np.sum(np.outer(z, z) @ W)),
    "solve": lambda np: lambda z: np.real(np.sum(np.linalg.solve(np.outer(z, W) + 2 * np.eye(3), z))),
    "inverse": lambda np: lambda z: np.real(np.sum(np.linalg.inv(np.outer(z, z) + 2 * np.eye(3)))),
    "einsum": lambda np: lambda z: np.real(np.einsum("i,j,ij->", z, np.conj(z), np.outer(W, W))),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_are_those_of_autograd(name: str) -> None:
    autograd = pytest.importorskip("autograd", reason="HIPS autograd is compared with only where it is installed")
    anp = pytest.importorskip("autograd.numpy", reason="HIPS autograd is compared with only where it is installed")
    for argument in (Z, X + 0.1j):
        found = grad(FUNCTIONS[name](np))(argument)
        np.testing.assert_allclose(found, autograd.grad(FUNCTIONS[name](anp))(argument), rtol=1e-10)
        check_grad(FUNCTIONS[name](np), argument)


# ---- holomorphic functions

def cubes(z):
    total = 0.0
    for item in z:
        total = total + item ** 3
    return total


def test_complex_derivatives() -> None:
    np.testing.assert_allclose(grad(cubes, holomorphic=True)(Z), 3 * Z ** 2)
    value, derivative = value_and_grad(np.exp, holomorphic=True)(0.3 + 0.4j)
    assert value == derivative == np.exp(0.3 + 0.4j)
    assert isinstance(grad(lambda z: z + 1.0, holomorphic=True)(1j), complex)
    (found, aux) = grad(lambda z: (cubes(z), z), has_aux=True, holomorphic=True)(Z)
    np.testing.assert_allclose(found, 3 * Z ** 2)
    np.testing.assert_array_equal(aux, Z)
    second = grad(lambda z: grad(lambda w: w ** 3, holomorphic=True)(z), holomorphic=True)
    np.testing.assert_allclose(second(0.5 + 1j), 6 * (0.5 + 1j))


def test_a_complex_result_without_it_is_refused() -> None:
    for function in (cubes, lambda z: np.sum(z), lambda z: z[0]):
        with pytest.raises(TypeError, match=r"np.real or np.abs of it, or pass holomorphic=True"):
            grad(function)(Z)
    with pytest.raises(TypeError, match=r"np.real or np.abs"):
        grad(lambda x: np.sum(x * 1j))(X)
    with pytest.raises(TypeError, match="takes|np.real or np.abs"):
        grad(lambda z: (z[0], 1.0), has_aux=True)(Z)


def sometimes_complex(x):
    y = x
    if x > 0.0:
        y = x * 1j
    return y


def test_a_result_that_may_be_complex() -> None:
    assert grad(sometimes_complex)(-2.0) == 1.0
    with pytest.raises(TypeError, match="holomorphic=True"):
        grad(sometimes_complex)(2.0)


def test_what_is_holomorphic_is_complex_throughout() -> None:
    for argument in (0.5, X, [Z, X], {"z": Z, "x": 0.5}):
        with pytest.raises(ArgumentTypeError, match="holomorphic=True is for complex arguments"):
            grad(lambda z: cubes(Z), holomorphic=True)(argument)
    with pytest.raises(ArgumentTypeError, match="holomorphic=True is for complex results"):
        grad(lambda z: np.sum(np.abs(z)), holomorphic=True)(Z)
    with pytest.raises(UnsupportedError, match="in what may be real"):
        grad(lambda x: np.real(grad(lambda w: w * w * 1j, holomorphic=True)(x)))(0.5)


def test_jacobians() -> None:
    def squares(z):
        return z * z[::-1]

    for transform in (jacfwd, jacrev, jacobian):
        expected = np.diag(Z[::-1]) + np.fliplr(np.diag(Z))
        np.testing.assert_allclose(transform(squares, holomorphic=True)(Z), expected)
        with pytest.raises(ArgumentTypeError, match="holomorphic"):
            transform(squares)(Z)
        with pytest.raises(ArgumentTypeError, match="holomorphic"):
            transform(squares, holomorphic=True)(X)
    # where one side is real, the Jacobian is a complex matrix in one mode
    np.testing.assert_allclose(jacfwd(lambda x: np.exp(1j * x))(X), np.diag(1j * np.exp(1j * X)))
    np.testing.assert_allclose(jacrev(np.abs)(Z), np.diag(np.conj(Z) / np.abs(Z)))


# ---- forwards

def test_tangents() -> None:
    value, tangent = jvp(lambda z, x: (np.abs(z) * x, z * x), (Z, X), (W, None))
    np.testing.assert_allclose(tangent[0], np.real(np.conj(Z) / np.abs(Z) * W) * X)
    np.testing.assert_allclose(tangent[1], W * X)
    assert tangent[0].dtype == np.float64 and tangent[1].dtype == np.complex128
    _, tangent = jvp(lambda z: np.sum(z * z), (Z,), (X,))  # a real direction
    np.testing.assert_allclose(tangent, 2 * Z @ X)
    assert jvp(sometimes_complex, (-2.0,), (3.0,))[1] == 3.0
    with pytest.raises(ArgumentTypeError, match="pass real numbers"):
        jvp(np.exp, (X,), (W,))
    with pytest.raises(ArgumentTypeError, match="pass real numbers"):
        vjp(np.abs, Z)[1](W)


def test_second_derivatives() -> None:
    def loss(z):
        return np.sum(np.abs(z) ** 4)

    product = hvp(loss)(Z, W)
    step = 1e-6
    expected = (grad(loss)(Z + step * W) - grad(loss)(Z - step * W)) / (2 * step)
    np.testing.assert_allclose(product, expected, rtol=1e-7)
    check_grad(lambda z: np.sum(np.abs(grad(loss)(z)) ** 2), Z)


# ---- dtypes

@pytest.mark.parametrize("kind", [np.complex64, np.complex128])
def test_dtypes(kind: type) -> None:
    real = kind(0).real.dtype
    z, x = Z.astype(kind), X.astype(real)
    first, second = grad(lambda z, x: np.sum(np.abs(np.fft.fft(z * x))), argnums=(0, 1))(z, x)
    assert first.dtype == kind and second.dtype == real
    (found,) = vjp(lambda x: np.fft.irfft(np.fft.rfft(x) * kind(2j)), x[:2])[1](x[:2])
    assert found.dtype == real
    assert type(grad(lambda c: np.abs(c))(kind(1 + 2j))) is kind
    assert isinstance(grad(abs)(1 + 2j), complex)


def test_complex_stored_in_real_arrays_is_what_numpy_makes_of_it() -> None:
    def discarding(z):
        u = np.zeros(3)
        u[:] = z * z
        return np.sum(u ** 2)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        check_grad(discarding, Z)

    def refusing(z):
        u = np.zeros(3)
        u[0] = z
        return np.sum(u)

    for call in (refusing, grad(refusing)):
        with pytest.raises(TypeError):
            call(1j)


# ---- rules of one's own

def twisted(z):
    return z * np.exp(1j)


def test_own_rules() -> None:
    s2sgrad.rule(twisted, z="g * np.exp(1j)")
    with pytest.raises(UnsupportedError, match="twisted has no derivative rule for complex numbers"):
        grad(lambda z: np.real(np.sum(twisted(z))))(Z)
    s2sgrad.rule(twisted, z="g * np.exp(1j)", complex=True)
    check_grad(lambda z: np.real(np.sum(twisted(z) * z)), Z)


@pytest.mark.parametrize("function", [
    lambda z: np.sum(np.abs(z) ** 2), lambda z: np.real(np.sum(z ** 3)), lambda z: z * np.conj(z) * 1j,
    lambda z: np.fft.fft(z * z), np.angle,
])
def test_check_grads(function: Callable[[Any], Any]) -> None:
    s2sgrad.check_grads(function, (Z,))


def test_steering() -> None:
    def inner(z):
        return np.exp(z) * z

    kept = s2sgrad.checkpoint(inner)
    check_grad(lambda z: np.real(np.sum(kept(z))), Z)
    np.testing.assert_allclose(grad(lambda z: np.real(np.sum(s2sgrad.stop_gradient(z) * z)))(Z), Z)


# ---- numbers of which nothing is known


@pytest.mark.parametrize("function", [
    lambda x: np.var(x * np.roots([1.0, 2.0, 3.0, -1.0])),
    lambda x: np.sum(np.abs(np.cumsum(np.roots([1.0, 2.0, 3.0, -1.0]) * x))),
    lambda x: np.real(np.abs(np.median(x * np.fromiter(W, complex))) * 1j + np.sum(x * 1j)),
])
def test_complex_numbers_of_which_nothing_was_known(function: Callable[[Any], Any]) -> None:
    """They are found out when the adjoint runs, for there is more to do for them than was done."""
    with pytest.raises(UnsupportedError, match="that were not known to be complex"):
        grad(function)(X)


def test_tangents_beside_complex_numbers_of_which_nothing_was_known() -> None:
    with pytest.raises(UnsupportedError, match="that were not known to be complex"):
        jvp(lambda x: np.median(x * np.roots([1.0, 2.0, 3.0, -1.0])), (X,), (X,))
    _, tangent = jvp(lambda x: np.sum(np.abs(np.roots([1.0, 2.0, 3.0, -1.0]) * x)), (X,), (X,))
    np.testing.assert_allclose(tangent, np.sum(np.abs(np.roots([1.0, 2.0, 3.0, -1.0]) * X)))


def test_tangents_of_complex_values_with_real_powers() -> None:
    value, tangent = jvp(lambda x: x ** 0.5 * np.exp(1j * x), (0.7,), (1.0,))
    np.testing.assert_allclose(tangent, value * (0.5 / 0.7 + 1j))
