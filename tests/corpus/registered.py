"""Networks whose layers and parameters are registered by name, and handed to an optimiser by generators."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


class Parameter:
    def __init__(self, data):
        self.data = data
        self.grad = np.zeros_like(data)


class Module:
    def __init__(self):
        self.parts, self.modules = {}, {}

    def __setattr__(self, name, value):
        if isinstance(value, Parameter):
            self.parts[name] = value
        elif isinstance(value, Module):
            self.modules[name] = value
        super().__setattr__(name, value)

    def named_parameters(self, prefix=""):
        for name, parameter in self.parts.items():
            yield prefix + name, parameter
        for name, module in self.modules.items():
            yield from module.named_parameters(prefix + name + ".")

    def parameters(self):
        for _, parameter in self.named_parameters():
            yield parameter

    def zero_grad(self):
        for parameter in self.parameters():
            parameter.grad = np.zeros_like(parameter.data)


class Linear(Module):
    def __init__(self, w, b):
        super().__init__()
        self.w, self.b = Parameter(w), Parameter(b)

    def forward(self, x):
        self.x = x
        return x @ self.w.data + self.b.data

    def backward(self, g):
        self.w.grad = self.w.grad + self.x.T @ g
        self.b.grad = self.b.grad + g.sum(axis=0)
        return g @ self.w.data.T


class Chain(Module):
    def __init__(self, *layers):
        super().__init__()
        for place, layer in enumerate(layers):
            setattr(self, "layer" + str(place), layer)

    def forward(self, x):
        for layer in self.modules.values():
            x = np.tanh(layer.forward(x))
        return x + self.layer0.b.data[0]


@program(lambda: (normal(1, 4, 2), normal(2, 2, 3), normal(3, 3)))
def layers_by_their_numbers(x, w, b):
    chain = Chain(Linear(w, b), Linear(w.T, b[:2]))
    for name, parameter in chain.named_parameters():
        if not name.startswith("layer1."):
            parameter.data = parameter.data * 0.5
    return np.sum(chain.forward(x) ** 2)


class Network(Module):
    def __init__(self, w, b):
        super().__init__()
        self.first, self.second = Linear(w, b), Linear(w.T, b[:2])

    def forward(self, x):
        self.hidden = np.tanh(self.first.forward(x))
        return self.second.forward(self.hidden)

    def backward(self, g):
        self.first.backward(self.second.backward(g) * (1.0 - self.hidden ** 2))


class Momentum:
    def __init__(self, parameters, rate):
        self.parameters, self.rate = list(parameters), rate
        self.steps = [np.zeros_like(p.data) for p in self.parameters]

    def step(self):
        for place, parameter in enumerate(self.parameters):
            self.steps[place] = 0.9 * self.steps[place] + parameter.grad
            parameter.data = parameter.data - self.rate * self.steps[place]


@program(lambda: (normal(1, 4, 2), normal(2, 2, 3), normal(3, 3)))
def trained_with_momentum(x, w, b):
    network = Network(w, b)
    optimiser = Momentum(network.parameters(), 0.1)
    for _ in range(2):
        network.zero_grad()
        network.backward((network.forward(x) - x) / len(x))
        optimiser.step()
    decay = sum(np.sum(p.data ** 2) for name, p in network.named_parameters() if name.endswith("w"))
    return np.mean((network.forward(x) - x) ** 2) + 0.01 * decay


@program(lambda: (normal(1, 4, 2), normal(2, 2, 3), normal(3, 3)))
def changed_as_they_are_given(x, w, b):
    network = Network(w, b)
    network.backward(network.forward(x))
    kept = [0.5 * p.data for p in network.parameters()]
    for place, (parameter, part) in enumerate(zip(network.parameters(), kept)):
        parameter.data = parameter.data - 0.1 * place * parameter.grad
        if np.sum(part) > 100.0:
            break
        parameter.data = parameter.data + part ** 2
    for held in vars(network.first).values():
        if isinstance(held, Parameter):
            held.data = held.data * 1.5
    network.first.__dict__["w"].data = w * 0.5
    return np.sum(network.forward(x) ** 2)


class Engine:
    known = {}

    def __init_subclass__(cls, key, **options):
        super().__init_subclass__(**options)
        Engine.known[key] = cls

    @classmethod
    def create(cls, key, *args, **options):
        return cls.known[key](*args, **options)


class Tree(Engine, key="tree"):
    def __init__(self, steps=3):
        self.steps = steps

    def price(self, x):
        return np.sum(x ** self.steps)


class Grid(Engine, key="grid"):
    def __init__(self, theta=0.5):
        self.theta = theta

    def price(self, x):
        return np.sum(np.sin(self.theta * x))


@program(lambda: (normal(1, 3),))
def derived_classes_note_themselves(x):
    total = Engine.create("tree").price(x)
    for key, options in (("tree", {"steps": 2}), ("grid", {"theta": 0.7})):
        total += Engine.create(key, **options).price(x)
    return total
