"""The backward pass: nodes in the reverse order of their making, cotangents added up where they meet."""
from __future__ import annotations

import warnings
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np

from s2sgrad.shim.delivery import fitted, summed
from s2sgrad.shim.dtypes import Size
from s2sgrad.shim.nodes import AccumulateGrad, Node
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import Tensor, accumulator, current_node, edge_of, new_tensor, requires

CYCLE = ("Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
         "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If "
         "you have to use this function, make sure to reset the .grad fields of your parameters to None after use to "
         "break the cycle and avoid the leak.")
INPUTS_ONLY = ("only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
               "other parts of the graph, please use torch.autograd.backward.")


class Legacy:
    """What PyTorch once did: a cotangent larger than its tensor is summed to the tensor's shape."""

    sums = False
    warned_of_cycle = False


def set_legacy_gradient_sum(mode: bool) -> None:
    """Whether ``backward(gradient)`` sums a gradient that is larger than its tensor, as PyTorch did before 1.0."""
    Legacy.sums = bool(mode)


# ---- what users call

def backward(tensors: Any, grad_tensors: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
             grad_variables: Any = None, inputs: Any = None) -> None:
    """Add the gradients of tensors to the ``.grad`` of the leaves that they were computed from.

    Parameters
    ----------
    tensors, grad_tensors
        What is differentiated, and the cotangent of each: None where a tensor has one element.
    retain_graph
        Keep what the graph saved, for another backward pass; by default what ``create_graph`` is.
    create_graph
        Record the backward pass, so that gradients can be differentiated.
    inputs
        Add to the ``.grad`` of these tensors only.
    """
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError("`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`."
                               " Please only use `grad_tensors`.")
        grad_tensors = grad_variables
    wanted = None
    if inputs is not None:
        wanted = [inputs] if isinstance(inputs, Tensor) else list(inputs)
        if not wanted:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    roots = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    if create_graph and not Legacy.warned_of_cycle:
        Legacy.warned_of_cycle = True
        warnings.warn(CYCLE, UserWarning, stacklevel=3)
    found = _run(roots, _listed(grad_tensors, len(roots)), retain_graph, create_graph, wanted)
    if wanted is not None:
        for tensor, cotangent in zip(wanted, found):
            if cotangent is not None:
                accumulate(tensor, cotangent, create_graph)


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None,
         create_graph: bool = False, only_inputs: bool = True, allow_unused: bool | None = None,
         is_grads_batched: bool = False, materialize_grads: bool = False) -> tuple:
    """The gradients of the sum of outputs in inputs, which are left out of every ``.grad``.

    Parameters
    ----------
    outputs, grad_outputs
        What is differentiated, and the cotangent of each: None where a tensor has one element.
    inputs
        What to differentiate in.
    retain_graph
        Keep what the graph saved, for another backward pass; by default what ``create_graph`` is.
    create_graph
        Record the backward pass, so that gradients can be differentiated.
    allow_unused
        Give None for inputs that the outputs don't depend on, instead of raising RuntimeError.
    is_grads_batched
        The cotangents have one axis more, in front: so many gradients are computed, and put together.
    materialize_grads
        Give zeros instead of None.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
                         "allow_unused=False.")
    if not only_inputs:
        warnings.warn(INPUTS_ONLY, FutureWarning, stacklevel=2)
    roots = [outputs] if isinstance(outputs, Tensor) else list(outputs)
    wanted = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    for tensor in wanted:
        if not requires(tensor):
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    given = _listed(grad_outputs, len(roots))
    if is_grads_batched:
        return _batched(roots, wanted, given, retain_graph, create_graph, allow_unused, materialize_grads)
    found = _run(roots, given, retain_graph, create_graph, wanted)
    for place, cotangent in enumerate(found):
        if cotangent is None and not allow_unused and not materialize_grads:
            raise RuntimeError(f"The differentiated Tensor at index {place} appears to not have been used in the graph."
                               " Set allow_unused=True if this is the desired behavior.")
    if materialize_grads:
        found = [new_tensor(np.zeros_like(tensor._array)) if cotangent is None else cotangent
                 for tensor, cotangent in zip(wanted, found)]
    return tuple(found)


def _batched(roots: list, wanted: list, given: list, retain_graph: bool | None, create_graph: bool,
             allow_unused: bool | None, materialize_grads: bool) -> tuple:
    from s2sgrad.shim.joining import stack

    count = len(next(item for item in given if item is not None))
    rows = []
    for row in range(count):
        keep = True if row < count - 1 else retain_graph
        rows.append(grad(roots, wanted, [None if item is None else item[row] for item in given], keep, create_graph,
                         allow_unused=allow_unused, materialize_grads=materialize_grads))
    return tuple(None if column[0] is None else stack(column) for column in zip(*rows))


def _listed(cotangents: Any, count: int) -> list:
    if cotangents is None:
        return [None] * count
    found = [cotangents] if isinstance(cotangents, Tensor) else list(cotangents)
    if len(found) != count:
        raise RuntimeError(f"got {count} tensors and {len(found)} gradients")
    return found


# ---- the pass itself

def _run(roots: list, given: list, retain_graph: bool | None, create_graph: bool, wanted: list | None) -> list:
    """Run the graph behind the roots. ``wanted``: these tensors' cotangents are given, and no leaf gets any."""
    starts = []
    for place, (root, cotangent) in enumerate(zip(roots, given)):
        cotangent = _start(place, root, cotangent)
        node = current_node(root)
        if node is None and not root._requires:
            raise RuntimeError(f"element {place} of tensors does not require grad and does not have a grad_fn")
        starts.append((accumulator(root) if node is None else node, root._number, cotangent))
    if retain_graph is None:
        retain_graph = create_graph
    recording = state.recording
    state.recording = create_graph
    try:
        return Pass(retain_graph, create_graph, wanted).run(starts)
    finally:
        state.recording = recording


def _start(place: int, root: Tensor, cotangent: Any) -> Tensor:
    if cotangent is None:
        if root._array.size != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        return new_tensor(np.ones_like(root._array))
    if not isinstance(cotangent, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(cotangent).__name__}")
    if cotangent._array.shape != root._array.shape:
        if Legacy.sums:
            smaller = summed(cotangent._array, root._array.shape)
            if smaller is not None:
                return new_tensor(np.asarray(smaller, root._array.dtype))
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{place}] has a shape of {Size(cotangent._array.shape)} and "
            f"output[{place}] has a shape of {Size(root._array.shape)}.")
    return cotangent


class Pass:
    """One backward pass. Its cotangents are arrays; where it is recorded, tensors."""

    def __init__(self, retain: bool, recorded: bool, wanted: list | None):
        self.retain = retain
        self.recorded = recorded
        self.waiting: list[tuple[int, int, Node]] = []
        self.cotangents: dict[Node, list] = {}
        self.found: dict[tuple[Node, int], Any] = {}
        self.places = None if wanted is None else [edge_of(tensor) for tensor in wanted]

    def run(self, starts: list) -> list:
        needed = None
        if self.places is not None:
            needed = leading_to([node for node, _, _ in starts], {node for node, _ in self.places})
        for node, number, cotangent in starts:
            if needed is None or node in needed:
                shape, dtype = node.outputs[number]
                cotangent = self.fit(cotangent if self.recorded else cotangent._array, shape, dtype)
                self.add(node, number, cotangent)
        while self.waiting:
            node = heappop(self.waiting)[2]
            self.visit(node, needed)
        if self.places is None:
            return []
        return [self.as_tensor(self.found.get(place)) for place in self.places]

    def fit(self, cotangent: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        if self.recorded:
            from s2sgrad.shim.recorded import fitted_tensor

            return fitted_tensor(cotangent, shape, dtype)
        return fitted(cotangent, shape, dtype)

    def as_tensor(self, cotangent: Any) -> Any:
        if cotangent is None or self.recorded:
            return cotangent
        return new_tensor(owned(cotangent))

    def add(self, node: Node, number: int, cotangent: Any) -> None:
        """A contribution to the cotangent of a node's output."""
        slots = self.cotangents.get(node)
        if slots is None:
            outputs = node.outputs
            self.cotangents[node] = slots = [None] * len(outputs) if len(outputs) > 1 else [cotangent]
            heappush(self.waiting, (-node.sequence, id(node), node))
            if len(outputs) == 1:
                return
        previous = slots[number]
        if previous is None:
            slots[number] = cotangent
        else:
            slots[number] = previous + cotangent if self.recorded else state.quiet.run(np.add, previous, cotangent)

    def visit(self, node: Node, needed: set | None) -> None:
        slots = self.cotangents.pop(node)
        hooks = node.hooks
        if type(node) is AccumulateGrad:
            self.reach(node, slots[0])
            return
        if hooks is not None:
            self.before(hooks, slots)
        if self.places is not None and self.found_all(node, slots, needed):
            return
        if len(slots) > 1 and node.wants_zeros:
            for number, cotangent in enumerate(slots):
                if cotangent is None and node.outputs[number][1].kind == "f":
                    slots[number] = self.zeros(*node.outputs[number])
        if state.anomaly:
            bars = self.watched(node, slots)
        else:
            bars = node.pull_recorded(slots) if self.recorded else node.pull(slots)
        if hooks is not None and hooks.after:
            bars = self.after(hooks, bars, slots)
        if not self.retain:
            node.release()
        for (target, number), bar in zip(node.edges, bars):
            if target is not None and bar is not None and (needed is None or target in needed):
                shape, dtype = target.outputs[number]
                if bar.__class__ is not np.ndarray or bar.shape != shape or bar.dtype is not dtype:
                    bar = self.fit(bar, shape, dtype)
                self.add(target, number, bar)

    def watched(self, node: Node, slots: list) -> Sequence[Any]:
        """Run a node, and tell where it was made if that goes wrong."""
        try:
            bars = node.pull_recorded(slots) if self.recorded else node.pull(slots)
            for number, bar in enumerate(bars):
                array = bar._array if isinstance(bar, Tensor) else bar
                if state.anomaly == "nan" and array is not None and np.isnan(array).any():
                    raise RuntimeError(f"Function '{node.name()}' returned nan values in its {number}th output.")
        except Exception:
            made = node.metadata.get("traceback_")
            told = f"Traceback of forward call that caused the error:\n{made}" if made else \
                "No forward pass information available. Enable detect anomaly during forward pass for more information."
            warnings.warn(f"Error detected in {node.name()}. {told}", UserWarning, stacklevel=2)
            raise
        return bars

    def found_all(self, node: Node, slots: list, needed: set | None) -> bool:
        """Note the cotangents that are wanted; whether nothing beyond the node is."""
        assert self.places is not None
        for number, cotangent in enumerate(slots):
            if cotangent is not None and (node, number) in self.places:
                self.found[node, number] = cotangent
        return needed is not None and not any(target in needed for target, _ in node.edges)

    def zeros(self, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        array = np.zeros(shape, dtype)
        return new_tensor(array) if self.recorded else array

    # ---- hooks

    def before(self, hooks: Any, slots: list) -> None:
        for number, called in hooks.tensors.items():
            if slots[number] is not None:
                slots[number] = self.hooked(called, slots[number])
        for number, reference in hooks.retaining.items():
            tensor = reference()
            if tensor is not None and slots[number] is not None:
                cotangent = slots[number] if self.recorded else new_tensor(slots[number].copy())
                tensor._grad = cotangent if tensor._grad is None else tensor._grad + cotangent
        for hook in list(hooks.before.values()):
            result = hook(tuple(map(self.shown, slots)))
            if result is not None:
                slots[:] = self.taken(result)

    def after(self, hooks: Any, bars: Sequence, slots: list) -> Sequence:
        for hook in list(hooks.after.values()):
            result = hook(tuple(map(self.shown, bars)), tuple(map(self.shown, slots)))
            if result is not None:
                bars = self.taken(result)
        return bars

    def hooked(self, hooks: Any, cotangent: Any) -> Any:
        for hook in list(hooks.values()):
            result = hook(self.shown(cotangent))
            if result is not None:
                if not isinstance(result, Tensor):
                    raise TypeError(f"hook must return a Tensor or None, not {type(result).__name__}")
                cotangent = result if self.recorded else result._array
        return cotangent

    def shown(self, cotangent: Any) -> Any:
        """A cotangent as hooks see it."""
        return cotangent if cotangent is None or self.recorded else new_tensor(owned(cotangent))

    def taken(self, result: Any) -> list:
        given = [result] if isinstance(result, Tensor) else list(result)
        return given if self.recorded else [None if item is None else item._array for item in given]

    # ---- leaves

    def reach(self, node: AccumulateGrad, cotangent: Any) -> None:
        variable = node.variable
        if variable._hooks:
            cotangent = self.hooked(variable._hooks, cotangent)
        if node.hooks is not None:
            self.before(node.hooks, [cotangent])
        if self.places is not None:
            self.found[node, 0] = cotangent
            return
        accumulate(variable, cotangent if self.recorded else new_tensor(cotangent), self.recorded)
        if node.hooks is not None and node.hooks.after:
            self.after(node.hooks, (), [cotangent])
        for hook in list((variable._after or {}).values()):
            hook(variable)


def owned(array: Any) -> np.ndarray:
    """An array that nobody else writes into, and that can be written into."""
    return array.copy() if type(array) is np.ndarray else np.array(array)


def accumulate(variable: Tensor, cotangent: Tensor, recorded: bool) -> None:
    """Add to ``.grad``: in place, so that it stays the same object, but where that must be differentiable."""
    held = variable._grad
    if held is None:
        variable._grad = cotangent if recorded and cotangent._requires else new_tensor(owned(cotangent._array))
    elif recorded:
        variable._grad = held + cotangent
    else:
        held._array += cotangent._array
        held._written.bump()


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
