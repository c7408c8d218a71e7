"""SciPy's functions in programs: their tables come when the user has imported SciPy, and formulas use their module."""
from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from s2sgrad import check_grad, check_grads, grad, hessian, jvp, source, value_and_grad
from s2sgrad.errors import ArgumentError, UnsupportedError

scipy = pytest.importorskip("scipy", reason="SciPy is not installed")
linalg = pytest.importorskip("scipy.linalg")
stats = pytest.importorskip("scipy.stats")
special = pytest.importorskip("scipy.special")
interpolate = pytest.importorskip("scipy.interpolate")
signal = pytest.importorskip("scipy.signal")


def test_scipy_is_not_imported_for_the_user() -> None:
    text = ("import sys, numpy, s2sgrad\n"
            "s2sgrad.grad(numpy.exp)(1.0)\n"
            "assert not any(name.startswith('scipy') for name in sys.modules)\n"
            "from scipy.special import gammaln\n"
            "assert abs(s2sgrad.grad(gammaln)(1.0) + numpy.euler_gamma) < 1e-12\n"
            "assert 'scipy.stats' not in sys.modules")
    subprocess.run([sys.executable, "-c", text], check=True)


def test_the_rule_of_a_user_outlives_the_table() -> None:
    text = ("import s2sgrad, scipy.special\n"
            "s2sgrad.rule(scipy.special.erf, x='7.0')\n"
            "assert s2sgrad.grad(scipy.special.erf)(1.0) == 7.0")
    subprocess.run([sys.executable, "-c", text], check=True)


def log_evidence(x: np.ndarray, weights: np.ndarray) -> float:
    scores = special.gammaln(x) * special.erf(x)
    return special.logsumexp(scores, axis=1, b=weights).sum() + special.softmax(x, axis=0)[0, 1]


def test_programs_with_special_functions() -> None:
    args = np.array([[0.5, 1.2, 2.0], [0.1, 0.7, 3.0]]), np.array([0.3, 0.6, 0.1])
    check_grad(log_evidence, *args, argnums=(0, 1))
    text = source(log_evidence, *args)
    assert "special.digamma(x)" in text and "special_1" not in text


def test_second_derivatives() -> None:
    bell = np.exp(-0.245) / np.sqrt(2 * np.pi)
    for function, second in ((special.gammaln, special.polygamma(1, 0.7)), (special.ndtr, -0.7 * bell),
                             (special.j0, 0.5 * (special.jv(2, 0.7) - special.j0(0.7)))):
        np.testing.assert_allclose(grad(grad(function))(0.7), second, rtol=1e-12)


def test_slopes_of_the_digamma_function_far_on_the_left() -> None:
    z = np.array([-1e9 + 0.25 + 0.5j, -1e15 + 0.5 - 1j, -1e12 + 30j])
    slope = np.pi ** 2 / np.sin(np.pi * (z - np.rint(z.real))) ** 2 + 1.0 / z
    np.testing.assert_allclose(grad(lambda z: np.sum(special.digamma(z)), holomorphic=True)(z), slope, rtol=1e-8)


def test_second_derivatives_of_products_with_logarithms_at_0() -> None:
    for function, y in ((special.xlogy, 2.0), (special.xlog1py, 1.0)):
        found = hessian(lambda x, function=function: function(x[0], x[1]))(np.array([0.0, y]))
        np.testing.assert_allclose(found, [[0.0, 0.5], [0.5, 0.0]])


def test_orders_are_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="jv has no derivative with respect to v"):
        grad(lambda v, z: special.jv(v, z))(1.5, 2.0)
    with pytest.raises(UnsupportedError, match="does not take return_sign="):
        grad(lambda x: special.logsumexp(x, return_sign=True)[0])(np.ones(3))
    with pytest.raises(UnsupportedError, match="mathieu_a has no derivative rule"):
        grad(lambda x: special.mathieu_a(2, x))(1.0)
    with pytest.raises(UnsupportedError, match="spherical_jn with derivative=True has no derivative rule"):
        grad(lambda x: special.spherical_jn(2, x, derivative=True))(1.0)


def plasma(z: np.ndarray, x: np.ndarray) -> float:
    return np.sum(np.abs(special.wofz(z) + special.lambertw(z)) ** 2) + np.sum(np.real(special.lambertw(x)) ** 2)


def test_special_functions_of_complex_numbers() -> None:
    z = np.array([0.3 + 0.7j, -1.2 + 0.4j])
    check_grad(plasma, z, np.array([0.2, 1.7]), argnums=(0, 1))
    check_grads(lambda z: np.sum(np.real(special.loggamma(z) * special.psi(z))), (z,), order=2)


def evidence(length: float, noise: float, x: np.ndarray, y: np.ndarray) -> float:
    covariance = np.exp(-(((x[:, None] - x) / length) ** 2)) + noise * np.eye(x.size)
    factor = linalg.cholesky(covariance, lower=True)
    weights = linalg.solve_triangular(factor, y, lower=True)
    return 0.5 * weights @ weights + np.log(np.diag(factor)).sum() + linalg.solve(covariance, y, assume_a="pos")[0]


def joined(a: np.ndarray, b: np.ndarray) -> float:
    blocks = linalg.block_diag(a, b, a @ b)
    return linalg.norm(linalg.expm(0.1 * blocks) @ linalg.inv(blocks)) + linalg.det(a)


def test_programs_with_matrices() -> None:
    check_grad(evidence, 0.7, 0.3, np.linspace(0.0, 2.0, 4), np.array([0.3, -0.2, 0.9, 0.1]), argnums=(0, 1, 2, 3))
    check_grad(joined, np.array([[1.0, 0.3], [-0.2, 0.8]]), np.array([[0.9, 0.1], [0.4, 1.1]]), argnums=(0, 1))


def factored(a: np.ndarray, b: np.ndarray, bands: np.ndarray) -> float:
    first = linalg.cho_solve(linalg.cho_factor(a @ a.T + np.eye(3)), b)
    factors = linalg.lu_factor(a)
    second = linalg.lu_solve(factors, b) + linalg.lu_solve((factors[0], factors[1]), b, trans=1)
    values, vectors = linalg.eigh(a @ a.T, lower=False)
    q, r = linalg.qr(a)
    roots = linalg.sqrtm(a @ a.T + np.eye(3))
    banded = linalg.solve_banded((1, 1), bands, b) + linalg.toeplitz(b) @ first
    return np.sum(first * second) + values @ vectors[0] ** 2 + (q * r)[0, 1] + np.trace(roots) + np.sum(banded ** 2)


def test_programs_with_factors() -> None:
    args = (np.array([[0.3, 2.0, 0.1], [1.5, 0.2, -0.4], [0.5, 0.7, 1.9]]), np.array([0.5, -1.0, 0.3]),
            np.array([[0.0, 0.4, 0.2], [2.0, 3.0, 2.5], [0.3, -0.2, 0.0]]))
    check_grad(factored, *args, argnums=(0, 1, 2))
    tangents = tuple(np.cos(arg) for arg in args)
    _, tangent = jvp(factored, args, tangents)
    gradient = grad(factored, argnums=(0, 1, 2))(*args)
    np.testing.assert_allclose(tangent, sum(np.sum(one * other) for one, other in zip(gradient, tangents)), rtol=1e-10)


def test_singular_values_that_are_dropped_turn_the_vectors_of_the_others() -> None:
    a = np.array([[2.0, 0.3, 0.1], [0.2, 1.0, -0.4], [0.5, -0.1, 0.2], [0.1, 0.7, 0.3]])
    assert np.linalg.matrix_rank(a, rtol=0.3) == 2
    check_grads(lambda a: np.sum(linalg.pinv(a, rtol=0.3) ** 2), (a,))
    check_grads(lambda a, b: np.sum(linalg.lstsq(a, b, 0.3)[0] ** 2), (a, a[:, 0] ** 2))


def test_factors_of_unequal_sides_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="lu is differentiated for square matrices only: use scipy.linalg.qr"):
        grad(lambda a: linalg.lu(a)[2].sum())(np.ones((2, 3)))
    with pytest.raises(UnsupportedError, match="no more columns than rows.*: choose the other side"):
        grad(lambda a: linalg.polar(a)[1].sum())(np.ones((2, 3)))


def test_functions_of_matrices_refuse_numbers() -> None:
    with pytest.raises(UnsupportedError, match="expm is differentiated for (single )?matrices only"):
        grad(lambda x: np.sum(linalg.expm(x)))(0.5)


def test_what_is_solved_is_refused_with_a_remedy() -> None:
    integrate = pytest.importorskip("scipy.integrate")
    with pytest.raises(UnsupportedError, match="dblquad has no derivative rule.*: integrate by scipy.integrate.quad"):
        grad(lambda k: integrate.dblquad(lambda t, s: t * s, 0.0, k, 0.0, 1.0)[0])(0.5)
    with pytest.raises(UnsupportedError, match="eigvals has no derivative rule: use np.linalg.eigvals"):
        grad(lambda a: linalg.eigvals(a).real.sum())(np.eye(2))
    with pytest.raises(UnsupportedError, match="piecewise has no derivative rule.*: use np.where"):
        pieces = [np.sin]
        grad(lambda x: np.sum(np.piecewise(x, [x > 0.0], pieces)))(np.ones(3))
    with pytest.raises(UnsupportedError, match="singular vectors that the matrix does not determine"):
        grad(lambda a: linalg.svd(a)[2].sum())(np.ones((2, 3)))
    with pytest.raises(UnsupportedError, match="lapack_driver='gelsy' has no derivative rule: leave that out"):
        grad(lambda a: linalg.lstsq(a, np.ones(3), lapack_driver="gelsy")[0].sum())(np.ones((3, 2)))
    with pytest.raises(UnsupportedError, match="qr with mode='full' has no derivative rule for this matrix"):
        grad(lambda a: linalg.qr(a)[0].sum())(np.ones((3, 2)))
    with pytest.raises(UnsupportedError, match="complex here.*: keep the eigenvalues positive") as refusal:
        grad(lambda a: np.real(linalg.sqrtm(a)).sum())(-np.eye(2) - 0.1)
    assert "np.real(linalg.sqrtm(a)).sum()" in str(refusal.value)  # found when it runs, and told with the line
    with pytest.raises(UnsupportedError, match="solve_sylvester of real matrices beside complex numbers"):
        grad(lambda a: np.real(linalg.solve_sylvester(a, 1j * a, a)).sum())(np.eye(2))


def test_samples_of_which_each_row_has_its_own_places_are_refused() -> None:
    integrate = pytest.importorskip("scipy.integrate")
    places = np.array([[0.0, 0.5, 2.0], [0.0, 1.0, 1.5]])
    samples = np.array([[1.0, 2.0, 3.0], [0.5, 1.5, 2.5]])
    with pytest.raises(UnsupportedError, match="points of their own for each row .*: take the rows one by one"):
        grad(lambda y: integrate.simpson(y, x=places).sum())(samples)
    with pytest.raises(UnsupportedError, match="an array for dx has no derivative rule"):
        grad(lambda y: integrate.simpson(y, dx=np.array([0.5, 1.0])).sum())(samples)


def test_what_filters_and_distances_are_refused() -> None:
    ndimage, fft = pytest.importorskip("scipy.ndimage"), pytest.importorskip("scipy.fft")
    distance = pytest.importorskip("scipy.spatial.distance")
    with pytest.raises(UnsupportedError, match="cdist with metric='cosine' has no derivative rule: use one of euclid"):
        grad(lambda x: distance.cdist(x, x, "cosine").sum())(np.eye(3))
    with pytest.raises(UnsupportedError, match="correlate with mode='edge' has no derivative rule"):
        grad(lambda x: ndimage.correlate(x, np.ones(3), mode="edge").sum())(np.ones(4))
    with pytest.raises(UnsupportedError, match="gaussian_filter with mode='nearest' has no derivative rule"):
        grad(lambda x: ndimage.gaussian_filter(x, 1.0, mode="nearest").sum())(np.ones(4))
    with pytest.raises(UnsupportedError, match="uniform_filter of an even size has no derivative rule"):
        grad(lambda x: ndimage.uniform_filter(x, 4).sum())(np.ones(6))
    with pytest.raises(UnsupportedError, match="uniform_filter of an even size has no derivative rule"):
        grad(lambda x: ndimage.uniform_filter(x, (3, 2)).sum())(np.ones((4, 6)))
    with pytest.raises(UnsupportedError, match="mode=\\['reflect', 'wrap'\\] has no derivative rule: use one mode"):
        grad(lambda x: ndimage.uniform_filter(x, 3, mode=["reflect", "wrap"]).sum())(np.ones((4, 6)))
    with pytest.raises(UnsupportedError, match="dctn is differentiated with norm='ortho' only"):
        grad(lambda x: fft.dctn(x).sum())(np.eye(3))


def test_matrices_that_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="lstsq (is differentiated for single|of a stack of) matrices"):
        grad(lambda a: linalg.lstsq(a, np.ones(2))[0].sum())(np.stack([np.eye(2)] * 3))
    with pytest.raises(UnsupportedError, match="block_diag is differentiated for single matrices only"):
        grad(lambda a: linalg.block_diag(a, np.ones(3)).sum())(np.ones((2, 2, 2)))
    with pytest.raises(UnsupportedError, match="solve with assume_a='banded' has no derivative rule"):
        grad(lambda b: linalg.solve(np.eye(2), b, assume_a="banded").sum())(np.ones(2))


def solved(a: np.ndarray, b: np.ndarray, bands: np.ndarray) -> float:
    """A vector is the right-hand side for all of a stack; a matrix is one, and a stack has one for each."""
    lower, whole = np.tril(a), a @ a.mT
    first = linalg.solve(a, b) + linalg.solve_triangular(lower, b, lower=True)
    second = linalg.cho_solve(linalg.cho_factor(whole), b) + linalg.lu_solve(linalg.lu_factor(a), b, trans=1)
    third = linalg.solve_banded((1, 1), bands, np.ones((2, 3, 1)) * b[0]) + linalg.inv(whole)[:, :, :1]
    return np.sum(first * second) + np.sum(third ** 2) + np.sum(linalg.expm(0.1 * a)[:, 0] * linalg.det(a)[:, None])


def decomposed(a: np.ndarray) -> float:
    values, vectors = linalg.eigh(a @ a.mT)
    q, r = linalg.qr(a, mode="economic")
    lower = linalg.cholesky(a @ a.mT + np.eye(3), lower=True)
    kept = np.sum(values * vectors[:, 0] ** 2) + np.sum(q[:, 0] * r[:, 0]) + np.sum(lower ** 3)
    return kept + np.sum(linalg.svdvals(a) ** 3) + np.sum(linalg.sqrtm(a @ a.mT)[:, 0])


stacks = pytest.mark.skipif(np.lib.NumpyVersion(scipy.__version__) < "1.18.0", reason="this SciPy takes them otherwise")


@stacks
def test_least_squares_of_stacks() -> None:
    a, b = np.cos(np.arange(30.0) ** 2).reshape(2, 5, 3), np.sin(np.arange(20.0)).reshape(2, 5, 2)
    for right in (b, b[:1]):
        check_grads(lambda a, b: np.sum(linalg.lstsq(a, b)[0] ** 3), (a, right))


@stacks
def test_programs_with_stacks() -> None:
    rng = np.random.default_rng(3)
    matrices = rng.normal(size=(2, 3, 3)) + 3 * np.eye(3)
    args = matrices, rng.normal(size=3), rng.normal(size=(2, 3, 3)) + np.array([[0.0], [4.0], [0.0]])
    check_grads(solved, args, order=1)
    check_grads(decomposed, (matrices,), order=1)
    check_grad(grad(lambda a: linalg.solve(a, np.ones(3))[:, 0].sum()), matrices)


@stacks
def test_a_stack_of_cholesky_factors_has_one_flag() -> None:
    """SciPy has one for each, and asks the first."""
    factors = np.random.default_rng(1).normal(size=(2, 3, 3)) + 3 * np.eye(3)
    for flags in (np.array([True, False]), np.array([False, True]), True):
        check_grads(lambda c, b, flags=flags: np.sum(linalg.cho_solve((c, flags), b) ** 2), (factors, np.ones(3)))


def test_what_is_transformed_goes_by_its_name_too() -> None:
    fft = pytest.importorskip("scipy.fft")
    x = np.array([0.5, 1.0, -2.0])
    np.testing.assert_allclose(grad(lambda x: np.sum(fft.dct(x=x, type=3, workers=2) ** 2))(x),
                               grad(lambda x: np.sum(fft.dct(x, 3) ** 2))(x))


def hermitian(a: np.ndarray, b: np.ndarray) -> float:
    whole = a @ np.conj(a.mT) + np.eye(3)
    found = linalg.solve(whole, b, assume_a="pos") + linalg.solve(a + a.mT, b, assume_a="sym")
    return np.sum(np.abs(found) ** 2) + np.sum(linalg.eigvalsh(whole) ** 2) + np.abs(linalg.det(a)) + linalg.norm(
        linalg.expm(a)) + np.sum(np.abs(linalg.cholesky(whole, lower=True)) ** 3)


def test_complex_matrices() -> None:
    rng = np.random.default_rng(5)
    a, b = (rng.normal(size=shape) + 1j * rng.normal(size=shape) for shape in ((3, 3), (3,)))
    check_grads(hermitian, (a, b), order=1)
    with pytest.raises(UnsupportedError, match="lu_solve with trans=2 has no derivative rule for complex numbers"):
        grad(lambda a: np.abs(linalg.lu_solve(linalg.lu_factor(a), b, trans=2)).sum())(a)
    with pytest.raises(UnsupportedError, match="trans='C' has no derivative rule for complex numbers: give it np.conj"):
        grad(lambda a: np.abs(linalg.solve_triangular(a, b, trans="C")).sum())(a)
    check_grad(lambda a: np.abs(linalg.solve_triangular(np.conj(a), b, trans="T")).sum(), a)


def posterior(mean: float, spread: float, x: np.ndarray) -> float:
    prior = stats.norm.logpdf(mean, scale=2.0) + stats.gamma.logpdf(spread, 2.0)
    return prior + stats.norm.logpdf(x, mean, spread).sum() + stats.t(3.0).pdf(0.5) * stats.beta.cdf(0.3, 2.0, 3.0)


def test_programs_with_distributions() -> None:
    check_grad(posterior, 0.3, 0.8, np.array([0.5, -0.3, 1.2]), argnums=(0, 1, 2))
    text = source(posterior, 0.3, 0.8, np.array([0.5, -0.3, 1.2]))
    assert "z = (x - mean) / spread" in text
    np.testing.assert_allclose(grad(grad(stats.norm.logpdf))(0.7), -1.0, rtol=1e-12)
    np.testing.assert_allclose(grad(grad(stats.norm.cdf))(0.7), -0.7 * stats.norm.pdf(0.7), rtol=1e-12)


def test_outside_of_where_a_distribution_lives() -> None:
    x = np.array([-0.5, 0.5])
    for method in (stats.gamma.logpdf, stats.gamma.pdf, stats.gamma.logcdf, stats.gamma.cdf):
        first, second = grad(lambda x, method=method: method(x, 2.5).sum())(x)
        assert first == 0.0 and second > 0.0


def test_distributions_that_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="cdf has no derivative with respect to kappa"):
        grad(lambda kappa: stats.vonmises.cdf(0.3, kappa))(2.0)
    with pytest.raises(UnsupportedError, match="logpmf has no derivative with respect to k"):
        grad(lambda k: stats.poisson.logpmf(k, 2.0))(2.0)
    with pytest.raises(UnsupportedError, match="norminvgauss.logpdf has no derivative rule"):
        grad(lambda x: stats.norminvgauss.logpdf(x, 2.0, 0.5))(2.0)
    with pytest.raises(UnsupportedError):
        grad(lambda mean: stats.norm(mean, 1.0).logpdf(0.3))(2.0)
    with pytest.raises(UnsupportedError):
        grad(frozen)(2.0)


IN_SHAPES = [  # in far tails too, from quotients of differences in a hundred digits
    (special.gammainc, (2.5, 3.0), 0, -0.22754855127826082), (special.gammainc, (0.05, 1e-12), 0, -7.001043484058421),
    (special.gammaincc, (1e4, 10400.0), 0, 1.6142448367768302e-06),
    (special.gammaincc, (0.5, 600.0), 0, 5.100521781014528e-262),
    (special.betainc, (2.5, 1e4, 1e-05), 0, -0.0030256828942566995),
    (special.betainc, (0.05, 3.0, 0.9), 1, 5.043769519392291e-05),
    (special.betainc, (300.0, 200.0, 0.1), 1, 1.390428120969919e-165),
    (stats.t.logsf, (40.0, 3.0), 1, -2.7813698363622943),
    (stats.f.logcdf, (0.001, 7.0, 1e3), 2, -8.696107482812706e-06),
    (stats.gennorm.logsf, (6.0, 2.5), 1, -160.19178874284322), (stats.chi2.logcdf, (1e-4, 9.0), 1, -5.757291177009444),
    (stats.invgamma.logsf, (30.0, 4.0), 1, -4.908653083985904),
    # at ends, where the density may be infinite, and at the centre
    (special.gammainc, (0.5, 0.0), 0, 0.0), (special.betainc, (0.5, 0.5, 0.0), 0, 0.0),
    (stats.t.cdf, (0.0, 2.0), 1, 0.0),
    (stats.gamma.cdf, (0.0, 0.5), 1, 0.0), (stats.gamma.cdf, (-1.0, 0.5), 1, 0.0),
    (stats.beta.sf, (1.0, 2.0, 0.5), 2, 0.0),
    (stats.t.sf, (np.inf, 2.0), 1, 0.0), (stats.weibull_min.cdf, (0.0, 0.5), 1, 0.0),
]


@pytest.mark.parametrize(("function", "args", "argnum", "slope"), IN_SHAPES,
                         ids=lambda value: getattr(value, "__name__", None) or str(value))
@pytest.mark.filterwarnings("ignore:divide by zero")  # in SciPy's own density
def test_parameters_of_shape_that_are_integrated(function: Callable, args: tuple, argnum: int, slope: float) -> None:
    np.testing.assert_allclose(grad(function, argnum)(*args), slope, rtol=1e-9)


def test_incomplete_functions_in_shapes_of_many_kinds() -> None:
    few, many = np.array([0.5, 2.0], np.float32), np.full((2500, 2), 1.5, np.float32)
    for_few, for_many = grad(lambda a, x: np.sum(special.gammainc(a, x)), (0, 1))(few, many)
    assert for_few.dtype == for_many.dtype == np.float32
    np.testing.assert_allclose(for_few, [2500 * grad(special.gammainc)(float(a), 1.5) for a in few], rtol=1e-4)
    assert grad(lambda a, x: np.sum(special.betainc(a, 2.0, x)))(np.ones((3, 0)), np.ones(0)).shape == (3, 0)
    assert np.isnan(grad(special.gammainc)(2.0, -1.0)) and np.isnan(grad(special.betainc)(-2.0, 1.0, 0.3))


def test_second_derivatives_in_shapes_and_no_third() -> None:
    # of t in its centre, where the density's derivative in df is at hand
    found = hessian(lambda v: stats.t.cdf(v[0], v[1]))(np.array([0.0, 3.0]))
    np.testing.assert_allclose(found[0], [0.0, grad(lambda df: stats.t.pdf(0.0, df))(3.0)], rtol=1e-10)
    with pytest.raises(UnsupportedError, match="no third derivative where a parameter of shape moves: take diff"):
        grad(grad(grad(special.gammainc)))(2.0, 0.3)


def frozen(x: float) -> float:
    return FROZEN.logpdf(x)


FROZEN = stats.norm(0.0, 2.0)


CONVENTIONS = [
    (special.rgamma, (0.0,), 1.0), (special.rgamma, (-3.0,), -6.0),  # smooth where gamma has poles
    (special.exprel, (0.0,), 0.5), (special.j1, (0.0,), 0.5),
    (special.xlogy, (0.0, 0.0), 0.0),  # as in PyTorch
    (special.xlog1py, (0.0, -1.0), 0.0),
    (special.i0e, (0.0,), 0.0),  # the kink of abs
    (special.gammainc, (1.0, 0.0), 1.0),
    (special.log_ndtr, (-1e8,), 1e8),  # no digit lost far out
]


@pytest.mark.parametrize(("function", "args", "slope"), CONVENTIONS, ids=lambda item: getattr(item, "__name__", None))
def test_conventions(function: object, args: tuple, slope: float) -> None:
    argnum = len(args) - 1 if function is special.gammainc else 0
    np.testing.assert_allclose(grad(function, argnum)(*args), slope, rtol=1e-12)


# ---- curves: piecewise polynomials through constants

PLACES, HEIGHTS = [0.0, 1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0, 3.5]
CURVES = {name: getattr(interpolate, name)(PLACES, HEIGHTS)
          for name in ("CubicSpline", "PchipInterpolator", "Akima1DInterpolator", "make_interp_spline")}
curve, other = CURVES["CubicSpline"], CURVES["make_interp_spline"]


@pytest.mark.parametrize("name", CURVES)
def test_curves(name: str) -> None:
    path = CURVES[name]

    def height(x):
        return path(x) * path(0.5 * x, 1)

    for x in 2.3, np.array([0.3, 1.2, 3.7]), np.array([[0.3], [3.7]]), np.zeros(0):
        check_grads(height, (x,), order=2)


def test_curves_are_asked_for_their_slope() -> None:
    def heights(x, order):
        return np.sum(curve(x, order) + other(x, extrapolate=False))

    x = np.array([0.3, 1.2])
    check_grad(heights, x, 1, argnums=0)
    text = source(heights, x, 1, argnums=0)
    assert "curve_1(x, order + 1)" in text
    assert "curve_2(x, 1, False)" in text


def test_another_curve_under_the_same_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def height(x):
        return curve(x) ** 2

    gradient = grad(height)
    assert gradient(1.3) == pytest.approx(2.0 * curve(1.3) * curve(1.3, 1))
    monkeypatch.setitem(globals(), "curve", CURVES["PchipInterpolator"])
    assert gradient(1.3) == pytest.approx(2.0 * curve(1.3) * curve(1.3, 1))


def test_curves_that_are_given_or_in_an_attribute() -> None:
    class Road:
        def __init__(self, path):
            self.path, self.scale = path, 1.5

        def climb(self, x):
            return self.scale * self.path(x)

    def climb(x, path):
        return path(x)

    for path in CURVES.values():
        assert grad(Road(path).climb)(1.3) == pytest.approx(1.5 * path(1.3, 1))
        assert grad(climb)(1.3, path) == pytest.approx(path(1.3, 1))


def test_curves_in_space_are_refused() -> None:
    loop = interpolate.CubicSpline(PLACES, [[height, 1.0] for height in HEIGHTS])

    def place(x):
        return np.sum(loop(x))

    with pytest.raises(UnsupportedError, match="has no derivative rule: use np.interp"):
        grad(place)(1.3)


def through(y, t):
    """Splines of their values, at places that are differentiated, too, and their slopes."""
    bent, natural = interpolate.CubicSpline(PLACES, y), interpolate.CubicSpline(PLACES, y, bc_type="natural")
    straight = interpolate.interp1d(PLACES, [*y[:-1], 2.0 * y[-1]], fill_value="extrapolate")
    round_ = interpolate.interp1d(PLACES, y, "cubic")
    return (bent(t) * natural(t, 1) + interpolate.make_interp_spline(PLACES, y, k=2)(t) ** 2).sum() \
        + straight(t + 0.01).sum() ** 2 + round_(t[0]) * bent(0.3)


def test_splines_of_differentiated_values() -> None:
    args = np.array(HEIGHTS), np.array(PLACES[:-1]) + 0.1
    value, _ = value_and_grad(through, argnums=(0, 1))(*args)
    assert value == pytest.approx(through(*args), rel=1e-12)
    check_grads(through, args, order=2)


@pytest.mark.parametrize("make", [
    lambda y: interpolate.CubicSpline(PLACES, np.outer(y, y)), lambda y: interpolate.interp1d(PLACES, y, "nearest"),
    lambda y: interpolate.interp1d(PLACES[::-1], y), lambda y: interpolate.CubicSpline(PLACES, y, bc_type="periodic"),
    lambda y: interpolate.interp1d(PLACES, y, bounds_error=False),
    lambda y: interpolate.make_interp_spline(PLACES, y, bc_type=([(1, 0.5)], [(1, 0.0)]))])
def test_splines_that_are_refused(make) -> None:
    def at_one_place(y):
        return np.sum(make(y)(0.3))
    with pytest.raises((ArgumentError, UnsupportedError)):
        grad(at_one_place)(np.array(HEIGHTS))


def test_no_values_beyond_the_places() -> None:
    with pytest.raises(ValueError, match="beyond the interpolation range"):
        grad(lambda y: interpolate.interp1d(PLACES, y)(PLACES[-1] + 0.1))(np.array(HEIGHTS))


def from_lists(a: float, b: float) -> float:
    smooth = signal.lfilter([1 - a], [1, -a], np.array([1.0, b, -0.5, b * b]))
    solved = linalg.solve([[a, b], [b, 3.0]], [1.0, a])
    joined = linalg.block_diag([[a]], [[b, 2.0]])
    total = np.sum(smooth ** 2) + np.sum(solved ** 2) + np.sum(joined ** 3)
    return total + special.logsumexp([a, b]) + special.logsumexp(a * b, axis=-1)


def test_lists_where_scipy_makes_arrays_of_them() -> None:
    check_grad(from_lists, 0.3, 1.7)
