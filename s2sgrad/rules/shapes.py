"""Maps that move elements about: each is linear, and its adjoint moves them back."""
from __future__ import annotations

import numpy as np

from s2sgrad.rules.abstract import Numeric
from s2sgrad.rules.table import METHODS, RULES, Operation, general


def transpose_bar(op: Operation) -> str:
    axes = op.known("axes")
    if axes is None:
        return "g.T"
    return f"np.transpose(g, {tuple(int(axis) for axis in np.argsort(axes))!r})"


def keep_shape(formula: str):
    return lambda op: formula


general("np.transpose(a, axes=None)", a=transpose_bar, method=True, variadic="axes", sharing="view")
general("np.ndarray.T(a)", function="attribute T", name="transpose", a="g.T", attribute="T", sharing="view",
        result=lambda op: Numeric(op["a"].kind, op["a"].dtype,
                                  None if op.shape("a") is None else op.shape("a")[::-1]))
general("np.swapaxes(a, axis1, axis2)", a="np.swapaxes(g, axis1, axis2)", method=True, sharing="view")
general("np.moveaxis(a, source, destination)", a="np.moveaxis(g, destination, source)", sharing="view")
general("np.reshape(a, shape, order='C')", a="np.reshape(g, a.shape, order=order)" , method=False, sharing="maybe",
        name="reshape")
general("np.ravel(a, order='C')", a="np.reshape(g, a.shape, order=order)", method=True, sharing="maybe")
general("np.squeeze(a, axis=None)", a="np.reshape(g, a.shape)", method=True, sharing="view")
general("np.expand_dims(a, axis)", a="np.reshape(g, a.shape)", sharing="view")
general("np.broadcast_to(array, shape)", array="unbroadcast(g, array)", sharing="view")
general("np.flip(m, axis=None)", m="np.flip(g, axis)", sharing="view")
general("np.fliplr(m)", m="np.fliplr(g)", sharing="view")
general("np.flipud(m)", m="np.flipud(g)", sharing="view")
general("np.roll(a, shift, axis=None)", a="np.roll(g, unshifted(shift), axis)")
general("np.tril(m, k=0)", m="np.tril(g, k)")
general("np.triu(m, k=0)", m="np.triu(g, k)")
general("np.diff(a, n=1, axis=-1)", a="undiff(g, n, axis)")
general("np.diagonal(a, offset=0, axis1=0, axis2=1)", a="undiagonal(g, a.shape, offset, axis1, axis2)", method=True,
        sharing="view")
general("np.repeat(a, repeats, axis=None)", a="unrepeat(g, a.shape, repeats, axis)", method=True)
general("np.take(a, indices, axis=None)", a="untake(g, a.shape, indices, axis)", method=True)
general("np.tile(A, reps)", A="untile(g, A.shape, reps)")


def reshaped(op: Operation) -> str:
    order = op.known("order")
    return "np.reshape(g, a.shape)" if order == "C" else f"np.reshape(g, a.shape, order={order!r})"


for reshape in (np.reshape, np.ravel):
    RULES[reshape].partials["a"] = reshaped
METHODS["reshape"] = general("np.ndarray.reshape(a, shape, *, order='C')", function="method reshape", a=reshaped,
                             variadic="shape", sharing="maybe", name="reshape")
METHODS["flatten"] = general("np.ndarray.flatten(a, order='C')", function="method flatten", a=reshaped)
general("np.copy(a)", a="g", method=True)
METHODS["astype"] = general("np.ndarray.astype(a, dtype)", function="method astype", a="g.astype(a.dtype)")
METHODS["item"] = general("np.ndarray.item(a)", function="method item", a="np.reshape(g, a.shape)",
                          result=lambda op: Numeric("python", op["a"].dtype, ()))


def diag_bar(op: Operation) -> str:
    rank = op.rank("v")
    if rank == 1:
        return "np.diagonal(g, k)" if op.known("k") else "np.diagonal(g)"
    return "undiagonal(g, v.shape, k, 0, 1)"


general("np.diag(v, k=0)", v=diag_bar, sharing="maybe")


# ---- joining

def concatenate_bar(op: Operation, path: tuple[int, ...]) -> str:
    """The slice of the cotangent that lies where the item lies."""
    axis = op.known("axis")
    (index,) = path
    items = len(op["arrays"].items)
    if axis is None:
        return f"np.reshape(piece(g, ({', '.join(f'np.size(arrays_{i})' for i in range(items))},), {index}, 0), " \
               f"np.shape(arrays_{index}))"
    names = [f"arrays_{i}.shape[{axis}]" for i in range(items)]
    start, stop = " + ".join(names[:index]), " + ".join(names[:index + 1])
    if index == items - 1:
        bounds = f"-{names[index]}:" if False else f"{start}:"
    else:
        bounds = f"{start}:{stop}"
    rank = op.item("arrays", path).rank
    if axis < 0:
        if rank is None:
            return f"piece(g, ({', '.join(names)},), {index}, {axis})"
        axis += rank
    return f"g[{':, ' * axis}{bounds}]"


def stack_bar(op: Operation, path: tuple[int, ...]) -> str:
    axis = op.known("axis")
    (index,) = path
    if axis >= 0:
        return f"g[{':, ' * axis}{index}]"
    return f"np.take(g, {index}, axis={axis})"


def stacked_rows(op: Operation, path: tuple[int, ...]) -> str:
    """``vstack``: rows of one-dimensional arrays, blocks of rows of others."""
    ranks = [item.rank for item in op["tup"].items]
    (index,) = path
    if all(rank in (0, 1) for rank in ranks):
        return f"np.reshape(g[{index}], np.shape(tup_{index}))"
    sizes = ", ".join(f"len(np.atleast_2d(tup_{i}))" for i in range(len(ranks)))
    return f"np.reshape(piece(g, ({sizes},), {index}, 0), np.shape(tup_{index}))"


def stacked_columns(op: Operation, path: tuple[int, ...]) -> str:
    """``hstack``: one after another, along the only or the second axis."""
    ranks = [item.rank for item in op["tup"].items]
    (index,) = path
    if None in ranks:
        axis = "np.ndim(g) > 1"
    else:
        axis = "0" if max(ranks) < 2 else "1"
    sizes = ", ".join(f"np.atleast_1d(tup_{i}).shape[{axis}]" for i in range(len(ranks)))
    return f"np.reshape(piece(g, ({sizes},), {index}, {axis}), np.shape(tup_{index}))"


def column_bar(op: Operation, path: tuple[int, ...]) -> str:
    ranks = [item.rank for item in op["tup"].items]
    (index,) = path
    if all(rank == 1 for rank in ranks):
        return f"g[:, {index}]"
    sizes = ", ".join(f"(tup_{i}.shape[1] if np.ndim(tup_{i}) > 1 else 1)" for i in range(len(ranks)))
    return f"np.reshape(piece(g, ({sizes},), {index}, 1), np.shape(tup_{index}))"


general("np.concatenate(arrays, axis=0)", arrays=concatenate_bar)
general("np.stack(arrays, axis=0)", arrays=stack_bar)
general("np.vstack(tup)", tup=stacked_rows)
general("np.hstack(tup)", tup=stacked_columns)
general("np.column_stack(tup)", tup=column_bar)


def nested_bar(op: Operation, path: tuple[int, ...] = ()) -> str:
    """Elements of a nested list: each has its place."""
    return f"g[{', '.join(map(str, path))}]" if path else "g"


general("np.array(object, dtype=None)", object=nested_bar, name="array")
general("np.asarray(a, dtype=None)", a=nested_bar, sharing="maybe")
general("np.ascontiguousarray(a, dtype=None)", a=nested_bar, sharing="maybe")
general("np.atleast_1d(a)", a="np.reshape(g, np.shape(a))", sharing="maybe")
general("np.atleast_2d(a)", a="np.reshape(g, np.shape(a))", sharing="maybe")
