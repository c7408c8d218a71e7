"""Keywords that dicts give calls, the dicts written out, in lists, with unlike keys."""
from __future__ import annotations

import numpy as np

from corpus.registry import program

UNLIKE = [{"scale": 2.0}, {"scale": 3.0, "shift": 1.0}]
ALIKE = [{"scale": 2.0}, {"scale": 3.0}]
NAMED = [("first", {"scale": 2.0}), ("second", {"shift": -0.5})]
BY_NAME = {"first": {"scale": 2.0}, "second": {"scale": 0.5, "shift": 1.0}}
KINDS = [{"kind": "scale", "by": 2.0}, {"kind": "norm", "eps": 1e-3}]


def layer(z, scale=1.0, shift=0.0):
    return np.tanh(z * scale + shift)


def vector():
    return (np.array([0.3, -0.4, 1.2, 0.7]),)


def vector_and_options():
    return *vector(), [{"scale": 2.0}, {"shift": 1.0}]


def vector_and_choice():
    return *vector(), True


@program(vector)
def layers_of_a_global_list(z):
    for options in UNLIKE:
        z = layer(z, **options)
    return np.sum(z)


@program(vector)
def layers_with_the_same_keys(z):
    for options in ALIKE:
        z = layer(z, **options)
    return np.sum(z)


@program(vector)
def numbered_layers(z):
    for number, options in enumerate(UNLIKE):
        z = layer(z, **options) * (number + 1)
    return np.sum(z)


@program(vector)
def layers_with_names(z):
    for label, options in NAMED:
        z = layer(z, **options) * len(label)
    return np.sum(z)


@program(vector)
def layers_by_name(z):
    for label, options in BY_NAME.items():
        z = layer(z, **options) / len(label)
    return np.sum(z)


@program(vector)
def looked_up_by_name(z):
    for label in BY_NAME:
        z = layer(z, **BY_NAME[label])
    return np.sum(z)


@program(vector)
def looked_up_by_number(z):
    for i in range(len(UNLIKE)):
        z = layer(z, **UNLIKE[i])
    return np.sum(z)


@program(vector)
def with_defaults_before_them(z):
    for options in UNLIKE:
        merged = {"scale": 1.5, **options}
        z = layer(z, **merged)
    return np.sum(z)


@program(vector)
def summed_over_options(z):
    return sum(np.sum(layer(z, **options)) for options in UNLIKE)


@program(vector_and_options)
def layers_of_an_argument(z, all_options):
    for options in all_options:
        z = layer(z, **options)
    return np.sum(z)


@program(vector_and_choice)
def one_of_two(z, first):
    options = UNLIKE[0] if first else UNLIKE[1]
    return np.sum(layer(z, **options))


@program(vector)
def one_key_a_turn(z):
    total = 0.0
    for label in ["shift", "scale"]:
        total += np.sum(layer(z, **{label: z[0]}))
    return total


@program(vector)
def kinds_of_layers(z):
    for options in KINDS:
        if options["kind"] == "scale":
            z = z * options["by"]
        else:
            z = z / np.sqrt(np.sum(z ** 2) + options["eps"])
    return np.sum(z ** 3)


class Network:
    def __init__(self, all_options):
        self.all_options = all_options

    def __call__(self, z):
        for options in self.all_options:
            z = layer(z, **options)
        return z


NETWORK = Network(UNLIKE)


@program(vector)
def an_object_with_options(z):
    return np.sum(NETWORK(z))


def root(function, start, args=(), options={}, *, more={"power": 2}):  # noqa: B006
    for _ in range(4):
        start = start - 0.2 * function(start, *args, **options, **more)
    return start


def excess(x, level, scale=1.0, power=1):
    return scale * x ** power - level


@program(lambda: (0.7, 1.4))
def defaults_handed_on(level, start):
    return root(excess, start, (level,)) * root(excess, start, (level ** 2,), {"scale": 0.5}, more={})
