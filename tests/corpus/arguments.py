"""Writes into arrays that the caller has too: its array changes as it does without a derivative."""
from __future__ import annotations

import numpy as np

from corpus.registry import complex_normal, normal, positive, program


@program(lambda: (normal(1, 7), 0.2, 3))
def diffused(u, c, steps):
    for _ in range(steps):
        u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])
    return (u ** 2).sum()


@program(lambda: (normal(2, 7), 0.2, 3))
def burgers(u, c, steps):
    for _ in range(steps):
        u[1:-1] -= c * u[1:-1] * (u[2:] - u[:-2])
    return u


@program(lambda: (normal(3, 4), normal(4, 4)))
def updated_and_returned(u, w):
    u *= w
    u += w
    return u


@program(lambda: (normal(5, 5), 0.3))
def part_returned(u, a):
    u[2:] *= a
    return u[1:4], u.sum()


@program(lambda: (normal(6, 4),))
def overwritten_after_non_linear_use(x):
    energy = np.exp(x).sum()
    x[1:] = x[:-1] ** 2
    energy += (x ** 3).sum()
    x[:] = 0.5
    return energy * x[0] + x.sum()


@program(lambda: (normal(7, 4),))
def reset_to_constants(x):
    x[:] = 1.0
    return x.sum()


@program(lambda: (normal(8, 4), normal(9, 4)))
def passive_argument_becomes_differentiated(x, buffer):
    buffer[:] = 0.0
    for i in range(3):
        buffer[i + 1] = buffer[i] * x[i] + x[i + 1]
    return (buffer * buffer).sum()


@program(lambda: (normal(10, 4), np.zeros(4), np.arange(4)), argnums=(0,))
def buffers_given(x, out, counts):
    counts[1:] += 2
    out[:] = x * counts
    counts *= 2
    out *= counts
    return (out * out).sum()


@program(lambda: (normal(11, 6), normal(12, 6), 0.3))
def arguments_swapped(u, v, c):
    for _ in range(3):
        v[1:-1] = u[1:-1] + c * u[2:] * u[:-2]
        u, v = v, u
    return (u * v).sum()


@program(lambda: (normal(13, 4), normal(14, 4)))
def one_of_two(u, v):
    w = u if u[0] > v[0] else v
    w *= 2.0
    w[0] = w[1] * w[2]
    return (w ** 2).sum()


@program(lambda: (normal(15, 4),))
def written_on_one_path(x):
    s = (x * x).sum()
    if x[0] > 100.0:
        x[0] = 0.0
    elif x[1] < 100.0:
        x[1:] *= x[0]
    return s * x.sum()


@program(lambda: (normal(16, 5),))
def left_early(u):
    for i in range(4):
        u[i + 1] += u[i] ** 2
        if u[i + 1] > 1.0:
            return (u ** 2).sum()
        if i == 2:
            break
        u[i] = u[i] * u[0]
    return u.sum() * u[1]


@program(lambda: (normal(17, 3, 3) + 4.0 * np.eye(3), normal(18, 3)))
def solved_in_place(a, b):
    for i in range(3):
        b[i] = (b[i] - a[i, :i] @ b[:i]) / a[i, i]
    return (b ** 2).sum()


@program(lambda: (normal(19, 4, 4) + 5.0 * np.eye(4),))
def eliminated_in_place(a):
    for k in range(3):
        for i in range(k + 1, 4):
            a[i, k:] -= a[i, k] / a[k, k] * a[k, k:]
    return np.log(np.abs(np.diag(a))).sum()


@program(lambda: (normal(20, 4).astype(np.float32), normal(21, 4).astype(np.float32)))
def single_precision(u, w):
    u[1:] += w[:-1] * u[:-1]
    u /= 2
    return (u * w).sum()


@program(lambda: (normal(22, 3, 4), normal(23, 4)))
def rows_scaled(m, w):
    for i in range(3):
        m[i] *= w
        m[i, 0] = m[i].sum()
    return (m ** 2).sum()


@program(lambda: (normal(24, 4), normal(25, 4)))
def masked(x, y):
    y[x > 0.0] = 0.0
    y[y < 0.3] *= 2.0
    x += y
    return (x * y).sum()


@program(lambda: (positive(26, 4), 0.9, 0.1), argnums=(0,))
def momentum(theta, beta, rate):
    velocity = np.zeros_like(theta)
    for _ in range(4):
        velocity *= beta
        velocity += np.log(theta) + 1.0
        theta -= rate * velocity
    return theta


@program(lambda: (normal(27, 4), normal(28, 4)[::-1]))
def strided(u, w):
    u[::-1] += w
    w *= u
    return w.sum() + u[0]


@program(lambda: (normal(29, 2, 3),))
def written_while_run_over(m):
    total = 0.0
    for i, row in enumerate(m):
        total += (row * row).sum()
        if i < 1:
            m[i + 1] *= total
    return total


@program(lambda: (normal(30, 4), normal(31, 4)))
def read_by_a_function_before(x, y):
    s = twice(x)
    x += y
    return (s * x).sum() + (twice(x) * y).sum()


def twice(v):
    return v * v * 2.0


@program(lambda: (normal(32, 4),))
def bound_anew_and_written(x):
    s = x.sum()
    x = x * 2.0
    x[0] = s * x[1]
    return (x ** 2).sum()


@program(lambda: (np.array(0.7), normal(33, 3)))
def array_of_rank_zero(s, x):
    s *= 2.0
    s += x[0] * s
    return s * x.sum()


@program(lambda: (normal(34, 4), 3))
def left_by_a_condition(u, n):
    while n > 0:
        u[n] = np.tanh(u[n - 1] * u[n])
        n -= 1
        if u[n] > 2.0:
            u *= 0.5
    return (u * u).sum()


def first_row(m, scale):
    return m[0] if scale else m[1:][0]


@program(lambda: (normal(35, 3, 3), 1.0))
def view_that_a_function_gave(m, scale):
    row = first_row(m, scale > 0.5)
    s = (row ** 2).sum()
    m[0] *= 2.0
    return s * m.sum() * scale


def table(n, value=1.5):
    made = np.full(n, value)
    made[0] = 0.5
    return made


@program(lambda: (normal(36, 4),))
def array_that_a_function_made(x):
    u = table(4)
    u[1:] = x[1:] * u[:-1]
    u *= table(4, 2.0)
    return (u * x).sum()


@program(lambda: (0.4, -0.8, normal(37, 3)))
def left_before_it_is_read(x, y, u):
    if x > y:
        u[:] = (x if u[0] > 2.0 else y) ** 2
        w = np.ones(2) * y
        if y / (1.5 + x ** 2) <= x:
            return (w * w).sum()
    return (u * u).sum()


@program(lambda: (normal(9, 4), 0.7))
def argument_handed_on_to_be_written(u, a):
    s = (u ** 2).sum()
    hold_ends(u, a, s)
    return u * s


def hold_ends(u, left, right):
    u[0] = left
    u[-1] = right


@program(lambda: (normal(45, 4), np.array([2, 2, 0])))
def argument_at_places(x, places):
    for k in range(3):
        x[places] = x[places[::-1]] * k + x[0]
        x[places] = 1.0
        x[places[1:]] = x[1] * x[3]
    return (x ** 2).sum()


@program(lambda: (normal(31, 3, 3), normal(69, 3),), needs="shapes")
def rows_written(m, y):
    for row in m:
        row[0] = y[1] * row[1]
    return (m ** 2).sum()


@program(lambda: (normal(65, 3, 3),), needs="shapes")
def some_rows_written(m):
    for row in m:
        if row[0] > 0:
            continue
        row[0] = row[1] * row[2]
    return (m ** 2).sum()


@program(lambda: (normal(6, 7), 0.1))
def named_parts_of_a_stencil(u, c):
    inner, left, right = u[1:-1], u[:-2], u[2:]
    for _ in range(3):
        inner += c * (left - 2 * inner * inner + right)
    return (u ** 2).sum()


@program(lambda: (normal(10, 6),))
def second_name_written_under_both(u):
    v = u
    v *= u
    u += 1.0
    v[1:] *= u[:-1]
    return (u * v).sum()


# ---- complex ones

@program(lambda: (complex_normal(21, 5),))
def written_into(z):
    z[1:-1] = z[2:] * z[:-2]
    z[0] *= 2j
    z[1:-1] -= 1j * z[0]
    return np.real(z @ z)


@program(lambda: (complex_normal(21, 4), normal(22, 4)))
def real_parts_stored(z, x):
    x[1:3] = z.real[1:3] * x[0]
    x *= np.imag(z)
    return (x ** 2).sum() + np.abs(z[0])


def solved(a, b, inverse=np.linalg.inv, norm=np.linalg.norm):
    return inverse(a) @ b / norm(b)


@program(lambda: (normal(30, 2, 2) + 2.0 * np.eye(2), normal(31, 2)))
def rules_as_defaults(a, b):
    return np.sum(solved(a, b) ** 2)


@program(lambda: (1.2, 0.4, {"rate": 0.3}), argnums=(0, 1, 2))
def a_key_that_a_loop_is_the_first_to_set(x, y, table):
    while True:
        table["level"] = x * y
        if x > 3.0:
            x = x * 2.0
            break
        x = x * 1.5
        break
    return x * table["level"] + table["rate"] ** 2
