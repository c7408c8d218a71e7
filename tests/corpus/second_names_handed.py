"""Functions that write into an argument under a second name, or into one that may be left out, and what their callers
have of it then.
"""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


def vector():
    return (normal(1, 5),)


def vectors():
    return normal(1, 5), normal(2, 5)


def scale_alias(h, c):
    w = h
    w *= c


@program(vectors, needs="shapes")
def alias_written_in_callee(x, c):
    h = np.sin(x)
    scale_alias(h, c)
    return (h ** 2).sum()


@program(vectors)
def alias_written_in_callee_argument(x, c):
    scale_alias(x, c)
    return (x ** 2).sum()


def scale_alias_back(h, c):
    w = h
    w *= c
    return w


@program(vectors, needs="shapes")
def alias_returned_by_callee(x, c):
    h = np.sin(x)
    k = scale_alias_back(h, c)
    return (k ** 2).sum()


@program(vectors, needs="shapes")
def alias_returned_by_callee_and_old(x, c):
    h = np.sin(x)
    k = scale_alias_back(h, c)
    return (k ** 2).sum() + np.sin(h).sum()


@program(vectors, needs="shapes")
def alias_returned_same_name(x, c):
    h = np.sin(x)
    h = scale_alias_back(h, c)
    return (h ** 2).sum()


def diffuse(u, out=None):
    out = out if out is not None else np.zeros(5)
    out[1:-1] = u[2:] - 2 * u[1:-1] * u[1:-1] + u[:-2]
    return out


@program(vector)
def out_or_new_given_reads_buffer(x):
    b = np.zeros(5)
    diffuse(x, out=b)
    return (b ** 2).sum()


@program(vector)
def out_or_new_both_read(x):
    b = np.zeros(5)
    y = diffuse(x, out=b)
    return (y ** 2).sum() + np.sin(b).sum()


def diffuse3(u, out=None):
    r = out if out is not None else np.empty_like(u)
    r[:] = u * u
    return r


@program(vector)
def out_new_name_given(x):
    b = np.zeros(5)
    y = diffuse3(x, b)
    return (y ** 2).sum()


@program(vector)
def out_new_name_both(x):
    b = np.zeros(5)
    y = diffuse3(x, b)
    z = diffuse3(y)
    return (y * z).sum() + b.sum()


def clamp(u, inplace):
    v = u if inplace else u.copy()
    v[v < 0] = 0.0
    return v


@program(vector, needs="shapes")
def inplace_flag_true(x):
    h = x * 2
    v = clamp(h, True)
    return (v ** 2).sum()


@program(vector, needs="shapes")
def inplace_flag_true_both(x):
    h = x * 2
    v = clamp(h, True)
    return (v ** 2).sum() + h.sum()


@program(vector)
def inplace_flag_false(x):
    h = x * 2
    v = clamp(h, False)
    return (v ** 2).sum() + h.sum()


def loop_alias(u, c):
    w = u
    for i in range(1, 5):
        w[i] += c[i] * w[i - 1]
    return w.sum()


@program(vectors, needs="shapes")
def alias_in_loop_callee(x, c):
    return loop_alias(x * 1.0, c)
