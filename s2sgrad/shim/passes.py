"""One backward pass: nodes in the reverse order of their making, cotangents added up where they meet."""
from __future__ import annotations

import warnings
from collections.abc import Sequence
from heapq import heappop, heappush
from sys import getrefcount
from typing import Any

import numpy as np

from s2sgrad.shim.delivery import fitted
from s2sgrad.shim.dtypes import of_numpy
from s2sgrad.shim.nodes import AccumulateGrad, Node
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import Tensor, accumulator, edge_of, is_looked_at, new_tensor


class Pass:
    """One backward pass. Its cotangents are arrays; where it is recorded, tensors.

    Attributes
    ----------
    places
        The outputs whose cotangents are to be found, by node the numbers of the outputs; then no leaf gets any.
    """

    def __init__(self, retain: bool, recorded: bool):
        self.retain = retain
        self.recorded = recorded
        self.places: dict[Node, set[int]] | None = None
        self.found: dict[tuple, list] = {}

    def towards(self, wanted: list[Tensor], starts: list, into: bool) -> list:
        """Run as far as these tensors, and give their cotangents; where ``into`` holds they only go into the
        ``.grad`` of leaves, and of what keeps its own."""
        edges = [edge_of(tensor) for tensor in wanted]
        needed = leading_to([node for (node, _), _ in starts], {node for node, _ in edges})
        if not into:
            self.places = {}
            for node, number in edges:
                self.places.setdefault(node, set()).add(number)
        self.run(starts, needed)
        return [] if into else [self.result(edge) for edge in edges]

    def run(self, starts: list, needed: set[Node] | None = None) -> None:
        """``needed``: the nodes to run; None for all."""
        retain, recorded = self.retain, self.recorded
        unwatched = not recorded and not state.now.anomaly
        waiting: list[tuple[int, Node]] = []
        cotangents: dict[Node, list] = {}
        incoming: Any = starts
        while True:
            for (target, number), bar in incoming:
                if bar is None or target is None or needed is not None and target not in needed:
                    continue
                outputs = target.outputs
                shape, dtype = outputs[number]
                if bar.shape != shape or bar.dtype is not dtype:
                    bar = self.fit(bar, shape, dtype)
                slots = cotangents.get(target)
                if slots is None:
                    cotangents[target] = slots = [None] * len(outputs)
                    heappush(waiting, (-target.sequence, target))
                previous = slots[number]
                slots[number] = bar if previous is None else previous + bar if recorded else \
                    state.now.quiet.run(np.add, previous, bar)
            if not waiting:
                return
            incoming = previous = bar = None  # else nobody could be the only one who has an array
            node = heappop(waiting)[1]
            slots = cotangents.pop(node)
            hooks = node.hooks
            if node.__class__ is AccumulateGrad:
                self.reach(node, slots)
                incoming = ()
                continue
            if hooks is not None:
                self.before(hooks, slots)
            if needed is not None and self.is_enough(node, slots, needed):
                incoming = ()
                continue
            if hooks is not None:
                self.before_it_runs(hooks, slots)
            if len(slots) > 1 and node.wants_zeros:
                self.fill(node, slots)
            bars: Any = node.pull(slots) if unwatched else self.pulled(node, slots)
            if hooks is not None and hooks.after:
                bars = self.after(node, bars, slots)
            if not retain:
                node.release()
            incoming, bars = zip(node.edges, bars), None

    def run_plainly(self, starts: list) -> None:
        """The same of arrays, towards all leaves and unwatched, in less time: what is next without doubt does not wait
        with others, and leaves are reached without a node."""
        retain, quiet = self.retain, state.now.quiet
        waiting: list[tuple[int, Node]] = []
        cotangents: dict[Node, list] = {}
        leaves: dict[Tensor, list] = {}
        node: Any = None
        following: Node | None = None
        slots: Any = None
        sources: Any = [source for source, _ in starts]
        bars: Any = [bar for _, bar in starts]
        while True:
            for source, bar in zip(sources, bars):
                if source is None or bar is None:
                    continue
                if source.__class__ is not tuple and source._accumulator is not None and is_looked_at(source):
                    source = accumulator(source, node.sequence), 0
                if source.__class__ is not tuple:
                    array = source._array
                    if bar.shape != array.shape or bar.dtype is not array.dtype:
                        bar = fitted(bar, array.shape, array.dtype)
                    held = leaves.get(source)
                    if held is None:
                        leaves[source] = [bar]
                    else:
                        held[0] = quiet.run(np.add, held[0], bar)
                    continue
                target, number = source
                if target is None:
                    continue
                outputs = target.outputs
                shape, dtype = outputs[number]
                if bar.shape != shape or bar.dtype is not dtype:
                    bar = fitted(bar, shape, dtype)
                if target is following:
                    held = slots
                else:
                    held = cotangents.get(target)
                    if held is None:
                        held = [None] * len(outputs)
                        if following is None and not waiting:
                            following, slots = target, held
                        else:
                            if following is not None:
                                cotangents[following] = slots
                                heappush(waiting, (-following.sequence, following))
                                following = None
                            cotangents[target] = held
                            heappush(waiting, (-target.sequence, target))
                held[number] = bar if held[number] is None else quiet.run(np.add, held[number], bar)
            bar = bars = held = None  # else nobody could be the only one who has an array
            if following is not None:
                node, following = following, None
            elif waiting:
                node = heappop(waiting)[1]
                slots = cotangents.pop(node)
            else:
                break
            if node.__class__ is AccumulateGrad:
                self.reach(node, slots)
                sources = bars = ()
                continue
            hooks = node.hooks
            if hooks is not None:
                self.before(hooks, slots)
                self.before_it_runs(hooks, slots)
            if len(slots) > 1 and node.wants_zeros:
                self.fill(node, slots)
            bars = node.pull(slots)
            if hooks is not None and hooks.after:
                bars = self.after(node, bars, slots)
            if not retain:
                node.release()
            sources = node.sources
        slots = None
        for leaf, held in leaves.items():
            deliver(leaf, held)

    def fit(self, cotangent: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        if self.recorded:
            from s2sgrad.shim.recorded import fitted_tensor

            return fitted_tensor(cotangent, shape, dtype)
        return fitted(cotangent, shape, dtype)

    def fill(self, node: Node, slots: list) -> None:
        """Zeros for the outputs that have no cotangent."""
        for number, cotangent in enumerate(slots):
            shape, dtype = node.outputs[number]
            if cotangent is None and dtype is not None and dtype.kind == "f":
                array = np.zeros(shape, dtype)
                slots[number] = new_tensor(array) if self.recorded else array

    def pulled(self, node: Node, slots: list) -> Sequence[Any]:
        """Run a node; where that is watched, tell where it was made if it goes wrong."""
        try:
            bars = node.pull_recorded(slots) if self.recorded else node.pull(slots)
            for number, bar in enumerate(bars):
                array = bar._array if isinstance(bar, Tensor) else bar
                if state.now.anomaly == "nan" and array is not None and np.isnan(array).any():
                    raise RuntimeError(f"Function '{node.name()}' returned nan values in its {number}th output.")
        except Exception:
            if state.now.anomaly:
                made = node.metadata.get("traceback_")
                told = f"Traceback of forward call that caused the error:\n{made}" if made else \
                    "No forward pass information available. Enable detect anomaly during forward pass for more " \
                    "information."
                warnings.warn(f"Error detected in {node.name()}. {told}", UserWarning, stacklevel=2)
            raise
        return bars

    # ---- what is wanted instead of the leaves' .grad

    def is_enough(self, node: Node, slots: list, needed: set[Node]) -> bool:
        """Note the cotangents that are to be found; whether nothing beyond the node is needed."""
        for number in (self.places or {}).get(node, ()):
            if slots[number] is not None:
                self.found[node, number] = [slots[number]]
        return not any(target in needed for target, _ in node.edges)

    def result(self, place: tuple) -> Any:
        slots = self.found.get(place)
        if slots is None:
            return None
        return slots[0] if self.recorded else new_tensor(own(slots))

    # ---- hooks

    def before(self, hooks: Any, slots: list) -> None:
        """Hooks of tensors, and those that keep their ``.grad``."""
        for number, called in hooks.tensors.items():
            if slots[number] is not None:
                slots[number] = self.hooked(called, slots[number])
        for number, reference in hooks.retaining.items():
            tensor = reference()
            if tensor is not None and slots[number] is not None:
                cotangent = slots[number] if self.recorded else new_tensor(slots[number].copy())
                tensor._grad = cotangent if tensor._grad is None else tensor._grad + cotangent

    def before_it_runs(self, hooks: Any, slots: list) -> None:
        """The hooks of a node, which are not asked where a pass ends at its outputs."""
        for hook in list(hooks.before.values()):
            result = hook(tuple(map(self.shown, slots)))
            if result is not None:
                slots[:] = self.taken(hook, result, slots)

    def after(self, node: Node, bars: Sequence, slots: list) -> Sequence:
        assert node.hooks is not None
        bars = [bar if bar is None or target is None else self.fit(bar, *target.outputs[number])
                for bar, (target, number) in zip(bars, node.edges)]
        for hook in list(node.hooks.after.values()):
            result = hook(tuple(map(self.shown, bars)), tuple(map(self.shown, slots)))
            if result is not None:
                bars = self.taken(hook, result, bars)
        return bars

    def hooked(self, hooks: Any, cotangent: Any) -> Any:
        for hook in list(hooks.values()):
            result = hook(self.shown(cotangent))
            if result is not None:
                cotangent = self.replaced(hook, result, cotangent)
        return cotangent

    def shown(self, cotangent: Any) -> Any:
        """A cotangent as hooks see it."""
        return cotangent if cotangent is None or self.recorded else new_tensor(owned(cotangent))

    def taken(self, hook: Any, result: Any, given: Sequence) -> list:
        """What a node's hook gave in place of these."""
        if not isinstance(result, tuple):
            raise TypeError(f"expected tuple, but hook returned '{type(result).__name__}'")
        if len(result) != len(given):
            raise RuntimeError(f"hook '{name_of(hook)}' has returned an incorrect number of values (got {len(result)}, "
                               f"but expected {len(given)})")
        return [None if item is None else self.replaced(hook, item, old) for item, old in zip(result, given)]

    def replaced(self, hook: Any, result: Any, cotangent: Any) -> Any:
        if not isinstance(result, Tensor):
            raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
        found = result if self.recorded else result._array
        if cotangent is not None and found.shape != cotangent.shape:
            raise RuntimeError(f"hook '{name_of(hook)}' has changed the size of value")
        if cotangent is not None and found.dtype != cotangent.dtype:
            was, now = (of_numpy(item._array.dtype if isinstance(item, Tensor) else item.dtype).legacy
                        for item in (cotangent, found))
            raise RuntimeError(f"hook '{name_of(hook)}' has changed the type of value (was torch.{was} got "
                               f"torch.{now})")
        return found

    # ---- leaves

    def reach(self, node: AccumulateGrad, slots: list) -> None:
        variable = node.variable
        if variable._hooks:
            slots[0] = self.hooked(variable._hooks, slots[0])
        if node.hooks is not None:
            self.before(node.hooks, slots)
            self.before_it_runs(node.hooks, slots)
        if self.places is not None:
            self.found[node, 0] = slots
            return
        if self.recorded:
            accumulate_recorded(variable, slots[0])
        else:
            deliver(variable, slots)
        if node.hooks is not None and node.hooks.after:
            self.after(node, (), slots)
        if variable._after:
            for hook in list(variable._after.values()):
                hook(variable)


def name_of(hook: Any) -> str:
    return str(getattr(hook, "__name__", "<unknown>"))


def references() -> int:
    """The count of an object that a list and a local variable have, and nobody else."""
    slots = [np.empty(0)]
    cotangent = slots[0]
    return getrefcount(cotangent)


ALONE = references()


def deliver(leaf: Tensor, slots: list) -> None:
    """Add the cotangent in a list to the ``.grad`` of a leaf."""
    if leaf._grad is None:
        leaf._grad = new_tensor(own(slots))
    else:
        accumulate(leaf._grad, slots[0])


def own(slots: list) -> np.ndarray:
    """The cotangent in a list for a user to write into: the array itself if nobody else has it."""
    cotangent = slots[0]
    if cotangent.__class__ is not np.ndarray or cotangent.base is not None or getrefcount(cotangent) > ALONE:
        cotangent = owned(cotangent)
    return cotangent


def owned(array: Any) -> np.ndarray:
    """An array that nobody else writes into, and that can be written into."""
    return array.copy() if type(array) is np.ndarray else np.array(array)


def accumulate(held: Tensor, cotangent: np.ndarray) -> None:
    """Add to a ``.grad`` in place, so that it stays the same object."""
    held._array += cotangent
    if held._memory is None:  # most often: then nobody will ask for the line
        held._unseen += 1
    else:
        held._memory.bump()


def accumulate_recorded(variable: Tensor, cotangent: Tensor) -> None:
    """Add to ``.grad`` so that it can be differentiated. What it becomes is nobody else's."""
    from s2sgrad.shim.shapes import own_copy

    if variable._grad is not None:
        variable._grad = variable._grad + cotangent
    else:
        variable._grad = own_copy.run((cotangent,))


def leading_to(starts: list[Node], targets: set) -> set[Node]:
    """The nodes from which a target can be reached, and the targets."""
    needed = set(targets)
    done: set[Node] = set()
    stack: list[tuple[Node, bool]] = [(node, False) for node in starts]
    while stack:
        node, left = stack.pop()
        if left:
            if any(target in needed for target, _ in node.edges):
                needed.add(node)
        elif node not in done:
            done.add(node)
            stack.append((node, True))
            stack += [(target, False) for target, _ in node.edges if target is not None]
    return needed
