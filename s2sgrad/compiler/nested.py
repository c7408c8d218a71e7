"""Derivatives that a differentiated function takes of other functions: calls of ``grad``, ``hessian`` and their kin."""
from __future__ import annotations

import functools
import inspect
import types
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler import objects
from s2sgrad.compiler.again import written_gradient
from s2sgrad.compiler.derived import called_gradient, derivative, forwarding, within
from s2sgrad.compiler.evaluate import Evaluator
from s2sgrad.compiler.program import Loop, assigned_names, constant, statements
from s2sgrad.compiler.unparse import unparse
from s2sgrad.rules.abstract import MISSING, Abstract, Function, Items, Known, Opaque, known_value

GRADIENT = types.SimpleNamespace(__s2sgrad__=None)
"""Stands for what ``grad`` and its kin will make."""


class Nested(Evaluator):
    """The evaluation of such calls."""

    def made_derivative(self, node: gast.Call, function: Any) -> Abstract:
        """What ``grad``, ``hessian`` and their kin give: made now, where all that they get is known."""
        function_, *rest = [self.facts.value(item) for item in node.args] or [Opaque()]
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
        if function_.gradient is not None:
            function_ = called_gradient(function_)
        at = within(function)
        return replace(function_, gradient=(function, *options)) if at is None else derivative(function_, at, *options)

    def of_function(self, node: gast.Call, environment: dict) -> gast.AST:
        """The call that makes a derivative of a function which calls an object, or an object's method, that is
        differentiated itself; the same call where it is no such thing that is given."""
        given: Any = node.args[0] if node.args else None
        is_method = isinstance(given, gast.Attribute)
        place = given.value if is_method else given
        held = self.evaluate(place, environment) if isinstance(given, (gast.Name, gast.Attribute)) else None
        if not isinstance(held, Items) or not held.is_object or is_method and held.has_field(given.attr):
            return node
        method = objects.found_in(held.kind, given.attr if is_method else "__call__")
        forwards = forwarding(given, method) if isinstance(method, types.FunctionType) else None
        if forwards is None:
            return node
        lasts = isinstance(place, gast.Name) and not self.may_be_bound_anew(place.id)
        if not lasts and id(node) not in self.facts.called_at_once:
            raise self.refusal(f"{unparse(place)} may be another object by the time that this derivative is called",
                               "call it where it is made, as in grad(model)(x)", node)
        made = gast.Call(node.func, [gast.copy_location(forwards, given), *node.args[1:]], node.keywords)
        return self.one_for(node, made)

    def may_be_bound_anew(self, label: str) -> bool:
        """Whether a name is bound more than once."""
        body = self.program.body
        return any(label in assigned_names(statement.body, False) for statement in statements(body)
                   if isinstance(statement, Loop)) or label in self.program.parameters and label in assigned_names(
            body, False) or sum(label in assigned_names((statement,), False) for statement in statements(body)) > 1

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
