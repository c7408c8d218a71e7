"""Whole computations as they are found in real programs."""
# ruff: noqa: RET504, B007
from __future__ import annotations

import math

import numpy as np

from corpus.registry import normal, positive, program


@program(lambda: (normal(1, 3), 0.2, normal(2, 8, 3), np.array([1, 0, 0, 1, 1, 0, 1, 0])), argnums=(0, 1))
def logistic_regression(weights, bias, features, labels):
    scores = features @ weights + bias
    probabilities = 1.0 / (1.0 + np.exp(-scores))
    likelihoods = labels * np.log(probabilities) + (1 - labels) * np.log(1.0 - probabilities)
    return -np.mean(likelihoods) + 0.05 * np.sum(weights**2)


def layer(x, weights, bias, nonlinear=True):
    y = x @ weights + bias
    return np.tanh(y) if nonlinear else y


@program(lambda: (normal(3, 3, 5), normal(4, 5), normal(5, 5, 2), normal(6, 2), normal(7, 6, 3), normal(8, 6, 2)),
         argnums=(0, 1, 2, 3))
def perceptron(w1, b1, w2, b2, inputs, targets):
    hidden = layer(inputs, w1, b1)
    outputs = layer(hidden, w2, b2, nonlinear=False)
    return np.mean((outputs - targets) ** 2)


@program(lambda: (0.6 * normal(9, 4, 2), 0.6 * normal(10, 4, 4), normal(11, 4), normal(12, 5, 2), normal(13, 4)))
def recurrent_network(w_input, w_state, bias, inputs, readout):
    state = np.zeros(4)
    for x in inputs:
        state = np.tanh(w_input @ x + w_state @ state + bias)
    return readout @ state


@program(lambda: (normal(14, 3, 2), normal(15, 3), 0.3 * normal(16, 3), normal(17, 7, 2)), argnums=(0, 1, 2))
def gaussian_mixture(means, scores, log_widths, points):
    log_weights = scores - np.log(np.sum(np.exp(scores)))
    offsets = points[:, np.newaxis, :] - means
    exponents = -0.5 * np.sum(offsets**2, axis=2) / np.exp(2.0 * log_widths)
    joint = log_weights + exponents - 2.0 * log_widths - math.log(2.0 * math.pi)
    largest = np.max(joint, axis=1, keepdims=True)
    return np.sum(np.log(np.sum(np.exp(joint - largest), axis=1)) + largest[:, 0])


@program(lambda: (0.9, 0.3, 0.5, normal(18, 8)))
def kalman_filter(decay, process_noise, sensor_noise, readings):
    mean, variance = 0.0, 1.0
    likelihood = 0.0
    for reading in readings:
        mean = decay * mean
        variance = decay**2 * variance + process_noise**2
        innovation = reading - mean
        total = variance + sensor_noise**2
        likelihood -= 0.5 * (np.log(total) + innovation**2 / total)
        gain = variance / total
        mean = mean + gain * innovation
        variance = (1.0 - gain) * variance
    return likelihood


@program(lambda: (np.array([1.0, 0.0]), 0.3, 20))
def damped_oscillator_by_euler(state, damping, steps):
    dt = 0.05
    for _ in range(steps):
        position, velocity = state
        state = state + dt * np.array([velocity, -position - damping * velocity])
    return state


def populations_change(prey, hunters, rates):
    birth, capture, growth, death = rates
    return prey * (birth - capture * hunters), hunters * (growth * prey - death)


@program(lambda: (2.0, 1.0, np.array([1.1, 0.4, 0.1, 0.4]), 15))
def lotka_volterra_by_runge_kutta(prey, hunters, rates, steps):
    dt = 0.1
    for _ in range(steps):
        a1, b1 = populations_change(prey, hunters, rates)
        a2, b2 = populations_change(prey + 0.5 * dt * a1, hunters + 0.5 * dt * b1, rates)
        a3, b3 = populations_change(prey + 0.5 * dt * a2, hunters + 0.5 * dt * b2, rates)
        a4, b4 = populations_change(prey + dt * a3, hunters + dt * b3, rates)
        prey = prey + dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        hunters = hunters + dt / 6.0 * (b1 + 2.0 * b2 + 2.0 * b3 + b4)
    return prey, hunters


@program(lambda: (0.8, 0.6))
def kepler_by_newton(mean_anomaly, eccentricity):
    anomaly = mean_anomaly
    for _ in range(50):
        error = anomaly - eccentricity * math.sin(anomaly) - mean_anomaly
        if abs(error) < 1e-13:
            break
        anomaly = anomaly - error / (1.0 - eccentricity * math.cos(anomaly))
    return anomaly


@program(lambda: (2.7, 1.2))
def bisection_then_newton(target, power):
    low, high = 0.0, 8.0
    while high - low > 0.1:
        middle = 0.5 * (low + high)
        if middle**power * math.exp(0.1 * middle) < target:
            low = middle
        else:
            high = middle
    x = 0.5 * (low + high)
    for _ in range(4):
        value = x**power * math.exp(0.1 * x)
        x = x - (value - target) / (value * (power / x + 0.1))
    return x


@program(lambda: (normal(19, 6, 4), np.array([0, 3, 1, 1, 2, 0])))
def cross_entropy(scores, labels):
    shifted = scores - scores.max(axis=1, keepdims=True)
    log_totals = np.log(np.exp(shifted).sum(axis=1))
    picked = shifted[np.arange(len(labels)), labels]
    return (log_totals - picked).mean()


@program(lambda: (0.7, normal(20, 8, 3), normal(21, 8)))
def ridge_by_solve(strength, features, targets):
    gram = features.T @ features + strength * np.eye(features.shape[1])
    weights = np.linalg.solve(gram, features.T @ targets)
    residual = features @ weights - targets
    return residual @ residual + strength * weights @ weights * 0.5


@program(lambda: (normal(22, 10), 0.2, 5))
def heat_equation(temperature, diffusivity, steps):
    for _ in range(steps):
        inner = temperature[1:-1] + diffusivity * (temperature[2:] - 2.0 * temperature[1:-1] + temperature[:-2])
        temperature = np.concatenate((temperature[:1], inner, temperature[-1:]))
    return temperature


@program(lambda: (normal(23, 12), np.array([0.25, 0.5, 0.25, -0.1])))
def convolution_by_slices(signal, kernel):
    total = np.zeros(signal.size - kernel.size + 1)
    for k, weight in enumerate(kernel):
        total = total + weight * signal[k:k + total.size]
    return np.maximum(total, 0.0)


@program(lambda: (np.array([-1.2, 1.0, 0.7, 1.3]),))
def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


@program(lambda: (normal(24, 3, 2), normal(25, 9, 2)))
def distance_to_the_nearest_centre(centres, points):
    total = 0.0
    for point in points:
        nearest = np.inf
        for centre in centres:
            distance = np.sum((point - centre) ** 2)
            if distance < nearest:
                nearest = distance
        total += nearest
    return total / len(points)


@program(lambda: (np.diag([3.0, 1.0, 0.5]) + 0.1 * normal(26, 3, 3), np.array([1.0, 0.5, -0.5]), 8))
def power_iteration(a, x, turns):
    for _ in range(turns):
        x = a @ x
        x = x / np.linalg.norm(x)
    return x @ a @ x


@program(lambda: (np.array([1000.0, 1001.5, 998.0]),))
def logsumexp_by_hand(x):
    largest = x[0]
    for element in x[1:]:
        if element > largest:
            largest = element
    total = 0.0
    for element in x:
        total += np.exp(element - largest)
    return largest + np.log(total)


def normal_distribution(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


@program(lambda: (105.0, 100.0, 0.02, 0.25, 0.8, "call"))
def black_scholes(spot, strike, rate, volatility, expiry, kind):
    width = volatility * math.sqrt(expiry)
    d1 = (math.log(spot / strike) + (rate + 0.5 * volatility**2) * expiry) / width
    d2 = d1 - width
    discounted = strike * math.exp(-rate * expiry)
    if kind == "call":
        return spot * normal_distribution(d1) - discounted * normal_distribution(d2)
    return discounted * normal_distribution(-d2) - spot * normal_distribution(-d1)


@program(lambda: (1.3, np.array([0.0, 0.5, 1.2, 2.0]), np.array([1.0, -0.5, 0.7, 0.2]), normal(27, 4)))
def cubic_hermite_spline(x, knots, values, slopes):
    k = int(np.searchsorted(knots, x)) - 1
    width = knots[k + 1] - knots[k]
    t = (x - knots[k]) / width
    start = (1.0 + 2.0 * t) * (1.0 - t) ** 2 * values[k] + t * (1.0 - t) ** 2 * width * slopes[k]
    end = t**2 * (3.0 - 2.0 * t) * values[k + 1] + t**2 * (t - 1.0) * width * slopes[k + 1]
    return start + end


@program(lambda: (normal(28, 4, 3), normal(29, 5, 3), normal(30, 5, 2)))
def attention(queries, keys, values):
    scores = queries @ keys.T / math.sqrt(queries.shape[-1])
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights /= np.sum(weights, axis=-1, keepdims=True)
    return weights @ values


@program(lambda: (normal(31, 2, 2, 4, 3), np.tril(np.ones((4, 4), bool))))
def masked_self_attention(x, visible):
    scores = np.where(visible, x @ np.swapaxes(x, -1, -2), -1e9)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return np.sum((weights @ x) ** 2)


@program(lambda: (normal(32, 6), 0.1, 6))
def gradient_descent_on_a_quadratic(x, rate, steps):
    curvature = np.linspace(1.0, 3.0, 6)
    velocity = np.zeros(6)
    for step in range(steps):
        gradient = curvature * x + 0.1 * x**3
        velocity = 0.9 * velocity - rate * gradient
        x = x + velocity
    return np.sum(curvature * x * x)


@program(lambda: (np.array([0.2, 0.9]), 0.4, np.array([3.0, 1.0])))
def projectile_with_drag(velocity, drag, target):
    position = np.zeros(2)
    dt = 0.02
    while position[0] < 0.1:
        speed = np.sqrt(np.sum(velocity * velocity))
        velocity = velocity + dt * (np.array([0.0, -1.0]) - drag * speed * velocity)
        position = position + dt * velocity
    return np.linalg.norm(position - target)


@program(lambda: (positive(34, 4, 4),))
def determinant_by_elimination(a):
    # without pivots and without writes: each turn keeps the lower right block
    determinant = 1.0
    while a.shape[0] > 0:
        pivot = a[0, 0]
        determinant = determinant * pivot
        a = a[1:, 1:] - np.outer(a[1:, 0], a[0, 1:]) / pivot
    return determinant


@program(lambda: (normal(35, 6, 2), np.array([[0, 1], [1, 2], [2, 0], [3, 4], [4, 5]]), 0.8))
def spring_energy(positions, edges, rest):
    offsets = positions[edges[:, 0]] - positions[edges[:, 1]]
    lengths = np.sqrt(np.sum(offsets**2, axis=1))
    return 0.5 * np.sum((lengths - rest) ** 2)


@program(lambda: (normal(36, 5), normal(37, 5), 0.7))
def exponential_smoothing_error(series, forecasts, alpha):
    level = series[0]
    error = 0.0
    for actual, shift in zip(series[1:], forecasts):
        error += (actual - level - 0.1 * shift) ** 2
        level = alpha * actual + (1.0 - alpha) * level
    return error


@program(lambda: (normal(38, 3), normal(39, 3)))
def angle_between(x, y):
    cosine = x @ y / (np.linalg.norm(x) * np.linalg.norm(y))
    return np.arccos(np.clip(cosine, -1.0, 1.0))


def scores():
    return normal(931, 3, 4), normal(932, 4, 2)


@program(scores)
def softmax_in_place(s, v):
    a = np.exp(s - s.max(axis=-1, keepdims=True))
    a /= a.sum(axis=-1, keepdims=True)
    return np.sum(np.sin(a @ v))


@program(scores)
def largest_taken_off_in_place(x, w):
    z = x @ w
    z -= z.max(axis=1, keepdims=True)
    p = np.exp(z)
    p /= p.sum(axis=1, keepdims=True)
    z -= np.log(np.exp(z).sum(axis=1))[:, None]
    return -np.log(p[:, 0]).mean() + z[0, 1] ** 2


@program(scores)
def largest_that_stays_in_the_result(x, w):
    z = np.exp(x - x.max())
    y = np.exp(w - w.max())
    z /= z.sum() ** 0.5
    y *= y
    return np.sum(z ** 2) * np.sum(y)


@program(lambda: (normal(933, 5), False))
def divided_in_some_cases(x, often):
    z = np.exp(x - x.max())
    if often:
        z /= z.sum()
    for _ in range(2):
        z /= np.sqrt(z.sum())
    return np.sum(z ** 2)
