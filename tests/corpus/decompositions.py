"""Decompositions, and other functions with several results: unpacked, by name, by index, in loops, in part."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program


def symmetric(seed, n):
    m = normal(seed, n, n)
    return m @ m.T + np.diag(np.arange(n) + 1.0)


@program(lambda: (normal(1, 3, 3),))
def both_results(m):
    w, v = np.linalg.eigh(m @ m.T)
    return (w ** 2).sum() + (v[:, 0] ** 4).sum() * w[1]


@program(lambda: (symmetric(2, 3),))
def only_values(a):
    w, _ = np.linalg.eigh(a, UPLO="U")
    return np.log(w).sum()


@program(lambda: (symmetric(3, 3),))
def only_vectors(a):
    _, v = np.linalg.eigh(a)
    return np.abs(v[0]).sum()


@program(lambda: (symmetric(4, 3),))
def by_attribute(a):
    found = np.linalg.eigh(a)
    return (found.eigenvalues * found.eigenvectors[0] ** 2).sum()


@program(lambda: (symmetric(5, 3),))
def by_index(a):
    return np.linalg.eigh(a)[0][-1] * np.linalg.slogdet(a)[1]


@program(lambda: (symmetric(6, 3),))
def unpacked_further(a):
    (low, mid, high), v = np.linalg.eigh(a)
    return low * mid / high + v[0, 0] ** 2


@program(lambda: (symmetric(7, 3),))
def same_name_twice(a):
    w, w = np.linalg.eigh(a)
    return w[0, 0] ** 2


@program(lambda: (symmetric(8, 3),))
def rebound_results(a):
    w, v = np.linalg.eigh(a)
    w = w * w[0]
    v = v * w
    return (v @ v.T).sum() + w[0]


@program(lambda: (symmetric(9, 3),))
def written_results(a):
    w, v = np.linalg.eigh(a)
    w[0] = w[1] * 2.0
    v[:, 0] *= w
    return (v ** 2).sum() + (w ** 2).sum()


@program(lambda: (symmetric(10, 3), 3))
def iterated(a, n):
    total = 0.0
    for i in range(n):
        w, v = np.linalg.eigh(a)
        total += w[i] * v[i, i] ** 2
        if w[0] > 0.1:
            a = (v * np.sqrt(w)) @ v.T + 0.1 * a
    return total


@program(lambda: (symmetric(11, 3), normal(12, 3, 3), 1))
def chosen_results(a, m, which):
    if which:
        u, s = np.linalg.eigh(a)
    else:
        u, s = m, a
    return (u * s).sum()


@program(lambda: (symmetric(13, 3),))
def returned_whole(a):
    return np.linalg.eigh(a)


@program(lambda: (normal(14, 5, 3),))
def handed_to_a_function(m):
    return low_rank(*np.linalg.svd(m, full_matrices=False)).sum()


def low_rank(u, s, vh):
    return (u[:, :2] * s[:2]) @ vh[:2]


@program(lambda: (normal(15, 3, 5),))
def full_svd_for_its_values(m):
    _, s, _ = np.linalg.svd(m)
    return (s ** 3).sum()


@program(lambda: (normal(16, 2, 4, 3),))
def stacked_qr(m):
    q, r = np.linalg.qr(m)
    return (q ** 3).sum() + np.abs(r).sum()


@program(lambda: (normal(17, 6, 3), normal(18, 6)))
def least_squares(a, b):
    x, residuals, _, values = np.linalg.lstsq(a, b, rcond=None)
    return (x ** 2).sum() + residuals[0] * values[-1]


@program(lambda: (symmetric(19, 4), normal(20, 4)))
def gaussian_likelihood(k, y):
    factor = np.linalg.cholesky(k)
    white = np.linalg.solve(factor, y)
    return 0.5 * white @ white + np.log(np.diagonal(factor)).sum()


@program(lambda: (symmetric(21, 4), normal(22, 4)))
def log_determinant(k, y):
    sign, value = np.linalg.slogdet(k)
    return sign * value + y @ np.linalg.solve(k, y)


@program(lambda: (5.0 * normal(23, 4),))
def whole_and_fraction(x):
    fraction, whole = np.modf(x)
    return (fraction * whole).sum()


@program(lambda: (positive(24, 4), positive(25, 2, 4) / 7.0))
def quotients_and_rests(x, y):
    quotient, rest = np.divmod(x, y)
    return (quotient * rest ** 2).sum()


@program(lambda: (positive(26, 4),))
def mantissas(x):
    mantissa, exponent = np.frexp(x)
    return (mantissa ** 2 * exponent).sum()


@program(lambda: (symmetric(27, 3),))
def results_in_a_list(a):
    found = [np.linalg.eigh(a), np.linalg.slogdet(a)]
    return (found[0][0] * found[0].eigenvectors).sum() + found[1].logabsdet


@program(lambda: (np.float32(1) * symmetric(28, 3).astype(np.float32),))
def single_precision(a):
    w, v = np.linalg.eigh(a)
    return (w * v[0] ** 2).sum()


@program(lambda: (symmetric(31, 3),))
def named_as_what_they_are_of(a):
    a, v = np.linalg.eigh(a)
    v, s, _ = np.linalg.svd(v ** 2 * a, full_matrices=False)
    a, s = np.linalg.qr(v ** 2 + s)
    return np.sum(a * s) + s[0, 1]


@program(lambda: (symmetric(32, 3),))
def one_of_several(a):
    pair = np.linalg.slogdet(a)
    values = np.linalg.eigh(a).eigenvalues
    return pair[1] * values[0] + np.linalg.qr(a)[1][0, 1] + np.linalg.svd(a)[1].sum() + pair.logabsdet


@program(lambda: (symmetric(33, 3),))
def several_returned(a):
    return np.linalg.eigh(a), np.linalg.slogdet(a)


@program(lambda: (normal(34, 5),))
def wholes_and_parts(x):
    whole, part = np.divmod(x, 0.3)
    fraction, integer = np.modf(3.0 * x)
    mantissa, exponent = np.frexp(x)
    counts, edges = np.histogram(x, 3)
    return np.sum(whole * part + fraction * integer + mantissa * 2.0 ** exponent) + counts @ edges[1:] ** 2


@program(lambda: (normal(35, 3, 4), np.array([0.2, 0.5, 1.0])))
def weighted_in_both_ways(a, weights):
    mean, total = np.average(a, axis=0, weights=weights, returned=True)
    return np.sum(mean ** 2 * total) + np.average(a ** 2, axis=0, weights=weights).prod()


@program(lambda: (normal(33, 2, 3, 3),))
def full_svd_of_square_matrices(a):
    u, s, vh = np.linalg.svd(a)
    return np.sum((u * np.sqrt(s)[:, None, :]) @ vh * np.cos(a))


@program(lambda: (normal(5, 2, 3, 3), normal(6, 6, 6), normal(7, 6)))
def decompositions_by_keyword(stack, m, b):
    """Of symmetric matrices the singular values and vectors come from their eigenvalues; ``axes`` of an array are those
    that the solution has."""
    parts = np.linalg.svd(stack, hermitian=True)
    values = np.linalg.svd(stack + stack.mT, compute_uv=False, hermitian=True)
    whole = (m + 6 * np.eye(6)).reshape(2, 6, 3)
    solution = np.linalg.tensorsolve(whole.transpose(1, 0, 2), b) - np.linalg.tensorsolve(whole, b, axes=(0, 2))
    return np.sum(parts.U[..., 0] ** 2 * parts.S) + np.sum(values ** 2) + np.sum(solution) + np.sum(
        np.linalg.tensorsolve(whole, b, axes=(0, 2)) ** 2)


@program(lambda: (normal(5, 3, 3) + 9 * np.diag(np.arange(3.0)),))
def eigenvalues_taken_for_real(m):
    """From NumPy 2.5 on they are complex numbers, of any matrix."""
    values, vectors = np.linalg.eig(m)
    squares = np.real(np.linalg.eigvals(m @ m)) ** 2
    return np.sum(np.real(values) ** 2) + np.sum(np.real(vectors)[0] ** 2) + np.sum(squares)
