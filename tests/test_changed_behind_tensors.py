"""Arrays and integer tensors that are written into between a call with tensors and its backward pass: nobody counts the
writes into plain arrays, so what is saved of them is a copy; the gradient is that of the call, or there is an error."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sgrad as torch
from s2sgrad.nn import functional

A = np.array([1.0, 2.0, 3.0])
M = np.arange(9.0).reshape(3, 3)
PLACES = np.array([2, 0])
HELD = {"layers": [A, M]}


class Model:
    weights = A

    def loss(self, x: Any) -> Any:
        return (x * self.weights).sum()


MODEL = Model()
INNER = A[:]


def scaled(x: Any, a: Any) -> Any:
    return x * a


def through_a_helper(x: Any) -> Any:
    again = A
    for _ in range(2):
        x = scaled(x, again[::-1])
    return x.sum()


def stored(x: Any) -> Any:
    y = x.clone()
    y[PLACES] = x[1:] * 2
    return (y * y).sum()


READERS: dict[str, Callable] = {
    "global": lambda x: (x * A).sum(),
    "view": lambda x: (x * INNER).sum(),
    "part": lambda x: (x * M[1]).sum(),
    "containers": lambda x: (x * HELD["layers"][0]).sum(),
    "power": lambda x: (x ** A).sum(),
    "NumPy": lambda x: np.sum(np.sin(x * A) / A),
    "attribute": lambda x: (x * MODEL.weights).sum(),
    "method": MODEL.loss,
    "helper": through_a_helper,
    "store": stored,
}


@pytest.fixture(autouse=True)
def as_it_was() -> Any:
    before = A.copy(), M.copy(), PLACES.copy()
    yield
    for array, value in zip((A, M, PLACES), before):
        array[:] = value


def point() -> Any:
    return torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64, requires_grad=True)


def change() -> None:
    A[:] = 7
    M[:] = 7
    PLACES[:] = 1


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("decorated", [False, True], ids=["eager", "decorated"])
def test_plain_arrays(name: str, decorated: bool) -> None:
    if name == "NumPy" and not decorated:
        pytest.skip("NumPy takes no tensors that require a gradient")
    function = torch.differentiable(READERS[name]) if decorated else READERS[name]
    x = point()
    want, = torch.autograd.grad(function(x), x)
    for _ in range(2):  # the second call is one of those that are made ready
        value = function(x)
        before = A.copy(), M.copy(), PLACES.copy()
        change()
        found, = torch.autograd.grad(value, x)
        np.testing.assert_array_equal(found.numpy(), want.numpy())
        A[:], M[:], PLACES[:] = before


def test_plain_arrays_as_arguments() -> None:
    @torch.differentiable
    def function(x: Any, a: np.ndarray, more: list) -> Any:
        return (x * a * more[0]).sum()

    for _ in range(2):
        x, a = point(), np.ones(3)
        value = function(x, a, [A])
        a[:] = 3
        HELD["layers"][0][:] = 5
        found, = torch.autograd.grad(value, x)
        np.testing.assert_array_equal(found.numpy(), [1, 2, 3])
        A[:] = 1, 2, 3


def test_tensors_save_nothing_twice() -> None:
    """Copies cost something: of what has a version there are none."""
    @torch.differentiable
    def function(x: Any, w: Any) -> Any:
        return (x * w).sum()

    x, w = point(), point()
    node: Any = function(x, w).grad_fn
    assert any(array is w._array for array in node.saved)


@pytest.mark.parametrize("function", [
    lambda x: ((x + A) ** 3).sum(), lambda x: np.sin(x * A).sum(), lambda x: (x * x * A).sum()])
def test_derivatives_that_can_be_differentiated(function: Callable) -> None:
    """The function is run again for these: on what it was called with, or not at all."""
    function = torch.differentiable(function)
    x = point()
    value = function(x)
    slope, = torch.autograd.grad(value, x, create_graph=True)
    want, = torch.autograd.grad(slope.sum(), x, retain_graph=True)
    change()
    found, = torch.autograd.grad(slope.sum(), x)
    np.testing.assert_array_equal(found.numpy(), want.numpy())
    A[:] = 1, 2, 3
    value = function(x)
    change()
    with pytest.raises(RuntimeError, match="is run again .* was written into since it was called"):
        torch.autograd.grad(value, x, create_graph=True)


def test_a_tensor_that_is_not_saved() -> None:
    function = torch.differentiable(lambda y: ((y + 1) ** 3).sum())
    x = point()
    y = x * 1
    value = function(y)
    with torch.no_grad():
        y.add_(5)
    torch.autograd.grad(value, x, retain_graph=True)
    with pytest.raises(RuntimeError, match="is run again"):
        torch.autograd.grad(value, x, create_graph=True)


MATRIX_OF_PLACES = [[0, 1, 1], [2, 0, 1], [1, 1, 0]]
INDEXED: dict[str, tuple[Callable, Any]] = {
    "array": (lambda x, at: (x[at] ** 2).sum(), np.array([0, 2])),
    "list": (lambda x, at: (x[at] ** 2).sum(), [0, 2]),
    "tensor": (lambda x, at: (x[:, at] ** 2).sum(), torch.tensor([0, 2])),
    "gather": (lambda x, at: (x.gather(1, at) ** 2).sum(), torch.tensor(MATRIX_OF_PLACES)),
    "scatter": (lambda x, at: (x.scatter(0, at, x * 2) ** 2).sum(), torch.tensor(MATRIX_OF_PLACES)),
    "index_select": (lambda x, at: (x.index_select(0, at) ** 2).sum(), torch.tensor([0, 2])),
    "index_add": (lambda x, at: (x.index_add(0, at, x[:2] * x[1:]) ** 2).sum(), torch.tensor([0, 2])),
    "take": (lambda x, at: (torch.take(x, at) ** 2).sum(), torch.tensor([0, 2])),
    "classes": (lambda x, at: functional.cross_entropy(x, at), torch.tensor([0, 1, 2])),
    "embedding": (lambda x, at: (functional.embedding(at, x) ** 2).sum(), torch.tensor([0, 2])),
}


@pytest.mark.parametrize("name", INDEXED)
def test_places(name: str) -> None:
    function, at = INDEXED[name]
    x = torch.tensor(M / 7, requires_grad=True)
    want, = torch.autograd.grad(function(x, at), x)
    value = function(x, at)
    at[0] = 1
    found, = torch.autograd.grad(value, x)
    np.testing.assert_array_equal(found.numpy(), want.numpy())
