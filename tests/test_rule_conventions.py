"""What the rules do where functions are not smooth, what people will read, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from rule_calls import FACTS, Call, scipy
from rule_kinks import KINKS, SCIPY_KINKS

from s2sgrad import check_grad, check_grads, grad, hessian, hvp, jvp, value_and_grad, vjp
from s2sgrad.errors import UnsupportedError

nan, inf = math.nan, math.inf

# ---- where functions are not smooth

@pytest.mark.parametrize("facts", FACTS)
@pytest.mark.parametrize("text", KINKS)
def test_conventions(text: str, facts: str) -> None:
    check_convention(text, facts, KINKS[text])


def check_convention(text: str, facts: str, expected_of_all: tuple) -> None:
    name, _, arguments = text.partition("(")
    with np.errstate(all="ignore"):
        call = Call(
            name, arguments.rstrip()[:-1].replace("nan", "np.nan").replace("inf", "np.inf").replace("np.np.", "np.")
        )
        call.g = np.ones_like(call.y)[()]
        found = [call.cotangent(*leaf, facts) for leaf in call.leaves()]
    for cotangent, expected in zip(found, expected_of_all, strict=True):
        np.testing.assert_allclose(cotangent, expected, rtol=0, atol=1e-15)


@pytest.mark.skipif(scipy is None, reason="SciPy is not installed")
@pytest.mark.parametrize("facts", FACTS)
@pytest.mark.parametrize("text", SCIPY_KINKS)
def test_conventions_of_scipys_functions(text: str, facts: str) -> None:
    check_convention(text, facts, SCIPY_KINKS[text])


def chosen(x):
    return np.sum(np.where(x > 0, np.log(x), 0.0))


def test_the_branch_not_taken() -> None:
    """As in PyTorch and JAX, the cotangent of 0 meets the infinite slope of what ``where`` passes over; a tangent is
    chosen like the value. What is safe is to choose before."""
    x = np.array([1.0, 0.0])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(grad(chosen)(x), [1, nan])
        assert jvp(chosen, (x,), (np.ones(2),))[1] == 1
    np.testing.assert_array_equal(grad(lambda x: np.sum(np.log(np.where(x > 0, x, 1.0))))(x), [1, 0])
    np.testing.assert_array_equal(grad(lambda x: np.sum(np.where(x > 0, x, np.nan * np.ones(2))))(x), [1, 0])


TWICE = {
    "sinc": (np.sinc, [0.0], [[-np.pi**2 / 3]]),
    "norm": (np.linalg.norm, [0.0, 0.0], [[0, 0], [0, 0]]),
    "hypot": (lambda x: np.hypot(x[0], x[1]), [0.0, 0.0], [[0, 0], [0, 0]]),
    "a zero among factors": (np.prod, [0.0, 2.0, 3.0], [[0, 3, 2], [3, 0, 0], [2, 0, 0]]),
    "two zeros among factors": (np.prod, [0.0, 0.0, 3.0], [[0, 3, 0], [3, 0, 0], [0, 0, 0]]),
    "x ** 0": (lambda x: np.sum(x**0), [0.0], [[0]]),
    "x ** 2.0": (lambda x: np.sum(x**2.0), [0.0, -1.0], [[2, 0], [0, 2]]),
    "x ** n at n = 0": (lambda x: x[0] ** x[1], [2.0, 0.0], [[0, 0.5], [0.5, np.log(2.0) ** 2]]),
    "an array to a power of 0": (lambda x: np.sum(x[:2] ** x[2]), [2.0, 4.0, 0.0],
                                 [[0, 0, 0.5], [0, 0, 0.25], [0.5, 0.25, 5 * np.log(2.0) ** 2]]),
    "whole powers of 0": (lambda x: np.sum(x[0] ** np.arange(4)) * x[1], [0.0, 1.0], [[2, 1], [1, 0]]),
    "0 ** x": (lambda x: np.sum(0.0**x), [0.0, 2.0], [[0, 0], [0, 0]]),
    "0 ** 2": (lambda x: x[0] ** x[1], [0.0, 2.0], [[2, 0], [0, 0]]),
    "std": (np.std, [2.0, 2.0], [[0, 0], [0, 0]]),
    "ties": (lambda x: np.max(x) ** 2, [2.0, 2.0], [[0.5, 0.5], [0.5, 0.5]]),
    "logaddexp": (lambda x: np.logaddexp(x[0], x[1]), [-inf, 0.5], [[0, 0], [0, 0]]),
    "logaddexp of infinity": (lambda x: np.logaddexp(x[0], x[1]), [inf, 0.5], [[0, 0], [0, 0]]),
    "logaddexp2": (lambda x: np.logaddexp2(x[0], x[1]), [0.5, inf], [[0, 0], [0, 0]]),
}


@pytest.mark.parametrize("name", TWICE)
def test_conventions_of_second_derivatives(name: str) -> None:
    function, x, expected = TWICE[name]
    with np.errstate(all="ignore"):
        found = hessian(lambda x: 1.0 * np.sum(function(x)))(np.array(x))
    np.testing.assert_allclose(found, expected, atol=1e-12)


# ---- what people will read


@pytest.mark.parametrize(
    ("name", "case", "text"),
    [
        ("np.power", "n(3), 2", "g * 2.0 * x1"),
        ("np.power", "n(3), 3", "g * 3.0 * x1 ** 2"),
        ("np.sum", "n(3, 4), axis=0", "g"),
        ("np.sum", "n(3, 4), axis=1", "g[:, None]"),
        ("np.sum", "n(2, 3, 4), axis=1", "g[:, None]"),
        ("np.sum", "n(2, 3, 4), axis=(-1, 0)", "g[None, :, None]"),
        ("np.mean", "n(3, 4)", "g / a.size"),
        ("np.mean", "n(3, 4), axis=-1", "g[:, None] / a.shape[1]"),
        ("np.max", "n(3, 4)", "hit = a == y; g / hit.sum() * hit"),
        ("np.linalg.norm", "n(3)", "g * divide_or_zero(x, y)"),
        ("np.matmul", "n(3, 4), n(4, 2)", "g @ x2.T"),
        ("np.matmul", "n(5, 3, 4), n(4, 2)", "g @ x2.T"),
        ("np.matmul", "n(5, 3, 4), n(5, 4, 2)", "g @ np.swapaxes(x2, -1, -2)"),
        ("np.dot", "n(3, 4), n(4)", "g[:, None].dot(b[None])"),
        ("np.transpose", "n(2, 3), (1, 0)", "g.T"),
        ("np.concatenate", "[n(2), n(3)]", "g[:arrays_0.shape[0]]"),
        ("np.concatenate", "[n(1, 3), n(2, 3)]", "g[:1]"),
        ("np.clip", "n(3), 0, None", "np.where(a >= a_min, g, 0.0)"),
        ("np.diff", "n(3)", "-np.diff(g, prepend=0.0, append=0.0)[:a.size]"),
        ("np.einsum", "'ij,jk', n(2, 3), n(3, 4)", "np.einsum('ik,jk->ij', g, operands_1)"),
        ("np.array", "[[0.5, 0.25], [0.1, 0.2]]", "g[0, 0]"),
        ("np.trace", "n(3, 3)", "g * np.eye(*a.shape)"),
    ],
)
def test_texts(name: str, case: str, text: str) -> None:
    call = Call(name, case)
    parameter, path, _ = next(call.leaves())
    assert call.rule.partials[parameter](call.operation("known"), path) == text


# ---- what is refused, and what is never differentiated


def test_what_a_line_does_not_list_is_refused() -> None:
    with pytest.raises(TypeError, match="does not take mean="):
        Call("np.nanvar", "n(3), mean=n(1)")
    with pytest.raises(TypeError, match="takes a, axis, dtype by position, and no more"):
        Call("np.sum", "n(3), 0, None, n(3)")


@pytest.mark.parametrize(
    ("name", "case"),
    [
        ("np.exp", "[0.5, 0.25]"),
        ("np.sum", "[0.5, 0.25]"),
        ("np.linalg.inv", "[[0.5]]"),
        ("np.pad", "n(3), 2, 'median'"),
        ("np.linalg.qr", "n(3, 3), 'complete'"),
        ("np.ravel", "n(3, 3), 'K'"),
        ("np.reshape", "n(3, 3), (9,), 'a'"),
        ("np.trapezoid", "n(4, 3), dx=np.arange(3.0), axis=0"),
        ("np.maximum", "1j * n(3), n(3)"),
    ],
)
def test_wrong_gradients_are_refused(name: str, case: str) -> None:
    call = Call(name, case)
    parameter = next(iter(call.rule.partials))
    path = (0, 0) if case.startswith("[[") else (0,) if case.startswith("[") else ()
    with pytest.raises(UnsupportedError):
        call.rule.partials[parameter](call.operation("known"), path)


def test_tangents_in_another_layout() -> None:
    """A tangent need not lie in memory as its value does: where that decides, forward mode refuses, too."""
    x, x_dot = np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.ones((2, 3))
    for function in (lambda x: np.ravel(x, "A"), lambda x: x.flatten("K"), lambda x: x.reshape(-1, order="a")):
        with pytest.raises(UnsupportedError, match="the layout in memory decides"):
            jvp(function, (x,), (x_dot,))


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value", "ignore:divide by zero")
def test_the_mean_of_nothing() -> None:
    """It is NaN, and nothing moves it."""
    cases = (np.mean, (0,)), (lambda a: np.mean(a, axis=(0, 1)), (0, 2)), (lambda a: a.mean(-1)[1], (2, 0))
    for mean, shape in cases:
        value, gradient = value_and_grad(mean)(np.zeros(shape))
        assert np.isnan(value)
        assert gradient.shape == shape


@pytest.mark.skipif(tuple(map(int, np.__version__.split(".")[:2])) >= (2, 5), reason="this NumPy takes them no more")
@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors")
def test_vectors_in_the_plane() -> None:
    """NumPy gave them up with 2.5, and warned of it before."""
    rng = np.random.default_rng(0)
    for first, second, axis in (((2,), (3,), -1), ((4, 3), (2,), -1), ((3, 4), (2, 4), 0)):
        def product(a, b, axis=axis):
            return np.sum(np.cross(a, b, axis=axis) ** 2)
        check_grads(product, (rng.normal(size=first), rng.normal(size=second)), order=2)
    for shape in (2,), (2, 2), (5, 2):
        with pytest.raises(UnsupportedError, match="two vectors in the plane"):
            grad(lambda a, b: np.sum(np.cross(a, b)))(rng.normal(size=shape), rng.normal(size=shape))


def logarithm(a):
    values, vectors = np.linalg.eigh(a)
    return ((vectors * np.log(values)) @ vectors.T)[0, 1]


def logarithm_of_singular_values(a):
    u, values, vh = np.linalg.svd(a, full_matrices=False)
    return ((u * np.log(values)) @ vh)[0, 1]


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning", "ignore:divide by zero:RuntimeWarning")
@pytest.mark.parametrize("function", [logarithm, logarithm_of_singular_values])
def test_vectors_of_equal_values_have_no_derivative(function) -> None:
    """At the identity the vectors' cotangents are 0, and the derivative of the whole is not."""
    assert np.isnan(grad(function)(np.eye(2))).any()


def of_low_rank(a):
    u, values, vh = np.linalg.svd(a)
    return np.sum(np.abs(u[:, :2] @ np.diag(values[:2]) @ vh[:2]) ** 3)


def of_none(a):
    u, _, vh = np.linalg.svd(a)
    return np.sum(u[:, -1] ** 3) + np.sum(vh[-1] ** 3)


@pytest.mark.parametrize("shape", [(4, 3), (3, 4)])
def test_full_decompositions(shape: tuple[int, int]) -> None:
    """The vectors that belong to singular values have a derivative; the matrix does not determine any others, which is
    found out when the adjoint runs."""
    a = np.random.default_rng(4).normal(size=shape)
    check_grad(of_low_rank, a)
    check_grad(of_low_rank, a + 1j * a[::-1])
    for derivative in grad(of_none), lambda a: jvp(of_none, (a,), (a,)):
        with pytest.raises(UnsupportedError, match="singular vectors that the matrix does not determine"):
            derivative(a)


def test_equal_values_have_one() -> None:
    np.testing.assert_array_equal(grad(lambda a: np.sum(np.linalg.eigh(a)[0] ** 2))(np.eye(2)), 2 * np.eye(2))


def finite(x, middle, above, below):
    return np.nan_to_num(x, nan=middle, posinf=above, neginf=below)


def test_what_is_put_for_infinities() -> None:
    arguments = np.array([nan, inf, -inf, 1.0, inf]), 0.3, 0.2, np.full(5, 0.1)
    _, back = vjp(finite, *arguments)
    for found, expected in zip(back(np.arange(1.0, 6.0)), ([0, 0, 0, 4, 0], 1, 7, [0, 0, 3, 0, 0])):
        np.testing.assert_array_equal(found, expected)
    _, moved = jvp(finite, arguments, (np.ones(5), 2.0, 3.0, np.full(5, 4.0)))
    np.testing.assert_array_equal(moved, [2, 3, 4, 1, 3])


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value:RuntimeWarning")
def test_means_of_nothing() -> None:
    nothing = np.zeros((0, 2))
    for mean in (np.mean, np.average):
        for axis in (None, 0):
            def doubled(x, mean=mean, axis=axis):
                return np.sum(mean(x, axis=axis) * 2.0)

            assert grad(doubled)(nothing).shape == (0, 2)


def test_second_derivatives_need_eigenvalues_that_differ() -> None:
    """They go by way of the vectors, of which equal eigenvalues have none of their own."""
    def largest(a):
        return np.linalg.eigvalsh(a)[-1]

    with np.errstate(all="ignore"):
        assert np.isnan(hvp(largest)(np.diag([1.0, 1.0, 3.0]), np.ones((3, 3)))).any()
    assert np.isfinite(hvp(largest)(np.diag([1.0, 2.0, 3.0]), np.ones((3, 3)))).all()


def test_the_precision_of_points_that_go_round() -> None:
    """As NumPy does, places are taken modulo the period in double precision."""
    def value(x):
        return np.interp(x, np.linspace(-0.5, 0.5, 6), np.arange(6.0) ** 2, period=1.3)

    x = np.array([0.1, 2.7, -3.3], np.float32)
    np.testing.assert_array_equal(vjp(value, x)[0], value(x))


def test_what_a_ufunc_leaves_out() -> None:
    """Without ``out=`` it is whatever is in memory there, of which there is no derivative."""
    x, chosen = np.arange(1.0, 4.0), np.array([True, False, True])
    with pytest.raises(UnsupportedError, match="does not take where=: say what the other elements are, out="):
        grad(lambda x: np.sum(np.exp(x, where=chosen)[chosen]))(x)
    np.testing.assert_allclose(grad(lambda x: np.sum(np.square(x, out=np.zeros(3), where=chosen)))(x), [2, 0, 6])


def test_powers_of_powers_are_refused() -> None:
    """NumPy's own result is another one than from row to row, on most processors."""
    for method in (np.power.reduce, np.power.accumulate, np.arctan2.reduce):
        with pytest.raises(UnsupportedError, match="write the loop"):
            grad(lambda x, method=method: np.sum(method(x)))(np.array([2.0, 3.0, 2.0]))


def test_arguments_that_make_no_difference() -> None:
    x = np.arange(6.0).reshape(2, 3)
    for function in (lambda x: np.broadcast_to(x, (4, 2, 3), subok=True), lambda x: np.asarray(x, device="cpu"),
                     lambda x: np.copy(x, subok=False), lambda x: np.full_like(x, x[0, 1], subok=True, device="cpu")):
        assert grad(lambda x, function=function: np.sum(function(x)))(x).sum() in (24, 6)
    with pytest.raises(UnsupportedError, match="does not take copy="):
        grad(lambda x: np.sum(np.reshape(x, 6, copy=True)))(x)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_precision_asked_for(dtype) -> None:
    def energy(x):
        return np.sum(np.exp(x, dtype=np.float64) * np.multiply(x, 3, dtype=dtype))

    x = np.array([0.3, -1.2], dtype)
    gradient = grad(energy)(x)
    assert gradient.dtype == dtype
    np.testing.assert_allclose(gradient, 3 * np.exp(x) * (1 + x), rtol=1e-6)
