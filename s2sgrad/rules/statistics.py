"""Reductions that pass over NaN, quantiles, weighted means, covariances."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad.rules.abstract import MISSING, SEVERAL, Abstract, Items, Numeric
from s2sgrad.rules.reductions import (
    count,
    counts_all,
    extremum_from_bar,
    for_all_results,
    hits,
    may_be_empty,
    over,
    over_results,
    restore_axes,
    running_sum_bar,
    start_above_bar,
    start_above_dot,
    start_bar,
    start_dot,
    start_of_product,
    times_start,
)
from s2sgrad.rules.results import example_of
from s2sgrad.rules.table import ZERO, Operation, conjugated, general, reduction

# ---- what is NaN has no influence, and the cotangent 0

def numbers(op: Operation) -> str:
    """Which elements count: those that are no NaN."""
    return "~np.isnan(a)" if counts_all(op) else "~np.isnan(a) & where"


def nan_sum_bar(op: Operation) -> str:
    return f"np.where({numbers(op)}, {restore_axes(op)}, 0.0)"


def nan_sum_dot(op: Operation) -> str:
    """A factor of 0 and 1 would widen single precision."""
    return f"np.sum(np.where({numbers(op)}, t, 0.0), {over_results(op)})"


def nan_mean_bar(op: Operation) -> str:
    return f"hit = {numbers(op)}; {restore_axes(op)} / {hits(op)} * hit"


def nan_divisor(op: Operation) -> str:
    ddof = op.known("ddof")
    return f"({hits(op)} - {ddof!r})" if ddof else hits(op)


def nan_deviation(op: Operation) -> str:
    """From the mean of the elements that count; of complex ones its conjugate."""
    mean = f"np.nanmean(a{over(op)}{'' if counts_all(op) else ', where=where'})"
    return conjugated(op, f"np.where(hit, a - {mean}, 0.0)", "a")


def nan_var_bar(op: Operation) -> str:
    return f"hit = {numbers(op)}; {restore_axes(op)} * 2.0 * {nan_deviation(op)} / {nan_divisor(op)}"


def nan_std_bar(op: Operation) -> str:
    """Where all elements are equal it is taken to be 0, as that of ``std``."""
    return (f"hit = {numbers(op)}; rest = {nan_deviation(op)}; "
            f"divide_or_zero({restore_axes(op)} * rest, {restore_axes(op, 'y')} * {nan_divisor(op)})")


def nan_prod_bar(op: Operation) -> str:
    others = f"product_of_others(np.where({numbers(op)}, a, 1.0), {op.known('axis')!r})"
    return f"np.where({numbers(op)}, {restore_axes(op)}{times_start(op)} * {others}, 0.0)"


def start_of_nan_product(op: Operation) -> str:
    return start_of_product(op, "np.nanprod")


reduction("np.nansum(a, axis=None, dtype=None, *, keepdims=False, initial=0, where=True)", a=nan_sum_bar,
          initial=start_bar, tangent={"a": nan_sum_dot, "initial": start_dot}, complex=True)
reduction("np.nanmean(a, axis=None, dtype=None, *, keepdims=False, where=True)", a=nan_mean_bar, complex=True)
reduction("np.nanvar(a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=True)", a=nan_var_bar, complex=True)
reduction("np.nanstd(a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=True)", a=nan_std_bar, complex=True)
reduction("np.nanprod(a, axis=None, dtype=None, *, keepdims=False, initial=1, where=True)", a=nan_prod_bar,
          initial=lambda op: for_all_results(op, f"g * {start_of_nan_product(op)}"),
          tangent={"initial": lambda op: f"t * {start_of_nan_product(op)}"}, complex=True)
for name in ("nanmax", "nanmin"):
    reduction(f"np.{name}(a, axis=None, *, keepdims=False, initial=None, where=True)", a=extremum_from_bar,
              initial=start_above_bar, tangent={"initial": start_above_dot})
general("np.nancumsum(a, axis=None, dtype=None)", a=lambda op: f"np.where(np.isnan(a), 0.0, {running_sum_bar(op)})",
        tangent={"a": "np.cumsum(np.where(np.isnan(a), 0.0, t), axis)"}, complex=True)
general("np.nancumprod(a, axis=None, dtype=None)",
        a="np.where(np.isnan(a), 0.0, running_product_bar(g, np.where(np.isnan(a), 1.0, a), axis))",
        tangent={
            "a": "running_product_dot(np.where(np.isnan(a), 0.0, t), np.where(np.isnan(a), 1.0, a), y, axis)"},
        complex=True)


# ---- quantiles

PERCENT = "np.divide(q, 100)"


def quantile(start: str, q: str, skips_nan: bool) -> Callable[[Operation], str]:
    def formula(op: Operation) -> str:
        weighed = "weights" in op.operands and op.given("weights")
        known = op.if_known("q") if q != "0.5" else MISSING
        place = repr(known / 100) if q == PERCENT and isinstance(known, (int, float)) else q
        last = f", {skips_nan}, weights" if weighed else ", True" if skips_nan else ""
        return f"quantile_{start}, {place}, axis, keepdims, {'linear' if q == '0.5' else op.known('method')!r}{last})"
    return formula


RATES = {"linear": "", "interpolated_inverted_cdf": " + 1", "hazen": " + 1", "weibull": " + 2",
         "median_unbiased": " + 4 / 3", "normal_unbiased": " + 5 / 4"}
"""How many elements further it goes while ``q`` goes from 0 to 1, beyond one less than there are; with other methods a
quantile stays the same where it moves a little."""


def rise(at: str, text: Callable[[Operation], str], over_numbers: str = "quantile_rise(a, a") -> Callable[
        [Operation], str]:
    """A formula in ``q``, after the steps for the ``slope``: that from one of the elements that a quantile lies between
    to the other, or of what is put together of elements as the quantile is; where it is an element itself both are the
    same, as in PyTorch. ``over_numbers``: the helper that finds it where rows have numbers of elements of their own."""
    def formula(op: Operation) -> str:
        method = op.known("method")
        if method not in RATES or op.given("weights"):
            return ZERO
        in_hundred = op.rule.title.endswith("percentile")
        share, factor = ("q / 100", "100 * ") if in_hundred else ("q", "")
        if op.rule.title.startswith("nan") or "skips_nan" in op.operands and op.known("skips_nan"):
            further = RATES[method].removeprefix(" + ") or "0"
            slope = f"{over_numbers}, {share}, axis, keepdims, {method!r}, {further})"
            return f"slope = {slope}{' / 100' * in_hundred}; {text(op)}"
        place = f"last * {share}" if method == "linear" else \
            f"np.quantile(np.arange(last + 1.0), {share}, method={method!r})"
        module = "math" if op.is_number("q") else "np"  # whose numbers widen no single precision
        if module == "np" and method != "linear":
            place += ".astype(np.result_type(q))"
        ends = (at.format(f"{factor}{module}.{end}(place) / last", over_results(op)) for end in ("ceil", "floor"))
        slope = f"(last{RATES[method]}){' / 100' * in_hundred} * ({' - '.join(ends)})"
        return f"last = max({count(op)} - 1, 1); place = {place}; slope = {slope}; {text(op)}"
    return formula


def share_bar(g: str) -> Callable[[Operation], str]:
    return lambda op: f"np.sum({g} * slope)" if op.is_number("q") else \
        f"np.sum(np.reshape({g} * slope, q.shape + (-1,)), axis=-1)"


def over_elements(op: Operation, y: str) -> str:
    """The tangent of ``q`` as it multiplies a result."""
    return "t" if op.is_number("q") else f"np.reshape(t, q.shape + (1,) * (np.ndim({y}) - q.ndim))"


def quantiles_bar_dot(op: Operation) -> str:
    moved = f"quantile_bar(bar * {over_elements(op, 'bar')}, a, {{}}, axis, keepdims, 'linear')"
    return rise(moved, lambda op: "slope", f"quantile_rise_bar(bar * {over_elements(op, 'bar')}, a")(op)


IN_Q: dict[str, Any] = {
    "quantile_bar": {"q": rise("quantile_dot(g, a, bar, {}, axis, keepdims, 'linear')", share_bar("bar"),
                               "quantile_rise(g, a"),
                     "tangent": {"q": quantiles_bar_dot}},
    "quantile_dot": {"q": rise("quantile_dot(t, a, y, {}, axis, keepdims, 'linear')", share_bar("g"),
                               "quantile_rise(t, a")}}
"""The formulas of the helpers."""


def quantiles(line: str, q: str, skips_nan: bool) -> None:
    """The weights tell which element it is, and have no derivative."""
    partials: dict[str, Any] = {"weights": ZERO} if "weights" in line else {}
    tangent = {"a": quantile("dot(t, a, y", q, skips_nan)}
    if "(a, q" in line:
        at = f"np.{line.partition('(')[0]}(a, {{}}, {{}})"
        partials["q"] = rise(at, share_bar("g"))
        tangent["q"] = rise(at, lambda op: f"{over_elements(op, 'y')} * slope")
    general(f"np.{line}", a=quantile("bar(g, a", q, skips_nan), tangent=tangent, **partials)


WEIGHTS = ", weights=None" if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else ""
for prefix in ("", "nan"):
    quantiles(f"{prefix}median(a, axis=None, *, keepdims=False)", "0.5", bool(prefix))
    quantiles(f"{prefix}quantile(a, q, axis=None, *, method='linear', keepdims=False{WEIGHTS})", "q", bool(prefix))
    quantiles(f"{prefix}percentile(a, q, axis=None, *, method='linear', keepdims=False{WEIGHTS})", PERCENT,
              bool(prefix))


# ---- means with weights

def as_promoted(mean: Abstract, weights: Numeric) -> Abstract:
    """A mean's value, once it was weighed."""
    if not isinstance(mean, Numeric):
        return mean
    known = mean.dtype is not None and weights.dtype is not None
    return replace(mean, dtype=np.result_type(mean.dtype, weights.dtype) if known else None)


def average_result(op: Operation) -> Abstract:
    returned = op.if_known("returned")
    if not isinstance(returned, bool):
        return SEVERAL
    plain = {name: value for name, value in op.operands.items() if name != "returned"}
    weights = plain.get("weights")
    if isinstance(weights, Numeric) and weights.kind == "array":  # as many as there are numbers, or NumPy says no
        del plain["weights"]
        mean = as_promoted(example_of(op.rule, plain), weights)
    else:
        mean = example_of(op.rule, plain)
    if not returned:
        return mean
    part = mean if isinstance(mean, Numeric) else Numeric()
    return Items(tuple, (part, Numeric("any", part.dtype, part.shape)))


def weighed(op: Operation) -> tuple[str, str]:
    """The weights as they broadcast to the array, and their sums."""
    same = op.rank("weights") is not None and op.rank("weights") == op.rank("a")
    weights = "weights" if same else "spread_weights(weights, a, axis)"
    return weights, f"np.sum({weights}{over(op)})"


def mean_bar(op: Operation) -> str | tuple[str, str]:
    g = "g_0" if op.reached else "g"
    if op.given("weights"):
        weights, total = weighed(op)
        text = f"{restore_axes(op, g)} * {weights} / {total}"
    else:
        text = f"{restore_axes(op, g)} / {f'({count(op)} or 1)' if may_be_empty(op['a']) else count(op)}"
    return (f"np.broadcast_to({text}, a.shape)", "0") if op.reached else text


def mean_weights_bar(op: Operation) -> str | tuple[str, str]:
    g, y = ("g_0", "y_0") if op.reached else ("g", "y")
    text = f"{restore_axes(op, g)} * (a - {restore_axes(op, y)}) / {weighed(op)[1]}"
    same = op.rank("weights") is not None and op.rank("weights") == op.rank("a")
    first = text if same else f"weights_bar({text}, weights, axis)"
    spread = f"np.broadcast_to({restore_axes(op, 'g_1')}, a.shape)"
    return (first, spread if same else f"weights_bar({spread}, weights, axis)") if op.reached else first


def mean_dot(op: Operation) -> tuple[str, str]:
    """Where the sums of weights are returned too."""
    weights = ", weights=weights" if op.given("weights") else ""
    return f"np.average(t, axis={op.known('axis')!r}{weights}, keepdims={op.known('keepdims')!r})", "0"


def mean_weights_dot(op: Operation) -> str | tuple[str, str]:
    same = op.rank("weights") is not None and op.rank("weights") == op.rank("a")
    spread = "t" if same else "spread_weights(t, a, axis)"
    y, total = ("y_0", "y_1") if op.reached else ("y", weighed(op)[1].replace("keepdims=True", "keepdims=keepdims"))
    summed = f"axis={op.known('axis')!r}, keepdims={op.known('keepdims')!r}"
    first = f"np.sum({spread} * (a - {restore_axes(op, y)}), {summed}) / {total}"
    return (first, f"np.sum(np.broadcast_to({spread}, a.shape), {summed})") if op.reached else first


reduction("np.average(a, axis=None, weights=None, returned=False, *, keepdims=False)", a=mean_bar,
          weights=mean_weights_bar, parts=(0, 1), result=average_result, linear="a",
          tangent={"a": mean_dot, "weights": mean_weights_dot}, complex=True)


# ---- covariances and products of blocks

def degrees(op: Operation) -> str:
    """How many less than the observations the sum of products is divided by."""
    bias = op.if_known("bias")
    if op.given("ddof"):
        return "ddof"
    return "int(not bias)" if bias is MISSING else repr(int(not bias))


def covariance(name: str) -> Callable[[Operation], str]:
    def formula(op: Operation) -> str:
        return f"{name}, m, rowvar, {degrees(op)})"
    return formula


general("np.cov(m, *, rowvar=True, bias=False, ddof=None, dtype=None)", m=covariance("covariance_bar(g"),
        tangent={"m": covariance("covariance_dot(t")}, complex=True)
general("np.corrcoef(x, *, rowvar=True, dtype=None)", x="correlation_bar(g, x, y, rowvar)",
        tangent={"x": "correlation_dot(t, x, y, rowvar)"}, complex=True)
general("np.kron(a, b)", a="kron_left(g, a, b)", b="kron_right(g, a, b)", linear="a b", complex=True)


def dot_products(other: str, mine: str) -> Callable[[Operation], str]:
    def formula(op: Operation) -> str:
        if op.if_known("axis") == -1:
            ranks = op.rank("x1"), op.rank("x2")
            product = f"g * {other}" if ranks == (1, 1) else f"np.expand_dims(g, -1) * {other}"
            return product if ranks == (1, 1) else f"unbroadcast({product}, {mine}.shape)"
        return f"dot_products_bar(g, {other}, {mine}, axis)"
    return formula


def first_of_products(op: Operation) -> str:
    return conjugated(op, dot_products("x2", "x1")(op), "y")


def second_of_products(op: Operation) -> str:
    return dot_products(conjugated(op, "x1", "x1"), "x2")(op)


general("np.vecdot(x1, x2, /, *, axis=-1)", x1=first_of_products, x2=second_of_products,
        aliases=(np.linalg.vecdot,), linear="x1 x2", complex=True)
