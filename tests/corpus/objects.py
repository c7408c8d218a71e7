"""Objects of plain classes: differentiated in their attributes, methods, properties, operators, inheritance."""
from __future__ import annotations

import types
from dataclasses import dataclass
from typing import Any

import numpy as np

from corpus.registry import normal, positive, program

# ---- attributes that are differentiated


class Layer:
    gain = 1.5
    shape = (3, 2)

    def __init__(self, weights, bias, activation=np.tanh):
        self.weights = weights
        self.bias = bias
        self.activation = activation
        self.name = "dense"
        self.calls = 0

    def linear(self, x):
        return x @ self.weights + self.bias

    def __call__(self, x):
        return self.activation(self.linear(x)) * self.gain

    def penalty(self, rate=0.1):
        return rate * np.sum(self.weights ** 2)

    @property
    def norm(self):
        return np.sqrt(np.sum(self.weights * self.weights))

    @property
    def scaled_norm(self):
        return self.norm * self.gain

    @staticmethod
    def mean_square(error):
        return np.mean(error * error)

    @classmethod
    def amplified(cls, x):
        return x * cls.gain + len(cls.shape)


class Residual(Layer):
    gain = 0.7

    def __init__(self, weights, bias, rate):
        super().__init__(weights, bias, np.sin)
        self.rate = rate

    def linear(self, x):
        return x * self.rate + super().linear(x)

    @property
    def norm(self):
        return 2.0 * super().penalty(self.rate)


class Network:
    def __init__(self, layers, head, scale):
        self.layers = layers
        self.head = head
        self.scale = scale

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x) * self.scale

    def error(self, x, target):
        rest = self(x) - target
        return Layer.mean_square(rest) + sum(layer.penalty() for layer in self.layers) + self.head.penalty(0.3)


class Slotted:
    __slots__ = ("mass", "spring", "label")

    def __init__(self, mass, spring):
        self.mass = mass
        self.spring = spring

    def frequency(self):
        return np.sqrt(self.spring / self.mass)


class Damped(Slotted):
    __slots__ = ("damping",)

    def __init__(self, mass, spring, damping):
        super().__init__(mass, spring)
        self.damping = damping

    def frequency(self):
        return super().frequency() * np.exp(-self.damping)


def network() -> Network:
    layers = [Residual(normal(n, 3, 3), normal(n + 10, 3), 0.1 * n) for n in (1, 2)]
    return Network(layers, Layer(normal(3, 3, 2), normal(13, 2)), 1.3)


@program(lambda: (Layer(normal(1, 3, 2), normal(2, 2)), normal(3, 4, 3)))
def method_of_a_differentiated_object(layer, x):
    return np.sum(layer(x) ** 2) + layer.penalty() + layer.penalty(rate=0.2) * layer.norm


program(lambda: (Residual(normal(1, 3, 3), normal(2, 3), 0.3), normal(3, 4, 3)))(Residual.linear)
program(lambda: (normal(3, 4, 3),))(network().__call__)
program(lambda: (network(), normal(3, 4, 3), 0.2))(Network.error)


@program(lambda: (Residual(normal(1, 3, 3), normal(2, 3), 0.3), normal(3, 3)))
def inherited_and_overridden(layer, x):
    y = layer(x) * layer.scaled_norm
    return layer.amplified(y) * type(layer).gain + layer.mean_square(x) * layer.__class__.gain + Layer.gain


@program(lambda: ({"layer": Layer(normal(1, 3, 2), normal(2, 2)), "rate": 0.3}, normal(3, 3)))
def objects_in_a_dict(params, x):
    layer = params["layer"]
    y = layer(x) if layer.name == "dense" else x
    return np.sum(y ** 2) * params["rate"] + params["layer"].bias[0]


@program(lambda: ([Slotted(1.5, 2.0), Damped(0.7, 3.0, 0.1)], 0.4))
def unlike_objects_with_slots(springs, t):
    first, second = springs
    return np.cos(first.frequency() * t) * second.frequency() + springs[1].damping


@program(lambda: ([Damped(0.5 + n, 2.0 + n * n, 0.1 * n) for n in range(4)], 0.4))
def loop_over_objects(springs, t):
    total = 0.0
    for spring in springs:
        if spring.spring > 2.5:
            total = total + spring.frequency() * np.cos(t * spring.mass)
        else:
            total += spring.damping * t
    return total * springs[0].mass


@program(lambda: (types.SimpleNamespace(a=normal(1, 3), inner=types.SimpleNamespace(b=0.5, n=2), tag=None), 0.3))
def namespaces(config, x):
    if config.tag is None:
        x = x * config.inner.b
    return np.sum(config.a ** config.inner.n) * x


@program(lambda: (Layer(normal(1, 3, 2), normal(2, 2)), normal(3, 3)))
def an_object_that_is_not_all_read(layer, x):
    return np.sum(x) * layer.bias[0]


@program(lambda: (Layer(0.3, 0.5), Layer(0.7, -0.2), 0.4))
def chosen_object(first, second, x):
    best = first if first.weights > second.weights else second
    return best.weights * x + second.bias


@program(lambda: (Layer(normal(1, 2, 2), normal(2, 2)), normal(3, 2)))
def attribute_that_is_called(layer, x):
    act = layer.activation
    for _ in range(3):
        x = act(layer.linear(x))
    return x


# ---- operators


@dataclass
class Vector:
    x: Any
    y: Any

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return self + -other

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __mul__(self, other):
        if isinstance(other, Vector):
            return self.x * other.x + self.y * other.y
        if not isinstance(other, (int, float)):
            return NotImplemented
        return Vector(self.x * other, self.y * other)

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self * (1.0 / other)

    def __matmul__(self, other):
        return self.x * other.y - self.y * other.x

    def __getitem__(self, index):
        return self.x if index == 0 else self.y

    def __len__(self):
        return 7

    def __abs__(self):
        return np.sqrt(self * self)

    def __call__(self, angle):
        return Vector(self.x * np.cos(angle) - self.y * np.sin(angle), self.x * np.sin(angle) + self.y * np.cos(angle))

    @classmethod
    def polar(cls, radius, angle):
        return cls(radius * np.cos(angle), radius * np.sin(angle))


class Axis(Vector):
    def __radd__(self, other):
        return Vector(3.0 * other.x, self.y)

    def __mul__(self, other):
        return Vector(self.x, self.y * 2.0)


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    def __mul__(self, other):
        return NotImplemented

    def __rmul__(self, other):
        return other * self.factor * 0.5


@program(lambda: (Vector(1.0, -2.0), Vector(0.5, 0.3), 0.7))
def vectors(a, b, t):
    c = a + b * t - 2.0 * a / (1.0 + t * t)
    return abs(c) * (a @ b) + c[1] * len(c) + (-c * a(t)) * a[0]


@program(lambda: (Vector(1.0, -2.0), 0.7, 1.2))
def operators_in_a_loop(v, t, r):
    for _ in range(3):
        v = v(t) * 0.9 + Vector.polar(r, t)
    total = Vector(0.0, 0.0)
    for k in range(2):
        total = total + v * float(k + 1)
    total += v
    return total


@program(lambda: (Vector(1.0, -2.0), Axis(0.5, 0.3)))
def reflected_method_of_the_derived_class(v, axis):
    return (v + axis).x + (v * axis) + (axis * v).y


@program(lambda: (0.7, Scaled(1.5)))
def reflected_after_not_implemented(x, scaled):
    return x * scaled + (2.0 * x) * scaled * scaled.factor


@program(lambda: (positive(1, 3), Scaled(1.5)), argnums=(0, 1))
def operator_inside_expressions(x, scaled):
    return np.sum(x) * (1.5 * scaled if x[0] > 0 else 0.5)


# ---- arrays in objects that the function made


class Buffer:
    def __init__(self, values):
        self.values = values.copy()

    def scale(self, factor):
        self.values *= factor


class Box:
    def __init__(self, content):
        self.content = content


@program(lambda: (normal(1, 4),))
def filled_from_outside(x):
    box = Box(np.zeros(4))
    for k, value in enumerate(x):
        box.content[k] = value * value
    return np.sum(box.content ** 3)


@program(lambda: (normal(1, 4),))
def scaled_from_outside(x):
    buffer = Buffer(x)
    buffer.scale(x[1])
    buffer.values[1:] *= x[0]
    return np.sum(buffer.values ** 2)


@program(lambda: (normal(1, 4),))
def replaced_after_each_write(x):
    box = Box(x.copy())
    for k in range(3):
        box.content[k] = 2.0 * x[k + 1]
        box = Box(box.content * x[0])
    return np.sum(box.content ** 2)


@program(lambda: (normal(1, 4),))
def boxes_in_a_list(x):
    boxes = [Box(x.copy()), Box(x * 2.0)]
    boxes[0].content[0] = x[1] ** 3
    return np.sum(boxes[0].content * boxes[1].content)


class Summand:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return Summand(self.v + (other.v if isinstance(other, Summand) else other))

    __radd__ = __add__

    def __iadd__(self, other):
        self.v = self.v + other.v
        return self


@program(lambda: (normal(1, 4),))
def sum_of_objects_that_add_in_place_too(x):
    return sum(Summand(v) for v in x).v ** 2 * sum([Summand(v * v) for v in x], Summand(1.0)).v


class Counter:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return Counter(self.v + 3.0 * other)

    def __iadd__(self, other):
        self.v = self.v + other
        return self


COUNTED = Counter(2.0)


@program(lambda: (normal(1, 3), Counter(1.5)), argnums=(0,))
def objects_from_outside_that_add_in_place_otherwise(x, counter):
    counter += 1.0
    held = [COUNTED, counter]
    held[0] += 2.0
    held[1] += 3.0
    total = x.sum() * held[0].v * held[1].v * counter.v
    COUNTED.v, counter.v = 2.0, 1.5
    return total


@program(lambda: (normal(1, 3, 2),))
def objects_in_lists_that_add_in_place_otherwise(x):
    rows = [Counter(v) for v in x]
    row = rows[0]
    rows[0] += x[1]
    table = {"a": Counter(x[0])}
    held = table["a"]
    table["a"] += x[2]
    nested = [[Counter(v)] for v in x]
    nested[1][0] += x[2]
    last = nested[1][0].v * table["a"].v
    return sum(np.sum(v.v ** 2) for v in rows) + np.sum(row.v ** 3 * held.v) + np.sum(last)


class Drift:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __mul__(self, factor):
        return Drift(self.x * factor, self.y * factor)

    __rmul__ = __mul__

    def __add__(self, other):
        return Drift(self.x + other.x, self.y + other.y)

    def __neg__(self):
        return Drift(-self.x, -self.y)

    def __getitem__(self, place):
        return (self.x, self.y)[place]


DOWN, ASIDE = Drift(0.3, -9.8), Drift(1.5, 0.5)


@program(lambda: (0.7, 1.3))
def operators_of_objects_outside(mass, t):
    total = Drift(0.0, 0.0)
    for force in (DOWN * mass, t * ASIDE, -DOWN * (mass * t)):
        total = total + force
    total = ASIDE + total
    return total.x * total.y + DOWN[0] * t**2


class Keeper:
    def __init__(self, kept, also=0.5):
        self.kept = kept
        self.also = also
        self.seen = 0.0

    def weighed(self, x):
        return np.sum(self.kept * x) * self.also

    def like(self, kept):
        return type(self)(kept, self.also)


class Twin:
    def __init__(self, kept):
        self.first, self.second = kept, kept


@program(lambda: (normal(1, 3), normal(2, 3)))
def constructors_that_keep_what_they_get(x, y):
    kind, total = Keeper, 0.0
    keepers = [Keeper(x * k, y[k]) for k in range(3)]
    keepers[1].kept = keepers[0].kept + 1.0

    def again(v):
        return kind(v, v[1]).weighed(y)

    changed = Keeper(y.copy(), x[0])
    changed.kept[0] = x[1]
    changed.also += 1.0
    around = Keeper(Keeper(x, y), Keeper(y, also=x))
    twin = Twin(x)
    pair = Keeper(x[0], x[1])
    for k in range(3):
        total += keepers[k].like(y).weighed(x) * keepers[k].also
        pair = Keeper(pair.also * y[k], pair.kept + pair.also)
    total += again(x) + again(y) + changed.weighed(changed.kept) + np.sum(twin.first * y) + np.sum(twin.second ** 2)
    return total + np.sum(around.kept.kept * around.also.also) + np.sum(around.kept.also ** 2) + pair.kept * pair.also


class Bead:
    def __init__(self, place, speed, mass):
        self.place, self.speed, self.mass = place, speed, mass

    def kick(self, force):
        self.speed = self.speed + force / self.mass


@program(lambda: (normal(1, 3, 2), normal(2, 3, 2), positive(3, 3)))
def beads_kicked_in_turn(places, speeds, masses):
    beads, total = [Bead(places[k], speeds[k], masses[0]) for k in range(3)], 0.0
    for k in range(2):
        beads[k].kick(beads[k].place * masses[1])
        beads[k].place = beads[k].place - beads[k + 1].speed * 0.5
        beads[k + 1].kick(-beads[k].place)
        beads[k].kick(beads[k + 1].place)
        total += np.sum(beads[k].speed * beads[k].place)
    return total + np.sum(beads[0].place * beads[2].speed)


class Topmost:
    def __init__(self, w, **others):
        super().__init__(**others)
        self.w = w


class Behind(Topmost):
    def __init__(self, gain, **others):
        super().__init__(**others)
        self.gain = gain

    def power(self, x):
        return self.gain * self.w * x ** 2


@program(lambda: (1.3, 0.4))
def constructors_with_nothing_behind_them(w, x):
    return Topmost(w * x).w * Behind(gain=w, w=x).power(x)


class Turn:
    __slots__ = ("x", "y")
    unit = 1.0

    def __init__(self, x=0.0, y=0.0):
        self.x = x
        self.y = y

    def __copy__(self):
        made = Turn()
        made.x, made.y = self.x, self.y
        return made

    copy = __copy__

    def __mul__(self, other):
        if isinstance(other, Turn):
            made = Turn()
            made.x = self.x * other.x - self.y * other.y
            made.y = self.x * other.y + self.y * other.x
            return made
        made = self.copy()
        made.x *= other * self.unit
        return made


@program(lambda: (0.7, -1.2))
def made_and_filled_by_operators(a, b):
    turn = Turn(a, b) * Turn(b, a * b) * a
    return turn.x * turn.copy().y


class Rated:
    def __init__(self, **settings):
        pass

    def scale(self):
        return 2.0


class Rating(Rated):
    def __init__(self, other):
        super().__init__(base=400)
        self.value = (other.value if isinstance(other, Rating) else other) * super().scale()


@program(lambda: (0.7,))
def base_classes_that_do_nothing_to_new_objects(x):
    first = Rating(x)
    second = Rating(first)
    return first.value * second.value


class Volume:
    def __init__(self, price):
        self.price = price


class Shelf:
    def __init__(self):
        self.volumes = {}

    def __setitem__(self, title, volume):
        self.volumes[title] = volume

    def __getitem__(self, title):
        print("asked for", title)
        return self.volumes[title]


@program(lambda: (normal(1, 3),))
def attributes_of_what_an_index_gives(x):
    shelf = Shelf()
    for title, v in zip("abc", x):
        shelf[title] = Volume(v ** 2)
    shelf["b"].price *= shelf["a"].price
    shelf["c"].price = 2.0 * shelf["b"].price
    return sum(volume.price ** 2 for volume in shelf.volumes.values())


class Shelved:
    def __init__(self, parts):
        self.parts = parts


@program(lambda: (normal(2, 3),))
def a_list_of_an_object_without_a_name(x):
    stacked = np.stack(Shelved([x, x ** 2]).parts)
    return np.sum(stacked ** 3) + np.array(types.SimpleNamespace(parts=[x[0], x[1] * 2.0]).parts) @ x[:2]
