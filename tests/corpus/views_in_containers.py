"""Views that were put into containers and read there, and arrays that are written into after that; items of parts of
lists; functions that write into what lists hold."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


class Held:
    def __init__(self, p):
        self.p = p

    def part(self):
        return self.p[1:]


def push(xs, v):
    xs.append(v)


def use(ys):
    return (np.sin(ys[1]) ** 2).sum()


def change_each(xs):
    for v in xs:
        v *= 0.8


def put_first(xs, v):
    xs[0] = v


def vector():
    return (normal(1, 3),)


def vector_and_matrix():
    return normal(2, 3), normal(3, 2, 3)


@program(vector)
def rows_appended(x):
    m = np.outer(np.sin(x), x)
    ys = []
    for r in m:
        ys.append(r)
    s = (np.sin(ys[1]) ** 2).sum()
    m[1] *= 2
    return (m ** 2).sum() + s


@program(vector)
def row_appended_first(x):
    m = np.outer(np.sin(x), x)
    ys = []
    ys.append(m[1])
    ys.append(x * 1)
    s = (np.sin(ys[0]) ** 2).sum()
    m[1] *= 2
    return (m ** 2).sum() + s


@program(vector)
def rows_stored(x):
    m = np.outer(np.sin(x), x)
    ys = [x * 1, x * 2]
    ys[1] = m[1]
    ys[0] = m[0]
    s = (np.sin(ys[1]) ** 2).sum()
    m[1] *= 2
    return (m ** 2).sum() + s


@program(vector)
def rows_under_keys(x):
    m = np.outer(np.sin(x), x)
    ys = {}
    for k in range(3):
        ys[k] = m[k]
    s = (np.sin(ys[1]) ** 2).sum()
    m[1] *= 2
    return (m ** 2).sum() + s


@program(vector)
def row_in_an_object(x):
    m = np.outer(np.sin(x), x)
    h = Held(x * 1)
    h.p = m[1]
    s = (np.sin(h.p) ** 2).sum()
    m[1] *= 2
    return (m ** 2).sum() + s


@program(vector)
def row_added_to_a_list(x):
    m = np.outer(np.sin(x), x)
    ys = [x * 1]
    ys += [m[1]]
    s = (np.sin(ys[1]) ** 2).sum()
    m[1] *= 2
    return (m ** 2).sum() + s


@program(vector)
def list_extended_by_rows(x):
    m = np.outer(np.sin(x), x)
    ys = [x * 1]
    ys.extend(m)
    s = (np.sin(ys[2]) ** 2).sum()
    m[1] *= 2
    return (m ** 2).sum() + s


@program(vector)
def row_appended_by_a_function(x):
    m = np.outer(np.sin(x), x)
    ys = [x * 1]
    push(ys, m[1])
    s = (np.sin(ys[1]) ** 2).sum()
    m[1] *= 2
    return (m ** 2).sum() + s


@program(vector)
def rows_appended_by_a_function(x):
    m = np.outer(np.sin(x), x)
    ys = [x * 1]
    for k in range(2):
        push(ys, m[k])
    s = (np.sin(ys[2]) ** 2).sum()
    m[1] *= 2
    return (m ** 2).sum() + s


@program(vector)
def rows_in_a_dict(x):
    m = np.outer(np.sin(x), x)
    ys = {k: m[k] for k in range(3)}
    s = sum([(np.sin(v) ** 2).sum() for v in ys.values()])
    m[1] *= 2
    return (m ** 2).sum() + s


@program(vector)
def rows_in_lists(x):
    m = np.outer(np.sin(x), x)
    zs = [[r] for r in m]
    s = (np.sin(zs[1][0]) ** 2).sum()
    m[1] *= 2
    return (m ** 2).sum() + s


@program(vector)
def rows_appended_inside(x):
    m = np.outer(np.sin(x), x)
    zs = [[]]
    for r in m:
        zs[0].append(r)
    s = (np.sin(zs[0][1]) ** 2).sum()
    m[1] *= 2
    return (m ** 2).sum() + s


@program(vector)
def rows_inserted(x):
    m = np.outer(np.sin(x), x)
    ys = []
    for r in m:
        ys.insert(0, r)
    s = (np.sin(ys[1]) ** 2).sum()
    m[1] *= 2
    return (m ** 2).sum() + s


@program(vector)
def whole_views_appended(x):
    u = np.sin(x)
    s = 0.0
    hist = []
    for _ in range(3):
        hist.append(u[:])
        s = s + (np.sin(hist[-1]) * hist[0]).sum()
    u *= 2
    return s + u.sum()


@program(vector)
def array_appended(x):
    u = np.sin(x)
    hist = []
    hist.append(u)
    s = (np.sin(hist[-1]) * hist[0]).sum()
    u *= 2
    return s + u.sum()


@program(vector)
def array_under_a_key(x):
    u = np.sin(x)
    hist = {}
    hist['a'] = u
    s = np.sin(hist['a']).sum()
    u *= 2
    return s + u.sum()


@program(vector)
def views_mapped(x):
    m = np.outer(np.sin(x), x)
    ys = list(map(lambda r: r[:], m))
    s = (np.sin(ys[1]) ** 2).sum()
    m[1] *= 2
    return (m ** 2).sum() + s


@program(vector)
def rows_and_columns_in_pairs(x):
    m = np.outer(np.sin(x), x)
    s = 0.0
    for a, b in zip(list(m), list(m.T)):
        s = s + (np.sin(a) * b).sum()
    m[1] *= 2
    return (m ** 2).sum() + s


@program(vector)
def rows_written_beside_their_neighbours(x):
    m = np.outer(np.sin(x), x)
    for a, b in zip(m, m[1:]):
        b += 0.5 * a ** 2
    below = m[:-1]
    for a, b in zip(below, m):
        a *= b
    return (m ** 2).sum() + below[0, 0]


@program(vector)
def rows_used_by_a_function(x):
    m = np.outer(np.sin(x), x)
    ys = list(m)
    s = use(ys)
    m[1] *= 2
    return (m ** 2).sum() + s


@program(vector)
def rows_used_again(x):
    m = np.outer(np.sin(x), x)
    ys = [r[:] for r in m]
    s = sum([use(ys) for k in range(2)])
    m[1] *= 2
    return (m ** 2).sum() + s


@program(vector)
def rows_used_by_an_inner_function(x):
    m = np.outer(np.sin(x), x)
    ys = list(m)

    def inner():
        return (np.sin(ys[1]) ** 2).sum()
    s = inner()
    m[1] *= 2
    return (m ** 2).sum() + s


@program(vector)
def rows_anew_each_turn(x):
    m = np.outer(np.sin(x), x)
    ys = [r[:] for r in m]
    s = 0.0
    for k in range(3):
        s = s + (np.sin(ys[k]) ** 2).sum()
        m[k] *= 1.5
        ys = [r[:] for r in m]
    return (m ** 2).sum() + s


@program(vector)
def unpacked_from_the_middle(x):
    xs = [np.sin(x * k) for k in range(4)]
    a, b = xs[1:3]
    return (b ** 2).sum()


@program(vector)
def unpacked_from_the_end(x):
    xs = [np.sin(x * k) for k in range(4)]
    a, b = xs[-2:]
    return (b ** 2 * a).sum()


@program(vector)
def unpacked_by_steps_back(x):
    xs = [np.sin(x * k) for k in range(4)]
    a, b = xs[::-2]
    return (b ** 2 * a).sum() + (xs[0] * xs[1]).sum()


@program(vector)
def unpacked_from_a_computed_place(x):
    xs = [np.sin(x * k) for k in range(4)]
    n = len(xs) - 2
    a, b = xs[n:]
    return (b ** 2 * a).sum()


@program(vector)
def unpacked_in_a_loop(x):
    xs = [np.sin(x * k) for k in range(4)]
    t = 0.0
    for k in range(3):
        a, b = xs[k:k + 2]
        t = t + (b ** 2 * a).sum()
        xs.append(b * a)
    return t


@program(vector)
def lists_unpacked(x):
    xs = [[np.sin(x * k), np.cos(x * k)] for k in range(4)]
    a, b = xs[1:3]
    return (b[0] ** 2 * a[1]).sum()


@program(vector)
def unpacked_from_inner_lists(x):
    xs = [[np.sin(x * k * j) for k in range(3)] for j in range(3)]
    t = 0.0
    for k in range(3):
        a, b = xs[k][1:]
        t = t + (b ** 2 * a).sum()
    return t


@program(vector)
def pairs_unpacked(x):
    xs = [(np.sin(x * k), x[0] * k) for k in range(4)]
    (a, c), (b, d) = xs[2:]
    return (b ** 2 * a).sum() * c * d


@program(vector)
def unpacked_from_a_list_in_a_dict(x):
    d = {'l': [v * v for v in x]}
    a, b = d['l'][-2:]
    return a * b ** 2


@program(vector)
def unpacked_from_a_tuple(x):
    xs = tuple([v * v for v in x])
    a, b = xs[1:]
    return a * b ** 2


@program(vector_and_matrix, needs="shapes")
def changed_by_a_function_and_joined(x, m):
    xs = [np.sin(x), np.cos(x)]
    change_each(xs)
    return np.sum(np.array(xs) * m)


@program(vector_and_matrix, needs="shapes")
def changed_by_a_function_and_summed(x, m):
    xs = [np.sin(x), np.cos(x)]
    change_each(xs)
    return np.sum(xs) * m.sum()


@program(vector_and_matrix, needs="shapes")
def changed_by_a_function_and_stacked(x, m):
    xs = [np.sin(x * k) for k in range(2)]
    change_each(xs)
    return np.sum(np.stack(xs) * m)


@program(vector_and_matrix)
def stored_by_a_function_and_stacked(x, m):
    xs = [np.sin(x * k) for k in range(2)]
    put_first(xs, x * x)
    return np.sum(np.stack(xs) * m)


@program(vector_and_matrix, needs="shapes")
def changed_by_a_function_and_returned_as_an_array(x, m):
    xs = [np.sin(x) * m[0], np.cos(x)]
    change_each(xs)
    return np.array(xs)


@program(vector)
def stored_by_a_function_and_run_over(x):
    y = np.cos(x)
    xs = [np.sin(x), y]
    put_first(xs, y)
    return sum([v.sum() for v in xs])


@program(vector)
def stored_by_a_function_in_a_loop(x):
    xs = [np.sin(x), np.cos(x)]
    for k in range(2):
        put_first(xs, np.copy(xs[k]))
    return (xs[0] ** 2).sum() * xs[1].sum()


@program(vector)
def written_into_before_another_append(x):
    xs = [np.sin(x), np.cos(x)]
    s = np.sin(xs[0]).sum()
    v = xs[0]
    xs.append(x * 1)
    t = np.sin(xs[0]).sum()
    v *= 3
    return s + t + v.sum()


@program(vector)
def written_into_as_a_method_gives_it(x):
    h = Held(np.sin(x))
    s = (h.p ** 2).sum()
    h.part()[0] = 3.0
    return s


@program(lambda: (normal(1, 2, 3), normal(2, 3, 2)))
def written_into_turned_at_places_that_the_loop_tells(m, x):
    rows, places = [np.sin(m), np.cos(m)], iter((1, 0, 1))
    for k in range(3):
        rows[k % 2].T[1:] *= x[k, 0]
        rows[next(places)].T[0] = rows[k % 2].T[1] * x[k]
    return np.sum(rows[0] * m) + np.sum(rows[1] ** 2)


@program(lambda: (normal(81, 2, 2), normal(82, 2, 2)))
def methods_of_views_beside_lists_of_views(x, a):
    """What is known of the view in ``u[0].sum()`` stays known while it is asked whether that makes a list."""
    u = x * a
    rows = [u[0], u[1]]
    total, first = u.T.sum(), u[0].sum()
    rows[1] *= total * first
    return np.sum(u * a)
