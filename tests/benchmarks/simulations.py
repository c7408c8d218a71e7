"""More benchmark cases, of programs that step through time: arrays changed in place, calls inside loops, solves.

What a case is, and what *by hand* and *rewritten* mean, is told in ``cases.py``.
"""
from __future__ import annotations

import numpy as np

from tests.benchmarks.cases import Array, Case

# ---------------------------------------------------------------------------- heat equation, in place


def heat(start: Array, rate: float) -> float:
    """A hundred explicit steps of the heat equation on a square with fixed borders."""
    u = start.copy()
    for _ in range(100):
        u[1:-1, 1:-1] += rate * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
    return np.sum(u**2)


def heat_by_hand(start: Array, rate: float) -> tuple[float, tuple[Array, float]]:
    u = start.copy()
    changes = []
    for _ in range(100):
        change = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        changes.append(change)
        u[1:-1, 1:-1] += rate * change
    value = np.sum(u**2)

    u_bar = 2.0 * u
    rate_bar = 0.0
    below, above, right, left = u_bar[2:, 1:-1], u_bar[:-2, 1:-1], u_bar[1:-1, 2:], u_bar[1:-1, :-2]
    inner = u_bar[1:-1, 1:-1]
    for change in reversed(changes):
        rate_bar += np.sum(inner * change)
        change_bar = rate * inner
        below += change_bar
        above += change_bar
        right += change_bar
        left += change_bar
        change_bar *= 4.0
        inner -= change_bar
    return value, (u_bar, rate_bar)


def heat_rewritten(start: Array, rate: float) -> tuple[float, tuple[Array, float]]:
    u = start.copy()
    below, above, right, left, inner = u[2:, 1:-1], u[:-2, 1:-1], u[1:-1, 2:], u[1:-1, :-2], u[1:-1, 1:-1]
    changes = np.empty((100, *inner.shape))
    step = np.empty_like(inner)
    for change in changes:
        np.multiply(inner, -4.0, out=change)
        change += below
        change += above
        change += right
        change += left
        np.multiply(change, rate, out=step)
        inner += step
    value = np.vdot(u, u)

    u_bar = u
    u_bar *= 2.0
    rate_bar = 0.0
    for change in changes[::-1]:
        change *= inner
        rate_bar += change.sum()
        np.multiply(inner, rate, out=step)
        below += step
        above += step
        right += step
        left += step
        step *= 4.0
        inner -= step
    return value, (u_bar, rate_bar)


def heat_arguments() -> tuple[Array, float]:
    return np.random.default_rng(10).uniform(size=(64, 64)), 0.2


# ---------------------------------------------------------------------------- Kalman filter


def kalman(transition: Array, noise: float, error: float, seen: Array, observations: Array) -> float:
    """How unlikely a linear model with four states finds a hundred observations of two numbers."""
    mean = np.zeros(transition.shape[0])
    covariance = np.eye(transition.shape[0])
    process = noise * np.eye(transition.shape[0])
    measurement = error * np.eye(seen.shape[0])
    cost = 0.0
    for observation in observations:
        mean = transition @ mean
        covariance = transition @ covariance @ transition.T + process
        surprise = observation - seen @ mean
        crossed = covariance @ seen.T
        expected = seen @ crossed + measurement
        weight = np.linalg.inv(expected)
        gain = crossed @ weight
        cost += surprise @ weight @ surprise + np.log(np.linalg.det(expected))
        mean = mean + gain @ surprise
        covariance = covariance - gain @ seen @ covariance
    return 0.5 * cost


def kalman_by_hand(
    transition: Array, noise: float, error: float, seen: Array, observations: Array
) -> tuple[float, tuple[Array, float, float]]:
    mean = np.zeros(transition.shape[0])
    covariance = np.eye(transition.shape[0])
    process = noise * np.eye(transition.shape[0])
    measurement = error * np.eye(seen.shape[0])
    cost = 0.0
    turns = []
    for observation in observations:
        before = mean, covariance
        mean = transition @ mean
        covariance = transition @ covariance @ transition.T + process
        surprise = observation - seen @ mean
        crossed = covariance @ seen.T
        expected = seen @ crossed + measurement
        weight = np.linalg.inv(expected)
        gain = crossed @ weight
        weighted = surprise @ weight
        cost += weighted @ surprise + np.log(np.linalg.det(expected))
        used = gain @ seen
        turns.append((*before, covariance, surprise, crossed, weight, gain, weighted, used))
        mean = mean + gain @ surprise
        covariance = covariance - used @ covariance
    value = 0.5 * cost

    transition_bar, process_bar = np.zeros(transition.shape), np.zeros(process.shape)
    measurement_bar = np.zeros(measurement.shape)
    mean_bar, covariance_bar = np.zeros(mean.shape), np.zeros(covariance.shape)
    for mean, covariance, predicted, surprise, crossed, weight, gain, weighted, used in reversed(turns):
        gain_bar = np.outer(mean_bar, surprise) - covariance_bar @ predicted.T @ seen.T
        surprise_bar = mean_bar @ gain + 0.5 * (weighted + weight @ surprise)
        weight_bar = 0.5 * np.outer(surprise, surprise) + crossed.T @ gain_bar
        # of the inverse, and of the logarithm of the determinant
        expected_bar = 0.5 * weight.T - weight.T @ weight_bar @ weight.T
        measurement_bar += expected_bar
        crossed_bar = gain_bar @ weight.T + seen.T @ expected_bar
        covariance_bar = covariance_bar - used.T @ covariance_bar + crossed_bar @ seen
        mean_bar = mean_bar - surprise_bar @ seen
        process_bar += covariance_bar
        from_left = transition.T @ covariance_bar
        transition_bar += covariance_bar @ transition @ covariance.T
        transition_bar += from_left.T @ covariance
        transition_bar += np.outer(mean_bar, mean)
        covariance_bar = from_left @ transition
        mean_bar = mean_bar @ transition
    return value, (transition_bar, np.trace(process_bar), np.trace(measurement_bar))


def kalman_rewritten(
    transition: Array, noise: float, error: float, seen: Array, observations: Array
) -> tuple[float, tuple[Array, float, float]]:
    """Covariances and their cotangents taken for the symmetric matrices that they are, and what the observations add
    to them computed for all at once."""
    states, count = transition.shape[0], observations.shape[0]
    means, covariances = np.empty((count + 1, states)), np.empty((count + 1, states, states))
    means[0], covariances[0] = 0.0, np.eye(states)
    weights, gains = np.empty((count, seen.shape[0], seen.shape[0])), np.empty((count, states, seen.shape[0]))
    surprises = np.empty_like(observations)
    process, measurement = noise * np.eye(states), error * np.eye(seen.shape[0])
    backwards = transition.T
    watched = seen.T
    for turn in range(count):
        mean = transition @ means[turn]
        covariance = transition @ covariances[turn] @ backwards
        covariance += process
        surprise = surprises[turn] = observations[turn] - seen @ mean
        crossed = covariance @ watched
        weight = weights[turn] = np.linalg.inv(seen @ crossed + measurement)
        gain = gains[turn] = crossed @ weight
        np.add(mean, gain @ surprise, out=means[turn + 1])
        np.subtract(covariance, gain @ crossed.T, out=covariances[turn + 1])
    weighted = (weights @ surprises[:, :, None])[:, :, 0]
    value = 0.5 * (np.vdot(surprises, weighted) - np.log(np.linalg.det(weights)).sum())

    transition_bar = np.zeros(transition.shape)
    noise_bar = error_bar = 0.0
    mean_bar, covariance_bar = np.zeros(states), np.zeros((states, states))
    kept = np.eye(states) - gains @ seen
    pulls = weighted @ seen
    information = 0.5 * (watched @ weights @ seen - pulls[:, :, None] * pulls[:, None, :])
    losses = 0.5 * (np.trace(weights, axis1=1, axis2=2) - (weighted**2).sum(axis=1))
    for turn in range(count - 1, -1, -1):
        back, gain = kept[turn].T, gains[turn]
        gain_part = gain.T @ mean_bar
        error_bar += losses[turn] + np.vdot(gain, covariance_bar @ gain) - gain_part @ weighted[turn]
        mean_part = back @ mean_bar
        crossing = np.outer(mean_part, pulls[turn])
        covariance_bar = back @ covariance_bar @ kept[turn]
        covariance_bar += information[turn]
        covariance_bar += 0.5 * (crossing + crossing.T)
        mean_bar = mean_part - pulls[turn]
        noise_bar += np.trace(covariance_bar)
        through = covariance_bar @ transition
        transition_bar += 2.0 * (through @ covariances[turn])
        transition_bar += np.outer(mean_bar, means[turn])
        covariance_bar = backwards @ through
        mean_bar = backwards @ mean_bar
    return value, (transition_bar, noise_bar, error_bar)


def kalman_arguments() -> tuple[Array, float, float, Array, Array]:
    rng = np.random.default_rng(11)
    transition = 0.95 * np.eye(4) + np.diag([0.1, 0.1], 2)
    return transition, 0.1, 0.5, np.eye(2, 4), np.cumsum(rng.normal(size=(100, 2)), axis=0)


# ---------------------------------------------------------------------------- N bodies, leapfrog


def accelerations(positions: Array, masses: Array) -> Array:
    offsets = positions[None, :, :] - positions[:, None, :]
    strengths = masses * (np.sum(offsets**2, axis=2) + 0.01) ** -1.5
    return np.sum(strengths[:, :, None] * offsets, axis=1)


def leapfrog(positions: Array, velocities: Array, masses: Array) -> float:
    """A hundred steps of bodies that attract one another; what comes out is a weighted scatter."""
    positions, velocities = positions.copy(), velocities.copy()
    pull = accelerations(positions, masses)
    for _ in range(100):
        velocities += 0.005 * pull
        positions += 0.01 * velocities
        pull = accelerations(positions, masses)
        velocities += 0.005 * pull
    return np.sum(masses * np.sum(velocities**2 + positions**2, axis=1))


def accelerations_adjoint(
    saved: tuple[Array, Array, Array, Array], masses: Array, pull_bar: Array
) -> tuple[Array, Array]:
    offsets, softened, inverse_cubes, strengths = saved
    strengths_bar = np.sum(pull_bar[:, None, :] * offsets, axis=2)
    offsets_bar = strengths[:, :, None] * pull_bar[:, None, :]
    masses_bar = np.sum(strengths_bar * inverse_cubes, axis=0)
    strengths_bar *= strengths
    strengths_bar /= softened
    strengths_bar *= -3.0
    offsets_bar += strengths_bar[:, :, None] * offsets
    return offsets_bar.sum(axis=0) - offsets_bar.sum(axis=1), masses_bar


def leapfrog_by_hand(
    positions: Array, velocities: Array, masses: Array
) -> tuple[float, tuple[Array, Array, Array]]:
    def pulled(positions: Array) -> tuple[Array, tuple[Array, Array, Array, Array]]:
        offsets = positions[None, :, :] - positions[:, None, :]
        softened = np.sum(offsets**2, axis=2) + 0.01
        inverse_cubes = softened**-1.5
        strengths = masses * inverse_cubes
        return np.sum(strengths[:, :, None] * offsets, axis=1), (offsets, softened, inverse_cubes, strengths)

    positions, velocities = positions.copy(), velocities.copy()
    pull, saved = pulled(positions)
    turns = [saved]
    for _ in range(100):
        velocities += 0.005 * pull
        positions += 0.01 * velocities
        pull, saved = pulled(positions)
        turns.append(saved)
        velocities += 0.005 * pull
    scatter = np.sum(velocities**2 + positions**2, axis=1)
    value = np.sum(masses * scatter)

    masses_bar = scatter
    weights = 2.0 * masses[:, None]
    velocities_bar, positions_bar = weights * velocities, weights * positions
    pull_bar = 0.005 * velocities_bar
    for saved in turns[:0:-1]:
        positions_part, masses_part = accelerations_adjoint(saved, masses, pull_bar)
        positions_bar += positions_part
        masses_bar += masses_part
        velocities_bar += 0.01 * positions_bar
        pull_bar = 0.01 * velocities_bar  # a pull ends one step and starts the next
    pull_bar -= 0.005 * velocities_bar
    positions_part, masses_part = accelerations_adjoint(turns[0], masses, pull_bar)
    positions_bar += positions_part
    masses_bar += masses_part
    return value, (positions_bar, velocities_bar, masses_bar)


def leapfrog_rewritten(
    positions: Array, velocities: Array, masses: Array
) -> tuple[float, tuple[Array, Array, Array]]:
    """The sums over the other bodies as products of matrices, without an array of all offsets."""
    positions, velocities = positions.copy(), velocities.copy()
    turns = []

    def pulled() -> Array:
        products = positions @ positions.T
        squares = products.diagonal()
        softened = squares[:, None] + squares
        products *= 2.0
        softened -= products
        softened += 0.01
        strengths = masses / (softened * np.sqrt(softened))
        turns.append((positions.copy(), softened, strengths))
        pull = strengths @ positions
        pull -= strengths.sum(axis=1)[:, None] * positions
        return pull

    pull = pulled()
    for _ in range(100):
        velocities += 0.005 * pull
        positions += 0.01 * velocities
        pull = pulled()
        velocities += 0.005 * pull
    scatter = np.sum(velocities**2 + positions**2, axis=1)
    value = masses @ scatter

    masses_bar = scatter
    weights = 2.0 * masses[:, None]
    velocities_bar, positions_bar = weights * velocities, weights * positions
    pull_bar = 0.005 * velocities_bar

    def back(saved: tuple[Array, Array, Array]) -> None:
        nonlocal positions_bar, masses_bar
        positions, softened, strengths = saved
        strengths_bar = pull_bar @ positions.T
        strengths_bar -= (pull_bar * positions).sum(axis=1)[:, None]
        strengths_bar *= strengths
        masses_bar += strengths_bar.sum(axis=0) / masses
        strengths_bar /= softened
        strengths_bar *= 3.0
        both = strengths_bar + strengths_bar.T
        positions_bar += both @ positions
        positions_bar -= both.sum(axis=1)[:, None] * positions
        positions_bar += strengths.T @ pull_bar
        positions_bar -= strengths.sum(axis=1)[:, None] * pull_bar

    for saved in turns[:0:-1]:
        back(saved)
        velocities_bar += 0.01 * positions_bar
        pull_bar = 0.01 * velocities_bar
    pull_bar -= 0.005 * velocities_bar
    back(turns[0])
    return value, (positions_bar, velocities_bar, masses_bar)


def leapfrog_arguments() -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(12)
    return rng.normal(size=(32, 3)), rng.normal(size=(32, 3)) * 0.3, rng.uniform(0.5, 1.5, size=32) / 32.0


# ---------------------------------------------------------------------------- Lorenz's attractor, Runge-Kutta


def lorenz(state: Array, sigma: float, rho: float, beta: float) -> Array:
    x, y, z = state
    return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])


def runge_kutta(state: Array, sigma: float, rho: float, beta: float) -> float:
    """A thousand steps of the classical method of the fourth order."""
    for _ in range(1000):
        k1 = lorenz(state, sigma, rho, beta)
        k2 = lorenz(state + 0.0025 * k1, sigma, rho, beta)
        k3 = lorenz(state + 0.0025 * k2, sigma, rho, beta)
        k4 = lorenz(state + 0.005 * k3, sigma, rho, beta)
        state = state + 0.005 / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return np.sum(state**2)


def lorenz_adjoint(
    state: Array, sigma: float, rho: float, beta: float, slope_bar: Array
) -> tuple[Array, float, float, float]:
    x, y, z = state
    x_slope_bar, y_slope_bar, z_slope_bar = slope_bar
    state_bar = np.array([
        y_slope_bar * (rho - z) + z_slope_bar * y - x_slope_bar * sigma,
        x_slope_bar * sigma - y_slope_bar + z_slope_bar * x,
        -y_slope_bar * x - z_slope_bar * beta,
    ])
    return state_bar, x_slope_bar * (y - x), y_slope_bar * x, -z_slope_bar * z


def runge_kutta_by_hand(
    state: Array, sigma: float, rho: float, beta: float
) -> tuple[float, tuple[Array, float, float, float]]:
    turns = []
    for _ in range(1000):
        k1 = lorenz(state, sigma, rho, beta)
        second = state + 0.0025 * k1
        k2 = lorenz(second, sigma, rho, beta)
        third = state + 0.0025 * k2
        k3 = lorenz(third, sigma, rho, beta)
        fourth = state + 0.005 * k3
        k4 = lorenz(fourth, sigma, rho, beta)
        turns.append((state, second, third, fourth))
        state = state + 0.005 / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    value = np.sum(state**2)

    state_bar = 2.0 * state
    sigma_bar = rho_bar = beta_bar = 0.0
    for first, second, third, fourth in reversed(turns):
        k4_bar = 0.005 / 6.0 * state_bar
        middle_bar = 2.0 * k4_bar
        fourth_bar, sigma_part, rho_part, beta_part = lorenz_adjoint(fourth, sigma, rho, beta, k4_bar)
        sigma_bar += sigma_part
        rho_bar += rho_part
        beta_bar += beta_part
        k3_bar = middle_bar + 0.005 * fourth_bar
        third_bar, sigma_part, rho_part, beta_part = lorenz_adjoint(third, sigma, rho, beta, k3_bar)
        sigma_bar += sigma_part
        rho_bar += rho_part
        beta_bar += beta_part
        k2_bar = middle_bar + 0.0025 * third_bar
        second_bar, sigma_part, rho_part, beta_part = lorenz_adjoint(second, sigma, rho, beta, k2_bar)
        sigma_bar += sigma_part
        rho_bar += rho_part
        beta_bar += beta_part
        k1_bar = k4_bar + 0.0025 * second_bar
        first_bar, sigma_part, rho_part, beta_part = lorenz_adjoint(first, sigma, rho, beta, k1_bar)
        sigma_bar += sigma_part
        rho_bar += rho_part
        beta_bar += beta_part
        state_bar += first_bar
        state_bar += second_bar
        state_bar += third_bar
        state_bar += fourth_bar
    return value, (state_bar, sigma_bar, rho_bar, beta_bar)


def runge_kutta_rewritten(
    state: Array, sigma: float, rho: float, beta: float
) -> tuple[float, tuple[Array, float, float, float]]:
    """The same with numbers of Python instead of small arrays."""
    x, y, z = state.tolist()
    turns = []
    for _ in range(1000):
        points = []
        total_a = total_b = total_c = 0.0
        at_x, at_y, at_z = x, y, z
        for reach, weight in ((0.0025, 1.0), (0.0025, 2.0), (0.005, 2.0), (0.0, 1.0)):
            points.append((at_x, at_y, at_z))
            a, b, c = sigma * (at_y - at_x), at_x * (rho - at_z) - at_y, at_x * at_y - beta * at_z
            total_a += weight * a
            total_b += weight * b
            total_c += weight * c
            at_x, at_y, at_z = x + reach * a, y + reach * b, z + reach * c
        turns.append(points)
        x += 0.005 / 6.0 * total_a
        y += 0.005 / 6.0 * total_b
        z += 0.005 / 6.0 * total_c
    value = x * x + y * y + z * z

    x_bar, y_bar, z_bar = 2.0 * x, 2.0 * y, 2.0 * z
    sigma_bar = rho_bar = beta_bar = 0.0
    for points in reversed(turns):
        to_x, to_y, to_z = x_bar, y_bar, z_bar
        px = py = pz = 0.0
        for (at_x, at_y, at_z), reach, weight in zip(
            reversed(points), (0.0, 0.005, 0.0025, 0.0025), (1.0, 2.0, 2.0, 1.0), strict=True
        ):
            share = 0.005 / 6.0 * weight
            a, b, c = share * x_bar + reach * px, share * y_bar + reach * py, share * z_bar + reach * pz
            sigma_bar += a * (at_y - at_x)
            rho_bar += b * at_x
            beta_bar -= c * at_z
            px = b * (rho - at_z) + c * at_y - a * sigma
            py = a * sigma - b + c * at_x
            pz = -b * at_x - c * beta
            to_x += px
            to_y += py
            to_z += pz
        x_bar, y_bar, z_bar = to_x, to_y, to_z
    return value, (np.array([x_bar, y_bar, z_bar]), sigma_bar, rho_bar, beta_bar)


def runge_kutta_arguments() -> tuple[Array, float, float, float]:
    return np.array([1.0, 1.0, 20.0]), 10.0, 28.0, 8.0 / 3.0


SIMULATIONS = (
    Case(
        "heat equation, 100 steps of 64 x 64",
        heat,
        heat_by_hand,
        heat_rewritten,
        heat_arguments,
        ("changes", "u"),
        argnums=(0, 1),
        for_autograd=False,
    ),
    Case(
        "Kalman filter, 100 observations",
        kalman,
        kalman_by_hand,
        kalman_rewritten,
        kalman_arguments,
        ("turns",),
        argnums=(0, 1, 2),
    ),
    Case(
        "leapfrog, 100 steps of 32 bodies",
        leapfrog,
        leapfrog_by_hand,
        leapfrog_rewritten,
        leapfrog_arguments,
        ("turns", "positions", "velocities", "scatter"),
        argnums=(0, 1, 2),
        for_autograd=False,
    ),
    Case(
        "Runge-Kutta on Lorenz, 1000 steps",
        runge_kutta,
        runge_kutta_by_hand,
        runge_kutta_rewritten,
        runge_kutta_arguments,
        ("turns", "state"),
        argnums=(0, 1, 2, 3),
    ),
)
