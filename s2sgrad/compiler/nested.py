"""Derivatives that a differentiated function takes of other functions: calls of ``grad``, ``hessian`` and their kin."""
from __future__ import annotations

import functools
import inspect
import types
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.again import written_gradient
from s2sgrad.compiler.derived import derivative, within
from s2sgrad.compiler.evaluate import Evaluator
from s2sgrad.compiler.program import constant
from s2sgrad.rules.abstract import MISSING, Abstract, Function, Items, Known, Opaque, known_value

GRADIENT = types.SimpleNamespace(__s2sgrad__=None)
"""Stands for what ``grad`` and its kin will make."""


class Nested(Evaluator):
    """The evaluation of such calls."""

    def made_derivative(self, node: gast.Call, function: Any, environment: dict) -> Abstract:
        """What ``grad``, ``hessian`` and their kin give: made now, where all that they get is known."""
        function_, *rest = [self.facts.value(item) for item in node.args] or [Opaque()]
        if isinstance(function_, Items) and function_.is_object and not self.passive_context:
            function_ = self.called_later(node.args[0], node.args[0], environment)  # type: ignore[attr-defined]
        known = [known_value(value) for value in rest]
        keywords = {item.arg: known_value(self.facts.value(item.value)) for item in node.keywords}
        if MISSING in (*known, *keywords.values()) or not isinstance(
                function_, Function) and known_value(function_) is MISSING:
            return Known(GRADIENT)
        if not isinstance(function_, Function):
            return Known(remade(function, (known_value(function_), *known), tuple(keywords.items())))
        try:
            bound = inspect.signature(function).bind(function_, *known, **keywords)
        except TypeError as error:
            raise self.refusal(f"this call does not fit {function.__name__}: {error}", "see its documentation",
                               node) from None
        bound.apply_defaults()
        _, *options = bound.arguments.values()
        if any(map(callable, options)):
            raise self.refusal(f"{function.__name__} gets a function beside one that is defined inside",
                               "define it at module level", node)
        at = within(function)
        if at is None:
            return replace(function_, gradient=(*function_.gradient, (function, *options)))
        return derivative(function_, at, *options)

    def gradient_call(self, node: gast.Call, gradient: Any, environment: dict) -> Abstract:
        """A call of what ``grad`` made: one of a function that computes the gradient, and has a text itself."""
        keywords = {item.arg: item.value for item in node.keywords}
        function = written_gradient(gradient, gradient.__s2sgrad__.fitting(node.args, keywords))
        callee = gast.copy_location(constant(function), node.func)
        self.facts.spelled[id(node)] = gast.copy_location(gast.Call(callee, node.args, node.keywords), node)
        return self.evaluate(self.facts.spelled[id(node)], environment)


@functools.lru_cache(maxsize=256)
def remade(function: Any, arguments: tuple, keywords: tuple) -> Any:
    """What ``grad`` made of these arguments before, so that it is compiled once."""
    return function(*arguments, **dict(keywords))


def is_transform(function: Any) -> bool:
    return getattr(function, "__module__", None) == "s2sgrad.transforms"


def makes_derivatives(function: Any) -> bool:
    """Whether a function gives functions that compute derivatives of another."""
    return within(function) is not None or is_transform(function) and function.__name__ in ("grad", "value_and_grad")
