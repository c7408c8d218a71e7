"""Functions of NumPy's own that are differentiated by their source, and arguments that say what holds anyway."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program


@np.vectorize
def bent(v):
    if v > 0.0:
        return v ** 2
    return -0.5 * v


def hinge(a, b):
    return a * b if a > b else b - a


@program(lambda: (normal(1, 4),))
def numpys_polynomials(c):
    total = np.polyval(np.polyder(c), 0.7) + np.polyval(np.polyadd(c, c[:2] ** 2), 0.3)
    return total + np.sum(np.polysub(c, c[1:]) ** 2) + np.sum(np.poly(c[:3]) ** 2)


@program(lambda: (normal(1, 4), 0.4))
def polynomials_of_the_module(c, x):
    inner = np.polynomial.polynomial.polyval(x, c) + np.polynomial.chebyshev.chebval(x, c)
    return inner + np.polynomial.legendre.legval(x, c) ** 2


@program(lambda: (0.3, 1.7))
def points_between(a, b):
    y = np.logspace(a, b, 5)
    z = np.geomspace(a, b, num=4)
    return np.sum(y * 0.1) + np.sum(z ** 2)


@program(lambda: (normal(1, 5),))
def sets_as_selections(x):
    kept = np.setdiff1d(x, x[:2])
    both = np.union1d(x[:3], x[2:])
    return np.sum(kept ** 2) + np.sum(both * np.arange(both.size))


@program(lambda: (normal(1, 3, 4),))
def linear_algebra_by_other_names(m):
    a = np.linalg.matmul(m, np.linalg.matrix_transpose(m)) if hasattr(np.linalg, "matmul") else m @ m.T
    return np.sum(a ** 2) + np.sum(np.asfortranarray(m) * np.asanyarray(m))


@program(lambda: (normal(1, 4),))
def halves_of_spectra(x):
    return np.sum(np.fft.hfft(x) ** 2) + np.sum(np.abs(np.fft.ihfft(x, norm="ortho")) ** 2)


@program(lambda: (normal(1, 2, 3),))
def each_element(m):
    return np.sum(bent(m) * m) + bent(m[0, 1]) ** 2


@program(lambda: (normal(1, 2, 3), normal(2, 3)))
def each_pair(m, v):
    return np.sum(np.vectorize(hinge)(m, v)) + np.sum(np.vectorize(lambda a: a ** 3)(v))


@program(lambda: (normal(1, 4),))
def arguments_at_their_defaults(x):
    y = np.array(x, copy=True, ndmin=1, order="K", subok=False)
    y[0] = x[1] ** 2
    z = np.add(np.sin(x, out=None, where=True), y, casting="same_kind", dtype=None)
    w = np.vstack((z, x), casting="same_kind")
    return np.sum(w ** 2) + np.sum(np.linspace(x[0], x[1], 3, axis=0, dtype=None, retstep=False))


@program(lambda: (positive(1, 3),))
def at_least_so_many_axes(x):
    return np.sum(np.array(x, ndmin=2) @ np.array(x, ndmin=1, copy=True)) + np.sum(np.array(x[0], ndmin=1) ** 2)


@program(lambda: (normal(1, 4),))
def cast_without_a_copy(x):
    y = x.astype(float, copy=False)
    z = y.astype(np.float64, copy=False) ** 2
    return np.sum(z * y)


squared = np.vectorize(lambda v: v * v if v > 0.0 else -v)


@program(lambda: (normal(1, 2, 3),))
def each_element_by_a_lambda_of_the_module(m):
    return np.sum(squared(m) * m)


tripled = np.vectorize(lambda v: 2 if v > 0.0 else v * v, otypes=[float])


@program(lambda: (normal(1, 2, 3), normal(2, 3), 0.3))
def each_triple_as_floats(m, v, a):
    total = np.sum(np.vectorize(lambda one, two, three: one * two if one > three else three, otypes="d")(m, v, a))
    return total + np.sum(tripled(m) * m) + np.sum(np.vectorize(hinge, otypes=(np.float64,))(v, a))


@program(lambda: (normal(1, 2, 3), 0.7))
def vectorized_functions_under_names(m, scale):
    def bend(v):
        return v * scale if v > 0.0 else v * v
    bends = np.vectorize(bend, otypes=[float])
    total = np.sum(bends(m) * m) + np.sum(np.vectorize(lambda v: v * scale ** 2)([1.0, 2.0]))
    for power in range(2):
        raised = np.vectorize(lambda v: scale * v ** power)  # noqa: B023
        total += np.sum(raised(m))
    return total + applied(np.vectorize(lambda v: scale - v ** 3), m).sum()


def applied(function, m):
    return function(m) * m


@program(lambda: (normal(1, 5),))
def arrays_of_what_is_run_through(x):
    squares = np.fromiter((v * v for v in x), dtype=float, count=3)
    return np.sum(np.fromiter(map(np.sin, squares), float) * x[:3]) + np.fromiter([x[0], x[1]], dtype="d").prod()
