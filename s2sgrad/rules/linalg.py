"""Products of vectors and matrices, and linear systems."""
from __future__ import annotations

import operator
import string
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import Abstract, Items, Numeric, rank_of, shape_of
from s2sgrad.rules.dims import Dim, Shape, broadcast, not_one
from s2sgrad.rules.shapes import as_given
from s2sgrad.rules.table import METHODS, Operation, conjugated, general


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
    known = {(1, 1): "g * b", (2, 2): "g.dot(b.T)", (2, 1): "g[:, None].dot(b[None])", (1, 2): "b.dot(g)"}
    return known.get(ranks(op, "a", "b"), "dot_left(g, a, b)")


def dot_right(op: Operation) -> str:
    known = {(1, 1): "g * a", (2, 2): "a.T.dot(g)", (2, 1): "g.dot(a)", (1, 2): "a[:, None].dot(g[None])"}
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


def paired(op: Operation, of: str, other: str) -> str:
    """``g * other`` in the operand's shape: NumPy flattens both, which may have as many elements in other shapes."""
    shape = op.shape(of)
    alike = shape is not None and None not in shape and shape == op.shape(other)
    value = other if alike else f"np.ravel({other})"
    text = conjugated(op, f"g * {value}", "y") if other == "b" else f"g * {conjugated(op, value, other)}"
    return text if alike else f"np.reshape({text}, {of}.shape)"


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


def turned_round(op: Operation, mine: str, other: str, text: str) -> str:
    """The triple product, turned round; where the vectors don't lie along the last axis, both operands' axes are to be
    counted alike."""
    axis = op.known("axis")
    if axis in (None, -1):
        return f"unbroadcast(np.{text.format(mine, other)}), {mine}.shape)"
    if axis >= 0 and (op.rank(mine) is None or op.rank(mine) != op.rank(other)):
        return f"np.moveaxis(unbroadcast(np.moveaxis(np.{text.format(mine, other)}, axis=axis), axis, -1), " \
               f"np.moveaxis({mine}, axis, -1).shape), -1, axis)"
    return f"unbroadcast(np.{text.format(mine, other)}, axis=axis), {mine}.shape)"


def turned_axis(name: str, axis: int) -> str:
    return name if axis == -1 else f"np.moveaxis({name}, {axis}, -1)"


def crossed(mine: str, other: str, sign: float) -> Callable[[Operation], str]:
    """``axis`` counts for all three; without it each has its own."""
    def formula(op: Operation) -> str:
        if op.given("axis"):
            return f"uncross(g, {mine}, {other}, axis, {sign})"
        own = op.known(f"axis{mine}")
        g, first, second = turned_axis("g", op.known("axisc")), turned_axis(mine, own), turned_axis(
            other, op.known(f"axis{other}"))
        text = f"uncross({g}, {first}, {second}, -1, {sign})"
        return text if own == -1 else f"np.moveaxis({text}, -1, {own})"
    return formula


def moved(shape: Shape, source: Any, destination: Any) -> Shape:
    """A shape with an axis moved; None where it is not known which."""
    if shape is None or not (isinstance(source, int) and isinstance(destination, int)):
        return None
    rest = [dim for axis, dim in enumerate(shape) if axis != source % len(shape)]
    rest.insert(destination % len(shape), shape[source])
    return tuple(rest)


def cross_result(first: str, second: str) -> Callable[[Operation], Abstract]:
    def result(op: Operation) -> Abstract:
        axis = op.if_known("axis")
        if axis is None and "axisc" in op.rule.names_taken:
            found = broadcast(*(moved(op.shape(name), op.if_known(f"axis{name}"), -1) for name in (first, second)))
            return Numeric("array", common_dtype(op[first], op[second]), moved(found, -1, op.if_known("axisc")))
        alike = axis is None or isinstance(axis, int) and (axis < 0 or op.rank(first) == op.rank(second))
        shape = broadcast(op.shape(first), op.shape(second)) if alike else None
        return Numeric("array", common_dtype(op[first], op[second]), shape)
    return result


general("np.matmul(x1, x2)", x1=matmul_left, x2=matmul_right, aliases=(operator.matmul,), name="product",
        result=product_result, linear="x1 x2", complex=True)
METHODS["dot"] = general("np.dot(a, b)", a=dot_left, b=dot_right, linear="a b", complex=True)
general("np.vdot(a, b)", linear="a b", complex=True,
        a=lambda op: paired(op, "a", "b"), b=lambda op: paired(op, "b", "a"))
general("np.inner(a, b)", a=inner_left, b=inner_right, linear="a b", complex=True)
general("np.outer(a, b)", a=lambda op: flat(op, "a", "g @ b", "g @ np.ravel(b)"),
        b=lambda op: flat(op, "b", "a @ g", "np.ravel(a) @ g"), linear="a b", complex=True)
general("np.tensordot(a, b, axes=2)", a="tensordot_left(g, a, b, axes)", b="tensordot_right(g, a, b, axes)",
        linear="a b", complex=True)
if hasattr(np, "matvec"):  # came with NumPy 2.2
    general("np.matvec(x1, x2)", x1="unbroadcast(np.expand_dims(g, -1) * np.expand_dims(x2, -2), x1.shape)",
            x2=lambda op: f"unbroadcast(np.vecmat({conjugated(op, 'g', 'y')}, x1), x2.shape)", linear="x1 x2",
            complex=True)
    general("np.vecmat(x1, x2)", linear="x1 x2", complex=True,
            x1=lambda op: conjugated(op, "unbroadcast(np.matvec(x2, g), x1.shape)", "y"),
            x2=lambda op: f"unbroadcast({conjugated(op, 'np.expand_dims(x1, -1)', 'x1')} * np.expand_dims(g, -2), "
                          "x2.shape)")
general("np.cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None)", a=crossed("a", "b", 1.0),
        b=crossed("b", "a", -1.0), result=cross_result("a", "b"), linear="a b", complex=True)
general("np.linalg.cross(x1, x2, /, *, axis=-1)", x1=lambda op: turned_round(op, "x1", "x2", "cross({1}, g"),
        x2=lambda op: turned_round(op, "x2", "x1", "cross(g, {1}"), result=cross_result("x1", "x2"), linear="x1 x2",
        complex=True)


def common_dtype(*values: Abstract) -> np.dtype | None:
    """Of arrays; None where one isn't known to be one."""
    if all(isinstance(value, Numeric) and value.kind == "array" and value.dtype is not None for value in values):
        return np.result_type(*(value.dtype for value in values))
    return None


def joined_dtype(*values: Abstract) -> np.dtype | None:
    """Of what is made into arrays first, numbers too; None where one's isn't known."""
    dtypes = [value.dtype if isinstance(value, Numeric) else None for value in values]
    known = [dtype for dtype in dtypes if dtype is not None]
    return np.result_type(*known) if known and len(known) == len(dtypes) else None


# ---- Einstein's sums

def subscripts_of(op: Operation) -> tuple[list[str], str]:
    """The letters of each operand and of the result; the axes of an ellipsis have letters of their own."""
    text = op.known("subscripts").replace(" ", "")
    left, arrow, result = text.partition("->")
    if not arrow:
        result = "..." * ("..." in left) + "".join(
            sorted(letter for letter in set(left) - {",", "."} if left.count(letter) == 1))
    operands = left.split(",")
    if "..." not in left:
        return operands, result
    ranks = [rank_of(item) for item in operands_of(op)]
    if None in ranks or len(ranks) != len(operands):
        raise UnsupportedError("einsum with an ellipsis is differentiated only where it is known how many axes the "
                               "operands have", "name the axes")
    free = [letter for letter in string.ascii_letters if letter not in text]
    counts = [rank - len(mine.replace("...", "")) for rank, mine in zip(ranks, operands)]  # type: ignore[operator]
    spread = "".join(free[:max(count for count, mine in zip(counts, operands) if "..." in mine)])
    return [mine.replace("...", spread[len(spread) - count:]) for count, mine in zip(counts, operands)], \
        result.replace("...", spread)


def operands_of(op: Operation) -> tuple[Abstract, ...]:
    value = op["operands"]
    return (value,) if not isinstance(value, Items) else value.items or ()


def einsum_bar(op: Operation, path: tuple[int, ...] = ()) -> str:
    """The same sum with the cotangent in the operand's place; letters that only the operand has are spread."""
    letters, result = subscripts_of(op)
    index = path[0] if path else 0
    name = f"operands_{index}" if path else "operands"
    letters[index], diagonals = without_diagonals(letters[index], name, set(result).union(*letters))
    mine = letters[index]
    others = [(text, f"operands_{place}") for place, text in enumerate(letters) if path and place != index]
    factors = others + diagonals
    reached = "".join(letter for letter in mine if letter in result or any(letter in text for text, _ in factors))
    inputs = ",".join([result, *(text for text, _ in factors)])
    text = f"np.einsum('{inputs}->{reached}', {', '.join(['g', *(other for _, other in factors)])}{optimised(op)})"
    if not result and len(others) == 1 and not diagonals:  # the cotangent is a number
        (theirs, other), = others
        alone = other if theirs == reached else f"np.einsum('{theirs}->{reached}', {other})"
        text = f"(g * {alone})"
    elif not result and others and not diagonals:
        inputs = ",".join(theirs for theirs, _ in others)
        text = f"(g * np.einsum('{inputs}->{reached}', {', '.join(other for _, other in others)}{optimised(op)}))"
    if reached == mine and not others:
        return "g" if result == mine else text
    if reached != mine:
        text = f"{text}[{', '.join(':' if letter in reached else 'None' for letter in mine)}]"
    shapes = [shape_of(item) or () for item in operands_of(op)]
    several = [{letter for letter, dim in zip(each, shape) if not_one(dim)} for each, shape in zip(letters, shapes)]
    here = not others or index < len(several) and several[index].issuperset(mine)
    there = set(result).union(*several[:index], *several[index + 1:], *(both for both, _ in diagonals)).issuperset(mine)
    if here:  # what has a single element along an axis is spread over those of others, and they over its
        return text if there else f"np.broadcast_to({text}, {name}.shape)"
    return f"unbroadcast({text if there else f'{text} + np.zeros_like({name})'}, {name}.shape)"


def without_diagonals(mine: str, name: str, taken: set[str]) -> tuple[str, list[tuple[str, str]]]:
    """An operand's letters where each axis has one of its own, and the identities that make those one again: what is
    off the diagonal has no influence."""
    free = (letter for letter in string.ascii_letters if letter not in taken)
    found, diagonals = "", []
    for axis, letter in enumerate(mine):
        if letter in mine[:axis]:
            own = next(free)
            diagonals.append((letter + own, f"np.eye({name}.shape[{axis}], dtype=bool)"))
            letter = own
        found += letter
    return found, diagonals


def einsum_dot(op: Operation, path: tuple[int, ...] = ()) -> str:
    """The same sum with an operand's tangent in its place."""
    letters, _ = subscripts_of(op)
    operands = [f"operands_{place}" for place in range(len(letters))] if path else ["t"]
    if path:
        operands[path[0]] = "t"
    dtype = ", dtype=y.dtype" if op.given("dtype") else ""
    return f"np.einsum({op.known('subscripts')!r}, {', '.join(operands)}{optimised(op)}{dtype})"


def optimised(op: Operation) -> str:
    """Sums that are taken in the best order are so backwards, too; a list of steps is that of the user's own sum."""
    how = op.known("optimize")
    return f", optimize={how if isinstance(how, str | bool) else True!r}" if how else ""


def einsum_result(op: Operation) -> Abstract:
    if not isinstance(op.if_known("subscripts"), str):
        return Numeric()  # refused where it is differentiated
    operands = operands_of(op)
    if not operands or not all(isinstance(item, Numeric) and item.shape is not None for item in operands):
        return Numeric()
    letters, result = subscripts_of(op)
    dims: dict[str, Dim] = {}
    for text, item in zip(letters, operands):
        for letter, dim in zip(text, item.shape):  # type: ignore[union-attr, arg-type]
            dims[letter] = dim if letter not in dims or dims[letter] == 1 else dims[letter]
    return Numeric("array" if result else "any", as_given(op, common_dtype(*operands)),
                   tuple(dims.get(letter) for letter in result))


general("np.einsum(subscripts, operands, *, dtype=None, order='K', casting='safe', optimize=False)",
        operands=einsum_bar, variadic="operands", result=einsum_result, sharing="alone",
        tangent={"operands": einsum_dot}, complex=True)


# ---- square matrices, stacked or not

def trace_bar(op: Operation) -> str:
    if op.rank("a") == 2 and op.if_known("offset") == 0 and op.is_double("a") and not op.given("dtype"):
        return "g * np.eye(*a.shape)"
    return "untrace(g, a.shape, offset, axis1, axis2)"


def solve_matrix(op: Operation) -> str:
    """-A^-T g y^T: Giles, Collected matrix derivative results (2008), 2.3.1."""
    known = {(2, 1): "-np.outer({}, y)", (2, 2): "-{} @ y.T"}
    return with_right_side(op, known.get(ranks(op, "a", "b"), "unsolve({}, a, b, y)"))


def with_right_side(op: Operation, text: str) -> str:
    """A formula over the right-hand side's cotangent, which both operands' formulas make, together once."""
    turned = "np.linalg.solve(a.T, g)" if op.rank("a") == 2 and op.rank("b") in (1, 2) else "solve_right(g, a, b)"
    if op["a"].active and op["b"].active:
        return f"right_bar = {turned}; {text.format('right_bar')}"
    return text.format(turned)


def solve_right(op: Operation) -> str:
    """A stack of systems may share one right-hand side."""
    return with_right_side(op, "{}" if op.rank("a") == 2 and op.rank("b") in (1, 2) else "unbroadcast({}, b.shape)")


def solve_dot(op: Operation) -> str:
    """Of a y = b: a y' = -a' y."""
    known = op.rank("a") == 2 and op.rank("b") in (1, 2)
    return "-np.linalg.solve(a, t @ y)" if known else "solve_dot(t, a, b, y)"


def inverse_bar(op: Operation) -> str:
    return "-y.T @ g @ y.T" if op.rank("a") == 2 else "-np.swapaxes(y, -1, -2) @ g @ np.swapaxes(y, -1, -2)"


def widened(op: Operation, name: str, of: str = "a") -> str:
    """A number for each matrix, as it multiplies them."""
    return name if op.rank(of) == 2 else f"np.expand_dims({name}, (-1, -2))"


general("np.trace(a, offset=0, axis1=0, axis2=1, dtype=None)", a=trace_bar, method=True, linear="a", complex=True)
general("np.linalg.solve(a, b)", a=solve_matrix, b=solve_right, linear="b", tangent={"a": solve_dot}, complex=True)
general("np.linalg.inv(a)", a=inverse_bar, tangent={"a": "-y @ t @ y"}, complex=True)
general("np.linalg.det(a)", a=lambda op: f"{widened(op, 'g')} * cofactors(a, y)",
        tangent={"a": "np.sum(cofactors(a, y) * t, axis=(-2, -1))"}, complex=True)
