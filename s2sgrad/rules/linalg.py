"""Products of vectors and matrices, and linear systems."""
from __future__ import annotations

import operator

from s2sgrad.rules.table import METHODS, Operation, general


def matmul_left(op: Operation) -> str:
    ranks = op.rank("x1"), op.rank("x2")
    known = {(1, 1): "g * x2", (2, 2): "g @ x2.T", (2, 1): "np.outer(g, x2)", (1, 2): "x2 @ g"}
    return known.get(ranks, "matmul_left(g, x1, x2)")


def matmul_right(op: Operation) -> str:
    ranks = op.rank("x1"), op.rank("x2")
    known = {(1, 1): "g * x1", (2, 2): "x1.T @ g", (2, 1): "x1.T @ g", (1, 2): "np.outer(x1, g)"}
    return known.get(ranks, "matmul_right(g, x1, x2)")


general("np.matmul(x1, x2)", x1=matmul_left, x2=matmul_right, aliases=(operator.matmul,))


def dot_left(op: Operation) -> str:
    ranks = op.rank("a"), op.rank("b")
    known = {(1, 1): "g * b", (2, 2): "g @ b.T", (2, 1): "np.outer(g, b)", (1, 2): "b @ g"}
    return known.get(ranks, "dot_left(g, a, b)")


def dot_right(op: Operation) -> str:
    ranks = op.rank("a"), op.rank("b")
    known = {(1, 1): "g * a", (2, 2): "a.T @ g", (2, 1): "a.T @ g", (1, 2): "np.outer(a, g)"}
    return known.get(ranks, "dot_right(g, a, b)")


METHODS["dot"] = general("np.dot(a, b)", a=dot_left, b=dot_right)
general("np.vdot(a, b)", a="np.reshape(g * np.ravel(b), np.shape(a))", b="np.reshape(g * np.ravel(a), np.shape(b))")


def inner_left(op: Operation) -> str:
    return "g * b" if (op.rank("a"), op.rank("b")) == (1, 1) else "inner_left(g, a, b)"


def inner_right(op: Operation) -> str:
    return "g * a" if (op.rank("a"), op.rank("b")) == (1, 1) else "inner_right(g, a, b)"


general("np.inner(a, b)", a=inner_left, b=inner_right)


def outer_left(op: Operation) -> str:
    return "g @ b" if (op.rank("a"), op.rank("b")) == (1, 1) else "np.reshape(g @ np.ravel(b), np.shape(a))"


def outer_right(op: Operation) -> str:
    return "a @ g" if (op.rank("a"), op.rank("b")) == (1, 1) else "np.reshape(np.ravel(a) @ g, np.shape(b))"


general("np.outer(a, b)", a=outer_left, b=outer_right)


def trace_bar(op: Operation) -> str:
    if op.rank("a") == 2 and not op.known("offset"):
        return "g * np.eye(*a.shape)"
    return "untrace(g, a.shape, offset, axis1, axis2)"


general("np.trace(a, offset=0, axis1=0, axis2=1)", a=trace_bar, method=True)


def solve_matrix(op: Operation) -> str:
    """-A^-T g y^T: Giles, Collected matrix derivative results (2008), 2.3.1."""
    ranks = op.rank("a"), op.rank("b")
    if ranks == (2, 1):
        return "-np.outer(np.linalg.solve(a.T, g), y)"
    if ranks == (2, 2):
        return "-np.linalg.solve(a.T, g) @ y.T"
    return "solve_matrix(g, a, b, y)"


def solve_right(op: Operation) -> str:
    if op.rank("a") == 2 and op.rank("b") in (1, 2):
        return "np.linalg.solve(a.T, g)"
    return "solve_right(g, a, b)"


general("np.linalg.solve(a, b)", a=solve_matrix, b=solve_right)
general("np.linalg.inv(a)", a="-np.swapaxes(y, -1, -2) @ g @ np.swapaxes(y, -1, -2)")


def det_bar(op: Operation) -> str:
    """Jacobi's formula."""
    if op.rank("a") == 2:
        return "g * y * np.linalg.inv(a).T"
    return "(g * y)[..., None, None] * np.swapaxes(np.linalg.inv(a), -1, -2)"


general("np.linalg.det(a)", a=det_bar)
