"""Gradients compared with finite differences, as ``torch.autograd.gradcheck`` does it."""
from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sgrad.shim.engine import grad
from s2sgrad.shim.printing import shown
from s2sgrad.shim.tensor import Tensor, new_tensor, requires


class GradcheckError(RuntimeError):
    """A gradient that is not that of its function."""


def listed(given: Any) -> list:
    return [given] if isinstance(given, Tensor) else list(given)


def gradcheck(func: Callable, inputs: Any, *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
              raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True,
              check_grad_dtypes: bool = False, **options: Any) -> bool:
    """Whether the gradients of a function agree with differences of its values.

    Parameters
    ----------
    func
        Gives tensors.
    inputs
        Tensors, of float64; those that require a gradient are looked at.
    eps, atol, rtol
        The step of the differences, and how much they may be off.
    raise_exception
        Raise GradcheckError instead of returning False.
    """
    try:
        compare(func, listed(inputs), eps, atol, rtol, nondet_tol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(func: Callable, inputs: Any, grad_outputs: Any = None, *, eps: float = 1e-6, atol: float = 1e-5,
                  rtol: float = 1e-3, raise_exception: bool = True, nondet_tol: float = 0.0, **options: Any) -> bool:
    """The same of the gradients of a function's gradients."""
    arguments = listed(inputs)
    outputs = results_of(func, arguments)
    if grad_outputs is None:
        weights = [new_tensor(np.sin(np.arange(item._array.size) + 1.0).reshape(item._array.shape).astype(
            item._array.dtype)).requires_grad_() for item in outputs]
    else:
        weights = listed(grad_outputs)
    count = len(arguments)

    def slopes(*values: Any) -> tuple:
        inner, cotangents = values[:count], values[count:]
        active = [item for item in inner if isinstance(item, Tensor) and requires(item)]
        found = grad(results_of(func, inner), active, list(cotangents), create_graph=True, allow_unused=True)
        return tuple(item for item in found if item is not None)

    return gradcheck(slopes, [*arguments, *weights], eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
                     nondet_tol=nondet_tol)


def results_of(func: Callable, inputs: Sequence[Any]) -> list[Tensor]:
    """The results that may be differentiated."""
    found = func(*inputs)
    return [item for item in (listed(found) if not isinstance(found, Tensor) else [found])
            if isinstance(item, Tensor) and requires(item)]


def compare(func: Callable, inputs: list, eps: float, atol: float, rtol: float, tolerance: float) -> None:
    active = [place for place, item in enumerate(inputs) if isinstance(item, Tensor) and requires(item)]
    if not active:
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of them have "
                         "requires_grad=True.")
    for place in active:
        if inputs[place]._array.dtype != np.float64:
            warnings.warn(f"Input #{place} requires gradient and is not a double precision floating point or complex. "
                          "This check will likely fail if all the inputs are not of double precision floating point or "
                          "complex. ", UserWarning, stacklevel=3)
    outputs = results_of(func, inputs)
    if not outputs:
        of_constants(func, inputs, active, eps)
    numerical = [differences(func, inputs, place, len(outputs), eps) for place in active]
    for number, output in enumerate(outputs):
        analytical = rows(output, [inputs[place] for place in active])
        again = rows(results_of(func, inputs)[number], [inputs[place] for place in active])
        for column, place in enumerate(active):
            wanted, found = numerical[column][number], analytical[column]
            if not np.allclose(found, again[column], rtol=0, atol=tolerance, equal_nan=True):
                raise GradcheckError("Backward is not reentrant, i.e., running backward with same input and "
                                     "grad_output multiple times gives different values, although analytical gradient "
                                     f"matches numerical gradient. The tolerance for nondeterminism was {tolerance}.")
            if not np.allclose(found, wanted, rtol=rtol, atol=atol, equal_nan=True):
                raise GradcheckError(f"Jacobian mismatch for output {number} with respect to input {place},\n"
                                     f"numerical:{shown(new_tensor(wanted))}\nanalytical:{shown(new_tensor(found))}\n")


def of_constants(func: Callable, inputs: list, active: list[int], eps: float) -> None:
    """Raises GradcheckError where results that require no gradient depend on inputs."""
    def detached(*values: Any) -> list:
        found = func(*values)
        return [item.detach().requires_grad_() for item in (listed(found) if not isinstance(found, Tensor) else [found])
                if isinstance(item, Tensor) and item.is_floating_point()]

    count = len(detached(*inputs))
    for place in active:
        if any(matrix.any() for matrix in differences(detached, inputs, place, count, eps)):
            raise GradcheckError("Numerical gradient for function expected to be zero")


def rows(output: Tensor, inputs: list) -> list[np.ndarray]:
    """The Jacobian for each input: a row for each of its elements, a column for each of the output's."""
    found = [np.zeros((item._array.size, output._array.size), item._array.dtype) for item in inputs]
    for column in range(output._array.size):
        weights = np.zeros(output._array.size, output._array.dtype)
        weights[column] = 1
        slopes = grad(output, inputs, new_tensor(weights.reshape(output._array.shape)), True, allow_unused=True)
        for matrix, slope in zip(found, slopes):
            if slope is not None:
                matrix[:, column] = slope._array.reshape(-1)
    return found


def differences(func: Callable, inputs: list, place: int, count: int, eps: float) -> list[np.ndarray]:
    """The same by moving each element of an input a little both ways."""
    array = inputs[place]._array
    found: list[list[np.ndarray]] = [[] for _ in range(count)]
    for index in np.ndindex(array.shape):
        kept, sides = array[index].copy(), []
        for step in (eps, -eps):
            array[index] = kept + step
            sides.append([item._array.copy().reshape(-1) for item in results_of(func, inputs)])
        array[index] = kept
        for number, (up, down) in enumerate(zip(*sides)):
            found[number].append((up - down) / (2 * eps))
    return [np.array(lines) if lines else np.zeros((0, 0)) for lines in found]
