"""Targets are assigned from left to right: an index that is bound beside a store counts as of its place."""
from __future__ import annotations

from corpus.registry import normal, program


@program(lambda: (normal(1, 4),))
def index_moves_on(x):
    u = x * 1.0
    i = 0
    u[i], i = u[i] * 2.0, i + 1
    u[i], i = u[i] * u[0], i + 1
    i, u[i] = i + 1, x[i] ** 2
    return (u ** 2).sum() * i


@program(lambda: (normal(1, 4),))
def index_in_a_chain(x):
    u = x * 1.0
    i = 0
    u[i] = i = 2
    i = u[i] = 1
    return (u ** 2).sum() * i


@program(lambda: (normal(1, 4),))
def index_beside_a_rest(x):
    u = x * 1.0
    i, rest = 1, [2]
    u[i], *rest, i = x[0] ** 2, x[1], x[2], 3
    u[rest.index(x[1])], *rest = x[3], 1, 2
    return (u ** 2).sum() * rest[1] * i


@program(lambda: (normal(1, 4),))
def index_in_nested_targets(x):
    u = x * 1.0
    i = j = 0
    (u[i], (i, u[j])), j = (x[1], (2, x[2] ** 2)), 3
    u[i] *= x[j]
    return (u ** 2).sum()


@program(lambda: (normal(1, 4),))
def index_in_a_loop(x):
    u = [0.0, 0.0, 0.0, 0.0, 0.0]
    i = 0
    for v in x:
        u[i], i = v * u[i - 1] + v, i + 1
    return sum(u) * i
