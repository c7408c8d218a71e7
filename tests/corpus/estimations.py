"""What people want second derivatives of: likelihoods with loops and stores, solvers, states that go from turn to turn.
None of them may be refused there."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program


@program(lambda: (normal(1, 3), np.linspace(0.0, 2.0, 4), normal(2, 4)), argnums=(0,))
def gaussian_process_by_hand(h, x, y):
    n = len(y)
    k = np.empty((n, n))
    for i in range(n):
        for j in range(i + 1):
            k[i, j] = np.exp(h[0] - 0.5 * (x[i] - x[j]) ** 2 * np.exp(h[1]))
            k[j, i] = k[i, j]
        k[i, i] += np.exp(h[2])
    factor = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = k[i, j] - factor[i, :j] @ factor[j, :j]
            if i == j:
                factor[i, i] = np.sqrt(s)
            else:
                factor[i, j] = s / factor[j, j]
    z = np.zeros(n)
    for i in range(n):
        z[i] = (y[i] - factor[i, :i] @ z[:i]) / factor[i, i]
    return 0.5 * z @ z + np.sum(np.log(np.diag(factor)))


@program(lambda: (np.array([0.1, 0.2, 0.6]), normal(3, 8)), argnums=(0,))
def volatility(theta, returns):
    s = np.empty(len(returns))
    s[0] = np.mean(returns ** 2)
    for t in range(1, len(returns)):
        s[t] = theta[0] + theta[1] * returns[t - 1] ** 2 + theta[2] * s[t - 1]
    return 0.5 * np.sum(np.log(s) + returns ** 2 / s)


@program(lambda: (normal(4, 6), normal(5, 5)))
def hidden_states(w, seen):
    a = np.exp(w[:4].reshape(2, 2))
    a /= a.sum(axis=1, keepdims=True)
    alpha = np.full(2, np.log(0.5))
    for o in seen:
        fit = -0.5 * (o - w[4:6]) ** 2
        new = np.zeros(2)
        for j in range(2):
            z = alpha + np.log(a[:, j])
            m = z.max()
            new[j] = m + np.log(np.sum(np.exp(z - m))) + fit[j]
        alpha = new
    return np.log(np.sum(np.exp(alpha)))


@program(lambda: (positive(6, 3), np.array([[0, 1], [1, 2], [2, 3]])), argnums=(0,))
def springs_assembled(stiffness, ends):
    k = np.zeros((4, 4))
    part = stiffness[:, None, None] ** 2 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    np.add.at(k, (ends[:, :, None], ends[:, None, :]), part)
    for e in range(len(stiffness)):
        dofs = ends[e]
        k[np.ix_(dofs, dofs)] += stiffness[e] * np.eye(2)
    return np.sum(np.linalg.solve(k, np.arange(1.0, 5.0)))


@program(lambda: (normal(7, 4), np.array([0, 2, 2, 1, 0])), argnums=(0,))
def scattered(x, places):
    u = np.zeros(3)
    for k in range(2):
        np.add.at(u, places[:4], np.sin(x) * (k + 1) * u[places[1:]] + x ** 2)
    return np.sum(u ** 3)


@program(lambda: (normal(8, 3, 3) + 2.0 * np.eye(3),))
def orthogonalised_in_place(a):
    q, r = np.zeros((3, 3)), np.zeros((3, 3))
    for j in range(3):
        v = a[:, j].copy()
        for i in range(j):
            r[i, j] = q[:, i] @ a[:, j]
            v -= r[i, j] * q[:, i]
        r[j, j] = np.sqrt(v @ v)
        q[:, j] = v / r[j, j]
    return np.sum(r ** 3) + np.sum(q[0] * np.arange(3.0))


@program(lambda: (normal(9, 3),))
def running_statistics(x):
    kept = {"mean": np.zeros(3), "var": np.ones(3)}
    total = 0.0
    for i in range(3):
        h = np.tanh(x * (i + 1))
        kept["mean"] = 0.9 * kept["mean"] + 0.1 * h
        kept["var"][:] = 0.9 * kept["var"] + 0.1 * (h - kept["mean"]) ** 2
        total += np.sum((h - kept["mean"]) / np.sqrt(kept["var"] + 0.1))
    return total ** 2


@program(lambda: (normal(10, 6), normal(11, 5)))
def states_joined(w, xs):
    h = np.zeros(2)
    states = []
    for x in xs:
        h = np.tanh(w[:4].reshape(2, 2) @ h + w[4:6] * x)
        states.append(h)
    pairs = np.concatenate([a * b for a, b in zip(states[:-1], states[1:])])
    return np.sum(np.stack(states) ** 2) + np.sum(pairs) + np.sum(np.block([[states[0], states[1]], [pairs[:4]]]) ** 3)


@program(lambda: (normal(12, 3), normal(13, 2, 3)))
def buffers_in_a_list(x, w):
    buffers = [np.zeros(3), np.zeros(3)]
    for k in range(2):
        buffers[k][:] = x * w[k]
        buffers[k][1] *= x[0]
    return np.sum(buffers[0] ** 2 * buffers[1])


@program(lambda: ([normal(14, 2), normal(15, 2)], ["a", "b", "a"], normal(16, 3)))
def tables_by_name(parameters, names, xs):
    table = {"a": parameters[0], "b": parameters[1]}
    sums = {}
    for name, x in zip(names, xs):
        sums[name] = sums.get(name, 0.0) + np.sum(np.sin(table[name] * x))
    total = 0.0
    for name, value in sums.items():
        total += value ** 2 * np.sum(table[name])
    return total


@program(lambda: (normal(30, 4, 3),))
def variance_before_its_mean(x):
    variance = x.var(axis=0, keepdims=True)
    mean = x.mean(axis=0, keepdims=True)
    return np.sum(((x - mean) / np.sqrt(variance + 1e-5)) ** 3)


@program(lambda: (normal(31, 4, 3),))
def mean_that_its_name_leaves(x):
    mean = x.mean(axis=0)
    mean = mean * 2.0
    return np.sum((x - mean) / x.var(axis=0))


@program(lambda: (positive(32, 3),))
def shares_that_are_asserted(x):
    shares = x / np.sum(x)
    np.testing.assert_almost_equal(np.sum(shares), 1.0, decimal=5, err_msg=f"{shares}")
    return np.sum(shares ** 3)
