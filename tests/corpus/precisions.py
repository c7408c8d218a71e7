"""Single precision beside double, real numbers beside complex ones: what functions, lists and matrices give back."""
from __future__ import annotations

import numpy as np

from corpus.registry import complex_normal, normal, positive, program

WEIGHTS = np.array([1.0, -2.0, 0.5])
PHASES = np.exp(1j * WEIGHTS)


def single(seed, *shape):
    return normal(seed, *shape).astype(np.float32)


def doubled(v):
    return v * 2


def squares_stored(v):
    u = np.zeros(3, v.dtype)
    u[:] = v * v
    return u


def scaled_and_shifted(v, k):
    return [v * k, v + k]


def scaled_in_place(u, k):
    u *= k
    return u.sum()


def multiples(v, count):
    return [v * (k + 1) for k in range(count)]


def trace_by_einsum(a):
    return np.einsum("ii", a)


@program(lambda: (single(1, 3, 3),))
def number_of_a_sum_times_one_from_outside(a):
    return np.sum(np.real(WEIGHTS[0] * trace_by_einsum(a * a)))


@program(lambda: (single(1, 3), normal(2, 3)), argnums=(0,))
def results_in_double_arithmetic(x, w):
    first, second = scaled_and_shifted(x, x[0])
    total = np.sum(doubled(x) * w) + np.sum(squares_stored(x) * WEIGHTS)
    return total + np.sum(first * w) + np.sum(second)


@program(lambda: (single(3, 3), 0.7))
def written_by_a_function(x, k):
    u = x.copy()
    s = scaled_in_place(u, 2)
    return s * k + np.sum(u * WEIGHTS)


@program(lambda: (single(4, 3), 2))
def lists_of_results(x, count):
    stacked = np.stack([*multiples(x, count), x])
    total = np.sum(stacked * WEIGHTS)
    for part, weight in zip(multiples(x, count), WEIGHTS):
        total = total + np.sum(part * WEIGHTS) * weight
    return total


@program(lambda: (single(5, 3), 1.2))
def numbers_in_lists(x, k):
    parts = [*x]
    parts.append(k)
    return parts[0] * parts[3] + sum(parts) + sum(map(np.multiply, x, [k, k * 2, 1.0]))


@program(lambda: (np.eye(3, dtype=np.float32) * 2 + single(6, 3, 3) / 4,))
def functions_of_matrices(m):
    total = np.sum(np.linalg.matrix_power(m, 3) * WEIGHTS) + np.linalg.cond(m) * WEIGHTS[0]
    return total + np.sum(np.linalg.lstsq(m, m[0], rcond=None)[0] * WEIGHTS)


@program(lambda: (positive(7, 5).astype(np.float32),))
def adjoints_that_start_with_zeros(x):
    chosen = np.select([x > 0.7, x > 0.3], [x * x, x], 0.5 * x)
    products = np.prod(x[None], axis=1, keepdims=True)[0, 0] + np.trapezoid(np.convolve(x, x, mode="same")[:2]) \
        if hasattr(np, "trapezoid") else np.prod(x[None], axis=1, keepdims=True)[0, 0]
    return chosen[1:].sum() + products + np.insert(x, [1, 3], x[:2])[2]


@program(lambda: (np.eye(3) * 2 + normal(8, 3, 3) / 4,))
def real_matrix_beside_complex_numbers(m):
    return np.abs(np.linalg.cond(m) * PHASES[0] + np.sum(np.linalg.matrix_power(m, 3) * PHASES))


@program(lambda: (normal(9, 3),))
def result_becomes_complex(x):
    y = doubled(x)
    for _ in range(2):
        y = y * (1 + 1j)
    return np.abs(np.sum(y * PHASES))


@program(lambda: (normal(10, 3),))
def argument_becomes_complex(x):
    y = doubled(x)
    for _ in range(2):
        y = doubled(y) * (1 + 1j)
    return np.abs(np.sum(y * PHASES))


@program(lambda: (normal(11, 3),))
def real_and_complex_arrays_in_a_list(x):
    parts = [x * 2]
    for _ in range(3):
        parts.append(parts[-1] * PHASES)
    mixed = [x, x * 1j, x]
    total = np.sum(parts[-1] * parts[0])
    for k in range(3):
        total = total + np.sum(mixed[k] * mixed[k - 1] * PHASES)
    return np.abs(total)


@program(lambda: ([normal(12, 3), complex_normal(13, 3)],))
def list_of_real_and_complex_arrays(parts):
    total = 0.0
    for part in parts:
        total = total + part * part * PHASES
    return np.abs(np.sum(total))


@program(lambda: (normal(14, 3),))
def paired_with_a_global(x):
    total = 0.0
    for v, phase in zip(x, PHASES):
        total = total * v + phase * v * v
    return total.real * total.imag + sum([doubled(v) * weight for v, weight in zip(x, WEIGHTS)])


def weighted_sum(w, scale):
    return (w * scale).sum()


def weighted_and_summed(w, scale):
    return w * scale, w.sum()


@program(lambda: (normal(15, 3), single(16, 2), np.float32(0.5)))
def numbers_of_unlike_precision_handed_to_functions(w, v, scale):
    weighted, total = weighted_and_summed(v, scale)
    return 2 * weighted_sum(w, scale) + weighted.sum() + total * scale
