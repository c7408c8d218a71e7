"""Objects that have one another's lists, dicts and arrays, are made by loops and functions, or keep functions."""
from __future__ import annotations

import enum
import logging
from dataclasses import dataclass, field, replace

import numpy as np

from corpus.registry import normal, program

LOG = logging.getLogger(__name__)

# ---- layers that keep what they need for the way back

class Linear:
    def __init__(self, n_in, n_out, rng):
        self.W = rng.normal(size=(n_in, n_out)) / np.sqrt(n_in)
        self.b = np.zeros(n_out)
        self.grads = {}

    def forward(self, x):
        self.x = x
        return x @ self.W + self.b

    def backward(self, g):
        self.grads["W"] = self.x.T @ g
        self.grads["b"] = g.sum(axis=0)
        return g @ self.W.T


class Tanh:
    def forward(self, x):
        self.out = np.tanh(x)
        return self.out

    def backward(self, g):
        return g * (1 - self.out ** 2)


class ReLU:
    def __init__(self):
        self.mask = None

    def forward(self, x):
        self.mask = x > 0
        return np.where(self.mask, x, 0.0)

    def backward(self, g):
        return g * self.mask


class Net:
    def __init__(self, sizes, seed=0):
        rng = np.random.default_rng(seed)
        self.layers = []
        for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
            self.layers.append(Linear(a, b, rng))
            if i < len(sizes) - 2:
                self.layers.append(Tanh())

    def forward(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x

    def backward(self, g):
        for layer in reversed(self.layers):
            g = layer.backward(g)
        return g


@program(lambda: (normal(1, 5, 3), normal(2, 5, 2)))
def made_forward_backward(x, y):
    net = Net([3, 4, 2])
    out = net.forward(x)
    g = net.backward(2 * (out - y) / out.size)
    return np.sum(g ** 2) + np.mean((out - y) ** 2)


@program(lambda: (normal(1, 5, 3), normal(2, 5, 2), 0.1))
def train_inside(x, y, lr):
    net = Net([3, 4, 2])
    for _ in range(3):
        out = net.forward(x)
        net.backward(2 * (out - y) / out.size)
        for layer in net.layers:
            if isinstance(layer, Linear):
                layer.W = layer.W - lr * layer.grads["W"]
                layer.b = layer.b - lr * layer.grads["b"]
    return np.mean((net.forward(x) - y) ** 2)


@program(lambda: (normal(1, 5, 3), normal(2, 5, 2), 0.1))
def train_inside_in_place(x, y, lr):
    net = Net([3, 4, 2])
    for _ in range(3):
        out = net.forward(x)
        net.backward(2 * (out - y) / out.size)
        for layer in net.layers:
            if hasattr(layer, "W"):
                layer.W -= lr * layer.grads["W"]
                layer.b -= lr * layer.grads["b"]
    return np.mean((net.forward(x) - y) ** 2)


class Sequential:
    def __init__(self, *layers):
        self.layers = layers

    def forward(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x

    def backward(self, g):
        for layer in self.layers[::-1]:
            g = layer.backward(g)
        return g


@program(lambda: (normal(1, 5, 3), normal(2, 5, 2)))
def nested_made(x, y):
    rng = np.random.default_rng(0)
    net = Sequential(Linear(3, 4, rng), Sequential(Tanh(), Linear(4, 4, rng)), ReLU(), Linear(4, 2, rng))
    out = net.forward(x)
    return np.sum(net.backward(out - y) ** 2)


class RNNCell:
    def __init__(self, n, m, seed):
        rng = np.random.default_rng(seed)
        self.Wx, self.Wh, self.b = rng.normal(size=(n, m)), rng.normal(size=(m, m)), np.zeros(m)
        self.cache = []

    def step(self, x, h):
        h_new = np.tanh(x @ self.Wx + h @ self.Wh + self.b)
        self.cache.append((x, h, h_new))
        return h_new

    def backward(self, dh):
        dWh = np.zeros_like(self.Wh)
        while self.cache:
            x, h, h_new = self.cache.pop()
            dz = dh * (1 - h_new ** 2)
            dWh += np.outer(h, dz)
            dh = self.Wh @ dz
        return dWh


@program(lambda: (normal(1, 4, 2),))
def rnn_cache_made(xs):
    cell = RNNCell(2, 3, 0)
    h = np.zeros(3)
    for x in xs:
        h = cell.step(x, h)
    return np.sum(cell.backward(h) ** 2)


# ---- optimizers that have what the model has

class Model:
    def __init__(self, seed=0):
        rng = np.random.default_rng(seed)
        self.params = {"W": rng.normal(size=(3, 2)), "b": np.zeros(2)}

    def __call__(self, x):
        return np.tanh(x @ self.params["W"] + self.params["b"])

    def loss_and_grads(self, x, y):
        out = self(x)
        d = 2 * (out - y) / out.size
        dz = d * (1 - out ** 2)
        return np.mean((out - y) ** 2), {"W": x.T @ dz, "b": dz.sum(axis=0)}


class SGD:
    def __init__(self, params, lr=0.1):
        self.params = params
        self.lr = lr

    def step(self, grads):
        for k in self.params:
            self.params[k] -= self.lr * grads[k]


class Momentum:
    def __init__(self, params, lr=0.1, mu=0.9):
        self.params, self.lr, self.mu = params, lr, mu
        self.v = {k: np.zeros_like(p) for k, p in params.items()}

    def step(self, grads):
        for k in self.params:
            self.v[k] = self.mu * self.v[k] + grads[k]
            self.params[k] -= self.lr * self.v[k]


@program(lambda: (normal(1, 5, 3), normal(2, 5, 2)))
def sgd_shares_dict(x, y):
    model = Model()
    opt = SGD(model.params)
    for _ in range(3):
        loss, grads = model.loss_and_grads(x, y)
        opt.step(grads)
    return np.mean((model(x) - y) ** 2)


@program(lambda: (normal(1, 5, 3), normal(2, 5, 2)))
def momentum_shares_dict(x, y):
    model = Model()
    opt = Momentum(model.params)
    for _ in range(3):
        loss, grads = model.loss_and_grads(x, y)
        opt.step(grads)
    return np.mean((model(x) - y) ** 2)


@program(lambda: (Model(), normal(1, 5, 3), normal(2, 5, 2)))
def momentum_given_model(model, x, y):
    opt = Momentum(model.params)
    for _ in range(3):
        loss, grads = model.loss_and_grads(x, y)
        opt.step(grads)
    return np.mean((model(x) - y) ** 2)


class ListSGD:
    def __init__(self, params, lr=0.1):
        self.params = list(params)
        self.lr = lr
        self.v = [np.zeros_like(p) for p in self.params]

    def step(self, grads):
        for p, g, v in zip(self.params, grads, self.v):
            v *= 0.9
            v += g
            p -= self.lr * v


class Model2:
    def __init__(self, W, b):
        self.W, self.b = W, b

    def parameters(self):
        return [self.W, self.b]

    def forward(self, x):
        self.out = np.tanh(x @ self.W + self.b)
        return self.out

    def grads(self, x, y):
        dz = 2 * (self.out - y) * (1 - self.out ** 2)
        return [x.T @ dz, dz.sum(axis=0)]


@program(lambda: (normal(3, 3, 2), normal(4, 2), normal(1, 5, 3), normal(2, 5, 2)))
def list_sgd_shares_arrays(W, b, x, y):
    model = Model2(W.copy(), b.copy())
    opt = ListSGD(model.parameters(), 0.05)
    for _ in range(3):
        model.forward(x)
        opt.step(model.grads(x, y))
    return np.mean((model.forward(x) - y) ** 2)


class VecSGD:
    def __init__(self, lr):
        self.lr = lr

    def update(self, w, g):
        return w - self.lr * g


class VecMomentum:
    def __init__(self, lr, mu=0.9):
        self.lr, self.mu, self.v = lr, mu, None

    def update(self, w, g):
        if self.v is None:
            self.v = np.zeros_like(w)
        self.v = self.mu * self.v + g
        return w - self.lr * self.v


class VecAdam:
    def __init__(self, lr, b1=0.9, b2=0.999):
        self.lr, self.b1, self.b2 = lr, b1, b2
        self.m = self.v = 0.0
        self.t = 0

    def update(self, w, g):
        self.t += 1
        self.m = self.b1 * self.m + (1 - self.b1) * g
        self.v = self.b2 * self.v + (1 - self.b2) * g * g
        return w - self.lr * (self.m / (1 - self.b1 ** self.t)) / (np.sqrt(self.v / (1 - self.b2 ** self.t)) + 1e-8)


@program(lambda: (normal(3, 4),))
def each_optimizer(w0):
    total = 0.0
    for opt in (VecSGD(0.1), VecMomentum(0.1), VecAdam(0.1)):
        w = w0.copy()
        for _ in range(4):
            g = 2 * w + np.cos(w)
            w = opt.update(w, g)
        total = total + np.sum(w ** 2)
    return total


class L:
    def __init__(self, W):
        self.W = W

    def forward(self, x):
        self.x = x
        return np.tanh(x @ self.W)


class N:
    def __init__(self):
        self.layers = []

    def add(self, layer):
        self.layers.append(layer)
        return self

    def forward(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x


def build_chain(seed=0):
    rng = np.random.default_rng(seed)
    return N().add(L(rng.normal(size=(3, 4)))).add(L(rng.normal(size=(4, 2))))


@program(lambda: (normal(1, 5, 3),))
def built_chain(x):
    nn = build_chain()
    return np.sum(nn.forward(x) ** 2)


# ---- functions and methods that are kept

class Sim:
    def __init__(self, x):
        self.x = x
        self.t = 0.0
        self.callbacks = []
        self.log = {"x": [], "t": []}
        self.history = []

    def add_callback(self, f):
        self.callbacks.append(f)

    def step(self, dt):
        self.x = self.x - dt * np.sin(self.x)
        self.t += dt
        for cb in self.callbacks:
            cb(self)

    def record(self, sim):
        self.history.append(np.sum(sim.x ** 2))


def note(sim):
    for k, v in (("x", sim.x), ("t", sim.t)):
        sim.log[k].append(v)


@program(lambda: (normal(3, 4),))
def callbacks_bound(x):
    sim = Sim(x)
    sim.callbacks.append(sim.record)
    for _ in range(4):
        sim.step(0.1)
    return sim.history[-1] * 2


@program(lambda: (normal(3, 4),))
def callbacks_closure(x):
    losses = []
    sim = Sim(x)
    sim.callbacks.append(lambda s: losses.append(np.sum(s.x ** 3)))
    for _ in range(4):
        sim.step(0.1)
    return sum(losses)


class Recorder:
    def __init__(self):
        self.values = []

    def __call__(self, sim):
        self.values.append(np.sum(sim.x))


@program(lambda: (normal(3, 4),))
def callbacks_objects(x):
    rec = Recorder()
    sim = Sim(x)
    sim.callbacks.append(rec)
    for _ in range(4):
        sim.step(0.1)
    return sum(rec.values)


class Scaler:
    def fit(self, x):
        if getattr(x, "ndim", 0) == 1:
            x = x[:, np.newaxis]
        self.mean, self.scale = x.mean(axis=0), x.std(axis=0)
        return self


class Scaled:
    def __init__(self, scaler, x):
        self.scaler = scaler.fit(x)
        self.means = [self.scaler.mean]


@program(lambda: (normal(3, 4),))
def asking_an_array_for_what_it_may_not_have(x):
    scaler = Scaler()
    scaled = Scaled(scaler, x)
    scaler.mean *= 0.5
    return np.sum((x - scaled.means[0]) ** 3) / scaled.scaler.scale.sum()


# ---- several runs that start from the same settings

class Pool(enum.Enum):
    AIR = "air"
    SEA = "sea"


@dataclass
class Climate:
    inertia: float = 8.0
    pools: dict = field(default_factory=lambda: {"air": 5.0, "sea": 9.0})


class Run:
    def __init__(self, climate, rng):
        LOG.info("a run of %g", climate.inertia)
        self.climate, self.rng = climate, rng
        self.warmth = 0.0
        self.pools = dict(climate.pools)
        self.before = {**climate.pools, "land": 1.0}
        self.before.update(climate.pools)
        self.in_all = {pool: climate.pools[pool.value] for pool in Pool}
        self.start(**climate.pools)

    def start(self, air, sea):
        self.ratio = air / sea

    def step(self, emitted):
        self.pools["air"] += emitted * self.rng.uniform(0.5, 1.0)
        self.before["land"] *= self.pools["air"] / self.before["air"]
        self.warmth = self.warmth + self.ratio * self.pools["air"] / self.climate.inertia
        for pool in Pool:
            self.in_all[pool] *= 1.0 + 0.1 * self.warmth
        if LOG.isEnabledFor(logging.DEBUG):
            LOG.debug("%g", self.warmth)


@program(lambda: (Climate(), normal(1, 3)))
def runs_from_the_same_settings(climate, emissions):
    rng = np.random.RandomState(1)
    slow, fast = Run(climate, rng), Run(replace(climate, inertia=climate.inertia * 0.5), rng)
    for emitted in emissions:
        slow.step(emitted)
        fast.step(emitted)
    moved = fast.before["land"] + slow.in_all[Pool.SEA]
    return slow.warmth * fast.warmth + climate.pools["sea"] * slow.pools["air"] + moved


class Clipped:
    def forward(self, x):
        self.mask = x <= 0
        out = x.copy()
        out[self.mask] = 0.0
        return out

    def backward(self, g):
        g[self.mask] = 0.0
        return g


class Flatten:
    def forward(self, x):
        self.shape = x.shape
        return x.reshape(-1)

    def backward(self, g):
        return g.reshape(self.shape)


class Scale:
    def __init__(self, w):
        self.params = {"w": w}

    def forward(self, x):
        self.x = x
        return x * self.params["w"]

    def backward(self, g):
        self.grads = {"w": g * self.x}
        return g * self.params["w"]


class PerLayer:
    def __init__(self):
        self.velocities = {}

    def update(self, layers):
        for i, layer in enumerate(layers):
            for label, g in getattr(layer, "grads", {}).items():
                self.velocities[i, label] = 0.9 * self.velocities.get((i, label), 0.0) - 0.1 * g
                layer.params[label] = layer.params[label] + self.velocities[(i, label)]


class Stacked:
    def __init__(self, w, v):
        self.layers = [Scale(w), Clipped(), Flatten(), Scale(v)]

    def forward(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return np.sum(x ** 2)

    def backward(self):
        g = 2 * self.layers[-1].x * self.layers[-1].params["w"]
        for layer in reversed(self.layers):
            g = layer.backward(g)


@program(lambda: (normal(1, 2, 3), normal(2, 6), normal(3, 2, 3)))
def velocities_by_layer_and_name(w, v, x):
    model, momentum = Stacked(w, v), PerLayer()
    for epoch in range(2):
        loss = model.forward(x)
        print("%d: %.3f" % (epoch, loss))  # noqa: UP031
        model.backward()
        momentum.update(model.layers)
    return model.forward(x)
