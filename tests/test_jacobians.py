"""Jacobians, Hessians and their products: against formulas, each other, and the judge."""
from __future__ import annotations

import math
import queue

import numpy as np
import pytest

from s2sgrad import (
    custom_rule,
    elementwise_grad,
    gauss_newton_product,
    grad,
    hessian,
    hessian_diagonal,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
)
from s2sgrad.errors import ArgumentTypeError
from s2sgrad.judge import numerical_gradient

RNG = np.random.default_rng(5)
X = RNG.normal(size=4)
A = RNG.normal(size=(3, 4))


def affine(x, a):
    return np.tanh(a @ x)


def with_control_flow(x, steps):
    u = np.zeros((2, len(x)))
    for step in range(steps):
        if x[0] > step:
            u[0] += x ** 2
        else:
            u[1, 1:] = x[:-1] * u[0, 1:] + np.sin(x[1:])
    return u


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_hessian(x):
    diagonal = np.zeros(len(x))
    diagonal[:-1] = 1200.0 * x[:-1] ** 2 - 400.0 * x[1:] + 2.0
    diagonal[1:] += 200.0
    return np.diag(diagonal) + np.diag(-400.0 * x[:-1], 1) + np.diag(-400.0 * x[:-1], -1)


def bilinear(m, x):
    return np.sum(np.exp(m @ x) * (m @ x))


def curved(x):
    total = x[0]
    for value in x:
        if value > 0:
            total = total * np.sin(value) + value ** 3
        else:
            total = total - value ** 2 * x[-1]
    for value in reversed(x * x):
        total = total * 0.5 + value
    return total


def by_judge(function, args, argnum=0):
    """The Jacobian, an element of the result after the other."""
    value = np.asarray(function(*args))
    rows = [numerical_gradient(lambda *a, i=i: np.asarray(function(*a))[i], args, argnum, 1.0).value
            for i in np.ndindex(value.shape)]
    return np.reshape(rows, (*value.shape, *np.shape(args[argnum])))


@pytest.mark.parametrize("make", [jacfwd, jacrev, jacobian])
@pytest.mark.parametrize(("function", "args", "argnum"), [
    (affine, (X, A), 0), (affine, (X, A), 1), (affine, (X, A), -1), (with_control_flow, (X, 3), 0),
    (rosenbrock, (X,), 0), (lambda t: np.array([t, t ** 2, math.sin(t)]), (0.7,), 0), (lambda t: t ** 3, (0.7,), 0),
])
def test_jacobians(make, function, args, argnum) -> None:
    found = make(function, argnum)(*args)
    expected = by_judge(function, args, argnum % len(args))
    assert np.shape(found) == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("make", [jacfwd, jacrev, jacobian])
def test_nothing_to_differentiate(make) -> None:
    assert make(lambda x: x * 2.0)(np.zeros(0)).shape == (0, 0)
    assert make(lambda x: np.sum(x) * np.ones(2))(np.zeros((0, 3))).shape == (2, 0, 3)


def test_of_nothing_in_single_precision() -> None:
    for make, x in ((jacrev, np.ones(3, np.float32)), (jacfwd, np.ones(0, np.float32))):
        found = make(lambda x: x[3:] * 2.0)(x)
        assert found.dtype == np.float32 and found.shape == (0, len(x))


def test_the_cheaper_mode_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    from s2sgrad import by_elements, jacobians
    taken = []
    for module, name in ((by_elements, "sweep_forwards"), (jacobians, "sweep_backwards")):
        plain = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, n=name, p=plain, **k: (taken.append(n), p(*a, **k))[1])
    jacobian(lambda x: np.outer(x, x))(X)
    assert set(taken) == {"sweep_forwards"}
    taken.clear()
    jacobian(rosenbrock)(X)
    assert not taken  # there is one cotangent


def test_hessians() -> None:
    np.testing.assert_allclose(hessian(rosenbrock)(X), rosenbrock_hessian(X), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(hessian_diagonal(rosenbrock)(X), np.diag(rosenbrock_hessian(X)), rtol=1e-10)
    v = RNG.normal(size=4)
    np.testing.assert_allclose(hvp(rosenbrock)(X, v), rosenbrock_hessian(X) @ v, rtol=1e-10)


@pytest.mark.parametrize(("function", "args", "argnum"), [
    (bilinear, (A, X), 0), (bilinear, (A, X), 1), (curved, (X,), 0)])
def test_hessians_by_the_judge(function, args, argnum) -> None:
    found = hessian(function, argnum)(*args)
    expected = by_judge(grad(function, argnum), args, argnum)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)
    shape = np.shape(args[argnum])
    v = RNG.normal(size=shape)
    product = np.tensordot(expected, v, len(shape))
    np.testing.assert_allclose(hvp(function, argnum)(*args, v), product, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(jacrev(grad(function, argnum), argnum)(*args), found, rtol=1e-10, atol=1e-12)


def test_a_diagonal_without_tangents() -> None:
    cube = custom_rule(reverse=lambda g, y, x: 3.0 * g * x ** 2)(lambda x: x ** 3)
    found = hessian_diagonal(lambda x: np.sum(cube(x)) * x[0])(X)
    np.testing.assert_allclose(found, 6 * X * X[0] + np.array([6 * X[0] ** 2, 0, 0, 0]), rtol=1e-12)


def test_of_a_number() -> None:
    assert hessian(lambda t: t ** 4)(2.0) == pytest.approx(48.0)
    assert hvp(lambda t: t ** 4)(2.0, 0.5) == pytest.approx(24.0)
    assert hessian_diagonal(lambda t: t ** 4)(2.0) == pytest.approx(48.0)


def test_elementwise() -> None:
    np.testing.assert_allclose(elementwise_grad(np.tanh)(A), 1 - np.tanh(A) ** 2)
    second = elementwise_grad(elementwise_grad(lambda x: x ** 3))
    np.testing.assert_allclose(second(A), 6 * A)
    assert elementwise_grad(lambda t: t ** 3)(2.0) == 12.0
    third = elementwise_grad(lambda x, k: x ** k, 0)
    np.testing.assert_allclose(third(A ** 2, 3), 3 * A ** 4)


def test_gauss_newton() -> None:
    j = jacobian(affine)(X, A)
    v = RNG.normal(size=4)
    np.testing.assert_allclose(gauss_newton_product(affine)(X, A, v), j.T @ (j @ v), rtol=1e-10)

    def loss(y):
        return np.sum(np.exp(y))

    h = np.diag(np.exp(affine(X, A)))
    np.testing.assert_allclose(gauss_newton_product(affine, loss)(X, A, v), j.T @ h @ (j @ v), rtol=1e-10)


def test_containers_have_hessian_products() -> None:
    def energy(params, x):
        return np.sum(np.tanh(params["w"] * x + params["b"]) ** 2)

    params = {"w": A[0].copy(), "b": 0.3}
    vector = {"w": RNG.normal(size=4), "b": 0.5}
    product = hvp(energy)(params, X, vector)

    def flat(theta):
        return energy({"w": theta[:4], "b": theta[4]}, X)

    expected = hessian(flat)(np.append(params["w"], params["b"])) @ np.append(vector["w"], vector["b"])
    np.testing.assert_allclose(np.append(product["w"], product["b"]), expected, rtol=1e-9)


def test_arguments_are_left_alone() -> None:
    def writes(x):
        x *= 2.0
        return np.sum(x ** 3)

    for make in (jacfwd, jacrev, jacobian):
        x = X.copy()
        np.testing.assert_allclose(make(writes)(x), 24.0 * X ** 2)
        np.testing.assert_array_equal(x, X)


def test_single_precision_stays() -> None:
    x = X.astype(np.float32)
    for found in (jacobian(np.sin)(x), hvp(rosenbrock)(x, x), hessian_diagonal(rosenbrock)(x)):
        assert found.dtype == np.float32


@pytest.mark.parametrize("make", [jacfwd, jacrev, jacobian, hessian, hvp, hessian_diagonal, gauss_newton_product])
def test_argnums_is_one_number(make) -> None:
    with pytest.raises(ArgumentTypeError, match="argnums"):
        make(rosenbrock, argnums=(0,))


@pytest.mark.parametrize("make", [jacfwd, jacrev, jacobian, hessian, hvp, hessian_diagonal, elementwise_grad])
def test_mistakes(make) -> None:
    with pytest.raises(ArgumentTypeError, match="can't be differentiated"):
        make(3)


def test_several_results_have_no_jacobian() -> None:
    for make in (jacfwd, jacrev, jacobian):
        with pytest.raises(ArgumentTypeError, match="returned a tuple, and a Jacobian is of one array"):
            make(lambda x: (x, x))(X)


def with_options(x, k=2.0, *, s=1.0):
    return np.sum(x ** 3) * k * s


def test_arguments_by_name() -> None:
    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(hessian(cubes_times)(x, k=3.0), np.diag(18 * x))
    np.testing.assert_allclose(jacobian(cubes_times)(x=x, k=1.0), 3 * x**2)
    np.testing.assert_allclose(hvp(cubes_times)(x, x, k=1.0), 6 * x**2)
    with pytest.raises(ArgumentTypeError, match="s can be given by name only"):
        hessian(with_options)(x, s=2.0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'q'"):
        hessian(with_options)(x, q=2.0)


def cubes_times(x, k=2.0):
    return np.sum(x ** 3) * k


def test_what_a_run_uses_up_or_changes_unseen() -> None:
    def scaled(x, given):
        return x ** 2 * sum(given)

    def queued(x, waiting):
        waiting.put(1)
        return x ** 2 * waiting.qsize()

    for derivative in (jacfwd, jacrev, jacobian):
        with pytest.raises(ArgumentTypeError, match="given of scaled is or holds a generator, which can be"):
            derivative(scaled)(X, (v for v in (1.0, 2.0)))
        waiting: queue.Queue = queue.Queue()
        np.testing.assert_allclose(derivative(queued)(X, waiting), np.diag(2.0 * X))
        assert waiting.qsize() == 1


NOTES: list[str] = []


class Noting:
    """Its methods are called without being named."""

    def __enter__(self) -> None:
        NOTES.append("in")

    def __exit__(self, *_) -> None:
        NOTES.append("out")

    def __getitem__(self, place):
        NOTES.append("read")
        return 2.0

    @property
    def scale(self):
        NOTES.append("asked")
        return 2.0


NOTED = Noting()


def managed(x):
    with Noting():
        return 2.0 * x


def managed_outside(x):
    with NOTED:
        return 2.0 * x


def read_outside(x):
    return NOTED[0] * x


def asked_outside(x):
    return NOTED.scale * x


@pytest.mark.parametrize("function", [managed, managed_outside, read_outside, asked_outside])
def test_methods_that_python_calls_run_once(function) -> None:
    function(X)
    expected = NOTES.copy()
    for derivative in (jacfwd, jacrev, jacobian):
        NOTES.clear()
        np.testing.assert_allclose(derivative(function)(X), 2.0 * np.eye(len(X)))
        assert expected == NOTES
    NOTES.clear()
