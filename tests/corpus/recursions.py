"""Functions that call themselves in their own ways: in loops, in attempts, from one another, with several results."""
from __future__ import annotations

import math

import numpy as np

from corpus.registry import normal, positive, program


def pair(x, n):
    if n == 0:
        return x, {"a": x ** 2}
    a, d = pair(x * x, n - 1)
    return a * x, {"a": d["a"] * a}


def even(x, n):
    return x if n == 0 else odd(x, n - 1) * np.sin(x)


def odd(x, n):
    return x ** 2 if n == 0 else even(x, n - 1) + x ** 3


def until(x, n):
    if n > 3:
        return x
    if np.sum(x) > 1:
        return until(x * 0.5, n + 1) * x
    return until(x + 0.3, n + 1) ** 2 + until(x * 1.5, n + 2)


def by_keyword(x, *, n):
    return x if n == 0 else by_keyword(x, n=n - 1) * x


def with_defaults(x, n=2, k=1.5):
    return x if n == 0 else with_defaults(x, n - 1) * k + with_defaults(x, n - 1, k=x) * x


def of_complex_numbers(z, n):
    return z if n == 0 else of_complex_numbers(z * z + 1j * z, n - 1) * z


def from_a_loop(x, n):
    while n > 0:
        n -= 1
        if n == 1:
            return from_a_loop(x, n) * x
        x = x * 1.1 + np.sin(x)
    return x


def in_an_attempt(x, n):
    if n == 0:
        raise ValueError("done")
    try:
        y = in_an_attempt(x, n - 1) * x
    except ValueError:
        y = x
    return y * x


def handed_through(x, n):
    return x if n == 0 else handed_through(x, n - 1)


@program(lambda: (normal(1, 3), 2))
def several_results(x, n):
    a, d = pair(x, n)
    return np.sum(a * d["a"])


@program(lambda: (normal(2, 3), 3))
def begun_at_both(x, n):
    return np.sum(even(x, n) * odd(x, n))


@program(lambda: (normal(3, 3), 0))
def decided_by_values(x, n):
    return np.sum(until(x, n))


@program(lambda: (normal(4, 3), 3))
def keywords_and_defaults(x, n):
    return np.sum(by_keyword(x, n=n)) + np.sum(with_defaults(x, n) ** 2)


@program(lambda: (normal(5, 3), 2))
def complex_arguments(x, n):
    return np.sum(np.abs(of_complex_numbers(x + 0.5j, n)) ** 2)


@program(lambda: (normal(6, 3), 4))
def called_in_a_loop(x, n):
    return np.sum(from_a_loop(x, n) ** 2)


@program(lambda: (normal(7, 3), 3))
def in_attempts(x, n):
    return np.sum(in_an_attempt(x, n) ** 2)


@program(lambda: (normal(8, 3), 2))
def what_is_given_is_written_later(x, n):
    u = x.copy()
    y = handed_through(u, n) * u
    u *= y
    u[0] = 3.0
    return np.sum(handed_through(u, n) ** 2 * y)


@program(lambda: (normal(9, 3), 2))
def functions_handed_on(x, n):
    def go(f, y, k):
        return y if k == 0 else f(go(f, y, k - 1))

    return np.sum(go(lambda z: z * x, x, n))


def coarser(r):
    return 0.25 * r[:-2:2] + 0.5 * r[1:-1:2] + 0.25 * r[2::2]


def finer(e, n):
    out = np.zeros(n)
    out[1:-1:2] = e
    out[2:-2:2] = 0.5 * (e[:-1] + e[1:])
    out[0], out[-1] = 0.5 * e[0], 0.5 * e[-1]
    return out


def residual(u, f, h):
    r = np.empty_like(u)
    r[0] = f[0] - (2 * u[0] - u[1]) / h ** 2
    r[-1] = f[-1] - (2 * u[-1] - u[-2]) / h ** 2
    r[1:-1] = f[1:-1] - (2 * u[1:-1] - u[:-2] - u[2:]) / h ** 2
    return r


def cycle(u, f, h):
    if len(u) == 1:
        return np.array([f[0] * h ** 2 / 2])
    u = u + h ** 2 / 3 * residual(u, f, h)
    coarse = coarser(residual(u, f, h))
    u = u + finer(cycle(np.zeros_like(coarse), coarse, 2 * h), len(u))
    u += h ** 2 / 3 * residual(u, f, h)
    return u


@program(lambda: (normal(10, 7), 0.125))
def cycles_of_a_multigrid_solver(f, h):
    u = np.zeros(len(f))
    for _ in range(2):
        u = cycle(u, f, h)
    return np.sum(u ** 2)


def halves_with_repeats(u):
    if len(u) == 1:
        return u * 2.0
    w = u + np.repeat(halves_with_repeats(u[::2]), 2)
    w += np.sin(w)
    w[0] *= 2.0
    return w


@program(lambda: (normal(11, 4),))
def changed_where_it_was_made_of_a_call_of_itself(x):
    return np.sum(halves_with_repeats(x) ** 2)


def smoothed(u, f):
    u *= 0.5
    if len(u) > 2:
        coarse = f[::2].copy()
        smoothed(coarse, np.sin(coarse))
        u += np.repeat(coarse, 2)[:len(u)]


def every_second(x):
    y = x[::2] * 2
    return y * every_second(y) if len(y) > 1 else y


@program(lambda: (normal(12, 5), normal(13, 3)))
def sizes_that_its_calls_inside_itself_have_otherwise(x, y):
    """In each call the same expression gives an array of another size."""
    u = x * 3
    smoothed(u, np.cos(x))
    return np.sum(u ** 2) + np.sum(every_second(y))


def butterfly(u, v, w):
    turned = w * v
    v[:] = u - turned
    u[:] += turned


def transform(u, w):
    half = len(u) // 2
    if half == 0:
        return
    transform(u[:half], w * 0.5)
    transform(u[half:], w * 0.7)
    butterfly(u[:half], u[half:], w)


@program(lambda: (normal(1, 8), 0.4))
def halves_of_an_array_in_place(x, w):
    u = x * 1.0
    transform(u, w)
    return np.sum(u ** 2 * np.arange(len(u)))


@program(lambda: (positive(5, 4),))
def paths_as_defaults(x):
    """An empty tuple is a literal: of a function that calls itself, and of a generator."""
    below, shift = {0: (1, 2), 1: (3,), 2: (3,), 3: ()}, 2.0 * x[0]

    def paths(node, path=()):
        path = (*path, node)
        if not below[node]:
            yield path
        for other in below[node]:
            yield from paths(other, path)

    def largest(node, values=()):
        values = values + (x[node] + shift,)
        return max(largest(other, values) for other in below[node]) if below[node] else math.prod(values)

    return largest(0) + sum(x[path[1]] * x[path[-1]] for path in paths(0))


def smooth(u, f, h):
    for _ in range(2):
        u[1:-1] = 0.5 * (u[2:] + u[:-2] + h * h * f[1:-1])


def restricted(u, f, h):
    r = np.zeros_like(u)
    r[1:-1] = f[1:-1] + (u[2:] - 2.0 * u[1:-1] + u[:-2]) / h ** 2
    return r[::2]


def corrected(u, f, h):
    if len(u) <= 3:
        u[1:-1] = 0.5 * h * h * f[1:-1]
        return u
    smooth(u, f, h)
    r = restricted(u, f, h)
    e = corrected(np.zeros_like(r), r, 2.0 * h)
    u[::2] += e
    u[1::2] += 0.5 * (e[1:] + e[:-1])
    smooth(u, f, h)
    return u


@program(lambda: (normal(1, 9), 0.125))
def multigrid_in_place(f, h):
    return np.sum(corrected(np.zeros_like(f), f, h) ** 2)


@program(lambda: (normal(1, 4),))
def generators_inside_that_call_themselves(x):
    def tails(v):
        if len(v) > 1:
            yield from tails(v[1:])
        yield v.sum()

    def heads(v):
        yield v[0] * len(v)
        if len(v) > 1:
            yield from heads(v[:-1])

    total = 0.0
    for k, s in enumerate(tails(x * x)):
        total += s ** 2 * k
    return total + sum(heads(np.sin(x)))
