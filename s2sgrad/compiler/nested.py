"""Derivatives that a differentiated function takes of other functions: calls of ``grad``, ``hessian`` and their kin."""
from __future__ import annotations

import functools
import inspect
import types
from dataclasses import replace
from typing import Any

import gast

from s2sgrad.compiler.acting import Acting
from s2sgrad.compiler.again import in_parts, written_gradient
from s2sgrad.compiler.derived import AT_ONCE, derivative, within
from s2sgrad.compiler.effects import may_write
from s2sgrad.compiler.nodes import constant
from s2sgrad.compiler.recalled import may_change
from s2sgrad.compiler.running_again import runs_alike
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import MISSING, Abstract, Function, Items, Known, Opaque, activated, known_value, passive

GRADIENT = types.SimpleNamespace(__s2sgrad__=None)
"""Stands for what ``grad`` and its kin will make."""


class Nested(Acting):
    """The evaluation of such calls."""

    def made_derivative(self, node: gast.Call, function: Any, environment: dict) -> Abstract:
        """What ``grad``, ``hessian`` and their kin give: made now, where all that they get is known."""
        function_, *rest = [self.facts.value(item) for item in node.args] or [Opaque()]
        for item in (*node.args, *(item.value for item in node.keywords)):
            self.name_acting(item)
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
        called = gast.copy_location(gast.Call(callee, node.args, node.keywords), node)
        return self.respelled(node, called, environment)

    def derivative_at_once(self, node: gast.Call, function: Any, environment: dict) -> Abstract:
        """A call of ``vjp`` or ``jvp``: one of a Python function that computes the same."""
        differentiated, *args = self.arguments_of_transform(node, function)
        self.name_acting(differentiated)
        if isinstance(differentiated, gast.Lambda):  # what it reads is copied here and now
            differentiated.of_this_moment = True
            self.evaluate(differentiated, environment)
            differentiated = self.facts.spelled_out(differentiated)
        if function.__name__ == "jvp":
            args, dots = (self.items_of(item, environment) for item in args)
            if len(args) != len(dots):
                raise self.refusal(f"there are {len(args)} primals and {len(dots)} tangents",
                                   "pass a tangent for each argument, None where there is none", node)
            given = [index for index, dot in enumerate(dots) if not all_none(self.evaluate(dot, environment))]
            for index in given:
                if not self.may_move(args[index], environment):
                    raise self.refusal("only floats have a tangent", "pass None for what is none", dots[index])
            known = known_value(self.evaluate(differentiated, environment))
            if may_write(known) and any(may_change(self.evaluate(item, environment)) for item in args):
                known = None  # what it gives may be what it wrote into
            made = getattr(function, AT_ONCE)(len(args), tuple(given), known)
            args += [dots[index] for index in given]
        else:
            moving = [index for index, item in enumerate(args) if self.may_move(item, environment)]
            copied = [index for index, item in enumerate((differentiated, *args))
                      if self.may_be_another(self.evaluate(item, environment))]
            made = getattr(function, AT_ONCE)(len(args), tuple(moving), tuple(copied))
        called = gast.copy_location(gast.Call(self.given(made), [differentiated, *args], []), node)
        try:
            result = self.respelled(node, called, environment)
        except UnsupportedError as error:
            error.location = error.location or self.node_location(node)
            raise
        if function.__name__ == "vjp":
            self.check_rerun(node, self.facts.calls[id(called)].derivative)
        return result

    def arguments_of_transform(self, node: gast.Call, function: Any) -> list:
        """The function that is differentiated, and what follows, in their order."""
        try:
            bound = inspect.signature(function).bind(*node.args, **{item.arg: item.value for item in node.keywords})
        except TypeError as error:
            raise self.refusal(f"this call does not fit {function.__name__}: {error}", "see its documentation",
                               node) from None
        if bound.kwargs and function.__name__ == "vjp":
            raise self.refusal("vjp gets arguments by name here, and is differentiated itself",
                               "give them by position", node)
        return list(bound.arguments.values()) if function.__name__ == "jvp" else list(bound.args)

    def items_of(self, node: Any, environment: dict) -> list:
        """The expressions for the items of a tuple or list, whose number must be known."""
        if isinstance(node, (gast.Tuple, gast.List)):
            return [part for item in node.elts for part in (
                self.items_of(item.value, environment) if isinstance(item, gast.Starred) else [item])]
        value = self.evaluate(node, environment)
        if not (isinstance(value, Items) and value.kind in (tuple, list) and value.items is not None):
            raise self.refusal("how many arguments these are is not known before the call", "write the tuple out", node)
        return [self.part(node, value, step) for step in value.steps]

    def may_move(self, node: Any, environment: dict) -> bool:
        """Whether an argument is of floats."""
        value = in_parts(self.evaluate(node, environment), self.outer, self.node_location(node))
        return activated(passive(value)).active

    def may_be_another(self, value: Abstract) -> bool:
        """Whether an argument, or what a function reads from around it, may be written into before a pullback runs."""
        return may_change(value) or isinstance(value, Function) and bool(value.homes)

    def check_rerun(self, node: gast.Call, derivative: Any) -> None:
        """A pullback runs its function again: raises UnsupportedError where that might do something else then, or
        change what it was given."""
        what = "a pullback that is differentiated runs its function again"
        if not derivative.is_known:
            return
        inner = [called.derivative for called in derivative.facts.calls.values()]
        if any(other.facts.written for other in (derivative, *inner) if other.is_known):
            raise self.refusal(f"{what}, and this one writes into its arguments", "write into a copy", node)
        if runs_alike(derivative) is not None:
            raise self.refusal(f"{what}: this one may do something else then", "let it print, draw and store nothing",
                               node)



@functools.lru_cache(maxsize=256)
def remade(function: Any, arguments: tuple, keywords: tuple) -> Any:
    """What ``grad`` made of these arguments before, so that it is compiled once."""
    return function(*arguments, **dict(keywords))


def is_transform(function: Any) -> bool:
    return getattr(function, "__module__", None) == "s2sgrad.transforms"


def is_checkpoint(function: Any) -> bool:
    return getattr(function, "__module__", None) == "s2sgrad.extending" and function.__name__ == "checkpoint"


def computes_derivatives(function: Any) -> bool:
    """Whether a function computes derivatives of another itself, and has a text for that."""
    return hasattr(function, AT_ONCE) and isinstance(function, types.FunctionType)


def makes_derivatives(function: Any) -> bool:
    """Whether a function gives functions that compute derivatives of another."""
    return within(function) is not None or is_transform(function) and function.__name__ in ("grad", "value_and_grad")


def all_none(tangent: Abstract) -> bool:
    """Whether a tangent is None, or a container of nothing else: that of an argument without floats."""
    return tangent == Known(None) or isinstance(tangent, Items) and bool(tangent.items) and all(
        map(all_none, tangent.items))
