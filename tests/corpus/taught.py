"""Algorithms as lecture notes and notebooks have them: sequences, decisions, elements, equilibria, layers."""
from __future__ import annotations

import math

import numpy as np

from corpus.registry import normal, positive, program


@program(lambda: (positive(1, 3, 2, 3) / 3, normal(2, 3), 0.9))
def value_iteration(moves, reward, discount):
    value = np.zeros(len(reward))
    for _ in range(4):
        choices = reward[:, None] + discount * np.einsum("sat,t->sa", moves, value) * np.array([1.0, 0.7])
        value = choices.max(axis=1)
    return value.sum()


def log_sum_exp(terms):
    largest = max(terms)
    return largest + math.log(sum(math.exp(term - largest) for term in terms))


@program(lambda: (normal(3, 4, 3), normal(4, 3, 3), [0, 2, 1, 1]))
def conditional_random_field(emitted, moved, tags):
    n, k = emitted.shape
    score = emitted[0, tags[0]] + sum(moved[tags[t - 1], tags[t]] + emitted[t, tags[t]] for t in range(1, n))
    alpha = [emitted[0, j] for j in range(k)]
    for t in range(1, n):
        alpha = [log_sum_exp([alpha[i] + moved[i, j] for i in range(k)]) + emitted[t, j] for j in range(k)]
    return log_sum_exp(alpha) - score


@program(lambda: (np.log(positive(5, 4, 3)), [1, 2]))
def temporal_classification(logarithms, labels, blank=0):
    extended = [blank]
    for label in labels:
        extended += [label, blank]
    alpha = np.full((len(logarithms), len(extended)), -np.inf)
    alpha[0, 0], alpha[0, 1] = logarithms[0, blank], logarithms[0, extended[1]]
    for t in range(1, len(logarithms)):
        for s in range(len(extended)):
            ways = [alpha[t - 1, s]]
            if s > 0:
                ways.append(alpha[t - 1, s - 1])
            if s > 1 and extended[s] not in (blank, extended[s - 2]):
                ways.append(alpha[t - 1, s - 2])
            largest = max(ways)
            if largest == -np.inf:
                continue
            alpha[t, s] = largest + np.log(sum(np.exp(way - largest) for way in ways)) + logarithms[t, extended[s]]
    return -np.logaddexp(alpha[-1, -1], alpha[-1, -2])


@program(lambda: (np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.5, 0.6]]), positive(6, 4)))
def triangles_put_together(nodes, conductivity):
    n = len(nodes)
    stiffness, load = np.zeros((n, n)), np.zeros(n)
    for e, (a, b, c) in enumerate([(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)]):
        places = np.array([a, b, c])
        d = np.hstack([np.ones((3, 1)), nodes[[a, b, c]]])
        area = abs(np.linalg.det(d)) / 2
        slopes = np.linalg.inv(d)[1:]
        stiffness[np.ix_(places, places)] += conductivity[e] * area * slopes.T @ slopes
        load[places] += area / 3
    free = np.setdiff1d(np.arange(n), [0])
    u = np.zeros(n)
    u[free] = np.linalg.solve(stiffness[free][:, free], load[free])
    return u.max() + load @ u


@program(lambda: (np.array([0.3, 0.3, 0.4]), np.array([3.0, 1.1, 0.2])))
def flash_of_a_mixture(z, k):
    vapour, turns = 0.5, 0
    while True:
        t = 1 + vapour * (k - 1)
        step = np.sum(z * (k - 1) / t) / -np.sum(z * (k - 1) ** 2 / t ** 2)
        vapour -= step
        turns += 1
        if abs(step) < 1e-13:
            break
        if turns > 50:
            raise ArithmeticError("no convergence")
    liquid = z / (1 + vapour * (k - 1))
    return {"vapour": vapour, "x": liquid, "y": k * liquid}


@program(lambda: (np.array([1.0, 1.4, 2.1, 1.5]), np.array([0.1, 0.08]), 0.55))
def thin_films(n, thickness, wavelength):
    m = np.eye(2, dtype=complex)
    for index, d in zip(n[1:-1], thickness):
        phase = 2 * np.pi * index * d / wavelength
        m = m @ np.array([[np.cos(phase), 1j * np.sin(phase) / index], [1j * index * np.sin(phase), np.cos(phase)]])
    (a, b), (c, d) = m
    top = n[0] * a + n[0] * n[-1] * b
    bottom = c + n[-1] * d
    return np.abs((top - bottom) / (top + bottom)) ** 2
