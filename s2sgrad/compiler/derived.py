"""Derivatives of functions that are defined inside, as functions that are defined inside, too.

``hessian(f)``, of an ``f`` inside, is ``lambda *args, **kwargs: hessian_at(f, 0, *args, **kwargs)``, with the text of
``f`` in its place: it takes from around it what ``f`` takes.
"""
from __future__ import annotations

import ast
import copy
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import gast

from s2sgrad.compiler.program import Names, call, constant, located_at, name, names_in
from s2sgrad.compiler.scopes import free_names
from s2sgrad.compiler.trees import to_gast
from s2sgrad.rules.abstract import Function
from s2sgrad.signature import written_header

LITERALS = (type(None), bool, int, float, complex, str)

WITHIN = "__s2sgrad_within__"
"""The attribute of functions that make derivatives: the Python function that computes one at once, and takes their
parameters and then the arguments."""


OURS: dict[str, Callable] = {}
"""What the texts mention besides the user's own names."""


def within(function: Any) -> Any:
    """What computes at once what a function that makes derivatives makes functions for; None for others."""
    return getattr(function, WITHIN, None) if isinstance(function, types.FunctionType) else None


def derivative(function: Function, at: Callable, *options: Any) -> Function:
    """The derivative of a function that is defined inside, which ``at`` computes."""
    return with_text(function, derivative_text(function.syntax, at, *options))


def called_gradient(function: Function) -> Function:
    """The gradient of a function that is defined inside, as a function that calls it."""
    assert function.gradient is not None
    return with_text(function, gradient_text(function.syntax, *function.gradient))


def with_text(function: Function, syntax: Any) -> Function:
    free = set(free_names(syntax))
    return Function(function.owner, syntax, tuple(pair for pair in function.homes if pair[0] in free))


@functools.lru_cache(maxsize=1024)  # the same text each time
def derivative_text(syntax: Any, at: Callable, *options: Any) -> Any:
    return around(syntax, lambda inside: (ours(at), [inside, *map(constant, options)]), hasattr(at, "more"))


@functools.lru_cache(maxsize=1024)
def gradient_text(syntax: Any, maker: Callable, *options: Any) -> Any:
    return around(syntax, lambda inside: (call(ours(maker), inside, *map(constant, options)), []))


def ours(function: Callable) -> gast.AST:
    label = f"_s2sgrad_{function.__name__}"
    OURS[label] = function
    return name(label)


def ours_in(labels: tuple[str, ...]) -> dict[str, Callable]:
    """Those of our functions that a text mentions, by the names that they have there."""
    return {label: OURS[label] for label in labels if label in OURS}


def around(syntax: Any, called: Callable[[gast.AST], tuple[gast.AST, list]], more: bool = False) -> Any:
    """A function that calls what is made of another with the arguments that it gets, behind some; ``more``: with one
    more than the other takes."""
    fresh = Names(set(names_in(syntax)))
    spec = copy.deepcopy(syntax.args)
    if more:
        spec = gast.arguments([], [], gast.Name(fresh.fresh("args"), gast.Param(), None, None), [], [],
                              gast.Name(fresh.fresh("kwargs"), gast.Param(), None, None), [])
    is_lambda = isinstance(syntax, gast.Lambda)
    callee, first = called(syntax if is_lambda else name(syntax.name))
    result = handed_on(callee, first, spec)
    if is_lambda:
        made: Any = gast.Lambda(spec, result)
    else:
        body = [syntax, gast.copy_location(gast.Return(result), syntax)]
        made = gast.FunctionDef(fresh.fresh(f"derivative_of_{syntax.name}"), spec, body, [], None, None, [])
    return located_at(gast.copy_location(made, syntax), syntax)


def handed_on(callee: gast.AST, first: list, spec: Any) -> gast.Call:
    """A call with some arguments, and then all that a function with these parameters got itself."""
    args: list = [name(item.id) for item in (*spec.posonlyargs, *spec.args)]
    keywords = [gast.keyword(item.id, name(item.id)) for item in spec.kwonlyargs]
    if spec.vararg is not None:
        args.append(gast.Starred(name(spec.vararg.id), gast.Load()))
    if spec.kwarg is not None:
        keywords.append(gast.keyword(None, name(spec.kwarg.id)))
    return gast.Call(callee, [*first, *args], keywords)


def forwarding(callee: Any, method: types.FunctionType) -> gast.Lambda | None:
    """``lambda x, k=1.0: model.energy(x, k)``, for a method with these parameters; None for a default that can't be
    written out."""
    _, *parameters = inspect.signature(method).parameters.values()
    defaults = [item.default for item in parameters if item.default is not item.empty]
    if not all(type(default) in LITERALS for default in defaults):
        return None
    spec = to_gast(ast.parse(f"lambda {written_header(parameters)}: None", mode="eval")).body.args
    given = dict(zip([item.name for item in parameters if item.default is not item.empty], map(constant, defaults)))
    positional = [item.id for item in (*spec.posonlyargs, *spec.args)]
    spec.defaults = [given[label] for label in positional if label in given]
    spec.kw_defaults = [given.get(item.id) for item in spec.kwonlyargs]
    return gast.Lambda(spec, handed_on(callee, [], spec))
