"""The backward pass recorded: each adjoint is called as an operation of its own, and differentiated by the compiler.

An adjoint is a Python function with a text, so what the compiler does with users' functions it does with this one: that
is the second derivative. Its adjoint in turn is the gradient of ``sum(result * weight)``, a Python function again: so
derivatives of any order come from the same machinery.
"""
from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sgrad.compiler.emit import compile_text
from s2sgrad.entry import pullback_entry
from s2sgrad.shim.nodes import FREED, Node, OperationNode, node_class
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import Tensor, edge_of, new_tensor, placed
from s2sgrad.transforms import grad, jvp, pull_back


def run_adjoint(node: OperationNode, cotangents: Sequence[Any], saved: tuple) -> Sequence[Any]:
    """The cotangents of a node's operands, as tensors that know where they come from."""
    rule = node.rule
    operands = list(cotangents)
    for value, source, smooth in zip(saved, rule.sources, rule.smooth):
        operands.append(saved_tensor(node, source, value) if smooth and source is not None else value)
    found = run_program(rule.adjoint, operands, rule.last or node.name())
    for place in rule.passed_on:  # the same tensor, not a copy of it
        found[place] = cotangents[0]
    for place in rule.vanishing:  # which depends on nothing
        found[place] = found[place].detach()
    return found


def saved_tensor(node: Node, source: int, array: np.ndarray) -> Any:
    """What was saved, as a tensor in its place in the graph. ``source``: an operand, or -1 and so on for a result."""
    if source < 0:
        target, number = node, -1 - source
    else:
        target, number = node.edges[source]
    if target is None:
        return new_tensor(array)
    dtype = target.outputs[number][1]
    if dtype == array.dtype:
        return placed(array, target, number)
    return placed(array.astype(dtype), target, number).to(dtype=array.dtype)


def run_program(function: Callable, operands: Sequence[Any], label: str, slopes: Slopes | None = None) -> list:
    """Call a function of arrays that gives a tuple of arrays, or of None, on tensors; recorded. ``slopes``: of what it
    gives the derivatives, if it does."""
    arrays = [item._array if isinstance(item, Tensor) else item for item in operands]
    found = state.now.quiet.run(function, *arrays)
    results: list = [None if part is None else new_tensor(np.asarray(part)) for part in found]
    active = tuple(isinstance(item, Tensor) and item._requires for item in operands)
    kept = tuple(place for place, part in enumerate(found) if part is not None)
    if state.now.recording and any(active) and kept:
        edges = tuple(edge_of(item) if is_active else (None, 0) for item, is_active in zip(operands, active))
        outputs = tuple((results[place]._array.shape, results[place]._array.dtype) for place in kept)
        node = node_class(label, ProgramNode)(edges, outputs, function, operands, active, kept, slopes)
        for number, place in enumerate(kept):
            results[place]._node, results[place]._number, results[place]._requires = node, number, True
    return results


def holds_nan(bars: Iterable[Any]) -> bool:
    return any(bar is not None and np.isnan(bar).any() for bar in bars)


gradient_in = functools.lru_cache(maxsize=1024)(grad)


@dataclass(frozen=True, eq=False)
class Slopes:
    """Of a function that gives derivatives of a number: which ones.

    Attributes
    ----------
    function
        The number, as a function of the same operands.
    places
        For each result the operand in which it is the derivative.
    """

    function: Callable
    places: tuple[int, ...]

    def along(self, cotangents: dict[int, Any], arguments: Sequence[Any]) -> list:
        """What a backward pass through the derivatives gives, by result the cotangents: as second derivatives are
        symmetric, what a forward pass along the cotangents does. That has no zeros for what nothing was computed
        from, which make NaN where they meet an infinite derivative."""
        floats = tuple(place for place, item in enumerate(arguments) if np.asarray(item).dtype.kind == "f")
        tangents: list[Any] = [None] * len(arguments)
        for number, cotangent in cotangents.items():
            if np.any(cotangent):
                tangents[self.places[number]] = cotangent
        found = dict(zip(floats, jvp(gradient_in(self.function, floats), arguments, tangents)[1]))
        return [found.get(place) for place in range(len(arguments))]


class ProgramNode(Node):
    """A function of arrays, differentiated by the compiler when it has to be."""

    __slots__ = ("function", "operands", "versions", "active", "kept", "slopes")

    def __init__(self, edges: tuple, outputs: tuple, function: Callable, operands: Sequence[Any], active: tuple,
                 kept: tuple, slopes: Slopes | None):
        super().__init__(edges, outputs)
        self.function = function
        self.operands: Any = [item._array if isinstance(item, Tensor) else item for item in operands]
        self.versions = [(item._written, item._written.count) for item in operands if isinstance(item, Tensor)]
        self.active = active
        self.kept = kept
        self.slopes = slopes

    def arguments(self) -> list:
        if self.operands is None:
            raise RuntimeError(FREED)
        for version, count in self.versions:
            if version.count != count:
                raise RuntimeError("one of the variables needed for gradient computation has been modified by an "
                                   f"inplace operation: it is at version {version.count}; expected version {count} "
                                   "instead.")
        return self.operands

    def weights(self, cotangents: Sequence[Any]) -> list:
        return list(cotangents)

    def pull(self, cotangents: Sequence[Any]) -> Sequence[Any]:
        arguments = self.arguments()
        quiet = state.now.quiet
        value, pullback = quiet.run(pull_back, pullback_entry(self.function), tuple(arguments), {})
        weights = iter(cotangents)
        given = tuple(next(weights) if place in self.kept else None for place in range(len(value)))
        found = quiet.run(pullback, given)
        if self.slopes is not None and holds_nan(found):
            found = quiet.run(self.slopes.along, dict(zip(self.kept, cotangents)), arguments)
        return [bar if active else None for bar, active in zip(found, self.active)]

    def pull_recorded(self, cotangents: Sequence[Any]) -> Sequence[Any]:
        arguments = self.arguments()
        operands = [item if not isinstance(item, np.ndarray) else saved_tensor(self, place, item)
                    for place, item in enumerate(arguments)]
        program = weighted_gradient(self.function, len(arguments), self.active, self.kept)
        found = iter(run_program(program, [*operands, *cotangents], self.name()))
        return [next(found) if active else None for active in self.active]

    def release(self) -> None:
        self.operands = None


@functools.lru_cache(maxsize=1024)
def weighted_gradient(function: Callable, count: int, active: tuple[bool, ...], kept: tuple[int, ...]) -> Callable:
    """The adjoint of a function that gives a tuple, as a function of its arguments and of the cotangents."""
    parameters = [f"x_{place}" for place in range(count)]
    weights = [f"w_{place}" for place in kept]
    terms = " + ".join(f"np.sum(results[{place}] * w_{place})" for place in kept)
    text = (f"def weighted({', '.join([*parameters, *weights])}):\n"
            f"    results = function({', '.join(parameters)})\n"
            f"    return float({terms})\n")
    outside = {"__builtins__": builtins, "__name__": "s2sgrad.eager", "np": np, "function": function}
    argnums = tuple(place for place, is_active in enumerate(active) if is_active)
    return grad(compile_text(text, "weighted", outside, {}), argnums)


def fitted_tensor(cotangent: Any, shape: tuple[int, ...], dtype: np.dtype) -> Tensor:
    """A cotangent in the shape and dtype of its operand, recorded."""
    if cotangent._array.shape != shape:
        given = cotangent._array.shape
        lead = len(given) - len(shape)
        if lead >= 0 and all(size in (1, full) for size, full in zip(shape, given[lead:])):
            cotangent = cotangent.sum_to_size(shape)
        else:
            cotangent = cotangent.expand(shape)
    if cotangent._array.dtype != dtype:
        cotangent = cotangent.to(dtype=dtype)
    return cotangent
