"""What the functions of a custom rule give, checked."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sgrad.containers import contents, is_complex, is_object, with_parts
from s2sgrad.errors import ArgumentError
from s2sgrad.runtime.structures import held, zeros_of


def argument_bars(label: str, bars: Any, arguments: Sequence, places: Sequence[int]) -> tuple:
    """The cotangents that a rule's reverse function gives, one for each argument; those asked for are new memory.

    ``bars`` is a tuple, or of a function with one parameter the cotangent itself. Raises ArgumentError for another
    number of them, or another shape.
    """
    if not isinstance(bars, tuple) and len(arguments) == 1:
        bars = (bars,)
    if not isinstance(bars, tuple) or len(bars) != len(arguments):
        raise wrong_number(label, bars, len(arguments))
    return tuple(fitted(f"argument {place} of {label}", bar, argument) if place in places else None
                 for place, (bar, argument) in enumerate(zip(bars, arguments)))


def wrong_number(label: str, bars: Any, count: int) -> ArgumentError:
    """What is wrong where a rule's reverse function gives more or fewer cotangents than there are arguments."""
    found = f"{len(bars)} values" if isinstance(bars, tuple) else f"a {type(bars).__name__}"
    return ArgumentError(f"the reverse function of {label} gives {found} for {count} arguments",
                         "return a tuple with a cotangent, or None, for each")


def single_result(label: str, value: Any, *others: Any) -> Any:
    """The result of a function with a rule. Raises ArgumentError for several, of which a rule knows nothing, and for
    one that is memory of ``others``, arguments that nobody knew to be handed on."""
    if isinstance(value, (tuple, list, dict)):
        raise ArgumentError(f"{label} has a rule of its own, and returns a {type(value).__name__}",
                            "let it return one array or number")
    if isinstance(value, np.ndarray) and any(
            np.may_share_memory(value, leaf) for other in others for leaf in arrays_in(other)):
        raise ArgumentError(f"{label} has a rule of its own, and returns an argument, or a view of one",
                            "let it return a copy")
    return value


def of_shape(bar: Any, shape: Any) -> Any:
    """A cotangent that a rule's formula gives, as it is. Raises ArgumentError for one of another shape."""
    if np.shape(bar) != shape:
        raise ArgumentError(f"the rule gives an array of shape {np.shape(bar)} for an argument of shape {shape}",
                            "let its formula give the cotangent in the argument's own shape")
    return bar


def arrays_in(value: Any) -> list[np.ndarray]:
    if isinstance(value, np.ndarray):
        return [value]
    found = contents(value)
    return [] if found is None else [leaf for part in found.parts for leaf in arrays_in(part)]


def read_only(value: Any) -> Any:
    """A value as it is, but that NumPy raises an error where somebody writes into an array of it."""
    if isinstance(value, np.ndarray):
        view = value.view()
        view.flags.writeable = False
        return view
    return value if is_object(value) else with_parts(value, read_only, any_keys=True)


def fitted(label: str, given: Any, value: Any) -> Any:
    """A cotangent or tangent of a value, in its dtype and in new memory; None stands for zeros."""
    if isinstance(value, (np.ndarray, float, complex, np.inexact)):
        if given is None:
            return zeros_of(value)
        if np.shape(given) != np.shape(value):
            raise ArgumentError(f"the rule gives an array of shape {np.shape(given)} for {label}, which has shape "
                                f"{np.shape(value)}", "sum it over the axes along which that was broadcast")
        given = given if is_complex(value) else np.real(given)
        return np.array(given, value.dtype) if isinstance(value, np.ndarray) else type(value)(given)
    if given is None:
        raise nothing_given(label, value)
    return held(given)


def nothing_given(label: str, value: Any) -> ArgumentError:
    """What is wrong where the cotangent or tangent of a container is None."""
    return ArgumentError(f"the rule gives None for {label}, a {type(value).__name__} that is differentiated",
                         "return one with a cotangent for each part")
