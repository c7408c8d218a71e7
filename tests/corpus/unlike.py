"""Objects of unlike classes, run over where they are written, and by comprehensions that leave some out."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


class Linear:
    def __init__(self, w, b):
        self.w = w
        self.b = b

    def __call__(self, x):
        return self.w * x + self.b

    def penalty(self):
        return (self.w ** 2).sum()


class Tanh:
    def __call__(self, x):
        return np.tanh(x)

    def penalty(self):
        return 0.0


class Spring:
    def __init__(self, x):
        self.x = x
        self.pulls = 0.0

    def energy(self):
        return (self.x ** 2).sum()

    def pull(self, factor):
        self.pulls = self.pulls + factor
        return self.pulls * self.energy()


class Well:
    def __init__(self, depth):
        self.depth = depth

    def energy(self):
        return (self.depth ** 3).sum()


@program(lambda: (normal(1, 3), normal(2, 3)))
def layers_in_place(x, w):
    h = x
    for layer in [Linear(w, x), Tanh(), Linear(2.0 * w, w)]:
        h = layer(h)
    return h.sum()


class Layers:
    def __init__(self, layers, weights):
        self.layers, self.weights = layers, weights

    def turn_round(self):
        self.layers = self.layers[::-1]
        self.weights = [2.0 * weight for weight in self.weights]

    def last_and_first(self, x):
        return self.layers[-1](x) + self.layers[0].b

    def weighted(self, x):
        for weight, layer in zip(self.weights, self.layers):
            x = weight * layer(x)
        return x

    def in_turn(self, x):
        for layer, weight in zip(self.layers, self.weights):
            x = weight * layer(x)
            self.turn_round()
        return x


@program(lambda: (normal(1, 3), normal(2, 3)))
def reached_from_the_end(x, w):
    return Layers([Linear(w, x), Linear(x, w)], []).last_and_first(x * w).sum()


@program(lambda: (normal(1, 3), normal(2, 3)))
def another_list_in_the_place_of_that_run_over(x, w):
    return Layers([Linear(w, x), Tanh(), Linear(2.0 * w, w)], [0.2, 0.3, 0.5]).in_turn(x).sum()


@program(lambda: (normal(1, 3), normal(2, 3), [0.2, 0.3, 0.5]))
def beside_numbers_in_an_attribute(x, w, weights):
    return Layers([Linear(w, x), Tanh(), Linear(2.0 * w, w)], weights).weighted(x).sum()


@program(lambda: (normal(1, 3), normal(2, 3)))
def alike_in_part_of_the_list(x, w):
    parts, first = [x, Well(w), Well(x * w)], 1
    total = 0.0
    for well in parts[first:]:
        total = total + well.energy() * well.depth[0]
    return total * parts[0][1]


@program(lambda: (normal(1, 3), normal(2, 3)))
def counted(x, w):
    total = 0.0
    for k, (part, factor) in enumerate(zip((Spring(x), Well(w)), (2.0, 3.0))):
        total = total + factor * part.energy() ** (k + 1)
    return total


@program(lambda: (normal(1, 3), normal(2, 3)))
def bound_anew_inside(x, w):
    spring, well = Spring(x), Well(w)
    total = 0.0
    for part in (spring, well):
        total = total + part.energy()
        spring = Spring(w * x)
    return total * spring.energy()


@program(lambda: (normal(1, 3), normal(2, 3)))
def summed_in_place(x, w):
    return sum(part.energy() for part in [Spring(x), Well(w)]) * max(
        [part.energy() for part in (Spring(w), Well(x))])


@program(lambda: (normal(1, 3), normal(2, 3)))
def of_one_class(x, w):
    parts = [Spring(x), Well(w), Spring(x * w)]
    springs = sum(part.energy() for part in parts if isinstance(part, Spring))
    first, second = [part.energy() for part in parts if not isinstance(part, Well)]
    return springs * first + second


@program(lambda: (normal(1, 3), normal(2, 3)))
def chosen_in_turns(x, w):
    parts = [Spring(x), Well(w)]
    total = 1.0
    while total < 50.0:
        total = total * sum([part.energy() ** 2 for part in parts if part.energy() > 0.0]) + 30.0
    return total


@program(lambda: (normal(1, 3), normal(2, 3)))
def chosen_first(x, w):
    layers = (Linear(w, x), Tanh(), Linear(2.0 * w, w))
    linear = [layer for layer in layers if isinstance(layer, Linear)]
    return sum(layer.penalty() for layer in linear) * layers[0](x).sum()


@program(lambda: (normal(1, 3), normal(2, 3)))
def two_that_change(x, w):
    springs, others = [Spring(x), Spring(w)], [Spring(w), Spring(x * w)]
    return sum([s.pull(2.0) for s in springs]) * max([s.pull(3.0) for s in others])


class Pair:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __mul__(self, other):
        if type(other) == Pair:  # noqa: E721
            return self.x * other.x + self.y * other.y
        if type(other) in (int, float):
            return Pair(self.x * other, self.y * other)
        return Pair(self.x * other[0], self.y * other[1])

    def __add__(self, other):
        made = Pair if self.__class__ is other.__class__ else Triple
        return made(self.x + other.x, self.y + (other.y if hasattr(other, "y") else other.__class__.__name__ == "Pair"))

    def scaled(self, factor):
        return self.x * factor if issubclass(type(self), Triple) and not hasattr(factor, "x") else self.y * factor


class Triple(Pair):
    pass


@program(lambda: (1.5, -0.7))
def told_by_class(x, y):
    pair, triple = Pair(x, y), Triple(y, x)
    return (pair * 2.0 + pair * [y, x]) * pair + (pair + triple).scaled(x) + (triple + triple).scaled(y)


@program(lambda: ([0.5, 2.0, 3.0],))
def whole_in_the_first_turn(xs):
    total = 0
    for x in xs:
        total = 3.0 * x if isinstance(total, int) else total * x
    return total
