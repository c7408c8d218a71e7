"""Objects of unlike classes, of which the function chooses one while it runs."""
from __future__ import annotations

import numpy as np

from corpus.registry import program


class Sphere:
    def __init__(self, centre, radius, colour):
        self.centre = centre
        self.radius = radius
        self.colour = colour

    def met(self, start, way):
        across = start - self.centre
        along = across @ way
        inside = along * along - (across @ across - self.radius**2)
        return None if inside < 0.0 else -along - np.sqrt(inside)

    def normal(self, place):
        return (place - self.centre) / self.radius


class Plane:
    def __init__(self, up, height, colour):
        self.up = up
        self.height = height
        self.colour = colour

    def met(self, start, way):
        return -(start @ self.up + self.height) / (way @ self.up)

    def normal(self, place):
        return self.up


class Circle:
    def __init__(self, r):
        self.r = r

    def area(self):
        return 3.0 * self.r**2

    def grow(self, k):
        self.r = self.r * k


class Box:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def area(self):
        return self.a * self.b

    def grow(self, k):
        self.a = self.a * k


def scene(centre):
    return [Sphere(centre, 1.0, 0.7), Plane(np.array([0.0, 1.0, 0.1]), 2.0, 0.3)]


SCENE = scene(np.array([0.1, 0.3, 0.5]))
LIGHT = np.array([0.3, 0.5, -0.8])


@program(lambda: (np.array([0.1, 0.3, 0.5]), np.array([0.1, 0.2, -3.0]), np.array([0.05, -0.02, 0.99])))
def seen(centre, start, way):
    nearest, hit = 1e9, None
    things = scene(centre)
    for thing in things:
        distance = thing.met(start, way)
        if distance is not None and distance < nearest:
            nearest, hit = distance, thing
    if hit is None:
        return 0.0
    return hit.colour * (hit.normal(start + nearest * way) @ LIGHT)


@program(lambda: (np.array([0.1, 0.2, -3.0]), np.array([0.05, -0.02, 0.99])))
def seen_by_its_place(start, way):
    nearest, hit = 1e9, -1
    for place, thing in enumerate(SCENE):
        distance = thing.met(start, way)
        if distance is not None and distance < nearest:
            nearest, hit = distance, place
    return SCENE[hit].colour * (SCENE[hit].normal(start + nearest * way) @ LIGHT)


@program(lambda: (1.3,))
def the_largest(x):
    shapes = [Circle(x), Box(x, 2.0), Circle(0.5 * x)]
    largest = max(shapes, key=lambda shape: shape.area())
    return largest.area() ** 2


@program(lambda: (1.3, -1))
def counted_from_the_end(x, k):
    shapes = (Circle(x), Box(x, 2.0), Circle(0.5 * x))
    k = k - int(x > 5.0)
    return shapes[k].area() ** 2


@program(lambda: (1.3, 1))
def one_that_changes(x, k):
    shapes = [Circle(x), Box(x, 2.0), Circle(0.5 * x)]
    k = k + int(x > 5.0)
    shapes[k].grow(x)
    return sum(shape.area() * (i + 1) for i, shape in enumerate(shapes))


class Tally:
    def __init__(self, weight):
        self.weight, self.sums = weight, []

    def add(self, v):
        self.sums.append(v * self.weight)


@program(lambda: ([0.3, 1.4, 0.8, 2.1], 1.3))
def put_into_one_of_several(xs, w):
    small, large, light, heavy = [], {}, Tally(w), Tally(w ** 2)
    for i, x in enumerate(xs):
        (light if i % 2 else heavy).add(x)
        (small if x < 1.0 else light.sums if x < 2.0 else heavy.sums).append(x ** 2)
        (large if x > 1.0 else {}).update({i: x * w})
    return sum(small) * sum(large.values()) + sum(light.sums) * max(heavy.sums)
