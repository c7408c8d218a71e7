"""Items at places that are no plain whole numbers: truth values, and objects that say which number they are."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program

STEEP = True


class Level:
    def __init__(self, number):
        self.number = number

    def __index__(self):
        return self.number


LEVEL = Level(1)


@program(lambda: (normal(1, 3),))
def chosen_by_a_flag(x):
    return np.sum((x, 2.0 * x * x)[STEEP])


@program(lambda: (normal(1, 3), True))
def chosen_by_a_given_flag(x, steep):
    return np.sum((np.sin(x), 2.0 * x * x)[steep])


@program(lambda: (normal(1, 2, 2),))
def chosen_by_a_comparison(x):
    return [np.sum(x), np.sum(x * x)][x.ndim > 1]


@program(lambda: (normal(1, 3),))
def chosen_by_a_level(x):
    return (x[0], x[1] * x[2])[LEVEL] * [2.0, 3.0, 4.0][LEVEL]


@program(lambda: (normal(1, 3), Level(2)))
def chosen_by_a_given_level(x, level):
    parts = [x, x * x, np.exp(x)]
    return np.sum(parts[level])


@program(lambda: (normal(1, 3),), needs="shapes")
def stored_at_a_flag(x):
    parts = [x[0], x[1]]
    parts[True] = x[2] ** 2
    parts[STEEP] *= x[0]
    return parts[0] + 2.0 * parts[1]


@program(lambda: (normal(1, 3),))
def stored_at_a_level(x):
    parts = [x[0], x[1], x[2]]
    parts[LEVEL] = x[0] * x[2]
    parts.insert(LEVEL, x[1] ** 3)
    return parts[0] + 2.0 * parts[1] + 3.0 * parts[2] + parts.pop(True)
