"""The node that a call of a compiled function is: its adjoint, what that reads, and the way back to the operands."""
from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sgrad.compiler.emit import compile_text
from s2sgrad.containers import contents
from s2sgrad.decorated.reading import connected
from s2sgrad.entry import Compiled, explain, pullback_entry
from s2sgrad.errors import S2SGradError
from s2sgrad.reports import Path, conditions
from s2sgrad.rules.abstract import Items
from s2sgrad.shim.nodes import FREED, NO_EDGE, Node, changed_in_place
from s2sgrad.shim.packing import packed, unpacked
from s2sgrad.shim.recorded import run_program, saved_tensor
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import Tensor
from s2sgrad.shim.versions import Version
from s2sgrad.transforms import grad


@dataclass(frozen=True, eq=False)
class Form:
    """What calls of a compiled function have in common.

    Attributes
    ----------
    leaves
        For each edge of the node the number of the parameter, and the steps to the part of it that is meant.
    places
        For each result that the adjoint takes a cotangent of, the steps to it, and those of the outputs that it is.
    texts
        How each output is reached from what the function gives.
    """

    function: Callable
    leaves: tuple[tuple[int, tuple], ...]
    places: tuple[tuple[tuple, tuple | None], ...]
    texts: tuple[str, ...]


class CompiledNode(Node):
    """The node of a compiled function: one for each call."""

    __slots__ = ("form", "compiled", "path_id", "arguments", "saved", "guards", "is_packed")
    wants_zeros = False

    def __init__(self, edges: tuple, outputs: tuple, form: Form, compiled: Compiled, path: int, arguments: tuple,
                 saved: Any):
        super().__init__(edges, outputs)
        self.form = form
        self.compiled = compiled
        self.path_id = path
        self.arguments = arguments
        self.saved = saved if state.packing is None else packed(saved, state.packing)
        self.is_packed = state.packing is not None
        self.guards: list[tuple[Version, int, np.ndarray, Node | None, int]] = []
        """Of each tensor whose memory may be saved the version and its count, the array, and where it came from."""

    # ---- what users see

    @property
    def source(self) -> str:
        """The text of the adjoint."""
        return str(self.compiled.table.text(self.path_id))

    @property
    def path(self) -> Path:
        """The branch path that the call took."""
        compiled, path = self.compiled, self.path_id
        return Path(path, compiled.records[path].calls, conditions(compiled.derivative, path))

    # ---- the backward pass

    def watch(self, tensor: Tensor, node: Node | None, number: int) -> None:
        """Notice what is written into a tensor from now on, if its memory is saved."""
        version = tensor._written
        self.guards.append((version, version.count, tensor._array, node, number))

    def checked(self) -> Any:
        """What was saved. Raises RuntimeError where it is freed, or was written into."""
        if self.saved is None:
            raise RuntimeError(FREED)
        for version, count, array, node, number in self.guards:
            if version.count != count and any(np.may_share_memory(array, kept) for kept in arrays_in(self.saved)):
                raise RuntimeError(changed_in_place(array, node, number, version, count, self.place))
        return unpacked(self.saved) if self.is_packed else self.saved

    def pull(self, cotangents: Sequence[Any]) -> Sequence[Any]:
        saved, compiled = self.checked(), self.compiled
        record = compiled.records[self.path_id]
        record.calls += 1
        seeds: Any = cotangents
        if len(seeds) > 1 or self.form.places[0][1] is not None:
            left = iter([np.zeros(*output) if item is None else item
                         for item, output in zip(cotangents, self.outputs)])
            seeds = [next(left) if inner is None else [next(left) for _ in inner] for _, inner in self.form.places]
        try:
            found = state.quiet.run(record.adjoint, saved, *seeds)
        except Exception as error:
            explain(error, compiled)
            raise
        bars = []
        for edge, at, (_, steps) in zip(self.edges, self.reached(cotangents), self.form.leaves):
            bar = None if at is None or edge is NO_EDGE else found[at]
            if steps and bar is not None:
                bar = part_at(bar, steps)
            bars.append(bar if bar is None or bar.__class__ is np.ndarray else np.asarray(bar))
        return bars

    def pull_recorded(self, cotangents: Sequence[Any]) -> Sequence[Any]:
        self.checked()
        form = self.form
        operands = [part_at(self.arguments[number], steps) for number, steps in form.leaves]
        active = tuple(edge is not NO_EDGE and at is not None
                       for edge, at in zip(self.edges, self.reached(cotangents)))
        if not any(active):
            return [None] * len(active)
        for place, is_active in enumerate(active):
            if is_active:
                operands[place] = saved_tensor(self, place, operands[place])
        labels = iter(f"x_{place}" for place in range(len(operands)))
        given = tuple(written(argument, labels) for argument in self.arguments)
        weights = [item for item in cotangents if item is not None]
        texts = tuple(text for text, item in zip(form.texts, cotangents) if item is not None)
        program = weighted(form.function, given, texts, active)
        found = run_program(program, [*operands, *weights], self.name())
        if not any(item._requires for item in weights):  # then what the operands have no influence on is constant
            arrays = [item._array if isinstance(item, Tensor) else item for item in (*operands, *weights)]
            found = [item if smooth else item.detach() for item, smooth in zip(found, varied(program, active, arrays))]
        left = iter(found)
        return [next(left) if is_active else None for is_active in active]

    def reached(self, cotangents: Sequence[Any]) -> list[int | None]:
        """For each leaf which of the adjoint's results it is a part of; None where the cotangents that are there don't
        lead to it."""
        notes = self.compiled.records[self.path_id].notes
        key = self.form, tuple([item is not None for item in cotangents])
        if key not in notes:
            left = iter(key[1])
            given = [any([next(left)] if inner is None else [next(left) for _ in inner])
                     for _, inner in self.form.places]
            names = [name if is_reached else None for name, is_reached in zip(
                self.compiled.table.wanted, connected(self.source, tuple(given)))]
            labels = self.compiled.derivative.parameters
            notes[key] = [names.index(labels[number]) if labels[number] in names else None
                          for number, _ in self.form.leaves]
        found: list[int | None] = notes[key]
        return found

    def release(self) -> None:
        if self.saved:
            self.saved = None


def part_at(value: Any, steps: Sequence[Any]) -> Any:
    for step in steps:
        held = None if value is None else contents(value)
        if held is None:
            return None
        value = held.parts[held.steps.index(step)]
    return value


def arrays_in(value: Any) -> Iterator[np.ndarray]:
    """The arrays in what was saved."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from arrays_in(part)
    elif isinstance(value, dict):
        yield from arrays_in(list(value.values()))


def leaves_of(value: Any, steps: tuple = ()) -> Iterator[tuple]:
    """The steps to each number and array in an argument."""
    held = contents(value)
    if held is None:
        if isinstance(value, (np.ndarray, np.number, float, int)) and type(value) is not bool:
            yield steps
        return
    for step, part in zip(held.steps, held.parts):
        yield from leaves_of(part, (*steps, step))


def written(value: Any, labels: Iterator[str]) -> str:
    """The text of an argument, with a name for each number and array in it."""
    held = contents(value)
    if held is None:
        numeric = isinstance(value, (np.ndarray, np.number, float, int)) and type(value) is not bool
        return next(labels) if numeric else repr(value)
    parts = [written(part, labels) for part in held.parts]
    if held.kind is dict:
        return "{" + ", ".join(f"{step!r}: {part}" for step, part in zip(held.steps, parts)) + "}"
    return f"[{', '.join(parts)}]" if held.kind is list else f"({''.join(part + ', ' for part in parts)})"


def steps_text(value: Any, steps: tuple) -> str:
    """How a part of a result is reached."""
    text = ""
    for step in steps:
        held = contents(value)
        assert held is not None
        text += f".{step}" if isinstance(value, tuple) and isinstance(step, str) else f"[{step!r}]"
        value = held.parts[held.steps.index(step)]
    return text


def varied(program: Callable, active: tuple[bool, ...], arrays: list) -> list[bool]:
    """For each result of an adjoint whether the operands have an influence on it; where nobody knows, they have."""
    wanted = tuple(f"x_{place}" for place, is_active in enumerate(active) if is_active)
    try:
        compiled = pullback_entry(program, wanted).compiled_for(tuple(arrays), {})
    except S2SGradError:
        return [True] * len(wanted)
    result = compiled.derivative.facts.result
    if not isinstance(result, Items) or result.items is None:
        return [True] * len(wanted)
    return [item.active for item in result.items]


@functools.lru_cache(maxsize=1024)
def weighted(function: Callable, given: tuple[str, ...], results: tuple[str, ...], active: tuple[bool, ...]
             ) -> Callable:
    """The adjoint of a function in the leaves of its arguments, as a function of these and of the cotangents."""
    parameters = [f"x_{place}" for place in range(len(active))]
    weights = [f"w_{place}" for place in range(len(results))]
    terms = " + ".join(f"np.sum(results{steps} * {weight})" for steps, weight in zip(results, weights))
    text = (f"def weighted({', '.join([*parameters, *weights])}):\n"
            f"    results = function({', '.join(given)})\n"
            f"    return float({terms})\n")
    outside = {"__builtins__": builtins, "__name__": "s2sgrad.eager", "np": np, "function": function}
    return grad(compile_text(text, "weighted", outside, {}), tuple(
        place for place, is_active in enumerate(active) if is_active))


