"""Stores into parts of arrays that the function made itself."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


@program(lambda: (normal(1, 4),))
def filled_element_by_element(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] ** 2
    return (y * y).sum()


@program(lambda: (normal(2, 5),))
def recurrence(x):
    y = np.empty(len(x))
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = y[i - 1] * x[i] + np.sin(y[i - 1])
    return y


@program(lambda: (normal(3, 7), 0.2))
def diffusion(u, c):
    u = u.copy()
    for _ in range(3):
        u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return (u ** 2).sum()


@program(lambda: (normal(4, 7), 0.2))
def burgers(u, c):
    u = u.copy()
    for _ in range(3):
        u[1:-1] -= c * u[1:-1] * (u[2:] - u[:-2])
    return u


@program(lambda: (normal(5, 4),))
def every_operator(x):
    u = x * x + 1.0
    u[1:] *= x[:-1]
    u[0] /= x[1]
    u[:2] **= 2
    u[-1] -= x[0]
    u[1:3] += x[0] * x[1:3]
    u[:] *= 3.0
    u[2:] /= 2.0
    return (u ** 3).sum()


@program(lambda: (normal(6, 4),))
def masks(x):
    u = x * 1.0
    u[x > 0.0] = 2.0 * x[0]
    u[u < 0.1] += x[1]
    u[x < 0.0] *= x[x < 0.0]
    return (u ** 2).sum()


@program(lambda: (normal(7, 4),))
def spread_over_parts(x):
    m = np.zeros((3, 4))
    m[:] = x
    m[1] = x[0]
    m[:, 2] = x[:3] * x[1]
    m[0, 1] += x[3] ** 2
    m[2:, 1:] *= x[1:]
    return (m ** 2).sum() + m[1].sum()


@program(lambda: (normal(8, 4),), needs="shapes")
def elements_exchanged(x):
    u = x.copy()
    u[0], u[1] = u[1] * u[2], u[0]
    return u[0] ** 2 + 3.0 * u[1] * u[2]


@program(lambda: (normal(9, 5),))
def part_stored_into_another(x):
    u = x.copy()
    u[1:] = u[:-1]
    u[:-1] = u[1:] * x[1:]
    return (u ** 2).sum()


@program(lambda: (normal(10, 4),))
def overwritten_after_use(x):
    u = x * 2.0
    a = np.exp(u[1])
    u[1] = x[0]
    b = u[1] * u[2]
    u[1:3] = 0.0
    return a * b + u.sum() * x[1]


@program(lambda: (normal(11, 4),))
def stored_in_one_arm(x):
    u = np.zeros(4)
    for i in range(4):
        if x[i] > 0.0:
            u[i] = x[i] ** 2
        elif i % 2:
            u[i - 1] += x[i]
    return (u * x).sum()


@program(lambda: (normal(12, 5),))
def left_early(x):
    u = x * 1.0
    for i in range(4):
        u[i + 1] += u[i] ** 2
        if u[i + 1] > 1.0:
            return (u ** 2).sum()
        if i == 2:
            break
        u[i] = u[i] * x[0]
    return u.sum() * u[1]


@program(lambda: (normal(13, 3, 3) + 4.0 * np.eye(3), normal(14, 3)))
def triangular_solve(a, b):
    x = np.zeros(3)
    for i in range(3):
        x[i] = (b[i] - a[i, :i] @ x[:i]) / a[i, i]
    return (x ** 2).sum()


@program(lambda: (normal(15, 3, 3) @ normal(15, 3, 3).T + 3.0 * np.eye(3),))
def cholesky_by_hand(a):
    c = np.zeros((3, 3))
    for j in range(3):
        c[j, j] = np.sqrt(a[j, j] - c[j, :j] @ c[j, :j])
        for i in range(j + 1, 3):
            c[i, j] = (a[i, j] - c[i, :j] @ c[j, :j]) / c[j, j]
    return c.sum() + np.log(np.diag(c)).sum()


@program(lambda: (normal(16, 4, 4) + 5.0 * np.eye(4),))
def elimination(a):
    u = a.copy()
    for k in range(3):
        for i in range(k + 1, 4):
            u[i, k:] -= u[i, k] / u[k, k] * u[k, k:]
    return np.log(np.abs(np.diag(u))).sum()


@program(lambda: (normal(17, 6),))
def used_whole_between_stores(x):
    u = np.zeros(6)
    total = 0.0
    for i in range(6):
        u[i] = x[i] * (1.0 + i)
        total += np.sum(u ** 2)
    return total


@program(lambda: (normal(18, 4), np.array([1, 3, 0, 2])))
def rows_at_arange(x, columns):
    m = np.zeros((4, 4))
    m[np.arange(4), columns] = x
    m[np.arange(4), columns] *= x
    return (m @ x).sum()


@program(lambda: (normal(19, 4),))
def constants_stored(x):
    u = x * x
    u[0] = 1.0
    u[2:] = np.array([2.0, 3.0])
    return (u * x).sum()


@program(lambda: (normal(20, 4),))
def passive_array_filled(x):
    weights = np.ones(4)
    weights[::2] = 0.5
    for i in range(3):
        weights[i + 1] += weights[i]
    a = (x * weights).sum()
    weights[:] = 2.0
    return a * (x * weights).sum()


@program(lambda: (normal(21, 4).astype(np.float32),))
def single_precision(x):
    u = np.zeros_like(x)
    u[1:] = x[:-1] * 2
    u[0] += x[3]
    return (u * u).sum()


@program(lambda: (normal(22, 3, 4),))
def rows_of_a_matrix(m):
    out = np.zeros(m.shape)
    for i, row in enumerate(m):
        out[i] = row / (1.0 + np.sum(row ** 2))
        out[i, 0] = out[i, 1] * out[i, 2]
    return out


@program(lambda: (normal(23, 4),))
def counted_down(x):
    u = x.copy()
    i = 3
    while i > 0:
        u[i - 1] = u[i - 1] + u[i] * x[i]
        i -= 1
    return u


@program(lambda: (normal(24, 4),))
def never_stored(x):
    u = x * 1.0
    for i in range(0):
        u[i] = 2.0 * x[i]
    u[1:1] = 3.0
    return (u ** 2).sum()


@program(lambda: (normal(25, 6), 0.3))
def double_buffer(x, c):
    u = x.copy()
    v = x.copy()
    for _ in range(3):
        v[1:-1] = u[1:-1] + c * u[2:] * u[:-2]
        u, v = v, u
    return (u * v).sum()


@program(lambda: (normal(26, 3),))
def three_buffers(x):
    a, b, c = x.copy(), x * 2.0, x * x
    for _ in range(4):
        a[0] = b[1] * c[2]
        a, b, c = b, c, a
    return (a * b * c).sum()


@program(lambda: (normal(27, 5),))
def new_buffer_each_turn(x):
    u = x.copy()
    for _ in range(3):
        new = np.empty_like(u)
        new[0] = u[0]
        new[-1] = u[-1] * u[0]
        new[1:-1] = u[2:] * u[:-2]
        u = new
    return (u ** 2).sum()


@program(lambda: (normal(28, 5),))
def view_read_before_the_store(x):
    u = x.copy()
    for i in range(3):
        left = u[:-1]
        s = (left * left).sum()
        u[i] = s * x[i]
    return (u ** 2).sum()


@program(lambda: (normal(29, 3, 3),))
def written_through_the_only_view(x):
    v = (x * 2.0)[1:]
    v[0] *= x[0]
    w = v.T
    w[0] += 1.0
    return (w ** 2).sum()


@program(lambda: (normal(30, 3, 3),))
def second_name_on_one_path(x):
    u = x * 1.0
    if x[0, 0] > 0.0:
        v = u
    else:
        v = x * 2.0
    v[0] = x[1] * x[2]
    return (v * x).sum()


@program(lambda: (normal(1, 6),))
def view_or_its_square(x):
    u = np.sin(x)
    v = u[::2]
    if x[0] > 0.4:
        v = v * v
    else:
        for _ in range(2):
            v[::2] -= 0.3 * np.max(v)
    return np.sum(v * np.cos(v)) + np.sum(u)


@program(lambda: (normal(1, 5),))
def second_name_for_what_is_taken_out(x):
    v = w = np.sin(x)
    w[0] = x[1]
    rows = [v * 2, v * 3]
    w = rows.pop()
    return np.sum(rows[0]) * len(rows)


@program(lambda: (normal(31, 3, 3),))
def row_taken_and_stored(x):
    m = x * 1.0
    for i in range(3):
        row = m[i]
        m[i] = row.sum() * x[i]
    return (m ** 2).sum()


@program(lambda: (normal(32, 3, 3),))
def run_over_and_bound_anew(m):
    total = 0.0
    for row in m:
        m = m * 2.0
        total += (row * row).sum() + m[0].sum()
    return total


@program(lambda: (normal(33, 4),))
def run_over_under_its_own_name(x):
    total = 1.0
    for x in x:  # noqa: B020
        total = total * x + x
    return total


@program(lambda: (normal(34, 4),))
def written_while_run_over(x):
    u = x * 1.0
    total = 0.0
    for i, a in enumerate(u):
        total += a ** 2
        if i < 3:
            u[i + 1] += a * x[i]
    return total + (u ** 3).sum()


@program(lambda: (normal(35, 4),))
def buffer_handed_on(x):
    u = x * 1.0
    w = u
    w[0] = 2.0 * x[1]
    z = w
    z[1:] *= x[1:]
    return (z * x).sum()


@program(lambda: (normal(36, 4), 0.7))
def constants_become_differentiated(x, y):
    w = np.zeros(4)
    a = y * 1.0
    for i, e in enumerate(w):
        a = np.tanh(a + e * a)
        if i < 3:
            w[i + 1] = np.sum(w) + np.sin(y * x[i])
    return np.sum(w * x) * a


@program(lambda: (normal(37, 4), 0.7))
def left_by_return_before_the_use(x, y):
    u, w = x * 1.0, np.zeros(4)
    for i in range(4):
        w[i] = u[i] * y
        u *= x
        if i == 2:
            return u.sum() * y
    return (w * u).sum()


@program(lambda: (normal(38, 4), normal(39, 5), np.array([1, 3, 1, 0, 3])))
def last_writer_wins(x, y, places):
    u = x * 2.0
    u[places] = y ** 2
    return (u ** 2).sum() * u[1]


@program(lambda: (normal(40, 4), normal(41, 5), np.array([1, 3, 1, 0, -1])))
def repeated_places_updated(x, y, places):
    u = x * 2.0
    s = (u ** 3).sum()
    u[places] += y * u[0]
    u[places] *= y
    u[places] -= 0.5
    u[places] /= np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    u[places] **= 2
    return (u ** 2).sum() * s


@program(lambda: (normal(42, 3, 4), normal(43, 3), np.array([2, 0, 2]), np.array([1, 3, 1])))
def rows_and_columns_repeated(m, y, rows, columns):
    u = m * 1.0
    u[rows] = u[columns % 3] * y[0]
    u[rows, columns] = y * y
    u[:, columns] += y
    u[rows, 1:] *= y[:, None]
    u[[0, 0, 1]] = u[2] * y[1]
    return (u ** 2).sum()


@program(lambda: (normal(44, 4), np.array([[3, 1], [0, 2]])))
def places_of_two_axes(x, places):
    u = x * 0.5
    u[places] = np.reshape(x * x, (2, 2))
    return (u * x).sum() + u[2] ** 2


@program(lambda: (normal(1, 4), 1.5), needs="shapes")
def filled_by_a_method(x, k):
    u = x * x
    total = np.sum(u * k)
    u.fill(k)
    u[1] *= x[2]
    return total + np.sum(u ** 2)


@program(lambda: (normal(1, 4), normal(2, 4)))
def written_by_functions_of_numpy(x, y):
    u = np.zeros(4)
    v = x.copy()
    for _ in range(2):
        np.multiply(v, y, out=u)
        np.copyto(v, u)
        np.add(v, x, out=v)
        np.sin(u, out=u)
    return u @ v


@program(lambda: (normal(1, 3), normal(2, 3)))
def index_after_index(x, y):
    m = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            m[i][j] = x[i] * y[j]
        m[i][1:] *= x[2]
        m[i][0] += m[i - 1][1] ** 2
    return np.sum(m @ m)



@program(lambda: (normal(77, 3, 3), normal(43, 3),), needs="shapes")
def numbered_rows_written(m, y):
    m = m * 2
    for i, row in enumerate(m):
        row *= y
        row[i] += row[0] ** 2
    return (m ** 2).sum()


@program(lambda: (normal(7, 4), normal(69, 3),), needs="shapes")
def view_written(x, y):
    u = x * 1.0
    v = u[1:]
    v *= y
    v[0] = x[0] ** 2
    return (u ** 2).sum() * v.sum()


@program(lambda: (normal(7, 3, 4), 2,), needs="shapes")
def rows_of_a_copy(x, n):
    m = x.copy()
    for k in range(n):
        row = m[k]
        row[1:] = np.tanh(row[:-1]) * m[k + 1, 1:]
        row += 1.0
        if row.sum() > 0:
            row[0] = m[2, 2]
        m[k] *= 2.0
    return (m ** 2).sum()


@program(lambda: (normal(24, 3, 4), 2,))
def view_of_what_was_bound_anew(x, n):
    m = x.copy()
    row = m[0]
    m = m * 2
    row[0] = x[1, 1]
    return (m ** 2).sum() * row.sum()


@program(lambda: (normal(50, 4), 3,))
def view_written_in_a_loop(x, n):
    u = x.copy()
    v = u[1:]
    for _ in range(n):
        v *= x[0]
    return (u ** 2).sum()



@program(lambda: (normal(48, 3, 3),), needs="shapes")
def elements_of_rows_written(m):
    m = m * 1.0
    for row in m:
        for k in range(1, 3):
            row[k] += row[k - 1] ** 2
    return m


@program(lambda: (normal(81, 5), normal(81, 5),))
def view_of_swapped_arrays(x, y):
    u, v = x.copy(), y.copy()
    for _ in range(3):
        w = u[1:-1]
        w += 0.1 * (v[2:] - v[:-2]) * w
        u, v = v, u
    return (u * v).sum()


@program(lambda: (normal(71, 2, 3),), needs="shapes")
def numbers_taken_out_are_no_views(m):
    d = m[1, -1]
    d *= d
    e = m[0]
    f = e[1]
    f += d
    return np.sum(m * m) * f + d


@program(lambda: (normal(60, 4, 4), normal(61, 4)))
def rows_and_columns_change_places(m, v):
    a = m * 1.0
    b = v.copy()
    for k in range(len(b)):
        p = k + np.argmax(np.abs(a[k:, k]))
        a[[k, p]] = a[[p, k]]
        b[[p, k]] = b[[k, p]] * 1.0
        b[k] *= a[k, k]
        q = int(np.argmin(b))
        a[:, [q, k]] = a[:, [k, q]]
        a[k] *= b[q]
        a[[q, -1], :] = a[[-1, q], :]
    b[[0, 2]] = b[[2, 0]]
    return (a * b).sum() + a[0] @ b


@program(lambda: (normal(62, 3, 2), np.array([True, False, True])))
def a_mask_of_two_is_no_exchange(m, mask):
    a = m.copy()
    yes, no = True, False
    c = a[:2] * 2.0
    c[[yes, no]] = c[[no, yes]]
    a[[0, 1]] = a[[1, 1]]
    a[[0, 2], 0] = a[[2, 0], 0]
    return (a * a).sum() + (c[0] * a[mask]).sum()


@program(lambda: (normal(63, 4), 2))
def constants_written_over(x, n):
    """The cotangents of constants are of no use, but what is stored over them may have its own in that memory."""
    u = np.ones(len(x) + 1)
    u[:2] *= 2.0
    u[1:] = x
    v = np.full(len(x) + 1, 3.0)
    v[:3] **= 2
    for i in range(n):
        v[i + 1] /= 2.0
    if n > 1:
        v[2] = 7.0
    v[1:] = x * x
    w = np.zeros((2, 2))
    w += 1.0
    w[0] *= 3.0
    w[:, 0] = x[:2]
    return (u * u).sum() + (v * v * v).sum() + w[0] @ w[1]


@program(lambda: (normal(64, 4), 0.4, 1, 1, 2))
def added_to_where_it_is(u, a, i, j, k):
    v = u.copy()
    v[i] = v[i] + a * v[j] + v[k] * v[i]
    v[i] = v[j] + v[i] - v[k] ** 2
    v[1:] = v[1:] + v[1:]
    v[:2] = v[:2] - v[:2] * v[1:3]
    v[0:1] = v[0:1] + np.sum(v)
    v[[0, 0]] = v[[0, 0]] + a * v[[1, 2]]
    v[v > 0.5] = v[v > 0.5] + 0.1 * v[v > 0.5] ** 2
    v[1:] = a * v[:-1] + v[1:]
    return np.sum(v ** 2)


@program(lambda: (normal(65, 3), 0.4))
def tuples_in_rows(x, a):
    m = np.zeros((3, 2))
    for i in range(3):
        m[i] = x[i] * a, x[i] ** 2
    m[:, 1] = [a]
    m[1:, 0] = x[0], m[2, 0]
    m[:2] = (x[:2], m[1])
    m[2:] = [[a, x[1] * a]]
    return np.sum(m ** 3)


@program(lambda: (normal(66, 4) + 0.1, np.array([True, False, True, True])))
def norms_stored_where_they_were_taken(x, mask):
    """The part is zero before the norm's cotangent is added to all of the array's, be that in place or not."""
    u = x * 1.0
    u[mask] = np.linalg.norm(u)
    u[[0, 2]] = np.linalg.norm(u * x)
    u[u > 1.0] = np.median(u) + np.linalg.norm(u, 3)
    return np.dot(u, x)
