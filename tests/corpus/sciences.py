"""Programs of some thirty lines, as the sciences have them: waves, bodies, filters, controllers, rays, mixtures."""
from __future__ import annotations

import itertools
import math
from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from corpus.registry import normal, positive, program


class WaveSolver:
    def __init__(self, n, c, dt, dx):
        self.u = np.zeros(n)
        self.u_prev = np.zeros(n)
        self.c2 = (c * dt / dx) ** 2
        self.r = (c * dt - dx) / (c * dt + dx)
        self.probe = []
        self.t = 0.0
        self.dt = dt

    def source(self, amp, f):
        return amp * np.sin(2 * np.pi * f * self.t) * np.exp(-self.t)

    def step(self, amp, f):
        u, up = self.u, self.u_prev
        new = np.empty_like(u)
        new[1:-1] = 2 * u[1:-1] - up[1:-1] + self.c2 * (u[2:] - 2 * u[1:-1] + u[:-2])
        new[0] = u[1] + self.r * (new[1] - u[0])
        new[-1] = u[-2] + self.r * (new[-2] - u[-1])
        new[len(new) // 2] += self.source(amp, f)
        self.u_prev = u
        self.u = new
        self.t += self.dt
        self.probe.append(self.u[3])


@program(lambda: (1.1, 0.7, 1.3))
def wave(c, amp, f):
    s = WaveSolver(9, c, 0.05, 0.1)
    for _ in range(12):
        s.step(amp, f)
    return sum(p * p for p in s.probe) + np.sum(s.u ** 2)


def accel(pos, mass, eps):
    n = len(mass)
    a = np.zeros_like(pos)
    for i in range(n):
        for j in range(i + 1, n):
            d = pos[j] - pos[i]
            r2 = d @ d + eps ** 2
            w = d / (r2 * np.sqrt(r2))
            a[i] += mass[j] * w
            a[j] -= mass[i] * w
    return a


def energy(pos, vel, mass, eps):
    ke = 0.5 * np.sum(mass[:, None] * vel ** 2)
    pe = 0.0
    for i, j in itertools.combinations(range(len(mass)), 2):
        d = pos[i] - pos[j]
        pe -= mass[i] * mass[j] / math.sqrt(d @ d + eps ** 2)
    return ke + pe


@program(lambda: (normal(1, 3, 2), normal(2, 3, 2), positive(3, 3)))
def nbody(pos, vel, mass):
    pos = pos.copy()
    vel = vel.copy()
    dt, eps = 0.02, 0.3
    history = {"e": [], "r": []}
    a = accel(pos, mass, eps)
    for step in range(6):
        vel += 0.5 * dt * a
        pos += dt * vel
        a = accel(pos, mass, eps)
        vel += 0.5 * dt * a
        if step % 2 == 0:
            history["e"].append(energy(pos, vel, mass, eps))
        history["r"].append(np.linalg.norm(pos[0] - pos[1]))
        if history["r"][-1] < 1e-3:
            break
    drift = max(history["e"]) - min(history["e"])
    return drift + np.mean(history["r"]) + pos[-1, 0]


class Kalman:
    def __init__(self, F, H, Q, R):
        self.F, self.H, self.Q, self.R = F, H, Q, R
        self.x = np.zeros(F.shape[0])
        self.P = np.eye(F.shape[0])
        self.loglik = 0.0
        self.skipped = 0

    def predict(self):
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + self.Q

    def update(self, z):
        y = z - self.H @ self.x
        S = self.H @ self.P @ self.H.T + self.R
        K = np.linalg.solve(S, self.H @ self.P).T
        d2 = y @ np.linalg.solve(S, y)
        if d2 > 50.0:
            self.skipped += 1
            return False
        self.x = self.x + K @ y
        self.P = (np.eye(len(self.x)) - K @ self.H) @ self.P
        sign, logdet = np.linalg.slogdet(S)
        self.loglik -= 0.5 * (d2 + logdet + len(z) * np.log(2 * np.pi))
        return True


@program(lambda: (0.1, 0.5, normal(3, 6)))
def kalman(q, r, zs):
    F = np.array([[1.0, 0.1], [0.0, 1.0]])
    H = np.array([[1.0, 0.0]])
    kf = Kalman(F, H, q * np.eye(2), np.array([[r]]))
    used = 0
    for z in zs:
        kf.predict()
        if kf.update(np.array([z])):
            used += 1
    return kf.loglik / used + kf.x[1]


@dataclass
class PID:
    kp: float
    ki: float
    kd: float
    integral: float = 0.0
    last: float = None
    limits: tuple = (-2.0, 2.0)

    def __call__(self, error, dt):
        deriv = 0.0 if self.last is None else (error - self.last) / dt
        self.last = error
        trial = self.integral + error * dt
        u = self.kp * error + self.ki * trial + self.kd * deriv
        lo, hi = self.limits
        if u > hi:
            return hi
        elif u < lo:
            return lo
        self.integral = trial
        return u


@program(lambda: (3.0, 0.8, 0.4, 1.3))
def pid_cost(kp, ki, kd, mass):
    ctrl = PID(kp, ki, kd)
    x, v, dt = 0.0, 0.0, 0.1
    cost = 0.0
    log = []
    for k in range(25):
        target = 1.0 if k > 3 else 0.0
        u = ctrl(target - x, dt)
        v += (u - 0.3 * v) / mass * dt
        x += v * dt
        log.append((x, u))
        cost += (target - x) ** 2 * dt
    for x, u in log[-5:]:
        cost += 0.01 * u * u + 0.1 * abs(x - 1.0)
    return cost


def intersect(o, d, sphere):
    oc = o - sphere["c"]
    b = np.dot(oc, d)
    c = np.dot(oc, oc) - sphere["r"] ** 2
    disc = b * b - c
    if disc < 0:
        return None
    t = -b - math.sqrt(disc)
    return t if t > 1e-4 else None


def trace(o, d, spheres, light, depth):
    best, hit = None, None
    for s in spheres:
        t = intersect(o, d, s)
        if t is not None and (best is None or t < best):
            best, hit = t, s
    if hit is None:
        return 0.1 + 0.05 * d[1]
    p = o + best * d
    n = (p - hit["c"]) / hit["r"]
    toward = light - p
    toward = toward / np.linalg.norm(toward)
    shade = hit["k"] * max(np.dot(n, toward), 0.0)
    if depth > 0:
        shade = shade + 0.3 * trace(p + 1e-3 * n, d - 2 * np.dot(d, n) * n, spheres, light, depth - 1)
    return shade


@program(lambda: (np.array([[0.05, 0.1, 3.0], [0.4, -0.3, 2.5]]), np.array([0.6, 0.4]), np.array([2.0, 3.0, -1.0])))
def render(centers, radii, light):
    spheres = [{"c": c, "r": r, "k": 0.8} for c, r in zip(centers, radii)]
    img = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            d = np.array([0.2 * (j - 1), 0.2 * (i - 1), 1.0])
            d = d / np.sqrt(d @ d)
            img[i, j] = trace(np.zeros(3), d, spheres, light, 2)
    return np.sum(img ** 2) + img[1, 1]


@program(lambda: (normal(5, 9), np.array([-0.6, 0.9]), np.array([0.8, 0.6]), 4))
def em(x, mu, sigma, steps):
    params = {"mu": mu.copy(), "sigma": sigma.copy(), "pi": np.full(len(mu), 1.0 / len(mu))}
    ll = []
    for it in range(steps):
        logp = np.empty((len(x), len(params["mu"])))
        for k in range(len(params["mu"])):
            z = (x - params["mu"][k]) / params["sigma"][k]
            logp[:, k] = np.log(params["pi"][k]) - 0.5 * z ** 2 - np.log(params["sigma"][k])
        m = logp.max(axis=1, keepdims=True)
        lse = m[:, 0] + np.log(np.exp(logp - m).sum(axis=1))
        r = np.exp(logp - lse[:, None])
        nk = r.sum(axis=0)
        params["mu"] = r.T @ x / nk
        var = (r * (x[:, None] - params["mu"]) ** 2).sum(axis=0) / nk
        params["sigma"] = np.sqrt(var + 1e-3)
        params["pi"] = nk / len(x)
        ll.append(lse.sum())
        if it > 0 and abs(ll[-1] - ll[-2]) < 1e-12:
            break
    return ll[-1] + params["mu"][0] * params["pi"][1]

State = namedtuple("State", "s i r")
def rhs(st, beta, gamma):
    inf = beta * st.s * st.i
    return State(-inf, inf - gamma * st.i, gamma * st.i)


def axpy(a, x, y):
    return State(*(a * p + q for p, q in zip(x, y)))


@program(lambda: (1.7, 0.5, 0.05))
def sir(beta, gamma, i0):
    st = State(1.0 - i0, i0, 0.0)
    t, h = 0.0, 0.2
    peak = 0.0
    out = []
    while t < 3.0:
        k1 = rhs(st, beta, gamma)
        k2 = rhs(axpy(h / 2, k1, st), beta, gamma)
        k3 = rhs(axpy(h / 2, k2, st), beta, gamma)
        k4 = rhs(axpy(h, k3, st), beta, gamma)
        st = State(*[a + h / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in zip(st, k1, k2, k3, k4)])
        t += h
        if st.i > peak:
            peak = st.i
        out.append(st)
    return peak + sum(o.r for o in out) / len(out) + out[-1].s * out[0].i


@program(lambda: (0.3, normal(6, 4, 4) * 0.3, normal(7, 4, 4) * 0.2))
def meanfield(J, h, m0):
    m = m0.copy()
    n = len(m)
    for _sweep in range(4):
        change = 0.0
        for i in range(n):
            for j in range(n):
                nb = m[(i + 1) % n, j] + m[i - 1, j] + m[i, (j + 1) % n] + m[i, j - 1]
                new = np.tanh(J * nb + h[i, j])
                change += abs(new - m[i, j])
                m[i, j] = new
        if change < 1e-9:
            break
    return m.sum() + (m[::2, ::2] * m[1::2, 1::2]).sum() + change


def decasteljau(points, t):
    pts = list(points)
    while len(pts) > 1:
        pts = [(1 - t) * a + t * b for a, b in zip(pts[:-1], pts[1:])]
    return pts[0]


def split(points, t):
    left, right = [], []
    pts = list(points)
    while pts:
        left.append(pts[0])
        right.insert(0, pts[-1])
        pts = [(1 - t) * a + t * b for a, b in zip(pts, pts[1:])]
    return left, right


def length(points, tol):
    chord = np.linalg.norm(points[-1] - points[0])
    poly = sum(np.linalg.norm(b - a) for a, b in zip(points, points[1:]))
    if poly - chord < tol:
        return 0.5 * (poly + chord)
    left, right = split(points, 0.5)
    return length(left, tol) + length(right, tol)


@program(lambda: (normal(8, 4, 2), 0.37))
def bezier(ctrl, t):
    p = decasteljau(ctrl, t)
    return length(list(ctrl), 0.2) + p[0] * p[1]


def residuals(theta, t, y):
    return theta[0] * np.exp(-theta[1] * t) + theta[2] - y


def jac(theta, t):
    J = np.zeros((len(t), 3))
    e = np.exp(-theta[1] * t)
    J[:, 0] = e
    J[:, 1] = -theta[0] * t * e
    J[:, 2] = 1.0
    return J


@program(lambda: (np.array([1.0, 0.8, 0.2]), positive(9, 7)))
def gauss_newton(theta, y):
    t = np.linspace(0, 2, len(y))
    theta = theta.copy()
    lam = 1e-2
    r = residuals(theta, t, y)
    cost = r @ r
    for _it in range(6):
        J = jac(theta, t)
        A = J.T @ J + lam * np.eye(3)
        step = np.linalg.solve(A, -J.T @ r)
        trial = theta + step
        r_new = residuals(trial, t, y)
        c_new = r_new @ r_new
        if c_new < cost:
            theta, r, cost = trial, r_new, c_new
            lam *= 0.5
        else:
            lam *= 4.0
    return cost + np.sum(theta ** 2)


@program(lambda: ({("s", "a"): 4.0, ("s", "b"): 2.0, ("b", "a"): -1.0, ("a", "t"): 3.0},))
def shortest_path_by_relaxation(edges):
    nodes = sorted({node for edge in edges for node in edge})
    dist = {node: np.inf for node in nodes}
    before = dict.fromkeys(nodes)
    dist["s"] = 0.0
    for _ in range(len(nodes) - 1):
        changed = False
        for (u, v), length in edges.items():
            if dist[u] + length < dist[v]:
                dist[v], before[v], changed = dist[u] + length, u, True
        if not changed:
            break
    node, hops = "t", 0
    while before[node] is not None:
        node, hops = before[node], hops + 1
    return dist["t"] ** 2 * hops


@program(lambda: (positive(3, 6), 0.4))
def made_by_the_library(u, shift):
    """Arrays that NumPy makes of nothing but sizes, written into."""
    i, j = np.indices((2, 3))
    i += 1
    x, y = np.mgrid[0:2, 0:1:3j]
    y *= 0.5
    nodes, weights = np.polynomial.legendre.leggauss(6)
    weights /= 2.0
    lower = np.tri(6)
    lower[0] = np.linspace(-1, 0, 6)
    return np.sum(u.reshape(2, 3)[i - 1, j] * (x + y)) + weights @ (u * np.exp(nodes * shift)) + (lower @ u)[0]
