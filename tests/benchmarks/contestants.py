"""The ways to get a case's value and gradient, and the memory that they hold between primal and adjoint."""
from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tests.benchmarks.cases import Case

ValueAndGradient = Callable[..., tuple[Any, Any]]


def ours(case: Case) -> ValueAndGradient:
    import s2sgrad

    return s2sgrad.value_and_grad(case.function, argnums=case.argnums)


def autograd(case: Case) -> ValueAndGradient:
    """HIPS autograd on the very same function, which then, like those that it calls, finds ``autograd.numpy`` under the
    name ``np``."""
    import autograd
    import autograd.numpy

    names = {**case.function.__globals__, "np": autograd.numpy}
    for name, value in names.items():
        if isinstance(value, types.FunctionType) and value.__module__ == case.function.__module__:
            names[name] = types.FunctionType(value.__code__, names, name)
    return autograd.value_and_grad(names[case.function.__name__], case.argnums)


def saved_bytes(case: Case) -> int:
    """What our primal holds for our adjoint, the arguments left out."""
    arguments = case.arguments()
    from s2sgrad import reports

    _, _, _, saved = reports.run(case.function, arguments, {}, case.argnums)
    return payload_bytes(saved, arguments)


def saved_bytes_by_hand(case: Case) -> int:
    """What the hand-written primal holds for its adjoint: the local variables that ``case.held`` names."""
    arguments = case.arguments()
    variables: dict[str, Any] = {}

    def catch_variables(frame: types.FrameType, event: str, _: Any) -> None:
        if event == "return" and frame.f_code is case.by_hand.__code__:
            variables.update(frame.f_locals)

    profiler = sys.getprofile()
    sys.setprofile(catch_variables)
    try:
        case.by_hand(*arguments)
    finally:
        sys.setprofile(profiler)
    return payload_bytes((variables[name] for name in case.held), arguments)


def payload_bytes(values: Iterable[Any], arguments: Iterable[Any] = ()) -> int:
    """The bytes of numbers in ``values``: an array counts once however many views it has, and not if it's an argument.

    Only the numbers are counted, 8 bytes for a float of Python's too; what Python adds to each object isn't.
    """
    seen = {id(owner(argument)) for argument in arguments}
    total = 0
    pending = list(values)
    while pending:
        value = pending.pop()
        if isinstance(value, (list, tuple)):
            pending.extend(value)
        elif isinstance(value, np.ndarray):
            if id(owner(value)) not in seen:
                seen.add(id(owner(value)))
                total += owner(value).nbytes
        elif isinstance(value, (bool, np.bool_)):
            total += 1
        else:
            total += 8
    return total


def owner(value: Any) -> Any:
    """The array whose memory ``value`` is a view of; anything else is its own."""
    while isinstance(value, np.ndarray) and isinstance(value.base, np.ndarray):
        value = value.base
    return value
