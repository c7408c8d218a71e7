"""The pieces that ``np.split`` and its kin give, written into, and the array that they are of."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


@program(lambda: (normal(1, 4),), needs="shapes")
def right_hand_side(state):
    slope = np.zeros_like(state)
    d_position, d_velocity = np.split(slope, 2)
    position, velocity = np.split(state, 2)
    d_position[:] = velocity
    d_velocity[:] = -np.sin(position)
    return (slope * state).sum() + (slope ** 2).sum()


@program(lambda: (normal(1, 6),), needs="shapes")
def leapfrog(x):
    state = x.copy()
    position, velocity = np.split(state, 2)
    for _ in range(3):
        velocity -= 0.1 * position ** 3
        position += 0.1 * velocity
    return (state ** 2).sum() + position.sum()


@program(lambda: (normal(1, 6),), needs="shapes")
def cut_in_each_turn(x):
    state = x.copy()
    for _ in range(3):
        position, velocity = np.split(state, 2)
        velocity -= 0.1 * np.sin(position)
        position += 0.1 * velocity
    return (state ** 2).sum()


@program(lambda: (normal(1, 5),), needs="shapes")
def uneven(x):
    a = np.sin(x)
    first, second, third = np.array_split(a, 3)
    first *= second[0]
    third[0] = first[1]
    return (a ** 2).sum() + third.sum()


@program(lambda: (normal(1, 5), 2), needs="shapes")
def at_places(x, n):
    a = np.sin(x)
    first, second, third = np.split(a, [1, 3])
    second *= first
    left, right = np.split(a, [n])
    left += right[0]
    return (a ** 2).sum() + third[0] * second.sum()


@program(lambda: (normal(1, 5),), needs="shapes")
def overlapping(x):
    a = np.sin(x)
    first, second, third = np.split(a, [3, 1])
    first *= third[0]
    return (a ** 2).sum() + second.sum() + (third ** 3).sum()


@program(lambda: (normal(1, 3, 4),), needs="shapes")
def along_axes(m):
    m = np.sin(m)
    left, right = np.hsplit(m, 2)
    left *= right
    top, middle, bottom = np.vsplit(m, 3)
    bottom -= top * middle
    first, _, _, last = np.split(m, 4, axis=-1)
    first[0] = last[1]
    return (m ** 2).sum()


@program(lambda: (normal(1, 4),), needs="shapes")
def whole_written(x):
    a = np.sin(x)
    left, right = np.split(a, 2)
    a *= 2.0
    return (left ** 2).sum() + (right * a[1]).sum()


@program(lambda: (normal(1, 4),))
def used_unnamed_and_written_later(x):
    a = np.sin(x)
    y = np.sum(np.split(a, 2)[0]) * (a @ a) + np.sum(np.split(a, 2)[1] * np.split(a, 2)[0])
    a[1] = 0.3
    return y * a[0]
