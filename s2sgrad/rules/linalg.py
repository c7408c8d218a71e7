"""Products of vectors and matrices, and linear systems."""
from __future__ import annotations

import operator

import numpy as np

from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import Abstract, Items, Numeric, Shape, broadcast
from s2sgrad.rules.table import METHODS, Operation, general


def ranks(op: Operation, first: str, second: str) -> tuple[int | None, int | None]:
    return op.rank(first), op.rank(second)


def stacked_alike(op: Operation) -> bool:
    """Two stacks of matrices of one shape, so that nothing is broadcast."""
    shapes: list[Shape] = [op.shape("x1"), op.shape("x2")]
    if any(shape is None or len(shape) < 3 for shape in shapes):
        return False
    first, second = (shape[:-2] for shape in shapes if shape is not None)
    return first == second and None not in first


def matmul_left(op: Operation) -> str:
    known = {(1, 1): "g * x2", (2, 2): "g @ x2.T", (2, 1): "np.outer(g, x2)", (1, 2): "x2 @ g"}
    rank1, rank2 = ranks(op, "x1", "x2")
    if rank2 == 2 and rank1 is not None and rank1 > 2:
        return "g @ x2.T"
    if stacked_alike(op):
        return "g @ np.swapaxes(x2, -1, -2)"
    return known.get((rank1, rank2), "matmul_left(g, x1, x2)")


def matmul_right(op: Operation) -> str:
    known = {(1, 1): "g * x1", (2, 2): "x1.T @ g", (2, 1): "g @ x1", (1, 2): "np.outer(x1, g)"}
    if stacked_alike(op):
        return "np.swapaxes(x1, -1, -2) @ g"
    return known.get(ranks(op, "x1", "x2"), "matmul_right(g, x1, x2)")


def dot_left(op: Operation) -> str:
    known = {(1, 1): "g * b", (2, 2): "g @ b.T", (2, 1): "np.outer(g, b)", (1, 2): "b @ g"}
    return known.get(ranks(op, "a", "b"), "dot_left(g, a, b)")


def dot_right(op: Operation) -> str:
    known = {(1, 1): "g * a", (2, 2): "a.T @ g", (2, 1): "g @ a", (1, 2): "np.outer(a, g)"}
    return known.get(ranks(op, "a", "b"), "dot_right(g, a, b)")


def inner_left(op: Operation) -> str:
    known = {(1, 1): "g * b", (2, 2): "g @ b", (2, 1): "np.outer(g, b)", (1, 2): "g @ b"}
    return known.get(ranks(op, "a", "b"), "inner_left(g, a, b)")


def inner_right(op: Operation) -> str:
    known = {(1, 1): "g * a", (2, 2): "g.T @ a", (2, 1): "g @ a", (1, 2): "np.outer(g, a)"}
    return known.get(ranks(op, "a", "b"), "inner_right(g, a, b)")


def flat(op: Operation, of: str, product: str, general_text: str) -> str:
    """Two vectors' formula, and the one for operands that NumPy flattens first."""
    return product if ranks(op, "a", "b") == (1, 1) else f"np.reshape({general_text}, {of}.shape)"


def product_result(op: Operation) -> Abstract:
    """The outer dimensions are those of the operands, also where it is not known that the inner ones agree."""
    first, second = op.shape("x1"), op.shape("x2")
    if not first or not second:
        return Numeric()
    stack = broadcast(first[:-2], second[:-2])
    if stack is None:
        return Numeric()
    shape = (*stack, *(first[-2:-1] if len(first) > 1 else ()), *(second[-1:] if len(second) > 1 else ()))
    dtypes = op.dtype("x1"), op.dtype("x2")
    dtype = None if any(item is None for item in dtypes) else np.result_type(*dtypes)
    return Numeric("array" if shape else "scalar", dtype, shape)


general("np.matmul(x1, x2)", x1=matmul_left, x2=matmul_right, aliases=(operator.matmul,), name="product",
        result=product_result, linear="x1 x2")
METHODS["dot"] = general("np.dot(a, b)", a=dot_left, b=dot_right, linear="a b")
general("np.vdot(a, b)", a=lambda op: flat(op, "a", "g * b", "g * np.ravel(b)"),
        b=lambda op: flat(op, "b", "g * a", "g * np.ravel(a)"), linear="a b")
general("np.inner(a, b)", a=inner_left, b=inner_right, linear="a b")
general("np.outer(a, b)", a=lambda op: flat(op, "a", "g @ b", "g @ np.ravel(b)"),
        b=lambda op: flat(op, "b", "a @ g", "np.ravel(a) @ g"), linear="a b")
general("np.tensordot(a, b, axes=2)", a="tensordot_left(g, a, b, axes)", b="tensordot_right(g, a, b, axes)",
        linear="a b")
# the triple product may be turned round
general("np.cross(a, b)", a="unbroadcast(np.cross(b, g), a)", b="unbroadcast(np.cross(g, a), b)",
        result=lambda op: Numeric("array", common_dtype(op["a"], op["b"]), broadcast(op.shape("a"), op.shape("b"))),
        linear="a b")
# each element of one signal meets all of the other
general("np.convolve(a, v)", a="np.convolve(g, v[::-1], 'valid')", v="np.convolve(g, a[::-1], 'valid')", linear="a v")


def common_dtype(*values: Abstract) -> np.dtype | None:
    """Of arrays; None where one isn't known to be one."""
    if all(isinstance(value, Numeric) and value.kind == "array" and value.dtype is not None for value in values):
        return np.result_type(*(value.dtype for value in values))
    return None


# ---- Einstein's sums

def subscripts_of(op: Operation) -> tuple[list[str], str]:
    """The letters of each operand and of the result."""
    text = op.known("subscripts").replace(" ", "")
    if "." in text:
        raise UnsupportedError("einsum with an ellipsis has no derivative rule", "name the axes")
    left, arrow, result = text.partition("->")
    if not arrow:
        result = "".join(sorted(letter for letter in set(left) - {","} if left.count(letter) == 1))
    return left.split(","), result


def einsum_bar(op: Operation, path: tuple[int, ...] = ()) -> str:
    """The same sum with the cotangent in the operand's place; letters that only the operand has are spread."""
    letters, result = subscripts_of(op)
    index = path[0] if path else 0
    mine = letters[index]
    name = f"operands_{index}" if path else "operands"
    if len(set(mine)) < len(mine):
        raise UnsupportedError("einsum with a letter twice on one operand has no derivative rule",
                               "take the diagonal with np.diagonal first")
    others = [(text, f"operands_{place}") for place, text in enumerate(letters) if path and place != index]
    reached = "".join(letter for letter in mine if letter in result or any(letter in text for text, _ in others))
    inputs = ",".join([result, *(text for text, _ in others)])
    text = f"np.einsum('{inputs}->{reached}', {', '.join(['g', *(other for _, other in others)])})"
    if reached == mine:
        return text if others or result != mine else "g"
    place = ", ".join(":" if letter in reached else "None" for letter in mine)
    return f"np.broadcast_to({text}[{place}], {name}.shape)"


def einsum_dot(op: Operation, path: tuple[int, ...] = ()) -> str:
    """The same sum with an operand's tangent in its place."""
    letters, _ = subscripts_of(op)
    operands = [f"operands_{place}" for place in range(len(letters))] if path else ["t"]
    if path:
        operands[path[0]] = "t"
    return f"np.einsum({op.known('subscripts')!r}, {', '.join(operands)})"


def einsum_result(op: Operation) -> Abstract:
    if "." in str(op.if_known("subscripts")) or not isinstance(op.if_known("subscripts"), str):
        return Numeric()  # refused where it is differentiated
    letters, result = subscripts_of(op)
    value = op["operands"]
    operands = value.items if isinstance(value, Items) else (value,)
    if operands is None or not all(isinstance(item, Numeric) and item.shape is not None for item in operands):
        return Numeric()
    dims = {letter: dim for text, item in zip(letters, operands) for letter, dim in zip(text, item.shape)}
    return Numeric("array" if result else "any", common_dtype(*operands), tuple(dims.get(letter) for letter in result))


general("np.einsum(subscripts, operands)", operands=einsum_bar, variadic="operands", result=einsum_result,
        tangent={"operands": einsum_dot}, sharing="maybe")


# ---- square matrices, stacked or not

def trace_bar(op: Operation) -> str:
    if op.rank("a") == 2 and op.if_known("offset") == 0 and op.is_double("a"):
        return "g * np.eye(*a.shape)"
    return "untrace(g, a.shape, offset, axis1, axis2)"


def solve_matrix(op: Operation) -> str:
    """-A^-T g y^T: Giles, Collected matrix derivative results (2008), 2.3.1."""
    known = {(2, 1): "-np.outer(np.linalg.solve(a.T, g), y)", (2, 2): "-np.linalg.solve(a.T, g) @ y.T"}
    return known.get(ranks(op, "a", "b"), "solve_matrix(g, a, b, y)")


def solve_right(op: Operation) -> str:
    if op.rank("a") == 2 and op.rank("b") in (1, 2):
        return "np.linalg.solve(a.T, g)"
    return "solve_right(g, a, b)"


def solve_dot(op: Operation) -> str:
    """Of a y = b: a y' = -a' y."""
    known = op.rank("a") == 2 and op.rank("b") in (1, 2)
    return "-np.linalg.solve(a, t @ y)" if known else "solve_dot(t, a, b, y)"


def inverse_bar(op: Operation) -> str:
    return "-y.T @ g @ y.T" if op.rank("a") == 2 else "-np.swapaxes(y, -1, -2) @ g @ np.swapaxes(y, -1, -2)"


def determinant_bar(op: Operation) -> str:
    """Jacobi's formula."""
    if op.rank("a") == 2:
        return "g * y * np.linalg.inv(a).T"
    return "np.expand_dims(g * y, (-1, -2)) * np.swapaxes(np.linalg.inv(a), -1, -2)"


general("np.trace(a, offset=0, axis1=0, axis2=1)", a=trace_bar, method=True, linear="a")
general("np.linalg.solve(a, b)", a=solve_matrix, b=solve_right, linear="b", tangent={"a": solve_dot})
general("np.linalg.inv(a)", a=inverse_bar, tangent={"a": "-y @ t @ y"})
general("np.linalg.det(a)", a=determinant_bar,
        tangent={"a": "y * np.trace(np.linalg.inv(a) @ t, axis1=-2, axis2=-1)"})
