"""Teaches a small neural network to read handwritten digits, with the gradient of a plain NumPy function.

Run it with ``python examples/train_digits.py``; NumPy and s2sgrad are all it needs.
"""
from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import s2sgrad

DATA = Path(__file__).resolve().with_name("digits.csv.gz")  # origin and licence: DIGITS.md

HIDDEN_UNITS = 64
TEST_IMAGES = 397
EPOCHS = 40
BATCH = 50
LEARNING_RATE = 0.1
MOMENTUM = 0.9

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


def loss(w1: Array, b1: Array, w2: Array, b2: Array, images: Array, labels: Labels) -> float:
    """The mean cross entropy of a network with one hidden layer."""
    hidden = np.tanh(images @ w1 + b1)
    scores = hidden @ w2 + b2
    shifted = scores - np.max(scores, axis=1, keepdims=True)  # so that exp can't overflow
    log_probabilities = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(log_probabilities[np.arange(labels.shape[0]), labels])


def predict(w1: Array, b1: Array, w2: Array, b2: Array, images: Array) -> Labels:
    """The most probable digit for each image."""
    return np.argmax(np.tanh(images @ w1 + b1) @ w2 + b2, axis=1)


def load_digits() -> tuple[Array, Labels]:
    """Images as rows of 64 numbers from 0 to 1, and the digits they show."""
    table = np.loadtxt(DATA, delimiter=",")
    return table[:, :-1] / 16.0, table[:, -1].astype(np.int64)


def initial_parameters(rng: np.random.Generator, pixels: int, digits: int) -> list[Array]:
    """Random weights, scaled to keep the spread of the values from layer to layer, and no bias."""
    return [
        rng.normal(size=(pixels, HIDDEN_UNITS)) / np.sqrt(pixels),
        np.zeros(HIDDEN_UNITS),
        rng.normal(size=(HIDDEN_UNITS, digits)) / np.sqrt(HIDDEN_UNITS),
        np.zeros(digits),
    ]


def train(parameters: list[Array], images: Array, labels: Labels, rng: np.random.Generator) -> list[Array]:
    """Stochastic gradient descent with momentum."""
    loss_and_gradient = s2sgrad.value_and_grad(loss, argnums=(0, 1, 2, 3))
    velocities = [np.zeros_like(parameter) for parameter in parameters]
    for epoch in range(1, EPOCHS + 1):
        losses = []
        for batch in np.array_split(rng.permutation(len(labels)), len(labels) // BATCH):
            value, gradient = loss_and_gradient(*parameters, images[batch], labels[batch])
            losses.append(value)
            velocities = [MOMENTUM * v - LEARNING_RATE * g for v, g in zip(velocities, gradient, strict=True)]
            parameters = [parameter + v for parameter, v in zip(parameters, velocities, strict=True)]
        show_progress(epoch, float(np.mean(losses)))
    return parameters


def show_progress(epoch: int, mean_loss: float) -> None:
    """One line that is rewritten in place; where that's not possible, a line now and then."""
    line = f"epoch {epoch:2d}/{EPOCHS}   mean loss {mean_loss:.4f}"
    if sys.stdout.isatty():
        print(f"\r{line}", end="\n" if epoch == EPOCHS else "", flush=True)
    elif epoch == 1 or epoch % 5 == 0:
        print(line, flush=True)


def main() -> None:
    rng = np.random.default_rng(0)
    images, labels = load_digits()

    # the test images are set aside before anything is learnt, and looked at once, at the end
    order = rng.permutation(len(labels))
    test, training = order[:TEST_IMAGES], order[TEST_IMAGES:]
    parameters = initial_parameters(rng, pixels=images.shape[1], digits=10)

    print("The loss and its adjoint, as s2sgrad has generated them:\n")
    print(s2sgrad.source(loss, *parameters, images[training[:BATCH]], labels[training[:BATCH]], argnums=(0, 1, 2, 3)))

    print(f"\nTraining on {len(training)} images:\n")
    parameters = train(parameters, images[training], labels[training], rng)

    correct = int(np.sum(predict(*parameters, images[test]) == labels[test]))
    print(f"\n{correct} of the {len(test)} test images, none seen in training, are read correctly: ", end="")
    print(f"{correct / len(test):.1%}")


if __name__ == "__main__":
    main()
