"""Operations of the user's own: a class with ``forward`` and ``backward``."""
from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sgrad.errors import Naming
from s2sgrad.shim.delivery import summed
from s2sgrad.shim.nodes import FREED, NO_EDGE, Node, changed_in_place
from s2sgrad.shim.packing import Packed
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import CUSTOM, Tensor, edge_of, new_tensor, placed, requires
from s2sgrad.shim.views import whole_view


class FunctionCtx:
    """What ``forward`` leaves for ``backward``; other attributes are free for use."""

    needs_input_grad: tuple[bool, ...] = ()
    to_save: tuple = ()
    non_differentiable: tuple = ()
    dirty_tensors: tuple = ()
    materialize_grads = True

    def save_for_backward(self, *tensors: Any) -> None:
        """Save inputs and results of ``forward``; ``backward`` finds them in ``saved_tensors``."""
        for place, item in enumerate(tensors):
            if item is not None and not isinstance(item, Tensor):
                raise TypeError(f"save_for_backward can only save variables, but argument {place} is of type "
                                f"{type(item).__name__}")
        self.to_save = tensors

    def mark_non_differentiable(self, *results: Tensor) -> None:
        """These results have no derivative."""
        self.non_differentiable = results

    def mark_dirty(self, *inputs: Tensor) -> None:
        """``forward`` wrote into these inputs, and returns them."""
        self.dirty_tensors = inputs

    def set_materialize_grads(self, value: bool) -> None:
        """Whether ``backward`` gets zeros, or None, for results without a gradient."""
        self.materialize_grads = value


class BackwardFunction(Node, FunctionCtx):
    """The node of a user's operation, which is its context too."""

    _forward: Any
    wants_zeros = False
    """It makes them itself, if the user's ``forward`` did not say otherwise."""
    variables: tuple[bool, ...] = ()
    """Which of the inputs are tensors."""

    def __init__(self) -> None:
        """A context that is to become a node: what a node has comes with :meth:`record`."""
        super().__init__((), ())
        self.saved: tuple | None = ()

    @property
    def next_functions(self) -> tuple:
        return tuple([edge for edge, is_tensor in zip(self.edges, self.variables) if is_tensor])

    def record(self, results: Sequence[Any]) -> None:
        """Take over what was saved, now that the results are known."""
        self.outputs: Any = tuple((item._array.shape, item._array.dtype) if isinstance(item, Tensor) else ((), None)
                             for item in results)
        numbers = {id(item): number for number, item in enumerate(results)}
        saved: list[Any] = []
        for item in self.to_save:
            if item is None:
                saved.append(None)
            elif id(item) in numbers:
                saved.append((item._array, (self, numbers[id(item)]), item._written, item._written.count))
            else:
                edge = edge_of(item) if requires(item) else NO_EDGE
                saved.append((item._array, edge, item._written, item._written.count))
        if state.now.packing is not None:
            saved = [None if item is None else (Packed(placed(item[0], *item[1]), state.now.packing), *item[1:])
                     for item in saved]
        self.saved, self.to_save = tuple(saved), ()

    @property
    def saved_tensors(self) -> tuple:
        if self.saved is None:
            raise RuntimeError(FREED)
        found: list[Any] = []
        for item in self.saved:
            if item is None:
                found.append(None)
                continue
            array, (node, number), version, count = item
            if isinstance(array, Packed):
                found.append(placed(array.tensor()._array, node, number))
                continue
            if version.count != count:
                raise RuntimeError(changed_in_place(array, node, number, version, count, self.place))
            tensor = placed(array, node, number)
            tensor._memory = version
            found.append(tensor)
        return tuple(found)

    saved_variables = saved_tensors

    def pull(self, cotangents: Sequence[Any]) -> Sequence[Any]:
        given = [None if item is None else new_tensor(np.asarray(item)) for item in cotangents]
        return [None if item is None else item._array for item in self.pull_recorded(given)]

    def pull_recorded(self, cotangents: Sequence[Any]) -> Sequence[Any]:
        if self.materialize_grads:
            cotangents = [new_tensor(np.zeros(shape, dtype)) if item is None and dtype is not None else item
                          for item, (shape, dtype) in zip(cotangents, self.outputs)]
        found = self._forward.backward(self, *cotangents)
        bars = list(found) if isinstance(found, tuple) else [found]
        name = type(self).__name__
        if len(bars) > len(self.edges) and all(item is None for item in bars[len(self.edges):]):
            bars = bars[:len(self.edges)]
        if len(bars) != len(self.edges):
            raise RuntimeError(f"function {name} returned an incorrect number of gradients (expected "
                               f"{len(self.edges)}, got {len(bars)})")
        for place, (bar, (target, number)) in enumerate(zip(bars, self.edges)):
            if bar is not None and not self.variables[place]:
                raise RuntimeError(f"function {name} returned a gradient different than None at position {place + 1}, "
                                   "but the corresponding forward input was not a Variable")
            if bar is None or target is None:
                bars[place] = None
                continue
            if not isinstance(bar, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type(bar).__name__})")
            shape = target.outputs[number][0]
            if bar._array.shape != shape and summed(bar._array, shape) is None:
                raise RuntimeError(f"Function {name} returned an invalid gradient at index {place} - got "
                                   f"{list(bar._array.shape)} but expected shape compatible with {list(shape)}")
        return bars

    def release(self) -> None:
        if self.saved:
            self.saved = None


class FunctionMeta(type):
    """Each user's class has a class of nodes, named after it."""

    def __init__(cls, name: str, bases: tuple, attributes: dict):
        super().__init__(name, bases, attributes)
        cls._backward_class = type(f"{name}Backward", (BackwardFunction,), {"_forward": cls, "__module__": __name__})


class Function(metaclass=FunctionMeta):
    """The base of operations of the user's own.

    A subclass has static methods ``forward(ctx, *args, **kwargs)``, which computes the results, and
    ``backward(ctx, *grad_outputs)``, which gives a gradient for each argument, None where there is none. It is called
    with ``apply``. Instead of in ``forward``, what ``backward`` needs may be saved in ``setup_context(ctx, inputs,
    output)``; then ``forward`` takes no ``ctx``.
    """

    _backward_class: type

    def __init__(self, *args: Any, **kwargs: Any):
        warnings.warn(f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you "
                      "should invoke them on the class itself.", DeprecationWarning, stacklevel=2)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("Legacy autograd function with non-static forward method is deprecated. Please use "
                           "new-style autograd function with static forward method. (Example: "
                           "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)")

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: Any) -> Any:
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        raise NotImplementedError("You must implement either the backward or vjp method for your custom "
                                  "autograd.Function to use it with backward mode AD.")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Call ``forward``, with nothing recorded but the operation as a whole."""
        node: Any = cls._backward_class()
        separate = cls.setup_context is not Function.setup_context
        if kwargs or separate:
            args = cls._placed(args, kwargs, separate)
        active = [isinstance(item, Tensor) and requires(item) for item in args]
        recorded = state.now.recording and any(active)
        node.needs_input_grad = tuple(active)
        node.variables = tuple(isinstance(item, Tensor) for item in args)
        recording, state.now.recording = state.now.recording, False
        try:
            output = cls.forward(*args) if separate else cls.forward(node, *args)
            if separate:
                cls.setup_context(node, args, output)
        finally:
            state.now.recording = recording
        results = output if isinstance(output, tuple) else (output,)
        if not all(any(item is other for other in results) for item in node.dirty_tensors):
            raise RuntimeError("Some elements marked as dirty during the forward method were not returned as "
                               "output. The inputs that are modified inplace must all be outputs of the Function.")
        if recorded:
            node.sources = tuple(edge_of(item) if is_active else NO_EDGE for item, is_active in zip(args, active))
            results = tuple(cls._result(node, item, args) for item in results)
            for number, item in enumerate(results):
                if isinstance(item, Tensor) and item._node is node:
                    item._number = number
            node.record(results)
        return results if isinstance(output, tuple) else results[0]

    @classmethod
    def _placed(cls, args: tuple, kwargs: dict[str, Any], separate: bool) -> tuple:
        """The arguments in the order of ``forward``'s parameters: each has its place among the gradients."""
        lead = () if separate else (None,)
        with Naming("forward"):
            bound = inspect.signature(cls.forward).bind(*lead, *args, **kwargs)
        if separate or bound.kwargs:
            bound.apply_defaults()
        if bound.kwargs:
            raise TypeError(f"forward() got an unexpected keyword argument '{next(iter(bound.kwargs))}'")
        return bound.args[len(lead):]

    @staticmethod
    def _result(node: Any, item: Any, inputs: tuple) -> Any:
        """A result as what the node made."""
        if not isinstance(item, Tensor) or item._array.dtype.kind != "f" or any(
                item is other for other in node.non_differentiable):
            return item
        if any(item is other for other in node.dirty_tensors):
            if item._requires and item._node is None:
                raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
            if item._base is not None:
                raise RuntimeError("a Function that writes into a view is not supported: give it a clone")
            item._written.bump()
        elif any(item is other for other in inputs):
            item = whole_view(item)
        if item._base is not None:
            item._origin = CUSTOM
        item._node, item._requires = node, True
        return item


def once_differentiable(function: Callable) -> Callable:
    """A decorator of ``backward``: what it computes is not recorded, and not differentiated again."""
    @functools.wraps(function)
    def decorated(ctx: Any, *grad_outputs: Any) -> Any:
        recording, state.now.recording = state.now.recording, False
        try:
            found = function(ctx, *grad_outputs)
        finally:
            state.now.recording = recording
        if not recording or not any(isinstance(item, Tensor) and item._requires for item in grad_outputs):
            return found
        bars = found if isinstance(found, tuple) else (found,)
        refused = tuple(_refused(item) if isinstance(item, Tensor) else item for item in bars)
        return refused if isinstance(found, tuple) else refused[0]

    return decorated


class DelayedError(Node):
    """Raises when a backward pass comes to it."""

    def pull(self, cotangents: Sequence[Any]) -> Sequence[Any]:
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")

    pull_recorded = pull


DelayedError.__module__ = "builtins"


def _refused(tensor: Tensor) -> Tensor:
    result = tensor.detach()
    result._node, result._requires = DelayedError((), ((tensor._array.shape, tensor._array.dtype),)), True
    return result


class InplaceFunction(Function):
    """The name that old code has for a Function that writes into its inputs."""
