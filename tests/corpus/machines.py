"""Parsers, queues, filters, state machines, estimators: programs with state of their own."""
from __future__ import annotations

import math
import sys
from collections import deque
from dataclasses import dataclass

import numpy as np

from corpus.registry import normal, positive, program


class Kalman:
    def __init__(self, F, H, Q, R):
        self.F, self.H, self.Q, self.R = F, H, Q, R
        n = F.shape[0]
        self.x = np.zeros(n)
        self.P = np.eye(n)

    def predict(self):
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + self.Q

    def update(self, z):
        y = z - self.H @ self.x
        S = self.H @ self.P @ self.H.T + self.R
        K = np.linalg.solve(S, self.H @ self.P).T
        self.x += K @ y
        self.P -= K @ self.H @ self.P
        return 0.5 * (y @ np.linalg.solve(S, y) + np.log(np.linalg.det(S)))


@program(lambda: (normal(3, 5, 1), 0.3, 0.2))
def kalman(observations, q, r):
    kf = Kalman(np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[1.0, 0.0]]), q * np.eye(2), r * np.eye(1))
    loss = 0.0
    for z in observations:
        kf.predict()
        loss += kf.update(z)
    return loss


def reverse_polish(text, env):
    stack = []
    for token in text.split():
        if token in ("+", "*", "-"):
            b = stack.pop()
            a = stack.pop()
            stack.append(a + b if token == "+" else a * b if token == "*" else a - b)
        elif token == "sin":
            stack.append(math.sin(stack.pop()))
        elif token in env:
            stack.append(env[token])
        else:
            stack.append(float(token))
    return stack.pop()


@program(lambda: (1.3, 0.7))
def polish(x, y):
    return reverse_polish("x y + 2 * x sin -", {"x": x, "y": y})


@program(lambda: (normal(1, 4, 3), normal(2, 5, 3)))
def time_warping(a, b):
    n, m = len(a), len(b)
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d = np.sum((a[i - 1] - b[j - 1]) ** 2)
            cost[i, j] = d + min(cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1])
    return cost[n, m]


@program(lambda: (normal(1, 3, 4), normal(2, 4, 4)), needs="shapes")
def viterbi(emissions, transitions):
    score = emissions[0].copy()
    back = []
    for e in emissions[1:]:
        table = score[:, None] + transitions + e[None, :]
        back.append(table.argmax(axis=0))
        score = table.max(axis=0)
    best = [int(score.argmax())]
    for pointers in reversed(back):
        best.append(int(pointers[best[-1]]))
    best.reverse()
    total = emissions[0, best[0]]
    for t in range(1, len(best)):
        total += transitions[best[t - 1], best[t]] + emissions[t, best[t]]
    return total + score.max()


@program(lambda: (normal(1, 6), normal(2, 3), normal(3, 2)))
def iir_filter(x, b, a):
    history = deque([0.0, 0.0], maxlen=2)
    inputs = deque([0.0, 0.0, 0.0], maxlen=3)
    out = []
    for v in x:
        inputs.appendleft(v)
        y = sum(c * w for c, w in zip(b, inputs)) - 0.3 * sum(c * w for c, w in zip(a, history))
        history.appendleft(y)
        out.append(y)
    return sum(v ** 2 for v in out)


class Biquad:
    def __init__(self, b0, b1, a1):
        self.b0, self.b1, self.a1 = b0, b1, a1
        self.z = 0.0

    def __call__(self, x):
        y = self.b0 * x + self.z
        self.z = self.b1 * x - self.a1 * y
        return y


@program(lambda: (normal(1, 6), 0.4, 0.2, 0.3))
def cascade(x, b0, b1, a1):
    stages = [Biquad(b0, b1, a1), Biquad(b1, b0, 0.5 * a1)]
    y = np.zeros_like(x)
    for n, v in enumerate(x):
        for stage in stages:
            v = stage(v)
        y[n] = v
    return (y ** 2).sum()


class State:
    IDLE, RAMP, HOLD = range(3)


@program(lambda: (positive(1, 8), 1.2))
def machine(u, threshold):
    state, level, energy = State.IDLE, 0.0, 0.0
    for v in u:
        if state == State.IDLE:
            if v > 0.8:
                state = State.RAMP
        elif state == State.RAMP:
            level += v * 0.5
            if level > threshold:
                state = State.HOLD
        else:
            energy += level * v
            level *= 0.9
            if level < 0.5:
                state = State.IDLE
    return energy + level ** 2


@dataclass
class Tree:
    feature: np.ndarray
    threshold: np.ndarray
    value: np.ndarray

    def predict(self, row):
        i = 0
        gate = 1.0
        while 2 * i + 2 < len(self.value):
            s = 1.0 / (1.0 + np.exp(-(row[self.feature[i]] - self.threshold[i])))
            if s > 0.5:
                i, gate = 2 * i + 2, gate * s
            else:
                i, gate = 2 * i + 1, gate * (1.0 - s)
        return gate * self.value[i]


@program(lambda: (normal(1, 4, 3), normal(2, 3), normal(3, 7)))
def forest(x, thresholds, values):
    t = Tree(np.array([0, 1, 2]), thresholds, values)
    return sum(t.predict(row) ** 2 for row in x)


@program(lambda: (normal(1, 6, 2), normal(2, 3, 2)))
def k_means(points, centers):
    centers = centers.copy()
    for _ in range(2):
        sums = np.zeros_like(centers)
        counts = [0] * len(centers)
        for p in points:
            nearest = min(range(len(centers)), key=lambda k: float(((p - centers[k]) ** 2).sum()))
            sums[nearest] += p
            counts[nearest] += 1
        for k in range(len(centers)):
            if counts[k]:
                centers[k] = 0.5 * centers[k] + 0.5 * sums[k] / counts[k]
    return sum(min(((p - c) ** 2).sum() for c in centers) for p in points)


@program(lambda: (normal(1, 3), normal(2, 3, 3)))
def annealing(x, A):
    rng = np.random.default_rng(5)
    current, best = x, x
    f_current = f_best = (A @ x) @ (A @ x)
    for _k in range(6):
        candidate = current + 0.1 * rng.normal(size=3)
        f = (A @ candidate) @ (A @ candidate)
        if f < f_current or rng.random() < 0.3:
            current, f_current = candidate, f
        if f < f_best:
            best, f_best = candidate.copy(), f
    best *= 2.0
    return best @ best + f_best


@program(lambda: (np.array([1.2, 1.0, 0.8]),))
def nelder_mead(x0):
    def f(p):
        return (p[0] - 1) ** 2 + 2 * (p[1] + 0.5) ** 2 + (p[2] * p[0]) ** 2
    simplex = [x0] + [x0 + 0.3 * np.eye(3)[i] for i in range(3)]
    for _ in range(5):
        simplex.sort(key=f)
        centroid = sum(simplex[:-1]) / 3
        reflected = centroid + (centroid - simplex[-1])
        if f(reflected) < f(simplex[0]):
            expanded = centroid + 2 * (centroid - simplex[-1])
            simplex[-1] = expanded if f(expanded) < f(reflected) else reflected
        elif f(reflected) < f(simplex[-2]):
            simplex[-1] = reflected
        else:
            simplex[-1] = centroid + 0.5 * (simplex[-1] - centroid)
    return min(f(p) for p in simplex)


class Welford:
    def __init__(self):
        self.n, self.mean, self.m2 = 0, 0.0, 0.0

    def add(self, x):
        self.n += 1
        delta = x - self.mean
        self.mean += delta / self.n
        self.m2 += delta * (x - self.mean)

    @property
    def variance(self):
        return self.m2 / (self.n - 1) if self.n > 1 else 0.0


@program(lambda: (normal(1, 6),))
def running_statistics(x):
    stats = {"all": Welford(), "positive": Welford()}
    for v in x:
        stats["all"].add(v)
        if v > 0:
            stats["positive"].add(v)
    return stats["all"].variance + stats["positive"].mean ** 2


@program(lambda: (positive(1, 5), positive(2, 5)))
def server_queue(gaps, services):
    clock, free_at, waiting = 0.0, [0.0, 0.0], 0.0
    for gap, service in zip(gaps, services):
        clock += gap
        k = min(range(2), key=lambda i: float(free_at[i]))
        start = max(clock, free_at[k])
        waiting += start - clock
        free_at[k] = start + service
    return waiting + max(free_at) ** 2


@program(lambda: (0.3, 100.0, 95.0, 0.05))
def american_put(sigma, s0, strike, r):
    n, dt = 6, 1.0 / 6
    u = math.exp(sigma * math.sqrt(dt))
    p = (math.exp(r * dt) - 1.0 / u) / (u - 1.0 / u)
    values = [max(strike - s0 * u ** (2 * j - n), 0.0) for j in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1):
            hold = math.exp(-r * dt) * (p * values[j + 1] + (1 - p) * values[j])
            values[j] = max(hold, strike - s0 * u ** (2 * j - i))
    return values[0]


class Pendulum:
    def __init__(self, length, damping):
        self.length = length
        self.damping = damping
        self.history = []

    def derivative(self, state):
        theta, omega = state
        return np.array([omega, -9.81 / self.length * np.sin(theta) - self.damping * omega])

    def simulate(self, state, dt, steps):
        state = np.array(state)
        for _ in range(steps):
            k1 = self.derivative(state)
            k2 = self.derivative(state + dt / 2 * k1)
            state += dt * k2
            self.history.append(state.copy())
        return state


@program(lambda: (1.1, 0.2, 0.5))
def pendulum(length, damping, theta):
    p = Pendulum(length, damping)
    end = p.simulate([theta, 0.0], 0.05, 4)
    return end[0] ** 2 + sum(abs(s[1]) for s in p.history)


class Tracker:
    """With functions of a library and what ``sys`` tells among its attributes, beside arrays that change in place."""

    def __init__(self, n):
        self.x = np.zeros((n, 1))
        self.P = np.eye(n)
        self.likelihood = sys.float_info.min
        self.invert = np.linalg.inv

    def update(self, z):
        gain = self.P @ self.invert(self.P + np.eye(2))
        self.x = self.x + gain @ (z - self.x)
        self.P -= gain @ self.P
        self.likelihood = np.exp(-0.5 * np.sum((z - self.x) ** 2))

    def smoothed(self, invert=np.linalg.inv, over=np.sum):
        return over(invert(self.P) @ self.x)


def wide_tracker():
    tracker = Tracker(2)
    tracker.P *= 10.0
    return tracker


@program(lambda: (0.7, normal(3, 3, 2, 1)))
def tracker_out_of_a_factory(q, zs):
    tracker = wide_tracker()
    tracker.P = tracker.P * q
    cost = 0.0
    for z in zs:
        tracker.update(z)
        cost -= np.log(tracker.likelihood + sys.float_info.min)
    return cost + tracker.smoothed()
