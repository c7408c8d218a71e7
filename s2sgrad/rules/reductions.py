"""Sums, products, extrema and their like over axes.

Formulas give what broadcasts to the operand: lost axes are put back with length one where broadcasting needs them.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import Abstract, Numeric
from s2sgrad.rules.table import ZERO, Operation, conjugated, general, reduction


def restore_axes(op: Operation, name: str = "g", of: str = "a") -> str:
    """The text of a reduced value with its lost axes put back as axes of length one."""
    axes = op.axes(of=of)
    if axes is None or op.known("keepdims") is True:
        return name
    rank = op.rank(of)
    if min(axes, default=0) < 0:
        spread, value = f"np.expand_dims({name}, {op.known('axis')!r})", op[of]
        is_array = isinstance(value, Numeric) and value.kind == "array"
        return spread if is_array else f"({spread} if np.ndim({of}) > 0 else {name})"  # a number has lost none
    if rank == len(axes) or axes == tuple(range(len(axes))):
        return name  # leading axes come back by broadcasting
    return f"{name}[{', '.join('None' if axis in axes else ':' for axis in range(max(axes) + 1))}]"


def over(op: Operation) -> str:
    """The arguments of another reduction over the same axes that keeps them."""
    axis = op.known("axis")
    return "" if axis is None else f", axis={axis!r}, keepdims=True"


def count(op: Operation) -> str:
    """The number of elements that go into each result."""
    axes = op.axes()
    if axes is None:
        value = op["a"]
        return "a.size" if isinstance(value, Numeric) and value.kind == "array" else "np.size(a)"
    factors = [f"a.shape[{axis}]" for axis in axes]
    return f"({' * '.join(factors)})" if len(factors) > 1 else "".join(factors) or "1"


def counts_all(op: Operation) -> bool:
    """Whether all elements are known to count."""
    return "where" not in op.rule.names_taken or op.if_known("where") is True


def masked(op: Operation, text: str) -> str:
    """What broadcasts to the operand, where its elements count."""
    return text if counts_all(op) else f"np.where(where, {text}, 0.0)"


def may_be_empty(value: Abstract) -> bool:
    """Whether an array may have no elements, as far as its sizes are known."""
    shape = value.shape if isinstance(value, Numeric) else None
    return shape is None or None in shape or 0 in shape


def mean_bar(op: Operation) -> str:
    if counts_all(op):
        number = count(op)
        if may_be_empty(op["a"]):
            number = f"({number} or 1)"  # Python's own numbers refuse to divide by 0
        return f"{restore_axes(op)} / {number}"
    return masked(op, f"{restore_axes(op)} / {counted(op)}")


def counted(op: Operation) -> str:
    """How many of the elements that go into each result count."""
    return f"np.sum(np.broadcast_to(where, a.shape){over(op)}, dtype=y.dtype)"


def divisor(op: Operation) -> str:
    ddof = op.known("ddof")
    number = count(op) if counts_all(op) else counted(op)
    return f"({number} - {ddof!r})" if ddof else number


def deviation(op: Operation) -> str:
    """From the mean of the elements that count; of complex ones its conjugate."""
    chosen = "" if counts_all(op) else ", where=where"
    text = "(a - mean)" if has_mean(op) else f"(a - np.mean(a{over(op)}{chosen}))"
    return where_complex(op, f"np.conj{text}", text) if has_mean(op) else conjugated(op, text, "a")


def where_complex(op: Operation, text: str, other: str) -> str:
    """Of real numbers NumPy takes the squares, even where the mean that is given is complex."""
    if op.is_real("a") or op.is_complex("a"):
        return text if op.is_complex("a") else other
    return f"({text} if np.iscomplexobj(a) else {other})"


def has_mean(op: Operation) -> bool:
    return "mean" in op.rule.names_taken and op.given("mean")


def var_bar(op: Operation) -> str:
    return masked(op, f"{restore_axes(op)} * 2.0 / {divisor(op)} * {deviation(op)}")


def of_mean(formula: Callable[[Operation], str]) -> Callable[[Operation], str]:
    """It moves against all elements at once."""
    return lambda op: f"unbroadcast(-({formula(op)}), mean.shape)"


def var_dot(op: Operation) -> str:
    return f"2.0 * {total_of_deviations(op)} / {divisor_of_results(op)}"


def std_dot(op: Operation) -> str:
    return f"divide_or_zero({total_of_deviations(op)}, y * {divisor_of_results(op)})"


def less(formula: Callable[[Operation], str]) -> Callable[[Operation], str]:
    return lambda op: f"-{formula(op)}"


def total_of_deviations(op: Operation) -> str:
    deviations = deviation(op)
    total = f"np.sum({masked(op, f't * {deviations}')}, {over_results(op)})"
    return where_complex(op, f"np.real({total})", total)


def over_results(op: Operation) -> str:
    return f"axis={op.known('axis')!r}{', keepdims=True' if op.known('keepdims') else ''}"


def divisor_of_results(op: Operation) -> str:
    """The same numbers without the axes that results have not."""
    return divisor(op).replace("keepdims=True", f"keepdims={op.known('keepdims')!r}")


def std_bar(op: Operation) -> str:
    """Where all elements are equal the derivative is taken to be 0, as PyTorch does."""
    return masked(op, f"divide_or_zero({restore_axes(op)}, {restore_axes(op, 'y')} * {divisor(op)}) * {deviation(op)}")


def hits(op: Operation) -> str:
    """How many elements are hit; NumPy's integers would widen a cotangent in single precision."""
    arguments = over(op).removeprefix(", ") + ("" if op.is_double("y") else ", dtype=y.dtype")
    return f"hit.sum({arguments.removeprefix(', ')})"


def extremum_bar(op: Operation) -> str:
    """Elements that tie share the cotangent evenly."""
    return f"hit = a == {restore_axes(op, 'y')}; {restore_axes(op)} / {hits(op)} * hit"


def reached(op: Operation) -> str:
    """Which of the elements that count are the extremum."""
    hit = f"a == {restore_axes(op, 'y')}"
    return hit if counts_all(op) else f"({hit}) & where"


def extremum_from_bar(op: Operation) -> str:
    """Where there is a start, it may be that no element is reached."""
    if not op.given("initial"):
        return extremum_bar(op)
    return f"hit = {reached(op)}; divide_or_zero({restore_axes(op)}, {hits(op)}) * hit"


# ---- what a reduction starts from: one number for all results

def over_alike(op: Operation) -> str:
    """The arguments of another reduction over the same axes and elements, which leaves as many axes."""
    axis, keeps = op.known("axis"), op.known("keepdims")
    where = "" if counts_all(op) else ", where=where"
    return f"axis={axis!r}{', keepdims=True' if keeps else ''}{where}"


def is_whole(op: Operation) -> bool:
    """Whether there is a single result, without axes."""
    return op.known("axis") is None and not op.known("keepdims")


def for_all_results(op: Operation, text: str) -> str:
    """The sum of a cotangent's parts, one for each result."""
    return text if is_whole(op) else f"np.sum({text})"


def start_bar(op: Operation) -> str:
    """A number may stand for equal cotangents of all results."""
    return "g" if is_whole(op) else "np.sum(np.broadcast_to(g, y.shape))"


def start_dot(op: Operation) -> str:
    return "t" if is_whole(op) else "np.full_like(y, t)"


def start_of_product(op: Operation, product: str = "np.prod") -> str:
    """What the start is multiplied by."""
    return f"{product}(a, {over_alike(op)})"


def times_start(op: Operation) -> str:
    """The factor that a product starts with, where it is another than 1."""
    return " * initial" if "initial" in op.rule.names_taken and op.if_known("initial") != 1 else ""


def start_is_beaten(op: Operation) -> str:
    """Where some element is what comes out: a step has found those that are."""
    return f"np.any(hit, {over_alike(op).removesuffix(', where=where')})"


def start_above_bar(op: Operation) -> str:
    return f"hit = {reached(op)}; {for_all_results(op, f'np.where({start_is_beaten(op)}, 0.0, g)')}"


def start_above_dot(op: Operation) -> str:
    """The tangent is one number, which is as wide as Python's."""
    return f"hit = {reached(op)}; np.where({start_is_beaten(op)}, np.zeros_like(y), t)"


def range_bar(op: Operation) -> str:
    top, bottom = (f"a == np.{name}(a{over(op)})" for name in ("max", "min"))
    counts = [hits(op).replace("hit", name) for name in ("top", "bottom")]
    return f"top = {top}; bottom = {bottom}; {restore_axes(op)} * (top / {counts[0]} - bottom / {counts[1]})"


def product_bar(op: Operation) -> str:
    """The product of the others, which is right also where elements are 0."""
    of = "a" if counts_all(op) else "np.where(where, a, 1.0)"
    return masked(op, f"{restore_axes(op)}{times_start(op)} * product_of_others({of}, {op.known('axis')!r})")


reduction("np.sum(a, axis=None, dtype=None, *, keepdims=False, initial=0, where=True)",
          a=lambda op: masked(op, restore_axes(op)), initial=start_bar, method=True, linear="a+initial", complex=True)
reduction("np.mean(a, axis=None, dtype=None, *, keepdims=False, where=True)", a=mean_bar, method=True,
          linear="a", complex=True)
reduction("np.prod(a, axis=None, dtype=None, *, keepdims=False, initial=1, where=True)", a=product_bar,
          initial=lambda op: for_all_results(op, f"g * {start_of_product(op)}"), method=True, complex=True,
          tangent={"initial": lambda op: f"t * {start_of_product(op)}"})
for name, formula, dot in (("var", var_bar, var_dot), ("std", std_bar, std_dot)):
    reduction(f"np.{name}(a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=True, mean=None)", a=formula,
              mean=of_mean(formula), tangent={"a": dot, "mean": less(dot)}, method=True, complex=True)
reduction("np.max(a, axis=None, *, keepdims=False, initial=None, where=True)", a=extremum_from_bar,
          initial=start_above_bar, method=True, aliases=(np.amax,),
          tangent={"initial": start_above_dot})
reduction("np.min(a, axis=None, *, keepdims=False, initial=None, where=True)", a=extremum_from_bar,
          initial=start_above_bar, method=True, aliases=(np.amin,),
          tangent={"initial": start_above_dot})
reduction("np.ptp(a, axis=None, *, keepdims=False)", a=range_bar)


def running_sum_bar(op: Operation, g: str = "g", of: str = "a") -> str:
    """Each element is in its own sum and in all later ones."""
    axis, rank = op.known("axis"), op.rank(of)
    if axis is None or rank == 0:
        text = f"np.cumsum({g}[::-1])[::-1]"
        return text if rank == 1 else f"np.reshape({text}, {of}.shape)"
    if rank == 1:
        return f"np.cumsum({g}[::-1])[::-1]"
    if axis == 0:
        return f"np.cumsum({g}[::-1], axis=0)[::-1]"
    return f"np.flip(np.cumsum(np.flip({g}, {axis!r}), axis={axis!r}), {axis!r})"


general("np.cumsum(a, axis=None, dtype=None)", a=running_sum_bar, method=True, linear="a", complex=True)
general("np.cumprod(a, axis=None, dtype=None)", a="running_product_bar(g, a, axis)", method=True,
        tangent={"a": "running_product_dot(t, a, y, axis)"}, complex=True)


# ---- norms

def norm_bar(op: Operation) -> str:
    """The derivative at 0 is 0; elements that tie for the largest or the least share evenly."""
    order, axis, rank = op.known("ord"), op.known("axis"), op.rank("x")
    axes = (axis,) if isinstance(axis, int) else axis
    if order == "fro" or order is None and (axes is None or len(axes) > 1):
        return euclidean_bar(op)
    if axes is None and rank is None:
        return f"g * {conjugated(op, f'norm_slope(x, y, {order_text(order)})', 'x')}"
    if (rank if axes is None else len(axes)) == 1:
        return vector_norm_bar(op, 2 if order is None else order)
    if order in MATRIX_ORDERS:
        g = restore_axes(op, of="x")
        return f"{g} * {conjugated(op, matrix_slope_text(order, *(axes or (0, 1))), 'x')}"
    raise other_norm(f"matrix norm with ord={order!r}")


def matrix_slope_text(order: Any, rows: int, columns: int) -> str:
    """The text of a matrix norm's derivative."""
    if order in (2, -2, "nuc"):
        return f"singular_norm_slope(x, {order!r}, {rows}, {columns})"
    summed, compared = (rows, columns) if order in (1, -1) else (columns, rows)
    return f"sum_norm_slope(x, {order > 0}, {summed}, {compared})"


MATRIX_ORDERS = (1, -1, 2, -2, np.inf, -np.inf, "nuc")


def other_norm(what: str) -> UnsupportedError:
    return UnsupportedError(f"the {what} has no derivative rule",
                            "use the Frobenius or nuclear norm, or an ord of 1, 2, inf or one of these with a minus")


def order_text(order: float | str) -> str:
    return {np.inf: "math.inf", -np.inf: "-math.inf"}.get(order, repr(order))  # type: ignore[call-overload]


def euclidean_bar(op: Operation) -> str:
    return f"{restore_axes(op, of='x')} * divide_or_zero({conjugated(op, 'x', 'x')}, {restore_axes(op, 'y', of='x')})"


def vector_norm_bar(op: Operation, order: float) -> str:
    g, y = restore_axes(op, of="x"), restore_axes(op, "y", of="x")
    if order == 2:
        return euclidean_bar(op)
    sign = "np.sign(x)" if op.is_real("x") else "divide_or_zero(np.conj(x), np.abs(x))"
    if order == 1:
        return f"{g} * {sign}"
    if order in (np.inf, -np.inf):
        return f"{extreme_sizes(op, order, y)}; {g} * {sign} * hit / {hits(op)}"
    if order == 0:  # how many elements are not 0
        return ZERO
    if order > 1:
        return f"{g} * {sign} * divide_or_zero(np.abs(x), {y}) ** {order - 1!r}"
    return f"{g} * {sign} * divide_or_zero({y}, np.abs(x)) ** {1 - order!r}"


def extreme_sizes(op: Operation, order: float, y: str) -> str:
    """The step that finds which elements are as large as the norm. The sizes of complex numbers may differ in their
    last bits from those that the norm was made of: NumPy computes them otherwise where they lie otherwise in memory."""
    if op.is_real("x"):
        return f"hit = np.abs(x) == {y}"
    return f"size = np.abs(x); hit = size == np.{'max' if order > 0 else 'min'}(size{over(op)})"


reduction("np.linalg.norm(x, ord=None, axis=None, keepdims=False)", x=norm_bar, complex=True)
