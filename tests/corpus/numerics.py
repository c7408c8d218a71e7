"""Numerical methods as people write them: factorisations in place, recursions, searches, dynamic programming."""
from __future__ import annotations

from collections import defaultdict, deque

import numpy as np

from corpus.registry import normal, program


@program(lambda: (normal(1, 4),))
def lu_pivot(x):
    n = len(x)
    A = np.outer(np.sin(x), np.cos(x)) + np.diag(2.0 + x ** 2)
    b = np.exp(x)
    A = A.copy()
    perm = list(range(n))
    for k in range(n - 1):
        m = k + np.argmax(np.abs(A[k:, k]))
        if m != k:
            A[[k, m]] = A[[m, k]]
            perm[k], perm[m] = perm[m], perm[k]
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            A[i, k + 1:] -= A[i, k] * A[k, k + 1:]
    y = b[perm].copy()
    for i in range(n):
        y[i] -= A[i, :i] @ y[:i]
    for i in reversed(range(n)):
        y[i] = (y[i] - A[i, i + 1:] @ y[i + 1:]) / A[i, i]
    return np.sum(y ** 2)


@program(lambda: (normal(1, 4),))
def thomas(x):
    n = len(x)
    a = np.full(n, -1.0) * np.cos(x)
    b = 4.0 + x ** 2
    c = np.sin(x)
    d = np.exp(-x)
    cp = np.empty(n)
    dp = np.empty(n)
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    u = np.empty_like(d)
    u[-1] = dp[-1]
    for i in range(n - 2, -1, -1):
        u[i] = dp[i] - cp[i] * u[i + 1]
    return np.sum(u * np.arange(n))


def fft(v):
    n = len(v)
    if n == 1:
        return v
    even, odd = fft(v[::2]), fft(v[1::2])
    w = np.exp(-2j * np.pi * np.arange(n // 2) / n)
    return np.concatenate([even + w * odd, even - w * odd])


@program(lambda: (normal(1, 4),))
def own_fft(x):
    y = fft(x[:4] + 0j)
    return np.sum(np.abs(y) ** 2 * np.arange(4)) + y[1].imag + np.sum(np.abs(fft(x)))


def haar(x):
    if len(x) == 1:
        return x
    total, difference = x[::2] + x[1::2], x[::2] - x[1::2]
    return np.concatenate([haar(total / 2), difference / 2])


@program(lambda: (normal(61, 4),))
def coefficients_that_count_as_complex(x):
    """Of what such a function gives it is not known that it is real, and so has no angle."""
    c = haar(x)
    return np.sum(np.sign(c) * np.maximum(np.abs(c) - 0.1, 0.0)) + np.sum(np.abs(c * (1 + 1j) + 2j) + c.imag)


@program(lambda: (normal(1, 4),))
def lbfgs_two_loop(x):
    def grad(w):
        return 2 * w * (1 + x ** 2) + np.sin(w)

    w = np.cos(x)
    g = grad(w)
    S, Y = deque(maxlen=2), deque(maxlen=2)
    for _ in range(4):
        q = g.copy()
        alphas = []
        for s, y in zip(reversed(S), reversed(Y)):
            a = (s @ q) / (y @ s)
            alphas.append(a)
            q = q - a * y
        if S:
            q = q * ((S[-1] @ Y[-1]) / (Y[-1] @ Y[-1]))
        for s, y, a in zip(S, Y, reversed(alphas)):
            b = (y @ q) / (y @ s)
            q = q + s * (a - b)
        step = -0.3 * q
        new = w + step
        gn = grad(new)
        S.append(step)
        Y.append(gn - g)
        w, g = new, gn
    return (w ** 2).sum()


@program(lambda: (normal(1, 4),))
def viterbi_path(x):
    A = np.outer(x, np.cos(x))
    B = np.stack([x, x ** 2, -x]).T
    d = B[:, 0]
    back = []
    for o in (1, 2, 0):
        s = d[:, None] + A
        back.append(np.argmax(s, axis=0))
        d = np.max(s, axis=0) + B[:, o]
    k = int(np.argmax(d))
    path = [k]
    for b in reversed(back):
        k = int(b[k])
        path.append(k)
    return d.max() + sum(x[i] for i in path)


@program(lambda: (normal(1, 4),), needs="shapes")
def insert_sort(x):
    y = x.copy()
    for i in range(1, len(y)):
        v = y[i]
        j = i
        while j > 0 and y[j - 1] > v:
            y[j] = y[j - 1]
            j -= 1
        y[j] = v
    return (y * np.arange(len(y))).sum() + y[0] ** 2


@program(lambda: (normal(1, 4),))
def warped_distance(x):
    a, b = x, np.sin(x * 2)[:-1]
    n, m = len(a), len(b)
    D = np.full((n + 1, m + 1), np.inf)
    D[0, 0] = 0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            D[i, j] = (a[i - 1] - b[j - 1]) ** 2 + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    return D[n, m]


@program(lambda: (normal(1, 4),))
def simplex_projection(x):
    u = np.sort(x)[::-1]
    css = np.cumsum(u) - 1
    ind = np.arange(len(x)) + 1
    rho = ind[u - css / ind > 0][-1]
    theta = css[rho - 1] / rho
    w = np.maximum(x - theta, 0)
    return (w ** 2).sum() + w @ np.arange(len(x))


@program(lambda: (normal(1, 4),))
def graph_messages(x):
    edges = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
    nb = defaultdict(list)
    for a, b in edges:
        nb[a].append(b)
        nb[b].append(a)
    h = {i: x[i] * np.array([1.0, -1.0]) for i in range(4)}
    for layer in range(2):
        new = {}
        for i, js in nb.items():
            m = sum(h[j] for j in js) / len(js)
            new[i] = np.tanh(h[i] * x[layer] + m)
        h = new
    return sum(v @ v for v in h.values())


@program(lambda: (normal(1, 4),))
def elements_assembled(x):
    n = len(x)
    K = np.zeros((n + 1, n + 1))
    F = np.zeros(n + 1)
    for e in range(n):
        ke = (1 + x[e] ** 2) * np.array([[1.0, -1.0], [-1.0, 1.0]])
        dofs = [e, e + 1]
        K[np.ix_(dofs, dofs)] += ke
        F[dofs] += 0.5 * np.sin(x[e])
    free = np.arange(1, n + 1)
    u = np.zeros(n + 1)
    u[free] = np.linalg.solve(K[np.ix_(free, free)], F[free])
    return F @ u + u.max()


@program(lambda: (normal(1, 4),))
def weighted_samples(x):
    rng = np.random.RandomState(3)
    z = rng.randn(20)
    y = x[0] + np.exp(x[1] * 0.3) * z
    lw = -0.5 * (y - x[2]) ** 2 + 0.5 * z ** 2 + x[1] * 0.3
    lw -= np.max(lw)
    w = np.exp(lw)
    w /= w.sum()
    ess = 1 / np.sum(w ** 2)
    return w @ y + 0.1 * ess


@program(lambda: (normal(1, 4),), needs="shapes")
def controlled(x):
    kp, ki, kd = x[:3]
    integ = prev = 0.0
    y, v = 0.0, 0.0
    cost = 0.0
    hist = []
    for _ in range(10):
        e = 1.0 - y
        integ += e * 0.1
        d = (e - prev) / 0.1
        u = kp * e + ki * integ + kd * d * 0.1
        u = max(-2.0, min(2.0, u))
        v += 0.1 * (u - 0.5 * v)
        y += 0.1 * v
        prev = e
        hist.append((y, u))
        cost += e ** 2
    ys, us = zip(*hist)
    return cost + max(ys) + 0.01 * sum(u ** 2 for u in us)


@program(lambda: (normal(1, 4),))
def permutation_by_exchanges(x):
    order, signs = list(range(len(x))), list(reversed(range(2)))
    for k in range(len(x) - 1):
        m = k + int(np.argmax(np.abs(x[k:])))
        if m != k:
            order[k], order[m] = order[m], order[k]
            signs[0] += 1
    return x[order] @ np.arange(len(x)) * (-1) ** signs[0] + x[order[0]] ** 2


@program(lambda: (normal(1, 4),))
def histories_made_at_once(x):
    steps, changes = deque(maxlen=2), deque([], 3)
    sums, groups = defaultdict(float), defaultdict(list)
    for i, value in enumerate(x):
        steps.append(value)
        changes.appendleft(value**2)
        sums[i % 2] += value * changes[0]
        groups[i % 2].append(sum(steps))
    return sums[0] * sums[1] + sum(groups[1]) * changes[-1] + steps[0]


@program(lambda: (np.outer(*[normal(31, 3)] * 2) + np.diag([1.0, 2.0, 3.0]),))
def eigenvalues_by_rotations(a):
    a = (a + a.T) / 2
    for _ in range(5):
        for p in range(2):
            for q in range(p + 1, 3):
                if abs(a[p, q]) < 1e-14:
                    continue
                angle = 0.5 * np.arctan2(2 * a[p, q], a[q, q] - a[p, p])
                c, s = np.cos(angle), np.sin(angle)
                turn = np.eye(3)
                turn[p, p] = c
                turn[q, q] = c
                turn[p, q] = s
                turn[q, p] = -s
                a = turn.T @ a @ turn
    return np.sum(np.sort(np.diag(a)) * np.array([1.0, 2.0, 4.0]))
