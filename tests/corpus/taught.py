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


class Node:
    def __init__(self, children=(), branch=None, base=None):
        self.children, self.branch, self.base = list(children), branch, base

    @property
    def is_leaf(self):
        return not self.children


ROOT = Node([Node([Node(branch=0, base="A"), Node(branch=1, base="C")], branch=3), Node(branch=2, base="A")])


def substitutions(time, bias):
    decay = np.exp(-4.0 / 3.0 * time)
    return np.full((4, 4), 0.25 * (1.0 - decay)) * bias + np.eye(4) * decay


def partial_likelihood(node, matrix_of):
    if node.is_leaf:
        return np.eye(4)["ACGT".index(node.base)]
    likelihood = np.ones(4)
    for child in node.children:
        likelihood *= matrix_of(child) @ partial_likelihood(child, matrix_of)
    return likelihood


@program(lambda: (positive(71, 4), 1.2))
def pruned_tree(times, bias):
    return np.log(partial_likelihood(ROOT, lambda node: substitutions(times[node.branch], bias)) @ np.full(4, 0.25))


@program(lambda: (0.05, 0.3))
def option_that_may_be_exercised(rate, volatility):
    strike, grid, steps = 50.0, np.linspace(0.0, 100.0, 9), 3
    dt = 0.5 / steps
    payoff = np.maximum(strike - grid, 0.0)
    value = payoff.copy()
    j = np.arange(1, 8)
    a = 0.25 * dt * (volatility**2 * j**2 - rate * j)
    b = -0.5 * dt * (volatility**2 * j**2 + rate)
    c = 0.25 * dt * (volatility**2 * j**2 + rate * j)
    for _ in range(steps):
        known = a * value[:-2] + (1.0 + b) * value[1:-1] + c * value[2:]
        guess = value.copy()
        for _ in range(6):
            error = 0.0
            for k in range(1, 8):
                solved = (known[k - 1] + a[k - 1] * guess[k - 1] + c[k - 1] * guess[k + 1]) / (1.0 - b[k - 1])
                solved = max(payoff[k], guess[k] + 1.2 * (solved - guess[k]))
                error += (solved - guess[k]) ** 2
                guess[k] = solved
            if error < 1e-20:
                break
        value[:] = guess
    return np.interp(48.0, grid, value)


@program(lambda: (normal(72, 7, 7), positive(73, 3, 3)))
def image_cleaned(dirty, beam):
    left, found = dirty.copy(), []
    for _ in range(4):
        y, x = np.unravel_index(np.argmax(np.abs(left)), left.shape)
        peak = left[y, x]
        if np.abs(peak) < 0.2:
            break
        found.append((y, x, 0.3 * peak))
        top, bottom, first, last = max(0, y - 1), min(7, y + 2), max(0, x - 1), min(7, x + 2)
        left[top:bottom, first:last] -= 0.3 * peak * beam[1 - (y - top):1 + bottom - y, 1 - (x - first):1 + last - x]
    model = np.zeros_like(dirty)
    for y, x, flux in found:
        model[y, x] += flux
    return np.sum(left**2) + np.sum(model**3)


LINES = [(0, 1, 0.02, 0.1), (1, 2, 0.03, 0.12), (0, 2, 0.01, 0.08)]


@program(lambda: (1.0 + 0.1 * positive(74, 3), np.array([0.5, -0.6]), np.array([0.1, -0.2])))
def flow_of_power(scale, power, reactive):
    admittance = np.zeros((3, 3), dtype=complex)
    for k, (start, end, resistance, reactance) in enumerate(LINES):
        y = scale[k] / (resistance + 1j * reactance)
        admittance[start, start] += y
        admittance[end, end] += y
        admittance[start, end] -= y
        admittance[end, start] -= y
    free = [1, 2]
    size, angle = np.ones(3), np.zeros(3)
    for _ in range(6):
        v = size * np.exp(1j * angle)
        current = admittance @ v
        given = v * np.conj(current)
        missing = np.concatenate([given.real[free] - power, given.imag[free] - reactive])
        if np.max(np.abs(missing)) < 1e-12:
            break
        by_angle = 1j * np.diag(v) @ np.conj(np.diag(current) - admittance @ np.diag(v))
        by_size = np.diag(v) @ np.conj(admittance @ np.diag(v / size)) + np.diag(np.conj(current) * v / size)
        rows = np.ix_(free, free)
        slope = np.block([[by_angle[rows].real, by_size[rows].real], [by_angle[rows].imag, by_size[rows].imag]])
        change = np.linalg.solve(slope, -missing)
        angle[free] += change[:2]
        size[free] += change[2:]
    v = size * np.exp(1j * angle)
    return (v * np.conj(admittance @ v)).real.sum() + np.sum((size - 1.0) ** 2)
