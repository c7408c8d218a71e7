"""Rules of the user's own, and the judge for them."""
from __future__ import annotations

import ast
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.compiler.definitions import OWN
from s2sgrad.errors import ArgumentError, ArgumentTypeError
from s2sgrad.given import CustomRule, Own, custom, recomputed, stub_of
from s2sgrad.rules.abstract import Numeric, passive
from s2sgrad.rules.claims import check_by_element, result_by_values
from s2sgrad.rules.table import RULES, Operation, Parameter, Rule, load_tables
from s2sgrad.runtime import stop_gradient
from s2sgrad.runtime.custom import of_shape


class _FunctionNames(dict):
    """The names that a formula may use: those given, then the globals of the function."""

    def __init__(self, given: dict[str, Any], function: Any):
        super().__init__(given)
        self.outer = getattr(function, "__globals__", {})  # as they are when a formula is used

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self.outer

    def __missing__(self, name: str) -> Any:
        return self.outer[name]


def rule(function: Callable | None = None, /, *, elementwise: bool | None = None, constant: bool = False,
         complex: bool = False, names: dict[str, Any] | None = None, **partials: str) -> Callable:
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
        back. False: the formula is the argument's cotangent, in the argument's own shape. The function is run on
        samples, and refused where it does not work element by element; if it can't be, True must be said.
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
    formulas: dict[str, Any] = dict(partials)
    check = result = None
    by_element = not constant if elementwise is None else elementwise
    if not by_element:
        result = result_by_values
        formulas = {name: functools.partial(in_its_shape, name, text) for name, text in partials.items()}
    elif not isinstance(function, np.ufunc) or function.signature is not None:
        check = functools.partial(check_by_element, said=elementwise is True)
    RULES[function] = Rule(label(function), function, parameters, formulas, elementwise=by_element,
                           constant=constant, names=_FunctionNames({"of_shape": of_shape, **(names or {})}, function),
                           sharing="maybe", complex=complex or constant, check=check, result=result)
    return function


def custom_rule(function: Callable | None = None, /, *, reverse: Callable | None = None, saving: Callable | None = None,
                tangent: Callable | None = None) -> Any:
    """Give a Python function a derivative that is Python code, too: for what formulas can't say.

    ::

        def solved_reverse(x_bar, x, a, b):
            b_bar = np.linalg.solve(a.T, x_bar)
            return -np.outer(b_bar, x), b_bar

        @s2sgrad.custom_rule(reverse=solved_reverse)
        def solved(a, b): ...

    The body of the function is not looked at; it must not write into its arguments. ``reverse`` and ``tangent`` may
    write into the cotangent and the tangents that they get, but into nothing else: the other arrays are read-only.
    Where a gradient is differentiated again, so is ``reverse``, by its source; the function itself has the rule there,
    too.

    Parameters
    ----------
    function
        A function with Python source; left out, ``custom_rule`` is a decorator.
    reverse
        ``reverse(g, y, *arguments)`` gives the cotangents of the arguments for that of the result, ``g``: a tuple with
        one for each, in the argument's shape, None where there is none (of a function with one parameter the cotangent
        itself). ``y`` is the result.
    saving
        ``saving(*arguments)`` gives the result and anything else that ``reverse`` needs; that is then called as
        ``reverse(g, kept)``.
    tangent
        ``tangent(dots, y, *arguments)`` gives the tangent of the result; ``dots`` holds the tangents of the arguments,
        None where there is none.

    Returns
    -------
    callable
        The function itself, which now has the rule.

    Raises
    ------
    ArgumentError
        Without ``reverse`` and ``tangent``; for ``saving`` without ``reverse``; for a function among these that can't
        be called as is said above.
    ArgumentTypeError
        For what is no Python function.
    UnsupportedError
        When the function is differentiated in a mode that the rule lacks; when it is differentiated again, and
        ``reverse`` or ``saving`` can't be.
    """
    if function is None:
        return lambda later: custom_rule(later, reverse=reverse, saving=saving, tangent=tangent)
    if not isinstance(function, types.FunctionType):
        raise ArgumentTypeError(f"{function!r} is not a Python function",
                                "give it a rule with s2sgrad.rule, or wrap it in a function")
    if reverse is None and (tangent is None or saving is not None):
        raise ArgumentError("a custom rule without reverse=", "give reverse=, tangent= or both")
    refuse_unfit(function, "reverse", reverse, ["g", "result"] if saving is None else ["g", "kept"], saving is None)
    refuse_unfit(function, "saving", saving, [], True)
    refuse_unfit(function, "tangent", tangent, ["dots", "result"], True)
    own = CustomRule(function, reverse, saving, tangent)
    setattr(function, OWN, Own(stub_of(function), functools.partial(custom, own), ruled=True))
    return function


def refuse_unfit(function: types.FunctionType, name: str, given: Any, first: list[str], arguments: bool) -> None:
    """Raises ArgumentTypeError for a part of a rule that is no function, ArgumentError for one that can't be called as
    it will be, with the function's arguments or without them."""
    if given is None:
        return
    if not callable(given):
        raise ArgumentTypeError(f"{name}= of the rule of {label(function)} is {given!r}",
                                "pass a function; formulas are for s2sgrad.rule")
    parameters = inspect.signature(function).parameters.values() if arguments else ()
    if any(each.kind is not each.POSITIONAL_OR_KEYWORD for each in parameters):
        return
    wanted = [*first, *(each.name for each in parameters)]
    try:
        inspect.signature(given).bind(*wanted)
    except ValueError:  # it has none that can be asked for
        return
    except TypeError:
        raise ArgumentError(f"the {name} function of {label(function)} does not take {len(wanted)} arguments",
                            f"write it as {name}({', '.join(wanted)})") from None


def checkpoint(function: Callable) -> Callable:
    """The same function, of which a differentiated function saves the arguments alone: the adjoint runs it again.

    That saves memory, for the time of another run; what the function prints or draws at random it does twice.

    Raises
    ------
    ArgumentTypeError
        For what is no Python function.
    UnsupportedError
        When it is differentiated, if it writes into its arguments.
    """
    if not isinstance(function, types.FunctionType):
        raise ArgumentTypeError(f"{function!r} is not a Python function", "wrap it in one")
    made = types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__,
                              function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    functools.update_wrapper(made, function)
    setattr(made, OWN, Own(function, recomputed, ruled=False))
    return made


def in_its_shape(name: str, formula: str, op: Operation) -> str:
    """A formula for the cotangent of an argument, whose shape is looked at."""
    *steps, last = formula.split(";")
    value = op[name]
    shape = "()" if op.is_number(name) else f"{name}.shape" if isinstance(value, Numeric) and value.kind == "array" \
        else f"np.shape({name})"
    return ";".join([*steps, f" of_shape({last.strip()}, {shape})" if steps else f"of_shape({last}, {shape})"])


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


RULES[stop_gradient] = Rule("stop_gradient", stop_gradient, (Parameter("value"),), constant=True, complex=True,
                            result=lambda operation: passive(operation["value"]), sharing="maybe")
