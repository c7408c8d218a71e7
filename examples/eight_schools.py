"""Samples a posterior by Hamiltonian Monte Carlo, with the gradient of its log density.

The eight schools (Rubin 1981; Gelman et al., Bayesian Data Analysis, section 5.5): the effects of coaching that eight
schools measured, with their standard errors. How large is the effect in each, if they have something in common?
Run it with ``python examples/eight_schools.py``; NumPy and s2sgrad are all it needs.
"""
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import s2sgrad

Array = NDArray[np.float64]

EFFECTS = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
ERRORS = np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])

STEP = 0.4
STEPS = 12
WARM_UP = 500
DRAWS = 4000


def log_density(place: Array) -> float:
    """The log of the posterior density, but for a constant, of ``[mean, log(spread), deviations...]``: the effect in
    each school is ``mean + spread * deviation``."""
    mean, log_spread, deviations = place[0], place[1], place[2:]
    spread = np.exp(log_spread)
    misfit = (EFFECTS - mean - spread * deviations) / ERRORS
    prior = -0.5 * (mean / 5.0) ** 2 - np.log1p((spread / 5.0) ** 2) + log_spread
    return prior - 0.5 * np.sum(deviations ** 2) - 0.5 * np.sum(misfit ** 2)


value_and_slope = s2sgrad.value_and_grad(log_density)


def leapfrog(place: Array, momentum: Array, slope: Array) -> tuple[Array, Array, float, Array]:
    """A trajectory of a particle in the potential ``-log_density``: its end, and value and slope there."""
    value = 0.0
    for _ in range(STEPS):
        momentum = momentum + 0.5 * STEP * slope
        place = place + STEP * momentum
        value, slope = value_and_slope(place)
        momentum = momentum + 0.5 * STEP * slope
    return place, momentum, value, slope


def sample(rng: np.random.Generator) -> tuple[Array, float]:
    """Draws from the posterior as rows, and how many trajectories were accepted, of one."""
    place = np.zeros(2 + EFFECTS.size)
    value, slope = value_and_slope(place)
    draws, accepted = np.empty((DRAWS, place.size)), 0
    for count in range(-WARM_UP, DRAWS):
        momentum = rng.normal(size=place.size)
        energy = value - 0.5 * momentum @ momentum
        end, momentum, new_value, new_slope = leapfrog(place, momentum, slope)
        if np.log(rng.uniform()) < new_value - 0.5 * momentum @ momentum - energy:
            place, value, slope = end, new_value, new_slope
            accepted += count >= 0
        if count >= 0:
            draws[count] = place
    return draws, accepted / DRAWS


def main() -> None:
    print(s2sgrad.source(log_density, np.zeros(2 + EFFECTS.size)))
    draws, accepted = sample(np.random.default_rng(0))
    mean, spread = draws[:, 0], np.exp(draws[:, 1])
    effects = mean[:, None] + spread[:, None] * draws[:, 2:]
    print(f"{DRAWS} draws, {accepted:.0%} of the trajectories accepted")
    print(f"common mean {mean.mean():5.1f} ± {mean.std():.1f}, spread {spread.mean():.1f} ± {spread.std():.1f}")
    print(f"school  measured        posterior  {'-20':3s}{'0':>18s}{'20':>21s}{'40':>20s}")
    for school, (effect, error, posterior) in enumerate(zip(EFFECTS, ERRORS, effects.T)):
        low, centre, high = np.percentile(posterior, [10, 50, 90])
        line = [" "] * 61
        for place in range(round(low) + 20, round(high) + 21):
            line[min(max(place, 0), 60)] = "-"
        line[round(centre) + 20] = "o"
        print(f"{'ABCDEFGH'[school]}      {effect:5.0f} ± {error:2.0f}  "
              f"{posterior.mean():5.1f} ± {posterior.std():4.1f}  |{''.join(line)}|")
    print("o is the median of the draws, --- goes from the tenth to the ninetieth percentile")


if __name__ == "__main__":
    main()
