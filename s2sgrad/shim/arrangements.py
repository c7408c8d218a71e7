"""What PyTorch puts together from other operations: tensors turned, cut up, joined and looked at through windows."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sgrad.rules.table import RULES, Parameter, Rule
from s2sgrad.shim.dtypes import Size
from s2sgrad.shim.elementwise import where
from s2sgrad.shim.indexing import SLICE, flip, gather, sort
from s2sgrad.shim.joining import cat, stack
from s2sgrad.shim.moves import meshgrid
from s2sgrad.shim.names import FUNCTIONS, attached, both, exported, named
from s2sgrad.shim.operations import Operation, torch_rule
from s2sgrad.shim.reductions import vector_norm
from s2sgrad.shim.shapes import axis_of, expand, reshape, unsqueeze
from s2sgrad.shim.tensor import Tensor, new_tensor

# ---- at least so many dimensions

def at_least(count: int, grown: Callable[[Tensor], Tensor]) -> None:
    def function(*tensors: Any) -> Any:
        if len(tensors) == 1 and isinstance(tensors[0], Tensor):
            return tensors[0] if tensors[0]._array.ndim >= count else grown(tensors[0])
        given = tensors[0] if len(tensors) == 1 else tensors
        return tuple(map(function, given))

    exported(named(function, f"atleast_{count}d"))


at_least(1, lambda tensor: reshape(tensor, 1))
at_least(2, lambda tensor: unsqueeze(tensor, 0) if tensor._array.ndim else reshape(tensor, 1, 1))
at_least(3, lambda tensor: unsqueeze(tensor, 2) if tensor._array.ndim == 2 else
         unsqueeze(unsqueeze(tensor, 0), -1) if tensor._array.ndim else reshape(tensor, 1, 1, 1))


@exported
def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that tensors of these shapes broadcast to."""
    try:
        return Size(np.broadcast_shapes(*shapes))
    except ValueError:
        raise RuntimeError("Attempting to broadcast dimensions that don't fit: the shapes are "
                           f"{', '.join(map(str, shapes))}") from None


# ---- turned

@both
def fliplr(input: Tensor) -> Tensor:
    if input._array.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, 1)


@both
def flipud(input: Tensor) -> Tensor:
    if not input._array.ndim:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, 0)


rot90_of = Operation("rot90", rule=torch_rule("rot90(x, k, dims)", lambda x, k, dims: np.rot90(x, k, dims).copy(),
                                              x="np.rot90(g, -k, dims)"), operands="x")


@both
def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    axes = tuple(axis_of(dim, input._array.ndim) for dim in dims)
    if len(axes) != 2 or axes[0] == axes[1]:
        raise RuntimeError(f"expected two different rotation dims, but got dims = {list(dims)}")
    return rot90_of.run((input,), {"k": k, "dims": axes})


@both
def msort(input: Tensor) -> Tensor:
    return sort(input, 0)[0]  # type: ignore[no-any-return]


# ---- cut up, and joined

@both
def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple:
    """So many pieces of about one size, or pieces that end at these places."""
    axis = axis_of(dim, input._array.ndim)
    size, given = input._array.shape[axis], indices_or_sections
    if isinstance(given, int):
        if given <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {given}")
        ends = [place * (size // given) + min(place, size % given) for place in range(1, given)]
    else:
        ends = given.tolist() if isinstance(given, Tensor) else list(given)
    bounds = [slice(start, end) for start, end in zip([0, *ends], [*ends, size])]
    return tuple(SLICE.run((input,), {"index": (*(slice(None),) * axis, part, Ellipsis)}) for part in bounds)


def splitter(name: str, dim_of: Callable[[int], int], least: int) -> None:
    def function(input: Tensor, indices_or_sections: Any) -> tuple:
        ndim = input._array.ndim
        if ndim < least:
            raise RuntimeError(f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with "
                               f"{ndim} dimensions!")
        dim = dim_of(ndim)
        if isinstance(indices_or_sections, int) and input._array.shape[dim] % indices_or_sections:
            raise RuntimeError(f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension "
                               f"{input._array.shape[dim]} is not divisible by the split_size {indices_or_sections}!")
        return tensor_split(input, indices_or_sections, dim)

    both(named(function, name))


splitter("hsplit", lambda ndim: 0 if ndim == 1 else 1, 1)
splitter("vsplit", lambda ndim: 0, 2)
splitter("dsplit", lambda ndim: 2, 3)


@exported
def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Vectors as columns beside one another, and matrices."""
    return cat([reshape(item, item._array.size, 1) if item._array.ndim < 2 else item for item in tensors], 1)


@exported
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    return cat([FUNCTIONS["atleast_3d"](item) for item in tensors], 2)


FUNCTIONS["row_stack"] = FUNCTIONS["vstack"]


@exported
def block_diag(*tensors: Tensor) -> Tensor:
    """Matrices along the diagonal, and zeros."""
    blocks = [FUNCTIONS["atleast_2d"](item) for item in tensors]
    columns = [item._array.shape[1] for item in blocks]
    rows = []
    for place, item in enumerate(blocks):
        height, kind = item._array.shape[0], item._array.dtype
        sides = [new_tensor(np.zeros((height, sum(part)), kind)) for part in (columns[:place], columns[place + 1:])]
        rows.append(cat([sides[0], item, sides[1]], 1))
    return cat(rows)


@exported
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """All choices of one element of each vector, as rows."""
    if len(tensors) == 1:
        return tensors[0]
    return stack([reshape(item, -1) for item in meshgrid(*tensors, indexing="ij")], 1)


@both
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """Elements along a dimension, at other places for each place of ``indices``, which broadcast."""
    if dim is None:
        return gather(reshape(input, -1), 0, reshape(indices, -1))
    axis = axis_of(dim, input._array.ndim)
    given, places = list(input._array.shape), list(indices._array.shape)
    lead = np.broadcast_shapes([*given[:axis], 1, *given[axis + 1:]], [*places[:axis], 1, *places[axis + 1:]])
    whole, index = ([*lead[:axis], sizes[axis], *lead[axis + 1:]] for sizes in (given, places))
    return gather(expand(input, whole) if whole != given else input, dim,
                  expand(indices, index) if index != places else indices)


# ---- diagonals

embed_of = Operation("diag_embed", rule=torch_rule(
    "diag_embed(x, offset, dim1, dim2)", lambda x, offset, dim1, dim2: embedded(x, offset, dim1, dim2),
    x="np.diagonal(g, offset, dim1, dim2)"), operands="x")


def embedded(x: Any, offset: int, dim1: int, dim2: int) -> np.ndarray:
    size = x.shape[-1] + abs(offset)
    found = np.zeros((*x.shape[:-1], size, size), x.dtype)
    found = np.moveaxis(found, (-2, -1), (dim1, dim2))
    places = np.diagonal(found, offset, dim1, dim2)
    places.flags.writeable = True
    places[...] = x
    return np.ascontiguousarray(found)


@both
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices with the last dimension on their diagonals."""
    ndim = input._array.ndim + 1
    axes = axis_of(dim1, ndim), axis_of(dim2, ndim)
    if axes[0] == axes[1]:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return embed_of.run((input,), {"offset": offset, "dim1": axes[0], "dim2": axes[1]})


@both
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    return diag_embed(reshape(input, -1), offset)


def triangle(name: str, function: Callable) -> None:
    def indices(row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None) -> Tensor:
        return new_tensor(np.stack(function(row, offset, col)).astype(np.int64))

    exported(named(indices, name))


triangle("tril_indices", np.tril_indices)
triangle("triu_indices", np.triu_indices)


# ---- windows

def windows(x: Any, dim: int, size: int, step: int) -> Any:
    if size > x.shape[dim]:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {x.shape[dim]} but size is {size}")
    found = np.lib.stride_tricks.sliding_window_view(x, size, dim, writeable=x.flags.writeable)
    index = *(slice(None),) * dim, slice(None, None, step)
    return found[index]


RULES[windows] = Rule("windows", windows, tuple(map(Parameter, ("x", "dim", "size", "step"))), constant=True)
unfold_of = Operation("unfold", rule=torch_rule(
    "unfold(x, dim, size, step)", lambda x, dim, size, step: windows(x, dim, size, step),
    x="put_back(g, x.shape, windows(numbered(x.shape), dim, size, step))", names={"windows": windows}), operands="x",
    view=True)


@both
def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """All stretches of so many neighbours along a dimension, as a last dimension."""
    axis = axis_of(dimension, input._array.ndim)
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return unfold_of.run((input,), {"dim": axis, "size": size, "step": step})


# ---- areas under lines

def weighed(y: Any, x: Any, dx: float, dim: int) -> tuple[Tensor, Any]:
    axis = axis_of(dim, y._array.ndim)
    later, earlier = (*(slice(None),) * axis, slice(1, None)), (*(slice(None),) * axis, slice(None, -1))
    sums = y[later] + y[earlier]
    if x is None:
        return sums, dx
    along = later if x._array.ndim > 1 else slice(1, None), earlier if x._array.ndim > 1 else slice(None, -1)
    widths = x[along[0]] - x[along[1]]
    if x._array.ndim == 1:
        widths = reshape(widths, -1, *[1] * (y._array.ndim - axis - 1))
    return sums * widths, None


@exported
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1) -> Tensor:
    """The area under lines through points, which are ``dx`` apart or where ``x`` says."""
    sums, width = weighed(y, x, dx, dim)
    found: Any = sums.sum(dim)
    return found / 2 if width is None else found * (width / 2)


@exported
def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1) -> Tensor:
    sums, width = weighed(y, x, dx, dim)
    parts: Any = sums / 2 if width is None else sums * (width / 2)  # type: ignore[operator]
    return parts.cumsum(dim)  # type: ignore[no-any-return]


FUNCTIONS["trapz"] = trapezoid


# ---- how far apart

@exported
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: Any = None) -> Tensor:
    """The distances between all rows of one matrix and all of another."""
    if x1._array.ndim < 2 or x2._array.ndim < 2 or x1._array.shape[-1] != x2._array.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1._array.shape[-1]} X2: "
                           f"{x2._array.shape[-1]}")
    first: Any = unsqueeze(x1, -2)
    return (first - unsqueeze(x2, -3)).norm(p, -1)  # type: ignore[no-any-return]


@both
def cov(input: Tensor, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
    """The covariances of rows."""
    if fweights is not None or aweights is not None:
        raise RuntimeError("cov(): weights are not supported")
    rows: Any = FUNCTIONS["atleast_2d"](input)
    centred = rows - rows.mean(1, True)
    found = (centred @ centred.mT) / max(rows._array.shape[1] - correction, 0)
    return found.squeeze()  # type: ignore[no-any-return]


@both
def corrcoef(input: Tensor) -> Tensor:
    """The correlations of rows."""
    found: Any = cov(input)
    if not found._array.ndim:
        return found / found
    spread = found.diagonal().sqrt()
    return (found / spread.unsqueeze(1) / spread.unsqueeze(0)).clamp(-1, 1)  # type: ignore[no-any-return]


# ---- two results in one

def together(name: str, first: str) -> None:
    def function(input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
                 ) -> tuple:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        return (FUNCTIONS[first](input, dim, unbiased, keepdim, correction=correction),
                FUNCTIONS["mean"](input, dim, keepdim))

    exported(named(function, name))


together("std_mean", "std")
together("var_mean", "var")


@both
def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    counted = new_tensor(np.asarray(~np.isnan(input._array))).sum(dim, keepdim)
    return input.nansum(dim, keepdim) / counted  # type: ignore[no-any-return]


@both
def is_nonzero(input: Tensor) -> bool:
    return bool(input)


@exported
def float_power(input: Any, exponent: Any) -> Tensor:
    """The power, in double precision."""
    first, second = (item.double() if isinstance(item, Tensor) else float(item) for item in (input, exponent))
    return FUNCTIONS["pow"](first, second)  # type: ignore[no-any-return]


@both
def addmv(input: Any, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    found: Any = mat.mv(vec)
    return (input if beta == 1 else input * beta) + (found if alpha == 1 else found * alpha)


@both
def addr(input: Any, vec1: Tensor, vec2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    found: Any = vec1.outer(vec2)
    return (input if beta == 1 else input * beta) + (found if alpha == 1 else found * alpha)


@both
def baddbmm(input: Any, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    found: Any = batch1.bmm(batch2)
    return (input if beta == 1 else input * beta) + (found if alpha == 1 else found * alpha)


attached("float_power", float_power)


@both
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """Parts along a dimension made smaller where their norm is larger than ``maxnorm``."""
    axis = axis_of(dim, input._array.ndim)
    if input._array.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input._array.ndim} dimensions")
    norms = vector_norm(input, p, [other for other in range(input._array.ndim) if other != axis], True)
    ones = new_tensor(np.ones((), input._array.dtype))
    return input * where(norms > maxnorm, maxnorm / (norms + 1e-7), ones)  # type: ignore[operator]
