"""The keys of a dict, ``d.keys()``: run through, counted, sorted, compared, and of a dict that changes."""
from __future__ import annotations

import functools
import itertools
import operator

import numpy as np

from corpus.registry import normal, program


@program(lambda: (normal(1, 4),))
def run_through(x):
    d = {"a": x[0], "b": x[1:]}
    total = 0.0
    for key in d.keys():
        total += np.sum(d[key]) * len(key)
    return total + sum(d[key].sum() if key == "b" else d[key] ** 2 for key in d.keys())


@program(lambda: (normal(1, 3),))
def made_a_list_of(x):
    d = {"a": x[0], "b": x[1]}
    names = list(d.keys())
    squares = {key: d[key] ** 2 for key in d.keys()}
    paired = dict(zip(d.keys(), x))
    first, *others = d.keys()
    return d[names[0]] * squares["b"] + paired["b"] + d[first] + sum(d[key] for key in others) * d[min(d.keys())]


@program(lambda: (normal(1, 3),))
def in_order(x):
    d = {"w": x[:2] * 2.0, "b": x[2:] * 1.0}
    for key in sorted(d.keys()):
        d[key] -= 0.1 * d[key] ** 2
    for key in d.keys():
        d[key] = d[key] * 2.0
    return sum((d[key] ** 2).sum() for key in sorted(d.keys(), reverse=True))


@program(lambda: (normal(1, 3),))
def of_a_dict_that_grows(x):
    d = {"a": x[0], "b": x[1]}
    keys = d.keys()
    before = len(keys)
    d["c"] = x[2]
    return sum(d[key] for key in keys) * before + len(keys) * x[0] + ("c" in keys) * x[1]


@program(lambda: (normal(1, 3),))
def of_two_dicts(x):
    d = {"a": x[0], "b": x[1]}
    e = {"b": x[2], "c": x[0]}
    return sum(d[key] * e[key] for key in d.keys() & e.keys()) + len(d.keys() | e.keys()) * x[1]


@program(lambda: (normal(1, 4),))
def that_are_numbers(x):
    d = {i: v * 2.0 for i, v in enumerate(x)}
    high = sum(1 for key in d.keys() if key > 2)
    return sum(d[key] * key for key in d.keys()) + (d[1] if 1 in d.keys() else 0.0) + high * x[1]


@program(lambda: ({"w": normal(1, 2, 2), "b": normal(2, 2)}, {"w": normal(3, 2, 2), "b": normal(4, 2)}))
def of_parameters_that_are_given(params, grads):
    new = {key: params[key] - 0.1 * grads[key] for key in params.keys()}
    assert new.keys() == params.keys()
    return sum((new[key] ** 2).sum() for key in new.keys())


@program(lambda: (normal(5, 3),))
def counted_keys_one_by_one(x):
    d = {index + 1: value for index, value in enumerate(x)}
    total = functools.reduce(operator.add, d) * x[0] + sum(d) * x[1] + sum(d, x[2])
    for first, second in itertools.combinations(d, 2):
        total += first * d[first] * d[second]
    return total + sum(d[key] for key in itertools.islice(d, 2)) + sum(itertools.chain(d, [x[0]]))


@program(lambda: (normal(1, 3), 1))
def of_a_dict_that_may_be_none(x, k):
    d, other = None, None
    if k:
        d = {"b": x[0], "a": x[1]}
    if k > 1:
        other = {"a": x[0]}
    total = sum(d[key] * (i + 1) for i, key in enumerate(sorted(d))) + d[max(d)] * x[2] + d[list(d)[1]] ** 2
    try:
        return total * len(sorted(other))
    except TypeError:
        return total * 3
