"""Gradients that the program takes itself, of functions of every kind."""
from __future__ import annotations

import functools

import numpy as np

from corpus.registry import normal, program
from s2sgrad import grad, jacobian, value_and_grad, vjp


def energy(w, x, scale=1.0):
    return np.sum(np.tanh(w * x)) * scale


def summed(*terms, power=2.0):
    return sum(np.sum(term ** power) for term in terms)


FACTORS = np.array([1.0, 2.0, 0.5])
of_a_partial = grad(functools.partial(energy, FACTORS), 0)
of_a_keyword = grad(functools.partial(energy, scale=3.0), (1, 0))
of_the_rest = grad(functools.partial(summed, FACTORS, power=3.0), (1, 0))
partial_of_a_gradient = functools.partial(grad(energy, 1), FACTORS, scale=0.5)


@program(lambda: (normal(1, 3), normal(2, 3)))
def in_the_order_of_argnums(w, x):
    x_bar, w_bar = grad(energy, (1, 0))(w, x)
    return np.sum(x_bar * w_bar ** 2)


@program(lambda: (normal(1, 3), 1.5))
def of_what_has_arguments_of_its_own(x, s):
    return np.sum(of_a_partial(x) ** 2) + np.sum(of_a_partial(x, scale=s) * x)


@program(lambda: (normal(1, 3), normal(2, 3)))
def of_what_has_a_keyword_of_its_own(w, x):
    x_bar, w_bar = of_a_keyword(w, x)
    return np.sum(x_bar * w_bar ** 2) + np.sum(of_a_keyword(w, x, scale=w[0])[0])


@program(lambda: (normal(1, 3), normal(2, 3)))
def of_what_takes_any_number(w, x):
    second, first = of_the_rest(w, x)
    return np.sum(first * second ** 2)


@program(lambda: (normal(1, 3),))
def a_gradient_with_arguments_of_its_own(x):
    return np.sum(partial_of_a_gradient(x) ** 2) + np.sum(partial_of_a_gradient(x, scale=x[1]))


@program(lambda: (normal(1, 3), normal(2, 3)))
def pullback_of_what_reads_values_from_around_it(w, x):
    return np.sum(vjp(lambda z: np.sum(z ** 2 * w), x)[1](1.0)[0] ** 2)


@program(lambda: (normal(1, 3), normal(2, 3)))
def arguments_after_a_gradient_is_named(w, x):
    slope = functools.partial(grad(energy, 1), w, scale=2.0)
    return np.sum(slope(x) ** 2)


@program(lambda: (normal(1, 3), normal(2, 3)))
def of_a_partial_made_inside(w, x):
    return np.sum(grad(functools.partial(energy, w))(x) ** 2)


@program(lambda: (normal(1, 3), normal(2, 3)))
def of_any_number(w, x):
    first, second = grad(lambda *terms: np.sum(w * terms[0] * terms[1] ** 2), (0, 1))(x, w)
    return np.sum(first * second)


@program(lambda: (normal(1, 3), normal(2, 3)))
def of_any_keywords(w, x):
    def scaled(v, **factors):
        return sum(np.sum(w * v ** 2) * factor for factor in factors.values())
    value, slope = value_and_grad(scaled)(x, a=w[0], b=x[1])
    return np.sum(slope ** 2) * value


@program(lambda: (normal(1, 3), 0.5))
def of_a_gradient(w, t):
    def wave(s):
        return np.sum(np.sin(w * s))
    slope = grad(wave)
    return grad(slope)(t) * t + grad(grad(slope))(t)


class Spring:
    def __init__(self, k):
        self.k = k

    def energy(self, x, scale=1.0):
        return np.sum(np.tanh(self.k * x)) * scale

    def moved(self, x):
        return x - 0.1 * grad(self.energy)(x)

    def __call__(self, x):
        return np.sum(self.k ** 2 * x ** 3)


@program(lambda: (normal(1, 3), normal(2, 3)))
def of_methods(w, x):
    spring = Spring(w)
    slope = grad(spring.energy)
    return np.sum(slope(x) * slope(w, scale=x[0])) + np.sum(spring.moved(spring.moved(x)))


def filled(x, spring):
    u = x * spring.k
    u[1:] *= 2.0
    return u * x


@program(lambda: (normal(1, 3), normal(2, 3)))
def of_what_writes_and_gets_an_object(w, x):
    spring = Spring(w)
    return np.sum(jacobian(lambda v: filled(v, spring))(x) ** 2)


@program(lambda: (normal(1, 3), normal(2, 3)))
def of_methods_of_each(w, x):
    springs = [Spring(w), Spring(x), Spring(w * x)]
    total = 0.0
    for spring in springs:
        total = total + np.sum(grad(spring.energy)(x) ** 2)
    return total * sum(np.sum(grad(spring.energy)(w)) for spring in springs)


@program(lambda: (normal(1, 3), normal(2, 3)))
def of_objects(w, x):
    spring = Spring(w)
    value, slope = value_and_grad(spring)(x)
    return value * np.sum(slope) + sum(np.sum(grad(each)(x)) for each in [Spring(x), spring])


@program(lambda: (normal(1, 3), normal(2, 3)))
def methods_handed_on(w, x):
    def twice(function, v):
        return function(v) + np.sum(grad(function)(v) ** 2)
    spring = Spring(w)
    return twice(spring.energy, x) * twice(spring, x)


def doubled(w):
    return lambda x: np.sum(2.0 * w * x)


def added(a, b):
    return np.sum(a + b ** 2)


@program(lambda: (normal(1, 3), normal(2, 3)))
def makers_with_a_name_from_outside(w, x):
    def doubled(w):
        return lambda x: np.sum(w * x ** 2)
    return doubled(w)(x)


@program(lambda: (normal(1, 3), 0.5))
def imported_under_a_name_from_outside(w, x):
    from math import sin as doubled
    return doubled(x) * np.sum(w)


@program(lambda: (normal(1, 3), normal(2, 3)))
def partials_of_what_is_bound_anew(w, x):
    def energy(a, b):
        return np.sum(np.tanh(a * b) * w)
    first = functools.partial(energy, x)
    energy = added
    second = functools.partial(energy, x)
    energy = np.dot
    return first(w) * second(w) * energy(w, x)


@program(lambda: (normal(1, 3), normal(2, 3)))
def comprehensions_with_the_names_of_others(w, x):
    def scaled(v):
        return w * v
    total = sum([scaled(v) * w for v in x for w in x])
    return np.sum(total) + sum(np.sum(scaled(w) * (lambda u: u * w)(2.0)) for w in w)


class Lens:
    def __init__(self, w):
        self.w = w

    def bent(self, x, lens):
        return np.sum(self.w * x ** 2 * lens.w)


@program(lambda: (normal(1, 3), normal(2, 3)))
def methods_with_the_name_of_their_object(w, x):
    lens, other = Lens(w), Lens(x)
    return np.sum(grad(lens.bent)(x, other) ** 3)
