"""Objects as people build models of them: layers in a list, functions in attributes, abstract bases."""
from __future__ import annotations

import abc
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from corpus.registry import normal, positive, program


def same(v):
    return v


class Dense:
    def __init__(self, w, b, act=np.tanh):
        self.w, self.b, self.act = w, b, act

    def __call__(self, x):
        return self.act(x @ self.w + self.b)


class Net:
    def __init__(self, layers):
        self.layers = layers

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    __call__ = forward

    def named(self, x):
        total = 0.0
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i == 0:
                continue
            total = total + np.sum(x**2)
        return total

    def parameters(self):
        for layer in self.layers:
            yield layer.w
            yield layer.b


def net():
    return Net([Dense(normal(1, 3, 4), normal(2, 4)), Dense(normal(3, 4, 4), normal(4, 4), np.sin),
                Dense(normal(5, 4, 1), normal(6, 1), same)])


@program(lambda: (net(), normal(7, 5, 3)))
def layers_in_a_list(n, x):
    return np.mean(n.forward(x) ** 2) + n.named(x)


@program(lambda: (net(), normal(7, 5, 3)))
def penalty(n, x):
    return np.mean(n(x) ** 2) + 0.1 * sum(np.sum(p**2) for p in n.parameters())


@program(lambda: ([normal(1, 3, 4), normal(3, 4, 4)], [normal(2, 4), normal(4, 4)], normal(7, 5, 3)))
def made_here(ws, bs, x):
    n = Net([Dense(w, b) for w, b in zip(ws, bs)])
    return np.sum(n.forward(x) ** 2)


def applied(x, act=np.tanh, scale=2.0):
    return act(x) * scale


@program(lambda: (normal(1, 4),))
def functions_as_defaults(x):
    return np.sum(applied(x) * applied(x, np.cos))


class Base(abc.ABC):
    @abc.abstractmethod
    def f(self, x): ...

    def __call__(self, x):
        return self.f(x) + 1.0


class Quadratic(Base):
    def __init__(self, a):
        self.a = a

    def f(self, x):
        return self.a * x**2


class Composed(Base):
    def __init__(self, *parts):
        self.parts = parts

    def f(self, x):
        for part in self.parts:
            x = part(x)
        return x


@program(lambda: (Composed(Quadratic(0.5), Composed(Quadratic(1.5))), 0.7))
def composed(c, x):
    return c(x)


@program(lambda: (positive(1, 5),), needs="shapes")
def namespace_made_here(x):
    state = SimpleNamespace(total=0.0, best=x[0])
    for v in x:
        state.total += v**2
        if v > state.best:
            state.best = v
    return state.total * state.best


@dataclass
class Circle:
    radius: Any


@dataclass
class Rectangle:
    width: Any
    height: Any


class Square:
    __match_args__ = ("side",)

    def __init__(self, side):
        self.side = side


def area(shape):
    match shape:
        case Circle(radius=r):
            return np.pi * r**2
        case Rectangle(w, height=h):
            return w * h
        case Square(s) if s > 0.0:
            return s**2
        case float() | int():
            return shape * 2.0
        case _:
            return 0.0


@program(lambda: (Circle(1.5), Rectangle(2.0, 3.0), Square(1.2), 0.5))
def shapes_told_apart(circle, rectangle, square, number):
    return area(circle) * area(rectangle) * area(square) + area(number)
