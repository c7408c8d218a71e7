"""Jacobians, Hessians and their products as Python over ``grad``: what their calls are differentiated as.

A differentiated function may take any derivative of another. Each function here has the parameters of the one in
``jacobians.py`` that makes such derivatives, which is quicker where nothing is differentiated again, and then the
arguments of the derivative.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.transforms import grad


def element(function: Callable, place: int, /, *args: Any, **kwargs: Any) -> Any:
    return np.ravel(function(*args, **kwargs))[place]


def summed(function: Callable, /, *args: Any, **kwargs: Any) -> Any:
    return np.sum(function(*args, **kwargs))


def along(function: Callable, vector: Any, /, *args: Any, **kwargs: Any) -> Any:
    return np.sum(function(*args, **kwargs) * vector)


def jacobian(function: Callable, argnums: int, holomorphic: bool, /, *args: Any, **kwargs: Any) -> Any:
    row = grad(element, argnums + 2 if argnums >= 0 else argnums, holomorphic=holomorphic)
    shape = np.shape(function(*args, **kwargs))
    rows = [row(function, place, *args, **kwargs) for place in range(int(np.prod(shape)))]
    return np.reshape(np.array(rows), shape + np.shape(args[argnums]))[()]


def hessian(function: Callable, argnums: int, /, *args: Any, **kwargs: Any) -> Any:
    row = grad(element, argnums + 2 if argnums >= 0 else argnums)
    slope = grad(function, argnums)
    shape = np.shape(args[argnums])
    rows = [row(slope, place, *args, **kwargs) for place in range(int(np.prod(shape)))]
    return np.reshape(np.array(rows), shape + shape)[()]


def hessian_diagonal(function: Callable, argnums: int, /, *args: Any, **kwargs: Any) -> Any:
    row = grad(element, argnums + 2 if argnums >= 0 else argnums)
    slope = grad(function, argnums)
    shape = np.shape(args[argnums])
    found = [np.ravel(row(slope, place, *args, **kwargs))[place] for place in range(int(np.prod(shape)))]
    return np.reshape(np.array(found), shape)[()]


def hvp(function: Callable, argnums: int, /, *args: Any, **kwargs: Any) -> Any:
    *own, vector = args
    slope = grad(function, argnums)
    return grad(along, argnums + 2 if argnums >= 0 else argnums)(slope, vector, *own, **kwargs)


def elementwise_grad(function: Callable, argnums: int, holomorphic: bool, /, *args: Any, **kwargs: Any) -> Any:
    slope = grad(summed, argnums + 1 if argnums >= 0 else argnums, holomorphic=holomorphic)
    return slope(function, *args, **kwargs)


def pushed_forward(function: Callable, vector: Any, argnums: int, /, *args: Any, **kwargs: Any) -> Any:
    """The product of the Jacobian with a vector, as the derivative of a pullback in its cotangent."""
    pull = grad(along, argnums + 2 if argnums >= 0 else argnums)
    bar = np.zeros(np.shape(function(*args, **kwargs)))[()]
    return grad(lambda bar: np.sum(pull(function, bar, *args, **kwargs) * vector))(bar)


def gauss_newton_product(function: Callable, loss: Any, argnums: int, /, *args: Any, **kwargs: Any) -> Any:
    *own, vector = args
    curved = pushed_forward(function, vector, argnums, *own, **kwargs)
    if loss is not None:
        curved = hvp(loss, 0, function(*own, **kwargs), curved)
    return grad(along, argnums + 2 if argnums >= 0 else argnums)(function, curved, *own, **kwargs)


for _product in (hvp, gauss_newton_product):
    _product.more = True  # type: ignore[attr-defined]
for _of_rows in (jacobian, hessian, hessian_diagonal, pushed_forward, gauss_newton_product):
    _of_rows.runs_again = True  # type: ignore[attr-defined]
