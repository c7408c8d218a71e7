"""Arrays of the function's own that are written into, in containers with the caller's."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, positive, program


class Fluid:
    def __init__(self, height, bed):
        self.height = height
        self.bed = bed


@program(lambda: (normal(1, 5), normal(2, 5)))
def own_height(h, bed):
    fluid = Fluid(h.copy(), bed)
    fluid.height[1:-1] += 0.1 * bed[2:]
    fluid.height[0] = fluid.bed[1]
    return (fluid.height ** 2 * fluid.bed).sum()


@program(lambda: (normal(1, 5), normal(2, 5)))
def stepped(h, bed):
    fluid = Fluid(h * 1.0, bed)
    for _ in range(2):
        flux = fluid.height[1:] - fluid.height[:-1] + fluid.bed[1:] - fluid.bed[:-1]
        fluid.height[:-1] += 0.1 * flux
        fluid.height[1:] -= 0.1 * flux
    return (fluid.height ** 2 * fluid.bed).sum()


@program(lambda: (normal(1, 5), normal(2, 5)))
def under_a_name(h, bed):
    fluid = Fluid(h.copy(), bed)
    height = fluid.height
    for i in range(1, 5):
        height[i] += bed[i] * height[i - 1]
    return (fluid.height ** 2 * fluid.bed).sum()


@program(lambda: (normal(1, 5), normal(2, 5)))
def in_a_dict(h, bed):
    fluid = {"height": h.copy(), "bed": bed}
    fluid["height"][1:] += 0.1 * fluid["bed"][1:]
    return (fluid["height"] ** 2 * fluid["bed"]).sum()


@program(lambda: (normal(1, 5), normal(2, 5)))
def named_before(h, bed):
    y = h * 2.0
    z = np.exp(y)
    fluid = Fluid(y, bed)
    fluid.height[1:-1] += 0.1 * bed[2:] * z[1:-1]
    return (fluid.height ** 2 * fluid.bed).sum() + z.sum()


@program(lambda: (normal(1, 5), normal(2, 5)))
def replaced_in_turns(h, bed):
    fluid = Fluid(h * 2.0, bed)
    for _k in range(3):
        fluid.height[1:-1] += 0.1 * h[2:]
        fluid.height = fluid.height * fluid.bed
    return (fluid.height ** 2 * fluid.bed).sum()


@program(lambda: (normal(1, 5), normal(2, 5)))
def in_a_list(h, bed):
    f = [h.copy(), bed]
    f[0][1:] += 0.1 * f[1][1:]
    f[0] *= bed
    return (f[0] ** 2 * f[1]).sum()


@program(lambda: (normal(1, 5), normal(2, 5)))
def beside_others(h, bed):
    f = {"a": h * 2.0, "b": bed}
    for k in range(3):
        f["a"][1:] += 0.1 * bed[1:]
        f["b"] = f["a"] * k
    f["a"] -= f["b"]
    return (f["a"] ** 2 * f["b"]).sum()


class Knots:
    def __init__(self, places, heights):
        self.places = places
        self.slopes, self.bends = [], {}
        self.widths = np.zeros(len(heights))
        for i, place in enumerate(places[1:]):
            self.slopes.append((heights[i + 1] - heights[i]) / (place - places[i]))
            self.widths[i] = place - places[i]
        self.bend(heights)

    def bend(self, heights):
        for i in range(len(self.slopes) - 1):
            self.bends[i] = (self.slopes[i + 1] - self.slopes[i]) * heights[i]


@program(lambda: (0.7, positive(2, 4), 4))
def lists_beside_one_that_is_given(step, heights, count):
    places = [step * k ** 2 for k in range(count)]
    knots = Knots(places, heights)
    return knots.slopes[1] * knots.widths[1] ** 2 + knots.bends[0] * places[-1]
