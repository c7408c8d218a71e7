"""Trains one network twice: as a NumPy function with its gradient, and with PyTorch's manners. Both learn the same.

Run it with ``python examples/two_ways.py``; NumPy and s2sgrad are all it needs.
"""
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import s2sgrad
import s2sgrad as torch

Array = NDArray[np.float64]

POINTS = 300
UNITS = 16
EPOCHS = 200
RATE = 0.1
MOMENTUM = 0.9


def spirals(rng: np.random.Generator) -> tuple[Array, NDArray[np.int64]]:
    """Points of two spirals as rows, and the spiral that each belongs to."""
    turn = rng.uniform(0.3, 1.0, POINTS)
    spiral = rng.integers(0, 2, POINTS)
    angle = 9.0 * turn + np.pi * spiral
    points = np.stack([turn * np.cos(angle), turn * np.sin(angle)], axis=1)
    return points + 0.05 * rng.normal(size=points.shape), spiral


def start(rng: np.random.Generator) -> list[Array]:
    sizes = [2, UNITS, UNITS, 2]
    return [part for inputs, outputs in zip(sizes, sizes[1:])
            for part in (rng.normal(size=(inputs, outputs)) * np.sqrt(2.0 / inputs), np.zeros(outputs))]


# ---- as a NumPy function

def loss(parameters: list[Array], points: Array, spiral: NDArray[np.int64]) -> float:
    """The mean cross entropy of the network."""
    x = points
    for layer in range(0, len(parameters), 2):
        x = x @ parameters[layer] + parameters[layer + 1]
        if layer + 2 < len(parameters):
            x = np.tanh(x)
    shifted = x - np.max(x, axis=1, keepdims=True)
    chosen = shifted[np.arange(len(spiral)), spiral]
    return np.mean(np.log(np.sum(np.exp(shifted), axis=1)) - chosen)


def trained_with_arrays(parameters: list[Array], points: Array, spiral: NDArray[np.int64]) -> list[float]:
    loss_and_gradient = s2sgrad.value_and_grad(loss)
    speeds = [np.zeros_like(parameter) for parameter in parameters]
    losses = []
    for _ in range(EPOCHS):
        value, bars = loss_and_gradient(parameters, points, spiral)
        losses.append(float(value))
        for parameter, speed, bar in zip(parameters, speeds, bars):
            speed *= MOMENTUM
            speed += bar
            parameter -= RATE * speed
    return losses


# ---- with PyTorch's manners

@s2sgrad.differentiable
def scores(x, w1, b1, w2, b2, w3, b3):  # type: ignore[no-untyped-def]
    """The network's last layer; under the decorator one node of the graph, with a compiled adjoint."""
    return torch.tanh(torch.tanh(x @ w1 + b1) @ w2 + b2) @ w3 + b3


def trained_with_tensors(parameters: list[Array], points: Array, spiral: NDArray[np.int64]) -> list[float]:
    weights = [torch.tensor(parameter, requires_grad=True) for parameter in parameters]
    optimizer = torch.optim.SGD(weights, lr=RATE, momentum=MOMENTUM)
    x, target = torch.tensor(points), torch.tensor(spiral)
    losses = []
    for _ in range(EPOCHS):
        optimizer.zero_grad()
        value = torch.nn.functional.cross_entropy(scores(x, *weights), target)
        value.backward()
        optimizer.step()
        losses.append(value.item())
    print(scores(x, *weights).grad_fn.source)
    return losses


def main() -> None:
    rng = np.random.default_rng(0)
    points, spiral = spirals(rng)
    parameters = start(rng)
    first = trained_with_arrays([parameter.copy() for parameter in parameters], points, spiral)
    second = trained_with_tensors([parameter.copy() for parameter in parameters], points, spiral)
    print("epoch   arrays   tensors")
    for epoch in range(0, EPOCHS, 20):
        print(f"{epoch:5d} {first[epoch]:8.5f}  {second[epoch]:8.5f}")
    print(f"largest difference {max(abs(one - other) for one, other in zip(first, second)):.1e}")


if __name__ == "__main__":
    main()
