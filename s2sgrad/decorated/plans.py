"""Translated functions, ready to run: tensors become arrays, and what comes out tensors with a node behind them."""
from __future__ import annotations

import types
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad.compiled import Compiled
from s2sgrad.compiler.mode import Mode
from s2sgrad.containers import contents, is_named_tuple, with_parts
from s2sgrad.decorated.complaints import COMPLAINED, complain
from s2sgrad.decorated.meanings import (
    ITEMS,
    LIST,
    MIXED,
    SHAPELESS,
    TENSOR,
    Meaning,
    arrays_of,
    holds_plain_array,
    steps_of,
)
from s2sgrad.decorated.node import CompiledNode, Form, Way, guard_of, guards_of, leaves_of, part_at, steps_text
from s2sgrad.decorated.reading import seeds_read
from s2sgrad.decorated.ready import Ready, runner
from s2sgrad.decorated.translate import Translated
from s2sgrad.entries import entries_of
from s2sgrad.entry import Entry
from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import Known
from s2sgrad.shim.nodes import node_class
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import SEVERAL, Tensor, new_tensor, placed, source_of
from s2sgrad.shim.versions import users_line
from s2sgrad.signature import signature_of
from s2sgrad.subjects import subject_of

WAYS = 1024
"""So many branch paths of a plan are remembered."""
PLAIN = Tensor, np.ndarray, float


class Plan:
    """A translated function, ready to run for one key.

    Attributes
    ----------
    numbers
        Which of the values that the key was made of the function takes.
    is_flat
        Each argument is an array or a number, and so is the result.
    is_plain
        What its code depends on besides the key is the shapes of its arguments.
    """

    def __init__(self, found: Translated, active: tuple[str, ...], function: types.FunctionType, values: Sequence[Any],
                 numbers: list[int]):
        self.function = found.function
        self.result = found.result
        self.name = function.__name__
        subject = replace(subject_of(found.function), given=Known(function))
        plain = frozenset(label for label, number in zip(signature_of(found.function).parameters, numbers)
                          if holds_plain_array(values[number]))
        self.entry = Entry(subject, active, Mode("given", copied=False, lent=plain))
        entries_of(function).met.add(self.entry)  # its paths are the function's
        self.numbers = numbers
        self.takes_all = numbers == list(range(len(values)))
        self.is_flat = found.result.kind in (TENSOR, SHAPELESS, MIXED) and all(
            list(leaves_of(arrays_of(values[number]))) == [()] for number in numbers)
        self.forms: dict[tuple, Form] = {}
        self.ways: dict[tuple, Way] = {}
        self.flat: defaultdict[Compiled, dict[int, Way]] = defaultdict(dict)
        """By what ran and its branch path, the way of calls with a single result."""
        self.is_plain = self.is_flat and all(type(values[number]) in PLAIN for number in numbers)
        self.runner: Callable | None = None

    def run(self, values: Sequence[Any]) -> Any:
        inputs = values if self.takes_all else [values[number] for number in self.numbers]
        arrays = [item._array if item.__class__ is Tensor else arrays_of(item) for item in inputs]
        if not self.is_flat or len(arrays) > 1 and len({*map(id, arrays)}) < len(arrays):
            arrays = arrays_apart(inputs)
        try:
            value, path, saved, compiled = state.now.quiet.run(self.entry.call, *arrays)
        except COMPLAINED as error:
            complain(error)
            raise
        return self.finished(inputs, arrays, compiled, path, saved, value)

    def finished(self, inputs: Sequence[Any], arrays: Sequence[Any], compiled: Compiled, path: int, saved: Any,
                 value: Any) -> Any:
        """What a call gives, of what its code gave."""
        way = self.flat[compiled].get(path) or self.met(compiled, path)
        array = value
        if value.__class__ is not np.ndarray and way.is_flat:
            if self.result.kind == MIXED and not isinstance(value, np.generic):
                return value
            array = np.asarray(value)
        if not way.is_flat or array.base is not None:
            return Results(self, inputs, arrays, compiled, path, saved, value).wrapped()
        # the only result is an array with memory of its own: as Results, in less time
        if array is value:
            for item, given in zip(arrays, inputs):
                if item is array and given.__class__ is Tensor:
                    return given
        if way.kind is None:
            return new_tensor(array)
        sources = tuple([source_of(item) if item.__class__ is Tensor else None for item in inputs])
        guards = guards_of(inputs) if saved else ()
        result = new_tensor(array)
        if saved and array is value:
            guards += guard_of(result, -1),
        result._node = way.node(sources, ((array.shape, array.dtype),), arrays, saved, guards, users_line())
        result._requires = True
        return result

    def met(self, compiled: Compiled, path: int) -> Way:
        """A branch path that no call took before."""
        for name, location in compiled.derivative.facts.written.items():
            raise UnsupportedError(f"this writes into {name}, which comes from outside", "clone it first", location)
        leaves = tuple((number, ()) for number in range(len(self.numbers)))
        way = self.way(compiled, path, (leaves, (((), None),), ("",)), self.result.node)
        way.is_flat = self.is_flat and compiled.table.seeds == ((),)
        if way.is_flat and not self.is_live(self.result, compiled, path, 0):
            way.kind = None
        way.is_plain = way.is_flat and way.kind is not None
        if sum(map(len, self.flat.values())) > WAYS:
            self.flat.clear()
        self.flat[compiled][path] = way
        return way

    def ready(self, labels: Sequence[str], values: Sequence[Any]) -> Ready | None:
        """What runs further calls with values of these shapes, which have these names; None where it isn't as simple.
        """
        arrays = tuple([arrays_of(values[number]) for number in self.numbers])
        compiled = self.entry.cache.get(self.entry.key(arrays))
        if compiled is None:
            return None
        if self.runner is None:
            self.runner = runner(self, labels, values)
        return Ready(self.runner, compiled, self.flat[compiled], self.entry.changes())

    def way(self, compiled: Compiled, path: int, form: tuple, name: str | None) -> Way:
        """What calls have in common. ``name``: what PyTorch calls the node of the only result that has one."""
        key = compiled, path, form, name
        found = self.ways.get(key)
        if found is None:
            if len(self.ways) > WAYS:
                self.ways.clear()
            if form not in self.forms:
                self.forms[form] = Form(self.function, *form)
            kind = node_class(name or f"{self.name}Backward", CompiledNode)
            found = self.ways[key] = Way(self.forms[form], compiled, path, kind)
        return found

    def is_live(self, result: Meaning, compiled: Compiled, path: int, seed: int) -> bool:
        """Whether what has a cotangent requires a gradient, on a path of the function."""
        if result.live is None:
            return seeds_read(str(compiled.table.text(path)))[seed]
        return result.live


def arrays_apart(values: Sequence[Any]) -> list:
    """The arguments of compiled code, in which two tensors have never the same array, but two views of it."""
    owners: dict[int, Tensor] = {}

    def convert(value: Any) -> Any:
        if value.__class__ is Tensor:
            array = value._array
            return array if owners.setdefault(id(array), value) is value else array[...]
        return with_parts(value, convert) if value.__class__ in (tuple, list, dict) else arrays_of(value)

    return [convert(value) for value in values]


def tensors_in(value: Any, array: Any) -> Iterator[tuple[Tensor, np.ndarray]]:
    """The tensors in an argument, and the arrays that compiled code got for them."""
    if value.__class__ is Tensor:
        yield value, array
    elif value.__class__ in (tuple, list):
        for part, other in zip(value, array):
            yield from tensors_in(part, other)
    elif value.__class__ is dict:
        for key, part in value.items():
            yield from tensors_in(part, array[key])


class Results:
    """What a call gave, on its way back to tensors."""

    def __init__(self, plan: Plan, values: Sequence[Any], arrays: list, compiled: Compiled, path: int, saved: Any,
                 value: Any):
        self.plan = plan
        self.values = values
        self.arrays = arrays
        self.compiled = compiled
        self.path = path
        self.saved = saved
        self.value = value
        self.inputs = list(tensors_in(values, arrays))
        self.made: dict[int, Tensor] = {}
        self.places: dict[tuple, int] = {}

    def wrapped(self) -> Any:
        seeds = self.compiled.table.seeds
        outputs: list[Any] = []
        places: list[tuple] = []
        for seed in seeds:
            part = part_at(self.value, seed)
            held = contents(part)
            inner = None if held is None else tuple(leaves_of(part))
            places.append((seed, inner))
            for steps in (((),) if inner is None else inner):
                leaf = part_at(part, steps)
                self.places[seed + steps] = len(outputs)
                outputs.append((np.shape(leaf), np.asarray(leaf).dtype) if type(leaf) is not np.ndarray
                               else (leaf.shape, leaf.dtype))
        self.node = None
        self.alive = self.lively(places)
        if outputs and any(self.alive.values()):
            leaves = tuple((number, steps) for number, array in enumerate(self.arrays)
                           for steps in (((),) if type(array) is np.ndarray else leaves_of(array)))
            operands = [part_at(self.values[number], steps) if steps else self.values[number]
                        for number, steps in leaves]
            sources = tuple(source_of(item) if item.__class__ is Tensor else None for item in operands)
            form = leaves, tuple(places), tuple(steps_text(self.value, steps) for steps in self.places)
            way = self.plan.way(self.compiled, self.path, form, self.node_name())
            guards = guards_of(operands) if self.saved else ()
            self.node = way.node(sources, tuple(outputs), self.arrays, self.saved, guards, users_line())
        return self.tensors(self.value, self.plan.result, ())

    def lively(self, places: list) -> dict[tuple, bool]:
        """For each result whether it requires a gradient."""
        return {seed: self.plan.is_live(meaning_at(self.plan.result, seed), self.compiled, self.path, number)
                for number, (seed, _) in enumerate(places)}

    def node_name(self) -> str | None:
        """That of the last operation, if only one result has a gradient."""
        alive = [seed for seed, live in self.alive.items() if live]
        return meaning_at(self.plan.result, alive[0]).node if len(alive) == 1 else None

    def tensors(self, value: Any, meaning: Meaning, steps: tuple) -> Any:
        """A result with tensors where the user's function gives them."""
        if meaning.kind in (TENSOR, SHAPELESS, MIXED):
            if meaning.kind == MIXED and not isinstance(value, (np.ndarray, np.generic)):
                return value
            return self.tensor(value, steps)
        if meaning.kind in (ITEMS, LIST) and meaning.holds_tensors:
            parts = meaning.parts * len(value) if meaning.kind == LIST else meaning.parts
            held = contents(value)
            assert held is not None
            made = [self.tensors(part, inner, (*steps, step))
                    for part, inner, step in zip(held.parts, parts, held.steps)]
            if held.kind is dict:
                return dict(zip(held.steps, made))
            if meaning.form is not None:
                return tuple(made) if meaning.form is tuple else meaning.form(*made)
            return held.kind(*made) if is_named_tuple(held.kind) else held.kind(made)
        return value if meaning.form is None else meaning.form(value)

    def tensor(self, value: Any, steps: tuple) -> Tensor:
        for tensor, array in self.inputs:
            if array is value:
                return tensor
        if id(value) in self.made:
            return self.made[id(value)]
        array = value if type(value) is np.ndarray else np.asarray(value)
        result = self.made[id(value)] = new_tensor(array)
        number = self.places.get(steps)
        live = self.node is not None and number is not None and any(
            alive and steps[:len(seed)] == seed for seed, alive in self.alive.items())
        if live:
            assert self.node is not None and number is not None
            result._node, result._number, result._requires = self.node, number, True
        if array.base is not None:
            self.share(result, live)
        if live and self.saved:
            assert self.node is not None and number is not None
            self.node.guards += guard_of(result, -1 - number),
        return result

    def share(self, result: Tensor, live: bool) -> None:
        """A view of what came from outside: it shares its version, and nobody may write into it but outside of the
        graph."""
        base = next((tensor for tensor, array in self.inputs if np.may_share_memory(array, result._array)), None)
        if base is None:
            return
        result._memory = base._written
        if live:
            result._base = placed(result._array, result._node, result._number)
            result._base._memory = base._written
            result._stamp = base._written.count
            result._origin = SEVERAL


def meaning_at(meaning: Meaning, steps: tuple) -> Meaning:
    for step in steps:
        if meaning.kind == LIST:
            meaning = meaning.parts[0]
        elif meaning.kind == ITEMS:
            fields = getattr(meaning.form, "_fields", ()) if isinstance(step, str) else ()
            meaning = meaning.parts[(fields or steps_of(meaning)).index(step)]
    return meaning.parts[0] if meaning.kind == LIST and meaning.parts else meaning
