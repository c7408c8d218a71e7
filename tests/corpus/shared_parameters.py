"""A dict of parameters that an optimiser has, too, and changes."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


class Momentum:
    def __init__(self, params, rate, decay):
        self.params = params
        self.rate = rate
        self.decay = decay
        self.velocity = {}
    def step(self, gradients):
        for name in self.params:
            velocity = self.decay * self.velocity.get(name, 0.0) - self.rate * gradients[name]
            self.velocity[name] = velocity
            self.params[name] = self.params[name] + velocity


@program(lambda: ({"w": normal(1, 3), "b": 0.3}, normal(2, 5, 3), normal(3, 5)))
def trained(params, x, y):
    params = {name: value * 1.0 for name, value in params.items()}
    optimiser = Momentum(params, 0.1, 0.9)
    for _ in range(3):
        residual = x @ params["w"] + params["b"] - y
        optimiser.step({"w": 2 * x.T @ residual / len(y), "b": 2 * residual.mean()})
    return np.mean((x @ params["w"] + params["b"] - y) ** 2)


@program(lambda: (normal(1, 3), normal(2, 5, 3), normal(3, 5)))
def trained_in_a_display(w, x, y):
    params = {"w": w, "b": np.zeros(())}
    optimiser = Momentum(params, 0.1, 0.5)
    for _ in range(2):
        residual = np.tanh(x @ params["w"] + params["b"]) - y
        optimiser.step({"w": x.T @ residual, "b": residual.sum()})
    return np.sum(params["w"] ** 2) + params["b"] ** 2
