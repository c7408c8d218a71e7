"""Sums, means, extrema and their like, over all elements or over dimensions."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.rules.table import RULES
from s2sgrad.shim.dtypes import kind_name, numpy_dtype
from s2sgrad.shim.names import both, named
from s2sgrad.shim.operations import Operation, torch_rule
from s2sgrad.shim.pairs import pair_type
from s2sgrad.shim.promotion import floating
from s2sgrad.shim.shapes import axis_of, to
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import Tensor, new_tensor


def axes_of(dim: Any, ndim: int) -> Any:
    """A ``dim`` argument as NumPy's ``axis``: no dimensions at all mean all of them."""
    if dim is None or isinstance(dim, (tuple, list)) and not dim:
        return None
    if isinstance(dim, (tuple, list)):
        axes = tuple(axis_of(item, ndim) for item in dim)
        if len(set(axes)) < len(axes):
            twice = next(axis for axis in axes if axes.count(axis) > 1)
            raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
        return axes if ndim else None
    axis = axis_of(dim, ndim)
    return axis if ndim else None


def pair(name: str, function: Callable, some: str = "", of_all: Callable | None = None
         ) -> tuple[Operation, Operation]:
    """A reduction of the table: of all elements, and over dimensions, which have names of their own. ``of_all``:
    what computes the former in less time."""
    label = name.capitalize()
    return (Operation(name, of_all, RULES[function], operands="a", node=f"{label}Backward0"),
            Operation(name, function, operands="a", node=some or f"{label}Backward1"))


added_up: Any = np.add.reduce
"""In less time than ``np.sum``; all axes are ``None`` here, which not every release's stubs know."""


def sum_of(a: Any) -> Any:
    return added_up(a, None)


def mean_of(a: Any) -> Any:
    return added_up(a, None) / a.size


def reduced(operations: tuple[Operation, Operation], input: Tensor, dim: Any, keepdim: bool, **more: Any) -> Any:
    axes = axes_of(dim, input._array.ndim)
    if axes is None and not keepdim:
        return operations[0 if dim is None else 1].run((input,), more)
    return operations[1].run((input,), {"axis": axes, "keepdims": keepdim, **more})


SUM, MEAN = pair("sum", np.sum, of_all=sum_of), pair("mean", np.mean, of_all=mean_of)
PROD = pair("prod", np.prod)
AMAX, AMIN = pair("amax", np.max, some="AmaxBackward0"), pair("amin", np.min, some="AminBackward0")
MAX, MIN = Operation("max", np.max, node="MaxBackward1"), Operation("min", np.min, node="MinBackward1")
STD, VAR = pair("std", np.std, some="StdBackward0"), pair("var", np.var, some="VarBackward0")
NANSUM = pair("nansum", np.nansum, some="NansumBackward0")


def in_dtype(input: Tensor, dtype: Any, sums: bool) -> Tensor:
    """``dtype=`` casts first; sums of small integers are of int64."""
    if dtype is not None:
        return to(input, numpy_dtype(dtype))
    return to(input, np.dtype(np.int64)) if sums and input._array.dtype.kind != "f" else input


@both
def sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:  # noqa: A001
    return reduced(SUM, in_dtype(input, dtype, True), dim, keepdim)


@both
def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    return reduced(NANSUM, in_dtype(input, dtype, True), dim, keepdim)


@both
def prod(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    return reduced(PROD, in_dtype(input, dtype, True), dim, keepdim)


@both
def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    input = in_dtype(input, dtype, False)
    if input._array.dtype.kind != "f":
        raise RuntimeError("mean(): could not infer output dtype. Input dtype must be either a floating point or "
                           f"complex dtype. Got: {input.dtype.legacy.removesuffix('Tensor')}")
    return reduced(MEAN, input, dim, keepdim)


def spread(operations: tuple[Operation, Operation], name: str) -> None:
    def function(input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
                 correction: Any = None) -> Tensor:
        if isinstance(dim, bool):  # ``std(unbiased)``
            dim, unbiased = None, dim
        if input._array.dtype.kind != "f":
            raise RuntimeError("std and var only support floating point and complex dtypes")
        ddof = correction if correction is not None else 1 if unbiased is None else int(unbiased)
        return reduced(operations, input, dim, keepdim, ddof=ddof)

    both(named(function, name))


spread(STD, "std")
spread(VAR, "var")


def extreme(name: str, operations: tuple[Operation, Operation]) -> None:
    def function(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
        axes = axes_of(dim, input._array.ndim)
        for axis in axes if isinstance(axes, tuple) else () if axes is None else (axes,):
            not_empty(name, input._array, axis)
        return reduced(operations, input, dim, keepdim)  # type: ignore[no-any-return]

    both(named(function, name))


extreme("amax", AMAX)
extreme("amin", AMIN)


# ---- with the place of the extremum

def picker(name: str, node: str = "") -> Operation:
    """Elements at places that an index tells, each perhaps several times."""
    return Operation(name, rule=torch_rule(f"{name}(x, index)", lambda x, index: x[index],
                                           x="put_back(g, x.shape, numbered(x.shape)[index])"),
                     operands="x", opaque="index", node=node)


def not_empty(name: str, array: np.ndarray, axis: int | None) -> None:
    """Raises IndexError where there is nothing to choose from."""
    if axis is None and not array.size:
        raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
    if axis is not None and array.ndim and not array.shape[axis]:
        raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")


def extremum(name: str, whole: Operation, of_two: str, places: Callable) -> None:
    """``max()``, ``max(dim)`` with values and indices, ``max(other)``."""
    result = pair_type(name)
    chosen = picker(name, f"{name.capitalize()}Backward0")

    def function(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
        if other is not None or isinstance(dim, Tensor):
            return getattr(Tensor, of_two)(input, dim if other is None else other)
        if dim is None:
            return whole.run((input,))
        axis = axis_of(dim, input._array.ndim)
        if not input._array.ndim:
            return result(chosen.run((input,), {"index": ()}), new_tensor(np.zeros((), np.int64)))
        not_empty(name, input._array, axis)
        indices = np.asarray(places(input._array, axis, keepdims=keepdim))
        grid: list[Any] = list(np.indices(indices.shape, sparse=True))
        if keepdim:
            grid[axis] = indices
        else:
            grid.insert(axis, indices)
        return result(chosen.run((input,), {"index": tuple(grid)}), new_tensor(indices))

    both(named(function, name))


extremum("max", MAX, "maximum", np.argmax)
extremum("min", MIN, "minimum", np.argmin)


def arg(name: str, function: Callable) -> None:
    def found(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        axis = None if dim is None else axis_of(dim, input._array.ndim)
        not_empty(name, input._array, axis)
        if input._array.dtype.kind == "b":
            raise RuntimeError(f"{name}(): does not support bool input")
        options = {"axis": axis, "keepdims": keepdim} if axis is not None or keepdim else {}
        return new_tensor(np.asarray(state.now.quiet.run(function, input._array, **options)))

    both(named(found, name))


arg("argmax", np.argmax)
arg("argmin", np.argmin)


def test(name: str, function: Callable) -> None:
    def found(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        axes = axes_of(dim, input._array.ndim)
        options = {"axis": axes, "keepdims": keepdim} if axes is not None or keepdim else {}
        value = np.asarray(state.now.quiet.run(function, input._array, **options))
        if input._array.dtype == np.uint8 and value.dtype.kind == "b":  # the flags that there were once
            value = state.now.quiet.run(value.astype, np.uint8)
        return new_tensor(value)

    both(named(found, name))


test("all", np.all)
test("any", np.any)
test("count_nonzero", np.count_nonzero)


# ---- norms

def norm_operation(order: float) -> Operation:
    """The vector norm of an order; the derivative at 0 is 0."""
    def function(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        if order == 2:
            return np.sqrt((x * x).sum(axis=axis, keepdims=keepdims))
        if order == 1:
            return np.abs(x).sum(axis=axis, keepdims=keepdims)
        if order == np.inf:
            return np.abs(x).max(axis=axis, keepdims=keepdims)
        if order == -np.inf:
            return np.abs(x).min(axis=axis, keepdims=keepdims)
        if order == 0:
            return (x != 0).sum(axis=axis, keepdims=keepdims).astype(x.dtype)
        return (np.abs(x) ** order).sum(axis=axis, keepdims=keepdims) ** x.dtype.type(1 / order)

    def formula(op: Any) -> str:
        axes, kept = op.if_known("axis"), op.if_known("keepdims")
        put_back = "{}" if axes is None or kept else f"np.expand_dims({{}}, {axes!r})"
        g, y = put_back.format("g"), put_back.format("y")
        if order == 2:
            return f"{g} * divide_or_zero(x, {y})"
        if order == 1:
            return f"{g} * np.sign(x)"
        if order == 0:
            return "np.zeros_like(x)"
        if abs(order) == np.inf:
            return (f"hit = np.abs(x) == {y}; {g} * np.sign(x) * hit / "
                    f"np.sum(hit, axis={axes!r}, keepdims=True, dtype=g.dtype)")
        if order < 1:
            return f"{g} * np.sign(x) * np.where(x == 0, 0, divide_or_zero(np.abs(x), {y}) ** {order - 1!r})"
        return f"{g} * np.sign(x) * divide_or_zero(np.abs(x), {y}) ** {order - 1!r}"

    return Operation("norm", rule=torch_rule("norm(x, axis=None, keepdims=False)", function, x=formula), operands="x",
                     node="LinalgVectorNormBackward0")


NORMS: dict[float, Operation] = {}


def vector_norm(input: Tensor, ord: float = 2, dim: Any = None, keepdim: bool = False) -> Tensor:
    if input._array.dtype.kind != "f":
        raise RuntimeError("linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
                           f"{kind_name(input._array.dtype)}")
    if ord not in NORMS:
        NORMS[ord] = norm_operation(ord)
    axes = axes_of(dim, input._array.ndim)
    if (abs(ord) == np.inf or ord < 0) and not input._array.size and axes is None:
        raise RuntimeError(f"linalg.vector_norm cannot compute the {ord} norm on an empty tensor because the operation "
                           "does not have an identity")
    return NORMS[ord].run((input,), {"axis": axes, "keepdims": keepdim} if axes is not None or keepdim
                          else {})


@both
def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    input = in_dtype(input, dtype, False)
    if p == "nuc":
        from s2sgrad.shim.linalg import matrix_norm

        return matrix_norm(input, "nuc", (0, 1) if dim is None else dim, keepdim)
    return vector_norm(input, 2 if p == "fro" or p is None else float(p), dim, keepdim)


# ---- running results

cumsum_of = Operation("cumsum", np.cumsum, operands="a")
cumprod_of = Operation("cumprod", np.cumprod, operands="a")


def running(name: str, operation: Operation) -> None:
    def function(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
        input = in_dtype(input, dtype, True)
        if not input._array.ndim:
            return input.clone()
        return operation.run((input,), {"axis": axis_of(dim, input._array.ndim)})

    both(named(function, name))


running("cumsum", cumsum_of)
running("cumprod", cumprod_of)



def tail_sums(x1: Any, x2: Any, x3: Any, axis: int) -> Any:
    """Behind each place the sum of ``x1 * exp(x2 at the place - x3)``, where ``x3`` never falls and is the larger."""
    found = np.empty_like(x1)
    g, x, y, out = (np.moveaxis(item, axis, 0) for item in (x1, x2, x3, found))
    total: Any = 0
    for place in range(len(g) - 1, -1, -1):
        rise = y[min(place + 1, len(g) - 1)]
        total = g[place] + total * np.exp(lowered(y[place], rise))
        out[place] = total * np.exp(lowered(x[place], y[place]))
    return found


def head_sums(x1: Any, x2: Any, x3: Any, axis: int) -> Any:
    """Up to each place the sum of ``x1 * exp(x2 - x3 at the place)``: the adjoint of the other in ``x1``."""
    found = np.empty_like(x1)
    g, x, y, out = (np.moveaxis(item, axis, 0) for item in (x1, x2, x3, found))
    for place in range(len(g)):
        own = g[place] * np.exp(lowered(x[place], y[place]))
        out[place] = own + out[place - 1] * np.exp(lowered(y[place - 1], y[place])) if place else own
    return found


def lowered(lower: Any, upper: Any) -> Any:
    """How much lower, 0 for what is equal, be it infinite."""
    return np.where(lower == upper, 0, lower - upper)


SUMS = {"tail_sums": tail_sums, "head_sums": head_sums}
RULES[tail_sums] = torch_rule("tail_sums(x1, x2, x3, axis)", tail_sums, x1="head_sums(g, x2, x3, axis)", x2="g * y",
                              x3="-x1 * head_sums(g, x2, x3, axis)", names=SUMS)
RULES[head_sums] = torch_rule("head_sums(x1, x2, x3, axis)", head_sums, x1="tail_sums(g, x2, x3, axis)",
                              x2="x1 * tail_sums(g, x2, x3, axis)", x3="-g * y", names=SUMS)
logcumsumexp_of = Operation("logcumsumexp", rule=torch_rule(
    "logcumsumexp(x, axis)", lambda x, axis: np.logaddexp.accumulate(x, axis), x="tail_sums(g, x, y, axis)",
    names=SUMS), operands="x")


@both
def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """The logarithm of the running sum of exponentials."""
    axis = axis_of(dim, input._array.ndim)
    rows = floating(input)
    return logcumsumexp_of.run((rows,), {"axis": axis}) if input._array.ndim else rows.clone()


# ---- shares of a whole

softmax_of = Operation("softmax", rule=torch_rule(
    "softmax(x, dim)", lambda x, dim: softmax_values(x, dim),
    x="weighted = g * y; weighted - y * np.sum(weighted, axis=dim, keepdims=True)"), operands="x")
log_softmax_of = Operation("log_softmax", rule=torch_rule(
    "log_softmax(x, dim)", lambda x, dim: log_softmax_values(x, dim),
    x="g - np.exp(y) * np.sum(g, axis=dim, keepdims=True)"), operands="x")
logsumexp_of = Operation("logsumexp", rule=torch_rule(
    "logsumexp(x, axis, keepdims)", lambda x, axis, keepdims: logsumexp_values(x, axis, keepdims),
    x=lambda op: "{} * np.exp(x - {})".format(*(
        label if op.known("keepdims") or op.known("axis") is None else f"np.expand_dims({label}, {op.known('axis')!r})"
        for label in ("g", "y")))), operands="x")


def softmax_values(x: Any, dim: Any) -> Any:
    shifted = np.exp(x - np.max(x, axis=dim, keepdims=True, initial=-np.inf))
    return shifted / np.sum(shifted, axis=dim, keepdims=True)


def log_softmax_values(x: Any, dim: Any) -> Any:
    shifted = x - np.max(x, axis=dim, keepdims=True, initial=-np.inf)
    return shifted - np.log(np.sum(np.exp(shifted), axis=dim, keepdims=True))


def logsumexp_values(x: Any, axis: Any, keepdims: bool) -> Any:
    top = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    found = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return found if keepdims else np.squeeze(found, axis)


def share(name: str, operation: Operation) -> None:
    def function(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
        input = in_dtype(input, dtype, False)
        axis = axis_of(dim, input._array.ndim) if input._array.ndim else None
        if input._array.dtype.kind != "f":
            raise NotImplementedError(f"\"{name}_kernel_impl\" not implemented for '{kind_name(input._array.dtype)}'")
        return operation.run((input,), {"dim": axis})

    both(named(function, name))


share("softmax", softmax_of)
share("log_softmax", log_softmax_of)


@both
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    axes = axes_of(dim, input._array.ndim)
    return logsumexp_of.run((floating(input),), {"axis": axes, "keepdims": keepdim})

