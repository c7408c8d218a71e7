"""Matrices of derivatives, and their products with vectors, out of gradients, pullbacks and tangents."""
from __future__ import annotations

import functools
import inspect
import io
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from s2sgrad import at_once, within
from s2sgrad.by_elements import at, blocks, forwards, units
from s2sgrad.by_slopes import by_slopes
from s2sgrad.compiler.definitions import ALIKE
from s2sgrad.compiler.derived import AT_ONCE, WITHIN
from s2sgrad.compiler.outer_changes import kinds_in
from s2sgrad.compiler.running_again import is_changeless
from s2sgrad.containers import contents, holds_numbers, is_complex, is_float, leaves
from s2sgrad.derivative import Session
from s2sgrad.errors import ArgumentTypeError, Naming, UnsupportedError
from s2sgrad.gradients import Derived
from s2sgrad.runtime import held
from s2sgrad.siblings import shared_derivative
from s2sgrad.subjects import Subject, described, subject_of, wanted_parameters
from s2sgrad.sweeps import Reruns, check_reruns, sweep_backwards
from s2sgrad.transforms import grad, jvp, vjp


def _among_siblings(more: int = 0) -> Callable[[Callable], Callable]:
    """Makes a maker of derivatives one that makes those of siblings once. These take ``more`` behind the function's
    arguments."""
    def decorated(maker: Callable) -> Callable:
        signature = inspect.signature(maker)

        @functools.wraps(maker)
        def make(*args: Any, **kwargs: Any) -> Callable:
            with Naming(maker.__name__):
                bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            function, argnums, *options = bound.args
            shared = shared_derivative(function, argnums, lambda *other: maker(*other, *options),
                                       maker.__name__, *options, more=more)
            if shared is None:
                made: Callable = maker(*bound.args)
                return made
            return _written(make, getattr(make, WITHIN), function, argnums, *options)(shared)
        return make
    return decorated


@_among_siblings()
def jacfwd(function: Callable, argnums: int = 0, holomorphic: bool = False) -> Callable:
    """The Jacobian of a function by a tangent for each element of an argument: for few inputs and many outputs. Where
    it is known how, many tangents go through one run of the generated code, along a new axis; else each is a
    :func:`jvp`; a function that would do something else in the next run is left to :func:`jacrev`.

    Parameters
    ----------
    function
        Returns a number or an array.
    argnums
        Which positional argument, a float or an array of floats, to differentiate in.
    holomorphic
        The argument and the result are complex, and the function is holomorphic. A real argument may have a complex
        result without.

    Returns
    -------
    callable
        Takes what ``function`` takes, but for what can be given by name only; a differentiated function may call it.
        The Jacobian's shape is that of the result followed by that of the argument.
    """
    @_written(jacfwd, within.jacobian, function, argnums, holomorphic)
    @_of_one_argument(function, argnums)
    def jacobian(subject: Subject, place: int, args: tuple) -> Any:
        argument = args[place]
        _check_kind(f"the argument of {subject.name}", argument, holomorphic)
        blocks = []
        try:
            for value, tangents in forwards(subject, place, args, functools.partial(_check_single, subject)):
                if holomorphic:
                    _check_kind(f"the result of {subject.name}", value, holomorphic)
                blocks.append(tangents)
        except Reruns:
            return jacrev(function, argnums, holomorphic)(*args)
        if not blocks:
            value = np.asarray(function(*held(args)))
            return np.zeros((*value.shape, *np.shape(argument)), value.dtype)
        columns = np.moveaxis(np.concatenate(blocks), 0, -1)
        return np.reshape(columns, (*columns.shape[:-1], *np.shape(argument)))[()]
    return jacobian


@_among_siblings()
def jacrev(function: Callable, argnums: int = 0, holomorphic: bool = False) -> Callable:
    """The Jacobian of a function by a cotangent for each element of the result: for many inputs and few outputs; they
    share runs as in :func:`jacfwd`. Parameters and result are those of that, but it is the argument that may be complex
    without ``holomorphic``, where the result is real."""
    @_written(jacrev, within.jacobian, function, argnums, holomorphic)
    @_of_one_argument(function, argnums)
    def jacobian(subject: Subject, place: int, args: tuple) -> Any:
        if holomorphic:
            _check_kind(f"the argument of {subject.name}", args[place], holomorphic)
        value, pullback = vjp(subject, *held(args))
        _check_single(subject, value)
        _check_kind(f"the result of {subject.name}", value, holomorphic)
        if not np.size(value):
            return np.zeros((*np.shape(value), *np.shape(args[place])), np.asarray(args[place]).dtype)
        sweep = sweep_backwards(subject, place, args) if np.size(value) > 1 else None
        if sweep is None:
            rows = np.stack([pullback(unit)[place] for unit in units(value)])
        else:
            rows = np.concatenate([sweep(units.astype(value.dtype), held(args))[1] for units in blocks(value)])
        return np.reshape(rows, (*np.shape(value), *np.shape(args[place])))[()]
    return jacobian


@_among_siblings()
def jacobian(function: Callable, argnums: int = 0, holomorphic: bool = False) -> Callable:
    """The Jacobian of a function: :func:`jacfwd` where the argument has fewer elements than the result, else
    :func:`jacrev`. The function is run once more, to see how many its result has; where it may then do something else,
    it is :func:`jacrev`."""
    forward, backward = (mode(function, argnums, holomorphic) for mode in (jacfwd, jacrev))
    either = _first_possible(backward, forward)

    @_written(jacobian, within.jacobian, function, argnums, holomorphic)
    @_of_one_argument(function, argnums)
    def chosen(subject: Subject, place: int, args: tuple) -> Any:
        if not is_changeless(subject.function, kinds_in((*args, *subject.added))):
            return either(*args)
        value = function(*held(args))
        _check_single(subject, value)
        return (forward if np.size(args[place]) < np.size(value) else backward)(*args)
    return chosen


@_among_siblings()
def hessian(function: Callable, argnums: int = 0) -> Callable:
    """The second derivatives of a function that returns a single float, in one argument: forward mode over reverse
    mode, or, where that is refused, reverse mode over itself or over forward mode. The shape is that of the argument,
    twice."""
    gradient = grad(function, argnums)

    @_of_one_argument(function, argnums)
    def by_rows(subject: Subject, place: int, args: tuple) -> Any:
        argument = args[place]
        _check_kind(f"the argument of {subject.name}", argument, False)
        if np.size(argument) > 1:
            check_reruns(subject, place, args)
        rows = [_slope_along(function, place, args, unit) for unit in units(argument)]
        return np.reshape(np.array(rows), np.shape(argument) * 2)[()]
    made = _first_possible(jacfwd(gradient, argnums), jacrev(gradient, argnums), by_rows)
    return _written(hessian, within.hessian, function, argnums)(functools.wraps(gradient)(made))


@_among_siblings(more=1)
def hvp(function: Callable, argnums: int = 0) -> Callable:
    """The product of a function's Hessian with a vector, at the cost of a few calls: forward mode over reverse mode,
    or, where that is refused, reverse mode over itself or over forward mode.

    Parameters
    ----------
    function
        Returns a single float.
    argnums
        Which positional argument to differentiate in.

    Returns
    -------
    callable
        ``product(*args, vector)``, with a vector of the argument's structure and shapes.
    """
    gradient = grad(function, argnums)

    @_of_one_argument(function, argnums, more=1)
    def forward(subject: Subject, place: int, args: tuple) -> Any:
        *args_, vector = args
        return jvp(gradient, held(tuple(args_)), at(place, vector, args_))[1]

    @_of_one_argument(function, argnums, more=1)
    def backward(subject: Subject, place: int, args: tuple) -> Any:
        *args_, vector = args
        return vjp(gradient, *held(tuple(args_)))[1](held(vector))[place]

    @_of_one_argument(function, argnums, more=1)
    def backward_over_forward(subject: Subject, place: int, args: tuple) -> Any:
        *args_, vector = args
        return _slope_along(function, place, tuple(args_), vector)
    made = _first_possible(forward, backward, backward_over_forward)
    return _written(hvp, within.hvp, function, argnums)(functools.wraps(function)(made))


def _slope_along(function: Callable, place: int, args: tuple, vector: Any) -> Any:
    """The product of the Hessian, which is symmetric, with a vector, as the gradient of the derivative along that:
    where a gradient can't be differentiated, a tangent function often can."""
    return grad(_derivative_along, place + 2)(function, at(place, vector, args), *held(args))


def _derivative_along(function: Callable, tangents: tuple, /, *args: Any) -> Any:
    return jvp(function, args, tangents)[1]


@_among_siblings()
def hessian_diagonal(function: Callable, argnums: int = 0) -> Callable:
    """The second derivative of a function that returns a single float in each element of an argument, by forward mode
    over reverse mode, with a tangent for each of them; where that is refused, out of :func:`hessian`."""
    gradient = grad(function, argnums)
    whole = hessian(function, argnums)

    @_of_one_argument(gradient, argnums)
    def diagonal(subject: Subject, place: int, args: tuple) -> Any:
        argument = args[place]
        _check_kind(f"the argument of {subject.name}", argument, False)
        found: list = []
        for _, tangents in forwards(subject, place, args, functools.partial(_check_single, subject)):
            found += [row.flat[len(found) + index] for index, row in enumerate(tangents)]
        return np.reshape(np.array(found, np.asarray(argument).dtype), np.shape(argument))[()]

    @_of_one_argument(gradient, argnums)
    def of_whole(subject: Subject, place: int, args: tuple) -> Any:
        size = np.size(args[place])
        return np.reshape(np.diagonal(np.reshape(whole(*args), (size, size))).copy(), np.shape(args[place]))[()]
    made = _first_possible(diagonal, of_whole)
    return _written(hessian_diagonal, within.hessian_diagonal, function, argnums)(functools.wraps(gradient)(made))


def elementwise_grad(function: Callable, argnums: int = 0, holomorphic: bool = False) -> Callable:
    """The derivative of a function that works element by element: of each element of the result in the element of the
    argument that it comes from. That is the gradient of the result's sum, so that nothing is checked; it may be
    differentiated again."""
    def summed(*args: Any, **kwargs: Any) -> Any:
        return np.sum(function(*args, **kwargs))

    subject_of(function)
    made: Any = grad(functools.update_wrapper(summed, function), argnums, holomorphic=holomorphic)
    made.making = elementwise_grad, (function, argnums, holomorphic)
    return made  # type: ignore[no-any-return]


def gauss_newton_product(function: Callable, loss: Callable | None = None, argnums: int = 0) -> Callable:
    """The product of the generalised Gauss-Newton matrix J' H J of ``loss(function(x))`` with a vector, where J is the
    Jacobian of the function and H the Hessian of the loss at its result (Schraudolph 2002).

    Parameters
    ----------
    function
        Returns an array or a number.
    loss
        Takes it and returns a single float; None stands for half the sum of squares, of which H is the identity.
    argnums
        Which positional argument of ``function`` to differentiate in.

    Returns
    -------
    callable
        ``product(*args, vector)``.
    """
    curved = None if loss is None else hvp(loss)

    @_written(gauss_newton_product, within.gauss_newton_product, function, loss, argnums)
    @_of_one_argument(function, argnums, more=1)
    def product(subject: Subject, place: int, args: tuple) -> Any:
        *args_, vector = args
        _check_kind(f"the argument of {subject.name}", args_[place], False)
        value, tangent = jvp(subject, held(tuple(args_)), at(place, vector, args_))
        _check_kind(f"the result of {subject.name}", value, False)
        _check_single(subject, value)
        _, pullback = vjp(subject, *held(tuple(args_)))
        return pullback(tangent if curved is None else curved(value, tangent))[place]
    return product


for _maker in (jacobian, hessian, hvp, hessian_diagonal, elementwise_grad, gauss_newton_product):
    setattr(_maker, WITHIN, getattr(within, _maker.__name__))
for _maker in (jacfwd, jacrev):
    setattr(_maker, WITHIN, within.jacobian)
Session.by_slopes = by_slopes
setattr(vjp, AT_ONCE, at_once.written_vjp)
setattr(jvp, AT_ONCE, at_once.written_jvp)


def _written(maker: Callable, at: Callable, function: Callable, *given: Any) -> Callable:
    """Makes the derivative that ``maker`` gives out of a function that computes it, and says that it is differentiated
    as ``at``, which is given the same first."""
    def noted(made: Callable) -> Callable:
        derived = Derived(made, function, (maker, (function, *given)), maker.__name__)
        setattr(derived, ALIKE, functools.partial(at, function, *given))
        return derived
    return noted


def _of_one_argument(function: Callable, argnums: int, more: int = 0) -> Callable:
    """Makes a function of ``function``'s arguments, and ``more`` behind them, out of one that gets the subject as the
    call sees it, the place of the differentiated argument, and all arguments."""
    if isinstance(argnums, tuple):
        raise ArgumentTypeError(f"argnums is {argnums!r}", "pass an integer, and call jacfwd for each argument")
    subject = subject_of(function)

    def made(work: Callable) -> Callable:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            own = _by_position(function, args[:len(args) - more], kwargs)
            fitting = subject.fitting(own, {})
            name, = wanted_parameters(fitting, argnums)
            place = list(fitting.parameters()).index(name)
            _check_argument(fitting, name, own, place, more)
            _check_repeatable(fitting, own)
            return work(fitting, place, (*own, *args[len(args) - more:]))
        return call
    return made


def _by_position(function: Callable, args: tuple, kwargs: dict[str, Any]) -> tuple:
    """The arguments of a call, those that it gives by name in their places."""
    if not kwargs:
        return args
    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    if bound.kwargs:
        raise ArgumentTypeError(f"{next(iter(bound.kwargs))} can be given by name only, and a Jacobian takes arguments "
                                "by position", "differentiate a lambda that gives it")
    return bound.args


def _first_possible(*ways: Callable) -> Callable:
    """A function that does what all of these do, in the first way that is not refused."""
    modes = list(ways)

    def call(*args: Any, **kwargs: Any) -> Any:
        refusals = []
        for mode in list(modes):
            try:
                result = mode(*args, **kwargs)
            except UnsupportedError as refusal:
                refusals.append(refusal)
            else:
                modes.sort(key=lambda other: other is not mode)  # the next call begins with it
                return result
        raise refusals[0]
    return call


def _check_kind(label: str, value: Any, holomorphic: bool) -> None:
    """Raises ArgumentTypeError for what is complex, or for what isn't if it has to be."""
    if is_complex(value) and not holomorphic:
        raise ArgumentTypeError(f"{label} is {described(value)}, and only a holomorphic function has a Jacobian there",
                                "pass holomorphic=True if it is one, or take real and imaginary parts")
    if holomorphic and not is_complex(value):
        raise ArgumentTypeError(f"{label} is {described(value)}, and holomorphic=True is for complex numbers",
                                "make it complex, or leave holomorphic out")


def _check_single(subject: Subject, value: Any) -> None:
    if contents(value) is not None:
        raise ArgumentTypeError(f"{subject.label} returned {described(value)}, and a Jacobian is of one array",
                                "join what it returns with np.concatenate, or use s2sgrad.jvp")
    if not holds_numbers(value) or np.asarray(value).dtype.kind == "b":
        raise ArgumentTypeError(f"{subject.label} returned {described(value)}, which has no Jacobian",
                                "return a number or an array of numbers")


def _check_argument(subject: Subject, name: str, args: tuple, place: int, more: int) -> None:
    """Raises an error where the differentiated argument, or what comes behind the function's own, is not there, and
    where that argument has no Jacobian."""
    if place >= len(args):
        behind = ", and the vector behind them" if more else ""
        raise ArgumentTypeError(f"{subject.name} got no argument {name}", f"pass its arguments{behind}")
    if not more and not is_float(args[place]):
        raise ArgumentTypeError(f"argument {name} of {subject.name} is {described(args[place])}, and a Jacobian is in "
                                "a float or an array of floats", "pass one, np.asarray(x, dtype=float) say")


def _check_repeatable(subject: Subject, args: tuple) -> None:
    """Raises ArgumentTypeError for an iterator among the arguments, which the first of several runs would use up."""
    for label, value in zip(subject.parameters(), args):
        for _, part in leaves(value):
            if isinstance(part, Iterator) and not isinstance(part, io.IOBase):
                raise ArgumentTypeError(f"argument {label} of {subject.name} is or holds {described(part)}, which can "
                                        "be run through once, and this may take several runs",
                                        "pass a list of what it gives")
