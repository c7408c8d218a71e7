"""Products of vectors and matrices."""
from __future__ import annotations

import functools
import string
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.shim.arithmetic import add, mul
from s2sgrad.shim.dtypes import kind_name
from s2sgrad.shim.names import attached, both, exported, named
from s2sgrad.shim.operations import Operation, torch_rule
from s2sgrad.shim.promotion import promoted as of_one_dtype
from s2sgrad.shim.tensor import Tensor

LEFT, RIGHT = "np.matmul(g, x2.mT)", "np.matmul(x1.mT, g)"


def product(name: str, x1: str, x2: str, node: str = "", function: Any = np.matmul) -> Operation:
    return Operation(name, rule=torch_rule(f"{name}(x1, x2)", function, x1=x1, x2=x2), operands="x1 x2", node=node)


def flat_product(name: str, x1: str, x2: str, node: str = "") -> Operation:
    """Of vectors and matrices, which ``dot`` multiplies as ``matmul`` does, small ones in less time."""
    return product(name, x1, x2, node, np.ndarray.dot)


mm_of = flat_product("mm", "g.dot(x2.T)", "x1.T.dot(g)")
bmm_of = product("bmm", LEFT, RIGHT)
mv_of = flat_product("mv", "g[:, None].dot(x2[None])", "x1.T.dot(g)")
dot_of = flat_product("dot", "g * x2", "g * x1")
vector_matrix_of = flat_product("mm", "x2.dot(g)", "x1[:, None] * g", "SqueezeBackward4")
stacked_of = product("matmul", LEFT, RIGHT, "UnsafeViewBackward0")
batch_vector_of = product("matmul", "g[..., None] * x2[..., None, :]",
                          "np.matmul(x1.mT, g[..., None])[..., 0]",
                          "UnsafeViewBackward0")
vector_batch_of = product("matmul", "np.matmul(x2, g[..., None])[..., 0]",
                          "x1[..., None] * g[..., None, :]", "UnsafeViewBackward0")

BY_RANKS = {(1, 1): dot_of, (2, 1): mv_of, (1, 2): vector_matrix_of, (2, 2): mm_of}


UNLIKE = {(1, 1): "dot : expected both vectors to have same dtype, but found {0} and {1}",
          (2, 1): "addmv input tensors must have the same dtype, but got {1}, {0}, and {1}",
          (3, 3): "expected scalar type {0} but found {1}"}
"""What is said of operands that are not of one dtype, by their numbers of dimensions."""


def same_dtype(first: Tensor, second: Tensor) -> None:
    kinds = first._array.dtype, second._array.dtype
    if kinds[0] != kinds[1]:
        said = UNLIKE.get((first._array.ndim, second._array.ndim))
        raise RuntimeError("expected m1 and m2 to have the same dtype, but got: "
                           f"{first.dtype.spelled} != {second.dtype.spelled}" if said is None else
                           said.format(*map(kind_name, kinds)))


def ranks(expected: tuple[int, int], message: str, first: Tensor, second: Tensor) -> None:
    """``message`` has a part for each operand, and may name both numbers of dimensions."""
    found = first._array.ndim, second._array.ndim
    for part, rank, wanted in zip(message.split("|") * 2, found, expected):
        if rank != wanted:
            raise RuntimeError(part.format(*found))


def fits(first: Tensor, second: Tensor) -> None:
    """Raises RuntimeError where the matrices have no product."""
    left, right = first._array.shape, second._array.shape
    inner, columns = right[-2:] if len(right) > 1 else (right[0], 1)
    if left[-1] != inner:
        rows = int(np.prod(left[:-1], dtype=int))
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({rows}x{left[-1]} and {inner}x{columns})")


def product_of(input: Tensor, other: Any) -> Any:
    """``a @ b``: of vectors a number, of more axes than two a stack of products."""
    if other.__class__ is not Tensor:
        return NotImplemented
    first, second = input._array, other._array
    if first.dtype is not second.dtype:
        same_dtype(input, other)
    operation = BY_RANKS.get((first.ndim, second.ndim))
    if operation is not None and first.shape[-1] == second.shape[0]:  # most often
        return operation.run((input, other))
    left, right = first.shape, second.shape
    if not left or not right:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {len(left)}D and "
                           f"{len(right)}D")
    inner = right[-2] if len(right) > 1 else right[0]
    if left[-1] != inner:
        if len(left) == len(right) == 1:
            raise RuntimeError(f"inconsistent tensor size, expected tensor [{left[0]}] and src [{right[0]}] to have "
                               f"the same number of elements, but got {left[0]} and {right[0]} elements respectively")
        if len(right) == 1 and len(left) == 2:
            raise RuntimeError(f"size mismatch, got input ({left[0]}), mat ({left[0]}x{left[1]}), vec ({right[0]})")
        fits(input, other)
    operation = vector_batch_of if len(left) == 1 else batch_vector_of if len(right) == 1 else \
        bmm_of if left[:-2] == right[:-2] else stacked_of
    return operation.run((input, other))


attached("__matmul__", named(product_of, "__matmul__"))


@both
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The matrix product ``input @ other``."""
    found = product_of(input, other)
    if found is NotImplemented:
        raise TypeError("matmul(): argument 'other' (position 2) must be Tensor, not "
                        f"{type(other).__name__}")
    return found  # type: ignore[no-any-return]


def of_ranks(name: str, expected: tuple[int, int], message: str) -> Callable:
    def of_matrices(input: Tensor, mat2: Tensor) -> Tensor:
        ranks(expected, message, input, mat2)
        return matmul(input, mat2)

    def of_vectors(input: Tensor, vec: Tensor) -> Tensor:
        ranks(expected, message, input, vec)
        return matmul(input, vec)

    return both(named(of_vectors if expected[1] == 1 else of_matrices, name))


mm = of_ranks("mm", (2, 2), "self must be a matrix|mat2 must be a matrix")
of_ranks("mv", (2, 1), "vector + matrix @ vector expected, got 1, {}, {}")
bmm = of_ranks("bmm", (3, 3), "batch1 must be a 3D tensor|batch2 must be a 3D tensor")


@both
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    if input._array.ndim != 1 or tensor._array.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {input._array.ndim}D and {tensor._array.ndim}D tensors")
    return matmul(input, tensor)


@both
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    ranks((1, 1), "outer: Expected 1-D argument self, but got {}-D|outer: Expected 1-D argument vec2, but got {1}-D",
          input, vec2)
    return mul(input.reshape(-1, 1), vec2)


@both
def inner(input: Tensor, other: Tensor) -> Tensor:
    """Sums of products over the last axes."""
    if not input._array.ndim or not other._array.ndim:
        return mul(input, other)
    return tensordot(input, other, ([-1], [-1]))


@exported
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """Sums of products over axes: so many last and first ones, or a list for each."""
    left, right = a._array.ndim, b._array.ndim
    if isinstance(dims, int):
        dims = (list(range(left - dims, left)), list(range(dims)))
    first, second = ([axis % rank for axis in axes] for axes, rank in zip(dims, (left, right)))
    kept = [axis for axis in range(left) if axis not in first], [axis for axis in range(right) if axis not in second]
    shape = [a._array.shape[axis] for axis in kept[0]] + [b._array.shape[axis] for axis in kept[1]]
    summed = int(np.prod([a._array.shape[axis] for axis in first], dtype=int))
    rows = a.permute(*kept[0], *first).reshape(-1, summed)
    columns = b.permute(*second, *kept[1]).reshape(summed, -1)
    return matmul(rows, columns).reshape(shape)


def fresh(value: np.ndarray, operands: list[np.ndarray]) -> np.ndarray:
    """A result that shares no memory: NumPy gives views where it can."""
    return value.copy() if any(np.may_share_memory(value, item) for item in operands) else value


einsum_of = Operation("einsum", np.einsum, operands="*operands")
einsum_of.function = lambda arrays, subscripts: fresh(np.einsum(subscripts, *arrays), arrays)


@exported
def einsum(equation: Any, *operands: Any) -> Tensor:
    """Sums of products, as the letters of the equation say."""
    if isinstance(equation, Tensor):  # each operand with the numbers of its dimensions, and those of the result
        equation, operands = in_letters((equation, *operands))
    tensors = operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
    equation = spelled_out(equation.replace(" ", ""), [tensor._array.shape for tensor in tensors])
    inputs, arrow, output = equation.partition("->")
    taken = [without_repetition(tensor, term) for tensor, term in zip(tensors, inputs.split(","))]
    equation = ",".join(term for _, term in taken) + arrow + output
    return einsum_of.run(tuple(of_one_dtype([tensor for tensor, _ in taken])), {"subscripts": equation})


def in_letters(given: tuple) -> tuple[str, tuple]:
    """Operands and the lists of their dimensions' numbers, as an equation of letters and the operands."""
    letters = string.ascii_uppercase + string.ascii_lowercase
    count = len(given) // 2
    terms = ["".join(["..." if item is Ellipsis else letters[item] for item in dims])
             for dims in (*given[1:2 * count:2], *given[2 * count:])]
    arrow = "->" + terms.pop() if len(given) % 2 else ""
    return ",".join(terms) + arrow, given[:2 * count:2]


def without_repetition(tensor: Any, term: str) -> tuple[Any, str]:
    """An operand with its diagonal in place of axes that have the same letter."""
    for letter in term:
        while term.count(letter) > 1:
            first, second = term.index(letter), term.rindex(letter)
            tensor = tensor.diagonal(0, first, second)
            term = term[:first] + term[first + 1:second] + term[second + 1:] + letter
    return tensor, term


def spelled_out(equation: str, shapes: list[tuple[int, ...]]) -> str:
    """An equation with letters in place of ellipses. Raises RuntimeError where sizes don't fit."""
    inputs, arrow, output = equation.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(shapes):
        raise RuntimeError(f"einsum(): {'fewer' if len(terms) > len(shapes) else 'more'} operands were provided than "
                           "specified in the equation")
    free = [letter for letter in string.ascii_letters if letter not in equation]
    widest = max(len(shape) - len(term.replace("...", "")) if "..." in term else 0
                 for term, shape in zip(terms, shapes))
    for place, (term, shape) in enumerate(zip(terms, shapes)):
        missing = len(shape) - len(term.replace("...", ""))
        if missing < 0 or missing and "..." not in term:
            raise RuntimeError(f"einsum(): the number of subscripts in the equation ({len(term.replace('...', ''))}) "
                               f"does not match the number of dimensions ({len(shape)}) for operand {place}"
                               f"{'' if '...' in term else ' and no ellipsis was given'}")
        terms[place] = term.replace("...", "".join(free[widest - missing:widest]))
    sizes: dict[str, int] = {}
    for place, (term, shape) in enumerate(zip(terms, shapes)):
        for letter, size in zip(term, shape):
            if 1 not in (size, sizes.get(letter, size)) and sizes.get(letter, size) != size:
                raise RuntimeError(f"einsum(): subscript {letter} has size {size} for operand {place} which does not "
                                   f"broadcast with previously seen size {sizes[letter]}")
            sizes[letter] = max(size, sizes.get(letter, size))
    inputs = ",".join(terms)
    if not arrow:  # what occurs once, in the order of the alphabet
        kept = "".join(sorted(letter for letter in set(inputs) - {","} if inputs.count(letter) == 1
                              and letter not in free[:widest]))
        return f"{inputs}->{''.join(free[:widest])}{kept}"
    return f"{inputs}->{output.replace('...', ''.join(free[:widest]))}"


addmm_of = Operation("addmm", rule=torch_rule(
    "addmm(x, x1, x2, beta, alpha)", lambda x, x1, x2, beta, alpha: beta * x + alpha * np.matmul(x1, x2),
    x="g * beta", x1="alpha * np.matmul(g, x2.T)", x2="alpha * np.matmul(x1.T, g)"), operands="x x1 x2",
    opaque="beta alpha")


@both
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    ranks((2, 2), "mat1 must be a matrix, got {}-D tensor|mat2 must be a matrix, got {1}-D tensor", mat1, mat2)
    fits(mat1, mat2)
    return addmm_of.run((input, mat1, mat2), {"beta": beta, "alpha": alpha})


@both
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * input`` and the sum of the products of a stack of matrices."""
    total = bmm(batch1, batch2).sum(0)
    return add(input if beta == 1 else mul(input, beta), total if alpha == 1 else mul(total, alpha))


@both
def vdot(input: Tensor, other: Tensor) -> Tensor:
    return dot(input, other)


@both
def ger(input: Tensor, vec2: Tensor) -> Tensor:
    return outer(input, vec2)


@exported
def chain_matmul(*matrices: Tensor) -> Tensor:
    """The product of matrices, from the left."""
    return functools.reduce(mm, matrices)
