"""Functions that make functions: ``grad``, ``value_and_grad``, ``vjp``, and the reports on them."""
from __future__ import annotations

import functools
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sgrad import judge, reports
from s2sgrad.compiler.origins import explain
from s2sgrad.containers import contents, holds_floats, holds_numbers, is_complex, is_float
from s2sgrad.derivative import ALL_ON, Options
from s2sgrad.dividing import OF_PYTHON, divided
from s2sgrad.entry import Mode, gradient_entry, once, pullback_entry, tangent_entry
from s2sgrad.errors import ArgumentError, ArgumentTypeError
from s2sgrad.gradients import Gradient
from s2sgrad.marking import Marked
from s2sgrad.runtime import held, structures
from s2sgrad.siblings import sibling
from s2sgrad.subjects import described, subject_of, wanted_parameters
from s2sgrad.tangents import check_open, formed, taken


def differentiable(function: Callable) -> Callable:
    """Mark a function as differentiable: a decorator.

    Called with plain values the function is what it was. Called with tensors of which one requires a gradient, or where
    it reads such a tensor, it runs as NumPy code and is one node of their graph, with a compiled adjoint. It gains
    ``function.paths()``, ``function.saved(...)`` and ``function.source(...)``, the reports of this module; a callable
    that is no Python function gains nothing.

    Raises
    ------
    ArgumentTypeError
        If the argument can't be differentiated.
    """
    if isinstance(function, (classmethod, property)):
        raise ArgumentTypeError(f"{described(function)} is no function",
                                f"write @{type(function).__name__} above @differentiable")
    subject_of(function)
    if not isinstance(function, types.FunctionType):
        return function
    marked = Marked(function)
    for found in (function, marked):  # who has the function itself has its reports, too
        found.paths = functools.partial(reports.paths, found)  # type: ignore[union-attr]
        found.saved = functools.partial(reports.saved, found)  # type: ignore[union-attr]
        found.source = functools.partial(reports.source, found)  # type: ignore[union-attr]
    return marked


def grad(function: Callable, argnums: int | tuple[int, ...] = 0, has_aux: bool = False, holomorphic: bool = False
         ) -> Callable:
    """The gradient of a function that returns a single float.

    Parameters
    ----------
    function
        A Python function over numbers and NumPy arrays, or what calls one: a bound method, a ``functools.partial``, an
        object with ``__call__``; or a NumPy function with a rule.
    argnums
        Which positional parameters to differentiate in: an integer gives a bare gradient, a tuple a tuple of them, in
        its order.
    has_aux
        The function returns ``(value, aux)``: ``value`` is differentiated, and the result is ``(gradient, aux)``.
    holomorphic
        The function returns a single complex number, and is a holomorphic one of its complex arguments.

    Returns
    -------
    callable
        Takes what ``function`` takes. A gradient has its argument's shape and dtype (a float for a float), and shares
        memory with nothing; in a complex argument x + iy it is df/dx - i df/dy, or the complex derivative. The callable
        pickles as ``function`` and these options do, without what was compiled.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        For an argnum out of range, an integer to differentiate in, a result that is not a single float, a complex
        result without ``holomorphic``.
    UnsupportedError
        Where the function contains what can't be differentiated rightly: for its own statements at once, for what
        depends on the arguments at the call that gives them.
    """
    return _gradient(function, argnums, has_aux, holomorphic, value=False)


def value_and_grad(function: Callable, argnums: int | tuple[int, ...] = 0, has_aux: bool = False,
                   holomorphic: bool = False) -> Callable:
    """Like :func:`grad`, but the result is ``(value, gradient)``, as ``scipy.optimize.minimize(..., jac=True)`` takes
    it; with ``has_aux``, ``((value, aux), gradient)``."""
    return _gradient(function, argnums, has_aux, holomorphic, value=True)


def _gradient(function: Callable, argnums: int | tuple[int, ...], has_aux: bool, holomorphic: bool, value: bool,
              options: Options = ALL_ON) -> Callable:
    subject = subject_of(function)
    mode = Mode("first" if has_aux else "one", value, not isinstance(argnums, tuple), holomorphic)

    def make() -> Gradient:
        making = _gradient, (function, argnums, has_aux, holomorphic, value, options)
        wanted = None if subject.definition is None else wanted_parameters(subject, argnums)
        entry = sibling(subject, wanted, mode, options, lambda: gradient_entry(subject, argnums, mode, options))
        return Gradient(entry.call, function, making, entry)

    found: Gradient = once(subject, (repr(argnums), mode, options), make)
    return found


def vjp(function: Callable, /, *args: Any, **kwargs: Any) -> tuple[Any, Callable]:
    """The value of a function, and the map from a cotangent of the value to cotangents of the arguments.

    Parameters
    ----------
    function
        A plain Python function; its result may be a number, an array, or a container of them.
    args, kwargs
        Its arguments. Every float and float array among them is differentiated in.

    Returns
    -------
    value, pullback
        ``pullback(cotangent)`` takes what has the value's structure and shapes, and gives a tuple with one entry for
        each parameter of the function, None where there is none to give: for what is no float, and for what ``grad``
        refuses, as an object of a class derived from ``dict``. It may be called again and again.

    Raises
    ------
    UnsupportedError
        Where the function contains what can't be differentiated rightly.
    """
    subject = subject_of(function)
    entry = once(subject, ("vjp",), lambda: sibling(
        subject, None, Mode("given"), ALL_ON, lambda: pullback_entry(subject)))
    return pull_back(entry, args, kwargs)


def pull_back(entry: Any, args: tuple, kwargs: dict) -> tuple[Any, Callable]:
    """The value and pullback of one call of an entry that leaves the cotangents to its caller."""
    entry = entry.fitting(args, kwargs)
    value, path, saved, compiled = entry.call(*args, **kwargs)
    is_leaf = contents(value, any_keys=True) is None
    form = value if is_leaf else held(value)  # the caller may change what its container holds
    table = compiled.table

    def pullback(cotangent: Any) -> tuple:
        """Cotangents of the arguments for a cotangent of the value."""
        record = compiled.records[path]
        record.calls += 1
        seeds = [seed_at(cotangent, form, leaf) for leaf in table.seeds]
        if not seeds and cotangent is not None and not holds_numbers(form):
            raise ArgumentTypeError(f"the result is {described(form)}, which has no cotangent",
                                    "return a number or an array, or pass None")
        try:
            bars = record.adjoint(saved, *seeds)
        except OF_PYTHON as error:
            bars = divided(error, compiled.derivative, record.adjoint, saved, *seeds)
        except Exception as error:
            explain(error)
            raise
        found = dict(zip(table.wanted, bars))
        return tuple(found.get(name) for name in entry.visible)

    return value, pullback


def jvp(function: Callable, primals: Sequence, tangents: Sequence) -> tuple[Any, Any]:
    """The value of a function, and the product of its Jacobian with tangents of its arguments.

    Parameters
    ----------
    function
        A plain Python function; its result may be a number, an array, or a container of them.
    primals
        Its positional arguments.
    tangents
        For each of them the direction in which it moves: what has its structure and shapes, with None for what is no
        float. None for a whole argument keeps it constant.

    Returns
    -------
    value, tangent
        The tangent has the value's structure, with None for what is no float.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        For tangents that are not formed like the arguments.
    UnsupportedError
        Where the function contains what can't be differentiated rightly.
    """
    return push_forward(function, primals, tangents)


def push_forward(function: Callable, primals: Sequence, tangents: Sequence, options: Options = ALL_ON
                 ) -> tuple[Any, Any]:
    for label, values in (("primals", primals), ("tangents", tangents)):
        if not isinstance(values, (tuple, list)):
            raise ArgumentTypeError(f"{label} is {described(values)}", "pass a tuple, with an item for each argument")
    if len(primals) != len(tangents):
        raise ArgumentError(f"there are {len(primals)} primals and {len(tangents)} tangents",
                            "pass a tangent for each argument, None where there is none")
    subject = subject_of(function).fitting(tuple(primals), {})
    given = {label: taken(tangent, value, label) for label, value, tangent in zip(
        subject.parameters(), primals, tangents) if tangent is not None}
    wanted = tuple(label for label, value in zip(subject.parameters(), primals)
                   if label in given and holds_floats(value))
    entry = once(subject, ("jvp", wanted, options), lambda: sibling(
        subject, wanted, Mode("none"), options, lambda: tangent_entry(subject, wanted, options)))
    value, tangent = entry.push(tuple(primals), given)
    return value, formed(tangent, value)


def seed_at(cotangent: Any, value: Any, leaf: tuple) -> Any:
    """The part of a result's cotangent at a place in the result, checked against the result's part."""
    for step in leaf:
        given, held_ = (contents(whole, any_keys=True) for whole in (cotangent, value))
        if held_ is None:  # the result is None where it might be a container, and no cotangent of it is read
            check_open(value)
            return 0.0
        if given is None or len(given.parts) != len(held_.parts):
            found = f"is {described(cotangent)}" if given is None else f"has {len(given.parts)}"
            count = f"{len(held_.parts)} part{'s' if len(held_.parts) != 1 else ''}"
            raise ArgumentTypeError(f"the result has {count}, the cotangent {found}",
                                    "pass what has the result's structure, with a cotangent for each part")
        if step not in held_.steps:  # an attribute that an object gets on other ways only
            if hasattr(value, "__dataclass_fields__"):
                raise ArgumentTypeError(f"{step} of the result is no field of its dataclass",
                                        "declare it there, or return it beside the object")
            return 0.0
        if step not in given.steps:
            raise ArgumentTypeError(f"the cotangent has nothing under {step!r}, as the result has",
                                    "pass what has the result's structure, with a cotangent for each part")
        cotangent, value = (whole.parts[whole.steps.index(step)] for whole in (given, held_))
    inner = contents(value, any_keys=True)
    if inner is not None:  # a list of any number of values, or what is in one
        return structures.formed(inner.kind, inner.keys, [seed_at(cotangent, value, (step,)) for step in inner.steps])
    if cotangent is None and not holds_floats(value):  # beside floats in a list of any length
        return np.zeros(value.shape) if isinstance(value, np.ndarray) else 0.0
    if np.asarray(cotangent).dtype.kind not in ("biufc" if is_complex(value) else "biuf"):
        raise ArgumentTypeError(f"the cotangent is {described(cotangent)}", "pass real numbers")
    if np.shape(cotangent) != np.shape(value):
        raise ArgumentError(f"the result has shape {np.shape(value)}, its cotangent {np.shape(cotangent)}",
                            "pass a cotangent of the result's shape")
    if isinstance(value, np.ndarray):
        return np.asarray(cotangent, dtype=value.dtype)
    if isinstance(value, np.inexact):
        return value.dtype.type(cotangent)
    return complex(cotangent) if is_complex(value) else float(cotangent)


def floats_among(args: Sequence[Any], asked: str) -> tuple[int, ...]:
    """The numbers of the arguments in which the function that was ``asked`` to compare derivatives has some."""
    numbers = tuple(place for place, value in enumerate(args) if holds_floats(value))
    if not numbers:
        raise ArgumentError(f"{asked} got no floats to differentiate in", "pass floats or arrays of floats in args")
    return numbers


def check_grad(function: Callable, *args: Any, argnums: int | tuple[int, ...] | None = None) -> None:
    """Compare a function's gradients with numerical ones, found by running the function alone: those of ``vjp``, and
    where the function returns a float those of ``grad``, whose code is another.

    Parameters
    ----------
    function
        Returns a float, an array, or a tuple of them; what is not a single float is contracted with fixed
        pseudo-random weights.
    args
        Where to compare.
    argnums
        In which arguments; None: in every float and array of floats.

    Raises
    ------
    AssertionError
        Where they differ: names the worst entry, both values, and the tolerance.
    ArgumentError
        For no floats among ``args``.
    """
    if argnums is None:
        numbers = floats_among(args, "check_grad")
    else:
        subject = subject_of(function).fitting(args, {})
        names = list(subject.parameters())
        numbers = tuple(names.index(name) for name in wanted_parameters(subject, argnums))
    value, pullback = vjp(function, *held(args))
    if not holds_numbers(value):
        raise ArgumentTypeError(f"{subject_of(function).name} returned {described(value)}, which has no derivative",
                                "return a number or an array")
    cotangent = judge.cotangent_like(value)
    gradients = pullback(cotangent)
    judge.compare(tuple(gradients[number] for number in numbers), function, args, numbers, cotangent)
    if is_float(value) and not is_complex(value) and np.ndim(value) == 0:
        judge.compare(grad(function, numbers)(*held(args)), function, args, numbers, 1.0)
