"""Calls of decorated functions: those that tensors take part in are compiled, and are one node of the graph."""
from __future__ import annotations

import types
from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad.compiler.mode import Mode
from s2sgrad.compiling import COMPILING
from s2sgrad.containers import contents, is_instance, is_named_tuple
from s2sgrad.decorated.meanings import (
    ITEMS,
    LIST,
    MIXED,
    SHAPELESS,
    TENSOR,
    Meaning,
    Path,
    arrays_of,
    feature,
    meaning_of,
    steps_of,
)
from s2sgrad.decorated.node import CompiledNode, Form, leaves_of, part_at, steps_text
from s2sgrad.decorated.operating import NeedsNumber, NeedsRead
from s2sgrad.decorated.reading import seeds_read
from s2sgrad.decorated.translate import Translated, translated
from s2sgrad.entry import Compiled, Entry, entries_of
from s2sgrad.errors import UnsupportedError
from s2sgrad.marking import Marked, look_at_calls
from s2sgrad.rules.abstract import Known
from s2sgrad.shim.nodes import NO_EDGE, node_class
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import SEVERAL, Tensor, edge_of, new_tensor, placed, requires
from s2sgrad.signature import place_of, signature_of
from s2sgrad.subjects import subject_of

PLANS = 1024
"""So many plans of a function are remembered."""
DEPTH = 4
"""So deep values from outside are looked into for tensors."""


class Plan:
    """A translated function, ready to run for one key."""

    def __init__(self, found: Translated, active: tuple[str, ...], function: types.FunctionType, kinds: list[str]):
        self.function = found.function
        self.paths = found.paths
        self.result = found.result
        self.name = function.__name__
        subject = replace(subject_of(found.function), given=Known(function))
        self.entry = Entry(subject, active, Mode("given", copied=False))
        entries_of(function).append(self.entry)  # its paths are the function's
        self.forms: dict[tuple, Form] = {}
        self.is_single = found.result.kind == TENSOR and found.result.live is True and all(
            kind == TENSOR for kind in kinds)
        self.node_class = node_class(found.result.node or f"{self.name}Backward", CompiledNode)
        leaves = tuple((number, ()) for number in range(len(kinds)))
        self.plain_form = Form(found.function, leaves, (((), None),), ("",))
        self.checked: set[Compiled] = set()
        """What is known to write into nothing that comes from outside."""

    def form(self, *parts: Any) -> Form:
        if parts not in self.forms:
            self.forms[parts] = Form(self.function, *parts)
        return self.forms[parts]

    def run(self, arguments: dict[str, Any]) -> Any:
        values = [path.read(arguments) for path in self.paths]
        arrays = tuple(map(arrays_of, values))
        value, path, saved, compiled = state.quiet.run(self.entry.call, *arrays)
        if compiled not in self.checked:
            for name, location in compiled.derivative.facts.written.items():
                raise UnsupportedError(f"this writes into {name}, which comes from outside", "clone it first",
                                       location)
            self.checked.add(compiled)
        if self.is_single and compiled.table.seeds == ((),):
            return self.single(values, arrays, compiled, path, saved, value)
        return Results(self, values, arrays, compiled, path, saved, value).wrapped()


    def single(self, tensors: list, arrays: tuple, compiled: Compiled, path: int, saved: Any, value: Any) -> Tensor:
        """The only result of a call, which requires a gradient, of tensors: as :class:`Results`, in less time."""
        array = value if value.__class__ is np.ndarray else np.asarray(value)
        if array.base is not None or any(value is item for item in arrays):
            return Results(self, tensors, arrays, compiled, path, saved, value).wrapped()  # type: ignore[no-any-return]
        edges = tuple([edge_of(item) if item._requires or requires(item) else NO_EDGE for item in tensors])
        node = self.node_class(edges, ((array.shape, array.dtype),), self.plain_form, compiled, path, arrays, saved)
        result = new_tensor(array)
        result._node, result._requires = node, True
        if saved:
            for item, (source, number) in zip(tensors, edges):
                node.watch(item, source, number)
            node.watch(result, node, 0)
        return result


class Results:
    """What a call gave, on its way back to tensors."""

    def __init__(self, plan: Plan, values: list, arrays: tuple, compiled: Compiled, path: int, saved: Any, value: Any):
        self.plan = plan
        self.values = values
        self.arrays = arrays
        self.compiled = compiled
        self.path = path
        self.saved = saved
        self.value = value
        self.inputs = [item for item in values if item.__class__ is Tensor]
        if len(self.inputs) < len(values):
            self.inputs = list(tensors_in(values))
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
        self.alive = self.lively(seeds, places)
        if outputs and any(self.alive.values()):
            leaves = tuple((number, steps) for number, array in enumerate(self.arrays)
                           for steps in (((),) if type(array) is np.ndarray else leaves_of(array)))
            operands = [part_at(self.values[number], steps) if steps else self.values[number]
                        for number, steps in leaves]
            edges = tuple(edge_of(item) if item.__class__ is Tensor and requires(item) else NO_EDGE
                          for item in operands)
            form = self.plan.form(leaves, tuple(places), tuple(steps_text(self.value, steps) for steps in self.places))
            kind = node_class(self.node_name(), CompiledNode)
            self.node = kind(edges, tuple(outputs), form, self.compiled, self.path, self.arrays, self.saved)
            if self.saved:
                for tensor, (source, number) in zip(operands, edges):
                    if tensor.__class__ is Tensor:
                        self.node.watch(tensor, source, number)
        return self.tensors(self.value, self.plan.result, ())

    def lively(self, seeds: tuple, places: list) -> dict[tuple, bool]:
        """For each result whether it requires a gradient."""
        found = {}
        read = None
        for number, (seed, _) in enumerate(places):
            live = meaning_at(self.plan.result, seed).live
            if live is None:
                if read is None:
                    read = seeds_read(str(self.compiled.table.text(self.path)))
                live = read[number]
            found[seed] = live
        return found

    def node_name(self) -> str:
        """That of the last operation, if only one result has a gradient."""
        alive = [seed for seed, live in self.alive.items() if live]
        last = meaning_at(self.plan.result, alive[0]).node if len(alive) == 1 else None
        return last or f"{self.plan.name}Backward"

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
        for tensor in self.inputs:
            if tensor._array is value:
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
            self.node.watch(result, self.node, number)
        return result

    def share(self, result: Tensor, live: bool) -> None:
        """A view of what came from outside: it shares its version, and nobody may write into it but outside of the
        graph."""
        base = next((tensor for tensor in self.inputs if np.may_share_memory(tensor._array, result._array)), None)
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


def tensors_in(value: Any) -> Iterator[Tensor]:
    if value.__class__ is Tensor:
        yield value
    elif value.__class__ in (tuple, list):
        for part in value:
            yield from tensors_in(part)
    elif value.__class__ is dict:
        yield from tensors_in(list(value.values()))


class Decorated:
    """The plans of one function."""

    def __init__(self, function: types.FunctionType):
        self.function = function
        self.signature = signature_of(function)
        self.names = tuple(self.signature.parameters)
        self.plain = all(item.kind is item.POSITIONAL_OR_KEYWORD for item in self.signature.parameters.values())
        self.variadic = any(item.kind in (item.VAR_POSITIONAL, item.VAR_KEYWORD)
                            for item in self.signature.parameters.values())
        self.reads: list[Path] = [Path(name) for name in self.names]
        self.by_value: set[Path] = set()
        self.plans: dict[Hashable, Plan] = {}
        self.outer = [Path(place_of(function, name))
                      for name in (*function.__code__.co_names, *function.__code__.co_freevars)]

    def arguments(self, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
        if self.plain and not kwargs and len(args) == len(self.names):
            return dict(zip(self.names, args))
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.arguments

    def concerns(self, args: tuple, kwargs: dict[str, Any]) -> bool:
        """Whether something that the function may read is a tensor that requires a gradient."""
        for value in args:
            if value.__class__ is Tensor:
                if requires(value):
                    return True
        seen: set[int] = set()
        return any(requiring(value, DEPTH, seen) for value in (*args, *kwargs.values())) \
            or requiring(self.function, DEPTH, seen)

    def run(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        arguments = self.arguments(args, kwargs)
        plan = self.plans.get(self.key(arguments))
        if plan is None:
            hooks, state.packing = state.packing, None  # what examples save is nobody's business
            try:
                with COMPILING:
                    plan = self.planned(arguments)
            finally:
                state.packing = hooks
        return plan.run(arguments)

    def key(self, arguments: dict[str, Any]) -> tuple:
        found: list[Any] = []
        for path in self.reads:
            if path.steps == () and path.root.__class__ is str:  # an argument, most often a tensor
                value = arguments[path.root]
                if value.__class__ is Tensor:
                    array = value._array
                    found.append((array.dtype, array.ndim, value._requires or requires(value)))
                    continue
            try:
                found.append(feature(path.read(arguments), path in self.by_value))
            except (LookupError, AttributeError, NameError):
                found.append(...)
        return tuple(found)

    def planned(self, arguments: dict[str, Any]) -> Plan:
        """The plan for such arguments, made anew with more in the key as often as more turns out to matter."""
        if self.variadic:
            raise UnsupportedError(f"{self.function.__name__} takes * or **, and gets tensors",
                                   "write its parameters out")
        while True:
            meanings = {}
            for path in self.reads:
                try:
                    meanings[path] = meaning_of(path.read(arguments), path, path in self.by_value)
                except (LookupError, AttributeError, NameError):
                    continue
            try:
                found = translated(self.function, {name: meanings[Path(name)] for name in self.names}, meanings)
                break
            except NeedsRead as need:
                need.path.read(arguments)
                self.reads.append(need.path)
            except NeedsNumber as need:
                self.by_value.add(need.path)
                if need.path not in self.reads:
                    self.reads.append(need.path)
        if len(self.plans) > PLANS:
            self.plans.clear()
        active = tuple(label for label, path in zip(signature_of(found.function).parameters, found.paths)
                       if requiring(path.read(arguments), DEPTH, set()))
        plan = self.plans[self.key(arguments)] = Plan(
            found, active, self.function, [meanings[path].kind for path in found.paths])
        return plan


def requiring(value: Any, depth: int, seen: set[int]) -> bool:
    """Whether a value is, holds or reads a tensor that requires a gradient."""
    kind = value.__class__
    if kind is Tensor:
        return requires(value)
    if kind in (float, int, str, np.ndarray, type(None), bool, types.ModuleType, type) or not depth \
            or id(value) in seen:
        return False
    seen.add(id(value))
    if kind in (tuple, list):
        return any(requiring(part, depth - 1, seen) for part in value)
    if kind is dict:
        return any(requiring(part, depth - 1, seen) for part in value.values())
    if kind is Marked:
        return requiring(value.__wrapped__, depth, seen)
    if kind is types.MethodType:
        return requiring(value.__self__, depth, seen) or requiring(value.__func__, depth, seen)
    if kind is types.FunctionType:
        module = value.__globals__.get("__name__", "")
        if str(module).partition(".")[0] in ("numpy", "scipy", "s2sgrad"):
            return False
        code = value.__code__
        for name in (*code.co_names, *code.co_freevars):
            try:
                found = place_of(value, name).read()
            except NameError:
                continue
            if requiring(found, depth - 1, seen):
                return True
        return False
    return is_instance(value) and any(
        requiring(part, depth - 1, seen) for part in getattr(value, "__dict__", {}).values())


def looking(marked: Marked) -> Callable:
    """What runs when a marked function is called."""
    function = marked.__wrapped__
    decorated: list[Decorated] = []

    def call(*args: Any, **kwargs: Any) -> Any:
        if not state.recording:
            return function(*args, **kwargs)
        if not decorated:
            decorated.append(Decorated(function))
        if not decorated[0].concerns(args, kwargs):
            return function(*args, **kwargs)
        return decorated[0].run(args, kwargs)

    return call


def compile_calls() -> None:
    """From now on look at the calls of decorated functions."""
    look_at_calls(looking)
