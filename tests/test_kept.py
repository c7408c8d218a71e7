"""A pullback outlives its call: what the caller writes afterwards into what both have changes nothing."""
from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from corpus import PROGRAMS, Program, assert_same
from corpus.registry import attributes, is_object

import s2sgrad
from s2sgrad.judge import compare, cotangent_like

THEMES = ("given_containers.", "handed_back.", "layers_with_state.", "linked.",
          "objects.", "particles.", "states.", "worlds.")
CHANGING = [program for program in PROGRAMS if program.name.startswith(THEMES)]


def spoil(value: Any) -> None:
    """Write into all that an argument is or holds."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f" and value.flags.writeable:
            value += 7.0
    elif isinstance(value, (list, tuple)):
        for part in value:
            spoil(part)
        if isinstance(value, list):
            value.append(5.0)
            value.reverse()
    elif isinstance(value, dict):
        for key, part in value.items():
            spoil(part)
            value[key] = 9.0 if isinstance(part, float) else part
        value["another"] = 1.0
    elif is_object(value):
        for name, part in attributes(value).items():
            spoil(part)
            if isinstance(part, float):
                setattr(value, name, 11.0)


@pytest.mark.parametrize("program", CHANGING, ids=lambda program: program.name)
def test_pullbacks_are_kept(program: Program) -> None:
    args = program.args()
    value, pullback = s2sgrad.vjp(program.function, *args)
    cotangent = cotangent_like(value)
    before = pullback(cotangent)
    again = pullback(cotangent)
    assert_same(again, before)
    spoil(args)
    assert_same(pullback(cotangent), before)


def test_values_are_the_same_in_any_layout() -> None:
    """Sums go along memory: a copy in another layout would give another last digit."""
    def products(a):
        return np.prod(a, axis=(0, 2))

    rng = np.random.default_rng(3)
    for a in (np.asfortranarray(rng.normal(size=(5, 4, 7))), rng.normal(size=(7, 5, 4)).transpose(1, 2, 0)):
        np.testing.assert_array_equal(s2sgrad.vjp(products, a)[0], products(a))


def chosen_parts(x: Any, y: Any, which: tuple) -> Any:
    parts = ([x, 2 * x], {"q": y, "r": 2 * y}, (x * y, y))
    return tuple([parts[i] for i in which])


def chosen_again(x: Any, y: Any, which: tuple) -> Any:
    parts = ([x, 2 * x], {"q": y, "r": 2 * y}, (x * y, y))
    part = parts[which[0]]
    found = [part]
    for i in which:
        found.append(parts[i])
        found.append(part)
    return found, part


@pytest.mark.parametrize("function", [chosen_parts, chosen_again])
@pytest.mark.parametrize("which", [(0,), (1,), (2, 2), (0, 1), (1, 2, 0)])
def test_parts_of_unlike_forms_that_numbers_choose(function: Any, which: tuple) -> None:
    """What is chosen may be a list or a dict: cotangents of lists are not joined, but added up."""
    value, pullback = s2sgrad.vjp(function, np.array([1.0, 2.0]), np.array([0.5, 3.0]), which)
    compare(pullback(value)[:2], lambda x, y: function(x, y, which),
                          (np.array([1.0, 2.0]), np.array([0.5, 3.0])), (0, 1), value)


@dataclass
class Settings:
    w: Any
    scale: float = 0.5

    def applied(self, x):
        return np.tanh(self.w @ x) * self.scale


def with_settings(x, settings):
    return (np.tanh(settings.w @ x) ** 2).sum() * settings.scale


def with_a_method(x, settings):
    return (settings.applied(x) ** 2).sum()


def through_another(x, settings):
    return with_settings(x, settings) * with_settings(2.0 * x, settings)


def with_several(x, several):
    total = 0.0
    for settings in several:
        total = total + with_settings(x, settings)
    return total


@pytest.mark.parametrize("function, made", [
    (with_settings, Settings), (with_a_method, Settings), (through_another, Settings),
    (with_several, lambda w: [Settings(w), Settings(w)]), (with_several, lambda w: (Settings(w), Settings(2.0 * w)))])
@pytest.mark.parametrize("reached", ["by its name", "by another name", "in an object", "in a list"])
def test_dataclasses_from_outside_that_are_changed_before_the_pullback(function, made, reached) -> None:
    w, x = np.eye(3), np.array([0.1, 0.2, 0.3])
    outside = made(w)
    holder, items = SimpleNamespace(held=outside), [outside]

    def under_another_name(x):
        same = outside
        return function(x, same)

    asked = {"by its name": lambda x: function(x, outside), "by another name": under_another_name,
             "in an object": lambda x: function(x, holder.held), "in a list": lambda x: function(x, items[0])}[reached]
    _, pullback = s2sgrad.vjp(asked, x)
    before = pullback(1.0)[0].copy()
    for settings in outside if isinstance(outside, (list, tuple)) else [outside]:
        settings.w[:] = 5.0
        settings.scale = 9.0
    np.testing.assert_array_equal(pullback(1.0)[0], before)


MODULE = ModuleType("settings")


class Shared:
    w = np.eye(3)

    @classmethod
    def loss(cls, x):
        return (np.tanh(cls.w @ x) ** 2).sum()


class Network:
    def __init__(self):
        self.layers = [Settings(np.eye(3)), Settings(np.eye(3))]

    def loss(self, x):
        for layer in self.layers:
            x = layer.applied(x)
        return (x ** 2).sum()


def through_a_helper(x, w):
    return (np.tanh(w @ x) ** 2).sum()


@pytest.mark.parametrize("which", ["module", "module, handed on", "class", "class, handed on", "bound method"])
def test_what_modules_classes_and_bound_objects_hold_is_changed_before_the_pullback(which) -> None:
    network = Network()
    MODULE.w, Shared.w = np.eye(3), np.eye(3)
    function = {"module": lambda x: (np.tanh(MODULE.w @ x) ** 2).sum(), "class": Shared.loss,
                "module, handed on": lambda x: through_a_helper(x, MODULE.w),
                "class, handed on": lambda x: through_a_helper(x, Shared.w), "bound method": network.loss}[which]
    _, pullback = s2sgrad.vjp(function, np.array([0.1, 0.2, 0.3]))
    before = pullback(1.0)[0].copy()
    for array in (MODULE.w, Shared.w, *(layer.w for layer in network.layers)):
        array[...] = 5.0
    for layer in network.layers:
        layer.scale = 7.0
    np.testing.assert_array_equal(pullback(1.0)[0], before)
