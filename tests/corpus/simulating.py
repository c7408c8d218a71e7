"""And more: cloth, filters in a row, volatility, boosting, attitudes, hidden states, solvers, bouncing balls."""
from __future__ import annotations

import bisect
import math
from collections import deque, namedtuple

import numpy as np

from corpus.registry import normal, positive, program


class Point:
    def __init__(self, pos, pinned=False):
        self.pos = pos
        self.old = pos.copy()
        self.pinned = pinned

    def integrate(self, g, dt):
        if self.pinned:
            return
        new = self.pos + 0.98 * (self.pos - self.old) + g * dt * dt
        self.old = self.pos
        self.pos = new


@program(lambda: (normal(1, 3, 2), 0.5, 9.8))
def cloth(pts, k, g):
    points = [Point(p, pinned=(i == 0)) for i, p in enumerate(pts)]
    links = [(i, i + 1) for i in range(len(pts) - 1)]
    rest = [np.linalg.norm(pts[j] - pts[i]) * 0.9 for i, j in links]
    for _step in range(3):
        for p in points:
            p.integrate(np.array([0.0, -g]), 0.1)
        for _ in range(2):
            for (i, j), r in zip(links, rest):
                d = points[j].pos - points[i].pos
                length = math.sqrt(d @ d)
                corr = k * (length - r) / length * d
                if not points[i].pinned:
                    points[i].pos = points[i].pos + 0.5 * corr
                if not points[j].pinned:
                    points[j].pos = points[j].pos - 0.5 * corr
    return sum(p.pos[1] ** 2 + p.pos[0] for p in points)


@program(lambda: (normal(2, 6), [(0.5, 0.2, -0.3), (0.9, 0.1, 0.2)]))
def biquad_chain(x, coeffs):
    y = np.array(x)
    for b0, b1, a1 in coeffs:
        z = [0.0, 0.0]
        out = np.empty(len(y))
        for n in range(len(y)):
            v = b0 * y[n] + z[0]
            z[0] = b1 * y[n] - a1 * v + z[1]
            z[1] = 0.5 * y[n] - 0.1 * v
            out[n] = v
        y = out
    peak = 0.0
    for v in y:
        if abs(v) > peak:
            peak = abs(v)
    return peak + np.sum(y ** 2)

Params = namedtuple("Params", ["omega", "alpha", "beta", "mu"])
@program(lambda: (Params(0.1, 0.1, 0.7, 0.05), normal(3, 7)))
def garch(p, r):
    h = p.omega / (1 - p.alpha - p.beta)
    nll = 0.0
    window = deque(maxlen=3)
    for t in range(len(r)):
        e = r[t] - p.mu
        nll += 0.5 * (np.log(h) + e ** 2 / h)
        window.append(e ** 2)
        h = p.omega + p.alpha * e ** 2 + p.beta * h
        if len(window) == 3 and t % 2 == 0:
            h = 0.9 * h + 0.1 * sum(window) / 3
    return nll / len(r)


def apply_bc(T, bc):
    for side, val in bc.items():
        if side == "left":
            T[:, 0] = val
        elif side == "right":
            T[:, -1] = T[:, -2]
        elif side == "top":
            T[0] = 2 * val - T[1]
    return T


@program(lambda: (normal(5, 5, 5), 0.1, 0.3, 0.7))
def heat(T, kappa, tl, tt):
    T = T.copy()
    bc = {"left": tl, "right": 0.0, "top": tt}
    log = []
    for n in range(3):
        lap = np.zeros_like(T)
        lap[1:-1, 1:-1] = T[2:, 1:-1] + T[:-2, 1:-1] + T[1:-1, 2:] + T[1:-1, :-2] - 4 * T[1:-1, 1:-1]
        T += kappa * lap
        apply_bc(T, bc)
        log.append(T[1:-1, 1:-1].mean())
        if n > 0 and abs(log[-1] - log[-2]) < 1e-10:
            break
    return log[-1] + (T ** 2).sum()


class Quat:
    def __init__(self, w, x, y, z):
        self.w, self.x, self.y, self.z = w, x, y, z
    def __mul__(self, o):
        return Quat(self.w * o.w - self.x * o.x - self.y * o.y - self.z * o.z,
                    self.w * o.x + self.x * o.w + self.y * o.z - self.z * o.y,
                    self.w * o.y - self.x * o.z + self.y * o.w + self.z * o.x,
                    self.w * o.z + self.x * o.y - self.y * o.x + self.z * o.w)
    def conj(self):
        return Quat(self.w, -self.x, -self.y, -self.z)
    @property
    def norm(self):
        return math.sqrt(self.w ** 2 + self.x ** 2 + self.y ** 2 + self.z ** 2)
    def normalised(self):
        n = self.norm
        return Quat(self.w / n, self.x / n, self.y / n, self.z / n)
    def rotate(self, v):
        q = self * Quat(0.0, v[0], v[1], v[2]) * self.conj()
        return np.array([q.x, q.y, q.z])


@program(lambda: (normal(6, 4, 3), np.array([0.1, 0.2, 0.97]), np.array([0.01, 0.02, -0.01])))
def attitude(gyro, v, bias):
    q = Quat(1.0, 0.0, 0.0, 0.0)
    err = 0.0
    for w in gyro:
        rate = w - bias
        q = q * Quat(1.0, 0.05 * rate[0], 0.05 * rate[1], 0.05 * rate[2])
        q = q.normalised()
        err += np.sum((q.rotate(v) - np.array([0.0, 0.0, 1.0])) ** 2)
    return err


def lse(a):
    m = max(a)
    return m + math.log(sum(math.exp(v - m) for v in a))


@program(lambda: ([[-0.5, -1.2], [-0.9, -0.6]], [[-0.3, -1.5], [-1.1, -0.4]], [-0.7, -0.8], [0, 1, 1, 0]))
def hmm(logA, logB, logpi, obs):
    n = len(logpi)
    alpha = [logpi[i] + logB[i][obs[0]] for i in range(n)]
    alphas = [alpha]
    for o in obs[1:]:
        alpha = [lse([alpha[i] + logA[i][j] for i in range(n)]) + logB[j][o] for j in range(n)]
        alphas.append(alpha)
    beta = [0.0] * n
    posts = []
    for t in range(len(obs) - 1, -1, -1):
        post = [a + b for a, b in zip(alphas[t], beta)]
        z = lse(post)
        posts.append([math.exp(p - z) for p in post])
        beta = [lse([logA[i][j] + logB[j][obs[t]] + beta[j] for j in range(n)]) for i in range(n)]
    return lse(alpha) + sum(p[0] for p in posts)


def poisson(u):
    out = 2.0 * u
    out[1:] -= u[:-1]
    out[:-1] -= u[1:]
    return out


@program(lambda: (normal(7, 6), 0.4))
def cg(b, shift):
    def A(v):
        return poisson(v) + shift * v
    x = np.zeros_like(b)
    r = b - A(x)
    p = r.copy()
    rs = r @ r
    hist = [rs]
    for _k in range(10):
        Ap = A(p)
        alpha = rs / (p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        new = r @ r
        hist.append(new)
        if new < 1e-3:
            break
        p *= new / rs
        p += r
        rs = new
    else:
        return x.sum()
    return x @ b + hist[1] * 0.1 + len(hist)


def rosen(x):
    return (1 - x[0]) ** 2 + 5 * (x[1] - x[0] ** 2) ** 2
def rosen_g(x):
    return np.array([-2 * (1 - x[0]) - 20 * x[0] * (x[1] - x[0] ** 2), 10 * (x[1] - x[0] ** 2)])
@program(lambda: (np.array([-0.3, 0.5]), 0.05))
def lbfgs(x0, step):
    x = x0
    g = rosen_g(x)
    mem = []
    for _k in range(4):
        q = g.copy()
        al = []
        for s, y in reversed(mem):
            a = s @ q / (y @ s)
            al.append(a)
            q -= a * y
        if mem:
            s, y = mem[-1]
            q *= (s @ y) / (y @ y)
        for (s, y), a in zip(mem, reversed(al)):
            b = y @ q / (y @ s)
            q += s * (a - b)
        xn = x - step * q
        gn = rosen_g(xn)
        mem.append((xn - x, gn - g))
        if len(mem) > 2:
            mem.pop(0)
        x, g = xn, gn
    return rosen(x)


@program(lambda: (np.array([1.0, 1.7, 0.4]), np.array([0.2, -0.3, 1.0]), 0.8))
def balls(h0, v0, e):
    state = {"h": h0.copy(), "v": v0.copy(), "hits": np.zeros(len(h0))}
    t, g = 0.0, 9.8
    for _ in range(6):
        times = (state["v"] + np.sqrt(state["v"] ** 2 + 2 * g * state["h"])) / g
        i = int(np.argmin(times))
        dt = times[i]
        if t + dt > 2.0:
            dt = 2.0 - t
            state["h"] += state["v"] * dt - 0.5 * g * dt * dt
            state["v"] -= g * dt
            t = 2.0
            break
        state["h"] += state["v"] * dt - 0.5 * g * dt * dt
        state["v"] -= g * dt
        state["h"][i] = 0.0
        state["v"][i] *= -e
        state["hits"][i] += 1
        t += dt
    return np.sum(state["h"]) + np.sum(state["v"] ** 2) * 0.1 + t


class Table:
    def __init__(self, xs, ys):
        self.xs, self.ys = xs, ys
        self.hits = 0
        self.last = None
    def __call__(self, x):
        if x <= self.xs[0]:
            return self.ys[0]
        if x >= self.xs[-1]:
            return self.ys[-1]
        i = bisect.bisect_right(self.xs, x) - 1
        self.hits += 1
        self.last = i
        t = (x - self.xs[i]) / (self.xs[i + 1] - self.xs[i])
        return self.ys[i] * (1 - t) + self.ys[i + 1] * t


@program(lambda: (normal(8, 4), np.array([0.3, 1.7, 3.1, 9.0]), 0.9))
def table(ys, q, s):
    tab = Table([0.0, 1.0, 2.5, 4.0], ys)
    total = 0.0
    for v in q:
        total += tab(v * s) ** 2
    return total / max(tab.hits, 1) + tab.ys[tab.last]


@program(lambda: (positive(9, 3, 4), 1.5, 0.7))
def bilateral(img, sigma, rng):
    img = img.copy()
    out = np.zeros_like(img)
    h, w = img.shape
    for i in range(h):
        for j in range(w):
            acc, norm = 0.0, 0.0
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    a, b = i + di, j + dj
                    if not (0 <= a < h and 0 <= b < w):
                        continue
                    wgt = math.exp(-(di * di + dj * dj) / sigma - (img[a, b] - img[i, j]) ** 2 / rng)
                    acc += wgt * img[a, b]
                    norm += wgt
            out[i, j] = acc / norm
    img[:] = out ** 0.5
    return np.sum(img[1:] * img[:-1])
