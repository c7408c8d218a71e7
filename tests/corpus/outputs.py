"""Calls of NumPy's functions that write what they give into an array: ``y = np.multiply(a, b, out=u)``."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program, spread


@program(lambda: (normal(1, 4), normal(2, 4)))
def named(a, b):
    buffer = np.empty(4)
    y = np.multiply(a, b, out=buffer)
    z = np.add(y, b, out=np.empty_like(a))
    return (y ** 2).sum() * buffer[1] + (z ** 3).sum()


@program(lambda: (normal(1, 4), normal(2, 4)), needs="shapes")
def inside_an_expression(a, b):
    u = a * 2.0
    s = (u * b).sum() * np.add(u, b, out=u).sum()
    return s * (u ** 2).sum()


@program(lambda: (normal(1, 4), normal(2, 4)), needs="shapes")
def operands_read_before_and_after(a, b):
    u = a * 2.0
    s = u[0] * np.add(u, b, out=u).sum() * u[0]
    u = np.sin(u, out=np.empty_like(u))
    return s + (u * np.multiply(u, b, out=u) * u).sum()


@program(lambda: (normal(1, 4), normal(2, 4)), needs="shapes")
def in_one_way_only(a, b):
    u = a * 2.0
    s = np.add(u, b, out=u).sum() if a[0] > 0.0 else np.multiply(u, b, out=u).sum()
    t = s > 0.0 and np.exp(u, out=u)[0] > 1.0
    return s * (u ** 2).sum() * (2.0 if t else 3.0)


@program(lambda: (normal(1, 4), normal(2, 4)), needs="shapes")
def in_a_test(a, b):
    u = a * 2.0
    while np.multiply(u, 0.7, out=u).max() > 0.5:
        b = b + u
    return (u * b).sum()


@program(lambda: (normal(1, 4), normal(2, 4)), needs="shapes")
def returned(a, b):
    u = a * b
    np.exp(np.negative(u, out=u), out=u)
    return np.add(u, b, out=u)


@program(lambda: (normal(1, 4),))
def views_of_an_argument(x):
    y = np.multiply(x[1:], x[:-1], out=x[1:])
    np.sin(x[:2], out=x[2:])
    return (x ** 2).sum() * y[0]


@program(lambda: (normal(1, 4),))
def by_place_or_in_a_tuple(x):
    u = np.zeros(4)
    np.sin(x, u)
    np.add(u, x, u)
    v = np.exp(u, out=(u,))
    return (u ** 2).sum() * np.cos(v, out=None)[1]


@program(lambda: (normal(1, 3, 3), normal(2, 3, 3)), needs="shapes")
def products(a, b):
    c, d, e = np.empty(a.shape), np.empty_like(a), a * 1.0
    np.dot(a, b, out=c)
    a.dot(c, out=d)
    np.einsum("ij,kj->ik", d, b, out=e)
    np.matmul(e, a, out=e)
    np.outer(a[0], b[1], out=a)
    return (c * d * e * a).sum()


@program(lambda: (normal(1, 3, 4),), needs="shapes")
def sums(x):
    c, d, e = np.empty(4), np.empty(3), np.empty(4)
    np.sum(x, axis=0, out=c)
    x.mean(axis=1, out=d)
    np.max(x, axis=0, out=e)
    np.cumsum(c, out=c)
    np.add.accumulate(e, out=e)
    np.std(x, axis=0, out=x[1])
    return (c ** 2).sum() * d[1] + e @ x[1] + np.prod(x, axis=0, out=x[0])[2]


@program(lambda: (normal(1, 4),), needs="shapes")
def clipped_and_taken(x):
    c, d = np.empty(4), np.empty(2)
    np.clip(x, -0.5, 0.7, out=c)
    x.clip(-0.5, 0.7, out=x)
    np.take(c, [0, 2], out=d)
    return (c ** 2).sum() + (x ** 3).sum() * d[1]


@program(lambda: (normal(1, 4), np.array([1.0, 0.0, 2.0, 0.0])), argnums=(0,))
def quotient_where_there_is_one(x, d):
    c = np.divide(x, d, out=np.zeros_like(x), where=d != 0)
    np.multiply(c, c, out=c, where=d > 1.0)
    s = np.divide(1.0, d, out=x, where=d > 0.0)
    return (c ** 2).sum() + (s * x).sum()


@program(lambda: (normal(1, 4), np.array([True, False, True, True])), needs="shapes")
def chosen_in_place(x, mask):
    u = x ** 2
    np.sqrt(u, out=u, where=mask)
    np.exp(u, out=u, where=u < x)
    return (u * x).sum()


FLAGS = np.array([[True, False, True], [False, True, True]])


@program(lambda: (normal(1, 2, 3), normal(2, 3)))
def masks_and_operands_that_are_broadcast(x, w):
    y = np.multiply(x[:1], w, out=np.zeros_like(x), where=x[:, 1:2] > x[0, 0])
    np.exp(x, out=y, where=FLAGS[:1, :3])
    sums = np.add(y, w, out=np.ones((4, 2, 3)), where=[True, False, True])
    return (sums ** 2).sum() + np.sin(y, out=y, where=True).sum()


@program(lambda: (normal(1, 4),), needs="shapes")
def filled_in_other_ways(x):
    u = x * 2.0
    np.copyto(dst=u, src=x * u)
    np.place(u, u > 0.3, [x[0]])
    np.put(u, [0, 2], 3.0)
    u.put([1], x[0])
    np.put(u, [3, 1], [x[1] * u[1], 2.0])
    return (u ** 2).sum()


@program(lambda: (spread(1, 6),), needs="shapes")
def partly_sorted(x):
    u = x * 2.0
    u.partition(3)
    x.partition(2)
    return u[:3].sum() * u[3] + x[:2].sum() * x[2]


@program(lambda: (normal(1, 3, 4), normal(2, 4, 3)), needs="shapes")
def diagonals_of_any_matrix(x, y):
    u, v = x * 2.0, y * x.T
    np.fill_diagonal(u, x[0, 1])
    np.fill_diagonal(v, 0.5)
    return (u ** 2).sum() * (v ** 2).sum()


@program(lambda: (normal(51, 3), 2))
def diagonals_of_any_length(x, count):
    u = np.zeros((count, 4))
    np.fill_diagonal(u, x)
    v = np.outer(x, x)
    np.fill_diagonal(v, x[:count] ** 2)
    w = np.ones((4, 3))
    np.fill_diagonal(w, v[:count])
    np.fill_diagonal(v, x[count + 1:])
    return np.sum(u @ u.T) + np.sum(v * v) + np.sum(w * v[0])
