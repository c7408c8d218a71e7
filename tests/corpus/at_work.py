"""Programs as scientists, engineers and students write them: a scalar autodiff engine, units, price trees, orbits."""
from __future__ import annotations

import math
import warnings
from collections import deque
from dataclasses import dataclass
from enum import Enum

import numpy as np

from corpus.registry import normal, positive, program


class Value:

    def __init__(self, data, _children=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(_children)
        self._op = _op

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._backward = _backward
        return out

    def backward(self):
        topo, visited = ([], set())

        def build(v):
            if v not in visited:
                visited.add(v)
                for c in v._prev:
                    build(c)
                topo.append(v)
        build(self)
        self.grad = 1.0
        for v in reversed(topo):
            v._backward()


@program(lambda: (2.0, -3.0))
def micrograd(a, b):
    x, y = (Value(a), Value(b))
    z = x * y + x
    z.backward()
    return z.data + x.grad * y.grad


class Quantity:
    __slots__ = ("value", "unit")

    def __init__(self, value, unit=""):
        self.value = value
        self.unit = unit

    def __add__(self, o):
        if self.unit != o.unit:
            raise ValueError(f"cannot add {self.unit} and {o.unit}")
        return Quantity(self.value + o.value, self.unit)

    def __mul__(self, o):
        if isinstance(o, Quantity):
            return Quantity(self.value * o.value, f"{self.unit}*{o.unit}")
        return Quantity(self.value * o, self.unit)
    __rmul__ = __mul__

    def __truediv__(self, o):
        return Quantity(self.value / o.value, f"{self.unit}/{o.unit}")

    def __pow__(self, n):
        return Quantity(self.value ** n, f"{self.unit}^{n}")

    def __lt__(self, o):
        return self.value < o.value

    def __repr__(self):
        return f"{self.value:.3g} {self.unit}"


@program(lambda: (2.0, 3.0))
def kinetic(m, v):
    mass, vel = (Quantity(m, "kg"), Quantity(v, "m/s"))
    e = 0.5 * mass * vel ** 2
    e2 = mass * Quantity(9.81, "m/s2") * Quantity(2.0, "m")
    print(e, e2)
    if e < e2:
        e = e * 2
    return (e + Quantity(1.0, "kg*m/s^2")).value


class OptionType(Enum):
    CALL = 1
    PUT = -1


@program(lambda: (100.0, 95.0, 0.05, 0.2, 1.0, OptionType.PUT))
def crr(S, K, r, sigma, T, kind, N=6, american=True):
    dt = T / N
    u = math.exp(sigma * math.sqrt(dt))
    d = 1 / u
    p = (math.exp(r * dt) - d) / (u - d)

    def payoff(s):
        return max(kind.value * (s - K), 0.0)

    values = [payoff(S * u ** j * d ** (N - j)) for j in range(N + 1)]
    for i in range(N - 1, -1, -1):
        for j in range(i + 1):
            hold = math.exp(-r * dt) * (p * values[j + 1] + (1 - p) * values[j])
            values[j] = max(hold, payoff(S * u ** j * d ** (i - j))) if american else hold
    return values[0]


@program(lambda: (normal(1, 2), normal(2, 7, 2), np.array([5, 3, 8, 1, 9, 2, 7]), np.array([1, 1, 0, 1, 1, 0, 1]) > 0))
def cox(beta, X, times, events):
    order = np.argsort(times)
    X, events = (X[order], events[order])
    eta = X @ beta
    ll = 0.0
    for i in np.flatnonzero(events):
        risk = eta[i:]
        m = risk.max()
        ll += eta[i] - (m + np.log(np.exp(risk - m).sum()))
    return -ll


@dataclass
class GarchParams:
    omega: float
    alpha: float
    beta: float
    mu: float = 0.0

    @classmethod
    def from_vector(cls, v):
        return cls(*v)

    def persistence(self):
        return self.alpha + self.beta

    def validate(self):
        if self.persistence() >= 1:
            warnings.warn("non-stationary", RuntimeWarning, stacklevel=2)
        return self


@program(lambda: (np.array([0.1, 0.1, 0.8, 0.05]), normal(1, 8)))
def garch_nll(theta, returns):
    p = GarchParams.from_vector(theta).validate()
    h = np.var(returns)
    nll = 0.0
    for r in returns:
        eps = r - p.mu
        nll += 0.5 * (math.log(2 * math.pi) + math.log(h) + eps ** 2 / h)
        h = p.omega + p.alpha * eps ** 2 + p.beta * h
    return nll


@program(lambda: (normal(1, 2, 2), 1.0))
def regret_matching(A, lr):
    n = len(A)
    R = [np.zeros(n), np.zeros(n)]
    S = [np.zeros(n) for _ in range(2)]
    for _ in range(5):
        sig = []
        for p in range(2):
            pos = np.maximum(R[p], 0)
            tot = pos.sum()
            sig.append(pos / tot if tot > 0 else np.full(n, 1 / n))
        vals = [A @ sig[1], -A.T @ sig[0]]
        for p in range(2):
            R[p] += lr * (vals[p] - sig[p] @ vals[p])
            S[p] += sig[p]
    avg = [s / s.sum() for s in S]
    return avg[0] @ A @ avg[1] + 0.1 * sum(np.sum(r ** 2) for r in R)


@program(lambda: (positive(1, 4), positive(2, 4)))
def waiting(gaps, service):
    t, free, waits, q = (0.0, 0.0, [], deque())
    for g, s in zip(gaps, service):
        t += g
        q.append((t, s))
    while q:
        arr, s = q.popleft()
        start = max(arr, free)
        waits.append(start - arr)
        free = start + s
    return sum(w ** 2 for w in waits) + free


@dataclass
class Orbit:
    a: float
    e: float
    i: float = 0.0
    om: float = 0.0
    w: float = 0.0
    M0: float = 0.0
    mu: float = 1.0

    @property
    def n(self):
        return math.sqrt(self.mu / self.a ** 3)

    def eccentric(self, M, tol=1e-12, maxit=30):
        E = M if self.e < 0.8 else math.pi
        for _ in range(maxit):
            d = (E - self.e * math.sin(E) - M) / (1 - self.e * math.cos(E))
            E -= d
            if abs(d) < tol:
                return E
        raise RuntimeError("no convergence")

    def position(self, t):
        E = self.eccentric((self.M0 + self.n * t) % (2 * math.pi))
        x, y = (self.a * (math.cos(E) - self.e), self.a * math.sqrt(1 - self.e ** 2) * math.sin(E))
        R = [[math.cos(self.w), -math.sin(self.w)], [math.sin(self.w), math.cos(self.w)]]
        return np.array(R) @ np.array([x, y])


@program(lambda: (1.2, 0.3, 0.4))
def transit(a, e, w):
    o = Orbit(a, e, w=w, M0=0.1)
    return sum(float(np.linalg.norm(o.position(t))) for t in (0.5, 1.7, 9.0))


@program(lambda: ({"a": 0.5, "b": 0.04, "sigma": 0.01, "r0": 0.03},))
def vasicek(params):

    def price(T, *, a, b, sigma, r0):
        B = (1 - math.exp(-a * T)) / a
        A = math.exp((b - sigma ** 2 / (2 * a ** 2)) * (B - T) - sigma ** 2 / (4 * a) * B ** 2)
        return A * math.exp(-B * r0)
    ys = {T: -math.log(price(T, **params)) / T for T in (1, 2, 5, 10)}
    return ys[10] - ys[1] + max(ys.values())


@program(lambda: (normal(80, 3), normal(81, 3)))
def slopes_that_are_clipped(u, v):
    slope_u, slope_v = np.zeros_like(u), np.zeros_like(v)
    carried = np.zeros_like(u)
    for k in reversed(range(3)):
        slope_u += k * u * v
        slope_v += v + carried
        carried = u * v
    for slope in [slope_u, slope_v]:
        np.clip(slope, -1.0, 2.0, out=slope)
    return np.sum(slope_u * u) + np.sum(slope_v ** 2)
