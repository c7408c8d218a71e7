"""``check_grads``: derivatives of any order and in both modes, held against numbers found without them."""
from __future__ import annotations

import builtins
import dataclasses
import functools
from collections import deque
from collections.abc import Callable, Container, Sequence
from typing import Any

import numpy as np

from s2sgrad import judge
from s2sgrad.compiler.emit import compile_text
from s2sgrad.containers import (
    container,
    contents,
    described,
    dict_text,
    field_names,
    holds_floats,
    is_complex,
    is_named_tuple,
    leaves,
)
from s2sgrad.entry import pullback_entry
from s2sgrad.errors import ArgumentError, ArgumentTypeError, S2SGradError
from s2sgrad.given import Custom
from s2sgrad.rules.abstract import Abstract, known_value
from s2sgrad.rules.samples import samples_of
from s2sgrad.runtime.structures import held
from s2sgrad.subjects import subject_of
from s2sgrad.transforms import check_grad, floats_among, grad, jvp

MODES = ("rev", "fwd")


def check_grads(function: Callable, args: Sequence[Any], order: int = 2, modes: Sequence[str] = MODES) -> None:
    """Compare derivatives with numerical ones, for tests of your own.

    Parameters
    ----------
    function
        Returns a float, an array, or a container of them; what is not a single float is contracted with fixed
        pseudo-random weights.
    args
        Where to compare; derivatives are taken in every float and array of floats among them.
    order
        The highest derivative that is compared. From the second on no argument may be an object that is no dataclass.
    modes
        ``"rev"``: every entry of the gradient of each order. ``"fwd"``: the derivative along one direction.

    Raises
    ------
    AssertionError
        Where they differ: names the order, the mode, the worst entry, both values, the tolerance, and the rules that
        are wrong by themselves.
    ArgumentError
        For another mode, an order below 1, no floats among ``args``, or a container where there may be none.
    """
    if not isinstance(args, (tuple, list)):
        raise ArgumentTypeError(f"args is {described(args)}", "pass a tuple, with an item for each argument")
    unknown = [mode for mode in ([modes] if isinstance(modes, str) else modes) if mode not in MODES]
    if not modes or isinstance(modes, str) and not unknown:
        raise ArgumentTypeError(f"modes is {modes!r}", f"pass a tuple of modes, ({modes or MODES[0]!r},)")
    if unknown or not isinstance(order, int) or order < 1:
        wrong = f"mode {unknown[0]!r}" if unknown else f"order {order!r}"
        raise ArgumentError(f"check_grads got {wrong}", 'orders count from 1, and modes are "rev" and "fwd"')
    numbers = floats_among(args, "check_grads")
    derivative, given = function, args
    for degree in range(1, order + 1):
        if degree > 1:
            derivative, args = of_floats(derivative, args)
            numbers = tuple(range(len(args)))
            derivative = gradient_of(derivative, args)
        for mode in modes:
            try:
                (check_reverse if mode == "rev" else check_forward)(derivative, args, numbers)
            except AssertionError as error:
                found = suspects(function, given) or suspects(derivative, args)
                raise AssertionError(f"order {degree}, mode {mode}: {error}{found}") from None


def check_reverse(function: Callable, args: Sequence[Any], numbers: tuple[int, ...]) -> None:
    check_grad(function, *args, argnums=numbers)


def check_forward(function: Callable, args: Sequence[Any], numbers: tuple[int, ...]) -> None:
    dots = [dot if place in numbers else None for place, dot in enumerate(judge.cotangent_like((*args, None)))][:-1]
    value, result_dot = jvp(function, held(tuple(args)), tuple(dots))
    weights = judge.cotangent_like(value)
    complex_ = any(is_complex(leaf) for _, leaf in leaves(value))

    def along_a_direction(step: float) -> Any:
        found = judge.weighted(weights, function(*map(functools.partial(moved, step), args, dots)))
        return np.real(found) if complex_ else found  # which may be that of a complex step

    judge.compare(float(np.real(judge.weighted(weights, result_dot))), along_a_direction, (0.0,))


def moved(step: float, value: Any, dot: Any) -> Any:
    """An argument a step along its tangent."""
    parts, dots = contents(value), contents(dot)
    if parts is None:
        return value if dot is None else value + step * dot
    if dots is None:
        return value
    return container(parts.kind, parts.keys, [moved(step, *pair) for pair in zip(parts.parts, dots.parts)])


def gradient_of(function: Callable, args: Sequence[Any]) -> Callable:
    """The gradient in all arguments of a function of floats and arrays, contracted to a number first."""
    value = function(*held(tuple(args)))
    weights = judge.cotangent_like(value)
    numbers = tuple(range(len(args)))

    def contracted(*given: Any) -> float:
        return np.sum(weights * function(*given))

    if not is_complex(value):
        return grad(contracted, argnums=numbers)

    def real_part(*given: Any) -> float:
        return np.real(contracted(*given))

    return grad(real_part, argnums=numbers)


def of_floats(function: Callable, args: Sequence[Any]) -> tuple[Callable, tuple]:
    """A function of the floats in these arguments alone, which calls it and contracts a container that it gives to a
    number, and those floats: plain code, which can be differentiated."""
    value = function(*held(tuple(args)))
    given: dict[str, Any] = {"function": function, "deque": deque}
    floats: dict[str, Any] = {}

    def give(value: Any) -> str:
        label = f"kind_{len(given)}"
        given[label] = value
        return label

    def written(item: Any) -> str:
        held_ = contents(item)
        if held_ is None:
            names = floats if holds_floats(item) else given
            label = f"{'x' if names is floats else 'constant'}_{len(names)}"
            names[label] = item
            return label
        parts = [written(part) for part in held_.parts]
        if held_.is_dict:
            items = f"{{{', '.join(f'{key!r}: {part}' for key, part in zip(held_.steps, parts))}}}"
            return items if held_.kind is dict else dict_text(held_.kind, items, give)
        if held_.keys is None and isinstance(item, deque):
            return f"deque([{', '.join(parts)}], {item.maxlen})"
        if held_.keys is None:
            return f"{held_.kind.__name__}([{', '.join(parts)}])"
        if not (is_named_tuple(held_.kind) or dataclasses.is_dataclass(held_.kind)):
            raise ArgumentError("check_grads compares objects that are no dataclasses to the first order only",
                                "pass order=1, or arrays as arguments of their own")
        fields = ", ".join(f"{key}={part}" for key, part in zip(field_names(held_.kind), parts))
        return f"{give(held_.kind)}({fields})"

    call = f"function({', '.join(map(written, args))})"
    result = "y"
    if contents(value) is not None:
        weights = leaves(judge.cotangent_like(value))
        places = [place for place, (_, leaf) in enumerate(leaves(value)) if holds_floats(leaf)]
        given.update({f"weight_{place}": weights[place][1] for place in places}, np=np)
        paths = [path for path, _ in leaves(value)]
        result = " + ".join(f"np.sum(weight_{place} * y{place_text(value, paths[place])})" for place in places)
    text = f"def of_floats({', '.join(floats)}):\n    y = {call}\n    return {result}\n"
    return compile_text(text, "of_floats", {"__builtins__": builtins, **given}, {}), tuple(floats.values())


def place_text(value: Any, path: tuple) -> str:
    """The steps to a place in a container, as one writes them."""
    text = ""
    for step in path:
        held_ = contents(value)
        assert held_ is not None
        number = held_.steps.index(step)
        text += f"[{step!r}]" if held_.keys is None or held_.is_dict else f".{field_names(held_.kind)[number]}"
        value = held_.parts[number]
    return text


def suspects(function: Callable, args: Sequence[Any]) -> str:
    """A sentence with the rules that are wrong by themselves, on samples of their operands: of those that a function
    uses, and what it calls, the table's and the user's own."""
    try:
        compiled = pullback_entry(subject_of(function).fitting(tuple(args), {})).compiled_for(tuple(args), {})
    except S2SGradError:
        return ""
    whole = compiled.derivative
    wrong: dict[str, None] = {}
    for derivative in dict.fromkeys([whole, *whole.session.done.values()]):
        if isinstance(derivative, Custom):
            operands = {label: version.value for label, version in derivative.facts.parameters.items()}
            if not is_right(derivative.called_function, operands, derivative.parameters, derivative.wanted):
                wrong[derivative.name] = None
        for operation in [found.operation for found in derivative.facts.applied.values()]:
            rule = operation.rule
            names = [parameter.name for parameter in rule.parameters if parameter.name in operation.operands]
            if not rule.constant and not is_right(rule.function, operation.operands, names, rule.partials):
                wrong[rule.title] = None
    return f"\nwrong by itself: the rule of {', '.join(wrong)}" if wrong else ""


def is_right(function: Callable, operands: dict[str, Abstract], names: Sequence[str], smooth: Container[str]) -> bool:
    """Whether the derivatives of a function with a rule agree with numerical ones, where that can be told: those in
    some of its operands, which go to it in this order."""
    try:
        samples = samples_of(operands)
        places = tuple(place for place, name in enumerate(names) if name in smooth
                       and holds_floats(samples[name]) and not isinstance(known_value(operands[name]), (int, float)))
    except Exception:  # too little is known of them
        return True
    for check in (check_reverse, check_forward) if places else ():
        try:
            check(function, [samples[name] for name in names], places)
        except AssertionError:
            return False
        except Exception:  # it can't be run on samples, or lacks the mode
            continue
    return True
