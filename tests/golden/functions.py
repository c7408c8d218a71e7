"""Functions whose primal and adjoint are kept as text, each with the arguments that it is shown at."""
from __future__ import annotations

import math

import numpy as np

R = np.random.default_rng(7)
SHOWN = []


def shown(*args, argnums=None):
    """Enter a function into the list, with arguments."""
    def enter(function):
        SHOWN.append((function, args, argnums))
        return function
    return enter


@shown(R.normal(size=(3, 4)), R.normal(size=(4, 2)))
def dense(x, w):
    y = np.tanh(x @ w)
    return (y ** 2).sum()


@shown(-2.0)
def absolute(x):
    if x < 0:
        return -x
    return x


@shown(np.array([-2.0, -1.0, 0.5, 1.0, 2.0, 3.0]))
def positives(x):
    result = 1
    for xi in x:
        if xi > 0:
            result = xi * result
    return result


@shown(R.normal(size=5))
def straight(x):
    return (x ** 2 * np.exp(x)).sum()


@shown(R.normal(size=(3, 4)), R.normal(size=4), 0.3)
def broadcast(x, w, b):
    return np.tanh(x * w + b)


@shown(0.7)
def assigned_again(x):
    y = x * 2.0
    y = np.sin(x * y)
    y = y * np.exp(y)
    return y


@shown(1.5, 0.4)
def joined(x, y):
    if x > 1:
        z = x * y
    else:
        z = 3.0
    if y > 1:
        z = z * np.sin(x)
    return z * z


@shown(0.4, 0.3)
def ternary(x, y):
    z = (x if x > y else y * y) * x
    return z * (y if z > 1 else 2.0)


@shown(3.0)
def newton(a):
    x = a
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


@shown(R.normal(size=(4, 3)))
def rows(x):
    total = 0.0
    for k, row in enumerate(x):
        total = total + k * np.sqrt((row ** 2).sum())
    return total


@shown(R.normal(size=4), R.normal(size=4))
def paired(x, y):
    total = 0.0
    for a, b in zip(x, reversed(y)):
        total += a * b * a
    return total


@shown(1.1, 4, argnums=(0,))
def nested(x, n):
    total = 0.0
    for i in range(n):
        p = x
        for _ in range(n):
            p = p * x + i
            if p > 8:
                break
            if p * total > 60:
                return total * p
            total = total + p * x
        total = total + np.sin(p)
    return total


@shown(1.3, 4, argnums=(0,))
def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


def leak(x, slope=0.1):
    return x if x > 0 else slope * x


@shown(0.5, -0.2)
def helper_called(x, y):
    return leak(x) * leak(y, slope=0.3)


@shown(R.normal(size=9), 0.1, 3, argnums=(0, 1))
def stencil(u, c, steps):
    for _ in range(steps):
        u = np.tanh(u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2]))
    return (u ** 2).sum()


@shown(R.normal(size=3), R.normal(size=(5, 3)), np.array([1.0, -1.0, 1.0, 1.0, -1.0]), argnums=(0,))
def logistic(w, x, signs):
    return np.mean(np.log1p(np.exp(-signs * (x @ w)))) + 0.1 * (w ** 2).sum()


@shown(R.normal(size=(4, 3)), R.normal(size=3), R.normal(size=(5, 4)), np.array([0, 2, 1, 0, 2]), argnums=(0, 1))
def cross_entropy(w, b, x, labels):
    scores = x @ w + b
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    log_p = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(len(labels)), labels])


@shown(R.normal(size=(3, 3)) * 0.3, R.normal(size=(2, 3)), R.normal(size=(6, 2)), argnums=(0, 1))
def recurrent(w, v, xs):
    h = np.zeros(3)
    for x in xs:
        h = np.tanh(h @ w + x @ v)
    return (h ** 2).sum()


def field(x, y, a):
    return a * (y - x), x * (1.0 - x) - y


@shown(0.5, 0.2, 1.3, 0.1, 5, argnums=(0, 1, 2))
def euler(x, y, a, dt, steps):
    for _ in range(steps):
        dx, dy = field(x, y, a)
        x, y = x + dt * dx, y + dt * dy
    return x * y


@shown(np.eye(3) * 3 + R.normal(size=(3, 3)), R.normal(size=3))
def solved(a, b):
    x = np.linalg.solve(a, b)
    return np.linalg.norm(x)


@shown(R.normal(size=6), np.array([0, 2, 2]), argnums=(0,))
def indexed(x, places):
    return x[places].sum() * x[1] + (x[x > 0] ** 2).sum() + x[-2:].sum()


@shown(R.normal(size=3), R.normal(size=2))
def joined_arrays(x, y):
    z = np.concatenate((x, 2.0 * y))
    return np.stack((z, z ** 2), axis=1).sum()


@shown(0.7, 0.2)
def hygiene(x_bar, saved):
    np_ = x_bar * saved
    path = np_ * x_bar
    d = np.sin(path)
    return d * saved


@shown(0.3)
def mathematics(x):
    return math.exp(-x ** 2) * math.sqrt(1.0 + x) / math.cosh(x)


@shown(R.normal(size=(3, 4)))
def statistics(x):
    centred = x - x.mean(axis=0)
    return (centred / (np.std(x, axis=0) + 1e-3)).max(axis=1).sum()


@shown(R.normal(size=(2, 6)))
def shaped(x):
    y = x.reshape(3, 4).T
    return (np.cumsum(y, axis=0) * y[::-1]).sum()


@shown(0.9, 1.0, 2.0, argnums=(0,))
def horner(x, a, b):
    result = 0.0
    for coefficient in (a, b, 3.0, 4.0):
        result = result * x + coefficient
    return result


@shown(R.normal(size=4), R.normal(size=4))
def local_array(x, y):
    z = x * y
    z += x
    z *= 0.5
    return (z ** 2).sum()


@shown(R.normal(size=(2, 3, 4)), R.normal(size=(4, 5)))
def batched(x, w):
    return np.maximum(x @ w, 0.0).sum(axis=(0, 2))


@shown(R.normal(size=4))
def several(x):
    total = x.sum()
    return total, np.exp(x) / total


@shown({"w": R.normal(size=(3, 2)), "b": R.normal(size=2)}, R.normal(size=(4, 3)))
def penalised(params, x):
    h = np.tanh(x @ params["w"] + params["b"])
    return (h ** 2).sum() + 0.5 * sum((w ** 2).sum() for w in params.values())


@shown([(R.normal(size=(3, 4)), R.normal(size=4)), (R.normal(size=(4, 2)), R.normal(size=2))], R.normal(size=(5, 3)))
def layered(params, x):
    for w, b in params:
        x = np.tanh(x @ w + b)
    return (x ** 2).sum()


@shown({"wx": R.normal(size=(3, 2)), "wh": R.normal(size=(3, 3))}, R.normal(size=(4, 2)))
def remembered(params, xs):
    h = np.zeros(3)
    states = []
    for x in xs:
        h = np.tanh(params["wx"] @ x + params["wh"] @ h)
        states.append(h)
    return np.stack(states)


@shown(R.normal(size=3), 3, argnums=(0,))
def rolled_out(x, n):
    states = [x]
    for _ in range(n):
        states.append(np.sin(states[-1]) * states[0])
    return (states[-1] * states[1]).sum()


@shown(R.normal(size=9), 0.1, 3, argnums=(0, 1))
def diffuse(u, c, steps):
    for _ in range(steps):
        u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])
    return (u ** 2).sum()


@shown(R.normal(size=9), 0.1, 3, argnums=(0, 1))
def burgers(u, c, steps):
    for _ in range(steps):
        u[1:-1] -= c * u[1:-1] * (u[2:] - u[:-2])
    return (u ** 2).sum()


@shown(R.normal(size=9), 0.1, 3, argnums=(0, 1))
def relax(x, c, steps):
    u = x.copy()
    v = x.copy()
    for _ in range(steps):
        v[1:-1] = u[1:-1] + c * u[2:] * u[:-2]
        u, v = v, u
    return (u * v).sum()


@shown(np.eye(3) * 3 + R.normal(size=(3, 3)), R.normal(size=3))
def substituted(L, b):
    x = np.zeros(len(b))
    for i in range(len(b)):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return (x ** 2).sum()


def hold(u, left, right):
    u[0] = left
    u[-1] = right


@shown(R.normal(size=6), 0.5, -0.5, 3, argnums=(0, 1, 2))
def walls(u, left, right, steps):
    for _ in range(steps):
        u[1:-1] = 0.5 * (u[2:] + u[:-2])
        hold(u, left, right)
    return u


@shown(0.7, 1.2)
def closed_over(x, y):
    def line(t):
        return t * x + y
    y = np.sin(y)
    return line(2.0) * y


def secant(function, start, stop, turns=4):
    for _ in range(turns):
        low, high = function(start), function(stop)
        start, stop = stop, stop - high * (stop - start) / (high - low)
    return stop


@shown(2.0)
def handed_on(a):
    return secant(lambda t: t * t - a, 1.0, 2.0)


class Layer:
    def __init__(self, weights):
        self.weights = weights
        self.activation = np.tanh

    def predict(self, x, *, scale=1.0):
        return self.activation(x @ self.weights) * scale


layer = Layer(np.array([[0.5, -1.0], [0.25, 2.0]]))


@shown(R.normal(size=(3, 2)), 0.5)
def method(x, scale):
    return (layer.predict(x, scale=scale) ** 2).sum()


@shown(0.5, 2.0, 3.0)
def spread_out(x, *factors, **options):
    total = x * sum(factors)
    return total * options.get("scale", 2.0) + np.hypot(*factors)


@shown(np.array([0.5, -1.0, 2.0]), 1.5)
def tried(xs, scale):
    total = scale
    for x in xs:
        try:
            y = math.log(x * scale)
        except ValueError as error:
            print(f"{x}: {error}", end="")
            continue
        total = total + y * total
    return total


@shown(R.normal(size=9), 0.1, 3, argnums=(0, 1))
def named_parts(u, c, steps):
    inner, left, right = u[1:-1], u[:-2], u[2:]
    for _ in range(steps):
        inner += c * (left - 2 * inner + right)
    return (u ** 2).sum()


@shown(np.eye(3) * 3 + R.normal(size=(3, 3)))
def factored(a):
    a = a.copy()
    for k in range(len(a) - 1):
        column, row = a[k + 1:, k], a[k, k + 1:]
        column /= a[k, k]
        a[k + 1:, k + 1:] -= np.outer(column, row)
    return np.log(np.abs(np.diag(a))).sum()


@shown(np.eye(3) * 3 + R.normal(size=(3, 3)))
def orthogonal(a):
    q = a.copy()
    for j in range(q.shape[1]):
        v = q[:, j]
        for k in range(j):
            v -= (q[:, k] @ v) * q[:, k]
        v /= np.sqrt((v ** 2).sum())
    return (q * a).sum()


@shown(R.normal(size=4), np.array([[0, 1], [1, 3], [0, 3]]), argnums=(0,))
def assembled(x, edges):
    forces = np.zeros(x.shape)
    stretch = x[edges[:, 1]] - x[edges[:, 0]]
    np.add.at(forces, edges[:, 0], stretch)
    np.subtract.at(forces, edges[:, 1], stretch)
    return (forces ** 2).sum()


@shown(R.normal(size=8), R.normal(size=4))
def butterflies(x, w):
    u = x.copy()
    h = 1
    while h < len(u):
        for i in range(0, len(u), 2 * h):
            low, high = u[i:i + h], u[i + h:i + 2 * h]
            difference = (low - high) * w[:h]
            low += high
            high[:] = difference
        h *= 2
    return (u ** 2).sum()


@shown(R.normal(size=(3, 3)), R.normal(size=3))
def edges_set(m, v):
    u = m * m
    u.T[0] = v
    u[-1] *= v
    np.fill_diagonal(u, 1.0)
    return (u ** 3).sum()


@shown(R.normal(size=5), R.normal(size=5))
def ordered(x, w):
    u = x * w
    u.sort()
    u[:] = np.exp(u) * w
    return u.sum()


@shown(R.normal(size=8) + 1j * R.normal(size=8), R.normal(size=8) ** 2)
def retrieved(field, magnitude):
    for _ in range(3):
        far = np.fft.fft(field)
        far = magnitude * np.exp(1j * np.angle(far))
        field = np.fft.ifft(far)
    return np.sum(np.abs(field) ** 2)


@shown(R.normal(size=(3, 3)), R.normal(size=3) + 1j * R.normal(size=3))
def expected_value(coupling, psi):
    h = coupling + 1j * (coupling - coupling.T)
    psi = psi / np.linalg.norm(psi)
    return np.vdot(psi, h @ psi).real


@shown(R.normal(size=3), np.array([10.0, 28.0, 8.0 / 3.0]))
def velocity(state, parameters):
    x, y, z = state
    sigma, rho, beta = parameters
    return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])


@shown(R.normal(size=6))
def walls_heated(u):
    u = u * 1.0
    u[0] = u[-1] = -0.5
    for _ in range(3):
        u[1:-1] += 0.25 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return -0.5 * (u[1] / 2.0) ** 2 + u[0] * u[-1] + (u ** 2).sum()


@shown(R.normal(size=(2, 3)))
def in_a_row(x):
    u = np.exp(x)
    flat = u.ravel()
    flat[1:] += flat[:-1] ** 2
    u.flat[::4] = 1.0
    return (u ** 2).sum()


@shown(R.normal(size=4), np.array([1.0, 0.0, 2.0, 0.5]), argnums=(0,))
def where_there_is_one(x, d):
    y = np.divide(x, d, out=np.zeros_like(x), where=d != 0)
    return (np.multiply(y, y, out=y) * x).sum()


@shown(R.normal(size=6), 0.3)
def changed_places(x, c):
    buffers = [x * 1.0, x * 0.0]
    for _ in range(3):
        buffers[1][1:-1] = buffers[0][1:-1] + c * buffers[0][2:] * buffers[0][:-2]
        buffers[0], buffers[1] = buffers[1], buffers[0]
    return (buffers[0] ** 2).sum()


class Moments:
    def __init__(self, rate):
        self.mean = 0.0
        self.square = 0.0
        self.rate = rate

    def direction(self, g):
        self.mean = self.rate * self.mean + (1.0 - self.rate) * g
        self.square = self.rate * self.square + (1.0 - self.rate) * g ** 2
        return self.mean / (np.sqrt(self.square) + 1e-3)


@shown(R.normal(size=3), R.normal(size=3), argnums=(0, 1))
def descended(p, target):
    moments = Moments(0.9)
    for _ in range(5):
        p = p - 0.1 * moments.direction(p - target)
    return (p * p).sum()


@shown(R.normal(size=(4, 6)), R.normal(size=(4, 6)), R.normal(size=(4, 6)), 2, argnums=(0, 1, 2))
def attention(q, k, v, heads):
    size = q.shape[1] // heads
    out = np.zeros_like(q)
    for h in range(heads):
        s = slice(h * size, (h + 1) * size)
        a = np.exp(q[:, s] @ k[:, s].T / np.sqrt(size))
        out[:, s] = a / a.sum(axis=1, keepdims=True) @ v[:, s]
    return np.sum(out ** 2)


@shown(R.normal(size=4), 3, argnums=(0,))
def powers(x, k):
    return np.sum(x ** k) + np.sum(np.arctan2(x, 2)) + x[0] * k + x[1] * 2


@shown(R.normal(size=(3, 2)), R.normal(size=(4, 2)), argnums=(0, 1))
def nearest(a, b):
    d = ((a[:, None] - b) ** 2).sum(axis=-1)
    i, j = np.unravel_index(np.argmin(d), d.shape)
    weighed = np.average(d[i], weights=np.arange(1, len(b) + 1)) if i != j else np.einsum("ij,ij", a, a)
    return d[i, j] + np.vdot(b, b) + weighed


@shown(R.normal(size=4), 0.5, argnums=(0, 1))
def smoothed(x, a):
    s = None
    for v in x:
        if v > 3.0:
            return a * v
        s = v if s is None else a * s + v
    return s * s


@shown(R.normal(size=(3, 3)), R.normal(size=3), argnums=(0, 1))
def eliminated(a, b):
    a, b = a.copy(), b.copy()
    for k in range(len(b)):
        p = k + np.argmax(np.abs(a[k:, k]))
        a[[k, p]] = a[[p, k]]
        b[[k, p]] = b[[p, k]]
        for i in range(k + 1, len(b)):
            factor = a[i, k] / a[k, k]
            a[i, k:] -= factor * a[k, k:]
            b[i] -= factor * b[k]
    return b[-1] / a[-1, -1]


@shown(R.normal(size=6), R.normal(size=3), R.normal(size=2))
def filtered(x, b, a):
    y = np.zeros(len(x))
    for n in range(len(x)):
        total = 0.0
        for k in range(len(b)):
            if n - k >= 0:
                total += b[k] * x[n - k]
        for k in range(1, len(a)):
            if n - k >= 0:
                total -= a[k] * y[n - k]
        y[n] = total
    return y


@shown(R.normal(size=(5, 5)), 3, argnums=(0,))
def swept(u, steps):
    for _ in range(steps):
        new = u.copy()
        new[1:-1, 1:-1] = 0.25 * (u[1:-1, 2:] + u[1:-1, :-2] + u[2:, 1:-1] + u[:-2, 1:-1])
        u = new
    return np.mean(u ** 2)


@shown(R.normal(size=(5, 4)), R.normal(size=(3, 2)), argnums=(0, 1))
def convolved(image, kernel):
    h, w = kernel.shape
    out = np.zeros((image.shape[0] - h + 1, image.shape[1] - w + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = np.sum(image[i:i + h, j:j + w] * kernel)
    return np.sum(np.exp(out) ** (1 / 3))


class Regression:
    def __init__(self, w):
        self.params = {"w": w.copy(), "b": 0.0}

    def __call__(self, x):
        self.x = x
        return x @ self.params["w"] + self.params["b"]

    def backward(self, slope):
        return {"w": self.x.T @ slope, "b": slope.sum()}


class Momentum:
    def __init__(self, params, rate):
        self.params, self.rate = params, rate
        self.v = {key: 0.0 for key in params}  # noqa: C420

    def step(self, slopes):
        for key in self.params:
            self.v[key] = 0.9 * self.v[key] + slopes[key]
            self.params[key] -= self.rate * self.v[key]


@shown(R.normal(size=3), R.normal(size=(5, 3)), R.normal(size=5), 0.01, argnums=(0,))
def fitted_by_momentum(w, x, y, rate):
    model = Regression(w)
    optimiser = Momentum(model.params, rate)
    for _ in range(20):
        optimiser.step(model.backward(model(x) - y))
    return np.mean((model(x) - y) ** 2)


class Ridge:
    def __init__(self, weights, strength):
        self.weights = weights
        self.strength = strength

    def bound(self, x):
        return (np.tanh(self.weights @ x) ** 2).sum() + self.strength * (x ** 2).sum()


shown(R.normal(size=2))(Ridge(R.normal(size=(3, 2)), 0.1).bound)


@shown(R.normal(size=(3, 2)), R.normal(size=(3, 2)), R.normal(size=3) ** 2, 0.1, 3, argnums=(0, 1, 2))
def attracted(q, v, m, dt, steps):
    for _ in range(steps):
        d = q[None] - q[:, None]
        r = ((d ** 2).sum(-1) + 0.1) ** 1.5
        v = v + dt * (m[None, :, None] * d / r[..., None]).sum(1)
        q = q + dt * v
    return 0.5 * (m * (v ** 2).sum(-1)).sum()


@shown(R.normal(size=(4, 3)), R.normal(size=3))
def normalised(x, shift):
    mean, spread = x.mean(axis=0), x.std(axis=0)
    share = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
    return ((x - mean) / spread + shift).sum() + (share * np.concatenate((x[:2] * 2.0, x[2:]))).sum() + x.T.sum()


@shown(R.normal(size=(3, 3)), R.normal(size=3))
def iterated(a, v):
    for _ in range(5):
        v = a @ v
        v /= np.linalg.norm(v)
    return v @ a @ v


@shown(R.normal(size=8), 0.05, 3, argnums=(0, 1))
def upwind(u, dt, steps):
    for _ in range(steps):
        left, right = u[:-1], u[1:]
        chosen = np.where(left > 0, left, right)
        flux = chosen ** 2 / 2
        u = u.copy()
        u[1:-1] -= dt * (flux[1:] - flux[:-1])
    return np.sum(u ** 2)


@shown(R.uniform(0.1, 1.0, size=4), R.uniform(0.1, 1.0, size=(4, 4)), 3, argnums=(0, 1))
def distributed(p, t, steps):
    t = t / t.sum(axis=1, keepdims=True)
    for _ in range(steps):
        p = p @ t
        p = p / p.sum()
    return np.log(p[0])


@shown(R.normal(size=(5, 2)), np.array([0, 1, 2, 3]), np.array([1, 2, 3, 4]), argnums=(0,))
def sprung(x, i, j):
    d = x[j] - x[i]
    length = np.sqrt(np.sum(d ** 2, axis=1))
    f = (length - 1.0)[:, None] * d / length[:, None]
    force = np.zeros_like(x)
    np.add.at(force, i, f)
    np.add.at(force, j, -f)
    return np.sum(force ** 2)


@shown(R.uniform(0.1, 1.0, size=5))
def descending(p):
    p = np.sort(p)[::-1]
    total = 0.0
    for v in np.cumsum(p) / np.sum(p):
        if v > 0.5:
            total += np.log1p(v)
        else:
            total -= v ** 2
    return total


@shown(0.3, 0.2, 9.8, 1.0, 0.1, 5, argnums=(0, 1, 2, 3))
def swinging(angle, speed, gravity, length, dt, steps):
    for _ in range(steps):
        speed = speed - dt * gravity / length * np.sin(angle) * np.cos(angle)
        angle = angle + dt * speed
    return angle ** 2


@shown({"beta": 0.5, "gamma": 0.2}, np.array([0.9, 0.1, 0.01]), 0.1, 5, argnums=(0, 1))
def infected(rates, start, dt, steps):
    s, i, r = start
    history = np.zeros((steps, 3))
    for t in range(steps):
        new, over = rates["beta"] * s * i, rates["gamma"] * i
        s, i, r = s - dt * new, i + dt * (new - over), r + dt * over
        history[t] = s, i, r
    return np.sum(history[:, 1] ** 2)


@shown(R.normal(size=6), 0.1, 3, argnums=(0, 1))
def warmed(u, c, steps):
    for _ in range(steps):
        u[1:-1] = u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u ** 2)


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


@shown(R.normal(size=(4, 3)), R.normal(size=(2, 4)), R.normal(size=3), argnums=(0, 1))
def two_layers(w, v, x):
    return np.sum(sigmoid(v @ sigmoid(w @ x)) ** 2)


@shown(R.normal(size=5))
def following(x):
    total = 0.0
    for before, after in zip(x[:-1], x[1:]):
        total += before * np.tanh(after)
    return total


RATINGS = [(0, 2, 4.0), (1, 0, 3.0), (2, 1, 1.0), (0, 0, 5.0), (1, 2, 2.0)]
POINTS = [(0, 1), (0.5, 1.9), (1, 3.2)]


@shown(R.normal(size=(3, 2)), R.normal(size=(3, 2)))
def rated(p, q):
    loss = 0.0
    for user, item, rating in RATINGS:
        loss += (p[user] @ q[item] - rating) ** 2 + 0.01 * (p[user] @ p[user] + q[item] @ q[item])
    return loss


@shown(1.8, 0.7)
def through_points(slope, offset):
    return sum((slope * x + offset - y) ** 2 for x, y in POINTS) / len(POINTS)


@shown(R.normal(size=(4, 3)), R.normal(size=3), R.normal(size=4), argnums=(0, 1))
def least_squares(a, x, b):
    r = a @ x - b
    return 0.5 * r @ r


class Body:
    def __init__(self, place, mass):
        self.place = place
        self.mass = mass


@shown([Body(R.normal(size=3), 1.0 + i) for i in range(3)])
def attracting(bodies):
    energy = 0.0
    for i, one in enumerate(bodies):
        for other in bodies[i + 1:]:
            energy -= one.mass * other.mass / np.linalg.norm(one.place - other.place)
    return energy


class Network:
    def __init__(self, sizes):
        self.weights = [R.normal(size=(m, n)) for m, n in zip(sizes, sizes[1:])]

    def __call__(self, x):
        for w in self.weights[:-1]:
            x = np.tanh(x @ w)
        return x @ self.weights[-1]


@shown(Network([3, 4, 2, 1]), R.normal(size=(2, 3)), argnums=(0,))
def networked(network, x):
    return np.mean(network(x) ** 2)


class Dense:
    def __init__(self, w, b):
        self.w = w
        self.b = b

    def __call__(self, x):
        return np.tanh(x @ self.w + self.b)


class Model:
    def __init__(self, sizes):
        self.layers = [Dense(R.normal(size=(m, n)), R.normal(size=n)) for m, n in zip(sizes, sizes[1:])]
        self.scale = 0.5

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.scale * x

    def loss(self, x, y):
        return np.sum((self.forward(x) - y) ** 2)


@shown(Model([3, 4, 2]), R.normal(size=(5, 3)), R.normal(size=(5, 2)), argnums=(0,))
def modelled(model, x, y):
    return model.loss(x, y)


class Ball:
    def __init__(self, place, speed, mass):
        self.place = place
        self.speed = speed
        self.mass = mass

    def pulled(self, other, k):
        return k * (other.place - self.place) / self.mass

    def move(self, pull, dt):
        self.speed = self.speed + dt * pull
        self.place = self.place + dt * self.speed


@shown(R.normal(size=(3, 2)), R.normal(size=(3, 2)), 1.5)
def balls(places, speeds, k):
    moving = [Ball(place, speed, 2.0) for place, speed in zip(places, speeds)]
    for _ in range(4):
        for ball in moving:
            ball.move(ball.pulled(moving[0], k), 0.1)
    return sum(np.sum(ball.place ** 2) for ball in moving)


@shown(R.normal(size=5))
def soft_maximum(x):
    return np.log(np.sum(np.exp(x)))


@shown({"w0": R.normal(size=(3, 4)), "b0": R.normal(size=4), "w1": R.normal(size=(4, 2)), "b1": R.normal(size=2)},
       R.normal(size=(5, 3)), argnums=(0,))
def named_layers(params, x):
    for i in range(len(params) // 2):
        x = np.tanh(x @ params[f"w{i}"] + params[f"b{i}"])
    decay = 0.0
    for label, value in params.items():
        if label.startswith("w"):
            decay += np.sum(value ** 2)
    return np.mean(x ** 2) + 0.1 * decay


@shown(R.normal(size=6), 0.5, 0.2)
def recursive(x, a, b):
    y = np.empty_like(x)
    y[0] = b * x[0]
    for n in range(1, x.shape[0]):
        y[n] = b * x[n] + a * y[n - 1]
    return np.dot(y, y)


@shown(R.normal(size=5), 4.0 + R.random(size=5), R.normal(size=5), R.normal(size=5))
def tridiagonal(a, b, c, d):
    n = len(d)
    cp = np.zeros(n)
    dp = np.zeros(n)
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x = np.zeros(n)
    x[n - 1] = dp[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return np.sum(x ** 2)


@shown(R.normal(size=(5, 3)), R.normal(size=3), R.normal(size=3))
def batch_normalised(x, gamma, beta):
    mu = np.mean(x, axis=0)
    var = np.mean((x - mu) ** 2, axis=0)
    scaled = (x - mu) / np.sqrt(var + 1e-5)
    return np.sum((gamma * scaled + beta) ** 2)


@shown(R.normal(size=(3, 4)), R.normal(size=(4, 2)))
def attending(scores, values):
    a = np.exp(scores - scores.max(axis=-1, keepdims=True))
    a /= a.sum(axis=-1, keepdims=True)
    return np.sum(np.tanh(a @ values))


@shown((1.0, 0.5, 0.7, 0.3), 1.0, 2.0, 0.1, 4, argnums=(0, 1, 2))
def hunted(rates, x, y, dt, steps):
    a, b, c, d = rates
    for _ in range(steps):
        dx = a * x - b * x * y
        dy = d * x * y - c * y
        x = x + dt * dx
        y = y + dt * dy
    return x * y


@shown(R.normal(size=6), 0.3)
def averaged(x, alpha):
    level = x[0]
    error = 0.0
    for v in x[1:]:
        error += (v - level) ** 2
        level = alpha * v + (1 - alpha) * level
    return error


@shown(R.normal(size=6), 0.5)
def recorded(x, gain):
    track = {"level": np.zeros(len(x)), "error": np.zeros(len(x))}
    for i in range(1, len(x)):
        track["level"][i] = track["level"][i - 1] + gain * (x[i] - track["level"][i - 1])
        track["error"][i] = track["error"][i - 1] + (x[i] - track["level"][i]) ** 2
    return track["error"][-1]
