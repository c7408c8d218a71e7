"""Real numbers in lists and dicts that complex ones join: the cotangents of both come as complex numbers."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corpus.registry import normal, program

IMAGINARY = 1j


def doubled(v):
    return v * 2


def doubles(values):
    return [v * 2 for v in values]


def rotated(values):
    return [v * 1j for v in values]


def complex_total(values):
    return sum(values, 1j)


def size_of_total(values):
    return abs(complex_total(values))


def squares(values):
    total = 0.0
    for v in values:
        total += v * v
    return total


def list_and_dict(values):
    return [v * 2 for v in values], {"k": values * 2}


@program(lambda: (normal(1, 3),))
def start_of_a_sum(x):
    return np.abs(sum([doubled(a) for a in x], 1j))


@program(lambda: (normal(2, 3),))
def start_from_outside(x):
    return np.sum(np.abs(sum([doubled(x), x], IMAGINARY) * np.array([1j, 1, 2])))


@program(lambda: (normal(3, 3),))
def written_out_with_a_complex_start(x):
    parts = {"a": doubled(x[0]), "b": x[1]}
    return np.abs(sum(parts.values(), IMAGINARY) * (2 + x[2]))


@program(lambda: (normal(4, 3),))
def joined_with_a_complex_number(x):
    values = [doubled(a) for a in x]
    joined = values + [1j * x[0]]
    return np.abs(sum(joined) * (1 + 2j))


@program(lambda: (normal(5, 3),))
def written_out_and_joined(x):
    pair = [x * 2, x * 3]
    joined = pair + [a * x * 1j for a in x]
    total = pair[0]
    for k in range(len(joined)):
        total = total * joined[k]
    return np.sum(np.abs(total))


@program(lambda: (normal(6, 3),))
def concatenated(x):
    parts = [doubled(x) for _ in range(2)]
    return np.sum(np.abs(np.concatenate(parts + [x * 1j])))


@program(lambda: (normal(7, 3),))
def appended_at_last(x):
    parts = [doubled(x) for _ in range(2)]
    parts.append(x * 1j)
    return np.sum(np.abs(np.concatenate(parts) * (2 + 1j)) ** 2)


@program(lambda: (normal(8, 3),))
def stacked_rows(x):
    rows = [x * k for k in range(1, 4)]
    return np.sum(np.abs(np.stack(rows + [x * 1j])))


@program(lambda: (normal(9, 3),))
def extended(x):
    values = [doubled(a) for a in x]
    values.extend([1j * a for a in values])
    return abs(sum(values))


@program(lambda: (normal(10, 3),))
def inserted_popped_and_multiplied(x):
    values = []
    for a in x:
        values.insert(0, doubled(a))
    last = values.pop()
    values[0] *= 2
    values.append(1j * last)
    values.append(x[0])
    return abs(sum([doubled(v) for v in values]) * (1 + 1j))


@program(lambda: (normal(11, 3),))
def made_by_a_function(x):
    return size_of_total(doubles(x))


@program(lambda: (normal(12, 3),))
def used_twice(x):
    values = doubles(x)
    return abs(complex_total(values)) + values[0] + abs(1j * squares(values) + sum(values, 1j))


@program(lambda: (normal(13, 3),))
def handed_to_a_function(x):
    values = doubles(x)
    values = values + [1j * squares(values)]
    return abs(sum(rotated(values)) + x[1])


@program(lambda: (normal(14, 3),))
def list_in_a_dict(x):
    values = doubles(x)
    parts: dict[str, Any] = {"a": values, "b": 1j * x[0]}
    return abs(sum(parts["a"], parts["b"]))


@program(lambda: (normal(15, 3),))
def list_and_dict_of_a_function(x):
    values, parts = list_and_dict(x)
    return np.sum(np.abs(sum(values, 1j) + sum(parts["k"] * 1j)))


@program(lambda: (normal(16, 3),))
def dict_that_gets_a_complex_item(x):
    parts = {}
    for k, v in zip("abc", x):
        parts[k] = doubled(v)
    parts["q"] = 1j * x[0]
    return abs(sum(parts.values()) * (1 + 1j))


@program(lambda: (normal(17, 3),))
def star_beside_a_complex_item(x):
    values = doubles(x)
    both = [*values, x[0] * 1j]
    return abs(sum(both) * (1 + 2j))


@dataclass
class Pair:
    real: Any
    rotated: Any


@program(lambda: (normal(18, 3),))
def in_records(x):
    pairs = [Pair(a * 2, a * 3j) for a in x]
    return abs(sum([pair.real for pair in pairs], 1j) * sum([pair.rotated for pair in pairs]))


@program(lambda: (normal(19, 3),))
def lists_in_lists(x):
    rows = [[a, a * 2] for a in x]
    return abs(sum(sum(row) for row in rows) * 1j + sum(sum(row, 1j) for row in rows))


@program(lambda: (normal(20, 3),))
def matrix_of_lists(x):
    return abs(np.array([[a, a * 2] for a in x] + [[1j, 2.0]]).sum() * (1 + 1j))


@program(lambda: ([0.5, 0.25, -0.75],))
def list_of_numbers(values):
    return abs(sum(values, 1j)) + abs(sum(values + [1j * values[0]]))
