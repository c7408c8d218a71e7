"""Attributes that are views of others, written through; parts of one array that a call gets of which it writes into
one."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corpus.registry import normal, positive, program


class Grid:
    def __init__(self, u):
        self.u = u.copy()
        self.inner = self.u[1:-1]
        self.left = self.u[:-2]
        self.right = self.u[2:]

    def step(self, c):
        self.inner += c * self.inner * (self.left - 2 * self.inner + self.right)


@program(lambda: (normal(1, 6), 0.1))
def inner_points(x, c):
    grid = Grid(x)
    for _ in range(3):
        grid.step(c)
    return (grid.u ** 2).sum() + grid.inner[0]


class Padded:
    def __init__(self, u, width=1):
        self.width = width
        self.u = np.zeros(len(u) + 2 * width)
        self.core = self.u[self.width:-self.width]
        self.core[:] = u
        self.first = self.core[:2]

    def step(self, c):
        self.u[0], self.u[-1] = self.u[-2], self.u[1]
        self.core += c * self.u[2:] * self.core


class Damped(Padded):
    def __init__(self, u):
        super().__init__(u)
        self.last = self.u[-2:]

    def step(self, c):
        super().step(c)
        self.last *= 0.5


@program(lambda: (normal(1, 5), 0.3))
def with_a_ghost_layer(x, c):
    grid = Padded(x)
    for _ in range(3):
        grid.step(c)
    return (grid.core ** 2).sum() + grid.first[0]


@program(lambda: (normal(1, 5), 0.3))
def inherited(x, c):
    grid = Damped(x)
    for _ in range(2):
        grid.step(c)
    if hasattr(grid, "core"):
        grid.core[1] = x[1]
    return (grid.u ** 2).sum() + grid.last[0] + getattr(grid, "first", None)[0]


@program(lambda: (normal(1, 5),))
def several_grids(x):
    grids = [Padded(x), Padded(x * 2)]
    for grid in grids:
        grid.step(0.1)
        grid.core *= 1.1
    return sum((grid.u ** 2).sum() for grid in grids)


class State:
    def __init__(self, y):
        self.y = y.copy()
        self.position = self.y[:3]
        self.velocity = self.y[3:]

    def kick(self, dt):
        self.velocity -= dt * self.position ** 3

    def drift(self, dt):
        self.position += dt * self.velocity

    def energy(self):
        return 0.5 * (self.velocity ** 2).sum() + 0.25 * (self.position ** 4).sum()


@program(lambda: (normal(1, 6),))
def leapfrog(y):
    state = State(y)
    for _ in range(4):
        state.kick(0.05)
        state.drift(0.1)
        state.kick(0.05)
    return state.energy()


@program(lambda: (normal(1, 6),))
def under_names(y):
    state = State(y)
    position, velocity = state.position, state.velocity
    for _ in range(3):
        velocity -= 0.1 * position ** 3
        position += 0.1 * velocity
    for label in ("position", "velocity"):
        part = getattr(state, label)
        part *= 2.0
    return state.energy() + (state.y ** 2).sum()


class Stages:
    def __init__(self, n):
        self.work = np.zeros((3, n))
        self.k1 = self.work[0]
        self.k2 = self.work[1]
        self.k3 = self.work[2]

    def step(self, y, h):
        self.k1[:] = -y ** 2
        self.k2[:] = -(y + 0.5 * h * self.k1) ** 2
        np.negative((y + h * self.k2) ** 2, out=self.k3)
        return y + h * (self.k1 + 4 * self.k2 + self.k3) / 6


@program(lambda: (positive(1, 4), 0.1))
def scratch_rows(y, h):
    stages = Stages(len(y))
    for _ in range(3):
        y = stages.step(y, h)
    return (y ** 2).sum() + stages.work.sum()


@dataclass
class Field:
    u: np.ndarray
    steps: int = 0

    def __post_init__(self):
        self.u = self.u.copy()
        self.set_up()

    def set_up(self):
        self.inner = self.u[1:-1]

    def step(self):
        self.inner[:] = self.inner ** 2 + self.u[:-2]
        self.steps += 1


@program(lambda: (normal(1, 5),))
def set_up_in_a_method(x):
    field = Field(x * 1.0)
    field.step()
    field.step()
    field.inner *= x[0]
    return (field.u ** 2).sum() * field.steps


def kicked(position, velocity, dt):
    velocity -= dt * position ** 3


def swept(source, target, c):
    target[1:-1] = source[1:-1] + c * (source[2:] - source[:-2]) * source[1:-1]


@program(lambda: (normal(1, 6),))
def handed_to_a_function(y):
    state = State(y)
    kicked(state.position, state.velocity, 0.1)
    return state.energy()


@program(lambda: (normal(1, 5), 0.3))
def two_rows_handed(x, c):
    u = np.zeros((4, len(x)))
    u[:] = x
    swept(u[0], u[1], c)
    for k in range(1, 3):
        swept(u[k], u[k + 1], c)
    return (u ** 2).sum()


@program(lambda: (normal(1, 5), 0.3))
def exchanged_rows_handed(x, c):
    buf = np.zeros((2, len(x)))
    buf[:] = x
    cur, nxt = buf[0], buf[1]
    for _ in range(3):
        swept(cur, nxt, c)
        cur, nxt = nxt, cur
    return (cur * nxt).sum()
