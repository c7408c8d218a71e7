"""Functions as people use them: partials, methods, objects that are called, decorators, ``*args`` and ``**kwargs``."""
from __future__ import annotations

import copy
import dataclasses
import functools
import operator
import types

import numpy as np

from corpus.registry import normal, positive, program

# ---- partials


def affine(x, w, b=0.0, *, scale=1.0):
    return (x * w + b) * scale


doubled = functools.partial(np.multiply, 2.0)
columns = functools.partial(np.sum, axis=0)
three_times = functools.partial(affine, 3.0, scale=2.0)
with_array = functools.partial(affine, w=np.array([1.0, -2.0, 0.5]))
nested = functools.partial(functools.partial(affine, 2.0), b=1.0)


@program(lambda: (normal(1, 2, 3),))
def partial_of_a_numpy_function(x):
    return np.sum(doubled(x) * columns(x))


@program(lambda: (0.7,))
def partial_of_a_function(x):
    return three_times(x) + three_times(2.0 * x, x) + three_times(x, scale=x, b=x)


@program(lambda: (normal(2, 3),))
def partial_that_holds_an_array(x):
    return np.sum(with_array(x) * x) + np.sum(with_array(x, w=x))


@program(lambda: (0.7,))
def partial_of_a_partial(x):
    return nested(x) * nested(x, scale=x)


@program(lambda: (0.7, 1.3))
def partial_made_here(x, y):
    shifted = functools.partial(np.power, 2.0)
    return np.sin(x) * y + operator.mul(*(x, y)) + (0.0 if shifted is None else y)


# ---- methods and objects


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return self.factor * x


class Layer:
    gain = 1.5
    power = 2

    def __init__(self, weights, activation):
        self.weights = weights
        self.activation = activation
        self.scale = Scale(0.5)

    def linear(self, x):
        return x @ self.weights

    def predict(self, x):
        return self.scale(self.activation(self.linear(x)) * self.gain)

    def loss(self, x, target=0.2):
        return np.sum((self.predict(x) - target) ** self.power)

    @staticmethod
    def squared(x):
        return np.sum(x * x)

    @classmethod
    def gained(cls, x):
        return x * cls.gain

    @property
    def doubled_gain(self):
        return 2.0 * self.gain

    def __eq__(self, other):
        return True

    __hash__ = None


class Wider(Layer):
    gain = 0.3

    def linear(self, x):
        return super_linear(self, x) + x[0]


def super_linear(self, x):
    return Layer.linear(self, x)


layer = Layer(np.array([[0.3, -0.2], [0.1, 0.8], [-0.5, 0.4]]), np.tanh)
wider = Wider(np.array([[0.3], [0.1], [-0.5]]), np.sin)
predict = layer.predict
config = types.SimpleNamespace(activation=np.exp, rate=0.3, turns=3)


@program(lambda: (normal(3, 3),))
def method_of_a_captured_object(x):
    return layer.loss(x) + wider.loss(x, target=x[1])


@program(lambda: (normal(4, 2, 3),))
def bound_method_under_a_name(x):
    return np.sum(predict(x) * predict(2.0 * x))


@program(lambda: (normal(5, 3), copy.deepcopy(layer)))
def method_of_an_argument(x, model):
    return model.loss(x) * model.squared(x) + np.sum(model.gained(x)) * model.doubled_gain


@program(lambda: (normal(5, 3), copy.deepcopy(wider)))
def method_of_another_argument(x, model):
    return method_of_an_argument(x, model) + Layer.squared(x) + Layer.gain * np.sum(Wider.gained(x))


@program(lambda: (normal(6, 3), copy.deepcopy(layer)))
def attributes_are_constants(x, model):
    weights = model.weights
    total = 0.0
    for column in weights.T:
        total = total + np.sum(column * x) ** model.power
    return total * model.scale.factor + model.scale(np.sum(x))


@program(lambda: (0.4,))
def settings_in_a_namespace(x):
    for _ in range(config.turns):
        x = x + config.rate * config.activation(-x)
    return x


@program(lambda: (normal(7, 3),))
def callable_object_passed_on(x):
    return applied(layer.scale, x) + applied(Layer.squared, x) + applied(layer.loss, x) + applied(doubled, x)


def applied(function, x):
    return np.sum(function(x) * function(x + 1.0))


program(lambda: (normal(8, 3), 0.4))(layer.loss)
program(lambda: (normal(8, 3),))(layer.gained)
program(lambda: (normal(8, 3),))(Layer.squared)
program(lambda: (0.7, -1.2))(np.hypot)
program(lambda: (normal(8, 3),))(np.linalg.norm)


# ---- decorators


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        result = function(*args, **kwargs)
        assert result is not None
        return 2.0 * result
    return wrapper


def repeated(times):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(x, *args):
            for _ in range(times):
                x = function(x, *args)
            return x
        return wrapper
    return decorate


@functools.lru_cache(maxsize=8)
def remembered(x):
    return x * x + 1.0


@logged
def decorated(x, y=2.0):
    return np.sin(x) * y


program(lambda: (0.7, 1.2))(decorated)


@repeated(3)
def step(x, rate):
    return x + rate * np.sin(x)


program(lambda: (0.7, 0.2))(step)


@program(lambda: (0.7, 1.2))
def decorated_helpers(x, y):
    return decorated(x) * decorated(x, y=y) + step(x, y) + decorated(y, x)


@program(lambda: (0.7,))
def remembered_helper(x):
    return remembered(x) * x


@functools.cache
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


@program(lambda: (0.7,))
def series(x):
    total = 0.0
    for k in range(4):
        total += x ** k / factorial(k)
    return total


# ---- *args and **kwargs


@program(lambda: (0.7, 1.2, -0.4))
def sum_of_squares(*args):
    total = 0.0
    for value in args:
        total = total + value * value
    return total * args[0] + len(args) * args[-1]


@program(lambda: (0.7, normal(9, 3), normal(10, 3)))
def first_and_others(x, *others, scale=2.0):
    return x * np.sum(others[0]) * scale + np.sum(np.stack(others) ** 2)


@program(lambda: (0.7, 0.9))
def no_further_arguments(x, y, *args, **kwargs):
    return x * y * kwargs.get("scale", 3.0) + (args[0] if args else x)


@program(lambda: (0.7, 1.2))
def handed_on(*args):
    return affine(*args) + affine(*args, scale=args[1]) * affine(3.0, *args)


def with_options(x, *args, power=2, **options):
    y = x**power * options.get("scale", 1.0) + options.get("shift", 0.0)
    if "weight" in options:
        y = y * options["weight"]
    for value in args:
        y = y + value * x
    return y


@program(lambda: (0.7, 1.2))
def helper_with_options(x, y):
    return (with_options(x) + with_options(x, y, y * y) + with_options(x, scale=y, power=3)
            + with_options(y, x, weight=x, shift=y))


def all_handed_on(x, **options):
    return with_options(x, **options) + with_options(2.0 * x, 1.5, **options)


@program(lambda: (0.7, 1.2))
def options_handed_on(x, y):
    return all_handed_on(x) * all_handed_on(x, scale=y) + all_handed_on(y, shift=x, power=3)


def pair(x):
    return x, np.sin(x)


@program(lambda: (0.7,))
def pair_spread_over_a_call(x):
    both = pair(x)
    return affine(*both) * np.hypot(*both) + affine(1.0, *pair(x * x)) + max(*both)


@program(lambda: (positive(11, 3), 0.5))
def rebound_args(x, *args):
    args = (args[0] * 2.0, *args) if len(args) > 5 else args
    return np.sum(x) * args[0]


@program(lambda: (0.7, 0.3))
def variadic_recursion(x, *rest):
    if len(rest) == 0:
        return x * x
    return x * variadic_recursion(*rest) + np.sin(x)


@program(lambda: (normal(12, 4), normal(13, 4)))
def lambda_with_args(x, y):
    return np.sum(multiplied(x, y) * multiplied(x)) + np.sum(multiplied(y, y, x))


multiplied = lambda first, *others: first * (others[0] if others else 2.0)  # noqa: E731


@program(lambda: (0.7, 1.2))
def keywords_of_a_dict(x, y):
    options = {"scale": y, "shift": x}
    return with_options(x, **options) * affine(x, w=y, b=x) + affine(1.0, y, **SCALED)


SCALED = {"scale": 2.5}


@dataclasses.dataclass
class Line:
    slope: float
    start: float = 0.5

    def at(self, x):
        return self.slope * x + self.start

    def __call__(self, x):
        return self.at(x) * self.twice(x)

    @staticmethod
    def twice(x):
        return 2.0 * x


@program(lambda: (Line(0.3, 0.7), 1.3))
def methods_of_a_dataclass(line, x):
    return line.at(x) + Line(x, line.slope).at(2.0) + line.twice(x) * Line.at(line, x)


named_line = Line(1.5)


@program(lambda: (0.3, named_line), argnums=(0,))
def methods_of_a_captured_dataclass(x, line):
    return named_line.at(x) + line.at(x) * np.sin(x)


@program(lambda: (normal(1, 3), 2.0))
def loop_over_functions(x, k):
    total = 0.0
    layers = [np.tanh, lambda t: t * k, np.sin]
    for function in layers:
        if np.sum(x) > 0.1:
            x = function(x)
        total += np.sum(x)
    for name, function in (("a", np.cos), ("bb", np.exp)):
        total *= np.sum(function(x * len(name)))
    return total


@program(lambda: (normal(201, 4), 1.3))
def pieces_and_a_default(x, w):
    y = np.piecewise(x * w, [x < 0.0, x >= 0.5], [lambda v: v ** 2, 3.0, np.exp])
    return (y * x).sum()


@program(lambda: (normal(202, 2, 3), 1.3))
def later_pieces_win(x, w):
    low = x < 0.4

    def rooted(v):
        return np.sqrt(np.abs(v) + w)

    return (np.piecewise(x, (low, low & (x > -0.5)), (rooted, w)) * x).sum()


@program(lambda: (normal(203, 2, 4, 3), 1.3))
def vectors_along_an_axis(x, w):
    return (np.apply_along_axis(lambda row: row[:2] * w + row.sum(), 1, x) ** 2).sum()


@program(lambda: (normal(204, 4, 3), 1.3))
def numbers_along_an_axis(x, w):
    of_nothing = np.apply_along_axis(np.prod, 1, x[:, :0])
    return (np.apply_along_axis(np.prod, -1, x) ** 2).sum() * w + np.apply_along_axis(np.linalg.norm, 0, x).sum() \
        + of_nothing.sum() * w


SHIFT = np.array([0.5, 1.5, 2.5])


def shifted(x, scale):
    return np.tanh(x * scale) + np.zeros(x.shape), (x * SHIFT[0]).sum()


def with_shift(x):
    return np.sum(x * SHIFT) + np.sum(x)


@program(lambda: (normal(81, 3), normal(82, 4), normal(83, 1)))
def of_other_sizes(x, y, z):
    a, first = shifted(x, x)
    b, second = shifted(y, y * 2.0)
    c, third = shifted(a, x)
    d, fourth = shifted(y, 3.0)
    return np.sum(a * c) * first + np.sum(b * d) * second + third * fourth + with_shift(x) * with_shift(z)
