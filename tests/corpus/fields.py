"""Dataclasses whose fields are given by name alone, or handed on to ``__post_init__``, and a few spellings."""
from __future__ import annotations

import dataclasses
from dataclasses import KW_ONLY, InitVar, dataclass, field

import numpy as np

from corpus.registry import normal, positive, program


@dataclass
class Body:
    mass: float
    _: KW_ONLY
    drag: float = 3.0


@dataclass
class Ball(Body):
    radius: float = 2.0

    def __neg__(self):
        return Ball(-self.mass, -self.radius, drag=self.drag)


@dataclass
class Spring:
    stiffness: float
    count: InitVar[float]
    scale: InitVar[float] = 2.0
    total: float = field(init=False)
    _: KW_ONLY
    shift: InitVar[float] = 1.0
    rest: float = 3.0

    def __post_init__(self, count, scale, shift):
        self.total = self.stiffness * count * scale + shift


@program(lambda: (positive(1, 4),))
def inherited_behind_fields_by_name(x):
    return Ball(x[0], x[1]).radius * Ball(x[2], drag=x[3]).drag + Ball(x[0], radius=x[1], drag=2.0).mass


@program(lambda: (positive(1, 4),), needs="shapes")
def replaced_with_fields_by_name(x):
    ball = Ball(x[0], x[1])
    ball.radius *= x[2]
    other = dataclasses.replace(ball, drag=x[3])
    return other.radius * other.drag * (-other).mass


@program(lambda: (Ball(0.5, 0.7, drag=1.5),))
def given_with_fields_by_name(ball):
    mass, drag, radius = dataclasses.astuple(ball)
    match ball:
        case Ball(m, r):
            return m * r ** 2 * ball.drag + mass * radius + drag ** 2
    return mass


@program(lambda: (positive(1, 4),))
def handed_on_to_post_init(x):
    first = Spring(x[0], x[1])
    second = Spring(x[2], count=x[3], scale=x[0], shift=x[1])
    return first.total * second.total + Spring(x[0], 1.0, rest=x[1]).rest


@program(lambda: (positive(1, 4),))
def several_deleted(x):
    values, table = [x[0], x[1], x[2]], {"a": x[0], "b": x[3]}
    del values[0], table["a"]
    return sum(values) * table["b"] * len(table)


@program(lambda: (positive(1, 4),))
def not_strictly_together(x):
    total = sum(a * b for a, b in zip(x, x[1:], strict=False))
    for a, b in zip(x, x[2:], strict=False):
        total += a * b ** 2
    return total


@program(lambda: (positive(1, 4),), needs="shapes")
def strictly_together(x):
    total = sum(a * b for a, b in zip(x, np.sqrt(x), strict=True)) if x[0] > 0.0 else x[0]
    total += max([lambda a, b: sum(v * w for v, w in zip(a, b, strict=True))][0](x, x[::-1]), 0.0)
    scales = dict(zip(range(len(x)), x, strict=True))
    for number, (a, b, c) in enumerate(zip(x[1:], np.cumsum(x[:-1]), map(np.sin, x[1:]), strict=True)):
        if number > 1:
            break
        total += a * b * c * scales[number]
    else:
        total *= x[0]
    return total


@program(lambda: (positive(1, 3), positive(2, 3)), argnums=(0, 1))
def strictly_together_or_not_at_all(x, y):
    def product(first, second):
        total = 0.0
        for a, b in zip(first, second, strict=True):
            first, total = first[:1], total + a * b
        return total

    try:
        return product(x, y[:2])
    except ValueError as error:
        return product(x, y) * len(str(error))


@dataclass(order=True)
class Priced:
    price: float
    place: int = field(default=0, compare=False)


@program(lambda: (positive(1, 4),))
def least_and_largest_of_objects(x):
    items = [Priced(v * v, i) for i, v in enumerate(x)]
    first = min(items[0], items[1], Priced(0.9 * x[2]))
    return max(items).price * x[min(items).place] + first.price ** 2 + max((x[0], 1.0), (x[1], 2.0))[0]


class Bunch:
    def __init__(self, *values):
        self.values = list(values)

    def __iter__(self):
        return iter(self.values)

    def __gt__(self, other):
        return sum(self.values) > sum(other.values)


@program(lambda: (positive(1, 4),))
def largest_of_what_can_be_run_through(x):
    return sum(max(Bunch(x[0], x[1]), Bunch(x[2], x[3]))) * max(Bunch(x[0], x[3]))


@program(lambda: (positive(1, 4),))
def index_with_a_star(x):
    table, place = np.outer(x, x), (1, 2)
    table[(*place[:1], 0)] = x[0]
    return table[(*place,)] * x[3] + (table[(0, *place[1:])] * table[(*place[:1], slice(None))]).sum()


@dataclass(frozen=True)
class Bucket:
    capacity: float
    drain: float = 0.2
    levels: list = field(default_factory=lambda: [1.0, 2.0])

    def __post_init__(self):
        if self.capacity <= 0:
            raise ValueError("capacity must be positive")


class Catchment:
    def __init__(self, bucket):
        self.bucket = bucket
        self.water = 1.0

    def step(self, rain):
        self.water += rain * (self.water / self.bucket.capacity) ** 2 - self.bucket.drain * self.water
        return self.water


@program(lambda: (5.0, np.abs(normal(9, 36))), needs="shapes")
def frozen_and_checked(capacity, rain):
    catchment = Catchment(Bucket(capacity, drain=0.1 * capacity))
    flow = np.array([catchment.step(r) for r in rain])
    return np.sum(flow**2) * catchment.bucket.levels[1]


@dataclass
class Layer:
    weight: float
    shift: float = 0.5
    inputs: list = field(default_factory=list)

    def forward(self, x):
        self.inputs.append(x)
        return self.weight * (x - self.shift)


class Doubled(Layer):
    def forward(self, x):
        return 2.0 * super().forward(x)


class Shifted(Layer):
    def __init__(self, weight, rate):
        super().__init__(weight, shift=rate * 0.1)
        self.rate = rate


@program(lambda: (0.7, 0.3))
def classes_that_inherit_what_a_dataclass_wrote(x, y):
    doubled, shifted = Doubled(x, inputs=[y]), Shifted(y, x * y)
    total = doubled.forward(x) * shifted.forward(y) + shifted.shift * shifted.rate
    layers = [doubled, shifted, Doubled(y * y, y, [x])]
    return total + sum(part.weight * (part.inputs[0] + len(part.inputs)) for part in layers)
