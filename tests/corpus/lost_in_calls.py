"""Functions that write into arrays that they get and bind the names of these anew, as by exchanging them with a buffer:
what such an array holds afterwards nobody asks."""
from __future__ import annotations

import numpy as np

import s2sgrad
from corpus.registry import positive, program


def advect(u, c, steps=3):
    new = np.empty_like(u)
    for _ in range(steps):
        new[0] = u[0]
        new[1:] = u[1:] - c * u[1:] * (u[1:] - u[:-1])
        u, new = new, u
    return u


@program(lambda: (positive(0, 6), 0.2))
def solver_that_exchanges_buffers(u, c):
    final = advect(u, c)
    return np.sum(final * final)


@program(lambda: (positive(1, 5), 0.3))
def of_a_copy(start, c):
    coarse, fine = advect(start.copy(), c), advect(start.copy(), 0.5 * c, 6)
    return np.sum((fine - coarse) ** 2) + start[0]


@program(lambda: (positive(2, 5), 0.3), needs="shapes")
def under_the_same_name(u, c):
    for steps in range(1, 4):
        u = advect(u, c, steps)
        u = u * u
    return u.sum()


def smoothed(u, other):
    other[1:-1] = 0.25 * (u[:-2] + 2.0 * u[1:-1] + u[2:])
    other[0], other[-1] = u[0], u[-1]
    u, other = other, u
    return u, other


@program(lambda: (positive(3, 6), 1.1), needs="shapes")
def pair_that_comes_back_exchanged(u, k):
    other = np.zeros_like(u)
    for _ in range(3):
        u, other = smoothed(u, other)
        u = k * u ** 2
    return np.sum(u) + other[1]


def in_two_levels(v, k):
    return advect(v, k, 2) * k


@program(lambda: (positive(4, 5), 0.4), needs="shapes")
def through_a_function_between(v, k):
    return np.sum(in_two_levels(v * 1.0, k) ** 2) + v[2]


@program(lambda: (positive(5, 4), 0.7))
def argument_bound_anew(x, k):
    def scaled(a):
        a *= k
        a = a ** 2
        return a + k

    return np.sum(scaled(x.copy())) * x[0]


@program(lambda: (positive(6, 4),))
def recursion_with_two_buffers(x):
    def squared(a, b, n):
        if n == 0:
            return a
        b[:] = a * a[::-1]
        a, b = b, a
        return squared(a, b, n - 1)

    return squared(x.copy(), np.zeros_like(x), 3).sum()


@program(lambda: (positive(7, 5),))
def gradient_of_such_a_function(x):
    def energy(v):
        return np.sum(advect(v.copy(), 0.2) ** 2)

    return np.sum(s2sgrad.grad(energy)(x) * x)
