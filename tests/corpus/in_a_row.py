"""Writes through what looks at an array in another shape: ``u.flat[k] = v``, ``m = u.reshape(2, 3)``."""
from __future__ import annotations

import numpy as np

from corpus.registry import complex_normal, normal, program


@program(lambda: (normal(1, 2, 3),), needs="shapes")
def element_by_its_number(x):
    u = x * 2.0
    u.flat = x * u
    u.flat[2] = x[0, 0] ** 2
    a = u.flat[2]
    u.flat[-1] *= 3.0 * a
    return (u ** 2).sum() * u.flat[3] + u.flat[1:4].sum()


@program(lambda: (normal(1, 2, 3).T,), needs="shapes")
def element_by_its_number_in_any_layout(x):
    x.flat[2] *= x[0, 0] ** 2
    x.flat[1:4] += x[1, 1]
    return (x ** 3).sum() * x.flat[2]


@program(lambda: (normal(1, 3, 3),), needs="shapes")
def diagonal_by_a_step(x):
    u = x @ x.T
    u.flat[::4] += 2.0
    u.flat[::x.shape[0] + 1] *= x[0, 1]
    return np.sum(u @ u)


@program(lambda: (normal(1, 2, 3),), needs="shapes")
def what_was_read_stays(x):
    u = x * 1.0
    a = u.flat[1:3]
    u.flat[1:3] = 2.0
    return (a * u.flat[:2]).sum() + (u * x).sum()


@program(lambda: (normal(1, 2, 3),), needs="shapes")
def the_runner_has_a_name(x):
    u = x * 1.0
    run = u.flat
    run[2] = x[0, 0] * run[1]
    return (u * x).sum() * run[2]


@program(lambda: (normal(1, 2, 3),))
def running_through(x):
    total = 0.0
    for k, v in enumerate(x.flat):
        total += k * v ** 2
    return total * np.sum(x.flat)


@program(lambda: (normal(1, 2, 3),), needs="shapes")
def through_a_flat_view(x):
    u = x * 2.0
    for k in range(1, 6):
        u.reshape(-1)[k] *= u.reshape(-1)[k - 1]
    u.ravel()[1:4] = x[0] ** 2
    return (u ** 2).sum()


@program(lambda: (normal(1, 2, 3),))
def argument_through_a_flat_view(x):
    x.reshape(-1)[2] = x[0, 0] ** 2
    x.ravel()[3:] *= x.ravel()[:3]
    return (x ** 2).sum()


@program(lambda: (normal(1, 2, 3),), needs="shapes")
def through_functions_of_numpy(x):
    u = x * 2.0
    np.ravel(u)[1:4] = x[0] ** 2
    np.reshape(u, -1)[2] *= 3.0
    np.transpose(u)[0] += x[:, 1]
    return (u ** 2).sum()


@program(lambda: (normal(1, 2, 3),), needs="shapes")
def flat_view_under_a_name(x):
    u = x * 2.0
    flat = u.reshape(-1)
    flat[3] = x[0, 1] * u[0, 0]
    flat[4] += flat[3] ** 2
    return (u ** 2).sum() * flat[1]


@program(lambda: (normal(1, 2, 3),))
def flat_view_updated_whole(x):
    u = x.copy()
    flat = u.ravel()
    flat *= 2.0
    flat[1:] += flat[:-1] ** 2
    u[0] = x[1]
    return (u ** 2).sum() * flat.sum()


@program(lambda: (normal(1, 2, 3).T,))
def flat_view_of_a_copy(x):
    u = x.copy()
    flat = u.ravel()
    flat *= x[0, 0]
    return (u ** 2).sum() * flat.sum()


@program(lambda: (normal(1, 2, 3),), needs="shapes")
def cotangent_in_another_layout(x):
    u = x * 2.0
    u.reshape(-1)[1] *= x[0, 0]
    return (np.exp(u.T) * np.arange(6.0).reshape(3, 2)).sum()


@program(lambda: (normal(1, 2, 3, 4), normal(2, 3, 4)))
def rows_of_blocks(x, y):
    u = np.zeros((2, 3, 4))
    u[:] = x
    u[0].ravel()[5:] += y.ravel()[:7] * u[1].ravel()[5:]
    u[1, :2].reshape(-1)[3] = y[0, 0] * u[0, 2, 3]
    return (u ** 2).sum()


@program(lambda: (normal(1, 6),), needs="shapes")
def vector_as_a_matrix(x):
    u = x * 2.0
    m = u.reshape(2, 3)
    m[0] = m[1] ** 2
    m[:, 1] += m[:, 0]
    return (u ** 2).sum() * m[0, 0]


@program(lambda: (normal(1, 12)[::2],), needs="shapes")
def argument_as_a_matrix(u):
    m = u.reshape(2, 3)
    m[0] = m[1] ** 2
    m[:, 1] += m[:, 0]
    return (u ** 2).sum() * m[0, 0]


@program(lambda: (normal(1, 6),), needs="shapes")
def part_as_a_matrix(x):
    u = x * 2.0
    m = u[::2].reshape(3, 1)
    m[0] = u[1] ** 2
    m.T[0, 1] = x[2] * m[0, 0]
    return (u ** 2).sum()


@program(lambda: (normal(1, 3, 2),))
def state_of_positions_and_velocities(y):
    d = np.zeros(6)
    out = d.reshape(3, 2)
    out[:, 0] = y[:, 1]
    out[:, 1] = -y[:, 0] ** 3
    return (d * np.arange(6.0)).sum()


def scaled_in_a_row(u, c):
    flat = u.reshape(-1)
    flat[1:] *= c
    return flat[0]


@program(lambda: (normal(1, 2, 3), 0.7), needs="shapes")
def written_in_a_row_by_a_function(x, c):
    u = x + 1.0
    first = scaled_in_a_row(u, c)
    return first * (u ** 2).sum()


@program(lambda: (complex_normal(1, 2, 3),), needs="shapes")
def complex_elements_by_number(z):
    u = z * 1j
    u.flat[2] = z[0, 0] ** 2
    u.ravel()[3:] *= u.flat[1]
    return np.abs(u).sum() + np.real(u.reshape(-1)[4] * u.flat[2])


@program(lambda: (normal(1, 8), normal(2, 3)))
def sliding_windows(x, w):
    windows = np.lib.stride_tricks.sliding_window_view(x, 3)
    pairs = np.lib.stride_tricks.sliding_window_view(np.outer(x, w), (2, 2))
    return ((windows @ w) ** 2).sum() + windows[2].max() * pairs.sum(axis=(2, 3))[1, 1]


@program(lambda: (normal(1, 3),))
def what_products_give(x):
    m = np.outer(x, np.cos(x))
    m.T[0] = x * 3.0
    row = m[1]
    row += m[0]
    m.reshape(-1)[2] = x[0] * x[1]
    k = m @ m.T
    k.ravel()[::4] += x
    return (k ** 2).sum()


@program(lambda: (normal(1, 2, 3), normal(2, 2, 3)), needs="shapes")
def what_is_joined(x, y):
    m = np.concatenate([x * 1.0, y * y], axis=1)
    m.reshape(-1)[3] = x[0, 0]
    n = np.where(x * 2.0 > 0.5, x * 2.0, y * 3.0)
    n.ravel()[1:] *= y[0, 0]
    return (m ** 2).sum() + (n * x).sum()


@program(lambda: (normal(1, 4),))
def parts_of_a_vector_in_another_shape(x):
    b = x.reshape(-1)
    c = b[1:]
    c[0] *= x[3]
    b.reshape(2, 2)[1, 0] *= x[0]
    return (b * b).sum() + c[0]
