"""More of them: lattice Boltzmann, particle filters, regulators, meshes, shortest paths, networks, prices."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program


class LBM:
    W = np.array([2 / 3, 1 / 6, 1 / 6])
    C = np.array([0, 1, -1])

    def __init__(self, rho, u, tau):
        self.tau = tau
        self.f = self.equilibrium(rho, u)

    def equilibrium(self, rho, u):
        feq = np.zeros((3, len(rho)))
        for k in range(3):
            cu = self.C[k] * u
            feq[k] = self.W[k] * rho * (1 + 3 * cu + 4.5 * cu ** 2 - 1.5 * u ** 2)
        return feq

    def moments(self):
        rho = self.f.sum(axis=0)
        return rho, (self.f[1] - self.f[2]) / rho

    def step(self):
        rho, u = self.moments()
        self.f += (self.equilibrium(rho, u) - self.f) / self.tau
        self.f[1] = np.roll(self.f[1], 1)
        self.f[2] = np.roll(self.f[2], -1)
        # bounce back at the left wall
        self.f[1, 0], self.f[2, 0] = self.f[2, 0], self.f[1, 0]


@program(lambda: (positive(1, 5), normal(2, 5) * 0.1, 0.8))
def lbm(rho, u, tau):
    sim = LBM(rho, u, tau)
    for _ in range(5):
        sim.step()
    r, v = sim.moments()
    return np.sum(r * v ** 2) + r[2]


@program(lambda: (normal(3, 4), 0.9, 0.7))
def particle_filter(obs, a, sigma):
    rng = np.random.default_rng(0)
    parts = rng.normal(size=8)
    w = np.ones(8) / 8
    ll = 0.0
    for z in obs:
        noise = rng.normal(size=8)
        parts = a * parts + 0.3 * noise
        w = w * np.exp(-0.5 * ((z - parts) / sigma) ** 2) / sigma
        s = w.sum()
        ll += np.log(s)
        w /= s
        ess = 1 / np.sum(w ** 2)
        if ess < 3:
            idx = np.argsort(-w)[[0, 0, 0, 1, 1, 2, 2, 3]]
            parts = parts[idx]
            w = np.full(8, 0.125)
    return ll + (w * parts).sum()


def log_post(state, data):
    mu, ls = state["mu"], state["log_s"]
    return -0.5 * np.sum(((data - mu) / np.exp(ls)) ** 2) - len(data) * ls - 0.5 * mu ** 2 - 0.5 * ls ** 2


@program(lambda: (normal(4, 5), 0.3, 0.1))
def hmc(data, mu0, eps):
    q = {"mu": mu0, "log_s": 0.1}
    p = {"mu": 0.5, "log_s": -0.3}
    def grads(q):
        s2 = np.exp(-2 * q["log_s"])
        z = data - q["mu"]
        return {"mu": np.sum(z) * s2 - q["mu"], "log_s": np.sum(z ** 2) * s2 - len(data) - q["log_s"]}
    g = grads(q)
    trail = [q]
    for _ in range(4):
        p = {k: p[k] + 0.5 * eps * g[k] for k in p}
        q = {k: q[k] + eps * p[k] for k in q}
        g = grads(q)
        for k in p:
            p[k] += 0.5 * eps * g[k]
        trail.append(q)
    h0 = log_post(trail[0], data)
    h1 = log_post(trail[-1], data)
    return h1 - h0 + sum(t["mu"] for t in trail) / len(trail)


@program(lambda: ({'g': 9.0, 'l': 1.2, 'q': 0.05, 'r': 0.2}, normal(5, 5) * 0.3))
def ekf(params, zs):
    g, length, q, r = params["g"], params["l"], params["q"], params["r"]
    dt = 0.1
    def f(x):
        th, om = x
        return np.array([th + dt * om, om - dt * g / length * np.sin(th)])
    def F(x):
        out = np.eye(2)
        out[0, 1] = dt
        out[1, 0] = -dt * g / length * np.cos(x[0])
        return out
    x = np.array([0.5, 0.0])
    Pm = np.eye(2) * 0.1
    nll, innov = 0.0, []
    for z in zs:
        A = F(x)
        x = f(x)
        Pm = A @ Pm @ A.T + q * np.eye(2)
        s = Pm[0, 0] + r
        k = Pm[:, 0] / s
        e = z - x[0]
        innov.append(e / np.sqrt(s))
        x = x + k * e
        Pm = Pm - np.outer(k, Pm[0])
        nll += 0.5 * (e * e / s + np.log(s))
    return nll + np.var(innov) * 0.1


@program(lambda: (normal(6, 2, 2), normal(7, 2, 1), positive(8, 2), positive(9, 1), normal(10, 2)))
def lqr(A, B, qd, rd, x0):
    Q, R = np.diag(qd), np.diag(rd)
    T = 5
    Pm = [None] * (T + 1)
    K = [None] * T
    Pm[T] = Q
    for t in range(T - 1, -1, -1):
        S = R + B.T @ Pm[t + 1] @ B
        K[t] = np.linalg.solve(S, B.T @ Pm[t + 1] @ A)
        Pm[t] = Q + A.T @ Pm[t + 1] @ (A - B @ K[t])
    x = x0
    cost = 0.0
    for t in range(T):
        u = -K[t] @ x
        cost += x @ Q @ x + u @ R @ u
        x = A @ x + B @ u
    return cost + x @ Q @ x


@program(lambda: (positive(12, 4, 4),))
def shortest(w):
    n = w.shape[0]
    dist = [1e9] * n
    dist[0] = 0.0
    done = [False] * n
    for _ in range(n):
        u = -1
        for i in range(n):
            if not done[i] and (u == -1 or dist[i] < dist[u]):
                u = i
        done[u] = True
        for v in range(n):
            alt = dist[u] + w[u, v] ** 2
            if not done[v] and alt < dist[v]:
                dist[v] = alt
    return dist[-1] + 0.1 * sum(dist)


def thomas(a, b, c, d):
    n = len(d)
    cp, dp = np.zeros(n), np.zeros(n)
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m if i < n - 1 else 0.0
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x = dp
    for i in range(n - 2, -1, -1):
        x[i] -= cp[i] * x[i + 1]
    return x


@program(lambda: (0.4, 0.05, 1.0))
def black_scholes(sigma, r, K):
    S = np.linspace(0.2, 2.0, 8)
    dt, _n = 0.05, len(S)
    V = np.maximum(S - K, 0.0)
    payoff = V.copy()
    dS = S[1] - S[0]
    for _step in range(4):
        al = 0.25 * dt * (sigma ** 2 * S ** 2 / dS ** 2 - r * S / dS)
        be = -0.5 * dt * (sigma ** 2 * S ** 2 / dS ** 2 + r)
        ga = 0.25 * dt * (sigma ** 2 * S ** 2 / dS ** 2 + r * S / dS)
        rhs = np.copy(V)
        rhs[1:-1] = al[1:-1] * V[:-2] + (1 + be[1:-1]) * V[1:-1] + ga[1:-1] * V[2:]
        lo, di, up = -al, 1 - be, -ga
        lo[0] = up[0] = lo[-1] = up[-1] = 0.0
        di[0] = di[-1] = 1.0
        V = thomas(lo, di, up, rhs)
        V = np.where(V > payoff, V, payoff)
    return V[4] + V[5] * 0.5


@program(lambda: (np.array([0.1, 0.7, 1.4, 5.0, 0.95]), np.array([0.0, 0.5, 1.1, 2.0]), normal(17, 4)))
def piecewise(x, knots, values):
    def find(v):
        for i in range(len(knots) - 1):
            if knots[i] <= v < knots[i + 1]:
                return i
        return None
    total = 0.0
    misses = 0
    for v in x:
        i = find(v)
        if i is None:
            misses += 1
            continue
        t = (v - knots[i]) / (knots[i + 1] - knots[i])
        total += values[i] * (1 - t) ** 2 + values[i + 1] * t
        if total > 100:
            break
    return total / (len(x) - misses)
