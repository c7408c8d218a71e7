"""What has no derivative: indices, comparisons, tests, shapes."""
from __future__ import annotations

import numpy as np

from s2sgrad.rules.abstract import INTEGER, Abstract, Dim, Items, Numeric
from s2sgrad.rules.table import ATTRIBUTES, METHODS, RULES, Operation, constant

for line in (
    "greater(x1, x2)", "greater_equal(x1, x2)", "less(x1, x2)", "less_equal(x1, x2)", "equal(x1, x2)",
    "not_equal(x1, x2)", "logical_and(x1, x2)", "logical_or(x1, x2)", "logical_xor(x1, x2)", "logical_not(x)",
    "isnan(x)", "isinf(x)", "isfinite(x)", "isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False)",
    "allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False)", "array_equal(a1, a2)",
    "result_type(a)", "iscomplexobj(x)", "isrealobj(x)", "isscalar(element)",
    "linalg.matrix_rank(A)",
):
    constant(f"np.{line}")
for line in ("argmax(a, axis=None, *, keepdims=False)", "argmin(a, axis=None, *, keepdims=False)",
             "argsort(a, axis=-1, kind=None)", "any(a, axis=None, *, keepdims=False)",
             "all(a, axis=None, *, keepdims=False)"):
    constant(f"np.{line}", method=True)
constant("np.count_nonzero(a, axis=None)")


def unknown(op: Operation) -> Abstract:
    """How many there are depends on the values."""
    return Numeric("array", np.dtype(np.intp), (None,))


constant("np.flatnonzero(a)", result=unknown)
constant("np.searchsorted(a, v, side='left')")
constant("np.digitize(x, bins, right=False)")
constant("np.nonzero(a)", result=lambda op: Items(tuple, None, Numeric("array", np.dtype(np.intp), (None,))),
         method=True)


def size_of(dim: Dim) -> Numeric:
    if isinstance(dim, int):
        return Numeric("python", INTEGER.dtype, (), value=dim)
    return Numeric("python", INTEGER.dtype, (), dim=dim)


def shape_result(op: Operation) -> Abstract:
    shape = op.shape("a")
    return Items(tuple, None, INTEGER) if shape is None else Items(tuple, tuple(map(size_of, shape)))


def rank_result(op: Operation) -> Abstract:
    rank = op.rank("a")
    return INTEGER if rank is None else Numeric("python", INTEGER.dtype, (), value=rank)


def size_result(op: Operation) -> Abstract:
    shape = op.shape("a")
    return size_of(shape[0]) if shape is not None and len(shape) == 1 else INTEGER


def length_result(op: Operation) -> Abstract:
    value = op["a"]
    if isinstance(value, Items) and value.items is not None:
        return size_of(len(value.items))
    shape = op.shape("a")
    return size_of(shape[0]) if shape else INTEGER


ATTRIBUTES["shape"] = constant("np.shape(a)", result=shape_result)
ATTRIBUTES["ndim"] = constant("np.ndim(a)", result=rank_result)
ATTRIBUTES["size"] = constant("np.size(a)", result=size_result)
ATTRIBUTES["dtype"] = constant("np.ndarray.dtype(a)", function="attribute dtype")
RULES[len] = constant("builtins.len(a)", result=length_result)
METHODS["tolist"] = constant("np.ndarray.tolist(a)", function="method tolist")
