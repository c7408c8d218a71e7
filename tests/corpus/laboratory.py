"""Simulations, factorisations by hand and nets as classes."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program


class Cloth:
    def __init__(self, x, springs, mass):
        self.x = x.copy()
        self.v = np.zeros_like(x)
        self.springs = springs
        self.mass = mass

    def forces(self):
        total = np.zeros_like(self.x)
        total[:, 1] -= 9.81 * self.mass
        for spring in self.springs:
            f = spring.force(self.x)
            i, j = spring.ends
            total[i] += f
            total[j] -= f
        return total

    def step(self, dt):
        self.v += dt * self.forces() / self.mass
        self.v[0] = 0.0
        self.x += dt * self.v


class Spring:
    def __init__(self, i, j, rest, stiffness):
        self.ends = (i, j)
        self.rest = rest
        self.stiffness = stiffness

    def force(self, x):
        i, j = self.ends
        d = x[j] - x[i]
        length = np.sqrt(d @ d)
        return self.stiffness * (length - self.rest) * d / length


@program(lambda: (normal(1, 4, 2), 2.0, 0.5))
def cloth(x, stiffness, mass):
    springs = [Spring(i, i + 1, 1.0, stiffness * (i + 1)) for i in range(3)]
    body = Cloth(x, springs, mass)
    for _ in range(4):
        body.step(0.05)
    return (body.x ** 2).sum() + 0.5 * mass * (body.v ** 2).sum()


def cholesky(A):
    n = A.shape[0]
    L = np.zeros_like(A)
    for i in range(n):
        for j in range(i + 1):
            s = A[i, j] - L[i, :j] @ L[j, :j]
            if i == j:
                L[i, i] = np.sqrt(s)
            else:
                L[i, j] = s / L[j, j]
    return L


def forward_solve(L, b):
    y = b.copy()
    for i in range(len(b)):
        y[i] -= L[i, :i] @ y[:i]
        y[i] /= L[i, i]
    return y


@program(lambda: (normal(1, 4, 4), normal(2, 4)))
def gaussian_likelihood(B, r):
    A = B @ B.T + 4.0 * np.eye(4)
    L = cholesky(A)
    z = forward_solve(L, r)
    return 0.5 * z @ z + np.log(np.diag(L)).sum()


@program(lambda: (normal(1, 4, 4), normal(2, 4)), needs="shapes")
def elimination(A, b):
    A, b = A + 5.0 * np.eye(4), b.copy()
    n = len(b)
    for k in range(n):
        p = k + int(np.argmax(np.abs(A[k:, k])))
        if p != k:
            A[[k, p]] = A[[p, k]]
            b[k], b[p] = b[p], b[k]
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            A[i, k:] -= factor * A[k, k:]
            b[i] -= factor * b[k]
    x = np.zeros(n)
    for i in reversed(range(n)):
        x[i] = (b[i] - A[i, i + 1:] @ x[i + 1:]) / A[i, i]
    return (x ** 2).sum()


@program(lambda: (normal(1, 4, 3),))
def gram_schmidt(A):
    Q = A.copy()
    R = np.zeros((3, 3))
    for j in range(3):
        for i in range(j):
            R[i, j] = Q[:, i] @ Q[:, j]
            Q[:, j] -= R[i, j] * Q[:, i]
        R[j, j] = np.linalg.norm(Q[:, j])
        Q[:, j] /= R[j, j]
    return np.abs(R).sum() + Q[0, 1] * Q[2, 2]


@program(lambda: (normal(1, 4, 4),))
def householder(A):
    R = A.copy()
    n = R.shape[0]
    for k in range(n - 1):
        x = R[k:, k]
        v = x.copy()
        v[0] += np.sign(x[0]) * np.linalg.norm(x)
        v /= np.linalg.norm(v)
        R[k:, k:] -= 2.0 * np.outer(v, v @ R[k:, k:])
    return np.log(np.abs(np.diag(R))).sum() + R[0, 3]


class Adam:
    def __init__(self, params, lr=0.05, betas=(0.9, 0.999)):
        self.params = params
        self.lr = lr
        self.betas = betas
        self.m = {k: np.zeros_like(v) for k, v in params.items()}
        self.v = {k: np.zeros_like(v) for k, v in params.items()}
        self.t = 0

    def step(self, grads):
        self.t += 1
        b1, b2 = self.betas
        for k in self.params:
            self.m[k] = b1 * self.m[k] + (1 - b1) * grads[k]
            self.v[k] = b2 * self.v[k] + (1 - b2) * grads[k] ** 2
            m_hat = self.m[k] / (1 - b1 ** self.t)
            v_hat = self.v[k] / (1 - b2 ** self.t)
            self.params[k] = self.params[k] - self.lr * m_hat / (np.sqrt(v_hat) + 1e-8)


@program(lambda: (normal(1, 3), 0.5, normal(2, 5, 3)))
def adam(w, b, x):
    params = {"w": w, "b": np.array([b])}
    opt = Adam(params)
    y = x[:, 0] * 2.0
    for _ in range(3):
        r = x @ opt.params["w"] + opt.params["b"] - y
        opt.step({"w": x.T @ r / 5.0, "b": np.array([r.mean()])})
    return ((x @ opt.params["w"] + opt.params["b"] - y) ** 2).mean()


def rk45_step(f, t, y, h):
    k1 = f(t, y)
    k2 = f(t + h / 4, y + h * k1 / 4)
    k3 = f(t + 3 * h / 8, y + h * (3 * k1 + 9 * k2) / 32)
    k4 = f(t + 12 * h / 13, y + h * (1932 * k1 - 7200 * k2 + 7296 * k3) / 2197)
    high = y + h * (25 * k1 / 216 + 1408 * k3 / 2565 + 2197 * k4 / 4104)
    low = y + h * k1
    return high, np.max(np.abs(high - low))


@program(lambda: (np.array([1.0, 0.5]), 0.8))
def adaptive(y0, mu):
    def f(t, y):
        return np.array([y[1], mu * (1.0 - y[0] ** 2) * y[1] - y[0]])
    t, y, h = 0.0, y0, 0.1
    times, states = [t], [y]
    while t < 0.6:
        new, error = rk45_step(f, t, y, h)
        if error < 0.05:
            t, y = t + h, new
            times.append(t)
            states.append(y)
            h *= 1.5
        else:
            h *= 0.5
    area = 0.0
    for a, b, t0, t1 in zip(states, states[1:], times, times[1:]):
        area += (t1 - t0) * (a[0] + b[0]) / 2
    return area + states[-1] @ states[-1]


class Heat:
    def __init__(self, u, k):
        self.u = u.copy()
        self.next = np.empty_like(u)
        self.k = k

    def step(self):
        u, nxt = self.u, self.next
        nxt[0], nxt[-1] = u[0], u[-1]
        for i in range(1, len(u) - 1):
            nxt[i] = u[i] + self.k * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        self.u, self.next = nxt, u


@program(lambda: (normal(1, 6), 0.2))
def heat(u, k):
    rod = Heat(u, k)
    for _ in range(3):
        rod.step()
    return (rod.u ** 2).sum()


class GRU:
    def __init__(self, params):
        self.p = params

    def cell(self, x, h):
        z = 1 / (1 + np.exp(-(self.p["Wz"] @ x + self.p["Uz"] @ h)))
        n = np.tanh(self.p["Wn"] @ x + self.p["Un"] @ (z * h))
        return (1 - z) * n + z * h

    def run(self, xs, h):
        states = []
        for x in xs:
            h = self.cell(x, h)
            states.append(h)
        return np.stack(states), h


@program(lambda: ({k: 0.5 * normal(i, 3, 3) for i, k in enumerate(["Wz", "Uz", "Wn", "Un"])}, normal(9, 4, 3)))
def gru(params, xs):
    states, last = GRU(params).run(xs, np.zeros(3))
    return (states ** 2).mean() + last @ last


@program(lambda: (normal(1, 4, 3), 0.5 * normal(2, 3, 3), 0.5 * normal(3, 3, 3), 0.5 * normal(4, 3, 3)))
def attention(x, Wq, Wk, Wv):
    cache = {"k": [], "v": []}
    outputs = []
    for t in range(len(x)):
        q = x[t] @ Wq
        cache["k"].append(x[t] @ Wk)
        cache["v"].append(x[t] @ Wv)
        scores = np.array([q @ k for k in cache["k"]]) / np.sqrt(3.0)
        scores = np.exp(scores - scores.max())
        weights = scores / scores.sum()
        outputs.append(sum(w * v for w, v in zip(weights, cache["v"])))
    return (np.stack(outputs) ** 2).sum()


class Mesh:
    def __init__(self, nodes, elements):
        self.nodes = nodes
        self.elements = elements

    def assemble(self, E, area):
        n = len(self.nodes)
        K = np.zeros((n, n))
        for k, (i, j) in enumerate(self.elements):
            length = abs(self.nodes[j] - self.nodes[i])
            ke = E[k] * area[k] / length * np.array([[1.0, -1.0], [-1.0, 1.0]])
            dofs = [i, j]
            for a in range(2):
                for b in range(2):
                    K[dofs[a], dofs[b]] += ke[a, b]
        return K


@program(lambda: (positive(1, 3), positive(2, 3), np.array([0.0, 1.1, 2.3, 3.0])))
def truss(E, area, nodes):
    mesh = Mesh(nodes, [(0, 1), (1, 2), (2, 3)])
    K = mesh.assemble(E, area)
    f = np.array([0.0, 0.0, 0.0, 1.0])
    free = [1, 2, 3]
    u = np.zeros(4)
    u[free] = np.linalg.solve(K[np.ix_(free, free)], f[free])
    return f @ u + (u ** 2).sum()
