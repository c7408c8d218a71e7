"""What is easy to get wrong forwards: names bound anew, tangents that share memory, zeros, evaluation in order."""
from __future__ import annotations

import dataclasses
import math
from typing import Any, NamedTuple

import numpy as np

from corpus.registry import normal, positive, program, spread


@program(lambda: (normal(1, 4),))
def name_read_and_bound_anew(x):
    x = x * np.tanh(x)
    x = np.exp(x) / x
    return (x ** 2).sum()


@program(lambda: (positive(2, 3), 1.5))
def power_in_place_by_both(x, n):
    x = x * 1.0
    x **= n
    n **= n
    n /= n + 2.0
    return x.sum() * n


@program(lambda: (normal(3, 3), positive(3, 3)))
def sum_that_is_written_into(x, y):
    u = x + 1.0
    u[0] = y[1]
    v = y + u
    u += y * x
    return (x * y * v).sum() + u.sum()


@program(lambda: (normal(4, 3),))
def constant_added_then_written(x):
    u = x + np.ones((2, 3))
    u[0] = 2.0
    u[1, 1:] *= x[1:]
    return (u * x).sum()


@program(lambda: (normal(5, 3), 0.7))
def number_becomes_an_array(x, c):
    total = 0.0
    total += np.ones(3) * 2.0
    total += x
    other = c
    other += np.arange(3.0)
    third = c
    third -= x
    return (total * other * third).sum()


@program(lambda: (0.6,))
def number_spread_over_an_array(c):
    a = np.arange(3.0) + c
    b = np.where(np.arange(3) > 1, c, 0.0)
    return a * 2.0, b, c + np.zeros((2, 2)), np.maximum(c, np.zeros(3))


@program(lambda: (normal(6, 5), 3))
def passive_until_the_second_turn(x, n):
    y = np.ones(5)
    z = 1
    k = 0
    while k < n:
        u = y * 2.0
        u[k] = x[k] * z
        if k > 0:
            y = y + x
            z = x[0] * z
        k += 1
    return (u * y).sum() * z


@program(lambda: (normal(7, 4),))
def element_overwritten_by_its_neighbours(x):
    u = x.copy()
    for i in range(1, 3):
        u[i] = np.exp(u[i - 1]) * u[i] * u[i + 1]
        u[1:] += u[:-1] * x[1:]
    u[0], u[3] = u[3], u[0] * u[1]
    return u


@program(lambda: (normal(8, 4, 3), normal(8, 3)), needs="shapes")
def rows_written_through_views(m, x):
    m = m * 1.0
    for row in m:
        row *= x
        row[0] = row[1] * x[2]
    z = np.zeros((4, 3))
    for i, row in enumerate(z):
        row += x * i
        row[1] **= 2
    top = m[:2]
    top[1, :] = x
    return (m * z).sum() + (top ** 3).sum()


@program(lambda: (normal(9, 3), normal(9, 3)))
def zipped_every_way(x, y):
    total = 0.0
    for i, (a, b) in enumerate(zip(x, y)):
        total += a * b * i
    for (i, a), b in zip(enumerate(x), reversed(y)):
        total += a * b ** 2 + i
    for a, c in zip(x, [1.0, 2.0, 3.0]):
        if c > 1.5:
            c = c * a
        total = total * c
    for i, (c, b) in enumerate(zip([2.0, 3.0], y)):
        total += c * b + i
    return total


@program(lambda: ([normal(10, 2), normal(11, 2), normal(12, 2)],))
def lists_of_any_number(xs):
    stacked = np.stack(xs) * np.array(xs)
    ends = xs[1:] + [xs[0]]
    ys = []
    for x, end in zip(xs, ends):
        ys.append(x * end)
        ys.append(ys[-1] + 1.0)
    ys[0] = np.sin(ys[1])
    numbers = [y[0] for y in ys]
    largest = max(numbers) * min(numbers)
    return stacked.sum() + sum(numbers) * math.fsum(numbers) + math.prod(numbers) + largest, np.concatenate(ys)


@program(lambda: ((1.5, 0.5, normal(13, 3)),))
def numbers_written_out(p):
    a, b, x = p
    c, *rest = [a, b, a * b]
    return (max(a, b, 0.2) + math.hypot(a, b) + math.dist([a, b], (b, 1.0)) + sum([a, b, rest[1]], c)
            + math.prod((a, b, 2.0)) + sum(x) + max(x) + math.fsum([a, 1.0]))


class Pair(NamedTuple):
    left: Any
    right: Any = 2.0


@dataclasses.dataclass
class Model:
    weight: Any
    bias: Any = 0.5
    label: str = "plain"


@program(lambda: (normal(14, 3), 0.3))
def containers_of_one_kind_or_another(x, c):
    pair = Pair(x)
    model = Model(pair.left * c, label="other")
    layers = {"first": model, "second": Model(x, c)}
    layers["third"] = Model(c, bias=x)
    found = [layer.weight * layer.bias for layer in layers.values()]
    names = {"one": x, "two": np.ones(3)}
    names["two"] = names["two"] * c
    return {"sum": sum(found), "pair": pair, "count": len(found), "last": (layers["third"], names)}


def scaled(x, factor=2.0, *, shift=1.0):
    if factor > 1.0:
        return x * factor + shift
    return x / factor


def halved(x, n):
    return x if n == 0 else halved(np.sin(x) / 2.0 + x, n - 1)


def stirred(u, x, pairs):
    """Writes into its first argument, and returns passive numbers besides."""
    u[0] = x[0] * u[1]
    u *= x
    return 3.0, len(pairs)


@program(lambda: (normal(15, 3), 0.4), needs="shapes")
def calls_in_every_way(x, c):
    y = scaled(x) + scaled(x, c) * scaled(c, shift=x)
    u = np.ones(3)
    three, two = stirred(u, np.exp(x), [c, c])
    v = x + 0.0
    stirred(v, x, [])

    def inner(z, k=2.0):
        return z * c * k + u

    return (halved(y, 2) + inner(x) * three + inner(c, 1.0)).sum() * two + v.sum()


@program(lambda: (normal(16, 3),))
def values_given_on_the_way(x):
    if (y := np.tanh(x)).sum() > 5.0:
        return y
    for k in range(4):
        z = y * k
        if k == 1:
            continue
        if z.sum() > 100.0:
            return z * x
        if k == 3:
            break
        y = y + z * x
    else:
        y = x
    return y * z


@program(lambda: (normal(17, 2, 3), normal(17, 3)))
def reductions_of_what_is_broadcast(m, x):
    a = (m + x).mean(axis=0) * np.sum(x + np.zeros((4, 3)), axis=1).mean()
    b = np.max(m * 1.0, axis=1, keepdims=True) + np.var(x) + np.linalg.norm(m, axis=1)
    return a.sum() + np.prod(x + 1.0) + b.std() + np.ptp(m, axis=-1) @ m @ x


@program(lambda: (normal(18, 3).astype(np.float32), np.float32(0.5), normal(18, 3)))
def precisions_mixed(x, c, y):
    a = x * 2.0 + c
    b = x + y
    d = np.where(x > 0, x, 0.0) + np.sum(x) * 1.5
    s = 0.0
    for item in x:
        s += item
    return a, b, d * c, s, float(c) * x, np.float32(c) + x, (x / s).astype(float)


@program(lambda: (spread(19, 6), np.array([2, 0, 2])))
def elements_chosen(x, index):
    u = np.zeros(4)
    u[index] = x[:3]
    u[index] += x[3:] * 2.0
    u[u > 0.1] *= x[0]
    v = x[index] * x[x > 0].sum() + np.sort(x)[::2]
    return u, v, x[None, 1:3] * x[[0, 1], None], np.take(x, index)


@program(lambda: (normal(20, 3),))
def read_once_in_order(x):
    turns = iter([2.0, 3.0, 5.0])
    y = x * next(turns) + np.exp(x * next(turns)) * next(turns)
    u = np.zeros(3)
    places = iter([0, 2])
    u[next(places)] = x[0] * x[1]
    u[next(places)] += np.sin(x[1])
    return y, u


@program(lambda: (normal(21, 3), normal(21, 3)))
def swapped_and_rotated(a, b):
    for _ in range(3):
        a, b = b, a * b
    (c, d), e = (a, b * 2.0), a
    c, d, e = e * c, c + d, d
    x, y, z = a
    return c * d + e * x + y * z


@program(lambda: (normal(22, 4), 0.5), needs="shapes")
def measured_on_the_way(x, c):
    norms = []
    u = x * 1.0
    size = np.linalg.norm(u)
    for k in range(3):
        norm = np.linalg.norm(u) * c
        norms.append(norm)
        largest = np.max(u)
        if largest > 1e3 or norms[-1] > 1e3:
            return size
        view = u[1:]
        view[0] = norm
        other = x[1:]
        other = other * k
        other[0] = c
    print(f"{size:.1f}", end="")
    return u


@program(lambda: (normal(23, 3),), needs="shapes")
def element_that_is_no_view(x):
    u = x * 1.0
    v = u[0]
    v += x[1]
    v *= u[0]
    for row in (u, x):
        w = row[1]
        w -= v * w
        v += w
    return (u * u).sum() * v


@program(lambda: (normal(24, 3), positive(24, 3)))
def views_read_by_what_writes(x, y):
    u = x * 1.0
    v = u[1:2]
    u /= v
    w = y * 1.0
    w **= w[::-1]
    w %= w[:1] * 0.7
    w @= np.outer(w, x)
    return u * w


@program(lambda: ([normal(27, 2), normal(28, 2), normal(29, 2)],))
def lists_made_of_lists(xs):
    ys = xs[:]
    ys[1] = xs[0] * 2.0
    zs = ys + xs
    zs[0] = zs[4] * ys[1]
    ws = [z for z in zs if z[0] > -9.0]
    ws.append(ws[0] * 2.0)
    ws += [ws[-1] * 3.0]
    ws.extend(ys)
    grown = [xs[0]]
    for y in grown:
        if len(grown) < 4:
            grown.append(y * xs[1])
    total = xs[0]
    for i, x in enumerate(reversed(xs)):
        total = total * x + i
    for x, y in zip(xs, xs[1:]):
        total = total + x * y
    return np.stack(ys), zs[0] * zs[-1], np.concatenate(ws), grown[-1] * total
