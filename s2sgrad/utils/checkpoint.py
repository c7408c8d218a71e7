"""Functions that are run again in the backward pass in place of keeping what they save."""
from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from s2sgrad.autograd import Function, backward, enable_grad
from s2sgrad.autograd.graph import saved_tensors_hooks
from s2sgrad.shim.creation import default_generator
from s2sgrad.shim.tensor import Tensor, requires

__all__ = ["CheckpointError", "checkpoint", "checkpoint_sequential"]

EXPLICIT = ("torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, "
            "calling checkpoint without use_reentrant will raise an exception. use_reentrant=False is recommended, but "
            "if you need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for "
            "more details on the differences between the two variants.")


class CheckpointError(RuntimeError):
    """A function that saved something else when it ran again."""


def checkpoint(function: Callable, *args: Any, use_reentrant: bool | None = None, preserve_rng_state: bool = True,
               **kwargs: Any) -> Any:
    """Call a function of which nothing is kept but its arguments: the backward pass runs it again.

    Parameters
    ----------
    use_reentrant
        False: what it saves is thrown away, and made again when it is needed. True: it is one node, whose backward
        pass runs the function and its backward pass.
    preserve_rng_state
        It draws the same random numbers again.
    """
    if use_reentrant is None:
        warnings.warn(EXPLICIT, UserWarning, stacklevel=2)
        use_reentrant = True
    again = Again(function, args, kwargs, preserve_rng_state)
    if use_reentrant:
        if kwargs:
            raise ValueError(f"Unexpected keyword arguments: {','.join(kwargs)}")
        return CheckpointFunction.apply(again, *args)
    with saved_tensors_hooks(again.pack, again.unpack):
        return function(*args, **kwargs)


def checkpoint_sequential(functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
                          ) -> Any:
    """Functions one after another, in so many parts of which nothing is kept; what the last part saves is."""
    if use_reentrant is None:
        warnings.warn(EXPLICIT.replace("checkpoint without", "checkpoint_sequential without"), UserWarning,
                      stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError(f"Unexpected keyword arguments: {','.join(kwargs)}")
    parts = list(functions)
    size = len(parts) // segments
    ends = [size * place for place in range(segments)]
    for start, end in zip(ends, ends[1:]):
        input = checkpoint(chained(parts[start:end]), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return chained(parts[ends[-1]:])(input)


def chained(functions: list[Callable]) -> Callable:
    return lambda value: functools.reduce(lambda found, function: function(found), functions, value)


class Again:
    """A call that can be made again, with the values that it saves then."""

    def __init__(self, function: Callable, args: tuple, kwargs: dict[str, Any], preserve: bool):
        self.function = function
        self.args = args
        self.kwargs = kwargs
        self.random = default_generator.numpy.bit_generator.state if preserve else None
        self.count = 0
        self.held: dict[int, Tensor] = {}

    def pack(self, tensor: Tensor) -> tuple[int, tuple]:
        self.count += 1
        return self.count - 1, tensor._array.shape

    def unpack(self, kept: tuple[int, tuple]) -> Tensor:
        number, shape = kept
        if number not in self.held:
            self.recompute()
        if number not in self.held or self.held[number]._array.shape != shape:
            raise CheckpointError("torch.utils.checkpoint: A different number of tensors was saved during the original "
                                  "forward and recomputation.")
        return self.held.pop(number)

    def recompute(self) -> None:
        found: list[Tensor] = []
        with enable_grad(), saved_tensors_hooks(lambda tensor: found.append(tensor.detach()), lambda kept: kept):
            self.run(self.args, self.kwargs)
        self.held = dict(enumerate(found))

    def run(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Call the function with the random numbers that it had."""
        generator = default_generator.numpy.bit_generator
        before = generator.state
        if self.random is not None:
            generator.state = self.random
        try:
            return self.function(*args, **kwargs)
        finally:
            if self.random is not None:
                generator.state = before


class CheckpointFunction(Function):
    """The whole call as one node."""

    @staticmethod
    def forward(ctx: Any, again: Again, *args: Any) -> Any:
        ctx.again = again
        return again.function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        again: Again = ctx.again
        inputs = tuple(item.detach().requires_grad_(requires(item)) if isinstance(item, Tensor) and
                       item._array.dtype.kind == "f" else item for item in again.args)
        with enable_grad():
            found = again.run(inputs, {})
        results = found if isinstance(found, tuple) else (found,)
        pairs = [(item, grad) for item, grad in zip(results, grads) if isinstance(item, Tensor) and requires(item)]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([item for item, _ in pairs], [grad for _, grad in pairs])
        return (None, *(item.grad if isinstance(item, Tensor) else None for item in inputs))
