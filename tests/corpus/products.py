"""Products of vectors, matrices and stacks of them; linear systems."""
from __future__ import annotations

import numpy as np

from corpus.registry import normal, program


def regular(seed, n):
    """A matrix far from singular."""
    return normal(seed, n, n) + 3.0 * np.eye(n)


@program(lambda: (normal(1, 4), normal(2, 4)))
def vector_with_vector(x, y):
    return np.dot(x, y) * (x @ y) + np.matmul(x, x)


@program(lambda: (normal(3, 4), normal(4, 4, 3)))
def vector_with_matrix(x, a):
    return x @ a + np.dot(x * x, a) * np.matmul(x, a)


@program(lambda: (normal(5, 3, 4), normal(6, 4)))
def matrix_with_vector(a, x):
    return a @ x + np.dot(a, x * x) * np.matmul(a, x)


@program(lambda: (normal(7, 3, 4), normal(8, 4, 2)))
def matrix_with_matrix(a, b):
    return np.sum(np.sin(a @ b) + np.dot(a, b) * np.matmul(a, b))


@program(lambda: (normal(9, 2, 3, 4), normal(10, 4, 2)))
def stack_with_matrix(a, b):
    return np.sum((a @ b) ** 2)


@program(lambda: (normal(11, 3, 4), normal(12, 2, 4, 3)))
def matrix_with_stack(a, b):
    return np.matmul(a, b)


@program(lambda: (normal(13, 2, 3, 4), normal(14, 2, 4, 2)))
def stack_with_stack(a, b):
    return np.sum(np.tanh(np.matmul(a, b)))


@program(lambda: (normal(15, 2, 1, 3, 2), normal(16, 4, 2, 3)))
def stacks_that_broadcast(a, b):
    return np.sum((a @ b) ** 2)


@program(lambda: (normal(17, 2, 3, 4), normal(18, 4)))
def stack_with_vector(a, x):
    return np.sum(np.sin(a @ x))


@program(lambda: (normal(19, 3), normal(20, 2, 3, 4)))
def vector_with_stack(x, a):
    return np.sum(np.sin(x @ a))


@program(lambda: (normal(21, 3, 2), 0.7))
def dot_with_a_number(a, s):
    return np.dot(a, s) + np.dot(2.0, a) * s


@program(lambda: (normal(22, 2, 3), normal(23, 2, 3)))
def vdot_of_matrices(a, b):
    return np.vdot(a, b) ** 2 + np.vdot(a, a)


@program(lambda: (normal(24, 4), normal(25, 4)))
def inner_of_vectors(x, y):
    return np.inner(x, y) * np.inner(x, x)


@program(lambda: (normal(26, 3), normal(27, 4)))
def outer_product(x, y):
    return np.outer(x, y) * np.outer(x * x, np.sin(y))


@program(lambda: (normal(28, 4, 4), normal(29, 4, 4)))
def traces(a, b):
    return np.trace(a @ b) + np.trace(a) * np.trace(b)


@program(lambda: (normal(30, 3, 3), normal(31, 3)))
def quadratic_form(a, x):
    return x @ a @ x / (x @ x)


@program(lambda: (regular(32, 3), normal(33, 3)))
def solve_for_a_vector(a, b):
    x = np.linalg.solve(a, b)
    return np.sum(x * x)


@program(lambda: (regular(34, 3), normal(35, 3, 2)))
def solve_for_a_matrix(a, b):
    return np.linalg.solve(a, b)


@program(lambda: (normal(36, 3, 3), normal(37, 3)))
def same_matrix_twice(a, x):
    return a.T @ (a @ x) - a @ x


@program(lambda: (normal(38, 3, 3), 3))
def repeated_product(a, n):
    power = np.eye(3)
    for _ in range(n):
        power = power @ a
    return np.trace(power)


@program(lambda: (normal(39, 3, 4), normal(40, 5, 4)))
def gram_matrix(x, y):
    return np.exp(-0.1 * (x @ y.T) ** 2)


@program(lambda: (normal(41, 4), normal(42, 3, 4), normal(43, 3)))
def chain_of_matmuls(x, a, y):
    return y @ a @ x + (y @ a) @ (a.T @ y)


@program(lambda: (normal(1, 2, 3, 4), normal(2, 3, 4), normal(3, 1, 4)), needs="shapes")
def einsum_with_an_ellipsis(a, b, c):
    total = np.einsum("...i,...i->...", a, b).sum() ** 2 + np.sum(np.einsum("...ij->...ji", a) ** 3)
    total = total + np.sum(np.einsum("...i,...i", a, c) ** 2) + np.sum(np.einsum("...ij,kj->...ik", a, b) ** 2)
    return total + np.sum(np.einsum("i...,...->...i", a, b) ** 2) + np.sum(np.einsum("i...->...", c) * b)


@program(lambda: (normal(4, 3, 1), normal(5, 1, 4), normal(6, 4)), needs="shapes")
def einsum_over_single_elements(a, b, c):
    total = np.sum(np.einsum("ij,j->i", a, c) ** 2) + np.sum(np.einsum("ij,ij->ij", a, b) ** 3)
    return total + np.sum(np.einsum("ij,kj->ik", a, b) ** 2) + np.sum(np.einsum("...j,...j->...", b, c) ** 2)


@program(lambda: (normal(1, 5),))
def products_of_selected_elements(x):
    above = np.flatnonzero(x > 0.0)
    return x[above].prod() + x[np.array([0, 1, 1, 3])].prod() * x[2]


@program(lambda: (normal(1, 3, 2, 2, 2),))
def norm_of_a_chain_of_tensors(tensors):
    around = np.eye(tensors.shape[1])
    for tensor in tensors:
        around = np.einsum("ab,aic,bid->cd", around, tensor, tensor)
        around /= np.linalg.norm(around)
    return np.trace(around)
