"""Recovers the three parameters of Lorenz's equations from a noisy trajectory.

The gradient goes through the whole integration, 200 steps of Runge and Kutta's method in a plain Python loop.
Run it with ``python examples/lorenz.py``; it needs SciPy (``pip install 's2sgrad[scipy]'``).
"""
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

import s2sgrad

Array = NDArray[np.float64]

TRUE = np.array([10.0, 28.0, 8.0 / 3.0])
GUESS = np.array([7.0, 20.0, 1.5])
BOUNDS = [(1.0, 30.0), (1.0, 60.0), (0.1, 10.0)]
START = np.array([1.0, 1.0, 20.0])
STEP = 0.005
STEPS = 200
EVERY = 5
"""Measured is each state of that number."""
NOISE = 0.1


def velocity(state: Array, parameters: Array) -> Array:
    x, y, z = state
    sigma, rho, beta = parameters
    return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])


def trajectory(parameters: Array, start: Array) -> Array:
    """The states at the times at which they are measured, as rows."""
    state, states = start, []
    for step in range(STEPS):
        k1 = velocity(state, parameters)
        k2 = velocity(state + 0.5 * STEP * k1, parameters)
        k3 = velocity(state + 0.5 * STEP * k2, parameters)
        k4 = velocity(state + STEP * k3, parameters)
        state = state + STEP / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        if (step + 1) % EVERY == 0:
            states.append(state)
    return np.stack(states)


def misfit(parameters: Array, measured: Array) -> float:
    return np.mean((trajectory(parameters, START) - measured) ** 2)


def main() -> None:
    rng = np.random.default_rng(0)
    measured = trajectory(TRUE, START) + NOISE * rng.normal(size=(STEPS // EVERY, 3))
    value_and_gradient = s2sgrad.value_and_grad(misfit)
    rows = []

    def noted(parameters: Array, measured: Array) -> tuple[float, Array]:
        value, gradient = value_and_gradient(parameters, measured)
        rows.append((value, *parameters))
        return value, gradient

    minimize(noted, GUESS, args=(measured,), jac=True, method="L-BFGS-B", bounds=BOUNDS)
    print(s2sgrad.source(velocity, START, TRUE, argnums=(0, 1)))
    print(" call      misfit    sigma      rho     beta")
    for count, (value, *parameters) in enumerate(rows):
        print(f"{count:5d} {value:11.5f}" + "".join(f"{parameter:9.4f}" for parameter in parameters))
    print(f" true {NOISE ** 2:11.5f}" + "".join(f"{parameter:9.4f}" for parameter in TRUE))


if __name__ == "__main__":
    main()
