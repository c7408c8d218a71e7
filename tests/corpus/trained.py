"""Objects with arrays of their own that methods write into, and the caller's arrays besides."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


class Dense:
    def __init__(self, n_in, n_out, seed):
        rng = np.random.default_rng(seed)
        self.W = rng.normal(size=(n_in, n_out)) / np.sqrt(n_in)
        self.b = np.zeros(n_out)
    def forward(self, x):
        self.x = x
        return x @ self.W + self.b
    def backward(self, g):
        self.dW = self.x.T @ g
        self.db = g.sum(axis=0)
        return g @ self.W.T
    def update(self, lr):
        self.W -= lr * self.dW
        self.b -= lr * self.db


@program(lambda: (normal(1, 4, 2), normal(2, 4, 3), 0.1))
def a_layer_by_hand(x, y, lr):
    net = Dense(2, 3, 0)
    g = net.forward(x) - y
    net.backward(g)
    net.update(lr)
    return ((net.forward(x) - y) ** 2).mean()


@program(lambda: (normal(1, 4, 2), normal(2, 4, 3), 0.1))
def layers_by_hand(x, y, lr):
    layers = [Dense(2, 3, 0), Dense(3, 3, 1)]
    h = x
    for layer in layers:
        h = layer.forward(h)
    g = h - y
    for layer in reversed(layers):
        g = layer.backward(g)
    for layer in layers:
        layer.update(lr)
    h = x
    for layer in layers:
        h = layer.forward(h)
    return ((h - y) ** 2).mean()


class Net:
    def __init__(self):
        self.layers = [Dense(2, 3, 0), Dense(3, 3, 1)]
    def forward(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x
    def fit(self, x, y, lr):
        g = self.forward(x) - y
        for layer in reversed(self.layers):
            g = layer.backward(g)
        for layer in self.layers:
            layer.update(lr)


@program(lambda: (normal(1, 4, 2), normal(2, 4, 3), 0.1))
def a_net_by_hand(x, y, lr):
    net = Net()
    net.fit(x, y, lr)
    return ((net.forward(x) - y) ** 2).mean()


class Initialised:
    def __init__(self, n_in, n_out, seed):
        rng = np.random.default_rng(seed)
        self.W = rng.normal(size=(n_in, n_out)) / np.sqrt(n_in)
        self.b = np.zeros(n_out)
        self.x, self.dW, self.db = np.zeros((1, n_in)), np.zeros_like(self.W), np.zeros_like(self.b)
    def forward(self, x):
        self.x = x
        return x @ self.W + self.b
    def backward(self, g):
        self.dW = self.x.T @ g
        self.db = g.sum(axis=0)
        return g @ self.W.T
    def update(self, lr):
        self.W -= lr * self.dW
        self.b -= lr * self.db


@program(lambda: (normal(1, 4, 2), normal(2, 4, 3), 0.1))
def a_layer_trained_twice(x, y, lr):
    net = Initialised(2, 3, 0)
    for _ in range(2):
        g = net.forward(x) - y
        net.backward(g)
        net.update(lr)
    return ((net.forward(x) - y) ** 2).mean()


class A1:
    def __init__(self, params):
        self.params = params
        self.m = {k: np.zeros_like(v) for k, v in params.items()}
    def step(self, grads):
        for k in self.params:
            self.m[k] = 0.9 * self.m[k] + grads[k]
            self.params[k] = self.params[k] - 0.1 * self.m[k]


@program(lambda: (normal(1, 3), normal(2, 3)))
def momentum(w, b):
    params = {"w": w, "b": b}
    opt = A1(params)
    for _ in range(3):
        opt.step({"w": opt.params["b"] * 2.0, "b": opt.params["w"]})
    return opt.params["w"] @ opt.params["b"]


class A3:
    def __init__(self, params):
        self.params = params
        self.m = {k: np.zeros_like(v) for k, v in params.items()}
    def step(self, grads):
        for k, v in self.params.items():
            self.m[k] = 0.9 * self.m[k] + grads[k]
            self.params[k] = v - 0.1 * self.m[k]


@program(lambda: (normal(1, 3), normal(2, 3)))
def momentum_over_items(w, b):
    opt = A3({"w": w, "b": b})
    for _ in range(3):
        opt.step({"w": opt.params["b"] * 2.0, "b": opt.params["w"]})
    return opt.params["w"] @ opt.params["b"]


class A4:
    def __init__(self, params):
        self.params = params
        self.m = {k: np.zeros_like(v) for k, v in params.items()}
    def step(self, grads):
        for k in self.params:
            self.m[k] *= 0.9
            self.m[k] += grads[k]
            self.params[k] -= 0.1 * self.m[k]


@program(lambda: (normal(1, 3), normal(2, 3)))
def momentum_in_place(w, b):
    opt = A4({"w": w.copy(), "b": b.copy()})
    for _ in range(3):
        opt.step({"w": opt.params["b"] * 2.0, "b": opt.params["w"] * 1.0})
    return opt.params["w"] @ opt.params["b"]


class A6:
    def __init__(self, params, lr):
        self.params = params
        self.lr = lr
        self.v = [np.zeros_like(p) for p in params]
    def step(self, grads):
        for p, v, g in zip(self.params, self.v, grads):
            v *= 0.9
            v += g
            p -= self.lr * v


@program(lambda: (normal(1, 3), normal(2, 3)))
def velocities(w, b):
    opt = A6([w.copy(), b.copy()], 0.1)
    for _ in range(3):
        w, b = opt.params
        opt.step([b * 2.0, w * b])
    return opt.params[0] @ opt.params[1]


@program(lambda: (normal(1, 3), normal(2, 3)))
def keys_backwards(w, b):
    d = {"a": w, "b": b}
    s = 0.0
    for k in reversed(d):
        d[k] = d[k] * (1.0 + s)
        s = s + d[k].sum()
    for k, v in reversed(d.items()):
        d[k] = v * (1.0 + s)
        s = s * v[0]
    for k in reversed(list(d)):
        d[k] = d[k] * (1.0 + s)
        s = s + d[k].sum()
    for n, k in enumerate(reversed(["a", "b"])):
        d[k] = d[k] * (1.0 + n)
    return s + d["a"].sum()


class B1:
    def __init__(self, params, lr=0.05):
        self.params = params
        self.lr = lr
        self.m = {k: np.zeros_like(v) for k, v in params.items()}
    def step(self, grads):
        for k in self.params:
            self.m[k] = 0.9 * self.m[k] + grads[k]
            self.params[k] = self.params[k] - self.lr * self.m[k]


class B3(B1):
    def __init__(self, params, betas=(0.9, 0.99)):
        self.params = params
        self.lr = 0.1
        self.betas = betas
        self.m = {k: np.zeros_like(v) for k, v in params.items()}


@program(lambda: (normal(1, 3), normal(2, 3)))
def a_tuple_by_default(w, b):
    opt = B3({"w": w, "b": b})
    opt.step({"w": b * 2.0, "b": w * b})
    return opt.params["w"] @ opt.params["b"]


class K:
    def __init__(self, W, b):
        self.W = W
        self.b = b
        self.x = None
    def set_and_add(self, v):
        self.W = v
        self.W += 1.0
    def swap_and_add(self, v):
        self.W, self.b = self.b, self.W
        self.W += v
    def add(self, v):
        self.W += v
    def keep(self, v):
        self.x = v
    def keep_view(self, v):
        self.x = self.W[::-1]
    def both(self):
        self.W += 1.0
        self.b *= 2.0
    def take(self, other):
        self.W = other.W
        self.W += 1.0
    def give(self):
        return self.W
    def local(self):
        w = self.W
        w *= 2.0
        b = self.b
        b += 1.0
    def maybe(self, v):
        if v[0] > 0:
            self.W, self.b = self.b, self.W
        self.W[1:] += v[1:]


@program(lambda: (normal(1, 3), normal(2, 3)))
def exchanged_first(x, y):
    w = y * 2.0
    k = K(w, x * 1.0)
    k.swap_and_add(x)
    return (k.W ** 2).sum() + w.sum()


@program(lambda: (normal(1, 3), normal(2, 3)))
def added_beside_what_is_kept(x, y):
    k = K(y * 2.0, x * 1.0)
    k.keep(x)
    k.add(y)
    return (k.W ** 2).sum() + x.sum() + (k.x ** 3).sum()


@program(lambda: (normal(1, 3), normal(2, 3)), needs="shapes")
def under_names_in_the_method(x, y):
    k = K(y * 2.0, x * 1.0)
    k.keep(x)
    k.local()
    return (k.W ** 2).sum() + x.sum() + k.b.sum()


@program(lambda: (normal(1, 3), normal(2, 3)))
def exchanged_perhaps(x, y):
    k = K(x * 1.0, y * 1.0)
    k.keep(y)
    k.maybe(x)
    k.maybe(y)
    return (k.W ** 2).sum() + (k.b ** 3).sum() + (y * k.x).sum()


@program(lambda: (K(normal(1, 3), normal(2, 3)), normal(3, 3)))
def an_argument(k, x):
    k.keep(x)
    k.maybe(x)
    k.add(x)
    return (k.W ** 2).sum() + (k.b ** 3).sum() + (x * k.x).sum()
