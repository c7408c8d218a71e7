"""The rule table and the language its lines are written in.

A line names a call with its parameters and gives, for each parameter that may be differentiated, a *formula*: the
product of the cotangent ``g`` of the result with the derivative. In a formula the parameters stand for the operands,
``y`` for the result, ``np`` and ``math`` for the modules; a name from :mod:`s2sgrad.runtime` is a helper. Steps may
go before the last expression, separated by semicolons: ``"hit = a == y; g * hit / np.sum(hit)"``. A formula of an
elementwise rule that does not mention ``g`` is the derivative itself. What a formula mentions is what gets saved.

Where the text depends on what is known (a rank, an axis), the formula is a function that takes the
:class:`Operation` and returns the text. An operand inside a list or tuple is named by its place: ``arrays_0``.
"""
from __future__ import annotations

import ast
import builtins
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from s2sgrad.rules.abstract import (
    ANY,
    MISSING,
    Abstract,
    Items,
    Known,
    Numeric,
    Opaque,
    Shape,
    broadcast,
    known_value,
    number,
    rank_of,
    shape_of,
)

Formula = "str | Callable[[Operation], str] | Callable[[Operation, tuple[int, ...]], str]"
ZERO = "0"
"""The formula of a parameter that may be active but has no influence to first order (a condition, a decimal count)."""


class NeedsValue(Exception):
    """A rule needs the Python value of an operand that is not known: the caller specialises on it or refuses."""

    def __init__(self, parameter: str, value: Abstract):
        super().__init__(parameter)
        self.parameter = parameter
        self.value = value


@dataclass(frozen=True)
class Parameter:
    name: str
    default: Any = MISSING
    keyword_only: bool = False


@dataclass(frozen=True, eq=False)
class Rule:
    """One line of the table.

    Attributes
    ----------
    name
        What a temporary for the result is called, and the function in messages.
    function
        The object that a user's name refers to.
    partials
        Formula for each differentiable parameter.
    elementwise
        Operands broadcast against one another; the formula broadcasts alike and is summed back to its operand.
    spreads
        The formula may have fewer elements than its operand and broadcasts to it (the adjoint of a sum).
    constant
        No derivative anywhere: the result is passive.
    result
        The abstract result of an operation, where running the function on small samples cannot tell.
    sharing
        Whether the result may be memory of an operand: ``"fresh"``, ``"view"`` or ``"maybe"``.
    names
        What else formulas may mention.
    variadic
        The parameter that gathers several positional arguments (``x.reshape(2, 3)``).
    """

    name: str
    function: Any
    parameters: tuple[Parameter, ...]
    partials: dict[str, Any] = field(default_factory=dict)
    elementwise: bool = False
    spreads: bool = False
    constant: bool = False
    result: Callable[[Operation], Abstract] | None = None
    sharing: str = "fresh"
    names: dict[str, Any] = field(default_factory=dict)
    variadic: str = ""

    def bind(self, positional: list, keywords: dict[str, Any]) -> dict[str, Any]:
        """Operands by parameter name. Raises TypeError, with the reason alone, for what the rule doesn't take."""
        slots = [parameter for parameter in self.parameters if not parameter.keyword_only]
        places = [slot.name for slot in slots]
        if self.variadic and len(positional) > places.index(self.variadic) + 1:
            start = places.index(self.variadic)
            positional = [*positional[:start], list(positional[start:])]
        if len(positional) > len(slots):
            raise TypeError(f"its rule takes at most {len(slots)} positional arguments")
        bound = {slot.name: operand for slot, operand in zip(slots, positional)}
        allowed = {parameter.name for parameter in self.parameters}
        for name, operand in keywords.items():
            if name not in allowed:
                raise TypeError(f"its rule does not take {name}=")
            if name in bound:
                raise TypeError(f"it got two values for {name}")
            bound[name] = operand
        for parameter in self.parameters:
            if parameter.default is MISSING and parameter.name not in bound:
                raise TypeError(f"its argument {parameter.name} is missing")
        return bound


class Operation:
    """One call of a function with a rule, as formulas see it: what is known of its operands and its result."""

    def __init__(self, rule: Rule, operands: dict[str, Abstract], result: Abstract = ANY):
        self.rule = rule
        self.operands = operands
        self.result = result

    def __getitem__(self, name: str) -> Abstract:
        if name in self.operands:
            return self.operands[name]
        default = next(parameter.default for parameter in self.rule.parameters if parameter.name == name)
        return Known(default) if default is None or isinstance(default, str) else number(default)

    def item(self, name: str, path: tuple[int, ...]) -> Abstract:
        """The abstract value of the operand at a place inside a list or tuple."""
        value = self[name]
        for index in path:
            assert isinstance(value, Items) and value.items is not None
            value = value.items[index]
        return value

    def known(self, name: str) -> Any:
        """The operand's Python value; raises NeedsValue where it must first be made known."""
        value = known_value(self[name])
        if value is MISSING:
            raise NeedsValue(name, self[name])
        return value

    def if_known(self, name: str) -> Any:
        """The operand's Python value, or MISSING."""
        return known_value(self[name])

    def rank(self, name: str) -> int | None:
        return rank_of(self[name])

    def shape(self, name: str) -> Shape:
        return shape_of(self[name])

    def axes(self, parameter: str = "axis", of: str = "a") -> tuple[int, ...] | None:
        """A reduction's axes, counted from 0 and ascending; None for all of them. The rank must be known if
        an axis is negative, else NeedsValue's sibling: the axes come back as they are, negative ones included."""
        axis = self.known(parameter)
        if axis is None:
            return None
        axes = axis if isinstance(axis, tuple) else (axis,)
        rank = self.rank(of)
        if rank is not None:
            axes = tuple(sorted(item + rank if item < 0 else item for item in axes))
        return axes


RULES: dict[Any, Rule] = {}
"""By function object."""
METHODS: dict[str, Rule] = {}
"""By name of an ndarray method; the array is the first parameter."""
ATTRIBUTES: dict[str, Rule] = {}
"""By name of an ndarray attribute; the array is the only parameter."""


def parse_signature(line: str) -> tuple[str, tuple[Parameter, ...]]:
    """``"np.sum(a, axis=None, *, keepdims=False)"`` taken apart: the callee's text and its parameters."""
    callee, _, arguments = line.partition("(")
    function = ast.parse(f"def f({arguments}: pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    spec = function.args
    positional = spec.posonlyargs + spec.args
    defaults = [MISSING] * (len(positional) - len(spec.defaults)) + [ast.literal_eval(d) for d in spec.defaults]
    parameters = [Parameter(argument.arg, default) for argument, default in zip(positional, defaults)]
    parameters += [
        Parameter(argument.arg, MISSING if default is None else ast.literal_eval(default), keyword_only=True)
        for argument, default in zip(spec.kwonlyargs, spec.kw_defaults)
    ]
    return callee, tuple(parameters)


def resolve(callee: str) -> Any:
    """The function that a table line means."""
    value: Any = {"np": np, "math": math, "builtins": builtins}[callee.split(".")[0]]
    for attribute in callee.split(".")[1:]:
        value = getattr(value, attribute)
    return value


def register(
    line: str,
    partials: dict[str, Any],
    *,
    function: Any = None,
    name: str = "",
    method: str | bool = False,
    attribute: str = "",
    aliases: tuple = (),
    **properties: Any,
) -> Rule:
    """Put a line into the table: under its function, ``aliases`` (other objects that mean the same), and where said
    as an ndarray ``method`` (True: of the same name) or ``attribute``."""
    callee, parameters = parse_signature(line)
    target = resolve(callee) if function is None else function
    rule = Rule(name or callee.split(".")[-1], target, parameters, dict(partials), **properties)
    unknown = set(partials) - {parameter.name for parameter in parameters}
    if unknown:
        raise TypeError(f"{line} has no parameter {', '.join(sorted(unknown))}")
    for key in (target, *aliases):
        RULES[key] = rule
    if method:
        METHODS[rule.name if method is True else method] = rule
    if attribute:
        ATTRIBUTES[attribute] = rule
    return rule


PROPERTIES = ("function", "name", "method", "attribute", "aliases", "result", "sharing", "names", "spreads",
              "variadic")


def _line(line: str, given: dict[str, Any], **properties: Any) -> Rule:
    """Parameters named like a property (``name=``) can't be formulas; none of NumPy's differentiable ones is."""
    partials = {name: formula for name, formula in given.items() if name not in PROPERTIES}
    properties.update((name, value) for name, value in given.items() if name in PROPERTIES)
    return register(line, partials, **properties)


def elementwise(line: str, **given: Any) -> Rule:
    """``elementwise("np.tanh(x)", x="1 - y ** 2")``: operands broadcast, element by element."""
    return _line(line, given, elementwise=True)


def general(line: str, **given: Any) -> Rule:
    """Any other map: each formula gives the operand's cotangent in the operand's own shape."""
    return _line(line, given)


def reduction(line: str, **given: Any) -> Rule:
    """A map that sums over axes: each formula broadcasts to the operand's shape."""
    return _line(line, given, spreads=True)


def constant(line: str, **given: Any) -> Rule:
    """A function without derivative (``argmax``, comparisons, shapes): its result is passive."""
    return _line(line, given, constant=True)


_SAMPLE_SIZES = ((5, 11), (7, 17), (13, 29), (19, 41), (23, 53), (31, 67), (37, 79), (43, 97))
_results: dict[Any, Abstract] = {}


def result_of(operation: Operation) -> Abstract:
    """The abstract result of an operation, active or not as its operands and rule make it."""
    rule = operation.rule
    if rule.result is not None:
        return rule.result(operation)
    if rule.elementwise and all(isinstance(value, Numeric) for value in operation.operands.values()):
        return _elementwise_result(rule, operation.operands)
    try:
        key = (rule, tuple(operation.operands.items()))
        if key not in _results:
            if len(_results) > 10_000:
                _results.clear()
            _results[key] = by_example(rule.function, operation.operands, rule.parameters)
        return _results[key]
    except TypeError:  # an operand that can't be hashed
        return by_example(rule.function, operation.operands, rule.parameters)


def _elementwise_result(rule: Rule, operands: dict[str, Any]) -> Abstract:
    """The shape by broadcasting; kind and dtype from samples of the operands' kinds and dtypes."""
    shape = broadcast(*(value.shape for value in operands.values()))
    found: set[tuple] = set()
    small: dict[str, list[Numeric]] = {}
    for name, value in operands.items():
        kinds = ("python", "scalar") if value.kind == "number" else (value.kind,)
        place = () if value.is_number or value.shape == () else (2,)
        small[name] = [Numeric(kind, value.dtype, place, value=value.value) for kind in kinds]
    for choice in itertools.product(*small.values()):
        key = (rule, choice)
        if key not in _results:
            _results[key] = by_example(rule.function, dict(zip(small, choice)), rule.parameters)
        result = _results[key]
        found.add((result.kind, result.dtype) if isinstance(result, Numeric) else ("any", None))
    kinds_, dtypes = {kind for kind, _ in found}, {dtype for _, dtype in found}
    dtype = dtypes.pop() if len(dtypes) == 1 else None
    if shape == ():
        kind = kinds_.pop() if len(kinds_) == 1 else "number"
        return Numeric("scalar" if kind in ("array", "any") else kind, dtype, ())
    return Numeric("array" if shape else "any", dtype, shape)


def by_example(function: Any, operands: dict[str, Abstract], parameters: tuple[Parameter, ...]) -> Abstract:
    """The abstract result of ``function``, found by running it twice on small samples of unlike sizes.

    A size that follows one dimension of the operands through both runs is that dimension; a size that is the same in
    both is a literal; every other size is unknown. This needs functions whose result's shape and dtype depend on
    shapes and dtypes alone, which is what a rule without a ``result`` of its own promises.
    """
    dims: dict[Any, tuple[int, int]] = {}
    results = []
    keyword_only = {parameter.name for parameter in parameters if parameter.keyword_only}
    try:
        for run in (0, 1):
            samples = {name: _sample(value, run, dims) for name, value in operands.items()}
            ordered = [parameter.name for parameter in parameters if not parameter.keyword_only]
            positional = []
            while ordered and ordered[0] in samples:
                positional.append(samples[ordered.pop(0)])
            keywords = {name: samples[name] for name in (*ordered, *keyword_only) if name in samples}
            with np.errstate(all="ignore"):
                results.append(function(*positional, **keywords))
    except Exception:  # the samples can't tell: nothing is known
        return ANY
    named = {sizes: dim for dim, sizes in dims.items()}
    return _generalise(results[0], results[1], named)


class _Unsampled(Exception):
    pass


def _sample(value: Abstract, run: int, dims: dict[Any, tuple[int, int]]) -> Any:
    known = known_value(value)
    if known is not MISSING:
        return known
    if isinstance(value, Items) and value.items is not None:
        return value.kind(_sample(item, run, dims) for item in value.items)
    if not isinstance(value, Numeric) or value.dtype is None or value.shape is None or value.kind == "any":
        raise _Unsampled
    sizes = []
    for dim in value.shape:
        if dim is None:
            raise _Unsampled
        if isinstance(dim, int):
            sizes.append(dim)
        else:
            if dim not in dims:
                dims[dim] = _SAMPLE_SIZES[len(dims)]
            sizes.append(dims[dim][run])
    if value.dtype.kind in "fc":
        sample = np.random.default_rng(run).uniform(0.2, 0.9, sizes).astype(value.dtype)
    else:
        sample = np.full(sizes, value.dtype.kind in "iu" and not sizes and run + 2, value.dtype)
    if value.kind == "python":
        return sample.item()
    return sample[()] if value.kind == "scalar" else sample


def _generalise(first: Any, second: Any, dims: dict[tuple[int, int], Any]) -> Abstract:
    if type(first) is not type(second):
        return ANY
    if isinstance(first, (np.ndarray, np.generic)):
        if first.ndim != second.ndim:
            return ANY
        shape = tuple(a if a == b else dims.get((a, b)) for a, b in zip(first.shape, second.shape))
        return Numeric("array" if isinstance(first, np.ndarray) else "scalar", first.dtype, shape)
    if isinstance(first, (bool, int, float, complex)):
        return Numeric("python", np.dtype(type(first)), ())
    if type(first) in (tuple, list):
        if len(first) == len(second):
            return Items(type(first), tuple(_generalise(a, b, dims) for a, b in zip(first, second)))
        return Items(type(first), None, ANY)
    return Opaque()
