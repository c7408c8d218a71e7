"""Sums, products, extrema and their like over axes.

Formulas give what broadcasts to the operand: lost axes are put back with length one where broadcasting needs them.
"""
from __future__ import annotations

from s2sgrad.rules.abstract import Numeric
from s2sgrad.rules.table import Operation, general, reduction


def restore_axes(op: Operation, name: str = "g", of: str = "a") -> str:
    """The text of a reduced value with its lost axes put back as axes of length one."""
    axes = op.axes(of=of)
    if axes is None or op.known("keepdims"):
        return name
    rank = op.rank(of)
    if rank is None:
        return f"np.expand_dims({name}, {op.known('axis')!r})"
    if rank == len(axes) or axes == tuple(range(len(axes))):
        return name  # leading axes come back by broadcasting
    index = ", ".join("None" if axis in axes else ":" for axis in range(max(axes) + 1))
    return f"{name}[{index}]" if max(axes) == rank - 1 else f"{name}[{index}, ...]"


def count(op: Operation) -> str:
    """The number of elements that go into each result."""
    axes = op.axes()
    if axes is None:
        value = op["a"]
        return "a.size" if isinstance(value, Numeric) and value.kind == "array" else "np.size(a)"
    return " * ".join(f"a.shape[{axis}]" for axis in axes) or "1"


def divisor(op: Operation) -> str:
    ddof = op.known("ddof")
    return f"({count(op)} - {ddof!r})" if ddof else f"({count(op)})" if " " in count(op) else count(op)


def mean_bar(op: Operation) -> str:
    size = count(op)
    return f"{restore_axes(op)} / {f'({size})' if ' ' in size else size}"


def centred(op: Operation) -> str:
    axis = op.known("axis")
    return "a - np.mean(a)" if axis is None else f"a - np.mean(a, axis={axis!r}, keepdims=True)"


def var_bar(op: Operation) -> str:
    return f"{restore_axes(op)} * 2 * ({centred(op)}) / {divisor(op)}"


def std_bar(op: Operation) -> str:
    """Where all elements are equal the derivative is taken to be 0, as PyTorch does."""
    return f"divide_or_zero({restore_axes(op)} * ({centred(op)}), {restore_axes(op, 'y')} * {divisor(op)})"


def extremum_bar(op: Operation) -> str:
    """Elements that tie share the cotangent evenly."""
    axis = op.known("axis")
    sum_ = "np.sum(hit)" if axis is None else f"np.sum(hit, axis={axis!r}, keepdims=True)"
    return f"hit = a == {restore_axes(op, 'y')}; {restore_axes(op)} * hit / {sum_}"


def prod_bar(op: Operation) -> str:
    """The product of the others, which is right also where elements are 0."""
    return f"{restore_axes(op)} * product_of_others(a, {op.known('axis')!r})"


reduction("np.sum(a, axis=None, dtype=None, *, keepdims=False)", a=restore_axes, method=True)
reduction("np.mean(a, axis=None, dtype=None, *, keepdims=False)", a=mean_bar, method=True)
reduction("np.prod(a, axis=None, dtype=None, *, keepdims=False)", a=prod_bar, method=True)
reduction("np.var(a, axis=None, dtype=None, *, ddof=0, keepdims=False)", a=var_bar, method=True)
reduction("np.std(a, axis=None, dtype=None, *, ddof=0, keepdims=False)", a=std_bar, method=True)
reduction("np.max(a, axis=None, *, keepdims=False)", a=extremum_bar, method=True)
reduction("np.min(a, axis=None, *, keepdims=False)", a=extremum_bar, method=True)


def cumsum_bar(op: Operation) -> str:
    axis = op.known("axis")
    if axis is None:
        return "np.cumsum(np.ravel(g)[::-1])[::-1].reshape(a.shape)" if op.rank("a") != 1 else "np.cumsum(g[::-1])[::-1]"
    if op.rank("a") == 1:
        return "np.cumsum(g[::-1])[::-1]"
    return f"np.flip(np.cumsum(np.flip(g, {axis!r}), axis={axis!r}), {axis!r})"


general("np.cumsum(a, axis=None, dtype=None)", a=cumsum_bar, method=True)


def norm_bar(op: Operation) -> str:
    """Euclidean and Frobenius norms, and the 1- and infinity-norms of vectors; the derivative at 0 is 0."""
    order, axis = op.known("ord"), op.known("axis")
    rank = op.rank("x")
    vector = isinstance(axis, int) or axis is None and rank == 1
    g, y = restore_axes(op, of="x"), restore_axes(op, "y", of="x")
    if order is None or order == "fro" or order == 2 and vector:
        return f"{g} * divide_or_zero(x, {y})"
    if vector and order == 1:
        return f"{g} * np.sign(x)"
    if vector and order == float("inf"):
        keep = "np.sum(hit)" if axis is None else f"np.sum(hit, axis={axis!r}, keepdims=True)"
        return f"hit = np.abs(x) == {y}; {g} * np.sign(x) * hit / {keep}"
    raise TypeError(f"its rule does not take ord={order!r} here")


reduction("np.linalg.norm(x, ord=None, axis=None, keepdims=False)", x=norm_bar)
