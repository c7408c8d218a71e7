"""What users call to differentiate: ``backward`` and ``grad``."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from s2sgrad.shim.delivery import summed
from s2sgrad.shim.dtypes import Size
from s2sgrad.shim.names import attached, named
from s2sgrad.shim.passes import Pass
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import Tensor, accumulator, current_node, new_tensor, requires

CYCLE = ("Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
         "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If "
         "you have to use this function, make sure to reset the .grad fields of your parameters to None after use to "
         "break the cycle and avoid the leak.")
INPUTS_ONLY = ("only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
               "other parts of the graph, please use torch.autograd.backward.")


class Ones(dict):
    """By dtype the number one, and by shape and dtype an array of ones, that nobody may write into."""

    def __missing__(self, key: Any) -> np.ndarray:
        one = self[key] = np.ones(*(key if isinstance(key, tuple) else ((), key)))
        one.flags.writeable = False
        return one


ONE = Ones()


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
        for tensor in wanted:
            tensor.retain_grad()
    roots = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    if create_graph and not Legacy.warned_of_cycle:
        Legacy.warned_of_cycle = True
        warnings.warn(CYCLE, UserWarning, stacklevel=3)
    _run(roots, _listed(grad_tensors, len(roots)), retain_graph, create_graph, wanted, True)


def backward_of(self: Tensor, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
                inputs: Any = None) -> None:
    """Add the gradient of this tensor to the ``.grad`` of the leaves that it was computed from.

    Parameters
    ----------
    gradient
        The cotangent of this tensor: what has its shape. A tensor with one element needs none.
    retain_graph
        Keep what the graph saved, for another backward pass.
    create_graph
        Record the backward pass, so that gradients can be differentiated.
    inputs
        Add to the ``.grad`` of these tensors only.
    """
    if gradient is None and inputs is None and not create_graph:  # most often
        node, array = self._node, self._array
        if node is None or array.size != 1 or self._base is not None:
            _run([self], [None], retain_graph, False, None)
            return
        way = node.way
        of_one = way is not None and way.of_one is not None
        if of_one and not array.ndim and way.alone(node, way, None, retain_graph):
            return
        seed = ONE[array.shape, array.dtype] if array.ndim else ONE[array.dtype]
        if way is None or of_one or not way.alone(node, way, seed, retain_graph):
            _pass([((node, self._number), seed)], retain_graph, False, None)
    elif inputs is None and not create_graph and isinstance(gradient, Tensor):
        _run([self], [gradient], retain_graph, False, None)
    else:
        backward(self, gradient, retain_graph, create_graph, None, inputs)


attached("backward", named(backward_of, "backward"))


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
    if not wanted:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
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
    if len(found) < count:
        raise RuntimeError(f"got {count} tensors and {len(found)} gradients")
    return found[:count]  # PyTorch does not mind more


# ---- the pass itself

def _run(roots: list, given: list, retain_graph: bool | None, create_graph: bool, wanted: list | None,
         into: bool = False) -> list:
    """Run the graph behind the roots. ``wanted``: these tensors' cotangents are given, and no leaf gets any; where
    ``into`` holds they go into their ``.grad`` instead."""
    starts = []
    for place, (root, cotangent) in enumerate(zip(roots, given)):
        node = current_node(root)
        if cotangent is not None or node is not None or root._requires:
            cotangent = _start(place, root, cotangent, create_graph)
        if node is None:
            if not root._requires:
                raise RuntimeError(f"element {place} of tensors does not require grad and does not have a grad_fn")
            node = accumulator(root)
        starts.append(((node, root._number), cotangent))
    if not all(map(requires, wanted or ())):
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return _pass(starts, retain_graph, create_graph, wanted, into)


def _pass(starts: list, retain_graph: bool | None, create_graph: bool, wanted: list | None, into: bool = False) -> list:
    """The same from what is known to be differentiable: nodes with the numbers of their outputs, and cotangents."""
    run = Pass(create_graph if retain_graph is None else retain_graph, create_graph)
    now = state.now
    recording, now.recording = now.recording, create_graph
    try:
        if wanted is not None:
            return run.towards(wanted, starts, into)
        if create_graph or now.anomaly:
            run.run(starts)
        else:
            run.run_plainly(starts)
        return []
    finally:
        now.recording = recording


def _start(place: int, root: Tensor, cotangent: Any, recorded: bool) -> Any:
    """The cotangent of a root: an array; where the pass is recorded, a tensor."""
    shape = root._array.shape
    if cotangent is None:
        if root._array.size != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        return new_tensor(np.ones(shape, root._array.dtype)) if recorded else ONE[shape, root._array.dtype]
    if not isinstance(cotangent, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(cotangent).__name__}")
    if cotangent._array.shape != shape:
        smaller = summed(cotangent._array, shape) if Legacy.sums else None
        if smaller is None:
            raise RuntimeError(f"Mismatch in shape: grad_output[{place}] has a shape of {Size(cotangent._array.shape)} "
                               f"and output[{place}] has a shape of {Size(shape)}.")
        cotangent = new_tensor(np.asarray(smaller, root._array.dtype))
    return cotangent if recorded else cotangent._array
