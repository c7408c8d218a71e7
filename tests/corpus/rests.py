"""Patterns that give the rest of a mapping a name."""
from __future__ import annotations

import numpy as np

from corpus.registry import program

SPECS = [{"type": "dense", "scale": 2.0}, {"type": "rectified"}, {"type": "dense", "shift": 0.3}]


def parameters():
    return ({"k": 1.2, "a": 0.7, "b": 2.0},)


def vector():
    return (np.array([1.0, -0.5]),)


def layer(z, scale=1.0, shift=0.0):
    return np.tanh(z * scale + shift)


@program(parameters)
def powers_of_the_rest(d):
    match d:
        case {"k": v, **rest}:
            return v ** 2 * sum(w ** 3 for w in rest.values())
    return 0.0


@program(parameters)
def guarded(d):
    match d:
        case {"missing": v, **rest}:
            return v * len(rest)
        case {"k": v, **rest} if "a" in rest:
            return v ** 2 * rest["a"] + len(rest)
        case _:
            return 0.0


@program(lambda: ({"kind": "affine", "a": 0.7, "b": 2.0}, 1.3))
def kinds(d, x):
    match d:
        case {"kind": "power", "n": n, **rest}:
            return x ** n * len(rest)
        case {"kind": "affine", **coefficients}:
            return coefficients["a"] * x ** 2 + coefficients["b"]
        case {**everything}:
            return sum(everything.values()) * x


@program(vector)
def options_of_layers(x):
    for spec in SPECS:
        match spec:
            case {"type": "dense", **options}:
                x = layer(x, **options)
            case {"type": "rectified"}:
                x = np.maximum(x, 0.1 * x)
    return np.sum(x)


@program(lambda: ({"inner": {"k": 1.2, "a": 0.7}, "b": 2.0},))
def rests_inside_and_outside(d):
    match d:
        case {"inner": {"k": v, **inner}, **outer}:
            inner["z"] = v * outer["b"]
            return sum(w ** 2 for w in inner.values()) + len(d["inner"])


@program(lambda: (np.array([1.0, -0.5]), ["a", "b"]))
def of_keys_of_the_call(x, labels):
    d = dict(zip(labels, x))
    match d:
        case {"a": v, **d}:
            return v ** 2 * sum(w ** 3 for w in d.values())
    return x[0]


@program(lambda: (np.array([0.7, 1.3, -0.4]),))
def in_loops(x):
    total = 0.0
    for first, *others in np.outer(x, x + 1.0):
        total = total + first * others[0] * others[-1]
    for scale, (first, *others) in [(2.0, (x[0], x[1])), (3.0, (x[2], x[0], x[1]))]:
        if len(others) > 2:
            break
        total = total + scale * first * sum(v * v for v in others)
    else:
        total = total * first
    return total * others[-1]


def evaluated(terms):
    match terms:
        case ["+", *parts]:
            return sum(evaluated(part) for part in parts)
        case ["*", first, *others, (2.0, *last)]:
            return evaluated(first) * len(others) + last[0]
    return terms


@program(lambda: (0.7, -1.3))
def the_rest_of_a_pattern(a, b):
    return evaluated(["+", a, ["*", b, a, b, [2.0, a * b]], ["+"]]) ** 2
