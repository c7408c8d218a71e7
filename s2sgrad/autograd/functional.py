"""Derivatives of functions of tensors, as ``torch.autograd.functional`` has them."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.autograd.grad_mode import enable_grad
from s2sgrad.shim.dtypes import Size
from s2sgrad.shim.engine import grad
from s2sgrad.shim.joining import stack
from s2sgrad.shim.tensor import Tensor, new_tensor, requires

ONE_RESULT = ("The vector v can only be None if the user-provided function returns a single Tensor with a single "
              "element.")
ONE_INPUT = ("The vector v can only be None if the input to the user-provided function is a single Tensor with a "
             "single element.")


STRAIGHT = ("While computing the hessian, found that the jacobian of the user-provided function with respect to input "
            "{} is independent of the input. This is not allowed in strict mode. You should ensure that your function "
            "is twice differentiable and that the jacobian depends on the inputs (this would be violated by a linear "
            "function for example).")


def listed(given: Any, what: str, caller: str) -> tuple[list, bool]:
    """Tensors in a list, and whether they came in a tuple."""
    several = isinstance(given, (tuple, list)) if what == "inputs" else isinstance(given, tuple)
    found = list(given) if several else [given]
    for place, item in enumerate(found):
        if not isinstance(item, Tensor):
            label = "inputs" if what == "inputs" else "outputs of the user-provided function"
            which = f"value at index {place}" if several else f"given {label}"
            raise TypeError(f"The {label} given to {caller} must be either a Tensor or a tuple of Tensors but the "
                            f"{which} has type {type(item)}.")
    return found, several


def formed(items: list, several: bool) -> Any:
    return tuple(items) if several else items[0]


def started(inputs: Any, create_graph: bool, caller: str) -> tuple[list, bool]:
    """Inputs of their own, so that nothing else is differentiated in."""
    found, several = listed(inputs, "inputs", caller)
    return [item.view_as(item) if create_graph and requires(item) else item.detach().requires_grad_()
            for item in found], several


def computed(func: Callable, inputs: list, caller: str) -> tuple[list, bool]:
    return listed(func(*inputs), "outputs", caller)


def gradients(outputs: list, inputs: list, weights: list | None, create_graph: bool, strict: bool,
              second: bool = False) -> list:
    """Zeros where nothing leads; ``strict``: that is an error. ``second``: the outputs are derivatives themselves."""
    active = [place for place, item in enumerate(outputs) if requires(item)]
    if strict and len(active) < len(outputs):
        passive = next(place for place in range(len(outputs)) if place not in active)
        if second:
            raise RuntimeError(STRAIGHT.format(passive))
        raise RuntimeError(f"Output {passive} of the user-provided function does not require gradients. The outputs "
                           "must be computed in a differentiable manner from the input when running in strict mode.")
    found: list[Any] = [None] * len(inputs)
    if active:
        found = list(grad([outputs[place] for place in active], inputs,
                          None if weights is None else [weights[place] for place in active], True, create_graph,
                          allow_unused=True))
    for place, item in enumerate(found):
        if item is None:
            if strict:
                raise RuntimeError(f"Output 0 of the user-provided function is independent of input {place}. This is "
                                   "not allowed in strict mode.")
            found[place] = new_tensor(np.zeros_like(inputs[place]._array))
    return found


def finished(items: list, create_graph: bool) -> list:
    return items if create_graph else [item.detach() for item in items]


def vectors(v: Any, like: list, message: str) -> list:
    """The vector that a product is with."""
    if v is None:
        if len(like) != 1 or like[0]._array.size != 1:
            raise RuntimeError(message)
        return [new_tensor(np.ones_like(like[0]._array))]
    found = list(v) if isinstance(v, (tuple, list)) else [v]
    if len(found) != len(like):
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(found)}.")
    for place, (item, other) in enumerate(zip(found, like)):
        if item._array.shape != other._array.shape:
            which = f"Entry {place} in v" if len(found) > 1 else "v"
            raise RuntimeError(f"{which} has invalid size: should be {Size(other._array.shape)} but got "
                               f"{Size(item._array.shape)}.")
    return found


def check_strategy(strategy: str, vectorize: bool) -> None:
    """Forward and reverse mode give the same: PyTorch's conditions are checked, so that programs run there, too."""
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')
    if strategy == "forward-mode" and not vectorize:
        raise NotImplementedError("Computing Jacobian using forward-AD or forward-over-reverse Hessian is only "
                                  "implemented for `vectorize=True`.")


def jacobian(func: Callable, inputs: Any, create_graph: bool = False, strict: bool = False, vectorize: bool = False,
             strategy: str = "reverse-mode") -> Any:
    """The derivatives of all elements of the results in all elements of the inputs."""
    check_strategy(strategy, vectorize)
    with enable_grad():
        arguments, several = started(inputs, create_graph, "jacobian")
        outputs, several_outputs = computed(func, arguments, "jacobian")
        rows = []
        for output in outputs:
            flat = output.reshape(-1)
            found = [gradients([flat[place]], arguments, None, create_graph, strict)
                     for place in range(flat._array.size)]
            columns = [stack(column).reshape(*output._array.shape, *item._array.shape) if found else new_tensor(
                np.zeros((*output._array.shape, *item._array.shape), output._array.dtype))
                for item, column in zip(arguments, zip(*found) if found else [()] * len(arguments))]
            rows.append(formed(finished(columns, create_graph), several))
    return formed(rows, several_outputs)


def hessian(func: Callable, inputs: Any, create_graph: bool = False, strict: bool = False, vectorize: bool = False,
            outer_jacobian_strategy: str = "reverse-mode") -> Any:
    """The second derivatives of a result with one element."""
    check_strategy(outer_jacobian_strategy, vectorize)
    several = listed(inputs, "inputs", "hessian")[1]

    def slope(*arguments: Tensor) -> Any:
        outputs, _ = computed(func, list(arguments), "hessian")
        if len(outputs) != 1 or outputs[0]._array.size != 1:
            raise RuntimeError("The Tensor returned by the function given to hessian should contain a single element")
        found = gradients([outputs[0].reshape(())], list(arguments), None, True, strict)
        for place, item in enumerate(found):
            if strict and not requires(item):
                raise RuntimeError(STRAIGHT.format(place))
        return formed(found, several)

    return jacobian(slope, inputs, create_graph, strict)


def vjp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """The results, and the product of a vector with the Jacobian."""
    with enable_grad():
        arguments, several = started(inputs, create_graph, "vjp")
        outputs, several_outputs = computed(func, arguments, "vjp")
        found = gradients(outputs, arguments, vectors(v, outputs, ONE_RESULT), create_graph, strict)
        return formed(finished(outputs, create_graph), several_outputs), formed(finished(found, create_graph), several)


def pushed(outputs: list, arguments: list, direction: list, create_graph: bool, strict: bool, second: bool = False
           ) -> list:
    """The product of the Jacobian with a vector: the derivative of its transpose's, which is linear."""
    weights = [new_tensor(np.zeros_like(item._array)).requires_grad_() for item in outputs]
    back = gradients(outputs, arguments, weights, True, strict, second)
    active = [(item, vector) for item, vector in zip(back, direction) if requires(item)]
    if not active:
        return [new_tensor(np.zeros_like(item._array)) for item in outputs]
    return gradients([item for item, _ in active], weights, [vector for _, vector in active], create_graph, False)


def jvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """The results, and the product of the Jacobian with a vector."""
    with enable_grad():
        arguments, _ = started(inputs, create_graph, "jvp")
        direction = vectors(v, arguments, ONE_INPUT)
        outputs, several_outputs = computed(func, arguments, "jvp")
        found = pushed(outputs, arguments, direction, create_graph, strict)
        return formed(finished(outputs, create_graph), several_outputs), formed(
            finished(found, create_graph), several_outputs)


def curved(caller: str, transposed: bool) -> Callable:
    def function(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
        with enable_grad():
            arguments, several = started(inputs, create_graph, caller)
            direction = vectors(v, arguments, ONE_INPUT)
            outputs, several_outputs = computed(func, arguments, caller)
            if several_outputs or outputs[0]._array.size != 1:
                raise RuntimeError("The Tensor returned by the function given to "
                                   f"{caller} should contain a single element")
            slopes = gradients(outputs, arguments, None, True, strict)
            found = gradients(slopes, arguments, direction, create_graph, strict, True) if transposed else \
                pushed(slopes, arguments, direction, create_graph, strict, True)
            return finished(outputs, create_graph)[0], formed(finished(found, create_graph), several)

    function.__name__ = function.__qualname__ = caller
    product = "a vector with the Hessian" if transposed else "the Hessian with a vector"
    function.__doc__ = f"The result, and the product of {product}."
    return function


vhp, hvp = curved("vhp", True), curved("hvp", False)
