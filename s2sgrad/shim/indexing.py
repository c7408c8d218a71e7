"""Elements picked, and elements written: ``x[i]``, ``x[i] = v``, ``gather`` and their like."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from s2sgrad.containers import is_integer
from s2sgrad.shim.arithmetic import mul
from s2sgrad.shim.inplace import check_writable, in_place
from s2sgrad.shim.names import attached, both, exported, method, named
from s2sgrad.shim.operations import Operation, torch_rule, translated_error
from s2sgrad.shim.pairs import pair_type
from s2sgrad.shim.reductions import picker
from s2sgrad.shim.shapes import axis_of, expand, fill_tensor, listed, to
from s2sgrad.shim.tensor import Tensor, new_tensor

BACK = "put_back(g, x.shape, numbered(x.shape)[index])"


def index_operation(name: str, view: bool) -> Operation:
    return Operation(name, rule=torch_rule(f"{name}(x, index)", lambda x, index: x[index], x=BACK), operands="x",
                     opaque="index", view=view)


SELECT, SLICE, UNSQUEEZE, ALIAS, INDEX = (index_operation(name, name != "index") for name in (
    "select", "slice", "unsqueeze", "alias", "index"))


NOT_A_TUPLE = ("Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch "
               "2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, "
               "x[torch.tensor(seq)], which will result either in an error or a different result")


def stands_for_tuple(index: Any) -> bool:
    """Whether an index is a list that PyTorch takes for a tuple."""
    return type(index) is list and any(
        part is None or part is Ellipsis or isinstance(part, (Tensor, list, tuple, slice)) for part in index)


def plain_index(index: Any) -> tuple:
    """An index as NumPy takes it, always with an ellipsis where it is basic, so that one element is a view too."""
    if stands_for_tuple(index):
        warnings.warn(NOT_A_TUPLE, UserWarning, stacklevel=3)
        index = tuple(index)
    parts = index if type(index) is tuple else (index,)
    found = tuple(places_of(part) if isinstance(part, Tensor) else part for part in parts)
    return found if any(part is Ellipsis for part in found) else (*found, Ellipsis)


def places_of(index: Tensor) -> Any:
    """A tensor as an index: bytes are flags, and what has no dimensions is a number."""
    array = index._array
    if array.dtype.kind == "f":
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    if array.dtype == np.uint8:
        warnings.warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.",
                      UserWarning, stacklevel=4)
        array = array.astype(bool)
    return array if array.ndim else array.item()


def is_advanced(parts: tuple) -> bool:
    return any(isinstance(part, (list, np.ndarray, bool, np.bool_, range)) for part in parts)


def steps(tensor: Tensor, parts: tuple) -> list[tuple[Operation, tuple]]:
    """A basic index taken apart into one operation for each dimension, as PyTorch does it."""
    ndim = tensor._array.ndim
    taken = sum(part is not None and part is not Ellipsis for part in parts)
    found: list[tuple[Operation, tuple]] = []
    axis = 0
    for part in parts:
        before = (slice(None),) * axis
        if part is Ellipsis:
            axis += ndim - taken
        elif part is None:
            found.append((UNSQUEEZE, (*before, None, Ellipsis)))
            axis += 1
        elif isinstance(part, slice):
            if part.step is not None and part.step <= 0:
                raise ValueError("step must be greater than zero" if part.step else "slice step cannot be zero")
            if part != slice(None) or len(parts) == 2:
                found.append((SLICE, (*before, part, Ellipsis)))
            axis += 1
        else:
            found.append((SELECT, (*before, part, Ellipsis)))
    return found or [(ALIAS, (Ellipsis,))]


def checked(tensor: Tensor, parts: tuple) -> None:
    """Raises IndexError in PyTorch's words for what is no index, or out of bounds."""
    shape = tensor._array.shape
    for part in parts:
        if isinstance(part, np.ndarray) and part.dtype.kind not in "iub":
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        if isinstance(part, str):
            raise TypeError("new(): invalid data type 'str'")
        if isinstance(part, (float, dict, set)):
            raise IndexError("only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
                             f"indices (got {type(part).__name__})")
    given = [part for part in parts if part is not None and part is not Ellipsis]
    if consumed(parts) > len(shape):
        if not shape and len(given) == 1:
            raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in "
                             "C++ to convert a 0-dim tensor to a number")
        raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
    if parts[0] is Ellipsis or any(not isinstance(part, (int, slice, np.integer)) for part in given):
        return
    for axis, part in enumerate(given):
        if isinstance(part, (int, np.integer)) and not isinstance(part, bool) and None not in parts \
                and parts[-1] is Ellipsis and not -shape[axis] <= part < shape[axis]:
            raise IndexError(f"index {int(part)} is out of bounds for dimension {axis} with size {shape[axis]}")


def consumed(parts: tuple) -> int:
    """So many dimensions an index stands for, besides those of an ellipsis."""
    return sum(taken_by(part) for part in parts if part is not None and part is not Ellipsis)


def taken_by(part: Any) -> int:
    if isinstance(part, (bool, np.bool_)):
        return 0
    return part.ndim if isinstance(part, np.ndarray) and part.dtype == bool else 1


def without_numbers(tensor: Tensor, parts: tuple) -> tuple[Tensor, tuple]:
    """A tensor with the dimensions taken out for which an index has numbers, and the rest of the index: NumPy would
    count numbers among the arrays, which decide where the new dimensions go."""
    if not any(map(is_integer, parts)):
        return tensor, parts
    rest, axis, spare = [], 0, tensor._array.ndim - consumed(parts)
    for part in parts:
        if is_integer(part):
            before = (slice(None),) * axis
            tensor = SELECT.run((tensor,), {"index": (*before, part, Ellipsis)})
            continue
        rest.append(part)
        axis += spare if part is Ellipsis else 0 if part is None else taken_by(part)
    return tensor, tuple(rest)


def is_one_block(parts: tuple) -> bool:
    """Whether NumPy takes an index apart as PyTorch does: numbers are next to arrays, or these are apart anyway."""
    arrays = [place for place, part in enumerate(parts) if is_advanced((part,))]
    both = [place for place, part in enumerate(parts) if is_advanced((part,)) or is_integer(part)]
    return not arrays or both[-1] - both[0] < len(both) or arrays[-1] - arrays[0] >= len(arrays)


def check_masks(parts: tuple, shape: tuple[int, ...]) -> None:
    """Raises IndexError for a mask of another shape than the dimensions that it stands for."""
    axis = 0
    for part in parts:
        if part is Ellipsis:
            axis += len(shape) - consumed(parts)
        elif isinstance(part, np.ndarray) and part.dtype == bool:
            for place, size in enumerate(part.shape):
                if size != shape[axis + place]:
                    raise IndexError(f"The shape of the mask {list(part.shape)} at index {place} does not match the "
                                     f"shape of the indexed tensor {list(shape)} at index {axis + place}")
            axis += part.ndim
        elif part is not None:
            axis += 1


@method
def __getitem__(self: Tensor, index: Any) -> Tensor:
    if index.__class__ is int and self._array.ndim and -len(self._array) <= index < len(self._array):
        return SELECT.run((self,), {"index": (index, Ellipsis)})
    parts = plain_index(index)
    checked(self, parts)
    if is_advanced(parts):
        check_masks(parts, self._array.shape)
        try:
            lower, rest = without_numbers(self, parts)
            return INDEX.run((lower,), {"index": without_ellipsis(rest, lower._array.ndim)})
        except IndexError as error:
            raise translated_error(error) from None
    result = self
    for operation, part in steps(self, parts):
        result = operation.run((result,), {"index": part})
    return result


def without_ellipsis(parts: tuple, ndim: int) -> tuple:
    """An index without an ellipsis that ends it, or that stands for no dimension: between two arrays NumPy would take
    them for apart."""
    if parts[-1] is Ellipsis:
        return parts[:-1]
    return tuple([part for part in parts if part is not Ellipsis]) if consumed(parts) == ndim else parts


@method
def __setitem__(self: Tensor, index: Any, value: Any) -> None:
    parts = plain_index(index)
    checked(self, parts)
    if not isinstance(value, (Tensor, int, float, complex, np.integer)):
        kind = type(value)
        label = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
        raise TypeError(f"can't assign a {label} to a torch.{self.dtype.legacy}")
    given = value if isinstance(value, Tensor) else fill_tensor(np.asarray(value).astype(self._array.dtype))
    if given._array.dtype != self._array.dtype:
        given = to(given, self._array.dtype)
    if is_advanced(parts):
        check_writable(self)
        check_masks(parts, self._array.shape)
        part, rest = without_numbers(self, parts)
        put(part, without_ellipsis(rest, part._array.ndim), given, False)
        return
    part = self[index]
    while given._array.ndim > part._array.ndim and given._array.shape[0] == 1:
        given = given[0]
    if given._array.shape != part._array.shape:
        given = expand(given, part._array.shape)
    part.copy_(given)


# ---- written at an index: as new tensors, which take the old one's place

def stored(x: Any, values: Any, index: Any, accumulate: bool) -> Any:
    found = x.copy()
    if accumulate:
        np.add.at(found, index, values)
    else:
        found[index] = values
    return found


def last_at(shape: tuple[int, ...], index: Any) -> np.ndarray:
    """For each element written the number of the last write to it: of several writes to a place one remains."""
    places = np.arange(int(np.prod(shape))).reshape(shape)[index]
    last = np.full(int(np.prod(shape)), -1)
    last[places.ravel()] = np.arange(places.size)
    return np.asarray(last[places] == np.arange(places.size).reshape(places.shape))


def put_function(x: Any, values: Any, index: Any, accumulate: bool, kept: Any = None, remaining: Any = None) -> Any:
    return stored(x, values, index, accumulate)


PUT_RULE = torch_rule(
    "index_put(x, values, index, accumulate, kept=None, remaining=None)", put_function,
    x=lambda op: "g" if op.known("accumulate") else "np.where(kept, g, 0)",
    values=lambda op: "g[index]" if op.known("accumulate") else "np.where(remaining, g[index], 0)")


def putter(node: str, of_number: bool = False) -> Operation:
    return Operation("index_put", rule=PUT_RULE, operands="x values", opaque="index kept remaining", node=node,
                     shown=(0,) if of_number else None)


PUT, SCATTER, SCATTER_ADD, INDEX_ADD, INDEX_COPY, INDEX_FILL = map(putter, (
    "IndexPutBackward0", "ScatterBackward0", "ScatterAddBackward0", "IndexAddBackward0", "IndexCopyBackward0",
    "IndexFillBackward1"))
SCATTER_NUMBER, INDEX_FILL_NUMBER = putter("ScatterBackward1", True), putter("IndexFillBackward0", True)


def put_out(tensor: Tensor, index: tuple, values: Tensor, accumulate: bool, operation: Operation = PUT) -> Tensor:
    check_masks(index, tensor._array.shape)
    statics: dict[str, Any] = {"index": index, "accumulate": accumulate}
    if not accumulate:
        kept = np.ones(tensor._array.shape, bool)
        kept[index] = False
        statics.update(kept=kept, remaining=last_at(tensor._array.shape, index))
    try:
        return operation.run((tensor, values), statics)
    except RuntimeError:
        shape = tensor._array[index].shape
    raise RuntimeError(f"shape mismatch: value tensor of shape {list(values._array.shape)} cannot be broadcast to "
                       f"indexing result of shape {list(shape)}")


def put(tensor: Tensor, index: tuple, values: Tensor, accumulate: bool, operation: Operation = PUT) -> Tensor:
    return in_place(tensor, lambda old: put_out(old, index, values, accumulate, operation))


def indices_of(indices: Any) -> tuple:
    return tuple(slice(None) if item is None else places_of(item) for item in indices)


@both
def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    return put_out(input, indices_of(indices), values, accumulate)


@method
def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    return put(self, indices_of(indices), values, accumulate)


# ---- along a dimension

@both
def select(input: Tensor, dim: int, index: int) -> Tensor:
    axis = axis_of(dim, input._array.ndim)
    size = input._array.shape[axis]
    if not -size <= index < size:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(input._array.shape)} at "
                         f"dimension {dim}")
    return SELECT.run((input,), {"index": (*(slice(None),) * axis, index, Ellipsis)})


@both
def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    axis = axis_of(dim, input._array.ndim)
    size = input._array.shape[axis]
    start = start + size if start < 0 else start
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return SLICE.run((input,), {"index": (*(slice(None),) * axis, slice(start, start + length), Ellipsis)})


index_select_of, gather_of, masked_select_of = map(picker, ("index_select", "gather", "masked_select"))
take_of = Operation("take", rule=torch_rule("take(x, index)", lambda x, index: np.take(x, index),
                                            x="put_back(g, x.shape, index)"), operands="x", opaque="index")
flip_of = Operation("flip", rule=torch_rule("flip(x, dims)", lambda x, dims: np.flip(x, dims).copy(),
                                            x="np.flip(g, dims)"), operands="x")
roll_of = Operation("roll", rule=torch_rule(
    "roll(x, shifts, dims)", lambda x, shifts, dims: np.roll(x, shifts, dims),
    x=lambda op: f"np.roll(g, {tuple(-step for step in op.known('shifts'))!r}, dims)"), operands="x")
roll_flat = Operation("roll", rule=torch_rule("roll(x, shift)", lambda x, shift: np.roll(x, shift),
                                              x="np.roll(g, -shift)"), operands="x")


@both
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    axis, places = axis_of(dim, input._array.ndim), index._array
    if places.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if places.dtype not in (np.int64, np.int32):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if outside(places, input._array.shape[axis] if input._array.ndim else 1) is not None:
        raise IndexError("index out of range in self")
    places = np.atleast_1d(places)
    if input._array.ndim:
        return index_select_of.run((input,), {"index": (*(slice(None),) * axis, places)})
    if places.size != 1:
        raise IndexError(f"index_select(): Index to scalar can have only 1 value, got {places.size} value(s)")
    return index_select_of.run((input,), {"index": ()})


def outside(index: np.ndarray, size: int) -> Any:
    """The first index that is negative or too large; None where there is none."""
    found = index[(index < 0) | (index >= size)]
    return found.flat[0] if found.size else None


def check_places(index: np.ndarray, axis: int, shape: tuple[int, ...]) -> None:
    """Raises RuntimeError for an index that is out of bounds."""
    wrong = outside(index, shape[axis]) if shape else None
    if wrong is not None:
        raise RuntimeError(f"index {wrong} is out of bounds for dimension {axis} with size {shape[axis]}")


def along(index: np.ndarray, axis: int) -> tuple:
    """The index that takes elements along an axis at each place of ``index``."""
    grid = list(np.ogrid[tuple(map(slice, index.shape))])
    grid[axis] = index
    return tuple(grid)


@both
def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Elements along a dimension, at other places for each place of ``index``."""
    axis, places = axis_of(dim, input._array.ndim), index._array
    if places.dtype not in (np.int64, np.int32):
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")
    if max(places.ndim, 1) != max(input._array.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    check_places(places, axis, input._array.shape or (1,))
    if not input._array.ndim:
        return gather_of.run((input,), {"index": (None,) if places.ndim else ()})
    return gather_of.run((input,), {"index": along(places, axis) if places.ndim else (places,)})


@both
def take(input: Tensor, index: Tensor) -> Tensor:
    size, places = input._array.size, index._array
    wrong = places[(places < -size) | (places >= size)]
    if wrong.size:
        raise IndexError(f"out of range: tried to access index {wrong.flat[0]} on a tensor of {size} elements.")
    return take_of.run((input,), {"index": index._array})


@both
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    if mask._array.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    shape = np.broadcast_shapes(input._array.shape, mask._array.shape)
    if input._array.shape != shape:
        input = expand(input, shape)
    return masked_select_of.run((input,), {"index": np.broadcast_to(mask._array, shape)})


@both
def scatter(input: Tensor, dim: int, index: Tensor, src: Any) -> Tensor:
    """A copy with values put at places along a dimension."""
    return _scattered(input, dim, index, src, False)


@both
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    return _scattered(input, dim, index, src, True)


def _scattered(input: Tensor, dim: int, index: Tensor, src: Any, accumulate: bool) -> Tensor:
    check_places(index._array, axis_of(dim, input._array.ndim), input._array.shape)
    places = along(index._array, axis_of(dim, input._array.ndim))
    operation = SCATTER_ADD if accumulate else SCATTER
    if isinstance(src, Tensor) and src._array.dtype != input._array.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if not isinstance(src, Tensor):
        src, operation = fill_tensor(np.asarray(src).astype(input._array.dtype)), SCATTER_NUMBER
    elif src._array.shape != index._array.shape:
        src = src[tuple(slice(size) for size in index._array.shape)]
    return put_out(input, places, src, accumulate, operation)


@method
def scatter_(self: Tensor, dim: int, index: Tensor, src: Any) -> Tensor:
    return in_place(self, lambda old: _scattered(old, dim, index, src, False))


@method
def scatter_add_(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    return in_place(self, lambda old: _scattered(old, dim, index, src, True))


def along_dim(index: Tensor, dim: int, ndim: int) -> tuple:
    return (*(slice(None),) * axis_of(dim, ndim), index._array)


@both
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    axis, places = axis_of(dim, input._array.ndim), index._array
    if source._array.ndim and places.size != source._array.shape[axis]:
        raise RuntimeError(f"index_add_(): Number of indices ({places.size}) should be equal to source.size(dim): "
                           f"({source._array.shape[axis]}), for dim: {axis}")
    check_places(places, axis, input._array.shape)
    added = source if alpha == 1 else mul(source, alpha)
    return put_out(input, along_dim(index, dim, input._array.ndim), added, True, INDEX_ADD)


@method
def index_add_(self: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    return in_place(self, lambda old: index_add(old, dim, index, source, alpha=alpha))


@both
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    return put_out(input, copied_along(input, dim, index, source), source, False, INDEX_COPY)


@method
def index_copy_(self: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    return put(self, copied_along(self, dim, index, source), source, False, INDEX_COPY)


def copied_along(tensor: Tensor, dim: int, index: Tensor, source: Tensor) -> tuple:
    """The index to copy to. Raises IndexError or RuntimeError where the source doesn't fit."""
    axis = axis_of(dim, tensor._array.ndim)
    given, places = source._array, index._array
    if given.ndim and places.size != given.shape[axis]:
        raise IndexError(f"index_copy_(): Number of indices ({places.size}) should be equal to source.size(dim) "
                         f"({given.shape[axis]})")
    if given.dtype != tensor._array.dtype:
        names = (str(item.dtype.legacy).removesuffix("Tensor") for item in (tensor, source))
        raise RuntimeError("index_copy_(): self and source expected to have the same dtype, but got (self) {} and "
                           "(source) {}".format(*names))
    size = tensor._array.shape[axis]
    wrong = outside(places, size)
    if wrong is not None:
        raise IndexError(f"index_copy_(): index {wrong} is out of bounds for dimension {axis} with size "
                         f"{size}")
    return along_dim(index, dim, tensor._array.ndim)


@both
def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    place = along_dim(index, dim, input._array.ndim)
    if isinstance(value, Tensor):
        return put_out(input, place, value, False, INDEX_FILL)
    number = fill_tensor(np.asarray(value).astype(input._array.dtype))
    return put_out(input, place, number, False, INDEX_FILL_NUMBER)


@method
def index_fill_(self: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    return in_place(self, lambda old: index_fill(old, dim, index, value))


# ---- in another order

@both
def flip(input: Tensor, *dims: Any) -> Tensor:
    axes = tuple(axis_of(dim, input._array.ndim) for dim in listed(dims))
    if not input._array.ndim:
        axes = ()
    for axis in axes:
        if axes.count(axis) > 1:
            raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
    return flip_of.run((input,), {"dims": axes})


@both
def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    steps_ = tuple(shifts) if isinstance(shifts, (tuple, list)) else (shifts,)
    if dims is None:
        return roll_flat.run((input,), {"shift": steps_[0]})
    axes = tuple(dims) if isinstance(dims, (tuple, list)) else (dims,)
    if len(axes) != len(steps_):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(steps_)}, dims:{len(axes)}")
    return roll_of.run((input,), {"shifts": steps_, "dims": axes})


@both
def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """Values in order, and where they were."""
    axis = axis_of(dim, input._array.ndim)
    if not input._array.ndim:
        return picked("sort", input, np.zeros((), int), axis)
    keys = input._array if not descending else np.flip(input._array, axis)
    order = np.argsort(keys, axis, kind="stable")
    if descending:
        order = np.flip(input._array.shape[axis] - 1 - order, axis)
    return picked("sort", input, order, axis)


@both
def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    return sort(input, dim, descending)[1]


@both
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    axis = axis_of(dim, input._array.ndim)
    if not 0 <= k <= (input._array.shape[axis] if input._array.ndim else 1):
        raise RuntimeError("selected index k out of range")
    order = sort(input.detach(), dim, largest)[1]._array
    return picked("topk", input, np.take(order, np.arange(k), axis) if order.ndim else order, axis)


def picked(name: str, input: Tensor, order: np.ndarray, axis: int) -> Any:
    values = ORDERED[name].run((input,), {"index": along(order, axis) if order.ndim else ()})
    return TYPES[name](values, new_tensor(np.array(order, order="C")))


ORDERED = {name: picker(name) for name in ("sort", "topk")}


TYPES = {name: pair_type(name) for name in ORDERED}


@exported
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    if as_tuple:
        return tuple(map(new_tensor, np.nonzero(np.atleast_1d(input._array))))
    return new_tensor(np.argwhere(input._array))


attached("nonzero", nonzero)
both(named(lambda input: new_tensor(np.argwhere(input._array)), "argwhere"))
