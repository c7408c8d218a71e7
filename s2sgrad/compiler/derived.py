"""Derivatives of functions that are defined inside, as functions that are defined inside, too.

``hessian(lambda x: ...)`` is ``lambda x: hessian_at(lambda x: ..., 0, x)``, where ``hessian_at`` (in ``within.py``)
computes the Hessian at once: it has the parameters of the function inside, and takes from around it what that takes.
"""
from __future__ import annotations

import copy
import functools
import types
from collections.abc import Callable
from typing import Any

import gast

from s2sgrad.compiler.nodes import Names, call, constant, handed_on, located_at, name, names_in, open_parameters
from s2sgrad.compiler.scopes import free_names, parameters
from s2sgrad.rules.abstract import Function

WITHIN = "__s2sgrad_within__"
"""The attribute of functions that make derivatives: the Python function that computes one at once, and takes their
parameters and then the arguments."""
AT_ONCE = "__s2sgrad_at_once__"
"""The attribute of functions that compute a derivative themselves: it writes the Python function that does so."""


OURS: dict[str, Callable] = {}
"""What the texts mention besides the user's own names."""


def within(function: Any) -> Any:
    """What computes at once what a function that makes derivatives makes functions for; None for others."""
    return getattr(function, WITHIN, None) if isinstance(function, types.FunctionType) else None


def derivative(function: Function, at: Callable, *options: Any) -> Function:
    """The derivative of a function that is defined inside, or of a gradient of one, which ``at`` computes."""
    syntax = function.syntax
    for gradient in function.gradient:
        syntax = gradient_text(syntax, *gradient)
    syntax = derivative_text(syntax, at, *options)
    free = set(free_names(syntax))
    return Function(function.owner, syntax, tuple(pair for pair in function.homes if pair[0] in free))


@functools.lru_cache(maxsize=1024)  # the same text each time
def derivative_text(syntax: Any, at: Callable, *options: Any) -> Any:
    return around(syntax, lambda inside: (ours(at), [inside, *map(constant, options)]), hasattr(at, "more"))


@functools.lru_cache(maxsize=1024)
def gradient_text(syntax: Any, maker: Callable, *options: Any) -> Any:
    return around(syntax, lambda inside: (call(ours(maker), inside, *map(constant, options)), []))


def ours(function: Callable) -> gast.Name:
    label = f"_s2sgrad_{function.__name__}"
    OURS[label] = function
    return name(label)


def ours_in(labels: frozenset[str]) -> dict[str, Callable]:
    """Those of our functions that a text mentions, by the names that they have there."""
    return {label: OURS[label] for label in labels & OURS.keys()}


def around(syntax: Any, called: Callable[[gast.AST], tuple[gast.AST, list]], more: bool = False) -> Any:
    """A function that calls what is made of another with the arguments that it gets, behind some; ``more``: with one
    more than the other takes."""
    fresh = Names(set(names_in(syntax)))
    spec = copy.deepcopy(syntax.args)
    if more:
        spec = open_parameters(fresh.fresh("args"), fresh.fresh("kwargs"))
    for stars in (spec.vararg, spec.kwarg):
        if stars is not None:  # under names that the other does not have, too
            stars.id = fresh.fresh(stars.id)
    is_lambda = isinstance(syntax, gast.Lambda)
    if not is_lambda and syntax.name in {item.id for item in parameters(spec)}:  # which would hide it
        syntax = copy.copy(syntax)
        syntax.name = fresh.fresh(syntax.name)
    callee, first = called(syntax if is_lambda else name(syntax.name))
    result = handed_on(callee, first, [], spec)
    if is_lambda:
        made: Any = gast.Lambda(spec, result)
    else:
        body = [syntax, gast.copy_location(gast.Return(result), syntax)]
        made = gast.FunctionDef(fresh.fresh(f"derivative_of_{syntax.name}"), spec, body, [], None, None, [])
    return located_at(gast.copy_location(made, syntax), syntax)
