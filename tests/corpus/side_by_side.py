"""Loops over several things at once, of which one is arrays that are written into."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


@program(lambda: (normal(1, 3), normal(2, 3)), needs="shapes")
def two_arrays(x, y):
    a, b = x.copy(), y * 2.0
    for u, g in zip((a, b), (y, x)):
        u -= 0.1 * g
    return (a * b).sum()


@program(lambda: (normal(1, 3), normal(2, 3)))
def parameters_and_gradients(x, y):
    w, b = x.copy(), y.copy()
    for _ in range(3):
        gw, gb = w * b, b - w
        for p, g in zip([w, b], [gw, gb]):
            p -= 0.1 * g
    return (w * b).sum()


@program(lambda: (normal(1, 3), normal(2, 3)))
def with_velocities(x, y):
    w, b = x.copy(), y.copy()
    vw, vb = np.zeros(3), np.zeros(3)
    for _ in range(3):
        gw, gb = w * b, b - w
        for p, v, g in zip([w, b], [vw, vb], [gw, gb]):
            v *= 0.9
            v += g
            p -= 0.1 * v
    return (w * b).sum()


@program(lambda: (normal(1, 3), normal(2, 3)), needs="shapes")
def crosswise(x, y):
    a, b = x.copy(), y * 2.0
    for u, g in zip((a, b), (b, a)):
        u -= 0.1 * g
    return (a * b).sum()


@program(lambda: (normal(1, 3), normal(2, 3)))
def twice_the_same(x, y):
    a, b = x.copy(), y * 2.0
    for u, g in zip((a, a), (b, a)):
        u -= 0.1 * g
    return (a * b).sum()


@program(lambda: (normal(1, 3), normal(2, 3)), needs="shapes")
def computed_before_the_loop(x, y):
    a, b = x.copy(), y * 2.0
    for u, g in zip((a, b), (b * 1.0, a * 1.0)):
        u -= 0.1 * g
    return (a * b).sum()


@program(lambda: (normal(1, 3), normal(2, 3)), needs="shapes")
def sums_before_the_loop(x, y):
    a, b = x.copy(), y * 2.0
    for u, g, k in zip((a, b), (b.sum(), a.sum()), (1.0, 2.0)):
        u -= 0.1 * g * k
    return (a * b).sum()


@program(lambda: (normal(1, 3), normal(2, 3)), needs="shapes")
def pairs_of_numbers(x, y):
    a, b = x.copy(), y * 2.0
    for u, (g, k) in zip((a, b), [(b.sum(), 1.0), (a.sum(), 2.0)]):
        u -= 0.1 * g * k
    return (a * b).sum()


@program(lambda: (normal(1, 3), normal(2, 3)), needs="shapes")
def rows_of_names(x, y):
    a, b = x.copy(), y * 2.0
    for k, (u, g) in enumerate([(a, b), (b, a * 1.0)]):
        u -= 0.1 * g * k
    return (a * b).sum()


@program(lambda: (normal(1, 3), normal(2, 3)), needs="shapes")
def rows_with_copies(x, y):
    a, b = x.copy(), y * 2.0
    for u, g in [(a, b * 1.0), (b, a * 1.0)]:
        u -= 0.1 * g
    return (a * b).sum()


@program(lambda: (normal(1, 3), normal(2, 3)), needs="shapes")
def rows_crosswise(x, y):
    a, b = x.copy(), y * 2.0
    for u, g in [(a, b), (b, a)]:
        u -= 0.1 * g
    return (a * b).sum()


@program(lambda: (normal(1, 3), normal(2, 3)))
def an_array_that_changes_under_another_name(x, y):
    a = x.copy()
    p = a
    params = {"u": y, "v": y * 2.0}
    for name, v in zip(params, (a * 1.0, a * 2.0)):
        p += y
        params[name] = params[name] * v
    return params["u"].sum() + (params["v"]**2).sum() + a.sum()


@program(lambda: (normal(1, 3), normal(2, 3)), needs="shapes")
def elements_that_change_under_another_name(x, y):
    a = x.copy()
    p = a
    params = {"u": y, "v": y * 2.0}
    for name, v in zip(params, (a[1], a[2])):
        p += y
        params[name] = params[name] * v
    return params["u"].sum() + (params["v"]**2).sum() + a.sum()


class Holder:
    def __init__(self, a):
        self.a = a


@program(lambda: (normal(1, 3), normal(2, 3)))
def an_attribute_that_changes_under_another_name(x, y):
    h = Holder(x.copy())
    q = h
    params = {"u": y, "v": y * 2.0}
    for name, v in zip(params, (h.a, h.a)):
        q.a = y * q.a
        params[name] = params[name] * v * x
    return params["u"].sum() + (params["v"]**2).sum()


class Holder2:
    def __init__(self, a, b):
        self.parts = [a, b]


@program(lambda: (normal(1, 3), normal(2, 3)))
def a_list_that_is_replaced_under_another_name(x, y):
    h = Holder2(x * 1.0, y * 1.0)
    q = h
    params = {"u": y, "v": y * 2.0}
    for name, v in zip(params, h.parts):
        q.parts = [y * q.parts[0], x]
        params[name] = params[name] * v * x
    return params["u"].sum() + (params["v"]**2).sum()


@program(lambda: (normal(1, 3), normal(2, 3)))
def a_list_that_changes_under_another_name(x, y):
    parts = [x * 1.0, y * 1.0]
    q = parts
    params = {"u": y, "v": y * 2.0}
    for name, v in zip(params, parts):
        q[1] = y * q[0]
        params[name] = params[name] * v * x
    return params["u"].sum() + (params["v"]**2).sum()


@program(lambda: (normal(1, 3), normal(2, 3)))
def functions_and_keys(x, y):
    params = {"u": y, "v": y * 2.0}
    for f, name in zip((np.sin, np.cos), params):
        params[name] = f(params[name] * x)
    return params["u"].sum() + (params["v"]**2).sum()


@program(lambda: (normal(41, 4), normal(42, 4), normal(43, 4)))
def pairs_under_one_name(x, y, z):
    total = 0.0
    for k, pair in enumerate(zip(x, zip(y, z))):
        first, (second, third) = pair
        total += first * second**2 * third * k + pair[0] * pair[1][1]
    for item in enumerate(x):
        if item[1] < -0.5:
            continue
        total += item[0] * item[1] ** 2
    return total * pair[0] + sum(max(p) * min(*p) for p in zip(y, z))


@program(lambda: (normal(44, 4),))
def arrays_given_with_a_star(x):
    y = 2.0 * x
    total = 0.0
    for a, b in zip(*(x, y)):
        total += a * b
    for a, *rest in zip(y, *[x, y]):
        total += a * rest[0] * rest[1]
    return total * sum(a * b for a, b in zip(*(x, x))) + sum([a * p[0] for a, p in zip(x, zip(*(y, x)))])
