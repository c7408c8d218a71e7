"""The benchmark cases: plain NumPy functions, each with two gradients that an expert writes.

The functions know nothing of s2sgrad, so the same text serves every contestant. *By hand* is the function itself, the
same NumPy calls in the same order, followed by the best adjoint: every value that both have in common computed once,
products taken apart and put together again, buffers reused where that pays, terms that cancel left out. *Rewritten* is
value and gradient designed anew, and tuned: another algorithm, another layout of the data, buffers laid out before.
``Case.held`` names the local variables of the first that its adjoint reads, which it keeps in memory beside the
arguments.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A function to differentiate, arguments to do it at, and the same by hand.

    ``by_hand(*arguments)`` and ``rewritten(*arguments)`` return ``(value, gradient)``; the gradient is a tuple exactly
    if ``argnums`` is one.
    """

    title: str
    function: Callable[..., Any]
    by_hand: Callable[..., tuple[Any, Any]]
    rewritten: Callable[..., tuple[Any, Any]]
    arguments: Callable[[], tuple[Any, ...]]
    held: tuple[str, ...]
    argnums: int | tuple[int, ...] = 0
    for_autograd: bool = True
    """HIPS autograd differentiates it: there are no writes into arrays."""


# ---------------------------------------------------------------------------- twelve elements


def few_elements(x: Array) -> float:
    return (x**2 * np.exp(x)).sum()


def few_elements_by_hand(x: Array) -> tuple[float, Array]:
    exponential = np.exp(x)
    product = x**2 * exponential
    value = product.sum()

    exponential *= 2.0 * x
    exponential += product
    return value, exponential


def few_elements_rewritten(x: Array) -> tuple[float, Array]:
    product = x * np.exp(x)
    return x @ product, product * (x + 2.0)


def few_elements_arguments() -> tuple[Array]:
    return (np.linspace(-1.0, 1.0, 12),)


# ---------------------------------------------------------------------------- logistic regression


def logistic_regression(weights: Array, features: Array, signs: Array) -> float:
    return np.sum(np.logaddexp(0.0, -signs * (features @ weights)))


def logistic_regression_by_hand(weights: Array, features: Array, signs: Array) -> tuple[float, Array]:
    losses = np.logaddexp(0.0, -signs * (features @ weights))
    value = np.sum(losses)

    # sigmoid(-margin) is 1 - exp(-loss), without cancellation
    return value, (np.expm1(-losses) * signs) @ features


def logistic_regression_rewritten(weights: Array, features: Array, signs: Array) -> tuple[float, Array]:
    losses = np.logaddexp(0.0, -signs * (features @ weights))
    # sigmoid(-margin) is 1 - exp(-loss), without cancellation
    return losses.sum(), (np.expm1(-losses) * signs) @ features


def logistic_regression_arguments() -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(1)
    features = rng.normal(size=(100, 10))
    signs = np.where(features @ rng.normal(size=10) + rng.normal(size=100) > 0.0, 1.0, -1.0)
    return rng.normal(size=10), features, signs


# ---------------------------------------------------------------------------- two-layer network


def two_layers(w1: Array, b1: Array, w2: Array, b2: Array, images: Array, labels: NDArray[np.int64]) -> float:
    hidden = np.maximum(images @ w1 + b1, 0.0)
    scores = hidden @ w2 + b2
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    log_probabilities = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(log_probabilities[np.arange(labels.shape[0]), labels])


def two_layers_by_hand(
    w1: Array, b1: Array, w2: Array, b2: Array, images: Array, labels: NDArray[np.int64]
) -> tuple[float, tuple[Array, Array, Array, Array]]:
    sums = images @ w1 + b1
    hidden = np.maximum(sums, 0.0)
    scores = hidden @ w2 + b2
    largest = np.max(scores, axis=1, keepdims=True)
    shifted = scores - largest
    exponentials = np.exp(shifted)
    totals = np.sum(exponentials, axis=1, keepdims=True)
    log_probabilities = shifted - np.log(totals)
    rows = np.arange(labels.shape[0])
    value = -np.mean(log_probabilities[rows, labels])

    # the largest score is subtracted and added again: it has no cotangent in all
    scores_bar = exponentials
    scores_bar /= totals * rows.size
    scores_bar[rows, labels] -= 1.0 / rows.size
    hidden_bar = scores_bar @ w2.T
    hidden_bar *= np.heaviside(sums, 0.5)
    return value, (images.T @ hidden_bar, hidden_bar.sum(axis=0), hidden.T @ scores_bar, scores_bar.sum(axis=0))


def two_layers_rewritten(
    w1: Array, b1: Array, w2: Array, b2: Array, images: Array, labels: NDArray[np.int64]
) -> tuple[float, tuple[Array, Array, Array, Array]]:
    hidden = images @ w1
    hidden += b1
    np.maximum(hidden, 0.0, out=hidden)
    scores = hidden @ w2
    scores += b2
    scores -= scores.max(axis=1, keepdims=True)
    rows = np.arange(labels.shape[0])
    true_scores = scores[rows, labels]
    probabilities = np.exp(scores, out=scores)
    totals = probabilities.sum(axis=1, keepdims=True)
    value = (np.log(totals).sum() - true_scores.sum()) / rows.size

    probabilities /= totals * rows.size
    scores_bar = probabilities
    scores_bar[rows, labels] -= 1.0 / rows.size
    hidden_bar = scores_bar @ w2.T
    hidden_bar *= hidden > 0.0
    return value, (images.T @ hidden_bar, hidden_bar.sum(axis=0), hidden.T @ scores_bar, scores_bar.sum(axis=0))


def two_layers_arguments() -> tuple[Array, Array, Array, Array, Array, NDArray[np.int64]]:
    rng = np.random.default_rng(2)
    return (
        rng.normal(size=(784, 128)) / 28.0,
        rng.normal(size=128) * 0.1,
        rng.normal(size=(128, 10)) / 11.0,
        rng.normal(size=10) * 0.1,
        rng.uniform(size=(64, 784)),
        rng.integers(10, size=64),
    )


# ---------------------------------------------------------------------------- recurrent network


def recurrent_network(w_input: Array, w_state: Array, bias: Array, inputs: Array, target: Array) -> float:
    state = np.zeros(target.shape)
    for step in range(inputs.shape[0]):
        state = np.tanh(inputs[step] @ w_input + state @ w_state + bias)
    return np.mean((state - target) ** 2)


def recurrent_network_by_hand(
    w_input: Array, w_state: Array, bias: Array, inputs: Array, target: Array
) -> tuple[float, tuple[Array, Array, Array]]:
    state = np.zeros(target.shape)
    states = [state]
    for step in range(inputs.shape[0]):
        state = np.tanh(inputs[step] @ w_input + state @ w_state + bias)
        states.append(state)
    error = state - target
    value = np.mean(error**2)

    state_bar = error
    state_bar *= 2.0 / error.size
    w_input_bar, w_state_bar, bias_bar = np.zeros(w_input.shape), np.zeros(w_state.shape), np.zeros(bias.shape)
    w_state_transposed = w_state.T
    for step in range(inputs.shape[0] - 1, -1, -1):
        sum_bar = states[step + 1] ** 2
        np.subtract(1.0, sum_bar, out=sum_bar)
        sum_bar *= state_bar
        w_input_bar += inputs[step].T @ sum_bar
        w_state_bar += states[step].T @ sum_bar
        bias_bar += sum_bar.sum(axis=0)
        state_bar = sum_bar @ w_state_transposed
    return value, (w_input_bar, w_state_bar, bias_bar)


def recurrent_network_rewritten(
    w_input: Array, w_state: Array, bias: Array, inputs: Array, target: Array
) -> tuple[float, tuple[Array, Array, Array]]:
    steps, batch, width = inputs.shape[0], *target.shape
    flat_inputs = inputs.reshape(steps * batch, -1)
    states = np.empty((steps + 1, batch, width))
    states[0] = 0.0
    # the inputs are known beforehand, so one large product replaces one small product per step
    np.matmul(flat_inputs, w_input, out=states[1:].reshape(-1, width))
    states[1:] += bias
    for step in range(steps):
        state = states[step + 1]
        state += states[step] @ w_state
        np.tanh(state, out=state)
    error = states[-1] - target
    value = np.vdot(error, error) / error.size

    sum_bars = states[1:] ** 2
    np.subtract(1.0, sum_bars, out=sum_bars)
    sum_bars[-1] *= error * (2.0 / error.size)
    w_state_transposed = w_state.T
    for step in range(steps - 1, 0, -1):
        sum_bars[step - 1] *= sum_bars[step] @ w_state_transposed
    flat_bars = sum_bars.reshape(-1, width)
    return value, (
        flat_inputs.T @ flat_bars,
        states[:-1].reshape(-1, width).T @ flat_bars,
        flat_bars.sum(axis=0),
    )


def recurrent_network_arguments() -> tuple[Array, Array, Array, Array, Array]:
    rng = np.random.default_rng(3)
    return (
        rng.normal(size=(32, 32)) / 8.0,
        rng.normal(size=(32, 32)) / 6.0,
        rng.normal(size=32) * 0.1,
        rng.normal(size=(50, 32, 32)),
        rng.uniform(-1.0, 1.0, size=(32, 32)),
    )


# ---------------------------------------------------------------------------- scalar loop with a branch


def scalar_loop(start: float, drain: float, curvature: float) -> float:
    y = start
    for _ in range(1000):
        if y > 0.0:
            y = 0.9 * y - drain
        else:
            y = start - curvature * y * y
    return y


def scalar_loop_by_hand(start: float, drain: float, curvature: float) -> tuple[float, tuple[float, float, float]]:
    y = start
    states: list[float] = []
    for _ in range(1000):
        states.append(y)
        if y > 0.0:
            y = 0.9 * y - drain
        else:
            y = start - curvature * y * y
    value = y

    y_bar = 1.0
    start_bar = drain_bar = curvature_bar = 0.0
    for y in reversed(states):
        if y > 0.0:
            drain_bar -= y_bar
            y_bar *= 0.9
        else:
            start_bar += y_bar
            bar_times_y = y_bar * y
            curvature_bar -= bar_times_y * y
            y_bar = -2.0 * curvature * bar_times_y
    return value, (start_bar + y_bar, drain_bar, curvature_bar)


def scalar_loop_rewritten(start: float, drain: float, curvature: float) -> tuple[float, tuple[float, float, float]]:
    y = start
    bent: list[float | None] = [None] * 1000  # y where the second branch was taken; the first one is linear
    for turn in range(1000):
        if y > 0.0:
            y = 0.9 * y - drain
        else:
            bent[turn] = y
            y = start - curvature * y * y
    value = y

    y_bar = 1.0
    start_bar = drain_bar = curvature_bar = 0.0
    factor = -2.0 * curvature
    for before in reversed(bent):
        if before is None:
            drain_bar += y_bar
            y_bar *= 0.9
        else:
            start_bar += y_bar
            y_bar *= before
            curvature_bar += y_bar * before
            y_bar *= factor
    return value, (start_bar + y_bar, -drain_bar, -curvature_bar)


def scalar_loop_arguments() -> tuple[float, float, float]:
    return 1.3, 0.21, 0.7


# ---------------------------------------------------------------------------- stencil


def stencil(u: Array, viscosity: float) -> float:
    """A hundred explicit steps of Burgers' equation with fixed borders."""
    for _ in range(100):
        left, middle, right = u[:-2], u[1:-1], u[2:]
        inner = middle + viscosity * (left - 2.0 * middle + right) - 0.1 * middle * (right - left)
        u = np.concatenate((u[:1], inner, u[-1:]))
    return np.sum(u**2)


def stencil_by_hand(u: Array, viscosity: float) -> tuple[float, tuple[Array, float]]:
    turns = []
    for _ in range(100):
        left, middle, right = u[:-2], u[1:-1], u[2:]
        bend = left - 2.0 * middle + right
        slope = right - left
        turns.append((middle, bend, slope))
        inner = middle + viscosity * bend - 0.1 * middle * slope
        u = np.concatenate((u[:1], inner, u[-1:]))
    value = np.sum(u**2)

    u_bar = 2.0 * u
    viscosity_bar = 0.0
    for middle, bend, slope in reversed(turns):
        inner_bar = u_bar[1:-1].copy()
        viscosity_bar += np.vdot(inner_bar, bend)
        bend_bar = viscosity * inner_bar
        inner_bar *= 0.1
        slope *= inner_bar
        inner_bar *= middle  # the cotangent of slope, less its sign
        u_bar[1:-1] -= slope
        u_bar[1:-1] -= 2.0 * bend_bar
        u_bar[:-2] += bend_bar
        u_bar[:-2] += inner_bar
        u_bar[2:] += bend_bar
        u_bar[2:] -= inner_bar
    return value, (u_bar, viscosity_bar)


def stencil_rewritten(u: Array, viscosity: float) -> tuple[float, tuple[Array, float]]:
    states, bends = [], []
    for _ in range(100):
        states.append(u)
        left, middle, right = u[:-2], u[1:-1], u[2:]
        bend = left - 2.0 * middle + right
        bends.append(bend)
        inner = middle + viscosity * bend - 0.1 * middle * (right - left)
        u = np.concatenate((u[:1], inner, u[-1:]))
    value = np.sum(u**2)

    u_bar = 2.0 * u
    left_bar, inner_bar, right_bar = u_bar[:-2], u_bar[1:-1], u_bar[2:]
    viscosity_bar = 0.0
    constant = 1.0 - 2.0 * viscosity
    tenth, slope, to_right = np.empty_like(u), np.empty_like(inner), np.empty_like(inner)
    left, middle, right = tenth[:-2], tenth[1:-1], tenth[2:]
    for state, bend in zip(reversed(states), reversed(bends), strict=True):
        viscosity_bar += inner_bar @ bend
        np.multiply(state, 0.1, out=tenth)
        # what inner depends on middle, right and left by; the borders keep their cotangents
        np.subtract(left, right, out=slope)
        slope += constant
        np.subtract(viscosity, middle, out=to_right)
        middle += viscosity
        middle *= inner_bar
        to_right *= inner_bar
        inner_bar *= slope
        left_bar += middle
        right_bar += to_right
    return value, (u_bar, viscosity_bar)


def stencil_arguments() -> tuple[Array, float]:
    return 1.0 + 0.5 * np.sin(np.linspace(0.0, 12.0, 1000)), 0.2


# ---------------------------------------------------------------------------- Rosenbrock


def rosenbrock(x: Array) -> float:
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_by_hand(x: Array) -> tuple[float, Array]:
    left = x[:-1]
    valley = x[1:] - left**2
    slope = 1.0 - left
    value = np.sum(100.0 * valley**2 + slope**2)

    valley *= 200.0
    gradient = np.empty_like(x)
    gradient[0] = 0.0
    gradient[1:] = valley
    valley *= left
    valley += slope
    valley *= 2.0
    gradient[:-1] -= valley
    return value, gradient


def rosenbrock_rewritten(x: Array) -> tuple[float, Array]:
    left = x[:-1]
    valley = left * left
    np.subtract(x[1:], valley, out=valley)
    slope = 1.0 - left
    value = 100.0 * (valley @ valley) + slope @ slope

    gradient = np.empty_like(x)
    inner, valley_bar = gradient[:-1], valley
    valley_bar *= 200.0
    np.multiply(left, valley_bar, out=inner)
    inner += slope
    inner *= -2.0
    gradient[-1] = 0.0
    gradient[1:] += valley_bar
    return value, gradient


def rosenbrock_small_arguments() -> tuple[Array]:
    return (np.random.default_rng(4).uniform(0.5, 1.5, size=10),)


def rosenbrock_large_arguments() -> tuple[Array]:
    return (np.random.default_rng(5).uniform(0.5, 1.5, size=1_000_000),)


# ---------------------------------------------------------------------------- Gaussian mixture


def mixture(logits: Array, means: Array, log_scales: Array, data: Array) -> float:
    """Log-likelihood of a mixture of Gaussians with diagonal covariances, up to the constant with pi."""
    largest = np.max(logits)
    log_weights = logits - largest - np.log(np.sum(np.exp(logits - largest)))
    deviations = (data[:, None, :] - means) * np.exp(-log_scales)
    log_densities = log_weights - np.sum(log_scales, axis=1) - 0.5 * np.sum(deviations**2, axis=2)
    largest_density = np.max(log_densities, axis=1)
    sums = np.sum(np.exp(log_densities - largest_density[:, None]), axis=1)
    return np.sum(largest_density + np.log(sums))


def mixture_by_hand(
    logits: Array, means: Array, log_scales: Array, data: Array
) -> tuple[float, tuple[Array, Array, Array]]:
    largest = np.max(logits)
    exponentials = np.exp(logits - largest)
    total = np.sum(exponentials)
    log_weights = logits - largest - np.log(total)
    differences = data[:, None, :] - means
    inverse_scales = np.exp(-log_scales)
    deviations = differences * inverse_scales
    squares = deviations**2
    log_densities = log_weights - np.sum(log_scales, axis=1) - 0.5 * np.sum(squares, axis=2)
    largest_density = np.max(log_densities, axis=1)
    responsibilities = np.exp(log_densities - largest_density[:, None])
    sums = np.sum(responsibilities, axis=1)
    value = np.sum(largest_density + np.log(sums))

    # what is subtracted and added again, the largest ones, has no cotangent in all
    responsibilities /= sums[:, None]
    shares = responsibilities.sum(axis=0)
    columns = responsibilities[:, :, None]
    deviations *= columns
    means_bar = deviations.sum(axis=0) * inverse_scales
    squares *= columns
    log_scales_bar = squares.sum(axis=0) - shares[:, None]
    return value, (shares - len(data) * (exponentials / total), means_bar, log_scales_bar)


def mixture_rewritten(
    logits: Array, means: Array, log_scales: Array, data: Array
) -> tuple[float, tuple[Array, Array, Array]]:
    weights = np.exp(logits - logits.max())
    weights /= weights.sum()
    inverse_scales = np.exp(-log_scales)
    # one row per component and dimension, so that the long axis is the contiguous one
    deviations = data.T - means[:, :, None]
    deviations *= inverse_scales[:, :, None]
    squares = deviations**2
    log_densities = squares.sum(axis=1)
    log_densities *= -0.5
    log_densities += (np.log(weights) - log_scales.sum(axis=1))[:, None]
    largest = log_densities.max(axis=0)
    log_densities -= largest
    responsibilities = np.exp(log_densities, out=log_densities)
    sums = responsibilities.sum(axis=0)
    value = largest.sum() + np.log(sums).sum()

    responsibilities /= sums
    shares = responsibilities.sum(axis=1)
    columns = responsibilities[:, :, None]
    means_bar = (deviations @ columns)[:, :, 0] * inverse_scales
    log_scales_bar = (squares @ columns)[:, :, 0] - shares[:, None]
    return value, (shares - len(data) * weights, means_bar, log_scales_bar)


def mixture_arguments() -> tuple[Array, Array, Array, Array]:
    rng = np.random.default_rng(6)
    centres = np.array([[-2.0, 0.0], [1.0, 2.0], [2.0, -1.5]])
    data = centres[rng.integers(3, size=500)] + rng.normal(size=(500, 2))
    return rng.normal(size=3), centres + rng.normal(size=(3, 2)), rng.normal(size=(3, 2)) * 0.3, data


CASES = (
    Case(
        "sum(x**2 * exp(x)) of 12",
        few_elements,
        few_elements_by_hand,
        few_elements_rewritten,
        few_elements_arguments,
        ("exponential", "product"),
    ),
    Case(
        "logistic regression 100 x 10",
        logistic_regression,
        logistic_regression_by_hand,
        logistic_regression_rewritten,
        logistic_regression_arguments,
        ("losses",),
    ),
    Case(
        "network 784-128-10, batch 64",
        two_layers,
        two_layers_by_hand,
        two_layers_rewritten,
        two_layers_arguments,
        ("sums", "hidden", "exponentials", "totals", "rows"),
        argnums=(0, 1, 2, 3),
    ),
    Case(
        "recurrent network, 50 steps, 32 x 32",
        recurrent_network,
        recurrent_network_by_hand,
        recurrent_network_rewritten,
        recurrent_network_arguments,
        ("states", "error"),
        argnums=(0, 1, 2),
    ),
    Case(
        "scalar loop, 1000 turns, a branch",
        scalar_loop,
        scalar_loop_by_hand,
        scalar_loop_rewritten,
        scalar_loop_arguments,
        ("states",),
        argnums=(0, 1, 2),
    ),
    Case(
        "stencil, 100 steps of 1000 points",
        stencil,
        stencil_by_hand,
        stencil_rewritten,
        stencil_arguments,
        ("turns", "u"),
        argnums=(0, 1),
    ),
    Case(
        "Rosenbrock of 10",
        rosenbrock,
        rosenbrock_by_hand,
        rosenbrock_rewritten,
        rosenbrock_small_arguments,
        ("valley", "slope"),
    ),
    Case(
        "Rosenbrock of 1,000,000",
        rosenbrock,
        rosenbrock_by_hand,
        rosenbrock_rewritten,
        rosenbrock_large_arguments,
        ("valley", "slope"),
    ),
    Case(
        "Gaussian mixture, 500 x 2, 3 components",
        mixture,
        mixture_by_hand,
        mixture_rewritten,
        mixture_arguments,
        ("exponentials", "total", "inverse_scales", "deviations", "squares", "responsibilities", "sums"),
        argnums=(0, 1, 2),
    ),
)


# ---------------------------------------------------------------------------- what the cost of compiling is measured on


def thirty_lines(weights: Array, bias: Array, data: Array, rate: float) -> float:
    """Nothing in particular: the operations, loops and branches of an ordinary page of code."""
    rows = data.shape[0]
    columns = data.shape[1]
    centre = np.mean(data, axis=0)
    centred = data - centre
    spread = np.sqrt(np.mean(centred**2, axis=0) + 1e-6)
    scaled = centred / spread
    state = np.zeros(columns)
    penalty = 0.0
    for row in range(rows):
        entry = scaled[row]
        gate = 1.0 / (1.0 + np.exp(-(weights @ entry + bias)))
        candidate = np.tanh(weights @ state - bias)
        state = gate * state + (1.0 - gate) * candidate
        if row % 2 == 0:
            state = state + rate * entry
        else:
            state = state * (1.0 - rate)
        penalty = penalty + np.sum(state**2)
    left = state[:-1]
    right = state[1:]
    rough = np.sum(np.abs(right - left))
    smooth = np.sum((right + left) ** 2)
    largest = np.max(state)
    total = largest + np.log(np.sum(np.exp(state - largest)))
    if total > 0.0:
        outcome = total + 0.1 * rough
    else:
        outcome = total * smooth
    size = np.sum(weights**2)
    return outcome + 0.01 * penalty / rows + 0.001 * size


def thirty_lines_arguments() -> tuple[Array, Array, Array, float]:
    rng = np.random.default_rng(7)
    return rng.normal(size=(5, 5)), rng.normal(size=5), rng.normal(size=(8, 5)), 0.1


def other_lines(angles: Array, lengths: Array, targets: Array, stiffness: float) -> float:
    """Thirty other lines, most of them of other operations: arms of many links that reach for targets."""
    count = angles.shape[0]
    bends = np.cumsum(angles)
    across = np.cumsum(lengths * np.cos(bends))
    up = np.cumsum(lengths * np.sin(bends))
    joints = np.stack([across, up], axis=1)
    energy = 0.5 * stiffness * np.dot(angles, angles)
    slack = np.maximum(np.abs(angles) - 1.0, 0.0)
    energy += 10.0 * slack.sum()
    tip = joints[-1]
    worst = 0.0
    for target in targets:
        offset = target - tip
        distance = np.sqrt(offset @ offset + 1e-9)
        if distance > 1.0:
            energy += 2.0 * distance - 1.0
        else:
            energy += distance**2
        worst = max(worst, distance)
    scaled = lengths / np.mean(lengths)
    spread = np.std(scaled)
    pairs = joints[:, None, :] - joints[None, :, :]
    squares = np.sum(pairs * pairs, axis=-1) + np.eye(count)
    repulsion = np.sum(1.0 / squares) / count
    weights = np.where(across > 0.0, across, 0.1 * across)
    balance = np.linalg.norm(weights) + np.prod(1.0 + 0.01 * up)
    if worst > 2.0:
        total = energy + repulsion * worst
    else:
        total = energy + repulsion
    return total + 0.1 * spread * balance


def other_lines_arguments() -> tuple[Array, Array, Array, float]:
    rng = np.random.default_rng(8)
    return rng.normal(size=6), rng.uniform(0.5, 1.5, size=6), rng.normal(size=(4, 2)), 0.3
