"""Finds out what a rod's temperature was from what it is later: a heat equation inverted through its in-place solver.

The solver writes each step into the array that it has, as one does in NumPy; the adjoint runs it backwards.
Run it with ``python examples/heat.py``; it needs SciPy (``pip install 's2sgrad[scipy]'``).
"""
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

import s2sgrad

Array = NDArray[np.float64]

POINTS = 64
STEPS = 60
RATE = 0.25
NOISE = 0.002
ROUGHNESS = 1e-4
"""How much a change from point to point counts against a measured difference."""


def cooled(temperature: Array, steps: int) -> Array:
    """The temperature later, of a rod with its ends kept at zero."""
    u = temperature.copy()
    u[0] = u[-1] = 0.0
    for _ in range(steps):
        u[1:-1] += RATE * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return u


def misfit(temperature: Array, measured: Array) -> float:
    difference = cooled(temperature, STEPS) - measured
    return np.sum(difference ** 2) + ROUGHNESS * np.sum(np.diff(temperature) ** 2)


def picture(values: Array) -> str:
    return "".join(" .:-=+*#%@"[int(np.clip(9.99 * value, 0, 9))] for value in values)


def main() -> None:
    x = np.linspace(0.0, 1.0, POINTS)
    before = 0.9 * np.exp(-((x - 0.3) / 0.06) ** 2) + 0.6 * (np.abs(x - 0.7) < 0.08)
    measured = cooled(before, STEPS) + NOISE * np.random.default_rng(0).normal(size=POINTS)
    print(s2sgrad.source(misfit, before, measured, argnums=0))
    print(s2sgrad.saved(misfit, before, measured, argnums=0))
    print()
    found = minimize(s2sgrad.value_and_grad(misfit), np.zeros(POINTS), args=(measured,), jac=True, method="L-BFGS-B",
                     bounds=[(0.0, 1.0)] * POINTS, options={"maxiter": 400})
    print(f"misfit {misfit(np.zeros(POINTS), measured):.4f} -> {found.fun:.4f} in {found.nfev} calls")
    print(f"measured |{picture(measured)}|")
    print(f"found    |{picture(found.x)}|")
    print(f"true     |{picture(before)}|")
    print(f"largest error {np.abs(found.x - before).max():.2f}, of the measured as a guess "
          f"{np.abs(measured - before).max():.2f}")


if __name__ == "__main__":
    main()
