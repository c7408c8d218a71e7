"""Fits the hyper-parameters of a Gaussian process by maximum likelihood, and predicts with it.

Run it with ``python examples/gaussian_process.py [--plot FILE]``; it needs SciPy, and Matplotlib for the plot.
"""
from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve
from scipy.optimize import minimize

import s2sgrad

Array = NDArray[np.float64]

POINTS = 60
NOISE = 0.15
GRID = np.linspace(-1.0, 11.0, 121)


def truth(x: Array) -> Array:
    return np.sin(x) + 0.3 * np.sin(3.0 * x)


def covariance(x: Array, others: Array, log_height: float, log_length: float) -> Array:
    distance = (x[:, None] - others[None, :]) / np.exp(log_length)
    return np.exp(2.0 * log_height - 0.5 * distance ** 2)


def misfit(logarithms: Array, x: Array, y: Array) -> float:
    """The negative log marginal likelihood; ``logarithms`` are those of height, length scale and noise."""
    log_height, log_length, log_noise = logarithms
    whole = covariance(x, x, log_height, log_length) + np.exp(2.0 * log_noise) * np.eye(x.size)
    factor = np.linalg.cholesky(whole)
    weights = cho_solve((factor, True), y)
    return 0.5 * y @ weights + np.sum(np.log(np.diag(factor))) + 0.5 * x.size * np.log(2.0 * np.pi)


def prediction(logarithms: Array, x: Array, y: Array, at: Array) -> tuple[Array, Array]:
    """Mean and standard deviation of the function at other points."""
    log_height, log_length, log_noise = logarithms
    factor = np.linalg.cholesky(covariance(x, x, log_height, log_length) + np.exp(2.0 * log_noise) * np.eye(x.size))
    across = covariance(at, x, log_height, log_length)
    mean = across @ cho_solve((factor, True), y)
    variance = np.exp(2.0 * log_height) - np.sum(across * cho_solve((factor, True), across.T).T, axis=1)
    return mean, np.sqrt(np.maximum(variance, 0.0))


def main(plot: str | None = None) -> None:
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0.0, 10.0, POINTS))
    y = truth(x) + NOISE * rng.normal(size=POINTS)
    start = np.log([0.3, 3.0, 0.5])
    print(s2sgrad.source(misfit, start, x, y, argnums=0))

    found = minimize(s2sgrad.value_and_grad(misfit), start, args=(x, y), jac=True, method="BFGS")
    for label, before, after in zip(("height", "length scale", "noise"), np.exp(start), np.exp(found.x)):
        print(f"{label:12s} {before:6.3f} -> {after:6.3f}")
    print(f"-log likelihood {misfit(start, x, y):.2f} -> {found.fun:.2f} in {found.nfev} calls; noise was {NOISE}")

    mean, spread = prediction(found.x, x, y, GRID)
    print("   x    truth   mean ± 2 standard deviations")
    for place in range(0, GRID.size, 8):
        line = [" "] * 45
        for value, mark in ((mean[place] - 2 * spread[place], "("), (mean[place] + 2 * spread[place], ")"),
                            (mean[place], "o"), (truth(GRID[place]), "x")):
            line[int(np.clip(np.round(22 + 12 * value), 0, 44))] = mark
        print(f"{GRID[place]:5.1f} {truth(GRID[place]):7.3f} {mean[place]:7.3f} ± {2 * spread[place]:5.3f}  "
              f"{''.join(line)}")
    if plot is not None:
        draw(plot, x, y, mean, spread)


def draw(file: str, x: Array, y: Array, mean: Array, spread: Array) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4))
    axes = figure.subplots()
    axes.fill_between(GRID, mean - 2 * spread, mean + 2 * spread, alpha=0.3)
    axes.plot(GRID, mean, label="prediction")
    axes.plot(GRID, truth(GRID), "--", label="truth")
    axes.plot(x, y, ".", label="measured")
    axes.legend()
    figure.savefig(file)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--plot", metavar="FILE", help="draw the measurements and the prediction, say to gp.png")
    main(options.parse_args().plot)
