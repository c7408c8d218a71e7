"""Functions that write into what they are given, and functions that hand on what they were given."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


def hold_ends(u, left, right):
    u[0] = left
    u[-1] = right


@program(lambda: (normal(1, 6), 0.3, -0.2), needs="shapes")
def walls(x, left, right):
    u = x * 1.0
    for _ in range(3):
        u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        hold_ends(u, left, right)
    return (u ** 2).sum()


def scale(v, a):
    s = (v * v).sum()
    v *= a
    if s > 1e3:
        return s
    v[1:] += v[:-1] ** 2
    return s * v[0]


@program(lambda: (normal(2, 4), 0.5), needs="shapes")
def scaled_again_and_again(x, a):
    u = x * 2.0
    s = scale(u, a)
    t = scale(u, s * 0.1)
    u *= u
    r = scale(u, a)
    return (u * x).sum() * t + r


def step(u, v, dt):
    v[:] = u * dt + v
    u += v * u


@program(lambda: (normal(3, 4), normal(4, 4), 0.1))
def two_arrays_written(p, q, dt):
    u, v = p.copy(), q.copy()
    for _ in range(3):
        step(u, v, dt)
        u, v = v, u
    return (u * v).sum()


def fill(buffer, x):
    for i in range(len(x)):
        buffer[i] = x[i] ** 2


@program(lambda: (normal(5, 4),))
def passive_buffer_filled(x):
    buffer = np.zeros(4)
    fill(buffer, x)
    s = (buffer * x).sum()
    fill(buffer, x * s)
    return buffer


def doubled(u):
    u *= 2.0
    return u


@program(lambda: (normal(6, 4),), needs="shapes")
def written_and_handed_back(x):
    u = x * 1.0
    u = doubled(u)
    w = doubled(u)
    return (w * x).sum() + w[0] ** 2


def clipped(u, low):
    for i in range(len(u)):
        if u[i] < low:
            u[i] = low
            if i == 2:
                return i
        elif i == 3:
            return 2.0 * u[i]
    return u[0] * u[1]


@program(lambda: (normal(7, 5), -0.4), needs="shapes")
def left_early_inside(x, low):
    u = x * x - 0.6
    a = clipped(u, low)
    u *= x
    b = clipped(u, low * a)
    return (u ** 2).sum() * a + b


def twice_removed(u, left, right):
    u *= u
    hold_ends(u, left * right, right)
    return u.sum()


@program(lambda: (normal(8, 4), 0.7))
def written_by_a_function_of_a_function(x, a):
    u = x.copy()
    total = 0.0
    for i in range(2):
        if i == 1:
            hold_ends(u, total, a)
        t = twice_removed(u, a, x[i])
        total += t
    return total + u[1]


def set_all(m, value):
    m[:] = value


@program(lambda: (normal(10, 3),))
def constants_written(x):
    m = np.ones(3)
    y = (x * m).sum()
    set_all(m, 3.0)
    y *= (x * m).sum()
    set_all(m, y)
    return (x * m).sum()


@program(lambda: (normal(11, 3),), needs="shapes")
def forgotten(x):
    u = x * x
    s = u.sum()
    set_all(u, 1.0)
    return s * u.sum() + u[0] * x[0]


def normalised(u):
    size = np.sqrt((u ** 2).sum())
    u /= size
    return size


@program(lambda: (normal(12, 3, 3), normal(13, 3)), needs="shapes")
def power_iteration(m, x):
    v = x.copy()
    size = 0.0
    for _ in range(4):
        v = m @ v
        size = normalised(v)
    return size + v[0]


@program(lambda: (normal(14, 4).astype(np.float32),), needs="shapes")
def single_precision(x):
    u = x * 2
    hold_ends(u, u[1] * u[2], x[0])
    return (u * u).sum()


@program(lambda: (normal(15, 4),), needs="shapes")
def written_in_one_arm(x):
    u = x * 1.0
    if x[0] > -100.0:
        hold_ends(u, x[1] ** 2, 0.0)
    else:
        u = u * 2.0
    return (u * x).sum()


@program(lambda: (normal(16, 4),))
def copy_written(x):
    u = x * 1.0
    s = (u ** 3).sum()
    w = u.copy()
    hold_ends(w, s, u[1])
    return (w * u).sum()


@program(lambda: (normal(17, 4),), needs="shapes")
def result_and_array_have_one_cotangent(x):
    u = x * 1.0
    w = doubled(u)
    z = w + u
    z *= x
    return (z ** 2).sum()


@program(lambda: (normal(18, 4),), needs="shapes")
def cotangents_in_one_place(x):
    u = x * 1.0
    w = lifted(u)
    return (w + u) * x


def lifted(u):
    u *= u
    return u * u


@program(lambda: (normal(19, 4), normal(20, 4)), needs="shapes")
def pair_and_arrays(x, y):
    u, v = x * 1.0, y * 1.0
    a, b = exchanged(u, v)
    return a + u, (b + v) * u


def exchanged(u, v):
    u *= v
    v[1:] = u[:-1] * v[1:]
    return u * v, (u + v) * v
