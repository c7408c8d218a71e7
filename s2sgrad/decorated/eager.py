"""Operations that cannot be told in NumPy's terms: what they do depends on sizes or on values.

In compiled code they are calls of what eager tensors have, and so are their adjoints, which run the operation again,
and lead back through it.

The adjoint of such a call is a call of another operation, whose adjoint is one again: so it is for any order.
"""
from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.autograd import enable_grad, grad, no_grad
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import Abstract, Items, Numeric
from s2sgrad.rules.table import RULES, Parameter, Rule
from s2sgrad.shim.creation import default_generator
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import Tensor, new_tensor


class Quiet:
    """In place of a thread's context without warnings, where it has been entered already."""

    @staticmethod
    def run(function: Callable, *arguments: Any, **keywords: Any) -> Any:
        return function(*arguments, **keywords)


QUIET: Any = Quiet()
DRAWS = ("this draws random numbers, which its derivative would not know",
         "draw them with torch.rand or torch.randn, and compute with them")


@dataclasses.dataclass(frozen=True)
class Form:
    """What is known of an array: its dtype and its number of dimensions."""

    dtype: np.dtype
    ndim: int

    @property
    def abstract(self) -> Numeric:
        return Numeric("array", self.dtype, (None,) * self.ndim)

    def checked(self, name: str, value: Any) -> np.ndarray:
        array = np.asarray(value)
        if array.ndim != self.ndim or array.dtype != self.dtype:
            raise UnsupportedError(
                f"{name} gave {array.ndim} dimensions of {array.dtype.name} here, and {self.ndim} of "
                f"{self.dtype.name} when its function was compiled", "leave the decorator off")
        return array


class EagerCall:
    """An operation on arrays and numbers, done by one on tensors.

    Attributes
    ----------
    function
        What takes tensors, and gives a tensor or several.
    operands
        For each operand its form; None for a number.
    results
        The form of each result; of a single one it is not in a tuple.
    """

    def __init__(self, name: str, function: Callable, operands: tuple[Form | None, ...], results: tuple[Form, ...],
                 several: bool):
        self.__name__ = name
        self.function = function
        self.operands = operands
        self.results = results
        self.several = several
        self.floats = tuple(place for place, form in enumerate(results) if form.dtype.kind == "f")
        names: dict[str, Any] = {}
        labels = [f"x_{place}" for place in range(len(operands))]
        partials = {label: functools.partial(self.formula, names, labels, place) for place, (label, form) in enumerate(
            zip(labels, operands)) if form is not None and form.dtype.kind == "f" and self.floats}
        RULES[self] = Rule(name, self, tuple(map(Parameter, labels)), partials, constant=not partials,
                           result=self.result, names=names, parts=self.floats if several else (), sharing="maybe")

    def result(self, operation: Any) -> Abstract:
        found = tuple(form.abstract for form in self.results)
        return Items(tuple, found) if self.several else found[0]

    def formula(self, names: dict[str, Any], labels: list[str], place: int, operation: Any) -> Any:
        """An operand's cotangent: a term for each result."""
        terms = []
        for number in self.floats:
            label = f"{self.__name__}_back_{place}" + (f"_{number}" if self.several else "")
            if label not in names:
                form = self.operands[place]
                assert form is not None
                names[label] = EagerCall(label, functools.partial(pulled, self.function, place, number), (
                    self.results[number], *self.operands), (form,), False)
            terms.append(f"{label}({f'g_{number}' if self.several else 'g'}, {', '.join(labels)})")
        return tuple(terms) if len(terms) > 1 else terms[0]

    def __call__(self, *values: Any) -> Any:
        now, drawn = state.now, default_generator.numpy.bit_generator.state
        before, now.quiet = now.quiet, QUIET
        try:
            with no_grad():
                found = self.function(*[value if form is None else new_tensor(np.asarray(value))
                                        for value, form in zip(values, self.operands)])
        finally:
            now.quiet = before
        if default_generator.numpy.bit_generator.state != drawn:
            raise UnsupportedError(*DRAWS)
        if not self.several:
            return self.results[0].checked(self.__name__, found._array)
        return tuple([form.checked(self.__name__, item._array) for form, item in zip(self.results, found)])


def pulled(function: Callable, place: int, number: int, cotangent: Tensor, *operands: Any) -> Tensor:
    """The cotangent of an operand, through the operation run again."""
    records = state.now.recording
    with enable_grad():
        given = [item.detach().requires_grad_() if index == place and not item.requires_grad else item
                 for index, item in enumerate(operands)]
        found = function(*given)
        result = found[number] if isinstance(found, tuple) else found
        if not result.requires_grad:
            return new_tensor(np.zeros_like(given[place]._array))
        bar, = grad(result, given[place], cotangent, create_graph=records, allow_unused=True)
    return new_tensor(np.zeros_like(given[place]._array)) if bar is None else bar


class Hole:
    """The place of an operand among the arguments of a call."""

    def __init__(self, place: int):
        self.place = place


def eager_call(name: str, function: Callable, arguments: list, keywords: dict[str, Any], leaves: list, result: Any
               ) -> EagerCall:
    """The operation for arguments like these examples. ``leaves``: the arrays and numbers among them that the call gets
    anew each time."""
    numbers = {id(leaf): place for place, (leaf, _) in enumerate(leaves)}

    def with_holes(value: Any) -> Any:
        if isinstance(value, Tensor):
            return Hole(numbers[id(value._array)])
        if isinstance(value, (list, tuple)):
            return [with_holes(item) for item in value] if isinstance(value, list) else tuple(map(with_holes, value))
        return Hole(numbers[id(value)]) if id(value) in numbers else value

    held, named = [with_holes(item) for item in arguments], {
        label: with_holes(item) for label, item in keywords.items()}

    def run(*operands: Any) -> Any:
        def filled(value: Any) -> Any:
            if isinstance(value, Hole):
                return operands[value.place]
            if isinstance(value, (list, tuple)):
                return [filled(item) for item in value] if isinstance(value, list) else tuple(map(filled, value))
            return value

        return function(*map(filled, held), **{label: filled(item) for label, item in named.items()})

    several = isinstance(result, tuple)
    operands = tuple(Form(leaf.dtype, leaf.ndim) if isinstance(leaf, np.ndarray) else None for leaf, _ in leaves)
    results = tuple(Form(item._array.dtype, item._array.ndim) for item in (result if several else (result,)))
    return EagerCall(name, run, operands, results, several)

