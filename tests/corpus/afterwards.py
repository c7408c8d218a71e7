"""Finally blocks that set what is no number, functions with some arguments given, properties asked for once."""
from __future__ import annotations

import functools

import numpy as np

from corpus.registry import normal, program


class Layer:
    def __init__(self, w):
        self.w = w
        self.training = True
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return x * self.w if self.training else x


@program(lambda: (normal(1, 3), normal(2, 3)))
def set_again(w, x):
    layer = Layer(w)
    try:
        layer.training = False
        y = layer(x)
    finally:
        layer.training = True
    return (layer(y) ** 2).sum()


class Switched:
    def __init__(self, w):
        self.w = w
        self.training = True
        self.calls = 0
    def forward(self, x):
        self.calls += 1
        return np.tanh(self.w * x) * (0.5 if self.training else 1.0)
    def evaluate(self, x):
        before = self.training
        self.training = False
        try:
            return self.forward(x)
        finally:
            self.training = before


@program(lambda: (normal(1, 3), normal(2, 3)))
def returned_before(w, x):
    net = Switched(w)
    y = net.evaluate(x)
    return (net.forward(y) ** 2).sum() * net.calls


@program(lambda: (Switched(normal(1, 3)), normal(2, 3)))
def of_an_argument(net, x):
    y = net.evaluate(x)
    return (net.forward(y) ** 2).sum() * net.calls


@program(lambda: (normal(1, 4, 3),))
def sum_with_an_axis(x):
    total = functools.partial(np.sum, axis=0)
    return (total(x) ** 2).sum()


@program(lambda: (normal(1, 4, 3),))
def clip_and_multiply(x):
    clip = functools.partial(np.clip, a_min=-0.5, a_max=0.5)
    scale = functools.partial(np.multiply, 2.0)
    return (scale(clip(x)) * x).sum()


class Weighted:
    def __init__(self, w):
        self.w = w
    @functools.cached_property
    def norm(self):
        return (self.w ** 2).sum()


@program(lambda: (Weighted(normal(1, 3)),))
def asked_for_in_a_branch(model):
    return model.norm if model.w[0] > 0.0 else 1.0


@program(lambda: (Weighted(-normal(1, 3)),))
def asked_for_elsewhere(model):
    return model.norm if model.w[0] > 0.0 else model.w.sum()
