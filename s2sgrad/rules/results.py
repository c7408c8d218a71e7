"""What the function of a rule gives for operands of which this much is known: as the rule tells, or found by trying."""
from __future__ import annotations

import functools
import itertools
import operator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad.rules.abstract import (
    ANY,
    MISSING,
    NUMBERS,
    Abstract,
    Items,
    Known,
    Numeric,
    holds_mixed,
    is_complex,
    is_real,
    items_of,
    join,
    known_value,
    may_be_whole,
    with_dims,
    with_numbers,
)
from s2sgrad.rules.dims import Dim, Shape, broadcast
from s2sgrad.rules.samples import by_example
from s2sgrad.rules.table import STRUCTURE, Operation, Rule, holds_complex

FLOAT64 = np.dtype(float)
_results: dict[Any, Abstract] = {}
_kinds: dict[tuple, Any] = {}
"""Of elementwise rules, what is the same for operands of all shapes."""


def result_of(operation: Operation) -> Abstract:
    """The abstract result of an operation, active or not as its operands and rule make it."""
    result = with_dtype(operation, _found(operation))
    operands = operation.operands.values()
    if any(map(holds_mixed, operands)) and (is_complex(result) or is_real(result) and not result.real and all(
            map(may_be_whole, operands))):
        return replace(result, mixed=True)  # type: ignore[type-var]
    return result


def _found(operation: Operation) -> Abstract:
    rule, operands = operation.rule, operation.operands
    if rule.result is not None:
        try:
            result = rule.result(operation)
        except (TypeError, ValueError, LookupError, ArithmeticError):  # of what the call refuses nothing is known
            return ANY
        rare = any(map(has_rare_precision, operands.values()))
        return of_any_precision(result) if rare and rule.goes_to_libraries else result
    if "where" in operands:  # which of samples might leave nothing
        operands = {name: value for name, value in operands.items() if name != "where"}
    if any(known_value(operands[name]) is MISSING for name in STRUCTURE.intersection(operands)):
        return ANY
    if rule.elementwise and {Numeric, Known}.issuperset(map(type, operands.values())):
        return _elementwise_result(rule, operands)
    try:
        key = (rule, *operands.items())
        found = _results.get(key)
        if found is None:
            if len(_results) > 10_000:
                _results.clear()
            found = _results[key] = by_samples(rule, operands)
        return found
    except TypeError:  # an operand that can't be hashed
        return by_samples(rule, operands)


def has_rare_precision(value: Abstract) -> bool:
    """Whether something is in half or extended precision."""
    if isinstance(value, Items):
        return any(map(has_rare_precision, items_of(value)))
    return isinstance(value, Numeric) and value.dtype is not None and value.dtype.char in "egG"


def of_any_precision(result: Abstract) -> Abstract:
    """What such libraries give of it: in single or double precision, most often, but nobody knows."""
    return with_numbers(result, lambda part: part if part.dtype is None or part.dtype.kind != "f"
                        else replace(part, dtype=None, real=True))


def with_dtype(operation: Operation, result: Abstract) -> Abstract:
    """The result of complex operands with its dtype, where that of others or only shapes are unknown: rules that don't
    hold for complex numbers must know them. Of unknown precision they count as double. Of operands of unknown dtypes it
    is found out whether the result is real even if they are complex."""
    if not isinstance(result, Numeric) or result.dtype is not None or result.real or operation.rule.constant:
        return result
    if any(map(holds_complex, operation.operands.values())):
        found = _dtypes(operation, None)
        if len(found) == 1:
            return replace(result, dtype=found.pop())
        return replace(result, dtype=np.dtype(complex)) if operation.rule.complex else result
    if "dtype" in operation.operands:  # which decides, where it is known
        found = _dtypes(operation, FLOAT64) if operation.if_known("dtype") not in (None, MISSING) else set()
        return replace(result, dtype=found.pop()) if len(found) == 1 else result
    kinds = {dtype.kind for dtype in _dtypes(operation, np.dtype(complex))}
    return replace(result, real=True) if kinds and kinds <= set("fiu") else result


def _dtypes(operation: Operation, unknown: np.dtype | None) -> set[np.dtype]:
    """The dtypes of results, with this one for those of operands that are not known, but for real ones, and those that
    have no derivative: axes and shifts."""
    def assumed(value: Numeric, differentiable: bool) -> Numeric:
        dtype = unknown if differentiable and not value.real else np.dtype(float)
        return value if value.dtype is not None or dtype is None else \
            Numeric(value.kind, dtype, value.shape, value=value.value)

    like = {name: with_numbers(value, functools.partial(assumed, differentiable=name in operation.rule.partials))
            for name, value in operation.operands.items() if name != "where"}
    ranks = (0, 1) if operation.rule.elementwise else (0, 1, 2, 3)  # arrays of all ranks are alike there
    tried = [{name: _ranked(value, rank) for name, value in like.items()} for rank in ranks]
    examples = [example_of(operation.rule, operands, once=True) for operands in tried]
    return {example.dtype for example in examples if isinstance(example, Numeric) and example.dtype is not None}


def _ranked(value: Abstract, rank: int) -> Abstract:
    """An operand, or what is in it, as a small array of that rank where its shape is unknown."""
    if isinstance(value, Items) and value.items is not None:
        return replace(value, items=tuple(_ranked(item, rank) for item in value.items))
    if isinstance(value, Items):
        return replace(value, items=(_ranked(value.element, rank),) * 2)
    if not isinstance(value, Numeric) or value.shape is not None and None not in value.shape and value.kind != "any":
        return value
    shape = (2,) * (rank if value.shape is None else len(value.shape))
    return Numeric("array", value.dtype, shape, value=value.value)


def by_samples(rule: Rule, operands: dict[str, Abstract]) -> Abstract:
    """The abstract result of a rule's function, found by running it."""
    for found in (example_of, _of_equal_sizes, _of_unknown_sizes, _by_rank):
        result = found(rule, operands)
        if result is not ANY:
            return result
    return ANY


def _of_equal_sizes(rule: Rule, operands: dict[str, Abstract]) -> Abstract:
    """Where functions of several arrays want sizes to agree of which nobody knows that they do, as ``np.dot`` of a
    window and a kernel, or of an argument and ``np.ones(6)``: the rank and dtype, which are those for arrays of one
    size throughout."""
    alike = [with_dims(value, _unless_literal) for value in operands.values()]
    found = example_of(rule, dict(zip(operands, alike)), once=True)
    if found is ANY:
        alike = [with_dims(value, _unless_small) for value in operands.values()]
        found = example_of(rule, dict(zip(operands, alike)), once=True)
    return with_dims(found, lambda dim: None)


def _of_unknown_sizes(rule: Rule, operands: dict[str, Abstract]) -> Abstract:
    """Where nobody knows sizes, as in a function that calls itself with parts of what it gets: what it gives of arrays
    with several elements and with one, of which some functions drop the axis."""
    several, one = ({name: with_dims(value, lambda dim: size if dim is None else dim)  # noqa: B023
                     for name, value in operands.items()} for size in (("any", 0), 1))
    if several == operands:
        return ANY
    found, other = _of_equal_sizes(rule, several), _of_equal_sizes(rule, one)
    return found if ANY in (found, other) else join(found, other)


def _unless_literal(dim: Dim) -> Dim:
    return dim if dim is None or isinstance(dim, int) else ("any", 0)


def _unless_small(dim: Dim) -> Dim:
    """Axes of one element are broadcast, and those of none reduced to nothing: they are like no others."""
    return dim if dim is None or dim in (0, 1) else ("any", 0)


def _by_rank(rule: Rule, operands: dict[str, Abstract]) -> Abstract:
    """Where an operand's rank is unknown: what numbers, vectors and matrices have in common."""
    results: list[Abstract] = []
    for rank in (0, 1, 2):
        known = {name: replace(value, kind="array", shape=tuple(("any", name, axis) for axis in range(rank)))
                 if isinstance(value, Numeric) and value.shape is None else value for name, value in operands.items()}
        if known == operands:
            return ANY
        results.append(example_of(rule, known))
    result = functools.reduce(join, results)
    if not isinstance(result, Numeric) or result.dtype is None:
        return ANY
    return result if not result.shape else replace(result, shape=(None,) * len(result.shape))


def example_of(rule: Rule, operands: dict[str, Abstract], once: bool = False) -> Abstract:
    """The abstract result, found by running the function on samples of the operands."""
    return by_example(rule.function, operands, _given(rule, tuple(operands)), once)


def call_of(rule: Rule, operands: dict[str, Any]) -> Any:
    """What a rule's function gives for values of its operands."""
    places, names = _given(rule, tuple(operands))
    return rule.function(*[operands[name] for name in places], **{name: operands[name] for name in names})


@functools.lru_cache(maxsize=4096)
def _given(rule: Rule, operands: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Which of the operands a rule's function takes by their place, and which by their name."""
    slots = [parameter.name for parameter in rule.parameters if not parameter.keyword_only]
    places = list(itertools.takewhile(operands.__contains__, slots))
    return places, [parameter.name for parameter in rule.parameters
                    if parameter.name in operands and parameter.name not in places]


@functools.lru_cache(maxsize=4096)
def _stand_ins(value: Numeric | Known, exactly: bool) -> tuple[Numeric | Known, ...]:
    """What is tried for a value where only its kind and dtype matter: one for each kind that it may be. One float is as
    good as another but where ``exactly`` that one matters."""
    if isinstance(value, Known):
        return (value,)
    kinds = {"number": ("python", "scalar"), "any": ("python", "scalar", "array")}.get(value.kind, (value.kind,))
    place = () if value.is_number or value.shape == () else (2,)
    known = value.value if exactly or type(value.value) is not float else MISSING
    return tuple(Numeric(kind, value.dtype, place if kind == "array" else (), value=known) for kind in kinds)


def _elementwise_result(rule: Rule, operands: dict[str, Any]) -> Abstract:
    """The shape by broadcasting; kind and dtype from samples of the operands' kinds and dtypes."""
    shapes: list[Shape] = []
    key: list[Any] = [rule, *operands]
    exactly = rule.function is operator.pow  # (-1.0) ** 0.5 is complex
    for value in operands.values():
        if type(value) is Numeric:
            shapes.append(value.shape)
            known = value.value if exactly or type(value.value) is not float else MISSING
            key.append((value.kind, value.dtype, value.shape == (), type(known), known))
        else:
            key.append(value)
    found = _kinds.get(tuple(key))
    if found is None:
        if len(_kinds) > 10_000:
            _kinds.clear()
        found = _kinds[tuple(key)] = _kinds_of(rule, operands, exactly)
    if isinstance(found, Items):
        return found
    kind, dtype = found
    shape = broadcast(*shapes)
    if shape != ():  # what has a shape may be a number all the same: a sum of arrays that are none
        kind = "array" if shape and any(value.shape and value.kind == "array" for value in operands.values()
                                        if type(value) is Numeric) else "any"
    return the_same(kind, dtype, shape)


@functools.lru_cache(maxsize=4096, typed=True)
def the_same(kind: str, dtype: np.dtype | None, shape: Shape) -> Numeric:
    """What is known to be of these is one object: tables find that at once."""
    return Numeric(kind, dtype, shape)


def _kinds_of(rule: Rule, operands: dict[str, Any], exactly: bool) -> tuple[str, Any] | Items:
    """The kind of an elementwise result that has no axes, and the dtype; of a function with several results these."""
    return _of_doubles(rule, list(operands.values())) or _sampled_kinds(rule, operands, exactly)


def _of_doubles(rule: Rule, operands: list[Any]) -> tuple[str, Any] | None:
    """What NumPy's functions and Python's arithmetic say themselves for double precision; None for all else."""
    if not all(type(value) is Numeric and value.dtype is FLOAT64 for value in operands):
        return None
    kinds = {value.kind for value in operands}
    arithmetic = rule.function in ARITHMETIC
    if not (arithmetic or type(rule.function) is np.ufunc and f"{'d' * len(operands)}->d" in rule.function.types):
        return None
    if any(value.kind == "array" and value.shape != () for value in operands):
        return "array", FLOAT64
    if not arithmetic or not kinds <= set(NUMBERS):
        return None
    return next(kind for kind in ("scalar", "number", "python") if kind in kinds), FLOAT64


ARITHMETIC = (operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.pos)


def _sampled_kinds(rule: Rule, operands: dict[str, Any], exactly: bool) -> tuple[str, Any] | Items:
    """The same, found out with samples."""
    found: set[tuple] = set()
    for choice in itertools.product(*[_stand_ins(value, exactly) for value in operands.values()]):
        result = example_of(rule, dict(zip(operands, choice)), once=True)
        if isinstance(result, Items):
            return result
        found.add((result.kind, result.dtype) if isinstance(result, Numeric) else ("any", None))
    kinds, dtypes = {kind for kind, _ in found}, {dtype for _, dtype in found}
    kind = kinds.pop() if len(kinds) == 1 else "number" if kinds <= set(NUMBERS) else "any"
    if kind == "any" and all(isinstance(value, Known) or value.is_number for value in operands.values()):
        kind = "number"  # not sampled, for some dtype is unknown: but a number it is
    return kind, dtypes.pop() if len(dtypes) == 1 else None
