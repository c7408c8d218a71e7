"""Maps that move elements about: each is linear, and its adjoint moves them back."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad.rules.abstract import ANY, MISSING, Abstract, Items, Numeric, known_value
from s2sgrad.rules.dims import Dim, Shape, add_dims
from s2sgrad.rules.results import by_samples, example_of
from s2sgrad.rules.table import RULES, Operation, Parameter, Rule, constant, general
from s2sgrad.runtime import column_joined, row_joined


def dims_of(value: Abstract) -> tuple[Dim, ...] | None:
    """The dimensions that a shape argument means; -1 as it is."""
    if isinstance(value, Items):
        if value.items is None:
            return None
        parts = list(value.items)
    else:
        parts = [value]
    dims: list[Dim] = []
    for part in parts:
        if not isinstance(part, Numeric) or part.shape != ():  # it may be a tuple of any length
            return None
        known = known_value(part)
        dims.append(int(known) if isinstance(known, (int, np.integer)) else part.dim)
    return tuple(dims)


def product_dim(dims: list[Dim]) -> Dim:
    """The dimension of axes laid end to end."""
    if None in dims:
        return None
    literal = math.prod(dim for dim in dims if isinstance(dim, int))
    rest = [dim for dim in dims if not isinstance(dim, int)]
    if not rest or literal == 0:
        return literal
    if literal == 1 and len(rest) == 1:
        return rest[0]
    return ("product", literal, *sorted(rest, key=repr))


def rest_dim(whole: list[Dim], taken: list[Dim]) -> Dim:
    """What -1 means where ``taken`` are the other dimensions."""
    whole, taken = list(whole), list(taken)
    for dim in [*taken]:
        if dim is not None and dim in whole:
            whole.remove(dim)
            taken.remove(dim)
    if None in whole:
        return None
    literals = math.prod(dim for dim in whole if isinstance(dim, int)), math.prod(
        dim for dim in taken if isinstance(dim, int))
    if any(not isinstance(dim, int) for dim in taken) or not literals[1] or literals[0] % literals[1]:
        return None
    return product_dim([literals[0] // literals[1], *(dim for dim in whole if not isinstance(dim, int))])


def of_shape(op: Operation, shape: Shape, of: str = "a") -> Abstract:
    value = op[of]
    return value.part("array", shape) if isinstance(value, Numeric) else Numeric("array", None, shape)


def reshape_result(op: Operation) -> Abstract:
    shape, whole = dims_of(op["shape"]), op.shape("a")
    if shape is None:
        return of_shape(op, None)
    if -1 in shape:
        others = [dim for dim in shape if dim != -1]
        rest = None if whole is None else rest_dim(list(whole), others)
        shape = tuple(rest if dim == -1 else dim for dim in shape)
    return of_shape(op, shape)


def flat_result(op: Operation) -> Abstract:
    whole = op.shape("a")
    return of_shape(op, (None if whole is None else product_dim(list(whole)),))


def flat_elements(op: Operation) -> Abstract:
    """What runs through the elements is no array, but as good as one where an array is asked for."""
    return replace(flat_result(op), kind="any")


def squeeze_result(op: Operation) -> Abstract:
    shape = op.shape("a")
    if op.if_known("axis") is None and (shape is None or any(dim is None or isinstance(dim, tuple) for dim in shape)):
        whole = op["a"]  # computed sizes may be 1
        return whole.part("array" if whole.kind == "array" else "any", None) if isinstance(whole, Numeric) else ANY
    return example_of(op.rule, op.operands)


def repeat_result(op: Operation) -> Abstract:
    shape, axis = op.shape("a"), op.if_known("axis")
    if not isinstance(op["repeats"], Items) or shape is None:
        return example_of(op.rule, op.operands)
    if axis is None:
        return of_shape(op, (None,))
    known = isinstance(axis, int) and -len(shape) <= axis < len(shape)
    return of_shape(op, tuple(None if place == axis % len(shape) else dim for place, dim in enumerate(shape))
                    if known else None)


# ---- the same elements in another order of axes

def transpose_bar(op: Operation) -> str:
    axes = op.known("axes")
    if axes is None or isinstance(axes, int):  # of a vector the only one
        return "g.T"
    places = [axis % len(axes) for axis in axes]
    if places == list(range(len(axes)))[::-1]:
        return "g.T"
    return f"np.transpose(g, {tuple(int(axis) for axis in np.argsort(places))!r})"


def swap_bar(op: Operation) -> str:
    return "g.T" if op.rank("a") == 2 else "np.swapaxes(g, axis1, axis2)"


def roll_bar(op: Operation) -> str:
    shift, axis = op.if_known("shift"), ", axis" if op.given("axis") else ""
    if isinstance(shift, tuple):
        return f"np.roll(g, {tuple(-int(step) for step in shift)!r}{axis})"
    return f"np.roll(g, {opposite(op, 'shift')}{axis})"


def turned_bar(op: Operation) -> str:
    return f"np.rot90(g, {opposite(op, 'k')}, axes)"


def opposite(op: Operation, name: str) -> str:
    """The opposite of an integer, or of several: those that are unsigned, and truth values, have none of their kind."""
    given = op[name]  # which may be a tuple where nothing is known of it
    signed = isinstance(given, Numeric) and given.kind != "any" and given.dtype is not None and given.dtype.kind == "i"
    return f"-{name}" if signed else f"opposite({name})"


for name, other in (("fftshift", "ifftshift"), ("ifftshift", "fftshift")):
    general(f"np.fft.{name}(x, axes=None)", x=f"np.fft.{other}(g, axes)", linear="x", complex=True)


def flip_bar(op: Operation) -> str:
    return "g[::-1]" if op.rank("m") == 1 else "np.flip(g, axis)"


general("np.transpose(a, axes=None)", a=transpose_bar, method=True, variadic="axes", sharing="view", linear="a",
        complex=True)


def arranged(op: Operation, shape: Callable[[tuple], tuple]) -> Abstract:
    """What is known of an array's elements in another order, also where not all sizes are known."""
    value = op["a"]
    if isinstance(value, Numeric) and value.kind == "array" and value.shape is not None and not value.mixed \
            and value.grown is None:
        return Numeric("array", value.dtype, shape(value.shape), real=value.real)
    return by_samples(op.rule, op.operands)


general("ndarray.T(a)", name="transpose", a=lambda op: "g" if op.rank("a") == 1 else "g.T", attribute=True,
        sharing="view", linear="a", complex=True, result=lambda op: arranged(op, lambda shape: shape[::-1]))
general("ndarray.mT(a)", name="transpose", a="g.mT", attribute=True, sharing="view", linear="a",
        complex=True)
general("np.matrix_transpose(x, /)", name="transpose", x="g.mT", sharing="view", linear="x",
        complex=True)
general("np.swapaxes(a, axis1, axis2)", a=swap_bar, method=True, sharing="view", linear="a", complex=True)
general("np.moveaxis(a, source, destination)", a="np.moveaxis(g, destination, source)", sharing="view", linear="a",
        complex=True)
general("np.flip(m, axis=None)", m=flip_bar, sharing="view", linear="m", complex=True)
general("np.fliplr(m)", m="np.fliplr(g)", sharing="view", linear="m", complex=True)
general("np.flipud(m)", m="np.flipud(g)", sharing="view", linear="m", complex=True)
general("np.rot90(m, k=1, axes=(0, 1))", m=turned_bar, sharing="view", linear="m", complex=True)
general("np.roll(a, shift, axis=None)", a=roll_bar, linear="a", result=lambda op: of_shape(op, op.shape("a")),
        complex=True)


# ---- the same elements in another shape

def reshape_bar(op: Operation) -> str:
    order = op.known("order") if "order" in [parameter.name for parameter in op.rule.parameters] else "C"
    return "np.reshape(g, a.shape)" if order == "C" else f"np.reshape(g, a.shape, order={order!r})"


def squeeze_bar(op: Operation) -> str:
    return "np.reshape(g, a.shape)" if op.known("axis") is None or op.rank("a") == 0 else "np.expand_dims(g, axis)"


def expanded_bar(op: Operation) -> str:
    axis = op["axis"]
    is_list = isinstance(axis, Items) and axis.kind is list  # which np.squeeze does not take
    return f"np.squeeze(g, {tuple(op.known('axis'))})" if is_list else "np.squeeze(g, axis)"


general("np.reshape(a, shape, order='C')", a=reshape_bar, result=reshape_result, sharing="maybe", linear="a",
        complex=True, by_layout=True)
general("ndarray.reshape(a, shape, *, order='C')", a=reshape_bar, result=reshape_result, variadic="shape",
        sharing="maybe", linear="a", complex=True, by_layout=True)
general("np.ravel(a, order='C')", a=reshape_bar, result=flat_result, method=True, sharing="maybe", linear="a",
        complex=True, by_layout=True)
general("ndarray.flat(a)", name="flat", a=reshape_bar, result=flat_elements, attribute=True, sharing="maybe",
        linear="a", complex=True)
general("ndarray.flatten(a, order='C')", a=reshape_bar, result=flat_result, linear="a", complex=True, by_layout=True)
general("np.squeeze(a, axis=None)", a=squeeze_bar, result=squeeze_result, method=True, sharing="view", linear="a",
        complex=True)
general("np.expand_dims(a, axis)", a=expanded_bar, sharing="view", linear="a", complex=True)
general("np.atleast_1d(a)", a="np.reshape(g, a.shape)", sharing="maybe", linear="a", complex=True)
general("np.atleast_2d(a)", a="np.reshape(g, a.shape)", sharing="maybe", linear="a", complex=True)
general("np.atleast_3d(a)", a="np.reshape(g, a.shape)", sharing="maybe", linear="a", complex=True)


# ---- copies and casts

def cast_bar(of: str) -> Callable[[Operation], str]:
    def formula(op: Operation) -> str:
        dtype = op.dtype(of)
        result = op.result.dtype if isinstance(op.result, Numeric) else None
        if dtype is None and op.is_complex("y"):
            return f"as_real_as(g, {of})"
        if dtype is None:
            return f"np.asarray(g, np.result_type({of}))"
        if result is not None and result.kind == "c" and dtype.kind == "f":
            return "g" if result.type(0).real.dtype == dtype else f"np.{dtype.name}(np.real(g))"
        if result is None and not op.is_real("y") and dtype.kind == "f":  # it may be complex
            return f"np.{dtype.name}(np.real(g))"
        return "g" if result is not None and dtype == result else f"np.{dtype.name}(g)"
    return formula


def cast_result(dtype: Callable[[Operation], Any]) -> Callable[[Operation], Abstract]:
    """What is cast to a dtype has that, also where nothing is known of the operand."""
    def result(op: Operation) -> Abstract:
        found, target = example_of(op.rule, op.operands), dtype(op)
        known = found is not ANY or target in (None, MISSING)
        return found if known else Numeric("any", np.dtype(target), op.shape(op.rule.parameters[0].name))
    return result


def copied(op: Operation) -> Abstract:
    """What is known of an array is of its copy, also where not all sizes are known."""
    return arranged(op, lambda shape: shape)


general("np.copy(a, order='K')", a="g", linear="a", result=copied, complex=True)
general("ndarray.copy(a, order='C')", a="g", linear="a", result=copied, complex=True)
general("ndarray.astype(a, dtype, order='K', casting='unsafe', subok=True)", a=cast_bar("a"), linear="a",
        result=cast_result(lambda op: op.if_known("dtype")), complex=True)
if hasattr(np, "astype"):  # came with NumPy 2.1
    general("np.astype(x, dtype, /, *, copy=True)", x=cast_bar("x"), sharing="maybe", linear="x", complex=True,
            result=cast_result(lambda op: op.if_known("dtype")))
for name in ("float64", "float32", "float16", "longdouble", "complex128", "complex64", "clongdouble"):
    general(f"np.{name}(x)", x=cast_bar("x"), sharing="maybe", linear="x", complex=True,
            result=cast_result(lambda op: op.rule.function))
for name in ("bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
    constant(f"np.{name}(x)", result=cast_result(lambda op: op.rule.function))


def item_bar(op: Operation) -> str:
    return f"put_back(g, a.shape, {flat_place(op)})" if op.given("args") else "np.reshape(g, a.shape)"


def flat_place(op: Operation) -> str:
    """One number counts as in the flattened array; of several each is an index."""
    return "np.ravel_multi_index(args, a.shape, 'wrap')" if isinstance(op["args"], Items) else "args"


def item_result(op: Operation) -> Abstract:
    """A number of Python's, whichever of them it is."""
    return example_of(op.rule, {"a": Numeric("array", op.dtype("a"), (1,))})


general("ndarray.item(a, args=None)", a=item_bar, variadic="args", result=item_result, complex=True,
        tangent={"a": lambda op: f"np.ravel(t)[{flat_place(op)}]" if op.given("args") else "t.item()"})
general("ndarray.view(a)", a="g", sharing="view", linear="a", complex=True)
# no rule for the elements of the list: refused where the array is differentiated
general("ndarray.tolist(a)")


# ---- elements left out, repeated, or differences of neighbours

def diff_bar(op: Operation) -> str:
    if op.known("n") == 1 and op.is_double("a") and op.rank("a") == 1:
        return "-np.diff(g, prepend=0.0, append=0.0)[:a.size]"  # of an empty one there is no difference, either
    return "undiff(g, n, axis, a.shape)"


def triangle_bar(name: str) -> Callable[[Operation], str]:
    """A vector stands for rows that are all the same."""
    def formula(op: Operation) -> str:
        is_matrix = op.rank("m") not in (None, 1)
        return f"np.{name}(g, k)" if is_matrix else f"unbroadcast(np.{name}(g, k), m.shape)"
    return formula


def diag_bar(op: Operation) -> str:
    rank = op.rank("v")
    if rank == 1:
        return "np.diag(g, k)" if op.if_known("k") != 0 else "np.diag(g)"
    return "undiagonal(g, v.shape, k, 0, 1)" if rank == 2 else "undiag(g, v.shape, k)"


def take_bar(op: Operation) -> str:
    if op.known("mode") == "raise":
        return "untake(g, a.shape, indices, axis)"
    return "put_back(g, a.shape, np.take(numbered(a.shape), indices, axis, mode=mode))"


def rolled_bar(op: Operation) -> str:
    """The axis goes back from where it was put, before another one that is counted as it was."""
    rank = op.rank("a")
    if rank is None:
        return "put_back(g, a.shape, np.rollaxis(numbered(a.shape), axis, start))"
    axis, start = op.known("axis") % rank, op.known("start")
    start = start + rank if start < 0 else start
    return f"np.moveaxis(g, {start - (axis < start)}, {axis})"


def sort_dot(op: Operation) -> str:
    if op.known("axis") is None:
        return "np.ravel(t)[np.argsort(a, None)]"
    return "t[np.argsort(a)]" if op.rank("a") == 1 else "np.take_along_axis(t, np.argsort(a, axis), axis)"


general("np.broadcast_to(array, shape)", array="unbroadcast(g, array.shape)", sharing="read-only",
        result=lambda op: of_shape(op, dims_of(op["shape"]), "array"), linear="array", complex=True)
for triangle in ("tril", "triu"):
    general(f"np.{triangle}(m, k=0)", m=triangle_bar(triangle), linear="m", complex=True)
general("np.diagonal(a, offset=0, axis1=0, axis2=1)", a="undiagonal(g, a.shape, offset, axis1, axis2)", method=True,
        sharing="read-only", linear="a", complex=True)
general("np.diag(v, k=0)", v=diag_bar, sharing="maybe", linear="v", complex=True)
general("np.repeat(a, repeats, axis=None)", a="unrepeat(g, a.shape, repeats, axis)", method=True, result=repeat_result,
        linear="a", complex=True)
general("np.take(a, indices, axis=None, *, mode='raise')", a=take_bar, method=True, linear="a", complex=True)
general("np.tile(A, reps)", A="untile(g, A.shape, reps)", linear="A", complex=True)
general("np.sort(a, axis=-1, kind=None, *, stable=None)", a="unsort(g, a, axis)", tangent={"a": sort_dot},
        complex=True)
general("np.diagflat(v, k=0)", v=lambda op: "np.diagonal(g, k)" if op.rank("v") == 1 else
        "np.reshape(np.diagonal(g, k), v.shape)", result=lambda op: of_shape(op, (None, None), "v"), linear="v",
        complex=True)
general("np.rollaxis(a, axis, start=0)", a=rolled_bar, sharing="view", linear="a", complex=True)


# ---- joining

def items_of(op: Operation, name: str) -> list[Any]:
    value = op[name]
    assert isinstance(value, Items) and value.items is not None
    return list(value.items)


def shape_text(value: Abstract, name: str, axis: int, default: str = "") -> str:
    """The text of an item's size along an axis: a literal if it is one."""
    shape = value.shape if isinstance(value, Numeric) else None
    if shape is None or not -len(shape) <= axis < len(shape):
        return f"{name}.shape[{axis}]"
    dim = shape[axis]
    return str(dim) if isinstance(dim, int) else f"{name}.shape[{axis}]"


def added(sizes: list[str]) -> str:
    """The text of a sum, its literals added up."""
    literal = sum(int(size) for size in sizes if size.isdigit())
    names = [size for size in sizes if not size.isdigit()]
    return " + ".join([*names, str(literal)] if literal or not names else names)


def slice_text(sizes: list[str], index: int) -> str:
    """The place of one item among items laid end to end: counted from that end between which and it are literals."""
    return f"{offset(sizes, index)}:{offset(sizes, index + 1)}"


def offset(sizes: list[str], index: int) -> str:
    before, behind = sizes[:index], sizes[index:]
    if not before or not behind:
        return ""
    if not all(map(str.isdigit, before)) and all(map(str.isdigit, behind)) and added(behind) != "0":
        return f"-{added(behind)}"
    return added(before)


def joined_result(op: Operation) -> Abstract:
    """Items laid end to end along an axis."""
    value = next(iter(op.operands.values()))
    items = value.items if isinstance(value, Items) and value.items is not None else ()
    axis = op.if_known("axis")
    shapes: list[Any] = [item.shape for item in items if isinstance(item, Numeric)]
    if axis is MISSING:
        return ANY
    found = example_of(op.rule, op.operands)
    if not shapes or len(shapes) < len(items) or None in shapes or len(set(map(len, shapes))) > 1:
        return found
    if not isinstance(axis, int) or not -len(shapes[0]) <= axis < len(shapes[0]):
        return found
    return end_to_end(shapes, axis, found.dtype if isinstance(found, Numeric) else None)


def end_to_end(shapes: list[Any], axis: int, dtype: Any) -> Numeric:
    """An array of others, of known shapes, that lie one behind the other along an axis."""
    dims = [sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(*shapes)]
    dims[axis] = add_dims(shape[axis] for shape in shapes)
    return Numeric("array", dtype, tuple(dims))


def rows_result(op: Operation) -> Abstract:
    """``vstack``: vectors are rows."""
    return blocks_result(op, lambda shape: (1,) * (2 - len(shape)) + shape, 0)


def hstack_result(op: Operation) -> Abstract:
    """``hstack``: vectors lie end to end, other arrays side by side."""
    return blocks_result(op, lambda shape: shape or (1,), 1)


def column_stack_result(op: Operation) -> Abstract:
    """``column_stack``: vectors are columns."""
    return blocks_result(op, lambda shape: (shape + (1, 1))[:2] if len(shape) < 2 else shape, 1)


def as_given(op: Operation, common: np.dtype | None) -> np.dtype | None:
    """The dtype that a call asks for, or else what its operands have in common."""
    wanted = op.if_known("dtype") if "dtype" in op.operands else None
    return common if wanted is None else None if wanted is MISSING else np.dtype(wanted)


def blocks_result(op: Operation, shape_of: Callable[[tuple], tuple], axis: int) -> Abstract:
    """Arrays of any sizes laid end to end, along the only axis of vectors, where all are known to be arrays of some
    rank."""
    value = op["tup"]
    items = value.items if isinstance(value, Items) and value.items is not None else ()
    found = example_of(op.rule, op.operands)
    if not items or not all(isinstance(item, Numeric) and item.kind == "array" and item.shape is not None
                            for item in items):
        return found
    shapes = [shape_of(item.shape) for item in items]
    if len(set(map(len, shapes))) > 1:
        return found
    dtypes = [item.dtype for item in items]
    common = None if any(dtype is None for dtype in dtypes) else np.result_type(*dtypes)
    return end_to_end(shapes, min(axis, len(shapes[0]) - 1), as_given(op, common))


def part_text(sizes: list[str], index: int, axis: int, rank: int | None) -> str:
    if axis < 0 and rank is not None:
        axis += rank
    if axis < 0:
        return f"piece(g, ({', '.join(sizes)},), {index}, {axis})"
    return f"g[{':, ' * axis}{slice_text(sizes, index)}]"


def concatenate_bar(op: Operation, path: tuple[int, ...]) -> str:
    """The slice of the cotangent that lies where the item lies."""
    axis, items = op.known("axis"), items_of(op, "arrays")
    (index,) = path
    if axis is None:
        sizes = [shape_text(item, f"arrays_{i}", 0) if rank_is(item, 1) else f"np.size(arrays_{i})"
                 for i, item in enumerate(items)]
        return f"np.reshape(g[{slice_text(sizes, index)}], arrays_{index}.shape)"
    sizes = [shape_text(item, f"arrays_{i}", axis) for i, item in enumerate(items)]
    return part_text(sizes, index, axis, next((item.rank for item in items if isinstance(item, Numeric)
                                               and item.rank is not None), None))


def rank_is(value: Abstract, *ranks: int) -> bool:
    return isinstance(value, Numeric) and value.rank in ranks


def stack_bar(op: Operation, path: tuple[int, ...]) -> str:
    axis = op.known("axis")
    (index,) = path
    if axis == -1:
        return f"g[..., {index}]"
    if axis < 0:
        return f"np.take(g, {index}, axis={axis})"
    return f"g[{':, ' * axis}{index}]"


def rows_bar(op: Operation, path: tuple[int, ...]) -> str:
    """``vstack``: rows of one-dimensional arrays, blocks of rows of others."""
    (index,) = path
    return blocks(op, index, 0, lambda item, name: "1" if rank_is(item, 0, 1) else shape_text(item, name, 0)
                  if rank_is(item, 2, 3, 4) else f"np.atleast_2d({name}).shape[0]", (0, 1))


def blocks(op: Operation, index: int, axis: int, size: Callable[[Abstract, str], str], single: tuple) -> str:
    """The part of one item; items with a rank in ``single`` are one row or column, whose axis has to go."""
    items = items_of(op, "tup")
    sizes = [size(item, f"tup_{i}") for i, item in enumerate(items)]
    if all(rank_is(item, *single) for item in items):
        text = f"g[{':, ' * axis}{index}]"
        return f"np.reshape({text}, ())" if single != (0,) and rank_is(items[index], 0) else text
    text = f"g[{':, ' * axis}{slice_text(sizes, index)}]"
    known = isinstance(items[index], Numeric) and items[index].rank is not None
    return text if known and not rank_is(items[index], *single) else f"np.reshape({text}, tup_{index}.shape)"


def columns_bar(op: Operation, path: tuple[int, ...]) -> str:
    """``hstack``: one after another, along the only or the second axis."""
    (index,) = path
    items = items_of(op, "tup")
    if all(rank_is(item, 0, 1) for item in items):
        return blocks(op, index, 0, lambda item, name: "1" if rank_is(item, 0) else shape_text(item, name, 0), (0,))
    if any(rank_is(item, 2, 3, 4) for item in items):
        return blocks(op, index, 1, lambda item, name: shape_text(item, name, 1), ())
    sizes = ", ".join(f"np.atleast_1d(tup_{i}).shape[min(1, np.ndim(g) - 1)]" for i in range(len(items)))
    return f"np.reshape(piece(g, ({sizes},), {index}, min(1, np.ndim(g) - 1)), tup_{index}.shape)"


def column_stack_bar(op: Operation, path: tuple[int, ...]) -> str:
    (index,) = path
    return blocks(op, index, 1, lambda item, name: "1" if rank_is(item, 0, 1) else shape_text(item, name, 1)
                  if rank_is(item, 2, 3, 4) else f"(*np.shape({name}), 1, 1)[1]", (0, 1))


def joined_bars(text: str | Callable[[Operation], str]) -> Callable[[Operation], str]:
    """The cotangents of the arrays in a list that are joined: lists of those that are lists themselves."""
    def formula(op: Operation) -> str:
        name = op.rule.parameters[0].name
        value, parts = op[name], text if isinstance(text, str) else text(op)
        return parts if isinstance(value, Items) and isinstance(value.element, Numeric) else \
            f"taken_apart({parts}, {name})"
    return formula


def stacked_bars(op: Operation) -> str:
    return "list(g)" if op.known("axis") == 0 else "list(np.moveaxis(g, axis, 0))"


CAST = "dtype=None, casting='same_kind'"
general(f"np.concatenate(arrays, axis=0, *, {CAST})", arrays=concatenate_bar, result=joined_result,
        each={"arrays": joined_bars("pieces(g, np.concatenate, arrays, axis)")}, linear="arrays", complex=True)
general(f"np.stack(arrays, axis=0, *, {CAST})", arrays=stack_bar, each={"arrays": joined_bars(stacked_bars)},
        linear="arrays", complex=True)
general(f"np.vstack(tup, *, {CAST})", tup=rows_bar, result=rows_result,
        each={"tup": joined_bars("pieces(g, np.vstack, tup)")}, linear="tup", complex=True)
general(f"np.hstack(tup, *, {CAST})", tup=columns_bar, result=hstack_result,
        each={"tup": joined_bars("pieces(g, np.hstack, tup)")}, linear="tup", complex=True)


def part_of_joined(name: str, join: str) -> Callable[..., str]:
    """The part that one item takes up, found by joining the numbers of elements as the arrays were joined."""
    def formula(op: Operation, *path: int) -> str:
        def shapes(value: Abstract, label: str) -> str:
            if isinstance(value, Items) and value.items is not None:
                return f"[{', '.join(shapes(item, f'{label}_{place}') for place, item in enumerate(value.items))}]"
            return f"{label}.shape"
        return f"part_of_joined(g, {join}, {shapes(op[name], name)}, {path!r})"
    return formula


general("np.dstack(tup)", tup=part_of_joined("tup", "np.dstack"),
        each={"tup": joined_bars("pieces(g, np.dstack, tup)")}, linear="tup", complex=True)
general("np.block(arrays)", arrays=part_of_joined("arrays", "np.block"), linear="arrays", complex=True)
def bracketed_result(op: Operation) -> Abstract:
    """``np.r_[x, y]`` joins along the first axis, ``np.c_`` along the second: found with arrays of one element."""
    parts = items_of(op, "parts")
    if not all(isinstance(part, Numeric) and part.rank is not None for part in parts):
        return ANY
    found = example_of(op.rule, {"parts": Items(tuple, tuple(
        replace(part, dtype=part.dtype or np.dtype(float), shape=(1,) * part.rank) for part in parts))})
    if not isinstance(found, Numeric) or not found.shape:
        return ANY
    return replace(found, dtype=found.dtype if all(part.dtype for part in parts) else None,
                   shape=(None,) * len(found.shape))


for brackets, function in ((np.r_, row_joined), (np.c_, column_joined)):
    RULES[brackets] = Rule("joined", function, (Parameter("parts"),), {
        "parts": part_of_joined("parts", function.__name__)}, result=bracketed_result, linear="parts", complex=True)
general("np.column_stack(tup)", tup=column_stack_bar, result=column_stack_result,
        each={"tup": joined_bars("pieces(g, np.column_stack, tup)")}, linear="tup", complex=True)


def nested_bar(op: Operation, *path: int) -> str:
    """Elements of a nested list: each has its place."""
    return f"g[{', '.join(map(str, path))}]" if path else "g"


def listed_bars(op: Operation) -> str:
    name = op.rule.parameters[0].name
    value = op[name]
    assert isinstance(value, Items)
    return "list(g)" if isinstance(value.element, Numeric) else f"taken_apart(g, {name})"


general("np.array(object, dtype=None, *, order='K')", object=nested_bar, each={"object": listed_bars}, linear="object",
        complex=True)
for name, more in {"asarray": ", order=None, *, copy=None", "asanyarray": ", order=None, *, copy=None",
                   "ascontiguousarray": "", "asfortranarray": ""}.items():
    general(f"np.{name}(a, dtype=None{more})", a=nested_bar, sharing="array", each={"a": listed_bars}, linear="a",
            complex=True)
