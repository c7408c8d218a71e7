"""What is chosen by members of enumerations, and by the class of an argument."""
from __future__ import annotations

import enum
import functools
from dataclasses import dataclass, field

import numpy as np

from corpus.registry import normal, positive, program


class Activation(enum.Enum):
    TANH = "tanh"
    SINE = "sine"
    RAMP = "ramp"

    def apply(self, z):
        return np.tanh(z) if self is Activation.TANH else np.sin(z) * self.slope

    @property
    def slope(self):
        return 0.5 if self is Activation.SINE else 2.0


class Phase(str, enum.Enum):
    LIQUID = "liquid"
    GAS = "gas"


FUNCTIONS = {Activation.TANH: np.tanh, Activation.SINE: np.sin, Activation.RAMP: lambda z: np.maximum(z, 0.1 * z)}
HEATS = {Phase.LIQUID: lambda t: 2.0 * t, Phase.GAS: lambda t: t ** 2 / 3.0}
RATES = {Phase.LIQUID: 0.5, Phase.GAS: 0.7}


@program(lambda: (normal(1, 4),))
def function_of_a_member(x):
    return (FUNCTIONS[Activation.TANH](x) * FUNCTIONS[Activation.RAMP](x)).sum()


@program(lambda: (normal(1, 4), Activation.SINE), argnums=(0,))
def function_of_a_member_given(x, kind):
    return FUNCTIONS[kind](x).sum() + kind.apply(x).sum() * len(kind.value)


@program(lambda: (normal(1, 4), "ramp", "TANH"), argnums=(0,))
def members_by_value_and_name(x, value, name):
    return FUNCTIONS[Activation(value)](x).sum() + FUNCTIONS[Activation[name]](x).sum()


class Layer:
    def __init__(self, w, activation):
        self.w = w
        self.activation = activation

    def __call__(self, x):
        return FUNCTIONS[self.activation](self.w @ x)


@program(lambda: (normal(1, 3, 3), normal(2, 3, 3), normal(3, 3)))
def layers_with_members(w, v, x):
    for layer in (Layer(w, Activation.TANH), Layer(v, Activation.SINE)):
        x = layer(x)
    return (x ** 2).sum()


@program(lambda: (normal(1, 4), [Activation.TANH, Activation.SINE, Activation.TANH]), argnums=(0,))
def members_in_a_list(x, kinds):
    for kind in kinds:
        x = FUNCTIONS[kind](x)
    return x.sum()


@program(lambda: (positive(1, 3), Phase.GAS), argnums=(0,))
def members_that_are_texts(t, phase):
    heat = HEATS[phase](t) * RATES[phase]
    return heat.sum() if phase == "gas" else heat[0]


@program(lambda: (positive(1, 3), {"kind": Activation.RAMP, "gain": 2.0}), argnums=(0,))
def member_in_options(x, options):
    match options["kind"]:
        case Activation.TANH:
            return np.tanh(x).sum()
        case Activation.RAMP:
            return options["gain"] * (x ** 2).sum()
    return x.sum()


@program(lambda: (positive(1, 3),))
def sums_under_members(x):
    totals = {Activation.TANH: 0.0, Activation.SINE: 0.0}
    for kind in (Activation.TANH, Activation.SINE):
        totals[kind] += FUNCTIONS[kind](x).sum()
    totals[Activation.SINE] *= x[0]
    return totals[Activation.TANH] * totals[Activation.SINE]


class Square:
    def __init__(self, side):
        self.side = side


class Cube(Square):
    pass


class Circle:
    def __init__(self, radius):
        self.radius = radius


@functools.singledispatch
def area(shape):
    return 3.0


@area.register
def _(shape: Square):
    return shape.side ** 2


@area.register(Circle)
def _(shape, scale=1.0):
    return np.pi * shape.radius ** 2 * scale


@program(lambda: (positive(1, 4),))
def dispatched(x):
    shapes = [Square(x[0]), Circle(x[1]), Cube(x[2])]
    return sum(area(shape) for shape in shapes) * area(Circle(x[3]), scale=x[0]) + area("point") * x[1]


@program(lambda: ([Square(0.5), Circle(1.5), Square(0.7)],))
def dispatched_given(shapes):
    total = 0.0
    for shape in shapes:
        total += area(shape) ** 2
    return total


@functools.singledispatch
def squared(tree):
    return tree * tree


@squared.register
def _(tree: np.ndarray):
    return (tree ** 2).sum()


@squared.register
def _(tree: dict):
    return sum(squared(branch) for branch in tree.values())


@program(lambda: (positive(1, 3), 0.7))
def dispatched_by_containers(x, s):
    return squared({"a": x, "b": {"c": s * x[0], "d": 2.0 * x}}) * s


class Mode(enum.Enum):
    OFF = 0
    HEAT = 1
    COOL = 2


@dataclass
class Thermostat:
    wanted: float
    mode: Mode = Mode.OFF
    history: list = field(default_factory=list)

    def control(self, t):
        if self.mode is Mode.OFF:
            if t < self.wanted - 1.0:
                self.mode = Mode.HEAT
            elif t > self.wanted + 1.0:
                self.mode = Mode.COOL
        elif self.mode is Mode.HEAT and t > self.wanted:
            self.mode = Mode.OFF
        self.history.append((self.mode.name, t))
        return {Mode.OFF: 0.0, Mode.HEAT: 2.0, Mode.COOL: -1.5}[self.mode]


@program(lambda: (17.0, 20.0, 12.0))
def modes_of_an_object_that_keeps_a_history(t, wanted, outside):
    device = Thermostat(wanted)
    for _ in range(6):
        t = t + 0.5 * device.control(t) + 0.05 * (outside - t)
    return sum((v - wanted) ** 2 for name, v in device.history if name != "COOL") + t
