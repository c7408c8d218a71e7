"""What comes to be, or goes, between two calls of one gradient: each call sees what plain Python sees."""
from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np
import pytest

import s2sgrad
from s2sgrad.errors import UnsupportedError

X = np.array([0.5, -1.0, 2.0])


def check_slope(gradient: Any, slope: Any, *args: Any) -> None:
    np.testing.assert_allclose(gradient(X, *args), slope * np.ones(3))


# ---------------------------------------------------------------------------- names outside

SETTINGS = types.ModuleType("settings")
captured: Any = 2.0
function_1: Any = 3.0


def scaled(x):
    return x * captured


def with_names_like_those_of_the_key(x):
    return np.sum(scaled(x) * function_1)


@pytest.mark.parametrize("name", ["captured", "function_1"])
def test_names_that_the_key_could_have(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = s2sgrad.grad(with_names_like_those_of_the_key)
    for value in (2, np.array([1.0, 2.0, 3.0]), 0.5):
        monkeypatch.setitem(globals(), name, value)
        check_slope(gradient, captured * function_1)


def with_what_may_be_missing(x):
    try:
        scale = SETTINGS.scale
    except AttributeError:
        scale = 3.0
    return np.sum(scale * x)


def test_an_attribute_of_a_module_that_goes() -> None:
    gradient = s2sgrad.grad(with_what_may_be_missing)
    for _ in range(2):
        SETTINGS.scale = 2.0  # type: ignore[attr-defined]
        check_slope(gradient, 2.0)
        del SETTINGS.scale  # type: ignore[attr-defined]
        check_slope(gradient, 3.0)


# ---------------------------------------------------------------------------- classes

class Layer:
    def __init__(self, weight):
        self.weight = weight

    def value(self, x):
        return self.weight * x


class Doubled(Layer):
    def value(self, x):
        return 2.0 * super().value(x)


class Between(Layer):
    def value(self, x):
        return 5.0 * super().value(x)


def with_optional_parts(x, layer):
    y = layer.value(x)
    if hasattr(layer, "bias"):
        y = y * layer.bias
    return np.sum(y) * (2.0 if layer else 3.0)


def test_what_classes_get_later(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = s2sgrad.grad(with_optional_parts, (0, 1))

    def check(expected: float) -> None:
        np.testing.assert_allclose(gradient(X, Doubled(3.0))[0], expected * np.ones(3))

    check(12.0)
    monkeypatch.setattr(Layer, "bias", 7.0, raising=False)
    check(84.0)
    monkeypatch.setattr(Layer, "__bool__", lambda self: False, raising=False)
    check(126.0)
    Doubled.__bases__ = Between,
    check(630.0)
    Doubled.__bases__ = Layer,
    monkeypatch.undo()
    check(12.0)


# ---------------------------------------------------------------------------- functions that hold others

@functools.singledispatch
def applied(layer: Any, x: Any) -> Any:
    return x


@applied.register
def _(layer: Layer, x: Any) -> Any:
    return layer.weight * x


CHOSEN = Doubled(3.0)


def with_one_of_its_functions(x):
    return np.sum(applied(CHOSEN, x))


def test_a_function_registered_later() -> None:
    gradient = s2sgrad.grad(with_one_of_its_functions)
    check_slope(gradient, 3.0)
    applied.register(Doubled, lambda layer, x: 5.0 * x)
    check_slope(gradient, 5.0)


def raised(x, scale=1.0, power=1):
    return np.sum(scale * x ** power)


PARTIAL = functools.partial(raised)


def with_a_partial_function(x):
    return PARTIAL(x)


def test_keywords_that_a_partial_function_gets_later() -> None:
    gradient = s2sgrad.grad(with_a_partial_function)
    check_slope(gradient, 1.0)
    PARTIAL.keywords["scale"] = 4.0
    check_slope(gradient, 4.0)
    PARTIAL.keywords["power"] = 2
    check_slope(gradient, 8.0 * X)
    PARTIAL.keywords.clear()
    check_slope(gradient, 1.0)


# ---------------------------------------------------------------------------- memory

OWN, OTHER = Layer(np.ones(3)), Layer(np.full(3, 2.0))


def with_two_objects(x):
    OWN.weight = OWN.weight * x
    return np.sum(OWN.weight * OTHER.weight)


def test_objects_that_were_one_in_a_call_before(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = s2sgrad.grad(with_two_objects)
    for _ in range(2):
        OWN.weight = np.ones(3)
        check_slope(gradient, 2.0)
        with monkeypatch.context() as both:
            both.setitem(globals(), "OTHER", OWN)
            with pytest.raises(UnsupportedError, match="OWN and OTHER share memory"):
                gradient(X)
