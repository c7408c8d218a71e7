"""Buffers that change places by way of a third name."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


def force_given():
    return (normal(1, 6),)


class Grid:
    def __init__(self, force):
        self.now, self.new, self.before = np.zeros(len(force)), np.zeros(len(force)), np.zeros(len(force))
        self.force = force

    def relax(self):
        self.new[1:-1] = 0.5 * (self.now[2:] + self.now[:-2] + self.force[1:-1])
        old = self.now
        self.now = self.new
        self.new = old

    def move(self):
        bent = self.now[2:] - 2 * self.now[1:-1] + self.now[:-2]
        self.new[1:-1] = 2 * self.now[1:-1] - self.before[1:-1] + 0.1 * (bent + self.force[1:-1])
        old = self.before
        self.before = self.now
        self.now = self.new
        self.new = old

    def relax_named(self):
        old = self.now
        new = self.new
        new[1:-1] = 0.5 * (old[2:] + old[:-2] + self.force[1:-1])
        self.now = new
        self.new = old


@program(force_given)
def relaxed(force):
    grid = Grid(force)
    for _ in range(5):
        grid.relax()
    return np.sum(grid.now ** 2)


@program(force_given)
def moved_on(force):
    grid = Grid(force)
    for _ in range(6):
        grid.move()
    return np.sum(grid.now ** 2) + grid.before[1]


@program(force_given)
def relaxed_by_names(force):
    grid = Grid(force)
    for _ in range(5):
        grid.relax_named()
    return np.sum(grid.now ** 2)


@program(force_given)
def buffers_in_a_list(force):
    buffers = [np.zeros(6), np.zeros(6)]
    for _ in range(5):
        buffers[1][1:-1] = 0.5 * (buffers[0][2:] + buffers[0][:-2] + force[1:-1])
        old = buffers[0]
        buffers[0] = buffers[1]
        buffers[1] = old
    return np.sum(buffers[0] ** 2)


@program(lambda: (normal(9, 3),))
def places_that_depend_on_what_moves(x):
    first, second, at = [2, 0, 1], [1, 2, 0], [0]
    kept = at[0]
    at[0] = first[at[0]]
    first[at[0]] = second[first[at[0]]]
    second[first[at[0]]] = kept
    return x[0] * first[0] + x[1] * first[1] * first[2] + 10 * x[at[0]] + second[0] + 3 * second[1]
