"""The node that a call of a compiled function is: its adjoint, what that reads, and the way back to the operands."""
from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from sys import getrefcount
from typing import Any

import numpy as np

from s2sgrad.compiled import Compiled
from s2sgrad.compiler.emit import compile_text, define
from s2sgrad.compiler.origins import explain
from s2sgrad.containers import contents
from s2sgrad.decorated.reading import connected
from s2sgrad.entry import pullback_entry
from s2sgrad.errors import S2SGradError
from s2sgrad.reports import Path, conditions
from s2sgrad.rules.abstract import Items
from s2sgrad.runtime import held
from s2sgrad.shim.delivery import fitted
from s2sgrad.shim.nodes import FREED, NO_EDGE, Node, changed_in_place, made_here, serial
from s2sgrad.shim.packing import packed, unpacked
from s2sgrad.shim.passes import owned
from s2sgrad.shim.recorded import Slopes, gradient_in, holds_nan, run_program, saved_tensor
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import Tensor, is_looked_at, new_tensor
from s2sgrad.shim.versions import Place, Version

ONE = (True,)
PASSES = 16
"""So many backward passes from the nodes of a way are done as any other, before code is written that does them."""


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

    @property
    def is_single(self) -> bool:
        """Whether the adjoint takes the cotangent of one result, which is an array or a number."""
        return len(self.places) == 1 and self.places[0][1] is None


class Way:
    """What those calls have in common that took one branch path, too.

    Attributes
    ----------
    kind
        The class of their nodes; None where nothing that they give requires a gradient.
    is_flat
        They give a single array or number, computed of such.
    is_plain
        It requires a gradient, too.
    alone
        ``alone(node, way, seed, retain)`` does all of a backward pass that starts at such a node, in less time, if
        nobody looks on and it goes no further than to leaves, and gives False where it is not so simple; written when
        it is needed. ``seed`` is an array of ones; None where the adjoint is ``of_one``.
    of_one
        The adjoint for the cotangent 1, if ``alone`` runs that.
    lent
        The numbers of the parameters that are or hold plain arrays: nobody counts what is written into them.
    """

    __slots__ = ("form", "compiled", "path_id", "record", "kind", "is_flat", "is_plain", "is_single", "known",
                 "alone", "of_one", "lent")
    alone: Callable[[Any, Way, np.ndarray | None, bool | None], bool]

    def __init__(self, form: Form, compiled: Compiled, path: int, kind: Any):
        self.form = form
        self.compiled = compiled
        self.path_id = path
        self.record = compiled.records[path]
        self.kind = kind
        self.is_flat = self.is_plain = False
        self.is_single = form.is_single
        self.known: dict[tuple[bool, ...], list] = {}
        self.alone = first_alone
        self.of_one: Callable | None = None
        lent = compiled.derivative.facts.lent
        self.lent = frozenset(number for number, label in enumerate(compiled.derivative.parameters) if label in lent)

    def reached(self, cotangents: Sequence[Any]) -> list[tuple[int, tuple] | None]:
        """For each leaf which of the adjoint's results it is a part of, and the steps to it; None where the cotangents
        that are there don't lead to it."""
        present = ONE if self.is_single else tuple([item is not None for item in cotangents])
        found = self.known.get(present)
        if found is None:
            found = self.known[present] = self.connected(present)
        return found

    def connected(self, present: tuple[bool, ...]) -> list[tuple[int, tuple] | None]:
        left = iter(present)
        given = [any([next(left)] if inner is None else [next(left) for _ in inner]) for _, inner in self.form.places]
        names = [name if is_reached else None for name, is_reached in zip(
            self.compiled.table.wanted, connected(self.source, tuple(given)))]
        labels = self.compiled.derivative.parameters
        return [(names.index(labels[number]), steps) if labels[number] in names else None
                for number, steps in self.form.leaves]

    def node(self, sources: tuple, outputs: tuple, arguments: Sequence[Any], saved: Any, guards: tuple, place: Place
             ) -> CompiledNode:
        """The node of a call."""
        node: CompiledNode = self.kind()  # and no __init__, which would take half the time again
        node.sources = sources
        node.outputs = outputs
        node.sequence = serial()
        node.hooks = node._metadata = None
        node.way = self
        node.arguments = arguments
        node.saved = saved
        node.guards = guards
        node.is_packed = False
        node.place = place
        now = state.now
        if now.anomaly:
            node._metadata = made_here()
        if now.packing is not None:
            node.saved, node.is_packed = packed(saved, now.packing), True
        return node

    @property
    def source(self) -> str:
        """The text of the adjoint."""
        return str(self.compiled.table.text(self.path_id))


class CompiledNode(Node):
    """The node of a compiled function: one for each call.

    Attributes
    ----------
    guards
        Of each tensor whose memory may be saved the version and its count, the array, and the number of the operand
        that it is, or -1 and so on for a result.
    """

    __slots__ = ("way", "arguments", "saved", "guards", "is_packed")
    wants_zeros = False
    way: Way
    arguments: Sequence[Any]
    saved: Any
    guards: tuple
    is_packed: bool

    __init__ = object.__init__  # Way.node() and what ready.py writes fill it in

    # ---- what users see

    @property
    def source(self) -> str:
        """The text of the adjoint."""
        return self.way.source

    @property
    def path(self) -> Path:
        """The branch path that the call took."""
        compiled, path = self.way.compiled, self.way.path_id
        return Path(path, compiled.records[path].calls, conditions(compiled.derivative, path))

    # ---- the backward pass

    def checked(self) -> Any:
        """What was saved. Raises RuntimeError where it is freed, or was written into."""
        saved = self.saved
        if saved is None:
            raise RuntimeError(FREED)
        for version, count, array, number in self.guards:
            if version.count != count:
                self.refuse(version, count, array, number)
        return unpacked(saved) if self.is_packed else saved

    def refuse(self, version: Version, count: int, array: np.ndarray, number: int) -> None:
        """Raise RuntimeError if what was written into is saved."""
        if any(np.may_share_memory(array, kept) for kept in arrays_in(self.saved)):
            node, output = self.edges[number] if number >= 0 else (self, -1 - number)
            raise RuntimeError(changed_in_place(array, node, output, version, count, self.place))

    def pull(self, cotangents: Sequence[Any]) -> Sequence[Any]:
        saved, way = self.checked(), self.way
        way.record.calls += 1
        seeds: Any = cotangents
        if not way.is_single:
            left = iter([np.zeros(*output) if item is None else item
                         for item, output in zip(cotangents, self.outputs)])
            seeds = [next(left) if inner is None else [next(left) for _ in inner] for _, inner in way.form.places]
        try:
            found = state.now.quiet.run(way.record.adjoint, saved, *seeds)
        except Exception as error:
            explain(error)
            raise
        bars = []
        for at in way.reached(cotangents):
            bar = None
            if at is not None:
                number, steps = at
                bar = part_at(found[number], steps) if steps else found[number]
                if bar.__class__ is not np.ndarray and bar is not None:
                    bar = np.asarray(bar)
            bars.append(bar)
        for item in cotangents:
            if item is None:
                return self.pull_apart(cotangents, bars) if holds_nan(bars) else bars
        return bars

    def pull_apart(self, cotangents: Sequence[Any], bars: Sequence[Any]) -> Sequence[Any]:
        """The cotangents of the operands, of those results alone that have a cotangent: the zeros that stood for the
        others may have met an infinite derivative, and ``bars`` hold NaN."""
        if any(version.count != count for version, count, _, _ in self.guards):
            return bars  # the operands are no longer what they were
        found = self.pull_recorded([None if item is None else new_tensor(np.asarray(item)) for item in cotangents])
        return [None if bar is None else bar._array for bar in found]

    def pull_recorded(self, cotangents: Sequence[Any]) -> Sequence[Any]:
        self.check_arguments(self.checked())
        form, reached = self.way.form, self.way.reached(cotangents)
        operands = [part_at(self.arguments[number], steps) for number, steps in form.leaves]
        operands = [held(operand) if number in self.way.lent else operand
                    for operand, (number, _) in zip(operands, form.leaves)]
        active = tuple(edge is not NO_EDGE and at is not None
                       for edge, at in zip(self.edges, reached))
        if not any(active):
            return [None] * len(active)
        for place, is_active in enumerate(active):
            if is_active:
                operands[place] = saved_tensor(self, place, operands[place])
        labels = iter(f"x_{place}" for place in range(len(operands)))
        given = tuple(written(argument, labels) for argument in self.arguments)
        weights = [item for item in cotangents if item is not None]
        texts = tuple(text for text, item in zip(form.texts, cotangents) if item is not None)
        number = weighted(form.function, given, texts, len(active))
        places = tuple(place for place, is_active in enumerate(active) if is_active)
        program = gradient_in(number, places)
        found = run_program(program, [*operands, *weights], self.name(), Slopes(number, places))
        if not any(item._requires for item in weights):  # then what the operands have no influence on is constant
            arrays = [item._array if isinstance(item, Tensor) else item for item in (*operands, *weights)]
            found = [item if smooth else item.detach() for item, smooth in zip(found, varied(program, active, arrays))]
        left = iter(found)
        return [next(left) if is_active else None for is_active in active]

    def check_arguments(self, saved: Any) -> None:
        """The function is run again: raise RuntimeError if its arguments are others than at the call, as far as what
        its adjoint reads depends on them. Tensors that are not saved may be written into, and so may plain arrays."""
        way = self.way
        if saved and not way.lent and all(version.count == count for version, count, _, _ in self.guards):
            return
        _, path, again = state.now.quiet.run(way.compiled.primal, *self.arguments)
        if path != way.path_id or not agree(saved, again):
            raise RuntimeError(
                f"{way.form.function.__name__} is run again for a derivative that can be differentiated itself, and "
                "what it was given or reads was written into since it was called: clone or copy what is written into")

    def release(self) -> None:
        if self.saved:
            self.saved = None


def first_alone(node: CompiledNode, way: Way, seed: np.ndarray | None, retain: bool | None) -> bool:
    """Let a way have what does its backward passes when there have been some, and do one."""
    if not way.is_flat:
        way.alone = not_alone
    if not way.is_flat or way.record.calls < PASSES:
        return False
    if seed is not None and not seed.ndim:
        way.of_one = way.compiled.adjoint_of_one(way.path_id)
    way.alone = alone_to(tuple([(number, at[0]) for number, at in enumerate(way.reached(ONE)) if at is not None]),
                         len(node.sources), len(way.compiled.table.wanted), way.of_one is not None)
    return way.alone(node, way, seed, retain)


def not_alone(node: CompiledNode, way: Way, seed: np.ndarray | None, retain: bool | None) -> bool:
    return False


@functools.lru_cache(maxsize=1024)
def alone_to(reached: tuple[tuple[int, int], ...], operands: int, results: int, of_one: bool) -> Callable:
    """What does a backward pass from a node towards leaves: ``reached`` has for each its number among the operands, and
    the number of the adjoint's result that is its cotangent. ``of_one``: the way has an adjoint for the cotangent 1."""
    leaves = {number: f"leaf_{number}" for number, _ in reached}
    bars = {at: f"bar_{at}" for _, at in reached}
    unlike = [f"{leaf}.__class__ is not Tensor or {leaf}._accumulator is not None and is_looked_at({leaf})"
              for leaf in leaves.values()]
    lines = [
        "def alone(node, way, seed, retain):",
        "    saved, now = node.saved, state.now",
        "    if saved is None or node.hooks is not None or node.is_packed or now.anomaly:",
        "        return False",
        f"    {''.join(leaves.get(number, '_') + ', ' for number in range(operands))} = node.sources",
        *(f"    if {' or '.join(unlike)}:\n        return False" for _ in unlike[:1]),
        "    for version, count, array, number in node.guards:",
        "        if version.count != count:",
        "            node.refuse(version, count, array, number)",
        "    record = way.record",
        "    record.calls += 1",
        "    recording, now.recording = now.recording, False",
        "    try:",
        f"        {''.join(bars.get(at, '_') + ', ' for at in range(results))} = "
        f"now.quiet.run({'way.of_one, saved' if of_one else 'record.adjoint, saved, seed'})",
        "    except ZeroDivisionError:",  # the cotangent 1 is Python's, and others are arrays
        "        record.calls -= 1",
        "        return False",
        "    except Exception as error:",
        "        explain(error)",
        "        raise",
        "    finally:",
        "        now.recording = recording",
        "    if saved and not retain:",
        "        node.saved = None",
    ]
    for number, at in reached:
        leaf, bar = leaves[number], bars[at]
        lines += [
            f"    array = node.arguments[{number}]",
            f"    if {bar}.__class__ is not ndarray and {bar} is not None:",
            f"        {bar} = asarray({bar})",
            f"    if {bar} is not None:",
            f"        if {bar}.dtype is not array.dtype or {bar}.shape != array.shape:",
            f"            {bar} = fitted({bar}, array.shape, array.dtype)",
            f"        held = {leaf}._grad",
            "        if held is None:",
            f"            {leaf}._grad = new_tensor({bar} if {bar}.base is None and getrefcount({bar}) <= {REFERENCES} "
            f"else owned({bar}))",
            "        else:",
            f"            held._array += {bar}",  # as accumulate, without a call
            "            if held._memory is None:",
            "                held._unseen += 1",
            "            else:",
            "                held._memory.bump()",
        ]
    lines += ["    return True", ""]
    outside = {"__builtins__": {}, "Exception": Exception, "ZeroDivisionError": ZeroDivisionError, "Tensor": Tensor,
               "ndarray": np.ndarray, "state": state, "asarray": np.asarray, "is_looked_at": is_looked_at,
               "explain": explain, "fitted": fitted, "new_tensor": new_tensor, "getrefcount": getrefcount,
               "owned": owned}
    return define("\n".join(lines), "alone", outside)


def references() -> int:
    """The count of an object that a local variable has, and nobody else."""
    array = np.empty(0)
    return getrefcount(array)


REFERENCES = references()


def guards_of(tensors: Iterable[Any]) -> tuple:
    """What tells whether any of the operands is written into from now on."""
    return tuple([guard_of(item, number) for number, item in enumerate(tensors) if item.__class__ is Tensor])


def guard_of(tensor: Tensor, number: int) -> tuple[Version, int, np.ndarray, int]:
    version = tensor._written
    return version, version.count, tensor._array, number


def part_at(value: Any, steps: Sequence[Any]) -> Any:
    for step in steps:
        held = None if value is None else contents(value)
        if held is None:
            return None
        value = held.parts[held.steps.index(step)]
    return value


def agree(first: Any, second: Any) -> bool:
    """Whether what a primal saved is what it saved another time."""
    if isinstance(first, np.ndarray):
        return first.shape == np.shape(second) and np.array_equal(first, second, equal_nan=first.dtype.kind in "fc")
    if isinstance(first, (int, float, np.generic, str)):
        return bool(first == second or first != first and second != second)
    one, other = contents(first), contents(second)
    if one is None or other is None:
        return type(first) is type(second)
    return one.steps == other.steps and len(one.parts) == len(other.parts) and all(map(agree, one.parts, other.parts))


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
    if held.is_dict:
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
def weighted(function: Callable, given: tuple[str, ...], results: tuple[str, ...], count: int) -> Callable:
    """What a function gives, each result times its cotangent: a number that depends on the ``count`` leaves of its
    arguments and on the cotangents. Its derivatives in the leaves are what the adjoint gives."""
    parameters = [f"x_{place}" for place in range(count)]
    weights = [f"w_{place}" for place in range(len(results))]
    terms = " + ".join(f"np.sum(results{steps} * {weight})" for steps, weight in zip(results, weights))
    text = (f"def weighted({', '.join([*parameters, *weights])}):\n"
            f"    results = function({', '.join(given)})\n"
            f"    return float({terms})\n")
    outside = {"__builtins__": builtins, "__name__": "s2sgrad.eager", "np": np, "function": function}
    return compile_text(text, "weighted", outside, {})


