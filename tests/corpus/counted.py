"""Objects of unlike classes and functions beside arrays and lists: as many as the call gives."""
from __future__ import annotations

import numpy as np

from corpus.registry import positive, program

KINDS = {}
NETLIST = [("R", 0, 1), ("C", 1, 0), ("R", 1, 0)]
SLOPES = [np.sin, np.cos, np.exp]


def register(kind):
    KINDS[kind.letter] = kind
    return kind


class Part:
    def __init__(self, first, second, value):
        self.ends = first, second
        self.value = value

    def stamp(self, total):
        raise NotImplementedError

    def update(self, total):
        pass


@register
class Resistor(Part):
    letter = "R"

    def stamp(self, total):
        first, second = self.ends
        total[first] += 1 / self.value
        total[second] -= 1 / self.value


@register
class Capacitor(Part):
    letter = "C"

    def __init__(self, first, second, value):
        super().__init__(first, second, value)
        self.voltage = 0.5

    def stamp(self, total):
        total[self.ends[0]] += self.value * self.voltage

    def update(self, total):
        self.voltage = total[self.ends[1]] * 0.1


def simulated(parts):
    energy = 0.0
    for _ in range(2):
        total = np.zeros(2)
        for part in parts:
            part.stamp(total)
        for part in parts:
            part.update(total)
        energy += total[0] ** 2 + total[1]
    return energy


@program(lambda: (positive(1, 3),), needs="shapes")
def parts_of_an_outer_list(values):
    return simulated([KINDS[kind](i, j, value) for (kind, i, j), value in zip(NETLIST, values)])


@program(lambda: (positive(1, 2),), needs="shapes")
def fewer_values_than_parts(values):
    parts = []
    for i, ((kind, first, second), value) in enumerate(zip(NETLIST, values)):
        parts.append(KINDS[kind](first, second, value * (i + 1)))
    return simulated(parts) * values[1]


@program(lambda: (positive(1, 4),), needs="shapes")
def parts_by_numbers(values):
    parts = [Capacitor(0, 1, 2.0)]
    for i in range(len(values)):
        kind, first, second = NETLIST[i % 3]
        parts.append(KINDS[kind](first, second, values[i]))
    return simulated(parts)


@program(lambda: ([{"kind": "R", "value": 1.5}, {"kind": "C", "value": 0.2}],))
def parts_that_are_described(described):
    parts = []
    for item in described:
        kind = KINDS[item["kind"]]
        parts.append(kind(0, 1, item["value"]))
    return simulated(parts)


class Shape:
    def __or__(self, other):
        return Union(self, other)


class Ball(Shape):
    def __init__(self, center, radius):
        self.center, self.radius = center, radius

    def distance(self, p):
        return abs(p - self.center) - self.radius


class Union(Shape):
    def __init__(self, *parts):
        self.parts = parts

    def distance(self, p):
        return min(part.distance(p) for part in self.parts)


@program(lambda: (positive(1, 3), 0.3), needs="shapes")
def scene_of_unions(centers, radius):
    scene = Ball(-1.0, radius)
    for center in centers[1:]:
        scene = scene | Ball(center, 2 * radius)
    return scene.distance(4.0) * scene.distance(-3.0 * radius)


@program(lambda: (positive(1, 2),))
def fewer_values_than_functions(values):
    total = 0.0
    for f, v in zip(SLOPES, values):
        total += f(v) * v
    return total


@program(lambda: (positive(1, 4),))
def functions_until_there_are_no_more_values(values):
    total = 0.0
    for f, v in zip(SLOPES, values[values > 1.0]):
        total += f(v) * v
        if total > 9.0:
            break
    else:
        total *= 2.0
    return total


@program(lambda: ([0.3, 0.7],))
def fewer_items_than_functions(values):
    return sum(f(v) * v for f, v in zip(SLOPES, values))


@program(lambda: (positive(1, 4, 2),))
def rows_by_their_cells(points):
    cells = {}
    for p in points:
        cells.setdefault(tuple((2 * p).astype(int)), []).append(p)
    total = 0.0
    for (i, j), members in cells.items():
        for p in members:
            total += p @ members[0] * (1 + i + j)
    return total
