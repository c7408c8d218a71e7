"""The same elements in another shape or order: views, where memory allows."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sgrad.rules.table import RULES, Parameter, Rule
from s2sgrad.shim.delivery import summed
from s2sgrad.shim.devices import check_device
from s2sgrad.shim.devices import device as Device
from s2sgrad.shim.dtypes import ALL, dtype, numpy_dtype
from s2sgrad.shim.inplace import check_writable, turn, write
from s2sgrad.shim.names import FUNCTIONS, attached, both, exported, method, named
from s2sgrad.shim.operations import Operation, broadcast_error, torch_rule
from s2sgrad.shim.state import state
from s2sgrad.shim.tensor import Tensor, new_tensor


def view_of(name: str, line: str, function: Any, formula: Any, node: str = "") -> Operation:
    return Operation(name, rule=torch_rule(line, function, x=formula), operands="x", view=True, node=node)


BACK = "np.reshape(g, x.shape)"
reshape_of = view_of("view", "view(x, shape)", np.reshape, BACK)
reshape_of.opaque = frozenset(("shape",))
unsafe_view_of = Operation("unsafe_view", rule=reshape_of.rule, operands="x", opaque="shape")
permute_of = view_of("permute", "permute(x, dims)", lambda x, dims: np.transpose(x, dims),
                     lambda op: f"np.transpose(g, {tuple(map(int, np.argsort(op.known('dims'))))!r})")
transpose_of = view_of("transpose", "transpose(x, dim0, dim1)", lambda x, dim0, dim1: np.swapaxes(
    x, dim0, dim1), "np.swapaxes(g, dim0, dim1)")
transpose_scalar = view_of("transpose", "transpose(x)", lambda x: x[...], "g")
t_of = view_of("t", "t(x)", np.transpose, "np.transpose(g)")
squeeze_of = view_of("squeeze", "squeeze(x)", np.squeeze, BACK)
squeeze_dim, squeeze_dims = (view_of("squeeze", "squeeze(x, dim)", lambda x, dim: np.squeeze(x, dim), BACK,
                                     f"SqueezeBackward{number}") for number in (1, 2))
unsqueeze_of = view_of("unsqueeze", "unsqueeze(x, dim)", lambda x, dim: np.expand_dims(x, dim), BACK)
expand_of = view_of("expand", "expand(x, shape)", np.broadcast_to, "g")  # delivered in the shape of x: summed
expand_of.opaque = frozenset(("shape",))
diagonal_of = view_of("diagonal", "diagonal(x, offset, dim1, dim2)", lambda x, offset, dim1, dim2:
                      writable_diagonal(x, offset, dim1, dim2), "undiagonal(g, x.shape, offset, dim1, dim2)")
clone_of, own_copy = (Operation("clone", rule=torch_rule("clone(x)", lambda x: x.copy(), x="g"), operands="x",
                                node=node) for node in ("CloneBackward0", "CopyBackwards"))
cast_of = Operation("to_copy", rule=torch_rule("to_copy(x, dtype)", lambda x, dtype: x.astype(dtype), x="g"),
                    operands="x", opaque="dtype")


def writable_diagonal(x: Any, offset: int, dim1: int, dim2: int) -> Any:
    found = np.diagonal(x, offset, dim1, dim2)
    found.flags.writeable = x.flags.writeable  # NumPy's own may not be written into by mistake
    return found


def listed(sizes: tuple) -> tuple:
    """What ``x.view(2, 3)`` and ``x.view((2, 3))`` both mean."""
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = tuple(sizes[0])
    return tuple(map(operator.index, sizes))


def shape_of(sizes: tuple) -> tuple:
    """The shape of a new tensor. Raises RuntimeError where it can't be one."""
    found = listed(sizes)
    for size in found:
        if size < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {size}: {list(found)}")
    return found


def axis_of(dim: int, ndim: int) -> int:
    """A dimension counted from the front. Raises IndexError for one that is not there."""
    bound = max(ndim, 1)
    if not -bound <= dim < bound:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-bound}, {bound - 1}], but got {dim})")
    return dim % bound


def in_shape(input: Tensor, shape: tuple) -> Any:
    size = input._array.size
    known = [item for item in shape if item != -1]
    count = int(np.prod(known)) if known else 1
    fits = size == count if len(known) == len(shape) else count != 0 and size % count == 0
    if len(shape) - len(known) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if not fits:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {size}")
    return shape


def is_viewable(array: np.ndarray, shape: tuple[int, ...]) -> bool:
    """Whether an array's memory can be seen in another shape."""
    return array.flags.c_contiguous or not array.size or np.may_share_memory(np.reshape(array, shape), array)


@method
def view(self: Tensor, *shape: Any) -> Tensor:
    """The same memory in another shape, or (of a dtype) read as other elements."""
    if len(shape) == 1 and isinstance(shape[0], dtype):
        raise RuntimeError("view(dtype) is not supported: the elements' memory is NumPy's")
    wanted = {"shape": in_shape(self, listed(shape))}
    if not is_viewable(self._array, wanted["shape"]):
        raise RuntimeError("view size is not compatible with input tensor's size and stride (at least one dimension "
                           "spans across two contiguous subspaces). Use .reshape(...) instead.")
    return reshape_of.run((self,), wanted)


@both
def reshape(input: Tensor, *sizes: Any, shape: Any = ()) -> Tensor:
    wanted = {"shape": in_shape(input, listed(sizes or (shape,)))}
    if is_viewable(input._array, wanted["shape"]):
        return reshape_of.run((input,), wanted)
    return unsafe_view_of.run((clone(input),), wanted)  # of a copy nobody knows, so it need not be followed


@method
def view_as(self: Tensor, other: Tensor) -> Tensor:
    return view(self, other._array.shape)


@method
def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    return reshape(self, other._array.shape)


@both
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    shape = input._array.shape
    first, last = axis_of(start_dim, len(shape)), axis_of(end_dim, len(shape))
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if first == last and shape:
        return input
    return reshape(input, (*shape[:first], int(np.prod(shape[first:last + 1])), *shape[last + 1:]))


@both
def ravel(input: Tensor) -> Tensor:
    return reshape(input.contiguous(), -1)


@both
def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    shape = input._array.shape
    axis = axis_of(dim, len(shape))
    known = int(np.prod([size for size in sizes if size != -1], dtype=int))
    if known != shape[axis] if -1 not in sizes else not known or shape[axis] % known:
        raise RuntimeError(f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} "
                           f"({shape[axis]}) in the input tensor")
    return reshape(input, (*shape[:axis], *sizes, *shape[axis + 1:]))


@both
def permute(input: Tensor, *dims: Any) -> Tensor:
    given = listed(dims)
    if len(given) != input._array.ndim:
        raise RuntimeError("permute(sparse_coo): number of dimensions in the tensor input does not match the length of "
                           f"the desired ordering of dimensions i.e. input.dim() = {input._array.ndim} is not equal to "
                           f"len(dims) = {len(given)}")
    axes = tuple(axis_of(dim, input._array.ndim) for dim in given)
    if len(set(axes)) < len(axes):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return permute_of.run((input,), {"dims": axes})


@both
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    axes = axis_of(dim0, input._array.ndim), axis_of(dim1, input._array.ndim)
    if not input._array.ndim:
        return transpose_scalar.run((input,))
    return transpose_of.run((input,), {"dim0": axes[0], "dim1": axes[1]})


for label in ("swapaxes", "swapdims"):
    attached(label, transpose)
    FUNCTIONS[label] = transpose


@both
def t(input: Tensor) -> Tensor:
    if input._array.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input._array.ndim}D")
    return t_of.run((input,))


@both
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    ndim = input._array.ndim
    sources = [axis_of(dim, ndim) for dim in (source if isinstance(source, (tuple, list)) else (source,))]
    targets = [axis_of(dim, ndim) for dim in (destination if isinstance(destination, (tuple, list))
                                              else (destination,))]
    rest = [place for place in range(ndim) if place not in sources]
    for target, place in sorted(zip(targets, sources)):
        rest.insert(target, place)
    return permute(input, tuple(rest))


attached("moveaxis", movedim)
FUNCTIONS["moveaxis"] = movedim


attached("T", property(lambda self: permute(self, tuple(range(self._array.ndim))[::-1])))


def matrices_transposed(tensor: Tensor) -> Tensor:
    if tensor._array.ndim == 1:
        raise RuntimeError("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.")
    return transpose(tensor, -2, -1) if tensor._array.ndim else tensor


for label in ("mT", "mH"):
    attached(label, property(matrices_transposed))
both(named(lambda input: matrices_transposed(input), "adjoint"))


@both
def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    if dim is None:
        return squeeze_of.run((input,))
    shape = input._array.shape
    dims = tuple(axis_of(item, len(shape)) for item in (dim if isinstance(dim, (tuple, list)) else (dim,)))
    kept = tuple(item for item in dims if shape and shape[item] == 1)
    operation = squeeze_dims if isinstance(dim, (tuple, list)) else squeeze_dim
    return operation.run((input,), {"dim": kept})


@both
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    return unsqueeze_of.run((input,), {"dim": axis_of(dim, input._array.ndim + 1)})


def turned(name: str, function: Any, back: Any, node: Any) -> None:
    """A method that changes the shape of a tensor itself. ``back(shape, ...)`` gives what leads back to a shape,
    ``node(...)`` the name of the node."""
    def method_of(self: Tensor, *given: Any, **named_given: Any) -> Tensor:
        return turn(self, lambda old: function(old, *given, **named_given),
                    back(self._array.shape, *given, **named_given), node(*given, **named_given))

    method(named(method_of, name))


def unsqueezed(new: Tensor, shape: tuple, dim: Any) -> Tensor:
    """The dimensions of size 1 of a shape put back that ``squeeze`` took out."""
    taken = range(len(shape)) if dim is None else {axis_of(item, len(shape)) for item in (
        dim if isinstance(dim, (tuple, list)) else (dim,))}
    for axis, size in enumerate(shape):
        if size == 1 and axis in taken:
            new = unsqueeze(new, axis)
    return new


turned("t_", t, lambda shape: t, lambda: "TBackward1")
for label in ("transpose_", "swapaxes_", "swapdims_"):
    turned(label, transpose, lambda shape, dim0, dim1: lambda new: transpose(new, dim0, dim1),
           lambda dim0, dim1: "TransposeBackward1")
turned("unsqueeze_", unsqueeze, lambda shape, dim: lambda new: squeeze(new, dim), lambda dim: "UnsqueezeBackward1")
turned("squeeze_", squeeze, lambda shape, dim=None: lambda new: unsqueezed(new, shape, dim), lambda dim=None:
       f"SqueezeBackward{3 if dim is None else 5 if isinstance(dim, (tuple, list)) else 4}")


def strided(x: Any, size: tuple, stride: tuple, offset: int) -> Any:
    steps = tuple(x.itemsize * step for step in stride)
    return np.lib.stride_tricks.as_strided(x.reshape(-1)[offset:], size, steps, writeable=x.flags.writeable)


RULES[strided] = Rule("strided", strided, tuple(map(Parameter, ("x", "size", "stride", "offset"))), constant=True)
strided_of = Operation("as_strided", rule=torch_rule(
    "as_strided(x, size, stride, offset)", lambda x, size, stride, offset: strided(x, size, stride, offset),
    x="put_back(g, x.shape, strided(numbered(x.shape), size, stride, offset))", names={"strided": strided}),
    operands="x", view=True)


@both
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """The elements that lie so far apart in memory."""
    sizes, steps, offset = listed((size,)), listed((stride,)), storage_offset or 0
    if input._base is not None or not input._array.flags.c_contiguous:
        raise RuntimeError("as_strided() is for tensors that have their memory for themselves, in order: use the "
                           "tensor that this is a view of, or a clone")
    if len(sizes) != len(steps):
        raise RuntimeError("mismatch in length of strides and shape")
    if min(steps, default=0) < 0:
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(steps)}")
    last = offset + sum((count - 1) * step for count, step in zip(sizes, steps))
    if 0 not in sizes and last >= input._array.size:
        raise RuntimeError(f"setStorage: sizes {list(sizes)}, strides {list(steps)}, storage offset {offset}, and "
                           f"itemsize {input._array.itemsize} requiring a storage size of "
                           f"{(last + 1) * input._array.itemsize} are out of bounds for storage of size "
                           f"{input._array.nbytes}")
    return strided_of.run((input,), {"size": sizes, "stride": steps, "offset": offset})


@method
def expand(self: Tensor, *sizes: Any, size: Any = ()) -> Tensor:
    shape = self._array.shape
    wanted = listed(sizes or (size,))
    lead = len(wanted) - len(shape)
    if lead < 0:
        raise RuntimeError(f"expand(torch.FloatTensor{{{list(shape)}}}, size={list(wanted)}): the number of sizes "
                           f"provided ({len(wanted)}) must be greater or equal to the number of dimensions in the "
                           f"tensor ({len(shape)})")
    full = tuple(shape[place - lead] if size == -1 and place >= lead else size for place, size in enumerate(wanted))
    for place, (size, given) in enumerate(zip(full[lead:], shape)):
        if size != given and given != 1:
            raise RuntimeError(f"The expanded size of the tensor ({size}) must match the existing size ({given}) at "
                               f"non-singleton dimension {place + lead}.  Target sizes: {list(wanted)}.  Tensor sizes: "
                               f"{list(shape)}")
    return expand_of.run((self,), {"shape": full})


@both
def broadcast_to(input: Tensor, *size: Any) -> Tensor:
    return expand(input, *size)


@method
def expand_as(self: Tensor, other: Tensor) -> Tensor:
    return expand(self, other._array.shape)


@method
def sum_to_size(self: Tensor, *size: Any) -> Tensor:
    """The sum over the axes along which a smaller shape was stretched to this tensor's."""
    shape = listed(size)
    if shape == self._array.shape:
        return self
    if summed(np.empty(self._array.shape, bool), shape) is None:
        raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(self._array.shape)}}}.")
    lead = self._array.ndim - len(shape)
    axes = (*range(lead), *(lead + axis for axis, size in enumerate(shape)
                            if size == 1 and self._array.shape[lead + axis] != 1))
    found = self.sum(axes, True)
    return reshape(found, shape) if lead else found


@both
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    axes = axis_of(dim1, input._array.ndim), axis_of(dim2, input._array.ndim)
    if axes[0] == axes[1]:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return diagonal_of.run((input,), {"offset": offset, "dim1": axes[0], "dim2": axes[1]})


# ---- copies

@both
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    return clone_of.run((input,))


@method
def contiguous(self: Tensor) -> Tensor:
    return self if self._array.flags.c_contiguous else clone(self)


BY_CLASS = {f"torch.{item.legacy}": item for item in ALL}
"""Dtypes by the names of the classes that there were once."""


@method
def to(self: Tensor, *given: Any, dtype: Any = None, device: Any = None, copy: bool = False, **rest: Any) -> Tensor:
    """The tensor in another dtype (a dtype, or that of another tensor); the only device is the CPU."""
    for item in given:
        if isinstance(item, Tensor):
            dtype = item.dtype
        elif item in BY_CLASS:
            dtype = BY_CLASS[item]
        elif isinstance(item, (str, Device)):
            check_device(item)
        else:
            dtype = item
    check_device(device)
    wanted = self._array.dtype if dtype is None else dtype if isinstance(dtype, np.dtype) else numpy_dtype(dtype)
    if wanted == self._array.dtype:
        return clone(self) if copy else self
    return cast_of.run((self,), {"dtype": wanted}) if wanted.kind == "f" else _integers(self, wanted)


def _integers(tensor: Tensor, wanted: np.dtype) -> Tensor:
    return new_tensor(state.now.quiet.run(tensor._array.astype, wanted))


@method
def type_as(self: Tensor, other: Tensor) -> Tensor:
    return to(self, other)


def caster(name: str, kind: str) -> None:
    attached(name, named(lambda self: to(self, np.dtype(kind)), name))


for label, kind in {"float": "float32", "double": "float64", "long": "int64", "int": "int32", "short": "int16",
                    "bool": "bool", "byte": "uint8", "char": "int8"}.items():
    caster(label, kind)


@method
def cpu(self: Tensor) -> Tensor:
    return self


@method
def copy_(self: Tensor, src: Tensor) -> Tensor:
    """Write another tensor's elements into this one."""
    check_writable(self)
    given = src if isinstance(src, Tensor) else fill_tensor(src)
    if given._array.dtype != self._array.dtype:
        given = to(given, self._array.dtype)
    if given._array.shape != self._array.shape:
        unequal = broadcast_error((self, given))
        if unequal is not None:
            raise unequal
        given = expand(given, self._array.shape)
    return write(self, copy_of.run((self, given)))


def fill_tensor(value: Any) -> Tensor:
    return new_tensor(np.asarray(value))


@method
def fill_(self: Tensor, value: Any) -> Tensor:
    check_writable(self)
    if isinstance(value, Tensor):
        return write(self, fill_with.run((self, value)))
    return write(self, fill_of.run((self, fill_tensor(np.asarray(value).astype(self._array.dtype)))))


OVER = torch_rule("fill(x1, x2)", lambda x1, x2: np.broadcast_to(x2, x1.shape).copy(), x2="g", x1="np.zeros_like(g)",
                  elementwise=True)
fill_of = Operation("fill", rule=OVER, operands="x1 x2", node="FillBackward2", shown=(0,))
fill_with = Operation("fill", rule=OVER, operands="x1 x2", node="FillBackward3")
zero_of = Operation("zero", rule=torch_rule("zero(x)", lambda x: np.zeros_like(x), x="np.zeros_like(g)",
                                            elementwise=True), operands="x")
copy_of = Operation("copy", rule=OVER, operands="x1 x2", node="CopyBackwards")


@method
def zero_(self: Tensor) -> Tensor:
    check_writable(self)
    return write(self, zero_of.run((self,)))


@exported
def is_tensor(obj: Any) -> bool:
    return isinstance(obj, Tensor)


@exported
def is_floating_point(input: Tensor) -> bool:
    return input.is_floating_point()


@exported
def detach(input: Tensor) -> Tensor:
    return input.detach()


@exported
def broadcast_tensors(*tensors: Tensor) -> tuple:
    """Each tensor stretched to the shape that all of them broadcast to."""
    try:
        shape = np.broadcast_shapes(*(item._array.shape for item in tensors))
    except ValueError as error:
        raise broadcast_error(tensors) or RuntimeError(str(error)) from None
    return tuple(item if item._array.shape == shape else expand(item, shape) for item in tensors)


@both
def numel(input: Tensor) -> int:
    return input._array.size

