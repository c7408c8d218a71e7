"""What has no derivative: indices, comparisons, tests, shapes."""
from __future__ import annotations

import numpy as np

from s2sgrad.rules.abstract import INTEGER, MISSING, Abstract, Items, Known, Numeric, Opaque
from s2sgrad.rules.dims import Dim
from s2sgrad.rules.table import Operation, constant, general

for line in (
    "logical_and(x1, x2)", "logical_or(x1, x2)", "logical_xor(x1, x2)", "logical_not(x)",
    "isnan(x)", "isinf(x)", "isfinite(x)", "isposinf(x)", "isneginf(x)",
    "isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False)",
    "allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False)",
    "array_equal(a1, a2, equal_nan=False)", "array_equiv(a1, a2)", "fix(x)",
    "iscomplexobj(x)", "isrealobj(x)", "isscalar(element)",
    "linalg.matrix_rank(A, tol=None, hermitian=False, *, rtol=None)",
    "count_nonzero(a, axis=None, *, keepdims=False)",
    "searchsorted(a, v, side='left', sorter=None)",
    "isin(element, test_elements, assume_unique=False, invert=False, *, kind=None)", "isreal(x)", "iscomplex(x)",
    "nanargmax(a, axis=None, *, keepdims=False)", "nanargmin(a, axis=None, *, keepdims=False)",
):
    constant(f"np.{line}")
for line in ("argmax(a, axis=None, *, keepdims=False)", "argmin(a, axis=None, *, keepdims=False)",
             "argsort(a, axis=-1, kind=None, *, stable=None)", "any(a, axis=None, *, keepdims=False, where=True)",
             "all(a, axis=None, *, keepdims=False, where=True)"):
    constant(f"np.{line}", method=True)


def common_dtype(op: Operation) -> Abstract:
    """``result_type``: known where all that it is given has a dtype that is known, and Python's own numbers none."""
    value, found = op["arrays"], []
    for item in value.items or (value,) if isinstance(value, Items) else (value,):
        if isinstance(item, Numeric) and item.dtype is not None and item.kind in ("array", "scalar", "python"):
            found.append(item.dtype.type(0).item() if item.kind == "python" else item.dtype)
        elif isinstance(item, Known) and isinstance(item.value, (np.dtype, type)):
            found.append(item.value)
        else:
            return Opaque()
    return Known(np.result_type(*found))


def given_dtype(op: Operation) -> Abstract:
    wanted = op.if_known("dtype")
    try:
        return Opaque() if wanted is MISSING else Known(np.dtype(wanted))
    except TypeError:  # as the call itself says
        return Opaque()


constant("np.result_type(arrays)", variadic="*arrays", result=common_dtype)
constant("np.dtype(dtype)", result=given_dtype)
constant("ndarray.searchsorted(a, v, side='left', sorter=None)")

INDICES = Numeric("array", np.dtype(np.intp), (None,))
"""As many as the values give."""


def nonzero_result(op: Operation) -> Abstract:
    """An array of indices for each axis."""
    rank = op.rank(op.rule.parameters[0].name)
    return Items(tuple, None, INDICES) if rank is None else Items(tuple, (INDICES,) * rank)


constant("np.flatnonzero(a)", result=INDICES)
constant("np.nonzero(a)", result=nonzero_result, method=True)
constant("np.diag_indices_from(arr)", result=nonzero_result)
constant("np.diag_indices(n, ndim=2)", result=lambda op: Items(tuple, None, INDICES))
for line in ("triu_indices_from(arr, k=0)", "tril_indices_from(arr, k=0)", "triu_indices(n, k=0, m=None)",
             "tril_indices(n, k=0, m=None)"):
    constant(f"np.{line}", result=lambda op: Items(tuple, (INDICES, INDICES)))
constant("np.argwhere(a)", result=lambda op: Numeric("array", INDICES.dtype, (None, op.rank("a"))))


def index_for_each(value: Abstract) -> Numeric:
    """A number for a number, an array for an array."""
    if not isinstance(value, Numeric):
        return Numeric()
    return Numeric("scalar" if value.shape == () else value.kind, INDICES.dtype, value.shape)


def places_result(op: Operation) -> Abstract:
    """An index along each axis."""
    sizes, part = op["shape"], index_for_each(op["indices"])
    count = len(sizes.items) if isinstance(sizes, Items) and sizes.items is not None else None
    return Items(tuple, None, part) if count is None else Items(tuple, (part,) * count)


constant("np.digitize(x, bins, right=False)", result=lambda op: index_for_each(op["x"]))
constant("np.unravel_index(indices, shape, order='C')", result=places_result)


def window(op: Operation) -> Abstract:
    """So many weights."""
    size = op["M"]
    whole = isinstance(size, Numeric) and size.is_number and size.dtype is not None and size.dtype.kind == "i"
    return Numeric("array", np.dtype(float), (None,)) if whole else Numeric()


# no rule for how long they are, which may be any number
for line in ("hanning(M)", "hamming(M)", "blackman(M)", "bartlett(M)", "kaiser(M, beta)"):
    general(f"np.{line}", result=window)


# ---- sizes

def size_of(dim: Dim) -> Numeric:
    if isinstance(dim, int):
        return Numeric("python", INTEGER.dtype, (), value=dim)
    return Numeric("python", INTEGER.dtype, (), dim=dim)


def shape_result(op: Operation) -> Abstract:
    shape = op.shape("a")
    return Items(tuple, None, INTEGER) if shape is None else Items(tuple, tuple(map(size_of, shape)))


def rank_result(op: Operation) -> Abstract:
    rank = op.rank("a")
    return INTEGER if rank is None else size_of(rank)


def size_result(op: Operation) -> Abstract:
    """Along one axis, or of everything."""
    shape = op.shape("a")
    axis = op.if_known("axis") if len(op.rule.parameters) > 1 else None
    if shape is None:
        return INTEGER
    if isinstance(axis, int):
        return size_of(shape[axis]) if -len(shape) <= axis < len(shape) else INTEGER
    if axis is not None:
        return INTEGER
    if all(isinstance(dim, int) for dim in shape):
        return size_of(int(np.prod(shape)))
    return size_of(shape[0]) if len(shape) == 1 else INTEGER


def length_result(op: Operation) -> Abstract:
    value = op["a"]
    if isinstance(value, Items) and value.items is not None:
        return size_of(len(value.items))
    shape = op.shape("a")
    return size_of(shape[0]) if shape else INTEGER


def dtype_result(op: Operation) -> Abstract:
    value = op["a"]
    dtype = value.dtype if isinstance(value, Numeric) else None
    return Numeric() if dtype is None else Known(dtype)


constant("np.shape(a)", result=shape_result, attribute=True)
constant("np.ndim(a)", result=rank_result, attribute=True)
constant("np.size(a, axis=None)", result=size_result)
constant("ndarray.size(a)", result=size_result, attribute=True)
constant("ndarray.nbytes(a)", result=INTEGER, attribute=True)
constant("ndarray.itemsize(a)", result=INTEGER, attribute=True)
constant("ndarray.dtype(a)", result=dtype_result, attribute=True)
constant("builtins.len(a)", result=length_result)
