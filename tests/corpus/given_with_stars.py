"""Arrays and lists whose items are arguments of a call: ``model(t, *p)``."""
from __future__ import annotations

import dataclasses
import functools
import itertools
from typing import Any, NamedTuple

import numpy as np

from corpus.registry import normal, positive, program


def decay(t, amplitude, rate, offset=0.0):
    return amplitude * np.exp(-rate * t) + offset


def squares(*values):
    return sum(value ** 2 for value in values)


def first_times_others(first, *others):
    return first * sum(others)


@program(lambda: (positive(1, 3),), needs="shapes")
def a_curve_that_is_fitted(p):
    t = np.linspace(0.0, 1.0, 5)
    return ((decay(t, *p) - np.sin(t)) ** 2).sum()


@program(lambda: (positive(1, 4), normal(2, 5)), needs="shapes")
def by_parts_and_by_name(p, y):
    t = np.linspace(0.0, 2.0, 5)
    return ((decay(t, *p[:2], offset=p[-1]) - y) ** 2).sum() * decay(p[2], *p[1:])


@program(lambda: (normal(1, 4),), needs="shapes")
def any_number(x):
    return squares(*x) + first_times_others(*x) * first_times_others(x[1], *x[2:])


@program(lambda: (normal(1, 5),), needs="shapes")
def of_what_is_made_of_each(x):
    return first_times_others(*(np.sin(v) for v in x[1:])) + squares(*[v * 2.0 for v in x])


@program(lambda: (normal(1, 2, 3),), needs="shapes")
def rows_and_columns(m):
    return squares(*m).sum() + np.sum(first_times_others(*m.T)) + np.sum(np.hypot(*m))


@program(lambda: (normal(1, 3),), needs="shapes")
def what_is_defined_inside(x):
    def scaled(a, *others):
        return a * x[0] * sum(others)

    return scaled(*x) + (lambda *v: v[0] * v[1])(*x) + max(*x)


@program(lambda: ([1.5, -0.5, 2.0],))
def a_list_that_is_given(values):
    return squares(*values) * first_times_others(*values)


@program(lambda: ({"rates": positive(1, 2), "times": normal(2, 3)},), needs="shapes")
def in_a_container(given):
    return (decay(given["times"], *given["rates"]) ** 2).sum()


@program(lambda: (normal(1, 3), [normal(2, 3), normal(3, 3)]))
def rows_run_through_at_once(x, rows):
    t = 0.0
    for v, p, q in zip(x, *rows):
        t += v * p * q
    return t


def residual(t, p):
    return decay(t, *p) - t


@program(lambda: (normal(1, 4), positive(2, 2)), needs="shapes")
def in_a_function_that_is_called(t, p):
    total = 0.0
    for factor in (1.0, 2.0):
        total += (residual(t * factor, p) ** 2).sum()
    return total


class Rotation:
    def __init__(self, w, x, y, z):
        self.w, self.x, self.y, self.z = w, x, y, z

    @classmethod
    def about(cls, axis, angle):
        axis = axis / np.linalg.norm(axis)
        return cls(np.cos(0.5 * angle), *(axis * np.sin(0.5 * angle)))

    def turned(self, v):
        u = np.array([self.x, self.y, self.z])
        return v + 2.0 * np.cross(u, np.cross(u, v) + self.w * v)


@program(lambda: (normal(21, 7),))
def parts_of_a_slice_in_a_called_function(p):
    rotation = Rotation.about(p[:3], p[3])
    return np.sum(rotation.turned(p[4:]) * np.array([1.0, 2.0, 3.0]))


def recurrent(x, h, *, inner, outer):
    return np.tanh(inner * x) + outer * h


@program(lambda: ({"inner": normal(31, 2), "outer": normal(32, 2)}, normal(33, 3, 2)))
def options_bound_beforehand(weights, xs):
    step = functools.partial(recurrent, **weights)
    states = list(itertools.accumulate(xs, lambda h, x: step(x, h), initial=np.zeros(2)))
    return np.sum(np.array(states)[1:] ** 2)


def similarity(x, y, *, kind="near", rate=1.0, degree=2):
    return np.exp(-rate * np.sum((x - y) ** 2)) if kind == "near" else (rate * x @ y + 1.0) ** degree


@program(lambda: (normal(34, 3, 2), 0.3, {"kind": "product", "degree": 3}), argnums=(0, 1))
def options_bound_in_a_loop(x, rate, options):
    total = 0.0
    for k in range(2):
        alike = functools.partial(similarity, rate=rate * (k + 1), **options)
        total += sum(alike(a, b) for a in x for b in x)
    return total


@program(lambda: (1.5, 0.7))
def arguments_bound_and_changed_later(a, x):
    given = [a, a * 2.0]
    bound = functools.partial(lambda p, q, r: p * q + r * r, *given)
    given[0] = 7.0
    return bound(x) * given[0] * given[1]


class Reservoir:
    def __init__(self, keeps):
        self.keeps = keeps
        self.water = 1.0

    def step(self, rain, heat):
        self.water = self.keeps * self.water + rain * np.exp(-heat)
        return self.water


@program(lambda: (0.7, np.abs(normal(1, 4)), normal(2, 4)))
def methods_that_change_their_object(keeps, rain, heat):
    reservoir = Reservoir(keeps)
    water = np.array([reservoir.step(*day) for day in zip(rain, heat)])
    for day in zip(rain, heat):
        last = reservoir.step(*day)
    return np.sum(water**2) * last


class Flow(NamedTuple):
    height: Any
    momentum: Any


@program(lambda: (positive(1, 5), 0.3))
def fields_made_by_map(height, step):
    def smoothed(field):
        new = field.copy()
        new[1:-1] = (1.0 - step) * field[1:-1] + 0.5 * step * (field[2:] + field[:-2])
        return new

    flow = Flow(height, height ** 2)
    for _ in range(2):
        flow = Flow(*map(smoothed, flow))
    squares = Flow(*map(np.square, flow))
    return np.sum(squares.height * flow.momentum) + sum(np.hypot(*map(np.sum, flow)) for _ in range(2))


STANDARD = {"rate": 0.7, "offset": 0.2}


class Options(NamedTuple):
    amplitude: Any
    rate: Any


@dataclasses.dataclass
class Rates:
    amplitude: Any
    rate: Any
    offset: Any = 0.5


@program(lambda: (normal(1, 4), {"amplitude": 1.3, "rate": 0.4, "steps": 2.0}))
def keywords_made_in_the_call(t, given):
    known = {k: v for k, v in given.items() if k != "steps"}
    rates, options = Rates(*known.values()), Options(**known)
    return np.sum(decay(t, **(STANDARD | known)) + decay(t, **dataclasses.asdict(rates)) * given["steps"]
                  + decay(t, **options._asdict()) * decay(t, **known.copy())
                  + decay(t, **{k: v for k, v in given.items() if not k.startswith("s")}))


@program(lambda: (np.array([1.2, 0.7]),))
def what_a_constant_dict_holds(x):
    d = {"a": 0.7, "b": 0.9}
    return max(*d.values(), x[0]) * x[1] + sum(d.values(), x[0]) + sum({0.5, 0.25}, x[1]) * sum(range(3), x[0])


@program(lambda: (np.array([1.2, 0.7]),))
def rows_and_columns_in_turn(x):
    rows, none = [[x[0], x[1], 2.0], [x[1], x[0] * x[1], x[0]]], []
    for _ in range(3):
        rows = [list(column) for column in zip(*rows)]
        none = list(map(list, zip(*none)))
    sums, grown = len(none) * x[0], [[x[0], x[1]]]
    for i in range(3):
        sums += sum([sum(column) * (i + 1) for column in zip(*grown)])
        grown.append([x[1] * i, x[0]])
    return sums + sum(sum(row) * (i + 1) for i, row in enumerate(rows))


def counted(first, second, *rest):
    return first + 2 * second + sum(rest)


@program(lambda: (1.5,))
def keys_with_stars(x):
    scores = {1: x, 0: x * x}
    by_name = {"b": x, "a": np.sin(x)}
    return counted(*scores) * scores[max(*scores)] + by_name[min(*by_name)] * counted(*scores, *range(2))


@program(lambda: (normal(1, 3),))
def starred_targets_of_comprehensions(x):
    rows = [(label, len(label) * x[0], x[1], x[2] ** 2) for label in ("a", "bb", "ccc")]
    widest = max(len(label) for label, *_ in rows)
    pairs = [(x, x * 2.0), (np.sin(x), x)]
    return widest * sum(v ** 2 for *_, v in rows) + sum(a * sum(rest) for _, a, *rest in rows if a > 0.0) + np.sum(
        [a * b * len(none) + a for a, b, *none in pairs][0])


@program(lambda: (normal(4, 12), (3, 2)))
def sizes_with_stars(theta, widths):
    place, size, x = 0, 2, np.broadcast_to(theta[:2], (*widths, 2))
    for width in (*widths, 1):
        w = theta[place:place + 2 * width].reshape((*x.shape[-1:], -1))[:, :2]
        place += size
        x = np.tanh(x @ w) + np.zeros((*x.shape[:-1], 2))
    return x.sum()


@program(lambda: (normal(1, 3),))
def lambdas_with_keywords(x):
    weighted = lambda p, **others: p * sum(others.values()) * len(others)  # noqa: E731
    return (lambda **named: named.pop("a") * max(named.values()))(a=x[0], b=x[1], c=x[2]) + weighted(
        p=x[0], q=x[1], r=x[2])


def product_and_sum(first, second, third):
    return first * second + third


class Twofold:
    def __init__(self, first, second):
        self.first, self.second = first, second

    def parts(self):
        return self.first, self.second

    def scaled(self, factor):
        return Twofold(*(part * factor for part in self.parts()))


@program(lambda: (normal(1, 3),))
def as_many_as_the_function_takes(x):
    u = x * 1.0

    def multiples(value, count):
        u[0] *= 2.0
        return [value * (k + 1) for k in range(count)]

    total = 0.0
    for v in x:
        total += product_and_sum(*multiples(v, 3)) * product_and_sum(u[0], *multiples(v, 2))
    doubled = [2.0 * v for v in x if v < 9.0]
    pair = Twofold(*multiples(x[1], 2)).scaled(x[2])
    return total + product_and_sum(*doubled) + product_and_sum(*x.tolist()) * pair.first + pair.second * u[0]


@program(lambda: (normal(1, 3),), needs="shapes")
def by_the_names_of_a_table(x):
    return product_and_sum(**dict(zip(("first", "second", "third"), x))) + sum(
        {letter: v ** 2 for letter, v in zip("abc", x)}.values())


@program(lambda: (normal(1, 4), np.array([0.3, 1.1])))
def computed_lists_with_stars(x, t):
    p = [np.exp(v) for v in x]
    ordered = sorted(v * v for v in p)
    powers = [p[i] ** i for i in range(len(p))]
    curve = sum(c * t ** k for k, c in enumerate(p))
    return np.sum(curve) * counted(*p) + counted(*sorted(x), *reversed(p)) + counted(*ordered[::-1]) + max(
        *map(np.abs, x)) * counted(*powers[:2]) + counted(*map(counted, p, ordered))
