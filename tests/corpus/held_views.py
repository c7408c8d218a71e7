"""Views in lists, tuples and dicts that are written into there, in loops over them, and under names of their own."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


def vector():
    return (normal(1, 5),)


def matrix():
    return (normal(1, 3, 4),)


@program(matrix, needs="shapes")
def rows_in_list_read(x):
    m = np.sin(x)
    rows = [m[i] for i in range(3)]
    rows[0][:] = x[1] * x[2]
    rows[1] *= rows[2]
    return (rows[0] * rows[1]).sum() + (m ** 2).sum()


@program(matrix, needs="shapes")
def rows_in_list_for(x):
    m = np.sin(x)
    rows = [m[i] for i in range(3)]
    for r in rows:
        r *= r
    return (m ** 2).sum()


@program(matrix, needs="shapes")
def rows_list_of(x):
    m = np.sin(x)
    rows = list(m)
    rows[0] *= 2
    return (m ** 3).sum()


@program(matrix)
def rows_of_argument(x):
    rows = [x[i] for i in range(3)]
    rows[0] *= 2
    rows[1][1:] += rows[0][1:]
    return (x ** 3).sum()


@program(vector, needs="shapes")
def parts_dict(x):
    u = x * 1.0
    parts = {"a": u[:2], "b": u[2:]}
    parts["a"] *= x[:2]
    parts["b"][:] = np.sin(x[2:])
    return (u ** 2).sum()


@program(vector, needs="shapes")
def parts_dict_read(x):
    u = x * 1.0
    parts = {"a": u[:2], "b": u[2:]}
    parts["a"] *= x[:2]
    parts["b"][:2] += parts["a"]
    return (parts["a"] * u[3:]).sum() + (u ** 2).sum()


@program(vector, needs="shapes")
def parts_dict_loop(x):
    u = x * 1.0
    parts = {"a": u[:2], "b": u[2:]}
    for k in parts:
        parts[k] *= parts[k].sum()
    return (u ** 2).sum()


@program(vector, needs="shapes")
def parts_dict_items(x):
    u = x * 1.0
    parts = {"a": u[:2], "b": u[2:]}
    for k, v in parts.items():
        v *= v.sum() if k == "a" else 2.0
    return (u ** 2).sum()


@program(matrix, needs="shapes")
def tuple_of_views_indexed(x):
    m = x * 1.0
    halves = (m[:, :2], m[:, 2:])
    halves[0][:] = halves[1] ** 2
    return (m ** 2).sum()


@program(matrix, needs="shapes")
def columns_list(x):
    m = x * 1.0
    cols = [m[:, j] for j in range(m.shape[1])]
    for j in range(1, 4):
        cols[j] -= cols[j - 1] * (cols[j] @ cols[j - 1])
    return (m ** 2).sum()


@program(vector, needs="shapes")
def windows(x):
    u = x * 1.0
    wins = [u[i:i + 2] for i in range(4)]
    for w in wins:
        w[0] += w[1] ** 2
    return (u ** 2).sum()


@program(vector, needs="shapes")
def dict_base_written(x):
    u = x * 1.0
    parts = {"a": u[:2], "b": u[2:]}
    u *= x
    return (parts["a"] ** 2).sum() + parts["b"].sum()


@program(matrix, needs="shapes")
def made_in_turns(x):
    m = x * 1.0
    for k in range(2):
        rows = [m[k], m[k + 1]]
        rows[0] *= rows[1]
        rows[1] += 0.5 * rows[0]
    return (m ** 2).sum()


@program(matrix, needs="shapes")
def negative(x):
    m = x * 1.0
    rows = [m[i] for i in range(2)]
    rows[-1] *= x[0]
    rows[-2] *= rows[-1]
    return (m ** 2).sum()


@program(matrix, needs="shapes")
def from_one(x):
    m = x * 1.0
    rows = [m[i] for i in range(1, 3)]
    rows[0] *= x[0]
    rows[-1] += rows[0]
    return (m ** 2).sum()


@program(matrix, needs="shapes")
def enumerated(x):
    m = x * 1.0
    rows = [m[i] for i in range(3)]
    for k, r in enumerate(rows):
        r *= x[k, 0]
    return (m ** 2).sum()


@program(matrix, needs="shapes")
def backwards(x):
    m = x * 1.0
    rows = [m[i] for i in range(3)]
    for k, r in enumerate(reversed(rows)):
        r *= x[k, 0]
    return (m ** 2).sum()


@program(matrix, needs="shapes")
def zipped(x):
    m = x * 1.0
    rows = [m[i] for i in range(3)]
    for r, s in zip(rows, x):
        r *= s
    return (m ** 2).sum()


@program(vector, needs="shapes")
def returned(x):
    u = x * 1.0
    p = {"a": u[:2], "b": u[2:]}
    p["a"] *= x[1]
    return {"u": u * 1.0, "a": p["a"] * 2.0}


@program(vector, needs="shapes")
def overlapping(x):
    u = x * 1.0
    p = [u[:3], u[1:4]]
    p[0] *= x[:3]
    p[1] += p[0]
    p[0][:] = p[1] ** 2
    return (u ** 2).sum()


@program(matrix, needs="shapes")
def transposed(x):
    m = x * 1.0
    p = {"t": m.T, "d": m[:, 0]}
    p["t"][1] *= x[:, 0]
    p["d"][:] = p["t"][1]
    return (m ** 2).sum()


@program(vector, needs="shapes")
def named_from_place(x):
    u = x * 1.0
    parts = {"a": u[:2], "b": u[2:]}
    a, b = parts["a"], parts["b"]
    a *= 2.0
    b[:2] += a * a
    return (u ** 3).sum()


@program(matrix, needs="shapes")
def n_rows(x):
    m = x * 1.0
    n = m.shape[0]
    rows = [m[i] for i in range(n)]
    for i in range(1, n):
        rows[i] += rows[i - 1] * x[i]
    return (m ** 2).sum()


@program(matrix, needs="shapes")
def step_function(x):
    m = x * 1.0
    rows = list(m)
    for _ in range(2):
        for i in range(1, 3):
            rows[i][1:] += rows[i - 1][:-1] * rows[i][1:]
    return (m ** 2).sum()


@program(vector)
def argument_parts(x):
    parts = (x[:2], x[2:])
    parts[0][:] = parts[1][:2] ** 2
    return (x ** 2).sum()


@program(vector, needs="shapes")
def written_between(x):
    u = x * 1.0
    p = {"i": u[1:-1]}
    s = (p["i"] ** 2).sum()
    u *= 2.0
    p["i"] += s
    return (u ** 2).sum() + s


@program(matrix, needs="shapes")
def put_in_place_of_another(x):
    m = x * 1.0
    d = {"a": m[0], "b": m[1]}
    d["a"] = m[2]
    d["a"] *= x[1]
    return (m ** 2).sum()


@program(matrix, needs="shapes")
def counted_by_name(x):
    m = x * 1.0
    rows = [m[0], m[1]]
    i = 0
    rows[i] *= x[2]
    i += 1
    rows[i] *= rows[i - 1]
    return (m ** 2).sum()


@program(matrix, needs="shapes")
def bound_anew_in_turns(x):
    m = x * 1.0
    n = 2
    rows = [m[i] for i in range(n)]
    for r in rows:
        n = 3
        r *= x[0]
    return (m ** 2).sum() * n


@program(matrix, needs="shapes")
def number_changed_in_turns(x):
    m = x * 1.0
    rows = [m[i] for i in range(3)]
    for k, r in enumerate(rows):
        r *= x[0]
        k = 0
        m[k] += r
    return (m ** 2).sum()


@program(matrix, needs="shapes")
def left_out_in_turns(x):
    m = x * 1.0
    rows = [m[i] for i in range(3)]
    for r in rows:
        if r[0] > 0:
            continue
        r *= x[0]
    else:
        rows[0] += 1.0
    return (m ** 2).sum()


@program(matrix, needs="shapes")
def array_written_and_rows_read(x):
    m = x * 1.0
    rows = list(m)
    m[0] *= 2
    return (rows[0] * m[1]).sum()


@program(matrix)
def parts_of_own_array(x):
    m = np.zeros((3, 4))
    views = {"top": m[0], "rest": m[1:]}
    for t in range(3):
        views["top"][:] = np.sin(x[t]) + views["rest"][0]
        views["rest"] += views["top"] * x[0]
    return (m ** 2).sum()


@program(matrix)
def length_of_what_one_way_changes(x):
    m = x.copy()
    if m[0, 0] > -9.0:
        m **= 2
    for row in m:
        row[0] *= m[-1, 0]
    if m[0, 0] > -9.0:
        last = row.ravel()
    return (last * last).sum()
