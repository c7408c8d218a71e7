"""Arrays made from sizes: constant, unless what they are filled with is not."""
from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad.rules.abstract import MISSING, Abstract, Items, Numeric, is_real, known_value, number
from s2sgrad.rules.results import example_of, result_of
from s2sgrad.rules.shapes import dims_of, of_shape
from s2sgrad.rules.table import RULES, ZERO, Operation, Rule, constant, general


def dtype_of(op: Operation, small: dict[str, Abstract]) -> np.dtype | None:
    """The result's dtype, which does not depend on sizes: ``small`` ones stand for them."""
    found = example_of(op.rule, {**op.operands, **small})
    return found.dtype if isinstance(found, Numeric) else None


def sized(parameter: str) -> Callable[[Operation], Abstract]:
    """The result of a function whose shape argument is ``parameter``."""
    def result(op: Operation) -> Abstract:
        small: dict[str, Abstract] = {parameter: number(2)}
        fill = op.operands.get("fill_value")
        if isinstance(fill, Numeric):
            small["fill_value"] = replace(fill, shape=() if fill.shape is not None else None)
        return Numeric("array", dtype_of(op, small), dims_of(op[parameter]))
    return result


def length(op: Operation, name: str) -> Any:
    dims = dims_of(op[name])
    return dims[0] if dims else None


def square(rows: str, columns: str = "") -> Callable[[Operation], Abstract]:
    def result(op: Operation) -> Abstract:
        other = columns if columns and op.given(columns) else rows
        small: dict[str, Abstract] = dict.fromkeys((rows, other), number(2))
        return Numeric("array", dtype_of(op, small), (length(op, rows), length(op, other)))
    return result


def counted(op: Operation) -> Abstract:
    """``arange(n)`` has n elements; with more arguments nobody knows before the call."""
    if all(known_value(value) is not MISSING for value in op.operands.values()):
        return example_of(op.rule, op.operands)
    start = op["start"]
    whole = isinstance(start, Numeric) and start.dtype is not None and start.dtype.kind == "i"
    sizes = dims_of(start) if whole and set(op.operands) <= {"start", "dtype"} else None
    return Numeric("array", dtype_of(op, {}), sizes or (None,))


def spaced(op: Operation) -> Abstract:
    num = op.if_known("num")
    inner = example_of(op.rule, {**op.operands, "num": number(2)})
    if not isinstance(inner, Numeric) or inner.shape is None:
        return Numeric()
    axis, count = op.if_known("axis"), num if isinstance(num, int) else length(op, "num")
    if not isinstance(axis, int):
        return Numeric("array", inner.dtype, (None,) * len(inner.shape))
    axis %= len(inner.shape)
    return Numeric("array", inner.dtype, (*inner.shape[:axis], count, *inner.shape[axis + 1:]))


def end_bar(end: str, first: str) -> Callable[[Operation], str]:
    def formula(op: Operation) -> str:
        if op.rank("start") == op.rank("stop") == 0 and op.is_double("y"):
            return f"g @ np.linspace({first}, num, endpoint)"
        step, g = turned(op, "g")
        return f"{step}unbroadcast(np.sum(ramp({g}, endpoint, {end == 'start'}) * {g}, axis=0), {end}.shape)"
    return formula


def turned(op: Operation, text: str) -> tuple[str, str]:
    """A step that makes the axis of the numbers the first one, where it is another, and what the text is then."""
    return (f"turned = np.moveaxis({text}, axis, 0); ", "turned") if op.known("axis") else ("", text)


def ratio_bar(end: str) -> Callable[[Operation], str]:
    def formula(op: Operation) -> str:
        step, product = turned(op, "g * y")
        return f"{step}unbroadcast(np.sum(ramp({product.split()[0]}, endpoint, {end == 'start'}) * {product}, " \
               f"axis=0) / {end}, {end}.shape)"
    return formula


def ratio_dot(end: str) -> Callable[[Operation], str]:
    def formula(op: Operation) -> str:
        step, y = turned(op, "y")
        text = f"ramp({y}, endpoint, {end == 'start'}) * {y} * (t / {end})"
        return f"{step}np.moveaxis({text}, 0, axis)" if step else text
    return formula


def grid(op: Operation) -> Abstract:
    """Along a first axis an array of so many axes for each of these."""
    dims = dims_of(op["dimensions"])
    return Numeric("array", dtype_of(op, {"dimensions": Items(tuple, (number(2),))}),
                   None if dims is None else (len(dims), *dims))


def nodes_and_weights(op: Operation) -> Abstract:
    part = Numeric("array", np.dtype(float), (length(op, "deg"),))
    return Items(tuple, (part, part))


def like_zeros(op: Operation) -> Abstract:
    """Whatever it is filled with, whose shape samples might not fit to the array's."""
    alike = {name: op.operands[name] for name in ("a", "dtype") if name in op.operands}
    found = result_of(Operation(_unshaped(), alike))
    if isinstance(found, Numeric) and found.dtype is None and "dtype" not in alike:
        found = replace(found, real=is_real(alike["a"]))
    return of_shape(Operation(op.rule, {"a": found}), dims_of(op["shape"])) if op.given("shape") else found


@functools.cache
def _unshaped() -> Rule:
    """That of ``np.zeros_like`` without a shape, whose result samples tell."""
    return replace(RULES[np.zeros_like], result=None)


for line in ("zeros", "ones", "empty"):
    constant(f"np.{line}(shape, dtype=None, order='C')", result=sized("shape"))
general("np.full(shape, fill_value, dtype=None, order='C')", linear="fill_value",
        fill_value="unbroadcast(g, fill_value.shape)", result=sized("shape"), complex=True)
constant("np.eye(N, M=None, k=0, dtype=None)", result=square("N", "M"))
constant("np.identity(n, dtype=None)", result=square("n"))
constant("np.tri(N, M=None, k=0, dtype=None)", result=square("N", "M"))
constant("np.indices(dimensions, dtype=None)", result=grid)
for line in ("chebyshev.chebgauss", "hermite.hermgauss", "laguerre.laggauss", "legendre.leggauss"):
    constant(f"np.polynomial.{line}(deg)", result=nodes_and_weights)
# no rule for the ends: the number of elements depends on them
general("np.arange(start, stop=None, step=None, dtype=None)", result=counted)
general("np.linspace(start, stop, num=50, endpoint=True, *, dtype=None, axis=0)", result=spaced,
        start=end_bar("start", "1, 0"), stop=end_bar("stop", "0, 1"), linear="start+stop",
        complex=True)
# start ** (1 - t) * stop ** t
general("np.geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0)", result=spaced,
        start=ratio_bar("start"), stop=ratio_bar("stop"),
        tangent={"start": ratio_dot("start"), "stop": ratio_dot("stop")})
for line in ("zeros_like", "ones_like", "empty_like"):
    constant(f"np.{line}(a, dtype=None, order='K', subok=True, shape=None)", result=like_zeros)
general("np.full_like(a, fill_value, dtype=None, order='K', subok=True, shape=None)", a=ZERO, result=like_zeros,
        fill_value="unbroadcast(g, fill_value.shape)", linear="fill_value", complex=True)
