"""Memory under several names: views and second names of arrays that are written into, buffers handed on."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


@program(lambda: (normal(1, 6),))
def unpacked_views_of_a_name_bound_with_them(x):
    u, y = x * 1.0, x * 3.0
    u, v = y, u[:3]
    v[0] = x[2] ** 2
    return (u ** 2).sum() * v.sum()


@program(lambda: (normal(2, 6),))
def unpacked_view_of_what_was_there_before(x):
    u = x * 1.0
    u, v = u[1:] * 2.0, u[:-1]
    v[0] = x[2] ** 2
    return (u ** 2).sum() * v.sum()


@program(lambda: (normal(3, 6),))
def buffers_exchanged_by_a_third_name(x):
    u = x * 1.0
    v = np.empty_like(u)
    for _ in range(3):
        v[1:-1] = u[1:-1] + 0.1 * (u[2:] * u[:-2])
        v[0] = u[0]
        v[-1] = u[-1]
        spare = u
        u = v
        v = spare
    return (u ** 2).sum()


@program(lambda: (normal(4, 6), normal(5, 3, 3)), needs="shapes")
def number_taken_out_and_changed(x, m):
    u, i = x * 1.0, 1
    a = u[0]
    a += x[1]
    a *= 3.0
    b = m[0, i]
    b **= 2
    return (u ** 2).sum() * a + (m * b).sum()


@program(lambda: (normal(7, 6),), needs="shapes")
def views_that_overlap(x):
    u = x * 1.0
    left = u[:-1]
    right = u[1:]
    right *= left
    left -= right
    right += left
    return (u ** 3).sum() * right.sum()


@program(lambda: (normal(8, 6),), needs="shapes")
def view_of_a_view(x):
    u = x * 1.0
    v = u[1:]
    w = v[1:]
    w *= x[2:]
    w[0] += v[0] * u[0]
    return (u ** 2).sum() * v.sum()


@program(lambda: (normal(9, 6),))
def two_names_of_one_array(x):
    a = b = np.zeros(6)
    a[1] = x[2]
    b[3] = x[1] * a[1]
    b += a
    c = b
    c[0] = x[0] * a[3]
    return (a * b).sum()


@program(lambda: (normal(11, 4, 4) + 4.0 * np.eye(4),), needs="shapes")
def elimination_with_named_rows(a):
    a = a.copy()
    n = len(a)
    for k in range(n - 1):
        column = a[k + 1:, k]
        row = a[k, k + 1:]
        column /= a[k, k]
        a[k + 1:, k + 1:] -= np.outer(column, row)
    return np.log(np.abs(np.diag(a))).sum() + (a ** 2).sum()


@program(lambda: (normal(12, 4, 4) + 3.0 * np.eye(4),), needs="shapes")
def gram_schmidt(a):
    q = a.copy()
    for j in range(4):
        v = q[:, j]
        for k in range(j):
            w = q[:, k]
            v -= (w @ v) * w
        v /= np.linalg.norm(v)
    return (q * a).sum()


@program(lambda: (normal(13, 8),))
def butterflies(x):
    u = x.copy()
    h = 1
    while h < 8:
        for i in range(0, 8, 2 * h):
            low, high = u[i:i + h], u[i + h:i + 2 * h]
            low[:], high[:] = low + high, (low - high) * x[i]
        h *= 2
    return (u ** 2 * x).sum()


@program(lambda: (normal(14, 4, 3), 0.3), needs="shapes")
def columns_under_names(m, v):
    u = m * 1.0
    t = u.T
    t[2] = v * m[:, 0]
    u.T[0] *= m[:, 1]
    t *= 1.5
    u[1:].T[1:][0] -= t[0, 1:] ** 2
    s = u.swapaxes(0, 1)
    s[0] += s[1]
    return (u ** 3).sum() + t[1].sum()


@program(lambda: (normal(15, 5, 5),), needs="shapes")
def red_and_black(m):
    u = m * 1.0
    red, black = u[1:-1:2, 1:-1], u[2:-1:2, 1:-1]
    for _ in range(2):
        red[...] = 0.25 * (u[:-2:2, 1:-1] + u[2::2, 1:-1]) * red
        black += u[1:-2:2, 1:-1] * u[3::2, 1:-1]
    return (u ** 2).sum() + red.sum()


@program(lambda: (normal(16, 6),))
def view_of_one_path(x):
    u = x * 1.0
    if x[0] > 0.0:
        v = u[1:]
    else:
        v = u[:-1]
    s = (v ** 2).sum()
    w = u[2:]
    w *= 2.0
    return (w ** 2).sum() * s


@program(lambda: (normal(17, 6),), needs="shapes")
def view_taken_anew_each_turn(x):
    u = x * 1.0
    for i in range(1, 5):
        part = u[i:]
        part *= u[i - 1]
        first = part[:1]
        first += u[0]
    return (u ** 2).sum()


@program(lambda: (normal(18, 3, 4),), needs="shapes")
def view_whose_index_moves_on(m):
    m = m * 1.0
    i = 0
    total = 0.0
    while i < 3:
        row = m[i]
        row *= m[0]
        i += 1
        total += (row ** 2).sum()
    return total * m.sum()


@program(lambda: (normal(19, 6),), needs="shapes")
def view_that_outlives_the_name(x):
    u = x * 1.0
    v = u[1:]
    v[0] = x[2] ** 2
    u = u * 2.0
    u[0] *= v[1]
    return (u ** 2).sum() * v.sum()


@program(lambda: (np.arange(6.0), normal(20, 6)), argnums=(1,))
def views_of_constants(weights, x):
    weights = weights.copy()
    inner = weights[1:-1]
    inner += 1.0
    a = (x * weights).sum()
    weights[2] = 7.0
    return a * (x[1:-1] * inner).sum()


@program(lambda: (normal(21, 6),), needs="shapes")
def view_run_over_by_number(x):
    u = x * 1.0
    v = u[1:]
    total = 0.0
    for i in range(len(v)):
        total += v[i] * u[i]
        u[i] = v[i] * x[i]
    return total + (v ** 2).sum()


def doubled(u):
    u *= 2.0


@program(lambda: (normal(22, 6),))
def view_given_to_what_writes(x):
    u = x * 1.0
    v = u[1:]
    v *= x[0]
    doubled(v)
    return (v ** 2).sum()


@program(lambda: (normal(23, 6), normal(24, 4), np.array([0, 2, 2, 1])), needs="shapes")
def added_at_places(x, v, places):
    u = x * 1.0
    s = (u ** 3).sum()
    np.add.at(u, places, v * u[0])
    np.subtract.at(u, places[::-1], v[1])
    return (u ** 2).sum() * s


@program(lambda: (normal(25, 3, 4), normal(26, 3), np.array([2, 0, 2]), np.array([1, 3, 1])), needs="shapes")
def added_at_rows_and_columns(m, y, rows, columns):
    u = m * 1.0
    for _ in range(2):
        np.add.at(u, (rows, columns), y * y)
        np.add.at(u, rows, u[columns % 3] * y[0])
        np.subtract.at(u, (slice(None), columns), y)
    return (u ** 2).sum()


@program(lambda: (normal(27, 5), normal(28, 3, 4)), needs="shapes")
def sorted_in_place(x, m):
    u, n = x * 1.0, m * 1.0
    u.sort()
    n.sort(axis=0)
    s = (n[0] ** 2 * n[1]).sum()
    n.sort()
    return (u * np.arange(5.0)).sum() * s + (n[:, 0] ** 3).sum()


@program(lambda: (normal(29, 6), normal(30, 3), np.array([4, 0, 4])), needs="shapes")
def put_at_places(x, v, places):
    u = x * 1.0
    np.put(u, places, v)
    u.put([1, 2], x[3] ** 2)
    np.putmask(u, x > 0.0, x * u)
    np.copyto(u, 2.0 * x[0], where=x < -0.5)
    return (u ** 2).sum()


@program(lambda: (normal(31, 4, 4), normal(32, 4), np.array([[1, 0], [0, 3], [3, 2], [2, 0]])), needs="shapes")
def put_along_axes_and_diagonals(m, v, places):
    u = m @ m
    np.fill_diagonal(u, v)
    s = (u ** 2).sum()
    np.put_along_axis(u, places, v[:, None] * m[0, 0], axis=1)
    np.put_along_axis(u, places.T, v ** 2, axis=0)
    np.fill_diagonal(u, v[2] * v[1])
    return (u ** 3).sum() + s


@program(lambda: (normal(33, 6),))
def overwritten_whole(x):
    u, w = x * 1.0, np.zeros(6)
    for i in range(3):
        w[:] = u * x[i]
        u[...] = np.sin(w) + u[::-1]
        w[...] = x[0]
        u += w
    u[:] = u * u
    return (u * w).sum()


@program(lambda: (normal(34, 6), normal(35, 6)), needs="shapes")
def each_of_two_written(x, y):
    u, v = x * 1.0, y * 1.0
    for w in (u, v):
        w[0] = x[1] * y[2]
        w *= 2.0
    return (u * v).sum()


@program(lambda: (normal(36, 6),), needs="shapes")
def view_run_over_after_a_write(x):
    u = x * 1.0
    v = u[1:]
    u[2] = x[0] ** 2
    return sum(a * a for a in v) * u.sum()


def made_there(x):
    return [x * k for k in range(3)], x + 1.0


class Scale:
    def __init__(self):
        self.weights = np.array([1.0, -2.0, 0.5, 1.5, 2.0, -1.0])

    def scaled(self, x):
        return x * self.weights


scale = Scale()


@program(lambda: (normal(37, 6),))
def what_calls_made_is_written(x):
    parts, other = made_there(x)
    u = scale.scaled(x)
    u[0] = x[1] * other[2]
    other *= u
    v = parts[2]
    v[1:] += other[1:]
    rows = [x * 1.0 for _ in range(3)]
    w = rows[0]
    w[2] = x[1] * v[3]
    return (u * v * w).sum() + other.sum()


@program(lambda: (normal(38, 6),), needs="shapes")
def each_of_two_views_written(x):
    u = x * 1.0
    for part in (u[1:], u[:-1]):
        part *= x[:5]
        part[0] += u[2]
    return (u ** 2).sum() + part.sum()


@program(lambda: (normal(39, 6), normal(40, 3, 4)), needs="shapes")
def views_given_to_writers_of_numpy(x, m):
    u = x * 1.0
    left, right, t = u[:-1], u[1:], m.copy().T
    right.sort()
    np.add.at(left, [0, 0, 2], x[0] * u[3])
    np.multiply(left, right, out=right)
    left.fill(x[1])
    t[1:].sort(axis=0)
    np.copyto(t[0], m[:, 1] ** 2)
    return (u ** 2).sum() * t[1].sum() + t[0].sum()


def halved(u):
    inner = u[1:-1]
    for _ in range(2):
        inner *= 0.5
        inner += u[2:]


@program(lambda: (normal(41, 6), normal(42, 3, 4)), needs="shapes")
def parts_of_rows_and_columns(x, m):
    u = m * 1.0
    for row in u:
        part = row[1:]
        part *= row[0]
    for column in u.T:
        column /= np.sqrt((column ** 2).sum())
    v = x * 1.0
    halved(v)
    return (u * m).sum() + (v ** 2).sum()


@program(lambda: (normal(43, 3, 3), 7), needs="shapes")
def row_that_is_not_there(m, k):
    u = m * 1.0
    try:
        row = u[k]
    except IndexError:
        return (u ** 2).sum()
    row *= u[0]
    return (u ** 3).sum()


@program(lambda: (normal(44, 3), normal(45, 3)), needs="shapes")
def parts_of_lists_beside_views(x, y):
    u = x * 1.0
    xs = [[x, y], [y]]
    kept = xs[0]
    v = u[1:]
    v *= y[1:]
    w = u[:]
    w[:] = w * v[0]
    xs[0] = [y * u, x]
    return (xs[0][0] * kept[0]).sum() + (u ** 2).sum()


@program(lambda: (normal(61, 3, 3), normal(62, 3, 3)))
def transposed_before_it_is_written_into(a, b):
    a = a.copy()
    total = np.sum((a.T @ b) ** 2)
    a *= 2.0
    return total + np.sum(a @ b)


@program(lambda: (normal(63, 3, 3), normal(64, 3, 3)))
def transposed_while_its_rows_are_written(a, b):
    a = a.copy()
    total = 0.0
    for k in range(3):
        total = total + np.sum(np.tanh(a.T @ b))
        a[k] = a.T[k] * b[0]
        b = b @ a.T
    return total


@program(lambda: (normal(65, 3, 3), normal(66, 3, 3)))
def transposed_as_far_as_it_is_filled(a, b):
    c = np.zeros((3, 3))
    total = 0.0
    for k in range(3):
        c[k] = a[k] * b[:, k]
        total += np.sum(c.T * b * c)
    return total


@program(lambda: (normal(67, 3, 3), 2.0))
def transposed_and_bound_anew(a, x):
    for _ in range(2):
        a, x = (a.T * x) @ a, np.sum(a.T @ a) / 9
    return np.sum(a) * x


@program(lambda: (normal(1, 3, 2), normal(2, 3)))
def copies_in_other_orders(m, x):
    columns = m.T.copy("F")
    columns[0] *= x
    kept = m.T.copy("K")
    kept[1] += x * columns[0]
    rows = np.copy(m, order="C")
    rows[:, 1] = x ** 2
    return np.sum(columns * kept) + np.sum(rows ** 2) + np.sum(np.copy(m.T)[1] * x)


@program(lambda: (normal(63, 6),))
def scaled_beside_a_second_name(x):
    u = x * 2.0
    v = u
    u = u * 0.5
    w = v + u
    v = v - w
    return (u * v * w).sum()


@program(lambda: (normal(64, 3, 3),))
def scaled_beside_a_view(a):
    b = a.T
    c = a * 2.0
    a = a + 1.0
    d = b * c
    a = a / 4
    return (d * a).sum() + (b ** 2).sum()


@program(lambda: (normal(65, 6),))
def scaled_and_exchanged(x):
    y = x * 1.0
    for _ in range(5):
        x, y = y * 0.5, x + y
        x = x * 0.9
    return (x * y).sum()


@program(lambda: (normal(66, 7),))
def scaled_between_writes(x):
    u = x.copy()
    u[0] = x[1] * 2
    u = u * x
    u[2:4] *= 3.0
    u = u / 4
    u[-1] += u[0]
    return (u ** 2).sum()


@program(lambda: (normal(67, 3), normal(68, 4, 3)))
def scaled_and_broadcast(x, y):
    for _ in range(3):
        x = x * 0.5 + y
    z = x * y[:1]
    z = z / (x[0] ** 2 + 1.0)
    return (z ** 2).sum()


@program(lambda: (normal(3, 3), normal(4, 3, 3)))
def constants_stored_that_only_an_analysis_tells(x, m):
    rate = 0.5
    u, w = np.sin(x), m * 1.0
    np.add.at(u, [0, 0, 2], np.sum(rate))
    try:
        rate = rate * x[0]
    finally:
        w[0][1:] = np.sum(rate) + 1.0
        w *= 0.9
    u[1:] = np.sum(0.5)
    return u[0] * x[1] + w[0] @ x


@program(lambda: (normal(71, 3), np.array(0.7)))
def arrays_without_axes_in_lists(x, c):
    """What is multiplied by 1.0 is given as it is: memory of the caller's, which no cotangent is written into."""
    ones = [x[:1].reshape(())]
    ones = ones * 2
    twos = [c] * 2
    return ones[0] * ones[1] + twos[0] * twos[1] + x[1]


@program(lambda: (normal(73, 3),))
def one_of_several_results_written_into(x):
    """Its tangent is that of what it came from, and yet has memory of its own."""
    squares = x * x
    rest = np.divmod(squares, 2)[1]
    squares[0] *= 0.5
    part, whole = np.modf(squares)
    part[1] = 1.0
    _, left = divmod(squares, 1.5)
    left *= 3.0
    return np.sum(squares) - np.sum(rest * part) + np.sum(left) + np.sum(whole)
