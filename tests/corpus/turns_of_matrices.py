"""Loops whose turns multiply one matrix with vectors: their outer products are gathered."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


def matrices(*shapes):
    return tuple(0.5 * normal(number, *shape) for number, shape in enumerate(shapes, 1))


@program(lambda: (*matrices((3, 3), (3, 2)), normal(3, 3), normal(4, 4, 2)))
def two_matrices_of_one_sum(w, v, b, xs):
    h = np.zeros(3)
    for x in xs:
        h = np.tanh(w @ h + v @ x + b)
    return np.sum(w @ h) + np.sum(h**2)


@program(lambda: (*matrices((3, 3)), normal(2, 4, 3)))
def products_in_arms_of_inner_loops(w, xs):
    total = 0.0
    for count, x in enumerate(xs):  # the inner loop has no turn at first
        h = x
        for _ in range(count):
            if h[0] > 0.1:
                h = np.tanh(w @ h)
            elif h[1] > 0.0:
                h = np.sin(np.dot(h, w)) - 0.5 * x
            else:
                continue
            if h[2] > 0.6:
                break
        total += np.sum(h) + np.outer(h, x)[0, 1]
    return total


@program(lambda: (*matrices((3, 3)), normal(2, 3), 4))
def matrix_that_changes(w, h, n):
    for k in range(n):
        h = np.tanh(w @ h)
        if k % 2:
            w = 0.9 * w
    return h


@program(lambda: (*matrices((3, 3)), normal(2, 3), 4))
def matrix_that_shrinks_in_place(w, h, n):
    w = w.copy()
    for _ in range(n):
        h = np.tanh(w @ h)
        w *= 0.9
    return np.sum(h)


@program(lambda: (*matrices((3, 3)), normal(2, 2, 3), 3))
def matrix_of_each_outer_turn(w, xs, n):
    total = 0.0
    for x in xs:
        v = w * x[0]
        for _ in range(n):
            x = np.tanh(x @ v)
        total += np.sum(x * v[1])
    return total


@program(lambda: (*matrices((3, 3)), normal(2, 3), 4))
def cotangents_that_grow(w, u, n):
    total = 0.0
    for k in range(n):
        total += u[k % 3] ** 2  # adds to the cotangent that was gathered
        u = u + w @ u
    return total + np.sum(u)


@program(lambda: (*matrices((3, 3)), normal(2, 3), 4))
def vector_that_is_changed(w, u, n):
    u = u.copy()
    for k in range(n):
        u[1:] += 0.3 * (w @ u)[:-1]
        u[k % 3] *= 1.5
        v = u
        v -= 0.1 * np.dot(w.T, v)
    return np.sum(u**2)


@program(lambda: (*matrices((3, 3), (3, 3)), normal(3, 3), 5))
def several_uses_with_signs(w, v, h, n):
    for _ in range(n):
        g = w @ h
        h = np.tanh(v @ g - w @ np.sin(g)) + 0.01 * np.sum(w**2)
        if np.sum(h) > 1.5:
            return h - v @ h
    return h


@program(lambda: ({"w": matrices((3, 3))[0], "bs": [normal(2, 3), normal(3, 3)]}, normal(4, 3)))
def matrix_in_a_dict(p, h):
    steps = 0
    while steps < 3:
        steps += 1
        with np.errstate(over="raise"):
            for b in p["bs"]:
                h = np.tanh(p["w"] @ h + b) + np.linalg.solve(p["w"] + 3.0 * np.eye(3), h)
    return np.sum(h)


def step(w, h):
    for _ in range(2):
        h = np.tanh(w @ h)
    return h


@program(lambda: (*matrices((3, 3)), normal(2, 3), 3))
def matrix_handed_on_in_each_turn(w, h, n):
    states = [h]
    for _ in range(n):
        states.append(step(w, states[-1]) + w @ states[-1])
    return np.sum(np.array(states) ** 2)


@program(lambda: (matrices((2, 3))[0] + 0.3j * normal(5, 2, 3), normal(2, 3) + 1j * normal(3, 3), 3))
def complex_matrix(w, h, n):
    total = 0.0
    for _ in range(n):
        z = w @ h
        h = np.sin(np.conj(z) @ w)
        total += np.sum(np.abs(z) ** 2)
    return total


@program(lambda: (*matrices((3, 3)), normal(2, 3), 3))
def vectors_with_names_of_one_letter(w, a, n):
    b = a.copy()
    for _ in range(n):
        i = np.cos(w @ b)
        b[:] = np.tanh(w @ a) + w @ i
        a, b = b, a
    return np.sum(a * b)


@program(lambda: (*matrices((3, 3), (3,)), 2))
def vector_of_a_size_that_is_read_elsewhere(w, h, n):
    h = h * 1.0
    for _ in range(n):
        h[:] = np.tanh(np.dot(w, np.ones(3)))
        h += w @ h
    return np.sum(h ** 2)
