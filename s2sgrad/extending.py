"""Rules of the user's own, and the judge for them."""
from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.errors import ArgumentError, ArgumentTypeError
from s2sgrad.rules.table import RULES, Parameter, Rule, load_tables


class _FunctionNames(dict):
    """The names that a formula may use: those given, then the globals of the function."""

    def __init__(self, given: dict[str, Any], function: Any):
        super().__init__(given)
        self.outer = getattr(function, "__globals__", {})  # as they are when a formula is used

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self.outer

    def __missing__(self, name: str) -> Any:
        return self.outer[name]


def rule(function: Callable | None = None, /, *, elementwise: bool = True, constant: bool = False, complex: bool = False,
         names: dict[str, Any] | None = None, **partials: str) -> Callable:
    """Give a function a derivative.

    ::

        s2sgrad.rule(scipy.special.erf, x="2 / math.sqrt(math.pi) * np.exp(-x ** 2)")

        @s2sgrad.rule(x="g / (1 + x)", elementwise=False)
        def my_log(x): ...

    Parameters
    ----------
    function
        A NumPy-like function or one of your own; left out, ``rule`` is a decorator.
    partials
        For each parameter that may be differentiated, a formula: text over the function's parameters, ``y`` for its
        result, ``g`` for the cotangent of the result, ``np``, ``math``, and the names that the function itself can
        see. Without ``g`` it is the derivative, and is multiplied by ``g``.
    elementwise
        The function works element by element and broadcasts its arguments; the formula does likewise and is summed
        back. False: the formula is the argument's cotangent, in the argument's own shape.
    constant
        The function has no derivative anywhere; its result counts as constant.
    complex
        The formulas hold for complex numbers, too, with cotangents as docs/complex.md tells.
    names
        Further names that formulas use.

    Returns
    -------
    callable
        The function itself.

    Raises
    ------
    ArgumentError
        For a formula that isn't an expression, a parameter that the function doesn't have.
    ArgumentTypeError
        For a function that can't be called.

    Rules apply to functions compiled after they were given.
    """
    if function is None:
        return lambda later: rule(later, elementwise=elementwise, constant=constant, complex=complex, names=names,
                                  **partials)
    if not callable(function):
        raise ArgumentTypeError(f"{function!r} is not a function", "pass what is to get the rule")
    if not partials and not constant:
        raise ArgumentError("a rule without formulas", "give a formula for a parameter, or say constant=True")
    parameters = parameters_of(function, partials)
    for name, formula in partials.items():
        if name not in {parameter.name for parameter in parameters}:
            raise ArgumentError(f"{label(function)} has no parameter {name}",
                                f"it has {', '.join(parameter.name for parameter in parameters)}")
        if not is_formula(formula):
            raise ArgumentError(f"the formula for {name} is not an expression: {formula!r}",
                                "write it as text, x=\"2 * x\"")
    clash = {"g", "y"} & {parameter.name for parameter in parameters}
    if clash:
        raise ArgumentError(f"the parameter {clash.pop()} of {label(function)} has a meaning of its own in formulas",
                            "give it another name")
    load_tables()  # lest the table's own line comes later
    RULES[function] = Rule(label(function), function, parameters, dict(partials), elementwise=elementwise,
                           constant=constant, names=_FunctionNames(names or {}, function), sharing="maybe",
                           complex=complex or constant)
    return function


def is_formula(formula: Any) -> bool:
    """Whether it is the text of an expression, with steps before it perhaps: ``"r = 1 / x; g * r"``."""
    if not isinstance(formula, str):
        return False
    try:
        steps = [ast.parse(part.strip()).body for part in formula.split(";")]
    except SyntaxError:
        return False
    kinds = [[type(item) for item in step] for step in steps]
    return kinds == [[ast.Assign]] * (len(kinds) - 1) + [[ast.Expr]]


def label(function: Any) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return name if name.isidentifier() else "result"


def parameters_of(function: Any, partials: dict[str, str]) -> tuple[Parameter, ...]:
    """A function's parameters; a ufunc's are named by the formulas, in order."""
    if isinstance(function, np.ufunc):
        names = list(partials) + [f"x{index + 1}" for index in range(len(partials), function.nin)]
        return tuple(Parameter(name) for name in names[:function.nin])
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return tuple(Parameter(name) for name in partials)
    result = []
    for item in signature.parameters.values():
        if item.kind in (item.VAR_POSITIONAL, item.VAR_KEYWORD):
            continue
        default = {} if item.default is item.empty else {"default": item.default}
        result.append(Parameter(item.name, keyword_only=item.kind is item.KEYWORD_ONLY, **default))
    return tuple(result)
