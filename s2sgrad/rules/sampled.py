"""Functions of samples and of polynomials' coefficients: differences, integrals, interpolation, fits, signals."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad.errors import UnsupportedError
from s2sgrad.rules.abstract import Abstract, Numeric
from s2sgrad.rules.dims import less
from s2sgrad.rules.reductions import running_sum_bar
from s2sgrad.rules.results import example_of
from s2sgrad.rules.selecting import along, common
from s2sgrad.rules.shapes import diff_bar
from s2sgrad.rules.table import ZERO, Operation, conjugated, elementwise, general

# ---- differences and sums

def joined_for_differences(op: Operation) -> list[str]:
    """What ``np.diff`` joins before it takes differences."""
    return [name for name in ("prepend", "a", "append") if name == "a" or name in op.operands]


def difference_bar(name: str) -> Callable[[Operation], str]:
    def formula(op: Operation) -> str:
        names = joined_for_differences(op)
        if names == ["a"]:
            return diff_bar(op)
        return f"difference_bars(g, n, axis, [{', '.join(names)}], {names.index(name)})"
    return formula


def difference_result(op: Operation) -> Abstract:
    if len(joined_for_differences(op)) == 1:
        found, n, axis = example_of(op.rule, op.operands), op.if_known("n"), op.if_known("axis")
        value = op["a"]
        if type(n) is int and type(axis) is int and isinstance(found, Numeric) and isinstance(value, Numeric) \
                and found.shape and value.shape and n >= 0:
            shape = list(value.shape)
            shape[axis] = less(shape[axis], n)  # as slices name it: x[1:] - x[:-1]
            return replace(found, shape=tuple(shape))
        return found
    found = along()(op)
    dtype = common(op[name] for name in joined_for_differences(op))
    return Numeric("array", dtype, found.shape if isinstance(found, Numeric) else None)


def between(op: Operation) -> str:
    """The differences of neighbours, without what is put before and behind them."""
    start = "np.size(to_begin)" if op.given("to_begin") else ""
    stop = "len(g) - np.size(to_end)" if op.given("to_end") else ""
    return f"np.reshape(undiff(g{f'[{start}:{stop}]' if start or stop else ''}, 1, 0, (ary.size,)), ary.shape)"


def without_first(op: Operation) -> str:
    """The cotangents of a running sum or product but for that of the value before the first."""
    if not op.known("include_initial"):
        return "g"
    return "np.delete(g, 0, axis)" if op.given("axis") else "g[1:]"


def running_product_dot(op: Operation) -> str:
    if not op.known("include_initial"):
        return "running_product_dot(t, x, y, axis)"
    axis = "axis" if op.given("axis") else "0"
    return f"np.insert(running_product_dot(t, x, np.delete(y, 0, {axis}), axis), 0, 0.0, {axis})"


def cumulative(line: str, formula: Callable[[Operation], str], **forwards: Any) -> None:
    """A line for what NumPy has since 2.1."""
    if hasattr(np, line):
        general(f"np.{line}(x, /, *, axis=None, dtype=None, include_initial=False)", x=formula, result=cumulated,
                **forwards)


def cumulated(op: Operation) -> Abstract:
    if not op.if_known("include_initial"):
        return example_of(op.rule, op.operands)
    found, dtype = along("x")(op), op.dtype("x")
    keeps = dtype is not None and dtype.kind == "f" and not op.given("dtype")
    return Numeric("array", dtype if keeps else None, found.shape if isinstance(found, Numeric) else None)


general("np.diff(a, n=1, axis=-1, prepend=None, append=None)", a=difference_bar("a"), prepend=difference_bar("prepend"),
        append=difference_bar("append"), result=difference_result, sharing="maybe", linear="a+prepend+append",
        complex=True)
general("np.ediff1d(ary, to_end=None, to_begin=None)", ary=between, result=lambda op: Numeric(
            "array", op.dtype("ary"), (None,)), sharing="maybe",
        to_begin="np.reshape(g[:np.size(to_begin)], to_begin.shape)",
        to_end="np.reshape(g[len(g) - np.size(to_end):], to_end.shape)", linear="ary+to_end+to_begin", complex=True)
cumulative("cumulative_sum", lambda op: running_sum_bar(op, without_first(op), "x"), linear="x", complex=True)
cumulative("cumulative_prod", lambda op: f"running_product_bar({without_first(op)}, x, axis)",
           tangent={"x": running_product_dot}, complex=True)
# the whole turns that are added are a step function
general("np.unwrap(p, discont=None, axis=-1, *, period=6.283185307179586)", p="g", tangent={"p": "t"})


# ---- integrals and interpolation

def by_steps(text: str, name: str = "samples") -> Callable[[Operation], str]:
    """The integral is a multiple of the distance, where the points are not given."""
    def formula(op: Operation) -> str:
        if name == "dx" and op.given("x"):
            return ZERO
        if not op.given("x") and op.rank("dx"):
            raise UnsupportedError(f"{op.rule.title} with an array for dx has no derivative rule",
                                   "pass the points that are so far apart, x=")
        return text
    return formula


def step_dot(op: Operation) -> str:
    return ZERO if op.given("x") else "np.trapezoid(samples, None, t, axis)"


# the samples' own name is y, which in formulas is the result: they are taken by position; trapz is gone since NumPy 2.4
general("np.trapezoid(samples, x=None, dx=1.0, axis=-1)", samples=by_steps(
            "trapezoid_bar(g, samples.shape, x, dx, axis)"), x="trapezoid_points(g, samples, x, axis)",
        dx=by_steps("np.sum(g * np.trapezoid(samples, None, 1.0, axis))", "dx"),
        aliases=(np.trapz,) if hasattr(np, "trapz") else (),
        linear="samples x", tangent={"dx": step_dot}, complex=True)
general("np.interp(x, xp, fp, left=None, right=None)", x="interp_bar(g, x, xp, fp)", xp="interp_points(g, x, xp, fp)",
        fp="interp_values(g, x, xp, fp, left, right)", left="np.sum(np.where(np.less(x, xp[0]), g, 0.0))",
        right="np.sum(np.where(np.greater(x, xp[-1]), g, 0.0))", linear="fp+left+right",
        tangent={"x": "interp_bar(t, x, xp, fp)", "xp": "interp_points_dot(t, x, xp, fp)"}, complex=True)


# ---- polynomials

def place_bar(op: Operation) -> str:
    slope = "g * polynomial_slope(p, x)"
    return slope if op.rank("p") == 1 else f"unbroadcast({slope}, np.shape(x))"


general("np.polyval(p, x)", p="coefficients_bar(g, p, x)", x=place_bar, linear="p",
        tangent={"x": "t * polynomial_slope(p, x)"}, complex=True)


def fitted(op: Operation) -> Abstract:
    """The same for places that are floats, of which samples differ from each other."""
    x = op["x"]
    if isinstance(x, Numeric) and x.dtype is not None and x.dtype.kind == "i":
        x = Numeric("array", np.dtype(float), x.shape)
    return example_of(op.rule, {**op.operands, "x": x})


general("np.polyfit(x, samples, deg)", result=fitted, x="fitted_bar(g, x, samples, deg, y)",
        samples="fit_inverse(x, deg).T @ g", linear="samples",
        tangent={"x": "fitted_dot(t, x, samples, deg, y)"})
general("np.vander(x, N=None, increasing=False)", x="vander_bar(g, x, increasing)",
        tangent={"x": "vander_dot(t, x, y.shape[1], increasing)"}, complex=True)


def multiplied(op: Operation) -> Abstract:
    """How many coefficients there are depends on those that lead and are 0."""
    return Numeric("array", common([op["a1"], op["a2"]]), (None,))


general("np.polymul(a1, a2)", result=multiplied, a1="factor_bar(g, a1, a2)", a2="factor_bar(g, a2, a1)",
        tangent={"a1": "factor_dot(t, a1, a2, y)", "a2": "factor_dot(t, a2, a1, y)"}, complex=True)
general("np.polyder(p, m=1)", sharing="maybe", linear="p", complex=True,
        p="np.append(g * np.polyder(np.ones(p.shape, g.dtype), m), np.zeros(p.size - g.size, g.dtype))")
general("np.polyint(p, m=1, k=None)", p="g[:p.size] * np.polyint(np.ones(p.shape, g.dtype), m)[:p.size]",
        k="unbroadcast(g[p.size:] * np.polyint(np.zeros(1), m, 1.0)[1:], k.shape)", sharing="maybe", linear="p+k",
        complex=True)


# ---- signals: each element of one meets all of the other

def spread_out(op: Operation, formula: Callable[[str], str], correlates: str = "") -> str:
    """A formula of the cotangent where a convolution of all elements would have put it."""
    mode = op.known("mode")
    mode = {**dict.fromkeys("v0", "valid"), **dict.fromkeys("s1", "same"), **dict.fromkeys("f2", "full")}[
        str(mode)[:1].lower()]
    return formula("g") if mode == "full" else \
        f"spread_bar = in_full(g, a.size, v.size, {mode!r}{correlates}); {formula('spread_bar')}"


def backwards(op: Operation, name: str) -> str:
    rank = op.rank(name)
    return name if rank == 0 else f"{name}[::-1]" if rank else f"np.atleast_1d({name})[::-1]"


def met(op: Operation, name: str, elements: str) -> str:
    """The cotangent of one signal, which may be a single number."""
    return elements if op.rank(name) else f"np.reshape({elements}, {name}.shape)"


def convolved(op: Operation) -> Abstract:
    """Of the longer of two a sample may tell the wrong one, where the size of one is a number."""
    found, mode = example_of(op.rule, op.operands), str(op.if_known("mode"))[:1].lower()
    if not isinstance(found, Numeric) or mode not in ("1", "s"):
        return found
    sizes = {shape[0] if shape else 1 if shape == () else None for shape in (op.shape("a"), op.shape("v"))} - {1}
    return replace(found, shape=(sizes.pop() if len(sizes) == 1 else None,))


def convolve_bar(name: str, other: str) -> Callable[[Operation], str]:
    return lambda op: spread_out(op, lambda bar: met(
        op, name, f"np.convolve({bar}, {backwards(op, other)}, 'valid')"))


general("np.convolve(a, v, mode='full')", linear="a v", complex=True, result=convolved, a=convolve_bar("a", "v"),
        v=convolve_bar("v", "a"))
general("np.correlate(a, v, mode='valid')", linear="a v", complex=True, result=convolved,
        a=lambda op: spread_out(op, lambda bar: f"np.convolve({bar}, {conjugated(op, 'v', 'v')}, 'valid')", ", True"),
        v=lambda op: spread_out(op, lambda bar: conjugated(
            op, f"np.convolve({bar}, a[::-1], 'valid')[::-1]", "y"), ", True"))
elementwise("np.i0(x)", x="i0_slope(x)")
